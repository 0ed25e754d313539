//! Arguments of `sessions`.
//!
//! In: the command line. Out: whether conversations are listed or one is printed, and how.

use clap::{Args as Group, Subcommand, ValueEnum};

/// `sessions`
#[derive(Debug, Group)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SessionsArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// What to do with one of them.
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

/// What `sessions` does with one conversation.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// Print a conversation, for people or for other programs.
    Export(ExportArgs),
}

/// `sessions export`
#[derive(Debug, Group)]
pub struct ExportArgs {
    /// Which: its id, the first characters of it, or its number in the list; the newest without one.
    pub id: Option<String>,
    /// As what.
    #[arg(long, value_name = "WORD", value_enum, default_value_t = ExportFormat::Markdown)]
    pub format: ExportFormat,
}

/// What a conversation is printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Markdown, with a heading for each speaker.
    Markdown,
    /// The Agent Trajectory Interchange Format, version 1.7: JSON.
    Atif,
}
