//! Driver: performs the session's effects and feeds its inputs.
//!
//! In: commands. Out: events. The only `select!` of the crate is here; whatever touches files
//! runs on blocking threads, and what may change something runs one after another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use signoff_core::budget::{Stop, Stopped};
use signoff_core::engine::Engine;
use signoff_core::id::{ChangesetId, Timestamp};
use signoff_verify::process::Supervision;
#[cfg(target_os = "linux")]
use signoff_verify::shadow::Setup;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use uuid::Uuid;

use crate::code_index::CodeIndex;
use crate::memory::{Memory, now_ms};
use crate::message::{CallId, Prompt};
use crate::permission::Policy;
use crate::provider::Provider;
use crate::session::{Command, Config, Effect, Event, Input, RequestId, Session, TurnId};
use crate::tool::{Ground, Reach, Registry, lock};
use crate::verified::ProjectChecks;

mod asides;
mod blocking_job;
mod checking;
mod listening;
mod look_around;
mod logged;
mod model_choice;
mod one_turn;
mod session_writer;

use asides::Asides;
use blocking_job::{BlockingJob, CallScope, ToolEnv};
use checking::Checking;
use listening::{Listening, SILENCE, next_piece};
use look_around::BeforePrompt;
pub use look_around::{LookAround, ReadImages};
pub use one_turn::exec;
use session_writer::{Job, SessionWriter};

/// One conversation with a provider about the files of an engine.
pub struct Driver {
    provider: Arc<dyn Provider>,
    engine: Arc<Mutex<Engine>>,
    tools: Registry,
    hint: Option<String>,
    config: Config,
    memory: Option<Memory>,
    policy: Policy,
    attended: bool,
    hidden: Vec<String>,
    supervision: Supervision,
    #[cfg(target_os = "linux")]
    shadow: Option<Setup>,
    checks: Option<ProjectChecks>,
    code: Option<Arc<dyn CodeIndex>>,
    look: BeforePrompt,
    silence: Duration,
}

impl Driver {
    /// Returns a conversation with all tools in which nothing was said.
    pub fn new(provider: Arc<dyn Provider>, engine: Arc<Mutex<Engine>>) -> Self {
        Self {
            provider,
            engine,
            tools: Registry::standard(),
            hint: None,
            config: Config::new(Registry::default()),
            memory: None,
            policy: Policy::default(),
            attended: true,
            hidden: Vec::new(),
            supervision: Supervision::None,
            #[cfg(target_os = "linux")]
            shadow: None,
            checks: None,
            code: None,
            look: BeforePrompt::default(),
            silence: SILENCE,
        }
    }

    /// Returns the same with a line that [`Event::Ready`] shows the user.
    #[must_use]
    pub fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Returns the same with these rules on which calls need the user's permission.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Returns the same without anybody to ask for permission.
    #[must_use]
    pub fn unattended(self) -> Self {
        Self {
            attended: false,
            ..self
        }
    }

    /// Returns the same with these variables kept from the programs that tools run.
    #[must_use]
    pub fn with_hidden(self, hidden: Vec<String>) -> Self {
        Self { hidden, ..self }
    }

    /// Returns the same, where what tools run is ended by this if the process is gone.
    #[must_use]
    pub fn with_supervision(self, supervision: Supervision) -> Self {
        Self {
            supervision,
            ..self
        }
    }

