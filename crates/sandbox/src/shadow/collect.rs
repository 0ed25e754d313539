//! What a program changed: the layer compared with what the program started from.
//!
//! In: the layer, the workspace, staged texts, the snapshot. Out: files with their bytes and what they were, those
//! that cannot be told as bytes, and counts of the ignored ones. Only what is in the layer is looked at, so that the
//! work is in proportion to what was written. Nothing in the layer is trusted: no link is followed, no pipe is opened,
//! and what is read has a bound.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signoff_source::file::{ProgramBase, ProgramContent, ProgramFile};
use signoff_source::path::reserved::ReservedFolders;
use signoff_source::quote;

use super::beneath::{PERMISSIONS, Tree, same_bytes};
use super::collected::{Collected, Flood, MAX_BYTES, MAX_FILES, Why};
use super::layer::{self, OPAQUE, Unproposed, is_whiteout};
use super::setup::{GitElsewhere, Setup};
use super::snapshot::{Snapshot, Time};
use crate::ignored;
use crate::waiting_commits::WaitingCommits;

mod git;
mod moved;

/// What the changes of a program are told by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence<'a> {
    /// The workspace.
    pub(super) root: &'a Path,
    /// What was staged for the program.
    pub(super) staged: &'a [ProgramFile],
    /// Files of the workspace as they were.
    pub(super) snapshot: &'a Snapshot,
    /// When the program was about to start, by the clock of the layer.
    pub(super) started: Time,
    /// What it found beside the workspace.
    pub(super) setup: &'a Setup,
    /// The folder of hooks that an earlier program set in the layers.
    pub(super) hooks_path: Option<&'a str>,
    /// What the program did not find.
    pub(super) hidden: &'a [PathBuf],
    /// Folders of signoff's own, of which nothing is taken.
    pub(super) reserved: &'a ReservedFolders,
    /// The repository, if it is outside of the workspace, with its layer.
    pub(super) git: Option<(&'a GitElsewhere, &'a Tree)>,
    /// Where changes of the repository wait, and the folder of the layers.
    pub(super) waiting: &'a WaitingCommits,
    pub(super) owner: &'a Path,
    /// Whether the program is a command that the user typed.
    pub(super) by_user: bool,
    /// Git's index as the program found it.
    pub(super) index: Option<&'a File>,
    /// Maximum size of a file, in bytes.
    pub(super) most_bytes: u64,
}

/// What of the repository the next program is to find as this one left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptRepository {
    /// The change that waits, if one does.
    pub(super) id: Option<String>,
    /// What stands for the references on disk: once they differ, the layer does not fit.
    pub(super) mark: String,
}

/// What was found in the layers after a program.
pub(super) struct LayersRead {
    /// What it changed.
    pub(super) collected: Collected,
    /// What of the repository the next program finds.
    pub(super) kept_repository: Option<KeptRepository>,
    /// Whether it may have left something that later programs find: ignored files, or the repository.
    pub(super) is_left: bool,
}

/// Returns what a program changed; `tree` is the layer. `kept` is what it found of an earlier one's repository.
pub(super) fn collect(
    evidence: Evidence<'_>,
    tree: Tree,
    kept: Option<KeptRepository>,
) -> io::Result<LayersRead> {
    let staged = evidence.staged.iter();
    let mut walk = Walk {
        tree,
        disk: Tree::open(evidence.root)?,
        unproposed: Unproposed::of(evidence.root),
        staged: staged.map(|own| (own.path.as_str(), own)).collect(),
        looked_at: BTreeSet::new(),
        found: BTreeMap::new(),
        bytes: 0,
        kept: BTreeMap::new(),
        unread: Vec::new(),
        git: Vec::new(),
        kept_repository: kept,
        gone: BTreeSet::new(),
        is_left: false,
        is_git_written: false,
        out: Collected::default(),
        evidence,
    };
    walk.folder(Path::new(""));
    walk.staged_and_gone();
    walk.repository();
    let kept_repository = walk.kept_repository.take();
    Ok(LayersRead {
        is_left: walk.is_left
            || walk.is_git_written && kept_repository.is_some()
            || walk.out.flood.is_some(),
        kept_repository,
        collected: walk.into_collected(),
    })
}

