//! Rows of the review pane.
//!
//! In: the review list and where the user is in it. Out: title, files and diff.

use signoff_core::review::{HunkStatus, HunkView, ProposalView, Verdict};

use super::Review;
use super::hunk_lines::{self, DiffRow};
use super::words::{deed, waiting};
use crate::theme::Role;
use crate::wrap::Row;

/// Columns in front of every row: which hunk is selected.
pub(super) const MARGIN: usize = 2;

/// Fewer rows than this have no room for a title.
const TITLED: usize = 3;

/// Fewer rows than this have no room for a list of files.
const LISTED: usize = 6;

/// The most rows that the list of files takes.
const MOST_LISTED: usize = 6;

impl Review {
    /// Returns the rows for `height` rows of `width` columns, as they were laid out: title, files,
    /// diff.
    pub(crate) fn rows(&self, width: usize, height: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        if height >= TITLED {
            rows.push(self.title().clipped(width).ruled(width));
        }
        rows.extend(self.list(width, self.listed(height)));
        rows.extend(self.diff(width));
        rows
    }

    /// Returns how many rows are above the diff.
    pub(super) fn heading(&self, height: usize) -> usize {
        usize::from(height >= TITLED) + self.listed(height)
    }

    fn listed(&self, height: usize) -> usize {
        let room = (height / 4).min(MOST_LISTED);
        match self.files.len() {
            0 | 1 => 0,
            _ if height < LISTED => 0,
            files => files.min(room),
        }
    }

    fn title(&self) -> Row {
        let waiting = waiting(self.pending(), self.conflicts());
        let mut row = Row::new(Role::Dim, "── ").with(Role::Strong, "Review");
        match self.files.as_slice() {
            [file] => {
                let text = format!("  {} {}", deed(file.operation), file.path);
                row.push(Role::Text, &text);
                row.push(Role::Text, &format!("  {waiting}"));
            }
            files => {
                let text = format!("  {waiting} in {} files", files.len());
                row.push(Role::Text, &text);
            }
        }
        if let Some((role, words)) = self.checks.title() {
            row.push(Role::Text, "  ");
            row.push(role, words);
        }
        if self.marks.count() > 0 {
            let text = format!("  {} marked: Enter submits", self.marks.count());
            row.push(Role::Warn, &text);
        }
        row
    }

    fn list(&self, width: usize, height: usize) -> Vec<Row> {
        let top = (self.file + 1).saturating_sub(height);
        self.files
            .iter()
            .enumerate()
            .skip(top)
            .take(height)
            .map(|(index, file)| self.list_row(file, index == self.file).clipped(width))
            .collect()
    }

    fn list_row(&self, file: &ProposalView, selected: bool) -> Row {
        let (mark, role) = if selected {
            ("▸ ", Role::Selected)
        } else {
            ("  ", Role::Text)
        };
        let sum = |count: fn(&HunkView) -> u32| file.hunks.iter().map(count).sum::<u32>();
        let marked = file.hunks.iter().filter(|h| self.marks.get(h.id).is_some());
        let waiting = file.hunks.iter().filter(|hunk| hunk.status.is_open());
        let waiting = waiting.count();
        Row::new(role, mark)
            .with(role, &file.path)
            .with(Role::Dim, &format!("  {}  ", deed(file.operation)))
            .with(Role::Added, &format!("+{}", sum(|hunk| hunk.added)))
            .with(Role::Text, " ")
            .with(Role::Removed, &format!("-{}", sum(|hunk| hunk.removed)))
            .with(
                Role::Text,
                &format!("  {}/{waiting} marked  ", marked.count()),
            )
            .with(Role::Dim, &file.description)
    }

    fn diff(&self, width: usize) -> Vec<Row> {
        let (Some(file), Some(laid)) = (self.files.get(self.file), &self.laid) else {
            return vec![Row::new(Role::Dim, "Nothing waits for review.")];
        };
        let shown = self.shown();
        let rows = laid.diff.rows().iter().skip(shown.start).take(shown.len());
        let rows = rows.map(|row| self.diff_row(file, row).clipped(width));
        let pinned = self.is_head_off().then(|| self.pinned(file).clipped(width));
        pinned.into_iter().chain(rows).collect()
    }

    fn pinned(&self, file: &ProposalView) -> Row {
        let mut row = Row::new(Role::Selected, "▌ ");
        if let Some(hunk) = file.hunks.get(self.hunk) {
            row.append(&self.mark_of(hunk));
            row.push(Role::Text, " ");
            row.append(&hunk_lines::pinned_head(hunk, &file.path));
        }
        row
    }

    fn diff_row(&self, file: &ProposalView, row: &DiffRow) -> Row {
        let (hunk, content) = match row {
            DiffRow::Gap => (None, Row::default()),
            DiffRow::About(_, content) => (None, content.clone()),
            DiffRow::Line(hunk, _, content) => (Some(*hunk), content.clone()),
            DiffRow::Head(hunk) => (Some(*hunk), self.head(file, *hunk)),
        };
        let mut out = if hunk == Some(self.hunk) {
            Row::new(Role::Selected, "▌ ")
        } else {
            Row::new(Role::Text, "  ")
        };
        out.append(&content);
        out
    }

    fn head(&self, file: &ProposalView, index: usize) -> Row {
        let Some(hunk) = file.hunks.get(index) else {
            return Row::default();
        };
        let mut row = self.mark_of(hunk);
        row.push(Role::Text, " ");
        row.append(&hunk_lines::head(hunk));
        let said = match (&hunk.status, self.marks.get(hunk.id)) {
            (HunkStatus::Denied { reason }, _) => reason.as_deref(),
            (_, Some(Verdict::Deny { reason })) => reason.as_deref(),
            _ => None,
        };
        if let Some(said) = said {
            row.push(Role::Text, "  ");
            row.push(Role::Warn, said);
        }
        row
    }

    fn mark_of(&self, hunk: &HunkView) -> Row {
        let (role, mark) = match (&hunk.status, self.marks.get(hunk.id)) {
            (HunkStatus::Committed | HunkStatus::Edited { .. }, _) => (Role::Good, "[written]"),
            (HunkStatus::Denied { .. }, _) => (Role::Bad, "[denied]"),
            (HunkStatus::Replaced { .. } | HunkStatus::Rewritten { .. }, _) => {
                (Role::Dim, "[replaced]")
            }
            _ if self.marks.is_sent(hunk.id) => (Role::Dim, "[...]"),
            (_, Some(Verdict::Deny { .. })) => (Role::Bad, "[deny]"),
            (HunkStatus::Conflict { .. }, Some(_)) => (Role::Good, "[approve over yours]"),
            (HunkStatus::Conflict { .. }, None) => (Role::Warn, "[conflict]"),
            (HunkStatus::Pending, Some(Verdict::Approve)) => (Role::Good, "[approve]"),
            (HunkStatus::Pending, Some(Verdict::ApproveEdited { .. })) => {
                (Role::Good, "[approve edited]")
            }
            (HunkStatus::Pending, None) => (Role::Text, "[ ]"),
        };
        Row::new(role, mark)
    }
}
