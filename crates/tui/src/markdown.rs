//! Markdown rendering, one line at a time.
//!
//! In: lines of a model's text, in order. Out: rows with roles and the indent for wrapped
//! lines. A line is looked at once, so the whole is linear however it streams in.

use std::borrow::Cow;

use crate::theme::Role;
use crate::wrap::{Break, Row};

/// What earlier lines mean for the next one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Markdown {
    fence: Option<Fence>,
}

/// One line, ready to be wrapped.
#[derive(Debug)]
pub(crate) struct Line {
    /// The text with roles.
    pub(crate) row: Row,
    /// Blanks in front of wrapped lines.
    pub(crate) hang: usize,
    /// Where it may be broken.
    pub(crate) breaks: Break,
}

#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: char,
    length: usize,
}

impl Markdown {
    /// Returns the next line as it is shown.
    pub(crate) fn line(&mut self, raw: &str) -> Line {
        let text = raw.trim_end();
        if let Some(fence) = self.fence {
            return self.fenced(fence, text);
        }
        let body = text.trim_start();
        let indent = text.len() - body.len();
        if let Some(fence) = opening_fence(body) {
            self.fence = Some(fence);
            return prose(Row::new(Role::Dim, text), 0);
        }
        if let Some(heading) = heading(body) {
            return prose(Row::new(Role::Heading, heading), 0);
        }
        if is_rule(body) {
            return prose(Row::new(Role::Dim, "────────"), 0);
        }
        let margin = text.get(..indent).unwrap_or_default();
        if let Some(quoted) = body.strip_prefix('>') {
            let row = Row::new(Role::Dim, margin).with(Role::Dim, "│ ");
            return inline(row, quoted.trim_start(), indent + 2);
        }
        if let Some((marker, rest)) = list_item(body) {
            let row = Row::new(Role::Text, margin).with(Role::Strong, &marker);
            let hang = row.width();
            return inline(row, rest, hang);
        }
        inline(Row::new(Role::Text, margin), body, indent)
    }

    fn fenced(&mut self, fence: Fence, text: &str) -> Line {
        if closes(fence, text) {
            self.fence = None;
            return prose(Row::new(Role::Dim, text), 0);
        }
        Line {
            row: Row::new(Role::Text, "  ").with(Role::Code, text),
            hang: 4,
            breaks: Break::Anywhere,
        }
    }
}

fn prose(row: Row, hang: usize) -> Line {
    Line {
        row,
        hang,
        breaks: Break::Words,
    }
}

fn inline(mut row: Row, text: &str, hang: usize) -> Line {
    spans(text, &mut row);
    prose(row, hang)
}

/// Appends `text` with `**bold**` and `` `code` `` marked; what is not closed stays as it is.
fn spans(text: &str, row: &mut Row) {
    let mut rest = text;
    let (mut more_code, mut more_bold) = (true, true);
    while let Some(at) = rest.find(['`', '*']) {
        let (plain, marked) = rest.split_at(at);
        let found = if marked.starts_with('`') && more_code {
            let found = enclosed(marked, "`");
            more_code = found.is_some();
            found.map(|(_, whole, after)| (Role::Code, whole, after))
        } else if marked.starts_with("**") && more_bold {
            let found = enclosed(marked, "**");
            more_bold = found.is_some();
            found.map(|(inner, _, after)| (Role::Strong, inner, after))
        } else {
            None
        };
        row.push(Role::Text, &typographic(plain));
        rest = match found {
            Some((role, shown, after)) => {
                row.push(role, shown);
                after
            }
            None => {
                let run = marked.len() - marked.trim_start_matches(['`', '*']).len();
                let (literal, after) = marked.split_at(run);
                row.push(Role::Text, literal);
                after
            }
        };
    }
    row.push(Role::Text, &typographic(rest));
}

