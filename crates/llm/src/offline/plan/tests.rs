//! Requests and what was seen so far, and what the planner does next.

use super::*;
use crate::message::{CallId, Message, ToolChoice};

const STAGED: &str = "Your edits are staged, not applied: files on disk are unchanged.\n\
    - proposal 0190: modify a.rs (2 hunks): Rename\n- proposal 0191: modify b.rs (1 hunk): Rename\n\
    Do not call tools in your next message.";

/// A conversation that the planner is in.
struct Talk {
    prompt: Prompt,
}

impl Talk {
    fn new(request: &str) -> Self {
        let messages = vec![
            Message::System {
                text: "Instructions.".to_owned(),
            },
            Message::User {
                text: request.to_owned(),
                images: Vec::new(),
            },
        ];
        Self {
            prompt: Prompt {
                messages,
                tools: vec![],
                tool_choice: ToolChoice::Auto,
                target: None,
            },
        }
    }

    /// Lets the planner speak, and returns what it said and called.
    fn step(&mut self) -> String {
        let reply = reply(&self.prompt);
        let number = self.prompt.messages.len();
        let calls = reply
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| ToolCall {
                id: CallId(format!("{number}_{index}")),
                name: call.tool.name().to_owned(),
                arguments: call.arguments.to_string(),
            });
        let calls: Vec<ToolCall> = calls.collect();
        let mut lines = vec![reply.text.clone()];
        lines.extend(
            calls
                .iter()
                .map(|call| format!("{} {}", call.name, call.arguments)),
        );
        lines.retain(|line| !line.is_empty());
        self.prompt.messages.push(Message::Assistant {
            text: reply.text,
            calls,
            kept: vec![],
        });
        lines.join("\n")
    }

    fn answer(&mut self, content: &str) -> &mut Self {
        let Some(Message::Assistant { calls, .. }) = self.prompt.messages.last() else {
            panic!("nothing was called");
        };
        let call = calls[0].id.clone();
        self.prompt.messages.push(Message::Tool {
            call,
            content: content.to_owned(),
            failed: false,
        });
        self
    }

    fn notice(&mut self, text: &str, tool_choice: ToolChoice) -> &mut Self {
        self.prompt.messages.push(Message::System {
            text: text.to_owned(),
        });
        self.prompt.tool_choice = tool_choice;
        self
    }

    fn user(&mut self, text: &str) -> &mut Self {
        self.prompt.messages.push(Message::User {
            text: text.to_owned(),
            images: Vec::new(),
        });
        self
    }
}

#[track_caller]
fn first(request: &str, expected: &str) {
    assert_eq!(Talk::new(request).step(), expected);
}

#[test]
fn single_file_requests_are_one_call() {
    first(
        "rename foo to bar in src/a.rs",
        r#"apply_structured_edits {"description":"Rename foo to bar","changes":[{"file":"src/a.rs","operation":"modify","description":"Rename foo to bar","strategy":"recipe","recipe":{"name":"rename_identifier","from":"foo","to":"bar"}}]}"#,
    );
    first(
        r#"replace "a" with "b" in n.txt"#,
        r#"edit_section {"path":"n.txt","operation":"modify","description":"Replace \"a\" with \"b\"","edits":[{"old_text":"a","new_text":"b"}],"replace_all":true}"#,
    );
    first(
        "remove all headings from notes.md",
        r#"apply_structured_edits {"description":"Remove all headings","changes":[{"file":"notes.md","operation":"modify","description":"Remove all headings","strategy":"recipe","recipe":{"name":"remove_headings"}}]}"#,
    );
    first(
        "add import os to a.py",
        r#"apply_structured_edits {"description":"Add import \"os\"","changes":[{"file":"a.py","operation":"modify","description":"Add import \"os\"","strategy":"recipe","recipe":{"name":"ensure_import","import":"os"}}]}"#,
    );
    first(
        "delete function old in a.py",
        r#"apply_structured_edits {"description":"Delete function old","changes":[{"file":"a.py","operation":"modify","description":"Delete function old","strategy":"recipe","recipe":{"name":"delete_symbol","symbol":"old"}}]}"#,
    );
}

