//! Going back to an earlier prompt: the conversation, the files, or both.
//!
//! Example: the prompts `one` and `two` both led to files that were written. To go back to `two` with both, what was written
//! since `two` was sent is taken back as new entries of history, in all files or in none; then `two` and all behind it leave
//! the conversation, on record too. Where something is in the way in one file, neither happens.
//!
//! Staged work stays as it is: none of it is on disk, and a verdict takes it out.

use std::collections::HashSet;

use serde::Serialize;
use signoff_core::engine::{ChangesetUndone, TakenBack};
use signoff_core::id::{ProposalId, Timestamp};
use signoff_core::stage::review::{RevertTarget, SincePreview, WrittenSince};

use super::user_command::ASKS_NOTHING;
use super::verdict::Way;
use super::{Effect, Event, Fault, Rest, Session};
use crate::memory::Record;
use crate::notice::Notice;
use crate::transcript::Entry;

/// A prompt of the conversation, as [`Event::Prompts`] lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptRef {
    /// Its place in the list, counted from 0.
    pub place: usize,
    /// Its text, by which a list that is out of date is noticed.
    pub text: String,
}

/// What goes back to an earlier prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewindExtent {
    /// The conversation: the prompt and all behind it leave it.
    Conversation,
    /// What the conversation wrote to files since then.
    Files,
    /// Both, or neither.
    Both,
}

/// What there is to go back to from a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RewindPreview {
    /// Which prompt.
    pub prompt: PromptRef,
    /// When it was sent, if that is known.
    pub sent: Option<Timestamp>,
    /// What was written since.
    pub files: RewindFiles,
}

/// What there is to take back in files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindFiles {
    /// Nothing was written since.
    Nothing,
    /// That is not known.
    Unknown {
        /// Why, in one line.
        why: String,
    },
    /// This was written since.
    Written(SincePreview),
}

const NOT_THERE: &str = "this prompt is not in the conversation any more";
const TURN_RUNS: &str = "a turn runs; stop it before you go back to an earlier prompt";
const NOT_DATED: &str = "the record does not say when this prompt was sent";
const NOT_SHOWN: &str = "no file was taken back: what would change has not been shown";
const NOT_NAMED: &str = "this conversation is not recorded";

impl Session {
    /// Sends the prompts of the conversation.
    pub(super) fn list_prompts(&mut self) {
        let prompts = self.prompts().map(|(_, text, _)| text.to_owned()).collect();
        self.emit(Event::Prompts { prompts });
    }

    /// Asks what there is to go back to from a prompt.
    pub(super) fn preview_rewind(&mut self, prompt: PromptRef) {
        let sent = match self.rewindable(&prompt) {
            Ok((_, sent)) => sent,
            Err(why) => return self.misused(why),
        };
        match self.written_since(sent) {
            Ok(written) => {
                let effect = Effect::PreviewRewind { prompt, written };
                self.effects.push_back(effect);
            }
            Err(why) => {
                let why = why.to_owned();
                let files = RewindFiles::Unknown { why };
                self.emit(Event::RewindPreview(RewindPreview {
                    prompt,
                    sent,
                    files,
                }));
            }
        }
    }

    /// Takes what was written since a prompt.
    pub(super) fn rewind_previewed(
        &mut self,
        prompt: PromptRef,
        sent: Timestamp,
        outcome: Result<Option<SincePreview>, Fault>,
    ) {
        let preview = match outcome {
            Ok(preview) => preview,
            Err(fault) => return self.emit(Event::Fault(fault)),
        };
        if let Some(RevertTarget::Since(shown)) = preview.as_ref().map(|own| &own.preview.target) {
            self.shown_since = Some((prompt.clone(), shown.clone()));
        }
        self.emit(Event::RewindPreview(RewindPreview {
            prompt,
            sent: Some(sent),
            files: preview.map_or(RewindFiles::Nothing, RewindFiles::Written),
        }));
    }

    /// Goes back to before a prompt.
    pub(super) fn rewind(&mut self, prompt: PromptRef, extent: RewindExtent) {
        if let Err(why) = self.rewindable(&prompt) {
            return self.misused(why);
        }
        let shown = self.shown_since.take();
        if extent == RewindExtent::Conversation {
            return self.cut(prompt, None);
        }
        // Only what was shown is taken back.
        let Some((_, written)) = shown.filter(|(of, _)| *of == prompt) else {
            return self.misused(NOT_SHOWN);
        };
        if extent == RewindExtent::Files {
            return self.consult(Effect::Revert(RevertTarget::Since(written)));
        }
        // A prompt that comes before the files are back waits: it belongs behind the cut.
        self.rest = Rest::Rewinding {
            was_faulted: self.rest == Rest::Faulted,
        };
        self.consult(Effect::RevertSince { written, prompt });
    }

