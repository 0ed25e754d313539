//! The engine: requests, staged work, files and history of one workspace.
//!
//! In: changes as a model phrased them, and verdicts. Out: answers, the overlay, commits and
//! reverts. Everything is kept in the [`Store`] at once, so that another process can go on
//! from there at any moment.

mod adopt;
mod answer;
mod changed_moves;
mod check;
mod colours;
mod crates;
mod revert_conflict;
mod decide;
mod review_required;
mod held_together;
mod draft;
mod elsewhere;
mod executed;
mod outcomes;
mod folder;
mod denied_before;
mod hunk_blame;
mod layout_only;
mod lines_around;
mod linked;
mod moving;
mod net_change;
mod oneshot;
mod overlay;
pub mod history_queries;
mod placement;
mod program;
mod propose;
mod proved;
mod reading;
mod redo;
mod resolved;
mod same_rewrites;
mod scoped_diff;
mod seen;
mod texts;
mod transact;
mod undo;
mod unplaced;
mod unwritable;
mod written_since;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::disk::transaction::{CommitError, RolledBack};
use crate::disk::workspace::disk::DiskWorkspace;
use crate::disk::workspace::{AccessError, PathError, Workspace, WorkspacePath};
use crate::id::Ambient;
use crate::record::history::DEFAULT_LIMIT;
use crate::record::store::{DEFAULT_SIZE, Store, StoreError, StoreLock};
use crate::stage::proposal::stage::Stage;
use crate::stage::review::ProposalView;
use crate::syntax::SyntaxCache;
use crate::text::{Fingerprint, Mismatch, NotText, Source};

pub use crate::file::{ProgramBase, ProgramContent, ProgramFile};
pub use adopt::{Adopted, Outside};
pub use answer::{Answer, AttemptAnswer, DeniedHunk, Diagnostic, FileAnswer, Status};
pub use check::{CheckAnswer, check_line};
pub use colours::{CodeColours, HunkColours, Uncoloured, lines_key};
pub use decide::{Decided, Decision, HunkOutcome};
pub use draft::{Draft, Unplanned};
pub use elsewhere::decided_by_others;
pub use executed::LinkPlaces;
pub use hunk_blame::{BlamedLine, HunkBlame};
pub use layout_only::differs_in_blanks;
pub use lines_around::{AroundRequest, LinesAround, MOST_AROUND};
pub use net_change::{FileState, NetChange};
pub use oneshot::{LineAnswer, LineRequest, one_shot};
pub use outcomes::Outcomes;
pub use placement::Placement;
pub use program::{ProgramRun, ProgramStaged, UnstagedFile};
pub use propose::{Asked, DraftEnd};
pub use reading::{Reading, Unread};
pub use revert_conflict::RevertConflict;
pub use scoped_diff::ScopedTexts;
pub use seen::UserEdit;
pub use undo::{
    ChangesetPreview, ChangesetUndone, FileUndone, Preview, RevertForecast, TakenBack, Undone,
};
pub use unplaced::{PlaceQuestion, Placed};

