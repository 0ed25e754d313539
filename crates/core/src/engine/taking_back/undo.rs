//! Revert and redo.
//!
//! In: a file, or a changeset, and how far to go back. Out: the files written, all or none,
//! with the user's later edits kept, as new entries of history; or why it cannot be.

mod ready;
mod versions;

use std::collections::HashSet;

use ready::{Ready, mode, preview, ready, rights_left_out};
use versions::{of_changeset, since_changeset};

use super::revert_conflict::places;
use crate::disk::transaction::CommitError;
use crate::disk::workspace::WorkspacePath;
use crate::disk::workspace::attributes::{Attributes, without_new_rights};
use crate::edit::diff::line::DiffLine;
use crate::edit::plan::Presence;
use crate::engine::drift::{Drift, drift};
use crate::engine::{Engine, EngineError};
use crate::id::{ChangesetId, ProposalId};
use crate::record::history::revert::{NoReversal, Reversal, reversal, reversal_of};
use crate::record::history::{Entry, EntryKind, FileHistory};
use crate::stage::proposal::stage::Commit;
use crate::stage::review::RevertTo;
use crate::text::EditSet;

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

/// What a reversal comes to for one file.
enum WorkedOut {
    Ready(Box<Ready>),
    /// There is nothing to take back, for this reason.
    Nothing(String),
    /// Something is in the way.
    Blocked(String),
}

/// What a reversal comes to for the files of a changeset.
enum ChangesetWorkedOut {
    Ready(Vec<Ready>),
    Nothing,
    /// Something is in the way of one file.
    Blocked(String),
}

impl Engine {
    /// Takes changes to a file back and keeps what the user changed since.
    pub fn revert(&mut self, path: &str, to: RevertTo) -> Result<Undone, EngineError> {
        let _lock = self.state.begin()?;
        let path = self.state.file_at(path)?;
        let ready = match self.work_out(&path, |history, since| reversal(history, since, to))? {
            WorkedOut::Ready(ready) => *ready,
            WorkedOut::Nothing(why) => return Ok(Undone::Nothing { why }),
            WorkedOut::Blocked(why) => return Ok(Undone::Conflict { why }),
        };
        let (version, summary) = (ready.entry.version, ready.entry.description.clone());
        let (gone, restored) = self.effects(&path, &ready.entry)?;
        let gone = gone.into_iter().map(|change| change.version).collect();
        let path = ready.commit.name().clone();
        let mut unkept = ready.left_out.clone();
        let taken_back = match &ready.entry.kind {
            EntryKind::Revert(versions) => versions.clone(),
            EntryKind::Applied { .. } | EntryKind::Ran { .. } => Vec::new(),
        };
        if let Some(why) = self.take_back(vec![ready])? {
            return Ok(Undone::Conflict { why });
        }
        unkept.append(&mut self.unkept);
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

    /// Returns the changes to a file that a new entry puts out of effect, and those that it puts
    /// into effect again.
    fn effects(
        &self,
        path: &WorkspacePath,
        entry: &Entry,
    ) -> Result<(Vec<TakenBack>, Vec<u64>), EngineError> {
        let mut history = self.state.store.history(path)?;
        let before = history.in_effect();
        let changes = history.entries.iter();
        let changes = changes.filter(|entry| !entry.kind.is_revert());
        let taken_back = |entry: &Entry| TakenBack {
            version: entry.version,
            proposal: entry.kind.proposal(),
        };
        let changes: Vec<TakenBack> = changes.map(taken_back).collect();
        history.entries.push(entry.clone());
        let after = history.in_effect();
        let only = |one: &HashSet<u64>, other: &HashSet<u64>| {
            let is_only = |version: &u64| one.contains(version) && !other.contains(version);
            let within = changes.iter().filter(move |own| is_only(&own.version));
            within.copied().collect::<Vec<_>>()
        };
        let restored = only(&after, &before);
        let restored = restored.iter().map(|own| own.version).collect();
        Ok((only(&before, &after), restored))
    }

    /// Returns what [`Self::revert`] would do, or why it would not, and does nothing.
    pub fn preview(&mut self, path: &str, to: RevertTo) -> Result<RevertForecast, EngineError> {
        let _lock = self.state.begin()?;
        let path = self.state.file_at(path)?;
        let worked_out = self.work_out(&path, |history, since| reversal(history, since, to))?;
        Ok(match worked_out {
            WorkedOut::Ready(ready) => RevertForecast::Possible(preview(*ready)),
            WorkedOut::Nothing(why) => RevertForecast::Nothing { why },
            WorkedOut::Blocked(why) => RevertForecast::Conflict { why },
        })
    }

    /// Takes back everything that was written with a changeset, in all files or in none.
    pub fn revert_changeset(&mut self, id: ChangesetId) -> Result<ChangesetUndone, EngineError> {
        self.take_each_back(|history| Ok(of_changeset(history, id)))
    }

    /// Takes everything back that was written with a changeset, and since then to the same files, in all of them or in
    /// none.
    pub fn revert_to_before(&mut self, id: ChangesetId) -> Result<ChangesetUndone, EngineError> {
        self.take_each_back(|history| Ok(since_changeset(history, id)))
    }

    /// Returns what [`Self::revert_to_before`] would do, and does nothing.
    pub fn preview_before(&mut self, id: ChangesetId) -> Result<ChangesetPreview, EngineError> {
        self.preview_each(|history| Ok(since_changeset(history, id)))
    }

    /// Takes versions of each file back, in all files or in none; `chosen` returns which, or what is in the way.
    pub(in crate::engine) fn take_each_back(
        &mut self,
        chosen: impl Fn(&FileHistory) -> Result<Vec<u64>, String>,
    ) -> Result<ChangesetUndone, EngineError> {
        let _lock = self.state.begin()?;
        let ready = match self.work_out_each(chosen)? {
            ChangesetWorkedOut::Ready(ready) => ready,
            ChangesetWorkedOut::Nothing => return Ok(ChangesetUndone::Nothing),
            ChangesetWorkedOut::Blocked(why) => return Ok(ChangesetUndone::Conflict { why }),
        };
        let mut files = Vec::with_capacity(ready.len());
        for file in &ready {
            let (gone, restored) = self.effects(&file.commit.path, &file.entry)?;
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
            None => {
                unkept.append(&mut self.unkept);
                ChangesetUndone::Done { files, unkept }
            }
            Some(why) => ChangesetUndone::Conflict { why },
        })
    }

