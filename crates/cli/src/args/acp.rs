//! `signoff acp`

use clap::{Args as Group, Subcommand};

use super::{ModelArgs, SetupArgs};

/// `acp`
#[derive(Clone, Debug, Group)]
pub struct AcpArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Whether conversations may be about the home folder or one around it.
    #[arg(skip)]
    pub broad_folder: bool,
    /// What is done instead of serving.
    #[command(subcommand)]
    pub command: Option<AcpCommand>,
}

/// What is done instead of serving.
#[derive(Clone, Debug, Subcommand)]
pub enum AcpCommand {
    /// As `signoff setup`: editors append this word to the command that they start as an agent.
    #[command(hide = true)]
    Setup(SetupArgs),
}
