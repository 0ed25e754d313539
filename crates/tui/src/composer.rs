//! Composer: the input field, its history and slash commands.
//!
//! In: edits and pastes. Out: rows to draw, where the cursor is, and finished prompts.

pub(crate) mod buffer;
mod fold;
pub(crate) mod pasted_image;
pub(crate) mod menu;
mod rows;
mod search;
mod undo;

use std::borrow::Cow;

use signoff_llm::mention;

pub(crate) use buffer::Edit;
use buffer::{Buffer, Moved};
use fold::Folds;
use menu::{Menu, MenuKind};
use search::Search;

use crate::composer::pasted_image::PastedImage;
use crate::sanitize;
use crate::theme::Role;
use crate::wrap::Row;

/// The most rows that the composer takes.
pub(crate) const MAX_ROWS: usize = 10;

/// What is being typed, and what was typed before.
#[derive(Debug)]
pub(crate) struct Composer {
    buffer: Buffer,
    past: Vec<String>,
    /// How many of the past were handed over to be kept.
    kept: usize,
    recalled: Option<Recalled>,
    folds: Folds,
    /// What the text at the cursor can be completed to.
    menu: Option<Menu>,
    /// While the text is what earlier prompts are searched for.
    search: Option<Search>,
    /// The first row that is shown, and how many there is room for.
    top: usize,
    room: usize,
}

/// Which earlier prompt is shown, and what stood there before.
#[derive(Debug)]
struct Recalled {
    index: usize,
    draft: String,
}

/// The rows of the composer that are on the screen.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The rows, top first.
    pub(crate) rows: Vec<Row>,
    /// Row and column of the cursor among them.
    pub(crate) cursor: (usize, usize),
    /// Rows above the first one shown.
    pub(crate) above: usize,
    /// Rows below the last one shown.
    pub(crate) below: usize,
}

impl Default for Composer {
    fn default() -> Self {
        Self {
            buffer: Buffer::new(80),
            past: Vec::new(),
            kept: 0,
            recalled: None,
            folds: Folds::default(),
            menu: None,
            search: None,
            top: 0,
            room: 1,
        }
    }
}

