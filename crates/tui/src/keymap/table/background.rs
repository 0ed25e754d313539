//! Key table: the agents that work beside the conversation.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context};
use crate::background_page::BackgroundKey;
use crate::transcript::Scroll;

/// In the order in which help shows them.
pub(super) static BACKGROUND: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Background,
            "look",
            &[key(K::Enter)],
            A::Background(BackgroundKey::Look),
            "Enter",
            "show what the agent has said",
        )
        .hint("look"),
        bind(
            C::Background,
            "say",
            &[plain('m')],
            A::Background(BackgroundKey::Say),
            "m",
            "write another prompt for it",
        )
        .hint("say"),
        bind(
            C::Background,
            "stop",
            &[plain('x')],
            A::Background(BackgroundKey::Stop),
            "x",
            "ask whether it is to end; what it proposed stays",
        )
        .hint("stop"),
        bind(
            C::Background,
            "next",
            &[plain('j'), key(K::Down)],
            A::Background(BackgroundKey::Next),
            "j, Down",
            "select the next agent, or a row on",
        ),
        bind(
            C::Background,
            "previous",
            &[plain('k'), key(K::Up)],
            A::Background(BackgroundKey::Previous),
            "k, Up",
            "select the agent before, or a row back",
        ),
        bind(
            C::Background,
            "page-down",
            &[key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "a screen on",
        ),
        bind(
            C::Background,
            "page-up",
            &[key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Background,
            "close",
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc",
            "back to the list, or close it",
        )
        .hint("close"),
        bind(
            C::BackgroundEnd,
            "end",
            &[plain('y')],
            A::Background(BackgroundKey::End),
            "y",
            "end the agent",
        )
        .hint("end it"),
        bind(
            C::BackgroundEnd,
            "keep",
            &[plain('n'), key(K::Esc)],
            A::Background(BackgroundKey::Keep),
            "n, Esc",
            "let it be",
        )
        .hint("no"),
    ]
};
