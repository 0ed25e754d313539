//! A plan that is carried out, step by step.
//!
//! ```text
//! approved, 3 steps    step 1 is asked for
//! step 1 staged        it waits for the review
//! all decided          step 2 is asked for; what was decided on step 1 is in its request
//! step 2 failed        the plan is held; the user goes on with it at step 2
//! ```
//!
//! In: a plan, ends of turns, verdicts. Out: the prompt of the next step, and what the user is told. Each step is a turn, so
//! that its edits are one changeset and are checked together.

use super::outbox::Outbox;
use super::turn::Turn;
use super::{Event, TurnEnd, TurnId};
use crate::plan::PlanDocument;

/// The plan of a conversation.
#[derive(Debug, Default)]
pub(super) struct PlannedWork {
    plan: Option<Course>,
}

/// A plan and where it stands.
#[derive(Debug)]
struct Course {
    document: PlanDocument,
    /// The text as the user approved it.
    text: String,
    /// The step that is next or runs, counted from 0.
    at: usize,
    stage: StepStage,
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepStage {
    /// Its turn is to begin.
    Next,
    /// Its turn runs.
    Running(TurnId),
    /// What it staged waits for verdicts.
    InReview,
    /// Its turn did not come to its end.
    Held,
}

impl PlannedWork {
    /// Takes a plan that the user approved; returns whether its text has steps.
    pub(super) fn approve(&mut self, text: &str) -> bool {
        let Some(document) = PlanDocument::read(text) else {
            return false;
        };
        self.plan = Some(Course {
            document,
            text: text.to_owned(),
            at: 0,
            stage: StepStage::Next,
        });
        true
    }

    /// Goes on with a plan that is held, or whose step was decided on elsewhere; `waits` tells whether hunks wait. Returns
    /// why it does not.
    pub(super) fn go_on(&mut self, waits: bool) -> Result<(), &'static str> {
        let Some(course) = &mut self.plan else {
            return Err("no plan is being carried out; /mode plan makes one");
        };
        match course.stage {
            StepStage::Next | StepStage::Held => course.stage = StepStage::Next,
            StepStage::InReview if waits => {
                return Err("the step that was carried out waits for your review");
            }
            StepStage::InReview => course.advance(),
            StepStage::Running(_) => return Err("a step of the plan runs"),
        }
        Ok(())
    }

    /// Drops the plan: the conversation is another one.
    pub(super) fn forget(&mut self) {
        self.plan = None;
    }

    /// Returns the prompt of the step whose turn is to begin, if one is; at the end of the plan tells so.
    pub(super) fn next_prompt(&mut self, out: &mut Outbox) -> Option<String> {
        if self.is_over(out) {
            return None;
        }
        let course = self.plan.as_ref()?;
        if course.stage != StepStage::Next {
            return None;
        }
        let count = course.document.len();
        let step = course.document.step(course.at)?;
        let number = course.at + 1;
        let title = &step.title;
        let mut prompt = format!("Step {number} of {count}: {title}\n{}", step.details);
        prompt += if number == 1 {
            "\nCarry out this step, and nothing of the later ones; end when it is done."
        } else {
            "\nCarry out this step, and nothing of the later ones. Adapt it to what the user decided on the steps before."
        };
        if number == 1 {
            prompt += &format!("\n\nThe user approved this plan:\n\n{}", course.text);
        }
        Some(prompt)
    }

    /// Takes note that the turn of the next step has begun.
    pub(super) fn begun(&mut self, turn: TurnId) {
        if let Some(course) = &mut self.plan {
            course.stage = StepStage::Running(turn);
        }
    }

    /// Takes the end of a turn; of a step's, tells where what it staged deviates from the plan.
    pub(super) fn ended(&mut self, turn: &Turn, end: TurnEnd, out: &mut Outbox) {
        let Some(course) = &mut self.plan else {
            return;
        };
        if course.stage != StepStage::Running(turn.id()) {
            return;
        }
        let touched: Vec<String> = turn.staged_files().cloned().collect();
        let number = course.at + 1;
        let step = course.document.step(course.at);
        if let Some(deviation) = step.and_then(|step| step.deviation(&touched)) {
            out.emit(Event::PlanDeviation {
                step: number,
                deviation,
            });
        }
        match end {
            TurnEnd::Review => course.stage = StepStage::InReview,
            TurnEnd::Done => course.advance(),
            TurnEnd::Unmet | TurnEnd::Cancelled | TurnEnd::Failed | TurnEnd::Limit => {
                course.stage = StepStage::Held;
                let count = course.document.len();
                out.inform(&format!(
                    "the plan is held at step {number} of {count}; /plan goes on with it"
                ));
            }
        }
    }

    /// Takes note that nothing waits any more. Returns whether that was what a step staged, and another one comes; at the
    /// end of the plan tells so.
    pub(super) fn decided(&mut self, out: &mut Outbox) -> bool {
        let Some(course) = &mut self.plan else {
            return false;
        };
        if course.stage != StepStage::InReview {
            return false;
        }
        course.advance();
        !self.is_over(out)
    }

    /// Drops a plan without further steps, and tells so.
    fn is_over(&mut self, out: &mut Outbox) -> bool {
        let over = self
            .plan
            .take_if(|course| course.at >= course.document.len());
        if let Some(course) = &over {
            let count = course.document.len();
            out.inform(&format!(
                "the plan is carried out: {count} of {count} steps"
            ));
        }
        over.is_some()
    }
}

impl Course {
    fn advance(&mut self) {
        self.at += 1;
        self.stage = StepStage::Next;
    }
}
