//! The proposals of a conversation as the editor knows them.
//!
//! In: what was staged, the review list, and what became of hunks. Out: updates for what the editor has to show otherwise,
//! and which proposal the user is asked about next.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use agent_client_protocol_schema::v1::{
    SessionUpdate, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::json;
use signoff_core::engine::HunkOutcome;
use signoff_core::id::{HunkId, ProposalId};
use signoff_core::stage::review::{
    DisplayHash, HunkState, ProposalView, ReviewListing, Ruling, Sight, Verdict,
};
use signoff_draw::sanitize;

use super::card::{self, EditorCard};

/// A proposal of this conversation.
#[derive(Debug)]
struct OfferedProposal {
    id: ProposalId,
    card: EditorCard,
    /// Its hunks that wait, as they are displayed by now on a card that reads the same.
    displayed: HashMap<HunkId, DisplayHash>,
    waits: bool,
    /// Whether the user left it when they were asked in this prompt.
    is_left: bool,
}

impl OfferedProposal {
    /// Tells whether it reads as it was shown.
    fn is_among(&self, shown: &[(ProposalId, EditorCard)]) -> bool {
        let own = (self.id, &self.card);
        shown.iter().any(|(id, card)| (*id, card) == own)
    }
}

/// The proposals of a conversation, in the order in which they were staged.
#[derive(Debug, Default)]
pub(super) struct OfferedProposals(Vec<OfferedProposal>);

/// What a review list has that the editor does not know.
#[derive(Debug, Default)]
pub(super) struct ReviewNews {
    pub(super) updates: Vec<SessionUpdate>,
    /// Proposals that read differently.
    pub(super) changed: Vec<ProposalId>,
    /// Proposals that do not wait any more.
    pub(super) gone: Vec<ProposalId>,
}

impl OfferedProposals {
    /// Takes a proposal that was staged, and returns its update.
    pub(super) fn stage(&mut self, view: &ProposalView, root: &Path) -> SessionUpdate {
        let card = EditorCard::of(view, root);
        let state = view.state();
        let is_known = self.has(view.id);
        let update = shown(&card, view.id, card::status(state), is_known);
        self.0.retain(|proposal| proposal.id != view.id);
        self.0.push(OfferedProposal {
            id: view.id,
            card,
            displayed: displayed(view),
            waits: state == HunkState::Pending,
            is_left: false,
        });
        update
    }

    fn has(&self, id: ProposalId) -> bool {
        self.0.iter().any(|proposal| proposal.id == id)
    }

    /// Takes the proposals of `ours` that wait in the review list and are not known, and returns their updates.
    pub(super) fn take_up(
        &mut self,
        list: &ReviewListing,
        ours: &BTreeSet<ProposalId>,
        root: &Path,
    ) -> Vec<SessionUpdate> {
        let found: Vec<&ProposalView> = list
            .iter()
            .filter(|view| ours.contains(&view.id) && !self.has(view.id))
            .filter(|view| view.pending().next().is_some())
            .collect();
        let updates = found.into_iter().map(|view| self.stage(view, root));
        updates.collect()
    }

    /// Returns what denies proposals that wait as they were shown.
    pub(super) fn denials(
        &self,
        shown: &[(ProposalId, EditorCard)],
        reason: Option<&str>,
    ) -> Vec<Ruling> {
        let meant = self.0.iter().filter(|own| own.waits && own.is_among(shown));
        let verdict = Verdict::Deny {
            reason: reason.map(str::to_owned),
        };
        meant
            .flat_map(|own| self.rulings(own.id, &own.card, &verdict))
            .collect()
    }

    /// Returns a verdict on each hunk of a card that was shown. Where the proposal reads differently by now, they are about
    /// nothing that is displayed, and the engine approves none.
    pub(super) fn rulings(
        &self,
        id: ProposalId,
        card: &EditorCard,
        verdict: &Verdict,
    ) -> Vec<Ruling> {
        let mut offered = self.0.iter();
        let offered = offered.find(|proposal| proposal.id == id && proposal.card == *card);
        let rulings = card.hunks().map(|hunk| {
            let displayed = offered.and_then(|proposal| proposal.displayed.get(&hunk));
            Ruling {
                hunk,
                displayed: displayed.map_or(DisplayHash::default(), |hash| *hash),
                sight: Sight::Editor,
                verdict: verdict.clone(),
            }
        });
        rulings.collect()
    }

