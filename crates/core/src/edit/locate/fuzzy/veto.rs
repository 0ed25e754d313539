//! Vetoes: reasons to leave a place that fits well enough.
//!
//! In: a [`FuzzyMatch`]. Out: the first [`Veto`] that applies. Missing and extra lines are how a place
//! looks that was remembered badly or that has moved on; lines that read otherwise are how a sibling
//! of the place looks.

use std::ops::Range;

use super::align::RowStep;
use super::{FuzzyMatch, form};
use crate::edit::locate::limits::{STATEMENT, TELLING_LINE};
use crate::edit::locate::loose::insertion;
use crate::edit::locate::loose::nested::is_nested_otherwise;
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::nearest::word::differing;
use crate::edit::locate::script::Row;
use crate::syntax::defining::defined_name;
use crate::text::indent::leading;
use crate::text::{Slice, shared};

/// Lines above a place in which the head of its block is looked for: most functions are shorter.
const HEAD_REACH: usize = 40;

/// The least bytes of a word that stand before an ending that differs.
const STEM: usize = 3;

/// A reason not to take a place. Each names the class of the corpus, or the case of a user, that is
/// made wrong without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Veto {
    /// A line that names what changes has another name there: a function, test or type that is
    /// gone leaves its siblings. Corpus: "all that is shown is gone".
    OtherName,
    /// The head of the block that a request shows is missing, and the block there has a head with
    /// another name. User: the parameters of a function that was removed stand in a method too.
    OtherHead,
    /// Little stands as given. User: `return paths;` between brackets, of which one is missing.
    SaysLittle,
    /// Most lines are further in or out, and others are missing: one of both is how a request is
    /// copied, both together are another block. User: the comment of a method repeats that of a
    /// function.
    Shifted,
    /// Two lines have others in their place, and those are alike, or another place is nearly as
    /// good: copies of a block differ like this. Corpus: "all that is shown is gone".
    Reworded,
    /// The lines stand in an example within a comment that is further in or out. User: several
    /// examples in the documentation of one item.
    OtherExample,
    /// Lines only change places, and a line that they pass is missing or reads otherwise: whether
    /// they are in order already is unknown. User: a sorted list that was sorted meanwhile.
    PassesUnknown,
    /// One of two equal lines goes, and the file has one of them: which one is unknown. User: two
    /// closing calls in a row.
    LostTwin,
    /// A line that goes is missing, or a line that comes has no known neighbour. Corpus: "stale".
    Unsound,
}

impl Veto {
    /// All vetoes, in the order in which they are asked.
    pub(super) const ALL: [Self; 9] = [
        Self::Unsound,
        Self::OtherName,
        Self::OtherHead,
        Self::SaysLittle,
        Self::Shifted,
        Self::Reworded,
        Self::OtherExample,
        Self::PassesUnknown,
        Self::LostTwin,
    ];

    /// Returns the first veto against a place.
    pub(super) fn first(attempt: &FuzzyMatch<'_, '_>) -> Option<Self> {
        Self::ALL.into_iter().find(|veto| veto.applies(attempt))
    }

    fn applies(self, attempt: &FuzzyMatch<'_, '_>) -> bool {
        match self {
            Self::OtherName => is_named_otherwise(attempt),
            Self::OtherHead => is_headed_otherwise(attempt),
            Self::SaysLittle => says_little(attempt),
            Self::Shifted => is_shifted(attempt),
            Self::Reworded => !attempt.is_anchored() && is_reworded(attempt),
            Self::OtherExample => {
                is_nested_otherwise(attempt.views.source(), attempt.script, &attempt.alignment())
            }
            Self::PassesUnknown => passes_unknown(attempt),
            Self::LostTwin => has_lost_twin(attempt),
            Self::Unsound => !is_sound(attempt),
        }
    }
}

/// Rows one below the other that do not stand as given, and what stands in their place.
struct ReplacedRun<'a> {
    range: Range<usize>,
    /// Those that say something, with their numbers.
    rows: Vec<(usize, &'a str)>,
    /// The lines in their place that say something.
    lines: Vec<String>,
}

/// Returns the runs of rows that do not stand as given.
fn runs<'a>(attempt: &FuzzyMatch<'a, '_>) -> Vec<ReplacedRun<'a>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (index, step) in attempt.path.steps.iter().enumerate() {
        match (step, ranges.last_mut()) {
            (RowStep::Same(_), _) => {}
            (_, Some(last)) if last.end == index => last.end = index + 1,
            _ => ranges.push(index..index + 1),
        }
    }
    let run = |range: Range<usize>| {
        let lines = gap(attempt, &range).map(|line| attempt.line(line));
        let rows = range
            .clone()
            .filter_map(|row| Some((row, attempt.rows.get(row)?.text())));
        ReplacedRun {
            range,
            rows: rows
                .filter(|(_, text)| letters(text) >= TELLING_LINE)
                .collect(),
            lines: lines.filter(|text| letters(text) >= TELLING_LINE).collect(),
        }
    };
    ranges.into_iter().map(run).collect()
}

