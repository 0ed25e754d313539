//! Sign-off page: what the marks come to, before anything is written.
//!
//! In: the review list, the marks, what checks found; keys that scroll. Out: rows, and the rulings that they tell of.
//! Verdicts that write are handed over from here alone; those that only deny need no page.
//!
//! ```text
//! To be written: 3 hunks in 2 files  +14 -6
//!   ✓ src/a.rs  2 hunks  +13 -6
//!       1 hunk with your text
//!   ✓ build.sh  1 hunk  +1 -0
//!       ! a program runs it
//! Your text:
//!   ! src/a.rs: line 3, column 9: new syntax error: expected expression [syntax]
//! Denied: 1 hunk
//!   ✗ src/b.rs  too long
//! checks: 1 new error
//!   pytest (tests/test_a.py): 4 passed, 1 newly failed, 0.6 s
//!   ! tests/test_a.py: error: the test tests/test_a.py::test_sum fails: assert 3 == 4 (pytest)
//! ```

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use signoff_core::edit::intent::Operation;
use signoff_core::engine::OwnTextAlarms;
use signoff_core::id::{ChangesetId, HunkId};
use signoff_core::plural::counted;
use signoff_core::stage::review::{
    AfterApproval, DeniedLines, HunkStatus, HunkView, ProposalView, Ruling, Verdict,
};

use super::KeyNames;
use super::checks::Checks;
use super::commits::{self, is_card};
use super::edited;
use super::history::History;
use super::list::ReviewList;
use super::marks::Marks;
use super::review_file::ReviewFile;
use super::scene::Scene;
use super::words::deed;
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// How far a sign-off is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignOffStage {
    /// Enter writes.
    Ready,
    /// The verdicts were handed over.
    Sent,
    /// They were carried out.
    Written,
}

/// How far the check of texts is that the user wrote in place of a hunk's.
#[derive(Clone, Debug)]
enum OwnTextCheck {
    /// There are none.
    None,
    /// It is to be asked for.
    Wanted,
    /// It was asked for.
    Asked,
    /// It found this.
    Found(Vec<Row>),
}

impl OwnTextCheck {
    fn rows(&self) -> Vec<Row> {
        match self {
            Self::None => Vec::new(),
            Self::Wanted | Self::Asked => vec![Row::new(Role::Dim, "Your text: being checked")],
            Self::Found(rows) => rows.clone(),
        }
    }
}

/// What is about to be written, or was.
#[derive(Clone, Debug)]
pub struct SignOffPage {
    stage: SignOffStage,
    /// What Enter hands over.
    rulings: Vec<Ruling>,
    /// What was chosen for the model, before the page opened.
    after: Option<AfterApproval>,
    /// The changesets that what is written belongs to: each is taken back by itself.
    changesets: HashSet<ChangesetId>,
    /// True if an earlier sign-off wrote some of them.
    is_continued: bool,
    /// What the key is called that takes back what was written.
    undo: Cow<'static, str>,
    /// One row a statement, of any width.
    said: Vec<Row>,
    own_text: OwnTextCheck,
    /// After so many rows of `said` stands what was found in the user's text.
    found_at: usize,
    /// The same for a width, once laid out.
    rows: Vec<Row>,
    window: RowWindow,
    /// Whether its last row was on the screen.
    is_read: bool,
}

impl SignOffPage {
    /// Returns what these marks come to.
    pub(super) fn new(scene: Scene<'_>, after: Option<AfterApproval>) -> Self {
        let (list, marks) = (scene.list(), scene.marks());
        let mut to_be_written = to_be_written(scene);
        let found_at = to_be_written.len();
        to_be_written.extend(commits::to_be_made(scene));
        let rulings = marks.rulings(list.hunks());
        let is_edited = |ruling: &Ruling| matches!(ruling.verdict, Verdict::ApproveEdited { .. });
        Self {
            stage: SignOffStage::Ready,
            own_text: if rulings.iter().any(is_edited) {
                OwnTextCheck::Wanted
            } else {
                OwnTextCheck::None
            },
            rulings,
            after,
            changesets: changesets(scene),
            is_continued: false,
            said: said(scene, to_be_written, after),
            found_at,
            undo: scene.subject.names().undo_written.clone(),
            rows: Vec::new(),
            window: RowWindow::default(),
            is_read: false,
        }
    }

