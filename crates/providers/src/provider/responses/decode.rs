//! A streamed Responses answer as deltas.
//!
//! In: the data of each event, or a whole response. Out: deltas in order. What was streamed is
//! not said again by the events that repeat it; what was not is taken from them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::message::Prompt;
use crate::provider::openai::{flat, refusal};
use crate::provider::wire::{Decode, Decoded, Ending, Events, Ids, Reader, count, take_text};
use crate::provider::{Delta, Protocol, StopReason, Usage};

/// Returns what reads the answer of `model` to `prompt`.
pub fn decoder(prompt: &Prompt, model: &str) -> Box<dyn Decode> {
    Box::new(Events::new(Items {
        origin: Protocol::Responses.origin(model),
        ids: Ids::new(prompt),
        calls: Vec::new(),
        by_place: HashMap::new(),
        by_item: HashMap::new(),
        by_call: HashMap::new(),
        told: HashSet::new(),
        kept: HashSet::new(),
        last_told: None,
    }))
}

#[derive(Clone, Debug)]
struct Items {
    origin: String,
    ids: Ids,
    calls: Vec<FunctionCall>,
    /// Where the calls are, by the server's number, by the item's id and by the call's.
    by_place: HashMap<u64, usize>,
    by_item: HashMap<String, usize>,
    by_call: HashMap<String, usize>,
    /// Places of messages of which text was streamed.
    told: HashSet<u64>,
    /// Reasoning that is kept, by its id.
    kept: HashSet<String>,
    last_told: Option<u64>,
}

/// A call that has begun.
#[derive(Clone, Debug, Default)]
struct FunctionCall {
    /// Bytes of arguments that were passed on.
    sent: usize,
}

impl Reader for Items {
    fn read(&mut self, mut event: Value, ending: &mut Ending, out: &mut Decoded) {
        let kind = take_text(&mut event, "type");
        let place = event.get("output_index").and_then(Value::as_u64);
        match kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.say(place, take_text(&mut event, "delta"), out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let text = take_text(&mut event, "delta");
                if !text.is_empty() {
                    out.push(Ok(Delta::Reasoning { text }));
                }
            }
            "response.function_call_arguments.delta" => {
                let fragment = take_text(&mut event, "delta");
                if let Some(at) = self.find(place, &take_text(&mut event, "item_id")) {
                    self.more(at, fragment, out);
                }
            }
            "response.function_call_arguments.done" => {
                let whole = take_text(&mut event, "arguments");
                if let Some(at) = self.find(place, &take_text(&mut event, "item_id")) {
                    self.complete(at, &whole, out);
                }
            }
            "response.output_item.added" => {
                if let Some(item) = event.get_mut("item") {
                    self.added(place, item, ending, out);
                }
            }
            "response.output_item.done" => {
                if let Some(item) = event.get_mut("item") {
                    self.done(place, item, ending, out);
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                if let Some(response) = event.get_mut("response").map(Value::take) {
                    self.response(response, ending, out);
                }
                ending.end(out);
            }
            "" if event.get("output").is_some() => self.response(event, ending, out),
            // `response.created`, parts of messages, and what later versions add.
            _ => {}
        }
    }

    fn is_refusal(event: &Value) -> bool {
        let kind = event.get("type").and_then(Value::as_str);
        kind == Some("error")
            || kind.is_none() && event.get("error").is_some_and(|error| !error.is_null())
    }
}

