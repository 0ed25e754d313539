//! Text buffer of the composer: cursor, motions, edits, undo.
//!
//! In: edits. Out: text, cursor and rows. The cursor is always on a grapheme boundary, and
//! every change is one splice, which keeps rows and undo right in one place.

use std::ops::Range;

use unicode_segmentation::GraphemeCursor;

use super::rows::{self, Rows};
use super::undo::{Change, Undo};
use crate::sanitize;
use signoff_core::word::is_word;

/// What can be done to the text or the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Put in a character.
    Insert(char),
    /// Begin a new line.
    Newline,
    /// Remove the grapheme before the cursor.
    Backspace,
    /// Remove the grapheme after the cursor.
    Delete,
    /// Remove the word before the cursor.
    DeleteWordBefore,
    /// Remove the word after the cursor.
    DeleteWordAfter,
    /// Remove up to the start of the line.
    DeleteToStart,
    /// Remove up to the end of the line.
    DeleteToEnd,
    /// Move by a grapheme.
    Left,
    /// Move by a grapheme.
    Right,
    /// Move by a word.
    WordLeft,
    /// Move by a word.
    WordRight,
    /// Move to the start of the line.
    LineStart,
    /// Move to the end of the line.
    LineEnd,
    /// Move to the row above.
    Up,
    /// Move to the row below.
    Down,
    /// Take back the last change.
    Undo,
}

/// Whether an edit found something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// Text or cursor changed, or could not in this direction.
    Done,
    /// Up in the first row or down in the last one.
    AtEdge,
}

/// Text with a cursor.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    text: String,
    cursor: usize,
    goal: Option<usize>,
    rows: Rows,
    undo: Undo,
}

