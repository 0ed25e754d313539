//! Wrapped rows of the composer, updated with each edit.
//!
//! In: a text and the places where it changed. Out: the byte offsets at which rows begin. An
//! edit costs the rows around it, not the text, so that a long paste stays quick to edit.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use super::fold;
use crate::sanitize;

/// How many rows before an edit are laid out again. A row's end depends on the grapheme that
/// did not fit, and that one may be a row further on when it is wide.
const LOOK_BACK: usize = 3;

/// The rows of a text at one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    width: usize,
    starts: Vec<usize>,
}

impl Rows {
    /// Returns the one row of an empty text.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width: width.max(1),
            starts: vec![0],
        }
    }

    /// Returns how many rows there are; at least one.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the width that the rows were made for.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Lays the whole text out for another width.
    pub(crate) fn set_width(&mut self, text: &str, width: usize) {
        let width = width.max(1);
        if width != self.width {
            *self = Self::new(width);
            self.lay_out(text, 0, None);
        }
    }

    /// Takes over that `removed` bytes at `at` were replaced by `added` bytes, giving `text`.
    pub(crate) fn splice(&mut self, text: &str, at: usize, removed: usize, added: usize) {
        let first = self.restart(text, at);
        let old_end = at + removed;
        let next = self.starts.partition_point(|start| *start <= old_end);
        let mut kept = self.starts.split_off(next);
        for start in &mut kept {
            *start = *start - removed + added;
        }
        self.starts.truncate(first + 1);
        self.lay_out(text, at + added, Some(kept));
    }

    /// Returns the row that `offset` is in.
    pub(crate) fn row_of(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// Returns the bytes of a row, without the line ending.
    pub(crate) fn span(&self, text: &str, row: usize) -> Range<usize> {
        let start = self.starts.get(row).copied().unwrap_or(text.len());
        let end = self.starts.get(row + 1).copied().unwrap_or(text.len());
        let ends_line = end > start && text.as_bytes().get(end - 1) == Some(&b'\n');
        start..if ends_line { end - 1 } else { end }
    }

    /// Returns the row to lay out from when something changes at `at`.
    fn restart(&self, text: &str, at: usize) -> usize {
        let mut row = self.row_of(at);
        for _ in 0..LOOK_BACK {
            let begins_line = self
                .starts
                .get(row)
                .and_then(|start| start.checked_sub(1))
                .is_none_or(|before| text.as_bytes().get(before) == Some(&b'\n'));
            if begins_line {
                break;
            }
            row -= 1;
        }
        row
    }

    /// Appends rows after the last known start, until the text ends or, past `settled`, a start
    /// in `kept` is met again; what follows that one cannot have changed.
    fn lay_out(&mut self, text: &str, settled: usize, kept: Option<Vec<usize>>) {
        let kept = kept.unwrap_or_default();
        let mut at = self.starts.last().copied().unwrap_or(0);
        let mut candidate = 0;
        while let Some(next) = next_start(text, at, self.width) {
            at = next;
            if at >= settled {
                while kept.get(candidate).is_some_and(|start| *start < at) {
                    candidate += 1;
                }
                if kept.get(candidate) == Some(&at) {
                    self.starts
                        .extend(kept.get(candidate..).unwrap_or_default());
                    return;
                }
            }
            self.starts.push(at);
        }
    }
}

/// Returns a grapheme as it is shown; tabs as blanks, since a row may begin anywhere, and the wide
/// blank of CJK keyboards as two.
pub(crate) fn visible(grapheme: &str) -> Cow<'_, str> {
    match grapheme {
        "\t" => Cow::Borrowed("    "),
        "\u{3000}" => Cow::Borrowed("  "),
        _ => match fold::label(grapheme) {
            Some(label) => Cow::Owned(label),
            None => sanitize::clean(grapheme),
        },
    }
}

/// Returns the columns that a grapheme takes when shown.
pub(crate) fn columns(grapheme: &str) -> usize {
    match grapheme.as_bytes() {
        [b' '..=b'~'] => 1,
        _ => crate::wrap::width(&visible(grapheme)),
    }
}

