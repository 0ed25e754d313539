//! `signoff acp`

use clap::Args as Group;

use super::ModelArgs;

/// `acp`
#[derive(Clone, Debug, Group)]
pub struct AcpArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Speak the draft of version 2 of the protocol with an editor that asks for it. It may change with every release.
    #[arg(long)]
    pub draft: bool,
    /// Whether conversations may be about the home folder or one around it.
    #[arg(skip)]
    pub broad_folder: bool,
}
