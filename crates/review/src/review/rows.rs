//! Rows of the review pane.
//!
//! In: the review list and where the user is in it. Out: title, files and diff.

use std::ops::Range;

use signoff_core::edit::intent::Operation;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkStatus, HunkView, Verdict};

use super::KeyNames;
use super::checks::Checks;
use super::critique::CritiqueNotes;
use super::diff_pane::{DiffPane, ScreenRow};
use super::edited;
use super::filter::ReviewFilter;
use super::hunk_lines::{self, IN_WORDS};
use super::line_selection::LineSelection;
use super::list::{HunkPlace, ReviewList};
use super::marks::Marks;
use super::review_file::ReviewFile;
use super::subject::EyesNeeded;
use super::tree;
use super::words::{deed, waiting};
use crate::theme::Role;
use crate::wrap::Row;

/// Columns in front of every row: which hunk is selected.
pub(super) const MARGIN: usize = 2;

/// Fewer rows than this have no room for a title.
pub(super) const TITLED: usize = 3;

/// Fewer rows than this have no room for a list of files.
const LISTED: usize = 6;

/// The most rows that the list of files takes.
const MOST_LISTED: usize = 6;

/// What the heads of hunks are drawn from.
#[derive(Clone, Copy)]
pub(super) struct HeadSource<'a> {
    pub(super) list: &'a ReviewList,
    pub(super) marks: &'a Marks,
    pub(super) critique: &'a CritiqueNotes,
    pub(super) names: &'a KeyNames,
}

/// Returns how many rows are above the diff.
pub(super) fn heading(list: &ReviewList, has_tree: bool, height: usize) -> usize {
    let listed = if has_tree { 0 } else { listed(list, height) };
    usize::from(height >= TITLED) + listed
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
    (checks, critique): (&Checks, &CritiqueNotes),
    (ignored, eyes, names): (Option<usize>, Option<EyesNeeded>, &KeyNames),
    (width, height): (usize, usize),
) -> Option<Row> {
    if height < TITLED {
        return None;
    }
    let waiting = waiting(list.pending(), list.conflicts());
    let said = |role, text: String| Row::new(Role::Text, "  ").with(role, &text);
    let marked = (marks.count() > 0).then(|| {
        let count = marks.count();
        said(
            Role::Warn,
            format!("{count} marked: {} signs off", names.sign_off),
        )
    });
    let mut row = Row::new(Role::Dim, "── ").with(Role::Strong, "Review");
    match list.files() {
        [file] => {
            let deeds = match deeds(file) {
                deeds if deeds.is_empty() => deed(Operation::Modify),
                deeds => deeds,
            };
            let text = format!("  {deeds} {}", file.path());
            row.push(Role::Text, &text);
            row.push(Role::Text, &format!("  {waiting}"));
        }
        _ => {
            row.push(Role::Text, &format!("  {waiting}"));
            let files = format!(" in {}", counted(list.file_count(), "file"));
            // What is marked is worth more.
            let kept = marked.as_ref().map_or(0, Row::width);
            if row.width() + files.len() + kept <= width {
                row.push(Role::Text, &files);
            }
        }
    }
    let filter = (list.filter() != ReviewFilter::All).then(|| {
        let (word, hidden) = (list.filter().word(), list.hidden_count());
        said(Role::Warn, format!("filter: {word}, {hidden} hidden"))
    });
    let found = checks.title();
    let found = found.map(|(role, words)| said(role, words));
    let commented = critique.title().map(|(role, words)| said(role, words));
    let eyes = eyes.map(|EyesNeeded { lines, all }| {
        let all = counted(all, "line");
        said(Role::Text, format!("{lines} of {all} to be read"))
    });
    let ignored = ignored.map(|lines| {
        let lines = counted(lines, "line");
        said(Role::Warn, format!("white space ignored: {lines}"))
    });
    // What is worth most is kept where there is no room for all.
    let mut room = width.saturating_sub(row.width());
    let mut parts = [
        (0, filter),
        (2, found),
        (3, commented),
        (4, eyes),
        (5, ignored),
        (1, marked),
    ];
    for rank in 0..parts.len() {
        for (_, part) in parts.iter_mut().filter(|(own, _)| *own == rank) {
            match part {
                Some(row) if row.width() <= room => room -= row.width(),
                _ => *part = None,
            }
        }
    }
    for part in parts.iter().filter_map(|(_, part)| part.as_ref()) {
        row.append(part);
    }
    Some(row.clipped(width).ruled(width))
}

