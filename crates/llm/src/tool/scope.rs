//! Scopes: what the calls of a conversation share, and what a call has for itself.
//!
//! In: a conversation with its model, and a call of a turn. Out: where what it proposes comes from, what was read and told
//! before, and what stops it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::budget::Stop;
use signoff_core::id::{ChangesetId, HunkId};
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::Proposer;

use super::{HostQuestions, Reads};
use crate::instructions::Given;
use crate::message::CallId;

/// What the calls of one conversation share.
#[derive(Clone, Debug)]
pub struct ConversationScope {
    /// The conversation, for the record of where a proposal came from.
    id: String,
    proposer: Proposer,
    /// What the user asked for, where this is an agent's conversation: its own prompts are tasks.
    request: Option<String>,
    /// What was read before, where that is kept.
    reads: Option<Arc<Reads>>,
    /// Which instructions of inner folders are in the conversation.
    guided: Arc<Mutex<Given>>,
    /// Asks the user about hosts that commands ask for, where somebody is there.
    host_questions: Option<Arc<HostQuestions>>,
}

/// What one call has for itself.
#[derive(Clone, Debug)]
pub struct CallScope {
    /// Its id.
    pub call: CallId,
    /// That of its turn.
    pub changeset: ChangesetId,
    /// The hunks that its turn writes again, where nothing else may change.
    pub only: Option<Vec<HunkId>>,
    /// What the user asked for in the conversation, on one line; empty where nothing was.
    pub request: String,
    /// Whether it is a command that the user typed.
    pub by_user: bool,
    /// Cancels it.
    pub stop: Stop,
}

impl ConversationScope {
    /// Returns the scope of a conversation in which nothing was read.
    pub fn new(id: String, proposer: Proposer) -> Self {
        Self {
            id,
            proposer,
            request: None,
            reads: None,
            guided: Arc::default(),
            host_questions: None,
        }
    }

    /// Returns the same, where the user is asked about hosts.
    #[must_use]
    pub(crate) fn with_host_questions(self, questions: Option<Arc<HostQuestions>>) -> Self {
        let host_questions = questions;
        Self {
            host_questions,
            ..self
        }
    }

    /// Returns what asks the user about hosts, where somebody is there.
    pub(crate) fn host_questions(&self) -> Option<&Arc<HostQuestions>> {
        self.host_questions.as_ref()
    }

    /// Returns the same, keeping what is read for the next call.
    #[must_use]
    pub(crate) fn with_reads(self, reads: Arc<Reads>) -> Self {
        let reads = Some(reads);
        Self { reads, ..self }
    }

    /// Returns the same, working on this request of the user's.
    pub(crate) fn on_request(self, request: String) -> Self {
        let request = Some(request);
        Self { request, ..self }
    }

    /// Returns the same for another conversation, in which no instructions were told.
    pub(crate) fn of(&self, id: String) -> Self {
        Self {
            id,
            guided: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the same with another model in the record.
    pub(crate) fn with_model(&self, model: &str) -> Self {
        let proposer = match &self.proposer {
            Proposer::Agent { name, .. } => Proposer::Agent {
                name: name.clone(),
                model: model.to_owned(),
            },
            Proposer::User
            | Proposer::Model { .. }
            | Proposer::Program
            | Proposer::ForeignAgent { .. }
            | Proposer::Mcp { .. }
            | Proposer::Person { .. } => Proposer::Model {
                name: model.to_owned(),
            },
        };
        Self {
            proposer,
            ..self.clone()
        }
    }

    /// Returns whether it is an agent's. The conversation's own model is told of what the user changes in files that it has
    /// read; what an agent reads or is told is not known to it.
    pub(crate) fn is_of_agent(&self) -> bool {
        matches!(self.proposer, Proposer::Agent { .. })
    }

    /// Returns who makes a call, as the user knows them.
    #[cfg(target_os = "linux")]
    pub(super) fn asker(&self, scope: &CallScope) -> String {
        match &self.proposer {
            _ if scope.by_user => "you".to_owned(),
            Proposer::Agent { name, .. } => format!("the agent {name}"),
            Proposer::User
            | Proposer::Model { .. }
            | Proposer::Program
            | Proposer::ForeignAgent { .. }
            | Proposer::Mcp { .. }
            | Proposer::Person { .. } => "the model".to_owned(),
        }
    }

    /// Returns the id of the conversation.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Forgets which instructions were told.
    pub(crate) fn forget_guidance(&self) {
        *self.guided() = Given::default();
    }

    /// Returns which instructions were told.
    pub(super) fn guided(&self) -> MutexGuard<'_, Given> {
        self.guided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what was read before, where that is kept.
    pub(super) fn reads(&self) -> Option<&Reads> {
        self.reads.as_deref()
    }

    /// Returns where the proposals of a call come from.
    pub(super) fn origin(&self, scope: &CallScope) -> Origin {
        Origin {
            session: self.id.clone(),
            call: scope.call.0.clone(),
            proposer: if scope.by_user {
                Proposer::User
            } else {
                self.proposer.clone()
            },
            request: self.request.as_ref().unwrap_or(&scope.request).clone(),
        }
    }
}
