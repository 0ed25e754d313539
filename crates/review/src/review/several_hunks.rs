//! Verdicts on several hunks, and handing verdicts over.
//!
//! In: a key. Out: marks, rulings, or a question: what has not been displayed is shown page by page before it is approved.

use std::collections::HashSet;

use signoff_checks::necessity::unneeded;
use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{AfterApproval, HunkView, Verdict};

use super::seen::Counts;
use super::sign_off::SignOffPage;
use super::{DENIAL, KeyNames, Review, ReviewKey};
use crate::response::{Response, Scope};

/// What a denial of all hunks would deny.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deniable {
    /// All that are not denied yet.
    pub all: usize,
    /// Those of them that have not been displayed whole.
    pub unseen: usize,
    /// Those of them that are marked to be written: their marks are replaced.
    pub marked: usize,
}

/// Marks on several hunks.
impl Review {
    /// Approves every open hunk without a mark, or denies every one that is not denied yet, and hands all marks over.
    pub fn rule_all(&mut self, verdict: &Verdict) -> Response {
        if matches!(verdict, Verdict::Deny { .. }) {
            let (marks, list) = (self.subject.marks(), &self.subject.list);
            let meant = list.shown_hunks().filter(|hunk| marks.can_be_denied(hunk));
            let meant: HashSet<HunkId> = meant.map(|hunk| hunk.id).collect();
            let is_meant = |hunk: &HunkView| meant.contains(&hunk.id);
            self.change_marks(|subject| subject.mark_each(is_meant, verdict));
        } else {
            self.subject.mark_others(verdict);
        }
        match self.marked() {
            0 if self.subject.next_undisplayed().is_some() => {
                let key = &self.key_names().approve;
                Response::Say(format!(
                    "What waits is not displayed: {key} on each hunk asks whether to sign it by its hash"
                ))
            }
            0 => self.nothing_to_mark(),
            _ => self.sign_off(),
        }
    }

    /// Says why no verdict on all hunks that wait can be marked.
    fn nothing_to_mark(&self) -> Response {
        let (list, marks) = (&self.subject.list, self.subject.marks());
        let mut open = list.hunks().filter(|hunk| hunk.status.is_open()).peekable();
        if open.peek().is_none() {
            return Response::say("No hunk waits");
        }
        Response::say(if open.all(|hunk| marks.is_sent(hunk.id)) {
            "Already handed over"
        } else {
            "No hunk that is shown takes this verdict with others: decide on each one"
        })
    }

    /// Returns which hunks a denial of all would deny: those that are not denied yet.
    pub fn deniable(&self) -> Deniable {
        let (list, marks) = (&self.subject.list, self.subject.marks());
        let is_meant = |hunk: &HunkView| list.shows(hunk.id) && marks.can_be_denied(hunk);
        let Counts { all, unseen, .. } = self.presentation.counts(&self.subject, is_meant);
        let marked = list.hunks().filter(|hunk| marks.get(hunk.id).is_some());
        Deniable {
            all,
            unseen,
            marked: marked.filter(|hunk| is_meant(hunk)).count(),
        }
    }

    /// Approves every hunk that makes the same rewrite as the selected one.
    pub(super) fn approve_same(&mut self) -> Response {
        let Some(meant) = self.subject.same_rewrite() else {
            return Response::say("No other hunk makes the same rewrite");
        };
        if let Some(first) =
            self.presentation
                .walk(&mut self.subject, ReviewKey::ApproveSame, &meant)
        {
            return first;
        }
        let is_meant = |hunk: &HunkView| meant.contains(&hunk.id);
        self.change_marks(|subject| subject.mark_each(is_meant, &Verdict::Approve));
        self.submit_if_all_marked()
    }

    /// Approves every hunk that waits.
    pub(super) fn approve_all(&mut self) -> Response {
        let marks = self.subject.marks();
        let waits = |hunk: &HunkView| marks.waits_for(hunk, &Verdict::Approve);
        let meant = self.subject.shown(waits);
        let first = self
            .presentation
            .walk(&mut self.subject, ReviewKey::ApproveAll, &meant);
        first.unwrap_or_else(|| self.rule_all(&Verdict::Approve))
    }

    /// Approves all that waits, and has the model go on or stop.
    pub fn approve_and(&mut self, after: AfterApproval) -> Response {
        self.subject.verdicts.after = Some(after);
        self.handle(ReviewKey::ApproveAll)
    }

