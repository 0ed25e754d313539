//! What comes of a request: an answer in pieces, whole at its end or broken off.
//!
//! In: pieces and the end. Out: events while it streams; then the round of its calls, or the
//! end of the turn. Only a whole answer has its calls run.

use super::reply::{Reply, Whole};
use super::round::Round;
use super::triage::Triage;
use super::turn::{Step, Turn};
use super::{Effect, Event, Fault, Phase, RequestId, Session, TurnEnd};
use crate::notice::{Interruption, Notice};
use crate::provider::{Delta, ProviderError, StopReason};

impl Session {
    /// Takes a piece of an answer.
    pub(super) fn delta(&mut self, request: RequestId, delta: Delta) {
        let Some(reply) = reply_to(&mut self.turn, request) else {
            return;
        };
        let events = reply.push(delta, &self.transcript, &self.tools);
        let too_long = reply.is_too_long();
        self.events.extend(events);
        if too_long {
            self.effects.push_back(Effect::CancelRequest { request });
            self.request_ended(request, Err(cut("it is longer than any answer can be")));
        }
    }

    /// Takes the end of an answer. One that just stops, without saying so, is broken off.
    pub(super) fn request_ended(&mut self, request: RequestId, result: Result<(), ProviderError>) {
        let Some(reply) = take_reply(&mut self.turn, request) else {
            return;
        };
        let (whole, intents) = reply.finish();
        match result {
            Ok(()) if whole.stop.is_some() => {
                self.events.extend(intents);
                self.answered(whole);
            }
            Ok(()) => self.broke_off(whole, &cut("the server stopped in the middle of it")),
            Err(error) => self.broke_off(whole, &error),
        }
    }

    /// Records the text of an answer that will not be completed and closes its calls on the
    /// screen; the model never sees them.
    pub(super) fn keep_text(&mut self, whole: Whole, why: &str) {
        if let Err(misplaced) = self.transcript.said(whole.text, Vec::new()) {
            tracing::error!(%misplaced, "an answer came over open calls");
        }
        for call in whole.calls {
            self.transcript.retire(call.id.clone());
            self.emit(Event::CallDone {
                call: call.id,
                tool: call.name,
                ok: false,
                summary: why.to_owned(),
            });
        }
    }

    /// Carries out what a whole answer asks for.
    fn answered(&mut self, whole: Whole) {
        let asked_in = self.phase;
        self.remark(&whole);
        let said = self
            .transcript
            .said_with(whole.text, whole.calls.clone(), whole.kept);
        if let Err(misplaced) = said {
            tracing::error!(%misplaced, "an answer came over open calls");
        }
        let mut round = Round::default();
        let mut refused = Vec::new();
        let has_calls = !whole.calls.is_empty();
        for call in whole.calls {
            match self.tools.triage(asked_in, &call) {
                Triage::Run(reach) => match self.leave_for(&call, reach) {
                    Ok(leave) => round.add(call, reach, leave),
                    Err(output) => refused.push((call, output)),
                },
                Triage::Answer(output) => refused.push((call, output)),
            }
        }
        if let Some(turn) = &mut self.turn {
            turn.step = Step::Round(round);
        }
        for (call, output) in refused {
            self.failed(&call);
            self.answer(&call.id, &call.name, output);
        }
        if asked_in == Phase::Closing || !has_calls {
            return self.end(self.natural_end());
        }
        self.enter(Phase::Working);
        self.go_on();
    }

    /// Keeps the text of an answer that is not whole; none of its calls is run.
    fn broke_off(&mut self, whole: Whole, error: &ProviderError) {
        let begun = !whole.is_empty();
        self.keep_text(whole, "not run: the answer broke off");
        if begun {
            self.transcript.note(Notice::Interrupted {
                by: Interruption::Connection,
            });
        }
        let mut fault = Fault::from(error);
        let mut end = TurnEnd::Failed;
        if self.natural_end() == TurnEnd::Review {
            let hint = "the edits are staged; only the closing words are missing";
            fault.hint = Some(hint.to_owned());
            end = TurnEnd::Review;
        }
        self.emit(Event::Fault(fault));
        self.resume = false;
        self.end(end);
    }

    /// Tells the user what is odd about an answer.
    fn remark(&mut self, whole: &Whole) {
        if whole.stop == Some(StopReason::Length) {
            self.inform("the answer reached the model's length limit");
        } else if whole.is_empty() && self.phase == Phase::Asking {
            self.inform("the model gave an empty answer");
        }
    }
}

fn cut(detail: &str) -> ProviderError {
    ProviderError::Cut {
        detail: detail.to_owned(),
    }
}

/// Returns the answer that comes in, if it is the one to this request.
fn reply_to(turn: &mut Option<Turn>, request: RequestId) -> Option<&mut Reply> {
    match turn {
        Some(Turn {
            step: Step::Reply(reply),
            ..
        }) if reply.request() == request => Some(reply),
        _ => None,
    }
}

/// Takes the answer out of the turn, if it is the one to this request.
fn take_reply(turn: &mut Option<Turn>, request: RequestId) -> Option<Reply> {
    let reply = reply_to(turn, request)?;
    Some(std::mem::replace(reply, Reply::new(request)))
}
