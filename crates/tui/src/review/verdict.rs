//! Verdicts on the selected hunk, on similar hunks, and on all pending ones.
//!
//! In: a key, and whether the user confirmed it. Out: marks, rulings, or a question: what has not
//! been displayed is shown first, and approved only when the same key comes again; so is what would
//! overwrite the user's own lines.

use std::collections::HashSet;

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::review::{HunkView, ProposalView, Verdict};
use signoff_llm::mode::AfterApproval;

use super::KeyNames;
use super::conflict::{both, is_conflict};
use super::diff::DiffItem;
use super::overwriting::{never_waived, overwriting};
use super::pending_verdicts::{Confirmation, walk_text};
use super::seen::{Counts, Reading, changed_lines};
use super::sign_off::SignOffPage;
use super::{
    DENIAL, Manuscript, Outcome, Review, ReviewKey, ReviewTool, Scope, line_selection, say,
};

impl Review {
    /// Denies what was asked about.
    pub(crate) fn deny(&mut self, scope: Scope, reason: Option<String>) -> Outcome {
        let verdict = Verdict::Deny { reason };
        match scope {
            Scope::All => self.rule_all(&verdict),
            Scope::Hunk(id) => {
                self.end_lines();
                self.mark_one(id, &verdict)
            }
            Scope::Lines(id) => self.deny_selected(id, verdict),
        }
    }

    /// Gives every open hunk without a mark this verdict and hands all of them over.
    pub(crate) fn rule_all(&mut self, verdict: &Verdict) -> Outcome {
        let marks = &mut self.verdicts.marks;
        marks.set_others(self.list.shown_hunks(), verdict);
        match marks.count() {
            0 => say("No hunk waits"),
            _ => self.sign_off(),
        }
    }

    /// Returns what the user is asked before hunks are denied.
    pub(crate) fn ask_why(&self, scope: Scope) -> String {
        match scope {
            Scope::Hunk(id) => {
                let hunk = self.list.hunk(id);
                let file = self.list.files().iter().find(|file| file.id == id.proposal);
                let unseen = file.zip(hunk);
                match unseen.map_or(0, |(file, hunk)| self.unseen_lines(file, hunk)) {
                    0 => "Why deny this hunk?".to_owned(),
                    unseen => format!("Why deny this hunk? {} unseen", counted(unseen, "line")),
                }
            }
            Scope::Lines(_) => self.ask_why_lines(),
            Scope::All => {
                let Counts { all, unseen } = self.waiting(&DENIAL);
                let unseen = match unseen {
                    0 => String::new(),
                    unseen => format!(" {unseen} unseen"),
                };
                match all {
                    1 => format!("Why deny the hunk?{unseen}"),
                    all => format!("Why deny all {all} hunks?{unseen}"),
                }
            }
        }
    }

    /// Returns how many hunks without a mark take this verdict, and how many of them have not been
    /// displayed whole.
    pub(crate) fn waiting(&self, verdict: &Verdict) -> Counts {
        let marks = &self.verdicts.marks;
        self.counts(|hunk| self.list.shows(hunk.id) && marks.waits_for(hunk, verdict))
    }

    pub(super) fn approve(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        let first = self.mark_approved(ReviewKey::Approve, confirmed);
        first.unwrap_or_else(|| self.submit_if_all_marked())
    }

    /// Marks the selected hunk as approved, or returns what comes first.
    pub(super) fn mark_approved(
        &mut self,
        key: ReviewKey,
        confirmed: Option<Confirmation>,
    ) -> Option<Outcome> {
        if let Some(refusal) = self.refusal(&Verdict::Approve) {
            return Some(Outcome::Say(refusal));
        }
        let overwrites = confirmed == Some(Confirmation::Overwrite);
        if !overwrites {
            if let Some(first) = self.look_first(key, confirmed) {
                return Some(first);
            }
            if let Some(text) = self
                .selected()
                .and_then(|(file, hunk)| overwriting(file, hunk, letter(key, &self.verdicts.names)))
            {
                return Some(self.ask(key, Confirmation::Overwrite, text));
            }
        }
        let had_edited = self.verdicts.marks.has_edited();
        if let Some(hunk) = self.list.selected_hunk() {
            self.verdicts.marks.set_alone(hunk, Verdict::Approve);
        }
        self.mark_other_side();
        self.marked_anew(had_edited);
        None
    }

