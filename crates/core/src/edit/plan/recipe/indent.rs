//! Reindenting code that a request brings along.
//!
//! In: code as a model wrote it, the indentation of its place and the file's unit. Out: the
//! code's lines at the place's depth in that unit. Lines within strings stay as they are.

use super::{Family, File, ParsedFile};
use crate::syntax::{Language, SyntaxCache};
use crate::text::indent::{Unit, body, leading};

impl File<'_> {
    /// Returns the file's unit of indentation, or what is usual in its language.
    pub(super) fn unit(self, family: Family) -> Unit {
        Unit::of(self.source).unwrap_or(match family {
            Family::Script => Unit::Spaces(2),
            Family::Rust | Family::Python => Unit::Spaces(4),
        })
    }
}

impl ParsedFile<'_> {
    /// Returns the lines of `code` at an indentation, see [`lines`].
    pub(super) fn lines(&self, code: &str, base: &str) -> Vec<String> {
        lines(self.file.cache, code, self.language, base, self.unit)
    }
}

/// Returns the lines of `code` with their least indentation replaced by `base` and deeper
/// levels in `unit`; blank lines at both ends are left out.
fn lines(
    cache: &SyntaxCache,
    code: &str,
    language: Language,
    base: &str,
    unit: Unit,
) -> Vec<String> {
    let all: Vec<&str> = code.lines().collect();
    let held = rows_in_strings(cache, code, language, all.len());
    let filled =
        |row: &usize| !row_text(&all, *row).trim().is_empty() || held.get(*row) == Some(&true);
    let Some(first) = (0..all.len()).find(filled) else {
        return Vec::new();
    };
    let last = (first..all.len()).rev().find(filled).unwrap_or(first);
    let free: Vec<usize> = (first..=last)
        .filter(|row| held.get(*row) != Some(&true) && !row_text(&all, *row).trim().is_empty())
        .collect();
    let least = common_indent(
        &free
            .iter()
            .map(|row| row_text(&all, *row))
            .collect::<Vec<_>>(),
    );
    let own = step(
        &free
            .iter()
            .map(|row| row_text(&all, *row))
            .collect::<Vec<_>>(),
        unit,
    );
    (first..=last)
        .map(|row| {
            let line = row_text(&all, row);
            if held.get(row) == Some(&true) {
                line.to_owned()
            } else if line.trim().is_empty() {
                String::new()
            } else {
                let width = leading(line).chars().count();
                let rest: String = leading(line).chars().skip(least.min(width)).collect();
                let bare = body(line).trim_end();
                format!("{base}{}{bare}", unit.converted(&rest, own))
            }
        })
        .collect()
}

fn row_text<'c>(all: &[&'c str], row: usize) -> &'c str {
    all.get(row).copied().unwrap_or_default()
}

/// Returns which rows begin within a string that began on an earlier row.
fn rows_in_strings(cache: &SyntaxCache, code: &str, language: Language, count: usize) -> Vec<bool> {
    let mut held = vec![false; count];
    let Some(parsed) = cache.parse_once(language, code) else {
        return held;
    };
    parsed.walk(|node| {
        let is_string = matches!(
            node.kind(),
            "string" | "template_string" | "string_literal" | "raw_string_literal"
        );
        if is_string {
            let (first, last) = (node.start_position().row, node.end_position().row);
            for row in held.iter_mut().take(last + 1).skip(first + 1) {
                *row = true;
            }
        }
    });
    held
}

/// Returns how many leading blanks all lines share. A first line that was pasted without its
/// own indentation has that of the line that closes it.
fn common_indent(lines: &[&str]) -> usize {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return 0;
    };
    let rest = lines.iter().skip(1).map(width).min();
    let closes = last.trim_start().starts_with(['}', ')', ']']);
    match rest {
        Some(rest) if width(first) == 0 && closes && width(last) == rest => rest,
        Some(rest) => rest.min(width(first)),
        None => width(first),
    }
}

fn width(line: &&str) -> usize {
    leading(line).chars().count()
}

/// Returns how wide a level is in the code itself.
fn step(lines: &[&str], unit: Unit) -> usize {
    let opened = lines.windows(2).filter_map(|pair| match pair {
        [above, below] if above.trim_end().ends_with(['{', ':', '(', '[']) => {
            let step = leading(below).len().saturating_sub(leading(above).len());
            (step > 0 && !leading(below).contains('\t')).then_some(step)
        }
        _ => None,
    });
    opened.min().unwrap_or(unit.width())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comes_to_the_depth_and_unit_of_its_place() {
        let check = |code: &str, base: &str, unit: Unit, expected: &[&str]| {
            assert_eq!(
                lines(&SyntaxCache::default(), code, Language::Python, base, unit),
                expected,
                "{code}"
            );
        };
        check(
            "\n  if a:\n    b\n\n  c\n\n",
            "\t",
            Unit::Tab,
            &["\tif a:", "\t\tb", "", "\tc"],
        );
        check("f(\n    x\n)", "", Unit::Spaces(2), &["f(", "  x", ")"]);
        check(
            "f(\n        x\n    )",
            "",
            Unit::Spaces(4),
            &["f(", "    x", ")"],
        );
        check(
            "  a = \"\"\"\n x\n\"\"\"\n  b",
            "    ",
            Unit::Spaces(4),
            &["    a = \"\"\"", " x", "\"\"\"", "    b"],
        );
    }
}
