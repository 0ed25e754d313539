//! Placing a hunk of a patch.
//!
//! In: a text, a hunk and where the one before it ended. Out: the lines that it is for, and how they
//! were found. By its lines as they are, then down the ladder; its number only decides between
//! places that the lines allow, and lines named above it say where to look: for
//! `@@ fn area` a hunk whose first line is in the block of `fn area`, wherever it ends.

use std::ops::Range;

use super::anchor::region;
use super::in_block::{BEYOND_ANCHOR, beyond, exact_in_block, starts_in_block};
use super::parse::PatchHunk;
use crate::budget::{Budget, OutOfBudget};
use crate::edit::locate::loose::forms::{LineChange, unescaping};
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::loose::view::string;
use crate::edit::locate::loose::{LocateOutcome, LooseMatch, Scope, Views};
use crate::edit::locate::nearest::nearest;
use crate::edit::locate::nearest::word::one_word;
use crate::edit::locate::script::{Row, Script};
use crate::edit::locate::{Finding, Rung, ladder, rows};
use crate::edit::plan::outcome::several;
use crate::edit::plan::rewrite;
use crate::edit::plan::{Evidence, Outcome};
use crate::text::Source;
use crate::text::indent::{Lead, leading};

/// Maximum number of hunks whose order is looked at together.
const MAX_ORDERED: usize = 64;
/// Number of later hunks that are asked how far they are from their numbers.
const LOOK_AHEAD: usize = 8;

/// What became of a hunk.
pub(super) enum HunkPlace {
    /// Where it goes.
    At(Seat),
    /// It is applied already.
    Done,
    /// An answer why it cannot be applied.
    Not(Outcome),
}

/// Where a hunk goes.
pub(super) enum Seat {
    /// By the lines that it shows.
    Lines(LooseMatch),
    /// Before a 0-based line, since the hunk shows no line of the file.
    Before {
        /// The line.
        line: usize,
        /// What names it, for the evidence.
        how: &'static str,
    },
}

impl Seat {
    /// Returns how it was found.
    pub(super) fn evidence(&self) -> Evidence {
        match self {
            Self::Lines(found) => found.finding.clone(),
            Self::Before { how, .. } => Finding::new(Rung::Numbers, *how),
        }
    }

    /// Returns the characters from which a level of escaping was taken away, if it was.
    pub(super) fn escaped(&self) -> Option<&'static str> {
        match self {
            Self::Lines(found) => unescaping(&found.undone),
            Self::Before { .. } => None,
        }
    }

    /// Returns how the hunk's indented lines are indented in the file.
    pub(super) fn leads(&self, source: &Source) -> Vec<Lead> {
        match self {
            Self::Lines(found) => rewrite::leads(source, found),
            Self::Before { .. } => Vec::new(),
        }
    }
}

/// What the hunks so far tell about the next.
#[derive(Clone, Default)]
pub(super) struct HunkCursor {
    /// Where it may begin.
    from: usize,
    /// How far hunks have been from their numbers.
    pub(super) drift: isize,
    /// The lines that hunks stand on.
    taken: Vec<Range<usize>>,
}

