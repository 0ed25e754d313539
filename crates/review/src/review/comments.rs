//! Comments on hunks, to be sent to the model.
//!
//! In: what the user types. Out: rows below the hunk, and one message that quotes what each comment is about. A comment is
//! anchored by the hunk and the text of a line: it survives new line numbers, and is said to be outdated once the hunk has
//! no such line.
//!
//! ```text
//! Comments on staged edits:
//!
//! src/lib.rs:12
//! > let total = sum(items);
//! Use the helper in money.rs.
//! ```

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::id::HunkId;
use signoff_core::stage::review::HunkView;

use super::kept::KeptMarks;
use super::list::ReviewList;
use super::merging::Versions;
use super::pending_verdicts::PendingVerdicts;
use crate::theme::Role;
use crate::wrap::Row;

/// The most characters of a quoted line: enough to find it.
const QUOTED: usize = 200;

/// The comments that were not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Comments(Vec<Comment>);

/// A comment and its anchor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Comment {
    hunk: HunkId,
    path: String,
    line: Option<u32>,
    /// The line that the comment is about.
    quote: String,
    text: String,
    /// Which of the lines with the same text it is, from 0, where the user chose the line. A comment on the hunk has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chosen: Option<usize>,
    /// True once the hunk has no such line, or is gone.
    #[serde(default)]
    is_outdated: bool,
    /// True while it is typed, and if it was not entered: it is offered again, and not sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_draft: bool,
}

/// Comments that are to be sent, unless another process that has the same file sent them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentClaim {
    own: Comments,
    /// Those that the file had when this process wrote it last.
    written: Comments,
}

impl CommentClaim {
    /// Takes the comments out of the file. Those that another process took out are not sent: returns how many.
    pub fn settle(&mut self, file: &mut KeptMarks) -> usize {
        let file = file.comments_mut();
        let before = self.own.0.len();
        let written = &self.written;
        (self.own.0).retain(|own| !written.has(own) || file.has(own));
        let sent = &self.own;
        file.0.retain(|own| !sent.has(own));
        before - self.own.0.len()
    }

    /// Returns them as one message to the model; none if there are none.
    pub fn message(self) -> Option<String> {
        self.own.message()
    }
}

impl Comments {
    /// Returns true if there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns how many there are to be sent.
    pub(super) fn count(&self) -> usize {
        self.0.iter().filter(|comment| !comment.is_draft).count()
    }

    /// Returns those of the file with what this process changed.
    pub(super) fn merged(all: Versions<'_, Self>) -> Self {
        let comments = all.part(|own| &own.0[..]);
        Self(comments.merged(Comment::key, |own| own.text.clone()))
    }

    /// Returns true if it has this comment, wherever its line is by now.
    fn has(&self, comment: &Comment) -> bool {
        let mut all = self.0.iter();
        all.any(|own| own.key() == comment.key() && own.text == comment.text)
    }

    /// Forgets what was begun about hunks that are not listed; returns whether there was any.
    pub(super) fn forget_drafts(&mut self, is_listed: impl Fn(HunkId) -> bool) -> bool {
        let before = self.0.len();
        (self.0).retain(|comment| !comment.is_draft || is_listed(comment.hunk));
        before != self.0.len()
    }

    fn of(&self, hunk: HunkId, is_draft: bool) -> Option<&Comment> {
        let mut own = self.0.iter().filter(|comment| comment.hunk == hunk);
        own.find(|comment| comment.chosen.is_none() && comment.is_draft == is_draft)
    }

    fn on_line(&self, (hunk, line): (&HunkView, usize), is_draft: bool) -> Option<&Comment> {
        let chosen = occurrence(&hunk.lines, line)?;
        let quote = &hunk.lines.get(line)?.text;
        let mut own = self.0.iter().filter(|comment| comment.hunk == hunk.id);
        own.find(|comment| {
            comment.chosen == Some(chosen)
                && comment.quote == *quote
                && comment.is_draft == is_draft
        })
    }

    /// Sets the comment on a line of a hunk; an empty one is removed.
    fn set_on_line(
        &mut self,
        path: &str,
        (hunk, line): (&HunkView, usize),
        (text, is_draft): (&str, bool),
    ) {
        let (Some(own), Some(chosen)) = (hunk.lines.get(line), occurrence(&hunk.lines, line))
        else {
            return;
        };
        self.0.retain(|comment| {
            comment.hunk != hunk.id
                || comment.chosen != Some(chosen)
                || comment.quote != own.text
                || comment.is_draft != is_draft
        });
        if !text.is_empty() {
            self.0.push(Comment {
                hunk: hunk.id,
                path: path.to_owned(),
                line: own.new.or(own.old),
                quote: own.text.clone(),
                text: text.to_owned(),
                chosen: Some(chosen),
                is_outdated: false,
                is_draft,
            });
        }
    }