    pub(super) fn approve_same(&mut self) -> Outcome {
        let hunk = self.list.selected_hunk();
        let group = hunk.and_then(|hunk| hunk.group.as_ref());
        let Some(key) = group.map(|group| group.key.clone()) else {
            return say("No other hunk makes the same rewrite");
        };
        let same = |hunk: &HunkView| {
            let group = hunk.group.as_ref();
            group.is_some_and(|group| group.key == key && !group.outlier)
        };
        let marks = &self.verdicts.marks;
        let meant = self.meant(|hunk| same(hunk) && marks.takes(hunk, &Verdict::Approve));
        if let Some(first) = self.walk(ReviewKey::ApproveSame, meant) {
            return first;
        }
        self.mark(same, &Verdict::Approve);
        self.submit_if_all_marked()
    }

    pub(super) fn approve_all(&mut self) -> Outcome {
        let marks = &self.verdicts.marks;
        let meant = self.meant(|hunk| marks.waits_for(hunk, &Verdict::Approve));
        let first = self.walk(ReviewKey::ApproveAll, meant);
        first.unwrap_or_else(|| self.rule_all(&Verdict::Approve))
    }

    /// Approves all that waits, displayed or not; what makes a program run, or removes what would be nowhere, is
    /// displayed first.
    pub(crate) fn approve_unseen(&mut self) -> Outcome {
        let Self {
            list,
            diff,
            verdicts,
            ..
        } = self;
        let unseen = list.find(|file, hunk| {
            (file.runs.is_some() || file.held.is_some())
                && verdicts.marks.waits_for(hunk, &Verdict::Approve)
                && diff.is_unseen(file, hunk)
        });
        let Some(place) = unseen else {
            // Whoever types these words has asked for no page.
            return match self.rule_all(&Verdict::Approve) {
                Outcome::SignOff => self.hand_over(),
                said => said,
            };
        };
        self.select(place);
        let file = self.list.selected_file();
        say(if file.is_some_and(|file| file.runs.is_some()) {
            "This file makes a program run: it is approved once all of it was displayed"
        } else {
            "What this removes may be nowhere then: it is approved once all of it was displayed"
        })
    }

    pub(super) fn edit(&mut self, key: ReviewKey, confirmed: Option<Confirmation>) -> Outcome {
        let text = String::new();
        if let Some(refusal) = self.refusal(&Verdict::ApproveEdited { text }) {
            return Outcome::Say(refusal);
        }
        if let Some(first) = self.look_first(key, confirmed) {
            return first;
        }
        match self.selected() {
            Some((file, hunk)) if !hunk.lines.is_empty() && !hunk.is_told_by_sizes() => {
                Outcome::Edit(Manuscript {
                    hunk: hunk.id,
                    path: file.path.clone(),
                    reads: Reading::of_hunk(hunk),
                    text: match self.verdicts.marks.get(hunk.id) {
                        Some(Verdict::ApproveEdited { text }) => text.clone(),
                        _ if is_conflict(hunk) => both(hunk),
                        _ => hunk.new_text(),
                    },
                })
            }
            _ => say("There is no text to edit here"),
        }
    }

