//! Search in the diffs of all files.
//!
//! In: a query as it is typed, and the review list. Out: the lines that match, which of them is selected, and rows with
//! the matches emphasised. `foo` finds `Foo` as well, `Foo` does not find `foo`.
//!
//! A longer query matches no line that its beginning does not, so each letter looks at the lines that are left.
//!
//! The lines are looked through from where the search began to the end, then from the start, in steps: the first with the
//! letter that was typed, the others while no key is pressed. So a letter is echoed at once, however many lines there
//! are. Example: of 300,000 lines, `e` shows `/e 1 of 4021 so far` with the letter, and `/e 1 of 61322` some frames later.

use regex::{Regex, RegexBuilder};
use signoff_core::edit::diff::line::DiffLine;
use signoff_core::edit::diff::stretches::LinePart;

use super::list::HunkPlace;
use super::review_file::ReviewFile;
use crate::theme::Role;
use crate::wrap::Row;

/// A line of a hunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinePlace {
    pub(super) hunk: HunkPlace,
    pub(super) line: usize,
}

/// How much text a step looks through, in bytes: about a millisecond, for 20,000 lines of code. All of 300,000 take 30 to
/// 70 ms, which no letter waits for.
const STEP: usize = 2 * 1024 * 1024;
/// What a line costs beside its text.
const LINE_COST: usize = 32;

/// What is looked for, and where it is.
#[derive(Debug, Default)]
pub(super) struct Search {
    query: String,
    /// The query; none while there is no search.
    pattern: Option<Regex>,
    /// The lines that match: those from where the search began to the end, then those before.
    found: Vec<LinePlace>,
    /// Lines that matched the beginning of the query, and were not looked at since; the next one last.
    doubtful: Vec<LinePlace>,
    /// Where the lines begin that were not looked at; none once all were.
    rest: Option<Cursor>,
    /// Which of those that match is selected.
    at: usize,
    /// Where the search began.
    origin: LinePlace,
}

/// Where a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    at: LinePlace,
    /// It came to the end, and goes on from the start to where it began.
    is_round: bool,
}

impl Search {
    /// Begins a search at a hunk.
    pub(super) fn begin(&mut self, at: HunkPlace) {
        *self = Self {
            origin: LinePlace { hunk: at, line: 0 },
            ..Self::default()
        };
    }

    /// Returns true while something is looked for.
    pub(super) fn is_active(&self) -> bool {
        self.pattern.is_some()
    }

    /// Returns true if anything is found.
    pub(super) fn finds(&mut self, files: &[ReviewFile]) -> bool {
        self.finish(files);
        !self.found.is_empty()
    }

    /// Returns true while lines are left to be looked at.
    pub(super) fn goes_on(&self) -> bool {
        self.is_active() && (self.rest.is_some() || !self.doubtful.is_empty())
    }

    /// Returns the hunk at which the search began.
    pub(super) fn origin(&self) -> HunkPlace {
        self.origin.hunk
    }

    /// Ends the search; false if there was none.
    pub(super) fn end(&mut self) -> bool {
        let was_active = self.is_active();
        *self = Self::default();
        was_active
    }

    /// Looks for another query; [`Self::step`] finds it.
    pub(super) fn find(&mut self, query: &str) {
        let narrows = !self.query.is_empty() && query.starts_with(&self.query);
        query.clone_into(&mut self.query);
        self.pattern = pattern(query);
        if narrows {
            self.doubtful.extend(self.found.drain(..).rev());
        } else {
            self.found.clear();
            self.begin_anew();
        }
        self.at = 0;
    }

    fn begin_anew(&mut self) {
        self.doubtful.clear();
        self.rest = self.pattern.as_ref().map(|_| Cursor {
            at: self.origin,
            is_round: false,
        });
    }

