//! Opening a conversation, and what the user chooses for it.
//!
//! In: what the conversation says of itself, and choices of the editor. Out: answers and updates with what there is to choose
//! from.

use serde_json::{Value, json};
use signoff_llm::mode::Mode;
use signoff_llm::session::{Command, TurnEnd};

use super::prompting::PromptStage;
use super::{EditorSession, OpeningRequest, PromptsReply, SessionOutput};
use crate::cli::acp::message::{OptionChange, RpcError, SessionOrigin};
use crate::cli::acp::offered_commands::{self, AwaitedEvent};
use crate::cli::acp::protocol::OpenedSession;
use crate::cli::acp::session_options::{ChosenOption, MODE};
use crate::cli::acp::update::{self, EditorUpdate};

impl EditorSession {
    /// Takes that everything which was asked before is done.
    pub(super) fn prompts_sent(&mut self) {
        match self.replies.pop_front() {
            Some(PromptsReply::Opened) => self.opened(),
            Some(PromptsReply::Chosen(id, is_mode)) => self.answer_choice(&id, is_mode),
            Some(PromptsReply::Done) => self.end_stage(&PromptStage::Doing),
            None => {}
        }
    }

    /// Answers the request that opened the session: everything that was said before has been told.
    fn opened(&mut self) {
        let Some(OpeningRequest { id, origin }) = self.opening.take() else {
            return;
        };
        let is_earlier = origin != SessionOrigin::New;
        if is_earlier {
            self.update(&EditorUpdate::Activity(self.activity));
        }
        let commands = offered_commands::offered(&self.skills);
        let opened = OpenedSession {
            id: (!is_earlier).then_some(self.id.as_str()),
            options: &self.options,
            commands: &commands,
        };
        let result = self.client.version.opened(&opened);
        self.out.push(SessionOutput::Opened(self.id.clone()));
        self.answer(&id, &result);
        self.update(&EditorUpdate::Commands(commands));
        if !self.ours.is_empty() {
            self.asks_unprompted = true;
            self.awaits_review = true;
            self.command(Command::Review);
        }
    }

    /// Takes a choice of the user's.
    pub(super) fn configure(&mut self, id: Value, change: OptionChange) {
        let (chosen, is_mode) = match &change {
            OptionChange::Mode(mode) => (self.options.choice(MODE, mode), true),
            OptionChange::Option(option, value) => (self.options.choice(option, value), false),
        };
        match chosen {
            Ok(ChosenOption::Mode(mode)) => {
                self.command(Command::SetMode(mode));
                self.command(Command::Prompts);
                self.replies.push_back(PromptsReply::Chosen(id, is_mode));
            }
            Ok(ChosenOption::Model(model)) if model == self.options.model() => {
                self.answer_choice(&id, is_mode);
            }
            Ok(ChosenOption::Model(model)) => {
                self.command(Command::UseModel(model));
                self.model_choices.push_back(id);
            }
            Err(why) => self.fail(id, RpcError::InvalidParams, why.to_owned()),
        }
    }

    fn answer_choice(&mut self, id: &Value, is_mode: bool) {
        let result = if is_mode {
            json!({})
        } else {
            self.client.version.chosen(&self.options)
        };
        self.answer(id, &result);
    }

    /// Takes the models that the server lists.
    pub(super) fn models_listed(&mut self, models: Vec<String>) {
        self.options.offer(models);
        if !self.options.models().is_empty() {
            self.tell_options();
        }
    }

    /// Takes that the conversation is in another mode.
    pub(super) fn mode_chosen(&mut self, mode: Mode) {
        self.options.mode = mode;
        self.tell_options();
    }

    /// Takes who answers, with what the user should know of it.
    pub(super) fn model_chosen(&mut self, model: &str, hint: Option<&str>) {
        self.options.ask(model);
        if self.opening.is_some() {
            let hint = hint.map(|hint| SessionOutput::Remark(hint.to_owned()));
            return self.out.extend(hint);
        }
        self.tell_options();
        if let Some(id) = self.model_choices.pop_front() {
            return self.answer_choice(&id, false);
        }
        if let Some(hint) = hint {
            self.update(&update::remark(hint));
        }
        self.end_waiting(AwaitedEvent::Model);
    }

    fn tell_options(&mut self) {
        if self.opening.is_none() {
            self.update(&EditorUpdate::Options(self.options.clone()));
        }
    }

    /// Ends the prompt if it is a command that ends with this event.
    pub(super) fn end_waiting(&mut self, event: AwaitedEvent) {
        self.end_stage(&PromptStage::Awaits(event));
    }

    /// Ends the prompt if it stands at this stage.
    fn end_stage(&mut self, stage: &PromptStage) {
        if let Some(prompt) = &mut self.prompt
            && prompt.stage == *stage
        {
            prompt.stage = PromptStage::Begun;
            prompt.end = Some(TurnEnd::Done);
        }
    }
}
