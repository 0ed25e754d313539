//! What the tests of this room share: tools, views, and a session whose every request is
//! checked.

use std::collections::HashSet;

use serde_json::json;
use signoff_core::edit::intent::Operation;
use signoff_core::engine::{Decision, Outcomes};
use signoff_core::id::{ChangesetId, HunkId, ProposalId};
use signoff_core::stage::review::{
    BlockedFile, GoneChange, HunkStatus, HunkView, ProposalView, Proposer, RevertOutcome,
    RevertTarget, RevertedFile, StagedProposals, WrittenSince,
};
use uuid::Uuid;

use super::tests::wire;
use super::*;
use crate::message::{CallId, Message, Prompt};
use crate::provider::catalogue::{Catalogue, Model};
use crate::provider::{About, Delta, ProviderError, StopReason};
use crate::surroundings::Surroundings;
use crate::tool::testing::FakeTool;
use crate::tool::{
    CallFacts, OfferedTool, PreparedCall, Reach, Registry, Setback, Subjects, SyntaxFault,
    ToolOutput, ToolSpec,
};
use crate::verified::Wanted;

/// Returns the tools of the tests.
pub(super) fn specs() -> Registry {
    tools(|line| Subjects::Command(line.to_owned()))
}

/// Returns the same, whose commands have these subjects.
pub(super) fn tools(command: fn(&str) -> Subjects) -> Registry {
    let spec = |name, description, reach, property: &str| {
        let spec = ToolSpec {
            name,
            description,
            reach,
            parameters: json!({
                "type": "object",
                "properties": { "path": { "type": "string" }, property: { "type": "string" } },
            }),
        };
        OfferedTool::new(FakeTool {
            spec,
            facts: Box::new(move |arguments| facts(arguments, command)),
        })
    };
    Registry::of(vec![
        spec(
            "declare_edit_intent",
            "Says what comes.",
            Reach::Observe,
            "description",
        ),
        spec("edit_section", "Edits.", Reach::Stage, "description"),
        spec("read", "Reads.", Reach::Observe, "start"),
        spec("bash", "Runs.", Reach::Execute, "command"),
    ])
}

/// Reads `command` or `path`.
fn facts(arguments: &serde_json::Value, command: fn(&str) -> Subjects) -> CallFacts {
    let text = |name: &str| arguments.get(name).and_then(|text| text.as_str());
    match text("command") {
        Some(line) => CallFacts::command(command(line), line),
        None => CallFacts::paths(text("path").map(str::to_owned).into_iter().collect()),
    }
}

pub(super) fn hunk(proposal: u128, number: u32) -> HunkId {
    HunkId {
        proposal: ProposalId(Uuid::from_u128(proposal)),
        number,
    }
}

/// Returns what is known before a prompt that has these surroundings.
pub(super) fn surrounded(surroundings: Surroundings) -> PreparedPrompt {
    PreparedPrompt {
        surroundings: Some(surroundings),
        ..PreparedPrompt::default()
    }
}

/// Returns what is known before a prompt where this became of edits.
pub(super) fn caught_up(outcomes: Outcomes) -> PreparedPrompt {
    PreparedPrompt {
        outcomes: Some(outcomes),
        ..PreparedPrompt::default()
    }
}

/// Returns a proposal with this many pending hunks.
pub(super) fn view(proposal: u128, hunks: u32) -> ProposalView {
    ProposalView {
        id: ProposalId(Uuid::from_u128(proposal)),
        changeset: ChangesetId(Uuid::from_u128(9)),
        path: format!("file{proposal}.rs"),
        operation: Operation::Modify,
        description: "fix it".to_owned(),
        evidence: "exact".to_owned(),
        strategy: "section".to_owned(),
        proposer: Proposer::Model {
            name: "m".to_owned(),
        },
        hunks: (1..=hunks)
            .map(|number| HunkView {
                id: hunk(proposal, number),
                header: "@@".to_owned(),
                status: HunkStatus::Pending,
                added: 1,
                removed: 1,
                ..HunkView::default()
            })
            .collect(),
        ..ProposalView::default()
    }
}

pub(super) fn staged(proposal: u128, hunks: u32) -> ToolOutput {
    ToolOutput {
        staged: Box::new(vec![view(proposal, hunks)].into()),
        ..ToolOutput::done("{\"results\":[]}", "staged")
    }
}

