//! Hunks: changes as a person reads them.
//!
//! In: a text and splices for it. Out: which splices belong together ([`group`]), and for each
//! group the lines with context, numbers, emphasis and a header ([`render`]).

use std::collections::HashSet;
use std::ops::Range;

use super::lines::diff_lines;
use crate::edit::diff::line::{DiffLine, LineKind};
use crate::edit::diff::line_ends::LineEnds;
use crate::edit::diff::stretches::{self, MAX_WHOLE};
use crate::edit::diff::undisplayed::{TextDigest, Undisplayed, UndisplayedReason, sha256};
use crate::plural::counted;
use crate::text::source::without_ending;
use crate::text::{EditSet, NotText, Slice, Source, Splice, shared};

/// Unchanged lines shown on either side, by which a person, and a hunk that is set aside, know their place.
pub(crate) const CONTEXT: usize = 3;
/// Maximum number of unchanged lines between splices of one hunk.
const GAP: usize = 1;
/// Lines upwards in which the enclosing one is looked for. Case: thousands of hunks in a table of data, each of which
/// would look through all that is above it.
const ENCLOSING_REACH: usize = 400;
/// Maximum size of a hunk shown by its lines, in bytes of both sides: a screen of 50 lines goes through it in 500
/// pages, and as lines it takes four times as much memory. Larger ones are shown by their sizes.
pub const MAX_SHOWN: usize = 1024 * 1024;
/// Characters of the enclosing line that are shown.
const ENCLOSING_CHARS: usize = 60;

/// A hunk ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// 1-based number of the hunk.
    pub number: u32,
    /// The lines before the change that its splices touch, counted from 0.
    pub touched: Range<usize>,
    /// `@@ -3,7 +3,8 @@ enclosing line`.
    pub header: String,
    /// The lines.
    pub lines: Vec<DiffLine>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
    /// The lines are not those of the text, but say how large it is.
    pub sizes_only: bool,
    /// What stands for its lines, if these are text and not shown.
    pub undisplayed: Option<Undisplayed>,
}

/// Returns for each splice the 1-based number of the hunk that it is in.
pub fn group(before: &Source, edits: &EditSet) -> Vec<u32> {
    let mut number = 0;
    let mut last_end: Option<usize> = None;
    let numbers = edits.splices().iter().map(|splice| {
        let touched = touched_lines(before, splice);
        if last_end.is_none_or(|end| touched.start > end + GAP) {
            number += 1;
        }
        last_end = Some(touched.end.max(last_end.unwrap_or(0)));
        number
    });
    numbers.collect()
}

/// Returns the same change as replacements of whole lines. A line is what a person approves:
/// two changes of one line build on each other, even where their bytes do not touch.
pub fn by_line(before: &Source, edits: &EditSet) -> EditSet {
    by_line_from(before, edits).0
}

/// Returns what [`by_line`] does, and for each of its splices the indexes of those that it is made of.
pub fn by_line_from(before: &Source, edits: &EditSet) -> (EditSet, Vec<Range<usize>>) {
    let mut groups: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (index, splice) in edits.splices().iter().enumerate() {
        let touched = touched_lines(before, splice);
        match groups.last_mut() {
            Some((lines, own)) if touched.start < lines.end || touched == *lines => {
                lines.end = lines.end.max(touched.end);
                own.end = index + 1;
            }
            _ => groups.push((touched, index..index + 1)),
        }
    }
    let whole = groups.into_iter().map(|(lines, own)| {
        let at = before.line_range(lines.start).start;
        let end = before.line_range(lines.end).start;
        let old = before.bytes().slice(at..end).to_vec();
        let splices: Vec<&Splice> = edits.splices().slice(own.clone()).iter().collect();
        let new = text_after(before, &lines, &splices);
        (Splice { at, old, new }, own)
    });
    // As in an edit set, where nothing without effect is.
    let whole = whole.filter(|(splice, _)| splice.old != splice.new);
    let (whole, from): (Vec<Splice>, Vec<Range<usize>>) = whole.unzip();
    // Groups share no line, so that they cannot overlap.
    EditSet::new(whole).map_or_else(
        |_overlap| {
            let each = (0..edits.splices().len()).map(|index| index..index + 1);
            (edits.clone(), each.collect())
        },
        |whole| (whole, from),
    )
}

