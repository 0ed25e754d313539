//! Slash commands carried out.
//!
//! In: a command that was typed. Out: changed panes, and commands for the session.

use signoff_core::plural::counted;
use signoff_core::review::Verdict;
use signoff_llm::session::Command;

use super::dialog::Dialog;
use super::overlay::Overlay;
use super::picker::Picker;
use super::slash::{self, Extent, Slash};
use super::status_report::status_report;
use super::{App, Export};
use crate::keymap::Action;
use crate::review::diff_page::DiffPage;
use crate::review::{Outcome, ReviewKey, Scope};

impl App {
    pub(super) fn slash(&mut self, command: Slash) -> Vec<Command> {
        if command.is_answered_in_transcript() {
            self.make_room();
        }
        match command {
            Slash::Help => self.act(Action::Help),
            Slash::Diff(scope) => {
                let page = DiffPage::of(scope);
                self.focus.open_overlay(Overlay::Diff(Box::new(page)));
                Vec::new()
            }
            Slash::Places => self.on_changes(self.changes.open_places()),
            Slash::History => self.open_history(),
            Slash::Status => self.tell_status(),
            Slash::Quit => self.act(Action::Quit),
            Slash::Copy => {
                self.status.say(match self.transcript.last_answer() {
                    Some(text) => self.outgoing.copy(text),
                    None => "Nothing was answered yet".to_owned(),
                });
                Vec::new()
            }
            Slash::Export(path) => {
                let text = self.transcript.exported();
                self.outgoing.export(Export { path, text });
                Vec::new()
            }
            Slash::Revert(path) => self.revert_last(path.as_deref()),
            Slash::Undo => self.on_changes(self.changes.ask_undo()),
            Slash::Redo => self.on_changes(self.changes.ask_redo()),
            Slash::Theme(name) => {
                self.set_theme(name);
                self.status
                    .say(format!("The theme is {}, for this run", name.word()));
                Vec::new()
            }
            Slash::Mode(Some(mode)) => vec![Command::SetMode(mode)],
            Slash::Mode(None) => {
                let now = self.conversation.mode.word();
                self.status.say(format!(
                    "The mode is {now}; /mode plan, step, turn or write-through"
                ));
                Vec::new()
            }
            Slash::Retry => vec![Command::Retry],
            Slash::Compact => vec![Command::Compact],
            Slash::Comments(is_sent) => self.comments(is_sent),
            Slash::Attached => vec![Command::ListAttached],
            Slash::Detach(path) => vec![Command::Detach(path)],
            Slash::Sessions => self.open_picker(Picker::Sessions),
            Slash::Switch(to) => vec![Command::Switch(to)],
            Slash::Model(None) => self.open_picker(Picker::Models),
            Slash::Model(Some(name)) => vec![Command::UseModel(name)],
            Slash::Review => {
                self.show_review();
                vec![Command::Review]
            }
            // The whole list may be decided only once it was on the screen.
            Slash::Approve(_) | Slash::Deny(_) if !self.review.was_drawn() => {
                self.show_review();
                Vec::new()
            }
            Slash::Approve(Extent::Displayed) => {
                let commands = self.review_key(ReviewKey::ApproveAll);
                if self.review.question().is_some() {
                    self.focus.open_review();
                }
                commands
            }
            Slash::Approve(Extent::All) => {
                let outcome = self.review.approve_unseen();
                if matches!(outcome, Outcome::Say(_)) && self.review.list().pending() > 0 {
                    self.focus.open_review();
                }
                self.follow_up(outcome)
            }
            Slash::Deny(reason) => self.deny_all(reason),
        }
    }

    /// Denies all that wait; where something has not been displayed, after it was asked for.
    fn deny_all(&mut self, reason: Option<String>) -> Vec<Command> {
        if reason
            .as_deref()
            .is_some_and(|word| self.review.list().names(word))
        {
            self.answer(slash::DENY_ALL);
            return Vec::new();
        }
        let verdict = Verdict::Deny { reason };
        let unseen = self.review.waiting(&verdict).unseen;
        if unseen == 0 {
            let outcome = self.review.rule_all(&verdict);
            return self.follow_up(outcome);
        }
        self.focus.open_review();
        let draft = match &verdict {
            Verdict::Deny {
                reason: Some(reason),
            } => reason,
            _ => "",
        };
        self.focus.ask(Dialog::reason(Scope::All, draft));
        Vec::new()
    }

    /// Says how many comments wait, or sends them.
    fn comments(&mut self, is_sent: bool) -> Vec<Command> {
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

    fn tell_status(&mut self) -> Vec<Command> {
        self.answer(&status_report(self));
        Vec::new()
    }
}
