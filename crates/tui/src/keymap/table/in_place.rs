//! Key table: a hunk's new text that is edited in place.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, ctrl, key, with_alt, with_shift};
use super::super::{Action, Binding, Context};
use crate::composer::Edit;

/// In the order in which help and status line show them.
pub(super) static IN_PLACE: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::NewText,
            "approve",
            &[ctrl('s'), with_alt(K::Enter)],
            A::Send,
            "Ctrl-S, Alt-Enter",
            "approve the hunk with this text",
        )
        .hint("approve so"),
        bind(
            C::NewText,
            "newline",
            &[key(K::Enter), with_shift(K::Enter), ctrl('j')],
            A::Edit(Edit::Newline),
            "Enter",
            "new line",
        ),
        bind(
            C::NewText,
            "tab",
            &[key(K::Tab)],
            A::Edit(Edit::Insert('\t')),
            "Tab",
            "a tab",
        ),
        bind(
            C::NewText,
            "close",
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "go back; the text is offered again",
        )
        .hint("go back"),
    ]
};
