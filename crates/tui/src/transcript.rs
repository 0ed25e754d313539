//! Transcript view: a scrolling list of cells.
//!
//! In: events, in order. Out: the rows that fit the screen. Drawing costs what is visible:
//! cells keep their rows, and the place on the screen is a cell and a row in it. Signoff's own cells begin with a
//! mark in the first column, as `■`; in what a model says no row does.

mod browse;
mod call;
mod cell;
pub mod export;
mod intent;
mod question;
mod scrollback;
mod thought;

use std::borrow::Cow;
use std::collections::HashMap;

use signoff_llm::message::CallId;
use signoff_llm::session::{CallEvent, Speaker};

use self::browse::Browsing;
use self::call::Call;
use self::cell::{Body, Cell, UserText};
use self::scrollback::HandedOver;
use crate::row_window::{Scroll, WHEEL_ROWS};
use crate::snippet::{Snippet, SnippetColours};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Everything that was said and done.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    cells: Vec<Cell>,
    open: HashMap<CallId, usize>,
    /// What the user looks at; `None` follows the end.
    held: Option<Position>,
    /// The first row on the screen as last laid out.
    first: Position,
    below: usize,
    width: usize,
    height: usize,
    /// What was said beside the conversation since the model spoke last.
    said_beside: Option<String>,
    /// The last remark, in a row, and how many were made since a row of the transcript was on the screen.
    missed: Option<(Row, usize)>,
    /// Whether long commands and outputs are shown in full.
    is_open: bool,
    /// What the key is called that shows them so.
    opening_key: Cow<'static, str>,
    /// What the user looks at block by block, while that is so.
    browsing: Option<Browsing>,
    /// What of it the terminal's scrollback has.
    handed_over: HandedOver,
}

/// The built-in key that shows long commands and outputs in full.
const OPENING_KEY: Cow<'static, str> = Cow::Borrowed("Ctrl-O");

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    cell: usize,
    row: usize,
}

impl Transcript {
    /// Returns a transcript that begins with the header, if there is one.
    pub(crate) fn new(header: Option<&str>) -> Self {
        Self {
            cells: vec![header_cell(header)],
            opening_key: OPENING_KEY,
            ..Self::default()
        }
    }

    /// Shows another header in the place of the first one.
    pub(crate) fn set_header(&mut self, text: Option<&str>) {
        if let Some(first) = self.cells.first_mut() {
            *first = header_cell(text);
        }
    }

    /// Adds what the user said.
    pub(crate) fn user(&mut self, text: &str) {
        self.user_folded(text, None);
    }

    /// Adds what the user said, with what stands in for its long pastes.
    pub(crate) fn user_folded(&mut self, text: &str, folded: Option<String>) {
        let (text, is_open) = (text.to_owned(), self.is_open);
        let said = UserText {
            text,
            folded,
            is_open,
        };
        self.push(Body::User(said), true);
        self.held = None;
    }

    /// Notes what was said beside the conversation, which is displayed elsewhere.
    pub(crate) fn said_beside(&mut self, text: String) {
        self.said_beside = Some(text);
    }

    /// Adds to what the model says.
    pub(crate) fn text(&mut self, piece: &str) {
        self.said_beside = None;
        self.extend(piece, false);
    }

    /// Adds what was said in a conversation that is taken up.
    pub(crate) fn said_before(&mut self, speaker: Speaker, text: &str) {
        match speaker {
            Speaker::User => self.user(text),
            Speaker::Model => self.text(&format!("{text}\n\n")),
        }
    }

    /// Adds to what the model thinks aloud.
    pub(crate) fn reasoning(&mut self, piece: &str) {
        self.extend(piece, true);
    }

    /// Takes what happens to a call. One of which nothing was known but its answer begins with that.
    pub(crate) fn call(&mut self, event: CallEvent) {
        let id = event.call().clone();
        let is_done = matches!(event, CallEvent::Done { .. });
        let is_known = self.open.contains_key(&id);
        if matches!(event, CallEvent::Started { .. }) || is_done && !is_known {
            self.begin_call(id.clone());
        }
        if let Some(call) = self.open_call(&id) {
            call.state.apply(event);
        }
        if is_done {
            self.open.remove(&id);
        }
    }

