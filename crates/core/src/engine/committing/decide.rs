//! Verdicts: writes what was approved, all files or none.
//!
//! In: rulings. Out: files written, all or none, and what became of each hunk; or the reason
//! why nothing was done. Refuses to write files that changed since they were displayed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::checked::checks_of;
use super::elsewhere::decided_elsewhere;
use super::entries::{SignedHunks, entries};
use super::held_together::stay_with_denied;
use super::second_signature::SecondSignature;
use super::transact::{CommitBatch, Committer};
use crate::disk::transaction::CommitError;
use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::display::display_hash::{self, DisplayHashes, HashesByVerdict};
use crate::engine::staging::denied_before::{Denied, to_remember};
use crate::engine::state::WorkspaceState;
use crate::id::{HunkId, ProposalId};
use crate::stage::proposal::edited::EditedHunk;
use crate::stage::proposal::not_waiting;
use crate::stage::proposal::stack::Blocked;
use crate::stage::proposal::stage::{Commit, Stage};
use crate::stage::review::{HunkStatus, Ruling, Verdict};

/// What became of rulings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// They were carried out.
    Done(Decided),
    /// Hunks to be approved are not what was displayed of them any more: a file changed, or what is staged over it.
    /// Nothing was written, and the review list is new.
    Changed {
        /// These hunks, as they are now.
        hunks: Vec<HunkOutcome>,
    },
    /// Another process decided on some of the hunks meanwhile; none of the verdicts was carried out.
    Elsewhere {
        /// These hunks.
        hunks: Vec<HunkOutcome>,
        /// How many of the verdicts are about other hunks.
        others: usize,
    },
    /// They cannot be carried out as they are; nothing was written.
    Refused {
        /// Why, in one line.
        why: String,
    },
}

/// Rulings that were carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// Files written, with the newest version of each.
    pub committed: Vec<(String, u64)>,
    /// Those of them that are gone.
    pub deleted: Vec<String>,
    /// The hunks ruled on, and those that went with them.
    pub hunks: Vec<HunkOutcome>,
    /// Hunks that still wait.
    pub pending: usize,
    /// Attributes of files that could not be kept, a line each file.
    pub unkept: Vec<String>,
}

/// Rulings by what they ask for.
#[derive(Default)]
pub(super) struct Sorted {
    /// Hunks to write.
    pub(super) approved: HashSet<HunkId>,
    /// Hunks to drop, and why.
    pub(super) denied: BTreeMap<HunkId, Option<String>>,
    /// Texts that take the place of a hunk's own.
    pub(super) edited: Vec<EditedHunk>,
    /// Those to write that are in conflict and stand aside, in the order in which they were made.
    pub(super) taken: Vec<HunkId>,
}

/// What became of one hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkOutcome {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file.
    pub path: String,
    /// Where it stands now.
    pub status: HunkStatus,
}

/// Returns the files of hunks, each once, in order.
pub fn paths_of(hunks: &[HunkOutcome]) -> Vec<String> {
    let paths: BTreeSet<&String> = hunks.iter().map(|outcome| &outcome.path).collect();
    paths.into_iter().cloned().collect()
}

/// Verdicts that are carried out, while the lock is held.
pub(in crate::engine) struct Verdicts<'e> {
    pub(in crate::engine) state: &'e mut WorkspaceState,
    pub(in crate::engine) by_verdict: &'e mut HashesByVerdict,
    pub(in crate::engine) committer: &'e Committer,
    pub(in crate::engine) second: &'e SecondSignature,
}

