//! A folder with an engine over it, for the tests of the tools and of the driver.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use signoff_core::budget::Stop;
use signoff_core::disk::workspace::Workspace;
use signoff_core::disk::workspace::disk::DiskWorkspace;
use signoff_core::engine::Engine;
use signoff_core::id::{Ambient, ChangesetId, Timestamp};
use signoff_core::record::store::Store;
use signoff_core::stage::review::Proposer;
use tempfile::TempDir;
use uuid::Uuid;

use super::arguments::unfit;
use super::{
    CallFacts, CallScope, ConversationScope, Ground, OfferedTool, PreparedCall, Reach, Registry,
    Tool, ToolContext, ToolOutput, ToolSpec,
};
use crate::message::{CallId, ToolCall};
use crate::permission::{Permission, Policy, Rule};

/// A folder on disk that goes away with the test.
pub(crate) struct Folder {
    root: PathBuf,
    /// Removes the folder; none for one inside of another.
    _dir: Option<TempDir>,
    pub(crate) engine: Arc<Mutex<Engine>>,
    pub(crate) stop: Stop,
    ground: Ground,
    conversation: ConversationScope,
    scope: CallScope,
}

impl Folder {
    /// Returns a folder with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::over(files, |disk| Box::new(disk))
    }

    /// Returns a folder with these files, and a workspace of the test's over it.
    pub(crate) fn over(
        files: &[(&str, &str)],
        workspace: impl FnOnce(DiskWorkspace) -> Box<dyn Workspace>,
    ) -> Self {
        let dir = TempDir::new().expect("a folder");
        for (path, text) in files {
            save(&dir.path().join(path), text);
        }
        let root = dir.path().to_owned();
        Self {
            _dir: Some(dir),
            ..Self::at(root, workspace)
        }
    }

    /// Returns a folder that is there already and stays.
    pub(crate) fn inside(root: &Path) -> Self {
        Self::at(root.to_owned(), |disk| Box::new(disk))
    }

    /// Returns the same folder, where one rule denies to read what fits a pattern.
    pub(crate) fn without(self, pattern: &str) -> Self {
        let rule = Rule {
            tool: "read".to_owned(),
            pattern: pattern.to_owned(),
            action: Permission::Deny,
        };
        let policy = Policy::new(vec![rule], Vec::new()).within(&self.root);
        let ground = self.ground.with_policy(policy);
        Self { ground, ..self }
    }

    fn at(root: PathBuf, workspace: impl FnOnce(DiskWorkspace) -> Box<dyn Workspace>) -> Self {
        let disk = DiskWorkspace::open(&root).expect("a folder");
        let engine = Arc::new(Mutex::new(open(workspace(disk))));
        let stop = Stop::default();
        Self {
            ground: Ground::new(Arc::clone(&engine)).with_hidden(vec!["HOME".to_owned()]),
            conversation: conversation(),
            scope: CallScope {
                call: CallId("call".to_owned()),
                changeset: ChangesetId(Uuid::from_u128(2)),
                only: None,
                request: String::new(),
                by_user: false,
                stop: stop.clone(),
            },
            root,
            _dir: None,
            engine,
            stop,
        }
    }

    /// Returns a tool context over the folder.
    pub(crate) fn context(&self) -> ToolContext<'_> {
        self.context_in(&self.conversation)
    }

    /// Returns a tool context over the folder, of a call in this conversation.
    pub(crate) fn context_in<'a>(&'a self, conversation: &'a ConversationScope) -> ToolContext<'a> {
        ToolContext::new(&self.ground, conversation, &self.scope, &|_| {})
    }

    /// Runs a call of a standard tool.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> ToolOutput {
        run(&Registry::standard(), tool, &arguments, &self.context())
    }

    /// Returns what is on disk.
    pub(crate) fn disk(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }

    /// Returns where a file is on disk.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// Returns a conversation in which nothing was read.
pub(crate) fn conversation() -> ConversationScope {
    ConversationScope::new(
        "session".to_owned(),
        Proposer::Model {
            name: "m".to_owned(),
        },
    )
}

/// Runs a call of a tool of a registry, unless its arguments cannot be read.
pub(crate) fn run(
    tools: &Registry,
    name: &str,
    arguments: &Value,
    context: &ToolContext<'_>,
) -> ToolOutput {
    let call = ToolCall {
        id: CallId("call".to_owned()),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    let tool = tools.find(name).expect("the tool exists");
    match tool.prepare(&call) {
        Ok(prepared) => prepared.run(context),
        Err(output) => output,
    }
}

/// A tool with a specification and facts of the test's, which does nothing.
pub(crate) struct FakeTool {
    pub(crate) spec: ToolSpec,
    pub(crate) facts: Box<dyn Fn(&Value) -> CallFacts + Send + Sync>,
}

impl Tool for FakeTool {
    type Arguments = Value;

    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn read(&self, arguments: &str) -> Result<Value, ToolOutput> {
        serde_json::from_str(arguments).map_err(|error| unfit(&error))
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        None
    }

    fn facts(&self, arguments: &Value) -> CallFacts {
        (self.facts)(arguments)
    }

    fn new_text<'a>(&self, arguments: &'a Value) -> Option<&'a str> {
        arguments
            .get("content")
            .or_else(|| arguments.pointer("/edits/0/new_text"))?
            .as_str()
    }

    fn run(&self, _: &Value, _: &ToolContext<'_>) -> ToolOutput {
        ToolOutput::done("", "")
    }
}

/// Returns a call of no arguments of a tool that reaches so far.
pub(crate) fn prepared(id: &str, reach: Reach) -> PreparedCall {
    let tool = OfferedTool::new(FakeTool {
        spec: ToolSpec {
            name: "",
            description: "",
            parameters: Value::Null,
            reach,
        },
        facts: Box::new(|_| CallFacts::none()),
    });
    let call = ToolCall {
        id: CallId(id.to_owned()),
        name: String::new(),
        arguments: "{}".to_owned(),
    };
    tool.prepare(&call).expect("arguments that can be read")
}

pub(crate) fn save(path: &Path, bytes: impl AsRef<[u8]>) {
    let parent = path.parent().expect("files are in folders");
    std::fs::create_dir_all(parent).expect("a folder");
    std::fs::write(path, bytes).expect("a file");
}

fn open(workspace: Box<dyn Workspace>) -> Engine {
    let mut number = 0;
    let ambient = Ambient {
        now: Box::new(|| Timestamp(0)),
        uuid: Box::new(move || {
            number += 1;
            Uuid::from_u128(number)
        }),
    };
    let store = Store::in_memory().expect("a store");
    Engine::new(workspace, store, ambient).expect("an engine")
}
