//! Keys for prompts as a whole: the editor, and those that wait for their turn.

use super::{App, Handover, notes};
use crate::keymap::Context;

impl App {
    /// Gives the text to the user's editor.
    pub(super) fn edit_prompt(&mut self) {
        if self.focus.dialog().is_none() && self.takes_text() {
            self.composer.end_search();
            self.composer.offer(None);
            self.handover = Some(Handover::Prompt(self.composer.text().into_owned()));
        }
    }

    /// Takes over what the user's editor left of the text, or why there is nothing.
    pub(crate) fn prompt_edited(&mut self, text: Result<String, String>) {
        self.redraw = true;
        match text {
            // An editor ends every file with a line ending.
            Ok(text) => {
                self.composer
                    .replace(text.strip_suffix('\n').unwrap_or(&text));
            }
            Err(why) => self.transcript.remark(notes::info(&why)),
        }
    }

    /// Returns whether Esc has nothing nearer to do than to go back to an earlier prompt.
    pub(super) fn can_rewind(&self) -> bool {
        self.composer.is_empty() && self.status.is_ready() && !self.focus.shows_review()
    }

    /// Takes the prompt that was queued last back into an empty composer; false if there is none.
    pub(super) fn requeue(&mut self) -> bool {
        if self.context() != Context::EmptyComposer || !self.status.is_ready() {
            return false;
        }
        let last = self.conversation.take_last();
        if let Some(prompt) = &last {
            self.composer.set(prompt);
        }
        last.is_some()
    }

    /// Puts a prompt back that was not sent; what is typed meanwhile stays.
    pub(super) fn give_back(&mut self, prompt: &str) {
        if self.composer.is_empty() {
            self.composer.replace(prompt);
        } else {
            self.composer.note(prompt);
        }
    }

    /// Removes the prompt that was queued last; it can be recalled.
    pub(super) fn unqueue(&mut self) {
        match self.conversation.take_last() {
            Some(prompt) => {
                let line = prompt.lines().next().unwrap_or_default();
                let line: String = line.chars().take(40).collect();
                self.status.say(format!("Removed from the queue: {line}"));
            }
            None => self.status.say("No prompt is queued"),
        }
    }
}
