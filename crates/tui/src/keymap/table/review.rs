//! Key table: further keys of the review, and of what is typed about it.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key};
use super::super::{Action, Binding, Context};

/// In the order in which help and status line show them.
pub(super) static REVIEW: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        // A question to the model
        bind(
            C::Question,
            &[key(K::Enter)],
            A::Send,
            "Enter",
            "ask; the answer stands below the hunk",
        )
        .hint("ask"),
        bind(
            C::Question,
            &[key(K::Esc)],
            A::Escape,
            "Esc",
            "go back; what is typed is kept",
        )
        .hint("go back"),
    ]
};
