//! Staging: a payload becomes proposals over the files, all of its changes or none.
//!
//! In: changes as a model phrased them. Out: an answer, and layers in the stage. The methods of the engine here stage
//! what a program left as well.

pub(super) mod answer;
pub(super) mod denied_before;
pub(super) mod texts;
pub(super) mod folder;
pub(super) mod moving;
pub(super) mod propose;
pub(super) mod rules;
pub(super) mod draft;
pub(super) mod site;
pub(super) mod unplaced;
pub(super) mod replacing;
pub(super) mod push;

use std::collections::BTreeSet;

use self::answer::{Answer, FileAnswer};
use self::draft::{PayloadDraft, Unplanned};
use self::propose::{DraftEnd, SubmittedPayload};
use self::push::Pushed;
use self::unplaced::{PlaceQuestion, Placed};
use super::program::hand_over::{self, HandOver, TakenOver};
use super::program::part::StagedParts;
use super::program::{ProgramRun, ProgramStaged};
use super::{Engine, EngineError, program};
use crate::budget::Budget;
use crate::edit::request::{Payload, Verify};
use crate::file::ProgramFile;
use crate::id::{ChangesetId, ProposalId};
use crate::stage::proposal::Origin;
use crate::stage::review::{HunkStatus, StagedProposals};

impl Engine {
    /// Stages every change of the payload, or none; files stay as they are.
    pub fn propose(&mut self, asked: SubmittedPayload) -> Result<Answer, EngineError> {
        let _lock = self.state.begin()?;
        let draft = self.planned(asked)?;
        self.stage_draft(draft)
    }

    /// Answers as [`Self::propose`] would, and stages nothing.
    pub fn rehearse(&mut self, asked: SubmittedPayload) -> Result<Answer, EngineError> {
        let _lock = self.state.begin()?;
        let mut results = self.planned(asked)?.results;
        if !results.iter().all(|result| result.ok) {
            results.iter_mut().for_each(FileAnswer::hold_back);
        }
        Ok(Answer::unstaged(results))
    }

    /// Begins to stage a payload. Its changes are planned while the engine is free for others: each
    /// that [`Self::next_change`] returns by [`PayloadDraft::plan`], then all by [`PayloadDraft::check`].
    pub fn begin_propose(
        &mut self,
        asked: SubmittedPayload,
        budget: Budget,
    ) -> Result<PayloadDraft, EngineError> {
        let _lock = self.state.begin()?;
        self.draft(asked, budget)
    }

    /// Returns the next change of a payload that is to be planned, with its text as it is now.
    pub fn next_change(
        &mut self,
        draft: &mut PayloadDraft,
    ) -> Result<Option<Unplanned>, EngineError> {
        let _lock = self.state.begin()?;
        site::next_change(&mut self.state, draft)
    }

    /// Stages what was planned, if all of it can be, and the texts are still those that it was
    /// planned on.
    pub fn end_propose(&mut self, draft: PayloadDraft) -> Result<DraftEnd, EngineError> {
        let _lock = self.state.begin()?;
        for (path, text) in &draft.read {
            if self.state.text(path)? != *text {
                return Ok(DraftEnd::Outdated(draft.asked));
            }
        }
        self.stage_draft(draft).map(DraftEnd::Answered)
    }

    /// Returns the rules that hold for the whole workspace, each with its place, as they are on disk.
    pub fn rules(&mut self) -> Result<Vec<String>, EngineError> {
        let _lock = self.state.begin()?;
        let rules = rules::rules_in(&self.state.overlay, "")?;
        Ok(rules.iter().map(ToString::to_string).collect())
    }

    /// Returns the lines that look like rules for the whole workspace and are none, each with its place and what is enforced instead.
    pub fn nearly_rules(&mut self) -> Result<Vec<String>, EngineError> {
        let _lock = self.state.begin()?;
        rules::nearly_rules(&self.state.overlay)
    }

    /// Proposes a rule as a line of the project's instructions, which are made where there are none; none if it is there.
    pub fn propose_rule(&mut self, rule: &str) -> Result<Option<Answer>, EngineError> {
        let _lock = self.state.begin()?;
        let Some(change) = rules::addition(&mut self.state, rule)? else {
            return Ok(None);
        };
        let draft = self.planned(SubmittedPayload {
            payload: Payload {
                changes: vec![change],
                verify: Verify::default(),
            },
            origin: Origin {
                request: rule.to_owned(),
                ..Origin::default()
            },
            changeset: None,
            only: None,
        })?;
        self.stage_draft(draft).map(Some)
    }

    /// Returns the edits that wait for a place, oldest first.
    pub fn unplaced(&self) -> Vec<PlaceQuestion> {
        self.unplaced.questions()
    }