    /// Looks at more lines. Returns the first match once it is found.
    pub(super) fn step(&mut self, files: &[ReviewFile]) -> Option<LinePlace> {
        let had_none = self.found.is_empty();
        let mut left = STEP;
        while left > 0 && self.goes_on() {
            left = left.saturating_sub(self.look_at_next(files));
        }
        self.found.first().copied().filter(|_| had_none)
    }

    /// Looks at all lines that are left.
    fn finish(&mut self, files: &[ReviewFile]) {
        while self.goes_on() {
            self.look_at_next(files);
        }
    }

    /// Looks at the next lines, those of one hunk at most; returns what that cost.
    fn look_at_next(&mut self, files: &[ReviewFile]) -> usize {
        let Some(pattern) = &self.pattern else {
            return STEP;
        };
        if let Some(place) = self.doubtful.pop() {
            let Some(text) = text(files, place) else {
                return LINE_COST;
            };
            if pattern.is_match(text) {
                self.found.push(place);
            }
            return text.len() + LINE_COST;
        }
        let Some(cursor) = &mut self.rest else {
            return STEP;
        };
        let LinePlace { hunk, line } = cursor.at;
        let Some(file) = files.get(hunk.file) else {
            // Round, unless it came so far before.
            self.rest = (!cursor.is_round && self.origin > LinePlace::default()).then(|| Cursor {
                at: LinePlace::default(),
                is_round: true,
            });
            return LINE_COST;
        };
        let own = file.hunk(hunk.hunk);
        let lines = own.map_or(&[][..], |own| &own.lines);
        let (mut cost, mut at) = (LINE_COST, line);
        while let Some(line) = lines.get(at) {
            let place = LinePlace { hunk, line: at };
            if cursor.is_round && place >= self.origin {
                self.rest = None;
                return cost;
            }
            if pattern.is_match(&line.text) {
                self.found.push(place);
            }
            (cost, at) = (cost + line.text.len() + LINE_COST, at + 1);
            if cost > STEP {
                cursor.at.line = at;
                return cost;
            }
        }
        cursor.at = LinePlace {
            hunk: match own {
                Some(_) => HunkPlace {
                    hunk: hunk.hunk + 1,
                    ..hunk
                },
                None => HunkPlace {
                    file: hunk.file + 1,
                    hunk: 0,
                },
            },
            line: 0,
        };
        if cursor.is_round && cursor.at >= self.origin {
            self.rest = None;
        }
        cost
    }

    /// Looks again in another list. The match that is selected stays at its place in the order; a search without any ends.
    pub(super) fn refresh(&mut self, files: &[ReviewFile]) {
        if self.is_active() {
            self.found.clear();
            self.begin_anew();
            self.finish(files);
            self.at = self.at.min(self.found.len().saturating_sub(1));
            if self.found.is_empty() {
                self.end();
            }
        }
    }

    /// Returns the next match, round the end.
    pub(super) fn next(&mut self, files: &[ReviewFile]) -> Option<LinePlace> {
        self.finish(files);
        self.at = if self.at + 1 < self.found.len() {
            self.at + 1
        } else {
            0
        };
        self.found.get(self.at).copied()
    }

    /// Returns the match before, round the start.
    pub(super) fn previous(&mut self, files: &[ReviewFile]) -> Option<LinePlace> {
        self.finish(files);
        let last = self.found.len().saturating_sub(1);
        self.at = self.at.checked_sub(1).unwrap_or(last);
        self.found.get(self.at).copied()
    }

    /// Returns which match is selected, and of how many, in the order of the list.
    pub(super) fn count(&self) -> Option<String> {
        self.pattern.as_ref()?;
        let query = &self.query;
        let all = self.found.len();
        let behind = self.found.partition_point(|place| *place >= self.origin);
        Some(match (all, self.goes_on()) {
            (0, false) => format!("/{query} no match"),
            (0, true) => format!("/{query} searching"),
            (all, true) => format!("/{query} {} of {all} so far", self.at + 1),
            // Those before where the search began come first in the list.
            (all, false) => {
                let number = (self.at + all - behind) % all + 1;
                format!("/{query} {number} of {all}")
            }
        })
    }

