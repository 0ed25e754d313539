//! A conversation that an editor leads: a state machine without input or output.
//!
//! In: requests and answers of the editor, and events of the conversation. Out: messages to the editor, commands to the
//! conversation, and questions to the engine.
//!
//! A prompt ends once nothing of it goes on: its turn has ended, each proposal that it staged was asked about, and the turns
//! that followed the verdicts have ended too. Proposals are asked about one after another, since a verdict may change those
//! that are left. What waits of an earlier conversation is asked about as soon as that is open. A prompt that comes while a
//! proposal is asked about leaves the proposal staged.
//!
//! ```text
//! editor                              here                           conversation
//! session/prompt "rename a to b" ->                       Submit ->
//!                                <- tool_call, diff               <- Staged, TurnEnded(Review)
//!                                <- request_permission             <- Review
//! selected "approve"             ->                       Decide ->
//!                                <- tool_call_update, completed    <- Decided, Review
//!                                <- stopReason end_turn
//! ```

use std::collections::BTreeSet;
use std::path::PathBuf;

use agent_client_protocol_schema::v1::{
    AgentResponse, ContentBlock, ErrorCode, RequestId, SessionId, SessionUpdate,
};
use serde_json::Value;
use signoff_core::engine::HunkOutcome;
use signoff_core::id::ProposalId;
use signoff_core::stage::review::{ReviewListing, StagedProposals};
use signoff_llm::session::{
    CallEvent, Command, Event, Fault, FaultKind, NamedSkill, Phase, TurnEnd,
};
use signoff_tui::event_lines::EventLine;

use super::card::EditorCard;
use super::connection::AgentMessage;
use super::offered_commands::AwaitedEvent;
use super::offered_proposals::{self, OfferedProposals, ReviewNews};
use super::session_options::SessionOptions;
use super::update::UpdateBuilder;
use asking::EditorQuestions;
use prompting::{PromptStage, RunningPrompt};

mod asking;
mod choosing;
mod prompting;

/// What comes to a session.
#[derive(Debug)]
pub(super) enum SessionInput {
    Prompt {
        id: RequestId,
        blocks: Vec<ContentBlock>,
    },
    Cancel,
    Configure {
        request: ChoiceRequest,
        option: String,
        value: String,
    },
    /// An answer to the question of this number; null for an error.
    Answer {
        number: u64,
        result: Value,
    },
    Event(Box<Event>),
    /// What became of proposals that do not wait any more.
    Outcomes(Vec<HunkOutcome>),
    /// The models that the server lists.
    Models(Vec<String>),
    /// The store or a file of a proposal that is asked about may have changed.
    Changed,
    /// The editor is gone, or closes the conversation by the request of this id.
    Close(Option<RequestId>),
}

/// What a session has done.
#[derive(Debug)]
pub(super) enum SessionOutput {
    Send(Box<AgentMessage>),
    Command(Command),
    ReadOutcomes(Vec<ProposalId>),
    /// The conversation is open under this id.
    Opened(SessionId),
    /// A line for whoever looks after the server, before the editor can show it.
    Remark(String),
}

/// Which conversation is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionOrigin {
    New,
    /// An earlier one.
    Earlier {
        session: SessionId,
        /// Whether what was said in it is told.
        is_replayed: bool,
    },
}

/// The request that opens a session, until it is answered.
#[derive(Debug)]
pub(super) struct OpeningRequest {
    pub(super) id: RequestId,
    pub(super) origin: SessionOrigin,
}

/// A request that chooses a mode or a model.
#[derive(Debug)]
pub(super) struct ChoiceRequest {
    pub(super) id: RequestId,
    /// Whether it is the request that is for modes alone, which has an answer of its own.
    pub(super) is_mode_request: bool,
}

/// What is the same as long as a conversation is open.
#[derive(Debug)]
pub(super) struct SessionSetting {
    pub(super) root: PathBuf,
    /// Whether the editor shows forms.
    pub(super) has_forms: bool,
    /// What the ids of messages begin with.
    pub(super) message_prefix: String,
    /// Whether the workspace lets edits be written at once.
    pub(super) may_write_through: bool,
}

/// What is done once the conversation has told something that is awaited.
#[derive(Debug)]
enum AwaitedReply {
    /// The request that opens the session is answered.
    Opened,
    /// A choice is answered.
    Chosen(ChoiceRequest),
    /// The prompt, which was a command, ends.
    CommandDone,
}

/// What goes on, beside the prompt. While anything does, the user is asked about no proposal and no prompt ends.
#[derive(Debug, Default)]
struct Underway {
    is_turn: bool,
    /// Verdicts that are not carried out yet.
    verdicts: usize,
    /// Whether the review list is awaited.
    is_review: bool,
    /// Questions to the engine that are not answered.
    reads: usize,
}

impl Underway {
    fn is_nothing(&self) -> bool {
        !self.is_turn && self.verdicts == 0 && !self.is_review && self.reads == 0
    }
}