    fn begin_call(&mut self, id: CallId) {
        let spaced = !self.cells.last().is_some_and(Cell::is_call);
        let mut call = Call::new(self.opening_key.clone());
        call.open(self.is_open);
        self.push(Body::Call(Box::new(call)), spaced);
        self.open.insert(id, self.cells.len() - 1);
    }

    /// Shows long commands and outputs in full, from the newest one on, or the usual part of them.
    /// Returns false if there are none.
    pub(crate) fn toggle_outputs(&mut self) -> bool {
        self.is_open = !self.is_open;
        let mut newest = None;
        for (index, cell) in self.cells.iter_mut().enumerate() {
            if let Some(call) = cell.call_mut() {
                call.open(self.is_open);
                newest = call.is_long(self.width).then_some(index).or(newest);
            } else if let Some(said) = cell.folded_mut() {
                said.is_open = self.is_open;
                newest = Some(index);
            }
        }
        self.held = newest
            .filter(|_| self.is_open)
            .map(|cell| Position { cell, row: 0 });
        newest.is_some()
    }

    /// Takes over what the key is called that shows long commands and outputs in full.
    pub(crate) fn name_key(&mut self, key: Cow<'static, str>) {
        self.opening_key = key;
        for call in self.cells.iter_mut().filter_map(Cell::call_mut) {
            call.name_key(self.opening_key.clone());
        }
    }

    /// Shows that no open call will be answered any more.
    pub(crate) fn stop_calls(&mut self) {
        for (_, index) in self.open.drain() {
            if let Some(call) = self.cells.get_mut(index).and_then(Cell::call_mut) {
                call.state.stop();
            }
        }
    }

    /// Adds lines that stand for themselves.
    pub(crate) fn lines(&mut self, rows: Vec<Row>) {
        self.push(Body::Lines(rows, 2), true);
    }

    /// Shows the questions to the user as answered: what comes of an answer stands above them, with its call.
    pub(crate) fn close_questions(&mut self) {
        self.cells.iter_mut().for_each(Cell::close_question);
    }

    /// Adds lines to a list, whose lines begin with the same sign: right below one of its lines.
    pub(crate) fn list(&mut self, rows: Vec<Row>) {
        let goes_on = (self.cells.last()).is_some_and(|cell| match cell.body() {
            Body::Lines(above, _) => sign(above) == sign(&rows),
            _ => false,
        });
        self.push(Body::Lines(rows, 2), !goes_on);
    }

    /// Adds lines that must not be missed, also while the transcript is off the screen.
    pub(crate) fn remark(&mut self, rows: Vec<Row>) {
        if let Some(row) = rows.first() {
            self.note_missed(row.clone());
        }
        self.lines(rows);
    }

    fn note_missed(&mut self, row: Row) {
        let before = self.missed.take().map_or(0, |(_, count)| count);
        self.missed = Some((row, before + 1));
    }

    /// Returns the last remark, in a row, and how many were made, since the transcript is off the screen.
    pub(crate) fn missed(&self) -> Option<(&Row, usize)> {
        let (row, count) = self.missed.as_ref()?;
        Some((row, *count))
    }

    /// Returns how many rows of the screen the transcript has.
    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Tells whether all of these lines fit into the rows that the transcript has.
    pub(crate) fn has_room(&self, rows: &[Row]) -> bool {
        let wrapped = rows
            .iter()
            .flat_map(|row| wrap::wrap(row, self.width.max(1), 2, Break::Words));
        wrapped.take(self.height + 1).count() <= self.height
    }

