//! The workspace on disk; the only file of core that writes to it.
//!
//! In: workspace paths. Out: reads, and the steps of a commit: a draft beside its target,
//! renamed over it. Every use resolves symbolic links afresh and refuses those that lead out.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, RenameFlags};
use rustix::io::Errno;

use super::attributes::Attributes;
use super::{
    AccessError, DirEntry, DirEntryKind, Draft, FileImage, LINK_MODE, MAX_FILE_BYTES, PathError,
    Reader, Swap, Workspace, WorkspacePath, encoded, read_entry,
};
use crate::text::{Fingerprint, Source};
use signoff_source::path::reserved::ReservedFolders;

mod attributes;
mod folder;

use folder::{Folder, Missing, below_file, reserved_path};

/// The permission bits in a file's mode.
const PERMISSIONS: u32 = 0o7777;

/// A folder on disk.
#[derive(Clone, Debug)]
pub struct DiskWorkspace {
    root: PathBuf,
    /// Folders of signoff's own, which are no part of it.
    reserved: ReservedFolders,
    umask: u32,
}

impl DiskWorkspace {
    /// Opens a folder.
    pub fn open(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        if root.is_dir() {
            Ok(Self {
                root,
                reserved: ReservedFolders::default(),
                umask: umask(),
            })
        } else {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"))
        }
    }

    /// Returns the same folder without these, which are signoff's own.
    #[must_use]
    pub fn without(self, reserved: ReservedFolders) -> Self {
        Self { reserved, ..self }
    }

    /// Refuses what is signoff's own, by its real path and by what stands there: a folder may be mounted or spelled under
    /// another name, and a file linked.
    fn check_reserved(&self, path: &WorkspacePath, real: &Path) -> Result<(), AccessError> {
        let mut inside = real.ancestors().take_while(|path| *path != self.root);
        let is_reserved = self.reserved.holds(real)
            || !self.reserved.folders().is_empty()
                && inside.any(|path| {
                    let found = fs::symlink_metadata(path);
                    found.is_ok_and(|found| self.reserved.has(&found))
                });
        if is_reserved {
            return Err(reserved_path(path).into());
        }
        Ok(())
    }

    /// Refuses to make or take a link or a file in the place of a folder around signoff's own: it would put another folder in
    /// that one's place.
    fn check_around_reserved(&self, path: &WorkspacePath) -> Result<(), AccessError> {
        if self.reserved.is_above(&self.root.join(path.as_str())) {
            return Err(PathError::AroundReserved {
                path: path.to_string(),
            }
            .into());
        }
        Ok(())
    }

    /// Refuses a path whose folder does not let files be replaced, or the folder that a new one would be made in.
    fn check_folder_writable(&self, path: &WorkspacePath) -> Result<(), AccessError> {
        use rustix::fs::Access;
        let wanted = self.root.join(path.as_str());
        let mut folders = wanted.ancestors().skip(1);
        let Some(folder) = folders.find(|folder| folder.is_dir()) else {
            return Ok(());
        };
        match rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK) {
            Err(Errno::ACCESS) => Err(AccessError::FolderReadOnly {
                path: path.to_string(),
            }),
            allowed => allowed.map_err(|error| failed("write", path)(error.into())),
        }
    }

    /// Returns where a path really is, all symbolic links followed; what does not exist yet
    /// is taken as below the deepest folder that does.
    fn resolve(&self, path: &WorkspacePath) -> Result<PathBuf, AccessError> {
        let wanted = self.root.join(path.as_str());
        let mut missing: Vec<&OsStr> = Vec::new();
        let mut existing = wanted.as_path();
        // A look at one name at a time: to follow all links looks at each name before it, too.
        loop {
            match existing.symlink_metadata() {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let parts = (existing.file_name(), existing.parent());
                    let (Some(name), Some(parent)) = parts else {
                        return Err(failed("find", path)(error));
                    };
                    missing.push(name);
                    existing = parent;
                }
                Err(error) => return Err(self.unresolved(path, error)),
            }
        }
        let real = match existing.canonicalize() {
            Ok(real) if real.starts_with(&self.root) => real,
            // A link whose target is missing could come to point anywhere.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(self.unresolved(path, error));
            }
            Ok(_) | Err(_) => {
                return Err(PathError::Link {
                    path: path.to_string(),
                }
                .into());
            }
        };
        let real = missing.iter().rev().fold(real, |at, part| at.join(part));
        self.check_reserved(path, &real)?;
        Ok(real)
    }

    /// Says why it is not known where a path is.
    fn unresolved(&self, path: &WorkspacePath, error: io::Error) -> AccessError {
        match error.kind() {
            io::ErrorKind::NotADirectory => below_file(&self.root, path),
            _ => failed("find", path)(error),
        }
    }

    /// Reads a regular file that no link leads to, in a third of the system calls that resolving its path takes: a list of
    /// the review reads every file that is staged over. None for anything else, of which [`Self::read`] says what it is.
    #[cfg(target_os = "linux")]
    fn read_plain(&self, path: &WorkspacePath) -> Option<FileImage> {
        use rustix::fs::{CWD, Mode, ResolveFlags, openat2};
        let own = self.root.join(path.as_str());
        let found = fs::symlink_metadata(&own).ok()?;
        // Some devices do something when they are opened.
        if !found.is_file() || found.len() > MAX_FILE_BYTES {
            return None;
        }
        self.check_reserved(path, &own).ok()?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat2(
            CWD,
            own.as_path(),
            flags,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS,
        )
        .ok()?;
        let (bytes, mode) = contents(file.into()).ok()?;
        Some(FileImage {
            source: Source::decode(bytes),
            mode,
        })
    }

    /// Nothing here opens a path without its links in one call.
    #[cfg(not(target_os = "linux"))]
    fn read_plain(&self, _path: &WorkspacePath) -> Option<FileImage> {
        None
    }

    /// Opens the folder of a file that is to be written.
    fn folder(&self, path: &WorkspacePath) -> Result<Option<Folder>, AccessError> {
        Folder::of((&self.root, &self.reserved), path, Missing::Leave)
    }
}

