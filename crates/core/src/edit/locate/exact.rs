//! Exact search.
//!
//! In: a text and a needle. Out: every offset at which the needle begins, overlapping ones
//! included, up to a bound.

use memchr::memmem;

use crate::text::Slice;

/// More places than this are not listed. Attack: `}` or a blank as old text, with one place a line.
pub(crate) const MAX_PLACES: usize = 1000;

/// Returns the offsets of `needle` in `text` in order, at most [`MAX_PLACES`] of them.
pub(crate) fn places(text: &str, needle: &str) -> Vec<usize> {
    places_up_to(text, needle, MAX_PLACES)
}

/// Returns the offsets of `needle` in `text` in order, at most `limit` of them.
pub(crate) fn places_up_to(text: &str, needle: &str, limit: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(step) = needle.chars().next().map(char::len_utf8) else {
        return found;
    };
    let finder = memmem::Finder::new(needle);
    let mut from = 0;
    while let Some(at) = (text.as_bytes().get(from..)).and_then(|rest| finder.find(rest)) {
        if found.len() >= limit {
            break;
        }
        found.push(from + at);
        if at + step < needle.len() && found.len() > 1 {
            // It overlaps itself, and each further search would read it again as a whole.
            let rest = text.as_bytes().slice(from + at + 1..);
            let more = overlapping(rest, needle.as_bytes()).map(|more| from + at + 1 + more);
            let left = limit - found.len();
            found.extend(more.take(left));
            break;
        }
        from += at + step;
    }
    found
}

/// Returns the offsets of `needle` in order, overlapping ones included, in one pass (after Knuth,
/// Morris and Pratt).
fn overlapping(text: &[u8], needle: &[u8]) -> impl Iterator<Item = usize> {
    let fallback = fallback(needle);
    let mut matched = 0;
    text.iter().enumerate().filter_map(move |(at, byte)| {
        while matched > 0 && needle.get(matched) != Some(byte) {
            matched = back(&fallback, matched);
        }
        matched += usize::from(needle.get(matched) == Some(byte));
        (matched == needle.len()).then(|| {
            matched = back(&fallback, matched);
            at + 1 - needle.len()
        })
    })
}

fn back(fallback: &[u32], matched: usize) -> usize {
    let at = matched.checked_sub(1).and_then(|last| fallback.get(last));
    at.map_or(0, |at| *at as usize)
}

/// Returns, for each beginning of the needle, the length of its longest end that is one as well.
fn fallback(needle: &[u8]) -> Vec<u32> {
    let mut table: Vec<u32> = Vec::with_capacity(needle.len());
    let mut length = 0_usize;
    for (index, byte) in needle.iter().enumerate() {
        while length > 0 && needle.get(length) != Some(byte) {
            length = table.get(length - 1).map_or(0, |at| *at as usize);
        }
        length += usize::from(index > 0 && needle.get(length) == Some(byte));
        table.push(u32::try_from(length).unwrap_or(0));
    }
    table
}

/// Returns the offsets of `needle` in `text` that do not overlap, without a bound.
pub(crate) fn all(text: &str, needle: &str) -> Vec<usize> {
    if needle.is_empty() {
        return Vec::new();
    }
    memmem::find_iter(text.as_bytes(), needle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_needles_that_overlap_themselves_are_all_found() {
        let check = |text: &str, needle: &str| {
            let every = (0..text.len()).filter(|at| text[*at..].starts_with(needle));
            assert_eq!(places(text, needle), every.collect::<Vec<_>>());
        };
        check(&"ab".repeat(60), &"ab".repeat(20));
        check(
            &format!("{}x{}", "a".repeat(50), "a".repeat(70)),
            &"a".repeat(40),
        );
        let unit = "aab".repeat(12);
        check(&format!("{unit}aab aab{unit}{unit}"), &format!("{unit}aa"));
        let (text, needle) = ("ab\n".repeat(500_000), "ab\n".repeat(100_000));
        assert_eq!(places(&text, &needle).len(), MAX_PLACES);
        assert_eq!(places_up_to(&text, &needle, usize::MAX).len(), 400_001);
    }

    #[test]
    fn overlapping_places_of_a_needle_are_all_found() {
        assert_eq!(places("aaa", "aa"), [0, 1]);
        assert_eq!(all("aaa", "aa"), [0]);
        assert_eq!(places("äxä", "ä"), [0, 3]);
        assert_eq!(places("abc", ""), [] as [usize; 0]);
        assert_eq!(places(&"a".repeat(5000), "a").len(), MAX_PLACES);
    }
}
