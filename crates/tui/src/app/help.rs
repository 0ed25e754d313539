//! Help overlay, printed from the key table.
//!
//! In: the table and a width. Out: rows.

use super::slash;
use crate::keymap::{Context, table};
use crate::theme::Role;
use crate::wrap::{self, Break, Row};

/// Returns every row of the help.
pub(crate) fn rows(width: usize) -> Vec<Row> {
    let mut out = Vec::new();
    for (title, context) in [
        ("Anywhere", Context::Anywhere),
        ("Typing", Context::EmptyComposer),
        ("", Context::Composer),
        ("Review", Context::Review),
        ("History", Context::History),
        ("A reason for denying", Context::Reason),
        ("A call that needs permission", Context::Permission),
        ("A question", Context::Confirm),
        ("This page", Context::Help),
    ] {
        heading(&mut out, title);
        let bindings = table().filter(|binding| binding.context == context);
        for binding in bindings {
            entry(&mut out, binding.name, binding.does, width);
        }
    }
    heading(&mut out, "Commands");
    for (name, does) in slash::COMMANDS {
        entry(&mut out, name, does, width);
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