/// Returns whether a change is too large to be shown by its lines.
pub fn is_too_large(edits: &EditSet) -> bool {
    size(edits.splices().iter()) > MAX_SHOWN
}

/// Renders the hunks of `edits`, where `numbers` tells each splice's hunk.
pub fn render(before: &Source, edits: &EditSet, numbers: &[u32]) -> Vec<Rendered> {
    render_within(before, edits, numbers, MAX_SHOWN)
}

/// Renders hunks as [`render`] does; those of more than `most` bytes are shown by their sizes.
pub fn render_within(
    before: &Source,
    edits: &EditSet,
    numbers: &[u32],
    most: usize,
) -> Vec<Rendered> {
    let hunks = hunks_of(before, edits, numbers);
    let mut rendered = Vec::with_capacity(hunks.len());
    let mut shift = 0_isize;
    for (index, (number, lines, splices)) in hunks.iter().enumerate() {
        let lower = index
            .checked_sub(1)
            .and_then(|at| hunks.get(at))
            .map_or(0, |hunk| hunk.1.end);
        let upper = hunks
            .get(index + 1)
            .map_or(before.line_count(), |hunk| hunk.1.start);
        let hunk = UnrenderedHunk {
            before,
            lines: lines.clone(),
            splices,
            shift,
        };
        let shown = if size(splices.iter().copied()) > most && !hunk.is_binary() {
            hunk.render_sizes(*number)
        } else {
            hunk.render(*number, lower, upper)
        };
        shift += shown.added as isize - shown.removed as isize;
        rendered.push(shown);
    }
    rendered
}

/// The splices of a hunk, with its number and the lines that they touch, counted from 0.
type HunkSplices<'a> = (u32, Range<usize>, Vec<&'a Splice>);

fn hunks_of<'a>(before: &Source, edits: &'a EditSet, numbers: &[u32]) -> Vec<HunkSplices<'a>> {
    let mut hunks: Vec<HunkSplices<'a>> = Vec::new();
    for (splice, number) in edits.splices().iter().zip(numbers) {
        let touched = touched_lines(before, splice);
        match hunks.last_mut() {
            Some((last, lines, splices)) if last == number => {
                lines.end = lines.end.max(touched.end);
                splices.push(splice);
            }
            _ => hunks.push((*number, touched, vec![splice])),
        }
    }
    hunks
}

/// Returns the lines of a hunk, 0-based and without the end, from the first that is shown as changed to the last; empty,
/// at its place, for lines put between others. They may be fewer than the splices touch, which take away and put back
/// lines that are the same:
///
/// ```text
/// splices    b c c a -> a a     shown    -b -c -c +a  a
/// ```
pub fn changed_lines(before: &Source, splices: &[Splice]) -> Range<usize> {
    let touched = splices.iter().map(|splice| touched_lines(before, splice));
    let touched = touched.reduce(|all, lines| all.start..all.end.max(lines.end));
    let Some(lines) = touched else {
        return 0..0;
    };
    let splices: Vec<&Splice> = splices.iter().collect();
    let text = text_after(before, &lines, &splices);
    let Sides { old, new } = Sides::of(before, &lines, &text);
    let changes = diff_lines(&old, &new);
    match (changes.first(), changes.last()) {
        (Some(first), Some(last)) => lines.start + first.old.start..lines.start + last.old.end,
        _ => lines,
    }
}

/// Returns how many bytes splices take out and put in.
fn size<'s>(splices: impl Iterator<Item = &'s Splice>) -> usize {
    splices
        .map(|splice| splice.old.len() + splice.new.len())
        .sum()
}

