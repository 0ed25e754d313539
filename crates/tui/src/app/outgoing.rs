//! What leaves the interface by the loop: copies, exports, the terminal itself, the end.
//!
//! In: what is to be done outside. Out: each of it once, when the loop asks.

use signoff_core::plural::counted;

use crate::app::{BackgroundRequest, Query};
use crate::review::{FileLine, Manuscript};

/// Longer texts are not copied: terminals drop sequences of more than 100,000 bytes, of which a text takes four thirds.
const LONGEST_COPY: usize = 74_000;

/// What the terminal is given away for, for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Handover {
    /// The user edits the prompt in an editor.
    Prompt(String),
    /// The user edits the new text of a hunk there.
    Hunk(Manuscript),
    /// The user opens a file there.
    Place(FileLine),
    /// The process stops, and the shell has the terminal until it goes on.
    Stop,
}

/// Why the interface ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The user left.
    Left,
    /// The system asked, with this signal.
    Signal(i32),
}

/// A conversation that is to be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The file; none leaves the choice to the loop.
    pub path: Option<String>,
    /// What is written.
    pub text: String,
}

/// What the loop is to do.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    exit: Option<Exit>,
    redraw: bool,
    handover: Option<Handover>,
    /// A text for the terminal's clipboard.
    copied: Option<String>,
    export: Option<Export>,
    background: Vec<BackgroundRequest>,
    queries: Vec<Query>,
    uses_mouse: bool,
}

impl Outgoing {
    /// Ends the interface.
    pub(super) fn end(&mut self, exit: Exit) {
        self.exit = Some(exit);
    }

    /// Has the whole screen drawn again.
    pub(super) fn redraw(&mut self) {
        self.redraw = true;
    }

    /// Gives the terminal away.
    pub(super) fn hand_over(&mut self, handover: Handover) {
        self.handover = Some(handover);
    }

    /// Hands a text to the terminal's clipboard, and returns what is said of it. Terminals do not say whether they took it.
    pub(super) fn copy(&mut self, text: String) -> String {
        if text.len() > LONGEST_COPY {
            return "Too long for the clipboard of terminals".to_owned();
        }
        let lines = counted(text.lines().count(), "line");
        self.copied = Some(text);
        format!("{lines} handed to the terminal to copy")
    }

    /// Has a conversation written to a file.
    pub(super) fn export(&mut self, export: Export) {
        self.export = Some(export);
    }

    /// Asks something of background agents.
    pub(super) fn ask_background(&mut self, request: BackgroundRequest) {
        self.background.push(request);
    }

    /// Returns once what is asked of background agents, in order.
    pub(super) fn take_background(&mut self) -> Vec<BackgroundRequest> {
        std::mem::take(&mut self.background)
    }

    /// Asks something beside the session.
    pub(super) fn ask(&mut self, queries: impl IntoIterator<Item = Query>) {
        self.queries.extend(queries);
    }

    /// Returns once what is asked, in order.
    pub(super) fn take_queries(&mut self) -> Vec<Query> {
        std::mem::take(&mut self.queries)
    }

    /// Has the terminal report what the mouse does, or not.
    pub(super) fn use_mouse(&mut self, is_on: bool) {
        self.uses_mouse = is_on;
    }

    /// Returns true if the terminal is to report what the mouse does.
    pub(super) fn uses_mouse(&self) -> bool {
        self.uses_mouse
    }

    /// Returns why the interface ends, once it does.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Returns true once after the whole screen is to be drawn again.
    pub(super) fn take_redraw(&mut self) -> bool {
        std::mem::take(&mut self.redraw)
    }

    /// Returns once what the terminal is to be given away for.
    pub(super) fn take_handover(&mut self) -> Option<Handover> {
        self.handover.take()
    }

    /// Returns once the text that the terminal is to copy.
    pub(super) fn take_copied(&mut self) -> Option<String> {
        self.copied.take()
    }

    /// Returns once the conversation that is to be written to a file.
    pub(super) fn take_export(&mut self) -> Option<Export> {
        self.export.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_copied_once_and_only_if_terminals_take_it() {
        let mut outgoing = Outgoing::default();
        for (text, said, copied) in [
            (
                "a\nb".to_owned(),
                "2 lines handed to the terminal to copy",
                true,
            ),
            (
                "x".repeat(LONGEST_COPY + 1),
                "Too long for the clipboard of terminals",
                false,
            ),
        ] {
            assert_eq!(outgoing.copy(text.clone()), said);
            assert_eq!(outgoing.take_copied(), copied.then_some(text));
            assert_eq!(outgoing.take_copied(), None);
        }
    }
}
