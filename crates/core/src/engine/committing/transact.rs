//! Commit: one transaction of files and of the store.
//!
//! In: commits, and what the store has to know of them. Out: all files written and the store told, or
//! neither. The journal entry of the files ends in the same transaction of the store.

use std::collections::HashSet;

use crate::disk::transaction::{
    self, CommitError, Committed, FileStep, FileWrite, Prepared, Unkept,
};
use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::Attributes;
use crate::edit::plan::Strategy;
use crate::engine::EngineError;
use crate::engine::overlay::{Footing, Overlay};
use crate::engine::staging::denied_before::Denied;
use crate::engine::staging::folder;
use crate::engine::state::WorkspaceState;
use crate::id::ProposalId;
use crate::record::history::{DEFAULT_LIMIT, Entry};
use crate::record::store::{DEFAULT_SIZE, StoreError};
use crate::stage::proposal::Proposal;
use crate::stage::proposal::stage::Commit;
use crate::text::{EditSet, Source};

/// What one transaction writes, and what the store has to know of it.
pub(in crate::engine) struct CommitBatch<'b> {
    pub(in crate::engine) commits: &'b [Commit],
    pub(in crate::engine) entries: &'b [Entry],
    /// The files whose staged work is another now.
    pub(in crate::engine) touched: &'b [WorkspacePath],
    /// Proposals that nothing waits in any more.
    pub(in crate::engine) closed: &'b [Proposal],
    /// Denied hunks that are to be recognised.
    pub(in crate::engine) remembered: &'b [Denied],
}

/// Writes files and history, and knows how much of history is kept.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Committer {
    /// Entries kept of each file; at least one.
    pub(in crate::engine) history_limit: usize,
    /// Bytes that history may have before histories are dropped.
    pub(in crate::engine) size_limit: u64,
}

impl Default for Committer {
    fn default() -> Self {
        Self {
            history_limit: DEFAULT_LIMIT,
            size_limit: DEFAULT_SIZE,
        }
    }
}

impl Committer {
    /// Writes files under the journal, then ends the journal together with everything that the
    /// store has to know of it. Returns the attributes that could not be kept, a line each file.
    pub(in crate::engine) fn transact(
        &self,
        state: &mut WorkspaceState,
        batch: &CommitBatch<'_>,
    ) -> Result<Vec<String>, EngineError> {
        if state.overlay.footing == Footing::Fixed {
            return Err(EngineError::ProposesOnly);
        }
        let tag = (state.ambient.uuid)().simple().to_string();
        let writes = writes(&state.overlay, batch)?;
        let prepared = transaction::prepare(state.overlay.workspace.as_ref(), tag, writes)?;
        let written = if prepared.is_empty() {
            None
        } else {
            Some(write_files(state, prepared)?)
        };
        let unkept = written.iter().flat_map(Committed::unkept);
        let unkept = unkept.map(Unkept::to_string).collect();
        let (stage, limit, size) = (&state.overlay.stage, self.history_limit, self.size_limit);
        let kept = state.store.transact(|writer| {
            for commit in batch.commits {
                if let Some(to) = &commit.to {
                    writer.move_history(&commit.path, to)?;
                }
            }
            let mut entries = batch.entries.iter();
            entries.try_for_each(|entry| writer.add_history(entry, limit))?;
            for commit in batch.commits {
                writer.set_committed(commit.name(), commit.after.as_ref())?;
            }
            writer.bound(size)?;
            writer.save_stage(stage, batch.touched, batch.closed)?;
            for own in batch.remembered {
                let shown = (own.description.as_str(), &own.shown);
                writer.deny((&own.path, &own.denial), &own.before, shown)?;
            }
            let tag = written.as_ref().map(Committed::tag);
            tag.map_or(Ok(()), |tag| writer.end(tag))
        });
        kept.map_err(|error| undo_unrecorded(state, written, error))?;
        for commit in batch.commits {
            let after = commit.after.as_ref();
            state.seen.written(&commit.path, commit.name(), after);
        }
        Ok(unkept)
    }
}

