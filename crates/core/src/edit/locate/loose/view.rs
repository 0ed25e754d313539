//! A text in normal form, with its line starts.
//!
//! In: a source and a level. Out: [`View`], in which a block of lines is found in one linear
//! search; every line of the view is a line of the file. [`parts`] makes views of those lines only
//! on which the block may stand.

use std::ops::Range;

use super::index::{cuts, is_lead};
use super::normal::{Level, end_of, normal, push_normal};
use super::words::{Words, longest};
use crate::budget::Budget;
use crate::edit::locate::exact::{MAX_PLACES, places};
use crate::text::Source;
use crate::text::indent::leading;

/// Where more than one line in this number may be the first of a block, the text is viewed as a whole.
const FEW: usize = 16;

/// The normal form of every line, each after a `\n`, closed by one.
pub(crate) struct View {
    level: Level,
    /// The line of the file that is the first of the view.
    first: usize,
    text: String,
    starts: Vec<usize>,
}

/// A block of lines to look for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    /// The lines.
    pub lines: &'a [&'a str],
    /// True if the first line may begin within a line of the file.
    pub open_start: bool,
    /// True if the last line may end within a line of the file.
    pub open_end: bool,
}

/// Where a block stands. Of what the file has around it only the sizes are kept: there may be a thousand spots on one line
/// of 4 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockSpot {
    /// 0-based line of the file.
    pub line: usize,
    /// Bytes that the file has on the first line before the block.
    pub prefix: usize,
    /// Bytes that it has on the last line after the block.
    pub suffix: usize,
}

impl BlockSpot {
    /// Returns what the file has on the first line before the block.
    pub(super) fn before(self, source: &Source) -> String {
        let line = string(source, self.line);
        line.get(..self.prefix).unwrap_or(&line).to_owned()
    }

    /// Returns what the file has after the block on the last of its lines, which are so many.
    pub(super) fn after(self, source: &Source, lines: usize) -> String {
        let line = string(source, self.line + lines.saturating_sub(1));
        let at = line.len().saturating_sub(self.suffix);
        line.get(at..).unwrap_or(&line).to_owned()
    }
}

impl View {
    /// Makes the view of a text.
    pub(crate) fn new(budget: &Budget, source: &Source, level: Level) -> Self {
        Self::of(budget, source, level, 0..source.line_count())
    }

    /// Makes the view of some of its lines.
    fn of(budget: &Budget, source: &Source, level: Level, lines: Range<usize>) -> Self {
        let end = source.line_range(lines.end).start;
        let bytes = end.saturating_sub(source.line_range(lines.start).start);
        let lines = if budget.spend(bytes + lines.len()).is_ok() {
            lines
        } else {
            lines.start..lines.start
        };
        let mut text = String::with_capacity(bytes + 2);
        let mut starts = Vec::with_capacity(lines.len());
        let first = lines.start;
        for line in lines {
            text.push('\n');
            starts.push(text.len());
            push_normal(budget, &string(source, line), level, &mut text);
        }
        text.push('\n');
        Self {
            level,
            first,
            text,
            starts,
        }
    }

    /// Returns where `block` stands, in order, at most [`MAX_PLACES`] spots.
    pub(crate) fn spots(
        &self,
        budget: &Budget,
        source: &Source,
        block: Block<'_>,
    ) -> Vec<BlockSpot> {
        let Some(needle) = Needle::new(budget, block, self.level) else {
            return Vec::new();
        };
        let found = self.places(&needle).into_iter();
        found
            .filter_map(|(start, end)| self.spot(budget, source, (start, end), block.lines.len()))
            .collect()
    }

    /// Returns where a needle is, from the first byte to the one after the last.
    fn places(&self, needle: &Needle) -> Vec<(usize, usize)> {
        let found = places(&self.text, &needle.text).into_iter();
        let end = needle.text.len() - usize::from(needle.closed_end);
        found
            .map(|at| (at + usize::from(needle.closed_start), at + end))
            .collect()
    }