/// What a tool says of an edit that breaks the syntax.
pub(super) fn breaking() -> ToolOutput {
    let fault = SyntaxFault {
        path: "file1.rs".to_owned(),
        line: 3,
        column: 1,
        message: "a brace is not closed".to_owned(),
    };
    let faults = vec![fault];
    ToolOutput {
        setback: Some(Box::new(Setback::Syntax(faults))),
        ..ToolOutput::failed("refused: syntax", "refused")
    }
}

pub(super) fn text(text: &str) -> Delta {
    Delta::Text {
        text: text.to_owned(),
    }
}

/// A session and the log of what it wanted and showed.
pub(super) struct Stage {
    pub(super) session: Session,
    pub(super) log: Vec<String>,
    pub(super) prompts: Vec<Prompt>,
    /// Calls that run, in the order begun.
    pub(super) running: Vec<PreparedCall>,
    /// Calls that were cancelled with their turn: each reports its end all the same.
    pub(super) cancelled: Vec<PreparedCall>,
    pub(super) request: Option<RequestId>,
    /// The newest request beside the turn's.
    pub(super) aside: Option<RequestId>,
    pub(super) records: Vec<crate::memory::Record>,
    /// The review list as it was told last.
    listed: Vec<ProposalView>,
    /// What is found before the next prompt.
    pub(super) found: PreparedPrompt,
    /// Whether prompts are prepared by the test.
    pub(super) holds_prompts: bool,
    /// Whether the test judges what the model says.
    pub(super) holds_claims: bool,
    begun: HashSet<CallId>,
    shown: HashSet<CallId>,
    closed: HashSet<CallId>,
}

impl Stage {
    pub(super) fn new() -> Self {
        Self::with(Config {
            instructions: "Be brief.".to_owned(),
            ..Config::new(specs())
        })
    }

    /// Returns a conversation with a model of which this is known.
    pub(super) fn knowing(mut config: Config, model: Model) -> Self {
        let about = About {
            provider: String::new(),
            model: model.name.clone(),
            endpoint: String::new(),
        };
        config.catalogue = Catalogue::default().with(vec![model]);
        let mut stage = Self::with(config);
        stage.feed(Input::Ready { about, hint: None });
        stage.take_log();
        stage
    }

    pub(super) fn with(config: Config) -> Self {
        Self {
            session: Session::new(config),
            log: Vec::new(),
            prompts: Vec::new(),
            running: Vec::new(),
            cancelled: Vec::new(),
            request: None,
            aside: None,
            records: Vec::new(),
            listed: Vec::new(),
            found: PreparedPrompt::default(),
            holds_prompts: false,
            holds_claims: false,
            begun: HashSet::new(),
            shown: HashSet::new(),
            closed: HashSet::new(),
        }
    }

    /// Feeds one input and takes in what comes of it.
    pub(super) fn feed(&mut self, input: Input) {
        match &input {
            Input::Decided {
                outcome: Ok(Decision::Done(decided)),
                ..
            } => {
                let hunks = decided.hunks.iter();
                let ended = hunks.filter(|own| own.status != HunkStatus::Pending);
                let ended: Vec<HunkId> = ended.map(|own| own.hunk).collect();
                self.leave_out(&ended);
            }
            Input::Reviewed(Ok(list)) => self.listed = list.iter().cloned().collect(),
            _ => {}
        }
        self.session.handle(input);
        self.poll();
    }

    /// Has the session learn something before a prompt.
    pub(super) fn learn(&mut self, found: PreparedPrompt) {
        self.session.learn(found);
        self.poll();
    }

    fn poll(&mut self) {
        while let Some(event) = self.session.poll_event() {
            self.see(&event);
        }
        while let Some(effect) = self.session.poll_effect() {
            self.perform(effect);
        }
    }

    pub(super) fn submit(&mut self, prompt: &str) {
        self.feed(Input::Command(Command::Submit(prompt.to_owned())));
    }

    pub(super) fn cancel(&mut self) {
        self.feed(Input::Command(Command::Cancel));
    }

    /// Feeds one piece of the answer that runs.
    pub(super) fn piece(&mut self, delta: Delta) {
        let request = self.request.unwrap_or_default();
        self.feed(Input::Delta { request, delta });
    }

    /// Ends the answer that runs.
    pub(super) fn ended(&mut self, result: Result<(), ProviderError>) {
        let request = self.request.take().unwrap_or_default();
        self.feed(Input::RequestEnded { request, result });
    }