    /// Returns what [`Self::revert_changeset`] would do, file by file, or why it would not, and
    /// does nothing.
    pub fn preview_changeset(&mut self, id: ChangesetId) -> Result<ChangesetPreview, EngineError> {
        self.preview_each(|history| Ok(of_changeset(history, id)))
    }

    /// Returns what taking versions of each file back would do.
    pub(in crate::engine) fn preview_each(
        &mut self,
        chosen: impl Fn(&FileHistory) -> Result<Vec<u64>, String>,
    ) -> Result<ChangesetPreview, EngineError> {
        let _lock = self.state.begin()?;
        Ok(match self.work_out_each(chosen)? {
            ChangesetWorkedOut::Ready(files) => {
                ChangesetPreview::Possible(files.into_iter().map(preview).collect())
            }
            ChangesetWorkedOut::Nothing => ChangesetPreview::Nothing,
            ChangesetWorkedOut::Blocked(why) => ChangesetPreview::Conflict { why },
        })
    }

    /// Works out how to take versions back in every file that has some.
    fn work_out_each(
        &mut self,
        chosen: impl Fn(&FileHistory) -> Result<Vec<u64>, String>,
    ) -> Result<ChangesetWorkedOut, EngineError> {
        let mut ready = Vec::new();
        // What is taken back at once has one time in all files.
        let now = (self.state.ambient.now)();
        for path in self.state.store.history_paths()? {
            let versions = match chosen(&self.state.store.history(&path)?) {
                Ok(versions) => versions,
                Err(why) => return Ok(ChangesetWorkedOut::Blocked(why)),
            };
            if versions.is_empty() {
                continue;
            }
            let worked_out = self.work_out(&path, |history, since| {
                reversal_of(history, since, &versions)
            })?;
            match worked_out {
                WorkedOut::Ready(mut file) => {
                    file.entry.time = now;
                    ready.push(*file);
                }
                WorkedOut::Nothing(_) => {}
                WorkedOut::Blocked(why) => return Ok(ChangesetWorkedOut::Blocked(why)),
            }
        }
        Ok(if ready.is_empty() {
            ChangesetWorkedOut::Nothing
        } else {
            ChangesetWorkedOut::Ready(ready)
        })
    }

