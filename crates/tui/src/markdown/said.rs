//! Rows of what a model says.

use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// What stands in front of the rows of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Margin {
    pub(super) first: Row,
    pub(super) others: Row,
}

/// Wraps a line of the model's. Where a row of it would begin with a mark, or with what looks like one, a rule
/// stands before all of them: a mark in the first column is signoff's alone.
pub(crate) fn said(line: &Row, width: usize, hang: usize, breaks: Break) -> Vec<Row> {
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
    let mut text = text.trim_start().chars();
    match text.next() {
        Some('?' | '!') => text.next().is_none_or(char::is_whitespace),
        Some(c) => matches!(
            c,
            '·' | '›' | '‣' | '‧' | '∙' | '√' | '⋅'
                // Arrows, geometric shapes, symbols and dingbats.
                | '\u{2190}'..='\u{21ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        ),
        None => false,
    }
}
