//! Parser of unified diffs as models write them.
//!
//! In: text with one or more file patches, with prose and fences around it, wrong counts and
//! bare `@@`. Out: [`FilePatch`]es, each with the lines that it was read from. Nothing fails
//! here; what is no patch gives none.

use std::borrow::Cow;
use std::ops::Range;

use super::envelope;
use super::header::Headers;
use crate::edit::locate::loose::forms::unescape;
use crate::edit::locate::script::{Row, Script};
use crate::edit::plan::Presence;

/// The part of a patch that is for one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The path from the header, without `a/` or `b/`; none where there is no header.
    pub(super) path: Option<String>,
    /// What the header says of the file's existence.
    pub(super) presence: Presence,
    /// The path that it is to have, if the header gives it another one.
    pub(super) renamed: Option<String>,
    /// What the part asks for that no text of a patch can do, in words.
    pub(super) beyond: Option<&'static str>,
    pub(super) hunks: Vec<PatchHunk>,
    /// The lines of the patch that it was read from.
    pub(super) lines: Range<usize>,
}

/// One hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PatchHunk {
    /// 0-based line from the header: the first old line, or where the new lines go.
    pub(super) old_start: Option<usize>,
    /// Lines under which it stands, one below the other: those that a header names, and hunks of
    /// context alone.
    pub(super) anchors: Vec<Vec<String>>,
    /// True if it is for the end of the file.
    pub(super) at_end: bool,
    pub(super) rows: Vec<Row>,
    /// Per row, whether it is a context line whose first blank was taken for its mark.
    pub(super) marked: Vec<bool>,
    /// True if the old side ends without a newline.
    pub(super) old_open: bool,
    /// True if the new side ends without a newline.
    pub(super) open_end: bool,
}

impl FilePatch {
    /// Returns whether a hunk has begun.
    pub(super) fn has_rows(&self) -> bool {
        self.hunks.last().is_some_and(|hunk| !hunk.rows.is_empty())
    }

    /// Makes hunks of context alone what the next hunk stands under: models show the head of a function
    /// so, and then the lines of it that change. Case: `a_hunk_of_context_alone_moves_the_position_on`.
    pub(super) fn fold_context(&mut self) {
        if !self.hunks.iter().any(has_changes) {
            return;
        }
        let mut above: Vec<Vec<String>> = Vec::new();
        for mut hunk in std::mem::take(&mut self.hunks) {
            above.append(&mut hunk.anchors);
            if has_changes(&hunk) || hunk.old_open != hunk.open_end {
                hunk.anchors = std::mem::take(&mut above);
                self.hunks.push(hunk);
            } else {
                above.push(hunk.before().map(str::to_owned).collect());
            }
        }
    }

    /// Returns whether anything is asked for.
    fn says_something(&self) -> bool {
        !self.hunks.is_empty()
            || self.presence != Presence::Kept
            || self.renamed.is_some()
            || self.beyond.is_some()
    }
}

fn has_changes(hunk: &PatchHunk) -> bool {
    hunk.rows.iter().any(|row| !row.is_context())
}

impl PatchHunk {
    /// Returns the lines that must be in the file.
    pub(super) fn before(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .filter(|row| row.is_before())
            .map(Row::text)
    }

    /// Returns the lines that will be in their place.
    pub(super) fn after(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .filter(|row| !matches!(row, Row::Removed(_)))
            .map(Row::text)
    }

    /// Adds the row that was read from `line`.
    pub(super) fn push(&mut self, row: Row, line: &str) {
        self.marked.push(row.is_context() && line.starts_with(' '));
        self.rows.push(row);
    }

    /// Drops the blank lines between the hunk and what follows it, which are no context: a blank
    /// line that is has its mark. It may be all that tells the place from another.
    pub(super) fn end(&mut self) {
        while is_open(self.rows.last(), self.marked.last()) {
            self.rows.pop();
            self.marked.pop();
        }
    }

    /// Returns the rows as a change to look for.
    pub(super) fn script(&self) -> Script {
        self.settled(self.rows.clone())
    }

    /// Returns the change in rows. Where the newline at the end comes or goes, the last line goes and
    /// comes again for it.
    fn settled(&self, rows: Vec<Row>) -> Script {
        let script = Script { rows };
        if self.old_open == self.open_end {
            script.settled()
        } else {
            script
        }
    }

    /// Returns all lines as they are written, as rows that come.
    pub(super) fn as_written(&self) -> Vec<Row> {
        let rows = self.unmarked().rows.into_iter();
        rows.map(|row| Row::Added(row.text().to_owned())).collect()
    }

