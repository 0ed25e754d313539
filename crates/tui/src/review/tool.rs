//! Tools of the review: what helps to decide on a hunk, beside the verdicts themselves.
//!
//! In: a key. Out: what came of it. Each tool is in a file of its own.

use super::pending_verdicts::Confirmation;
use super::{Outcome, Review, say};

/// What keys ask for beside verdicts and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReviewTool {
    /// Ask the model about the hunk.
    Ask,
    /// Approve the hunk, or take its mark away.
    Toggle,
    /// Take the hunk's mark away, or the last marks that were given.
    TakeBack,
    /// Search in the diffs of all files.
    Search,
    /// Comment on the hunk.
    Comment,
    /// Select lines of the hunk.
    Lines,
    /// Edit the hunk's new text in place.
    EditInPlace,
    /// Copy the hunk's new text to the clipboard.
    Yank,
    /// Open the file in the user's editor, at the hunk.
    Open,
    /// To the next filter.
    Filter,
    /// To the next match of the search, or the next hunk without a mark.
    Next,
    /// To the one before.
    Previous,
}

impl ReviewTool {
    /// Tells whether this gives a verdict, leads to one, or leaves the review.
    pub(crate) fn decides(self) -> bool {
        match self {
            Self::Ask | Self::Toggle | Self::Open | Self::Comment | Self::EditInPlace => true,
            Self::Search
            | Self::Lines
            | Self::Yank
            | Self::Filter
            | Self::TakeBack
            | Self::Next
            | Self::Previous => false,
        }
    }

    /// Tells whether this goes far from what the user looked at, or has the keys mean something else.
    pub(crate) fn jumps(self) -> bool {
        matches!(self, Self::Next | Self::Previous | Self::Lines)
    }
}

impl Review {
    /// Does what a key asks beside verdicts and moves.
    pub(super) fn use_tool(
        &mut self,
        tool: ReviewTool,
        confirmed: Option<Confirmation>,
    ) -> Outcome {
        if tool.decides() && !self.was_drawn() {
            return say("The proposal changed: look again");
        }
        match tool {
            ReviewTool::Ask => self.ask_question(),
            ReviewTool::Toggle => self.toggle(confirmed),
            ReviewTool::TakeBack => self.take_back(),
            ReviewTool::Search => self.begin_search(),
            ReviewTool::Comment => self.begin_comment(),
            ReviewTool::Lines => self.begin_lines(),
            ReviewTool::EditInPlace => self.edit_in_place(confirmed),
            ReviewTool::Filter => self.next_filter(),
            ReviewTool::Yank => self.yank(),
            ReviewTool::Open => self.open_in_editor(),
            ReviewTool::Next => match self.next_match() {
                Some(outcome) => outcome,
                None => self.go_to_next_open(),
            },
            ReviewTool::Previous => match self.previous_match() {
                Some(outcome) => outcome,
                None => self.go_to_previous_open(),
            },
        }
    }
}
