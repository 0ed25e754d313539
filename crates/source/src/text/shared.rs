//! Common prefix and suffix of two texts, in whole characters.

use super::Slice;

/// Returns how many bytes two texts share at the start and, apart from those, at the end.
pub fn shared(old: &str, new: &str) -> (usize, usize) {
    let head = old.chars().zip(new.chars());
    let head: usize = head.take_while(|(a, b)| a == b).map(pair_bytes).sum();
    let tail = old.slice(head..).chars().rev();
    let tail = tail.zip(new.slice(head..).chars().rev());
    (head, tail.take_while(|(a, b)| a == b).map(pair_bytes).sum())
}

fn pair_bytes(pair: (char, char)) -> usize {
    pair.0.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_counted_at_both_ends() {
        assert_eq!(shared("abc", "abc"), (3, 0));
        assert_eq!(shared("aba", "abba"), (2, 1));
        assert_eq!(shared("äö", "äü"), (2, 0));
        assert_eq!(shared("", "a"), (0, 0));
    }
}
