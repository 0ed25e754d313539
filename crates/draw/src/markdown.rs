//! Markdown of a text that grows, as rows of the screen.
//!
//! In: a model's text as it streams in, and a width. Out: rows. The text is taken in pieces: blocks of the first level,
//! items of a list and lines of a fence. What stands before the last piece cannot change any more, so only the last
//! one is parsed and laid out again.
//!
//! ```text
//! # Title            a piece: done once the next one begins
//! - one              a piece
//! - two **and        the last piece: laid out again with each word
//! ```
//!
//! Nothing is hidden: addresses of links, HTML and definitions of references are shown.
//!
//! `markdown` parses a text that streams in with pulldown-cmark, in pieces: blocks, items of a list, lines of a
//! fence. Only the last piece is parsed again. Where a link leads, HTML and definitions are shown. `snippet` finds
//! the colours of a block of code once it is finished, on a thread of its own.

mod pieces;
mod render;
mod said;
mod table;
mod typography;

use std::ops::Range;

use signoff_source::syntax::tokens::Token;
use signoff_source::text::LineKind;

pub use self::said::said;
use crate::theme::Role;
use crate::wrap::{Break, Row};
use pieces::Fence;

/// A piece of more bytes is finished at a line, so that a list item or a table without end does not make every frame
/// slower than the one before: 32 KiB are parsed and laid out in 2 ms.
const LONG_PIECE: usize = 32 * 1024;

/// An unfinished line longer than this is finished at a blank, so that a model that never breaks a line does not make
/// every frame slower than the one before.
pub const LONG_LINE: usize = 4096;

/// A paragraph of more plain lines than the first number is finished up to the last ones, of the second number: a terminal's
/// scrollback takes rows only once they are finished. The lines that are kept become a heading if a line of `=` or `-`
/// follows; headings of more lines than these are rare.
const PLAIN_LINES: (usize, usize) = (8, 4);

/// What of a growing text is laid out for good.
#[derive(Debug)]
pub struct MarkdownLayout {
    width: usize,
    /// How many bytes of the text are.
    done: usize,
    fence: Option<OpenFence>,
    code: Vec<CodeBlock>,
}

/// A block of code between fences of the first level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// What stands behind the opening fence.
    pub info: String,
    /// Where the code is in the text.
    pub source: Range<usize>,
    /// Which rows show it.
    pub rows: Range<usize>,
    /// Its fences.
    fence: Fence,
}

impl CodeBlock {
    /// Returns the lines of the code, without the blanks in front of its fences.
    pub fn lines<'a>(&self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let code = text.get(self.source.clone()).unwrap_or_default();
        let fence = self.fence;
        code.split_inclusive('\n')
            .map(move |line| fence.without_indent(line))
    }

    /// Returns the rows of the code with the tokens of its lines.
    pub fn coloured(&self, text: &str, lines: &[Vec<Token>], width: usize) -> Vec<Row> {
        let lines = self.lines(text).zip(lines);
        let rows = lines.flat_map(|(line, tokens)| coloured_rows(line, tokens, width));
        rows.collect()
    }
}

#[derive(Debug)]
struct OpenFence {
    fence: Fence,
    info: String,
    source: usize,
    rows: usize,
}

