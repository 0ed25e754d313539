//! Syntax errors that a replacement would bring in.

use crate::syntax::health::EXCERPT_CHARS;
use crate::syntax::{Earlier, Language, Parsed, SyntaxCache};
use crate::text::{EditSet, Splice};

/// Maximum number of errors whose line is shown: finding one walks the text, so that a text of errors would take time
/// with the square of its length.
const SHOWN: usize = 64;

/// Returns the 1-based line, and its text, of an error that the text has with the splices made, if
/// that has more errors than before.
pub(super) fn fresh_error(
    cache: &SyntaxCache,
    language: Language,
    before: &Parsed<'_>,
    splices: &[Splice],
) -> Option<(usize, String)> {
    let text = before.whole();
    let edits = EditSet::new(splices.to_vec()).ok()?;
    let after = edits.apply(text.as_bytes()).ok()?;
    let after = String::from_utf8(after).ok()?;
    let earlier = Earlier {
        text,
        edits: &edits,
    };
    let tree = cache.parse_after(language, &after, &earlier)?;
    let (old, new) = (errors(before), errors(&tree));
    if new.len() <= old.len() {
        return None;
    }
    let fresh = new
        .iter()
        .find(|(line, _)| !old.iter().any(|(known, _)| *known == (*line)));
    fresh.or(new.first()).cloned()
}

/// Returns the lines with syntax errors, each with its text.
fn errors(tree: &Parsed<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    if !tree.root().has_error() {
        return found;
    }
    tree.walk(|node| {
        if node.is_error() || node.is_missing() {
            let row = node.start_position().row;
            let line = (found.len() < SHOWN).then(|| tree.whole().lines().nth(row));
            let shown = line.flatten().unwrap_or_default().trim();
            found.push((row + 1, shown.chars().take(EXCERPT_CHARS).collect()));
        }
    });
    found
}
