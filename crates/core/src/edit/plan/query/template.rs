//! Templates in which `@name` is a capture.
//!
//! In: a template and the query's capture names. Out: pieces. `@@` is a plain `@`; an `@`
//! that no name of the query follows is one as well, so that decorators need no doubling.

use super::matches::Query;
use crate::edit::plan::template::{Piece, normalised};
use crate::text::Slice;
use crate::text::indent::Unit;

/// Parses a template; `file` is how the file is indented.
pub(super) fn parse(
    template: &str,
    query: &Query,
    file: Option<Unit>,
) -> Result<Vec<Piece>, String> {
    let template = normalised(template, file);
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = template.as_str();
    while let Some(at) = rest.find('@') {
        let (before, after) = rest.split_at(at);
        let after = after.slice(1..);
        text.push_str(before);
        let end = after.find(|c: char| !is_name(c)).unwrap_or(after.len());
        let name = longest(after.slice(..end), query);
        rest = match (after.strip_prefix('@'), name) {
            (Some(rest), _) => {
                text.push('@');
                rest
            }
            (None, Some(name)) => {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Hole(name.to_owned()));
                after.slice(name.len()..)
            }
            (None, None) => {
                text.push('@');
                after
            }
        };
    }
    text.push_str(rest);
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    Ok(pieces)
}

/// Returns the longest capture name that `word` is or begins with at a dot or a dash.
fn longest<'w>(word: &'w str, query: &Query) -> Option<&'w str> {
    let mut word = word;
    loop {
        if word.is_empty() {
            return None;
        }
        if query.has_capture(word) {
            return Some(word);
        }
        let cut = word.rfind(['.', '-'])?;
        word = word.get(..cut)?;
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}
