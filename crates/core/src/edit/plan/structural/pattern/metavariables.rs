//! Metavariables in a text: `$A`, `$_` and `$$$REST`, with their names.

use crate::text::Slice;
use crate::word::is_word;

/// A metavariable in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::edit::plan::structural) struct Meta<'a> {
    pub(in crate::edit::plan::structural) start: usize,
    pub(in crate::edit::plan::structural) end: usize,
    /// Empty for `$_` and `$$$`.
    pub(in crate::edit::plan::structural) name: &'a str,
    pub(in crate::edit::plan::structural) many: bool,
}

/// Returns the metavariables of a text in order.
pub(in crate::edit::plan::structural) fn metavariables(text: &str) -> Vec<Meta<'_>> {
    let mut found = with_words(text);
    found.retain(|meta| {
        let head = text.slice(..meta.start);
        !head.ends_with(is_word)
    });
    found
}

/// Returns the metavariables of a text in order, with those that a word goes on with: `get$NAME`.
pub(in crate::edit::plan::structural) fn with_words(text: &str) -> Vec<Meta<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(dollar) = text.get(at..).and_then(|rest| rest.find('$')) {
        let start = at + dollar;
        let rest = text.slice(start..);
        let dollars = rest.len() - rest.trim_start_matches('$').len();
        let word = rest.slice(dollars..);
        let length = word
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(word.len());
        let name = word.slice(..length);
        at = start + dollars + length;
        let upper = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && !name.contains(|c: char| c.is_ascii_lowercase());
        let before = text.get(..start).and_then(|head| head.chars().next_back());
        let escaped = before == Some('\\');
        let known = (dollars == 1 && upper) || (dollars == 3 && (upper || name.is_empty()));
        if known && !escaped {
            let name = if name.starts_with('_') { "" } else { name };
            found.push(Meta {
                start,
                end: at,
                name,
                many: dollars == 3,
            });
        }
    }
    found
}
