//! Screen layout: the parts of the screen, which rows each pane shows in its part, and which part the mouse is over.
//!
//! In: the screen's size and the state of the interface. Out: rectangles that never overlap, at
//! any size; the panes remember where they are scrolled to. Drawing only reads what stands here.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect, Size};

use super::App;
use super::dialog::Dialog;
use super::overlay::Overlay;
use super::permission_prompt::PermissionPrompt;
use super::status_line::{self, StatusLine};
use super::type_ahead::Cause;
use crate::app::keymap::Context;
use crate::composer::menu::Menu;
use crate::review::history::History;
use crate::row_window::Scroll;
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Columns of the mark in front of the input, and one after it for the cursor.
pub(crate) const MARK: u16 = 2;

/// The most rows that a question takes.
const QUESTION_ROWS: usize = 4;
const MOST_QUESTION: u16 = QUESTION_ROWS as u16;

/// The most rows that a call takes which asks for permission, on a screen of any height, and the
/// share of a high one.
const PERMISSION_ROWS: usize = 8;
const PERMISSION_SHARE: u16 = 2;

/// The most rows that queued prompts take, and how many are left to what is above them.
const QUEUED_ROWS: u16 = 3;
const LEAST_MAIN: u16 = 6;

/// The most rows that the status line takes where what is said in it is wider than the screen.
const MOST_SAID: u16 = 3;

/// How many rows the list above the input leaves to what is above it.
const BESIDE_MENU: u16 = 2;

/// Fewer rows than this are not shared between transcript and review while the composer has the keys. Rows of a question
/// do not count, so that the review never shrinks when a question does: its rows count as displayed.
const SHARED: u16 = 15;

/// The parts of the screen, top to bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Areas {
    /// Where transcript, or an overlay, is.
    pub(crate) transcript: Rect,
    /// Where the review is, if it is open.
    pub(crate) review: Option<Rect>,
    /// Where queued prompts are; empty if there are none, or on a low screen.
    pub(crate) queued: Rect,
    /// Where the list above the input is; empty if there is none.
    pub(crate) menu: Rect,
    /// The line above the input; empty on a very low screen.
    pub(crate) rule: Rect,
    /// The input.
    pub(crate) input: Rect,
    /// The status line, which has more rows where what is said is wide; empty on a screen of one row.
    pub(crate) status: Rect,
}

impl Areas {
    /// Takes rows of the transcript away, so that what is below moves up.
    fn shrink_transcript(&mut self, rows: u16) {
        let gone = self.transcript.height.saturating_sub(rows);
        self.transcript.height -= gone;
        let below = [
            &mut self.queued,
            &mut self.menu,
            &mut self.rule,
            &mut self.input,
            &mut self.status,
        ];
        below.into_iter().for_each(|part| part.y -= gone);
    }
}

/// Rows of the transcript that will not change any more.
#[derive(Debug)]
pub struct FinishedRows(pub(crate) Vec<Row>);

/// What is shown where the conversation goes to the terminal's scrollback.
#[derive(Debug)]
pub struct InlineFrame {
    /// What goes to the scrollback.
    pub finished: FinishedRows,
    /// The size of the viewport below them.
    pub viewport: Size,
    /// The parts of the viewport.
    pub areas: Areas,
}

/// Whether the review takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Panes {
    /// Transcript alone.
    Transcript,
    /// Transcript and review: the composer has the keys.
    Both,
    /// Review alone: it has the keys.
    Review,
}

impl App {
    /// Decides what the next frame shows on a screen of this size. What it shows counts as displayed
    /// from now on, so the frame is to be drawn at once.
    #[must_use]
    pub fn lay_out(&mut self, area: Rect) -> Areas {
        let is_covered = self.focus.overlay().is_some() || self.foresees();
        let panes = match (self.focus.shows_review(), self.focus.is_in_review()) {
            _ if is_covered => Panes::Transcript,
            (false, _) => Panes::Transcript,
            (true, false) => Panes::Both,
            (true, true) => Panes::Review,
        };
        let areas = areas(area, self.wanted(area), panes);
        self.lay_out_main(&areas);
        self.lay_out_below(&areas);
        areas
    }

    /// Returns how many rows the parts below the panes want.
    fn wanted(&mut self, area: Rect) -> Wanted {
        let queued = self.conversation.queue().len().min(QUEUED_ROWS.into());
        Wanted {
            input: self.input_rows(area),
            queued: queued.try_into().unwrap_or(QUEUED_ROWS),
            menu: self.menu_rows(),
            said: self.said_rows(area.width),
        }
    }

