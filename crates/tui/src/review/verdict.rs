//! Verdicts on the selected hunk, on similar hunks, and on all pending ones.
//!
//! In: a key, and whether the user confirmed it. Out: marks, rulings, or a question: what has not
//! been displayed is shown first, and approved only when the same key comes again; so is what would
//! overwrite the user's own lines.

use std::collections::HashSet;

use signoff_core::plural::counted;
use signoff_core::review::{HunkStatus, HunkView, Verdict};

use super::hunk_lines::DiffItem;
use super::seen::Reading;
use super::sight::changed_lines;
use super::{Confirmation, DENIAL, Manuscript, Outcome, Question, Review, ReviewKey, Scope, say};
use signoff_core::id::HunkId;

/// How many hunks a verdict takes, and how many of them have not been displayed whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) all: usize,
    pub(crate) unseen: usize,
}

impl Review {
    /// Denies what was asked about.
    pub(crate) fn deny(&mut self, scope: Scope, reason: Option<String>) -> Outcome {
        let verdict = Verdict::Deny { reason };
        match scope {
            Scope::All => self.rule_all(&verdict),
            Scope::Hunk(id) => self.mark_one(id, &verdict),
        }
    }

    /// Gives every open hunk without a mark this verdict and hands all of them over.
    pub(crate) fn rule_all(&mut self, verdict: &Verdict) -> Outcome {
        let Self { files, marks, .. } = self;
        for hunk in files.iter().flat_map(|file| &file.hunks) {
            if marks.get(hunk.id).is_none() {
                marks.set(hunk, verdict.clone());
            }
        }
        match self.marks.count() {
            0 => say("No hunk waits"),
            _ => self.submit(),
        }
    }

