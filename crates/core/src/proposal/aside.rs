//! What stands aside: hunks that clash with what changed meanwhile, and can be taken all the same.
//!
//! In: a proposal on top of a file's layers, and which of its changes clash. Out: the stage without them; each is
//! a hunk in conflict that keeps what it puts in the place of what is there. A user who approves such a hunk by
//! its id gets it, as long as what it replaces is there.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::layer::Layer;
use super::stack::PathStack;
use super::stage::Stage;
use super::{Card, HunkRecord};
use crate::diff::hunk;
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::plan::{Plan, Presence};
use crate::review::{HunkStatus, LineKind};
use crate::text::{EditSet, Mismatch, Source, Splice};
use crate::workspace::WorkspacePath;

/// Maximum number of lines shown of what is in the place of a hunk.
const MOST_LINES: usize = 40;

/// How a user gets a hunk that stands aside.
const HOW: &str = "to have what the program left instead, approve the hunk by its id";

/// What a hunk in conflict puts in the place of what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    presence: Presence,
    splices: Vec<Replacement>,
    /// Fingerprint of the text that it replaces as a whole; none if it replaces lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<[u8; 32]>,
}

/// A splice as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Replacement {
    at: usize,
    old: Bytes,
    new: Bytes,
}

/// Bytes, which are text most of the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Other(Vec<u8>),
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Self::Other(error.into_bytes()), Self::Text)
    }
}

impl Bytes {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Other(bytes) => bytes,
        }
    }
}

/// Which changes of a plan clash, and with what.
#[derive(Clone, Copy, Debug)]
pub enum Clashing<'a> {
    /// All of it.
    All(&'a str),
    /// These of its splices.
    These(&'a EditSet, &'a str),
}

impl Aside {
    fn of(presence: Presence, edits: EditSet) -> Self {
        let splices = edits.into_splices().into_iter();
        let splices = splices.map(|splice| Replacement {
            at: splice.at,
            old: splice.old.into(),
            new: splice.new.into(),
        });
        Self {
            presence,
            splices: splices.collect(),
            whole: None,
        }
    }

    /// Returns the same for a text in which other lines may have changed: what each part replaces must stand
    /// where it did, or at one place alone. What replaces a whole text fits that text alone.
    fn placed(&self, below: Option<&Source>) -> Option<EditSet> {
        let now = below.map(|text| text.fingerprint().0);
        if self.whole.is_some() && self.whole != now {
            return None;
        }
        let text = below.map_or(&[][..], Source::bytes);
        let splice = |own: &Replacement| {
            let (old, new) = (own.old.bytes(), own.new.bytes().to_vec());
            let is_there = text.get(own.at..own.at + old.len()) == Some(old);
            let at = if is_there { own.at } else { only(text, old)? };
            Some(Splice {
                at,
                old: old.to_vec(),
                new,
            })
        };
        let splices: Option<Vec<Splice>> = self.splices.iter().map(splice).collect();
        EditSet::new(splices?).ok()
    }
}

/// Returns where lines stand in a text, if they stand there once.
fn only(text: &[u8], lines: &[u8]) -> Option<usize> {
    let mut places = memchr::memmem::find_iter(text, lines);
    let place = places.next().filter(|_| !lines.is_empty())?;
    let starts_line = place == 0 || text.get(place - 1) == Some(&b'\n');
    (starts_line && places.next().is_none()).then_some(place)
}

impl Stage {
    /// Puts a plan on top of a file's layers as [`Self::push`] does, with what clashes set aside.
    pub fn push_beside(
        &mut self,
        path: &WorkspacePath,
        base: Option<Source>,
        (id, changeset): (ProposalId, ChangesetId),
        card: Card,
        plan: Plan,
        clashing: Clashing<'_>,
    ) -> Result<(), Mismatch> {
        self.push(path, base, (id, changeset), card, (plan, None))?;
        let key = self.key_of(path).unwrap_or(path).clone();
        let Some(stack) = self.stacks.get_mut(&key) else {
            return Ok(());
        };
        let Some(layer) = stack.layers.pop() else {
            return Ok(());
        };
        let below = stack.text_below(layer.presence())?;
        let (layer, lost, why) = match clashing {
            Clashing::All(why) => {
                let lost = layer.hunks().iter().map(|hunk| hunk.number).collect();
                (layer, lost, why)
            }
            Clashing::These(edits, why) => {
                let (layer, lost) = apart(layer, edits);
                (layer, lost, why)
            }
        };
        let shown = hunk::render(&below, layer.edits(), layer.numbers());
        if let Some(proposal) = self.proposals.last_mut() {
            if !shown.is_empty() {
                proposal.hunks = shown.into_iter().map(HunkRecord::shown).collect();
            }
            let own = |record: &&mut HunkRecord| lost.contains(&record.number);
            for record in proposal.hunks.iter_mut().filter(own) {
                record.set_aside(&layer, why);
            }
            let others = proposal.hunks.iter_mut();
            others
                .filter(|record| record.status == HunkStatus::Pending)
                .for_each(|record| record.lines = Vec::new());
        }
        stack.layers.extend(kept(layer, &lost));
        if stack.layers.is_empty() {
            self.stacks.remove(&key);
        }
        Ok(())
    }

