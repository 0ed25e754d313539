//! Input focus.
//!
//! In: nothing. Out: the places that can have the focus, and the questions that can be open.

use super::permission_prompt::PermissionPrompt;
use crate::composer::Composer;
use crate::review::Scope;
use crate::review::foreseen::Foreseen;
use crate::review::history::Question;

/// Which pane keys go to when nothing lies over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    /// The composer.
    Composer,
    /// The review pane, which is open then.
    Review,
}

/// Whether the review pane is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pane {
    /// It is not.
    Closed,
    /// It is.
    Open,
    /// The user closed it with work left; it does not come back by itself.
    Dismissed,
}

/// What lies over the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys, from this row on.
    Help {
        /// The first row shown.
        top: usize,
        /// How many rows were shown last.
        room: usize,
    },
    /// The history.
    History,
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
    /// Whether something is to be taken back.
    Confirm {
        /// What.
        question: Box<Question>,
        /// What it would do, once that is known.
        foreseen: Option<Foreseen>,
    },
}
