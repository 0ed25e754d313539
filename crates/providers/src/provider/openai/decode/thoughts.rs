//! Reasoning that a server wants back with the next request.
//!
//! In: pieces as they stream in: plain text under one of several names, OpenRouter's blocks, each under a number, or LiteLLM's,
//! which a signature ends. Out: the fields of the answer that goes back under the names in which they came, every block whole
//! and in the order they began.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use crate::message::ProviderState;

/// What a model thought so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Thoughts {
    /// By the name of the field in which it came.
    texts: BTreeMap<&'static str, String>,
    blocks: Vec<Map<String, Value>>,
    /// Blocks of LiteLLM, as Anthropic's models make them.
    signed: Vec<Map<String, Value>>,
    /// Where the block with a number and a type is.
    places: HashMap<(u64, String), usize>,
    /// Bytes that came; beyond what a provider_state may have, nothing is kept: what is cut cannot be
    /// checked by who made it.
    bytes: usize,
}

/// Fields of a block whose pieces are put one behind the other; of others the last one counts.
const GROWING: [&str; 2] = ["text", "summary"];

impl Thoughts {
    /// Takes more plain text of a field.
    pub(super) fn say(&mut self, field: &'static str, text: &str) {
        if !text.is_empty() && self.has_room(text.len()) {
            self.texts.entry(field).or_default().push_str(text);
        }
    }

    /// Takes pieces of blocks.
    pub(super) fn take(&mut self, pieces: Vec<Value>) {
        for piece in pieces {
            let bytes = piece.to_string().len();
            if let Value::Object(piece) = piece
                && self.has_room(bytes)
            {
                self.piece(piece);
            }
        }
    }

    /// Takes pieces of LiteLLM's blocks: `{"type": "thinking", "thinking": "I ", "signature": null}`, more text, and last the
    /// signature; or a whole block.
    pub(super) fn take_signed(&mut self, pieces: Vec<Value>) {
        for piece in pieces {
            let bytes = piece.to_string().len();
            let Value::Object(piece) = piece else {
                continue;
            };
            if !self.has_room(bytes) {
                continue;
            }
            let signature = |block: &Map<String, Value>| {
                let signature = block.get("signature").and_then(Value::as_str);
                signature.is_some_and(|signature| !signature.is_empty())
            };
            let begun = self.signed.last_mut().filter(|block| {
                let goes_on = block.contains_key("thinking") && piece.contains_key("thinking");
                goes_on && !signature(block)
            });
            let Some(block) = begun else {
                self.signed.push(piece);
                continue;
            };
            let more = piece.get("thinking").and_then(Value::as_str);
            if let (Some(Value::String(text)), Some(more)) = (block.get_mut("thinking"), more) {
                text.push_str(more);
            }
            if let Some(signed) = piece.get("signature").filter(|_| signature(&piece)) {
                block.insert("signature".into(), signed.clone());
            }
        }
    }

    /// Returns the fields that go back; empty if it thought nothing.
    pub(super) fn fields(&mut self) -> Map<String, Value> {
        let mut fields = Map::new();
        let texts = std::mem::take(&mut self.texts).into_iter();
        // The blocks say what `reasoning` says, and are signed.
        let texts = texts.filter(|(field, _)| self.blocks.is_empty() || *field != "reasoning");
        fields.extend(texts.map(|(field, text)| (field.to_owned(), text.into())));
        self.places.clear();
        let blocks = std::mem::take(&mut self.blocks).into_iter();
        let blocks: Vec<Value> = blocks.map(Value::Object).collect();
        if !blocks.is_empty() {
            fields.insert("reasoning_details".into(), blocks.into());
        }
        let signed = std::mem::take(&mut self.signed).into_iter();
        let signed: Vec<Value> = signed.map(Value::Object).collect();
        if !signed.is_empty() {
            fields.insert("thinking_blocks".into(), signed.into());
        }
        fields
    }