    /// Returns how far it is.
    pub fn stage(&self) -> SignOffStage {
        self.stage
    }

    /// Returns what was chosen for the model before the page opened.
    pub fn after(&self) -> Option<AfterApproval> {
        self.after
    }

    /// Returns true if this says the same, and hands the same over. What the engine compares beside, as the text of the file
    /// elsewhere, is not on the page.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let given = |page: &Self| -> Vec<(HunkId, Verdict)> {
            let rulings = page.rulings.iter();
            rulings.map(|own| (own.hunk, own.verdict.clone())).collect()
        };
        given(self) == given(other) && self.said == other.said
    }

    /// Returns true if nothing is left to be handed over.
    pub fn is_void(&self) -> bool {
        self.rulings.is_empty()
    }

    /// Takes over that the verdicts were handed over, while the history has what was written before.
    pub fn sent(&mut self, history: &History) {
        self.stage = SignOffStage::Sent;
        self.is_continued = (self.changesets.iter()).any(|own| history.is_in_effect(*own));
    }

    /// Takes over what was written.
    pub fn written(&mut self, mut said: Vec<Row>) {
        said.push(Row::default());
        let takes = match self.changesets.len() {
            0 | 1 if self.is_continued => {
                " reverts all of the change, what was written of it before too   ".to_owned()
            }
            0 | 1 => " reverts all of it   ".to_owned(),
            count => format!(" reverts the last of {count} changes, /undo the one before   "),
        };
        said.push(
            Row::new(Role::Key, &self.undo)
                .with(Role::Text, &takes)
                .with(Role::Key, "Esc")
                .with(Role::Text, " closes"),
        );
        *self = Self {
            stage: SignOffStage::Written,
            rulings: Vec::new(),
            after: None,
            changesets: std::mem::take(&mut self.changesets),
            is_continued: self.is_continued,
            undo: self.undo.clone(),
            said,
            own_text: OwnTextCheck::None,
            found_at: 0,
            rows: Vec::new(),
            window: RowWindow::default(),
            is_read: false,
        };
    }

    /// Returns once the verdicts that write texts of the user's, to be asked what guards find in those.
    pub fn wanted(&mut self) -> Option<Vec<Ruling>> {
        let is_wanted = matches!(self.own_text, OwnTextCheck::Wanted);
        is_wanted.then(|| {
            self.own_text = OwnTextCheck::Asked;
            self.rulings.clone()
        })
    }

    /// Returns true if it does not say yet what was found in a text of the user's.
    pub fn is_checking(&self) -> bool {
        matches!(self.own_text, OwnTextCheck::Wanted | OwnTextCheck::Asked)
    }

    /// Takes over what was found in texts of the user's that these verdicts write; false if it says something else.
    pub fn take_found(
        &mut self,
        rulings: &[Ruling],
        found: &Result<Vec<OwnTextAlarms>, String>,
    ) -> bool {
        if !self.is_checking() || rulings != self.rulings {
            return false;
        }
        self.own_text = OwnTextCheck::Found(found_rows(found));
        true
    }

    /// Returns what the page is called.
    pub fn title(&self) -> String {
        let name = match self.stage {
            SignOffStage::Ready => "Sign off",
            SignOffStage::Sent => "Writing",
            SignOffStage::Written => "Written",
        };
        format!("{name}{}", self.window.position(self.rows.len()))
    }

    /// Moves by a screen, or to an end.
    pub fn scroll(&mut self, scroll: Scroll) {
        self.window.scroll(scroll);
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub fn lay_out(&mut self, width: usize, room: usize) {
        const HANG: usize = 6;
        let found = self.own_text.rows();
        let before = self.said.iter().take(self.found_at);
        let after = self.said.iter().skip(self.found_at);
        let said = before.chain(&found).chain(after);
        let rows = said.flat_map(|row| wrap::wrap(row, width, HANG, Break::Words));
        self.rows = rows.collect();
        self.window.fit(self.rows.len(), room);
        self.is_read |= self.window.is_at_end(self.rows.len());
    }

    /// Returns whether all of it was on the screen.
    pub fn is_read(&self) -> bool {
        self.is_read
    }

    /// Returns the rows that were decided on.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.window.of(&self.rows)
    }
}

