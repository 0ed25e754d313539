//! Changes that were made, taken back, and made again after that.
//!
//! In: a change that was made once, and the changeset of the files that were written with it. Out: branches, tags, `HEAD`, the
//! stash and the index as before, or as after; or why nothing moved.
//!
//! Files that go with a change are written by the caller in between, so that whatever can be refused is refused before they are:
//!
//! ```text
//! begin     locks, looks whether the change can be taken back, and writes begun.json
//!           the files are written: all of them, or none
//! end       moves branches, tags, HEAD, the stash and the index
//! ```
//!
//! Where this is killed, the files tell [`WaitingCommits::recover`] how far it came.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::settled::{SETTLED, SettledChange, TAKEN_BACK};
use super::{
    BEGUN, BegunChange, BegunDeed, Journal, MADE, MadeChange, WaitingCommits, asker, unwritten,
};
use crate::git_view::RepositoryChange;
use crate::git_write::{CommitRefusal, GitWriter, STASH, UserVariables};
use crate::private_file::PrivateFile;

/// What is done with a change that was made once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReversalDeed {
    /// It is taken back.
    TakesBack,
    /// It was taken back, and is made again.
    MakesAgain,
}

/// Files that are written together with a reversal, as the journal has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesBeside {
    /// Their changeset.
    pub changeset: String,
    /// In how many files it was in effect before any was written. All are written in one transaction: another number says that
    /// they were.
    pub in_effect: usize,
}

/// A change that was made and taken back.
pub struct TakenBackChange {
    /// When it was made.
    pub made_at: SystemTime,
    /// When it was taken back.
    pub taken_back_at: SystemTime,
    /// What it did.
    pub made: MadeChange,
    /// As of [`SettledChange`].
    pub last_written: Option<i64>,
}

/// A reversal that is begun: no other process makes or takes back a change meanwhile.
pub struct BegunReversal(Journal);

/// How a reversal ended.
pub enum EndedReversal {
    /// It is done; of these paths the user has something else staged, which stays.
    Done(Vec<String>),
    /// Nothing moved, for this reason. It is begun still: the files are to be put back first.
    Unmoved(Box<BegunReversal>, String),
    /// It is not known what moved: the next command ends it.
    CutShort(String),
}

impl ReversalDeed {
    fn journaled(self) -> BegunDeed {
        match self {
            Self::TakesBack => BegunDeed::TakesBack,
            Self::MakesAgain => BegunDeed::MakesAgain,
        }
    }

    /// Returns what is to be carried out in the repository.
    fn of(self, made: &MadeChange) -> RepositoryChange {
        match self {
            Self::TakesBack => made.change.reversed(),
            Self::MakesAgain => made.change.clone(),
        }
    }
}

impl WaitingCommits {
    /// Returns the changes that were made and taken back, as far as these are kept: the one that was taken back last at the
    /// end.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be read.
    pub fn all_taken_back(&self) -> io::Result<Vec<TakenBackChange>> {
        let mut all = Vec::new();
        for (made_at, made) in self.read::<MadeChange>(TAKEN_BACK)? {
            let settled = self.0.join(&made.id).join(SETTLED);
            let taken_back_at = fs::metadata(&settled)?.modified()?;
            let settled: SettledChange = serde_json::from_slice(&fs::read(&settled)?)?;
            all.push(TakenBackChange {
                made_at,
                taken_back_at,
                made,
                last_written: settled.last_written,
            });
        }
        all.sort_by_key(|own| own.taken_back_at);
        Ok(all)
    }

