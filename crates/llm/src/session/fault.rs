//! What the user is told when a server does not answer.

use super::{Fault, FaultKind};
use crate::provider::ProviderError;

impl From<&ProviderError> for Fault {
    fn from(error: &ProviderError) -> Self {
        Self {
            kind: FaultKind::Provider,
            message: error.to_string(),
            hint: Some(hint(error).to_owned()),
        }
    }
}

fn hint(error: &ProviderError) -> &'static str {
    match error {
        ProviderError::Connect { .. } => {
            "is the server running, and is its address right? `signoff doctor` tells what is \
             reachable"
        }
        ProviderError::Status {
            code: 401 | 403, ..
        } => "check the key and what it may be used for",
        error if error.is_overflow() => {
            "the conversation is longer than the model can read; ask anew in a new conversation, \
             or /model another one"
        }
        ProviderError::Status { code: 404, .. } => {
            "check the model's name and the server's address"
        }
        ProviderError::Status { code: 429, .. } => "the server wants a pause; send it again later",
        ProviderError::Status { code: 500.., .. } => "the server failed; send it again",
        ProviderError::Status { .. } => "the server does not take this request",
        ProviderError::Cut { .. } => {
            "what came so far is kept and no file was changed; send it again"
        }
        ProviderError::Malformed { .. } => "is there a chat server at this address? send it again",
        ProviderError::Replay { .. } => "record the exchange again",
    }
}
