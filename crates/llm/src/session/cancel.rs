//! Cancelling one call of a turn.
//!
//! In: which call. Out: an answer to it that tells the model, and whatever the turn does next.
//! A call that still streams in ends the request: nothing behind it has come.

use super::reply::Stopped;
use super::round::Withdrawn;
use super::turn::{Step, Turn};
use super::{Effect, Session};
use crate::message::CallId;
use crate::provider::StopReason;
use crate::tool::ToolOutput;

impl Session {
    /// Stops one call, or the newest that is not answered.
    pub(super) fn cancel_call(&mut self, wanted: Option<&CallId>) {
        let stopped = match &mut self.turn {
            Some(Turn {
                step: Step::Reply(reply),
                ..
            }) => match reply.stop_call(wanted) {
                Some(Stopped::Streaming) => return self.cut_short(),
                Some(Stopped::Whole) => true,
                None => false,
            },
            Some(Turn {
                step: Step::Round(_),
                ..
            }) => self.withdraw(wanted),
            Some(Turn {
                step: Step::Checking,
                ..
            })
            | None => false,
        };
        if !stopped {
            self.outbox.inform("no call runs that could be stopped");
        }
    }

    /// Takes what has come of an answer as all of it.
    fn cut_short(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let Step::Reply(reply) = std::mem::replace(&mut turn.step, Step::Round(Default::default()))
        else {
            return;
        };
        let request = reply.request();
        self.outbox.want(Effect::CancelRequest { request });
        let (mut whole, intents) = reply.finish();
        whole.stop = Some(StopReason::ToolCalls);
        self.outbox.emit_all(intents);
        self.answered(whole);
    }

    /// Stops a call that waits or runs. One that may be changing something is told to stop and
    /// answers for itself: it may be done by now.
    fn withdraw(&mut self, wanted: Option<&CallId>) -> bool {
        let Some(turn) = &mut self.turn else {
            return false;
        };
        let Step::Round(round) = &mut turn.step else {
            return false;
        };
        let Some(withdrawn) = round.stop(wanted) else {
            return false;
        };
        match withdrawn {
            Withdrawn::Waiting(call) => {
                let call = call.call();
                self.ledger.answer_call(
                    (&call.id, &call.name),
                    cancelled(),
                    None,
                    &mut self.outbox,
                );
            }
            Withdrawn::Looking(call) => {
                let call = call.call();
                let id = call.id.clone();
                self.outbox.want(Effect::CancelCall { call: id });
                self.ledger.answer_call(
                    (&call.id, &call.name),
                    cancelled(),
                    None,
                    &mut self.outbox,
                );
            }
            Withdrawn::Changing(id) => {
                turn.excused.insert(id.clone());
                self.outbox.want(Effect::CancelCall { call: id });
            }
        }
        self.go_on();
        true
    }
}

/// Returns the answer to a call that the user stopped.
pub(super) fn cancelled() -> ToolOutput {
    ToolOutput::failed(
        "cancelled: the user stopped this one call. Nothing was changed by it. Do not make it \
         again unless asked; go on with the rest of the request, or say what you need.",
        "stopped by you; the turn goes on",
    )
}
