//! Prompts: how one begins, and how it ends.
//!
//! In: what the user sends, and what becomes of it. Out: commands to the conversation, and the answer to the prompt.
//!
//! ```text
//! "rename a to b"                     Submit, and the turn
//! "keep the old name"                 Decide: the reason of a denial that waits for it, and the turn that answers it
//! "/deny too long"                    Decide, for all that waits
//! "/compact"                          Compact, and no turn
//! ```

use serde_json::{Value, json};
use signoff_core::id::ProposalId;
use signoff_core::plural::counted;
use signoff_llm::session::{Command, TurnEnd};

use super::{EditorSession, PromptsReply};
use crate::cli::acp::card::EditorCard;
use crate::cli::acp::message::RpcError;
use crate::cli::acp::offered_commands::{self, AwaitedEvent, PromptRequest};
use crate::cli::acp::prompt::{EditorPrompt, PromptContent};
use crate::cli::acp::protocol::{self, ProtocolVersion};
use crate::cli::acp::question::MAX_REASON;
use crate::cli::acp::update::{self, EditorUpdate, PromptEnd};

/// The prompt that the editor waits for.
#[derive(Debug)]
pub(super) struct RunningPrompt {
    request: Value,
    /// What the editor sent.
    echo: Vec<Value>,
    /// Whether it stands in the conversation, as far as the editor was told.
    pub(super) is_taken: bool,
    pub(super) stage: PromptStage,
    /// Whether the user is asked about what waits before it ends.
    pub(super) asks: bool,
    pub(super) is_cancelled: bool,
    /// How its newest turn ended, if none runs.
    pub(super) end: Option<TurnEnd>,
    pub(super) fault: Option<String>,
}

/// How far a prompt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PromptStage {
    /// It was sent to the conversation, and no turn began.
    Sent,
    /// It denies proposals.
    Denying {
        /// What is sent afterwards: always, or only where nothing was denied because the prompt is the reason.
        then: Option<PromptContent>,
        is_reason: bool,
        /// How many verdicts are carried out before.
        before: usize,
    },
    /// It is a command that is done once the conversation has sent its prompts.
    Doing,
    /// It is a command that an event tells the end of.
    Awaits(AwaitedEvent),
    /// Its turn runs or has run, or it needs none.
    Begun,
}

/// Returns how a prompt ends by the end of its last turn.
pub(super) fn end_of(end: TurnEnd) -> PromptEnd {
    match end {
        TurnEnd::Done | TurnEnd::Review | TurnEnd::Unmet => PromptEnd::Done,
        TurnEnd::Limit => PromptEnd::Limit,
        TurnEnd::Cancelled => PromptEnd::Cancelled,
        TurnEnd::Failed => PromptEnd::Failed,
    }
}

impl EditorSession {
    /// Takes a prompt.
    pub(super) fn begin(&mut self, request: Value, prompt: EditorPrompt) {
        let content = match prompt.content(&self.root) {
            Ok(content) => content,
            Err(why) => return self.fail(request, RpcError::InvalidParams, why),
        };
        if content.text.trim().is_empty() && content.images.is_empty() {
            let why = "the prompt is empty".to_owned();
            return self.fail(request, RpcError::InvalidRequest, why);
        }
        let is_over = |own: &RunningPrompt| own.end.is_some() && self.asking.is_about_proposal();
        if self.prompt.as_ref().is_some_and(|own| !is_over(own)) {
            let why = "a prompt is being worked on; cancel it first".to_owned();
            return self.fail(request, RpcError::InvalidRequest, why);
        }
        self.put_off();
        if self.prompt.is_some() {
            self.end_prompt();
        }
        self.prompt = Some(RunningPrompt {
            request,
            echo: prompt.echo,
            is_taken: false,
            stage: PromptStage::Begun,
            asks: false,
            is_cancelled: false,
            end: Some(TurnEnd::Done),
            fault: None,
        });
        self.carry_out(content);
    }