/// Returns the lines (0-based, end exclusive) that a splice changes; empty for whole lines put
/// between others.
fn touched_lines(before: &Source, splice: &Splice) -> Range<usize> {
    let count = before.line_count();
    let (mut start, mut end) = (line_at(before, splice.at), line_at(before, splice.end()));
    if start == count && count > 0 && !before.ends_with_newline() {
        start = count - 1;
    }
    let at_start = before.line_range(start).start == splice.at;
    let to_start = before.line_range(end).start == splice.end();
    let whole = splice.new.is_empty() || splice.new.ends_with(b"\n") || end == count;
    if !(at_start && to_start && whole) {
        end = (end + 1).min(count);
    }
    start..end.max(start)
}

/// Returns the line at a byte; at the end of the text, the line after the last.
fn line_at(before: &Source, at: usize) -> usize {
    let line = before.line_of(at);
    if before.line_count() > 0 && at >= before.line_range(line).end {
        line + 1
    } else {
        line
    }
}

struct UnrenderedHunk<'a> {
    before: &'a Source,
    lines: Range<usize>,
    splices: &'a [&'a Splice],
    /// How far the lines of earlier hunks have moved this one.
    shift: isize,
}

impl UnrenderedHunk<'_> {
    /// Bytes that are no text are told by their number and hash, which `sha256sum` says of the file as well: a terminal
    /// has nothing better for them, and the user signs these bytes and no others.
    fn render_bytes(&self, number: u32) -> Rendered {
        let new = text_after(self.before, &(0..self.before.line_count()), self.splices);
        let old = self.before.encoded();
        let old = old.as_deref().unwrap_or(self.before.bytes());
        let (old, new) = (binary_lines(old), binary_lines(&new));
        let mut page = Page::at(0, 0);
        let sides = [&old, &new].map(|side| side.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let [old, new] = &sides;
        page.changed(old, new);
        Rendered {
            number,
            touched: self.lines.clone(),
            header: page.header(None),
            added: page.added,
            removed: page.removed,
            lines: page.lines,
            sizes_only: true,
            undisplayed: None,
        }
    }

    /// Tells a hunk that is too large, or one too many, by how much text each side has.
    fn render_sizes(&self, number: u32) -> Rendered {
        let first = self.lines.start;
        let why = if size(self.splices.iter().copied()) > MAX_SHOWN {
            UndisplayedReason::TooLarge
        } else {
            UndisplayedReason::LongList
        };
        let mut page = Page::at(first, first.saturating_add_signed(self.shift));
        let [start, end] =
            [self.lines.start, self.lines.end].map(|line| self.before.line_range(line).start);
        let old = TextDigest::of(self.before.bytes().slice(start..end));
        let new = TextDigest::of(&text_after(self.before, &self.lines, self.splices));
        for (kind, side) in [(LineKind::Removed, &old), (LineKind::Added, &new)] {
            page.lines.extend(side.iter().map(|digest| DiffLine {
                kind,
                old: None,
                new: None,
                text: format!("{digest}: {why}"),
                emphasis: Vec::new(),
                newline: true,
            }));
        }
        let added = new.as_ref().map_or(0, |side| side.lines);
        page.removed = line_total(self.lines.len());
        page.added = line_total(added);
        page.next.0 += self.lines.len();
        page.next.1 += added;
        Rendered {
            number,
            touched: self.lines.clone(),
            header: page.header(enclosing(self.before, first)),
            added: page.added,
            removed: page.removed,
            lines: page.lines,
            sizes_only: true,
            undisplayed: Some(Undisplayed { why, old, new }),
        }
    }

    /// Tells a hunk that changes line endings alone by how many: pair by pair, its lines look the same.
    fn render_line_ends(&self, number: u32, new: &[&[u8]], ends: LineEnds) -> Rendered {
        let first = self.lines.start;
        let mut page = Page::at(first, first.saturating_add_signed(self.shift));
        page.lines.push(DiffLine {
            kind: LineKind::Added,
            old: None,
            new: None,
            text: ends.told().join(", "),
            emphasis: Vec::new(),
            newline: true,
        });
        let changed = u32::try_from(ends.changed()).unwrap_or(u32::MAX);
        (page.removed, page.added) = (changed, changed);
        page.next = (page.next.0 + self.lines.len(), page.next.1 + new.len());
        Rendered {
            number,
            touched: self.lines.clone(),
            header: page.header(enclosing(self.before, first)),
            added: page.added,
            removed: page.removed,
            lines: page.lines,
            sizes_only: true,
            undisplayed: None,
        }
    }

    /// Returns whether a side is no text.
    fn is_binary(&self) -> bool {
        let binary = matches!(self.before.text(), Err(why) if why != NotText::Link);
        binary || self.splices.iter().any(|splice| is_odd(&splice.new))
    }

    fn render(&self, number: u32, lower: usize, upper: usize) -> Rendered {
        if self.is_binary() {
            return self.render_bytes(number);
        }
        let text = text_after(self.before, &self.lines, self.splices);
        let Sides { old, new } = Sides::of(self.before, &self.lines, &text);
        if let Some(ends) = LineEnds::alone(&old, &new).filter(|ends| ends.changed() > 1) {
            return self.render_line_ends(number, &new, ends);
        }

        // Hunks that came to share a line are shown one by one, each with its own change.
        let lead = self
            .lines
            .start
            .saturating_sub(CONTEXT)
            .max(lower)
            .min(self.lines.start);
        let lead = lead..self.lines.start;
        let tail = self.lines.end..(self.lines.end + CONTEXT).min(upper);
        let mut page = Page::at(lead.start, lead.start.saturating_add_signed(self.shift));
        let around = lead.clone().chain(tail.clone());
        let around = around.map(|line| self.before.line_with_ending(line));
        page.shows_ends = differ_in_ends(around.chain(old.iter().chain(&new).copied()));
        for line in lead.clone() {
            page.context(self.before.line_with_ending(line));
        }
        let mut done = 0;
        for change in diff_lines(&old, &new) {
            old.slice(done..change.old.start)
                .iter()
                .for_each(|l| page.context(l));
            let removed = old.slice(change.old.clone());
            page.changed(removed, new.slice(change.new));
            done = change.old.end;
        }
        old.slice(done..).iter().for_each(|line| page.context(line));
        for line in tail {
            page.context(self.before.line_with_ending(line));
        }
        let header = page.header(enclosing(self.before, lead.start));
        page.lines.shrink_to_fit();
        Rendered {
            number,
            touched: self.lines.clone(),
            header,
            added: page.added,
            removed: page.removed,
            lines: page.lines,
            sizes_only: false,
            undisplayed: None,
        }
    }
}