    /// Binds what the newest proposal has set aside to the whole of a text: it can be taken only while that
    /// text is there unchanged. Lines that come later would go with a deletion, and be in no history.
    pub fn bind_to_whole(&mut self, text: &Source) {
        let newest = self.proposals.last_mut().into_iter();
        let records = newest.flat_map(|proposal| &mut proposal.hunks);
        for aside in records.filter_map(|record| record.aside.as_mut()) {
            aside.whole = Some(text.fingerprint().0);
        }
    }

    /// Makes a hunk that stands aside one that waits, on top of its file's layers; `disk` is the file there,
    /// for one without layers. Refuses it where what it replaces is not there any more.
    pub fn take(&mut self, hunk: HunkId, disk: Option<Source>) -> Result<(), String> {
        let gone = || format!("hunk {hunk} does not wait for a verdict");
        let (path, record) = self.find(hunk).ok_or_else(gone)?;
        let aside = record.aside.clone().ok_or_else(gone)?;
        let path = path.clone();
        let changed = || {
            format!("hunk {hunk} cannot be approved: what it replaces in {path} has changed since")
        };
        let key = self.key_of(&path).unwrap_or(&path).clone();
        let fresh = PathStack {
            base: disk,
            layers: Vec::new(),
        };
        let stack = self.stacks.get(&key).cloned().unwrap_or(fresh);
        if *stack.name(&key) != path {
            return Err(changed());
        }
        let below = stack.text().map_err(|_misfit| changed())?;
        let edits = aside.placed(below.as_ref()).ok_or_else(changed)?;
        let numbers = vec![hunk.number; edits.splices().len()];
        let layer = Layer::new(hunk.proposal, aside.presence, edits, numbers);
        let after = layer.apply(below.as_ref()).map_err(|_misfit| changed())?;
        if after.is_some_and(|after| after.encoded().is_none()) {
            return Err(changed());
        }
        self.stacks.entry(key).or_insert(stack).layers.push(layer);
        let own = self
            .proposals
            .iter_mut()
            .find(|own| own.id == hunk.proposal);
        let records = own.into_iter().flat_map(|proposal| &mut proposal.hunks);
        for record in records.filter(|record| record.number == hunk.number) {
            record.status = HunkStatus::Pending;
            record.clear();
        }
        Ok(())
    }
}

impl HunkRecord {
    /// Puts the hunk of a layer aside, as it is shown.
    fn set_aside(&mut self, layer: &Layer, why: &str) {
        let number = |index: usize| layer.numbers().get(index) == Some(&self.number);
        let edits = layer.edits().select(number);
        self.aside = Some(Aside::of(layer.presence(), edits));
        let there = self
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Removed);
        let there = there.take(MOST_LINES).map(|line| line.text.clone());
        self.yours = there.collect();
        let reason = format!("{why}; {HOW}");
        self.status = HunkStatus::Conflict { reason };
    }
}

/// Gives the hunks of a layer new numbers, so that each clashes or does not; returns those that do.
fn apart(layer: Layer, clashing: &EditSet) -> (Layer, BTreeSet<u32>) {
    let mut clashing = clashing.splices().iter().peekable();
    let mut lost = BTreeSet::new();
    let mut number = 0;
    let mut last = None;
    let splices = layer.edits().splices().iter().zip(layer.numbers());
    let numbers = splices.map(|(splice, own)| {
        let within = |other: &&Splice| other.at >= splice.at && other.end() <= splice.end();
        let mut clashes = false;
        while clashing.next_if(within).is_some() {
            clashes = true;
        }
        if last != Some((*own, clashes)) {
            number += 1;
            last = Some((*own, clashes));
        }
        lost.extend(clashes.then_some(number));
        number
    });
    let numbers: Vec<u32> = numbers.collect();
    if clashing.peek().is_some() {
        // What is in no splice cannot be told apart.
        lost.extend(&numbers);
    }
    (layer.numbered(numbers), lost)
}

/// Returns what is left of a layer without some of its hunks, if anything is.
fn kept(layer: Layer, lost: &BTreeSet<u32>) -> Option<Layer> {
    let is_lost = |hunk: HunkId| lost.contains(&hunk.number);
    let parts = layer.split(&[false, true], is_lost).ok()?;
    let mut kept = parts.into_iter().filter(|(is_lost, _)| !is_lost);
    kept.next().map(|(_, layer)| layer)
}
