//! Session: the conversation as a state machine without IO.
//!
//! In: [`Command`]s from the user and [`Input`]s from the world. Out: [`Effect`]s for the
//! driver and [`Event`]s for the screen. This file routes: a turn begins and ends in `turn`,
//! runs through `answer` and `calls`, and what becomes of verdicts is in `verdict`.

use std::collections::VecDeque;

use signoff_core::engine::ChangesetUndone;
use signoff_core::id::Timestamp;
use signoff_core::review::ProposalView;

use crate::notice::Notice;
use crate::surroundings::Surroundings;
use crate::transcript::Transcript;
use by_example::FirstRequest;
use going_on::GoingOn;
use modes::Modes;

mod loop_detector;
mod outbox;
mod answer;
mod by_example;
mod going_on;
mod modes;
mod calls;
mod cancel;
mod checks;
mod command;
mod config;
mod questions;
mod effect;
mod event;
mod fault;
mod ledger;
mod input;
mod permission_prompt;
mod query;
mod models;
mod reply;
mod review;
mod rewind;
mod round;
mod switching;
mod triage;
mod turn;
mod user_command;

pub use crate::phase::Phase;
pub use checks::CheckPolicy;
pub use command::{Command, Grant, Switch};
pub use config::Config;
pub use effect::{Effect, RequestId, TurnId};
pub use event::{
    CommittedFile, Event, Fault, FaultKind, RoundTiming, Speaker, TurnEnd, TurnSummary,
};
pub use input::Input;
pub use models::ListedModel;
pub use query::{ChangeAnswer, ChangeQuery};
pub use questions::{AnswerEnd, HunkQuestion};
pub use review::Inquiry;
pub use rewind::{PromptRef, RewindExtent, RewindFiles, RewindPreview};

use ledger::{Ledger, UserPrompt};
use outbox::Outbox;
use questions::OpenQuestions;
use review::{RevertKind, Review};
use turn::Turn;

/// One conversation.
#[derive(Debug)]
pub struct Session {
    config: Config,
    first_request: FirstRequest,
    modes: Modes,
    going_on: GoingOn,
    /// The check that was asked for last.
    newest_check: u64,
    rest: Rest,
    phase: Phase,
    turn: Option<Turn>,
    turns: u64,
    requests: u64,
    /// Prompts that came while a turn ran.
    queue: VecDeque<UserPrompt>,
    /// True if a verdict waits for an answer of the model.
    resume: bool,
    review: Review,
    questions: OpenQuestions,
    /// True once nothing new may begin.
    leaving: bool,
    ledger: Ledger,
    outbox: Outbox,
}

/// What there is to know of a conversation while no turn runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rest {
    /// Nothing.
    #[default]
    Plain,
    /// The newest turn ended with a fault.
    Faulted,
    /// Another conversation is being opened.
    Switching,
    /// Files are taken back, and then the conversation goes back with them.
    Rewinding {
        /// Whether the newest turn ended with a fault.
        was_faulted: bool,
    },
}

impl Session {
    /// Returns a conversation in which nothing was said.
    pub fn new(config: Config) -> Self {
        Self {
            going_on: GoingOn::new(config.after_approval),
            modes: Modes::new(config.write_through, config.stop),
            first_request: match config.by_example {
                Some(form) => FirstRequest::ByExample(form, None),
                None => FirstRequest::WithTools,
            },
            newest_check: 0,
            rest: Rest::default(),
            phase: Phase::Idle,
            turn: None,
            turns: 0,
            requests: 0,
            queue: VecDeque::new(),
            resume: false,
            review: Review::default(),
            questions: OpenQuestions::default(),
            leaving: false,
            ledger: Ledger::new(config.remember, config.fixed_size()),
            outbox: Outbox::default(),
            config,
        }
    }

    /// Takes over the time, by which prompts are dated.
    pub fn set_time(&mut self, now: Timestamp) {
        self.ledger.set_time(now);
    }

