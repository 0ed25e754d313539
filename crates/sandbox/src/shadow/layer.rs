//! The layer before a program runs: the staged texts, and ignored files of earlier programs.
//!
//! In: the workspace, the layer as the last program left it, staged texts. Out: a layer in which every
//! file that is not ignored reads as staged, or as it is on disk. The layer was written by programs: a link in
//! it is never followed.
//!
//! What goes out of the layer is moved to the trash and removed while the program runs: a file system that tells the disk
//! of every block that it frees (ext4 mounted with `discard`) takes up to 3 ms to remove a folder, half a minute for the
//! 10,000 that a program may have left.
//!
//! A file that an earlier program saw in another version keeps a copy in the layer with a new time, even where it
//! is the same as on disk: build tools compare times.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, FileType, Metadata};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use signoff_source::file::{ProgramContent, ProgramFile};

use super::beneath::{PERMISSIONS, Tree};
use super::discard;
use crate::ignored::Ignored;

/// The attribute that hides what is below a folder of the layer.
pub(super) const OPAQUE: &str = "user.overlay.opaque";

/// Those of a new file of which nothing is known.
const NEW_FILE: u32 = 0o644;

/// Names of folders that tools keep their caches in, each with a rule of its own in it that ignores it (pytest, mypy,
/// ruff, hypothesis), or so common that most projects ignore it.
const TOOL_CACHES: [&str; 5] = [
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    "__pycache__",
];

/// What a program writes and nobody is asked about: files that the rules on disk ignore, and caches of tools. Rules that
/// a program writes, or that are staged, do not count: it could hide what it changed.
#[derive(Debug)]
pub(super) struct Unproposed {
    ignored: Ignored,
    root: PathBuf,
}

impl Unproposed {
    /// Reads the rules of a workspace.
    pub(super) fn of(root: &Path) -> Self {
        Self {
            ignored: Ignored::around(root),
            root: root.to_owned(),
        }
    }

    /// Returns whether a path is one; what is in a folder that is one is not asked about.
    pub(super) fn names(&self, path: &Path, is_folder: bool) -> bool {
        let is_cache = TOOL_CACHES.iter().any(|name| path.ends_with(name));
        self.ignored.names(&self.root.join(path), is_folder)
            || (is_cache && is_folder && !self.root.join(path).exists())
    }
}

/// Maximum size of a file that keeps a copy in the layer, in bytes; a larger one is shown as it is on disk.
const MAX_KEPT: u64 = 8 << 20;

/// Returns the folders that are gone with a staged file if they are empty, the innermost first.
pub(super) fn folders_gone(staged: &ProgramFile) -> impl Iterator<Item = &Path> {
    let folders = Path::new(&staged.path).ancestors().skip(1);
    folders.take(staged.folders_gone)
}

/// Returns what a program finds of a staged file, with the permission bits filled in.
pub(super) fn found(staged: &ProgramFile, root: &Path) -> Option<ProgramContent> {
    staged.content.clone().map(|content| match content {
        ProgramContent::File { bytes, mode } => ProgramContent::File {
            bytes,
            mode: mode
                .or_else(|| {
                    let own = fs::symlink_metadata(root.join(&staged.path)).ok();
                    let own = own.filter(Metadata::is_file)?;
                    Some(own.permissions().mode() & PERMISSIONS)
                })
                .or(Some(NEW_FILE)),
        },
        link @ ProgramContent::Link(_) => link,
    })
}

/// Tells a file that stands for the absence of one below.
pub(super) fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

/// What a layer is to show, and what it showed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staging<'a> {
    /// What is staged.
    pub(super) staged: &'a [ProgramFile],
    /// Paths that were staged for the last program, or changed by it.
    pub(super) proposed: &'a BTreeSet<String>,
}

/// Makes the layer show the staged texts, and no other change but in ignored files. What goes is moved to the trash.
/// With `keeps_git` the repository is as the last program left it. What is `hidden` in git's folder is not there: a program that makes it anew, as hooks, may do so.
pub(super) fn stage(
    (root, hidden): (&Path, &[PathBuf]),
    keeps_git: bool,
    upper: &Tree,
    Staging { staged, proposed }: Staging<'_>,
    trash: &Tree,
) -> io::Result<()> {
    upper.set_mode(Path::new(""), fs::metadata(root)?.permissions().mode())?;
    let ignored = Unproposed::of(root);
    let wanted: BTreeMap<&str, &ProgramFile> = staged
        .iter()
        .map(|staged| (staged.path.as_str(), staged))
        .collect();
    let layer = Layer {
        disk: Tree::open(root)?,
        root,
        upper,
        trash,
        ignored,
        wanted,
        keeps_git,
    };
    layer.reset(Path::new(""))?;
    for path in proposed.iter().map(Path::new) {
        layer.reset_proposed(path)?;
    }
    staged.iter().try_for_each(|staged| layer.put(staged))?;
    layer.hide(in_git(root, hidden))?;
    let mut folders = staged.iter().flat_map(folders_gone);
    folders.try_for_each(|folder| layer.take_folder(folder))
}

