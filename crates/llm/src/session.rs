//! Session: the conversation as a state machine without IO.
//!
//! In: [`Command`]s from the user and [`Input`]s from the world. Out: [`Effect`]s for the
//! driver and [`Event`]s for the screen. This file routes. A turn begins and ends in `course`, and
//! runs through `answer` and `calls`; `switching` goes to another conversation. The state is that of
//! the parts: `turn`, `ledger`, `review` and `questions`, each with the steps that concern it alone.
//!
//! | part | owns |
//! |---|---|
//! | `config` (`Config`) | tools, instructions, limits, rules; what the user allows for good enters the rules |
//! | `prompt_queue` (`PromptQueue`) | what the user wants begun, in its order: prompts, command lines, to ask again; and what the first waits for: the user's word on what is to be trusted, its preparation (`Effect::Prepare`), the end of a turn |
//! | `turn` (`Turns`) | the turn that runs with its answer (`reply`) or calls (`round`) and what they came to (`outcomes`, `loop_detector`, `by_example`); phase, mode, the newest check |
//! | `ledger` (`Ledger`) | the transcript, notices that wait for the turn's next request, what is on record, tokens and money (`usage_meter`), what is known of images |
//! | `review` (`Review`) | the hunks that wait (`pending_hunks`), verdicts that are held back, calls that may be changing something |
//! | `questions` (`OpenQuestions`) | questions about hunks without a whole answer |
//! | `agents` (`AgentQuestions`) | calls of agents that wait for the user's permission, asked one after the other |
//! | `critique` (`Critiques`) | the look of the review agent that runs, and what it comes to |
//! | `change_log` (`ChangeLog`) | what was staged and which tests ran, which the model's words are held against |
//! | `planned` (`PlannedWork`) | the plan that is carried out, and where its step stands; each step is a turn |
//! | `outbox` (`Outbox`) | effects and events that were not polled, ids of requests |
//!
//! What events tell of a conversation is made of them once, for every front end: `conversation_state`, and `event/call`
//! for calls.
//!
//! A step takes what it needs of other parts as arguments, the outbox among them, and returns what the rest of the
//! session is to do: whether files changed (`Review`), whether the model is to answer (`CarriedOut`), how a model
//! is asked again (`Retrial`). `Session` puts the steps in order, in six files: `session` routes inputs and
//! commands, `prompting` takes a typed prompt to its turn, `course` begins, asks and ends a turn, `answer` and
//! `calls` take what comes of a request, `switching` goes to another conversation or an earlier prompt.
//!
//! **Invariant:** a part knows nothing of `Session`, and begins no turn.
//!
//! **Invariant:** what waits, waits in `PromptQueue` alone, and nothing overtakes a prompt: the driver holds none.
//! Surroundings, images, what the user changed and decided, and what hooks add reach the session with the prompt
//! that they are for (`PreparedPrompt`).
//!
//! **Invariant:** no IO, no `async`, no clock.
//!
//! **Invariant:** what the user decided elsewhere, by a command or in another process, is told before the next
//! prompt, and nothing is told twice: what was told is in the notices, and goes through compaction (`notice/told`).
//!
//! **Invariant:** a question about a hunk is a request of its own, without tools, beside the turn (`questions`).
//! The turn's request, calls and limits are as without it. Question and answer, or that there was none, are a
//! notice in the next request.
//!
//! **Invariant:** calls of an answer that broke off are not run. Observing calls run together, staging calls alone
//! and in order.
//!
//! **Invariant:** verdicts are handed to the engine only after all of its reports have come. A hunk that looks
//! different by then was not what the user approved.
//!
//! **Invariant:** where conversation and files go back together, the files go first, and nothing begins in between
//! (`switching`). Only changes that the last preview showed are taken back.
//!
//! **Invariant:** an answer that broke off leaves its text and none of its calls, so asking again doubles nothing.
//! What is asked again, and how often, is in the table of faults (`docs/faults.md`).
//!
//! A turn ends by itself at a limit: 40 requests, the user's tokens or money, the same call that fails twice with
//! the same result or gives the same result three times while no other call gives a new one. A failing command is
//! of the second kind, and compared without its figures. What changes a file lets all other calls begin anew.
//!
//! Of one answer, 4 MiB of what the model thinks aloud are shown and 2 MiB of provider state are kept; a request
//! has 8 MiB of provider state at most, the newest.

use signoff_core::engine::Placed;
use signoff_core::id::{HunkId, Timestamp};
use signoff_core::quote::one_line;
use signoff_core::stage::proposal::DESCRIPTION_CHARS;
use signoff_core::stage::review::ReviewListing;

