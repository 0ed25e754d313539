//! Loose search: lines equal up to the mistakes models make when copying.
//!
//! In: a change and a text. Out: where its lines are once white space, typography, copied line
//! numbers, escaping, blank lines around it and elisions are ignored, the strictest normalisation
//! first. Several places at the first level that has any are ambiguous.

pub(crate) mod elision;
pub(crate) mod forms;
pub(crate) mod half;
pub(crate) mod hunt;
mod index;
pub(crate) mod nested;
pub(crate) mod normal;
pub(crate) mod squashed;
pub(crate) mod view;
mod words;

use std::cell::OnceCell;
use std::ops::Range;

use super::context::{ChosenLine, How, choose};
use super::limits::{STEPS_PER_BYTE, STEPS_PER_LINE, TELLING_TEXT};
use super::script::{Alignment, Row, Script};
use super::{Finding, Rung};
use crate::budget::{Budget, OutOfBudget};
use crate::text::indent::body;
use crate::text::{Slice, Source};
use forms::{Form, LineChange, OldNewLines, forms};
use hunt::Hunt;
use index::{Comparisons, Index};
use nested::is_nested_otherwise;
use normal::{Level, is_form, letters, normal};
use squashed::Squashed;
use view::{Block, BlockSpot, View};
use words::Words;

/// The levels at which lines are looked for, in this order.
pub(crate) const LEVELS: [Level; 3] = [Level::Trailing, Level::Typography, Level::Blanks];

/// The levels at which lines are indexed.
const INDEXED: [Level; 4] = [
    Level::Exact,
    Level::Trailing,
    Level::Typography,
    Level::Blanks,
];

/// More places than this are not compared one by one: a number decides, or they are ambiguous.
const FEW: usize = 8;

/// A text and its views, each made when it is first asked for.
pub(crate) struct Views<'a> {
    source: &'a Source,
    views: [OnceCell<View>; 5],
    squashed: OnceCell<Squashed<'a>>,
    words: Words<'a>,
    indexes: [Index; 4],
    comparisons: Comparisons,
    budget: &'a Budget,
}

/// Where a change may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// First 0-based line.
    pub from: usize,
    /// Line after the last.
    pub to: usize,
    /// The line that the request names, if it does.
    pub number: Option<usize>,
    /// True if every place is meant.
    pub all: bool,
}

/// A change and the lines that it stands on.
#[derive(Clone, Debug)]
pub(crate) struct LooseMatch {
    /// The change, in the form in which it was found.
    pub script: Script,
    /// Where its rows are.
    pub alignment: Alignment,
    /// How they were found.
    pub finding: Finding,
    /// What was undone of the change as it was given to get this form of it.
    pub undone: Vec<&'static str>,
    /// True if the first row was completed with what the file has before it, so that its
    /// indentation says nothing about the others.
    pub widened: bool,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub(crate) enum LocateOutcome {
    /// The places; more than one only if all are meant.
    At(Vec<LooseMatch>),
    /// The change is already made.
    Done,
    /// The lines after the change are at these lines, and those before it were not found; a weaker
    /// rung may still find them.
    There(Vec<Range<usize>>),
    /// Any of these 0-based lines could be meant; and what was looked through to find them.
    Many(Vec<usize>, String),
    /// Nowhere.
    Missing,
}

impl<'a> Views<'a> {
    /// Takes a text, and the budget of the work that looks at it.
    pub(crate) fn new(source: &'a Source, budget: &'a Budget) -> Self {
        Self {
            source,
            views: Default::default(),
            squashed: OnceCell::new(),
            words: Words::new(source),
            indexes: INDEXED.map(Index::new),
            comparisons: Comparisons::default(),
            budget,
        }
    }

    /// Returns the budget of the work that looks at the text.
    pub(crate) fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Returns the text.
    pub(crate) fn source(&self) -> &'a Source {
        self.source
    }

    /// Returns where a block of lines stands in `within`, in order; where there are very many
    /// places, those nearest to `number`.
    pub(crate) fn spots(
        &self,
        level: Level,
        block: Block<'_>,
        within: Range<usize>,
        number: Option<usize>,
    ) -> Vec<BlockSpot> {
        let index = self
            .indexes
            .iter()
            .zip(INDEXED)
            .find(|(_, own)| *own == level);
        let found = index.and_then(|(index, _)| {
            let (source, words) = (self.source, &self.words);
            let bounds = (self.budget, &self.comparisons);
            index.spots(source, words, block, within.clone(), number, bounds)
        });
        found.unwrap_or_else(|| {
            let spots = view::parts(self.budget, &self.words, self.source, level, block)
                .unwrap_or_else(|| self.at(level).spots(self.budget, self.source, block));
            spots
                .into_iter()
                .filter(|spot| {
                    spot.line >= within.start && spot.line + block.lines.len() <= within.end
                })
                .collect()
        })
    }