    /// Returns the same, where commands run in a shadow made so; `confined` if they need no question.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_shadow(self, setup: Setup, confined: bool) -> Self {
        Self {
            tools: self.tools.with_shadow(confined),
            shadow: Some(setup),
            ..self
        }
    }

    /// Returns the same with an index of the workspace's code.
    #[must_use]
    pub fn with_code_index(self, code: Arc<dyn CodeIndex>) -> Self {
        let code = Some(code);
        Self { code, ..self }
    }

    /// Returns the same, where this checks what is staged.
    #[must_use]
    pub fn with_checks(self, checks: ProjectChecks) -> Self {
        let checks = Some(checks);
        Self { checks, ..self }
    }

    /// Returns the same, which reports a server that has been silent for this time.
    #[must_use]
    pub fn with_silence(self, silence: Duration) -> Self {
        Self { silence, ..self }
    }

    /// Returns the same with these tools.
    #[must_use]
    pub fn with_tools(self, tools: Registry) -> Self {
        Self { tools, ..self }
    }

    /// Returns the same with these instructions and limits; its tools are those of the
    /// registry.
    #[must_use]
    pub fn with_config(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// Returns the same, written down, and going on from what was said before.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        let memory = Some(memory);
        Self { memory, ..self }
    }

    /// Runs until no more commands can come; what was decided by then is still carried out.
    pub async fn run(
        mut self,
        mut commands: UnboundedReceiver<Command>,
        mut on_event: impl FnMut(Event) + Send,
    ) {
        let (inbox, mut inputs) = mpsc::unbounded_channel();
        let (queue, work) = mpsc::unbounded_channel();
        tokio::spawn(one_by_one(work, inbox.clone()));
        let (writer, jobs) = mpsc::unbounded_channel();
        let memory = self.memory.take();
        self.config.remember = memory.is_some();
        let recall = memory.as_ref().map(|memory| memory.recall.clone());
        let writing = {
            let inbox = inbox.clone();
            session_writer::start(SessionWriter::new(memory), jobs, inbox)
        };
        let mut shell = Shell::new(self, queue, inbox, writer);
        if let Some(recall) = recall {
            shell.handle(Input::Switched(Ok(recall)));
        }
        loop {
            shell.perform_all(&mut on_event);
            let input = tokio::select! {
                biased;
                command = commands.recv() => match command {
                    Some(command) => {
                        shell.look_around(&command).await;
                        Input::Command(command)
                    }
                    None => break,
                },
                Some(input) = inputs.recv() => input,
                input = next_piece(&mut shell.stream) => input,
            };
            shell.handle(input);
        }
        shell.quit();
        shell.perform_all(&mut on_event);
        while shell.session.is_deciding() {
            let Some(input) = inputs.recv().await else {
                break;
            };
            shell.handle(input);
            shell.perform_all(&mut on_event);
        }
        // What was said is written before the process may end.
        drop(shell);
        if writing.await.is_err() {
            tracing::error!("the writer of the conversation broke down");
        }
    }
}

/// What a running conversation holds.
struct Shell {
    session: Session,
    provider: Arc<dyn Provider>,
    env: Arc<ToolEnv>,
    /// The answer that comes in; dropping it cancels the request.
    stream: Option<Listening>,
    /// Requests that run beside the turn's.
    asides: Asides,
    silence: Duration,
    /// The newest turn that ran a tool.
    turn: Option<(TurnId, ChangesetId)>,
    /// Cancels its calls.
    stops: HashMap<CallId, Stop>,
    checking: Checking,
    look: BeforePrompt,
    writer: UnboundedSender<Job>,
    queue: UnboundedSender<BlockingJob>,
    inbox: UnboundedSender<Input>,
}

impl Shell {
    fn new(
        driver: Driver,
        queue: UnboundedSender<BlockingJob>,
        inbox: UnboundedSender<Input>,
        writer: UnboundedSender<Job>,
    ) -> Self {
        let about = driver.provider.about();
        let root = lock(&driver.engine).root().to_owned();
        let policy = driver.policy.within(&root);
        let mut session = Session::new(Config {
            tools: driver.tools,
            policy: policy.clone().looking_at(driver.engine.clone()),
            attended: driver.attended,
            ..driver.config
        });
        let ground = Ground::new(root, driver.hidden, driver.supervision)
            .with_checks(driver.checks.clone())
            .with_code_index(driver.code);
        #[cfg(target_os = "linux")]
        let ground = ground.with_shadow(driver.shadow, policy);
        let env = ToolEnv {
            ground: Arc::new(ground),
            engine: driver.engine,
            session: Uuid::now_v7().to_string(),
            model: about.model.clone(),
            reads: Arc::default(),
            guided: Arc::default(),
        };
        session.handle(Input::Ready {
            about,
            hint: driver.hint,
        });
        Self {
            session,
            provider: driver.provider,
            env: Arc::new(env),
            stream: None,
            asides: Asides::default(),
            silence: driver.silence,
            turn: None,
            stops: HashMap::new(),
            checking: Checking::new(driver.checks),
            look: driver.look,
            writer,
            queue,
            inbox,
        }
    }

