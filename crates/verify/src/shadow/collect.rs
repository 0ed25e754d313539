//! What a program changed: the layer compared with the workspace.
//!
//! In: the layer, the workspace. Out: files with their bytes, those that cannot be told as bytes, and
//! counts of the ignored ones. Only what is in the layer is looked at, so that the work is in
//! proportion to what was written. Nothing in the layer is trusted: no link is followed, and no pipe is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::copy::Manifest;
use super::layer::{Content, OPAQUE, PERMISSIONS, Staged, is_whiteout};
use crate::ignored::{self, Ignored};
use crate::regular;

/// Entries of ignored folders that are counted; beyond that the count is a lower bound.
const MAX_COUNTED: usize = 200_000;

/// What a program left in the shadow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Files that the program changed, by path.
    pub changed: Vec<Changed>,
    /// What differs and is not told as bytes.
    pub not_collected: Vec<NotCollected>,
    /// Ignored files, which stay in the layer.
    pub kept: Kept,
    /// Whether something in git's own folder was written; that is dropped.
    pub git: bool,
}

/// A file after the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Path relative to the workspace, with `/` between its parts.
    pub path: String,
    /// What it is now.
    pub after: After,
}

/// What a file is after the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// It is not there, and neither are as many of the folders that it was in, the innermost first.
    Gone(usize),
    /// It has these bytes and permission bits.
    File(Vec<u8>, u32),
    /// It is a symbolic link with this target.
    Link(Vec<u8>),
}

/// A difference that is not told as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCollected {
    /// Path relative to the workspace.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// Why a difference is not told as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It is larger than files may be.
    #[error("it has {0} bytes")]
    TooLarge(u64),
    /// A pipe, a socket or a device.
    #[error("it is a pipe, a socket or a device")]
    Special,
    /// Its name is no text.
    #[error("its name is not UTF-8")]
    Name,
}

/// Ignored files in the layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// How many.
    pub files: usize,
    /// Their bytes together.
    pub bytes: u64,
    /// The outermost ignored files and folders.
    pub paths: Vec<String>,
}

pub(super) fn collect(
    root: &Path,
    upper: &Path,
    staged: &[Staged],
    most_bytes: u64,
    copied: Option<&Manifest>,
) -> io::Result<Collected> {
    let mut walk = Walk {
        root,
        upper,
        copied,
        now: Ignored::layered(root, upper),
        before: Ignored::around(root),
        most_bytes,
        found: BTreeMap::new(),
        gone: BTreeSet::new(),
        out: Collected::default(),
    };
    walk.folder(Path::new(""))?;
    if let Some(copied) = copied {
        walk.missing(copied);
        walk.out.git = copied.is_git_touched(upper);
    }
    for own in staged {
        if !walk.found.contains_key(&own.path) {
            if walk.is_untouched(Path::new(&own.path)) {
                continue;
            }
            walk.as_on_disk(&own.path)?;
        }
        let is_as_found = match (walk.found.get(&own.path), own.found(root)) {
            (
                Some(After::File(bytes, mode)),
                Some(Content::File {
                    bytes: own,
                    mode: Some(found),
                }),
            ) => *bytes == own && *mode == found,
            (Some(After::Link(target)), Some(Content::Link(own))) => *target == own,
            (Some(After::Gone(_)) | None, None) => true,
            _ => false,
        };
        if is_as_found {
            walk.found.remove(&own.path);
        }
    }
    let found = std::mem::take(&mut walk.found).into_iter();
    let found: Vec<(String, After)> = found
        .map(|(path, after)| match after {
            After::Gone(_) => {
                let folders = walk.folders_gone(Path::new(&path));
                (path, After::Gone(folders))
            }
            after => (path, after),
        })
        .collect();
    let mut out = walk.out;
    out.changed = found
        .into_iter()
        .map(|(path, after)| Changed { path, after })
        .collect();
    Ok(out)
}

