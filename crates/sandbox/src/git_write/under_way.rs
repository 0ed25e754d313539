//! What stands in the way of a commit, or is ended by one, and what git would run at one.
//!
//! In: the folders of a repository. Out: the merge or its like that is under way; the hooks that `git commit` would run
//! and this room does not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::objects::unwritten;
use super::{CommitRefusal, GitWriter, own_file};
use crate::git_view::{RepositoryChange, UNDER_WAY, UnderWay, UnderWayStep, is_in_conflict, plain};
use crate::regular;

/// What `git commit` runs, in its order.
pub(crate) const HOOKS: [&str; 4] = [
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
];

/// Maximum size of an index that is kept so that the conflicts in it can be put back, in bytes: 100,000 files.
const MAX_INDEX: u64 = 12 << 20;

impl GitWriter<'_> {
    /// Returns whether a change fits what is under way in the repository, or what is in the way of it.
    pub(super) fn step_refusal(
        &self,
        change: &RepositoryChange,
    ) -> Result<Option<CommitRefusal>, String> {
        let found = UnderWay::read(&self.own)?;
        let is_refused = match &change.step {
            Some(UnderWayStep::Ends(known)) if known.is(found.as_ref()) => return Ok(None),
            Some(UnderWayStep::Ends(known)) => {
                return Ok(Some(CommitRefusal::OtherUnderWay(known.what.clone())));
            }
            Some(UnderWayStep::Begins(known)) => found.is_some() && !known.is(found.as_ref()),
            None => found.is_some() && !change.is_staging(),
        };
        Ok(self
            .under_way()
            .filter(|_| is_refused)
            .map(CommitRefusal::UnderWay))
    }

    /// Has a change that resolves conflicts hold the index in which they are, so that it can be taken back.
    ///
    /// # Errors
    ///
    /// Fails if the index cannot be read.
    pub fn keep_index(&self, change: &mut RepositoryChange) -> Result<(), String> {
        let index = self.own.join("index");
        let mut before = change.index.iter().filter_map(|own| own.before.as_ref());
        if before.any(is_in_conflict) && plain::file(&index, MAX_INDEX)? {
            let read = regular::read(&index, MAX_INDEX);
            change.conflicts = Some(read.map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    /// Removes the files of an operation that ends, or writes those of one that begins again.
    pub(super) fn carry_out(&self, step: &UnderWayStep) -> Result<(), String> {
        match step {
            UnderWayStep::Ends(_) => {
                for name in UnderWay::names() {
                    let path = self.own.join(name);
                    let removed = match plain::kind(&path)? {
                        None => continue,
                        Some(found) if found.is_dir() => fs::remove_dir_all(path),
                        Some(_) => fs::remove_file(path),
                    };
                    removed.map_err(unwritten)?;
                }
            }
            UnderWayStep::Begins(known) => {
                for (name, bytes) in &known.files {
                    own_file::write_below(&self.own, name, bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Returns what is left of a step of a change that was cut short, and whether it is begun.
    pub(super) fn rest_of_step(
        &self,
        step: &UnderWayStep,
    ) -> Result<(Option<UnderWayStep>, bool), String> {
        let found = UnderWay::read(&self.own)?;
        Ok(match step {
            UnderWayStep::Ends(_) if found.is_none() => (None, true),
            UnderWayStep::Ends(_) => (Some(step.clone()), false),
            UnderWayStep::Begins(known) => (Some(step.clone()), known.is(found.as_ref())),
        })
    }

    /// Returns what is under way, and has to end before anything is committed.
    pub(super) fn under_way(&self) -> Option<&'static str> {
        let mut known = UNDER_WAY.into_iter();
        let found = known.find(|(name, _)| self.own.join(name).symlink_metadata().is_ok());
        found.map(|(_, what)| what)
    }

    /// Returns the folder in which git looks for hooks here, and whether a setting names it.
    pub(crate) fn hooks_folder(&self) -> (PathBuf, bool) {
        match self.settings.hooks_path(self.user) {
            Some(path) => (self.view.top().join(path), true),
            None => (self.common.join("hooks"), false),
        }
    }

    /// Returns the names of the hooks that `git commit` would run here. None of them runs.
    pub fn hooks(&self) -> Vec<&'static str> {
        let (folder, _) = self.hooks_folder();
        let is_run = |name: &&'static str| {
            folder
                .join(name)
                .metadata()
                .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        HOOKS.into_iter().filter(is_run).collect()
    }
}
