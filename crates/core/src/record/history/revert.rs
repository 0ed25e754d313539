//! Revert: the change that takes earlier changes back.
//!
//! In: a file's entries, what the user changed since, and how far back to go. Out: the change
//! that does it with everything later kept, or why it cannot be.

use super::{Entry, EntryKind, FileHistory};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::narrowed;
use crate::edit::plan::Presence;
use crate::stage::review::RevertTo;
use crate::text::EditSet;

/// A change that takes entries back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversal {
    /// The change, made for the text as it is now.
    pub edits: EditSet,
    /// What happens to the file's existence.
    pub presence: Presence,
    /// The versions taken back, newest first.
    pub versions: Vec<u64>,
    /// Where the file goes, if a move is taken back.
    pub to: Option<WorkspacePath>,
    /// Folders that were made for the file where it is now, deepest first.
    pub folders: Vec<WorkspacePath>,
}

/// Why nothing is taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReversal {
    /// There is nothing to take back.
    #[error("no change to revert")]
    Nothing,
    /// The version is not in the history.
    #[error("version {version} is not in the history, which goes from {oldest} to {newest}")]
    Unknown {
        /// The version asked for.
        version: u64,
        /// The earliest state that can be gone back to.
        oldest: u64,
        /// The newest entry.
        newest: u64,
    },
    /// Not all of the versions that are meant are in the history any more.
    #[error("history does not reach back that far; its oldest entry is version {oldest}")]
    Dropped {
        /// The oldest entry.
        oldest: u64,
    },
    /// Later changes, or the user's own, touch the same lines.
    #[error("version {version} cannot be reverted: later changes touch the same lines")]
    Conflict {
        /// The version that cannot be taken back.
        version: u64,
        /// Whether it is the only one that was to be.
        alone: bool,
    },
}

/// Works out how to take back these versions and nothing else. What stays is composed first, so
/// that changes that were themselves taken back are not in the way.
pub fn reversal_of(
    history: &FileHistory,
    since: &EditSet,
    versions: &[u64],
) -> Result<Reversal, NoReversal> {
    let entries = &history.entries;
    let is_taken = |entry: &Entry| versions.contains(&entry.version);
    let first = entries
        .iter()
        .position(is_taken)
        .ok_or(NoReversal::Nothing)?;
    let mut taken = Taken::default();
    let mut kept = EditSet::default();
    let alone = versions.len() == 1;
    let conflict = |version: u64| NoReversal::Conflict { version, alone };
    for (index, entry) in entries.iter().enumerate().skip(first) {
        let fails = conflict(entry.version);
        if index > first {
            kept = kept
                .compose(&entry.drift)
                .map_err(|_mismatch| fails.clone())?;
        }
        if is_taken(entry) {
            taken
                .carry_over(&std::mem::take(&mut kept))
                .ok_or_else(|| fails.clone())?;
            taken.add(entry).ok_or(fails)?;
        } else {
            kept = kept
                .compose(&entry.edits)
                .map_err(|_mismatch| fails.clone())?;
            // A file that came or went cannot be passed by a change to its text.
            taken.pinned += match entry.presence {
                Presence::Kept => 0,
                Presence::Created | Presence::Linked => 1,
                Presence::Deleted => -1,
            };
        }
    }
    let fails = conflict(entries.get(first).map_or(0, |entry| entry.version));
    let kept = kept.compose(since).map_err(|_mismatch| fails.clone())?;
    taken.carry_over(&kept).ok_or(fails)?;
    let newest_first = entries.iter().rev().filter(|entry| is_taken(entry));
    let mut reversal = taken.reversal(newest_first.clone());
    reversal.to = way_back(newest_first).map_err(conflict)?;
    Ok(reversal)
}

/// Returns where a file goes when its moves among these entries are taken back, newest first, or
/// the version of one that a later one stands on.
fn way_back<'a>(entries: impl Iterator<Item = &'a Entry>) -> Result<Option<WorkspacePath>, u64> {
    let (mut at, mut now): (Option<&WorkspacePath>, _) = (None, None);
    for entry in entries {
        now = Some(&entry.path);
        let Some((from, to)) = &entry.moved else {
            continue;
        };
        if *to != *at.unwrap_or(&entry.path) {
            return Err(entry.version);
        }
        at = Some(from);
    }
    Ok(at.filter(|at| Some(*at) != now).cloned())
}