struct Walk<'a> {
    root: &'a Path,
    upper: &'a Path,
    /// The files before the program, where the layer is a copy of the workspace.
    copied: Option<&'a Manifest>,
    /// Ignore files as they are after the program.
    now: Ignored,
    /// Ignore files on disk.
    before: Ignored,
    most_bytes: u64,
    found: BTreeMap<String, After>,
    /// Folders on disk whose files were looked at because the layer hides them.
    gone: BTreeSet<PathBuf>,
    out: Collected,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut entries: Vec<_> =
            fs::read_dir(self.upper.join(folder))?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = folder.join(entry.file_name());
            // Not through a link: this is the entry itself.
            self.entry(&path, &entry.metadata()?)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, metadata: &Metadata) -> io::Result<()> {
        if path.file_name().is_some_and(|name| name == ".git") {
            self.out.git = true;
            return Ok(());
        }
        let is_untouched = |copied: &Manifest| copied.is_untouched(path, metadata);
        if self.copied.is_some_and(is_untouched) {
            return Ok(());
        }
        if self.is_ignored(path, metadata) {
            self.keep(path);
            return Ok(());
        }
        let Some(name) = path.to_str().map(str::to_owned) else {
            let path = path.to_string_lossy().into_owned();
            self.out.not_collected.push(NotCollected {
                path,
                why: Why::Name,
            });
            return Ok(());
        };
        let below = fs::symlink_metadata(self.root.join(path)).ok();
        let kind = metadata.file_type();
        // A folder that is something else now, or is made anew, takes its files along.
        let was_folder = below.as_ref().is_some_and(Metadata::is_dir);
        if was_folder && (!kind.is_dir() || self.is_opaque(path)) {
            self.hidden(path);
        }
        // It may be one of the files that were hidden, and be there again.
        self.found.remove(&name);
        if is_whiteout(metadata) {
            self.gone(name, below.as_ref());
        } else if kind.is_dir() {
            self.gone(name, below.as_ref());
            self.folder(path)?;
        } else if kind.is_file() {
            self.file(path, name, metadata)?;
        } else if kind.is_symlink() {
            if let Some(after) = self.link(path) {
                self.found.insert(name, after);
            }
        } else {
            self.out.not_collected.push(NotCollected {
                path: name,
                why: Why::Special,
            });
        }
        Ok(())
    }

    /// Notes that what was no folder on disk is gone.
    fn gone(&mut self, name: String, below: Option<&Metadata>) {
        if below.is_some_and(|below| !below.is_dir()) {
            self.found.insert(name, After::Gone(0));
        }
    }

    /// Returns a link of the layer, if it is another one than on disk.
    fn link(&self, path: &Path) -> Option<After> {
        let target = fs::read_link(self.upper.join(path)).ok()?;
        let is_new = fs::read_link(self.root.join(path)).ok().as_ref() != Some(&target);
        is_new.then(|| After::Link(target.into_os_string().into_vec()))
    }

    fn file(&mut self, path: &Path, name: String, metadata: &Metadata) -> io::Result<()> {
        if metadata.len() > self.most_bytes {
            let why = Why::TooLarge(metadata.len());
            self.out
                .not_collected
                .push(NotCollected { path: name, why });
            return Ok(());
        }
        let bytes = regular::read(&self.upper.join(path), self.most_bytes)?;
        let mode = metadata.permissions().mode() & PERMISSIONS;
        if self.on_disk(path, &bytes) != Some(mode) {
            self.found.insert(name, After::File(bytes, mode));
        }
        Ok(())
    }

    /// Returns the permission bits of the file on disk, if it has these bytes.
    fn on_disk(&self, path: &Path, bytes: &[u8]) -> Option<u32> {
        let below = self.root.join(path);
        let on_disk = fs::symlink_metadata(&below).ok()?;
        let same = on_disk.is_file()
            && on_disk.len() == bytes.len() as u64
            && fs::read(&below).is_ok_and(|on_disk| on_disk == bytes);
        same.then(|| on_disk.permissions().mode() & PERMISSIONS)
    }

    /// Returns whether a file of a copy is as it was before the program.
    fn is_untouched(&self, path: &Path) -> bool {
        let own = || fs::symlink_metadata(self.upper.join(path)).ok();
        let is_untouched = |copied: &Manifest| Some(copied.is_untouched(path, &own()?));
        self.copied.and_then(is_untouched).unwrap_or(false)
    }

    /// Notes the files that a copy has lost.
    fn missing(&mut self, copied: &Manifest) {
        for path in copied.paths() {
            let is_gone = fs::symlink_metadata(self.upper.join(path)).is_err();
            let own = fs::symlink_metadata(self.root.join(path)).ok();
            if let (true, Some(name)) = (is_gone, path.to_str()) {
                self.gone(name.to_owned(), own.as_ref());
            }
        }
    }

    /// Notes a file with staged work of which the layer has nothing, or the same as the disk.
    fn as_on_disk(&mut self, path: &str) -> io::Result<()> {
        let own = self.root.join(path);
        let after = match fs::symlink_metadata(&own) {
            Ok(metadata) if metadata.is_file() && !self.is_hidden(Path::new(path)) => {
                let bytes = regular::read(&own, self.most_bytes)?;
                After::File(bytes, metadata.permissions().mode() & PERMISSIONS)
            }
            Ok(metadata) if metadata.is_symlink() && !self.is_hidden(Path::new(path)) => {
                After::Link(fs::read_link(&own)?.into_os_string().into_vec())
            }
            _ => After::Gone(0),
        };
        self.found.insert(path.to_owned(), after);
        Ok(())
    }

    /// Returns how many folders around a file are gone, the innermost first.
    fn folders_gone(&self, path: &Path) -> usize {
        let folders = path.ancestors().skip(1);
        let folders = folders.take_while(|folder| !folder.as_os_str().is_empty());
        let is_there = |folder: &Path| match fs::symlink_metadata(self.upper.join(folder)) {
            Ok(own) => own.is_dir(),
            Err(_) => !self.is_hidden(folder) && self.root.join(folder).is_dir(),
        };
        folders.take_while(|folder| !is_there(folder)).count()
    }

    /// Returns whether the layer hides what is on disk here. A copy hides what it has not.
    fn is_hidden(&self, path: &Path) -> bool {
        match fs::symlink_metadata(self.upper.join(path)) {
            Ok(own) => is_whiteout(&own),
            Err(_) => {
                self.copied.is_some() || path.ancestors().any(|folder| self.gone.contains(folder))
            }
        }
    }

    /// Notes that the files on disk below a folder are gone; what the layer has of them is found later.
    fn hidden(&mut self, folder: &Path) {
        self.gone.insert(folder.to_owned());
        for entry in ignored::walk(&self.root.join(folder)).build().flatten() {
            let own = fs::symlink_metadata(entry.path()).ok();
            let path = entry.path().strip_prefix(self.root).ok();
            if let Some(path) = path.and_then(Path::to_str) {
                self.gone(path.to_owned(), own.as_ref());
            }
        }
    }

    fn is_opaque(&self, folder: &Path) -> bool {
        let mut value = [0_u8; 1];
        let read = rustix::fs::lgetxattr(self.upper.join(folder), OPAQUE, &mut value);
        read.is_ok_and(|length| length == 1 && value == *b"y")
    }

    /// Returns whether a path is ignored now, and was not a file that was not ignored.
    fn is_ignored(&self, path: &Path, metadata: &Metadata) -> bool {
        let below = self.root.join(path);
        let names = |ignored: &Ignored| ignored.names(&below, metadata.is_dir());
        names(&self.now) && (!below.exists() || names(&self.before))
    }

    /// Counts what is ignored.
    fn keep(&mut self, path: &Path) {
        let is_shared = |target: &PathBuf| *target == self.root.join(path);
        if self.copied.is_some()
            && fs::read_link(self.upper.join(path)).is_ok_and(|own| is_shared(&own))
        {
            return;
        }
        let kept = &mut self.out.kept;
        kept.paths.push(path.to_string_lossy().into_owned());
        let mut left = vec![self.upper.join(path)];
        while let Some(path) = left.pop() {
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                continue;
            };
            if metadata.is_dir() && kept.files < MAX_COUNTED {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            } else if !is_whiteout(&metadata) {
                kept.files += 1;
                kept.bytes += metadata.len();
            }
        }
    }
}
