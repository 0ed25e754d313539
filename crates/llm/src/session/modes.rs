//! Switching the mode of a conversation.
//!
//! In: the mode that the user chose. Out: the effect on the engine, and word of it to screen and model.

use super::{Effect, Event, Session};
use crate::gate::StopRule;
use crate::mode::{Mode, WriteThrough};
use crate::notice::Notice;

/// What the session knows of its mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modes {
    pub(super) now: Mode,
    write_through: WriteThrough,
}

impl Modes {
    /// Returns how a conversation begins.
    pub(super) fn new(write_through: WriteThrough, stop: StopRule) -> Self {
        let now = match (write_through, stop) {
            (WriteThrough::On, _) => Mode::WriteThrough,
            (_, StopRule::TurnEnd) => Mode::Turn,
            (_, StopRule::FirstEdit | StopRule::AfterEdits(_)) => Mode::Step,
        };
        Self { now, write_through }
    }
}

impl Session {
    /// Tells the screen how the conversation begins, where that is not step by step.
    pub(super) fn tell_mode(&mut self) {
        let mode = self.modes.now;
        if mode != Mode::Step {
            self.outbox.emit(Event::Mode { mode });
        }
    }

    /// Goes to a mode; it holds from the next request on.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        let before = self.modes.now;
        let forbidden = self.modes.write_through == WriteThrough::Forbidden;
        if mode == Mode::WriteThrough && forbidden {
            return self
                .outbox
                .inform("this workspace does not let edits be written at once");
        }
        if mode == before {
            return;
        }
        self.modes.now = mode;
        let writes = |mode: Mode| mode == Mode::WriteThrough;
        if writes(mode) != writes(before) {
            self.outbox.want(Effect::WriteThrough(writes(mode)));
        }
        self.outbox.emit(Event::Mode { mode });
        self.ledger.tell(Notice::Mode { mode });
    }
}
