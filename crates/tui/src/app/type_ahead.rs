//! Type-ahead guard: whether a key counts as an answer to what is on the screen.
//!
//! In: what asks for an answer, frames and keys, with their times in milliseconds. Out: whether a
//! key may answer, and when to ask again.
//!
//! Example: `A` asks a question, which is on the screen at 0. `A` at 400 is no answer, and at 700 it is one. Where the key is
//! held down it repeats at 400, 430, 460: each repeat begins the pause anew, and none answers. So does another key: it may
//! be the next letter of a word.

use ratatui::crossterm::event::KeyEvent;
use signoff_core::id::Timestamp;

/// Pause after something opened or asked: longer than the gap between two letters of a word
/// (`letters_of_a_word_answer_nothing`).
const SETTLE: i64 = 600;

/// Pause after rows of the review were displayed for the first time: a reaction time, longer than
/// the interval of a key that is held down (`a_key_that_is_held_down_approves_no_row_of_an_instant`).
const GLANCE: i64 = 300;

/// Presses of one key that are closer together than this are repeats of a key that is held down, and begin a pause anew.
/// Those further apart are deliberate: a pause that each of them began anew would never end (`deliberate_presses_go_on`).
const BURST: i64 = 250;

/// How long nothing was typed before something may take the keyboard by itself
/// (`the_review_waits_for_a_second_without_a_key`).
const UNDISTURBED: i64 = 1_000;

/// A clock that goes back by more than this was set by somebody.
const CLOCK_SET: i64 = 60_000;

/// Why keys do not count as answers yet. A later one takes the place of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// Rows of the review that no frame had shown before.
    Rows,
    /// A question, or the next page of what is being confirmed.
    Question,
    /// A letter that means nothing here: the user may be in the middle of a word.
    Stray,
    /// A page that opened, or a new proposal in an open review.
    Opened,
    /// Something that took the keyboard by itself: the user may be in the middle of a word.
    Taken,
}

impl Cause {
    fn pause(self) -> i64 {
        match self {
            Self::Rows => GLANCE,
            Self::Question | Self::Stray | Self::Opened | Self::Taken => SETTLE,
        }
    }
}

/// Since when a pause has lasted; nothing until a frame has shown its cause.
#[derive(Clone, Copy, Debug)]
struct Wait {
    cause: Cause,
    since: Option<Timestamp>,
}

/// Whether keys count as answers.
#[derive(Debug, Default)]
pub(crate) struct TypeAhead {
    wait: Option<Wait>,
    typed: Option<Timestamp>,
    /// The key that was pressed last.
    pressed: Option<KeyEvent>,
}

impl TypeAhead {
    /// Keys count as answers only after a frame and a pause.
    pub(crate) fn begin(&mut self, cause: Cause) {
        if self.wait.is_none_or(|wait| wait.cause <= cause) {
            self.wait = Some(Wait { cause, since: None });
        }
    }

    /// Takes over that the user chose what has the keyboard: no key is for what had it before.
    pub(crate) fn chosen(&mut self) {
        if let Some(wait) = &mut self.wait
            && wait.cause == Cause::Taken
        {
            wait.cause = Cause::Opened;
        }
    }

    /// Takes over that a frame is on the screen.
    pub(crate) fn framed(&mut self, now: Timestamp) {
        if let Some(wait) = &mut self.wait {
            wait.since.get_or_insert(now);
        }
    }

    /// Takes over that a key was pressed, or that something was pasted. It is an answer if nothing is returned. A key that
    /// is `among` the answers begins the pause anew, unless it is the deliberate press of the same key again.
    pub(crate) fn key(
        &mut self,
        now: Timestamp,
        key: Option<KeyEvent>,
        among: bool,
    ) -> Option<Cause> {
        let before = self.typed.replace(now);
        let is_burst = before.is_some_and(|before| now.0.saturating_sub(before.0) < BURST);
        let is_same = std::mem::replace(&mut self.pressed, key) == key && key.is_some();
        self.tick(now);
        let wait = self.wait.as_mut()?;
        let is_deliberate = is_same && !is_burst && wait.cause != Cause::Taken;
        let begins_anew = among && !is_deliberate;
        if begins_anew && let Some(since) = &mut wait.since {
            *since = (*since).max(now);
        }
        Some(wait.cause)
    }

