//! Recording conversations and switching between them.
//!
//! In: what was said, and another conversation. Out: records, and what the screen shows of it.

use super::external_decisions::Lineage;
use super::images::shown;
use super::{Effect, Event, Fault, Rest, Session, Speaker, Switch};
use crate::memory::{Recall, Record};
use crate::notice::Notice;
use crate::transcript::{Entry, Transcript};

/// How much of an earlier conversation is shown, in prompts and answers.
const SHOWN: usize = 40;

impl Session {
    /// Writes down what was said since the last time.
    pub(super) fn record(&mut self) {
        let Some(recorded) = self.recorded else {
            return;
        };
        let entries = self.transcript.entries();
        let new = entries.get(recorded..).unwrap_or_default();
        let is_more = !new.is_empty();
        for entry in new {
            let record = Record::Entry(entry.clone());
            self.outbox.want(Effect::Record(record));
        }
        self.recorded = Some(entries.len());
        if is_more {
            self.record_model();
        }
    }

    /// Takes what is in the transcript as written down.
    pub(super) fn skip_record(&mut self) {
        if let Some(recorded) = &mut self.recorded {
            *recorded = self.transcript.entries().len();
        }
    }

    /// Asks for another conversation.
    pub(super) fn switch(&mut self, to: Switch) {
        if self.turn.is_some() {
            return self
                .outbox
                .misused("a turn runs; stop it before you go to another conversation");
        }
        if self.is_held() {
            return self
                .outbox
                .misused("another conversation is being opened, or files are being taken back");
        }
        self.cancel_questions();
        self.rest = Rest::Switching;
        self.outbox.want(Effect::Switch(to));
    }

    /// Goes on with another conversation; what is staged stays, whichever staged it.
    pub(super) fn switched(&mut self, outcome: Result<Recall, Fault>) {
        if self.turn.is_some() {
            tracing::error!("another conversation was opened over a turn");
            return;
        }
        self.rest = Rest::Plain;
        match outcome {
            Ok(recall) => self.take_up(recall),
            Err(fault) => self.outbox.emit(Event::Fault(fault)),
        }
        if let Some(prompt) = self.queue.pop_front() {
            self.begin(Some(prompt));
        }
    }

    fn take_up(&mut self, recall: Recall) {
        self.lineage = Lineage::of(&recall);
        self.recall_model(recall.model, recall.entries.is_empty());
        let restored = Transcript::restored(recall.entries);
        let before = std::mem::replace(&mut self.transcript, restored);
        self.transcript.inherit(before);
        self.skip_record();
        self.held.clear();
        self.resume = false;
        let counted = self.usage.spent().requests + recall.spent.requests > 0;
        self.usage.resume(recall.spent);
        self.pending_hunks.claim(self.told().staged());
        let entries = self.transcript.entries();
        let is_prompt = |entry: &&Entry| matches!(entry, Entry::Prompt { .. });
        let prompts = entries.iter().filter(is_prompt).count();
        let told: Vec<Event> = entries.iter().flat_map(earlier).collect();
        let skipped = told.len().saturating_sub(SHOWN);
        self.outbox.emit(Event::Session {
            id: recall.id,
            parent: recall.parent,
            prompts,
        });
        self.outbox.emit_all(told.into_iter().skip(skipped));
        self.tell_unseen_images();
        if counted {
            self.tell_spent(None);
        }
    }
}

fn earlier(entry: &Entry) -> Vec<Event> {
    let images = match entry {
        Entry::Prompt { images, .. } => shown(images),
        Entry::Said { .. } | Entry::Answered { .. } | Entry::Noticed { .. } => None,
    };
    said_earlier(entry).into_iter().chain(images).collect()
}

fn said_earlier(entry: &Entry) -> Option<Event> {
    let (speaker, text) = match entry {
        Entry::Prompt { text, .. } => (Speaker::User, text),
        Entry::Said { text, .. } if !text.is_empty() => (Speaker::Model, text),
        Entry::Noticed {
            notice:
                Notice::Asked {
                    path,
                    question,
                    answer,
                    ..
                },
        } => {
            let answer = answer.as_deref().unwrap_or("(no answer)");
            let text = format!("{path}: {question}\n{answer}");
            let speaker = Speaker::User;
            return Some(Event::Earlier { speaker, text });
        }
        _ => return None,
    };
    let text = text.clone();
    Some(Event::Earlier { speaker, text })
}
