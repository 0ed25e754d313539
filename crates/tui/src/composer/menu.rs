//! Menu above the input: what the text at the cursor can be completed to.
//!
//! In: choices, best first, and keys. Out: the choice that is taken, and rows.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::sanitize;
use crate::theme::Role;
use crate::wrap::{self, Row};

/// The most choices that are on the screen at once: more push the conversation away.
pub(crate) const MENU_ROWS: usize = 8;

/// Columns between a choice and what is said of it.
const GAP: usize = 2;

/// What a menu offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MenuKind {
    /// Commands of the interface.
    Commands,
    /// What a command takes after its name.
    Arguments,
    /// Files and definitions that a prompt mentions behind an `@`.
    Mentions,
    /// Earlier prompts.
    Prompts,
    /// Prompts of the conversation, to go back to.
    Rewind,
    /// Models, for a user who named none.
    Models,
    /// Actions and commands, with their keys.
    Palette,
}

/// A line of a menu.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What is put into the input.
    pub(crate) text: String,
    /// What the line shows.
    pub(crate) name: String,
    /// What is said of it.
    pub(crate) help: String,
}

impl Choice {
    /// Returns whether it is named whole, in small letters: by its text, or by the first word that it shows.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let first = self.name.split_whitespace().next().unwrap_or_default();
        self.text.to_lowercase() == name || first.to_lowercase() == name
    }
}

/// Choices for a part of the input.
#[derive(Debug)]
pub(crate) struct Menu {
    pub(crate) kind: MenuKind,
    /// The bytes of the input that a choice stands in for.
    pub(crate) span: Range<usize>,
    choices: Vec<Choice>,
    selected: Option<usize>,
    /// True if the text changed and the choices for it have not come yet.
    is_stale: bool,
    top: usize,
    room: usize,
}

impl Menu {
    /// Returns a menu with the first choice selected; arguments, and models that nobody asked for, are selected by hand.
    pub(crate) fn new(kind: MenuKind, span: Range<usize>, mut choices: Vec<Choice>) -> Self {
        for choice in &mut choices {
            choice.name = sanitize::clean(&choice.name).replace('\t', " ");
        }
        let by_hand = matches!(kind, MenuKind::Arguments | MenuKind::Models);
        let selects = !by_hand && !choices.is_empty();
        Self {
            kind,
            span,
            choices,
            selected: selects.then_some(0),
            is_stale: false,
            top: 0,
            room: MENU_ROWS,
        }
    }

    /// Selects the choice that puts a text into the input, or else the first.
    pub(crate) fn preselect(&mut self, text: &str) {
        let at = self.choices.iter().position(|it| it.text == text);
        self.select(at.unwrap_or(0));
    }

    /// Returns the selected choice.
    pub(crate) fn selected(&self) -> Option<&Choice> {
        self.choices.get(self.selected?)
    }

    /// Returns which choice is selected.
    pub(crate) fn selected_at(&self) -> Option<usize> {
        self.selected
    }

    /// Returns how many choices stand behind the selected one.
    pub(crate) fn behind_selected(&self) -> Option<usize> {
        self.choices.len().checked_sub(self.selected? + 1)
    }

    /// Returns the selected choice, or the first.
    pub(crate) fn first_or_selected(&self) -> Option<&Choice> {
        self.selected().or_else(|| self.choices.first())
    }

    /// Keeps the choices on the screen until those for the changed text come.
    pub(crate) fn stale(mut self) -> Self {
        self.is_stale = true;
        self
    }

    /// Returns true if the choices are not those for the text.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Selects what is selected in a menu for the same text: more choices came meanwhile.
    pub(crate) fn select_as(&mut self, other: &Self) {
        let chosen = other.selected().filter(|_| !other.is_stale);
        if let (Some(chosen), true) = (chosen, other.selected > Some(0)) {
            let at = self.choices.iter().position(|it| it.text == chosen.text);
            self.selected = at.or(self.selected);
        }
    }

    /// Returns true if there is nothing to choose.
    pub(crate) fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// Selects the choice below; after the last one the first.
    pub(crate) fn next(&mut self) {
        let next = self.selected.map_or(0, |at| at + 1);
        self.select(if next < self.choices.len() { next } else { 0 });
    }

    /// Selects the choice above; before the first one the last.
    pub(crate) fn previous(&mut self) {
        let before = self.selected.and_then(|at| at.checked_sub(1));
        self.select(before.unwrap_or(self.choices.len().saturating_sub(1)));
    }

    fn select(&mut self, at: usize) {
        self.selected = (at < self.choices.len()).then_some(at);
    }

    /// Returns the rows that the menu wants.
    pub(crate) fn height(&self) -> usize {
        self.choices.len().clamp(1, MENU_ROWS)
    }

    /// Decides which choices are shown in `room` rows: the selected one is among them.
    pub(crate) fn lay_out(&mut self, room: usize) {
        self.room = room;
        let at = self.selected.unwrap_or(0);
        self.top = self
            .top
            .min(at)
            .max((at + 1).saturating_sub(room))
            .min(self.choices.len().saturating_sub(room));
    }

