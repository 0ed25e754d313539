//! Marked verdicts, until their outcome is known.
//!
//! In: marks and the hunks they are about. Out: rulings, once the user submits. A mark goes when
//! its verdict was carried out, when the user takes it away, or when its hunk reads differently.

use std::collections::{HashMap, HashSet, VecDeque};

use super::KeyNames;

use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkStatus, HunkView, Ruling, Verdict};

use super::review_file::ReviewFile;

/// Verdicts by hunk, and which were handed over and wait for an answer.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    marked: HashMap<HunkId, Verdict>,
    /// What was handed over, a lot each; answers come in the same order.
    sent: VecDeque<HashSet<HunkId>>,
    /// Marks that went while they were handed over: told of only if they come back.
    gone: Vec<Dropped>,
    /// Goes up with every change of what is marked.
    revision: u64,
    /// Hunks that were marked together, oldest first.
    steps: Vec<Vec<HunkId>>,
    /// Hunks that the model was asked about.
    asked: HashSet<HunkId>,
    /// What the line of a fold said by which a hunk was approved.
    folds: HashMap<HunkId, String>,
}

/// A mark or a text that was taken away because its hunk reads differently, or is gone.
#[derive(Debug, PartialEq, Eq)]
pub struct Dropped {
    pub(super) hunk: HunkId,
    /// The hunk's file; empty where that is not known.
    pub path: String,
    /// What the user had made to stand in the hunk's place.
    pub text: Option<String>,
    /// True if the hunk waits no more.
    pub is_gone: bool,
}

impl Dropped {
    /// Returns a text whose hunk is gone, if the verdict has one: other marks go with their hunks, and nothing is said.
    pub(super) fn gone(hunk: HunkId, path: &str, verdict: Verdict) -> Option<Self> {
        Some(Self {
            hunk,
            path: path.to_owned(),
            text: Some(own_text(verdict)?),
            is_gone: true,
        })
    }
}

/// Returns the text that a verdict puts in the place of a hunk's.
pub(super) fn own_text(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::ApproveEdited { text, .. } => Some(text),
        Verdict::Approve | Verdict::Deny { .. } => None,
    }
}

/// Which marks were taken back.
#[derive(Debug)]
pub(super) enum TakenBack {
    /// That of the selected hunk.
    Selected,
    /// None: that of the selected hunk was handed over.
    AlreadySent,
    /// Those that were given together last, of these hunks.
    Last(HashSet<HunkId>),
}

impl Marks {
    /// Returns true if a verdict may be marked: it waits, and none was handed over.
    pub(crate) fn is_open(&self, hunk: &HunkView) -> bool {
        hunk.status == HunkStatus::Pending && !self.is_sent(hunk.id)
    }

    /// Returns true if the verdict was handed over and not answered yet.
    pub(crate) fn is_sent(&self, hunk: HunkId) -> bool {
        self.sent.iter().any(|lot| lot.contains(&hunk))
    }

    /// Returns what is marked, handed over or not.
    pub(crate) fn get(&self, hunk: HunkId) -> Option<&Verdict> {
        self.marked.get(&hunk)
    }

    /// Returns true if the model was asked about a hunk.
    pub(crate) fn is_asked(&self, hunk: HunkId) -> bool {
        self.asked.contains(&hunk)
    }

    /// Takes over that the model was asked about a hunk. It waits on for a verdict.
    pub(crate) fn ask(&mut self, hunk: HunkId) {
        self.asked.insert(hunk);
    }

    /// Returns a number that differs whenever other marks are set.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns true if a hunk is marked with a text of the user's.
    pub(super) fn has_edited(&self) -> bool {
        let mut verdicts = self.marked.values();
        verdicts.any(|verdict| matches!(verdict, Verdict::ApproveEdited { .. }))
    }

    /// Returns how many marks can be handed over.
    pub(crate) fn count(&self) -> usize {
        let marked = self.marked.keys();
        marked.filter(|hunk| !self.is_sent(**hunk)).count()
    }

    /// Returns true if this verdict on several hunks may be marked: one in conflict, or that is not displayed, can only be
    /// denied.
    pub(crate) fn takes(&self, hunk: &HunkView, verdict: &Verdict) -> bool {
        can_be(hunk, verdict) && !self.is_sent(hunk.id)
    }

