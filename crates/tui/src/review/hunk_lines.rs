//! A proposal's diff as rows.
//!
//! In: a proposal and a width. Out: every line of every hunk, wrapped, with line numbers,
//! signs and emphasis; nothing is left out, so that nothing unseen is approved.

use std::ops::Range;

use signoff_core::intent::Operation;
use signoff_core::review::{DiffLine, HunkStatus, HunkView, LineKind, ProposalView, RevertPreview};

use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Below this width a line shows one number instead of two.
const NARROW: usize = 60;

/// A diff laid out for a width.
#[derive(Debug, Default)]
pub(crate) struct Diff {
    rows: Vec<DiffRow>,
    hunks: Vec<Range<usize>>,
}

/// One row of a diff.
#[derive(Debug)]
pub(crate) enum DiffRow {
    /// About the whole file.
    About(Row),
    /// The head of the hunk with this index; its mark is drawn with it.
    Head(usize),
    /// A line of the hunk with this index.
    Line(usize, Row),
}

impl Diff {
    /// Returns the rows of a proposal; `margin` columns are left to the caller.
    pub(crate) fn new(proposal: &ProposalView, width: usize, margin: usize) -> Self {
        let width = width.saturating_sub(margin).max(8);
        let mut diff = Self::default();
        for row in about(proposal) {
            let wrapped = wrap::wrap(&row, width, 2, Break::Words);
            diff.rows.extend(wrapped.into_iter().map(DiffRow::About));
        }
        let gutter = Gutter::new(proposal.hunks.iter().flat_map(|hunk| &hunk.lines), width);
        for (index, hunk) in proposal.hunks.iter().enumerate() {
            diff.rows.push(DiffRow::About(Row::default()));
            let start = diff.rows.len();
            diff.rows.push(DiffRow::Head(index));
            if let HunkStatus::Conflict { reason } = &hunk.status {
                let row = Row::new(Role::Warn, "! ").with(Role::Warn, reason);
                let wrapped = wrap::wrap(&row, width, 2, Break::Words);
                diff.rows
                    .extend(wrapped.into_iter().map(|row| DiffRow::Line(index, row)));
            }
            for line in &hunk.lines {
                let rows = gutter.rows(line, width);
                diff.rows
                    .extend(rows.into_iter().map(|row| DiffRow::Line(index, row)));
            }
            for row in yours(&hunk.yours) {
                let wrapped = wrap::wrap(&row, width, 2, Break::Anywhere);
                diff.rows
                    .extend(wrapped.into_iter().map(|row| DiffRow::Line(index, row)));
            }
            diff.hunks.push(start..diff.rows.len());
        }
        diff
    }

    /// Returns all rows.
    pub(crate) fn rows(&self) -> &[DiffRow] {
        &self.rows
    }

    /// Returns the rows of a hunk, its head included.
    pub(crate) fn span(&self, hunk: usize) -> Range<usize> {
        self.hunks.get(hunk).cloned().unwrap_or(0..0)
    }
}

/// Returns what a revert would do as rows.
pub(crate) fn revert_rows(preview: &RevertPreview, width: usize) -> Vec<Row> {
    let width = width.max(8);
    let mut rows = Vec::new();
    if let Some(why) = &preview.blocked {
        let row = Row::new(Role::Warn, "! ").with(Role::Warn, why);
        rows.extend(wrap::wrap(&row, width, 2, Break::Words));
    }
    if let Some(to) = &preview.moves_to {
        let row = Row::new(Role::Text, "moves the file to ").with(Role::Strong, to);
        rows.extend(wrap::wrap(&row, width, 2, Break::Words));
    }
    let gutter = Gutter::new(preview.hunks.iter().flat_map(|hunk| &hunk.lines), width);
    for hunk in &preview.hunks {
        rows.push(Row::default());
        rows.push(Row::new(Role::Hunk, &hunk.header).clipped(width));
        rows.extend(hunk.lines.iter().flat_map(|line| gutter.rows(line, width)));
        for row in yours(&hunk.yours) {
            rows.extend(wrap::wrap(&row, width, 2, Break::Anywhere));
        }
    }
    rows
}

/// Returns what the user has in the place of a hunk in conflict with it.
fn yours(yours: &[String]) -> Vec<Row> {
    let head = Row::new(Role::Warn, "! there now:");
    let lines = yours.iter();
    let lines = lines.map(|line| Row::new(Role::Warn, "| ").with(Role::Text, line));
    let head = (!yours.is_empty()).then_some(head);
    head.into_iter().chain(lines).collect()
}

/// Returns the head of a hunk without its mark.
pub(crate) fn head(hunk: &HunkView) -> Row {
    let mut head = Row::new(Role::Hunk, &hunk.header)
        .with(Role::Dim, "  ")
        .with(Role::Added, &format!("+{}", hunk.added))
        .with(Role::Text, " ")
        .with(Role::Removed, &format!("-{}", hunk.removed));
    if let Some(group) = &hunk.group {
        let also = if group.outlier { " and more" } else { "" };
        head.push(Role::Dim, &format!("  same: {}{also}", group.rewrite));
    }
    if let Some(denied) = &hunk.denied_before {
        let why = denied.reason.as_deref();
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        head.push(Role::Warn, &format!("  denied before{why}"));
    }
    head
}

