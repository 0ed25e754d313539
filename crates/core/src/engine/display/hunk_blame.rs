//! Blame of a hunk: who last changed the lines that it removes and those around them.
//!
//! In: a hunk that waits. Out: its old lines, each with its author in the file on disk; of lines that other staged work
//! below it puts in there is none yet.

use serde::Serialize;

use super::history_queries::file_blame;
use crate::edit::diff::line::LineKind;
use crate::edit::diff::lines::{LineDifference, diff_lines};
use crate::engine::EngineError;
use crate::engine::state::WorkspaceState;
use crate::id::HunkId;
use crate::stage::proposal::stack::PathStack;
use crate::stage::proposal::views::views;
use crate::stage::review::BlameView;
use crate::text::Source;

/// Maximum number of lines that are told of one hunk; as many as a screen of 50 lines goes through in 40 pages.
const MOST_BLAMED: usize = 2_000;

/// Who last changed the old lines of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HunkBlame {
    /// The hunk.
    pub hunk: HunkId,
    /// Its file.
    pub path: String,
    /// Its removed and context lines, in order.
    pub lines: Vec<BlamedLine>,
    /// Why there are none, or not all.
    pub missing: Option<String>,
}

/// An old line of a hunk and who last changed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlamedLine {
    /// Whether the hunk removes it.
    pub kind: LineKind,
    /// The line without its ending.
    pub text: String,
    /// Who; none if staged work puts it in that is not written.
    pub blame: Option<BlameView>,
}

/// Returns who last changed the old lines of a hunk.
pub(in crate::engine) fn hunk_blame(
    state: &WorkspaceState,
    hunk: HunkId,
) -> Result<HunkBlame, EngineError> {
    let mut out = HunkBlame {
        hunk,
        path: String::new(),
        lines: Vec::new(),
        missing: None,
    };
    let Some((path, old, places)) = old_lines(state, hunk)? else {
        out.missing = Some("it is not staged any more".to_owned());
        return Ok(out);
    };
    out.path = path;
    if old.is_empty() {
        out.missing = Some("the hunk has no lines that were there before".to_owned());
        return Ok(out);
    }
    let blamed = file_blame(state, &out.path)?;
    if old.len() > MOST_BLAMED {
        out.missing = Some(format!("only the first {MOST_BLAMED} lines are shown"));
    }
    let lines = old.into_iter().zip(places).take(MOST_BLAMED);
    let lines = lines.map(|((kind, text), place)| BlamedLine {
        kind,
        blame: place.and_then(|line| blamed.get(line)).cloned(),
        text,
    });
    out.lines = lines.collect();
    Ok(out)
}

/// Returns the file of a hunk on disk, the hunk's old lines, and for each of them its line on disk, if it is there.
#[expect(
    clippy::type_complexity,
    reason = "three values that one place takes apart"
)]
fn old_lines(
    state: &WorkspaceState,
    hunk: HunkId,
) -> Result<Option<(String, Vec<(LineKind, String)>, Vec<Option<usize>>)>, EngineError> {
    let view = views(&state.overlay.stage).into_iter();
    let Some(view) = view.into_iter().find(|view| view.id == hunk.proposal) else {
        return Ok(None);
    };
    let Some(key) = state.overlay.key_of(&view).cloned() else {
        return Ok(None);
    };
    let own = view.hunks.into_iter().find(|own| own.id == hunk);
    let (Some(own), Some(stack)) = (own, state.overlay.stage.stacks.get(&key)) else {
        return Ok(None);
    };
    let (base, below) = texts(stack, hunk)?;
    let numbered: Vec<_> = own
        .lines
        .into_iter()
        .filter_map(|line| Some((line.old?.checked_sub(1)?, line.kind, line.text)))
        .collect();
    let wanted: Vec<usize> = numbered.iter().map(|(line, ..)| *line as usize).collect();
    let places = on_disk(base.as_ref(), below.as_ref(), &wanted);
    let old = numbered.into_iter().map(|(_, kind, text)| (kind, text));
    Ok(Some((key.to_string(), old.collect(), places)))
}

/// Returns the text on disk, and the one below the layers of a hunk's proposal.
fn texts(stack: &PathStack, hunk: HunkId) -> Result<(Option<Source>, Option<Source>), EngineError> {
    let mut below = stack.base.clone();
    for layer in &stack.layers {
        if layer.proposal() == hunk.proposal {
            break;
        }
        below = layer.apply(below.as_ref())?;
    }
    Ok((stack.base.clone(), below))
}

/// Returns for lines of a text, counted from 0 and in order, where they are in the text on disk.
fn on_disk(base: Option<&Source>, below: Option<&Source>, lines: &[usize]) -> Vec<Option<usize>> {
    let (Some(base), Some(below)) = (base, below) else {
        return vec![None; lines.len()];
    };
    if base.bytes() == below.bytes() {
        return lines.iter().map(|line| Some(*line)).collect();
    }
    let old: Vec<&[u8]> = (0..base.line_count()).map(|line| base.line(line)).collect();
    let new: Vec<&[u8]> = (0..below.line_count())
        .map(|line| below.line(line))
        .collect();
    let changes = diff_lines(&old, &new);
    lines
        .iter()
        .map(|line| line_before(&changes, line))
        .collect()
}

fn line_before(changes: &[LineDifference], line: &usize) -> Option<usize> {
    let before = changes.partition_point(|change| change.new.end <= *line);
    if changes
        .get(before)
        .is_some_and(|own| own.new.contains(line))
    {
        return None;
    }
    let shift = before.checked_sub(1).and_then(|at| changes.get(at));
    let shift = shift.map_or(0, |own| own.old.end as isize - own.new.end as isize);
    line.checked_add_signed(shift)
}
