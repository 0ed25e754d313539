//! Search for the changed middle of a diff-match-patch stretch.
//!
//! In: a stretch and its offset. Out: its splices, where the middle is in the text once and says
//! something. What is further out may have changed: a stretch shows a few characters of lines that
//! it has nothing to do with.

use std::ops::Range;

use super::parse::PatchStretch;
use super::{DmpText, Evidence, MUCH, Outcome};
use crate::edit::locate::limits::TELLING_LINE;
use crate::edit::locate::loose::normal::letters;
use crate::edit::locate::{Rung, exact};
use crate::text::{Slice, Splice};

/// Letters that the middle has at least, and its share of those that the stretch shows, of 100.
const LEAST: usize = 12;
/// The least part, of 100, that the core has of the letters of its stretch.
const SHARE: usize = 40;
/// Letters that go and are known by themselves; with fewer, both sides have to say something.
const GONE: usize = 8;
/// Bytes from its offset within which a core is taken, unless much goes: what is next to a block
/// that is gone moves up into its place, and what is like it stands further away.
const CLOSE: usize = 200;

impl DmpText<'_> {
    /// Finds the stretch by its middle; none where that is not sure.
    pub(super) fn seated(
        &self,
        stretch: &PatchStretch,
        before: &str,
        hint: usize,
    ) -> Option<Result<(Vec<Splice>, Evidence), Outcome>> {
        let middle = middle(stretch, before)?;
        let core = before.get(middle.clone())?;
        let says = letters(core);
        let tells = stretch.removed_letters() >= GONE || has_two_sides(stretch, before, &middle);
        if !tells || says < LEAST || says * 100 < letters(before) * SHARE {
            return None;
        }
        let text = self.view.text();
        let [at] = exact::places(text, core).try_into().ok()?;
        let near = at.abs_diff(hint.saturating_add(middle.start)) <= CLOSE;
        if !near && stretch.removed_letters() < MUCH {
            return None;
        }
        let after = stretch.after();
        let lost = before.len() - middle.end;
        let after = after.get(middle.start..after.len().checked_sub(lost)?)?;
        if self.is_made_at(core, after, at) {
            return Some(Err(Outcome::AlreadyApplied { why: String::new() }));
        }
        let score = 100 * core.chars().count() / before.chars().count().max(1);
        let evidence = Evidence {
            rung: Rung::Fuzzy,
            how: format!(
                "the changed text and what stands beside it match, {score} of 100 characters"
            ),
            score: u8::try_from(score).ok(),
            runner_up: None,
            quoted: Vec::new(),
        };
        let place = |byte: usize| byte.checked_sub(middle.start).map(|byte| at + byte);
        Some(Ok((self.splices(stretch, place), evidence)))
    }
}

/// Returns whether the middle says something before the first change and after the last.
fn has_two_sides(stretch: &PatchStretch, before: &str, middle: &Range<usize>) -> bool {
    let changes = stretch.changes();
    let above = changes.first().map(|(range, _)| middle.start..range.start);
    let below = changes.last().map(|(range, _)| range.end..middle.end);
    above.is_some_and(|range| letters(before.slice(range)) >= TELLING_LINE)
        && below.is_some_and(|range| letters(before.slice(range)) >= TELLING_LINE)
}

/// Returns the bytes of the text before from the line above what changes to the line below it, as
/// far as they are shown; none if text only comes and one side of it is not shown.
fn middle(stretch: &PatchStretch, before: &str) -> Option<Range<usize>> {
    let changes = stretch.changes();
    let first = changes.first()?.0.start;
    let last = changes.last()?.0.end;
    let comes = changes.iter().all(|(range, _)| range.is_empty());
    if comes && (first == 0 || last == before.len()) {
        return None;
    }
    let head = before.get(..first)?;
    let lines = head.rmatch_indices('\n').nth(1);
    let start = lines.map_or(0, |(at, _)| at + 1);
    let begins_line = last == 0 || before.get(..last)?.ends_with('\n');
    let tail = before.get(last..)?;
    let lines = tail.match_indices('\n').nth(usize::from(!begins_line));
    let end = lines.map_or(before.len(), |(at, _)| last + at + 1);
    Some(start..end)
}
