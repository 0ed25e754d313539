//! Protocols and the URLs of their parts.
//!
//! In: a word, or an address. Out: a [`Protocol`], which encodes prompts and makes decoders.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::wire::{Decode, Options};
use super::{anthropic, gemini, ollama, openai, responses};
use crate::message::Prompt;

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// OpenAI Chat Completions, which most servers speak: `/v1/chat/completions`, the key as `Authorization: Bearer`.
    #[default]
    Openai,
    /// OpenAI Responses; nothing is stored there: `/v1/responses`, `Authorization: Bearer`.
    Responses,
    /// Anthropic's Messages; tools, instructions and the last two turns are marked for its cache: `/v1/messages`,
    /// `x-api-key`.
    Anthropic,
    /// Gemini's `streamGenerateContent`: `/v1beta/models/MODEL:streamGenerateContent`, `x-goog-api-key`.
    Gemini,
    /// Ollama's own; asks for the context size of the model, or 16,384 tokens: `/api/chat`, `Authorization: Bearer`.
    Ollama,
}

/// How the events of an answer follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events, or one whole body.
    Events,
    /// A JSON object a line.
    Lines,
}

/// A word that names no protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no protocol; there are {}", Protocol::words())]
pub struct NoProtocol {
    /// What was given.
    pub word: String,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Openai,
        Self::Responses,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
    ];

    /// Returns the word for it in config and flags.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Responses => "responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// How many tokens Ollama is asked to read where nothing is known of a model. By itself it
    /// reads 4,096 on most machines, and drops the beginning of what is longer without a word.
    pub const OLLAMA_CONTEXT: u64 = 16_384;

    /// Returns the protocol that is most likely spoken at an address: told by the path that it
    /// names, else by a host that is known, else Chat Completions.
    pub fn guess(base_url: &str) -> Self {
        let rest = base_url
            .split_once("://")
            .map_or(base_url, |(_, rest)| rest);
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.trim_end_matches('/');
        let authority = authority.rsplit('@').next().unwrap_or_default();
        let host = authority.split(':').next().unwrap_or_default();
        let ends = |tails: &[&str]| {
            tails.iter().any(|tail| {
                path.strip_suffix(tail)
                    .is_some_and(|head| head.is_empty() || head.ends_with('/'))
            })
        };
        if ends(&["chat/completions", "openai"]) {
            Self::Openai
        } else if ends(&["responses"]) {
            Self::Responses
        } else if ends(&["messages", "anthropic"]) || host == "api.anthropic.com" {
            Self::Anthropic
        } else if ends(&["api/chat"]) || path == "api" && authority.ends_with(":11434") {
            Self::Ollama
        } else if path.ends_with("generateContent")
            || path.ends_with("GenerateContent")
            || host == "generativelanguage.googleapis.com"
        {
            Self::Gemini
        } else {
            Self::Openai
        }
    }

    /// Returns whose provider_state a model under this protocol is given back.
    pub fn origin(self, model: &str) -> String {
        format!("{self} {model}")
    }

    /// Returns the request body for `prompt`, to be answered as a stream.
    pub fn encode(self, prompt: &Prompt, model: &str, options: &Options) -> Value {
        match self {
            Self::Openai => openai::encode(prompt, model, options),
            Self::Responses => responses::encode(prompt, model, options),
            Self::Anthropic => anthropic::encode(prompt, model, options),
            Self::Gemini => gemini::encode(prompt, model, options),
            Self::Ollama => ollama::encode(prompt, model, options),
        }
    }

    /// Returns what reads the answer to `prompt`.
    pub fn decoder(self, prompt: &Prompt, model: &str) -> Box<dyn Decode> {
        match self {
            Self::Openai => Box::new(openai::Decoder::new(prompt).of_model(model)),
            Self::Responses => responses::decoder(prompt, model),
            Self::Anthropic => anthropic::decoder(prompt, model),
            Self::Gemini => gemini::decoder(prompt, model),
            Self::Ollama => ollama::decoder(prompt),
        }
    }

    pub(crate) fn framing(self) -> Framing {
        match self {
            Self::Ollama => Framing::Lines,
            Self::Openai | Self::Responses | Self::Anthropic | Self::Gemini => Framing::Events,
        }
    }

    fn words() -> String {
        Self::ALL.map(Self::word).join(", ")
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Protocol {
    type Err = NoProtocol;

    fn from_str(word: &str) -> Result<Self, NoProtocol> {
        let word = word.trim();
        Self::ALL
            .into_iter()
            .find(|one| one.word().eq_ignore_ascii_case(word))
            .ok_or_else(|| NoProtocol {
                word: word.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_its_protocol() {
        let cases = [
            ("http://127.0.0.1:8080", "openai"),
            ("https://api.openai.com/v1", "openai"),
            ("https://api.openai.com/v1/responses", "responses"),
            ("https://api.anthropic.com", "anthropic"),
            ("https://api.anthropic.com/v1/chat/completions", "openai"),
            ("http://localhost:8080/v1/messages/", "anthropic"),
            ("https://api.deepseek.com/anthropic", "anthropic"),
            ("https://generativelanguage.googleapis.com", "gemini"),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                "openai",
            ),
            ("http://127.0.0.1:11434", "openai"),
            ("http://127.0.0.1:11434/v1", "openai"),
            ("http://127.0.0.1:11434/api/chat", "ollama"),
            ("127.0.0.1:11434/api", "ollama"),
            ("https://api.anthropic.com.evil.example", "openai"),
            ("https://evil.example/?api.anthropic.com", "openai"),
            ("https://example.com/mymessages", "openai"),
        ];
        for (address, expected) in cases {
            assert_eq!(Protocol::guess(address).word(), expected, "{address}");
        }
    }

    #[test]
    fn words_name_protocols() {
        for protocol in Protocol::ALL {
            assert_eq!(protocol.word().parse(), Ok(protocol));
        }
        assert_eq!(" Anthropic ".parse(), Ok(Protocol::Anthropic));
        let error = "claude".parse::<Protocol>().unwrap_err().to_string();
        assert_eq!(
            error,
            "\"claude\" is no protocol; there are openai, responses, anthropic, gemini, ollama"
        );
    }
}