/// A conversation that an editor leads.
#[derive(Debug)]
pub(super) struct EditorSession {
    root: PathBuf,
    has_forms: bool,
    /// Empty until the conversation says it.
    id: SessionId,
    opening: Option<OpeningRequest>,
    prompt: Option<RunningPrompt>,
    underway: Underway,
    proposals: OfferedProposals,
    /// What an earlier conversation had staged.
    ours: BTreeSet<ProposalId>,
    /// Whether the user is asked although no prompt is worked on.
    asks_unprompted: bool,
    /// Proposals that the user denies by the next prompt, as they were shown.
    denied_next: Vec<(ProposalId, EditorCard)>,
    asking: EditorQuestions,
    /// What the conversation is to tell, and what is done then, in the order in which it was asked.
    awaited: Vec<(AwaitedEvent, AwaitedReply)>,
    options: SessionOptions,
    skills: Vec<NamedSkill>,
    updates: UpdateBuilder,
    out: Vec<SessionOutput>,
}

impl EditorSession {
    /// Returns a session that is being opened.
    pub(super) fn new(setting: SessionSetting, opening: OpeningRequest) -> Self {
        Self {
            root: setting.root,
            has_forms: setting.has_forms,
            id: SessionId::new(""),
            opening: Some(opening),
            prompt: None,
            underway: Underway::default(),
            proposals: OfferedProposals::default(),
            ours: BTreeSet::new(),
            asks_unprompted: false,
            denied_next: Vec::new(),
            asking: EditorQuestions::default(),
            awaited: vec![(AwaitedEvent::Prompts, AwaitedReply::Opened)],
            options: SessionOptions::new(setting.may_write_through),
            skills: Vec::new(),
            updates: UpdateBuilder::new(setting.message_prefix),
            // The answer comes behind all that is told of what was said before.
            out: vec![SessionOutput::Command(Command::Prompts)],
        }
    }

    /// Returns the request that opens it, if it is not answered.
    pub(super) fn opening(&self) -> Option<&OpeningRequest> {
        self.opening.as_ref()
    }

    /// Returns the id of the conversation, once it is known.
    pub(super) fn id(&self) -> &SessionId {
        &self.id
    }

    /// Returns the file of the proposal that is asked about, if one is.
    pub(super) fn asked_about(&self) -> Option<&str> {
        self.asking.file()
    }

    /// Takes an input.
    pub(super) fn handle(&mut self, input: SessionInput) {
        match input {
            SessionInput::Prompt { id, blocks } => self.begin(id, &blocks),
            SessionInput::Cancel => self.cancel(),
            SessionInput::Configure {
                request,
                option,
                value,
            } => self.configure(request, &option, &value),
            SessionInput::Answer { number, result } => self.answered(number, &result),
            SessionInput::Event(event) => self.happened(&event),
            SessionInput::Outcomes(hunks) => self.outcomes_read(&hunks),
            SessionInput::Models(models) => self.models_listed(models),
            SessionInput::Changed => self.command(Command::Review),
            SessionInput::Close(_) => self.end_at_once(),
        }
        self.advance();
    }

    /// Returns what there is to do, in order.
    pub(super) fn take_outputs(&mut self) -> Vec<SessionOutput> {
        std::mem::take(&mut self.out)
    }

    fn command(&mut self, command: Command) {
        self.out.push(SessionOutput::Command(command));
    }

    fn send(&mut self, message: AgentMessage) {
        self.out.push(SessionOutput::Send(Box::new(message)));
    }

    fn answer(&mut self, id: RequestId, response: AgentResponse) {
        self.send(AgentMessage::answer(id, response));
    }

    fn fail(&mut self, id: RequestId, code: ErrorCode, why: impl Into<String>) {
        self.send(AgentMessage::refusal(id, code, why));
    }

    /// Tells the editor something. Of a conversation that begins it knows nothing before that is open.
    fn update(&mut self, update: SessionUpdate) {
        let origin = self.opening.as_ref().map(|opening| &opening.origin);
        if origin == Some(&SessionOrigin::New) || self.id.0.is_empty() {
            return;
        }
        // The editor shows these between two chunks.
        let is_between = matches!(
            update,
            SessionUpdate::ToolCall(_) | SessionUpdate::ToolCallUpdate(_) | SessionUpdate::Plan(_)
        );
        if is_between {
            self.updates.interrupt();
        }
        self.send(AgentMessage::update(&self.id, update));
    }

    fn remark(&mut self, text: &str) {
        let remark = self.updates.remark(text);
        self.update(remark);
    }

