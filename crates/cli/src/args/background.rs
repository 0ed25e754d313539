//! Arguments of `background`.
//!
//! In: the command line. Out: which background agent is meant, and what is done with it.

use clap::{Args as Group, Subcommand};

/// `background`
#[derive(Debug, Group)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BackgroundArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// What to do with one of them; they are listed without it.
    #[command(subcommand)]
    pub command: Option<BackgroundCommand>,
}

/// What `background` does with one agent.
#[derive(Debug, Subcommand)]
pub enum BackgroundCommand {
    /// List them: state, time, tokens, cost and prompt of each.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the conversation of one.
    Show {
        /// Its number.
        id: u32,
    },
    /// Send one another prompt: after its turn if it works, in the same conversation if it ended.
    Say {
        /// Its number.
        id: u32,
        /// The prompt.
        text: String,
    },
    /// End one and remove everything of it that was not proposed yet.
    Stop {
        /// Its number.
        id: u32,
    },
    /// Be the process of one.
    #[command(hide = true)]
    Run {
        /// Its number.
        id: u32,
    },
}
