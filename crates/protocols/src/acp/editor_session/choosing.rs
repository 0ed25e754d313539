//! Opening a conversation, and what the user chooses for it.
//!
//! In: what the conversation says of itself, and choices of the editor. Out: answers and updates with what there is to choose
//! from.

use agent_client_protocol_schema::v1::{
    AgentResponse, AvailableCommandsUpdate, ConfigOptionUpdate, CurrentModeUpdate, ErrorCode,
    LoadSessionResponse, NewSessionResponse, ResumeSessionResponse, SessionUpdate,
    SetSessionConfigOptionResponse, SetSessionModeResponse,
};
use signoff_llm::mode::Mode;
use signoff_llm::session::{Command, TurnEnd};

use super::prompting::PromptStage;
use super::{
    AwaitedReply, ChoiceRequest, EditorSession, OpeningRequest, SessionOrigin, SessionOutput,
};
use crate::acp::offered_commands::{self, AwaitedEvent};
use crate::acp::session_options::ChosenOption;

impl EditorSession {
    /// Has something done once the conversation has told this.
    pub(super) fn wait_for(&mut self, event: AwaitedEvent, reply: AwaitedReply) {
        if event == AwaitedEvent::Prompts {
            self.command(Command::Prompts);
        }
        self.awaited.push((event, reply));
    }

    /// Takes that the conversation has told something, and does what waited longest for it.
    pub(super) fn told(&mut self, event: AwaitedEvent) {
        if let Some(reply) = self.take_awaited(event) {
            self.reply(reply);
        }
    }

    pub(super) fn take_awaited(&mut self, event: AwaitedEvent) -> Option<AwaitedReply> {
        let place = self.awaited.iter().position(|(own, _)| *own == event)?;
        Some(self.awaited.remove(place).1)
    }

    pub(super) fn reply(&mut self, reply: AwaitedReply) {
        match reply {
            AwaitedReply::Opened => self.opened(),
            AwaitedReply::Chosen(request) => self.answer_choice(request),
            AwaitedReply::CommandDone => {
                if let Some(prompt) = &mut self.prompt
                    && prompt.stage == PromptStage::Awaits
                {
                    prompt.stage = PromptStage::Begun;
                    prompt.end = Some(TurnEnd::Done);
                }
            }
        }
    }

    /// Answers the request that opened the session: everything that was said before has been told.
    fn opened(&mut self) {
        let Some(OpeningRequest { id, origin }) = self.opening.take() else {
            return;
        };
        self.out.push(SessionOutput::Opened(self.id.clone()));
        let modes = self.options.mode_state();
        let config = self.options.config();
        let opened = match origin {
            SessionOrigin::New => AgentResponse::NewSessionResponse(
                NewSessionResponse::new(self.id.clone())
                    .modes(modes)
                    .config_options(config),
            ),
            SessionOrigin::Earlier {
                is_replayed: true, ..
            } => AgentResponse::LoadSessionResponse(
                LoadSessionResponse::new()
                    .modes(modes)
                    .config_options(config),
            ),
            SessionOrigin::Earlier {
                is_replayed: false, ..
            } => AgentResponse::ResumeSessionResponse(
                ResumeSessionResponse::new()
                    .modes(modes)
                    .config_options(config),
            ),
        };
        self.answer(id, opened);
        let commands = AvailableCommandsUpdate::new(offered_commands::offered(&self.skills));
        self.update(SessionUpdate::AvailableCommandsUpdate(commands));
        if !self.ours.is_empty() {
            self.asks_unprompted = true;
            self.underway.is_review = true;
            self.command(Command::Review);
        }
    }

    /// Takes a choice of the user's.
    pub(super) fn configure(&mut self, request: ChoiceRequest, option: &str, value: &str) {
        match self.options.choice(option, value) {
            Ok(ChosenOption::Mode(mode)) => {
                self.command(Command::SetMode(mode));
                self.wait_for(AwaitedEvent::Prompts, AwaitedReply::Chosen(request));
            }
            Ok(ChosenOption::Model(model)) if model == self.options.model() => {
                self.answer_choice(request);
            }
            Ok(ChosenOption::Model(model)) => {
                self.command(Command::UseModel(model));
                self.wait_for(AwaitedEvent::Model, AwaitedReply::Chosen(request));
            }
            Err(why) => self.fail(request.id, ErrorCode::InvalidParams, why),
        }
    }

    fn answer_choice(&mut self, request: ChoiceRequest) {
        let response = if request.is_mode_request {
            AgentResponse::SetSessionModeResponse(SetSessionModeResponse::new())
        } else {
            let config = self.options.config();
            let response = SetSessionConfigOptionResponse::new(config);
            AgentResponse::SetSessionConfigOptionResponse(response)
        };
        self.answer(request.id, response);
    }

    /// Takes the models that the server lists.
    pub(super) fn models_listed(&mut self, models: Vec<String>) {
        self.options.offer(models);
        if self.options.has_models() {
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
        let awaited = self.take_awaited(AwaitedEvent::Model);
        let is_choice = matches!(awaited, Some(AwaitedReply::Chosen(_)));
        if let Some(hint) = hint.filter(|_| !is_choice) {
            self.remark(hint);
        }
        if let Some(reply) = awaited {
            self.reply(reply);
        }
    }

    fn tell_options(&mut self) {
        if self.opening.is_some() {
            return;
        }
        let mode = CurrentModeUpdate::new(self.options.mode.word());
        self.update(SessionUpdate::CurrentModeUpdate(mode));
        let config = ConfigOptionUpdate::new(self.options.config());
        self.update(SessionUpdate::ConfigOptionUpdate(config));
    }
}
