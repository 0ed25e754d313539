//! Tools of the review: what helps to decide on a hunk, beside the verdicts themselves.
//!
//! In: a key. Out: what came of it. Each tool is in a file of its own.

use super::pending_verdicts::Confirmation;
use super::{Outcome, Review, ReviewTool, say};

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
