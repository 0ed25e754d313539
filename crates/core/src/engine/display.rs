//! Queries for display: what a person sees of staged work and of history. Nothing is changed.
//!
//! In: staged work, files and history. Out: review list, diffs, colours, blame, outcomes.

pub(super) mod changed_moves;
pub(super) mod colours;
pub(super) mod display_hash;
pub(super) mod effects;
pub(super) mod history_queries;
pub(super) mod hunk_blame;
pub(super) mod lines_around;
pub(super) mod net_change;
pub(super) mod outcomes;
pub(super) mod placement;
pub(super) mod proved;
pub(super) mod review_list;
pub(super) mod scoped_diff;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use self::colours::Uncoloured;
use self::history_queries::{NamedChangeset, Patch};
use self::hunk_blame::HunkBlame;
use self::lines_around::{AroundRequest, LinesAround};
use self::net_change::NetChange;
use self::outcomes::Outcomes;
use self::placement::Placement;
use self::scoped_diff::ScopedTexts;
use super::committing::{held_together, unwritable};
use super::{Engine, EngineError};
use crate::id::{HunkId, ProposalId};
use crate::record::history::cherry_pick::FileRecord;
use crate::record::store::Dropped;
use crate::stage::proposal::views::views;
use crate::stage::review::{
    BlameView, DeniedEdit, DiffHunk, DiffScope, HistoryView, ProposalView, ReviewListing,
};

impl Engine {
    /// Returns the proposals that need the user, oldest first, moved onto the files as they
    /// are now.
    pub fn review(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.state.begin()?;
        Ok(self.make_list())
    }

    /// Returns the same as one value to be shared.
    pub fn listing(&mut self) -> Result<ReviewListing, EngineError> {
        let _lock = self.state.begin()?;
        Ok(self.numbered_list())
    }

    /// Makes the review list while the lock is held.
    fn make_list(&mut self) -> Vec<ProposalView> {
        self.state.settle_readable();
        self.list_as_placed()
    }

    /// Makes the review list without a look at the texts on disk.
    fn list_as_placed(&mut self) -> Vec<ProposalView> {
        let overlay = &self.state.overlay;
        let mut views = review_list::review_list(overlay);
        proved::assign(&mut views, overlay, &self.syntax, &mut self.proofs);
        changed_moves::assign(&mut views);
        self.second.hold(&overlay.stage, &mut views);
        views
    }

    /// Makes the review list, as the newest of all, while the lock is held.
    pub(super) fn numbered_list(&mut self) -> ReviewListing {
        self.listings += 1;
        let before = std::mem::take(&mut self.listed);
        let known: HashMap<ProposalId, &Arc<ProposalView>> =
            before.iter().map(|view| (view.id, view)).collect();
        let views = self.make_list().into_iter().map(|view| {
            let same = known.get(&view.id).copied();
            let same = same.filter(|before| ***before == view);
            same.map_or_else(|| Arc::new(view), Arc::clone)
        });
        self.listed = Arc::new(views.collect());
        ReviewListing {
            number: self.listings,
            proposals: Arc::clone(&self.listed),
        }
    }

    /// Returns the proposals that need the user as they were last placed, without a look at the
    /// texts on disk: a verdict on them finds out what changed since.
    pub fn waiting(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.state.begin()?;
        Ok(self.list_as_placed())
    }

    /// Returns the proposals that need the user as they are staged: without what cards say of the files, and without hashes
    /// for verdicts.
    pub fn unshown(&mut self) -> Result<Vec<ProposalView>, EngineError> {
        let _lock = self.state.begin()?;
        Ok(views(&self.state.overlay.stage))
    }

    /// Returns what is needed for the colours of a proposal as it is shown. Lines that are not there any more stay plain.
    pub fn uncoloured(&mut self, view: ProposalView) -> Result<Uncoloured, EngineError> {
        let _lock = self.state.begin()?;
        colours::uncoloured(&self.state.overlay, &self.syntax, view)
    }

