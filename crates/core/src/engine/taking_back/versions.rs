//! The versions of a file's history that a changeset means.

use crate::id::ChangesetId;
use crate::record::history::{Entry, EntryKind, FileHistory};

/// Returns the versions from the first of a changeset on; none if the file has nothing of it.
pub(super) fn since_changeset(history: &FileHistory, id: ChangesetId) -> Vec<u64> {
    let is_of_it = |entry: &Entry| entry.kind.changeset() == Some(id);
    let first = history.entries.iter().position(is_of_it);
    let since = first.and_then(|first| history.entries.get(first..));
    let since = since.unwrap_or_default().iter();
    since.map(|entry| entry.version).collect()
}

/// Returns the versions of a changeset that are in effect.
pub(super) fn of_changeset(history: &FileHistory, id: ChangesetId) -> Vec<u64> {
    let effective = history.in_effect();
    let of_it = |entry: &&Entry| {
        matches!(entry.kind, EntryKind::Applied { changeset, .. } | EntryKind::Ran { changeset, .. } if changeset == id)
            && effective.contains(&entry.version)
    };
    history
        .entries
        .iter()
        .filter(of_it)
        .map(|entry| entry.version)
        .collect()
}