    /// Returns true if this verdict on this hunk alone may be marked: it also approves what can be
    /// taken over what the user has there, and what is not displayed.
    pub(crate) fn takes_alone(&self, hunk: &HunkView, verdict: &Verdict) -> bool {
        can_be_alone(hunk, verdict) && !self.is_sent(hunk.id)
    }

    /// Marks one hunk of several; false if it does not take the verdict.
    fn set(&mut self, hunk: &HunkView, verdict: Verdict) -> bool {
        let takes = self.takes(hunk, &verdict);
        if takes {
            self.insert(hunk.id, verdict);
        }
        takes
    }

    /// Marks a hunk that the verdict is about alone; one that does not take it is left alone.
    pub(crate) fn set_alone(&mut self, hunk: &HunkView, verdict: Verdict) {
        if self.takes_alone(hunk, &verdict) {
            self.insert(hunk.id, verdict);
            self.steps.push(vec![hunk.id]);
        }
    }

    /// Takes away the marks of hunks in conflict that are to be written over the same lines as this one: of those one at most
    /// can be. Returns whether there were any.
    pub(crate) fn displace<'a>(
        &mut self,
        hunk: &HunkView,
        others: impl Iterator<Item = &'a HunkView>,
    ) -> bool {
        let is_rival =
            |other: &&HunkView| hunk.rivals.contains(&other.id) || other.rivals.contains(&hunk.id);
        let displaced: Vec<HunkId> = others
            .filter(is_rival)
            .map(|other| other.id)
            .filter(|other| self.writes(*other) && !self.is_sent(*other))
            .collect();
        displaced.iter().for_each(|other| self.unset(*other));
        !displaced.is_empty()
    }

    /// Returns true if a hunk is marked to be written.
    fn writes(&self, hunk: HunkId) -> bool {
        matches!(
            self.get(hunk),
            Some(Verdict::Approve | Verdict::ApproveEdited { .. })
        )
    }

    /// Marks every hunk that is meant and takes the verdict.
    pub(crate) fn set_each<'a>(
        &mut self,
        hunks: impl Iterator<Item = &'a HunkView>,
        meant: impl Fn(&HunkView) -> bool,
        verdict: &Verdict,
    ) {
        let meant = hunks.filter(|hunk| meant(hunk));
        let marked = meant.filter(|hunk| self.set(hunk, verdict.clone()));
        let step = marked.map(|hunk| hunk.id).collect();
        self.steps.push(step);
    }

    /// Marks every hunk that has no mark and takes the verdict.
    pub(crate) fn set_others<'a>(
        &mut self,
        hunks: impl Iterator<Item = &'a HunkView>,
        verdict: &Verdict,
    ) {
        let is_marked =
            |hunk: &&HunkView| self.get(hunk.id).is_none() && self.set(hunk, verdict.clone());
        let step = hunks.filter(is_marked).map(|hunk| hunk.id).collect();
        self.steps.push(step);
    }

    /// Returns true if a hunk has no mark and takes this verdict, be it with others.
    pub(crate) fn waits_for(&self, hunk: &HunkView, verdict: &Verdict) -> bool {
        self.get(hunk.id).is_none() && self.takes(hunk, verdict)
    }

    /// Returns true if a denial of all hunks denies this one: a mark that approves it is replaced, one that denies it keeps
    /// its reason.
    pub(crate) fn can_be_denied(&self, hunk: &HunkView) -> bool {
        let is_denied = matches!(self.get(hunk.id), Some(Verdict::Deny { .. }));
        !is_denied && self.takes(hunk, &Verdict::Deny { reason: None })
    }

    /// Returns why a hunk alone does not take this verdict.
    pub(crate) fn refusal(
        &self,
        hunk: Option<&HunkView>,
        verdict: &Verdict,
        names: &KeyNames,
    ) -> Option<String> {
        let KeyNames { approve, deny, .. } = names;
        let Some(hunk) = hunk else {
            return Some("There is no hunk here".to_owned());
        };
        match &hunk.status {
            HunkStatus::Pending | HunkStatus::Conflict { .. } if self.is_sent(hunk.id) => {
                Some("Already handed over".to_owned())
            }
            HunkStatus::Pending => None,
            HunkStatus::Conflict { .. } if self.takes_alone(hunk, verdict) => None,
            HunkStatus::Conflict { .. } if hunk.takeable => Some(format!(
                "In conflict: {approve} writes it over your lines, {deny} denies it"
            )),
            // The card says the rest of it.
            HunkStatus::Conflict { reason } => {
                Some(format!("In conflict, {deny} denies it: {reason}"))
            }
            HunkStatus::Committed
            | HunkStatus::Edited { .. }
            | HunkStatus::Denied { .. }
            | HunkStatus::Replaced { .. }
            | HunkStatus::Rewritten { .. } => Some("Already decided".to_owned()),
            HunkStatus::InFile => Some("In the file already".to_owned()),
        }
    }

    /// Takes over that a hunk was approved by the line of its fold.
    pub(super) fn note_fold(&mut self, hunk: HunkId, proof: String) {
        self.folds.insert(hunk, proof);
    }

    /// Returns what the line of the fold said by which a hunk was approved, if it was.
    pub(super) fn fold(&self, hunk: HunkId) -> Option<&str> {
        self.folds.get(&hunk).map(String::as_str)
    }

    fn insert(&mut self, hunk: HunkId, verdict: Verdict) {
        self.folds.remove(&hunk);
        self.marked.insert(hunk, verdict);
        self.revision += 1;
    }

    /// Takes a mark away that was not handed over.
    pub(crate) fn unset(&mut self, hunk: HunkId) {
        if !self.is_sent(hunk) {
            self.marked.remove(&hunk);
            self.revision += 1;
        }
    }

    /// Takes the selected hunk's mark away; where it has none, takes back the last marks that were given together.
    pub(super) fn take_back(&mut self, selected: Option<HunkId>) -> TakenBack {
        match selected.filter(|hunk| self.get(*hunk).is_some()) {
            Some(hunk) if self.is_sent(hunk) => TakenBack::AlreadySent,
            Some(hunk) => {
                self.unset(hunk);
                TakenBack::Selected
            }
            None => TakenBack::Last(self.undo()),
        }
    }

    /// Takes back the marks that were given together last and are neither handed over nor taken away, and returns
    /// their hunks.
    fn undo(&mut self) -> HashSet<HunkId> {
        while let Some(step) = self.steps.pop() {
            let left = step.into_iter();
            let left = left.filter(|hunk| self.get(*hunk).is_some() && !self.is_sent(*hunk));
            let left: HashSet<HunkId> = left.collect();
            if !left.is_empty() {
                self.marked.retain(|hunk, _| !left.contains(hunk));
                self.revision += 1;
                return left;
            }
        }
        HashSet::new()
    }

    /// Returns true if something that is marked and not handed over writes to a file.
    pub(crate) fn would_write(&self) -> bool {
        let mut marked = self.marked.iter();
        marked
            .any(|(hunk, verdict)| !matches!(verdict, Verdict::Deny { .. }) && !self.is_sent(*hunk))
    }

    /// Returns the rulings that can be handed over, in the order of `hunks`.
    pub(crate) fn rulings<'a>(&self, hunks: impl Iterator<Item = &'a HunkView>) -> Vec<Ruling> {
        hunks
            .filter(|hunk| !self.is_sent(hunk.id))
            .filter_map(|hunk| {
                let verdict = self.marked.get(&hunk.id)?.clone();
                Some(Ruling::new(hunk, verdict))
            })
            .collect()
    }

    /// Returns the rulings for the marked hunks, in the order of `hunks`. The marks stay until
    /// the answer comes.
    pub(crate) fn submit<'a>(&mut self, hunks: impl Iterator<Item = &'a HunkView>) -> Vec<Ruling> {
        let rulings = self.rulings(hunks);
        if !rulings.is_empty() {
            let lot = rulings.iter().map(|ruling| ruling.hunk);
            self.sent.push_back(lot.collect());
        }
        rulings
    }

    /// Takes over that the lot handed over first was carried out, and returns it.
    pub(crate) fn carried_out(&mut self) -> HashSet<HunkId> {
        let lot = self.sent.pop_front().unwrap_or_default();
        self.marked.retain(|hunk, _| !lot.contains(hunk));
        self.folds.retain(|hunk, _| !lot.contains(hunk));
        self.revision += 1;
        self.gone.retain(|mark| !lot.contains(&mark.hunk));
        lot
    }

    /// Takes over that the lot handed over first was not carried out: its marks can be changed
    /// and handed over again. Returns those that had to go meanwhile.
    pub(crate) fn came_back(&mut self) -> Vec<Dropped> {
        let lot = self.sent.pop_front().unwrap_or_default();
        let back = self.gone.extract_if(.., |mark| lot.contains(&mark.hunk));
        back.collect()
    }

    /// Keeps approvals only of hunks that still wait and still say what they said when marked,
    /// and denials as long as there is something to deny. Returns what had to go though its hunk
    /// is still there, and the user's texts for hunks that are not.
    pub(crate) fn carry_over(
        &mut self,
        before: &[ReviewFile],
        after: &[ReviewFile],
    ) -> Vec<Dropped> {
        let before: HashMap<_, _> = hunks(before)
            .map(|(path, hunk)| (hunk.id, (path, hunk)))
            .collect();
        let had = self.marked.len();
        let mut kept = HashMap::new();
        let mut dropped = Vec::new();
        for (path, hunk) in hunks(after) {
            let Some(verdict) = self.marked.remove(&hunk.id) else {
                continue;
            };
            let was = before.get(&hunk.id);
            let holds = matches!(verdict, Verdict::Deny { .. })
                || was.is_some_and(|(_, was)| says_the_same(was, hunk));
            if can_be_alone(hunk, &verdict) && holds {
                kept.insert(hunk.id, verdict);
            } else {
                dropped.push(Dropped {
                    hunk: hunk.id,
                    path: path.to_owned(),
                    text: own_text(verdict),
                    is_gone: !hunk.status.is_open(),
                });
            }
        }
        dropped.extend(self.marked.drain().filter_map(|(hunk, verdict)| {
            let path = before.get(&hunk).map_or("", |(path, _)| path);
            Dropped::gone(hunk, path, verdict)
        }));
        self.revision += u64::from(had > kept.len());
        self.marked = kept;
        let (gone, told) = dropped
            .into_iter()
            .partition(|mark| self.is_sent(mark.hunk));
        self.gone.extend::<Vec<_>>(gone);
        told
    }
}

