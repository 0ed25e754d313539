//! Registry of tools.
//!
//! In: a call. Out: its answer, of bounded size.

use std::time::Duration;

#[cfg(target_os = "linux")]
use super::apply_structured_edits::ApplyStructuredEdits;
use super::bash::Bash;
#[cfg(target_os = "linux")]
use super::bash::shadowed::ShadowedBash;
use super::declare_edit_intent::DeclareEditIntent;
use super::delete::Delete;
use super::edit::Edit;
use super::edit_section::EditSection;
use super::execute_edit::ExecuteEdit;
use super::find::Find;
use super::find_symbol::{FindSymbol, References};
use super::git::{GitDiff, GitLog, GitStatus};
use super::grep::Grep;
use super::list_dir::ListDir;
use super::move_file::MoveFile;
use super::outline::Outline;
use super::read::Read;
use super::repo_map::RepoMap;
use super::similar::Similar;
use super::update_plan::UpdatePlan;
use super::write::Write;
use super::{Reach, Tool, ToolContext, ToolOutput, ToolSpec};
use crate::apply::ApplyModel;
use crate::instructions::Profile;
use crate::message::ToolCall;

/// The tools that a session offers, in the order of the request.
pub struct Registry {
    tools: Vec<(ToolSpec, Box<dyn Tool>)>,
}

/// No answer is longer, whatever a tool does. A command's two streams of 1 MB each fit in, with
/// every byte of them escaped.
const MOST_BYTES: usize = 13 * 1024 * 1024;

impl Registry {
    /// Returns all tools of signoff.
    pub fn standard() -> Self {
        Self::of(vec![
            Box::new(Read),
            Box::new(ListDir),
            Box::new(Find),
            Box::new(Grep),
            Box::new(Outline),
            Box::new(FindSymbol),
            Box::new(References),
            Box::new(RepoMap),
            Box::new(Similar),
            Box::new(DeclareEditIntent),
            Box::new(ExecuteEdit::default()),
            Box::new(EditSection),
            Box::new(ApplyStructuredEdits),
            Box::new(Edit),
            Box::new(Write),
            Box::new(MoveFile),
            Box::new(Delete),
            Box::new(Bash),
            Box::new(GitStatus),
            Box::new(GitDiff),
            Box::new(GitLog),
            Box::new(UpdatePlan),
        ])
    }

    /// Returns what a model of this profile is offered.
    pub fn of_profile(profile: Profile) -> Self {
        match profile {
            Profile::Full => Self::standard(),
            Profile::Small => Self::of(vec![
                Box::new(Grep),
                Box::new(Read),
                Box::new(EditSection),
                Box::new(Write),
            ]),
        }
    }

    /// Returns the same with commands that run in the shadow, if there are any; `confined` if they need no question.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_shadow(mut self, confined: bool) -> Self {
        for (spec, tool) in &mut self.tools {
            if spec.name == Bash.spec().name {
                *tool = Box::new(ShadowedBash { confined });
                *spec = tool.spec();
            }
        }
        self
    }

    /// Returns the same with a small model that writes the content of edits.
    #[must_use]
    pub fn with_apply(mut self, apply: ApplyModel) -> Self {
        let tool: Box<dyn Tool> = Box::new(ExecuteEdit { apply: Some(apply) });
        let spec = tool.spec();
        self.tools.retain(|(known, _)| known.name != spec.name);
        self.tools.push((spec, tool));
        self
    }

    /// Returns these tools.
    pub fn of(tools: Vec<Box<dyn Tool>>) -> Self {
        let tools = tools.into_iter().map(|tool| (tool.spec(), tool)).collect();
        Self { tools }
    }

    /// Returns the specifications of the tools.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|(spec, _)| spec.clone()).collect()
    }

    /// Returns how far a tool reaches, if it exists.
    pub fn reach(&self, name: &str) -> Option<Reach> {
        let found = self.tools.iter().find(|(spec, _)| spec.name == name);
        found.map(|(spec, _)| spec.reach)
    }

    /// Returns how long a call of a tool may take, if that is bounded from outside.
    pub fn time_limit(&self, name: &str) -> Option<Duration> {
        let found = self.tools.iter().find(|(spec, _)| spec.name == name);
        found.and_then(|(_, tool)| tool.time_limit())
    }

    /// Carries out a call.
    pub fn run(&self, call: &ToolCall, context: &ToolContext<'_>) -> ToolOutput {
        let tool = self.tools.iter().find(|(spec, _)| spec.name == call.name);
        let Some((_, tool)) = tool else {
            return ToolOutput::failed("error: there is no such tool", "no such tool");
        };
        let mut output = tool.run(&call.arguments, context);
        if output.content.len() > MOST_BYTES {
            let cut = output.content.floor_char_boundary(MOST_BYTES);
            output.content.truncate(cut);
            output.content += "\n(cut: the answer was too long)";
        }
        output
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.tools.iter().map(|(spec, _)| spec.name);
        f.debug_list().entries(names).finish()
    }
}
