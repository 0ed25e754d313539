//! Searches one text for lines that match.
//!
//! In: a file or bytes. Out: its matching lines, cut to a width that can be read, or their
//! number. Binary content is never shown.

use std::io;
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};

/// Larger files are not searched.
const MOST_FILE: u64 = 8 << 20;
/// The most bytes of a line that are shown.
const MOST_LINE: usize = 240;
/// How much of a long line is shown before its match.
const BEFORE_MATCH: usize = 60;

/// Searches one text after another.
pub(super) struct Search {
    matcher: RegexMatcher,
    searcher: Searcher,
    lines: bool,
}

/// What was found in one text.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// No match, or no text.
    Nothing,
    /// The file is larger than what is searched.
    TooLarge,
    /// The file could not be read.
    Unreadable,
    /// Lines that match, with their 1-based numbers.
    Lines {
        /// The lines, cut.
        lines: Vec<(u64, String)>,
        /// True if there was no room for another one.
        more: bool,
    },
    /// How many lines match.
    Count(usize),
}

impl Search {
    /// Returns a search that keeps the lines, or else counts them.
    pub(super) fn new(matcher: RegexMatcher, lines: bool) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .build();
        Self {
            matcher,
            searcher,
            lines,
        }
    }

    /// Searches a file on disk, with room for so many lines.
    pub(super) fn file(&mut self, path: &Path, room: usize) -> Found {
        match path.metadata() {
            Ok(metadata) if metadata.len() > MOST_FILE => return Found::TooLarge,
            Ok(_) => {}
            Err(_) => return Found::Unreadable,
        }
        let mut hits = Hits::new(&self.matcher, self.lines, room);
        match self.searcher.search_path(&self.matcher, path, &mut hits) {
            Ok(()) => hits.finish(),
            Err(_) => Found::Unreadable,
        }
    }

    /// Searches a text, with room for so many lines.
    pub(super) fn text(&mut self, text: &[u8], room: usize) -> Found {
        let mut hits = Hits::new(&self.matcher, self.lines, room);
        match self.searcher.search_slice(&self.matcher, text, &mut hits) {
            Ok(()) => hits.finish(),
            Err(_) => Found::Unreadable,
        }
    }
}

/// What was found in a text so far.
struct Hits<'a> {
    matcher: &'a RegexMatcher,
    keep: bool,
    room: usize,
    lines: Vec<(u64, String)>,
    count: usize,
    more: bool,
    binary: bool,
}

impl<'a> Hits<'a> {
    fn new(matcher: &'a RegexMatcher, keep: bool, room: usize) -> Self {
        Self {
            matcher,
            keep,
            room,
            lines: Vec::new(),
            count: 0,
            more: false,
            binary: false,
        }
    }

    fn finish(self) -> Found {
        match () {
            () if self.binary || self.count == 0 => Found::Nothing,
            () if self.keep => Found::Lines {
                lines: self.lines,
                more: self.more,
            },
            () => Found::Count(self.count),
        }
    }
}

impl Sink for Hits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if !self.keep {
            self.count += 1;
            return Ok(true);
        }
        if self.lines.len() == self.room {
            self.more = true;
            return Ok(false);
        }
        self.count += 1;
        let line = found.bytes();
        let at = self.matcher.find(line).ok().flatten();
        let text = excerpt(line, at.map_or(0, |at| at.start()));
        self.lines.push((found.line_number().unwrap_or(0), text));
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Returns the line without its ending; of a long one, the part around the match.
fn excerpt(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MOST_LINE {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = at.saturating_sub(BEFORE_MATCH).min(line.len() - MOST_LINE);
    let window = line.get(start..start + MOST_LINE).unwrap_or_default();
    let text = String::from_utf8_lossy(window);
    // A cut inside of a character leaves replacement marks at the ends.
    let text = text.trim_matches(char::REPLACEMENT_CHARACTER);
    let before = if start > 0 { "..." } else { "" };
    let after = if start + MOST_LINE < line.len() {
        "..."
    } else {
        ""
    };
    format!("{before}{text}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pattern: &str, text: &[u8], room: usize) -> Found {
        let matcher = RegexMatcher::new_line_matcher(pattern).expect("a pattern");
        Search::new(matcher, true).text(text, room)
    }

    fn lines(found: &[(u64, &str)], more: bool) -> Found {
        let lines = found
            .iter()
            .map(|(number, line)| (*number, (*line).to_owned()));
        Found::Lines {
            lines: lines.collect(),
            more,
        }
    }

    #[test]
    fn lines_come_with_their_numbers() {
        let text = b"one\r\ntwo\nonce\n";
        assert_eq!(
            find("^on", text, 9),
            lines(&[(1, "one"), (3, "once")], false)
        );
        assert_eq!(find("one$", b"one\ntwo", 9), lines(&[(1, "one")], false));
        assert_eq!(find("x", text, 9), Found::Nothing);
    }

    #[test]
    fn a_search_without_room_says_that_there_is_more() {
        assert_eq!(
            find("a", b"a\na\na\n", 2),
            lines(&[(1, "a"), (2, "a")], true)
        );
        assert_eq!(find("a", b"a\na\n", 2), lines(&[(1, "a"), (2, "a")], false));
    }

    #[test]
    fn binary_content_is_not_shown() {
        assert_eq!(find("a", b"a\na\0\na\n", 9), Found::Nothing);
    }

    #[test]
    fn long_lines_show_their_match() {
        let line = format!("{}needle{}", "ä".repeat(4000), "ö".repeat(4000));
        let Found::Lines { lines, .. } = find("needle", line.as_bytes(), 9) else {
            panic!("no match");
        };
        let (_, text) = lines.first().expect("a line");
        assert!(text.starts_with("...ä") && text.contains("needle") && text.ends_with("ö..."));
        assert!(text.len() <= MOST_LINE + 6);
    }
}
