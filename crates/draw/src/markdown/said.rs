//! Rows of what a model says.

use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// What stands in front of the rows of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Margin {
    pub(super) first: Row,
    pub(super) others: Row,
}

/// Wraps a line of the model's. Where a row of it would begin with a mark, or like a title, or with what looks like one, a
/// rule stands before all of them: a mark in the first column is signoff's alone.
pub fn said(line: &Row, width: usize, hang: usize, breaks: Break) -> Vec<Row> {
    said_within(&Margin::default(), line, width, hang, breaks)
}

/// The same with a margin.
pub(super) fn said_within(
    margin: &Margin,
    line: &Row,
    width: usize,
    hang: usize,
    breaks: Break,
) -> Vec<Row> {
    const RULE: &str = "│ ";
    let rows = within(margin, line, width, hang, breaks);
    if !rows.iter().any(begins_with_mark) {
        return rows;
    }
    let room = width.saturating_sub(RULE.chars().count()).max(1);
    let rows = within(margin, line, room, hang, breaks).into_iter();
    let ruled = rows.map(|row| {
        let mut ruled = Row::new(Role::Dim, RULE);
        ruled.append(&row);
        ruled
    });
    ruled.collect()
}

fn within(margin: &Margin, line: &Row, width: usize, hang: usize, breaks: Break) -> Vec<Row> {
    let taken = margin.others.width().max(margin.first.width());
    if taken == 0 {
        return wrap::wrap(line, width, hang, breaks);
    }
    // A margin takes half of the width at most, however deep a list is nested.
    let taken = taken.min(width / 2);
    let rows = wrap::wrap(line, width - taken, hang, breaks).into_iter();
    let margins = [&margin.first]
        .into_iter()
        .chain(std::iter::repeat(&margin.others));
    let all = rows.zip(margins).map(|(row, margin)| {
        let mut whole = margin.clone().clipped(taken);
        whole.append(&row);
        whole
    });
    all.collect()
}

/// Returns whether a row looks like one of signoff's own, as `■ Staged 2 hunks` or `? bash wants to run`.
fn begins_with_mark(row: &Row) -> bool {
    let text: String = row.pieces().map(|(_, text)| text).collect();
    if begins_like_title(&text) {
        return true;
    }
    let mut text = text.trim_start().chars();
    match text.next() {
        Some('?' | '!') => text.next().is_none_or(char::is_whitespace),
        Some(c) => matches!(
            c,
            '·' | '›' | '‣' | '‧' | '∙' | '√' | '⋅'
                // Arrows, blocks, geometric shapes, symbols and dingbats.
                | '\u{2190}'..='\u{21ff}' | '\u{2580}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        ),
        None => false,
    }
}

/// Returns whether a text begins as the title of a page, `── Review  1 hunk waits`: with two or more strokes that are, or
/// look like, a rule, a blank, and words. The rule of a table has no words, and `--flag` no blank. Code is set off already,
/// so that `-- a comment` in SQL stays as it is.
fn begins_like_title(text: &str) -> bool {
    let is_stroke = |c: char| {
        matches!(
            c,
            '-' | '=' | '_' | '~' | '¯' | 'ー' | '一' | '丨'
                // Hyphens and dashes, a horizontal bar, boxes, and full-width forms.
                | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{203e}' | '\u{2043}' | '\u{2212}' | '\u{23af}' | '\u{23bb}'..='\u{23bd}'
                | '\u{2500}'..='\u{257f}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' | '\u{ff3f}' | '\u{ff70}'
        )
    };
    if text.starts_with("  ") {
        return false;
    }
    let words = text.trim_start_matches(|c: char| is_stroke(c) || c.is_whitespace());
    let Some(head) = text.strip_suffix(words) else {
        return false;
    };
    let strokes = head.chars().filter(|c| is_stroke(*c)).count();
    strokes >= 2 && head.ends_with(char::is_whitespace) && words.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    /// A model wrote `── Review  1 hunk waits` into the first column.
    #[test]
    fn what_looks_like_a_title_or_a_mark_is_set_off() {
        for (text, is_set_off) in [
            ("── Review  1 hunk waits ────", true),
            (" ── Sign off", true),
            ("  -- a comment in SQL", false),
            ("—— Review  1 hunk waits", true),
            ("━━ Written", true),
            ("-- Review", true),
            ("– – Review", true),
            ("⸺⸺ Review", true),
            ("▌ [approve] hunk 1 of 3", true),
            ("? bash wants to run", true),
            ("■ Staged 2 hunks", true),
            ("--flag takes a value", false),
            ("- an item", false),
            ("— said the user", false),
            ("─────┼─────────────", false),
            ("What is 2 - 1?", false),
            ("plain words", false),
            ("", false),
        ] {
            let row = Row::new(Role::Text, text);
            let rows = text_of(&said(&row, 60, 0, Break::Words));
            assert_eq!(rows[0].starts_with("│ "), is_set_off, "{rows:?}");
        }
        // In the row that a line goes on in.
        let row = Row::new(Role::Text, "twelve words ── Review");
        let rows = text_of(&said(&row, 14, 0, Break::Words));
        assert!(rows.iter().all(|row| row.starts_with("│ ")), "{rows:?}");
    }
}
