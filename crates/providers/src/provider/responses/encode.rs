//! A prompt as the body of a Responses request.
//!
//! In: a [`Prompt`] and the model's name. Out: JSON with the conversation as a flat list of
//! items; sealed reasoning stands where it came.

use serde_json::{Map, Value, json};

use crate::image::Image;
use crate::message::{Message, Prompt};
use crate::provider::Protocol;
use crate::provider::wire::{Options, Part, arguments, name, parts};
use crate::tool_spec::ToolSpec;

/// Returns the request body for `prompt`, to be answered as a stream.
pub fn encode(prompt: &Prompt, model: &str, options: &Options) -> Value {
    let origin = Protocol::Responses.origin(model);
    let (instructions, rest) = match prompt.messages.split_first() {
        Some((Message::System { text }, rest)) => (Some(text), rest),
        _ => (None, prompt.messages.as_slice()),
    };
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    if let Some(text) = instructions {
        body.insert("instructions".into(), text.as_str().into());
    }
    let mut input = Vec::new();
    rest.iter()
        .for_each(|message| items(message, &origin, &mut input));
    body.insert("input".into(), input.into());
    if !prompt.tools.is_empty() {
        body.insert("tools".into(), prompt.tools.iter().map(tool).collect());
        body.insert("tool_choice".into(), json!(prompt.tool_choice));
    }
    if options.reasons {
        // Models that do not think refuse this.
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    body.insert("store".into(), false.into());
    body.insert("stream".into(), true.into());
    options.finish(body)
}

fn items(message: &Message, origin: &str, out: &mut Vec<Value>) {
    match message {
        Message::System { text } => out.push(spoken("system", text)),
        Message::User { text, images } if images.is_empty() => out.push(spoken("user", text)),
        Message::User { text, images } => {
            let mut parts: Vec<Value> = images.iter().map(image).collect();
            parts.push(json!({ "type": "input_text", "text": text }));
            out.push(json!({ "type": "message", "role": "user", "content": parts }));
        }
        Message::Tool { call, content, .. } => out.push(json!({
            "type": "function_call_output",
            "call_id": call.0,
            "output": content,
        })),
        Message::Assistant { text, calls, kept } => {
            let parts = parts(text, calls, kept, origin).into_iter();
            out.extend(parts.map(|part| match part {
                Part::Text(text) => spoken("assistant", text),
                Part::Kept(item) => item.clone(),
                Part::Call(call) => json!({
                    "type": "function_call",
                    "call_id": call.id.0,
                    "name": name(&call.name),
                    "arguments": arguments(&call.arguments),
                }),
            }));
        }
    }
}

fn image(image: &Image) -> Value {
    // The vendor's type wants the detail; `auto` is what it is without it.
    json!({ "type": "input_image", "image_url": image.data_url(), "detail": "auto" })
}

fn spoken(role: &str, text: &str) -> Value {
    json!({ "type": "message", "role": role, "content": text })
}

fn tool(spec: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        // Strict schemas allow no field to be left out.
        "strict": false,
    })
}
