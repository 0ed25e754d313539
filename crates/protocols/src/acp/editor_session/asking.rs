//! Questions to the user: which are open in the editor, and what follows from the answers.
//!
//! In: calls and proposals, and the user's answers. Out: verdicts and grants. An answer counts for one question alone.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::AgentRequest;
use serde_json::Value;
use signoff_core::id::ProposalId;
use signoff_core::stage::review::Verdict;
use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Grant};

use super::EditorSession;
use crate::acp::card::EditorCard;
use crate::acp::connection::AgentMessage;
use crate::acp::question::{self, CallAnswer, ProposalAnswer};

/// The questions that are open.
#[derive(Debug, Default)]
pub(super) struct EditorQuestions {
    /// How many there were.
    count: u64,
    proposal: Option<ProposalQuestion>,
    calls: BTreeMap<u64, CallQuestion>,
}

/// The question about a proposal.
#[derive(Debug)]
struct ProposalQuestion {
    number: u64,
    proposal: ProposalId,
    card: EditorCard,
    /// Whether it is denied, and the reason is asked for.
    is_for_reason: bool,
}

/// The question about a call.
#[derive(Debug)]
struct CallQuestion {
    call: CallId,
    /// Whether it is refused, and the reason is asked for.
    is_for_reason: bool,
}

impl EditorQuestions {
    pub(super) fn is_about_proposal(&self) -> bool {
        self.proposal.is_some()
    }

    /// Returns the file of the proposal that is asked about, if one is.
    pub(super) fn file(&self) -> Option<&str> {
        self.proposal.as_ref().map(|own| own.card.file())
    }

    /// Forgets all questions: answers to them are answers to nothing.
    pub(super) fn forget(&mut self) {
        self.proposal = None;
        self.calls.clear();
    }
}

impl EditorSession {
    pub(super) fn ask_about_call(&mut self, call: &CallId, tool: &str, subject: &str) {
        let about = (tool, subject);
        let question = question::about_call(&self.id, call, about, self.has_forms);
        let number = self.ask(question);
        let open = CallQuestion {
            call: call.clone(),
            is_for_reason: false,
        };
        self.asking.calls.insert(number, open);
    }

    pub(super) fn ask_about_proposal(&mut self, proposal: ProposalId, card: EditorCard) {
        let question = question::about_proposal(&self.id, proposal, &card, self.has_forms);
        let number = self.ask(question);
        self.asking.proposal = Some(ProposalQuestion {
            number,
            proposal,
            card,
            is_for_reason: false,
        });
    }

    pub(super) fn answered(&mut self, number: u64, answer: &Value) {
        if let Some(open) = self.asking.calls.remove(&number) {
            return self.call_answered(open, answer);
        }
        let open = &mut self.asking.proposal;
        // Of another number it was closed meanwhile.
        if let Some(open) = open.take_if(|own| own.number == number) {
            self.proposal_answered(open, answer);
        }
    }

    fn call_answered(&mut self, open: CallQuestion, answer: &Value) {
        let CallQuestion {
            call,
            is_for_reason,
        } = open;
        let reason = question::reason(answer);
        let grant = match question::call_answer(answer) {
            _ if is_for_reason => Grant::Refuse { reason },
            CallAnswer::Grant(grant) => grant,
            CallAnswer::RefuseFor if !self.has_forms => Grant::Refuse { reason: None },
            CallAnswer::RefuseFor => {
                let message = "Why should this call not run? The model reads it and goes on.";
                let number = self.ask_reason(&call.0, message);
                let open = CallQuestion {
                    call,
                    is_for_reason: true,
                };
                self.asking.calls.insert(number, open);
                return;
            }
        };
        self.command(Command::Permit { call, grant });
    }

    fn proposal_answered(&mut self, open: ProposalQuestion, answer: &Value) {
        let reason = question::reason(answer);
        match question::proposal_answer(answer) {
            _ if open.is_for_reason => self.decide(&open, &Verdict::Deny { reason }),
            ProposalAnswer::Verdict(verdict) => self.decide(&open, &verdict),
            ProposalAnswer::Left => self.proposals.leave(Some(open.proposal)),
            ProposalAnswer::DenyFor if self.has_forms => {
                let message = "Why is it denied? The model reads it and goes on.";
                let number = self.ask_reason(&open.proposal.to_string(), message);
                self.asking.proposal = Some(ProposalQuestion {
                    number,
                    is_for_reason: true,
                    ..open
                });
            }
            ProposalAnswer::DenyFor => {
                // What else waits is asked about after the reason.
                self.proposals.leave(None);
                self.denied_next = vec![(open.proposal, open.card)];
                let told = "say why in the next prompt: it denies the proposal, and is the reason";
                self.remark(told);
            }
        }
    }

    fn decide(&mut self, open: &ProposalQuestion, verdict: &Verdict) {
        let rulings = (self.proposals).rulings(open.proposal, &open.card, verdict);
        self.underway.verdicts += 1;
        self.command(Command::Decide(rulings));
    }

    fn ask_reason(&mut self, id: &str, message: &str) -> u64 {
        self.ask(question::about_reason(&self.id, id, message))
    }

    /// Sends a question and returns its number.
    fn ask(&mut self, question: AgentRequest) -> u64 {
        self.asking.count += 1;
        let number = self.asking.count;
        self.send(AgentMessage::question(&self.id, number, question));
        number
    }

    /// Takes a question back; an answer that comes nevertheless is to nothing.
    fn close(&mut self, number: u64) {
        self.send(AgentMessage::withdrawal(&self.id, number));
    }

    /// Takes the question back if it is about one of these proposals.
    pub(super) fn close_question_about(&mut self, proposals: &[ProposalId]) {
        let open = &mut self.asking.proposal;
        if let Some(open) = open.take_if(|own| proposals.contains(&own.proposal)) {
            self.close(open.number);
        }
    }

    /// Takes the question about a proposal back, and leaves all proposals staged.
    pub(super) fn put_off(&mut self) {
        if let Some(open) = self.asking.proposal.take() {
            self.close(open.number);
        }
        self.proposals.leave(None);
        self.asks_unprompted = false;
    }

    /// Takes back the question about a call that ended by itself.
    pub(super) fn close_permission(&mut self, call: &CallId) {
        let mut open = self.asking.calls.iter();
        let about = open.find(|(_, own)| own.call == *call);
        if let Some(number) = about.map(|(number, _)| *number) {
            self.asking.calls.remove(&number);
            self.close(number);
        }
    }
}
