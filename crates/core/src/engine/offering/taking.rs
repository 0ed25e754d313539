//! Taking an offer: the changes of another person, placed on the files as they are here.
//!
//! ```text
//! before    offered       here      becomes
//! 1 2 3     1 2 three     1 2 3     the hunk of the offer
//! 1 2 3     1 2 three     ONE 2 3   the same hunk, beside `ONE`
//! 1 2 3     1 2 three     1 2 III   nothing: conflict, named
//! 1 2 3     1 2 three     1 2 three nothing: it is there already
//! no file   1             2         nothing: conflict, another file of this name is there
//! ```
//!
//! In: an offer, of which nothing is trusted. Out: for each change whether it is staged, and why not. A hunk is placed by
//! commuting it over what is different here; where it cannot be, nothing of its change is staged, and nothing is guessed.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::edit::guard;
use crate::edit::intent::Operation;
use crate::edit::locate::Rung;
use crate::edit::plan::{Evidence, Plan, Presence, Strategy};
use crate::engine::EngineError;
use crate::engine::staging::denied_before::recognise;
use crate::engine::state::WorkspaceState;
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::proposal::layer_kind::{BesideText, NewMode};
use crate::stage::proposal::{Card, DESCRIPTION_CHARS, Origin, Proposal};
use crate::stage::review::{CheckRun, HunkOffer, HunkStatus, Proposer, Signer, checks_in_words};
use crate::syntax::SyntaxCache;
use crate::text::{EditSet, Source};

use super::answers::{WrittenProposals, is_written};
use super::offered::{OfferedChange, OfferedText};

/// Digits by which an offer is called in a word.
const SHORT: usize = 16;

/// The offer of another person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenOffer {
    /// Its name, the same on any machine.
    pub offer: String,
    /// Who made it.
    pub by: Signer,
    /// Its changes, those of one file in their order.
    pub changes: Vec<OfferedChange>,
    /// What checks and tests said of the files where it was made.
    pub checks: Vec<CheckRun>,
    /// What the names of the offers begin with that it replaces.
    pub replaces: Vec<String>,
}

/// What became of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenAll {
    /// Its changes.
    pub changes: Vec<TakenChange>,
    /// How many hunks of offers that it replaces waited, and do so no more.
    pub replaced: usize,
}

/// What became of a change of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenChange {
    /// The file, as the offer names it.
    pub path: String,
    /// What became of it.
    pub outcome: TakeOutcome,
}

/// Whether a change of an offer is staged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakeOutcome {
    /// It is.
    Staged {
        /// The proposal.
        proposal: ProposalId,
    },
    /// It was taken before.
    Before,
    /// The file is as the change would make it.
    There,
    /// The file here has other lines in its place.
    Conflict {
        /// Which hunks, and why.
        why: String,
    },
    /// It is no change that can be staged.
    Refused {
        /// Why.
        why: String,
    },
}

/// What of a change is to be staged, and by which id.
enum DueChange {
    /// All of it.
    First(ProposalId),
    /// It was taken before; with what of it can be decided again, if all of it was decided and something can.
    Before(Option<Box<(ProposalId, OfferedChange)>>),
}

/// A change as it can be staged here.
struct PlacedChange {
    path: WorkspacePath,
    to: Option<WorkspacePath>,
    edits: EditSet,
    here: Option<Source>,
    after: Option<Source>,
    is_moved: bool,
}

/// Stages an offer.
pub(super) fn take(
    state: &mut WorkspaceState,
    syntax: &SyntaxCache,
    (offer, is_again): (&TakenOffer, bool),
) -> Result<TakenAll, EngineError> {
    let before = state.overlay.stage.clone();
    let with: String = offer.offer.chars().take(SHORT).collect();
    let replaced = (offer.replaces.as_slice(), &offer.by, with.as_str());
    let (keys, replaced) = state.overlay.stage.take_out_replaced(replaced);
    let taken = stage_all(state, syntax, (offer, is_again), keys);
    if taken.is_err() {
        state.overlay.stage = before;
    }
    let changes = taken?;
    Ok(TakenAll { changes, replaced })
}

