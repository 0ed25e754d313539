//! Going back to an earlier prompt: the conversation, the files, or both.
//!
//! Example: the prompts `one` and `two` both led to files that were written. To go back to `two` with both, what was written
//! since `two` was sent is taken back as new entries of history, in all files or in none; then `two` and all behind it leave
//! the conversation, on record too. Where something is in the way in one file, neither happens.
//!
//! Staged work stays as it is: none of it is on disk, and a verdict takes it out.

use serde::Serialize;
use signoff_core::engine::{ChangesetUndone, TakenBack};
use signoff_core::id::Timestamp;
use signoff_core::review::{RevertTarget, SincePreview};

use super::verdict::Way;
use super::{Effect, Event, Fault, Rest, Session};

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
const NOT_SHOWN: &str = "no file was taken back: what would change has not been shown";

impl Session {
    /// Sends the prompts of the conversation.
    pub(super) fn list_prompts(&mut self) {
        let prompts = self
            .ledger
            .prompts()
            .map(|(_, text, _)| text.to_owned())
            .collect();
        self.outbox.emit(Event::Prompts { prompts });
    }

    /// Asks what there is to go back to from a prompt.
    pub(super) fn preview_rewind(&mut self, prompt: PromptRef) {
        let sent = match self.rewindable(&prompt) {
            Ok(sent) => sent,
            Err(why) => return self.outbox.misused(why),
        };
        match self.ledger.written_since(sent) {
            Ok(written) => {
                let effect = Effect::PreviewRewind { prompt, written };
                self.outbox.want(effect);
            }
            Err(why) => {
                let why = why.to_owned();
                let files = RewindFiles::Unknown { why };
                self.outbox.emit(Event::RewindPreview(RewindPreview {
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
            Err(fault) => return self.outbox.emit(Event::Fault(fault)),
        };
        if let Some(RevertTarget::Since(shown)) = preview.as_ref().map(|own| &own.preview.target) {
            self.shown_since = Some((prompt.clone(), shown.clone()));
        }
        self.outbox.emit(Event::RewindPreview(RewindPreview {
            prompt,
            sent: Some(sent),
            files: preview.map_or(RewindFiles::Nothing, RewindFiles::Written),
        }));
    }

    /// Goes back to before a prompt.
    pub(super) fn rewind(&mut self, prompt: PromptRef, extent: RewindExtent) {
        if let Err(why) = self.rewindable(&prompt) {
            return self.outbox.misused(why);
        }
        let shown = self.shown_since.take();
        if extent == RewindExtent::Conversation {
            return self.cut(prompt, None);
        }
        // Only what was shown is taken back.
        let Some((_, written)) = shown.filter(|(of, _)| *of == prompt) else {
            return self.outbox.misused(NOT_SHOWN);
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
            None => self
                .outbox
                .inform("the conversation stays as it is, as the files do"),
        }
        if self.turn.is_none() {
            self.begin_next();
        }
    }

    /// Takes a prompt and all behind it out of the conversation; `gone` are the changes to files that were taken back with
    /// it, if files went back.
    fn cut(&mut self, prompt: PromptRef, gone: Option<&[(String, TakenBack)]>) {
        if self.turn.is_some() && self.ledger.find_prompt(&prompt).is_some() {
            return self.outbox.misused(TURN_RUNS);
        }
        if !self.ledger.cut(prompt, gone, &mut self.outbox) {
            return self.outbox.misused(NOT_THERE);
        }
        self.resume = false;
        self.rest = Rest::Plain;
    }

    /// Returns when a prompt was sent; or why the conversation does not go back to it now.
    fn rewindable(&self, prompt: &PromptRef) -> Result<Option<Timestamp>, &'static str> {
        if self.turn.is_some() {
            return Err(TURN_RUNS);
        }
        if self.is_held() {
            return Err("another conversation is being opened, or files are being taken back");
        }
        let found = self.ledger.find_prompt(prompt);
        found.map(|(_, sent)| sent).ok_or(NOT_THERE)
    }
}
