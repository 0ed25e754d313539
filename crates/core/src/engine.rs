//! The engine: requests, staged work, files and history of one workspace.
//!
//! In: changes as a model phrased them, and verdicts. Out: answers, the overlay, commits and
//! reverts. Everything is kept in the [`Store`] at once, so that another process can go on
//! from there at any moment.

mod overlay;
mod state;
mod drift;
mod links;
mod staging;
mod program;
mod committing;
mod taking_back;
mod display;
mod standalone;

use std::path::Path;

use committing::transact::Committer;
use display::display_hash::HashesByVerdict;
use display::proved::KnownProofs;
use links::resolved;
use overlay::seen::Seen;
use overlay::{Footing, Overlay, reading};
use staging::unplaced::Unplaced;
use state::WorkspaceState;

use crate::disk::transaction::{CommitError, RolledBack};
use crate::disk::workspace::disk::DiskWorkspace;
use crate::disk::workspace::reserved::ReservedFolders;
use crate::disk::workspace::{
    AccessError, DirEntry, DirEntryKind, PathError, Workspace, WorkspacePath,
};
use crate::id::Ambient;
use crate::record::store::{Store, StoreError};
use crate::stage::proposal::stage::Stage;
use crate::syntax::SyntaxCache;
use crate::text::{Mismatch, NotText, Source};

pub use crate::file::{ProgramBase, ProgramContent, ProgramFile};
pub use committing::adopt::{Adopted, Outside};
pub use committing::decide::{Decided, Decision, HunkOutcome, paths_of};
pub use committing::elsewhere::decided_by_others;
pub use committing::own_text::OwnTextAlarms;
pub use display::colours::{CodeColours, HunkColours, Uncoloured, lines_key};
pub use display::history_queries::{NamedChangeset, Patch};
pub use display::hunk_blame::{BlamedLine, HunkBlame};
pub use display::lines_around::{AroundRequest, LinesAround, MOST_AROUND};
pub use display::net_change::{FileState, NetChange};
pub use display::outcomes::Outcomes;
pub use display::placement::Placement;
pub use display::scoped_diff::ScopedTexts;
pub use links::executed::LinkPlaces;
pub use overlay::reading::{Reading, Unread};
pub use overlay::seen::UserEdit;
pub use program::hand_over::{AgentCard, HandOver, HandedFile, TakenOver};
pub use program::{ProgramRun, ProgramStaged, UnstagedFile};
pub use staging::answer::{Answer, AttemptAnswer, DeniedHunk, Diagnostic, FileAnswer, Status};
pub use staging::draft::{PayloadDraft, Unplanned};
pub use staging::propose::{DraftEnd, SubmittedPayload};
pub use staging::unplaced::{PlaceQuestion, Placed};
pub use standalone::check::{CheckAnswer, check_line};
pub use standalone::oneshot::{LineAnswer, LineRequest, one_shot};
pub use taking_back::as_changes::ReversalChanges;

/// Everything about one workspace.
pub struct Engine {
    state: WorkspaceState,
    /// What is proved of hunks.
    proofs: KnownProofs,
    /// What verdicts made of hunks that wait on.
    by_verdict: HashesByVerdict,
    /// How many review lists were made.
    listings: u64,
    committer: Committer,
    write_through: bool,
    /// Trees and findings of the texts that were planned on.
    syntax: SyntaxCache,
    /// Edits that fit several places.
    unplaced: Unplaced,
}

/// Why the engine could not do its work; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A file.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// A file that is not text.
    #[error("{path}: {reason}")]
    NotText {
        /// The file.
        path: String,
        /// Why.
        reason: NotText,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A commit.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// Layers that do not fit their text: a damaged store.
    #[error("staged work does not fit its file: {0}")]
    Misfit(#[from] Mismatch),
    /// A verdict or a revert where changes can only be proposed.
    #[error(
        "a background agent only proposes changes; the user decides on them. Nothing was written"
    )]
    ProposesOnly,
}

impl From<PathError> for EngineError {
    fn from(error: PathError) -> Self {
        Self::Access(error.into())
    }
}

impl Engine {
    /// Opens the workspace at `root` with its store at `store`. A transaction that another
    /// process left half done is undone first; see [`Self::recovered`].
    pub fn open(root: &Path, store: &Path, ambient: Ambient) -> Result<Self, EngineError> {
        Self::open_without(root, ReservedFolders::default(), store, ambient)
    }

    /// Opens the workspace as [`Self::open`] does, without folders in it that are signoff's own.
    pub fn open_without(
        root: &Path,
        reserved: ReservedFolders,
        store: &Path,
        ambient: Ambient,
    ) -> Result<Self, EngineError> {
        let workspace = DiskWorkspace::open(root).map_err(|source| AccessError::Io {
            step: "open",
            path: root.display().to_string(),
            source,
        })?;
        let workspace = workspace.without(reserved);
        Self::new(Box::new(workspace), Store::open(store)?, ambient)
    }

    /// Opens the workspace at `root` for a background agent, with a store of the agent's own at `store`: changes are
    /// staged over the files as the agent first found them, and nothing can be written.
    pub fn proposing(
        root: &Path,
        reserved: ReservedFolders,
        store: &Path,
        ambient: Ambient,
    ) -> Result<Self, EngineError> {
        let mut engine = Self::open_without(root, reserved, store, ambient)?;
        engine.state.overlay.footing = Footing::Fixed;
        Ok(engine)
    }