    /// Lays out what is below the panes.
    fn lay_out_below(&mut self, areas: &Areas) {
        let menu = match self.focus.palette_mut() {
            Some(palette) => Some(palette.menu_mut()),
            None => self.conversation.composer_mut().menu_mut(),
        };
        if let Some(menu) = menu {
            menu.lay_out(areas.menu.height.into());
        }
        self.lay_out_input(areas.input);
        self.status_line = StatusLine::of(self, size(areas.status));
        self.areas = Some(*areas);
    }

    /// Returns true if the next frame takes the whole screen: always, unless the conversation goes to the terminal's
    /// scrollback and nothing but the conversation is shown.
    pub fn fills_screen(&self) -> bool {
        !self.is_inline
            || self.focus.overlay().is_some()
            || self.foresees()
            || self.focus.shows_review()
    }

    /// Decides what the next frame shows where it does not take the whole screen, of which this is the size: rows that are
    /// finished, and below them a viewport with all that still changes. To be drawn at once, as it counts as displayed.
    #[must_use]
    pub fn lay_out_inline(&mut self, screen: Size) -> InlineFrame {
        debug_assert!(!self.fills_screen(), "nothing takes the whole screen");
        let whole = Rect::new(0, 0, screen.width, screen.height);
        self.transcript.end_browsing();
        let mut parts = areas(whole, self.wanted(whole), Panes::Transcript);
        let room = usize::from(parts.transcript.height);
        let finished = self.transcript.take_finished(screen.width.into(), room);
        let unfinished = self.transcript.lay_out_unfinished(room);
        parts.shrink_transcript(unfinished.try_into().unwrap_or(u16::MAX));
        self.lay_out_below(&parts);
        InlineFrame {
            finished: FinishedRows(finished),
            viewport: Size::new(screen.width, parts.status.bottom()),
            areas: parts,
        }
    }

    /// Returns the rows of the conversation that are not in the terminal's scrollback yet, once nothing is shown any more.
    #[must_use]
    pub fn take_unfinished(&mut self, width: u16) -> FinishedRows {
        debug_assert!(
            self.is_inline,
            "otherwise the conversation goes with the screen"
        );
        FinishedRows(self.transcript.take_rest(width.into()))
    }

    fn lay_out_main(&mut self, areas: &Areas) {
        let (width, height) = size(areas.transcript);
        let below_title = height.saturating_sub(1);
        if let Some(foreseen) = self.focus.dialog_mut().and_then(Dialog::foreseen_mut) {
            foreseen.lay_out(width, below_title);
            return;
        }
        if !matches!(self.focus.overlay(), Some(Overlay::Transcript)) {
            self.transcript.end_browsing();
        }
        match self.focus.overlay_mut() {
            Some(Overlay::History) => self.history.lay_out(below_title),
            Some(Overlay::Help(page)) => page.lay_out(&self.keys, width, below_title),
            Some(Overlay::SignOff(page)) => page.lay_out(width, below_title),
            Some(Overlay::Diff(page)) => page.lay_out(width, below_title),
            Some(Overlay::Note(page)) => page.lay_out(width, below_title),
            Some(Overlay::Places(page)) => page.lay_out(width, below_title),
            Some(Overlay::Background(page)) => page.lay_out(width, below_title),
            Some(Overlay::Transcript) | None => self.transcript.lay_out(width, height),
        }
        if let Some(area) = areas.review {
            let (width, height) = size(area);
            self.review.lay_out(width, height);
            if self.review.take_fresh() {
                self.focus.guard(Cause::Rows);
            }
        }
    }

    fn lay_out_input(&mut self, area: Rect) {
        if let Some(palette) = self.focus.palette_mut() {
            let line = palette.line_mut();
            line.lay_out(text_width(area.width), area.height.into());
            return;
        }
        if let Some(prompt) = self.asking_mut() {
            prompt.lay_out(area.width.into(), area.height.into());
            return;
        }
        let line = match self.focus.dialog_mut().map(Dialog::line) {
            Some(Some(line)) => line,
            Some(None) => return,
            None => self.conversation.composer_mut(),
        };
        line.lay_out(text_width(area.width), area.height.into());
    }

