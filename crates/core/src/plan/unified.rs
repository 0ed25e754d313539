//! A unified diff, with numbers right, wrong or absent.
//!
//! In: patch text. Out: a plan of the lines that change; context lines stay the file's own.
//! Hunks are found by their lines, and by their numbers only where the lines allow several
//! places. A patch for several files is taken apart by [`parts`] before it is planned.

mod envelope;
mod header;
mod parse;
pub(crate) mod parts;
mod place;

use std::collections::HashMap;

use parse::{FilePatch, Hunk};
use place::{Cursor, Placed};

use super::rewrite::{Beside, Lead};
use super::{Evidence, Outcome, Plan, Presence, created, delete};
use crate::locate::loose::Views;
use crate::locate::script::Row;
use crate::text::{Source, Splice};
use crate::workspace::WorkspacePath;

/// Plans `patch` for the file at `path`.
pub(super) fn plan(path: &WorkspacePath, source: Option<&Source>, patch: &str) -> Outcome {
    let text = parse::on_lines(patch);
    let patches = match parts::for_file(path.as_str(), parse::parse(&text)) {
        Ok(patches) => patches,
        Err(why) => return Outcome::Invalid { why },
    };
    match (patches.as_slice(), source) {
        ([patch], _) => one(path, source, patch),
        (_, None) => super::absent(path),
        (several, Some(source)) => in_turn(path, source, several),
    }
}

fn one(path: &WorkspacePath, source: Option<&Source>, patch: &FilePatch) -> Outcome {
    if let Some(why) = patch.beyond {
        return Outcome::Refused {
            why: format!("the patch {why}"),
        };
    }
    if let Some(to) = &patch.renamed {
        return Outcome::Invalid {
            why: format!(
                "the patch renames {path} to {to}, which one text cannot be; use the strategy `move`"
            ),
        };
    }
    match (source, patch.presence) {
        (None, Presence::Deleted) => Outcome::AlreadyApplied {
            why: format!("{path} does not exist"),
        },
        (None, _) => create(path, patch),
        (Some(source), Presence::Created) => is_created(path, source, patch),
        (Some(source), Presence::Deleted) => match whole_is_removed(source, patch) {
            true => delete(source),
            false => Outcome::NotFound {
                why: "the patch deletes a file with another content".into(),
                nearest: None,
            },
        },
        (Some(source), Presence::Kept) => modify(source, patch),
    }
}

/// Plans several parts for one file, each on the text that the ones before it leave.
fn in_turn(path: &WorkspacePath, source: &Source, patches: &[FilePatch]) -> Outcome {
    let mut now = source.clone();
    let mut planned: Option<Plan> = None;
    for patch in patches {
        if patch.presence != Presence::Kept {
            return Outcome::Invalid {
                why: format!("the patch has several parts for {path}, and one makes or deletes it"),
            };
        }
        let next = match one(path, Some(&now), patch) {
            Outcome::Planned(next) => next,
            Outcome::AlreadyApplied { .. } => continue,
            other => return other,
        };
        let joined = planned.map_or(Ok(next.edits.clone()), |before| {
            before.edits.compose(&next.edits)
        });
        let (Ok(after), Ok(edits)) = (next.edits.apply(now.bytes()), joined) else {
            return Outcome::Invalid {
                why: format!("the parts of the patch for {path} do not follow each other"),
            };
        };
        now = Source::new(after);
        planned = Some(Plan { edits, ..next });
    }
    planned.map_or_else(done, Outcome::Planned)
}

fn done() -> Outcome {
    Outcome::AlreadyApplied {
        why: "the patch is already applied".into(),
    }
}

fn create(path: &WorkspacePath, patch: &FilePatch) -> Outcome {
    match content(patch) {
        Some(content) => created(&content, "new file"),
        None => super::absent(path),
    }
}

/// A patch that makes a file that is there is done if it is as it would be made.
fn is_created(path: &WorkspacePath, source: &Source, patch: &FilePatch) -> Outcome {
    let made = content(patch).map(Source::new);
    let lines = |source: &Source| -> Vec<Vec<u8>> {
        let lines = 0..source.line_count();
        lines.map(|line| source.line(line).to_vec()).collect()
    };
    if made.is_some_and(|made| lines(&made) == lines(source)) {
        return done();
    }
    Outcome::Refused {
        why: format!("the patch makes {path}, but it is there with another content"),
    }
}

/// Returns the text of a file of which the patch shows all; none if it shows lines that have to
/// be there.
fn content(patch: &FilePatch) -> Option<String> {
    // A blank line often loses its mark.
    let added = |row: &Row| matches!(row, Row::Added(_)) || row.text().is_empty();
    let rows = || patch.hunks.iter().flat_map(|hunk| &hunk.rows);
    if !rows().all(added) {
        return None;
    }
    let mut content: String = rows().map(|row| format!("{}\n", row.text())).collect();
    if patch.hunks.last().is_some_and(|hunk| hunk.open_end) {
        content.pop();
    }
    Some(content)
}