    fn spot(
        &self,
        budget: &Budget,
        source: &Source,
        (start, end): (usize, usize),
        lines: usize,
    ) -> Option<BlockSpot> {
        let line = self.line_of(start)?;
        let last = line + lines.saturating_sub(1);
        let (first_start, last_start) = (*self.starts.get(line)?, *self.starts.get(last)?);
        let (before, after) = (self.text.get(first_start..start)?, self.text.get(end..)?);
        let matched = self.text.get(start..end)?;
        if cuts(before, matched) || cuts(matched, after) {
            return None;
        }
        let file = |line: usize, taken: &str| {
            let text = string(source, self.first + line);
            let at = end_of(budget, &text, self.level, taken.chars().count());
            (at, text.len() - at)
        };
        if self.level < Level::Blanks && is_lead(before) {
            // It begins its line but for indentation, which is a matter for the next level.
            return None;
        }
        let prefix = if before.is_empty() {
            0
        } else {
            file(line, before).0
        };
        let suffix = if after.starts_with('\n') {
            0
        } else {
            file(last, self.text.get(last_start..end)?).1
        };
        Some(BlockSpot {
            line: self.first + line,
            prefix,
            suffix,
        })
    }

    fn line_of(&self, at: usize) -> Option<usize> {
        let after = self.starts.partition_point(|start| *start <= at);
        after.checked_sub(1)
    }
}

/// What stands in a view where a block does.
struct Needle {
    text: String,
    closed_start: bool,
    closed_end: bool,
}

impl Needle {
    /// Takes a block; none if it is nothing but blank lines.
    fn new(budget: &Budget, block: Block<'_>, level: Level) -> Option<Self> {
        let forms: Vec<String> = (block.lines.iter())
            .map(|line| normal(budget, line, level))
            .collect();
        if forms.iter().all(String::is_empty) {
            return None;
        }
        // Where indentation is looked through, a line that has some begins a line.
        let first_indented = block
            .lines
            .first()
            .is_some_and(|line| !leading(line).is_empty());
        let closed_start = !block.open_start || (level >= Level::Blanks && first_indented);
        let closed_end = !block.open_end;
        let (head, tail) = (line_end(closed_start), line_end(closed_end));
        Some(Self {
            text: format!("{head}{}{tail}", forms.join("\n")),
            closed_start,
            closed_end,
        })
    }
}

fn line_end(closed: bool) -> &'static str {
    if closed { "\n" } else { "" }
}

/// Returns where `block` stands, as a view of all lines would. None if no view of a few will do.
pub(super) fn parts(
    budget: &Budget,
    words: &Words<'_>,
    source: &Source,
    level: Level,
    block: Block<'_>,
) -> Option<Vec<BlockSpot>> {
    let needle = Needle::new(budget, block, level)?;
    let forms = block.lines.iter().map(|line| normal(budget, line, level));
    let forms: Vec<String> = forms.collect();
    let rows = || forms.iter().map(String::as_str).enumerate();
    let count = source.line_count();
    let (row, lines) = match words.few(rows(), 0..count) {
        Some(found) => found,
        None => {
            let (row, form) = rows().max_by_key(|(_, form)| longest(form).map_or(0, str::len))?;
            (row, words.lines(form, 0..count)?)
        }
    };
    if lines.len() > count / FEW + 1 || weigh(source, &lines, block) > source.bytes().len() / FEW {
        return None;
    }
    let mut left = MAX_PLACES;
    let mut spots = Vec::new();
    for first in lines.into_iter().filter_map(|line| line.checked_sub(row)) {
        let view = View::of(
            budget,
            source,
            level,
            first..(first + block.lines.len()).min(count),
        );
        let mut places = view.places(&needle);
        places.retain(|(start, _)| view.line_of(*start) == Some(0));
        places.truncate(left);
        left -= places.len();
        let found = places.into_iter();
        spots.extend(found.filter_map(|place| view.spot(budget, source, place, block.lines.len())));
    }
    Some(spots)
}

/// Returns how many bytes the blocks have that begin on these lines, about.
fn weigh(source: &Source, lines: &[usize], block: Block<'_>) -> usize {
    lines
        .iter()
        .map(|line| {
            let end = (line + block.lines.len()).min(source.line_count());
            source.line_range(end).start - source.line_range(*line).start
        })
        .sum()
}

/// Returns a line of the file as text.
pub(crate) fn string(source: &Source, line: usize) -> std::borrow::Cow<'_, str> {
    source.line_text(line)
}
