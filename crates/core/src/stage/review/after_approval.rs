//! What follows an approval.

use serde::Deserialize;

/// What the model does once everything it staged is approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterApproval {
    /// It goes on if its plan has steps that are not done.
    #[default]
    Auto,
    /// It goes on.
    GoOn,
    /// It waits for the next prompt.
    Stop,
}
