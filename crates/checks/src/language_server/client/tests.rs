//! A fake server on the other end of two pipes: one that answers, and ones that lie, are silent, or die.

use std::io::{BufReader, Write as _, pipe};

use super::*;
use crate::language_server::{FileOperation, framing};

/// What the fake server says to a request, by its method.
type Script = fn(&str, &Value) -> Reaction;

enum Reaction {
    /// These messages, and this result.
    Says(Vec<Value>, Value),
    Fails(i64),
    Dies,
    IsSilent,
}

fn client(script: Script) -> Result<Client, ServerFault> {
    let (theirs, own_input) = pipe().expect("a pipe");
    let (own_output, mut answers) = pipe().expect("a pipe");
    thread::spawn(move || {
        let mut stream = BufReader::new(theirs);
        while let Ok(Some(message)) = framing::read(&mut stream) {
            let method = message["method"].as_str().unwrap_or_default();
            let reaction = match method {
                "initialize" => Reaction::Says(
                    Vec::new(),
                    json!({"capabilities": {"positionEncoding": "utf-8"}}),
                ),
                _ => script(method, &message["params"]),
            };
            let mut out = Vec::new();
            match reaction {
                Reaction::Says(messages, result) => {
                    for message in messages {
                        out.extend(framing::framed(&message));
                    }
                    if message.get("id").is_some() {
                        let answer =
                            json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                        out.extend(framing::framed(&answer));
                    }
                }
                Reaction::Fails(code) => {
                    let error = json!({"code": code, "message": "no\nway"});
                    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                    out.extend(framing::framed(&answer));
                }
                Reaction::Dies => return,
                Reaction::IsSilent => {}
            }
            if answers.write_all(&out).is_err() {
                return;
            }
        }
    });
    let connection = Connection::new(own_input, own_output);
    let mut client = Client::over(connection, LanguageServer::Go, PathBuf::from("/w"));
    client.initialize(long())?;
    client.send_text("a.go", "func old() {}\n")?;
    Ok(client)
}

fn long() -> Wait<'static> {
    static GOES_ON: AtomicBool = AtomicBool::new(false);
    Wait {
        deadline: Instant::now() + Duration::from_secs(30),
        stop: &GOES_ON,
    }
}

fn target() -> Target {
    Target {
        path: "a.go".to_owned(),
        line: 1,
        name: "old".to_owned(),
    }
}

fn read(path: &str) -> Option<String> {
    (path == "b.go").then(|| "old()\n".to_owned())
}

fn edit(path: &str, start: u32) -> Value {
    json!({"changes": {format!("file:///w/{path}"): [
        {"range": {"start": position(start), "end": position(start + 3)}, "newText": "new"}]}})
}

fn position(character: u32) -> Value {
    json!({"line": 0, "character": character})
}

fn rename(script: Script) -> Result<Vec<String>, String> {
    let renamed =
        client(script).and_then(|mut client| client.rename(&target(), "new", &read, long()));
    let renamed = renamed.map_err(|fault| fault.to_string())?;
    Ok(renamed
        .into_iter()
        .map(|(path, operation)| match operation {
            FileOperation::Write(edited) => format!("{path}: {}", edited.text.trim()),
            other => format!("{path}: {other:?}"),
        })
        .collect())
}

#[test]
fn a_file_that_an_answer_edits_is_sent_before_the_answer_counts() {
    let renamed = rename(|method, params| match method {
        "textDocument/rename" => {
            assert_eq!(params["position"], json!({"line": 0, "character": 5}));
            Reaction::Says(Vec::new(), edit("b.go", 0))
        }
        "textDocument/didOpen" => {
            let uri = &params["textDocument"]["uri"];
            assert!(uri == "file:///w/a.go" || uri == "file:///w/b.go", "{uri}");
            Reaction::IsSilent
        }
        _ => Reaction::IsSilent,
    });
    assert_eq!(renamed, Ok(vec!["b.go: new()".to_owned()]));
}

