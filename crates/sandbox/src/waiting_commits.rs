//! Proposed commits: what programs changed of the repository, until the user decides on it.
//!
//! ```text
//! commits.lock                      held while one is made
//! commits.deciding                  held while one is decided on, from the look whether it waits still
//! commits/9c1e04d2.../change.json   which refs and commits
//!                     new.pack      their objects, and new.idx
//!                     lfs/objects   files of Git LFS that they name
//!                     begun.json    while it is made: what was cut short is ended by the next command
//!                     made.json     once it is made, in the place of all others
//!                     settled.json  once it is denied or taken back, likewise
//!                     taken_back.json  what made.json was, to make it again
//! ```
//!
//! A commit of what the user signed off has a folder as well while it is made, with `begun.json` alone.
//!
//! In: a change and its pack. Out: the same, by id. A change is there whole or not at all, also after a loss of power: `change.json`
//! is written once all that it names is on the disk. The folder is one of signoff's own, of which programs find nothing.

mod committed_part;
mod reversals;
mod settled;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use signoff_source::quote;
use signoff_source::text::Source;

use committed_part::CommittedPart;
pub use reversals::{BegunReversal, EndedReversal, FilesBeside, ReversalDeed, TakenBackChange};
pub use settled::{ChangeState, SettledChange};
use settled::{SETTLED, TAKEN_BACK};

use crate::git_view::{
    Asker, CheckedOutFile, IndexedKind, LeftFile, RepositoryChange, UnderWayStep,
};
use crate::git_write::large_files::{self, LARGE_FILES};
use crate::git_write::{
    Blob, BlobChanges, CommitRefusal, Committed, CommittedFile, GitWriter, Head, Identities,
    NewCommit, ObjectId, UserVariables, WriteResult,
};
use crate::private_file::PrivateFile;
use crate::process::{Limits, Supervision};

/// Digits of an id. Of half as many a program could find two changes with one id, and put the other into the place of what
/// was displayed.
const DIGITS: usize = 32;
const CHANGE: &str = "change.json";
/// What a change becomes once it is made, to be taken back by.
const MADE: &str = "made.json";
/// Changes that were made are kept to be taken back, the newest of them.
const MAX_MADE: usize = 20;
/// Maximum number of files that are named which stand in the way.
const MAX_NAMED: usize = 3;
/// How long git may take for one step.
const PATIENCE: Duration = Duration::from_secs(60);
/// Said of commits that are made as they are, where the user's settings have commits signed: a tag with a message names one of
/// them, or they are more than were told.
const UNSIGNED: &str = "the commits are not signed, though commit.gpgSign is set: that would make other commits of them, and a \
                        tag names these, or they are too many";
/// What can be done where a commit of a program cannot be made.
const COMMIT_OTHERWISE: &str = "deny it, and `signoff commit` commits what you signed off";
/// Said of a commit that was cut short before the branch moved.
const UNCOMMITTED: &str =
    "a commit of what you signed off was interrupted, and nothing of it was made: commit again";
/// Said of what was cut short before anything moved.
const UNREVERTED: &str = "nothing was changed by an interrupted";
/// What is being made; it is there while it is, and after it was cut short.
const BEGUN: &str = "begun.json";
/// How the name of the file ends that is locked meanwhile.
const LOCK: &str = "lock";
/// The same of the file that is locked while one is decided on. It is another one, as this is held longer.
const DECIDING: &str = "deciding";
const PACK: &str = "new.pack";
const INDEX: &str = "new.idx";

/// A change of the repository that waits for the user's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingChange {
    /// Its id: 32 hexadecimal digits.
    pub id: String,
    /// What it does.
    pub change: RepositoryChange,
}

impl WaitingChange {
    /// Returns whether a part of an id, or of the name of one of its commits, means this change: four digits or more that
    /// either begins with, or that the id ends with.
    pub fn is_meant(&self, part: &str) -> bool {
        let part = part.to_ascii_lowercase();
        let mut commits = self.change.commits.iter();
        part.len() >= 4
            && (self.id.starts_with(&part)
                || self.id.ends_with(&part)
                || commits.any(|own| own.oid.starts_with(&part)))
    }
}

