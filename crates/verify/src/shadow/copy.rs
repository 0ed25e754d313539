//! A copy of the workspace, for systems without an overlay file system.
//!
//! In: the workspace, the copy as the last program left it, staged texts. Out: a copy in which every file that is
//! not ignored reads as staged, or as it is on disk, and a [`Manifest`] that tells later what was touched. Where
//! the file system can, a copied file shares its blocks with the first one (`copy_file_range`, `clonefile`). The
//! copy was written by programs: no link in it is followed.
//!
//! Build output stays from program to program. Installed packages are linked to, since they are large; the link
//! leads to files that a program in a copy cannot write.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, FileTimes, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use signoff_source::file::{FileStamp, ProgramContent, ProgramFile};
use signoff_source::path::reserved::ReservedFolders;

use super::layer::{self, PERMISSIONS, Unproposed, folders_gone, remove};
use crate::regular;

/// Maximum number of bytes and files that are copied.
const MAX_BYTES: u64 = 2 << 30;
const MAX_FILES: usize = 200_000;
/// Ignored folders that are linked to: what a package manager has installed, and programs only read.
const SHARED: [&str; 3] = ["node_modules", ".venv", "venv"];
/// Maximum size of an ignored file that is copied, in bytes: `.env` and other settings, not build output.
const MAX_IGNORED: u64 = 64 * 1024;
/// What of a repository is copied; its objects are read where they are.
const GIT: [&str; 6] = ["HEAD", "config", "index", "packed-refs", "shallow", "info"];
/// Maximum size of one file of that, in bytes.
const MAX_GIT: u64 = 256 << 20;

/// The files of a copy before a program runs.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    files: BTreeMap<PathBuf, FileStamp>,
    git: BTreeMap<PathBuf, FileStamp>,
}

impl Manifest {
    /// Returns whether a file is as it was before the program.
    pub(super) fn is_untouched(&self, path: &Path, metadata: &Metadata) -> bool {
        self.files.get(path) == Some(&FileStamp::of(metadata))
    }

    /// Returns the files that there were.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Returns whether something in git's own folder was written.
    pub(super) fn is_git_touched(&self, copy: &Path) -> bool {
        stamps(&copy.join(".git")) != self.git
    }
}

/// Brings a copy up to date with the workspace, and puts the staged files into it.
pub(super) fn stage(
    (root, reserved): (&Path, &ReservedFolders),
    copy: &Path,
    staged: &[ProgramFile],
) -> io::Result<Manifest> {
    fs::create_dir_all(copy)?;
    let wanted = staged.iter().map(|own| (Path::new(&own.path), own));
    let mut sync = Sync {
        root,
        reserved,
        copy,
        ignored: Unproposed::of(root),
        wanted: wanted.collect(),
        files: 0,
        bytes: 0,
        manifest: Manifest::default(),
    };
    sync.folder(Path::new(""))?;
    for own in staged {
        sync.put(own)?;
    }
    for folder in staged.iter().flat_map(folders_gone) {
        // What is ignored in it keeps it.
        let _kept = fs::remove_dir(copy.join(folder));
    }
    git(&root.join(".git"), &copy.join(".git"))?;
    sync.manifest.git = stamps(&copy.join(".git"));
    Ok(sync.manifest)
}

struct Sync<'a> {
    root: &'a Path,
    /// Folders of which nothing is copied.
    reserved: &'a ReservedFolders,
    copy: &'a Path,
    ignored: Unproposed,
    wanted: BTreeMap<&'a Path, &'a ProgramFile>,
    files: usize,
    bytes: u64,
    manifest: Manifest,
}

