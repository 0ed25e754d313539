//! Conflicting hunks: hunks that clash with what changed meanwhile, kept out of the text until a user takes them.
//!
//! In: a program's proposal on top of a file's layers, and which of its changes clash ([`super::over_saved`] makes them of
//! a model's). Out: the stage without them; each is
//! a hunk in conflict that keeps what it puts in the place of what is there. A user who approves such a hunk by
//! its id gets it, as long as what it replaces is there.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::layer::Layer;
use super::layer_kind::{BesideText, LayerKind, NewMode};
use super::over_saved::OverSaved;
use super::stack::PathStack;
use super::stage::Stage;
use super::{Card, HunkRecord, not_waiting};
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::hunk::{self, CONTEXT};
use crate::edit::diff::line::LineKind;
use crate::edit::plan::{Plan, Presence};
use crate::id::{ChangesetId, HunkId, ProposalId};
use crate::stage::review::HunkStatus;
use crate::text::{Dependent, EditSet, Mismatch, Slice, Source, Splice};

/// Maximum number of lines shown of what is in the place of a hunk: a screen, of a file that may have been rewritten.
pub(super) const MOST_LINES: usize = 40;

/// Maximum size, in bytes, of the [`CONTEXT`] on one side by which the place of a hunk is found again: those of code are shorter, and each hunk is stored with them.
const CONTEXT_BYTES: usize = 1024;

/// How a user gets a hunk that stands aside.
pub const HOW: &str = "to have the proposed text instead, approve this hunk alone";
/// The same for one that builds on another that stands aside, as a file that comes where one goes.
pub const HOW_TOGETHER: &str =
    "to have the proposed text instead, approve the hunks of this file together";
/// The same for one that replaces the same lines as an earlier one.
pub const HOW_OF_ONE: &str = "to have the proposed text instead, approve this hunk alone, and none before it of the same lines";
/// Why one does not get it any more.
pub const TOO_LATE: &str =
    "what it replaces has changed again since, so that it can only be denied";

/// What a hunk in conflict puts in the place of what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    presence: Presence,
    /// Permission bits that it gives the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<NewMode>,
    /// How many of the file's folders go with it, the innermost first.
    #[serde(default, skip_serializing_if = "is_zero")]
    folders_gone: usize,
    splices: Vec<Replacement>,
    /// Fingerprint of the text that it replaces as a whole; none if it replaces lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<[u8; 32]>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A splice as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Replacement {
    at: usize,
    old: Bytes,
    new: Bytes,
    /// The lines above it; nothing at the start of the text.
    #[serde(default)]
    above: Bytes,
    /// The lines below it; nothing at the end of the text.
    #[serde(default)]
    below: Bytes,
}

