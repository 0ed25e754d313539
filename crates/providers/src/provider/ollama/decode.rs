//! A streamed `/api/chat` answer as deltas.
//!
//! In: JSON objects, one a line on the wire. Out: deltas in order. Calls come whole.

use serde_json::Value;

use crate::message::Prompt;
use crate::provider::openai::flat;
use crate::provider::wire::{Decode, Decoded, Ending, Events, Ids, Reader, count, take_text};
use crate::provider::{Delta, StopReason, Usage};

/// Returns what reads the answer to `prompt`.
pub fn decoder(prompt: &Prompt) -> Box<dyn Decode> {
    Box::new(Events::new(Chat {
        ids: Ids::new(prompt),
        calls: 0,
    }))
}

#[derive(Clone, Debug)]
struct Chat {
    ids: Ids,
    calls: usize,
}

impl Reader for Chat {
    fn read(&mut self, mut event: Value, ending: &mut Ending, out: &mut Decoded) {
        if let Some(message) = event.get_mut("message") {
            // The first is the protocol's word, the others are those of servers that imitate it.
            for thinking in ["thinking", "reasoning_content", "reasoning"] {
                let text = take_text(message, thinking);
                if !text.is_empty() {
                    out.push(Ok(Delta::Reasoning { text }));
                    break;
                }
            }
            let text = take_text(message, "content");
            if !text.is_empty() {
                out.push(Ok(Delta::Text { text }));
            }
            if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
                for call in calls {
                    self.call(call, ending, out);
                }
            }
        }
        if event.get("done").and_then(Value::as_bool) != Some(true) {
            return;
        }
        if event.get("prompt_eval_count").is_some() || event.get("eval_count").is_some() {
            ending.count(Usage {
                input: count(&event, "/prompt_eval_count"),
                cached: 0,
                stored: 0,
                output: count(&event, "/eval_count"),
            });
        }
        ending.stop(match event.get("done_reason").and_then(Value::as_str) {
            None | Some("" | "stop") => StopReason::Stop,
            Some("length") => StopReason::Length,
            Some(other) => StopReason::Other(flat(other)),
        });
        ending.end(out);
    }
}

impl Chat {
    fn call(&mut self, call: &mut Value, ending: &mut Ending, out: &mut Decoded) {
        let id = take_text(call, "id");
        let Some(function) = call.get_mut("function") else {
            return;
        };
        let index = self.calls;
        self.calls += 1;
        ending.called();
        out.push(Ok(Delta::CallStarted {
            index,
            id: self.ids.fresh(id, index),
            name: take_text(function, "name"),
        }));
        let fragment = match function.get_mut("arguments").map(Value::take) {
            Some(object @ Value::Object(_)) => object.to_string(),
            Some(Value::String(text)) => text,
            _ => "{}".to_owned(),
        };
        out.push(Ok(Delta::CallArguments { index, fragment }));
    }
}
