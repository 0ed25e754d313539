//! Browsing the transcript, copies and exports.
//!
//! In: keys and commands. Out: text that the loop copies or writes.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use signoff_llm::session::Command;

use super::App;
use super::dialog::Overlay;
use crate::keymap;
use crate::transcript::{BrowseKey, BrowseOutcome};

/// Longer texts are not copied: terminals drop sequences of more than 100,000 bytes, of which a text takes four thirds.
const LONGEST_COPY: usize = 74_000;

/// What leaves the interface by the loop.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// A text for the terminal's clipboard.
    copied: Option<String>,
    exported: Option<Export>,
}

/// A conversation that is to be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The file; none leaves the choice to the loop.
    pub path: Option<String>,
    /// What is written.
    pub text: String,
}

impl App {
    pub(super) fn open_transcript(&mut self) {
        if self.transcript.begin_browsing() {
            self.focus.open_overlay(Overlay::Transcript);
        } else {
            self.status.say("Nothing was said yet");
        }
    }

    pub(super) fn open_outputs(&mut self) {
        if self.takes_text() && self.composer.unfold() {
            return;
        }
        if !self.transcript.toggle_outputs() {
            self.status.say("No output is cut");
        }
    }

    pub(super) fn browse(&mut self, key: BrowseKey) {
        match self.transcript.browse(key) {
            BrowseOutcome::Handled => {}
            BrowseOutcome::Copy(text) => self.copy(text),
            BrowseOutcome::Say(line) => self.status.say(line),
        }
    }

    /// Takes a key while what to look for is typed; false if that is not so.
    pub(super) fn type_sought(&mut self, key: KeyEvent) -> bool {
        if !matches!(self.focus.overlay(), Some(Overlay::Transcript)) {
            return false;
        }
        let Some(sought) = self.transcript.sought_mut() else {
            return false;
        };
        match (key.code, keymap::typed(key)) {
            (_, Some(c)) => sought.push(c),
            (KeyCode::Backspace, _) => drop(sought.pop()),
            (KeyCode::Enter, _) => {
                if !self.transcript.find_typed(true) {
                    self.status.say("Not found");
                }
            }
            (KeyCode::Esc, _) => drop(self.transcript.find_typed(false)),
            _ => return !key.modifiers.contains(KeyModifiers::CONTROL),
        }
        true
    }

    pub(super) fn copy_last_answer(&mut self) -> Vec<Command> {
        match self.transcript.last_answer() {
            Some(text) => self.copy(text),
            None => self.status.say("Nothing was answered yet"),
        }
        Vec::new()
    }

    pub(super) fn export(&mut self, path: Option<String>) -> Vec<Command> {
        let text = self.transcript.exported();
        self.outgoing.exported = Some(Export { path, text });
        Vec::new()
    }

    /// Hands a text to the terminal's clipboard. Terminals do not say whether they took it.
    pub(super) fn copy(&mut self, text: String) {
        if text.len() > LONGEST_COPY {
            self.status.say("Too long for the clipboard of terminals");
            return;
        }
        let lines = signoff_core::plural::counted(text.lines().count(), "line");
        self.status
            .say(format!("{lines} handed to the terminal to copy"));
        self.outgoing.copied = Some(text);
    }

    /// Returns once the text that the terminal is to copy.
    pub fn take_copied(&mut self) -> Option<String> {
        self.outgoing.copied.take()
    }

    /// Returns once the conversation that is to be written to a file.
    pub fn take_export(&mut self) -> Option<Export> {
        self.outgoing.exported.take()
    }
}
