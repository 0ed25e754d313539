//! The reference and the user's index, moved to a new commit.
//!
//! In: `HEAD` as it was read, and a commit. Out: the reference leads to the commit, and the index has what the commit
//! changed where it was as `HEAD` had it; or the reference was elsewhere by now, and nothing moved. As `git commit` does,
//! the index is locked first, and takes its place last.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::objects::{EntryChange, of_index, scratch, unwritten};
use super::own_file::{self, OwnFile};
use super::{
    CommitRefusal, Committed, Ended, GitWriter, Head, Identity, ObjectId, WriteResult, failed,
    short,
};
use crate::git_view::{
    CheckedOut, IndexChange, LIST_STAGED, RefChange, RepositoryChange, StagedEntry, mark_intended,
    may_be_intended, plain, staged_entries, told,
};
use crate::regular;

/// The lock of an index; whoever drops it unlocks.
struct IndexLock(PathBuf);

/// What a lock of signoff's begins with, before the number of its process. Git's own are empty, or hold an index.
const LOCKED_BY: &str = "signoff ";
/// Maximum size of a lock of signoff's, in bytes.
const MAX_LOCK: u64 = 64;

impl IndexLock {
    /// Removes a lock that a signoff left which was killed.
    fn remove_abandoned(own: &Path) -> io::Result<()> {
        let lock = own.join("index.lock");
        let Some(process) = abandoned_by(&lock) else {
            return Ok(());
        };
        for left in [following(&lock), draft_of(&lock, process), lock] {
            own_file::remove_left(&left)?;
        }
        Ok(())
    }

