//! Help overlay, printed from the key map: one screen about where the user is, and a search in all of it.
//!
//! In: the map, where the page was opened, keys that scroll or are typed into the search, and a size. Out: rows. The keys of
//! the part that had the keys come first; those of every other part, and the commands, follow.
//!
//! Example: `?` in the composer shows the keys of the prompt and those of everywhere, as far as they fit. `/` and `revert` then
//! leave each key and command, of any part, that reverts.

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::slash;
use crate::app::keymap::{Context, KeyMap, KeyMark};
use crate::response::Response;
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Where the user is in the help.
#[derive(Debug, Default)]
pub(crate) struct HelpPage {
    /// The context whose keys come first.
    begins: Option<Context>,
    /// What is searched for; nothing while only one screen is shown.
    sought: Option<String>,
    rows: Vec<Row>,
    window: RowWindow,
}

impl HelpPage {
    /// Returns the page that begins with the keys of a context.
    pub(super) fn at(context: Context) -> Self {
        Self {
            begins: Some(context),
            ..Self::default()
        }
    }

    /// Begins a search, which finds everything at first.
    pub(super) fn find(&mut self) {
        self.sought.get_or_insert_default();
    }

    /// Takes a key, and the character that it types, while a search is typed.
    pub(super) fn type_sought(&mut self, key: KeyEvent, typed: Option<char>) -> Response {
        let Some(sought) = &mut self.sought else {
            return Response::NotMine;
        };
        match (key.code, typed) {
            // It is the key that turns the page as well.
            (_, Some(' ')) if sought.is_empty() => return Response::NotMine,
            (_, Some(c)) => sought.push(c),
            (KeyCode::Backspace, _) => drop(sought.pop()),
            (KeyCode::Esc, _) => self.sought = None,
            _ => return Response::NotMine,
        }
        self.window = RowWindow::default();
        Response::Handled
    }

    /// Moves by a screen, or to an end. From the one screen this leads on to the rest of all that there is.
    pub(super) fn scroll(&mut self, scroll: Scroll) {
        self.find();
        self.window.scroll(scroll);
    }

    /// Returns true if it was opened over a page of this context.
    pub(super) fn is_over(&self, context: Context) -> bool {
        self.begins == Some(context)
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub(super) fn lay_out(&mut self, keys: &KeyMap, width: usize, room: usize) {
        let entries = self.entries(keys);
        self.rows = match &self.sought {
            Some(sought) => {
                let words: Vec<String> = sought.split_whitespace().map(str::to_lowercase).collect();
                let found = entries.iter().filter(|entry| entry.has(&words));
                blocks(found, width).concat()
            }
            None => one_screen(&entries, width, room),
        };
        self.window.fit(self.rows.len(), room);
    }

    /// Returns the title.
    pub(crate) fn title(&self) -> String {
        let position = self.window.position(self.rows.len());
        match &self.sought {
            Some(sought) => format!("Keys  /{sought}▏{position}"),
            None => "Keys".to_owned(),
        }
    }

    /// Returns the rows in sight.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.window.of(&self.rows)
    }

    /// Returns the lines of help, those of the context that it begins with first.
    fn entries<'a>(&self, keys: &'a KeyMap) -> Vec<HelpEntry<'a>> {
        let (mut entries, mut title, mut first) = (Vec::new(), "", "");
        for context in Context::all() {
            // One without a title is listed under another one.
            let Some(own) = context.title() else {
                continue;
            };
            title = if own.is_empty() { title } else { own };
            first = if self.begins == Some(context) {
                title
            } else {
                first
            };
            entries.extend(keys.of(context).map(|line| HelpEntry {
                title,
                name: line.names().to_owned(),
                does: line.binding.does,
                edits: line.binding.is(KeyMark::Edits),
            }));
        }
        entries.extend(slash::help().map(|(name, does)| HelpEntry {
            title: "Commands",
            name,
            does,
            edits: false,
        }));
        entries.retain(|entry| !entry.name.is_empty());
        entries.sort_by_key(|entry| entry.title != first);
        entries
    }
}

