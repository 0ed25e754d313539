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
    ChoiceRequest, EditorSession, OpeningRequest, PromptsReply, SessionOrigin, SessionOutput,
};
use crate::cli::acp::offered_commands::{self, AwaitedEvent};
use crate::cli::acp::session_options::ChosenOption;

impl EditorSession {
    /// Takes that everything which was asked before is done.
    pub(super) fn prompts_sent(&mut self) {
        match self.replies.pop_front() {
            Some(PromptsReply::Opened) => self.opened(),
            Some(PromptsReply::Chosen(request)) => self.answer_choice(request),
            Some(PromptsReply::Done) => self.end_stage(&PromptStage::Doing),
            None => {}
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
                self.command(Command::Prompts);
                self.replies.push_back(PromptsReply::Chosen(request));
            }
            Ok(ChosenOption::Model(model)) if model == self.options.model() => {
                self.answer_choice(request);
            }
            Ok(ChosenOption::Model(model)) => {
                self.command(Command::UseModel(model));
                self.model_choices.push_back(request);
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
        if let Some(request) = self.model_choices.pop_front() {
            return self.answer_choice(request);
        }
        if let Some(hint) = hint {
            self.remark(hint);
        }
        self.end_waiting(AwaitedEvent::Model);
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
