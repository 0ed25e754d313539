//! Going on with another conversation, from an earlier prompt of this one, or in another mode.
//!
//! In: which conversation or prompt, and what was said in it or written since. Out: the same session goes on from there.

use signoff_core::id::Timestamp;
use signoff_core::stage::review::{GoneChange, RevertOutcome, RevertTarget};

use super::change_log::ChangeLog;
use super::turn::Rest;
use super::turn::by_example::FirstRequest;
use super::{Config, Effect, Event, Fault, PromptRef, RewindFiles, RewindScope, Session, Switch};
use crate::memory::Recall;
use crate::mode::Mode;

const NOT_THERE: &str = "this prompt is not in the conversation any more";
const TURN_RUNS: &str = "a turn runs; stop it before you go back to an earlier prompt";

impl Session {
    /// Asks for another conversation.
    pub(super) fn switch(&mut self, to: Switch) {
        if self.turns.is_running() {
            return self
                .outbox
                .misused("a turn runs; stop it before you go to another conversation");
        }
        if self.turns.is_held() {
            return self
                .outbox
                .misused("another conversation is being opened, or files are being reverted");
        }
        self.questions
            .cancel_all(&mut self.ledger, &mut self.outbox);
        self.turns.set_rest(Rest::Switching);
        self.outbox.want(Effect::Switch(to));
    }

    /// Goes on with another conversation; what is staged stays, whichever staged it.
    pub(super) fn switched(&mut self, outcome: Result<Recall, Fault>) {
        if self.turns.is_running() {
            tracing::error!("another conversation was opened over a turn");
            return;
        }
        self.turns.set_rest(Rest::Plain);
        match outcome {
            Ok(recall) => self.take_up(recall),
            Err(fault) => self.outbox.emit(Event::Fault(fault)),
        }
        if let Some(prompt) = self.prompts.next_ready() {
            self.begin_prompt(prompt);
        }
    }

    fn take_up(&mut self, recall: Recall) {
        self.turns.forget_resuming();
        self.planned.forget();
        self.changes = ChangeLog::default();
        if !recall.entries.is_empty() {
            self.changes.others_changed();
        }
        let most_told = self.config.most_told;
        self.ledger.take_up(recall, most_told, &mut self.outbox);
        self.review.hunks_mut().claim(self.ledger.told().staged());
        if self.config.attended && self.ledger.is_unanswered() {
            self.outbox.inform(
                "the last request of this conversation has no answer; /retry sends it again",
            );
        }
    }

