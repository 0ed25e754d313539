//! Lineage: a conversation, and those that it goes on from.
//!
//! In: a conversation that is taken up. Out: whose changes count as its own.

use signoff_core::id::Timestamp;
use signoff_core::stage::review::{ConversationSpan, HistoryView};

use crate::memory::Recall;

/// The conversations that this one goes on from, itself included, and until when each counts, in
/// milliseconds since 1970.
#[derive(Clone, Debug, Default)]
pub(in crate::session) struct Lineage(Vec<(String, i64)>);

impl Lineage {
    /// Returns the line of a conversation.
    pub(in crate::session) fn of(recall: &Recall) -> Self {
        let own = (recall.id.clone(), i64::MAX);
        let line = std::iter::once(own).chain(recall.ancestors.iter().cloned());
        Self(line.filter(|(id, _)| !id.is_empty()).collect())
    }

    /// Returns its ids, as what they wrote is asked for.
    pub(in crate::session) fn spans(&self) -> Vec<ConversationSpan> {
        self.0
            .iter()
            .map(|(session, until)| ConversationSpan {
                session: session.clone(),
                until: (*until != i64::MAX).then_some(Timestamp(*until)),
            })
            .collect()
    }

    /// Returns its ids alone.
    pub(in crate::session) fn ids(&self) -> Vec<String> {
        self.0.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Returns whether a change was written in one of them.
    pub(in crate::session) fn wrote(&self, change: &HistoryView) -> bool {
        let session = change.session.as_deref();
        let wrote =
            |(id, until): &(String, i64)| session == Some(id.as_str()) && change.time.0 <= *until;
        self.0.iter().any(wrote)
    }
}