    /// Returns what the user is asked before hunks are denied.
    pub(crate) fn ask_why(&self, scope: Scope) -> String {
        match scope {
            Scope::Hunk(id) => {
                let hunk = self.hunks().find(|hunk| hunk.id == id);
                match hunk.map_or(0, |hunk| self.unseen_lines(hunk)) {
                    0 => "Why deny this hunk?".to_owned(),
                    unseen => format!("Why deny this hunk? {} unseen", counted(unseen, "line")),
                }
            }
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
        self.counts(|hunk| self.waits_for(hunk, verdict))
    }

    fn waits_for(&self, hunk: &HunkView, verdict: &Verdict) -> bool {
        self.marks.get(hunk.id).is_none() && self.marks.takes(hunk, verdict)
    }

    fn meant(&self, meant: impl Fn(&HunkView) -> bool) -> HashSet<HunkId> {
        let hunks = self.hunks().filter(|hunk| meant(hunk));
        hunks.map(|hunk| hunk.id).collect()
    }

    pub(super) fn approve(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        if let Some(refusal) = self.refusal(&Verdict::Approve) {
            return Outcome::Say(refusal);
        }
        let overwrites = confirmed == Some(Confirmation::Overwrite);
        if !overwrites {
            if let Some(first) = self.look_first(ReviewKey::Approve, confirmed) {
                return first;
            }
            if let Some(text) = self.overwriting() {
                return self.ask(ReviewKey::Approve, Confirmation::Overwrite, text);
            }
        }
        let Self { files, marks, .. } = self;
        let hunk = files
            .get(self.file)
            .and_then(|file| file.hunks.get(self.hunk));
        hunk.into_iter()
            .for_each(|hunk| marks.set_alone(hunk, Verdict::Approve));
        self.laid = None;
        self.submit_if_all_marked()
    }

    pub(super) fn approve_same(&mut self) -> Outcome {
        let group = self.selected_hunk().and_then(|hunk| hunk.group.as_ref());
        let Some(key) = group.map(|group| group.key.clone()) else {
            return say("No other hunk makes the same rewrite");
        };
        let same = |hunk: &HunkView| {
            let group = hunk.group.as_ref();
            group.is_some_and(|group| group.key == key && !group.outlier)
        };
        let takes = |hunk: &HunkView| same(hunk) && self.marks.takes(hunk, &Verdict::Approve);
        let meant = self.meant(takes);
        if let Some(first) = self.walk(ReviewKey::ApproveSame, meant) {
            return first;
        }
        self.mark(same, &Verdict::Approve);
        self.submit_if_all_marked()
    }

    pub(super) fn approve_all(&mut self) -> Outcome {
        let meant = self.meant(|hunk| self.waits_for(hunk, &Verdict::Approve));
        let first = self.walk(ReviewKey::ApproveAll, meant);
        first.unwrap_or_else(|| self.rule_all(&Verdict::Approve))
    }

    /// Approves all that waits, displayed or not; what makes a program run is displayed first.
    pub(crate) fn approve_unseen(&mut self) -> Outcome {
        let unseen = self.unseen_program(|hunk| self.waits_for(hunk, &Verdict::Approve));
        match unseen {
            Some((file, hunk)) => self.show_program(file, hunk),
            None => self.rule_all(&Verdict::Approve),
        }
    }

    pub(super) fn edit(&mut self, confirmed: Option<Confirmation>) -> Outcome {
        let text = String::new();
        if let Some(refusal) = self.refusal(&Verdict::ApproveEdited { text }) {
            return Outcome::Say(refusal);
        }
        if let Some(first) = self.look_first(ReviewKey::Edit, confirmed) {
            return first;
        }
        match (self.selected_file(), self.selected_hunk()) {
            (Some(file), Some(hunk)) if !hunk.lines.is_empty() && !hunk.is_told_by_sizes() => {
                Outcome::Edit(Manuscript {
                    hunk: hunk.id,
                    path: file.path.clone(),
                    reads: Reading::of_hunk(hunk),
                    text: match self.marks.get(hunk.id) {
                        Some(Verdict::ApproveEdited { text }) => text.clone(),
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
        let hunk = self.hunks().find(|hunk| hunk.id == id)?;
        if Reading::of_hunk(hunk) != manuscript.reads {
            return None;
        }
        let verdict = if hunk.new_text() == text {
            Verdict::Approve
        } else {
            Verdict::ApproveEdited { text }
        };
        Some(self.mark_one(id, &verdict))
    }

    /// Marks one hunk, unless it was decided on while the user typed.
    fn mark_one(&mut self, id: HunkId, verdict: &Verdict) -> Outcome {
        let hunk = self.hunks().find(|hunk| hunk.id == id);
        if !hunk.is_some_and(|hunk| self.marks.takes(hunk, verdict)) {
            return say("The hunk does not wait any more");
        }
        self.mark(|hunk| hunk.id == id, verdict);
        self.submit_if_all_marked()
    }

    pub(super) fn ask_reason(&mut self) -> Outcome {
        self.lay();
        let refusal = self.refusal(&DENIAL);
        if refusal.is_none() && !self.is_in_sight() {
            return self.show_first();
        }
        match (refusal, self.selected_hunk()) {
            (Some(refusal), _) => Outcome::Say(refusal),
            (None, Some(hunk)) => Outcome::AskReason(Scope::Hunk(hunk.id)),
            (None, None) => say("There is no hunk here"),
        }
    }

    fn hunks(&self) -> impl Iterator<Item = &HunkView> {
        self.files.iter().flat_map(|file| &file.hunks)
    }

    fn mark(&mut self, meant: impl Fn(&HunkView) -> bool, verdict: &Verdict) {
        let Self { files, marks, .. } = self;
        for hunk in files.iter().flat_map(|file| &file.hunks) {
            if meant(hunk) {
                marks.set(hunk, verdict.clone());
            }
        }
        self.laid = None;
    }

    /// Returns how many hunks are meant, and how many of them have not been displayed whole.
    fn counts(&self, meant: impl Fn(&HunkView) -> bool) -> Counts {
        let mut counts = Counts::default();
        for file in &self.files {
            let about = self.is_file_unseen(file);
            for hunk in file.hunks.iter().filter(|hunk| meant(hunk)) {
                counts.all += 1;
                counts.unseen += usize::from(about || self.unseen_lines(hunk) > 0);
            }
        }
        counts
    }

    /// Returns the file and hunk, by index, of the first hunk that is meant, has not been displayed
    /// whole, and is in a file that makes a program run, or removes what would be nowhere.
    fn unseen_program(&self, meant: impl Fn(&HunkView) -> bool) -> Option<(usize, usize)> {
        let files = self.files.iter().enumerate();
        let mut files = files.filter(|(_, file)| file.runs.is_some() || file.held.is_some());
        files.find_map(|(index, file)| {
            let about = self.is_file_unseen(file);
            let unseen = |hunk: &HunkView| meant(hunk) && (about || self.unseen_lines(hunk) > 0);
            Some((index, file.hunks.iter().position(unseen)?))
        })
    }

    fn show_program(&mut self, file: usize, hunk: usize) -> Outcome {
        self.select(file, hunk);
        let runs = self.selected_file().is_some_and(|file| file.runs.is_some());
        say(if runs {
            "This file makes a program run: it is approved once all of it was displayed"
        } else {
            "What this removes may be nowhere then: it is approved once all of it was displayed"
        })
    }

    /// Shows what of the selected hunk has not been displayed, and asks whether the key is meant
    /// for it too; nothing if there is no need.
    fn look_first(&mut self, key: ReviewKey, confirmed: Option<Confirmation>) -> Option<Outcome> {
        let why = self.never_waived();
        let confirmed = confirmed.filter(|_| why.is_none());
        if confirmed == Some(Confirmation::About) {
            self.waive_file();
        }
        self.lay();
        if !self.is_in_sight() {
            return Some(self.show_first());
        }
        if confirmed == Some(Confirmation::Hunk) {
            return None;
        }
        let letter = if key == ReviewKey::Edit { "e" } else { "a" };
        let does = if key == ReviewKey::Edit {
            "edits"
        } else {
            "approves"
        };
        let (file, hunk) = (self.selected_file()?, self.selected_hunk()?);
        let (unseen, all) = (self.unseen_lines(hunk), changed_lines(hunk).max(1));
        let (about, text) = if self.is_file_unseen(file) && self.scroll_to_unseen(DiffItem::About) {
            let text =
                format!("What is said about the file was not displayed yet: {letter} goes on");
            (Confirmation::About, text)
        } else if unseen > 0 && self.scroll_to_unseen(DiffItem::Hunk(self.hunk)) {
            let (unseen, all) = (unseen.min(all), counted(all, "changed line"));
            let text = match why {
                Some(why) => {
                    format!("{unseen} of {all} not displayed yet, and {why}: {letter} shows more")
                }
                None => format!(
                    "{unseen} of {all} not displayed yet: j shows more, {letter} again {does} the whole hunk"
                ),
            };
            (Confirmation::Hunk, text)
        } else {
            return None;
        };
        Some(self.ask(key, about, text))
    }

    /// Shows the next page of what is meant and has not been displayed; nothing if all of it was.
    /// A page is never waived: the key goes on through all of them.
    fn walk(&mut self, key: ReviewKey, meant: HashSet<HunkId>) -> Option<Outcome> {
        let (file, hunk) = self.first_unseen(&meant)?;
        self.select(file, hunk);
        self.show_unseen();
        let text = self.walk_text(key, &meant);
        let about = Confirmation::Several(meant);
        Some(self.ask(key, about, text))
    }

    /// Returns the file and hunk, by index, of the first hunk that is meant and has not been
    /// displayed whole.
    fn first_unseen(&self, meant: &HashSet<HunkId>) -> Option<(usize, usize)> {
        self.files.iter().enumerate().find_map(|(index, file)| {
            let about = self.is_file_unseen(file);
            let unseen = |hunk: &HunkView| {
                meant.contains(&hunk.id) && (about || self.unseen_lines(hunk) > 0)
            };
            Some((index, file.hunks.iter().position(unseen)?))
        })
    }

    /// Says anew how much of a walk is left, once a page of it was laid out.
    pub(super) fn count_anew(&mut self) {
        let Some(question) = &self.question else {
            return;
        };
        let Confirmation::Several(meant) = &question.about else {
            return;
        };
        let text = self.walk_text(question.key, meant);
        if let Some(question) = &mut self.question {
            question.text = text;
        }
    }

    fn walk_text(&self, key: ReviewKey, meant: &HashSet<HunkId>) -> String {
        let letter = if key == ReviewKey::ApproveSame {
            "s"
        } else {
            "A"
        };
        let Counts { all, unseen } = self.counts(|hunk| meant.contains(&hunk.id));
        match (all, unseen) {
            (1, 0) => format!("1 hunk, all of it was displayed: {letter} approves it"),
            (all, 0) => format!("{all} hunks, all were displayed: {letter} approves them"),
            (all, unseen) => {
                let skip = match key {
                    ReviewKey::ApproveSame => "",
                    _ => "; /approve all skips this",
                };
                let all = counted(all, "hunk");
                format!("{all}, {unseen} not displayed yet: {letter} shows more{skip}")
            }
        }
    }

    fn ask(&mut self, key: ReviewKey, about: Confirmation, text: String) -> Outcome {
        self.question = Some(Question {
            key,
            about,
            text,
            drawn: false,
        });
        Outcome::Handled
    }

    fn show_first(&mut self) -> Outcome {
        self.reveal();
        say("The hunk was out of sight: look, then decide")
    }

    /// Returns why the selected hunk does not take this verdict.
    fn refusal(&self, verdict: &Verdict) -> Option<String> {
        let Some(hunk) = self.selected_hunk() else {
            return Some("There is no hunk here".to_owned());
        };
        match &hunk.status {
            HunkStatus::Pending | HunkStatus::Conflict { .. } if self.marks.is_sent(hunk.id) => {
                Some("Already handed over".to_owned())
            }
            HunkStatus::Pending => None,
            HunkStatus::Conflict { .. } if self.marks.takes_alone(hunk, verdict) => None,
            HunkStatus::Conflict { .. } if hunk.takeable => {
                Some("In conflict: a takes it as it is, d denies it".to_owned())
            }
            // The card says the rest of it.
            HunkStatus::Conflict { reason } => Some(format!("d denies it; it conflicts: {reason}")),
            HunkStatus::Committed
            | HunkStatus::Edited { .. }
            | HunkStatus::Denied { .. }
            | HunkStatus::Replaced { .. }
            | HunkStatus::Rewritten { .. } => Some("Already decided".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use signoff_core::id::{ChangesetId, ProposalId, Timestamp};
    use signoff_core::intent::Operation;
    use signoff_core::review::{DiffLine, LineKind, ProposalView, Ruling};

    use super::*;

    fn file(context: &str) -> ProposalView {
        let proposal = ProposalId(uuid::Uuid::nil());
        let line = |kind, text: &str| DiffLine {
            kind,
            old: Some(1),
            new: Some(1),
            text: text.to_owned(),
            emphasis: Vec::new(),
            newline: true,
        };
        let hunk = HunkView {
            id: HunkId {
                proposal,
                number: 1,
            },
            header: String::new(),
            status: HunkStatus::Pending,
            lines: vec![
                line(LineKind::Context, context),
                line(LineKind::Added, "new"),
            ],
            yours: Vec::new(),
            takeable: false,
            added: 1,
            removed: 0,
            denied_before: None,
            group: None,
        };
        ProposalView {
            id: proposal,
            changeset: ChangesetId(uuid::Uuid::nil()),
            path: "a.txt".to_owned(),
            to: None,
            operation: Operation::Modify,
            description: String::new(),
            evidence: String::new(),
            strategy: String::new(),
            note: None,
            runs: None,
            held: None,
            created: Timestamp(0),
            hunks: vec![hunk],
        }
    }

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
            let expected = is_taken.then(|| Outcome::Decide(vec![ruling]));
            assert_eq!(review.edited(&manuscript, text), expected);
        }
    }
}
