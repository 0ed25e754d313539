//! Handling an answer: its pieces, its end, a broken stream.
//!
//! In: pieces and the end. Out: events while it streams; then the round of its calls, or the
//! end of the turn. Only a whole answer has its calls run.

use std::time::Duration;

use super::by_example::runs_away;
use super::cancel::cancelled;
use super::reply::{Reply, Whole};
use super::round::Round;
use super::triage::{Triage, triage};
use super::turn::{Step, Turn};
use super::{Effect, Event, Fault, Phase, RequestId, Rest, Session, TurnEnd};
use crate::compaction;
use crate::provider::retry::Schedule;
use crate::provider::trouble::{Remedy, Trouble, context_in};
use crate::provider::{Delta, ProviderError, StopReason};

/// What can be done where a server does not take a request with images: few servers say that the images are the reason.
const IMAGES_ARE_SENT: &str = "the request holds images, which not every model takes: /attached lists them, /detach NAME takes \
     one out, /model picks another model";

/// How often a turn's model is asked to go on after its answer broke off.
const MOST_GO_ONS: u32 = 2;

impl Session {
    /// Takes a piece of an answer.
    pub(super) fn delta(&mut self, request: RequestId, delta: Delta) {
        let Some(reply) = reply_to(&mut self.turn, request) else {
            return;
        };
        let used = match &delta {
            Delta::Usage(usage) => Some(*usage),
            _ => None,
        };
        let events = reply.push(delta, self.ledger.transcript(), &self.config.tools);
        let (too_long, bytes) = (reply.is_too_long(), reply.bytes());
        self.outbox.emit_all(events);
        if let Some(usage) = used {
            self.ledger.count(&usage, &mut self.outbox);
        }
        if too_long {
            self.outbox.want(Effect::CancelRequest { request });
            self.request_ended(request, Err(cut("it is longer than any answer can be")));
        } else if self.example().is_some_and(|file| runs_away(file, bytes)) {
            self.outbox.want(Effect::CancelRequest { request });
            if let Some(reply) = take_reply(&mut self.turn, request) {
                self.answered(reply.finish().0);
            }
        }
    }

    /// Takes news of a server that is silent.
    pub(super) fn silent(&mut self, request: RequestId, seconds: u64) {
        if reply_to(&mut self.turn, request).is_some() {
            self.outbox.emit(Event::Stalled { seconds });
        }
    }

