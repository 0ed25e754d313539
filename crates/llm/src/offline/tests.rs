//! The planner as a provider: prompts in, whole answers out.

use signoff_core::edit::diff::line::LineKind;

use super::*;
use crate::message::{Message, ToolCall, ToolChoice};
use crate::tool::testing::Folder;

async fn stream(request: &str) -> Vec<Delta> {
    let prompt = Prompt {
        messages: vec![Message::User {
            text: request.to_owned(),
            images: Vec::new(),
        }],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        target: None,
    };
    Offline.stream(prompt).map(Result::unwrap).collect().await
}

#[tokio::test]
async fn calls_stream_in_pieces() {
    let deltas = stream("rename größe to size in a.rs").await;
    assert_eq!(
        deltas[0],
        Delta::CallStarted {
            index: 0,
            id: CallId("offline_1_0".to_owned()),
            name: "apply_structured_edits".to_owned(),
        }
    );
    let fragments: Vec<&str> = deltas
        .iter()
        .filter_map(|delta| match delta {
            Delta::CallArguments { index: 0, fragment } => Some(fragment.as_str()),
            _ => None,
        })
        .collect();
    assert!(fragments.len() > 5);
    let arguments: serde_json::Value = serde_json::from_str(&fragments.concat()).unwrap();
    assert_eq!(arguments["changes"][0]["recipe"]["from"], "größe");
    assert_eq!(
        deltas.last(),
        Some(&Delta::Stop {
            reason: StopReason::ToolCalls
        })
    );
}

#[tokio::test]
async fn words_stream_in_pieces() {
    let deltas = stream("help").await;
    assert!(deltas.len() > 10);
    assert_eq!(
        deltas.last(),
        Some(&Delta::Stop {
            reason: StopReason::Stop
        })
    );
}

#[test]
fn it_says_that_no_model_is_connected() {
    let about = Offline.about();
    assert_eq!(
        (about.provider.as_str(), about.model.as_str()),
        ("offline", "built-in planner")
    );
    assert_eq!(about.endpoint, "");
}

/// A small project in several languages.
fn project() -> Folder {
    Folder::new(&[
        (
            "src/a.rs",
            "use std::fmt;\n\nfn foo() {}\n\nfn main() {\n    foo();\n}\n",
        ),
        ("src/only_said.rs", "// foo is elsewhere\nfn other() {}\n"),
        (
            "b.py",
            "import os\n\ndef foo():\n    return 1\n\ndef bar_only():\n    return foo()\n",
        ),
        (
            "app.tsx",
            "import { Card } from \"./ui\";\n\nexport const App = () => <Card />;\n",
        ),
        ("notes.md", "# Title\n\nText.\n\n## More\n\nEnd.\n"),
    ])
}

/// Lets the planner and the real tools talk until nothing is called; returns what was staged,
/// each file with its lines, and the planner's last words.
fn carry_out(folder: &Folder, request: &str) -> String {
    carry_out_with(folder, request, ToolChoice::None)
}

/// The same, where tools are open or not once something is staged.
fn carry_out_with(folder: &Folder, request: &str, after_edits: ToolChoice) -> String {
    let user = Message::User {
        text: request.to_owned(),
        images: Vec::new(),
    };
    let mut prompt = Prompt {
        messages: vec![user],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        target: None,
    };
    let mut lines = Vec::new();
    for round in 0..5 {
        let reply = reply(&prompt);
        let Some(call) = reply.calls.first() else {
            lines.push(reply.text);
            return lines.join("\n");
        };
        let output = folder.call(call.tool.name(), call.arguments.clone());
        let call = ToolCall {
            id: CallId(round.to_string()),
            name: call.tool.name().to_owned(),
            arguments: call.arguments.to_string(),
        };
        let answer = Message::Tool {
            call: call.id.clone(),
            content: output.content,
            failed: false,
        };
        let said = Message::Assistant {
            text: reply.text,
            calls: vec![call],
            kept: vec![],
        };
        prompt.messages.extend([said, answer]);
        if !output.staged.is_empty() {
            prompt.tool_choice = after_edits;
        }
        lines.extend(output.staged.iter().map(|view| {
            let lines = view.hunks.iter().flat_map(|hunk| &hunk.lines);
            let changed = lines.filter_map(|line| match line.kind {
                LineKind::Context => None,
                LineKind::Removed => Some(format!(" -{}", line.text.trim())),
                LineKind::Added => Some(format!(" +{}", line.text.trim())),
            });
            format!("{}:{}", view.path, changed.collect::<String>())
        }));
    }
    panic!("{request} never ends");
}

