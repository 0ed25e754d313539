//! Agents at work: each is a session of its own over the ground of the conversation that started it.
//!
//! In: calls of `delegate`. Out: what each agent does, in one line; what it asks and uses; and once it has ended, the answer
//! to the call: its last words and its proposals. An agent writes nothing down and starts no agents.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use signoff_core::id::ProposalId;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_core::stage::review::{Proposer, StagedProposals};
use tokio::sync::mpsc::{UnboundedSender, WeakUnboundedSender};

use super::Shell;
use super::agent_session::AgentSession;
use crate::instructions::bounded;
use crate::message::CallId;
use crate::mode::Mode;
use crate::provider::Usage;
use crate::session::{
    AgentQuestion, CallEvent, Command, ConversationState, Event, Grant, Input, TurnEnd,
};
use crate::tool::{Aside, ConversationScope, Ground, PreparedCall, ToolOutput};
use crate::usage::Prices;

/// Maximum size of an agent's last words in the answer, in bytes.
const MOST_SAID: usize = 8 * 1024;

/// Maximum number of proposals named in the answer.
const MOST_NAMED: usize = 50;

/// Maximum length of the line about what an agent does, in characters.
const MOST_SHOWN: usize = 160;

/// The agents of a conversation that have not ended, by the call that started each. Each ends once its turn has.
#[derive(Default)]
pub(super) struct RunningAgents(HashMap<CallId, WeakUnboundedSender<Command>>);

impl RunningAgents {
    /// Passes on what the user says of a call of an agent.
    pub(super) fn permit(&self, delegate: &CallId, call: CallId, grant: Grant) {
        self.tell(delegate, Command::Permit { call, grant });
    }

    /// Stops an agent; what it staged stays.
    pub(super) fn cancel(&self, delegate: &CallId) {
        self.tell(delegate, Command::Cancel);
    }

    /// Stops all of them.
    pub(super) fn cancel_all(&self) {
        self.0.keys().for_each(|delegate| self.cancel(delegate));
    }

    fn tell(&self, delegate: &CallId, command: Command) {
        let sender = self.0.get(delegate).and_then(WeakUnboundedSender::upgrade);
        // One that has ended needs to be told nothing.
        let _gone = sender.map(|sender| sender.send(command));
    }
}

impl Shell {
    /// Starts the agent of a call, or answers why it cannot be started.
    pub(super) fn start_agent(&mut self, call: &PreparedCall) {
        let id = call.call().id.clone();
        match self.prepared_agent(call) {
            Ok(work) => {
                self.agents.0.retain(|_, sender| sender.strong_count() > 0);
                self.agents.0.insert(id.clone(), work.session.commands());
                tokio::spawn(work.carry_out(id, self.wires.inbox.clone()));
            }
            Err(error) => {
                let output =
                    ToolOutput::failed(format!("error: {error}. Nothing was changed."), error);
                send(&self.wires.inbox, done(id, output, None));
            }
        }
    }

    fn prepared_agent(&self, call: &PreparedCall) -> Result<AgentWork, String> {
        let delegation = call.delegation().ok_or("the call names no agent")?;
        let found = self.session.agent(&delegation.agent);
        let (agent, config, mode) = found.ok_or("there is no agent of this name")?;
        let provider = match agent.model() {
            None => Arc::clone(&self.provider),
            Some(model) => self.provider.with_model(model).ok_or_else(|| {
                let agent = agent.name();
                format!("the model {model} of the agent {agent} cannot be asked here")
            })?,
        };
        let model = provider.about().model;
        let prices = config.catalogue.find(&model).price.map(Prices::from);
        let proposer = Proposer::Agent {
            name: agent.name().to_owned(),
            model,
        };
        let scope = ConversationScope::new(self.scope.id().to_owned(), proposer)
            .on_request(self.session.request());
        let mode = (mode == Mode::Plan).then_some(Command::SetMode(mode));
        let task = Command::Submit(delegation.task.clone());
        Ok(AgentWork {
            name: agent.name().to_owned(),
            ground: Arc::clone(&self.ground),
            session: AgentSession::new(self, config, provider, scope),
            begin: mode.into_iter().chain([task]).collect(),
            report: AgentReport {
                call: call.call().id.clone(),
                inbox: self.wires.inbox.clone(),
                prices,
            },
        })
    }
}

/// An agent that is about to work.
struct AgentWork {
    name: String,
    ground: Arc<Ground>,
    session: AgentSession,
    begin: Vec<Command>,
    report: AgentReport,
}

impl AgentWork {
    /// Works to the end, and answers the call exactly once, also if the work breaks down.
    async fn carry_out(self, call: CallId, inbox: UnboundedSender<Input>) {
        let began = Instant::now();
        let work = tokio::spawn(self.work());
        let output = work.await.unwrap_or_else(|error| {
            tracing::error!(%error, "an agent broke down");
            ToolOutput::failed(
                "error: the agent broke down. What it staged waits for the user.",
                "the agent broke down",
            )
        });
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        send(&inbox, done(call, output, Some(took)));
    }