    /// Returns the hunk without the blank line that it shows last, if it shows others: at the end of a
    /// file it stands for the last line ending.
    pub(super) fn without_last_blank(&self) -> Option<Self> {
        let last = self.rows.iter().rposition(Row::is_before)?;
        let row = self
            .rows
            .get(last)
            .filter(|row| row.text().trim().is_empty())?;
        let mut hunk = self.clone();
        let goes = !row.is_context();
        hunk.remove(last);
        let comes = hunk
            .rows
            .iter()
            .rposition(|row| matches!(row, Row::Added(_)));
        if let Some(comes) = comes.filter(|at| goes && *at + 1 == hunk.rows.len())
            && let Some(row) = hunk.rows.get(comes)
            && row.text().trim().is_empty()
        {
            hunk.remove(comes);
        }
        let shows = hunk.before().next().is_some();
        shows.then_some(hunk)
    }

    fn remove(&mut self, at: usize) {
        self.rows.remove(at);
        self.marked.remove(at);
    }

    /// Returns the rows with the leading blank that was taken for the mark of context lines given
    /// back: some models write context lines without one.
    pub(super) fn unmarked(&self) -> Script {
        self.settled(
            self.rows
                .iter()
                .zip(&self.marked)
                .map(|(row, marked)| match marked {
                    true => row.with(format!(" {}", row.text())),
                    false => row.clone(),
                })
                .collect(),
        )
    }

    /// Returns the rows with blank lines among those that come as such, where they lost their mark;
    /// none if there are none.
    pub(super) fn filled(&self) -> Option<Script> {
        let mut below = false;
        let mut lost = Vec::with_capacity(self.rows.len());
        for (index, row) in self.rows.iter().enumerate().rev() {
            let blank = self.is_unmarked(index, row);
            lost.push(blank && below);
            below = if blank {
                below
            } else {
                matches!(row, Row::Added(_))
            };
        }
        lost.reverse();
        let mut above = false;
        let mut changes = false;
        let mut fill = |(row, lost): (&Row, bool)| {
            if lost && above {
                changes = true;
                return Row::Added(String::new());
            }
            above = matches!(row, Row::Added(_));
            row.clone()
        };
        let rows = self.rows.iter().zip(lost).map(&mut fill).collect();
        changes.then(|| self.settled(rows))
    }

    fn is_unmarked(&self, index: usize, row: &Row) -> bool {
        row.is_context() && row.text().is_empty() && self.marked.get(index) == Some(&false)
    }

    /// Returns the hunk with one level of escaping taken away from what it adds; none if that is
    /// nothing, or if what it shows of the file has escapes of its own.
    pub(super) fn unescaped(&self, which: &str) -> Option<Self> {
        let rows: Vec<Row> = self
            .rows
            .iter()
            .map(|row| match row {
                Row::Added(text) => Row::Added(unescape(text, which)),
                row => row.clone(),
            })
            .collect();
        let even = rows != self.rows && !self.before().any(|line| line.contains('\\'));
        even.then(|| Self {
            rows,
            ..self.clone()
        })
    }

    /// Returns whether some context line has no mark, so that the others may have none either.
    pub(super) fn lost_marks(&self) -> bool {
        self.rows
            .iter()
            .zip(&self.marked)
            .any(|(row, marked)| row.is_context() && !row.text().is_empty() && !marked)
    }
}

fn is_open(row: Option<&Row>, marked: Option<&bool>) -> bool {
    matches!((row, marked), (Some(Row::Context(text)), Some(false)) if text.is_empty())
}

/// Reads patch text.
pub(super) fn parse(text: &str) -> Vec<FilePatch> {
    let mut files = if envelope::is_one(text) {
        envelope::parse(text)
    } else {
        let inner = envelope::unwrapped(text);
        PatchReader::read(inner.as_deref().unwrap_or(text))
    };
    if !files.iter().any(FilePatch::says_something)
        && let Some(headed) = headed(envelope::unwrapped(text).as_deref().unwrap_or(text))
    {
        files = PatchReader::read(&headed);
    }
    let ends: Vec<usize> = files.iter().skip(1).map(|file| file.lines.start).collect();
    let ends = ends.into_iter().chain([usize::MAX]);
    for (file, end) in files.iter_mut().zip(ends) {
        file.lines.end = end;
    }
    files.retain(FilePatch::says_something);
    files.iter_mut().for_each(FilePatch::fold_context);
    files
}

/// Gives text that is all rows of a hunk the header that it lacks.
fn headed(text: &str) -> Option<String> {
    let changes = rows(text).any(|line| line.starts_with(['+', '-']));
    let headed = std::iter::once("@@").chain(rows(text));
    (changes && rows(text).all(|line| line.is_empty() || line.starts_with([' ', '+', '-'])))
        .then(|| headed.flat_map(|row| [row, "\n"]).collect())
}

fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with("```"))
}

/// Gives a patch that was escaped as a whole its lines back, and takes away what it was indented by
/// as a whole.
pub(super) fn on_lines(text: &str) -> Cow<'_, str> {
    // A patch may be read from a file with a mark of its own.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_end().contains('\n') || !text.contains("\\n") {
        return outdented(text).map_or(Cow::Borrowed(text), Cow::Owned);
    }
    Cow::Owned(unescape(text, "nrt\"'\\"))
}

