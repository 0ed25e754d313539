//! A conversation that an editor leads: a state machine without input or output.
//!
//! In: requests and answers of the editor, and events of the conversation. Out: messages to the editor, commands to the
//! conversation, and questions to the engine.
//!
//! A prompt is answered once nothing of it goes on: its turn has ended, each proposal that it staged was asked about, and
//! the turns that followed the verdicts have ended too. Proposals are asked about one after another, since a verdict may
//! change those that are left.
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

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use signoff_core::engine::HunkOutcome;
use signoff_core::id::ProposalId;
use signoff_core::plural::counted;
use signoff_core::stage::review::{ProposalView, Ruling};
use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Event, Fault, FaultKind, Phase, TurnEnd};

use super::card::EditorCard;
use super::message::{self, PermissionChoice, PromptBlock, RefusedMessage, RpcError};
use super::offered_proposals::{self, OfferedProposals, ReviewNews};
use super::question;
use super::update::{self, ToldCalls};

/// What comes to a session.
#[derive(Debug)]
pub(super) enum SessionInput {
    Prompt {
        id: Value,
        blocks: Vec<PromptBlock>,
    },
    Cancel,
    Answer {
        number: u64,
        choice: PermissionChoice,
    },
    Event(Box<Event>),
    /// What became of proposals that do not wait any more.
    Outcomes(Vec<HunkOutcome>),
    /// The store or a file of a proposal that is asked about may have changed.
    Changed,
    /// The editor is gone.
    Close,
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
    /// Whether it opens an earlier conversation.
    pub(super) is_load: bool,
}

/// The prompt that the editor waits for.
#[derive(Debug)]
struct RunningPrompt {
    id: Value,
    /// Whether a turn began with it.
    has_begun: bool,
    is_cancelled: bool,
    /// How its newest turn ended, if none runs.
    end: Option<TurnEnd>,
    fault: Option<String>,
}

/// The question about a proposal that is open in the editor.
#[derive(Debug)]
struct ProposalQuestion {
    number: u64,
    proposal: ProposalId,
    card: EditorCard,
}

/// A conversation that an editor leads.
#[derive(Debug)]
pub(super) struct EditorSession {
    root: PathBuf,
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
    question: Option<ProposalQuestion>,
    permissions: BTreeMap<u64, CallId>,
    /// How many questions there were.
    asked: u64,
    calls: ToldCalls,
    out: Vec<SessionOutput>,
}

impl EditorSession {
    /// Returns a session that is being opened.
    pub(super) fn new(root: PathBuf, opening: OpeningRequest) -> Self {
        Self {
            root,
            id: String::new(),
            opening: Some(opening),
            prompt: None,
            is_turn: false,
            deciding: 0,
            awaits_review: false,
            reads: 0,
            proposals: OfferedProposals::default(),
            question: None,
            permissions: BTreeMap::new(),
            asked: 0,
            calls: ToldCalls::default(),
            // The answer comes behind all that is told of what was said before.
            out: vec![SessionOutput::Command(Command::Prompts)],
        }
    }

    /// Returns the request that opens it, if it is not answered.
    pub(super) fn opening(&self) -> Option<&OpeningRequest> {
        self.opening.as_ref()
    }

    /// Returns the files of the proposal that is asked about, if one is.
    pub(super) fn asked_about(&self) -> Option<&str> {
        self.question.as_ref().map(|own| own.card.file())
    }

