//! Texts that are typed about the review, in the place of the composer.
//!
//! In: what is asked for, keys, Enter. Out: drafts that are kept, and commands.

use signoff_core::id::HunkId;
use signoff_core::plural::counted;
use signoff_llm::session::{AnswerEnd, Command};

use super::conversation::Queued;
use super::dialog::{Dialog, ReviewText};
use super::slash::{self, Typed};
use super::{App, notes};
use crate::review::{Manuscript, Scope};

impl App {
    /// Asks for a text about the review; it begins with what was typed before.
    pub(super) fn ask_for(&mut self, about: ReviewText) {
        let draft = match about {
            ReviewText::Question(hunk) => self.review.drafted_question(hunk),
            ReviewText::Comment(hunk) => self.review.commented(hunk),
            ReviewText::LineComment(hunk, line) => self.review.commented_line(hunk, line),
            ReviewText::NewText(hunk) => self.review.drafted_text(hunk),
            ReviewText::Search => "",
        };
        self.focus.ask(Dialog::text(about, draft));
    }

    /// Has the new text of a hunk edited in place. What was begun before the hunk changed is kept in the transcript.
    pub(super) fn edit_in_place(&mut self, hunk: HunkId, outdated: Option<Manuscript>) {
        if let Some(Manuscript { path, text, .. }) = outdated {
            self.transcript.remark(notes::not_edited(&path, &text));
        }
        self.ask_for(ReviewText::NewText(hunk));
    }

    /// Keeps what is typed about the review.
    pub(super) fn keep_review_text(&mut self) {
        if let Some(Dialog::Text { about, line }) = self.focus.dialog() {
            match about {
                ReviewText::Question(hunk) => self.review.draft_question(*hunk, &line.text()),
                ReviewText::Comment(hunk) => self.review.comment(*hunk, &line.text()),
                ReviewText::LineComment(hunk, at) => {
                    self.review.comment_line(*hunk, *at, &line.text());
                }
                ReviewText::NewText(hunk) => self.review.draft_text(*hunk, &line.text()),
                ReviewText::Search => self.review.find_query(&line.text()),
            }
        }
    }

    /// Takes over that a text about the review was given up. A question is kept.
    pub(super) fn drop_review_text(&mut self, about: ReviewText) {
        match about {
            ReviewText::Question(_) | ReviewText::Comment(_) | ReviewText::LineComment(..) => {}
            ReviewText::NewText(_) => {
                let key = &self.keys.review_names().edit_in_place;
                self.status.say(format!("{key} offers the text again"));
            }
            ReviewText::Search => self.review.drop_search(),
        }
    }

    /// Takes over what was typed about the review.
    pub(super) fn typed_about_review(&mut self, about: ReviewText, text: &str) -> Vec<Command> {
        let text = if about.has_lines() { text } else { text.trim() };
        match about {
            ReviewText::Question(hunk) => {
                self.review.draft_question(hunk, "");
                if text.is_empty() {
                    return Vec::new();
                }
                match self.review.question_about(hunk, text) {
                    Some(question) => return vec![Command::Ask(Box::new(question))],
                    None => self.give_question_back(text),
                }
            }
            // Nothing is found where a command was meant.
            ReviewText::Search if !self.review.finds() => {
                let typed = format!("/{text}");
                match slash::read(&typed) {
                    Typed::Slash(command) => {
                        self.review.drop_search();
                        return self.slash(command);
                    }
                    Typed::Answer(line) => {
                        self.review.drop_search();
                        self.answer(&line);
                    }
                    Typed::Nothing | Typed::Prompt(_) | Typed::Run(_) => {}
                }
            }
            ReviewText::Comment(hunk) => self.review.comment(hunk, text),
            ReviewText::LineComment(hunk, line) => self.review.comment_line(hunk, line, text),
            ReviewText::NewText(hunk) => {
                if let Some(manuscript) = self.review.take_drafted_text(hunk) {
                    return self.edited(&manuscript, Ok(text.to_owned()));
                }
            }
            ReviewText::Search => {}
        }
        Vec::new()
    }

    /// Sends the comments with verdicts that are handed over.
    pub(super) fn send_comments_with(&mut self, commands: &[Command]) -> Vec<Command> {
        let hands_over = |command: &Command| matches!(command, Command::Decide(_));
        if commands.iter().any(hands_over) {
            self.send_comments()
        } else {
            Vec::new()
        }
    }

    /// Sends the comments as a prompt; none if there are none.
    fn send_comments(&mut self) -> Vec<Command> {
        match self.review.take_comments() {
            Some(message) => {
                self.conversation
                    .submit(Queued::Prompt(message), &mut self.status, self.now)
            }
            None => Vec::new(),
        }
    }

    /// Says how many comments wait, or sends them.
    pub(super) fn comments(&mut self, is_sent: bool) -> Vec<Command> {
        match self.review.comment_count() {
            0 => self
                .status
                .say("There are no comments: m in the review makes one"),
            _ if is_sent => return self.send_comments(),
            count => {
                let comments = counted(count, "comment");
                self.status.say(format!(
                    "{comments} to be sent: /comments send, or with the verdicts"
                ));
            }
        }
        Vec::new()
    }

    /// Says what came of opening a file in the user's editor.
    pub(crate) fn opened(&mut self, result: Result<(), String>) {
        self.redraw = true;
        if let Err(why) = result {
            self.transcript.remark(notes::info(&why));
        }
    }

    /// Puts a question about a hunk that is gone where it can be sent as a prompt.
    fn give_question_back(&mut self, text: &str) {
        if self.composer.is_empty() {
            self.composer.set(text);
            self.status
                .say("The hunk does not wait any more: the question is in the composer");
        } else {
            let line = format!("Not asked, since the hunk does not wait any more: {text}");
            self.transcript.remark(notes::info(&line));
        }
    }

    /// Takes a piece of the model's answer about a hunk; once it is over, the transcript has question and answer.
    pub(super) fn on_answered(&mut self, hunk: HunkId, text: &str, end: Option<&AnswerEnd>) {
        let rows = self.review.answered(hunk, text, end);
        if !rows.is_empty() {
            self.transcript.lines(rows);
        }
    }

    /// Returns what a denial's reason begins with: what was typed before, or else a question that got no answer.
    pub(super) fn denial_draft(&self, scope: Scope) -> String {
        let drafted = self.review.drafted(scope);
        let question = match scope {
            Scope::Hunk(hunk) if drafted.is_empty() => self.review.unanswered_question(hunk),
            Scope::Hunk(_) | Scope::Lines(_) | Scope::All => None,
        };
        question.unwrap_or(drafted).to_owned()
    }
}