    /// Locks the index in a folder; none if another git does.
    fn take(own: &Path) -> io::Result<Option<Self>> {
        Self::remove_abandoned(own)?;
        let lock = own.join("index.lock");
        let process = std::process::id();
        let text = format!("{LOCKED_BY}{process}\n");
        let draft = OwnFile::with(draft_of(&lock, process), text.as_bytes())?;
        // The lock says from its first moment whose it is.
        match draft.link_to(&lock) {
            Ok(()) => Ok(Some(Self(lock))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Returns where a process writes its lock before it takes it.
fn draft_of(lock: &Path, process: u32) -> PathBuf {
    lock.with_extension(format!("lock.{process}"))
}

/// Returns where the index is written that takes the place of the one that is locked.
fn following(lock: &Path) -> PathBuf {
    lock.with_extension("signoff")
}

/// Returns the process that left a lock, if it was a signoff that is gone.
fn abandoned_by(lock: &Path) -> Option<u32> {
    plain::file(lock, MAX_LOCK).ok()?;
    let text = regular::text(lock, MAX_LOCK).ok()?;
    let process: u32 = text.strip_prefix(LOCKED_BY)?.trim().parse().ok()?;
    let pid = Pid::from_raw(i32::try_from(process).ok()?)?;
    (test_kill_process(pid) == Err(Errno::SRCH)).then_some(process)
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        let _gone = fs::remove_file(&self.0);
    }
}

impl GitWriter<'_> {
    /// Moves what is checked out from where it was read to a commit, which may be several commits further.
    ///
    /// # Errors
    ///
    /// Fails if git does. If the reference moved and the index could not, the text says so.
    pub fn advance(
        &self,
        head: &Head,
        commit: ObjectId,
        committer: &Identity,
    ) -> WriteResult<Committed> {
        if let Some(what) = self.under_way() {
            return Ok(Err(CommitRefusal::UnderWay(what)));
        }
        let changed = self.changed(head.commit.as_ref(), Some(&commit))?;
        let staged = self.with_index(changed, &[], Some(&commit), || {
            self.move_reference(head, &commit, committer)
        })?;
        Ok(staged.map(|staged| Committed { commit, staged }))
    }

    /// Returns what moving to a commit changes of the repository, for a journal.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn advance_change(
        &self,
        head: &Head,
        commit: &ObjectId,
    ) -> Result<RepositoryChange, String> {
        let after = Head {
            commit: Some(commit.clone()),
            ..head.clone()
        };
        let [before, after] = [head, &after].map(CheckedOut::of);
        let refs = head.reference.iter().map(|reference| RefChange {
            name: reference.clone(),
            before: before.commit.clone(),
            after: after.commit.clone(),
            loses: 0,
        });
        Ok(RepositoryChange {
            refs: refs.collect(),
            before,
            after,
            index: self.changed(head.commit.as_ref(), Some(commit))?,
            ..RepositoryChange::default()
        })
    }

    /// Removes the lock of the index that a signoff left which was killed.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be removed.
    pub fn remove_abandoned_lock(&self) -> Result<(), String> {
        IndexLock::remove_abandoned(&self.own).map_err(unwritten)
    }

    /// Moves references, by `move_references`, to what is checked out `after` that, and has the entries of the index follow
    /// that are as they were; those that are `skipped` have no file in the work tree. Returns the paths of which the user has
    /// something else staged, which stays.
    pub(super) fn with_index(
        &self,
        changed: Vec<IndexChange>,
        skipped: &[String],
        after: Option<&ObjectId>,
        move_references: impl FnOnce() -> Result<Option<CommitRefusal>, String>,
    ) -> WriteResult<Vec<String>> {
        let follow = |next: &Path| {
            let (moved, staged) = parted(&self.indexed(next)?, changed);
            self.change_index(next, &moved)?;
            let moved = moved.into_iter().filter(|own| own.becomes.is_some());
            let moved = moved.map(|own| own.path);
            let moved: Vec<String> = moved.filter(|path| skipped.contains(path)).collect();
            self.skip(next, &moved)?;
            Ok(Ok(staged))
        };
        self.with_next_index(follow, after, move_references)
    }

    /// Does the same with an index that `make_next` makes of a copy of the user's.
    pub(super) fn with_next_index(
        &self,
        make_next: impl FnOnce(&Path) -> WriteResult<Vec<String>>,
        after: Option<&ObjectId>,
        move_references: impl FnOnce() -> Result<Option<CommitRefusal>, String>,
    ) -> WriteResult<Vec<String>> {
        let index = self.own.join("index");
        let Some(lock) = IndexLock::take(&self.own).map_err(unwritten)? else {
            let lock = self.own.join("index.lock");
            return Ok(Err(CommitRefusal::Locked(lock)));
        };
        let scratch = scratch()?;
        let next = scratch.path().join("index");
        match fs::copy(&index, &next) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritten(error)),
            // Without one, nothing is in it.
            _ => {}
        }
        let staged = match make_next(&next)? {
            Ok(staged) => staged,
            Err(refusal) => return Ok(Err(refusal)),
        };
        // Before anything moves: something may be in the way of it. A new file has the permissions that git would give it.
        let bytes = fs::read(&next).map_err(unwritten)?;
        let next = OwnFile::with(following(&lock.0), &bytes).map_err(unwritten)?;
        if let Some(refusal) = move_references()? {
            return Ok(Err(refusal));
        }
        next.replace(&index).map_err(|error| {
            format!(
                "{} is checked out, but the index could not be written ({error}); `git reset` makes it like the commit",
                short(after)
            )
        })?;
        Ok(Ok(staged))
    }

    /// Returns what differs between the trees of two commits, none for the empty tree.
    pub(super) fn changed(
        &self,
        before: Option<&ObjectId>,
        after: Option<&ObjectId>,
    ) -> Result<Vec<IndexChange>, String> {
        let (before, after) = (self.tree_of(before)?, self.tree_of(after)?);
        let arguments = ["diff-tree", "-r", "-z", "--raw", "--no-renames"];
        let mut arguments = arguments.to_vec();
        arguments.extend([before.as_str(), after.as_str()]);
        let listed = self.output(&arguments, Vec::new())?;
        tree_changes(&listed.text()).ok_or_else(|| "git's list of changes is odd".to_owned())
    }

    /// Returns the paths in which a commit differs from another.
    pub(super) fn changed_paths(
        &self,
        before: Option<&ObjectId>,
        after: &ObjectId,
    ) -> Result<HashSet<String>, String> {
        let changed = self.changed(before, Some(after))?;
        Ok(changed.into_iter().map(|own| own.path).collect())
    }

    /// Returns the entries of an index by path; of a file in a conflict none that any commit has.
    pub(super) fn indexed(&self, index: &Path) -> Result<HashMap<String, StagedEntry>, String> {
        let arguments = ["ls-files", "--stage", "--full-name", "-z"];
        let listed = self.output(&arguments, vec![of_index(index)])?;
        let mut entries = staged_entries(listed.bytes());
        if may_be_intended(&entries) {
            let empty = self.tree_of(None)?;
            let arguments = LIST_STAGED.into_iter().chain([empty.as_str()]);
            let arguments: Vec<&str> = arguments.collect();
            let staged = self.output(&arguments, vec![of_index(index)])?;
            mark_intended(&mut entries, &told(staged.bytes()));
        }
        Ok(entries)
    }

    /// Moves the reference, unless it is elsewhere by now.
    fn move_reference(
        &self,
        head: &Head,
        commit: &ObjectId,
        committer: &Identity,
    ) -> Result<Option<CommitRefusal>, String> {
        let name = head.reference.as_deref().unwrap_or("HEAD");
        let now = self.head()?;
        if now.reference != head.reference {
            return Ok(Some(CommitRefusal::head_moved(head, &now)));
        }
        self.check_logs(name)?;
        // An empty hash: there must be none.
        let old = head.commit.as_ref().map_or("", ObjectId::as_str);
        let arguments = ["update-ref", "--no-deref", "-m", "commit by signoff", name];
        let mut arguments = arguments.to_vec();
        arguments.extend([commit.as_str(), old]);
        let variables = committer.variables("COMMITTER").to_vec();
        let moved = self.moving(&arguments, variables)?;
        match moved.ended {
            Ended::Exit(0) => Ok(None),
            _ if self.commit_at(name)? == head.commit => Err(failed(&moved)),
            _ => {
                let to = self.commit_at(name)?;
                let moved = CommitRefusal::moved(name, head.commit.as_ref(), to.as_ref());
                Ok(Some(moved))
            }
        }
    }

    /// Lets git write the logs of a reference and of `HEAD`: regular files that are reached through no link.
    pub(super) fn check_logs(&self, reference: &str) -> Result<(), String> {
        let shared = self.common.join("logs");
        if !plain::folder(&shared)? {
            fs::create_dir(&shared).map_err(unwritten)?;
        }
        if plain::folder(&self.own.join("logs"))? {
            plain::file(&self.own.join("logs/HEAD"), u64::MAX)?;
        }
        let mut path = shared.clone();
        for part in reference.split('/') {
            path.push(part);
            // Git takes an empty folder away that has the name of a log.
            if !plain::kind(&path)?.is_some_and(|found| found.is_dir()) {
                plain::file(&path, u64::MAX)?;
            }
        }
        self.write_no_logs()?;
        let link = self.view.folder().join("logs");
        std::os::unix::fs::symlink(&shared, link).map_err(unwritten)
    }

    /// Has git write the logs of no reference but `HEAD` in the repository: they were not looked at, as
    /// [`Self::check_logs`] does.
    pub(super) fn write_no_logs(&self) -> Result<(), String> {
        let logs = self.view.folder().join("logs");
        match plain::kind(&logs) {
            // Git made it.
            Ok(Some(_)) => fs::remove_dir_all(logs).map_err(unwritten),
            Ok(None) => Ok(()),
            Err(_link) => fs::remove_file(logs).map_err(unwritten),
        }
    }
}

