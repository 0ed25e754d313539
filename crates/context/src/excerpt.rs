//! Excerpts: what a request is given of the texts of the files that it is likely about.
//!
//! In: ranked files, the request, room in bytes. Out: each file whole, where it is small, or the two parts of it that have
//! most of the request. The better a file is ranked, the more of the room it may take.
//!
//! For "close the socket" and room for three lines of
//!
//! ```text
//! 1  import socket
//! 2
//! 3  def open_socket():
//! 4      return socket.socket()
//! 5
//! 6  def close_all(sockets):
//! 7      for each in sockets:
//! 8          each.close()
//! ```
//!
//! the lines are 6 to 8, the only three that have both words. A file that was found by its path or its past alone may
//! have no word of the request: then it is its first lines. Text for people is given with its first lines in any case, as
//! changelogs grow there.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::query::Query;
use crate::rank::Ranked;
use crate::role::Role;
use crate::words;

/// The share of what room is left that one file may take: of 24 KiB the first has 3.4 KiB, the tenth 0.9. With a fifth, 4
/// of 100 files fewer have any text; with a ninth, 2 fewer have the place that is changed.
const SHARE: usize = 7;
/// The share of one that is clearly meant.
const CLEAR_SHARE: usize = 4;
/// How many times the score of the second file one has that is clearly meant.
const AHEAD: f32 = 1.5;
/// Bytes that any file may take, as long as there is room: some 25 lines. What is less tells little.
const LEAST: usize = 1024;
/// BM25's k1 for the lines of an excerpt that have a word: all further ones together count a tenth of the first.
const SATURATION: f32 = 0.1;

/// What is given of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt<'a> {
    /// The file.
    pub file: &'a Ranked,
    /// Its text, or the lines below of it.
    pub text: String,
    /// Which lines it is, counted from one; none if it is all of them.
    pub lines: Option<RangeInclusive<usize>>,
}

/// Returns what is given of ranked files, as long as there is room. `read` returns the text of a file, or nothing if it
/// has none that may be given.
pub fn excerpts<'a>(
    ranked: impl IntoIterator<Item = &'a Ranked>,
    request: &str,
    mut room: usize,
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<Excerpt<'a>> {
    let query = Query::parse(request);
    let ranked: Vec<&Ranked> = ranked.into_iter().collect();
    let clear = clear(&ranked);
    let mut given = Vec::new();
    for &file in &ranked {
        let share = if clear == Some(file) {
            CLEAR_SHARE
        } else {
            SHARE
        };
        let most = (room / share).max(LEAST).min(room);
        if most < LEAST {
            break;
        }
        let Some(text) = read(&file.path) else {
            continue;
        };
        let of_file = if text.len() <= most {
            vec![(None, text)]
        } else {
            parts(&text, Role::of(&file.path), &query, most)
        };
        for (lines, text) in of_file {
            room = room.saturating_sub(text.len());
            given.push(Excerpt { file, text, lines });
        }
    }
    given
}

/// Returns up to two parts of a text in their order, each with its lines, of `most` bytes together. The first of a text
/// for people is its head.
fn parts(
    text: &str,
    role: Role,
    query: &Query,
    most: usize,
) -> Vec<(Option<RangeInclusive<usize>>, String)> {
    let best = Some(role)
        .filter(|role| *role != Role::Prose)
        .and_then(|_| best_lines(text, query, most / 2, None));
    let first = best.or_else(|| head(text, most / 2));
    let second = first
        .as_ref()
        .and_then(|first| best_lines(text, query, most / 2, Some(first)));
    let mut found: Vec<_> = first.into_iter().chain(second).collect();
    found.sort_by_key(|lines| *lines.start());
    let part = |lines: RangeInclusive<usize>| {
        let (before, count) = (lines.start() - 1, lines.end() + 1 - lines.start());
        let part: Vec<&str> = text.lines().skip(before).take(count).collect();
        (Some(lines), part.join("\n"))
    };
    found.into_iter().map(part).collect()
}

/// Returns the file that a request is about, if the first is clearly ahead of the second.
pub fn clear<'a>(ranked: &[&'a Ranked]) -> Option<&'a Ranked> {
    let (first, rest) = ranked.split_first()?;
    let second = rest.first().map_or(0.0, |second| second.score);
    (first.score >= second * AHEAD).then_some(*first)
}

/// Returns the first lines of at most `most` bytes; none if the first is longer.
fn head(text: &str, most: usize) -> Option<RangeInclusive<usize>> {
    let mut bytes = 0;
    let fitting = text.lines().take_while(|line| {
        bytes += line.len() + 1;
        bytes <= most
    });
    Some(fitting.count())
        .filter(|count| *count > 0)
        .map(|count| 1..=count)
}

/// Returns the lines of at most `most` bytes, none of them in `apart`, that have most of a request; none if no line has
/// anything of it, or none fits. A word counts more the fewer lines have it.
fn best_lines(
    text: &str,
    query: &Query,
    most: usize,
    apart: Option<&RangeInclusive<usize>>,
) -> Option<RangeInclusive<usize>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut words = LineWords::of(&lines, query);
    let (mut first, mut bytes) = (0, 0);
    let mut best: Option<(f32, RangeInclusive<usize>)> = None;
    for (last, line) in lines.iter().enumerate() {
        if apart.is_some_and(|apart| apart.contains(&(last + 1))) {
            while first < last {
                words.count(first, -1);
                first += 1;
            }
            (first, bytes) = (last + 1, 0);
            continue;
        }
        bytes += line.len() + 1;
        words.count(last, 1);
        while bytes > most && first <= last {
            bytes -= lines.get(first).map_or(0, |line| line.len() + 1);
            words.count(first, -1);
            first += 1;
        }
        // Of equal ones the first; sums of the same in another order differ a little.
        let least = best.as_ref().map_or(0.0, |(score, _)| *score) + 1e-3;
        if first <= last && words.score > least {
            best = Some((words.score, first + 1..=last + 1));
        }
    }
    best.map(|(_, lines)| lines)
}

