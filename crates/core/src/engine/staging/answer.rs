//! Answers to the model about its edits.
//!
//! In: outcomes. Out: [`Answer`], whose JSON other programs read.

use serde::{Deserialize, Serialize};

use super::draft::TOO_MUCH;
use crate::edit::guard::Alarm;
use crate::edit::locate::Candidate;
use crate::edit::locate::nearest::Region;
use crate::edit::plan::{Attempted, Evidence, Outcome, Strategy};
use crate::edit::request::CheckKind;
use crate::edit::rule;
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::proposal::Proposal;
use crate::stage::review::StagedProposals;

/// What became of a payload: all of it was staged, or nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// One for each change, in order; for a patch of several files, one for each of them.
    pub results: Vec<FileAnswer>,
    /// True if something was staged.
    pub staged: bool,
    /// The changeset of what was staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changeset: Option<ChangesetId>,
    /// A line for each kind of check that was asked for, and what they say of other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// True if it was written at once, by `apply --write`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub written: bool,
    /// Hunks that waited and are in what was staged now, or were taken back.
    #[serde(skip)]
    pub rewritten: Vec<HunkId>,
    /// What was staged, or written at once, for the screen.
    #[serde(skip)]
    pub proposals: StagedProposals,
}

/// What became of one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileAnswer {
    /// The path as it was given.
    pub file: String,
    /// True if the text is, or will be on approval, as asked.
    pub ok: bool,
    /// What became of it; the next table.
    pub status: Status,
    /// Which strategy was used.
    pub strategy_used: Strategy,
    /// How many of the asked changes are made: pairs, operations, hunks, matches, identifiers, headings.
    pub changes_applied: usize,
    /// What each check says that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
    /// Why it was not done, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How the place was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// By which rung the place was found, how well, and what came next; of several places, the weakest.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matched: Option<Evidence>,
    /// The id of the staged proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// Proposals of the same turn of which it rewrites lines: what waited there is in this one now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewrites: Vec<ProposalId>,
    /// The places that it could mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// The region that comes nearest to what was not found. In `difference`, `[-as asked for-]`, `{+as in the
    /// file+}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Region>,
    /// The hunks that do what the user denied in this file before, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied_before: Vec<DeniedHunk>,
    /// What guards found that does not keep it from being staged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Alarm>,
    /// What guards found that does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Alarm>,
    /// Other ways that were tried without success.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<AttemptAnswer>,
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Which.
    #[serde(rename = "type")]
    pub check: CheckKind,
    /// Its words.
    pub output: String,
}

/// A staged hunk that the user denied before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeniedHunk {
    /// Its number in the proposal.
    pub hunk: u32,
    /// The user's words, if any were given.
    pub reason: Option<String>,
}

/// A strategy that was tried without success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptAnswer {
    /// Which.
    pub strategy: Strategy,
    /// What became of it.
    pub status: Status,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What became of a change, as one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It can be done (`--dry-run`), or is done in the text given back (`engine`).
    Applied,
    /// It waits for the user; the file is as it was.
    Staged,
    /// It undoes what its turn had staged; nothing is left of it to sign off.
    TakenBack,
    /// The text was as asked before; nothing is staged for it.
    AlreadyApplied,
    /// The request is about other files of the payload; `evidence` says why this one stays.
    Left,
    /// It could be done, but another change of the payload could not.
    NotStaged,
    /// It could mean several places.
    Ambiguous,
    /// The place, or the file, is not there.
    NotFound,
    /// It must not be done: the path, the kind or size of the file, a guard, `expected`.
    Refused,
    /// It makes no sense.
    #[default]
    Invalid,
}

