//! Outbox: what the session wants done and shown.
//!
//! In: effects and events, as parts of the session come to them. Out: the same, in order, one at a time.

use std::collections::VecDeque;

use super::{Effect, Event, Fault, FaultKind, RequestId};

/// Effects for the driver and events for the screen that were not polled yet.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    effects: VecDeque<Effect>,
    events: VecDeque<Event>,
    /// How many requests to the provider there were.
    requests: u64,
}

impl Outbox {
    /// Wants something done in the world.
    pub(super) fn want(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    /// Shows something.
    pub(super) fn emit(&mut self, event: impl Into<Event>) {
        self.events.push_back(event.into());
    }

    /// Shows several things.
    pub(super) fn emit_all(&mut self, events: impl IntoIterator<Item = impl Into<Event>>) {
        self.events.extend(events.into_iter().map(Into::into));
    }

    /// Says something to the user.
    pub(super) fn inform(&mut self, text: &str) {
        self.emit(Event::Info {
            text: text.to_owned(),
        });
    }

    /// Says that what the user asked for cannot be done now.
    pub(super) fn misused(&mut self, message: &str) {
        self.emit(Event::Fault(Fault {
            kind: FaultKind::Usage,
            message: message.to_owned(),
            hint: None,
        }));
    }

    /// Says what went wrong, and what that means.
    pub(super) fn fault(&mut self, kind: FaultKind, message: String, hint: &str) {
        self.emit(Event::Fault(Fault {
            kind,
            message,
            hint: Some(hint.to_owned()),
        }));
    }

    /// Returns the id of a request that is about to be sent.
    pub(super) fn next_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// Returns the next thing to be done.
    pub(super) fn next_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Returns the next thing to be shown.
    pub(super) fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}
