//! Diff page: what changes come to, file by file, to be read and not to be decided on.
//!
//! In: a scope, the diffs of its files once they are told, keys, a size. Out: rows. Only files near the screen are laid out.

use std::collections::HashMap;

use signoff_core::id::{HunkId, ProposalId};
use signoff_core::plural::counted;
use signoff_core::stage::review::{
    DiffHunk, DiffScope, FileDiff, HunkStatus, HunkView, ProposalView, Proposer, ScopedDiff,
};

use super::KeyNames;
use super::arrangement::{DiffFormat, SPLIT_LEAST};
use super::comments::HunkNotes;
use super::diff::{Diff, DiffItem, DiffSource};
use super::diff_pane::RowPlace;
use super::hunk_lines;
use super::review_file::ReviewFile;
use super::rows::MARGIN;
use crate::response::Response;
use crate::row_window::WHEEL_ROWS;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// From this width on the two sides are side by side, as in the review.
const SPLIT_FROM: usize = 160;

/// So many files stay laid out.
const KEPT: usize = 64;

/// A diff on the screen.
#[derive(Debug)]
pub struct DiffPage {
    scope: DiffScope,
    /// What the page is called.
    name: String,
    /// What was told; nothing until then.
    told: Option<Told>,
    /// True if the diff is to be asked for.
    is_stale: bool,
    /// True while it is asked for.
    is_asked: bool,
    /// True if the page lies over the history.
    pub is_over_history: bool,
    split: Option<bool>,
    width: usize,
    room: usize,
    top: RowPlace,
    laid: HashMap<usize, Diff>,
    rows: Vec<Row>,
}

/// The diff as it was told.
#[derive(Debug, Default)]
struct Told {
    files: Vec<ReviewFile>,
    diffs: Vec<FileSummary>,
    left_out: Vec<(String, String)>,
}

/// What is said of a file above its diff.
#[derive(Debug)]
struct FileSummary {
    note: Option<String>,
    lines: (u32, u32),
}

impl DiffPage {
    /// Returns the page of a scope, which is yet to be asked for.
    pub fn new(scope: DiffScope, name: impl Into<String>) -> Self {
        Self {
            scope,
            name: name.into(),
            told: None,
            is_stale: true,
            is_asked: false,
            is_over_history: false,
            split: None,
            width: 0,
            room: 1,
            top: RowPlace::default(),
            laid: HashMap::new(),
            rows: Vec::new(),
        }
    }

    /// Returns the page of what waits, of the last turn, or of the conversation.
    pub fn of(scope: DiffScope) -> Self {
        let name = match scope {
            DiffScope::Waiting => "What waits",
            DiffScope::LastTurn => "Last turn that changed anything",
            DiffScope::Conversation => "This conversation",
            DiffScope::Entries { .. } => "Written",
            DiffScope::Denied { .. } => "Denied",
        };
        Self::new(scope, name)
    }

    /// Takes over that files or staged work changed. What is written in history stays as it is.
    pub fn outdate(&mut self) {
        let stays = matches!(
            self.scope,
            DiffScope::Entries { .. } | DiffScope::Denied { .. }
        );
        self.is_stale |= !stays;
    }

    /// Returns the scope if its diff is to be asked for now.
    pub fn wanted(&mut self) -> Option<DiffScope> {
        let wanted = self.is_stale && !self.is_asked;
        if wanted {
            (self.is_stale, self.is_asked) = (false, true);
        }
        wanted.then(|| self.scope.clone())
    }

    /// Takes over a diff, if it is the one that was asked for. The page stays where it is.
    pub fn take(&mut self, diff: ScopedDiff) {
        if diff.scope != self.scope {
            return;
        }
        self.is_asked = false;
        let mut told = Told {
            left_out: diff.left_out,
            ..Told::default()
        };
        for (number, file) in (0..).zip(diff.files) {
            told.diffs.push(FileSummary {
                lines: file.lines(),
                note: file.note.clone(),
            });
            told.files.push(ReviewFile::new(vec![view(number, file)]));
        }
        self.told = Some(told);
        self.laid.clear();
    }

    /// Returns what the page is called, with how much it has.
    pub fn title(&self) -> String {
        let Some(told) = &self.told else {
            return self.name.clone();
        };
        let sum = told.diffs.iter().fold((0, 0), |sum, file| {
            (sum.0 + file.lines.0, sum.1 + file.lines.1)
        });
        let files = told.files.len();
        let mut title = format!("{}  {}", self.name, counted(files, "file"));
        if files > 0 {
            title += &format!("  +{} -{}", sum.0, sum.1);
        }
        if files > 1 {
            title += &format!("  {}/{files}", (self.top.file + 1).min(files));
        }
        title
    }

    /// Goes one row on.
    pub fn go_down(&mut self) -> Response {
        self.go_on(1)
    }

    /// Goes one row back.
    pub fn go_up(&mut self) -> Response {
        self.go_back(1)
    }

