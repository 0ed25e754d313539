//! `delegate`: a task for an agent, which works on it in a context of its own.
//!
//! Reads the arguments only. The driver runs the agent (`driver/agents`), since an agent is a session.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::arguments::{HasSchema, Told, arguments, names_of, parse, text};
use super::{CallFacts, Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::agent::{Agent, Agents};

/// The name of the tool.
pub(crate) const DELEGATE: &str = "delegate";

/// The tool, and the agents that there are.
pub(super) struct Delegate {
    pub(super) agents: Arc<Agents>,
}

/// What an agent is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegation {
    /// Which agent.
    pub agent: String,
    /// The task, which is all that it knows of the conversation.
    pub task: String,
}

arguments! {
    struct Asked {
        agent: String = Told::Required(text()),
        task: String = Told::Required(text()),
    }
}

impl Tool for Delegate {
    type Arguments = Delegation;

    fn spec(&self) -> ToolSpec {
        let mut parameters = Asked::schema();
        let names: Vec<&str> = self.agents.iter().map(Agent::name).collect();
        parameters["properties"]["agent"] = json!({ "enum": names });
        ToolSpec {
            name: DELEGATE,
            description: "Give an agent a task; it knows only what you write. You get its summary.",
            reach: Reach::Delegate,
            parameters,
        }
    }

    fn read(&self, arguments: &str) -> Result<Delegation, ToolOutput> {
        let Asked { agent, task } = parse(arguments)?;
        if self.agents.find(&agent).is_none() {
            let names: Vec<&str> = self.agents.iter().map(Agent::name).collect();
            let names = names.join(", ");
            return Err(unfit(format!(
                "there is no agent of this name; there are: {names}"
            )));
        }
        if task.trim().is_empty() {
            return Err(unfit("the task is empty".to_owned()));
        }
        Ok(Delegation { agent, task })
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Asked>())
    }

    fn facts(&self, Delegation { agent, task }: &Delegation) -> CallFacts {
        CallFacts::none().looking_for(&format!("{agent}: {task}"), None)
    }

    fn delegation<'a>(&self, arguments: &'a Delegation) -> Option<&'a Delegation> {
        Some(arguments)
    }

    fn run(&self, _arguments: &Delegation, _context: &ToolContext<'_>) -> ToolOutput {
        ToolOutput::failed(
            "error: agents work only within a conversation. Nothing was changed.",
            "no conversation",
        )
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

fn unfit(error: String) -> ToolOutput {
    ToolOutput::failed(format!("error: {error}"), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{CallId, ToolCall};
    use crate::tool::OfferedTool;

    #[test]
    fn a_call_names_an_agent_and_a_task() {
        let mut agents = Agents::default();
        assert_eq!(agents.take(Agents::built_in()), [""; 0]);
        let tool = OfferedTool::new(Delegate {
            agents: Arc::new(agents),
        });
        let prepare = |arguments: serde_json::Value| {
            tool.prepare(&ToolCall {
                id: CallId("c".to_owned()),
                name: DELEGATE.to_owned(),
                arguments: arguments.to_string(),
            })
        };
        let call = prepare(json!({"agent": "debug", "task": "why red?"})).unwrap();
        let delegation = call.delegation().unwrap();
        assert_eq!(
            (delegation.agent.as_str(), delegation.task.as_str()),
            ("debug", "why red?")
        );
        assert_eq!(call.input(), Some("debug: why red?"));
        for (arguments, why) in [
            (
                json!({"agent": "nobody", "task": "x"}),
                "there are: debug, refactor",
            ),
            (json!({"agent": "debug", "task": " "}), "the task is empty"),
            (json!({"agent": "debug"}), "task"),
        ] {
            let output = prepare(arguments).unwrap_err();
            assert!(!output.ok && output.content.contains(why), "{output:?}");
        }
    }
}
