//! Nearest region: the closest match of text that was not found.
//!
//! In: a text and the lines that were asked for. Out: the window with the most lines in
//! common, white space at the ends apart, else the one with the most words, else the one with a line
//! that is spelt alike, and how it reads otherwise, for the answer to the model. Never a place to
//! edit.

mod difference;
pub(crate) mod word;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::limits::MAX_REPEATS;
use super::similarity::PairCounts;
use crate::budget::{Budget, OutOfBudget};
use crate::text::Source;

/// Lines shown of a region.
const SHOWN_LINES: usize = 12;
/// Characters shown of a line.
const SHOWN_CHARS: usize = 200;
/// Lines in common that make up less than one part in this many of what was asked for may be braces
/// and blank lines.
const FEW: usize = 4;
/// A window has one in this many of the words asked for, or it is not near.
const SOME: usize = 3;
/// A line with fewer bytes is spelt like many others.
const SPELT: usize = 8;
/// The least similarity, of 100, of lines that are spelt alike.
const ALIKE: u32 = 50;

/// A region of the file, as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Region {
    /// 1-based first line.
    pub line: usize,
    /// The lines, each with its number.
    pub excerpt: String,
    /// Lines that read otherwise than asked for, each with its number: `[-as asked for-]`,
    /// `{+as in the file+}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// Returns the region that shares most lines with `wanted`, or most words, if any is near it.
pub(crate) fn nearest(
    budget: &Budget,
    source: &Source,
    wanted: &str,
) -> Result<Option<Region>, OutOfBudget> {
    budget.spend(source.bytes().len() + wanted.len())?;
    let lines: Vec<&[u8]> = wanted.lines().map(|line| line.trim().as_bytes()).collect();
    let by_lines = most_lines(source, &lines);
    let all: usize = lines.iter().map(|line| line.len()).sum();
    let start = match by_lines {
        Some((start, votes)) if votes * FEW >= all => Some(start),
        _ => most_words(source, wanted)
            .or(by_lines.map(|(start, _)| start))
            .or_else(|| most_alike(source, &lines)),
    };
    Ok(start.map(|start| Region {
        difference: difference::difference(source, start, wanted),
        ..region(source, start, lines.len())
    }))
}

/// Returns where the window with most lines in common begins, and the bytes of those lines.
fn most_lines(source: &Source, wanted: &[&[u8]]) -> Option<(usize, usize)> {
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
    votes
        .into_iter()
        .max_by_key(|(start, votes)| (*votes, std::cmp::Reverse(*start)))
}

/// Returns where the window begins whose words say most: a word counts by its length, and less
/// the more lines have it.
fn most_words(source: &Source, wanted: &str) -> Option<usize> {
    let mut asked: HashMap<&[u8], usize> = HashMap::new();
    for word in words(wanted.as_bytes()) {
        let next = asked.len();
        asked.entry(word).or_insert(next);
    }
    // Line and word, in order; most of the lines of a long text have none.
    let mut shared: Vec<(usize, usize)> = Vec::new();
    let mut last_line = vec![usize::MAX; asked.len()];
    for line in 0..source.line_count() {
        for word in words(source.line(line)) {
            let Some(id) = asked.get(word).copied() else {
                continue;
            };
            let last = last_line.get_mut(id);
            if let Some(last) = last.filter(|last| **last != line) {
                *last = line;
                shared.push((line, id));
            }
        }
    }
    let mut lines_with = vec![0_usize; asked.len()];
    for (_, word) in &shared {
        lines_with
            .iter_mut()
            .skip(*word)
            .take(1)
            .for_each(|lines| *lines += 1);
    }
    let mut lengths = vec![0_usize; asked.len()];
    for (word, id) in &asked {
        lengths
            .iter_mut()
            .skip(*id)
            .take(1)
            .for_each(|length| *length = word.len());
    }
    let mut weights = vec![0_usize; source.line_count()];
    for (line, word) in &shared {
        let own = weights.iter_mut().skip(*line).take(1);
        own.for_each(|sum| *sum += weight(&lines_with, &lengths, *word));
    }
    let count = wanted
        .lines()
        .count()
        .clamp(1, SHOWN_LINES)
        .min(weights.len());
    let mut sum: usize = weights.iter().take(count).sum();
    let mut best = (sum, 0);
    let steps = weights.iter().zip(weights.iter().skip(count));
    for (start, (gone, come)) in (1..).zip(steps) {
        sum = sum + come - gone;
        if sum > best.0 {
            best = (sum, start);
        }
    }
    let (_, start) = best;
    let from = shared.partition_point(|(line, _)| *line < start);
    let window = shared.iter().skip(from);
    let window = window.take_while(|(line, _)| *line < start + count);
    let first = window.clone().next();
    let blank = first.map_or(count, |(line, _)| line - start);
    let found: HashSet<usize> = window.map(|(_, word)| *word).collect();
    (found.len() > 1 && found.len() * SOME >= asked.len()).then_some(start + blank)
}

