//! Subject of the review: the proposals that wait, the marks on them, and what is known of their hunks.
//!
//! In: lists from the session, verdicts, reports of checks. Out: the selected hunk, whether it takes a verdict, and what
//! is handed over. How any of it is shown is in `presentation`.

mod eyes;
mod taking_out;

use std::collections::{HashMap, HashSet};

use signoff_checks::check::CheckReport;
use signoff_core::id::HunkId;
use signoff_core::stage::review::{HunkView, ProposalView, Ruling, Verdict};

pub(super) use self::eyes::{EyesNeeded, in_order};
use super::KeyNames;
use super::checks::{Checks, WaitingState};
use super::commits::CommitCard;
use super::filter::ReviewFilter;
use super::list::{HunkPlace, ReviewList};
use super::marks::{Dropped, Marks};
use super::news;
use super::pending_verdicts::PendingVerdicts;
use super::proofs::Evidence;
use super::review_file::ReviewFile;

/// What is reviewed.
#[derive(Debug, Default)]
pub(super) struct ReviewSubject {
    pub(super) list: ReviewList,
    pub(super) verdicts: PendingVerdicts,
    /// Whether the model goes on after an approval, unless the user chooses otherwise.
    pub(super) goes_on: bool,
    /// Sentences of the model's newest message that do not hold, each with what is so.
    pub(super) contradicted: Vec<String>,
    checks: Checks,
    /// What waited when the check began, if one did.
    checked_state: Option<WaitingState>,
    /// Commits of programs that wait, which are listed behind the files.
    pub(super) commits: Vec<CommitCard>,
}

/// What another list changed.
#[derive(Debug)]
pub(super) struct Relisted {
    /// The files that were listed before.
    pub(super) before: Vec<ReviewFile>,
    /// The marks that had to go.
    pub(super) dropped: Vec<Dropped>,
    /// False if a hunk is new, or reads differently.
    pub(super) is_known: bool,
}

impl ReviewSubject {
    /// Returns what checks found.
    pub(super) fn checks(&self) -> &Checks {
        &self.checks
    }

    /// Returns the marks.
    pub(super) fn marks(&self) -> &Marks {
        &self.verdicts.marks
    }

    /// Returns what keys are called.
    pub(super) fn names(&self) -> &KeyNames {
        &self.verdicts.names
    }

    /// Returns what decides whether a hunk has to be read.
    pub(super) fn evidence(&self) -> Evidence<'_> {
        Evidence {
            marks: self.marks(),
            checks: &self.checks,
        }
    }

    /// Returns the selected hunk, behind its proposal.
    pub(super) fn selected(&self) -> Option<(&ProposalView, &HunkView)> {
        self.list.selected_entry()
    }

    /// Returns why the selected hunk does not take this verdict.
    pub(super) fn refusal(&self, verdict: &Verdict) -> Option<String> {
        let hunk = self.list.selected_hunk();
        if hunk.is_some_and(|hunk| !self.list.shows(hunk.id)) {
            let key = &self.names().filter;
            return Some(format!("Hidden by the filter: {key} shows more"));
        }
        self.marks().refusal(hunk, verdict, self.names())
    }

    /// Returns the hunks that the filter shows and that are meant.
    pub(super) fn shown(&self, meant: impl Fn(&HunkView) -> bool) -> HashSet<HunkId> {
        let hunks = self.list.shown_hunks().filter(|hunk| meant(hunk));
        hunks.map(|hunk| hunk.id).collect()
    }

    /// Returns the hunks that make the same rewrite as the selected one and nothing else, and can be approved; nothing
    /// if no other hunk makes the same.
    pub(super) fn same_rewrite(&self) -> Option<HashSet<HunkId>> {
        let group = self.list.selected_hunk()?.group.as_ref()?;
        Some(self.shown(|hunk| {
            let own = hunk.group.as_ref();
            let is_same = own.is_some_and(|own| own.key == group.key && !own.outlier);
            is_same && self.marks().takes(hunk, &Verdict::Approve)
        }))
    }
}

/// Lists, and what is told of their hunks.
impl ReviewSubject {
    /// Takes over other files.
    pub(super) fn relist(&mut self, files: Vec<ReviewFile>) -> Relisted {
        let marks = &mut self.verdicts.marks;
        let mut dropped = marks.carry_over(self.list.files(), &files);
        let is_known = news::is_known(self.list.files(), &files);
        let before = self.list.set(files);
        self.compare_checks();
        dropped.extend(self.verdicts.restore_marks(&self.list));
        self.refilter();
        self.verdicts.rebase_comments(&self.list);
        self.verdicts.drop_question();
        Relisted {
            before,
            dropped,
            is_known,
        }
    }

    /// Returns where a hunk is, if it still waits.
    pub(super) fn place_of_waiting(&self, hunk: Option<HunkId>) -> Option<HunkPlace> {
        (self.list).find(|_, own| Some(own.id) == hunk && own.status.is_open())
    }

