//! A streamed Chat Completions answer as deltas.
//!
//! In: the data of each server-sent event, or a whole body. Out: [`Delta`]s in order; usage
//! and stop come last, whatever order the server had.

use serde_json::Value;

use super::{flat, refusal};
use crate::json;
use crate::message::Prompt;
use crate::provider::wire::{Decode, Decoded};
use crate::provider::{Delta, Protocol, ProviderError, StopReason, Usage};

mod calls;
mod thoughts;

use calls::OpenCalls;
use thoughts::Thoughts;

/// Turns the pieces of one answer into deltas.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    calls: OpenCalls,
    /// Who made the answer; nobody is given back what nobody made.
    origin: Option<String>,
    /// What the model thought, where the server wants it back with the calls.
    thoughts: Thoughts,
    stop: Option<StopReason>,
    usage: Option<Usage>,
    ended: bool,
}

impl Decoder {
    /// Returns a decoder for the answer to `prompt`, whose call ids are not given twice.
    pub fn new(prompt: &Prompt) -> Self {
        Self {
            calls: OpenCalls::new(prompt),
            ..Self::default()
        }
    }

    /// Returns the same for the answer of this model, which is given its thoughts back.
    #[must_use]
    pub fn of_model(self, model: &str) -> Self {
        Self {
            origin: Some(Protocol::Openai.origin(model)),
            ..self
        }
    }

    fn end(&mut self) -> Decoded {
        if std::mem::replace(&mut self.ended, true) {
            return Vec::new();
        }
        let reason = match self.stop.take() {
            None | Some(StopReason::Stop) if self.calls.any() => StopReason::ToolCalls,
            reason => reason.unwrap_or(StopReason::Stop),
        };
        let mut thoughts = self.thoughts.fields();
        let signed = self.calls.signed();
        if !signed.is_empty() {
            thoughts.insert(CALLS.into(), signed.into());
        }
        let wanted = self.calls.any() && !thoughts.is_empty();
        let keep = self.origin.take().filter(|_| wanted);
        let keep = keep.map(|origin| Delta::Keep {
            origin,
            value: thoughts.into(),
        });
        let usage = self.usage.take().map(Delta::Usage);
        keep.into_iter()
            .chain(usage)
            .chain([Delta::Stop { reason }])
            .map(Ok)
            .collect()
    }

    fn fail(&mut self, error: ProviderError, out: &mut Decoded) {
        self.ended = true;
        out.push(Err(error));
    }

    fn read(&mut self, mut chunk: Value, out: &mut Decoded) {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return self.fail(refusal(&chunk), out);
        }
        if let Some(usage) = chunk.get("usage").and_then(usage) {
            self.usage = Some(usage);
        }
        let Some(choice) = first_choice(&mut chunk) else {
            return;
        };
        for part in ["delta", "message"] {
            if let Some(part) = choice.get_mut(part).filter(|part| part.is_object()) {
                self.read_part(part, out);
                break;
            }
        }
        if let Some(reason) = choice
            .get("finish_reason")
            .and_then(Value::as_str)
            .and_then(stop)
        {
            self.stop = Some(reason);
        }
    }

    fn read_part(&mut self, part: &mut Value, out: &mut Decoded) {
        let reasoning = REASONING.map(|field| {
            let text = text(part, field);
            self.thoughts.say(field, &text);
            text
        });
        if let Some(Value::Array(pieces)) = part.get_mut("reasoning_details").map(Value::take) {
            self.thoughts.take(pieces);
        }
        if let Some(Value::Array(pieces)) = part.get_mut("thinking_blocks").map(Value::take) {
            self.thoughts.take_signed(pieces);
        }
        if let Some(text) = reasoning.into_iter().find(|text| !text.is_empty()) {
            out.push(Ok(Delta::Reasoning { text }));
        }
        content(part, out);
        let refusal = text(part, "refusal");
        if !refusal.is_empty() {
            out.push(Ok(Delta::Text { text: refusal }));
        }
        if let Some(Value::Array(calls)) = part.get_mut("tool_calls") {
            for call in calls {
                self.calls.read(call, |delta| out.push(Ok(delta)));
            }
        }
    }
}

