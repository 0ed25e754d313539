//! A prompt as the body of a Messages request.
//!
//! In: a [`Prompt`] and the model's name. Out: JSON in which user and assistant take turns, all
//! results of one answer stand in one user message, and the stable beginning is marked for the
//! cache: tools, instructions, and the last two turns of the user.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::image::Image;
use crate::message::{Message, Prompt};
use crate::provider::Protocol;
use crate::provider::wire::{Options, Part, arguments_object, name, parts};
use crate::tool_spec::ToolSpec;

/// The most tokens of an answer, where nothing is known of the model; the protocol wants some.
const MAX_TOKENS: u64 = 8192;
/// The most that is asked for: what is reserved for the answer is not there for the request.
const MOST_TOKENS: u64 = 32_000;

/// Returns the request body for `prompt`, to be answered as a stream.
pub fn encode(prompt: &Prompt, model: &str, options: &Options) -> Value {
    let origin = Protocol::Anthropic.origin(model);
    let leading = prompt.messages.iter().map_while(|message| match message {
        Message::System { text } => Some(text),
        _ => None,
    });
    let mut system: Vec<Value> = leading.filter_map(|text| text_block(text)).collect();
    let mut turns = MessageTurns::default();
    let rest = prompt.messages.iter();
    for message in rest.skip_while(|message| matches!(message, Message::System { .. })) {
        turns.add(message, &origin);
    }
    turns.mark();
    system.last_mut().into_iter().for_each(mark);
    let mut tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
    tools.last_mut().into_iter().for_each(mark);

    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let most = options.max_output.unwrap_or(MAX_TOKENS).min(MOST_TOKENS);
    let most = options
        .extra
        .get("max_tokens")
        .cloned()
        .unwrap_or(most.into());
    body.insert("max_tokens".into(), most);
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), turns.messages());
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
        let choice = json!({ "type": prompt.tool_choice });
        body.insert("tool_choice".into(), choice);
    }
    body.insert("stream".into(), true.into());
    options.finish(body)
}

/// Who speaks in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

/// Messages in which the two sides take turns.
#[derive(Default)]
struct MessageTurns {
    turns: Vec<(Role, Vec<Value>)>,
}

impl MessageTurns {
    fn add(&mut self, message: &Message, origin: &str) {
        match message {
            // There is no system in the middle: it speaks in the user's turn.
            Message::System { text } => {
                self.push(Role::User, text_block(&format!("System notice: {text}")));
            }
            Message::User { text, images } => {
                // Claude reads images best in front of the text about them.
                for one in images {
                    self.push(Role::User, Some(image(one)));
                }
                self.push(Role::User, text_block(text));
            }
            Message::Tool {
                call,
                content,
                failed,
            } => {
                let mut block = json!({
                    "type": "tool_result",
                    "tool_use_id": wire_id(&call.0),
                    "content": content,
                });
                if *failed && let Some(fields) = block.as_object_mut() {
                    fields.insert("is_error".into(), true.into());
                }
                self.push(Role::User, Some(block));
            }
            Message::Assistant { text, calls, kept } => {
                for part in parts(text, calls, kept, origin) {
                    let block = match part {
                        Part::Text(text) => text_block(text),
                        Part::Kept(block) => Some(block.clone()),
                        Part::Call(call) => Some(json!({
                            "type": "tool_use",
                            "id": wire_id(&call.id.0),
                            "name": name(&call.name),
                            "input": arguments_object(&call.arguments),
                        })),
                    };
                    self.push(Role::Assistant, block);
                }
            }
        }
    }

    fn push(&mut self, role: Role, block: Option<Value>) {
        let Some(block) = block else { return };
        match self.turns.last_mut() {
            Some((last, blocks)) if *last == role => blocks.push(block),
            _ => self.turns.push((role, vec![block])),
        }
    }

    /// Marks the end of the last two turns of the user: the newest is what the next request
    /// begins with, the one before is what the last request has put into the cache.
    fn mark(&mut self) {
        let users = self
            .turns
            .iter_mut()
            .rev()
            .filter(|(role, _)| *role == Role::User);
        for (_, blocks) in users.take(2) {
            blocks.last_mut().into_iter().for_each(mark);
        }
    }

    fn messages(self) -> Value {
        self.turns
            .into_iter()
            .map(|(role, content)| json!({ "role": role, "content": Value::Array(content) }))
            .collect()
    }
}

/// Returns a block, unless the server would refuse the request for its emptiness.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn image(image: &Image) -> Value {
    json!({
        "type": "image",
        "source": {
            "type": "base64",
            "media_type": image.format.media_type(),
            "data": image.base64(),
        },
    })
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "input_schema": spec.parameters,
    })
}

fn mark(block: &mut Value) {
    if let Some(block) = block.as_object_mut() {
        block.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}

/// Writes out what may not stand in an id here: ids of an earlier model may be of any form.
fn wire_id(id: &str) -> String {
    let mut wire = String::with_capacity(id.len());
    for c in id.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => wire.push(c),
            other => drop(write!(wire, "_{:x}_", u32::from(other))),
        }
    }
    wire
}