/// Returns the versions that are meant, and are in effect.
pub fn versions(history: &FileHistory, to: RevertTo) -> Result<Vec<u64>, NoReversal> {
    let effective = history.in_effect();
    let newest = |fits: fn(&FileHistory, &Entry) -> bool| {
        let found = history
            .entries
            .iter()
            .rfind(|entry| effective.contains(&entry.version) && fits(history, entry))
            .map(|entry| vec![entry.version]);
        found.ok_or(NoReversal::Nothing)
    };
    match to {
        RevertTo::Last => {
            let mut last = newest(|_, entry| entry.kind.is_change())?;
            last.extend(made_room(history, &last).filter(|version| effective.contains(version)));
            Ok(last)
        }
        RevertTo::Redo => newest(takes_changes_back),
        RevertTo::Only(version) => {
            known(history, version)?;
            if effective.contains(&version) {
                Ok(vec![version])
            } else {
                Err(NoReversal::Nothing)
            }
        }
        RevertTo::Version(version) => {
            known(history, version)?;
            let later: Vec<u64> = history
                .entries
                .iter()
                .filter(|entry| entry.version > version && entry.kind != EntryKind::MovedOutside)
                .map(|entry| entry.version)
                .collect();
            if later.is_empty() {
                Err(NoReversal::Nothing)
            } else {
                Ok(later)
            }
        }
    }
}

/// Returns the version in which what was there went, where the last version came in its place within one change: a
/// file that became a link is that file again after one step, and not gone.
fn made_room(history: &FileHistory, last: &[u64]) -> Option<u64> {
    let [last] = last else { return None };
    let at = (history.entries.iter()).position(|entry| entry.version == *last)?;
    let (came, went) = (
        history.entries.get(at)?,
        history.entries.get(at.checked_sub(1)?)?,
    );
    let is_one = came.presence.comes()
        && went.presence == Presence::Deleted
        && came.kind.changeset().is_some()
        && came.kind.changeset() == went.kind.changeset();
    is_one.then_some(went.version)
}

/// Returns whether an entry takes back a change, and not merely another revert.
fn takes_changes_back(history: &FileHistory, entry: &Entry) -> bool {
    let EntryKind::Revert(versions) = &entry.kind else {
        return false;
    };
    !versions.iter().all(|version| {
        let of_it = history
            .entries
            .iter()
            .find(|entry| entry.version == *version);
        of_it.is_some_and(|entry| entry.kind.is_revert())
    })
}

/// Refuses a version that the history does not reach.
fn known(history: &FileHistory, version: u64) -> Result<(), NoReversal> {
    let (Some(first), Some(last)) = (history.entries.first(), history.entries.last()) else {
        return Err(NoReversal::Nothing);
    };
    let (oldest, newest) = (first.version - 1, last.version);
    if (oldest..=newest).contains(&version) {
        Ok(())
    } else {
        Err(NoReversal::Unknown {
            version,
            oldest,
            newest,
        })
    }
}

/// What is taken back, made for the text before it with everything kept already in it.
#[derive(Default)]
struct Taken {
    edits: EditSet,
    /// The first and the last change to the file's existence.
    presence: Option<(Presence, Presence)>,
    /// Whether the file was moved.
    moved: bool,
    /// How often the file came more than it went in what was kept: unless that is even, it
    /// cannot be passed.
    pinned: i32,
}

impl Taken {
    fn carry_over(&mut self, kept: &EditSet) -> Option<()> {
        let kept = &narrowed(kept);
        let whole = self.presence.is_some();
        if (whole && !kept.is_empty()) || ((whole || self.moved) && self.pinned != 0) {
            return None;
        }
        self.edits = narrowed(&self.edits).commute(kept).ok()?.1;
        Some(())
    }

    fn add(&mut self, entry: &Entry) -> Option<()> {
        self.edits = self.edits.compose(&entry.edits).ok()?;
        self.moved |= entry.moved.is_some();
        if entry.presence != Presence::Kept {
            let first = self.presence.map_or(entry.presence, |(first, _)| first);
            self.presence = Some((first, entry.presence));
        }
        Some(())
    }

