//! The region that comes nearest to text that is not there.
//!
//! In: a text and the lines that were asked for. Out: the window with the most lines in
//! common, white space at the ends apart, for the answer to the model. Never a place to edit.

use std::collections::HashMap;

use serde::Serialize;

use crate::text::Source;

/// Lines shown of a region.
const SHOWN_LINES: usize = 12;
/// Characters shown of a line.
const SHOWN_CHARS: usize = 200;
/// A line that occurs more often than this says nothing about the place.
const MAX_REPEATS: usize = 64;

/// A region of the file, as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    /// 1-based first line.
    pub line: usize,
    /// The lines, each with its number.
    pub excerpt: String,
}

/// Returns the region that shares most lines with `wanted`, if any line is shared.
pub fn nearest(source: &Source, wanted: &str) -> Option<Region> {
    let wanted: Vec<&[u8]> = wanted.lines().map(|line| line.trim().as_bytes()).collect();
    let mut rows: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for line in wanted.iter().filter(|line| !line.is_empty()) {
        rows.entry(line).or_default();
    }
    for line in 0..source.line_count() {
        // One more than may be is enough to tell that there are too many.
        let places = rows.get_mut(source.line(line).trim_ascii());
        if let Some(places) = places.filter(|places| places.len() <= MAX_REPEATS) {
            places.push(line);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (offset, line) in wanted
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        let places = rows.get(line).filter(|places| places.len() <= MAX_REPEATS);
        for place in places.into_iter().flatten() {
            *votes.entry(place.saturating_sub(offset)).or_default() += line.len();
        }
    }
    let best = votes
        .into_iter()
        .max_by_key(|(start, votes)| (*votes, std::cmp::Reverse(*start)))?;
    Some(region(source, best.0, wanted.len()))
}

/// Returns `count` lines from `start` (0-based) with their numbers, bounded.
pub fn region(source: &Source, start: usize, count: usize) -> Region {
    let end = (start + count.clamp(1, SHOWN_LINES)).min(source.line_count());
    let shown = (start..end).map(|line| {
        let text = String::from_utf8_lossy(source.line(line)).into_owned();
        let text: String = text.chars().take(SHOWN_CHARS).collect();
        format!("{:>6}\t{text}\n", line + 1)
    });
    Region {
        line: start + 1,
        excerpt: shown.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_with_most_in_common_is_shown() {
        let source = Source::new("fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n");
        let region = nearest(&source, "fn b() {\n  two();\n  three();\n}").unwrap();
        assert_eq!(region.line, 5);
        assert_eq!(
            region.excerpt,
            "     5\tfn b() {\n     6\t    two();\n     7\t}\n"
        );
        assert_eq!(nearest(&source, "nothing of this"), None);
    }
}
