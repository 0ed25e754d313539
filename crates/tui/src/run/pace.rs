//! Frame pacing: text that streams in waits for the next frame, everything else is drawn at once.
//!
//! In: messages as they are taken, and when a frame was drawn. Out: whether the next one is due.

use std::time::{Duration, Instant};

use signoff_llm::session::{CallEvent, Event};

use crate::app::Msg;

/// The least time between frames that show nothing but streamed text: 60 in a second. A model that sends 200 tokens a
/// second would be drawn 200 times.
const BETWEEN: Duration = Duration::from_millis(16);

/// When frames are drawn.
pub(super) struct FramePace {
    drawn: Instant,
    /// Whether something was taken over that no frame shows yet.
    is_owed: bool,
    /// Whether it was more than streamed text.
    is_urgent: bool,
}

impl FramePace {
    /// Returns the pace after a first frame.
    pub(super) fn begin(now: Instant) -> Self {
        Self {
            drawn: now,
            is_owed: false,
            is_urgent: false,
        }
    }

    /// Takes over that a message is to be shown.
    pub(super) fn owe(&mut self, msg: &Msg) {
        self.is_owed = true;
        self.is_urgent |= !is_streamed(msg);
    }

    /// Returns how long the frame that is owed waits; nothing if none is.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        let left = BETWEEN.saturating_sub(now.saturating_duration_since(self.drawn));
        let left = if self.is_urgent { Duration::ZERO } else { left };
        self.is_owed.then_some(left)
    }

    /// Takes over that a frame was drawn.
    pub(super) fn drawn(&mut self, now: Instant) {
        *self = Self::begin(now);
    }
}

/// Returns whether a message only adds to text that streams in.
fn is_streamed(msg: &Msg) -> bool {
    matches!(
        msg,
        Msg::Session(
            Event::Text { .. }
                | Event::Reasoning { .. }
                | Event::Call(CallEvent::Progress { .. })
                | Event::Call(CallEvent::Output { .. })
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Msg {
        let text = "word".to_owned();
        Msg::Session(Event::Text { text })
    }

    #[test]
    fn text_waits_and_nothing_else_does() {
        let begun = Instant::now();
        let after = |millis| begun + Duration::from_millis(millis);
        let mut pace = FramePace::begin(begun);
        assert_eq!(pace.wait(after(1)), None);
        pace.owe(&text());
        assert_eq!(pace.wait(after(6)), Some(Duration::from_millis(10)));
        assert_eq!(pace.wait(after(16)), Some(Duration::ZERO));
        pace.owe(&Msg::Tick);
        pace.owe(&text());
        assert_eq!(pace.wait(after(6)), Some(Duration::ZERO));
        pace.drawn(after(6));
        assert_eq!(pace.wait(after(6)), None);
    }
}
