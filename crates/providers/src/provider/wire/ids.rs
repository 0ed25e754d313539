//! Call ids, unique within a conversation.
//!
//! In: the server's id, empty if it gave none. Out: one that no call of the prompt has.

use std::collections::HashSet;

use crate::message::{CallId, Message, Prompt};

/// The ids that are in use.
#[derive(Clone, Debug, Default)]
pub(in crate::provider) struct Ids {
    taken: HashSet<String>,
    /// Tells the made-up ids of one answer from those of the next.
    turn: usize,
}

impl Ids {
    /// Returns the ids in use in `prompt`.
    pub(in crate::provider) fn new(prompt: &Prompt) -> Self {
        let calls = prompt.messages.iter().filter_map(|message| match message {
            Message::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        Self {
            taken: calls.flatten().map(|call| call.id.0.clone()).collect(),
            turn: prompt.messages.len(),
        }
    }

    /// Returns the wanted id if it is free, else one for the call at this place of the answer.
    pub(in crate::provider) fn fresh(&mut self, wanted: String, at: usize) -> CallId {
        let mut id = wanted;
        let mut number = self.turn;
        while id.is_empty() || self.taken.contains(&id) {
            id = format!("call_{at}_{number}");
            number += 1;
        }
        self.taken.insert(id.clone());
        CallId(id)
    }
}
