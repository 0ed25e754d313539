//! `update_plan`: the steps that the model is going to take, for the user to see.

use signoff_core::plural::counted;

use super::arguments::{Told, arguments, list, one_of, text};
use super::{
    CallFacts, PlainTool, PlanStep, PlanSteps, Reach, StepStatus, ToolContext, ToolOutput,
};

/// The tool.
pub(super) struct UpdatePlan;

/// More steps are refused.
const MOST: usize = 50;
/// A step is cut after this many characters.
const LONGEST: usize = 200;

arguments! {
    pub(super) struct Arguments {
        steps: Vec<Step> = Told::Required(list(&Step::schema())),
    }
}

arguments! {
    pub(super) struct Step {
        step: String = Told::Required(text()),
        #[serde(default)]
        status: StepStatus = Told::Required(one_of(&["pending", "in_progress", "completed"])),
    }
}

impl PlainTool for UpdatePlan {
    type Arguments = Arguments;
    const NAME: &'static str = "update_plan";
    const DESCRIPTION: &'static str =
        "Show the user the plan of a longer task, and keep it current.";
    const REACH: Reach = Reach::Observe;

    fn facts(&self, _arguments: &Arguments) -> CallFacts {
        CallFacts::none()
    }

    fn run(&self, arguments: &Arguments, _context: &ToolContext<'_>) -> ToolOutput {
        let Arguments { steps } = arguments;
        if steps.len() > MOST {
            let error = format!("a plan has at most {MOST} steps");
            return ToolOutput::failed(format!("error: {error}"), error);
        }
        let steps: Vec<PlanStep> = steps.iter().map(plan_step).collect();
        let done = steps
            .iter()
            .filter(|step| step.status == StepStatus::Completed);
        let summary = format!("{} of {} done", done.count(), counted(steps.len(), "step"));
        ToolOutput {
            plan: Some(Box::new(PlanSteps(steps))),
            ..ToolOutput::done("the plan is shown to the user", summary)
        }
    }
}

fn plan_step(step: &Step) -> PlanStep {
    let words = step.step.split_whitespace().collect::<Vec<_>>().join(" ");
    PlanStep {
        step: words.chars().take(LONGEST).collect(),
        status: step.status,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::testing::Folder;

    #[test]
    fn the_plan_is_shown() {
        let steps = json!([
            { "step": "read\nthe file", "status": "completed" },
            { "step": "change it" },
        ]);
        let output = Folder::new(&[]).call("update_plan", json!({ "steps": steps }));
        assert_eq!(
            (output.ok, output.summary.as_str()),
            (true, "1 of 2 steps done")
        );
        let plan = output.plan.expect("a plan").0;
        assert_eq!(
            plan.first().map(|step| step.step.as_str()),
            Some("read the file")
        );
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let folder = Folder::new(&[]);
        for steps in [
            json!("all"),
            json!([{ "step": "x", "status": "soon" }]),
            json!(vec![json!({ "step": "x" }); MOST + 1]),
        ] {
            assert!(!folder.call("update_plan", json!({ "steps": steps })).ok);
        }
    }
}
