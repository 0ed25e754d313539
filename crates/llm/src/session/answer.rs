//! Handling an answer: its pieces, its end, a broken stream.
//!
//! In: pieces and the end. Out: events while it streams; then the round of its calls, or the
//! end of the turn. Only a whole answer has its calls run.

use std::time::Duration;

use super::calls::cancelled;
use super::triage::TriagedCalls;
use super::turn::by_example::runs_away;
use super::turn::reply::Whole;
use super::turn::{Beginning, Rest, Turn};
use super::{Effect, Event, Fault, Phase, RequestId, Session, TurnEnd};
use crate::provider::retry::Schedule;
use crate::provider::trouble::{Remedy, Trouble, context_in};
use crate::provider::{Delta, ProviderError, StopReason};

/// What can be done where a server does not take a request with images: few servers say that the images are the reason.
const IMAGES_ARE_SENT: &str = "the request holds images, which not every model takes: /attached lists them, /detach NAME takes \
     one out, /model picks another model";

impl Session {
    /// Takes a piece of an answer.
    pub(super) fn delta(&mut self, request: RequestId, delta: Delta) {
        let Some(reply) = self.turns.reply_to(request) else {
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
        let target = self.turns.current().and_then(Turn::target);
        if too_long {
            self.outbox.want(Effect::CancelRequest { request });
            self.request_ended(request, Err(cut("it is longer than any answer can be")));
        } else if target.is_some_and(|file| runs_away(file, bytes)) {
            self.outbox.want(Effect::CancelRequest { request });
            if let Some(reply) = self.turns.take_reply(request) {
                self.answered(reply.finish().0, Vec::new());
            }
        }
    }

    /// Asks again: the request that runs, or one that ended with a fault.
    pub(super) fn retry(&mut self) {
        if let Some(request) = self.turns.any_reply().map(|reply| reply.request()) {
            return self.ask_again(request);
        }
        match (self.turns.is_running(), self.turns.rest()) {
            (true, _) => self
                .outbox
                .inform("tools run; there is no request to send again"),
            (false, Rest::Faulted) => self.begin(Beginning::Again),
            // The answer was empty, or the process was killed before it came.
            (false, Rest::Plain) if self.ledger.is_unanswered() => self.begin(Beginning::Again),
            (false, Rest::Plain | Rest::Switching | Rest::Rewinding { .. }) => {
                self.outbox.inform("there is no request to send again");
            }
        }
    }

    fn ask_again(&mut self, request: RequestId) {
        self.outbox.want(Effect::CancelRequest { request });
        let Some(reply) = self.turns.take_reply(request) else {
            return;
        };
        self.ledger
            .keep_broken(reply.finish().0, "not run: asked again", &mut self.outbox);
        self.outbox.emit(Event::Retrying {
            reason: "you asked again".to_owned(),
            attempt: 2,
            wait_ms: 0,
        });
        self.ask(self.turns.phase());
    }

    /// Takes the end of an answer. One that just stops, without saying so, is broken off.
    pub(super) fn request_ended(&mut self, request: RequestId, result: Result<(), ProviderError>) {
        let Some(mut reply) = self.turns.take_reply(request) else {
            return;
        };
        let unread = match result {
            Ok(()) => self.read_text(&mut reply),
            Err(_) => Vec::new(),
        };
        let (whole, intents) = reply.finish();
        match result {
            Ok(()) if whole.stop.is_some() => {
                self.outbox.emit_all(intents);
                let by_example = self.turns.current().and_then(Turn::target).is_some();
                match unfinished(&whole, self.turns.phase()).filter(|_| !by_example) {
                    Some(Unfinished::AtLimit) => {
                        self.broke_off(whole, &cut("it reached the model's length limit"));
                    }
                    Some(Unfinished::Withheld(why)) => {
                        self.ledger.append_answer(&whole);
                        self.give_up(&cut(&format!("the server withheld the rest ({why})")));
                    }
                    None => self.answered(whole, unread),
                }
            }
            Ok(()) => self.broke_off(whole, &cut("the server stopped in the middle of it")),
            Err(error) => self.broke_off(whole, &error),
        }
    }

    /// Takes what has come of an answer as all of it: the user has stopped the call that still came in.
    pub(super) fn cut_short(&mut self) {
        let Some(request) = self.turns.any_reply().map(|reply| reply.request()) else {
            return;
        };
        self.outbox.want(Effect::CancelRequest { request });
        let Some(reply) = self.turns.take_reply(request) else {
            return;
        };
        let (mut whole, intents) = reply.finish();
        whole.stop = Some(StopReason::ToolCalls);
        self.outbox.emit_all(intents);
        self.answered(whole, Vec::new());
    }

    /// Carries out what a whole answer asks for. What it only shows is pointed out if it asks for nothing.
    fn answered(&mut self, whole: Whole, unread: Vec<String>) {
        let asked_in = self.turns.phase();
        let odd = remark(&whole, asked_in);
        if let Some(odd) = odd {
            let hint = if odd == EMPTY && self.config.attended {
                "; /retry asks again"
            } else {
                ""
            };
            self.outbox.inform(&format!("{odd}{hint}"));
        }
        self.ledger.append_answer(&whole);
        let is_unmet = whole.stop == Some(StopReason::Unmet);
        let (text, has_calls) = (whole.text.clone(), !whole.calls.is_empty());
        let is_limited = self.only().is_some();
        let TriagedCalls {
            round,
            refused,
            stopped,
        } = TriagedCalls::of(
            whole,
            &self.config,
            (asked_in, is_limited),
            self.turns.modes.now,
        );
        if let Some(turn) = self.turns.current_mut() {
            turn.begin_round(round, is_unmet);
        }
        for refusal in refused {
            // A call that the gate refuses has not failed: it was not to be made.
            let is_failed = asked_in != Phase::Closing;
            if let Some(turn) = self.turns.current_mut() {
                turn.take_refusal(&refusal, is_failed, &self.config.tools, &mut self.ledger);
            }
            self.answer(&refusal.call, refusal.output);
        }
        for call in stopped {
            self.answer(&call, cancelled());
        }
        let turn = self.turns.current_mut();
        let again = turn.and_then(|turn| turn.answer_example(&text, has_calls));
        if again.is_some_and(|target| self.ask_in_next_form(target)) {
            return;
        }
        if self.point_out(unread, has_calls) {
            return;
        }
        if asked_in == Phase::Closing {
            self.turns.going_on.closing_answer(&text, has_calls);
        }
        if asked_in == Phase::Closing || !has_calls {
            return self.close_after(text);
        }
        self.turns.enter(Phase::Working, &mut self.outbox);
        self.go_on();
    }

    /// Does what helps against an answer that is not whole, or ends the turn.
    fn broke_off(&mut self, whole: Whole, error: &ProviderError) {
        let begun = !whole.is_empty();
        self.ledger
            .keep_broken(whole, "not run: the answer broke off", &mut self.outbox);
        let helped = match Trouble::of(error).remedy(begun) {
            // The words that are missing say what the user sees in the review.
            _ if self.turns.phase() == Phase::Closing => false,
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
        let is_staged = self.natural_end() == TurnEnd::Review;
        // What was staged before a fault in the middle of the work may be half of what was asked: it is not the turn's result.
        let end = if is_staged && self.turns.phase() == Phase::Closing {
            fault.hint =
                Some("the edits are staged; only the closing words are missing".to_owned());
            TurnEnd::Review
        } else {
            TurnEnd::Failed
        };
        self.outbox.emit(Event::Fault(fault));
        self.turns.forget_resuming();
        self.end(end);
    }

    fn go_on_after(&mut self, error: &ProviderError) -> bool {
        let most = self.config.most_requests();
        let turn = self.turns.current_mut();
        let Some(times) = turn.and_then(|turn| turn.go_on_again(most)) else {
            return false;
        };
        let attempt = times + 1;
        let pause = pause(self.config.pause, times, error);
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
        let first = self.turns.current_mut().is_some_and(Turn::may_compact);
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
        let turn = self.turns.current_mut();
        if !turn.is_some_and(Turn::may_use_words) {
            return false;
        }
        self.outbox
            .inform(&format!("{error}; asking again with the tools in words"));
        self.ask(Phase::Asking);
        true
    }
}

/// Why an answer that the server ended is not the model's last word.
enum Unfinished {
    AtLimit,
    /// In the server's word.
    Withheld(String),
}

/// What servers call it when their filter stops an answer.
const FILTERS: [&str; 9] = [
    "blocked",
    "image_safety",
    "content_filter",
    "refusal",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
];

/// Returns why an answer without calls is not the last word of the work: its edits would be written as if they were all.
fn unfinished(whole: &Whole, asked_in: Phase) -> Option<Unfinished> {
    if asked_in != Phase::Asking || !whole.calls.is_empty() {
        return None;
    }
    match &whole.stop {
        Some(StopReason::Length) => Some(Unfinished::AtLimit),
        Some(StopReason::Other(word)) if FILTERS.contains(&word.as_str()) => {
            Some(Unfinished::Withheld(word.clone()))
        }
        _ => None,
    }
}

/// Said of an answer without words and calls.
const EMPTY: &str = "the model gave an empty answer";

/// Returns what is odd about the answer to a request made in a phase, if something is.
fn remark(whole: &Whole, asked_in: Phase) -> Option<&'static str> {
    if whole.stop == Some(StopReason::Length) {
        Some("the answer reached the model's length limit")
    } else if whole.is_empty() && asked_in == Phase::Asking {
        Some(EMPTY)
    } else {
        None
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
