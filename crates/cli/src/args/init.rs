//! Arguments of `init`.
//!
//! In: the command line. Out: who is asked.

use clap::Args as Group;

use super::ModelArgs;

/// `init`
#[derive(Debug, Group)]
pub struct InitArgs {
    /// Whom to ask.
    #[command(flatten)]
    pub model: ModelArgs,
}
