//! Review pane: staged proposals, their diffs, and verdicts on hunks.
//!
//! In: the review list and keys. Out: rows, and rulings once every hunk is marked or the
//! user submits. A verdict counts only for what has been displayed, unless the user says so twice.
//!
//! [`Review`] lets its parts work together: what is reviewed (`subject`) and how it is shown (`presentation`). Other files
//! with methods of it: `verdict` decides on the selected hunk, `several_hunks` on more of them, `typed_texts` takes texts.
//!
//! | part | owns |
//! |---|---|
//! | `review/subject` (`ReviewSubject`) | what is reviewed: the four below; `subject/eyes` says which hunks have to be read and which comes next |
//! | `review/list` (`ReviewList`) | the files with the proposals that wait (`review/review_file`), the selected hunk, the filter (`review/filter`) |
//! | `review/pending_verdicts` (`PendingVerdicts`) | marks (`review/marks`), questions about hunks with their answers (`review/questions`), comments (`review/comments`), those of the review agent (`review/critique`), new texts of hunks that are edited in place (`review/text_drafts`), what of them outlives the run (`review/kept`), the question about a verdict |
//! | `review/commits` (`CommitCard`) | commits of programs that wait, as cards behind the files |
//! | `review/checks` (`Checks`) | what checks of the staged work found |
//! | `review/proofs` (`LayoutProofs`, `Evidence`) | which hunks change the layout alone; with marks and checks, which hunks are proved to be what one line says |
//! | `review/presentation` (`Presentation`) | how it is shown: the three below; `presentation/moves` scrolls and selects, `presentation/unseen` shows what was not displayed, and asks |
//! | `review/diff_pane` (`DiffPane`) | which rows of the diffs are on the screen, and which were (`review/seen`); `review/laid_file` keeps how files near the screen are laid out |
//! | `review/tree` (`FileTree`) | the rows of the tree of files, and the order of the list |
//! | `review/scene` (`DiffStyle`) | what the user chose of tree, sides, scroll and white space (`review/arrangement`), lines around hunks (`review/context`) and folds (`review/folds`) that the user opened, colours of code (`review/colours`); with the subject it is the `Scene` that files are laid out from |
//! | `review/line_selector` (`LineSelector`) | the lines of a hunk that are being selected |
//! | `review/search` (`Search`) | what is looked for, and where it is |
//! | `review/sign_off` (`SignOffPage`) | what the marks come to, and what was written; `Focus` (`tui/app/focus/sign_off`) opens it and hands the verdicts over |
//! | `review/history` (`History`) | what was written, by change (`changes`), and the questions before it is taken back (`questions`) |
//! | `review/diff_page` (`DiffPage`), `review/note_page` (`NotePage`) | what changes come to; who wrote lines, and how a hunk was placed: pages that are read |
//! | `review/places_page` (`OpenPlaces`, `PlacesPage`) | the edits that fit several places, and the places of one, of which the user chooses |
//!
//! A diff is laid out as elements (`review/diff`): a head, a line, a pair of lines, each with the row at which it
//! begins. How many rows a line takes is told from its length, unless it has other characters than ASCII; rows are
//! made from elements when they are drawn (`review/diff/draw`, `review/line_rows`). So a frame costs what is on the
//! screen, and marks, which are drawn with the heads, lay nothing out anew. A place in the scroll is a file and a
//! row in it, and places are walked from the screen on (`review/diff_pane/scroll`), so that only files near it are
//! laid out. `review/pairs` finds which old and new lines stand side by side. What the screen only asks, as lines
//! around a hunk, colours, diffs, authors of lines, the history or what taking back would do, is a `Query`
//! (`tui/app/query`): it is looked up beside the session (`llm/query_lane`), and its answer is a function that shows it
//! (`docs/decisions/0045`).
//!
//! `Review` lets its parts work together. The presentation and the line selector are given the subject with each
//! call. `review` takes lists and has one match over the keys, `review/verdict` decides on the selected hunk,
//! `review/several_hunks` on more of them, `review/typed_texts` takes reasons, questions, comments and what to
//! search for. `App` does so for all: `tui/app/events` has one match over the session's events, `tui/app/keys` one over
//! what keys mean, `tui/app/responses` one over what panes answer and one over commands. `tui/app/layout` shares the screen
//! out. A new event does not compile until it is shown or left out by name.
//!
//! **Invariant:** a verdict counts only for what has been displayed. Laying a frame out records which lines of
//! which hunk it shows (`review/seen`), as the text reads at that time and in the columns that it has: rows of one
//! layout say nothing about rows of another whose lines end elsewhere; lines that are not told apart since white
//! space is ignored are not displayed, and a hunk that reads differently after a refresh is unseen again. The
//! selection follows scrolling (`review/diff_pane`), and its head stays on the screen. Lines of context need not
//! have been displayed. `a` and `e` on a hunk with changed lines that were not displayed show them and ask; the
//! same key again confirms. `A`, `F`, `s`, `c` and `S` go through all such lines, page by page, folds opened, and
//! are never confirmed instead: only the typed `/approve all` skips that, and not for files that make a program
//! run.
//!
//! **Invariant:** what overwrites the user's own lines is approved alone, once all of it was displayed, by the same
//! key after a question (`review/overwriting`), and its mark goes when these lines change. So is what is too large
//! to be displayed, by its hash.
//!
//! **Invariant:** a text of the user's is written from the sign-off page only once that said what guards find in it
//! (`ChangeQuery::OwnText`).

