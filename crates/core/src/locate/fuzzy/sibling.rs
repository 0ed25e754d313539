//! Whether lines that nearly fit belong to a sibling of the block that is meant.
//!
//! In: the rows of a change and where they stand. Out: whether what reads otherwise there says that it
//! is another block. Lines that are left out or put in are how a place looks that was remembered badly,
//! or that has moved on; lines that read otherwise are how its sibling looks.

use std::ops::Range;

use super::align::{Path, Step};
use super::naming::named;
use super::seat::own_letters;
use super::{NEAR, form};
use crate::locate::loose::elision::is_elision;
use crate::locate::loose::normal::letters;
use crate::locate::loose::view::string;
use crate::locate::loose::{Scope, Views};
use crate::locate::script::{Row, Script};
use crate::text::indent::leading;

/// A line with fewer letters stands in any block.
const TELLING: usize = 4;
/// The least that has to be there as it is, in letters: with less, any block will do.
const LEAST: usize = 20;
/// The least where what goes is all of it: no line around it tells its copies apart.
const LEAST_ALONE: usize = 60;
/// So many lines may have others in their place: where more have, it is another block.
const MOST_OTHERWISE: usize = 2;
/// A line so far from the place is not of its surroundings.
const FAR: usize = 20;
/// A line that stands so often elsewhere is one that blocks of a kind have.
const COMMON: usize = 2;
/// With fewer on lines that the file has once, no line but the one that is not as given tells the
/// place from its copies.
const FEW_OWN: usize = 15;
/// Where so many letters stand as given on lines that the file has once, it is the right block.
const PLENTY: usize = 150;
/// The head of a block is looked for so many lines above.
const HEAD: usize = 40;

/// What speaks for a path leading to a sibling of the block that is meant.
pub(super) struct Likeness {
    /// It is another block, whatever else stands: something has another name, too little is as it is, or
    /// what is not as given is more than the surroundings of a block.
    other: bool,
    /// So many lines are as likely other lines as reworded ones.
    otherwise: usize,
    /// So many lines are like their rows but read otherwise.
    reworded: usize,
}

impl Likeness {
    /// Looks at what stands in the place of rows that are not as given.
    pub(super) fn of(
        views: &Views<'_>,
        script: &Script,
        rows: &[&Row],
        path: &Path,
        scope: Scope,
    ) -> Self {
        let own_letters = own_letters(
            views.squashed(),
            &standing(rows, path),
            &(scope.from..scope.to),
        );
        let off = |number: usize| path.first().map(|line| line.abs_diff(number));
        let counted = scope.number.and_then(off).is_some_and(|off| off <= NEAR);
        let runs: Vec<Run<'_>> = runs(path)
            .into_iter()
            .map(|range| Run::of(views, rows, path, range))
            .collect();
        let otherwise = runs.iter().map(Run::otherwise).sum();
        let little = || {
            let alone = otherwise > 0 && !counted && own_letters < FEW_OWN;
            alone || path.defects() > 0 && says_little(rows, path)
        };
        let common = || {
            let mut own = runs.iter().flat_map(|run| &run.own);
            own_letters < PLENTY && own.any(|(_, text)| is_common(views, path, text))
        };
        let shifted =
            || runs.iter().any(|run| !run.own.is_empty()) && is_shifted(views, rows, path);
        let paragraphs = paragraphs(script);
        let named = || {
            runs.iter()
                .any(|run| run.is_named_otherwise(views, script, path, &paragraphs))
        };
        let other = otherwise > MOST_OTHERWISE || little() || named() || common() || shifted();
        let reworded = |step: &&Step| matches!(step, Step::Reworded(_));
        Self {
            other,
            otherwise,
            reworded: path.steps.iter().filter(reworded).count(),
        }
    }

    /// Returns whether it is another block, whatever else stands.
    pub(super) fn is_other(&self) -> bool {
        self.other
    }

    /// Returns whether several lines read otherwise, and they are alike or another place is nearly as
    /// good (`pressed`): so do siblings.
    pub(super) fn is_alike(&self, pressed: bool) -> bool {
        self.otherwise > 1 && (self.reworded > 1 || pressed)
    }
}

/// Rows one below the other that do not stand as they are.
struct Run<'a> {
    range: Range<usize>,
    /// Those that say something, with their numbers.
    own: Vec<(usize, &'a str)>,
    /// The lines in their place that say something.
    gap: Vec<String>,
}

impl<'a> Run<'a> {
    fn of(views: &Views<'_>, rows: &[&'a Row], path: &Path, range: Range<usize>) -> Self {
        let gap = gap(views, path, &range)
            .map(|line| string(views.source(), line).into_owned())
            .filter(|text| letters(text) >= TELLING)
            .collect();
        let own = range
            .clone()
            .filter_map(|index| Some((index, rows.get(index)?.text())))
            .filter(|(index, text)| {
                letters(text) >= TELLING && !is_elision(text) && !is_part(views, path, *index, text)
            })
            .collect();
        Self { range, own, gap }
    }

    /// Returns how many of the rows have another line in their place.
    fn otherwise(&self) -> usize {
        self.own.len().min(self.gap.len())
    }

    /// Returns whether a row gives a name to what changes, and what stands there has another.
    fn is_named_otherwise(
        &self,
        views: &Views<'_>,
        script: &Script,
        path: &Path,
        paragraphs: &[bool],
    ) -> bool {
        let theirs: Vec<&str> = self.gap.iter().filter_map(|text| named(text)).collect();
        let mut names = self
            .own
            .iter()
            .filter(|(index, _)| paragraphs.get(*index) == Some(&true))
            .filter_map(|(_, text)| Some((*text, named(text)?)));
        names.any(|(text, name)| match theirs.is_empty() {
            false => !theirs.contains(&name),
            true => self.is_headed_otherwise(views, script, path, (text, name)),
        })
    }

    /// Returns whether the change stands in a block with such a head, a line and the name that it gives,
    /// and the head of the block in which it would come to stand has another name.
    fn is_headed_otherwise(
        &self,
        views: &Views<'_>,
        script: &Script,
        path: &Path,
        (text, name): (&str, &str),
    ) -> bool {
        let depth = |text: &str| leading(text).len();
        let changed = script.rows.iter().filter(|row| !row.is_context());
        let inside = changed
            .map(Row::text)
            .find(|row| !row.trim().is_empty())
            .is_some_and(|row| depth(row) > depth(text));
        let below = path.steps.get(self.range.end).and_then(Step::line);
        let Some(below) = below.filter(|_| inside) else {
            return false;
        };
        let mut above = (below.saturating_sub(HEAD)..below).rev();
        let head = above.find_map(|line| {
            let file = string(views.source(), line);
            let outer = depth(&file) <= depth(text);
            named(&file).filter(|_| outer).map(str::to_owned)
        });
        head.is_some_and(|head| head != name)
    }
}

