//! Line similarity.
//!
//! In: two lines. Out: how many pairs of neighbouring bytes they share, of 100. For one line compared
//! with many, [`PairCounts`] keeps its table, and [`Marks`] give an upper bound without reading the other.

/// Returns how many pairs of neighbouring bytes two texts share, of 100 (after Dice).
pub(crate) fn alike(a: &str, b: &str) -> u32 {
    let (a, b) = (sorted_pairs(a), sorted_pairs(b));
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    let mut shared = 0;
    while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                left.next();
                right.next();
            }
        }
    }
    of_hundred(shared, a.len(), b.len())
}

fn sorted_pairs(text: &str) -> Vec<u16> {
    let mut pairs: Vec<u16> = pairs(text).collect();
    pairs.sort_unstable();
    pairs
}

fn of_hundred(shared: usize, a: usize, b: usize) -> u32 {
    u32::try_from(200 * shared / (a + b).max(1)).unwrap_or(100)
}

fn pairs(text: &str) -> impl Iterator<Item = u16> {
    let bytes = text.as_bytes().array_windows();
    bytes.map(|pair| u16::from_be_bytes(*pair))
}

/// Which pairs of neighbouring bytes a line has, told by one bit of 256 each.
pub(crate) struct Marks {
    bits: [u64; 4],
    pairs: u32,
}

impl Marks {
    /// Marks the pairs of a line.
    pub(crate) fn new(text: &str) -> Self {
        let mut bits = [0; 4];
        for pair in pairs(text) {
            let bit = pair.wrapping_mul(0x9e37) >> 8;
            if let Some(word) = bits.get_mut(usize::from(bit / 64)) {
                *word |= 1_u64 << (bit % 64);
            }
        }
        let pairs = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self {
            bits,
            pairs: pairs.saturating_sub(1),
        }
    }

    /// Returns how many marks another line has not: for each, there is a pair that it has not.
    fn alone(&self, other: &Self) -> u32 {
        let bits = self.bits.iter().zip(&other.bits);
        bits.map(|(own, other)| (own & !other).count_ones()).sum()
    }

    /// Returns the most that [`alike`] can say of the two lines.
    pub(crate) fn at_most(&self, other: &Self) -> u32 {
        let left = self.pairs.saturating_sub(self.alone(other));
        let right = other.pairs.saturating_sub(other.alone(self));
        let shared = left.min(right) as usize;
        of_hundred(shared, self.pairs as usize, other.pairs as usize)
    }
}

/// A line that many others are compared with, by the same measure as [`alike`].
#[derive(Default)]
pub(crate) struct PairCounts {
    row: Option<usize>,
    pairs: Vec<u16>,
    /// How often each pair occurs.
    counts: Vec<u16>,
    met: Vec<u16>,
}

impl PairCounts {
    /// Takes row `row` up, of at most 65,000 bytes, unless it is the last one again.
    pub(crate) fn take(&mut self, row: usize, text: &str) {
        if self.row == Some(row) {
            return;
        }
        self.row = Some(row);
        self.counts.resize(1 << u16::BITS, 0);
        for pair in self.pairs.drain(..) {
            if let Some(count) = self.counts.get_mut(usize::from(pair)) {
                *count = 0;
            }
        }
        self.pairs.extend(pairs(text));
        for pair in &self.pairs {
            if let Some(count) = self.counts.get_mut(usize::from(*pair)) {
                *count = count.saturating_add(1);
            }
        }
    }

    /// Returns how alike the row and another line are.
    pub(crate) fn alike(&mut self, other: &str) -> u32 {
        self.met.clear();
        for pair in pairs(other) {
            let count = self.counts.get_mut(usize::from(pair));
            if let Some(count) = count.filter(|count| **count > 0) {
                *count -= 1;
                self.met.push(pair);
            }
        }
        for pair in &self.met {
            if let Some(count) = self.counts.get_mut(usize::from(*pair)) {
                *count = count.saturating_add(1);
            }
        }
        let pairs = other.len().saturating_sub(1);
        of_hundred(self.met.len(), self.pairs.len(), pairs)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_line_beside_many_is_compared_as_with_one(
            lines in prop::collection::vec("[a-dä (),;=]{0,30}", 1..6)
        ) {
            let mut reader = PairCounts::default();
            for (row, own) in lines.iter().enumerate() {
                for other in &lines {
                    reader.take(row, own);
                    let alike = alike(own, other);
                    prop_assert_eq!(reader.alike(other), alike);
                    prop_assert!(Marks::new(own).at_most(&Marks::new(other)) >= alike);
                }
            }
        }
    }
}
