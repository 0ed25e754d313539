//! Reasoning that a server wants back with the next request.
//!
//! In: pieces as they stream in: plain text, or OpenRouter's blocks, each under a number. Out:
//! the fields of the answer that goes back, every block whole and in the order they began.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::message::ProviderState;

/// What a model thought so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Thoughts {
    text: String,
    blocks: Vec<Map<String, Value>>,
    /// Where the block with a number and a type is.
    places: HashMap<(u64, String), usize>,
    /// Bytes that came; beyond what a provider_state may have, nothing is kept: what is cut cannot be
    /// checked by who made it.
    bytes: usize,
}

/// Fields of a block whose pieces are put one behind the other; of others the last one counts.
const GROWING: [&str; 2] = ["text", "summary"];

impl Thoughts {
    /// Takes more plain text.
    pub(super) fn say(&mut self, text: &str) {
        if self.has_room(text.len()) {
            self.text.push_str(text);
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

    /// Returns the fields that go back; empty if it thought nothing.
    pub(super) fn fields(&mut self) -> Map<String, Value> {
        let mut fields = Map::new();
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            fields.insert("reasoning_content".into(), text.into());
        }
        self.places.clear();
        let blocks = std::mem::take(&mut self.blocks).into_iter();
        let blocks: Vec<Value> = blocks.map(Value::Object).collect();
        if !blocks.is_empty() {
            fields.insert("reasoning_details".into(), blocks.into());
        }
        fields
    }

    /// Counts what came, and lets go of everything where it is too much.
    fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        let has_room = self.bytes <= ProviderState::MOST_BYTES;
        if !has_room {
            (self.text, self.blocks, self.places) = Default::default();
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
            thoughts.say(&text);
        }
        assert!(!thoughts.clone().fields().is_empty());
        let block = json!({ "type": "reasoning.encrypted", "data": text });
        thoughts.take(vec![block.clone(), block]);
        thoughts.say("more");
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
