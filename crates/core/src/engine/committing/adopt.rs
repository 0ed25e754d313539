//! External changes: records what a permitted command changed on disk.
//!
//! In: files with their bytes before and after. Out: entries of history, so that such a change
//! is taken back like any other. Nothing is written to the files.

use super::transact::Committer;
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk;
use crate::edit::diff::lines::difference;
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::engine::drift::drift_of_entry;
use crate::engine::state::WorkspaceState;
use crate::id::ChangesetId;
use crate::record::history::{Entry, EntryKind};
use crate::stage::proposal::Origin;
use crate::text::Source;

/// A change that is on disk already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Path relative to the workspace.
    pub path: String,
    /// The bytes before; none if there was no file.
    pub before: Option<Vec<u8>>,
    /// The bytes now; none if the file is gone.
    pub after: Option<Vec<u8>>,
}

/// A change that history knows of now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// Path relative to the workspace.
    pub path: String,
    /// Its version in history.
    pub version: u64,
    /// Lines added and removed.
    pub lines: (u32, u32),
}

impl Committer {
    /// Enters changes into history that a command made. A file that a link stands for, or that
    /// changed again since, is entered as it was seen; one outside the workspace is an error.
    pub(in crate::engine) fn adopt(
        &self,
        state: &mut WorkspaceState,
        changes: Vec<Outside>,
        origin: &Origin,
        changeset: ChangesetId,
        description: &str,
    ) -> Result<Vec<Adopted>, EngineError> {
        let time = state.time_of_entries()?;
        let (mut entries, mut texts, mut adopted) = (Vec::new(), Vec::new(), Vec::new());
        for change in changes {
            let path = state.overlay.path(&change.path)?;
            let (before, after) = (
                change.before.map(Source::decode),
                change.after.map(Source::decode),
            );
            let kind = EntryKind::Ran {
                changeset,
                origin: origin.clone(),
            };
            let mut entry = entry(path, before.as_ref(), after.as_ref(), kind);
            entry.version = state.store.history(&entry.path)?.next_version();
            entry.drift = drift_of_entry(&state.store, &entry.path, before.as_ref())?;
            entry.time = time;
            entry.description = description.to_owned();
            adopted.push(Adopted {
                path: entry.path.to_string(),
                version: entry.version,
                lines: entry.lines,
            });
            texts.push(after);
            entries.push(entry);
        }
        let (limit, size) = (self.history_limit, self.size_limit);
        state.store.transact(|writer| {
            for (entry, text) in entries.iter().zip(&texts) {
                writer.add_history(entry, limit)?;
                writer.set_committed(&entry.path, text.as_ref())?;
            }
            writer.bound(size)
        })?;
        Ok(adopted)
    }
}

fn entry(
    path: WorkspacePath,
    before: Option<&Source>,
    after: Option<&Source>,
    kind: EntryKind,
) -> Entry {
    let empty = Source::new(Vec::new());
    let (old, new) = (before.unwrap_or(&empty), after.unwrap_or(&empty));
    let edits = difference(old, new);
    let shown = hunk::render(old, &edits, &hunk::group(old, &edits));
    let lines = shown.iter().fold((0, 0), |sum, hunk| {
        (sum.0 + hunk.added, sum.1 + hunk.removed)
    });
    Entry {
        path,
        version: 0,
        time: crate::id::Timestamp::default(),
        description: String::new(),
        kind,
        presence: match (before, after) {
            (None, Some(_)) => Presence::Created,
            (Some(_), None) => Presence::Deleted,
            _ => Presence::Kept,
        },
        drift: crate::text::EditSet::default(),
        edits,
        lines,
        attributes: None,
        moved: None,
        folders: Vec::new(),
        sign_off: None,
        encoding: before.or(after).map(Source::encoding).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
