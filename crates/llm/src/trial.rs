//! Trials of a model: whether it answers, and whether it calls tools.
//!
//! In: a provider. Out: what came of one short request without tools, and of one that asks for a call of `read`. No file is
//! read and nothing is changed: the call is looked at and not carried out.
//!
//! ```text
//! "Answer with the word ready."        ->  "Ready."                      it answers
//! "Call the tool `read` ..."           ->  read {"path": "notes.txt"}    it calls tools
//! the server refuses tools             ->  the same in words; a call in the text counts
//! ```

use futures_util::StreamExt as _;
use serde_json::Value;

use crate::instructions::Profile;
use crate::message::{Message, Prompt, ToolChoice};
use crate::provider::trouble::Trouble;
use crate::provider::{Delta, Provider, ProviderError};
use crate::tool::Registry;

/// The tool that a model is to call: every profile has it.
const TOOL: &str = "read";

/// Characters of an answer that are kept, to be shown.
const MOST_SAID: usize = 200;

/// What came of asking for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallTrial {
    /// The model made the call that was asked for.
    Called,
    /// The server refuses tools, or the model is known to take none; the call was in the text.
    CalledInWords,
    /// It made none, or one that cannot be read, and said this.
    NotCalled(String),
}

/// Asks for one word, and returns the beginning of what the model says. What the provider tells of a pause goes to
/// `on_pause`.
///
/// # Errors
///
/// Says why there is no answer, an empty one included.
pub async fn text(
    provider: &dyn Provider,
    on_pause: &mut dyn FnMut(String),
) -> Result<String, ProviderError> {
    let prompt = prompt("Answer with the word ready and nothing else.", false);
    let answer = answer(provider, prompt, on_pause).await?;
    if answer.said.trim().is_empty() && !answer.is_thinking {
        let detail = "the answer is empty".to_owned();
        return Err(ProviderError::Malformed { detail });
    }
    Ok(answer.said)
}

/// Asks for a call of a tool. `takes_tools` is what is known of the model.
///
/// # Errors
///
/// Says why there is no answer.
pub async fn call(
    provider: &dyn Provider,
    takes_tools: Option<bool>,
    on_pause: &mut dyn FnMut(String),
) -> Result<CallTrial, ProviderError> {
    let words = "Call the tool `read` with the path notes.txt. Say nothing else.";
    let first = answer(provider, prompt(words, true), on_pause).await;
    let (answer, is_in_words) = match first {
        // From now on the provider puts tools into words.
        Err(error) if Trouble::of(&error) == Trouble::NoTools => {
            (answer(provider, prompt(words, true), on_pause).await?, true)
        }
        first => (first?, takes_tools == Some(false)),
    };
    Ok(match (answer.is_call(), is_in_words) {
        (true, false) => CallTrial::Called,
        (true, true) => CallTrial::CalledInWords,
        (false, _) => CallTrial::NotCalled(answer.said),
    })
}

fn prompt(words: &str, has_tools: bool) -> Prompt {
    let mut tools = Registry::of_profile(Profile::Small).specs();
    tools.retain(|tool| has_tools && tool.name == TOOL);
    let user = Message::User {
        text: words.to_owned(),
        images: Vec::new(),
    };
    Prompt {
        messages: vec![user],
        tools,
        tool_choice: if has_tools {
            ToolChoice::Auto
        } else {
            ToolChoice::None
        },
        target: None,
    }
}

/// What came of one request.
#[derive(Debug, Default)]
struct TrialAnswer {
    said: String,
    /// Whether the model thought aloud, which one of few tokens may not get beyond.
    is_thinking: bool,
    /// The name of the first call.
    called: Option<String>,
    arguments: String,
}

impl TrialAnswer {
    /// Tells whether it is the call that was asked for, with arguments that can be read.
    fn is_call(&self) -> bool {
        let arguments: Option<Value> = serde_json::from_str(&self.arguments).ok();
        let path = arguments.and_then(|arguments| arguments.get("path")?.as_str().map(str::len));
        self.called.as_deref() == Some(TOOL) && path.is_some_and(|length| length > 0)
    }
}

async fn answer(
    provider: &dyn Provider,
    prompt: Prompt,
    on_pause: &mut dyn FnMut(String),
) -> Result<TrialAnswer, ProviderError> {
    let mut pieces = provider.stream(prompt);
    let mut answer = TrialAnswer::default();
    while let Some(piece) = pieces.next().await {
        match piece? {
            Delta::Text { text } => {
                let left = MOST_SAID.saturating_sub(answer.said.chars().count());
                answer.said.extend(text.chars().take(left));
            }
            Delta::Reasoning { .. } => answer.is_thinking = true,
            Delta::CallStarted { index: 0, name, .. } => answer.called = Some(name),
            Delta::CallArguments { index: 0, fragment } => answer.arguments += &fragment,
            Delta::Retrying {
                reason,
                attempt,
                wait_ms,
            } => {
                let seconds = wait_ms.div_ceil(1000);
                on_pause(format!(
                    "{reason}; retrying in {seconds} s (attempt {attempt})"
                ));
            }
            Delta::Stop { .. } => break,
            Delta::CallStarted { .. }
            | Delta::CallArguments { .. }
            | Delta::Keep { .. }
            | Delta::Usage(_) => {}
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::scripted::Scripted;

    async fn tried(script: &str, takes_tools: Option<bool>) -> Result<CallTrial, ProviderError> {
        let model = Scripted::parse(script).unwrap();
        call(&model, takes_tools, &mut |_| {}).await
    }

    #[tokio::test]
    async fn a_call_counts_if_it_is_the_one_that_was_asked_for() {
        let read = r#"{"deltas": [{"delta": "call", "name": "read", "arguments": {"path": "notes.txt"}}]}"#;
        let other = read.replace("notes.txt", "");
        let text = r#"{"deltas": [{"delta": "text", "text": "I would read it."}]}"#;
        let not_called = |said: &str| CallTrial::NotCalled(said.to_owned());
        for (script, takes_tools, expected) in [
            (read, None, CallTrial::Called),
            (read, Some(false), CallTrial::CalledInWords),
            (&other, None, not_called("")),
            (text, Some(true), not_called("I would read it.")),
        ] {
            let came = tried(script, takes_tools).await.unwrap();
            assert_eq!(came, expected, "{script}");
        }
        let refused = r#"{"error": {"kind": "status", "code": 400, "message": "this model does not support tools"}}"#;
        let again = format!("{refused}\n{read}");
        let came = tried(&again, None).await.unwrap();
        assert_eq!(came, CallTrial::CalledInWords);
        let twice = format!("{refused}\n{refused}");
        assert!(tried(&twice, None).await.is_err());
    }

    #[tokio::test]
    async fn an_empty_answer_is_none() {
        for (script, is_answer) in [
            (r#"{"deltas": [{"delta": "text", "text": "ready"}]}"#, true),
            (r#"{"deltas": [{"delta": "text", "text": "  "}]}"#, false),
            (
                r#"{"deltas": [{"delta": "reasoning", "text": "hm"}]}"#,
                true,
            ),
        ] {
            let model = Scripted::parse(script).unwrap();
            let told = text(&model, &mut |_| {}).await;
            assert_eq!(told.is_ok(), is_answer, "{script}");
        }
    }
}
