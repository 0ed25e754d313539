//! Key table: what goes back to an earlier prompt.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context, RewindExtent};
use crate::transcript::Scroll;

const CONVERSATION: &[super::super::Chord] = &[plain('c'), plain('C'), key(KeyCode::Enter)];
const NOTHING: &[super::super::Chord] = &[plain('n'), plain('N'), key(KeyCode::Esc)];
const DOWN: &[super::super::Chord] = &[
    plain('j'),
    key(KeyCode::Down),
    key(KeyCode::PageDown),
    plain(' '),
];
const UP: &[super::super::Chord] = &[plain('k'), key(KeyCode::Up), key(KeyCode::PageUp)];

/// In the order in which help shows them. Where files cannot go back there are no keys for them.
pub(super) static REWIND: &[Binding] = {
    use Action as A;
    use Context as C;
    &[
        bind(
            C::Rewind,
            "rewind-conversation",
            CONVERSATION,
            A::Rewind(RewindExtent::Conversation),
            "c",
            "take the prompt and all behind it out of the conversation; Enter does the same",
        )
        .hint("conversation"),
        bind(
            C::Rewind,
            "rewind-files",
            &[plain('f'), plain('F')],
            A::Rewind(RewindExtent::Files),
            "f",
            "take back what the conversation wrote to files since",
        )
        .hint("files"),
        bind(
            C::Rewind,
            "rewind-both",
            &[plain('b'), plain('B')],
            A::Rewind(RewindExtent::Both),
            "b",
            "both, or neither where something is in the way",
        )
        .hint("both"),
        bind(C::Rewind, "no", NOTHING, A::No, "Esc", "leave it").hint("nothing"),
        bind(
            C::Rewind,
            "page-down",
            DOWN,
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "on in what would change",
        ),
        bind(
            C::Rewind,
            "page-up",
            UP,
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "back in it",
        ),
        bind(
            C::RewindConversation,
            "rewind-conversation",
            CONVERSATION,
            A::Rewind(RewindExtent::Conversation),
            "c",
            "take the prompt and all behind it out of the conversation; Enter does the same",
        )
        .hint("conversation"),
        bind(
            C::RewindConversation,
            "no",
            NOTHING,
            A::No,
            "Esc",
            "leave it",
        )
        .hint("nothing"),
        bind(
            C::RewindConversation,
            "page-down",
            DOWN,
            A::Scroll(Scroll::PageDown),
            "PageDown",
            "on in what is in the way",
        ),
        bind(
            C::RewindConversation,
            "page-up",
            UP,
            A::Scroll(Scroll::PageUp),
            "PageUp",
            "back in it",
        ),
    ]
};