    /// Moves what is on the screen.
    pub(crate) fn scroll(&mut self, scroll: Scroll) {
        let page = self.height.saturating_sub(1).max(1);
        match scroll {
            Scroll::PageUp => self.held = Some(self.earlier(self.first, page)),
            Scroll::PageDown => self.held = self.later(self.first, page),
            Scroll::Top => self.held = Some(Position::default()),
            Scroll::Bottom => self.held = None,
            Scroll::WheelUp => self.held = Some(self.earlier(self.first, WHEEL_ROWS)),
            Scroll::WheelDown => self.held = self.later(self.first, WHEEL_ROWS),
        }
    }

    /// Returns how many rows are below the last one on the screen.
    pub(crate) fn below(&self) -> usize {
        self.below
    }

    /// Decides which rows fill `height` rows of `width` columns.
    pub(crate) fn lay_out(&mut self, width: usize, height: usize) {
        let gutter = if self.browsing.is_some() {
            browse::GUTTER
        } else {
            0
        };
        (self.width, self.height) = (width.saturating_sub(gutter).max(1), height);
        if height > 0 {
            self.missed = None;
        }
        let end = self.last_rows(height);
        self.scroll_at_begin(end);
        if self.held.is_some_and(|held| held >= end) {
            self.held = None;
        }
        self.first = match self.held {
            Some(held) => self.within(held),
            None => end,
        };
        self.below = self.rows_between(self.first, end);
    }

    /// Returns the rows that were decided on, top first.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        let skip = self.first.row;
        self.cells
            .iter()
            .skip(self.first.cell)
            .flat_map(|cell| cell.laid_rows().iter())
            .skip(skip)
            .take(self.height)
    }

    /// Returns the blocks of code on the screen whose colours were not asked for yet.
    pub(crate) fn take_uncoloured(&mut self) -> Vec<Snippet> {
        let mut left = self.height;
        let mut snippets = Vec::new();
        for (number, cell) in self.cells.iter_mut().enumerate().skip(self.first.cell) {
            if left == 0 {
                break;
            }
            snippets.extend(cell.uncoloured(number));
            left = left.saturating_sub(cell.laid_rows().len());
        }
        snippets
    }

    /// Takes over the colours of a block of code.
    pub(crate) fn coloured(&mut self, colours: SnippetColours) {
        if let Some(cell) = self.cells.get_mut(colours.cell) {
            cell.coloured(colours.start, colours.lines);
        }
    }

    fn push(&mut self, body: Body, spaced: bool) {
        let spaced = spaced && self.cells.len() > 1;
        self.handed_over.reopen();
        self.cells.push(Cell::new(body, spaced));
    }

    fn extend(&mut self, piece: &str, thinking: bool) {
        let last = self.cells.last();
        let continues = last.is_some_and(|cell| cell.is_prose(thinking));
        let continues = continues && !self.handed_over.is_closed();
        if !continues {
            if piece.trim().is_empty() {
                return;
            }
            let spaced = self.cells.len() > 1;
            self.handed_over.reopen();
            self.cells.push(Cell::prose(thinking, spaced));
        }
        if let Some(cell) = self.cells.last_mut() {
            cell.append(piece);
        }
    }

    fn open_call(&mut self, id: &CallId) -> Option<&mut Call> {
        let index = *self.open.get(id)?;
        self.cells.get_mut(index)?.call_mut()
    }

    fn height_of(&mut self, cell: usize) -> usize {
        let width = self.width;
        self.cells
            .get_mut(cell)
            .map_or(0, |cell| cell.rows(width).len())
    }

    /// Returns the first place of the last `height` rows.
    fn last_rows(&mut self, height: usize) -> Position {
        let end = Position {
            cell: self.cells.len(),
            row: 0,
        };
        self.earlier(end, height)
    }

    fn earlier(&mut self, from: Position, rows: usize) -> Position {
        let mut at = from;
        let mut left = rows;
        while left > at.row {
            left -= at.row;
            let Some(cell) = at.cell.checked_sub(1) else {
                return Position::default();
            };
            at = Position {
                cell,
                row: self.height_of(cell),
            };
        }
        Position {
            cell: at.cell,
            row: at.row - left,
        }
    }

    fn later(&mut self, from: Position, rows: usize) -> Option<Position> {
        let mut at = from;
        let mut left = rows;
        while at.cell < self.cells.len() {
            let height = self.height_of(at.cell);
            if at.row + left < height {
                at.row += left;
                return Some(at);
            }
            left -= height.saturating_sub(at.row);
            at = Position {
                cell: at.cell + 1,
                row: 0,
            };
        }
        None
    }

    /// Returns the place, moved to a row that still exists at the present width.
    fn within(&mut self, position: Position) -> Position {
        let height = self.height_of(position.cell);
        Position {
            cell: position.cell,
            row: position.row.min(height.saturating_sub(1)),
        }
    }

    fn rows_between(&mut self, first: Position, end: Position) -> usize {
        let cells = first.cell..end.cell;
        let whole: usize = cells.map(|cell| self.height_of(cell)).sum();
        (whole + end.row).saturating_sub(first.row)
    }
}

