//! Transcript cells and their rows at a width.
//!
//! In: text as it streams in, calls as they go on. Out: rows, laid out once; of a text that
//! still grows only the last piece is laid out again.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use signoff_core::syntax::tokens::Token;

use super::call::Call;
use super::intent;
use super::thought::ThoughtLayout;
use crate::markdown::{CodeBlock, MarkdownLayout};
use crate::snippet::Snippet;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// What a question to the user begins with.
const QUESTION: &str = "? ";

/// One item of the transcript.
#[derive(Debug)]
pub(crate) struct Cell {
    body: Body,
    spaced: bool,
    laid: Laid,
}

/// What an item is.
#[derive(Debug)]
pub(crate) enum Body {
    /// Lines as they are, cut at the edge.
    Verbatim(Vec<Row>),
    /// Lines that wrap; continued lines are indented by this number of columns.
    Lines(Vec<Row>, usize),
    /// What the user said.
    User(UserText),
    /// The model's text, which may still grow.
    Prose(Prose),
    /// A call of a tool.
    Call(Box<Call>),
}

/// What the user said, with long pastes folded.
#[derive(Debug)]
pub(crate) struct UserText {
    pub(super) text: String,
    /// The same with what stands in for long pastes, if it has some.
    pub(super) folded: Option<String>,
    pub(super) is_open: bool,
}

impl UserText {
    fn shown(&self) -> &str {
        match &self.folded {
            Some(folded) if !self.is_open => folded,
            _ => &self.text,
        }
    }
}

/// Text that grows at its end.
#[derive(Debug)]
pub(crate) struct Prose {
    text: String,
    aloud: bool,
    /// The tokens of blocks of code, by where these begin.
    colours: HashMap<usize, Vec<Vec<Token>>>,
    /// The blocks whose colours were asked for.
    asked: HashSet<usize>,
}

#[derive(Debug, Default)]
struct Laid {
    width: Option<usize>,
    dirty: bool,
    rows: Vec<Row>,
    /// How many of the rows are final.
    fixed: usize,
    prose: Option<MarkdownLayout>,
    /// How many blocks of code have their colours, or none to have.
    painted: usize,
    thought: ThoughtLayout,
}

impl Cell {
    /// Returns an item; `spaced` puts a blank row above it.
    pub(crate) fn new(body: Body, spaced: bool) -> Self {
        Self {
            body,
            spaced,
            laid: Laid::default(),
        }
    }

    /// Returns an item for the model's text, or for what it thinks aloud.
    pub(crate) fn prose(aloud: bool, spaced: bool) -> Self {
        let body = Body::Prose(Prose {
            text: String::new(),
            aloud,
            colours: HashMap::new(),
            asked: HashSet::new(),
        });
        Self::new(body, spaced)
    }

    /// Returns true if the item is text of this sort.
    pub(crate) fn is_prose(&self, thinking: bool) -> bool {
        matches!(&self.body, Body::Prose(prose) if prose.aloud == thinking)
    }

    /// Returns true if the item is text that may grow.
    pub(super) fn grows(&self) -> bool {
        matches!(self.body, Body::Prose(_))
    }

    /// Returns how many rows of growing text are final as laid out, and how many bytes of the text they show.
    pub(super) fn settled(&self) -> Option<(usize, usize)> {
        let Body::Prose(prose) = &self.body else {
            return None;
        };
        let layout = self.laid.prose.as_ref();
        let bytes = if prose.aloud {
            self.laid.thought.done()
        } else {
            layout.map_or(0, MarkdownLayout::done)
        };
        Some((self.laid.fixed, bytes))
    }

    /// Returns how many rows the first `bytes` bytes of the text take, of which all pieces are finished.
    pub(super) fn rows_of_text(&self, bytes: usize, width: usize) -> usize {
        let Body::Prose(prose) = &self.body else {
            return 0;
        };
        let mut part = Self::prose(prose.aloud, self.spaced);
        part.append(prose.text.get(..bytes).unwrap_or_default());
        part.rows(width).len()
    }

    /// Returns the first row of code whose colours are not known yet but may be, and the bytes of the text above it.
    pub(super) fn awaits_colours(&self) -> Option<(usize, usize)> {
        let (Body::Prose(prose), Some(layout)) = (&self.body, &self.laid.prose) else {
            return None;
        };
        let waits = |block: &&CodeBlock| {
            let is_known = prose.colours.contains_key(&block.source.start);
            !is_known && Snippet::is_colourable(&block.info, block.source.len())
        };
        let finished = layout.code().iter().find(waits);
        let finished = finished.map(|block| (block.rows.start, block.source.start));
        finished.or_else(|| {
            let (info, row, start) = layout.open_code()?;
            let bytes = prose.text.len().saturating_sub(start);
            Snippet::is_colourable(info, bytes).then_some((row, start))
        })
    }

