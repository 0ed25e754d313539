//! `signoff acp`

use clap::Args as Group;

use super::ModelArgs;

/// `acp`
#[derive(Clone, Debug, Group)]
pub struct AcpArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Whether conversations may be about the home folder or one around it.
    #[arg(skip)]
    pub broad_folder: bool,
}
