//! Transcript: the messages of a conversation in order, the only source of requests.
//!
//! In: prompts, answers with their calls, the calls' results, notices. Out: messages, as a
//! pure function of the entries, in which every call has exactly one answer after it.
//!
//! **Invariant:** every call has exactly one answer after it. Call ids are unique.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use signoff_core::id::Timestamp;

use crate::image::PromptImage;
use crate::message::{CallId, ProviderState, ToolCall};
use crate::notice::Notice;
use crate::provider::wire;

mod attachments;
mod images;
mod messages;

use messages::wire_arguments;

/// What the model reads behind a command of the user's.
pub(crate) const ASKS_NOTHING: &str = "\n(The user ran this command. It asks nothing of you.)";

/// The conversation so far; grows at its end only.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    entries: Vec<Entry>,
    /// Every call id that was ever used.
    known: HashSet<CallId>,
    /// Calls without an answer, all of the newest [`Entry::Said`].
    open: HashSet<CallId>,
    /// Notices that wait until the open calls are answered.
    waiting: Vec<Notice>,
}

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "entry")]
pub enum Entry {
    /// By the user.
    Prompt {
        /// The text.
        text: String,
        /// Images that were attached to it, in the order in which the text names them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<PromptImage>,
        /// When it was sent, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sent: Option<Timestamp>,
    },
    /// By the model.
    Said {
        /// The text; may be empty if there are calls.
        text: String,
        /// Its calls, with ids that are unique in the transcript and arguments that are JSON.
        calls: Vec<ToolCall>,
        /// What its provider wants back with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<ProviderState>,
    },
    /// The answer to one call.
    Answered {
        /// Which.
        call: CallId,
        /// What the model reads.
        content: String,
        /// True if the call did not do what was asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        failed: bool,
        /// Images that came with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<PromptImage>,
    },
    /// By the system.
    Noticed {
        /// What.
        notice: Notice,
    },
}

/// Why an entry was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misplaced {
    /// No such call was made.
    #[error("no call has the id {0}")]
    Unknown(CallId),
    /// The call has its answer.
    #[error("the call {0} was answered before")]
    Twice(CallId),
    /// Calls wait for their answers.
    #[error("calls wait for their answers: {0}")]
    Open(usize),
}

impl Entry {
    /// Returns what the user typed; nothing of another entry.
    pub fn typed(&self) -> Option<&str> {
        match self {
            Self::Prompt { text, .. } => Some(text.strip_suffix(ASKS_NOTHING).unwrap_or(text)),
            Self::Said { .. } | Self::Answered { .. } | Self::Noticed { .. } => None,
        }
    }

    /// Returns whether it is a command or a task that the user gave, and no prompt for the model.
    pub fn is_command(&self) -> bool {
        matches!(self, Self::Prompt { text, .. } if text.ends_with(ASKS_NOTHING))
    }

    /// Returns the images in it.
    pub fn images(&self) -> &[PromptImage] {
        match self {
            Self::Prompt { images, .. } | Self::Answered { images, .. } => images,
            Self::Said { .. } | Self::Noticed { .. } => &[],
        }
    }

    /// Returns the images in it, to be changed.
    pub(crate) fn images_mut(&mut self) -> &mut [PromptImage] {
        match self {
            Self::Prompt { images, .. } | Self::Answered { images, .. } => images,
            Self::Said { .. } | Self::Noticed { .. } => &mut [],
        }
    }

    /// Returns the same; a prompt without a time has this one.
    pub(crate) fn dated(mut self, at: Timestamp) -> Self {
        if let Self::Prompt { sent, .. } = &mut self {
            sent.get_or_insert(at);
        }
        self
    }
}

impl Transcript {
    /// Returns the conversation that these entries tell. Calls in them that have no answer stay
    /// without one and are in no request.
    pub fn restored(entries: Vec<Entry>) -> Self {
        let calls = entries.iter().filter_map(|entry| match entry {
            Entry::Said { calls, .. } => Some(calls),
            _ => None,
        });
        Self {
            known: calls.flatten().map(|call| call.id.clone()).collect(),
            entries,
            ..Self::default()
        }
    }

    /// Keeps the ids of another conversation's calls from being used in this one: what comes of
    /// them late must not be taken for an answer here.
    pub fn inherit(&mut self, other: Self) {
        self.known.extend(other.known);
    }

    /// Puts other entries in the place of those that there are, as a shorter telling of the
    /// same; refused while calls are open.
    pub fn retell(&mut self, entries: Vec<Entry>) -> Result<(), Misplaced> {
        self.closed()?;
        self.entries = entries;
        Ok(())
    }

    /// Appends what the user typed.
    pub fn prompt(&mut self, text: String) -> Result<(), Misplaced> {
        self.prompt_with(text, Vec::new())
    }

    /// Appends what the user typed, with the images attached to it.
    pub fn prompt_with(&mut self, text: String, images: Vec<PromptImage>) -> Result<(), Misplaced> {
        self.prompt_at(text, images, None)
    }

