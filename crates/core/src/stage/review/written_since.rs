//! What a conversation wrote since a time, named by the conversation's ids.

use serde::{Deserialize, Serialize};

use crate::id::Timestamp;

/// All that a conversation wrote after a time.
///
/// A conversation that was forked has several ids: its own, and those of the conversations that it was copied from, each
/// up to the time of the copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenSince {
    /// Changes that were written after this time are meant.
    pub since: Timestamp,
    /// And not after this one: the time of the newest that was shown; none for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The ids of the conversation.
    pub by: Vec<ConversationSpan>,
}

/// An id of a conversation, and how long it was that conversation's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationSpan {
    /// The id, as in the origin of a change.
    pub session: String,
    /// The last time that counts; none for the conversation that goes on.
    pub until: Option<Timestamp>,
}

impl WrittenSince {
    /// Returns true if a change that `session` wrote at `time` is meant.
    pub fn includes(&self, session: &str, time: Timestamp) -> bool {
        let is_shown = self.until.is_none_or(|until| time <= until);
        let is_theirs = self
            .by
            .iter()
            .any(|span| span.session == session && span.until.is_none_or(|until| time <= until));
        time > self.since && is_shown && is_theirs
    }
}
