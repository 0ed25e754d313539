//! Syntax errors, and which of them a change brings in.
//!
//! In: a text, or the texts before and after a change. Out: [`SyntaxError`]s with their places.
//! A precise parser judges where the language has one, tree-sitter's error nodes as well; a
//! text that was broken before may stay so.

mod findings;
mod permissive;

use std::ops::Range;

use serde::Serialize;

pub(super) use self::findings::Findings;
use super::precise::{self, Dialect};
use super::{Earlier, Language, MAX_PARSE_BYTES, SyntaxCache, Trust};
use crate::path::WorkspacePath;
use crate::text::EditSet;

/// Maximum number of characters quoted from a line in a message. Case: minified code has lines of megabytes.
pub const EXCERPT_CHARS: usize = 120;

/// An error is told where it shows if that is so many lines from the change, or else at the
/// change, which causes it.
const NEAR_LINES: usize = 2;

/// A syntax error and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SyntaxError {
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// What is wrong, in one line.
    pub message: String,
    /// The line.
    #[serde(skip)]
    pub excerpt: String,
    /// True if the text is certain not to be of the language.
    #[serde(skip)]
    pub certain: bool,
}

/// An error as a parser gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    range: Range<usize>,
    message: String,
}

/// Returns the errors of a text; none for files without a grammar and texts that are too large.
pub fn errors(cache: &SyntaxCache, path: &WorkspacePath, text: &str) -> Vec<SyntaxError> {
    let Some(language) = judged(path, text) else {
        return Vec::new();
    };
    let found = findings::of(cache, language, text, dialect(path, None));
    let (faults, certain) = match found.precise() {
        Some(faults @ [_, ..]) => (faults, true),
        _ => (
            found.tree(),
            tree_trust(language, path, &found) == Trust::Block,
        ),
    };
    let lines = Lines::new(text);
    faults
        .iter()
        .map(|fault| lines.error(fault, certain))
        .collect()
}

/// Returns the errors that a change brings in. `edits` lead from `before` to `after`; without a
/// text before, every error is new.
pub fn new_errors(
    cache: &SyntaxCache,
    path: &WorkspacePath,
    before: Option<&str>,
    after: &str,
    edits: &EditSet,
) -> Vec<SyntaxError> {
    let Some(before) = before.filter(|text| !text.trim().is_empty()) else {
        return errors(cache, path, after);
    };
    let Some(language) = judged(path, after) else {
        return Vec::new();
    };
    if before.len() > MAX_PARSE_BYTES {
        return Vec::new();
    }
    let dialect = dialect(path, Some(before));
    let earlier = Earlier {
        text: before,
        edits,
    };
    let Some(found) = findings::since(cache, language, after, dialect, &earlier) else {
        return Vec::new();
    };
    if found.is_clean() {
        return Vec::new();
    }
    let known = findings::of(cache, language, before, dialect);
    let map = Map::new(edits);
    let precise = match (known.precise(), found.precise()) {
        (Some(known), Some(found)) => fresh(known, found, &map),
        _ => Vec::new(),
    };
    let tree = fresh(known.tree(), found.tree(), &map);
    let trusted = match tree_trust(language, path, &found) {
        Trust::Block => true,
        Trust::Change => known.tree().is_empty(),
        Trust::Warn | Trust::Ignore => false,
    };
    // The precise parser's words are better.
    let (faults, certain) = if !precise.is_empty() {
        (precise, true)
    } else {
        (tree, trusted)
    };
    let lines = Lines::new(after);
    let near = map.changed_lines(&lines);
    faults
        .into_iter()
        .map(|fault| lines.error_near(fault, certain, &near))
        .collect()
}

/// Returns how many bytes a text has whose errors would mean something and that is too large to be parsed, or the text
/// before, without which no error is known to be new.
pub fn unparsed_bytes(path: &WorkspacePath, before: Option<&str>, after: &str) -> Option<usize> {
    let is_judged = Language::of(path).is_some_and(|language| language.trust() != Trust::Ignore);
    let bytes = after.len().max(before.map_or(0, str::len));
    (is_judged && bytes > MAX_PARSE_BYTES).then_some(bytes)
}

/// Returns the language of a text whose errors mean something.
fn judged(path: &WorkspacePath, text: &str) -> Option<Language> {
    let language = Language::of(path)?;
    let judged = language.trust() != Trust::Ignore && text.len() <= MAX_PARSE_BYTES;
    judged.then_some(language)
}

/// Returns how far the tree's errors are trusted. TypeScript declaration files use syntax that the
/// grammar does not know. A text that the language's own parser did not read, because it is nested
/// too deeply or the build does not include that parser, is judged by a grammar that is known to
/// differ from it.
fn tree_trust(language: Language, path: &WorkspacePath, found: &Findings) -> Trust {
    let unread = precise::is_authority(language) && found.precise().is_none();
    if declares(path) || unread {
        Trust::Change
    } else {
        language.trust()
    }
}

fn declares(path: &WorkspacePath) -> bool {
    [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|end| path.name().ends_with(end))
}

/// Tells JSON with comments by the file's name, or by what the file was.
fn dialect(path: &WorkspacePath, before: Option<&str>) -> Dialect {
    let name = path.name();
    let lenient = [
        "tsconfig",
        "jsconfig",
        "devcontainer",
        ".eslintrc",
        ".swcrc",
        "api-extractor",
    ]
    .iter()
    .any(|start| name.starts_with(start))
        || [".jsonc", ".code-workspace", "bun.lock", "deno.json"]
            .iter()
            .any(|end| name.ends_with(end))
        || [".vscode/", ".devcontainer/", ".zed/"]
            .iter()
            .any(|part| path.as_str().contains(part));
    let is_json = Language::of(path) == Some(Language::Json);
    if declares(path) {
        Dialect::Declarations
    } else if lenient || is_json && was_lenient(before) {
        Dialect::Lenient
    } else {
        Dialect::Standard
    }
}