    /// Returns how many rows the input wants.
    fn input_rows(&mut self, area: Rect) -> u16 {
        let width = area.width;
        let most = PERMISSION_ROWS.max((area.height / PERMISSION_SHARE).into());
        let rows = if let Some(palette) = self.focus.palette_mut() {
            palette.line_mut().height(text_width(width))
        } else if let Some(prompt) = self.asking_mut() {
            prompt.height(width.into()).min(most)
        } else if let Some(text) = self.question() {
            question_rows(text, width.into()).len().min(QUESTION_ROWS)
        } else {
            let has_lines = self.focus.dialog().is_some_and(Dialog::has_lines);
            let line = self.focus.dialog_mut().and_then(Dialog::line);
            let line = line.unwrap_or(self.conversation.composer_mut());
            let least = LEAST_MAIN + 2;
            let most = usize::from(area.height.saturating_sub(least));
            if has_lines {
                line.whole_height(text_width(width)).min(most)
            } else {
                line.height(text_width(width))
            }
        };
        rows.try_into().unwrap_or(u16::MAX)
    }

    /// Returns how many rows the list above the input wants.
    fn menu_rows(&self) -> u16 {
        let shown = self.context() == Context::Menu;
        let menu = match self.focus.palette() {
            Some(palette) => Some(palette.menu()),
            None => self.conversation.composer().menu().filter(|_| shown),
        };
        let rows = menu.map_or(0, Menu::height);
        rows.try_into().unwrap_or(u16::MAX)
    }

    /// Returns how many rows the status line wants: more than one where what is said is wider than the screen.
    fn said_rows(&self, width: u16) -> u16 {
        let said = self.status.notice();
        let rows = said.map_or(1, |said| status_line::said_rows(said, width.into()).len());
        rows.try_into().unwrap_or(u16::MAX)
    }

    /// Tells whether what a revert would change is shown.
    fn foresees(&self) -> bool {
        let dialog = self.focus.dialog();
        dialog.is_some_and(|dialog| dialog.foreseen().is_some())
    }

    /// Returns the question for permission if it is in the place of the composer.
    pub(crate) fn asking(&self) -> Option<&PermissionPrompt> {
        let prompt = self.focus.permission();
        prompt.filter(|_| self.context().asks_permission())
    }

    fn asking_mut(&mut self) -> Option<&mut PermissionPrompt> {
        let asks = self.context().asks_permission();
        self.focus.permission_mut().filter(|_| asks)
    }

    /// Returns the question in the place of the composer that is answered with a key.
    pub(crate) fn question(&self) -> Option<&str> {
        match (self.focus.dialog(), self.context()) {
            (_, Context::Palette) => None,
            (Some(Dialog::Confirm { question, .. }), _) => Some(&question.text),
            (Some(Dialog::Rewind { question, .. }), _) => Some(question.text()),
            (_, Context::Review | Context::Lines) => self.review.question(),
            _ => None,
        }
    }
}

/// The mouse, by what it is over.
impl App {
    /// Does what the mouse asks: the wheel scrolls what it is over, a click selects what it is on and gives it the keys,
    /// and on a hint of the status line does what its key does. Neither ever answers anything. What the command palette
    /// is about stays as it is while the palette is open.
    pub(super) fn on_mouse(&mut self, event: MouseEvent) {
        let at = Position::new(event.column, event.row);
        let Some(areas) = self.areas.filter(|_| self.focus.palette().is_none()) else {
            return;
        };
        let review = areas.review.filter(|area| area.contains(at));
        match (event.kind, review) {
            (MouseEventKind::ScrollUp, Some(_)) => self.review.wheel(false),
            (MouseEventKind::ScrollDown, Some(_)) => self.review.wheel(true),
            (MouseEventKind::ScrollUp, None) => self.wheel(Scroll::WheelUp),
            (MouseEventKind::ScrollDown, None) => self.wheel(Scroll::WheelDown),
            (MouseEventKind::Down(MouseButton::Left), Some(area)) => {
                self.click_on_review(at, area);
            }
            (MouseEventKind::Down(MouseButton::Left), None)
                if areas.input.contains(at) && self.focus.is_in_panes() =>
            {
                self.focus.type_instead();
            }
            (MouseEventKind::Down(MouseButton::Left), None) if areas.status.contains(at) => {
                self.click_on_status((at.x - areas.status.x).into());
            }
            _ => {}
        }
    }

    fn click_on_status(&mut self, column: usize) {
        let Some(button) = self.status_line.button_at(column, self.context()) else {
            return;
        };
        // What opened is not what the next key was meant for.
        self.focus.guard(Cause::Rows);
        self.press_button(button);
    }

