//! State of the status line.
//!
//! In: events and the time. Out: who answers, what runs and for how long.

use signoff_core::id::Timestamp;
use signoff_llm::session::{ConversationState, Event, Phase};

/// A server that says nothing for so long is worth a word.
const SILENCE_SECONDS: i64 = 10;

/// What is shown until a turn has stopped.
const STOPPING: &str = "Stopping";

/// What the status line knows.
#[derive(Debug, Default)]
pub(crate) struct Status {
    conversation: ConversationState,
    /// Whether a prompt was handed to the session of which that said nothing yet.
    submitted: bool,
    since: Option<Timestamp>,
    heard: Timestamp,
    notice: Option<String>,
}

impl Status {
    /// Returns what the session said of the conversation.
    pub(crate) fn conversation(&self) -> &ConversationState {
        &self.conversation
    }

    /// Takes an event of the session.
    pub(crate) fn take(&mut self, event: &Event, now: Timestamp) {
        let was_busy = self.is_busy();
        self.conversation.apply(event);
        match event {
            // Silence is not heard.
            Event::Stalled { .. } => return,
            // Rest after an earlier turn says nothing about a prompt that is on its way.
            Event::Phase { phase } => self.submitted &= !phase.is_busy(),
            // Nothing comes of what was handed over.
            Event::Fault(_) => self.submitted = false,
            _ => {}
        }
        self.heard = now;
        self.note_start(was_busy, now);
    }

    /// Returns how full the model's memory is, in percent, where that is known.
    pub(crate) fn full(&self) -> Option<u64> {
        let fill = self.conversation.context?;
        (fill.tokens.saturating_mul(100)).checked_div(fill.of)
    }

    /// Returns the line that is shown until the next key.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Returns true once the session takes prompts.
    pub(crate) fn is_ready(&self) -> bool {
        self.conversation.about.is_some()
    }

    /// Returns true while a request or tools run.
    pub(crate) fn is_busy(&self) -> bool {
        self.submitted || self.conversation.phase.is_busy()
    }

    /// Returns true if nothing runs and nothing waits for the user.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_ready() && !self.submitted && self.conversation.phase == Phase::Idle
    }

    /// Returns the phase in a word.
    pub(crate) fn word(&self) -> &'static str {
        if !self.is_ready() {
            return "starting";
        }
        match self.conversation.phase {
            Phase::Asking => "asking",
            Phase::Working => "working",
            Phase::Closing => "finishing",
            Phase::Idle | Phase::AwaitingReview if self.submitted => "asking",
            Phase::AwaitingReview => "review",
            Phase::Idle => "ready",
        }
    }

    /// Returns for how many seconds something has been running.
    pub(crate) fn elapsed(&self, now: Timestamp) -> Option<i64> {
        self.is_busy()
            .then(|| seconds(self.since.unwrap_or(now), now))
    }

    /// Returns for how many seconds a running request has been silent, if for long.
    pub(crate) fn silence(&self, now: Timestamp) -> Option<i64> {
        let asks = matches!(self.conversation.phase, Phase::Asking | Phase::Closing);
        Some(seconds(self.heard, now)).filter(|silent| asks && *silent >= SILENCE_SECONDS)
    }

    /// Takes over that a prompt was handed to the session.
    pub(crate) fn submitted(&mut self, now: Timestamp) {
        let was_busy = self.is_busy();
        self.submitted = true;
        self.heard = now;
        self.note_start(was_busy, now);
    }

    /// Shows a line until the next key.
    pub(crate) fn say(&mut self, line: impl Into<String>) {
        self.notice = Some(line.into());
    }

    /// Takes the line away.
    pub(crate) fn hush(&mut self) {
        self.notice = None;
    }

    /// Says that the turn is to stop.
    pub(crate) fn stopping(&mut self) {
        self.say(STOPPING);
    }

    /// Takes over that the turn has stopped.
    pub(crate) fn stopped(&mut self) {
        if self.notice() == Some(STOPPING) {
            self.hush();
        }
    }

    fn note_start(&mut self, was_busy: bool, now: Timestamp) {
        match (was_busy, self.is_busy()) {
            (false, true) => self.since = Some(now),
            (_, false) => self.since = None,
            (true, true) => {}
        }
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> i64 {
    to.0.saturating_sub(from.0).max(0) / 1000
}

#[cfg(test)]
mod tests {
    use signoff_llm::provider::About;

    use super::*;

    #[test]
    fn counts_from_the_prompt_and_notices_silence() {
        let mut status = Status::default();
        assert_eq!(status.word(), "starting");
        let about = About {
            provider: String::new(),
            model: String::new(),
            endpoint: String::new(),
        };
        let ready = Event::Ready { about, hint: None };
        status.take(&ready, Timestamp(0));
        assert_eq!(
            (status.word(), status.elapsed(Timestamp(0))),
            ("ready", None)
        );
        status.submitted(Timestamp(1_000));
        let phase = |phase| Event::Phase { phase };
        status.take(&phase(Phase::Asking), Timestamp(2_000));
        assert_eq!(status.elapsed(Timestamp(4_500)), Some(3));
        assert_eq!(status.silence(Timestamp(11_000)), None);
        assert_eq!(status.silence(Timestamp(12_000)), Some(10));
        status.take(&phase(Phase::Idle), Timestamp(13_000));
        assert_eq!(status.elapsed(Timestamp(14_000)), None);
    }
}
