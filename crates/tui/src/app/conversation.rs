//! Conversation: the mode, prompts that wait for their turn, and what the model says in this one.
//!
//! In: prompts, the model's text, the phase. Out: what the session is asked, and a plan to be edited.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

use signoff_core::id::Timestamp;
use signoff_llm::mode::Mode;
use signoff_llm::session::Command;

use super::status::Status;
use crate::composer::{Composer, mention};

/// How a prompt begins that carries out a plan: it ends plan mode.
const CARRY_OUT: &str = "Carry out this plan:";

/// What waits until the session takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    /// Goes to the model.
    Prompt(String),
    /// A command line of the user's.
    Run(String),
}

impl Queued {
    /// Returns it as it is typed.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Prompt(text) => Cow::Borrowed(text),
            Self::Run(line) => Cow::Owned(format!("!{line}")),
        }
    }
}

/// Paths outside of the workspace, by who wrote them: only those that the user typed are read.
#[derive(Debug, Default)]
struct PathAuthors {
    users: HashSet<String>,
    /// In what the model wrote and the interface put into a prompt.
    models: HashSet<String>,
}

/// The user's side of the conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// Prompts that were not handed over yet, the next one first.
    queue: VecDeque<Queued>,
    paths: PathAuthors,
    pub(crate) mode: Mode,
    /// What the model has said in this turn.
    said: String,
    /// True once it is known which conversation this is.
    is_known: bool,
}

impl Conversation {
    /// Returns the prompts that wait, the next one first.
    pub(crate) fn queue(&self) -> &VecDeque<Queued> {
        &self.queue
    }

    /// Takes back the prompt that was queued last.
    pub(super) fn take_last(&mut self) -> Option<String> {
        self.queue.pop_back().map(|last| last.text().into_owned())
    }

    /// Keeps a prompt until the session takes one.
    pub(super) fn push(&mut self, prompt: Queued) {
        self.queue.push_back(prompt);
    }

    /// Hands a prompt to the session, or keeps it until the session takes one; behind those that wait already.
    pub(super) fn submit(
        &mut self,
        prompt: Queued,
        status: &mut Status,
        now: Timestamp,
    ) -> Vec<Command> {
        if !status.is_ready() || status.is_busy() || !self.queue.is_empty() {
            self.push(prompt);
            return Vec::new();
        }
        self.begin(prompt, status, now)
    }

    /// Hands the next prompt to the session, if it takes one.
    pub(super) fn go_on(&mut self, status: &mut Status, now: Timestamp) -> Vec<Command> {
        if !status.is_idle() {
            return Vec::new();
        }
        match self.queue.pop_front() {
            Some(prompt) => self.begin(prompt, status, now),
            None => Vec::new(),
        }
    }

    fn begin(&mut self, prompt: Queued, status: &mut Status, now: Timestamp) -> Vec<Command> {
        status.submitted(now);
        self.said.clear();
        let prompt = match prompt {
            Queued::Prompt(text) => text,
            Queued::Run(line) => return vec![Command::Run(line)],
        };
        let mut commands = Vec::new();
        if self.mode == Mode::Plan && prompt.starts_with(CARRY_OUT) {
            commands.push(Command::SetMode(Mode::Step));
        }
        let mut typed = mention::leading_out(&prompt);
        typed.retain(|path| self.paths.users.contains(path));
        if !typed.is_empty() {
            commands.push(Command::TypedPaths(typed));
        }
        commands.push(Command::Submit(prompt));
        commands
    }

    /// Takes note of what the user typed.
    pub(super) fn typed(&mut self, text: &str) {
        let mut paths = mention::leading_out(text);
        paths.retain(|path| !self.paths.models.contains(path));
        self.paths.users.extend(paths);
    }

    /// Takes note of text that the user did not type, and that may be in a prompt.
    pub(super) fn written_by_model(&mut self, text: &str) {
        self.paths.models.extend(mention::leading_out(text));
    }

    /// Puts prompts that were not sent back where they can be seen and changed.
    pub(super) fn give_queue_back(&mut self, composer: &mut Composer, status: &Status) {
        if self.queue.is_empty() || !status.is_ready() {
            return;
        }
        let queued = self.queue.drain(..);
        let mut texts: Vec<String> = queued.map(|it| it.text().into_owned()).collect();
        if !composer.is_empty() {
            texts.push(composer.text().into_owned());
        }
        composer.set(&texts.join("\n"));
    }

    /// Takes over more of what the model says.
    pub(super) fn hear(&mut self, text: &str) {
        self.said.push_str(text);
    }

    /// Takes over that the model does something: what it said before is no plan.
    pub(super) fn acts(&mut self) {
        self.said.clear();
    }

    /// Returns the prompt that carries out the plan that the model has made, if it has.
    pub(super) fn plan(&self) -> Option<String> {
        let plan = self.said.trim();
        let is_plan = self.mode == Mode::Plan && !plan.is_empty();
        is_plan.then(|| format!("{CARRY_OUT}\n\n{plan}"))
    }

    /// Takes over which conversation this is; true if another one was known.
    pub(super) fn know(&mut self) -> bool {
        std::mem::replace(&mut self.is_known, true)
    }
}
