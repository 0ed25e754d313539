//! Receiving an answer, and detecting silence.
//!
//! In: a request and a pause before it. Out: pieces as inputs, and word of a server that says
//! nothing for a while.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::time::{Instant, sleep, timeout_at};

use crate::message::Prompt;
use crate::provider::{Delta, DeltaStream, Provider};
use crate::session::{Input, RequestId};

/// A server that says nothing for so long is worth a word.
pub(super) const SILENCE: Duration = Duration::from_secs(10);

/// An answer that comes in.
pub(super) struct Listening {
    pub(super) request: RequestId,
    pieces: DeltaStream,
    /// When something last came.
    heard: Instant,
    /// True once the silence since then was told.
    told: bool,
    /// How long a silence is before it is reported.
    silence: Duration,
}

impl Listening {
    /// Sends a request after a pause.
    pub(super) fn new(
        request: RequestId,
        provider: Arc<dyn Provider>,
        prompt: Prompt,
        pause: Duration,
        silence: Duration,
    ) -> Self {
        let pieces: DeltaStream = if pause.is_zero() {
            provider.stream(prompt)
        } else {
            Box::pin(
                stream::once(async move {
                    sleep(pause).await;
                    provider.stream(prompt)
                })
                .flatten(),
            )
        };
        Self {
            request,
            pieces,
            heard: Instant::now() + pause,
            told: false,
            silence,
        }
    }
}

/// Returns the next piece of the answer that comes in; without one it never returns. Nothing
/// is lost if it is dropped before.
pub(super) async fn next_piece(listening: &mut Option<Listening>) -> Input {
    let Some(answer) = listening else {
        return pending().await;
    };
    let request = answer.request;
    let next = answer.pieces.next();
    let item = if answer.told {
        next.await
    } else {
        match timeout_at(answer.heard + answer.silence, next).await {
            Ok(item) => item,
            Err(_) => {
                answer.told = true;
                let seconds = answer.silence.as_secs().max(1);
                return Input::Silent { request, seconds };
            }
        }
    };
    answer.heard = Instant::now();
    answer.told = false;
    // Nothing is to come before the pause is over.
    if let Some(Ok(Delta::Retrying { wait_ms, .. })) = &item {
        answer.heard += Duration::from_millis(*wait_ms);
    }
    let result = match item {
        Some(Ok(delta)) => return Input::Delta { request, delta },
        Some(Err(error)) => Err(error),
        None => Ok(()),
    };
    *listening = None;
    Input::RequestEnded { request, result }
}
