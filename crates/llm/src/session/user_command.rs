//! Commands that the user runs in the conversation.
//!
//! In: a command line. Out: a turn of one call, which runs as the model's own do: confined in the shadow, its changes
//! staged. No request is sent; the call and its output are in the next one.
//!
//! The user typed the command, so a confined one is not asked about, and plan mode lets it run. Rules that deny hold, and
//! a command that cannot be confined is asked about.

use serde_json::json;

use super::Config;
use super::triage::{Triage, triage};
use super::turn::permission_prompt::consent_for;
use super::turn::round::{Asking, Round};
use crate::message::{CallId, ToolCall};
use crate::mode::Mode;
use crate::phase::Phase;
use crate::tool::{DELEGATE, Subjects, ToolOutput};

/// The tool that runs commands.
pub(super) const TOOL: &str = "bash";

/// Returns the call of a command line.
pub(super) fn call(line: &str) -> ToolCall {
    ToolCall {
        id: CallId("user_command".to_owned()),
        name: TOOL.to_owned(),
        arguments: json!({ "command": line }).to_string(),
    }
}

/// Returns the call with which the user gives an agent a task.
pub(super) fn task(agent: &str, task: &str) -> ToolCall {
    ToolCall {
        id: CallId("user_task".to_owned()),
        name: DELEGATE.to_owned(),
        arguments: json!({ "agent": agent, "task": task }).to_string(),
    }
}

/// Returns the round of a command's call, or the answer that it gets instead.
pub(super) fn round(config: &Config, call: &ToolCall) -> Result<Round, ToolOutput> {
    match triage(&config.tools, Phase::Asking, Mode::Step, call) {
        Triage::Run(prepared) => {
            let is_confined = matches!(prepared.subjects(), Subjects::Confined(_));
            let consent = match consent_for(config, &prepared)? {
                Asking::Needed if is_confined => Asking::Granted,
                consent => consent,
            };
            let mut round = Round::default();
            round.add(prepared, consent);
            Ok(round)
        }
        Triage::Answer(output) | Triage::Unreadable(output) => Err(output),
    }
}