/// Finds a hunk at or after the cursor, and moves that.
pub(super) fn place(views: &Views<'_>, hunk: &PatchHunk, cursor: &mut HunkCursor) -> HunkPlace {
    let source = views.source();
    if hunk.before().eq(hunk.after()) && hunk.old_open == hunk.open_end {
        return invalid("the hunk changes nothing");
    }
    let number = hunk
        .old_start
        .map(|line| line.saturating_add_signed(cursor.drift));
    if hunk.before().next().is_none() {
        return without_lines(views, hunk, cursor);
    }
    if let Some(seat) = at_end(views, hunk, cursor) {
        return seat;
    }
    let region = region(views, hunk, cursor.from);
    let scope = Scope {
        from: region.start,
        to: region.end.unwrap_or(source.line_count()),
        number,
        all: false,
    };
    let mut found = match exact_in_block(views, hunk, &region) {
        Some((script, Range { start, end })) => {
            let (from, to) = (start, end);
            rows::find(views, &script, Scope { from, to, ..scope })
        }
        None => match find(views, hunk, scope) {
            Ok(found) => found,
            Err(out) => return HunkPlace::Not(out.into()),
        },
    };
    let all = Scope {
        to: source.line_count(),
        ..scope
    };
    let below = beyond(views, hunk, &region);
    match (&found, below.as_slice()) {
        (LocateOutcome::Missing, [_, ..]) => found = rows::find(views, &hunk.script(), all),
        (LocateOutcome::Missing, []) if hunk.before().count() >= BEYOND_ANCHOR => {
            // The line that is named may stand above the hunk before as well.
            let from = cursor.from;
            found = rows::find(views, &hunk.script(), Scope { from, ..all });
        }
        // Several blocks may begin as the anchor says.
        (LocateOutcome::At(matches), [line, ..]) => {
            let guess = matches
                .first()
                .filter(|found| found.finding.rung != Rung::Exact);
            if let Some(guess) = guess {
                let lines = [guess.alignment.first().unwrap_or_default(), *line];
                let how = "one of them nearly, but below the line that the patch names";
                return HunkPlace::Not(ambiguous(source, &lines, how));
            }
        }
        (LocateOutcome::Done | LocateOutcome::There(_), [line, ..]) => {
            let how = "as given, but below the block of the line that the patch names, in which the \
                       lines after the change stand";
            return HunkPlace::Not(ambiguous(source, &[*line], how));
        }
        _ => {}
    }
    match found {
        LocateOutcome::At(matches) => match matches.into_iter().next() {
            Some(found) => match passed_by(views, hunk, &found, cursor) {
                Some(line) => HunkPlace::Not(ambiguous(
                    source,
                    &[line],
                    "as given, but above the hunk before it",
                )),
                None => seated(hunk, found, cursor),
            },
            None => HunkPlace::Done,
        },
        LocateOutcome::Done | LocateOutcome::There(_) => HunkPlace::Done,
        LocateOutcome::Many(lines, how) => HunkPlace::Not(ambiguous(source, &lines, &how)),
        LocateOutcome::Missing => {
            let outcome = missing(views.budget(), source, hunk);
            HunkPlace::Not(outcome.unwrap_or_else(Outcome::from))
        }
    }
}

/// Returns the ways to read the rows of a hunk, the likeliest first.
pub(super) fn scripts(hunk: &PatchHunk) -> Vec<Script> {
    let (given, bare) = (hunk.script(), hunk.unmarked());
    match (given == bare, hunk.lost_marks()) {
        (true, _) => vec![given],
        (false, true) => vec![bare, given],
        (false, false) => vec![given, bare],
    }
}

/// Returns the only place of the first of `hunks` at which the others can still stand below it as
/// given, in their order: two equal hunks are for two equal places, one each. Case:
/// `the_order_of_hunks_tells_their_places`.
pub(super) fn by_order(
    views: &Views<'_>,
    hunks: &[PatchHunk],
    cursor: &HunkCursor,
) -> Option<Range<usize>> {
    let mut from = cursor.from;
    let mut each: Vec<(Vec<usize>, usize)> = Vec::new();
    for hunk in hunks.iter().take(MAX_ORDERED) {
        let region = region(views, hunk, from);
        let known = scripts(hunk).into_iter().find_map(|script| {
            let length = script.before().count();
            let lines = starts_in_block(views, &script, &region);
            (length > 0 && !lines.is_empty()).then_some((lines, length))
        });
        match known {
            Some((lines, length)) => {
                from = lines.first()? + length;
                each.push((lines, length));
            }
            // One that is not there as given says nothing of the order.
            None if each.is_empty() => return None,
            None => {}
        }
    }
    let mut until = views.source().line_count();
    for (lines, length) in each.iter().rev() {
        until = *lines.iter().rfind(|line| *line + length <= until)?;
    }
    let (lines, length) = each.first()?;
    let first = *lines.first()?;
    (lines.len() > 1 && first == until).then_some(first..first + length)
}

