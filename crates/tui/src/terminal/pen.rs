//! Escape sequences, written only where something changes.
//!
//! In: where the cursor is to be, cells, regions that scroll. Out: the bytes of a frame. Rows are addressed by their number
//! on the screen, or by how far they are from the cursor, where nobody knows where on the screen that is.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth as _};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};

use super::scroll::Shift;

/// How rows are addressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Addressing {
    /// By their number on the screen.
    #[default]
    Screen,
    /// By how far they are from the cursor, whose row is always known: text never wraps.
    Cursor {
        /// The row that the cursor is in.
        row: u16,
    },
}

/// The cursor and the style of a terminal, and the bytes that changed them.
#[derive(Debug, Default)]
pub(super) struct Pen {
    out: String,
    addressing: Addressing,
    /// Where the cursor is, if that is known.
    cursor: Option<Position>,
    is_shown: Option<bool>,
    style: Option<Style>,
}

/// What the next characters look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Pen {
    /// Returns a pen whose first row is the one that the cursor is in, wherever that is on the screen.
    pub(super) fn at_cursor() -> Self {
        Self {
            addressing: Addressing::Cursor { row: 0 },
            ..Self::default()
        }
    }

    /// Returns the bytes since the last call.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out).into_bytes()
    }

    /// Appends a text that changes neither cursor nor style.
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Takes over that somebody else had the terminal.
    pub(super) fn forget(&mut self) {
        self.cursor = None;
        self.is_shown = None;
        self.style = None;
        if let Addressing::Cursor { row } = &mut self.addressing {
            *row = 0;
        }
    }

    /// Erases the screen.
    pub(super) fn clear(&mut self) {
        self.set_style(Style::default());
        self.out.push_str("\x1b[r\x1b[2J");
        self.cursor = None;
    }

    /// Leaves the terminal with the style that others expect.
    pub(super) fn rest(&mut self) {
        if self.style.is_some() {
            self.set_style(Style::default());
        }
    }

    pub(super) fn cursor(&self) -> Option<Position> {
        self.cursor
    }

    pub(super) fn show_cursor(&mut self, is_shown: bool) {
        if self.is_shown != Some(is_shown) {
            self.out
                .push_str(if is_shown { "\x1b[?25h" } else { "\x1b[?25l" });
            self.is_shown = Some(is_shown);
        }
    }

    pub(super) fn move_to(&mut self, to: Position) {
        if self.cursor == Some(to) {
            return;
        }
        if let Addressing::Cursor { row } = self.addressing {
            self.move_from(row, to);
            return;
        }
        let Position { x, y } = to;
        match self.cursor {
            Some(at) if at.y == y && at.x < x => self.sequence(x - at.x, 'C'),
            // The cursor is above the last row, so that a line feed scrolls nothing.
            Some(at) if at.y + 1 == y && x == 0 => self.out.push_str("\r\n"),
            Some(at) if at.y == y && x == 0 => self.out.push('\r'),
            _ if x == 0 => self.sequence(y + 1, 'H'),
            _ => {
                let (row, column) = (y + 1, x + 1);
                self.push(format_args!("\x1b[{row};{column}H"));
            }
        }
        self.cursor = Some(to);
    }

    /// Moves from a row, of which only that is known, unless the column is as well.
    fn move_from(&mut self, row: u16, to: Position) {
        let mut column = self.cursor.map(|at| at.x);
        // Also ends the state behind the last column, in which terminals differ.
        if column.is_none_or(|column| column > to.x) {
            self.out.push('\r');
            column = Some(0);
        }
        match (row, to.y) {
            (from, to) if from > to => self.sequence(from - to, 'A'),
            (from, to) if to - from <= 3 => {
                // In raw mode a line feed keeps the column. The row is there, so that nothing scrolls.
                self.out
                    .extend(std::iter::repeat_n('\n', (to - from).into()));
            }
            (from, to) => self.sequence(to - from, 'B'),
        }
        let column = column.unwrap_or_default();
        if to.x > column {
            self.sequence(to.x - column, 'C');
        }
        self.set_place(to);
    }

    fn set_place(&mut self, at: Position) {
        self.cursor = Some(at);
        if let Addressing::Cursor { row } = &mut self.addressing {
            *row = at.y;
        }
    }

    /// Returns the row that the cursor is in; rows are addressed by how far they are from it.
    pub(super) fn row(&self) -> u16 {
        match self.addressing {
            Addressing::Cursor { row } => row,
            Addressing::Screen => self.cursor.map_or(0, |at| at.y),
        }
    }

    /// Makes rows below the one that the cursor is in, scrolling the screen where there are none.
    pub(super) fn feed_lines(&mut self, lines: u16) {
        self.set_style(Style::default());
        self.out.push('\r');
        self.out.extend(std::iter::repeat_n('\n', lines.into()));
        let y = self.row() + lines;
        self.set_place(Position { x: 0, y });
    }

    /// Takes over that rows have other numbers: row `first` is the first one now. The cursor is in it or below.
    pub(super) fn count_from(&mut self, first: u16) {
        debug_assert!(self.row() >= first, "the cursor is below");
        let y = self.row().saturating_sub(first);
        self.cursor = self.cursor.map(|at| Position { y, ..at });
        if let Addressing::Cursor { row } = &mut self.addressing {
            *row = y;
        }
    }

    /// Goes up to the first row, from the one that the cursor is in by now, and erases it with all below.
    pub(super) fn erase_all_from(&mut self, rows_up: u16) {
        self.set_style(Style::default());
        self.out.push('\r');
        if rows_up > 0 {
            self.sequence(rows_up, 'A');
        }
        self.out.push_str("\x1b[J");
        self.set_place(Position { x: 0, y: 0 });
    }

    /// Erases a row and all below.
    pub(super) fn erase_below(&mut self, y: u16) {
        self.set_style(Style::default());
        self.move_to(Position { x: 0, y });
        self.out.push_str("\x1b[J");
    }

    /// Writes a cell of a buffer.
    pub(super) fn cell(&mut self, buffer: &Buffer, at: (u16, u16), cell: &Cell) {
        let (x, y) = at;
        self.go_on_to(buffer, Position { x, y });
        self.set_style(style_of(cell));
        self.out.push_str(cell.symbol());
        let after = x + cell.cell_width().max(1);
        // Terminals differ in how wide they take clusters to be, and in what they do behind the last column.
        let is_sure = cell.symbol().chars().count() == 1 && after < buffer.area.width;
        self.cursor = is_sure.then_some(Position { x: after, y });
        if let Addressing::Cursor { row } = &mut self.addressing {
            *row = y;
        }
    }

    /// Moves on, over a gap of a cell or two by writing what is there already.
    fn go_on_to(&mut self, buffer: &Buffer, to: Position) {
        if let Some(at) = self.cursor
            && at.y == to.y
            && (1..=2).contains(&to.x.saturating_sub(at.x))
        {
            // A cell that a wide one covers has an option.
            let plain = |cell: &&Cell| {
                let is_ascii = cell.symbol().len() == 1 && cell.diff_option == CellDiffOption::None;
                is_ascii && self.style == Some(style_of(cell))
            };
            let gap = (at.x..to.x).map(|x| buffer.cell((x, to.y)).filter(plain));
            if let Some(gap) = gap.collect::<Option<Vec<&Cell>>>() {
                gap.iter().for_each(|cell| self.out.push_str(cell.symbol()));
                self.cursor = Some(to);
                return;
            }
        }
        self.move_to(to);
    }

    /// Erases a row from a column on.
    pub(super) fn erase_from(&mut self, x: u16, y: u16) {
        self.set_style(Style::default());
        self.move_to(Position { x, y });
        self.out.push_str("\x1b[K");
    }

    /// Moves rows by deleting rows on one side of them and inserting as many on the other, in two sequences that every
    /// terminal knows; a scrolling region would take four. Rows behind the last one of the screen come and go by
    /// themselves.
    /// Where the last one is not that of the screen, nothing is left below it: what leaves it has to be blank (`is_bare`)
    /// or is deleted.
    pub(super) fn scroll(&mut self, shift: &Shift, height: u16, is_bare: bool) {
        self.set_style(Style::default());
        let Shift { rows, by, is_up } = shift;
        let (start, end) = (rows.start, rows.end - by);
        let (deleted, inserted) = if *is_up { (start, end) } else { (end, start) };
        let is_last = rows.end == height;
        let falls_off = self.addressing == Addressing::Screen || is_bare;
        if *is_up || !is_last || !falls_off {
            self.rows_at(deleted, *by, 'M');
        }
        if !*is_up || !is_last {
            self.rows_at(inserted, *by, 'L');
        }
    }

    /// Deletes or inserts rows. The cursor stays: it is in the first column, where some terminals put it.
    fn rows_at(&mut self, y: u16, count: u16, sequence: char) {
        self.move_to(Position { x: 0, y });
        self.sequence(count, sequence);
    }

    fn set_style(&mut self, style: Style) {
        if self.style == Some(style) {
            return;
        }
        let before = self.style.replace(style);
        let before = before.filter(|before| {
            style.modifier.contains(before.modifier)
                && (before.fg == Color::Reset || style.fg != Color::Reset)
                && (before.bg == Color::Reset || style.bg != Color::Reset)
        });
        if style == Style::default() {
            self.out.push_str("\x1b[m");
            return;
        }
        let mut codes = if before.is_none() {
            "0".to_owned()
        } else {
            String::new()
        };
        let known = before.unwrap_or_default();
        for (modifier, code) in MODIFIERS {
            if style.modifier.contains(*modifier) && !known.modifier.contains(*modifier) {
                add(&mut codes, code);
            }
        }
        if style.fg != known.fg {
            add(&mut codes, &colour(style.fg, 30));
        }
        if style.bg != known.bg {
            add(&mut codes, &colour(style.bg, 40));
        }
        self.push(format_args!("\x1b[{codes}m"));
    }

    /// Writes a sequence with a number, which is 1 where none is said.
    fn sequence(&mut self, number: u16, last: char) {
        match number {
            1 => self.push(format_args!("\x1b[{last}")),
            _ => self.push(format_args!("\x1b[{number}{last}")),
        }
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // A string takes everything.
        let _always = self.out.write_fmt(text);
    }
}