    /// Streams calls (`id`, tool, arguments) and ends the answer.
    pub(super) fn calls(&mut self, calls: &[(&str, &str, &str)]) {
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            self.piece(Delta::CallStarted {
                index,
                id: CallId((*id).to_owned()),
                name: (*name).to_owned(),
            });
            self.piece(Delta::CallArguments {
                index,
                fragment: (*arguments).to_owned(),
            });
        }
        self.piece(Delta::Stop {
            reason: StopReason::ToolCalls,
        });
        self.ended(Ok(()));
    }

    /// Answers with text and ends the answer.
    pub(super) fn says(&mut self, words: &str) {
        self.piece(text(words));
        self.piece(Delta::Stop {
            reason: StopReason::Stop,
        });
        self.ended(Ok(()));
    }

    /// Ends the call with this id; the list that comes with what it staged has all that waits.
    pub(super) fn done(&mut self, id: &str, mut output: ToolOutput) {
        for calls in [&mut self.running, &mut self.cancelled] {
            calls.retain(|call| call.call().id.0 != id);
        }
        if !output.staged.is_empty() {
            self.leave_out(&output.deeds.rewritten);
            self.listed
                .retain(|own| !output.staged.new.contains(&own.id));
            self.listed.extend(output.staged.to_vec());
            output.staged.listing = self.listed.clone().into();
        }
        self.feed(Input::ToolDone {
            call: CallId(id.to_owned()),
            output,
            took_ms: None,
            aside: None,
        });
    }

    fn leave_out(&mut self, hunks: &[HunkId]) {
        for view in &mut self.listed {
            view.hunks.retain(|own| !hunks.contains(&own.id));
        }
        self.listed.retain(|view| !view.hunks.is_empty());
    }

    /// Returns what was logged since the last time.
    pub(super) fn take_log(&mut self) -> String {
        std::mem::take(&mut self.log).join("\n")
    }

    pub(super) fn last_prompt(&self) -> &Prompt {
        self.prompts.last().expect("a request was made")
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::Call(CallEvent::Started { call, .. }) => {
                assert!(self.shown.insert(call.clone()), "{call} began twice");
            }
            Event::Call(CallEvent::Done { call, .. }) => {
                assert!(self.shown.contains(call), "{call} ended and never began");
                assert!(self.closed.insert(call.clone()), "{call} ended twice");
            }
            _ => {}
        }
        // It is made of what the log has.
        if !matches!(event, Event::TurnSummary(_) | Event::Timed(_)) {
            self.log.push(format!("< {}", told(event)));
        }
    }

    fn perform(&mut self, effect: Effect) {
        let is_prepared = matches!(effect, Effect::Prepare(_)) && !self.holds_prompts;
        if let Effect::JudgeClaims { turn, .. } = effect
            && !self.holds_claims
        {
            let sentences = Vec::new();
            return self.feed(Input::ClaimsJudged { turn, sentences });
        }
        if !is_prepared && !matches!(effect, Effect::Record(_)) {
            self.log.push(format!("> {}", wanted(&effect)));
        }
        match effect {
            Effect::Record(record) => self.records.push(record),
            Effect::Prepare(_) if is_prepared => {
                let found = std::mem::take(&mut self.found);
                self.feed(Input::Prepared(Ok(found)));
            }
            Effect::Ask {
                request, prompt, ..
            } => {
                check_prompt(&prompt);
                wire::check(&prompt);
                assert!(self.running.is_empty(), "a request beside running calls");
                assert_eq!(self.request.replace(request), None, "two requests at once");
                self.prompts.push(prompt);
            }
            Effect::CancelRequest { request } => {
                assert_eq!(self.request.take(), Some(request));
            }
            Effect::RunTool { call, .. } => {
                let id = &call.call().id;
                assert!(self.begun.insert(id.clone()), "{id} ran twice");
                let stages = |call: &PreparedCall| {
                    ["edit_section", "bash"].contains(&call.call().name.as_str())
                };
                let alone = !stages(&call) && !self.running.iter().any(stages);
                assert!(alone || self.running.is_empty(), "staging beside others");
                self.running.push(call);
            }
            Effect::CancelTools { .. } => self.cancelled.append(&mut self.running),
            // Nobody waits for what only looks; what stages answers for itself.
            Effect::CancelCall { call } => self
                .running
                .retain(|one| one.call().id != call || one.call().name == "edit_section"),
            Effect::AskAside { request, prompt } => {
                check_prompt(&prompt);
                wire::check(&prompt);
                self.aside = Some(request);
                self.prompts.push(prompt);
            }
            Effect::CancelAside { request } => assert_eq!(self.aside.take(), Some(request)),
            Effect::Prepare(_)
            | Effect::Forget
            | Effect::StopPreparing
            | Effect::Trust { .. }
            | Effect::PermitAgent { .. }
            | Effect::Switch(_)
            | Effect::Decide(_)
            | Effect::TakeBack { .. }
            | Effect::WriteThrough(_)
            | Effect::ReadReview
            | Effect::ReadOutcomes(_)
            | Effect::Place { .. }
            | Effect::Servers(_)
            | Effect::Check { .. }
            | Effect::CancelCheck
            | Effect::Critique { .. }
            | Effect::CancelCritique
            | Effect::JudgeClaims { .. }
            | Effect::FindModel { .. }
            | Effect::ProposeRule(_)
            | Effect::UseModel { .. } => {}
        }
    }
}

