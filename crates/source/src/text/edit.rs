//! Edit sets: changes to a text as values.
//!
//! In: splices made for one text. Out: [`EditSet`] and its algebra: `apply`, `invert`,
//! `compose` and `commute`. A splice carries the bytes that it removes, so that none of them
//! but `apply` needs the text, and `apply` refuses any text that it was not made for.

use crate::text::Slice;

/// One replacement: at byte `at`, `old` becomes `new`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Splice {
    /// Offset in the text before the change.
    pub at: usize,
    /// The bytes removed.
    pub old: Vec<u8>,
    /// The bytes put in their place.
    pub new: Vec<u8>,
}

/// Replacements for one text: sorted, disjoint, at most one at a point, none without effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    splices: Vec<Splice>,
}

/// Two splices want the same bytes or the same point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("changes overlap at byte {at}")]
pub struct Overlap {
    /// Where the second of them begins.
    pub at: usize,
}

/// The text is not the one that the edits were made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text differs at byte {at} from the one that the change was made for")]
pub struct Mismatch {
    /// Where the splice that does not fit begins.
    pub at: usize,
}

/// The later of two changes builds on the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a change builds on another at byte {at}")]
pub struct Dependent {
    /// Where, in the text between the two.
    pub at: usize,
}

impl Splice {
    /// Returns the end of the removed bytes.
    pub fn end(&self) -> usize {
        self.at + self.old.len()
    }

    /// Returns by how much bytes after this splice move.
    fn shift(&self) -> isize {
        self.new.len() as isize - self.old.len() as isize
    }
}

impl EditSet {
    /// Sorts the splices and drops those without effect, or names two that overlap.
    pub fn new(mut splices: Vec<Splice>) -> Result<Self, Overlap> {
        splices.retain(|splice| splice.old != splice.new);
        splices.sort_by_key(|splice| (splice.at, splice.end()));
        for pair in splices.windows(2) {
            if let [left, right] = pair {
                let same_point = left.at == right.at && left.old.is_empty() && right.old.is_empty();
                if left.end() > right.at || same_point {
                    return Err(Overlap { at: right.at });
                }
            }
        }
        Ok(Self { splices })
    }

