//! Search in the diffs of all files.
//!
//! In: a query as it is typed, and the review list. Out: the lines that match, which of them is selected, and rows with
//! the matches emphasised. `foo` finds `Foo` as well, `Foo` does not find `foo`.
//!
//! A longer query matches no line that its beginning does not, so each letter looks at the lines that are left.

use regex::{Regex, RegexBuilder};
use signoff_core::stage::review::ProposalView;

use super::list::HunkPlace;
use crate::theme::Role;
use crate::wrap::Row;

/// A line of a hunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinePlace {
    pub(super) hunk: HunkPlace,
    pub(super) line: usize,
}

/// What is looked for, and where it is.
#[derive(Debug, Default)]
pub(super) struct Search {
    query: String,
    /// The query; none while there is no search.
    pattern: Option<Regex>,
    /// The lines that match, in the order of the list.
    found: Vec<LinePlace>,
    /// Which of them is selected.
    at: usize,
    /// Where the search began.
    origin: LinePlace,
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

    /// Returns true if anything was found.
    pub(super) fn finds(&self) -> bool {
        !self.found.is_empty()
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

    /// Looks for another query, and returns the first match from where the search began.
    pub(super) fn find(&mut self, query: &str, files: &[ProposalView]) -> Option<LinePlace> {
        let narrows = !self.query.is_empty() && query.starts_with(&self.query);
        query.clone_into(&mut self.query);
        self.pattern = pattern(query);
        let Some(pattern) = &self.pattern else {
            self.found.clear();
            return None;
        };
        if narrows {
            self.found
                .retain(|place| text(files, *place).is_some_and(|text| pattern.is_match(text)));
        } else {
            self.found = all(files, pattern);
        }
        let from = self.found.partition_point(|place| *place < self.origin);
        self.at = if from < self.found.len() { from } else { 0 };
        self.found.get(self.at).copied()
    }

    /// Looks again in another list. The match that is selected stays at its place in the order.
    pub(super) fn refresh(&mut self, files: &[ProposalView]) {
        if let Some(pattern) = &self.pattern {
            self.found = all(files, pattern);
            self.at = self.at.min(self.found.len().saturating_sub(1));
        }
    }

    /// Returns the next match, round the end.
    pub(super) fn next(&mut self) -> Option<LinePlace> {
        self.at = if self.at + 1 < self.found.len() {
            self.at + 1
        } else {
            0
        };
        self.found.get(self.at).copied()
    }

    /// Returns the match before, round the start.
    pub(super) fn previous(&mut self) -> Option<LinePlace> {
        let last = self.found.len().saturating_sub(1);
        self.at = self.at.checked_sub(1).unwrap_or(last);
        self.found.get(self.at).copied()
    }

    /// Returns which match is selected, and of how many.
    pub(super) fn count(&self) -> Option<String> {
        self.pattern.as_ref()?;
        Some(match self.found.len() {
            0 => format!("/{} no match", self.query),
            all => format!("/{} {} of {all}", self.query, self.at + 1),
        })
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

fn all(files: &[ProposalView], pattern: &Regex) -> Vec<LinePlace> {
    let mut found = Vec::new();
    for (file, proposal) in files.iter().enumerate() {
        for (hunk, own) in proposal.hunks.iter().enumerate() {
            let lines = own.lines.iter().enumerate();
            let matching = lines.filter(|(_, line)| pattern.is_match(&line.text));
            let hunk = HunkPlace { file, hunk };
            found.extend(matching.map(|(line, _)| LinePlace { hunk, line }));
        }
    }
    found
}

fn text(files: &[ProposalView], place: LinePlace) -> Option<&str> {
    let LinePlace { hunk, line } = place;
    let own = files.get(hunk.file)?.hunks.get(hunk.hunk)?;
    Some(&own.lines.get(line)?.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

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
        whole.find(query, &files);
        let mut typed = Search::default();
        for (end, c) in query.char_indices() {
            typed.find(&query[..end + c.len_utf8()], &files);
        }
        assert_eq!(whole.found, typed.found, "letter by letter: {query}");
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
        assert_eq!(file_of(search.find("x", &files)), Some(2));
        assert_eq!(search.count().unwrap(), "/x 2 of 2");
        assert_eq!(file_of(search.next()), Some(0));
        assert_eq!(file_of(search.previous()), Some(2));
        assert_eq!(search.find("xx", &files), None);
        assert_eq!(search.count().unwrap(), "/xx no match");
        assert!(search.end() && !search.end() && search.count().is_none());
    }

    #[test]
    fn matches_are_emphasised_across_pieces_and_not_in_line_numbers() {
        let files = [file("1")];
        let mut search = Search::default();
        search.find("1a", &files);
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