fn whole_is_removed(source: &Source, patch: &FilePatch) -> bool {
    let removed = patch.hunks.iter().flat_map(|hunk| hunk.before());
    let lines = (0..source.line_count()).map(|line| source.line(line));
    patch.hunks.is_empty() || removed.map(str::as_bytes).eq(lines)
}

fn modify(source: &Source, patch: &FilePatch) -> Outcome {
    match together(&Views::new(source), &patch.hunks) {
        Ok(found) => found.outcome(),
        Err(outcome) => outcome,
    }
}

/// Places all hunks. What one shows of how the request is written counts for the others.
fn together(views: &Views<'_>, hunks: &[Hunk]) -> Result<Tally, Outcome> {
    let mut found = tally(views, hunks, &Beside::default())?;
    let even = found
        .escaped
        .and_then(|which| evenly_unescaped(hunks, which));
    let hunks = even.as_deref().unwrap_or(hunks);
    if even.is_some() {
        found = tally(views, hunks, &Beside::default())?;
    }
    if found.unled && found.leads.iter().any(|(own, theirs)| own != theirs) {
        found = tally(views, hunks, &Beside::of(found.leads))?;
    }
    Ok(found)
}

/// Where one hunk turned out to be escaped once too often, those whose lines do not show it are
/// so as well. None if there is no such hunk.
fn evenly_unescaped(hunks: &[Hunk], which: &str) -> Option<Vec<Hunk>> {
    let made: Vec<Option<Hunk>> = hunks.iter().map(|hunk| hunk.unescaped(which)).collect();
    let any = made.iter().any(Option::is_some);
    let hunks = hunks.iter().zip(made);
    any.then(|| {
        hunks
            .map(|(hunk, made)| made.unwrap_or_else(|| hunk.clone()))
            .collect()
    })
}

/// What all hunks of a part become.
#[derive(Default)]
struct Tally {
    splices: Vec<Splice>,
    evidence: Option<Evidence>,
    hows: Vec<String>,
    changes: usize,
    /// The characters from which one hunk had a level of escaping taken away.
    escaped: Option<&'static str>,
    /// How indented lines of the hunks are indented in the file.
    leads: Vec<Lead>,
    /// True if a hunk has no such line.
    unled: bool,
}

fn tally(views: &Views<'_>, hunks: &[Hunk], beside: &Beside) -> Result<Tally, Outcome> {
    let mut tally = Tally::default();
    let mut cursor = Cursor::new(beside);
    let mut numbered_so: HashMap<usize, &Hunk> = HashMap::new();
    for (index, hunk) in hunks.iter().enumerate() {
        // The same lines at the same number are the same change, said twice.
        let before = hunk.old_start.and_then(|at| numbered_so.insert(at, hunk));
        if before == Some(hunk) {
            continue;
        }
        let rest = hunks.get(index + 1..).unwrap_or_default();
        match placed(views, hunk, rest, &mut cursor) {
            Placed::At(placed) => {
                tally.splices.extend(placed.splices);
                tally.hows.push(placed.found.how.clone());
                tally.changes += 1;
                tally.escaped = tally.escaped.or(placed.escaped);
                tally.unled |= placed.leads.is_empty();
                tally.leads.extend(placed.leads);
                tally.evidence = Some(match tally.evidence {
                    Some(known) => known.weaker(placed.found),
                    None => placed.found,
                });
            }
            Placed::Done => {}
            Placed::Not(outcome) => return Err(numbered(outcome, index, hunks.len())),
        }
    }
    Ok(tally)
}

/// Places a hunk. Where its number does not tell which of several places is meant, the hunks after
/// it may show how far numbers are off.
fn placed(views: &Views<'_>, hunk: &Hunk, rest: &[Hunk], cursor: &mut Cursor<'_>) -> Placed {
    let before = cursor.clone();
    let placed = place::place(views, hunk, cursor);
    if !matches!(placed, Placed::Not(Outcome::Ambiguous { .. })) || hunk.old_start.is_none() {
        return placed;
    }
    match place::drift_of(views, rest, &before) {
        Some(drift) if drift != before.drift => {
            let mut moved = before;
            moved.drift = drift;
            let again = place::place(views, hunk, &mut moved);
            if let Placed::At(_) = again {
                *cursor = moved;
                return again;
            }
            placed
        }
        _ => placed,
    }
}

impl Tally {
    fn outcome(mut self) -> Outcome {
        let Some(mut evidence) = self.evidence else {
            return done();
        };
        self.hows.dedup();
        evidence.how = format!("context: {}", self.hows.join("; "));
        super::found(self.splices, evidence, self.changes)
    }
}

pub(super) fn numbered(outcome: Outcome, index: usize, count: usize) -> Outcome {
    let number = |why: String| {
        if count == 1 {
            why
        } else {
            format!("hunk {}: {why}", index + 1)
        }
    };
    match outcome {
        Outcome::Ambiguous { why, candidates } => Outcome::Ambiguous {
            why: number(why),
            candidates,
        },
        Outcome::NotFound { why, nearest } => Outcome::NotFound {
            why: number(why),
            nearest,
        },
        Outcome::Invalid { why } => Outcome::Invalid { why: number(why) },
        other => other,
    }
}

#[cfg(test)]
mod noise;
#[cfg(test)]
mod tests;
