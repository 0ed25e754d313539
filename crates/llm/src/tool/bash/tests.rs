//! Commands, what comes of them, and how what they did is taken back.

use serde_json::Value;
use signoff_core::stage::review::{RevertTarget, RevertTo};

use serde_json::json;

use super::*;
use crate::tool::lock;
use crate::tool::testing::Folder;

fn bash(folder: &Folder, command: &str) -> (Value, ToolOutput) {
    let output = folder.call("bash", json!({ "command": command }));
    let answer = serde_json::from_str(&output.content).unwrap_or(Value::Null);
    (answer, output)
}

#[test]
fn streams_and_code_are_returned_apart() {
    let folder = Folder::new(&[("a", "x\n")]);
    let (answer, output) = bash(&folder, "cat a; echo oh >&2; exit 3");
    assert_eq!(
        answer,
        json!({ "exitCode": 3, "stdout": "x\n", "stderr": "oh\n" })
    );
    assert!(
        !output.ok && output.summary.starts_with("exit 3 in "),
        "{}",
        output.summary
    );
}

#[test]
fn what_is_too_long_is_cut_in_its_middle_with_a_mark() {
    let folder = Folder::new(&[]);
    let command = "head -c 3000000 /dev/zero | tr '\\0' x";
    let most = json!({ "command": command, "max_bytes": 5_000_000 });
    let answer: Value = serde_json::from_str(&folder.call("bash", most).content).expect("JSON");
    let stdout = answer.get("stdout").and_then(Value::as_str).expect("text");
    let mark = "\n... (2000000 bytes left out)\n";
    assert_eq!(stdout.len(), MOST_BYTES + mark.len());
    assert!(stdout.contains(mark));
    let (answer, _) = bash(&folder, "seq 1 2000000; echo END-OF-IT");
    let stdout = answer.get("stdout").and_then(Value::as_str).expect("text");
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("\n2000000\nEND-OF-IT\n"));
}

#[test]
fn bad_commands_have_a_clear_answer() {
    let folder = Folder::new(&[]);
    for (arguments, why) in [
        (json!({ "command": " " }), "the command is empty"),
        (json!({ "command": "a\u{0}b" }), "zero byte"),
        (json!({}), "missing field `command`"),
        (
            json!({ "command": "true", "timeout": "soon" }),
            "is not a count",
        ),
    ] {
        let output = folder.call("bash", arguments);
        assert!(
            !output.ok && output.content.contains(why),
            "{}",
            output.content
        );
    }
}

#[test]
fn keys_are_out_of_reach() {
    let folder = Folder::new(&[]);
    let (answer, _) = bash(&folder, "echo \"[${HOME-unset}]\"");
    assert_eq!(answer.get("stdout"), Some(&json!("[unset]\n")));
}

#[test]
fn a_changed_file_is_noticed_and_taken_back() {
    let folder = Folder::new(&[("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    let command = "sed -i s/two/2/ a.txt; rm b.txt; mkdir d; echo new > d/e.txt";
    let (answer, output) = bash(&folder, command);
    let changed = json!(["a.txt +1 -1", "b.txt +0 -1", "d/e.txt +1 -0"]);
    assert_eq!(answer.get("changed"), Some(&changed));
    let versions: Vec<_> = output
        .deeds
        .changed
        .iter()
        .map(|file| file.version)
        .collect();
    assert_eq!(versions, [Some(1); 3]);
    for (path, before) in [
        ("a.txt", Some("one\ntwo\n")),
        ("b.txt", Some("b\n")),
        ("d/e.txt", None),
    ] {
        let undone = lock(&folder.engine)
            .take_back(&RevertTarget::file(path, RevertTo::Last))
            .expect("it can be");
        assert!(undone.written, "{undone:?}");
        assert_eq!(folder.disk(path).as_deref(), before, "{path}");
    }
}

#[test]
fn staged_edits_are_not_seen_by_it_and_that_is_said() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let edit = json!({ "path": "a.txt", "description": "d", "content": "two\n" });
    assert!(folder.call("write", edit).ok);
    let (answer, _) = bash(&folder, "cat a.txt");
    assert_eq!(answer.get("stdout"), Some(&json!("one\n")));
    assert_eq!(
        answer.get("note"),
        Some(&json!("it ran without the edits staged in a.txt"))
    );
}

#[test]
fn what_it_leaves_behind_is_ended_and_counted() {
    let (answer, _) = bash(&Folder::new(&[]), "sleep 1000 & echo on");
    assert_eq!(answer.get("stdout"), Some(&json!("on\n")));
    let note = "1 process in the background was ended with it";
    assert_eq!(answer.get("note"), Some(&json!(note)));
}

#[test]
fn the_last_lines_are_shown_while_it_runs() {
    let mut tail = Tail::default();
    assert_eq!(tail.push(b"a\nb").tail, "a\nb");
    let printed = tail.push(&[b'x'; TAIL]);
    assert_eq!((printed.tail.len(), printed.lines), (TAIL, 1));
}