    /// Asks again: the request that runs, or one that ended with a fault.
    pub(super) fn retry(&mut self) {
        match &self.turn {
            Some(Turn {
                step: Step::Reply(reply),
                ..
            }) => {
                let request = reply.request();
                self.outbox.want(Effect::CancelRequest { request });
                let Some(reply) = take_reply(&mut self.turn, request) else {
                    return;
                };
                self.ledger
                    .keep_broken(reply.finish().0, "not run: asked again", &mut self.outbox);
                self.outbox.emit(Event::Retrying {
                    reason: "you asked again".to_owned(),
                    attempt: 2,
                    wait_ms: 0,
                });
                self.ask(self.phase);
            }
            Some(_) => self
                .outbox
                .inform("tools run; there is no request to send again"),
            None if self.rest == Rest::Faulted => self.begin(None),
            None => self.outbox.inform("there is no request to send again"),
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
                self.outbox.emit_all(intents);
                self.answered(whole);
            }
            Ok(()) => self.broke_off(whole, &cut("the server stopped in the middle of it")),
            Err(error) => self.broke_off(whole, &error),
        }
    }

    /// Carries out what a whole answer asks for.
    pub(super) fn answered(&mut self, whole: Whole) {
        let asked_in = self.phase;
        self.remark(&whole);
        if let Some(turn) = &mut self.turn {
            turn.unmet = whole.stop == Some(StopReason::Unmet);
        }
        self.ledger.append_answer(&whole);
        let mut round = Round::default();
        let mut refused = Vec::new();
        let mut unreadable = Vec::new();
        let mut stopped = Vec::new();
        let has_calls = !whole.calls.is_empty();
        for call in whole.calls {
            if whole.stopped.contains(&call.id) {
                stopped.push(call);
                continue;
            }
            let mode = self.modes.now;
            match triage(&self.config.tools, asked_in, mode, &call) {
                Triage::Run(prepared) => match self.consent_for(&prepared) {
                    Ok(consent) => round.add(prepared, consent),
                    Err(output) => refused.push((call, prepared.files().to_vec(), output)),
                },
                Triage::Answer(output) => {
                    let files = compaction::paths(&call.arguments);
                    refused.push((call, files, output));
                }
                Triage::Unreadable(output) => {
                    let files = compaction::paths(&call.arguments);
                    unreadable.push(call.id.clone());
                    refused.push((call, files, output));
                }
            }
        }
        if let Some(turn) = &mut self.turn {
            turn.step = Step::Round(round);
        }
        for (call, files, output) in refused {
            let circle = self.compare(&call, None, &output);
            if unreadable.contains(&call.id) {
                let path = files.first();
                path.into_iter()
                    .for_each(|path| self.misfit(&call, path, circle));
            }
            // A call that the gate refuses has not failed: it was not to be made.
            if asked_in != Phase::Closing {
                self.take_outcome(&call, files, &output);
            }
            self.ledger
                .answer_call((&call.id, &call.name), output, None, &mut self.outbox);
        }
        for call in stopped {
            self.ledger
                .answer_call((&call.id, &call.name), cancelled(), None, &mut self.outbox);
        }
        if self.example_answered(&whole.text, has_calls) {
            return;
        }
        if asked_in == Phase::Closing || !has_calls {
            return self.close();
        }
        self.enter(Phase::Working);
        self.go_on();
    }

    /// Does what helps against an answer that is not whole, or ends the turn.
    fn broke_off(&mut self, whole: Whole, error: &ProviderError) {
        let begun = !whole.is_empty();
        self.ledger
            .keep_broken(whole, "not run: the answer broke off", &mut self.outbox);
        let helped = match Trouble::of(error).remedy(begun) {
            // The words that are missing say what the user sees in the review.
            _ if self.phase == Phase::Closing => false,
            Remedy::GoOn => self.go_on_after(error),
            Remedy::Compact => self.compact_after(error),
            Remedy::InWords => self.put_tools_into_words(error),
            Remedy::Repeat | Remedy::Stop => false,
        };
        if !helped {
            self.give_up(error);
        }
    }

    fn give_up(&mut self, error: &ProviderError) {
        let mut fault = Fault::from(error);
        if matches!(Trouble::of(error), Trouble::Rejected | Trouble::Failing)
            && self.ledger.transcript().sends_images()
        {
            // Else every later request of the conversation would fail as well.
            fault.hint = Some(IMAGES_ARE_SENT.to_owned());
        }
        let mut end = TurnEnd::Failed;
        if self.natural_end() == TurnEnd::Review {
            if self.phase == Phase::Closing {
                let hint = "the edits are staged; only the closing words are missing";
                fault.hint = Some(hint.to_owned());
            }
            end = TurnEnd::Review;
        }
        self.outbox.emit(Event::Fault(fault));
        self.resume = false;
        self.end(end);
    }

    fn go_on_after(&mut self, error: &ProviderError) -> bool {
        let most = self.config.most_requests.max(1);
        let Some(turn) = &mut self.turn else {
            return false;
        };
        if turn.go_ons >= MOST_GO_ONS || turn.requests >= most {
            return false;
        }
        turn.go_ons += 1;
        let attempt = turn.go_ons + 1;
        let pause = pause(self.config.pause, turn.go_ons, error);
        self.outbox.emit(Event::Retrying {
            reason: error.to_string(),
            attempt,
            wait_ms: u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
        });
        self.ask_after(Phase::Asking, pause);
        true
    }

    fn compact_after(&mut self, error: &ProviderError) -> bool {
        if let Some(context) = context_in(error) {
            self.ledger.learn_context(context);
        }
        let first = self
            .turn
            .as_mut()
            .is_some_and(|turn| !std::mem::replace(&mut turn.compacted, true));
        if !first
            || !self
                .ledger
                .make_room_after_refusal(self.review.hunks(), &mut self.outbox)
        {
            return false;
        }
        self.outbox
            .inform(&format!("{error}; asking again with less"));
        self.ask(Phase::Asking);
        true
    }

    /// Asks again: the provider has learned of it, and puts the tools into words from now on.
    fn put_tools_into_words(&mut self, error: &ProviderError) -> bool {
        let Some(turn) = &mut self.turn else {
            return false;
        };
        if std::mem::replace(&mut turn.wordy, true) {
            return false;
        }
        self.outbox
            .inform(&format!("{error}; asking again with the tools in words"));
        self.ask(Phase::Asking);
        true
    }

    /// Tells the user what is odd about an answer.
    fn remark(&mut self, whole: &Whole) {
        if whole.stop == Some(StopReason::Length) {
            self.outbox
                .inform("the answer reached the model's length limit");
        } else if whole.is_empty() && self.phase == Phase::Asking {
            self.outbox.inform("the model gave an empty answer");
        }
    }
}

/// Returns how long to wait before the model is asked to go on.
fn pause(base: Duration, time: u32, error: &ProviderError) -> Duration {
    let patience = Schedule::default().patience;
    let own = base.saturating_mul(time);
    match error {
        ProviderError::Status {
            retry_after: Some(asked),
            ..
        } => (*asked).min(patience).max(own),
        _ => own,
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