/// Finds a hunk in these lines, and moves the cursor.
pub(super) fn place_at(
    views: &Views<'_>,
    hunk: &PatchHunk,
    lines: Range<usize>,
    cursor: &mut HunkCursor,
) -> Option<HunkPlace> {
    let scope = Scope {
        from: lines.start,
        to: lines.end,
        number: None,
        all: false,
    };
    let mut found = scripts(hunk)
        .into_iter()
        .map(|script| rows::find(views, &script, scope));
    found.find_map(|found| match found {
        LocateOutcome::At(matches) => Some(seated(hunk, matches.into_iter().next()?, cursor)),
        _ => None,
    })
}

/// Places a hunk whose lines end the file, if it says that they do, or if its last line is blank and
/// stands for the last line ending. Case: `the_end_of_the_file_tells_the_place`.
fn at_end(views: &Views<'_>, hunk: &PatchHunk, cursor: &mut HunkCursor) -> Option<HunkPlace> {
    let count = views.source().line_count();
    let ends = |hunk: &PatchHunk, cursor: &mut HunkCursor| {
        let from = count.checked_sub(hunk.before().count())?;
        let place = (from >= cursor.from).then_some(from..count)?;
        place_at(views, hunk, place, cursor)
    };
    let cut = || hunk.without_last_blank();
    if hunk.at_end {
        return ends(hunk, cursor).or_else(|| ends(&cut()?, cursor));
    }
    let given = scripts(hunk).into_iter().any(|script| {
        let before: Vec<&str> = script.before().map(Row::text).collect();
        !rows::places(views, &before, cursor.from..count, None).is_empty()
    });
    if given { None } else { ends(&cut()?, cursor) }
}

/// Returns the line at which a hunk that was found loosely stands as given, above the one before
/// it: hunks are not always in order.
fn passed_by(
    views: &Views<'_>,
    hunk: &PatchHunk,
    found: &LooseMatch,
    cursor: &HunkCursor,
) -> Option<usize> {
    if !found.finding.is_guess() || cursor.from == 0 {
        return None;
    }
    let before: Vec<&str> = hunk.before().collect();
    rows::places(views, &before, 0..cursor.from, None)
        .into_iter()
        .find(|line| {
            let end = line + before.len();
            cursor
                .taken
                .iter()
                .all(|taken| taken.end <= *line || end <= taken.start)
        })
}

/// Returns how far one of these hunks is from its number, if one stands as given at one place
/// only, from the cursor on.
pub(super) fn drift_of(
    views: &Views<'_>,
    hunks: &[PatchHunk],
    cursor: &HunkCursor,
) -> Option<isize> {
    let count = views.source().line_count();
    hunks.iter().take(LOOK_AHEAD).find_map(|hunk| {
        let number = hunk.old_start?;
        let before: Vec<&str> = hunk.before().collect();
        if before.len() < BEYOND_ANCHOR {
            return None;
        }
        match rows::places(views, &before, cursor.from..count, None).as_slice() {
            [line] => Some(*line as isize - number as isize),
            _ => None,
        }
    })
}

fn find(views: &Views<'_>, hunk: &PatchHunk, scope: Scope) -> Result<LocateOutcome, OutOfBudget> {
    let mut scripts = scripts(hunk);
    scripts.extend(hunk.filled());
    let asked: Vec<LineChange> = scripts.into_iter().map(LineChange::Rows).collect();
    let found = ladder::find(views, &asked, scope)?;
    Ok(remarked(views.source(), hunk, found))
}

