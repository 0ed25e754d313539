//! Trust in hooks that came with the workspace: asked once, before the first prompt that they would concern.
//!
//! In: commands of the user. Out: the same, prompts only after the user has said whether these hooks may run. Where nobody
//! is to be asked, they do not run and nothing waits.
//!
//! The question is that for permission, with a call id that no server can guess: it is answered by the same keys, once all
//! commands were displayed. It is asked while no turn runs, so that no call asks beside it.

use std::sync::Arc;

use uuid::Uuid;

use super::{Driver, Shell};
use crate::hook::Hooks;
use crate::message::CallId;
use crate::phase::Phase;
use crate::session::{Command, Grant, HookNews, Input};

/// Prompts that wait until the user has said whether hooks may run.
#[derive(Debug)]
pub(super) struct Trusting {
    /// Whether there is somebody to ask.
    asks: bool,
    /// The question that is open.
    open: Option<OpenTrust>,
}

/// A question that waits for the user's answer.
#[derive(Debug)]
struct OpenTrust {
    /// The call that stands for it.
    call: CallId,
    /// What waits for the answer, in its order.
    held: Vec<Command>,
}

impl Trusting {
    pub(super) fn new(asks: bool) -> Self {
        Self { asks, open: None }
    }
}

impl Driver {
    /// Returns the same, where these hooks are asked about calls.
    #[must_use]
    pub fn with_hooks(self, hooks: Arc<Hooks>) -> Self {
        let ground = self.ground.with_hooks(hooks);
        Self { ground, ..self }
    }

    /// Returns the same, where the user is asked whether hooks that came with the workspace may run.
    #[must_use]
    pub fn asking_for_trust(self) -> Self {
        Self {
            asks_for_trust: true,
            ..self
        }
    }
}

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
                self.trusting.open = None;
                self.take_trust(&grant);
                held.into_iter()
                    .flat_map(|command| self.judge_first(command))
                    .collect()
            }
            Command::Submit(_) | Command::TypedPaths(_) | Command::Run(_) | Command::Retry => {
                open.held.push(command);
                Vec::new()
            }
            Command::Cancel => {
                let held = std::mem::take(&mut open.held).into_iter();
                self.trusting.open = None;
                let prompts = held.filter_map(prompt).collect();
                vec![Input::Hook(HookNews::PromptsLeft(prompts))]
            }
            command => vec![Input::Command(command)],
        }
    }

    /// Asks the user about hooks before a prompt, where nothing was decided on them.
    fn ask_before(&mut self, command: Command) -> Vec<Input> {
        let is_idle = matches!(self.session.phase(), Phase::Idle | Phase::AwaitingReview);
        let may_ask = self.trusting.asks && is_idle;
        let hooks = self.ground.hooks().filter(|_| may_ask);
        let question = hooks.and_then(Hooks::question).cloned();
        match (command, question) {
            (Command::Submit(text), Some(question)) => {
                let call = CallId(Uuid::now_v7().to_string());
                self.trusting.open = Some(OpenTrust {
                    call: call.clone(),
                    held: vec![Command::Submit(text)],
                });
                vec![Input::Hook(HookNews::TrustAsked { call, question })]
            }
            (command, _) => self.judge_first(command),
        }
    }

    /// Takes the user's decision, and says what follows from it.
    fn take_trust(&mut self, grant: &Grant) {
        let Some(hooks) = self.ground.hooks() else {
            return;
        };
        let is_trusted = match grant {
            Grant::Once | Grant::Always => true,
            Grant::Refuse { .. } => false,
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

/// Returns the prompt that a command sends.
pub(super) fn prompt(command: Command) -> Option<String> {
    match command {
        Command::Submit(text) => Some(text),
        _ => None,
    }
}