    /// Runs the session of the agent. Boxed, since a session that starts agents runs sessions.
    fn work(self) -> std::pin::Pin<Box<dyn Future<Output = ToolOutput> + Send>> {
        let Self {
            name,
            ground,
            session,
            begin,
            report,
        } = self;
        Box::pin(async move {
            let watch = |state: &ConversationState, event| report.take(state, event);
            let mut state = session.turn(begin, watch).await;
            let ids = std::mem::take(&mut state.staged);
            let read = tokio::task::spawn_blocking(move || staged(&ground, ids));
            let staged = read.await.unwrap_or_else(|error| {
                tracing::error!(%error, "what an agent staged is not known");
                StagedProposals::default()
            });
            answer(&name, &state, staged)
        })
    }
}

/// Returns the proposals of these ids that wait.
fn staged(ground: &Ground, new: BTreeSet<ProposalId>) -> StagedProposals {
    match ground.lock().listing() {
        Ok(listing) => StagedProposals { listing, new },
        Err(error) => {
            tracing::error!(%error, "what an agent staged is not known");
            StagedProposals::default()
        }
    }
}

fn done(call: CallId, output: ToolOutput, took_ms: Option<u64>) -> Input {
    Input::ToolDone {
        call,
        output,
        took_ms,
        aside: None,
    }
}

fn send(inbox: &UnboundedSender<Input>, input: Input) {
    if inbox.send(input).is_err() {
        tracing::debug!("the conversation of an agent has ended");
    }
}

/// Where the work of an agent is told.
struct AgentReport {
    call: CallId,
    inbox: UnboundedSender<Input>,
    prices: Option<Prices>,
}

impl AgentReport {
    /// Takes what the agent's session shows, and how that stands by then.
    fn take(&self, state: &ConversationState, event: Event) {
        match event {
            Event::Used(usage) => self.spend(usage),
            Event::Call(call) => self.show(state, &call),
            Event::PermissionAsked {
                call,
                tool,
                subject,
            } => {
                let question = AgentQuestion {
                    delegate: self.call.clone(),
                    call,
                    tool,
                    subject,
                };
                send(&self.inbox, Input::AgentAsks(question));
            }
            _ => {}
        }
    }

    fn spend(&self, usage: Usage) {
        let cost = self.prices.map(|prices| prices.cost(&usage));
        send(&self.inbox, Input::AgentSpent(Aside { usage, cost }));
    }

    /// Shows what the agent does, in one line.
    fn show(&self, state: &ConversationState, call: &CallEvent) {
        let Some((topic, text)) = call.line() else {
            return;
        };
        let doing = format!("{topic}: {text}");
        let tokens = state.spent.tokens();
        let used = format!("{}, {tokens} tokens", requests(state));
        let input = Input::ToolOutput {
            call: self.call.clone(),
            tail: format!("{} ({used})", quote::one_line(&doing, MOST_SHOWN)),
            lines: 1,
        };
        send(&self.inbox, input);
    }
}

fn requests(state: &ConversationState) -> String {
    let requests = usize::try_from(state.spent.requests);
    counted(requests.unwrap_or(usize::MAX), "request")
}

/// Returns the answer to the call that started the agent.
fn answer(name: &str, state: &ConversationState, staged: StagedProposals) -> ToolOutput {
    let requests = requests(state);
    let stopped = match state.end.unwrap_or(TurnEnd::Failed) {
        TurnEnd::Done | TurnEnd::Review => None,
        TurnEnd::Unmet => Some("could not do the task".to_owned()),
        TurnEnd::Cancelled => Some("was stopped before its end".to_owned()),
        TurnEnd::Limit => Some("was stopped at its limit".to_owned()),
        TurnEnd::Failed => Some(match &state.fault {
            Some(fault) => format!("failed: {}", quote::one_line(&fault.message, MOST_SHOWN)),
            None => "failed".to_owned(),
        }),
    };
    let last_words = state.said.trim();
    let said = match last_words {
        "" => "(it said nothing at the end)".to_owned(),
        said => bounded(said, MOST_SAID),
    };
    let end = stopped.as_deref().unwrap_or("is done");
    let mut content = format!("The agent {name} {end}, after {requests}. It says:\n{said}\n");
    let proposals = counted(staged.len(), "proposal");
    if let Some(first) = staged.iter().next() {
        content += &format!(
            "\nIt staged {proposals} in changeset {}; they wait for the user:\n",
            first.changeset
        );
        for own in staged.iter().take(MOST_NAMED) {
            let (path, description) = (quote::name(&own.path), &own.description);
            let description = quote::one_line(description, MOST_SHOWN);
            content += &format!("- {} {path}: {description}\n", own.id);
        }
    } else {
        content += "\nIt staged nothing.\n";
    }
    let summary = format!("{end}, {requests}, {proposals}");
    ToolOutput {
        ok: stopped.is_none(),
        staged: Box::new(staged),
        said: (!last_words.is_empty()).then(|| last_words.to_owned()),
        ..ToolOutput::done(content, summary)
    }
}