/// Counts of hunks and of their lines.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    hunks: usize,
    added: u32,
    removed: u32,
}

impl Sum {
    fn of<'a>(hunks: impl Iterator<Item = &'a HunkView>, marks: &Marks) -> Self {
        hunks.fold(Self::default(), |sum, hunk| {
            let (added, removed) = edited::counts(hunk, marks);
            Self {
                hunks: sum.hunks + 1,
                added: sum.added.saturating_add(added),
                removed: sum.removed.saturating_add(removed),
            }
        })
    }

    fn lines(self, row: &mut Row) {
        row.push(Role::Good, &format!("+{}", self.added));
        row.push(Role::Text, " ");
        row.push(Role::Bad, &format!("-{}", self.removed));
    }
}

fn said(scene: Scene<'_>, mut rows: Vec<Row>, after: Option<AfterApproval>) -> Vec<Row> {
    let (list, marks) = (scene.list(), scene.marks());
    let denied = denied(list, marks);
    let waits = |hunk: &&HunkView| hunk.status.is_open() && marks.get(hunk.id).is_none();
    let left = list.hunks().filter(waits).count();
    let untested = Untested {
        is_partial: !denied.is_empty() || left > 0 || has_text(scene, is_part),
        has_own_text: has_text(scene, |hunk, text| !is_part(hunk, text)),
    };
    rows.extend(denied);
    if left > 0 {
        let undisplayed = list
            .hunks()
            .filter(|hunk| waits(hunk) && hunk.undisplayed.is_some());
        let why = match undisplayed.count() {
            0 => String::new(),
            all if all == left => ", not displayed".to_owned(),
            some => format!(", {some} of them not displayed"),
        };
        let text = format!("Left as it is: {}{why}", counted(left, "hunk"));
        rows.push(Row::new(Role::Warn, &text));
    }
    let checks = scene.subject.checks();
    rows.push(checked(checks, untested, scene.subject.names()));
    let tests = checks.page().iter();
    rows.extend(tests.map(|(role, text)| Row::new(Role::Dim, "  ").with(*role, text)));
    rows.extend(contradicted(&scene.subject.contradicted));
    let comments = scene.subject.verdicts.comments.count();
    if comments > 0 {
        let go = if comments == 1 { "goes" } else { "go" };
        let text = format!("{} {go} to the model", counted(comments, "comment"));
        rows.push(Row::new(Role::Text, &text));
    }
    rows.push(Row::default());
    rows.push(keys((after, scene.subject.goes_on), scene.subject.names()));
    rows
}

/// How what is about to be written differs from all that was staged, which checks ran on.
#[derive(Clone, Copy, Debug)]
struct Untested {
    /// Something of it is not written.
    is_partial: bool,
    /// The user's text takes the place of a hunk's.
    has_own_text: bool,
}

/// Returns true if a hunk is approved with a text in the place of its own that is meant.
fn has_text(scene: Scene<'_>, is_meant: impl Fn(&HunkView, &str) -> bool) -> bool {
    let marks = scene.marks();
    let mut approved = scene.list().hunks().filter(|hunk| is_approved(marks, hunk));
    approved.any(|hunk| match marks.get(hunk.id) {
        Some(Verdict::ApproveEdited { text, .. }) => is_meant(hunk, text),
        _ => false,
    })
}