/// Makes the layer of git's folder `common`, outside of the workspace, empty but for what is `hidden`; with `keeps_git` as the
/// last program left it.
pub(super) fn stage_git(
    common: &Path,
    hidden: impl Iterator<Item = PathBuf>,
    keeps_git: bool,
    upper: &Tree,
    trash: &Tree,
) -> io::Result<()> {
    upper.set_mode(Path::new(""), fs::metadata(common)?.permissions().mode())?;
    if !keeps_git {
        for name in upper.names(Path::new(""))? {
            discard::set_aside(upper, Path::new(&name), trash)?;
        }
    }
    let layer = Layer {
        disk: Tree::open(common)?,
        root: common,
        upper,
        trash,
        ignored: Unproposed::of(common),
        wanted: BTreeMap::new(),
        keeps_git,
    };
    layer.hide(hidden)
}

/// Returns the paths that are hidden in git's folder, relative to the workspace.
pub(super) fn in_git(root: &Path, hidden: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let own = hidden
        .iter()
        .filter_map(move |path| path.strip_prefix(root).ok());
    let own = own.filter(|path| path.starts_with(".git") && *path != Path::new(".git"));
    own.map(Path::to_owned).collect::<Vec<_>>().into_iter()
}

struct Layer<'a> {
    /// Whether the workspace's own repository is to be found as the last program left it.
    keeps_git: bool,
    /// The workspace, through no link: a link where the layer has a folder leads to what is not the workspace's.
    disk: Tree,
    root: &'a Path,
    upper: &'a Tree,
    trash: &'a Tree,
    ignored: Unproposed,
    wanted: BTreeMap<&'a str, &'a ProgramFile>,
}

