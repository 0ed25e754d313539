//! The tools that other agents are offered: their names, schemas and arguments.
//!
//! In: a name and JSON, both from a foreign program. Out: an [`AgentCall`], or one line for what is wrong.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use signoff_core::edit::request::Payload;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferedEdit {
    /// Stages edits.
    Propose,
    /// What the user decided, now or when it is decided.
    Status,
    /// A file as it would be with what is staged.
    ReadStaged,
    /// What was written.
    History,
    /// Stages what takes a written change back.
    Revert,
    /// Which files a request is about.
    Context,
    /// Syntax errors and the project's checks on what is staged.
    Check,
}

/// A call of a tool.
pub(super) enum AgentCall {
    Propose(Box<Payload>),
    Status(StatusAsked),
    ReadStaged(FileAsked),
    History(HistoryAsked),
    Revert(RevertAsked),
    Context(ContextAsked),
    Check,
}

/// The arguments of `proposal_status`.
#[derive(Debug, Default, Deserialize)]
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
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileAsked {
    pub(super) file: String,
}

/// The arguments of `history`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryAsked {
    pub(super) file: Option<String>,
    pub(super) limit: Option<usize>,
}

/// The arguments of `revert`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RevertAsked {
    /// The file; its last change is taken back, or the one with this version.
    pub(super) file: Option<String>,
    pub(super) version: Option<u64>,
    /// A changeset, in all of its files.
    pub(super) changeset: Option<String>,
}

/// The arguments of `context`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContextAsked {
    pub(super) request: String,
    pub(super) limit: Option<usize>,
}

/// The arguments of `check`: none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NothingAsked {}

impl OfferedEdit {
    /// Every tool, in the order in which they are listed.
    pub(super) const ALL: [Self; 7] = [
        Self::Propose,
        Self::Status,
        Self::ReadStaged,
        Self::History,
        Self::Revert,
        Self::Context,
        Self::Check,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Propose => "propose_edits",
            Self::Status => "proposal_status",
            Self::ReadStaged => "read_staged",
            Self::History => "history",
            Self::Revert => "revert",
            Self::Context => "context",
            Self::Check => "check",
        }
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Propose => {
                "Propose edits to files of the workspace. They are staged, all or none, and wait for the user, who \
                 approves or denies each hunk in signoff; the files on disk stay as they are until then. Each change \
                 names a file and has one of: section (old_text, new_text pairs), lines, diff (unified, or *** Begin \
                 Patch), whole (content), ast, struct, recipe, move, delete. The answer has the ids of the proposals; \
                 ask proposal_status what the user decided."
            }
            Self::Status => {
                "What the user decided about proposals, hunk by hunk, with the reason of each denial. With \
                 wait_seconds it waits until all is decided, or for that long. Do not propose a denied hunk again as it was."
            }
            Self::ReadStaged => {
                "A file as it would be with everything that is staged in it. Read files in which nothing is staged \
                 from disk."
            }
            Self::History => "What was written to the workspace through signoff, newest first.",
            Self::Revert => {
                "Propose what takes a written change back: the last change of a file, one version of it, or a changeset \
                 in all of its files. What the user changed since stays. It is staged and waits, as every proposal does."
            }
            Self::Context => {
                "Files of the workspace that a request is about, best first, with the reasons for each."
            }
            Self::Check => {
                "Look for syntax errors in the files with staged edits, and run the project's own checks on them, \
                 confined."
            }
        }
    }

    /// Returns whether it changes nothing at all.
    pub(super) fn only_looks(self) -> bool {
        match self {
            Self::Propose | Self::Revert => false,
            Self::Status | Self::ReadStaged | Self::History | Self::Context | Self::Check => true,
        }
    }

    /// Returns the JSON Schema of its arguments.
    pub(super) fn schema(self) -> Value {
        let object = |properties: Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
        match self {
            Self::Propose => Payload::schema(),
            Self::Status => object(
                json!({
                    "proposals": {"type": "array", "items": {"type": "string"}, "description": "ids; without any, all that you proposed"},
                    "wait_seconds": {"type": "integer", "minimum": 0, "maximum": super::limits::LONGEST_WAIT.as_secs()},
                }),
                &[],
            ),
            Self::ReadStaged => object(json!({"file": {"type": "string"}}), &["file"]),
            Self::History => object(
                json!({"file": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}),
                &[],
            ),
            Self::Revert => object(
                json!({
                    "file": {"type": "string"},
                    "version": {"type": "integer", "minimum": 1, "description": "of the file, as history tells it"},
                    "changeset": {"type": "string", "description": "instead of a file"},
                }),
                &[],
            ),
            Self::Context => object(
                json!({"request": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}),
                &["request"],
            ),
            Self::Check => object(json!({}), &[]),
        }
    }

    /// Reads the arguments of a call.
    pub(super) fn read(self, arguments: Option<Map<String, Value>>) -> Result<AgentCall, String> {
        let value = Value::Object(arguments.into_iter().flatten().collect());
        Ok(match self {
            Self::Propose => {
                let payload = Payload::parse(&value.to_string());
                AgentCall::Propose(Box::new(payload.map_err(|wrong| wrong.to_string())?))
            }
            Self::Status => AgentCall::Status(arguments_of(value)?),
            Self::ReadStaged => AgentCall::ReadStaged(arguments_of(value)?),
            Self::History => AgentCall::History(arguments_of(value)?),
            Self::Revert => AgentCall::Revert(arguments_of(value)?),
            Self::Context => AgentCall::Context(arguments_of(value)?),
            Self::Check => {
                let NothingAsked {} = arguments_of(value)?;
                AgentCall::Check
            }
        })
    }
}

fn arguments_of<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|wrong| wrong.to_string())
}