fn is_odd(bytes: &[u8]) -> bool {
    bytes.contains(&0) || std::str::from_utf8(bytes).is_err()
}

fn binary_lines(bytes: &[u8]) -> Option<Vec<u8>> {
    (!bytes.is_empty()).then(|| binary_line(bytes))
}

fn line_total(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn binary_line(bytes: &[u8]) -> Vec<u8> {
    let size = counted(bytes.len(), "byte");
    format!("binary, {size}, sha256 {}\n", sha256(bytes)).into_bytes()
}

/// The lines of a hunk before and after, each with its ending.
struct Sides<'a> {
    old: Vec<&'a [u8]>,
    new: Vec<&'a [u8]>,
}

impl<'a> Sides<'a> {
    /// Returns those of `lines`, of which `text` is what they become.
    fn of(before: &'a Source, lines: &Range<usize>, text: &'a [u8]) -> Self {
        let old = lines.clone().map(|line| before.line_with_ending(line));
        Self {
            old: old.collect(),
            new: text.split_inclusive(|byte| *byte == b'\n').collect(),
        }
    }
}

/// Returns what `lines` become under the splices within them.
fn text_after(before: &Source, lines: &Range<usize>, splices: &[&Splice]) -> Vec<u8> {
    let (start, end) = (
        before.line_range(lines.start).start,
        before.line_range(lines.end).start,
    );
    let bytes = before.bytes();
    let mut out = Vec::new();
    let mut done = start;
    for splice in splices {
        out.extend_from_slice(bytes.slice(done..splice.at));
        out.extend_from_slice(&splice.new);
        done = splice.end();
    }
    out.extend_from_slice(bytes.slice(done..end));
    out
}

