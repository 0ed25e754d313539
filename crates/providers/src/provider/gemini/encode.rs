//! A prompt as the body of a `generateContent` request.
//!
//! In: a [`Prompt`] and the model's name. Out: JSON; the model's signatures stand on the parts
//! on which they came, and its ids on calls and results.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::image::Image;
use crate::message::{CallId, Message, Prompt, ProviderState, ToolCall, ToolChoice};
use crate::provider::Protocol;
use crate::provider::wire::{Options, Part, arguments_object, name, parts};
use crate::tool_spec::ToolSpec;

/// What stands for the signature of a call that another model made; without one, models that
/// sign refuse the request.
const UNSIGNED: &str = "skip_thought_signature_validator";

const SIGNATURE: &str = "thoughtSignature";

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
    let mut known: HashMap<&CallId, AnsweredCall<'_>> = HashMap::new();
    let mut turns: Vec<(ContentRole, Vec<Value>)> = Vec::new();
    for message in messages {
        match message {
            Message::System { text } => {
                push(
                    &mut turns,
                    ContentRole::User,
                    vec![json!({ "text": format!("System notice: {text}") })],
                );
            }
            Message::User { text, images } => {
                let mut parts: Vec<Value> = images.iter().map(image).collect();
                parts.push(json!({ "text": text }));
                push(&mut turns, ContentRole::User, parts);
            }
            Message::Assistant { text, calls, kept } => {
                known.extend(of_calls(calls, kept, &origin));
                push(
                    &mut turns,
                    ContentRole::Model,
                    said(&parts(text, calls, kept, &origin), signs),
                );
            }
            Message::Tool {
                call,
                content,
                failed,
            } => {
                let known = known.get(call).copied().unwrap_or_default();
                let word = if *failed { "error" } else { "output" };
                let mut result = json!({ "name": name(known.name), "response": { word: content } });
                set(&mut result, "id", known.id);
                push(
                    &mut turns,
                    ContentRole::Results,
                    vec![json!({ "functionResponse": result })],
                );
            }
        }
    }
    turns
        .into_iter()
        .map(|(side, parts)| {
            let role = if side == ContentRole::Model {
                "model"
            } else {
                "user"
            };
            json!({ "role": role, "parts": Value::Array(parts) })
        })
        .collect()
}

/// Adds parts to the last turn if it is of the same side; results of calls are a side of their own.
fn push(turns: &mut Vec<(ContentRole, Vec<Value>)>, side: ContentRole, parts: Vec<Value>) {
    match turns.last_mut() {
        _ if parts.is_empty() => {}
        Some((last, held)) if *last == side => held.extend(parts),
        _ => turns.push((side, parts)),
    }
}

/// Tells whether a model refuses calls without a signature: those from Gemini 3 on do.
fn signs(model: &str) -> bool {
    let version = model.split_once("gemini-").map_or("", |(_, rest)| rest);
    let version = version.split(['-', '.']).next().unwrap_or_default();
    version.parse::<u32>().is_ok_and(|number| number >= 3)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentRole {
    User,
    Model,
    Results,
}

/// What a result says of its call.
#[derive(Clone, Copy, Default)]
struct AnsweredCall<'a> {
    name: &'a str,
    /// As the model gave it; ids of our own mean nothing to it.
    id: Option<&'a Value>,
}

fn of_calls<'a>(
    calls: &'a [ToolCall],
    kept: &'a [ProviderState],
    origin: &str,
) -> impl Iterator<Item = (&'a CallId, AnsweredCall<'a>)> {
    let own = kept.iter().filter(move |one| one.origin == origin);
    let ids = own.filter_map(|one| Some((one.after_calls, one.value.get("id")?)));
    let ids: HashMap<usize, &Value> = ids.collect();
    calls.iter().enumerate().map(move |(at, call)| {
        let id = ids.get(&at).copied();
        let name = call.name.as_str();
        (&call.id, AnsweredCall { name, id })
    })
}

fn said(parts: &[Part<'_>], signs: bool) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    let (mut signature, mut id) = (None, None);
    let unsigned = Value::from(UNSIGNED);
    let mut default = signs.then_some(&unsigned);
    for part in parts {
        match part {
            Part::Text(text) => out.push(json!({ "text": text })),
            Part::Kept(value) if value.get("call").is_some() => {
                signature = value.get("signature");
                id = value.get("id");
            }
            Part::Kept(value) => {
                if let Some(given) = value.get("signature") {
                    sign_text(&mut out, given);
                }
            }
            Part::Call(call) => {
                let arguments = arguments_object(&call.arguments);
                let mut made = json!({ "name": name(&call.name), "args": arguments });
                set(&mut made, "id", id.take());
                let mut part = json!({ "functionCall": made });
                set(&mut part, SIGNATURE, signature.take().or(default));
                // Only the first of the calls that are made together is signed.
                default = None;
                out.push(part);
            }
        }
    }
    out
}

/// Puts a signature on the text that it came with, or on an empty one.
fn sign_text(out: &mut Vec<Value>, signature: &Value) {
    match out.last_mut() {
        Some(part) if part.get("text").is_some() => set(part, SIGNATURE, Some(signature)),
        _ => out.push(json!({ "text": "", SIGNATURE: signature })),
    }
}

fn set(object: &mut Value, key: &str, value: Option<&Value>) {
    if let (Some(object), Some(value)) = (object.as_object_mut(), value) {
        object.insert(key.into(), value.clone());
    }
}

fn image(image: &Image) -> Value {
    let media_type = image.format.media_type();
    json!({ "inlineData": { "mimeType": media_type, "data": image.base64() } })
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "parametersJsonSchema": spec.parameters,
    })
}
