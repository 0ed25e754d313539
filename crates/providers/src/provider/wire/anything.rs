//! Events that no server should send: whatever comes, calls begin once, in order, under ids of
//! their own, and nothing follows the end.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::testing;
use crate::message::ToolChoice;
use crate::provider::{Delta, Protocol};

const KEYS: [&str; 44] = [
    "type",
    "index",
    "delta",
    "content_block",
    "message",
    "usage",
    "stop_reason",
    "text",
    "thinking",
    "signature",
    "id",
    "name",
    "input",
    "partial_json",
    "error",
    "content",
    "output_index",
    "item",
    "item_id",
    "call_id",
    "arguments",
    "response",
    "output",
    "status",
    "incomplete_details",
    "encrypted_content",
    "candidates",
    "parts",
    "functionCall",
    "args",
    "thoughtSignature",
    "thought",
    "finishReason",
    "usageMetadata",
    "promptFeedback",
    "done",
    "done_reason",
    "tool_calls",
    "function",
    "choices",
    "finish_reason",
    "data",
    "input_tokens",
    "output_tokens",
];

const WORDS: [&str; 36] = [
    "",
    "a",
    "b",
    "{}",
    "{\"x\":1",
    "é",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "message",
    "text",
    "thinking",
    "tool_use",
    "redacted_thinking",
    "text_delta",
    "thinking_delta",
    "signature_delta",
    "input_json_delta",
    "end_turn",
    "error",
    "function_call",
    "reasoning",
    "response.output_item.added",
    "response.output_item.done",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_text.delta",
    "response.completed",
    "response.failed",
    "completed",
    "STOP",
    "MAX_TOKENS",
    "stop",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => prop::sample::select(&WORDS[..]).prop_map(Value::from),
        2 => (0u64..4).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = prop::sample::select(&KEYS[..]);
        let map = prop::collection::vec((key, inner.clone()), 0..6);
        let map = map.prop_map(|fields| {
            let fields = fields
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value));
            Value::Object(fields.collect::<Map<_, _>>())
        });
        prop_oneof![
            3 => map,
            1 => prop::collection::vec(inner, 0..3).prop_map(Value::Array),
        ]
    })
}

/// An event that says which one it is.
fn event() -> impl Strategy<Value = Value> {
    (prop::sample::select(&WORDS[..]), value()).prop_map(|(word, mut value)| {
        if let Some(map) = value.as_object_mut() {
            map.insert("type".to_owned(), word.into());
        }
        value
    })
}

proptest! {
    #[test]
    fn any_events_are_survived(
        number in 0usize..5,
        events in prop::collection::vec(prop_oneof![event(), value()], 0..12),
        whole in any::<bool>(),
    ) {
        let protocol = Protocol::ALL[number];
        let prompt = testing::prompt(vec![], ToolChoice::Auto);
        let mut decoder = protocol.decoder(&prompt, "small");
        let mut out = Vec::new();
        for event in &events {
            out.extend(decoder.push(&event.to_string()));
        }
        if whole { out.extend(decoder.push_whole(&Value::from(events).to_string())) } else { out.extend(decoder.finish()) }
        prop_assert!(decoder.is_ended());
        let (mut begun, mut ids, mut ended) = (0, HashSet::new(), false);
        for item in out {
            prop_assert!(!ended, "{item:?} after the end");
            match item {
                Ok(Delta::CallStarted { index, id, .. }) => {
                    prop_assert_eq!(index, begun);
                    prop_assert!(!id.0.is_empty() && ids.insert(id));
                    begun += 1;
                }
                Ok(Delta::CallArguments { index, .. }) => prop_assert!(index < begun),
                Ok(Delta::Stop { .. }) | Err(_) => ended = true,
                Ok(_) => {}
            }
        }
        prop_assert!(ended);
    }
}
