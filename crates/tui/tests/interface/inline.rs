//! A conversation in the terminal's scrollback: each finished row is there once and in order, and below it is what a
//! redraw would show.

use std::io;
use std::num::NonZero;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::Event as TerminalEvent;
use ratatui::layout::{Rect, Size};
use signoff_core::id::Timestamp;
use signoff_llm::session::{Event, Phase, TurnEnd};
use signoff_tui::app::{App, AppEffect, Msg, Options};
use signoff_tui::terminal::{InlineScreen, NarrowedRows};
use signoff_tui::{header, view};

use crate::anything::{self, Step};
use crate::stage::News;
use crate::{critique, stage};

const SCROLLBACK: usize = 100_000;

/// What the shell has written before.
const BEFORE: &str = "$ signoff --inline";

/// An interface in the last rows of a terminal with a scrollback.
struct InlineStage {
    app: App,
    screen: InlineScreen<Vec<u8>>,
    parser: vt100::Parser,
    size: Size,
    now: Timestamp,
    /// Rows that are in the scrollback, and how wide the terminal was at the least since.
    finished: Vec<(String, u16)>,
    viewport: Buffer,
    /// Whether all of the screen was drawn on since the last frame.
    was_full: bool,
    bytes: usize,
}

impl InlineStage {
    fn new(width: u16, height: u16, rows_before: usize) -> Self {
        let mut stage = Self {
            app: App::new(Options {
                header: header::load(None),
                workspace: "~/demo".to_owned(),
                is_inline: true,
                ..Options::default()
            }),
            screen: InlineScreen::new(Vec::new(), Size::new(width, height), NarrowedRows::Cut),
            parser: vt100::Parser::new(at_least_one(height), at_least_one(width), SCROLLBACK),
            size: Size::new(width, height),
            now: Timestamp(1_000_000),
            finished: Vec::new(),
            viewport: Buffer::default(),
            was_full: false,
            bytes: 0,
        };
        for _ in 0..rows_before {
            let row: String = BEFORE.chars().take(width.into()).collect();
            let row = row.trim_end().to_owned();
            stage.parser.process(format!("{row}\r\n").as_bytes());
            stage.finished.push((row, width));
        }
        stage.feed(Msg::Configured);
        stage
    }

    fn feed(&mut self, msg: Msg) {
        self.app.update(msg, self.now);
    }

    fn tell(&mut self, news: impl IntoIterator<Item = impl News>) {
        news.into_iter().for_each(|news| self.feed(news.into_msg()));
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.size = Size::new(width, height);
        let screen = self.parser.screen_mut();
        screen.set_size(at_least_one(height), at_least_one(width));
        for (_, narrowest) in &mut self.finished {
            *narrowest = width.min(*narrowest);
        }
    }

    /// Draws as the loop does; the other screen is none of this terminal's.
    fn draw(&mut self) -> io::Result<()> {
        if self.app.fills_screen() {
            if !std::mem::replace(&mut self.was_full, true) {
                self.screen.set_size(self.size);
                self.screen.erase()?;
                self.process();
            }
            let area = Rect::from(self.size);
            let _areas = self.app.lay_out(area);
        } else {
            if std::mem::take(&mut self.was_full) {
                self.screen.begin_anew(self.size);
            } else {
                self.screen.set_size(self.size);
            }
            let frame = self.app.lay_out_inline(self.size);
            let mut rows = view::draw_inline(&self.app, &frame);
            let last = rows.finished.pop().map(printable);
            for piece in std::mem::take(&mut rows.finished)
                .into_iter()
                .map(printable)
            {
                self.screen.print(&piece)?;
                self.note(&piece);
            }
            let none = || Buffer::empty(Rect::new(0, 0, self.size.width, 0));
            let last = last.unwrap_or_else(none);
            self.note(&last);
            self.viewport = printable(rows.viewport);
            self.screen.draw(&last, &self.viewport, rows.cursor)?;
            self.process();
        }
        for effect in self.app.shown(self.now) {
            if let AppEffect::FindColours(snippet) = effect {
                self.feed(Msg::Snippet(snippet.colours()));
            }
        }
        Ok(())
    }

