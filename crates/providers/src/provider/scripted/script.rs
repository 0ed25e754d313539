//! The lines of a script.
//!
//! In: JSON lines. Out: answers, or the line that is not one and why.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::expect::Expect;
use crate::json;
use crate::message::CallId;
use crate::provider::{Delta, ProviderError, StopReason};

/// About as long as what a model sends at a time, in characters.
pub const PIECE: usize = 16;

/// A line of a script that is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {detail}")]
pub struct ScriptError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub detail: String,
}

/// One answer of a script.
#[derive(Clone, Debug)]
pub(super) struct ScriptedAnswer {
    pub(super) line: usize,
    /// Answers a question about a hunk, and no request of a turn.
    pub(super) is_to_question: bool,
    pub(super) expect: Expect,
    pub(super) deltas: Vec<Delta>,
    pub(super) end: End,
}

/// How an answer ends.
#[derive(Clone, Debug)]
pub(super) enum End {
    Whole,
    Error(ProviderError),
    /// It does not: until the request is cancelled.
    Hang,
}

/// Reads a script; empty lines and lines that begin with `#` are skipped.
pub(super) fn parse(text: &str) -> Result<Vec<ScriptedAnswer>, ScriptError> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, text)| answer(line, text).map_err(|detail| ScriptError { line, detail }))
        .collect()
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptLine {
    /// `true`: it answers a question about a hunk; these lines are counted apart from the others.
    #[serde(default)]
    question: bool,
    /// What must be true of the request; if it is not, the request fails and says what.
    #[serde(default)]
    expect: Expect,
    /// The pieces of the answer, in order.
    #[serde(default)]
    deltas: Vec<Value>,
    /// How the answer fails, after its deltas.
    error: Option<Failure>,
    /// `true`: after its deltas the answer never ends, until it is cancelled.
    #[serde(default)]
    hang: bool,
}

/// How an answer fails, as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
enum Failure {
    /// There is no connection.
    Connect {
        /// Where.
        url: String,
        /// Why.
        detail: String,
    },
    /// The server refuses.
    Status {
        /// The status.
        code: u16,
        /// Its words.
        message: String,
        /// The seconds that it names, if it does.
        retry_after_s: Option<u64>,
    },
    /// The connection breaks off.
    Cut {
        /// How.
        detail: String,
    },
    /// What comes is no answer.
    Malformed {
        /// What is wrong.
        detail: String,
    },
}

/// A whole call, which is played in pieces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeCall {
    /// `call`.
    #[serde(rename = "delta")]
    _call: String,
    /// Its id, if it matters.
    id: Option<CallId>,
    /// The tool.
    name: String,
    /// JSON, or text that is sent as it is.
    arguments: Value,
}

fn answer(line: usize, text: &str) -> Result<ScriptedAnswer, String> {
    let written: ScriptLine = json::parse(text).map_err(|error| error.to_string())?;
    let mut deltas = Vec::new();
    let mut calls = 0;
    for value in written.deltas {
        if value.get("delta").and_then(Value::as_str) == Some("call") {
            let call = serde_json::from_value(value).map_err(|error| error.to_string())?;
            play(call, line, calls, &mut deltas);
        } else {
            deltas.push(serde_json::from_value(value).map_err(|error| error.to_string())?);
        }
        calls = deltas
            .iter()
            .filter(|delta| matches!(delta, Delta::CallStarted { .. }))
            .count();
    }
    let end = match (written.error, written.hang) {
        (Some(_), true) => return Err("an answer cannot both fail and hang".to_owned()),
        (Some(failure), false) => End::Error(failure.into()),
        (None, true) => End::Hang,
        (None, false) => End::Whole,
    };
    if matches!(end, End::Whole) && !matches!(deltas.last(), Some(Delta::Stop { .. })) {
        let reason = if calls > 0 {
            StopReason::ToolCalls
        } else {
            StopReason::Stop
        };
        deltas.push(Delta::Stop { reason });
    }
    Ok(ScriptedAnswer {
        line,
        is_to_question: written.question,
        expect: written.expect,
        deltas,
        end,
    })
}

fn play(call: WholeCall, line: usize, index: usize, deltas: &mut Vec<Delta>) {
    let id = call
        .id
        .unwrap_or_else(|| CallId(format!("call_{line}_{index}")));
    deltas.push(Delta::CallStarted {
        index,
        id,
        name: call.name,
    });
    let arguments = match call.arguments {
        Value::String(text) => text,
        value => value.to_string(),
    };
    let mut rest = arguments.chars();
    loop {
        let fragment: String = rest.by_ref().take(PIECE).collect();
        if fragment.is_empty() {
            return;
        }
        deltas.push(Delta::CallArguments { index, fragment });
    }
}

impl From<Failure> for ProviderError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Connect { url, detail } => Self::Connect { url, detail },
            Failure::Status {
                code,
                message,
                retry_after_s,
            } => Self::Status {
                code,
                message,
                retry_after: retry_after_s.map(Duration::from_secs),
            },
            Failure::Cut { detail } => Self::Cut { detail },
            Failure::Malformed { detail } => Self::Malformed { detail },
        }
    }
}
