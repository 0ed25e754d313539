//! What an offer holds: the layers that wait, as if all of them were approved.
//!
//! ```text
//! a.txt on disk   1 2 3        step 0   1 2 3 -> 1 TWO 3      proposal p, hunk 1
//! layers          p, q         step 1   1 TWO 3 -> 1 2.0 3    proposal q, hunk 1
//! ```
//!
//! In: the overlay and the changesets that are meant. Out: each change with its text before and after; what cannot be
//! offered, and why. What builds on hunks that are not meant is refused as a whole.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::disk::workspace::WorkspacePath;
use crate::engine::EngineError;
use crate::engine::committing::checked::checks_of;
use crate::engine::committing::decide::explain;
use crate::engine::state::WorkspaceState;
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::proposal::layer::Layer;
use crate::stage::proposal::layer_kind::LayerKind;
use crate::stage::proposal::stage::{Commit, Stage};
use crate::stage::review::{CheckRun, HunkOffer, HunkStatus, Proposer};
use crate::text::{EditSet, Source};

/// What an offer says of a hunk that came with the offer of another.
const OF_ANOTHER: &str =
    "it came with an offer: decide on it, or have its author offer it to others";

/// Permission bits that would be others on the other side: those that set an id, and that let everybody write.
const NOT_OFFERED: u32 = 0o7002;

/// Everything of an offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// Its changes, oldest first.
    pub changes: Vec<OfferedChange>,
    /// What checks and tests had said of the files as the changes leave them.
    pub checks: Vec<CheckRun>,
    /// What waits and cannot be offered, by file, and why.
    pub left: Vec<(String, String)>,
}

/// A file at one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedText {
    /// Its text.
    pub text: Source,
    /// Its permission bits, where they are known.
    pub mode: Option<u32>,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedChange {
    /// How many changes of the same file come before it.
    pub step: usize,
    /// The file.
    pub path: String,
    /// Where it goes.
    pub to: Option<String>,
    /// Before; none where the file is not there.
    pub before: Option<OfferedText>,
    /// After; none where the file goes.
    pub after: Option<OfferedText>,
    /// Permission bits that it gets.
    pub mode: Option<u32>,
    /// What changes of the text.
    pub edits: EditSet,
    /// The hunk of each splice.
    pub numbers: Vec<u32>,
    /// The proposal, as it is called where it was made.
    pub proposal: ProposalId,
    /// What the change is for.
    pub description: String,
    /// Who proposed it.
    pub proposer: Proposer,
    /// What the user had asked for; empty where that is not known.
    pub request: String,
}

impl OfferedChange {
    /// Returns its hunks.
    pub fn hunks(&self) -> BTreeSet<HunkId> {
        let numbers = self.numbers.iter().copied();
        let whole = self.numbers.is_empty().then_some(1);
        let numbers = numbers.chain(whole);
        numbers
            .map(|number| HunkId {
                proposal: self.proposal,
                number,
            })
            .collect()
    }
}

/// Returns what waits as an offer has it.
pub(super) fn offered(
    state: &WorkspaceState,
    changesets: Option<&HashSet<ChangesetId>>,
) -> Result<Result<Offered, String>, EngineError> {
    let overlay = &state.overlay;
    let mut offered = Offered::default();
    let mut stage = overlay.stage.clone();
    let approved = meant(&stage, changesets, &mut offered.left);
    let commits = match stage.decide(&approved, &BTreeMap::new()) {
        Ok(commits) => commits,
        Err(blocked) => return Ok(Err(explain(&overlay.stage, blocked))),
    };
    for commit in &commits {
        let mode = overlay.workspace.attributes(&commit.path)?;
        let mode = mode.map(|attributes| attributes.mode);
        match changes(&overlay.stage, commit, mode)? {
            Ok(own) => offered.changes.extend(own),
            Err(why) => offered.left.push((commit.path.to_string(), why.to_owned())),
        }
    }
    // They ran on all of it or on nothing that is known.
    if offered.left.is_empty() {
        offered.checks = checks_of(state, &commits)?;
    }
    Ok(Ok(offered))
}

/// Returns the hunks that are meant and can be offered.
fn meant(
    stage: &Stage,
    changesets: Option<&HashSet<ChangesetId>>,
    left: &mut Vec<(String, String)>,
) -> HashSet<HunkId> {
    let mut approved = HashSet::new();
    let proposals = stage.proposals.iter();
    let meant = proposals.filter(|own| changesets.is_none_or(|all| all.contains(&own.changeset)));
    for proposal in meant {
        let mut why = None;
        for record in &proposal.hunks {
            match (&record.status, &record.offer) {
                (HunkStatus::Pending, Some(HunkOffer::Taken { .. })) => why = Some(OF_ANOTHER),
                (HunkStatus::Pending, _) => drop(approved.insert(proposal.hunk(record.number))),
                (HunkStatus::Conflict { .. }, _) => why = Some("a hunk of it is in conflict"),
                _ => {}
            }
        }
        left.extend(why.map(|why| (proposal.path.to_string(), why.to_owned())));
    }
    approved
}

/// Returns the changes of one file, or why it cannot be offered.
fn changes(
    stage: &Stage,
    commit: &Commit,
    mode: Option<u32>,
) -> Result<Result<Vec<OfferedChange>, &'static str>, EngineError> {
    let mut text = commit.before.clone();
    let (mut name, mut mode) = (commit.path.clone(), mode);
    let mut changes = Vec::new();
    for (step, layer) in commit.layers.iter().enumerate() {
        let after = layer.apply(text.as_ref())?;
        let mode_after = layer.mode().map_or(mode, |mode| Some(mode.to));
        let texts = [&text, &after];
        if let Some(why) = unofferable(layer, texts) {
            return Ok(Err(why));
        }
        let Some(proposal) = stage.proposal(layer.proposal()) else {
            return Ok(Err("its proposal is not known any more"));
        };
        let side = |text: &Option<Source>, mode| {
            let text = text.clone();
            text.map(|text| OfferedText { text, mode })
        };
        changes.push(OfferedChange {
            step,
            path: name.to_string(),
            to: layer.to().map(WorkspacePath::to_string),
            before: side(&text, mode),
            after: side(&after, mode_after),
            mode: layer.mode().map(|mode| mode.to),
            edits: layer.edits().clone(),
            numbers: layer.numbers().to_vec(),
            proposal: proposal.id,
            description: proposal.card.description.clone(),
            proposer: proposal.card.origin.proposer.clone(),
            request: proposal.card.origin.request.clone(),
        });
        name = layer.to().unwrap_or(&name).clone();
        (text, mode) = (after, mode_after);
    }
    Ok(Ok(changes))
}

/// Returns why a change cannot be offered, if it cannot.
fn unofferable(layer: &Layer, texts: [&Option<Source>; 2]) -> Option<&'static str> {
    match layer.kind() {
        LayerKind::Link | LayerKind::Retarget => return Some("links are not offered"),
        _ if layer.mode().is_some_and(|mode| mode.to & NOT_OFFERED != 0) => {
            return Some(
                "an offer has permissions of `755` at most, and a verdict on that is none on these",
            );
        }
        LayerKind::Move { .. } if !layer.edits().is_empty() => {
            return Some("it moves and changes in one hunk");
        }
        LayerKind::Edit { .. }
        | LayerKind::Create { .. }
        | LayerKind::Delete { .. }
        | LayerKind::Move { .. }
        | LayerKind::Permissions(_) => {}
    }
    let mut texts = texts.into_iter().flatten();
    texts
        .any(|text| text.is_link() || text.text().is_err())
        .then_some("only texts are offered")
}
