//! The question with which the model's newest words end.
//!
//! In: the cells. Out: the question in one line, named above the input while the review hides the words.
//!
//! ```text
//! I renamed it.
//!
//! Is that what you want? Shall I go on with the tests? (y/n)    Shall I go on with the tests? (y/n)
//! ```

use super::Transcript;
use super::cell::{Body, Cell};
use crate::theme::Role;
use crate::wrap::Row;

/// Characters of a paragraph that is named whole; of a longer one the last sentence is.
const WHOLE: usize = 48;

/// How a request for a yes or no ends.
const YES_OR_NO: &str = "(y/n)";

impl Transcript {
    /// Names the question that the user was asked last, if the model's newest words end with one, among what is to be read
    /// where the transcript is off the screen.
    pub(crate) fn name_question(&mut self) {
        let is_user = |cell: &&Cell| matches!(cell.body(), Body::User(_));
        let newest = self.cells.iter().rev().take_while(|cell| !is_user(cell));
        let mut said = newest.filter(|cell| cell.is_prose(false));
        if let Some(question) = said.next().and_then(|cell| question(&cell.source(None))) {
            let row = Row::new(Role::Warn, "? ").with(Role::Warn, "The model asks: ");
            self.note_missed(row.with(Role::Text, &question));
        }
    }
}

/// Returns the question with which a text ends, in one line.
fn question(text: &str) -> Option<String> {
    let paragraph = text.trim_end().rsplit("\n\n").next()?;
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_matches(['*', '_']);
    if !line.ends_with('?') && !line.to_lowercase().ends_with(YES_OR_NO) {
        return None;
    }
    if line.chars().count() <= WHOLE {
        return Some(line.to_owned());
    }
    // The end of the last sentence is no beginning of another.
    let asked = match line.len().checked_sub(YES_OR_NO.len()) {
        Some(at) if !line.ends_with('?') => line.get(..at).unwrap_or(line),
        _ => line,
    };
    let asked = asked.trim_end().trim_end_matches('?');
    let ends = [". ", "? ", "! ", ": "].into_iter();
    let begins = ends.filter_map(|end| asked.rfind(end).map(|at| at + end.len()));
    let begins = begins.max().unwrap_or(0);
    line.get(begins..).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_the_last_sentence_of_the_last_paragraph() {
        for (text, expected) in [
            ("Is that right?\n\nI renamed it.", None),
            ("I renamed it.\n\nGo on?", Some("Go on?")),
            ("I renamed it.\n\n**Go on?**\n", Some("Go on?")),
            (
                "Done.\n\nIs that what you want? Shall I go on\nwith the tests? (y/n)",
                Some("Shall I go on with the tests? (y/n)"),
            ),
            (
                "I renamed `total` in both of the files. Shall I write the tests as well?",
                Some("Shall I write the tests as well?"),
            ),
            ("Continue (Y/n)", Some("Continue (Y/n)")),
            ("", None),
        ] {
            assert_eq!(question(text).as_deref(), expected, "{text}");
        }
    }
}
