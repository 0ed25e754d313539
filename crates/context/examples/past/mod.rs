//! The past of a repository: its commits, and the tree before each in a copy.

use std::path::{Path, PathBuf};
use std::process::Command;

use ignore::WalkBuilder;
use signoff_context::disk::Store;
use signoff_context::history::LOG_OPTIONS;
use signoff_context::index::Index;
use tempfile::TempDir;

/// A copy of a repository, in which earlier trees are checked out.
pub(crate) struct Past {
    scratch: TempDir,
    tree: PathBuf,
    store: Store,
}

impl Past {
    pub(crate) fn of(repository: &Path) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().join("tree");
        let from = repository.to_string_lossy();
        let clone = ["clone", "-q", "--no-checkout", &from, "tree"];
        git(scratch.path(), &clone).unwrap();
        let store = Store::new(&tree, &scratch.path().join("index"));
        Self {
            scratch,
            tree,
            store,
        }
    }

    /// Checks out the tree before a commit. Returns its folder; none for the first commit.
    pub(crate) fn before(&self, commit: &str) -> Option<&Path> {
        let parent = format!("{commit}~1");
        git(&self.tree, &["checkout", "-q", "--force", &parent])?;
        let _whole = std::fs::remove_file(self.scratch.path().join("index/history"));
        Some(&self.tree)
    }

    /// Returns the index of what is checked out.
    pub(crate) fn index(&self, has_history: bool) -> Index {
        let log = |_: Option<&str>| {
            let log: &[&str] = &["-c", "core.quotePath=false", "log"];
            let arguments = [log, LOG_OPTIONS, &["HEAD"]].concat();
            git(&self.tree, &arguments).filter(|_| has_history)
        };
        let files = WalkBuilder::new(&self.tree).hidden(false).to_owned();
        self.store.refresh(&files, &log).unwrap()
    }
}

/// Returns what git prints; none if it fails.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(folder).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}
