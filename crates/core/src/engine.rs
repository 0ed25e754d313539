//! The engine: requests, staged work, files and history of one workspace.
//!
//! In: changes as a model phrased them, and verdicts. Out: answers, the overlay, commits and
//! reverts. Everything is kept in the [`Store`] at once, so that another process can go on
//! from there at any moment.

mod overlay;
mod state;
mod drift;
mod links;
mod committing;
mod staging;
mod program;
mod taking_back;
mod display;
mod standalone;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use overlay::Overlay;
use state::WorkspaceState;

use crate::disk::transaction::{CommitError, RolledBack};
use crate::disk::workspace::disk::DiskWorkspace;
use crate::disk::workspace::{AccessError, DirEntry, PathError, Workspace, WorkspacePath};
use crate::id::Ambient;
use crate::record::history::DEFAULT_LIMIT;
use crate::record::store::{DEFAULT_SIZE, Store, StoreError};
use crate::stage::proposal::stage::Stage;
use crate::stage::review::ProposalView;
use crate::syntax::SyntaxCache;
use crate::text::{Fingerprint, Mismatch, NotText, Source};

pub use committing::adopt::{Adopted, Outside};
pub use committing::decide::{Decided, Decision, HunkOutcome};
pub use committing::elsewhere::decided_by_others;
pub use display::colours::{CodeColours, HunkColours, Uncoloured, lines_key};
pub use display::history_queries;
pub use display::hunk_blame::{BlamedLine, HunkBlame};
pub use display::layout_only::differs_in_blanks;
pub use display::lines_around::{AroundRequest, LinesAround, MOST_AROUND};
pub use display::net_change::{FileState, NetChange};
pub use display::outcomes::Outcomes;
pub use display::placement::Placement;
pub use display::scoped_diff::ScopedTexts;
pub use links::executed::LinkPlaces;
pub use overlay::reading::{Reading, Unread};
pub use overlay::seen::UserEdit;
pub use program::{
    ProgramBase, ProgramContent, ProgramFile, ProgramRun, ProgramStaged, UnstagedFile,
};
pub use staging::answer::{Answer, AttemptAnswer, DeniedHunk, Diagnostic, FileAnswer, Status};
pub use staging::draft::{Draft, Unplanned};
pub use staging::propose::{Asked, DraftEnd};
pub use staging::unplaced::{PlaceQuestion, Placed};
pub use standalone::check::{CheckAnswer, check_line};
pub use standalone::oneshot::{LineAnswer, LineRequest, one_shot};
pub use taking_back::revert_conflict::RevertConflict;
pub use taking_back::undo::{
    ChangesetPreview, ChangesetUndone, FileUndone, Preview, RevertForecast, TakenBack, Undone,
};

/// Everything about one workspace.
pub struct Engine {
    state: WorkspaceState,
    /// What each file's layers stood on when this process last showed them.
    shown: HashMap<WorkspacePath, Option<Fingerprint>>,
    history_limit: usize,
    size_limit: u64,
    write_through: bool,
    /// Files with staged work that have other names, as last shown.
    linked: BTreeSet<WorkspacePath>,
    /// Files with staged work that make a program run and what runs them, as last shown.
    executed: BTreeMap<WorkspacePath, links::executed::ExecutionMark>,
    seen: overlay::seen::Seen,
    /// Trees and findings of the texts that were planned on.
    syntax: SyntaxCache,
    /// Attributes that the newest transaction could not keep, a line each file.
    unkept: Vec<String>,
    /// Edits that fit several places.
    unplaced: staging::unplaced::Unplaced,
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
        let workspace = DiskWorkspace::open(root).map_err(|source| AccessError::Io {
            step: "open",
            path: root.display().to_string(),
            source,
        })?;
        Self::new(Box::new(workspace), Store::open(store)?, ambient)
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
                },
                store,
                ambient,
                recovered: RolledBack::default(),
                torn: false,
            },
            shown: HashMap::new(),
            history_limit: DEFAULT_LIMIT,
            size_limit: DEFAULT_SIZE,
            write_through: false,
            linked: BTreeSet::new(),
            executed: BTreeMap::new(),
            seen: overlay::seen::Seen::default(),
            syntax: SyntaxCache::default(),
            unkept: Vec::new(),
            unplaced: staging::unplaced::Unplaced::default(),
        };
        let _lock = engine.state.begin()?;
        Ok(engine)
    }

    /// Sets how many entries of history are kept per file; at least one.
    pub fn set_history_limit(&mut self, limit: usize) {
        self.history_limit = limit.max(1);
    }

    /// Sets how many bytes history may have before histories are dropped, of the files that
    /// were not written for the longest time first.
    pub fn set_size_limit(&mut self, bytes: u64) {
        self.size_limit = bytes;
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

    /// Returns what was undone of a commit that another process left half done.
    pub fn recovered(&self) -> &RolledBack {
        &self.state.recovered
    }

    /// Returns a file's text with everything staged in it; none if it would not be there.
    pub fn read(&mut self, path: &str) -> Result<Option<Source>, EngineError> {
        let _lock = self.state.begin()?;
        let path = self.state.overlay.path(path)?;
        let source = overlay::reading::text(&path, self.state.text(&path)?)?;
        let stage = &self.state.overlay.stage;
        let key = stage.key_of(&path).unwrap_or(&path);
        let on_disk = match stage.stacks.get(key) {
            Some(stack) => stack.base.clone(),
            None => source.clone(),
        };
        self.seen.remember(key, on_disk);
        Ok(source)
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

    /// Returns the proposals that need the user, oldest first, moved onto the files as they
    /// are now.
    pub fn review(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_readable();
        Ok(self.show())
    }

    /// Returns the proposals that need the user as they were last shown, without a look at the
    /// files: a verdict on them finds out what changed since.
    pub fn waiting(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.state.begin()?;
        self.look_for_programs();
        Ok(self.views())
    }

    /// Returns the review list and notes what it stands on.
    fn show(&mut self) -> Vec<ProposalView> {
        let stacks = self.state.overlay.stage.stacks.iter();
        self.shown = stacks
            .map(|(path, stack)| (path.clone(), stack.base.as_ref().map(Source::fingerprint)))
            .collect();
        self.look_for_links();
        self.look_for_programs();
        self.views()
    }
}

#[cfg(test)]
mod tests;