/// All that wait in a workspace.
#[derive(Clone, Debug)]
pub struct WaitingCommits(PathBuf);

impl WaitingCommits {
    /// Returns those in a folder; nothing is made.
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Returns all, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be read.
    pub fn all(&self) -> io::Result<Vec<WaitingChange>> {
        let all = self.read(CHANGE)?.into_iter();
        Ok(all.map(|(_, change)| change).collect())
    }

    /// Reads the files of one name, the oldest first.
    fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<Vec<(SystemTime, T)>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry?.path().join(name);
            if let Some(bytes) = PrivateFile::new(path.clone()).bytes()? {
                let read = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
                found.push((fs::metadata(path)?.modified()?, read));
            }
        }
        found.sort_by_key(|(time, _)| *time);
        Ok(found)
    }

    /// Returns whether a change waits.
    pub fn holds(&self, id: &str) -> bool {
        self.0.join(id).join(CHANGE).exists()
    }

    /// Returns the pack of a change's new objects, if it has any.
    pub fn pack(&self, id: &str) -> Option<PathBuf> {
        Some(self.0.join(id).join(PACK)).filter(|pack| pack.exists())
    }

    /// Keeps a change, with files of Git LFS that are in a copy of git's folder; `owner` is the folder of the layers that its
    /// program ran on. One that is there already stays.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn put(
        &self,
        change: RepositoryChange,
        pack: Option<&Path>,
        left: &Path,
        owner: &Path,
    ) -> io::Result<WaitingChange> {
        let told = serde_json::to_vec(&(owner.to_string_lossy(), &change))?;
        let mut id = Source::new(told).fingerprint().to_string();
        id.truncate(DIGITS);
        let folder = self.0.join(&id);
        let waiting = WaitingChange { id, change };
        if self.holds(&waiting.id) {
            return Ok(waiting);
        }
        make_folder(&folder)?;
        if let Some(pack) = pack {
            // Of one that was cut short; nobody may write to a pack.
            let [own, index] = [PACK, INDEX].map(|name| folder.join(name));
            for left in [&own, &index] {
                let _absent = fs::remove_file(left);
            }
            fs::copy(pack, &own)?;
            fs::copy(pack.with_extension("idx"), &index)?;
            settle(&own)?;
            settle(&index)?;
        }
        for over in [SETTLED, TAKEN_BACK] {
            let _absent = fs::remove_file(folder.join(over));
        }
        let large = large_files::take(&left.join(LARGE_FILES), &folder.join(LARGE_FILES));
        large.map_err(io::Error::other)?;
        // What it names is there before it.
        settle(&folder)?;
        let file = PrivateFile::new(folder.join(CHANGE));
        file.replace_durably(&serde_json::to_vec(&waiting)?)?;
        Ok(waiting)
    }

    /// Drops a change.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        let folder = self.0.join(id);
        // From here on it does not wait.
        match fs::remove_file(folder.join(CHANGE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the paths of a change's files of which all that is committed is on disk, and whether the user's settings have its
    /// commits signed.
    ///
    /// # Errors
    ///
    /// Fails if the repository cannot be written to.
    pub fn standing(
        &self,
        root: &Path,
        waiting: &WaitingChange,
    ) -> Result<(BTreeSet<String>, bool), String> {
        let change = &waiting.change;
        let (user, never) = (UserVariables::of_process(), AtomicBool::new(false));
        let writer = GitWriter::open(asker(root, &never), &user)?;
        let differing = differing(root, &change.files)?;
        let committed = self.committed_files(&writer, waiting, &differing)?;
        let mut whole: BTreeSet<String> = change.files.iter().map(|own| own.path.clone()).collect();
        for (file, now) in &differing {
            let both = committed.get(&file.path);
            let part = both.and_then(|both| committed_part(both, now.as_ref()));
            if !matches!(part, Some((CommittedPart::All, _))) {
                whole.remove(&file.path);
            }
        }
        Ok((whole, is_signed(&writer, change)?))
    }

    /// Returns what is committed otherwise than the program did, of files that differ from what it left; or why that cannot be
    /// told. What is on disk tells it where each of the change's lines is there as it was or as it is committed; what was
    /// written by sign-offs tells it of the rest. What the user typed is in none.
    fn remade_files(
        &self,
        writer: &GitWriter<'_>,
        waiting: &WaitingChange,
        differing: &[(&CheckedOutFile, Option<LeftFile>)],
        signed: &dyn SignedFiles,
    ) -> Result<Result<RemadeFiles, String>, String> {
        let committed = self.committed_files(writer, waiting, differing)?;
        let mut remade = RemadeFiles::default();
        for (file, now) in differing {
            let path = quote::name(&file.path);
            let Some(both) = committed.get(&file.path) else {
                return Ok(Err(format!("{path} is another repository in it")));
            };
            let blob = match committed_part(both, now.as_ref()) {
                Some((CommittedPart::All, _)) => continue,
                Some((CommittedPart::Text(bytes), kind)) => Some(Blob { bytes, kind }),
                Some((CommittedPart::Unclear, _)) | None => {
                    let before = |paths: &[String]| before(writer, &waiting.change, both, paths);
                    match signed.signed(&file.path, &before)? {
                        Err(why) => return Ok(Err(format!("what was signed off of {path} {why}"))),
                        Ok(blob) if blob == both.committed => continue,
                        Ok(blob) if blob == both.before => blob,
                        // The program committed a part of what it left: which one was signed off is not known.
                        Ok(_) if !file.is_as_committed => {
                            return Ok(Err(format!("{path} is not on disk as it is committed")));
                        }
                        Ok(blob) => {
                            remade.as_signed.insert(file.path.clone());
                            blob
                        }
                    }
                }
            };
            remade.blobs.insert(file.path.clone(), blob);
        }
        Ok(Ok(remade))
    }

    /// Returns files as a change commits them and as they were before, of those that differ from what the program left.
    fn committed_files(
        &self,
        writer: &GitWriter<'_>,
        waiting: &WaitingChange,
        differing: &[(&CheckedOutFile, Option<LeftFile>)],
    ) -> Result<BTreeMap<String, CommittedFile>, String> {
        if differing.is_empty() {
            return Ok(BTreeMap::new());
        }
        let paths = differing.iter().map(|(file, _)| file.path.clone());
        let pack = self.pack(&waiting.id);
        writer.committed_files(&waiting.change, &paths.collect::<Vec<_>>(), pack.as_deref())
    }

    /// Returns the changes that were made and not taken back, the oldest first, each with when it was.
    ///
    /// # Errors
    ///
    /// Fails if one cannot be read.
    pub fn all_made(&self) -> io::Result<Vec<(SystemTime, MadeChange)>> {
        self.read(MADE)
    }

    /// Makes a change in the repository around `root`: the same commits, branches and tags, or of a row of commits new ones, of
    /// the part of which the files are on disk.
    ///
    /// # Errors
    ///
    /// Fails if git or the disk does.
    pub fn sign_off(
        &self,
        root: &Path,
        waiting: &WaitingChange,
        files: &DecidedFiles<'_>,
    ) -> Result<SignedOff, String> {
        let change = &waiting.change;
        if let Some(why) = change.unmakeable() {
            return Ok(SignedOff::Refused(why));
        }
        let differing = match differing(root, &change.files) {
            Ok(differing) => differing,
            Err(why) => return Ok(SignedOff::Refused(why)),
        };
        let undecided = differing.iter().find_map(|(file, _)| {
            let why = files.undecided.get(&file.path)?;
            Some(format!(
                "{} of it {}",
                quote::name(&file.path),
                why.in_words()
            ))
        });
        if let Some(why) = undecided {
            return Ok(SignedOff::Refused(why));
        }
        let (user, never) = (UserVariables::of_process(), AtomicBool::new(false));
        let writer = GitWriter::open(asker(root, &never), &user)?;
        let pack = self.pack(&waiting.id);
        if writer.is_in_head(change, pack.as_deref())? {
            return self.dropped(waiting, "HEAD has all that it commits");
        }
        let is_signed = is_signed(&writer, change)?;
        let mut remade_files =
            match self.remade_files(&writer, waiting, &differing, files.signed)? {
                Ok(remade_files) => remade_files,
                Err(why) => return Ok(SignedOff::Refused(format!("{why}: {COMMIT_OTHERWISE}"))),
            };
        let parts: Vec<String> = remade_files.blobs.keys().cloned().collect();
        let remade = if !parts.is_empty() && !change.is_divisible() {
            let names = parts.iter().take(MAX_NAMED);
            let names = names.map(|path| quote::name(path)).collect::<Vec<_>>();
            return Ok(SignedOff::Refused(format!(
                "{} is not on disk as it is committed, and it is no plain row of commits: {COMMIT_OTHERWISE}",
                names.join(", ")
            )));
        } else if !parts.is_empty() || is_signed {
            let blobs = std::mem::take(&mut remade_files.blobs);
            if let Some(why) = conversion(&writer, &parts, &blobs)? {
                return Ok(SignedOff::Refused(why));
            }
            match writer.remake(change, pack.as_deref(), &blobs)? {
                Ok(Some(remade)) => Some(remade),
                Ok(None) => return self.dropped(waiting, "nothing of it was approved"),
                Err(refusal) => return Ok(SignedOff::Refused(not_made(&waiting.id, &refusal))),
            }
        } else {
            None
        };
        let pack = pack.filter(|_| remade.as_ref().is_none_or(|own| own.stash.is_some()));
        let is_anew = remade.is_some();
        let mut made = MadeChange {
            id: waiting.id.clone(),
            change: remade.unwrap_or_else(|| change.clone()),
            changeset: files.changeset.clone(),
            is_anew,
        };
        writer.keep_index(&mut made.change)?;
        writer.adopt_large_files(&self.0.join(&made.id).join(LARGE_FILES))?;
        let journal = self.begin(&made, BegunDeed::Makes).map_err(unwritten)?;
        let taken_over = writer.take_over(&made.change, pack.as_deref())?;
        match taken_over {
            Ok(staged) => {
                let made = made.change;
                let mut lines = made.lines();
                if writer.signs() && !change.commits.is_empty() && !is_signed {
                    lines.push(UNSIGNED.to_owned());
                }
                lines.extend(change.unrun_hooks());
                if let Err(error) = self.record(journal) {
                    lines.push(format!(
                        "it cannot be put on record, and not be reverted: {error}"
                    ));
                }
                let as_signed = remade_files.as_signed;
                let parts = parts.into_iter();
                Ok(SignedOff::Made {
                    lines,
                    parts: parts.filter(|path| !as_signed.contains(path)).collect(),
                    as_signed: as_signed.into_iter().collect(),
                    staged,
                })
            }
            Err(refusal) => {
                self.forget(journal).map_err(unwritten)?;
                Ok(SignedOff::Refused(not_made(&waiting.id, &refusal)))
            }
        }
    }

    /// Drops a change of which there is nothing to be made.
    fn dropped(&self, waiting: &WaitingChange, why: &'static str) -> Result<SignedOff, String> {
        let dropped = self.deny(waiting);
        dropped.map_err(|error| format!("{why}, and it cannot be dropped: {error}"))?;
        Ok(SignedOff::Dropped(why))
    }

    /// Notes that a change is about to be made or taken back, so that one that is cut short is ended by [`Self::recover`].
    fn begin(&self, made: &MadeChange, deed: BegunDeed) -> io::Result<Journal> {
        let lock = self.lock()?;
        lock.lock()?;
        let begun = BegunChange {
            made: made.clone(),
            deed,
            files: None,
            last_written: None,
        };
        self.write_journal(begun, lock)
    }

    /// Writes what is begun while the file is locked.
    fn write_journal(&self, begun: BegunChange, lock: File) -> io::Result<Journal> {
        let folder = self.0.join(&begun.made.id);
        make_folder(&folder)?;
        let file = folder.join(BEGUN);
        PrivateFile::new(file).replace(&serde_json::to_vec(&begun)?)?;
        Ok(Journal { begun, _lock: lock })
    }

    /// Keeps other processes from deciding on a change that waits until what is returned is dropped: what does not wait any more
    /// once this is had was decided on elsewhere.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be locked.
    pub fn deciding(&self) -> io::Result<File> {
        let lock = self.lock_file(DECIDING)?;
        lock.lock()?;
        Ok(lock)
    }

    /// Opens the file that is locked while a change is made.
    fn lock(&self) -> io::Result<File> {
        self.lock_file(LOCK)
    }

    fn lock_file(&self, extension: &str) -> io::Result<File> {
        if let Some(parent) = self.0.parent() {
            make_folder(parent)?;
        }
        let mut options = File::options();
        options.create(true).append(true).mode(0o600);
        options.open(self.0.with_extension(extension))
    }

    /// Commits a tree of what the user signed off on top of `HEAD` as it was read, as [`GitWriter::commit`] does; a commit that
    /// is cut short is ended by [`Self::recover`].
    ///
    /// # Errors
    ///
    /// Fails if git or the disk does.
    pub fn commit_prepared(
        &self,
        writer: &GitWriter<'_>,
        head: &Head,
        (tree, Identities { author, committer }): (&ObjectId, &Identities),
        message: &str,
        trailers: &[(String, String)],
    ) -> WriteResult<Committed> {
        let commit = writer.commit_tree(&NewCommit {
            tree,
            parents: head.commit.as_slice(),
            message,
            trailers,
            author,
            committer,
        })?;
        let commit = match commit {
            Ok(commit) => commit,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut id = commit.as_str().to_owned();
        id.truncate(DIGITS);
        let made = MadeChange {
            id,
            change: writer.advance_change(head, &commit)?,
            changeset: None,
            is_anew: false,
        };
        let journal = self.begin(&made, BegunDeed::Commits).map_err(unwritten)?;
        let advanced = writer.advance(head, commit, committer);
        // Of a failure it is not known what moved: the next command finds out.
        if advanced.is_ok() {
            self.forget(journal).map_err(unwritten)?;
        }
        advanced
    }

    /// Ends a journal of which nothing is left to be done.
    fn forget(&self, journal: Journal) -> io::Result<()> {
        let folder = self.0.join(&journal.begun.made.id);
        fs::remove_file(folder.join(BEGUN))?;
        if journal.begun.deed == BegunDeed::Commits {
            fs::remove_dir(folder)?;
        }
        Ok(())
    }

    /// Puts on record what was made, or takes from the record what was taken back.
    fn record(&self, journal: Journal) -> io::Result<()> {
        let BegunChange {
            made,
            deed,
            last_written,
            ..
        } = &journal.begun;
        match deed {
            BegunDeed::Makes => {}
            BegunDeed::TakesBack => return self.forget_made(made, *last_written),
            BegunDeed::MakesAgain => return self.record_again(made),
            BegunDeed::Commits => return self.forget(journal),
        }
        let folder = self.0.join(&made.id);
        PrivateFile::new(folder.join(MADE)).replace(&serde_json::to_vec(&made)?)?;
        for name in [CHANGE, PACK, INDEX, BEGUN] {
            let _absent = fs::remove_file(folder.join(name));
        }
        let _absent = fs::remove_dir_all(folder.join(LARGE_FILES));
        self.forget_oldest()
    }

    /// Ends what was cut short: a change of which a reference moved, or files that go with it, is made to its end, and another
    /// one waits on. `in_effect` says in how many files a changeset is in effect. Returns what was done, a line each.
    ///
    /// # Errors
    ///
    /// Fails if a journal cannot be read, or if the repository was changed since, so that neither can be done.
    pub fn recover(
        &self,
        root: &Path,
        in_effect: &dyn Fn(&str) -> Result<usize, String>,
    ) -> Result<Vec<String>, String> {
        let begun: Vec<(SystemTime, BegunChange)> = self.read(BEGUN).map_err(unwritten)?;
        if begun.is_empty() {
            return Ok(Vec::new());
        }
        let lock = self.lock().map_err(unwritten)?;
        // Another process is about to.
        if lock.try_lock().is_err() {
            return Ok(Vec::new());
        }
        let (user, never) = (UserVariables::of_process(), AtomicBool::new(false));
        let writer = GitWriter::open(asker(root, &never), &user)?;
        let mut lines = Vec::new();
        for (_, begun) in begun {
            let journal = Journal {
                _lock: lock.try_clone().map_err(unwritten)?,
                begun,
            };
            let files = journal.begun.files.as_ref();
            let now = files.map(|own| Ok::<_, String>(in_effect(&own.changeset)? != own.in_effect));
            let is_written = now.transpose()?.unwrap_or(false);
            lines.extend(self.resume(&writer, journal, is_written)?);
        }
        Ok(lines)
    }

    /// Ends one that was cut short; `is_written` says that its files were written.
    fn resume(
        &self,
        writer: &GitWriter<'_>,
        journal: Journal,
        is_written: bool,
    ) -> Result<Option<String>, String> {
        let BegunChange { made, deed, .. } = &journal.begun;
        let deed = *deed;
        let (change, done) = match deed {
            BegunDeed::TakesBack => (made.change.reversed(), "reverted"),
            BegunDeed::Makes | BegunDeed::Commits => (made.change.clone(), "made"),
            BegunDeed::MakesAgain => (made.change.clone(), "made again"),
        };
        let what = made.change.lines().join("; ");
        // Of the index it is not told whether it moved, and it can be moved once more.
        let is_of_index = change.is_staging() && journal.begun.files.is_none();
        let is_reversal = matches!(deed, BegunDeed::TakesBack | BegunDeed::MakesAgain);
        let goes_on = is_written || is_of_index && is_reversal;
        // Everything but the index is where it was to be.
        let mut is_done = false;
        let rest = match writer.rest_of(&change) {
            Ok(Some(rest)) => {
                let is_ended = !matches!(rest.step, Some(UnderWayStep::Ends(_)));
                is_done = rest.refs.is_empty()
                    && rest.before == change.after
                    && rest.stash.is_none()
                    && is_ended;
                writer.take_over(&rest, None)
            }
            Ok(None) if goes_on => {
                writer.remove_abandoned_lock()?;
                writer.take_over(&change, None)
            }
            Ok(None) => {
                writer.remove_abandoned_lock()?;
                self.forget(journal).map_err(unwritten)?;
                return Ok(match deed {
                    BegunDeed::Commits => Some(UNCOMMITTED.to_owned()),
                    // It waits on, and is listed as such.
                    BegunDeed::Makes => None,
                    BegunDeed::TakesBack => Some(format!("{UNREVERTED} undo of {what}")),
                    BegunDeed::MakesAgain => Some(format!("{UNREVERTED} redo of {what}")),
                });
            }
            Err(why) => Err(why),
        };
        let why = match rest {
            Ok(Ok(_staged)) => {
                self.record(journal).map_err(unwritten)?;
                return Ok(Some(format!(
                    "a commit that was interrupted is {done}: {what}"
                )));
            }
            Ok(Err(refusal)) => refusal.to_string(),
            Err(why) => why,
        };
        if is_done {
            self.record(journal).map_err(unwritten)?;
            return Err(format!(
                "a commit that was interrupted is {done} ({what}), but the index could not follow: {why}; `git reset` makes it like the commit"
            ));
        }
        self.forget(journal).map_err(unwritten)?;
        let files = if is_written {
            ", though its files are"
        } else {
            ""
        };
        Err(format!(
            "a commit that was interrupted is not {done}{files}: {why} ({what})"
        ))
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let made = self.all_made()?;
        let old = made.len().saturating_sub(MAX_MADE);
        made.iter()
            .take(old)
            .try_for_each(|(_, made)| self.remove(&made.id))
    }

    /// Returns the change that was made last and not taken back, and when it was.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn last_made(&self) -> io::Result<Option<(SystemTime, MadeChange)>> {
        Ok(self.all_made()?.pop())
    }
}

/// A change that was made in the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeChange {
    /// Its id.
    pub id: String,
    /// What it did.
    pub change: RepositoryChange,
    /// The changeset of the files that were written with it, if there were any.
    pub changeset: Option<String>,
    /// Whether it has other commits than the one that waited.
    #[serde(default)]
    pub is_anew: bool,
}

