//! Search of one text.
//!
//! In: a file or bytes. Out: its matching lines, cut to a width that can be read, or their
//! number. Binary content is never shown.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

/// Larger files are not searched.
const MOST_FILE: u64 = 8 << 20;
/// Number of bytes read and searched at once.
const MOST_READ: usize = 64 * 1024;
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

/// How much may still be found.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchRoom {
    /// Lines that match.
    pub(super) lines: usize,
    /// Bytes in all, roughly.
    pub(super) bytes: usize,
}

/// A line that was found, cut, with its 1-based number.
#[derive(Debug, PartialEq)]
pub(super) enum FoundLine {
    /// It matches.
    Match(u64, String),
    /// It stands around one that does.
    Around(u64, String),
    /// Lines are left out here.
    Gap,
}

/// What was found in one text.
#[derive(Debug, PartialEq)]
pub(super) enum SearchOutcome {
    /// No match, or no text.
    Nothing,
    /// The file is larger than what is searched.
    TooLarge,
    /// The file could not be read.
    Unreadable,
    /// Lines that match, and those around them.
    Lines {
        /// The lines.
        lines: Vec<FoundLine>,
        /// True if there was no room for another one.
        more: bool,
    },
    /// How many lines match.
    Count(usize),
}

impl Search {
    /// Returns a search that keeps the lines, with this number of lines around each, or else counts them.
    pub(super) fn new(matcher: RegexMatcher, kept: Option<usize>) -> Self {
        let around = kept.unwrap_or_default();
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .before_context(around)
            .after_context(around)
            .build();
        Self {
            matcher,
            searcher,
            lines: kept.is_some(),
        }
    }

    /// Searches a file on disk, until `stopped` says so.
    pub(super) fn file(
        &mut self,
        path: &Path,
        room: SearchRoom,
        stopped: &dyn Fn() -> bool,
    ) -> SearchOutcome {
        match path.metadata() {
            Ok(metadata) if metadata.len() > MOST_FILE => return SearchOutcome::TooLarge,
            Ok(_) => {}
            Err(_) => return SearchOutcome::Unreadable,
        }
        match File::open(path) {
            Ok(file) => self.read(file, room, stopped),
            Err(_) => SearchOutcome::Unreadable,
        }
    }

    /// Searches a text, until `stopped` says so.
    pub(super) fn text(
        &mut self,
        text: &[u8],
        room: SearchRoom,
        stopped: &dyn Fn() -> bool,
    ) -> SearchOutcome {
        self.read(text, room, stopped)
    }

    fn read(
        &mut self,
        from: impl Read,
        room: SearchRoom,
        stopped: &dyn Fn() -> bool,
    ) -> SearchOutcome {
        let mut hits = Hits::new(&self.matcher, self.lines, room);
        let from = Stoppable { from, stopped };
        match self.searcher.search_reader(&self.matcher, from, &mut hits) {
            Ok(()) => hits.finish(),
            Err(_) => SearchOutcome::Unreadable,
        }
    }
}

/// A text whose reading fails once the call is cancelled.
struct Stoppable<'a, R> {
    from: R,
    stopped: &'a dyn Fn() -> bool,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if (self.stopped)() {
            Err(io::Error::other("stopped"))
        } else {
            let end = into.len().min(MOST_READ);
            self.from.read(into.get_mut(..end).unwrap_or_default())
        }
    }
}

/// What was found in a text so far.
struct Hits<'a> {
    matcher: &'a RegexMatcher,
    keep: bool,
    room: SearchRoom,
    lines: Vec<FoundLine>,
    count: usize,
    more: bool,
    binary: bool,
}