    /// Returns what is in the way of a reversal, if something is. Nothing is written.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn reversal_refusal(
        &self,
        root: &Path,
        made: &MadeChange,
        deed: ReversalDeed,
    ) -> Result<Option<String>, String> {
        let (user, never) = (UserVariables::of_process(), AtomicBool::new(false));
        let writer = GitWriter::open(asker(root, &never), &user)?;
        if let Some(why) = self.settled_meanwhile(made, deed) {
            return Ok(Some(why.to_owned()));
        }
        let change = deed.of(made);
        match writer.take_over_refusal(&change)? {
            Some(refusal) => in_words(&writer, made, deed, &refusal).map(Some),
            None => pruned(&writer, &change),
        }
    }

    /// Begins a reversal, with the files that are written meanwhile; `last_written` is when the newest entry of history was
    /// written. Returns it, or what is in the way.
    ///
    /// # Errors
    ///
    /// Fails if git or the disk does; nothing is begun then.
    pub fn begin_reversal(
        &self,
        root: &Path,
        made: &MadeChange,
        deed: ReversalDeed,
        (files, last_written): (Option<FilesBeside>, Option<i64>),
    ) -> Result<Result<BegunReversal, String>, String> {
        let lock = self.lock().map_err(unwritten)?;
        lock.lock().map_err(unwritten)?;
        if let Some(why) = self.reversal_refusal(root, made, deed)? {
            return Ok(Err(why));
        }
        let begun = BegunChange {
            made: made.clone(),
            deed: deed.journaled(),
            files,
            last_written,
        };
        let journal = self.write_journal(begun, lock).map_err(unwritten)?;
        Ok(Ok(BegunReversal(journal)))
    }

    /// Ends a reversal of which the files are written.
    pub fn end_reversal(
        &self,
        root: &Path,
        begun: BegunReversal,
        deed: ReversalDeed,
    ) -> EndedReversal {
        let (user, never) = (UserVariables::of_process(), AtomicBool::new(false));
        let writer = match GitWriter::open(asker(root, &never), &user) {
            Ok(writer) => writer,
            Err(why) => return EndedReversal::Unmoved(Box::new(begun), why),
        };
        let made = begun.0.begun.made.clone();
        let change = deed.of(&made);
        let why = match writer.take_over(&change, None) {
            Ok(Ok(staged)) => {
                return match self.record(begun.0) {
                    Ok(()) => EndedReversal::Done(staged),
                    Err(error) => EndedReversal::CutShort(format!(
                        "it is done, but cannot be put on record: {error}"
                    )),
                };
            }
            Ok(Err(refusal)) => in_words(&writer, &made, deed, &refusal),
            Err(why) => Err(why),
        };
        let (Ok(why) | Err(why)) = why;
        match writer.rest_of(&change) {
            Ok(None) => EndedReversal::Unmoved(Box::new(begun), why),
            Ok(Some(_)) | Err(_) => EndedReversal::CutShort(why),
        }
    }

    /// Ends a reversal of which nothing was done.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be removed.
    pub fn abandon(&self, begun: BegunReversal) -> Result<(), String> {
        self.forget(begun.0).map_err(unwritten)
    }

    /// Says what another process did with a change, if it did the same.
    fn settled_meanwhile(&self, made: &MadeChange, deed: ReversalDeed) -> Option<&'static str> {
        let (name, why) = match deed {
            ReversalDeed::TakesBack => (MADE, "it is reverted already"),
            ReversalDeed::MakesAgain => (TAKEN_BACK, "it is not reverted any more"),
        };
        let is_there = self.0.join(&made.id).join(name).exists();
        (!is_there).then_some(why)
    }

    /// Puts on record that a change that was taken back is made again.
    pub(super) fn record_again(&self, made: &MadeChange) -> io::Result<()> {
        let folder = self.0.join(&made.id);
        PrivateFile::new(folder.join(MADE)).replace(&serde_json::to_vec(made)?)?;
        for name in [TAKEN_BACK, SETTLED, BEGUN] {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.forget_oldest()
    }
}

/// Says which object git removed meanwhile that a change needs, if it did: nothing holds what was taken back.
fn pruned(writer: &GitWriter<'_>, change: &RepositoryChange) -> Result<Option<String>, String> {
    let refs = change.refs.iter().filter_map(|own| own.after.as_ref());
    let stash = change.stash.iter().flat_map(|own| &own.after);
    for oid in refs.chain(stash.map(|own| &own.oid)) {
        if !writer.has_object(oid)? {
            return Ok(Some(format!(
                "{oid} is not in the repository any more: git removes what nothing holds"
            )));
        }
    }
    Ok(None)
}

/// Says why a change is not taken back, or not made again: what the branch has by now, as far as it is that.
fn in_words(
    writer: &GitWriter<'_>,
    made: &MadeChange,
    deed: ReversalDeed,
    refusal: &CommitRefusal,
) -> Result<String, String> {
    let CommitRefusal::Moved {
        reference,
        from,
        to,
    } = refusal
    else {
        return Ok(refusal.to_string());
    };
    if reference == STASH {
        return Ok("the stash was changed since".to_owned());
    }
    let change = &made.change;
    let moved = format!("{reference} moved from {from} to {to} since");
    if deed == ReversalDeed::MakesAgain {
        let commit = change.commits.first().map(|own| own.short());
        return Ok(match commit {
            Some(commit) => format!(
                "{moved}; the commit is in the repository still, and `git cherry-pick {commit}` puts it on what is there"
            ),
            None => moved,
        });
    }
    let place = change.after.name.strip_prefix("ref: ");
    let head = writer.head()?;
    if reference == "HEAD" && head.reference.as_deref() != place {
        let place = place.map(|own| own.strip_prefix("refs/heads/").unwrap_or(own));
        let place = place.or(change.after.commit.as_deref()).unwrap_or("it");
        return Ok(format!("{moved}; `git switch` to {place} first"));
    }
    let name = match place {
        Some(branch) if reference == "HEAD" => branch,
        _ => reference,
    };
    let mut refs = change.refs.iter().filter(|own| own.name == name);
    let tip = refs.find_map(|own| own.after.as_deref());
    let tip = tip.or(change.after.commit.as_deref());
    let is_in = tip.map(|tip| writer.is_ancestor(tip, reference));
    Ok(match is_in.transpose()? {
        Some(true) => format!(
            "{reference} moved since, and it is part of what follows; `git revert` takes it back"
        ),
        Some(false) => format!(
            "{moved}, and does not have it any more, as after `git commit --amend` or `git reset`"
        ),
        None => moved,
    })
}
