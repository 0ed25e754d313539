//! A list of names in braces or parentheses, or bare.
//!
//! In: the nodes of its names. Out: the splices that put further names in, each where the
//! list's order has it, on lines of their own where the list has one name a line.

use tree_sitter::Node;

use super::super::File;
use super::order;
use crate::edit::plan::insertion::{InsertionPlace, InsertionPoint, ListMark, ListPlace};
use crate::text::indent::begins_line;
use crate::text::{Slice, Splice};

/// Returns the splices that put `new` into the list of `names`.
pub(super) fn extend(file: File<'_>, names: &[Node<'_>], new: &[String]) -> Vec<Splice> {
    let texts: Vec<&str> = names
        .iter()
        .map(|name| file.text.slice(name.byte_range()))
        .collect();
    let keys: Vec<&str> = texts.iter().map(|text| key(text)).collect();
    let mut places: Vec<(usize, &String)> = new
        .iter()
        .map(|name| (order::position(&keys, key(name)), name))
        .collect();
    places.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| key(x).cmp(key(y))));
    let mut splices: Vec<Splice> = Vec::new();
    for (at, name) in places {
        let Some(splice) = put(file, names, at, name) else {
            continue;
        };
        match splices.last_mut() {
            Some(last) if last.at == splice.at => last.new.extend(splice.new),
            _ => splices.push(splice),
        }
    }
    splices
}

/// Returns the name that a list is ordered by: without `type` and `as`.
fn key(name: &str) -> &str {
    let name = name.strip_prefix("type ").unwrap_or(name);
    name.split([' ', ':']).next().unwrap_or(name)
}

fn put(file: File<'_>, names: &[Node<'_>], at: usize, name: &str) -> Option<Splice> {
    let (beside, is_next) = match names.get(at) {
        Some(next) => (*next, true),
        None => (*names.last()?, false),
    };
    let (start, end) = (beside.start_byte(), beside.end_byte());
    let own_line = begins_line(file.text, start);
    let rest = file.text.slice(end..);
    let comma = rest.trim_start_matches([' ', '\t']).starts_with(',');
    let place = match (own_line, is_next) {
        (false, true) => ListPlace::Before(start),
        (false, false) => ListPlace::After(end),
        (true, true) => ListPlace::Line(file.source.line_of(start)),
        (true, false) if comma => ListPlace::Line(file.source.line_of(end) + 1),
        (true, false) => ListPlace::LineAfter(end),
    };
    let base = if own_line { file.indent_at(start) } else { "" };
    let place = InsertionPlace::Listed(ListMark::Comma, place);
    Some(InsertionPoint::new(file.source, place, base).splice(file.source, name))
}