/// Returns what is said of what guards found in texts of the user's. They are written all the same.
fn found_rows(found: &Result<Vec<OwnTextAlarms>, String>) -> Vec<Row> {
    let warning = |text: &str| Row::new(Role::Warn, "  ! ").with(Role::Warn, text);
    match found {
        Ok(files) if files.is_empty() => {
            vec![Row::new(Role::Dim, "Your text: nothing was found in it")]
        }
        Ok(files) => {
            let alarms = files.iter().flat_map(|file| {
                let each = file.alarms.iter();
                each.map(move |alarm| warning(&format!("{}: {alarm}", file.path)))
            });
            let head = Row::new(Role::Strong, "Your text:");
            std::iter::once(head).chain(alarms).collect()
        }
        Err(why) => vec![warning(&format!("Your text was not checked: {why}"))],
    }
}

/// Returns the changesets that the approved hunks belong to.
fn changesets(scene: Scene<'_>) -> HashSet<ChangesetId> {
    let written = scene.list().entries().filter(|(own, hunk)| {
        is_approved(scene.marks(), hunk) && !is_card(&scene.subject.commits, own.id)
    });
    written.map(|(own, _)| own.changeset).collect()
}

pub(super) fn is_approved(marks: &Marks, hunk: &HunkView) -> bool {
    matches!(
        marks.get(hunk.id),
        Some(Verdict::Approve | Verdict::ApproveEdited { .. })
    ) && !marks.is_sent(hunk.id)
}

fn to_be_written(scene: Scene<'_>) -> Vec<Row> {
    let (list, marks) = (scene.list(), scene.marks());
    let approved = |hunk: &&HunkView| is_approved(marks, hunk);
    let files = list.files().iter();
    let files = files.filter(|file| !file.is_card() && file.hunks().any(|hunk| approved(&hunk)));
    let files: Vec<&ReviewFile> = files.collect();
    if files.is_empty() {
        return Vec::new();
    }
    let written = files.iter().flat_map(|file| file.hunks()).filter(approved);
    let sum = Sum::of(written, marks);
    let mut head = Row::new(
        Role::Strong,
        &format!(
            "To be written: {} in {}  ",
            counted(sum.hunks, "hunk"),
            counted(files.len(), "file")
        ),
    );
    sum.lines(&mut head);
    let mut rows = vec![head];
    for file in files {
        rows.push(file_row(file, marks));
        rows.extend(remarks(file, marks));
        rows.extend(folded(file, scene));
    }
    rows
}

fn file_row(file: &ReviewFile, marks: &Marks) -> Row {
    let written = written(file, marks);
    let sum = Sum::of(file.hunks().filter(|hunk| is_approved(marks, hunk)), marks);
    let mut row = Row::new(Role::Good, "  ✓ ").with(Role::Text, file.path());
    let mut moves = written.iter().rev();
    if let Some(to) = moves.find_map(|own| own.to.as_ref()) {
        row.push(Role::Warn, " to ");
        row.push(Role::Text, to);
    }
    let mut deeds: Vec<String> = Vec::new();
    for own in written
        .iter()
        .filter(|own| own.operation != Operation::Modify)
    {
        let deed = deed(own.operation);
        if !deeds.contains(&deed) {
            row.push(Role::Warn, &format!("  {deed}"));
            deeds.push(deed);
        }
    }
    row.push(Role::Dim, &format!("  {}  ", counted(sum.hunks, "hunk")));
    sum.lines(&mut row);
    row
}

/// Returns the proposals about a file of which something is written.
fn written<'f>(file: &'f ReviewFile, marks: &Marks) -> Vec<&'f ProposalView> {
    let proposals = file.proposals().iter().map(Arc::as_ref);
    let written = proposals.filter(|own| own.hunks.iter().any(|hunk| is_approved(marks, hunk)));
    written.collect()
}

