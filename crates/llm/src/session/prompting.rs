//! From a typed prompt to its turn.
//!
//! In: what the user wants begun, answers to questions of trust, and prompts that were prepared. Out: the next step of the
//! queue (`prompt_queue`): a question, a preparation, or a turn that begins.

use signoff_core::stage::review::HunkQuestion;

use super::ledger::UserPrompt;
use super::prompt_queue::{NextStep, StoppedWait, TypedPrompt};
use super::{Effect, Event, Grant, PreparedPrompt, Session, TrustRequest, TrustSubject, TurnEnd};
use crate::image::NamedImages;
use crate::message::CallId;
use crate::notice::Notice;
use crate::phase::Phase;
use crate::surroundings::Surroundings;

impl Session {
    /// Tells whether the user can be asked about trust: no call asks beside it.
    pub(crate) fn may_ask_for_trust(&self) -> bool {
        self.is_at_rest() && self.prompts.is_open()
    }

    fn is_at_rest(&self) -> bool {
        matches!(self.phase(), Phase::Idle | Phase::AwaitingReview)
    }

    /// Takes the next steps of the queue, as far as they wait for nothing: what follows the user's verdicts begins once the
    /// engine has carried them out, or its preparation would take them for another process'.
    pub(super) fn advance(&mut self) {
        while !self.review.is_ruling()
            && let Some(step) = self.prompts.next_step(self.is_at_rest())
        {
            match step {
                NextStep::Ask(request) => self.ask_for_trust(request),
                NextStep::Prepare(prompt) => self.outbox.want(Effect::Prepare(prompt)),
                NextStep::Run(line) => self.run_command(&line),
                NextStep::Retry => self.retry(),
            }
        }
    }

    /// Has the user asked whether something is trusted, before the next prompt or now.
    pub(super) fn want_trust(&mut self, request: TrustRequest) {
        if let Some(request) = self.prompts.want_trust(request) {
            self.ask_for_trust(request);
        }
    }

    fn ask_for_trust(&mut self, request: TrustRequest) {
        self.outbox.emit(Event::PermissionAsked {
            call: request.call,
            tool: request.question.label,
            subject: request.question.text,
        });
    }

    /// Takes the user's word on what is to be trusted; false if this call does not stand for it.
    pub(super) fn answer_trust(&mut self, call: &CallId, grant: &Grant) -> bool {
        let Some(subject) = self.prompts.answered(call) else {
            return false;
        };
        let is_trusted = match grant {
            Grant::Once | Grant::Session | Grant::Always => true,
            Grant::Refuse { .. } => false,
        };
        self.outbox.want(Effect::Trust {
            subject,
            is_trusted,
        });
        true
    }

    /// Goes on once what the user trusts is in force.
    pub(super) fn trust_decided(&mut self) {
        self.prompts.decided();
        self.advance();
    }

    /// Stops what a prompt waits for, or the turn.
    pub(super) fn stop(&mut self) {
        match self.prompts.stop() {
            StoppedWait::Nothing
                if self.review.is_ruling()
                    && self.prompts.is_typed()
                    && !self.turns.is_running() =>
            {
                let prompts = self.prompts.take_prompts();
                self.give_back(prompts);
            }
            StoppedWait::Nothing => self.cancel(),
            StoppedWait::Question(request, prompts) => {
                if let subject @ TrustSubject::Server(_) = request.subject {
                    let is_trusted = false;
                    self.outbox.want(Effect::Trust {
                        subject,
                        is_trusted,
                    });
                }
                self.give_back(prompts);
            }
            StoppedWait::Preparation => {
                self.outbox.want(Effect::StopPreparing);
                self.cancel();
            }
        }
    }

    /// Takes a prompt that was prepared, or why it is not sent; nothing if the user stopped it.
    pub(super) fn prepared(&mut self, outcome: Result<PreparedPrompt, Option<String>>) {
        let Some(prompt) = self.prompts.prepared() else {
            return;
        };
        let TypedPrompt { text, about, .. } = prompt;
        match outcome {
            Ok(found) => {
                let images = self.learn(found);
                self.send(text, images, about);
            }
            Err(Some(why)) => {
                self.outbox.misused(&why);
                self.outbox.emit(Event::Unsent { text });
            }
            Err(None) => {
                let behind = self.prompts.take_prompts();
                self.give_back(std::iter::once(text).chain(behind));
            }
        }
        self.advance();
        self.answer_verdicts();
    }

    /// Has the model answer verdicts whose answer was left to a prompt that did not begin a turn.
    fn answer_verdicts(&mut self) {
        let is_busy = self.turns.is_running() || self.turns.is_held() || self.prompts.is_typed();
        if self.turns.resumes() && !is_busy {
            self.begin_next();
        }
    }

    /// Takes what there is to know before a prompt, and returns its images. A turn that runs goes on without surroundings.
    pub(super) fn learn(&mut self, found: PreparedPrompt) -> NamedImages {
        let PreparedPrompt {
            hooked,
            outcomes,
            commits,
            listing,
            edits,
            surroundings,
            images,
        } = found;
        if !hooked.is_empty() {
            let foreign = vec![hooked];
            self.attach(Surroundings {
                foreign,
                ..Surroundings::default()
            });
        }
        if let Some(outcomes) = outcomes {
            let (ledger, out) = (&mut self.ledger, &mut self.outbox);
            let is_news = self.review.catch_up(outcomes, ledger, out);
            self.turns.note_changed_files(is_news);
        }
        self.ledger.tell_commits(commits, true);
        if let Some(listing) = listing {
            let is_over = self.turns.is_leaving();
            self.review.list(listing, is_over, &mut self.outbox);
        }
        if !edits.is_empty() {
            self.ledger.tell(Notice::UserEdits { files: edits });
        }
        if let Some(surroundings) = surroundings {
            self.attach(surroundings);
        }
        images
    }

    fn attach(&mut self, given: Surroundings) {
        if !self.turns.is_running() {
            self.turns.first_request.note_target(&given);
            self.ledger.attach(given, &mut self.outbox);
        }
    }

    /// Begins a turn with a prompt, or has it wait for the end of the one that runs.
    pub(super) fn send(
        &mut self,
        text: String,
        images: NamedImages,
        about: Option<Box<HunkQuestion>>,
    ) {
        if text.trim().is_empty() {
            return self.outbox.misused("the prompt is empty");
        }
        let prompt = self.ledger.images().prompt(text, images, &mut self.outbox);
        let Some(prompt) = prompt.map(|prompt| UserPrompt { about, ..prompt }) else {
            return;
        };
        if self.turns.is_running() || self.turns.is_held() {
            self.prompts.add_ready(prompt);
            self.outbox.inform("queued: it is sent when this turn ends");
        } else {
            self.begin_prompt(prompt);
        }
    }

    /// Gives prompts back that waited for what the user stopped.
    fn give_back(&mut self, prompts: impl IntoIterator<Item = String>) {
        for text in prompts {
            self.outbox.emit(Event::Unsent { text });
        }
        if !self.turns.is_running() {
            let end = TurnEnd::Cancelled;
            self.outbox.emit(Event::TurnEnded { end });
        }
    }
}
