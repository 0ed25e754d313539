//! Placing a hunk of a patch.
//!
//! In: a text, a hunk and where the one before it ended. Out: the lines that it is for, and how they
//! were found. By its lines as they are, then down the ladder; its number only decides between
//! places that the lines allow, and lines named above it say where to look.

use std::ops::Range;

use super::parse::Hunk;
use crate::locate::loose::forms::{Asked, unescaping};
use crate::locate::loose::normal::{Level, letters, normal};
use crate::locate::loose::view::string;
use crate::locate::loose::{Found, Match, Scope, Views};
use crate::locate::nearest::nearest;
use crate::locate::script::Row;
use crate::locate::{Finding, Rung, ladder, rows};
use crate::plan::outcome::several;
use crate::plan::rewrite;
use crate::plan::{Evidence, Outcome};
use crate::text::Source;
use crate::text::indent::{Lead, leading};

/// The least lines of a hunk that is also searched below the block of its anchor, if it is there as
/// given: what opens a block is not always told from what closes it.
const BEYOND_ANCHOR: usize = 3;
/// Number of later hunks that are asked how far they are from their numbers.
const LOOK_AHEAD: usize = 8;

/// What became of a hunk.
pub(super) enum Placed {
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
    Lines(Match),
    /// Before this 0-based line, by its number alone.
    Number(usize),
}

impl Seat {
    /// Returns how it was found.
    pub(super) fn evidence(&self) -> Evidence {
        match self {
            Self::Lines(found) => found.finding.clone(),
            Self::Number(_) => Finding::new(Rung::Numbers, "line number only"),
        }
    }

    /// Returns the characters from which a level of escaping was taken away, if it was.
    pub(super) fn escaped(&self) -> Option<&'static str> {
        match self {
            Self::Lines(found) => unescaping(&found.undone),
            Self::Number(_) => None,
        }
    }

    /// Returns how the hunk's indented lines are indented in the file.
    pub(super) fn leads(&self, source: &Source) -> Vec<Lead> {
        match self {
            Self::Lines(found) => rewrite::leads(source, found),
            Self::Number(_) => Vec::new(),
        }
    }
}

/// What the hunks so far tell about the next.
#[derive(Clone, Default)]
pub(super) struct Cursor {
    /// Where it may begin.
    from: usize,
    /// How far hunks have been from their numbers.
    pub(super) drift: isize,
    /// The lines that hunks stand on.
    taken: Vec<Range<usize>>,
}

/// Finds a hunk at or after the cursor, and moves that.
pub(super) fn place(views: &Views<'_>, hunk: &Hunk, cursor: &mut Cursor) -> Placed {
    let source = views.source();
    if hunk.before().eq(hunk.after()) && hunk.old_open == hunk.open_end {
        return invalid("the hunk changes nothing");
    }
    let number = hunk
        .old_start
        .map(|line| line.saturating_add_signed(cursor.drift));
    if hunk.before().next().is_none() {
        return by_number(views, hunk, cursor);
    }
    let region = region(views, hunk, cursor.from);
    let scope = Scope {
        from: region.start,
        to: region.end.unwrap_or(source.line_count()),
        number,
        all: false,
    };
    let mut found = find(views, hunk, scope);
    if matches!(found, Found::Missing) && hunk.before().count() >= BEYOND_ANCHOR {
        let script = hunk.script();
        found = rows::find(
            views,
            &script,
            Scope {
                to: source.line_count(),
                ..scope
            },
        );
    }
    if let Found::At(matches) = &found
        && let Some(guess) = matches
            .first()
            .filter(|found| found.finding.rung != Rung::Exact)
        && region.end.is_some()
        && hunk.before().count() >= BEYOND_ANCHOR
    {
        // Several blocks may begin as the anchor says.
        let before: Vec<&str> = hunk.before().collect();
        let beyond = rows::places(views, &before, region.start..source.line_count(), number);
        if let Some(line) = beyond.first() {
            let lines = [guess.alignment.first().unwrap_or_default(), *line];
            let how = "one of them nearly, but below the line that the patch names";
            return Placed::Not(ambiguous(source, &lines, how));
        }
    }
    match found {
        Found::At(matches) => match matches.into_iter().next() {
            Some(found) => match passed_by(views, hunk, &found, cursor) {
                Some(line) => Placed::Not(ambiguous(
                    source,
                    &[line],
                    "as given, but above the hunk before it",
                )),
                None => seated(hunk, found, cursor),
            },
            None => Placed::Done,
        },
        Found::Done | Found::There(_) => Placed::Done,
        Found::Many(lines, how) => Placed::Not(ambiguous(source, &lines, &how)),
        Found::Missing => Placed::Not(missing(source, hunk)),
    }
}

/// Returns the line at which a hunk that was found loosely stands as given, above the one before
/// it: hunks are not always in order.
fn passed_by(views: &Views<'_>, hunk: &Hunk, found: &Match, cursor: &Cursor) -> Option<usize> {
    if !found.finding.is_guess() || cursor.from == 0 {
        return None;
    }
    let before: Vec<&str> = hunk.before().collect();
    let free = |line: &usize| {
        let end = line + before.len();
        cursor
            .taken
            .iter()
            .all(|taken| taken.end <= *line || end <= taken.start)
    };
    rows::places(views, &before, 0..cursor.from, None)
        .into_iter()
        .find(free)
}