mod arrangement;
mod blame_rows;
mod checks;
mod colours;
pub mod comments;
pub mod commits;
mod conflict;
mod context;
mod critique;
mod diff;
pub mod diff_page;
mod diff_pane;
mod edited;
mod filter;
mod folds;
pub mod foreseen;
pub mod history;
mod hunk_lines;
pub mod kept;
mod key_names;
mod keys;
#[cfg(test)]
pub(crate) mod kit;
mod laid_file;
mod line_rows;
mod line_selection;
mod line_selector;
mod list;
mod marks;
mod merging;
mod news;
pub mod note_page;
mod out_of_sight;
mod overwriting;
mod pairs;
mod pending_verdicts;
mod placement_rows;
pub mod places_page;
mod presentation;
mod proofs;
mod questions;
mod review_file;
mod review_text;
mod rows;
mod scene;
mod search;
mod seen;
mod several_hunks;
pub mod sign_off;
mod subject;
mod text_drafts;
mod tree;
mod typed_texts;
mod verdict;
pub mod words;

use std::sync::Arc;

use signoff_checks::check::CheckReport;
use signoff_core::engine::{AroundRequest, CodeColours, LinesAround};
use signoff_core::id::ProposalId;
use signoff_core::stage::review::{AfterApproval, HunkView, ProposalView, Verdict};

pub use self::arrangement::ArrangeKey;
pub use self::checks::Checks;
use self::commits::CommitCard;
use self::conflict::{is_conflict, no_conflict};
use self::kept::{KeptChange, KeptMarks};
pub use self::key_names::KeyNames;
pub use self::keys::{LineKey, ReviewKey, ReviewTool};
use self::line_selector::LineSelector;
use self::list::HunkPlace;
pub use self::list::ReviewList;
pub use self::marks::Dropped;
use self::out_of_sight::OutOfSight;
use self::pending_verdicts::Confirmation;
use self::presentation::Presentation;
use self::review_file::ReviewFile;
use self::search::Search;
pub use self::several_hunks::Deniable;
use self::subject::{Relisted, ReviewSubject, in_order};
use crate::response::Response;
use crate::wrap::Row;

/// A denial, to tell which hunks take one.
const DENIAL: Verdict = Verdict::Deny { reason: None };

/// How many hunks the user has decided on since the interface began.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecidedCount {
    /// Those that were approved.
    pub approved: usize,
    /// Those that were denied.
    pub denied: usize,
}

