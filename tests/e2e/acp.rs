//! Editors over the Agent Client Protocol: they show, the user decides there or in a terminal.

use serde_json::{Value, json};

use crate::world::{Running, World};

const LIB: &str = "fn one() -> u32 {\n    1\n}\n";
const RENAME: &str = "rename one to two in lib.rs";

/// An editor, as far as it speaks the protocol.
struct Editor {
    server: Running,
    requests: u64,
    /// The updates so far.
    updates: Vec<Value>,
}

impl Editor {
    fn start(world: &World) -> Self {
        let mut editor = Self {
            server: world.start(&["acp", "--offline"]),
            requests: 0,
            updates: Vec::new(),
        };
        let params = json!({"protocolVersion": 9, "clientCapabilities": {}});
        let hello = editor.ask("initialize", params, |_| unreachable!());
        assert_eq!(hello["result"]["protocolVersion"], 1);
        assert_eq!(hello["result"]["agentCapabilities"]["loadSession"], true);
        editor
    }

    fn open(&mut self, world: &World) -> String {
        let params = json!({"cwd": world.root(), "mcpServers": []});
        let opened = self.ask("session/new", params, |_| unreachable!());
        let id = opened["result"]["sessionId"].as_str();
        id.unwrap_or_else(|| panic!("{opened}")).to_owned()
    }

    fn tell(&mut self, message: &Value) {
        self.server.say(&format!("{message}\n"));
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        self.tell(
            &json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params}),
        );
        self.requests
    }

    /// Sends a request and returns its answer. Questions meanwhile are answered by the id of an option, if by any.
    fn ask(
        &mut self,
        method: &str,
        params: Value,
        answer: impl FnMut(&Value) -> Option<&'static str>,
    ) -> Value {
        let id = self.send(method, params);
        self.wait(id, answer)
    }

    fn wait(&mut self, id: u64, mut answer: impl FnMut(&Value) -> Option<&'static str>) -> Value {
        loop {
            let message: Value = serde_json::from_str(&self.server.line()).unwrap();
            match message["method"].as_str() {
                Some("session/update") => {
                    self.updates.push(message["params"]["update"].clone());
                }
                Some("session/request_permission") => {
                    if let Some(option) = answer(&message["params"]) {
                        let outcome = json!({"outcome": "selected", "optionId": option});
                        let result = json!({"outcome": outcome});
                        self.tell(
                            &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}),
                        );
                    }
                }
                Some("$/cancel_request") => self.updates.push(message),
                _ if message["id"] == id => return message,
                _ => panic!("{message}"),
            }
        }
    }

    fn prompt(
        &mut self,
        session: &str,
        text: &str,
        answer: impl FnMut(&Value) -> Option<&'static str>,
    ) -> Value {
        self.ask("session/prompt", prompt(session, text), answer)
    }

    /// Returns the updates of a kind.
    fn told(&self, kind: &str) -> Vec<&Value> {
        let updates = self.updates.iter();
        updates.filter(|own| own["sessionUpdate"] == kind).collect()
    }
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

fn diff(params: &Value) -> &Value {
    let content = params["toolCall"]["content"].as_array().unwrap();
    content.iter().find(|own| own["type"] == "diff").unwrap()
}

#[test]
fn an_edit_is_written_once_it_is_approved_in_the_editor() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut editor = Editor::start(&world);
    let session = editor.open(&world);
    let ended = editor.prompt(&session, RENAME, |params| {
        assert_eq!(world.text("lib.rs"), LIB);
        let file = world.root().canonicalize().unwrap().join("lib.rs");
        assert_eq!(diff(params)["path"], json!(file));
        assert_eq!(diff(params)["oldText"], LIB);
        assert_eq!(diff(params)["newText"], LIB.replace("one", "two"));
        Some("approve")
    });
    assert_eq!(ended["result"]["stopReason"], "end_turn");
    assert_eq!(world.text("lib.rs"), LIB.replace("one", "two"));
    assert!(!editor.told("agent_message_chunk").is_empty());
    let last = editor.told("tool_call_update");
    assert_eq!(last.last().unwrap()["status"], "completed");
    // It is history as any other change, and the conversation is there for another editor.
    world.run(&["undo"]).done();
    assert_eq!(world.text("lib.rs"), LIB);
    assert_eq!(editor.server.end().code, Some(0));
    let mut other = Editor::start(&world);
    let params = json!({"sessionId": session, "cwd": world.root(), "mcpServers": []});
    let loaded = other.ask("session/load", params, |_| unreachable!());
    assert!(loaded["result"].is_object(), "{loaded}");
    assert_eq!(
        other.told("user_message_chunk")[0]["content"]["text"],
        RENAME
    );
}

