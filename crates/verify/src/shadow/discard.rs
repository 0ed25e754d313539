//! Removing what programs left, whatever it is: folders that nobody may read, or thousands of folders deep.
//!
//! A tree is flattened while it is removed: its folders are moved up beside it, so that no path grows.
//!
//! ```text
//! trash/7/a/b/c   ->   trash/7/a, trash/8/b, ...   ->   nothing
//! ```

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Moves a file or folder into the trash.
pub(super) fn set_aside(path: &Path, trash: &Path) -> io::Result<()> {
    fs::create_dir_all(trash)?;
    match fs::rename(path, fresh(trash)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // A folder that is moved has its entry for the folder above rewritten, which takes the right to write it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            fs::rename(path, fresh(trash))
        }
        renamed => renamed,
    }
}

/// Empties the trash on a thread of its own; what is left when this process ends is removed by a later one.
pub(super) fn in_background(trash: &Path) {
    let is_empty = fs::read_dir(trash).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty {
        let trash = trash.to_owned();
        thread::spawn(move || empty(&trash));
    }
}

/// Removes all that is in the trash.
pub(super) fn empty(trash: &Path) {
    // What cannot be removed, as files of another user, is passed over.
    let mut stuck: Vec<PathBuf> = Vec::new();
    loop {
        let mut any = false;
        for entry in fs::read_dir(trash).into_iter().flatten().flatten() {
            let path = entry.path();
            if stuck.contains(&path) {
                continue;
            }
            any = true;
            if take_apart(&path, trash).is_err() {
                stuck.push(path);
            }
        }
        if !any {
            return;
        }
    }
}

/// Removes a file, or a folder whose folders are moved beside it.
fn take_apart(path: &Path, trash: &Path) -> io::Result<()> {
    let gone = |removed: io::Result<()>| match removed {
        // Another process empties the trash as well.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    };
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    if !found.is_dir() {
        return gone(fs::remove_file(path));
    }
    gone(open_up(path))?;
    for entry in fs::read_dir(path).into_iter().flatten() {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            gone(set_aside(&entry.path(), trash))?;
        } else {
            gone(fs::remove_file(entry.path()))?;
        }
    }
    gone(fs::remove_dir(path))
}

/// Gives this user all rights on a folder.
fn open_up(folder: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(folder)?;
    if found.is_dir() && found.permissions().mode() & 0o700 != 0o700 {
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Returns a name in the trash that nothing has.
fn fresh(trash: &Path) -> PathBuf {
    static NAMES: AtomicU64 = AtomicU64::new(0);
    let name = NAMES.fetch_add(1, Ordering::Relaxed);
    trash.join(format!("{}-{name}", process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_program_left_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (left, trash) = (folder.path().join("left"), folder.path().join("trash"));
        fs::create_dir_all(left.join("closed/in")).expect("folders");
        fs::write(left.join("closed/in/file"), "").expect("a file");
        std::os::unix::fs::symlink("/", left.join("link")).expect("a link");
        // Deeper than a path may be long.
        let deep = "d".repeat(200);
        let mut top = left.join("deep");
        fs::create_dir(&top).expect("a folder");
        for _ in 0..60 {
            let above = left.join("above");
            fs::create_dir(&above).expect("a folder");
            fs::rename(&top, above.join(&deep)).expect("a folder in a folder");
            fs::rename(above, left.join("deep")).expect("a folder");
            top = left.join("deep");
        }
        for name in ["closed/in", "closed", ""] {
            let closed = Permissions::from_mode(0o000);
            fs::set_permissions(left.join(name), closed).expect("a mode");
        }
        set_aside(&left, &trash).expect("it is set aside");
        empty(&trash);
        assert_eq!(fs::read_dir(&trash).expect("the trash").count(), 0);
        assert!(!left.exists());
    }
}
