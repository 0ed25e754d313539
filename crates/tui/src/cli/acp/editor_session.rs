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
//! Nothing here depends on the version of the protocol, but when a prompt is answered: in version 1 at its end, in the draft
//! as soon as it stands in the conversation.
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

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use serde_json::{Value, json};
use signoff_core::engine::HunkOutcome;
use signoff_core::id::ProposalId;
use signoff_core::stage::review::{ProposalView, StagedProposals};
use signoff_llm::session::{Command, Event, Fault, FaultKind, NamedSkill, Phase, TurnEnd};

use super::card::EditorCard;
use super::message::{self, EditorAnswer, OptionChange, RefusedMessage, RpcError, SessionOrigin};
use super::offered_commands::AwaitedEvent;
use super::offered_proposals::{self, OfferedProposals, ReviewNews};
use super::prompt::EditorPrompt;
use super::protocol::{EditorClient, MessageIds};
use super::session_options::SessionOptions;
use super::update::{self, EditorUpdate, PromptEnd, SessionActivity, ToldCalls};
use asking::EditorQuestions;
use prompting::{PromptStage, RunningPrompt};

mod asking;
mod choosing;
mod prompting;

/// What comes to a session.
#[derive(Debug)]
pub(super) enum SessionInput {
    Prompt {
        id: Value,
        prompt: EditorPrompt,
    },
    Cancel,
    Configure {
        id: Value,
        change: OptionChange,
    },
    Answer {
        number: u64,
        answer: EditorAnswer,
    },
    Event(Box<Event>),
    /// What became of proposals that do not wait any more.
    Outcomes(Vec<HunkOutcome>),
    /// The models that the server lists.
    Models(Vec<String>),
    /// The store or a file of a proposal that is asked about may have changed.
    Changed,
    /// The editor is gone, or closes the conversation by the request of this id.
    Close(Option<Value>),
}

/// What a session has done.
#[derive(Debug)]
pub(super) enum SessionOutput {
    Send(Value),
    Command(Command),
    ReadOutcomes(Vec<ProposalId>),
    /// The conversation is open under this id.
    Opened(String),
    /// A line for whoever looks after the server, before the editor can show it.
    Remark(String),
}

/// The request that opens a session, until it is answered.
#[derive(Debug)]
pub(super) struct OpeningRequest {
    pub(super) id: Value,
    pub(super) origin: SessionOrigin,
}

/// What is the same as long as a conversation is open.
#[derive(Debug)]
pub(super) struct SessionSetting {
    pub(super) root: PathBuf,
    pub(super) client: EditorClient,
    /// What the ids of messages begin with.
    pub(super) message_prefix: String,
    /// Whether the workspace lets edits be written at once.
    pub(super) may_write_through: bool,
}

/// What is to be done once the conversation has sent its prompts: what was asked of it before is done by then.
#[derive(Debug)]
enum PromptsReply {
    /// Answer the request that opens the session.
    Opened,
    /// Answer a choice, by the request that version 1 has for modes if the flag is true.
    Chosen(Value, bool),
    /// End the prompt, which was a command.
    Done,
}

/// A conversation that an editor leads.
#[derive(Debug)]
pub(super) struct EditorSession {
    root: PathBuf,
    client: EditorClient,
    /// Empty until the conversation says it.
    id: String,
    opening: Option<OpeningRequest>,
    prompt: Option<RunningPrompt>,
    is_turn: bool,
    /// Verdicts that are not carried out yet.
    deciding: usize,
    awaits_review: bool,
    /// How many questions to the engine are not answered.
    reads: usize,
    proposals: OfferedProposals,
    /// What an earlier conversation had staged.
    ours: BTreeSet<ProposalId>,
    /// Whether the user is asked although no prompt is worked on.
    asks_unprompted: bool,
    /// Proposals that the user denies by the next prompt, as they were shown.
    denied_next: Vec<(ProposalId, EditorCard)>,
    asking: EditorQuestions,
    replies: VecDeque<PromptsReply>,
    /// Choices of a model that are not carried out.
    model_choices: VecDeque<Value>,
    options: SessionOptions,
    skills: Vec<NamedSkill>,
    calls: ToldCalls,
    messages: MessageIds,
    /// What the editor was told last of what goes on.
    activity: SessionActivity,
    /// How what went on last ended.
    ended: Option<PromptEnd>,
    out: Vec<SessionOutput>,
}

