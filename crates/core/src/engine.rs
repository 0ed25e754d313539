//! The engine: requests, staged work, files and history of one workspace.
//!
//! In: changes as a model phrased them, and verdicts. Out: answers, the overlay, commits and
//! reverts. Everything is kept in the [`Store`] at once, so that another process can go on
//! from there at any moment.
//!
//! The one place where requests, staged work, files and history meet. `Engine` is a facade: each of its methods
//! takes the lock, reads what other processes wrote, and hands the parts that are needed to the code of one folder.
//!
//! | part | owns |
//! |---|---|
//! | `Overlay` | the files, and the stage over them; knows no store |
//! | `WorkspaceState` | the overlay, the store that keeps it, the clock, and the files as tools last read them (`Seen`) |
//! | `KnownProofs`, `HashesByVerdict` | what was proved of hunks; what verdicts made of the hunks that wait on |
//! | `Committer` | how much of history is kept; writes files and store in one transaction |
//! | `Unplaced` | edits that fit several places, until the user chooses one |
//!
//! | folder | does | by |
//! |---|---|---|
//! | `overlay`, `state`, `drift` | what all others work on | `Overlay`, `WorkspaceState` |
//! | `staging` | a payload: `site` says what each change is planned on, `draft` plans, `push` stages; `folder` makes of the move of a folder those of its files | `PayloadDraft`, functions of the state |
//! | `program` | stages what a program left, and what a background agent hands over (`hand_over`): `merge` says what becomes of one file, `steps` which proposals come of all, `push` stages them (`docs/decisions/0052`) | functions of the state; `merge` and `steps` are pure |
//! | `committing` | verdicts; `review_required` says what somebody has to see before it is written, `elsewhere` finds hunks that another process decided on, `held_together` what is not written without the rest; `own_text` has guards look at what the user wrote in place of a hunk's text | `Verdicts`, `Committer` |
//! | `offering` | hands what waits to other people, takes what they offer, and their verdicts (`docs/decisions/0075`) | functions of the state |
//! | `taking_back` | a target (`RevertTarget`) foreseen, taken back, or as changes; `selection` says which versions of which files it means, `work_out` what would be written and which files stay, `undo` writes, `revert_conflict` knows what is in the way (`docs/decisions/0046`) | functions of the state |
//! | `display` | queries: history, blame, diffs of a scope, colours, outcomes; `review_list` makes the review list, `display_hash` says whether a hunk is still what was displayed; `proved` and `layout_only` tell hunks that one line says whole | functions of the overlay, the stage or the state, which they only borrow |
//! | `links` | other names of files, where links lead, and what runs a file | functions of the overlay |
//! | `standalone` | edits and checks of one text, without a workspace | `one_shot`, `check_line` |
//!
//! **Invariant:** a payload is a unit. If one change cannot be done, none is staged. A patch for several files
//! becomes one change a file within it.
//!
//! **Invariant:** `decide` writes nothing that was displayed differently to whoever ruled on it. A ruling carries
//! what the list displayed, the engine alone compares, and where a hunk is another by now the answer is `Changed`
//! (`docs/decisions/0047`).
//!
//! **Invariant:** the review list is made once for what changes it: what was staged and what came of verdicts are
//! answered with it, as one numbered value that is shared on its way to the screen. An older one that arrives later
//! is not shown.
//!
//! **Invariant:** a method that reads or changes staged work or history takes the lock first, once, and reads what
//! other processes wrote. After it returns, the store is up to date. What it hands on to takes no lock. Those that
//! only borrow the engine, as `names_of` and `held_together`, answer from what it read last.
//!
//! **Invariant:** a range that lies outside of its text, which is a bug, unwinds before anything made of it is
//! staged or written. Planning catches it (`text::placed`) and refuses the change; after any other, whoever has the
//! lock next reads the stage anew (`docs/decisions/0053`).
//!
//! **Invariant:** the engine of a background agent (`Engine::proposing`) commits nothing, and its layers stay on
//! the texts that it first found (`Footing::Fixed`). Its hand-over is staged in the transaction of the store that
//! records its changeset, so that it is staged once.
//!
//! A change that is planned with other files of its payload, as a name that is renamed in several, has these read
//! with its own: `rename_identifier/companions` says which, and the engine knows nothing of names. They are read
//! when it is the change's turn and not before all planning, because earlier changes of the payload may have made
//! them, and parsing them counts to the payload's budget.
//!
//! A payload is planned beside the engine: `begin_propose` and `next_change` hand out texts, `PayloadDraft` plans
//! and guards without the lock, and `end_propose` stages only if the texts are still those that it was planned on.

