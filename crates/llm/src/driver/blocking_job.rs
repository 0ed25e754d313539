//! Blocking jobs: one tool call or one engine request, run off the driver's task.
//!
//! In: what the session wants done. Out: exactly one input for it, also when the work breaks
//! down.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signoff_core::budget::{Stop, Stopped};
use signoff_core::engine::{Engine, EngineError, HunkOutcome};
use signoff_core::id::{HunkId, ProposalId};
use signoff_sandbox::network::Target;
use signoff_sandbox::polling::GLANCE;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use super::logged;
use crate::claims::{self, ChangeRecord};
use crate::code_index::Asked;
use crate::foreign::{ServerRequest, ServersReport};
use crate::message::CallId;
use crate::session::{Fault, Input, TurnId};
use crate::tool::{
    CallScope, ConversationScope, Ground, PreparedCall, Printed, ToolContext, ToolOutput, cut_short,
};

/// What a call prints is shown this often.
const BETWEEN_PRINTS: Duration = Duration::from_millis(100);

/// How long a call that was stopped may take to answer by itself.
const GRACE: Duration = Duration::from_millis(1000);

/// Said where no server is configured.
const NO_SERVER: &str = "no MCP server is configured: a table [mcp.NAME] with `command` and `args`, or with `url`, in config.toml \
                         adds one; `signoff doctor` names the file";

/// Work that ends in one input.
pub(super) struct BlockingJob {
    work: Box<dyn FnOnce() -> Input + Send>,
    /// The session's input if the work panics.
    broken: Input,
    /// How long it may take; none if it is waited for.
    limit: Option<TimeLimit>,
}

/// How long a call is waited for.
struct TimeLimit {
    call: CallId,
    stop: Stop,
    time: Duration,
}

impl BlockingJob {
    /// Runs a tool.
    pub(super) fn tool(
        (ground, conversation): (Arc<Ground>, Arc<ConversationScope>),
        scope: CallScope,
        call: PreparedCall,
        inbox: UnboundedSender<Input>,
    ) -> Self {
        let id = call.call().id.clone();
        let remarks = inbox.clone();
        let print = printer(id.clone(), inbox);
        let limit = call.time_limit().map(|time| TimeLimit {
            call: id.clone(),
            stop: scope.stop.clone(),
            time: time
                + ground
                    .hooks()
                    .map_or(Duration::ZERO, |hooks| hooks.time(&call.hooked())),
        });
        let work = move || {
            let began = Instant::now();
            let context = ToolContext::new(&ground, &conversation, &scope, &print);
            let mut output = match context.run_hooked(&call, &|text| {
                // Nobody looks any more where the conversation is over.
                let _gone = remarks.send(Input::Said(text));
            }) {
                Ok(output) => output,
                Err(why) => {
                    let call = call.call().id.clone();
                    return Input::CallHeld { call, why };
                }
            };
            if output.ok {
                output.content += &context.guidance(call.files());
            }
            let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            logged::call(call.call(), &output, took);
            let aside = context.aside();
            Input::ToolDone {
                call: call.call().id.clone(),
                output,
                took_ms: Some(took),
                aside,
            }
        };
        Self {
            work: Box::new(work),
            broken: Input::ToolDone {
                call: id,
                output: ToolOutput::failed(
                    "error: the tool broke down. No file was changed. Try another way.",
                    "the tool broke down",
                ),
                took_ms: None,
                aside: None,
            },
            limit,
        }
    }

    /// Asks the engine something; `input` makes the session's input of the answer.
    pub(super) fn engine<A>(
        ground: Arc<Ground>,
        ask: impl FnOnce(&mut Engine) -> Result<A, EngineError> + Send + 'static,
        input: impl Fn(Result<A, Fault>) -> Input + Send + 'static,
    ) -> Self {
        Self {
            broken: input(Err(Fault::broke_down())),
            work: Box::new(move || {
                let answer = ask(&mut ground.lock());
                input(answer.map_err(Fault::from))
            }),
            limit: None,
        }
    }

