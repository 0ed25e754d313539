//! Objects: blobs, trees and commits, to which nothing leads yet.
//!
//! In: bytes by path and a commit to start from. Out: a tree; from a tree, parents, message and identities, a commit. Blobs
//! are kept as they are given: no filter and no conversion of line endings is between.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{
    Blob, BlobChanges, CommitRefusal, Ended, GitWriter, Identity, ObjectId, Variable, WriteResult,
    failed, object, printed, variable,
};
use crate::git_view::{IndexedKind, MAX_LISTED, MAX_TEXT, SignedKind, intended, leads_out};
use crate::scratch::{ScratchFolder, ScratchUse};

/// Bytes of arguments in one call of git; a system takes 128 KiB in one argument and some MB in all.
const MAX_ARGUMENTS: usize = 64 * 1024;

/// A commit to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewCommit<'a> {
    /// What is in it.
    pub tree: &'a ObjectId,
    /// What it comes after, in git's order.
    pub parents: &'a [ObjectId],
    /// What is said of it.
    pub message: &'a str,
    /// Lines at the end of the message: a name and what is said of it.
    pub trailers: &'a [(String, String)],
    /// Who wrote what is in it.
    pub author: &'a Identity,
    /// Who makes it.
    pub committer: &'a Identity,
}

/// What a tree has under a path.
pub(super) struct TreeEntry {
    pub(super) mode: String,
    pub(super) oid: String,
    /// Of a blob, its size in bytes.
    size: Option<usize>,
}

impl TreeEntry {
    /// Returns whether it is a file or a link, and no folder or submodule.
    pub(super) fn is_blob(&self) -> bool {
        self.size.is_some()
    }
}

/// What becomes of an entry of an index.
pub(super) struct EntryChange {
    /// From the top of the work tree.
    pub(super) path: String,
    /// Mode and hash; none if it goes.
    pub(super) becomes: Option<(String, String)>,
}

