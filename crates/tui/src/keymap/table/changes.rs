//! Key table: what changes come to, and what is known of a hunk.

use ratatui::crossterm::event::KeyCode;

use super::super::chord::{bind, key, plain};
use super::super::{Action, Binding, Context};
use crate::review::ReviewKey;
use crate::review::diff_page::DiffPageKey;
use crate::review::history::HistoryKey;

/// Of the history, before its other keys.
pub(super) static OPENING: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::History,
            "show-diff",
            &[key(K::Enter)],
            A::History(HistoryKey::Show),
            "Enter",
            "show the diff of the change, or of the file",
        )
        .hint("diff"),
        bind(
            C::History,
            "open",
            &[plain('l'), key(K::Right)],
            A::History(HistoryKey::Open),
            "l, Right",
            "open the change into its files",
        )
        .hint("files"),
        bind(
            C::History,
            "fold",
            &[key(K::Left)],
            A::History(HistoryKey::Fold),
            "Left",
            "close it again",
        ),
    ]
};

/// In the order in which help shows them.
pub(super) static CHANGES: &[Binding] = {
    use Action as A;
    use Context as C;
    use KeyCode as K;
    &[
        bind(
            C::Review,
            "blame",
            &[plain('b')],
            A::Blame,
            "b",
            "who wrote the old lines of the hunk",
        ),
        bind(
            C::Review,
            "keep-mine",
            &[plain('1')],
            A::Review(ReviewKey::KeepMine),
            "1",
            "conflict: keep your lines, and deny the hunk",
        ),
        bind(
            C::Review,
            "take-theirs",
            &[plain('2')],
            A::Review(ReviewKey::TakeTheirs),
            "2",
            "conflict: take the hunk in their place",
        ),
        bind(
            C::Review,
            "placement",
            &[plain('p')],
            A::Placement,
            "p",
            "how the edit was placed: what the model quoted, what the file has",
        ),
        bind(
            C::Diff,
            "down",
            &[plain('j'), key(K::Down)],
            A::Diff(DiffPageKey::Down),
            "j, Down",
            "a row on",
        ),
        bind(
            C::Diff,
            "up",
            &[plain('k'), key(K::Up)],
            A::Diff(DiffPageKey::Up),
            "k, Up",
            "a row back",
        ),
        bind(
            C::Diff,
            "page-down",
            &[key(K::PageDown), plain(' ')],
            A::Diff(DiffPageKey::PageDown),
            "PageDown, Space",
            "a screen on",
        )
        .hint("on"),
        bind(
            C::Diff,
            "page-up",
            &[key(K::PageUp)],
            A::Diff(DiffPageKey::PageUp),
            "PageUp",
            "a screen back",
        ),
        bind(
            C::Diff,
            "next-file",
            &[plain('J'), plain(']'), key(K::Right)],
            A::Diff(DiffPageKey::NextFile),
            "J, ]",
            "next file",
        )
        .hint("next file"),
        bind(
            C::Diff,
            "previous-file",
            &[plain('K'), plain('['), key(K::Left)],
            A::Diff(DiffPageKey::PreviousFile),
            "K, [",
            "file before",
        ),
        bind(
            C::Diff,
            "top",
            &[key(K::Home), plain('g')],
            A::Diff(DiffPageKey::Top),
            "Home, g",
            "to the start",
        ),
        bind(
            C::Diff,
            "bottom",
            &[key(K::End), plain('G')],
            A::Diff(DiffPageKey::Bottom),
            "End, G",
            "to the end",
        ),
        bind(
            C::Diff,
            "side-by-side",
            &[plain('t')],
            A::Diff(DiffPageKey::Sides),
            "t",
            "old and new side by side, or stacked",
        )
        .hint("sides"),
        bind(
            C::Diff,
            "close",
            &[key(K::Esc), plain('q')],
            A::Escape,
            "Esc",
            "close",
        )
        .hint("close"),
    ]
};