    fn carry_out(&mut self, content: PromptContent) {
        let is_plain = content.is_typed && content.images.is_empty();
        let asked = if is_plain {
            offered_commands::read(&content.text, &self.skills)
        } else {
            PromptRequest::Ask(content.text.clone())
        };
        match asked {
            PromptRequest::Ask(text) => self.ask_model(PromptContent { text, ..content }),
            PromptRequest::Turn(command) => {
                self.ask_at_its_end();
                self.stand_at(PromptStage::Sent);
                self.command(command);
            }
            PromptRequest::Do(command) => {
                self.stand_at(PromptStage::Doing);
                self.take_prompt();
                self.command(command);
                self.command(Command::Prompts);
                self.replies.push_back(PromptsReply::Done);
            }
            PromptRequest::Await(command, event) => {
                self.stand_at(PromptStage::Awaits(event));
                self.take_prompt();
                self.command(command);
            }
            PromptRequest::DenyAll(reason) => {
                self.ask_at_its_end();
                self.take_prompt();
                let shown = self.proposals.waiting_cards();
                if !self.deny(&shown, reason.as_deref(), None) {
                    self.update(&update::remark("nothing waits"));
                }
            }
            PromptRequest::Answer(text) => {
                self.take_prompt();
                self.update(&update::remark(&text));
            }
        }
    }

    /// Asks the model, or gives it the reason of a denial that waits for one.
    fn ask_model(&mut self, content: PromptContent) {
        self.ask_at_its_end();
        let denied = std::mem::take(&mut self.denied_next);
        let is_reason = content.images.is_empty() && content.text.len() <= MAX_REASON;
        let reason = is_reason.then(|| content.text.trim().to_owned());
        if !self.deny(&denied, reason.as_deref(), Some(&content)) {
            if !denied.is_empty() {
                let told = "nothing was denied: the proposal changed, or was decided elsewhere";
                self.update(&update::remark(told));
            }
            self.submit(content);
        } else if is_reason {
            self.take_prompt();
        }
    }

    /// Denies proposals, if they wait as they were shown. Returns whether there were any.
    fn deny(
        &mut self,
        shown: &[(ProposalId, EditorCard)],
        reason: Option<&str>,
        then: Option<&PromptContent>,
    ) -> bool {
        let rulings = self.proposals.denials(shown, reason);
        if rulings.is_empty() {
            return false;
        }
        self.denied_next.clear();
        self.stand_at(PromptStage::Denying {
            then: then.cloned(),
            is_reason: then.is_none() || reason.is_some(),
            before: self.deciding,
        });
        self.deciding += 1;
        self.command(Command::Decide(rulings));
        true
    }

    fn submit(&mut self, content: PromptContent) {
        self.stand_at(PromptStage::Sent);
        let PromptContent {
            mut text, images, ..
        } = content;
        if text.trim().is_empty() {
            let names: Vec<&str> = images.iter().map(|image| image.name.as_str()).collect();
            text = names.join(", ");
        }
        if !images.is_empty() {
            self.command(Command::GiveImages(images));
        }
        self.command(Command::Submit(text));
    }

    /// Lets the user be asked about what waits, what they left included.
    fn ask_at_its_end(&mut self) {
        self.proposals.ask_again();
        if let Some(prompt) = &mut self.prompt {
            prompt.asks = true;
        }
    }

    fn stand_at(&mut self, stage: PromptStage) {
        if let Some(prompt) = &mut self.prompt {
            prompt.stage = stage;
            prompt.end = None;
        }
    }

    /// Takes that verdicts were carried out, or not.
    pub(super) fn decided(&mut self, is_done: bool) {
        self.deciding = self.deciding.saturating_sub(1);
        self.awaits_review = true;
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        let PromptStage::Denying {
            then,
            is_reason,
            before,
        } = &mut prompt.stage
        else {
            return;
        };
        if *before > 0 {
            *before -= 1;
            return;
        }
        let is_over = prompt.is_cancelled || is_done && *is_reason;
        let then = then.take().filter(|_| !is_over);
        prompt.stage = PromptStage::Begun;
        prompt.end = Some(TurnEnd::Done);
        if let Some(content) = then {
            self.submit(content);
        }
    }

