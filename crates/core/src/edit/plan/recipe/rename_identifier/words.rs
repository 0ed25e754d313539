//! Whole-word occurrences, for text without a grammar.

use crate::edit::locate::exact;

/// Returns where `name` stands and is no part of a longer word.
pub(super) fn words(text: &str, name: &str) -> Vec<usize> {
    let bounded = |at: &usize| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let after = text
            .get(at + name.len()..)
            .and_then(|tail| tail.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    exact::all(text, name).into_iter().filter(bounded).collect()
}

/// Tells whether a name could be one in most languages.
pub(super) fn is_identifier(name: &str) -> bool {
    name.chars().all(is_word)
        && !name
            .chars()
            .next()
            .is_none_or(|first| first.is_ascii_digit())
}

/// Tells whether a character is part of words.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