/// Bytes, which are text most of the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes {
    Text(String),
    Other(Vec<u8>),
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Text(String::new())
    }
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
    /// Returns what it replaces, and by what.
    pub fn replacements(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let splices = self.splices.iter();
        splices.map(|splice| (splice.old.bytes(), splice.new.bytes()))
    }

    /// Makes it of a change of a text.
    fn of(kind: &LayerKind, edits: EditSet, text: &[u8]) -> Self {
        let splices = edits.into_splices().into_iter().map(|splice| Replacement {
            above: above(text.slice(..splice.at)).into(),
            below: below(text.slice(splice.end()..)).into(),
            at: splice.at,
            old: splice.old.into(),
            new: splice.new.into(),
        });
        Self {
            presence: kind.presence(),
            mode: kind.mode(),
            folders_gone: kind.folders_gone(),
            splices: splices.collect(),
            whole: None,
        }
    }

    /// Makes it of a staged change of a saved text, which is bound to `whole` if that is given; see
    /// [`Stage::bind_to_whole`].
    pub(super) fn over(
        kind: &LayerKind,
        edits: EditSet,
        text: &Source,
        whole: Option<&Source>,
    ) -> Self {
        Self {
            whole: whole.map(|text| text.fingerprint().0),
            ..Self::of(kind, edits, text.bytes())
        }
    }

    /// Adds what stores keep with the card of its proposal: older ones keep it nowhere else.
    pub fn add_beside(&mut self, beside: &BesideText) {
        self.give_mode(self.mode.or(beside.mode));
        self.folders_gone = self.folders_gone.max(beside.folders_gone);
    }

    /// Gives the file other permission bits, or none.
    pub(super) fn give_mode(&mut self, mode: Option<NewMode>) {
        self.mode = mode;
    }

    /// Returns the kind of its layer over a text; none stands for an absent file.
    fn kind(&self, edits: &EditSet, below: Option<&Source>) -> LayerKind {
        let beside = BesideText {
            to: None,
            mode: self.mode,
            folders_gone: self.folders_gone,
        };
        let over_link = below.is_some_and(Source::is_link);
        LayerKind::of(self.presence, !edits.is_empty(), over_link, beside)
    }

    /// Returns the same for a text in which other lines may have changed; see [`Replacement::place`]. What replaces
    /// a whole text fits that text alone.
    pub(super) fn placed(&self, below: Option<&Source>) -> Option<EditSet> {
        let now = below.map(|text| text.fingerprint().0);
        if self.whole.is_some() && self.whole != now {
            return None;
        }
        let text = below.map_or(&[][..], Source::bytes);
        let splices: Option<Vec<Splice>> = self
            .splices
            .iter()
            .map(|splice| {
                Some(Splice {
                    at: splice.place(text)?,
                    old: splice.old.bytes().to_vec(),
                    new: splice.new.bytes().to_vec(),
                })
            })
            .collect();
        EditSet::new(splices?).ok()
    }
}

impl Replacement {
    /// Returns where it stands in a text: among lines that were around it, as many as are still there, where it
    /// was or at one place alone. Lines without any that were around them must stand once in the text.
    fn place(&self, text: &[u8]) -> Option<usize> {
        let (old, above, below) = (self.old.bytes(), self.above.bytes(), self.below.bytes());
        for lines in (1..=CONTEXT).rev() {
            let (above, below) = (last_lines(above, lines), first_lines(below, lines));
            let is_here = |at: usize| {
                let (before, after) = (text.get(..at), text.get(at + old.len()..));
                before.is_some_and(|before| before.ends_with(above))
                    && after.is_some_and(|after| after.starts_with(below))
                    && (!above.is_empty() || at == 0)
                    && (!below.is_empty() || at + old.len() == text.len())
                    && self.fits(text, at)
            };
            if is_here(self.at) {
                return Some(self.at);
            }
            let around = [above, old, below].concat();
            if around.is_empty() {
                return None;
            }
            let mut places = overlapping(text, &around)
                .map(|at| at + above.len())
                .filter(|at| is_here(*at));
            if let Some(place) = places.next() {
                return places.next().is_none().then_some(place);
            }
        }
        let mut places = overlapping(text, old).filter(|at| self.fits(text, *at));
        let place = places.next().filter(|_| !old.is_empty())?;
        places.next().is_none().then_some(place)
    }

    /// Returns whether what it replaces stands at `at`, as whole lines that stay whole lines.
    fn fits(&self, text: &[u8], at: usize) -> bool {
        let (old, new) = (self.old.bytes(), self.new.bytes());
        let end = at + old.len();
        text.get(at..end) == Some(old)
            && text.get(..at).is_some_and(ends_line)
            && (end == text.len() || ends_line(old) && ends_line(new))
    }
}

fn ends_line(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.ends_with(b"\n")
}

/// Returns where bytes stand in a text, those that overlap as well.
fn overlapping<'t>(text: &'t [u8], wanted: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let finder = memchr::memmem::Finder::new(wanted);
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(text.get(from..)?)?;
        from = at + 1;
        Some(at)
    })
}

/// Returns what is kept of the text above a hunk.
fn above(text: &[u8]) -> Vec<u8> {
    let lines = last_lines(text, CONTEXT);
    let cut = lines.len().saturating_sub(CONTEXT_BYTES);
    lines.slice(cut..).to_vec()
}

