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

use agent_client_protocol_schema::v1::{
    AgentResponse, ContentBlock, ErrorCode, PromptResponse, RequestId, StopReason,
};
use signoff_core::id::ProposalId;
use signoff_core::plural::counted;
use signoff_llm::session::{Command, TurnEnd};

use super::{AwaitedReply, EditorSession};
use crate::acp::card::EditorCard;
use crate::acp::offered_commands::{self, PromptRequest};
use crate::acp::prompt::PromptContent;
use crate::acp::question::MAX_REASON;

/// The prompt that the editor waits for.
#[derive(Debug)]
pub(super) struct RunningPrompt {
    request: RequestId,
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
    /// It is a command that an event tells the end of.
    Awaits,
    /// Its turn runs or has run, or it needs none.
    Begun,
}

impl EditorSession {
    /// Takes a prompt.
    pub(super) fn begin(&mut self, request: RequestId, blocks: &[ContentBlock]) {
        let content = match PromptContent::of(blocks, &self.root) {
            Ok(content) => content,
            Err(why) => return self.fail(request, ErrorCode::InvalidParams, why),
        };
        if content.text.trim().is_empty() && content.images.is_empty() {
            let why = "the prompt is empty";
            return self.fail(request, ErrorCode::InvalidRequest, why);
        }
        let is_over = |own: &RunningPrompt| own.end.is_some() && self.asking.is_about_proposal();
        if self.prompt.as_ref().is_some_and(|own| !is_over(own)) {
            let why = "a prompt is being worked on; cancel it first";
            return self.fail(request, ErrorCode::InvalidRequest, why);
        }
        self.put_off();
        if self.prompt.is_some() {
            self.end_prompt();
        }
        self.prompt = Some(RunningPrompt {
            request,
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
            PromptRequest::Await(command, event) => {
                self.stand_at(PromptStage::Awaits);
                self.command(command);
                self.wait_for(event, AwaitedReply::CommandDone);
            }
            PromptRequest::DenyAll(reason) => {
                self.ask_at_its_end();
                let shown = self.proposals.waiting_cards();
                if !self.deny(&shown, reason.as_deref(), None) {
                    self.remark("nothing waits");
                }
            }
            PromptRequest::Answer(text) => self.remark(&text),
        }
    }

    /// Asks the model, or gives it the reason of a denial that waits for one.
    fn ask_model(&mut self, content: PromptContent) {
        self.ask_at_its_end();
        let denied = std::mem::take(&mut self.denied_next);
        let is_reason = content.images.is_empty() && content.text.len() <= usize::from(MAX_REASON);
        let reason = is_reason.then(|| content.text.trim().to_owned());
        if !self.deny(&denied, reason.as_deref(), Some(&content)) {
            if !denied.is_empty() {
                let told = "nothing was denied: the proposal changed, or was decided elsewhere";
                self.remark(told);
            }
            self.submit(content);
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
            before: self.underway.verdicts,
        });
        self.underway.verdicts += 1;
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
        self.underway.verdicts = self.underway.verdicts.saturating_sub(1);
        self.underway.is_review = true;
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
        }
    }

    /// Takes that the prompt was not sent; the fault before says why.
    pub(super) fn unsent(&mut self) {
        let is_unsent = |own: &mut RunningPrompt| own.stage == PromptStage::Sent;
        let Some(prompt) = self.prompt.take_if(is_unsent) else {
            return;
        };
        if prompt.is_cancelled {
            return self.stop(prompt.request, StopReason::Cancelled);
        }
        let why = prompt.fault.unwrap_or_else(|| "not sent".to_owned());
        self.fail(prompt.request, ErrorCode::InvalidParams, why);
    }

    fn stop(&mut self, request: RequestId, reason: StopReason) {
        let response = AgentResponse::PromptResponse(PromptResponse::new(reason));
        self.answer(request, response);
    }

    pub(super) fn cancel(&mut self) {
        // The editor answers what it was asked by itself, and is not waited for.
        self.asking.forget();
        self.asks_unprompted = false;
        if let Some(prompt) = &mut self.prompt {
            prompt.is_cancelled = true;
        } else if !self.underway.is_turn {
            return self.proposals.leave(None);
        }
        self.command(Command::Cancel);
    }

    /// Ends the prompt as cancelled: the conversation is closed.
    pub(super) fn end_at_once(&mut self) {
        if self.prompt.is_some() || self.underway.is_turn {
            self.cancel();
        }
        self.put_off();
        self.underway.is_turn = false;
        self.underway.verdicts = 0;
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
            self.remark(&told);
        }
        let Some(prompt) = self.prompt.take() else {
            return;
        };
        let reason = match prompt.end {
            _ if prompt.is_cancelled => StopReason::Cancelled,
            Some(TurnEnd::Done | TurnEnd::Review | TurnEnd::Unmet) | None => StopReason::EndTurn,
            Some(TurnEnd::Limit) => StopReason::MaxTurnRequests,
            Some(TurnEnd::Cancelled) => StopReason::Cancelled,
            Some(TurnEnd::Failed) => {
                let why = prompt.fault.unwrap_or_else(|| "the turn failed".to_owned());
                return self.fail(prompt.request, ErrorCode::InternalError, why);
            }
        };
        self.stop(prompt.request, reason);
    }
}
