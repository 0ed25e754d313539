//! Anchors: the lines that a patch names above a hunk.
//!
//! In: a text, a hunk and where to look from. Out: the part of the text in which the hunk begins. For
//! `@@ fn area` the block of that function.

use std::ops::Range;

use super::parse::PatchHunk;
use crate::edit::locate::loose::Views;
use crate::edit::locate::loose::normal::{Level, normal};
use crate::edit::locate::loose::view::{Block, string};
use crate::text::Source;
use crate::text::indent::leading;

/// Lines under which a hunk stands.
pub(super) struct HunkRegion {
    pub(super) start: usize,
    /// The line after the innermost anchor, if one was found.
    pub(super) below: Option<usize>,
    /// Where the block of the innermost anchor ends, or else the one that it is in; none at the top of
    /// the file.
    pub(super) end: Option<usize>,
    /// True if the innermost anchor opens a block.
    pub(super) opens: bool,
    /// True if the innermost anchor is a hunk of context alone, which the next one stands below.
    pub(super) is_hunk: bool,
}

/// Follows the lines named above a hunk, from `from` on, each below the one before it. One that is not
/// in the file says nothing.
pub(super) fn region(views: &Views<'_>, hunk: &PatchHunk, from: usize) -> HunkRegion {
    let count = views.source().line_count();
    let mut region = HunkRegion {
        start: from,
        below: None,
        end: None,
        opens: false,
        is_hunk: false,
    };
    for anchor in &hunk.anchors {
        let from = region.below.unwrap_or(from);
        let Some(line) = anchored(views, anchor, from..count) else {
            continue;
        };
        let below = line + anchor.len();
        let head = (line..below)
            .rfind(|line| !string(views.source(), *line).trim().is_empty())
            .unwrap_or(line);
        let lead = leading(&string(views.source(), head)).len();
        let end = block_end(views.source(), head, lead + 1);
        region = HunkRegion {
            start: line,
            below: Some(below),
            end: Some(end)
                .filter(|end| *end > below)
                .or_else(|| (lead > 0).then(|| block_end(views.source(), head, lead))),
            opens: end > below,
            is_hunk: anchor.len() > 1,
        };
    }
    region
}

/// Returns where an anchor stands first, white space apart.
fn anchored(views: &Views<'_>, anchor: &[String], within: Range<usize>) -> Option<usize> {
    if let [line] = anchor {
        let form = normal(views.budget(), line, Level::Blanks);
        return views.line_with(Level::Blanks, &form, within);
    }
    let lines: Vec<&str> = anchor.iter().map(String::as_str).collect();
    let block = Block {
        lines: &lines,
        open_start: false,
        open_end: false,
    };
    let levels = [Level::Exact, Level::Blanks];
    let mut spots = levels
        .iter()
        .map(|level| views.spots(*level, block, within.clone(), None));
    spots.find_map(|spots| spots.first().map(|spot| spot.line))
}

/// Returns the line after the block below line `line`: up to the next line that is indented less
/// than `least`, after those that only close it.
fn block_end(source: &Source, line: usize, least: usize) -> usize {
    line + 1
        + (line + 1..source.line_count())
            .take_while(|line| {
                let text = string(source, *line);
                text.trim().is_empty()
                    || leading(&text).len() >= least
                    || text.trim_start().starts_with(['{', '}', ')', ']'])
            })
            .count()
}
