//! Line index: finds lines by their normal form.
//!
//! In: a text, a level and blocks of lines. Out: the spots of a block, found by one of its lines that
//! must be whole. The first few searches read the text; after that an index
//! answers, so that a patch of thousands of hunks costs little more than one reading.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::normal::{Level, end_of, is_form, normal};
use super::view::{Block, BlockSpot, string};
use super::words::Words;
use crate::budget::Budget;
use crate::edit::locate::exact::MAX_PLACES;
use crate::text::indent::leading;
use crate::text::{Slice, Source};
use crate::word::is_word;

/// Number of searches that read the text before an index is worth its cost.
const READINGS: usize = 16;
/// Number of lines that are compared for one request; beyond that, nothing more is found. Only text
/// that repeats itself thousands of times needs more than a part of it.
const MAX_COMPARED: usize = 4_000_000;

/// The lines of a text at one level.
pub(super) struct Index {
    level: Level,
    searches: Cell<usize>,
    lines: OnceCell<HashMap<u64, Vec<usize>>>,
}

/// Number of lines around a line number that are searched; the nearest two decide.
const NEAREST: usize = 200;

/// How many lines one request may still compare.
pub(super) struct Comparisons(Cell<usize>);

impl Default for Comparisons {
    fn default() -> Self {
        Self(Cell::new(MAX_COMPARED))
    }
}

impl Comparisons {
    fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

impl Index {
    pub(super) fn new(level: Level) -> Self {
        Self {
            level,
            searches: Cell::new(0),
            lines: OnceCell::new(),
        }
    }

    /// Returns where a block stands within `within`, in order; where there are very many places,
    /// those nearest to `number`. None if none of its lines must be whole.
    pub(super) fn spots(
        &self,
        source: &Source,
        words: &Words<'_>,
        block: Block<'_>,
        within: Range<usize>,
        number: Option<usize>,
        (budget, comparisons): (&Budget, &Comparisons),
    ) -> Option<Vec<BlockSpot>> {
        let whole = block.whole(self.level);
        let forms: Vec<String> = block
            .lines
            .iter()
            .map(|line| normal(budget, line, self.level))
            .collect();
        let longest = whole
            .clone()
            .filter(|line| forms.get(*line).is_some_and(|form| !form.is_empty()))
            .max_by_key(|line| forms.get(*line).map(String::len))?;
        let (key, candidates) = self.candidates(
            budget,
            (source, words),
            (&forms, whole.clone()),
            longest,
            &within,
            number,
        );
        let stands = |start: usize| {
            start + forms.len() <= within.end
                && whole.clone().all(|line| {
                    let form = forms.get(line).map(String::as_str).unwrap_or_default();
                    let text = string(source, start + line);
                    comparisons.take() && is_form(budget, &text, form, self.level)
                })
        };
        let starts = candidates
            .into_iter()
            .filter_map(|line| line.checked_sub(key))
            .filter(|start| *start >= within.start && stands(*start));
        let spots = starts.filter_map(|start| self.ends(budget, source, (&forms, &whole), start));
        Some(spots.take(MAX_PLACES).collect())
    }

