//! Blocks that differ from another in one line.
//!
//! What tells a block from its twin must not be overlooked, however alike the rest is.

use super::{class, trap};
use crate::ask::{Ask, Hunk, Row};
use crate::case::{Case, Class, Truth};
use crate::edit::Edit;
use crate::format::Format;
use crate::random::Random;
use crate::text::{self, Compare, Index};

const UNNUMBERED: [Format; 3] = [Format::Section, Format::Bare, Format::Envelope];
const LOCATED: [Format; 4] = Format::BY_ROWS;

/// Returns the classes.
pub(super) fn classes() -> Vec<Class> {
    vec![
        class("twins, and a line that is neither's", &UNNUMBERED, neither),
        class("only a twin is left", &LOCATED, left),
    ]
}

/// The one line that differs is written as in neither of the two places.
fn neither(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let (mut ask, twin) = twin(edit)?;
    let hunk = ask.hunks.first_mut()?;
    let indent: String = twin
        .mine
        .chars()
        .take_while(|c| c.is_whitespace())
        .collect();
    let row = hunk
        .rows
        .iter_mut()
        .filter(|row| row.is_before())
        .nth(twin.row)?;
    *row.text_mut() = format!("{indent}something_else_entirely();");
    Some(trap(
        edit,
        text::join(&edit.base),
        &ask,
        format,
        Truth::Refusal,
    ))
}

/// The place that is meant is gone, and in the twin another line stands for the one that is to
/// go.
fn left(_: &mut Random, edit: &Edit, _: &Edit, format: Format) -> Option<Case> {
    let (ask, twin) = twin(edit)?;
    let hunk = ask.hunks.first()?;
    let row = hunk
        .rows
        .iter()
        .filter(|row| row.is_before())
        .nth(twin.row)?;
    matches!(row, Row::Removed(_)).then_some(())?;
    let mut lines = edit.base.to_vec();
    lines.drain(hunk.start..hunk.start + hunk.before().len());
    // Where blocks share lines, the twin is gone as well, or the block is still there.
    let index = Index::new(&lines);
    let after = index.places(&hunk.after(), Compare::Trimmed);
    (after.is_empty() && !index.knows(&twin.mine)).then_some(())?;
    Some(trap(edit, text::join(&lines), &ask, format, Truth::Refusal))
}

struct Twin {
    /// Which of the lines before differs.
    row: usize,
    /// As it is in the block.
    mine: String,
}

/// Phrases an edit whose lines stand in another place too, but for one.
fn twin(edit: &Edit) -> Option<(Ask, Twin)> {
    let mut ask = edit.ask(3);
    let [hunk] = ask.hunks.as_slice() else {
        return None;
    };
    let index = Index::new(&edit.base);
    let hunk = hunk.clone();
    let block = hunk.before();
    (block.len() >= 5 && index.has_one(&block, Compare::Trimmed)).then_some(())?;
    let twin = (0..block.len()).find_map(|row| differing(edit, &hunk, &index, row))?;
    let done = index.places(&hunk.after(), Compare::Trimmed);
    done.is_empty().then_some(())?;
    ask.hunks = vec![hunk];
    Some((ask, twin))
}

/// Returns the twin that differs in line `row` alone.
fn differing(edit: &Edit, hunk: &Hunk, index: &Index<'_>, row: usize) -> Option<Twin> {
    let block = hunk.before();
    let mine = *block.get(row)?;
    let (head, tail) = (block.get(..row)?, block.get(row + 1..)?);
    // The longer part is looked for, and the other compared where it is found.
    let (part, offset) = if head.len() > tail.len() {
        (head, 0)
    } else {
        (tail, row + 1)
    };
    text::telling(mine).then_some(())?;
    part.iter().any(|line| text::telling(line)).then_some(())?;
    let starts = index.places(part, Compare::Exact).into_iter();
    let starts = starts.filter_map(|at| at.checked_sub(offset));
    let end = hunk.start + block.len();
    let apart = |start: &usize| *start >= end || start + block.len() <= hunk.start;
    let mut twins = starts.filter(apart).filter(|start| {
        let other = edit
            .base
            .get(*start..*start + block.len())
            .unwrap_or_default();
        let same = |at: usize| other.get(at).map(String::as_str) == block.get(at).copied();
        let strange = other
            .get(row)
            .is_some_and(|line| text::telling(line) && line != mine);
        strange && (0..block.len()).all(|at| at == row || same(at))
    });
    twins.next().map(|_| Twin {
        row,
        mine: mine.to_owned(),
    })
}