/// Returns how far one of these hunks is from its number, if one stands as given at one place
/// only, from the cursor on.
pub(super) fn drift_of(views: &Views<'_>, hunks: &[Hunk], cursor: &Cursor) -> Option<isize> {
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

fn find(views: &Views<'_>, hunk: &Hunk, scope: Scope) -> Found {
    let given = hunk.script();
    let bare = hunk.unmarked();
    let mut scripts = match (given == bare, hunk.lost_marks()) {
        (true, _) => vec![given],
        (false, true) => vec![bare, given],
        (false, false) => vec![given, bare],
    };
    scripts.extend(hunk.filled());
    let asked: Vec<Asked> = scripts.into_iter().map(Asked::Rows).collect();
    remarked(views.source(), hunk, ladder::find(views, &asked, scope))
}

/// Where every context line turns out to be one blank further in, that blank was no mark.
fn remarked(source: &Source, hunk: &Hunk, found: Found) -> Found {
    let Found::At(mut matches) = found else {
        return found;
    };
    for found in &mut matches {
        let rows: Vec<(&Row, Option<usize>)> = found
            .script
            .before()
            .zip(found.alignment.lines.iter().copied())
            .collect();
        let shifted = |(row, line): &(&Row, Option<usize>)| {
            line.is_some_and(|line| {
                leading(&string(source, line)) == format!(" {}", leading(row.text()))
            })
        };
        let context = |(row, line): &&(&Row, Option<usize>)| {
            row.is_context() && line.is_some() && !row.text().trim().is_empty()
        };
        let steady =
            |(row, line): &&(&Row, Option<usize>)| matches!(row, Row::Removed(_)) && line.is_some();
        let marks = rows.iter().filter(context).count() > 0
            && rows.iter().filter(context).all(shifted)
            && !rows.iter().filter(steady).any(shifted)
            && found.script == hunk.script();
        if marks {
            found.script = hunk.unmarked();
        }
    }
    Found::At(matches)
}

/// Lines under which a hunk stands.
struct Region {
    start: usize,
    /// Where the block of the innermost anchor ends, if it was found.
    end: Option<usize>,
}

/// Follows the lines named above a hunk, from `from` on. One that is not in the file says
/// nothing.
fn region(views: &Views<'_>, hunk: &Hunk, from: usize) -> Region {
    if hunk.anchors.is_empty() {
        return Region {
            start: from,
            end: None,
        };
    }
    let count = views.source().line_count();
    let mut region = Region {
        start: from,
        end: None,
    };
    for anchor in &hunk.anchors {
        let form = normal(anchor, Level::Blanks);
        let found = views.line_with(Level::Blanks, &form, region.start..count);
        if let Some(line) = found {
            region = Region {
                start: line,
                end: Some(block_end(views.source(), line)),
            };
        }
    }
    region
}

/// Returns the line after the block that line `line` opens: up to the next line that is
/// indented no deeper, after those that only close it.
fn block_end(source: &Source, line: usize) -> usize {
    let lead = leading(&string(source, line)).len();
    let deeper = |line: &usize| {
        let text = string(source, *line);
        text.trim().is_empty()
            || leading(&text).len() > lead
            || text.trim_start().starts_with(['{', '}', ')', ']'])
    };
    line + 1 + (line + 1..source.line_count()).take_while(deeper).count()
}

fn seated(hunk: &Hunk, found: Match, cursor: &mut Cursor) -> Placed {
    let Some(line) = found.alignment.first() else {
        return invalid("the hunk has no place");
    };
    cursor.drift = hunk
        .old_start
        .map_or(cursor.drift, |number| line as isize - number as isize);
    cursor.from = found.alignment.end().unwrap_or(cursor.from);
    cursor.taken.push(line..cursor.from);
    Placed::At(Seat::Lines(found))
}

/// A hunk without lines to look for has nothing but its number, which counts as given in the
/// file as it was.
fn by_number(views: &Views<'_>, hunk: &Hunk, cursor: &mut Cursor) -> Placed {
    let source = views.source();
    let line = match hunk.old_start {
        _ if source.line_count() == 0 => 0,
        Some(line) if line <= source.line_count() => line,
        _ => return invalid("the hunk has no context lines and no line number that the file has"),
    };
    let new: Vec<&str> = hunk.after().collect();
    let there = |start: usize| {
        new.iter()
            .enumerate()
            .all(|(index, text)| source.line(start + index) == text.as_bytes())
    };
    let telling = new.iter().any(|line| letters(line) > 0);
    if telling && (there(line) || line.checked_sub(new.len()).is_some_and(there)) {
        return Placed::Done;
    }
    cursor.from = line;
    Placed::At(Seat::Number(line))
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

fn missing(source: &Source, hunk: &Hunk) -> Outcome {
    let before: Vec<&str> = hunk.before().collect();
    Outcome::NotFound {
        why: "the hunk's context and removed lines are not in the file".into(),
        nearest: nearest(source, &before.join("\n")),
    }
}

fn invalid(why: &str) -> Placed {
    Placed::Not(Outcome::Invalid { why: why.into() })
}