fn style_of(cell: &Cell) -> Style {
    Style {
        fg: cell.fg,
        bg: cell.bg,
        modifier: cell.modifier,
    }
}

const MODIFIERS: &[(Modifier, &str)] = &[
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::RAPID_BLINK, "6"),
    (Modifier::REVERSED, "7"),
    (Modifier::HIDDEN, "8"),
    (Modifier::CROSSED_OUT, "9"),
];

fn add(codes: &mut String, code: &str) {
    if !codes.is_empty() {
        codes.push(';');
    }
    codes.push_str(code);
}

/// Returns the parameters that choose a colour; `base` is 30 for letters and 40 for what is behind them.
fn colour(colour: Color, base: u8) -> String {
    let bright = base + 60;
    let code = match colour {
        Color::Reset => base + 9,
        Color::Black => base,
        Color::Red => base + 1,
        Color::Green => base + 2,
        Color::Yellow => base + 3,
        Color::Blue => base + 4,
        Color::Magenta => base + 5,
        Color::Cyan => base + 6,
        Color::Gray => base + 7,
        Color::DarkGray => bright,
        Color::LightRed => bright + 1,
        Color::LightGreen => bright + 2,
        Color::LightYellow => bright + 3,
        Color::LightBlue => bright + 4,
        Color::LightMagenta => bright + 5,
        Color::LightCyan => bright + 6,
        Color::White => bright + 7,
        Color::Indexed(index) => return format!("{};5;{index}", base + 8),
        Color::Rgb(r, g, b) => return format!("{};2;{r};{g};{b}", base + 8),
    };
    code.to_string()
}
