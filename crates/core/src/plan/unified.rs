//! A unified diff, with numbers right, wrong or absent.
//!
//! In: patch text. Out: a plan of the lines that change; context lines stay the file's own.
//! Hunks are found by their lines, and by their numbers only where the lines allow several
//! places.

mod envelope;
mod parse;
mod place;

use parse::FilePatch;
use place::{Cursor, Placed};

use super::{Evidence, Outcome, created, delete};
use crate::locate::loose::Views;
use crate::locate::script::Row;
use crate::text::Source;
use crate::workspace::WorkspacePath;

/// Plans `patch` for the file at `path`.
pub(super) fn plan(path: &WorkspacePath, source: Option<&Source>, patch: &str) -> Outcome {
    let patch = match chosen(path, parse::parse(patch)) {
        Ok(patch) => patch,
        Err(why) => return Outcome::Invalid { why },
    };
    if let Some(to) = &patch.renamed {
        return Outcome::Invalid {
            why: format!(
                "the patch renames {path} to {to}; renaming is the strategy `move`, not part of a patch"
            ),
        };
    }
    match source {
        None => create(path, &patch),
        Some(source) if patch.deletes => match whole_is_removed(source, &patch) {
            true => delete(source),
            false => Outcome::NotFound {
                why: "the patch deletes a file with another content".into(),
                nearest: None,
            },
        },
        Some(source) => modify(source, &patch),
    }
}

/// Returns the part of the patch that is for `path`.
fn chosen(path: &WorkspacePath, mut patches: Vec<FilePatch>) -> Result<FilePatch, String> {
    patches.retain(|patch| !patch.hunks.is_empty() || patch.deletes || patch.renamed.is_some());
    if patches.is_empty() {
        return Err("the patch has no hunks; each begins with a line of `@@`".into());
    }
    let names: Vec<String> = patches
        .iter()
        .filter_map(|patch| patch.path.clone())
        .collect();
    let position = patches.iter().position(|patch| patch.is_for(path.as_str()));
    match position {
        Some(index) => Ok(patches.swap_remove(index)),
        None => Err(format!(
            "the patch is for {}, not for {path}",
            names.join(", ")
        )),
    }
}

fn create(path: &WorkspacePath, patch: &FilePatch) -> Outcome {
    let only_adds = patch
        .hunks
        .iter()
        .all(|hunk| hunk.rows.iter().all(|row| matches!(row, Row::Added(_))));
    if !only_adds {
        return super::absent(path);
    }
    let rows = patch.hunks.iter().flat_map(|hunk| &hunk.rows);
    let mut content: String = rows.map(|row| format!("{}\n", row.text())).collect();
    if patch.hunks.last().is_some_and(|hunk| hunk.open_end) {
        content.pop();
    }
    created(&content, "new file")
}

fn whole_is_removed(source: &Source, patch: &FilePatch) -> bool {
    let removed = patch.hunks.iter().flat_map(|hunk| hunk.before());
    let lines = (0..source.line_count()).map(|line| source.line(line));
    patch.hunks.is_empty() || removed.map(str::as_bytes).eq(lines)
}

fn modify(source: &Source, patch: &FilePatch) -> Outcome {
    let views = Views::new(source);
    let mut splices = Vec::new();
    let mut evidence: Option<Evidence> = None;
    let mut hows: Vec<String> = Vec::new();
    let mut already = 0;
    let mut cursor = Cursor::default();
    for (index, hunk) in patch.hunks.iter().enumerate() {
        match place::place(&views, hunk, &mut cursor) {
            Placed::At(own, found) => {
                splices.extend(own);
                hows.push(found.how.clone());
                evidence = Some(
                    evidence.map_or_else(|| found.clone(), |known| known.weaker(found.clone())),
                );
            }
            Placed::Done => already += 1,
            Placed::Not(outcome) => return numbered(outcome, index, patch.hunks.len()),
        }
    }
    let Some(mut evidence) = evidence else {
        return Outcome::AlreadyApplied {
            why: "the patch is already applied".into(),
        };
    };
    hows.dedup();
    evidence.how = format!("context: {}", hows.join("; "));
    super::found(splices, evidence, patch.hunks.len() - already)
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
