//! Tools of servers: what is called is what was judged.

use std::sync::Mutex;

use signoff_core::budget::Stop;

use super::*;
use crate::foreign::{ForeignAnswer, KnownTool, ServerRequest, ServersReport};
use crate::message::{CallId, ToolCall};
use crate::tool::testing::{Folder, run};
use crate::tool::{PreparedCall, Registry};

/// Servers with one tool, `s__echo`, that note what they are called with.
#[derive(Default)]
struct OneTool {
    called: Mutex<Vec<ForeignCall>>,
}

fn answer(content: &str) -> ForeignAnswer {
    ForeignAnswer {
        content: content.to_owned(),
        ok: true,
        summary: "done".to_owned(),
        images: Vec::new(),
    }
}

impl ForeignServers for OneTool {
    fn listing(&self) -> String {
        String::new()
    }

    fn has(&self, server: &str) -> bool {
        server == "s"
    }

    fn known(&self, tool: &str) -> Option<KnownTool> {
        (tool == "s__echo").then(|| KnownTool {
            fingerprint: "f".to_owned(),
            is_changed: false,
        })
    }

    fn find(&self, words: &str, _stop: &Stop) -> ForeignAnswer {
        answer(&format!("found for {words}"))
    }

    fn call(&self, call: &ForeignCall, _stop: &Stop) -> ForeignAnswer {
        self.called.lock().unwrap().push(call.clone());
        answer("called")
    }

    fn resource(&self, _server: &str, _address: &str, _stop: &Stop) -> ForeignAnswer {
        answer("")
    }

    fn prompt(&self, _server: &str, _prompt: &str, _words: &str, _stop: &Stop) -> ForeignAnswer {
        answer("")
    }

    fn trust_question(&self, _server: &str) -> Option<crate::trust::TrustQuestion> {
        None
    }

    fn answer_trust(&self, _server: &str, _is_allowed: bool) -> ServersReport {
        ServersReport::default()
    }

    fn report(&self, _request: &ServerRequest, _stop: &Stop) -> ServersReport {
        ServersReport::default()
    }
}

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: CallId("c".to_owned()),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

fn prepare(tools: &Registry, name: &str, arguments: &str) -> Result<PreparedCall, ToolOutput> {
    let call = call(name, arguments);
    let call = tools.meant(&call).unwrap_or(call);
    tools.find(&call.name).unwrap().prepare(&call)
}

#[test]
fn a_tool_is_called_with_the_arguments_that_were_judged() {
    let servers = Arc::new(OneTool::default());
    let tools = Registry::of(Vec::new()).with_servers(servers.clone());
    let folder = Folder::new(&[]);
    let context = folder.context();
    let found = run(&tools, "mcp_find", &json!({ "query": "echo" }), &context);
    assert_eq!(found.content, "found for echo");
    for arguments in [
        json!({ "tool": "s__echo", "arguments": { "x": 1 } }),
        json!({ "tool": "s__echo", "arguments": "{\"x\":1}" }),
        json!({ "tool": "s__echo", "args": { "x": 1 } }),
    ] {
        let prepared = prepare(&tools, "mcp_call", &arguments.to_string()).unwrap();
        assert_eq!(prepared.subjects().tool(), Some("s__echo"));
        assert_eq!(prepared.subjects().shown(), "{\n  \"x\": 1\n}");
        assert_eq!(prepared.run(&context).content, "called");
        let called = servers.called.lock().unwrap().pop().unwrap();
        assert_eq!(Value::Object(called.arguments), json!({ "x": 1 }));
        assert_eq!(called.fingerprint, "f");
    }
}

#[test]
fn a_model_may_call_a_tool_by_its_own_name() {
    let tools = Registry::of(Vec::new()).with_servers(Arc::new(OneTool::default()));
    let prepared = prepare(&tools, "s__echo", r#"{"x":1}"#).unwrap();
    assert_eq!(prepared.subjects().tool(), Some("s__echo"));
    assert_eq!(prepared.call().name, "mcp_call");
    let none = Registry::of(Vec::new());
    assert_eq!(none.meant(&call("s__echo", "{}")), None);
}

#[test]
fn what_is_not_known_is_not_called() {
    let tools = Registry::of(Vec::new()).with_servers(Arc::new(OneTool::default()));
    for (name, arguments, expected) in [
        (
            "mcp_call",
            r#"{"tool":"s__other","arguments":{}}"#,
            "error: no tool s__other is known; look for it with mcp_find first. Nothing was run.",
        ),
        (
            "mcp_call",
            r#"{"tool":"s__\nforged: x","arguments":{}}"#,
            "error: no tool \"s__\\nforged: x\" is known; look for it with mcp_find first. Nothing was run.",
        ),
        ("mcp_call", r#"{"tool":"s__echo","arguments":[]}"#, ""),
        ("s__echo", r#"{"x":"#, ""),
    ] {
        let refused = prepare(&tools, name, arguments).unwrap_err();
        assert!(
            !refused.ok && refused.content.starts_with("error: "),
            "{arguments}"
        );
        if !expected.is_empty() {
            assert_eq!(refused.content, expected);
        }
    }
}
