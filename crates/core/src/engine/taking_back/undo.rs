//! Reversals written: all files in one transaction.
//!
//! In: reversals that are ready. Out: the files written, with the user's later edits kept, as new entries of history; or the
//! file that changed while they were written, and no file written.

use super::ready::ReadyReversal;
use super::work_out::WorkedOut;
use crate::disk::transaction::CommitError;
use crate::engine::EngineError;
use crate::engine::committing::transact::{CommitBatch, Committer};
use crate::engine::state::WorkspaceState;
use crate::record::history::Entry;
use crate::stage::proposal::stage::Commit;
use crate::stage::review::{BlockedFile, RevertOutcome, RevertTarget};

/// Takes back what was worked out, if no file is in the way that was to go back too.
pub(super) fn take_back(
    state: &mut WorkspaceState,
    committer: &Committer,
    target: &RevertTarget,
    worked_out: WorkedOut,
) -> Result<RevertOutcome, EngineError> {
    let mut outcome = worked_out.told(target);
    if !worked_out.is_as_asked() {
        return Ok(outcome);
    }
    let left_out = worked_out.ready.iter().flat_map(|file| &file.left_out);
    outcome.unkept = left_out.cloned().collect();
    match write(state, committer, worked_out.ready) {
        Err(EngineError::Commit(CommitError::Changed { path })) => Ok(RevertOutcome {
            files: Vec::new(),
            unkept: Vec::new(),
            offered: None,
            blocked: vec![BlockedFile {
                why: format!("{path} changed this very moment; try again"),
                path: path.to_string(),
                hunks: Vec::new(),
                proposable: false,
            }],
            ..outcome
        }),
        written => {
            outcome.unkept.extend(written?);
            outcome.written = true;
            Ok(outcome)
        }
    }
}

/// Writes reversals, all or none. Returns the attributes that could not be kept, a line each file.
fn write(
    state: &mut WorkspaceState,
    committer: &Committer,
    ready: Vec<ReadyReversal>,
) -> Result<Vec<String>, EngineError> {
    let (commits, entries): (Vec<Commit>, Vec<Entry>) = ready
        .into_iter()
        .map(|file| (file.commit, file.entry))
        .unzip();
    let before = state.overlay.stage.clone();
    let mut touched = Vec::new();
    for commit in &commits {
        // What is staged over the file goes with it.
        let stage = &mut state.overlay.stage;
        if let (Some(to), true) = (&commit.to, stage.stacks.contains_key(&commit.path)) {
            // What waits to make a file there meets one.
            stage.settle(to, None);
            stage.settle(to, commit.after.clone());
            stage.follow(&commit.path, to);
            touched.extend([commit.path.clone(), to.clone()]);
        }
    }
    let batch = CommitBatch {
        commits: &commits,
        entries: &entries,
        touched: &touched,
        closed: &[],
        remembered: &[],
    };
    let written = committer.transact(state, &batch);
    if written.is_err() {
        state.overlay.stage = before;
    }
    written
}
