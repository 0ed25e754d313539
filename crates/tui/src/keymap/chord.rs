//! Notation of key chords.
//!
//! In: keys and what they do. Out: chords and bindings.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use super::{Action, Binding, Chord, Context};

pub(super) const fn key(code: KeyCode) -> Chord {
    (code, KeyModifiers::NONE)
}

pub(super) const fn plain(c: char) -> Chord {
    key(KeyCode::Char(c))
}

pub(super) const fn ctrl(c: char) -> Chord {
    (KeyCode::Char(c), KeyModifiers::CONTROL)
}

pub(super) const fn alt(c: char) -> Chord {
    (KeyCode::Char(c), KeyModifiers::ALT)
}

pub(super) const fn with_ctrl(code: KeyCode) -> Chord {
    (code, KeyModifiers::CONTROL)
}

pub(super) const fn with_alt(code: KeyCode) -> Chord {
    (code, KeyModifiers::ALT)
}

pub(super) const fn with_shift(code: KeyCode) -> Chord {
    (code, KeyModifiers::SHIFT)
}

pub(super) const fn bind(
    context: Context,
    id: &'static str,
    keys: &'static [Chord],
    action: Action,
    name: &'static str,
    does: &'static str,
) -> Binding {
    Binding {
        context,
        id,
        keys,
        action,
        name,
        does,
        hint: None,
    }
}

impl Binding {
    pub(super) const fn hint(mut self, word: &'static str) -> Self {
        self.hint = Some(word);
        self
    }
}
