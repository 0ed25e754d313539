//! A prompt as the body of an `/api/chat` request.
//!
//! In: a [`Prompt`] and the model's name. Out: JSON. The protocol has no `tool_choice`: where
//! no call may be made, no tools are offered.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::image::Image;
use crate::message::{CallId, Message, Prompt, ToolCall, ToolChoice};
use crate::provider::wire::{Options, arguments_object, function, function_call, name};

/// Returns the request body for `prompt`, to be answered as a stream.
pub fn encode(prompt: &Prompt, model: &str, options: &Options) -> Value {
    let mut names: HashMap<&CallId, &str> = HashMap::new();
    let mut messages = Vec::with_capacity(prompt.messages.len());
    for one in &prompt.messages {
        if let Message::Assistant { calls, .. } = one {
            names.extend(calls.iter().map(|call| (&call.id, call.name.as_str())));
        }
        messages.push(message(one, &names));
    }
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), messages.into());
    if !prompt.tools.is_empty() && prompt.tool_choice == ToolChoice::Auto {
        body.insert("tools".into(), prompt.tools.iter().map(function).collect());
    }
    body.insert("stream".into(), true.into());
    if !options.extra.contains_key("options") {
        let mut own = Map::new();
        if let Some(tokens) = options.context {
            // Without it the server takes a few thousand and drops the beginning unasked.
            own.insert("num_ctx".into(), tokens.into());
        }
        if options.likeliest {
            own.insert("temperature".into(), 0.into());
        }
        if !own.is_empty() {
            body.insert("options".into(), own.into());
        }
    }
    options.finish(body)
}

fn message(message: &Message, names: &HashMap<&CallId, &str>) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text, images } if images.is_empty() => {
            json!({ "role": "user", "content": text })
        }
        Message::User { text, images } => {
            let images: Vec<String> = images.iter().map(Image::base64).collect();
            json!({ "role": "user", "content": text, "images": images })
        }
        Message::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, calls, .. } => json!({
            "role": "assistant",
            "content": text,
            "tool_calls": calls.iter().map(call).collect::<Vec<_>>(),
        }),
        Message::Tool { call, content, .. } => json!({
            "role": "tool",
            "tool_name": name(names.get(call).copied().unwrap_or_default()),
            "tool_call_id": call.0,
            "content": content,
        }),
    }
}

fn call(call: &ToolCall) -> Value {
    function_call(call, arguments_object(&call.arguments))
}