/// Takes from every line the blanks that stand before what begins a hunk, as where the patch is an
/// item of a list; none if something begins one without.
fn outdented(text: &str) -> Option<String> {
    if text.lines().any(begins_patch) {
        return None;
    }
    let first = text.lines().find(|line| begins_patch(line.trim_start()))?;
    let lead = first.get(..first.len() - first.trim_start().len())?;
    let lines = text.split_inclusive('\n');
    Some(
        lines
            .map(|line| line.strip_prefix(lead).unwrap_or(line))
            .collect(),
    )
}

fn begins_patch(line: &str) -> bool {
    is_hunk_header(line) || line.starts_with("*** Begin Patch")
}

#[derive(Default)]
struct PatchReader {
    headers: Headers,
    /// Old and new lines that the present hunk still owes by its counts; none without counts.
    owed: Option<(usize, usize)>,
    in_hunk: bool,
    /// True within a fence.
    fenced: bool,
}

impl PatchReader {
    fn read(text: &str) -> Vec<FilePatch> {
        let mut reader = Self::default();
        let mut lines = text.lines().enumerate().peekable();
        while let Some((at, line)) = lines.next() {
            let next = lines.peek().map_or("", |(_, line)| line);
            reader.line(at, line, next);
        }
        reader.finish()
    }

    fn line(&mut self, at: usize, line: &str, next: &str) {
        let inside = self.in_hunk && self.owed.is_some_and(|owed| owed != (0, 0));
        let paid = self.in_hunk && self.owed == Some((0, 0));
        let fence = line.starts_with("```");
        if !inside && self.headers.begins(at, line, next) {
            self.in_hunk = false;
        } else if fence && (!inside || self.fenced && next.trim().is_empty()) {
            self.fenced = !self.fenced;
            self.in_hunk = false;
        } else if is_hunk_header(line) {
            self.hunk(line);
        } else if paid && is_prose(line) {
            self.in_hunk = false;
        } else if self.in_hunk {
            self.row(line);
        } else {
            self.headers.goes_on(at, line);
        }
    }

    fn hunk(&mut self, line: &str) {
        let (old_start, owed) = numbers(line);
        self.owed = owed;
        self.in_hunk = true;
        self.headers.present().hunks.push(PatchHunk {
            old_start,
            ..PatchHunk::default()
        });
    }

    fn row(&mut self, line: &str) {
        let Some(hunk) = self.headers.present().hunks.last_mut() else {
            return;
        };
        if line.starts_with('\\') && line.to_lowercase().contains("no newline") {
            match hunk.rows.last() {
                Some(Row::Removed(_)) => hunk.old_open = true,
                Some(Row::Added(_)) => hunk.open_end = true,
                _ => (hunk.old_open, hunk.open_end) = (true, true),
            }
            return;
        }
        let row = match line.chars().next() {
            Some('+') => Row::Added(without_mark(line, "+")),
            Some('-') => Row::Removed(without_mark(line, "-")),
            // An empty context line often loses its leading blank, and so do others.
            _ => Row::Context(without_mark(line, " ")),
        };
        if let Some((old, new)) = &mut self.owed {
            *old = old.saturating_sub(usize::from(!matches!(row, Row::Added(_))));
            *new = new.saturating_sub(usize::from(!matches!(row, Row::Removed(_))));
        }
        hunk.push(row, line);
    }

    fn finish(self) -> Vec<FilePatch> {
        let mut files = self.headers.finish();
        for hunk in files.iter_mut().flat_map(|file| &mut file.hunks) {
            hunk.end();
        }
        files
    }
}

fn without_mark(line: &str, mark: &str) -> String {
    line.strip_prefix(mark).unwrap_or(line).to_owned()
}

/// Returns whether a line begins a hunk. A line of code may begin with `@@` as well, but not
/// one of a patch, which has a mark before it.
fn is_hunk_header(line: &str) -> bool {
    line.starts_with("@@")
}

/// Returns whether a line after a complete hunk is no part of it.
fn is_prose(line: &str) -> bool {
    line == "-- " || !line.starts_with([' ', '+', '-', '\\'])
}

/// Reads `@@ -3,7 +3,8 @@`: the 0-based start and the two counts, as far as they are there.
pub(super) fn numbers(line: &str) -> (Option<usize>, Option<(usize, usize)>) {
    let mut fields = line.trim_start_matches('@').split_whitespace();
    let mut side = |mark: char| {
        let field = fields.next()?.strip_prefix(mark)?;
        let (start, count) = field.split_once(',').unwrap_or((field, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    match (side('-'), side('+')) {
        (Some((start, olds)), Some((_, news))) => {
            // `-5,0` stands for "after line 5".
            let start = if olds == 0 {
                start
            } else {
                start.saturating_sub(1)
            };
            (Some(start), Some((olds, news)))
        }
        _ => (None, None),
    }
}