/// Returns the lines of the file between those that the rows around a run stand on; as many as the
/// run has where one of those is missing.
fn gap(attempt: &FuzzyMatch<'_, '_>, run: &Range<usize>) -> Range<usize> {
    let line = |row: Option<usize>| attempt.path.steps.get(row?).and_then(RowStep::line);
    let above = line(run.start.checked_sub(1)).map(|line| line + 1);
    let below = line(Some(run.end));
    match (above, below) {
        (Some(above), Some(below)) => above..below,
        (Some(above), None) => above..(above + run.len()).min(attempt.views.source().line_count()),
        (None, Some(below)) => below.saturating_sub(run.len())..below,
        (None, None) => 0..0,
    }
}

fn is_named_otherwise(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let names = names(attempt);
    runs(attempt).iter().any(|run| {
        let theirs: Vec<&str> = run
            .lines
            .iter()
            .filter_map(|text| defined_name(text))
            .collect();
        let rows = run
            .rows
            .iter()
            .filter(|(row, _)| names.get(*row) == Some(&true));
        let mut own = rows.filter_map(|(_, text)| defined_name(text));
        !theirs.is_empty() && own.any(|name| !theirs.contains(&name))
    })
}

fn is_headed_otherwise(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let names = names(attempt);
    let changed = attempt.script.rows.iter().filter(|row| !row.is_context());
    let mut changed = changed
        .map(Row::text)
        .filter(|text| !text.trim().is_empty());
    let Some(inside) = changed.next().map(depth) else {
        return false;
    };
    runs(attempt).iter().any(|run| {
        let below = attempt
            .path
            .steps
            .get(run.range.end)
            .and_then(RowStep::line);
        let unnamed = run.lines.iter().all(|text| defined_name(text).is_none());
        let Some(below) = below.filter(|_| unnamed) else {
            return false;
        };
        let rows = run
            .rows
            .iter()
            .filter(|(row, _)| names.get(*row) == Some(&true));
        let mut heads = rows.filter_map(|(_, text)| Some((depth(text), defined_name(text)?)));
        heads.any(|(outer, name)| {
            outer < inside && head(attempt, below, outer).is_some_and(|head| head != name)
        })
    })
}

fn depth(text: &str) -> usize {
    leading(text).len()
}

/// Returns the name of the block around a line: of the next line above that gives one and is
/// indented by no more than `depth`.
fn head(attempt: &FuzzyMatch<'_, '_>, line: usize, depth: usize) -> Option<String> {
    let above = (line.saturating_sub(HEAD_REACH)..line).rev();
    above.map(|line| attempt.line(line)).find_map(|text| {
        let name = defined_name(&text).filter(|_| leading(&text).len() <= depth);
        name.map(str::to_owned)
    })
}

fn says_little(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let steps = attempt.rows.iter().zip(&attempt.path.steps);
    let standing = steps.filter(|(_, step)| matches!(step, RowStep::Same(_)));
    let said: usize = standing.map(|(row, _)| letters(row.text())).sum();
    attempt.path.defects() > 0 && said < STATEMENT && !is_slip(attempt)
}

/// Returns whether all that is not as given is the ending of one word of a line that is kept, in a block
/// of three lines or more of which no other place is nearly as good: `items` for `item`.
fn is_slip(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let steps = attempt.rows.iter().zip(&attempt.path.steps);
    let mut others = steps.filter(|(_, step)| !matches!(step, RowStep::Same(_)));
    let Some((row, RowStep::Reworded(line))) = others.next() else {
        return false;
    };
    let one = attempt.path.defects() == 1 && others.next().is_none();
    let slip = differing(row.text(), &attempt.line(*line)).is_some_and(|(own, file)| {
        let (head, _) = shared(&own, &file);
        head >= STEM && head == own.len().min(file.len())
    });
    one && slip && row.is_context() && attempt.rows.len() >= 3 && !attempt.is_pressed()
}

fn is_shifted(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let (mut moved, mut all) = (0, 0);
    for (row, step) in attempt.rows.iter().zip(&attempt.path.steps) {
        let RowStep::Same(line) = step else { continue };
        if letters(row.text()) < TELLING_LINE {
            continue;
        }
        let file = attempt.line(*line);
        let (own, theirs) = (leading(row.text()), leading(&file));
        // Tabs for blanks are how a request is copied; a blank alone sets the stars of a comment.
        let by_unit = own.contains('\t') != theirs.contains('\t');
        let by_star = own.len().min(theirs.len()) < 2;
        all += 1;
        moved += usize::from(own != theirs && (!by_unit || by_star));
    }
    moved * 2 > all && runs(attempt).iter().any(|run| !run.rows.is_empty())
}

