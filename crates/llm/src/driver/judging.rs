//! Prompts and hooks: whether the workspace's hooks may run, asked once before the first prompt that they would concern, and
//! what hooks say of a prompt before it is sent. A server that the workspace names is asked about in the same way, once the
//! user wants it allowed, and so is a model that was found on this machine, before a prompt goes to it.
//!
//! In: commands of the user. Out: the same; a prompt only after the user has said whether these hooks may run, and once the
//! hooks have looked at it, with what they add. Without a user to ask, untrusted hooks do not run and nothing waits.
//! Hooks run beside the driver, so that the user can stop them; what the user does meanwhile waits in its order, as far as
//! it begins something.
//!
//! The question is that for permission, with a call id that no server can guess: it is answered by the same keys, once all
//! commands were displayed. It is asked while no turn runs, so that no call asks beside it.

use std::fmt;
use std::sync::Arc;

use signoff_core::budget::{Stop, Stopped};
use signoff_core::id::ChangesetId;
use uuid::Uuid;

use super::blocking_job::BlockingJob;
use super::{Driver, Shell};
use crate::foreign::ServerRequest;
use crate::hook::{HookEvent, Hooks, KeepDecision, TrustQuestion};
use crate::message::CallId;
use crate::phase::Phase;
use crate::provider::Provider;
use crate::session::{Command, Grant, HookNews, Input};
use crate::surroundings::Surroundings;
use crate::tool::CallScope;

/// Prompts that wait until the user has said whether hooks may run.
#[derive(Debug)]
pub(super) struct Trusting {
    /// Whether a user is there to answer questions.
    asks: bool,
    /// A server that was found on this machine, and that nothing was decided on.
    found: Option<FoundModel>,
    /// The question that is open.
    open: Option<OpenTrust>,
}

/// A model of a server that was found and not configured: it is asked once the user agrees.
pub struct FoundModel {
    /// What the user is asked.
    pub question: TrustQuestion,
    /// Who answers if the user agrees.
    pub provider: Arc<dyn Provider>,
    /// Keeps what the user decided.
    pub keep: KeepDecision,
}

impl fmt::Debug for FoundModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FoundModel")
            .field("question", &self.question)
            .finish_non_exhaustive()
    }
}

/// A question that waits for the user's answer.
#[derive(Debug)]
struct OpenTrust {
    /// The call that stands for it.
    call: CallId,
    /// What is asked about.
    about: TrustSubject,
    /// What waits for the answer, in its order.
    held: Vec<Command>,
}

/// What the user is asked about: what came with the workspace or was found on this machine, and not from the user.
#[derive(Debug)]
enum TrustSubject {
    /// Its hooks.
    Hooks,
    /// The server of this name.
    Server(String),
    /// The model that was found.
    Model,
}

impl Trusting {
    pub(super) fn new(asks: bool, found: Option<FoundModel>) -> Self {
        Self {
            asks,
            found,
            open: None,
        }
    }
}

impl Driver {
    /// Returns the same, where these hooks are asked about calls.
    #[must_use]
    pub fn with_hooks(self, hooks: Arc<Hooks>) -> Self {
        let ground = self.ground.with_hooks(hooks);
        Self { ground, ..self }
    }

    /// Returns the same, where the user is asked about this model before the first prompt, if one can be asked.
    #[must_use]
    pub fn with_found_model(self, found: FoundModel) -> Self {
        Self {
            found: Some(found),
            ..self
        }
    }

    /// Returns the same, where the user is asked about what came with the workspace, or was found on this machine.
    #[must_use]
    pub fn asking_for_trust(self) -> Self {
        Self {
            asks_for_trust: true,
            ..self
        }
    }
}

/// A prompt that hooks look at.
#[derive(Debug)]
pub(super) struct JudgedPrompt {
    text: String,
    /// Ends the hooks.
    stop: Stop,
    /// What the user wanted since.
    behind: Vec<Command>,
}

