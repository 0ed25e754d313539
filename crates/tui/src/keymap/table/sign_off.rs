//! Key table: the sign-off page, and the page that says what was written.

use ratatui::crossterm::event::KeyCode;
use signoff_llm::mode::AfterApproval;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context};
use crate::transcript::Scroll;

/// In the order in which help and status line show them.
pub(super) static SIGN_OFF: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::SignOff,
            "write",
            &[key(K::Enter)],
            A::Write(None),
            "Enter",
            "write what the page says",
        )
        .hint("writes"),
        bind(
            C::SignOff,
            "write-and-continue",
            &[plain('c')],
            A::Write(Some(AfterApproval::GoOn)),
            "c",
            "write it; the model continues",
        )
        .hint("writes, model goes on"),
        bind(
            C::SignOff,
            "write-and-stop",
            &[plain('S')],
            A::Write(Some(AfterApproval::Stop)),
            "S",
            "write it; the model stops",
        ),
        bind(
            C::SignOff,
            "close",
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc, q",
            "go back; nothing is written",
        )
        .hint("back"),
        bind(
            C::SignOff,
            "page-down",
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "j, PageDown",
            "on in the page",
        ),
        bind(
            C::SignOff,
            "page-up",
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "k, PageUp",
            "back in it",
        ),
        bind(
            C::Written,
            "undo",
            &[plain('U')],
            A::Undo,
            "U",
            "take back the last changeset that was written",
        )
        .hint("undo"),
        bind(
            C::Written,
            "close",
            &[key(K::Esc), key(K::Enter)],
            A::Escape,
            "Esc, Enter",
            "close; what else is typed goes into the composer",
        )
        .hint("close"),
    ]
};