use crate::agent::Agent;
use crate::instructions::Profile;
use crate::memory::ChosenModel;
use crate::mode::Mode;
use crate::provider::About;
use crate::transcript::Transcript;

mod agents;
mod answer;
mod calls;
mod change_log;
mod checks;
mod command;
mod config;
mod conversation_state;
mod course;
mod critique;
mod effect;
mod event;
mod fault;
mod in_text;
mod input;
mod ledger;
mod models;
mod outbox;
mod planned;
mod prompt_queue;
mod prompting;
mod questions;
mod regenerating;
mod review;
mod rewind;
mod switching;
mod triage;
mod turn;
mod user_command;

pub use crate::phase::Phase;
pub use agents::{AgentQuestion, NETWORK, NamedAgent, NamedOwner};
pub use checks::CheckPolicy;
pub use command::{Command, Grant, Switch};
pub use config::{Config, CriticSetup, ProfileOutfit};
pub use conversation_state::ConversationState;
pub use critique::{CritiqueNews, CritiquePolicy, CritiqueScope};
pub use effect::{Effect, RequestId, TurnId};
pub use event::{
    CallEnd, CallEvent, CallIntent, CallState, CommittedFile, Event, Fault, FaultKind, NamedSkill,
    RoundTiming, Speaker, TurnEnd, TurnSummary,
};
pub use input::Input;
pub use models::ListedModel;
pub use prompt_queue::{PreparedPrompt, TrustRequest, TrustSubject, TypedPrompt};
pub use review::Inquiry;
pub use rewind::{PromptRef, RewindFiles, RewindScope};

use agents::AgentQuestions;
use change_log::ChangeLog;
use critique::Critiques;
use ledger::Ledger;
use outbox::Outbox;
use planned::PlannedWork;
use prompt_queue::{PromptQueue, StoppedWait};
use questions::OpenQuestions;
use review::Review;
use turn::{Turn, Turns};

/// One conversation.
#[derive(Debug)]
pub struct Session {
    config: Config,
    prompts: PromptQueue,
    turns: Turns,
    ledger: Ledger,
    review: Review,
    questions: OpenQuestions,
    agent_questions: AgentQuestions,
    critiques: Critiques,
    planned: PlannedWork,
    changes: ChangeLog,
    /// The model that is asked.
    model: String,
    /// The model that is asked again once no plan is made any more.
    executor: Option<String>,
    /// The profile of the conversation, whatever that of the planner is.
    own_profile: Profile,
    outbox: Outbox,
}

impl Session {
    /// Returns a conversation in which nothing was said.
    pub fn new(config: Config) -> Self {
        Self {
            prompts: PromptQueue::default(),
            turns: Turns::new(&config),
            ledger: Ledger::new(config.remember, config.fixed_size()),
            review: Review::default(),
            questions: OpenQuestions::default(),
            agent_questions: AgentQuestions::default(),
            critiques: Critiques::default(),
            planned: PlannedWork::default(),
            changes: ChangeLog::default(),
            model: String::new(),
            executor: None,
            own_profile: config.profile,
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
            Input::Ready { about, hint } => self.ready(about, hint),
            Input::Delta { request, delta } => {
                let (ledger, out) = (&mut self.ledger, &mut self.outbox);
                if !self.questions.take_delta(request, &delta, ledger, out) {
                    self.delta(request, delta);
                }
            }
            Input::RequestEnded { request, result } => {
                let (ledger, out) = (&mut self.ledger, &mut self.outbox);
                if !self.questions.take_end(request, &result, ledger, out) {
                    self.request_ended(request, result);
                }
            }
            Input::ToolOutput { call, tail, lines } => {
                self.turns.show_output(call, tail, lines, &mut self.outbox)
            }
            Input::ToolDone {
                call,
                output,
                took_ms,
                aside,
            } => {
                self.ledger.count_aside(aside, &mut self.outbox);
                self.tool_done(&call, output, took_ms);
            }
            Input::AgentSpent(aside) => self.agent_spent(aside),
            Input::AgentAsks(question) => self.agent_asks(question),
            Input::CallHeld { call, why } => self.hold_call(&call, &why),
            Input::HooksKnown(lines) => self.outbox.emit(Event::Hooks { lines }),
            Input::Said(text) => self.outbox.inform(&text),
            Input::Silent { request, seconds } => {
                self.turns.show_silence(request, seconds, &mut self.outbox)
            }
            Input::Switched(outcome) => self.switched(outcome),
            Input::Failed(fault) => self.outbox.emit(Event::Fault(fault)),
            Input::Decided { outcome, listing } => self.decided(outcome, listing),
            Input::TakenBack { prompt, outcome } => self.taken_back(prompt, outcome),
            Input::Reviewed(outcome) => self.reviewed(outcome),
            Input::OutcomesRead(hunks) => self.review.outcomes_read(hunks, &mut self.outbox),
            Input::TrustWanted(request) => self.want_trust(request),
            Input::TrustDecided => self.trust_decided(),
            Input::Prepared(outcome) => self.prepared(outcome),
            Input::ImagesTaken(is_taken) => self.ledger.images().learn(is_taken),
            Input::CheckBegins { check, step } => {
                self.turns.check.begins(check, step, &mut self.outbox)
            }
            Input::Checked { check, outcome } => self.checked(check, outcome),
            Input::Critique { critique, news } => self.take_critique(critique, news),
            Input::ClaimsJudged { turn, sentences } => self.claims_judged(turn, sentences),
            Input::Placed(outcome) => self.placed(outcome),
            Input::RuleProposed { rule, outcome } => {
                let is_over = self.turns.is_leaving();
                self.review
                    .rule_proposed(&rule, outcome, is_over, &mut self.outbox);
                self.settle();
            }
            Input::ServersAsked(report) => self.outbox.emit(Event::Servers(report)),
            Input::ModelFound {
                name,
                about,
                models,
            } => models::found(name, &about, models, &mut self.outbox),
            Input::ModelChosen(about) => self.model_chosen(about),
            Input::Quit => self.quit(),
        }
        self.review.release(&mut self.outbox);
        self.ledger.record(&mut self.outbox);
    }

