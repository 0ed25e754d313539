//! Scratch folders: what signoff needs for as long as something runs, and not afterwards.
//!
//! In: a word that says what for. Out: a folder of this user's alone, `signoff-WORD-XXXXXX`, in `$XDG_RUNTIME_DIR`, which
//! ends with the user's session, or else in the folder for temporary files. It is removed when it is dropped. A process
//! that is killed drops nothing: what it left is removed when the next one starts ([`remove_left`]). Each is locked by who made
//! it, and the system takes the lock back however a process ends.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::process::getuid;
use tempfile::{Builder, TempDir};

/// How the names of all of them begin.
const PREFIX: &str = "signoff-";
/// Tries to make one: a process that looks for what others left may take one for left before it is locked.
const TRIES: usize = 100;

/// A folder until it is dropped.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    /// Locked until the folder is gone.
    _lock: File,
}

impl ScratchFolder {
    /// Makes a folder for something.
    ///
    /// # Errors
    ///
    /// Fails if none can be made.
    pub fn new(what: &str) -> io::Result<Self> {
        Self::within(&place(), what)
    }

    fn within(place: &Path, what: &str) -> io::Result<Self> {
        for _ in 0..TRIES {
            let folder = Builder::new()
                .prefix(&format!("{PREFIX}{what}-"))
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)?;
            if let Some(lock) = locked(folder.path()) {
                return Ok(Self {
                    folder,
                    _lock: lock,
                });
            }
        }
        Err(io::Error::other(
            "no folder for temporary files can be locked",
        ))
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Removes it.
    ///
    /// # Errors
    ///
    /// Fails if something of it cannot be removed.
    pub fn close(self) -> io::Result<()> {
        self.folder.close()
    }
}

/// Returns the folder in which they are made: the user's runtime folder, where it is this user's alone.
fn place() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(is_private);
    runtime.unwrap_or_else(std::env::temp_dir)
}

fn is_private(folder: &PathBuf) -> bool {
    let found = fs::symlink_metadata(folder);
    let is_own = found.is_ok_and(|found| {
        found.is_dir()
            && found.uid() == getuid().as_raw()
            && found.permissions().mode() & 0o077 == 0
    });
    folder.is_absolute() && is_own
}

/// Returns a folder's lock, if nobody has it and the folder is still there.
fn locked(folder: &Path) -> Option<File> {
    let lock = File::open(folder).ok()?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
    let (own, there) = (lock.metadata().ok()?, fs::symlink_metadata(folder).ok()?);
    ((own.dev(), own.ino()) == (there.dev(), there.ino())).then_some(lock)
}

/// Removes what processes left that are gone.
pub fn remove_left() {
    let (place, temporary) = (place(), std::env::temp_dir());
    sweep(&place);
    if temporary != place {
        sweep(&temporary);
    }
}

fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        // By the name first: folders of temporary files hold thousands, and every start goes through them.
        let is_ours = is_scratch(&entry.file_name())
            && entry
                .metadata()
                .is_ok_and(|found| found.is_dir() && found.uid() == getuid().as_raw());
        if is_ours && let Some(_lock) = locked(&entry.path()) {
            // What cannot be removed is tried again by a later process.
            let _left = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether a name is that of such a folder: `signoff-WORD-XXXXXX`.
fn is_scratch(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let parts = rest.and_then(|rest| rest.rsplit_once('-'));
    parts.is_some_and(|(what, random)| {
        !what.is_empty()
            && what.bytes().all(|byte| byte.is_ascii_lowercase())
            && random.len() == 6
            && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().expect("a folder");
        let used = ScratchFolder::within(place.path(), "git").expect("a folder");
        let mode = fs::metadata(used.path()).expect("it is there").mode();
        assert_eq!(mode & 0o777, 0o700);
        for (name, is_left) in [
            ("signoff-git-abc123", false),
            ("signoff-run-ABCdef", false),
            ("signoff-notes-of-mine", true),
            ("signoff-git-abc1234", true),
            ("other-git-abc123", true),
        ] {
            let folder = place.path().join(name);
            fs::create_dir_all(folder.join("in")).expect("a folder");
            std::os::unix::fs::symlink("/", folder.join("in/link")).expect("a link");
            sweep(place.path());
            assert_eq!(folder.exists(), is_left, "{name}");
        }
        assert!(used.path().exists());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }
}
