//! Answers as small models write them, and the calls that they are.

use futures_util::{StreamExt, stream};
use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use super::*;
use crate::instructions::Profile;
use crate::message::{CallId, Message, Prompt, ToolCall, ToolChoice};
use crate::provider::text::{Lenience, by_example, in_words, read};
use crate::provider::{Delta, ProviderError, StopReason, Usage};
use crate::tool::Registry;

mod by_example;
mod families;
mod spelled_out;
mod whole_answers;

const FILE: &str = "import os\n\n\ndef load(path):\n    return open(path).read()\n\n\ndef save(path, text):\n    open(path, 'w').write(text)\n";

fn listing(text: &str) -> String {
    text.lines()
        .enumerate()
        .map(|(at, line)| format!("{:>5}\t{line}\n", at + 1))
        .collect()
}

/// A conversation in which one file was read.
fn prompt(file: &str) -> Prompt {
    let call = ToolCall {
        id: CallId("r".to_owned()),
        name: "read".to_owned(),
        arguments: r#"{"path":"src/io.py"}"#.to_owned(),
    };
    Prompt {
        messages: vec![
            Message::System {
                text: "Be brief.".to_owned(),
            },
            Message::User {
                text: "In `io.py`, close files. Put notes into NOTES.md.".to_owned(),
                images: Vec::new(),
            },
            Message::Assistant {
                text: String::new(),
                calls: vec![call],
                kept: vec![],
            },
            Message::Tool {
                call: CallId("r".to_owned()),
                content: listing(file),
                failed: false,
            },
        ],
        tools: Registry::standard().specs(),
        tool_choice: ToolChoice::Auto,
        target: None,
    }
}