    /// Goes to a mode. Plans may be made by a model of their own.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        let before = self.turns.modes.now;
        let (ledger, out) = (&mut self.ledger, &mut self.outbox);
        self.turns.modes.set(mode, ledger, out);
        let now = self.turns.modes.now;
        self.dress();
        let planner = self.config.planner.as_ref();
        if now == before || planner.is_none() {
            return;
        }
        let name = if now == Mode::Plan {
            let planner = planner.filter(|name| **name != self.model).cloned();
            self.executor = planner.is_some().then(|| self.model.clone());
            planner
        } else {
            self.executor.take()
        };
        if let Some(name) = name {
            self.outbox.want(Effect::UseModel { name });
        }
    }

    /// Goes to the instructions and tools of whoever is asked next: the planner may have a profile of its own. A turn that
    /// runs keeps those that it began with.
    pub(super) fn dress(&mut self) {
        if self.turns.is_running() {
            return;
        }
        let profile = if self.turns.modes.now == Mode::Plan {
            let Config {
                planner,
                planner_profile,
                ..
            } = &self.config;
            let own = planner.is_none().then_some(self.own_profile);
            self.config
                .fitting(planner_profile.or(own), planner.as_deref())
        } else {
            self.own_profile
        };
        if self.config.wear(profile) {
            self.ledger.fit(self.config.fixed_size());
            let form = self.config.by_example;
            let form = form.filter(|_| profile == self.own_profile);
            self.turns.first_request = FirstRequest::of(form);
        }
    }

    /// Sends the prompts of the conversation.
    pub(super) fn list_prompts(&mut self) {
        let prompts = self
            .ledger
            .prompts()
            .map(|(_, text, _)| text.to_owned())
            .collect();
        self.outbox.emit(Event::Prompts { prompts });
    }

    /// Tells what there is to go back to from a prompt.
    pub(super) fn find_rewind_scope(&mut self, prompt: PromptRef) {
        let sent = match self.rewindable(&prompt) {
            Ok(sent) => sent,
            Err(why) => return self.outbox.misused(why),
        };
        let files = match self.ledger.written_since(sent) {
            Ok(written) => RewindFiles::Written(written),
            Err(why) => RewindFiles::Unknown {
                why: why.to_owned(),
            },
        };
        self.outbox.emit(Event::RewindScope(RewindScope {
            prompt,
            sent,
            files,
        }));
    }

    /// Goes back to before a prompt, once the files are back, where they go back as well.
    pub(super) fn rewind(&mut self, prompt: PromptRef, files: Option<RevertTarget>) {
        if let Err(why) = self.rewindable(&prompt) {
            return self.outbox.misused(why);
        }
        let Some(target) = files else {
            return self.cut(prompt, None);
        };
        // A prompt that comes before the files are back waits: it belongs behind the cut.
        let was_faulted = self.turns.rest() == Rest::Faulted;
        self.turns.set_rest(Rest::Rewinding { was_faulted });
        let prompt = Some(prompt);
        let effect = Effect::TakeBack { target, prompt };
        self.review.consult(effect, &mut self.outbox);
    }

    /// Takes what came of taking changes back; `prompt` is the one that the conversation goes back to with the files.
    pub(super) fn taken_back(
        &mut self,
        prompt: Option<PromptRef>,
        outcome: Result<RevertOutcome, Fault>,
    ) {
        self.review.reported();
        let gone = match outcome {
            Ok(outcome) => {
                let gone = (outcome.written || outcome.is_nothing()).then(|| gone(&outcome));
                self.turns.note_changed_files(outcome.written);
                let is_listed = outcome.written && outcome.proposals.is_empty();
                let is_over = self.turns.is_leaving();
                self.review
                    .taken_back(outcome, is_over, &mut self.ledger, &mut self.outbox);
                if is_listed {
                    self.settle();
                }
                gone
            }
            Err(fault) => {
                self.outbox.emit(Event::Fault(fault));
                None
            }
        };
        let Some(prompt) = prompt else {
            return;
        };
        self.turns.set_rest(match self.turns.rest() {
            Rest::Rewinding { was_faulted: true } => Rest::Faulted,
            _ => Rest::Plain,
        });
        match gone {
            Some(gone) => self.cut(prompt, Some(&gone)),
            None => self
                .outbox
                .inform("the conversation stays as it is, as the files do"),
        }
        if !self.turns.is_running() {
            self.begin_next();
        }
    }

    /// Takes a prompt and all behind it out of the conversation; `gone` are the changes to files that were taken back with
    /// it, if files went back.
    fn cut(&mut self, prompt: PromptRef, gone: Option<&[(String, GoneChange)]>) {
        if self.turns.is_running() && self.ledger.find_prompt(&prompt).is_some() {
            return self.outbox.misused(TURN_RUNS);
        }
        if !self.ledger.cut(prompt, gone, &mut self.outbox) {
            return self.outbox.misused(NOT_THERE);
        }
        self.turns.forget_resuming();
        self.turns.set_rest(Rest::Plain);
    }

    /// Returns when a prompt was sent; or why the conversation does not go back to it now.
    fn rewindable(&self, prompt: &PromptRef) -> Result<Option<Timestamp>, &'static str> {
        if self.turns.is_running() {
            return Err(TURN_RUNS);
        }
        if self.turns.is_held() {
            return Err("another conversation is being opened, or files are being reverted");
        }
        let found = self.ledger.find_prompt(prompt);
        found.map(|(_, sent)| sent).ok_or(NOT_THERE)
    }
}

/// Returns the changes that were taken back, with their files.
fn gone(outcome: &RevertOutcome) -> Vec<(String, GoneChange)> {
    let files = outcome.files.iter();
    let gone = files.flat_map(|file| {
        let gone = file.gone.iter();
        gone.map(|gone| (file.name().to_owned(), *gone))
    });
    gone.collect()
}