/// Asserts that each call has exactly one answer, directly after it.
pub(super) fn check_prompt(prompt: &Prompt) {
    let mut open: Vec<CallId> = Vec::new();
    let mut known: HashSet<CallId> = HashSet::new();
    assert!(matches!(
        prompt.messages.first(),
        Some(Message::System { .. })
    ));
    for message in &prompt.messages {
        match message {
            Message::Tool { call, .. } => {
                let place = open.iter().position(|id| id == call);
                open.remove(place.expect("an answer without its call"));
            }
            _ => assert_eq!(open, [], "calls without answers before {message:?}"),
        }
        if let Message::Assistant { calls, text, .. } = message {
            assert!(!(text.is_empty() && calls.is_empty()), "an empty message");
            for call in calls {
                assert!(
                    !call.id.0.is_empty() && known.insert(call.id.clone()),
                    "{call:?}"
                );
                let arguments = serde_json::from_str::<serde_json::Value>(&call.arguments);
                assert!(arguments.is_ok_and(|value| value.is_object()), "{call:?}");
                open.push(call.id.clone());
            }
        }
    }
    assert_eq!(open, [], "calls without answers at the end");
}

fn told(event: &Event) -> String {
    let json = serde_json::to_value(event).expect("events are JSON");
    match event {
        Event::Staged(_) | Event::Review(_) => {
            let proposals = match event {
                Event::Staged(staged) => staged.to_vec(),
                Event::Review(list) => list.iter().cloned().collect(),
                _ => Vec::new(),
            };
            let views: Vec<_> = proposals
                .iter()
                .map(|view| format!("{} ({} pending)", view.path, view.pending().count()))
                .collect();
            format!("{} {views:?}", json["type"].as_str().unwrap_or_default())
        }
        _ => {
            let fields = json.as_object().expect("events are objects");
            let words: Vec<_> = fields
                .values()
                .map(|value| match value {
                    serde_json::Value::String(text) => text.clone(),
                    other => other.to_string(),
                })
                .collect();
            words.join(" ")
        }
    }
}