    /// Ends as the loop does.
    fn end(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.was_full) {
            self.screen.begin_anew(self.size);
        } else {
            self.screen.set_size(self.size);
        }
        let rest = self.app.take_unfinished(self.size.width);
        for piece in view::draw_finished(&self.app, &rest, self.size.width) {
            let piece = printable(piece);
            self.screen.print(&piece)?;
            self.note(&piece);
        }
        self.screen.erase()?;
        self.process();
        self.viewport = Buffer::default();
        Ok(())
    }

    fn note(&mut self, rows: &Buffer) {
        let rows = text(rows).into_iter().map(|row| (row, self.size.width));
        self.finished.extend(rows);
    }

    fn process(&mut self) {
        let bytes = std::mem::take(self.screen.writer_mut());
        self.bytes += bytes.len();
        self.parser.process(&bytes);
    }

    /// Returns all rows of the terminal, those in the scrollback first, without blank ones at the end.
    fn rows(&mut self) -> Vec<String> {
        let Size { width, height } = self.size;
        let screen = self.parser.screen_mut();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        let mut rows = Vec::new();
        for offset in (1..=above).rev() {
            screen.set_scrollback(offset);
            rows.extend(screen.rows(0, width).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width).take(height.into()));
        let mut rows: Vec<String> = rows.iter().map(|row| row.trim_end().to_owned()).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// Tells where the terminal differs from the finished rows with the viewport below them.
    fn differences(&mut self) -> Vec<String> {
        let viewport = if self.was_full {
            Vec::new()
        } else {
            text(&self.viewport)
        };
        let width = self.size.width;
        let wanted = self.finished.clone().into_iter();
        let wanted = wanted.chain(viewport.into_iter().map(|row| (row, width)));
        let mut wanted: Vec<(String, u16)> = wanted.collect();
        while wanted.last().is_some_and(|(row, _)| row.is_empty()) {
            wanted.pop();
        }
        let rows = self.rows();
        let mut told = Vec::new();
        for (number, (row, narrowest)) in wanted.iter().enumerate() {
            let found = rows.get(number).map_or("", String::as_str);
            // What was cut is a part of it; a wide character at the edge is gone as a whole.
            let is_whole =
                unicode_width::UnicodeWidthStr::width(row.as_str()) <= usize::from(*narrowest);
            if found != row && (is_whole || !row.starts_with(found)) {
                told.push(format!("{number}: {found:?} for {row:?}"));
            }
        }
        if rows.len() > wanted.len() {
            told.push(format!("more: {:?}", &rows[wanted.len()..]));
        }
        if !self.was_full {
            told.extend(self.differences_from_redraw());
        }
        told
    }

    /// Tells in which cells the viewport differs from one that is the first thing on its terminal.
    fn differences_from_redraw(&mut self) -> Vec<String> {
        let Size { width, height } = self.size;
        let mut fresh = InlineScreen::new(Vec::new(), self.size, NarrowedRows::Cut);
        let none = Buffer::empty(Rect::new(0, 0, width, 0));
        // A vector takes everything.
        let _always = fresh.draw(&none, &self.viewport, None);
        let mut redrawn = vt100::Parser::new(at_least_one(height), at_least_one(width), 0);
        redrawn.process(fresh.writer_mut());
        let screen = self.parser.screen_mut();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        screen.set_scrollback(0);
        let top = self.finished.len().saturating_sub(above);
        let top = u16::try_from(top).unwrap_or(u16::MAX);
        let rows = 0..self.viewport.area.height;
        let places = rows.flat_map(|y| (0..width).map(move |x| (y, x)));
        let look = |screen: &vt100::Screen, y, x| {
            let cell = screen.cell(y, x)?;
            let text = match cell.contents() {
                "" if !cell.is_wide_continuation() => " ",
                text => text,
            };
            // Nobody sees the colour of the letters of a blank.
            let letters = (text != " ").then(|| (cell.fgcolor(), cell.bold(), cell.dim()));
            let behind = (cell.bgcolor(), cell.inverse());
            Some((text.to_owned(), behind, letters))
        };
        let screen = self.parser.screen();
        let differ = places.filter_map(|(y, x)| {
            let (one, other) = (look(screen, top + y, x), look(redrawn.screen(), y, x));
            (one != other).then(|| format!("{y}:{x} {one:?} for {other:?}"))
        });
        differ.collect()
    }
}

