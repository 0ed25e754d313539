//! Fuzzy search for a stretch of a diff-match-patch patch, by character.
//!
//! In: a stretch and its offset. Out: its splices, where the fewest characters differ, if nothing that
//! changes is among them, its offset is near and no other place comes near.

use std::ops::Range;

use super::parse::Stretch;
use super::{Evidence, Outcome, REACH, Searched};
use crate::locate::approximate::{self, Near};
use crate::locate::{Rung, RunnerUp};
use crate::text::Splice;

/// The least score that is taken: three quarters of the characters.
const FLOOR: u8 = 75;
/// The least where the stretch has fewer than [`SHORT`] characters: one word for another is all
/// that tells its place from a sibling's.
const FLOOR_SHORT: u8 = 92;
/// Less than what is shown beside a change of some lines.
const SHORT: usize = 96;
/// The least distance to the next best place.
const MARGIN: u8 = 20;
const CLOSE_CHARS: usize = 64;

impl Searched<'_> {
    /// Finds the stretch by its characters, around its offset.
    pub(super) fn nearly(
        &self,
        stretch: &Stretch,
        before: &str,
        hint: usize,
    ) -> Result<(Vec<Splice>, Evidence), Outcome> {
        let text = self.view.text();
        let length = before.chars().count();
        let back = text
            .get(..hint)
            .unwrap_or_default()
            .char_indices()
            .rev()
            .nth(REACH)
            .map_or(0, |(at, _)| at);
        let end = self.offset_after(back, 2 * REACH + length);
        let around = text.get(back..end).unwrap_or_default();
        let window: Vec<(usize, char)> = around.char_indices().collect();
        let pattern: Vec<(usize, char)> = before.char_indices().collect();
        let chars =
            |from: &[(usize, char)]| -> Vec<char> { from.iter().map(|(_, char)| *char).collect() };
        let floor = if length < SHORT { FLOOR_SHORT } else { FLOOR };
        let most = length - (length * usize::from(floor)).div_ceil(100);
        if approximate::has_within(&chars(&pattern), around, most) == Some(false) {
            return Err(self.missing(before));
        }
        let near = approximate::nearest(&chars(&pattern), &chars(&window))
            .ok_or_else(|| self.missing(before))?;
        let clear = near
            .next
            .is_none_or(|(_, next)| near.score >= next.saturating_add(MARGIN));
        if near.score < floor
            || !clear
            || !stretch.tells()
            || self.is_elsewhere(&chars(&pattern), &near, back)
        {
            return Err(self.missing(before));
        }
        // Byte of the text for a byte of the stretch, where that character is there.
        let stands = |byte: usize| {
            let index = pattern.binary_search_by_key(&byte, |(at, _)| *at).ok()?;
            let place = near.stands.get(index).copied().flatten()?;
            window.get(place).map(|(at, _)| back + at)
        };
        let off = |(at, _): &(usize, char)| Some(stands(*at)?.abs_diff(hint + at));
        let close = pattern.iter().find_map(off);
        if close.is_none_or(|off| off > CLOSE_CHARS)
            || !stretch
                .changes()
                .iter()
                .all(|(range, _)| is_sure(before, range, &stands))
        {
            return Err(self.missing(before));
        }
        let place = |byte: usize| {
            stands(byte).or_else(|| {
                let last = before.get(..byte)?.char_indices().next_back()?;
                stands(last.0).map(|at| at + last.1.len_utf8())
            })
        };
        let line_of = |at: usize| self.source.line_of(self.view.real(at..at).start) + 1;
        let runner_up = near.next.and_then(|(index, score)| {
            window.get(index).map(|(at, _)| RunnerUp {
                line: line_of(back + at),
                score,
            })
        });
        let how = format!("fuzzy: {} of 100 characters as given", near.score);
        let evidence = Evidence {
            rung: Rung::Fuzzy,
            how,
            score: Some(near.score),
            runner_up,
        };
        Ok((self.splices(stretch, place), evidence))
    }

    /// Returns whether a stretch that was found nearly, in a window from byte `back` on, nearly
    /// stands outside of it as well: its offset is no reason to prefer one of the two.
    fn is_elsewhere(&self, pattern: &[char], near: &Near, back: usize) -> bool {
        let least = usize::from(near.score.saturating_sub(MARGIN));
        let cost = pattern.len() - pattern.len() * least / 100;
        let text = self.view.text();
        let end = self.offset_after(back, 2 * REACH + pattern.len());
        let outside = [text.get(..back), text.get(end..)];
        let mut outside = outside.into_iter().flatten();
        outside.any(|part| approximate::has_within(pattern, part, cost) != Some(false))
    }

    /// Returns the byte `characters` after byte `from`.
    fn offset_after(&self, from: usize, count: usize) -> usize {
        let rest = self.view.text().get(from..).unwrap_or_default();
        let end = rest
            .char_indices()
            .nth(count)
            .map_or(rest.len(), |(at, _)| at);
        from + end
    }
}

/// Returns whether all that goes is there without a gap, and the characters on both sides of
/// it as well, as far as the stretch has them.
fn is_sure(before: &str, range: &Range<usize>, stands: &impl Fn(usize) -> Option<usize>) -> bool {
    let start = before
        .get(..range.start)
        .and_then(|head| head.char_indices().next_back())
        .map_or(0, |(at, _)| at);
    let end = before
        .get(range.end..)
        .and_then(|tail| tail.chars().next())
        .map_or(range.end, |char| range.end + char.len_utf8());
    let bytes = before.get(start..end).unwrap_or_default().char_indices();
    let places: Vec<Option<usize>> = bytes
        .map(|(at, _)| stands(start + at).map(|place| place.wrapping_sub(at)))
        .collect();
    places.iter().all(Option::is_some)
        && places
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a == b))
}