fn hunks(files: &[ReviewFile]) -> impl Iterator<Item = (&str, &HunkView)> {
    let entries = files.iter().flat_map(ReviewFile::entries);
    entries.map(|(own, hunk)| (own.path.as_str(), hunk))
}

/// Returns true if a hunk as it stands can be given this verdict when it is about this hunk alone.
fn can_be_alone(hunk: &HunkView, verdict: &Verdict) -> bool {
    let is_taken = matches!(hunk.status, HunkStatus::Conflict { .. }) && hunk.takeable;
    let takes = matches!(verdict, Verdict::Approve | Verdict::ApproveEdited { .. });
    let is_undisplayed = hunk.status == HunkStatus::Pending && hunk.undisplayed.is_some();
    can_be(hunk, verdict) || (takes && (is_taken || is_undisplayed))
}

/// Returns true if a hunk as it stands can be given this verdict with others.
fn can_be(hunk: &HunkView, verdict: &Verdict) -> bool {
    match hunk.status {
        HunkStatus::Pending if hunk.undisplayed.is_none() => true,
        HunkStatus::Pending | HunkStatus::Conflict { .. } => {
            matches!(verdict, Verdict::Deny { .. })
        }
        HunkStatus::Committed
        | HunkStatus::Edited { .. }
        | HunkStatus::Denied { .. }
        | HunkStatus::Replaced { .. }
        | HunkStatus::Rewritten { .. }
        | HunkStatus::InFile => false,
    }
}

/// Line numbers may move under an edit elsewhere; the lines may not change, nor those of the user that it conflicts
/// with.
fn says_the_same(before: &HunkView, after: &HunkView) -> bool {
    (&before.status, &before.yours) == (&after.status, &after.yours)
        && before.lines.len() == after.lines.len()
        && before
            .lines
            .iter()
            .zip(&after.lines)
            .all(|(was, is)| (was.kind, &was.text, was.newline) == (is.kind, &is.text, is.newline))
}
