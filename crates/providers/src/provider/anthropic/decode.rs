//! A streamed Messages answer as deltas.
//!
//! In: the data of each event, or a whole message. Out: deltas in order; a thinking block is
//! kept with its signature once it is whole.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::message::{Prompt, ProviderState};
use crate::provider::openai::flat;
use crate::provider::wire::{Decode, Decoded, Ending, Events, Ids, Reader, count, take_text};
use crate::provider::{Delta, Protocol, StopReason, Usage};

/// Returns what reads the answer of `model` to `prompt`.
pub fn decoder(prompt: &Prompt, model: &str) -> Box<dyn Decode> {
    Box::new(Events::new(Messages {
        origin: Protocol::Anthropic.origin(model),
        ids: Ids::new(prompt),
        open: HashMap::new(),
        calls: 0,
    }))
}

#[derive(Clone, Debug)]
struct Messages {
    origin: String,
    ids: Ids,
    /// The blocks that are not whole, by the server's number.
    open: HashMap<u64, ContentBlock>,
    calls: usize,
}

#[derive(Clone, Debug)]
enum ContentBlock {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Sealed {
        data: String,
    },
    /// `input` is what the block began with; it counts if no arguments come in pieces.
    Call {
        index: usize,
        input: Option<Value>,
    },
    Other,
}

impl ContentBlock {
    /// Adds to a thought. One that is longer than what may be kept of an answer is not kept: its
    /// signature is for all of it.
    fn think(&mut self, more: &str, sign: &str) {
        let Self::Thinking { text, signature } = self else {
            return;
        };
        text.push_str(more);
        signature.push_str(sign);
        if text.len() + signature.len() > ProviderState::MOST_BYTES {
            *self = Self::Other;
        }
    }
}

impl Reader for Messages {
    fn read(&mut self, mut event: Value, ending: &mut Ending, out: &mut Decoded) {
        match take_text(&mut event, "type").as_str() {
            "message_start" => {
                if let Some(message) = event.get_mut("message") {
                    self.counted(message, ending);
                }
            }
            "content_block_start" => {
                let number = number(&event);
                // A server that forgets to end a block has ended it by the next one.
                self.close(number, out);
                if let Some(block) = event.get_mut("content_block") {
                    let block = self.open(block, ending, out);
                    self.open.insert(number, block);
                }
            }
            "content_block_delta" => {
                let number = number(&event);
                if let Some(delta) = event.get_mut("delta") {
                    self.more(number, delta, out);
                }
            }
            "content_block_stop" => self.close(number(&event), out),
            "message_delta" => {
                self.counted(&mut event, ending);
                self.stopped(event.pointer("/delta/stop_reason"), out, ending);
            }
            "message_stop" => {
                self.close_all(out);
                ending.end(out);
            }
            "message" => self.whole(event, ending, out),
            // `ping`, and what later versions add.
            _ => {}
        }
    }

    fn is_refusal(event: &Value) -> bool {
        event.get("error").is_some_and(|error| !error.is_null())
            || event.get("type").and_then(Value::as_str) == Some("error")
    }
}

impl Messages {
    /// Reads a message that was not streamed.
    fn whole(&mut self, mut message: Value, ending: &mut Ending, out: &mut Decoded) {
        self.counted(&mut message, ending);
        if let Some(Value::Array(blocks)) = message.get_mut("content").map(Value::take) {
            for (number, mut block) in (0..).zip(blocks) {
                let block = self.open(&mut block, ending, out);
                self.open.insert(number, block);
                self.close(number, out);
            }
        }
        self.stopped(message.get("stop_reason"), out, ending);
    }

    fn open(&mut self, block: &mut Value, ending: &mut Ending, out: &mut Decoded) -> ContentBlock {
        match take_text(block, "type").as_str() {
            "text" => {
                say(take_text(block, "text"), out);
                ContentBlock::Text
            }
            "thinking" => {
                let text = take_text(block, "thinking");
                think(&text, out);
                let signature = take_text(block, "signature");
                ContentBlock::Thinking { text, signature }
            }
            "redacted_thinking" => ContentBlock::Sealed {
                data: take_text(block, "data"),
            },
            "tool_use" => {
                let index = self.calls;
                self.calls += 1;
                ending.called();
                out.push(Ok(Delta::CallStarted {
                    index,
                    id: self.ids.fresh(take_text(block, "id"), index),
                    name: take_text(block, "name"),
                }));
                let input = block.get_mut("input").map(Value::take);
                ContentBlock::Call {
                    index,
                    input: input
                        .filter(|input| input.as_object().is_some_and(|map| !map.is_empty())),
                }
            }
            _ => ContentBlock::Other,
        }
    }

