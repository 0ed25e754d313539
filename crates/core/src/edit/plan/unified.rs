//! Unified diffs, with right, wrong or no line numbers: the strategy `diff` of kind `unified`.
//!
//! In: patch text. Out: a plan of the lines that change; context lines stay the file's own.
//! Hunks are found by their lines, and by their numbers only where the lines allow several
//! places. A patch for several files is taken apart by [`parts`] before it is planned.

mod anchor;
mod envelope;
mod header;
mod in_block;
mod parse;
pub(crate) mod parts;
mod place;
mod written;

use std::collections::HashMap;

use parse::{FilePatch, PatchHunk};
use place::{HunkCursor, HunkPlace, Seat};

use super::outcome::{
    OrAnswer, absent, already, created, found, invalid, not_found, refused, together,
};
use super::rewrite::RequestContext;
use super::{Evidence, Outcome, Plan, Presence, delete, whole};
use crate::budget::Budget;
use crate::disk::workspace::WorkspacePath;
use crate::edit::locate::loose::Views;
use crate::edit::locate::script::Row;
use crate::text::indent::Lead;
use crate::text::{Slice, Source, Splice};

/// Returns the file of which a line of a patch, after the one before it, begins to speak, and what happens
/// to it.
pub fn file_named(before: &str, line: &str) -> Option<(String, Presence)> {
    envelope::file(line).or_else(|| header::file(before, line))
}

/// Plans `patch` for the file at `path`.
pub(super) fn plan(
    budget: &Budget,
    path: &WorkspacePath,
    source: Option<&Source>,
    patch: &str,
) -> OrAnswer<Plan> {
    let patches = parse(path, patch)?;
    match (patches.as_slice(), source) {
        ([patch], Some(source)) => on_text(budget, path, source, patch),
        ([patch], None) => on_nothing(path, patch),
        (_, None) => Err(absent(path)),
        ([gone, made], Some(source)) if is_anew(gone, made) => {
            whole::anew(source, &content(made).ok_or_else(|| absent(path))?)
        }
        (several, Some(source)) => in_turn(budget, path, source, several),
    }
}

/// Returns the parts of a patch that are for the file at `path`.
fn parse(path: &WorkspacePath, patch: &str) -> OrAnswer<Vec<FilePatch>> {
    let text = parse::on_lines(patch);
    let patches = parts::for_file(path.as_str(), parse::parse(&text)).map_err(invalid)?;
    for patch in &patches {
        if let Some(why) = patch.beyond {
            return Err(refused(format!("the patch {why}")));
        }
        if let Some(to) = &patch.renamed {
            return Err(invalid(format!(
                "the patch renames {path} to {to}, which one text cannot be; use the strategy `move`"
            )));
        }
    }
    Ok(patches)
}

fn on_text(
    budget: &Budget,
    path: &WorkspacePath,
    source: &Source,
    patch: &FilePatch,
) -> OrAnswer<Plan> {
    match patch.presence {
        Presence::Kept => modify(budget, source, patch),
        Presence::Created | Presence::Linked => Err(is_created(path, source, patch)),
        Presence::Deleted if whole_is_removed(source, patch) => Ok(delete::splice(source)),
        Presence::Deleted => Err(not_found("the patch deletes a file with another content")),
    }
}

fn on_nothing(path: &WorkspacePath, patch: &FilePatch) -> OrAnswer<Plan> {
    if patch.presence == Presence::Deleted {
        return Err(already(format!("{path} does not exist")));
    }
    let content = content(patch).ok_or_else(|| absent(path))?;
    Ok(created(&content))
}

/// Returns whether a file is deleted and then made again, which writes it anew.
fn is_anew(gone: &FilePatch, made: &FilePatch) -> bool {
    gone.presence == Presence::Deleted
        && gone.hunks.is_empty()
        && made.presence == Presence::Created
}

