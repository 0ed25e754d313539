//! Session: the conversation as a state machine without IO.
//!
//! In: [`Command`]s from the user and [`Input`]s from the world. Out: [`Effect`]s for the
//! driver and [`Event`]s for the screen. This file routes: a turn begins and ends in `turn`,
//! runs through `answer` and `calls`, and what becomes of verdicts is in `verdict`.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use signoff_core::id::Timestamp;
use signoff_core::stage::review::WrittenSince;

use crate::gate::StopRule;
use crate::instructions::Profile;
use crate::message::{AnswerForm, CallId};
use crate::mode::{AfterApproval, WriteThrough};
use crate::notice::Notice;
use crate::permission::Policy;
use crate::provider::catalogue::Catalogue;
use crate::provider::retry::Schedule;
use crate::tool::{Registry, ToolSpec};
use crate::transcript::Transcript;
use by_example::FirstRequest;
use going_on::GoingOn;
use images::{ImageInput, UserPrompt};
use modes::Modes;

mod loop_detector;
mod answer;
mod attachments;
mod by_example;
mod going_on;
mod images;
mod modes;
mod calls;
mod cancel;
mod checks;
mod command;
mod pending_hunks;
mod questions;
mod effect;
mod event;
mod fault;
mod input;
mod usage_meter;
mod permission_prompt;
mod query;
mod placed;
mod models;
mod recall;
mod reply;
mod compact;
mod rewind;
mod round;
mod external_decisions;
mod triage;
mod turn;
mod user_command;
mod verdict;

pub use crate::phase::Phase;
pub use checks::CheckPolicy;
pub use command::{Command, Grant, Switch};
pub use effect::{Effect, RequestId, TurnId};
pub use event::{
    CommittedFile, Event, Fault, FaultKind, RoundTiming, Speaker, TurnEnd, TurnSummary,
};
pub use external_decisions::Inquiry;
pub use input::Input;
pub use models::ListedModel;
pub use query::{ChangeAnswer, ChangeQuery};
pub use questions::{AnswerEnd, HunkQuestion};
pub use rewind::{PromptRef, RewindExtent, RewindFiles, RewindPreview};

use external_decisions::Lineage;
use pending_hunks::PendingHunks;
use questions::OpenQuestions;
use triage::Toolbox;
use turn::Turn;
use usage_meter::UsageMeter;
use verdict::{Held, Way};

/// What a session is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// The tools that the model is told of.
    pub tools: Registry,
    /// The first message of every request.
    pub instructions: String,
    /// How many requests with tools one turn may take.
    pub most_requests: u32,
    /// How many tokens one turn may take; looked at between its requests.
    pub most_tokens: Option<u64>,
    /// What one turn may cost, in millionths of a dollar; only where prices are known.
    pub most_cost: Option<u64>,
    /// When staged edits go before the user.
    pub stop: StopRule,
    /// What is known of models: how much they read, and what that costs.
    pub catalogue: Catalogue,
    /// How long to wait before the model is asked to go on after its answer broke off; twice as
    /// long the second time.
    pub pause: Duration,
    /// True if what is said shall be written down.
    pub remember: bool,
    /// Which calls need the user's permission.
    pub policy: Policy,
    /// True if somebody is there to be asked.
    pub attended: bool,
    /// What becomes of diagnostics in staged work.
    pub checks: CheckPolicy,
    /// What a first request about one file asks for, if it is made by example.
    pub by_example: Option<AnswerForm>,
    /// Whether edits are written at once.
    pub write_through: WriteThrough,
    /// What the model does once all is approved, unless the user says otherwise with the verdict.
    pub after_approval: AfterApproval,
}