    fn wheel(&mut self, scroll: Scroll) {
        let scrolled = self.focus.scroll(scroll);
        match self.focus.overlay_mut() {
            _ if scrolled => {}
            Some(Overlay::Diff(page)) => page.wheel(scroll == Scroll::WheelDown),
            Some(Overlay::History) => {
                self.in_history(match scroll {
                    Scroll::WheelDown => History::older,
                    _ => History::newer,
                });
            }
            Some(
                Overlay::Help(_)
                | Overlay::Transcript
                | Overlay::SignOff(_)
                | Overlay::Places(_)
                | Overlay::Background(_)
                | Overlay::Note(_),
            )
            | None => self.transcript.scroll(scroll),
        }
    }

    fn click_on_review(&mut self, at: Position, area: Rect) {
        if !self.focus.is_in_panes() {
            return;
        }
        let place = (at.x - area.x, at.y - area.y);
        let place = (usize::from(place.0), usize::from(place.1));
        self.review.click(place, area.height.into());
        if !self.focus.is_in_review() {
            self.focus.open_review();
        }
        // What is selected is another hunk: the next key is no answer yet.
        self.focus.guard(Cause::Rows);
    }
}

/// Returns a question as rows.
pub(crate) fn question_rows(text: &str, width: usize) -> Vec<Row> {
    let row = Row::new(Role::Warn, "? ").with(Role::Strong, text);
    wrap::wrap(&row, width, 2, Break::Words)
}

fn text_width(width: u16) -> usize {
    width.saturating_sub(MARK + 1).max(1).into()
}

/// Returns the columns and rows of a part of the screen.
pub(crate) fn size(area: Rect) -> (usize, usize) {
    (area.width.into(), area.height.into())
}

/// How many rows the parts want that have what they want first.
#[derive(Clone, Copy, Debug, Default)]
struct Wanted {
    input: u16,
    queued: u16,
    menu: u16,
    said: u16,
}

/// Returns the parts of `area`.
fn areas(area: Rect, wanted: Wanted, panes: Panes) -> Areas {
    let status = match area.height {
        0 | 1 => 0,
        height => wanted.said.min(MOST_SAID).min(height / 4).max(1),
    };
    let rule = u16::from(area.height >= 4);
    let left = area.height - status - rule;
    let input = wanted
        .input
        .clamp(1, left.saturating_sub(3).max(1))
        .min(left);
    let main = left - input;
    let queued = wanted.queued.min(main.saturating_sub(LEAST_MAIN));
    let main = main - queued;
    let menu = wanted.menu.min(main.saturating_sub(BESIDE_MENU));
    let main = main - menu;
    let (transcript, review) = match panes {
        Panes::Transcript => (main, 0),
        Panes::Both if left.saturating_sub(input.max(MOST_QUESTION)) >= SHARED => {
            (main / 4, main - main / 4)
        }
        Panes::Both | Panes::Review => (0, main),
    };
    let mut y = area.y;
    let mut next = |height: u16| {
        let part = Rect::new(area.x, y, area.width, height);
        y += height;
        part
    };
    Areas {
        transcript: next(transcript),
        review: match panes {
            Panes::Transcript => None,
            Panes::Both | Panes::Review => Some(next(review)),
        },
        queued: next(queued),
        menu: next(menu),
        rule: next(rule),
        input: next(input),
        status: next(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_transcript_makes_room_for_the_input() {
        let check = |height, input, expected: (u16, u16)| {
            let wanted = Wanted {
                input,
                ..Wanted::default()
            };
            let areas = areas(Rect::new(0, 0, 80, height), wanted, Panes::Transcript);
            assert_eq!((areas.transcript.height, areas.input.height), expected);
        };
        check(24, 1, (21, 1));
        check(24, 10, (12, 10));
        check(8, 10, (3, 3));
        check(5, 10, (2, 1));
        check(2, 10, (0, 1));
    }

    proptest! {
        #[test]
        fn parts_fill_the_screen_and_never_overlap(
            width in 0u16..200, height in 0u16..80, input in 0u16..20, queued in 0u16..4, menu in 0u16..9,
            said in 0u16..5, open: bool,
        ) {
            let panes = if open { Panes::Both } else { Panes::Transcript };
            let screen = Rect::new(0, 0, width, height);
            let areas = areas(screen, Wanted { input, queued, menu, said }, panes);
            let review = areas.review.map_or(0, |review| review.height);
            let sum = areas.transcript.height + review + areas.queued.height + areas.menu.height
                + areas.rule.height + areas.input.height + areas.status.height;
            prop_assert_eq!(sum, height);
            prop_assert!(height == 0 || areas.input.height > 0);
        }
    }
}
