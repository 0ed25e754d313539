//! `mcp_find` and `mcp_call`: the tools of servers of the Model Context Protocol, looked up before they are called.
//!
//! A request holds these two whatever the servers offer, so that it stays small and the same: what a tool takes is in
//! the answer to `mcp_find`.
//!
//! ```text
//! mcp_find {"query": "read a file"}
//! -> files__read_text_file: Read a file as text. {"type":"object","properties":{"path":{"type":"string"}}}
//! mcp_call {"tool": "files__read_text_file", "arguments": {"path": "a.txt"}}
//! ```

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::arguments::{HasSchema, Told, arguments, names_of, parse, text};
use super::{
    CallDeeds, CallFacts, ForeignSubject, PlainTool, Reach, Subjects, Tool, ToolContext,
    ToolOutput, ToolSpec,
};
use crate::foreign::{ForeignCall, ForeignServers};

/// Name of the tool that calls tools of servers.
pub(crate) const CALL: &str = "mcp_call";

/// Looks for tools of servers.
pub(super) struct FindForeign {
    pub(super) servers: Arc<dyn ForeignServers>,
}

/// Calls a tool of a server.
pub(super) struct CallForeign {
    pub(super) servers: Arc<dyn ForeignServers>,
}

/// How long servers may take to start and to say what they offer. Each has a limit of its own, which is shorter unless
/// the user says otherwise.
const STARTING: Duration = Duration::from_secs(180);

arguments! {
    pub(super) struct FindArguments {
        #[serde(default)]
        query: String = Told::Optional(text()),
    }
}

arguments! {
    pub(super) struct CallArguments {
        tool: String = Told::Required(text()),
        #[serde(default, alias = "args", alias = "input", deserialize_with = "object")]
        arguments: Map<String, Value> = Told::Required(json!({ "type": "object" })),
        #[serde(skip)]
        fingerprint: String = Told::Untold,
        #[serde(skip)]
        is_changed: bool = Told::Untold,
    }
}

impl PlainTool for FindForeign {
    type Arguments = FindArguments;
    const NAME: &'static str = "mcp_find";
    const DESCRIPTION: &'static str = "Find tools of MCP servers by words.";
    const REACH: Reach = Reach::Observe;

    fn time_limit(&self) -> Option<Duration> {
        Some(STARTING)
    }

    fn facts(&self, arguments: &FindArguments) -> CallFacts {
        CallFacts::none().looking_for(&arguments.query, None)
    }

    fn run(&self, arguments: &FindArguments, context: &ToolContext<'_>) -> ToolOutput {
        let found = self.servers.find(&arguments.query, context.stop());
        ToolOutput {
            ok: found.ok,
            ..ToolOutput::done(found.content, found.summary)
        }
    }
}

impl Tool for CallForeign {
    type Arguments = CallArguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: CALL,
            description: "Call one of these tools.",
            reach: Reach::Execute,
            parameters: CallArguments::schema(),
        }
    }

    /// A server has a limit of its own, and what the call changed is recorded when it has ended.
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    fn read(&self, arguments: &str) -> Result<CallArguments, ToolOutput> {
        let read: CallArguments = parse(arguments)?;
        let Some(known) = self.servers.known(&read.tool) else {
            let tool = signoff_core::quote::name(&read.tool);
            return Err(ToolOutput::failed(
                format!(
                    "error: no tool {tool} is known; look for it with mcp_find first. Nothing was run."
                ),
                "no such tool is known",
            ));
        };
        Ok(CallArguments {
            fingerprint: known.fingerprint,
            is_changed: known.is_changed,
            ..read
        })
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<CallArguments>())
    }

    fn facts(&self, arguments: &CallArguments) -> CallFacts {
        let subject = ForeignSubject {
            tool: arguments.tool.clone(),
            arguments: Value::Object(arguments.arguments.clone()),
            fingerprint: arguments.fingerprint.clone(),
            is_changed: arguments.is_changed,
        };
        CallFacts::command(Subjects::Foreign(Box::new(subject)), &arguments.tool)
    }

    fn run(&self, arguments: &CallArguments, context: &ToolContext<'_>) -> ToolOutput {
        let call = ForeignCall {
            tool: arguments.tool.clone(),
            arguments: arguments.arguments.clone(),
            fingerprint: arguments.fingerprint.clone(),
        };
        let description = format!("mcp: {}", call.tool);
        let (answer, changed) =
            context.watching(&description, || self.servers.call(&call, context.stop()));
        ToolOutput {
            ok: answer.ok,
            deeds: Box::new(CallDeeds {
                commit: None,
                changed,
                rewritten: Vec::new(),
                images: answer.images,
            }),
            ..ToolOutput::done(answer.content, answer.summary)
        }
    }
}

/// Reads an object, which small models often write as a string.
fn object<'de, D: Deserializer<'de>>(from: D) -> Result<Map<String, Value>, D::Error> {
    use serde::de::Error as _;
    match Value::deserialize(from)? {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(Map::new()),
        Value::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| D::Error::custom(format!("`arguments` must be an object: {error}"))),
        _ => Err(D::Error::custom("`arguments` must be an object")),
    }
}

#[cfg(test)]
mod tests;
