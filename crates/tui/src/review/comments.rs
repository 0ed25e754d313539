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

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;
use signoff_core::review::{DiffLine, HunkView, LineKind};

use super::{Outcome, Review, say};
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
    /// True once the hunk has no such line, or is gone.
    #[serde(default)]
    is_outdated: bool,
}

impl Comments {
    /// Returns true if there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of(&self, hunk: HunkId) -> Option<&Comment> {
        self.0.iter().find(|comment| comment.hunk == hunk)
    }

    /// Sets the comment on a hunk; an empty one is removed.
    fn set(&mut self, path: &str, hunk: &HunkView, text: &str) {
        self.0.retain(|comment| comment.hunk != hunk.id);
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
            is_outdated: false,
        });
    }

    /// Finds the anchors in another list.
    pub(super) fn rebase<'a>(&mut self, find: impl Fn(HunkId) -> Option<&'a HunkView>) {
        for comment in &mut self.0 {
            let lines = find(comment.hunk).map_or(&[][..], |hunk| &hunk.lines);
            let own = lines.iter().find(|line| line.text == comment.quote);
            comment.is_outdated = own.is_none();
            if let Some(line) = own {
                comment.line = line.new.or(line.old);
            }
        }
    }

    /// Returns the rows that stand below a hunk.
    fn rows(&self, hunk: HunkId) -> Vec<Row> {
        let comment = self.of(hunk);
        let rows = comment.map(|comment| {
            let note = if comment.is_outdated {
                " (outdated)"
            } else {
                ""
            };
            let mut row = Row::new(Role::User, &format!("m{note} "));
            row.push_counted(Role::Text, &comment.text);
            row
        });
        rows.into_iter().collect()
    }

    /// Takes all comments as one message to the model; none if there are none.
    fn take(&mut self) -> Option<String> {
        let comments = std::mem::take(&mut self.0);
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

/// Returns the line that a comment on a hunk is about: the first that is added, or else removed.
fn anchor(hunk: &HunkView) -> Option<&DiffLine> {
    let first = |kind| hunk.lines.iter().find(|line| line.kind == kind);
    first(LineKind::Added)
        .or_else(|| first(LineKind::Removed))
        .or_else(|| hunk.lines.first())
}

impl Review {
    /// Has the user type a comment on the selected hunk.
    pub(super) fn begin_comment(&mut self) -> Outcome {
        match self.list.selected_hunk() {
            Some(hunk) => Outcome::AskComment(hunk.id),
            None => say("There is no hunk here"),
        }
    }

    /// Returns the comment on a hunk, to be edited.
    pub(crate) fn commented(&self, hunk: HunkId) -> &str {
        let comment = self.verdicts.comments.of(hunk);
        comment.map_or("", |comment| &comment.text)
    }

    /// Keeps the comment on a hunk as it is typed; an empty one is removed.
    pub(crate) fn comment(&mut self, hunk: HunkId, text: &str) {
        let files = self.list.files().iter();
        let mut found = files.flat_map(|file| file.hunks.iter().map(move |own| (file, own)));
        if let Some((file, own)) = found.find(|(_, own)| own.id == hunk)
            && self.verdicts.comments.of(hunk).map_or("", |own| &own.text) != text
        {
            self.verdicts.comments.set(&file.path, own, text);
            self.verdicts.kept.change();
            self.put_below(hunk);
        }
    }

    /// Returns how many comments were not sent.
    pub(crate) fn comment_count(&self) -> usize {
        self.verdicts.comments.0.len()
    }

    /// Takes all comments as one message to the model.
    pub(crate) fn take_comments(&mut self) -> Option<String> {
        let message = self.verdicts.comments.take()?;
        self.verdicts.kept.change();
        self.diff.changed(&self.list);
        Some(message)
    }

    /// Takes over that what stands below a hunk is other text.
    pub(super) fn put_below(&mut self, hunk: HunkId) {
        self.diff.changed_in(&self.list, hunk.proposal);
    }
}

impl super::pending_verdicts::PendingVerdicts {
    /// Returns what stands below a hunk: the comment, questions and answers.
    pub(super) fn below(&self, hunk: HunkId) -> Vec<Row> {
        let mut rows = self.comments.rows(hunk);
        rows.extend(self.questions.rows(hunk));
        rows
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
        comments.set("a.txt", &hunk, "Why not old?");
        hunk.lines[1].new = Some(9);
        comments.rebase(|_| Some(&hunk));
        let mut sent = comments.clone();
        let expected = "Comments on staged edits:\n\na.txt:9\n> new\nWhy not old?";
        assert_eq!(sent.take().unwrap(), expected);
        assert_eq!(sent.take(), None);
        hunk.lines[1].text.push_str("er");
        comments.rebase(|_| Some(&hunk));
        assert!(
            comments
                .take()
                .unwrap()
                .contains("a.txt:9 (the text has changed since)")
        );
        comments.set("a.txt", &hunk, "x");
        comments.set("a.txt", &hunk, "");
        assert!(comments.is_empty());
    }
}
