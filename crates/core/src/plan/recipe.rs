//! Named edits; each leaves a text alone that is already as it would make it.
//!
//! In: a recipe and a text. Out: a plan. One file a recipe.

mod delete_symbol;
mod ensure_import;
mod remove_headings;
mod rename_identifier;

use super::{Outcome, modified};
use crate::request::Recipe;
use crate::syntax::{Language, Parsed};
use crate::text::{Source, Splice};
use crate::workspace::WorkspacePath;

/// Plans `recipe` for the file at `path`.
pub(super) fn plan(path: &WorkspacePath, source: &Source, recipe: &Recipe) -> Outcome {
    let Ok(text) = source.text() else {
        return Outcome::Refused {
            why: format!("{path} is not text"),
        };
    };
    match recipe {
        Recipe::RenameIdentifier { from, to } => rename_identifier::plan(path, text, from, to),
        Recipe::RemoveHeadings => remove_headings::plan(path, source, text),
        Recipe::EnsureImport { import } => ensure_import::plan(path, source, text, import),
        Recipe::DeleteSymbol { symbol } => delete_symbol::plan(path, source, text, symbol),
    }
}

/// Parses `text` for a recipe that cannot do without a tree.
fn parsed<'a>(path: &WorkspacePath, text: &'a str) -> Result<(Language, Parsed<'a>), Outcome> {
    let language = Language::of(path).ok_or_else(|| Outcome::Refused {
        why: format!("there is no grammar for {path}; use `section` or `diff`"),
    })?;
    let parsed = language.parse(text).ok_or_else(|| Outcome::Refused {
        why: format!("{path} is too large to be parsed; use `section` or `diff`"),
    })?;
    Ok((language, parsed))
}

/// Makes the splice that takes a range of the text out.
fn removal(text: &str, range: std::ops::Range<usize>) -> Splice {
    let old = text
        .get(range.clone())
        .unwrap_or_default()
        .as_bytes()
        .to_vec();
    Splice {
        at: range.start,
        old,
        new: Vec::new(),
    }
}
