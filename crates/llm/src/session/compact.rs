//! Compaction of a conversation that does not fit its model's context.
//!
//! In: a request that goes out, a refusal, or the user's wish. Out: the same conversation in
//! fewer words, and the user and the record told of it.

use super::{Effect, Event, Session};
use crate::compaction::{compact, size};
use crate::memory::Record;

/// What a conversation may have, in bytes, after the user asked for a shorter one.
const ON_REQUEST: usize = 8 * 1024;

impl Session {
    /// Makes the conversation shorter before a request that the model could not read whole.
    pub(super) fn make_room(&mut self) {
        let now = size(self.transcript.entries());
        if let Some(most) = self.usage.too_long(now) {
            self.compact_to(most);
        }
        self.usage.ask(size(self.transcript.entries()));
    }

    /// Makes the conversation shorter after a server refused it, and returns whether it is.
    pub(super) fn make_room_after_refusal(&mut self) -> bool {
        let now = size(self.transcript.entries());
        self.compact_to(self.usage.room(now))
    }

    /// Makes the conversation shorter because the user asks.
    pub(super) fn compact(&mut self) {
        if self.turn.is_some() {
            return self
                .outbox
                .misused("a turn runs; stop it before the conversation is compacted");
        }
        let now = size(self.transcript.entries());
        if !self.compact_to(ON_REQUEST.max(now / 4)) {
            self.outbox
                .inform("the conversation is as short as it can be");
        }
    }

    fn compact_to(&mut self, most: usize) -> bool {
        let before = size(self.transcript.entries());
        let waiting = self.pending_hunks.waiting();
        let Some(entries) = compact(self.transcript.entries(), &waiting, most) else {
            return false;
        };
        let after = size(&entries);
        if let Err(misplaced) = self.transcript.retell(entries) {
            tracing::error!(%misplaced, "a conversation was compacted over open calls");
            return false;
        }
        self.skip_record();
        if self.recorded.is_some() {
            let told = self.transcript.entries().to_vec();
            self.outbox.want(Effect::Record(Record::Retold(told)));
        }
        self.outbox.want(Effect::Forget);
        self.outbox.emit(Event::Compacted {
            before: self.usage.tokens(before),
            after: self.usage.tokens(after),
        });
        true
    }
}