fn wanted(effect: &Effect) -> String {
    match effect {
        Effect::Ask {
            request,
            prompt,
            pause,
        } => {
            let choice = format!("{:?}", prompt.tool_choice).to_lowercase();
            let last = match prompt.messages.last() {
                Some(Message::System { text }) => format!("system: {text}"),
                Some(Message::User { text, .. }) => format!("user: {text}"),
                Some(Message::Tool { call, content, .. }) => format!("tool {call}: {content}"),
                other => format!("{other:?}"),
            };
            let last = last.lines().next().unwrap_or_default().to_owned();
            let pause = match pause.as_millis() {
                0 => String::new(),
                pause => format!(" in {pause} ms"),
            };
            format!("ask {}{pause} (tools: {choice}) ... {last}", request.0)
        }
        Effect::AskAside { request, prompt } => {
            let choice = format!("{:?}", prompt.tool_choice).to_lowercase();
            format!("ask aside {} (tools: {choice})", request.0)
        }
        Effect::CancelAside { request } => format!("cancel aside {}", request.0),
        Effect::CancelRequest { request } => format!("cancel request {}", request.0),
        Effect::RunTool { turn, call } => {
            let call = call.call();
            format!("run {} {} (turn {})", call.name, call.id, turn.0)
        }
        Effect::PermitAgent {
            delegate,
            call,
            grant,
        } => format!("permit {call} of {delegate} {grant:?}"),
        Effect::CancelTools { turn } => format!("cancel tools of turn {}", turn.0),
        Effect::CancelCall { call } => format!("cancel call {call}"),
        Effect::Record(_) => "record".to_owned(),
        Effect::Prepare(prompt) => format!("prepare {}", prompt.text),
        Effect::StopPreparing => "stop preparing".to_owned(),
        Effect::Trust {
            subject,
            is_trusted,
        } => format!("trust {subject:?} {is_trusted}"),
        Effect::Forget => "forget".to_owned(),
        Effect::Switch(to) => format!("switch {to:?}"),
        Effect::Decide(rulings) => format!("decide {}", rulings.len()),
        Effect::WriteThrough(on) => format!("write through {on}"),
        Effect::TakeBack { target, prompt } => match prompt {
            Some(prompt) => format!(
                "revert {}, then rewind to {}",
                reverted(target),
                prompt.text
            ),
            None => format!("revert {}", reverted(target)),
        },
        Effect::ReadReview => "read review".to_owned(),
        Effect::Check { check, wanted } => match wanted {
            Wanted::Breaking => format!("check {check} for what breaks tests"),
            Wanted::AllTests => format!("check {check} with all tests"),
            Wanted::StepCheck { line } => format!("check {check}: {line}"),
            _ => format!("check {check}"),
        },
        Effect::CancelCheck => "cancel check".to_owned(),
        Effect::Critique {
            critique,
            scope,
            request,
        } => format!("critique {critique} {scope:?} of {request}"),
        Effect::CancelCritique => "cancel critique".to_owned(),
        Effect::JudgeClaims { turn, .. } => format!("judge claims of turn {}", turn.0),
        Effect::Servers(request) => format!("servers: {request:?}"),
        Effect::FindModel { name } => format!("find model {name}"),
        Effect::UseModel { name } => format!("use model {name}"),
        Effect::ReadOutcomes(hunks) => format!("read outcomes {}", hunks.len()),
        Effect::ProposeRule(rule) => format!("propose rule {rule}"),
        Effect::Place { question, choice } => format!("place {question} at {choice}"),
    }
}

fn reverted(target: &RevertTarget) -> String {
    match target {
        RevertTarget::OneFile { path, to } => format!("{path} {to:?}"),
        RevertTarget::Changeset { changeset } => changeset.to_string(),
        RevertTarget::Before { before } => format!("before {before}"),
        RevertTarget::Redo { redo } => format!("redo {redo}"),
        RevertTarget::Since(written) => since(written),
        RevertTarget::Part { of, apart } => {
            format!("{} without {}", reverted(of), apart.join(", "))
        }
    }
}

/// What taking back comes to where there is nothing to take back.
pub(super) fn nothing_taken_back(target: RevertTarget) -> RevertOutcome {
    RevertOutcome {
        target,
        written: false,
        files: Vec::new(),
        blocked: Vec::new(),
        nothing: "all of it is reverted already".to_owned(),
        unkept: Vec::new(),
        proposals: StagedProposals::default(),
        offered: None,
        changesets: 0,
    }
}

/// What taking back comes to where something is in the way of a file.
pub(super) fn blocked(target: RevertTarget, why: &str) -> RevertOutcome {
    let file = BlockedFile {
        path: "file1.rs".to_owned(),
        why: why.to_owned(),
        hunks: Vec::new(),
        proposable: false,
    };
    RevertOutcome {
        blocked: vec![file],
        ..nothing_taken_back(target)
    }
}

/// What taking back comes to in one file: which changes are gone and which are back.
pub(super) fn taken_back(
    target: RevertTarget,
    gone: Vec<GoneChange>,
    restored: Vec<u64>,
) -> RevertOutcome {
    let file = RevertedFile {
        path: "file1.rs".to_owned(),
        to: None,
        summary: "reverted \"fix it\"".to_owned(),
        version: 5,
        taken_back: Vec::new(),
        gone,
        restored,
        hunks: Vec::new(),
    };
    RevertOutcome {
        written: true,
        files: vec![file],
        ..nothing_taken_back(target)
    }
}

fn since(written: &WrittenSince) -> String {
    let spans = written.by.iter();
    let by: Vec<String> = spans
        .map(|span| match span.until {
            Some(until) => format!("{} until {}", span.session, until.0),
            None => span.session.clone(),
        })
        .collect();
    let until = written.until.map(|until| format!(" until {}", until.0));
    let until = until.unwrap_or_default();
    format!("since {}{until} by {}", written.since.0, by.join(", "))
}
