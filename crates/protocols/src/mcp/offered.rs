//! The tools that other agents are offered, a row each: what is said of a tool, and what carries it out.
//!
//! In: a name and arguments, both from a foreign program. Out: what [`ProposalWorkspace`] does by them, or one line for what is
//! wrong with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{CallToolResult, Tool, ToolAnnotations, object};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use signoff_core::edit::request::Payload;
use signoff_core::stage::proposal::Origin;

use super::limits::LONGEST_WAIT;
use super::workspace::ProposalWorkspace;

/// A tool.
pub(super) struct OfferedTool {
    pub(super) name: &'static str,
    description: &'static str,
    /// Whether it changes nothing at all.
    pub(super) only_looks: bool,
    /// The JSON Schema of its arguments.
    schema: fn() -> Value,
    work: ToolWork,
}

/// What carries a tool out.
enum ToolWork {
    /// It is done on a thread of its own, once few others are at work.
    InTurn(fn(&ProposalWorkspace, ToolCall) -> anyhow::Result<CallToolResult>),
    /// It waits for the user.
    Status,
}

/// A call of a tool.
pub(super) struct ToolCall {
    pub(super) arguments: Map<String, Value>,
    /// Whom a proposal of it comes from.
    pub(super) origin: Origin,
    /// Set when its request is cancelled.
    pub(super) stop: Arc<AtomicBool>,
}

/// Sets a flag when this is dropped, as it is with the future of a request that is cancelled.
struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The arguments of `proposal_status`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusAsked {
    /// Ids of proposals; without any, all of this connection.
    #[serde(default)]
    pub(super) proposals: Vec<String>,
    /// Seconds to wait until nothing of them waits for the user any more.
    #[serde(default)]
    pub(super) wait_seconds: u64,
}

/// The arguments of `read_staged`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileAsked {
    pub(super) file: String,
}

/// The arguments of `history`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryAsked {
    pub(super) file: Option<String>,
    pub(super) limit: Option<usize>,
}

/// The arguments of `revert`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RevertAsked {
    /// The file; its last change is taken back, or the one with this version.
    pub(super) file: Option<String>,
    pub(super) version: Option<u64>,
    /// A changeset, in all of its files.
    pub(super) changeset: Option<String>,
}

/// The arguments of `context`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextAsked {
    pub(super) request: String,
    pub(super) limit: Option<usize>,
}

/// The arguments of `check`: none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NothingAsked {}

/// Every tool, in the order in which they are listed.
pub(super) const TOOLS: [OfferedTool; 7] = [
    OfferedTool {
        name: "propose_edits",
        description: "Propose edits to files of the workspace. They are staged, all or none, and wait for the user, who \
            approves or denies each hunk in signoff; the files on disk stay as they are until then. Each change \
            names a file and has one of: section (old_text, new_text pairs), lines, diff (unified, or *** Begin \
            Patch), whole (content), ast, struct, recipe, move, delete. The answer has the ids of the proposals; \
            ask proposal_status what the user decided.",
        only_looks: false,
        schema: Payload::schema,
        work: ToolWork::InTurn(|workspace, call| {
            let arguments = Value::Object(call.arguments).to_string();
            let payload = Payload::parse(&arguments).map_err(anyhow::Error::msg)?;
            workspace.propose(payload, call.origin, &call.stop)
        }),
    },
    OfferedTool {
        name: "proposal_status",
        description: "What the user decided about proposals, hunk by hunk, with the reason of each denial. With \
            wait_seconds it waits until all is decided, or for that long. Do not propose a denied hunk again as it was.",
        only_looks: true,
        schema: || {
            let ids = "ids; without any, all that you proposed";
            schema(
                &json!({
                    "proposals": {"type": "array", "items": {"type": "string"}, "description": ids},
                    "wait_seconds": {"type": "integer", "minimum": 0, "maximum": LONGEST_WAIT.as_secs()},
                }),
                &[],
            )
        },
        work: ToolWork::Status,
    },
    OfferedTool {
        name: "read_staged",
        description: "A file as it would be with everything that is staged in it. Read files in which nothing is staged \
            from disk.",
        only_looks: true,
        schema: || schema(&json!({"file": {"type": "string"}}), &["file"]),
        work: ToolWork::InTurn(|workspace, call| workspace.read(&read(call.arguments)?)),
    },
    OfferedTool {
        name: "history",
        description: "What was written to the workspace through signoff, newest first.",
        only_looks: true,
        schema: || {
            let limit = json!({"type": "integer", "minimum": 1});
            schema(&json!({"file": {"type": "string"}, "limit": limit}), &[])
        },
        work: ToolWork::InTurn(|workspace, call| workspace.history(&read(call.arguments)?)),
    },
    OfferedTool {
        name: "revert",
        description: "Propose what takes a written change back: the last change of a file, one version of it, or a changeset \
            in all of its files. What the user changed since stays. It is staged and waits, as every proposal does.",
        only_looks: false,
        schema: || {
            let version = "of the file, as history tells it";
            schema(
                &json!({
                    "file": {"type": "string"},
                    "version": {"type": "integer", "minimum": 1, "description": version},
                    "changeset": {"type": "string", "description": "instead of a file"},
                }),
                &[],
            )
        },
        work: ToolWork::InTurn(|workspace, call| {
            workspace.revert(&read(call.arguments)?, call.origin, &call.stop)
        }),
    },
    OfferedTool {
        name: "context",
        description: "Files of the workspace that a request is about, best first, with the reasons for each.",
        only_looks: true,
        schema: || {
            let limit = json!({"type": "integer", "minimum": 1});
            let properties = json!({"request": {"type": "string"}, "limit": limit});
            schema(&properties, &["request"])
        },
        work: ToolWork::InTurn(|workspace, call| workspace.context(&read(call.arguments)?)),
    },
    OfferedTool {
        name: "check",
        description: "Look for syntax errors in the files with staged edits, and run the project's own checks on them, \
            confined.",
        only_looks: true,
        schema: || schema(&json!({}), &[]),
        work: ToolWork::InTurn(|workspace, call| {
            let NothingAsked {} = read(call.arguments)?;
            workspace.check(&call.stop)
        }),
    },
];

impl OfferedTool {
    /// Returns the tool as the protocol lists it.
    pub(super) fn listed(&self) -> Tool {
        let annotations = ToolAnnotations::new()
            .read_only(self.only_looks)
            .destructive(false)
            .open_world(false);
        Tool::new(self.name, self.description, object((self.schema)()))
            .with_annotations(annotations)
    }

    /// Carries a call out. What it started ends with the request.
    pub(super) async fn carry_out(
        &self,
        workspace: Arc<ProposalWorkspace>,
        call: ToolCall,
    ) -> anyhow::Result<CallToolResult> {
        match self.work {
            ToolWork::InTurn(work) => {
                let _stop = StopWhenDropped(Arc::clone(&call.stop));
                workspace
                    .in_turn(move |workspace| work(workspace, call))
                    .await
            }
            ToolWork::Status => workspace.status(read(call.arguments)?).await,
        }
    }
}

fn schema(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> serde_json::Result<T> {
    serde_json::from_value(Value::Object(arguments))
}