/// Returns the permission bits that new files of this process do not get.
pub fn umask() -> u32 {
    let status = fs::read_to_string("/proc/self/status").ok();
    let told = status.and_then(|status| {
        let bits = status
            .lines()
            .find_map(|line| line.strip_prefix("Umask:"))?;
        u32::from_str_radix(bits.trim(), 8).ok()
    });
    // Elsewhere it can only be asked for by setting it: to one with which no file is open to others meanwhile.
    told.unwrap_or_else(|| {
        let own = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
        rustix::process::umask(own);
        own.as_raw_mode()
    })
}

impl Reader for DiskWorkspace {
    fn image(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        self.read(path)
    }
}

/// Reads what was a regular file of bounded size a moment ago: without waiting for the writer of a
/// pipe, and to no other end than that of a file.
fn regular(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = fs::File::options()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    Ok(contents(file)?.0)
}

/// Returns what is in an opened file, and its mode.
fn contents(file: fs::File) -> io::Result<(Vec<u8>, u32)> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(just_replaced());
    }
    let mut bytes = Vec::with_capacity(room(found.len()));
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        Err(just_replaced())
    } else {
        Ok((bytes, found.mode() & PERMISSIONS))
    }
}

/// Returns the capacity with which a file of this size is read in two calls: with none it is read in pieces of 32 bytes, 64,
/// and so on.
fn room(size: u64) -> usize {
    // The size may be another one by now, or a claim: more than the most is not read.
    usize::try_from(size.min(MAX_FILE_BYTES)).map_or(0, |size| size + 1)
}

fn just_replaced() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it has just been replaced")
}

impl Workspace for DiskWorkspace {
    fn root(&self) -> PathBuf {
        self.root.clone()
    }

    fn reserved(&self) -> ReservedFolders {
        self.reserved.clone()
    }

    fn umask(&self) -> u32 {
        self.umask
    }

    fn reader(&self) -> Option<Box<dyn Reader>> {
        Some(Box::new(self.clone()))
    }

    fn canonical(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        let real = self.resolve(path)?;
        let text = real.to_str().ok_or(PathError::Malformed)?;
        Ok(WorkspacePath::parse(
            if real == self.root { "." } else { text },
            &self.root,
        )?)
    }

