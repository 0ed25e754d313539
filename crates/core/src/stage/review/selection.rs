//! Line selection: what a hunk comes to if only some of its lines are taken.
//!
//! In: a hunk, and which of its changed lines are selected. Out: the text to be written in place of its new text. A
//! selected line is carried out; an added line that is not selected stays out, a removed one stays in. Context stays.
//!
//! ```text
//!   selected   hunk             text
//!              fn a() {
//!   yes       -    one();
//!   no        -    two();           two();
//!   yes       +    uno();           uno();
//!   no        +    due();
//!              }
//! ```

use super::HunkView;
use crate::edit::diff::line::{DiffLine, LineKind};

/// What the selected lines of a hunk come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineSelectionOutcome {
    /// The hunk as it is.
    Whole,
    /// The text that the file has already.
    Nothing,
    /// Another text.
    Part {
        /// The text from the first changed line to the last one, see [`HunkView::new_text`].
        text: String,
        /// A line that had no line ending and gets one, since another follows it.
        ended: Option<String>,
    },
}

impl HunkView {
    /// Returns what the hunk comes to if only the changed lines for which `is_selected` returns true are carried out;
    /// it is asked with indexes into [`Self::lines`].
    pub fn select_lines(&self, is_selected: impl Fn(usize) -> bool) -> LineSelectionOutcome {
        let (text, ended) = self.text_of(|index, line| match line.kind {
            LineKind::Context => true,
            LineKind::Added => is_selected(index),
            LineKind::Removed => !is_selected(index),
        });
        if text == self.text_of(|_, line| line.kind != LineKind::Removed).0 {
            LineSelectionOutcome::Whole
        } else if text == self.text_of(|_, line| line.kind != LineKind::Added).0 {
            LineSelectionOutcome::Nothing
        } else {
            LineSelectionOutcome::Part { text, ended }
        }
    }

    /// Returns the text of the lines that stay, from the first changed line to the last one, and the line that gets a
    /// line ending.
    fn text_of(&self, stays: impl Fn(usize, &DiffLine) -> bool) -> (String, Option<String>) {
        let first = self.lines.iter().position(is_change);
        let last = self.lines.iter().rposition(is_change);
        let (mut text, mut ended) = (String::new(), None);
        let Some((first, last)) = first.zip(last) else {
            return (text, ended);
        };
        let mut open: Option<&str> = None;
        let lines = self.lines.iter().enumerate();
        for (index, line) in lines.take(last + 1).skip(first) {
            if !stays(index, line) {
                continue;
            }
            if let Some(before) = open.take() {
                text.push('\n');
                ended = Some(before.to_owned());
            }
            text.push_str(&line.text);
            if line.newline {
                text.push('\n');
            } else {
                open = Some(&line.text);
            }
        }
        (text, ended)
    }
}

fn is_change(line: &DiffLine) -> bool {
    line.kind != LineKind::Context
}