fn at_least_one(size: u16) -> NonZero<u16> {
    NonZero::new(size).unwrap_or(NonZero::<u16>::MIN)
}

/// The parser takes this one for a byte that is no UTF-8, and shows nothing.
fn printable(mut rows: Buffer) -> Buffer {
    for cell in &mut rows.content {
        if cell.symbol().contains('\u{fffd}') {
            cell.set_symbol("?");
        }
    }
    rows
}

fn text(rows: &Buffer) -> Vec<String> {
    let width = usize::from(rows.area.width).max(1);
    let row = |cells: &[ratatui::buffer::Cell]| {
        let mut text = String::new();
        let mut hidden = 0;
        for cell in cells {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            text.push_str(cell.symbol());
            hidden = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
        }
        text.trim_end().to_owned()
    };
    rows.content.chunks(width).map(row).collect()
}

fn answer(lines: std::ops::Range<usize>) -> impl Iterator<Item = String> {
    lines.map(|n| {
        format!("Line {n} says something of ordinary length, `as answers do`, and ends.\n")
    })
}

#[test]
fn an_answer_takes_less_than_twice_its_bytes_and_rest_none() {
    let mut stage = InlineStage::new(80, 24, 3);
    stage.tell([stage::ready()]);
    stage.tell(stage::asking("count"));
    stage.draw().unwrap();
    let before = stage.bytes;
    let mut all = 0;
    for line in answer(0..2_000) {
        all += line.len();
        stage.tell([stage::text(&line)]);
        stage.draw().unwrap();
    }
    let written = stage.bytes - before;
    assert!(written < all * 2, "{written} bytes for {all}");
    let before = stage.bytes;
    stage.draw().unwrap();
    assert_eq!(stage.bytes, before, "nothing changed");
    assert_eq!(stage.differences(), Vec::<String>::new());
    stage.end().unwrap();
    assert_eq!(stage.differences(), Vec::<String>::new());
    let rows = stage.rows();
    let said = rows.iter().filter(|row| row.starts_with("Line "));
    assert_eq!(said.count(), 2_000);
}

#[test]
fn a_look_of_the_review_agent_is_told_once_in_the_scrollback() {
    let mut stage = InlineStage::new(80, 16, 2);
    stage.tell([stage::ready()]);
    stage.tell(stage::asking("rename total to sum"));
    stage.tell(stage::staging(stage::two_files()));
    stage.draw().unwrap();
    stage.tell([critique::began()]);
    stage.tell(critique::comments());
    stage.draw().unwrap();
    assert!(
        stage.app.fills_screen(),
        "the review is as in the full screen"
    );
    stage.tell([critique::ended(3, 2, 1)]);
    for key in stage::keys("<esc>") {
        stage.feed(Msg::Terminal(TerminalEvent::Key(key)));
    }
    stage.draw().unwrap();
    assert_eq!(stage.differences(), Vec::<String>::new());
    insta::assert_snapshot!("inline_critique_80", stage.rows().join("\n"));
}