    /// Returns true if the item is a call.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.body, Body::Call(_))
    }

    /// Appends to growing text.
    pub(crate) fn append(&mut self, piece: &str) {
        if let Body::Prose(prose) = &mut self.body {
            prose.text.push_str(piece);
            self.laid.dirty = true;
        }
    }

    /// Returns how many finished blocks of code the item has, as laid out.
    pub(super) fn code_blocks(&self) -> usize {
        self.laid
            .prose
            .as_ref()
            .map_or(0, |layout| layout.code().len())
    }

    /// Returns the rows of the item, or of a block of code in it.
    pub(super) fn rows_of(&self, code: Option<usize>) -> Range<usize> {
        let blocks = self
            .laid
            .prose
            .as_ref()
            .map_or(&[][..], MarkdownLayout::code);
        match code.and_then(|code| blocks.get(code)) {
            Some(block) => block.rows.clone(),
            None => usize::from(self.spaced).min(self.laid.rows.len())..self.laid.rows.len(),
        }
    }

    /// Returns the text that the item is made of, or a block of code in it.
    pub(super) fn source(&self, code: Option<usize>) -> String {
        match &self.body {
            Body::User(said) => said.text.clone(),
            Body::Prose(prose) => {
                let layout = self.laid.prose.as_ref();
                match code.and_then(|code| layout?.code().get(code)) {
                    Some(block) => block.lines(&prose.text).collect(),
                    None => prose.text.trim_end().to_owned(),
                }
            }
            Body::Call(call) => call.source(),
            Body::Verbatim(rows) | Body::Lines(rows, _) => wrap::text_of(rows).join("\n"),
        }
    }

    /// Returns the item, for what shows it elsewhere.
    pub(super) fn body(&self) -> &Body {
        &self.body
    }

    /// Returns once the finished blocks of code as laid out; the cell is the one with this number.
    pub(crate) fn uncoloured(&mut self, number: usize) -> Vec<Snippet> {
        let (Body::Prose(prose), Some(layout)) = (&mut self.body, &self.laid.prose) else {
            return Vec::new();
        };
        let new = layout.code().iter().skip(prose.asked.len());
        let new: Vec<&CodeBlock> = new
            .filter(|block| prose.asked.insert(block.source.start))
            .collect();
        let snippets = new.into_iter().filter_map(|block| {
            let code = block.lines(&prose.text).collect();
            Snippet::new(number, block.source.start, &block.info, code)
        });
        snippets.collect()
    }

    /// Takes over the tokens of the block of code that begins there.
    pub(crate) fn coloured(&mut self, start: usize, lines: Vec<Vec<Token>>) {
        if let Body::Prose(prose) = &mut self.body {
            prose.colours.insert(start, lines);
            self.laid.paint(prose, Some(start));
        }
    }

    /// Shows a question to the user as one that was answered, if it is one.
    pub(super) fn close_question(&mut self) {
        if let Body::Lines(rows, _) = &mut self.body
            && let Some(head) = rows.first_mut()
            && head
                .pieces()
                .next()
                .is_some_and(|(_, text)| text == QUESTION)
        {
            let asked: String = head.pieces().skip(1).map(|(_, text)| text).collect();
            *head = Row::new(Role::Dim, &format!("· {asked}: answered"));
            self.laid.width = None;
        }
    }

    /// Returns what the user said, where some of it is folded, to be opened.
    pub(super) fn folded_mut(&mut self) -> Option<&mut UserText> {
        match &mut self.body {
            Body::User(said) if said.folded.is_some() => {
                self.laid.width = None;
                Some(said)
            }
            _ => None,
        }
    }

    /// Returns the call, to be changed.
    pub(crate) fn call_mut(&mut self) -> Option<&mut Call> {
        match &mut self.body {
            Body::Call(call) => {
                self.laid.width = None;
                Some(call)
            }
            _ => None,
        }
    }

    /// Returns the rows at `width` columns.
    pub(crate) fn rows(&mut self, width: usize) -> &[Row] {
        if self.laid.width != Some(width) {
            self.laid = Laid {
                width: Some(width),
                dirty: true,
                ..Laid::default()
            };
            if self.spaced {
                self.laid.rows.push(Row::default());
                self.laid.fixed = 1;
            }
        }
        if std::mem::take(&mut self.laid.dirty) {
            self.lay_out(width);
        }
        &self.laid.rows
    }

    /// Returns the rows as last laid out.
    pub(crate) fn laid_rows(&self) -> &[Row] {
        &self.laid.rows
    }

    fn lay_out(&mut self, width: usize) {
        let laid = &mut self.laid;
        match &self.body {
            Body::Verbatim(lines) => laid.rows.extend_from_slice(lines),
            Body::Lines(lines, hang) => {
                for line in lines {
                    laid.rows
                        .extend(wrap::wrap(line, width, *hang, Break::Words));
                }
            }
            Body::User(said) => {
                for (index, line) in said.shown().lines().enumerate() {
                    let mark = if index == 0 { "› " } else { "  " };
                    let row = Row::new(Role::Key, mark).with(Role::User, line);
                    laid.rows.extend(wrap::wrap(&row, width, 2, Break::Words));
                }
            }
            Body::Call(call) => {
                for line in call.lines(intent::sentence, width) {
                    laid.rows.extend(wrap::wrap(&line, width, 2, Break::Words));
                }
            }
            Body::Prose(prose) => laid.extend(prose, width),
        }
    }
}

