//! Rows of one line of a diff.
//!
//! In: a line, its tokens, and columns. Out: rows with line numbers, a sign, colours and emphasis; or how many rows that
//! takes, which for ordinary text is told from its length, so that a diff of 50,000 lines can be laid out at once.

use std::ops::Range;

use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::edit::diff::stretches::LinePart;
use signoff_core::stage::review::StackPlace;
use signoff_core::syntax::tokens::Token;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::blanks::{self, TAB};
use crate::theme::Role;
use crate::wrap::{self, Row};

/// Below this width a line shows one number instead of two.
const NARROW: usize = 60;

/// Columns that text needs beside line numbers; where there are fewer, numbers are left out.
const TEXT_COLUMNS: usize = 8;

/// Columns of the sign and the blank after it.
const SIGN: usize = 2;

/// How lines are put into columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineFormat {
    width: usize,
    digits: usize,
    numbers: Numbers,
    shows_blanks: bool,
}

/// Which line numbers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// Before and after the change.
    Both,
    /// After it, or before it where there is no other.
    One,
    /// Before it.
    Old,
    /// After it.
    New,
    /// None, on a very narrow screen.
    None,
}

/// Which side of a change a column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
}

/// A line of a diff with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inked<'a> {
    pub(super) line: &'a DiffLine,
    pub(super) tokens: &'a [Token],
    /// What differs from the other side.
    pub(super) emphasis: &'a [(usize, usize)],
    /// The line is shown as one that stays.
    pub(super) is_plain: bool,
    /// Where its hunk stands among others of the file.
    pub(super) place: Option<StackPlace>,
}

impl<'a> Inked<'a> {
    pub(super) fn of(line: &'a DiffLine, tokens: &'a [Token]) -> Self {
        Self {
            line,
            tokens,
            emphasis: &line.emphasis,
            is_plain: false,
            place: None,
        }
    }

    /// Returns the numbers of the line in its file: before the change, and after it.
    fn numbers(&self) -> [Option<u32>; 2] {
        let (old, new) = (self.line.old, self.line.new);
        let Some(StackPlace { before, after, .. }) = self.place else {
            return [old, new];
        };
        [(old, before), (new, after)].map(|(number, by)| number?.checked_add_signed(by))
    }
}

/// Returns how many digits the largest number of these lines has, if each is `ahead` at most.
pub(super) fn digits<'a>(lines: impl Iterator<Item = &'a DiffLine>, ahead: u32) -> usize {
    let largest = lines.flat_map(|line| [line.old, line.new]).flatten().max();
    let largest = largest.unwrap_or(1).saturating_add(ahead);
    largest.to_string().len()
}

impl LineFormat {
    /// Returns the format of lines one below another.
    pub(super) fn stacked(digits: usize, width: usize, shows_blanks: bool) -> Self {
        let numbers = match width {
            NARROW.. => Numbers::Both,
            _ if width >= digits + 1 + SIGN + TEXT_COLUMNS => Numbers::One,
            _ => Numbers::None,
        };
        Self {
            width,
            digits,
            numbers,
            shows_blanks,
        }
    }

    /// Returns the format of one of two columns.
    pub(super) fn side(digits: usize, width: usize, shows_blanks: bool, side: Side) -> Self {
        let numbers = match side {
            _ if width < digits + 1 + SIGN + TEXT_COLUMNS => Numbers::None,
            Side::Old => Numbers::Old,
            Side::New => Numbers::New,
        };
        Self {
            width,
            digits,
            numbers,
            shows_blanks,
        }
    }

    fn number_columns(&self) -> usize {
        match self.numbers {
            Numbers::Both => 2 * (self.digits + 1),
            Numbers::One | Numbers::Old | Numbers::New => self.digits + 1,
            Numbers::None => 0,
        }
    }

    fn room(&self) -> usize {
        let taken = self.number_columns() + SIGN;
        self.width.saturating_sub(taken).max(1)
    }

    /// Returns how many rows a line takes.
    pub(super) fn height(&self, line: &DiffLine) -> usize {
        let room = self.room();
        let columns = line
            .is_shown_whole()
            .then(|| plain_columns(&line.text))
            .flatten();
        let rows = match columns {
            Some(columns) if columns <= room => 1,
            // The last column of a row that goes on says so.
            Some(columns) => columns.div_ceil((room - 1).max(1)),
            None => {
                wrap::continued(&painted(&Inked::of(line, &[]), self.shows_blanks), room, 0).len()
            }
        };
        rows + usize::from(!line.newline)
    }