/// Returns the grapheme at `at`; ASCII text needs no look at the tables.
pub(crate) fn grapheme_at(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    match rest.as_bytes() {
        [b'\n', ..] | [b' '..=b'~'] | [b' '..=b'~', 0..=0x7f, ..] => rest.get(..1),
        _ => rest.graphemes(true).next(),
    }
}

/// Returns where the row after the one that begins at `start` begins.
fn next_start(text: &str, start: usize, width: usize) -> Option<usize> {
    let mut at = start;
    let mut used = 0;
    let mut blank = None;
    while let Some(grapheme) = grapheme_at(text, at) {
        if grapheme == "\n" {
            return Some(at + 1);
        }
        let wide = columns(grapheme);
        if used + wide > width && at > start {
            return if grapheme == " " {
                after_hanging_blank(text, at + 1)
            } else {
                blank.or(Some(at))
            };
        }
        used += wide;
        at += grapheme.len();
        if matches!(grapheme, " " | "\t") {
            blank = Some(at);
        }
    }
    None
}

/// A blank may stand one column past the width, so that no row begins with it.
fn after_hanging_blank(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at) {
        None => None,
        Some(b'\n') => Some(at + 1),
        Some(_) => Some(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str, width: usize) -> Rows {
        let mut rows = Rows::new(width);
        rows.lay_out(text, 0, None);
        rows
    }

    fn check(text: &str, width: usize, expected: &[&str]) {
        let rows = rows(text, width);
        let shown: Vec<_> = (0..rows.count())
            .map(|row| &text[rows.span(text, row)])
            .collect();
        assert_eq!(shown, expected, "{text:?} at {width}");
    }

    #[test]
    fn breaks_rows() {
        check("", 4, &[""]);
        check("a", 4, &["a"]);
        check("abcd", 4, &["abcd"]);
        check("abcde", 4, &["abcd", "e"]);
        check("ab cd", 4, &["ab ", "cd"]);
        check("abcd ef", 4, &["abcd ", "ef"]);
        check("abcd ", 4, &["abcd "]);
        check("abcd \nef", 4, &["abcd ", "ef"]);
        check("a\n", 4, &["a", ""]);
        check("\n\n", 4, &["", "", ""]);
        check("漢字漢", 4, &["漢字", "漢"]);
        check("a漢字", 4, &["a漢", "字"]);
        check("\t\tx", 8, &["\t\t", "x"]);
        check("\u{202e}x", 4, &["\u{202e}", "x"]);
    }

    #[derive(Clone, Debug)]
    struct Splice(prop::sample::Index, prop::sample::Index, String);

    fn splices() -> impl Strategy<Value = Vec<Splice>> {
        let text = "[ab \n\t漢é👩\u{1f1e6}\u{1f1e7}\u{301}\u{200d}\u{202e}]{0,12}";
        prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                any::<prop::sample::Index>(),
                text,
            )
                .prop_map(|(a, b, text)| Splice(a, b, text)),
            1..12,
        )
    }

    proptest! {
        #[test]
        fn an_edit_gives_the_same_rows_as_laying_all_out(width in 1usize..14, edits in splices()) {
            let mut text = String::new();
            let mut kept = Rows::new(width);
            for Splice(a, b, new) in edits {
                let bounds: Vec<usize> =
                    text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                let (a, b) = (*a.get(&bounds), *b.get(&bounds));
                let (start, end) = (a.min(b), a.max(b));
                text.replace_range(start..end, &new);
                kept.splice(&text, start, end - start, new.len());
                prop_assert_eq!(&kept, &rows(&text, width), "{:?}", text);
            }
        }

        #[test]
        fn no_row_is_wider_than_the_width(text in "[a-d \n漢é]{0,60}", width in 2usize..12) {
            let rows = rows(&text, width);
            for row in 0..rows.count() {
                let shown = &text[rows.span(&text, row)];
                let fits = shown.strip_suffix(' ').unwrap_or(shown);
                prop_assert!(crate::wrap::width(fits) <= width);
            }
        }
    }
}
