//! What a script expects of a request.
//!
//! In: a prompt. Out: the first thing about it that is not as expected.

use serde::Deserialize;

use crate::message::{Message, Prompt, ToolChoice};

/// What a script expects of a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    /// The request's is the same: `auto` or `none`.
    tool_choice: Option<ToolChoice>,
    /// Each of these texts stands in one of the request's messages, calls and answers included.
    #[serde(default)]
    contains: Vec<String>,
    /// None of these does.
    #[serde(default)]
    lacks: Vec<String>,
}

impl Expect {
    /// Returns what is not as expected.
    pub(super) fn unmet(&self, prompt: &Prompt) -> Option<String> {
        if let Some(expected) = self.tool_choice
            && expected != prompt.tool_choice
        {
            let (expected, given) = (word(expected), word(prompt.tool_choice));
            return Some(format!(
                "the request's tool_choice is {given}, not {expected}"
            ));
        }
        let is_in = |text: &&String| holds(prompt, text);
        if let Some(text) = self.contains.iter().find(|text| !is_in(text)) {
            return Some(format!("the request does not contain {text:?}"));
        }
        let text = self.lacks.iter().find(is_in)?;
        Some(format!("the request contains {text:?}"))
    }
}

fn word(choice: ToolChoice) -> &'static str {
    match choice {
        ToolChoice::Auto => "auto",
        ToolChoice::None => "none",
    }
}

fn holds(prompt: &Prompt, text: &str) -> bool {
    prompt.messages.iter().any(|message| match message {
        Message::System { text: said } | Message::User { text: said, .. } => said.contains(text),
        Message::Tool { content, .. } => content.contains(text),
        Message::Assistant {
            text: said, calls, ..
        } => {
            said.contains(text)
                || calls
                    .iter()
                    .any(|call| call.name == text || call.arguments.contains(text))
        }
    })
}
