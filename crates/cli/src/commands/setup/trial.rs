//! Trying a model: one short request, and one that asks for a call of a tool.
//!
//! In: a server and a model. Out: what works and how long it took, a line each; of what does not, what can be done.

use std::time::Instant;

use signoff_core::quote;
use signoff_llm::provider::ProviderError;
use signoff_llm::trial::{self, CallTrial};
use signoff_setup::config::{Config, ModelChoice};
use signoff_setup::session_setup::model;
use signoff_tui::error_text::in_words;

use super::SetupRun;
use super::answers::choice;
use super::models::explained;
use crate::commands::out;

/// Characters of an answer that are shown where a call was wanted.
const SHOWN: usize = 80;

/// What came of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialOutcome {
    /// It answers and calls tools, or its calls are read out of its text.
    Works,
    /// It answers, and called no tool.
    OnlyAnswers,
    /// A request came to nothing, so that it is not known.
    Fails,
}

/// What the user does about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextMove {
    Keep,
    OtherModel,
    OtherKey,
    OtherServer,
    Stop,
}

impl TrialOutcome {
    /// Tells whether the model answers.
    pub(super) fn is_answer(self) -> bool {
        self != Self::Fails
    }

    /// Asks what to do about a trial that did not work out.
    pub(super) fn next_move(self) -> anyhow::Result<NextMove> {
        let keep = match self {
            Self::Works => return Ok(NextMove::Keep),
            Self::OnlyAnswers => "keep it",
            Self::Fails => "keep it all the same",
        };
        let moves = [
            "another model",
            "another server",
            keep,
            "another key",
            "stop",
        ];
        let moves = moves.map(str::to_owned);
        Ok(match choice("What now?", &moves, false)? {
            Some(0) => NextMove::OtherModel,
            Some(1) => NextMove::OtherServer,
            Some(2) => NextMove::Keep,
            Some(3) => NextMove::OtherKey,
            Some(_) | None => NextMove::Stop,
        })
    }
}

/// Tries a choice as it would hold in the file, and says what came of it.
pub(super) fn run(setup: &SetupRun<'_>, tried: &ModelChoice) -> anyhow::Result<TrialOutcome> {
    out::line(&format!(
        "Trying {} at {} with two short requests.",
        tried.model, tried.url
    ))?;
    let chosen = setup.draft.config(tried).and_then(|config: Config| {
        let chosen = model::choose(&config, setup.paths);
        setup.runtime.block_on(chosen)
    });
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(error) => {
            row("text", &format!("no: {}", in_words(&error)))?;
            return Ok(TrialOutcome::Fails);
        }
    };
    let takes_tools = chosen.catalogue.find(&tried.model).tools;
    let provider = chosen.provider.as_ref();
    match timed(|| setup.runtime.block_on(trial::text(provider, &mut pause))) {
        (Ok(_), seconds) => row("text", &format!("works ({seconds:.1} s)"))?,
        (Err(error), seconds) => {
            failed("text", &error, seconds)?;
            return Ok(TrialOutcome::Fails);
        }
    }
    let called = timed(|| {
        setup
            .runtime
            .block_on(trial::call(provider, takes_tools, &mut pause))
    });
    call_row(called)
}

fn call_row(
    (called, seconds): (Result<CallTrial, ProviderError>, f64),
) -> anyhow::Result<TrialOutcome> {
    let (text, outcome) = match called {
        Ok(CallTrial::Called) => (format!("work ({seconds:.1} s)"), TrialOutcome::Works),
        Ok(CallTrial::CalledInWords) => (
            format!(
                "in words ({seconds:.1} s): the model takes no tools, so they are described in the request and calls are \
                 read out of its text"
            ),
            TrialOutcome::Works,
        ),
        Ok(CallTrial::NotCalled(said)) => (
            format!(
                "none ({seconds:.1} s): it said {}. It can answer questions, and edit one file by example; other edits \
                 need a model that calls tools",
                quote::one_line(&quote::name(&said), SHOWN)
            ),
            TrialOutcome::OnlyAnswers,
        ),
        Err(error) => {
            failed("tool calls", &error, seconds)?;
            return Ok(TrialOutcome::Fails);
        }
    };
    row("tool calls", &text)?;
    Ok(outcome)
}

fn failed(what: &str, error: &ProviderError, seconds: f64) -> anyhow::Result<()> {
    row(what, &format!("no ({seconds:.1} s): {}", explained(error)))
}

fn row(what: &str, text: &str) -> anyhow::Result<()> {
    out::line(&format!("  {what:<10}  {text}"))
}

/// Says that a request is sent again after a pause.
fn pause(why: String) {
    out::remark(&why);
}

/// Returns what a step comes to, and how many seconds it took.
fn timed<T>(step: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let came = step();
    (came, begun.elapsed().as_secs_f64())
}