impl Verdicts<'_> {
    /// Carries verdicts out: writes what is approved, in one transaction, and drops what is
    /// denied. Hunks without a verdict wait on.
    pub(in crate::engine) fn decide(
        &mut self,
        rulings: &[Ruling],
    ) -> Result<Decision, EngineError> {
        if let Some(elsewhere) = self.elsewhere(rulings)? {
            return Ok(elsewhere);
        }
        let Sorted {
            approved,
            denied,
            edited,
            taken,
        } = match sorted(&self.state.overlay.stage, rulings) {
            Ok(sorted) => sorted,
            Err(why) => return Ok(Decision::Refused { why }),
        };
        let keys = keys_of(&self.state.overlay.stage, rulings);
        let moved = self.settle(keys.iter().filter(|(hunk, _)| approved.contains(hunk)))?;
        // A file as it is now may have the lines of a hunk already, which is in no proposal any more then.
        if let Some(elsewhere) = self.elsewhere(rulings)? {
            return Ok(elsewhere);
        }
        let proposals = proposals_over(&self.state.overlay.stage, rulings);
        let displays = display_hash::of_proposals(&self.state.overlay, &proposals);
        let approvals = rulings
            .iter()
            .filter(|ruling| approved.contains(&ruling.hunk));
        let changed = self.changed(approvals, (&keys, &moved), &displays);
        if !changed.is_empty() {
            return Ok(Decision::Changed { hunks: changed });
        }
        if let Some(why) = self.second.refusal(&self.state.overlay.stage, rulings) {
            return Ok(Decision::Refused { why });
        }
        let mut stage = self.state.overlay.stage.clone();
        for hunk in taken {
            let disk = self.state.overlay.on_disk_beside(hunk)?;
            if let Err(why) = stage.take(hunk, disk) {
                return Ok(Decision::Refused { why });
            }
        }
        for EditedHunk { hunk, text, .. } in &edited {
            if let Err(why) = stage.replace_text(*hunk, text) {
                return Ok(Decision::Refused { why });
            }
        }
        let commits = match stage.decide(&approved, &denied) {
            Ok(commits) => commits,
            Err(blocked) => {
                return Ok(Decision::Refused {
                    why: explain(&self.state.overlay.stage, blocked),
                });
            }
        };
        stage.mark_edited(&edited);
        let stay = stay_with_denied(&self.state.overlay.stage, &mut stage, |hunk| {
            denied.contains_key(&hunk)
        });
        let now = (self.state.ambient.now)();
        let remembered = to_remember(&self.state.overlay.stage, now, &denied);
        stage.mark_given(
            &self.state.overlay.stage,
            rulings.iter().map(|own| &own.hunk),
            now,
        );
        let before = self.state.overlay.stage.clone();
        let outcome = self.write(stage, &commits, (rulings, &stay), &remembered);
        if outcome.is_err() {
            self.state.overlay.stage = before;
        }
        match outcome {
            Err(EngineError::Commit(CommitError::Changed { path })) => {
                self.state.settle(&path)?;
                // The place where a move ends is the file of none of them.
                let is_known = keys.values().any(|key| *key == path);
                let over = approved
                    .iter()
                    .filter(|hunk| !is_known || keys.get(hunk) == Some(&path));
                let changed = over.filter_map(|hunk| self.outcome(*hunk, Some(&path)));
                Ok(Decision::Changed {
                    hunks: changed.collect(),
                })
            }
            Ok(decided) => {
                let now = display_hash::of_proposals(&self.state.overlay, &proposals);
                self.by_verdict.note(&displays, &now);
                Ok(Decision::Done(decided))
            }
            Err(error) => Err(error),
        }
    }

    /// Moves the layers over the files of hunks onto the files as they are now; returns those that have moved.
    fn settle<'k>(
        &mut self,
        keys: impl Iterator<Item = (&'k HunkId, &'k WorkspacePath)>,
    ) -> Result<BTreeSet<WorkspacePath>, EngineError> {
        let keys: BTreeSet<&WorkspacePath> = keys.map(|(_, key)| key).collect();
        let mut moved = BTreeSet::new();
        for key in keys {
            if self.state.settle(key)? {
                moved.insert(key.clone());
            }
        }
        Ok(moved)
    }

    /// Returns whether a hunk is what was displayed to whoever ruled on it, but for verdicts given here since.
    fn is_as_displayed(&self, ruling: &Ruling, now: &DisplayHashes) -> bool {
        let Ruling {
            hunk, displayed, ..
        } = ruling;
        now.get(hunk)
            .is_some_and(|now| self.by_verdict.lead(*hunk, *displayed, *now))
    }

    /// Returns the hunks to be approved that are not what was displayed of them, or are over a file that has moved.
    fn changed<'r>(
        &self,
        approvals: impl Iterator<Item = &'r Ruling>,
        (keys, moved): (&BTreeMap<HunkId, WorkspacePath>, &BTreeSet<WorkspacePath>),
        now: &DisplayHashes,
    ) -> Vec<HunkOutcome> {
        let mut changed = Vec::new();
        for ruling in approvals {
            let key = keys.get(&ruling.hunk);
            let is_moved = key.is_some_and(|key| moved.contains(key));
            if is_moved || !self.is_as_displayed(ruling, now) {
                changed.extend(self.outcome(ruling.hunk, key));
            }
        }
        changed
    }

    /// Returns the decision on rulings of which some are about hunks that do not wait any more, if some are.
    fn elsewhere(&self, rulings: &[Ruling]) -> Result<Option<Decision>, EngineError> {
        let hunks = decided_elsewhere(self.state, rulings)?;
        let others = rulings.len().saturating_sub(hunks.len());
        Ok((!hunks.is_empty()).then_some(Decision::Elsewhere { hunks, others }))
    }

    /// Returns a hunk as it is now, of `file` on disk where something is staged over one.
    fn outcome(&self, hunk: HunkId, file: Option<&WorkspacePath>) -> Option<HunkOutcome> {
        let (path, record) = self.state.overlay.stage.find(hunk)?;
        Some(HunkOutcome {
            hunk,
            path: file.unwrap_or(path).to_string(),
            status: record.status.clone(),
        })
    }

    /// Writes the files, then history and what is still staged, in one store transaction.
    fn write(
        &mut self,
        stage: Stage,
        commits: &[Commit],
        (rulings, stay): (&[Ruling], &[ProposalId]),
        remembered: &[Denied],
    ) -> Result<Decided, EngineError> {
        let now = self.state.time_of_entries()?;
        let before = std::mem::replace(&mut self.state.overlay.stage, stage);
        let hunks = outcomes(&before, &self.state.overlay.stage, rulings);
        let mut touched: Vec<WorkspacePath> = hunks
            .iter()
            .flat_map(|outcome| keys(&before, &self.state.overlay.stage, outcome.hunk))
            .collect();
        touched.extend(commits.iter().map(|commit| commit.name().clone()));
        let noted = self.state.overlay.stage.proposals.iter();
        let noted = noted.filter(|own| stay.contains(&own.id));
        touched.extend(noted.map(|own| own.path.clone()));
        // Each path once: a stack is written as a whole.
        touched.sort_unstable();
        touched.dedup();
        let signed = SignedHunks::new(rulings, checks_of(self.state, commits)?);
        let entries = entries(self.state, commits, now, &signed)?;
        let closed = self.state.overlay.stage.close();
        let batch = CommitBatch {
            commits,
            entries: &entries,
            touched: &touched,
            closed: &closed,
            remembered,
        };
        let unkept = self.committer.transact(self.state, &batch)?;
        let committed = entries
            .iter()
            .map(|entry| (entry.path.to_string(), entry.version))
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .collect();
        let gone = commits.iter().filter(|commit| commit.after.is_none());
        Ok(Decided {
            committed,
            deleted: gone.map(|commit| commit.name().to_string()).collect(),
            hunks,
            pending: self.state.overlay.stage.pending().count(),
            unkept,
        })
    }
}

