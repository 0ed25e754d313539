//! Requests beside the turn's: questions about hunks.
//!
//! In: a request. Out: the pieces of its answer and its end, as inputs. Each runs as a task of its own, so the answer of
//! the turn arrives meanwhile. Dropping all cancels all.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;

use crate::message::Prompt;
use crate::provider::Provider;
use crate::session::{Input, RequestId};

/// The requests that run.
#[derive(Default)]
pub(super) struct Asides(HashMap<RequestId, AbortHandle>);

impl Asides {
    /// Sends a request.
    pub(super) fn send(
        &mut self,
        request: RequestId,
        provider: Arc<dyn Provider>,
        prompt: Prompt,
        inbox: UnboundedSender<Input>,
    ) {
        self.0.retain(|_, task| !task.is_finished());
        let task = tokio::spawn(async move {
            let mut pieces = provider.stream_beside(prompt);
            let result = loop {
                match pieces.next().await {
                    Some(Ok(delta)) => {
                        if inbox.send(Input::Delta { request, delta }).is_err() {
                            return;
                        }
                    }
                    Some(Err(error)) => break Err(error),
                    None => break Ok(()),
                }
            };
            // The conversation may be over.
            let _sent = inbox.send(Input::RequestEnded { request, result });
        });
        self.0.insert(request, task.abort_handle());
    }

    /// Drops a request.
    pub(super) fn cancel(&mut self, request: RequestId) {
        if let Some(task) = self.0.remove(&request) {
            task.abort();
        }
    }
}

impl Drop for Asides {
    fn drop(&mut self) {
        self.0.values().for_each(AbortHandle::abort);
    }
}
