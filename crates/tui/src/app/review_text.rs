//! Texts about the review, typed in the place of the composer: questions, comments, a hunk's new text, a search.
//!
//! In: which text, what is typed, Enter or Esc. Out: drafts that the review keeps, and what the text comes to.

use signoff_llm::session::Command;

use super::App;
use super::slash::{self, Typed};
use crate::app::keymap::Context;
use crate::event_lines;
use crate::response::ReviewText;
use crate::review::Review;

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
}

impl App {
    /// Takes over a whole text about the review.
    pub(super) fn enter_text(&mut self, about: ReviewText, text: &str) {
        let text = if about.has_lines() { text } else { text.trim() };
        match about {
            ReviewText::Question(hunk) => {
                self.review.draft_question(hunk, "");
                match self.review.question_about(hunk, text) {
                    _ if text.is_empty() => {}
                    Some(question) => self.ask(Command::Ask(Box::new(question))),
                    None => self.give_question_back(text),
                }
            }
            ReviewText::Comment(hunk) => self.review.comment(hunk, text),
            ReviewText::LineComment(hunk, line) => self.review.comment_line(hunk, line, text),
            ReviewText::NewText(hunk) => {
                if let Some(manuscript) = self.review.take_drafted_text(hunk) {
                    self.hunk_edited(&manuscript, Ok(text.to_owned()));
                }
            }
            ReviewText::Search if self.review.finds() => {}
            // Nothing is found where a command was meant.
            ReviewText::Search => match slash::read(&format!("/{text}")) {
                Typed::Slash(command) => {
                    self.review.drop_search();
                    self.carry_out(command);
                }
                Typed::Answer(line) => {
                    self.review.drop_search();
                    self.answer(&line);
                }
                Typed::Nothing | Typed::Prompt(_) | Typed::Run(_) => {}
            },
        }
    }

    /// Puts a question about a hunk that is gone where it can be sent as a prompt.
    fn give_question_back(&mut self, text: &str) {
        if self.conversation.propose(text) {
            self.status
                .say("The hunk does not wait any more: the question is in the composer");
        } else {
            let line = format!("Not asked, since the hunk does not wait any more: {text}");
            self.transcript.remark(event_lines::info(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AppEffect, Options, Query};
    use crate::review::kit::file;

    #[test]
    fn a_search_that_finds_nothing_is_a_command_where_one_is_meant() {
        for (typed, asks, ends_search) in [
            ("new", false, false),
            ("undo", true, true),
            ("reject", false, true),
            ("etc/hosts", false, false),
        ] {
            let mut app = App::new(Options::default());
            app.review.set(vec![file("old")]);
            ReviewText::Search.keep(typed, &mut app.review);
            app.enter_text(ReviewText::Search, typed);
            let asked = app.effects.contains(&AppEffect::Query(Query::History));
            let is_over = app.review.search_count().is_none();
            assert_eq!((asked, is_over), (asks, ends_search), "{typed}");
        }
    }
}
