//! Scopes: what the calls of a conversation share, and what a call has for itself.
//!
//! In: a conversation with its model, and a call of a turn. Out: where what it proposes comes from, what was read and told
//! before, and what stops it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_core::budget::Stop;
use signoff_core::id::ChangesetId;
use signoff_core::stage::proposal::Origin;
use signoff_core::stage::review::Proposer;

use super::Reads;
use crate::instructions::Given;
use crate::message::CallId;

/// What the calls of one conversation share.
#[derive(Clone, Debug)]
pub struct ConversationScope {
    /// The conversation, for the record of where a proposal came from.
    id: String,
    proposer: Proposer,
    /// What was read before, where that is kept.
    reads: Option<Arc<Reads>>,
    /// Which instructions of inner folders are in the conversation.
    guided: Arc<Mutex<Given>>,
}

/// What one call has for itself.
#[derive(Clone, Debug)]
pub struct CallScope {
    /// Its id.
    pub call: CallId,
    /// That of its turn.
    pub changeset: ChangesetId,
    /// Cancels it.
    pub stop: Stop,
}

impl ConversationScope {
    /// Returns the scope of a conversation in which nothing was read.
    pub fn new(id: String, proposer: Proposer) -> Self {
        Self {
            id,
            proposer,
            reads: None,
            guided: Arc::default(),
        }
    }

    /// Returns the same, keeping what is read for the next call.
    #[must_use]
    pub(crate) fn with_reads(self, reads: Arc<Reads>) -> Self {
        let reads = Some(reads);
        Self { reads, ..self }
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
            | Proposer::Mcp { .. } => Proposer::Model {
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
    pub(super) fn origin(&self, call: &CallId) -> Origin {
        Origin {
            session: self.id.clone(),
            call: call.0.clone(),
            proposer: self.proposer.clone(),
        }
    }
}
