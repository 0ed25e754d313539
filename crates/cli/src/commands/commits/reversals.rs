//! Commits that were made, taken back and made again, each with the files that were written with it: both, or neither.
//!
//! In: what was made or taken back last, in files and in the repository. Out: what came of it, in words and as the engine says it.
//!
//! The commit is looked at first, and moves last: files are written in one transaction, which can fail, and what is then left
//! to do in the repository was looked at under the lock that keeps other processes from it.

use signoff_core::id::{ChangesetId, Timestamp, Uuid};
use signoff_core::stage::review::{RevertOutcome, RevertTarget};
use signoff_review::review::history::others_in_effect;
use signoff_sandbox::waiting_commits::{
    BegunReversal, EndedReversal, FilesBeside, MadeChange, ReversalDeed, TakenBackChange,
    WaitingCommits,
};
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_tui::error_text::in_words;

use super::{CommitOutcome, timestamp};
use crate::args::RevertMode;
use crate::commands::revert::{attempt, is_whole};

/// A change of the repository that was made once, and what is done with it and its files.
pub(in crate::commands) struct Reversal {
    made: MadeChange,
    deed: ReversalDeed,
    /// The files that go with it, if any do.
    files: Option<RevertTarget>,
    /// What does the same for files alone, if there is anything that it can do.
    otherwise: Option<&'static str>,
}

/// What came of a reversal.
pub(in crate::commands) enum ReversalOutcome {
    /// The commit is in the way: nothing was changed.
    Refused(CommitOutcome),
    /// Files are in the way, or none would change: nothing was changed.
    FilesStay(RevertOutcome),
    /// Both are done, or would be.
    Done(CommitOutcome, Option<RevertOutcome>),
}

impl Reversal {
    /// Returns what `undo` takes back: the change that was made last, unless files were written since with another changeset;
    /// `last` is the newest changeset in effect, and when it was written.
    pub(in crate::commands) fn to_undo(
        paths: &Paths,
        last: Option<&(String, Timestamp)>,
    ) -> anyhow::Result<Option<Self>> {
        let waiting = WaitingCommits::at(&paths.commits());
        let Some((time, made)) = waiting.last_made()? else {
            return Ok(None);
        };
        let is_with = last.is_some_and(|(id, _)| made.changeset.as_ref() == Some(id));
        if !is_with && last.is_some_and(|(_, written)| *written > timestamp(time)) {
            return Ok(None);
        }
        let changeset = made.changeset.as_deref().filter(|_| is_with);
        let changeset = changeset.and_then(parsed);
        Ok(Some(Self {
            files: changeset.map(|changeset| RevertTarget::Changeset { changeset }),
            made,
            deed: ReversalDeed::TakesBack,
            otherwise: last.map(|_| "`signoff revert --changeset last` reverts the newest change of files and leaves the commit"),
        }))
    }

    /// Returns what `redo` makes again: the change that was taken back last, unless files were reverted since; `last` is the
    /// changeset of which anything was reverted last, and when.
    pub(in crate::commands) fn to_redo(
        paths: &Paths,
        last: Option<(Timestamp, ChangesetId)>,
    ) -> anyhow::Result<Option<Self>> {
        let waiting = WaitingCommits::at(&paths.commits());
        let Some(last_made) = waiting.all_taken_back()?.pop() else {
            return Ok(None);
        };
        let changeset = last_made.made.changeset.as_deref().and_then(parsed);
        let with = last
            .filter(|(reverted, id)| changeset == Some(*id) && is_beside(&last_made, *reverted));
        let time = timestamp(last_made.taken_back_at);
        if with.is_none() && last.is_some_and(|(reverted, _)| reverted > time) {
            return Ok(None);
        }
        Ok(Some(Self {
            made: last_made.made,
            deed: ReversalDeed::MakesAgain,
            files: with.map(|(_, redo)| RevertTarget::Redo { redo }),
            otherwise: last.map(|_| "`signoff redo --changeset last` redoes the files that were reverted last and leaves the commit"),
        }))
    }

