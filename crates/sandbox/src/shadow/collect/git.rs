//! The repository after a program: a copy of git's folder as the program left it, compared with the one on disk.
//!
//! In: the layer and the disk below it. Out: what differs. What the layer has was written by a program: only
//! regular files are copied, through no link and within bounds, and git reads the copy.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Seek as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use signoff_source::quote;

use super::super::beneath::Tree;
use super::super::layer::{OPAQUE, in_git, is_whiteout};
use super::super::private_files::MAX_SETTINGS;
use super::super::snapshot::asker;
use super::{KeptRepository, Walk};
use crate::git_view::{
    Asker, FOUND_INDEX, LeftFile, LeftRepository, OF_WORK_TREE, RepositoryChange, StashChange,
    UnderWay, UnderWayStep, settings,
};
use crate::git_write::large_files::LARGE_FILES;
use crate::git_write::{GitWriter, HOOKS, UserVariables};
use crate::scratch::{ScratchFolder, ScratchUse};
use crate::waiting_commits::WaitingChange;

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
const PASSING: [&str; 12] = [
    "objects",
    "lfs",
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

/// What all work trees of a repository share; the rest is of one of them.
const SHARED: [&str; 6] = [
    "objects",
    "refs",
    "reftable",
    "packed-refs",
    "shallow",
    "logs",
];
/// Where what is of other work trees lies among what all share, and what is of this one.
const WORK_TREES: &str = "worktrees";

/// Git's folders, as a program left them and on disk.
struct GitTrees {
    layer: Tree,
    disk: Tree,
    /// What is of this work tree, and what all share, in both.
    own: PathBuf,
    common: PathBuf,
    /// Where they are.
    top: PathBuf,
    /// The top of the work tree.
    work_tree: PathBuf,
    /// What the layer hid from the start.
    hidden: BTreeSet<PathBuf>,
}

impl GitTrees {
    /// Returns where a path of git's is in the trees.
    fn at(&self, path: &Path) -> PathBuf {
        if let Ok(own) = path.strip_prefix(OF_WORK_TREE) {
            return self.own.join(own);
        }
        let is_shared = SHARED.iter().any(|name| path.starts_with(name));
        let folder = if is_shared { &self.common } else { &self.own };
        folder.join(path)
    }

    /// Returns a path of the trees as it is told.
    fn told(&self, path: &Path) -> String {
        let is_in_workspace = self.common == Path::new(".git");
        let whole = self.top.join(path);
        let path = if is_in_workspace { path } else { &whole };
        quote::name(&path.to_string_lossy()).into_owned()
    }
}

/// Returns the folder of hooks that is set in git's settings in the layer, and not on disk.
fn set_hooks_path(git: &GitTrees) -> Option<String> {
    let config = git.at(Path::new("config"));
    let [left, own] = [&git.layer, &git.disk].map(|tree| {
        let text = String::from_utf8(tree.read(&config, MAX_SETTINGS).ok()?).ok()?;
        let set =
            settings(&text).filter(|(section, key, _)| section == "core" && key == "hookspath");
        set.last()
            .map(|(.., value)| value.trim_matches('"').to_owned())
    });
    left.filter(|left| own.as_ref() != Some(left))
}

impl Walk<'_> {
    /// Returns git's folders, if the layer may have something of them.
    fn git_trees(&self) -> io::Result<Option<GitTrees>> {
        let root = self.evidence.root;
        if let Some((git, layer)) = self.evidence.git {
            let common = &git.folders.common;
            let own = git.folders.own.strip_prefix(common);
            return Ok(Some(GitTrees {
                layer: layer.again()?,
                disk: Tree::open(common)?,
                own: own.map_err(io::Error::other)?.to_owned(),
                common: PathBuf::new(),
                top: common.clone(),
                work_tree: git.folders.top.clone(),
                hidden: git.hidden().collect(),
            }));
        }
        let git = Path::new(".git");
        let is_there = self.git.iter().any(|own| own == git)
            && self.disk.metadata(git).is_ok_and(|own| own.is_dir());
        if !is_there {
            return Ok(None);
        }
        Ok(Some(GitTrees {
            layer: self.tree.again()?,
            disk: self.disk.again()?,
            own: git.to_owned(),
            common: git.to_owned(),
            top: root.to_owned(),
            work_tree: root.to_owned(),
            hidden: in_git(root, self.evidence.hidden).collect(),
        }))
    }

    /// Returns the names in git's folder that the program wrote something under, and what it wrote that is of the repository's
    /// other work trees.
    fn written_in_git(&self, git: &GitTrees) -> io::Result<(Vec<String>, Vec<PathBuf>)> {
        let is_written = |path: &Path| self.is_written_in(&git.layer, path, &git.hidden);
        let names = |folder: &Path| -> io::Result<Vec<String>> {
            let names = match git.layer.found(folder)? {
                Some(_) => git.layer.names(folder)?,
                None => Vec::new(),
            };
            let names = names.into_iter().filter_map(|name| name.into_string().ok());
            Ok(names
                .filter(|name| is_written(&folder.join(name)))
                .collect())
        };
        let mut written = names(&git.own)?;
        let mut others = Vec::new();
        if git.own != git.common {
            let (shared, rest): (Vec<String>, Vec<String>) = names(&git.common)?
                .into_iter()
                .partition(|name| SHARED.contains(&name.as_str()));
            written.extend(shared);
            // Programs cannot write to what is of others there.
            let rest = rest.into_iter().filter(|name| name != WORK_TREES);
            others.extend(rest.map(|name| git.common.join(name)));
        }
        Ok((written, others))
    }

    /// Finds out what the program changed of the workspace's own repository.
    pub(super) fn repository(&mut self) {
        let found = self.git_trees();
        let found = found.and_then(|git| {
            let written = git.as_ref().map(|git| self.written_in_git(git));
            Ok(git.zip(written.transpose()?))
        });
        let (git, written, others) = match found {
            Ok(Some((git, (written, others)))) => (git, written, others),
            Ok(None) => return,
            Err(_unreadable) => {
                let why = ".git (it cannot be read, or was removed)";
                self.out.git.dropped.push(why.to_owned());
                self.kept_repository = None;
                return;
            }
        };
        let others = others.iter().take(MAX_NAMED).map(|path| git.told(path));
        self.out.git.dropped.extend(others);
        if written.is_empty() {
            return;
        }
        self.is_git_written = true;
        let is_compared = |name: &String| {
            COMPARED.contains(&name.as_str())
                || name.starts_with("sharedindex.")
                || name == "objects"
        };
        let under_way = UNDER_WAY.iter().find_map(|(name, what)| {
            let found = git.layer.found(&git.at(Path::new(name))).ok().flatten();
            let is_there = found.is_some_and(|found| !is_whiteout(&found));
            is_there.then_some(*what)
        });
        let hooks_path = set_hooks_path(&git);
        let others = written.iter().filter(|name| {
            !is_compared(name)
                && !PASSING.contains(&name.as_str())
                && !UNDER_WAY.iter().any(|(own, _)| own == name)
        });
        let others: Vec<String> = others
            .take(MAX_NAMED)
            .map(|name| {
                let told = git.told(&git.at(Path::new(name)));
                match &hooks_path {
                    Some(path) if name == "config" => {
                        format!("{told}, with the hooks in {}", quote::name(path))
                    }
                    _ => told,
                }
            })
            .collect();
        self.out.git.dropped.extend(others);
        self.out.git.hooks_path = hooks_path;
        if !written.iter().any(is_compared) && under_way.is_none() {
            return;
        }
        // As after `git status`, which writes down when it looked.
        let is_index_alone =
            written.iter().all(|name| name == "index") && self.kept_repository.is_none();
        match self.compare(&git, under_way, is_index_alone) {
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
        git: &GitTrees,
        under_way: Option<&str>,
        is_index_alone: bool,
    ) -> Result<Option<KeptRepository>, String> {
        let copy = ScratchFolder::new(ScratchUse::Repository).map_err(|error| error.to_string())?;
        let mut copier = Copier {
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
        if is_index_alone && !left.is_index_changed()? && !left.are_flags_changed(&[])? {
            return Ok(None);
        }
        let left_file = |path: &str| {
            let whole = git.work_tree.join(path);
            match whole.strip_prefix(self.evidence.root) {
                Ok(below) => self.left_file(below),
                // Programs cannot write it.
                Err(_outside) => LeftFile::on_disk(&git.work_tree, path).ok().flatten(),
            }
        };
        let mut change = left.change(under_way, &left_file)?;
        let ended = self.ended_by_program(git);
        if change.under_way.is_none() && ended == EndedPart::All {
            let found = UnderWay::read(&git.top.join(&git.own))?;
            change.step = found.map(UnderWayStep::Ends);
        }
        change.unproposed = self.propose_committed(&change);
        if !change.commits.is_empty() {
            change.hooks = self.hooks_not_run(git, asker);
        }
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
        if left.are_flags_changed(&change.index)? {
            stays.push("flags of files in git's index".to_owned());
        }
        change.by_user = self.is_by_user(&change);
        let waits = if change.is_some() {
            let put =
                self.evidence
                    .waiting
                    .put(change, left.pack(), copy.path(), self.evidence.owner);
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
        self.out.git.stashed = self.has_stashed(waits.as_ref(), earlier.as_deref());
        if let Some(earlier) = earlier.filter(|earlier| Some(earlier) != id.as_ref()) {
            let removed = self.evidence.waiting.remove(&earlier);
            removed.map_err(|error| error.to_string())?;
        }
        self.out.git.waits = waits;
        Ok(is_kept.then_some(KeptRepository { id, mark }))
    }

    /// Returns whether what differs comes of commands alone that the user typed: this program's, and those before it of which
    /// something waits. A program that changed nothing of what waits leaves it whose it is.
    fn is_by_user(&self, change: &RepositoryChange) -> bool {
        let id = self
            .kept_repository
            .as_ref()
            .and_then(|own| own.id.as_ref());
        let Ok(waiting) = self.evidence.waiting.all() else {
            // It may be the model's.
            return false;
        };
        let mut waiting = waiting.iter();
        let Some(earlier) = waiting.find(|own| Some(&own.id) == id) else {
            return self.evidence.by_user;
        };
        let earlier = &earlier.change;
        let is_the_same = *earlier
            == RepositoryChange {
                by_user: earlier.by_user,
                ..change.clone()
            };
        earlier.by_user && (self.evidence.by_user || is_the_same)
    }

    /// Returns whether what waits puts something away in the stash that an earlier change did not, or may: the earlier one cannot
    /// be read.
    fn has_stashed(&self, waits: Option<&WaitingChange>, earlier: Option<&str>) -> bool {
        let stash = waits.and_then(|own| own.change.stash.as_ref());
        let Some((new, _)) = stash.and_then(StashChange::steps) else {
            return false;
        };
        let Ok(all) = self.evidence.waiting.all() else {
            return !new.is_empty();
        };
        let earlier = all.into_iter().find(|own| Some(own.id.as_str()) == earlier);
        let before = earlier.and_then(|own| own.change.stash);
        let before = before.map_or_else(Vec::new, |stash| stash.after);
        new.iter().any(|entry| !before.contains(entry))
    }

    /// Returns the hooks that git would run at a commit outside, and that the program did not find: those of a folder of the
    /// user's, as `~/.githooks`, and those that an earlier program set up, as `npm ci` does.
    fn hooks_not_run(&self, git: &GitTrees, asker: Asker<'_>) -> Vec<String> {
        let user = UserVariables::of_process();
        // Without it no commit is made either.
        let Ok(writer) = GitWriter::open(asker, &user) else {
            return Vec::new();
        };
        let (folder, is_set) = writer.hooks_folder();
        let folder = folder.canonicalize().unwrap_or(folder);
        let is_hidden = self
            .evidence
            .hidden
            .iter()
            .any(|path| folder.starts_with(path));
        if is_hidden || !self.evidence.setup.shows(&folder) {
            return writer.hooks().into_iter().map(str::to_owned).collect();
        }
        let set = self.evidence.hooks_path.map(Path::new);
        let set = set.filter(|path| path.is_relative() && !is_set);
        let Some(set) = set.filter(|_| set_hooks_path(git).is_none()) else {
            return Vec::new();
        };
        // Husky has each of them in `.husky/_`, which runs the one of that name beside it, if there is one.
        let folder = set.parent().filter(|_| set.ends_with("_")).unwrap_or(set);
        let is_there = |name: &&str| {
            let path = folder.join(name);
            self.is_left(&path) || self.disk.metadata(&path).is_ok_and(|own| own.is_file())
        };
        let there = HOOKS.into_iter().filter(is_there);
        there.map(str::to_owned).collect()
    }

    /// Returns what of what is under way in the repository is not any more in what the program left.
    fn ended_by_program(&self, git: &GitTrees) -> EndedPart {
        let (mut gone, mut stays) = (None, false);
        for (name, what) in UNDER_WAY {
            let path = git.at(Path::new(name));
            if git.disk.metadata(&path).is_err() {
                continue;
            }
            let left = git.layer.found(&path).ok().flatten();
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
    git: &'a GitTrees,
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
        let (Some(own), Some(common)) = (self.top(&self.git.own)?, self.top(&self.git.common)?)
        else {
            return Err("the repository was removed".to_owned());
        };
        for folder in ["refs", "objects/pack"] {
            fs::create_dir_all(self.to.join(folder)).map_err(|error| error.to_string())?;
        }
        for name in COMPARED {
            let shows_disk = if SHARED.contains(&name) { common } else { own };
            self.take(Path::new(name), shows_disk)?;
        }
        self.own_tables(own)?;
        self.stash_log(common)?;
        for name in self.names(Path::new(""), own)? {
            if name.to_string_lossy().starts_with("sharedindex.") {
                self.take(&name, own)?;
            }
        }
        // Those of the repository need no copy.
        self.objects()?;
        self.take(Path::new(LARGE_FILES), false)
    }

    /// Takes the tables that a linked work tree has of its own, beside those that all share.
    fn own_tables(&mut self, shows_disk: bool) -> Result<(), String> {
        let folder = Path::new(OF_WORK_TREE);
        let tables = folder.join("reftable");
        if self.git.own == self.git.common || self.entry(&tables, shows_disk)?.is_none() {
            return Ok(());
        }
        self.take(&tables, shows_disk)?;
        self.take(&folder.join("HEAD"), shows_disk)?;
        fs::write(self.to.join(folder).join("commondir"), "..\n").map_err(|error| error.to_string())
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

    /// Returns whether what is on disk in one of git's folders is seen through it; none if it is gone.
    fn top(&self, folder: &Path) -> Result<Option<bool>, String> {
        let entry = self.entry_at(folder.to_owned(), true)?;
        Ok(entry.map(|entry| entry.shows_disk))
    }

    /// Returns what is under a path; `shows_disk` is whether what is on disk there is seen.
    fn entry(&self, path: &Path, shows_disk: bool) -> Result<Option<LeftEntry<'a>>, String> {
        self.entry_at(self.git.at(path), shows_disk)
    }

    fn entry_at(&self, own: PathBuf, shows_disk: bool) -> Result<Option<LeftEntry<'a>>, String> {
        let GitTrees { layer, disk, .. } = self.git;
        let unread = |error: io::Error| format!("{} cannot be read: {error}", own.display());
        Ok(match layer.found(&own).map_err(unread)? {
            Some(found) if is_whiteout(&found) => None,
            Some(metadata) => Some(LeftEntry {
                tree: layer,
                shows_disk: shows_disk
                    && metadata.is_dir()
                    && !layer.has_attribute(&own, OPAQUE, b'y'),
                metadata,
            }),
            None if shows_disk => {
                let found = disk.found(&own).map_err(unread)?;
                found.map(|metadata| LeftEntry {
                    tree: disk,
                    metadata,
                    shows_disk,
                })
            }
            None => None,
        })
    }

    /// Returns the paths in a folder; none where it is no folder.
    fn names(&self, folder: &Path, shows_disk: bool) -> Result<Vec<PathBuf>, String> {
        let own = self.git.at(folder);
        let layer = self.git.layer.names(&own);
        let mut names: Vec<OsString> = layer.into_iter().flatten().collect();
        if shows_disk {
            names.extend(self.git.disk.names(&own).into_iter().flatten());
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
                    self.git.at(&path).display()
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
        let own = self.git.at(path);
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
