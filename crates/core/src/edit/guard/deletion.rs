//! Guard: large deletions and lost definitions.
//!
//! In: a scene. Out: an alarm if much of a file goes, and one for each definition that is gone though
//! others need it: the rest of the file uses its name, or it is public. What else goes, the difference
//! shows.
//! A request whose purpose it is to delete raises none; one that writes a file anew may make it
//! shorter, but not by most of it without a word.

use std::collections::HashSet;
use std::ops::Range;

use super::scene::{Scene, excerpt};
use super::{Alarm, Guard, MAX_ALARMS, Severity};
use crate::edit::locate::exact;
use crate::edit::plan::Strategy;
use crate::syntax::outline::{Symbol, outline, outline_of};
use crate::syntax::{Earlier, Language};
use crate::text::{Slice, Source, Splice};
use crate::word::is_identifier_part;

/// Files of fewer lines may lose any part of them.
const SMALL_FILE: usize = 20;

/// Number of lost lines that is worth a remark in any file.
const MANY_LINES: usize = 200;

/// What other guards have found.
pub(super) struct Findings {
    /// The text after holds a placeholder.
    pub(super) elided: bool,
    /// The text after has new syntax errors, so that its outline says nothing.
    pub(super) broken: bool,
}

/// Inspects the scene.
pub(super) fn inspect(scene: &Scene<'_>, findings: &Findings) -> Vec<Alarm> {
    let Some(before) = scene.before else {
        return Vec::new();
    };
    let mut alarms: Vec<Alarm> = size(scene, before, findings.elided).into_iter().collect();
    let meant = matches!(scene.strategy, Strategy::Recipe | Strategy::Delete);
    if !meant && !findings.broken {
        alarms.extend(symbols(scene, before));
    }
    alarms
}

fn size(scene: &Scene<'_>, before: &Source, elided: bool) -> Option<Alarm> {
    let (had, has) = (before.line_count(), scene.after.line_count());
    let less = had.saturating_sub(has);
    let big = had > SMALL_FILE;
    let most = big && less * 10 > had * 7;
    let severity = match scene.strategy {
        Strategy::Delete | Strategy::Recipe => return None,
        Strategy::Whole if most && elided => Severity::Refuse,
        Strategy::Whole if most => Severity::Warn,
        Strategy::Whole => return None,
        _ if less > MANY_LINES || big && less * 2 > had => Severity::Warn,
        _ => return None,
    };
    let largest = scene
        .edits
        .splices()
        .iter()
        .max_by_key(|splice| splice.old.len())?;
    let row = before.line_of(largest.at);
    Some(Alarm {
        guard: Guard::Deletion,
        severity,
        line: row + 1,
        column: 1,
        excerpt: excerpt(&String::from_utf8_lossy(before.line(row))),
        message: format!("{less} of {had} lines go away"),
    })
}

/// Returns an alarm for each definition that the change takes out and does not put back.
fn symbols(scene: &Scene<'_>, before: &Source) -> Vec<Alarm> {
    let (Some(language), Some(old)) = (scene.language, scene.old) else {
        return Vec::new();
    };
    // Headings come and go with the text under them.
    if language == Language::Markdown {
        return Vec::new();
    }
    // A definition is only gone if its name is on a line that was touched.
    let lines = touched_lines(scene, before, old);
    let words = words(&lines);
    let added: HashSet<&str> = scene.added.iter().map(|line| head(line.text)).collect();
    let mut each = lines.iter().flat_map(|lines| lines.lines());
    if words.is_empty()
        || !each.any(|line| language.may_define(line) && !added.contains(head(line)))
    {
        return Vec::new();
    }
    let back = scene.edits.invert();
    let later = Earlier {
        text: scene.new,
        edits: &back,
    };
    let Some(parsed) = scene.cache.parse_after(language, old, &later) else {
        return Vec::new();
    };
    let touched: Vec<Symbol> = outline_of(language, &parsed, hull(scene))
        .into_iter()
        .filter(|symbol| word_of(&symbol.name, &words))
        .collect();
    if touched.is_empty() {
        return Vec::new();
    }
    let Some(parsed) = scene.parsed() else {
        return Vec::new();
    };
    // What is gone is mostly there under another name, close by.
    let rows = Rows::new(scene, before);
    let near = outline_of(language, parsed, hull_after(scene));
    let gone = without(touched, &near, &rows);
    if gone.is_empty() {
        return Vec::new();
    }
    let now = outline(language, parsed);
    let gone = without(gone, &now, &rows);
    let others: HashSet<&str> = now.iter().map(|symbol| symbol.name.as_str()).collect();
    // What has the name now is the same in another place, or one that those who use it may mean.
    let gone = gone
        .iter()
        .filter(|symbol| !others.contains(symbol.name.as_str()));
    let missed = gone.filter_map(|symbol| {
        let line = before.line(symbol.lines.start().saturating_sub(1));
        let line = String::from_utf8_lossy(line);
        let public = is_public(language, symbol, &line);
        let used = used_at(scene.new, symbol);
        (public || used.is_some()).then(|| lost(symbol, &line, used))
    });
    missed.take(MAX_ALARMS).collect()
}

/// Returns whether what other files may use goes with a definition, by the line that it begins on.
fn is_public(language: Language, symbol: &Symbol, line: &str) -> bool {
    let line = line.trim_start();
    match language {
        Language::Rust => line.starts_with("pub ") || line.starts_with("pub("),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            line.starts_with("export ") || line.starts_with("module.exports")
        }
        Language::Java => line.split_whitespace().any(|word| word == "public"),
        Language::Go => symbol.name.starts_with(char::is_uppercase),
        Language::Python => symbol.depth == 0 && !symbol.name.starts_with('_'),
        Language::C | Language::Cpp => symbol.depth == 0 && !line.starts_with("static "),
        _ => false,
    }
}

