//! `signoff acp`

use clap::Args as Group;

use super::ModelArgs;

/// `acp`
#[derive(Debug, Group)]
pub struct AcpArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
}