    /// Goes one screen on.
    pub fn page_down(&mut self) -> Response {
        self.go_on(self.page())
    }

    /// Goes one screen back.
    pub fn page_up(&mut self) -> Response {
        self.go_back(self.page())
    }

    /// Goes to the next file.
    pub fn next_file(&mut self) -> Response {
        self.go_to(RowPlace {
            file: self.top.file + 1,
            row: 0,
        })
    }

    /// Goes to the start of the file, or to the file before.
    pub fn previous_file(&mut self) -> Response {
        let above = usize::from(self.top.row == 0);
        self.go_to(RowPlace {
            file: self.top.file.saturating_sub(above),
            row: 0,
        })
    }

    /// Goes to the first row.
    pub fn go_to_top(&mut self) -> Response {
        self.go_to(RowPlace::default())
    }

    /// Goes to the last row.
    pub fn go_to_bottom(&mut self) -> Response {
        self.go_to(RowPlace {
            file: self.files().len(),
            row: 0,
        })
    }

    /// Goes to a row; a place behind the last one is mended when the page is laid out.
    fn go_to(&mut self, top: RowPlace) -> Response {
        self.top = top;
        Response::Handled
    }

    /// Returns how many rows a screen goes on: one row stays in sight.
    fn page(&self) -> usize {
        self.room.saturating_sub(1).max(1)
    }

    /// Shows old and new side by side, or stacked.
    pub fn toggle_sides(&mut self) -> Response {
        let is_split = self.format().is_split;
        self.split = Some(!is_split);
        self.laid.clear();
        if !is_split && !self.format().is_split {
            return Response::say("Too narrow for side by side: shown once the window is wider");
        }
        Response::Handled
    }

    /// Scrolls by a notch of the wheel.
    pub fn wheel(&mut self, down: bool) {
        if down {
            self.go_on(WHEEL_ROWS);
        } else {
            self.go_back(WHEEL_ROWS);
        }
    }

    fn go_on(&mut self, rows: usize) -> Response {
        self.top = self.down(self.top, rows);
        Response::Handled
    }

    fn go_back(&mut self, rows: usize) -> Response {
        self.top = self.up(self.top, rows);
        Response::Handled
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub fn lay_out(&mut self, width: usize, room: usize) {
        if self.width != width {
            self.laid.clear();
        }
        (self.width, self.room) = (width, room.max(1));
        if self.laid.len() > KEPT {
            let near = self.top.file.saturating_sub(1)..=self.top.file + 1;
            self.laid.retain(|file, _| near.contains(file));
        }
        let end = RowPlace {
            file: self.files().len(),
            row: 0,
        };
        let last = self.up(end, self.room);
        self.top = self.top.min(last);
        self.rows = self.drawn();
    }

    /// Returns the rows that were decided on.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    fn files(&self) -> &[ReviewFile] {
        self.told.as_ref().map_or(&[], |told| &told.files)
    }

    fn format(&self) -> DiffFormat {
        let width = self.width.saturating_sub(MARGIN);
        let wanted = self.split.unwrap_or(self.width >= SPLIT_FROM);
        DiffFormat {
            width,
            is_split: wanted && width >= SPLIT_LEAST,
            ..DiffFormat::default()
        }
    }

    /// Returns how many rows a file has.
    fn len(&mut self, file: usize) -> usize {
        self.lay_out_file(file);
        self.laid.get(&file).map_or(0, Diff::len)
    }

    fn lay_out_file(&mut self, file: usize) {
        if self.laid.contains_key(&file) {
            return;
        }
        let format = self.format();
        let diff = self.with_source(file, |source| Diff::new(source, format));
        if let Some(diff) = diff {
            self.laid.insert(file, diff);
        }
    }

