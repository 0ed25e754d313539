//! The built-in offline planner: a provider without a model.
//!
//! In: a prompt whose last user message is one of a few requests (docs/offline.md). Out: the
//! tool calls that carry it out, streamed like a model's, so that staging and review are the same.

use futures_util::{StreamExt, stream};
use tokio::task::yield_now;

use crate::message::{CallId, Prompt};
use crate::provider::scripted::PIECE;
use crate::provider::{About, Delta, DeltaStream, Provider, StopReason};

mod answers;
mod grammar;
mod plan;
mod situation;
mod words;

use plan::{PlannerReply, reply};

/// The built-in offline planner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Provider for Offline {
    fn about(&self) -> About {
        About {
            provider: "offline".to_owned(),
            model: "built-in planner".to_owned(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        let deltas = deltas(&reply(&prompt), prompt.messages.len());
        Box::pin(stream::iter(deltas).then(async |delta| {
            // A long reply leaves the screen time to follow.
            yield_now().await;
            Ok(delta)
        }))
    }
}

/// Returns the reply in pieces; `turn` tells its calls from those of other replies.
fn deltas(reply: &PlannerReply, turn: usize) -> Vec<Delta> {
    let text = pieces(&reply.text).map(|text| Delta::Text { text });
    let mut deltas: Vec<Delta> = text.collect();
    for (index, call) in reply.calls.iter().enumerate() {
        let id = CallId(format!("offline_{turn}_{index}"));
        deltas.push(Delta::CallStarted {
            index,
            id,
            name: call.tool.name().to_owned(),
        });
        let arguments = call.arguments.to_string();
        deltas.extend(pieces(&arguments).map(|fragment| Delta::CallArguments { index, fragment }));
    }
    let reason = match reply.calls.is_empty() {
        false => StopReason::ToolCalls,
        true if reply.unmet => StopReason::Unmet,
        true => StopReason::Stop,
    };
    deltas.push(Delta::Stop { reason });
    deltas
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let mut rest = text.chars();
    std::iter::from_fn(move || {
        let piece: String = rest.by_ref().take(PIECE).collect();
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests;