impl Layer<'_> {
    /// Hides these files and folders.
    fn hide(&self, mut hidden: impl Iterator<Item = PathBuf>) -> io::Result<()> {
        hidden.try_for_each(|path| {
            self.folders(&path)?;
            self.whiteout(&path)
        })
    }

    /// Takes out of a folder what is neither ignored nor staged.
    fn reset(&self, folder: &Path) -> io::Result<()> {
        for name in self.upper.names(folder)? {
            let path = folder.join(&name);
            let kind = self.upper.metadata(&path)?.file_type();
            if name == ".git" && !(self.keeps_git && folder.as_os_str().is_empty()) {
                discard::set_aside(self.upper, &path, self.trash)?;
            } else if name != ".git" && !self.ignored.names(&path, kind.is_dir()) {
                self.reset_entry(&path, kind)?;
            } else if kind.is_dir() {
                // An earlier program may have closed it.
                self.upper.open_up(&path)?;
            }
        }
        Ok(())
    }

    /// Takes out an ignored file that was proposed: what was denied of it is not the next program's.
    fn reset_proposed(&self, path: &Path) -> io::Result<()> {
        let mut around = path.ancestors().skip(1);
        let is_ignored = self.ignored.names(path, false)
            || around.any(|folder| self.ignored.names(folder, true));
        match self.upper.found(path)? {
            Some(own) if is_ignored && !own.is_dir() => self.reset_entry(path, own.file_type()),
            Some(_) | None => Ok(()),
        }
    }

    fn reset_entry(&self, path: &Path, kind: FileType) -> io::Result<()> {
        let below = self.disk.metadata(path).ok();
        if kind.is_dir() {
            // A folder that was made anew shows what is below it again.
            let _transparent = self.upper.clear_attribute(path, OPAQUE);
            let as_on_disk = below.filter(Metadata::is_dir);
            if let Some(as_on_disk) = &as_on_disk {
                self.upper.set_mode(path, as_on_disk.permissions().mode())?;
            }
            self.reset(path)?;
            // What is ignored in it keeps it.
            let is_empty = self.upper.names(path)?.is_empty();
            if as_on_disk.is_none() && is_empty {
                discard::set_aside(self.upper, path, self.trash)?;
            }
            return Ok(());
        }
        if path
            .to_str()
            .is_some_and(|path| self.wanted.contains_key(path))
        {
            return Ok(());
        }
        match below.filter(Metadata::is_file) {
            Some(metadata) if kind.is_file() && metadata.len() <= MAX_KEPT => {
                let bytes = self.disk.read(path, MAX_KEPT)?;
                self.write(path, &bytes, metadata.permissions().mode() & PERMISSIONS)
            }
            _ => discard::set_aside(self.upper, path, self.trash),
        }
    }

    /// Puts a staged text, or its absence, into the layer.
    fn put(&self, staged: &ProgramFile) -> io::Result<()> {
        let path = Path::new(&staged.path);
        let on_disk = self.disk.metadata(path).ok();
        let Some(content) = found(staged, self.root) else {
            if on_disk.is_none() {
                return self.upper.remove(path);
            }
            if self.upper.metadata(path).is_ok_and(|own| is_whiteout(&own)) {
                return Ok(());
            }
            self.folders(path)?;
            return self.whiteout(path);
        };
        self.folders(path)?;
        match content {
            ProgramContent::File { bytes, mode } => {
                self.write(path, &bytes, mode.unwrap_or(NEW_FILE))
            }
            ProgramContent::Link(target) => self.link(path, &target),
        }
    }

    /// Takes a folder out of which nothing is left.
    fn take_folder(&self, folder: &Path) -> io::Result<()> {
        let trees = [self.upper, &self.disk];
        if !trees
            .iter()
            .all(|tree| tree.metadata(folder).is_ok_and(|own| own.is_dir()))
        {
            return Ok(());
        }
        for name in trees
            .map(|tree| tree.names(folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            let entry = self.upper.metadata(&folder.join(name));
            if !entry.is_ok_and(|entry| is_whiteout(&entry)) {
                return Ok(());
            }
        }
        self.whiteout(folder)
    }

    /// Writes a file, unless it is there with these bytes and permissions.
    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
        if self.is_there(path, bytes, mode) {
            return Ok(());
        }
        discard::set_aside(self.upper, path, self.trash)?;
        self.upper.create_new(path, mode)?.write_all(bytes)
    }

    /// Returns whether a file has these bytes and permissions.
    fn is_there(&self, path: &Path, bytes: &[u8], mode: u32) -> bool {
        let length = bytes.len() as u64;
        self.upper.metadata(path).is_ok_and(|own| {
            own.is_file() && own.len() == length && own.permissions().mode() & PERMISSIONS == mode
        }) && self.upper.read(path, length).is_ok_and(|own| own == bytes)
    }

    /// Makes a symbolic link, unless it is there with this target.
    fn link(&self, path: &Path, target: &[u8]) -> io::Result<()> {
        if self.upper.link(path).is_ok_and(|own| own == target) {
            return Ok(());
        }
        self.upper.remove(path)?;
        self.upper.make_link(path, OsStr::from_bytes(target))
    }

    /// Makes the folders of a path, each as it is on disk.
    fn folders(&self, path: &Path) -> io::Result<()> {
        let mut folder = PathBuf::new();
        let parent = path.parent().unwrap_or(Path::new(""));
        for part in parent.components() {
            let Component::Normal(name) = part else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            folder.push(name);
            if self.upper.metadata(&folder).is_ok_and(|own| own.is_dir()) {
                continue;
            }
            self.upper.remove(&folder)?;
            self.upper.make_folder(&folder)?;
            if let Ok(metadata) = self.disk.metadata(&folder)
                && metadata.is_dir()
            {
                self.upper
                    .set_mode(&folder, metadata.permissions().mode())?;
            }
        }
        Ok(())
    }

    /// Makes a whiteout: what hides a file or folder below the layer.
    fn whiteout(&self, path: &Path) -> io::Result<()> {
        discard::set_aside(self.upper, path, self.trash)?;
        self.upper.make_whiteout(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_is_moved_to_the_trash_and_what_is_ignored_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["root/old", "upper/new/deep", "upper/old", "upper/mixed"] {
            fs::create_dir_all(at(folder.path(), name)).expect("a folder");
        }
        for (name, text) in [
            ("root/.gitignore", "*.log\n"),
            ("root/old/kept", "disk\n"),
            ("upper/old/kept", "changed\n"),
            ("upper/new/file", "x\n"),
            ("upper/mixed/file", "x\n"),
            ("upper/mixed/x.log", "x\n"),
            ("upper/denied.log", "x\n"),
        ] {
            fs::write(at(folder.path(), name), text).expect("a file");
        }
        let tree = Tree::open(folder.path()).expect("a tree");
        let [upper, trash] = ["upper", "trash"].map(|name| {
            let opened = tree.make_below(Path::new(name), 0o700);
            opened.expect("a folder")
        });
        stage(
            (&at(folder.path(), "root"), &[]),
            false,
            &upper,
            Staging {
                staged: &[],
                proposed: &BTreeSet::from(["denied.log".to_owned()]),
            },
            &trash,
        )
        .expect("it is staged");
        for (name, is_there) in [
            ("upper/new", false),
            ("upper/mixed/file", false),
            ("upper/mixed/x.log", true),
            ("upper/denied.log", false),
        ] {
            assert_eq!(at(folder.path(), name).exists(), is_there, "{name}");
        }
        let kept = fs::read_to_string(at(folder.path(), "upper/old/kept")).expect("a file");
        assert_eq!(kept, "disk\n");
        // The files `new/file`, `mixed/file` and `denied.log`, the folders `new/deep` and `new`, and what `old/kept` was: nothing is
        // removed one by one.
        assert_eq!(
            fs::read_dir(at(folder.path(), "trash"))
                .expect("the trash")
                .count(),
            6
        );
    }

    fn at(folder: &Path, name: &str) -> PathBuf {
        folder.join(name)
    }
}