/// Returns what must not be missed of what is written to a file.
fn remarks(file: &ReviewFile, marks: &Marks) -> Vec<Row> {
    let approved = || file.hunks().filter(|hunk| is_approved(marks, hunk));
    let edited = approved().filter_map(|hunk| match marks.get(hunk.id) {
        Some(Verdict::ApproveEdited { text, .. }) => Some((hunk, text)),
        _ => None,
    });
    let (parts, texts): (Vec<_>, Vec<_>) = edited.partition(|(hunk, text)| is_part(hunk, text));
    let over = approved().filter(|hunk| matches!(hunk.status, HunkStatus::Conflict { .. }));
    let count = |count: usize, words: &str| {
        (count > 0).then(|| format!("{} {words}", counted(count, "hunk")))
    };
    let mut warned: Vec<String> = Vec::new();
    for own in written(file, marks) {
        let guess = own.placed.clone().filter(|_| own.is_guess);
        let said = own.runs.clone().into_iter().chain(own.held.clone());
        // What the user's text does to line endings, its lines show.
        let is_edited = own
            .hunks
            .iter()
            .any(|hunk| matches!(marks.get(hunk.id), Some(Verdict::ApproveEdited { .. })));
        let ends = own.effect.line_ends.told();
        let effects = own.effect.told().into_iter().map(|text| {
            if is_edited && ends.contains(&text) {
                format!("before your edit: {text}")
            } else {
                text
            }
        });
        for text in said.chain(guess).chain(effects) {
            if !warned.contains(&text) {
                warned.push(text);
            }
        }
    }
    let on_own_text = approved().filter(|hunk| builds_on_own_text(hunk, marks));
    let warned = warned.into_iter();
    let warned = warned.chain(count(over.count(), "written over your lines"));
    let warned = warned.chain(count(
        on_own_text.count(),
        "not written if your text takes its lines away: made on a hunk that you edited",
    ));
    let undisplayed = approved().filter_map(|hunk| hunk.undisplayed.as_ref());
    let warned = warned.chain(undisplayed.map(ToString::to_string));
    let warned = warned.map(|text| Row::new(Role::Warn, "      ! ").with(Role::Warn, &text));
    let told = [
        count(parts.len(), "in part"),
        count(texts.len(), "with your text"),
    ];
    let told = told.into_iter().flatten();
    let told = told.map(|text| Row::new(Role::Text, "      ").with(Role::Text, &text));
    warned.chain(told).collect()
}

/// Returns true if a hunk was made on the lines of one that is approved with a text of the user's: whether it still fits is
/// known once that is written.
fn builds_on_own_text(hunk: &HunkView, marks: &Marks) -> bool {
    let below = hunk.place.as_ref().and_then(|place| place.builds_on);
    below.is_some_and(|below| {
        matches!(marks.get(below), Some(Verdict::ApproveEdited { .. })) && !marks.is_sent(below)
    })
}

/// Returns true if a text in the place of a hunk's has no line that the hunk has not, as where lines of it were selected.
fn is_part(hunk: &HunkView, text: &str) -> bool {
    let own: HashSet<&str> = hunk.lines.iter().map(|line| line.text.as_str()).collect();
    text.lines().all(|line| own.contains(line))
}

/// Returns what was approved without being opened, by what it is proved to be.
fn folded(file: &ReviewFile, scene: Scene<'_>) -> Vec<Row> {
    let mut told: Vec<(String, usize)> = Vec::new();
    let approved = file.entries();
    for (own, hunk) in approved.filter(|(_, hunk)| is_approved(scene.marks(), hunk)) {
        let Some(words) = scene.fold(own, hunk) else {
            continue;
        };
        let words = words.to_string();
        match told.iter_mut().find(|(own, _)| *own == words) {
            Some((_, hunks)) => *hunks += 1,
            None => told.push((words, 1)),
        }
    }
    let row = |(words, hunks): (String, usize)| {
        let mut row = Row::new(
            Role::Dim,
            &format!("      {} folded: ", counted(hunks, "hunk")),
        );
        row.push_counted(Role::Text, &words);
        row
    };
    told.into_iter().map(row).collect()
}