    /// Begins: everything is in place.
    fn ready(&mut self, about: About, hint: Option<String>) {
        self.meet(&about);
        self.outbox.emit(Event::Ready { about, hint });
        self.tell_skills();
        self.turns.modes.tell(&mut self.outbox);
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
        self.turns.phase()
    }

    /// Returns an agent, what a session of it is made of, and the mode that it begins in.
    pub(crate) fn agent(&self, name: &str) -> Option<(&Agent, Config, Mode)> {
        let agent = self.config.agents.find(name)?;
        Some((agent, self.config.of_agent(agent), self.turns.modes.now))
    }

    /// Returns what the session is made of.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Returns what was said.
    pub fn transcript(&self) -> &Transcript {
        self.ledger.transcript()
    }

    /// Returns what the user asked for last, on one line; empty where nothing was said.
    pub(crate) fn request(&self) -> String {
        let newest = self.ledger.prompts().next_back();
        one_line(newest.map_or("", |(_, text, _)| text), DESCRIPTION_CHARS)
    }

    fn list_tools(&mut self) {
        for tool in self.config.tools.specs() {
            let (first, _) = tool
                .description
                .split_once(". ")
                .unwrap_or((tool.description, ""));
            let what = first.trim_end_matches('.');
            self.outbox
                .inform(&format!("{} {}: {what}", tool.name, tool.reach));
        }
    }

    /// Returns the hunks that the turn writes again, if it may change nothing else.
    pub(crate) fn only(&self) -> Option<Vec<HunkId>> {
        self.turns.current()?.only().map(<[HunkId]>::to_vec)
    }

