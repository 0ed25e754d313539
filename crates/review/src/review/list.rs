//! Review list: the proposals that wait, their hunks, and the selected one.
//!
//! In: the proposals that the session lists. Out: hunks by their place and by their id, and where the user is among
//! them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::ptr;

use signoff_core::edit::diff::line::DiffLine;
use signoff_core::id::{HunkId, ProposalId, Timestamp};
use signoff_core::stage::review::{HunkStatus, HunkView, ProposalView};

use super::filter::ReviewFilter;
use super::review_file::{ReviewFile, proposals};

/// Where a hunk is: the index of its file in the list, and its own in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HunkPlace {
    pub(super) file: usize,
    pub(super) hunk: usize,
}

/// The files with what is proposed for them, and which hunk is selected.
#[derive(Debug, Default)]
pub struct ReviewList {
    files: Vec<ReviewFile>,
    counts: ListCounts,
    at: HunkPlace,
    filter: ReviewFilter,
    /// Hunks that the filter hides.
    hidden: HashSet<HunkId>,
}

/// What is said of all hunks of a list. They are counted once for each list: with every key it is drawn anew, and no key
/// takes longer because of what is out of sight.
#[derive(Debug, Default)]
struct ListCounts {
    pending: usize,
    conflicts: usize,
    /// Lines that come or go in hunks that need a verdict.
    open_lines: usize,
    /// Hunks that need a verdict and come with a proof.
    proved: Vec<HunkPlace>,
    /// What is above each file, and at the end what is above none.
    above: Vec<HunksAbove>,
}

/// How much of a list is above a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HunksAbove {
    hunks: usize,
    /// Those that need a verdict.
    open: usize,
    /// The files that have one of these.
    open_files: usize,
}

impl ListCounts {
    fn of(files: &[ReviewFile]) -> Self {
        let mut counts = Self::default();
        let mut above = HunksAbove::default();
        counts.above.push(above);
        for (index, file) in files.iter().enumerate() {
            let open_before = above.open;
            for (number, hunk) in file.hunks().enumerate() {
                counts.pending += usize::from(hunk.status == HunkStatus::Pending);
                counts.conflicts += usize::from(matches!(hunk.status, HunkStatus::Conflict { .. }));
                if hunk.status.is_open() {
                    above.open += 1;
                    counts.open_lines += hunk.added as usize + hunk.removed as usize;
                    let place = HunkPlace {
                        file: index,
                        hunk: number,
                    };
                    counts.proved.extend(hunk.proof.is_some().then_some(place));
                }
            }
            above.hunks += file.len();
            above.open_files += usize::from(above.open > open_before);
            counts.above.push(above);
        }
        counts
    }

    /// Returns what is above a file; all of the list above one that is not there.
    fn above(&self, file: usize) -> HunksAbove {
        let found = self.above.get(file).or(self.above.last());
        // Before the first list nothing is above anything.
        found.map_or(HunksAbove::default(), |above| *above)
    }
}

impl ReviewList {
    /// Returns true if there is nothing to review.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns how many hunks wait for a verdict.
    pub fn pending(&self) -> usize {
        self.counts.pending
    }

    /// Returns true if a hunk waits or is in conflict.
    pub fn needs_user(&self) -> bool {
        self.counts.pending + self.counts.conflicts > 0
    }

    /// Returns how many of them were staged after a time; all that wait where it is not known.
    pub fn pending_since(&self, time: Option<Timestamp>) -> usize {
        let own = proposals(&self.files);
        let since = own.filter(|own| time.is_none_or(|time| own.created > time));
        since.map(|own| own.pending().count()).sum()
    }

    /// Returns how many hunks are in conflict.
    pub fn conflicts(&self) -> usize {
        self.counts.conflicts
    }

    /// Returns how many lines come or go in hunks that need a verdict.
    pub(super) fn open_lines(&self) -> usize {
        self.counts.open_lines
    }

    /// Returns the hunks that need a verdict and come with a proof, each behind its proposal.
    pub(super) fn proved(&self) -> impl Iterator<Item = (&ProposalView, &HunkView)> {
        let proved = self.counts.proved.iter();
        proved.filter_map(|place| self.files.get(place.file)?.entry(place.hunk))
    }

    /// Returns how many hunks of some files need a verdict, and in how many of these they are.
    pub(super) fn open_in(&self, files: Range<usize>) -> (usize, usize) {
        let [start, end] = [files.start, files.end].map(|file| self.counts.above(file));
        (
            end.open.saturating_sub(start.open),
            end.open_files.saturating_sub(start.open_files),
        )
    }

