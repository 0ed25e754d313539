//! What the user asks of the session.

use signoff_core::review::{RevertTo, Ruling};

use crate::message::CallId;

/// What the user asks of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A prompt, to begin a turn with.
    Submit(String),
    /// Stop what runs; staged work stays.
    Cancel,
    /// Verdicts about hunks; approved ones are written, all or none.
    Decide(Vec<Ruling>),
    /// Say whether a call may run that [`super::Event::LeaveAsked`] asked about.
    Permit {
        /// Which call.
        call: CallId,
        /// The answer.
        grant: Grant,
    },
    /// Take back changes to a file.
    Revert {
        /// Path relative to the workspace.
        path: String,
        /// How far.
        to: RevertTo,
    },
    /// Send the present review list again, as [`super::Event::Review`].
    Review,
    /// Send the newest history entries, as [`super::Event::History`].
    History,
    /// Say which models there are.
    Models,
    /// Ask this model from the next request on.
    UseModel(String),
}

/// What the user says of a call that needs leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// This call may run.
    Once,
    /// It may run, and so may the very same call from now on.
    Always,
    /// It may not; without a reason the turn ends with it.
    Refuse {
        /// What the model should do instead.
        reason: Option<String>,
    },
}