    /// Tells whether the turn is a command of the user's.
    pub(crate) fn runs_command(&self) -> bool {
        self.turns.current().is_some_and(Turn::is_command)
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Submit(text) => {
                self.prompts.add_prompt(text);
                self.advance();
            }
            Command::TypedPaths(paths) => self.prompts.give_paths(paths),
            Command::GiveImages(images) => self.prompts.give_images(images),
            Command::Run(line) => {
                self.prompts.add_command(line);
                self.advance();
            }
            Command::Delegate { agent, task } => self.give_task(&agent, &task),
            Command::Critique => self.ask_for_critique(),
            Command::CancelCritique => self.cancel_critique(),
            Command::Agents => self.tell_agents(),
            Command::Prompts => self.list_prompts(),
            Command::RewindScope(prompt) => self.find_rewind_scope(prompt),
            Command::Rewind { prompt, files } => self.rewind(prompt, files),
            Command::Cancel => self.stop(),
            Command::CancelCall(call) => self.cancel_call(call.as_ref()),
            Command::Retry => {
                self.prompts.add_retry();
                self.advance();
            }
            Command::Compact => self.compact(),
            Command::ListAttached => self.ledger.list_attached(&mut self.outbox),
            Command::ListTools => self.list_tools(),
            Command::Detach(path) => self.ledger.detach(&path, &mut self.outbox),
            Command::Switch(to) => self.switch(to),
            Command::Decide(rulings) if rulings.is_empty() => {
                self.outbox.misused("no hunk was named")
            }
            Command::Decide(rulings) => self.review.rule(rulings),
            Command::CommitsDecided { settled, is_done } => {
                self.commits_decided(settled, is_done);
            }
            Command::Ask(question) => {
                let scene = (&self.config, self.review.hunks());
                self.questions
                    .ask(*question, scene, &mut self.ledger, &mut self.outbox);
            }
            Command::Regenerate(remark) => self.regenerate(*remark),
            Command::CancelAsk(hunk) => {
                self.questions
                    .cancel(hunk, &mut self.ledger, &mut self.outbox)
            }
            Command::Permit { call, grant } => self.permit(&call, grant),
            Command::Revert(target) => {
                let prompt = None;
                let effect = Effect::TakeBack { target, prompt };
                self.review.consult(effect, &mut self.outbox);
            }
            Command::AddRule(text) => self.review.propose_rule(&text, &mut self.outbox),
            Command::Place { question, choice } => {
                self.review
                    .consult(Effect::Place { question, choice }, &mut self.outbox);
            }
            Command::Review => self.review.consult(Effect::ReadReview, &mut self.outbox),
            Command::AfterApproval(next) => self.turns.going_on.choose(next),
            Command::Servers(request) => self.outbox.want(Effect::Servers(request)),
            Command::SetMode(mode) => self.set_mode(mode),
            Command::CarryOut(plan) => self.carry_out(plan),
            Command::GoOnWithPlan { skips } => self.go_on_with_plan(skips),
            Command::TestAll => self.test_all(),
            Command::UseModel(name) => self.outbox.want(Effect::FindModel { name }),
        }
    }

    /// Stops what runs; only what was decided is still carried out.
    fn quit(&mut self) {
        self.turns.leave();
        if let StoppedWait::Preparation = self.prompts.stop() {
            self.outbox.want(Effect::StopPreparing);
        }
        self.prompts.clear();
        self.questions
            .cancel_all(&mut self.ledger, &mut self.outbox);
        self.critiques.cancel(&mut self.outbox);
        self.cancel();
    }

    /// Takes the review list.
    fn reviewed(&mut self, outcome: Result<ReviewListing, Fault>) {
        if self
            .review
            .reviewed(outcome, self.turns.is_leaving(), &mut self.outbox)
        {
            self.settle();
        }
    }

    /// Makes the conversation shorter because the user asks.
    fn compact(&mut self) {
        if self.turns.is_running() {
            return self
                .outbox
                .misused("a turn runs; stop it before the conversation is compacted");
        }
        self.ledger.compact(self.review.hunks(), &mut self.outbox);
    }

    /// Takes what became of an edit that the user chose a place for.
    fn placed(&mut self, outcome: Result<Placed, Fault>) {
        let is_over = self.turns.is_leaving();
        self.review
            .placed(outcome, is_over, &mut self.ledger, &mut self.outbox);
        self.settle();
    }

    /// Goes by what is known of the model that is asked.
    fn meet(&mut self, about: &About) {
        self.model.clone_from(&about.model);
        self.questions.meet(about);
        self.critiques.meet(about);
        let known = self.config.catalogue.find(&about.model);
        self.ledger.meet(about, known);
    }

    /// Tells what the user can call for by a slash and a name, if there is anything.
    fn tell_skills(&mut self) {
        let skills: Vec<NamedSkill> = self.config.skills.iter().map(NamedSkill::of).collect();
        if !skills.is_empty() {
            self.outbox.emit(Event::Skills { skills });
        }
    }

    /// Tells who can be given tasks.
    fn tell_agents(&mut self) {
        let agents = self.config.agents.iter();
        let agents = agents.map(|agent| NamedAgent::of(agent, &self.config));
        let agents = agents.collect();
        self.outbox.emit(Event::Agents { agents });
    }

    /// Tells that another model is asked from now on.
    fn model_chosen(&mut self, about: Option<About>) {
        let Some(about) = about else {
            return self
                .outbox
                .misused("there is no other model; connect a server first");
        };
        self.meet(&about);
        self.ledger.tell_unseen_images(&mut self.outbox);
        self.ledger
            .choose_model(ChosenModel::from(&about), &mut self.outbox);
        let hint = Some(format!("From now on {} is asked.", about.model));
        self.outbox.emit(Event::Ready { about, hint });
    }
}

#[cfg(test)]
mod test_kit;
#[cfg(test)]
mod tests;