/// A change that is being made or taken back.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BegunChange {
    made: MadeChange,
    deed: BegunDeed,
    /// Files that are written meanwhile, if there are any.
    #[serde(default)]
    files: Option<FilesBeside>,
    /// When the newest entry of history was written, as history counts, of a reversal.
    #[serde(default)]
    last_written: Option<i64>,
}

/// What is being done with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum BegunDeed {
    /// A change that waited is made.
    Makes,
    /// One that was made is taken back.
    TakesBack,
    /// One that was taken back is made again.
    MakesAgain,
    /// The user commits what they signed off; nothing waited.
    Commits,
}

/// One that this process is about, while it has the lock.
struct Journal {
    begun: BegunChange,
    _lock: File,
}

/// Says why a change that waits is not made. To try again is of no use where something was built beside it.
fn not_made(id: &str, refusal: &CommitRefusal) -> String {
    match refusal {
        CommitRefusal::Moved {
            reference,
            from,
            to,
        } => format!(
            "{reference} moved from {from} to {to} since, on which it does not fit; `signoff deny {id}` drops it, and `signoff commit` commits what you signed off"
        ),
        _ => refusal.to_string(),
    }
}

/// What the user decided on files.
pub struct DecidedFiles<'d> {
    /// Paths of which something is not decided.
    pub undecided: BTreeMap<String, UndecidedFile>,
    /// What was signed off.
    pub signed: &'d dyn SignedFiles,
    /// The changeset that was written just before, with the commit.
    pub changeset: Option<String>,
}