fn denied(list: &ReviewList, marks: &Marks) -> Vec<Row> {
    let mut rows = Vec::new();
    // Lines are those of hunks of which the rest is approved.
    let (mut hunks, mut lines_of_hunks) = (0, 0);
    for file in list.files() {
        let mut reasons: Vec<(&str, &str, usize)> = Vec::new();
        for hunk in file.hunks().filter(|hunk| !marks.is_sent(hunk.id)) {
            let (noun, reason, count) = match marks.get(hunk.id) {
                Some(Verdict::Deny { reason }) => {
                    hunks += 1;
                    ("hunk", reason, 1)
                }
                Some(Verdict::ApproveEdited {
                    denied: Some(DeniedLines { lines, reason }),
                    ..
                }) => {
                    lines_of_hunks += lines.len();
                    ("line", reason, lines.len())
                }
                Some(Verdict::Approve | Verdict::ApproveEdited { .. }) | None => continue,
            };
            let reason = reason.as_deref().unwrap_or("no reason given");
            let mut known = reasons.iter_mut();
            match known.find(|(own, why, _)| (*own, *why) == (noun, reason)) {
                Some((_, _, all)) => *all += count,
                None => reasons.push((noun, reason, count)),
            }
        }
        rows.extend(reasons.into_iter().map(|(noun, reason, count)| {
            Row::new(Role::Bad, "  ✗ ")
                .with(Role::Text, file.path())
                .with(Role::Dim, &format!("  {}  ", counted(count, noun)))
                .with(Role::Text, reason)
        }));
    }
    let told = [(hunks, "hunk"), (lines_of_hunks, "line")].into_iter();
    let told = told.filter(|(count, _)| *count > 0);
    let told: Vec<String> = told.map(|(count, noun)| counted(count, noun)).collect();
    if !told.is_empty() {
        let head = format!("Denied: {}", told.join(", "));
        rows.insert(0, Row::new(Role::Strong, &head));
    }
    rows
}

/// Returns what checks have found, and the key that has all tests run. They looked at all that was staged, what is denied now
/// included, and at the model's text.
fn checked(checks: &Checks, untested: Untested, names: &KeyNames) -> Row {
    let mut row = match checks.title() {
        Some((role, words)) => Row::new(role, &words),
        None => Row::new(Role::Dim, "checks: none ran"),
    };
    let caveat = match (untested.is_partial, untested.has_own_text) {
        (false, false) => "",
        (true, false) => ", run on all staged changes and not on this part alone",
        (false, true) => ", run on the model's text and not on your text",
        (true, true) => ", run on all staged changes and not on this part alone, nor on your text",
    };
    if checks.found().is_some() {
        row.push(Role::Dim, caveat);
    }
    row.push(Role::Text, "   ");
    row.with(Role::Key, &names.test_all)
        .with(Role::Text, " runs all tests")
}

/// Returns which sentences of the model's do not hold; more than a few stand in the transcript.
fn contradicted(sentences: &[String]) -> Vec<Row> {
    const SHOWN: usize = 3;
    let head = match sentences.len() {
        0 => return Vec::new(),
        1 => "1 sentence of the model's message does not hold:".to_owned(),
        n => format!("{n} sentences of the model's message do not hold:"),
    };
    let shown = sentences.iter().take(SHOWN);
    let shown = shown.map(|text| Row::new(Role::Bad, "  ✗ ").with(Role::Text, text));
    let head = std::iter::once(Row::new(Role::Bad, &head));
    head.chain(shown).collect()
}

/// Returns what keys do; `goes_on` tells what the model does where nothing was chosen.
fn keys((after, goes_on): (Option<AfterApproval>, bool), names: &KeyNames) -> Row {
    const GOES_ON: &str = " writes, and the model goes on   ";
    const STOPS: &str = " writes, and the model stops   ";
    let writes = match after {
        Some(AfterApproval::Stop) => STOPS,
        Some(AfterApproval::GoOn) => GOES_ON,
        None | Some(AfterApproval::Auto) if goes_on => GOES_ON,
        None | Some(AfterApproval::Auto) => " writes   ",
    };
    let mut row = Row::new(Role::Key, &names.write).with(Role::Text, writes);
    let other = match after {
        None if goes_on => Some((&names.write_and_stop, STOPS)),
        None => Some((&names.write_and_continue, GOES_ON)),
        Some(_) => None,
    };
    if let Some((key, does)) = other {
        row.push(Role::Key, key);
        row.push(Role::Text, does);
    }
    row.with(Role::Key, "Esc").with(Role::Text, " goes back")
}
