//! Effective key map: the built-in table with the user's changes.
//!
//! In: a key and its context. Out: what it means, and the names of the keys of an action.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{
    Binding, Chord, Context, KeyMark, TABLES, base_chord, by_base_layout, key_name, normal, wider,
};
use crate::review::KeyNames;

/// A row of the table with the keys that it has now.
#[derive(Clone, Debug)]
pub struct KeyLine {
    /// The row as it is built in.
    pub binding: &'static Binding,
    /// Its keys; the built-in ones are read once they are asked for, which those of most rows are not before the first frame.
    keys: OnceLock<Vec<Chord>>,
    /// The names that help shows; empty for a row without keys, or whose keys another row names.
    names: OnceLock<String>,
}

impl KeyLine {
    fn built_in(binding: &'static Binding) -> Self {
        Self {
            binding,
            keys: OnceLock::new(),
            names: OnceLock::new(),
        }
    }

    pub(super) fn new(binding: &'static Binding, keys: Vec<Chord>) -> Self {
        let mut line = Self {
            keys: keys.into(),
            ..Self::built_in(binding)
        };
        if line.is_changed() {
            line.name_all();
        }
        line
    }

    pub(super) fn keys(&self) -> &[Chord] {
        self.keys.get_or_init(|| self.binding.chords())
    }

    /// Returns true if the keys are not the built-in ones.
    pub(super) fn is_changed(&self) -> bool {
        self.keys() != self.binding.chords()
    }

    /// Names each key in help.
    pub(super) fn name_all(&mut self) {
        self.names = self.all_names().into();
    }

    /// Returns the names of all its keys.
    pub fn all_names(&self) -> String {
        let names: Vec<String> = self
            .keys()
            .iter()
            .map(|key| key_name::shown(*key))
            .collect();
        names.join(", ")
    }

    /// Returns the names that help shows; empty for a row without keys, or whose keys another row names.
    pub(crate) fn names(&self) -> &str {
        self.names.get_or_init(|| self.binding.names())
    }

    /// Returns the name of its first key, as far as help names any.
    pub(crate) fn first_name(&self) -> Option<&str> {
        let first = self.names().split(", ").next();
        first.filter(|name| !name.is_empty())
    }
}

/// A key that the status line shows.
#[derive(Clone, Debug)]
pub(crate) struct KeyHint {
    /// Its name.
    pub(crate) key: String,
    /// What it does, in a word.
    pub(crate) word: &'static str,
    pub(crate) binding: &'static Binding,
}

/// Which keys mean what. A copy costs nothing.
#[derive(Clone, Debug)]
pub struct KeyMap(pub(super) Arc<[KeyLine]>);

impl Default for KeyMap {
    /// Returns the built-in keys.
    fn default() -> Self {
        let bindings = TABLES.iter().flat_map(|table| table.bindings);
        Self(bindings.map(KeyLine::built_in).collect())
    }
}

impl KeyMap {
    /// Returns every line, in the order in which help and status line show them.
    pub fn lines(&self) -> impl Iterator<Item = &KeyLine> {
        self.0.iter()
    }

    /// Returns the lines of one context.
    pub fn of(&self, context: Context) -> impl Iterator<Item = &KeyLine> {
        self.lines()
            .filter(move |line| line.binding.context == context)
    }

    /// Returns the lines whose actions are possible in a context: its own, those that hold there as well, those of
    /// everywhere.
    pub(crate) fn reached_in(&self, context: Context) -> impl Iterator<Item = &KeyLine> {
        let contexts = [Some(context), wider(context), Some(Context::Anywhere)];
        let contexts = contexts.into_iter().flatten();
        contexts.flat_map(|context| self.of(context))
    }

    /// Returns the line that a key of a context belongs to.
    fn line_of(&self, context: Context, chord: Chord) -> Option<&KeyLine> {
        self.reached_in(context)
            .find(|line| line.keys().contains(&chord))
    }