/// Why a file is not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UndecidedFile {
    /// A hunk of it waits for a verdict.
    Waits,
    /// A hunk of it is in conflict, and can only be denied.
    InConflict,
}

impl UndecidedFile {
    fn in_words(self) -> &'static str {
        match self {
            Self::Waits => "waits for a verdict: decide on it first",
            Self::InConflict => "is in conflict: deny that first",
        }
    }
}

/// The record of what sign-offs wrote.
pub trait SignedFiles {
    /// Returns what a commit is to have at a path by all that was signed off of it, or why that cannot be told, which follows the
    /// path; `before` returns what the commit before has at paths. Where nothing was signed off, it stays as it is there.
    ///
    /// # Errors
    ///
    /// Fails if the record or git does.
    fn signed(&self, path: &str, before: &FilesBefore<'_>) -> Result<SignedFile, String>;
}

/// Returns what a commit has at paths.
pub type FilesBefore<'f> = dyn Fn(&[String]) -> Result<BTreeMap<String, Blob>, String> + 'f;

/// What was signed off of a file, none if it goes; or why that cannot be told.
pub type SignedFile = Result<Option<Blob>, String>;

/// Files of a change that are committed otherwise than the program did.
#[derive(Default)]
struct RemadeFiles {
    blobs: BlobChanges,
    /// Those of them that have a text which the user gave.
    as_signed: BTreeSet<String>,
}

/// What came of a change that was signed off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignedOff {
    /// It is not made and waits no more, for this reason.
    Dropped(&'static str),
    /// It is made.
    Made {
        /// What it does, in words.
        lines: Vec<String>,
        /// Files of which a part was approved: it is another commit, of that part.
        parts: Vec<String>,
        /// Files that are in another commit with a text of the user's, as they signed it off.
        as_signed: Vec<String>,
        /// Paths of which the user has something else staged, which stays.
        staged: Vec<String>,
    },
    /// Nothing was written.
    Refused(String),
}

/// Returns whether commits of a change are made anew with a signature.
fn is_signed(writer: &GitWriter<'_>, change: &RepositoryChange) -> Result<bool, String> {
    let signs = writer.signs() && !change.commits.is_empty() && !change.is_cut;
    Ok(signs && !writer.has_tag_of(change)?)
}

/// Makes a folder of signoff's own.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)
}

