//! Browsing the transcript: a block is selected, copied, opened or searched for.
//!
//! In: keys. Out: which rows are marked, and text to be copied. Blocks are messages, the blocks of code in them, and
//! calls.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Position, Scroll, Transcript};
use crate::response::Response;
use crate::theme::Role;
use crate::wrap::Row;

/// Columns of the mark beside the selected block.
pub(super) const GUTTER: usize = 2;

/// Where the user is.
#[derive(Debug)]
pub(super) struct Browsing {
    at: Block,
    /// What is being typed to look for.
    typed: Option<String>,
    /// Where to scroll from the end once the height of the screen is known.
    begins: Option<Scroll>,
    /// What was looked for last, and the row that had it.
    sought: String,
    hit: Option<Position>,
}

/// A cell, or a block of code in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    cell: usize,
    code: Option<usize>,
}

impl Transcript {
    /// Begins to browse, at the last block; false if there is none.
    pub(crate) fn begin_browsing(&mut self, begins: Option<Scroll>) -> bool {
        // The first cell is the header.
        if self.cells.len() < 2 {
            return false;
        }
        let cell = self.cells.len() - 1;
        self.browsing = Some(Browsing {
            at: Block { cell, code: None },
            typed: None,
            begins,
            sought: String::new(),
            hit: None,
        });
        self.width = self.width.saturating_sub(GUTTER).max(1);
        true
    }

    /// Scrolls to where browsing begins, once.
    pub(super) fn scroll_at_begin(&mut self, end: Position) {
        let begins = self.browsing.as_mut().and_then(|it| it.begins.take());
        if let Some(scroll) = begins {
            self.first = end;
            self.scroll(scroll);
        }
    }

    /// Browses no more, and follows the end again.
    pub(crate) fn end_browsing(&mut self) {
        if self.browsing.take().is_some() {
            self.held = None;
        }
    }

    /// Takes a key, and the character that it types, while what to look for is typed.
    pub(crate) fn type_sought(&mut self, key: KeyEvent, typed: Option<char>) -> Response {
        let browsing = self.browsing.as_mut();
        let Some(sought) = browsing.and_then(|browsing| browsing.typed.as_mut()) else {
            return Response::NotMine;
        };
        match (key.code, typed) {
            (_, Some(c)) => sought.push(c),
            (KeyCode::Backspace, _) => drop(sought.pop()),
            (KeyCode::Enter, _) => {
                let is_found = self.find_typed(true);
                return found(is_found);
            }
            (KeyCode::Esc, _) => drop(self.find_typed(false)),
            _ if key.modifiers.contains(KeyModifiers::CONTROL) => return Response::NotMine,
            _ => {}
        }
        Response::Handled
    }

    /// Ends typing what to look for, and goes to the nearest row above that has it; false if there is none.
    fn find_typed(&mut self, looks: bool) -> bool {
        let typed = self.browsing.as_mut().and_then(|it| it.typed.take());
        match (typed, &mut self.browsing) {
            (Some(typed), Some(browsing)) if looks && !typed.is_empty() => {
                browsing.sought = typed;
                browsing.hit = None;
                self.go_to_hit(false)
            }
            _ => true,
        }
    }

    /// Says where the user is.
    pub(crate) fn browsed(&self) -> Option<String> {
        let browsing = self.browsing.as_ref()?;
        Some(match (&browsing.typed, browsing.sought.as_str()) {
            (Some(typed), _) => format!("Find: {typed}▏"),
            (None, "") => "Transcript".to_owned(),
            (None, sought) => format!("Transcript: {sought}"),
        })
    }

    /// Goes on in a long block, then to the next one.
    pub(crate) fn next_block(&mut self) -> Response {
        if let Some(at) = self.browsed_block() {
            if self.goes_on_below(at) {
                self.held = self.later(self.first, self.height.saturating_sub(2).max(1));
            } else {
                let after = self.after(at);
                self.go_to(after);
            }
        }
        Response::Handled
    }

