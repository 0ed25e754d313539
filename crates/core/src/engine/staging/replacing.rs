//! Replacing: a payload that writes certain hunks again, and touches nothing else.
//!
//! In: a draft, and the hunks that it may rewrite. Out: the draft, with what is elsewhere refused.
//!
//! ```text
//! 1 a        hunk: `two`     `two` to `2`          staged, in the place of the hunk
//! 2+two                      `two` and `c` to `3`  staged: `c` is beside it
//! 3 c                        `g` to `7`            refused: line 7 is elsewhere
//! 7 g
//! ```

use std::ops::Range;

use super::draft::PayloadDraft;
use crate::disk::workspace::WorkspacePath;
use crate::edit::diff::lines::difference;
use crate::id::HunkId;
use crate::plural::counted;
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::stage::Stage;
use crate::text::{Mismatch, Source};

/// Lines around a hunk that may change with it: those that a diff shows, as a comma behind the line before.
const LINES_AROUND: usize = 3;

/// Said where the hunk itself stays.
pub(super) const NOT_REWRITTEN: &str = "this leaves the hunk as it is that the user wants written again: change its own \
     lines, and no other hunk's";

/// Where hunks are in a file as staged.
struct Stretch {
    /// The bytes that may change.
    bytes: Range<usize>,
    /// The 1-based lines of the hunk itself; the second is before the first where it only removes.
    lines: (usize, usize),
}

/// Refuses the changes of a draft that are not about the lines of the hunks that it may rewrite.
pub(super) fn refuse_elsewhere(stage: &Stage, draft: &mut PayloadDraft) -> Result<(), Mismatch> {
    let Some(only) = draft.asked.only.clone() else {
        return Ok(());
    };
    let mut refused = Vec::new();
    for change in &draft.ready {
        let stack = stage.key_of(&change.path);
        let stack = stack.and_then(|key| stage.stacks.get(key));
        let stretches = match stack {
            Some(stack) => stretches(stack, &only)?,
            None => Vec::new(),
        };
        let text = draft.texts.get(&change.path);
        let (before, after) =
            text.map_or((None, None), |own| (own.first.as_ref(), own.now.as_ref()));
        let is_fitting = match (before, after) {
            (Some(before), Some(after)) => is_within(&stretches, before, after),
            _ => false,
        };
        if !is_fitting || change.to.is_some() {
            refused.push((change.at, why(stage, &only, &change.path, &stretches)));
        }
    }
    for (at, why) in refused {
        if let Some(result) = draft.results.get_mut(at).filter(|result| result.ok) {
            result.refuse(&why);
        }
    }
    Ok(())
}

/// Returns where hunks are in the text with all that is staged; those on which others build are nowhere.
fn stretches(stack: &PathStack, only: &[HunkId]) -> Result<Vec<Stretch>, Mismatch> {
    let Some(text) = stack.text()? else {
        return Ok(Vec::new());
    };
    let staged = stack
        .base
        .as_ref()
        .map(|base| difference(base, &text).invert());
    let staged = staged.iter().flat_map(|edits| edits.splices());
    let staged: Vec<Range<usize>> = staged.map(|splice| splice.at..splice.end()).collect();
    let own = only.iter().filter_map(|hunk| stack.on_top(*hunk));
    Ok(own
        .map(|own| Stretch::around(own, &text, &staged))
        .collect())
}

impl Stretch {
    /// Returns the stretch of a hunk that put these bytes into a text, with lines around it that nothing else changed.
    fn around(own: Range<usize>, text: &Source, staged: &[Range<usize>]) -> Self {
        let is_free = |line: usize| {
            let bytes = text.line_range(line);
            let mut others = staged.iter();
            !others.any(|other| other.start < bytes.end && bytes.start < other.end)
        };
        let first = text.line_of(own.start);
        let end = if own.is_empty() {
            first
        } else {
            text.line_of(own.end - 1) + 1
        };
        let above = (first.saturating_sub(LINES_AROUND)..first).rev();
        let above = above.take_while(|line| is_free(*line)).last();
        let below = end..text.line_count().min(end + LINES_AROUND);
        let below = below.take_while(|line| is_free(*line)).last();
        let start = above.map_or(own.start, |line| text.line_range(line).start);
        let stop = below.map_or(own.end, |line| text.line_range(line).end);
        Self {
            bytes: start..stop.max(own.end),
            lines: (first + 1, end),
        }
    }

    fn in_words(&self) -> String {
        match self.lines {
            (first, last) if last < first => format!("line {first}"),
            (first, last) if last == first => format!("line {first}"),
            (first, last) => format!("lines {first} to {last}"),
        }
    }
}

/// Returns whether all that differs lies within stretches of the text before.
fn is_within(stretches: &[Stretch], before: &Source, after: &Source) -> bool {
    let changed = difference(before, after);
    changed.splices().iter().all(|splice| {
        let mut around = stretches.iter().map(|stretch| &stretch.bytes);
        around.any(|bytes| bytes.start <= splice.at && splice.end() <= bytes.end)
    })
}

/// Says what may be changed instead.
fn why(stage: &Stage, only: &[HunkId], path: &WorkspacePath, stretches: &[Stretch]) -> String {
    if let [first, ..] = stretches {
        return format!(
            "the user wants one hunk written again and all else as it is: only {} of {path} may change, with {} around",
            first.in_words(),
            counted(LINES_AROUND, "line"),
        );
    }
    let mut files = only.iter().filter_map(|hunk| stage.find(*hunk));
    match files.next() {
        Some((own, _)) if own != path => format!(
            "the user wants one hunk of {own} written again and all else as it is: no other file may change"
        ),
        Some(_) => "this hunk cannot be written again by itself: another one builds on it, or it does more than edit \
             lines. Say so to the user, who decides on them first"
            .to_owned(),
        None => "the hunk that was to be written again does not wait any more; say so to the user".to_owned(),
    }
}
