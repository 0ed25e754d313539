//! Updates of a session: what the editor is told of what happens.
//!
//! In: events. Out: values of `session/update`, without their session. Names and lines of signoff's own are written on one
//! line, in which nothing can move, hide or reorder what is shown.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use signoff_llm::message::CallId;
use signoff_llm::session::{CritiqueEvent, Event, Speaker};
use signoff_llm::tool::{PlanStep, PrintedStreams};
use signoff_llm::tool_spec::StepStatus;
use signoff_verify::check::CheckReport;

use crate::app::{critique_notes, notes};
use crate::sanitize;

/// What the editor knows of the calls of a conversation.
#[derive(Debug, Default)]
pub(super) struct ToldCalls {
    /// What they printed, until they end.
    running: BTreeMap<CallId, Option<PrintedStreams>>,
}

impl ToldCalls {
    /// Returns the updates of an event; none for what an editor does not show, or is told otherwise.
    pub(super) fn updates(&mut self, event: &Event) -> Vec<Value> {
        match event {
            Event::Text { text } => vec![chunk("agent_message_chunk", text)],
            Event::Reasoning { text } => vec![chunk("agent_thought_chunk", text)],
            Event::Earlier { speaker, text } => vec![chunk(
                match speaker {
                    Speaker::User => "user_message_chunk",
                    Speaker::Model => "agent_message_chunk",
                },
                text,
            )],
            Event::Plan { steps } => vec![plan(steps)],
            Event::CallStarted { call, tool } => self.begun(call, tool).into_iter().collect(),
            Event::Intent {
                call,
                path,
                description,
                ..
            } => self.running(call, &format!("{description} ({path})")),
            Event::CallInput { call, tool, input } => {
                let mut told: Vec<Value> = self.begun(call, tool).into_iter().collect();
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
                let mut told: Vec<Value> = self.begun(call, tool).into_iter().collect();
                told.push(self.done(call, *ok, summary));
                told
            }
            Event::LeftUndone { staged, edits } => {
                let edits: Vec<String> = edits.iter().map(ToString::to_string).collect();
                let head = notes::failed_edits(*staged, edits.len());
                vec![remark(&format!("{head}: {}", edits.join("; ")))]
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
            _ => Vec::new(),
        }
    }

    /// Tells of a call, unless the editor knows it.
    fn begun(&mut self, call: &CallId, tool: &str) -> Option<Value> {
        if self.running.contains_key(call) {
            return None;
        }
        self.running.insert(call.clone(), None);
        Some(json!({
            "sessionUpdate": "tool_call",
            "toolCallId": call.0,
            "title": sanitize::clean(tool),
            "kind": kind(tool),
            "status": "pending",
        }))
    }

    fn running(&self, call: &CallId, title: &str) -> Vec<Value> {
        let known = self.running.contains_key(call);
        let told = || {
            json!({
                "sessionUpdate": "tool_call_update",
                "toolCallId": call.0,
                "title": sanitize::clean(title),
                "status": "in_progress",
            })
        };
        known.then(told).into_iter().collect()
    }

    fn done(&mut self, call: &CallId, ok: bool, summary: &str) -> Value {
        let mut content = vec![text_content(&sanitize::clean(summary))];
        if let Some(PrintedStreams { out, err }) = self.running.remove(call).flatten() {
            let printed = [out, err].into_iter().filter(|text| !text.is_empty());
            content.extend(printed.map(|text| text_content(&clean_lines(&text))));
        }
        json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": call.0,
            "status": if ok { "completed" } else { "failed" },
            "content": content,
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
        _ => "other",
    }
}

fn chunk(kind: &str, text: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}})
}

/// Returns a text as content of a tool call.
pub(super) fn text_content(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

/// Returns lines in which nothing hides or reorders what is shown.
pub(super) fn clean_lines(text: &str) -> String {
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(sanitize::clean).collect();
    lines.join("\n")
}

/// Returns a line of signoff's own.
pub(super) fn remark(text: &str) -> Value {
    let text = format!("\n\n[signoff] {}\n\n", sanitize::clean(text));
    chunk("agent_message_chunk", &text)
}

fn plan(steps: &[PlanStep]) -> Value {
    let entry = |step: &PlanStep| {
        json!({
            "content": step.step,
            "priority": "medium",
            "status": match step.status {
                StepStatus::Pending => "pending",
                StepStatus::InProgress => "in_progress",
                StepStatus::Completed => "completed",
            },
        })
    };
    let entries: Vec<Value> = steps.iter().map(entry).collect();
    json!({"sessionUpdate": "plan", "entries": entries})
}

fn checked(report: &CheckReport) -> Option<Value> {
    let first = report.new.first()?;
    let told = format!("the checks find {} new: {first}", report.new.len());
    Some(remark(&told))
}

#[cfg(test)]
mod tests {
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
        let told: Vec<Value> = events.iter().flat_map(|own| calls.updates(own)).collect();
        let kinds: Vec<&Value> = told.iter().map(|own| &own["sessionUpdate"]).collect();
        assert_eq!(kinds, ["tool_call", "tool_call_update", "tool_call_update"]);
        assert_eq!(told[0]["kind"], "execute");
        assert_eq!(told[1]["title"], "bash: make\u{241b}[2J");
        assert_eq!(told[2]["status"], "failed");
        assert_eq!(told[2]["content"][1]["content"]["text"], "made");
    }
}