/// Where every context line turns out to be one blank further in, that blank was no mark.
fn remarked(source: &Source, hunk: &PatchHunk, found: LocateOutcome) -> LocateOutcome {
    let LocateOutcome::At(mut matches) = found else {
        return found;
    };
    for found in &mut matches {
        let rows = found.script.before().zip(&found.alignment.lines);
        let rows: Vec<(&Row, usize)> = rows
            .filter_map(|(row, line)| Some((row, (*line)?)))
            .collect();
        let is_shifted = |(row, line): &(&Row, usize)| {
            leading(&string(source, *line)) == format!(" {}", leading(row.text()))
        };
        let (removed, context): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .partition(|(row, _)| matches!(row, Row::Removed(_)));
        let mut context = context
            .iter()
            .filter(|(row, _)| row.is_context() && !row.text().trim().is_empty())
            .peekable();
        let marks = context.peek().is_some()
            && context.all(is_shifted)
            && !removed.iter().any(is_shifted)
            && found.script == hunk.script();
        if marks {
            found.script = hunk.unmarked();
        }
    }
    LocateOutcome::At(matches)
}

fn seated(hunk: &PatchHunk, found: LooseMatch, cursor: &mut HunkCursor) -> HunkPlace {
    let Some(line) = found.alignment.first() else {
        return invalid("the hunk has no place");
    };
    cursor.drift = hunk
        .old_start
        .map_or(cursor.drift, |number| line as isize - number as isize);
    cursor.from = found.alignment.end().unwrap_or(cursor.from);
    cursor.taken.push(line..cursor.from);
    HunkPlace::At(Seat::Lines(found))
}

/// Places a hunk that shows no line of the file: by its number, which counts as given in the file as it
/// was; below its anchor; or at the end.
fn without_lines(views: &Views<'_>, hunk: &PatchHunk, cursor: &mut HunkCursor) -> HunkPlace {
    let source = views.source();
    let count = source.line_count();
    // What opens a block does not tell where in it.
    let region = region(views, hunk, cursor.from);
    let below = region.below.filter(|_| region.is_hunk || !region.opens);
    let (line, how) = match (hunk.old_start, below) {
        _ if count == 0 => (0, "the file has no lines"),
        (Some(line), _) if line <= count => (line, "line number only"),
        (_, Some(line)) if !hunk.at_end => (line, "below the line that the patch names"),
        _ if hunk.at_end => (count, "at the end of the file"),
        _ => {
            return invalid(
                "the hunk shows no line of the file and has no line number; show the line that the new \
                 lines go below",
            );
        }
    };
    let new: Vec<&str> = hunk.after().collect();
    let telling = new.iter().any(|line| letters(line) > 0);
    if telling
        && (stands_at(source, &new, line)
            || line
                .checked_sub(new.len())
                .is_some_and(|start| stands_at(source, &new, start)))
    {
        return HunkPlace::Done;
    }
    cursor.from = line;
    HunkPlace::At(Seat::Before { line, how })
}

fn stands_at(source: &Source, new: &[&str], start: usize) -> bool {
    new.iter()
        .enumerate()
        .all(|(index, text)| source.line(start + index) == text.as_bytes())
}

fn ambiguous(source: &Source, lines: &[usize], how: &str) -> Outcome {
    let how = if how.is_empty() {
        String::new()
    } else {
        format!(" ({how})")
    };
    let why = format!("the hunk's lines are there {} times{how}", lines.len());
    several(source, why, lines)
}

fn missing(budget: &Budget, source: &Source, hunk: &PatchHunk) -> Result<Outcome, OutOfBudget> {
    let before: Vec<&str> = hunk.before().collect();
    let before = before.join("\n");
    let word = one_word(budget, source, &before)?;
    let word = word.map_or_else(String::new, |word| word.words());
    Ok(Outcome::NotFound {
        why: format!("the hunk's context and removed lines are not in the file{word}"),
        nearest: nearest(budget, source, &before)?,
    })
}

fn invalid(why: &str) -> HunkPlace {
    HunkPlace::Not(Outcome::Invalid { why: why.into() })
}
