//! Hunks that cannot stand any more.
//!
//! In: a file's stack as it was, the hunks that it has lost, and why. Out: their records, which
//! keep what each was to do, and what the user has in its place now.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::layer::Layer;
use super::stack::PathStack;
use super::stage::Stage;
use crate::diff::hunk::{self, Rendered};
use crate::diff::lines::difference;
use crate::id::HunkId;
use crate::review::{HunkStatus, LineKind};
use crate::text::{EditSet, Source};

/// So many lines of the user's are shown beside a hunk.
const MOST_LINES: usize = 40;

impl Stage {
    /// Marks hunks that cannot stand any more; `before` is the stack that had them.
    pub(super) fn lose(&mut self, before: &PathStack, lost: &[HunkId], why: &str) {
        self.lose_to(before, lost, why, None);
    }

    /// Marks hunks that cannot stand any more since the file below them is `now` another.
    pub(super) fn lose_to(
        &mut self,
        before: &PathStack,
        lost: &[HunkId],
        why: &str,
        now: Option<&Source>,
    ) {
        if lost.is_empty() {
            return;
        }
        let mut shown = rendered(before);
        let saved = before.base.as_ref().zip(now);
        let saved = saved.map(|(base, now)| (base, now, difference(base, now)));
        let lowest = before.layers.first().map(Layer::proposal);
        let wanted: HashSet<HunkId> = lost.iter().copied().collect();
        for proposal in &mut self.proposals {
            let id = proposal.id;
            for record in &mut proposal.hunks {
                let hunk = HunkId {
                    proposal: id,
                    number: record.number,
                };
                if !wanted.contains(&hunk) {
                    continue;
                }
                let reason = why.to_owned();
                record.status = HunkStatus::Conflict { reason };
                let Some(shown) = shown.remove(&hunk) else {
                    continue;
                };
                if let (Some((base, now, saved)), true) = (&saved, lowest == Some(id)) {
                    record.yours = yours(&shown, base, now, saved);
                }
                record.keep(shown);
            }
        }
        self.name_proposals();
    }
}

/// Returns every hunk of a stack as it is shown.
pub(super) fn rendered(stack: &PathStack) -> BTreeMap<HunkId, Rendered> {
    let mut all = BTreeMap::new();
    let mut below = stack.base.clone();
    for layer in &stack.layers {
        let text = below.clone().unwrap_or_else(|| Source::new(Vec::new()));
        for hunk in hunk::render(&text, layer.edits(), layer.numbers()) {
            let id = HunkId {
                proposal: layer.proposal(),
                number: hunk.number,
            };
            all.insert(id, hunk);
        }
        below = layer.apply(below.as_ref()).unwrap_or(below);
    }
    all
}

/// Returns the lines that the user has `now` in place of those that a hunk of `base` was to change.
fn yours(hunk: &Rendered, base: &Source, now: &Source, saved: &EditSet) -> Vec<String> {
    let Some(changed) = changed_lines(hunk) else {
        return Vec::new();
    };
    let mut start = base.line_range(changed.start).start;
    let mut end = match changed.is_empty() {
        true => start,
        false => base.line_range(changed.end - 1).end,
    };
    let (mut ahead, mut within) = (0_isize, 0_isize);
    for splice in saved.splices() {
        let grown = splice.new.len() as isize - splice.old.len() as isize;
        if splice.end() < start {
            ahead += grown;
        } else if splice.at <= end {
            start = start.min(splice.at);
            end = end.max(splice.end());
            within += grown;
        }
    }
    let from = start.saturating_add_signed(ahead);
    let to = end.saturating_add_signed(ahead + within);
    if from >= to {
        return Vec::new();
    }
    let lines = now.line_of(from)..now.line_of(to - 1) + 1;
    lines
        .take(MOST_LINES)
        .map(|line| now.line_text(line).into_owned())
        .collect()
}

/// Returns the lines that a hunk removes, or the place where it adds some; 0-based.
fn changed_lines(hunk: &Rendered) -> Option<Range<usize>> {
    let removed = hunk.lines.iter().filter(|l| l.kind == LineKind::Removed);
    let numbers = removed.filter_map(|line| line.old);
    let span = numbers.fold(None, |span: Option<(u32, u32)>, number| {
        Some(span.map_or((number, number), |(first, _)| (first, number)))
    });
    if let Some((first, last)) = span {
        return Some(first.saturating_sub(1) as usize..last as usize);
    }
    let added = hunk.lines.iter().position(|l| l.kind == LineKind::Added)?;
    let above = hunk.lines.iter().take(added).filter_map(|line| line.old);
    let place = above.last().unwrap_or(0) as usize;
    Some(place..place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, wanted: &str, mine: &str, expected: &[&str]) {
        let (base, mine) = (Source::new(base), Source::new(mine));
        let edits = hunk::by_line(&base, &difference(&base, &Source::new(wanted)));
        let numbers = hunk::group(&base, &edits);
        let shown = hunk::render(&base, &edits, &numbers);
        let saved = difference(&base, &mine);
        assert_eq!(yours(&shown[0], &base, &mine, &saved), expected);
    }

    #[test]
    fn what_the_user_has_in_place_of_a_hunk_is_told() {
        check("a\nb\nc\n", "a\nB\nc\n", "a\nmine\nc\n", &["mine"]);
        check(
            "a\nb\nc\n",
            "a\nB\nc\n",
            "new\na\nmine\nand\nc\n",
            &["mine", "and"],
        );
        check("a\nb\nc\n", "a\nB\nc\n", "a\nc\n", &[]);
        check("a\nb\nc\n", "a\nB\nC\n", "a\nb\nmine\n", &["b", "mine"]);
        check("a\nb\n", "a\nnew\nb\n", "a\nmine\nb\n", &["mine"]);
        check("", "new\n", "mine\n", &["mine"]);
    }
}