#[test]
fn lies_and_failures_are_errors_in_one_line() {
    let cases: [(Script, &str); 6] = [
        (
            |_, _| Reaction::Says(Vec::new(), edit("../x.go", 0)),
            "not in the workspace",
        ),
        (
            |_, _| Reaction::Says(Vec::new(), edit("c.go", 0)),
            "which is no text",
        ),
        (
            |_, _| Reaction::Says(Vec::new(), edit("a.go", 90)),
            "nothing",
        ),
        (|_, _| Reaction::Fails(-32603), "refuses: no way"),
        (
            |method, _| match method {
                "textDocument/rename" => Reaction::Dies,
                _ => Reaction::IsSilent,
            },
            "ended",
        ),
        (
            |_, _| {
                let long = "x".repeat(1000);
                Reaction::Says(
                    vec![json!({"method": "window/logMessage", "params": long})],
                    json!(7),
                )
            },
            "nothing",
        ),
    ];
    for (script, why) in cases {
        let told = rename(script).map(|files| format!("nothing: {files:?}"));
        let told = told.unwrap_or_else(|error| error);
        assert!(told.contains(why) && !told.contains('\n'), "{why}: {told}");
    }
}

#[test]
fn one_that_never_answers_is_given_up_on() {
    let mut client = client(|_, _| Reaction::IsSilent).expect("it greets");
    let wait = Wait {
        deadline: Instant::now(),
        ..long()
    };
    let params = client.at(&target()).expect("a place");
    let fault = client.ask("textDocument/rename", &params, wait);
    assert!(matches!(fault, Err(ServerFault::Silent(_))), "{fault:?}");
    let stopped = AtomicBool::new(true);
    let wait = Wait {
        stop: &stopped,
        ..long()
    };
    let fault = client.ask("textDocument/rename", &params, wait);
    assert!(matches!(fault, Err(ServerFault::Stopped)), "{fault:?}");
}

#[test]
fn a_name_that_is_not_in_its_line_is_not_asked_about() {
    let client = client(|_, _| Reaction::IsSilent).expect("it greets");
    for (line, name) in [(1, "ol"), (1, ""), (0, "old"), (3, "old")] {
        let target = Target {
            line,
            name: name.to_owned(),
            ..target()
        };
        let fault = client.at(&target).expect_err("no place").to_string();
        assert!(fault.contains("does not have"), "{fault}");
    }
}

#[test]
fn diagnostics_of_another_version_do_not_count() {
    let mut client = client(|method, params| match method {
        "textDocument/didOpen" | "textDocument/didChange" => {
            let at = json!({"line": 0, "character": 5});
            let of = |version: i64, message: &str| {
                json!({"method": "textDocument/publishDiagnostics", "params": {
                    "uri": "file:///w/a.go", "version": version, "diagnostics": [
                        {"range": {"start": at, "end": at}, "severity": 1, "message": message},
                        {"range": {"start": {"line": 70, "character": 0}, "end": at}, "message": "elsewhere"},
                        {"range": {"start": at, "end": at}, "severity": 4, "message": "a hint"}]}})
            };
            let version = params["textDocument"]["version"]
                .as_i64()
                .unwrap_or_default();
            Reaction::Says(
                vec![of(version, "now"), of(version - 1, "before")],
                Value::Null,
            )
        }
        _ => Reaction::IsSilent,
    })
    .expect("it greets");
    let texts = BTreeMap::from([("a.go".to_owned(), "func oöld() {}\n".to_owned())]);
    let found = client
        .diagnostics("gopls", &texts, long())
        .expect("diagnostics");
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let expected = [
        "a.go:1:6: error: now (gopls)",
        "a.go:1:1: error: elsewhere (gopls)",
    ];
    assert_eq!(
        found, expected,
        "an error without a place in the text is one"
    );
}