    /// Goes to the block before.
    pub(crate) fn previous_block(&mut self) -> Response {
        let before = self.browsed_block().and_then(|at| self.before(at));
        self.go_to(before);
        Response::Handled
    }

    /// Goes to the first block.
    pub(crate) fn first_block(&mut self) -> Response {
        self.go_to(Some(Block {
            cell: 1,
            code: None,
        }));
        Response::Handled
    }

    /// Goes to the last block.
    pub(crate) fn last_block(&mut self) -> Response {
        let cell = self.cells.len().saturating_sub(1);
        self.go_to(Some(Block { cell, code: None }));
        Response::Handled
    }

    /// Opens a call, or folds it.
    pub(crate) fn toggle_block(&mut self) -> Response {
        let Some(at) = self.browsed_block() else {
            return Response::Handled;
        };
        let Some(cell) = self.cells.get_mut(at.cell) else {
            return Response::Handled;
        };
        if let Some(said) = cell.folded_mut() {
            said.is_open = !said.is_open;
        } else if let Some(call) = cell.call_mut() {
            call.toggle();
        } else {
            return Response::say("Only calls and long pastes open and fold");
        }
        self.go_to(Some(at));
        Response::Handled
    }

    /// Copies the text of the block.
    pub(crate) fn copy_block(&mut self) -> Response {
        let Some(at) = self.browsed_block() else {
            return Response::Handled;
        };
        let cell = self.cells.get(at.cell);
        Response::Copy(cell.map_or_else(String::new, |cell| cell.source(at.code)))
    }

    /// Begins to type what to look for.
    pub(crate) fn begin_find(&mut self) -> Response {
        if let Some(browsing) = &mut self.browsing {
            browsing.typed = Some(String::new());
        }
        Response::Handled
    }

    /// Goes to the next row with a match.
    pub(crate) fn next_hit(&mut self) -> Response {
        found(self.browsing.is_none() || self.go_to_hit(true))
    }

    /// Goes to the row with a match before.
    pub(crate) fn previous_hit(&mut self) -> Response {
        found(self.browsing.is_none() || self.go_to_hit(false))
    }

    fn browsed_block(&self) -> Option<Block> {
        self.browsing.as_ref().map(|browsing| browsing.at)
    }

    /// Returns the rows that were decided on, with a mark beside the selected block.
    pub(crate) fn browsed_rows(&self) -> Vec<Row> {
        let Some(browsing) = &self.browsing else {
            return self.rows().cloned().collect();
        };
        let Block { cell, code } = browsing.at;
        let marked = self.cells.get(cell).map_or(0..0, |it| it.rows_of(code));
        let cells = self.cells.iter().enumerate().skip(self.first.cell);
        let all = cells.flat_map(|(number, cell)| {
            let rows = cell.laid_rows().iter().enumerate();
            rows.map(move |(row, text)| (Position { cell: number, row }, text))
        });
        let shown = all.skip(self.first.row).take(self.height);
        let mark = |(at, text): (Position, &Row)| {
            let is_marked = at.cell == cell && marked.contains(&at.row);
            let is_hit = browsing.hit == Some(at);
            let mut row = match (is_hit, is_marked) {
                (true, _) => Row::new(Role::Warn, "▶ "),
                (false, true) => Row::new(Role::Key, "▌ "),
                (false, false) => Row::new(Role::Text, "  "),
            };
            row.append(text);
            row
        };
        shown.map(mark).collect()
    }

    fn go_to(&mut self, block: Option<Block>) {
        let (Some(block), Some(browsing)) = (block, &mut self.browsing) else {
            return;
        };
        browsing.at = block;
        browsing.hit = None;
        self.height_of(block.cell);
        let rows = self
            .cells
            .get(block.cell)
            .map_or(0..0, |it| it.rows_of(block.code));
        let place = |row| Position {
            cell: block.cell,
            row,
        };
        let (start, end) = (place(rows.start), place(rows.end));
        if start < self.first {
            self.held = Some(start);
        } else if self.rows_between(self.first, end) > self.height {
            // All of it if that fits, else its start.
            self.held = Some(self.earlier(end, self.height).min(start));
        } else {
            self.held = Some(self.first);
        }
    }

