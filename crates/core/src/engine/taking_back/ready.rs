//! A reversal that is ready to be written: the commit and the history entry of one file.
//!
//! In: a file, its history, and the change that takes some of it back. Out: what to write, in the encoding and with
//! the permission bits of then, and the entry that tells of it.

use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::{Attributes, without_new_rights};
use crate::edit::diff::hunk::{self, Rendered};
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::id::Timestamp;
use crate::record::history::revert::Reversal;
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::stage::proposal::stage::Commit;
use crate::stage::review::{GoneChange, RevertHunk, RevertedFile};
use crate::text::{EditSet, Encoding, Source};

/// A reversal worked out for one file, not yet written.
pub(super) struct ReadyReversal {
    pub(super) commit: Commit,
    pub(super) entry: Entry,
    /// Attributes that the file is not given back, a line each.
    pub(super) left_out: Vec<String>,
    /// What it comes to, without its hunks: those of thousands of files, kept until all are written, take a gigabyte.
    pub(super) file: RevertedFile,
}

impl ReadyReversal {
    /// Returns the hunks that would change.
    pub(super) fn hunks(&self) -> Vec<RevertHunk> {
        let hunks = rendered(self.commit.before.as_ref(), &self.entry.edits).into_iter();
        hunks
            .map(|hunk| RevertHunk {
                header: hunk.header,
                lines: hunk.lines,
                line: None,
                yours: Vec::new(),
            })
            .collect()
    }
}

/// Returns what a reversal is to write and what history is to know of it; the file is as `before`.
pub(super) fn ready(
    path: &WorkspacePath,
    history: &FileHistory,
    before: Option<Source>,
    drift: EditSet,
    time: Timestamp,
    reversal: Reversal,
) -> Result<ReadyReversal, EngineError> {
    let text = before.clone().unwrap_or_else(|| Source::new(Vec::new()));
    let after = reversal.edits.apply(text.bytes())?;
    let encoding = encoding(history, &reversal.versions, &text, drift.is_empty());
    let after = Source::in_encoding(after, encoding);
    let after = (reversal.presence != Presence::Deleted).then_some(after);
    let hunks = rendered(before.as_ref(), &reversal.edits);
    let lines = hunks.iter().fold((0, 0), |sum, hunk| {
        (sum.0 + hunk.added, sum.1 + hunk.removed)
    });
    drop(hunks);
    // Those that it had before the first change that is taken back, or else the last that are known.
    let mut oldest = history
        .entries
        .iter()
        .filter(|entry| reversal.versions.contains(&entry.version));
    let mut newest = history.entries.iter().rev();
    let attributes = oldest
        .find_map(|entry| entry.attributes.clone())
        .or_else(|| newest.find_map(|entry| entry.attributes.clone()));
    let to = reversal.to.filter(|_| after.is_some());
    let moved = to.clone().map(|to| (path.clone(), to));
    let taken_back = reversal.versions.clone();
    let entry = Entry {
        path: to.as_ref().unwrap_or(path).clone(),
        version: history.next_version(),
        time,
        description: summary(history, &reversal.versions),
        kind: EntryKind::Revert(reversal.versions),
        presence: reversal.presence,
        drift,
        edits: reversal.edits,
        lines,
        attributes: None,
        encoding: text.encoding(),
        moved,
        folders: Vec::new(),
        sign_off: None,
    };
    // A file that comes in the place of a link is as new as one that comes where nothing was.
    let was_file = before.as_ref().is_some_and(|before| !before.is_link());
    let comes = !was_file && after.as_ref().is_some_and(|after| !after.is_link());
    let mut left_out = Vec::new();
    let attributes = attributes.filter(|_| comes).map(|then| {
        let (mode, names) = without_new_rights(then.mode, 0);
        left_out.extend(rights_left_out(path, &names));
        Attributes {
            mode,
            replaced_by: None,
            ..then
        }
    });
    let commit = Commit {
        path: path.clone(),
        mode: None,
        before,
        after,
        to,
        layers: Vec::new(),
        attributes,
        folders: reversal.folders,
    };
    let (gone, restored) = effects(history, &entry);
    let file = RevertedFile {
        path: commit.path.to_string(),
        to: commit.to.as_ref().map(ToString::to_string),
        summary: entry.description.clone(),
        version: entry.version,
        taken_back,
        gone,
        restored,
        hunks: Vec::new(),
    };
    Ok(ReadyReversal {
        commit,
        entry,
        left_out,
        file,
    })
}

/// Returns the changes to a file that a new entry puts out of effect, and those that it puts into effect again.
fn effects(history: &FileHistory, entry: &Entry) -> (Vec<GoneChange>, Vec<u64>) {
    let before = history.in_effect();
    let after = history.in_effect_with(entry);
    let (mut gone, mut restored) = (Vec::new(), Vec::new());
    for change in history
        .entries
        .iter()
        .filter(|entry| entry.kind.is_change())
    {
        let version = change.version;
        match (before.contains(&version), after.contains(&version)) {
            (true, false) => gone.push(GoneChange {
                version,
                proposal: change.kind.proposal(),
            }),
            (false, true) => restored.push(version),
            (true, true) | (false, false) => {}
        }
    }
    (gone, restored)
}

