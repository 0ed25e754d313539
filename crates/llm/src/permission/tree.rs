//! What rules have to know of the workspace: where paths lead, and what is in folders.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use signoff_core::disk::workspace::{DirEntryKind, WorkspacePath};
use signoff_core::engine::Engine;

/// The workspace as rules see it, with what is staged.
pub trait Tree: Send + Sync {
    /// Returns the paths that a path leads to: through links, and by staged moves.
    fn names(&self, path: &WorkspacePath) -> Vec<WorkspacePath>;

    /// Returns what is in a folder on disk.
    fn list(&self, folder: &WorkspacePath) -> Vec<(WorkspacePath, DirEntryKind)>;

    /// Returns every name of the files with staged work.
    fn staged(&self) -> Vec<WorkspacePath>;
}

/// The workspace, where there is one to look at.
#[derive(Clone, Default)]
pub(super) struct KnownTree(pub(super) Option<Arc<dyn Tree>>);

impl fmt::Debug for KnownTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KnownTree").field(&self.0.is_some()).finish()
    }
}

impl Tree for Mutex<Engine> {
    fn names(&self, path: &WorkspacePath) -> Vec<WorkspacePath> {
        let engine = self.lock().unwrap_or_else(PoisonError::into_inner);
        engine.names_of(path)
    }

    fn list(&self, folder: &WorkspacePath) -> Vec<(WorkspacePath, DirEntryKind)> {
        let engine = self.lock().unwrap_or_else(PoisonError::into_inner);
        engine.on_disk(folder)
    }

    fn staged(&self) -> Vec<WorkspacePath> {
        let engine = self.lock().unwrap_or_else(PoisonError::into_inner);
        engine.staged_names()
    }
}
