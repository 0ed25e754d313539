//! The tools through the registry, on a real folder.

use serde_json::{Value, json};

use super::testing::{Folder, save};
use super::*;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({
        "path": path,
        "description": "Change it",
        "edits": [{ "old_text": old, "new_text": new }],
    })
}

#[test]
fn two_edits_of_one_file_build_on_each_other_and_leave_the_disk_alone() {
    let folder = Folder::new(&[("a.txt", "one\ntwo\n")]);
    let first = folder.call("edit_section", edit("a.txt", "one", "1"));
    let second = folder.call("edit_section", edit("a.txt", "1\ntwo", "1\n2"));
    assert!(
        first.ok && second.ok,
        "{} {}",
        first.content,
        second.content
    );
    assert_eq!(first.staged.len() + second.staged.len(), 2);
    let read = folder.call("read", json!({ "path": "a.txt" }));
    assert_eq!(read.content, "    1\t1\n    2\t2\n");
    assert_eq!(folder.disk("a.txt").as_deref(), Some("one\ntwo\n"));
}

#[test]
fn an_edit_answers_with_its_proposal() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let output = folder.call("edit_section", edit("a.txt", "one", "1"));
    let answer: Value = serde_json::from_str(&output.content).expect("JSON");
    let result = &answer["results"][0];
    assert_eq!(result["file"], "a.txt");
    assert_eq!(result["ok"], true);
    let proposal = output.staged.first().expect("a proposal");
    assert_eq!(result["proposal"], proposal.id.to_string());
    assert_eq!(output.summary, "staged a.txt +1 -1");
}

#[test]
fn one_bad_change_stages_none() {
    let folder = Folder::new(&[("a", "one\n"), ("b", "two\n")]);
    let change = |file: &str, old: &str| {
        json!({
            "file": file,
            "description": "d",
            "strategy": "section",
            "section": { "edits": [{ "old_text": old, "new_text": "x" }] },
        })
    };
    let changes = json!({ "changes": [change("a", "one"), change("b", "absent")] });
    let output = folder.call("apply_structured_edits", changes);
    assert!(!output.ok && output.staged.is_empty());
    assert!(output.summary.starts_with("b: "), "{}", output.summary);
    assert_eq!(
        folder.call("read", json!({ "path": "a" })).content,
        "    1\tone\n"
    );
}

#[test]
fn files_are_written_whole_and_appended_to() {
    let folder = Folder::new(&[("a", "one\n")]);
    let write = |path: &str, mode: &str, content: &str| {
        let arguments = json!({
            "path": path, "description": "d", "mode": mode, "content": content,
        });
        let output = folder.call("write", arguments);
        assert!(output.ok, "{}", output.content);
    };
    write("a", "append", "two\n");
    write("new/deep/b", "overwrite", "hello\n");
    assert_eq!(
        folder.call("read", json!({ "path": "a" })).content,
        "    1\tone\n    2\ttwo\n"
    );
    assert_eq!(
        folder.call("read", json!({ "path": "new/deep/b" })).content,
        "    1\thello\n"
    );
    assert!(folder.disk("new/deep/b").is_none());
}

#[test]
fn what_cannot_be_done_is_an_answer() {
    let folder = Folder::new(&[("a", "one\n")]);
    save(&folder.path("binary"), b"a\0b");
    let fails = |tool: &str, arguments: Value, expected: &str| {
        let output = folder.call(tool, arguments);
        assert!(!output.ok && output.staged.is_empty());
        assert!(output.content.contains(expected), "{}", output.content);
        assert!(!output.summary.is_empty() && !output.summary.contains('\n'));
    };
    fails(
        "read",
        json!({ "path": "nowhere" }),
        "nowhere does not exist",
    );
    fails(
        "read",
        json!({ "path": "../a" }),
        "leads out of the workspace",
    );
    fails(
        "read",
        json!({ "path": "/etc/hostname" }),
        "leads out of the workspace",
    );
    fails("read", json!({ "path": "binary" }), "binary");
    fails("read", json!({ "path": "." }), "folder");
    fails("read", json!({ "start": 3 }), "missing field `path`");
    fails(
        "list_dir",
        json!({ "path": ".." }),
        "leads out of the workspace",
    );
    fails("list_dir", json!({ "path": "a" }), "not a folder");
    fails(
        "edit_section",
        edit("../a", "one", "1"),
        "leads out of the workspace",
    );
    fails("edit_section", json!({ "path": "a", "edits": [] }), "edits");
    fails(
        "edit_section",
        json!({ "path": "a", "edits": "x" }),
        "invalid type",
    );
    fails(
        "apply_structured_edits",
        json!({ "changes": [] }),
        "`changes` is empty",
    );
    fails("write", json!({ "path": "a" }), "missing field `content`");
    fails(
        "declare_edit_intent",
        json!({ "path": "a" }),
        "missing field `operation`",
    );
    fails("no_such_tool", json!({}), "no such tool");
}

#[test]
fn folders_are_listed_as_staged() {
    let folder = Folder::new(&[("a.txt", "one\n"), ("src/b.txt", "")]);
    let new = json!({ "path": "c.txt", "description": "d", "content": "12345" });
    assert!(folder.call("write", new).ok);
    let output = folder.call("list_dir", json!({}));
    assert_eq!(output.content, "a.txt 4\nc.txt 5\nsrc/\n");
}

#[test]
fn an_intent_changes_nothing() {
    let folder = Folder::new(&[]);
    let intent = json!({ "path": "a", "operation": "rewrite", "description": "Start over" });
    let output = folder.call("declare_edit_intent", intent);
    assert!(output.ok && output.staged.is_empty());
    assert_eq!(output.summary, "rewrite a: Start over");
}

#[test]
fn a_cancelled_edit_stages_nothing() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    folder
        .stop
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let output = folder.call("edit_section", edit("a.txt", "one", "1"));
    assert!(!output.ok && output.staged.is_empty());
}

#[test]
fn schemas_name_path_operation_and_description_first() {
    for spec in Registry::standard().specs() {
        let names: Vec<_> = match spec.parameters.pointer("/properties") {
            Some(Value::Object(properties)) => properties.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        let known: Vec<_> = ["path", "operation", "description"]
            .into_iter()
            .filter(|name| names.contains(name))
            .collect();
        let edits = names.contains(&"description");
        assert!(
            !edits || names.starts_with(&known),
            "{}: {names:?}",
            spec.name
        );
        let required = spec.parameters.pointer("/required");
        let required = required
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        assert!(
            required
                .iter()
                .all(|name| names.iter().any(|known| name == known))
        );
    }
}

#[test]
fn the_first_request_is_small() {
    let tools: Vec<_> = Registry::standard()
        .specs()
        .into_iter()
        .map(|spec| {
            json!({
                "type": "function",
                "function": {
                    "name": spec.name,
                    "description": spec.description,
                    "parameters": spec.parameters,
                },
            })
        })
        .collect();
    let instructions = crate::session::Config::new(Vec::new()).instructions;
    let request = json!({
        "model": "some-model",
        "stream": true,
        "messages": [
            { "role": "system", "content": instructions },
            { "role": "user", "content": "rename a to b" },
        ],
        "tools": tools,
        "tool_choice": "auto",
    });
    let size = request.to_string().len();
    assert!(size < 9000, "{size} bytes");
}
