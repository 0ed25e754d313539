//! Edits of honest servers and of others.

use serde_json::json;

use super::*;

struct Files(Vec<(&'static str, &'static str)>);

impl Sent for Files {
    fn sent(&self, path: &str) -> Option<(i64, &str)> {
        let own = self.0.iter().find(|(own, _)| *own == path);
        own.map(|(_, text)| (3, *text))
    }
}

fn apply(edit: &Value) -> Result<BTreeMap<String, FileOperation>, String> {
    let files = Files(vec![("a.rs", "fn old() {}\n"), ("b.rs", "old(); old();\n")]);
    applied(Path::new("/w"), Encoding::Utf16, edit, &files).map_err(|error| error.to_string())
}

fn at(start: u32, end: u32, text: &str) -> Value {
    json!({
        "range": {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}},
        "newText": text,
    })
}

fn written(before: &str, text: &str) -> FileOperation {
    FileOperation::Write(EditedFile {
        text: text.to_owned(),
        before: Some(before.to_owned()),
    })
}

#[test]
fn edits_of_several_files_are_applied_to_the_texts_that_were_sent() {
    let changes = json!({"changes": {
        "file:///w/a.rs": [at(3, 6, "new")],
        "file:///w/b.rs": [at(7, 10, "new"), at(0, 3, "new")],
    }});
    let expected = BTreeMap::from([
        ("a.rs".to_owned(), written("fn old() {}\n", "fn new() {}\n")),
        (
            "b.rs".to_owned(),
            written("old(); old();\n", "new(); new();\n"),
        ),
    ]);
    assert_eq!(apply(&changes), Ok(expected.clone()));
    let versioned = json!({"changes": {}, "documentChanges": [
        {"textDocument": {"uri": "file:///w/a.rs", "version": 3}, "edits": [at(3, 6, "new")]},
        {"textDocument": {"uri": "file:///w/b.rs", "version": null}, "edits": [at(0, 3, "new"), at(7, 10, "new")]},
    ]});
    assert_eq!(apply(&versioned), Ok(expected));
}

#[test]
fn insertions_at_one_place_keep_their_order_and_what_changes_nothing_is_left_out() {
    let edit = json!({"changes": {
        "file:///w/a.rs": [at(0, 0, "1"), at(0, 0, "2")],
        "file:///w/b.rs": [at(0, 3, "old")],
    }});
    let expected = BTreeMap::from([(
        "a.rs".to_owned(),
        written("fn old() {}\n", "12fn old() {}\n"),
    )]);
    assert_eq!(apply(&edit), Ok(expected));
}

#[test]
fn files_are_made_moved_and_removed() {
    let edit = json!({"documentChanges": [
        {"kind": "create", "uri": "file:///w/n.rs"},
        {"textDocument": {"uri": "file:///w/n.rs", "version": null}, "edits": [at(0, 0, "x")]},
        {"kind": "rename", "oldUri": "file:///w/a.rs", "newUri": "file:///w/c.rs"},
        {"textDocument": {"uri": "file:///w/c.rs", "version": null}, "edits": [at(3, 6, "new")]},
        {"kind": "delete", "uri": "file:///w/b.rs"},
    ]});
    let moved = FileOperation::Move {
        to: "c.rs".to_owned(),
        edited: Some(EditedFile {
            text: "fn new() {}\n".to_owned(),
            before: Some("fn old() {}\n".to_owned()),
        }),
    };
    let new = FileOperation::Write(EditedFile {
        text: "x".to_owned(),
        before: None,
    });
    let expected = BTreeMap::from([
        ("a.rs".to_owned(), moved),
        ("b.rs".to_owned(), FileOperation::Delete),
        ("n.rs".to_owned(), new),
    ]);
    assert_eq!(apply(&edit), Ok(expected));
    let touched = touched(Path::new("/w"), &edit).unwrap();
    assert_eq!(touched, BTreeSet::from(["a.rs".to_owned()]));
}

#[test]
fn what_lies_is_refused() {
    for (edit, why) in [
        (
            json!({"changes": {"file:///etc/passwd": []}}),
            "not in the workspace",
        ),
        (
            json!({"changes": {"file:///w/../x": []}}),
            "not in the workspace",
        ),
        (
            json!({"changes": {"file:///w/other.rs": []}}),
            "which it was not sent",
        ),
        (
            json!({"changes": {"file:///w/a.rs": [at(0, 4, ""), at(2, 6, "")]}}),
            "overlap",
        ),
        (
            json!({"changes": {"file:///w/a.rs": [at(6, 3, "")]}}),
            "ends before it starts",
        ),
        (
            json!({"changes": {"file:///w/a.rs": [{"newText": "", "range": {
                "start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 0}}}]}}),
            "outside of the text",
        ),
        (
            json!({"changes": {"file:///w/a.rs": [{"range": 1}]}}),
            "shape",
        ),
        (json!({"changes": {"file:///w/a.rs": 7}}), "shape"),
        (
            json!({"documentChanges": [{"textDocument": {"uri": "file:///w/a.rs", "version": 2}, "edits": []}]}),
            "another version",
        ),
        (
            json!({"documentChanges": [{"kind": "chmod"}]}),
            "unknown kind",
        ),
        (
            json!({"documentChanges": [{"kind": "rename", "oldUri": "file:///w/a.rs", "newUri": "file:///x"}]}),
            "not in the workspace",
        ),
    ] {
        let error = apply(&edit).unwrap_err();
        assert!(error.contains(why), "{edit}: {error}");
    }
    for nothing in [json!(null), json!({}), json!([]), json!({"changes": 1})] {
        assert_eq!(apply(&nothing), Ok(BTreeMap::new()), "{nothing}");
    }
}
