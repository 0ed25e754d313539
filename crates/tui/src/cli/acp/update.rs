//! Updates of a session: what the editor is told of what happens, whichever version of the protocol it speaks.
//!
//! In: events. Out: [`EditorUpdate`]s. Names and lines of signoff's own are written on one line, in which nothing can move,
//! hide or reorder what is shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use signoff_llm::message::CallId;
use signoff_llm::session::{CritiqueEvent, Event, NamedAgent, Speaker};
use signoff_llm::tool::{PlanStep, PrintedStreams};
use signoff_llm::usage::Fill;
use signoff_verify::check::CheckReport;

use super::file_change::FileChange;
use super::offered_commands::OfferedCommand;
use super::session_options::SessionOptions;
use crate::app::{critique_notes, notes};
use crate::sanitize;

/// Something that the editor is told.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EditorUpdate {
    /// More of a message.
    Chunk {
        speaker: ChunkSpeaker,
        text: String,
    },
    /// The user's prompt, as the editor sent it.
    Prompt(Vec<Value>),
    Call(CallUpdate),
    Plan(Vec<PlanStep>),
    /// A line of signoff's own.
    Remark(String),
    Commands(Vec<OfferedCommand>),
    Options(SessionOptions),
    /// How full the model's memory is, and what was spent, in millionths of a dollar.
    Fill {
        fill: Fill,
        spent: Option<u64>,
    },
    /// Whether signoff works or waits; told in the draft alone.
    Activity(SessionActivity),
}

/// Whose message a chunk belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkSpeaker {
    User,
    Agent,
    Thought,
}

/// What a conversation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionActivity {
    /// Something goes on.
    Running,
    /// The user is asked.
    AwaitsUser,
    /// Nothing goes on; how the last work ended, if there was any.
    Idle(Option<PromptEnd>),
}

/// How a prompt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptEnd {
    Done,
    Limit,
    Cancelled,
    Failed,
}

/// A tool call as it is told first, or what changed in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallUpdate {
    pub(super) id: String,
    pub(super) status: CallStatus,
    /// Whether the editor knows the call.
    pub(super) is_known: bool,
    pub(super) title: Option<String>,
    pub(super) kind: Option<&'static str>,
    pub(super) content: Option<Vec<CallContent>>,
    /// The file that it is about, absolute.
    pub(super) file: Option<String>,
    /// What became of it, in a word.
    pub(super) outcome: Option<&'static str>,
}

impl CallUpdate {
    /// Returns an update that tells the status alone, of a call that the editor knows.
    pub(super) fn new(id: String, status: CallStatus) -> Self {
        Self {
            id,
            status,
            is_known: true,
            title: None,
            kind: None,
            content: None,
            file: None,
            outcome: None,
        }
    }
}

/// Where a tool call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

impl CallStatus {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// What a tool call shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CallContent {
    Text(String),
    Change(Box<FileChange>),
}

/// What the editor knows of the calls of a conversation.
#[derive(Debug, Default)]
pub(super) struct ToldCalls {
    /// What they printed, until they end.
    running: BTreeMap<CallId, Option<PrintedStreams>>,
}

impl ToldCalls {
    /// Returns the updates of an event; none for what an editor does not show, or is told otherwise.
    pub(super) fn updates(&mut self, event: &Event) -> Vec<EditorUpdate> {
        match event {
            Event::Text { text } => vec![chunk(ChunkSpeaker::Agent, text)],
            Event::Reasoning { text } => vec![chunk(ChunkSpeaker::Thought, text)],
            Event::Earlier { speaker, text } => vec![chunk(
                match speaker {
                    Speaker::User => ChunkSpeaker::User,
                    Speaker::Model => ChunkSpeaker::Agent,
                },
                text,
            )],
            Event::Plan { steps } => vec![EditorUpdate::Plan(steps.clone())],
            Event::CallStarted { call, tool } => self.begun(call, tool).into_iter().collect(),
            Event::Intent {
                call,
                path,
                description,
                ..
            } => self.running(call, &format!("{description} ({path})")),
            Event::CallInput { call, tool, input } => {
                let mut told: Vec<EditorUpdate> = self.begun(call, tool).into_iter().collect();
                told.extend(self.running(call, &format!("{tool}: {input}")));
                told
            }
            Event::CallStreams { call, streams } => {
                if let Some(printed) = self.running.get_mut(call) {
                    *printed = Some(streams.clone());
                }
                Vec::new()
            }
            Event::CallDone {
                call,
                tool,
                ok,
                summary,
                ..
            } => {
                let mut told: Vec<EditorUpdate> = self.begun(call, tool).into_iter().collect();
                told.push(self.done(call, *ok, summary));
                told
            }
            Event::LeftUndone { staged, edits } => {
                let edits: Vec<String> = edits.iter().map(ToString::to_string).collect();
                let head = notes::failed_edits(*staged, edits.len());
                vec![remark(&format!("{head} {}", edits.join("; ")))]
            }
            Event::PlanDeviation { step, deviation } => {
                vec![remark(&notes::deviation_said(*step, deviation))]
            }
            Event::Checked { report } => checked(report).into_iter().collect(),
            Event::Retrying {
                reason,
                attempt,
                wait_ms,
            } => vec![remark(&format!(
                "{reason}; attempt {attempt} in {} s",
                wait_ms.div_ceil(1000)
            ))],
            Event::Stalled { seconds } => vec![remark(&format!("no data for {seconds} s"))],
            Event::Compacted { before, after } => {
                vec![remark(&notes::compacted(*before, *after))]
            }
            Event::Critique(CritiqueEvent::Comment(comment)) => {
                let said = critique_notes::in_a_line(comment);
                vec![remark(&format!("review agent: {said}"))]
            }
            Event::Critique(CritiqueEvent::Ended(report)) => {
                vec![remark(&critique_notes::said(report))]
            }
            Event::Info { text } => vec![remark(text)],
            Event::Servers(report) => report.lines.iter().map(|line| remark(line)).collect(),
            Event::Agents { agents } => agents.iter().map(agent).collect(),
            Event::Spent {
                session,
                context: Some(fill),
                ..
            } => vec![EditorUpdate::Fill {
                fill: *fill,
                spent: session.cost,
            }],
            _ => Vec::new(),
        }
    }

