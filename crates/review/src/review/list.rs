//! Review list: the proposals that wait, their hunks, and the selected one.
//!
//! In: the proposals that the session lists. Out: hunks by their place and by their id, and where the user is among
//! them.

use std::collections::{HashMap, HashSet};

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
    at: HunkPlace,
    filter: ReviewFilter,
    /// Hunks that the filter hides.
    hidden: HashSet<HunkId>,
}

impl ReviewList {
    /// Returns true if there is nothing to review.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns how many hunks wait for a verdict.
    pub fn pending(&self) -> usize {
        proposals(&self.files)
            .map(|own| own.pending().count())
            .sum()
    }

    /// Returns true if a hunk waits or is in conflict.
    pub fn needs_user(&self) -> bool {
        self.hunks().any(|hunk| hunk.status.is_open())
    }

    /// Returns how many of them were staged after a time; all that wait where it is not known.
    pub fn pending_since(&self, time: Option<Timestamp>) -> usize {
        let own = proposals(&self.files);
        let since = own.filter(|own| time.is_none_or(|time| own.created > time));
        since.map(|own| own.pending().count()).sum()
    }

    /// Returns how many hunks are in conflict.
    pub fn conflicts(&self) -> usize {
        let in_conflict = |hunk: &&HunkView| matches!(hunk.status, HunkStatus::Conflict { .. });
        self.hunks().filter(in_conflict).count()
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
        let count = |files: &[ReviewFile]| files.iter().map(ReviewFile::len).sum();
        let before: usize = count(self.files.get(..place.file).unwrap_or_default());
        (before + place.hunk + 1, count(&self.files))
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
        let found = || {
            let files = self.files.iter().enumerate();
            files.flat_map(|(file, own)| {
                let hunks = own.entries().enumerate();
                hunks
                    .filter(|(_, (proposal, own))| self.shows(own.id) && meant(proposal, own))
                    .map(move |(hunk, _)| HunkPlace { file, hunk })
            })
        };
        found()
            .find(|place| *place >= from)
            .or_else(|| found().next())
    }

    /// Returns the last hunk that is shown before a place and meant, round the start if need be.
    pub(super) fn find_before(
        &self,
        before: HunkPlace,
        meant: impl Fn(&ProposalView, &HunkView) -> bool,
    ) -> Option<HunkPlace> {
        let found = || {
            let files = self.files.iter().enumerate().rev();
            files.flat_map(|(file, own)| {
                let hunks = (0..own.len()).rev();
                let hunks = hunks.filter_map(|hunk| Some((hunk, own.entry(hunk)?)));
                hunks
                    .filter(|(_, (proposal, own))| self.shows(own.id) && meant(proposal, own))
                    .map(move |(hunk, _)| HunkPlace { file, hunk })
            })
        };
        found()
            .find(|place| *place < before)
            .or_else(|| found().next())
    }

    /// Replaces all files, and returns those that were there; the place of the selected hunk stays as it is.
    pub(super) fn set(&mut self, files: Vec<ReviewFile>) -> Vec<ReviewFile> {
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
        known.is_some_and(|known| lines_of(known).eq(lines_of(file)))
    };
    let after = proposals(after);
    after.filter(is_same).map(|own| own.id).collect()
}

fn lines_of(file: &ProposalView) -> impl Iterator<Item = &[DiffLine]> {
    file.hunks.iter().map(|hunk| hunk.lines.as_slice())
}
