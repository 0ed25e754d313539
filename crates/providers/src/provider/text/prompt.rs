//! Prompt with tools described in text.
//!
//! In: a [`Prompt`]. Out: one without tools, whose instructions tell how to call with an
//! example, in which earlier calls stand as the model is to write them, and user and assistant
//! take turns, as the templates of such models want it.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::image::Image;
use crate::message::{Message, Prompt, ToolCall, ToolChoice};
use crate::tool_spec::ToolSpec;

/// Tools whose schemas are longer are left out: such models are lost in them.
const LONGEST_SCHEMA: usize = 600;

const HOW: &str = r#"# Tools
Call a tool by ending your answer with a fenced object; its result comes in the next message.

Example. The user asks: make the greeting in hello.py louder. You answer:

```json
{"name": "read", "arguments": {"path": "hello.py"}}
```

The result is `1	print("hi")`. You answer:

```json
{"name": "edit_section", "arguments": {"path": "hello.py", "description": "make the greeting louder", "edits": [{"old_text": "print(\"hi\")", "new_text": "print(\"HI!\")"}]}}
```

A file that you have read may also be changed by writing its name on a line of its own and then a fence with its whole new text, or with one whole function of it. Leave nothing out.

The tools:
"#;

/// Returns the prompt in words.
pub fn in_words(prompt: &Prompt) -> Prompt {
    let mut messages: Vec<Message> = Vec::new();
    let mut names: Vec<&ToolCall> = Vec::new();
    for message in &prompt.messages {
        let mut shown: &[Image] = &[];
        let (user, text) = match message {
            Message::System { text } if messages.is_empty() => {
                messages.push(Message::System {
                    text: format!("{text}\n\n{HOW}{}", told(&prompt.tools)),
                });
                continue;
            }
            Message::System { text } => (true, format!("System notice: {text}")),
            Message::User { text, images } => {
                shown = images;
                (true, text.clone())
            }
            Message::Assistant { text, calls, .. } => {
                names.extend(calls);
                (false, said(text, calls))
            }
            Message::Tool { call, content, .. } => {
                let called = names.iter().rev().find(|one| one.id == *call);
                let name = called.map_or("the call", |call| call.name.as_str());
                (true, format!("Result of {name}:\n{content}"))
            }
        };
        add(&mut messages, user, text);
        if let Some(Message::User { images, .. }) = messages.last_mut() {
            images.extend_from_slice(shown);
        }
    }
    Prompt {
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        target: None,
    }
}

/// Adds a text to the side that it belongs to.
fn add(messages: &mut Vec<Message>, user: bool, more: String) {
    match messages.last_mut() {
        Some(Message::User { text, .. }) if user => *text += &format!("\n\n{more}"),
        Some(Message::Assistant { text, .. }) if !user => *text += &format!("\n\n{more}"),
        _ if user => messages.push(Message::User {
            text: more,
            images: Vec::new(),
        }),
        _ => messages.push(Message::Assistant {
            text: more,
            calls: Vec::new(),
            kept: Vec::new(),
        }),
    }
}

/// Returns an answer with its calls as the model is to write them.
fn said(text: &str, calls: &[ToolCall]) -> String {
    let mut out = text.trim_end().to_owned();
    for call in calls {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let given: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        let object = json!({ "name": call.name, "arguments": given });
        out.push_str(&format!("```json\n{object}\n```"));
    }
    out
}

fn told(tools: &[ToolSpec]) -> String {
    let mut out = String::new();
    for tool in tools
        .iter()
        .filter(|tool| tool.parameters.to_string().len() <= LONGEST_SCHEMA)
    {
        let properties = tool.parameters.get("properties").and_then(Value::as_object);
        let required = tool.parameters.get("required").and_then(Value::as_array);
        let needed = |name: &str| {
            required.is_some_and(|list| list.iter().any(|one| one.as_str() == Some(name)))
        };
        let names = properties.into_iter().flatten().map(|(name, _)| {
            if needed(name) {
                format!("\"{name}\"")
            } else {
                format!("\"{name}\"?")
            }
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "- {} {{{names}}}: {}", tool.name, tool.description);
    }
    out
}