/// What waits for verdicts, and the verdicts that are being given.
#[derive(Debug, Default)]
pub struct Review {
    subject: ReviewSubject,
    presentation: Presentation,
    lines: LineSelector,
    search: Search,
    decided: DecidedCount,
    /// True once the list has a hunk that reads as none before.
    news: bool,
    /// True once the user did something here: until then the first hunk is selected.
    is_begun: bool,
}

/// What it holds.
impl Review {
    /// Returns what waits.
    pub fn list(&self) -> &ReviewList {
        &self.subject.list
    }

    /// Returns what checks of the staged work found.
    pub fn checks(&self) -> &Checks {
        self.subject.checks()
    }

    /// Takes over what keys are called. Diffs are laid out anew: they name some.
    pub fn name_keys(&mut self, names: KeyNames) {
        self.subject.verdicts.names = names;
        self.presentation.changed(&self.subject);
    }

    /// Returns what keys are called.
    pub fn key_names(&self) -> &KeyNames {
        self.subject.names()
    }

    /// Returns how many hunks were decided on.
    pub fn decided_count(&self) -> DecidedCount {
        self.decided
    }

    /// Returns how many verdicts are marked and not handed over.
    pub fn marked(&self) -> usize {
        self.subject.marks().count()
    }

    /// Returns true if every hunk that waits has a mark.
    pub fn is_marked_whole(&self) -> bool {
        self.subject.next_open(HunkPlace::default()).is_none()
    }

    /// Returns true once after the list got a hunk that is new or reads differently.
    pub fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Returns what the user is asked about a verdict that was not carried out.
    pub fn question(&self) -> Option<&str> {
        self.subject.verdicts.question()
    }

    /// Drops the question about a verdict; true if there was one.
    pub fn drop_question(&mut self) -> bool {
        self.subject.verdicts.drop_question()
    }

    /// Returns once what was chosen for after the verdicts.
    pub fn take_after(&mut self) -> Option<AfterApproval> {
        self.subject.verdicts.after.take()
    }

    /// Returns true while lines are being selected.
    pub fn selects_lines(&self) -> bool {
        self.lines.is_on()
    }

    /// Returns what is said of how many lines are selected.
    pub fn selected_count(&self) -> Option<String> {
        Some(self.lines.selection(&self.subject.list)?.count())
    }

    /// Takes over what an earlier run wrote down. Returns the marks that had to go.
    pub fn restore(&mut self, kept: KeptMarks) -> Vec<Dropped> {
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        let dropped = verdicts.restore(kept, list);
        self.presentation.changed(&self.subject);
        dropped
    }

    /// Returns what is to be written down, if it changed since the last call.
    pub fn take_kept(&mut self) -> Option<KeptChange> {
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        verdicts.take_kept(list)
    }
}

/// What the session tells.
impl Review {
    /// Takes over the whole list; the selection stays on its hunk where that still exists.
    /// Returns the marks that had to go.
    pub fn set(
        &mut self,
        proposals: impl IntoIterator<Item = impl Into<Arc<ProposalView>>>,
    ) -> Vec<Dropped> {
        let mut files = in_order(proposals);
        let cards = self.subject.commits.iter();
        files.extend(cards.map(|card| ReviewFile::card(card.view.clone())));
        let mut dropped = if files == self.subject.list.files() {
            Vec::new()
        } else {
            self.replace(files)
        };
        // Marks of hunks that are not in the whole list have nothing to be restored to.
        let ReviewSubject { list, verdicts, .. } = &mut self.subject;
        dropped.extend(verdicts.forget_restored(list));
        dropped
    }

    /// Takes over the commits that wait; they are listed behind the files. Returns the marks that had to go.
    pub fn set_commits(&mut self, cards: Vec<CommitCard>) -> Vec<Dropped> {
        if self.subject.commits == cards {
            return Vec::new();
        }
        let files = self.subject.list.files().iter();
        let files = files.flat_map(ReviewFile::proposals);
        let files = files.filter(|own| !self.is_commit(own.id)).cloned();
        let files: Vec<Arc<ProposalView>> = files.collect();
        self.subject.commits = cards;
        self.presentation.changed(&self.subject);
        self.set(files)
    }