    /// Appends what the user typed, with the images attached to it and the time.
    pub fn prompt_at(
        &mut self,
        text: String,
        images: Vec<PromptImage>,
        sent: Option<Timestamp>,
    ) -> Result<(), Misplaced> {
        self.closed()?;
        self.entries.push(Entry::Prompt { text, images, sent });
        Ok(())
    }

    /// Appends what the model said and opens its calls, whose ids are made unique and whose
    /// names and arguments are made such that every server takes them back.
    pub fn said(&mut self, text: String, calls: Vec<ToolCall>) -> Result<Vec<CallId>, Misplaced> {
        self.said_with(text, calls, Vec::new())
    }

    /// Does the same, with what the provider wants back.
    pub fn said_with(
        &mut self,
        text: String,
        calls: Vec<ToolCall>,
        kept: Vec<ProviderState>,
    ) -> Result<Vec<CallId>, Misplaced> {
        self.closed()?;
        let mut recorded = Vec::with_capacity(calls.len());
        for call in calls {
            let id = unique(&call.id, self.known.len(), |id| self.known.contains(id));
            self.known.insert(id.clone());
            self.open.insert(id.clone());
            recorded.push(ToolCall {
                id,
                name: wire::name(&call.name),
                arguments: wire_arguments(&call.arguments),
            });
        }
        let ids = recorded.iter().map(|call| call.id.clone()).collect();
        if !text.is_empty() || !recorded.is_empty() {
            self.entries.push(Entry::Said {
                text,
                calls: recorded,
                kept,
            });
        }
        Ok(ids)
    }

    /// Appends the answer to an open call that did what was asked.
    pub fn answer(&mut self, call: &CallId, content: String) -> Result<(), Misplaced> {
        self.answer_with(call, content, false, Vec::new())
    }

    /// Appends the answer to an open call, which may have failed, with the images that came with it.
    pub fn answer_with(
        &mut self,
        call: &CallId,
        content: String,
        failed: bool,
        images: Vec<PromptImage>,
    ) -> Result<(), Misplaced> {
        if !self.open.remove(call) {
            return Err(if self.known.contains(call) {
                Misplaced::Twice(call.clone())
            } else {
                Misplaced::Unknown(call.clone())
            });
        }
        self.entries.push(Entry::Answered {
            call: call.clone(),
            content,
            failed,
            images,
        });
        if self.open.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            self.entries.extend(waiting.into_iter().map(noticed));
        }
        Ok(())
    }

    /// Appends a notice; while calls are open it waits for their answers.
    pub fn note(&mut self, notice: Notice) {
        if self.open.is_empty() {
            self.entries.push(noticed(notice))
        } else {
            self.waiting.push(notice)
        }
    }

    /// Returns the calls that wait for an answer, in the order they were made.
    pub fn open_calls(&self) -> Vec<CallId> {
        let newest = self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Said { calls, .. } => Some(calls.as_slice()),
            _ => None,
        });
        let ids = newest.unwrap_or_default().iter().map(|call| &call.id);
        ids.filter(|id| self.open.contains(id)).cloned().collect()
    }

    /// Returns an id for a call that no earlier call has: the wanted one where that is
    /// possible. `taken` says which ids are also in use outside of the transcript.
    pub fn fresh(&self, wanted: &CallId, taken: &HashSet<CallId>) -> CallId {
        unique(wanted, self.known.len() + taken.len(), |id| {
            self.known.contains(id) || taken.contains(id)
        })
    }

    /// Keeps an id from being used again: that of a call which is not recorded.
    pub fn retire(&mut self, call: CallId) {
        self.known.insert(call);
    }

    /// Returns the notices, oldest first, those that wait for answers included.
    pub(crate) fn notices(&self) -> impl Iterator<Item = &Notice> {
        let entries = self.entries.iter().filter_map(|entry| match entry {
            Entry::Noticed { notice } => Some(notice),
            _ => None,
        });
        entries.chain(&self.waiting)
    }

    /// Returns everything that was said, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn closed(&self) -> Result<(), Misplaced> {
        match self.open.len() {
            0 => Ok(()),
            open => Err(Misplaced::Open(open)),
        }
    }
}

fn noticed(notice: Notice) -> Entry {
    Entry::Noticed { notice }
}

/// Returns `wanted`, or the first free variation of it. `count` is no smaller than the number
/// of ids in use with a suffix below it, which keeps the search short however many are equal.
fn unique(wanted: &CallId, count: usize, taken: impl Fn(&CallId) -> bool) -> CallId {
    let wanted = wanted.0.trim();
    let first = CallId(wanted.to_owned());
    if !wanted.is_empty() && !taken(&first) {
        return first;
    }
    let stem = if wanted.is_empty() { "call" } else { wanted };
    let mut number = count + 1;
    loop {
        let id = CallId(format!("{stem}-{number}"));
        if !taken(&id) {
            return id;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests;