    /// Returns the paths of all files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(ReviewFile::path)
    }

    /// Returns how many files the proposals are about.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Returns the path of the selected file.
    pub fn selected_path(&self) -> Option<&str> {
        self.selected_file().map(ReviewFile::path)
    }

    /// Tells whether a word is a path or an id of what is listed, in part or whole.
    pub fn names(&self, word: &str) -> bool {
        const SHORTEST_ID: usize = 4;
        let id = word.split('#').next().unwrap_or_default();
        let is_id =
            |own: &str| id.len() >= SHORTEST_ID && (own.starts_with(id) || own.ends_with(id));
        proposals(&self.files).any(|own| own.path == word || is_id(&own.id.to_string()))
    }

    /// Returns all files.
    pub(super) fn files(&self) -> &[ReviewFile] {
        &self.files
    }

    /// Returns all proposals.
    pub(super) fn proposals(&self) -> impl Iterator<Item = &ProposalView> + Clone {
        proposals(&self.files)
    }

    /// Returns the hunks of all files, in the order of the list.
    pub(super) fn hunks(&self) -> impl Iterator<Item = &HunkView> {
        self.files.iter().flat_map(ReviewFile::hunks)
    }

    /// Returns the hunks of all files, each behind its proposal.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&ProposalView, &HunkView)> {
        self.files.iter().flat_map(ReviewFile::entries)
    }

    /// Returns the hunks that the filter shows.
    pub(super) fn shown_hunks(&self) -> impl Iterator<Item = &HunkView> {
        self.hunks().filter(|hunk| self.shows(hunk.id))
    }

    /// Returns true if the filter shows a hunk.
    pub(super) fn shows(&self, hunk: HunkId) -> bool {
        !self.hidden.contains(&hunk)
    }

    /// Returns true if the filter hides the hunk at a place.
    pub(super) fn is_hidden(&self, place: HunkPlace) -> bool {
        self.get(place).is_some_and(|hunk| !self.shows(hunk.id))
    }

    /// Returns the filter.
    pub(super) fn filter(&self) -> ReviewFilter {
        self.filter
    }

    /// Returns how many hunks are hidden.
    pub(super) fn hidden_count(&self) -> usize {
        self.hidden.len()
    }

    /// Returns how many hunks are not hidden.
    pub(super) fn shown_count(&self) -> usize {
        self.hunks().count() - self.hidden.len()
    }

    /// Takes a filter, which hides these hunks.
    pub(super) fn hide(
        &mut self,
        filter: ReviewFilter,
        is_hidden: impl Fn(&ProposalView, &HunkView) -> bool,
    ) {
        let hidden = self.entries().filter(|(own, hunk)| is_hidden(own, hunk));
        self.hidden = hidden.map(|(_, hunk)| hunk.id).collect();
        self.filter = filter;
    }

    /// Returns the hunk with this id.
    pub(super) fn hunk(&self, id: HunkId) -> Option<&HunkView> {
        self.hunks().find(|hunk| hunk.id == id)
    }

    /// Returns the hunk with this id, behind its proposal.
    pub(super) fn entry(&self, id: HunkId) -> Option<(&ProposalView, &HunkView)> {
        self.entries().find(|(_, hunk)| hunk.id == id)
    }

    /// Returns a proposal.
    pub(super) fn proposal(&self, id: ProposalId) -> Option<&ProposalView> {
        self.proposals().find(|own| own.id == id)
    }

    /// Returns which file a proposal is about.
    pub(super) fn file_of(&self, id: ProposalId) -> Option<usize> {
        let mut files = self.files.iter();
        files.position(|file| file.proposal(id).is_some())
    }

    /// Returns the hunk at a place.
    pub(super) fn get(&self, place: HunkPlace) -> Option<&HunkView> {
        self.files.get(place.file)?.hunk(place.hunk)
    }

    /// Returns where the user is.
    pub(super) fn at(&self) -> HunkPlace {
        self.at
    }

    /// Returns the selected file.
    pub(super) fn selected_file(&self) -> Option<&ReviewFile> {
        self.files.get(self.at.file)
    }

    /// Returns the selected hunk, behind its proposal.
    pub(super) fn selected_entry(&self) -> Option<(&ProposalView, &HunkView)> {
        self.selected_file()?.entry(self.at.hunk)
    }

    /// Returns the selected hunk.
    pub fn selected_hunk(&self) -> Option<&HunkView> {
        self.get(self.at)
    }

    /// Selects a hunk, in the last file at most; true if that is in another file than before.
    pub(super) fn select(&mut self, place: HunkPlace) -> bool {
        let file = place.file.min(self.files.len().saturating_sub(1));
        let is_other = file != self.at.file;
        self.at = HunkPlace { file, ..place };
        is_other
    }

    /// Returns the number of a hunk among all, from 1, and how many there are.
    pub(super) fn position_of(&self, place: HunkPlace) -> (usize, usize) {
        let before = self.counts.above(place.file).hunks;
        let all = self.counts.above(self.files.len()).hunks;
        (before + place.hunk + 1, all)
    }

    /// Returns the place after the selected hunk.
    pub(super) fn next(&self) -> Option<HunkPlace> {
        let HunkPlace { file, hunk } = self.at;
        let after = HunkPlace {
            file,
            hunk: hunk + 1,
        };
        let next = self.find_from(after, |_, _| true);
        next.filter(|place| *place >= after)
    }

    /// Returns the place before the selected hunk.
    pub(super) fn previous(&self) -> Option<HunkPlace> {
        let previous = self.find_before(self.at, |_, _| true);
        previous.filter(|place| *place < self.at)
    }

    /// Returns the first hunk of the next file of which anything is shown.
    pub(super) fn next_file(&self) -> Option<HunkPlace> {
        let next = HunkPlace {
            file: self.at.file + 1,
            hunk: 0,
        };
        let found = self.find_from(next, |_, _| true);
        found.filter(|place| place.file > self.at.file)
    }

    /// Returns the first hunk of the file before of which anything is shown; in the first, that of this file.
    pub(super) fn previous_file(&self) -> Option<HunkPlace> {
        let start = HunkPlace { hunk: 0, ..self.at };
        let found = self.find_before(start, |_, _| true);
        match found.filter(|place| place.file < start.file) {
            Some(HunkPlace { file, .. }) => {
                self.find_from(HunkPlace { file, hunk: 0 }, |_, _| true)
            }
            None => Some(start),
        }
    }

    /// Returns the first hunk that is shown and meant.
    pub(super) fn find(
        &self,
        meant: impl Fn(&ProposalView, &HunkView) -> bool,
    ) -> Option<HunkPlace> {
        self.find_from(HunkPlace::default(), meant)
    }

    /// Returns the first hunk that is shown at or after a place and meant, round the end if need be.
    pub(super) fn find_from(
        &self,
        from: HunkPlace,
        meant: impl Fn(&ProposalView, &HunkView) -> bool,
    ) -> Option<HunkPlace> {
        self.find_even_hidden(from, |proposal, hunk| {
            self.shows(hunk.id) && meant(proposal, hunk)
        })
    }

    /// Returns the same of all hunks, shown or not. What is above is not walked through.
    pub(super) fn find_even_hidden(
        &self,
        from: HunkPlace,
        meant: impl Fn(&ProposalView, &HunkView) -> bool,
    ) -> Option<HunkPlace> {
        let found = |first: usize| {
            let files = self.files.iter().enumerate().skip(first);
            files.flat_map(|(file, own)| {
                let hunks = own.entries().enumerate();
                hunks
                    .filter(|(_, (proposal, own))| meant(proposal, own))
                    .map(move |(hunk, _)| HunkPlace { file, hunk })
            })
        };
        found(from.file)
            .find(|place| *place >= from)
            .or_else(|| found(0).next())
    }

    /// Returns the last hunk that is shown before a place and meant, round the start if need be.
    pub(super) fn find_before(
        &self,
        before: HunkPlace,
        meant: impl Fn(&ProposalView, &HunkView) -> bool,
    ) -> Option<HunkPlace> {
        let found = |count: usize| {
            let files = self.files.iter().enumerate().take(count).rev();
            files.flat_map(|(file, own)| {
                let hunks = (0..own.len()).rev();
                let hunks = hunks.filter_map(|hunk| Some((hunk, own.entry(hunk)?)));
                hunks
                    .filter(|(_, (proposal, own))| self.shows(own.id) && meant(proposal, own))
                    .map(move |(hunk, _)| HunkPlace { file, hunk })
            })
        };
        found(before.file.saturating_add(1))
            .find(|place| *place < before)
            .or_else(|| found(self.files.len()).next())
    }

    /// Replaces all files, and returns those that were there; the place of the selected hunk stays as it is.
    pub(super) fn set(&mut self, files: Vec<ReviewFile>) -> Vec<ReviewFile> {
        self.counts = ListCounts::of(&files);
        std::mem::replace(&mut self.files, files)
    }

    /// Returns the files without some of their hunks.
    pub(super) fn without(&self, hunks: &HashSet<HunkId>) -> Vec<ReviewFile> {
        let files = self.files.iter();
        files.filter_map(|file| file.without(hunks)).collect()
    }

    /// Returns how many hunks a file has.
    pub(super) fn hunks_of(&self, file: usize) -> usize {
        self.files.get(file).map_or(0, ReviewFile::len)
    }
}