/// Writes the files of a transaction under its journal entry, which stays until the store knows of
/// all that follows.
fn write_files(state: &mut WorkspaceState, prepared: Prepared) -> Result<Committed, EngineError> {
    let tag = prepared.tag().to_owned();
    state.store.transact(|writer| writer.begin(&prepared))?;
    prepared
        .commit(state.overlay.workspace.as_mut())
        .or_else(|error| {
            state.torn = true;
            if !matches!(error, CommitError::Torn { .. }) {
                state.store.transact(|writer| writer.end(&tag))?;
                state.torn = false;
            }
            Err(error.into())
        })
}

/// Files were written, but the store could not be told: gives the files their old text.
fn undo_unrecorded(
    state: &mut WorkspaceState,
    written: Option<Committed>,
    error: StoreError,
) -> EngineError {
    let Some(written) = written else {
        return error.into();
    };
    let tag = written.tag().to_owned();
    match written.roll_back(state.overlay.workspace.as_mut()) {
        Ok(_) => {
            let ended = state.store.transact(|writer| writer.end(&tag));
            // A record that stays would undo a later commit of the same texts.
            state.torn = ended.is_err();
            error.into()
        }
        Err(rollback) => {
            state.torn = true;
            rollback.into()
        }
    }
}

/// Returns the files that commits write, in order.
fn writes(overlay: &Overlay, batch: &CommitBatch<'_>) -> Result<Vec<FileWrite>, EngineError> {
    let workspace = &overlay.workspace;
    let mut writes = Vec::new();
    let proposals = overlay.stage.proposals.iter().chain(batch.closed);
    let programs = proposals.filter(|proposal| proposal.card.strategy == Strategy::Program);
    let programs: HashSet<ProposalId> = programs.map(|program| program.id).collect();
    for commit in batch.commits {
        // What was signed off may have made it so, and can be taken back all the same. A program replaces
        // a file whatever its permissions.
        let may_be_read_only = commit.is_reversal()
            || commit
                .layers
                .iter()
                .any(|layer| programs.contains(&layer.proposal()));
        let attributes = workspace
            .attributes(&commit.path)?
            .or_else(|| commit.attributes.clone());
        let mut add = |path, before, after: Option<&Source>, folders| {
            writes.push(FileWrite {
                step: step(path, before, after, attributes.clone(), folders),
                text: after.cloned(),
                mode: commit.mode,
                may_be_read_only,
            });
        };
        let (before, after) = (commit.before.as_ref(), commit.after.as_ref());
        let name = commit.name();
        let folders = match (after, before.filter(|_| *name == commit.path)) {
            (Some(_), None) => workspace.missing_folders(name)?,
            _ => commit.folders.clone(),
        };
        if *name == commit.path || before.is_none() {
            add(name, before, after, folders);
        } else if after.is_none() {
            add(&commit.path, before, None, folders);
        } else {
            // Never nowhere: the new name comes before the old one goes.
            add(name, None, after, folders);
            let left = if commit.is_reversal() {
                commit.folders.clone()
            } else {
                folder::left(&commit.path, name)
            };
            add(&commit.path, before, None, left);
        }
    }
    Ok(writes)
}

fn step(
    path: &WorkspacePath,
    before: Option<&Source>,
    after: Option<&Source>,
    attributes: Option<Attributes>,
    folders: Vec<WorkspacePath>,
) -> FileStep {
    FileStep {
        path: path.clone(),
        before: before.map(Source::fingerprint),
        after: after.map(Source::fingerprint),
        edits: EditSet::between(&bytes_of(before), &bytes_of(after)),
        attributes,
        encoding: before.map(Source::encoding).unwrap_or_default(),
        folders,
    }
}

fn bytes_of(text: Option<&Source>) -> Vec<u8> {
    text.map_or_else(Vec::new, |text| text.bytes().to_vec())
}