    /// Returns where the hunk is that took the place of one of another list, if one did: it is new and in the same lines.
    pub(super) fn place_instead(
        &self,
        hunk: Option<HunkId>,
        before: &[ReviewFile],
    ) -> Option<HunkPlace> {
        // What is written again may begin in the lines that a diff shows above the hunk.
        const NEAR: u32 = 3;
        let mut known = before.iter().flat_map(ReviewFile::entries);
        let (file, gone) = known.find(|(_, own)| Some(own.id) == hunk)?;
        if self.list.hunk(gone.id).is_some() {
            return None;
        }
        let known: HashSet<HunkId> = before
            .iter()
            .flat_map(ReviewFile::hunks)
            .map(|own| own.id)
            .collect();
        self.list.find(|own, hunk| {
            let is_new = own.path == file.path && !known.contains(&hunk.id);
            is_new && hunk.line_in_file().abs_diff(gone.line_in_file()) <= NEAR
        })
    }

    /// Returns where the first hunk is that was behind this one in another list, and waits; the first place if none is.
    pub(super) fn place_behind(&self, hunk: Option<HunkId>, before: &[ReviewFile]) -> HunkPlace {
        const FIRST: HunkPlace = HunkPlace { file: 0, hunk: 0 };
        let mut waiting = HashMap::new();
        for (file, proposal) in self.list.files().iter().enumerate() {
            let open = proposal.hunks().enumerate();
            let open = open.filter(|(_, own)| own.status.is_open());
            waiting.extend(open.map(|(hunk, own)| (own.id, HunkPlace { file, hunk })));
        }
        let hunks = before.iter().flat_map(ReviewFile::hunks);
        let mut behind = hunks.skip_while(|own| Some(own.id) != hunk);
        (behind.find_map(|own| waiting.get(&own.id).copied())).unwrap_or(FIRST)
    }

    /// Takes over that what is staged is being checked.
    pub(super) fn checking(&mut self) {
        self.checks = Checks::Running;
        self.checked_state = Some(WaitingState::of(self.list.files()));
    }

    /// Takes over what checks found.
    pub(super) fn checked(&mut self, report: &CheckReport) {
        self.checks = Checks::of(report, self.list.files());
        self.compare_checks();
    }

    /// Takes over which hunks make tests fail.
    pub(super) fn found_cause(&mut self, report: &CheckReport) {
        self.checks.add(report, self.list.files());
    }

    /// Compares what waits with what waited when the check began.
    fn compare_checks(&mut self) {
        let checked = self.checked_state.as_ref();
        let is_older = checked.is_some_and(|own| *own != WaitingState::of(self.list.files()));
        self.checks.compare(is_older);
    }

    /// Goes to the next filter that shows anything; nothing if none does.
    pub(super) fn next_filter(&mut self) -> Option<ReviewFilter> {
        let mut others = self.list.filter().others();
        others.find(|filter| self.apply(*filter))
    }

    /// Applies the filter to another list; one that would hide all of it ends.
    fn refilter(&mut self) {
        if !self.apply(self.list.filter()) {
            self.apply(ReviewFilter::All);
        }
    }

    /// Applies a filter; false if it shows nothing.
    fn apply(&mut self, filter: ReviewFilter) -> bool {
        let (marks, checks) = (&self.verdicts.marks, &self.checks);
        let is_hidden =
            |file: &ProposalView, hunk: &HunkView| !filter.shows(file, hunk, marks, checks);
        self.list.hide(filter, is_hidden);
        self.list.shown_count() > 0
    }
}

/// Verdicts.
impl ReviewSubject {
    /// Marks a hunk as one that is written, which the verdict is about alone. Returns whether the mark of another went that
    /// was to be written over the same lines.
    pub(super) fn mark_alone(&mut self, hunk: HunkId, verdict: Verdict) -> bool {
        let Some(hunk) = self.list.hunk(hunk) else {
            return false;
        };
        let marks = &mut self.verdicts.marks;
        let has_displaced = marks.displace(hunk, self.list.hunks());
        marks.set_alone(hunk, verdict);
        has_displaced
    }

    /// Marks every hunk that is shown, meant and takes the verdict.
    pub(super) fn mark_each(&mut self, meant: impl Fn(&HunkView) -> bool, verdict: &Verdict) {
        let hunks = self.list.shown_hunks();
        self.verdicts.marks.set_each(hunks, meant, verdict);
    }

    /// Marks every hunk that is shown, has no mark and takes the verdict.
    pub(super) fn mark_others(&mut self, verdict: &Verdict) {
        let hunks = self.list.shown_hunks();
        self.verdicts.marks.set_others(hunks, verdict);
    }

    /// Hands the marked verdicts over. The marks stay until the answer comes.
    pub(super) fn submit(&mut self) -> Vec<Ruling> {
        self.verdicts.marks.submit(self.list.hunks())
    }
}