/// Returns the rows that stand as given.
fn standing<'a>(rows: &[&'a Row], path: &Path) -> Vec<&'a Row> {
    let steps = rows.iter().zip(&path.steps);
    let same = steps.filter(|(_, step)| matches!(step, Step::Same(_)));
    same.map(|(row, _)| *row).collect()
}

/// Returns whether a line that is not here stands several times elsewhere, and never near: then it is
/// the sibling's own that is missing.
fn is_common(views: &Views<'_>, path: &Path, text: &str) -> bool {
    let Some(span) = path.span() else {
        return false;
    };
    let near = span.start.saturating_sub(FAR)..span.end + FAR;
    let (form, view) = (form(text), views.squashed());
    view.lines_of(&form, 0).nth(COMMON - 1).is_some()
        && view
            .lines_of(&form, near.start)
            .next()
            .is_none_or(|line| line >= near.end)
}

/// Returns whether most rows that stand as they are and say something are further in or out there. Tabs
/// for blanks are no sign of it.
fn is_shifted(views: &Views<'_>, rows: &[&Row], path: &Path) -> bool {
    let (mut moved, mut all) = (0, 0);
    for (row, step) in rows.iter().zip(&path.steps) {
        let Step::Same(line) = step else { continue };
        if letters(row.text()) < TELLING {
            continue;
        }
        let file = string(views.source(), *line);
        let (own, theirs) = (leading(row.text()), leading(&file));
        let by_tabs = own.contains('\t') == theirs.contains('\t');
        // A blank alone is how the stars of a comment are set.
        let by_blanks = own.len().min(theirs.len()) < 2;
        all += 1;
        moved += usize::from(own != theirs && (by_tabs || by_blanks));
    }
    moved * 2 > all
}

/// Returns, for each row that is in the text before, whether its name would be one of what changes:
/// it stands above a change, or below it without a blank line between them.
fn paragraphs(script: &Script) -> Vec<bool> {
    let last = script.rows.iter().rposition(|row| !row.is_context());
    let last = last.unwrap_or_default();
    let mut apart = false;
    let mut found = Vec::with_capacity(script.rows.len());
    for (index, row) in script.rows.iter().enumerate() {
        apart |= index > last && row.text().trim().is_empty();
        if row.is_before() {
            found.push(!apart);
        }
    }
    found
}

/// Returns whether what stands as it is would stand in many a block.
fn says_little(rows: &[&Row], path: &Path) -> bool {
    let mut said = 0;
    let mut told = false;
    for (row, step) in rows.iter().zip(&path.steps) {
        if matches!(step, Step::Same(_)) {
            let letters = letters(row.text());
            said += letters;
            told |= row.is_context() && letters >= TELLING;
        }
    }
    said < if told { LEAST } else { LEAST_ALONE }
}

/// Returns the runs of rows that do not stand as they are.
fn runs(path: &Path) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, step) in path.steps.iter().enumerate() {
        match (step, runs.last_mut()) {
            (Step::Same(_), _) => {}
            (_, Some(last)) if last.end == index => last.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// Returns the lines of the file between those that the rows around a run stand on; as many as the
/// run has where there is none.
fn gap(views: &Views<'_>, path: &Path, run: &Range<usize>) -> Range<usize> {
    let line = |index: Option<usize>| {
        index
            .and_then(|index| path.steps.get(index))
            .and_then(Step::line)
    };
    let above = line(run.start.checked_sub(1)).map(|line| line + 1);
    let below = line(Some(run.end));
    match (above, below) {
        (Some(above), Some(below)) => above..below,
        (Some(above), None) => above..(above + run.len()).min(views.source().line_count()),
        (None, Some(below)) => below.saturating_sub(run.len())..below,
        (None, None) => 0..0,
    }
}

/// Returns whether a row at the edge of the request is the end or the beginning of the line next to
/// those that stand: not every request is cut at the ends of lines.
fn is_part(views: &Views<'_>, path: &Path, index: usize, text: &str) -> bool {
    let line = |index: Option<usize>| {
        index
            .and_then(|index| path.steps.get(index))
            .and_then(Step::line)
    };
    let file = |line: usize| form(&string(views.source(), line));
    let form = form(text);
    let first = index == 0 && {
        let above = line(Some(1)).and_then(|line| line.checked_sub(1));
        above.is_some_and(|line| file(line).ends_with(&form))
    };
    let last = index + 1 == path.steps.len() && {
        let below = line(index.checked_sub(1)).map(|line| line + 1);
        below
            .is_some_and(|line| line < views.source().line_count() && file(line).starts_with(&form))
    };
    first || last
}
