//! Compaction of a conversation that does not fit its model's context.
//!
//! In: a request that goes out, a refusal, or the user's wish. Out: the same conversation in
//! fewer words, and the user and the record told of it.

use super::super::Event;
use super::super::outbox::Outbox;
use super::super::review::PendingHunks;
use super::Ledger;
use crate::compaction::{compact, size};

/// What a conversation may have, in bytes, after the user asked for a shorter one.
const ON_REQUEST: usize = 8 * 1024;

impl Ledger {
    /// Makes the conversation shorter before a request that the model could not read whole.
    pub(in crate::session) fn make_room(&mut self, hunks: &PendingHunks, out: &mut Outbox) {
        let now = size(self.transcript.entries());
        if let Some(most) = self.usage.too_long(now) {
            self.compact_to(most, hunks, out);
        }
        self.usage.ask(size(self.transcript.entries()));
    }

    /// Makes the conversation shorter after a server refused it, and returns whether it is.
    pub(in crate::session) fn make_room_after_refusal(
        &mut self,
        hunks: &PendingHunks,
        out: &mut Outbox,
    ) -> bool {
        let now = size(self.transcript.entries());
        self.compact_to(self.usage.room(now), hunks, out)
    }

    /// Makes the conversation shorter because the user asks.
    pub(in crate::session) fn compact(&mut self, hunks: &PendingHunks, out: &mut Outbox) {
        let now = size(self.transcript.entries());
        if !self.compact_to(ON_REQUEST.max(now / 4), hunks, out) {
            out.inform("the conversation is as short as it can be");
        }
    }

    fn compact_to(&mut self, most: usize, hunks: &PendingHunks, out: &mut Outbox) -> bool {
        let before = size(self.transcript.entries());
        let Some(entries) = compact(self.transcript.entries(), &hunks.waiting(), most) else {
            return false;
        };
        let after = size(&entries);
        if let Err(misplaced) = self.transcript.retell(entries) {
            tracing::error!(%misplaced, "a conversation was compacted over open calls");
            return false;
        }
        self.record_retold(out);
        out.emit(Event::Compacted {
            before: self.usage.tokens(before),
            after: self.usage.tokens(after),
        });
        true
    }
}