    fn entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        let own = self.resolve(&path.parent())?.join(path.name());
        self.check_reserved(path, &own)?;
        let text = own.to_str().ok_or(PathError::Malformed)?;
        Ok(WorkspacePath::parse(text, &self.root)?)
    }

    fn read(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        if let Some(target) = self.link_target(path)? {
            return Ok(Some(FileImage {
                source: Source::link(target),
                mode: LINK_MODE,
            }));
        }
        let real = self.resolve(path)?;
        let metadata = match fs::metadata(&real) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed("read", path)(error)),
        };
        if metadata.is_dir() {
            return Err(AccessError::IsFolder {
                path: path.to_string(),
            });
        }
        if !metadata.is_file() {
            return Err(AccessError::NotRegular {
                path: path.to_string(),
            });
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(AccessError::TooLarge {
                path: path.to_string(),
                size: metadata.len(),
            });
        }
        let bytes = regular(&real).map_err(failed("read", path))?;
        Ok(Some(FileImage {
            source: Source::decode(bytes),
            mode: metadata.mode() & PERMISSIONS,
        }))
    }

    fn read_resolved(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        match self.read_plain(path) {
            Some(image) => Ok(Some(image)),
            None => read_entry(self, path),
        }
    }

    fn link_target(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, AccessError> {
        let own = self.root.join(path.as_str());
        match fs::symlink_metadata(&own) {
            Ok(own) if own.is_symlink() => {}
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(failed("find", path)(error));
            }
            Ok(_) | Err(_) => return Ok(None),
        }
        let folder = self.resolve(&path.parent())?;
        self.check_reserved(path, &folder.join(path.name()))?;
        let target = fs::read_link(folder.join(path.name())).map_err(failed("read", path))?;
        Ok(Some(target.into_os_string().into_vec()))
    }

    fn has_other_names(&self, path: &WorkspacePath) -> Result<bool, AccessError> {
        match fs::symlink_metadata(self.root.join(path.as_str())) {
            Ok(metadata) => Ok(metadata.is_file() && metadata.nlink() > 1),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed("read", path)(error)),
        }
    }

    fn list(&self, path: &WorkspacePath) -> Result<Vec<DirEntry>, AccessError> {
        let real = self.resolve(path)?;
        let entries = fs::read_dir(&real).map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory => AccessError::NotFolder {
                path: path.to_string(),
            },
            io::ErrorKind::NotFound => AccessError::Missing {
                path: path.to_string(),
            },
            _ => failed("list", path)(error),
        })?;
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed("list", path))?;
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let is_reserved = self.reserved.is_one(&real.join(entry.file_name()));
            if is_reserved || self.reserved.has(&metadata) {
                continue;
            }
            let kind = if metadata.is_symlink() {
                DirEntryKind::Symlink
            } else if metadata.is_dir() {
                DirEntryKind::Dir
            } else if metadata.is_file() {
                DirEntryKind::File
            } else {
                DirEntryKind::Other
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            found.push(DirEntry {
                name,
                kind,
                size: metadata.len(),
            });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    fn check_writable(&self, path: &WorkspacePath) -> Result<(), AccessError> {
        self.check_around_reserved(path)?;
        self.check_folder_writable(path)?;
        // A link is replaced, and what it leads to is not written.
        if self.folder(path)?.is_some_and(|folder| folder.is_link()) {
            return Ok(());
        }
        let real = self.resolve(path)?;
        match fs::metadata(&real) {
            Ok(metadata) if metadata.permissions().readonly() => Err(AccessError::ReadOnly {
                path: path.to_string(),
            }),
            Ok(metadata) if metadata.is_dir() => Err(AccessError::IsFolder {
                path: path.to_string(),
            }),
            Ok(metadata) if !metadata.is_file() => Err(AccessError::NotRegular {
                path: path.to_string(),
            }),
            Ok(metadata) => match rustix::fs::access(&real, rustix::fs::Access::WRITE_OK) {
                // Writable for others than its owner.
                Err(Errno::ACCESS) if metadata.uid() == rustix::process::geteuid().as_raw() => {
                    Err(AccessError::ReadOnly {
                        path: path.to_string(),
                    })
                }
                allowed => allowed.map_err(|error| failed("write", path)(error.into())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(failed("write", path)(error)),
        }
    }

    fn attributes(&self, path: &WorkspacePath) -> Result<Option<Attributes>, AccessError> {
        if self.link_target(path)?.is_some() {
            return Ok(None);
        }
        attributes::read(&self.resolve(path)?).map_err(failed("read the attributes of", path))
    }

    fn mode(&self, path: &WorkspacePath) -> Result<Option<u32>, AccessError> {
        match fs::symlink_metadata(self.root.join(path.as_str())) {
            Ok(found) => Ok(found.is_file().then(|| found.mode() & PERMISSIONS)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read the mode of", path)(error)),
        }
    }

    fn draft(
        &mut self,
        draft: &Draft,
        text: &Source,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<String>, AccessError> {
        let path = &draft.path;
        self.check_around_reserved(path)?;
        let folder = Folder::of((&self.root, &self.reserved), path, Missing::Make)?
            .ok_or_else(|| gone("make the folder of", path))?;
        if text.is_link() {
            let made = folder.make_link(&folder.beside(&draft.tag), text.bytes());
            return made.map(|()| Vec::new()).map_err(failed_call("make", path));
        }
        let bytes = encoded(path, text)?;
        // What only the owner may read stays so while it is written.
        let mode = if attributes.is_some() { 0o600 } else { 0o666 };
        let mut file = folder
            .create(&folder.beside(&draft.tag), mode)
            .map_err(failed("write", path))?;
        file.write_all(&bytes).map_err(failed("write", path))?;
        let lost = attributes.map(|attributes| attributes::give(&file, attributes));
        let lost = lost.transpose().map_err(|missing| AccessError::Attribute {
            path: path.to_string(),
            name: missing.name,
            source: missing.source,
        })?;
        file.sync_all().map_err(failed("write", path))?;
        Ok(lost.unwrap_or_default())
    }

    fn drafted(&self, draft: &Draft) -> Result<Option<Source>, AccessError> {
        let Some(folder) = self.folder(&draft.path)? else {
            return Ok(None);
        };
        match folder.read(&folder.beside(&draft.tag)) {
            Ok(source) => Ok(Some(source)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read beside", &draft.path)(error)),
        }
    }

    fn publish(
        &mut self,
        draft: &Draft,
        expected: Option<Fingerprint>,
    ) -> Result<Swap, AccessError> {
        let path = &draft.path;
        self.check_around_reserved(path)?;
        let Some(folder) = self.folder(path)? else {
            return Ok(Swap::Changed);
        };
        let (beside, name) = (folder.beside(&draft.tag), folder.name());
        let Some(expected) = expected else {
            return match folder.rename(&beside, name, RenameFlags::NOREPLACE) {
                Err(Errno::EXIST) => Ok(Swap::Changed),
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                    make(&folder, &beside).map_err(failed_call("make", path))
                }
                renamed => renamed
                    .map(|()| Swap::Done)
                    .map_err(failed_call("make", path)),
            };
        };
        let drafted = match folder.read(&beside) {
            Ok(drafted) => drafted.fingerprint(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Swap::Changed),
            Err(error) => return Err(failed("read beside", path)(error)),
        };
        match folder.rename(&beside, name, RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(Swap::Changed),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                // No exchange here: the check just before is the best there is.
                let renamed = folder.rename(&beside, name, RenameFlags::empty());
                return renamed
                    .map(|()| Swap::Done)
                    .map_err(failed_call("replace", path));
            }
            Err(error) => return Err(failed_call("replace", path)(error)),
        }
        if is_expected(&folder, &beside, expected) {
            remove(&folder, &beside).map_err(failed_call("clean up beside", path))?;
            return Ok(Swap::Done);
        }
        let back = give_back(&folder, (&beside, name), drafted);
        back.map(|()| Swap::Changed)
            .map_err(failed_call("give back", path))
    }

    fn withdraw(&mut self, draft: &Draft, expected: Fingerprint) -> Result<Swap, AccessError> {
        let path = &draft.path;
        self.check_around_reserved(path)?;
        let Some(folder) = self.folder(path)? else {
            return Ok(Swap::Changed);
        };
        let (beside, name) = (folder.beside(&draft.tag), folder.name());
        match folder.rename(name, &beside, RenameFlags::empty()) {
            Err(Errno::NOENT) => return Ok(Swap::Changed),
            renamed => renamed.map_err(failed_call("delete", path))?,
        }
        let discard = || remove(&folder, &beside).map_err(failed_call("clean up beside", path));
        if is_expected(&folder, &beside, expected) {
            discard()?;
            return Ok(Swap::Done);
        }
        match folder.rename(&beside, name, RenameFlags::NOREPLACE) {
            // Saved once more in the very instant: the newer text is there.
            Err(Errno::EXIST) => discard()?,
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let renamed = folder.rename(&beside, name, RenameFlags::empty());
                renamed.map_err(failed_call("give back", path))?;
            }
            renamed => renamed.map_err(failed_call("give back", path))?,
        }
        Ok(Swap::Changed)
    }

    fn redraft(&mut self, draft: &Draft, to: &Draft) -> Result<(), AccessError> {
        let folder = self
            .folder(&draft.path)?
            .ok_or_else(|| gone("rename beside", &draft.path))?;
        let (from, to) = (folder.beside(&draft.tag), folder.beside(&to.tag));
        let renamed = folder.rename(&from, &to, RenameFlags::empty());
        renamed.map_err(failed_call("rename beside", &draft.path))
    }

    fn discard(&mut self, draft: &Draft) -> Result<(), AccessError> {
        let Some(folder) = self.folder(&draft.path)? else {
            return Ok(());
        };
        let removed = remove(&folder, &folder.beside(&draft.tag));
        removed.map_err(failed_call("clean up beside", &draft.path))
    }

    fn missing_folders(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, AccessError> {
        let mut missing = Vec::new();
        for folder in path.folders() {
            match fs::symlink_metadata(self.root.join(folder.as_str())) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder),
                Err(error) => return Err(failed("look for", &folder)(error)),
            }
        }
        Ok(missing)
    }

    fn remove_folder(&mut self, folder: &WorkspacePath) -> Result<(), AccessError> {
        // A link that stands there now leads to a folder that nobody made for a file.
        let above = match self.folder(folder) {
            Ok(Some(above)) => above,
            Ok(None) | Err(AccessError::Path(PathError::Relinked { .. })) => return Ok(()),
            Err(error) => return Err(error),
        };
        match above.remove_folder() {
            Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR | Errno::NOENT) => Ok(()),
            Err(error) => Err(failed_call("remove the folder", folder)(error)),
        }
    }

    fn sync_folder(&mut self, path: &WorkspacePath) -> Result<(), AccessError> {
        match self.folder(path) {
            // A folder that is gone, or is another one now, has nothing left to lose.
            Ok(None) | Err(AccessError::Path(PathError::Relinked { .. })) => Ok(()),
            Ok(Some(folder)) => folder.sync().map_err(failed_call("make durable", path)),
            Err(error) => Err(error),
        }
    }
}

