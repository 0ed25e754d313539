//! A prompt as the body of a `generateContent` request.
//!
//! In: a [`Prompt`] and the model's name. Out: JSON; the model's signatures stand on the parts
//! on which they came.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::message::{CallId, Keepsake, Message, Prompt, ToolCall, ToolChoice};
use crate::provider::Protocol;
use crate::provider::wire::{Options, Part, arguments_object, name, parts};
use crate::tool::ToolSpec;

/// What stands for the signature of a call that another model made; without one, models that
/// sign refuse the request.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Returns the request body for `prompt`, to be answered as a stream.
pub fn encode(prompt: &Prompt, model: &str, options: &Options) -> Value {
    let leading = prompt.messages.iter().map_while(|message| match message {
        Message::System { text } => Some(json!({ "text": text })),
        _ => None,
    });
    let system: Vec<Value> = leading.collect();
    let rest = prompt.messages.get(system.len()..).unwrap_or_default();
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": system }));
    }
    body.insert("contents".into(), contents(rest, model));
    if !prompt.tools.is_empty() {
        let tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": tools }]));
        let mode = match prompt.tool_choice {
            ToolChoice::Auto => "AUTO",
            ToolChoice::None => "NONE",
        };
        let choice = json!({ "functionCallingConfig": { "mode": mode } });
        body.insert("toolConfig".into(), choice);
    }
    if let Some(most) = options.max_output
        && !options.extra.contains_key("generationConfig")
    {
        let limits = json!({ "maxOutputTokens": most });
        body.insert("generationConfig".into(), limits);
    }
    options.finish(body)
}

/// Returns the turns; those of one side that follow each other are one, but the results of
/// calls stand alone.
fn contents(messages: &[Message], model: &str) -> Value {
    let origin = Protocol::Gemini.origin(model);
    let signs = signs(model);
    let mut names: HashMap<&CallId, &str> = HashMap::new();
    let mut turns: Vec<(Side, Vec<Value>)> = Vec::new();
    let mut push = |side: Side, parts: Vec<Value>| match turns.last_mut() {
        _ if parts.is_empty() => {}
        Some((last, held)) if *last == side => held.extend(parts),
        _ => turns.push((side, parts)),
    };
    for message in messages {
        match message {
            Message::System { text } => {
                push(
                    Side::User,
                    vec![json!({ "text": format!("System notice: {text}") })],
                );
            }
            Message::User { text } => push(Side::User, vec![json!({ "text": text })]),
            Message::Assistant { text, calls, kept } => {
                names.extend(calls.iter().map(|call| (&call.id, call.name.as_str())));
                push(Side::Model, said(text, calls, kept, &origin, signs));
            }
            Message::Tool {
                call,
                content,
                failed,
            } => {
                let called = names.get(call).copied().unwrap_or_default();
                let word = if *failed { "error" } else { "output" };
                push(
                    Side::Results,
                    vec![json!({
                        "functionResponse": { "name": name(called), "response": { word: content } },
                    })],
                );
            }
        }
    }
    let turn = |(side, parts)| {
        let role = if side == Side::Model { "model" } else { "user" };
        json!({ "role": role, "parts": Value::Array(parts) })
    };
    turns.into_iter().map(turn).collect()
}

/// Tells whether a model refuses calls without a signature: those from Gemini 3 on do.
fn signs(model: &str) -> bool {
    let version = model.split_once("gemini-").map_or("", |(_, rest)| rest);
    let version = version.split(['-', '.']).next().unwrap_or_default();
    version.parse::<u32>().is_ok_and(|number| number >= 3)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    User,
    Model,
    Results,
}

fn said(
    text: &str,
    calls: &[ToolCall],
    kept: &[Keepsake],
    origin: &str,
    signs: bool,
) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let mut signature: Option<Value> = None;
    let mut first = true;
    for part in parts(text, calls, kept, origin) {
        match part {
            Part::Text(text) => out.push(json!({ "text": text })),
            Part::Kept(value) => match (value.get("call"), value.get("signature")) {
                (Some(_), Some(given)) => signature = Some(given.clone()),
                (None, Some(given)) => sign_text(&mut out, given),
                _ => {}
            },
            Part::Call(call) => {
                let mut part = json!({
                    "functionCall": {
                        "name": name(&call.name),
                        "args": arguments_object(&call.arguments),
                    },
                });
                let unsigned = || (signs && first).then(|| UNSIGNED.into());
                if let Some(given) = signature.take().or_else(unsigned) {
                    set(&mut part, given);
                }
                first = false;
                out.push(part);
            }
        }
    }
    out
}

/// Puts a signature on the text that it came with, or on an empty one.
fn sign_text(out: &mut Vec<Value>, signature: &Value) {
    match out.last_mut() {
        Some(part) if part.get("text").is_some() => set(part, signature.clone()),
        _ => out.push(json!({ "text": "", "thoughtSignature": signature })),
    }
}

fn set(part: &mut Value, signature: Value) {
    if let Some(part) = part.as_object_mut() {
        part.insert("thoughtSignature".into(), signature);
    }
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "parametersJsonSchema": spec.parameters,
    })
}