    /// Holds what a model said against what changed.
    pub(super) fn claims(
        ground: Arc<Ground>,
        turn: TurnId,
        (message, record): (String, ChangeRecord),
    ) -> Self {
        let input = move |sentences| Input::ClaimsJudged { turn, sentences };
        Self {
            broken: input(Vec::new()),
            work: Box::new(move || {
                let find = |asked: Asked, name: &str| ground.find_name(asked, name);
                input(claims::judge(&message, &record, &find))
            }),
            limit: None,
        }
    }

    /// Does what the user asks of servers.
    pub(super) fn servers(ground: Arc<Ground>, request: ServerRequest) -> Self {
        Self {
            work: Box::new(move || {
                let none = || ServersReport {
                    lines: vec![NO_SERVER.to_owned()],
                    ..ServersReport::default()
                };
                let servers = ground.servers();
                let stop = Stop::default();
                let report = servers.map_or_else(none, |servers| servers.report(&request, &stop));
                Input::ServersAsked(report)
            }),
            broken: Input::Failed(Fault::broke_down()),
            limit: None,
        }
    }

    /// Writes that a host may be reached to the user's configuration.
    pub(super) fn write_host_rule(ground: Arc<Ground>, target: Target) -> Self {
        Self {
            work: Box::new(move || Input::Said(ground.hosts().write_down(&target))),
            broken: Input::Failed(Fault::broke_down()),
            limit: None,
        }
    }

    /// Does the work on a blocking thread and reports.
    pub(super) async fn carry_out(self, inbox: UnboundedSender<Input>) {
        let Self {
            work,
            broken,
            limit,
        } = self;
        let work = tokio::task::spawn_blocking(work);
        let input = match limit {
            Some(limit) => limit.wait(work).await,
            None => work.await,
        };
        let input = input.unwrap_or_else(|error| {
            tracing::error!(%error, "a blocking job failed");
            broken
        });
        if inbox.send(input).is_err() {
            tracing::debug!("the result of a job is not needed any more");
        }
    }
}

/// Returns the outcomes of these hunks; without those that the store does not know any more.
pub(super) fn outcomes_of(
    engine: &mut Engine,
    hunks: &[HunkId],
) -> Result<Vec<HunkOutcome>, EngineError> {
    let mut proposals: Vec<ProposalId> = hunks.iter().map(|it| it.proposal).collect();
    proposals.dedup();
    let mut known = (engine.outcomes(&proposals, &[]))
        .inspect_err(|error| tracing::error!(%error, "what became of hunks is not known"))?
        .hunks;
    known.retain(|it| hunks.contains(&it.hunk));
    Ok(known)
}

impl TimeLimit {
    /// Waits for a call, but not longer than it may take; one that is stopped is given a moment to
    /// answer by itself. One that does not is answered for: it can have no effect from then on.
    async fn wait(self, mut work: JoinHandle<Input>) -> Result<Input, JoinError> {
        let mut left = self.time;
        let why = loop {
            if let Ok(done) = timeout(GLANCE, &mut work).await {
                return done;
            }
            left = left.saturating_sub(GLANCE);
            if left.is_zero() {
                self.stop.stop(Stopped::Late);
            }
            match self.stop.why() {
                Some(why) => break why,
                // It has taken effect, and answers for itself.
                None if left.is_zero() => return work.await,
                None => {}
            }
        };
        if let Ok(done) = timeout(GRACE, &mut work).await {
            return done;
        }
        tracing::warn!(call = %self.call, ?why, "a tool does not end");
        Ok(Input::ToolDone {
            call: self.call,
            output: cut_short(why),
            took_ms: None,
            aside: None,
        })
    }
}

/// Returns what passes on to the session what a call prints, but not more often than can be
/// read.
fn printer(call: CallId, inbox: UnboundedSender<Input>) -> impl Fn(Printed) + Send + Sync {
    let last: Mutex<Option<Instant>> = Mutex::new(None);
    move |Printed { tail, lines }| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < BETWEEN_PRINTS) {
            return;
        }
        *last = Some(Instant::now());
        let call = call.clone();
        // Nobody looks any more: the call's end is noticed elsewhere.
        let _gone = inbox.send(Input::ToolOutput { call, tail, lines });
    }
}

#[cfg(test)]
mod tests;