    /// Returns the first line of `within` whose form at `level` is `form`, or else the only one
    /// that has it as a part.
    pub(crate) fn line_with(
        &self,
        level: Level,
        form: &str,
        within: Range<usize>,
    ) -> Option<usize> {
        let own = |line: &usize| normal(self.budget, &view::string(self.source, *line), level);
        let lines = self.words.lines(form, within.clone());
        let lines = lines.unwrap_or_else(|| within.collect());
        let same = lines.iter().copied().find(|line| own(line) == form);
        same.or_else(|| {
            let mut near = lines
                .iter()
                .copied()
                .filter(|line| letters(form) > 2 && own(line).contains(form));
            near.next().filter(|_| near.next().is_none())
        })
    }

    /// Returns the lines of the text without their white space.
    pub(crate) fn squashed(&self) -> &Squashed<'a> {
        self.squashed
            .get_or_init(|| Squashed::new(self.source, self.budget))
    }

    /// Returns the text as it is at `level`.
    pub(crate) fn at(&self, level: Level) -> &View {
        let [exact, trailing, typography, blanks, squashed] = &self.views;
        let cell = match level {
            Level::Exact => exact,
            Level::Trailing => trailing,
            Level::Typography => typography,
            Level::Blanks => blanks,
            Level::Squashed => squashed,
        };
        cell.get_or_init(|| View::new(self.budget, self.source, level))
    }
}

/// Finds a change, at the first level and in the first form that give any place.
pub(crate) fn find(
    views: &Views<'_>,
    asked: &LineChange,
    scope: Scope,
) -> Result<LocateOutcome, OutOfBudget> {
    let forms = forms(asked, views.source());
    let tries = LEVELS
        .iter()
        .flat_map(|level| forms.iter().map(|form| (form, *level)));
    let found = tries
        .map(|(form, level)| at_level(views, form, level, scope))
        .chain(forms.iter().map(|form| elision::find(views, form, scope)));
    Hunt::new(scope).run(found)
}

fn at_level(
    views: &Views<'_>,
    form: &Form,
    level: Level,
    scope: Scope,
) -> Result<LocateOutcome, OutOfBudget> {
    let budget = views.budget;
    let (before, after) = (form.asked.before(), form.asked.after());
    budget.spend((before.len() + after.len()) * STEPS_PER_LINE)?;
    if before.is_empty() || invisible(budget, &before, &after, level) {
        return Ok(LocateOutcome::Missing);
    }
    let spots = |lines: &[&str]| -> Vec<BlockSpot> {
        let open = matches!(&form.asked, LineChange::Texts(texts) if !texts.closed);
        let within = matches!(&form.asked, LineChange::Texts(_));
        let block = Block {
            lines,
            open_start: within,
            open_end: open,
        };
        views.spots(level, block, scope.from..scope.to, scope.number)
    };
    let places = spots(&before);
    let script = form.asked.script(budget, level);
    let mut done = if tells(&script, true, true) && !after.is_empty() {
        spots(&after)
    } else {
        Vec::new()
    };
    let count = views.source.line_count();
    done.retain(|spot| is_telling_at(&script, &(spot.line..spot.line + after.len()), count));
    let repeats = joined(budget, &after, level).contains(&joined(budget, &before, level));
    let (made, mut open): (Vec<BlockSpot>, Vec<BlockSpot>) = places.into_iter().partition(|spot| {
        let own = spot.line..spot.line + before.len();
        let mut done = done.iter().map(|done| done.line..done.line + after.len());
        repeats && done.any(|done| done.start <= own.start && own.end <= done.end)
    });
    if open.len() > FEW && !scope.all {
        let lines: Vec<usize> = open.iter().map(|spot| spot.line).collect();
        let ChosenLine::One { line, .. } = choose(lines.clone(), scope.number) else {
            return Ok(LocateOutcome::Many(lines, found(form, level).how));
        };
        open.retain(|spot| spot.line == line);
    }
    let found = open.iter().map(|spot| widened(views, form, *spot, level));
    let mut found: Vec<LooseMatch> = found.collect::<Result<_, _>>()?;
    if level >= Level::Blanks {
        found.retain(|found| !is_nested_otherwise(views.source, &found.script, &found.alignment));
    }
    let (twins, found): (Vec<LooseMatch>, Vec<LooseMatch>) = found
        .into_iter()
        .partition(|found| stands(views, &found.script, &found.alignment));
    let made = made.len() + twins.len();
    if found.is_empty() {
        if made > 0 {
            return Ok(LocateOutcome::Done);
        }
        return Ok(match done.as_slice() {
            [spot] if spot.prefix == 0 && spot.suffix == 0 && says_enough(&after) => {
                LocateOutcome::There(std::iter::once(spot.line..spot.line + after.len()).collect())
            }
            _ => LocateOutcome::Missing,
        });
    }
    let at = found
        .first()
        .and_then(|found| found.alignment.first())
        .unwrap_or_default();
    let done: Vec<usize> = done.iter().map(|spot| spot.line).collect();
    if found.len() == 1 && made_at_number(at, scope.number, |line| done.contains(&line)) {
        return Ok(LocateOutcome::Done);
    }
    Ok(pick(found, made, scope))
}

