//! Recording conversations, and taking them up again.
//!
//! In: what was said and spent, and another conversation. Out: records, and what the screen shows of it.

use super::super::outbox::Outbox;
use super::super::{Effect, Event};
use super::earlier::earlier;
use super::{Ledger, Lineage};
use crate::memory::{ChosenModel, Recall, Record};
use crate::notice::Notice;
use crate::provider::Usage;
use crate::tool::Aside;
use crate::transcript::{Entry, Transcript};
use crate::usage::Fill;

impl Ledger {
    /// Writes down what was said since the last time.
    pub(in crate::session) fn record(&mut self, out: &mut Outbox) {
        let Some(recorded) = self.recorded else {
            return;
        };
        let entries = self.transcript.entries();
        let new = entries.get(recorded..).unwrap_or_default();
        let is_more = !new.is_empty();
        for entry in new {
            let record = Record::Entry(entry.clone());
            out.want(Effect::Record(record));
        }
        self.recorded = Some(entries.len());
        if is_more {
            self.record_model(out);
        }
    }

    /// Takes what is in the transcript as written down.
    fn skip_record(&mut self) {
        if let Some(recorded) = &mut self.recorded {
            *recorded = self.transcript.entries().len();
        }
    }

    /// Records the conversation as it is told from now on, in the place of what was recorded.
    pub(in crate::session) fn record_retold(&mut self, out: &mut Outbox) {
        self.skip_record();
        if self.recorded.is_some() {
            let told = self.transcript.entries().to_vec();
            out.want(Effect::Record(Record::Retold(told)));
        }
        out.want(Effect::Forget);
    }

    /// Writes down which model the user chose, unless nothing was said yet: a conversation begins
    /// with a prompt.
    pub(in crate::session) fn choose_model(&mut self, model: ChosenModel, out: &mut Outbox) {
        if !self
            .choice
            .as_ref()
            .is_some_and(|choice| choice.model == model)
        {
            self.choice = Some(Choice {
                model,
                written: false,
            });
        }
        if self.recorded.is_some_and(|recorded| recorded > 0) {
            self.record_model(out);
        }
    }

    /// Writes down which model the user chose, if that is not written yet.
    fn record_model(&mut self, out: &mut Outbox) {
        if let Some(choice) = &mut self.choice
            && !std::mem::replace(&mut choice.written, true)
        {
            let record = Record::Model(choice.model.clone());
            out.want(Effect::Record(record));
        }
    }

    /// Goes by the model that was chosen in the conversation that is taken up. One in which
    /// nothing was said goes on with the model that is asked now.
    fn recall_model(&mut self, recalled: Option<ChosenModel>, is_new: bool) {
        self.choice = match (recalled, self.choice.take()) {
            (None, Some(choice)) if is_new => Some(Choice {
                written: false,
                ..choice
            }),
            (recalled, _) => recalled.map(|model| Choice {
                model,
                written: true,
            }),
        };
    }

    /// Goes on with another conversation, and tells its newest texts, `most_told` at most.
    pub(in crate::session) fn take_up(
        &mut self,
        recall: Recall,
        most_told: usize,
        out: &mut Outbox,
    ) {
        self.lineage = Lineage::of(&recall);
        self.recall_model(recall.model, recall.entries.is_empty());
        let restored = Transcript::restored(recall.entries);
        let before = std::mem::replace(&mut self.transcript, restored);
        self.transcript.inherit(before);
        self.skip_record();
        let counted = self.usage.spent().requests + recall.spent.requests > 0;
        self.usage.resume(recall.spent);
        let entries = self.transcript.entries();
        let prompts = entries
            .iter()
            .filter(|entry| matches!(entry, Entry::Prompt { .. }))
            .count();
        let told = earlier(entries);
        let skipped = told.len().saturating_sub(most_told);
        out.emit(Event::Session {
            id: recall.id,
            parent: recall.parent,
            prompts,
            staged: self.told().staged().collect(),
        });
        out.emit_all(told.into_iter().skip(skipped));
        self.images.tell_unseen(&self.transcript, out);
        if counted {
            self.tell_spent(None, out);
        }
    }

    /// Returns whether the last that was said calls for an answer which did not come, as where the process was killed meanwhile:
    /// a prompt, or answers to calls of the model.
    pub(in crate::session) fn is_unanswered(&self) -> bool {
        let mut answered = false;
        let mut said = false;
        for entry in self.transcript.entries().iter().rev() {
            match entry {
                // What a command of the user's printed asks for nothing.
                _ if said => return !entry.is_command(),
                Entry::Noticed {
                    notice: Notice::Interrupted { .. } | Notice::Limit { .. },
                } => return false,
                Entry::Noticed { .. } => {}
                Entry::Answered { .. } => answered = true,
                Entry::Said { .. } if answered => said = true,
                Entry::Said { .. } => return false,
                Entry::Prompt { .. } => return !entry.is_command(),
            }
        }
        false
    }

    /// Takes what the provider counted for a request of the turn.
    pub(in crate::session) fn count(&mut self, usage: &Usage, out: &mut Outbox) {
        let context = self.usage.count(usage);
        self.tell_spent(context, out);
    }

    /// Takes what a call took beside the conversation's own requests.
    pub(in crate::session) fn count_aside(&mut self, aside: Option<Aside>, out: &mut Outbox) {
        if let Some(Aside { usage, cost }) = aside {
            self.usage.count_aside(&usage, cost);
            out.emit(Event::Used(usage));
            self.tell_spent(None, out);
        }
    }

    /// Adds the tokens of a question to the conversation's. The limits of a turn do not count them.
    pub(in crate::session) fn count_question(&mut self, usage: &Usage, out: &mut Outbox) {
        self.usage.count_question(usage);
        out.emit(Event::Used(*usage));
        self.tell_spent(None, out);
    }

    /// Tells what was spent, and writes it down.
    fn tell_spent(&self, context: Option<Fill>, out: &mut Outbox) {
        let (turn, session) = (self.usage.turn(), self.usage.spent());
        if self.recorded.is_some() {
            out.want(Effect::Record(Record::Spent(session)));
        }
        out.emit(Event::Spent {
            turn,
            session,
            context,
        });
    }
}

/// The model that the user chose, and whether the conversation has it written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    model: ChosenModel,
    written: bool,
}
