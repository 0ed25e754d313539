//! Project folders: where the programs of a project's own packages are.
//!
//! ```text
//! workspace /w/app, file packages/a/x.ts    /w/app/packages/a, /w/app/packages, /w/app, and
//! /w is the top of its repository           /w, where `npm install` put the packages of all
//! ```

use std::path::{Path, PathBuf};

use signoff_sandbox::git_view::folders_around;

/// Returns a folder of a workspace and those around it up to the top of the repository, the nearest first.
pub(crate) fn upwards(root: &Path, folder: &str) -> impl Iterator<Item = PathBuf> {
    let inner = Path::new(folder)
        .ancestors()
        .map(|folder| root.join(folder));
    inner.chain(folders_around(root).map(Path::to_owned))
}

/// Returns a program that a folder's packages of Node have.
pub(crate) fn package_program(root: &Path, folder: &str, name: &str) -> Option<PathBuf> {
    let mut folders = upwards(root, folder);
    folders.find_map(|folder| {
        let path = folder.join("node_modules/.bin").join(name);
        path.exists().then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_packages_are_found_up_to_the_top_of_the_repository() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a path").join("top");
        let make = |path: &str| std::fs::create_dir_all(top.join(path)).expect("a folder");
        for path in [
            "app/packages/a",
            "node_modules/.bin/jest",
            "../node_modules/.bin/tsc",
        ] {
            make(path);
        }
        let found = |name| package_program(&top.join("app"), "packages/a", name);
        assert_eq!(found("jest"), None);
        make(".git");
        assert_eq!(found("jest"), Some(top.join("node_modules/.bin/jest")));
        assert_eq!(found("tsc"), None);
        make("app/node_modules/.bin/jest");
        assert_eq!(found("jest"), Some(top.join("app/node_modules/.bin/jest")));
    }
}
