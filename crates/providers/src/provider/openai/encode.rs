//! A prompt as the body of a Chat Completions request.
//!
//! In: a [`Prompt`] and the model's name. Out: JSON that strict servers accept also where
//! the model itself wrote nonsense earlier.

use serde_json::{Map, Value, json};

use super::decode::{CALL_SIGNATURES, CALLS, REASONING};
use crate::image::Image;
use crate::message::{Message, Prompt, ToolCall};
use crate::provider::Protocol;
use crate::provider::wire::{Options, arguments, function, function_call};

/// Returns the request body for `prompt`, to be answered as a stream.
pub fn encode(prompt: &Prompt, model: &str, options: &Options) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let origin = Protocol::Openai.origin(model);
    let turn = prompt
        .messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }))
        .unwrap_or_default();
    let messages = prompt.messages.iter().enumerate().map(|(at, one)| {
        let mut value = message(one);
        // Servers that want thoughts back want those of the turn that runs.
        if at > turn {
            give_back(one, &origin, &mut value);
        }
        value
    });
    body.insert("messages".into(), messages.collect());
    if !prompt.tools.is_empty() {
        body.insert("tools".into(), prompt.tools.iter().map(function).collect());
        body.insert("tool_choice".into(), json!(prompt.tool_choice));
    }
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({ "include_usage": true }));
    if options.likeliest && !options.extra.contains_key("temperature") {
        body.insert("temperature".into(), 0.into());
    }
    options.finish(body)
}

/// Puts what its server wants back into an answer.
fn give_back(message: &Message, origin: &str, value: &mut Value) {
    let (Message::Assistant { kept, .. }, Some(fields)) = (message, value.as_object_mut()) else {
        return;
    };
    for one in kept.iter().filter(|one| one.origin == origin) {
        let blocks = ["reasoning_details", "thinking_blocks"];
        for name in REASONING.into_iter().chain(blocks) {
            if let Some(thoughts) = one.value.get(name) {
                fields.insert(name.into(), thoughts.clone());
            }
        }
        let calls = fields.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
            let id = call.get("id").and_then(Value::as_str);
            let signed = id.and_then(|id| one.value.get(CALLS)?.get(id));
            let signed = CALL_SIGNATURES.map(|name| Some((name, signed?.get(name)?.clone())));
            call.extend(
                signed
                    .into_iter()
                    .flatten()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
        }
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text, images } if images.is_empty() => {
            json!({ "role": "user", "content": text })
        }
        Message::User { text, images } => {
            let mut parts: Vec<Value> = images.iter().map(image_part).collect();
            parts.push(json!({ "type": "text", "text": text }));
            json!({ "role": "user", "content": parts })
        }
        Message::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, calls, .. } => json!({
            "role": "assistant",
            "content": (!text.is_empty()).then_some(text),
            "tool_calls": calls.iter().map(call).collect::<Vec<_>>(),
        }),
        Message::Tool { call, content, .. } => {
            json!({ "role": "tool", "tool_call_id": call.0, "content": content })
        }
    }
}

fn image_part(image: &Image) -> Value {
    json!({ "type": "image_url", "image_url": { "url": image.data_url() } })
}

fn call(call: &ToolCall) -> Value {
    function_call(call, arguments(&call.arguments).into())
}

#[cfg(test)]
mod tests {
    use insta::assert_json_snapshot;

    use super::*;
    use crate::message::{CallId, ProviderState, ToolChoice};
    use crate::tool_spec::{Reach, ToolSpec};

    fn prompt(messages: Vec<Message>, tool_choice: ToolChoice) -> Prompt {
        let tools = vec![ToolSpec {
            name: "read",
            description: "Reads a file.",
            parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
            reach: Reach::Observe,
        }];
        Prompt {
            messages,
            tools,
            tool_choice,
            target: None,
        }
    }

    fn system(text: &str) -> Message {
        Message::System {
            text: text.to_owned(),
        }
    }

    fn user(text: &str) -> Message {
        Message::User {
            text: text.to_owned(),
            images: Vec::new(),
        }
    }

    fn assistant(text: &str, calls: &[(&str, &str, &str)]) -> Message {
        let calls = calls
            .iter()
            .map(|(id, name, arguments)| ToolCall {
                id: CallId((*id).to_owned()),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            })
            .collect();
        Message::Assistant {
            text: text.to_owned(),
            calls,
            kept: Vec::new(),
        }
    }

    fn tool(call: &str, content: &str) -> Message {
        Message::Tool {
            call: CallId(call.to_owned()),
            content: content.to_owned(),
            failed: false,
        }
    }