mod overlay;
mod state;
mod drift;
mod renames;
mod links;
mod staging;
mod program;
mod committing;
mod offering;
mod taking_back;
mod display;
mod standalone;

use std::path::Path;
use std::sync::Arc;

use committing::transact::Committer;
use display::display_hash::HashesByVerdict;
use display::proved::KnownProofs;
use links::resolved;
use overlay::seen::Seen;
use overlay::{Footing, Overlay, reading};
use renames::Renames;
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
use crate::stage::review::ProposalView;
use crate::syntax::SyntaxCache;
use crate::text::{Mismatch, NotText, Source};

pub use crate::file::{ProgramBase, ProgramContent, ProgramFile};
pub use committing::adopt::{Adopted, Outside};
pub use committing::decide::{Decided, Decision, HunkOutcome, paths_of};
pub use committing::elsewhere::decided_by_others;
pub use committing::own_text::OwnTextAlarms;
pub use committing::second_signature::{SecondSignature, SignaturePaths};
pub use display::colours::{CodeColours, HunkColours, Uncoloured, lines_key};
pub use display::history_queries::{NamedChangeset, Patch};
pub use display::hunk_blame::{BlamedLine, HunkBlame};
pub use display::lines_around::{AroundRequest, LinesAround, MOST_AROUND};
pub use display::net_change::{FileState, NetChange};
pub use display::outcomes::Outcomes;
pub use display::placement::Placement;
pub use display::scoped_diff::ScopedTexts;
pub use links::executed::LinkPlaces;
pub use offering::answers::{Arrival, GivenVerdict};
pub use offering::offered::{Offered, OfferedChange, OfferedText};
pub use offering::taking::{TakeOutcome, TakenAll, TakenChange, TakenOffer};
pub use overlay::reading::{Reading, Unread};
pub use overlay::seen::UserEdit;
pub use program::hand_over::{AgentCard, HandOver, HandedFile, TakenOver};
pub use program::part::{StagedPart, StagedParts};
pub use program::{ProgramRun, ProgramStaged, UnstagedFile};
pub use renames::{FileWalk, WalkedFile};
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
    /// The last of them: what reads the same in the next one is shared with it.
    listed: Arc<Vec<Arc<ProposalView>>>,
    committer: Committer,
    second: SecondSignature,
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
        let workspace = DiskWorkspace::open(root)
            .map_err(|source| AccessError::Io {
                step: "open",
                path: root.display().to_string(),
                source,
            })?
            .without(reserved);
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
                renames: Renames::default(),
            },
            proofs: KnownProofs::default(),
            by_verdict: HashesByVerdict::default(),
            listings: 0,
            listed: Arc::default(),
            committer: Committer::default(),
            second: SecondSignature::default(),
            write_through: false,
            syntax: SyntaxCache::default(),
            unplaced: Unplaced::default(),
        };
        let _lock = engine.state.begin()?;
        Ok(engine)
    }

    /// Sets how many changesets of history are kept per file; at least one.
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

    /// Sets which hunks are written only with the approval of another person.
    pub fn set_second_signature(&mut self, second: SecondSignature) {
        self.second = second;
    }

    /// Says why a text of a file is not committed that no hunk shows, if the file wants a second signature; without a path, why
    /// texts of files are not that are not listed.
    pub fn text_wants_signature(&self, path: Option<&str>) -> Option<String> {
        match path {
            Some(path) => self.second.refusal_of_text(path),
            None => self.second.paths.as_ref().map(|_| {
                "it has more commits than are listed, and some paths want a second signature"
                    .to_owned()
            }),
        }
    }

    /// Sets what lists the files of the workspace, so that history follows those that were moved outside of signoff.
    pub fn set_file_walk(&mut self, walk: FileWalk) {
        self.state.renames.walk = Some(walk);
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
        let staged = self.state.overlay.stage.standing();
        Ok(staged
            .map(|(path, stack)| (path.to_string(), stack.is_some()))
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
