//! Rows of the review pane.
//!
//! In: the review list and where the user is in it. Out: title, files and diff.

use signoff_core::plural::counted;
use signoff_core::review::{HunkStatus, HunkView, ProposalView, Verdict};

use super::checks::Checks;
use super::diff_pane::DiffPane;
use super::filter::ReviewFilter;
use super::hunk_lines::{self, DiffRow};
use super::list::ReviewList;
use super::marks::Marks;
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

/// Returns how many rows are above the diff.
pub(super) fn heading(list: &ReviewList, height: usize) -> usize {
    usize::from(height >= TITLED) + listed(list, height)
}

/// Returns how many rows the list of files takes.
fn listed(list: &ReviewList, height: usize) -> usize {
    let room = (height / 4).min(MOST_LISTED);
    match list.files().len() {
        0 | 1 => 0,
        _ if height < LISTED => 0,
        files => files.min(room),
    }
}

/// Returns the title, if there is room for one.
pub(super) fn title(
    list: &ReviewList,
    marks: &Marks,
    checks: &Checks,
    width: usize,
    height: usize,
) -> Option<Row> {
    if height < TITLED {
        return None;
    }
    let waiting = waiting(list.pending(), list.conflicts());
    let mut row = Row::new(Role::Dim, "── ").with(Role::Strong, "Review");
    match list.files() {
        [file] => {
            let text = format!("  {} {}", deed(file.operation), file.path);
            row.push(Role::Text, &text);
            row.push(Role::Text, &format!("  {waiting}"));
        }
        _ => {
            let files = counted(list.file_count(), "file");
            row.push(Role::Text, &format!("  {waiting} in {files}"));
        }
    }
    if list.filter() != ReviewFilter::All {
        let (word, hidden) = (list.filter().word(), list.hidden_count());
        row.push(Role::Warn, &format!("  filter: {word}, {hidden} hidden"));
    }
    if let Some((role, words)) = checks.title() {
        row.push(Role::Text, "  ");
        row.push(role, words);
    }
    if marks.count() > 0 {
        let text = format!("  {} marked: Enter signs off", marks.count());
        row.push(Role::Warn, &text);
    }
    Some(row.clipped(width).ruled(width))
}

/// Returns the list of files, the selected one among them.
pub(super) fn files(list: &ReviewList, marks: &Marks, width: usize, height: usize) -> Vec<Row> {
    let height = listed(list, height);
    let at = list.at().file;
    let files = list.files().iter().enumerate();
    let shown = files.skip((at + 1).saturating_sub(height)).take(height);
    shown
        .map(|(index, file)| file_row(file, marks, index == at).clipped(width))
        .collect()
}

fn file_row(file: &ProposalView, marks: &Marks, is_selected: bool) -> Row {
    let (mark, role) = if is_selected {
        ("▸ ", Role::Selected)
    } else {
        ("  ", Role::Text)
    };
    let sum = |count: fn(&HunkView) -> u32| file.hunks.iter().map(count).sum::<u32>();
    let marked = file.hunks.iter().filter(|h| marks.get(h.id).is_some());
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

/// Returns the rows of the selected file's diff that are shown.
pub(super) fn diff(list: &ReviewList, marks: &Marks, pane: &DiffPane, width: usize) -> Vec<Row> {
    let (Some(file), Some(diff)) = (list.selected_file(), pane.diff()) else {
        return vec![Row::new(Role::Dim, "Nothing waits for review.")];
    };
    let at = list.at().hunk;
    let shown = pane.shown(at);
    let rows = diff.rows().iter().skip(shown.start).take(shown.len());
    let rows = rows.map(|row| diff_row(file, (marks, list), row, at).clipped(width));
    let pinned = pane
        .is_head_off(at)
        .then(|| pinned(file, marks, at).clipped(width));
    pinned.into_iter().chain(rows).collect()
}

fn pinned(file: &ProposalView, marks: &Marks, at: usize) -> Row {
    let mut row = Row::new(Role::Selected, "▌ ");
    if let Some(hunk) = file.hunks.get(at) {
        row.append(&mark_of(hunk, marks));
        row.push(Role::Text, " ");
        row.append(&hunk_lines::pinned_head(hunk, &file.path));
    }
    row
}

fn diff_row(
    file: &ProposalView,
    (marks, list): (&Marks, &ReviewList),
    row: &DiffRow,
    at: usize,
) -> Row {
    let (hunk, content) = match row {
        DiffRow::Gap => (None, Row::default()),
        DiffRow::About(_, content) => (None, content.clone()),
        DiffRow::Line(hunk, _, content) | DiffRow::Below(hunk, content) => {
            (Some(*hunk), content.clone())
        }
        DiffRow::Head(hunk) => (Some(*hunk), head(file, (marks, list), *hunk)),
    };
    let mut out = if hunk == Some(at) {
        Row::new(Role::Selected, "▌ ")
    } else {
        Row::new(Role::Text, "  ")
    };
    out.append(&content);
    out
}

fn head(file: &ProposalView, (marks, list): (&Marks, &ReviewList), index: usize) -> Row {
    let Some(hunk) = file.hunks.get(index) else {
        return Row::default();
    };
    let mut row = mark_of(hunk, marks);
    row.push(Role::Text, " ");
    row.append(&hunk_lines::head(hunk));
    if !list.shows(hunk.id) {
        row.push(Role::Dim, "  hidden by the filter");
    }
    let said = match (&hunk.status, marks.get(hunk.id)) {
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

fn mark_of(hunk: &HunkView, marks: &Marks) -> Row {
    let (role, mark) = match (&hunk.status, marks.get(hunk.id)) {
        (HunkStatus::Committed | HunkStatus::Edited { .. }, _) => (Role::Good, "[written]"),
        (HunkStatus::Denied { .. }, _) => (Role::Bad, "[denied]"),
        (HunkStatus::Replaced { .. } | HunkStatus::Rewritten { .. }, _) => {
            (Role::Dim, "[replaced]")
        }
        _ if marks.is_sent(hunk.id) => (Role::Dim, "[...]"),
        (_, Some(Verdict::Deny { .. })) => (Role::Bad, "[deny]"),
        (HunkStatus::Conflict { .. }, Some(_)) => (Role::Good, "[approve over yours]"),
        (HunkStatus::Conflict { .. }, None) => (Role::Warn, "[conflict]"),
        (HunkStatus::Pending, Some(Verdict::Approve)) => (Role::Good, "[approve]"),
        (HunkStatus::Pending, Some(Verdict::ApproveEdited { .. })) => {
            (Role::Good, "[approve edited]")
        }
        (HunkStatus::Pending, None) if marks.is_asked(hunk.id) => (Role::Warn, "[asked]"),
        (HunkStatus::Pending, None) => (Role::Text, "[ ]"),
    };
    Row::new(role, mark)
}