    /// Takes what came of taking back what was written since a time; `prompt` is the one that the conversation goes back to
    /// with the files.
    pub(super) fn reverted_since(
        &mut self,
        prompt: Option<PromptRef>,
        outcome: Result<ChangesetUndone, Fault>,
    ) {
        let gone = match &outcome {
            Ok(ChangesetUndone::Done { files, .. }) => Some(
                files
                    .iter()
                    .flat_map(|file| file.gone.iter().map(|gone| (file.path.clone(), *gone)))
                    .collect(),
            ),
            Ok(ChangesetUndone::Nothing) => Some(Vec::new()),
            Ok(ChangesetUndone::Conflict { .. }) | Err(_) => None,
        };
        self.changeset_reverted(outcome, Way::BackToPrompt);
        let Some(prompt) = prompt else {
            return;
        };
        self.rest = match self.rest {
            Rest::Rewinding { was_faulted: true } => Rest::Faulted,
            _ => Rest::Plain,
        };
        match gone {
            Some(gone) => self.cut(prompt, Some(&gone)),
            None => self.inform("the conversation stays as it is, as the files do"),
        }
        if self.turn.is_none() {
            self.begin_next();
        }
    }

    /// Takes a prompt and all behind it out of the conversation; `gone` are the changes to files that were taken back with
    /// it, if files went back.
    fn cut(&mut self, prompt: PromptRef, gone: Option<&[(String, TakenBack)]>) {
        let at = match self.found(&prompt) {
            Some((at, _)) if self.turn.is_none() => at,
            Some(_) => return self.misused(TURN_RUNS),
            None => return self.misused(NOT_THERE),
        };
        let kept = self.transcript.entries().get(..at).unwrap_or_default();
        if let Err(misplaced) = self.transcript.retell(kept.to_vec()) {
            tracing::error!(%misplaced, "a conversation was cut over open calls");
            return;
        }
        self.held.clear();
        self.resume = false;
        self.rest = Rest::Plain;
        self.note_taken_back(gone.unwrap_or_default());
        self.skip_record();
        if self.recorded.is_some() {
            let told = self.transcript.entries().to_vec();
            self.effects.push_back(Effect::Record(Record::Retold(told)));
        }
        self.effects.push_back(Effect::Forget);
        self.emit(Event::Rewound {
            prompt: prompt.text,
            with_files: gone.is_some(),
        });
    }

    /// Notes changes that the model does not know any more and that are not on disk any more: they are no news to it. Of a
    /// change that it proposed before the cut it is still told.
    fn note_taken_back(&mut self, gone: &[(String, TakenBack)]) {
        let known: HashSet<ProposalId> = self.told().staged().collect();
        let is_forgotten = |gone: &TakenBack| {
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

    /// Returns the place of a prompt in the transcript and when it was sent; or why the conversation does not go back to it
    /// now.
    fn rewindable(&self, prompt: &PromptRef) -> Result<(usize, Option<Timestamp>), &'static str> {
        if self.turn.is_some() {
            return Err(TURN_RUNS);
        }
        if self.is_held() {
            return Err("another conversation is being opened, or files are being taken back");
        }
        self.found(prompt).ok_or(NOT_THERE)
    }

    /// Returns what this conversation wrote since a prompt, as the engine is asked for it; or why that is not known.
    fn written_since(&self, sent: Option<Timestamp>) -> Result<WrittenSince, &'static str> {
        let since = sent.ok_or(NOT_DATED)?;
        let by = self.lineage.spans();
        if by.is_empty() {
            return Err(NOT_NAMED);
        }
        let until = None;
        Ok(WrittenSince { since, until, by })
    }

    fn found(&self, prompt: &PromptRef) -> Option<(usize, Option<Timestamp>)> {
        let (at, text, sent) = self.prompts().nth(prompt.place)?;
        (text == prompt.text).then_some((at, sent))
    }

    /// Returns the prompts as they were typed, with their places in the transcript and when they were sent.
    fn prompts(&self) -> impl Iterator<Item = (usize, &str, Option<Timestamp>)> {
        let entries = self.transcript.entries().iter().enumerate();
        entries.filter_map(|(at, entry)| match entry {
            Entry::Prompt { text, sent, .. } => {
                let typed = text.strip_suffix(ASKS_NOTHING).unwrap_or(text);
                Some((at, typed, *sent))
            }
            Entry::Said { .. } | Entry::Answered { .. } | Entry::Noticed { .. } => None,
        })
    }
}
