//! State of one workspace: the overlay, and the store that keeps it.
//!
//! In: a change of the stage, or what others wrote meanwhile. Out: both the same, here and in the store. Whoever holds
//! the lock that [`WorkspaceState::begin`] returns has the newest state.

use super::EngineError;
use super::overlay::seen::Seen;
use super::overlay::{Overlay, reading};
use super::renames::Renames;
use crate::disk::transaction::RolledBack;
use crate::disk::workspace::WorkspacePath;
use crate::id::{Ambient, ChangesetId, Timestamp};
use crate::record::store::{Store, StoreLock};
use crate::text::Source;

/// What the parts of the engine work on, one after the other.
pub(super) struct WorkspaceState {
    pub(super) overlay: Overlay,
    pub(super) store: Store,
    pub(super) ambient: Ambient,
    /// What was undone of commits that other processes left half done.
    pub(super) recovered: RolledBack,
    /// Whether a transaction of this process could not be undone to its end.
    pub(super) torn: bool,
    /// Files as tools last read them, or as they were written here since.
    pub(super) seen: Seen,
    /// Files that were moved outside of signoff.
    pub(super) renames: Renames,
}

impl WorkspaceState {
    /// Takes the writers' turn, undoes what a dead process left, and reads what others wrote.
    pub(super) fn begin(&mut self) -> Result<StoreLock, EngineError> {
        // The lock comes first: what is read before it, its holder may be writing.
        let lock = self.store.lock()?;
        if self.store.changed()? || self.torn {
            // Before the stage is read, which describes files as they are without what was half written.
            self.recover()?;
            self.torn = false;
            self.overlay.stage = self.store.stage()?;
        }
        Ok(lock)
    }

    /// Returns the time of entries that are written now: later than that of any entry. The clock may have been set back, and
    /// the last changeset is the one that was written last.
    pub(super) fn time_of_entries(&self) -> Result<Timestamp, EngineError> {
        let now = (self.ambient.now)();
        let newest = self.store.newest()?;
        Ok(newest.map_or(now, |newest| now.max(Timestamp(newest.0.saturating_add(1)))))
    }

    /// Undoes transactions that did not end. Whoever holds the lock knows that none runs.
    fn recover(&mut self) -> Result<(), EngineError> {
        for record in self.store.journal()? {
            let undone = record.roll_back(self.overlay.workspace.as_mut())?;
            // The record goes last: after a crash before this line, all is rolled back once more, which changes nothing.
            self.store.transact(|writer| writer.end(&record.tag))?;
            self.recovered.commits += undone.commits;
            self.recovered.restored.extend(undone.restored);
            self.recovered.left.extend(undone.left);
        }
        Ok(())
    }

    /// Moves a file's layers onto the file as it is now, and keeps that; returns whether
    /// anything moved. The path is any that the file has with some of what is staged.
    pub(super) fn settle(&mut self, path: &WorkspacePath) -> Result<bool, EngineError> {
        let key = self.overlay.stage.key_of(path).cloned();
        let followed = self.follow_staged(key.as_slice())?;
        let mut moved = Vec::new();
        for path in followed.iter().chain([path]) {
            moved.extend(self.overlay.place_anew(path)?);
        }
        if !moved.is_empty() {
            self.save(&moved)?;
        }
        Ok(!moved.is_empty() || !followed.is_empty())
    }

    /// Moves all that is staged onto the files as they are now.
    pub(super) fn settle_all(&mut self) -> Result<(), EngineError> {
        self.follow_staged(&self.overlay.stage.keys())?;
        let keys = self.overlay.stage.keys();
        // One transaction of the store: a branch that was checked out may have changed thousands of files.
        let mut moved = Vec::new();
        let placed = keys.iter().try_for_each(|key| {
            moved.extend(self.overlay.place_anew(key)?);
            Ok(())
        });
        if !moved.is_empty() {
            self.save(&moved)?;
        }
        placed
    }

    /// Moves onto the files as they are now what can be: a file that cannot be read keeps its layers for later.
    pub(super) fn settle_readable(&mut self) {
        // What cannot be followed is a conflict then, which says that the file is gone.
        let _followed = self.follow_staged(&self.overlay.stage.keys());
        let keys = self.overlay.stage.keys();
        let moved: Vec<WorkspacePath> = keys
            .iter()
            .filter_map(|key| self.overlay.place_anew(key).ok()?)
            .collect();
        if !moved.is_empty() {
            // Found out again by whoever looks next.
            let _unsaved = self.save(&moved);
        }
    }

    /// Keeps what is staged over `paths`.
    pub(super) fn save(&mut self, paths: &[WorkspacePath]) -> Result<(), EngineError> {
        self.save_handed(paths, None)
    }

    /// Keeps what is staged over `paths`, and in the same transaction that a changeset was handed over, so that neither
    /// is there without the other.
    pub(super) fn save_handed(
        &mut self,
        paths: &[WorkspacePath],
        handed: Option<ChangesetId>,
    ) -> Result<(), EngineError> {
        let closed = self.overlay.stage.close();
        let stage = &self.overlay.stage;
        self.store.transact(|writer| {
            writer.save_stage(stage, paths, &closed)?;
            handed.map_or(Ok(()), |changeset| writer.hand_over(changeset))
        })?;
        Ok(())
    }

    /// Reads a file with everything staged in it; none if it would not be there.
    pub(super) fn glance(&mut self, path: &str) -> Result<Option<Source>, EngineError> {
        let path = self.overlay.path(path)?;
        reading::text(&path, self.text(&path)?)
    }

    /// Reads a file with everything staged in it, and remembers what was read; none if it would not be there.
    pub(super) fn read(&mut self, path: &str) -> Result<Option<Source>, EngineError> {
        let path = self.overlay.path(path)?;
        let source = reading::text(&path, self.text(&path)?)?;
        let stage = &self.overlay.stage;
        let key = stage.key_of(&path).unwrap_or(&path);
        let on_disk = match stage.stacks.get(key) {
            Some(stack) => stack.base.clone(),
            None => source.clone(),
        };
        self.seen.remember(key, on_disk);
        Ok(source)
    }

    /// Returns a file's text with everything staged in it, moved onto the file as it is now.
    pub(super) fn text(&mut self, path: &WorkspacePath) -> Result<Option<Source>, EngineError> {
        self.settle(path)?;
        self.overlay.text(path)
    }

    /// Returns the path of the file that has this one, or was last moved away from it. A link that was
    /// written here stands for itself.
    pub(super) fn file_at(&self, path: &str) -> Result<WorkspacePath, EngineError> {
        let Overlay {
            workspace, root, ..
        } = &self.overlay;
        let own = workspace.entry(&WorkspacePath::parse(path, root)?)?;
        if !self.store.history(&own)?.entries.is_empty() {
            return Ok(own);
        }
        let path = self.overlay.path(path)?;
        let gone = matches!(workspace.read(&path), Ok(None));
        if !gone || !self.store.history(&path)?.entries.is_empty() {
            return Ok(path);
        }
        Ok(self.store.moved_from(&path)?.unwrap_or(path))
    }
}