#[test]
fn requests_are_staged_through_the_real_tools() {
    for (request, expected) in [
        (
            "rename foo to baz",
            "b.py: -def foo(): +def baz(): -return foo() +return baz()\n\
             src/a.rs: -fn foo() {} +fn baz() {} -foo(); +baz();\n\
             Staged 4 changes in 2 files; nothing is written until you approve. 1 file has it in \
             comments and strings alone: src/only_said.rs.",
        ),
        (
            "rename foo to baz in src/a.rs",
            "src/a.rs: -fn foo() {} +fn baz() {} -foo(); +baz();\n\
             Staged 2 changes in 1 file; nothing is written until you approve.",
        ),
        (
            r#"replace "return" with "yield" in b.py"#,
            "b.py: -return 1 +yield 1 -return foo() +yield foo()\n\
             Staged 2 changes in 1 file; nothing is written until you approve.",
        ),
        (
            "add import use std::fs; to src/a.rs",
            "src/a.rs: +use std::fs;\n\
             Staged 1 change in 1 file; nothing is written until you approve.",
        ),
        (
            "add import sys to b.py",
            "b.py: +import sys\nStaged 1 change in 1 file; nothing is written until you approve.",
        ),
        (
            r#"add import { Button } from "./ui" to app.tsx"#,
            "app.tsx: -import { Card } from \"./ui\"; +import { Card, Button } from \"./ui\";\n\
             Staged 1 change in 1 file; nothing is written until you approve.",
        ),
        (
            "delete function bar_only",
            "b.py: - -def bar_only(): -return foo()\n\
             Staged 1 change in 1 file; nothing is written until you approve.",
        ),
    ] {
        let folder = project();
        assert_eq!(carry_out(&folder, request), expected, "{request}");
        let in_turn = carry_out_with(&project(), request, ToolChoice::Auto);
        assert_eq!(in_turn, expected, "{request}, tools open");
        assert!(folder.disk("src/a.rs").unwrap().contains("fn foo"));
    }
}

#[test]
fn headings_are_removed_through_the_real_tools() {
    let text = carry_out(&project(), "remove all headings from notes.md");
    assert!(
        text.contains("-# Title") && text.contains("-## More"),
        "{text}"
    );
    assert!(
        text.ends_with("in 1 file; nothing is written until you approve."),
        "{text}"
    );
}

#[test]
fn requests_that_cannot_be_met_are_explained() {
    for (request, expected) in [
        ("rename nothing to baz", "No file holds the name `nothing`."),
        ("rename foo to baz in gone.rs", "Nothing was changed: "),
        (
            "rename nothing to baz in b.py",
            "Nothing was changed: b.py has no identifier `nothing`",
        ),
        (
            "replace 'gone' with 'x' in b.py",
            "Nothing was changed: b.py: ",
        ),
        ("replace 'a' with 'x' in ../b.py", "Nothing was changed: "),
        ("remove all headings from b.py", "Nothing was changed: "),
        (
            "add import os to b.py",
            "It is so already; there is nothing to change.",
        ),
        ("add import { Button to app.tsx", "Nothing was changed: "),
        (
            "delete function foo",
            "`foo` is defined in 2 files: b.py, src/a.rs. Say which",
        ),
        ("delete function gone", "No definition of `gone` was found"),
        ("rename foo to baz in nowhere/", "Nothing was changed: "),
    ] {
        let text = carry_out(&project(), request);
        assert!(text.starts_with(expected), "{request}: {text}");
    }
}

#[tokio::test]
async fn a_rename_asks_the_language_server_where_one_is_and_goes_on_without() {
    let spec = |name| crate::tool::ToolSpec {
        name,
        description: "",
        parameters: serde_json::json!({}),
        reach: crate::tool::Reach::Stage,
    };
    let definition = answered("find_symbol", "src/a.rs\n  3: function: fn load() {\n");
    let several = answered("find_symbol", "a.rs\n  3: function: x\n  9: function: y\n");
    let refused = answered(
        "rename_symbol",
        "error: the language server ended. Nothing was changed.",
    );
    for (history, tool, arguments) in [
        (vec![], "find_symbol", r#"{"name":"load"}"#),
        (
            definition.to_vec(),
            "rename_symbol",
            r#"{"path":"src/a.rs","line":3,"name":"load","to":"fetch"}"#,
        ),
        (several.to_vec(), "grep", "load"),
        ([definition, refused].concat(), "grep", "load"),
    ] {
        let request = Message::User {
            text: "rename load to fetch".to_owned(),
            images: Vec::new(),
        };
        let prompt = Prompt {
            messages: std::iter::once(request).chain(history).collect(),
            tools: vec![spec("rename_symbol")],
            tool_choice: ToolChoice::Auto,
            target: None,
        };
        let planned = plan::reply(&prompt).calls;
        let [call] = planned.as_slice() else {
            panic!("{planned:?}");
        };
        assert_eq!(call.tool.name(), tool);
        let told = call.arguments.to_string();
        assert!(told.contains(arguments), "{told}");
    }
}

fn answered(name: &str, answer: &str) -> [Message; 2] {
    let id = CallId(name.to_owned());
    let call = ToolCall {
        id: id.clone(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
    };
    [
        Message::Assistant {
            text: String::new(),
            calls: vec![call],
            kept: Vec::new(),
        },
        Message::Tool {
            call: id,
            content: answer.to_owned(),
            failed: false,
        },
    ]
}

#[test]
fn files_that_the_language_server_left_are_named() {
    let id = CallId("a".to_owned());
    let answer = format!(
        "{{\"results\":[{{\"file\":\"a.py\",\"ok\":true,\"status\":\"staged\",\"changesApplied\":1}}]}}\n{}`load` in b.py",
        crate::tool_output::LEFT_BY_SERVER
    );
    let prompt = Prompt {
        messages: vec![
            Message::User {
                text: "rename load to fetch".to_owned(),
                images: Vec::new(),
            },
            Message::Assistant {
                text: String::new(),
                calls: vec![ToolCall {
                    id: id.clone(),
                    name: "rename_symbol".to_owned(),
                    arguments: "{}".to_owned(),
                }],
                kept: Vec::new(),
            },
            Message::Tool {
                call: id,
                content: answer,
                failed: false,
            },
        ],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        target: None,
    };
    assert_eq!(
        plan::reply(&prompt).text,
        "Staged 1 change in 1 file; nothing is written until you approve. \
         Not the same, or not known to the language server: `load` in b.py."
    );
}