/// One conversation.
#[derive(Debug)]
pub struct Session {
    instructions: String,
    most_requests: u32,
    most_tokens: Option<u64>,
    most_cost: Option<u64>,
    stop: StopRule,
    pause: Duration,
    usage: UsageMeter,
    catalogue: Catalogue,
    policy: Policy,
    attended: bool,
    checks: CheckPolicy,
    first_request: FirstRequest,
    modes: Modes,
    going_on: GoingOn,
    /// The check that was asked for last.
    newest_check: u64,
    tools: Toolbox,
    rest: Rest,
    /// How many entries of the transcript were written down, if any shall be.
    recorded: Option<usize>,
    /// The model that the user chose, if they chose one.
    choice: Option<models::Choice>,
    transcript: Transcript,
    lineage: Lineage,
    phase: Phase,
    turn: Option<Turn>,
    turns: u64,
    requests: u64,
    /// Prompts that came while a turn ran.
    queue: VecDeque<UserPrompt>,
    images: ImageInput,
    /// Notices that came while a turn ran; the next request holds them.
    held: Vec<Notice>,
    /// True if a verdict waits for an answer of the model.
    resume: bool,
    pending_hunks: PendingHunks,
    questions: OpenQuestions,
    /// Verdicts that wait for the screen to show what the engine goes by.
    rulings: VecDeque<Held>,
    /// How many reports of the engine are on their way that may change the review list.
    consulting: usize,
    /// Calls that may be changing something now, those of a cancelled turn included.
    staging: HashSet<CallId>,
    /// True once nothing new may begin.
    leaving: bool,
    /// The time, once it was told.
    now: Option<Timestamp>,
    /// What was shown last of what was written since a prompt.
    shown_since: Option<(PromptRef, WrittenSince)>,
    effects: VecDeque<Effect>,
    events: VecDeque<Event>,
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

impl Config {
    /// Returns the usual instructions and limits for these tools.
    pub fn new(tools: Registry) -> Self {
        Self {
            tools,
            instructions: Profile::Full.text().to_owned(),
            most_requests: 40,
            most_tokens: None,
            most_cost: None,
            stop: StopRule::default(),
            catalogue: Catalogue::default(),
            pause: Schedule::default().base,
            remember: false,
            policy: Policy::default(),
            attended: true,
            checks: CheckPolicy::default(),
            by_example: None,
            write_through: WriteThrough::default(),
            after_approval: AfterApproval::default(),
        }
    }
}

impl Session {
    /// Returns a conversation in which nothing was said.
    pub fn new(config: Config) -> Self {
        let tools = config.tools.specs().iter().map(spec_size).sum::<usize>();
        let fixed = config.instructions.len() + tools;
        Self {
            usage: UsageMeter::new(None, None, fixed),
            catalogue: config.catalogue,
            instructions: config.instructions,
            most_requests: config.most_requests.max(1),
            most_tokens: config.most_tokens,
            most_cost: config.most_cost,
            stop: config.stop,
            pause: config.pause,
            policy: config.policy,
            attended: config.attended,
            checks: config.checks,
            going_on: GoingOn::new(config.after_approval),
            modes: Modes::new(config.write_through, config.stop),
            first_request: match config.by_example {
                Some(form) => FirstRequest::ByExample(form, None),
                None => FirstRequest::WithTools,
            },
            newest_check: 0,
            tools: Toolbox::new(config.tools),
            rest: Rest::default(),
            recorded: config.remember.then_some(0),
            choice: None,
            transcript: Transcript::default(),
            lineage: Lineage::default(),
            phase: Phase::Idle,
            turn: None,
            turns: 0,
            requests: 0,
            queue: VecDeque::new(),
            images: ImageInput::default(),
            held: Vec::new(),
            resume: false,
            pending_hunks: PendingHunks::default(),
            questions: OpenQuestions::default(),
            rulings: VecDeque::new(),
            consulting: 0,
            staging: HashSet::new(),
            leaving: false,
            now: None,
            shown_since: None,
            effects: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Takes over the time, by which prompts are dated.
    pub fn set_time(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// Takes one input; what it leads to is polled afterwards.
    pub fn handle(&mut self, input: Input) {
        match input {
            Input::Command(command) => self.command(command),
            Input::Ready { about, hint } => {
                self.meet(&about);
                self.emit(Event::Ready { about, hint });
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
                self.count_aside(aside);
                self.tool_done(&call, output, took_ms);
            }
            Input::Silent { request, seconds } => self.silent(request, seconds),
            Input::SessionsRead(Ok(sessions)) => self.emit(Event::Sessions { sessions }),
            Input::Switched(outcome) => self.switched(outcome),
            Input::SessionsRead(Err(fault)) | Input::Failed(fault) => {
                self.emit(Event::Fault(fault));
            }
            Input::Decided(outcome) => self.decided(outcome),
            Input::Reverted(outcome) => self.reverted(outcome),
            Input::ChangesetReverted(outcome) => self.changeset_reverted(outcome, Way::Back),
            Input::RevertedToBefore(outcome) => {
                self.changeset_reverted(outcome, Way::BackAndLater);
            }
            Input::ChangesetRedone(outcome) => self.changeset_reverted(outcome, Way::Again),
            Input::Reviewed(outcome) => self.reviewed(outcome),
            Input::OutcomesRead(hunks) => self.outcomes_read(hunks),
            Input::Surroundings(given) => self.attach(given),
            Input::Images(named) => self.images.name(named),
            Input::ImagesTaken(is_taken) => self.images.learn(is_taken),
            Input::UserEdits(files) if files.is_empty() => {}
            Input::UserEdits(files) => self.tell(Notice::UserEdits { files }),
            Input::Outcomes(outcomes) => self.catch_up(outcomes),
            Input::CheckBegins { check, step } => self.check_begins(check, step),
            Input::Checked { check, outcome } => self.checked(check, outcome),
            Input::RevertPreviewed(Ok(preview)) => self.emit(Event::RevertPreview(preview)),
            Input::RevertPreviewed(Err(fault)) => self.emit(Event::Fault(fault)),
            Input::RewindPreviewed {
                prompt,
                sent,
                outcome,
            } => self.rewind_previewed(prompt, sent, outcome),
            Input::RevertedSince { prompt, outcome } => self.reverted_since(prompt, outcome),
            Input::Coloured(colours) => self.emit(Event::Coloured(colours)),
            Input::Placed(outcome) => self.placed(outcome),
            Input::QueryAnswered(Ok(answer)) => self.emit(Event::QueryAnswered(answer)),
            Input::QueryAnswered(Err(fault)) => self.emit(Event::Fault(fault)),
            Input::AroundRead(around) => self.emit(Event::LinesAround(around)),
            Input::HistoryRead(Ok(entries)) => self.emit(Event::History { entries }),
            Input::HistoryRead(Err(fault)) => self.emit(Event::Fault(fault)),
            Input::Models { about, models } => self.list_models(&about, models),
            Input::ModelFound {
                name,
                about,
                models,
            } => self.model_found(name, &about, models),
            Input::ModelChosen(about) => self.model_chosen(about),
            Input::Quit => self.quit(),
        }
        self.release_rulings();
        self.record();
    }

    /// Returns the next thing to be done in the world.
    #[must_use]
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Returns the next thing to be shown.
    #[must_use]
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Tells whether something that was decided is still being carried out.
    pub fn is_deciding(&self) -> bool {
        self.consulting > 0 || !self.staging.is_empty() || !self.rulings.is_empty()
    }

    /// Returns where the conversation stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns what was said.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
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
            Command::ListAttached => self.list_attached(),
            Command::Detach(path) => self.detach(&path),
            Command::Sessions => self.effects.push_back(Effect::ReadSessions),
            Command::Switch(to) => self.switch(to),
            Command::Decide(rulings) if rulings.is_empty() => self.misused("no hunk was named"),
            Command::Decide(rulings) => self.rule(rulings),
            Command::Ask(question) => self.ask_about(*question),
            Command::CancelAsk(hunk) => self.cancel_question(hunk),
            Command::Permit { call, grant } => self.permit(&call, grant),
            Command::Revert(target) => self.consult(Effect::Revert(target)),
            Command::PreviewRevert(target) => {
                self.effects.push_back(Effect::PreviewRevert(target));
            }
            Command::Colour(proposal) => self.effects.push_back(Effect::Colour(proposal)),
            Command::ShowAround(request) => self.effects.push_back(Effect::ReadAround(request)),
            Command::Place { question, choice } => {
                self.consult(Effect::Place { question, choice });
            }
            Command::Query(query) => self.effects.push_back(Effect::Query(query)),
            Command::Review => self.consult(Effect::ReadReview),
            Command::History => self.effects.push_back(Effect::ReadHistory),
            Command::AfterApproval(next) => self.going_on.choose(next),
            Command::SetMode(mode) => self.set_mode(mode),
            Command::Models => self.effects.push_back(Effect::ListModels),
            Command::UseModel(name) => self.effects.push_back(Effect::FindModel { name }),
        }
    }

    fn submit(&mut self, text: String) {
        if text.trim().is_empty() {
            self.misused("the prompt is empty");
            return;
        }
        let Some(prompt) = self.with_images(text) else {
            return;
        };
        if self.turn.is_some() || self.is_held() {
            self.queue.push_back(prompt);
            self.inform("queued: it is sent when this turn ends");
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

    /// Asks something of the engine whose report may change the review list.
    fn consult(&mut self, effect: Effect) {
        self.consulting += 1;
        self.effects.push_back(effect);
    }

    fn misused(&mut self, message: &str) {
        self.emit(Event::Fault(Fault {
            kind: FaultKind::Usage,
            message: message.to_owned(),
            hint: None,
        }));
    }

    /// Puts a notice into the next request. While one runs it waits: an answer must not stand
    /// behind a notice that it was given without.
    fn tell(&mut self, notice: Notice) {
        match self.turn {
            Some(_) => self.held.push(notice),
            None => self.transcript.note(notice),
        }
    }

    fn inform(&mut self, text: &str) {
        self.emit(Event::Info {
            text: text.to_owned(),
        });
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            self.emit(Event::Phase { phase });
        }
    }

    fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }
}

/// Returns about how many bytes a tool takes in a request.
fn spec_size(spec: &ToolSpec) -> usize {
    const FRAME: usize = 60;
    FRAME + spec.name.len() + spec.description.len() + spec.parameters.to_string().len()
}

#[cfg(test)]
mod test_kit;
#[cfg(test)]
mod tests;