    /// Takes over that time went by.
    pub(crate) fn tick(&mut self, now: Timestamp) {
        let Some(Wait {
            cause,
            since: Some(since),
        }) = &mut self.wait
        else {
            return;
        };
        let passed = now.0.saturating_sub(since.0);
        if passed >= cause.pause() {
            self.wait = None;
        } else if passed < -CLOCK_SET {
            *since = now;
        }
    }

    /// Returns true while keys do not count as answers.
    pub(crate) fn waits(&self) -> bool {
        self.wait.is_some()
    }

    /// Returns why keys do not count as answers.
    pub(crate) fn waits_for(&self) -> Option<Cause> {
        self.wait.map(|wait| wait.cause)
    }

    /// Returns true if nothing was typed for so long that something may take the keyboard.
    pub(crate) fn is_undisturbed(&self, now: Timestamp) -> bool {
        self.undisturbed_at().is_none_or(|at| {
            let left = at.0.saturating_sub(now.0);
            left <= 0 || left > CLOCK_SET
        })
    }

    /// Returns when something may take the keyboard.
    pub(crate) fn undisturbed_at(&self) -> Option<Timestamp> {
        let typed = self.typed?;
        Some(Timestamp(typed.0.saturating_add(UNDISTURBED)))
    }

    /// Returns when keys count as answers, once that is known.
    pub(crate) fn answers_at(&self) -> Option<Timestamp> {
        let wait = self.wait?;
        Some(Timestamp(wait.since?.0.saturating_add(wait.cause.pause())))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::KeyCode;

    use super::*;

    /// What happens, and when.
    enum Step {
        Begin(Cause),
        Frame,
        Key(Option<Cause>),
        Other(Option<Cause>),
    }

    #[test]
    fn a_key_answers_after_a_frame_and_a_pause() {
        use Cause::{Opened, Question, Rows, Taken};
        use Step::{Begin, Frame, Key, Other};
        let check = |steps: &[(i64, Step)]| {
            let mut guard = TypeAhead::default();
            for (at, step) in steps {
                let now = Timestamp(*at);
                let press = |guard: &mut TypeAhead, letter: char| {
                    guard.key(now, Some(KeyCode::Char(letter).into()), true)
                };
                match step {
                    Begin(cause) => guard.begin(*cause),
                    Frame => guard.framed(now),
                    Key(expected) => assert_eq!(press(&mut guard, 'a'), *expected, "at {at}"),
                    Other(expected) => assert_eq!(press(&mut guard, 'b'), *expected, "at {at}"),
                }
            }
        };
        check(&[(0, Key(None))]);
        check(&[(0, Begin(Opened)), (9_000, Key(Some(Opened)))]);
        check(&[
            (0, Begin(Opened)),
            (10, Frame),
            (609, Key(Some(Opened))),
            (858, Key(Some(Opened))),
            (1_107, Key(Some(Opened))),
            (1_707, Key(None)),
            (1_708, Key(None)),
        ]);
        // Presses of a person: those that are refused begin nothing anew, unless they are of several keys.
        check(&[
            (0, Key(None)),
            (0, Begin(Question)),
            (0, Frame),
            (300, Key(Some(Question))),
            (599, Key(Some(Question))),
            (900, Key(None)),
        ]);
        check(&[
            (0, Key(None)),
            (0, Begin(Question)),
            (0, Frame),
            (500, Other(Some(Question))),
            (1_000, Key(Some(Question))),
            (1_300, Key(Some(Question))),
            (1_600, Key(None)),
        ]);
        // Unless the keyboard was taken: they are meant for something else.
        check(&[
            (0, Begin(Taken)),
            (0, Frame),
            (500, Key(Some(Taken))),
            (1_000, Key(Some(Taken))),
            (1_600, Key(None)),
        ]);
        // A key that was read before the frame, and handled after it.
        check(&[
            (0, Begin(Question)),
            (900, Frame),
            (100, Key(Some(Question))),
            (1_499, Key(Some(Question))),
        ]);
        check(&[(0, Begin(Rows)), (0, Frame), (300, Key(None))]);
        check(&[
            (0, Begin(Opened)),
            (0, Frame),
            (0, Begin(Rows)),
            (300, Key(Some(Opened))),
        ]);
        // The clock was set back by an hour.
        check(&[
            (3_600_000, Begin(Opened)),
            (3_600_000, Frame),
            (0, Key(Some(Opened))),
            (600, Key(None)),
        ]);
    }
}