    /// Counts what came, and lets go of everything where it is too much.
    fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        let has_room = self.bytes <= ProviderState::MOST_BYTES;
        if !has_room {
            (self.texts, self.blocks, self.signed, self.places) = Default::default();
        }
        has_room
    }

    fn piece(&mut self, piece: Map<String, Value>) {
        let number = piece.get("index").and_then(Value::as_u64);
        let kind = piece.get("type").and_then(Value::as_str);
        let Some(key) = number.zip(kind.map(str::to_owned)) else {
            return self.blocks.push(piece);
        };
        let known = self.places.get(&key).copied();
        let Some(block) = known.and_then(|place| self.blocks.get_mut(place)) else {
            self.places.insert(key, self.blocks.len());
            return self.blocks.push(piece);
        };
        for (name, value) in piece {
            match (block.get_mut(&name), value) {
                (_, Value::Null) => {}
                (Some(Value::String(text)), Value::String(more))
                    if GROWING.contains(&name.as_str()) =>
                {
                    text.push_str(&more);
                }
                (_, value) => drop(block.insert(name, value)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(pieces: &[Value], expected: &Value) {
        let mut thoughts = Thoughts::default();
        for piece in pieces {
            thoughts.take(vec![piece.clone()]);
        }
        assert_eq!(thoughts.fields()["reasoning_details"], *expected);
        assert!(thoughts.fields().is_empty());
    }

    #[test]
    fn blocks_are_put_together_by_their_numbers() {
        check(
            &[
                piece(0, "I "),
                piece(0, "see."),
                json!({ "type": "reasoning.text", "index": 0, "signature": "sig", "format": "f" }),
                json!({ "type": "reasoning.encrypted", "index": 0, "data": "x=", "id": "e1" }),
                piece(1, "More."),
            ],
            &json!([
                { "type": "reasoning.text", "index": 0, "text": "I see.", "signature": "sig", "format": "f" },
                { "type": "reasoning.encrypted", "index": 0, "data": "x=", "id": "e1" },
                { "type": "reasoning.text", "index": 1, "text": "More.", "signature": null },
            ]),
        );
    }

    fn piece(index: u64, text: &str) -> Value {
        json!({ "type": "reasoning.text", "index": index, "text": text, "signature": null })
    }

    #[test]
    fn more_thoughts_than_a_keepsake_may_have_are_not_kept() {
        let mut thoughts = Thoughts::default();
        let text = "x".repeat(ProviderState::MOST_BYTES / 4);
        for _ in 0..3 {
            thoughts.say("reasoning", &text);
        }
        assert!(!thoughts.clone().fields().is_empty());
        let block = json!({ "type": "reasoning.encrypted", "data": text });
        thoughts.take(vec![block.clone(), block]);
        thoughts.say("reasoning", "more");
        assert!(thoughts.fields().is_empty());
    }

    #[test]
    fn a_signature_ends_a_block() {
        let mut thoughts = Thoughts::default();
        let piece = |text: &str, signature: Value| json!({ "type": "thinking", "thinking": text, "signature": signature });
        for one in [
            piece("I ", Value::Null),
            piece("see.", json!("")),
            piece("", json!("sig")),
            json!({ "type": "redacted_thinking", "data": "x" }),
            piece("More.", json!("sig2")),
        ] {
            thoughts.take_signed(vec![one]);
        }
        assert_eq!(
            thoughts.fields()["thinking_blocks"],
            json!([
                piece("I see.", json!("sig")),
                { "type": "redacted_thinking", "data": "x" },
                piece("More.", json!("sig2")),
            ])
        );
        assert!(thoughts.fields().is_empty());
    }

    #[test]
    fn blocks_without_numbers_stay_as_they_came() {
        let block = json!({ "type": "reasoning.encrypted", "data": "x" });
        check(
            &[block.clone(), block.clone(), json!(7)],
            &json!([block, block]),
        );
    }
}