/// Returns what is kept of the text below a hunk.
fn below(text: &[u8]) -> Vec<u8> {
    let lines = first_lines(text, CONTEXT);
    let cut = lines.len().min(CONTEXT_BYTES);
    lines.slice(..cut).to_vec()
}

fn first_lines(text: &[u8], lines: usize) -> &[u8] {
    let end = memchr::memchr_iter(b'\n', text).nth(lines.saturating_sub(1));
    end.and_then(|end| text.get(..=end)).unwrap_or(text)
}

fn last_lines(text: &[u8], lines: usize) -> &[u8] {
    // What is above a line ends in one.
    let start = memchr::memrchr_iter(b'\n', text).nth(lines);
    start
        .and_then(|start| text.get(start + 1..))
        .unwrap_or(text)
}

impl Stage {
    /// Puts a plan on top of a file's layers as [`Self::push`] does, with what clashes set aside.
    pub fn push_beside(
        &mut self,
        path: &WorkspacePath,
        base: Option<Source>,
        (id, changeset): (ProposalId, ChangesetId),
        card: Card,
        (plan, beside): (Plan, BesideText),
        clashing: Clashing<'_>,
    ) -> Result<(), Mismatch> {
        let planned = plan.edits.clone();
        self.push(path, base, (id, changeset), card, (plan, beside))?;
        let key = self.key_of(path).unwrap_or(path).clone();
        let Some(mut stack) = self.stacks.get_mut(&key) else {
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
                let (layer, lost) = apart(layer, &clashes(&below, &planned, edits));
                (layer, lost, why)
            }
        };
        let shown = hunk::render(&below, layer.edits(), layer.numbers());
        let parts = layer.split(&[false, true], |hunk| lost.contains(&hunk.number));
        let (mut kept, mut aside) = (None, None);
        // Splices of one layer do not build on each other.
        for (is_lost, part) in parts.map_err(|Dependent { at }| Mismatch { at })? {
            let side = if is_lost { &mut aside } else { &mut kept };
            *side = Some(part);
        }
        stack.layers.extend(kept);
        // It is taken on top of what stays.
        let text = stack.text_below(layer.presence())?;
        if let Some(proposal) = self.proposals.last_mut() {
            if !shown.is_empty() {
                proposal.hunks = shown.into_iter().map(HunkRecord::shown).collect();
            }
            for record in proposal
                .hunks
                .iter_mut()
                .filter(|record| lost.contains(&record.number))
            {
                if let Some(aside) = &aside {
                    record.set_aside(aside, &text, why);
                }
            }
            let others = proposal.hunks.iter_mut();
            others
                .filter(|record| record.status == HunkStatus::Pending)
                .for_each(|record| record.lines = Vec::new());
        }
        let is_empty = stack.layers.is_empty();
        drop(stack);
        if is_empty {
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

    /// Returns the layers over its file with a hunk that stands aside on top of them; see [`Self::take`]. They are
    /// those of the stage, or the ones given; `disk` is the file there, for one without layers.
    pub fn taken(
        &self,
        hunk: HunkId,
        disk: Option<Source>,
        over: Option<&PathStack>,
    ) -> Result<(WorkspacePath, PathStack), String> {
        let (path, record) = self.find(hunk).ok_or_else(|| not_waiting(hunk))?;
        let aside = record.aside.as_ref().ok_or_else(|| not_waiting(hunk))?;
        let changed = || {
            format!("hunk {hunk} cannot be approved: what it replaces in {path} has changed since")
        };
        let key = self.key_of(path).unwrap_or(path).clone();
        let fresh = PathStack {
            base: disk,
            layers: Vec::new(),
        };
        let over = over.or_else(|| self.stacks.get(&key)).cloned();
        let mut stack = over.unwrap_or(fresh);
        if stack.name(&key) != path {
            return Err(changed());
        }
        let below = stack.text().map_err(|_misfit| changed())?;
        let edits = aside.placed(below.as_ref()).ok_or_else(changed)?;
        let numbers = vec![hunk.number; edits.splices().len()];
        let kind = aside.kind(&edits, below.as_ref());
        let layer = Layer::new(hunk.proposal, kind, edits, numbers);
        let after = layer.apply(below.as_ref()).map_err(|_misfit| changed())?;
        if after.is_some_and(|after| after.encoded().is_none()) {
            return Err(changed());
        }
        stack.layers.push(layer);
        Ok((key, stack))
    }

    /// Makes a hunk that stands aside one that waits, on top of its file's layers; `disk` is the file there,
    /// for one without layers. Refuses it where what it replaces is not there any more.
    pub fn take(&mut self, hunk: HunkId, disk: Option<Source>) -> Result<(), String> {
        let (key, stack) = self.taken(hunk, disk, None)?;
        self.formers.remove(&key);
        self.stacks.insert(key, stack);
        let own = self.proposal_mut(hunk.proposal);
        let records = own.into_iter().flat_map(|proposal| &mut proposal.hunks);
        for record in records.filter(|record| record.number == hunk.number) {
            record.status = HunkStatus::Pending;
            record.clear();
        }
        Ok(())
    }
}

impl HunkRecord {
    /// Puts the hunk of a layer over the text `below` aside, as it is shown.
    fn set_aside(&mut self, layer: &Layer, below: &Source, why: &str) {
        let edits = layer
            .edits()
            .select(|index| layer.numbers().get(index) == Some(&self.number));
        self.aside = Some(Aside::of(layer.kind(), edits, below.bytes()));
        self.show_replaced();
        let reason = why.to_owned();
        self.status = HunkStatus::Conflict { reason };
    }

