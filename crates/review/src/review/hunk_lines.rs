//! Texts beside the lines of a diff: about the file, heads of hunks, warnings.
//!
//! In: a proposal. Out: rows, not yet wrapped.

use std::borrow::Cow;

use signoff_core::edit::intent::Operation;
use signoff_core::plural::counted;
use signoff_core::stage::review::{
    ChangedMove, HunkStatus, HunkView, ProposalView, RevertHunk, RevertOutcome, RevertTarget,
    RevertedFile,
};

use super::KeyNames;
use super::line_rows::{Inked, LineFormat, digits};
use super::review_file::ReviewFile;
use super::words::place;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// What is said of a hunk that changes lines of another one that waits.
const BUILDS_ON: &str = "changes lines of an earlier hunk that waits too: decide on both";

/// From this width on heads of hunks have room for words.
pub(super) const IN_WORDS: usize = 60;

/// Returns what a revert would do as rows: which part goes back, what is in the way of files that stay, and what would
/// change.
pub(crate) fn revert_rows(outcome: &RevertOutcome, width: usize) -> Vec<Row> {
    let width = width.max(8);
    let is_one = matches!(outcome.target.parts().0, RevertTarget::OneFile { .. });
    let stays = outcome.blocked.iter().flat_map(|file| &file.hunks);
    let goes = outcome.files.iter().flat_map(|file| &file.hunks);
    let digits = digits(stays.chain(goes).flat_map(|hunk| &hunk.lines), 0);
    let format = LineFormat::stacked(digits, width, false);
    let nothing = outcome.is_nothing().then(|| outcome.nothing.clone());
    let mut rows = Vec::new();
    for why in outcome.part().into_iter().chain(nothing) {
        rows.extend(warning(&why, width));
    }
    for file in &outcome.blocked {
        rows.extend(warning(&file.why, width));
        let hunks = file.hunks.iter();
        rows.extend(hunks.flat_map(|hunk| hunk_rows(hunk, "", &format, width)));
    }
    let mut files: Vec<&RevertedFile> = outcome.files.iter().collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    for file in files {
        if is_one && let Some(to) = &file.to {
            let row = Row::new(Role::Text, "moves the file to ").with(Role::Strong, to);
            rows.extend(wrap::wrap(&row, width, 2, Break::Words));
        }
        let name = match &file.to {
            _ if is_one => String::new(),
            Some(to) => format!("{} -> {to}  ", file.path),
            None => format!("{}  ", file.path),
        };
        if file.hunks.is_empty() && !is_one {
            // A move, or other permissions: the file has to be named all the same.
            let head = format!("{name}{}", file.summary);
            rows.extend([Row::default(), Row::new(Role::Hunk, &head).clipped(width)]);
        }
        let hunks = file.hunks.iter();
        rows.extend(hunks.flat_map(|hunk| hunk_rows(hunk, &name, &format, width)));
    }
    rows
}

fn warning(why: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Warn, "! ").with(Role::Warn, why);
    wrap::wrap(&row, width, 2, Break::Words)
}

fn hunk_rows(hunk: &RevertHunk, name: &str, format: &LineFormat, width: usize) -> Vec<Row> {
    let head = format!("{name}{}", hunk.header);
    let mut rows = vec![
        Row::default(),
        Row::new(Role::Hunk, place(&head)).clipped(width),
    ];
    let lines = hunk.lines.iter();
    rows.extend(lines.flat_map(|line| format.rows(&Inked::of(line, &[]))));
    for row in yours(&hunk.yours) {
        rows.extend(wrap::wrap(&row, width, 2, Break::Anywhere));
    }
    rows
}

/// Returns what the user has in the place of a hunk in conflict with it.
pub(super) fn yours(yours: &[String]) -> Vec<Row> {
    let head = Row::new(Role::Warn, "! there now:");
    let lines = yours.iter();
    let lines = lines.map(|line| {
        let mut row = Row::new(Role::Warn, "| ");
        row.push_counted(Role::Text, line);
        row
    });
    let head = (!yours.is_empty()).then_some(head);
    head.into_iter().chain(lines).collect()
}