/// Returns the 1-based line of the text after that uses what a definition was for. A member is used
/// behind a dot or its type, or called: `new` is many a type's.
fn used_at(new: &str, symbol: &Symbol) -> Option<usize> {
    let name = symbol.name.as_str();
    let outer = symbol.path.strip_suffix(name).unwrap_or_default();
    let outer = outer.trim_end_matches('.').rsplit('.').next();
    let outer = outer.unwrap_or_default();
    let at = exact::all(new, name)
        .into_iter()
        .find(|at| is_use(new, symbol, outer, *at))?;
    let above = new.get(..at)?.bytes().filter(|byte| *byte == b'\n');
    Some(above.count() + 1)
}

/// True if a symbol is used where its name stands, and not part of a longer name or a member of something else.
fn is_use(new: &str, symbol: &Symbol, outer: &str, at: usize) -> bool {
    let (head, tail) = (new.get(..at), new.get(at + symbol.name.len()..));
    let (head, tail) = (head.unwrap_or_default(), tail.unwrap_or_default());
    if head.ends_with(is_identifier_part) || tail.starts_with(is_identifier_part) {
        return false;
    }
    if symbol.depth == 0 {
        return !head.ends_with('.');
    }
    match head.strip_suffix("::") {
        Some(head) => head.ends_with("Self") || head.ends_with(outer),
        None => head.ends_with('.') || tail.starts_with('('),
    }
}

/// Returns what comes before the parameters, the fields or the value of a definition: an added
/// line with the same keeps it.
fn head(line: &str) -> &str {
    let line = line.trim();
    let end = line.find(['(', '{', '=', ':', ';']);
    end.map_or(line, |end| line.slice(..end).trim_end())
}

/// Returns the symbols that are not among those of the text after. One in the same line's place
/// is the same under another name.
fn without(symbols: Vec<Symbol>, now: &[Symbol], rows: &Rows) -> Vec<Symbol> {
    let kept: HashSet<&str> = now.iter().map(|symbol| symbol.path.as_str()).collect();
    let places: HashSet<(usize, &str)> = now
        .iter()
        .map(|symbol| (*symbol.lines.start(), symbol.what))
        .collect();
    symbols
        .into_iter()
        .filter(|symbol| {
            let line = rows.after(symbol.lines.start().saturating_sub(1)) + 1;
            !kept.contains(symbol.path.as_str()) && !places.contains(&(line, symbol.what))
        })
        .collect()
}

/// Where rows of the text before are in the text after.
struct Rows {
    /// The first row after each splice's old text, and by how much rows from there on move.
    moves: Vec<(usize, isize)>,
}

impl Rows {
    fn new(scene: &Scene<'_>, before: &Source) -> Self {
        let mut shift = 0_isize;
        let moves = scene.edits.splices().iter().map(|splice| {
            shift += newlines(&splice.new) - newlines(&splice.old);
            (
                before.line_of(splice.end().saturating_sub(1).max(splice.at)) + 1,
                shift,
            )
        });
        Self {
            moves: moves.collect(),
        }
    }

    fn after(&self, row: usize) -> usize {
        let past = self.moves.partition_point(|(from, _)| *from <= row);
        let shift = past.checked_sub(1).and_then(|last| self.moves.get(last));
        row.saturating_add_signed(shift.map_or(0, |(_, shift)| *shift))
    }
}

fn newlines(bytes: &[u8]) -> isize {
    bytes.iter().filter(|byte| **byte == b'\n').count() as isize
}

fn lost(symbol: &Symbol, line: &str, used: Option<usize>) -> Alarm {
    let Symbol { what, path, .. } = symbol;
    Alarm {
        guard: Guard::Deletion,
        severity: Severity::Warn,
        line: *symbol.lines.start(),
        column: 1,
        excerpt: excerpt(line),
        message: match used {
            Some(line) => format!("the {what} `{path}` is gone, and line {line} still uses it"),
            None => format!("the public {what} `{path}` is gone; other files may use it"),
        },
    }
}

/// Returns the lines that the change takes bytes from, each once.
fn touched_lines<'a>(scene: &Scene<'a>, before: &Source, old: &'a str) -> Vec<&'a str> {
    let mut done = 0;
    let splices = scene.edits.splices().iter();
    let lines = splices
        .filter(|splice| !splice.old.is_empty())
        .filter_map(|splice| {
            let first = before.line_range(before.line_of(splice.at)).start;
            let last = before.line_of(splice.end().saturating_sub(1));
            let start = first.max(done);
            done = before.line_range(last).end;
            old.get(start..done)
        });
    lines.collect()
}

fn words<'a>(lines: &[&'a str]) -> HashSet<&'a str> {
    let words = lines
        .iter()
        .flat_map(|lines| lines.split(|c: char| !is_identifier_part(c)));
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the bytes of the text before from the first to the last that the change touches.
fn hull(scene: &Scene<'_>) -> Range<usize> {
    let splices = scene.edits.splices();
    let start = splices.first().map_or(0, |splice| splice.at);
    start..splices.last().map_or(start, Splice::end)
}

/// Returns the bytes of the text after from the first to the last that the change touches.
fn hull_after(scene: &Scene<'_>) -> Range<usize> {
    let before = hull(scene);
    let rest = scene.old.map_or(0, str::len).saturating_sub(before.end);
    before.start..scene.new.len().saturating_sub(rest)
}

fn word_of(name: &str, words: &HashSet<&str>) -> bool {
    name.split(|c: char| !is_identifier_part(c))
        .any(|part| words.contains(part))
}