/// Everything about one workspace.
pub struct Engine {
    workspace: Box<dyn Workspace>,
    store: Store,
    ambient: Ambient,
    stage: Stage,
    root: PathBuf,
    /// What each file's layers stood on when this process last showed them.
    shown: HashMap<WorkspacePath, Option<Fingerprint>>,
    history_limit: usize,
    size_limit: u64,
    write_through: bool,
    recovered: RolledBack,
    /// Whether a transaction of this process could not be undone to its end.
    torn: bool,
    /// Files with staged work that have other names, as last shown.
    linked: BTreeSet<WorkspacePath>,
    /// Files with staged work that make a program run and what runs them, as last shown.
    executed: BTreeMap<WorkspacePath, executed::ExecutionMark>,
    seen: seen::Seen,
    /// Trees and findings of the texts that were planned on.
    syntax: SyntaxCache,
    /// Attributes that the newest transaction could not keep, a line each file.
    unkept: Vec<String>,
    /// Edits that fit several places.
    unplaced: unplaced::Unplaced,
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
            workspace,
            store,
            ambient,
            stage: Stage::default(),
            root,
            shown: HashMap::new(),
            history_limit: DEFAULT_LIMIT,
            size_limit: DEFAULT_SIZE,
            write_through: false,
            recovered: RolledBack::default(),
            torn: false,
            linked: BTreeSet::new(),
            executed: BTreeMap::new(),
            seen: seen::Seen::default(),
            syntax: SyntaxCache::default(),
            unkept: Vec::new(),
            unplaced: unplaced::Unplaced::default(),
        };
        let _lock = engine.begin()?;
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
        &self.root
    }

    /// Returns what was undone of a commit that another process left half done.
    pub fn recovered(&self) -> &RolledBack {
        &self.recovered
    }

    /// Returns the proposals that need the user, oldest first, moved onto the files as they
    /// are now.
    pub fn review(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.begin()?;
        let keys: Vec<WorkspacePath> = self.stage.stacks.keys().cloned().collect();
        // A file that cannot be read now keeps its layers for later.
        let moved = keys.iter().filter_map(|key| self.place_anew(key).ok()?);
        let moved: Vec<WorkspacePath> = moved.collect();
        if !moved.is_empty() {
            // Found out again by whoever looks next.
            let _unsaved = self.save(&moved);
        }
        Ok(self.show())
    }

    /// Returns the proposals that need the user as they were last shown, without a look at the
    /// files: a verdict on them finds out what changed since.
    pub fn waiting(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.begin()?;
        self.look_for_programs();
        Ok(self.views())
    }

    /// Returns the review list and notes what it stands on.
    fn show(&mut self) -> Vec<ProposalView> {
        let stacks = self.stage.stacks.iter();
        self.shown = stacks
            .map(|(path, stack)| (path.clone(), stack.base.as_ref().map(Source::fingerprint)))
            .collect();
        self.look_for_links();
        self.look_for_programs();
        self.views()
    }

    /// Takes the writers' turn, undoes what a dead process left, and reads what others wrote.
    fn begin(&mut self) -> Result<StoreLock, EngineError> {
        let lock = self.store.lock()?;
        if self.store.changed()? || self.torn {
            self.recover()?;
            self.torn = false;
            self.stage = self.store.stage()?;
        }
        Ok(lock)
    }

    /// Undoes transactions that did not end. Whoever holds the lock knows that none runs.
    fn recover(&mut self) -> Result<(), EngineError> {
        for record in self.store.journal()? {
            let undone = record.roll_back(self.workspace.as_mut())?;
            self.store.transact(|writer| writer.end(&record.tag))?;
            self.recovered.commits += undone.commits;
            self.recovered.restored.extend(undone.restored);
            self.recovered.left.extend(undone.left);
        }
        Ok(())
    }

    /// Moves a file's layers onto the file as it is now, and keeps that; returns whether
    /// anything moved. The path is any that the file has with some of what is staged.
    fn settle(&mut self, path: &WorkspacePath) -> Result<bool, EngineError> {
        let moved = self.place_anew(path)?;
        if let Some(key) = &moved {
            self.save(std::slice::from_ref(key))?;
        }
        Ok(moved.is_some())
    }

    /// Does so without keeping it; returns the key of the file if anything moved.
    fn place_anew(&mut self, path: &WorkspacePath) -> Result<Option<WorkspacePath>, EngineError> {
        let Some(key) = self.stage.key_of(path).cloned() else {
            return Ok(None);
        };
        let own = self.workspace.entry(&key).and_then(|own| {
            let path = key.to_string();
            if own == key {
                self.workspace.read(&key)
            } else {
                Err(PathError::Relinked { path }.into())
            }
        });
        let mut moved = match own {
            Ok(image) => self.stage.settle(&key, image.map(|image| image.source)),
            // The user has put something there that no text can be moved onto: the rest goes on without it.
            Err(
                error @ (AccessError::Path(_)
                | AccessError::IsFolder { .. }
                | AccessError::NotRegular { .. }
                | AccessError::BelowFile { .. }
                | AccessError::TooLarge { .. }),
            ) => self.stage.block(&key, &error.to_string()),
            Err(error) => return Err(error.into()),
        };
        if self.stage.replaces_mode(&key)
            && let Some(now) = self.workspace.attributes(&key)?
        {
            moved |= self.stage.settle_mode(&key, now.mode);
        }
        let stack = self.stage.stacks.get(&key);
        let mut targets = stack.into_iter().flat_map(|stack| &stack.layers);
        // What cannot be read is there as well.
        let taken = targets.find_map(|layer| {
            let to = layer.to()?;
            (!matches!(self.workspace.read(to), Ok(None))).then(|| to.clone())
        });
        if let Some(taken) = taken {
            self.stage.obstruct(&key, &taken);
            moved = true;
        }
        Ok(moved.then_some(key))
    }

    /// Moves all that is staged onto the files as they are now.
    fn settle_all(&mut self) -> Result<(), EngineError> {
        let keys: Vec<WorkspacePath> = self.stage.stacks.keys().cloned().collect();
        // One transaction of the store: a branch that was checked out may have changed thousands of files.
        let mut moved = Vec::new();
        let placed = keys.iter().try_for_each(|key| {
            moved.extend(self.place_anew(key)?);
            Ok(())
        });
        if !moved.is_empty() {
            self.save(&moved)?;
        }
        placed
    }

    /// Keeps what is staged over `paths`.
    fn save(&mut self, paths: &[WorkspacePath]) -> Result<(), EngineError> {
        let closed = self.stage.close();
        let stage = &self.stage;
        self.store
            .transact(|writer| writer.save_stage(stage, paths, &closed))?;
        Ok(())
    }

    /// Returns the one path that stands for a file, whatever links lead to it. A link with staged work stands
    /// for itself.
    fn path(&self, text: &str) -> Result<WorkspacePath, AccessError> {
        let path = WorkspacePath::parse(text, &self.root)?;
        if self.stage.key_of(&path).is_some() {
            return Ok(path);
        }
        self.workspace.canonical(&path)
    }
}

#[cfg(test)]
mod tests;
