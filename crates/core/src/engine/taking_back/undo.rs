//! Revert and redo.
//!
//! In: a file, or a changeset, and how far to go back. Out: the files written, all or none,
//! with the user's later edits kept, as new entries of history; or why it cannot be.

use super::ready::ReadyReversal;
use super::work_out::{ChangesetWorkedOut, WorkedOut, effects, work_out, work_out_each};
use crate::disk::transaction::CommitError;
use crate::edit::diff::line::DiffLine;
use crate::engine::EngineError;
use crate::engine::committing::transact::{CommitBatch, Committer};
use crate::engine::state::WorkspaceState;
use crate::id::ProposalId;
use crate::record::history::revert::reversal;
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::stage::proposal::stage::Commit;
use crate::stage::review::RevertTo;

/// What became of a revert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It was done.
    Done {
        /// The file.
        path: String,
        /// The version of the entry that it became.
        version: u64,
        /// The versions taken back, newest first.
        taken_back: Vec<u64>,
        /// The changes that are not in effect any more, oldest first.
        gone: Vec<u64>,
        /// The changes that are in effect again, oldest first.
        restored: Vec<u64>,
        /// What was taken back, in one line.
        summary: String,
        /// Attributes of files that could not be kept, a line each file.
        unkept: Vec<String>,
    },
    /// There is nothing to take back.
    Nothing {
        /// Why, in one line.
        why: String,
    },
    /// Later changes or the user's own edits are in the way; nothing was written.
    Conflict {
        /// Which, in one line.
        why: String,
    },
}

/// What a revert would do to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The file.
    pub path: String,
    /// Where the file would go, if a move is taken back.
    pub to: Option<String>,
    /// What would be taken back, in one line.
    pub summary: String,
    /// Header and lines of each hunk.
    pub hunks: Vec<(String, Vec<DiffLine>)>,
}

/// What a revert would come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevertForecast {
    /// It would do this.
    Possible(Preview),
    /// There is nothing to take back.
    Nothing {
        /// Why, in one line.
        why: String,
    },
    /// Later changes or the user's own edits are in the way.
    Conflict {
        /// Which, in one line.
        why: String,
    },
}

/// What taking a whole changeset back would come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangesetPreview {
    /// It would do this, file by file.
    Possible(Vec<Preview>),
    /// Nothing of it is in effect.
    Nothing,
    /// One file is in the way of all.
    Conflict {
        /// Which, in one line.
        why: String,
    },
}

/// What became of taking a whole changeset back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangesetUndone {
    /// It was done.
    Done {
        /// Every file of it.
        files: Vec<FileUndone>,
        /// Attributes of files that could not be kept, a line each file.
        unkept: Vec<String>,
    },
    /// Nothing of it is in effect.
    Nothing,
    /// One file is in the way of all; nothing was written.
    Conflict {
        /// Which, in one line.
        why: String,
    },
}

/// One file of what was taken back at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUndone {
    /// The file.
    pub path: String,
    /// The version of its new entry.
    pub version: u64,
    /// The changes that are not in effect any more, oldest first.
    pub gone: Vec<TakenBack>,
    /// The changes that are in effect again, oldest first.
    pub restored: Vec<u64>,
}

/// A change that is not in effect any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// Its version.
    pub version: u64,
    /// The proposal that it was, if it was one.
    pub proposal: Option<ProposalId>,
}

/// Reversals that are written, while the lock is held.
pub(super) struct Reversals<'e> {
    pub(in crate::engine) state: &'e mut WorkspaceState,
    pub(in crate::engine) committer: &'e Committer,
}

/// What became of reversals that were to be written.
enum ReversalsWritten {
    /// They were, but for these attributes, a line each file.
    Done(Vec<String>),
    /// Something is in the way.
    Blocked(String),
}

impl Reversals<'_> {
    /// Takes changes to a file back and keeps what the user changed since.
    pub(in crate::engine) fn revert(
        &mut self,
        path: &str,
        to: RevertTo,
    ) -> Result<Undone, EngineError> {
        let path = self.state.file_at(path)?;
        let ready = match work_out(self.state, &path, |history, since| {
            reversal(history, since, to)
        })? {
            WorkedOut::Ready(ready) => *ready,
            WorkedOut::Nothing(why) => return Ok(Undone::Nothing { why }),
            WorkedOut::Blocked(why) => return Ok(Undone::Conflict { why }),
        };
        let (version, summary) = (ready.entry.version, ready.entry.description.clone());
        let (gone, restored) = effects(&self.state.store, &path, &ready.entry)?;
        let gone = gone.into_iter().map(|change| change.version).collect();
        let path = ready.commit.name().clone();
        let mut unkept = ready.left_out.clone();
        let taken_back = match &ready.entry.kind {
            EntryKind::Revert(versions) => versions.clone(),
            EntryKind::Applied { .. } | EntryKind::Ran { .. } => Vec::new(),
        };
        match self.take_back(vec![ready])? {
            ReversalsWritten::Done(others) => unkept.extend(others),
            ReversalsWritten::Blocked(why) => return Ok(Undone::Conflict { why }),
        }
        Ok(Undone::Done {
            path: path.to_string(),
            version,
            taken_back,
            gone,
            restored,
            summary,
            unkept,
        })
    }

    /// Takes versions of each file back, in all files or in none; `chosen` returns which, or what is in the way.
    pub(super) fn take_each_back(
        &mut self,
        chosen: impl Fn(&FileHistory) -> Result<Vec<u64>, String>,
    ) -> Result<ChangesetUndone, EngineError> {
        let ready = match work_out_each(self.state, chosen)? {
            ChangesetWorkedOut::Ready(ready) => ready,
            ChangesetWorkedOut::Nothing => return Ok(ChangesetUndone::Nothing),
            ChangesetWorkedOut::Blocked(why) => return Ok(ChangesetUndone::Conflict { why }),
        };
        let mut files = Vec::with_capacity(ready.len());
        for file in &ready {
            let (gone, restored) = effects(&self.state.store, &file.commit.path, &file.entry)?;
            files.push(FileUndone {
                path: file.commit.name().to_string(),
                version: file.entry.version,
                gone,
                restored,
            });
        }
        let left_out = ready.iter().flat_map(|file| &file.left_out);
        let mut unkept: Vec<String> = left_out.cloned().collect();
        Ok(match self.take_back(ready)? {
            ReversalsWritten::Done(others) => {
                unkept.extend(others);
                ChangesetUndone::Done { files, unkept }
            }
            ReversalsWritten::Blocked(why) => ChangesetUndone::Conflict { why },
        })
    }

    /// Writes reversals, all or none.
    fn take_back(&mut self, ready: Vec<ReadyReversal>) -> Result<ReversalsWritten, EngineError> {
        let (commits, entries): (Vec<Commit>, Vec<Entry>) = ready
            .into_iter()
            .map(|file| (file.commit, file.entry))
            .unzip();
        let before = self.state.overlay.stage.clone();
        let mut touched = Vec::new();
        for commit in &commits {
            // What is staged over the file goes with it.
            let stage = &mut self.state.overlay.stage;
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
        let written = self.committer.transact(self.state, &batch);
        if written.is_err() {
            self.state.overlay.stage = before;
        }
        match written {
            Err(EngineError::Commit(CommitError::Changed { path })) => {
                let why = format!("{path} changed this very moment; try again");
                Ok(ReversalsWritten::Blocked(why))
            }
            written => written.map(ReversalsWritten::Done),
        }
    }
}
