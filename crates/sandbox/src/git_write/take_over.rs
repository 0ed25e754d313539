//! Proposed commits, made in the user's repository.
//!
//! In: a [`RepositoryChange`] as a program left it, and the pack of its new objects. Out: the same objects, branches, tags
//! and `HEAD` in the repository, with the entries of the index that were as `HEAD` had them; or why nothing moved.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::objects::{EntryChange, TreeEntry, batches, scratch, unwritten};
use super::own_file::OwnFile;
use super::{
    Blob, BlobChanges, CommitRefusal, Ended, GitWriter, Head, Identities, Identity, NewCommit,
    ObjectId, Variable, WriteResult, failed, variable,
};
use crate::git_view::{
    CheckedOut, IndexChange, IndexedKind, ProposedCommit, RefChange, RepositoryChange, StagedEntry,
    intended, is_in_conflict, plain,
};
use crate::scratch::ScratchFolder;

/// The mode of an entry that is a submodule, whose commit is in no repository of ours.
const SUBMODULE: &str = "160000";
/// What logs of references say of it.
pub(super) const LOGGED: &str = "signoff: taken over from a program";

impl GitWriter<'_> {
    /// Carries a change out. Returns the paths of which the user has something else staged, which stays.
    ///
    /// # Errors
    ///
    /// Fails if git or the disk does. If references moved and the index could not, the text says so.
    pub fn take_over(
        &self,
        change: &RepositoryChange,
        pack: Option<&Path>,
    ) -> WriteResult<Vec<String>> {
        if let Some(refusal) = self.place_refusal(change)? {
            return Ok(Err(refusal));
        }
        let Some(Identities { committer, .. }) = self.identities() else {
            return Ok(Err(CommitRefusal::NoIdentity));
        };
        if let Some(pack) = pack {
            self.adopt(pack)?;
        }
        let move_all = || {
            let refusal = match &change.stash {
                Some(stash) => {
                    self.with_stash(stash, &committer, || self.move_all(change, &committer))?
                }
                None => self.move_all(change, &committer)?,
            };
            if let (None, Some(step)) = (&refusal, &change.step) {
                self.carry_out(step)?;
            }
            Ok(refusal)
        };
        if change.index.is_empty() {
            return Ok(move_all()?.map_or(Ok(Vec::new()), Err));
        }
        let after = object_id(change.after.commit.as_deref())?;
        let mut becomes = change.index.iter().filter_map(|own| own.after.as_ref());
        if becomes.any(is_in_conflict) {
            let put_back = |next: &Path| self.put_conflicts_back(next, change);
            return self.with_next_index(put_back, after.as_ref(), move_all);
        }
        let skipped = &change.skipped.after;
        self.with_index(change.index.clone(), skipped, after.as_ref(), move_all)
    }

    /// Returns why a change of which the objects are in the repository would be refused, if it would be. Nothing is written.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn take_over_refusal(
        &self,
        change: &RepositoryChange,
    ) -> Result<Option<CommitRefusal>, String> {
        if let Some(refusal) = self.place_refusal(change)? {
            return Ok(Some(refusal));
        }
        if self.identities().is_none() {
            return Ok(Some(CommitRefusal::NoIdentity));
        }
        if let Some(stash) = &change.stash
            && let Some(refusal) = self.stash_refusal(stash)?
        {
            return Ok(Some(refusal));
        }
        let lock = self.own.join("index.lock");
        if !change.index.is_empty() && lock.symlink_metadata().is_ok() {
            return Ok(Some(CommitRefusal::Locked(lock)));
        }
        let mut becomes = change.index.iter().filter_map(|own| own.after.as_ref());
        if !becomes.any(is_in_conflict) {
            return Ok(None);
        }
        let scratch = scratch()?;
        let next = scratch.path().join("index");
        fs::copy(self.own.join("index"), &next).map_err(unwritten)?;
        Ok(self.put_conflicts_back(&next, change)?.err())
    }

    /// Returns why a change does not fit what is under way and checked out, if it does not.
    fn place_refusal(&self, change: &RepositoryChange) -> Result<Option<CommitRefusal>, String> {
        match self.step_refusal(change)? {
            Some(refusal) => Ok(Some(refusal)),
            None => self.moved_since(change),
        }
    }

    /// Returns whether an object is in the repository, with all that git needs to name it.
    ///
    /// # Errors
    ///
    /// Fails if git cannot be run.
    pub fn has_object(&self, oid: &str) -> Result<bool, String> {
        let found = self.report(&["cat-file", "-e", oid], Vec::new())?;
        Ok(found.ended == Ended::Exit(0))
    }

    /// Returns whether a commit is another one or before it.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn is_ancestor(&self, commit: &str, of: &str) -> Result<bool, String> {
        let found = self.report(&["merge-base", "--is-ancestor", commit, of], Vec::new())?;
        match found.ended {
            Ended::Exit(0) => Ok(true),
            Ended::Exit(1) => Ok(false),
            _ => Err(failed(&found)),
        }
    }

    /// Puts the index with the conflicts that a change resolved in the place of `next`, if nothing else is staged since.
    fn put_conflicts_back(
        &self,
        next: &Path,
        change: &RepositoryChange,
    ) -> WriteResult<Vec<String>> {
        let Some(index) = &change.conflicts else {
            return Ok(Err(CommitRefusal::OtherIndex));
        };
        let mut entries = self.indexed(next)?;
        fs::write(next, index).map_err(unwritten)?;
        for own in &change.index {
            let is_there = match &own.after {
                Some(after) => entries.insert(own.path.clone(), after.clone()),
                None => entries.remove(&own.path),
            };
            // One that is there already was put back before this was cut short.
            if is_there != own.before && is_there != own.after {
                return Ok(Err(CommitRefusal::OtherIndex));
            }
        }
        if entries != self.indexed(next)? {
            return Ok(Err(CommitRefusal::OtherIndex));
        }
        Ok(Ok(Vec::new()))
    }

    /// Returns what is left to be done of a change that was cut short; none if no reference of it moved.
    ///
    /// # Errors
    ///
    /// Fails if git does, and if something is neither as it was nor as it was to be.
    pub fn rest_of(&self, change: &RepositoryChange) -> Result<Option<RepositoryChange>, String> {
        let mut rest = change.clone();
        rest.refs.clear();
        for own in &change.refs {
            let now = self.object_at(&own.name)?;
            let now = now.as_ref().map(ObjectId::as_str);
            if now == own.before.as_deref() {
                rest.refs.push(own.clone());
            } else if now != own.after.as_deref() {
                return Err(format!("{} was moved since", own.name));
            }
        }
        if let Some(stash) = &change.stash {
            rest.stash = self.rest_of_stash(stash)?;
        }
        let mut is_step_begun = false;
        if let Some(step) = &change.step {
            (rest.step, is_step_begun) = self.rest_of_step(step)?;
        }
        rest.before = self.checked_out()?;
        let name = &rest.before.name;
        // It moves last.
        let is_head_moved =
            change.refs.is_empty() && *name != change.before.name && *name == change.after.name;
        let is_begun = rest.refs.len() < change.refs.len()
            || rest.stash != change.stash
            || is_head_moved
            || is_step_begun;
        if is_begun && *name != change.before.name && *name != change.after.name {
            return Err("HEAD was moved since".to_owned());
        }
        Ok(is_begun.then_some(rest))
    }

    /// Returns whether the user's settings have commits signed.
    pub fn signs(&self) -> bool {
        self.settings.signature().is_some()
    }

    /// Returns whether a tag with a message is new or moved in a change: it names a commit that would be another one.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn has_tag_of(&self, change: &RepositoryChange) -> Result<bool, String> {
        let is_new = |oid: &String| change.commits.iter().any(|own| own.oid == *oid);
        let tags = change
            .refs
            .iter()
            .filter(|own| own.name.starts_with("refs/tags/"));
        let others = tags
            .filter_map(|own| own.after.as_ref())
            .filter(|oid| !is_new(oid));
        for oid in others {
            // An older commit is in the repository; a new tag is not.
            let found = self.report(&["cat-file", "-t", oid], Vec::new())?;
            if found.ended != Ended::Exit(0) || found.out.text().trim() != "commit" {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes the commits of a change anew, the oldest first, with their authors and messages: signed, if the user's settings have
    /// commits signed, and of the files in `parts` what is there, of which nothing else is staged. Such a file comes with the
    /// last commit that changes it; a commit of which nothing is left is left out. Returns the change that makes them, whose
    /// objects are there but those of the stash; none if nothing is left. No reference moves.
    ///
    /// ```text
    /// program   one: a, b   two: b   three: c       parts: b as it is on disk
    /// made      one: a      two: b   three: c
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn remake(
        &self,
        change: &RepositoryChange,
        pack: Option<&Path>,
        parts: &BlobChanges,
    ) -> WriteResult<Option<RepositoryChange>> {
        let Some(Identities { committer, .. }) = self.identities() else {
            return Ok(Err(CommitRefusal::NoIdentity));
        };
        if let Some(refusal) = self.moved_since(change)? {
            return Ok(Err(refusal));
        }
        let borrowed = Borrowed::new(pack)?;
        let is_part = |path: &str| {
            let path = self.below_root(path);
            path.is_some_and(|path| parts.contains_key(&path))
        };
        let authors = self.authors(change, &borrowed)?;
        let mut made: MadeCommits<'_> = HashMap::new();
        let mut commits = Vec::new();
        for commit in change.commits.iter().rev() {
            let parents = remade_parents(commit, &made)?;
            let files = commit.files.iter().map(|(_, path)| path.as_str());
            let (parted, whole): (Vec<&str>, Vec<&str>) = files.partition(|path| is_part(path));
            let mut entries = self.take_entries(&commit.oid, &whole, &borrowed)?;
            let due = parted.into_iter();
            let due = due.filter(|path| is_newest_of(change, commit, path));
            let due = due.filter_map(|path| self.below_root(path));
            let due = due.filter_map(|path| Some((parts.get(&path)?.clone(), path)));
            let due = due.map(|(part, path)| (path, part));
            entries.extend(self.entry_changes(&due.collect())?);
            let tree = self.changed_tree(parents.first(), &entries)?;
            let is_empty = tree == self.tree_of(parents.first())?;
            if is_empty && !commit.files.is_empty() {
                // Nothing of it was approved.
                made.insert(&commit.oid, parents.into_iter().next());
                continue;
            }
            let author = authors.get(&commit.oid).ok_or("git names no author")?;
            let new = self.commit_tree(&NewCommit {
                tree: &tree,
                parents: &parents,
                message: &commit.message,
                trailers: &[],
                author,
                committer: &committer,
            })?;
            let new = match new {
                Ok(new) => new,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let changed = self.changed_paths(parents.first(), &new)?;
            let mut files = commit.files.clone();
            files.retain(|(_, path)| changed.contains(path));
            let oid = new.as_str().to_owned();
            let parents = parents.iter().map(|own| own.as_str().to_owned());
            commits.push(ProposedCommit {
                oid,
                parents: parents.collect(),
                files,
                committer: None,
                headers: Vec::new(),
                ..commit.clone()
            });
            made.insert(&commit.oid, Some(new));
        }
        commits.reverse();
        let mut remade = RepositoryChange {
            commits,
            ..change.clone()
        };
        remade.after.commit = renamed(change.after.commit.as_deref(), &made);
        if !change.after.name.starts_with("ref: ")
            && let Some(commit) = &remade.after.commit
        {
            remade.after.name.clone_from(commit);
        }
        for own in &mut remade.refs {
            own.after = renamed(own.after.as_deref(), &made);
        }
        remade.refs.retain(|own| own.before != own.after);
        let [before, after] = [&remade.before, &remade.after].map(|own| own.commit.as_deref());
        let followed = self.changed(object_id(before)?.as_ref(), object_id(after)?.as_ref())?;
        remade.index.retain(|own| !is_part(&own.path));
        let staged = remade.index.iter().filter(|own| !own.follows_head);
        self.take_staged(staged, &borrowed)?;
        let parted = followed.into_iter();
        remade.index.extend(parted.filter(|own| is_part(&own.path)));
        if remade.commits.is_empty() && !change.commits.is_empty() {
            // A new branch without a commit of its own.
            remade.refs.retain(|own| own.before.is_some());
            remade.after = remade.before.clone();
        }
        if !remade.is_some() {
            return Ok(Ok(None));
        }
        Ok(Ok(Some(remade)))
    }

    /// Returns whether the branch that is checked out went on without a change, which only adds commits to it, and has all files
    /// as these commit them.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn is_in_head(
        &self,
        change: &RepositoryChange,
        pack: Option<&Path>,
    ) -> Result<bool, String> {
        let [moved] = change.refs.as_slice() else {
            return Ok(false);
        };
        let now = self.checked_out()?;
        let is_on_it = now.name.strip_prefix("ref: ") == Some(moved.name.as_str());
        let adds_files = change.stash.is_none()
            && change.step.is_none()
            && change.index.iter().all(|own| own.follows_head)
            && !change.files.is_empty();
        let (Some(head), Some(after)) = (&now.commit, &change.after.commit) else {
            return Ok(false);
        };
        if !is_on_it || !adds_files || now.commit == change.before.commit {
            return Ok(false);
        }
        let paths = change.files.iter().map(|own| self.below_top(&own.path));
        let paths: Vec<String> = paths.collect::<Result<_, _>>()?;
        let borrowed = Borrowed::new(pack)?;
        let variables = borrowed.variables();
        let [now, committed] = [
            self.tree_entries(head, &paths, &variables)?,
            self.tree_entries(after, &paths, &variables)?,
        ];
        let entry = |own: &TreeEntry| (own.mode.clone(), own.oid.clone());
        Ok(paths
            .iter()
            .all(|path| now.get(path).map(entry) == committed.get(path).map(entry)))
    }

    /// Returns paths of the workspace as a change commits or stages them, and as they were before; those at which either has
    /// another repository are left out.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if a file is too large.
    pub fn committed_files(
        &self,
        change: &RepositoryChange,
        paths: &[String],
        pack: Option<&Path>,
    ) -> Result<BTreeMap<String, CommittedFile>, String> {
        let borrowed = Borrowed::new(pack)?;
        let variables = borrowed.variables();
        let mut files = BTreeMap::new();
        let paths = paths.iter().map(|path| self.below_top(path));
        let paths: Vec<String> = paths.collect::<Result<_, _>>()?;
        for (path, entries) in self.differing_entries(change, &paths, &variables)? {
            let Some(path) = self.below_root(&path) else {
                continue;
            };
            let mut blobs = Vec::new();
            for (mode, oid) in entries.iter().flatten() {
                if let Some(kind) = IndexedKind::of_mode(mode) {
                    let bytes = self.text_of(oid, &variables)?;
                    blobs.push(Blob { bytes, kind });
                }
            }
            if blobs.len() < entries.iter().flatten().count() {
                continue;
            }
            let [is_before, is_after] = entries.map(|own| own.is_some());
            let mut blobs = blobs.into_iter();
            let before = is_before.then(|| blobs.next()).flatten();
            let committed = is_after.then(|| blobs.next()).flatten();
            files.insert(path, CommittedFile { before, committed });
        }
        Ok(files)
    }

    /// Returns what files were and what they are committed or staged as.
    fn differing_entries(
        &self,
        change: &RepositoryChange,
        paths: &[String],
        variables: &[Variable],
    ) -> Result<Vec<BothEntries>, String> {
        if change.is_staging() {
            let own = change.index.iter().filter(|own| paths.contains(&own.path));
            let both = own.map(|own| (own.path.clone(), [own.before.clone(), own.after.clone()]));
            return Ok(both.collect());
        }
        let [mut before, mut after] = [BTreeMap::new(), BTreeMap::new()];
        for (commit, entries) in [
            (&change.before.commit, &mut before),
            (&change.after.commit, &mut after),
        ] {
            if let Some(commit) = commit {
                *entries = self.tree_entries(commit, paths, variables)?;
            }
        }
        let both = paths.iter().map(|path| {
            let entries = [before.remove(path), after.remove(path)];
            (
                path.clone(),
                entries.map(|own| own.map(|own| (own.mode, own.oid))),
            )
        });
        Ok(both.collect())
    }

    fn text_of(&self, oid: &str, variables: &[Variable]) -> Result<Vec<u8>, String> {
        let found = self.output(&["cat-file", "blob", oid], variables.to_vec())?;
        Ok(found.bytes().to_vec())
    }

    /// Returns who wrote each commit of a change, and when.
    fn authors(
        &self,
        change: &RepositoryChange,
        borrowed: &Borrowed,
    ) -> Result<HashMap<String, Identity>, String> {
        let names: Vec<String> = change.commits.iter().map(|own| own.oid.clone()).collect();
        let mut authors = HashMap::new();
        for names in batches(&names) {
            let mut arguments = vec!["log", "--no-walk=unsorted", "--date=raw", "-z"];
            arguments.extend(["--no-show-signature", "--no-mailmap", "--no-color"]);
            arguments.push("--format=%H%n%an%n%ae%n%ad");
            arguments.extend(&names);
            let listed = self.output(&arguments, borrowed.variables())?.text();
            for record in listed.split_terminator('\0') {
                let fields: Vec<&str> = record.lines().collect();
                let [oid, name, email, date] = fields.as_slice() else {
                    return Err("git's list of authors is odd".to_owned());
                };
                let identity = Identity {
                    name: (*name).to_owned(),
                    email: (*email).to_owned(),
                    date: Some(format!("@{date}")),
                };
                authors.insert((*oid).to_owned(), identity);
            }
        }
        Ok(authors)
    }

    /// Returns what a commit has of these files, from the top of the work tree, and keeps their blobs in the repository.
    fn take_entries(
        &self,
        commit: &str,
        paths: &[&str],
        borrowed: &Borrowed,
    ) -> Result<Vec<EntryChange>, String> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let found = self.tree_entries(commit, &paths, &borrowed.variables())?;
        let blobs: Vec<&TreeEntry> = found.values().filter(|own| own.is_blob()).collect();
        let contents = self.contents(&blobs, &borrowed.variables())?;
        let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        let kept = self.keep_blobs(&contents)?;
        if kept.iter().ne(blobs.iter().map(|own| &own.oid)) {
            return Err(format!("git kept other files than {commit} has"));
        }
        let entries = paths.iter().map(|path| EntryChange {
            path: path.clone(),
            becomes: found
                .get(path)
                .map(|own| (own.mode.clone(), own.oid.clone())),
        });
        Ok(entries.collect())
    }

    /// Keeps the blobs of what is staged in the repository.
    fn take_staged<'i>(
        &self,
        staged: impl Iterator<Item = &'i IndexChange>,
        borrowed: &Borrowed,
    ) -> Result<(), String> {
        for own in staged {
            let Some((mode, oid)) = &own.after else {
                continue;
            };
            let is_here = self.report(&["cat-file", "-e", oid], Vec::new())?;
            if mode == SUBMODULE || intended(mode).is_some() || is_here.ended == Ended::Exit(0) {
                continue;
            }
            let bytes = self.output(&["cat-file", "blob", oid], borrowed.variables())?;
            if self.keep_blobs(&[bytes.bytes()])? != [oid.as_str()] {
                return Err(format!("git kept another file than {oid}"));
            }
        }
        Ok(())
    }

    /// Returns what is elsewhere than the program found it, if something is.
    fn moved_since(&self, change: &RepositoryChange) -> Result<Option<CommitRefusal>, String> {
        let checked_out = change.after.name.strip_prefix("ref: ");
        let checked_out = checked_out.filter(|_| change.before.name != change.after.name);
        let branches = change.refs.iter().map(|own| own.name.as_str());
        let taken = branches.chain(checked_out);
        let mut taken = taken.filter_map(|name| self.elsewhere.get_key_value(name));
        if let Some((branch, at)) = taken.next() {
            let (branch, at) = (branch.clone(), at.clone());
            return Ok(Some(CommitRefusal::CheckedOutElsewhere { branch, at }));
        }
        let found = self.checked_out()?;
        // What is staged and stashed stays right on another commit.
        if change.before != change.after && found != change.before {
            let [from, to] = [change.before.head()?, found.head()?];
            return Ok(Some(CommitRefusal::head_moved(&from, &to)));
        }
        for RefChange { name, before, .. } in &change.refs {
            let (from, to) = (object_id(before.as_deref())?, self.object_at(name)?);
            if from != to {
                let moved = CommitRefusal::moved(name, from.as_ref(), to.as_ref());
                return Ok(Some(moved));
            }
        }
        Ok(None)
    }

    fn checked_out(&self) -> Result<CheckedOut, String> {
        Ok(CheckedOut::of(&self.head()?))
    }

    /// Returns the object that a reference names: of a tag with a message, the tag.
    pub(super) fn object_at(&self, name: &str) -> Result<Option<ObjectId>, String> {
        let found = self.report(&["rev-parse", "--verify", "--quiet", name], Vec::new())?;
        match found.ended {
            Ended::Exit(0) => super::object(&found.out).map(Some),
            Ended::Exit(1) => Ok(None),
            _ => Err(failed(&found)),
        }
    }

    /// Puts a pack among the repository's objects, under a name of its own. Its index comes last: before it is there git
    /// does not see the pack.
    pub(super) fn adopt(&self, pack: &Path) -> Result<(), String> {
        let shelf = self.common.join("objects/pack");
        if !plain::folder(&shelf)? {
            fs::create_dir_all(&shelf).map_err(unwritten)?;
        }
        let name = pack_name(pack).map_err(unwritten)?;
        for kind in ["pack", "idx"] {
            let own = shelf.join(format!("pack-{name}.{kind}"));
            if plain::file(&own, u64::MAX)? {
                continue;
            }
            let draft = shelf.join(format!("tmp_{kind}_signoff_{}", std::process::id()));
            copy(&pack.with_extension(kind), draft, &own).map_err(unwritten)?;
        }
        Ok(())
    }

    /// Moves every branch and tag, and what is checked out; all, or none.
    fn move_all(
        &self,
        change: &RepositoryChange,
        committer: &Identity,
    ) -> Result<Option<CommitRefusal>, String> {
        // One that goes may be in the way of one that comes, as `x` of `x/y`.
        let (gone, others): (Vec<&RefChange>, Vec<&RefChange>) =
            change.refs.iter().partition(|own| own.after.is_none());
        let mut done: Vec<&RefChange> = Vec::new();
        for own in gone.into_iter().chain(others) {
            let (name, before, after) = (&own.name, own.before.as_deref(), own.after.as_deref());
            if let Err(why) = self.move_ref(name, before, after, committer) {
                for own in done.into_iter().rev() {
                    let (before, after) = (own.before.as_deref(), own.after.as_deref());
                    self.move_ref(&own.name, after, before, committer)?;
                }
                let to = self.object_at(name)?;
                let from = object_id(before)?;
                if to == from {
                    return Err(why);
                }
                let moved = CommitRefusal::moved(name, from.as_ref(), to.as_ref());
                return Ok(Some(moved));
            }
            done.push(own);
        }
        if change.before.name != change.after.name {
            // The branch that was checked out may have moved with the others.
            self.check_out(&self.checked_out()?, &change.after, committer)?;
        }
        Ok(None)
    }

    /// Moves, makes or removes a reference, unless it is elsewhere.
    fn move_ref(
        &self,
        name: &str,
        before: Option<&str>,
        after: Option<&str>,
        committer: &Identity,
    ) -> Result<(), String> {
        self.check_logs(name)?;
        let mut arguments = vec!["update-ref", "--no-deref", "-m", LOGGED];
        // An empty hash: there must be none.
        let before = before.unwrap_or("");
        match after {
            Some(after) => arguments.extend([name, after, before]),
            None => arguments.extend(["-d", name, before]),
        }
        let moved = self.moving(&arguments, committer.variables("COMMITTER").to_vec())?;
        match moved.ended {
            Ended::Exit(0) => Ok(()),
            _ => Err(failed(&moved)),
        }
    }

    /// Has `HEAD` name another branch or commit; neither the index nor a file changes.
    fn check_out(
        &self,
        before: &CheckedOut,
        after: &CheckedOut,
        committer: &Identity,
    ) -> Result<(), String> {
        self.check_logs("HEAD")?;
        let old = before.commit.as_deref().unwrap_or("");
        let arguments = match after.name.strip_prefix("ref: ") {
            Some(branch) => vec!["symbolic-ref", "-m", LOGGED, "HEAD", branch],
            None => vec![
                "update-ref",
                "--no-deref",
                "-m",
                LOGGED,
                "HEAD",
                &after.name,
                old,
            ],
        };
        let moved = self.moving(&arguments, committer.variables("COMMITTER").to_vec())?;
        match moved.ended {
            Ended::Exit(0) => Ok(()),
            _ => Err(failed(&moved)),
        }
    }
}

