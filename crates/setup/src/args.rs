//! Arguments that a conversation is made of: the folder, who answers, and how it is led.
//!
//! In: the command line. Out: its words; nothing in them has been looked up yet.

use std::path::PathBuf;

use clap::{ArgGroup, Args as Group};
use serde::{Deserialize, Serialize};
use signoff_llm::gate::StopRule;
use signoff_llm::instructions::Profile;

mod foreign_agent;

pub use foreign_agent::ForeignAgent;

/// Which folder is worked on.
#[derive(Clone, Debug, Default, Group)]
pub struct PathArgs {
    /// Work on this folder instead of the current one.
    #[arg(short = 'C', long = "dir", value_name = "DIR", global = true)]
    pub dir: Option<PathBuf>,
    /// Work on the home folder, a folder around it or `/` without a question.
    #[arg(long, global = true)]
    pub broad_folder: bool,
}

/// Who answers prompts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Group, Serialize, Deserialize)]
#[command(group(ArgGroup::new("source").args(["offline", "replay"])))]
pub struct ModelArgs {
    /// The model's name, as its server knows it.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The address of a server.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// How the server is spoken to, where its address does not tell: `openai`, `responses`,
    /// `anthropic`, `gemini` or `ollama`.
    #[arg(long, value_name = "WORD")]
    pub protocol: Option<String>,
    /// Use the built-in planner, and no network.
    #[arg(long)]
    pub offline: bool,
    /// Play a recorded exchange.
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Write edits at once instead of waiting for a verdict; all can be undone.
    #[arg(long)]
    pub write_through: bool,
}

/// Which conversation it is, and how it is led.
#[derive(Clone, Debug, Default, PartialEq, Eq, Group)]
#[command(group(ArgGroup::new("earlier").args(["go_on", "resume"])))]
pub struct SessionArgs {
    /// Go on with the newest conversation about this folder.
    #[arg(short = 'c', long = "continue")]
    pub go_on: bool,
    /// Go on with an earlier conversation: its id, the first characters of it, or its place in
    /// `signoff sessions`.
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// Go on with a copy and leave the earlier conversation as it is.
    #[arg(long, requires = "earlier")]
    pub fork: bool,
    /// When edits go before you: `first-edit`, `after:N`, `turn-end`.
    #[arg(long, value_name = "WHEN")]
    pub stop: Option<StopRule>,
    /// How much the model is given to read: `full` or `small`.
    #[arg(long, value_name = "SIZE")]
    pub profile: Option<Profile>,
}