/// Parts the paths that change into those whose entries follow, and those of which the user has something else
/// staged.
fn parted(
    index: &HashMap<String, StagedEntry>,
    changed: Vec<IndexChange>,
) -> (Vec<EntryChange>, Vec<String>) {
    let mut moved = Vec::new();
    let mut staged = Vec::new();
    for IndexChange {
        path,
        before,
        after,
        ..
    } in changed
    {
        let entry = index.get(&path);
        if entry == before.as_ref() {
            let becomes = after;
            moved.push(EntryChange { path, becomes });
        } else if entry != after.as_ref() {
            staged.push(path);
        }
    }
    (moved, staged)
}

/// Reads records of `:MODE MODE HASH HASH LETTER\0PATH\0`; none if they are something else.
fn tree_changes(listed: &str) -> Option<Vec<IndexChange>> {
    let mut fields = listed.split_terminator('\0');
    let mut changes = Vec::new();
    while let Some(record) = fields.next() {
        let mut parts = record.strip_prefix(':')?.split(' ');
        let (mode_before, mode_after) = (parts.next()?, parts.next()?);
        let (before, after) = (parts.next()?, parts.next()?);
        changes.push(IndexChange {
            path: fields.next()?.to_owned(),
            before: side(mode_before, before),
            after: side(mode_after, after),
            follows_head: true,
        });
    }
    Some(changes)
}

fn side(mode: &str, id: &str) -> Option<StagedEntry> {
    (mode != "000000").then(|| (mode.to_owned(), id.to_owned()))
}