fn weight(lines_with: &[usize], lengths: &[usize], word: usize) -> usize {
    let lines = lines_with.get(word).copied().unwrap_or(1);
    let length = lengths.get(word).copied().unwrap_or_default();
    (length * 1_000).div_ceil(lines.max(1))
}

/// Returns where the window begins that has the line spelt most like the longest one asked for, by
/// the pairs of letters that both have (after Dice).
fn most_alike(source: &Source, wanted: &[&[u8]]) -> Option<usize> {
    let longest = wanted.iter().enumerate().max_by_key(|(_, line)| line.len());
    let (offset, asked) = longest.filter(|(_, line)| line.len() >= SPELT)?;
    let mut reader = PairCounts::default();
    reader.take(0, &shown(asked));
    let lines = (0..source.line_count())
        .map(|line| (reader.alike(&shown(source.line(line).trim_ascii())), line));
    let (share, line) = lines.max_by_key(|(share, line)| (*share, std::cmp::Reverse(*line)))?;
    (share >= ALIKE).then(|| line.saturating_sub(offset))
}

/// Returns a line as far as it is shown.
fn shown(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.get(..SHOWN_CHARS).unwrap_or(line))
}

/// Returns the names and numbers of a text, those of one letter apart.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(move |byte| !(byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii()))
        .filter(|word| word.len() > 1)
}

/// Returns `count` lines from `start` (0-based) with their numbers, bounded.
pub(crate) fn region(source: &Source, start: usize, count: usize) -> Region {
    let end = (start + count.clamp(1, SHOWN_LINES)).min(source.line_count());
    let shown = (start..end).map(|line| {
        let text = String::from_utf8_lossy(source.line(line)).into_owned();
        let text: String = text.chars().take(SHOWN_CHARS).collect();
        format!("{:>6}\t{text}\n", line + 1)
    });
    Region {
        line: start + 1,
        excerpt: shown.collect(),
        difference: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(source: &Source, wanted: &str) -> Option<Region> {
        super::nearest(&Budget::default(), source, wanted).unwrap()
    }

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

    #[test]
    fn without_words_in_common_the_spelling_tells() {
        let source = Source::new("fn main() {\n    let a = 1;\n    f(a);\n}\n");
        let region = nearest(&source, "{\n    let zz = 3").unwrap();
        assert_eq!(region.line, 1);
        assert_eq!(
            region.difference.as_deref(),
            Some("     1\t{+fn main() +}{\n     2\t    let [-zz-]{+a+} = [-3-]{+1;+}\n")
        );
        assert_eq!(nearest(&source, "xyz\n"), None);
    }

    #[test]
    fn without_a_line_in_common_words_tell() {
        let source = Source::new(
            "import os\n\ndef load(path):\n    return open(path).read()\n\n\
             def save(path, text):\n    open(path, \"w\").write(text)\n",
        );
        let line = |wanted: &str| nearest(&source, wanted).map(|region| region.line);
        assert_eq!(
            line("    return open(path, encoding='utf8').readlines()"),
            Some(4)
        );
        assert_eq!(
            line("def save(name, text):\n    with open(name) as f:\n        f.write(text)"),
            Some(6)
        );
        assert_eq!(line("\n}\n    return read(path)\n"), Some(3));
        assert_eq!(line("fn main() {}"), None);
        assert_eq!(line("import"), None);
        assert_eq!(nearest(&Source::new(""), "import os"), None);
    }
}