impl Items {
    /// Reads a response as a whole: what was not streamed of it, and its end.
    fn response(&mut self, mut response: Value, ending: &mut Ending, out: &mut Decoded) {
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            ending.count(Usage {
                input: count(usage, "/input_tokens"),
                cached: count(usage, "/input_tokens_details/cached_tokens"),
                stored: 0,
                output: count(usage, "/output_tokens"),
            });
        }
        if response.get("error").is_some_and(|error| !error.is_null()) {
            return ending.fail(refusal(&response), out);
        }
        if let Some(Value::Array(items)) = response.get_mut("output").map(Value::take) {
            let told = !self.told.is_empty();
            for (place, mut item) in (0..).zip(items) {
                // Servers count the places of a stream and of its summary differently.
                let is_message = item.get("type").and_then(Value::as_str) == Some("message");
                if !(told && is_message) {
                    self.done(Some(place), &mut item, ending, out);
                }
            }
        }
        let status = response.get("status").and_then(Value::as_str);
        let why = response.pointer("/incomplete_details/reason");
        ending.stop(match (status, why.and_then(Value::as_str)) {
            (_, Some("max_output_tokens" | "max_tokens")) => StopReason::Length,
            (_, Some(other)) => StopReason::Other(flat(other)),
            (Some(other @ ("failed" | "cancelled" | "incomplete")), None) => {
                StopReason::Other(other.to_owned())
            }
            _ => StopReason::Stop,
        });
    }

    /// Reads an item that begins.
    fn added(
        &mut self,
        place: Option<u64>,
        item: &mut Value,
        ending: &mut Ending,
        out: &mut Decoded,
    ) {
        if item.get("type").and_then(Value::as_str) == Some("function_call") {
            let at = self.begin(place, item, ending, out);
            self.more(at, take_text(item, "arguments"), out);
        }
    }

    /// Reads an item that is whole; most of it may have been said before.
    fn done(
        &mut self,
        place: Option<u64>,
        item: &mut Value,
        ending: &mut Ending,
        out: &mut Decoded,
    ) {
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => {
                let at = self.begin(place, item, ending, out);
                self.complete(at, &take_text(item, "arguments"), out);
            }
            Some("message") => self.message(place, item, out),
            Some("reasoning") => self.keep(item, out),
            _ => {}
        }
    }

    fn message(&mut self, place: Option<u64>, item: &mut Value, out: &mut Decoded) {
        let key = place.unwrap_or_default();
        let was_told = self.told.contains(&key) || (place.is_none() && !self.told.is_empty());
        if was_told {
            return;
        }
        if let Some(Value::Array(parts)) = item.get_mut("content") {
            for part in parts {
                let text = take_text(part, "text") + &take_text(part, "refusal");
                self.say(place, text, out);
            }
        }
    }

    /// Keeps reasoning that the server does not keep itself.
    fn keep(&mut self, item: &mut Value, out: &mut Decoded) {
        let [sealed, id] = ["encrypted_content", "id"]
            .map(|key| item.get(key).and_then(Value::as_str).unwrap_or_default());
        let key = if id.is_empty() { sealed } else { id };
        if !sealed.is_empty() && self.kept.insert(key.to_owned()) {
            let mut value = item.take();
            if let Some(map) = value.as_object_mut() {
                // Answers carry it, requests may not.
                map.shift_remove("status");
            }
            let origin = self.origin.clone();
            out.push(Ok(Delta::Keep { origin, value }));
        }
    }

    /// Returns the call that an item is; begins it if it is new.
    fn begin(
        &mut self,
        place: Option<u64>,
        item: &mut Value,
        ending: &mut Ending,
        out: &mut Decoded,
    ) -> usize {
        let (item_id, call_id) = (take_text(item, "id"), take_text(item, "call_id"));
        let known = (self.by_call.get(&call_id))
            .or_else(|| self.by_item.get(&item_id))
            .or_else(|| place.and_then(|place| self.by_place.get(&place)));
        if let Some(at) = known {
            return *at;
        }
        let at = self.calls.len();
        self.calls.push(FunctionCall::default());
        if let Some(place) = place {
            self.by_place.insert(place, at);
        }
        if !item_id.is_empty() {
            self.by_item.insert(item_id.clone(), at);
        }
        if !call_id.is_empty() {
            self.by_call.insert(call_id.clone(), at);
        }
        let wanted = if call_id.is_empty() { item_id } else { call_id };
        ending.called();
        out.push(Ok(Delta::CallStarted {
            index: at,
            id: self.ids.fresh(wanted, at),
            name: take_text(item, "name"),
        }));
        at
    }

    /// Returns which call an event is about; one that names none is about the newest.
    fn find(&self, place: Option<u64>, item: &str) -> Option<usize> {
        let found = self.by_item.get(item).or_else(|| self.by_call.get(item));
        found
            .copied()
            .or_else(|| place.and_then(|place| self.by_place.get(&place)).copied())
            .or_else(|| self.calls.len().checked_sub(1))
    }

    fn more(&mut self, at: usize, fragment: String, out: &mut Decoded) {
        if let Some(call) = self.calls.get_mut(at).filter(|_| !fragment.is_empty()) {
            call.sent += fragment.len();
            out.push(Ok(Delta::CallArguments {
                index: at,
                fragment,
            }));
        }
    }

    /// Passes on what was not streamed of the arguments.
    fn complete(&mut self, at: usize, whole: &str, out: &mut Decoded) {
        let sent = self.calls.get(at).map_or(0, |call| call.sent);
        let missing = whole.get(sent..).unwrap_or_default().to_owned();
        self.more(at, missing, out);
    }

    fn say(&mut self, place: Option<u64>, text: String, out: &mut Decoded) {
        if text.is_empty() {
            return;
        }
        let key = place.unwrap_or_default();
        if self.last_told != Some(key) {
            self.last_told = Some(key);
            self.told.insert(key);
        }
        out.push(Ok(Delta::Text { text }));
    }
}