    /// Returns a line of the block and where it is in the file: one with a rare word, the longest line
    /// where there is none, the rarest once there is an index.
    fn candidates(
        &self,
        budget: &Budget,
        (source, words): (&Source, &Words<'_>),
        (forms, whole): (&[String], Range<usize>),
        longest: usize,
        within: &Range<usize>,
        number: Option<usize>,
    ) -> (usize, Vec<usize>) {
        let searches = self.searches.get();
        self.searches.set(searches + 1);
        let form = |line: usize| forms.get(line).map(String::as_str).unwrap_or_default();
        if searches < READINGS {
            let rows = whole.map(|line| (line, form(line)));
            if let Some((key, mut lines)) = words.few(rows, within.clone()) {
                lines.retain(|line| is_form(budget, &string(source, *line), form(key), self.level));
                return (key, lines);
            }
            let inside = within.start + longest..within.end;
            let mut lines = words
                .lines(form(longest), inside.clone())
                .unwrap_or_else(|| inside.collect());
            lines.retain(|line| is_form(budget, &string(source, *line), form(longest), self.level));
            return (
                longest,
                nearest(&lines, number.map(|number| number + longest)).to_vec(),
            );
        }
        let index = self.lines.get_or_init(|| {
            let mut lines: HashMap<u64, Vec<usize>> = HashMap::new();
            let goes_on = budget.spend(source.bytes().len()).is_ok();
            for line in (0..source.line_count()).filter(|_| goes_on) {
                let form = normal(budget, &string(source, line), self.level);
                lines.entry(hash(&form)).or_default().push(line);
            }
            lines
        });
        let known = |line: usize| {
            index
                .get(&hash(form(line)))
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let key = if known(longest).len() <= NEAREST {
            longest
        } else {
            let whole = (0..forms.len())
                .filter(|line| (1..forms.len() - 1).contains(line) || *line == longest);
            let says = whole.filter(|line| !form(*line).is_empty());
            says.min_by_key(|line| known(*line).len())
                .unwrap_or(longest)
        };
        let lines = known(key);
        let from = lines.partition_point(|line| *line < within.start + key);
        let to = lines.partition_point(|line| *line < within.end);
        let lines = lines.slice(from..to.max(from));
        (
            key,
            nearest(lines, number.map(|number| number + key)).to_vec(),
        )
    }

    /// Makes the spot of a block whose whole lines stand at `start`, if its first and last line
    /// fit as well where they may be parts of lines.
    fn ends(
        &self,
        budget: &Budget,
        source: &Source,
        (forms, whole): (&[String], &Range<usize>),
        start: usize,
    ) -> Option<BlockSpot> {
        let mut spot = BlockSpot {
            line: start,
            prefix: 0,
            suffix: 0,
        };
        if whole.start > 0 {
            let text = string(source, start);
            let form = normal(budget, &text, self.level);
            let own = forms.first()?;
            let before = form.strip_suffix(own.as_str())?;
            if cuts(before, own) || self.level < Level::Blanks && is_lead(before) {
                return None;
            }
            if !before.is_empty() {
                spot.prefix = self.byte(budget, &text, before);
            }
        }
        if whole.end < forms.len() {
            let text = string(source, start + forms.len() - 1);
            let form = normal(budget, &text, self.level);
            let own = forms.last()?;
            let after = form.strip_prefix(own.as_str())?;
            if cuts(own, after) {
                return None;
            }
            if !after.is_empty() {
                spot.suffix = text.len() - self.byte(budget, &text, own);
            }
        }
        Some(spot)
    }

    /// Returns the byte of a line after the part of it whose form is `taken`.
    fn byte(&self, budget: &Budget, text: &str, taken: &str) -> usize {
        end_of(budget, text, self.level, taken.chars().count())
    }
}

impl Block<'_> {
    /// Returns the lines that must be whole lines of the file.
    fn whole(&self, level: Level) -> Range<usize> {
        // Where indentation is looked through, a line that has some begins a line.
        let indented = self
            .lines
            .first()
            .is_some_and(|line| !leading(line).is_empty());
        let start = usize::from(self.open_start && !(level >= Level::Blanks && indented));
        let end = self.lines.len().saturating_sub(usize::from(self.open_end));
        start..end.max(start)
    }
}

/// Returns whether the boundary between two texts goes through a word.
pub(super) fn cuts(left: &str, right: &str) -> bool {
    left.chars().next_back().is_some_and(is_word) && right.chars().next().is_some_and(is_word)
}

/// Returns whether a text is indentation and nothing else.
pub(super) fn is_lead(text: &str) -> bool {
    !text.is_empty() && text.trim().is_empty()
}

/// Keeps the lines nearest to `number` where there are too many.
fn nearest(lines: &[usize], number: Option<usize>) -> &[usize] {
    let Some(number) = number.filter(|_| lines.len() > NEAREST) else {
        return lines;
    };
    let at = lines.partition_point(|line| *line < number);
    let from = at.saturating_sub(NEAREST / 2);
    lines.slice(from..(from + NEAREST).min(lines.len()))
}

fn hash(form: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    form.hash(&mut hasher);
    hasher.finish()
}