    /// Returns the rows of a line; one that goes on in the next row says so at its end.
    pub(super) fn rows(&self, inked: &Inked<'_>) -> Vec<Row> {
        let line = inked.line;
        let numbers = self.numbers(inked.numbers());
        let (sign, plain, _) = ink(inked);
        let body = painted(inked, self.shows_blanks);
        let mut rows: Vec<_> = wrap::continued(&body, self.room(), 0)
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let mut row = Row::default();
                if index == 0 {
                    row.push(Role::Dim, &numbers);
                    row.push(plain, &format!("{sign} "));
                } else {
                    row.push(Role::Dim, &" ".repeat(numbers.len()));
                    row.push(Role::Dim, "… ");
                }
                row.append(part);
                row
            })
            .collect();
        if !line.newline {
            let text = format!("{}no line ending here", " ".repeat(numbers.len() + SIGN));
            rows.push(Row::new(Role::Dim, &text).clipped(self.width));
        }
        rows
    }

    fn numbers(&self, [old, new]: [Option<u32>; 2]) -> String {
        let digits = self.digits;
        let shown = |number: Option<u32>| number.map(|n| n.to_string()).unwrap_or_default();
        match self.numbers {
            Numbers::Both => format!("{:>digits$} {:>digits$} ", shown(old), shown(new)),
            Numbers::One => format!("{:>digits$} ", shown(new.or(old))),
            Numbers::Old => format!("{:>digits$} ", shown(old)),
            Numbers::New => format!("{:>digits$} ", shown(new)),
            Numbers::None => String::new(),
        }
    }
}

/// Returns the sign of a line, its role, and that of what differs.
fn ink(inked: &Inked<'_>) -> (char, Role, Role) {
    match inked.line.kind {
        _ if inked.is_plain => (' ', Role::Text, Role::Text),
        LineKind::Context => (' ', Role::Text, Role::Text),
        LineKind::Added => ('+', Role::Added, Role::AddedWord),
        LineKind::Removed => ('-', Role::Removed, Role::RemovedWord),
    }
}

/// Returns the columns of a text of printable ASCII and tabs in which no run of blanks is counted; none of other text.
fn plain_columns(text: &str) -> Option<usize> {
    let mut columns = 0;
    let mut run = 0;
    for byte in text.bytes() {
        match byte {
            b' ' => {
                columns += 1;
                run += 1;
            }
            b'\t' => {
                columns += TAB - columns % TAB;
                run += TAB;
            }
            b'!'..=b'~' => {
                columns += 1;
                run = 0;
            }
            _ => return None,
        }
        if run > blanks::LONGEST_RUN {
            return None;
        }
    }
    Some(columns)
}

/// Returns a line with its tokens in their roles, and what differs from the other side in the role `strong`. What does
/// not fit the line is left out, and a grapheme cluster has one role. Of a long line only the stretches that differ are
/// shown. Long runs of blanks are counted; those at the end of
/// an added line are always shown.
fn painted(inked: &Inked<'_>, shows_blanks: bool) -> Row {
    let text = inked.line.text.as_str();
    let (_, plain, strong) = ink(inked);
    let mut roles = vec![plain; text.len()];
    let fits = |range: &Range<usize>| text.get(range.clone()).is_some();
    let kind = if inked.is_plain {
        LineKind::Context
    } else {
        inked.line.kind
    };
    for token in inked.tokens.iter().filter(|token| fits(&token.at)) {
        let role = Role::Token(token.kind, kind);
        let own = roles.get_mut(token.at.clone());
        own.into_iter().for_each(|own| own.fill(role));
    }
    let mut done = 0;
    for (start, end) in inked.emphasis {
        if *start >= done && start < end && fits(&(*start..*end)) {
            done = *end;
            let own = roles.get_mut(*start..*end);
            own.into_iter().for_each(|own| own.fill(strong));
        }
    }
    if kind == LineKind::Added {
        let end = text.trim_end_matches([' ', '\t']).len();
        let own = roles.get_mut(end..);
        own.into_iter().for_each(|own| own.fill(Role::Warn));
    }
    let painter = Painter {
        text,
        roles: &roles,
        strong,
        shows_blanks,
    };
    let mut row = Row::default();
    for part in inked.line.parts() {
        let LinePart::Shown(range) = part else {
            row.push(Role::Warn, &part.to_string());
            continue;
        };
        let shown = inked.line.part(range.clone());
        let mut at = range.start;
        for run in blanks::long_runs(shown) {
            let [start, end] = [run.range.start, run.range.end].map(|end| range.start + end);
            painter.push(&mut row, at..start);
            row.push(Role::Warn, &run.to_string());
            at = end;
        }
        painter.push(&mut row, at..range.end);
    }
    row
}