#[test]
fn what_is_denied_or_cancelled_is_not_written() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut editor = Editor::start(&world);
    let session = editor.open(&world);
    let ended = editor.prompt(&session, RENAME, |_| Some("deny"));
    assert_eq!(ended["result"]["stopReason"], "end_turn");
    assert!(world.review().is_empty());
    // No answer, but the turn is cancelled.
    let id = editor.send("session/prompt", prompt(&session, RENAME));
    let mut cancel = true;
    while std::mem::take(&mut cancel) {
        let message: Value = serde_json::from_str(&editor.server.line()).unwrap();
        cancel = message["method"] != "session/request_permission";
    }
    editor.tell(&json!({"method": "session/cancel", "params": {"sessionId": session}}));
    let ended = editor.wait(id, |_| unreachable!());
    assert_eq!(ended["result"]["stopReason"], "cancelled");
    assert_eq!(world.review().len(), 1, "it stays staged");
    assert_eq!(world.text("lib.rs"), LIB);
}

#[test]
fn a_verdict_in_a_terminal_closes_the_question_in_the_editor() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut editor = Editor::start(&world);
    let session = editor.open(&world);
    let ended = editor.prompt(&session, RENAME, |_| {
        world.run(&["approve", "--all"]).done();
        None
    });
    assert_eq!(ended["result"]["stopReason"], "end_turn");
    assert_eq!(world.text("lib.rs"), LIB.replace("one", "two"));
    let closed = editor.updates.iter();
    let mut closed = closed.filter(|own| own["method"] == "$/cancel_request");
    assert!(closed.next().is_some());
    let last = editor.told("tool_call_update");
    assert_eq!(last.last().unwrap()["status"], "completed");
}

#[test]
fn a_call_that_needs_permission_is_asked_about() {
    let world = World::new(&[("lib.rs", LIB)]);
    world.configure("[[permissions]]\ntool = \"*\"\npattern = \"*\"\naction = \"ask\"\n");
    for (option, staged) in [("refuse", 0), ("once", 1)] {
        let mut editor = Editor::start(&world);
        let session = editor.open(&world);
        let mut asked = 0;
        editor.prompt(&session, RENAME, |params| {
            let is_call = params["options"][0]["optionId"] == "once";
            asked += usize::from(is_call);
            Some(if is_call { option } else { "later" })
        });
        assert!(asked > 0, "{option}");
        assert_eq!(world.review().len(), staged, "{option}");
    }
}

#[test]
fn nothing_that_an_editor_sends_ends_the_server_or_writes() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut editor = Editor::start(&world);
    for line in ["{", "[]", "\u{1b}[2J", "{\"id\":{}}", "{\"method\":\"x\"}"] {
        editor.server.say(&format!("{line}\n"));
    }
    let mut refused = |method: &str, params: Value| {
        let id = editor.send(method, params);
        loop {
            let answer: Value = serde_json::from_str(&editor.server.line()).unwrap();
            if answer["id"] == id {
                return answer["error"]["code"].as_i64().unwrap();
            }
        }
    };
    let folder = json!({"cwd": "sub", "mcpServers": []});
    assert_eq!(refused("fs/write_text_file", json!({})), -32601);
    assert_eq!(refused("session/new", folder), -32603);
    let nowhere = json!({"cwd": world.at("none"), "mcpServers": []});
    assert_eq!(refused("session/new", nowhere), -32603);
    assert_eq!(refused("session/prompt", prompt("none", "x")), -32602);
    for id in ["1", "../../x"] {
        let earlier = json!({"sessionId": id, "cwd": world.root(), "mcpServers": []});
        assert_eq!(refused("session/load", earlier), -32603, "{id}");
    }
    editor.open(&world);
    assert_eq!(world.text("lib.rs"), LIB);
    assert_eq!(editor.server.end().code, Some(0));
}
