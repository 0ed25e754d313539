//! Going on after an approval.
//!
//! In: what is configured or chosen with the verdicts, and the model's plan. Out: whether the model is asked at
//! once, when everything it staged is decided on and something of it approved.

use signoff_core::stage::review::AfterApproval;

use crate::tool_output::{PlanStep, StepStatus};

/// What is known of going on.
#[derive(Clone, Copy, Debug)]
pub(in crate::session) struct GoingOn {
    usual: AfterApproval,
    /// For the next verdicts alone.
    chosen: Option<AfterApproval>,
    /// True if the plan that the model told has steps that are not done.
    has_steps: bool,
}

impl GoingOn {
    pub(in crate::session) fn new(usual: AfterApproval) -> Self {
        Self {
            usual,
            chosen: None,
            has_steps: false,
        }
    }

    /// Takes the user's choice for the next verdicts.
    pub(in crate::session) fn choose(&mut self, next: AfterApproval) {
        self.chosen = Some(next);
    }

    /// Takes the plan as the model tells it.
    pub(in crate::session) fn plan(&mut self, steps: &[PlanStep]) {
        self.has_steps = steps
            .iter()
            .any(|step| step.status != StepStatus::Completed);
    }

    /// Forgets the plan: the user asks for something else.
    pub(in crate::session) fn begin(&mut self) {
        self.has_steps = false;
    }

    /// Returns whether the model goes on after verdicts that approved something and left nothing.
    pub(in crate::session) fn goes_on(&mut self) -> bool {
        match self.chosen.take().unwrap_or(self.usual) {
            AfterApproval::GoOn => true,
            AfterApproval::Stop => false,
            AfterApproval::Auto => self.has_steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_goes_on_by_plan_or_by_choice() {
        let open = [step(StepStatus::Completed), step(StepStatus::Pending)];
        let done = [step(StepStatus::Completed)];
        for (usual, chosen, plan, goes_on) in [
            (AfterApproval::Auto, None, &open[..], true),
            (AfterApproval::Auto, None, &done, false),
            (AfterApproval::Auto, None, &[], false),
            (AfterApproval::Auto, Some(AfterApproval::Stop), &open, false),
            (AfterApproval::Auto, Some(AfterApproval::GoOn), &[], true),
            (AfterApproval::GoOn, None, &[], true),
            (AfterApproval::Stop, None, &open, false),
        ] {
            let mut going_on = GoingOn::new(usual);
            going_on.plan(plan);
            chosen.into_iter().for_each(|next| going_on.choose(next));
            assert_eq!(going_on.goes_on(), goes_on, "{usual:?} {chosen:?}");
            // The choice was for once.
            let again = going_on.goes_on();
            let auto = usual == AfterApproval::Auto && going_on.has_steps;
            assert_eq!(again, usual == AfterApproval::GoOn || auto);
        }
    }

    fn step(status: StepStatus) -> PlanStep {
        PlanStep {
            step: "x".to_owned(),
            status,
        }
    }
}