/// Returns the head of a hunk without its mark, for a pane that has `width` columns and `room` for it; so many lines come and
/// go. Where there is little room the enclosing line is all of its place: the numbers stand beside the lines. Of a head that is
/// too long the place is cut, and nothing that is said behind it.
pub(crate) fn head(
    hunk: &HunkView,
    (added, removed): (u32, u32),
    width: usize,
    room: usize,
) -> Row {
    let header = header_in_file(hunk);
    let (_, enclosing) = parts_of(&header);
    let place = match enclosing.trim_start() {
        enclosing if width < IN_WORDS && !enclosing.is_empty() => enclosing,
        _ => &*header,
    };
    let mut said = Row::new(Role::Dim, "  ")
        .with(Role::Good, &format!("+{added}"))
        .with(Role::Text, " ")
        .with(Role::Bad, &format!("-{removed}"));
    if let Some(group) = &hunk.group {
        let also = if group.outlier { " and more" } else { "" };
        said.push(Role::Dim, &format!("  {}{also}", group.rewrite));
    }
    let room = room.saturating_sub(said.width());
    let mut head = Row::new(Role::Hunk, place).clipped(room);
    head.append(&said);
    head
}

/// Returns the head of a hunk that is told by these words alone.
pub(super) fn folded(hunk: &HunkView, words: &str) -> Row {
    let header = header_in_file(hunk);
    let place = header.split("@@").nth(1).map_or("", str::trim);
    let mut row = Row::new(Role::Good, "▸ ");
    row.push_counted(Role::Text, words);
    row.with(Role::Dim, &format!("  {place}  "))
        .with(Role::Good, &format!("+{}", hunk.added))
        .with(Role::Text, " ")
        .with(Role::Bad, &format!("-{}", hunk.removed))
}

/// Returns a hunk's header with the line numbers of its file: those on disk, and those with all that waits.
fn header_in_file(hunk: &HunkView) -> Cow<'_, str> {
    let shown = place(&hunk.header);
    let moved = hunk.place.and_then(|own| {
        let rest = shown.strip_prefix("@@ -")?;
        let (old, rest) = rest.split_once(" +")?;
        let (new, rest) = rest.split_once(" @@")?;
        let old = moved_side(old, own.before)?;
        let new = moved_side(new, own.after)?;
        Some(format!("@@ -{old} +{new} @@{rest}"))
    });
    moved.map_or(Cow::Borrowed(shown), Cow::Owned)
}

fn moved_side(side: &str, by: i32) -> Option<String> {
    let (first, count) = side.split_once(',')?;
    let first: u32 = first.parse().ok()?;
    Some(format!("{},{count}", first.checked_add_signed(by)?))
}

/// Splits a place into the numbers of its lines and the enclosing line.
fn parts_of(place: &str) -> (&str, &str) {
    let second = place.match_indices("@@").nth(1);
    let split = second.and_then(|(at, mark)| place.split_at_checked(at + mark.len()));
    split.unwrap_or((place, ""))
}

/// Returns the head that stays in sight while the hunk's own is scrolled off: place, file and enclosing line.
pub(crate) fn pinned_head(hunk: &HunkView, path: &str) -> Row {
    let header = header_in_file(hunk);
    let (numbers, enclosing) = parts_of(&header);
    Row::new(Role::Hunk, numbers)
        .with(Role::Dim, "  ")
        .with(Role::Strong, path)
        .with(Role::Hunk, " ")
        .with(Role::Hunk, enclosing)
}