/// Returns the proposals of a list whose hunks have the same lines as in the list before.
pub(super) fn unchanged(before: &[ReviewFile], after: &[ReviewFile]) -> HashSet<ProposalId> {
    let before: HashMap<ProposalId, &ProposalView> =
        proposals(before).map(|own| (own.id, own)).collect();
    let is_same = |file: &&ProposalView| {
        let known = before.get(&file.id);
        known.is_some_and(|known| ptr::eq(*known, *file) || lines_of(known).eq(lines_of(file)))
    };
    let after = proposals(after);
    after.filter(is_same).map(|own| own.id).collect()
}

fn lines_of(file: &ProposalView) -> impl Iterator<Item = &[DiffLine]> {
    file.hunks.iter().map(|hunk| hunk.lines.as_slice())
}

#[cfg(test)]
mod tests {
    use signoff_core::stage::review::{HunkView, Proof};
    use uuid::Uuid;

    use super::*;
    use crate::review::kit;

    /// Returns a file with a hunk for each letter: `p` waits, `l` waits and is layout alone, `c` is in conflict, `w` is written.
    fn file(id: u128, hunks: &str) -> ReviewFile {
        let proposal = ProposalId(Uuid::from_u128(id));
        let mut view = kit::file("");
        let one = view.hunks.remove(0);
        let hunks = hunks.chars().zip(1..).map(|(letter, number)| HunkView {
            id: HunkId { proposal, number },
            status: match letter {
                'c' => HunkStatus::Conflict {
                    reason: String::new(),
                },
                'w' => HunkStatus::Committed,
                _ => HunkStatus::Pending,
            },
            proof: (letter == 'l').then_some(Proof::Layout),
            ..one.clone()
        });
        view.id = proposal;
        view.hunks = hunks.collect();
        ReviewFile::new(vec![view])
    }