impl MarkdownLayout {
    /// Returns the layout of an empty text.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            done: 0,
            fence: None,
            code: Vec::new(),
        }
    }

    /// Returns the blocks of code that are finished.
    pub fn code(&self) -> &[CodeBlock] {
        &self.code
    }

    /// Returns how many bytes of the text are laid out for good.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Returns of a block of code that has no end yet what stands behind its fence, its first row, and where its code
    /// begins in the text.
    pub fn open_code(&self) -> Option<(&str, usize, usize)> {
        let open = self.fence.as_ref()?;
        Some((&open.info, open.rows, open.source))
    }

    /// Appends the rows of what came since the last call, and returns how many are there for good.
    pub fn extend(&mut self, text: &str, rows: &mut Vec<Row>) -> usize {
        let complete = text.rfind('\n').map_or(0, |at| at + 1);
        loop {
            self.fenced_lines(text, complete, rows);
            if self.fence.is_some() || !self.finish_pieces(text, complete, rows) {
                break;
            }
        }
        self.finish_plain_lines(text, complete, rows);
        self.finish_long_line(text, complete, rows);
        let fixed = rows.len();
        self.show_last(text, rows);
        fixed
    }

    /// Lays out what cannot change any more; true if a fence ended in the last piece, and there is more.
    fn finish_pieces(&mut self, text: &str, complete: usize, rows: &mut Vec<Row>) -> bool {
        let starts = pieces::starts(text, self.done..complete);
        let ends = starts.iter().skip(1).copied().chain([complete]);
        for (start, end) in starts.iter().copied().zip(ends) {
            if start < self.done {
                // A fence went on for longer than the parser says.
                continue;
            }
            if let Some((fence, info)) = pieces::opening_fence(text, start) {
                self.open(text, (start, fence, info), rows);
                self.fenced_lines(text, complete, rows);
                continue;
            }
            while end - self.done > LONG_PIECE
                && let Some(cut) = pieces::line_end_before(text, self.done, LONG_PIECE)
            {
                self.finish(text, cut, rows);
            }
            if end < complete {
                self.finish(text, end, rows);
            }
        }
        let last = starts.last().copied().unwrap_or(complete);
        self.fence.is_none() && self.done > last && self.done < complete
    }

    fn finish(&mut self, text: &str, end: usize, rows: &mut Vec<Row>) {
        render::render(text, self.done..end, self.width, rows);
        self.done = end;
    }

    /// Opens a fence, with what is before it in its piece.
    fn open(&mut self, text: &str, opening: (usize, Fence, String), rows: &mut Vec<Row>) {
        let (start, fence, info) = opening;
        if start > self.done {
            self.finish(text, start, rows);
        }
        let is_below_text = rows.last().is_some_and(|row| row.width() > 0);
        if is_below_text && pieces::is_after_blank(text, start) {
            rows.push(Row::default());
        }
        if !info.is_empty() {
            rows.extend(language_rows(&info, self.width));
        }
        self.done = pieces::line_end(text, start);
        self.fence = Some(OpenFence {
            fence,
            info,
            source: self.done,
            rows: rows.len(),
        });
    }

    /// Lays out complete lines of a fence, up to the one that closes it.
    fn fenced_lines(&mut self, text: &str, complete: usize, rows: &mut Vec<Row>) {
        while self.done < complete
            && let Some(open) = &self.fence
        {
            let end = pieces::line_end(text, self.done);
            let line = text.get(self.done..end).unwrap_or_default();
            if open.fence.is_closed_by(line) {
                let source = open.source..self.done;
                self.code.push(CodeBlock {
                    info: open.info.clone(),
                    source,
                    rows: open.rows..rows.len(),
                    fence: open.fence,
                });
                self.fence = None;
            } else {
                rows.extend(code_rows(open.fence.without_indent(line), self.width));
            }
            self.done = end;
        }
    }

    /// Lays out the first lines of a paragraph that goes on, where each line is the same alone.
    fn finish_plain_lines(&mut self, text: &str, complete: usize, rows: &mut Vec<Row>) {
        if self.fence.is_some() {
            return;
        }
        let (most, kept) = PLAIN_LINES;
        let piece = text.get(self.done..complete).unwrap_or_default();
        let count = piece.lines().count();
        let Some(finished) = (count > most).then(|| count - kept) else {
            return;
        };
        // The first line that is kept has to be a part of the paragraph as well.
        if piece.lines().take(finished + 1).all(pieces::is_plain) {
            let lines = piece.split_inclusive('\n').take(finished);
            self.finish(text, self.done + lines.map(str::len).sum::<usize>(), rows);
        }
    }

    /// Lays out the first parts of a line that does not end.
    fn finish_long_line(&mut self, text: &str, complete: usize, rows: &mut Vec<Row>) {
        while self.fence.is_none() {
            let start = self.done.max(complete);
            let Some(end) = pieces::blank_in_long(text, start, LONG_LINE) else {
                return;
            };
            self.finish(text, end, rows);
        }
    }

    fn show_last(&self, text: &str, rows: &mut Vec<Row>) {
        let tail = text.get(self.done..).unwrap_or_default();
        match &self.fence {
            _ if tail.trim().is_empty() => {}
            // The closing fence is on its way.
            Some(open) if open.fence.is_marks(tail) => {}
            Some(open) => rows.extend(code_rows(open.fence.without_indent(tail), self.width)),
            None => render::render(text, self.done..text.len(), self.width, rows),
        }
    }
}

/// Returns what stands behind an opening fence, above its code.
fn language_rows(info: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Dim, "  ").with(Role::Dim, info);
    said(&row, width, 2, Break::Words)
}

/// Returns a line of code as rows.
fn code_rows(line: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Text, "  ").with(Role::Code, line.trim_end());
    said(&row, width, 4, Break::Anywhere)
}

/// Returns a line of code with its tokens as rows: as many as [`code_rows`] returns.
fn coloured_rows(line: &str, tokens: &[Token], width: usize) -> Vec<Row> {
    let line = line.trim_end();
    let mut row = Row::new(Role::Text, "  ");
    let mut at = 0;
    for token in tokens {
        row.push(Role::Text, line.get(at..token.at.start).unwrap_or_default());
        let end = token.at.end.min(line.len());
        let role = Role::Token(token.kind, LineKind::Context);
        row.push(role, line.get(token.at.start..end).unwrap_or_default());
        at = end;
    }
    row.push(Role::Text, line.get(at..).unwrap_or_default());
    said(&row, width, 4, Break::Anywhere)
}

#[cfg(test)]
mod tests;