    /// Takes over what the user made of a hunk's new text: it is marked as approved so. Returns nothing if the hunk
    /// is gone or does not read as it did when it was given to the editor.
    pub(crate) fn edited(&mut self, manuscript: &Manuscript, text: String) -> Option<Outcome> {
        let id = manuscript.hunk;
        let hunk = self.list.hunk(id)?;
        if Reading::of_hunk(hunk) != manuscript.reads {
            return None;
        }
        if is_conflict(hunk) {
            return Some(self.resolved(id, text));
        }
        let verdict = if hunk.new_text() == text {
            Verdict::Approve
        } else {
            Verdict::ApproveEdited { text }
        };
        Some(self.mark_one(id, &verdict))
    }

    pub(super) fn ask_reason(&mut self) -> Outcome {
        let refusal = self.refusal(&DENIAL);
        let (diff, scene) = self.parts();
        if refusal.is_none() && !diff.is_in_sight(&scene) {
            return self.show_first();
        }
        match (refusal, self.list.selected_hunk()) {
            (Some(refusal), _) => Outcome::Say(refusal),
            (None, Some(hunk)) => Outcome::AskReason(Scope::Hunk(hunk.id)),
            (None, None) => say("There is no hunk here"),
        }
    }

    pub(super) fn ask_reason_for_all(&self) -> Outcome {
        match self.waiting(&DENIAL).all {
            0 => say("No hunk waits"),
            _ => Outcome::AskReason(Scope::All),
        }
    }

    /// Takes over that marks are others. Only the user's own text changes the lines of a hunk.
    pub(super) fn marked_anew(&mut self, had_edited: bool) {
        if had_edited || self.verdicts.marks.has_edited() {
            self.diff.changed(&self.list);
        }
    }

    pub(super) fn submit_marked(&mut self) -> Outcome {
        match self.marked() {
            0 => {
                let KeyNames { approve, deny, .. } = &self.verdicts.names;
                Outcome::Say(format!(
                    "Nothing is marked: {approve} approves, {deny} denies"
                ))
            }
            _ => self.sign_off(),
        }
    }

    /// Scrolls to what is said about the selected file, else to the selected hunk, as far as it has
    /// not been displayed; false if all of it was.
    pub(super) fn show_unseen(&mut self) -> bool {
        let file = self.list.selected_file();
        let about = file.is_some_and(|file| self.diff.is_file_unseen(file));
        (about && self.scroll_to_unseen(DiffItem::About))
            || self.scroll_to_unseen(DiffItem::Hunk(self.list.at().hunk))
    }

    /// Scrolls to what has not been displayed of a part of the selected file; false if all of it was. Lines that are not
    /// told apart since white space is ignored are shown as they are then.
    fn scroll_to_unseen(&mut self, item: DiffItem) -> bool {
        let (diff, scene) = self.parts();
        if diff.scroll_to_unseen(&scene, item) {
            return true;
        }
        let hunk = self.list.selected_hunk();
        let is_hidden = hunk.is_some_and(|hunk| self.diff.unseen_lines(hunk) > 0);
        if item == DiffItem::About || !is_hidden || !self.arrangement.ignores_blanks() {
            return false;
        }
        self.arrangement.heed_blanks();
        self.diff.changed(&self.list);
        let (diff, scene) = self.parts();
        diff.scroll_to_unseen(&scene, item)
    }

    /// Returns the selected hunk with its file.
    pub(super) fn selected(&self) -> Option<(&ProposalView, &HunkView)> {
        Some((self.list.selected_file()?, self.list.selected_hunk()?))
    }

    /// Returns why the selected hunk does not take this verdict.
    pub(super) fn refusal(&self, verdict: &Verdict) -> Option<String> {
        let hunk = self.list.selected_hunk();
        if hunk.is_some_and(|hunk| !self.list.shows(hunk.id)) {
            let key = &self.verdicts.names.filter;
            return Some(format!("Hidden by the filter: {key} shows more"));
        }
        let verdicts = &self.verdicts;
        verdicts.marks.refusal(hunk, verdict, &verdicts.names)
    }

    fn meant(&self, meant: impl Fn(&HunkView) -> bool) -> HashSet<HunkId> {
        let hunks = self.list.shown_hunks().filter(|hunk| meant(hunk));
        hunks.map(|hunk| hunk.id).collect()
    }

