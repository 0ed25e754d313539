//! Updates of a session: what the editor is told of what happens.
//!
//! In: events. Out: updates of the protocol. Names and lines of signoff's own are written on one line, in which nothing can
//! move, hide or reorder what is shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{
    ContentChunk, Cost, MessageId, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
    ToolKind, UsageUpdate,
};
use signoff_draw::sanitize;
use signoff_llm::message::CallId;
use signoff_llm::session::{CallEvent, CallState, Event, Speaker};
use signoff_llm::tool::{PlanStep, PrintedStreams, StepStatus};
use signoff_llm::usage::Fill;
use signoff_tui::event_lines;

/// Whose message a chunk belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChunkSpeaker {
    User,
    Agent,
    Thought,
}

/// The ids of messages. Chunks in a row by one speaker are a message.
#[derive(Debug)]
struct MessageIds {
    /// Told from those of every other connection.
    prefix: String,
    /// How many messages there were.
    count: u64,
    speaker: Option<ChunkSpeaker>,
}

impl MessageIds {
    /// Returns the id of the message that a chunk belongs to.
    fn of(&mut self, speaker: ChunkSpeaker) -> MessageId {
        if self.speaker != Some(speaker) {
            self.count += 1;
            self.speaker = Some(speaker);
        }
        MessageId::new(format!("{}-{}", self.prefix, self.count))
    }
}

/// What the editor knows of the calls and messages of a conversation.
#[derive(Debug)]
pub(super) struct UpdateBuilder {
    /// The calls that run.
    running: BTreeMap<CallId, CallState>,
    messages: MessageIds,
}

impl UpdateBuilder {
    /// Returns one of which the editor knows nothing; `prefix` is what the ids of its messages begin with.
    pub(super) fn new(prefix: String) -> Self {
        Self {
            running: BTreeMap::new(),
            messages: MessageIds {
                prefix,
                count: 0,
                speaker: None,
            },
        }
    }

    /// Ends the message: the next chunk begins another.
    pub(super) fn interrupt(&mut self) {
        self.messages.speaker = None;
    }

    /// Returns a line of signoff's own: a message by itself.
    pub(super) fn remark(&mut self, text: &str) -> SessionUpdate {
        self.interrupt();
        let line = format!("\n\n[signoff] {}\n\n", sanitize::clean(text));
        let remark = self.chunk(ChunkSpeaker::Agent, &line);
        self.interrupt();
        remark
    }

    fn chunk(&mut self, speaker: ChunkSpeaker, text: &str) -> SessionUpdate {
        let chunk = ContentChunk::new(text.into()).message_id(self.messages.of(speaker));
        match speaker {
            ChunkSpeaker::User => SessionUpdate::UserMessageChunk(chunk),
            ChunkSpeaker::Agent => SessionUpdate::AgentMessageChunk(chunk),
            ChunkSpeaker::Thought => SessionUpdate::AgentThoughtChunk(chunk),
        }
    }

    /// Returns the updates of an event; none for what an editor does not show, or is told otherwise.
    pub(super) fn updates(&mut self, event: &Event) -> Vec<SessionUpdate> {
        match event {
            Event::Text { text } => vec![self.chunk(ChunkSpeaker::Agent, text)],
            Event::Reasoning { text } => vec![self.chunk(ChunkSpeaker::Thought, text)],
            Event::Earlier { speaker, text } => vec![self.chunk(
                match speaker {
                    Speaker::User => ChunkSpeaker::User,
                    Speaker::Model => ChunkSpeaker::Agent,
                },
                text,
            )],
            Event::Plan { steps } => vec![plan(steps)],
            Event::Call(call) | Event::EarlierCall { call } => self.call(call),
            Event::Spent {
                session,
                context: Some(fill),
                ..
            } => vec![usage(*fill, session.cost)],
            // Told with the answers to requests, as diffs, or sent by the editor.
            Event::Ready { .. }
            | Event::Fault(_)
            | Event::Changed { .. }
            | Event::Images { .. } => Vec::new(),
            event => {
                let lines = event_lines::lines(event);
                lines
                    .iter()
                    .map(|line| self.remark(&line.in_one()))
                    .collect()
            }
        }
    }