#[test]
fn names_are_looked_for_first() {
    first(
        "rename foo to bar",
        "Looking for `foo`.\ngrep {\"pattern\":\"\\\\bfoo\\\\b\",\"path\":\".\",\"output\":\"files\",\"max\":2000}",
    );
    first(
        "rename $foo to bar in src",
        "Looking for `$foo`.\ngrep {\"pattern\":\"\\\\$foo\\\\b\",\"path\":\"src\",\"output\":\"files\",\"max\":2000}",
    );
    first(
        "delete function old",
        "Looking for the definition of `old`.\ngrep {\"pattern\":\"\\\\b(fn|function\\\\*?|def|const|class|struct|enum|trait|interface|type|static)\\\\s+old\\\\b\",\"path\":\".\",\"output\":\"files\",\"max\":2000}",
    );
}

#[test]
fn a_rename_in_several_files() {
    let mut talk = Talk::new("rename foo to bar");
    talk.step();
    talk.answer("src/a.rs:3\nb.py:1\n2 files\n");
    insta::assert_snapshot!(talk.step(), @r#"
    `foo` is in 2 files.
    apply_structured_edits {"description":"Rename foo to bar","changes":[{"file":"src/a.rs","operation":"modify","description":"Rename foo to bar","strategy":"recipe","recipe":{"name":"rename_identifier","from":"foo","to":"bar"}},{"file":"b.py","operation":"modify","description":"Rename foo to bar","strategy":"recipe","recipe":{"name":"rename_identifier","from":"foo","to":"bar"}}]}
    "#);
    talk.answer(r#"{"results":[{"file":"src/a.rs","ok":true,"changesApplied":3},{"file":"b.py","ok":true,"changesApplied":1}]}"#)
        .notice(STAGED, ToolChoice::None);
    assert_eq!(
        talk.step(),
        "Staged 4 changes in 2 files; nothing is written until you approve."
    );
}

#[test]
fn files_that_do_not_fit_are_left_out() {
    let mut talk = Talk::new("rename foo to bar");
    talk.step();
    talk.answer("a.rs:3\nb.rs:1\nREADME.md:1\n3 files\n");
    talk.step();
    talk.answer(
        r#"{"results":[{"file":"a.rs","ok":false,"status":"not_staged","changesApplied":0},
            {"file":"b.rs","ok":false,"status":"not_found","error":"no such name"}]}"#,
    );
    insta::assert_snapshot!(talk.step(), @r#"
    Going on without the files that do not fit.
    apply_structured_edits {"description":"Rename foo to bar","changes":[{"file":"a.rs","operation":"modify","description":"Rename foo to bar","strategy":"recipe","recipe":{"name":"rename_identifier","from":"foo","to":"bar"}},{"file":"README.md","operation":"modify","description":"Rename foo to bar","strategy":"recipe","recipe":{"name":"rename_identifier","from":"foo","to":"bar"}}]}
    "#);
    talk.answer(
        r#"{"results":[{"file":"a.rs","ok":true,"status":"applied","changesApplied":3},
            {"file":"README.md","ok":true,"status":"left","changesApplied":0,
             "evidence":"README.md is left as it is: `foo` may be a word"}]}"#,
    )
    .notice(STAGED, ToolChoice::None);
    assert_eq!(
        talk.step(),
        "Staged 3 changes in 1 file; nothing is written until you approve. 1 file has it in \
         comments and strings alone: b.rs.\n\nLeft as they are, which may need a look:\n\
         - README.md: `foo` may be a word"
    );
}

#[test]
fn what_fails_is_explained() {
    let replace = r#"replace "a" with "b" in n.txt"#;
    assert_eq!(
        after_answer(
            replace,
            r#"{"results":[{"file":"n.txt","ok":false,"status":"not_found","error":"no such text"}]}"#
        ),
        "Nothing was changed: n.txt: no such text. Quote the text exactly as it is in the file, and \
         look at the file's name."
    );
    assert_eq!(
        after_answer(
            replace,
            r#"{"results":[{"file":"n.txt","ok":true,"status":"already_applied","changesApplied":0}]}"#
        ),
        "It is so already; there is nothing to change."
    );
    assert_eq!(
        after_answer(replace, "error: no such file n.txt.\nNothing"),
        "Nothing was changed: no such file n.txt. Nothing. Correct the request and send it again."
    );
    assert_eq!(
        after_answer("rename foo to bar", "no matches\n0 files\n"),
        "No file holds the name `foo`. Nothing was changed."
    );
    assert_eq!(
        after_answer(
            "rename foo to bar in nowhere/",
            "error: nowhere: no such folder"
        ),
        "Nothing was changed: nowhere: no such folder. Correct the request and send it again."
    );
    assert_eq!(
        after_answer(
            "rename foo to bar in a.rs",
            r#"{"results":[{"file":"a.rs","ok":false,"status":"not_found"}]}"#
        ),
        "Nothing was changed: a.rs: not found. Look at the spelling of the name, upper and lower \
         case included, and of the file."
    );
    assert_eq!(
        after_answer(replace, ""),
        "Nothing was changed: the tool gave no reason. Correct the request and send it again."
    );
}