    fn mark(&mut self, meant: impl Fn(&HunkView) -> bool, verdict: &Verdict) {
        let had_edited = self.verdicts.marks.has_edited();
        let hunks = self.list.shown_hunks();
        self.verdicts.marks.set_each(hunks, meant, verdict);
        self.marked_anew(had_edited);
    }

    /// Marks one hunk, unless it was decided on while the user typed.
    pub(super) fn mark_one(&mut self, id: HunkId, verdict: &Verdict) -> Outcome {
        let hunk = self.list.hunk(id);
        if !hunk.is_some_and(|hunk| self.verdicts.marks.takes(hunk, verdict)) {
            return say("The hunk does not wait any more");
        }
        self.mark(|hunk| hunk.id == id, verdict);
        self.mark_other_side();
        self.submit_if_all_marked()
    }

    pub(super) fn submit_if_all_marked(&mut self) -> Outcome {
        match self.next_open(self.list.at()) {
            Some(place) => {
                self.select(place);
                Outcome::Handled
            }
            None => self.sign_off(),
        }
    }

    /// Leads to the page that says what will be written. Denials alone write nothing, and are handed over at once.
    fn sign_off(&mut self) -> Outcome {
        if self.verdicts.marks.would_write() {
            Outcome::SignOff
        } else {
            self.hand_over()
        }
    }

    /// Returns the page that says what the marks come to.
    pub(crate) fn sign_off_page(&self, after: Option<AfterApproval>) -> SignOffPage {
        let about = (self.comment_count(), &self.verdicts.names);
        SignOffPage::new(&self.list, &self.evidence(), about, after)
    }

    /// Hands the marked verdicts over; `after` is what the user chose for the model.
    pub(crate) fn hand_over_and(&mut self, after: Option<AfterApproval>) -> Outcome {
        self.verdicts.after = after;
        self.hand_over()
    }

    fn hand_over(&mut self) -> Outcome {
        let rulings = self.verdicts.marks.submit(self.list.hunks());
        if rulings.is_empty() {
            Outcome::Handled
        } else {
            Outcome::Decide(rulings)
        }
    }

    /// Shows what of the selected hunk has not been displayed, and asks whether the key is meant
    /// for it too; nothing if there is no need.
    pub(super) fn look_first(
        &mut self,
        key: ReviewKey,
        confirmed: Option<Confirmation>,
    ) -> Option<Outcome> {
        let why = self
            .selected()
            .and_then(|(file, hunk)| never_waived(file, hunk))
            .map(str::to_owned);
        let why = why.as_deref();
        let confirmed = confirmed.filter(|_| why.is_none());
        if confirmed == Some(Confirmation::About)
            && let Some(file) = self.list.selected_file()
        {
            self.diff.waive(file);
        }
        let (diff, scene) = self.parts();
        if !diff.is_in_sight(&scene) {
            return Some(self.show_first());
        }
        if confirmed == Some(Confirmation::Hunk) {
            return None;
        }
        let (file, hunk) = (self.list.selected_file()?, self.list.selected_hunk()?);
        let names = &self.verdicts.names;
        let letter = letter(key, names).to_owned();
        let unseen = self.unseen_lines(file, hunk);
        let is_file_unseen = self.diff.is_file_unseen(file) && self.is_unseen(file, hunk);
        let of_hunk = unseen_text((key, names), hunk, unseen, why);
        let at = self.list.at().hunk;
        let (about, text) = if is_file_unseen && self.scroll_to_unseen(DiffItem::About) {
            let text =
                format!("What is said about the file was not displayed yet: {letter} goes on");
            (Confirmation::About, text)
        } else if unseen > 0 && self.scroll_to_unseen(DiffItem::Hunk(at)) {
            (Confirmation::Hunk, of_hunk)
        } else {
            return None;
        };
        Some(self.ask(key, about, text))
    }