impl CheckedOut {
    /// Returns what `HEAD` has checked out.
    pub(super) fn of(head: &Head) -> Self {
        let commit = head.commit.as_ref();
        let commit = commit.map(|commit| commit.as_str().to_owned());
        let name = match (&head.reference, &commit) {
            (Some(reference), _) => format!("ref: {reference}"),
            (None, Some(commit)) => commit.clone(),
            (None, None) => String::new(),
        };
        Self { name, commit }
    }

    /// Returns the same as `HEAD` has it.
    fn head(&self) -> Result<Head, String> {
        let reference = self.name.strip_prefix("ref: ");
        Ok(Head {
            reference: reference.map(str::to_owned),
            commit: object_id(self.commit.as_deref())?,
        })
    }
}

/// What was made of each commit by its name: a commit, the one below it if nothing is left of it, or none without that.
type MadeCommits<'c> = HashMap<&'c str, Option<ObjectId>>;

/// Returns the parents of a commit, with those of them that were made anew.
fn remade_parents(
    commit: &ProposedCommit,
    made: &MadeCommits<'_>,
) -> Result<Vec<ObjectId>, String> {
    let mut parents = Vec::new();
    for name in &commit.parents {
        match made.get(name.as_str()) {
            Some(new) => parents.extend(new.clone()),
            None => parents.extend(object_id(Some(name))?),
        }
    }
    Ok(parents)
}