/// Returns the hunks of a change to a file.
fn rendered(before: Option<&Source>, edits: &EditSet) -> Vec<Rendered> {
    let text = before.cloned().unwrap_or_else(|| Source::new(Vec::new()));
    hunk::render(&text, edits, &hunk::group(&text, edits))
}

/// Returns the encoding that a text had before these versions. Text of only ASCII, or none, does
/// not tell it. `is_as_written` is whether the user changed nothing since the last version.
fn encoding(
    history: &FileHistory,
    versions: &[u64],
    now: &Source,
    is_as_written: bool,
) -> Encoding {
    // What is taken back already is as if it had never been, and so is what took it back.
    let effective = history.in_effect();
    let newest = history.entries.iter().rev().filter(|entry| {
        let is_change = entry.kind.is_change() && effective.contains(&entry.version);
        is_change || versions.contains(&entry.version)
    });
    let are_last = newest
        .take(versions.len())
        .all(|entry| versions.contains(&entry.version));
    let oldest = history
        .entries
        .iter()
        .find(|entry| versions.contains(&entry.version))
        .filter(|entry| !entry.presence.comes());
    // A link is one again, and a file that became a link is no link.
    if let Some(before) = oldest.filter(|own| is_other_kind(now, own) || are_last && is_as_written)
    {
        return before.encoding;
    }
    if !now.bytes().is_ascii() || now.encoding() != Encoding::Utf8 {
        return now.encoding();
    }
    let entries = history.entries.iter();
    let taken = entries.filter(|entry| versions.contains(&entry.version));
    let known = taken.map(|entry| entry.encoding);
    known
        .into_iter()
        .find(|encoding| *encoding != Encoding::Utf8)
        .unwrap_or_default()
}

fn is_other_kind(now: &Source, before: &Entry) -> bool {
    (before.encoding == Encoding::Link) != now.is_link()
}

/// Returns the permission bits that a file has without the changes of bits among the entries that are taken
/// back; `now` are those that it has. From the first on that is not what the file has now, as the user or another
/// entry gave it other bits since, none is taken back.
///
/// An entry that made 755 of 644 is taken back from a file that has 755, and not from one that the user made 600.
pub(super) fn mode(history: &FileHistory, versions: &[u64], now: u32) -> u32 {
    let effective = history.in_effect();
    let mut mode = now;
    for entry in history.entries.iter().rev() {
        let Some(before) = entry.attributes.as_ref() else {
            continue;
        };
        let taken = versions.contains(&entry.version);
        if !taken && matches!(entry.kind, EntryKind::Revert(_)) {
            // It gave the bits back that the entry before found, as if neither had been.
            continue;
        }
        if entry.presence != Presence::Kept || !(taken || effective.contains(&entry.version)) {
            continue;
        }
        let as_set = match before.replaced_by {
            Some(set) => set == mode,
            // It is not known, so nothing is loosened.
            None => before.mode & !mode == 0,
        };
        if !taken || !as_set {
            break;
        }
        mode = before.mode;
    }
    mode
}

/// Says which rights that a file lends are not given back to it.
pub(super) fn rights_left_out(path: &WorkspacePath, names: &[&str]) -> Option<String> {
    let bits = match names {
        [] => return None,
        [one] => format!("{one} bit"),
        several => format!("{} bits", several.join(" and ")),
    };
    Some(format!(
        "{path} does not get its {bits} back; use chmod if you want that"
    ))
}

/// Says in one line what is taken back, and where the file was then if it was moved outside of signoff since.
pub(super) fn summary(history: &FileHistory, versions: &[u64]) -> String {
    let taken_back = taken_back(history, versions);
    let first = versions.iter().min();
    let mut since = history.entries.iter().filter(|entry| {
        entry.kind == EntryKind::MovedOutside && first.is_some_and(|first| *first < entry.version)
    });
    match since.find_map(|entry| entry.moved.as_ref()) {
        Some((from, _)) => format!("{taken_back} (the file was {from} then)"),
        None => taken_back,
    }
}

fn taken_back(history: &FileHistory, versions: &[u64]) -> String {
    let described = history
        .entries
        .iter()
        .filter(|entry| versions.contains(&entry.version));
    match described.collect::<Vec<_>>().as_slice() {
        [only] => match only.kind {
            EntryKind::Applied { .. } | EntryKind::Ran { .. } => {
                format!("revert version {}: {}", only.version, only.description)
            }
            EntryKind::Revert(_) => format!("redo what version {} reverted", only.version),
            EntryKind::MovedOutside => format!("move back what version {} found", only.version),
        },
        several => {
            let ends = (several.first(), several.last());
            let (Some(first), Some(last)) = ends else {
                return "revert".to_owned();
            };
            format!("revert versions {} to {}", first.version, last.version)
        }
    }
}
