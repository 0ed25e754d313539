//! The repository after a program: a copy of git's folder as the program left it, compared with the one on disk.
//!
//! In: the layer and the disk below it. Out: what differs. What the layer has was written by a program: only
//! regular files are copied, through no link and within bounds, and git reads the copy.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Seek as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use signoff_source::quote;

use super::super::beneath::Tree;
use super::super::layer::{OPAQUE, is_whiteout};
use super::super::snapshot::asker;
use super::{KeptRepository, Walk};
use crate::git_view::{
    FOUND_INDEX, LeftFile, LeftRepository, RepositoryChange, UnderWay, UnderWayStep,
};
use crate::scratch::{ScratchFolder, ScratchUse};

/// Maximum number of files of git's folder that are copied, and their bytes: a program can fill it with objects that
/// no commit holds. A repository of a hundred megabytes that the program packs anew fits.
const MAX_FILES: usize = 100_000;
const MAX_BYTES: u64 = 256 << 20;
/// Maximum number of files and folders that are named which are dropped.
const MAX_NAMED: usize = 20;

/// What of git's folder says which commits there are and what is checked out; all of it is compared.
const COMPARED: [&str; 6] = [
    "HEAD",
    "refs",
    "reftable",
    "packed-refs",
    "shallow",
    "index",
];
/// What follows from these, or matters to nobody once a command is over.
const PASSING: [&str; 11] = [
    "objects",
    "logs",
    "SQUASH_MSG",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "COMMIT_EDITMSG",
    "MERGE_MSG",
    "MERGE_MODE",
    "AUTO_MERGE",
    "REBASE_HEAD",
    "gc.log",
];
/// What is there while a command waits for the user to go on with it.
const UNDER_WAY: [(&str, &str); 7] = [
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("sequencer", "sequence of commits"),
    ("BISECT_LOG", "bisection"),
];

