//! Where a hunk stands as given, in the block of its anchor and below it.
//!
//! ```text
//! @@ fn area          the block of `fn area`
//!  let a = 1;         begins in it: the hunk is for this place,
//! -b                  wherever it ends
//! ```

use std::ops::Range;

use super::anchor::HunkRegion;
use super::parse::PatchHunk;
use super::place::scripts;
use crate::edit::locate::limits::STATEMENT;
use crate::edit::locate::loose::Views;
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::rows;
use crate::edit::locate::script::{Row, Script};

/// The least lines of a hunk that is also searched below the block of its anchor, if it is there as
/// given: what opens a block is not always told from what closes it. One of fewer lines is if the file has it once and
/// it says as much as a statement.
pub(super) const BEYOND_ANCHOR: usize = 3;

/// Returns where the rows of a hunk begin that stands as given, its first line in the block of its
/// anchor: what is below the change may be of the next block. Case:
/// `a_hunk_may_end_below_the_block_of_its_anchor`.
pub(super) fn starts_in_block(
    views: &Views<'_>,
    script: &Script,
    region: &HunkRegion,
) -> Vec<usize> {
    let before: Vec<&str> = script.before().map(Row::text).collect();
    let count = views.source().line_count();
    let mut lines = rows::places(views, &before, region.start..count, None);
    lines.retain(|line| region.end.is_none_or(|end| *line < end));
    let is_below = |line: &usize| region.below.is_none_or(|below| *line >= below);
    if region.is_hunk && lines.iter().any(is_below) {
        lines.retain(is_below);
    }
    lines
}

/// Returns the reading of a hunk of which the rows stand as given and begin in the block of its
/// anchor, and the lines from the first to the last of these places.
pub(super) fn exact_in_block(
    views: &Views<'_>,
    hunk: &PatchHunk,
    region: &HunkRegion,
) -> Option<(Script, Range<usize>)> {
    region.below?;
    scripts(hunk).into_iter().find_map(|script| {
        let lines = starts_in_block(views, &script, region);
        let (first, last) = (*lines.first()?, *lines.last()?);
        let to = last + script.before().count();
        Some((script, first..to))
    })
}

/// Returns where a hunk stands as given below the block of its anchor, if that says enough: what opens a
/// block is not always told from what closes it. A line that other blocks have as well says nothing.
/// Case: `a_line_that_stands_once_is_found_below_the_block_of_its_anchor`.
pub(super) fn beyond(views: &Views<'_>, hunk: &PatchHunk, region: &HunkRegion) -> Vec<usize> {
    let Some(end) = region.end else {
        return Vec::new();
    };
    let before: Vec<&str> = hunk.before().collect();
    let count = views.source().line_count();
    let mut lines = rows::places(views, &before, 0..count, None);
    let said: usize = before.iter().map(|line| letters(line)).sum();
    let once = lines.len() == 1 && said >= STATEMENT;
    lines.retain(|line| *line >= end);
    if before.len() >= BEYOND_ANCHOR || once || !region.opens {
        lines
    } else {
        Vec::new()
    }
}
