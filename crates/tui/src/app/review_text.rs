//! Texts about the review, typed in the place of the composer: questions, comments, a hunk's new text, a search.
//!
//! In: which text, what is typed, Enter or Esc. Out: drafts that the review keeps, and what the text comes to.

use signoff_core::id::HunkId;
use signoff_llm::session::Command;

use super::slash::{self, Slash, Typed};
use crate::keymap::Context;
use crate::review::{Manuscript, Review};

/// What is typed about the review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReviewText {
    /// A question to the model about a hunk.
    Question(HunkId),
    /// A comment on a hunk.
    Comment(HunkId),
    /// A comment on a line of a hunk.
    LineComment(HunkId, usize),
    /// The new text of a hunk.
    NewText(HunkId),
    /// What to search for in the diffs.
    Search,
}

/// What a text about the review comes to.
#[derive(Debug)]
pub(super) enum ReviewTextOutcome {
    /// The review has it.
    Handled,
    /// The session is asked this.
    Command(Command),
    /// Nothing was asked: the hunk of this question does not wait any more.
    NotAsked(String),
    /// It is the new text of a hunk.
    Edited(Manuscript, String),
    /// A command was meant.
    Slash(Slash),
    /// A command was meant that does not exist, or not so: what is said of it.
    Answer(String),
}

/// How it is asked for.
impl ReviewText {
    /// Returns what its keys are pressed in.
    pub(super) fn context(self) -> Context {
        match self {
            Self::Question(_) => Context::Question,
            Self::Comment(_) | Self::LineComment(..) => Context::Comment,
            Self::NewText(_) => Context::NewText,
            Self::Search => Context::Search,
        }
    }

    /// Returns true if the text may have several lines.
    pub(super) fn has_lines(self) -> bool {
        matches!(self, Self::NewText(_))
    }

    /// Returns what the user is asked for; of a search, what it has found so far.
    pub(super) fn label(self, review: &Review) -> String {
        let label = match self {
            Self::Question(_) => "What do you ask about this hunk?",
            Self::Comment(_) => "Comment on this hunk",
            Self::LineComment(..) => "Comment on this line",
            Self::NewText(_) => "New text of this hunk",
            Self::Search => match review.search_count() {
                Some(count) => return count,
                None => "Search in all files",
            },
        };
        label.to_owned()
    }

    /// Returns what stands where nothing is typed.
    pub(super) fn placeholder(self) -> &'static str {
        match self {
            Self::Question(_) => "The model answers beside the hunk",
            Self::Comment(_) | Self::LineComment(..) => {
                "Sent to the model with the verdicts, or by /comments send"
            }
            Self::NewText(_) => "Nothing stands in its place",
            Self::Search => "Part of a line; A-Z count if typed",
        }
    }
}

/// What becomes of it.
impl ReviewText {
    /// Returns what it begins with: what was typed before.
    pub(super) fn draft(self, review: &Review) -> &str {
        match self {
            Self::Question(hunk) => review.drafted_question(hunk),
            Self::Comment(hunk) => review.commented(hunk),
            Self::LineComment(hunk, line) => review.commented_line(hunk, line),
            Self::NewText(hunk) => review.drafted_text(hunk),
            Self::Search => "",
        }
    }

    /// Keeps what is typed so far.
    pub(super) fn keep(self, text: &str, review: &mut Review) {
        match self {
            Self::Question(hunk) => review.draft_question(hunk, text),
            Self::Comment(hunk) => review.comment(hunk, text),
            Self::LineComment(hunk, line) => review.comment_line(hunk, line, text),
            Self::NewText(hunk) => review.draft_text(hunk, text),
            Self::Search => review.find_query(text),
        }
    }

    /// Takes over that it was given up, and returns what there is to say. A question is kept.
    pub(super) fn give_up(self, review: &mut Review) -> Option<String> {
        match self {
            Self::Question(_) | Self::Comment(_) | Self::LineComment(..) => None,
            Self::NewText(_) => {
                let key = &review.key_names().edit_in_place;
                Some(format!("{key} offers the text again"))
            }
            Self::Search => {
                review.drop_search();
                None
            }
        }
    }

    /// Takes over the whole text.
    pub(super) fn enter(self, text: &str, review: &mut Review) -> ReviewTextOutcome {
        let text = if self.has_lines() { text } else { text.trim() };
        match self {
            Self::Question(hunk) => {
                review.draft_question(hunk, "");
                if text.is_empty() {
                    return ReviewTextOutcome::Handled;
                }
                match review.question_about(hunk, text) {
                    Some(question) => ReviewTextOutcome::Command(Command::Ask(Box::new(question))),
                    None => ReviewTextOutcome::NotAsked(text.to_owned()),
                }
            }
            Self::Comment(hunk) => {
                review.comment(hunk, text);
                ReviewTextOutcome::Handled
            }
            Self::LineComment(hunk, line) => {
                review.comment_line(hunk, line, text);
                ReviewTextOutcome::Handled
            }
            Self::NewText(hunk) => match review.take_drafted_text(hunk) {
                Some(manuscript) => ReviewTextOutcome::Edited(manuscript, text.to_owned()),
                None => ReviewTextOutcome::Handled,
            },
            Self::Search if review.finds() => ReviewTextOutcome::Handled,
            // Nothing is found where a command was meant.
            Self::Search => {
                let outcome = match slash::read(&format!("/{text}")) {
                    Typed::Slash(command) => ReviewTextOutcome::Slash(command),
                    Typed::Answer(line) => ReviewTextOutcome::Answer(line),
                    Typed::Nothing | Typed::Prompt(_) | Typed::Run(_) => {
                        return ReviewTextOutcome::Handled;
                    }
                };
                review.drop_search();
                outcome
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::kit::file;

    #[test]
    fn a_search_that_finds_nothing_is_a_command_where_one_is_meant() {
        for (typed, expected) in [
            ("new", "Handled"),
            ("undo", "Slash(Undo)"),
            ("reject", "Answer"),
            ("etc/hosts", "Handled"),
        ] {
            let mut review = Review::default();
            review.set(vec![file("old")]);
            ReviewText::Search.keep(typed, &mut review);
            let outcome = format!("{:?}", ReviewText::Search.enter(typed, &mut review));
            assert!(outcome.starts_with(expected), "{typed}: {outcome}");
        }
    }
}
