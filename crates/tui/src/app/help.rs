//! Help overlay, printed from the key map.
//!
//! In: the map, where the page was opened, a width, and scrolling. Out: rows: the keys of the part that had the keys come
//! first, those of every other part behind them.

use super::slash;
use crate::app::keymap::{Context, KeyMap};
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Where the user is in the help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HelpPage {
    window: RowWindow,
    /// The context whose keys come first.
    begins: Option<Context>,
}

impl HelpPage {
    /// Returns the page that begins with the keys of a context.
    pub(super) fn at(context: Context) -> Self {
        Self {
            begins: Some(context),
            ..Self::default()
        }
    }

    /// Moves by a screen, or to an end.
    pub(super) fn scroll(&mut self, scroll: Scroll) {
        self.window.scroll(scroll);
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub(super) fn lay_out(&mut self, keys: &KeyMap, width: usize, room: usize) {
        self.window.fit(self.rows(keys, width).len(), room);
    }

    /// Returns the title and the rows in sight.
    pub(crate) fn shown(&self, keys: &KeyMap, width: usize) -> (String, Vec<Row>) {
        let all = self.rows(keys, width);
        let title = format!("Keys{}", self.window.position(all.len()));
        (title, self.window.of(&all).cloned().collect())
    }
}

/// The keys of one part, under a heading.
struct Section {
    contexts: Vec<Context>,
    rows: Vec<Row>,
}

impl HelpPage {
    /// Returns every row of the help.
    fn rows(&self, keys: &KeyMap, width: usize) -> Vec<Row> {
        let mut sections = sections(keys, width);
        let own = self.begins.and_then(|context| {
            let mut contexts = sections.iter().map(|section| &section.contexts);
            contexts.position(|contexts| contexts.contains(&context))
        });
        if let Some(own) = own {
            // The others stay in their order.
            sections
                .get_mut(..=own)
                .into_iter()
                .for_each(|upto| upto.rotate_right(1));
        }
        let mut commands = vec![Row::new(Role::Heading, "Commands")];
        for (usage, does) in slash::help() {
            entry(&mut commands, &usage, does, width);
        }
        let parts = sections.into_iter().map(|section| section.rows);
        let parts: Vec<Vec<Row>> = parts.chain([commands]).collect();
        parts.join(&Row::default())
    }
}

/// Returns the keys of every part, in the order of the table.
fn sections(keys: &KeyMap, width: usize) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for context in Context::all() {
        let mut rows = Vec::new();
        for line in keys.of(context) {
            let names = line.names();
            if !names.is_empty() {
                entry(&mut rows, names, line.binding.does, width);
            }
        }
        match (context.title(), sections.last_mut()) {
            // It is listed under another one.
            (None, _) => {}
            (Some(""), Some(section)) => {
                section.contexts.push(context);
                section.rows.append(&mut rows);
            }
            (Some(title), _) => {
                rows.insert(0, Row::new(Role::Heading, title));
                sections.push(Section {
                    contexts: vec![context],
                    rows,
                });
            }
        }
    }
    sections
}

fn entry(out: &mut Vec<Row>, name: &str, does: &str, width: usize) {
    let column = if width >= 60 { 32 } else { 0 };
    let gap = " ".repeat(column.max(name.chars().count() + 2) - name.chars().count());
    let row = Row::new(Role::Text, "  ")
        .with(Role::Key, name)
        .with(Role::Text, &gap)
        .with(Role::Text, does);
    out.extend(wrap::wrap(&row, width, 4, Break::Words));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_begins_with_the_keys_of_the_part_that_had_them() {
        let keys = &KeyMap::default();
        for (context, expected) in [
            (Context::EmptyComposer, "Typing"),
            (Context::Composer, "Typing"),
            (Context::Review, "Review"),
            (Context::Lines, "Lines of a hunk"),
            (Context::History, "History"),
            (Context::Transcript, "Transcript"),
            (Context::RewindConversation, "Anywhere"),
        ] {
            for width in [30, 80] {
                let mut page = HelpPage::at(context);
                page.lay_out(keys, width, 10);
                let (_, shown) = page.shown(keys, width);
                assert_eq!(shown.first(), Some(&Row::new(Role::Heading, expected)));
                // Nothing is left out, wherever it begins.
                let usual = HelpPage::default().rows(keys, width);
                assert_eq!(page.rows(keys, width).len(), usual.len());
            }
        }
    }
}