    /// Feeds the session. What is proposed from here on comes from the conversation that it is.
    fn handle(&mut self, input: Input) {
        if let Input::Switched(Ok(recall)) = &input
            && !recall.id.is_empty()
        {
            self.env = Arc::new(self.env.in_session(recall.id.clone()));
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
    fn perform_all(&mut self, on_event: &mut impl FnMut(Event)) {
        while let Some(event) = self.session.poll_event() {
            on_event(event);
        }
        while let Some(effect) = self.session.poll_effect() {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        let env = Arc::clone(&self.env);
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
            Effect::RunTool { turn, call } => {
                let scope = self.scope(turn, &call.call().id);
                let observes = call.reach() == Reach::Observe;
                let job = BlockingJob::tool(env, scope, call, self.inbox.clone());
                if observes {
                    drop(tokio::spawn(job.carry_out(self.inbox.clone())))
                } else {
                    self.queue(job)
                }
            }
            Effect::CancelTools { turn } => self.stop(Some(turn)),
            Effect::CancelCall { call } => {
                if let Some(stop) = self.stops.get(&call) {
                    stop.stop(Stopped::Cancelled);
                }
            }
            Effect::Forget => env.forget(),
            Effect::Record(record) => self.write(Job::Write(now_ms(), Box::new(record))),
            Effect::ReadSessions => self.write(Job::List),
            Effect::Switch(to) => self.write(Job::Switch(to)),
            Effect::Decide(rulings) => self.queue(BlockingJob::decide(env, rulings)),
            Effect::WriteThrough(on) => lock(&env.engine).set_write_through(on),
            Effect::Revert(target) => self.queue(BlockingJob::revert(env, target)),
            Effect::ReadReview => self.queue(BlockingJob::read_review(env)),
            Effect::ReadOutcomes(hunks) => self.queue(BlockingJob::read_outcomes(env, hunks)),
            Effect::PreviewRevert(target) => {
                self.queue(BlockingJob::preview_revert(env, target));
            }
            Effect::PreviewRewind { prompt, written } => {
                self.queue(BlockingJob::preview_rewind(env, prompt, written));
            }
            Effect::RevertSince { written, prompt } => {
                self.queue(BlockingJob::revert_since(env, written, prompt));
            }
            Effect::Colour(proposal) => {
                // Verdicts do not wait for it.
                let job = BlockingJob::colour(env, *proposal);
                drop(tokio::spawn(job.carry_out(self.inbox.clone())));
            }
            Effect::ReadAround(request) => {
                let job = BlockingJob::read_around(env, *request);
                drop(tokio::spawn(job.carry_out(self.inbox.clone())));
            }
            Effect::Place { question, choice } => {
                self.queue(BlockingJob::place(env, question, choice));
            }
            Effect::Query(query) => {
                let job = BlockingJob::query(env, query);
                drop(tokio::spawn(job.carry_out(self.inbox.clone())));
            }
            Effect::Check { check } => {
                let engine = Arc::clone(&env.engine);
                self.checking.start(check, engine, self.inbox.clone());
            }
            Effect::CancelCheck => self.checking.stop(),
            Effect::ReadHistory => self.queue(BlockingJob::read_history(env)),
            Effect::ListModels => self.list_models(),
            Effect::FindModel { name } => self.find_model(name),
            Effect::UseModel { name } => self.use_model(&name),
        }
    }

    fn ask_aside(&mut self, request: RequestId, prompt: Prompt) {
        let provider = Arc::clone(&self.provider);
        self.asides
            .send(request, provider, prompt, self.inbox.clone());
    }

    fn queue(&self, job: BlockingJob) {
        if self.queue.send(job).is_err() {
            tracing::error!("the job queue is closed");
        }
    }

    fn write(&self, job: Job) {
        if self.writer.send(job).is_err() {
            tracing::error!("the session writer has ended");
        }
    }

    /// Returns what a call goes with; all calls of a turn share its changeset.
    fn scope(&mut self, turn: TurnId, call: &CallId) -> CallScope {
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
        CallScope { changeset, stop }
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
    }

    /// Drops what runs; what was decided is still carried out.
    fn quit(&mut self) {
        self.checking.stop();
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