    /// Keeps what it makes of the user's lines, for a user who takes it.
    pub(super) fn put_over(&mut self, OverSaved { aside, shown }: OverSaved) {
        self.aside = Some(aside);
        self.keep(shown);
        self.show_replaced();
    }

    /// Shows the lines that it removes as those that the user has in its place.
    fn show_replaced(&mut self) {
        let lines = self.lines.iter();
        let there = lines.filter(|line| line.kind == LineKind::Removed);
        let there = there.take(MOST_LINES).map(|line| line.text.clone());
        self.yours = there.collect();
    }
}

/// Tells of each splice of a plan, made of whole lines of the text `below`, whether it clashes. One that is made
/// of something that clashes and something that does not, clashes; so do all if something cannot be found.
fn clashes(below: &Source, plan: &EditSet, clashing: &EditSet) -> Vec<bool> {
    let mut left = clashing.splices().iter().peekable();
    // Both are in the same order. By equality, since an insertion is within both splices that it is between.
    let each = plan.splices().iter();
    let each: Vec<bool> = each.map(|own| left.next_if_eq(&own).is_some()).collect();
    let is_odd = left.peek().is_some();
    let (_, from) = hunk::by_line_from(below, plan);
    let any = |own: Range<usize>| each.get(own).is_none_or(|own| own.contains(&true));
    from.into_iter().map(|own| is_odd || any(own)).collect()
}

/// Gives the hunks of a layer new numbers, so that each clashes or does not; returns those that do.
fn apart(layer: Layer, clashes: &[bool]) -> (Layer, BTreeSet<u32>) {
    let mut lost = BTreeSet::new();
    let mut number = 0;
    let mut last = None;
    let numbers = layer.numbers().iter().enumerate().map(|(index, own)| {
        let clashes = clashes.get(index).copied().unwrap_or(true);
        if last != Some((*own, clashes)) {
            number += 1;
            last = Some((*own, clashes));
        }
        lost.extend(clashes.then_some(number));
        number
    });
    let numbers: Vec<u32> = numbers.collect();
    (layer.numbered(numbers), lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aside(text: &str, at: usize, old: &str, new: &str) -> Aside {
        let splice = Splice {
            at,
            old: old.into(),
            new: new.into(),
        };
        let edits = EditSet::new(vec![splice]).unwrap();
        Aside::of(&LayerKind::Edit { mode: None }, edits, text.as_bytes())
    }

    /// `CONTEXT`.
    #[test]
    fn what_stands_aside_is_placed_among_its_lines_or_not_at_all() {
        let text = "1\n2\n3\n4\n5\n6\n7\n";
        for (text, at, old, new, now, placed) in [
            // Nothing has changed, and lines above it have.
            (text, 6, "4\n", "Y\n", text, Some(6)),
            (
                text,
                6,
                "4\n",
                "Y\n",
                "new\n1\n2\n3\n4\n5\n6\n7\n",
                Some(10),
            ),
            (text, 6, "", "Y\n", "new\n1\n2\n3\n4\n5\n6\n7\n", Some(10)),
            (text, 14, "", "Y\n", "new\n1\n2\n3\n4\n5\n6\n7\n", Some(18)),
            (text, 0, "", "Y\n", "1\n2\n3\n", Some(0)),
            // Fewer of the lines around it.
            (text, 6, "", "Y\n", "new\n2\n3\n4\n5\n", Some(8)),
            (text, 6, "", "Y\n", "new\n3\n4\n", Some(6)),
            // None of them.
            (text, 6, "", "Y\n", "new\n3\nfour\n", None),
            (text, 6, "4\n", "Y\n", "new\n4\n", Some(4)),
            (text, 6, "4\n", "Y\n", "4\nnew\n4\n", None),
            (text, 6, "4\n", "Y\n", "14\n4 5\n", None),
            ("", 0, "", "Y\n", "new\n", None),
            ("", 0, "", "Y\n", "", Some(0)),
            // More than one place that is as good.
            ("{\n}\n", 2, "", "Y\n", "a\n{\n}\n{\n}\n", None),
            // Where it was, of several.
            ("a\na\na\na\n", 4, "a\n", "Y\n", "a\na\na\na\n", Some(4)),
            ("a\na\na\na\n", 8, "", "Y\n", "a\na\n", Some(4)),
            // Whole lines stay whole lines.
            ("1\n2", 2, "2", "two", "0\n1\n2", Some(4)),
            ("1\n2", 2, "2", "two", "0\n1\n2\n", None),
            ("1\n2\n", 2, "2\n", "two", "0\n1\n2\n3\n", None),
            ("1\n2\n", 2, "2\n", "two", "0\n1\n2\n", Some(4)),
            ("1\n", 2, "", "two\n", "0\n1", None),
        ] {
            let own = aside(text, at, old, new).placed(Some(&Source::new(now.as_bytes())));
            let own = own.and_then(|own| Some(own.splices().first()?.at));
            assert_eq!(own, placed, "{text:?} {at} {old:?} {now:?}");
        }
    }

    /// `CONTEXT_BYTES`.
    #[test]
    fn long_lines_around_it_are_kept_in_part() {
        let long = format!("{}\n", "x".repeat(CONTEXT_BYTES));
        let text = format!("{long}{long}2\n{long}");
        let own = aside(&text, 2 * long.len(), "2\n", "Y\n");
        let size = |own: &Replacement| own.above.bytes().len() + own.below.bytes().len();
        assert_eq!(
            own.splices.iter().map(size).sum::<usize>(),
            2 * CONTEXT_BYTES
        );
        let now = format!("new\n{text}");
        let placed = own.placed(Some(&Source::new(now.as_bytes()))).unwrap();
        assert_eq!(placed.splices()[0].at, 2 * long.len() + 4);
    }

    #[test]
    fn hunks_from_a_store_without_lines_around_them_are_read() {
        let json = r#"{"presence":"kept","splices":[{"at":0,"old":"1\n","new":"Y\n"}]}"#;
        let own: Aside = serde_json::from_str(json).unwrap();
        assert!(own.placed(Some(&Source::new(b"0\n1\n".to_vec()))).is_some());
    }
}
