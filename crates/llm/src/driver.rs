//! Driver: performs the session's effects and feeds its inputs.
//!
//! In: commands. Out: events. The only `select!` of the crate is here; whatever touches files
//! runs on blocking threads, and what may change something runs one after another.
//!
//! Performs effects and feeds inputs. Questions about hunks run as tasks of their own (`asides`). Staging calls,
//! verdicts and reverts run one after another on blocking threads; observing calls run beside them.
//!
//! **Invariant:** no state of a session is global to the process: a driver owns its ground, engine included.
//! Several run side by side, over engines of their own or over one (`driver/tests/side_by_side`).
//!
//! `agents` runs the agents of a turn: each is a session of its own over the same ground, with a changeset of its
//! own. Its calls are judged by the same rules, and what needs permission is asked in the conversation that started
//! it; what it uses counts for that turn, which ends it where a limit is reached. It ends with the turn. Three work
//! at once (`session/turn/round`).
//!
//! **Invariant:** of the review agent's session nothing reaches that of the conversation but comments, what it
//! used, and its end. What it reads of the stage (`Engine::unshown`) is no list for verdicts, and what any agent
//! reads of files (`Engine::begin_glance`) not as known to the conversation's model, which is told what the user
//! changes.
//!
//! **Invariant:** an agent's call is answered exactly once, also when the agent breaks down.
//!
//! **Invariant:** the only `select!` of the crate. Every blocking job ends in exactly one input, also when it
//! breaks down.
//!
//! **Invariant:** once no more commands can come, what was already decided is still carried out, and what was said
//! is written down.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use signoff_core::budget::{Stop, Stopped};
use signoff_core::engine::{Engine, EngineError};
use signoff_core::id::{ChangesetId, Timestamp};
use signoff_core::stage::review::Proposer;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::memory::{Memory, now_ms};
use crate::message::{CallId, Prompt};
use crate::permission::outward;
use crate::provider::Provider;
use crate::query_lane::QueryLane;
use crate::session::{Command, Config, Effect, Event, Fault, Input, RequestId, Session, TurnId};
use crate::tool::{CallScope, ConversationScope, Ground, PreparedCall, Reach, Registry};

mod agent_session;
mod agents;
mod asides;
mod blocking_job;
mod building;
mod checking;
mod critiquing;
mod hosts;
mod listening;
mod logged;
mod model_choice;
mod one_turn;
mod preparing;
mod session_writer;
mod trust;

use agents::RunningAgents;
use asides::Asides;
use blocking_job::BlockingJob;
use checking::Checking;
use critiquing::Critiquing;
use listening::{Listening, SILENCE, next_piece};
#[cfg(test)]
use one_turn::exec;
pub use one_turn::{one_look, one_turn};
use preparing::BeforePrompt;
pub use preparing::{LookAround, ReadImages, SayWait};
use session_writer::{Job, SessionWriter};
pub use trust::FoundModel;
use trust::WORKSPACES_HOOKS;

/// One conversation with a provider about the files of an engine.
pub struct Driver {
    provider: Arc<dyn Provider>,
    ground: Ground,
    config: Config,
    hint: Option<String>,
    memory: Option<Memory>,
    look: BeforePrompt,
    silence: Duration,
    /// Whether the user is asked about hooks that came with the workspace.
    asks_for_trust: bool,
    found: Option<FoundModel>,
    queries: QueryLane,
}

impl Driver {
    /// Returns a conversation with all tools in which nothing was said.
    pub fn new(provider: Arc<dyn Provider>, engine: Arc<Mutex<Engine>>) -> Self {
        Self {
            queries: QueryLane::new(Arc::clone(&engine), Arc::clone(&provider)),
            provider,
            ground: Ground::new(engine),
            config: Config::new(Registry::standard()),
            hint: None,
            memory: None,
            look: BeforePrompt::default(),
            silence: SILENCE,
            asks_for_trust: false,
            found: None,
        }
    }

    /// Returns where the conversation is asked while it runs.
    pub fn queries(&self) -> QueryLane {
        self.queries.clone()
    }

    /// Runs until no more commands can come; what was decided by then is still carried out.
    pub async fn run(
        mut self,
        commands: UnboundedReceiver<Command>,
        on_event: impl FnMut(Event) + Send,
    ) {
        let memory = self.memory.take();
        self.config.remember = memory.is_some();
        let recall = memory.as_ref().map(|memory| memory.recall.clone());
        let (wires, ends) = connect(memory);
        let mut shell = Shell::new(self, wires);
        if let Some(recall) = recall {
            shell.handle(Input::Switched(Ok(recall)));
        }
        shell.run(commands, ends, on_event).await;
    }
}