/// Returns which files are listed, the selected one among them.
pub(super) fn files_listed(list: &ReviewList, height: usize) -> Range<usize> {
    let (rows, all) = (listed(list, height), list.files().len());
    // One row says how many more there are.
    let listed = if all > rows && rows > 1 {
        rows - 1
    } else {
        rows
    };
    let first = (list.at().file + 1).saturating_sub(listed);
    first..(first + listed).min(all)
}

/// Returns the list of files.
pub(super) fn files(
    list: &ReviewList,
    known: (&Marks, &Checks),
    width: usize,
    height: usize,
) -> Vec<Row> {
    let at = list.at().file;
    let listed = files_listed(list, height);
    let files = list.files().iter().enumerate();
    let shown = files.skip(listed.start).take(listed.len());
    let rows = shown.map(|(index, file)| file_row(file, known, index == at, width).clipped(width));
    let more = list.files().len() - listed.len();
    let has_room = self::listed(list, height) > listed.len();
    let more = has_room.then(|| Row::new(Role::Dim, &format!("  +{more} more")));
    rows.chain(more).collect()
}

fn file_row(file: &ReviewFile, known: (&Marks, &Checks), is_selected: bool, width: usize) -> Row {
    let (mark, role) = if is_selected {
        ("▸ ", Role::Selected)
    } else {
        ("  ", Role::Text)
    };
    let mut row = Row::new(role, mark);
    let room = width.saturating_sub(row.width());
    row.append(&tree::file_row(file, role, file.path(), known, room));
    let deeds = deeds(file);
    if !deeds.is_empty() {
        row.push(Role::Warn, &format!("  {deeds}"));
    }
    let mut said: Vec<&str> = Vec::new();
    for own in file.proposals() {
        let text = own.description.trim();
        if !text.is_empty() && !said.contains(&text) {
            said.push(text);
        }
    }
    row.with(Role::Dim, &format!("  {}", said.join("; ")))
}

/// Returns what becomes of a file as a whole; nothing if only its lines change.
fn deeds(file: &ReviewFile) -> String {
    let mut told: Vec<String> = Vec::new();
    for own in file.proposals() {
        let deed = deed(own.operation);
        if own.operation != Operation::Modify && !told.contains(&deed) {
            told.push(deed);
        }
    }
    told.join(", ")
}

/// Returns the rows of the diffs that are shown.
pub(super) fn diff(
    source: HeadSource<'_>,
    lines: Option<&LineSelection>,
    pane: &DiffPane,
    width: usize,
) -> Vec<Row> {
    let HeadSource { list, marks, .. } = source;
    if list.is_empty() {
        return vec![Row::new(Role::Dim, "Nothing waits for review.")];
    }
    let rows = pane.screen().iter();
    let rows = rows.map(|row| diff_row(source, lines, row, width).clipped(width));
    let pinned = pane
        .is_pinned()
        .then(|| pinned(list, marks, width).clipped(width));
    pinned.into_iter().chain(rows).collect()
}

/// Returns rows of the tree and of the diff side by side.
pub(super) fn beside(
    tree: Vec<Row>,
    diff: Vec<Row>,
    (columns, height): (usize, usize),
) -> Vec<Row> {
    let (mut tree, mut diff) = (tree.into_iter(), diff.into_iter());
    let rows = (0..height).map(|_| {
        let mut row = tree.next().unwrap_or_default();
        let gap = columns.saturating_sub(row.width());
        row.push(Role::Text, &" ".repeat(gap));
        row.push(Role::Dim, "│");
        row.append(&diff.next().unwrap_or_default());
        row
    });
    rows.collect()
}

