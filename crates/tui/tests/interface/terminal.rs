//! What a terminal shows that was written to frame by frame is what one shows that was written to once.

use std::io;
use std::num::NonZero;

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use signoff_tui::terminal::FullScreen;

/// A terminal with everything that was written to it.
pub(crate) struct WrittenTerminal {
    screen: FullScreen<Vec<u8>>,
    parser: vt100::Parser,
    before: Buffer,
}

impl WrittenTerminal {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        Self {
            screen: FullScreen::new(Vec::new(), Size::new(width, height)),
            parser: vt100::Parser::new(at_least_one(height), at_least_one(width), 0),
            before: Buffer::empty(Rect::new(0, 0, width, height)),
        }
    }

    /// Writes a frame, and returns how many bytes that took.
    pub(crate) fn show(&mut self, frame: &Buffer, cursor: Position) -> io::Result<usize> {
        let mut frame = frame.clone();
        // The parser takes it for a byte that is no UTF-8, and shows nothing.
        let replaced = frame
            .content
            .iter_mut()
            .filter(|cell| cell.symbol().contains('\u{fffd}'));
        for cell in replaced {
            cell.set_symbol("?");
        }
        self.screen.draw(frame.area.as_size(), |wanted| {
            wanted.content.clone_from(&frame.content);
            Some(cursor)
        })?;
        let bytes = std::mem::take(self.screen.writer_mut());
        self.parser.process(&bytes);
        self.before = frame;
        Ok(bytes.len())
    }

    /// Tells in which cells it differs from a terminal on which the last frame is the only one.
    pub(crate) fn difference_from_redraw(&self, cursor: Position) -> io::Result<Vec<String>> {
        let Rect { width, height, .. } = self.before.area;
        let mut fresh = Self::new(width, height);
        fresh.show(&self.before, cursor)?;
        let both = self.cells().into_iter().zip(fresh.cells());
        let differ = both.filter(|(one, other)| one != other);
        let mut told: Vec<String> = differ
            .map(|(one, other)| format!("{one} for {other}"))
            .collect();
        let cursors = [&self.parser, &fresh.parser].map(|parser| parser.screen().cursor_position());
        if cursors[0] != cursors[1] {
            told.push(format!("cursor at {:?} for {:?}", cursors[0], cursors[1]));
        }
        Ok(told)
    }

    /// Returns what each cell holds and looks like.
    fn cells(&self) -> Vec<String> {
        let screen = self.parser.screen();
        let Rect { width, height, .. } = self.before.area;
        let rows = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
        let cells = rows.filter_map(|(y, x)| Some((y, x, screen.cell(y, x)?)));
        cells
            .map(|(y, x, cell)| {
                let text = match cell.contents() {
                    "" if !cell.is_wide_continuation() => " ",
                    text => text,
                };
                let (back, inverse) = (cell.bgcolor(), cell.inverse());
                // Nobody sees the colour of the letters of a blank.
                let letters = (text != " ").then(|| (cell.fgcolor(), cell.bold()));
                format!("{y}:{x} {text:?} {back:?} {inverse} {letters:?}")
            })
            .collect()
    }
}

fn at_least_one(size: u16) -> NonZero<u16> {
    NonZero::new(size).unwrap_or(NonZero::<u16>::MIN)
}

const WIDTH: u16 = 12;
const HEIGHT: u16 = 8;
const CURSOR: Position = Position {
    x: 1,
    y: HEIGHT - 1,
};

fn frame(rows: &[(String, usize)]) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
    let styles = [
        Style::new(),
        Style::new().fg(Color::Cyan),
        Style::new().add_modifier(Modifier::BOLD),
        Style::new()
            .fg(Color::Green)
            .add_modifier(Modifier::REVERSED),
    ];
    for (y, (text, style)) in (0..HEIGHT).zip(rows) {
        let (head, tail) = text.split_at(text.char_indices().nth(3).map_or(0, |(at, _)| at));
        let (x, _) = buffer.set_stringn(0, y, head, WIDTH.into(), Style::new());
        buffer.set_stringn(x, y, tail, (WIDTH - x).into(), styles[*style]);
    }
    buffer
}

fn lines(range: std::ops::Range<usize>) -> Buffer {
    let rows: Vec<_> = range.map(|n| (format!("line no {n:03}"), 0)).collect();
    frame(&rows)
}

#[test]
fn a_row_more_costs_the_row_and_not_the_screen() {
    let mut terminal = WrittenTerminal::new(WIDTH, HEIGHT);
    terminal.show(&lines(0..7), CURSOR).unwrap();
    assert!(terminal.show(&lines(1..8), CURSOR).unwrap() < 50);
    assert_eq!(
        terminal.show(&lines(1..8), CURSOR).unwrap(),
        0,
        "nothing changed"
    );
    assert!(terminal.show(&lines(0..7), CURSOR).unwrap() < 50);
}

proptest! {
    #[test]
    fn frames_that_scroll_look_as_if_drawn_at_once(
        all in prop::collection::vec(("([ab 漢é👩─]|e\u{301}){0,14}", 0usize..4), 20),
        starts in prop::collection::vec((0usize..12, 0usize..8, 0usize..20), 1..6),
    ) {
        let mut terminal = WrittenTerminal::new(WIDTH, HEIGHT);
        for (start, fixed, other) in starts {
            // Rows that scroll, with one among them that does not.
            let mut rows = all[start..start + 8].to_vec();
            rows[fixed] = all[other].clone();
            terminal.show(&frame(&rows), CURSOR)?;
            prop_assert_eq!(terminal.difference_from_redraw(CURSOR)?, Vec::<String>::new());
        }
    }
}