/// Which words of a request the lines of a text have, and what those of the present excerpt come to.
struct LineWords {
    /// Of each line, numbers of words.
    by_line: Vec<Vec<usize>>,
    /// Of each word, what it weighs, and how many lines of the excerpt have it.
    words: Vec<(f32, i32)>,
    score: f32,
}

impl LineWords {
    fn of(lines: &[&str], query: &Query) -> Self {
        let terms = query.terms.iter().chain(&query.pairs);
        let weights: HashMap<&str, f32> = terms
            .map(|term| (term.stem.as_str(), term.weight))
            .collect();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut words: Vec<(f32, i32)> = Vec::new();
        let mut by_line = Vec::with_capacity(lines.len());
        for line in lines {
            let mut of_line: Vec<usize> = Vec::new();
            for (_, word) in words::identifiers(line) {
                words::terms(word, |stem| {
                    let Some(weight) = weights.get(stem) else {
                        return;
                    };
                    let number = *numbers.entry(stem.to_owned()).or_insert_with(|| {
                        words.push((*weight, 0));
                        words.len() - 1
                    });
                    if !of_line.contains(&number) {
                        of_line.push(number);
                    }
                });
            }
            for number in &of_line {
                words
                    .get_mut(*number)
                    .into_iter()
                    .for_each(|word| word.1 += 1);
            }
            by_line.push(of_line);
        }
        for (weight, having) in &mut words {
            *weight *= (1.0 + lines.len() as f32 / *having as f32).ln();
            *having = 0;
        }
        Self {
            by_line,
            words,
            score: 0.0,
        }
    }

    /// Takes a line into the excerpt (1), or out of it (-1).
    fn count(&mut self, line: usize, change: i32) {
        for number in self.by_line.get(line).into_iter().flatten() {
            if let Some((weight, count)) = self.words.get_mut(*number) {
                let before = value(*count);
                *count += change;
                self.score += *weight * (value(*count) - before);
            }
        }
    }
}

/// Returns the weight of a word, by the number of lines that have it.
fn value(lines: i32) -> f32 {
    let lines = lines.max(0) as f32;
    lines * (1.0 + SATURATION) / (lines + SATURATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "import socket\n\ndef open_socket():\n    return socket.socket()\n\ndef close_all(sockets):\n    \
                        for each in sockets:\n        each.close()\n";

    fn ranked(paths: &[&str]) -> Vec<Ranked> {
        let file = |path: &&str| Ranked {
            path: (*path).to_owned(),
            score: 1.0,
            reasons: Vec::new(),
        };
        paths.iter().map(file).collect()
    }

    #[test]
    fn an_excerpt_has_the_lines_with_most_of_the_request() {
        for (request, most, expected) in [
            ("close the socket", 76, Some(5..=8)),
            ("open a socket", 50, Some(1..=3)),
            ("colours", 30, None),
            ("open a socket", 3, None),
        ] {
            let lines = best_lines(TEXT, &Query::parse(request), most, None);
            assert_eq!(lines, expected, "{request}");
        }
        assert_eq!(best_lines("", &Query::parse("socket"), 9, None), None);
    }

    #[test]
    fn a_large_file_has_two_parts() {
        let text = TEXT.to_owned()
            + &"x = 1\n".repeat(500)
            + "def close_one(socket):\n    socket.close()\n";
        let parts = |role, request: &str| parts(&text, role, &Query::parse(request), 160);
        let found = parts(Role::Source, "close the socket");
        let lines: Vec<_> = found
            .iter()
            .map(|(lines, _)| lines.clone().unwrap())
            .collect();
        assert!(
            lines[0].contains(&8) && lines[1].contains(&510),
            "{lines:?}"
        );
        assert!(found[1].1.ends_with("socket.close()"));
        // Nothing of it: the first lines alone. Of text for people they are the first part.
        assert_eq!(parts(Role::Source, "colours")[0].0, Some(1..=5));
        assert_eq!(parts(Role::Source, "colours").len(), 1);
        let prose = parts(Role::Prose, "close one");
        assert_eq!((prose[0].0.clone(), prose.len()), (Some(1..=5), 2));
    }

    #[test]
    fn many_files_share_the_room_and_small_ones_are_whole() {
        let files: Vec<String> = (0..40).map(|at| format!("{at}.py")).collect();
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let ranked = ranked(&names);
        let long = "x = 1\n".repeat(2_000) + TEXT;
        let read = |path: &str| match path {
            "0.py" => Some(TEXT.to_owned()),
            "1.py" => None,
            _ => Some(long.clone()),
        };
        let given = excerpts(&ranked, "close the socket", 24 * 1024, &read);
        assert_eq!(
            (given[0].lines.clone(), given[0].text.as_str()),
            (None, TEXT)
        );
        assert!(given.iter().all(|own| own.file.path != "1.py"));
        assert!(given.iter().any(|own| own.text.ends_with("each.close()")));
        let sizes: Vec<usize> = given.iter().map(|own| own.text.len()).collect();
        assert!(sizes.iter().sum::<usize>() <= 24 * 1024, "{sizes:?}");
        assert!(given.len() > 20, "{sizes:?}");
    }
}
