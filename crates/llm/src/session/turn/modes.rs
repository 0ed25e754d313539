//! Switching the mode of a conversation.
//!
//! In: the mode that the user chose. Out: the effect on the engine, and word of it to screen and model.

use super::super::ledger::Ledger;
use super::super::outbox::Outbox;
use super::super::{Effect, Event};
use crate::gate::StopRule;
use crate::mode::{Mode, WriteThrough};
use crate::notice::Notice;

/// What the session knows of its mode.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct Modes {
    pub(in crate::session) now: Mode,
    write_through: WriteThrough,
}

impl Modes {
    /// Returns how a conversation begins.
    pub(in crate::session) fn new(write_through: WriteThrough, stop: StopRule) -> Self {
        let now = match (write_through, stop) {
            (WriteThrough::On, _) => Mode::WriteThrough,
            (_, StopRule::TurnEnd) => Mode::Turn,
            (_, StopRule::FirstEdit | StopRule::AfterEdits(_)) => Mode::Step,
        };
        Self { now, write_through }
    }

    /// Tells the screen how the conversation begins, where that is not step by step.
    pub(in crate::session) fn tell(&self, out: &mut Outbox) {
        let mode = self.now;
        if mode != Mode::Step {
            out.emit(Event::Mode { mode });
        }
    }

    /// Goes to a mode; it holds from the next request on.
    pub(in crate::session) fn set(&mut self, mode: Mode, ledger: &mut Ledger, out: &mut Outbox) {
        let before = self.now;
        let forbidden = self.write_through == WriteThrough::Forbidden;
        if mode == Mode::WriteThrough && forbidden {
            return out.inform("this workspace does not let edits be written at once");
        }
        if mode == before {
            return;
        }
        self.now = mode;
        let [writes, wrote] = [mode, before].map(|mode| mode == Mode::WriteThrough);
        if writes != wrote {
            out.want(Effect::WriteThrough(writes));
        }
        out.emit(Event::Mode { mode });
        ledger.tell(Notice::Mode { mode });
    }
}
