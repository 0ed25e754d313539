//! Gives an identifier another name, in one file.
//!
//! In: two names. Out: a plan of every identifier that has the first, outside strings and
//! comments where the language has a grammar; whole words elsewhere.

use super::{Outcome, modified};
use crate::locate::exact;
use crate::syntax::{Language, Parsed};
use crate::text::Splice;
use crate::workspace::WorkspacePath;

/// Plans the renaming of `from` to `to`.
pub(super) fn plan(file: super::File<'_>, r: &crate::request::Rename) -> Result<Outcome, Outcome> { Ok(plan2(file.path, file.text, &r.from, &r.to)) }
fn plan2(path: &WorkspacePath, text: &str, from: &str, to: &str) -> Outcome {
    for name in [from, to] {
        if !is_identifier(name) {
            return Outcome::Invalid {
                why: format!("`{name}` is no identifier"),
            };
        }
    }
    if from == to {
        return Outcome::Invalid {
            why: "both names are the same".into(),
        };
    }
    let parsed = Language::of(path).and_then(|language| language.parse(text));
    let (how, places, taken) = match &parsed {
        Some(parsed) => (
            "identifiers by syntax",
            identifiers(parsed, from),
            identifiers(parsed, to),
        ),
        None => (
            "whole words, there is no grammar for this file",
            words(text, from),
            words(text, to),
        ),
    };
    if places.is_empty() && !taken.is_empty() {
        return Outcome::AlreadyApplied {
            why: format!("{path} has `{to}` and no `{from}`"),
        };
    }
    if places.is_empty() {
        let why = format!("{path} has no identifier `{from}` outside strings and comments");
        return Outcome::NotFound { why, nearest: None };
    }
    let warning = match taken.is_empty() {
        true => String::new(),
        false => format!("; careful: `{to}` is already used in this file"),
    };
    let count = places.len();
    let splice = |at| Splice {
        at,
        old: from.as_bytes().to_vec(),
        new: to.as_bytes().to_vec(),
    };
    modified(
        places.into_iter().map(splice).collect(),
        format!("{how}{warning}"),
        count,
    )
}

fn identifiers(parsed: &Parsed<'_>, name: &str) -> Vec<usize> {
    let mut places = Vec::new();
    parsed.walk(|node| {
        let is_name = node.child_count() == 0 && node.kind().ends_with("identifier");
        if is_name && parsed.text(node) == name {
            places.push(node.start_byte());
        }
    });
    places
}

fn words(text: &str, name: &str) -> Vec<usize> {
    let bounded = |at: &usize| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let after = text
            .get(at + name.len()..)
            .and_then(|tail| tail.chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    };
    exact::all(text, name).into_iter().filter(bounded).collect()
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(is_word)
        && !name
            .chars()
            .next()
            .is_none_or(|first| first.is_ascii_digit())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

