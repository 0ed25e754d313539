//! A list of names in braces or parentheses, or bare.
//!
//! In: the nodes of its names. Out: the splices that put further names in, each where the
//! list's order has it, on lines of their own where the list has one name a line.

use tree_sitter::Node;

use super::super::File;
use super::order;
use crate::text::indent::leading;
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
        let splice = put(file, names, at, name);
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

fn put(file: File<'_>, names: &[Node<'_>], at: usize, name: &str) -> Splice {
    let node = |index: usize| names.get(index).copied();
    if let Some(next) = node(at) {
        let start = next.start_byte();
        let before = file.text.slice(file.line_start(start)..start);
        let text = if before.trim().is_empty() {
            format!("{name},{}{before}", file.ending_at(start))
        } else {
            format!("{name}, ")
        };
        return file.splice(start..start, text);
    }
    let Some(last) = node(names.len().saturating_sub(1)) else {
        return file.splice(0..0, "");
    };
    let (start, end) = (last.start_byte(), last.end_byte());
    let before = file.text.slice(file.line_start(start)..start);
    let rest = file.text.slice(end..);
    let comma = rest.trim_start_matches([' ', '\t']).starts_with(',');
    if !before.trim().is_empty() {
        return file.splice(end..end, format!(", {name}"));
    }
    let ending = file.ending_at(start);
    if !comma {
        return file.splice(end..end, format!(",{ending}{}{name}", leading(before)));
    }
    // After the line, so that a remark behind the comma stays with its name.
    let line = file.source.line_of(end);
    let at = file.source.line_range(line).start + file.source.line(line).len();
    file.splice(at..at, format!("{ending}{}{name},", leading(before)))
}
