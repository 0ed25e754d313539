//! Events of a conversation that is taken up: what was said in it, and the commands that the user ran.
//!
//! In: entries. Out: events for the screen. Calls of the model are left out; a command of the user's is shown as it was when it
//! ran, but for the time that it took, which is not on record.

use std::collections::HashMap;

use serde_json::Value;
use signoff_core::plural::counted;

use super::super::{CallEvent, Event, Speaker};
use super::images::shown;
use crate::message::{CallId, ToolCall};
use crate::notice::Notice;
use crate::tool_output::PrintedStreams;
use crate::transcript::Entry;

/// Returns the events of a conversation, oldest first.
pub(super) fn earlier(entries: &[Entry]) -> Vec<Event> {
    let commands = entries.iter().zip(entries.iter().skip(1));
    let commands = commands.filter_map(|(prompt, said)| match said {
        Entry::Said { calls, .. } if prompt.is_command() => Some(calls),
        _ => None,
    });
    let commands: HashMap<&CallId, &ToolCall> =
        commands.flatten().map(|call| (&call.id, call)).collect();
    let told = entries.iter().flat_map(|entry| of_entry(entry, &commands));
    told.collect()
}

fn of_entry(entry: &Entry, commands: &HashMap<&CallId, &ToolCall>) -> Vec<Event> {
    let calls = match entry {
        Entry::Prompt { text, images, .. } => {
            let text = entry.typed().unwrap_or(text).to_owned();
            let speaker = Speaker::User;
            let said = Event::Earlier { speaker, text };
            return [said].into_iter().chain(shown(images)).collect();
        }
        Entry::Said { text, calls, .. } => {
            let own = calls.iter().filter(|call| commands.contains_key(&call.id));
            let speaker = Speaker::Model;
            let text = text.clone();
            let said = (!text.is_empty()).then_some(Event::Earlier { speaker, text });
            return said.into_iter().chain(own.flat_map(begun)).collect();
        }
        Entry::Noticed {
            notice:
                Notice::Asked {
                    path,
                    question,
                    answer,
                    ..
                },
        } => {
            let answer = answer.as_deref().unwrap_or("(no answer)");
            let text = format!("{path}: {question}\n{answer}");
            let speaker = Speaker::User;
            return vec![Event::Earlier { speaker, text }];
        }
        Entry::Answered {
            call,
            content,
            failed,
            ..
        } => commands.get(call).map(|call| done(call, content, *failed)),
        Entry::Noticed { .. } => None,
    };
    calls.into_iter().flatten().collect()
}

/// Returns that a command began.
fn begun(call: &ToolCall) -> Vec<Event> {
    // What is no JSON names no command.
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    let input = ["command", "task"].into_iter();
    let input = input.filter_map(|name| arguments[name].as_str()).next();
    let started = CallEvent::Started {
        call: call.id.clone(),
        tool: call.name.clone(),
    };
    let input = input.map(|input| CallEvent::Input {
        call: call.id.clone(),
        tool: call.name.clone(),
        input: input.to_owned(),
    });
    [started].into_iter().chain(input).map(told).collect()
}

/// Returns how a command ended, and what it printed.
fn done(call: &ToolCall, content: &str, failed: bool) -> Vec<Event> {
    let (streams, summary) = ended(content);
    let streams = streams.map(|streams| CallEvent::Streams {
        call: call.id.clone(),
        streams,
    });
    let done = CallEvent::Done {
        call: call.id.clone(),
        tool: call.name.clone(),
        ok: !failed,
        summary,
        took_ms: None,
    };
    streams.into_iter().chain([done]).map(told).collect()
}

fn told(call: CallEvent) -> Event {
    Event::EarlierCall { call }
}

/// Reads the answer of a command: `{"exitCode":3,"stdout":"a\n","stderr":""}` printed `a` and ended with `exit 3`. Another
/// answer, as that of an agent, is what was said.
fn ended(content: &str) -> (Option<PrintedStreams>, String) {
    let answer: Value = serde_json::from_str(content).unwrap_or(Value::Null);
    let text = |name: &str| answer[name].as_str().map(str::to_owned);
    let (Some(out), Some(err)) = (text("stdout"), text("stderr")) else {
        let first = content.lines().next().unwrap_or("");
        let out = content.to_owned();
        let is_more = content.lines().count() > 1;
        let streams = is_more.then_some(PrintedStreams {
            out,
            ..PrintedStreams::default()
        });
        return (
            streams,
            if is_more {
                String::new()
            } else {
                first.to_owned()
            },
        );
    };
    let exit = answer["exitCode"].as_i64();
    let mut summary = match (text("error"), exit) {
        (Some(error), _) => error,
        (None, Some(code)) => format!("exit {code}"),
        (None, None) => String::new(),
    };
    let changed = answer["changed"].as_array().map_or(0, Vec::len);
    if changed > 0 {
        summary += &format!(", changed {}", counted(changed, "file"));
    }
    (Some(PrintedStreams { out, err }), summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::ASKS_NOTHING;

    fn ran(tool: &str, arguments: &str, content: &str) -> Vec<String> {
        let call = ToolCall {
            id: CallId("a".to_owned()),
            name: tool.to_owned(),
            arguments: arguments.to_owned(),
        };
        let entries = [
            Entry::Prompt {
                text: format!("!sh odd.sh{ASKS_NOTHING}"),
                images: Vec::new(),
                sent: None,
            },
            Entry::Said {
                text: String::new(),
                calls: vec![call.clone()],
                kept: Vec::new(),
            },
            Entry::Answered {
                call: call.id,
                content: content.to_owned(),
                failed: true,
                images: Vec::new(),
            },
        ];
        let events = earlier(&entries).into_iter();
        let told = events.map(|event| match event {
            Event::Earlier { text, .. } => text,
            Event::EarlierCall { call } => match call {
                CallEvent::Started { tool, .. } => tool,
                CallEvent::Input { input, .. } => input,
                CallEvent::Streams { streams, .. } => format!("{}|{}", streams.out, streams.err),
                CallEvent::Done { summary, ok, .. } => format!("{ok} {summary}"),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    /// What a command of the user's printed is shown as when it ran, and the note for the model is not.
    #[test]
    fn a_command_of_the_user_is_shown_with_what_it_printed() {
        let answer = r#"{"exitCode":3,"stdout":"a\n","stderr":"b","changed":["create n.txt +1 -0 (staged)"]}"#;
        assert_eq!(
            ran("bash", r#"{"command":"sh odd.sh"}"#, answer),
            [
                "!sh odd.sh",
                "bash",
                "sh odd.sh",
                "a\n|b",
                "false exit 3, changed 1 file"
            ]
        );
        let refused = ran("delegate", r#"{"task":"look"}"#, "error: no such agent");
        assert_eq!(refused[2..], ["look", "false error: no such agent"]);
    }
}
