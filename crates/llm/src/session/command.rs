//! What the user asks of the session.

use signoff_core::review::{RevertTo, Ruling};

/// What the user asks of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A prompt, to begin a turn with.
    Submit(String),
    /// Stop what runs; staged work stays.
    Cancel,
    /// Verdicts about hunks; approved ones are written, all or none.
    Decide(Vec<Ruling>),
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
