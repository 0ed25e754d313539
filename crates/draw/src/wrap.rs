//! Styled rows and line wrapping.
//!
//! In: untrusted text with roles. Out: [`Row`]s that hold only clean text; nothing gets to
//! the screen except through [`Row::push`], which sanitises and expands tabs.

use std::borrow::Cow;

use ratatui::buffer::CellWidth as _;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthChar as _;

use crate::blanks::{self, TAB};
use crate::sanitize;
use crate::theme::Role;

/// One row of the screen: clean text in pieces, each with a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pieces: Vec<Piece>,
    width: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    role: Role,
    text: String,
}

/// Where a row may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// After blanks; a blank that does not fit is dropped.
    Words,
    /// Anywhere; every column of the text stays visible.
    Anywhere,
}

impl Row {
    /// Returns a row with one piece.
    pub fn new(role: Role, raw: &str) -> Self {
        Self::default().with(role, raw)
    }

    /// Returns the row with a piece appended.
    pub fn with(mut self, role: Role, raw: &str) -> Self {
        self.push(role, raw);
        self
    }

    /// Appends a piece; what is untrusted in it is written out.
    pub fn push(&mut self, role: Role, raw: &str) {
        let text = expand_tabs(sanitize::clean(raw), self.width);
        self.width += width(&text);
        self.push_clean(role, &text);
    }

    /// Appends a piece in which long runs of blanks are shown as counts, so that what comes after
    /// them stays in sight.
    pub fn push_counted(&mut self, role: Role, raw: &str) {
        let mut at = 0;
        for run in blanks::long_runs(raw) {
            self.push(role, raw.get(at..run.range.start).unwrap_or_default());
            self.push(Role::Warn, &run.to_string());
            at = run.range.end;
        }
        self.push(role, raw.get(at..).unwrap_or_default());
    }

    /// Returns the pieces as role and text.
    pub fn pieces(&self) -> impl Iterator<Item = (Role, &str)> {
        self.pieces
            .iter()
            .map(|piece| (piece.role, piece.text.as_str()))
    }

    /// Returns the same texts in the roles that are returned for the place of each piece, its role and its text.
    pub fn in_roles(&self, role_of: impl Fn(usize, Role, &str) -> Role) -> Self {
        let mut row = self.clone();
        for (at, piece) in row.pieces.iter_mut().enumerate() {
            piece.role = role_of(at, piece.role, &piece.text);
        }
        row
    }

    /// Returns the columns that the row takes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the row cut to `width` columns, with an ellipsis where something is missing.
    pub fn clipped(self, width: usize) -> Self {
        if self.width <= width {
            return self;
        }
        let mut out = Self::default();
        for unit in self.units() {
            if out.width + unit.width + 1 > width {
                break;
            }
            out.push_unit(unit);
        }
        if width > 0 {
            out.push(Role::Dim, "…");
        }
        out
    }

    /// Returns the row cut to `width` columns, with an ellipsis in the place of its middle: its end stays in sight.
    pub fn clipped_in_middle(self, width: usize) -> Self {
        if self.width <= width || width == 0 {
            return self.clipped(width);
        }
        let units: Vec<_> = self.units().collect();
        let behind = (width - 1) / 2;
        let (mut end, mut from) = (0, units.len());
        while let Some(before) = from.checked_sub(1)
            && let Some(unit) = units.get(before)
            && end + unit.width <= behind
        {
            end += unit.width;
            from = before;
        }
        let mut out = Self::default();
        for unit in &units {
            if out.width + unit.width + 1 + end > width {
                break;
            }
            out.push_unit(*unit);
        }
        out.push(Role::Dim, "…");
        for unit in units.iter().skip(from) {
            out.push_unit(*unit);
        }
        out
    }

    /// Returns the row with a rule from its end up to `width` columns.
    pub fn ruled(mut self, width: usize) -> Self {
        let gap = if self.width > 0 { " " } else { "" };
        if self.width + gap.len() < width {
            self.push(Role::Dim, gap);
            self.push_rule(width - self.width);
        }
        self
    }

    /// Appends a line over so many columns.
    pub fn push_rule(&mut self, columns: usize) {
        self.push_clean(Role::Dim, &"─".repeat(columns));
        self.width += columns;
    }

