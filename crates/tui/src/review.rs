//! Review pane: staged proposals, their diffs, and verdicts on hunks.
//!
//! In: the review list and keys. Out: rows, and rulings once every hunk is marked or the
//! user submits. A verdict counts only for what has been displayed, unless the user says so twice.
//!
//! [`Review`] owns the parts and lets them work together: the list (`list`), what of the diff is and was on the screen
//! (`diff_pane`), what is about to be handed over (`pending_verdicts`), what checks found (`checks`), and the
//! colours of code (`colours`).

pub(crate) mod foreseen;
pub(crate) mod history;
mod arrangement;
mod blame_rows;
mod checks;
mod filter;
mod finding;
mod colours;
mod conflict;
mod comments;
mod context;
mod diff;
pub(crate) mod diff_page;
mod diff_pane;
mod edited;
mod eyes;
mod folds;
mod frame;
mod hunk_lines;
mod in_place;
pub(crate) mod kept;
mod key_names;
#[cfg(test)]
pub(crate) mod kit;
mod laid_file;
mod line_keys;
mod line_selection;
mod line_rows;
mod list;
mod marking;
mod marks;
mod navigation;
mod news;
pub(crate) mod note_page;
mod out_of_sight;
mod overwriting;
mod asking;
mod pairs;
mod pending_verdicts;
pub(crate) mod places_page;
mod placement_rows;
mod questions;
mod rows;
mod seen;
mod search;
mod taking_out;
mod tool;
pub(crate) mod sign_off;
mod tree;
mod verdict;
pub(crate) mod words;

use serde::{Deserialize, Serialize};
use signoff_core::engine::CodeColours;
use signoff_core::id::HunkId;
use signoff_core::review::{HunkView, ProposalView, Ruling, Verdict};
use signoff_llm::mode::AfterApproval;
use signoff_verify::check::CheckReport;

pub(crate) use self::arrangement::ArrangeKey;
use self::arrangement::Arrangement;
pub(crate) use self::checks::Checks;
use self::colours::Colours;
use self::context::OpenContext;
use self::diff_pane::DiffPane;
use self::folds::Folds;
use self::in_place::TextDrafts;
pub(crate) use self::key_names::KeyNames;
pub(crate) use self::line_keys::LineKey;
use self::line_selection::LineSelection;
use self::list::HunkPlace;
pub(crate) use self::list::ReviewList;
pub(crate) use self::marks::Dropped;
use self::pending_verdicts::PendingVerdicts;
use self::search::Search;
use self::seen::Reading;
pub(crate) use self::taking_out::FileLine;
pub(crate) use self::tool::ReviewTool;
use self::tree::FileTree;

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
    /// Of a hunk in conflict: keep the user's lines.
    KeepMine,
    /// Of a hunk in conflict: put it in the place of the user's lines.
    TakeTheirs,
    /// Approve every hunk that makes the same rewrite and nothing else.
    ApproveSame,
    /// Approve every hunk that waits.
    ApproveAll,
    /// Approve every hunk that is proved to be what one line says.
    ApproveProved,
    /// Open the selected fold, or close it.
    Fold,
    /// Open all folds, or close them.
    FoldAll,
    /// Deny every hunk that waits, after asking why.
    DenyAll,
    /// Hand the marked verdicts over.
    Submit,
    /// Use what helps to decide.
    Tool(ReviewTool),
    /// Act on lines of the selected hunk.
    Lines(LineKey),
}

impl ReviewKey {
    /// Tells whether this gives a verdict, or leads to one.
    pub(crate) fn decides(self) -> bool {
        match self {
            Self::Approve
            | Self::Deny
            | Self::Edit
            | Self::KeepMine
            | Self::TakeTheirs
            | Self::ApproveSame
            | Self::ApproveAll
            | Self::ApproveProved
            | Self::DenyAll
            | Self::Submit => true,
            Self::Tool(tool) => tool.decides(),
            Self::Lines(key) => key.decides(),
            Self::Next
            | Self::Previous
            | Self::NextFile
            | Self::PreviousFile
            | Self::PageDown
            | Self::PageUp
            | Self::Top
            | Self::Bottom
            | Self::Fold
            | Self::FoldAll => false,
        }
    }
}

/// Which hunks a denial is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// One.
    Hunk(HunkId),
    /// Lines of one: the rest of it is approved.
    Lines(HunkId),
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
    /// The page that says what will be written is to be shown.
    SignOff,
    /// The user is to be asked for a reason.
    AskReason(Scope),
    /// The user is to type a question about this hunk.
    AskQuestion(HunkId),
    /// The user is to type what to search for.
    AskQuery,
    /// The user is to type a comment on this hunk.
    AskComment(HunkId),
    /// The user is to type a comment on this line of a hunk.
    AskLineComment(HunkId, usize),
    /// This text is for the clipboard.
    Copy(String),
    /// The user's editor is to open a file.
    Open(FileLine),
    /// The user is to edit a text.
    Edit(Manuscript),
    /// The user is to edit the new text of this hunk in place.
    EditInPlace {
        hunk: HunkId,
        /// What was begun of it before the hunk changed.
        outdated: Option<Manuscript>,
    },
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

