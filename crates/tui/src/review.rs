//! Review pane: staged proposals, their diffs, and verdicts on hunks.
//!
//! In: the review list and keys. Out: rows, and rulings once every hunk is marked or the
//! user submits. A verdict counts only for what has been displayed, unless the user says so twice.

pub(crate) mod foreseen;
pub(crate) mod history;
mod checks;
mod colours;
mod edited;
mod hunk_lines;
pub(crate) mod kept;
mod marks;
mod news;
mod out_of_sight;
mod overwriting;
mod rows;
mod seen;
mod sight;
mod verdict;
pub(crate) mod words;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;
use signoff_core::review::{HunkStatus, HunkView, ProposalView, Ruling, Verdict};

use signoff_verify::check::CheckReport;

use self::checks::Checks;
use self::colours::Colours;
use self::kept::Kept;
pub(crate) use self::marks::Dropped;
use self::marks::Marks;
use self::seen::{Reading, Seen};
use self::sight::Laid;

/// What keys ask of the review pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReviewKey {
    /// On through the diff: a screen of a long hunk, else the next hunk.
    Next,
    /// Back through the diff.
    Previous,
    /// The next file.
    NextFile,
    /// The file before.
    PreviousFile,
    /// One screen on.
    PageDown,
    /// One screen back.
    PageUp,
    /// To the first row of the file.
    Top,
    /// To the last row of the file.
    Bottom,
    /// Mark the hunk as approved.
    Approve,
    /// Mark the hunk as denied, after asking why.
    Deny,
    /// Edit the hunk's new text and mark it as approved so.
    Edit,
    /// Approve every hunk that makes the same rewrite and nothing else.
    ApproveSame,
    /// Approve every hunk that waits.
    ApproveAll,
    /// Deny every hunk that waits, after asking why.
    DenyAll,
    /// Take the hunk's mark away.
    Unmark,
    /// Hand the marked verdicts over.
    Submit,
}

impl ReviewKey {
    /// Tells whether this gives a verdict, or leads to one.
    pub(crate) fn decides(self) -> bool {
        match self {
            Self::Approve
            | Self::Deny
            | Self::Edit
            | Self::ApproveSame
            | Self::ApproveAll
            | Self::DenyAll
            | Self::Submit => true,
            Self::Next
            | Self::Previous
            | Self::NextFile
            | Self::PreviousFile
            | Self::PageDown
            | Self::PageUp
            | Self::Top
            | Self::Bottom
            | Self::Unmark => false,
        }
    }
}

/// Which hunks a denial is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// One.
    Hunk(HunkId),
    /// Every one that waits without a mark.
    All,
}

/// What came of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was dealt with here.
    Handled,
    /// These verdicts are to be carried out.
    Decide(Vec<Ruling>),
    /// The user is to be asked for a reason.
    AskReason(Scope),
    /// The user is to edit a text.
    Edit(Manuscript),
    /// There is something to say.
    Say(String),
}

/// A hunk's new text, for the user's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manuscript {
    /// The hunk.
    pub(crate) hunk: HunkId,
    /// Its file.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
    /// How the hunk reads.
    reads: Reading,
}

const DENIAL: Verdict = Verdict::Deny { reason: None };

/// A verdict that was not carried out yet: the same key again confirms it.
#[derive(Debug)]
struct Question {
    key: ReviewKey,
    about: Confirmation,
    text: String,
    drawn: bool,
}

/// What the same key again confirms.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Confirmation {
    /// That what is said about the selected file need not be displayed.
    About,
    /// That lines of the selected hunk need not be displayed.
    Hunk,
    /// Nothing: some of several hunks are shown page by page, and none is waived.
    Several(HashSet<HunkId>),
    /// That the selected hunk, in conflict, takes the place of what the user has there.
    Overwrite,
}

/// The review list and where the user is in it.
#[derive(Debug, Default)]
pub(crate) struct Review {
    files: Vec<ProposalView>,
    marks: Marks,
    file: usize,
    hunk: usize,
    /// The first row of the diff that is shown.
    top: usize,
    /// Rows of the diff that fit the screen.
    page: usize,
    /// Columns of the screen.
    width: usize,
    drawn: bool,
    laid: Option<Laid>,
    seen: Seen,
    question: Option<Question>,
    checks: Checks,
    colours: Colours,
    kept: Kept,
    /// True once a frame was laid out with rows that none had shown before.
    fresh: bool,
    /// True once the list has a hunk that reads as none before.
    news: bool,
}

impl Review {
    /// Returns true if there is nothing to review.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns how many hunks wait for a verdict.
    pub(crate) fn pending(&self) -> usize {
        self.files.iter().map(|file| file.pending().count()).sum()
    }

    /// Returns how many hunks are in conflict.
    pub(crate) fn conflicts(&self) -> usize {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        let in_conflict = |hunk: &&HunkView| matches!(hunk.status, HunkStatus::Conflict { .. });
        hunks.filter(in_conflict).count()
    }

    /// Returns the paths of all files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Returns the path of the selected file.
    pub(crate) fn selected_path(&self) -> Option<&str> {
        self.selected_file().map(|file| file.path.as_str())
    }

