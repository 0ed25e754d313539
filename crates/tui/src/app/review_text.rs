//! Texts about the review, entered in the place of the composer: questions, comments, a hunk's new text, a search.
//!
//! In: which text, and what is typed. Out: what it comes to.

use signoff_llm::session::Command;

use super::slash::{self, Typed};
use super::{App, notes};
use crate::app::keymap::Context;
use crate::event_lines;
use crate::response::{ReviewText, Scope};

impl From<ReviewText> for Context {
    /// Returns what the keys of a text are pressed in.
    fn from(about: ReviewText) -> Self {
        match about {
            ReviewText::Question(_) => Self::Question,
            ReviewText::Remark(_) => Self::Remark,
            ReviewText::Comment(_) | ReviewText::LineComment(..) => Self::Comment,
            ReviewText::NewText(_) => Self::NewText,
            ReviewText::Search => Self::Search,
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
            ReviewText::Remark(_) if text.is_empty() => {}
            ReviewText::Remark(hunk) => match self.review.question_about(hunk, text) {
                Some(remark) => {
                    self.review.draft(Scope::Hunk(hunk), "");
                    self.ask(Command::Regenerate(Box::new(remark)));
                }
                None => self.give_question_back(text),
            },
            ReviewText::Comment(hunk) => self.review.comment(hunk, text),
            ReviewText::LineComment(hunk, line) => self.review.comment_line(hunk, line, text),
            ReviewText::NewText(hunk) => match self.review.take_drafted_text(hunk) {
                Some(manuscript) => self.hunk_edited(&manuscript, Ok(text.to_owned())),
                None => self.tell(notes::too_late(text)),
            },
            ReviewText::Search if self.review.finds() => {}
            ReviewText::Search => self.end_vain_search(text),
        }
    }

    /// Ends a search that found nothing; where it is the name of a command, that was meant.
    fn end_vain_search(&mut self, text: &str) {
        let count = self.review.search_count();
        self.review.drop_search();
        match slash::read(&format!("/{text}")) {
            Typed::Slash(command) => self.carry_out(command),
            Typed::Answer(line) if slash::is_known(text) => self.answer(&line),
            Typed::Nothing | Typed::Answer(_) | Typed::Prompt(_) | Typed::Run(_) => self.say(count),
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
    use crate::kit::file;

    #[test]
    fn a_search_that_finds_nothing_is_a_command_where_one_is_meant() {
        for (typed, asks, ends_search) in [
            ("new", false, false),
            ("undo", true, true),
            ("reject", false, true),
            ("etc/hosts", false, true),
            ("rate", false, true),
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
