//! Registry of tools.
//!
//! In: a call. Out: the call with its arguments read, or the answer that it gets instead.

use std::sync::Arc;

use serde_json::{Value, json};

use super::apply_structured_edits::ApplyStructuredEdits;
use super::bash::Bash;
#[cfg(target_os = "linux")]
use super::bash::shadowed::ShadowedBash;
#[cfg(target_os = "linux")]
use super::code_action::CodeAction;
use super::declare_edit_intent::DeclareEditIntent;
#[cfg(target_os = "linux")]
use super::definition::PlacedSymbol;
use super::delegate::Delegate;
use super::delete::Delete;
use super::edit::{EDIT, Edit};
use super::edit_section::{EDIT_SECTION, EditSection};
use super::execute_edit::ExecuteEdit;
use super::find::Find;
use super::find_symbol::{FindSymbol, References};
use super::foreign::{CALL, CallForeign, FindForeign};
use super::git::{GitDiff, GitLog, GitStatus};
use super::grep::Grep;
use super::list_dir::ListDir;
use super::move_file::MoveFile;
use super::outline::Outline;
use super::read::Read;
#[cfg(target_os = "linux")]
use super::rename_symbol::RenameSymbol;
use super::repo_map::RepoMap;
use super::similar::Similar;
use super::skill::ReadSkill;
use super::update_plan::UpdatePlan;
use super::web::{FetchPage, SearchWeb};
use super::write::{WRITE, Write};
use super::{CommentOnHunk, PlainTool as _, PreparedCall, Reach, Tool, ToolOutput, ToolSpec};
use crate::agent::{Agent, Agents};
use crate::apply::ApplyModel;
#[cfg(target_os = "linux")]
use crate::code_index::Asked;
use crate::critic::READING;
use crate::foreign::ForeignServers;
use crate::instructions::Profile;
use crate::message::ToolCall;
use crate::skill::Skills;
use crate::tool_spec;
use crate::web::Web;

/// The tools that a session offers, in the order of the request.
#[derive(Clone, Default)]
pub struct Registry {
    tools: Vec<OfferedTool>,
}

/// A tool of any type, with its specification.
#[derive(Clone)]
pub struct OfferedTool {
    spec: ToolSpec,
    prepare: Arc<Prepare>,
}

/// Reads the arguments of a call of one tool.
type Prepare = dyn Fn(&ToolCall) -> Result<PreparedCall, ToolOutput> + Send + Sync;

impl OfferedTool {
    /// Returns a tool that can be offered.
    pub(crate) fn new<T: Tool>(tool: T) -> Self {
        let spec = tool.spec();
        let (tool, reach) = (Arc::new(tool), spec.reach);
        Self {
            spec,
            prepare: Arc::new(move |call| PreparedCall::read(&tool, reach, call)),
        }
    }

    /// Returns its specification.
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Reads the arguments of a call of this tool, or returns the answer to a call that cannot be read.
    pub fn prepare(&self, call: &ToolCall) -> Result<PreparedCall, ToolOutput> {
        debug_assert_eq!(self.spec.name, call.name, "a call of another tool");
        (self.prepare)(call)
    }
}

impl Registry {
    /// Returns all tools of signoff.
    pub fn standard() -> Self {
        Self::of(vec![
            OfferedTool::new(Read),
            OfferedTool::new(ListDir),
            OfferedTool::new(Find),
            OfferedTool::new(Grep),
            OfferedTool::new(Outline),
            OfferedTool::new(FindSymbol),
            OfferedTool::new(References),
            OfferedTool::new(RepoMap),
            OfferedTool::new(Similar),
            OfferedTool::new(DeclareEditIntent),
            OfferedTool::new(ExecuteEdit::default()),
            OfferedTool::new(EditSection),
            OfferedTool::new(ApplyStructuredEdits),
            OfferedTool::new(Edit),
            OfferedTool::new(Write),
            OfferedTool::new(MoveFile),
            OfferedTool::new(Delete),
            OfferedTool::new(Bash),
            OfferedTool::new(GitStatus),
            OfferedTool::new(GitDiff),
            OfferedTool::new(GitLog),
            OfferedTool::new(UpdatePlan),
        ])
    }

    /// Returns what a model of this profile is offered.
    pub fn of_profile(profile: Profile) -> Self {
        match profile {
            Profile::Full => Self::standard(),
            Profile::Small => Self::of(vec![
                OfferedTool::new(Grep),
                OfferedTool::new(Read),
                OfferedTool::new(EditSection),
                OfferedTool::new(Write),
            ]),
        }
    }