impl Walk<'_> {
    /// Finds out what the program changed of the workspace's own repository.
    pub(super) fn repository(&mut self) {
        let git = Path::new(".git");
        if !self.git.iter().any(|own| own == git)
            || !self.disk.metadata(git).is_ok_and(|own| own.is_dir())
        {
            return;
        }
        let Ok(names) = self.tree.names(git) else {
            let why = ".git (it cannot be read, or was removed)";
            self.out.git.dropped.push(why.to_owned());
            self.kept_repository = None;
            return;
        };
        let written = names.into_iter().filter_map(|name| name.into_string().ok());
        let written: Vec<String> = written
            .filter(|name| self.is_git_written(&git.join(name)))
            .collect();
        if written.is_empty() {
            return;
        }
        let is_compared = |name: &String| {
            COMPARED.contains(&name.as_str())
                || name.starts_with("sharedindex.")
                || name == "objects"
        };
        let under_way = UNDER_WAY.iter().find_map(|(name, what)| {
            let found = self.tree.found(&git.join(name)).ok().flatten();
            let is_there = found.is_some_and(|found| !is_whiteout(&found));
            is_there.then_some(*what)
        });
        let others = written.iter().filter(|name| {
            !is_compared(name)
                && !PASSING.contains(&name.as_str())
                && !UNDER_WAY.iter().any(|(own, _)| own == name)
        });
        let others: Vec<String> = others
            .take(MAX_NAMED)
            .map(|name| quote::name(&format!(".git/{name}")).into_owned())
            .collect();
        self.out.git.dropped.extend(others);
        if !written.iter().any(is_compared) && under_way.is_none() {
            return;
        }
        // As after `git status`, which writes down when it looked.
        let is_index_alone =
            written.iter().all(|name| name == "index") && self.kept_repository.is_none();
        match self.compare(git, under_way, is_index_alone) {
            Ok(kept) => self.kept_repository = kept,
            Err(why) => {
                self.kept_repository = None;
                self.out
                    .git
                    .dropped
                    .push(format!("commits and refs ({why})"));
            }
        }
    }

    /// Finds out what differs. Returns what the next program is to find of it.
    fn compare(
        &mut self,
        git: &Path,
        under_way: Option<&str>,
        is_index_alone: bool,
    ) -> Result<Option<KeptRepository>, String> {
        let copy = ScratchFolder::new(ScratchUse::Repository).map_err(|error| error.to_string())?;
        let mut copier = Copier {
            layer: &self.tree,
            disk: &self.disk,
            git,
            to: copy.path(),
            files: 0,
            bytes: 0,
        };
        copier.all()?;
        if let Some(mut found) = self.evidence.index {
            let to = File::create_new(copy.path().join(FOUND_INDEX));
            let copied = found.rewind().and_then(|()| io::copy(&mut found, &mut to?));
            copied.map_err(|error| format!("the index cannot be copied: {error}"))?;
        }
        let never = AtomicBool::new(false);
        let asker = asker(self.evidence.root, &never);
        let left = LeftRepository::open(&asker, copy.path())?;
        if is_index_alone && !left.is_index_changed()? && !left.are_flags_changed()? {
            return Ok(None);
        }
        let mut change = left.change(under_way, &|path| self.left_file(Path::new(path)))?;
        let ended = self.ended_by_program(git);
        if change.under_way.is_none() && ended == EndedPart::All {
            let found = UnderWay::read(&self.evidence.root.join(git))?;
            change.step = found.map(UnderWayStep::Ends);
        }
        change.unproposed = self.propose_committed(&change);
        let mark = left.mark()?;
        let under_way = change.under_way.as_deref();
        let mut stays: Vec<String> = under_way
            .map(|what| format!("a {what} under way"))
            .into_iter()
            .collect();
        stays.extend(change.other_refs.iter().take(MAX_NAMED).cloned());
        if let EndedPart::Part(what) = ended {
            stays.push(format!(
                "the end of the {what} that is under way in the repository"
            ));
        }
        if left.are_flags_changed()? {
            stays.push("flags of files in git's index".to_owned());
        }
        let waits = if change.is_some() {
            let put = self
                .evidence
                .waiting
                .put(change, left.pack(), self.evidence.owner);
            Some(put.map_err(|error| format!("they cannot be kept: {error}"))?)
        } else {
            stays.extend(under_way.map(|_| "git's index".to_owned()));
            None
        };
        let is_kept = waits.is_some() || !stays.is_empty();
        self.out.git.stays = stays;
        let id = waits.as_ref().map(|own| own.id.clone());
        // What waited is in what waits now, or was taken back by the program.
        let earlier = self.kept_repository.take().and_then(|earlier| earlier.id);
        if let Some(earlier) = earlier.filter(|earlier| Some(earlier) != id.as_ref()) {
            let removed = self.evidence.waiting.remove(&earlier);
            removed.map_err(|error| error.to_string())?;
        }
        self.out.git.waits = waits;
        Ok(is_kept.then_some(KeptRepository { id, mark }))
    }

    /// Returns what of what is under way in the repository is not any more in what the program left.
    fn ended_by_program(&self, git: &Path) -> EndedPart {
        let (mut gone, mut stays) = (None, false);
        for (name, what) in UNDER_WAY {
            let path = git.join(name);
            if self.disk.metadata(&path).is_err() {
                continue;
            }
            let left = self.tree.found(&path).ok().flatten();
            match left {
                Some(left) if is_whiteout(&left) => gone = gone.or(Some(what)),
                // Git ends a sequence with what it is of.
                _ if name == "sequencer" => {}
                _ => stays = true,
            }
        }
        match gone {
            None => EndedPart::Nothing,
            Some(what) if stays || what == "bisection" => EndedPart::Part(what),
            Some(_) => EndedPart::All,
        }
    }

    /// Proposes the ignored files that are committed or staged: git has them from now on. Returns those files of a change that
    /// differ from the disk and are not proposed.
    fn propose_committed(&mut self, change: &RepositoryChange) -> Vec<String> {
        let mut unproposed = Vec::new();
        for file in &change.files {
            let path = Path::new(&file.path);
            let on_disk = LeftFile::on_disk(self.evidence.root, &file.path);
            let on_disk = on_disk.ok().flatten().map(|own| own.fingerprint());
            // One that is too large was not read.
            let is_unread = file.left.is_none() && self.is_left(path);
            if on_disk == file.left && !is_unread || self.staged.contains_key(file.path.as_str()) {
                continue;
            }
            if let Ok(metadata) = self.tree.metadata(path)
                && self.release(path, &metadata)
            {
                self.file(path, file.path.clone(), &metadata);
            }
            let is_proposed = self.found.contains_key(&file.path) && self.out.flood.is_none();
            if !is_proposed || file.left.is_some() && self.is_in_way(path) {
                unproposed.push(file.path.clone());
            }
        }
        unproposed
    }

    /// Returns whether the program left a file in the layer.
    fn is_left(&self, path: &Path) -> bool {
        let found = self.tree.found(path).ok().flatten();
        found.is_some_and(|found| !found.is_dir() && !is_whiteout(&found))
    }

    /// Returns whether a file cannot come to a path on disk: a folder is there, or a file where a folder around it would be.
    fn is_in_way(&self, path: &Path) -> bool {
        let is_folder = |path: &Path| self.disk.metadata(path).ok().map(|own| own.is_dir());
        let mut around = path.ancestors().skip(1).filter(|own| own.as_os_str() != "");
        is_folder(path) == Some(true) || around.any(|own| is_folder(own) == Some(false))
    }

    /// Returns a file as the program left it in the work tree.
    fn left_file(&self, path: &Path) -> Option<LeftFile> {
        let tree = match self.tree.found(path) {
            Ok(Some(_)) => &self.tree,
            Ok(None) if !self.is_hidden(path) => &self.disk,
            Ok(None) | Err(_) => return None,
        };
        let metadata = tree.metadata(path).ok()?;
        if metadata.is_symlink() {
            let bytes = tree.link(path).ok()?;
            return Some(LeftFile {
                bytes,
                mode: "120000",
            });
        }
        let bytes = tree.read(path, self.evidence.most_bytes).ok()?;
        Some(LeftFile::regular(bytes, metadata.permissions().mode()))
    }
}