    /// Returns whether a proposal is a commit that waits.
    pub fn is_commit(&self, proposal: ProposalId) -> bool {
        self.commit(proposal).is_some()
    }

    /// Returns the commit that waits under an id.
    pub fn commit(&self, proposal: ProposalId) -> Option<&CommitCard> {
        let mut commits = self.subject.commits.iter();
        commits.find(|card| card.view.id == proposal)
    }

    fn replace(&mut self, files: Vec<ReviewFile>) -> Vec<Dropped> {
        let selected = self.subject.list.selected_hunk().map(|hunk| hunk.id);
        let is_held = self.presentation.hold_top(&self.subject);
        let Relisted {
            before,
            dropped,
            is_known,
        } = self.subject.relist(files);
        self.news |= !is_known;
        self.presentation.relist(&before, &self.subject);
        self.search.refresh(self.subject.list.files());
        self.lines.relist(&self.subject.list);
        self.is_begun &= !self.subject.list.is_empty();
        let first = self.subject.next_open(HunkPlace::default());
        let first = first.filter(|_| !self.is_begun);
        let selected_before = self.subject.place_of_waiting(selected);
        match selected_before.filter(|place| first.is_none_or(|first| first == *place)) {
            Some(place) => {
                self.subject.list.select(place);
                // What changed in the file of the selected hunk is to be seen, and its notes above it.
                let file = self.subject.list.selected_file();
                let is_same = file.is_some_and(|file| before.contains(file));
                if !is_held || !is_same {
                    self.presentation.release_top();
                    self.presentation.reveal(&self.subject);
                }
            }
            None => {
                let instead = self.subject.place_instead(selected, &before);
                let from = self.subject.place_behind(selected, &before);
                let open = instead.or(first).or_else(|| self.subject.next_open(from));
                self.presentation
                    .select(&mut self.subject, open.unwrap_or_default());
            }
        }
        // A key meant for what is on the screen still does what it says there.
        let is_same = self.subject.list.selected_hunk().map(|hunk| hunk.id) == selected;
        self.presentation.keep_drawn(is_known && is_same);
        dropped
    }

    /// Takes over whether the model goes on after an approval, unless the user chooses otherwise.
    pub fn set_goes_on(&mut self, goes_on: bool) {
        self.subject.goes_on = goes_on;
    }

    /// Takes over which sentences of the model's newest message do not hold, each with what is so.
    pub fn set_contradicted(&mut self, sentences: Vec<String>) {
        self.subject.contradicted = sentences;
    }

    /// Takes over that what is staged is being checked.
    pub fn checking(&mut self) {
        self.subject.checking();
        self.presentation.changed(&self.subject);
    }

    /// Takes over what checks of the staged work found.
    pub fn checked(&mut self, report: &CheckReport) {
        self.subject.checked(report);
        self.presentation.changed(&self.subject);
    }

    /// Takes over which hunks make tests fail, beside what checks found.
    pub fn found_cause(&mut self, report: &CheckReport) {
        self.subject.found_cause(report);
        self.presentation.changed(&self.subject);
    }

    /// Takes over the colours of a proposal.
    pub fn coloured(&mut self, colours: CodeColours) {
        self.presentation.coloured(&self.subject, colours);
    }

    /// Returns once whose colours are to be found.
    pub fn wants_colours(&mut self) -> Option<&ProposalView> {
        let wanted = self.presentation.wants_colours(&self.subject)?;
        self.subject.list.proposal(wanted)
    }

    /// Takes over lines around a hunk; returns what there is to say.
    pub fn around(&mut self, told: LinesAround) -> Option<String> {
        self.presentation.around(&self.subject, told)
    }

    /// Returns once which lines around a hunk are to be asked for.
    pub fn wants_around(&mut self) -> Option<AroundRequest> {
        self.presentation.wants_around()
    }

