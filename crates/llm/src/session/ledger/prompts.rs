//! Prompts of the conversation, and the cut before one of them.
//!
//! In: a prompt to append, or one of the conversation as the user was shown it. Out: the entry and its events; where the
//! prompt is and what was written since; or the conversation without it and all behind it.

use std::collections::HashSet;

use signoff_core::id::{ProposalId, Timestamp};
use signoff_core::plural::counted;
use signoff_core::stage::review::{GoneChange, WrittenSince};

use super::super::outbox::Outbox;
use super::super::{Event, PromptRef};
use super::Ledger;
use super::images::{UserPrompt, shown};
use crate::image::{MAX_IMAGES, MAX_SENT_BYTES, size_in_words};
use crate::notice::Notice;
use crate::transcript::Entry;

const NOT_DATED: &str = "the record does not say when this prompt was sent";
const NOT_NAMED: &str = "this conversation is not recorded";

impl Ledger {
    /// Appends a prompt to the conversation, and says which images it has.
    pub(in crate::session) fn append_prompt(&mut self, prompt: UserPrompt, out: &mut Outbox) {
        let UserPrompt { text, images, .. } = prompt;
        out.emit(Event::User { text: text.clone() });
        let beyond = self.transcript.images_beyond();
        out.emit_all(shown(&images));
        if let Err(misplaced) = self.transcript.prompt_at(text, images, self.now) {
            tracing::error!(%misplaced, "a turn began over another");
        }
        let more = self.transcript.images_beyond().saturating_sub(beyond);
        if more > 0 {
            let (images, most) = (counted(more, "older image"), size_in_words(MAX_SENT_BYTES));
            out.inform(&format!(
                "{images} of this conversation will not be sent again: a request has at most {MAX_IMAGES} images and {most} of them"
            ));
        }
    }

    /// Takes a prompt and all behind it out of the conversation; `gone` are the changes to files that were taken back with
    /// it, if files went back. Returns whether the prompt was there.
    pub(in crate::session) fn cut(
        &mut self,
        prompt: PromptRef,
        gone: Option<&[(String, GoneChange)]>,
        out: &mut Outbox,
    ) -> bool {
        let Some((at, _)) = self.find_prompt(&prompt) else {
            return false;
        };
        let kept = self.transcript.entries().get(..at).unwrap_or_default();
        if let Err(misplaced) = self.transcript.retell(kept.to_vec()) {
            tracing::error!(%misplaced, "a conversation was cut over open calls");
            return true;
        }
        self.note_taken_back(gone.unwrap_or_default());
        self.record_retold(out);
        out.emit(Event::Rewound {
            prompt: prompt.text,
            with_files: gone.is_some(),
        });
        true
    }

    /// Notes changes that the model does not know any more and that are not on disk any more: they are no news to it. Of a
    /// change that it proposed before the cut it is still told.
    fn note_taken_back(&mut self, gone: &[(String, GoneChange)]) {
        let known: HashSet<ProposalId> = self.told().staged().collect();
        let is_forgotten = |gone: &GoneChange| {
            gone.proposal
                .is_none_or(|proposal| !known.contains(&proposal))
        };
        let forgotten = gone.iter().filter(|(_, gone)| is_forgotten(gone));
        let taken_back: Vec<(String, u64)> = forgotten
            .map(|(path, gone)| (path.clone(), gone.version))
            .collect();
        if !taken_back.is_empty() {
            self.transcript.note(Notice::Rewound { taken_back });
        }
    }

    /// Returns what this conversation wrote since a prompt, as the engine is asked for it; or why that is not known.
    pub(in crate::session) fn written_since(
        &self,
        sent: Option<Timestamp>,
    ) -> Result<WrittenSince, &'static str> {
        let since = sent.ok_or(NOT_DATED)?;
        let by = self.lineage.spans();
        if by.is_empty() {
            return Err(NOT_NAMED);
        }
        let until = None;
        Ok(WrittenSince { since, until, by })
    }

    /// Returns the place of a prompt in the transcript and when it was sent, if it is in the conversation.
    pub(in crate::session) fn find_prompt(
        &self,
        prompt: &PromptRef,
    ) -> Option<(usize, Option<Timestamp>)> {
        let (at, text, sent) = self.prompts().nth(prompt.place)?;
        (text == prompt.text).then_some((at, sent))
    }

    /// Returns the newest prompts as one text, at most so many, the oldest first.
    pub(in crate::session) fn newest_prompts(&self, most: usize) -> String {
        let all: Vec<&str> = self.prompts().map(|(_, text, _)| text).collect();
        let first = all.len().saturating_sub(most);
        all.into_iter().skip(first).collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the prompts as they were typed, with their places in the transcript and when they were sent.
    pub(in crate::session) fn prompts(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, &str, Option<Timestamp>)> {
        let entries = self.transcript.entries().iter().enumerate();
        entries.filter_map(|(at, entry)| match entry {
            Entry::Prompt { sent, .. } => Some((at, entry.typed()?, *sent)),
            Entry::Said { .. } | Entry::Answered { .. } | Entry::Noticed { .. } => None,
        })
    }
}
