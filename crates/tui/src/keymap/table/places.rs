//! Key table: the places of an edit that fits several.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context};
use crate::transcript::Scroll;

/// In the order in which help shows them.
pub(super) static PLACES: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Places,
            "place-1",
            &[plain('1')],
            A::Place(0),
            "1-9",
            "put the edit at the place with this number",
        )
        .hint("choose"),
        bind(
            C::Places,
            "place-2",
            &[plain('2')],
            A::Place(1),
            "",
            "put the edit at place 2",
        ),
        bind(
            C::Places,
            "place-3",
            &[plain('3')],
            A::Place(2),
            "",
            "put the edit at place 3",
        ),
        bind(
            C::Places,
            "place-4",
            &[plain('4')],
            A::Place(3),
            "",
            "put the edit at place 4",
        ),
        bind(
            C::Places,
            "place-5",
            &[plain('5')],
            A::Place(4),
            "",
            "put the edit at place 5",
        ),
        bind(
            C::Places,
            "place-6",
            &[plain('6')],
            A::Place(5),
            "",
            "put the edit at place 6",
        ),
        bind(
            C::Places,
            "place-7",
            &[plain('7')],
            A::Place(6),
            "",
            "put the edit at place 7",
        ),
        bind(
            C::Places,
            "place-8",
            &[plain('8')],
            A::Place(7),
            "",
            "put the edit at place 8",
        ),
        bind(
            C::Places,
            "place-9",
            &[plain('9')],
            A::Place(8),
            "",
            "put the edit at place 9",
        ),
        bind(
            C::Places,
            "page-down",
            &[plain('j'), key(K::Down), key(K::PageDown), plain(' ')],
            A::Scroll(Scroll::PageDown),
            "j, PageDown",
            "on",
        ),
        bind(
            C::Places,
            "page-up",
            &[plain('k'), key(K::Up), key(K::PageUp)],
            A::Scroll(Scroll::PageUp),
            "k, PageUp",
            "back",
        ),
        bind(
            C::Places,
            "close",
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc",
            "close; the edit waits",
        )
        .hint("close"),
    ]
};
