//! Names of the keys that the review's messages mention.
//!
//! In: names, from the key map. Out: the same, for whoever writes a message. The review knows no key map.

use std::borrow::Cow;

/// The name of a key.
type Name = Cow<'static, str>;

/// What keys are called; by default as they are built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyNames {
    pub(crate) approve: Name,
    pub(crate) deny: Name,
    pub(crate) edit: Name,
    pub(crate) edit_in_place: Name,
    pub(crate) toggle: Name,
    pub(crate) approve_same: Name,
    pub(crate) approve_all: Name,
    pub(crate) approve_folded: Name,
    pub(crate) fold: Name,
    pub(crate) next: Name,
    pub(crate) filter: Name,
    pub(crate) more_context: Name,
    pub(crate) take_back: Name,
    pub(crate) select_lines: Name,
    pub(crate) placement: Name,
    pub(crate) keep_mine: Name,
    pub(crate) take_theirs: Name,
    pub(crate) sign_off: Name,
    /// Of the lines of a hunk.
    pub(crate) approve_lines: Name,
    pub(crate) deny_lines: Name,
    pub(crate) toggle_line: Name,
    /// Of the sign-off page, and of the page that says what was written.
    pub(crate) write: Name,
    pub(crate) write_and_continue: Name,
    pub(crate) undo_written: Name,
    /// Of the question whether something is to be taken back.
    pub(crate) whole: Name,
}

impl Default for KeyNames {
    fn default() -> Self {
        let name = Cow::Borrowed;
        Self {
            approve: name("a"),
            deny: name("d"),
            edit: name("e"),
            edit_in_place: name("i"),
            toggle: name("Space"),
            approve_same: name("s"),
            approve_all: name("A"),
            approve_folded: name("F"),
            fold: name("z"),
            next: name("j"),
            filter: name("f"),
            more_context: name("x"),
            take_back: name("u"),
            select_lines: name("v"),
            placement: name("p"),
            keep_mine: name("1"),
            take_theirs: name("2"),
            sign_off: name("Enter"),
            approve_lines: name("a"),
            deny_lines: name("d"),
            toggle_line: name("Space"),
            write: name("Enter"),
            write_and_continue: name("c"),
            undo_written: name("U"),
            whole: name("a"),
        }
    }
}
