//! Random numbers that are the same on every machine.
//!
//! In: a seed. Out: numbers, choices and shuffles (SplitMix64, after Sebastiano Vigna).

/// A generator.
pub(crate) struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a generator for one of several uses, so that no use depends on another.
    pub(crate) fn apart(&self, parts: &[usize]) -> Self {
        let mix = |random: Self, part: &usize| {
            let mut random = Self(random.0 ^ *part as u64);
            Self(random.next())
        };
        parts.iter().fold(Self(self.0), mix)
    }

    /// Returns a number below `bound`, or 0 where there is none.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        match u64::try_from(bound) {
            Ok(bound) if bound > 0 => usize::try_from(self.next() % bound).unwrap_or_default(),
            _ => 0,
        }
    }

    /// Returns true once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of `items`.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Puts `items` in a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