    /// Returns the same with commands that run in the shadow, if there are any.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_shadow(mut self) -> Self {
        let shadowed = OfferedTool::new(ShadowedBash);
        for tool in &mut self.tools {
            if tool.spec.name == shadowed.spec.name {
                *tool = shadowed.clone();
            }
        }
        self
    }

    /// Returns the same with what language servers do, where one for a file of the workspace is there.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_language_servers(mut self) -> Self {
        let placed = [
            OfferedTool::new(PlacedSymbol(Asked::Definitions)),
            OfferedTool::new(PlacedSymbol(Asked::References)),
        ];
        for tool in &mut self.tools {
            if let Some(own) = placed.iter().find(|own| own.spec.name == tool.spec.name) {
                *tool = own.clone();
            }
        }
        self.tools
            .extend([OfferedTool::new(RenameSymbol), OfferedTool::new(CodeAction)]);
        self
    }

    /// Returns the same with a small model that writes the content of edits.
    #[must_use]
    pub fn with_apply(mut self, apply: ApplyModel) -> Self {
        let tool = OfferedTool::new(ExecuteEdit { apply: Some(apply) });
        self.tools.retain(|known| known.spec.name != tool.spec.name);
        self.tools.push(tool);
        self
    }

    /// Returns the same with the text of skills, if there is one that the model may call for.
    #[must_use]
    pub fn with_skills(mut self, skills: Arc<Skills>) -> Self {
        if skills.are_offered() {
            self.tools.push(OfferedTool::new(ReadSkill { skills }));
        }
        self
    }

    /// Returns the same with the tools of servers.
    #[must_use]
    pub fn with_servers(mut self, servers: Arc<dyn ForeignServers>) -> Self {
        self.tools.push(OfferedTool::new(FindForeign {
            servers: Arc::clone(&servers),
        }));
        self.tools.push(OfferedTool::new(CallForeign { servers }));
        self
    }

    /// Returns the same with pages of the web, and a search for them if one is configured.
    #[must_use]
    pub fn with_web(mut self, web: Web) -> Self {
        if web.searches() {
            self.tools
                .push(OfferedTool::new(SearchWeb { web: web.clone() }));
        }
        self.tools.push(OfferedTool::new(FetchPage { web }));
        self
    }

    /// Returns which tool a model means by a name with leftovers of a template, or in another case.
    pub(crate) fn meant_name(&self, name: &str) -> Option<&'static str> {
        tool_spec::meant(name, self.tools.iter().map(|tool| tool.spec.name))
    }

    /// Returns the call that a model means by one of a text editor of other programs, which has a `command`, or of a tool of a
    /// server by the tool's own name, which is one of [`CALL`]; none where there is no such tool to call.
    pub(crate) fn meant(&self, call: &ToolCall) -> Option<ToolCall> {
        if call.name == EDIT_SECTION {
            return self.meant_by_command(call);
        }
        if !call.name.contains("__") || self.find(&call.name).is_some() {
            return None;
        }
        self.find(CALL)?;
        let arguments = match serde_json::from_str::<Value>(&call.arguments) {
            Ok(arguments) => json!({ "tool": call.name, "arguments": arguments }).to_string(),
            // What is wrong with the text is said of it as it was written.
            Err(_) => call.arguments.clone(),
        };
        Some(ToolCall {
            id: call.id.clone(),
            name: CALL.to_owned(),
            arguments,
        })
    }

    /// Returns the call that a text editor's `command` asks for, where another tool does the same with its arguments:
    /// `{"command":"view","path":"a"}` is a call of `read`.
    fn meant_by_command(&self, call: &ToolCall) -> Option<ToolCall> {
        let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
        let name = match arguments.get("command")?.as_str()? {
            "view" => Read::NAME,
            "create" => WRITE,
            "insert" => EDIT,
            _ => return None,
        };
        self.find(name)?;
        Some(ToolCall {
            name: name.to_owned(),
            ..call.clone()
        })
    }

    /// Returns the same with a tool that gives agents tasks, if there are any.
    #[must_use]
    pub fn with_agents(mut self, agents: Arc<Agents>) -> Self {
        if !agents.is_empty() {
            self.tools.push(OfferedTool::new(Delegate { agents }));
        }
        self
    }

    /// Returns those of the tools that an agent may use.
    #[must_use]
    pub(crate) fn for_agent(&self, agent: &Agent) -> Self {
        let tools = self.tools.iter().filter(|tool| agent.may_use(&tool.spec));
        Self::of(tools.cloned().collect())
    }

    /// Returns what the review agent is offered: those of the tools that read files and history, of a small profile only
    /// the two that matter most, and its own. None of them stages, runs or decides anything.
    #[must_use]
    pub(crate) fn for_critic(&self, profile: Profile, comment: CommentOnHunk) -> Self {
        let reading = self
            .tools
            .iter()
            .filter(|tool| {
                let ToolSpec { name, reach, .. } = tool.spec;
                let is_wanted = match profile {
                    Profile::Full => READING.contains(&name),
                    Profile::Small => ["read", "grep"].contains(&name),
                };
                is_wanted && reach == Reach::Observe
            })
            .cloned();
        let comment = OfferedTool::new(comment);
        Self::of(reading.chain([comment]).collect())
    }

    /// Returns these tools.
    pub fn of(tools: Vec<OfferedTool>) -> Self {
        Self { tools }
    }

    /// Returns the tools.
    pub fn tools(&self) -> &[OfferedTool] {
        &self.tools
    }

    /// Returns the specifications of the tools.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec.clone()).collect()
    }

    /// Returns a tool, if it exists.
    pub fn find(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|tool| tool.spec.name == name)
    }

    /// Returns how far a tool reaches, if it exists.
    pub fn reach(&self, name: &str) -> Option<Reach> {
        self.find(name).map(|tool| tool.spec.reach)
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.tools.iter().map(|tool| tool.spec.name);
        f.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::delegate::DELEGATE;
    use super::*;
    use crate::message::CallId;
    use crate::tool::testing::{Folder, run};
    use crate::tool_names;
    use crate::web::WebSettings;

    /// Returns what became of a call of a text editor, and the file then.
    fn edited(tools: &Registry, arguments: &Value) -> (String, String) {
        let folder = Folder::new(&[("a", "one\ntwo\n")]);
        let call = ToolCall {
            id: CallId("c".to_owned()),
            name: tools.meant_name("str_replace_editor").unwrap().to_owned(),
            arguments: arguments.to_string(),
        };
        let call = tools.meant(&call).unwrap_or(call);
        let answer = run(tools, &call.name, arguments, &folder.context()).content;
        let path = arguments["path"].as_str().unwrap();
        let text = folder.call("read", json!({ "path": path })).content;
        (answer, text)
    }

    #[test]
    fn commands_of_a_text_editor_are_calls_of_the_tools_that_do_the_same() {
        let standard = Registry::standard();
        for (arguments, expected) in [
            (
                json!({ "command": "create", "path": "b", "file_text": "x\n" }),
                "    1\tx\n",
            ),
            (
                json!({ "command": "insert", "path": "a", "insert_line": 1, "new_str": "x\ny\n" }),
                "    1\tone\n    2\tx\n    3\ty\n    4\ttwo\n",
            ),
            (
                json!({ "command": "insert", "path": "a", "insert_line": 0, "insert_text": "x" }),
                "    1\tx\n    2\tone\n    3\ttwo\n",
            ),
            (
                json!({ "command": "str_replace", "path": "a", "old_str": "one", "new_str": "1" }),
                "    1\t1\n    2\ttwo\n",
            ),
        ] {
            let (answer, text) = edited(&standard, &arguments);
            assert_eq!(text, expected, "{answer}");
            assert!(!answer.contains("note: no effect"), "{answer}");
        }
        for (arguments, expected) in [
            (
                json!({ "command": "view", "path": "a" }),
                "    1\tone\n    2\ttwo\n",
            ),
            (
                json!({ "command": "view", "path": "a", "view_range": [2, -1] }),
                "    2\ttwo\n",
            ),
        ] {
            assert_eq!(edited(&standard, &arguments).0, expected);
        }
    }

    #[test]
    fn a_command_of_a_text_editor_that_no_tool_does_names_the_tool_to_use() {
        let (standard, small) = (Registry::standard(), Registry::of_profile(Profile::Small));
        for (tools, arguments, expected) in [
            (
                &standard,
                json!({ "command": "create", "path": "a", "file_text": "x\n" }),
                "edit_section",
            ),
            (
                &standard,
                json!({ "command": "undo_edit", "path": "a" }),
                "edit_section",
            ),
            (
                &small,
                json!({ "command": "insert", "path": "a", "insert_line": 1, "new_str": "x" }),
                "edit_section",
            ),
            (
                &standard,
                json!({ "command": "paint", "path": "a" }),
                "view, create, str_replace",
            ),
        ] {
            let (answer, text) = edited(tools, &arguments);
            assert!(
                answer.starts_with("error: ") && answer.contains("Nothing was changed"),
                "{answer}"
            );
            assert!(answer.contains(expected), "{answer}");
            assert_eq!(text, "    1\tone\n    2\ttwo\n");
        }
    }

    #[test]
    fn all_tools_have_a_name_that_rules_may_have() {
        let tools = Registry::standard().with_web(Web::new(WebSettings {
            search: Some("https://a.example/?q={query}".to_owned()),
            ..WebSettings::default()
        }));
        #[cfg(target_os = "linux")]
        let tools = tools.with_shadow().with_language_servers();
        let others = [
            ReadSkill::NAME,
            FindForeign::NAME,
            CALL,
            DELEGATE,
            CommentOnHunk::NAME,
        ];
        let names = tools.specs().into_iter().map(|spec| spec.name);
        let names: BTreeSet<&str> = names.chain(others).collect();
        let missing: Vec<_> = names
            .iter()
            .filter(|name| tool_names::all().all(|own| own != **name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        #[cfg(target_os = "linux")]
        assert_eq!(tool_names::all().collect::<BTreeSet<_>>(), names);
    }
}