    /// Takes over that verdicts were not carried out: they stay marked. Returns the marks that
    /// had to go meanwhile.
    pub fn undecided(&mut self) -> Vec<Dropped> {
        self.presentation.changed(&self.subject);
        self.subject.verdicts.marks.came_back()
    }

    /// Takes over that verdicts were carried out: what they were about goes at once. The list
    /// that follows brings back what waits on.
    pub fn decided(&mut self, approved: usize, denied: usize) {
        self.decided.approved += approved;
        self.decided.denied += denied;
        let lot = self.subject.verdicts.marks.carried_out();
        // What of them waits on is told again.
        let is_decided =
            |card: &CommitCard| card.view.hunks.iter().all(|hunk| lot.contains(&hunk.id));
        self.subject.commits.retain(|card| !is_decided(card));
        let files = self.subject.list.without(&lot);
        if files != self.subject.list.files() {
            self.replace(files);
        }
    }
}

/// Frames.
impl Review {
    /// Returns true if what the pane holds was on the screen.
    pub fn was_drawn(&self) -> bool {
        self.presentation.was_drawn()
    }

    /// Returns true once after rows were laid out for the first time.
    pub fn take_fresh(&mut self) -> bool {
        self.presentation.take_fresh()
    }

    /// Decides which rows a pane of this size shows; they count as displayed from now on.
    pub fn lay_out(&mut self, width: usize, height: usize) {
        self.presentation.lay_out(&self.subject, (width, height));
        let was_drawn = self.was_drawn();
        self.subject.verdicts.show_question(was_drawn);
        if let Some(meant) = self.subject.verdicts.several() {
            let meant = |hunk: &HunkView| meant.contains(&hunk.id);
            let counts = self.presentation.counts(&self.subject, meant);
            self.subject.verdicts.count_anew(counts);
        }
    }

    /// Returns the rows for `height` rows of `width` columns, as they were laid out: title, files,
    /// diff.
    pub fn rows(&self, width: usize, height: usize) -> Vec<Row> {
        let lines = self.lines.selection(&self.subject.list);
        let marked = (lines, &self.search);
        self.presentation
            .rows(&self.subject, marked, (width, height))
    }

    /// Returns what is not on the screen.
    pub fn out_of_sight(&self) -> OutOfSight {
        self.presentation.out_of_sight(&self.subject)
    }

    /// Changes how the diffs are shown; returns what there is to say. A verdict that waits for its key again is dropped.
    pub fn arrange(&mut self, key: ArrangeKey) -> Option<String> {
        self.drop_question();
        self.presentation.arrange(&self.subject, key)
    }
}

/// Keys.
impl Review {
    /// Takes over that a key was pressed: what was chosen for after the verdicts holds only while a question is open.
    pub fn key_pressed(&mut self) {
        if self.question().is_none() {
            self.subject.verdicts.after = None;
        }
    }

    /// Returns true if a key is about a conflict, and the selected hunk is in none: it is as much as a letter that means
    /// nothing.
    pub fn is_stray(&self, key: ReviewKey) -> bool {
        matches!(key, ReviewKey::KeepMine | ReviewKey::TakeTheirs)
            && !self.subject.list.selected_hunk().is_some_and(is_conflict)
    }

    /// Selects what was clicked on: a row and a column of the pane, which has so many rows. False if nothing there can be
    /// selected, or lines are being selected.
    pub fn click(&mut self, at: (usize, usize), height: usize) -> bool {
        if self.selects_lines() {
            return false;
        }
        self.drop_question();
        self.is_begun = true;
        self.presentation.click(&mut self.subject, at, height)
    }

    /// Scrolls by a notch of the wheel.
    pub fn wheel(&mut self, down: bool) {
        if !self.selects_lines() {
            self.drop_question();
            self.is_begun = true;
            self.presentation.wheel(&mut self.subject, down);
        }
    }