/// Returns once a file, or the names in a folder, outlive a loss of power.
fn settle(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn unwritten(error: io::Error) -> String {
    format!("what waits cannot be written down: {error}")
}

fn asker<'a>(root: &'a Path, never: &'a AtomicBool) -> Asker<'a> {
    Asker {
        root,
        reserved: None,
        supervision: Supervision::OwnExecutable,
        limits: Limits {
            timeout: PATIENCE,
            most_bytes: 0,
        },
        stop: never,
    }
}

/// Returns the files that are on disk otherwise than the program left them, as they are. One that cannot be read is not taken for
/// one that is gone: the commit would remove it.
fn differing<'f>(
    root: &Path,
    files: &'f [CheckedOutFile],
) -> Result<Vec<(&'f CheckedOutFile, Option<LeftFile>)>, String> {
    let mut found = Vec::new();
    for file in files {
        let now = LeftFile::on_disk(root, &file.path);
        let now =
            now.map_err(|error| format!("{} cannot be read: {error}", quote::name(&file.path)))?;
        if now.as_ref().map(LeftFile::fingerprint) != file.left {
            found.push((file, now));
        }
    }
    Ok(found)
}

/// Says of which file git would store another text than is to be committed, if there is one.
fn conversion(
    writer: &GitWriter<'_>,
    paths: &[String],
    blobs: &BlobChanges,
) -> Result<Option<String>, String> {
    let rules = writer.path_rules(paths)?;
    let converted = |(path, blob): (&String, &Option<Blob>)| {
        let bytes = &blob.as_ref()?.bytes;
        let by_rule = rules.normalized.get(path);
        let by_rule = by_rule.filter(|rule| rule.changes(None, bytes));
        let by_rule = by_rule.map(ToString::to_string);
        let why = by_rule.or_else(|| rules.converted.get(path).cloned())?;
        Some(format!(
            "git converts {} ({why}), which signoff does not do for a part of a commit",
            quote::name(path)
        ))
    };
    Ok(blobs.iter().find_map(converted))
}

