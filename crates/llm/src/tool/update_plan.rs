//! `update_plan`: the steps that the model is going to take, for the user to see.

use serde::Deserialize;
use serde_json::json;
use signoff_core::plural::counted;

use super::arguments::parse;
use super::subjects::{self, HasSubjects, Subjects};
use super::{PlanStep, PlanSteps, Reach, StepStatus, Tool, ToolContext, ToolOutput, ToolSpec};

/// The tool.
pub(super) struct UpdatePlan;

/// More steps are refused.
const MOST: usize = 50;
/// A step is cut after this many characters.
const LONGEST: usize = 200;

#[derive(Deserialize)]
struct Arguments {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    step: String,
    #[serde(default)]
    status: StepStatus,
}

impl HasSubjects for Arguments {
    fn subjects(&self) -> Subjects {
        Subjects::Paths(Vec::new())
    }
}

impl Tool for UpdatePlan {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "update_plan",
            description: "Show the user your plan for a longer task, and keep it up to date.",
            reach: Reach::Observe,
            subjects: subjects::of::<Arguments>,
            parameters: json!({
                "type": "object",
                "properties": {
                    "steps": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "step": { "type": "string" },
                                "status": { "enum": ["pending", "in_progress", "completed"] },
                            },
                            "required": ["step", "status"],
                        },
                    },
                },
                "required": ["steps"],
            }),
        }
    }

    fn run(&self, arguments: &str, _desk: &ToolContext<'_>) -> ToolOutput {
        let Arguments { steps } = match parse(arguments) {
            Ok(arguments) => arguments,
            Err(answer) => return answer,
        };
        if steps.len() > MOST {
            let error = format!("a plan has at most {MOST} steps");
            return ToolOutput::failed(format!("error: {error}"), error);
        }
        let steps: Vec<PlanStep> = steps.into_iter().map(plan_step).collect();
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

fn plan_step(step: Step) -> PlanStep {
    let words = step.step.split_whitespace().collect::<Vec<_>>().join(" ");
    PlanStep {
        step: words.chars().take(LONGEST).collect(),
        status: step.status,
    }
}

#[cfg(test)]
mod tests {
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