#[test]
fn the_review_takes_the_screen_and_gives_it_back() {
    let mut stage = InlineStage::new(80, 24, 30);
    stage.tell([stage::ready()]);
    stage.tell(stage::asking("go"));
    stage.draw().unwrap();
    assert!(!stage.app.fills_screen());
    stage.tell(stage::staging(stage::two_files()));
    stage.draw().unwrap();
    assert!(stage.app.fills_screen());
    assert!(
        !stage.rows().concat().contains("Staged"),
        "not while the review is open"
    );
    stage.resize(60, 20);
    stage.draw().unwrap();
    for key in stage::keys("<esc>") {
        stage.feed(Msg::Terminal(TerminalEvent::Key(key)));
    }
    stage.draw().unwrap();
    assert!(!stage.app.fills_screen());
    assert_eq!(stage.differences(), Vec::<String>::new());
    assert!(stage.rows().concat().contains("Staged"));
    stage.tell([
        Event::Phase { phase: Phase::Idle },
        Event::TurnEnded { end: TurnEnd::Done },
    ]);
    stage.end().unwrap();
    assert_eq!(stage.differences(), Vec::<String>::new());
    let below = stage.parser.screen().cursor_position();
    assert_eq!(below.1, 0, "the cursor is below the conversation");
}

/// What a call asks for is below the conversation, all of it, and not in the scrollback before the call is answered.
#[test]
fn a_permission_prompt_is_below_the_conversation() {
    let mut stage = InlineStage::new(60, 16, 20);
    stage.tell([stage::ready()]);
    stage.tell(stage::asking("go"));
    stage.tell(anything::news(12));
    stage.draw().unwrap();
    assert!(!stage.app.fills_screen());
    assert_eq!(stage.differences(), Vec::<String>::new());
    let shown = text(&stage.viewport).concat();
    assert!(shown.contains("cargo test"), "{shown}");
    assert!(stage.viewport.area.height <= 16);
    let raw = stage.rows().concat();
    assert!(raw.contains('␛') && !raw.contains('\x1b'), "{raw}");
}