/// Returns whether a commit is the newest of a change that has a file.
fn is_newest_of(change: &RepositoryChange, commit: &ProposedCommit, path: &str) -> bool {
    let mut newest = change.commits.iter();
    let found = newest.find(|own| own.files.iter().any(|(_, own)| own == path));
    found.is_some_and(|own| own.oid == commit.oid)
}

/// Returns the name of a commit, or of what was made of it.
fn renamed(name: Option<&str>, made: &MadeCommits<'_>) -> Option<String> {
    let name = name?;
    let new = made.get(name).and_then(Option::as_ref);
    Some(new.map_or(name, ObjectId::as_str).to_owned())
}

/// A file of a change.
#[derive(Debug)]
pub struct CommittedFile {
    /// What it was before; none if it is new.
    pub before: Option<Blob>,
    /// What it is committed or staged as; none if it goes.
    pub committed: Option<Blob>,
}

/// A path, and the entry there before and after.
type BothEntries = (String, [Option<StagedEntry>; 2]);

/// Objects of a program, to be read beside those of the repository: nothing of them is put there.
struct Borrowed(Option<ScratchFolder>);

impl Borrowed {
    fn new(pack: Option<&Path>) -> Result<Self, String> {
        let Some(pack) = pack else {
            return Ok(Self(None));
        };
        let scratch = scratch()?;
        let shelf = scratch.path().join("pack");
        fs::create_dir(&shelf).map_err(unwritten)?;
        for kind in ["pack", "idx"] {
            let to = shelf.join(format!("pack-borrowed.{kind}"));
            fs::copy(pack.with_extension(kind), to).map_err(unwritten)?;
        }
        Ok(Self(Some(scratch)))
    }