    /// Proposes an edit again at one of its places, counted from 0.
    pub fn place(&mut self, question: u64, choice: usize) -> Result<Placed, EngineError> {
        let _lock = self.state.begin()?;
        let chosen = self.unplaced.choose(&mut self.state, question, choice)?;
        let Some(chosen) = chosen else {
            return Ok(Placed::Gone);
        };
        let draft = self.planned(chosen.asked)?;
        Ok(Placed::Answered {
            path: chosen.path,
            line: chosen.line,
            answer: Box::new(self.stage_draft(draft)?),
        })
    }

    /// Returns the files with staged work as a program is to see them, moved onto the files as they
    /// are now.
    pub fn for_program(&mut self) -> Result<Vec<ProgramFile>, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        program::for_program(&self.state.overlay)
    }

    /// Returns what is staged, moved onto the files as they are now, to be looked at without some of its hunks.
    pub fn staged_parts(&mut self) -> Result<StagedParts, EngineError> {
        let _lock = self.state.begin()?;
        self.state.settle_all()?;
        StagedParts::of(&self.state.overlay)
    }

    /// Stages what a program left; files stay as they are.
    pub fn stage_program(&mut self, run: ProgramRun) -> Result<ProgramStaged, EngineError> {
        let _lock = self.state.begin()?;
        let (mut staged, ids) = program::stage_program(&mut self.state, run)?;
        if staged.changeset.is_none() {
            return Ok(staged);
        }
        staged.proposals = self.listed(ids);
        // What is in conflict has to be seen, and the rest with it.
        let all_wait = staged
            .proposals
            .iter()
            .flat_map(|view| &view.hunks)
            .all(|hunk| hunk.status == HunkStatus::Pending);
        staged.written = all_wait && self.write_at_once(&staged.proposals)?;
        Ok(staged)
    }

    /// Returns everything that a background agent staged here, as one changeset for another engine to take over.
    pub fn hand_over(
        &mut self,
        changeset: ChangesetId,
        origin: Origin,
    ) -> Result<HandOver, EngineError> {
        let _lock = self.state.begin()?;
        hand_over::of_overlay(&self.state.overlay, changeset, origin)
    }

    /// Stages what a background agent hands over, all of it in one transaction, and only once: a changeset that is here
    /// already changes nothing. Files stay as they are, even where proposals are written at once.
    pub fn take_over(&mut self, handed: HandOver) -> Result<TakenOver, EngineError> {
        let _lock = self.state.begin()?;
        if self.state.store.is_handed_over(handed.changeset)? {
            return Ok(TakenOver::Before);
        }
        let mut refused = handed.left.clone();
        let (mut staged, ids) = program::take_over(&mut self.state, handed)?;
        staged.proposals = self.listed(ids);
        staged.refused.append(&mut refused);
        Ok(TakenOver::Now(staged))
    }

    fn draft(
        &mut self,
        asked: SubmittedPayload,
        budget: Budget,
    ) -> Result<PayloadDraft, EngineError> {
        let parts = folder::spread(&self.state.overlay, propose::parts(&asked.payload.changes))?;
        Ok(PayloadDraft::new(asked, parts, budget, self.syntax.clone()))
    }

    /// Plans a payload to its end while the lock is held.
    fn planned(&mut self, asked: SubmittedPayload) -> Result<PayloadDraft, EngineError> {
        let mut draft = self.draft(asked, Budget::default())?;
        while let Some(unplanned) = site::next_change(&mut self.state, &mut draft)? {
            draft.plan(unplanned)?;
        }
        draft.check();
        Ok(draft)
    }

    /// Stages a draft if all of it can be, and writes it where that is wanted.
    fn stage_draft(&mut self, draft: PayloadDraft) -> Result<Answer, EngineError> {
        let mut answer = self.push(draft)?;
        if answer.staged && self.write_at_once(&answer.proposals)? {
            answer.written_at_once();
        }
        Ok(answer)
    }

    /// Makes the review list in which these proposals are new.
    fn listed(&mut self, new: BTreeSet<ProposalId>) -> StagedProposals {
        StagedProposals {
            listing: self.numbered_list(),
            new,
        }
    }

    /// Stages a payload if all of it can be, for the user to decide on, even where edits are written at once; `held` says
    /// why it is not written without a look. The lock is held.
    pub(super) fn stage_waiting(
        &mut self,
        asked: SubmittedPayload,
        held: Option<String>,
    ) -> Result<Answer, EngineError> {
        let mut draft = self.planned(asked)?;
        draft.held = held;
        self.push(draft)
    }

    /// Stages a draft if all of it can be.
    fn push(&mut self, draft: PayloadDraft) -> Result<Answer, EngineError> {
        let Pushed {
            mut answer,
            proposals,
        } = push::push(&mut self.state, &self.syntax, &mut self.unplaced, draft)?;
        if let Some(ids) = proposals {
            answer.proposals = self.listed(ids.into_iter().collect());
        }
        Ok(answer)
    }
}
