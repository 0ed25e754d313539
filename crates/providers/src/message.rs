//! Messages, independent of any provider.
//!
//! In: nothing. Out: [`Message`], [`ToolCall`] and [`Prompt`], which every provider encodes
//! into its own wire format.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_source::quote;

use crate::image::Image;
use crate::tool_spec::ToolSpec;

/// The provider's own id of a tool call; opaque.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A call that the model made, with its arguments as it wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Identity, to be repeated in the answer.
    pub id: CallId,
    /// The tool's name; may be one that does not exist.
    pub name: String,
    /// JSON text; untrusted, may be malformed.
    pub arguments: String,
}

/// Something opaque that a provider wants back with the answer that it came in, exactly as it
/// came: signed thinking, sealed reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderState {
    /// Who made it, as [`crate::provider::Protocol::origin`] names them; nobody else is given it.
    pub origin: String,
    /// How many bytes of the answer's text came before it.
    pub after_text: usize,
    /// How many calls of the answer came before it.
    pub after_calls: usize,
    /// What came.
    pub value: Value,
}

impl ProviderState {
    /// The most bytes that are kept of what comes with one answer. Sealed thoughts of the longest
    /// answers are some hundred kilobytes.
    pub const MOST_BYTES: usize = 2 << 20;

    /// Returns how many bytes it takes in a request, about.
    pub fn bytes(&self) -> usize {
        self.value.to_string().len()
    }
}

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "role")]
pub enum Message {
    /// Instructions, and notices in the middle of a conversation.
    System {
        /// The text.
        text: String,
    },
    /// What the user typed.
    User {
        /// The text.
        text: String,
        /// Images that were attached, in the order in which the text names them.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// What the model said and called.
    Assistant {
        /// The text; may be empty.
        text: String,
        /// Calls in the order they were made.
        calls: Vec<ToolCall>,
        /// What goes back to its maker with it, in the order it came.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        kept: Vec<ProviderState>,
    },
    /// The answer to one call.
    Tool {
        /// Which call.
        call: CallId,
        /// What the model reads.
        content: String,
        /// True if the call did not do what was asked.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        failed: bool,
    },
}

/// Which tools the model may use in its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model chooses.
    Auto,
    /// No call may be made.
    None,
}

/// Everything that a request to a model holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Messages in order; every call in them has exactly one answer after it.
    pub messages: Vec<Message>,
    /// Tools that exist, also while none may be called.
    pub tools: Vec<ToolSpec>,
    /// Which of them may be called now.
    pub tool_choice: ToolChoice,
    /// The file that it is about, for a model that follows an example better than it calls tools.
    pub target: Option<TargetFile>,
}

/// The one file that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetFile {
    /// Path relative to the workspace.
    pub path: String,
    /// Its text with everything staged in it, or the part of it that the request is about.
    pub text: String,
    /// Which lines that part is, counted from one.
    pub lines: Option<(usize, usize)>,
    /// What the user asks for.
    pub request: String,
    /// How much of the text the answer holds.
    pub form: AnswerForm,
}

/// How much of a text the answer to a request by example holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerForm {
    /// The lines that change: much less to write than all of a file.
    #[default]
    Lines,
    /// All of what was shown.
    Whole,
}

impl TargetFile {
    /// Returns what was shown.
    pub fn name(&self) -> String {
        let path = quote::name(&self.path);
        match self.lines {
            Some((first, last)) => format!("lines {first}-{last} of {path}"),
            None => path.into_owned(),
        }
    }
}