    /// Appends another row.
    pub fn append(&mut self, other: &Self) {
        for (role, text) in other.pieces() {
            self.push_clean(role, text);
        }
        self.width += other.width;
    }

    fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        self.pieces.iter().flat_map(|piece| {
            let clusters = piece.text.graphemes(true).flat_map(breakable);
            clusters.map(|text| Unit {
                role: piece.role,
                text,
                width: text.cell_width().into(),
            })
        })
    }

    fn push_unit(&mut self, unit: Unit<'_>) {
        self.push_clean(unit.role, unit.text);
        self.width += unit.width;
    }

    fn push_clean(&mut self, role: Role, text: &str) {
        match self.pieces.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => self.pieces.push(Piece {
                role,
                text: text.to_owned(),
            }),
        }
    }
}

#[derive(Clone, Copy)]
struct Unit<'a> {
    role: Role,
    text: &'a str,
    width: usize,
}

/// Columns of the widest character.
const WIDEST: u16 = 2;

/// Returns a grapheme cluster in pieces that fit any row: one wider than a character is broken
/// before each character that takes cells of its own.
fn breakable(cluster: &str) -> impl Iterator<Item = &str> {
    let whole = cluster.cell_width() <= WIDEST;
    let mut rest = cluster;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices().skip(1);
        let next = chars.find(|(_, c)| !whole && c.width() != Some(0));
        let (piece, after) = rest.split_at(next.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns `row` as rows of at most `width` columns; all but the first begin with `hang` blanks.
pub fn wrap(row: &Row, width: usize, hang: usize, breaks: Break) -> Vec<Row> {
    let width = width.max(1);
    if row.width <= width {
        return vec![row.clone()];
    }
    let mut folder = Folder {
        width,
        // A wide character must fit beside it.
        hang: if hang * 2 <= width && hang + 2 <= width {
            hang
        } else {
            0
        },
        breaks,
        rows: Vec::new(),
        line: Vec::new(),
        used: 0,
    };
    for unit in row.units() {
        folder.take(unit);
    }
    folder.finish()
}

/// Returns `row` as rows of at most `width` columns, broken anywhere; one that goes on in the next
/// says so at its end.
pub fn continued(row: &Row, width: usize, hang: usize) -> Vec<Row> {
    if row.width <= width {
        return vec![row.clone()];
    }
    let mut rows = wrap(row, width.saturating_sub(1), hang, Break::Anywhere);
    let last = rows.len().saturating_sub(1);
    for row in rows.iter_mut().take(last) {
        row.push(Role::Dim, "…");
    }
    rows
}

/// Returns the columns that clean text takes.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    text.graphemes(true)
        .map(|grapheme| usize::from(grapheme.cell_width()))
        .sum()
}

struct Folder<'a> {
    width: usize,
    hang: usize,
    breaks: Break,
    rows: Vec<Row>,
    line: Vec<Unit<'a>>,
    used: usize,
}

impl<'a> Folder<'a> {
    fn take(&mut self, unit: Unit<'a>) {
        // Twice at most: what is carried over may leave too little room for a wide one.
        while self.used + unit.width > self.width && !self.line.is_empty() {
            if self.breaks == Break::Words && unit.text == " " {
                self.emit(self.line.len());
                return;
            }
            self.emit(self.break_at());
        }
        if self.line.is_empty() && !self.rows.is_empty() {
            self.used = self.hang;
        }
        self.used += unit.width;
        self.line.push(unit);
    }

    fn break_at(&self) -> usize {
        let blank = self.line.iter().rposition(|unit| unit.text == " ");
        match (self.breaks, blank) {
            (Break::Words, Some(blank)) if self.fits_after(blank + 1) => blank + 1,
            _ => self.line.len(),
        }
    }

    /// Returns true if what comes after a break fits the next row.
    fn fits_after(&self, at: usize) -> bool {
        let carried: usize = self.line.iter().skip(at).map(|unit| unit.width).sum();
        self.hang + carried <= self.width
    }

    fn emit(&mut self, count: usize) {
        let mut row = Row::default();
        if !self.rows.is_empty() {
            row.push(Role::Text, &" ".repeat(self.hang));
        }
        for unit in self.line.drain(..count) {
            row.push_unit(unit);
        }
        self.rows.push(row);
        let rest: usize = self.line.iter().map(|unit| unit.width).sum();
        self.used = self.hang + rest;
    }