    #[test]
    fn a_whole_exchange() {
        let messages = vec![
            system("Be brief."),
            user("Look at a.rs"),
            assistant(
                "",
                &[
                    ("c1", "read", r#"{"path":"a.rs"}"#),
                    ("c2", "read", r#"{"path":"b.rs"}"#),
                ],
            ),
            tool("c1", "1: fn main() {}"),
            tool("c2", "no such file"),
            system("Edits are staged."),
            assistant("Done.", &[]),
        ];
        assert_json_snapshot!(encode(&prompt(messages, ToolChoice::None), "small", &Options::default()), @r#"
        {
          "model": "small",
          "messages": [
            {
              "role": "system",
              "content": "Be brief."
            },
            {
              "role": "user",
              "content": "Look at a.rs"
            },
            {
              "role": "assistant",
              "content": null,
              "tool_calls": [
                {
                  "id": "c1",
                  "type": "function",
                  "function": {
                    "name": "read",
                    "arguments": "{\"path\":\"a.rs\"}"
                  }
                },
                {
                  "id": "c2",
                  "type": "function",
                  "function": {
                    "name": "read",
                    "arguments": "{\"path\":\"b.rs\"}"
                  }
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "c1",
              "content": "1: fn main() {}"
            },
            {
              "role": "tool",
              "tool_call_id": "c2",
              "content": "no such file"
            },
            {
              "role": "system",
              "content": "Edits are staged."
            },
            {
              "role": "assistant",
              "content": "Done."
            }
          ],
          "tools": [
            {
              "type": "function",
              "function": {
                "name": "read",
                "description": "Reads a file.",
                "parameters": {
                  "type": "object",
                  "properties": {
                    "path": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          ],
          "tool_choice": "none",
          "stream": true,
          "stream_options": {
            "include_usage": true
          }
        }
        "#);
    }

    #[test]
    fn text_beside_calls_is_kept() {
        let body = encode(
            &prompt(
                vec![assistant("Looking.", &[("c1", "read", "{}")])],
                ToolChoice::Auto,
            ),
            "m",
            &Options::default(),
        );
        assert_eq!(body["messages"][0]["content"], "Looking.");
        assert_eq!(body["tool_choice"], "auto");
    }

    #[test]
    fn without_tools_there_is_no_choice() {
        let empty = Prompt {
            tools: vec![],
            ..prompt(vec![user("hi")], ToolChoice::None)
        };
        let body = encode(&empty, "m", &Options::default());
        assert!(body.get("tools").is_none() && body.get("tool_choice").is_none());
    }

    #[test]
    fn what_a_model_got_wrong_does_not_spoil_later_requests() {
        let cases = [
            ("read", "", "read", "{}"),
            (
                "read",
                "{\"path\":",
                "read",
                r#"{"malformed_arguments":"{\"path\":"}"#,
            ),
            ("read", "[1]", "read", r#"{"malformed_arguments":"[1]"}"#),
            ("read", " {\"a\": 1} ", "read", " {\"a\": 1} "),
            ("do it/now", "{}", "do_it_now", "{}"),
            ("", "{}", "unnamed", "{}"),
        ];
        for (name, arguments, name_sent, arguments_sent) in cases {
            let messages = vec![assistant("", &[("c", name, arguments)])];
            let body = encode(
                &prompt(messages, ToolChoice::Auto),
                "m",
                &Options::default(),
            );
            let function = &body["messages"][0]["tool_calls"][0]["function"];
            assert_eq!(function["name"], name_sent);
            assert_eq!(function["arguments"], arguments_sent);
        }
    }

    #[test]
    fn further_fields_cannot_override_the_protocols() {
        let mut options = Options::default();
        options.extra.insert("temperature".into(), json!(0.5));
        options.extra.insert("stream".into(), json!(false));
        let body = encode(&prompt(vec![], ToolChoice::Auto), "m", &options);
        assert_eq!(body["temperature"], 0.5);
        assert_eq!(body["stream"], true);
    }

    #[test]
    fn thoughts_go_back_to_their_model_within_the_turn() {
        let messages = vec![
            user("one"),
            thought("a"),
            tool("a", ""),
            user("two"),
            thought("b"),
            tool("b", ""),
        ];
        assert_eq!(sent_thoughts(&messages, "m"), "- - - - b -");
        assert_eq!(sent_thoughts(&messages, "other"), "- - - - - -");
    }

    #[test]
    fn a_signature_goes_back_on_its_call() {
        let mut message = thought("b");
        if let Message::Assistant { kept, .. } = &mut message {
            kept[0].value = json!({
                "thinking_blocks": [{ "type": "thinking", "thinking": "I see.", "signature": "s" }],
                "calls": { "b": { "extra_content": { "google": { "thought_signature": "g" } }, "id": "no" } },
            });
        }
        let asked = prompt(vec![user("two"), message, tool("b", "")], ToolChoice::Auto);
        let body = encode(&asked, "m", &Options::default());
        let sent = &body["messages"][1];
        assert_eq!(sent["thinking_blocks"][0]["signature"], "s");
        let call = &sent["tool_calls"][0];
        assert_eq!(call["extra_content"]["google"]["thought_signature"], "g");
        assert_eq!(call["id"], "b");
        assert!(sent.get("calls").is_none());
    }

    fn sent_thoughts(messages: &[Message], model: &str) -> String {
        let asked = prompt(messages.to_vec(), ToolChoice::Auto);
        let body = encode(&asked, model, &Options::default());
        let list = body["messages"].as_array().unwrap().clone();
        let given = list.iter().map(|one| {
            one["reasoning_details"][0]
                .as_str()
                .unwrap_or("-")
                .to_owned()
        });
        given.collect::<Vec<_>>().join(" ")
    }

    fn thought(at: &str) -> Message {
        Message::Assistant {
            text: String::new(),
            calls: vec![ToolCall {
                id: CallId(at.to_owned()),
                name: "read".to_owned(),
                arguments: "{}".to_owned(),
            }],
            kept: vec![ProviderState {
                origin: "openai m".to_owned(),
                after_text: 0,
                after_calls: 1,
                value: json!({ "reasoning_content": at, "reasoning_details": [at] }),
            }],
        }
    }
}
