//! Rules and tools see the same.
//!
//! In: a tool and arguments as a model could write them. Out: nothing, unless a call shows or
//! stages a file that it did not tell the rules of, or tells of a command that it does not have.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use signoff_core::budget::Stop;
use signoff_core::engine::Engine;
use signoff_core::id::{Ambient, ChangesetId, Timestamp};
use signoff_core::record::store::Store;
use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::stage::review::Proposer;
use signoff_core::disk::workspace::disk::DiskWorkspace;
use signoff_llm::message::{CallId, ToolCall};
use signoff_llm::tool::{CallScope, ConversationScope, Ground, PreparedCall, Reach, Registry, Subjects, ToolContext};
use uuid::Uuid;

/// The files, each with a word that no other text holds.
const FILES: [(&str, &str); 2] = [("a.txt", "first-word"), ("s/b.txt", "second-word")];
/// These look into folders, whose files are not subjects.
const LOOK_BELOW: [&str; 2] = ["grep", "find"];

fuzz_target!(|input: (u8, &str)| {
    let (tool, arguments) = input;
    let registry = Registry::standard();
    let tools = registry.tools();
    let offered = &tools[usize::from(tool) % tools.len()];
    let name = offered.spec().name;
    if name.starts_with("git") {
        return;
    }
    let call = ToolCall {
        id: CallId("call".to_owned()),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    let Ok(call) = offered.prepare(&call) else {
        return;
    };
    if call.reach() == Reach::Execute {
        // What runs is the text of `command`, to the byte.
        let object = serde_json::from_str::<Value>(arguments).ok();
        let command = object.as_ref().and_then(|object| object.get("command")?.as_str());
        let told = command.map(|line| Subjects::Command(line.to_owned()));
        assert_eq!(Some(call.subjects()), told.as_ref());
        return;
    }
    let Subjects::Paths(paths) = call.subjects() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let told: Vec<String> = paths
        .iter()
        .filter_map(|path| WorkspacePath::parse(path.trim(), &root).ok())
        .map(|path| path.as_str().to_owned())
        .collect();
    let (output, staged) = run(&call, &root);
    for (path, word) in FILES {
        let below = LOOK_BELOW.contains(&name);
        let shown = output.contains(word) && !arguments.contains(word);
        assert!(!shown || below || told.iter().any(|told| told == path), "{path} is shown");
    }
    for path in staged {
        assert!(told.contains(&path), "{path} is staged");
    }
});

/// Carries out a call; returns its answer and the files that it staged.
fn run(call: &PreparedCall, root: &Path) -> (String, Vec<String>) {
    for (path, text) in FILES {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), format!("{text}\n")).unwrap();
    }
    let mut number = 0;
    let ambient = Ambient {
        now: Box::new(|| Timestamp(0)),
        uuid: Box::new(move || {
            number += 1;
            Uuid::from_u128(number)
        }),
    };
    let workspace = Box::new(DiskWorkspace::open(root).unwrap());
    let engine = Engine::new(workspace, Store::in_memory().unwrap(), ambient).unwrap();
    let ground = Ground::new(Arc::new(Mutex::new(engine)));
    let conversation = ConversationScope::new("session".to_owned(), Proposer::default());
    let scope = CallScope {
        call: CallId("call".to_owned()),
        changeset: ChangesetId(Uuid::nil()),
        only: None,
        request: String::new(),
        by_user: false,
        stop: Stop::default(),
    };
    let context = ToolContext::new(&ground, &conversation, &scope, &|_| {});
    let output = call.run(&context);
    let staged = output.staged.iter().map(|view| view.path.as_str().to_owned());
    (output.content.clone(), staged.collect())
}