    /// Does what a key asks.
    pub fn handle(&mut self, key: ReviewKey) -> Response {
        self.is_begun = true;
        if key.needs_text() && self.selects_commit() {
            return Response::say("A commit has no text to work on: approve it or deny it");
        }
        // A hunk in conflict is taken as `a` takes it.
        let key = match key {
            ReviewKey::TakeTheirs if !self.is_stray(key) => ReviewKey::Approve,
            key => key,
        };
        let confirmed = self.subject.verdicts.confirm(key);
        match key {
            ReviewKey::Next => self.presentation.forward(&mut self.subject),
            ReviewKey::Previous => self.presentation.back(&mut self.subject),
            ReviewKey::NextFile => self.presentation.select_file(&mut self.subject, true),
            ReviewKey::PreviousFile => self.presentation.select_file(&mut self.subject, false),
            ReviewKey::PageDown => self.presentation.scroll_screen(&mut self.subject, true),
            ReviewKey::PageUp => self.presentation.scroll_screen(&mut self.subject, false),
            ReviewKey::Top => self.presentation.scroll_to_end(&mut self.subject, false),
            ReviewKey::Bottom => self.presentation.scroll_to_end(&mut self.subject, true),
            ReviewKey::Approve
            | ReviewKey::Edit
            | ReviewKey::KeepMine
            | ReviewKey::TakeTheirs
            | ReviewKey::Deny
            | ReviewKey::ApproveSame
            | ReviewKey::ApproveAll
            | ReviewKey::ApproveProved
            | ReviewKey::DenyAll
            | ReviewKey::DenyNeedless
            | ReviewKey::Submit
                if !self.was_drawn() =>
            {
                return Response::say("The proposal changed: look again");
            }
            ReviewKey::Approve => return self.approve(confirmed),
            ReviewKey::Edit => return self.edit(key, confirmed),
            ReviewKey::KeepMine => return self.keep_mine(),
            ReviewKey::TakeTheirs => return Response::Say(no_conflict(self.key_names())),
            ReviewKey::Deny => return self.ask_reason(),
            ReviewKey::ApproveSame => return self.approve_same(),
            ReviewKey::ApproveAll => return self.approve_all(),
            ReviewKey::ApproveProved => return self.approve_proved(),
            ReviewKey::Fold => return self.presentation.toggle_fold(&self.subject),
            ReviewKey::FoldAll => return self.presentation.toggle_folds(&self.subject),
            ReviewKey::DenyAll => return self.ask_reason_for_all(),
            ReviewKey::DenyNeedless => return self.deny_needless(),
            ReviewKey::Submit => return self.submit_marked(),
            ReviewKey::Tool(tool) => return self.use_tool(tool, confirmed),
            ReviewKey::Lines(key) => return self.press_on_lines(key, confirmed),
        }
        Response::Handled
    }

    fn selects_commit(&self) -> bool {
        let selected = self.subject.selected();
        selected.is_some_and(|(file, _)| self.is_commit(file.id))
    }

    fn use_tool(&mut self, tool: ReviewTool, confirmed: Option<Confirmation>) -> Response {
        if tool.decides() && !self.was_drawn() {
            return Response::say("The proposal changed: look again");
        }
        match tool {
            ReviewTool::Ask => self.ask_question(),
            ReviewTool::Regenerate => self.regenerate(),
            ReviewTool::Toggle => self.toggle(confirmed),
            ReviewTool::TakeBack => self.take_back(),
            ReviewTool::Search => self.begin_search(),
            ReviewTool::Comment => self.begin_comment(),
            ReviewTool::DenyWithComments => self.deny_with_comments(),
            ReviewTool::Lines => self.begin_lines(),
            ReviewTool::EditInPlace => self.edit_in_place(confirmed),
            ReviewTool::Filter => self.presentation.next_filter(&mut self.subject),
            ReviewTool::Yank => self.subject.yank(),
            ReviewTool::Open => self.subject.open_in_editor(),
            ReviewTool::Next => self.go_to_next(),
            ReviewTool::Previous => self.go_to_previous(),
        }
    }
}