    /// Returns the column of the selected match, in characters from 1, if its line is long and no match is in what is shown
    /// of it.
    pub(super) fn hidden_column(&self, files: &[ReviewFile]) -> Option<usize> {
        let pattern = self.pattern.as_ref()?;
        let line = line(files, *self.found.get(self.at)?)?;
        let shows_one = line.parts().into_iter().any(|part| match part {
            LinePart::Shown(range) => pattern.is_match(line.part(range)),
            LinePart::LeftOut { .. } | LinePart::Rest(_) => false,
        });
        let start = pattern.find(&line.text).filter(|_| !shows_one)?.start();
        let before = line.part(0..start);
        Some(before.chars().count() + 1)
    }

    /// Returns a row of the diff with the matches in it emphasised; its line numbers are left alone.
    pub(super) fn emphasised(&self, row: Row) -> Row {
        let Some(pattern) = &self.pattern else {
            return row;
        };
        let text: String = row.pieces().filter(is_code).map(|(_, text)| text).collect();
        let mut matches = pattern
            .find_iter(&text)
            .map(|found| found.range())
            .peekable();
        if matches.peek().is_none() {
            return row;
        }
        let (mut out, mut at) = (Row::default(), 0);
        for (role, piece) in row.pieces() {
            if !is_code(&(role, piece)) {
                out.push(role, piece);
                continue;
            }
            let end = at + piece.len();
            while at < end {
                let (role, until) = match matches.peek() {
                    Some(found) if found.end <= at => {
                        matches.next();
                        continue;
                    }
                    Some(found) if found.start <= at => (Role::Match, found.end.min(end)),
                    Some(found) => (role, found.start.min(end)),
                    None => (role, end),
                };
                let part = text.get(at..until).unwrap_or_default();
                out.push(role, part);
                at = until;
            }
        }
        out
    }
}

fn is_code(piece: &(Role, &str)) -> bool {
    matches!(
        piece.0,
        Role::Text
            | Role::Added
            | Role::AddedWord
            | Role::Removed
            | Role::RemovedWord
            | Role::Token(..)
    )
}

/// Returns a pattern that finds a query as it is typed; letters in upper case count only if the query has one.
fn pattern(query: &str) -> Option<Regex> {
    if query.is_empty() {
        return None;
    }
    RegexBuilder::new(&regex::escape(query))
        .case_insensitive(!query.chars().any(char::is_uppercase))
        .build()
        .ok()
}

fn text(files: &[ReviewFile], place: LinePlace) -> Option<&str> {
    line(files, place).map(|line| line.text.as_str())
}

