//! Indentation of text from a template.
//!
//! In: a template and the place it goes to. Out: its lines with the place's indentation in
//! the file's own unit.

use super::Piece;
use crate::text::Source;

/// Lines that are looked at to tell how a file is indented.
const PROBE: usize = 2000;

/// How a text is indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plan) enum Style {
    /// With tabs.
    Tabs,
    /// With this number of spaces a level.
    Spaces(usize),
}

impl Style {
    /// Returns how the file is indented, if it shows.
    pub(in crate::plan) fn of(source: &Source) -> Option<Self> {
        let lines = (0..source.line_count().min(PROBE)).map(|line| source.line(line));
        style(lines.filter_map(|line| std::str::from_utf8(line).ok()))
    }

    /// Returns one level.
    pub(in crate::plan) fn unit(self) -> String {
        match self {
            Self::Tabs => "\t".into(),
            Self::Spaces(width) => " ".repeat(width),
        }
    }
}

fn style<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Style> {
    let (mut tabs, mut spaced, mut unit) = (0, 0, usize::MAX);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        if line.starts_with('\t') {
            tabs += 1;
        } else if line.starts_with("  ") {
            spaced += 1;
            unit = unit.min(line.len() - line.trim_start_matches(' ').len());
        }
    }
    match (tabs, spaced) {
        (0, 0) => None,
        _ if tabs >= spaced => Some(Style::Tabs),
        _ => Some(Style::Spaces(unit)),
    }
}

/// Returns the white space that the line of byte `at` begins with.
pub(in crate::plan) fn leading(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    let start = head.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..).unwrap_or_default();
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

/// Takes the indentation of the first of several lines from every line, and gives the others
/// the file's unit. Blanks at the start of a text without line breaks are text.
pub(in crate::plan) fn normalised(template: &str, file: Option<Style>) -> String {
    let plain = template.replace("\r\n", "\n");
    let first = plain
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let margin = if plain.contains('\n') {
        leading(first, 0)
    } else {
        ""
    }
    .to_owned();
    let bare: Vec<&str> = plain
        .split('\n')
        .map(|line| line.strip_prefix(margin.as_str()).unwrap_or(line))
        .collect();
    let own = style(bare.iter().copied());
    let lines = bare.iter().map(|line| match (own, file) {
        (Some(own), Some(file)) => converted(line, own, file),
        _ => (*line).to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn converted(line: &str, own: Style, file: Style) -> String {
    let margin = leading(line, 0);
    let rest = line.get(margin.len()..).unwrap_or_default();
    match (own, file) {
        (Style::Spaces(width), Style::Tabs) if !margin.contains('\t') => {
            let width = width.max(1);
            let spaces = " ".repeat(margin.len() % width);
            format!("{}{spaces}{rest}", "\t".repeat(margin.len() / width))
        }
        (Style::Tabs, Style::Spaces(_)) => {
            format!("{}{rest}", margin.replace('\t', &file.unit()))
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
    let closes =
        |line: &str| leading(line, 0) == base && line.trim_start().starts_with([')', ']', '}']);
    later.last().is_some_and(|last| closes(last)) && later.iter().all(|line| line.starts_with(base))
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
        let check = |template: &str, file: Option<Style>, expected: &str| {
            assert_eq!(normalised(template, file), expected);
        };
        check("a {\n    b\n}", Some(Style::Tabs), "a {\n\tb\n}");
        check("a {\n\tb\n}", Some(Style::Spaces(2)), "a {\n  b\n}");
        check("  a {\n    b\n  }", None, "a {\n  b\n}");
        check("a {\n    b\n}", Some(Style::Spaces(2)), "a {\n    b\n}");
    }
}
