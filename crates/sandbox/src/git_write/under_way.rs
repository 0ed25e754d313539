//! What stands in the way of a commit, and what git would run at one.
//!
//! In: the folders of a repository. Out: the merge or its like that is under way; the hooks that `git commit` would run
//! and this room does not.

use std::os::unix::fs::PermissionsExt as _;

use super::GitWriter;

/// What git leaves while something is under way, and its word for it.
const UNDER_WAY: [(&str, &str); 5] = [
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
];

/// What `git commit` runs, in its order.
const HOOKS: [&str; 4] = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
];

impl GitWriter<'_> {
    /// Returns what is under way, and has to end before anything is committed.
    pub(super) fn under_way(&self) -> Option<&'static str> {
        let mut known = UNDER_WAY.into_iter();
        let found = known.find(|(name, _)| self.own.join(name).symlink_metadata().is_ok());
        found.map(|(_, what)| what)
    }

    /// Returns the names of the hooks that `git commit` would run here. None of them runs.
    pub fn hooks(&self) -> Vec<&'static str> {
        let folder = match self.settings.hooks_path(self.user) {
            Some(path) => self.view.top().join(path),
            None => self.common.join("hooks"),
        };
        let is_run = |name: &&'static str| {
            folder
                .join(name)
                .metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        HOOKS.into_iter().filter(is_run).collect()
    }
}