/// Where a conversation sends work.
struct Wires {
    queue: UnboundedSender<BlockingJob>,
    inbox: UnboundedSender<Input>,
    writer: UnboundedSender<Job>,
}

/// Where the results of that work arrive.
struct WireEnds {
    inputs: UnboundedReceiver<Input>,
    /// Ends with the session writer.
    writing: oneshot::Receiver<()>,
}

/// Starts what works for a conversation.
fn connect(memory: Option<Memory>) -> (Wires, WireEnds) {
    let (inbox, inputs) = mpsc::unbounded_channel();
    let (queue, work) = mpsc::unbounded_channel();
    tokio::spawn(one_by_one(work, inbox.clone()));
    let (writer, jobs) = mpsc::unbounded_channel();
    let writing = session_writer::start(SessionWriter::new(memory), jobs, inbox.clone());
    let wires = Wires {
        queue,
        inbox,
        writer,
    };
    (wires, WireEnds { inputs, writing })
}

/// What a running conversation holds.
struct Shell {
    session: Session,
    provider: Arc<dyn Provider>,
    ground: Arc<Ground>,
    /// What the tools know of the conversation.
    scope: Arc<ConversationScope>,
    /// The answer that comes in; dropping it cancels the request.
    stream: Option<Listening>,
    /// Requests that run beside the turn's.
    asides: Asides,
    silence: Duration,
    /// The newest turn that ran a tool.
    turn: Option<(TurnId, ChangesetId)>,
    /// Cancels its calls.
    stops: HashMap<CallId, Stop>,
    /// Whether a user is there to say what is trusted.
    asks_for_trust: bool,
    /// A model that was found on this machine, and that nothing was decided on.
    found: Option<FoundModel>,
    /// Ends the hooks that look at a prompt.
    preparing: Option<Stop>,
    checking: Checking,
    look: BeforePrompt,
    agents: RunningAgents,
    critiquing: Critiquing,
    queries: QueryLane,
    wires: Wires,
}

impl Shell {
    fn new(driver: Driver, wires: Wires) -> Self {
        let about = driver.provider.about();
        let requests = driver.trust_requests();
        let ground = driver.ground;
        let policy = driver.config.policy.clone().within(ground.root());
        let attended = driver.config.attended;
        let mut session = Session::new(Config {
            policy: policy.clone().looking_at(ground.engine().clone()),
            ..driver.config
        });
        let ground = ground.with_policy(policy);
        let id = Uuid::now_v7().to_string();
        let scope = ConversationScope::new(
            id,
            Proposer::Model {
                name: about.model.clone(),
            },
        )
        .with_reads(Arc::default())
        .with_host_questions(hosts::questions(attended, &wires));
        session.handle(Input::Ready {
            about,
            hint: driver.hint,
        });
        if let Some(hooks) = ground.hooks() {
            session.handle(Input::HooksKnown(hooks.in_words(WORKSPACES_HOOKS)));
        }
        for request in requests {
            session.handle(Input::TrustWanted(request));
        }
        Self {
            session,
            provider: driver.provider,
            checking: Checking::default(),
            ground: Arc::new(ground),
            scope: Arc::new(scope),
            stream: None,
            asides: Asides::default(),
            silence: driver.silence,
            turn: None,
            stops: HashMap::new(),
            asks_for_trust: driver.asks_for_trust,
            found: driver.found,
            preparing: None,
            look: driver.look,
            agents: RunningAgents::default(),
            critiquing: Critiquing::default(),
            queries: driver.queries,
            wires,
        }
    }

    /// Runs until no more commands can come; what was decided by then is still carried out.
    async fn run(
        mut self,
        mut commands: UnboundedReceiver<Command>,
        WireEnds {
            mut inputs,
            writing,
        }: WireEnds,
        mut on_event: impl FnMut(Event) + Send,
    ) {
        loop {
            self.perform_all(&mut on_event).await;
            let input = tokio::select! {
                biased;
                command = commands.recv() => match command {
                    Some(command) => Input::Command(command),
                    None => break,
                },
                Some(input) = inputs.recv() => input,
                input = next_piece(&mut self.stream) => input,
            };
            self.take(input).await;
        }
        self.quit();
        self.perform_all(&mut on_event).await;
        while self.session.is_deciding() {
            let Some(input) = inputs.recv().await else {
                break;
            };
            self.handle(input);
            self.perform_all(&mut on_event).await;
        }
        // What was said is written before the process may end.
        drop(self);
        if writing.await.is_err() {
            tracing::error!("the writer of the conversation broke down");
        }
    }