    /// Sets the comment on a hunk; an empty one is removed.
    fn set(&mut self, path: &str, hunk: &HunkView, (text, is_draft): (&str, bool)) {
        self.0.retain(|comment| {
            comment.hunk != hunk.id || comment.chosen.is_some() || comment.is_draft != is_draft
        });
        if text.is_empty() {
            return;
        }
        let anchor = anchor(hunk);
        self.0.push(Comment {
            hunk: hunk.id,
            path: path.to_owned(),
            line: anchor.and_then(|line| line.new.or(line.old)),
            quote: anchor.map(|line| line.text.clone()).unwrap_or_default(),
            text: text.to_owned(),
            chosen: None,
            is_outdated: false,
            is_draft,
        });
    }

    /// Finds the anchors in another list.
    pub(super) fn rebase<'a>(&mut self, find: impl Fn(HunkId) -> Option<&'a HunkView>) {
        for comment in &mut self.0 {
            let lines = find(comment.hunk).map_or(&[][..], |hunk| &hunk.lines);
            let own = comment.line_in(lines).and_then(|line| lines.get(line));
            comment.is_outdated = own.is_none();
            if let Some(line) = own {
                comment.line = line.new.or(line.old);
            }
        }
    }

    /// Returns the rows that stand below a hunk that is shown with these lines, and below its lines.
    fn notes(&self, hunk: HunkId, lines: &[DiffLine]) -> HunkNotes {
        let mut notes = HunkNotes::default();
        let own = self.0.iter();
        for comment in own.filter(|comment| comment.hunk == hunk && !comment.is_draft) {
            let chosen = comment.chosen.and_then(|_| comment.line_in(lines));
            match chosen {
                Some(line) => notes.by_line.entry(line).or_default().push(comment.row()),
                None => notes.below.push(comment.row()),
            }
        }
        notes
    }

    /// Takes all comments that were entered.
    fn take(&mut self) -> Self {
        let entered = self.0.extract_if(.., |comment| !comment.is_draft);
        Self(entered.collect())
    }

    /// Returns all comments as one message to the model; none if there are none.
    fn message(self) -> Option<String> {
        let comments = self.0;
        if comments.is_empty() {
            return None;
        }
        let each = comments.iter().map(|comment| {
            let line = comment.line.map(|line| format!(":{line}"));
            let line = line.unwrap_or_default();
            let outdated = if comment.is_outdated {
                " (the text has changed since)"
            } else {
                ""
            };
            let quote: String = comment.quote.chars().take(QUOTED).collect();
            format!(
                "{}{line}{outdated}\n> {quote}\n{}",
                comment.path, comment.text
            )
        });
        let each: Vec<String> = each.collect();
        Some(format!(
            "Comments on staged edits:\n\n{}",
            each.join("\n\n")
        ))
    }
}

impl Comment {
    /// Returns what tells it from others.
    fn key(&self) -> (HunkId, Option<usize>, String, bool) {
        (self.hunk, self.chosen, self.quote.clone(), self.is_draft)
    }

    /// Returns the line that it is about.
    fn line_in(&self, lines: &[DiffLine]) -> Option<usize> {
        let lines = lines.iter().enumerate();
        let mut same = lines.filter(|(_, line)| line.text == self.quote);
        same.nth(self.chosen.unwrap_or(0)).map(|(line, _)| line)
    }

    fn row(&self) -> Row {
        let note = if self.is_outdated { " (outdated)" } else { "" };
        let mut row = Row::new(Role::User, &format!("m{note} "));
        row.push_counted(Role::Text, &self.text);
        row
    }
}

/// What stands below a hunk and its lines, and need not be displayed before a verdict.
#[derive(Debug, Default)]
pub(super) struct HunkNotes {
    pub(super) by_line: HashMap<usize, Vec<Row>>,
    pub(super) below: Vec<Row>,
}

/// Returns how many lines above a line have the same text.
fn occurrence(lines: &[DiffLine], line: usize) -> Option<usize> {
    let own = &lines.get(line)?.text;
    let above = lines.iter().take(line);
    Some(above.filter(|above| above.text == *own).count())
}

/// Returns the line that a comment on a hunk is about: the first that is added, or else removed.
fn anchor(hunk: &HunkView) -> Option<&DiffLine> {
    let first = |kind| hunk.lines.iter().find(|line| line.kind == kind);
    first(LineKind::Added)
        .or_else(|| first(LineKind::Removed))
        .or_else(|| hunk.lines.first())
}