/// Returns what must not be missed of a hunk: where a block that moved with changes has its other side, that the user
/// denied it before, and what it is in conflict with.
pub(super) fn warnings(hunk: &HunkView, names: &KeyNames) -> Vec<Row> {
    let denied = hunk.denied_before.as_ref().map(|denied| {
        let why = denied.reason.as_deref();
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        format!("denied before{why}")
    });
    let conflict = match &hunk.status {
        HunkStatus::Conflict { reason } => Some(reason.clone()),
        _ => None,
    };
    let keys = conflict.is_some().then(|| {
        let row = Row::new(Role::Text, "  ").with(Role::Key, &names.keep_mine);
        let row = row.with(Role::Dim, " keeps yours");
        if !hunk.takeable {
            return row;
        }
        row.with(Role::Key, &format!("  {}", names.take_theirs))
            .with(Role::Dim, " takes this")
            .with(Role::Key, &format!("  {}", names.edit))
            .with(Role::Dim, " edits both")
    });
    let builds_on = hunk.place.and_then(|place| place.builds_on);
    let builds_on = builds_on.map(|_| BUILDS_ON.to_owned());
    // An approval that counts needs no warning, and is told all the same: it is what the user waits for.
    let others = hunk.verdicts.iter().map(ToString::to_string);
    let texts = denied.into_iter().chain(conflict).chain(builds_on);
    let texts = texts.chain(others);
    let texts = texts.map(|text| Row::new(Role::Warn, "! ").with(Role::Warn, &text));
    let moved = hunk.moved.as_ref();
    let moved = moved.map(|moved| Row::new(Role::Text, &other_side(hunk, moved)));
    moved.into_iter().chain(texts).chain(keys).collect()
}

/// Returns where the other side of a block that moved is, and how much of it changed.
fn other_side(hunk: &HunkView, moved: &ChangedMove) -> String {
    let ChangedMove { path, line, .. } = moved;
    let way = if hunk.removed == 0 { "from" } else { "to" };
    let lines = counted(moved.lines, "line");
    let changed = match moved.words {
        0 => "the indentation changed".to_owned(),
        words => format!("{} changed", counted(words, "word")),
    };
    format!("{lines} moved {way} {path}:{line}, {changed}")
}

/// Returns what an operation means for the file as a whole, where that must not be missed.
pub(crate) fn banner(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::Create => Some("new file"),
        Operation::Delete => Some("deleted: the file goes"),
        Operation::Move => Some("moves the file"),
        Operation::Link => Some("makes it a symbolic link"),
        Operation::Permissions => Some("changes its permissions"),
        Operation::Rewrite => Some("rewrites the whole file"),
        Operation::Modify => None,
    }
}

/// Returns the name of a file, and what becomes of it as a whole.
pub(super) fn title(file: &ReviewFile) -> Row {
    let mut title = Row::new(Role::Strong, file.path());
    let mut told: Vec<&str> = Vec::new();
    for own in file.proposals() {
        let banner = banner(own.operation).filter(|_| !file.is_card());
        if let Some(banner) = banner.filter(|own| !told.contains(own)) {
            title.push(Role::Text, "  ");
            title.push(Role::Warn, banner);
            told.push(banner);
        }
        if let Some(to) = &own.to {
            title.push(Role::Warn, " to ");
            title.push(Role::Strong, to);
        }
    }
    title
}

/// Returns whether there is nothing to say about a proposal.
pub(super) fn says_nothing(proposal: &ProposalView) -> bool {
    about(proposal, &KeyNames::default()).is_empty()
}

/// Returns what is said about a proposal: what it is for, and what must be known before a verdict.
pub(super) fn about(proposal: &ProposalView, names: &KeyNames) -> Vec<Row> {
    let mut rows = Vec::new();
    if !proposal.description.trim().is_empty() {
        let mut row = Row::default();
        row.push_counted(Role::Text, &proposal.description);
        rows.push(row);
    }
    if proposal.proposer.is_named() {
        let mut row = Row::new(Role::Dim, "proposed by ");
        row.push_counted(Role::Dim, &proposal.proposer.to_string());
        rows.push(row);
    }
    rows.extend(placed(proposal, &names.placement));
    if let Some(note) = &proposal.note {
        let mut row = Row::new(Role::Warn, "! ");
        row.push_counted(Role::Warn, note);
        rows.push(row);
    }
    rows
}

/// Returns how the place was found, where it is not the text that was asked for, letter by letter.
fn placed(proposal: &ProposalView, key: &str) -> Option<Row> {
    let placed = proposal.placed.as_ref()?;
    if proposal.is_guess {
        let text = format!("! {placed}; {key} shows what the model quoted");
        return Some(Row::new(Role::Warn, &text));
    }
    Some(Row::new(Role::Dim, placed))
}
