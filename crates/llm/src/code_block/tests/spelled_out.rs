//! Edits that answers spell out, as models write them whose servers do not parse calls.

use super::*;
use crate::code_block::spelled;
use crate::provider::text::Files;

const TOOLS: [&str; 4] = ["read", "edit_section", "write", "apply_structured_edits"];

/// One line an edit: the tool, its file, and what is put there.
fn read_edits(text: &str, tools: &[&str]) -> Vec<String> {
    let prompt = prompt(FILE);
    let edits = spelled(text, &Files::of(&prompt), tools);
    let calls = edits.calls.into_iter().map(|call| {
        let given: Value = serde_json::from_str(&call.arguments).unwrap();
        let what = [&given["edits"], &given["content"], &given["changes"]];
        let what = what.into_iter().find(|value| !value.is_null());
        let path = given["path"].as_str().unwrap_or_default();
        format!("{} {path}: {}", call.name, what.unwrap())
    });
    calls
        .chain(
            edits
                .unread
                .into_iter()
                .map(|what| format!("unread: {what}")),
        )
        .collect()
}

const PAIR: &str = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";

#[test]
fn a_pair_is_of_the_file_that_the_line_before_names() {
    let expected = r#"edit_section src/a.py: [{"old_text":"x = 1\n","new_text":"x = 2\n"}]"#;
    for answer in [
        format!("src/a.py\n{PAIR}"),
        format!("src/a.py\n```python\n{PAIR}```\n"),
        format!("I change `x`.\n\n**src/a.py**\n\n```\n{PAIR}```\nThat is all."),
        format!("```python\nsrc/a.py\n{PAIR}```"),
        format!("```python src/a.py\n{PAIR}```"),
        format!("### `src/a.py`:\n{PAIR}"),
        format!("In src/a.py I set it to two:\n```python\n{PAIR}"),
        "src/a.py\n------- SEARCH\nx = 1\n=======\nx = 2\n+++++++ REPLACE\n".to_owned(),
    ] {
        assert_eq!(read_edits(&answer, &TOOLS), [expected], "{answer}");
    }
}

#[test]
fn pairs_of_one_file_are_one_edit() {
    let second = PAIR.replace('x', "y");
    let answer = format!("src/a.py\n{PAIR}\n{second}\nNow `b.py`:\n{PAIR}");
    assert_eq!(
        read_edits(&answer, &TOOLS),
        [
            r#"edit_section src/a.py: [{"old_text":"x = 1\n","new_text":"x = 2\n"},{"old_text":"y = 1\n","new_text":"y = 2\n"}]"#,
            r#"edit_section b.py: [{"old_text":"x = 1\n","new_text":"x = 2\n"}]"#,
        ]
    );
}

#[test]
fn a_pair_without_old_text_makes_a_file() {
    let answer = "src/new.py\n```\n<<<<<<< SEARCH\n=======\nx = 2\n>>>>>>> REPLACE\n```\n";
    assert_eq!(
        read_edits(answer, &TOOLS),
        [r#"write src/new.py: "x = 2\n""#]
    );
}

#[test]
fn patches_name_their_files_or_the_line_before_does() {
    let hunk = "@@ -1 +1 @@\n-x = 1\n+x = 2\n";
    let headed = format!("--- a/src/a.py\n+++ b/src/a.py\n{hunk}");
    let envelope =
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n";
    for (answer, patch, file) in [
        (
            format!("Here:\n```diff\n{headed}```\n"),
            headed.as_str(),
            None,
        ),
        (format!("```\n{headed}```"), headed.as_str(), None),
        (
            format!("src/a.py\n```diff\n{hunk}```\n"),
            hunk,
            Some("src/a.py"),
        ),
        (
            format!("```diff src/a.py\n{hunk}```\n"),
            hunk,
            Some("src/a.py"),
        ),
        (format!("Done:\n{envelope}Bye."), envelope, None),
        // Without a fence.
        (headed.clone(), headed.as_str(), None),
        (
            format!("Here:\n\n{headed}\nThat is all."),
            headed.as_str(),
            None,
        ),
        (
            format!("diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n{headed}"),
            &format!("diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n{headed}"),
            None,
        ),
        (format!("```\n{envelope}```\n"), envelope, None),
    ] {
        let found = read_edits(&answer, &TOOLS);
        let mut change = json!({ "strategy": "diff", "description": "Apply the patch of the reply", "diff": { "patch": patch } });
        if let Some(file) = file {
            change["file"] = file.into();
        }
        assert_eq!(
            found,
            [format!("apply_structured_edits : {}", json!([change]))],
            "{answer}"
        );
    }
}

#[test]
fn a_file_that_a_line_names_alone_is_another_text_of_it() {
    let new = FILE.replace("open(path).read()", "Path(path).read_text()");
    let answer = format!("`src/io.py`:\n```python\n{new}```\n");
    let expected = format!("write src/io.py: {}", json!(new));
    assert_eq!(read_edits(&answer, &TOOLS), [expected]);
    // What was read is quoted, and a file that a sentence names is not spelled out.
    for quiet in [
        "`src/io.py`:\n```python\nreturn open(path).read()\n```\n".to_owned(),
        format!("In `src/io.py` you could write:\n```python\n{new}```\n"),
        format!("```rust\n{new}```\n"),
        format!("```python\n{FILE}```\n"),
        "Run `cargo test src/io.py`:\n```sh\ncargo test\n```\n".to_owned(),
        "--- a rule\n+ and a list\n- of two\n".to_owned(),
    ] {
        assert_eq!(read_edits(&quiet, &TOOLS), [""; 0], "{quiet}");
    }
}

#[test]
fn what_is_not_clear_is_named_and_not_guessed() {
    let new = FILE.replace("open(path).read()", "Path(path).read_text()");
    for (answer, expected) in [
        (
            format!("Here it is:\n```python\n{new}```\n"),
            "unread: the text of src/io.py, without its name",
        ),
        (
            format!("```\n{new}```\n"),
            "unread: the text of src/io.py, without its name",
        ),
        (
            PAIR.to_owned(),
            "unread: a SEARCH/REPLACE block without the path of its file",
        ),
        (
            "src/a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n".to_owned(),
            "unread: a SEARCH/REPLACE block without its end",
        ),
        (
            "Use this:\n```diff\n-x = 1\n+x = 2\n```\n".to_owned(),
            "unread: a diff without the path of its file",
        ),
        (
            "`src/new.py`:\n```python\nx = 1\n```\n".to_owned(),
            "unread: the text of src/new.py",
        ),
    ] {
        assert_eq!(read_edits(&answer, &TOOLS), [expected], "{answer}");
    }
    assert_eq!(
        read_edits(
            "```diff\n--- a/b.py\n+++ b/b.py\n@@\n-x\n+y\n```",
            &["write"]
        ),
        ["unread: a patch"]
    );
    assert_eq!(
        read_edits("`src/new.py`:\n```python\nx = 1\n```\n", &["read"]),
        [""; 0]
    );
}
