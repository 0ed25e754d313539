//! The phase of a conversation.

use serde::{Deserialize, Serialize};

/// Where a conversation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Waits for the user; nothing is staged by this turn.
    #[default]
    Idle,
    /// A request runs.
    Asking,
    /// Tools run for the answer that just came.
    Working,
    /// Edits are staged and the model is asked to finish; a request without tools runs.
    Closing,
    /// Waits for verdicts.
    AwaitingReview,
}

impl Phase {
    /// Returns true while a request or tools run.
    pub fn is_busy(self) -> bool {
        match self {
            Self::Asking | Self::Working | Self::Closing => true,
            Self::Idle | Self::AwaitingReview => false,
        }
    }
}
