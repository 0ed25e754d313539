//! `signoff engine`: JSON lines in, JSON lines out.

use serde_json::{Value, json};

use crate::world::{Running, World};

fn answers(requests: &[Value]) -> Vec<Value> {
    let world = World::new(&[]);
    let input: String = requests
        .iter()
        .map(|request| format!("{request}\n"))
        .collect();
    let answers = world.feed(&["engine"], input).done().events();
    assert!(
        world.files().is_empty() && !world.beside("state/signoff/workspaces").exists(),
        "it touches no file"
    );
    answers
}

/// One change of one text, and what comes of it.
fn check(before: Value, change: Value, status: &str, after: Value) {
    let path = change["file"].as_str().unwrap_or("a.txt").to_owned();
    let asked = json!({ "id": "it", "path": path, "before": before, "change": change });
    let answer = answers(&[asked]).remove(0);
    assert_eq!(answer["id"], "it");
    assert_eq!(answer["status"], status, "{answer:#}");
    assert_eq!(answer["after"], after, "{answer:#}");
    assert_eq!(
        answer["ok"],
        matches!(status, "applied" | "already_applied")
    );
    assert_eq!(answer["error"].is_null(), answer["ok"].as_bool().unwrap());
    for field in ["strategy_used", "changes_applied", "evidence"] {
        assert!(
            answer.get(field).is_some(),
            "{field} is missing: {answer:#}"
        );
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({ "section": { "edits": [{ "old_text": old, "new_text": new }] } })
}

fn patch(text: &str) -> Value {
    json!({ "strategy": "diff", "diff": { "kind": "unified", "patch": text } })
}

#[test]
fn sections() {
    check(json!("x\ny\n"), edit("x", "z"), "applied", json!("z\ny\n"));
    check(json!("x\nx\n"), edit("x", "z"), "ambiguous", Value::Null);
    check(json!("y\n"), edit("x", "z"), "not_found", Value::Null);
    check(
        json!("fn b() {}\n"),
        edit("fn a() {}", "fn b() {}"),
        "already_applied",
        json!("fn b() {}\n"),
    );
    check(json!("x\n"), edit("x", "x"), "invalid", Value::Null);
    let mut all = edit("x", "z");
    all["section"]["replace_all"] = json!(true);
    check(json!("x\nx\n"), all, "applied", json!("z\nz\n"));
}

#[test]
fn lines() {
    let operations = json!({ "strategy": "lines", "lines": { "operations": [
        { "op": "insert", "afterLine": 0, "content": ["first"] },
        { "op": "replace", "startLine": 2, "endLine": 3, "content": ["middle"] },
        { "op": "delete", "startLine": 5 },
    ] } });
    check(
        json!("1\n2\n3\n4\n5\n"),
        operations,
        "applied",
        json!("first\n1\nmiddle\n4\n"),
    );
    let overlap = json!({ "strategy": "lines", "lines": { "operations": [
        { "op": "delete", "startLine": 1, "endLine": 2 },
        { "op": "replace", "startLine": 2, "content": ["x"] },
    ] } });
    check(json!("1\n2\n3\n"), overlap, "invalid", Value::Null);
}

#[test]
fn diffs_with_numbers_right_wrong_or_absent() {
    let before = "one\ntwo\nthree\nfour\n";
    let after = json!("one\n2\nthree\nfour\n");
    for header in [
        "@@ -1,3 +1,3 @@",
        "@@ -40,3 +40,3 @@",
        "@@ -2,9 +1,1 @@",
        "@@",
    ] {
        let text = format!("--- a/a.txt\n+++ b/a.txt\n{header}\n one\n-two\n+2\n three\n");
        check(json!(before), patch(&text), "applied", after.clone());
    }
    check(
        json!(before),
        patch("@@\n one\n-zwei\n+2\n three\n"),
        "not_found",
        Value::Null,
    );
    check(json!(before), patch(""), "invalid", Value::Null);
    check(
        Value::Null,
        patch("@@ -0,0 +1,2 @@\n+one\n+two\n"),
        "applied",
        json!("one\ntwo\n"),
    );
}

#[test]
fn whole_texts_recipes_and_deletions() {
    let whole = |content: &str| json!({ "whole": { "content": content } });
    check(Value::Null, whole("new\n"), "applied", json!("new\n"));
    check(json!("old\n"), whole("new\n"), "applied", json!("new\n"));
    check(
        json!("new\n"),
        whole("new\n"),
        "already_applied",
        json!("new\n"),
    );
    check(
        json!("old\n"),
        json!({ "strategy": "delete" }),
        "applied",
        Value::Null,
    );
    check(json!("a\0b"), whole("new\n"), "refused", Value::Null);
    let headings = json!({ "file": "a.md", "recipe": { "name": "remove_headings" } });
    check(
        json!("# A\n\ntext\n\n```\n# not one\n```\n"),
        headings,
        "applied",
        json!("text\n\n```\n# not one\n```\n"),
    );
    let rename = json!({ "file": "a.rs", "recipe": { "name": "rename_identifier", "from": "a", "to": "b" } });
    check(
        json!("fn a() { a(); \"a\"; }\n"),
        rename,
        "applied",
        json!("fn b() { b(); \"a\"; }\n"),
    );
}

#[test]
fn every_line_is_answered_in_its_order() {
    let request = |id: Value, before: &str| json!({ "id": id, "path": "a.txt", "before": before, "change": edit("x", "y") });
    let input = format!(
        "{}\n\n   \nnonsense\n[]\n{}\n{{\"id\":5}}\n{}",
        request(json!("first"), "x"),
        request(json!({ "any": [1, null] }), "x x"),
        request(json!(9), "x"),
    );
    let answers = World::new(&[]).feed(&["engine"], input).done().events();
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids[0], "first");
    assert_eq!(ids[3], json!({ "any": [1, null] }));
    assert_eq!(ids[5], 9, "the last line needs no line break");
    let statuses: Vec<_> = answers
        .iter()
        .map(|answer| answer["status"].clone())
        .collect();
    assert_eq!(
        statuses,
        [
            "applied",
            "invalid",
            "invalid",
            "ambiguous",
            "invalid",
            "applied"
        ]
    );
}

/// A program that waits for an answer before it asks again is not kept waiting.
#[test]
fn an_answer_comes_before_the_next_request() {
    let world = World::new(&[]);
    let mut engine = Running::new(world.command(&["engine"]));
    for number in 0..3 {
        let request = json!({ "id": number, "path": "a", "before": "x", "change": edit("x", "y") });
        engine.say(&format!("{request}\n"));
        let answer: Value = serde_json::from_str(&engine.line()).unwrap();
        assert_eq!(answer["id"], number);
    }
    engine.end().done();
}