    fn variables(&self) -> Vec<Variable> {
        let folder = self.0.iter().map(|own| own.path().to_string_lossy());
        let name = "GIT_ALTERNATE_OBJECT_DIRECTORIES";
        folder.map(|folder| variable(name, folder)).collect()
    }
}

/// Returns whether an entry is a regular file.
/// Returns an object's name.
fn object_id(name: Option<&str>) -> Result<Option<ObjectId>, String> {
    let parsed =
        name.map(|name| ObjectId::parse(name).ok_or_else(|| format!("{name:?} is no hash")));
    parsed.transpose()
}

/// Returns what a pack is named after, as git names them: the hash at its end.
fn pack_name(pack: &Path) -> io::Result<String> {
    let mut file = File::open(pack)?;
    file.seek(SeekFrom::End(-20))?;
    let mut hash = [0; 20];
    file.read_exact(&mut hash)?;
    Ok(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Copies a file by way of a draft to one that nobody writes, durably.
pub(super) fn copy(from: &Path, draft: PathBuf, to: &Path) -> io::Result<()> {
    let mut draft = OwnFile::new(draft)?;
    io::copy(&mut File::open(from)?, draft.file())?;
    draft
        .file()
        .set_permissions(Permissions::from_mode(0o444))?;
    draft.replace(to)
}