/// Returns whether the lines after a change stand exactly at its number, and those before it
/// elsewhere, at `line`: then it was made, and `line` is a twin of its place.
pub(crate) fn made_at_number(
    line: usize,
    number: Option<usize>,
    made: impl Fn(usize) -> bool,
) -> bool {
    number.is_some_and(|number| line != number && made(number))
}

fn says_enough(lines: &[&str]) -> bool {
    let letters: usize = lines.iter().map(|line| letters(line)).sum();
    letters >= TELLING_TEXT || lines.len() >= 3 && letters * 3 >= TELLING_TEXT
}

/// Returns whether the change is nothing at this level, or nothing but indentation.
fn invisible(budget: &Budget, before: &[&str], after: &[&str], level: Level) -> bool {
    !Script::between(budget, before, after, level).changes()
        || level >= Level::Blanks && joined(budget, before, level) == joined(budget, after, level)
}

fn joined(budget: &Budget, lines: &[&str], level: Level) -> String {
    lines
        .iter()
        .map(|line| normal(budget, line, level))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns whether the lines after a change, found in a file, would show that it was made:
/// each of its blocks puts in something that says something, or closes a gap.
pub(crate) fn is_telling(script: &Script) -> bool {
    tells(script, false, false)
}

/// Returns whether the lines after a change would show at `place` that it was made: where they begin
/// or end the file, that is one side of a gap.
pub(crate) fn is_telling_at(script: &Script, place: &Range<usize>, count: usize) -> bool {
    tells(script, place.start == 0, place.end == count)
}

fn tells(script: &Script, begins: bool, ends: bool) -> bool {
    script.blocks().into_iter().all(|block| {
        let rows = script.rows.slice(block.clone());
        rows.iter()
            .any(|row| matches!(row, Row::Added(text) if letters(text) > 0))
            || (block.start > 0 || begins) && (block.end < script.rows.len() || ends)
    })
}

/// Returns whether a change that only adds already stands where it would go: the file has the
/// new lines right before or right after every place where they would be put.
pub(crate) fn stands(views: &Views<'_>, script: &Script, alignment: &Alignment) -> bool {
    let blocks = script.blocks();
    let mut told = false;
    let there = blocks.iter().all(|block| {
        let rows = script.rows.slice(block.clone());
        if rows.iter().any(Row::is_before) {
            return false;
        }
        let Some(at) = insertion(script, alignment, block.start) else {
            return false;
        };
        let forms: Vec<String> = rows
            .iter()
            .map(|row| normal(views.budget, row.text(), Level::Blanks))
            .collect();
        told |= rows.iter().any(|row| letters(row.text()) > 0);
        let equal = |start: usize| {
            forms.iter().enumerate().all(|(index, form)| {
                is_form(
                    views.budget,
                    &view::string(views.source, start + index),
                    form,
                    Level::Blanks,
                )
            })
        };
        let count = views.source.line_count();
        at + forms.len() <= count && equal(at) || at.checked_sub(forms.len()).is_some_and(equal)
    });
    there && told && !blocks.is_empty()
}

/// Returns the file's line before which a block that begins at `row` goes.
pub(crate) fn insertion(script: &Script, alignment: &Alignment, row: usize) -> Option<usize> {
    let before = script
        .rows
        .iter()
        .take(row)
        .filter(|row| row.is_before())
        .count();
    let Some(above) = before.checked_sub(1) else {
        return line_at(alignment, before);
    };
    if let Some(line) = line_at(alignment, above) {
        return Some(line + 1);
    }
    // Of two blank lines, the one that the file has not may as well be the second.
    let mut around = script.before().skip(above).take(2);
    let either = is_blank_row(around.next()) && is_blank_row(around.next());
    line_at(alignment, before).map(|line| line + usize::from(either))
}

fn line_at(alignment: &Alignment, index: usize) -> Option<usize> {
    alignment.lines.get(index).copied().flatten()
}

fn is_blank_row(row: Option<&Row>) -> bool {
    row.is_some_and(|row| row.text().trim().is_empty())
}

/// Makes the match of a form at a spot; lines that begin or end within a line of the file are
/// completed with what the file has there.
fn widened(
    views: &Views<'_>,
    form: &Form,
    spot: BlockSpot,
    level: Level,
) -> Result<LooseMatch, OutOfBudget> {
    let budget = views.budget;
    // The rest of long lines is compared and written with what changes on them.
    budget.spend((spot.prefix + spot.suffix) * STEPS_PER_BYTE)?;
    let prefix = spot.before(views.source);
    let suffix = spot.after(views.source, form.asked.before().len());
    let script = match &form.asked {
        LineChange::Texts(texts) => {
            let (old, new) = (
                completed(level, &prefix, &suffix, &texts.old),
                completed(level, &prefix, &suffix, &texts.new),
            );
            LineChange::Texts(OldNewLines {
                old,
                new,
                closed: texts.closed,
            })
            .script(budget, level)
        }
        rows @ LineChange::Rows(_) => rows.script(budget, level),
    };
    let alignment = Alignment::solid(spot.line, script.before().count());
    Ok(LooseMatch {
        script,
        alignment,
        finding: found(form, level),
        undone: form.undone.clone(),
        widened: spot.prefix > 0,
    })
}

fn completed(level: Level, prefix: &str, suffix: &str, lines: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    if let Some(first) = lines.first_mut().filter(|_| !prefix.is_empty()) {
        let body = if level >= Level::Blanks {
            body(first)
        } else {
            first.as_str()
        };
        let whole = format!("{prefix}{body}");
        *first = whole;
    }
    if let Some(last) = lines.last_mut().filter(|_| !suffix.is_empty()) {
        *last = format!("{}{suffix}", last.trim_end());
    }
    lines
}

fn found(form: &Form, level: Level) -> Finding {
    Finding::new(Rung::Loose, words(form, level))
}

/// Says how the place differs from what was asked for.
fn words(form: &Form, level: Level) -> String {
    let level = match level {
        Level::Exact | Level::Trailing if !form.undone.is_empty() => None,
        Level::Exact => Some("exactly as quoted"),
        Level::Trailing => Some("with other white space at the ends of lines"),
        Level::Typography => Some("with other quotes, dashes or accents"),
        Level::Blanks => Some("with other indentation or spaces"),
        Level::Squashed => Some("with other white space"),
    };
    let mut words = form.undone.clone();
    words.extend(level);
    words.join(", ")
}

/// Picks the one place, or all if all are meant; the number decides where it clearly can.
fn pick(mut found: Vec<LooseMatch>, made: usize, scope: Scope) -> LocateOutcome {
    if scope.all {
        return LocateOutcome::At(found);
    }
    let lines: Vec<usize> = found
        .iter()
        .filter_map(|found| found.alignment.first())
        .collect();
    let how = found
        .first()
        .map(|found| found.finding.how.clone())
        .unwrap_or_default();
    if made > 0 && scope.number.is_none() {
        return LocateOutcome::Many(lines, how);
    }
    match choose(lines.clone(), scope.number) {
        ChosenLine::One { line, how } => {
            found.retain(|found| found.alignment.first() == Some(line));
            found.truncate(1);
            for found in &mut found {
                found.finding.number(how);
            }
            LocateOutcome::At(found)
        }
        ChosenLine::Many(_) | ChosenLine::Missing => LocateOutcome::Many(lines, how),
    }
}

impl Finding {
    /// Adds what the number had to do with it.
    pub(crate) fn number(&mut self, how: How) {
        if let Some(words) = how.words() {
            self.how = format!("{}; {words}", self.how);
        }
    }
}
