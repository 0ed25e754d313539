//! Plays a recorded exchange, for tests and `--replay FILE`.
//!
//! In: JSON lines, one answer each (docs/replay.md). Out: the n-th request gets the n-th
//! answer, if it is the request that the line expects. Questions about hunks have lines of their own, if there are any.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{StreamExt, stream};
use tokio::task::yield_now;

use super::{About, Delta, DeltaStream, Provider, ProviderError};
use crate::message::Prompt;

mod expect;
mod script;

use script::{End, ScriptedAnswer};
pub use script::{PIECE, ScriptError};

/// Plays a recorded exchange. Clones share their place in it.
#[derive(Clone, Debug)]
pub struct Scripted {
    turns: RecordedAnswers,
    questions: RecordedAnswers,
}

/// Answers, and the prompts that they were given to.
#[derive(Clone, Debug)]
struct RecordedAnswers {
    answers: Arc<[ScriptedAnswer]>,
    prompts: Arc<Mutex<Vec<Prompt>>>,
}

impl Scripted {
    /// Reads a script.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let answers = script::parse(text)?;
        let (questions, turns) = answers
            .into_iter()
            .partition(|answer| answer.is_to_question);
        let [turns, questions]: [Vec<ScriptedAnswer>; 2] = [turns, questions];
        Ok(Self {
            turns: RecordedAnswers::new(turns),
            questions: RecordedAnswers::new(questions),
        })
    }

    /// Returns the prompts of turns received so far, oldest first.
    pub fn prompts(&self) -> Vec<Prompt> {
        self.turns.prompts().clone()
    }

    /// Returns how many answers to requests of turns are left.
    pub fn left(&self) -> usize {
        let asked = self.turns.prompts().len();
        self.turns.answers.len().saturating_sub(asked)
    }
}

impl RecordedAnswers {
    fn new(answers: Vec<ScriptedAnswer>) -> Self {
        Self {
            answers: answers.into(),
            prompts: Arc::default(),
        }
    }

    fn prompts(&self) -> MutexGuard<'_, Vec<Prompt>> {
        self.prompts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a prompt, and returns the answer that is due.
    fn due(&self, prompt: Prompt) -> Result<ScriptedAnswer, ProviderError> {
        let mut prompts = self.prompts();
        let number = prompts.len();
        let fits = match self.answers.get(number) {
            None => Err(format!("it has no answer to request {}", number + 1)),
            Some(answer) => match answer.expect.unmet(&prompt) {
                None => Ok(answer.clone()),
                Some(why) => Err(format!("line {}: {why}", answer.line)),
            },
        };
        prompts.push(prompt);
        fits.map_err(|detail| ProviderError::Replay { detail })
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        let (deltas, end) = match self.due(prompt) {
            Ok(answer) => (answer.deltas, answer.end),
            Err(error) => (Vec::new(), End::Error(error)),
        };
        let deltas = stream::iter(deltas).then(async |delta: Delta| {
            // Each piece is seen on its own, as one that came over a network.
            yield_now().await;
            Ok(delta)
        });
        match end {
            End::Whole => Box::pin(deltas),
            End::Error(error) => Box::pin(deltas.chain(stream::iter([Err(error)]))),
            End::Hang => Box::pin(deltas.chain(stream::pending())),
        }
    }
}

impl Provider for Scripted {
    fn about(&self) -> About {
        About {
            provider: "scripted".to_owned(),
            model: "replay".to_owned(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        self.turns.stream(prompt)
    }

    fn stream_beside(&self, prompt: Prompt) -> DeltaStream {
        if self.questions.answers.is_empty() {
            self.turns.stream(prompt)
        } else {
            self.questions.stream(prompt)
        }
    }
}

#[cfg(test)]
mod tests;