    /// Returns all that wait, as they were shown.
    pub(super) fn waiting_cards(&self) -> Vec<(ProposalId, EditorCard)> {
        let waiting = self.0.iter().filter(|own| own.waits);
        waiting.map(|own| (own.id, own.card.clone())).collect()
    }

    /// Takes the review list.
    pub(super) fn review(&mut self, list: &ReviewListing, root: &Path) -> ReviewNews {
        let mut news = ReviewNews::default();
        for own in &mut self.0 {
            let waiting = list.iter().find(|view| view.id == own.id);
            match waiting.filter(|view| view.pending().next().is_some()) {
                Some(view) => {
                    own.waits = true;
                    own.displayed = displayed(view);
                    let card = EditorCard::of(view, root);
                    if card != own.card {
                        news.updates
                            .push(shown(&card, own.id, ToolCallStatus::Pending, true));
                        news.changed.push(own.id);
                        own.card = card;
                    }
                }
                None if own.waits => {
                    own.waits = false;
                    news.gone.push(own.id);
                }
                None => {}
            }
        }
        news
    }

    /// Returns the proposal to ask about next, if one is left.
    pub(super) fn next(&self) -> Option<(ProposalId, &EditorCard)> {
        let mut waiting = self.0.iter().filter(|proposal| proposal.waits);
        let next = waiting.find(|proposal| !proposal.is_left && proposal.card.is_whole)?;
        Some((next.id, &next.card))
    }

    /// Leaves a proposal staged, or all, until the next prompt.
    pub(super) fn leave(&mut self, one: Option<ProposalId>) {
        for proposal in &mut self.0 {
            proposal.is_left |= one.is_none_or(|id| id == proposal.id);
        }
    }

    /// Lets the user be asked about those that they left.
    pub(super) fn ask_again(&mut self) {
        self.0.iter_mut().for_each(|own| own.is_left = false);
    }

    /// Returns how many wait.
    pub(super) fn waiting(&self) -> usize {
        self.0.iter().filter(|own| own.waits).count()
    }
}

/// Returns the hunks that wait, with what is displayed of each.
fn displayed(view: &ProposalView) -> HashMap<HunkId, DisplayHash> {
    let waiting = view.pending();
    waiting.map(|hunk| (hunk.id, hunk.displayed)).collect()
}

fn shown(
    card: &EditorCard,
    id: ProposalId,
    status: ToolCallStatus,
    is_known: bool,
) -> SessionUpdate {
    let call = card.call(id, status);
    if is_known {
        SessionUpdate::ToolCallUpdate(call.into())
    } else {
        SessionUpdate::ToolCall(call)
    }
}

/// Returns the updates of proposals of which these hunks are decided. One that was written in part counts as written.
pub(super) fn outcome_updates(hunks: &[HunkOutcome]) -> Vec<SessionUpdate> {
    let mut told: Vec<(ProposalId, HunkState, Vec<ToolCallContent>)> = Vec::new();
    for outcome in hunks {
        let state = outcome.status.state();
        let why = outcome.status.denial();
        let why = why.map_or(String::new(), |why| format!(": {why}"));
        let line = format!("{}: {}{why}", outcome.hunk, state.word());
        let line = sanitize::clean(&line).into();
        let id = outcome.hunk.proposal;
        match told.iter_mut().find(|(own, _, _)| *own == id) {
            Some((_, whole, lines)) => {
                if state == HunkState::Committed {
                    *whole = state;
                }
                lines.push(line);
            }
            None => told.push((id, state, vec![line])),
        }
    }
    let updates = told.into_iter().map(|(id, state, lines)| {
        let fields = ToolCallUpdateFields::new()
            .status(card::status(state))
            .content(lines)
            .raw_output(json!({"outcome": state.word()}));
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.to_string(), fields))
    });
    updates.collect()
}
