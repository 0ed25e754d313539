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

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, FileType, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, mknodat};
use signoff_source::file::{ProgramContent, ProgramFile};

use super::beneath::Tree;
use super::discard;
use crate::ignored::Ignored;

/// The attribute that hides what is below a folder of the layer.
pub(super) const OPAQUE: &str = "user.overlay.opaque";

/// The permission bits of a mode.
pub(super) const PERMISSIONS: u32 = 0o7777;
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
    let on_disk = || {
        let own = fs::symlink_metadata(root.join(&staged.path)).ok();
        let own = own.filter(Metadata::is_file)?;
        Some(own.permissions().mode() & PERMISSIONS)
    };
    staged.content.clone().map(|content| match content {
        ProgramContent::File { bytes, mode } => ProgramContent::File {
            bytes,
            mode: mode.or_else(on_disk).or(Some(NEW_FILE)),
        },
        link @ ProgramContent::Link(_) => link,
    })
}

/// Tells a file that stands for the absence of one below.
pub(super) fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

/// Removes a file or folder, if there is one; links are not followed.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => open_up(path).and_then(|()| fs::remove_dir_all(path)),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives this user all rights on the folders of a tree, so that it can be removed.
fn open_up(folder: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(folder)?.permissions().mode();
    if mode & 0o700 != 0o700 {
        fs::set_permissions(folder, Permissions::from_mode(mode | 0o700))?;
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

/// Makes the layer show the staged texts, and no other change but in ignored files. What goes is moved to the trash.
/// What is `hidden` in git's folder is not there: a program that makes it anew, as hooks, may do so.
pub(super) fn stage(
    (root, hidden): (&Path, &[PathBuf]),
    upper: &Path,
    staged: &[ProgramFile],
    trash: &Path,
) -> io::Result<()> {
    fs::create_dir_all(upper)?;
    fs::set_permissions(upper, fs::metadata(root)?.permissions())?;
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
    };
    layer.reset(Path::new(""))?;
    staged.iter().try_for_each(|staged| layer.put(staged))?;
    for path in in_git(root, hidden) {
        folders(root, upper, &path)?;
        layer.whiteout(&upper.join(path))?;
    }
    let mut folders = staged.iter().flat_map(folders_gone);
    folders.try_for_each(|folder| layer.take_folder(folder))
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
    /// The workspace, through no link: a link where the layer has a folder leads to what is not the workspace's.
    disk: Tree,
    root: &'a Path,
    upper: &'a Path,
    trash: &'a Path,
    ignored: Unproposed,
    wanted: BTreeMap<&'a str, &'a ProgramFile>,
}

impl Layer<'_> {
    /// Takes out of a folder what is neither ignored nor staged.
    fn reset(&self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(self.upper.join(folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type()?;
            if entry.file_name() == ".git" {
                discard::set_aside(&entry.path(), self.trash)?;
            } else if !self.ignored.names(&path, kind.is_dir()) {
                self.reset_entry(&path, kind)?;
            } else if kind.is_dir() {
                usable(&entry.path())?;
            }
        }
        Ok(())
    }

    fn reset_entry(&self, path: &Path, kind: FileType) -> io::Result<()> {
        let own = self.upper.join(path);
        let below = self.disk.metadata(path).ok();
        if kind.is_dir() {
            // A folder that was made anew shows what is below it again.
            let _transparent = rustix::fs::lremovexattr(&own, OPAQUE);
            let as_on_disk = below.filter(Metadata::is_dir);
            if let Some(as_on_disk) = &as_on_disk {
                fs::set_permissions(&own, as_on_disk.permissions())?;
            }
            self.reset(path)?;
            // What is ignored in it keeps it.
            let is_empty = fs::read_dir(&own)?.next().is_none();
            if as_on_disk.is_none() && is_empty {
                discard::set_aside(&own, self.trash)?;
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
                self.write(&own, &bytes, metadata.permissions().mode() & PERMISSIONS)
            }
            _ => discard::set_aside(&own, self.trash),
        }
    }

    /// Puts a staged text, or its absence, into the layer.
    fn put(&self, staged: &ProgramFile) -> io::Result<()> {
        let path = Path::new(&staged.path);
        let on_disk = self.disk.metadata(path).ok();
        let own = self.upper.join(path);
        let Some(content) = found(staged, self.root) else {
            if on_disk.is_none() {
                return remove(&own);
            }
            if fs::symlink_metadata(&own).is_ok_and(|own| is_whiteout(&own)) {
                return Ok(());
            }
            folders(self.root, self.upper, path)?;
            return self.whiteout(&own);
        };
        folders(self.root, self.upper, path)?;
        match content {
            ProgramContent::File { bytes, mode } => {
                self.write(&own, &bytes, mode.unwrap_or(NEW_FILE))
            }
            ProgramContent::Link(target) => link(&own, as_path(&target)),
        }
    }

    /// Takes a folder out of which nothing is left.
    fn take_folder(&self, folder: &Path) -> io::Result<()> {
        let (own, below) = (self.upper.join(folder), self.root.join(folder));
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|own| own.is_dir());
        if !is_folder(&own) || !is_folder(&below) {
            return Ok(());
        }
        for entry in fs::read_dir(&own)?.chain(fs::read_dir(&below)?) {
            let entry = fs::symlink_metadata(own.join(entry?.file_name()));
            if !entry.is_ok_and(|entry| is_whiteout(&entry)) {
                return Ok(());
            }
        }
        self.whiteout(&own)
    }

    /// Writes a file, unless it is there with these bytes and permissions.
    fn write(&self, own: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
        if is_there(own, bytes, mode) {
            return Ok(());
        }
        discard::set_aside(own, self.trash)?;
        create(own, bytes, mode)
    }

    /// Makes a whiteout: what hides a file or folder below the layer.
    fn whiteout(&self, own: &Path) -> io::Result<()> {
        discard::set_aside(own, self.trash)?;
        let kind = rustix::fs::FileType::CharacterDevice;
        mknodat(CWD, own, kind, Mode::empty(), 0)?;
        Ok(())
    }
}