/// Lines being laid out, with the numbers that come next.
struct Page {
    first: (usize, usize),
    next: (usize, usize),
    lines: Vec<DiffLine>,
    added: u32,
    removed: u32,
    /// The carriage return of a CRLF is shown as a part of the line.
    shows_ends: bool,
}

impl Page {
    fn at(old: usize, new: usize) -> Self {
        Self {
            first: (old, new),
            next: (old, new),
            lines: Vec::new(),
            added: 0,
            removed: 0,
            shows_ends: false,
        }
    }

    fn context(&mut self, line: &[u8]) {
        self.push(LineKind::Context, line, Vec::new());
    }

    fn changed(&mut self, removed: &[&[u8]], added: &[&[u8]]) {
        let texts = [removed, added].map(|side| {
            let texts = side.iter().map(|line| self.shown(line));
            texts.collect::<Vec<String>>()
        });
        let [old_spans, new_spans] = spans(&texts[0], &texts[1]);
        for (line, spans) in removed.iter().zip(old_spans) {
            self.push(LineKind::Removed, line, spans);
        }
        for (line, spans) in added.iter().zip(new_spans) {
            self.push(LineKind::Added, line, spans);
        }
    }

    fn push(&mut self, kind: LineKind, line: &[u8], emphasis: Vec<(usize, usize)>) {
        let old = if kind == LineKind::Added {
            None
        } else {
            next_number(&mut self.next.0)
        };
        let new = if kind == LineKind::Removed {
            None
        } else {
            next_number(&mut self.next.1)
        };
        self.added += u32::from(kind == LineKind::Added);
        self.removed += u32::from(kind == LineKind::Removed);
        let newline = line.ends_with(b"\n");
        self.lines.push(DiffLine {
            kind,
            old,
            new,
            text: self.shown(line),
            emphasis,
            newline,
        });
    }

    fn shown(&self, line: &[u8]) -> String {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let bare = if self.shows_ends {
            bare
        } else {
            without_ending(line)
        };
        String::from_utf8_lossy(bare).into_owned()
    }

    fn header(&self, enclosing: Option<String>) -> String {
        let (old, new) = (
            header_range(self.first.0, self.next.0),
            header_range(self.first.1, self.next.1),
        );
        let tail = enclosing.map(|line| format!(" {line}")).unwrap_or_default();
        format!("@@ -{old} +{new} @@{tail}")
    }
}

/// Byte ranges of each line of a side that differ from the line in its place on the other side.
type SideSpans = Vec<Vec<(usize, usize)>>;

/// Marks what differs between removed lines and the added ones in their place.
pub fn emphasise(lines: &mut [DiffLine]) {
    let mut rest = lines;
    while let Some(first) = rest.iter().position(|line| line.kind == LineKind::Removed) {
        let (_, run) = rest.split_at_mut(first);
        let removed = run_of(run, LineKind::Removed);
        let (old, behind) = run.split_at_mut(removed);
        let added = run_of(behind, LineKind::Added);
        let (new, behind) = behind.split_at_mut(added);
        let texts = [&*old, &*new].map(|side| {
            let texts = side.iter().map(|line| line.text.clone());
            texts.collect::<Vec<String>>()
        });
        let [old_spans, new_spans] = spans(&texts[0], &texts[1]);
        let each = old.iter_mut().zip(old_spans);
        for (line, spans) in each.chain(new.iter_mut().zip(new_spans)) {
            line.emphasis = spans;
        }
        rest = behind;
    }
}

fn run_of(lines: &[DiffLine], kind: LineKind) -> usize {
    lines.iter().take_while(|line| line.kind == kind).count()
}