/// Returns prose with the narrow and the non-breaking spaces of typography as ordinary blanks,
/// where each stands alone between words and marks.
fn typographic(prose: &str) -> Cow<'_, str> {
    let is_space = |c: char| matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}');
    if !prose.contains(is_space) {
        return Cow::Borrowed(prose);
    }
    let mut out = String::with_capacity(prose.len());
    let mut blank = true;
    for c in prose.chars() {
        let alone = is_space(c) && !blank;
        blank = is_space(c) || c == ' ';
        out.push(if alone { ' ' } else { c });
    }
    Cow::Owned(out)
}

/// Splits `marked`, which begins with `mark`, into what is inside, the whole, and the rest.
fn enclosed<'a>(marked: &'a str, mark: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let tail = marked.strip_prefix(mark)?;
    let end = tail.find(mark).filter(|end| *end > 0)?;
    let (whole, after) = marked.split_at(end + 2 * mark.len());
    Some((tail.get(..end)?, whole, after))
}

fn opening_fence(body: &str) -> Option<Fence> {
    let mark = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = body.chars().take_while(|c| *c == mark).count();
    let info = body.get(length..).unwrap_or_default();
    (length >= 3 && !info.contains('`')).then_some(Fence { mark, length })
}

fn closes(fence: Fence, text: &str) -> bool {
    let body = text.trim();
    body.len() >= fence.length && body.chars().all(|c| c == fence.mark)
}

fn heading(body: &str) -> Option<&str> {
    let text = body.trim_start_matches('#');
    let level = body.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

fn is_rule(body: &str) -> bool {
    body.len() >= 3
        && ["-", "*", "_"]
            .iter()
            .any(|mark| body.replace(mark, "").is_empty())
}

fn list_item(body: &str) -> Option<(String, &str)> {
    if let Some(rest) = ["- ", "* ", "+ "].iter().find_map(|m| body.strip_prefix(m)) {
        return Some(("• ".to_owned(), rest));
    }
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let rest = body.get(digits..)?.strip_prefix(". ")?;
    (1..=9)
        .contains(&digits)
        .then(|| (body.get(..digits + 2).unwrap_or_default().to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let mut markdown = Markdown::default();
        text.lines()
            .map(|line| {
                let line = markdown.line(line);
                line.row
                    .pieces()
                    .map(|(role, text)| match role {
                        Role::Text => text.to_owned(),
                        role => format!("<{role:?}:{text}>"),
                    })
                    .collect()
            })
            .collect()
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(shown(text), expected, "{text:?}");
    }

    #[test]
    fn knows_blocks() {
        check("# Title", &["<Heading:Title>"]);
        check("#hashtag", &["#hashtag"]);
        check("- item", &["<Strong:• >item"]);
        check("  12. item", &["  <Strong:12. >item"]);
        check("> said", &["<Dim:│ >said"]);
        check("---", &["<Dim:────────>"]);
        check(
            "```rust\nlet **x** = `1`;\n```\nafter",
            &[
                "<Dim:```rust>",
                "  <Code:let **x** = `1`;>",
                "<Dim:```>",
                "after",
            ],
        );
    }

    #[test]
    fn knows_spans_and_leaves_open_ones_alone() {
        check("a **b** `c`", &["a <Strong:b> <Code:`c`>"]);
        check("2 * 3 ** 4 `x", &["2 * 3 ** 4 `x"]);
        check("**** `` x", &["**** `` x"]);
        check("*i* **b", &["*i* **b"]);
    }

    #[test]
    fn spaces_of_typography_are_blanks_in_prose_and_named_in_code() {
        check("« oui »\u{202f}: 10\u{a0}km", &["« oui » : 10 km"]);
        check(
            "a\u{a0}\u{a0}b `x\u{a0}y`",
            &["a \\u{a0}b <Code:`x\\u{a0}y`>"],
        );
    }

    #[test]
    fn many_open_marks_are_linear() {
        let text = "**a `b ".repeat(20_000);
        assert!(!shown(&text).is_empty());
    }
}
