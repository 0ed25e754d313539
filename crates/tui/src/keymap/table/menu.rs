//! Key table: the list above the composer, and the command palette.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, ctrl, key};
use super::super::{Action, Binding, Context};
use crate::composer::menu::MenuKey;

/// In the order in which help and status line show them.
pub(super) static MENU: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Menu,
            "take",
            &[key(K::Enter)],
            A::Menu(MenuKey::Take),
            "Enter",
            "take the choice; a whole command is carried out",
        )
        .hint("take"),
        bind(
            C::Menu,
            "complete",
            &[key(K::Tab)],
            A::Menu(MenuKey::Complete),
            "Tab",
            "put the choice into the prompt",
        )
        .hint("complete"),
        bind(
            C::Menu,
            "next",
            &[key(K::Down), ctrl('n')],
            A::Menu(MenuKey::Next),
            "Down, Ctrl-N",
            "the choice below",
        ),
        bind(
            C::Menu,
            "previous",
            &[key(K::Up), ctrl('p')],
            A::Menu(MenuKey::Previous),
            "Up, Ctrl-P",
            "the choice above",
        ),
        bind(
            C::Menu,
            "close",
            &[key(K::Esc)],
            A::Menu(MenuKey::Close),
            "Esc",
            "close the list; the text stays",
        )
        .hint("close"),
        // The command palette
        bind(
            C::Palette,
            "take",
            &[key(K::Enter)],
            A::Menu(MenuKey::Take),
            "Enter",
            "do what is selected, where the palette was opened",
        )
        .hint("do it"),
        bind(
            C::Palette,
            "next",
            &[key(K::Down), key(K::Tab), ctrl('n')],
            A::Menu(MenuKey::Next),
            "Down, Ctrl-N",
            "the line below",
        ),
        bind(
            C::Palette,
            "previous",
            &[key(K::Up), key(K::BackTab), ctrl('p')],
            A::Menu(MenuKey::Previous),
            "Up, Ctrl-P",
            "the line above",
        ),
        bind(
            C::Palette,
            "close",
            &[key(K::Esc)],
            A::Menu(MenuKey::Close),
            "Esc",
            "close the palette; nothing is done",
        )
        .hint("close"),
    ]
};