/// Returns what differs between removed lines and the added ones in their place.
fn spans(removed: &[String], added: &[String]) -> [SideSpans; 2] {
    let mut spans = [removed.len(), added.len()].map(|lines| vec![Vec::new(); lines]);
    let [old_spans, new_spans] = &mut spans;
    for (old, new) in pairs(removed, added) {
        let lines = removed.get(old).zip(added.get(new));
        let found = lines.and_then(|(old, new)| differing(old, new));
        let places = old_spans.get_mut(old).zip(new_spans.get_mut(new));
        if let (Some([old, new]), Some((old_place, new_place))) = (found, places) {
            (*old_place, *new_place) = (old, new);
        }
    }
    spans
}

/// Long lines of the other side that one is compared with: where all are different, each would be compared with all.
const MOST_COMPARED: usize = 4;

/// Returns which removed line is which added one: long lines that have half of their text in common, each with one of the next
/// that are free, and of sides with as many lines each other line in its place.
fn pairs(removed: &[String], added: &[String]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let long = |lines: &[String]| -> Vec<usize> {
        let all = lines.iter().enumerate();
        all.filter(|(_, line)| line.len() > MAX_WHOLE)
            .map(|(index, _)| index)
            .collect()
    };
    let mut left = long(added);
    for old in long(removed) {
        let found = left.iter().take(MOST_COMPARED).position(|new| {
            let lines = removed.get(old).zip(added.get(*new));
            lines.is_some_and(|(old, new)| stretches::is_alike(old, new))
        });
        pairs.extend(found.map(|at| (old, left.remove(at))));
    }
    if removed.len() == added.len() {
        let (olds, news): (HashSet<usize>, HashSet<usize>) = pairs.iter().copied().unzip();
        let free = (0..removed.len()).filter(|at| !olds.contains(at) && !news.contains(at));
        pairs.extend(free.map(|at| (at, at)));
    }
    pairs
}

fn header_range(first: usize, next: usize) -> String {
    let count = next - first;
    format!("{},{count}", if count == 0 { first } else { first + 1 })
}

fn next_number(at: &mut usize) -> Option<u32> {
    *at += 1;
    u32::try_from(*at).ok()
}

/// Returns whether some of these lines end in CRLF and others in LF, or one ends in a carriage return alone. Then no line
/// is shown without it: a change from `a\r\n` to `a\n` would be no change to look at.
fn differ_in_ends<'l>(lines: impl Iterator<Item = &'l [u8]>) -> bool {
    let (mut crlf, mut lf) = (false, false);
    for line in lines {
        let is_ended = line.ends_with(b"\n");
        crlf |= line.ends_with(b"\r\n");
        lf |= is_ended && !line.ends_with(b"\r\n");
        if !is_ended && line.ends_with(b"\r") {
            return true;
        }
    }
    crlf && lf
}

/// Returns the spans in which two lines differ, unless they have next to nothing in common: of long lines each by itself.
fn differing(old: &str, new: &str) -> Option<[Vec<(usize, usize)>; 2]> {
    if old.len().max(new.len()) > MAX_WHOLE {
        return stretches::differing(old, new);
    }
    let (head, tail) = shared(old, new);
    let common = head + tail;
    if common * 3 < old.len().max(new.len()) {
        return None;
    }
    Some([old, new].map(|text| vec![(head, text.len() - tail)]))
}