#[test]
fn page_up_shows_the_conversation_on_the_whole_screen() {
    let after = |keys: &str| {
        let mut stage = InlineStage::new(60, 20, 5);
        stage.tell([stage::ready()]);
        stage.tell(stage::asking("count"));
        let lines: Vec<String> = (1..=60).map(|line| format!("line {line}\n\n")).collect();
        stage.tell([stage::text(&lines.concat())]);
        stage.draw().unwrap();
        for key in stage::keys(keys) {
            stage.feed(Msg::Terminal(TerminalEvent::Key(key)));
            stage.draw().unwrap();
        }
        stage
    };
    let whole = |stage: &mut InlineStage| {
        let mut terminal = Terminal::new(TestBackend::new(60, 20)).unwrap();
        let app = &mut stage.app;
        let frame = terminal.draw(|frame| {
            let areas = app.lay_out(frame.area());
            if let Some(cursor) = view::draw(app, &areas, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        });
        text(frame.unwrap().buffer).join("\n")
    };
    let mut up = after("<pageup>");
    assert!(up.app.fills_screen());
    let shown = whole(&mut up);
    // A screen of 17 rows before the one that ends with line 60; one row is in both.
    assert!(
        shown.contains("line 52") && !shown.contains("line 53"),
        "{shown}"
    );
    assert_eq!(shown, whole(&mut after("<ctrl-t><pageup>")));
    let mut two = after("<pageup><pageup><pagedown>");
    assert_eq!(whole(&mut two), shown);
    let mut start = after("<ctrl-home>");
    let shown = whole(&mut start);
    assert!(shown.contains("› count"), "{shown}");
    let mut back = after("<pageup><esc>");
    assert!(!back.app.fills_screen());
    back.draw().unwrap();
    assert_eq!(back.differences(), Vec::<String>::new());
    let mut typing = after("<pagedown>");
    assert!(!typing.app.fills_screen());
    typing.draw().unwrap();
}

#[test]
fn rows_keep_their_styles() {
    let mut stage = InlineStage::new(40, 10, 0);
    stage.tell([stage::ready()]);
    stage.tell(stage::asking("go"));
    stage.tell([stage::text("# Title\n\nand so on\n\nlast")]);
    stage.draw().unwrap();
    stage.end().unwrap();
    let screen = stage.parser.screen();
    let rows: Vec<String> = screen.rows(0, 40).collect();
    let row = rows
        .iter()
        .position(|row| row.starts_with("Title"))
        .unwrap();
    let cell = screen.cell(row.try_into().unwrap(), 0).unwrap();
    assert!(cell.bold(), "{rows:?}");
}

/// A terminal that wraps rows when it becomes narrower: the rows of another one as it would show them.
fn wrapped(stage: &mut InlineStage, width: u16, height: u16) -> vt100::Parser {
    let (row, column) = stage.parser.screen().cursor_position();
    let rows = stage.rows();
    let above = rows
        .len()
        .saturating_sub(usize::from(stage.size.height).min(rows.len()));
    let cursor_row = stage.parser.screen().scrollback_len() + usize::from(row);
    assert!(above <= cursor_row);
    let mut parser = vt100::Parser::new(at_least_one(height), at_least_one(width), SCROLLBACK);
    parser.process(rows.join("\r\n").as_bytes());
    let taken = |row: &String| row.len().div_ceil(width.into()).max(1);
    let below: usize = rows.iter().skip(cursor_row + 1).map(taken).sum();
    let up = below + taken(&rows[cursor_row]) - 1 - usize::from(column / width);
    parser.process(format!("\r\x1b[{up}A\x1b[{}C", (column % width).max(1)).as_bytes());
    parser
}

#[test]
fn a_terminal_that_wraps_rows_is_left_no_remains() {
    for (width, height) in [(50, 24), (33, 24), (30, 24), (80, 10), (100, 30)] {
        let mut stage = InlineStage::new(80, 24, 5);
        let narrowed = NarrowedRows::Wrap;
        stage.screen = InlineScreen::new(Vec::new(), stage.size, narrowed);
        stage.tell([stage::ready()]);
        stage.tell(stage::asking("go"));
        stage.tell([stage::text(&"word ".repeat(60))]);
        stage.draw().unwrap();
        let mut parser = wrapped(&mut stage, width, height);
        std::mem::swap(&mut stage.parser, &mut parser);
        stage.size = Size::new(width, height);
        stage.draw().unwrap();
        let rows = stage.rows();
        let rules = rows.iter().filter(|row| row.starts_with("──"));
        assert_eq!(rules.count(), 1, "{width}x{height}: {rows:#?}");
        let words = rows.concat().matches("word").count();
        assert_eq!(words, 60, "{width}x{height}: {rows:#?}");
        stage.end().unwrap();
        let rows = stage.rows();
        assert!(rows.iter().all(|row| !row.starts_with("──")), "{rows:#?}");
        assert_eq!(rows.concat().matches("word").count(), 60);
    }
}

proptest! {
    #![proptest_config(anything::cases())]
    #[test]
    fn finished_rows_are_in_the_scrollback_once_and_in_order(
        width in 8u16..130, height in 1u16..50, rows_before in 0usize..60,
        steps in prop::collection::vec(anything::steps(), 0..80),
    ) {
        let mut stage = InlineStage::new(width, height, rows_before);
        for step in steps {
            match step {
                Step::Key(key) => stage.feed(Msg::Terminal(TerminalEvent::Key(key))),
                Step::Paste(text) => stage.feed(Msg::Terminal(TerminalEvent::Paste(text))),
                Step::Slash(line) => {
                    for key in stage::keys(line).into_iter().chain(stage::keys("<enter>")) {
                        stage.feed(Msg::Terminal(TerminalEvent::Key(key)));
                    }
                }
                Step::Wait(seconds) => stage.now.0 += seconds * 1000,
                Step::Tell(which) => stage.tell(anything::news(which)),
                Step::Resize(width, height) => {
                    // What of the viewport does not fit goes to the scrollback, where nobody can erase it.
                    let least = stage.viewport.area.height;
                    stage.resize(width.max(8), height.max(least));
                    stage.draw()?;
                }
                Step::Mouse(..) => {}
                Step::Draw => {
                    stage.draw()?;
                    prop_assert_eq!(stage.differences(), Vec::<String>::new());
                }
            }
        }
        stage.draw()?;
        prop_assert_eq!(stage.differences(), Vec::<String>::new());
        stage.end()?;
        prop_assert_eq!(stage.differences(), Vec::<String>::new());
    }
}