    /// Feeds the session, which has to know whether the model takes the images that come with an input.
    async fn take(&mut self, input: Input) {
        let shows_images = match &input {
            Input::ToolDone { output, .. } => !output.deeds.images.is_empty(),
            Input::Prepared(Ok(found)) => {
                !found.images.images.is_empty() || !found.images.of_servers.is_empty()
            }
            _ => false,
        };
        if shows_images {
            self.ask_about_images().await;
        }
        self.handle(input);
    }

    /// Feeds the session. What is proposed from here on comes from the conversation that it is.
    fn handle(&mut self, input: Input) {
        if let Input::Switched(Ok(recall)) = &input
            && !recall.id.is_empty()
        {
            self.scope = Arc::new(self.scope.of(recall.id.clone()));
        }
        let model = match &input {
            Input::Switched(Ok(recall)) => recall.model.clone(),
            _ => None,
        };
        self.session.set_time(Timestamp(now_ms()));
        self.session.handle(input);
        let about = self.provider.about();
        if let Some(name) = model.as_ref().and_then(|model| model.instead_of(&about)) {
            self.use_model(name);
        }
    }

    /// Shows and does everything that the session has to show and to be done.
    async fn perform_all(&mut self, on_event: &mut (impl FnMut(Event) + Send)) {
        loop {
            // Before the screen can ask about what it is told.
            self.queries.follow(self.scope.id(), &self.provider);
            while let Some(mut event) = self.session.poll_event() {
                self.name_unsent(&mut event);
                on_event(event);
            }
            match self.session.poll_effect() {
                Some(effect) => self.perform(effect).await,
                None => return,
            }
        }
    }

    /// Has the question about a command that sends work to others say which commits are not among it.
    fn name_unsent(&self, event: &mut Event) {
        let Event::PermissionAsked { subject, .. } = event else {
            return;
        };
        let command = subject.lines().next().and_then(outward);
        let unsent = command.and_then(|_| self.ground.unsent_commits());
        // The question of an agent says so already.
        if let Some(unsent) = unsent.filter(|unsent| !subject.contains(unsent)) {
            *subject += &format!("\n({unsent})");
        }
    }

