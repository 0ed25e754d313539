//! Reasons why a pattern matched nothing: words for the model, and the region to look at.

use super::matching::HoleSearch;
use super::pattern::{Element, HolePattern};
use crate::edit::locate::nearest::{Region, region};
use crate::plural::amount;
use crate::text::{Slice, Source};

/// Characters of text that are shown.
const SHOWN: usize = 40;

/// Says why a pattern with holes matches nothing.
pub(super) fn holes(
    source: &Source,
    pattern: &HolePattern,
    search: &HoleSearch,
) -> (String, Option<Region>) {
    let text = source.text().unwrap_or_default();
    let first = pattern.elements.iter().find_map(|element| match element {
        Element::Literal(text) => Some(text.as_str()),
        _ => None,
    });
    let first = first.unwrap_or_default();
    let Some((done, at)) = search.furthest.filter(|(done, _)| *done > 0) else {
        let quoted = text.contains(first);
        let why = if quoted {
            format!("nothing matches: `{first}` is only within strings, comments or longer words")
        } else {
            format!("nothing matches: `{first}` is not in the file")
        };
        return (why, None);
    };
    let wanted = pattern
        .elements
        .get(done)
        .map_or_else(|| "nothing more".to_owned(), shown);
    let has = cut(text.slice(at..));
    let line = source.line_of(at.min(text.len().saturating_sub(1)));
    let why = format!(
        "nothing matches: the pattern begins at {} and fits furthest up to line {}, \
         where it goes on with {wanted} and the file with `{has}`{}",
        amount(search.begun, "place", "places"),
        line + 1,
        hint(pattern, done),
    );
    (why, Some(region(source, line.saturating_sub(1), 3)))
}

/// Says what could be changed.
fn hint(pattern: &HolePattern, done: usize) -> &'static str {
    let before = done
        .checked_sub(1)
        .and_then(|index| pattern.elements.get(index));
    match (before, pattern.elements.get(done)) {
        (_, Some(Element::Space)) => "; white space in a pattern needs some in the text",
        (Some(Element::Hole { .. }), _) => {
            "; a hole goes across lines only between brackets of the pattern"
        }
        _ => "",
    }
}

fn shown(element: &Element) -> String {
    match element {
        Element::Literal(text) => format!("`{}`", cut(text)),
        Element::Space => "white space".into(),
        Element::Hole { .. } => "a hole".into(),
    }
}

fn cut(text: &str) -> String {
    text.chars()
        .take(SHOWN)
        .take_while(|c| *c != '\n' && *c != '\r')
        .collect()
}