fn after_answer(request: &str, answer: &str) -> String {
    let mut talk = Talk::new(request);
    talk.step();
    talk.answer(answer);
    talk.step()
}

#[test]
fn a_function_is_deleted_where_it_is_the_only_one() {
    assert!(after_search("a.py:1\n1 file\n").contains(r#""file":"a.py""#));
    assert_eq!(
        after_search("a.py:1\nb.py:2\n2 files\n"),
        "`old` is defined in 2 files: a.py, b.py. Say which: delete function old in FILE"
    );
    assert_eq!(
        after_search("no matches\n0 files\n"),
        "No definition of `old` was found; nothing was changed. If you know where it is: delete \
         function old in FILE"
    );
}

fn after_search(answer: &str) -> String {
    let mut talk = Talk::new("delete function old");
    talk.step();
    talk.answer(answer);
    talk.step()
}

#[test]
fn a_verdict_is_acknowledged_without_a_call() {
    let mut talk = Talk::new("rename foo to bar in a.rs");
    talk.step();
    talk.answer("staged").notice(STAGED, ToolChoice::None);
    assert_eq!(
        talk.step(),
        "Staged 3 changes in 2 files; nothing is written until you approve."
    );
    talk.notice(
        "The user decided on 2 hunks: 1 kept, 1 denied.\n- proposal 0190, a.rs: hunk 2 denied: keep it",
        ToolChoice::Auto,
    );
    assert_eq!(
        talk.step(),
        "Noted (2 hunks: 1 kept, 1 denied). I only do what I am asked in so many words: tell me what \
         to do next."
    );
    talk.user("remove all headings from a.md");
    assert!(talk.step().starts_with("apply_structured_edits "));
}

/// A verdict on what the user's own command changed, after which the model is to go on.
#[test]
fn a_command_of_the_user_is_no_work_of_the_planner() {
    let mut talk =
        Talk::new("!echo hi > n.txt\n(The user ran this command. It asks nothing of you.)");
    let call = CallId("user_command".to_owned());
    talk.prompt.messages.push(Message::Assistant {
        text: String::new(),
        calls: vec![ToolCall {
            id: call.clone(),
            name: "bash".to_owned(),
            arguments: r#"{"command":"echo hi > n.txt"}"#.to_owned(),
        }],
        kept: vec![],
    });
    let answer = r#"{"exitCode":0,"stdout":"","changed":["create n.txt +1 -0 (staged)"]}"#;
    talk.prompt.messages.push(Message::Tool {
        call,
        content: answer.to_owned(),
        failed: false,
    });
    talk.notice(
        "The user decided on 1 hunk: 1 kept, 0 denied.",
        ToolChoice::Auto,
    );
    assert_eq!(
        talk.step(),
        "Noted (1 hunk: 1 kept, 0 denied). I only do what I am asked in so many words: tell me what to do next."
    );
}

#[test]
fn closed_tools_are_not_called() {
    let mut talk = Talk::new("rename foo to bar");
    talk.notice("Edits wait.", ToolChoice::None);
    assert_eq!(talk.step(), answers::CLOSED);
}

#[test]
fn help_says_what_it_is() {
    insta::assert_snapshot!(Talk::new("make it faster").step(), @r#"
    I did not understand that. I am the built-in offline planner; no model is connected. I understand only:

    - rename OLD to NEW [in PATH]
    - replace "OLD" with "NEW" in FILE
    - remove all headings from FILE
    - add import WHAT to FILE
    - delete function NAME [in FILE]
    - help

    `signoff setup` picks a model and tries it. Or start Ollama, llama.cpp, LM Studio or vLLM on its usual port, or name a server with --url and --model (SIGNOFF_URL and SIGNOFF_MODEL do the same; SIGNOFF_API_KEY holds the key).
    "#);
    let why = Talk::new("rename foo").step();
    assert!(
        why.starts_with("I did not understand that: I need: rename OLD to NEW [in PATH].\n\nI am"),
        "{why}"
    );
    let silent = Prompt {
        messages: vec![],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        target: None,
    };
    assert!(
        reply(&silent)
            .text
            .starts_with("I am the built-in offline planner")
    );
}
