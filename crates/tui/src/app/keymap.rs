//! Key map: the table of keys, which the help screen prints, changed by what the user configured.
//!
//! In: a key and what it is pressed in. Out: a [`Binding`], if the key means something there, and the names of keys.

mod base_layout;
mod effective;
mod key_name;
mod table;
mod user_keys;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub use self::effective::KeyLine;
pub use self::effective::KeyMap;
use self::table::TABLES;
pub use self::user_keys::UserKeyError;
use crate::app::App;

/// What a key is pressed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Anywhere, unless the place has its own meaning for the key.
    Anywhere,
    /// The composer with nothing typed.
    EmptyComposer,
    /// The composer.
    Composer,
    /// The composer with a list above it.
    Menu,
    /// The review pane.
    Review,
    /// Lines of a hunk in the review pane.
    Lines,
    /// The history overlay.
    History,
    /// What changes come to.
    Diff,
    /// The places of an edit that fits several.
    Places,
    /// The agents that work beside the conversation.
    Background,
    /// The question whether one of them is to end.
    BackgroundEnd,
    /// The page that says what will be written.
    SignOff,
    /// The page that says what was written.
    Written,
    /// The question why something is denied.
    Reason,
    /// A question to the model about a hunk.
    Question,
    /// What is to be different in a hunk that is written again.
    Remark,
    /// A comment on a hunk.
    Comment,
    /// The new text of a hunk.
    NewText,
    /// What to search for in the review.
    Search,
    /// The question whether a call may run.
    Permission,
    /// The question whether a command may reach a host.
    HostPermission,
    /// A question to be answered with yes or no.
    Confirm,
    /// The question what goes back to an earlier prompt.
    Rewind,
    /// The same where files cannot go back.
    RewindConversation,
    /// The help overlay, and what else is only read.
    Help,
    /// The transcript, browsed block by block.
    Transcript,
    /// The command palette.
    Palette,
}

/// What becomes of characters in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContextKind {
    /// They go into the prompt, or the prompt can be typed at once.
    Prompt,
    /// They go into another text.
    Text,
    /// They are keys of what is shown.
    Pane,
    /// They answer a question.
    Answer,
}

/// The keys of one context.
#[derive(Debug)]
struct ContextTable {
    context: Context,
    kind: ContextKind,
    /// The name of its table in `[keys]` of the configuration.
    word: &'static str,
    /// What help writes above its keys, if it lists them; nothing where they go on with those before.
    title: Option<&'static str>,
    bindings: &'static [Binding],
}

impl Context {
    /// Returns every context, in the order in which lists of keys show them.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        TABLES.iter().map(|table| table.context)
    }

    fn table(self) -> Option<&'static ContextTable> {
        TABLES.iter().find(|table| table.context == self)
    }

    /// Returns the name of its table in `[keys]` of the configuration.
    pub fn word(self) -> &'static str {
        self.table().map_or("", |table| table.word)
    }

    /// Returns what help writes above its keys, if it lists them.
    pub(crate) fn title(self) -> Option<&'static str> {
        self.table()?.title
    }

    /// Tells whether it is the question whether a call may run, or a host may be reached.
    pub(crate) fn asks_permission(self) -> bool {
        matches!(self, Self::Permission | Self::HostPermission)
    }

    /// Tells whether characters are text here, so that no action may take one.
    fn takes_characters(self) -> bool {
        let kind = self.table().map(|table| table.kind);
        matches!(kind, None | Some(ContextKind::Prompt | ContextKind::Text))
    }

    /// Tells whether slash commands can be given: not while another text is typed, or a question is to be answered.
    pub(crate) fn takes_commands(self) -> bool {
        let kind = self.table().map(|table| table.kind);
        matches!(kind, Some(ContextKind::Prompt | ContextKind::Pane))
    }
}

/// What goes back to an earlier prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RewindExtent {
    /// The conversation: the prompt and all behind it leave it.
    Conversation,
    /// What the conversation wrote to files since then.
    Files,
    /// Both, or neither.
    Both,
}

