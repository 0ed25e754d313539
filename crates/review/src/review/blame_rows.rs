//! Blame of a hunk as rows: its old lines, those of one author together below who that is.
//!
//! ```text
//! model, version 3, 2 h ago: Trace calls
//!    12 -     let total = cart.price * cart.count;
//! you, outside of signoff
//!    13       print(total);
//! ```

use signoff_core::edit::diff::line::LineKind;
use signoff_core::engine::{BlamedLine, HunkBlame};
use signoff_core::id::Timestamp;
use signoff_core::stage::review::{BlameView, LineAuthor};

use super::history::age;
use crate::theme::Role;
use crate::wrap::Row;

/// Returns the blame of a hunk as rows.
pub(super) fn rows(blame: &HunkBlame, now: Timestamp) -> Vec<Row> {
    let mut rows = vec![Row::new(Role::Strong, &blame.path)];
    let mut before: Option<String> = None;
    for line in &blame.lines {
        let author = author(line.blame.as_ref(), now);
        if before.as_ref() != Some(&author) {
            rows.push(Row::new(Role::Hunk, &author));
            before = Some(author);
        }
        rows.push(line_row(line));
    }
    if let Some(why) = &blame.missing {
        rows.push(Row::new(Role::Warn, why));
    }
    rows
}

fn author(blame: Option<&BlameView>, now: Timestamp) -> String {
    let Some(blame) = blame else {
        return "staged, and not written yet".to_owned();
    };
    let proposer = blame.proposer.as_ref();
    let mut text = match blame.author {
        LineAuthor::Before => "older than the history that is kept".to_owned(),
        LineAuthor::User => "you, outside of signoff".to_owned(),
        LineAuthor::Model => proposer.map_or("a model".to_owned(), ToString::to_string),
        LineAuthor::Applied => "you, with `signoff apply`".to_owned(),
        LineAuthor::Edited => "you, in place of what a model proposed".to_owned(),
        LineAuthor::Command => proposer
            .filter(|own| own.is_named())
            .map_or("a command".to_owned(), ToString::to_string),
        LineAuthor::Program => "a program".to_owned(),
        LineAuthor::Person => proposer.map_or("another person".to_owned(), ToString::to_string),
        LineAuthor::Revert => "a revert".to_owned(),
    };
    if let Some(time) = blame.time {
        text += &format!(", {}", age(time, now));
    }
    if let Some(sight) = &blame.sight {
        text += &format!(", signed by you, {sight}");
    }
    match blame.description.as_deref().map(str::trim) {
        None | Some("") => text,
        Some(why) => format!("{text}: {why}"),
    }
}

fn line_row(line: &BlamedLine) -> Row {
    let number = line.blame.as_ref().map(|blame| blame.line);
    let number = number.map_or_else(String::new, |number| number.to_string());
    let (role, mark) = match line.kind {
        LineKind::Removed => (Role::Removed, "-"),
        LineKind::Context | LineKind::Added => (Role::Text, " "),
    };
    let mut row = Row::new(Role::Dim, &format!("{number:>6} ")).with(role, mark);
    row.push(Role::Text, " ");
    row.push_counted(role, &line.text);
    row
}
