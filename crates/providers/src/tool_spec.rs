//! Tool specifications: what a model is told of a tool, and how far its calls reach.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far a tool reaches; the gate decides by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Looks, changes nothing.
    Observe,
    /// Puts a change in front of the user; files stay as they are.
    Stage,
    /// Runs something that may change files by itself; needs the user's permission.
    Execute,
    /// Starts an agent, whose own calls are judged one by one.
    Delegate,
}

/// A tool's specification for the model, and how far its calls reach.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Name in calls.
    pub name: &'static str,
    /// One or two sentences.
    pub description: &'static str,
    /// JSON schema of the arguments, an object; `path`, `operation`, `description` come first.
    pub parameters: Value,
    /// How far it reaches.
    pub reach: Reach,
}