    /// Returns the rows that were decided on.
    pub(crate) fn rows(&self, width: usize) -> Vec<Row> {
        if self.is_empty() {
            let said = match self.kind {
                MenuKind::Palette => "  no action matches",
                MenuKind::Commands
                | MenuKind::Arguments
                | MenuKind::Mentions
                | MenuKind::Prompts
                | MenuKind::Rewind
                | MenuKind::Models => "  no prompt has that",
            };
            return vec![Row::new(Role::Dim, said).clipped(width)];
        }
        let shown = self.choices.iter().enumerate().skip(self.top);
        let shown = shown.take(self.room);
        let names = shown.clone().map(|(_, it)| wrap::width(&it.name));
        let column = names.max().unwrap_or(0);
        let column = match self.kind {
            // Keys are short, and what an action does is not.
            MenuKind::Palette => column.min(width * 2 / 3),
            MenuKind::Commands
            | MenuKind::Arguments
            | MenuKind::Mentions
            | MenuKind::Prompts
            | MenuKind::Rewind
            | MenuKind::Models => column.min(width / 2),
        };
        let row = |(at, choice): (usize, &Choice)| {
            let is_selected = self.selected == Some(at);
            self.row(choice, is_selected, (width, column))
        };
        shown.map(row).collect()
    }

    fn row(&self, choice: &Choice, is_selected: bool, (width, column): (usize, usize)) -> Row {
        let (mark, role) = if is_selected {
            ("▸ ", Role::Selected)
        } else {
            ("  ", Role::Text)
        };
        let room = width.saturating_sub(2);
        let name = match self.kind {
            MenuKind::Mentions => ending(&choice.name, room),
            MenuKind::Palette if !choice.help.is_empty() => beginning(&choice.name, column),
            MenuKind::Commands
            | MenuKind::Arguments
            | MenuKind::Prompts
            | MenuKind::Rewind
            | MenuKind::Models
            | MenuKind::Palette => choice.name.clone(),
        };
        let mut row = Row::new(role, mark).with(role, &name);
        if !choice.help.is_empty() {
            let used = row.width().saturating_sub(2);
            row.push(Role::Dim, &" ".repeat(column.saturating_sub(used) + GAP));
            row.push(Role::Dim, &choice.help);
        }
        row.clipped(width)
    }
}

/// Returns the beginning of what an action does that leaves room for its key.
fn beginning(text: &str, room: usize) -> String {
    if wrap::width(text) <= room {
        return text.to_owned();
    }
    let mut used = 1;
    let mut fitting = String::new();
    for grapheme in text.graphemes(true) {
        used += wrap::width(grapheme);
        if used > room {
            break;
        }
        fitting.push_str(grapheme);
    }
    fitting.push('…');
    fitting
}

/// Returns the end of a path that fits: its name tells more than its first folders.
fn ending(path: &str, room: usize) -> String {
    if wrap::width(path) <= room {
        return path.to_owned();
    }
    let mut used = 1;
    let mut start = path.len();
    for (at, grapheme) in path.grapheme_indices(true).rev() {
        used += wrap::width(grapheme);
        if used > room {
            break;
        }
        start = at;
    }
    format!("…{}", path.get(start..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    fn menu(kind: MenuKind, names: &[&str]) -> Menu {
        let choice = |name: &&str| Choice {
            text: (*name).to_owned(),
            name: (*name).to_owned(),
            help: String::new(),
        };
        Menu::new(kind, 0..0, names.iter().map(choice).collect())
    }

    #[test]
    fn the_selection_goes_round_and_stays_in_sight() {
        let mut menu = menu(MenuKind::Mentions, &["a", "b", "c", "d"]);
        let mut after = |key: fn(&mut Menu)| {
            key(&mut menu);
            menu.lay_out(2);
            text_of(&menu.rows(20))
        };
        assert_eq!(after(|_| {}), ["▸ a", "  b"]);
        assert_eq!(after(Menu::next), ["  a", "▸ b"]);
        assert_eq!(after(Menu::next), ["  b", "▸ c"]);
        assert_eq!(after(Menu::next), ["  c", "▸ d"]);
        assert_eq!(after(Menu::next), ["▸ a", "  b"]);
        assert_eq!(after(Menu::previous), ["  c", "▸ d"]);
    }

    #[test]
    fn an_argument_is_selected_by_hand() {
        let mut menu = menu(MenuKind::Arguments, &["plan", "step"]);
        assert_eq!(menu.selected(), None);
        menu.next();
        assert_eq!(menu.selected().map(|it| it.name.as_str()), Some("plan"));
    }

    #[test]
    fn names_are_shown_harmlessly() {
        let menu = menu(MenuKind::Prompts, &["a\tb\u{1b}[31m\u{202e}"]);
        let rows = menu.rows(40);
        assert_eq!(text_of(&rows), ["▸ a b␛[31m\\u{202e}"]);
    }

    #[test]
    fn a_long_path_shows_its_end() {
        for (path, room, expected) in [
            ("src/main.rs", 11, "src/main.rs"),
            ("src/main.rs", 8, "…main.rs"),
            ("漢字/字.md", 6, "…字.md"),
            ("漢字.md", 0, "…"),
        ] {
            assert_eq!(ending(path, room), expected);
        }
    }
}
