//! Taking changes back.
//!
//! In: a file's entries, what the user changed since, and how far back to go. Out: the change
//! that does it with everything later kept, or why it cannot be.

use super::{EntryKind, FileHistory};
use crate::plan::Presence;
use crate::review::RevertTo;
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
}

/// Why nothing is taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReversal {
    /// There is nothing to take back.
    #[error("no change to take back")]
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
    /// Later changes, or the user's own, touch the same lines.
    #[error("version {version} cannot be taken back: later changes touch the same lines")]
    Conflict {
        /// The version that cannot be taken back.
        version: u64,
    },
}

/// Works out the reversal; `since` is what the user changed since the last entry.
pub fn reversal(
    history: &FileHistory,
    since: &EditSet,
    to: RevertTo,
) -> Result<Reversal, NoReversal> {
    let entries = &history.entries;
    let range = match to {
        RevertTo::Last => {
            let effective = history.in_effect();
            let newest = entries.iter().rposition(|entry| {
                matches!(entry.kind, EntryKind::Applied { .. })
                    && effective.contains(&entry.version)
            });
            let at = newest.ok_or(NoReversal::Nothing)?;
            at..at + 1
        }
        RevertTo::Version(version) => after_version(history, version)?..entries.len(),
    };
    let taken = entries.get(range.clone()).unwrap_or_default();
    let conflict = NoReversal::Conflict {
        version: taken.first().map_or(0, |entry| entry.version),
    };
    let later = entries.get(range.end..).unwrap_or_default();

    let all = without_drift(taken).ok_or_else(|| conflict.clone())?;
    let above = with_drift(later).and_then(|later| later.compose(since));
    let above = above.map_err(|_mismatch| conflict.clone())?;
    let presence = net(taken);
    let stands = above.is_empty() && net(later) == Presence::Kept;
    if presence != Presence::Kept && !stands {
        return Err(conflict);
    }
    let (_, moved) = all.commute(&above).map_err(|_dependent| conflict)?;
    let presence = match presence {
        Presence::Created => Presence::Deleted,
        Presence::Deleted => Presence::Created,
        Presence::Kept => Presence::Kept,
    };
    let versions = taken.iter().rev().map(|entry| entry.version).collect();
    Ok(Reversal {
        edits: moved.invert(),
        presence,
        versions,
    })
}

/// Returns the index of the first entry after `version`.
fn after_version(history: &FileHistory, version: u64) -> Result<usize, NoReversal> {
    let (Some(first), Some(last)) = (history.entries.first(), history.entries.last()) else {
        return Err(NoReversal::Nothing);
    };
    let oldest = first.version - 1;
    if version < oldest || version > last.version {
        return Err(NoReversal::Unknown {
            version,
            oldest,
            newest: last.version,
        });
    }
    if version == last.version {
        return Err(NoReversal::Nothing);
    }
    Ok((version - oldest) as usize)
}

/// Returns what entries together did, made for the text before the first with the user's own
/// changes between them already in it; none if one of them builds on such a change.
fn without_drift(entries: &[super::Entry]) -> Option<EditSet> {
    let mut all = EditSet::default();
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            all = all.commute(&entry.drift).ok()?.1;
        }
        all = all.compose(&entry.edits).ok()?;
    }
    Some(all)
}

/// Returns what entries and the user's own changes between them did together.
fn with_drift(entries: &[super::Entry]) -> Result<EditSet, crate::text::Mismatch> {
    let start = Ok(EditSet::default());
    entries.iter().fold(start, |all, entry| {
        all.and_then(|all: EditSet| all.compose(&entry.drift)?.compose(&entry.edits))
    })
}

/// Returns what entries together do to the file's existence.
fn net(entries: &[super::Entry]) -> Presence {
    let changes: Vec<Presence> = entries
        .iter()
        .map(|entry| entry.presence)
        .filter(|p| *p != Presence::Kept)
        .collect();
    match (changes.first(), changes.last()) {
        (Some(Presence::Created), Some(Presence::Created)) => Presence::Created,
        (Some(Presence::Deleted), Some(Presence::Deleted)) => Presence::Deleted,
        _ => Presence::Kept,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use uuid::Uuid;

    use super::*;
    use crate::diff::lines::difference;
    use crate::history::Entry;
    use crate::id::{ProposalId, Timestamp};
    use crate::plan::Strategy;
    use crate::proposal::Origin;
    use crate::text::Source;
    use crate::workspace::WorkspacePath;

    fn entry(version: u64, kind: Option<EntryKind>, old: &str, new: &str) -> Entry {
        let applied = EntryKind::Applied {
            proposal: ProposalId(Uuid::nil()),
            strategy: Strategy::Whole,
            origin: Origin::default(),
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
        }
    }

    const TEXTS: [&str; 4] = ["a\nb\nc\n", "A\nb\nc\n", "A\nb\nC\n", "A\nB\nC\n"];

    fn history() -> FileHistory {
        let entries = TEXTS.windows(2).enumerate();
        let entries = entries.map(|(at, pair)| entry(at as u64 + 1, None, pair[0], pair[1]));
        FileHistory {
            entries: entries.collect(),
        }
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
            Err(NoReversal::Conflict { version: 3 }),
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
        assert_eq!(statuses, ["revert", "reverted", "applied", "applied"]);
    }
}
