//! Key table: lines of a hunk.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context};
use crate::review::{LineKey, ReviewKey};

const fn line(key: LineKey) -> Action {
    Action::Review(ReviewKey::Lines(key))
}

/// In the order in which help and status line show them.
pub(super) static LINES: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Lines,
            "toggle",
            &[plain(' ')],
            line(LineKey::Toggle),
            "Space",
            "select the line, or not",
        )
        .hint("select"),
        bind(
            C::Lines,
            "approve",
            &[plain('a'), key(K::Enter)],
            line(LineKey::Approve),
            "a, Enter",
            "approve the selected lines alone",
        )
        .hint("approve them"),
        bind(
            C::Lines,
            "deny",
            &[plain('d')],
            line(LineKey::Deny),
            "d",
            "deny the selected lines, or the one at the cursor, and approve the rest",
        )
        .hint("deny them"),
        bind(
            C::Lines,
            "comment",
            &[plain('m')],
            line(LineKey::Comment),
            "m",
            "comment on the line, for the model",
        )
        .hint("comment"),
        bind(
            C::Lines,
            "toggle-all",
            &[plain('*')],
            line(LineKey::ToggleAll),
            "*",
            "select all lines, or none",
        )
        .hint("all"),
        bind(
            C::Lines,
            "next",
            &[plain('j'), key(K::Down)],
            line(LineKey::Next),
            "j, Down",
            "next line",
        ),
        bind(
            C::Lines,
            "previous",
            &[plain('k'), key(K::Up)],
            line(LineKey::Previous),
            "k, Up",
            "the line before",
        ),
        bind(
            C::Lines,
            "page-down",
            &[key(K::PageDown)],
            line(LineKey::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::Lines,
            "page-up",
            &[key(K::PageUp)],
            line(LineKey::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Lines,
            "first",
            &[plain('g'), key(K::Home)],
            line(LineKey::First),
            "g, Home",
            "the first line of the hunk",
        ),
        bind(
            C::Lines,
            "last",
            &[plain('G'), key(K::End)],
            line(LineKey::Last),
            "G, End",
            "the last line of the hunk",
        ),
        bind(
            C::Lines,
            "close",
            &[key(K::Esc), plain('v')],
            A::Escape,
            "Esc, v",
            "go back; the selection is forgotten",
        )
        .hint("go back"),
    ]
};