/// Returns whether something of an offer is neither staged, decided on nor so already.
pub(super) fn is_untaken(state: &WorkspaceState, offer: &TakenOffer) -> Result<bool, EngineError> {
    for (index, change) in offer.changes.iter().enumerate() {
        let id = ProposalId(derived(&offer.offer, (index, 0)));
        let is_known = state.store.proposal(id)?.is_some();
        if !is_known && !matches!(place(state, change), Err(TakeOutcome::There)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn stage_all(
    state: &mut WorkspaceState,
    syntax: &SyntaxCache,
    (offer, is_again): (&TakenOffer, bool),
    replaced: BTreeSet<WorkspacePath>,
) -> Result<Vec<TakenChange>, EngineError> {
    let changeset = ChangesetId(derived(&offer.offer, (usize::MAX, 0)));
    let (mut taken, mut fresh) = (Vec::new(), Vec::new());
    // What builds on a change that is not there is not there either.
    let mut missing: BTreeSet<&String> = BTreeSet::new();
    for (index, change) in offer.changes.iter().enumerate() {
        let outcome = match due(state, offer, index, change)? {
            DueChange::Before(None) => TakeOutcome::Before,
            DueChange::Before(Some(_)) if !is_again => TakeOutcome::Before,
            _ if missing.contains(&change.path) => {
                conflict("it builds on a change of the same file that is not taken")
            }
            DueChange::First(id) => {
                let ids = (id, changeset);
                stage_one(state, syntax, (offer, change), ids)?
            }
            DueChange::Before(Some(again)) => {
                let (id, change) = &*again;
                stage_one(state, syntax, (offer, change), (*id, changeset))?
            }
        };
        if let TakeOutcome::Staged { proposal } = &outcome {
            fresh.push(*proposal);
        }
        if let TakeOutcome::Conflict { .. } | TakeOutcome::Refused { .. } = outcome {
            missing.insert(change.to.as_ref().unwrap_or(&change.path));
        }
        let path = change.path.clone();
        taken.push(TakenChange { path, outcome });
    }
    recognise(&state.store, &mut state.overlay.stage, &fresh)?;
    let stage = &state.overlay.stage;
    let own = fresh.iter().filter_map(|id| stage.proposal(*id));
    let keys = own.filter_map(|own| stage.key_of(&own.path).cloned());
    let keys: BTreeSet<WorkspacePath> = keys.chain(replaced).collect();
    let keys: Vec<WorkspacePath> = keys.into_iter().collect();
    state.save(&keys)?;
    Ok(taken)
}

/// Stages a change under these ids, if it can be placed.
fn stage_one(
    state: &mut WorkspaceState,
    syntax: &SyntaxCache,
    (offer, change): (&TakenOffer, &OfferedChange),
    ids: (ProposalId, ChangesetId),
) -> Result<TakeOutcome, EngineError> {
    match place(state, change) {
        Ok(placed) => {
            push(state, syntax, (offer, change), ids, placed)?;
            Ok(TakeOutcome::Staged { proposal: ids.0 })
        }
        Err(TakeOutcome::Conflict { why }) => {
            let hint = hint_on_replaced(state, offer, &change.path)?;
            Ok(TakeOutcome::Conflict { why: why + &hint })
        }
        Err(outcome) => Ok(outcome),
    }
}

/// Returns what is to be staged of a change of an offer: all of it at first, later what was decided and can be decided again.
fn due(
    state: &WorkspaceState,
    offer: &TakenOffer,
    index: usize,
    change: &OfferedChange,
) -> Result<DueChange, EngineError> {
    let mut known: Vec<Proposal> = Vec::new();
    let mut round = 0;
    let id = loop {
        let id = ProposalId(derived(&offer.offer, (index, round)));
        match state.store.proposal(id)? {
            Some(own) => known.push(own),
            None => break id,
        }
        round += 1;
    };
    if known.is_empty() {
        return Ok(DueChange::First(id));
    }
    let records = known.iter().flat_map(|own| &own.hunks);
    if records.clone().any(|record| record.status.is_open()) {
        return Ok(DueChange::Before(None));
    }
    let written = WrittenProposals::of(state, &known)?;
    let mut is_due: BTreeMap<u32, bool> = BTreeMap::new();
    for own in &known {
        for record in &own.hunks {
            let is_denied = matches!(record.status, HunkStatus::Denied { .. });
            let is_undone = written.is_undone(own.id, record);
            is_due.insert(record.number, is_denied || is_undone);
        }
    }
    is_due.retain(|_, is_due| *is_due);
    let again = part_of(change, &is_due.into_keys().collect());
    Ok(DueChange::Before(
        again.map(|change| Box::new((id, change))),
    ))
}

/// Returns a change with these hunks of it alone; none if it has none of them.
fn part_of(change: &OfferedChange, hunks: &BTreeSet<u32>) -> Option<OfferedChange> {
    let own: BTreeSet<u32> = change.hunks().iter().map(|own| own.number).collect();
    if own.is_disjoint(hunks) {
        return None;
    }
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return Some(change.clone());
    };
    if own.is_subset(hunks) {
        return Some(change.clone());
    }
    let splices = change.edits.splices().iter().zip(&change.numbers);
    let splices = splices.filter(|(_, number)| hunks.contains(number));
    let (splices, numbers) = splices.map(|(splice, own)| (splice.clone(), *own)).unzip();
    let edits = EditSet::new(splices).ok()?;
    let text = before
        .text
        .with_bytes(edits.apply(before.text.bytes()).ok()?);
    Some(OfferedChange {
        after: Some(OfferedText {
            text,
            ..after.clone()
        }),
        // Whose hunk the permissions were is not known: they were decided with the first.
        mode: None,
        edits,
        numbers,
        ..change.clone()
    })
}

/// Says what the user approved of the same file and person, of an offer that this one replaces if it says so, and how it is
/// undone; empty where that is nothing.
fn hint_on_replaced(
    state: &WorkspaceState,
    offer: &TakenOffer,
    path: &str,
) -> Result<String, EngineError> {
    let taken = state.store.taken_proposals()?;
    let written = WrittenProposals::of(state, &taken)?;
    let of_file = taken.iter().rev().filter(|own| own.path.as_str() == path);
    let approved = of_file.flat_map(|own| own.hunks.iter().map(move |record| (own, record)));
    let mut hint = String::new();
    for (own, record) in approved {
        let came = match &record.offer {
            Some(came @ HunkOffer::Taken { by, .. }) if by.email == offer.by.email => came,
            _ => continue,
        };
        if !is_written(&record.status) || written.is_undone(own.id, record) {
            continue;
        }
        let is_replaced = came.is_replaced(&offer.replaces, &offer.by);
        if !is_replaced && !hint.is_empty() {
            continue;
        }
        let what = if is_replaced {
            "it replaces what you approved"
        } else {
            "you approved another change of the same person in this file"
        };
        let id: String = offer.offer.chars().take(SHORT).collect();
        hint = format!(
            "; {what}: `signoff revert --changeset {}` undoes that, then `signoff take {id}`",
            own.changeset
        );
        if is_replaced {
            break;
        }
    }
    Ok(hint)
}

/// Returns an id that is the same whenever the same change of an offer is taken for the first time, or the second.
fn derived(offer: &str, (index, round): (usize, u64)) -> Uuid {
    let mut hasher = blake3::Hasher::new();
    hasher.update(offer.as_bytes());
    hasher.update(&index.to_le_bytes());
    if round > 0 {
        hasher.update(&round.to_le_bytes());
    }
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// Places a change on the file as it is here with all that is staged.
fn place(state: &WorkspaceState, change: &OfferedChange) -> Result<PlacedChange, TakeOutcome> {
    let path = own_path(state, &change.path)?;
    let to = change.to.as_ref().map(|to| own_path(state, to));
    let to = to.transpose()?;
    let (before, after) = (text_of(&change.before), text_of(&change.after));
    if !is_sound(change, before, after) {
        return Err(refused("its hunks do not fit its text, or it is no text"));
    }
    let here = state.overlay.text(&path);
    let here = here.map_err(|error| refused(&error.to_string()))?;
    if let Some(to) = &to {
        let there = state.overlay.text(to);
        if there
            .map_err(|error| refused(&error.to_string()))?
            .is_some()
        {
            return Err(conflict(&format!("{to} is there already")));
        }
    }
    let is_bits = before == after && to.is_none();
    let (edits, after, is_moved) = match (before, &here, after) {
        _ if here.as_ref() == after && !is_bits && to.is_none() => return Err(TakeOutcome::There),
        (None, None, Some(_)) => (change.edits.clone(), after.cloned(), false),
        (None, Some(_), _) => return Err(conflict("another file of this name is there")),
        (_, None, _) => return Err(conflict("the file is not there")),
        (Some(before), Some(here), _) if before == here => {
            (change.edits.clone(), after.cloned(), false)
        }
        (Some(_), Some(_), None) => {
            return Err(conflict("the file that it removes is another here"));
        }
        (Some(before), Some(here), Some(_)) => {
            if here.text().is_err() || !here.is_alike(before) {
                return Err(conflict("the file is of another kind here"));
            }
            let edits = over(before, here, change).map_err(|why| conflict(&why))?;
            let made = edits.apply(here.bytes());
            let made = made.map_err(|error| refused(&error.to_string()))?;
            (edits, Some(here.with_bytes(made)), true)
        }
    };
    if after
        .as_ref()
        .is_some_and(|after| after.encoded().is_none())
    {
        return Err(refused(
            "the file's encoding does not have all of its characters",
        ));
    }
    Ok(PlacedChange {
        path,
        to,
        edits,
        here,
        after,
        is_moved,
    })
}

/// Returns a path of an offer, which leads through no link here.
fn own_path(state: &WorkspaceState, named: &str) -> Result<WorkspacePath, TakeOutcome> {
    let own = WorkspacePath::parse(named, &state.overlay.root);
    let own = own.map_err(|error| refused(&error.to_string()))?;
    let resolved = state.overlay.path(named);
    let resolved = resolved.map_err(|error| refused(&error.to_string()))?;
    if own == resolved {
        Ok(own)
    } else {
        Err(refused("its path leads through a link here"))
    }
}

fn text_of(side: &Option<OfferedText>) -> Option<&Source> {
    side.as_ref().map(|own| &own.text)
}

/// Returns whether a change is one of texts, and its hunks make the one of the other.
fn is_sound(change: &OfferedChange, before: Option<&Source>, after: Option<&Source>) -> bool {
    let mut sides = [before, after].into_iter().flatten();
    let are_texts = sides.all(|side| !side.is_link() && side.text().is_ok());
    let is_one = before.is_some() || after.is_some();
    let is_plain = change.to.is_none() || change.edits.is_empty();
    let made = change.edits.apply(before.map_or(&[], Source::bytes)).ok();
    are_texts
        && is_one
        && is_plain
        && change.edits.splices().len() == change.numbers.len()
        && made.as_deref() == Some(after.map_or(&[], Source::bytes))
}

fn refused(why: &str) -> TakeOutcome {
    let why = why.to_owned();
    TakeOutcome::Refused { why }
}

fn conflict(why: &str) -> TakeOutcome {
    let why = why.to_owned();
    TakeOutcome::Conflict { why }
}

/// Returns the splices of a change for the text that is here, or which hunks clash with it.
fn over(before: &Source, here: &Source, change: &OfferedChange) -> Result<EditSet, String> {
    let meanwhile = difference(before, here);
    let clashes = meanwhile.invert().clashes(&change.edits);
    if clashes.is_empty()
        && let Ok(edits) = change.edits.over(&meanwhile)
        && edits.splices().len() == change.numbers.len()
    {
        return Ok(edits);
    }
    let mut hunks: Vec<u32> = clashes
        .iter()
        .filter_map(|at| change.numbers.get(*at).copied())
        .collect();
    hunks.dedup();
    let hunks: Vec<String> = hunks.iter().map(u32::to_string).collect();
    Err(format!(
        "your file has other lines in the place of hunk {}",
        hunks.join(", ")
    ))
}

/// Stages a change that was placed.
fn push(
    state: &mut WorkspaceState,
    syntax: &SyntaxCache,
    (offer, change): (&TakenOffer, &OfferedChange),
    ids: (ProposalId, ChangesetId),
    placed: PlacedChange,
) -> Result<(), EngineError> {
    let PlacedChange {
        path,
        to,
        edits,
        here,
        after,
        is_moved,
    } = placed;
    let (presence, operation) = match (&here, &after, &to) {
        (_, _, Some(_)) => (Presence::Kept, Operation::Move),
        (None, _, None) => (Presence::Created, Operation::Create),
        (_, None, None) => (Presence::Deleted, Operation::Delete),
        _ if edits.is_empty() => (Presence::Kept, Operation::Permissions),
        _ => (Presence::Kept, Operation::Modify),
    };
    let strategy = match operation {
        Operation::Move => Strategy::Move,
        Operation::Delete => Strategy::Delete,
        _ => Strategy::Diff,
    };
    let alarms = guard::inspect(
        syntax,
        &path,
        here.as_ref(),
        after.as_ref(),
        &edits,
        strategy,
    );
    let mut notes: Vec<String> = alarms.iter().map(ToString::to_string).collect();
    if !offer.checks.is_empty() {
        notes.push(format!(
            "where it was made, {}",
            checks_in_words(&offer.checks)
        ));
    }
    let how = if is_moved {
        "exact; beside your own lines"
    } else {
        "exact"
    };
    let description = change.description.chars().take(DESCRIPTION_CHARS);
    let card = Card {
        operation,
        description: description.collect(),
        strategy,
        evidence: how.to_owned(),
        matched: None,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
        held: None,
        created: (state.ambient.now)(),
        origin: Origin {
            session: String::new(),
            call: String::new(),
            proposer: Proposer::Person {
                name: offer.by.to_string(),
                with: change.proposer.name_for_others(),
            },
            request: change.request.clone(),
        },
    };
    let (base, from) = match state.overlay.stage.key_of(&path) {
        Some(_) => (None, None),
        None => {
            let image = state.overlay.workspace.read(&path)?;
            let attributes = state.overlay.workspace.attributes(&path)?;
            let from = attributes.map(|attributes| attributes.mode);
            (image.map(|image| image.source), from)
        }
    };
    let mode = change.mode.map(|to| NewMode { from, to });
    let beside = BesideText {
        to,
        mode,
        folders_gone: 0,
    };
    let plan = Plan {
        presence,
        edits,
        evidence: Evidence::new(Rung::Exact, how),
        changes: 1,
    };
    let stage = &mut state.overlay.stage;
    stage.push_numbered(
        &path,
        base,
        ids,
        card,
        (plan, beside),
        Some(change.numbers.clone()),
    )?;
    stage.mark_taken(ids.0, |number| HunkOffer::Taken {
        offer: offer.offer.clone(),
        hunk: HunkId {
            proposal: change.proposal,
            number,
        },
        by: offer.by.clone(),
        given: None,
    });
    Ok(())
}