/// Returns what an operation means for the file as a whole, where that must not be missed.
pub(crate) fn banner(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::Create => Some("new file"),
        Operation::Delete => Some("deletes the file"),
        Operation::Move => Some("moves the file"),
        Operation::Rewrite => Some("rewrites the whole file"),
        Operation::Modify => None,
    }
}

fn about(proposal: &ProposalView) -> Vec<Row> {
    let mut title = Row::new(Role::Strong, &proposal.path);
    if let Some(banner) = banner(proposal.operation) {
        title.push(Role::Text, "  ");
        title.push(Role::Warn, banner);
    }
    if let Some(to) = &proposal.to {
        title.push(Role::Warn, " to ");
        title.push(Role::Strong, to);
    }
    let mut rows = vec![title];
    if !proposal.description.trim().is_empty() {
        rows.push(Row::new(Role::Text, &proposal.description));
    }
    let id = proposal.id.to_string();
    let short = id.rsplit('-').next().unwrap_or(&id);
    let found = format!("{}: {} · {short}", proposal.strategy, proposal.evidence);
    rows.push(Row::new(Role::Dim, &found));
    if let Some(note) = &proposal.note {
        rows.push(Row::new(Role::Warn, "! ").with(Role::Warn, note));
    }
    rows
}

struct Gutter {
    digits: usize,
    both: bool,
}

impl Gutter {
    fn new<'a>(lines: impl Iterator<Item = &'a DiffLine>, width: usize) -> Self {
        let largest = lines.flat_map(|line| [line.old, line.new]).flatten().max();
        let digits = largest.unwrap_or(1).to_string().len();
        Self {
            digits,
            both: width >= NARROW,
        }
    }

    fn rows(&self, line: &DiffLine, width: usize) -> Vec<Row> {
        let numbers = self.numbers(line);
        let indent = numbers.len() + 2;
        let (sign, plain, strong) = match line.kind {
            LineKind::Context => (' ', Role::Text, Role::Text),
            LineKind::Added => ('+', Role::Added, Role::AddedWord),
            LineKind::Removed => ('-', Role::Removed, Role::RemovedWord),
        };
        let body = emphasised(&line.text, &line.emphasis, plain, strong);
        let room = width.saturating_sub(indent).max(1);
        let mut rows: Vec<_> = wrap::wrap(&body, room, 0, Break::Anywhere)
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let mut row = Row::default();
                if index == 0 {
                    row.push(Role::Dim, &numbers);
                    row.push(plain, &format!("{sign} "));
                } else {
                    row.push(Role::Dim, &" ".repeat(numbers.len()));
                    row.push(Role::Dim, "… ");
                }
                row.append(part);
                row
            })
            .collect();
        if !line.newline {
            let text = format!("{}no line ending here", " ".repeat(indent));
            rows.push(Row::new(Role::Dim, &text).clipped(width));
        }
        rows
    }

    fn numbers(&self, line: &DiffLine) -> String {
        let digits = self.digits;
        let shown = |number: Option<u32>| number.map(|n| n.to_string()).unwrap_or_default();
        if self.both {
            format!("{:>digits$} {:>digits$} ", shown(line.old), shown(line.new))
        } else {
            format!("{:>digits$} ", shown(line.new.or(line.old)))
        }
    }
}

/// Returns the text with the given byte ranges emphasised; ranges that do not fit are ignored.
fn emphasised(text: &str, ranges: &[(usize, usize)], plain: Role, strong: Role) -> Row {
    let mut row = Row::default();
    let mut at = 0;
    for (start, end) in ranges {
        if *start < at || end <= start {
            continue;
        }
        if let (Some(before), Some(inside)) = (text.get(at..*start), text.get(*start..*end)) {
            row.push(plain, before);
            row.push(strong, inside);
            at = *end;
        }
    }
    row.push(plain, text.get(at..).unwrap_or_default());
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    fn check(text: &str, emphasis: &[(usize, usize)], expected: &str) {
        let row = emphasised(text, emphasis, Role::Added, Role::AddedWord);
        let shown: String = row
            .pieces()
            .map(|(role, text)| match role {
                Role::AddedWord => format!("[{text}]"),
                _ => text.to_owned(),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn emphasises_ranges_that_fit() {
        check("let a = 1;", &[(4, 5), (8, 9)], "let [a] = [1];");
        check("é", &[(1, 2)], "é");
        check("ab", &[(1, 9)], "ab");
        check("abcd", &[(1, 3), (2, 4)], "a[bc]d");
        check("a\x1b[0m", &[(0, 1)], "[a]␛[0m");
    }

    #[test]
    fn long_lines_wrap_and_keep_every_column() {
        let line = DiffLine {
            kind: LineKind::Added,
            old: None,
            new: Some(7),
            text: "abcdefghij  klm".to_owned(),
            emphasis: Vec::new(),
            newline: false,
        };
        let gutter = Gutter {
            digits: 2,
            both: false,
        };
        assert_eq!(
            text_of(&gutter.rows(&line, 15)),
            [" 7 + abcdefghij", "   …   klm", "     no line e…"]
        );
    }
}