    /// Returns what the interface has done with the change of an id; none if that is done already.
    pub(super) fn of_id(
        paths: &Paths,
        id: &str,
        deed: ReversalDeed,
    ) -> anyhow::Result<Option<Self>> {
        let waiting = WaitingCommits::at(&paths.commits());
        let (made, files) = match deed {
            ReversalDeed::TakesBack => {
                let mut all = waiting.all_made()?.into_iter().map(|(_, made)| made);
                let Some(made) = all.find(|own| own.id == id) else {
                    return Ok(None);
                };
                let changeset = made.changeset.as_deref().and_then(parsed);
                let files = changeset.map(|changeset| RevertTarget::Changeset { changeset });
                (made, files)
            }
            ReversalDeed::MakesAgain => {
                let mut all = waiting.all_taken_back()?.into_iter();
                let Some(own) = all.find(|own| own.made.id == id) else {
                    return Ok(None);
                };
                let redo = own.made.changeset.as_deref().and_then(parsed);
                let reverted = match redo {
                    Some(redo) => opened::engine(paths)?.time_taken_back(redo)?,
                    None => None,
                };
                let is_with = reverted.is_some_and(|time| is_beside(&own, time));
                let redo = redo.filter(|_| is_with);
                (own.made, redo.map(|redo| RevertTarget::Redo { redo }))
            }
        };
        let files = match files {
            Some(target) if opened::engine(paths)?.foresee(&target)?.is_nothing() => None,
            files => files,
        };
        Ok(Some(Self {
            otherwise: files.as_ref().map(|_| "/history has its files alone"),
            files,
            made,
            deed,
        }))
    }

    /// Takes a change of the repository back alone.
    pub(super) fn of_commit_alone(made: MadeChange) -> Self {
        Self {
            made,
            deed: ReversalDeed::TakesBack,
            files: None,
            otherwise: None,
        }
    }

    /// Carries it out, or says what would come of it.
    pub(in crate::commands) fn carry_out(
        &self,
        paths: &Paths,
        mode: RevertMode,
    ) -> anyhow::Result<ReversalOutcome> {
        let waiting = WaitingCommits::at(&paths.commits());
        let (root, made, deed) = (&paths.root, &self.made, self.deed);
        if mode.dry_run {
            let refusal = waiting.reversal_refusal(root, made, deed);
            if let Some(why) = refusal.map_err(anyhow::Error::msg)? {
                return Ok(ReversalOutcome::Refused(self.refused(&why)));
            }
            return Ok(match self.attempt_files(paths, mode)? {
                Some(files) if !is_whole(&files, mode) => ReversalOutcome::FilesStay(files),
                files => ReversalOutcome::Done(self.outcome("preview"), files),
            });
        }
        let beside = self.beside(paths)?;
        let begun = waiting.begin_reversal(root, made, deed, (beside, last_written(paths)?));
        let begun = match begun.map_err(anyhow::Error::msg)? {
            Ok(begun) => begun,
            Err(why) => return Ok(ReversalOutcome::Refused(self.refused(&why))),
        };
        let files = match self.attempt_files(paths, mode) {
            Ok(Some(files)) if !files.written => {
                waiting.abandon(begun).map_err(anyhow::Error::msg)?;
                return Ok(ReversalOutcome::FilesStay(files));
            }
            Ok(files) => files,
            Err(error) => {
                waiting.abandon(begun).map_err(anyhow::Error::msg)?;
                return Err(error);
            }
        };
        Ok(match waiting.end_reversal(root, begun, deed) {
            EndedReversal::Done(staged) => {
                let mut outcome = self.outcome(self.status());
                for path in staged {
                    outcome.said += &format!("; what you staged of {path} stays staged");
                }
                ReversalOutcome::Done(outcome, files)
            }
            EndedReversal::Unmoved(begun, why) => {
                let put_back = self.put_files_back(paths, files.is_some());
                let why = self.abandoned(&waiting, *begun, put_back, &why);
                ReversalOutcome::Refused(self.refused(&why))
            }
            EndedReversal::CutShort(why) => {
                let why = format!("{why}; the next command of signoff ends what was begun");
                ReversalOutcome::Refused(self.refused(&why))
            }
        })
    }

    /// Has the files written that go with it, or looked at.
    fn attempt_files(
        &self,
        paths: &Paths,
        mode: RevertMode,
    ) -> anyhow::Result<Option<RevertOutcome>> {
        let Some(target) = &self.files else {
            return Ok(None);
        };
        attempt(&mut opened::engine(paths)?, target, mode).map(Some)
    }

