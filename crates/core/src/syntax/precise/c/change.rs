//! What is edited.
//!
//! In: a text before and after. Out: the part of each that differs, and what of faults it has to do with.

use std::ops::Range;

use super::WHOLE;

/// What is edited, as far as texts show it.
pub(super) struct Change {
    /// The part of the text before.
    pub(super) old: Range<usize>,
    /// The part of the text after.
    pub(super) new: Range<usize>,
}

impl Change {
    pub(super) fn between(before: &str, after: &str) -> Self {
        let same = |(a, b): &(u8, u8)| a == b;
        let start = before.bytes().zip(after.bytes()).take_while(same).count();
        let most = before.len().min(after.len()) - start;
        let ends = before.bytes().rev().zip(after.bytes().rev());
        let end = ends.take(most).take_while(same).count();
        Self {
            old: start..before.len() - end,
            new: start..after.len() - end,
        }
    }

    /// Returns whether a fault in `item` is one that the change has brought: the item is not new,
    /// and could be followed before.
    pub(super) fn shows(&self, item: &Range<usize>, spoiled: &[Range<usize>]) -> bool {
        let is_new = self.new.start <= item.start && item.end <= self.new.end;
        let meets = |old: &Range<usize>| {
            let (start, end) = (self.after(old.start), self.after(old.end));
            start < item.end && item.start < end
        };
        *item == WHOLE || !is_new && !spoiled.iter().any(meets)
    }

    /// Returns whether an item of the text after has something of the change in it.
    pub(super) fn meets(&self, item: &Range<usize>) -> bool {
        self.new.start <= item.end && item.start <= self.new.end
    }

    /// Returns where a place of the text before is in the text after.
    pub(super) fn after(&self, at: usize) -> usize {
        if at <= self.old.start {
            at
        } else if at >= self.old.end {
            at - self.old.end + self.new.end
        } else {
            self.new.start
        }
    }
}
