//! Dialogs: questions in the place of the composer, until they are answered or closed.
//!
//! In: keys that edit or scroll, and pastes. Out: the text that is typed, and drafts of it that the review keeps.

use signoff_core::id::ChangesetId;
use signoff_core::stage::review::RevertOutcome;

use super::permission_prompt::PermissionPrompt;
use super::rewind_question::RewindQuestion;
use crate::composer::{Composer, Edit};
use crate::response::{RevertQuestion, ReviewText, Scope};
use crate::review::Review;
use crate::review::foreseen::Foreseen;

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
    /// What goes back to an earlier prompt.
    Rewind {
        /// The prompt, and what can go back.
        question: Box<RewindQuestion>,
        /// What would change in files, or what is in the way.
        foreseen: Option<Foreseen>,
    },
}

impl Dialog {
    /// Asks for a text about the review, which begins with what was typed before.
    pub(super) fn text(about: ReviewText, review: &Review) -> Self {
        let mut line = Box::new(Composer::default());
        line.set(about.draft(review));
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

    /// Asks the same; the answer begins with what was typed before, or else with a question that got no answer.
    pub(super) fn denial(scope: Scope, review: &Review) -> Self {
        let drafted = review.drafted(scope);
        let question = match scope {
            Scope::Hunk(hunk) if drafted.is_empty() => review.unanswered_question(hunk),
            Scope::Hunk(_) | Scope::Lines(_) | Scope::All => None,
        };
        Self::reason(scope, question.unwrap_or(drafted))
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

    /// Asks what goes back to an earlier prompt.
    pub(super) fn rewind(question: RewindQuestion, preview: Option<RevertOutcome>) -> Self {
        Self::Rewind {
            question: Box::new(question),
            foreseen: preview.map(Foreseen::new),
        }
    }

    /// Returns the answer that is typed, if it is one.
    pub(super) fn line(&mut self) -> Option<&mut Composer> {
        match self {
            Self::Reason { line, .. } | Self::Instead { line, .. } | Self::Text { line, .. } => {
                Some(line)
            }
            Self::Confirm { .. } | Self::Rewind { .. } => None,
        }
    }

    /// Returns the answer that is typed, if it is one, and what stands where nothing is typed.
    pub(crate) fn typed(&self) -> Option<(&Composer, &'static str)> {
        match self {
            Self::Reason { line, .. } => Some((line, "A reason, or nothing; the model reads it")),
            Self::Instead { line, .. } => Some((line, "What the model should do; it reads it")),
            Self::Text { about, line } => Some((line, about.placeholder())),
            Self::Confirm { .. } | Self::Rewind { .. } => None,
        }
    }

    /// Returns what the user is asked for.
    pub(crate) fn label(&self, review: &Review) -> String {
        match self {
            Self::Reason { scope, .. } => review.ask_why(*scope),
            Self::Instead { .. } => "What should be done instead?".to_owned(),
            Self::Text { about, .. } => about.label(review),
            Self::Confirm { question, .. } if question.puts_back() => "Redo?".to_owned(),
            Self::Confirm { .. } => "Revert?".to_owned(),
            Self::Rewind { .. } => "Go back?".to_owned(),
        }
    }

    /// Returns true if the text that is typed may have several lines.
    pub(super) fn has_lines(&self) -> bool {
        matches!(self, Self::Text { about, .. } if about.has_lines())
    }

    /// Puts pasted text into the answer that is typed; over several lines only where it may have them.
    pub(super) fn paste(&mut self, text: &str) {
        let has_lines = self.has_lines();
        match self.line() {
            Some(line) if has_lines => line.paste(text),
            Some(line) => line.paste(&text.replace(['\n', '\r'], " ")),
            None => {}
        }
    }

    /// Edits the answer that is typed.
    pub(super) fn edit(&mut self, edit: Edit) {
        let has_lines = self.has_lines();
        if let Some(line) = self.line()
            && (has_lines || edit != Edit::Newline)
        {
            line.edit(edit);
        }
    }

    /// Keeps what is typed so far, where it is about the review.
    pub(super) fn keep(&self, review: &mut Review) {
        match self {
            Self::Reason { scope, line } => review.draft(*scope, &line.text()),
            Self::Text { about, line } => about.keep(&line.text(), review),
            Self::Instead { .. } | Self::Confirm { .. } | Self::Rewind { .. } => {}
        }
    }

    /// Takes over what a revert would do, if that is still the question.
    pub(super) fn foresee(&mut self, preview: RevertOutcome) {
        if let Self::Confirm { question, foreseen } = self
            && question.target == preview.target
        {
            *foreseen = Some(Foreseen::new(preview));
        }
    }

    /// Returns the changeset of which what is to be taken back is a part.
    pub(super) fn whole(&self) -> Option<ChangesetId> {
        match self {
            Self::Confirm { question, .. } => question.whole,
            Self::Reason { .. }
            | Self::Instead { .. }
            | Self::Text { .. }
            | Self::Rewind { .. } => None,
        }
    }

    /// Returns what taking back would do, once that is known.
    pub(crate) fn foreseen(&self) -> Option<&Foreseen> {
        match self {
            Self::Confirm { foreseen, .. } | Self::Rewind { foreseen, .. } => foreseen.as_ref(),
            Self::Reason { .. } | Self::Instead { .. } | Self::Text { .. } => None,
        }
    }

    /// Returns the same, to be scrolled or laid out.
    pub(super) fn foreseen_mut(&mut self) -> Option<&mut Foreseen> {
        match self {
            Self::Confirm { foreseen, .. } | Self::Rewind { foreseen, .. } => foreseen.as_mut(),
            Self::Reason { .. } | Self::Instead { .. } | Self::Text { .. } => None,
        }
    }
}
