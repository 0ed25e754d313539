//! JSON and TOML: two texts with the same value, written with the same strings.
//!
//! In: two texts that differ in blanks and commas alone. Out: their comments, if both are well-formed and say the same.

use std::ops::Range;

use super::{Comments, texts};
use crate::syntax::Language;
use crate::syntax::lexis::RegionKind;
use crate::syntax::precise::{Dialect, judge};

/// Reads JSON, with comments and trailing commas only where both texts have them.
pub(super) fn same_json(before: &str, after: &str) -> Option<Comments> {
    // Not every reader of JSON takes a comma at the end.
    let is_alike = json_form(before)? == json_form(after)? && commas(before) == commas(after);
    is_alike.then_some(())?;
    same_regions(Language::Json, before, after)
}

fn commas(text: &str) -> usize {
    text.matches(',').count()
}

/// Returns the form in which a text is accepted, the stricter one first.
fn json_form(text: &str) -> Option<Dialect> {
    [Dialect::Standard, Dialect::Lenient]
        .into_iter()
        .find(|dialect| {
            judge(Language::Json, text, *dialect).is_some_and(|own| own.faults.is_empty())
        })
}

/// Reads TOML, where line ends stand between what is set.
pub(super) fn same_toml(before: &str, after: &str) -> Option<Comments> {
    (toml_table(before)? == toml_table(after)?).then_some(())?;
    same_regions(Language::Toml, before, after)
}

fn toml_table(text: &str) -> Option<toml::Table> {
    toml::from_str::<toml::Table>(text).ok()
}

/// Compares the strings of two texts, and returns their comments.
fn same_regions(language: Language, before: &str, after: &str) -> Option<Comments> {
    let ((old, before_comments), (new, after_comments)) = (
        strings_and_comments(language, before),
        strings_and_comments(language, after),
    );
    (texts(before, &old) == texts(after, &new)).then_some(Comments {
        before: before_comments,
        after: after_comments,
    })
}

fn strings_and_comments(language: Language, text: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let all = language.lexis().regions(text);
    let (strings, comments): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|region| region.kind == RegionKind::String);
    (ranges(strings), ranges(comments))
}

fn ranges(own: Vec<crate::syntax::lexis::Region>) -> Vec<Range<usize>> {
    own.into_iter().map(|region| region.range).collect()
}