/// Gives a draft the name of its target where the system cannot rename without replacing, as on
/// network file systems: a link fails if something is there.
fn make(folder: &Folder, beside: &str) -> Result<Swap, Errno> {
    match folder.link(beside, folder.name()) {
        Ok(()) => remove(folder, beside)?,
        Err(Errno::EXIST) => return Ok(Swap::Changed),
        // No links either: the check just before is the best there is.
        Err(_) if folder.has(folder.name()) => return Ok(Swap::Changed),
        Err(_) => folder.rename(beside, folder.name(), RenameFlags::empty())?,
    }
    Ok(Swap::Done)
}

/// Tells whether a regular file has the text that is expected, or a link the target; a pipe never has.
fn is_expected(folder: &Folder, name: &str, expected: Fingerprint) -> bool {
    folder
        .read(name)
        .is_ok_and(|old| old.fingerprint() == expected)
}

/// Gives a file back that had changed when its draft took its place. It may have been saved once more since: then the newer
/// text stays.
fn give_back(
    folder: &Folder,
    (beside, name): (&str, &str),
    drafted: Fingerprint,
) -> Result<(), Errno> {
    folder.rename(beside, name, RenameFlags::EXCHANGE)?;
    if is_expected(folder, beside, drafted) {
        return Ok(());
    }
    folder.rename(beside, name, RenameFlags::EXCHANGE)
}

/// Removes a file if it is there.
fn remove(folder: &Folder, name: &str) -> Result<(), Errno> {
    match folder.remove(name) {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

fn gone(step: &'static str, path: &WorkspacePath) -> AccessError {
    failed_call(step, path)(Errno::NOENT)
}

fn failed_call(step: &'static str, path: &WorkspacePath) -> impl FnOnce(Errno) -> AccessError {
    let failed = failed(step, path);
    move |error| failed(error.into())
}

fn failed(step: &'static str, path: &WorkspacePath) -> impl FnOnce(io::Error) -> AccessError {
    let path = path.to_string();
    move |source| AccessError::Io { step, path, source }
}

#[cfg(test)]
mod tests;