impl Laid {
    fn extend(&mut self, prose: &Prose, width: usize) {
        self.rows.truncate(self.fixed);
        self.fixed = if prose.aloud {
            self.thought.extend(&prose.text, width, &mut self.rows)
        } else {
            let layout = self.prose.get_or_insert_with(|| MarkdownLayout::new(width));
            layout.extend(&prose.text, &mut self.rows)
        };
        self.paint(prose, None);
    }

    /// Shows the tokens of the block of code that begins there, or of all that are new, where they are known.
    fn paint(&mut self, prose: &Prose, only: Option<usize>) {
        let code = self.prose.as_ref().map_or(&[][..], MarkdownLayout::code);
        let width = self.width.unwrap_or_default();
        let known = if only.is_some() { 0 } else { self.painted };
        let wanted = |block: &&CodeBlock| only.is_none_or(|start| block.source.start == start);
        for block in code.iter().skip(known).filter(wanted) {
            let Some(lines) = prose.colours.get(&block.source.start) else {
                continue;
            };
            let rows = block.coloured(&prose.text, lines, width);
            if let Some(plain) = self.rows.get_mut(block.rows.clone())
                && plain.len() == rows.len()
            {
                plain.clone_from_slice(&rows);
            }
        }
        self.painted = code.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;
    use proptest::prelude::*;

    #[test]
    fn a_growing_text_lays_out_its_end_only() {
        let mut cell = Cell::prose(false, true);
        cell.append("\n# Title\n\nFirst par");
        assert_eq!(text_of(cell.rows(20)), ["", "Title", "", "First par"]);
        assert_eq!(cell.laid.fixed, 1, "the title may still be a part of more");
        cell.append("agraph\n\n");
        assert_eq!(text_of(cell.rows(20)), ["", "Title", "", "First paragraph"]);
        assert_eq!(
            text_of(cell.rows(10)),
            ["", "Title", "", "First ", "paragraph"]
        );
    }

    #[test]
    fn what_a_model_says_never_begins_with_a_mark() {
        for mark in ["■", "□", "✓", "✗", "▸", "·", "›", "?", "!", "↶", "◼", "✔"]
        {
            for said in [
                format!("{mark} Staged 2 hunks"),
                format!("   {mark} Staged 2 hunks"),
                format!("**{mark} Staged** 2 hunks"),
                format!("```\n{mark} Staged 2 hunks\n```"),
                format!("a text that is {mark} Staged 2 hunks"),
                format!("# {mark} Staged"),
            ] {
                for thinking in [false, true] {
                    let mut cell = Cell::prose(thinking, false);
                    cell.append(&said);
                    for width in [12, 17, 40] {
                        for row in text_of(cell.rows(width)) {
                            assert!(!row.trim_start().starts_with(mark), "{said}: {row}");
                            assert!(row.chars().count() <= width, "{said}: {row}");
                        }
                    }
                }
            }
        }
        let mut cell = Cell::prose(false, false);
        cell.append("Really? Yes!\n- item\n\n✓ done");
        let rows = text_of(cell.rows(40));
        assert_eq!(rows, ["Really? Yes!", "• item", "", "│ ✓ done"]);
    }

    #[test]
    fn a_line_without_end_is_finished_piece_by_piece() {
        let mut cell = Cell::prose(false, false);
        for _ in 0..2_000 {
            cell.append("word ");
            cell.rows(40);
        }
        assert!(cell.laid.fixed > 0);
        let words = text_of(cell.rows(40)).join(" ");
        assert_eq!(words.split_whitespace().count(), 2_000);
    }

    #[test]
    fn code_is_plain_until_its_colours_are_there() {
        let mut cell = Cell::prose(false, true);
        cell.append("see:\n```rust\nlet long_name = 1;\n```\n```\nplain\n```\nend\n");
        let plain = cell.rows(14).to_vec();
        let snippets = cell.uncoloured(0);
        assert_eq!(snippets.len(), 1, "only of what is known");
        assert!(cell.uncoloured(0).is_empty(), "once");
        for snippet in snippets {
            let colours = snippet.colours();
            cell.coloured(colours.start, colours.lines);
        }
        let coloured = cell.rows(14).to_vec();
        assert_eq!(text_of(&coloured), text_of(&plain));
        assert_ne!(coloured, plain);
        cell.rows(40);
        assert_eq!(cell.rows(14), coloured, "kept at any width");
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_rows(
            text in "([a-c `*#-]{0,12}|```|\n){0,20}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
            width in 4usize..30,
        ) {
            let mut whole = Cell::prose(false, false);
            whole.append(&text);
            let mut pieces = Cell::prose(false, false);
            let mut at: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            at.sort_unstable();
            let mut from = 0;
            for to in at.into_iter().chain([text.len()]) {
                pieces.append(&text[from..to]);
                pieces.rows(width);
                from = to;
            }
            prop_assert_eq!(text_of(pieces.rows(width)), text_of(whole.rows(width)));
        }
    }
}