/// Plans several parts for one file, each on the text that the ones before it leave.
fn in_turn(
    budget: &Budget,
    path: &WorkspacePath,
    source: &Source,
    patches: &[FilePatch],
) -> OrAnswer<Plan> {
    let mut now = source.clone();
    let mut planned: Option<Plan> = None;
    for patch in patches {
        if patch.presence != Presence::Kept {
            return Err(invalid(format!(
                "the patch has several parts for {path}, and one makes or deletes it"
            )));
        }
        let next = match modify(budget, &now, patch) {
            Ok(next) => next,
            Err(Outcome::AlreadyApplied { .. }) => continue,
            other => return other,
        };
        let joined = planned.map_or(Ok(next.edits.clone()), |before| {
            before.edits.compose(&next.edits)
        });
        let (Ok(after), Ok(edits)) = (next.edits.apply(now.bytes()), joined) else {
            return Err(invalid(format!(
                "the parts of the patch for {path} do not follow each other"
            )));
        };
        now = Source::new(after);
        planned = Some(Plan { edits, ..next });
    }
    planned.ok_or_else(done)
}

fn done() -> Outcome {
    already("the patch is already applied")
}

/// A patch that makes a file that is there is done if it is as it would be made.
fn is_created(path: &WorkspacePath, source: &Source, patch: &FilePatch) -> Outcome {
    let made = content(patch).map(Source::new);
    if made.is_some_and(|made| lines_of(&made) == lines_of(source)) {
        return done();
    }
    refused(format!(
        "the patch makes {path}, but it is there with another content"
    ))
}

fn lines_of(source: &Source) -> Vec<Vec<u8>> {
    let lines = 0..source.line_count();
    lines.map(|line| source.line(line).to_vec()).collect()
}

/// Returns the text of a file of which the patch shows all; none if it shows lines that have to
/// be there.
fn content(patch: &FilePatch) -> Option<String> {
    // A blank line often loses its mark.
    let rows = || patch.hunks.iter().flat_map(|hunk| &hunk.rows);
    if !rows().all(is_added) {
        return None;
    }
    let mut content: String = rows().map(|row| format!("{}\n", row.text())).collect();
    if patch.hunks.last().is_some_and(|hunk| hunk.open_end) {
        content.pop();
    }
    Some(content)
}

fn is_added(row: &Row) -> bool {
    matches!(row, Row::Added(_)) || row.text().is_empty()
}

fn whole_is_removed(source: &Source, patch: &FilePatch) -> bool {
    let removed = patch.hunks.iter().flat_map(|hunk| hunk.before());
    let lines = (0..source.line_count()).map(|line| source.line(line));
    patch.hunks.is_empty() || removed.map(str::as_bytes).eq(lines)
}

fn modify(budget: &Budget, source: &Source, patch: &FilePatch) -> OrAnswer<Plan> {
    let located = locate(&Views::new(source, budget), &patch.hunks)?;
    splice(budget, source, &located)
}

/// A hunk and where it goes.
struct LocatedHunk {
    hunk: PatchHunk,
    /// None where it is applied already.
    seat: Option<Seat>,
}

/// Places all hunks. What one shows of how the patch is escaped counts for the others.
fn locate(views: &Views<'_>, hunks: &[PatchHunk]) -> OrAnswer<Vec<LocatedHunk>> {
    let located = locate_each(views, hunks)?;
    let escaped = located
        .iter()
        .filter_map(|one| one.seat.as_ref())
        .find_map(Seat::escaped);
    match escaped.and_then(|which| evenly_unescaped(hunks, which)) {
        Some(even) => locate_each(views, &even),
        None => Ok(located),
    }
}

fn locate_each(views: &Views<'_>, hunks: &[PatchHunk]) -> OrAnswer<Vec<LocatedHunk>> {
    let mut cursor = HunkCursor::default();
    let mut numbered_so: HashMap<usize, &PatchHunk> = HashMap::new();
    let located = hunks.iter().enumerate().map(|(index, hunk)| {
        // The same lines at the same number are the same change, said twice.
        let before = hunk.old_start.and_then(|at| numbered_so.insert(at, hunk));
        let rest = hunks.slice(index..);
        let seat = if before == Some(hunk) {
            None
        } else {
            match placed(views, rest, &mut cursor) {
                HunkPlace::At(seat) => Some(seat),
                HunkPlace::Done => None,
                HunkPlace::Not(outcome) => return Err(outcome),
            }
        };
        let hunk = hunk.clone();
        Ok(LocatedHunk { hunk, seat })
    });
    together(located, name)
}

