//! Entries of history for what is written.
//!
//! In: commits, before they are carried out. Out: an entry for each proposal and file, with what is needed to take it
//! back.

use std::collections::{BTreeMap, HashMap};

use crate::disk::workspace::attributes::Attributes;
use crate::disk::workspace::{Workspace, WorkspacePath};
use crate::edit::diff::hunk;
use crate::edit::plan::Presence;
use crate::engine::EngineError;
use crate::engine::drift::drift_of_entry;
use crate::engine::state::WorkspaceState;
use crate::id::{HunkId, ProposalId, Timestamp};
use crate::record::history::{Entry, EntryKind};
use crate::record::store::StoreError;
use crate::stage::proposal::Proposal;
use crate::stage::proposal::layer::Layer;
use crate::stage::proposal::stage::Commit;
use crate::stage::review::{CheckRun, Ruling, SeenSplices, Sight, SignOff};
use crate::text::{EditSet, Source};

/// What is known of a sign-off.
pub(super) struct SignedHunks<'s> {
    /// What was displayed of hunks; of others, nothing was.
    pub(super) sights: HashMap<HunkId, &'s Sight>,
    /// What had run on the files as they are written.
    pub(super) checks: Vec<CheckRun>,
}

impl<'s> SignedHunks<'s> {
    pub(super) fn new(rulings: &'s [Ruling], checks: Vec<CheckRun>) -> Self {
        let sights = rulings.iter().map(|ruling| (ruling.hunk, &ruling.sight));
        Self {
            sights: sights.collect(),
            checks,
        }
    }

    fn of(&self, layer: &Layer) -> SignOff {
        let sight = |hunk| {
            self.sights
                .get(&hunk)
                .map_or(Sight::Unseen, |own| (*own).clone())
        };
        let of_each = |hunk: HunkId| {
            let own = layer.numbers().iter();
            SeenSplices {
                splices: own.filter(|number| **number == hunk.number).count(),
                sight: sight(hunk),
            }
        };
        let mut hunks: Vec<SeenSplices> = layer.hunks().into_iter().map(of_each).collect();
        // A file that comes or goes is one hunk, whatever its splices are numbered.
        if let [only] = hunks.as_mut_slice() {
            only.splices = layer.edits().splices().len().max(1);
        }
        SignOff {
            hunks,
            checks: self.checks.clone(),
        }
    }
}

/// Makes the history entries of commits, one per proposal and file, with what files that go away or get other permission
/// bits had before.
pub(super) fn entries(
    state: &WorkspaceState,
    commits: &[Commit],
    now: Timestamp,
    signed: &SignedHunks<'_>,
) -> Result<Vec<Entry>, EngineError> {
    let mut entries = Vec::new();
    for commit in commits {
        let next = state.store.history(&commit.path)?.next_version();
        let mut drift = drift_of_entry(&state.store, &commit.path, commit.before.as_ref())?;
        let mut below = commit.before.clone();
        let mut name = &commit.path;
        for (version, layer) in (next..).zip(&commit.layers) {
            let proposal = state
                .overlay
                .stage
                .proposal(layer.proposal())
                .ok_or_else(|| {
                    let why = format!("{} has no proposal {}", commit.path, layer.proposal());
                    StoreError::Damaged(why)
                })?;
            let after = layer.apply(below.as_ref())?;
            let drift = std::mem::take(&mut drift);
            let moved = layer.to().map(|to| (name.clone(), to.clone()));
            name = layer.to().unwrap_or(name);
            let path = commit.name();
            let below_it = below.as_ref();
            let mut entry = entry(layer, proposal, path, version, now, drift, below_it);
            if moved.is_some() || layer.presence().comes() {
                entry.folders = state.overlay.workspace.missing_folders(commit.name())?;
            }
            entry.moved = moved;
            entry.sign_off = Some(signed.of(layer));
            if let (true, Some(text)) = (layer.presence().comes(), &after) {
                // As text: the layer has the bytes of the file.
                entry.edits = EditSet::between(b"", text.bytes());
            }
            entries.push(entry);
            below = after;
        }
    }
    add_attributes(state.overlay.workspace.as_ref(), &mut entries, commits)?;
    Ok(entries)
}

/// Adds the attributes of before to the entries of files that go away or get other permission bits.
fn add_attributes(
    workspace: &dyn Workspace,
    entries: &mut [Entry],
    commits: &[Commit],
) -> Result<(), EngineError> {
    // Of entries of one file, each finds the bits that the one before gave it.
    let mut given: BTreeMap<WorkspacePath, u32> = BTreeMap::new();
    let paths = commits.iter().map(|commit| (commit.name(), &commit.path));
    let paths: BTreeMap<&WorkspacePath, &WorkspacePath> = paths.collect();
    let layers = commits.iter().flat_map(|commit| &commit.layers);
    let modes: HashMap<ProposalId, u32> = layers
        .filter_map(|layer| Some((layer.proposal(), layer.mode()?.to)))
        .collect();
    for entry in entries {
        let proposal = entry.kind.proposal();
        let sets = match entry.presence {
            Presence::Deleted => None,
            Presence::Kept => match proposal.and_then(|id| modes.get(&id).copied()) {
                Some(mode) => Some(mode),
                None => continue,
            },
            Presence::Created | Presence::Linked => continue,
        };
        let path = paths.get(&entry.path).copied().unwrap_or(&entry.path);
        let own = workspace.attributes(path)?;
        entry.attributes = own.map(|own| Attributes {
            mode: given.get(&entry.path).copied().unwrap_or(own.mode),
            replaced_by: sets,
            ..own
        });
        given.extend(sets.map(|mode| (entry.path.clone(), mode)));
    }
    Ok(())
}

fn entry(
    layer: &Layer,
    proposal: &Proposal,
    path: &WorkspacePath,
    version: u64,
    time: Timestamp,
    drift: EditSet,
    below: Option<&Source>,
) -> Entry {
    let card = &proposal.card;
    let text = below.cloned().unwrap_or_else(|| Source::new(Vec::new()));
    let shown = hunk::render(&text, layer.edits(), layer.numbers());
    let lines = shown.iter().fold((0, 0), |sum, hunk| {
        (sum.0 + hunk.added, sum.1 + hunk.removed)
    });
    Entry {
        path: path.clone(),
        version,
        time,
        description: card.description.clone(),
        kind: EntryKind::Applied {
            proposal: layer.proposal(),
            changeset: proposal.changeset,
            strategy: card.strategy,
            origin: card.origin.clone(),
            edited: proposal.is_edited(layer),
        },
        presence: layer.presence(),
        drift,
        edits: layer.edits().clone(),
        lines,
        attributes: None,
        encoding: text.encoding(),
        moved: None,
        folders: Vec::new(),
        sign_off: None,
    }
}