struct Walk<'a> {
    evidence: Evidence<'a>,
    /// The layer.
    tree: Tree,
    /// The workspace, through no link: what a link leads to is not the program's to change.
    disk: Tree,
    unproposed: Unproposed,
    staged: BTreeMap<&'a str, &'a ProgramFile>,
    /// Paths with staged work that the layer has something under.
    looked_at: BTreeSet<String>,
    found: BTreeMap<String, (ProgramBase, Option<ProgramContent>)>,
    /// Bytes of what was found.
    bytes: u64,
    /// Ignored files that the program wrote, by size.
    kept: BTreeMap<u64, Vec<PathBuf>>,
    /// What is ignored and could not be looked at.
    unread: Vec<PathBuf>,
    /// Git's folders, of which no file is proposed.
    git: Vec<PathBuf>,
    kept_repository: Option<KeptRepository>,
    /// Folders on disk whose files were looked at because the layer hides them.
    gone: BTreeSet<PathBuf>,
    /// Whether ignored files were written, or may have been.
    is_left: bool,
    /// Whether git's folder was.
    is_git_written: bool,
    out: Collected,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path) {
        let Ok(names) = self.tree.names(folder) else {
            self.refuse(folder, Why::Unreadable);
            return;
        };
        for name in names {
            let path = folder.join(name);
            match self.tree.metadata(&path) {
                Ok(metadata) => self.entry(&path, &metadata),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(_unreadable) => self.refuse(&path, Why::Unreadable),
            }
            if self.out.flood.is_some() {
                return;
            }
        }
    }

    fn entry(&mut self, path: &Path, metadata: &Metadata) {
        if path.file_name().is_some_and(|name| name == ".git") {
            let is_workspaces =
                path == Path::new(".git") && self.disk.metadata(path).is_ok_and(|own| own.is_dir());
            if !is_workspaces && self.is_written_in(&self.tree, path, &BTreeSet::new()) {
                let name = quote::name(&path.to_string_lossy()).into_owned();
                self.out.git.dropped.push(name);
            }
            self.git.push(path.to_owned());
            return;
        }
        if self
            .evidence
            .reserved
            .is_one(&self.evidence.root.join(path))
        {
            self.refuse(path, Why::Reserved);
            return;
        }
        if self.is_unproposed(path, metadata) {
            self.keep(path);
            return;
        }
        let Some(name) = path.to_str().map(str::to_owned) else {
            self.refuse(path, Why::Name);
            return;
        };
        let below = self.disk.metadata(path).ok();
        let kind = metadata.file_type();
        // A folder that is something else now, or is made anew, takes its files along.
        let was_folder = below.as_ref().is_some_and(Metadata::is_dir);
        let is_proposed = !self.unproposed.names(path, true);
        if was_folder
            && is_proposed
            && (!kind.is_dir() || self.tree.has_attribute(path, OPAQUE, b'y'))
        {
            self.hidden(path);
        }
        // It may be one of the files that were hidden, and be there again.
        self.forget(&name);
        if is_whiteout(metadata) {
            if was_folder && self.disk.names(path).is_ok_and(|names| names.is_empty()) {
                self.refuse(path, Why::EmptyFolderGone);
            }
            self.gone(name, below.as_ref());
        } else if kind.is_dir() {
            if was_folder && below.as_ref().map(mode) != Some(mode(metadata)) {
                self.refuse(path, Why::FolderPermissions);
            }
            self.gone(name, below.as_ref());
            if !was_folder && self.tree.names(path).is_ok_and(|names| names.is_empty()) {
                self.refuse(
                    path,
                    match below {
                        Some(_) => Why::EmptyFolderForFile,
                        None => Why::EmptyFolder,
                    },
                );
            }
            self.folder(path);
        } else if kind.is_file() {
            self.file(path, name, metadata);
        } else if kind.is_symlink() {
            match self.tree.link(path) {
                Ok(target) => self.note(name, Some(ProgramContent::Link(target))),
                Err(_unreadable) => self.refuse(path, Why::Unreadable),
            }
        } else {
            self.refuse(path, Why::Special);
        }
    }

    /// Returns whether the program wrote to a path of a layer that hid files from the start.
    fn is_written_in(&self, tree: &Tree, path: &Path, hidden: &BTreeSet<PathBuf>) -> bool {
        let found = self.written_in(tree, vec![path.to_owned()]);
        !found.unread.is_empty()
            || found
                .written
                .iter()
                .any(|(path, found)| !is_whiteout(found) || !hidden.contains(path))
    }

    /// Names what cannot be told.
    fn refuse(&mut self, path: &Path, why: Why) {
        let path = match path.to_string_lossy().into_owned() {
            root if root.is_empty() => ".".to_owned(),
            path => path,
        };
        if self.staged.contains_key(path.as_str()) {
            self.looked_at.insert(path.clone());
        }
        self.out.refuse(path, why);
    }

    /// Notes that what was no folder on disk is gone.
    fn gone(&mut self, name: String, below: Option<&Metadata>) {
        if below.is_some_and(|below| !below.is_dir()) || self.staged.contains_key(name.as_str()) {
            self.note(name, None);
        }
    }

    fn file(&mut self, path: &Path, name: String, metadata: &Metadata) {
        if metadata.len() > self.evidence.most_bytes {
            let on_disk = self.disk.file(path);
            let same = on_disk.and_then(|own| same_bytes(self.tree.file(path)?, own));
            let mode = metadata.permissions().mode() & PERMISSIONS;
            if !same.unwrap_or(false) || self.mode_on_disk(&name) != Some(mode) {
                self.refuse(path, Why::TooLarge(metadata.len()));
            }
            return;
        }
        match self.tree.read(path, self.evidence.most_bytes) {
            Ok(bytes) => {
                let mode = metadata.permissions().mode() & PERMISSIONS;
                let mode = Some(mode);
                self.note(name, Some(ProgramContent::File { bytes, mode }));
            }
            Err(_unreadable) => self.refuse(path, Why::Unreadable),
        }
    }

    /// Notes what a file is now, if the program found it otherwise.
    fn note(&mut self, name: String, after: Option<ProgramContent>) {
        let own = self.staged.get(name.as_str()).copied();
        let base = match own {
            Some(own) => {
                self.looked_at.insert(name.clone());
                ProgramBase::Known(layer::found(own, self.evidence.root))
            }
            None => {
                let left = match &after {
                    Some(ProgramContent::File { mode, .. }) => *mode,
                    Some(ProgramContent::Link(_)) | None => None,
                };
                self.evidence.snapshot.base(Path::new(&name), left)
            }
        };
        if self.is_base(&name, &base, &after) {
            return;
        }
        let base = match (own, base) {
            // The engine fills in the permission bits of what is staged.
            (Some(own), _) => ProgramBase::Known(own.content.clone()),
            // Other work may be staged by now, and what is current for the engine is that.
            (None, ProgramBase::Current) => self.of_disk(&name),
            (None, base) => base,
        };
        if let Some(ProgramContent::File { bytes, .. }) = &after {
            self.bytes += bytes.len() as u64;
        }
        self.found.insert(name, (base, after));
        if self.found.len() > MAX_FILES {
            self.out.flood = Some(Flood::Files);
        } else if self.bytes > MAX_BYTES {
            self.out.flood = Some(Flood::Bytes);
        }
    }

    fn forget(&mut self, name: &str) {
        if let Some((_, Some(ProgramContent::File { bytes, .. }))) = self.found.remove(name) {
            self.bytes -= bytes.len() as u64;
        }
    }

    /// Returns whether a file is as the program found it.
    fn is_base(&self, name: &str, base: &ProgramBase, after: &Option<ProgramContent>) -> bool {
        match base {
            ProgramBase::Unknown => false,
            ProgramBase::Text(base) => match after {
                Some(ProgramContent::File { bytes, mode }) => {
                    base == bytes && self.mode_on_disk(name) == *mode
                }
                Some(ProgramContent::Link(_)) | None => false,
            },
            ProgramBase::Current => match after {
                None => self.disk.metadata(Path::new(name)).is_err(),
                Some(ProgramContent::File { bytes, mode }) => self.on_disk(name, bytes) == *mode,
                Some(ProgramContent::Link(target)) => {
                    self.link_on_disk(name).as_ref() == Some(target)
                }
            },
            ProgramBase::Known(base) => match (base, after) {
                (None, None) => true,
                (Some(ProgramContent::Link(base)), Some(ProgramContent::Link(after))) => {
                    base == after
                }
                (
                    Some(ProgramContent::File { bytes, mode }),
                    Some(ProgramContent::File {
                        bytes: after,
                        mode: now,
                    }),
                ) => {
                    let mode = mode.or_else(|| self.mode_on_disk(name));
                    bytes == after && (mode.is_none() || mode == *now)
                }
                _ => false,
            },
        }
    }

    /// Returns the permission bits of the file on disk, if it has these bytes.
    fn on_disk(&self, name: &str, bytes: &[u8]) -> Option<u32> {
        let own = Path::new(name);
        let on_disk = self.disk.metadata(own).ok()?;
        let length = bytes.len() as u64;
        let same = on_disk.is_file()
            && on_disk.len() == length
            && self
                .disk
                .read(own, length)
                .is_ok_and(|on_disk| on_disk == bytes);
        same.then(|| on_disk.permissions().mode() & PERMISSIONS)
    }

    /// Returns what a file is on disk, as what a program started from.
    fn of_disk(&self, name: &str) -> ProgramBase {
        let own = Path::new(name);
        match self.disk.metadata(own) {
            Err(_absent) => ProgramBase::Known(None),
            Ok(found) if found.is_symlink() => {
                ProgramBase::Known(self.link_on_disk(name).map(ProgramContent::Link))
            }
            Ok(found) => match self.disk.read(own, self.evidence.most_bytes) {
                Ok(bytes) => ProgramBase::Known(Some(ProgramContent::File {
                    bytes,
                    mode: Some(found.permissions().mode() & PERMISSIONS),
                })),
                Err(_unreadable) => ProgramBase::Current,
            },
        }
    }

    fn mode_on_disk(&self, name: &str) -> Option<u32> {
        let own = self.disk.metadata(Path::new(name)).ok();
        let own = own.filter(Metadata::is_file)?;
        Some(own.permissions().mode() & PERMISSIONS)
    }

    fn link_on_disk(&self, name: &str) -> Option<Vec<u8>> {
        self.disk.link(Path::new(name)).ok()
    }

    /// Notes files with staged work of which the layer has nothing.
    fn staged_and_gone(&mut self) {
        for own in self.evidence.staged {
            let path = Path::new(&own.path);
            if self.looked_at.contains(&own.path) {
                continue;
            }
            // The layer has it where nobody looks, as where files are ignored.
            match self.tree.found(path) {
                Ok(Some(metadata)) if metadata.is_file() => {
                    self.file(path, own.path.clone(), &metadata);
                }
                Ok(Some(metadata)) if metadata.is_symlink() => {
                    if let Ok(target) = self.tree.link(path) {
                        self.note(own.path.clone(), Some(ProgramContent::Link(target)));
                    }
                }
                Ok(Some(metadata)) if is_whiteout(&metadata) || metadata.is_dir() => {
                    self.note(own.path.clone(), None);
                }
                Ok(Some(_)) => self.refuse(path, Why::Special),
                // Whatever is on disk by now: the layer had it, and a folder that was not on disk then hides what is.
                Ok(None) => self.note(own.path.clone(), None),
                Err(_unreadable) => self.refuse(path, Why::Unreadable),
            }
        }
    }

    /// Returns how many folders around a file are gone, the innermost first.
    fn folders_gone(&self, path: &Path) -> usize {
        let folders = path.ancestors().skip(1);
        let folders = folders.take_while(|folder| !folder.as_os_str().is_empty());
        folders.take_while(|folder| !self.is_there(folder)).count()
    }

    fn is_there(&self, folder: &Path) -> bool {
        match self.tree.metadata(folder) {
            Ok(own) => own.is_dir(),
            Err(_) => {
                let on_disk = self.disk.metadata(folder);
                !self.is_hidden(folder) && on_disk.is_ok_and(|own| own.is_dir())
            }
        }
    }

    /// Returns whether the layer hides what is on disk here.
    fn is_hidden(&self, path: &Path) -> bool {
        match self.tree.metadata(path) {
            Ok(own) => is_whiteout(&own),
            Err(_) => path.ancestors().any(|folder| self.gone.contains(folder)),
        }
    }

    /// Notes that the files on disk below a folder are gone; what the layer has of them is found later.
    fn hidden(&mut self, folder: &Path) {
        self.gone.insert(folder.to_owned());
        let root = self.evidence.root;
        for entry in ignored::walk(&root.join(folder), self.evidence.reserved)
            .build()
            .flatten()
        {
            let path = entry.path().strip_prefix(root).ok();
            if let Some(path) = path.and_then(Path::to_str) {
                let own = self.disk.metadata(Path::new(path)).ok();
                self.gone(path.to_owned(), own.as_ref());
            }
        }
    }

    /// Returns whether nobody is asked about a path.
    fn is_unproposed(&self, path: &Path, metadata: &Metadata) -> bool {
        self.unproposed.names(path, metadata.is_dir())
    }

    fn into_collected(mut self) -> Collected {
        if self.out.flood.is_some() {
            return self.out;
        }
        self.take_unproposed();
        let found = std::mem::take(&mut self.found).into_iter();
        let each = found.map(|(path, (base, content))| ProgramFile {
            folders_gone: match content {
                None => self.folders_gone(Path::new(&path)),
                Some(_) => 0,
            },
            path,
            content,
            base,
        });
        self.out.changed = each.collect();
        self.out
    }
}

fn mode(own: &Metadata) -> u32 {
    own.permissions().mode() & PERMISSIONS
}