    /// Returns what a key means in a context.
    pub(crate) fn binding(&self, context: Context, key: KeyEvent) -> Option<&'static Binding> {
        let line = self.line_of(context, normal(key));
        let line = line.or_else(|| self.line_of(context, by_base_layout(context, key)?))?;
        Some(line.binding)
    }

    /// Returns a row of the table.
    pub(crate) fn row(&self, context: Context, id: &str) -> Option<&'static Binding> {
        let line = self.of(context).find(|line| line.binding.id == id)?;
        Some(line.binding)
    }

    /// Returns the name of the first key that has the action of a line in a context: another line there may have the
    /// key itself.
    pub(crate) fn first_key_in(&self, context: Context, line: &KeyLine) -> Option<String> {
        let means_it = |chord: &&Chord| {
            let own = self.line_of(context, **chord);
            own.is_some_and(|own| own.binding.id == line.binding.id)
        };
        line.keys()
            .iter()
            .find(means_it)
            .map(|key| key_name::shown(*key))
    }

    /// Returns what a key means in a context by its own table.
    pub(crate) fn own(&self, context: Context, key: KeyEvent) -> Option<&'static Binding> {
        let chords = [Some(normal(key)), by_base_layout(context, key)];
        let mut chords = chords.into_iter().flatten();
        let line =
            chords.find_map(|chord| self.of(context).find(|line| line.keys().contains(&chord)))?;
        Some(line.binding)
    }

    /// Returns the name of the key for an action of a context: its first key; for one without keys its own name.
    pub(crate) fn name(&self, context: Context, id: &str) -> Cow<'static, str> {
        let line = self.of(context).find(|line| line.binding.id == id);
        debug_assert!(line.is_some(), "`{id}` is no action in {context:?}");
        Cow::Owned(match line.and_then(KeyLine::first_name) {
            Some(name) => name.to_owned(),
            None => format!("`{id}`"),
        })
    }

    /// Returns the names that the messages of the review mention.
    pub fn review_names(&self) -> KeyNames {
        KeyNames::new(|word, id| {
            let context = Context::all().find(|context| context.word() == word);
            debug_assert!(context.is_some(), "`{word}` is no context");
            self.name(context.unwrap_or(Context::Anywhere), id)
        })
    }

    /// Returns the keys that the status line shows in a context.
    /// While keys answer nothing yet (`deaf`), those that would are left out.
    pub(crate) fn hints(&self, context: Context, deaf: bool) -> impl Iterator<Item = KeyHint> {
        // A reason is asked for in one line: the composer's own keys are not worth a word there.
        let wider = wider(context).filter(|_| context == Context::EmptyComposer);
        let shown = wider.into_iter().chain([context]);
        let all = shown.flat_map(|shown| self.of(shown));
        all.filter(move |line| {
            // Sending nothing is not worth a word.
            let is_idle = context == Context::EmptyComposer && line.binding.id == "send";
            !(is_idle || deaf && line.binding.answers())
        })
        .filter_map(|line| {
            Some(KeyHint {
                key: line.first_name()?.to_owned(),
                word: line.binding.hint?,
                binding: line.binding,
            })
        })
    }

    /// Tells whether a key decides something in a context.
    pub(crate) fn decides(&self, context: Context, key: KeyEvent) -> bool {
        self.binding(context, key).is_some_and(Binding::answers)
    }

    /// Tells whether no key may be read before this one was dealt with: it may open the editor or stop the process, and
    /// then keys are the editor's or the shell's.
    pub(crate) fn holds_keys(&self, key: KeyEvent) -> bool {
        let mut chords = [Some(normal(key)), base_chord(key)].into_iter().flatten();
        // Enter carries out any of them from the command palette.
        key.code == KeyCode::Enter
            || chords.any(|chord| {
                let mut lines = self.lines();
                lines
                    .any(|line| line.binding.is(KeyMark::GivesAway) && line.keys().contains(&chord))
            })
    }
}