    fn with_source<R>(&self, file: usize, on: impl FnOnce(&DiffSource<'_>) -> R) -> Option<R> {
        let told = self.told.as_ref()?;
        let summary = told.diffs.get(file)?;
        Some(on(&DiffSource {
            file: told.files.get(file)?,
            title: &|file| title_rows(file, summary),
            about: &|_| Vec::new(),
            names: &KeyNames::default(),
            edited: &HashMap::new(),
            off: None,
            found: &|_| Vec::new(),
            around: &|_| [&[], &[]],
            is_folded: &|_, _| false,
            notes: &|_, _| HunkNotes::default(),
            has_next: true,
        }))
    }

    /// Returns the place so many rows on; at most the one behind the last row.
    fn down(&mut self, from: RowPlace, rows: usize) -> RowPlace {
        let mut at = RowPlace {
            row: from.row + rows,
            ..from
        };
        while at.file < self.files().len() {
            let len = self.len(at.file);
            if at.row < len {
                return at;
            }
            at = RowPlace {
                file: at.file + 1,
                row: at.row - len,
            };
        }
        RowPlace { row: 0, ..at }
    }

    /// Returns the place so many rows back; at least the first row.
    fn up(&mut self, from: RowPlace, rows: usize) -> RowPlace {
        let mut at = from;
        let mut left = rows;
        while at.row < left {
            left -= at.row;
            let Some(above) = at.file.checked_sub(1) else {
                return RowPlace::default();
            };
            at = RowPlace {
                file: above,
                row: self.len(above),
            };
        }
        RowPlace {
            row: at.row - left,
            ..at
        }
    }

    fn drawn(&mut self) -> Vec<Row> {
        let Some(told) = &self.told else {
            return vec![Row::new(Role::Dim, "Comparing...")];
        };
        let mut rows: Vec<Row> = Vec::new();
        let left_out = told.left_out.iter().map(|(path, why)| {
            Row::new(Role::Warn, "! ").with(Role::Warn, &format!("{path} is not shown: {why}"))
        });
        let said = if told.files.is_empty() {
            Some(Row::new(Role::Dim, nothing(&self.scope)))
        } else {
            None
        };
        let said: Vec<Row> = left_out.chain(said).collect();
        if self.top == RowPlace::default() {
            let wrapped = said.iter();
            rows.extend(wrapped.flat_map(|row| wrap::wrap(row, self.width, 2, Break::Words)));
        }
        let mut at = self.top;
        while rows.len() < self.room && at.file < self.files().len() {
            let len = self.len(at.file);
            self.draw_file(at, len, &mut rows);
            at = RowPlace {
                file: at.file + 1,
                row: 0,
            };
        }
        rows.truncate(self.room);
        rows
    }

    /// Appends rows of a file from one on, until the screen is full.
    fn draw_file(&self, at: RowPlace, len: usize, rows: &mut Vec<Row>) {
        let Some(diff) = self.laid.get(&at.file) else {
            return;
        };
        let mut row = at.row;
        while row < len && rows.len() < self.room {
            let element = diff.element_at(row);
            let own = diff.rows_of(element);
            let drawn = self.with_source(at.file, |source| {
                if !diff.is_head(element) {
                    return diff.draw(source, element, &[]).rows;
                }
                let hunk = match diff.item_of(element) {
                    Some(DiffItem::Hunk(hunk)) => source.file.hunk(hunk),
                    Some(DiffItem::Title | DiffItem::About(_)) | None => None,
                };
                let head = hunk.map(|hunk| {
                    let counts = (hunk.added, hunk.removed);
                    hunk_lines::head(hunk, counts, self.width, self.width.saturating_sub(2))
                });
                head.into_iter().collect()
            });
            let skipped = row - own.start;
            let shown = drawn.unwrap_or_default().into_iter().skip(skipped);
            rows.extend(shown.map(|content| {
                let mut row = Row::new(Role::Text, "  ");
                row.append(&content);
                row.clipped(self.width)
            }));
            row = own.end.max(row + 1);
        }
    }
}

/// Returns what is said if there is no change.
fn nothing(scope: &DiffScope) -> &'static str {
    match scope {
        DiffScope::Waiting => "Nothing waits for a verdict.",
        DiffScope::LastTurn => "No turn of this conversation has changed anything.",
        DiffScope::Conversation => "No change of this conversation is left in the files.",
        DiffScope::Entries { .. } | DiffScope::Denied { .. } => {
            "The history does not keep this change any more."
        }
    }
}

/// Returns what is said above a file's diff.
fn title_rows(file: &ReviewFile, summary: &FileSummary) -> Vec<Row> {
    let mut title = Row::new(Role::Strong, file.path());
    if let Some(to) = file.to() {
        title.push(Role::Warn, " to ");
        title.push(Role::Strong, to);
    }
    title.push(Role::Dim, "  ");
    title.push(Role::Added, &format!("+{}", summary.lines.0));
    title.push(Role::Text, " ");
    title.push(Role::Removed, &format!("-{}", summary.lines.1));
    let operation = file.proposals().first().map(|own| own.operation);
    if let Some(banner) = operation.and_then(hunk_lines::banner) {
        title.push(Role::Text, "  ");
        title.push(Role::Warn, banner);
    }
    let note = summary.note.as_ref();
    let note = note.map(|note| Row::new(Role::Warn, "! ").with(Role::Warn, note));
    [title].into_iter().chain(note).collect()
}

/// Returns a file's diff as the review lays it out.
fn view(number: u128, file: FileDiff) -> ProposalView {
    let id = ProposalId(uuid::Uuid::from_u128(number));
    let hunk = |(hunk, number): (DiffHunk, u32)| HunkView {
        id: HunkId {
            proposal: id,
            number,
        },
        header: hunk.header,
        status: HunkStatus::Pending,
        lines: hunk.lines,
        added: hunk.added,
        removed: hunk.removed,
        ..HunkView::default()
    };
    let (path, to) = match file.from {
        Some(from) => (from, Some(file.path)),
        None => (file.path, None),
    };
    ProposalView {
        id,
        path,
        to,
        operation: file.operation,
        proposer: Proposer::User,
        hunks: file.hunks.into_iter().zip(1..).map(hunk).collect(),
        ..ProposalView::default()
    }
}
