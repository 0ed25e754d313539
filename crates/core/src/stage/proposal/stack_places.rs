//! Places of hunks in a file that several layers change: in the order of the file, with the line numbers of the file.
//!
//! ```text
//! file on disk   layer 1        layer 2 (its hunks are numbered for the text with layer 1 in it)
//! 1 a            1 +new
//! 2 b            2  a           3 -b      its `b` is line 2 on disk: before = -1
//! ```
//!
//! In: a stack, and its hunks as they are shown. Out: for each hunk a [`StackPlace`]. A line is carried through the layers
//! by the hunks above it; one that a hunk of a layer put in stands where that hunk begins.

use std::collections::BTreeMap;
use std::ops::Range;

use super::stack::PathStack;
use crate::edit::diff::hunk::Rendered;
use crate::id::{HunkId, ProposalId};
use crate::stage::review::StackPlace;
use crate::text::Slice;

/// The lines that a hunk changes, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HunkLines {
    hunk: HunkId,
    /// In the text below its layer.
    old: Range<usize>,
    /// In the text above it.
    new: Range<usize>,
}

/// Returns the places of the hunks of a stack; none if it has one layer, whose hunks are numbered as the file is.
pub(super) fn stack_places(
    stack: &PathStack,
    rendered: &BTreeMap<HunkId, Rendered>,
) -> BTreeMap<HunkId, StackPlace> {
    if stack.layers.len() < 2 {
        return BTreeMap::new();
    }
    let layers = lines_of_layers(stack, rendered);
    let mut places = BTreeMap::new();
    for (at, layer) in layers.iter().enumerate() {
        for own in layer {
            let (disk, builds_on) = on_disk(own, layers.slice(..at));
            let end = through(own.new.start, layers.slice(at + 1..));
            let place = StackPlace {
                line: u32::try_from(disk).unwrap_or(u32::MAX),
                before: shift(own.old.start, disk),
                after: shift(own.new.start, end),
                builds_on,
            };
            places.insert(own.hunk, place);
        }
    }
    places
}

fn shift(from: usize, to: usize) -> i32 {
    i32::try_from(to as isize - from as isize).unwrap_or(i32::MAX)
}

/// Returns the lines of the hunks of each layer, lowest first.
fn lines_of_layers(
    stack: &PathStack,
    rendered: &BTreeMap<HunkId, Rendered>,
) -> Vec<Vec<HunkLines>> {
    let layers = stack.layers.iter();
    layers
        .map(|layer| {
            let mut numbers = layer.numbers().to_vec();
            numbers.dedup();
            lines_of_layer(layer.proposal(), &numbers, rendered)
        })
        .collect()
}

fn lines_of_layer(
    proposal: ProposalId,
    numbers: &[u32],
    rendered: &BTreeMap<HunkId, Rendered>,
) -> Vec<HunkLines> {
    let mut lines = Vec::with_capacity(numbers.len());
    let mut moved = 0_isize;
    for number in numbers.iter().copied() {
        let hunk = HunkId { proposal, number };
        let Some(shown) = rendered.get(&hunk) else {
            continue;
        };
        let old = shown.touched.clone();
        let start = old.start.saturating_add_signed(moved);
        moved += shown.added as isize - shown.removed as isize;
        let new = start..old.end.saturating_add_signed(moved).max(start);
        lines.push(HunkLines { hunk, old, new });
    }
    lines
}

/// Returns the line of the file on disk at which a hunk stands, and the uppermost hunk below it whose lines it changes.
fn on_disk(own: &HunkLines, below: &[Vec<HunkLines>]) -> (usize, Option<HunkId>) {
    let mut lines = own.old.clone();
    let mut builds_on = None;
    for layer in below.iter().rev() {
        let touched = first_touched(&lines, layer).map(|lower| lower.hunk);
        builds_on = builds_on.or(touched.filter(|lower| lower.proposal != own.hunk.proposal));
        let len = lines.len();
        let start = carried(lines.start, layer, |hunk| (&hunk.new, &hunk.old));
        lines = start..start + len;
    }
    (lines.start, builds_on)
}

/// Returns the first hunk of a layer that a change of `lines` is about. They stand in their order.
fn first_touched<'a>(lines: &Range<usize>, layer: &'a [HunkLines]) -> Option<&'a HunkLines> {
    let first = layer.partition_point(|lower| lower.new.end < lines.start);
    let near = layer.slice(first..).iter();
    let mut near = near.take_while(|lower| lower.new.start <= lines.end);
    near.find(|lower| touches(lines, &lower.new))
}

/// Returns where a line of the text below these layers is above them.
fn through(line: usize, layers: &[Vec<HunkLines>]) -> usize {
    layers.iter().fold(line, |line, layer| {
        carried(line, layer, |hunk| (&hunk.old, &hunk.new))
    })
}

/// Returns whether a change of `lines` is about lines that `put` holds, or is made where something was taken out.
fn touches(lines: &Range<usize>, put: &Range<usize>) -> bool {
    let (first, last) = (lines.start.max(put.start), lines.end.min(put.end));
    match (lines.is_empty(), put.is_empty()) {
        (false, false) => first < last,
        (true, true) => lines == put,
        (true, false) => put.start < lines.start && lines.start < put.end,
        (false, true) => lines.start < put.start && put.start < lines.end,
    }
}

/// Carries a line over the hunks of a layer, each of which has its lines on the line's own side and on the other.
fn carried(
    line: usize,
    layer: &[HunkLines],
    sides: impl Fn(&HunkLines) -> (&Range<usize>, &Range<usize>),
) -> usize {
    let above = layer.partition_point(|hunk| sides(hunk).0.start <= line);
    let Some(last) = above.checked_sub(1).and_then(|at| layer.get(at)) else {
        return line;
    };
    let (own, other) = sides(last);
    if line < own.end {
        return other.start;
    }
    line - own.end + other.end
}