/// A line of help.
struct HelpEntry<'a> {
    /// The part whose key it is.
    title: &'a str,
    /// The names of the keys, or the command.
    name: String,
    does: &'a str,
    /// Whether it only edits what is typed, as in other programs.
    edits: bool,
}

impl HelpEntry<'_> {
    /// Tells whether each of these words, in lower case, is somewhere in it.
    fn has(&self, words: &[String]) -> bool {
        let text = format!("{} {} {}", self.title, self.name, self.does).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }

    fn rows(&self, width: usize) -> Vec<Row> {
        let column = if width >= 60 { 32 } else { 0 };
        let name = self.name.chars().count();
        let gap = " ".repeat(column.max(name + 2) - name);
        let row = Row::new(Role::Text, "  ")
            .with(Role::Key, &self.name)
            .with(Role::Text, &gap)
            .with(Role::Text, self.does);
        wrap::wrap(&row, width, 4, Break::Words)
    }
}

/// Returns the rows of each line of help, the first of a part under its heading.
fn blocks<'a>(entries: impl Iterator<Item = &'a HelpEntry<'a>>, width: usize) -> Vec<Vec<Row>> {
    let mut last = None;
    let rows = entries.map(|entry| {
        let above = last.replace(entry.title);
        let gap = above.map(|_| Row::default());
        let heading = gap
            .into_iter()
            .chain([Row::new(Role::Heading, entry.title)]);
        let is_first = above != Some(entry.title);
        heading
            .filter(|_| is_first)
            .chain(entry.rows(width))
            .collect()
    });
    rows.collect()
}

/// Returns what fits of the help, without keys that only edit, and how to find the rest.
fn one_screen(entries: &[HelpEntry<'_>], width: usize, room: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for block in blocks(entries.iter().filter(|entry| !entry.edits), width) {
        if rows.len() + block.len() >= room {
            break;
        }
        rows.extend(block);
    }
    let rest = Row::new(Role::Key, "/").with(Role::Dim, " finds any key or command");
    rows.push(rest.clipped(width));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::text_of;

    fn shown(page: &mut HelpPage, width: usize) -> Vec<String> {
        page.lay_out(&KeyMap::default(), width, 10);
        text_of(&page.rows().cloned().collect::<Vec<_>>())
    }

    #[test]
    fn the_page_is_one_screen_and_begins_with_the_keys_of_the_part_that_had_them() {
        for (context, expected) in [
            (Context::EmptyComposer, "Typing"),
            (Context::Composer, "Typing"),
            (Context::Review, "Review"),
            (Context::Lines, "Lines of a hunk"),
            (Context::History, "History"),
            (Context::Transcript, "Transcript"),
            (Context::BackgroundEnd, "Background agents"),
            (Context::RewindConversation, "Anywhere"),
        ] {
            for width in [30, 80] {
                let mut page = HelpPage::at(context);
                let rows = shown(&mut page, width);
                assert_eq!(rows.first().map(String::as_str), Some(expected));
                assert!(rows.last().unwrap().starts_with("/ finds any"));
                assert!(page.rows.len() <= 10, "nothing is out of sight");
            }
        }
    }

    #[test]
    fn a_search_finds_every_key_and_command() {
        let mut page = HelpPage::at(Context::EmptyComposer);
        shown(&mut page, 80);
        let all = page.entries(&KeyMap::default()).len();
        page.find();
        shown(&mut page, 200);
        let rows = text_of(&page.rows);
        let entries = rows.iter().filter(|row| row.starts_with("  "));
        assert_eq!(entries.count(), all);
        for c in "Review DENY".chars() {
            let key = KeyEvent::from(KeyCode::Char(c));
            assert_eq!(page.type_sought(key, Some(c)), Response::Handled);
        }
        let rows = shown(&mut page, 80);
        assert_eq!(rows[0], "Review");
        assert!(rows[1].contains("deny the hunk, with a reason"), "{rows:?}");
        assert_eq!(page.title(), "Keys  /Review DENY▏");
        let esc = KeyEvent::from(KeyCode::Esc);
        assert_eq!(page.type_sought(esc, None), Response::Handled);
        assert_eq!(page.type_sought(esc, None), Response::NotMine, "Esc closes");
        assert_eq!(shown(&mut page, 80)[0], "Typing");
    }
}