    fn more(&mut self, number: u64, delta: &mut Value, out: &mut Decoded) {
        let kind = take_text(delta, "type");
        match (self.open.get_mut(&number), kind.as_str()) {
            (Some(block @ ContentBlock::Thinking { .. }), "thinking_delta") => {
                let piece = take_text(delta, "thinking");
                think(&piece, out);
                block.think(&piece, "");
            }
            (Some(block @ ContentBlock::Thinking { .. }), "signature_delta") => {
                block.think("", &take_text(delta, "signature"));
            }
            (Some(ContentBlock::Call { index, input }), "input_json_delta") => {
                let fragment = take_text(delta, "partial_json");
                if !fragment.is_empty() {
                    *input = None;
                    out.push(Ok(Delta::CallArguments {
                        index: *index,
                        fragment,
                    }));
                }
            }
            // Text is text also where the block was never begun.
            (_, "text_delta") => say(take_text(delta, "text"), out),
            (_, "thinking_delta") => think(&take_text(delta, "thinking"), out),
            _ => {}
        }
    }

    fn close(&mut self, number: u64, out: &mut Decoded) {
        let value = match self.open.remove(&number) {
            Some(ContentBlock::Thinking { text, signature }) if !signature.is_empty() => {
                json!({ "type": "thinking", "thinking": text, "signature": signature })
            }
            Some(ContentBlock::Sealed { data }) if !data.is_empty() => {
                json!({ "type": "redacted_thinking", "data": data })
            }
            Some(ContentBlock::Call {
                index,
                input: Some(input),
            }) => {
                let fragment = input.to_string();
                return out.push(Ok(Delta::CallArguments { index, fragment }));
            }
            _ => return,
        };
        let origin = self.origin.clone();
        out.push(Ok(Delta::Keep { origin, value }));
    }

    fn close_all(&mut self, out: &mut Decoded) {
        let mut numbers: Vec<u64> = self.open.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            self.close(number, out);
        }
    }

    /// Takes the counts that are there; later ones are totals, not additions.
    fn counted(&self, message: &mut Value, ending: &mut Ending) {
        let Some(usage) = message.get("usage").filter(|usage| usage.is_object()) else {
            return;
        };
        let before = ending.counted();
        let cached = count(usage, "/cache_read_input_tokens");
        let stored = count(usage, "/cache_creation_input_tokens");
        // What is read from or written to the cache is not among the input tokens here.
        let input = count(usage, "/input_tokens")
            .saturating_add(stored)
            .saturating_add(cached);
        ending.count(Usage {
            input: before.input.max(input),
            cached: before.cached.max(cached),
            stored: before.stored.max(stored),
            output: before.output.max(count(usage, "/output_tokens")),
        });
    }

    fn stopped(&mut self, reason: Option<&Value>, out: &mut Decoded, ending: &mut Ending) {
        let Some(reason) = reason
            .and_then(Value::as_str)
            .filter(|word| !word.is_empty())
        else {
            return;
        };
        self.close_all(out);
        ending.stop(match reason {
            "end_turn" | "stop_sequence" | "pause_turn" => StopReason::Stop,
            "tool_use" => StopReason::ToolCalls,
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            other => StopReason::Other(flat(other)),
        });
    }
}

fn number(event: &Value) -> u64 {
    count(event, "/index")
}

fn say(text: String, out: &mut Decoded) {
    if !text.is_empty() {
        out.push(Ok(Delta::Text { text }));
    }
}

fn think(text: &str, out: &mut Decoded) {
    if !text.is_empty() {
        out.push(Ok(Delta::Reasoning {
            text: text.to_owned(),
        }));
    }
}