impl Decode for Decoder {
    fn push(&mut self, data: &str) -> Decoded {
        let data = data.trim();
        if self.ended || data.is_empty() {
            return Vec::new();
        }
        if data == "[DONE]" {
            return self.end();
        }
        let mut out = Vec::new();
        match json::parse(data) {
            Ok(Value::Object(chunk)) => self.read(Value::Object(chunk), &mut out),
            Ok(_) => self.fail(malformed(data), &mut out),
            Err(error) => {
                let detail = format!("{error}: {}", flat(data));
                self.fail(ProviderError::Malformed { detail }, &mut out);
            }
        }
        out
    }

    fn push_error(&mut self, data: &str) -> Decoded {
        let mut out = Vec::new();
        if !self.ended {
            let value = json::parse(data).unwrap_or_else(|_| Value::from(data));
            self.fail(refusal(&value), &mut out);
        }
        out
    }

    fn push_whole(&mut self, body: &str) -> Decoded {
        let mut out = self.push(body);
        if self.stop.is_none() && !self.ended && out.is_empty() {
            self.fail(malformed(body), &mut out);
        }
        out.extend(self.end());
        out
    }

    fn finish(&mut self) -> Decoded {
        if self.ended || self.stop.is_some() {
            return self.end();
        }
        let mut out: Decoded = self
            .usage
            .take()
            .map(Delta::Usage)
            .map(Ok)
            .into_iter()
            .collect();
        let detail = "the connection ended before the answer did".to_owned();
        self.fail(ProviderError::Cut { detail }, &mut out);
        out
    }

    fn is_closing(&self) -> bool {
        self.stop.is_some()
    }

    fn is_ended(&self) -> bool {
        self.ended
    }

    fn copy(&self) -> Box<dyn Decode> {
        Box::new(self.clone())
    }
}

/// The fields in which servers give what a model thinks aloud, as plain text; where there are several, they say the same.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// The fields of a call in which servers sign it: Google's own, and LiteLLM's. What is in them goes back with the call.
pub(super) const CALL_SIGNATURES: [&str; 2] = ["extra_content", "provider_specific_fields"];

/// The field of a kept state with the signatures of calls, by their ids.
pub(super) const CALLS: &str = "calls";

/// Returns the one choice that was asked for.
fn first_choice(chunk: &mut Value) -> Option<&mut Value> {
    let choices = chunk.get_mut("choices")?.as_array_mut()?;
    choices.iter_mut().find(|choice| {
        choice
            .get("index")
            .and_then(Value::as_u64)
            .unwrap_or_default()
            == 0
    })
}

/// Takes the text at `key` out, so that a long one is not copied.
fn text(part: &mut Value, key: &str) -> String {
    match part.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Reads content, which is a text or a list of parts.
fn content(part: &mut Value, out: &mut Decoded) {
    match part.get_mut("content").map(Value::take) {
        Some(Value::String(text)) if !text.is_empty() => out.push(Ok(Delta::Text { text })),
        Some(Value::Array(parts)) => {
            for mut part in parts {
                let text = text(&mut part, "text");
                if !text.is_empty() {
                    out.push(Ok(Delta::Text { text }));
                }
                let Some(Value::Array(thoughts)) = part.get_mut("thinking") else {
                    continue;
                };
                let thoughts = thoughts
                    .iter_mut()
                    .map(|thought| self::text(thought, "text"));
                let thoughts = thoughts.filter(|text| !text.is_empty());
                out.extend(thoughts.map(|text| Ok(Delta::Reasoning { text })));
            }
        }
        _ => {}
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let [input, output] =
        ["prompt_tokens", "completion_tokens"].map(|key| usage.get(key).and_then(Value::as_u64));
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or_default(),
        cached: usage
            .pointer("/prompt_tokens_details/cached_tokens")
            .and_then(Value::as_u64)
            .unwrap_or_default(),
        stored: 0,
        output: output.unwrap_or_default(),
    })
}

fn stop(reason: &str) -> Option<StopReason> {
    Some(match reason {
        "" => return None,
        "stop" | "end_turn" | "eos" => StopReason::Stop,
        "tool_calls" | "function_call" => StopReason::ToolCalls,
        "length" | "max_tokens" => StopReason::Length,
        other => StopReason::Other(flat(other)),
    })
}

fn malformed(data: &str) -> ProviderError {
    ProviderError::Malformed { detail: flat(data) }
}

#[cfg(test)]
mod tests;