    /// Tells of a call that the editor does not know, and what happens to it.
    fn call(&mut self, event: &CallEvent) -> Vec<SessionUpdate> {
        let call = event.call();
        let mut updates = Vec::new();
        if let Some(tool) = event.tool()
            && !self.running.contains_key(call)
        {
            self.running.insert(call.clone(), CallState::new(tool));
            let begun = ToolCall::new(call.0.clone(), sanitize::clean(tool)).kind(kind(tool));
            updates.push(SessionUpdate::ToolCall(begun));
        }
        let Some(state) = self.running.get_mut(call) else {
            return updates;
        };
        state.apply(event.clone());
        let fields = ToolCallUpdateFields::new();
        let fields = match (event, event.line()) {
            (CallEvent::Intent { .. }, Some((_, intent))) => {
                let title = sanitize::clean(&intent);
                fields.status(ToolCallStatus::InProgress).title(title)
            }
            (CallEvent::Input { .. }, Some((tool, input))) => {
                let title = format!("{tool}: {input}");
                let title = sanitize::clean(&title);
                fields.status(ToolCallStatus::InProgress).title(title)
            }
            (CallEvent::Done { ok, summary, .. }, _) => {
                let streams = self.running.remove(call).and_then(|state| state.streams);
                done(*ok, summary, streams)
            }
            _ => return updates,
        };
        updates.push(call_update(call, fields));
        updates
    }
}

fn call_update(call: &CallId, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.0.clone(), fields))
}

/// Returns how a call ended, and what a program printed that it ran.
fn done(ok: bool, summary: &str, streams: Option<PrintedStreams>) -> ToolCallUpdateFields {
    let mut content: Vec<ToolCallContent> = vec![sanitize::clean(summary).into()];
    if let Some(PrintedStreams { out, err }) = streams {
        let printed = [out, err].into_iter().filter(|text| !text.is_empty());
        content.extend(printed.map(|text| clean_lines(&text).into()));
    }
    let status = if ok {
        ToolCallStatus::Completed
    } else {
        ToolCallStatus::Failed
    };
    ToolCallUpdateFields::new().status(status).content(content)
}