    #[test]
    fn what_is_said_of_all_hunks_is_counted_with_the_list() {
        let mut list = ReviewList::default();
        let place = |file, hunk| HunkPlace { file, hunk };
        assert_eq!((list.pending(), list.open_in(0..1)), (0, (0, 0)));
        for (number, files) in [&["plc", "ww", "p"][..], &["w"], &[]].iter().enumerate() {
            let made = files.iter().zip(1..).map(|(hunks, id)| file(id, hunks));
            list.set(made.collect());
            let counts = (list.pending(), list.conflicts(), list.open_lines());
            let open = [0..0, 0..1, 1..2, 1..3, 0..9].map(|files| list.open_in(files));
            let proved = list.proved().count();
            match number {
                0 => {
                    assert_eq!(counts, (3, 1, 4));
                    assert_eq!(open, [(0, 0), (3, 1), (0, 0), (1, 1), (4, 2)]);
                    assert_eq!((proved, list.needs_user()), (1, true));
                    assert_eq!(list.position_of(place(2, 0)), (6, 6));
                }
                _ => {
                    assert_eq!(counts, (0, 0, 0));
                    assert_eq!(open, [(0, 0); 5]);
                    assert_eq!((proved, list.needs_user()), (0, false));
                }
            }
        }
    }

    #[test]
    fn a_walk_goes_round_the_ends_of_the_list() {
        let mut list = ReviewList::default();
        list.set(vec![file(1, "pp"), file(2, "wp"), file(3, "pw")]);
        let place = |file, hunk| HunkPlace { file, hunk };
        let waits = |_: &ProposalView, hunk: &HunkView| hunk.status.is_open();
        for (from, next, before) in [
            (place(0, 0), place(0, 0), place(2, 0)),
            (place(0, 1), place(0, 1), place(0, 0)),
            (place(1, 0), place(1, 1), place(0, 1)),
            (place(2, 1), place(0, 0), place(2, 0)),
            (place(9, 0), place(0, 0), place(2, 0)),
        ] {
            assert_eq!(list.find_from(from, waits), Some(next), "{from:?}");
            assert_eq!(list.find_before(from, waits), Some(before), "{from:?}");
        }
        assert_eq!(list.find_from(place(0, 0), |_, _| false), None);
    }
}
