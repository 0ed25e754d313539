//! Removing what programs left, whatever it is: folders that nobody may read, or thousands of folders deep.
//!
//! A tree is flattened while it is removed: its folders are moved up beside it, so that no path grows.
//!
//! ```text
//! trash/7/a/b/c   ->   trash/7/a, trash/8/b, ...   ->   nothing
//! ```

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::beneath::Tree;

/// Moves a file or folder of a tree into the trash.
pub(super) fn set_aside(tree: &Tree, path: &Path, trash: &Tree) -> io::Result<()> {
    match tree.move_to(path, trash, &fresh()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // A folder that is moved has its entry for the folder above rewritten, which takes the right to write it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tree.open_up(path)?;
            tree.move_to(path, trash, &fresh())
        }
        moved => moved,
    }
}

/// Empties the trash on a thread of its own; what is left when this process ends is removed by a later one.
pub(super) fn in_background(trash: &Tree) {
    let is_empty = trash
        .names(Path::new(""))
        .map_or(true, |names| names.is_empty());
    if let (false, Ok(trash)) = (is_empty, trash.again()) {
        thread::spawn(move || empty(&trash));
    }
}

/// Removes all that is in the trash.
pub(super) fn empty(trash: &Tree) {
    // What cannot be removed, as files of another user, is passed over.
    let mut stuck: Vec<OsString> = Vec::new();
    loop {
        let mut any = false;
        for name in trash.names(Path::new("")).into_iter().flatten() {
            if stuck.contains(&name) {
                continue;
            }
            any = true;
            if take_apart(Path::new(&name), trash).is_err() {
                stuck.push(name);
            }
        }
        if !any {
            return;
        }
    }
}

/// Removes a file, or a folder whose folders are moved beside it.
fn take_apart(path: &Path, trash: &Tree) -> io::Result<()> {
    let Ok(found) = trash.metadata(path) else {
        return Ok(());
    };
    if !found.is_dir() {
        return gone(trash.remove_file(path));
    }
    gone(trash.open_up(path))?;
    let Ok(folder) = trash.below(path) else {
        return Ok(());
    };
    for name in folder.names(Path::new("")).into_iter().flatten() {
        let entry = Path::new(&name);
        let is_folder = folder.metadata(entry).is_ok_and(|found| found.is_dir());
        gone(if is_folder {
            set_aside(&folder, entry, trash)
        } else {
            folder.remove_file(entry)
        })?;
    }
    gone(trash.remove_folder(path))
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        // Another process empties the trash as well.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns a name in the trash that nothing has.
fn fresh() -> PathBuf {
    static NAMES: AtomicU64 = AtomicU64::new(0);
    let name = NAMES.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("{}-{name}", process::id()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

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
        let tree = Tree::open(folder.path()).expect("a tree");
        let bin = tree
            .make_below(Path::new("trash"), 0o700)
            .expect("the trash");
        set_aside(&tree, Path::new("left"), &bin).expect("it is set aside");
        empty(&bin);
        assert_eq!(fs::read_dir(&trash).expect("the trash").count(), 0);
        assert!(!left.exists());
    }
}