/// Gives this user all rights on a folder that an earlier program may have closed.
fn usable(folder: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(folder)?.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    fs::set_permissions(folder, Permissions::from_mode(mode | 0o700))
}

/// Makes the folders of a path, each as it is on disk.
pub(super) fn folders(root: &Path, layer: &Path, path: &Path) -> io::Result<()> {
    let mut folder = layer.to_owned();
    let mut below = root.to_owned();
    let parent = path.parent().unwrap_or(Path::new(""));
    for part in parent.components() {
        let Component::Normal(name) = part else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        folder.push(name);
        below.push(name);
        if fs::symlink_metadata(&folder).is_ok_and(|own| own.is_dir()) {
            continue;
        }
        remove(&folder)?;
        fs::create_dir(&folder)?;
        if let Ok(metadata) = fs::symlink_metadata(&below)
            && metadata.is_dir()
        {
            fs::set_permissions(&folder, metadata.permissions())?;
        }
    }
    Ok(())
}

/// Makes a symbolic link, unless it is there with this target.
pub(super) fn link(path: &Path, target: &OsStr) -> io::Result<()> {
    if fs::read_link(path).is_ok_and(|own| own == target) {
        return Ok(());
    }
    remove(path)?;
    symlink(target, path)
}

/// Returns the target of a link.
pub(super) fn as_path(target: &[u8]) -> &OsStr {
    OsStr::from_bytes(target)
}

/// Returns whether a file has these bytes and permissions.
fn is_there(path: &Path, bytes: &[u8], mode: u32) -> bool {
    fs::symlink_metadata(path).is_ok_and(|own| {
        own.is_file()
            && own.len() == bytes.len() as u64
            && own.permissions().mode() & PERMISSIONS == mode
            && fs::read(path).is_ok_and(|own| own == bytes)
    })
}

fn create(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    fs::write(path, bytes)?;
    fs::set_permissions(path, Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_is_moved_to_the_trash_and_what_is_ignored_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["root/old", "upper/new/deep", "upper/old", "upper/mixed"] {
            fs::create_dir_all(at(name)).expect("a folder");
        }
        for (name, text) in [
            ("root/.gitignore", "*.log\n"),
            ("root/old/kept", "disk\n"),
            ("upper/old/kept", "changed\n"),
            ("upper/new/file", "x\n"),
            ("upper/mixed/file", "x\n"),
            ("upper/mixed/x.log", "x\n"),
        ] {
            fs::write(at(name), text).expect("a file");
        }
        stage((&at("root"), &[]), &at("upper"), &[], &at("trash")).expect("it is staged");
        for (name, is_there) in [
            ("upper/new", false),
            ("upper/mixed/file", false),
            ("upper/mixed/x.log", true),
        ] {
            assert_eq!(at(name).exists(), is_there, "{name}");
        }
        let kept = fs::read_to_string(at("upper/old/kept")).expect("a file");
        assert_eq!(kept, "disk\n");
        // The files `new/file` and `mixed/file`, the folders `new/deep` and `new`, and what `old/kept` was: nothing is
        // removed one by one.
        assert_eq!(fs::read_dir(at("trash")).expect("the trash").count(), 5);
    }
}
