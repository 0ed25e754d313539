//! Hunks that change the layout of code and nothing else.
//!
//! In: a text, and the hunks that it was made with. Out: those after which the code is the same as without them.

use std::collections::HashSet;

use crate::edit::diff::line::{DiffLine, LineKind};
use crate::id::HunkId;
use crate::stage::review::{HunkStatus, HunkView};
use crate::syntax::same_code::is_same_code;
use crate::syntax::{Language, SyntaxCache};

/// Most hunks of a Python file that are looked at one by one. Two of them may make the same blocks together and others
/// each alone; a formatter leaves a handful in a file that it knows.
const MOST_ALONE: usize = 8;

/// Returns the hunks without which `after` is the same code.
pub(in crate::engine) fn layout_only(
    syntax: &SyntaxCache,
    language: Language,
    after: &str,
    hunks: &[&HunkView],
) -> HashSet<HunkId> {
    let lines: Vec<&str> = after.split_inclusive('\n').collect();
    let may = |hunk: &&&HunkView| {
        hunk.status == HunkStatus::Pending && differs_in_blanks(hunk) && fits(hunk, &lines)
    };
    let candidates: Vec<&HunkView> = hunks.iter().filter(may).copied().collect();
    let proves =
        |hunks: &[&HunkView]| is_same_code(syntax, language, &without(&lines, hunks), after);
    // Elsewhere a blank does what it does at its place.
    let is_layout_structure = language == Language::Python;
    let proved: Vec<&HunkView> = if is_layout_structure && candidates.len() > MOST_ALONE {
        Vec::new()
    } else if is_layout_structure {
        candidates
            .into_iter()
            .filter(|hunk| proves(&[hunk]))
            .collect()
    } else if !candidates.is_empty() && proves(&candidates) {
        candidates
    } else {
        Vec::new()
    };
    proved.into_iter().map(|hunk| hunk.id).collect()
}

/// Tells whether both sides of a hunk are the same but for blanks and line ends.
pub fn differs_in_blanks(hunk: &HunkView) -> bool {
    let side = |kind| {
        let lines = hunk.lines.iter().filter(move |line| line.kind == kind);
        let chars = lines.flat_map(|line| line.text.chars());
        chars.filter(|c| !c.is_whitespace())
    };
    let changes = hunk.lines.iter().any(|line| line.kind != LineKind::Context);
    changes && !hunk.is_told_by_sizes() && side(LineKind::Removed).eq(side(LineKind::Added))
}

/// Tells whether a text has a hunk's new lines where the hunk says.
fn fits(hunk: &HunkView, lines: &[&str]) -> bool {
    let mut new = hunk.lines.iter().filter_map(|line| Some((line.new?, line)));
    new.all(|(number, line)| {
        let own = (number as usize)
            .checked_sub(1)
            .and_then(|at| lines.get(at));
        let own = own.map(|own| own.strip_suffix('\n').unwrap_or(own));
        own.is_some_and(|own| own == line.text && line.newline)
    }) && hunk.lines.iter().all(|line| line.newline)
        && hunk.lines.iter().any(|line| line.new.is_some())
}

/// Returns a text as it was before some of its hunks.
fn without(lines: &[&str], hunks: &[&HunkView]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for hunk in hunks {
        let first = hunk.lines.iter().find_map(|line| line.new);
        let first = first.map_or(at, |new| (new as usize).saturating_sub(1));
        text.extend(lines.get(at..first).unwrap_or_default().iter().copied());
        at = first.max(at);
        for line in &hunk.lines {
            match line {
                DiffLine {
                    kind: LineKind::Removed,
                    text: old,
                    ..
                } => {
                    text.push_str(old);
                    text.push('\n');
                }
                DiffLine { kind, new, .. } => {
                    let number = new.map_or(at, |new| new as usize);
                    let before = lines.get(at..number.saturating_sub(1)).unwrap_or_default();
                    text.extend(before.iter().copied());
                    if *kind == LineKind::Context {
                        text.push_str(lines.get(number.saturating_sub(1)).unwrap_or(&""));
                    }
                    at = number.max(at);
                }
            }
        }
    }
    text.extend(lines.get(at..).unwrap_or_default().iter().copied());
    text
}