impl PendingVerdicts {
    /// Returns the comment on a hunk, to be edited, or what was begun of another.
    pub(super) fn commented(&self, hunk: HunkId) -> &str {
        let comments = &self.comments;
        let comment = comments.of(hunk, true).or_else(|| comments.of(hunk, false));
        comment.map_or("", |comment| &comment.text)
    }

    /// Takes over the comment on a hunk; an empty one is removed. Returns true if it is another.
    pub(super) fn comment(&mut self, list: &ReviewList, hunk: HunkId, text: &str) -> bool {
        self.draft_comment(list, hunk, "");
        let before = self.comments.of(hunk, false);
        if before.map_or("", |comment| &comment.text) == text {
            return false;
        }
        let Some((file, own)) = list.entry(hunk) else {
            return false;
        };
        self.comments.set(&file.path, own, (text, false));
        self.kept.change();
        true
    }

    /// Keeps a comment on a hunk as it is typed; one that is empty, or as it was entered before, is forgotten.
    pub(super) fn draft_comment(&mut self, list: &ReviewList, hunk: HunkId, text: &str) {
        let entered = self.comments.of(hunk, false);
        let is_same = entered.is_some_and(|comment| comment.text == text);
        let text = if is_same { "" } else { text };
        if let Some((file, own)) = list.entry(hunk) {
            self.comments.set(&file.path, own, (text, true));
            self.kept.change();
        }
    }

    /// Returns the comment on a line, to be edited, or what was begun of another.
    pub(super) fn commented_line(&self, list: &ReviewList, (hunk, line): (HunkId, usize)) -> &str {
        let find = |is_draft| self.comments.on_line((list.hunk(hunk)?, line), is_draft);
        let comment = find(true).or_else(|| find(false));
        comment.map_or("", |comment| &comment.text)
    }

    /// Takes over the comment on a line; an empty one is removed. Returns true if it is another.
    pub(super) fn comment_line(
        &mut self,
        list: &ReviewList,
        (hunk, line): (HunkId, usize),
        text: &str,
    ) -> bool {
        self.draft_comment_line(list, (hunk, line), "");
        let Some((file, own)) = list.entry(hunk) else {
            return false;
        };
        let before = self.comments.on_line((own, line), false);
        if before.map_or("", |comment| &comment.text) == text {
            return false;
        }
        (self.comments).set_on_line(&file.path, (own, line), (text, false));
        self.kept.change();
        true
    }

    /// Keeps a comment on a line as it is typed; one that is empty, or as it was entered before, is forgotten.
    pub(super) fn draft_comment_line(
        &mut self,
        list: &ReviewList,
        (hunk, line): (HunkId, usize),
        text: &str,
    ) {
        if let Some((file, own)) = list.entry(hunk) {
            let entered = self.comments.on_line((own, line), false);
            let is_same = entered.is_some_and(|comment| comment.text == text);
            let text = if is_same { "" } else { text };
            (self.comments).set_on_line(&file.path, (own, line), (text, true));
            self.kept.change();
        }
    }

    /// Takes all comments that were entered, to be sent; none if there are none.
    pub(super) fn take_comments(&mut self) -> Option<CommentClaim> {
        let own = self.comments.take();
        if own.is_empty() {
            return None;
        }
        self.kept.change();
        let written = self.kept.written_comments().clone();
        Some(CommentClaim { own, written })
    }

    /// Returns what stands below a hunk that is shown with these lines: comments, those of the review agent, questions and
    /// answers.
    pub(super) fn notes(&self, hunk: &HunkView, lines: &[DiffLine]) -> HunkNotes {
        let mut notes = self.comments.notes(hunk.id, lines);
        self.critique.add_to(&mut notes, hunk, lines);
        notes.below.extend(self.questions.rows(hunk.id));
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

    #[test]
    fn a_comment_follows_its_line_and_is_outdated_without_it() {
        let mut hunk = file("above").hunks.remove(0);
        let mut comments = Comments::default();
        comments.set("a.txt", &hunk, ("Why not old?", false));
        hunk.lines[1].new = Some(9);
        comments.rebase(|_| Some(&hunk));
        let mut sent = comments.clone();
        let expected = "Comments on staged edits:\n\na.txt:9\n> new\nWhy not old?";
        assert_eq!(sent.take().message().unwrap(), expected);
        assert_eq!(sent.take().message(), None);
        hunk.lines[1].text.push_str("er");
        comments.rebase(|_| Some(&hunk));
        assert!(
            comments
                .take()
                .message()
                .unwrap()
                .contains("a.txt:9 (the text has changed since)")
        );
        comments.set("a.txt", &hunk, ("x", false));
        comments.set("a.txt", &hunk, ("", false));
        assert!(comments.is_empty());
    }
}