    /// Takes an input.
    pub(super) fn handle(&mut self, input: SessionInput) {
        match input {
            SessionInput::Prompt { id, blocks } => self.begin(id, &blocks),
            SessionInput::Cancel => self.cancel(),
            SessionInput::Answer { number, choice } => self.answered(number, &choice),
            SessionInput::Event(event) => self.happened(&event),
            SessionInput::Outcomes(hunks) => self.outcomes_read(&hunks),
            SessionInput::Changed => self.command(Command::Review),
            SessionInput::Close => {}
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

    /// Sends an update. Without an id, no session is there that it could be of.
    fn update(&mut self, update: &Value) {
        if self.id.is_empty() {
            return;
        }
        let params = json!({"sessionId": self.id, "update": update});
        let notice = message::notice("session/update", &params);
        self.out.push(SessionOutput::Send(notice));
    }

    fn begin(&mut self, id: Value, blocks: &[PromptBlock]) {
        let text = message::prompt_text(blocks, &self.root);
        let why = if self.prompt.is_some() {
            "a prompt is being worked on; cancel it first"
        } else if text.trim().is_empty() {
            "the prompt is empty"
        } else {
            self.proposals.ask_again();
            self.prompt = Some(RunningPrompt {
                id,
                has_begun: false,
                is_cancelled: false,
                end: None,
                fault: None,
            });
            return self.command(Command::Submit(text));
        };
        self.fail(id, RpcError::InvalidRequest, why.to_owned());
    }

    fn fail(&mut self, id: Value, error: RpcError, why: String) {
        let refused = RefusedMessage { id, error, why };
        self.out.push(SessionOutput::Send(refused.value()));
    }

    fn cancel(&mut self) {
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        prompt.is_cancelled = true;
        // The editor answers what it was asked by itself, and is not waited for.
        self.permissions.clear();
        self.question = None;
        self.command(Command::Cancel);
    }

    fn answered(&mut self, number: u64, choice: &PermissionChoice) {
        if let Some(call) = self.permissions.remove(&number) {
            let grant = question::grant(choice);
            return self.command(Command::Permit { call, grant });
        }
        let Some(asked) = self.question.take_if(|own| own.number == number) else {
            // It was closed meanwhile.
            return;
        };
        match question::verdict(choice) {
            Some(verdict) => {
                let ruling = |hunk| Ruling {
                    hunk,
                    verdict: verdict.clone(),
                };
                let rulings = asked.card.hunks.iter().copied().map(ruling);
                let rulings = rulings.collect();
                self.deciding += 1;
                self.command(Command::Decide(rulings));
            }
            None => self.proposals.leave(Some(asked.proposal)),
        }
    }

    fn happened(&mut self, event: &Event) {
        match event {
            Event::Session { id, .. } => self.id.clone_from(id),
            Event::Prompts { .. } => self.opened(),
            Event::User { .. } => {
                if let Some(prompt) = &mut self.prompt {
                    prompt.has_begun = true;
                }
                self.turn_runs();
            }
            Event::Phase {
                phase: Phase::Asking | Phase::Working | Phase::Closing,
            } => self.turn_runs(),
            Event::PermissionAsked {
                call,
                tool,
                subject,
            } => {
                let params = question::about_call(call, tool, subject);
                let number = self.ask(params);
                self.permissions.insert(number, call.clone());
            }
            Event::Staged { proposals } => self.staged(proposals),
            Event::Review { proposals } => self.reviewed(proposals),
            Event::Decided { .. } | Event::Undecided => {
                self.deciding = self.deciding.saturating_sub(1);
                self.awaits_review = true;
            }
            Event::TurnEnded { end } => self.turn_ended(*end),
            Event::Unsent { .. } => self.unsent(),
            Event::Fault(fault) => self.failed(fault),
            _ => {}
        }
        if let Event::CallDone { call, .. } = event {
            self.close_permission(call);
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

    /// Answers the request that opened the session: everything that was said before has been told.
    fn opened(&mut self) {
        let Some(OpeningRequest { id, is_load }) = self.opening.take() else {
            return;
        };
        let result = if is_load {
            json!({})
        } else {
            json!({"sessionId": self.id})
        };
        self.out.push(SessionOutput::Opened(self.id.clone()));
        let answer = message::answer(&id, &result);
        self.out.push(SessionOutput::Send(answer));
    }

    fn turn_runs(&mut self) {
        self.is_turn = true;
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        prompt.end = None;
        // A verdict that was on its way when the user cancelled may begin a turn.
        if prompt.is_cancelled && prompt.has_begun {
            self.command(Command::Cancel);
        }
    }

    fn turn_ended(&mut self, end: TurnEnd) {
        self.is_turn = false;
        if let Some(prompt) = &mut self.prompt {
            prompt.end = Some(end);
        }
        if self.proposals.waiting() > 0 {
            self.awaits_review = true;
            self.command(Command::Review);
        }
    }

    /// Takes that the prompt was not sent; the fault before says why.
    fn unsent(&mut self) {
        if let Some(prompt) = self.prompt.take_if(|own| !own.has_begun) {
            let why = prompt.fault.unwrap_or_else(|| "not sent".to_owned());
            self.fail(prompt.id, RpcError::InvalidParams, why);
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
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        prompt.fault = Some(told);
        if fault.kind == FaultKind::Usage {
            self.unsent();
        }
    }

    fn staged(&mut self, proposals: &[ProposalView]) {
        for view in proposals {
            let update = self.proposals.stage(view, &self.root);
            self.update(&update);
        }
    }

    /// Takes the review list: shows what reads differently, and closes the question about what does, or waits no more.
    fn reviewed(&mut self, list: &[ProposalView]) {
        self.awaits_review = false;
        let ReviewNews {
            updates,
            changed,
            gone,
        } = self.proposals.review(list, &self.root);
        updates.iter().for_each(|update| self.update(update));
        let is_news = |own: &mut ProposalQuestion| {
            gone.contains(&own.proposal) || changed.contains(&own.proposal)
        };
        if let Some(asked) = self.question.take_if(is_news) {
            self.close_question(asked.number);
        }
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

    /// Sends a question and returns its number.
    fn ask(&mut self, mut params: Value) -> u64 {
        self.asked += 1;
        if let Some(params) = params.as_object_mut() {
            params.insert("sessionId".to_owned(), self.id.clone().into());
        }
        self.out.push(SessionOutput::Send(json!({
            "jsonrpc": "2.0",
            "id": format!("{}#{}", self.id, self.asked),
            "method": "session/request_permission",
            "params": params,
        })));
        self.asked
    }

    /// Takes a question back; an answer that comes nevertheless is to nothing.
    fn close_question(&mut self, number: u64) {
        let params = json!({"requestId": format!("{}#{number}", self.id)});
        let notice = message::notice("$/cancel_request", &params);
        self.out.push(SessionOutput::Send(notice));
    }

    fn close_permission(&mut self, call: &CallId) {
        let mut open = self.permissions.iter();
        if let Some(number) = open.find(|(_, own)| *own == call).map(|(own, _)| *own) {
            self.permissions.remove(&number);
            self.close_question(number);
        }
    }

    /// Asks about the next proposal, or answers the prompt, if nothing of it goes on.
    fn advance(&mut self) {
        let is_quiet = !self.is_turn
            && self.deciding == 0
            && !self.awaits_review
            && self.reads == 0
            && self.question.is_none();
        let Some(prompt) = &self.prompt else {
            return;
        };
        let Some(end) = prompt.end.filter(|_| is_quiet) else {
            return;
        };
        let next = self.proposals.next().filter(|_| !prompt.is_cancelled);
        if let Some((proposal, card)) = next {
            let card = card.clone();
            let params = question::about_proposal(&proposal.to_string(), &card);
            let number = self.ask(params);
            self.question = Some(ProposalQuestion {
                number,
                proposal,
                card,
            });
            return;
        }
        self.answer_prompt(end);
    }

    fn answer_prompt(&mut self, end: TurnEnd) {
        let waiting = self.proposals.waiting();
        if waiting > 0 {
            let told = format!(
                "{} staged and not written: `signoff review` shows what waits",
                counted(waiting, "proposal")
            );
            self.update(&update::remark(&told));
        }
        let Some(prompt) = self.prompt.take() else {
            return;
        };
        let reason = match end {
            _ if prompt.is_cancelled => "cancelled",
            TurnEnd::Cancelled => "cancelled",
            TurnEnd::Done | TurnEnd::Review | TurnEnd::Unmet => "end_turn",
            TurnEnd::Limit => "max_turn_requests",
            TurnEnd::Failed => {
                let why = prompt.fault.unwrap_or_else(|| "the turn failed".to_owned());
                return self.fail(prompt.id, RpcError::Internal, why);
            }
        };
        let answer = message::answer(&prompt.id, &json!({"stopReason": reason}));
        self.out.push(SessionOutput::Send(answer));
    }
}

#[cfg(test)]
mod tests;
