//! Patch text as models write it.
//!
//! In: text with one or more file patches, with prose and fences around it, wrong counts and
//! bare `@@`. Out: [`FilePatch`]es. Nothing fails here; what is no patch gives none.

use std::borrow::Cow;

use super::envelope;
use crate::locate::loose::forms::unescape;
use crate::locate::script::{Row, Script};

/// The hunks for one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The path from the header, without `a/` or `b/`; none where there is no header.
    pub(super) path: Option<String>,
    /// True if the header says that the file goes away.
    pub(super) deletes: bool,
    /// The path that it is to have, if the header gives it another one.
    pub(super) renamed: Option<String>,
    pub(super) hunks: Vec<Hunk>,
}

/// One hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// 0-based line from the header: the first old line, or where the new lines go.
    pub(super) old_start: Option<usize>,
    /// Lines under which it stands, outermost first.
    pub(super) anchors: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// Per row, whether it is a context line whose first blank was taken for its mark.
    pub(super) marked: Vec<bool>,
    /// True if the old side ends without a newline.
    pub(super) old_open: bool,
    /// True if the new side ends without a newline.
    pub(super) open_end: bool,
}

impl FilePatch {
    /// Returns whether the patch is for the file at `path`; one without a header is for any.
    pub(super) fn is_for(&self, path: &str) -> bool {
        let Some(own) = &self.path else { return true };
        own == path || path.ends_with(&format!("/{own}")) || own.ends_with(&format!("/{path}"))
    }
}

impl Hunk {
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

    /// Returns the rows as a change to look for.
    pub(super) fn script(&self) -> Script {
        Script {
            rows: self.rows.clone(),
        }
    }

    /// Returns the rows with the leading blank that was taken for the mark of context lines given
    /// back: some models write context lines without one.
    pub(super) fn unmarked(&self) -> Script {
        let row = |(row, marked): (&Row, &bool)| match marked {
            true => row.with(format!(" {}", row.text())),
            false => row.clone(),
        };
        Script {
            rows: self.rows.iter().zip(&self.marked).map(row).collect(),
        }
    }

    /// Returns whether some context line has no mark, so that the others may have none either.
    pub(super) fn lost_marks(&self) -> bool {
        let bare =
            |(row, marked): (&Row, &bool)| row.is_context() && !row.text().is_empty() && !marked;
        self.rows.iter().zip(&self.marked).any(bare)
    }
}

/// Reads patch text.
pub(super) fn parse(text: &str) -> Vec<FilePatch> {
    let text = on_lines(text);
    if envelope::is_one(&text) {
        return envelope::parse(&text);
    }
    let mut reader = Reader::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied().unwrap_or_default();
        reader.line(line, next);
    }
    reader.finish()
}

/// Gives a patch that was escaped as a whole its lines back.
fn on_lines(text: &str) -> Cow<'_, str> {
    if text.trim_end().contains('\n') || !text.contains("\\n") {
        return Cow::Borrowed(text);
    }
    Cow::Owned(unescape(text, "nrt\"'\\"))
}

#[derive(Default)]
struct Reader {
    files: Vec<FilePatch>,
    /// Old and new lines that the present hunk still owes by its counts; none without counts.
    owed: Option<(usize, usize)>,
    in_hunk: bool,
    /// True within a fence.
    fenced: bool,
}

impl Reader {
    fn line(&mut self, line: &str, next: &str) {
        let inside = self.in_hunk && self.owed.is_some_and(|owed| owed != (0, 0));
        let paid = self.in_hunk && self.owed == Some((0, 0));
        let fence = line.starts_with("```");
        if !inside && line.starts_with("--- ") && next.starts_with("+++ ") {
            self.header(line, next);
        } else if fence && (!inside || self.fenced && next.trim().is_empty()) {
            self.fenced = !self.fenced;
            self.in_hunk = false;
        } else if !inside && line.starts_with("diff --git ") {
            self.in_hunk = false;
        } else if !self.in_hunk && line.starts_with("rename to ") {
            self.rename(line);
        } else if is_hunk_header(line) {
            self.hunk(line);
        } else if line.starts_with("+++ ") && !self.in_hunk {
            // The second half of a header that was read with its first.
        } else if paid && is_prose(line) {
            self.in_hunk = false;
        } else if self.in_hunk {
            self.row(line);
        }
    }

    fn rename(&mut self, line: &str) {
        let to = line.trim_start_matches("rename to ").trim().to_owned();
        self.files.push(FilePatch {
            renamed: Some(to),
            ..FilePatch::default()
        });
    }

    fn header(&mut self, old: &str, new: &str) {
        self.in_hunk = false;
        let (old, new) = (name(old), name(new));
        let deletes = new.is_none() && old.is_some();
        let bare = |patch: &FilePatch| patch.path.is_none() && patch.hunks.is_empty();
        let announced = self
            .files
            .pop_if(|patch| bare(patch))
            .and_then(|patch| patch.renamed);
        let moves = matches!((&old, &new), (Some(old), Some(new)) if old != new);
        let renamed = announced.or_else(|| new.clone().filter(|_| moves));
        let path = if renamed.is_some() {
            old.or(new)
        } else {
            new.or(old)
        };
        self.files.push(FilePatch {
            path,
            deletes,
            renamed,
            hunks: Vec::new(),
        });
    }

    fn hunk(&mut self, line: &str) {
        if self.files.is_empty() {
            self.files.push(FilePatch::default());
        }
        let (old_start, owed) = numbers(line);
        self.owed = owed;
        self.in_hunk = true;
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(Hunk {
                old_start,
                ..Hunk::default()
            });
        }
    }

    fn row(&mut self, line: &str) {
        let Some(hunk) = self.files.last_mut().and_then(|file| file.hunks.last_mut()) else {
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
        let text = |mark: &str| line.strip_prefix(mark).unwrap_or(line).to_owned();
        let row = match line.chars().next() {
            Some('+') => Row::Added(text("+")),
            Some('-') => Row::Removed(text("-")),
            // An empty context line often loses its leading blank, and so do others.
            _ => Row::Context(text(" ")),
        };
        if let Some((old, new)) = &mut self.owed {
            *old = old.saturating_sub(usize::from(!matches!(row, Row::Added(_))));
            *new = new.saturating_sub(usize::from(!matches!(row, Row::Removed(_))));
        }
        hunk.push(row, line);
    }

    fn finish(mut self) -> Vec<FilePatch> {
        for hunk in self.files.iter_mut().flat_map(|file| &mut file.hunks) {
            // Blank lines between hunks or at the end of the text are no context.
            while matches!(hunk.rows.last(), Some(Row::Context(text)) if text.is_empty()) {
                hunk.rows.pop();
            }
        }
        self.files
    }
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

/// Returns the path of a `---` or `+++` line; none for `/dev/null`.
fn name(line: &str) -> Option<String> {
    let path = line.get(4..)?.split('\t').next()?.trim();
    if path == "/dev/null" {
        return None;
    }
    let path = path.trim_matches('"');
    let bare = path
        .strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path);
    Some(bare.to_owned())
}

/// Reads `@@ -3,7 +3,8 @@`: the 0-based start and the two counts, as far as they are there.
fn numbers(line: &str) -> (Option<usize>, Option<(usize, usize)>) {
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
