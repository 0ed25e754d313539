//! Providers: one file for each protocol.
//!
//! In: a [`Prompt`]. Out: a stream of [`Delta`]s, or one [`ProviderError`] that ends it.
//!
//! Where answers come from. One file a protocol: `openai`, `responses`, `anthropic`, `gemini`, `ollama` encode and
//! decode, pure text on both sides. `protocol` chooses between them, `wire` is what they share: ends, ids, the
//! parts of an earlier answer. `sse` and `lines` split streams, `trouble` is the table of faults
//! (`docs/faults.md`), `retry` a schedule, `catalogue` knows models. `http` sends. `text` is for models that cannot
//! call tools: it puts them into words and reads calls out of text. `discover` asks the usual local ports;
//! whose process listens, and what the user decided on it, is in tui's `model/found`. `offers` adds models that can
//! be picked without configuration to whoever answers. `scripted` needs no network.
//!
//! **Invariant:** what comes out of a decoder does not depend on how the bytes were cut, and its work is linear in
//! them.
//!
//! **Invariant:** provider state goes back to the protocol and model that made it, and to no other.
//!
//! **Invariant:** no file comes into being by a call that was read out of a bare fence, and no call in a fence or an object
//! edits a file that neither the request nor the reads name. A call between the marks of a template is one like those
//! that servers parse; a patch or a SEARCH/REPLACE block names its file itself.
//!
//! **Invariant:** of this crate, `http` alone opens a socket, and `web_address` tries one. `http` follows no redirect, and uses no
//! proxy for this machine.
//!
//! **Invariant:** a request is repeated only while nothing of its answer has come. Keys are in no error, log or
//! debug text: what a server says passes `http/secrets`, which takes secrets out before the text is cut.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{CallId, Prompt};
use catalogue::Model;

pub mod anthropic;
pub mod catalogue;
pub mod discover;
pub mod gemini;
pub mod http;
pub mod lines;
#[cfg(test)]
#[expect(dead_code, reason = "each crate has a use for some replies")]
pub(crate) mod loopback;
pub mod offers;
pub mod ollama;
pub mod openai;
pub mod protocol;
pub mod responses;
pub mod retry;
pub mod scripted;
pub mod sse;
pub mod text;
pub mod trouble;
pub mod url_credentials;
pub mod wire;

pub use protocol::{NoProtocol, Protocol};
pub use wire::Options;

/// A piece of an answer as it arrives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "delta")]
pub enum Delta {
    /// More of the answer's text.
    Text {
        /// The piece.
        text: String,
    },
    /// More of what the model thinks aloud; shown, never sent back.
    Reasoning {
        /// The piece.
        text: String,
    },
    /// A call begins; `index` tells calls of one answer apart.
    CallStarted {
        /// Position in the answer, from 0.
        index: usize,
        /// The provider's id for it.
        id: CallId,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments.
    CallArguments {
        /// Which call.
        index: usize,
        /// The piece of JSON text.
        fragment: String,
    },
    /// Nothing has come yet; the request is sent again after a pause.
    Retrying {
        /// Why.
        reason: String,
        /// Which attempt comes, from 2.
        attempt: u32,
        /// The pause in milliseconds.
        wait_ms: u64,
    },
    /// Something that the provider wants back with this answer; never shown.
    Keep {
        /// Who made it.
        origin: String,
        /// What it is.
        value: Value,
    },
    /// What the request cost.
    Usage(Usage),
    /// The answer is complete.
    Stop {
        /// Why it ended.
        reason: StopReason,
    },
}

/// Tokens that a request took, as the provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, those out of the provider's cache included.
    pub input: u64,
    /// Tokens read out of the provider's cache, which cost less.
    #[serde(default)]
    pub cached: u64,
    /// Tokens read that were put into the provider's cache, which cost more.
    #[serde(default)]
    pub stored: u64,
    /// Tokens written.
    pub output: u64,
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    Stop,
    /// The model waits for answers to its calls.
    ToolCalls,
    /// The answer reached the length limit.
    Length,
    /// The built-in planner could not meet the request, and says why.
    Unmet,
    /// Anything else, in the provider's word.
    Other(String),
}

/// Why there is no answer, or no whole one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The server could not be reached.
    #[error("cannot reach {url}: {detail}")]
    Connect {
        /// Where, without credentials.
        url: String,
        /// What the system said.
        detail: String,
    },
    /// The server refused.
    #[error("the server answered {code}: {message}")]
    Status {
        /// HTTP status.
        code: u16,
        /// The server's own words, bounded.
        message: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// The stream ended before the answer did.
    #[error("the answer broke off: {detail}")]
    Cut {
        /// What happened.
        detail: String,
    },
    /// The server sent what the protocol does not allow.
    #[error("the server sent something that is not an answer: {detail}")]
    Malformed {
        /// What, bounded.
        detail: String,
    },
    /// A replayed exchange has no answer for this request.
    #[error("the replay does not fit: {detail}")]
    Replay {
        /// Which line, and what was expected.
        detail: String,
    },
}

/// Who answers, for the status line and `doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// A protocol's word, or `offline`, `scripted`.
    pub provider: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// Where it runs; empty for one inside the program. Never holds a key.
    pub endpoint: String,
}

/// The pieces of one answer; dropping it cancels the request.
pub type DeltaStream = Pin<Box<dyn Stream<Item = Result<Delta, ProviderError>> + Send>>;

/// Something that answers prompts.
pub trait Provider: Send + Sync {
    /// Returns who answers.
    fn about(&self) -> About;

    /// Starts one request. Retrying before the first delta is the provider's business,
    /// afterwards nothing is repeated.
    fn stream(&self, prompt: Prompt) -> DeltaStream;

    /// Starts one request beside those of the turn: a question about a hunk.
    fn stream_beside(&self, prompt: Prompt) -> DeltaStream {
        self.stream(prompt)
    }

    /// Returns the models that may be asked for instead, with what is known of them.
    fn models(&self) -> BoxFuture<'static, Result<Vec<Model>, ProviderError>> {
        let name = self.about().model;
        Box::pin(ready(Ok(vec![Model {
            name,
            ..Model::default()
        }])))
    }

    /// Returns whether the model takes images, if whoever has it says so.
    fn takes_images(&self) -> BoxFuture<'static, Option<bool>> {
        Box::pin(ready(None))
    }

    /// Returns the same with another model; nothing if it has only one.
    fn with_model(&self, _name: &str) -> Option<Arc<dyn Provider>> {
        None
    }
}
