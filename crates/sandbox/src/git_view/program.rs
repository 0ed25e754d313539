//! Finds git itself.
//!
//! In: the folders on `PATH`. Out: where git is, in none of the folders that a repository could fill: relative ones, as
//! `node_modules/.bin`, and those below its work tree.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where programs are if nothing says so.
const USUAL: &str = "/usr/bin:/bin";

/// Returns where git is; none if it is nowhere, or only where the repository at `top` could have put it.
pub(super) fn git(path: Option<OsString>, top: &Path) -> Option<PathBuf> {
    let path = path.unwrap_or_else(|| USUAL.into());
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let mut found = folders.map(|folder| folder.join("git"));
    found.find(|program| {
        let real = program.canonicalize();
        !program.starts_with(top)
            && real.is_ok_and(|real| !real.starts_with(top))
            && is_executable(program)
    })
}

fn is_executable(path: &Path) -> bool {
    let found = fs::metadata(path);
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Returns whether a command line has git as one of its words.
pub(crate) fn is_named_in(command: &str) -> bool {
    command.split_whitespace().any(|word| word == "git")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn git_is_never_one_of_the_repositorys_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a folder");
        let (theirs, ours) = (make_git(&folder, "top/bin"), make_git(&folder, "bin"));
        let linked = folder.join("linked");
        symlink(&theirs, &linked).expect("a link");
        let top = folder.join("top");
        let find = |folders: &[&Path]| {
            let path = std::env::join_paths(folders).expect("a path");
            git(Some(path), &top)
        };
        for before in ["", ".", "bin", "node_modules/.bin"].map(Path::new) {
            assert_eq!(find(&[before, &ours]), Some(ours.join("git")));
        }
        for before in [&theirs, &linked] {
            assert_eq!(find(&[before, &ours]), Some(ours.join("git")));
            assert_eq!(find(&[before]), None);
        }
    }

    fn make_git(folder: &Path, name: &str) -> PathBuf {
        let place = folder.join(name);
        fs::create_dir_all(&place).expect("a folder");
        fs::write(place.join("git"), "#!/bin/sh\n").expect("a file");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.join("git"), mode).expect("permissions");
        place
    }
}