impl Composer {
    /// Returns the text as typed, with all of what was pasted.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        self.folds.expand(self.buffer.text())
    }

    /// Returns the text up to the cursor and behind it, with long pastes folded.
    pub(crate) fn around_cursor(&self) -> (&str, &str) {
        let text = self.buffer.text();
        text.split_at_checked(self.buffer.offset())
            .unwrap_or((text, ""))
    }

    /// Returns the text that is to be there after a restart.
    pub(crate) fn draft(&self) -> Cow<'_, str> {
        let text = match &self.search {
            Some(search) => search.draft(),
            None => self.buffer.text(),
        };
        self.folds.expand(text)
    }

    /// Returns true if nothing is typed.
    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.text().is_empty()
    }

    /// Does one edit; at the first and last row, up and down go through earlier prompts.
    pub(crate) fn edit(&mut self, edit: Edit) {
        let shown = self.menu.take();
        let shown = shown.filter(|menu| menu.kind == MenuKind::Mentions);
        self.menu = shown.map(Menu::stale);
        let moved = self.buffer.edit(edit);
        match (moved, edit) {
            (Moved::AtEdge, Edit::Up) => self.recall_older(),
            (Moved::AtEdge, Edit::Down) => self.recall_newer(),
            _ => {}
        }
    }

    /// Puts pasted text in.
    pub(crate) fn paste(&mut self, text: &str) {
        self.menu = None;
        self.buffer.paste(text);
    }

    /// Puts pasted text in, a long one folded.
    pub(crate) fn paste_folded(&mut self, text: &str) {
        self.menu = None;
        if self.search.is_some() {
            self.buffer.paste(&text.replace(['\n', '\r'], " "));
            return;
        }
        let fold = self.folds.fold(text);
        self.buffer.paste(&fold);
    }

    /// Puts an image in whose path was pasted.
    pub(crate) fn paste_image(&mut self, image: &PastedImage) {
        if self.search.is_some() {
            return self.paste_folded(&image.text);
        }
        self.menu = None;
        let mention = mention::of(&image.path);
        let fold = self.folds.image(&image.name, image.bytes, mention);
        let head = self.around_cursor().0;
        let is_apart = head.is_empty() || head.ends_with(char::is_whitespace);
        let before = if is_apart { "" } else { " " };
        self.buffer.paste(&format!("{before}{fold}"));
    }

    /// Returns what the user typed, and the images whose paths were pasted; without long pastes.
    pub(crate) fn typed_text(&self) -> String {
        self.folds.without_pastes(self.buffer.text())
    }

    /// Returns the long pastes in it, each with what stands in for it.
    pub(crate) fn pastes(&self) -> Vec<(String, String)> {
        self.folds.pastes(self.buffer.text())
    }

    /// Opens a folded paste beside the cursor; false if there is none.
    pub(crate) fn unfold(&mut self) -> bool {
        for span in self.buffer.beside() {
            let grapheme = self.buffer.text().get(span.clone()).unwrap_or_default();
            if fold::label(grapheme).is_some()
                && let Cow::Owned(paste) = self.folds.expand(grapheme)
            {
                self.buffer.put(span, &paste);
                return true;
            }
        }
        false
    }

    /// Replaces what is typed.
    pub(crate) fn set(&mut self, text: &str) {
        self.menu = None;
        self.search = None;
        self.buffer.set(text);
    }

    /// Replaces what is typed with a text from outside, which Undo takes back.
    pub(crate) fn replace(&mut self, text: &str) {
        self.set(&sanitize::pasted(text));
    }

    /// Returns the menu above the input.
    pub(crate) fn menu(&self) -> Option<&Menu> {
        self.menu.as_ref()
    }

    /// Returns the same, to be moved in.
    pub(crate) fn menu_mut(&mut self) -> Option<&mut Menu> {
        self.menu.as_mut()
    }

    /// Opens a menu, or closes it.
    pub(crate) fn offer(&mut self, menu: Option<Menu>) {
        self.menu = menu;
    }

    /// Puts a text in the place of what the menu is about, and closes it.
    pub(crate) fn complete(&mut self, text: &str) {
        if let Some(menu) = self.menu.take() {
            self.buffer.put(menu.span, text);
        }
    }

    /// Returns what was typed, keeps it for recall, and empties the composer.
    pub(crate) fn take(&mut self) -> String {
        let text = self.buffer.take();
        let text = self.folds.expand(&text).into_owned();
        self.folds = Folds::default();
        self.menu = None;
        self.search = None;
        self.top = 0;
        self.recalled = None;
        self.note(&text);
        text
    }

    /// Takes note of a text that was sent, for recall.
    pub(crate) fn note(&mut self, text: &str) {
        if !text.trim().is_empty() && self.past.last().is_none_or(|last| last != text) {
            self.past.push(text.to_owned());
        }
    }

    /// Puts texts of earlier runs before those of this one.
    pub(crate) fn remember(&mut self, earlier: Vec<String>) {
        if let Some(recalled) = &mut self.recalled {
            recalled.index += earlier.len();
        }
        self.kept += earlier.len();
        self.past.splice(0..0, earlier);
    }

    /// Returns the texts that were sent since the last call.
    pub(crate) fn take_new(&mut self) -> Vec<String> {
        let new = self.past.get(self.kept..).unwrap_or_default().to_vec();
        self.kept = self.past.len();
        new
    }

    /// Returns the rows that the text needs at `width` columns, from 1 to [`MAX_ROWS`].
    pub(crate) fn height(&mut self, width: usize) -> usize {
        self.whole_height(width).min(MAX_ROWS)
    }

    /// Returns how many rows all of the text takes.
    pub(crate) fn whole_height(&mut self, width: usize) -> usize {
        self.buffer.set_width(width);
        self.buffer.rows().count().max(1)
    }

    /// Puts the cursor in front of the text.
    pub(crate) fn go_to_start(&mut self) {
        self.buffer.go_to_start();
    }

    /// Decides which rows are shown in `height` rows of `width` columns: the cursor is among them.
    pub(crate) fn lay_out(&mut self, width: usize, height: usize) {
        self.buffer.set_width(width);
        self.room = height.max(1);
        let count = self.buffer.rows().count();
        let (row, _) = self.buffer.cursor();
        self.top = self
            .top
            .min(row)
            .max((row + 1).saturating_sub(self.room))
            .min(count.saturating_sub(self.room));
    }

    /// Returns the rows that were decided on.
    pub(crate) fn shown(&self) -> Shown {
        let rows = self.buffer.rows();
        let (row, column) = self.buffer.cursor();
        let end = (self.top + self.room).min(rows.count());
        Shown {
            rows: (self.top..end).map(|row| self.row(row)).collect(),
            cursor: (row.saturating_sub(self.top), column.min(rows.width())),
            above: self.top,
            below: rows.count() - end,
        }
    }

    fn row(&self, row: usize) -> Row {
        let text = self.buffer.text();
        let span = self.buffer.rows().span(text, row);
        let mut out = Row::default();
        let mut at = span.start;
        // Wider than any screen: a single row may hold any number of zero-width marks.
        let limit = span.end.min(span.start + 16 * 1024);
        let mut shown = String::new();
        while at < limit
            && let Some(grapheme) = rows::grapheme_at(text, at)
        {
            shown.push_str(&rows::visible(grapheme));
            at += grapheme.len();
        }
        out.push(Role::Text, &shown);
        out
    }

    fn recall_older(&mut self) {
        let index = match &self.recalled {
            Some(recalled) => recalled.index.checked_sub(1),
            None => self.past.len().checked_sub(1),
        };
        let Some(index) = index else { return };
        match &mut self.recalled {
            Some(recalled) => recalled.index = index,
            None => {
                self.recalled = Some(Recalled {
                    index,
                    draft: self.buffer.text().to_owned(),
                });
            }
        }
        self.show_recalled();
    }

    fn recall_newer(&mut self) {
        let Some(recalled) = &mut self.recalled else {
            return;
        };
        recalled.index += 1;
        if recalled.index < self.past.len() {
            self.show_recalled();
        } else if let Some(recalled) = self.recalled.take() {
            self.buffer.set(&recalled.draft);
        }
    }

    fn show_recalled(&mut self) {
        let text = self
            .recalled
            .as_ref()
            .and_then(|recalled| self.past.get(recalled.index));
        if let Some(text) = text {
            self.buffer.set(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    fn typed(text: &str) -> Composer {
        let mut composer = Composer::default();
        composer.paste(text);
        composer
    }

    fn shown(composer: &mut Composer, width: usize, height: usize) -> Shown {
        composer.lay_out(width, height);
        composer.shown()
    }

    #[test]
    fn grows_to_ten_rows_and_shrinks_back() {
        let check = |text: &str, width: usize, expected: usize| {
            assert_eq!(typed(text).height(width), expected, "{text:?} at {width}");
        };
        check("", 20, 1);
        check("a", 20, 1);
        check(&"a".repeat(20), 20, 1);
        check(&"a".repeat(21), 20, 2);
        check("a\nb\nc", 20, 3);
        check(&"x\n".repeat(50), 20, 10);
        check(&"漢".repeat(11), 20, 2);
        let mut composer = typed(&"a".repeat(21));
        assert_eq!(composer.height(20), 2);
        composer.edit(Edit::Backspace);
        assert_eq!(composer.height(20), 1);
        assert_eq!(composer.height(10), 2, "a resize counts again");
    }

    #[test]
    fn scrolls_inside_and_keeps_the_cursor_visible() {
        let lines: Vec<_> = (1..=15).map(|n| n.to_string()).collect();
        let mut composer = typed(&lines.join("\n"));
        let shown = shown(&mut composer, 20, 10);
        assert_eq!(text_of(&shown.rows), &lines[5..]);
        assert_eq!((shown.cursor, shown.above, shown.below), ((9, 2), 5, 0));
        for _ in 0..12 {
            composer.edit(Edit::Up);
        }
        let shown = self::shown(&mut composer, 20, 10);
        assert_eq!((shown.cursor, shown.above, shown.below), ((0, 1), 2, 3));
    }

    #[test]
    fn recalls_earlier_prompts_and_gives_the_draft_back() {
        let mut composer = Composer::default();
        for prompt in ["first", "second"] {
            composer.paste(prompt);
            composer.take();
        }
        composer.paste("draft");
        let mut after = |edit| {
            composer.edit(edit);
            composer.text().into_owned()
        };
        assert_eq!(after(Edit::Up), "second");
        assert_eq!(after(Edit::Up), "first");
        assert_eq!(after(Edit::Up), "first");
        assert_eq!(after(Edit::Down), "second");
        assert_eq!(after(Edit::Down), "draft");
        assert_eq!(after(Edit::Down), "draft");
    }

    #[test]
    fn recalls_what_was_sent_in_earlier_runs() {
        let mut composer = typed("mine");
        composer.take();
        composer.remember(vec!["old".to_owned(), "older run".to_owned()]);
        assert_eq!(composer.take_new(), ["mine"]);
        assert!(composer.take_new().is_empty());
        for expected in ["mine", "older run", "old"] {
            composer.edit(Edit::Up);
            assert_eq!(composer.text(), expected);
        }
    }

    #[test]
    fn shows_what_was_pasted_harmlessly() {
        let mut composer = typed("a\tb\x1b[31m\u{202e}");
        let shown = shown(&mut composer, 40, 1);
        assert_eq!(text_of(&shown.rows), ["a    b␛[31m\\u{202e}"]);
    }
}