fn kind(tool: &str) -> ToolKind {
    match tool {
        "bash" => ToolKind::Execute,
        "read" | "list_dir" | "outline" => ToolKind::Read,
        "grep" | "find" | "similar" | "repo_map" => ToolKind::Search,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "apply_structured_edits"
        | "declare_edit_intent"
        | "edit"
        | "edit_section"
        | "execute_edit"
        | "write"
        | "rename_symbol"
        | "code_action" => ToolKind::Edit,
        "update_plan" => ToolKind::Think,
        "web_fetch" | "web_search" => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

fn plan(steps: &[PlanStep]) -> SessionUpdate {
    let entries = steps.iter().map(|step| {
        let status = match step.status {
            StepStatus::Pending => PlanEntryStatus::Pending,
            StepStatus::InProgress => PlanEntryStatus::InProgress,
            StepStatus::Completed => PlanEntryStatus::Completed,
        };
        PlanEntry::new(step.step.clone(), PlanEntryPriority::Medium, status)
    });
    SessionUpdate::Plan(Plan::new(entries.collect()))
}

/// Returns how full the model's memory is, and what was spent; `spent` is in millionths of a dollar.
fn usage(fill: Fill, spent: Option<u64>) -> SessionUpdate {
    let dollars = spent.map(|spent| format!("{}.{:06}", spent / 1_000_000, spent % 1_000_000));
    let amount = dollars.and_then(|text| text.parse::<f64>().ok());
    let cost = amount.map(|amount| Cost::new(amount, "USD"));
    SessionUpdate::UsageUpdate(UsageUpdate::new(fill.tokens, fill.of).cost(cost))
}

/// Returns lines in which nothing hides or reorders what is shown.
pub(super) fn clean_lines(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(sanitize::clean).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use signoff_llm::notice::FailedCall;

    use super::*;

    #[test]
    fn a_call_is_told_once_and_ends_with_what_it_printed() {
        let call = CallId("c1".to_owned());
        let mut told = UpdateBuilder::new("m".to_owned());
        let events = [
            CallEvent::Started {
                call: call.clone(),
                tool: "bash".to_owned(),
            },
            CallEvent::Input {
                call: call.clone(),
                tool: "bash".to_owned(),
                input: "make\u{1b}[2J".to_owned(),
            },
            CallEvent::Streams {
                call: call.clone(),
                streams: PrintedStreams {
                    out: "made".to_owned(),
                    err: String::new(),
                },
            },
            CallEvent::Done {
                call,
                tool: "bash".to_owned(),
                ok: false,
                summary: "exit code 2".to_owned(),
                took_ms: None,
            },
        ];
        let updates: Vec<SessionUpdate> = events
            .map(Event::Call)
            .iter()
            .flat_map(|event| told.updates(event))
            .collect();
        let [
            SessionUpdate::ToolCall(begun),
            SessionUpdate::ToolCallUpdate(runs),
            SessionUpdate::ToolCallUpdate(done),
        ] = updates.as_slice()
        else {
            panic!("{updates:?}");
        };
        assert_eq!(begun.kind, ToolKind::Execute);
        assert_eq!(runs.fields.title.as_deref(), Some("bash: make\u{241b}[2J"));
        assert_eq!(done.fields.status, Some(ToolCallStatus::Failed));
        let printed = ToolCallContent::from("made");
        assert_eq!(done.fields.content.as_ref().unwrap()[1], printed);
    }

    #[test]
    fn chunks_in_a_row_are_a_message() {
        let mut updates = UpdateBuilder::new("p".to_owned());
        assert_eq!(chunk_id(&mut updates, ChunkSpeaker::Agent), "p-1");
        assert_eq!(chunk_id(&mut updates, ChunkSpeaker::Agent), "p-1");
        assert_eq!(chunk_id(&mut updates, ChunkSpeaker::Thought), "p-2");
        updates.remark("one");
        assert_eq!(chunk_id(&mut updates, ChunkSpeaker::Thought), "p-4");
        updates.interrupt();
        assert_eq!(chunk_id(&mut updates, ChunkSpeaker::Thought), "p-5");
    }

    /// Returns the id of the message that a chunk becomes part of.
    fn chunk_id(updates: &mut UpdateBuilder, speaker: ChunkSpeaker) -> String {
        match updates.chunk(speaker, "x") {
            SessionUpdate::AgentMessageChunk(chunk) | SessionUpdate::AgentThoughtChunk(chunk) => {
                chunk.message_id.unwrap().to_string()
            }
            update => panic!("{update:?}"),
        }
    }

    #[test]
    fn money_keeps_its_digits() {
        let fill = Fill { tokens: 1, of: 2 };
        let priced = serde_json::to_value(usage(fill, Some(1_000_250))).unwrap();
        assert_eq!(priced["cost"]["amount"], 1.00025);
        let unpriced = serde_json::to_value(usage(fill, None)).unwrap();
        assert!(unpriced.get("cost").is_none());
    }

    #[test]
    fn edits_that_failed_are_named_in_a_line() {
        let failed = FailedCall {
            tool: "write".to_owned(),
            path: Some("a.rs".to_owned()),
            why: "no such file".to_owned(),
        };
        let event = Event::LeftUndone {
            staged: false,
            edits: vec![failed],
        };
        let line = "Nothing was staged: 1 edit failed: write of a.rs: no such file";
        let expected = UpdateBuilder::new("m".to_owned()).remark(line);
        let updates = UpdateBuilder::new("m".to_owned()).updates(&event);
        assert_eq!(updates, [expected]);
    }
}