    /// Approves all that waits, displayed or not; what makes a program run, opens a file to more than
    /// before, or removes what would be nowhere, is displayed first.
    pub fn approve_unseen(&mut self) -> Response {
        let (marks, diff) = (self.subject.marks(), self.presentation.diff());
        let list = &self.subject.list;
        let unseen = list.find(|file, hunk| {
            let listed = list.file_of(file.id).and_then(|at| list.files().get(at));
            (file.runs.is_some() || file.held.is_some())
                && marks.waits_for(hunk, &Verdict::Approve)
                && listed.is_some_and(|listed| diff.is_unseen(listed, (file, hunk)))
        });
        let Some(place) = unseen else {
            // Whoever types these words has asked for no page, but not what guards say of a text of their own.
            return match self.rule_all(&Verdict::Approve) {
                Response::SignOff if !self.subject.marks().has_edited() => self.hand_over(),
                said => said,
            };
        };
        self.presentation.select(&mut self.subject, place);
        let selected = self.subject.selected();
        Response::say(if selected.is_some_and(|(file, _)| file.runs.is_some()) {
            "This file makes a program run: it can be approved once all of it was displayed"
        } else {
            "This needs a look (it says why): it can be approved once all of it was displayed"
        })
    }

    /// Approves all that is proved and waits, once its lines were displayed.
    pub(super) fn approve_proved(&mut self) -> Response {
        let proved = self.subject.proved();
        if proved.is_empty() {
            let key = &self.key_names().approve;
            return Response::Say(format!(
                "No waiting hunk is proved: read each one, and press {key}"
            ));
        }
        let walked = self
            .presentation
            .walk(&mut self.subject, ReviewKey::ApproveProved, &proved);
        if let Some(first) = walked {
            return first;
        }
        let is_proved = |hunk: &HunkView| proved.contains(&hunk.id);
        self.subject.mark_each(is_proved, &Verdict::Approve);
        self.submit_if_all_marked()
    }

    /// Has the user say why all that waits is denied.
    pub(super) fn ask_reason_for_all(&self) -> Response {
        match self.deniable().all {
            0 if self.marked() > 0 => {
                let key = &self.key_names().sign_off;
                Response::Say(format!("All are marked to be denied: {key} signs off"))
            }
            0 => self.nothing_to_mark(),
            _ => Response::AskReason(Scope::All, None),
        }
    }
}

/// Hunks that nothing needs.
impl Review {
    /// Returns how many hunks have no mark and are needed by no test and no check.
    pub fn needless(&self) -> usize {
        self.unmarked_needless().len()
    }

    /// Denies them with what was found as the reason for the model. What the user marked stays as they marked it.
    pub(super) fn deny_needless(&mut self) -> Response {
        let meant = self.unmarked_needless();
        if meant.is_empty() {
            return Response::say(
                "No hunk is known to be needless; `signoff test --needed` looks for such",
            );
        }
        let reason = Some(format!("not needed: {}", unneeded(meant.len())));
        let is_meant = |hunk: &HunkView| meant.contains(&hunk.id);
        self.change_marks(|subject| subject.mark_each(is_meant, &Verdict::Deny { reason }));
        let key = &self.key_names().take_back;
        let said = format!(
            "{} to be denied, as nothing needs {}: {key} takes that back",
            counted(meant.len(), "hunk"),
            if meant.len() == 1 { "it" } else { "them" }
        );
        match self.submit_if_all_marked() {
            Response::Handled => Response::Say(said),
            other => other,
        }
    }

    fn unmarked_needless(&self) -> HashSet<HunkId> {
        let (marks, needless) = (self.subject.marks(), self.subject.checks().needless());
        self.subject
            .shown(|hunk| needless.contains(&hunk.id) && marks.waits_for(hunk, &DENIAL))
    }
}

/// Handing over.
impl Review {
    /// Selects the next hunk that needs a verdict; once none does, leads to the page that says what will be written.
    pub(super) fn submit_if_all_marked(&mut self) -> Response {
        match self.subject.next_wanted(self.subject.list.at()) {
            Some(place) => {
                self.presentation.select(&mut self.subject, place);
                Response::Handled
            }
            None => self.sign_off(),
        }
    }

    /// Leads to the page that says what will be written of what is marked.
    pub(super) fn submit_marked(&mut self) -> Response {
        match self.marked() {
            0 => {
                let KeyNames { approve, deny, .. } = self.key_names();
                Response::Say(format!(
                    "Nothing is marked: {approve} approves, {deny} denies"
                ))
            }
            _ => self.sign_off(),
        }
    }

    /// Leads to the page that says what will be written. Denials alone write nothing, and are handed over at once.
    fn sign_off(&mut self) -> Response {
        if self.subject.marks().would_write() {
            Response::SignOff
        } else {
            self.hand_over()
        }
    }

    /// Returns the page that says what the marks come to.
    pub fn sign_off_page(&self, after: Option<AfterApproval>) -> SignOffPage {
        SignOffPage::new(self.presentation.scene(&self.subject), after)
    }

    /// Hands the marked verdicts over; `after` is what the user chose for the model.
    pub fn hand_over_and(&mut self, after: Option<AfterApproval>) -> Response {
        self.subject.verdicts.after = after;
        self.hand_over()
    }

    fn hand_over(&mut self) -> Response {
        let mut rulings = self.subject.submit();
        for ruling in &mut rulings {
            ruling.sight = self.presentation.sight(&self.subject, ruling);
        }
        if rulings.is_empty() {
            Response::Handled
        } else {
            Response::Decide(rulings)
        }
    }
}