    /// Shows the next page of what is meant and has not been displayed; nothing if all of it was.
    /// A page is never waived: the key goes on through all of them.
    fn walk(&mut self, key: ReviewKey, meant: HashSet<HunkId>) -> Option<Outcome> {
        let is_meant = |hunk: &HunkView| meant.contains(&hunk.id);
        let unseen =
            |file: &ProposalView, hunk: &HunkView| is_meant(hunk) && self.is_unseen(file, hunk);
        let first = self.list.find(unseen)?;
        self.select(first);
        self.show_unseen();
        let text = walk_text(key, self.counts(is_meant), &self.verdicts.names);
        Some(self.ask(key, Confirmation::Several(meant), text))
    }

    fn ask(&mut self, key: ReviewKey, about: Confirmation, text: String) -> Outcome {
        self.verdicts.ask(key, about, text);
        Outcome::Handled
    }

    pub(super) fn show_first(&mut self) -> Outcome {
        self.reveal();
        say("The hunk was out of sight: look, then decide")
    }
}

/// Returns the key that confirms what it asked for.
fn letter(key: ReviewKey, names: &KeyNames) -> &str {
    match key {
        ReviewKey::Edit => &names.edit,
        ReviewKey::Tool(ReviewTool::EditInPlace) => &names.edit_in_place,
        ReviewKey::Tool(ReviewTool::Toggle) => &names.toggle,
        ReviewKey::TakeTheirs => &names.take_theirs,
        _ => &names.approve,
    }
}

/// Returns what is asked about a hunk of which lines have not been displayed; `why` says why it may not be approved
/// without them.
fn unseen_text(
    (key, names): (ReviewKey, &KeyNames),
    hunk: &HunkView,
    unseen: usize,
    why: Option<&str>,
) -> String {
    let (letter, next) = (letter(key, names), &names.next);
    let does = match key {
        ReviewKey::Edit | ReviewKey::Tool(ReviewTool::EditInPlace) => "edits",
        _ => "approves",
    };
    let all = changed_lines(hunk).max(1);
    let (unseen, all) = (unseen.min(all), counted(all, "changed line"));
    if let ReviewKey::Lines(key) = key {
        return line_selection::unseen_text((key, names), (unseen, &all), why);
    }
    match why {
        Some(why) => {
            format!("{unseen} of {all} not displayed yet, and {why}: {letter} shows more")
        }
        None => format!(
            "{unseen} of {all} not displayed yet: {next} shows more, {letter} again {does} the whole hunk"
        ),
    }
}

#[cfg(test)]
mod tests {
    use signoff_core::review::Ruling;

    use super::*;
    use crate::review::kit::file;

    /// The editor may be open for minutes, and the file saved meanwhile.
    #[test]
    fn a_text_from_the_editor_is_for_the_hunk_that_was_given_to_it() {
        let given = file("above");
        let hunk = &given.hunks[0];
        let manuscript = Manuscript {
            hunk: hunk.id,
            path: given.path.clone(),
            text: hunk.new_text(),
            reads: Reading::of_hunk(hunk),
        };
        for (list, is_taken) in [
            (vec![file("above")], true),
            (vec![file("above, saved by the user")], false),
            (Vec::new(), false),
        ] {
            let mut review = Review::default();
            review.set(vec![given.clone()]);
            review.set(list);
            let text = "mine\n".to_owned();
            let verdict = Verdict::ApproveEdited { text: text.clone() };
            let ruling = Ruling {
                hunk: hunk.id,
                verdict,
            };
            let expected = is_taken.then_some(Outcome::SignOff);
            assert_eq!(review.edited(&manuscript, text), expected);
            let handed_over = if is_taken {
                Outcome::Decide(vec![ruling])
            } else {
                Outcome::Handled
            };
            assert_eq!(review.hand_over_and(None), handed_over);
        }
    }
}