impl FileAnswer {
    /// Makes the answer for an outcome.
    pub(in crate::engine) fn new(file: &str, strategy_used: Strategy, outcome: &Outcome) -> Self {
        let mut answer = Self {
            file: file.to_owned(),
            ok: false,
            status: Status::Invalid,
            strategy_used,
            changes_applied: 0,
            diagnostics: Vec::new(),
            error: None,
            evidence: None,
            matched: None,
            proposal: None,
            rewrites: Vec::new(),
            candidates: Vec::new(),
            nearest: None,
            denied_before: Vec::new(),
            warnings: Vec::new(),
            refusals: Vec::new(),
            attempts: Vec::new(),
        };
        match outcome {
            Outcome::Planned(plan) => {
                answer.ok = true;
                answer.status = Status::Applied;
                answer.changes_applied = plan.changes;
                answer.evidence = Some(plan.evidence.how.clone());
                answer.matched = Some(plan.evidence.without_quoted()).filter(Evidence::is_told);
            }
            Outcome::AlreadyApplied { why } => {
                answer.ok = true;
                answer.status = Status::AlreadyApplied;
                answer.evidence = Some(why.clone());
            }
            Outcome::Left { why } => {
                answer.ok = true;
                answer.status = Status::Left;
                answer.evidence = Some(why.clone());
            }
            Outcome::Ambiguous { why, candidates } => {
                answer.fail(Status::Ambiguous, why);
                answer.candidates = candidates.clone();
            }
            Outcome::NotFound { why, nearest } => {
                answer.fail(Status::NotFound, why);
                answer.nearest = nearest.clone();
            }
            Outcome::Refused { why } => answer.fail(Status::Refused, why),
            Outcome::OutOfBudget => answer.fail(Status::Refused, TOO_MUCH),
            Outcome::Invalid { why } => answer.fail(Status::Invalid, why),
        }
        answer
    }

    /// Adds what a check says of a file whose change can be done.
    pub fn note_check(&mut self, check: CheckKind, output: String) {
        if self.ok {
            self.diagnostics.push(Diagnostic { check, output });
        }
    }

    /// Adds which hunks of the staged proposal were denied before.
    pub(super) fn note_denied(&mut self, proposal: &Proposal) {
        let hunks = proposal.hunks.iter().filter_map(|hunk| {
            let denied = hunk.denied_before.as_ref()?;
            let (hunk, reason) = (hunk.number, denied.reason.clone());
            Some(DeniedHunk { hunk, reason })
        });
        self.denied_before = hunks.collect();
    }

    /// Adds what guards found.
    pub(in crate::engine) fn note_alarms(&mut self, alarms: Vec<Alarm>) {
        (self.refusals, self.warnings) = alarms.into_iter().partition(Alarm::refuses);
    }

    /// Adds a rule that the change breaks.
    pub(super) fn note_rule(&mut self, alarm: Alarm) {
        if !alarm.refuses() {
            return self.warnings.push(alarm);
        }
        if self.ok {
            let why = rule::forbidden(alarm.message.trim_end_matches('.'));
            self.refuse(&format!("{why}; leave it, and tell the user"));
        }
        self.refusals.push(alarm);
    }

    /// Turns the answer of a change that guards refuse, which could have been done, into one
    /// that was not.
    pub(super) fn refuse(&mut self, why: &str) {
        self.ok = false;
        self.changes_applied = 0;
        self.fail(Status::Refused, why);
    }

    /// Makes the answer for a change that may have been tried in several ways.
    pub(in crate::engine) fn of(file: &str, attempted: &Attempted) -> Self {
        let mut answer = Self::new(file, attempted.strategy, &attempted.outcome);
        let others = attempted.others.iter().map(|other| {
            let tried = Self::new(file, other.strategy, &other.outcome);
            AttemptAnswer {
                strategy: other.strategy,
                status: tried.status,
                error: tried.error,
            }
        });
        answer.attempts = others.collect();
        answer
    }

    /// Turns the answer of a change that could have been done into one that was not, because
    /// of others.
    pub(super) fn hold_back(&mut self) {
        if self.status == Status::Applied {
            self.ok = false;
            self.changes_applied = 0;
            let why =
                "would apply, but another change of this request does not; nothing was staged";
            self.fail(Status::NotStaged, why);
        }
    }

    fn fail(&mut self, status: Status, why: &str) {
        self.status = status;
        self.error = Some(why.to_owned());
    }
}
