//! Key table: questions that are answered with a key or a line, and pages that are read.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context, PermissionKey};
use crate::transcript::Scroll;

/// In the order in which help and status line show them.
pub(super) static QUESTIONS: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        // Why something is denied
        bind(
            C::Reason,
            "send",
            &[key(K::Enter)],
            A::Send,
            "Enter",
            "deny; empty gives no reason",
        )
        .hint("deny"),
        bind(
            C::Reason,
            "close",
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "do not deny",
        )
        .hint("go back"),
        // Permission for a call
        bind(
            C::Permission,
            "once",
            &[plain('y'), plain('Y')],
            A::Permission(PermissionKey::Once),
            "y",
            "run it; what is out of sight is shown first",
        )
        .hint("yes"),
        bind(
            C::Permission,
            "always",
            &[plain('a')],
            A::Permission(PermissionKey::Always),
            "a",
            "run it, and the very same again without asking",
        )
        .hint("always"),
        bind(
            C::Permission,
            "refuse",
            &[plain('n'), plain('N'), key(K::Esc)],
            A::Permission(PermissionKey::Refuse),
            "n",
            "do not run it, and stop",
        )
        .hint("no"),
        bind(
            C::Permission,
            "instead",
            &[plain('i')],
            A::Permission(PermissionKey::Instead),
            "i",
            "do not run it, and say what to do instead",
        )
        .hint("instead"),
        bind(
            C::Permission,
            "switch-focus",
            &[key(K::Tab)],
            A::SwitchFocus,
            "Tab",
            "go on typing, and back",
        ),
        bind(
            C::Permission,
            "page-down",
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Permission(PermissionKey::Next),
            "j, PageDown",
            "on in what would run",
        ),
        bind(
            C::Permission,
            "page-up",
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Permission(PermissionKey::Previous),
            "k, PageUp",
            "back in it",
        ),
        // Questions
        bind(
            C::Confirm,
            "yes",
            &[plain('y'), plain('Y')],
            A::Yes,
            "y",
            "do it",
        )
        .hint("yes"),
        bind(
            C::Confirm,
            "whole",
            &[plain('a')],
            A::Whole,
            "a",
            "ask about all files of the changeset",
        ),
        bind(
            C::Confirm,
            "no",
            &[plain('n'), plain('N'), key(K::Esc)],
            A::No,
            "n",
            "leave it",
        )
        .hint("no"),
        bind(
            C::Confirm,
            "page-down",
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "on in what would change",
        ),
        bind(
            C::Confirm,
            "page-up",
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "back in it",
        ),
        // Help
        bind(
            C::Help,
            "page-down",
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "on",
        )
        .hint("on"),
        bind(
            C::Help,
            "page-up",
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "back",
        )
        .hint("back"),
        bind(
            C::Help,
            "close",
            &[key(K::Esc), plain('q'), plain('?'), key(K::F(1))],
            A::Escape,
            "Esc",
            "close",
        )
        .hint("close"),
    ]
};