    /// Returns whether the block goes on below the screen.
    fn goes_on_below(&mut self, at: Block) -> bool {
        self.height_of(at.cell);
        let rows = self
            .cells
            .get(at.cell)
            .map_or(0..0, |it| it.rows_of(at.code));
        let end = Position {
            cell: at.cell,
            row: rows.end,
        };
        let is_above = Position {
            cell: at.cell,
            row: rows.start,
        } <= self.first;
        end > self.first && is_above && self.rows_between(self.first, end) > self.height
    }

    fn after(&mut self, at: Block) -> Option<Block> {
        self.height_of(at.cell);
        let next = at.code.map_or(0, |code| code + 1);
        let count = self.cells.get(at.cell)?.code_blocks();
        if next < count {
            return Some(Block {
                cell: at.cell,
                code: Some(next),
            });
        }
        let cell = at.cell + 1;
        (cell < self.cells.len()).then_some(Block { cell, code: None })
    }

    fn before(&mut self, at: Block) -> Option<Block> {
        match at.code {
            Some(0) => Some(Block {
                cell: at.cell,
                code: None,
            }),
            Some(code) => Some(Block {
                cell: at.cell,
                code: Some(code - 1),
            }),
            None => {
                let cell = at.cell.checked_sub(1).filter(|cell| *cell > 0)?;
                self.height_of(cell);
                let count = self.cells.get(cell)?.code_blocks();
                Some(Block {
                    cell,
                    code: count.checked_sub(1),
                })
            }
        }
    }

    /// Goes to the next row that has what is looked for, or to the one before; false if none has.
    fn go_to_hit(&mut self, is_down: bool) -> bool {
        let Some(browsing) = &self.browsing else {
            return false;
        };
        let sought = browsing.sought.to_lowercase();
        let from = browsing.hit.unwrap_or(Position {
            cell: browsing.at.cell,
            row: if is_down { 0 } else { usize::MAX },
        });
        let hit = if is_down {
            (from.cell..self.cells.len()).find_map(|cell| {
                let above = (cell == from.cell).then_some(from.row);
                self.hits(cell, &sought)
                    .into_iter()
                    .find(|hit| above.is_none_or(|row| hit.row > row))
            })
        } else {
            (1..=from.cell).rev().find_map(|cell| {
                let below = (cell == from.cell).then_some(from.row);
                self.hits(cell, &sought)
                    .into_iter()
                    .rfind(|hit| below.is_none_or(|row| hit.row < row))
            })
        };
        let Some(hit) = hit.filter(|_| !sought.is_empty()) else {
            return false;
        };
        let held = self.earlier(hit, self.height / 3);
        self.held = Some(held);
        if let Some(browsing) = &mut self.browsing {
            browsing.at = Block {
                cell: hit.cell,
                code: None,
            };
            browsing.hit = Some(hit);
        }
        true
    }

    /// Returns the rows of a cell that have a text, also where it goes on in the next row.
    fn hits(&mut self, cell: usize, sought: &str) -> Vec<Position> {
        self.height_of(cell);
        let Some(laid) = self.cells.get(cell) else {
            return Vec::new();
        };
        let text = |row: &Row| {
            row.pieces()
                .map(|(_, text)| text)
                .collect::<String>()
                .to_lowercase()
        };
        let rows: Vec<String> = laid.laid_rows().iter().map(text).collect();
        let has = |(row, text): (usize, &String)| {
            let next = rows.get(row + 1).map_or("", |next| next.trim_start());
            let joined = format!("{text}{next}");
            let found = joined.find(sought).is_some_and(|at| at < text.len());
            found.then_some(Position { cell, row })
        };
        rows.iter().enumerate().filter_map(has).collect()
    }
}

