//! Whole-word occurrences, for text without a grammar.

use crate::edit::locate::exact;
use crate::word::is_identifier_part;

/// Returns where `name` stands and is no part of a longer word.
pub(super) fn words(text: &str, name: &str) -> Vec<usize> {
    exact::all(text, name)
        .into_iter()
        .filter(|at| {
            let before = text.get(..*at).and_then(|head| head.chars().next_back());
            let after = text
                .get(at + name.len()..)
                .and_then(|tail| tail.chars().next());
            !before.is_some_and(is_identifier_part) && !after.is_some_and(is_identifier_part)
        })
        .collect()
}
