//! Dialogs and overlays: what lies over the panes until it is answered or closed.
//!
//! In: keys that edit or scroll, and the size of the screen. Out: the text that is typed, and the rows in sight.

use super::help::HelpPage;
use super::permission_prompt::PermissionPrompt;
use crate::composer::Composer;
use crate::keymap::Context;
use crate::review::Scope;
use crate::review::diff_page::DiffPage;
use crate::review::foreseen::Foreseen;
use crate::review::history::RevertQuestion;
use crate::review::note_page::NotePage;
use crate::review::places_page::PlacesPage;
use crate::review::sign_off::SignOffPage;
use signoff_core::id::HunkId;

/// What lies over the panes.
#[derive(Debug)]
pub(crate) enum Overlay {
    /// The keys.
    Help(HelpPage),
    /// The history.
    History,
    /// The transcript, block by block.
    Transcript,
    /// What the marks of the review come to.
    SignOff(Box<SignOffPage>),
    /// What changes come to.
    Diff(Box<DiffPage>),
    /// The places of an edit that fits several.
    Places(Box<PlacesPage>),
    /// What is known of a hunk.
    Note(Box<NotePage>),
}

/// A question in the place of the composer.
#[derive(Debug)]
pub(crate) enum Dialog {
    /// Why something is denied.
    Reason {
        /// What is denied.
        scope: Scope,
        /// The answer so far.
        line: Box<Composer>,
    },
    /// What is to be done instead of a call that is refused.
    Instead {
        /// The call.
        prompt: Box<PermissionPrompt>,
        /// The answer so far.
        line: Box<Composer>,
    },
    /// Something about the review.
    Text {
        /// What it is.
        about: ReviewText,
        /// The text so far.
        line: Box<Composer>,
    },
    /// Whether something is to be taken back.
    Confirm {
        /// What.
        question: Box<RevertQuestion>,
        /// What it would do, once that is known.
        foreseen: Option<Foreseen>,
    },
}

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
    pub(crate) fn has_lines(self) -> bool {
        matches!(self, Self::NewText(_))
    }

    /// Returns what the user is asked for.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Question(_) => "What do you ask about this hunk?",
            Self::Comment(_) => "Comment on this hunk",
            Self::LineComment(..) => "Comment on this line",
            Self::NewText(_) => "New text of this hunk",
            Self::Search => "Search in all files",
        }
    }

    /// Returns what stands where nothing is typed.
    pub(crate) fn placeholder(self) -> &'static str {
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

impl Dialog {
    /// Asks for a text about the review, which begins with a draft.
    pub(super) fn text(about: ReviewText, draft: &str) -> Self {
        let mut line = Box::new(Composer::default());
        line.set(draft);
        if about.has_lines() {
            line.go_to_start();
        }
        Self::Text { about, line }
    }

    /// Asks why something is denied; the answer begins with a draft.
    pub(super) fn reason(scope: Scope, draft: &str) -> Self {
        let mut line = Box::new(Composer::default());
        line.set(draft);
        Self::Reason { scope, line }
    }

    /// Asks what is to be done instead of a call.
    pub(super) fn instead(prompt: PermissionPrompt) -> Self {
        Self::Instead {
            prompt: Box::new(prompt),
            line: Box::default(),
        }
    }

    /// Asks whether something is to be taken back.
    pub(super) fn confirm(question: RevertQuestion) -> Self {
        Self::Confirm {
            question: Box::new(question),
            foreseen: None,
        }
    }

    /// Returns the answer that is typed, if it is one.
    pub(super) fn line(&mut self) -> Option<&mut Composer> {
        match self {
            Self::Reason { line, .. } | Self::Instead { line, .. } | Self::Text { line, .. } => {
                Some(line)
            }
            Self::Confirm { .. } => None,
        }
    }

    /// Returns true if the text that is typed may have several lines.
    pub(super) fn has_lines(&self) -> bool {
        matches!(self, Self::Text { about, .. } if about.has_lines())
    }

    /// Returns what taking back would do, once that is known.
    pub(crate) fn foreseen(&self) -> Option<&Foreseen> {
        match self {
            Self::Confirm { foreseen, .. } => foreseen.as_ref(),
            Self::Reason { .. } | Self::Instead { .. } | Self::Text { .. } => None,
        }
    }

    /// Returns the same, to be scrolled or laid out.
    pub(super) fn foreseen_mut(&mut self) -> Option<&mut Foreseen> {
        match self {
            Self::Confirm { foreseen, .. } => foreseen.as_mut(),
            Self::Reason { .. } | Self::Instead { .. } | Self::Text { .. } => None,
        }
    }
}