/// Returns the nearest line above that begins in the first column with a letter, as git does.
fn enclosing(before: &Source, line: usize) -> Option<String> {
    let reach = line.saturating_sub(ENCLOSING_REACH)..line;
    let found = reach.rev().find(|line| {
        let first = before.line(*line).first();
        first.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
    })?;
    let text = before.line_text(found);
    Some(text.trim_end().chars().take(ENCLOSING_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(before: &str, splices: &[(usize, &str, &str)]) -> String {
        let source = Source::new(before);
        let splice = |(at, old, new): &(usize, &str, &str)| Splice {
            at: *at,
            old: (*old).into(),
            new: (*new).into(),
        };
        let edits = EditSet::new(splices.iter().map(splice).collect()).unwrap();
        let numbers = group(&source, &edits);
        let mut out = String::new();
        for hunk in render(&source, &edits, &numbers) {
            out.push_str(&format!(
                "#{} {} +{} -{}\n",
                hunk.number, hunk.header, hunk.added, hunk.removed
            ));
            for line in hunk.lines {
                let mark = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Removed => '-',
                    LineKind::Added => '+',
                };
                let number = |n: Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
                let open = if line.newline { "" } else { "$" };
                out.push_str(&format!(
                    "{mark}{}|{}|{}{open}{}\n",
                    number(line.old),
                    number(line.new),
                    line.text,
                    if line.emphasis.is_empty() {
                        String::new()
                    } else {
                        format!(" {:?}", line.emphasis)
                    }
                ));
            }
        }
        out
    }

    #[test]
    fn hunks_have_context_numbers_and_emphasis() {
        let before =
            "fn a() {\n    one();\n    two();\n    three();\n}\n\nfn b() {\n    two();\n}\n";
        let splices = [(24, "two", "2"), (35, "three", "3"), (60, "two", "2")];
        let expected = "\
#1 @@ -1,7 +1,7 @@ +2 -2
 1|1|fn a() {
 2|2|    one();
-3||    two(); [(4, 7)]
-4||    three(); [(4, 9)]
+|3|    2(); [(4, 5)]
+|4|    3(); [(4, 5)]
 5|5|}
 6|6|
 7|7|fn b() {
#2 @@ -5,5 +5,5 @@ fn a() { +1 -1
 5|5|}
 6|6|
 7|7|fn b() {
-8||    two(); [(4, 7)]
+|8|    2(); [(4, 5)]
 9|9|}
";
        assert_eq!(page(before, &splices), expected);
    }

    #[test]
    fn a_change_by_line_is_the_same_change() {
        let check =
            |before: &str, splices: &[(usize, &str, &str)], expected: &[(usize, &str, &str)]| {
                let make = |splices: &[(usize, &str, &str)]| {
                    let splice = |(at, old, new): &(usize, &str, &str)| Splice {
                        at: *at,
                        old: (*old).into(),
                        new: (*new).into(),
                    };
                    EditSet::new(splices.iter().map(splice).collect()).unwrap()
                };
                let (source, edits) = (Source::new(before), make(splices));
                let whole = by_line(&source, &edits);
                assert_eq!(whole, make(expected), "{before:?}");
                assert_eq!(
                    whole.apply(before.as_bytes()),
                    edits.apply(before.as_bytes())
                );
            };
        check(
            "ab\ncd\n",
            &[(0, "a", "x"), (1, "b", "y")],
            &[(0, "ab\n", "xy\n")],
        );
        check("ab\ncd\n", &[(1, "b\nc", "x")], &[(0, "ab\ncd\n", "axd\n")]);
        check("ab\ncd\n", &[(3, "", "x\n")], &[(3, "", "x\n")]);
        check("ab\ncd", &[(5, "", "\ne")], &[(3, "cd", "cd\ne")]);
        check("", &[(0, "", "x")], &[(0, "", "x")]);
    }

    #[test]
    fn whole_lines_and_open_ends_are_shown_as_they_are() {
        assert_eq!(
            page("a\nb\nc", &[(0, "", "x\n"), (2, "b\n", ""), (5, "", "\nd")]),
            "#1 @@ -1,3 +1,4 @@ +3 -2\n+|1|x\n 1|2|a\n-2||b\n-3||c$\n+|3|c\n+|4|d$\n"
        );
        assert_eq!(
            page("", &[(0, "", "x\ny")]),
            "#1 @@ -0,0 +1,2 @@ +2 -0\n+|1|x\n+|2|y$\n"
        );
        assert_eq!(
            page("a\n", &[(2, "", "b\n")]),
            "#1 @@ -1,1 +1,2 @@ +1 -0\n 1|1|a\n+|2|b\n"
        );
        assert_eq!(
            page("a\nb\n", &[(0, "a\nb\n", "")]),
            "#1 @@ -1,2 +0,0 @@ +0 -2\n-1||a\n-2||b\n"
        );
    }

    #[test]
    fn line_endings_that_differ_are_shown() {
        // One that becomes another, one that comes, and a lone carriage return at the end of the file.
        assert_eq!(
            page("one\r\ntwo\r\n", &[(8, "\r\n", "\n")]),
            "#1 @@ -1,2 +1,2 @@ +1 -1\n 1|1|one\r\n-2||two\r [(3, 4)]\n+|2|two [(3, 3)]\n"
        );
        assert_eq!(
            page("one\n", &[(4, "", "two\r\n")]),
            "#1 @@ -1,1 +1,2 @@ one +1 -0\n 1|1|one\n+|2|two\r\n".replace(" one +1", " +1")
        );
        assert_eq!(
            page("a\n", &[(2, "", "b\r")]),
            "#1 @@ -1,1 +1,2 @@ +1 -0\n 1|1|a\n+|2|b\r$\n"
        );
        // Those that are alike are not.
        assert_eq!(
            page("one\r\ntwo\r\n", &[(5, "two", "2")]),
            "#1 @@ -1,2 +1,2 @@ +1 -1\n 1|1|one\n-2||two\n+|2|2\n"
        );
        // Several that become others are one line.
        assert_eq!(
            page("a\nb\nc\n", &[(0, "a\nb\n", "a\r\nb\r\n")]),
            "#1 @@ -1,2 +1,2 @@ +2 -2\n+||2 line ends: LF to CRLF\n"
        );
    }

    #[test]
    fn a_long_line_is_looked_for_among_the_next_few_of_the_other_side() {
        let line = |word: &str| format!("{word} ").repeat(MAX_WHOLE);
        let with_others = |others: usize| -> Vec<String> {
            let others = (0..others).map(|number| line(&format!("other{number}")));
            others.chain([line("same") + "end"]).collect()
        };
        for (others, expected) in [
            (0, vec![(0, 0)]),
            (MOST_COMPARED - 1, vec![(0, MOST_COMPARED - 1)]),
            (MOST_COMPARED, vec![]),
        ] {
            let found = pairs(&[line("same")], &with_others(others));
            assert_eq!(found, expected, "behind {others} others");
        }
    }

    #[test]
    fn a_hunk_that_is_too_large_is_told_by_its_size() {
        let before = Source::new("a\nold\nb\nc\nd\n");
        let splice = |at: usize, old: &str, new: String| Splice {
            at,
            old: old.into(),
            new: new.into_bytes(),
        };
        let large = "line\n".repeat(40);
        let edits = EditSet::new(vec![
            splice(2, "old\n", large.clone()),
            splice(10, "d\n", "D\n".into()),
        ])
        .unwrap();
        let numbers = group(&before, &edits);
        let limit = large.len() + 4;
        let whole = render_within(&before, &edits, &numbers, limit);
        let bounded = render_within(&before, &edits, &numbers, limit - 1);
        let why = "not shown in so long a list";
        let hash = sha256;
        let lines: Vec<&str> = bounded[0]
            .lines
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        assert_eq!(
            lines,
            [
                format!("text, 1 line, 4 bytes, sha256 {}: {why}", hash(b"old\n")),
                format!(
                    "text, 40 lines, 200 bytes, sha256 {}: {why}",
                    hash(large.as_bytes())
                ),
            ]
        );
        let digests = bounded[0].undisplayed.as_ref().unwrap();
        assert_eq!(digests.new.as_ref().unwrap().sha256, hash(large.as_bytes()));
        assert_eq!((bounded[0].added, bounded[0].removed), (40, 1));
        assert_eq!(bounded[0].header, "@@ -2,1 +2,40 @@ a");
        // What comes behind it is shown as ever.
        assert_eq!(bounded[1], whole[1]);
    }
}