impl Buffer {
    /// Returns an empty buffer that wraps at `width` columns.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            text: String::new(),
            cursor: 0,
            goal: None,
            rows: Rows::new(width),
            undo: Undo::default(),
        }
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the rows at the present width.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Returns the cursor as row and column.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        let row = self.rows.row_of(self.cursor);
        let start = self.rows.span(&self.text, row).start;
        (row, self.columns(start..self.cursor))
    }

    /// Returns the cursor as a byte offset.
    pub(crate) fn offset(&self) -> usize {
        self.cursor
    }

    /// Returns the bytes of the grapheme before the cursor, and of the one after it.
    pub(crate) fn beside(&self) -> [Range<usize>; 2] {
        let (before, after) = (self.before(self.cursor), self.after(self.cursor));
        [before..self.cursor, self.cursor..after]
    }

    /// Replaces some bytes and puts the cursor behind what was put in.
    pub(crate) fn put(&mut self, range: Range<usize>, text: &str) {
        self.goal = None;
        self.splice(range, text);
    }

    /// Wraps at another width.
    pub(crate) fn set_width(&mut self, width: usize) {
        self.rows.set_width(&self.text, width);
    }

    /// Puts pasted text in at the cursor.
    pub(crate) fn paste(&mut self, text: &str) {
        self.insert(&sanitize::pasted(text));
    }

    /// Replaces everything and puts the cursor at the end.
    pub(crate) fn set(&mut self, text: &str) {
        self.splice(0..self.text.len(), text);
        self.cursor = self.text.len();
    }

    /// Puts the cursor in front of the text.
    pub(crate) fn go_to_start(&mut self) {
        (self.cursor, self.goal) = (0, None);
    }

    /// Returns the text and empties the buffer; that cannot be undone.
    pub(crate) fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        *self = Self::new(self.rows.width());
        text
    }

    /// Does one edit.
    pub(crate) fn edit(&mut self, edit: Edit) -> Moved {
        if !matches!(edit, Edit::Up | Edit::Down) {
            self.goal = None;
        }
        match edit {
            Edit::Insert(c) => self.insert(&sanitize::pasted(c.encode_utf8(&mut [0; 4]))),
            Edit::Newline => self.insert("\n"),
            Edit::Backspace => self.splice(self.before(self.cursor)..self.cursor, ""),
            Edit::Delete => self.splice(self.cursor..self.after(self.cursor), ""),
            Edit::DeleteWordBefore => self.splice(self.word_before()..self.cursor, ""),
            Edit::DeleteWordAfter => self.splice(self.cursor..self.word_after(), ""),
            Edit::DeleteToStart => self.splice(self.to_start(), ""),
            Edit::DeleteToEnd => self.splice(self.to_end(), ""),
            Edit::Left => self.cursor = self.before(self.cursor),
            Edit::Right => self.cursor = self.after(self.cursor),
            Edit::WordLeft => self.cursor = self.word_before(),
            Edit::WordRight => self.cursor = self.word_after(),
            Edit::LineStart => self.cursor = self.line().start,
            Edit::LineEnd => self.cursor = self.line().end,
            Edit::Up => return self.vertical(self.rows.row_of(self.cursor).checked_sub(1)),
            Edit::Down => return self.vertical(Some(self.rows.row_of(self.cursor) + 1)),
            Edit::Undo => self.take_back(),
        }
        Moved::Done
    }

    fn insert(&mut self, text: &str) {
        self.goal = None;
        self.splice(self.cursor..self.cursor, text);
    }

    /// Replaces a range and puts the cursor after what was put in: the only way text changes.
    fn splice(&mut self, range: Range<usize>, text: &str) {
        let Some(removed) = self.replace(range.clone(), text) else {
            return;
        };
        self.undo.record(Change {
            at: range.start,
            removed,
            added: text.to_owned(),
        });
    }

    fn take_back(&mut self) {
        if let Some(change) = self.undo.pop() {
            let range = change.at..change.at + change.added.len();
            self.replace(range, &change.removed);
        }
    }

    fn replace(&mut self, range: Range<usize>, text: &str) -> Option<String> {
        if range.is_empty() && text.is_empty() {
            return None;
        }
        let removed = self.text.get(range.clone())?.to_owned();
        self.text.replace_range(range.clone(), text);
        self.rows
            .splice(&self.text, range.start, removed.len(), text.len());
        self.cursor = self.settle(range.start + text.len());
        Some(removed)
    }

    /// Returns the nearest boundary at or after `at`: an edit may join what stood around it.
    fn settle(&self, at: usize) -> usize {
        let mut cursor = GraphemeCursor::new(at, self.text.len(), true);
        match cursor.is_boundary(&self.text, 0) {
            Ok(false) => self.after(at),
            _ => at,
        }
    }

    fn before(&self, at: usize) -> usize {
        GraphemeCursor::new(at, self.text.len(), true)
            .prev_boundary(&self.text, 0)
            .ok()
            .flatten()
            .unwrap_or(0)
    }

    fn after(&self, at: usize) -> usize {
        GraphemeCursor::new(at, self.text.len(), true)
            .next_boundary(&self.text, 0)
            .ok()
            .flatten()
            .unwrap_or(self.text.len())
    }

    fn word_before(&self) -> usize {
        let head = self.text.get(..self.cursor).unwrap_or_default();
        let trimmed = head.trim_end_matches(|c| !is_word(c));
        let rest = trimmed.trim_end_matches(is_word);
        self.settle(rest.len()).min(self.cursor)
    }

    fn word_after(&self) -> usize {
        let tail = self.text.get(self.cursor..).unwrap_or_default();
        let rest = tail
            .trim_start_matches(|c| !is_word(c))
            .trim_start_matches(is_word);
        self.settle(self.text.len() - rest.len())
    }

    /// Returns the bytes of the line that the cursor is in, without its ending.
    fn line(&self) -> Range<usize> {
        let (head, tail) = self
            .text
            .split_at_checked(self.cursor)
            .unwrap_or((&self.text, ""));
        let start = head.rfind('\n').map_or(0, |at| at + 1);
        let end = tail
            .find('\n')
            .map_or(self.text.len(), |at| self.cursor + at);
        start..end
    }

    /// Returns what lies before the cursor in its line, or the line ending before that.
    fn to_start(&self) -> Range<usize> {
        let start = self.line().start;
        if start == self.cursor {
            self.before(self.cursor)..self.cursor
        } else {
            start..self.cursor
        }
    }

    /// Returns what lies after the cursor in its line, or the line ending after that.
    fn to_end(&self) -> Range<usize> {
        let end = self.line().end;
        if end == self.cursor {
            self.cursor..self.after(self.cursor)
        } else {
            self.cursor..end
        }
    }

    fn vertical(&mut self, row: Option<usize>) -> Moved {
        let Some(row) = row.filter(|row| *row < self.rows.count()) else {
            return Moved::AtEdge;
        };
        let goal = self.goal.unwrap_or_else(|| self.cursor().1);
        self.goal = Some(goal);
        self.cursor = self.at_column(row, goal);
        Moved::Done
    }

    fn at_column(&self, row: usize, column: usize) -> usize {
        let span = self.rows.span(&self.text, row);
        let wraps =
            row + 1 < self.rows.count() && self.text.as_bytes().get(span.end) != Some(&b'\n');
        let mut at = span.start;
        let mut used = 0;
        while at < span.end
            && let Some(grapheme) = rows::grapheme_at(&self.text, at)
        {
            let next = at + grapheme.len();
            used += rows::columns(grapheme);
            // The end of a wrapped row is the start of the next one.
            if used > column || (wraps && next >= span.end) {
                break;
            }
            at = next;
        }
        at
    }

    fn columns(&self, range: Range<usize>) -> usize {
        let mut at = range.start;
        let mut used = 0;
        while at < range.end
            && let Some(grapheme) = rows::grapheme_at(&self.text, at)
        {
            used += rows::columns(grapheme);
            at += grapheme.len();
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Types `text` with `|` marking the cursor, does the edits, and compares likewise.
    fn check(text: &str, edits: &[Edit], expected: &str) {
        let mut buffer = Buffer::new(10);
        let (before, after) = text.split_once('|').unwrap();
        buffer.paste(before);
        let cursor = buffer.cursor;
        buffer.paste(after);
        buffer.cursor = cursor;
        for edit in edits {
            buffer.edit(*edit);
        }
        let mut shown = buffer.text.clone();
        shown.insert(buffer.cursor, '|');
        assert_eq!(shown, expected, "{text:?} after {edits:?}");
    }

    #[test]
    fn edits_by_grapheme_word_and_line() {
        check("ab|c", &[Edit::Insert('x')], "abx|c");
        check("ae\u{301}|", &[Edit::Backspace], "a|");
        check("|👩\u{200d}💻x", &[Edit::Delete], "|x");
        check("|👩\u{200d}💻x", &[Edit::Right], "👩\u{200d}💻|x");
        check("one two|", &[Edit::DeleteWordBefore], "one |");
        check("one, |two", &[Edit::DeleteWordBefore], "|two");
        check("|one two", &[Edit::DeleteWordAfter], "| two");
        check("one| two", &[Edit::WordRight], "one two|");
        check("one two|", &[Edit::WordLeft, Edit::WordLeft], "|one two");
        check("a\nbc|d\ne", &[Edit::DeleteToStart], "a\n|d\ne");
        check("a\n|bcd", &[Edit::DeleteToStart], "a|bcd");
        check("a\nb|cd\ne", &[Edit::DeleteToEnd], "a\nb|\ne");
        check("a|\nb", &[Edit::DeleteToEnd], "a|b");
        check("a\nbc|d\ne", &[Edit::LineStart], "a\n|bcd\ne");
        check("a\nb|cd\ne", &[Edit::LineEnd], "a\nbcd|\ne");
        check("a|b", &[Edit::Newline], "a\n|b");
    }

    #[test]
    fn moves_between_rows_and_keeps_the_column() {
        check(
            "abcdef\nab\nabcd|ef",
            &[Edit::Up, Edit::Up],
            "abcd|ef\nab\nabcdef",
        );
        check(
            "abcd|ef\nab\nabcdef",
            &[Edit::Down, Edit::Down],
            "abcdef\nab\nabcd|ef",
        );
        check("0123456789abc|", &[Edit::Up], "012|3456789abc");
        let mut buffer = Buffer::new(10);
        assert_eq!(buffer.edit(Edit::Up), Moved::AtEdge);
        assert_eq!(buffer.edit(Edit::Down), Moved::AtEdge);
    }

    #[test]
    fn undo_takes_back_words_and_pastes() {
        let mut buffer = Buffer::new(10);
        for c in "one two".chars() {
            buffer.edit(Edit::Insert(c));
        }
        buffer.paste("\nlong\npaste");
        buffer.edit(Edit::Undo);
        assert_eq!(buffer.text(), "one two");
        buffer.edit(Edit::Undo);
        assert_eq!(buffer.text(), "one ");
        for _ in 0..5 {
            buffer.edit(Edit::Undo);
        }
        assert_eq!(buffer.text(), "");
    }

    #[test]
    fn counts_rows_as_text_grows_and_shrinks() {
        let mut buffer = Buffer::new(10);
        let mut count = |edits: &[Edit]| {
            for edit in edits {
                buffer.edit(*edit);
            }
            buffer.rows().count()
        };
        assert_eq!(count(&[Edit::Insert('a')]), 1);
        assert_eq!(count(&[Edit::Insert('b'); 9]), 1);
        assert_eq!(count(&[Edit::Insert('c')]), 2);
        assert_eq!(count(&[Edit::Backspace]), 1);
        assert_eq!(count(&[Edit::Newline; 12]), 13);
        assert_eq!(count(&[Edit::Backspace; 12]), 1);
    }

    fn edits() -> impl Strategy<Value = Edit> {
        use Edit::*;
        prop_oneof![
            prop::char::any().prop_map(Insert),
            prop::sample::select(
                "ab \t漢é\u{301}\u{200d}👩\u{1f1e6}"
                    .chars()
                    .collect::<Vec<_>>()
            )
            .prop_map(Insert),
            prop::sample::select(vec![
                Newline,
                Backspace,
                Delete,
                DeleteWordBefore,
                DeleteWordAfter,
                DeleteToStart,
                DeleteToEnd,
                Left,
                Right,
                WordLeft,
                WordRight,
                LineStart,
                LineEnd,
                Up,
                Down,
                Undo,
            ]),
        ]
    }

    proptest! {
        #[test]
        fn the_cursor_is_always_on_a_boundary(
            width in 1usize..12, edits in prop::collection::vec(edits(), 0..60),
        ) {
            let mut buffer = Buffer::new(width);
            for edit in edits {
                buffer.edit(edit);
                let mut cursor = GraphemeCursor::new(buffer.cursor, buffer.text.len(), true);
                prop_assert_eq!(cursor.is_boundary(&buffer.text, 0), Ok(true));
                prop_assert!(buffer.cursor().0 < buffer.rows().count());
                let mut fresh = Rows::new(width + 1);
                fresh.set_width(&buffer.text, width);
                prop_assert_eq!(buffer.rows(), &fresh);
            }
        }
    }
}