impl EditorSession {
    /// Returns a session that is being opened.
    pub(super) fn new(setting: SessionSetting, opening: OpeningRequest) -> Self {
        Self {
            root: setting.root,
            client: setting.client,
            id: String::new(),
            opening: Some(opening),
            prompt: None,
            is_turn: false,
            deciding: 0,
            awaits_review: false,
            reads: 0,
            proposals: OfferedProposals::default(),
            ours: BTreeSet::new(),
            asks_unprompted: false,
            denied_next: Vec::new(),
            asking: EditorQuestions::default(),
            replies: VecDeque::from([PromptsReply::Opened]),
            model_choices: VecDeque::new(),
            options: SessionOptions::new(setting.may_write_through),
            skills: Vec::new(),
            calls: ToldCalls::default(),
            messages: MessageIds::new(setting.message_prefix),
            activity: SessionActivity::Idle(None),
            ended: None,
            // The answer comes behind all that is told of what was said before.
            out: vec![SessionOutput::Command(Command::Prompts)],
        }
    }

    /// Returns the request that opens it, if it is not answered.
    pub(super) fn opening(&self) -> Option<&OpeningRequest> {
        self.opening.as_ref()
    }

    /// Returns the id of the conversation, once it is known.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the file of the proposal that is asked about, if one is.
    pub(super) fn asked_about(&self) -> Option<&str> {
        self.asking.file()
    }

    /// Takes an input.
    pub(super) fn handle(&mut self, input: SessionInput) {
        match input {
            SessionInput::Prompt { id, prompt } => self.begin(id, prompt),
            SessionInput::Cancel => self.cancel(),
            SessionInput::Configure { id, change } => self.configure(id, change),
            SessionInput::Answer { number, answer } => self.answered(number, &answer),
            SessionInput::Event(event) => self.happened(&event),
            SessionInput::Outcomes(hunks) => self.outcomes_read(&hunks),
            SessionInput::Models(models) => self.models_listed(models),
            SessionInput::Changed => self.command(Command::Review),
            SessionInput::Close(_) => self.end_at_once(),
        }
        self.advance();
        self.tell_activity();
    }

    /// Returns what there is to do, in order.
    pub(super) fn take_outputs(&mut self) -> Vec<SessionOutput> {
        std::mem::take(&mut self.out)
    }

    fn command(&mut self, command: Command) {
        self.out.push(SessionOutput::Command(command));
    }

    fn answer(&mut self, id: &Value, result: &Value) {
        let answer = message::answer(id, result);
        self.out.push(SessionOutput::Send(answer));
    }

    fn fail(&mut self, id: Value, error: RpcError, why: String) {
        let refused = RefusedMessage { id, error, why };
        self.out.push(SessionOutput::Send(refused.value()));
    }

    /// Tells the editor something. Of a conversation that begins it knows nothing before that is open.
    fn update(&mut self, update: &EditorUpdate) {
        let origin = self.opening.as_ref().map(|own| &own.origin);
        if origin == Some(&SessionOrigin::New) || self.id.is_empty() {
            return;
        }
        for update in self.client.version.updates(update, &mut self.messages) {
            let params = json!({"sessionId": self.id, "update": update});
            let notice = message::notice("session/update", &params);
            self.out.push(SessionOutput::Send(notice));
        }
    }

    fn happened(&mut self, event: &Event) {
        match event {
            Event::Session { id, staged, .. } => {
                self.id.clone_from(id);
                self.ours.extend(staged);
            }
            Event::Prompts { .. } => self.prompts_sent(),
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
            Event::Review(list) => self.reviewed(&list.proposals),
            Event::Decided { .. } => self.decided(true),
            Event::Undecided => self.decided(false),
            Event::TurnEnded { end } => self.turn_ended(*end),
            Event::Unsent { .. } => self.unsent(),
            Event::Fault(fault) => self.failed(fault),
            _ => {}
        }
        if let Event::CallDone { call, .. } = event {
            self.close_permission(call);
        }
        self.show(event);
        if let Event::Servers(_) = event {
            self.end_waiting(AwaitedEvent::Servers);
        }
    }