    fn reversal<'a>(self, taken: impl Iterator<Item = &'a Entry>) -> Reversal {
        let presence = match self.presence {
            Some((first, last)) if first.comes() && last.comes() => Presence::Deleted,
            Some((Presence::Deleted, Presence::Deleted)) => Presence::Created,
            _ => Presence::Kept,
        };
        let (mut versions, mut folders) = (Vec::new(), Vec::new());
        for entry in taken {
            versions.push(entry.version);
            folders.extend(entry.folders.iter().cloned());
        }
        Reversal {
            edits: self.edits.invert(),
            presence,
            versions,
            to: None,
            folders,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::stage::review::EntryStatus;
    use std::path::Path;

    use uuid::Uuid;

    use super::*;
    use crate::disk::workspace::WorkspacePath;
    use crate::edit::diff::lines::difference;
    use crate::edit::plan::Strategy;
    use crate::id::{ChangesetId, ProposalId, Timestamp};
    use crate::stage::proposal::Origin;
    use crate::text::Source;

    fn entry(version: u64, kind: Option<EntryKind>, old: &str, new: &str) -> Entry {
        let applied = EntryKind::Applied {
            proposal: ProposalId(Uuid::nil()),
            changeset: ChangesetId(Uuid::nil()),
            strategy: Strategy::Whole,
            origin: Origin::default(),
            edited: false,
        };
        Entry {
            path: WorkspacePath::parse("a", Path::new("/w")).unwrap(),
            version,
            time: Timestamp(0),
            description: String::new(),
            kind: kind.unwrap_or(applied),
            presence: Presence::Kept,
            drift: EditSet::default(),
            edits: difference(&Source::new(old), &Source::new(new)),
            lines: (0, 0),
            attributes: None,
            encoding: crate::text::Encoding::Utf8,
            moved: None,
            folders: Vec::new(),
            sign_off: None,
        }
    }

    const TEXTS: [&str; 4] = ["a\nb\nc\n", "A\nb\nc\n", "A\nb\nC\n", "A\nB\nC\n"];

    fn history() -> FileHistory {
        let entries = TEXTS.windows(2).enumerate();
        let entries = entries.map(|(at, pair)| entry(at as u64 + 1, None, pair[0], pair[1]));
        FileHistory {
            entries: entries.collect(),
            ..FileHistory::default()
        }
    }

    fn reversal(
        history: &FileHistory,
        since: &EditSet,
        to: RevertTo,
    ) -> Result<Reversal, NoReversal> {
        reversal_of(history, since, &versions(history, to)?)
    }

    fn check(now: &str, to: RevertTo, expected: Result<&str, NoReversal>) {
        let since = difference(&Source::new(TEXTS[3]), &Source::new(now));
        let got = reversal(&history(), &since, to).map(|reversal| {
            String::from_utf8(reversal.edits.apply(now.as_bytes()).unwrap()).unwrap()
        });
        assert_eq!(got, expected.map(str::to_owned), "{now:?} {to:?}");
    }

    #[test]
    fn entries_are_taken_back_and_later_edits_stay() {
        check(TEXTS[3], RevertTo::Last, Ok(TEXTS[2]));
        check(TEXTS[3], RevertTo::Version(1), Ok(TEXTS[1]));
        check(TEXTS[3], RevertTo::Version(0), Ok(TEXTS[0]));
        check(
            "A\nB\nC\nmine\n",
            RevertTo::Version(0),
            Ok("a\nb\nc\nmine\n"),
        );
        check(
            "A\nmine\nC\n",
            RevertTo::Last,
            Err(NoReversal::Conflict {
                version: 3,
                alone: true,
            }),
        );
        check(TEXTS[3], RevertTo::Version(3), Err(NoReversal::Nothing));
        let unknown = NoReversal::Unknown {
            version: 4,
            oldest: 0,
            newest: 3,
        };
        check(TEXTS[3], RevertTo::Version(4), Err(unknown));
    }

    #[test]
    fn the_users_edits_between_entries_stay() {
        let mut history = history();
        let (own, next) = ("A\nB\nC\nmine\n", "A\nB\nC\nmine\nd\n");
        let mut last = entry(4, None, own, next);
        last.drift = difference(&Source::new(TEXTS[3]), &Source::new(own));
        history.entries.push(last);
        let reversal = reversal(&history, &EditSet::default(), RevertTo::Version(1)).unwrap();
        assert_eq!(
            reversal.edits.apply(next.as_bytes()).unwrap(),
            b"A\nb\nc\nmine\n"
        );
    }

    #[test]
    fn one_version_out_of_the_middle_is_taken_back_and_put_back() {
        check(TEXTS[3], RevertTo::Only(1), Ok("a\nB\nC\n"));
        check(TEXTS[3], RevertTo::Only(2), Ok("A\nB\nc\n"));
        check("A\nB\nC\nmine\n", RevertTo::Only(2), Ok("A\nB\nc\nmine\n"));
        let mut history = history();
        let (taken, kind) = ("A\nB\nc\n", EntryKind::Revert(vec![2]));
        history.entries.push(entry(4, Some(kind), TEXTS[3], taken));
        let first = history.with_first_changes(&[1, 3, 4]);
        assert_eq!(Vec::from_iter(first), [1, 3, 4], "2 is not in effect");
        let redo = reversal(&history, &EditSet::default(), RevertTo::Redo).unwrap();
        assert_eq!(redo.versions, [4]);
        assert_eq!(
            redo.edits.apply(taken.as_bytes()).unwrap(),
            TEXTS[3].as_bytes()
        );
        history
            .entries
            .push(entry(5, Some(EntryKind::Revert(vec![4])), taken, TEXTS[3]));
        assert!(
            history.in_effect().contains(&2),
            "what was put back is in effect again"
        );
        let first = history.with_first_changes(&[1, 3, 5]);
        assert_eq!(Vec::from_iter(first), [1, 2, 3]);
        let nothing = reversal(&history, &EditSet::default(), RevertTo::Only(4));
        assert_eq!(nothing, Err(NoReversal::Nothing));
    }

    #[test]
    fn a_change_that_was_taken_back_is_not_in_the_way() {
        let texts = ["a\n", "b\n", "c\n", "b\n"];
        let kinds = [None, None, Some(EntryKind::Revert(vec![2]))];
        let entries = texts.windows(2).zip(kinds).zip(1..);
        let entries = entries
            .map(|((pair, kind), at)| entry(at, kind, pair[0], pair[1]))
            .collect();
        let history = FileHistory {
            entries,
            ..FileHistory::default()
        };
        let reversal = reversal(&history, &EditSet::default(), RevertTo::Last).unwrap();
        assert_eq!(reversal.versions, [1]);
        assert_eq!(reversal.edits.apply(b"b\n").unwrap(), b"a\n");
    }

    #[test]
    fn what_was_put_back_with_its_neighbour_changed_is_not_in_the_way() {
        let texts = ["a\nb\n", "A\nb\n", "x\ny\n"];
        let entries = texts.windows(2).zip(1..);
        let entries = entries.map(|(pair, at)| entry(at, None, pair[0], pair[1]));
        let history = FileHistory {
            entries: entries.collect(),
            ..FileHistory::default()
        };
        let since = difference(&Source::new(texts[2]), &Source::new("A\nmine\n"));
        let reversal = reversal(&history, &since, RevertTo::Only(1)).unwrap();
        assert_eq!(reversal.edits.apply(b"A\nmine\n").unwrap(), b"a\nmine\n");
    }

    #[test]
    fn a_file_that_went_and_came_again_is_not_in_the_way() {
        let mut entries = vec![
            entry(1, None, "a\nb\n", "A\nb\n"),
            entry(2, None, "A\nmine\n", ""),
            entry(3, Some(EntryKind::Revert(vec![2])), "", "A\nmine\n"),
        ];
        entries[1].drift = difference(&Source::new("A\nb\n"), &Source::new("A\nmine\n"));
        entries[1].presence = Presence::Deleted;
        entries[2].presence = Presence::Created;
        let history = FileHistory {
            entries,
            ..FileHistory::default()
        };
        let reversal = reversal(&history, &EditSet::default(), RevertTo::Last).unwrap();
        assert_eq!(reversal.edits.apply(b"A\nmine\n").unwrap(), b"a\nmine\n");
    }

    #[test]
    fn the_last_is_the_last_in_effect() {
        let mut history = history();
        let kind = EntryKind::Revert(vec![3]);
        history
            .entries
            .push(entry(4, Some(kind), TEXTS[3], TEXTS[2]));
        let reversal = reversal(&history, &EditSet::default(), RevertTo::Last).unwrap();
        assert_eq!(reversal.versions, [2]);
        assert_eq!(
            reversal.edits.apply(TEXTS[2].as_bytes()).unwrap(),
            TEXTS[1].as_bytes()
        );
        let statuses: Vec<_> = history
            .views()
            .into_iter()
            .map(|view| view.status)
            .collect();
        assert_eq!(
            statuses,
            [
                EntryStatus::Revert,
                EntryStatus::Reverted,
                EntryStatus::Applied,
                EntryStatus::Applied
            ]
        );
    }
}
