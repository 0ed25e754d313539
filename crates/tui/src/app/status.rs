//! State of the status line.
//!
//! In: events and the time. Out: who answers, what runs and for how long.

use signoff_core::id::Timestamp;
use signoff_llm::provider::About;
use signoff_llm::session::Phase;
use signoff_llm::usage::{Fill, UsageTotal};

/// A server that says nothing for so long is worth a word.
const SILENCE_SECONDS: i64 = 10;

/// What is shown until a turn has stopped.
const STOPPING: &str = "Stopping";

/// What the status line knows.
#[derive(Debug, Default)]
pub(crate) struct Status {
    about: Option<About>,
    phase: Phase,
    submitted: bool,
    since: Option<Timestamp>,
    heard: Timestamp,
    retry: Option<String>,
    spent: UsageTotal,
    fill: Option<Fill>,
    notice: Option<String>,
    hooks: Vec<String>,
}

impl Status {
    /// Returns who answers, once known.
    pub(crate) fn about(&self) -> Option<&About> {
        self.about.as_ref()
    }

    /// Takes over which hooks there are.
    pub(super) fn know_hooks(&mut self, lines: Vec<String>) {
        self.hooks = lines;
    }

    /// Returns which hooks there are, and whether they run.
    pub(super) fn hooks(&self) -> &[String] {
        &self.hooks
    }

    /// Returns what the conversation has taken so far.
    pub(crate) fn taken(&self) -> UsageTotal {
        self.spent
    }

    /// Returns how full the model's memory is, in percent, where that is known.
    pub(crate) fn full(&self) -> Option<u64> {
        let fill = self.fill?;
        (fill.tokens.saturating_mul(100)).checked_div(fill.of)
    }

    /// Returns the line that is shown until the next key.
    pub(crate) fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Returns what is being tried again, and why.
    pub(crate) fn retry(&self) -> Option<&str> {
        self.retry.as_deref()
    }

    /// Returns true once the session takes prompts.
    pub(crate) fn is_ready(&self) -> bool {
        self.about.is_some()
    }

    /// Returns true while a request or tools run.
    pub(crate) fn is_busy(&self) -> bool {
        self.submitted || matches!(self.phase, Phase::Asking | Phase::Working | Phase::Closing)
    }

    /// Returns true if nothing runs and nothing waits for the user.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_ready() && !self.submitted && self.phase == Phase::Idle
    }

    /// Returns the phase in a word.
    pub(crate) fn word(&self) -> &'static str {
        if !self.is_ready() {
            return "starting";
        }
        match self.phase {
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
        let asks = matches!(self.phase, Phase::Asking | Phase::Closing);
        Some(seconds(self.heard, now)).filter(|silent| asks && *silent >= SILENCE_SECONDS)
    }

    /// Takes over who answers.
    pub(crate) fn ready(&mut self, about: About) {
        self.about = Some(about);
    }

    /// Takes over that the session said something.
    pub(crate) fn heard(&mut self, now: Timestamp) {
        self.heard = now;
    }

    /// Takes over the phase.
    pub(crate) fn set_phase(&mut self, phase: Phase, now: Timestamp) {
        let was_busy = self.is_busy();
        self.phase = phase;
        self.retry = None;
        // Rest after an earlier turn says nothing about a prompt that is on its way.
        self.submitted &= matches!(phase, Phase::Idle | Phase::AwaitingReview);
        self.note_start(was_busy, now);
    }

    /// Takes over that a prompt was handed to the session.
    pub(crate) fn submitted(&mut self, now: Timestamp) {
        let was_busy = self.is_busy();
        self.submitted = true;
        self.heard = now;
        self.note_start(was_busy, now);
    }

    /// Takes over that nothing will come of what was handed to the session.
    pub(crate) fn settled(&mut self) {
        self.submitted = false;
        self.retry = None;
    }

    /// Takes over that something is tried again.
    pub(crate) fn retrying(&mut self, line: String) {
        self.retry = Some(line);
    }

    /// Takes over that more of the answer came.
    pub(crate) fn flowing(&mut self) {
        self.retry = None;
    }

    /// Takes over what was spent.
    pub(crate) fn spent(&mut self, spent: UsageTotal, fill: Option<Fill>) {
        self.spent = spent;
        self.fill = fill.or(self.fill);
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
    use super::*;

    #[test]
    fn counts_from_the_prompt_and_notices_silence() {
        let mut status = Status::default();
        assert_eq!(status.word(), "starting");
        status.ready(About {
            provider: String::new(),
            model: String::new(),
            endpoint: String::new(),
        });
        assert_eq!(
            (status.word(), status.elapsed(Timestamp(0))),
            ("ready", None)
        );
        status.submitted(Timestamp(1_000));
        status.set_phase(Phase::Asking, Timestamp(2_000));
        status.heard(Timestamp(2_000));
        assert_eq!(status.elapsed(Timestamp(4_500)), Some(3));
        assert_eq!(status.silence(Timestamp(11_000)), None);
        assert_eq!(status.silence(Timestamp(12_000)), Some(10));
        status.set_phase(Phase::Idle, Timestamp(13_000));
        assert_eq!(status.elapsed(Timestamp(14_000)), None);
    }
}