/// Trust.
impl Shell {
    /// Returns what is to be handled now of an input: itself, nothing while a question is open or a hook looks at a prompt,
    /// or what waited for that.
    pub(super) fn admit(&mut self, input: Input) -> Vec<Input> {
        let command = match input {
            Input::Command(command) => command,
            Input::Hook(HookNews::PromptJudged(judged)) => return self.take_judgement(judged),
            input => return vec![input],
        };
        let Some(open) = &mut self.trusting.open else {
            return self.ask_before(command);
        };
        match command {
            Command::Permit { call, grant } if call == open.call => {
                let held = std::mem::take(&mut open.held);
                if let Some(OpenTrust { about, .. }) = self.trusting.open.take() {
                    self.take_trust(&about, &grant);
                }
                // There may be another question.
                held.into_iter()
                    .flat_map(|command| self.ask_before(command))
                    .collect()
            }
            Command::Submit(_)
            | Command::TypedPaths(_)
            | Command::GiveImages(_)
            | Command::Run(_)
            | Command::Retry => {
                open.held.push(command);
                Vec::new()
            }
            Command::Cancel => {
                let held = std::mem::take(&mut open.held).into_iter();
                if let Some(OpenTrust {
                    about: TrustSubject::Server(name),
                    ..
                }) = self.trusting.open.take()
                {
                    self.take_server(&name, false);
                }
                let prompts = held.filter_map(prompt).collect();
                vec![Input::Hook(HookNews::PromptsLeft(prompts))]
            }
            command => vec![Input::Command(command)],
        }
    }

    /// Asks the user about hooks before a prompt, where nothing was decided on them, and about a server of the workspace
    /// before it is allowed.
    fn ask_before(&mut self, command: Command) -> Vec<Input> {
        let is_idle = matches!(self.session.phase(), Phase::Idle | Phase::AwaitingReview);
        if !self.trusting.asks || !is_idle {
            return self.judge_first(command);
        }
        match command {
            Command::Submit(text) => match self.open_question() {
                Some((about, question)) => {
                    self.ask_trust(about, question, vec![Command::Submit(text)])
                }
                None => self.judge_first(Command::Submit(text)),
            },
            Command::Servers(ServerRequest::Allow(name)) if self.judged.is_none() => {
                let servers = self.ground.servers();
                match servers.and_then(|servers| servers.trust_question(&name)) {
                    Some(question) => {
                        self.ask_trust(TrustSubject::Server(name), question, Vec::new())
                    }
                    None => self.judge_first(Command::Servers(ServerRequest::Allow(name))),
                }
            }
            command => self.judge_first(command),
        }
    }

    /// Returns what the user is to be asked before a prompt, the model first: a prompt goes nowhere without one.
    fn open_question(&self) -> Option<(TrustSubject, TrustQuestion)> {
        if let Some(found) = &self.trusting.found {
            return Some((TrustSubject::Model, found.question.clone()));
        }
        let hooks = self.ground.hooks().and_then(Hooks::question)?;
        Some((TrustSubject::Hooks, hooks.clone()))
    }

    fn ask_trust(
        &mut self,
        about: TrustSubject,
        question: TrustQuestion,
        held: Vec<Command>,
    ) -> Vec<Input> {
        let call = CallId(Uuid::now_v7().to_string());
        self.trusting.open = Some(OpenTrust {
            call: call.clone(),
            about,
            held,
        });
        vec![Input::Hook(HookNews::TrustAsked { call, question })]
    }

    /// Takes the user's decision, and says what follows from it.
    fn take_trust(&mut self, about: &TrustSubject, grant: &Grant) {
        let is_trusted = match grant {
            Grant::Once | Grant::Always => true,
            Grant::Refuse { .. } => false,
        };
        match about {
            TrustSubject::Hooks => self.take_hooks(is_trusted),
            TrustSubject::Server(name) => self.take_server(name, is_trusted),
            TrustSubject::Model => self.take_found(is_trusted),
        }
    }

    /// Has the model that was found answer, or leaves it alone from now on.
    fn take_found(&mut self, is_trusted: bool) {
        let Some(found) = self.trusting.found.take() else {
            return;
        };
        if let Err(why) = (found.keep)(is_trusted) {
            let said = format!(
                "You are asked about this server again: this cannot be written down ({why})."
            );
            self.session.handle(Input::Hook(HookNews::Said(said)));
        }
        if is_trusted {
            let about = found.provider.about();
            self.provider = found.provider;
            self.scope = Arc::new(self.scope.with_model(&about.model));
            self.session.handle(Input::ModelChosen(Some(about)));
        }
    }

    fn take_server(&mut self, name: &str, is_trusted: bool) {
        let servers = self.ground.servers();
        if let Some(report) = servers.map(|servers| servers.answer_trust(name, is_trusted)) {
            self.session.handle(Input::ServersAsked(report));
        }
    }

