//! A plan that is carried out, step by step.
//!
//! ```text
//! approved, 3 steps    step 1 is asked for
//! step 1 staged        it waits for the review
//! all decided          the command of its line `Check:` runs, if there is one
//! it passed            step 2 is asked for; what was decided on step 1 is in its request
//! step 2 failed        the plan is held; the user goes on with it at step 2
//! its check failed     the plan is held: the user has the step carried out again, or goes on without it
//! ```
//!
//! In: a plan, ends of turns, verdicts, reports of checks. Out: the prompt of the next step, and what the user is told. Each step is a turn, so
//! that its edits are one changeset and are checked together.

use std::collections::BTreeMap;

use signoff_checks::check::{CheckReport, Checked};
use signoff_core::plural::counted;

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
    /// The steps so far that were not simply carried out.
    shortfalls: BTreeMap<usize, Shortfall>,
}

/// What is to be told of a step at the end of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shortfall {
    /// The user went on without it.
    Skipped,
    /// Its turn ended without a change: there was nothing to change, or the model asked something.
    StagedNothing,
}

/// Where a step stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum StepStage {
    /// Its turn is to begin.
    Next,
    /// Its turn runs.
    Running(TurnId),
    /// What it staged waits for verdicts.
    InReview,
    /// Its check is to run.
    ToCheck,
    /// The check with this number runs.
    Checking(u64),
    /// Its check did not pass, for this reason.
    Unmet(String),
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
            shortfalls: BTreeMap::new(),
        });
        true
    }

    /// Goes on with a plan that is held, or whose step was decided on elsewhere; `waits` tells whether hunks wait, `skips`
    /// whether the step counts as done whatever came of it. Returns why it does not.
    pub(super) fn go_on(&mut self, waits: bool, skips: bool) -> Result<(), &'static str> {
        let Some(course) = &mut self.plan else {
            return Err("no plan is being carried out; /mode plan makes one");
        };
        match course.stage {
            StepStage::InReview if waits => {
                return Err("the step that was carried out waits for your review");
            }
            StepStage::Running(_) => return Err("a step of the plan runs"),
            _ if skips => {
                course.shortfalls.insert(course.at, Shortfall::Skipped);
                course.advance();
            }
            StepStage::Next | StepStage::Held => course.stage = StepStage::Next,
            StepStage::InReview => course.finish(),
            // A check that was ended by what was staged meanwhile begins anew.
            StepStage::ToCheck | StepStage::Checking(_) => course.stage = StepStage::ToCheck,
            // Its prompt says why it comes again.
            StepStage::Unmet(_) => {}
        }
        Ok(())
    }

    /// Returns the command that is to run before the next step begins, if there is one.
    pub(super) fn next_check(&self) -> Option<String> {
        let course = self.plan.as_ref()?;
        let step = course.document.step(course.at)?;
        let is_next = course.stage == StepStage::ToCheck;
        step.check().filter(|_| is_next).map(str::to_owned)
    }

    /// Takes note that the check of the step runs.
    pub(super) fn check_began(&mut self, check: u64) {
        if let Some(course) = &mut self.plan {
            course.stage = StepStage::Checking(check);
        }
    }

    /// Returns whether the check of a step runs.
    pub(super) fn is_checking(&self) -> bool {
        let stage = self.plan.as_ref().map(|course| &course.stage);
        matches!(stage, Some(StepStage::Checking(_)))
    }

    /// Takes what came of a check. Returns whether the next step may begin, if it was that of a step.
    pub(super) fn checked(
        &mut self,
        check: u64,
        report: &CheckReport,
        out: &mut Outbox,
    ) -> Option<bool> {
        let course = self.plan.as_mut();
        let course = course.filter(|course| course.stage == StepStage::Checking(check))?;
        let (number, count) = (course.at + 1, course.document.len());
        if report.checks.is_empty() {
            out.inform(&format!(
                "the check of step {number} of {count} did not run: checks are switched off"
            ));
        }
        let unfinished = report.unfinished().next().map(Checked::told);
        let failed = report.new.first().map(|new| new.message.clone());
        let Some(why) = unfinished.or(failed) else {
            course.advance();
            return Some(true);
        };
        out.inform(&format!(
            "the plan is held at step {number} of {count}, whose check did not pass: {why}; /plan has the step carried out \
             again, /plan next goes on without it"
        ));
        course.stage = StepStage::Unmet(why);
        Some(false)
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
        let unmet = match &course.stage {
            StepStage::Next => None,
            StepStage::Unmet(why) => Some(why),
            _ => return None,
        };
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
        if let Some(why) = unmet {
            prompt += &format!("\nThis step was carried out, and its check did not pass: {why}");
        }
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
        // Where the step is carried out again, what came of it last counts.
        if touched.is_empty() {
            course
                .shortfalls
                .insert(course.at, Shortfall::StagedNothing);
        } else {
            course.shortfalls.remove(&course.at);
        }
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
            TurnEnd::Done => course.finish(),
            TurnEnd::Unmet | TurnEnd::Cancelled | TurnEnd::Failed | TurnEnd::Limit => {
                course.stage = StepStage::Held;
                let count = course.document.len();
                out.inform(&format!(
                    "the plan is held at step {number} of {count}; /plan goes on with it"
                ));
            }
        }
    }

    /// Returns whether another step begins once the user has decided on this one.
    pub(super) fn goes_on(&self) -> bool {
        let waiting = self.plan.as_ref();
        let waiting = waiting.filter(|course| course.stage == StepStage::InReview);
        waiting.is_some_and(|course| course.at + 1 < course.document.len())
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
        course.finish();
        !self.is_over(out)
    }

    /// Drops a plan without further steps, and tells so.
    fn is_over(&mut self, out: &mut Outbox) -> bool {
        let over = self
            .plan
            .take_if(|course| course.at >= course.document.len());
        if let Some(course) = &over {
            out.inform(&course.summary());
        }
        over.is_some()
    }
}

impl Course {
    /// Ends the step, but for its check.
    fn finish(&mut self) {
        let step = self.document.step(self.at);
        if step.is_some_and(|step| step.check().is_some()) {
            self.stage = StepStage::ToCheck;
        } else {
            self.advance();
        }
    }

    /// Says what came of the steps: `the plan of 3 steps has ended: step 2 skipped; step 3 staged nothing`.
    fn summary(&self) -> String {
        let count = self.document.len();
        if self.shortfalls.is_empty() {
            return format!("the plan is carried out: {count} of {count} steps");
        }
        let mut told = Vec::new();
        for (shortfall, words) in [
            (Shortfall::Skipped, "skipped"),
            (Shortfall::StagedNothing, "staged nothing"),
        ] {
            let steps = self.shortfalls.iter().filter(|(_, own)| **own == shortfall);
            let steps: Vec<String> = steps.map(|(at, _)| (at + 1).to_string()).collect();
            match steps.as_slice() {
                [] => {}
                [step] => told.push(format!("step {step} {words}")),
                steps => told.push(format!("steps {} {words}", steps.join(", "))),
            }
        }
        format!(
            "the plan of {} has ended: {}",
            counted(count, "step"),
            told.join("; ")
        )
    }

    fn advance(&mut self) {
        self.at += 1;
        self.stage = StepStage::Next;
    }
}