    /// Works a reversal out for one file.
    fn work_out(
        &mut self,
        path: &WorkspacePath,
        reverse: impl FnOnce(&FileHistory, &EditSet) -> Result<Reversal, NoReversal>,
    ) -> Result<WorkedOut, EngineError> {
        let history = self.state.store.history(path)?;
        let before = self
            .state
            .overlay
            .workspace
            .read(path)?
            .map(|image| image.source);
        let since = match drift(&self.state.store, path, before.as_ref())? {
            Drift::Edited(since) => since,
            Drift::Unknown(why) if !history.entries.is_empty() => {
                return Ok(WorkedOut::Blocked(why));
            }
            Drift::Unknown(_) => EditSet::default(),
        };
        let reversal = match reverse(&history, &since) {
            Ok(reversal) => reversal,
            Err(error @ NoReversal::Conflict { version, alone }) => {
                let places = if alone {
                    places(&self.revert_conflicts_with(path, &history, version, before.as_ref())?)
                } else {
                    None
                };
                let places = places.map(|places| format!(": {places}"));
                let places = places.unwrap_or_default();
                return Ok(WorkedOut::Blocked(format!("{path}: {error}{places}")));
            }
            Err(error) => return Ok(WorkedOut::Nothing(format!("{path}: {error}"))),
        };
        let as_then = || WorkedOut::Nothing(format!("{path}: it is as it was then"));
        // What came and went again, under whatever name, is not there either way.
        if before.is_none() && reversal.presence != Presence::Created {
            return Ok(as_then());
        }
        if let Some(to) = &reversal.to
            && !matches!(self.state.overlay.workspace.read(to), Ok(None))
        {
            let why = format!("{path}: it cannot go back to {to}, which is there again");
            return Ok(WorkedOut::Blocked(why));
        }
        let now = (self.state.ambient.now)();
        let comes = before.is_none() || reversal.to.is_some();
        let attributes = self.state.overlay.workspace.attributes(path)?;
        let given = attributes.as_ref().map(|own| {
            let mode = mode(&history, &reversal.versions, own.mode);
            let (given, names) = without_new_rights(mode, own.mode);
            let given = (given != own.mode).then_some(given);
            (given, rights_left_out(path, &names))
        });
        let mut ready = ready(path, &history, before, since, now, reversal)?;
        let stays_file = ready
            .commit
            .after
            .as_ref()
            .is_some_and(|own| !own.is_link());
        let given = given.filter(|_| stays_file);
        let (mode, left_out) = given.unwrap_or_default();
        ready.left_out.extend(left_out);
        let stays = ready.commit.before == ready.commit.after && ready.commit.to.is_none();
        if stays && mode.is_none() {
            return Ok(as_then());
        }
        if mode.is_some() || !stays_file {
            ready.commit.mode = mode;
            ready.entry.attributes = attributes.map(|own| Attributes {
                replaced_by: mode,
                ..own
            });
        }
        if comes {
            ready.entry.folders = self
                .state
                .overlay
                .workspace
                .missing_folders(ready.commit.name())?;
        }
        Ok(WorkedOut::Ready(Box::new(ready)))
    }

    /// Writes reversals, all or none; returns what is in the way, if anything is.
    fn take_back(&mut self, ready: Vec<Ready>) -> Result<Option<String>, EngineError> {
        let (commits, entries): (Vec<Commit>, Vec<Entry>) = ready
            .into_iter()
            .map(|file| (file.commit, file.entry))
            .unzip();
        let before = self.state.overlay.stage.clone();
        let mut touched = Vec::new();
        for commit in &commits {
            // What is staged over the file goes with it.
            if let (Some(to), true) = (
                &commit.to,
                self.state.overlay.stage.stacks.contains_key(&commit.path),
            ) {
                // What waits to make a file there meets one.
                self.state.overlay.stage.settle(to, None);
                self.state.overlay.stage.settle(to, commit.after.clone());
                self.state.overlay.stage.follow(&commit.path, to);
                touched.extend([commit.path.clone(), to.clone()]);
            }
        }
        let written = self.transact(&commits, &entries, &touched, &[], &[]);
        if written.is_err() {
            self.state.overlay.stage = before;
        }
        match written {
            Err(EngineError::Commit(CommitError::Changed { path })) => {
                Ok(Some(format!("{path} changed this very moment; try again")))
            }
            written => written.map(|()| None),
        }
    }
}
