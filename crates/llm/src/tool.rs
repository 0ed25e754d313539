//! What the model can do: one file a tool.
//!
//! In: a call's arguments, untrusted. Out: [`ToolOutput`], which is always an answer, a
//! failure included.

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
}

/// A tool as the model is told of it.
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
