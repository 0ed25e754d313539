//! Tool calls of a streamed answer, joined from their pieces.
//!
//! In: elements of `tool_calls`: in pieces by index, whole without one, without id. Out:
//! each call begun once under an id of its own, then its arguments.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::CALL_SIGNATURES;
use crate::message::{Prompt, ProviderState};
use crate::provider::Delta;
use crate::provider::wire::Ids;

/// The calls of one answer.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenCalls {
    open: Vec<OpenCall>,
    /// The latest call with each of the server's numbers and ids.
    by_index: HashMap<u64, usize>,
    by_id: HashMap<String, usize>,
    ids: Ids,
}

#[derive(Clone, Debug, Default)]
struct OpenCall {
    /// The server's id; empty if it gave none.
    wire_id: String,
    started: bool,
    /// The id that it was begun under; empty before that.
    id: String,
    /// Arguments that came before the name.
    early: String,
    /// What the server signed it with, by the name of the field.
    signatures: Map<String, Value>,
}

/// One element of `tool_calls`, with what is missing left empty.
struct ToolCallDelta {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    signatures: Map<String, Value>,
}

impl OpenCalls {
    /// Returns an empty list that gives no id of `prompt` again.
    pub(super) fn new(prompt: &Prompt) -> Self {
        Self {
            ids: Ids::new(prompt),
            ..Self::default()
        }
    }

    /// Tells whether a call has begun.
    pub(super) fn any(&self) -> bool {
        self.open.iter().any(|call| call.started)
    }

    /// Takes what calls were signed with, by their ids; nothing if it is more than may be kept.
    pub(super) fn signed(&mut self) -> Map<String, Value> {
        let open = self.open.iter_mut();
        let signed = open.filter(|call| call.started && !call.signatures.is_empty());
        let signed: Map<String, Value> = signed
            .map(|call| (call.id.clone(), std::mem::take(&mut call.signatures).into()))
            .collect();
        let bytes = signed
            .values()
            .map(|fields| fields.to_string().len())
            .sum::<usize>();
        if bytes > ProviderState::MOST_BYTES {
            return Map::new();
        }
        signed
    }

    /// Reads one element of `tool_calls`.
    pub(super) fn read(&mut self, element: &mut Value, mut out: impl FnMut(Delta)) {
        let piece = ToolCallDelta::take(element);
        if piece.is_empty() {
            return;
        }
        let at = self.place(&piece);
        let Some(call) = self.open.get_mut(at) else {
            return;
        };
        if call.wire_id.is_empty() && !piece.id.is_empty() {
            self.by_id.insert(piece.id.clone(), at);
            call.wire_id = piece.id;
        }
        call.signatures.extend(piece.signatures);
        if call.started {
            if !piece.arguments.is_empty() {
                out(Delta::CallArguments {
                    index: at,
                    fragment: piece.arguments,
                });
            }
            return;
        }
        call.early.push_str(&piece.arguments);
        if piece.name.is_empty() {
            return;
        }
        call.started = true;
        let fragment = std::mem::take(&mut call.early);
        let wire_id = call.wire_id.clone();
        let id = self.ids.fresh(wire_id, at);
        call.id.clone_from(&id.0);
        out(Delta::CallStarted {
            index: at,
            id,
            name: piece.name,
        });
        if !fragment.is_empty() {
            out(Delta::CallArguments {
                index: at,
                fragment,
            });
        }
    }

    /// Returns which call a piece belongs to; begins one if to none.
    fn place(&mut self, piece: &ToolCallDelta) -> usize {
        let last = self.open.len().checked_sub(1);
        let found = match piece.index {
            // Some servers number all calls 0 and tell them apart by name and id alone.
            Some(index) => self
                .by_index
                .get(&index)
                .copied()
                .filter(|&at| !piece.begins_other(self.open.get(at))),
            None => self.by_id.get(&piece.id).copied().or_else(|| {
                last.filter(|&at| {
                    self.open
                        .get(at)
                        .is_some_and(|call| piece.name.is_empty() || !call.started)
                })
            }),
        };
        found.unwrap_or_else(|| self.begin(piece.index))
    }

    fn begin(&mut self, index: Option<u64>) -> usize {
        let at = self.open.len();
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        self.open.push(OpenCall::default());
        at
    }
}

impl ToolCallDelta {
    fn take(element: &mut Value) -> Self {
        let index = element.get("index").and_then(Value::as_u64);
        let id = string(element.get_mut("id"));
        let signatures = CALL_SIGNATURES.iter().filter_map(|name| {
            let value = element.get_mut(*name).map(Value::take);
            value
                .filter(|value| !value.is_null())
                .map(|value| ((*name).to_owned(), value))
        });
        let signatures: Map<String, Value> = signatures.collect();
        let mut nothing = Value::Null;
        let function = element.get_mut("function").unwrap_or(&mut nothing);
        let name = string(function.get_mut("name"));
        let arguments = match function.get_mut("arguments").map(Value::take) {
            Some(Value::String(text)) => text,
            // Not what the protocol says, but there is only one way to understand it.
            Some(object @ Value::Object(_)) => object.to_string(),
            _ => String::new(),
        };
        Self {
            index,
            id,
            name,
            arguments,
            signatures,
        }
    }

    fn is_empty(&self) -> bool {
        let says_nothing = self.name.is_empty() && self.arguments.is_empty();
        self.id.is_empty() && says_nothing && self.signatures.is_empty()
    }

    fn begins_other(&self, call: Option<&OpenCall>) -> bool {
        call.is_some_and(|call| {
            call.started && !self.name.is_empty() && !self.id.is_empty() && call.wire_id != self.id
        })
    }
}

fn string(value: Option<&mut Value>) -> String {
    match value.map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}
