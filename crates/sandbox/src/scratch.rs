//! Scratch folders: what signoff needs for as long as something runs, and not afterwards.
//!
//! In: a word that says what for. Out: a folder of this user's alone, `signoff-WORD-XXXXXX`, in `$XDG_RUNTIME_DIR`, which
//! ends with the user's session, or else in the folder for temporary files. It is removed when it is dropped. A process
//! that is killed drops nothing: what it left is removed when the next one starts ([`remove_left`]). Each is locked by who made
//! it, and the system takes the lock back however a process ends.
//!
//! **Invariant:** nothing is removed but a folder that signoff made: a marker file in it, made before anything else, names the
//! folder and its inode. A folder of the user's has none, whatever its name, and a copy of a scratch folder has another's.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::process::getuid;
use tempfile::{Builder, TempDir};

use crate::regular;

/// How the names of all of them begin.
const PREFIX: &str = "signoff-";
/// The file that says whose a folder is.
const MARKER: &str = ".signoff-scratch";
/// Maximum size of a marker, in bytes.
const MAX_MARKER: u64 = 256;
/// Tries to make one: a process that looks for what others left may take one for left before it is locked.
const TRIES: usize = 100;

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScratchUse {
    /// What goes into a commit.
    Commit,
    /// The sample folder of the demo.
    Demo,
    /// A text in the user's editor.
    Edit,
    /// The copy of a repository that a program left.
    Repository,
    /// The socket of an agent that runs.
    Run,
    /// What stands for a repository's own folder.
    View,
}

impl ScratchUse {
    const ALL: [Self; 6] = [
        Self::Commit,
        Self::Demo,
        Self::Edit,
        Self::Repository,
        Self::Run,
        Self::View,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Demo => "demo",
            Self::Edit => "edit",
            Self::Repository => "repository",
            Self::Run => "run",
            Self::View => "view",
        }
    }
}

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
    pub fn new(what: ScratchUse) -> io::Result<Self> {
        Self::within(&place(), what)
    }

    fn within(place: &Path, what: ScratchUse) -> io::Result<Self> {
        for _ in 0..TRIES {
            let folder = Builder::new()
                .prefix(&format!("{PREFIX}{}-", what.word()))
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)?;
            if let Some(lock) = locked(folder.path()) {
                mark(folder.path(), &lock.metadata()?)?;
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

/// Writes the marker of a folder that was just made.
fn mark(folder: &Path, found: &Metadata) -> io::Result<()> {
    let mut marker = File::create_new(folder.join(MARKER))?;
    marker.write_all(marker_text(folder, found).as_bytes())
}

/// Returns what the marker of a folder says.
fn marker_text(folder: &Path, found: &Metadata) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let inode = found.ino();
    format!("{name}, inode {inode}: made by signoff, which removes it with all that is in it\n")
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
        if is_scratch_name(&entry.file_name())
            && is_marked(&entry.path())
            && let Some(_lock) = locked(&entry.path())
            && is_marked(&entry.path())
        {
            // What cannot be removed is tried again by a later process.
            let _left = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether a name is that of such a folder: `signoff-WORD-XXXXXX`.
fn is_scratch_name(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let parts = rest.and_then(|rest| rest.rsplit_once('-'));
    parts.is_some_and(|(what, random)| {
        ScratchUse::ALL.iter().any(|own| own.word() == what)
            && random.len() == 6
            && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Returns whether a folder is this user's alone, and its marker says that signoff made it.
fn is_marked(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|found| {
        let is_private = found.is_dir()
            && found.uid() == getuid().as_raw()
            && found.permissions().mode() & 0o777 == 0o700;
        let text = || regular::text(&folder.join(MARKER), MAX_MARKER);
        is_private && text().is_ok_and(|text| text == marker_text(folder, &found))
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Returns the path of a folder that a killed process left, with something in it.
    fn left_behind(place: &Path, what: ScratchUse) -> PathBuf {
        let ScratchFolder { folder, _lock } = ScratchFolder::within(place, what).expect("a folder");
        fs::create_dir(folder.path().join("in")).expect("a folder");
        std::os::unix::fs::symlink("/", folder.path().join("in/link")).expect("a link");
        folder.keep()
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().expect("a folder");
        let used = ScratchFolder::within(place.path(), ScratchUse::View).expect("a folder");
        let mode = fs::metadata(used.path()).expect("it is there").mode();
        assert_eq!(mode & 0o777, 0o700);
        for what in ScratchUse::ALL {
            let folder = left_behind(place.path(), what);
            // A process that another test forks has the lock until it is its program.
            let is_gone = || {
                sweep(place.path());
                !folder.exists()
            };
            assert!((0..1000).any(|_| is_gone()), "{what:?}");
        }
        assert!(used.path().exists());
        let path = used.path().to_owned();
        drop(used);
        assert!(!path.exists());
    }

    #[test]
    fn a_folder_of_the_users_stays_whatever_its_name() {
        let place = tempfile::tempdir().expect("a folder");
        let at = |name: &str| place.path().join(name);
        let names = [
            "signoff-config-backup",
            "signoff-history-backup",
            "signoff-website-master",
            "signoff-view-backup",
            "signoff-run-folder",
            "signoff-view-abc123",
            "signoff-notes-of-mine",
        ];
        for name in names {
            fs::create_dir(at(name)).expect("a folder");
            fs::write(at(name).join("important"), "mine").expect("a file");
            let private = Permissions::from_mode(0o700);
            fs::set_permissions(at(name), private).expect("a mode");
        }
        let left = left_behind(place.path(), ScratchUse::View);
        for (copied, mode) in [
            ("signoff-view-copied", "700"),
            ("signoff-edit-opened", "755"),
        ] {
            let mut copy = Command::new("cp");
            let copied = copy
                .args(["-a", "--no-target-directory"])
                .arg(&left)
                .arg(at(copied));
            assert!(copied.status().expect("cp").success());
            let mut chmod = Command::new("chmod");
            assert!(
                chmod
                    .arg(mode)
                    .arg(&left)
                    .status()
                    .expect("chmod")
                    .success()
            );
        }
        sweep(place.path());
        assert!(left.exists(), "it is open to others");
        for copied in ["signoff-view-copied", "signoff-edit-opened"] {
            assert!(at(copied).exists(), "{copied}");
        }
        for name in names {
            let text = fs::read_to_string(at(name).join("important"));
            assert_eq!(text.expect("it is there"), "mine", "{name}");
        }
    }
}
