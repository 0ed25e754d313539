//! Other agents over the Model Context Protocol: they propose, the user decides.

use serde_json::{Value, json};

use crate::world::{Running, World};

const LIB: &str = "fn one() -> u32 {\n    1\n}\n";

/// Another agent's program, as far as it speaks the protocol.
pub(crate) struct Agent {
    pub(crate) server: Running,
    calls: u64,
    /// What it was told at the beginning.
    pub(crate) instructions: String,
}

impl Agent {
    fn start(world: &World) -> Self {
        Self::of(world.start(&["mcp"]))
    }

    /// Begins to speak with a server.
    pub(crate) fn of(server: Running) -> Self {
        let mut agent = Self {
            server,
            calls: 0,
            instructions: String::new(),
        };
        let hello = agent.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                // A name that would clear a screen.
                "clientInfo": {"name": "other\u{1b}[2Jagent", "version": "2.1"},
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "signoff");
        let instructions = &hello["result"]["instructions"];
        instructions
            .as_str()
            .unwrap()
            .clone_into(&mut agent.instructions);
        agent.tell("notifications/initialized");
        agent
    }

    fn tell(&mut self, method: &str) {
        let message = json!({"jsonrpc": "2.0", "method": method});
        self.server.say(&format!("{message}\n"));
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        self.server.say(&format!("{message}\n"));
        self.calls
    }

    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let answer: Value = serde_json::from_str(&self.server.line()).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool and returns its text, and whether it failed.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        said(&answer)
    }

    /// Calls a tool that has to do its work, and returns its JSON.
    pub(crate) fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, failed) = self.call(tool, arguments);
        assert!(!failed, "{text}");
        serde_json::from_str(&text).unwrap()
    }
}

pub(crate) fn said(answer: &Value) -> (String, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
    (text, result["isError"] == true)
}

fn section(file: &str, old: &str, new: &str) -> Value {
    let edits = json!([{"old_text": old, "new_text": new}]);
    json!({"changes": [{"file": file, "section": {"edits": edits}}]})
}

#[test]
fn a_denied_proposal_comes_back_with_the_reason_and_the_next_one_is_written() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut agent = Agent::start(&world);
    let staged = agent.done("propose_edits", section("lib.rs", "    1\n", "    2\n"));
    assert_eq!(staged["staged"], true);
    let id = staged["results"][0]["proposal"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(world.text("lib.rs"), LIB);
    let waiting = agent.done("proposal_status", json!({}));
    assert_eq!(waiting["waiting"], 1);
    let seen = agent.call("read_staged", json!({"file": "lib.rs"}));
    assert_eq!(seen, (LIB.replace('1', "2"), false));

    // It waits for the user, who decides in another process.
    let pending = agent.send(
        "tools/call",
        json!({"name": "proposal_status", "arguments": {"proposals": [id], "wait_seconds": 60}}),
    );
    world
        .run(&["deny", &id, "--reason", "three, not two"])
        .done();
    let (text, failed) = said(&agent.answer(pending));
    let decided: Value = serde_json::from_str(&text).unwrap();
    assert!(!failed);
    assert_eq!(decided["waiting"], 0);
    assert_eq!(decided["hunks"][0]["status"], "denied");
    assert_eq!(decided["hunks"][0]["reason"], "three, not two");

    agent.done("propose_edits", section("lib.rs", "    1\n", "    3\n"));
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("lib.rs"), LIB.replace('1', "3"));
    let history = agent.done("history", json!({"file": "lib.rs"}));
    assert_eq!(history["entries"][0]["by"], "other[2Jagent 2.1 (mcp)");
    let proposer = json!({"kind": "mcp", "client": "other[2Jagent 2.1"});
    let written = world.run(&["history", "--json"]).done().json();
    assert_eq!(written["entries"][0]["proposer"], proposer);
    let blame = world.run(&["blame", "lib.rs", "--json"]).done().json();
    let mut lines = blame["lines"].as_array().unwrap().iter();
    assert!(lines.any(|line| line["proposer"] == proposer), "{blame}");
    assert_eq!(agent.server.end().code, Some(0));
}