    fn take_hooks(&mut self, is_trusted: bool) {
        let Some(hooks) = self.ground.hooks() else {
            return;
        };
        let said = match (hooks.decide(is_trusted), is_trusted) {
            (Ok(()), true) => {
                "The hooks of the workspace run from now on; `signoff trust --forget` takes that back.".to_owned()
            }
            (Ok(()), false) => {
                "The hooks of the workspace do not run; `signoff trust` lets them.".to_owned()
            }
            (Err(why), _) => format!(
                "The hooks of the workspace do not run: what you decided cannot be written down ({why})."
            ),
        };
        let known = hooks.in_words();
        self.session.handle(Input::Hook(HookNews::Said(said)));
        self.session.handle(Input::Hook(HookNews::Known(known)));
    }
}

/// Judgement.
impl Shell {
    /// Has hooks look at a prompt first, if there are hooks that do.
    pub(super) fn judge_first(&mut self, command: Command) -> Vec<Input> {
        let Some(judged) = &mut self.judged else {
            return self.begin_judging(command);
        };
        match command {
            Command::Submit(_)
            | Command::TypedPaths(_)
            | Command::GiveImages(_)
            | Command::Run(_)
            | Command::Retry => {
                judged.behind.push(command);
                Vec::new()
            }
            Command::Cancel => {
                judged.stop.stop(Stopped::Cancelled);
                match self.session.phase() {
                    Phase::Idle | Phase::AwaitingReview => Vec::new(),
                    Phase::Asking | Phase::Working | Phase::Closing => {
                        vec![Input::Command(Command::Cancel)]
                    }
                }
            }
            command => vec![Input::Command(command)],
        }
    }

    /// Ends the hooks that look at a prompt.
    pub(super) fn stop_judging(&self) {
        if let Some(judged) = &self.judged {
            judged.stop.stop(Stopped::Cancelled);
        }
    }

    fn begin_judging(&mut self, command: Command) -> Vec<Input> {
        let hooks = self.ground.hooks();
        let is_asked =
            hooks.is_some_and(|hooks| !hooks.in_force(HookEvent::UserPromptSubmit).is_empty());
        let text = match command {
            Command::Submit(text) if is_asked => text,
            command => return vec![Input::Command(command)],
        };
        let stop = Stop::default();
        let scope = CallScope {
            call: CallId("prompt".to_owned()),
            changeset: ChangesetId(Uuid::now_v7()),
            stop: stop.clone(),
        };
        let shared = (Arc::clone(&self.ground), Arc::clone(&self.scope));
        let job = BlockingJob::judge(shared, scope, text.clone(), self.wires.inbox.clone());
        drop(tokio::spawn(job.carry_out(self.wires.inbox.clone())));
        self.judged = Some(JudgedPrompt {
            text,
            stop,
            behind: Vec::new(),
        });
        Vec::new()
    }

    /// Sends the prompt that hooks have looked at, or gives it back.
    pub(super) fn take_judgement(
        &mut self,
        judgement: Result<String, Option<String>>,
    ) -> Vec<Input> {
        let Some(JudgedPrompt { text, behind, .. }) = self.judged.take() else {
            return Vec::new();
        };
        let mut inputs = Vec::new();
        match judgement {
            Ok(told) => {
                if !told.is_empty() {
                    let foreign = vec![told];
                    inputs.push(Input::Surroundings(Surroundings {
                        foreign,
                        ..Surroundings::default()
                    }));
                }
                inputs.push(Input::Command(Command::Submit(text)));
            }
            Err(Some(why)) => {
                inputs.push(Input::Hook(HookNews::PromptRefused { text, why }));
            }
            Err(None) => {
                let all = std::iter::once(text).chain(behind.into_iter().filter_map(prompt));
                return vec![Input::Hook(HookNews::PromptsLeft(all.collect()))];
            }
        }
        for command in behind {
            // Each prompt is looked at by itself.
            if self.wires.inbox.send(Input::Command(command)).is_err() {
                tracing::debug!("the conversation is over");
            }
        }
        inputs
    }
}

/// Returns the prompt that a command sends.
fn prompt(command: Command) -> Option<String> {
    match command {
        Command::Submit(text) => Some(text),
        _ => None,
    }
}