impl GitWriter<'_> {
    /// Returns the tree of a commit, or of no commit the empty one.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn tree_of(&self, commit: Option<&ObjectId>) -> Result<ObjectId, String> {
        let found = match commit {
            Some(commit) => {
                let name = format!("{}^{{tree}}", commit.as_str());
                self.output(&["rev-parse", "--verify", &name], Vec::new())?
            }
            None => {
                let empty = ["hash-object", "-w", "-t", "tree", "/dev/null"];
                self.output(&empty, Vec::new())?
            }
        };
        object(&found)
    }

    /// Returns files of the workspace as a commit has them, by path; those that it has not are left out.
    ///
    /// # Errors
    ///
    /// Fails if git does, or if a file is too large.
    pub fn blobs(
        &self,
        commit: &ObjectId,
        paths: &[String],
    ) -> Result<BTreeMap<String, Blob>, String> {
        let paths: Vec<String> = paths
            .iter()
            .map(|path| self.below_top(path))
            .collect::<Result<_, _>>()?;
        let found = self.tree_entries(commit.as_str(), &paths, &[])?;
        let files: Vec<(&String, &TreeEntry)> =
            found.iter().filter(|(_, own)| own.is_blob()).collect();
        let entries: Vec<&TreeEntry> = files.iter().map(|(_, own)| *own).collect();
        let contents = self.contents(&entries, &[])?;
        let blobs = files
            .into_iter()
            .zip(contents)
            .filter_map(|((path, own), bytes)| {
                let kind = IndexedKind::of_mode(&own.mode)?;
                Some((self.below_root(path)?, Blob { bytes, kind }))
            });
        Ok(blobs.collect())
    }

    /// Returns what the tree of a commit has of these paths, which are from the top of the work tree.
    pub(super) fn tree_entries(
        &self,
        commit: &str,
        paths: &[String],
        variables: &[Variable],
    ) -> Result<BTreeMap<String, TreeEntry>, String> {
        let mut entries = BTreeMap::new();
        for paths in batches(paths) {
            let mut arguments = vec!["ls-tree", "-z", "-l", "--full-tree", commit, "--"];
            arguments.extend(paths);
            let listed = self.output(&arguments, variables.to_vec())?.text();
            for record in listed.split_terminator('\0') {
                let odd = || format!("git's list of files is odd: {record:?}");
                let (fields, path) = record.split_once('\t').ok_or_else(odd)?;
                let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
                let [mode, _, oid, size] = fields.as_slice() else {
                    return Err(odd());
                };
                let entry = TreeEntry {
                    mode: (*mode).to_owned(),
                    oid: (*oid).to_owned(),
                    size: size.parse().ok(),
                };
                entries.insert(path.to_owned(), entry);
            }
        }
        Ok(entries)
    }

    /// Returns the bytes of blobs, in their order. `git show` prints blobs as they are, one behind the other, and their sizes
    /// are known; `cat-file --batch` would have to be fed.
    pub(super) fn contents(
        &self,
        entries: &[&TreeEntry],
        variables: &[Variable],
    ) -> Result<Vec<Vec<u8>>, String> {
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in entries {
            let size = entry.size.filter(|size| *size <= MAX_TEXT);
            sizes.insert(&entry.oid, size.ok_or("a file of the commit is too large")?);
        }
        let mut contents: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let mut rest: Vec<(&str, usize)> = sizes.into_iter().collect();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|(oid, size)| {
                bytes += size + oid.len() * (MAX_LISTED / MAX_ARGUMENTS);
                bytes <= MAX_LISTED
            });
            let count = fits.count().max(1);
            let later = rest.split_off(count.min(rest.len()));
            let mut arguments = vec!["show", "--no-textconv"];
            arguments.extend(rest.iter().map(|(oid, _)| *oid));
            let shown = self.report_in(
                self.view.top(),
                &arguments,
                variables.to_vec(),
                self.listing(),
            )?;
            let shown = printed(shown)?;
            let mut shown = shown.bytes();
            for (oid, size) in rest {
                let (own, behind) = shown
                    .split_at_checked(size)
                    .ok_or("git printed less of files than they have")?;
                contents.insert(oid, own.to_vec());
                shown = behind;
            }
            if !shown.is_empty() {
                return Err("git printed more of files than they have".to_owned());
            }
            rest = later;
        }
        let own = entries
            .iter()
            .filter_map(|own| contents.get(own.oid.as_str()));
        Ok(own.cloned().collect())
    }

    /// Makes the tree that a commit's becomes with these changes; of no commit, the empty one.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn tree(&self, base: Option<&ObjectId>, changes: &BlobChanges) -> Result<ObjectId, String> {
        self.changed_tree(base, &self.entry_changes(changes)?)
    }

    /// The same with entries whose objects are there.
    pub(super) fn changed_tree(
        &self,
        base: Option<&ObjectId>,
        changes: &[EntryChange],
    ) -> Result<ObjectId, String> {
        let scratch = scratch()?;
        let index = scratch.path().join("index");
        let read = match base {
            Some(base) => ["read-tree", base.as_str()],
            None => ["read-tree", "--empty"],
        };
        self.output(&read, vec![of_index(&index)])?;
        self.change_index(&index, changes)?;
        // Blobs that a partial clone lacks are not what is committed.
        let write = ["write-tree", "--missing-ok"];
        object(&self.output(&write, vec![of_index(&index)])?)
    }

    /// Keeps the bytes of changes as blobs.
    pub(super) fn entry_changes(&self, changes: &BlobChanges) -> Result<Vec<EntryChange>, String> {
        let blobs: Vec<&[u8]> = changes
            .values()
            .flatten()
            .map(|blob| blob.bytes.as_slice())
            .collect();
        let mut ids = self.keep_blobs(&blobs)?.into_iter();
        let mut entries = Vec::with_capacity(changes.len());
        for (path, blob) in changes {
            let becomes = match blob {
                Some(blob) => {
                    let id = ids.next().ok_or("git kept fewer files than it was given")?;
                    Some((mode(blob.kind).to_owned(), id))
                }
                None => None,
            };
            let path = self.below_top(path)?;
            entries.push(EntryChange { path, becomes });
        }
        Ok(entries)
    }

    /// Keeps bytes as blobs, and returns their names.
    pub(super) fn keep_blobs(&self, blobs: &[&[u8]]) -> Result<Vec<String>, String> {
        let scratch = scratch()?;
        let mut names = Vec::new();
        for (number, bytes) in blobs.iter().enumerate() {
            let name = number.to_string();
            fs::write(scratch.path().join(&name), bytes).map_err(unwritten)?;
            names.push(name);
        }
        let mut ids = Vec::new();
        for names in batches(&names) {
            let mut arguments = vec!["hash-object", "-w", "--no-filters", "--"];
            arguments.extend(names);
            let listed = self.report_in(scratch.path(), &arguments, Vec::new(), self.listing())?;
            ids.extend(printed(listed)?.text().lines().map(str::to_owned));
        }
        Ok(ids)
    }

    /// Changes entries of an index in a file of its own. What goes goes first: a folder may come in its place.
    pub(super) fn change_index(&self, index: &Path, changes: &[EntryChange]) -> Result<(), String> {
        // Git leaves an entry as it is that is to be one of a file that is to be added.
        let gone = changes.iter().filter(|change| {
            let becomes = change.becomes.as_ref();
            becomes.is_none_or(|(mode, _)| intended(mode).is_some())
        });
        let gone: Vec<String> = gone.map(|change| change.path.clone()).collect();
        for paths in batches(&gone) {
            let mut arguments = vec!["update-index", "--force-remove", "--"];
            arguments.extend(paths);
            self.output(&arguments, vec![of_index(index)])?;
        }
        let entries = changes.iter().filter_map(|change| {
            let (mode, id) = change.becomes.as_ref()?;
            let is_staged = intended(mode).is_none();
            is_staged.then(|| format!("{mode},{id},{}", change.path))
        });
        let entries: Vec<String> = entries.collect();
        for entries in batches(&entries) {
            let mut arguments = vec!["update-index", "--add"];
            arguments.extend(entries.into_iter().flat_map(|entry| ["--cacheinfo", entry]));
            self.output(&arguments, vec![of_index(index)])?;
        }
        self.intend(index, changes)
    }

    /// Has git look for no file of these entries.
    pub(super) fn skip(&self, index: &Path, paths: &[String]) -> Result<(), String> {
        for paths in batches(paths) {
            let mut arguments = vec!["update-index", "--skip-worktree", "--"];
            arguments.extend(paths);
            self.output(&arguments, vec![of_index(index)])?;
        }
        Ok(())
    }

    /// Makes the entries of files that are to be added. Git makes them of files in a work tree alone: it finds one with empty
    /// files.
    fn intend(&self, index: &Path, changes: &[EntryChange]) -> Result<(), String> {
        let work_tree = scratch()?;
        let mut paths = Vec::new();
        for change in changes {
            let Some(mode) = change.becomes.as_ref().and_then(|(mode, _)| intended(mode)) else {
                continue;
            };
            if leads_out(&change.path) {
                return Err(format!("{:?} is no file of the repository", change.path));
            }
            let file = work_tree.path().join(&change.path);
            fs::create_dir_all(file.parent().unwrap_or(work_tree.path())).map_err(unwritten)?;
            fs::write(&file, "").map_err(unwritten)?;
            let mode = if mode == "100755" { 0o755 } else { 0o644 };
            fs::set_permissions(&file, Permissions::from_mode(mode)).map_err(unwritten)?;
            paths.push(change.path.clone());
        }
        for paths in batches(&paths) {
            let mut arguments = vec!["--literal-pathspecs", "-c", "core.fileMode=true"];
            arguments.extend(["add", "--intent-to-add", "--force", "--"]);
            arguments.extend(paths);
            let top = variable("GIT_WORK_TREE", work_tree.path().to_string_lossy());
            let variables = vec![of_index(index), top];
            printed(self.report_in(work_tree.path(), &arguments, variables, self.listing())?)?;
        }
        Ok(())
    }

    /// Makes a commit, signed if the user's settings say so. No reference leads to it.
    ///
    /// # Errors
    ///
    /// Fails if git does.
    pub fn commit_tree(&self, commit: &NewCommit<'_>) -> WriteResult<ObjectId> {
        self.commit_object(commit, None)
    }

    /// Makes the object of a commit, or of a signed text of a kind.
    pub(super) fn commit_object(
        &self,
        commit: &NewCommit<'_>,
        kind: Option<SignedKind>,
    ) -> WriteResult<ObjectId> {
        let scratch = scratch()?;
        let file = scratch.path().join("message");
        fs::write(&file, format!("{}\n", commit.message.trim_end())).map_err(unwritten)?;
        let file = file.to_string_lossy();
        self.add_trailers(&file, commit.trailers)?;
        let signature = self.settings.signature();
        let mut arguments: Vec<&str> = Vec::new();
        for setting in signature.iter().flatten() {
            arguments.extend(["-c", setting]);
        }
        let encoding = kind.map_or("UTF-8", SignedKind::encoding);
        let encoding = format!("i18n.commitEncoding={encoding}");
        arguments.extend(["-c", &encoding]);
        arguments.extend(["commit-tree", commit.tree.as_str(), "-F", &file]);
        for parent in commit.parents {
            arguments.extend(["-p", parent.as_str()]);
        }
        let mut variables: Vec<Variable> = Vec::new();
        variables.extend(commit.author.variables("AUTHOR"));
        variables.extend(commit.committer.variables("COMMITTER"));
        if signature.is_some() {
            arguments.push("-S");
            variables.extend(self.for_signing());
        }
        let made = self.report(&arguments, variables)?;
        match made.ended {
            Ended::Exit(0) => object(&made.out).map(Ok),
            Ended::Exit(_) if signature.is_some() => {
                Ok(Err(CommitRefusal::Unsigned(failed(&made))))
            }
            _ => Err(failed(&made)),
        }
    }

    fn add_trailers(&self, file: &str, trailers: &[(String, String)]) -> Result<(), String> {
        let lines: Vec<String> = trailers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        let mut arguments = vec!["interpret-trailers", "--in-place", "--no-divider"];
        arguments.push("--if-exists=addIfDifferent");
        for line in &lines {
            arguments.extend(["--trailer", line]);
        }
        arguments.push(file);
        self.output(&arguments, Vec::new()).map(drop)
    }
}

/// Returns an index as git is told of it.
pub(super) fn of_index(index: &Path) -> Variable {
    variable("GIT_INDEX_FILE", index.to_string_lossy())
}

fn mode(kind: IndexedKind) -> &'static str {
    match kind {
        IndexedKind::File { executable: true } => "100755",
        IndexedKind::File { executable: false } => "100644",
        IndexedKind::Link => "120000",
    }
}

/// Splits arguments into as many as one call of git takes.
pub(super) fn batches(arguments: &[String]) -> Vec<Vec<&str>> {
    let mut batches: Vec<Vec<&str>> = Vec::new();
    let mut bytes = 0;
    for argument in arguments {
        bytes += argument.len() + 1;
        match batches.last_mut() {
            Some(batch) if bytes <= MAX_ARGUMENTS => batch.push(argument),
            _ => {
                bytes = argument.len() + 1;
                batches.push(vec![argument]);
            }
        }
    }
    batches
}

pub(super) fn scratch() -> Result<ScratchFolder, String> {
    ScratchFolder::new(ScratchUse::Commit).map_err(unwritten)
}

pub(super) fn unwritten(error: std::io::Error) -> String {
    format!("nothing can be written for git: {error}")
}