    async fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Ask {
                request,
                prompt,
                pause,
            } => {
                let provider = Arc::clone(&self.provider);
                let listening = Listening::new(request, provider, prompt, pause, self.silence);
                self.stream = Some(listening);
            }
            Effect::AskAside { request, prompt } => self.ask_aside(request, prompt),
            Effect::CancelAside { request } => self.asides.cancel(request),
            Effect::CancelRequest { request } => {
                self.stream.take_if(|current| current.request == request);
            }
            Effect::PermitAgent {
                delegate,
                call,
                grant,
            } => self.permit(&delegate, call, grant),
            Effect::RunTool { turn, call } => self.run_tool(turn, call),
            Effect::CancelTools { turn } => self.stop(Some(turn)),
            Effect::CancelCall { call } => {
                if let Some(stop) = self.stops.get(&call) {
                    stop.stop(Stopped::Cancelled);
                }
                self.agents.cancel(&call);
            }
            Effect::Forget => self.scope.forget_guidance(),
            Effect::Record(record) => self.write(Job::Write(now_ms(), Box::new(record))),
            Effect::Switch(to) => self.write(Job::Switch(to)),
            Effect::Prepare(prompt) => self.prepare(prompt).await,
            Effect::StopPreparing => self.stop_preparing(),
            Effect::Trust {
                subject,
                is_trusted,
            } => self.trust(subject, is_trusted),
            Effect::Decide(rulings) => self.ask_engine(
                move |engine| {
                    let outcome = engine.decide(&rulings).map_err(Fault::from);
                    Ok((outcome, engine.listing().ok()))
                },
                |answer| {
                    let (outcome, listing) = answer.unwrap_or_else(|fault| (Err(fault), None));
                    Input::Decided { outcome, listing }
                },
            ),
            Effect::WriteThrough(on) => self.ground.lock().set_write_through(on),
            Effect::TakeBack { target, prompt } => {
                self.ask_engine(
                    move |engine| engine.take_back(&target),
                    move |outcome| Input::TakenBack {
                        prompt: prompt.clone(),
                        outcome,
                    },
                );
            }
            Effect::ReadReview => self.ask_engine(Engine::listing, Input::Reviewed),
            Effect::ReadOutcomes(hunks) => self.ask_engine(
                move |engine| blocking_job::outcomes_of(engine, &hunks),
                |known| Input::OutcomesRead(known.into_iter().flatten().collect()),
            ),
            Effect::ProposeRule(rule) => self.propose_rule(rule),
            Effect::Place { question, choice } => {
                self.ask_engine(move |engine| engine.place(question, choice), Input::Placed);
            }
            Effect::Check { check, wanted } => {
                let ground = Arc::clone(&self.ground);
                let inbox = self.wires.inbox.clone();
                self.checking.start((check, wanted), ground, inbox);
            }
            Effect::CancelCheck => self.checking.stop(),
            Effect::Critique {
                critique,
                scope,
                request,
            } => critiquing::start(self, critique, (scope, request)),
            Effect::CancelCritique => self.critiquing.stop(),
            Effect::JudgeClaims {
                turn,
                message,
                record,
            } => {
                let job = BlockingJob::claims(Arc::clone(&self.ground), turn, (message, *record));
                drop(tokio::spawn(job.carry_out(self.wires.inbox.clone())));
            }
            Effect::Servers(request) => match self.server_to_trust(&request) {
                Some(question) => self.handle(Input::TrustWanted(question)),
                None => {
                    let job = BlockingJob::servers(Arc::clone(&self.ground), request);
                    drop(tokio::spawn(job.carry_out(self.wires.inbox.clone())));
                }
            },
            Effect::FindModel { name } => self.find_model(name),
            Effect::UseModel { name } => self.use_model(&name),
        }
    }

    /// Runs a call: what only observes beside others, what may change something in its turn.
    fn run_tool(&mut self, turn: TurnId, call: PreparedCall) {
        if call.delegation().is_some() {
            return self.start_agent(&call);
        }
        let scope = self.call_scope(turn, &call.call().id);
        let observes = call.reach() == Reach::Observe;
        let shared = (Arc::clone(&self.ground), Arc::clone(&self.scope));
        let inbox = self.wires.inbox.clone();
        let job = BlockingJob::tool(shared, scope, call, inbox);
        if observes {
            drop(tokio::spawn(job.carry_out(self.wires.inbox.clone())));
        } else {
            self.queue(job);
        }
    }

    fn ask_aside(&mut self, request: RequestId, prompt: Prompt) {
        let provider = Arc::clone(&self.provider);
        self.asides
            .send(request, provider, prompt, self.wires.inbox.clone());
    }

    fn propose_rule(&self, rule: String) {
        let asked = rule.clone();
        self.ask_engine(
            move |engine| engine.propose_rule(&asked),
            move |outcome| {
                let rule = rule.clone();
                Input::RuleProposed { rule, outcome }
            },
        );
    }

    /// Asks something of the engine, after all that was queued before.
    fn ask_engine<A>(
        &self,
        ask: impl FnOnce(&mut Engine) -> Result<A, EngineError> + Send + 'static,
        input: impl Fn(Result<A, Fault>) -> Input + Send + 'static,
    ) {
        let ground = Arc::clone(&self.ground);
        self.queue(BlockingJob::engine(ground, ask, input));
    }

    fn queue(&self, job: BlockingJob) {
        if self.wires.queue.send(job).is_err() {
            tracing::error!("the job queue is closed");
        }
    }

    fn write(&self, job: Job) {
        if self.wires.writer.send(job).is_err() {
            tracing::error!("the session writer has ended");
        }
    }

    /// Returns what a call goes with; all calls of a turn share its changeset.
    fn call_scope(&mut self, turn: TurnId, call: &CallId) -> CallScope {
        let changeset = match self.turn {
            Some((current, changeset)) if current == turn => changeset,
            _ => {
                let changeset = ChangesetId(Uuid::now_v7());
                self.turn = Some((turn, changeset));
                self.stops.clear();
                changeset
            }
        };
        let stop = Stop::default();
        self.stops.insert(call.clone(), stop.clone());
        CallScope {
            call: call.clone(),
            changeset,
            only: self.session.only(),
            request: self.session.request(),
            by_user: self.session.runs_command(),
            stop,
        }
    }

    /// Cancels tools: those of this turn, or of any.
    fn stop(&self, turn: Option<TurnId>) {
        if let Some((current, _)) = self.turn
            && turn.is_none_or(|turn| turn == current)
        {
            for stop in self.stops.values() {
                stop.stop(Stopped::Cancelled);
            }
        }
        self.agents.cancel_all();
    }

    /// Drops what runs; what was decided is still carried out.
    fn quit(&mut self) {
        self.checking.stop();
        self.critiquing.stop();
        self.stop(None);
        self.stream = None;
        self.asides = Asides::default();
        self.session.handle(Input::Quit);
    }
}

/// Carries jobs out in the order in which they come.
async fn one_by_one(mut work: UnboundedReceiver<BlockingJob>, inbox: UnboundedSender<Input>) {
    while let Some(job) = work.recv().await {
        job.carry_out(inbox.clone()).await;
    }
}

#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod tests;
