//! What is known of the files with staged work beside their texts: other names, and what runs them.
//!
//! In: files. Out: their marks as they are now, which their cards show.

use std::collections::{BTreeMap, BTreeSet};

use super::executed::{ExecutionMark, programs};
use super::linked::is_linked;
use crate::disk::workspace::WorkspacePath;
use crate::engine::overlay::Overlay;

/// The marks of files with staged work.
#[derive(Debug)]
pub(in crate::engine) struct FileMarks {
    /// Files that have other names.
    linked: BTreeSet<WorkspacePath>,
    /// Files that make a program run, and what runs them.
    executed: BTreeMap<WorkspacePath, ExecutionMark>,
}

impl FileMarks {
    /// Looks at files.
    pub(in crate::engine) fn of<'k>(
        overlay: &Overlay,
        keys: impl Iterator<Item = &'k WorkspacePath> + Clone,
    ) -> Self {
        let linked = keys.clone().filter(|key| is_linked(overlay, key));
        Self {
            linked: linked.cloned().collect(),
            executed: programs(overlay, keys),
        }
    }

    /// Returns whether a file has other names.
    pub(in crate::engine) fn is_linked(&self, key: &WorkspacePath) -> bool {
        self.linked.contains(key)
    }

    /// Returns what runs a file, if anything does.
    pub(in crate::engine) fn mark(&self, key: &WorkspacePath) -> Option<&ExecutionMark> {
        self.executed.get(key)
    }
}
