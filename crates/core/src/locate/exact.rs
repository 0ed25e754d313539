//! Text that is there letter by letter.
//!
//! In: a text and a needle. Out: every offset at which the needle begins, overlapping ones
//! included, up to a bound.

/// More places than this are not listed.
pub const MAX_PLACES: usize = 1000;

/// Returns the offsets of `needle` in `text` in order, at most [`MAX_PLACES`] of them.
pub fn places(text: &str, needle: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(step) = needle.chars().next().map(char::len_utf8) else {
        return found;
    };
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(needle)) {
        found.push(from + at);
        if found.len() == MAX_PLACES {
            break;
        }
        from += at + step;
    }
    found
}

/// Returns the offsets of `needle` in `text` that do not overlap, without a bound.
pub fn all(text: &str, needle: &str) -> Vec<usize> {
    if needle.is_empty() {
        return Vec::new();
    }
    text.match_indices(needle).map(|(at, _)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_places_count() {
        assert_eq!(places("aaa", "aa"), [0, 1]);
        assert_eq!(all("aaa", "aa"), [0]);
        assert_eq!(places("äxä", "ä"), [0, 3]);
        assert_eq!(places("abc", ""), [] as [usize; 0]);
        assert_eq!(places(&"a".repeat(5000), "a").len(), MAX_PLACES);
    }
}