/// What a program ended of what the user has under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndedPart {
    Nothing,
    /// This, and something else is under way still.
    Part(&'static str),
    All,
}

/// Copies what git needs of its folder.
struct Copier<'a> {
    layer: &'a Tree,
    disk: &'a Tree,
    /// Git's folder in both.
    git: &'a Path,
    to: &'a Path,
    files: usize,
    bytes: u64,
}

/// A file or folder as the program left it.
struct LeftEntry<'a> {
    /// Which of the two has it.
    tree: &'a Tree,
    metadata: Metadata,
    /// Whether what is in a folder on disk is seen through it.
    shows_disk: bool,
}

impl<'a> Copier<'a> {
    fn all(&mut self) -> Result<(), String> {
        let Some(top) = self.entry(Path::new(""), true)? else {
            return Err("the repository was removed".to_owned());
        };
        for folder in ["refs", "objects/pack"] {
            fs::create_dir_all(self.to.join(folder)).map_err(|error| error.to_string())?;
        }
        for name in COMPARED {
            self.take(Path::new(name), top.shows_disk)?;
        }
        self.stash_log(top.shows_disk)?;
        for name in self.names(Path::new(""), top.shows_disk)? {
            if name.to_string_lossy().starts_with("sharedindex.") {
                self.take(&name, top.shows_disk)?;
            }
        }
        // Those of the repository need no copy.
        self.objects()
    }