/// Returns what a search of rows is answered with.
fn found(is_found: bool) -> Response {
    if is_found {
        Response::Handled
    } else {
        Response::say("Not found")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;
    use signoff_llm::message::CallId;
    use signoff_llm::session::CallEvent;

    fn said() -> Transcript {
        let mut transcript = Transcript::new(None);
        transcript.user("fix it");
        transcript.text("Like so:\n\n```sh\nls\n```\nThat is all of it.");
        let id = CallId("1".to_owned());
        let tool = || "bash".to_owned();
        transcript.call(CallEvent::Started {
            call: id.clone(),
            tool: tool(),
        });
        transcript.call(CallEvent::Input {
            call: id.clone(),
            tool: tool(),
            input: format!("{}z", "x".repeat(99)),
        });
        transcript.call(CallEvent::Done {
            call: id,
            tool: tool(),
            ok: true,
            summary: "exit 0".to_owned(),
            took_ms: None,
        });
        transcript.lay_out(80, 20);
        transcript
    }

    fn marked(transcript: &mut Transcript) -> Vec<String> {
        transcript.lay_out(80, 20);
        let rows = text_of(&transcript.browsed_rows());
        let marked = rows.into_iter().filter(|row| !row.starts_with("  "));
        marked.map(|row| row.trim_end().to_owned()).collect()
    }

    #[test]
    fn blocks_are_selected_copied_and_opened() {
        let mut transcript = said();
        assert!(transcript.begin_browsing(None));
        let [begin, end] = [30, 29].map(|columns| "x".repeat(columns));
        let call = format!("▌ ✓ bash  {begin}…{end}z → exit 0");
        assert_eq!(marked(&mut transcript), [call.as_str()]);
        transcript.toggle_block();
        let opened = marked(&mut transcript).concat();
        assert_eq!(
            opened.matches('x').count(),
            99 + "exit".matches('x').count()
        );
        transcript.previous_block();
        assert_eq!(marked(&mut transcript), ["▌   ls"]);
        let copy = |text: &str| Response::Copy(text.to_owned());
        assert_eq!(transcript.copy_block(), copy("ls\n"));
        transcript.previous_block();
        let said = "Like so:\n\n```sh\nls\n```\nThat is all of it.";
        assert_eq!(transcript.copy_block(), copy(said));
        transcript.previous_block();
        transcript.previous_block();
        assert_eq!(marked(&mut transcript), ["▌ › fix it"]);
        transcript.next_block();
        transcript.next_block();
        assert_eq!(marked(&mut transcript), ["▌   ls"]);
        transcript.end_browsing();
        assert!(transcript.browsed().is_none());
    }

    #[test]
    fn a_text_is_found_in_any_case_and_over_the_end_of_a_row() {
        let mut transcript = said();
        transcript.begin_browsing(None);
        transcript.begin_find();
        let mut press = |code, typed| transcript.type_sought(KeyEvent::from(code), typed);
        for c in "ALL OFF".chars() {
            press(KeyCode::Char(c), Some(c));
        }
        press(KeyCode::Backspace, None);
        assert_eq!(press(KeyCode::Enter, None), Response::Handled);
        assert_eq!(
            press(KeyCode::Enter, None),
            Response::NotMine,
            "nothing is typed"
        );
        assert!(marked(&mut transcript).contains(&"▶ That is all of it.".to_owned()));
        assert_eq!(transcript.previous_hit(), Response::say("Not found"));
        transcript.lay_out(15, 20);
        assert_eq!(transcript.hits(2, "is all of it").len(), 1);
    }

    #[test]
    fn a_block_longer_than_the_screen_is_gone_through() {
        let mut transcript = Transcript::new(None);
        transcript.text(&(1..=30).map(|n| format!("l{n}\n")).collect::<String>());
        transcript.user("next");
        transcript.lay_out(20, 5);
        transcript.begin_browsing(None);
        transcript.lay_out(20, 5);
        transcript.first_block();
        transcript.lay_out(20, 5);
        let mut steps = 0;
        while !text_of(&transcript.browsed_rows())
            .join("")
            .contains("▌ › next")
        {
            transcript.next_block();
            transcript.lay_out(20, 5);
            steps += 1;
        }
        assert!((8..=12).contains(&steps), "{steps}");
    }
}
