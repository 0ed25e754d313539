//! Key table: how the review shows changes.

use super::super::chord::{bind, plain};
use super::super::{Action, Binding, Context};
use crate::review::ArrangeKey;

/// In the order in which help shows them.
pub(super) static ARRANGING: &[Binding] = {
    use Action as A;
    use Context as C;
    &[
        bind(
            C::Review,
            "side-by-side",
            &[plain('t')],
            A::Arrange(ArrangeKey::Sides),
            "t",
            "old and new side by side, or stacked",
        ),
        bind(
            C::Review,
            "tree",
            &[plain('T')],
            A::Arrange(ArrangeKey::Tree),
            "T",
            "the tree of files, on or off",
        ),
        bind(
            C::Review,
            "one-file",
            &[plain('L')],
            A::Arrange(ArrangeKey::Scroll),
            "L",
            "one file at a time, or all in one scroll",
        ),
        bind(
            C::Review,
            "more-context",
            &[plain('x')],
            A::Arrange(ArrangeKey::MoreContext),
            "x",
            "more lines around the hunk; again: more still",
        ),
        bind(
            C::Review,
            "less-context",
            &[plain('X')],
            A::Arrange(ArrangeKey::LessContext),
            "X",
            "fold the lines around the hunk",
        ),
        bind(
            C::Review,
            "ignore-blanks",
            &[plain('W')],
            A::Arrange(ArrangeKey::IgnoreBlanks),
            "W",
            "ignore white space changes, or show them",
        ),
        bind(
            C::Review,
            "show-blanks",
            &[plain('.')],
            A::Arrange(ArrangeKey::ShowBlanks),
            ".",
            "show blanks and tabs, or hide them",
        ),
    ]
};