/// Returns, for each row of the text before, whether a name that it gives is one of what changes: it
/// stands above a change, or below it without a blank line in between.
fn names(attempt: &FuzzyMatch<'_, '_>) -> Vec<bool> {
    let rows = &attempt.script.rows;
    let last = rows.iter().rposition(|row| !row.is_context());
    let last = last.unwrap_or_default();
    let end = rows
        .iter()
        .enumerate()
        .position(|(index, row)| index > last && row.text().trim().is_empty())
        .unwrap_or(rows.len());
    let before = rows.iter().enumerate().filter(|(_, row)| row.is_before());
    before.map(|(index, _)| index < end).collect()
}

fn is_reworded(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let replaced: usize = runs(attempt)
        .iter()
        .map(|run| run.rows.len().min(run.lines.len()))
        .sum();
    replaced > 1 && (attempt.path.reworded() > 1 || attempt.is_pressed())
}

fn has_lost_twin(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let forms: Vec<String> = attempt
        .rows
        .iter()
        .map(|row| form(attempt.views.budget(), row.text()))
        .collect();
    let is_lost_beside_going =
        |row: usize, other: usize| attempt.is_lost(row) && attempt.goes(other);
    let mut pairs = forms.windows(2).enumerate();
    pairs.any(|(row, pair)| {
        matches!(pair, [a, b] if a == b)
            && (is_lost_beside_going(row, row + 1) || is_lost_beside_going(row + 1, row))
    })
}

impl FuzzyMatch<'_, '_> {
    /// Returns whether a context row is not in the file.
    fn is_lost(&self, row: usize) -> bool {
        let (own, step) = (self.rows.get(row), self.path.steps.get(row));
        own.is_some_and(|own| own.is_context()) && step == Some(&RowStep::Missing)
    }

    /// Returns whether a row that the change takes away is in the file.
    fn goes(&self, row: usize) -> bool {
        let (own, step) = (self.rows.get(row), self.path.steps.get(row));
        own.is_some_and(|own| !own.is_context()) && step.is_some_and(|step| step.line().is_some())
    }
}

fn passes_unknown(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let rows = &attempt.script.rows;
    let forms = |wanted: fn(&Row) -> bool| {
        let rows = rows.iter().filter(|row| wanted(row));
        let mut forms: Vec<String> = rows
            .map(|row| form(attempt.views.budget(), row.text()))
            .collect();
        forms.sort_unstable();
        forms
    };
    if forms(|row| matches!(row, Row::Removed(_))) != forms(|row| matches!(row, Row::Added(_))) {
        return false;
    }
    let blocks = attempt.script.blocks();
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return false;
    };
    let above = count_before(rows.slice(..first.start));
    let within = count_before(rows.slice(first.start..last.end));
    let mut passed = attempt.path.steps.iter().skip(above).take(within);
    !passed.all(|step| matches!(step, RowStep::Same(_)))
}

/// Returns whether what changes has a sure place: all that goes is there without a gap, and what
/// comes stands beside a line that is there, with nothing unknown in between.
fn is_sound(attempt: &FuzzyMatch<'_, '_>) -> bool {
    let (rows, steps) = (&attempt.script.rows, &attempt.path.steps);
    let alignment = attempt.alignment();
    attempt.script.blocks().into_iter().all(|block| {
        let before = count_before(rows.slice(..block.start));
        let removed = count_before(rows.slice(block.clone()));
        let gone = steps.slice(before..before + removed);
        if removed > 0 {
            return gone.iter().all(|step| matches!(step, RowStep::Same(_)))
                && gone.windows(2).all(
                    |pair| matches!(pair, [RowStep::Same(a), RowStep::Same(b)] if a + 1 == *b),
                );
        }
        let step = |row: Option<usize>| row.and_then(|row| steps.get(row));
        let (above, below) = (step(before.checked_sub(1)), step(Some(before)));
        is_known(above, below) && insertion(attempt.script, &alignment, block.start).is_some()
    })
}

fn count_before(rows: &[Row]) -> usize {
    rows.iter().filter(|row| row.is_before()).count()
}

/// Returns whether the place between two rows is known.
fn is_known(above: Option<&RowStep>, below: Option<&RowStep>) -> bool {
    match (above.and_then(RowStep::line), below.and_then(RowStep::line)) {
        (Some(above_line), Some(below_line)) => {
            above_line + 1 == below_line && (is_same(above) || is_same(below))
        }
        (Some(_), None) => is_same(above),
        (None, Some(_)) => is_same(below),
        (None, None) => false,
    }
}

fn is_same(step: Option<&RowStep>) -> bool {
    matches!(step, Some(RowStep::Same(_)))
}