fn was_lenient(before: Option<&str>) -> bool {
    before.is_some_and(|text| {
        !is_clean_json(text, Dialect::Standard) && is_clean_json(text, Dialect::Lenient)
    })
}

fn is_clean_json(text: &str, dialect: Dialect) -> bool {
    precise::judge(Language::Json, text, dialect).is_some_and(|verdict| verdict.faults.is_empty())
}

/// Returns the faults that were not there before: none where there are fewer, else those in the way of
/// a count that has grown, or of a change that was not within any.
fn fresh<'f>(known: &[Fault], found: &'f [Fault], map: &Map<'_>) -> Vec<&'f Fault> {
    let touched = known.iter().any(|fault| map.touches_before(&fault.range));
    let touches = found.iter().any(|fault| map.touches_after(&fault.range));
    let fewer = found.len() < known.len();
    if fewer || found.len() == known.len() && (touched || !touches) {
        return Vec::new();
    }
    // Each fault of before stands for one of after: at the same place, or somewhere in the
    // text that was replaced.
    let mut left: Vec<&Fault> = known.iter().collect();
    let mut was_there = |fault: &&Fault| {
        let start = map.back(fault.range.start);
        let same = left.iter().position(|known| {
            let place = match start {
                Some(start) => known.range.start == start,
                None => map.touches_before(&known.range),
            };
            place && known.message == fault.message
        });
        same.map(|at| left.swap_remove(at)).is_some()
    };
    let fresh: Vec<&Fault> = found.iter().filter(|fault| !was_there(fault)).collect();
    if fresh.is_empty() {
        found.iter().take(1).collect()
    } else {
        fresh
    }
}

impl Fault {
    pub(super) fn new(range: Range<usize>, message: String) -> Self {
        Self { range, message }
    }

    pub(super) fn start(&self) -> usize {
        self.range.start
    }

    pub(super) fn says(&self, words: &str) -> bool {
        self.message.contains(words)
    }
}

/// The way from places after a change to places before it.
struct Map<'a> {
    edits: &'a EditSet,
    /// Where each splice's new bytes are.
    news: Vec<Range<usize>>,
}

impl<'a> Map<'a> {
    fn new(edits: &'a EditSet) -> Self {
        let mut shift = 0_isize;
        let news = edits.splices().iter().map(|splice| {
            let start = splice.at.saturating_add_signed(shift);
            shift += splice.new.len() as isize - splice.old.len() as isize;
            start..start + splice.new.len()
        });
        Self {
            edits,
            news: news.collect(),
        }
    }

    /// Returns where a byte of the text after was before; none for one that is new.
    fn back(&self, at: usize) -> Option<usize> {
        let past = self.news.partition_point(|new| new.end <= at);
        if self.news.get(past).is_some_and(|new| new.start <= at) {
            return None;
        }
        let Some(index) = past.checked_sub(1) else {
            return Some(at);
        };
        let (new, splice) = (self.news.get(index)?, self.edits.splices().get(index)?);
        Some(splice.end() + (at - new.end))
    }

    fn touches_before(&self, range: &Range<usize>) -> bool {
        let splices = self.edits.splices().iter();
        splices
            .into_iter()
            .any(|splice| splice.at <= range.end && range.start <= splice.end())
    }

    fn touches_after(&self, range: &Range<usize>) -> bool {
        self.news
            .iter()
            .any(|new| new.start <= range.end && range.start <= new.end)
    }

    /// Returns the 0-based lines that are changed, each with where the change in it begins.
    fn changed_lines(&self, lines: &Lines<'_>) -> Vec<(Range<usize>, usize)> {
        self.news
            .iter()
            .map(|new| {
                let last = lines.row(new.end.saturating_sub(1).max(new.start));
                (lines.row(new.start)..last + 1, new.start)
            })
            .collect()
    }
}

/// A text by lines.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { text, starts }
    }

    /// Returns the 0-based row of a byte.
    fn row(&self, at: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1)
    }

    fn error(&self, fault: &Fault, certain: bool) -> SyntaxError {
        self.at(fault.range.start, fault.message.clone(), certain)
    }

    /// Places an error at the change that causes it, unless it shows close to that.
    fn error_near(
        &self,
        fault: &Fault,
        certain: bool,
        changed: &[(Range<usize>, usize)],
    ) -> SyntaxError {
        let row = self.row(fault.range.start);
        let nearest = changed.iter().min_by_key(|(rows, _)| distance(row, rows));
        match nearest {
            Some((rows, at)) if distance(row, rows) > NEAR_LINES => {
                let message = format!("{} (noticed at line {})", fault.message, row + 1);
                self.at(*at, message, certain)
            }
            _ => self.error(fault, certain),
        }
    }

    fn at(&self, at: usize, message: String, certain: bool) -> SyntaxError {
        let at = at.min(self.text.len());
        let row = self.row(at);
        let start = self.starts.get(row).copied().unwrap_or_default();
        let head = self.text.get(start..at).unwrap_or_default();
        let line = self
            .text
            .get(start..)
            .and_then(|rest| rest.lines().next())
            .unwrap_or_default();
        SyntaxError {
            line: row + 1,
            column: head.chars().count() + 1,
            message,
            excerpt: line.chars().take(EXCERPT_CHARS).collect(),
            certain,
        }
    }
}

fn distance(row: usize, rows: &Range<usize>) -> usize {
    rows.start
        .saturating_sub(row)
        .max((row + 1).saturating_sub(rows.end))
}