/// Returns the header with one blank line under it; an empty cell where there is none, so that
/// the first cell is always the header's.
fn header_cell(text: Option<&str>) -> Cell {
    let mut rows: Vec<_> = text
        .unwrap_or_default()
        .trim_end_matches(['\n', '\r'])
        .lines()
        .map(|line| Row::new(Role::Header, line))
        .collect();
    if !rows.is_empty() {
        rows.push(Row::default());
    }
    Cell::new(Body::Verbatim(rows), false)
}

/// Returns what the first of these rows begins with.
fn sign(rows: &[Row]) -> Option<&str> {
    rows.first()?.pieces().next().map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use signoff_llm::tool::PrintedStreams;

    use super::*;
    use crate::wrap::text_of;

    fn screen(transcript: &mut Transcript, width: usize, height: usize) -> Vec<String> {
        transcript.lay_out(width, height);
        text_of(&transcript.rows().cloned().collect::<Vec<_>>())
    }

    #[test]
    fn the_header_comes_first_with_one_blank_line_under_it() {
        let mut transcript = Transcript::new(Some("  a b\n c  \n\n\n"));
        transcript.user("hello");
        transcript.text("hi");
        assert_eq!(
            screen(&mut transcript, 20, 10),
            ["  a b", " c  ", "", "› hello", "", "hi"]
        );
        transcript.set_header(None);
        assert_eq!(screen(&mut transcript, 20, 10), ["› hello", "", "hi"]);
    }

    #[test]
    fn follows_the_end_unless_scrolled_up() {
        let mut transcript = Transcript::new(None);
        let all: String = (1..=30).map(|n| format!("l{n}\n")).collect();
        transcript.text(&all);
        assert_eq!(screen(&mut transcript, 20, 3), ["l28", "l29", "l30"]);
        transcript.scroll(Scroll::PageUp);
        assert_eq!(screen(&mut transcript, 20, 3), ["l26", "l27", "l28"]);
        transcript.text("l31\nl32\n");
        assert_eq!(screen(&mut transcript, 20, 3), ["l26", "l27", "l28"]);
        assert_eq!(transcript.below(), 4);
        transcript.scroll(Scroll::Top);
        assert_eq!(screen(&mut transcript, 20, 3), ["l1", "l2", "l3"]);
        transcript.scroll(Scroll::PageDown);
        assert_eq!(screen(&mut transcript, 20, 3), ["l3", "l4", "l5"]);
        transcript.scroll(Scroll::Bottom);
        assert_eq!(screen(&mut transcript, 20, 3), ["l30", "l31", "l32"]);
        assert_eq!(transcript.below(), 0);
    }

    #[test]
    fn a_call_shows_its_command_and_both_streams_and_opens_in_full() {
        let mut transcript = Transcript::new(None);
        assert!(!transcript.toggle_outputs(), "nothing is cut");
        transcript.toggle_outputs();
        let id = CallId("1".to_owned());
        transcript.call(CallEvent::Started {
            call: id.clone(),
            tool: "bash".to_owned(),
        });
        transcript.call(CallEvent::Input {
            call: id.clone(),
            tool: "bash".to_owned(),
            input: "seq 8; ls x".to_owned(),
        });
        assert_eq!(screen(&mut transcript, 60, 3), ["▸ bash  seq 8; ls x"]);
        let out = (1..=8).map(|n| format!("{n}\n")).collect();
        let err = "ls: no x\n".to_owned();
        transcript.call(CallEvent::Streams {
            call: id.clone(),
            streams: PrintedStreams { out, err },
        });
        transcript.call(CallEvent::Done {
            call: id,
            tool: "bash".to_owned(),
            ok: false,
            summary: "exit 2".to_owned(),
            took_ms: None,
        });
        let shut = [
            "✗ bash  seq 8; ls x → exit 2",
            "  … 3 lines above: Ctrl-O opens all",
            "  │ 4",
            "  │ 5",
            "  │ 6",
            "  │ 7",
            "  │ 8",
            "  ! ls: no x",
        ];
        assert_eq!(screen(&mut transcript, 60, 20), shut);
        assert!(transcript.toggle_outputs());
        let open = screen(&mut transcript, 60, 20);
        assert_eq!((open.len(), open[1].as_str()), (10, "  │ 1"));
        transcript.toggle_outputs();
        assert_eq!(screen(&mut transcript, 60, 20), shut);
        transcript.name_key(Cow::Borrowed("F8"));
        let renamed = screen(&mut transcript, 60, 20);
        assert_eq!(renamed[1], "  … 3 lines above: F8 opens all");
    }

    /// `exit 3` is what was run and how it ended; the answer says how long the program ran.
    #[test]
    fn the_row_of_a_program_has_its_command_and_one_time() {
        let mut transcript = Transcript::new(None);
        let call = CallId("1".to_owned());
        let tool = "bash".to_owned();
        for event in [
            CallEvent::Started {
                call: call.clone(),
                tool: tool.clone(),
            },
            CallEvent::Input {
                call: call.clone(),
                tool: tool.clone(),
                input: "exit 3".to_owned(),
            },
            CallEvent::Streams {
                call: call.clone(),
                streams: PrintedStreams::default(),
            },
            CallEvent::Done {
                call,
                tool,
                ok: false,
                summary: "exit 3 in 0.0 s".to_owned(),
                took_ms: Some(2_400),
            },
        ] {
            transcript.call(event);
        }
        let row = "✗ bash  exit 3 → exit 3 in 0.0 s";
        assert_eq!(screen(&mut transcript, 60, 3), [row]);
    }

    #[test]
    fn a_call_says_what_it_edits_and_how_far_it_is() {
        let mut transcript = Transcript::new(None);
        let id = CallId("1".to_owned());
        transcript.call(CallEvent::Started {
            call: id.clone(),
            tool: "edit_section".to_owned(),
        });
        assert_eq!(screen(&mut transcript, 60, 3), ["· edit_section"]);
        transcript.call(CallEvent::Intent {
            call: id.clone(),
            path: "notes.md".to_owned(),
            operation: None,
            description: "Remove all headings from notes.md".to_owned(),
        });
        transcript.call(CallEvent::Progress {
            call: id.clone(),
            lines: 12,
        });
        assert_eq!(
            screen(&mut transcript, 70, 3),
            ["▸ Editing notes.md: Remove all headings from notes.md  12 lines so far"]
        );
        transcript.call(CallEvent::Done {
            call: id,
            tool: "edit_section".to_owned(),
            ok: true,
            summary: "staged 2 hunks".to_owned(),
            took_ms: None,
        });
        assert_eq!(
            screen(&mut transcript, 60, 3),
            [
                "▸ Editing notes.md: Remove all headings from notes.md",
                "✓ edit_section  staged 2 hunks"
            ]
        );
    }
}