    /// Takes that the prompt stands in the conversation, and that its turn began.
    pub(super) fn prompt_stands(&mut self) {
        if let Some(prompt) = &mut self.prompt
            && prompt.stage == PromptStage::Sent
        {
            prompt.stage = PromptStage::Begun;
            self.take_prompt();
        }
    }

    /// Tells the editor that the prompt stands in the conversation, where its version has a word for that.
    fn take_prompt(&mut self) {
        if self.client.version == ProtocolVersion::One {
            return;
        }
        let Some(prompt) = self.prompt.as_mut().filter(|own| !own.is_taken) else {
            return;
        };
        prompt.is_taken = true;
        let request = prompt.request.clone();
        let blocks = std::mem::take(&mut prompt.echo);
        let id = self.messages.single();
        self.answer(&request, &json!({"messageId": id}));
        self.update(&EditorUpdate::Prompt(blocks));
    }

    /// Takes that the prompt was not sent; the fault before says why.
    pub(super) fn unsent(&mut self) {
        let is_unsent = |own: &mut RunningPrompt| own.stage == PromptStage::Sent;
        let Some(prompt) = self.prompt.take_if(is_unsent) else {
            return;
        };
        let why = prompt.fault.unwrap_or_else(|| "not sent".to_owned());
        self.ended = Some(PromptEnd::Failed);
        match (prompt.is_taken, prompt.is_cancelled) {
            (true, _) => {}
            (false, true) if self.client.version == ProtocolVersion::One => {
                let reason = protocol::stop_reason(PromptEnd::Cancelled);
                self.answer(&prompt.request, &json!({"stopReason": reason}));
            }
            (false, _) => self.fail(prompt.request, RpcError::InvalidParams, why),
        }
    }

    pub(super) fn cancel(&mut self) {
        // The editor answers what it was asked by itself, and is not waited for.
        self.asking.forget();
        self.asks_unprompted = false;
        if let Some(prompt) = &mut self.prompt {
            prompt.is_cancelled = true;
        } else if !self.is_turn {
            return self.proposals.leave(None);
        }
        self.command(Command::Cancel);
    }

    /// Ends the prompt as cancelled: the conversation is closed.
    pub(super) fn end_at_once(&mut self) {
        if self.prompt.is_some() || self.is_turn {
            self.cancel();
        }
        self.put_off();
        self.is_turn = false;
        self.deciding = 0;
        if self.prompt.is_some() {
            self.end_prompt();
        }
    }

    /// Ends the prompt: nothing of it goes on.
    pub(super) fn end_prompt(&mut self) {
        let waiting = self.proposals.waiting();
        let asks = self.prompt.as_ref().is_some_and(|own| own.asks);
        if waiting > 0 && asks && self.denied_next.is_empty() {
            let told = format!(
                "{} staged and not written: `signoff review` shows what waits",
                counted(waiting, "proposal")
            );
            self.update(&update::remark(&told));
        }
        self.take_prompt();
        let Some(prompt) = self.prompt.take() else {
            return;
        };
        let end = match prompt.end {
            _ if prompt.is_cancelled => PromptEnd::Cancelled,
            Some(end) => end_of(end),
            None => PromptEnd::Done,
        };
        self.ended = Some(end);
        if prompt.is_taken {
            return;
        }
        match end {
            PromptEnd::Failed => {
                let why = prompt.fault.unwrap_or_else(|| "the turn failed".to_owned());
                self.fail(prompt.request, RpcError::Internal, why);
            }
            PromptEnd::Done | PromptEnd::Limit | PromptEnd::Cancelled => {
                let reason = protocol::stop_reason(end);
                self.answer(&prompt.request, &json!({"stopReason": reason}));
            }
        }
    }
}