/// What is to be known of a key beside what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyMark {
    /// It decides on something, or leads to what does: it waits for the pauses, and a click on its hint does nothing.
    Answers,
    /// It says no to a question: what the palette hides is not refused from there.
    Refuses,
    /// A click on its hint does nothing: it leads to a question, carries out a command, or may have edits written.
    KeysOnly,
    /// It changes what is typed, or moves in it, in the palette's line as well.
    Edits,
    /// It only moves through what is shown.
    Moves,
    /// The palette does not list it.
    Unlisted,
    /// It may open the editor or stop the process: the keys after it are the editor's or the shell's.
    GivesAway,
}

/// One row of the table.
#[derive(Debug)]
pub struct Binding {
    /// Where it holds.
    pub context: Context,
    /// The name of the action, unique in its context: the key of an entry in `[keys]` of the configuration.
    pub id: &'static str,
    /// The names of its keys. Help does not name those in parentheses.
    keys: &'static str,
    /// What they do.
    pub does: &'static str,
    /// One word for the status line, if it belongs there.
    pub(crate) hint: Option<&'static str>,
    marks: &'static [KeyMark],
    pub(crate) run: fn(&mut App),
}

/// What help names in the place of the keys for each place of an edit.
const ALL_PLACES: &str = "1-9";

impl Binding {
    /// Tells whether it has this mark.
    pub(crate) fn is(&self, mark: KeyMark) -> bool {
        self.marks.contains(&mark)
    }

    /// Tells whether this decides on something, or leads to what does.
    pub(crate) fn answers(&self) -> bool {
        self.is(KeyMark::Answers)
    }

    /// Tells whether a click on its hint in the status line does it. What answers stays with the keys.
    pub(crate) fn is_button(&self) -> bool {
        let stays = [KeyMark::Answers, KeyMark::Refuses, KeyMark::KeysOnly];
        !stays.iter().any(|mark| self.is(*mark))
    }

    /// Tells whether it is this row of the table.
    pub(crate) fn is_row(&self, context: Context, id: &str) -> bool {
        self.context == context && self.id == id
    }

    /// Returns the built-in keys.
    fn chords(&self) -> Vec<Chord> {
        let names = self.keys.split(", ").filter(|name| *name != ALL_PLACES);
        let chords = names.map(|name| {
            let unnamed = name.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
            key_name::parse(unnamed.unwrap_or(name))
        });
        chords
            .inspect(|chord| debug_assert!(chord.is_ok(), "{}: {chord:?}", self.keys))
            .flatten()
            .collect()
    }

    /// Returns the names of the built-in keys, as help has them.
    fn names(&self) -> String {
        let names = self.keys.split(", ").filter(|name| !name.starts_with('('));
        names.collect::<Vec<_>>().join(", ")
    }
}

type Chord = (KeyCode, KeyModifiers);

/// Returns the character that a key types, if it types one.
pub(crate) fn typed(key: KeyEvent) -> Option<char> {
    let blocking = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
    // Both together are AltGr on some terminals.
    let types = blocking.is_empty() || blocking == KeyModifiers::CONTROL | KeyModifiers::ALT;
    match key.code {
        KeyCode::Char(c) if types => Some(c),
        _ => None,
    }
}

/// Returns the context whose keys hold in this one as well, besides those that hold anywhere.
fn wider(context: Context) -> Option<Context> {
    match context {
        Context::EmptyComposer
        | Context::Menu
        | Context::Reason
        | Context::Question
        | Context::Remark
        | Context::Search
        | Context::Comment
        | Context::NewText => Some(Context::Composer),
        _ => None,
    }
}

/// Upper case says Shift already, and terminals differ in whether they say so twice, for Shift-Tab too. They send the same
/// byte for some characters with Ctrl, which is read as a digit: 7 for `_` and `/`.
fn normal(key: KeyEvent) -> Chord {
    let kept = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
    match key.code {
        KeyCode::Char(c) => {
            let modifiers = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
            let sent = match c {
                '_' | '/' if modifiers == KeyModifiers::CONTROL => '7',
                '^' if modifiers == KeyModifiers::CONTROL => '6',
                ']' if modifiers == KeyModifiers::CONTROL => '5',
                '\\' if modifiers == KeyModifiers::CONTROL => '4',
                c => c,
            };
            (KeyCode::Char(sent), modifiers)
        }
        KeyCode::BackTab => (KeyCode::BackTab, KeyModifiers::NONE),
        code => (code, key.modifiers & kept),
    }
}