/// A text whose bytes have roles.
struct Painter<'a> {
    text: &'a str,
    roles: &'a [Role],
    strong: Role,
    shows_blanks: bool,
}

impl Painter<'_> {
    /// Appends a part of the text.
    fn push(&self, row: &mut Row, part: Range<usize>) {
        let offset = part.start;
        let text = self.text.get(part).unwrap_or_default();
        let role_of = |(at, cluster): (usize, &str)| {
            let own = self.roles.get(offset + at..offset + at + cluster.len());
            let own = own.unwrap_or_default();
            let role = if own.contains(&self.strong) {
                Some(self.strong)
            } else {
                own.first().copied()
            };
            (at, role.unwrap_or(Role::Text))
        };
        let mut clusters = text.grapheme_indices(true).map(role_of).peekable();
        while let Some((start, role)) = clusters.next() {
            while clusters.next_if(|(_, next)| *next == role).is_some() {}
            let end = clusters.peek().map_or(text.len(), |(at, _)| *at);
            let run = text.get(start..end).unwrap_or_default();
            match role {
                Role::Warn => push_blanks(row, run, |_| Role::Warn),
                _ if self.shows_blanks => push_blanks(row, run, |is_blank| {
                    if is_blank && role != self.strong {
                        Role::Dim
                    } else {
                        role
                    }
                }),
                _ => row.push(role, run),
            }
        }
    }
}