/// Returns what of a change of a file is on disk, and what kind of file it is committed as; none if the one there is of another
/// kind, or either is gone.
fn committed_part(
    both: &CommittedFile,
    now: Option<&LeftFile>,
) -> Option<(CommittedPart, IndexedKind)> {
    let (committed, now) = both.committed.as_ref().zip(now)?;
    if committed.kind == IndexedKind::Link || IndexedKind::of_mode(now.mode) != Some(committed.kind)
    {
        return None;
    }
    let before = both.before.as_ref();
    let before = before.map_or(&[][..], |own| own.bytes.as_slice());
    let part = CommittedPart::of(before, &committed.bytes, &now.bytes);
    Some((part, committed.kind))
}

/// Returns what the commit before a change has at the paths of a file; before what is staged, that is what was.
fn before(
    writer: &GitWriter<'_>,
    change: &RepositoryChange,
    file: &CommittedFile,
    paths: &[String],
) -> Result<BTreeMap<String, Blob>, String> {
    let own = file.before.as_ref().zip(paths.first());
    let own = own.map(|(blob, path)| (path.clone(), blob.clone()));
    match &change.before.commit {
        Some(commit) if !change.is_staging() => {
            let commit = ObjectId::parse(commit).ok_or_else(|| format!("{commit:?} is no hash"))?;
            writer.blobs(&commit, paths)
        }
        _ => Ok(own.into_iter().collect()),
    }
}
