//! Going back to an earlier prompt: the conversation, the files, or both.
//!
//! Example: the prompts `one` and `two` both led to files that were written. To go back to `two` with both, what was written
//! since `two` was sent is taken back as new entries of history, in all files that the user was shown to go back; then `two` and all behind it
//! leave the conversation, on record too. Where something is in the way in another file, neither happens.
//!
//! Staged work stays as it is: none of it is on disk, and a verdict takes it out.

use serde::Serialize;
use signoff_core::id::Timestamp;
use signoff_core::stage::review::WrittenSince;

/// A prompt of the conversation, as [`super::Event::Prompts`] lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptRef {
    /// Its place in the list, counted from 0.
    pub place: usize,
    /// Its text, by which a list that is out of date is noticed.
    pub text: String,
}

/// What there is to go back to from a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RewindScope {
    /// Which prompt.
    pub prompt: PromptRef,
    /// When it was sent, if that is known.
    pub sent: Option<Timestamp>,
    /// What was written since.
    pub files: RewindFiles,
}

/// What there is to take back in files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindFiles {
    /// That is not known.
    Unknown {
        /// Why, in one line.
        why: String,
    },
    /// What was written since is to be taken back.
    Written(WrittenSince),
}