/// Returns the key as a Latin keyboard has it, for a letter of another script. Where text is typed a letter is that letter,
/// unless Ctrl or Alt is held.
fn by_base_layout(context: Context, key: KeyEvent) -> Option<Chord> {
    let is_text = context.takes_characters() && typed(key).is_some();
    base_chord(key).filter(|_| !is_text)
}

fn base_chord(key: KeyEvent) -> Option<Chord> {
    let KeyCode::Char(letter) = key.code else {
        return None;
    };
    let code = KeyCode::Char(base_layout::latin(letter)?);
    Some(normal(KeyEvent { code, ..key }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for table in TABLES {
            for (index, binding) in table.bindings.iter().enumerate() {
                for other in &table.bindings[index + 1..] {
                    let keys = other.chords();
                    let shared = binding.chords().into_iter().find(|key| keys.contains(key));
                    assert_eq!(shared, None, "in {:?}", table.context);
                    assert_ne!(binding.id, other.id, "twice in {:?}", table.context);
                }
            }
        }
    }

    #[test]
    fn every_line_can_be_named_in_the_configuration() {
        for binding in TABLES.iter().flat_map(|table| table.bindings) {
            let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(binding.id.chars().all(is_kebab), "{}", binding.id);
            for (code, modifiers) in binding.chords() {
                let key = KeyEvent::new(code, modifiers);
                assert_eq!(normal(key), (code, modifiers), "{}", binding.id);
            }
        }
    }

    #[test]
    fn keys_that_decide_something_where_they_go_are_told_from_others() {
        for (context, deciding, others) in [
            (Context::Review, "aAFU?", "jkJ/xny"),
            (Context::Confirm, "y", "jxa"),
            (Context::Written, "U", "uaj"),
        ] {
            for key in deciding.chars().chain(others.chars()) {
                let event = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
                let decides = KeyMap::default().decides(context, event);
                assert_eq!(decides, deciding.contains(key), "{key} in {context:?}");
            }
        }
    }

    #[test]
    fn letters_of_other_scripts_are_keys_where_no_text_is_typed() {
        let keys = KeyMap::default();
        let check = |context, letter, modifiers, expected| {
            let key = KeyEvent::new(KeyCode::Char(letter), modifiers);
            let id = keys.binding(context, key).map(|binding| binding.id);
            assert_eq!(id, expected, "{letter} in {context:?}");
        };
        const NONE: KeyModifiers = KeyModifiers::NONE;
        check(Context::Review, 'ф', NONE, Some("approve"));
        check(
            Context::Review,
            'Ф',
            KeyModifiers::SHIFT,
            Some("approve-all"),
        );
        check(Context::Review, 'δ', NONE, Some("deny"));
        check(Context::Confirm, 'н', NONE, Some("yes"));
        check(Context::Review, 'ä', NONE, None);
        // Where they are text they stay text; with Ctrl they are keys everywhere.
        check(Context::Written, 'Г', KeyModifiers::SHIFT, None);
        check(Context::Composer, 'с', NONE, None);
        check(
            Context::Composer,
            'с',
            KeyModifiers::CONTROL,
            Some("interrupt"),
        );
        check(
            Context::Composer,
            'φ',
            KeyModifiers::ALT,
            Some("word-right"),
        );
        let suspends = KeyEvent::new(KeyCode::Char('я'), KeyModifiers::CONTROL);
        assert!(keys.holds_keys(suspends));
        let approves = KeyEvent::new(KeyCode::Char('ф'), NONE);
        assert!(keys.decides(Context::Review, approves));
    }

    #[test]
    fn shift_is_said_once() {
        let keys = KeyMap::default();
        let id = |context, code, modifiers| {
            let binding = keys.binding(context, KeyEvent::new(code, modifiers));
            binding.map(|binding| binding.id)
        };
        for modifiers in [KeyModifiers::SHIFT, KeyModifiers::NONE] {
            let id = id(Context::Review, KeyCode::Char('A'), modifiers);
            assert_eq!(id, Some("approve-all"));
        }
        let newline = id(Context::EmptyComposer, KeyCode::Enter, KeyModifiers::SHIFT);
        assert_eq!(newline, Some("newline"));
    }
}
