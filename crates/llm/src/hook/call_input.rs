//! Hook input: a call as hooks of Claude Code know it.
//!
//! In: a call whose arguments were read. Out: the names under which matchers find its tool, and the JSON that a hook reads.
//!
//! | tool | `tool_name` | matchers find it as |
//! |---|---|---|
//! | `bash` | `Bash` | `Bash` |
//! | `read` | `Read` | `Read` |
//! | `grep`, `find`, `list_dir` | `Grep`, `Glob`, `LS` | the same |
//! | `write` | `Write` | `Write`, `Edit`, `MultiEdit` |
//! | every other tool that stages | `Edit` | `Edit`, `Write`, `MultiEdit` |
//! | `server__tool` of a server | `mcp__server__tool` | the same, `server__tool` |
//!
//! Every tool is found by its own name as well. A tool that stages is found as any of the three, because each of signoff's
//! edits can make a file, change it or replace it: a hook that guards `Write` is not to be passed by an edit.
//!
//! What a hook judges is what runs: `file_path`, `command`, `content` and `new_string` come from the arguments as the tool
//! reads them, and stand in place of whatever the model wrote under these names. A call about several files is several
//! inputs, a file each, since a hook expects one.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use super::HookEvent;
use crate::subjects::Subjects;
use crate::tool_spec::Reach;
use signoff_core::clip;

/// Files of one call that hooks are asked about: each of them starts the programs of all hooks that it concerns.
pub(crate) const MAX_FILES: usize = 32;
/// Maximum bytes of a call's answer in the input of a hook.
const MAX_RESPONSE: usize = 256 * 1024;

/// A call, as hooks are to know it.
#[derive(Clone, Copy, Debug)]
pub struct HookedCall<'a> {
    /// The tool.
    pub tool: &'a str,
    /// How far it reaches.
    pub reach: Reach,
    /// What the call is used on, from its arguments as they were read.
    pub subjects: &'a Subjects,
    /// The arguments, as the model wrote them.
    pub arguments: &'a str,
    /// The new text that it brings, if it does.
    pub new_text: Option<&'a str>,
}

/// Whom a hook hears of the call from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookScene<'a> {
    /// The conversation.
    pub(crate) session: &'a str,
    /// The workspace, as the hook finds it.
    pub(crate) root: &'a Path,
}

impl HookedCall<'_> {
    /// Returns the names under which matchers find the tool; the first one is that in the input of a hook.
    pub fn names(&self) -> Vec<String> {
        let own = self.subjects.tool().unwrap_or(self.tool);
        let known: &[&str] = match (self.tool, self.reach, self.subjects) {
            (_, _, Subjects::Foreign(_)) => &[],
            ("bash", ..) => &["Bash"],
            ("read", ..) => &["Read"],
            ("grep", ..) => &["Grep"],
            ("find", ..) => &["Glob"],
            ("list_dir", ..) => &["LS"],
            ("web_fetch", ..) => &["WebFetch"],
            ("web_search", ..) => &["WebSearch"],
            ("write", ..) => &["Write", "Edit", "MultiEdit"],
            ("delegate", ..) => &["Task"],
            (_, Reach::Stage, _) => &["Edit", "Write", "MultiEdit"],
            (_, Reach::Observe | Reach::Execute | Reach::Delegate, _) => &[],
        };
        let mut all: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
        if let Subjects::Foreign(_) = self.subjects {
            all.push(format!("mcp__{own}"));
        }
        all.push(own.to_owned());
        all
    }

    /// Returns how many files a hook is asked about one by one; one for a call without a file.
    pub(crate) fn files(&self) -> usize {
        self.paths().len().max(1)
    }

    /// Returns what a hook reads, once for each file; after a call that did what was asked, with what the model reads of it.
    pub(crate) fn inputs(
        &self,
        event: HookEvent,
        scene: HookScene<'_>,
        response: Option<&str>,
    ) -> Vec<Value> {
        let mut paths: Vec<Option<&str>> = self.paths().into_iter().map(Some).collect();
        if paths.is_empty() {
            paths.push(None);
        }
        let names = self.names();
        let input = |path: Option<&str>| {
            let root = scene.root.to_string_lossy();
            let mut input = json!({
                "session_id": scene.session,
                "cwd": root,
                "hook_event_name": event.name(),
                "tool_name": names.first(),
                "signoff_tool": self.tool,
                "tool_input": self.tool_input(path, scene.root),
            });
            if let (Some(response), Some(fields)) = (response, input.as_object_mut()) {
                let content = clip::head(response, MAX_RESPONSE);
                let told = json!({"success": true, "content": content});
                fields.insert("tool_response".to_owned(), told);
            }
            input
        };
        paths.into_iter().map(input).collect()
    }

    fn paths(&self) -> Vec<&str> {
        let Subjects::Paths(paths) = self.subjects else {
            return Vec::new();
        };
        let mut named: Vec<&str> = Vec::new();
        for path in paths.iter().map(String::as_str) {
            if !path.is_empty() && !named.contains(&path) {
                named.push(path);
            }
        }
        named
    }

    fn tool_input(&self, path: Option<&str>, root: &Path) -> Value {
        let mut fields = match self.subjects {
            Subjects::Foreign(subject) => subject.arguments.as_object().cloned(),
            Subjects::Command(_)
            | Subjects::Confined(_)
            | Subjects::Networked(_)
            | Subjects::Paths(_)
            | Subjects::Page(_) => crate::json::parse::<Map<String, Value>>(self.arguments).ok(),
        }
        .unwrap_or_else(Map::new);
        if let Subjects::Foreign(_) = self.subjects {
            return Value::Object(fields);
        }
        for name in ["file_path", "command", "content", "new_string"] {
            fields.remove(name);
        }
        if let Some(path) = path {
            set(
                &mut fields,
                "file_path",
                &absolute(root, path).to_string_lossy(),
            );
        }
        if let Some(text) = self.new_text {
            set(&mut fields, "content", text);
            set(&mut fields, "new_string", text);
        }
        if let Subjects::Command(line) | Subjects::Confined(line) | Subjects::Networked(line) =
            self.subjects
        {
            set(&mut fields, "command", line);
        }
        if let Subjects::Page(address) = self.subjects {
            set(&mut fields, "url", &address.to_string());
        }
        Value::Object(fields)
    }
}

fn set(fields: &mut Map<String, Value>, name: &str, text: &str) {
    fields.insert(name.to_owned(), json!(text));
}

/// Returns what a hook reads of a prompt.
pub(crate) fn prompt_input(scene: HookScene<'_>, prompt: &str) -> Value {
    json!({
        "session_id": scene.session,
        "cwd": scene.root.to_string_lossy(),
        "hook_event_name": HookEvent::UserPromptSubmit.name(),
        "prompt": prompt,
    })
}

/// Returns a path below the workspace, without `.` and `..`: `src/../.env` is `.env`.
fn absolute(root: &Path, path: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for component in root.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                whole.push(component);
            }
        }
    }
    whole
}