/// Appends a text with its blanks as `·` and its tabs as `→`; `role` tells the role of blanks and of the rest.
fn push_blanks(row: &mut Row, text: &str, role: impl Fn(bool) -> Role) {
    let is_blank = |c: char| c == ' ' || c == '\t';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if !is_blank(first) {
            let end = rest.find(is_blank).unwrap_or(rest.len());
            let (own, after) = rest.split_at(end);
            row.push(role(false), own);
            rest = after;
            continue;
        }
        if first == ' ' {
            row.push(role(true), "·");
        } else {
            let columns = TAB - row.width() % TAB;
            row.push(role(true), &format!("→{}", " ".repeat(columns - 1)));
        }
        rest = rest.get(1..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use signoff_core::syntax::tokens::TokenKind;

    use super::*;
    use crate::wrap::text_of;

    fn added(text: &str, emphasis: &[(usize, usize)]) -> DiffLine {
        DiffLine {
            kind: LineKind::Added,
            old: None,
            new: Some(7),
            text: text.to_owned(),
            emphasis: emphasis.to_vec(),
            newline: true,
        }
    }

    #[test]
    fn tokens_have_roles_where_nothing_differs() {
        let line = added("let a = \"1\";", &[(4, 5)]);
        let token = |at, kind| Token { at, kind };
        let tokens = [
            token(0..3, TokenKind::Keyword),
            token(4..5, TokenKind::Function),
            token(8..11, TokenKind::String),
            token(9..99, TokenKind::Comment),
        ];
        let row = painted(&Inked::of(&line, &tokens), false);
        let kind = |kind| Role::Token(kind, LineKind::Added);
        let pieces: Vec<_> = row.pieces().collect();
        assert_eq!(
            pieces,
            [
                (kind(TokenKind::Keyword), "let"),
                (Role::Added, " "),
                (Role::AddedWord, "a"),
                (Role::Added, " = "),
                (kind(TokenKind::String), "\"1\""),
                (Role::Added, ";"),
            ]
        );
    }

    fn check(text: &str, emphasis: &[(usize, usize)], expected: &str) {
        let line = added(text, emphasis);
        let row = painted(&Inked::of(&line, &[]), false);
        let shown: String = row
            .pieces()
            .map(|(role, text)| match role {
                Role::AddedWord => format!("[{text}]"),
                _ => text.to_owned(),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn emphasises_ranges_that_fit() {
        check("let a = 1;", &[(4, 5), (8, 9)], "let [a] = [1];");
        check("é", &[(1, 2)], "é");
        check("ab", &[(1, 9)], "ab");
        check("abcd", &[(1, 3), (2, 4)], "a[bc]d");
        check("a\x1b[0m", &[(0, 1)], "[a]␛[0m");
        check("e\u{301}e\u{302}", &[(1, 3)], "[e\u{301}]e\u{302}");
        check("कि का", &[(3, 6)], "[कि] का");
        let long = format!("x = 1{}; rm()", " ".repeat(3_000));
        check(&long, &[(5, 3_005)], "x = 1⟨3000 blanks⟩; rm()");
    }

    #[test]
    fn blanks_are_shown_where_asked_and_at_the_end_of_added_lines() {
        let shown = |text: &str, shows_blanks| {
            let line = added(text, &[]);
            text_of(&[painted(&Inked::of(&line, &[]), shows_blanks)]).concat()
        };
        assert_eq!(shown("\ta b  ", false), "    a b··");
        assert_eq!(shown("\ta b \t", true), "→   a·b·→   ");
        assert_eq!(shown("  a漢 \tb", true), "··a漢·→ b");
        let mut line = added("a  ", &[]);
        line.kind = LineKind::Removed;
        assert_eq!(text_of(&[painted(&Inked::of(&line, &[]), false)]), ["a  "]);
    }

    proptest! {
        /// A row that is wider is cut when it is drawn, and would count as displayed all the same.
        #[test]
        fn no_row_is_wider_than_the_layout(
            text in "[a-c 漢👩ᄀक\u{94d}\u{301}\u{2800}\t]{0,60}",
            width in 8usize..70,
            number in prop::sample::select(vec![1u32, 99, 123_456_789]),
            emphasis in (0usize..20, 0usize..40),
            token in (0usize..20, 0usize..20),
            newline: bool,
            shows_blanks: bool,
        ) {
            let line = DiffLine {
                kind: LineKind::Added,
                old: None,
                new: Some(number),
                text,
                emphasis: vec![emphasis],
                newline,
            };
            let digits = digits(std::iter::once(&line), 0);
            let sides = [Side::Old, Side::New];
            let sides = sides.map(|side| LineFormat::side(digits, width, shows_blanks, side));
            let stacked = LineFormat::stacked(digits, width, shows_blanks);
            for format in sides.into_iter().chain([stacked]) {
                let rows = format.rows(&Inked::of(&line, &[]));
                prop_assert!(rows.iter().all(|row| row.width() <= width), "{:?}", text_of(&rows));
                prop_assert_eq!(rows.len(), format.height(&line), "{:?}", text_of(&rows));
                // Colours that come later move nothing.
                let tokens = [Token { at: token.0..token.0 + token.1, kind: TokenKind::String }];
                prop_assert_eq!(text_of(&format.rows(&Inked::of(&line, &tokens))), text_of(&rows));
            }
        }
    }

    /// A line counts as displayed once its rows were: those of what differs, and of no more.
    #[test]
    fn a_long_line_takes_the_rows_of_what_differs() {
        for filler in ["a = 1; ", "漢\t", "x"] {
            let filler = filler.repeat(3_000);
            let text = format!("{filler}sum{filler}");
            let mut line = added(&text, &[(filler.len(), filler.len() + 3)]);
            for width in [20, 80, 200] {
                let format = LineFormat::stacked(1, width, false);
                let rows = text_of(&format.rows(&Inked::of(&line, &[])));
                assert_eq!(rows.len(), format.height(&line));
                assert!(rows.len() <= 400 / (width / 10), "{rows:?}");
                let shown: String = rows.concat().split(['…', ' ', '\n']).collect();
                assert!(
                    shown.contains("⟨column") && shown.contains("sum"),
                    "{rows:?}"
                );
            }
            // What is all new is shown whole.
            line.emphasis.clear();
            let format = LineFormat::stacked(1, 80, false);
            let rows = format.rows(&Inked::of(&line, &[])).len();
            assert!(rows == format.height(&line) && rows > text.chars().count() / 80);
        }
    }

    #[test]
    fn long_lines_wrap_and_keep_every_column() {
        let line = DiffLine {
            kind: LineKind::Added,
            old: None,
            new: Some(7),
            text: "abcdefghij  klm".to_owned(),
            emphasis: Vec::new(),
            newline: false,
        };
        let format = LineFormat::stacked(2, 15, false);
        assert_eq!(
            text_of(&format.rows(&Inked::of(&line, &[]))),
            [" 7 + abcdefghi…", "   … j  klm", "     no line e…"]
        );
    }
}
