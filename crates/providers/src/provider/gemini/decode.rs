//! A streamed `generateContent` answer as deltas.
//!
//! In: the data of each event, or a list of them. Out: deltas in order. Calls come whole; the
//! signatures on parts and the ids of calls are kept.

use serde_json::{Map, Value, json};

use crate::message::Prompt;
use crate::provider::openai::flat;
use crate::provider::wire::{Decode, Decoded, Ending, Events, Ids, Reader, count, take_text};
use crate::provider::{Delta, Protocol, StopReason, Usage};

/// What a prompt is that was refused without a reason.
const BLOCKED: &str = "blocked";

/// Returns what reads the answer of `model` to `prompt`.
pub fn decoder(prompt: &Prompt, model: &str) -> Box<dyn Decode> {
    Box::new(Events::new(Candidates {
        origin: Protocol::Gemini.origin(model),
        ids: Ids::new(prompt),
        calls: 0,
    }))
}

#[derive(Clone, Debug)]
struct Candidates {
    origin: String,
    ids: Ids,
    calls: usize,
}

impl Reader for Candidates {
    fn read(&mut self, mut event: Value, ending: &mut Ending, out: &mut Decoded) {
        if let Some(usage) = event.get("usageMetadata").filter(|usage| usage.is_object()) {
            ending.count(Usage {
                input: count(usage, "/promptTokenCount"),
                cached: count(usage, "/cachedContentTokenCount"),
                stored: 0,
                // Thoughts are not among the candidate's tokens, but paid like them.
                output: count(usage, "/candidatesTokenCount") + count(usage, "/thoughtsTokenCount"),
            });
        }
        let blocked = event.pointer("/promptFeedback/blockReason");
        if let Some(reason) = blocked.and_then(Value::as_str) {
            let reason = flat(reason).to_lowercase();
            ending.stop(StopReason::Other(match reason.as_str() {
                "other" | "block_reason_unspecified" => BLOCKED.to_owned(),
                _ => reason,
            }));
        }
        let Some(candidate) = event.pointer_mut("/candidates/0") else {
            return;
        };
        if let Some(Value::Array(parts)) = candidate.pointer_mut("/content/parts") {
            for part in parts {
                self.part(part, ending, out);
            }
        }
        match candidate.get("finishReason").and_then(Value::as_str) {
            None | Some("" | "FINISH_REASON_UNSPECIFIED") => {}
            // Gateways say of calls what the protocol calls an ordinary end.
            Some("STOP" | "FUNCTION_CALL" | "TOOL_CALLS") => ending.stop(StopReason::Stop),
            Some("MAX_TOKENS") => ending.stop(StopReason::Length),
            Some(other) => ending.stop(StopReason::Other(flat(&other.to_lowercase()))),
        }
    }
}

impl Candidates {
    fn part(&mut self, part: &mut Value, ending: &mut Ending, out: &mut Decoded) {
        let signature = take_text(part, "thoughtSignature");
        let thought = part.get("thought").and_then(Value::as_bool) == Some(true);
        let text = take_text(part, "text");
        if let Some(call) = part.get_mut("functionCall").filter(|call| call.is_object()) {
            let id = take_text(call, "id");
            self.keep_of_call(&signature, &id, out);
            return self.call(call, id, ending, out);
        }
        if !text.is_empty() && thought {
            out.push(Ok(Delta::Reasoning { text }));
        } else if !text.is_empty() {
            out.push(Ok(Delta::Text { text }));
        }
        if !signature.is_empty() {
            self.keep(json!({ "signature": signature }), out);
        }
    }

    fn call(&mut self, call: &mut Value, id: String, ending: &mut Ending, out: &mut Decoded) {
        let index = self.calls;
        self.calls += 1;
        ending.called();
        out.push(Ok(Delta::CallStarted {
            index,
            id: self.ids.fresh(id, index),
            name: take_text(call, "name"),
        }));
        let given = call.get("args").filter(|given| given.is_object());
        let fragment = given.map_or_else(|| "{}".to_owned(), Value::to_string);
        out.push(Ok(Delta::CallArguments { index, fragment }));
    }

    /// Keeps what goes back with a call. Ids of our own are not the model's to see again.
    fn keep_of_call(&self, signature: &str, id: &str, out: &mut Decoded) {
        let mut kept = Map::from_iter([("call".to_owned(), true.into())]);
        let given = [("signature", signature), ("id", id)];
        for (key, value) in given.into_iter().filter(|(_, value)| !value.is_empty()) {
            kept.insert(key.to_owned(), value.into());
        }
        if kept.len() > 1 {
            self.keep(kept.into(), out);
        }
    }

    fn keep(&self, value: Value, out: &mut Decoded) {
        let origin = self.origin.clone();
        out.push(Ok(Delta::Keep { origin, value }));
    }
}
