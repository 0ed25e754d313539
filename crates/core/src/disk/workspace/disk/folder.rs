//! The folder of a file that is to be written, opened without following symbolic links.
//!
//! In: the workspace's folder, and a path with all links resolved, as it was when it was staged.
//! Out: a descriptor of the folder that the file is in. What is written is named relative to it, so
//! that a folder that has become a link since, or becomes one in this instant, leads nowhere.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use signoff_source::path::reserved::ReservedFolders;

use super::{AccessError, PathError, WorkspacePath};
use crate::text::Source;

/// Characters of a file's name in the name of its draft.
const SHORT: usize = 32;

/// A folder is opened to name files in it; that takes no right to list it where the system can tell
/// the two apart.
#[cfg(target_os = "linux")]
const TO_NAME: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const TO_NAME: OFlags = OFlags::RDONLY;

/// The bits of a new folder, before the user's mask.
const FOLDER_MODE: u16 = 0o777;

/// What is done about folders that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Make,
    Leave,
}

/// The folder that a file is in.
#[derive(Debug)]
pub(super) struct Folder {
    descriptor: OwnedFd,
    name: String,
}

impl Folder {
    /// Opens the folder of a path; returns none if it is missing and is not to be made. A path that
    /// leads through a link, or that belongs to git or to signoff itself, is refused.
    pub(super) fn of(
        (root, reserved): (&Path, &ReservedFolders),
        path: &WorkspacePath,
        missing: Missing,
    ) -> Result<Option<Self>, AccessError> {
        path.editable()?;
        let whole = root.join(path.as_str());
        if reserved.holds(&whole) {
            return Err(reserved_path(path).into());
        }
        let failed = |error: Errno| AccessError::Io {
            step: "find the folder of",
            path: path.to_string(),
            source: error.into(),
        };
        let flags = TO_NAME | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut at = fs::openat(CWD, root, flags, Mode::empty()).map_err(failed)?;
        let parent = path.parent();
        for part in parent.as_str().split('/').filter(|part| !part.is_empty()) {
            let open = || fs::openat(&at, part, flags | OFlags::NOFOLLOW, Mode::empty());
            let opened = match (open(), missing) {
                (Err(Errno::NOENT), Missing::Leave) => return Ok(None),
                (Err(Errno::NOENT), Missing::Make) => {
                    match fs::mkdirat(&at, part, Mode::from_raw_mode(FOLDER_MODE.into())) {
                        Ok(()) | Err(Errno::EXIST) => open(),
                        Err(error) => Err(error),
                    }
                }
                (opened, _) => opened,
            };
            let opened = match opened {
                Ok(opened) => File::from(opened),
                Err(Errno::NOTDIR | Errno::LOOP) if is_link(&at, part) => {
                    return Err(relinked(path).into());
                }
                Err(Errno::NOTDIR) => return Err(below_file(root, path)),
                Err(error) => return Err(failed(error)),
            };
            // By another name: mounted, or on a file system without regard to case.
            let found = opened.metadata();
            if found.is_ok_and(|found| reserved.has(&found)) {
                return Err(reserved_path(path).into());
            }
            at = opened.into();
        }
        Ok(Some(Self {
            descriptor: at,
            name: path.name().to_owned(),
        }))
    }

    /// Returns the file's own name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of a draft of the file.
    pub(super) fn beside(&self, tag: &str) -> String {
        // Names may be 255 bytes long; of a long one the hash tells it from others that begin like it.
        let short: String = self.name.chars().take(SHORT).collect();
        if short.len() == self.name.len() {
            return format!(".{short}.{tag}.signoff");
        }
        let hash = blake3::hash(self.name.as_bytes()).to_hex();
        let hash: String = hash.chars().take(SHORT / 2).collect();
        format!(".{short}.{hash}.{tag}.signoff")
    }

    /// Tells whether the file itself is a symbolic link.
    pub(super) fn is_link(&self) -> bool {
        is_link(&self.descriptor, &self.name)
    }

    /// Tells whether something has a name.
    pub(super) fn has(&self, name: &str) -> bool {
        fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Makes a file that must not be there, with these bits before the user's mask.
    pub(super) fn create(&self, name: &str, mode: u16) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode.into());
        Ok(fs::openat(&self.descriptor, name, flags, mode)?.into())
    }

    /// Makes a symbolic link under a name that must not be taken.
    pub(super) fn make_link(&self, name: &str, target: &[u8]) -> Result<(), Errno> {
        fs::symlinkat(target, &self.descriptor, name)
    }

    /// Returns the text of a regular file, or the target of a symbolic link; nothing else is opened, and
    /// links are not followed.
    pub(super) fn read(&self, name: &str) -> io::Result<Source> {
        if is_link(&self.descriptor, name) {
            let target = fs::readlinkat(&self.descriptor, name, Vec::new())?;
            return Ok(Source::link(target.into_bytes()));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = fs::openat(&self.descriptor, name, flags, Mode::empty())?;
        let mut file = File::from(file);
        if !file.metadata()?.is_file() {
            let why = "not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Source::decode(bytes))
    }

    /// Renames within the folder, as [`RenameFlags`] say; without any, what is there is replaced.
    pub(super) fn rename(&self, from: &str, to: &str, flags: RenameFlags) -> Result<(), Errno> {
        let folder = &self.descriptor;
        if flags.is_empty() {
            fs::renameat(folder, from, folder, to)
        } else {
            fs::renameat_with(folder, from, folder, to, flags)
        }
    }

    /// Gives a file a second name, if nothing has it.
    pub(super) fn link(&self, from: &str, to: &str) -> Result<(), Errno> {
        fs::linkat(
            &self.descriptor,
            from,
            &self.descriptor,
            to,
            AtFlags::empty(),
        )
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> Result<(), Errno> {
        fs::unlinkat(&self.descriptor, name, AtFlags::empty())
    }

    /// Removes an empty folder that has the file's own name.
    pub(super) fn remove_folder(&self) -> Result<(), Errno> {
        fs::unlinkat(&self.descriptor, &self.name, AtFlags::REMOVEDIR)
    }

    /// Makes the names in the folder durable.
    pub(super) fn sync(&self) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        fs::fsync(fs::openat(&self.descriptor, ".", flags, Mode::empty())?)
    }
}

/// Returns the error for a path with a file where one of its folders would have to be.
pub(super) fn below_file(root: &Path, path: &WorkspacePath) -> AccessError {
    let file = path
        .folders()
        .find(|folder| root.join(folder.as_str()).exists())
        .unwrap_or_else(|| path.parent());
    AccessError::BelowFile {
        path: path.to_string(),
        file: file.to_string(),
    }
}

/// Returns the error for a path in a folder of signoff's own.
pub(super) fn reserved_path(path: &WorkspacePath) -> PathError {
    PathError::Reserved {
        path: path.to_string(),
    }
}

/// Returns the error for a path that leads elsewhere than when it was staged.
pub(super) fn relinked(path: &WorkspacePath) -> PathError {
    PathError::Relinked {
        path: path.to_string(),
    }
}

fn is_link(folder: &OwnedFd, name: &str) -> bool {
    let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
