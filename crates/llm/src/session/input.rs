//! What the world tells the session.

use signoff_core::engine::{Decision, Undone, UserEdit};
use signoff_core::review::{HistoryView, ProposalView};

use super::{Command, Fault, RequestId};
use crate::message::CallId;
use crate::provider::{About, Delta, ProviderError};
use crate::tool::ToolOutput;

/// What the world tells the session.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The user asks for something.
    Command(Command),
    /// Everything is in place.
    Ready {
        /// Who answers.
        about: About,
        /// A line for the user, as how to connect a model.
        hint: Option<String>,
    },
    /// A piece of an answer.
    Delta {
        /// Of which request.
        request: RequestId,
        /// The piece.
        delta: Delta,
    },
    /// No more pieces come.
    RequestEnded {
        /// Of which request.
        request: RequestId,
        /// Whether the answer is whole.
        result: Result<(), ProviderError>,
    },
    /// A call was carried out.
    ToolDone {
        /// Which.
        call: CallId,
        /// What came of it.
        output: ToolOutput,
    },
    /// Verdicts were carried out, or not.
    Decided(Result<Decision, Fault>),
    /// Changes were taken back, or not.
    Reverted(Result<Undone, Fault>),
    /// The review list.
    Reviewed(Result<Vec<ProposalView>, Fault>),
    /// What the user changed in files that were read; comes before a prompt.
    UserEdits(Vec<UserEdit>),
    /// History, newest first.
    HistoryRead(Result<Vec<HistoryView>, Fault>),
    /// Nobody is there any more: nothing new begins.
    Leave,
}