    /// Takes the log of the stash, which holds all of its entries but the newest.
    fn stash_log(&mut self, mut shows_disk: bool) -> Result<(), String> {
        for folder in ["logs", "logs/refs"] {
            match self.entry(Path::new(folder), shows_disk)? {
                Some(found) if found.metadata.is_dir() => shows_disk = found.shows_disk,
                _ => return Ok(()),
            }
        }
        self.take(Path::new("logs/refs/stash"), shows_disk)
    }

    fn objects(&mut self) -> Result<(), String> {
        for shelf in self.names(Path::new("objects"), false)? {
            let Some(name) = shelf.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let is_shelf = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_shelf && name != "pack" {
                continue;
            }
            for path in self.names(&shelf, false)? {
                let kind = path.extension();
                if is_shelf || kind.is_some_and(|kind| kind == "pack" || kind == "idx") {
                    self.take(&path, false)?;
                }
            }
        }
        Ok(())
    }

    /// Returns what is under a path; `shows_disk` is whether what is on disk there is seen.
    fn entry(&self, path: &Path, shows_disk: bool) -> Result<Option<LeftEntry<'a>>, String> {
        let own = self.git.join(path);
        let unread = |error: io::Error| format!("{} cannot be read: {error}", own.display());
        Ok(match self.layer.found(&own).map_err(unread)? {
            Some(found) if is_whiteout(&found) => None,
            Some(metadata) => Some(LeftEntry {
                tree: self.layer,
                shows_disk: shows_disk
                    && metadata.is_dir()
                    && !self.layer.has_attribute(&own, OPAQUE, b'y'),
                metadata,
            }),
            None if shows_disk => {
                let found = self.disk.found(&own).map_err(unread)?;
                found.map(|metadata| LeftEntry {
                    tree: self.disk,
                    metadata,
                    shows_disk,
                })
            }
            None => None,
        })
    }

    /// Returns the paths in a folder; none where it is no folder.
    fn names(&self, folder: &Path, shows_disk: bool) -> Result<Vec<PathBuf>, String> {
        let own = self.git.join(folder);
        let mut names: Vec<OsString> = self.layer.names(&own).into_iter().flatten().collect();
        if shows_disk {
            names.extend(self.disk.names(&own).into_iter().flatten());
        }
        names.sort();
        names.dedup();
        if names.len() > MAX_FILES {
            return Err(format!(
                "{} holds more than {MAX_FILES} files",
                own.display()
            ));
        }
        Ok(names.into_iter().map(|name| folder.join(name)).collect())
    }

    /// Copies a file, or a folder with all that is in it.
    fn take(&mut self, path: &Path, shows_disk: bool) -> Result<(), String> {
        let mut left = vec![(path.to_owned(), shows_disk)];
        while let Some((path, shows_disk)) = left.pop() {
            let Some(entry) = self.entry(&path, shows_disk)? else {
                continue;
            };
            if entry.metadata.is_dir() {
                fs::create_dir_all(self.to.join(&path)).map_err(|error| error.to_string())?;
                let inner = self.names(&path, entry.shows_disk)?.into_iter();
                left.extend(inner.map(|path| (path, entry.shows_disk)));
            } else if entry.metadata.is_file() {
                self.file(&path, &entry)?;
            } else {
                return Err(format!(
                    "{} is no regular file",
                    self.git.join(&path).display()
                ));
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, entry: &LeftEntry<'_>) -> Result<(), String> {
        self.files += 1;
        self.bytes += entry.metadata.len();
        if self.files > MAX_FILES || self.bytes > MAX_BYTES {
            return Err(format!(
                "they are more than {MAX_FILES} files, or {} MiB",
                MAX_BYTES >> 20
            ));
        }
        let own = self.git.join(path);
        let failed = |error: io::Error| format!("{} cannot be copied: {error}", own.display());
        let mut from = entry.tree.file(&own).map_err(failed)?;
        let to = self.to.join(path);
        if let Some(around) = to.parent() {
            fs::create_dir_all(around).map_err(failed)?;
        }
        let mut to = File::create_new(to).map_err(failed)?;
        io::copy(&mut from, &mut to).map(drop).map_err(failed)
    }
}
