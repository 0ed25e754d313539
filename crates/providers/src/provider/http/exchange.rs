//! One request and its retries.
//!
//! In: a request that can be sent again. Out: deltas; pauses and attempts are deltas too, so
//! that the user sees them. Dropping it cancels whatever it waits for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Response;
use tokio::time::{sleep, timeout};

use super::Shared;
use super::answer::AnswerReader;
use super::fault::{cut, root_cause};
use crate::provider::wire::Decode;
use crate::provider::{Delta, ProviderError, StopReason};

/// One request and its answer.
pub(super) struct Exchange {
    server: Arc<Shared>,
    body: Vec<u8>,
    /// As it is before anything came, for the next attempt.
    decoder: Box<dyn Decode>,
    attempt: u32,
    stage: Stage,
    ready: VecDeque<Result<Delta, ProviderError>>,
    has_begun: bool,
}

enum Stage {
    Pause(Duration),
    Send,
    Read(Box<(Response, AnswerReader)>),
    Over,
}

impl Exchange {
    /// Returns a request that is not yet sent.
    pub(super) fn new(server: Arc<Shared>, body: Vec<u8>, decoder: Box<dyn Decode>) -> Self {
        Self {
            server,
            body,
            decoder,
            attempt: 1,
            stage: Stage::Send,
            ready: VecDeque::new(),
            has_begun: false,
        }
    }

    /// Returns the next delta, and the exchange to ask for the one after it.
    pub(super) async fn next(mut self) -> Option<(Result<Delta, ProviderError>, Self)> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some((item, self));
            }
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Over => return None,
                Stage::Pause(wait) => {
                    sleep(wait).await;
                    self.stage = Stage::Send;
                }
                Stage::Send => match self.server.send(self.body.clone()).await {
                    Ok(response) => {
                        let answer =
                            AnswerReader::new(self.decoder.copy(), self.server.protocol.framing());
                        self.stage = Stage::Read(Box::new((response, answer)));
                    }
                    Err(error) => self.fail(error),
                },
                Stage::Read(reading) => self.read(reading).await,
            }
        }
    }

    async fn read(&mut self, mut reading: Box<(Response, AnswerReader)>) {
        let (response, answer) = &mut *reading;
        let closing = answer.is_closing();
        let limits = &self.server.timeouts;
        let wait = if closing { limits.closing } else { limits.idle };
        let items = match timeout(wait, response.chunk()).await {
            Ok(Ok(Some(bytes))) => answer.push(&bytes),
            // The answer is whole; how the connection ends is the server's business.
            Ok(Ok(None)) => answer.finish(),
            Ok(Err(_)) | Err(_) if closing => answer.finish(),
            Ok(Err(error)) => vec![Err(cut(root_cause(&error)))],
            Err(_) => vec![Err(cut(format!(
                "nothing came for {} s",
                wait.as_secs_f64()
            )))],
        };
        if !answer.is_ended() {
            self.stage = Stage::Read(reading);
        }
        for item in items {
            match item {
                Ok(mut delta) => {
                    if let Delta::Stop {
                        reason: StopReason::Other(word),
                    } = &mut delta
                    {
                        *word = self.server.secrets.shown(word);
                    }
                    self.has_begun = true;
                    self.ready.push_back(Ok(delta));
                }
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Begins another attempt if nothing has come and the schedule allows it; else it is over.
    fn fail(&mut self, error: ProviderError) {
        let error = self.server.shown(error);
        let wait = self
            .server
            .schedule
            .wait(self.attempt, &error)
            .filter(|_| !self.has_begun);
        let Some(wait) = wait else {
            self.stage = Stage::Over;
            return self.ready.push_back(Err(error));
        };
        self.attempt += 1;
        tracing::debug!(attempt = self.attempt, %error, "retrying");
        self.stage = Stage::Pause(wait);
        self.ready.push_back(Ok(Delta::Retrying {
            reason: error.to_string(),
            attempt: self.attempt,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
        }));
    }
}
