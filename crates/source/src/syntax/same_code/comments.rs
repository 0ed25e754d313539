//! Comments of two texts that are the same code otherwise.
//!
//! In: both texts, and where their comments are. Out: true if these are the same, in the same order, at the same tokens
//! and on the same side of a line end. A comment that a tool reads (`// @ts-ignore`, `# noqa`, `# type:`, a shebang) is
//! about its line or about the next one: both have to be there as they were.

use std::ops::Range;

use super::{is_blank, signs};
use crate::text::Slice;

/// What stands in comments that compilers, linters, formatters and bundlers read. A comment that has one of these by
/// chance is only looked at more strictly.
const READ_BY_TOOLS: &[&str] = &[
    "ignore",
    "disable",
    "enable",
    "lint",
    "noqa",
    "nosec",
    "pragma",
    "type:",
    "fmt",
    "prettier",
    "pylint",
    "isort",
    "yapf",
    "mypy",
    "pyright",
    "pyre",
    "ruff",
    "istanbul",
    "c8 ",
    "v8 ",
    "cover",
    "webpack",
    "vite",
    "sourcemap",
    "sourceurl",
    "biome",
    "deno",
    "flow",
    "jsx",
    "coding",
    "vim:",
    "noinspection",
    "language=",
    "rustfmt",
    "clippy",
    "pure",
    "global",
    "exported",
    "expect",
    "skip",
    "nocheck",
    "region",
    "import",
    "include",
    "export",
    "go:",
    "build",
];

/// Tells whether comments are the same, and attached alike.
pub(super) fn are_same(
    (before, old): (&str, &[Range<usize>]),
    (after, new): (&str, &[Range<usize>]),
) -> bool {
    let (old, new) = (placed(before, old), placed(after, new));
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| old.is_same(new))
}

/// A comment and where it stands.
struct Placed<'a> {
    text: &'a str,
    /// The code before it, in signs.
    signs: usize,
    /// Whether code stands before it on its line.
    is_behind_code: bool,
    /// Whether code stands after it on its line.
    is_before_code: bool,
    /// The whole of its lines, and the line after them.
    line: &'a str,
    next: &'a str,
    /// Its line, where that is one of the first two: a shebang or an encoding may stand there.
    number: Option<usize>,
}

fn placed<'a>(text: &'a str, comments: &[Range<usize>]) -> Vec<Placed<'a>> {
    let mut placed = Vec::new();
    let (mut at, mut count) = (0, 0);
    for range in comments {
        count += signs(text.slice(at..range.start));
        at = range.end;
        let start = text
            .slice(..range.start)
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let rest = text.slice(range.end..);
        let end = rest.find('\n').map_or(text.len(), |end| range.end + end);
        let next = text.slice(end..).strip_prefix('\n').unwrap_or("");
        placed.push(Placed {
            text: text.slice(range.clone()),
            signs: count,
            is_behind_code: has_code(text.slice(start..range.start)),
            is_before_code: has_code(text.slice(range.end..end)),
            line: text.slice(start..end).trim(),
            next: next.lines().next().unwrap_or("").trim(),
            number: Some(text.slice(..range.start).matches('\n').count()).filter(|line| *line < 2),
        });
    }
    placed
}

fn has_code(text: &str) -> bool {
    text.chars().any(|c| !is_blank(c))
}

impl Placed<'_> {
    fn is_same(&self, other: &Self) -> bool {
        has_same_text(self.text, other.text)
            && self.signs == other.signs
            && self.is_behind_code == other.is_behind_code
            && self.is_before_code == other.is_before_code
            && (!self.is_read_by_tools()
                || (self.line, self.next, self.number) == (other.line, other.next, other.number))
    }

    fn is_read_by_tools(&self) -> bool {
        let body = self.text.trim_start_matches(['/', '*', '#']);
        let opens = self.text.starts_with("#!")
            || self.text.starts_with("///")
            || body.starts_with([':', '#']);
        // The lines of a documentation comment begin with stars; its tags are read by tools that read no layout.
        let is_marked =
            !self.text.starts_with("/**") && is_marked(body.trim_end_matches(['*', '/']));
        let lower = body.to_lowercase();
        opens || is_marked || READ_BY_TOOLS.iter().any(|word| lower.contains(word))
    }
}

fn is_marked(body: &str) -> bool {
    let first = body.trim_start();
    first.starts_with(|c: char| !c.is_alphanumeric() && !"\"'`(\u{2014}".contains(c))
}

/// Compares two comments: the stars that lines of a documentation comment begin with may be indented otherwise.
fn has_same_text(one: &str, other: &str) -> bool {
    one.trim_end() == other.trim_end()
        || is_starred(one) && is_starred(other) && trimmed_lines(one) == trimmed_lines(other)
}

fn trimmed_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_owned()).collect()
}

fn is_starred(text: &str) -> bool {
    let mut lines = text.lines().skip(1);
    text.starts_with("/*") && lines.all(|line| line.trim_start().starts_with('*'))
}