    /// Returns the change from `old` to `new` as a whole, less what they share at both ends.
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let room = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(room);
        let tail = tail.take_while(|(a, b)| a == b).count();
        let splice = Splice {
            at: head,
            old: old.slice(head..old.len() - tail).to_vec(),
            new: new.slice(head..new.len() - tail).to_vec(),
        };
        let splices = if splice.old == splice.new {
            Vec::new()
        } else {
            vec![splice]
        };
        Self { splices }
    }

    /// Returns the splices in order.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Returns the splices in order, without the set.
    pub fn into_splices(self) -> Vec<Splice> {
        self.splices
    }

    /// Returns true if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Returns the splices whose position in [`Self::splices`] `keep` accepts: the same change,
    /// for the same text, less the others.
    pub fn select(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let chosen = self
            .splices
            .iter()
            .enumerate()
            .filter(|(index, _)| keep(*index));
        Self {
            splices: chosen.map(|(_, splice)| splice.clone()).collect(),
        }
    }

    /// Returns the text after the change.
    pub fn apply(&self, text: &[u8]) -> Result<Vec<u8>, Mismatch> {
        let grown: isize = self.splices.iter().map(Splice::shift).sum();
        let mut out = Vec::with_capacity(text.len().saturating_add_signed(grown));
        let mut done = 0;
        for splice in &self.splices {
            let mismatch = Mismatch { at: splice.at };
            if text.get(splice.at..splice.end()) != Some(splice.old.as_slice()) {
                return Err(mismatch);
            }
            out.extend_from_slice(text.get(done..splice.at).ok_or(mismatch)?);
            out.extend_from_slice(&splice.new);
            done = splice.end();
        }
        let rest = text.get(done..).ok_or(Mismatch { at: done })?;
        out.extend_from_slice(rest);
        Ok(out)
    }

    /// Returns the change that takes this one back.
    pub fn invert(&self) -> Self {
        let mut shift = 0;
        let splices = self.splices.iter().map(|splice| {
            let at = splice.at.saturating_add_signed(shift);
            shift += splice.shift();
            Splice {
                at,
                old: splice.new.clone(),
                new: splice.old.clone(),
            }
        });
        Self {
            splices: splices.collect(),
        }
    }

    /// Returns this change followed by `next`, as one; `next` was made for the text after this.
    pub fn compose(&self, next: &Self) -> Result<Self, Mismatch> {
        compose::compose(self, next)
    }

    /// Swaps two changes: given `self` and then `next`, returns `next` made for the text
    /// before `self`, and `self` made for the text after that, so that both orders end in the
    /// same text. Refused where `next` builds on `self`: it touches what `self` put in or
    /// puts something where `self` took something out.
    ///
    /// This is commutation as in the theory of patches behind darcs. Leaving a change out of
    /// a stack, approving one ahead of others and moving one over the user's edits are all
    /// this one step.
    pub fn commute(&self, next: &Self) -> Result<(Self, Self), Dependent> {
        let mut first = Self::default();
        let mut second = Self::default();
        let (mut own, mut theirs) = (
            self.splices.iter().peekable(),
            next.splices.iter().peekable(),
        );
        // How far the text between the two is ahead of the text before, and the text after of it.
        let (mut ahead, mut behind) = (0_isize, 0_isize);
        loop {
            let side = match (own.peek(), theirs.peek()) {
                (None, None) => return Ok((first, second)),
                (Some(_), None) => Side::Own,
                (None, Some(_)) => Side::Theirs,
                (Some(a), Some(b)) => order(a, a.at.saturating_add_signed(ahead), b)?,
            };
            match side {
                Side::Own => {
                    let Some(splice) = own.next() else { continue };
                    ahead += splice.shift();
                    let at = splice.at.saturating_add_signed(behind);
                    second.splices.push(Splice {
                        at,
                        ..splice.clone()
                    });
                }
                Side::Theirs => {
                    let Some(splice) = theirs.next() else {
                        continue;
                    };
                    behind += splice.shift();
                    let at = splice.at.saturating_add_signed(-ahead);
                    first.splices.push(Splice {
                        at,
                        ..splice.clone()
                    });
                }
            }
        }
    }

    /// Returns the splices of `next`, by their indexes, that [`Self::commute`] cannot swap with this
    /// change.
    pub fn clashes(&self, next: &Self) -> Vec<usize> {
        let shifted = self.splices.iter().scan(0_isize, |ahead, splice| {
            let at = splice.at.saturating_add_signed(*ahead);
            *ahead += splice.shift();
            Some((splice, at))
        });
        let own: Vec<(&Splice, usize)> = shifted.collect();
        let mut first = 0;
        let mut clashes = Vec::new();
        for (index, theirs) in next.splices.iter().enumerate() {
            let side = |at: usize| own.get(at).map(|(own, at)| order(own, *at, theirs));
            while matches!(side(first), Some(Ok(Side::Own))) {
                first += 1;
            }
            // Those behind it are further on than this one, which is not before `theirs`.
            if matches!(side(first), Some(Err(_))) {
                clashes.push(index);
            }
        }
        clashes
    }

    /// Returns this change, made for a text, as it is after `other`, made for the same text.
    pub fn over(&self, other: &Self) -> Result<Self, Dependent> {
        other.invert().commute(self).map(|(moved, _)| moved)
    }
}

enum Side {
    Own,
    Theirs,
}

/// Tells which of two splices comes first in the text between the two changes, where `own`
/// stands at `at` with what it put in, and `theirs` with what it takes out.
fn order(own: &Splice, at: usize, theirs: &Splice) -> Result<Side, Dependent> {
    let own_end = at + own.new.len();
    let before = own_end <= theirs.at;
    let after = theirs.end() <= at;
    match (before, after) {
        (true, false) => Ok(Side::Own),
        (false, true) => Ok(Side::Theirs),
        // Overlapping, or an insertion exactly where something was taken out.
        (false, false) | (true, true) => Err(Dependent { at: theirs.at }),
    }
}

mod compose;
#[cfg(test)]
mod tests;
