//! Offering: what waits is handed to another person, and their verdicts come back.
//!
//! In: which changesets are meant; the offer of another person; verdicts that arrived. Out: each change of an offer with its
//! hunks as splices, so that they are the same hunks on the other side (`offered`); proposals of the other person, placed
//! on the files as they are here (`taking`); verdicts that the user gave on those, and which of the arrived ones are about
//! something that waits (`answers`).

pub(super) mod answers;
pub(super) mod offered;
pub(super) mod taking;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use self::answers::{Arrival, GivenVerdict, WrittenProposals};
use self::offered::Offered;
use self::taking::{TakenAll, TakenOffer};
use super::{Engine, EngineError};
use crate::id::{ChangesetId, HunkId};
use crate::stage::review::OtherVerdict;

impl Engine {
    /// Returns what waits as an offer has it, all of it or what is of some changesets; or, in words, why it cannot be offered.
    pub fn offered(
        &mut self,
        changesets: Option<&HashSet<ChangesetId>>,
    ) -> Result<Result<Offered, String>, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        offered::offered(&self.state, changesets)
    }

    /// Notes that these hunks are in an offer, so that verdicts on it find them.
    pub fn mark_offered(
        &mut self,
        offer: &str,
        hunks: &BTreeSet<HunkId>,
    ) -> Result<(), EngineError> {
        let _lock = self.state.begin()?;
        answers::mark_offered(&mut self.state, offer, hunks)
    }

    /// Stages what another person offers; files stay as they are, even where proposals are written at once. What was taken
    /// before changes nothing, but where `is_again`: what of it was denied, or approved and undone since, is staged again. What
    /// waits of offers that it replaces does so no more.
    pub fn take_offer(
        &mut self,
        offer: &TakenOffer,
        is_again: bool,
    ) -> Result<TakenAll, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        taking::take(&mut self.state, &self.syntax, (offer, is_again))
    }

    /// Returns whether there is something to take of an offer.
    pub fn is_untaken(&mut self, offer: &TakenOffer) -> Result<bool, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        taking::is_untaken(&self.state, offer)
    }

    /// Returns the offers in which something is that still waits.
    pub fn made_offers(&mut self) -> Result<BTreeSet<String>, EngineError> {
        let _lock = self.state.begin()?;
        Ok(answers::made(&self.state.overlay.stage.proposals))
    }

    /// Returns the offers of other people of which something was taken, with the hunks, as they are called where they were made.
    pub fn taken_offers(&mut self) -> Result<BTreeMap<String, BTreeSet<HunkId>>, EngineError> {
        let _lock = self.state.begin()?;
        Ok(answers::taken(&self.state.store.taken_proposals()?))
    }

    /// Returns the verdicts that the user gave on what other people offered, by offer.
    pub fn given_verdicts(&mut self) -> Result<Vec<GivenVerdict>, EngineError> {
        let _lock = self.state.begin()?;
        let taken = self.state.store.taken_proposals()?;
        let written = WrittenProposals::of(&self.state, &taken)?;
        Ok(answers::given(&taken, &written))
    }

    /// Takes in verdicts of other people on hunks that were offered here; nothing is written by them.
    pub fn take_verdicts(
        &mut self,
        arrived: Vec<(HunkId, OtherVerdict)>,
    ) -> Result<Vec<Arrival>, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        answers::take_in(&mut self.state, arrived)
    }
}
