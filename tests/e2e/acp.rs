//! Editors over the Agent Client Protocol: they show, the user decides there or in a terminal.

use serde_json::{Value, json};

use crate::mcp_client::SERVER;
use crate::server::Server;
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
        let mut editor = Self::run(world, &["acp", "--offline"]);
        let params = json!({"protocolVersion": 9, "clientCapabilities": {}});
        let hello = editor.ask("initialize", params, |_| unreachable!());
        assert_eq!(hello["result"]["protocolVersion"], 1);
        assert_eq!(hello["result"]["agentCapabilities"]["loadSession"], true);
        editor
    }

    fn run(world: &World, args: &[&str]) -> Self {
        Self {
            server: world.start(args),
            requests: 0,
            updates: Vec::new(),
        }
    }

    fn load(&mut self, world: &World, session: &str) -> Value {
        self.ask("session/load", loading(world, session), |_| unreachable!())
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
                Some("elicitation/create") => {
                    let content = json!({"reason": "keep the old name"});
                    let result = json!({"action": "accept", "content": content});
                    self.tell(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
                }
                _ if message["id"] == id => return message,
                _ => panic!("{message}"),
            }
        }
    }

    /// Reads on until a message is as wanted, and returns it.
    fn next(&mut self, mut is_wanted: impl FnMut(&Value) -> bool) -> Value {
        loop {
            let message: Value = serde_json::from_str(&self.server.line()).unwrap();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    fn select(&mut self, asked: &Value, option: &str) {
        let outcome = json!({"outcome": "selected", "optionId": option});
        let result = json!({ "outcome": outcome });
        self.tell(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
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

fn loading(world: &World, session: &str) -> Value {
    json!({"sessionId": session, "cwd": world.root(), "mcpServers": []})
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
    let loaded = other.load(&world, &session);
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "step");
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
    editor.next(|message| message["method"] == "session/request_permission");
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
fn an_editor_that_runs_terminals_is_offered_setup_and_refused_without_a_model() {
    let world = World::new(&[("lib.rs", LIB)]);
    world.run(&["acp", "setup"]).ends(2).says("--url URL");
    let mut editor = Editor::run(&world, &["acp"]);
    let capabilities = json!({"auth": {"terminal": true}});
    let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
    let hello = editor.ask("initialize", params, |_| unreachable!());
    let method = &hello["result"]["authMethods"][0];
    assert_eq!(method["type"], "terminal");
    assert_eq!(method["args"], json!(["setup"]));
    let opening = json!({"cwd": world.root(), "mcpServers": []});
    let refused = editor.ask("session/new", opening.clone(), |_| unreachable!());
    assert_eq!(refused["error"]["code"], -32000);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("signoff setup")
    );
    let mut sign_in = |method: &str| {
        let params = json!({ "methodId": method });
        editor.ask("authenticate", params, |_| unreachable!())
    };
    assert_eq!(sign_in("setup")["error"]["code"], -32000);
    assert_eq!(sign_in("other")["error"]["code"], -32602);
    // The user picks one in the terminal, and the same server goes on.
    let setup = [
        "setup",
        "--url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--untried",
    ];
    world.run(&setup).done();
    assert_eq!(sign_in("setup")["result"], json!({}));
    let opened = editor.ask("session/new", opening, |_| unreachable!());
    assert!(opened["result"]["sessionId"].is_string(), "{opened}");
}

#[test]
fn an_editor_without_terminals_has_the_planner_and_no_sign_in() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut editor = Editor::run(&world, &["acp"]);
    let params = json!({"protocolVersion": 1, "clientCapabilities": {"terminal": true}});
    let hello = editor.ask("initialize", params, |_| unreachable!());
    assert!(
        hello["result"]["authMethods"]
            .as_array()
            .is_none_or(Vec::is_empty)
    );
    editor.open(&world);
    let params = json!({"methodId": "setup"});
    let refused = editor.ask("authenticate", params, |_| unreachable!());
    assert_eq!(refused["error"]["code"], -32602);
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

#[test]
fn a_denial_has_the_reason_of_a_form_or_of_the_next_prompt() {
    for has_forms in [true, false] {
        let world = World::new(&[("lib.rs", LIB)]);
        let mut editor = Editor::run(&world, &["acp", "--offline"]);
        let forms = if has_forms {
            json!({"form": {}})
        } else {
            Value::Null
        };
        let capabilities = json!({ "elicitation": forms });
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        editor.ask("initialize", params, |_| unreachable!());
        let session = editor.open(&world);
        let ended = editor.prompt(&session, RENAME, |_| Some("deny-why"));
        assert_eq!(ended["result"]["stopReason"], "end_turn");
        if !has_forms {
            assert_eq!(world.review().len(), 1, "it waits for the reason");
            editor.prompt(&session, "keep the old name", |_| unreachable!());
        }
        assert!(world.review().is_empty());
        let updates = editor.told("tool_call_update");
        let denied = updates
            .iter()
            .rfind(|own| own["rawOutput"]["outcome"] == "denied");
        let told = denied.unwrap()["content"][0]["content"]["text"].as_str();
        assert!(told.unwrap().ends_with("keep the old name"), "{told:?}");
        assert_eq!(world.text("lib.rs"), LIB);
    }
}

#[test]
fn what_waits_of_a_loaded_conversation_is_asked_about() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut editor = Editor::start(&world);
    let session = editor.open(&world);
    editor.prompt(&session, RENAME, |_| Some("later"));
    let params = json!({"sessionId": session});
    let closed = editor.ask("session/close", params, |_| unreachable!());
    assert_eq!(closed["result"], json!({}));
    let list = json!({"cwd": world.root()});
    let listed = editor.ask("session/list", list, |_| unreachable!());
    assert_eq!(listed["result"]["sessions"][0]["sessionId"], session);
    assert_eq!(listed["result"]["sessions"][0]["title"], RENAME);
    let gone = json!({"cwd": world.at("gone")});
    let listed = editor.ask("session/list", gone, |_| unreachable!());
    assert_eq!(listed["result"]["sessions"], json!([]));
    let loaded = editor.load(&world, &session);
    assert!(loaded["result"].is_object(), "{loaded}");
    let asked = editor.next(|message| message["method"] == "session/request_permission");
    assert_eq!(diff(&asked["params"])["oldText"], LIB);
    editor.select(&asked, "approve");
    editor.next(|message| message["params"]["update"]["status"] == "completed");
    assert_eq!(world.text("lib.rs"), LIB.replace("one", "two"));
    let again = editor.send("session/load", loading(&world, &session));
    let refused = editor.next(|message| message["id"] == again);
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.contains("close it first"), "{why}");
}

#[test]
fn modes_are_chosen_in_the_editor() {
    let world = World::new(&[
        ("lib.rs", LIB),
        (".signoff.toml", "write_through = false\n"),
    ]);
    let mut editor = Editor::start(&world);
    let session = editor.open(&world);
    let mut choose = |method: &str, key: &str, mode: &str| {
        let mut params = json!({"sessionId": session, "configId": "mode"});
        params[key] = mode.into();
        editor.ask(method, params, |_| unreachable!())
    };
    let chosen = choose("session/set_config_option", "value", "plan");
    let option = &chosen["result"]["configOptions"][0];
    assert_eq!(option["currentValue"], "plan");
    let forbidden = choose("session/set_mode", "modeId", "write-through");
    assert_eq!(forbidden["error"]["code"], -32602);
    assert_eq!(
        choose("session/set_mode", "modeId", "turn")["result"],
        json!({})
    );
}

#[test]
fn images_reasons_and_models_reach_the_server() {
    let world = World::new(&[("lib.rs", LIB)]);
    let server = Server::start();
    let url = server.url();
    let args = ["acp", "--url", &url, "--model", "gpt-4o"];
    let mut editor = Editor::run(&world, &args);
    let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
    editor.ask("initialize", params, |_| unreachable!());
    let session = editor.open(&world);
    let models = r#"{"data":[{"id":"gpt-4o"},{"id":"gpt-5"}]}"#;
    server.next().refuse("200 OK", "", models);
    let update = |message: &Value, kind: &str| message["params"]["update"]["sessionUpdate"] == kind;
    let told = editor.next(|own| update(own, "config_option_update"));
    let model = &told["params"]["update"]["configOptions"][1];
    assert_eq!(model["options"][1]["value"], "gpt-5");
    let text = json!({"type": "text", "text": "fix what this shows"});
    let data = "iVBORw0KGgoAAAANSUhEUg==";
    let image = json!({"type": "image", "data": data, "mimeType": "image/png"});
    let params = json!({"sessionId": session, "prompt": [text, image]});
    let id = editor.send("session/prompt", params);
    let asked = server.next();
    let whole = asked.body.to_string();
    assert!(
        whole.contains(&format!("data:image/png;base64,{data}")),
        "{whole}"
    );
    let edit = json!({
        "path": "lib.rs",
        "description": "Count to two",
        "edits": [{"old_text": "    1", "new_text": "    2"}],
    });
    asked.call("c1", "edit_section", &edit);
    server.next().say("It is staged.");
    let ended = editor.wait(id, |_| Some("deny-why"));
    assert_eq!(ended["result"]["stopReason"], "end_turn");
    let id = editor.send("session/prompt", prompt(&session, "count to three"));
    let asked = server.next();
    let whole = asked.body.to_string();
    assert!(whole.contains("denied: count to three"), "{whole}");
    asked.say("Then I leave it.");
    let ended = editor.wait(id, |_| unreachable!());
    assert_eq!(ended["result"]["stopReason"], "end_turn");
    let params = json!({"sessionId": session, "configId": "model", "value": "gpt-5"});
    let id = editor.send("session/set_config_option", params);
    server.next().refuse("200 OK", "", models);
    let chosen = editor.wait(id, |_| unreachable!());
    assert_eq!(
        chosen["result"]["configOptions"][1]["currentValue"],
        "gpt-5"
    );
    let id = editor.send("session/prompt", prompt(&session, "hello"));
    let asked = server.next();
    assert_eq!(asked.body["model"], "gpt-5");
    asked.say("Hello.");
    editor.wait(id, |_| unreachable!());
    assert_eq!(world.text("lib.rs"), LIB);
}

#[test]
fn servers_of_the_editor_are_those_of_the_conversation() {
    let Some(world) = crate::confined::world(&[("lib.rs", LIB)]) else {
        return;
    };
    let mut editor = Editor::start(&world);
    let server = json!({
        "name": "My tools",
        "command": "/bin/bash",
        "args": ["-c", SERVER],
        "env": [{"name": "GIVEN", "value": "yes"}],
    });
    let params = json!({"cwd": world.root(), "mcpServers": [server, {"name": "x"}]});
    let opened = editor.ask("session/new", params, |_| unreachable!());
    let session = opened["result"]["sessionId"].as_str().unwrap().to_owned();
    editor.prompt(&session, "/mcp My-tools", |_| unreachable!());
    let told: String = editor
        .told("agent_message_chunk")
        .iter()
        .map(|own| own["content"]["text"].as_str().unwrap())
        .collect();
    assert!(told.contains("My-tools: runs: fake 1"), "{told}");
    assert!(told.contains("My-tools__look"), "{told}");
}
