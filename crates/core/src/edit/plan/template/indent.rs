//! Indentation of text from a template.
//!
//! In: a template and the place it goes to. Out: its lines with the place's indentation in
//! the file's own unit.

use super::Piece;
use crate::text::Slice;
use crate::text::indent::{Unit, leading};

/// Takes the indentation of the first of several lines from every line, and gives the others
/// the file's unit. Blanks at the start of a text without line breaks are text.
pub(in crate::edit::plan) fn normalised(template: &str, file: Option<Unit>) -> String {
    let plain = template.replace("\r\n", "\n");
    let first = plain
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let margin = if plain.contains('\n') {
        leading(first)
    } else {
        ""
    }
    .to_owned();
    let bare: Vec<&str> = plain
        .split('\n')
        .map(|line| line.strip_prefix(margin.as_str()).unwrap_or(line))
        .collect();
    let own = Unit::of_lines(bare.iter().copied());
    let lines = bare.iter().map(|line| match (own, file) {
        (Some(own), Some(file)) => converted(line, own, file),
        _ => (*line).to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Converts the indentation of a line between tabs and blanks. Where both have blanks, a template
/// may align its lines on purpose, so they stay.
fn converted(line: &str, own: Unit, file: Unit) -> String {
    let lead = leading(line);
    let rest = line.slice(lead.len()..);
    match (own, file) {
        (Unit::Spaces(width), Unit::Tab) if !lead.contains('\t') => {
            format!("{}{rest}", file.converted(lead, width))
        }
        (Unit::Tab, Unit::Spaces(_)) => {
            format!("{}{rest}", lead.replace('\t', &file.levels(1)))
        }
        _ => line.to_owned(),
    }
}

/// Returns whether a template is written with the place's own indentation: its last line
/// closes something exactly there.
pub(super) fn is_absolute(template: &[Piece], base: &str) -> bool {
    if base.is_empty() {
        return false;
    }
    let mut flat = String::new();
    for piece in template {
        match piece {
            Piece::Text(text) => flat.push_str(text),
            Piece::Hole(_) => flat.push('x'),
        }
    }
    let later: Vec<&str> = flat
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .collect();
    later
        .last()
        .is_some_and(|last| leading(last) == base && last.trim_start().starts_with([')', ']', '}']))
        && later.iter().all(|line| line.starts_with(base))
}

/// Appends text whose later lines get `base` in front and `ending` behind.
pub(super) fn push_lines(out: &mut String, text: &str, base: &str, ending: &str) {
    let mut lines = text.split('\n').peekable();
    let mut first = true;
    while let Some(line) = lines.next() {
        // A last line without text may be followed by a capture.
        let blank = line.is_empty() && lines.peek().is_some();
        if !std::mem::take(&mut first) {
            out.push_str(ending);
            if !blank {
                out.push_str(base);
            }
        }
        out.push_str(line);
    }
}

/// Appends text whose later lines were indented by `from` and shall be by `to`.
pub(super) fn push_reindented(out: &mut String, text: &str, from: &str, to: &str) {
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let moved = line
            .strip_prefix(from)
            .filter(|rest| !rest.trim().is_empty());
        match moved {
            Some(rest) if index > 0 => {
                out.push_str(to);
                out.push_str(rest);
            }
            _ => out.push_str(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_takes_the_unit_of_the_file() {
        let check = |template: &str, file: Option<Unit>, expected: &str| {
            assert_eq!(normalised(template, file), expected);
        };
        check("a {\n    b\n}", Some(Unit::Tab), "a {\n\tb\n}");
        check("a {\n\tb\n}", Some(Unit::Spaces(2)), "a {\n  b\n}");
        check("  a {\n    b\n  }", None, "a {\n  b\n}");
        check("a {\n    b\n}", Some(Unit::Spaces(2)), "a {\n    b\n}");
    }
}
