//! The draft of version 2 of the protocol, as the schema of `@agentclientprotocol/sdk` 2.4.0 has it.
//!
//! Updates are upserts by ids, what goes on is told by `state_update`, and a change of a file is an operation on a path with a
//! patch in git's form.

use serde_json::{Value, json};

use super::{
    MessageIds, OpenedSession, ProtocolVersion, chunk, insert, options_of, plan_entries,
    stop_reason, text_content, tool_call, usage,
};
use crate::cli::acp::file_change::{FileChange, FileKind, FileOperation, FileState};
use crate::cli::acp::offered_commands::OfferedCommand;
use crate::cli::acp::question::PermissionQuestion;
use crate::cli::acp::update::{CallContent, ChunkSpeaker, EditorUpdate, SessionActivity};

/// The id of the one plan that a conversation has.
const PLAN: &str = "plan";

pub(super) fn hello() -> Value {
    let mut session = json!({"prompt": {"image": {}, "embeddedContext": {}}});
    if cfg!(feature = "mcp") {
        insert(&mut session, "mcp", json!({"stdio": {}, "http": {}}));
    }
    json!({
        "protocolVersion": 2,
        "info": {"name": "signoff", "title": "signoff", "version": env!("CARGO_PKG_VERSION")},
        "capabilities": {"session": session},
        "authMethods": [],
    })
}

pub(super) fn updates(update: &EditorUpdate, messages: &mut MessageIds) -> Vec<Value> {
    vec![match update {
        EditorUpdate::Chunk { speaker, text } => chunk(*speaker, messages.of(*speaker), text),
        EditorUpdate::Remark(text) => {
            let text = format!("[signoff] {text}");
            chunk(ChunkSpeaker::Agent, messages.single(), &text)
        }
        EditorUpdate::Prompt(blocks) => json!({
            "sessionUpdate": "user_message",
            "messageId": messages.newest(),
            "content": blocks,
        }),
        EditorUpdate::Call(call) => {
            let mut update = tool_call(call, contents);
            insert(&mut update, "sessionUpdate", "tool_call_update".into());
            update
        }
        EditorUpdate::Plan(steps) => {
            let plan = json!({"type": "items", "planId": PLAN, "entries": plan_entries(steps)});
            json!({"sessionUpdate": "plan_update", "plan": plan})
        }
        EditorUpdate::Commands(commands) => json!({
            "sessionUpdate": "available_commands_update",
            "availableCommands": self::commands(commands),
        }),
        EditorUpdate::Options(options) => json!({
            "sessionUpdate": "config_option_update",
            "configOptions": ProtocolVersion::Two.options(options),
        }),
        EditorUpdate::Fill { fill, spent } => usage(fill.tokens, fill.of, *spent),
        EditorUpdate::Activity(activity) => state(*activity),
    }]
}

pub(super) fn permission(question: &PermissionQuestion) -> Value {
    json!({
        "title": question.title,
        "subject": {"type": "tool_call", "toolCall": tool_call(&question.call, contents)},
        "options": options_of(question),
    })
}

pub(super) fn opened(session: &OpenedSession<'_>) -> Value {
    let mut result = json!({
        "configOptions": ProtocolVersion::Two.options(session.options),
        "availableCommands": commands(session.commands),
    });
    if let Some(id) = session.id {
        insert(&mut result, "sessionId", id.into());
    }
    result
}

/// Returns the commands that an editor offers.
fn commands(commands: &[OfferedCommand]) -> Value {
    let command = |own: &OfferedCommand| {
        let mut value =
            json!({"type": "command", "name": own.name, "description": own.description});
        if let Some(hint) = own.hint {
            insert(&mut value, "input", json!({"type": "text", "hint": hint}));
        }
        value
    };
    commands.iter().map(command).collect()
}

fn state(activity: SessionActivity) -> Value {
    let mut update = json!({"sessionUpdate": "state_update"});
    let state = match activity {
        SessionActivity::Running => "running",
        SessionActivity::AwaitsUser => "requires_action",
        SessionActivity::Idle(end) => {
            if let Some(end) = end {
                insert(&mut update, "stopReason", stop_reason(end).into());
            }
            "idle"
        }
    };
    insert(&mut update, "state", state.into());
    update
}

fn contents(content: &CallContent) -> Vec<Value> {
    match content {
        CallContent::Text(text) => vec![text_content(text)],
        CallContent::Change(change) => {
            let remarks = change.hunks.iter().flat_map(|hunk| &hunk.remarks);
            let mut told: Vec<Value> = remarks.map(|remark| text_content(remark)).collect();
            told.push(diff(change));
            told
        }
    }
}

fn diff(change: &FileChange) -> Value {
    let (operation, state, old) = match change.operation() {
        FileOperation::Add { after } => ("add", after, None),
        FileOperation::Delete { before } => ("delete", before, None),
        FileOperation::Modify { after } => ("modify", after, None),
        FileOperation::Move { before, after } => ("move", after, Some(before)),
    };
    let mut entry = json!({
        "operation": operation,
        "path": state.path,
        "fileType": file_type(state),
    });
    if let Some(old) = old {
        insert(&mut entry, "oldPath", old.path.clone().into());
    }
    let mut diff = json!({"type": "diff", "changes": [entry]});
    if let Some(text) = change.git_patch() {
        insert(
            &mut diff,
            "patch",
            json!({"format": "git_patch", "text": text}),
        );
    }
    diff
}

fn file_type(state: &FileState) -> &'static str {
    match state.kind {
        FileKind::Text => "text",
        FileKind::Link => "symlink",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use signoff_core::edit::intent::Operation;

    use super::*;
    use crate::review::kit::file;

    #[test]
    fn a_change_is_an_operation_with_a_patch() {
        let mut view = file("one");
        let told = |view: &_| diff(&FileChange::of(view, Path::new("/w")));
        let change = json!([{"operation": "modify", "path": "/w/a.txt", "fileType": "text"}]);
        let modified = told(&view);
        assert_eq!(modified["changes"], change);
        assert_eq!(modified["patch"]["format"], "git_patch");
        view.to = Some("b.txt".to_owned());
        let moved = told(&view);
        assert_eq!(moved["changes"][0]["operation"], "move");
        assert_eq!(moved["changes"][0]["oldPath"], "/w/a.txt");
        assert_eq!(moved["changes"][0]["path"], "/w/b.txt");
        view.to = None;
        view.operation = Operation::Link;
        let linked = told(&view);
        assert_eq!(linked["changes"][0]["fileType"], "symlink");
        assert!(linked.get("patch").is_none());
    }
}
