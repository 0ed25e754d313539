//! Going back to an earlier prompt.
//!
//! In: a prompt of the conversation. Out: the conversation as it was before, on record too. Files and staged work stay as
//! they are: what is written is taken back by its changeset, what is staged by a verdict.

use super::user_command::ASKS_NOTHING;
use super::{Effect, Event, Session};
use crate::memory::Record;
use crate::transcript::Entry;

impl Session {
    /// Sends the prompts of the conversation.
    pub(super) fn list_prompts(&mut self) {
        let prompts = self.prompts().map(|(_, text)| text.to_owned()).collect();
        self.emit(Event::Prompts { prompts });
    }

    /// Takes a prompt and all behind it out of the conversation.
    pub(super) fn rewind(&mut self, prompt: usize, text: String) {
        if self.turn.is_some() {
            return self.misused("a turn runs; stop it before you go back to an earlier prompt");
        }
        let found = self.prompts().nth(prompt);
        let Some((at, _)) = found.filter(|(_, known)| *known == text) else {
            return self.misused("this prompt is not in the conversation any more");
        };
        let kept = self.transcript.entries().get(..at).unwrap_or_default();
        if let Err(misplaced) = self.transcript.retell(kept.to_vec()) {
            tracing::error!(%misplaced, "a conversation was cut over open calls");
            return;
        }
        self.held.clear();
        self.resume = false;
        self.skip_record();
        if self.recorded.is_some() {
            let told = self.transcript.entries().to_vec();
            self.effects.push_back(Effect::Record(Record::Retold(told)));
        }
        self.effects.push_back(Effect::Forget);
        self.emit(Event::Rewound { prompt: text });
    }

    /// Returns the prompts as they were typed, with their places in the transcript.
    fn prompts(&self) -> impl Iterator<Item = (usize, &str)> {
        let entries = self.transcript.entries().iter().enumerate();
        entries.filter_map(|(at, entry)| match entry {
            Entry::Prompt { text, .. } => {
                Some((at, text.strip_suffix(ASKS_NOTHING).unwrap_or(text)))
            }
            Entry::Said { .. } | Entry::Answered { .. } | Entry::Noticed { .. } => None,
        })
    }
}
