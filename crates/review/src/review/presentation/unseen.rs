//! What has not been displayed of a hunk, and has to be before a verdict.
//!
//! In: the subject, and a key that decides. Out: how many lines are unseen; the question whether the key is meant for
//! them too, once they are on the screen. For example, `a` on a hunk of 40 changed lines of which 12 were displayed scrolls
//! to the 13th and asks: "28 of 40 changed lines not displayed yet: j shows more, a again approves the whole hunk".

use std::collections::HashSet;

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{HunkView, ProposalView, Ruling, Sight, Verdict};

use super::Presentation;
use crate::response::Response;
use crate::review::KeyNames;
use crate::review::diff::DiffItem;
use crate::review::keys::{ReviewKey, ReviewTool};
use crate::review::line_selection;
use crate::review::overwriting::never_waived;
use crate::review::pending_verdicts::{Confirmation, walk_text};
use crate::review::review_file::ReviewFile;
use crate::review::seen::{Counts, changed_lines};
use crate::review::subject::ReviewSubject;

impl Presentation {
    /// Returns how many lines of a hunk have not been displayed that have to be.
    pub(in crate::review) fn unseen_lines(&self, hunk: &HunkView) -> usize {
        self.diff.unseen_lines(hunk)
    }

    /// Returns true if something of a hunk, or said about its file, has to be displayed and was not.
    fn is_unseen(&self, file: &ReviewFile, entry: (&ProposalView, &HunkView)) -> bool {
        self.diff.is_unseen(file, entry)
    }

    /// Returns what of the hunk of a ruling was displayed. A text of the user's own is one that they had before them.
    pub(in crate::review) fn sight(&self, subject: &ReviewSubject, ruling: &Ruling) -> Sight {
        let Some(entry) = subject.list.entry(ruling.hunk) else {
            return Sight::Unseen;
        };
        let is_own = match ruling.verdict {
            Verdict::Approve => false,
            Verdict::ApproveEdited { .. } => true,
            Verdict::Deny { .. } => return Sight::Unseen,
        };
        let file = subject.list.file_of(entry.0.id);
        let file = file.and_then(|file| subject.list.files().get(file));
        let is_unseen =
            entry.1.undisplayed.is_some() || file.is_none_or(|file| self.is_unseen(file, entry));
        match subject.marks().fold(ruling.hunk) {
            _ if is_own || !is_unseen => Sight::Seen,
            Some(proof) => Sight::Folded {
                proof: proof.to_owned(),
            },
            None => Sight::Unseen,
        }
    }

    /// Returns what the line of the selected hunk says, if it is folded.
    pub(in crate::review) fn selected_fold(
        &self,
        subject: &ReviewSubject,
    ) -> Option<(HunkId, String)> {
        let (file, hunk) = subject.selected()?;
        let fold = self.style.folds.fold(subject.evidence(), file, hunk)?;
        Some((hunk.id, fold.to_string()))
    }

    /// Opens the folds of these hunks: what is approved was displayed as its lines.
    fn open_folds(&mut self, subject: &ReviewSubject, hunks: &HashSet<HunkId>) {
        for hunk in hunks {
            let found = subject.list.entry(*hunk);
            if let Some((file, own)) = found
                && self
                    .style
                    .folds
                    .fold(subject.evidence(), file, own)
                    .is_some()
            {
                self.style.folds.open(own.id);
                self.changed_in(subject, file.id);
            }
        }
    }

    /// Returns how many hunks are meant, and how many of them have not been displayed whole.
    pub(in crate::review) fn counts(
        &self,
        subject: &ReviewSubject,
        meant: impl Fn(&HunkView) -> bool,
    ) -> Counts {
        let mut counts = Counts::default();
        for file in subject.list.files() {
            for (proposal, hunk) in file.entries().filter(|(_, hunk)| meant(hunk)) {
                counts.all += 1;
                if self.is_unseen(file, (proposal, hunk)) {
                    counts.unseen += 1;
                    counts.lines += self.unseen_lines(hunk);
                    counts.has_never_waived |= never_waived(proposal, hunk).is_some();
                }
            }
        }
        counts
    }

    /// Scrolls to what is said about the selected file, else to the selected hunk, as far as it has
    /// not been displayed; false if all of it was.
    pub(in crate::review) fn show_unseen(&mut self, subject: &ReviewSubject) -> bool {
        self.show_unseen_notes(subject)
            || self.scroll_to_unseen(subject, DiffItem::Hunk(subject.list.at().hunk))
    }