fn pinned(list: &ReviewList, marks: &Marks, width: usize) -> Row {
    let mut row = Row::new(Role::Selected, "▌ ");
    if let Some((proposal, hunk)) = list.selected_entry() {
        row.append(&mark_of(hunk, marks));
        row.push(Role::Text, &number(list, list.at(), width));
        row.append(&hunk_lines::pinned_head(hunk, &proposal.path));
    }
    row
}

/// Returns which hunk of the review one is.
fn number(list: &ReviewList, place: HunkPlace, width: usize) -> String {
    match list.position_of(place) {
        (_, 1) => " ".to_owned(),
        (number, count) if width < IN_WORDS => format!(" {number}/{count} "),
        (number, count) => format!(" hunk {number} of {count}  "),
    }
}

fn diff_row(
    source: HeadSource<'_>,
    lines: Option<&LineSelection>,
    row: &ScreenRow,
    width: usize,
) -> Row {
    let place = row.hunk.map(|hunk| HunkPlace {
        file: row.file,
        hunk,
    });
    let mut out = if place == Some(source.list.at()) {
        let margin = lines.zip(row.line).map(|(lines, line)| lines.margin(line));
        margin.unwrap_or_else(|| Row::new(Role::Selected, "▌ "))
    } else {
        Row::new(Role::Text, "  ")
    };
    match (&row.content, place) {
        (Some(content), _) => out.append(content),
        (None, Some(place)) => {
            out.append(&head(source, place, (row.fold.as_deref(), width)));
        }
        (None, None) => {}
    }
    out
}

fn head(
    HeadSource {
        list,
        marks,
        critique,
        names,
    }: HeadSource<'_>,
    place: HunkPlace,
    (fold, width): (Option<&str>, usize),
) -> Row {
    let Some(hunk) = list.get(place) else {
        return Row::default();
    };
    let mut row = mark_of(hunk, marks);
    row.push(Role::Text, &number(list, place, width));
    let mut said = Row::default();
    if let Some((role, words)) = critique.sign_of(hunk.id) {
        said.push(Role::Text, "  ");
        said.push(role, &words);
    }
    if !list.shows(hunk.id) {
        said.push(Role::Dim, "  hidden by the filter");
    }
    let reason = match (&hunk.status, marks.get(hunk.id)) {
        (HunkStatus::Denied { reason }, _) => reason.as_deref(),
        (_, Some(Verdict::Deny { reason })) => reason.as_deref(),
        _ => None,
    };
    if let Some(reason) = reason {
        said.push(Role::Text, "  ");
        said.push(Role::Warn, reason);
    }
    match fold {
        Some(words) => {
            row.append(&hunk_lines::folded(hunk, words));
            if place == list.at() {
                row.push(Role::Key, &format!("  {}", names.fold));
                row.push(Role::Dim, " opens  ");
                row.push(Role::Key, &names.approve_folded);
                row.push(Role::Dim, " approves all folded");
            }
        }
        None => {
            let room = width.saturating_sub(MARGIN + row.width() + said.width());
            let counts = edited::counts(hunk, marks);
            row.append(&hunk_lines::head(hunk, counts, width, room));
        }
    }
    row.append(&said);
    row
}

fn mark_of(hunk: &HunkView, marks: &Marks) -> Row {
    let (role, mark) = match (&hunk.status, marks.get(hunk.id)) {
        (HunkStatus::Committed | HunkStatus::Edited { .. }, _) => (Role::Good, "[written]"),
        (HunkStatus::Denied { .. }, _) => (Role::Bad, "[denied]"),
        (HunkStatus::Replaced { .. } | HunkStatus::Rewritten { .. }, _) => {
            (Role::Dim, "[replaced]")
        }
        (HunkStatus::InFile, _) => (Role::Dim, "[already in the file]"),
        _ if marks.is_sent(hunk.id) => (Role::Dim, "[...]"),
        (_, Some(Verdict::Deny { .. })) => (Role::Bad, "[deny]"),
        (HunkStatus::Conflict { .. }, Some(Verdict::ApproveEdited { .. })) => {
            (Role::Good, "[approve edited]")
        }
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