    /// Opens any workspace with any store.
    pub fn new(
        workspace: Box<dyn Workspace>,
        store: Store,
        ambient: Ambient,
    ) -> Result<Self, EngineError> {
        let root = workspace.root();
        let mut engine = Self {
            state: WorkspaceState {
                overlay: Overlay {
                    workspace,
                    root,
                    stage: Stage::default(),
                    footing: Footing::Current,
                },
                store,
                ambient,
                recovered: RolledBack::default(),
                torn: false,
                seen: Seen::default(),
            },
            proofs: KnownProofs::default(),
            by_verdict: HashesByVerdict::default(),
            listings: 0,
            committer: Committer::default(),
            write_through: false,
            syntax: SyntaxCache::default(),
            unplaced: Unplaced::default(),
        };
        let _lock = engine.state.begin()?;
        Ok(engine)
    }

    /// Sets how many entries of history are kept per file; at least one.
    pub fn set_history_limit(&mut self, limit: usize) {
        self.committer.history_limit = limit.max(1);
    }

    /// Sets how many bytes history may have before histories are dropped, of the files that
    /// were not written for the longest time first.
    pub fn set_size_limit(&mut self, bytes: u64) {
        self.committer.size_limit = bytes;
    }

    /// Sets whether what is proposed is written at once, with journal and history. What the user
    /// has to see first, as a place that is not exact or a warning, waits all the same.
    pub fn set_write_through(&mut self, write_through: bool) {
        self.write_through = write_through;
    }

    /// Returns the workspace folder.
    pub fn root(&self) -> &Path {
        &self.state.overlay.root
    }

    /// Returns the folders that are no part of the workspace.
    pub fn reserved(&self) -> ReservedFolders {
        self.state.overlay.workspace.reserved()
    }

    /// Returns what was undone of a commit that another process left half done.
    pub fn recovered(&self) -> &RolledBack {
        &self.state.recovered
    }

    /// Returns a file's text with everything staged in it; none if it would not be there.
    pub fn read(&mut self, path: &str) -> Result<Option<Source>, EngineError> {
        let _lock = self.state.begin()?;
        self.state.read(path)
    }

    /// Begins to read a file. The engine is needed for long only if something is staged over it,
    /// or if its workspace has nothing to read with beside it.
    pub fn begin_read(&mut self, path: &str) -> Result<Reading, EngineError> {
        let _lock = self.state.begin()?;
        match reading::unread(&self.state.overlay, path)? {
            Some(unread) => Ok(Reading::OnDisk(unread)),
            None => self.state.read(path).map(Reading::Done),
        }
    }

    /// Begins to read a file for a reader that does not follow the user's changes: records nothing in `Seen`.
    pub fn begin_glance(&mut self, path: &str) -> Result<Reading, EngineError> {
        let _lock = self.state.begin()?;
        match reading::unread(&self.state.overlay, path)? {
            Some(unread) => Ok(Reading::OnDisk(unread)),
            None => self.state.glance(path).map(Reading::Done),
        }
    }

    /// Remembers what was read, so that what the user changes from now on is told.
    pub fn end_read(&mut self, unread: Unread, source: Option<Source>) {
        self.state.seen.remember(&unread.path, source);
    }

    /// Returns what the user changed in files that were read, since they were read or since the
    /// last call. A file that cannot be read now is told of when it can.
    pub fn user_edits(&mut self) -> Vec<UserEdit> {
        let WorkspaceState { seen, overlay, .. } = &mut self.state;
        seen.user_edits(overlay.workspace.as_ref())
    }

    /// Returns the names in a folder, sorted, as they would be with everything staged.
    pub fn list(&mut self, folder: &str) -> Result<Vec<DirEntry>, EngineError> {
        let _lock = self.state.begin()?;
        let overlay = &self.state.overlay;
        overlay.listed(&overlay.path(folder)?)
    }

    /// Returns whether anything is staged over a file.
    pub fn is_staged(&mut self, path: &str) -> Result<bool, EngineError> {
        let _lock = self.state.begin()?;
        let overlay = &self.state.overlay;
        Ok(overlay.stage.stacks.contains_key(&overlay.path(path)?))
    }

    /// Returns the files with staged work, and whether each would be there.
    pub fn staged_paths(&mut self) -> Result<Vec<(String, bool)>, EngineError> {
        let _lock = self.state.begin()?;
        let staged = self.state.overlay.staged()?.into_iter();
        Ok(staged
            .map(|(path, text)| (path.to_string(), text.is_some()))
            .collect())
    }

    /// Returns the links of the workspace, as they are staged now.
    pub fn link_places(&mut self) -> Result<LinkPlaces<'_>, EngineError> {
        let _lock = self.state.begin()?;
        let overlay = &self.state.overlay;
        Ok(LinkPlaces::of(overlay.workspace.as_ref(), &overlay.stage))
    }

    /// Returns the paths that a path leads to, itself first.
    pub fn names_of(&self, path: &WorkspacePath) -> Vec<WorkspacePath> {
        resolved::names_of(&self.state.overlay, path)
    }

    /// Returns what is in a folder on disk; nothing if it cannot be read.
    pub fn on_disk(&self, folder: &WorkspacePath) -> Vec<(WorkspacePath, DirEntryKind)> {
        resolved::on_disk(&self.state.overlay, folder)
    }

    /// Returns every name of the files with staged work.
    pub fn staged_names(&self) -> Vec<WorkspacePath> {
        resolved::staged_names(&self.state.overlay.stage)
    }
}

#[cfg(test)]
mod tests;