impl Sync<'_> {
    fn folder(&mut self, folder: &Path) -> io::Result<()> {
        let mut known: Vec<OsString> = Vec::new();
        for entry in fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            known.push(entry.file_name());
            if entry.file_name() != ".git" {
                self.entry(&path, &entry.metadata()?)?;
            }
        }
        for entry in fs::read_dir(self.copy.join(folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type()?.is_dir();
            if !known.contains(&entry.file_name())
                && !self.ignored.names(&path, is_folder)
                && !self.is_wanted(&path)
            {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Returns whether a path is that of a staged file, or of a folder around one.
    fn is_wanted(&self, path: &Path) -> bool {
        let mut from = self.wanted.range(path..);
        from.next().is_some_and(|(own, _)| own.starts_with(path))
    }

    fn entry(&mut self, path: &Path, metadata: &Metadata) -> io::Result<()> {
        let (from, to) = (self.root.join(path), self.copy.join(path));
        let identity = (metadata.dev(), metadata.ino());
        if self.reserved.is_one(&from) || self.reserved.has(identity) {
            return Ok(());
        }
        let own = fs::symlink_metadata(&to).ok();
        let is_ignored = self.ignored.names(path, metadata.is_dir());
        if is_ignored && metadata.is_dir() {
            let is_shared = SHARED.iter().any(|name| path.ends_with(name));
            return if is_shared && own.is_none() {
                symlink(from, to)
            } else {
                Ok(())
            };
        }
        let is_settings = metadata.is_file() && metadata.len() <= MAX_IGNORED && own.is_none();
        if is_ignored && !is_settings || self.wanted.contains_key(path) {
            return Ok(());
        }
        if metadata.is_dir() {
            if !own.is_some_and(|own| own.is_dir()) {
                remove(&to)?;
                fs::create_dir(&to)?;
            }
            return self.folder(path);
        }
        if metadata.is_symlink() {
            layer::link(&to, fs::read_link(&from)?.as_os_str())?;
        } else if metadata.is_file() {
            self.file(&from, metadata, (&to, own))?;
        } else {
            return Ok(());
        }
        self.note(path)
    }

    fn file(
        &mut self,
        from: &Path,
        metadata: &Metadata,
        (to, own): (&Path, Option<Metadata>),
    ) -> io::Result<()> {
        self.files += 1;
        self.bytes += metadata.len();
        if self.files > MAX_FILES || self.bytes > MAX_BYTES {
            return Err(io::Error::other(
                "the workspace has more files, or larger ones, than are copied for a program",
            ));
        }
        let mode = |of: &Metadata| of.permissions().mode() & PERMISSIONS;
        let is_same = |own: &Metadata| {
            let alike = own.is_file() && own.len() == metadata.len() && mode(own) == mode(metadata);
            alike
                && (modified(own) == modified(metadata) || fs::read(from).ok() == fs::read(to).ok())
        };
        if own.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        remove(to)?;
        fs::copy(from, to)?;
        if own.is_none() {
            // Where an earlier program saw another version, the time is new: build tools compare times.
            let times = FileTimes::new().set_modified(metadata.modified()?);
            File::open(to)?.set_times(times)?;
        }
        Ok(())
    }

    fn put(&mut self, staged: &ProgramFile) -> io::Result<()> {
        let path = Path::new(&staged.path);
        let own = self.copy.join(path);
        let Some(content) = layer::found(staged, self.root) else {
            return remove(&own);
        };
        layer::folders(self.root, self.copy, path)?;
        match content {
            ProgramContent::File { bytes, mode } => layer::write(&own, &bytes, mode)?,
            ProgramContent::Link(target) => layer::link(&own, layer::as_path(&target))?,
        }
        self.note(path)
    }

    /// Notes a file as it is before the program.
    fn note(&mut self, path: &Path) -> io::Result<()> {
        let stamp = FileStamp::of(&fs::symlink_metadata(self.copy.join(path))?);
        self.manifest.files.insert(path.to_owned(), stamp);
        Ok(())
    }
}

/// Returns when a file was last written, in seconds and nanoseconds.
fn modified(file: &Metadata) -> (i64, i64) {
    (file.mtime(), file.mtime_nsec())
}

/// Makes a repository that reads the objects of another one and writes its own.
fn git(from: &Path, to: &Path) -> io::Result<()> {
    remove(to)?;
    let Ok(metadata) = fs::symlink_metadata(from) else {
        return Ok(());
    };
    if metadata.is_file() {
        return fs::write(to, regular::read(from, MAX_GIT)?);
    }
    if !metadata.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to.join("objects/info"))?;
    fs::create_dir_all(to.join("refs"))?;
    let objects = from.join("objects");
    fs::write(
        to.join("objects/info/alternates"),
        [objects.as_os_str().as_encoded_bytes(), b"\n"].concat(),
    )?;
    for name in GIT.iter().chain(&["refs"]) {
        regular_files(&from.join(name), &to.join(name))?;
    }
    Ok(())
}

/// Copies a regular file, or those of a folder; nothing else.
fn regular_files(from: &Path, to: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(from) else {
        return Ok(());
    };
    if metadata.is_file() {
        return fs::write(to, regular::read(from, MAX_GIT)?);
    }
    if metadata.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            regular_files(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

/// Returns the files below a folder; none if it is no folder.
fn stamps(folder: &Path) -> BTreeMap<PathBuf, FileStamp> {
    let mut found = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => left.push(entry.path()),
                Ok(metadata) => drop(found.insert(entry.path(), FileStamp::of(&metadata))),
                Err(_gone) => {}
            }
        }
    }
    found
}
