//! Reindenting code that a request brings along.
//!
//! In: a file, and code as a model wrote it. Out: the file's unit of indentation, and the
//! code's lines at the place's depth in that unit. Lines within strings stay as they are.

use super::{Family, File};
use crate::syntax::Language;

/// What one level of indentation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// One tab.
    Tab,
    /// A number of blanks.
    Blanks(usize),
}

impl Unit {
    /// Returns the unit that most steps from a line to a deeper one have.
    pub(super) fn of(text: &str, family: Family) -> Self {
        Self::seen(text).unwrap_or(match family {
            Family::Script => Self::Blanks(2),
            Family::Rust | Family::Python => Self::Blanks(4),
        })
    }

    fn seen(text: &str) -> Option<Self> {
        let mut tabs = 0_usize;
        let mut widths = [0_usize; 9];
        let mut before = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let bare = line.trim_start_matches(' ');
            let width = line.len() - bare.len();
            if bare.starts_with('\t') {
                tabs += 1;
            } else {
                // A line that begins with `*` continues a block comment, one blank off.
                let step = if bare.starts_with('*') {
                    0
                } else {
                    width.saturating_sub(before)
                };
                if let Some(count) = widths.get_mut(step) {
                    *count += 1;
                }
                before = width - usize::from(bare.starts_with('*')).min(width);
            }
        }
        let (width, count) = (2..widths.len())
            .map(|width| (width, widths.get(width).copied().unwrap_or_default()))
            .max_by_key(|(width, count)| (*count, std::cmp::Reverse(*width)))?;
        if tabs > count {
            return Some(Self::Tab);
        }
        (count > 0).then_some(Self::Blanks(width))
    }

    /// Returns a number of levels as white space.
    pub(super) fn levels(self, count: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(count),
            Self::Blanks(width) => " ".repeat(width * count),
        }
    }
}

impl File<'_> {
    /// Returns the file's unit of indentation.
    pub(super) fn unit(self, family: Family) -> Unit {
        Unit::of(self.text, family)
    }
}

/// Returns the lines of `code` with their least indentation replaced by `base` and deeper
/// levels in `unit`; blank lines at both ends are left out.
pub(super) fn lines(code: &str, language: Language, base: &str, unit: Unit) -> Vec<String> {
    let all: Vec<&str> = code.lines().collect();
    let held = rows_in_strings(code, language, all.len());
    let text = |row: usize| all.get(row).copied().unwrap_or_default();
    let filled = |row: &usize| !text(*row).trim().is_empty() || held.get(*row) == Some(&true);
    let Some(first) = (0..all.len()).find(filled) else {
        return Vec::new();
    };
    let last = (first..all.len()).rev().find(filled).unwrap_or(first);
    let free: Vec<usize> = (first..=last)
        .filter(|row| held.get(*row) != Some(&true) && !text(*row).trim().is_empty())
        .collect();
    let least = common_indent(&free.iter().map(|row| text(*row)).collect::<Vec<_>>());
    let own = step(&free.iter().map(|row| text(*row)).collect::<Vec<_>>(), unit);
    (first..=last)
        .map(|row| {
            let line = text(row);
            if held.get(row) == Some(&true) {
                line.to_owned()
            } else if line.trim().is_empty() {
                String::new()
            } else {
                let width = white(line).chars().count();
                let rest: String = white(line).chars().skip(least.min(width)).collect();
                let bare = line.trim_start_matches([' ', '\t']).trim_end();
                format!("{base}{}{bare}", converted(&rest, own, unit))
            }
        })
        .collect()
}

/// Returns which rows begin within a string that began on an earlier row.
fn rows_in_strings(code: &str, language: Language, count: usize) -> Vec<bool> {
    let mut held = vec![false; count];
    let Some(parsed) = language.parse(code) else {
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
    let width = |line: &&str| white(line).chars().count();
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

/// Returns how wide a level is in the code itself.
fn step(lines: &[&str], unit: Unit) -> usize {
    let opened = lines.windows(2).filter_map(|pair| match pair {
        [above, below] if above.trim_end().ends_with(['{', ':', '(', '[']) => {
            let step = white(below).len().saturating_sub(white(above).len());
            (step > 0 && !white(below).contains('\t')).then_some(step)
        }
        _ => None,
    });
    opened.min().unwrap_or(match unit {
        Unit::Tab => 4,
        Unit::Blanks(width) => width,
    })
}

fn converted(white: &str, own: usize, unit: Unit) -> String {
    let tabs = white.chars().take_while(|c| *c == '\t').count();
    let blanks = white.chars().count() - tabs;
    let levels = tabs + blanks / own.max(1);
    format!("{}{}", unit.levels(levels), " ".repeat(blanks % own.max(1)))
}

/// Returns the white space that a line begins with.
pub(super) fn white(line: &str) -> &str {
    let bare = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - bare.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_commonest_step() {
        let check = |text: &str, unit: Unit| assert_eq!(Unit::of(text, Family::Rust), unit);
        check("a\n  b\n    c\n", Unit::Blanks(2));
        check("a\n\tb\n\t\tc\n", Unit::Tab);
        check("a\n", Unit::Blanks(4));
        check("/**\n * a\n */\nb\n    c\n", Unit::Blanks(4));
    }

    #[test]
    fn code_comes_to_the_depth_and_unit_of_its_place() {
        let check = |code: &str, base: &str, unit: Unit, expected: &[&str]| {
            assert_eq!(
                lines(code, Language::Python, base, unit),
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
        check("f(\n    x\n)", "", Unit::Blanks(2), &["f(", "  x", ")"]);
        check(
            "f(\n        x\n    )",
            "",
            Unit::Blanks(4),
            &["f(", "    x", ")"],
        );
        check(
            "  a = \"\"\"\n x\n\"\"\"\n  b",
            "    ",
            Unit::Blanks(4),
            &["    a = \"\"\"", " x", "\"\"\"", "    b"],
        );
    }
}
