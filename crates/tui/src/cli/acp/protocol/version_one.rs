//! Version 1 of the protocol.
//!
//! A change of a file is a diff for each hunk, with the old and the new text of its lines; the old one is null where the file
//! is made.

use serde_json::{Value, json};
use signoff_core::edit::diff::line::LineKind;

use super::{
    MessageIds, OpenedSession, ProtocolVersion, chunk, insert, options_of, plan_entries,
    text_content, tool_call, usage,
};
use crate::cli::acp::file_change::{FileChange, FileOperation};
use crate::cli::acp::offered_commands::OfferedCommand;
use crate::cli::acp::question::PermissionQuestion;
use crate::cli::acp::session_options::{OptionValue, SessionOptions};
use crate::cli::acp::update::{CallContent, ChunkSpeaker, EditorUpdate};

pub(super) fn hello() -> Value {
    json!({
        "protocolVersion": 1,
        "agentInfo": {"name": "signoff", "title": "signoff", "version": env!("CARGO_PKG_VERSION")},
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": cfg!(feature = "mcp"), "sse": false},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
        },
        "authMethods": [],
    })
}

pub(super) fn updates(update: &EditorUpdate, messages: &mut MessageIds) -> Vec<Value> {
    match update {
        EditorUpdate::Chunk { speaker, text } => {
            vec![chunk(*speaker, messages.of(*speaker), text)]
        }
        EditorUpdate::Remark(text) => {
            let text = format!("\n\n[signoff] {text}\n\n");
            vec![chunk(ChunkSpeaker::Agent, messages.single(), &text)]
        }
        EditorUpdate::Call(call) => {
            let mut update = tool_call(call, contents);
            let kind = if call.is_known {
                "tool_call_update"
            } else {
                "tool_call"
            };
            insert(&mut update, "sessionUpdate", kind.into());
            vec![update]
        }
        EditorUpdate::Plan(steps) => {
            vec![json!({"sessionUpdate": "plan", "entries": plan_entries(steps)})]
        }
        EditorUpdate::Commands(commands) => vec![json!({
            "sessionUpdate": "available_commands_update",
            "availableCommands": commands.iter().map(command).collect::<Value>(),
        })],
        EditorUpdate::Options(options) => vec![
            json!({"sessionUpdate": "current_mode_update", "currentModeId": options.mode.word()}),
            json!({
                "sessionUpdate": "config_option_update",
                "configOptions": ProtocolVersion::One.options(options),
            }),
        ],
        EditorUpdate::Fill { fill, spent } => vec![usage(fill.tokens, fill.of, *spent)],
        // The editor shows its own prompt, and takes from it that something goes on.
        EditorUpdate::Prompt(_) | EditorUpdate::Activity(_) => Vec::new(),
    }
}

pub(super) fn permission(question: &PermissionQuestion) -> Value {
    json!({"toolCall": tool_call(&question.call, contents), "options": options_of(question)})
}

pub(super) fn opened(session: &OpenedSession<'_>) -> Value {
    let mut result = json!({
        "modes": modes(session.options),
        "configOptions": ProtocolVersion::One.options(session.options),
    });
    if let Some(id) = session.id {
        insert(&mut result, "sessionId", id.into());
    }
    result
}

fn modes(options: &SessionOptions) -> Value {
    let mode =
        |own: OptionValue| json!({"id": own.id, "name": own.name, "description": own.description});
    let offered: Value = options.modes().into_iter().map(mode).collect();
    json!({"currentModeId": options.mode.word(), "availableModes": offered})
}

fn command(command: &OfferedCommand) -> Value {
    let mut value = json!({"name": command.name, "description": command.description});
    if let Some(hint) = command.hint {
        insert(&mut value, "input", json!({"hint": hint}));
    }
    value
}

fn contents(content: &CallContent) -> Vec<Value> {
    match content {
        CallContent::Text(text) => vec![text_content(text)],
        CallContent::Change(change) => diffs(change),
    }
}

fn diffs(change: &FileChange) -> Vec<Value> {
    let is_new = matches!(change.operation(), FileOperation::Add { .. });
    let mut told = Vec::new();
    for hunk in &change.hunks {
        told.extend(hunk.remarks.iter().map(|remark| text_content(remark)));
        if hunk.has_lines() {
            told.push(json!({
                "type": "diff",
                "path": change.path(),
                "oldText": (!is_new).then(|| hunk.side(LineKind::Removed)),
                "newText": hunk.side(LineKind::Added),
            }));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use signoff_core::edit::intent::Operation;
    use signoff_core::stage::review::ProposalView;

    use super::*;
    use crate::review::kit::file;

    #[test]
    fn a_choice_is_told_by_both_words_for_it() {
        let mut messages = MessageIds::new("m".to_owned());
        let options = EditorUpdate::Options(SessionOptions::new(true));
        let [mode, option] = updates(&options, &mut messages).try_into().unwrap();
        assert_eq!(mode["currentModeId"], "step");
        assert_eq!(option["configOptions"][0]["id"], "mode");
        let modes = modes(&SessionOptions::new(true));
        assert_eq!(modes["availableModes"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn a_hunk_is_a_diff_behind_what_the_user_should_know() {
        let told = |view: &ProposalView| diffs(&FileChange::of(view, Path::new("/w")));
        let mut view = file("one");
        let [diff] = told(&view).try_into().unwrap();
        assert_eq!(diff["path"], "/w/a.txt");
        assert_eq!(diff["oldText"], "one\n");
        assert_eq!(diff["newText"], "one\nnew\n");
        view.operation = Operation::Create;
        view.hunks[0].lines[1].text = "a\u{202e}b".to_owned();
        let [hidden, diff] = told(&view).try_into().unwrap();
        let shown = "look: a line has characters that may not be seen: a\\u{202e}b";
        assert_eq!(hidden["content"]["text"], shown);
        assert!(diff["oldText"].is_null());
    }
}