/// Sorts rulings, and refuses those about hunks that do not wait for one.
pub(super) fn sorted(stage: &Stage, rulings: &[Ruling]) -> Result<Sorted, String> {
    let Sorted {
        mut approved,
        mut denied,
        mut edited,
        mut taken,
    } = Sorted::default();
    for Ruling { hunk, verdict, .. } in rulings {
        let Some((_, record)) = stage.find(*hunk) else {
            return Err(not_waiting(*hunk));
        };
        match (verdict, &record.status) {
            (Verdict::Approve, HunkStatus::Pending) => drop(approved.insert(*hunk)),
            (Verdict::Approve, HunkStatus::Conflict { .. }) if record.aside.is_some() => {
                approved.insert(*hunk);
                taken.push(*hunk);
            }
            (
                Verdict::ApproveEdited {
                    text,
                    denied: lines,
                },
                HunkStatus::Pending,
            ) => {
                approved.insert(*hunk);
                edited.push(EditedHunk::of(*hunk, text, lines.as_ref()));
            }
            (
                Verdict::ApproveEdited {
                    text,
                    denied: lines,
                },
                HunkStatus::Conflict { .. },
            ) if record.aside.is_some() => {
                approved.insert(*hunk);
                taken.push(*hunk);
                edited.push(EditedHunk::of(*hunk, text, lines.as_ref()));
            }
            (Verdict::Approve | Verdict::ApproveEdited { .. }, HunkStatus::Conflict { reason }) => {
                return Err(format!("hunk {hunk} cannot be approved: {reason}"));
            }
            (Verdict::Deny { reason }, HunkStatus::Pending | HunkStatus::Conflict { .. }) => {
                denied.insert(*hunk, reason.clone());
            }
            (
                _,
                HunkStatus::Committed
                | HunkStatus::Edited { .. }
                | HunkStatus::Denied { .. }
                | HunkStatus::Replaced { .. }
                | HunkStatus::Rewritten { .. }
                | HunkStatus::InFile,
            ) => {
                return Err(format!("hunk {hunk} was decided on before"));
            }
        }
    }
    // Proposals build on earlier ones, so that hunks are taken in the order in which they were staged, not ruled on.
    taken.sort_by_key(|hunk| {
        let mut proposals = stage.proposals.iter();
        let made = proposals.position(|proposal| proposal.id == hunk.proposal);
        (made, hunk.number)
    });
    Ok(Sorted {
        approved,
        denied,
        edited,
        taken,
    })
}