/// A denial, to tell which hunks take one.
const DENIAL: Verdict = Verdict::Deny { reason: None };

/// How many hunks the user has decided on since the interface began.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DecidedCount {
    pub(crate) approved: usize,
    pub(crate) denied: usize,
}

/// What waits for verdicts, and the verdicts that are being given.
#[derive(Debug, Default)]
pub(crate) struct Review {
    list: ReviewList,
    tree: FileTree,
    diff: DiffPane,
    arrangement: Arrangement,
    context: OpenContext,
    folds: Folds,
    verdicts: PendingVerdicts,
    checks: Checks,
    colours: Colours,
    search: Search,
    lines: Option<LineSelection>,
    text_drafts: TextDrafts,
    decided: DecidedCount,
    /// True once the list has a hunk that reads as none before.
    news: bool,
}

impl Review {
    /// Returns what waits.
    pub(crate) fn list(&self) -> &ReviewList {
        &self.list
    }

    /// Returns what checks of the staged work found.
    pub(crate) fn checks(&self) -> &Checks {
        &self.checks
    }

    /// Takes over what keys are called. Diffs are laid out anew: they name some.
    pub(crate) fn name_keys(&mut self, names: KeyNames) {
        self.verdicts.names = names;
        self.diff.changed(&self.list);
    }

    /// Returns how many hunks were decided on.
    pub(crate) fn decided_count(&self) -> DecidedCount {
        self.decided
    }

    /// Returns how many verdicts are marked and not handed over.
    pub(crate) fn marked(&self) -> usize {
        self.verdicts.marks.count()
    }

    /// Returns true if every hunk that waits has a mark.
    pub(crate) fn is_marked_whole(&self) -> bool {
        self.next_open(HunkPlace::default()).is_none()
    }

    /// Returns true if what the pane holds was on the screen.
    pub(crate) fn was_drawn(&self) -> bool {
        self.diff.was_drawn()
    }

    /// Returns true once after rows were laid out for the first time.
    pub(crate) fn take_fresh(&mut self) -> bool {
        self.diff.take_fresh()
    }

    /// Returns true once after the list got a hunk that is new or reads differently.
    pub(crate) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Returns what the user is asked about a verdict that was not carried out.
    pub(crate) fn question(&self) -> Option<&str> {
        self.verdicts.question()
    }

    /// Drops the question about a verdict; true if there was one.
    pub(crate) fn drop_question(&mut self) -> bool {
        self.verdicts.drop_question()
    }

    /// Takes over the whole list; the selection stays on its hunk where that still exists.
    /// Returns the marks that had to go.
    pub(crate) fn set(&mut self, files: Vec<ProposalView>) -> Vec<Dropped> {
        let files = eyes::in_order(files);
        let dropped = if files == self.list.files() {
            Vec::new()
        } else {
            self.replace(files)
        };
        // Marks of hunks that are not in the whole list have nothing to be restored to.
        self.verdicts.forget_restored(&self.list);
        dropped
    }

    /// Takes over proposals that are new or have changed. Returns the marks that had to go.
    pub(crate) fn add(&mut self, proposals: Vec<ProposalView>) -> Vec<Dropped> {
        self.replace(eyes::in_order(self.list.with(proposals)))
    }

    /// Takes over that what is staged is being checked.
    pub(crate) fn checking(&mut self) {
        self.checks = Checks::Running;
        self.diff.changed(&self.list);
    }

    /// Takes over what checks of the staged work found.
    pub(crate) fn checked(&mut self, report: &CheckReport) {
        self.checks = Checks::of(report, self.list.files());
        self.diff.changed(&self.list);
    }

    /// Takes over the colours of a proposal.
    pub(crate) fn coloured(&mut self, colours: CodeColours) {
        self.diff.changed_in(&self.list, colours.proposal);
        // What is being read does not close by itself.
        for row in self.diff.screen() {
            let file = self.list.files().get(row.file);
            let hunk = file
                .zip(row.hunk)
                .and_then(|(file, hunk)| file.hunks.get(hunk));
            let plain = hunk.filter(|hunk| hunk.proof.is_none());
            plain.into_iter().for_each(|hunk| self.folds.open(hunk.id));
        }
        self.colours.take(colours, self.list.files());
    }

    /// Returns once whose colours are to be found.
    pub(crate) fn wants_colours(&mut self) -> Option<&ProposalView> {
        let at = self.list.at().file;
        let shown = self.diff.files_shown();
        let from = shown.start.min(at);
        let files = self.list.files();
        let near = self.colours.wanted(files, from..shown.end.max(at + 1));
        near.or_else(|| {
            let id = self.folds.next_unproved()?;
            let file = files.iter().find(|file| file.id == id)?;
            self.colours.wanted_once(file)
        })
    }

