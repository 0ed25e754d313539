//! A unified diff, with numbers right, wrong or absent.
//!
//! In: patch text. Out: a plan of the lines that change; context lines stay the file's own.
//! Hunks are found by their lines, and by their numbers only where the lines allow several
//! places.

mod parse;

use parse::{FilePatch, Hunk, Row};

use super::{MAX_CANDIDATES, Outcome, created, delete, modified, section};
use crate::locate::context::{How, Place, place};
use crate::locate::nearest::nearest;
use crate::text::lines::replace_lines;
use crate::text::{Source, Splice};
use crate::workspace::WorkspacePath;

/// Plans `patch` for the file at `path`.
pub(super) fn plan(path: &WorkspacePath, source: Option<&Source>, patch: &str) -> Outcome {
    let patch = match chosen(path, parse::parse(patch)) {
        Ok(patch) => patch,
        Err(why) => return Outcome::Invalid { why },
    };
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
    patches.retain(|patch| !patch.hunks.is_empty() || patch.deletes);
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
    let mut splices = Vec::new();
    let mut evidence = Vec::new();
    let mut already = 0;
    // Where the next hunk may begin, and how far hunks have been from their numbers.
    let (mut from, mut drift) = (0, 0_isize);
    for (index, hunk) in patch.hunks.iter().enumerate() {
        let hint = hunk.old_start.map(|line| line.saturating_add_signed(drift));
        match find(source, hunk, from, hint) {
            Found::At(line, how) => {
                drift += hint.map_or(0, |hint| line as isize - hint as isize);
                evidence.push(how);
                from = line + hunk.before().count();
                splices.extend(changed_rows(source, hunk, line));
            }
            Found::Done => already += 1,
            Found::Not(outcome) => return numbered(outcome, index, patch.hunks.len()),
        }
    }
    if already == patch.hunks.len() {
        return Outcome::AlreadyApplied {
            why: "the patch is already applied".into(),
        };
    }
    evidence.dedup();
    let how = evidence.join("; ");
    modified(
        splices,
        format!("context: {how}"),
        patch.hunks.len() - already,
    )
}

enum Found {
    At(usize, String),
    Done,
    Not(Outcome),
}

fn find(source: &Source, hunk: &Hunk, from: usize, hint: Option<usize>) -> Found {
    let before: Vec<&str> = hunk.before().collect();
    let after: Vec<&str> = hunk.after().collect();
    if before == after {
        return Found::Not(Outcome::Invalid {
            why: "the hunk changes nothing".into(),
        });
    }
    if before.is_empty() {
        return by_number(source, hunk);
    }
    let found = place(source, &before, from, hint);
    match found {
        Place::One { line, .. } if hunk.only_adds() && stands_at(source, &after, line, hunk) => {
            Found::Done
        }
        Place::One { line, how } => Found::At(line, words(how)),
        Place::Many(lines) => {
            let candidates = lines.iter().take(MAX_CANDIDATES);
            Found::Not(Outcome::Ambiguous {
                why: format!("the hunk's lines are there {} times", lines.len()),
                candidates: candidates
                    .map(|line| section::candidate(source, *line))
                    .collect(),
            })
        }
        Place::Missing => match place(source, &after, from, hint) {
            Place::Missing => Found::Not(Outcome::NotFound {
                why: "the hunk's context and removed lines are not in the file".into(),
                nearest: nearest(source, &before.join("\n")),
            }),
            _ if after.is_empty() => Found::Not(Outcome::NotFound {
                why: "the removed lines are not in the file".into(),
                nearest: None,
            }),
            _ => Found::Done,
        },
    }
}

/// Returns whether an insertion with context on one side only already stands where it would
/// go: `line` is where its context is.
fn stands_at(source: &Source, after: &[&str], line: usize, hunk: &Hunk) -> bool {
    let lead = hunk
        .rows
        .iter()
        .take_while(|row| matches!(row, Row::Added(_)))
        .count();
    let telling = hunk
        .rows
        .iter()
        .any(|row| matches!(row, Row::Added(text) if text.chars().any(char::is_alphanumeric)));
    let equal = |start: usize| {
        after
            .iter()
            .enumerate()
            .all(|(index, text)| source.line(start + index) == text.as_bytes())
    };
    telling && line.checked_sub(lead).is_some_and(equal)
}

/// A hunk without context has nothing but its number, which counts as given in the file as it
/// was.
fn by_number(source: &Source, hunk: &Hunk) -> Found {
    match hunk.old_start {
        _ if source.line_count() == 0 => Found::At(0, "empty file".into()),
        Some(line) if line <= source.line_count() => Found::At(line, "line number only".into()),
        _ => Found::Not(Outcome::Invalid {
            why: "the hunk has no context lines and no line number that the file has".into(),
        }),
    }
}

/// Returns a splice for every run of removed and added rows, where the hunk begins at `line`.
fn changed_rows(source: &Source, hunk: &Hunk, line: usize) -> Vec<Splice> {
    let mut splices = Vec::new();
    let mut at = line;
    let mut rows = hunk.rows.iter().peekable();
    while rows.peek().is_some() {
        while rows.next_if(|row| matches!(row, Row::Context(_))).is_some() {
            at += 1;
        }
        let (start, mut added) = (at, Vec::new());
        while let Some(row) = rows.next_if(|row| !matches!(row, Row::Context(_))) {
            match row {
                Row::Added(text) => added.push(text.as_str()),
                _ => at += 1,
            }
        }
        if start < at || !added.is_empty() {
            splices.push(replace_lines(source, start..at, &added));
        }
    }
    splices
}

fn words(how: How) -> String {
    let lines = |off: isize| {
        format!(
            "{} lines {}",
            off.abs(),
            if off < 0 { "above" } else { "below" }
        )
    };
    match how {
        How::AtNumber => "at its line number".to_owned(),
        How::Unique { off: None } => "only place".to_owned(),
        How::Unique { off: Some(off) } => format!("only place, {} its number", lines(off)),
        How::NearestNumber { off } => format!("nearest of several, {} its number", lines(off)),
    }
}

fn numbered(outcome: Outcome, index: usize, count: usize) -> Outcome {
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
mod tests;