#[test]
fn what_takes_a_change_back_is_proposed_and_waits() {
    let world = World::new(&[("lib.rs", LIB), ("old.rs", LIB)]);
    let changes = json!([
        {"file": "lib.rs", "section": {"edits": [{"old_text": "    1\n", "new_text": "    2\n"}]}},
        {"file": "new.rs", "whole": {"content": "fn new() {}\n"}},
        {"file": "old.rs", "move": {"to": "moved.rs"}},
    ]);
    world.stage(changes);
    world.run(&["approve", "--all"]).done();
    world.write("lib.rs", format!("{}// mine\n", world.text("lib.rs")));
    let mut agent = Agent::start(&world);
    let history = agent.done("history", json!({}));
    let changeset = history["entries"][0]["changeset"].clone();
    let answer = agent.done("revert", json!({ "changeset": changeset }));
    assert_eq!(answer["staged"], true, "{answer}");
    assert!(world.text("lib.rs").contains("2") && world.at("new.rs").exists());
    let (why, failed) = agent.call("revert", json!({"file": "lib.rs"}));
    assert!(failed && why.contains("is to be decided first"), "{why}");
    world.run(&["approve", "--all"]).done();
    assert_eq!(world.text("lib.rs"), format!("{LIB}// mine\n"));
    assert_eq!(world.text("old.rs"), LIB);
    assert!(!world.at("new.rs").exists() && !world.at("moved.rs").exists());
}

#[test]
fn nothing_that_an_agent_sends_is_written_or_ends_the_server() {
    let world = World::new(&[("lib.rs", LIB), (".git/config", "")]);
    let before = world.files();
    let mut agent = Agent::start(&world);
    for (tool, arguments) in [
        ("propose_edits", json!({})),
        ("propose_edits", section("../outside", "", "x")),
        ("propose_edits", section(".git/config", "", "x")),
        ("propose_edits", section("lib.rs", "nowhere", "x")),
        ("proposal_status", json!({"wait_seconds": "long"})),
        ("proposal_status", json!({})),
        ("read_staged", json!({"file": "/etc/passwd"})),
        ("read_staged", json!({"file": "lib.rs"})),
        ("history", json!({"file": 1})),
        ("context", json!({"request": "one", "unknown": true})),
        ("check", json!({"approve": true})),
        ("revert", json!({})),
        ("revert", json!({"file": "lib.rs"})),
        ("revert", json!({"changeset": "last"})),
    ] {
        let (text, failed) = agent.call(tool, arguments.clone());
        assert!(failed, "{tool} {arguments}: {text}");
    }
    let unknown = agent.ask("tools/call", json!({"name": "approve", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    let gone = "0195c0de-0000-7000-8000-000000000000";
    let status = agent.done("proposal_status", json!({"proposals": ["x", gone]}));
    assert_eq!(status["unknown"], json!(["x", gone]));
    assert_eq!(world.files(), before);
    assert_eq!(agent.server.end().code, Some(0));
}

#[test]
fn the_tools_are_listed_with_objects_as_schemas() {
    let world = World::new(&[("lib.rs", LIB)]);
    let mut agent = Agent::start(&world);
    let listed = agent.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let named: Vec<(&str, &Value)> = tools
        .iter()
        .map(|tool| {
            assert_eq!(tool["inputSchema"]["type"], "object");
            let name = tool["name"].as_str().unwrap();
            (name, &tool["annotations"]["readOnlyHint"])
        })
        .collect();
    let (no, yes) = (&json!(false), &json!(true));
    let expected = [
        ("propose_edits", no),
        ("proposal_status", yes),
        ("read_staged", yes),
        ("history", yes),
        ("revert", no),
        ("context", yes),
        ("check", yes),
    ];
    assert_eq!(named, expected);
    let about = agent.done("context", json!({"request": "change fn one"}));
    assert_eq!(about["files"][0]["file"], "lib.rs");
    let (why, failed) = agent.call("check", json!({}));
    assert!(failed && why.contains("nothing is staged"), "{why}");
    let changes = json!([{"file": "note.odd", "whole": {"content": "x\n"}}]);
    agent.done("propose_edits", json!({ "changes": changes }));
    let checked = agent.done("check", json!({}));
    assert_eq!(
        checked["syntax"][0]["unchecked"],
        "there is no grammar for this file"
    );
    assert!(checked["note"].is_string(), "{checked}");
}

#[test]
fn a_rule_of_the_user_holds_for_other_agents_too() {
    let world = World::new(&[("lib.rs", LIB), ("keep/a.rs", LIB), ("secret/a.rs", LIB)]);
    std::os::unix::fs::symlink("secret", world.at("link")).unwrap();
    let rule = |tool: &str, pattern: &str| {
        format!("[[permissions]]\ntool = \"{tool}\"\npattern = \"{pattern}\"\naction = \"deny\"\n")
    };
    world.configure(&(rule("*", "keep/*") + &rule("read", "secret/*")));
    let mut agent = Agent::start(&world);
    let (text, failed) = agent.call("propose_edits", section("keep/a.rs", "    1\n", "    2\n"));
    assert!(failed, "{text}");
    // An edit that does not fit is answered with what stands there.
    for file in ["secret/a.rs", "link/a.rs"] {
        let (text, failed) = agent.call("propose_edits", section(file, "    one()\n", "x"));
        assert!(failed && !text.contains("u32"), "{text}");
    }
    assert_eq!(world.review(), [] as [Value; 0]);
}