    /// Returns true if what the pane holds was on the screen.
    pub(crate) fn was_drawn(&self) -> bool {
        self.drawn
    }

    /// Returns true once after rows were laid out for the first time.
    pub(crate) fn take_fresh(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    /// Returns true once after the list got a hunk that is new or reads differently.
    pub(crate) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Takes over the whole list; the selection stays on its hunk where that still exists.
    /// Returns the marks that had to go.
    pub(crate) fn set(&mut self, files: Vec<ProposalView>) -> Vec<Dropped> {
        let dropped = if files == self.files {
            Vec::new()
        } else {
            self.replace(files)
        };
        // Marks of hunks that are not in the whole list have nothing to be restored to.
        self.forget_restored();
        dropped
    }

    /// Takes over proposals that are new or have changed. Returns the marks that had to go.
    pub(crate) fn add(&mut self, proposals: Vec<ProposalView>) -> Vec<Dropped> {
        let mut files = self.files.clone();
        for proposal in proposals {
            match files.iter_mut().find(|file| file.id == proposal.id) {
                Some(file) => *file = proposal,
                None => files.push(proposal),
            }
        }
        self.replace(files)
    }

    /// Takes over that what is staged is being checked.
    pub(crate) fn checking(&mut self) {
        self.checks = Checks::Running;
        self.laid = None;
    }

    /// Takes over what checks of the staged work found.
    pub(crate) fn checked(&mut self, report: &CheckReport) {
        self.checks = Checks::of(report, &self.files);
        self.laid = None;
    }

    /// Returns what the checks have found, once they are over.
    pub(crate) fn found_by_checks(&self) -> Option<&str> {
        match &self.checks {
            Checks::None | Checks::Running => None,
            Checks::Over(_, words, _) => Some(words),
        }
    }

    /// Returns how far the checks of what is staged are, once there are any.
    pub(crate) fn checks(&self) -> Option<&str> {
        self.checks.title().map(|(_, words)| words)
    }

    /// Returns how many verdicts are marked and not handed over.
    pub(crate) fn marked(&self) -> usize {
        self.marks.count()
    }

    /// Tells whether a word is a path or an id of what is listed, in part or whole.
    pub(crate) fn names(&self, word: &str) -> bool {
        const SHORTEST_ID: usize = 4;
        let id = word.split('#').next().unwrap_or_default();
        let is_id =
            |own: &str| id.len() >= SHORTEST_ID && (own.starts_with(id) || own.ends_with(id));
        let mut files = self.files.iter();
        files.any(|file| file.path == word || is_id(&file.id.to_string()))
    }

    /// Takes over that verdicts were not carried out: they stay marked. Returns the marks that
    /// had to go meanwhile.
    pub(crate) fn undecided(&mut self) -> Vec<Dropped> {
        self.laid = None;
        self.marks.came_back()
    }

    /// Takes over that verdicts were carried out: what they were about goes at once. The list
    /// that follows brings back what waits on.
    pub(crate) fn decided(&mut self) {
        let lot = self.marks.carried_out();
        let mut files = self.files.clone();
        for file in &mut files {
            file.hunks.retain(|hunk| !lot.contains(&hunk.id));
        }
        files.retain(|file| !file.hunks.is_empty());
        if files != self.files {
            self.replace(files);
        }
    }

    /// Returns what the user is asked about a verdict that was not carried out.
    pub(crate) fn question(&self) -> Option<&str> {
        let question = self.question.as_ref();
        question.map(|question| question.text.as_str())
    }

    /// Drops the question about a verdict; true if there was one.
    pub(crate) fn drop_question(&mut self) -> bool {
        self.question.take().is_some()
    }

    /// Does what a key asks.
    pub(crate) fn handle(&mut self, key: ReviewKey) -> Outcome {
        let question = self.question.take();
        let confirmed = question
            .filter(|question| question.drawn && question.key == key)
            .map(|question| question.about);
        match key {
            ReviewKey::Next => self.forward(),
            ReviewKey::Previous => self.back(),
            ReviewKey::NextFile => self.select(self.file + 1, 0),
            ReviewKey::PreviousFile => self.select(self.file.saturating_sub(1), 0),
            ReviewKey::PageDown => self.scroll_to(self.top.saturating_add(self.step())),
            ReviewKey::PageUp => self.scroll_to(self.top.saturating_sub(self.step())),
            ReviewKey::Top => self.scroll_to_end(0),
            ReviewKey::Bottom => self.scroll_to_end(usize::MAX),
            ReviewKey::Unmark => {
                if let Some(id) = self.selected_hunk().map(|hunk| hunk.id) {
                    self.marks.unset(id);
                    self.laid = None;
                }
            }
            _ if !self.drawn => return say("The proposal changed: look again"),
            ReviewKey::Approve => return self.approve(confirmed),
            ReviewKey::Edit => return self.edit(confirmed),
            ReviewKey::Deny => return self.ask_reason(),
            ReviewKey::ApproveSame => return self.approve_same(),
            ReviewKey::ApproveAll => return self.approve_all(),
            ReviewKey::DenyAll => {
                return match self.waiting(&DENIAL).all {
                    0 => say("No hunk waits"),
                    _ => Outcome::AskReason(Scope::All),
                };
            }
            ReviewKey::Submit => {
                return match self.marks.count() {
                    0 => say("Nothing is marked: a approves, d denies"),
                    _ => self.submit(),
                };
            }
        }
        Outcome::Handled
    }

    fn replace(&mut self, files: Vec<ProposalView>) -> Vec<Dropped> {
        let selected = self.selected_hunk().map(|hunk| hunk.id);
        let dropped = self.marks.carry_over(&self.files, &files);
        let seen = news::is_known(&self.files, &files);
        self.news |= !seen;
        self.files = files;
        self.restore_marks();
        self.laid = None;
        self.question = None;
        self.seen.retain(&self.files);
        self.colours.retain(&self.files);
        let place = selected.and_then(|id| {
            self.files.iter().enumerate().find_map(|(file, proposal)| {
                let hunk = proposal.hunks.iter().position(|hunk| hunk.id == id)?;
                Some((file, hunk))
            })
        });
        match place {
            Some((file, hunk)) if self.needs_verdict(file, hunk) => {
                (self.file, self.hunk) = (file, hunk);
                self.reveal();
            }
            _ => {
                let (file, hunk) = self.next_open(0, 0).unwrap_or((0, 0));
                self.select(file, hunk);
            }
        }
        // A key meant for what is on the screen still does what it says there.
        self.drawn &= seen && self.selected_hunk().map(|hunk| hunk.id) == selected;
        dropped
    }

    fn selected_file(&self) -> Option<&ProposalView> {
        self.files.get(self.file)
    }

    fn selected_hunk(&self) -> Option<&HunkView> {
        self.selected_file()?.hunks.get(self.hunk)
    }

    fn is_open(&self, file: usize, hunk: usize) -> bool {
        self.files
            .get(file)
            .and_then(|file| file.hunks.get(hunk))
            .is_some_and(|hunk| self.marks.is_open(hunk) && self.marks.get(hunk.id).is_none())
    }

    /// Tells whether a hunk waits or is in conflict, and has no mark.
    fn needs_verdict(&self, file: usize, hunk: usize) -> bool {
        let hunks = self.files.get(file).map(|file| &file.hunks);
        let hunk = hunks.and_then(|hunks| hunks.get(hunk));
        hunk.is_some_and(|hunk| hunk.status.is_open() && self.marks.get(hunk.id).is_none())
    }

    /// Returns the first hunk without a mark at or after a place, round the end if need be.
    fn next_open(&self, file: usize, hunk: usize) -> Option<(usize, usize)> {
        let places = || {
            self.files
                .iter()
                .enumerate()
                .flat_map(|(file, view)| (0..view.hunks.len()).map(move |hunk| (file, hunk)))
        };
        let open = |place: &(usize, usize)| self.is_open(place.0, place.1);
        places()
            .filter(|place| *place >= (file, hunk))
            .find(open)
            .or_else(|| places().find(open))
    }

    fn select(&mut self, file: usize, hunk: usize) {
        let file = file.min(self.files.len().saturating_sub(1));
        if file != self.file {
            self.top = 0;
        }
        (self.file, self.hunk) = (file, hunk);
        self.reveal();
    }

    fn forward(&mut self) {
        let span = self.span();
        let hunks = self.selected_file().map_or(0, |file| file.hunks.len());
        if span.end > self.top.saturating_add(self.page) {
            let step = self.page.saturating_sub(2).max(1);
            self.top += step.min(span.end.saturating_sub(self.page + self.top));
        } else if self.hunk + 1 < hunks {
            self.select(self.file, self.hunk + 1);
        } else if self.file + 1 < self.files.len() {
            self.select(self.file + 1, 0);
        }
    }

    fn back(&mut self) {
        let span = self.span();
        if span.start < self.top {
            let step = self.page.saturating_sub(2).max(1);
            self.top = self.top.saturating_sub(step).max(span.start);
        } else if let Some(hunk) = self.hunk.checked_sub(1) {
            self.select(self.file, hunk);
        } else if let Some(file) = self.file.checked_sub(1) {
            let last = self.files.get(file).map_or(0, |file| file.hunks.len());
            self.select(file, last.saturating_sub(1));
        } else {
            self.top = 0;
        }
    }

    fn submit_if_all_marked(&mut self) -> Outcome {
        match self.next_open(self.file, self.hunk) {
            Some((file, hunk)) => {
                self.select(file, hunk);
                Outcome::Handled
            }
            None => self.submit(),
        }
    }

    fn submit(&mut self) -> Outcome {
        let Self { files, marks, .. } = self;
        let rulings = marks.submit(files.iter().flat_map(|file| &file.hunks));
        if rulings.is_empty() {
            Outcome::Handled
        } else {
            Outcome::Decide(rulings)
        }
    }
}

fn say(line: &str) -> Outcome {
    Outcome::Say(line.to_owned())
}