/// Returns the files on disk that hunks ruled on are for, where something is staged over them.
fn keys_of(stage: &Stage, rulings: &[Ruling]) -> BTreeMap<HunkId, WorkspacePath> {
    let found = rulings.iter().filter_map(|ruling| {
        let (path, _) = stage.find(ruling.hunk)?;
        Some((ruling.hunk, stage.key_of(path)?.clone()))
    });
    found.collect()
}

/// Returns the proposals of hunks ruled on, and all others over the same files.
fn proposals_over(stage: &Stage, rulings: &[Ruling]) -> BTreeSet<ProposalId> {
    let keys: BTreeSet<WorkspacePath> = keys_of(stage, rulings).into_values().collect();
    let over = keys.iter().flat_map(|key| stage.proposals_over(key));
    let own = rulings.iter().map(|ruling| ruling.hunk.proposal);
    own.chain(over.map(|proposal| proposal.id)).collect()
}

/// Says what stands in the way of a hunk.
pub(in crate::engine) fn explain(stage: &Stage, Blocked { hunk, on }: Blocked) -> String {
    format!(
        "{} builds on {}, which still waits; decide on both",
        name_of(stage, hunk),
        name_of(stage, on)
    )
}

fn name_of(stage: &Stage, hunk: HunkId) -> String {
    match stage.find(hunk) {
        Some((path, record)) => format!("hunk {} of {path} ({})", record.number, hunk.proposal),
        None => format!("hunk {hunk}"),
    }
}

/// Returns every path that a hunk's file is or was kept under.
fn keys(before: &Stage, after: &Stage, hunk: HunkId) -> Vec<WorkspacePath> {
    let each = [before, after].into_iter();
    let found = each.filter_map(|stage| Some((stage, stage.find(hunk)?.0)));
    found
        .flat_map(|(stage, path)| [Some(path), stage.key_of(path)])
        .flatten()
        .cloned()
        .collect()
}

/// Returns the hunks whose status changed, or that were ruled on.
fn outcomes(before: &Stage, after: &Stage, rulings: &[Ruling]) -> Vec<HunkOutcome> {
    let ruled: HashSet<HunkId> = rulings.iter().map(|ruling| ruling.hunk).collect();
    let mut outcomes = Vec::new();
    for proposal in &after.proposals {
        for record in &proposal.hunks {
            let hunk = proposal.hunk(record.number);
            let changed = before
                .find(hunk)
                .is_some_and(|(_, old)| old.status != record.status);
            if changed || ruled.contains(&hunk) {
                let (path, status) = (proposal.path.to_string(), record.status.clone());
                outcomes.push(HunkOutcome { hunk, path, status });
            }
        }
    }
    outcomes
}
