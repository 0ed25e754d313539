//! Blocking jobs: one tool call or one engine request, run off the driver's task.
//!
//! In: what the session wants done. Out: exactly one input for it, also when the work breaks
//! down.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signoff_core::budget::{Stop, Stopped};
use signoff_core::engine::{AroundRequest, CodeColours, Engine, EngineError, LinesAround};
use signoff_core::id::{ChangesetId, HunkId, ProposalId};
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::{ProposalView, Ruling};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use super::logged;
use crate::instructions::Given;
use crate::message::CallId;
use crate::session::{ChangeAnswer, ChangeQuery, Fault, FaultKind, Input};
use crate::tool::{Ground, PreparedCall, Printed, Reads, ToolContext, ToolOutput, cut_short, lock};

mod reverting;

/// What a call prints is shown this often.
const BETWEEN_PRINTS: Duration = Duration::from_millis(100);

/// How often it is looked whether a call was stopped.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a call that was stopped may take to answer by itself.
const GRACE: Duration = Duration::from_millis(1000);

/// What all jobs share.
pub(super) struct ToolEnv {
    pub(super) engine: Arc<Mutex<Engine>>,
    pub(super) ground: Arc<Ground>,
    /// The conversation, for the record of where a proposal came from.
    pub(super) session: String,
    pub(super) model: String,
    /// What tools have read, while it is still so.
    pub(super) reads: Arc<Reads>,
    /// Which instructions of inner folders are in the conversation.
    pub(super) guided: Arc<Mutex<Given>>,
}

/// What the calls of one turn share.
#[derive(Clone)]
pub(super) struct CallScope {
    pub(super) changeset: ChangesetId,
    /// Cancels the call.
    pub(super) stop: Stop,
}

/// Work that ends in one input.
pub(super) struct BlockingJob {
    work: Box<dyn FnOnce() -> Input + Send>,
    /// The session's input if the work panics.
    broken: Input,
    /// How long it may take; none if it is waited for.
    limit: Option<Limit>,
}

/// How long a call is waited for.
struct Limit {
    call: CallId,
    stop: Stop,
    time: Duration,
}

impl ToolEnv {
    /// Returns the same for another conversation.
    pub(super) fn in_session(&self, session: String) -> Self {
        Self {
            engine: Arc::clone(&self.engine),
            ground: Arc::clone(&self.ground),
            session,
            model: self.model.clone(),
            reads: Arc::clone(&self.reads),
            guided: Arc::default(),
        }
    }

    /// Forgets which instructions were told.
    pub(super) fn forget(&self) {
        let mut guided = self.guided.lock().unwrap_or_else(PoisonError::into_inner);
        *guided = Given::default();
    }

    /// Returns the instructions of the folders that a call's files are in, those of outer
    /// folders first, as far as they were not told yet.
    fn guidance(&self, call: &PreparedCall, context: &ToolContext<'_>) -> String {
        let given = || self.guided.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        let unseen = given().unseen(call.files());
        for file in unseen {
            if let Ok(Some(found)) = context.read(&file) {
                text += &given().take(&file, &found);
            }
        }
        text
    }

    /// Returns the same with another model in the record.
    pub(super) fn with_model(&self, model: &str) -> Self {
        Self {
            engine: Arc::clone(&self.engine),
            ground: Arc::clone(&self.ground),
            session: self.session.clone(),
            model: model.to_owned(),
            reads: Arc::clone(&self.reads),
            guided: Arc::clone(&self.guided),
        }
    }
}