    /// Tells of a call, unless the editor knows it.
    fn begun(&mut self, call: &CallId, tool: &str) -> Option<EditorUpdate> {
        if self.running.contains_key(call) {
            return None;
        }
        self.running.insert(call.clone(), None);
        Some(EditorUpdate::Call(CallUpdate {
            is_known: false,
            title: Some(sanitize::clean(tool).into_owned()),
            kind: Some(kind(tool)),
            ..CallUpdate::new(call.0.clone(), CallStatus::Pending)
        }))
    }

    fn running(&self, call: &CallId, title: &str) -> Vec<EditorUpdate> {
        if !self.running.contains_key(call) {
            return Vec::new();
        }
        vec![EditorUpdate::Call(CallUpdate {
            title: Some(sanitize::clean(title).into_owned()),
            ..CallUpdate::new(call.0.clone(), CallStatus::InProgress)
        })]
    }

    fn done(&mut self, call: &CallId, ok: bool, summary: &str) -> EditorUpdate {
        let mut content = vec![CallContent::Text(sanitize::clean(summary).into_owned())];
        if let Some(PrintedStreams { out, err }) = self.running.remove(call).flatten() {
            let printed = [out, err].into_iter().filter(|text| !text.is_empty());
            content.extend(printed.map(|text| CallContent::Text(clean_lines(&text))));
        }
        let status = if ok {
            CallStatus::Completed
        } else {
            CallStatus::Failed
        };
        EditorUpdate::Call(CallUpdate {
            content: Some(content),
            ..CallUpdate::new(call.0.clone(), status)
        })
    }
}

fn kind(tool: &str) -> &'static str {
    match tool {
        "bash" => "execute",
        "read" | "list_dir" | "outline" => "read",
        "grep" | "find" | "similar" | "repo_map" => "search",
        "delete" => "delete",
        "move" => "move",
        "apply_structured_edits"
        | "declare_edit_intent"
        | "edit"
        | "edit_section"
        | "execute_edit"
        | "write"
        | "rename_symbol"
        | "code_action" => "edit",
        "update_plan" => "think",
        "web_fetch" | "web_search" => "fetch",
        _ => "other",
    }
}

fn chunk(speaker: ChunkSpeaker, text: &str) -> EditorUpdate {
    EditorUpdate::Chunk {
        speaker,
        text: text.to_owned(),
    }
}

/// Returns lines in which nothing hides or reorders what is shown.
pub(super) fn clean_lines(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(sanitize::clean).collect();
    lines.join("\n")
}

/// Returns a line of signoff's own.
pub(super) fn remark(text: &str) -> EditorUpdate {
    EditorUpdate::Remark(sanitize::clean(text).into_owned())
}

fn agent(agent: &NamedAgent) -> EditorUpdate {
    remark(&format!("{}: {}", agent.name, agent.description))
}

fn checked(report: &CheckReport) -> Option<EditorUpdate> {
    let first = report.new.first()?;
    let told = format!("the checks find {} new: {first}", report.new.len());
    Some(remark(&told))
}

#[cfg(test)]
mod tests {
    use signoff_llm::notice::FailedCall;

    use super::*;

    #[test]
    fn a_call_is_told_once_and_ends_with_what_it_printed() {
        let call = CallId("c1".to_owned());
        let mut calls = ToldCalls::default();
        let events = [
            Event::CallStarted {
                call: call.clone(),
                tool: "bash".to_owned(),
            },
            Event::CallInput {
                call: call.clone(),
                tool: "bash".to_owned(),
                input: "make\u{1b}[2J".to_owned(),
            },
            Event::CallStreams {
                call: call.clone(),
                streams: PrintedStreams {
                    out: "made".to_owned(),
                    err: String::new(),
                },
            },
            Event::CallDone {
                call,
                tool: "bash".to_owned(),
                ok: false,
                summary: "exit code 2".to_owned(),
                took_ms: None,
            },
        ];
        let told: Vec<EditorUpdate> = events.iter().flat_map(|own| calls.updates(own)).collect();
        let [
            EditorUpdate::Call(begun),
            EditorUpdate::Call(runs),
            EditorUpdate::Call(done),
        ] = told.as_slice()
        else {
            panic!("{told:?}");
        };
        assert_eq!((begun.is_known, begun.kind), (false, Some("execute")));
        assert_eq!(runs.title.as_deref(), Some("bash: make\u{241b}[2J"));
        assert_eq!(done.status, CallStatus::Failed);
        let printed = CallContent::Text("made".to_owned());
        assert_eq!(done.content.as_ref().unwrap()[1], printed);
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
        let told = ToldCalls::default().updates(&event);
        let line = "Nothing was staged: 1 edit failed: write of a.rs: no such file";
        assert_eq!(told, [remark(line)]);
    }
}