    /// Tells the editor of an event.
    fn show(&mut self, event: &Event) {
        let is_replayed = match self.opening.as_ref().map(|own| &own.origin) {
            Some(SessionOrigin::Earlier { is_replayed, .. }) => *is_replayed,
            Some(SessionOrigin::New) | None => true,
        };
        if matches!(event, Event::Earlier { .. }) && !is_replayed {
            return;
        }
        for update in self.calls.updates(event) {
            match (event, &self.opening) {
                (Event::Info { text }, Some(_)) => {
                    self.out.push(SessionOutput::Remark(text.clone()));
                }
                _ => self.update(&update),
            }
        }
    }

    fn turn_runs(&mut self) {
        self.is_turn = true;
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
        self.is_turn = false;
        match &mut self.prompt {
            Some(prompt) if prompt.stage == PromptStage::Begun => prompt.end = Some(end),
            // It was begun by a verdict, before the prompt.
            Some(_) => {}
            None => self.ended = Some(prompting::end_of(end)),
        }
        if self.proposals.waiting() > 0 {
            self.awaits_review = true;
            self.command(Command::Review);
        }
    }

    fn failed(&mut self, fault: &Fault) {
        let told = match &fault.hint {
            Some(hint) => format!("{}; {hint}", fault.message),
            None => fault.message.clone(),
        };
        match self.opening {
            Some(_) => self.out.push(SessionOutput::Remark(told.clone())),
            None => self.update(&update::remark(&told)),
        }
        if self.awaits_review && self.deciding == 0 && !self.is_turn {
            // What waits cannot be read; nothing is asked about that was not shown as it is.
            self.awaits_review = false;
            self.proposals.leave(None);
        }
        let is_usage = fault.kind == FaultKind::Usage;
        if is_usage && let Some(id) = self.model_choices.pop_front() {
            return self.fail(id, RpcError::InvalidParams, told);
        }
        if let Some(prompt) = &mut self.prompt {
            prompt.fault = Some(told);
        }
        if is_usage {
            self.end_waiting(AwaitedEvent::Model);
            self.unsent();
        }
    }

    fn staged(&mut self, staged: &StagedProposals) {
        for view in staged.iter() {
            let update = self.proposals.stage(view, &self.root);
            self.update(&update);
        }
        self.reviewed(&staged.listing.proposals);
    }

    /// Takes the review list: shows what reads differently, and closes the question about what does, or waits no more.
    fn reviewed(&mut self, list: &[ProposalView]) {
        self.awaits_review = false;
        let taken_up = self.proposals.take_up(list, &self.ours, &self.root);
        let ReviewNews {
            updates,
            changed,
            gone,
        } = self.proposals.review(list, &self.root);
        for update in taken_up.iter().chain(&updates) {
            self.update(update);
        }
        self.close_question_about(&[changed.as_slice(), gone.as_slice()].concat());
        if !gone.is_empty() {
            self.reads += 1;
            self.out.push(SessionOutput::ReadOutcomes(gone));
        }
    }

    fn outcomes_read(&mut self, hunks: &[HunkOutcome]) {
        self.reads = self.reads.saturating_sub(1);
        let updates = offered_proposals::outcome_updates(hunks);
        updates.iter().for_each(|update| self.update(update));
    }

    /// Asks about the next proposal, or ends the prompt, if nothing of it goes on.
    fn advance(&mut self) {
        let is_quiet = !self.is_turn
            && self.deciding == 0
            && !self.awaits_review
            && self.reads == 0
            && self.opening.is_none()
            && !self.asking.is_about_proposal();
        if !is_quiet {
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

    /// Tells the editor what goes on, if that is something else than before.
    fn tell_activity(&mut self) {
        let is_taken = self.prompt.as_ref().is_some_and(|prompt| prompt.is_taken);
        let now = if self.asking.is_open() {
            SessionActivity::AwaitsUser
        } else if is_taken || self.is_turn || self.deciding > 0 {
            SessionActivity::Running
        } else {
            SessionActivity::Idle(None)
        };
        let told = match (self.activity, now) {
            (SessionActivity::Idle(_), SessionActivity::Idle(_)) => return,
            (before, now) if before == now => return,
            (_, SessionActivity::Idle(_)) => SessionActivity::Idle(self.ended.take()),
            (_, now) => now,
        };
        if self.opening.is_none() {
            self.activity = told;
            self.update(&EditorUpdate::Activity(told));
        }
    }
}

#[cfg(test)]
mod tests;