    /// Takes over that verdicts were not carried out: they stay marked. Returns the marks that
    /// had to go meanwhile.
    pub(crate) fn undecided(&mut self) -> Vec<Dropped> {
        self.diff.changed(&self.list);
        self.verdicts.marks.came_back()
    }

    /// Takes over that verdicts were carried out: what they were about goes at once. The list
    /// that follows brings back what waits on.
    pub(crate) fn decided(&mut self, approved: usize, denied: usize) {
        self.decided.approved += approved;
        self.decided.denied += denied;
        let lot = self.verdicts.marks.carried_out();
        let files = self.list.without(&lot);
        if files != self.list.files() {
            self.replace(files);
        }
    }

    /// Takes over that a key was pressed: what was chosen for after the verdicts holds only while a question is open.
    pub(crate) fn key_pressed(&mut self) {
        if self.question().is_none() {
            self.verdicts.after = None;
        }
    }

    /// Approves all that waits, and has the model go on or stop.
    pub(crate) fn approve_and(&mut self, after: AfterApproval) -> Outcome {
        self.verdicts.after = Some(after);
        self.handle(ReviewKey::ApproveAll)
    }

    /// Returns once what was chosen for after the verdicts.
    pub(crate) fn take_after(&mut self) -> Option<AfterApproval> {
        self.verdicts.after.take()
    }

    /// Does what a key asks.
    pub(crate) fn handle(&mut self, key: ReviewKey) -> Outcome {
        let key = self.resolving(key);
        let confirmed = self.verdicts.confirm(key);
        match key {
            ReviewKey::Next => self.forward(),
            ReviewKey::Previous => self.back(),
            ReviewKey::NextFile => self.select_next_file(),
            ReviewKey::PreviousFile => self.select_previous_file(),
            ReviewKey::PageDown => self.scroll_screen(true),
            ReviewKey::PageUp => self.scroll_screen(false),
            ReviewKey::Top => self.scroll_to_end(false),
            ReviewKey::Bottom => self.scroll_to_end(true),
            ReviewKey::Approve
            | ReviewKey::Edit
            | ReviewKey::KeepMine
            | ReviewKey::TakeTheirs
            | ReviewKey::Deny
            | ReviewKey::ApproveSame
            | ReviewKey::ApproveAll
            | ReviewKey::ApproveProved
            | ReviewKey::DenyAll
            | ReviewKey::Submit
                if !self.was_drawn() =>
            {
                return say("The proposal changed: look again");
            }
            ReviewKey::Approve => return self.approve(confirmed),
            ReviewKey::Edit => return self.edit(key, confirmed),
            ReviewKey::KeepMine => return self.keep_mine(),
            ReviewKey::TakeTheirs => return self.no_conflict(),
            ReviewKey::Deny => return self.ask_reason(),
            ReviewKey::ApproveSame => return self.approve_same(),
            ReviewKey::ApproveAll => return self.approve_all(),
            ReviewKey::ApproveProved => return self.approve_proved(),
            ReviewKey::Fold => return self.toggle_fold(),
            ReviewKey::FoldAll => return self.toggle_folds(),
            ReviewKey::DenyAll => return self.ask_reason_for_all(),
            ReviewKey::Submit => return self.submit_marked(),
            ReviewKey::Tool(tool) => return self.use_tool(tool, confirmed),
            ReviewKey::Lines(key) => return self.lines_key(key, confirmed),
        }
        Outcome::Handled
    }

    fn replace(&mut self, files: Vec<ProposalView>) -> Vec<Dropped> {
        let selected = self.list.selected_hunk().map(|hunk| hunk.id);
        let mut dropped = self.verdicts.marks.carry_over(self.list.files(), &files);
        let is_known = news::is_known(self.list.files(), &files);
        self.news |= !is_known;
        self.colours.relist(self.list.files(), &files);
        let before = self.list.set(files);
        self.tree.set(self.list.files());
        self.folds.relist(self.list.files());
        self.context.relist(&before, self.list.files());
        self.search.refresh(self.list.files());
        self.lines
            .iter_mut()
            .for_each(|lines| lines.relist(&self.list));
        self.verdicts.restore_marks(&self.list);
        self.refilter();
        self.verdicts.rebase_comments(&self.list);
        self.verdicts.drop_question();
        self.diff.relist(&before, &self.list);
        dropped.extend(self.drop_unproved(&before));
        let marks = &self.verdicts.marks;
        let needs_verdict = |_: &ProposalView, hunk: &HunkView| {
            Some(hunk.id) == selected && hunk.status.is_open() && marks.get(hunk.id).is_none()
        };
        match self.list.find(needs_verdict) {
            Some(place) => {
                self.list.select(place);
                self.reveal();
            }
            None => self.select(self.next_open(HunkPlace::default()).unwrap_or_default()),
        }
        // A key meant for what is on the screen still does what it says there.
        let is_same = self.list.selected_hunk().map(|hunk| hunk.id) == selected;
        self.diff.keep_drawn(is_known && is_same);
        dropped
    }
}

fn say(line: &str) -> Outcome {
    Outcome::Say(line.to_owned())
}