fn line(files: &[ReviewFile], LinePlace { hunk, line }: LinePlace) -> Option<&DiffLine> {
    let own = files.get(hunk.file)?.hunk(hunk.hunk)?;
    own.lines.get(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit;

    fn file(context: &str) -> ReviewFile {
        ReviewFile::new(vec![kit::file(context)])
    }

    fn check(query: &str, expected: &[&str]) {
        let texts = [
            "let total = Sum(a);",
            "total",
            "TOTAL sum",
            "héllo HÉLLO",
            "a.b",
        ];
        let files: Vec<_> = texts.iter().map(|text| file(text)).collect();
        let mut whole = Search::default();
        whole.find(query);
        whole.finish(&files);
        // Some lines are looked at between two letters, as many as there is time for.
        for between in 0..3 {
            let mut typed = Search::default();
            for (end, c) in query.char_indices() {
                typed.find(&query[..end + c.len_utf8()]);
                for _ in 0..between {
                    typed.look_at_next(&files);
                }
            }
            typed.finish(&files);
            assert_eq!(whole.found, typed.found, "letter by letter: {query}");
        }
        let found = whole
            .found
            .iter()
            .map(|place| text(&files, *place).unwrap());
        assert_eq!(found.collect::<Vec<_>>(), expected, "{query}");
    }

    #[test]
    fn letters_in_upper_case_count_if_one_is_typed() {
        check("total", &["let total = Sum(a);", "total", "TOTAL sum"]);
        check("Sum", &["let total = Sum(a);"]);
        check("hÉ", &[]);
        check("hé", &["héllo HÉLLO"]);
        check(".", &["a.b"]);
        check("", &[]);
    }

    #[test]
    fn matches_are_gone_through_round_the_end() {
        let files = [file("x 1"), file("y"), file("x 2")];
        let mut search = Search::default();
        search.begin(HunkPlace { file: 1, hunk: 0 });
        let file_of = |place: Option<LinePlace>| place.map(|place| place.hunk.file);
        search.find("x");
        assert_eq!(search.count().unwrap(), "/x searching");
        assert_eq!(file_of(search.step(&files)), Some(2));
        assert_eq!(search.count().unwrap(), "/x 2 of 2");
        assert_eq!(file_of(search.next(&files)), Some(0));
        assert_eq!(search.count().unwrap(), "/x 1 of 2");
        assert_eq!(file_of(search.previous(&files)), Some(2));
        search.find("xx");
        assert_eq!(search.step(&files), None);
        assert_eq!(search.count().unwrap(), "/xx no match");
        assert!(search.end() && !search.end() && search.count().is_none());
    }

    /// A letter looks at a part of many lines, the selected match is the first behind where the search began, and the
    /// count is that of the list.
    #[test]
    fn many_lines_are_looked_at_in_steps() {
        let mut long = kit::file("x");
        let lines = &mut long.hunks[0].lines;
        let mut line = lines[0].clone();
        line.text = "y".repeat(1000);
        lines.splice(..0, vec![line; 2 * STEP / 1000]);
        let files = [file("x 1"), ReviewFile::new(vec![long]), file("x 2")];
        let mut search = Search::default();
        search.begin(HunkPlace { file: 1, hunk: 0 });
        search.find("x");
        let (mut steps, mut first) = (0, None);
        while search.goes_on() {
            first = first.or(search.step(&files));
            steps += 1;
        }
        assert!(steps > 1, "{steps}");
        assert_eq!(first.unwrap().hunk.file, 1);
        assert_eq!(search.count().unwrap(), "/x 2 of 3");
        search.find("x ");
        assert!(search.goes_on());
        assert_eq!(search.step(&files).unwrap().hunk.file, 2);
    }

    #[test]
    fn a_match_in_what_is_left_out_of_a_long_line_is_told_by_its_column() {
        let long = format!("shown {} é needle {}", "x".repeat(3_000), "y".repeat(3_000));
        let files = [file(&long)];
        let check = |query: &str, column: Option<usize>| {
            let mut search = Search::default();
            search.find(query);
            search.finish(&files);
            assert_eq!(search.hidden_column(&files), column, "{query}");
        };
        check("shown", None);
        check("needle", Some(3_010));
        check("y", Some(3_017));
        check("none", None);
    }

    #[test]
    fn matches_are_emphasised_across_pieces_and_not_in_line_numbers() {
        let files = [file("1")];
        let mut search = Search::default();
        search.find("1a");
        search.finish(&files);
        let row = Row::new(Role::Dim, "1a ")
            .with(Role::Added, "+ 1")
            .with(Role::AddedWord, "ab1A");
        let shown: Vec<_> = search
            .emphasised(row)
            .pieces()
            .map(|(role, text)| (role, text.to_owned()))
            .collect();
        let expected = [
            (Role::Dim, "1a "),
            (Role::Added, "+ "),
            (Role::Match, "1a"),
            (Role::AddedWord, "b"),
            (Role::Match, "1A"),
        ];
        assert_eq!(shown, expected.map(|(role, text)| (role, text.to_owned())));
    }
}