/// One line a delta.
fn told(out: Vec<Result<Delta, ProviderError>>) -> String {
    let lines = out.into_iter().map(|item| match item {
        Ok(Delta::Text { text }) => format!("text {text:?}"),
        Ok(Delta::CallStarted { index, id, name }) => format!("call {index} {id} {name}"),
        Ok(Delta::CallArguments { index, fragment }) => format!("args {index} {fragment}"),
        Ok(Delta::Stop { reason }) => format!("stop {reason:?}"),
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("error: {error}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What an answer is, one line a delta; the same however it is cut.
async fn ask(prompt: &Prompt, answer: &str, lenience: Lenience) -> String {
    let mut seen: Option<String> = None;
    for size in [1, 5, 10_000] {
        let pieces: Vec<char> = answer.chars().collect();
        let text = pieces.chunks(size).map(|piece| {
            Ok(Delta::Text {
                text: piece.iter().collect(),
            })
        });
        let stop = Ok(Delta::Stop {
            reason: StopReason::Stop,
        });
        let deltas: Vec<_> = text.chain([stop]).collect();
        let out: Vec<_> = read(Box::pin(stream::iter(deltas)), prompt, lenience, Some(edit))
            .collect()
            .await;
        let mut joined: Vec<Result<Delta, ProviderError>> = Vec::new();
        for item in out {
            match (joined.last_mut(), item) {
                (Some(Ok(Delta::Text { text })), Ok(Delta::Text { text: more })) => *text += &more,
                (_, item) => joined.push(item),
            }
        }
        let now = told(joined);
        assert_eq!(seen.get_or_insert_with(|| now.clone()), &now);
    }
    seen.unwrap()
}

async fn lenient(answer: &str) -> String {
    ask(&prompt(FILE), answer, Lenience::Lenient).await
}

/// The arguments of the only call.
async fn arguments(file: &str, answer: &str) -> Value {
    let told = ask(&prompt(file), answer, Lenience::Lenient).await;
    let line = told.lines().find_map(|line| line.strip_prefix("args 0 "));
    serde_json::from_str(line.unwrap_or_else(|| panic!("{told}"))).unwrap()
}

#[tokio::test]
async fn calls_in_all_shapes() {
    let expected = "call 0 call_0_4 read\nargs 0 {\"path\":\"a.py\"}\nstop ToolCalls";
    for answer in [
        "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```",
        "```\n{\"tool\": \"read\", \"args\": {\"path\": \"a.py\"}}\n```",
        "```tool_call\n{\"function\": {\"name\": \"read\", \"arguments\": \"{\\\"path\\\":\\\"a.py\\\"}\"}}",
        "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n</tool_call>",
        "{\"name\": \"read\", \"parameters\": {\"path\": \"a.py\"}}",
        "```json\n{\"read\": {\"path\": \"a.py\"}}\n```",
        "```json\n{\"name\": \"read\", \"path\": \"a.py\"}\n```",
        "```json\n[{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}]\n```",
    ] {
        assert_eq!(lenient(answer).await, expected, "{answer}");
        let strict = ask(&prompt(FILE), answer, Lenience::Strict).await;
        assert_eq!(strict, expected, "{answer}");
    }
}

#[tokio::test]
async fn several_objects_in_one_fence() {
    let answer = "I look.\n```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n{\"name\": \"list_dir\", \"arguments\": {}},\n{\"name\": \"read\", \"arguments\": {\"path\": \"b\"}}\n```\nDone.";
    assert_snapshot!(lenient(answer).await, @r#"
    text "I look.\n"
    call 0 call_0_4 read
    args 0 {"path":"a"}
    call 1 call_1_4 list_dir
    args 1 {}
    call 2 call_2_4 read
    args 2 {"path":"b"}
    text "Done."
    stop ToolCalls
    "#);
}

#[tokio::test]
async fn line_breaks_in_strings_are_mended() {
    let answer = "```json\n{\"name\": \"edit_section\", \"arguments\": {\"path\": \"src/io.py\", \"description\": \"x\", \"edits\": [{\"old_text\": \"import os\n\", \"new_text\": \"import sys\n\"}]}}\n```";
    let given = arguments(FILE, answer).await;
    assert_eq!(given["edits"][0]["new_text"], "import sys\n");
}

#[tokio::test]
async fn what_is_no_call_is_text() {
    for answer in [
        "Use `read`.\n```json\n{\"name\": \"unknown_tool\", \"arguments\": {}}\n```\n",
        "```json\n{\"port\": 80}\n```\n",
        "```json\n{\"name\": \"read\", \"arguments\": {\"path\"\n```\n",
        "{ not json }\n",
        "```sh\nls\n```\n",
    ] {
        assert_eq!(lenient(answer).await, format!("text {answer:?}\nstop Stop"));
    }
}

#[tokio::test]
async fn where_no_call_may_be_made_all_is_text() {
    let closing = Prompt {
        tool_choice: ToolChoice::None,
        ..prompt(FILE)
    };
    let answer = "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```";
    let told = ask(&closing, answer, Lenience::Lenient).await;
    assert_eq!(told, format!("text {answer:?}\nstop Stop"));
}

#[tokio::test]
async fn edits_only_of_files_that_were_named() {
    let write = |path: &str| {
        format!(
            "```json\n{{\"name\": \"write\", \"arguments\": {{\"path\": \"{path}\", \"description\": \"d\", \"content\": \"c\"}}}}\n```\n"
        )
    };
    for (path, taken) in [
        ("src/io.py", true),
        ("./src/io.py", true),
        ("NOTES.md", true),
        ("src/other.py", false),
        ("../../etc/passwd", false),
    ] {
        let told = lenient(&write(path)).await;
        assert_eq!(told.contains("stop ToolCalls"), taken, "{told}");
        assert_eq!(told.contains("not staged: "), !taken, "{told}");
    }
}

#[tokio::test]
async fn a_fence_that_is_a_whole_file() {
    let new = FILE.replace(
        "return open(path).read()",
        "with open(path) as f:\n        return f.read()",
    );
    for answer in [
        format!("Here it is:\n```python\n{new}```\n"),
        format!("**src/io.py**\n\n```python\n{new}```\nDone."),
        format!("```python src/io.py\n{new}```"),
        format!("```python:src/io.py\n{new}```"),
    ] {
        let given = arguments(FILE, &answer).await;
        assert_eq!(
            given,
            json!({ "path": "src/io.py", "operation": "rewrite",
                "description": "Rewrite src/io.py as in the reply", "content": new }),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_fence_that_is_one_function() {
    let answer =
        "```python\ndef load(path):\n    with open(path) as f:\n        return f.read()\n```";
    let given = arguments(FILE, answer).await;
    let change = &given["changes"][0];
    assert_eq!(
        (&change["file"], &change["recipe"]["symbol"]),
        (&json!("src/io.py"), &json!("load"))
    );
    assert!(
        change["recipe"]["code"]
            .as_str()
            .unwrap()
            .starts_with("def load")
    );
}

#[tokio::test]
async fn one_function_of_a_file_that_only_the_request_names() {
    let mut prompt = prompt(FILE);
    prompt.messages.truncate(1);
    let text = "Close the file in `load` of src/io.py".to_owned();
    prompt.messages.push(Message::User {
        text,
        images: Vec::new(),
    });
    let function = "def load(path):\n    with open(path) as f:\n        return f.read()\n";
    for (answer, taken) in [
        (format!("```python\n{function}```"), true),
        (format!("io.py:\n```python\n{function}```"), true),
        // Another file, a whole one, more than the function.
        (format!("other.py:\n```python\n{function}```"), false),
        (format!("```python\n{FILE}```"), false),
        (format!("```python\nimport os\n{function}```"), false),
    ] {
        let told = ask(&prompt, &answer, Lenience::Lenient).await;
        let change = r#""file":"src/io.py""#;
        assert_eq!(told.contains(change), taken, "{answer}: {told}");
    }
}

#[tokio::test]
async fn fences_that_are_neither_stay_text() {
    for answer in [
        // Another file, a piece of one, the file as it is, nothing.
        "other.py\n```python\nimport os\n\ndef load(path):\n    pass\n\ndef save(a, b):\n    pass\n```\n",
        "```python\nreturn f.read()\n```\n",
        "```python\ndef unknown():\n    pass\n```\n",
        &format!("```python\n{FILE}```\n"),
        "```python\n```\n",
    ] {
        assert_eq!(lenient(answer).await, format!("text {answer:?}\nstop Stop"));
        let strict = ask(&prompt(FILE), answer, Lenience::Strict).await;
        assert_eq!(strict, format!("text {answer:?}\nstop Stop"));
    }
}

#[tokio::test]
async fn code_that_a_reply_drops_far_from_the_change_is_put_back() {
    let many: String = (0..60).map(|n| format!("value_{n} = {n}\n")).collect();
    let new = many.replace("value_5 = 5\n", "value_5 = 6\n");
    let new = new.replace("value_40 = 40\nvalue_41 = 41\n", "");
    let given = arguments(&many, &format!("```python\n{new}```\n")).await;
    assert_eq!(
        given["description"],
        "Rewrite src/io.py as in the reply; 2 lines far from the change kept as they were"
    );
    assert_eq!(
        given["content"],
        many.replace("value_5 = 5\n", "value_5 = 6\n")
    );
    let near = many.replace("value_5 = 5\nvalue_6 = 6\n", "value_5 = 6\n");
    let given = arguments(&many, &format!("```python\n{near}```\n")).await;
    assert_eq!(given["description"], "Rewrite src/io.py as in the reply");
}

#[tokio::test]
async fn what_broke_off_is_kept_as_text_and_not_run() {
    let half = "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n";
    let cut = ProviderError::Cut {
        detail: "gone".to_owned(),
    };
    for end in [
        Err(cut),
        Ok(Delta::Stop {
            reason: StopReason::Length,
        }),
    ] {
        let deltas = vec![
            Ok(Delta::Text {
                text: half.to_owned(),
            }),
            end,
        ];
        let out = read(
            Box::pin(stream::iter(deltas)),
            &prompt(FILE),
            Lenience::Lenient,
            Some(edit),
        );
        let out = told(out.collect().await);
        assert!(
            out.starts_with(&format!("text {half:?}\n")) && !out.contains("call"),
            "{out}"
        );
    }
}

#[tokio::test]
async fn usage_comes_after_the_text_and_before_the_stop() {
    let deltas = vec![
        Ok(Delta::Text {
            text: "```\nx\n".to_owned(),
        }),
        Ok(Delta::Usage(Usage {
            input: 1,
            cached: 0,
            stored: 0,
            output: 2,
        })),
        Ok(Delta::Stop {
            reason: StopReason::Stop,
        }),
    ];
    let out = read(
        Box::pin(stream::iter(deltas)),
        &prompt(FILE),
        Lenience::Lenient,
        Some(edit),
    );
    let out = told(out.collect().await);
    assert_eq!(
        out,
        "text \"```\\nx\\n\"\nUsage(Usage { input: 1, cached: 0, stored: 0, output: 2 })\nstop Stop"
    );
}

#[tokio::test]
async fn a_real_call_makes_the_text_text() {
    let call = "```json\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```\n";
    let deltas = vec![
        Ok(Delta::CallStarted {
            index: 0,
            id: CallId("n".to_owned()),
            name: "read".to_owned(),
        }),
        Ok(Delta::Text {
            text: call.to_owned(),
        }),
        Ok(Delta::Stop {
            reason: StopReason::ToolCalls,
        }),
    ];
    let out = read(
        Box::pin(stream::iter(deltas)),
        &prompt(FILE),
        Lenience::Lenient,
        Some(edit),
    );
    let out = told(out.collect().await);
    assert_eq!(out, format!("call 0 n read\ntext {call:?}\nstop ToolCalls"));
}

#[test]
fn a_prompt_in_words() {
    let words = in_words(&prompt(FILE));
    assert_json_snapshot!(words.messages);
    let size: usize = words
        .messages
        .iter()
        .map(|message| format!("{message:?}").len())
        .sum();
    assert!(words.tools.is_empty() && size < 5000, "{size}");
}