    /// Takes one input; what it leads to is polled afterwards.
    pub fn handle(&mut self, input: Input) {
        match input {
            Input::Command(command) => self.command(command),
            Input::Ready { about, hint } => {
                self.meet(&about);
                self.outbox.emit(Event::Ready { about, hint });
                self.tell_mode();
            }
            Input::Delta { request, delta } => {
                if !self.question_delta(request, &delta) {
                    self.delta(request, delta);
                }
            }
            Input::RequestEnded { request, result } => {
                if !self.question_ended(request, &result) {
                    self.request_ended(request, result);
                }
            }
            Input::ToolOutput { call, tail, lines } => self.tool_printed(call, tail, lines),
            Input::ToolDone {
                call,
                output,
                took_ms,
                aside,
            } => {
                self.ledger.count_aside(aside, &mut self.outbox);
                self.tool_done(&call, output, took_ms);
            }
            Input::Silent { request, seconds } => self.silent(request, seconds),
            Input::SessionsRead(Ok(sessions)) => self.outbox.emit(Event::Sessions { sessions }),
            Input::Switched(outcome) => self.switched(outcome),
            Input::SessionsRead(Err(fault)) | Input::Failed(fault) => {
                self.outbox.emit(Event::Fault(fault));
            }
            Input::Decided(outcome) => self.decided(outcome),
            Input::Reverted(outcome) => {
                let is_changed = self
                    .review
                    .reverted(outcome, &mut self.ledger, &mut self.outbox);
                self.note_changed_files(is_changed);
            }
            Input::ChangesetReverted(outcome) => self.changeset_reverted(outcome, RevertKind::Back),
            Input::RevertedToBefore(outcome) => {
                self.changeset_reverted(outcome, RevertKind::BackAndLater);
            }
            Input::ChangesetRedone(outcome) => self.changeset_reverted(outcome, RevertKind::Again),
            Input::Reviewed(outcome) => self.reviewed(outcome),
            Input::OutcomesRead(hunks) => self.review.outcomes_read(hunks, &mut self.outbox),
            Input::Surroundings(given) => self.attach(given),
            Input::Images(named) => self.ledger.images().name(named),
            Input::ImagesTaken(is_taken) => self.ledger.images().learn(is_taken),
            Input::UserEdits(files) if files.is_empty() => {}
            Input::UserEdits(files) => self.ledger.tell(Notice::UserEdits { files }),
            Input::Outcomes(outcomes) => {
                let is_news = self
                    .review
                    .catch_up(outcomes, &mut self.ledger, &mut self.outbox);
                self.note_changed_files(is_news);
            }
            Input::CheckBegins { check, step } => self.check_begins(check, step),
            Input::Checked { check, outcome } => self.checked(check, outcome),
            Input::RevertPreviewed(Ok(preview)) => self.outbox.emit(Event::RevertPreview(preview)),
            Input::RevertPreviewed(Err(fault)) => self.outbox.emit(Event::Fault(fault)),
            Input::RewindPreviewed {
                prompt,
                sent,
                outcome,
            } => self
                .review
                .rewind_previewed(prompt, sent, outcome, &mut self.outbox),
            Input::RevertedSince { prompt, outcome } => self.reverted_since(prompt, outcome),
            Input::Coloured(colours) => self.outbox.emit(Event::Coloured(colours)),
            Input::Placed(outcome) => {
                self.review
                    .placed(outcome, &mut self.ledger, &mut self.outbox)
            }
            Input::QueryAnswered(Ok(answer)) => self.outbox.emit(Event::QueryAnswered(answer)),
            Input::QueryAnswered(Err(fault)) => self.outbox.emit(Event::Fault(fault)),
            Input::AroundRead(around) => self.outbox.emit(Event::LinesAround(around)),
            Input::HistoryRead(Ok(entries)) => self.outbox.emit(Event::History { entries }),
            Input::HistoryRead(Err(fault)) => self.outbox.emit(Event::Fault(fault)),
            Input::Models { about, models } => self.list_models(&about, models),
            Input::ModelFound {
                name,
                about,
                models,
            } => self.model_found(name, &about, models),
            Input::ModelChosen(about) => self.model_chosen(about),
            Input::Quit => self.quit(),
        }
        self.review.release(&mut self.ledger, &mut self.outbox);
        self.ledger.record(&mut self.outbox);
    }