/// Where one hunk turned out to be escaped once too often, those whose lines do not show it are
/// so as well. None if there is no such hunk.
fn evenly_unescaped(hunks: &[PatchHunk], which: &str) -> Option<Vec<PatchHunk>> {
    let made: Vec<Option<PatchHunk>> = hunks.iter().map(|hunk| hunk.unescaped(which)).collect();
    let any = made.iter().any(Option::is_some);
    let hunks = hunks.iter().zip(made);
    any.then(|| {
        hunks
            .map(|(hunk, made)| made.unwrap_or_else(|| hunk.clone()))
            .collect()
    })
}

/// Places the first of `hunks`. Where its lines do not tell which of several places is meant, the hunks
/// after it may: they stand below it, and show how far numbers are off.
fn placed(views: &Views<'_>, hunks: &[PatchHunk], cursor: &mut HunkCursor) -> HunkPlace {
    let Some((hunk, rest)) = hunks.split_first() else {
        return HunkPlace::Done;
    };
    let before = cursor.clone();
    let placed = place::place(views, hunk, cursor);
    if !matches!(placed, HunkPlace::Not(Outcome::Ambiguous { .. })) {
        return placed;
    }
    if let Some(lines) = place::by_order(views, hunks, &before) {
        let mut moved = before.clone();
        if let Some(again) = place::place_at(views, hunk, lines, &mut moved) {
            *cursor = moved;
            return again;
        }
    }
    if hunk.old_start.is_none() {
        return placed;
    }
    match place::drift_of(views, rest, &before) {
        Some(drift) if drift != before.drift => {
            let mut moved = before;
            moved.drift = drift;
            let again = place::place(views, hunk, &mut moved);
            if let HunkPlace::At(_) = again {
                *cursor = moved;
                return again;
            }
            placed
        }
        _ => placed,
    }
}

/// Writes all hunks. What one shows of the file's indentation counts for those that show none.
fn splice(budget: &Budget, source: &Source, located: &[LocatedHunk]) -> OrAnswer<Plan> {
    let beside = beside(source, located);
    let (mut splices, mut hows, mut changes) = (Vec::<Splice>::new(), Vec::new(), 0);
    let mut weakest: Option<Evidence> = None;
    for (index, LocatedHunk { hunk, seat }) in located.iter().enumerate() {
        let Some(seat) = seat else {
            continue;
        };
        let own = written::splices(budget, source, hunk, seat, &beside)
            .map_err(|outcome| numbered(outcome, index, located.len()))?;
        if own.is_empty() {
            continue;
        }
        splices.extend(own);
        changes += 1;
        let evidence = seat.evidence();
        hows.push(evidence.how.clone());
        weakest = Some(match weakest {
            Some(known) => known.weaker(evidence),
            None => evidence,
        });
    }
    let mut evidence = weakest.ok_or_else(done)?;
    hows.dedup();
    evidence.how = hows.join("; ");
    found(splices, evidence, changes)
}

fn beside(source: &Source, located: &[LocatedHunk]) -> RequestContext {
    let seats = located.iter().filter_map(|one| one.seat.as_ref());
    let leads: Vec<_> = seats.map(|seat| seat.leads(source)).collect();
    let unled = leads.iter().any(Vec::is_empty);
    let leads = leads.concat();
    if unled && !leads.iter().all(Lead::is_kept) {
        RequestContext::of(leads)
    } else {
        RequestContext::default()
    }
}

fn numbered(outcome: Outcome, index: usize, count: usize) -> Outcome {
    outcome.of_part(|| name(index), count)
}

fn name(index: usize) -> String {
    format!("hunk {}", index + 1)
}

#[cfg(test)]
mod noise;
#[cfg(test)]
mod tests;
