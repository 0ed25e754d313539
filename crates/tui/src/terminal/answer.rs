//! What the terminal answers about its background, told from keys.
//!
//! In: events of the terminal, in order. Out: the same events without an answer to [`ASK_GROUND`], and the answer.
//!
//! Example: `ESC ] 1 1 ; r g b : 1 e 1 e / 1 e 1 e / 1 e 1 e BEL` reaches the program as Alt-], letters, and Ctrl-G, since the
//! library knows no such sequences. Where it comes in two pieces, it may begin with Esc and `]`. It may come at any time, or
//! never: no key waits for it, but for one that begins like it.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::theme::Ground;

/// Asks for the colour of the background (OSC 11).
pub(crate) const ASK_GROUND: &str = "\x1b]11;?\x07";

/// What every answer begins with, after Esc.
const HEAD: &str = "]11;";

/// The longest answer is `rgba:ffff/ffff/ffff/ffff`.
const LONGEST: usize = 24;

/// Takes answers out of events.
#[derive(Debug, Default)]
pub(crate) struct AnswerFilter {
    state: State,
}

#[derive(Debug)]
enum State {
    /// No answer has begun; whether the last key was Esc.
    Between { is_after_esc: bool },
    /// What may begin one.
    Head(Vec<Event>),
    /// The colour, as far as it has come.
    Body(String),
    /// The colour has come, and the first of the two characters behind it.
    End(String),
}

impl Default for State {
    fn default() -> Self {
        Self::Between {
            is_after_esc: false,
        }
    }
}

/// What comes of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sorted {
    /// These are events of the user's; none while they may be part of an answer.
    Events(Vec<Event>),
    /// The terminal answered.
    Ground(Ground),
}

impl AnswerFilter {
    /// Takes over an event.
    pub(crate) fn sort(&mut self, event: Event) -> Sorted {
        let Event::Key(key) = event else {
            // A new size may come in between.
            return Sorted::Events(vec![event]);
        };
        match std::mem::take(&mut self.state) {
            State::Between { is_after_esc } => self.begin(key, is_after_esc),
            State::Head(mut held) => {
                let expected = HEAD.chars().nth(held.len());
                let is_next = plain(key) == expected;
                held.push(event);
                if !is_next {
                    return Sorted::Events(held);
                }
                self.state = if held.len() < HEAD.len() {
                    State::Head(held)
                } else {
                    State::Body(String::new())
                };
                Sorted::Events(Vec::new())
            }
            State::Body(name) => self.go_on(name, key),
            // The second character of the end, or a key that has nothing to do with it.
            State::End(name) => match plain(key) {
                Some('\\') => ground(&name),
                _ => Sorted::Events(vec![event]),
            },
        }
    }

    fn begin(&mut self, key: KeyEvent, is_after_esc: bool) -> Sorted {
        if is_alt(key, ']') || is_after_esc && plain(key) == Some(']') {
            self.state = State::Head(vec![Event::Key(key)]);
            return Sorted::Events(Vec::new());
        }
        self.state = State::Between {
            is_after_esc: key.code == KeyCode::Esc,
        };
        Sorted::Events(vec![Event::Key(key)])
    }

    fn go_on(&mut self, mut name: String, key: KeyEvent) -> Sorted {
        if is_bell(key) || is_alt(key, '\\') {
            return ground(&name);
        }
        match plain(key) {
            _ if key.code == KeyCode::Esc => self.state = State::End(name),
            Some(c) if name.len() < LONGEST => {
                name.push(c);
                self.state = State::Body(name);
            }
            _ => return Sorted::Events(vec![Event::Key(key)]),
        }
        Sorted::Events(Vec::new())
    }

    /// Tells whether a key is held back that may begin an answer.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.state, State::Head(_))
    }

    /// Returns the keys that were held back: nothing followed them.
    pub(crate) fn release(&mut self) -> Vec<Event> {
        match std::mem::take(&mut self.state) {
            State::Head(held) => held,
            state => {
                self.state = state;
                Vec::new()
            }
        }
    }
}

/// Returns what a whole answer says. One that says something else is no fault.
fn ground(name: &str) -> Sorted {
    let ground = Ground::from_x_name(name);
    ground.map_or_else(|| Sorted::Events(Vec::new()), Sorted::Ground)
}

/// Returns the character that a key is in an answer.
fn plain(key: KeyEvent) -> Option<char> {
    match (key.code, key.modifiers.difference(KeyModifiers::SHIFT)) {
        (KeyCode::Char(c), KeyModifiers::NONE) if c.is_ascii() => Some(c),
        _ => None,
    }
}

fn is_alt(key: KeyEvent, c: char) -> bool {
    key.code == KeyCode::Char(c) && key.modifiers == KeyModifiers::ALT
}

/// The character 7, which ends an answer, is that of Ctrl-G.
fn is_bell(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the events of a text: `^` is Alt with the next character, `@` Ctrl, `!` Esc.
    fn events(text: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut modifiers = KeyModifiers::NONE;
        for c in text.chars() {
            match c {
                '^' => modifiers = KeyModifiers::ALT,
                '@' => modifiers = KeyModifiers::CONTROL,
                '!' => events.push(Event::Key(KeyCode::Esc.into())),
                c => {
                    events.push(Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers)));
                    modifiers = KeyModifiers::NONE;
                }
            }
        }
        events
    }

    fn check(come: &str, left: &str, expected: Option<[u8; 3]>) {
        let mut filter = AnswerFilter::default();
        let (mut passed, mut answer) = (Vec::new(), None);
        for event in events(come) {
            match filter.sort(event) {
                Sorted::Events(events) => passed.extend(events),
                Sorted::Ground(ground) => answer = Some(ground),
            }
        }
        passed.extend(filter.release());
        assert_eq!(passed, events(left), "{come}");
        assert_eq!(answer, expected.map(Ground::Rgb), "{come}");
    }

    #[test]
    fn an_answer_is_no_key_whichever_way_it_comes() {
        let white = Some([255; 3]);
        check("^]11;rgb:ffff/ffff/ffff^\\", "", white);
        check("^]11;rgb:FF/FF/FF@g", "", white);
        check("^]11;rgba:ffff/ffff/ffff/0000@g", "", white);
        // Keys before and behind it.
        check("ab^]11;rgb:0000/0000/0000^\\cd", "abcd", Some([0; 3]));
        // In pieces, at either Esc.
        check("!]11;rgb:ffff/ffff/ffff@g", "!", white);
        check("^]11;rgb:ffff/ffff/ffff!\\x", "x", white);
        check("!]11;rgb:ffff/ffff/ffff!\\", "!", white);
        // It says nothing that is known.
        check("^]11;none@gx", "x", None);
    }

    #[test]
    fn keys_that_begin_like_an_answer_are_keys() {
        check("^]", "^]", None);
        check("^]1", "^]1", None);
        check("^]12", "^]12", None);
        check("^]x", "^]x", None);
        check("!]1;", "!]1;", None);
        check("]11;rgb:ffff/ffff/ffff", "]11;rgb:ffff/ffff/ffff", None);
        check("!x]11;", "!x]11;", None);
        check("^[^]^]", "^[^]^]", None);
    }

    /// What never ends swallows no more than an answer is long.
    #[test]
    fn an_answer_that_breaks_off_does_not_take_the_keyboard() {
        let mut filter = AnswerFilter::default();
        let mut passed = 0;
        for event in events(&format!("^]11;{}", "f".repeat(100))) {
            if let Sorted::Events(events) = filter.sort(event) {
                passed += events.len();
            }
        }
        assert_eq!(passed, 100 - LONGEST);
    }
}