    /// Returns the next thing to be done in the world.
    #[must_use]
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.outbox.next_effect()
    }

    /// Returns the next thing to be shown.
    #[must_use]
    pub fn poll_event(&mut self) -> Option<Event> {
        self.outbox.next_event()
    }

    /// Returns of what there may be external decisions; nothing where nothing was said.
    pub fn inquiry(&self) -> Option<Inquiry> {
        self.ledger.inquiry()
    }

    /// Returns once whether the model's server is to be asked if it takes images.
    pub(crate) fn asks_about_images(&mut self) -> bool {
        self.ledger.images().asks_server()
    }

    /// Tells whether something that was decided is still being carried out.
    pub fn is_deciding(&self) -> bool {
        self.review.is_deciding()
    }

    /// Returns where the conversation stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns what was said.
    pub fn transcript(&self) -> &Transcript {
        self.ledger.transcript()
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Submit(text) => self.submit(text),
            // The driver reads files.
            Command::TypedPaths(_) => {}
            Command::Run(line) => self.run_command(&line),
            Command::Prompts => self.list_prompts(),
            Command::PreviewRewind(prompt) => self.preview_rewind(prompt),
            Command::Rewind { prompt, extent } => self.rewind(prompt, extent),
            Command::Cancel => self.cancel(),
            Command::CancelCall(call) => self.cancel_call(call.as_ref()),
            Command::Retry => self.retry(),
            Command::Compact => self.compact(),
            Command::ListAttached => self.ledger.list_attached(&mut self.outbox),
            Command::Detach(path) => self.ledger.detach(&path, &mut self.outbox),
            Command::Sessions => self.outbox.want(Effect::ReadSessions),
            Command::Switch(to) => self.switch(to),
            Command::Decide(rulings) if rulings.is_empty() => {
                self.outbox.misused("no hunk was named")
            }
            Command::Decide(rulings) => self.review.rule(rulings),
            Command::Ask(question) => self.ask_about(*question),
            Command::CancelAsk(hunk) => self.cancel_question(hunk),
            Command::Permit { call, grant } => self.permit(&call, grant),
            Command::Revert(target) => self
                .review
                .consult(Effect::Revert(target), &mut self.outbox),
            Command::PreviewRevert(target) => {
                self.outbox.want(Effect::PreviewRevert(target));
            }
            Command::Colour(proposal) => self.outbox.want(Effect::Colour(proposal)),
            Command::ShowAround(request) => self.outbox.want(Effect::ReadAround(request)),
            Command::Place { question, choice } => {
                self.review
                    .consult(Effect::Place { question, choice }, &mut self.outbox);
            }
            Command::Query(query) => self.outbox.want(Effect::Query(query)),
            Command::Review => self.review.consult(Effect::ReadReview, &mut self.outbox),
            Command::History => self.outbox.want(Effect::ReadHistory),
            Command::AfterApproval(next) => self.going_on.choose(next),
            Command::SetMode(mode) => self.set_mode(mode),
            Command::Models => self.outbox.want(Effect::ListModels),
            Command::UseModel(name) => self.outbox.want(Effect::FindModel { name }),
        }
    }

    fn submit(&mut self, text: String) {
        if text.trim().is_empty() {
            self.outbox.misused("the prompt is empty");
            return;
        }
        let Some(prompt) = self.ledger.images().prompt(text, &mut self.outbox) else {
            return;
        };
        if self.turn.is_some() || self.is_held() {
            self.queue.push_back(prompt);
            self.outbox.inform("queued: it is sent when this turn ends");
        } else {
            self.begin(Some(prompt));
        }
    }

    /// Tells whether no turn may begin, since the conversation is about to be another.
    fn is_held(&self) -> bool {
        matches!(self.rest, Rest::Switching | Rest::Rewinding { .. })
    }

    /// Stops what runs; only what was decided is still carried out.
    fn quit(&mut self) {
        self.leaving = true;
        self.queue.clear();
        self.cancel_questions();
        self.cancel();
    }

    /// Takes the review list.
    fn reviewed(&mut self, outcome: Result<Vec<ProposalView>, Fault>) {
        if self
            .review
            .reviewed(outcome, self.leaving, &mut self.outbox)
        {
            self.settle();
        }
    }

    /// Takes what came of taking a changeset back, or of putting it back again.
    fn changeset_reverted(&mut self, outcome: Result<ChangesetUndone, Fault>, way: RevertKind) {
        let is_changed =
            self.review
                .changeset_reverted(outcome, way, &mut self.ledger, &mut self.outbox);
        self.note_changed_files(is_changed);
    }

    /// Gives the model what there is to know before a prompt. A turn that runs goes on without it.
    fn attach(&mut self, given: Surroundings) {
        if self.turn.is_none() {
            self.note_target(&given);
            self.ledger.attach(given, &mut self.outbox);
        }
    }

    /// Makes the conversation shorter because the user asks.
    fn compact(&mut self) {
        if self.turn.is_some() {
            return self
                .outbox
                .misused("a turn runs; stop it before the conversation is compacted");
        }
        self.ledger.compact(self.review.hunks(), &mut self.outbox);
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            self.outbox.emit(Event::Phase { phase });
        }
    }
}

#[cfg(test)]
mod test_kit;
#[cfg(test)]
mod tests;