impl<'a> Hits<'a> {
    fn new(matcher: &'a RegexMatcher, keep: bool, room: SearchRoom) -> Self {
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

    /// Returns a line as it is shown, and takes it off the room.
    fn shown(&mut self, line: &[u8], at: usize) -> String {
        let text = excerpt(line, at);
        self.room.bytes = self.room.bytes.saturating_sub(text.len() + 1);
        text
    }

    fn finish(mut self) -> SearchOutcome {
        // What led up to a match that there was no room for is of no use.
        while self.more && !matches!(self.lines.last(), None | Some(FoundLine::Match(..))) {
            self.lines.pop();
        }
        match () {
            () if self.binary || self.count == 0 => SearchOutcome::Nothing,
            () if self.keep => SearchOutcome::Lines {
                lines: self.lines,
                more: self.more,
            },
            () => SearchOutcome::Count(self.count),
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
        if self.count == self.room.lines || self.room.bytes == 0 {
            self.more = true;
            return Ok(false);
        }
        self.count += 1;
        let line = found.bytes();
        let at = self.matcher.find(line).ok().flatten();
        let text = self.shown(line, at.map_or(0, |at| at.start()));
        let number = found.line_number().unwrap_or(0);
        self.lines.push(FoundLine::Match(number, text));
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        // Once there is no room, a further match is still looked for: it has to be told.
        if self.keep && self.room.bytes > 0 && self.count <= self.room.lines {
            let text = self.shown(found.bytes(), 0);
            let number = found.line_number().unwrap_or(0);
            self.lines.push(FoundLine::Around(number, text));
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.keep && self.room.bytes > 0 && !self.lines.is_empty() {
            self.lines.push(FoundLine::Gap);
        }
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

    fn find(pattern: &str, text: &[u8], lines: usize) -> SearchOutcome {
        find_around(pattern, text, lines, 0)
    }

    fn find_around(pattern: &str, text: &[u8], lines: usize, around: usize) -> SearchOutcome {
        let matcher = RegexMatcher::new_line_matcher(pattern).expect("a pattern");
        let bytes = 10_000;
        Search::new(matcher, Some(around)).text(text, SearchRoom { lines, bytes }, &|| false)
    }

    #[test]
    fn lines_around_a_match_come_with_it() {
        let text = b"a\nb\nX\nc\nd\ne\nf\nX\nX\ng";
        let found = |lines| match find_around("X", text, lines, 1) {
            SearchOutcome::Lines { lines, more } => {
                (lines.iter().map(short).collect::<Vec<_>>().join(" "), more)
            }
            other => panic!("{other:?}"),
        };
        let all = "2-b 3:X 4-c -- 7-f 8:X 9:X 10-g";
        assert_eq!(found(9), (all.to_owned(), false));
        assert_eq!(found(1), ("2-b 3:X".to_owned(), true));
    }

    fn short(line: &FoundLine) -> String {
        match line {
            FoundLine::Match(number, text) => format!("{number}:{text}"),
            FoundLine::Around(number, text) => format!("{number}-{text}"),
            FoundLine::Gap => "--".to_owned(),
        }
    }

    #[test]
    fn many_long_lines_are_bounded() {
        let text = format!("{}\n", "a".repeat(230)).repeat(500);
        let SearchOutcome::Lines { lines, more } = find("a", text.as_bytes(), 2000) else {
            panic!("no match");
        };
        assert!(more && lines.len() < 50, "{}", lines.len());
    }

    fn lines(found: &[(u64, &str)], more: bool) -> SearchOutcome {
        let lines = found
            .iter()
            .map(|(number, line)| FoundLine::Match(*number, (*line).to_owned()));
        SearchOutcome::Lines {
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
        assert_eq!(find("x", text, 9), SearchOutcome::Nothing);
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
        assert_eq!(find("a", b"a\na\0\na\n", 9), SearchOutcome::Nothing);
    }

    #[test]
    fn long_lines_show_their_match() {
        let line = format!("{}needle{}", "ä".repeat(4000), "ö".repeat(4000));
        let SearchOutcome::Lines { lines, .. } = find("needle", line.as_bytes(), 9) else {
            panic!("no match");
        };
        let Some(FoundLine::Match(_, text)) = lines.first() else {
            panic!("no line");
        };
        assert!(text.starts_with("...ä") && text.contains("needle") && text.ends_with("ö..."));
        assert!(text.len() <= MOST_LINE + 6);
    }
}