    /// Returns what the journal has of the files.
    fn beside(&self, paths: &Paths) -> anyhow::Result<Option<FilesBeside>> {
        let changeset = match &self.files {
            Some(RevertTarget::Changeset { changeset: id } | RevertTarget::Redo { redo: id }) => {
                id.to_string()
            }
            _ => return Ok(None),
        };
        Ok(Some(FilesBeside {
            in_effect: files_in_effect(paths, &changeset)?,
            changeset,
        }))
    }

    /// Writes the files as they were, as the commit did not move.
    fn put_files_back(&self, paths: &Paths, are_written: bool) -> anyhow::Result<bool> {
        let target = match &self.files {
            Some(RevertTarget::Changeset { changeset }) => RevertTarget::Redo { redo: *changeset },
            Some(RevertTarget::Redo { redo }) => RevertTarget::Changeset { changeset: *redo },
            _ => return Ok(true),
        };
        if !are_written {
            return Ok(true);
        }
        Ok(opened::engine(paths)?.take_back(&target)?.written)
    }

    /// Says why nothing was done, and what of the files that leaves.
    fn abandoned(
        &self,
        waiting: &WaitingCommits,
        begun: BegunReversal,
        put_back: anyhow::Result<bool>,
        why: &str,
    ) -> String {
        let files = match put_back {
            Ok(true) => String::new(),
            Ok(false) => "; its files were written before that, and stay so".to_owned(),
            Err(error) => format!(
                "; its files were written before that, and stay so: {}",
                in_words(&error)
            ),
        };
        match waiting.abandon(begun) {
            Ok(()) => format!("{why}{files}"),
            Err(error) => format!("{why}{files}; {error}"),
        }
    }

    fn refused(&self, why: &str) -> CommitOutcome {
        let what = self.made.change.lines().join("; ");
        let verb = match self.deed {
            ReversalDeed::TakesBack => "revert",
            ReversalDeed::MakesAgain => "redo",
        };
        let mut said = format!("cannot {verb} {what}: {why}");
        if let Some(otherwise) = self.otherwise {
            said += &format!("; {otherwise}");
        }
        CommitOutcome::new(&self.made.id, "refused", said)
    }

    fn status(&self) -> &'static str {
        match self.deed {
            ReversalDeed::TakesBack => "reverted",
            ReversalDeed::MakesAgain => "made",
        }
    }

    fn outcome(&self, status: &'static str) -> CommitOutcome {
        let change = &self.made.change;
        let said = match (self.deed, status) {
            (ReversalDeed::TakesBack, "preview") => {
                format!("would revert {}", change.lines_reversed().join("; "))
            }
            (ReversalDeed::TakesBack, _) => {
                let what = change.lines_reversed().join("; ");
                format!("reverted {what}; `signoff redo` makes it again")
            }
            (ReversalDeed::MakesAgain, "preview") => {
                format!("would redo {}", change.lines().join("; "))
            }
            (ReversalDeed::MakesAgain, _) => format!("redone {}", change.lines().join("; ")),
        };
        CommitOutcome::new(&self.made.id, status, said)
    }
}

/// Returns in how many files a changeset is in effect.
pub(super) fn files_in_effect(paths: &Paths, changeset: &str) -> anyhow::Result<usize> {
    let Some(changeset) = parsed(changeset) else {
        return Ok(0);
    };
    let history = opened::engine(paths)?.history(None)?;
    Ok(others_in_effect(&history, changeset, "").len())
}

/// Returns when the newest entry of history was written.
fn last_written(paths: &Paths) -> anyhow::Result<Option<i64>> {
    let history = opened::engine(paths)?.history(None)?;
    Ok(history.iter().map(|entry| entry.time.0).max())
}

/// Returns whether files that were reverted at a time were reverted with a change or since. What the user reverted of its
/// files before is not made again with it. Of a change that an earlier version took back, that is not known.
fn is_beside(change: &TakenBackChange, reverted: Timestamp) -> bool {
    change.last_written.is_none_or(|last| reverted.0 > last)
}

fn parsed(changeset: &str) -> Option<ChangesetId> {
    Uuid::parse_str(changeset).ok().map(ChangesetId)
}
