//! Help overlay, printed from the key map.
//!
//! In: the map, a width, and scrolling. Out: rows.

use super::slash;
use crate::app::keymap::{Context, KeyMap};
use crate::row_window::{RowWindow, Scroll};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Where the user is in the help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HelpPage {
    window: RowWindow,
    /// The context whose keys come first, until the page is laid out.
    section: Option<Context>,
}

impl HelpPage {
    /// Returns the page opened at the keys of a context.
    pub(super) fn at(context: Context) -> Self {
        Self {
            section: Some(context),
            ..Self::default()
        }
    }

    /// Moves by a screen, or to an end.
    pub(super) fn scroll(&mut self, scroll: Scroll) {
        self.window.scroll(scroll);
    }

    /// Decides which rows are shown in `room` rows of `width` columns.
    pub(super) fn lay_out(&mut self, keys: &KeyMap, width: usize, room: usize) {
        if let Some(context) = self.section.take() {
            self.window.go_to(section_start(keys, context, width));
        }
        self.window.fit(rows(keys, width).len(), room);
    }

    /// Returns the title and the rows in sight.
    pub(crate) fn shown(&self, keys: &KeyMap, width: usize) -> (String, Vec<Row>) {
        let all = rows(keys, width);
        let title = format!("Keys{}", self.window.position(all.len()));
        (title, self.window.of(&all).cloned().collect())
    }
}

/// Returns the first row of the section of a context. While a prompt is typed that is the top of the page, where the keys
/// are that work anywhere.
fn section_start(keys: &KeyMap, context: Context, width: usize) -> usize {
    let is_typing = matches!(context, Context::EmptyComposer | Context::Composer);
    let title = context.title().filter(|_| !is_typing);
    title
        .map(|title| Row::new(Role::Heading, title))
        .and_then(|title| rows(keys, width).iter().position(|row| *row == title))
        .unwrap_or_default()
}

/// Returns every row of the help.
fn rows(keys: &KeyMap, width: usize) -> Vec<Row> {
    let mut out = Vec::new();
    for context in Context::all() {
        // A context without a title is listed under another one.
        let Some(title) = context.title() else {
            continue;
        };
        heading(&mut out, title);
        for line in keys.of(context) {
            let names = line.names();
            if !names.is_empty() {
                entry(&mut out, names, line.binding.does, width);
            }
        }
    }
    heading(&mut out, "Commands");
    for (usage, does) in slash::help() {
        entry(&mut out, &usage, does, width);
    }
    out
}

fn heading(out: &mut Vec<Row>, title: &str) {
    if title.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push(Row::default());
    }
    out.push(Row::new(Role::Heading, title));
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
    fn the_page_opens_at_the_keys_of_the_context() {
        let keys = &KeyMap::default();
        for (context, expected) in [
            (Context::EmptyComposer, "Anywhere"),
            (Context::Review, "Review"),
            (Context::History, "History"),
            (Context::Transcript, "Transcript"),
        ] {
            for width in [30, 80] {
                let mut page = HelpPage::at(context);
                page.lay_out(keys, width, 10);
                let (_, shown) = page.shown(keys, width);
                assert_eq!(shown.first(), Some(&Row::new(Role::Heading, expected)));
                page.scroll(Scroll::Top);
                page.lay_out(keys, width, 10);
                assert_eq!(
                    page.shown(keys, width).1[0],
                    rows(keys, width)[0],
                    "only at first"
                );
            }
        }
    }
}