    fn finish(mut self) -> Vec<Row> {
        if !self.line.is_empty() {
            self.emit(self.line.len());
        }
        self.rows
    }
}

fn expand_tabs(text: Cow<'_, str>, column: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut at = column;
    for (index, part) in text.split('\t').enumerate() {
        if index > 0 {
            let blanks = TAB - at % TAB;
            out.extend(std::iter::repeat_n(' ', blanks));
            at += blanks;
        }
        out.push_str(part);
        at += width(part);
    }
    Cow::Owned(out)
}

/// Returns the text of each row.
pub fn text_of(rows: &[Row]) -> Vec<String> {
    rows.iter()
        .map(|row| row.pieces().map(|(_, text)| text).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, width: usize, hang: usize, breaks: Break, expected: &[&str]) {
        let rows = wrap(&Row::new(Role::Text, text), width, hang, breaks);
        assert_eq!(text_of(&rows), expected, "{text:?} at {width}");
    }

    #[test]
    fn breaks_at_words_and_hard_where_it_must() {
        check("one two three", 20, 0, Break::Words, &["one two three"]);
        check("one two three", 8, 0, Break::Words, &["one two ", "three"]);
        check("one two three", 7, 0, Break::Words, &["one two", "three"]);
        check("abcdefgh", 3, 0, Break::Words, &["abc", "def", "gh"]);
        check("- one two", 6, 2, Break::Words, &["- one ", "  two"]);
        check("漢字漢字", 5, 0, Break::Words, &["漢字", "漢字"]);
        check("a b c", 2, 0, Break::Anywhere, &["a ", "b ", "c"]);
        check("", 5, 0, Break::Words, &[""]);
    }

    #[test]
    fn expands_tabs_to_stops_across_pieces() {
        let row = Row::new(Role::Text, "ab").with(Role::Dim, "\tc\td");
        assert_eq!(text_of(&[row]), ["ab  c   d"]);
    }

    #[test]
    fn clips_with_an_ellipsis() {
        let clip = |text, width| text_of(&[Row::new(Role::Text, text).clipped(width)]).join("");
        assert_eq!(clip("abcdef", 6), "abcdef");
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("漢字", 3), "漢…");
        assert_eq!(clip("abc", 0), "");
    }

    #[test]
    fn clips_in_the_middle_and_keeps_the_end() {
        for (text, width, expected) in [
            ("abcdef", 6, "abcdef"),
            ("abcdef", 5, "ab…ef"),
            ("abcdef", 4, "ab…f"),
            ("漢字漢字", 6, "漢…字"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
        ] {
            let row = Row::new(Role::Text, text).clipped_in_middle(width);
            assert!(row.width() <= width);
            assert_eq!(text_of(&[row]), [expected], "{text} at {width}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_never_wider_and_lose_nothing(
            text in "[a-c 漢é👩ᄀक\u{94d}\u{301}\u{200d}]{0,60}", width in 2usize..20, hang in 0usize..6,
        ) {
            let row = Row::new(Role::Text, &text);
            let text = sanitize::clean(&text).into_owned();
            let hanging = wrap(&row, width, hang, Break::Words);
            prop_assert!(hanging.iter().all(|row| row.width() <= width));
            let exact = wrap(&row, width, 0, Break::Anywhere);
            prop_assert!(exact.iter().all(|row| row.width() <= width));
            prop_assert_eq!(text_of(&exact).concat(), text);
        }

        #[test]
        fn rows_that_go_on_say_so_within_the_width(
            text in "[a-c 漢é👩ᄀक\u{94d}\u{301}\u{2800}\t]{0,60}", width in 8usize..20,
        ) {
            let rows = continued(&Row::new(Role::Text, &text), width, 2);
            let shown = text_of(&rows);
            prop_assert!(rows.iter().all(|row| row.width() <= width), "{:?}", shown);
            prop_assert!(rows.iter().zip(&shown).all(|(row, text)| row.width() == super::width(text)));
            let (_, others) = shown.split_last().unwrap();
            prop_assert!(others.iter().all(|row| row.ends_with('…')), "{:?}", shown);
        }
    }
}