    /// Scrolls to what is said about the selected file, or about the selected hunk's proposal, as far as it has not been
    /// displayed; false if all of it was.
    fn show_unseen_notes(&mut self, subject: &ReviewSubject) -> bool {
        let Some(file) = subject.list.selected_file() else {
            return false;
        };
        if self.diff.is_title_unseen(file) && self.scroll_to_unseen(subject, DiffItem::Title) {
            return true;
        }
        let index = file.proposal_of(subject.list.at().hunk);
        let own = index.and_then(|index| Some((index, file.proposals().get(index)?)));
        let unseen = own.filter(|(_, own)| self.diff.is_about_unseen(own));
        unseen.is_some_and(|(index, _)| self.scroll_to_unseen(subject, DiffItem::About(index)))
    }

    /// Scrolls to what has not been displayed of a part of the selected file; false if all of it was. Lines that are not
    /// told apart since white space is ignored are shown as they are then.
    fn scroll_to_unseen(&mut self, subject: &ReviewSubject, item: DiffItem) -> bool {
        let Self { diff, style, .. } = self;
        if diff.scroll_to_unseen(&style.scene(subject), item) {
            return true;
        }
        let hunk = subject.list.selected_hunk();
        let is_hidden = hunk.is_some_and(|hunk| diff.unseen_lines(hunk) > 0);
        if !matches!(item, DiffItem::Hunk(_)) || !is_hidden || !style.arrangement.ignores_blanks() {
            return false;
        }
        style.arrangement.heed_blanks();
        diff.changed(&subject.list);
        diff.scroll_to_unseen(&style.scene(subject), item)
    }

    /// Shows what of the selected hunk has not been displayed, and asks whether the key is meant
    /// for it too; nothing if there is no need.
    pub(in crate::review) fn look_first(
        &mut self,
        subject: &mut ReviewSubject,
        key: ReviewKey,
        confirmed: Option<Confirmation>,
    ) -> Option<Response> {
        let why = subject
            .selected()
            .and_then(|(file, hunk)| never_waived(file, hunk));
        let confirmed = confirmed.filter(|_| why.is_none());
        if confirmed == Some(Confirmation::About)
            && let Some(file) = subject.list.selected_file()
            && let Some((proposal, _)) = subject.selected()
        {
            self.diff.waive(file, proposal);
        }
        if !self.is_in_sight(subject) {
            return Some(self.show_first(subject));
        }
        if confirmed == Some(Confirmation::Hunk) {
            return None;
        }
        let (proposal, hunk) = subject.selected()?;
        // Of one fold under the selection its line is what is approved; keys for several open them first.
        let fold = self.style.folds.fold(subject.evidence(), proposal, hunk);
        let unseen = if fold.is_some() {
            0
        } else {
            self.unseen_lines(hunk)
        };
        let file = subject.list.selected_file()?;
        let is_noted = self.is_unseen(file, (proposal, hunk));
        let of_hunk = unseen_text((key, subject.names()), hunk, unseen, why);
        let letter = letter(key, subject.names()).to_owned();
        let at = subject.list.at().hunk;
        let (about, text) = if is_noted && self.show_unseen_notes(subject) {
            let text = format!("The notes on this file were not displayed yet: {letter} goes on");
            (Confirmation::About, text)
        } else if unseen > 0 && self.scroll_to_unseen(subject, DiffItem::Hunk(at)) {
            (Confirmation::Hunk, of_hunk)
        } else {
            return None;
        };
        subject.verdicts.ask(key, about, text);
        Some(Response::Handled)
    }

    /// Shows the next page of what is meant and has not been displayed; nothing if all of it was.
    /// A page is never waived: the key goes on through all of them.
    pub(in crate::review) fn walk(
        &mut self,
        subject: &mut ReviewSubject,
        key: ReviewKey,
        meant: &HashSet<HunkId>,
    ) -> Option<Response> {
        let is_meant = |hunk: &HunkView| meant.contains(&hunk.id);
        let first = subject.list.find(|proposal, hunk| {
            let file = subject.list.file_of(proposal.id);
            let file = file.and_then(|file| subject.list.files().get(file));
            is_meant(hunk) && file.is_some_and(|file| self.is_unseen(file, (proposal, hunk)))
        })?;
        self.open_folds(subject, meant);
        self.select(subject, first);
        self.show_unseen(subject);
        let text = walk_text(key, self.counts(subject, is_meant), subject.names());
        let about = Confirmation::Several(meant.clone());
        subject.verdicts.ask(key, about, text);
        Some(Response::Handled)
    }
}

/// Returns the key that confirms what it asked for.
pub(in crate::review) fn letter(key: ReviewKey, names: &KeyNames) -> &str {
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