    /// Returns who last changed the old lines of a hunk.
    pub fn hunk_blame(&mut self, hunk: HunkId) -> Result<HunkBlame, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        hunk_blame::hunk_blame(&self.state, hunk)
    }

    /// Returns the lines around a hunk.
    pub fn lines_around(&mut self, request: &AroundRequest) -> Result<LinesAround, EngineError> {
        let _lock = self.state.begin()?;
        lines_around::lines_around(&self.state.overlay.stage, &self.syntax, request)
    }

    /// Returns how the place of a proposal was found; nothing if it is not staged any more.
    pub fn placement(&mut self, id: ProposalId) -> Result<Option<Placement>, EngineError> {
        let _lock = self.state.begin()?;
        Ok(placement::placement(&self.state.overlay.stage, id))
    }

    /// Returns what all staged work makes of each file that it changes, in the order of their paths.
    pub fn net_changes(&mut self) -> Result<Vec<NetChange>, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        net_change::net_changes(&self.state.overlay)
    }

    /// Returns what is needed for the diff of a scope; `session` is the conversation that asks.
    pub fn scoped_texts(
        &mut self,
        scope: DiffScope,
        session: &str,
    ) -> Result<ScopedTexts, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        scoped_diff::scoped_texts(&self.state, scope, session)
    }

    /// Returns what became of these proposals and of what these conversations wrote.
    pub fn outcomes(
        &mut self,
        proposals: &[ProposalId],
        sessions: &[String],
    ) -> Result<Outcomes, EngineError> {
        let _lock = self.state.begin()?;
        outcomes::outcomes(&self.state, proposals, sessions)
    }

    /// Returns the proposals that `approve --all` leaves because it leaves the hunks in `left`, each with the reason.
    pub fn held_together(&self, left: &HashSet<HunkId>) -> BTreeMap<ProposalId, String> {
        held_together::held_together(&self.state.overlay.stage, left)
    }

    /// Returns the proposals that cannot be written at present, each with the reason; those of `left` are not to be.
    pub fn unwritable(&self, left: &HashSet<HunkId>) -> BTreeMap<ProposalId, String> {
        unwritable::unwritable(&self.state.overlay, left)
    }

    /// Returns the changeset that is meant by an id, its first or last characters, or `last`: the newest of which
    /// anything is in effect.
    pub fn changeset(&mut self, name: &str) -> Result<NamedChangeset, EngineError> {
        let _lock = self.state.begin_following()?;
        history_queries::changeset(&self.state, name)
    }

    /// Returns history, newest first: of one file, or of all.
    pub fn history(&mut self, path: Option<&str>) -> Result<Vec<HistoryView>, EngineError> {
        let _lock = self.state.begin_following()?;
        history_queries::history(&self.state, path)
    }

    /// Returns the hunks that were denied, newest first: in one file, or in all.
    pub fn denied_hunks(&mut self, path: Option<&str>) -> Result<Vec<DeniedEdit>, EngineError> {
        let _lock = self.state.begin()?;
        let path = path.map(|path| self.state.file_at(path)).transpose()?;
        Ok(self.state.store.denied_hunks(path.as_ref())?)
    }

    /// Returns the lines of a denied hunk as they were shown; none if it is not kept any more.
    pub fn denied_lines(&mut self, number: u64) -> Result<Option<DiffHunk>, EngineError> {
        let _lock = self.state.begin()?;
        let found = self.state.store.denied_hunk(number)?;
        Ok(found.map(|(_, shown)| shown))
    }

    /// Returns what was dropped of the history of one file, or of all.
    pub fn dropped(&mut self, path: Option<&str>) -> Result<Dropped, EngineError> {
        let _lock = self.state.begin_following()?;
        history_queries::dropped(&self.state, path)
    }

    /// Returns files with their histories and what they are now; all that have one, or those of a path.
    pub fn file_records(&mut self, path: Option<&str>) -> Result<Vec<FileRecord>, EngineError> {
        let _lock = self.state.begin_following()?;
        history_queries::file_records(&self.state, path)
    }

    /// Returns what each entry of a file changed, newest first.
    pub fn patches(&mut self, path: &str) -> Result<Vec<Patch>, EngineError> {
        let _lock = self.state.begin_following()?;
        history_queries::patches(&self.state, path)
    }

    /// Returns for each line of a file who last put something into it; a line that was taken back
    /// and put back is still its author's.
    pub fn blame(&mut self, path: &str) -> Result<Vec<BlameView>, EngineError> {
        let _lock = self.state.begin_following()?;
        history_queries::file_blame(&self.state, path)
    }
}