impl BlockingJob {
    /// Runs a tool.
    pub(super) fn tool(
        env: Arc<ToolEnv>,
        scope: CallScope,
        call: PreparedCall,
        inbox: UnboundedSender<Input>,
    ) -> Self {
        let id = call.call().id.clone();
        let print = printer(id.clone(), inbox);
        let limit = call.time_limit().map(|time| Limit {
            call: id.clone(),
            stop: scope.stop.clone(),
            time,
        });
        let work = move || {
            let origin = Origin {
                session: env.session.clone(),
                call: call.call().id.0.clone(),
                model: env.model.clone(),
            };
            let began = Instant::now();
            let tools = (&*env.engine, &*env.ground);
            let context = ToolContext::new(tools, origin, scope.changeset, &scope.stop, &print);
            let context = context.with_reads(&env.reads);
            let mut output = call.run(&context);
            if output.ok {
                output.content += &env.guidance(&call, &context);
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

    /// Carries verdicts out.
    pub(super) fn decide(env: Arc<ToolEnv>, rulings: Vec<Ruling>) -> Self {
        Self {
            work: Box::new(move || {
                let outcome = lock(&env.engine).decide(&rulings);
                Input::Decided(outcome.map_err(|error| fault(&error)))
            }),
            broken: Input::Decided(Err(broke_down())),
            limit: None,
        }
    }

    /// Reads the review list.
    pub(super) fn read_review(env: Arc<ToolEnv>) -> Self {
        Self {
            work: Box::new(move || {
                let outcome = lock(&env.engine).review();
                Input::Reviewed(outcome.map_err(|error| fault(&error)))
            }),
            broken: Input::Reviewed(Err(broke_down())),
            limit: None,
        }
    }

    /// Reads what became of hunks.
    pub(super) fn read_outcomes(env: Arc<ToolEnv>, hunks: Vec<HunkId>) -> Self {
        Self {
            work: Box::new(move || {
                let mut proposals: Vec<ProposalId> = hunks.iter().map(|it| it.proposal).collect();
                proposals.dedup();
                let outcomes = lock(&env.engine).outcomes(&proposals, &[]);
                let known = outcomes
                    .map(|outcomes| outcomes.hunks)
                    .unwrap_or_else(|error| {
                        tracing::error!(%error, "what became of hunks is not known");
                        Vec::new()
                    });
                let asked = known.into_iter().filter(|it| hunks.contains(&it.hunk));
                Input::OutcomesRead(asked.collect())
            }),
            broken: Input::OutcomesRead(Vec::new()),
            limit: None,
        }
    }

    /// Finds the colours of a proposal's lines. What cannot be coloured stays plain.
    pub(super) fn colour(env: Arc<ToolEnv>, view: ProposalView) -> Self {
        let plain = CodeColours {
            proposal: view.id,
            hunks: Vec::new(),
            off: None,
        };
        let broken = Input::Coloured(plain.clone());
        Self {
            work: Box::new(move || {
                let uncoloured = lock(&env.engine).uncoloured(view);
                let colours = uncoloured.map(|uncoloured| uncoloured.colours());
                Input::Coloured(colours.unwrap_or_else(|error| {
                    tracing::warn!(%error, "no colours");
                    plain
                }))
            }),
            broken,
            limit: None,
        }
    }

    /// Reads lines around a hunk.
    pub(super) fn read_around(env: Arc<ToolEnv>, request: AroundRequest) -> Self {
        let (hunk, lines) = (request.hunk, request.lines);
        let missing = move |why: String| {
            Input::AroundRead(LinesAround {
                hunk,
                lines,
                above: Vec::new(),
                below: Vec::new(),
                is_cut: false,
                missing: Some(why),
            })
        };
        let broken = missing(broke_down().message);
        Self {
            work: Box::new(move || match lock(&env.engine).lines_around(&request) {
                Ok(around) => Input::AroundRead(around),
                Err(error) => missing(error.to_string()),
            }),
            broken,
            limit: None,
        }
    }

    /// Proposes an edit at the place that the user chose.
    pub(super) fn place(env: Arc<ToolEnv>, question: u64, choice: usize) -> Self {
        Self {
            work: Box::new(move || {
                let placed = lock(&env.engine).place(question, choice);
                Input::Placed(placed.map_err(|error| fault(&error)))
            }),
            broken: Input::Placed(Err(broke_down())),
            limit: None,
        }
    }

    /// Finds what there is to see of changes. Texts are compared without the engine's lock.
    pub(super) fn query(env: Arc<ToolEnv>, query: ChangeQuery) -> Self {
        Self {
            work: Box::new(move || {
                let answer = match query {
                    ChangeQuery::Diff(scope) => {
                        let texts = lock(&env.engine).scoped_texts(scope, &env.session);
                        texts.map(|texts| ChangeAnswer::Diff(texts.diff()))
                    }
                    ChangeQuery::Blame(hunk) => {
                        let blame = lock(&env.engine).hunk_blame(hunk);
                        blame.map(ChangeAnswer::Blame)
                    }
                    ChangeQuery::Unplaced => {
                        Ok(ChangeAnswer::Unplaced(lock(&env.engine).unplaced()))
                    }
                    ChangeQuery::Placement(proposal) => {
                        let placement = lock(&env.engine).placement(proposal);
                        placement.map(ChangeAnswer::Placement)
                    }
                };
                Input::QueryAnswered(answer.map_err(|error| fault(&error)))
            }),
            broken: Input::QueryAnswered(Err(broke_down())),
            limit: None,
        }
    }

    /// Reads the newest history.
    pub(super) fn read_history(env: Arc<ToolEnv>) -> Self {
        Self {
            work: Box::new(move || {
                let outcome = lock(&env.engine).history(None);
                Input::HistoryRead(outcome.map_err(|error| fault(&error)))
            }),
            broken: Input::HistoryRead(Err(broke_down())),
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

impl Limit {
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

fn fault(error: &EngineError) -> Fault {
    let kind = match error {
        EngineError::Access(_) | EngineError::NotText { .. } | EngineError::Commit(_) => {
            FaultKind::Files
        }
        EngineError::Store(_) | EngineError::Misfit(_) | EngineError::Misplaced => FaultKind::Store,
    };
    Fault {
        kind,
        message: error.to_string(),
        hint: None,
    }
}

fn broke_down() -> Fault {
    Fault {
        kind: FaultKind::Store,
        message: "signoff broke down on this; look at the review list before you go on".to_owned(),
        hint: Some("please report it".to_owned()),
    }
}

#[cfg(test)]
mod tests;