    fn happened(&mut self, event: &Event) {
        match event {
            Event::Session { id, staged, .. } => {
                self.id = SessionId::new(id.as_str());
                self.ours.extend(staged);
            }
            Event::Prompts { .. } => self.told(AwaitedEvent::Prompts),
            Event::Skills { skills } => self.skills.clone_from(skills),
            Event::Mode { mode } => self.mode_chosen(*mode),
            Event::Ready { about, hint } => self.model_chosen(&about.model, hint.as_deref()),
            Event::User { .. } => {
                self.prompt_stands();
                self.turn_runs();
            }
            Event::Phase {
                phase: Phase::Asking | Phase::Working | Phase::Closing,
            } => self.turn_runs(),
            Event::PermissionAsked {
                call,
                tool,
                subject,
            } => self.ask_about_call(call, tool, subject),
            Event::Staged(staged) => self.staged(staged),
            Event::Review(list) => self.reviewed(list),
            Event::Decided { .. } => self.decided(true),
            Event::Undecided => self.decided(false),
            Event::TurnEnded { end } => self.turn_ended(*end),
            Event::Unsent { .. } => self.unsent(),
            Event::Fault(fault) => self.failed(fault),
            _ => {}
        }
        if let Event::Call(CallEvent::Done { call, .. }) = event {
            self.close_permission(call);
        }
        self.show(event);
        if let Event::Servers(_) = event {
            self.told(AwaitedEvent::Servers);
        }
    }

    /// Tells the editor of an event.
    fn show(&mut self, event: &Event) {
        let is_replayed = match self.opening.as_ref().map(|own| &own.origin) {
            Some(SessionOrigin::Earlier { is_replayed, .. }) => *is_replayed,
            Some(SessionOrigin::New) | None => true,
        };
        if matches!(event, Event::Earlier { .. } | Event::EarlierCall { .. }) && !is_replayed {
            return;
        }
        if let (Event::Info { text }, Some(_)) = (event, &self.opening) {
            self.out.push(SessionOutput::Remark(text.clone()));
            return;
        }
        for update in self.updates.updates(event) {
            self.update(update);
        }
    }

    fn turn_runs(&mut self) {
        self.underway.is_turn = true;
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        prompt.end = None;
        // A verdict that was on its way when the user cancelled may begin a turn.
        if prompt.is_cancelled && prompt.stage == PromptStage::Begun {
            self.command(Command::Cancel);
        }
    }

    fn turn_ended(&mut self, end: TurnEnd) {
        self.underway.is_turn = false;
        // Otherwise a verdict began it, before the prompt.
        if let Some(prompt) = &mut self.prompt
            && prompt.stage == PromptStage::Begun
        {
            prompt.end = Some(end);
        }
        if self.proposals.waiting() > 0 {
            self.underway.is_review = true;
            self.command(Command::Review);
        }
    }

    fn failed(&mut self, fault: &Fault) {
        let told = EventLine::fault(fault).in_one();
        match self.opening {
            Some(_) => self.out.push(SessionOutput::Remark(told.clone())),
            None => self.remark(&told),
        }
        if self.underway.is_review && self.underway.verdicts == 0 && !self.underway.is_turn {
            // What waits cannot be read; nothing is asked about that was not shown as it is.
            self.underway.is_review = false;
            self.proposals.leave(None);
        }
        let is_usage = fault.kind == FaultKind::Usage;
        let awaited = if is_usage {
            self.take_awaited(AwaitedEvent::Model)
        } else {
            None
        };
        if let Some(AwaitedReply::Chosen(request)) = awaited {
            return self.fail(request.id, ErrorCode::InvalidParams, told);
        }
        if let Some(prompt) = &mut self.prompt {
            prompt.fault = Some(told);
        }
        if let Some(reply) = awaited {
            self.reply(reply);
        }
        if is_usage {
            self.unsent();
        }
    }

    fn staged(&mut self, staged: &StagedProposals) {
        for view in staged.iter() {
            let update = self.proposals.stage(view, &self.root);
            self.update(update);
        }
        self.reviewed(&staged.listing);
    }

    /// Takes the review list: shows what reads differently, and closes the question about what does, or waits no more.
    fn reviewed(&mut self, list: &ReviewListing) {
        self.underway.is_review = false;
        let taken_up = self.proposals.take_up(list, &self.ours, &self.root);
        let ReviewNews {
            updates,
            changed,
            gone,
        } = self.proposals.review(list, &self.root);
        for update in taken_up.into_iter().chain(updates) {
            self.update(update);
        }
        self.close_question_about(&[changed.as_slice(), gone.as_slice()].concat());
        if !gone.is_empty() {
            self.underway.reads += 1;
            self.out.push(SessionOutput::ReadOutcomes(gone));
        }
    }

    fn outcomes_read(&mut self, hunks: &[HunkOutcome]) {
        self.underway.reads = self.underway.reads.saturating_sub(1);
        for update in offered_proposals::outcome_updates(hunks) {
            self.update(update);
        }
    }

    /// Asks about the next proposal, or ends the prompt, if nothing of it goes on.
    fn advance(&mut self) {
        let is_busy = !self.underway.is_nothing() || self.asking.is_about_proposal();
        if is_busy || self.opening.is_some() {
            return;
        }
        let asks = match &self.prompt {
            Some(prompt) if prompt.end.is_none() => return,
            Some(prompt) => prompt.asks && !prompt.is_cancelled,
            None => self.asks_unprompted,
        };
        let next = self.proposals.next().filter(|_| asks);
        if let Some((proposal, card)) = next {
            let card = card.clone();
            return self.ask_about_proposal(proposal, card);
        }
        self.asks_unprompted = false;
        if self.prompt.is_some() {
            self.end_prompt();
        }
    }
}

#[cfg(test)]
mod tests;
