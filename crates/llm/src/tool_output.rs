//! Tool outputs: what came of a call, for the model, for the user and for the session.
//!
//! Plain values, which the session and the tools share.

use serde::{Deserialize, Serialize};
use signoff_core::id::HunkId;
use signoff_core::stage::review::StagedProposals;
use signoff_sandbox::waiting_commits::SettledChange;

use crate::image::Image;

/// What an answer of `rename_symbol` says before the files that still have the name; the offline planner tells them.
pub(crate) const LEFT_BY_SERVER: &str =
    "left as it is, since the language server does not say that it is the same: ";

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// What the model reads.
    pub content: String,
    /// True if the tool did what was asked.
    pub ok: bool,
    /// One line for the user.
    pub summary: String,
    /// Proposals that the call staged.
    pub staged: Box<StagedProposals>,
    /// True if what the call proposed was written at once.
    pub written: bool,
    /// What the call did beside.
    pub deeds: Box<CallDeeds>,
    /// What the model is going to do, if the call said so.
    pub plan: Option<Box<PlanSteps>>,
    /// What is wrong with an edit, where the model is told of that beside the answer.
    pub setback: Option<Box<Setback>>,
    /// What a program printed, for the user.
    pub printed: Option<Box<PrintedStreams>>,
    /// What an agent said at its end, for a user who gave it the task.
    pub said: Option<String>,
}

/// What a call did beside staging, and what came of it beside text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallDeeds {
    /// Files that it changed by itself.
    pub changed: Vec<ChangedFile>,
    /// Hunks that waited and are in what it staged now, or were taken back by it.
    pub rewritten: Vec<HunkId>,
    /// What waits of commits that its program made, with those of earlier ones.
    pub commit: Option<SettledChange>,
    /// Images that came with its answer.
    pub images: Vec<Image>,
}

/// What a program printed, of bounded size.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PrintedStreams {
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// What is wrong with an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setback {
    /// Its place in this text file was not found, or a guard refuses it as it is: another way of
    /// editing may do it.
    Misfit(String),
    /// The text would have these errors of syntax.
    Syntax(Vec<SyntaxFault>),
    /// It is staged, and leaves names undefined: what is said of each.
    Undefined(Vec<String>),
}

/// An error of syntax in a text that was not staged for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxFault {
    /// The file.
    pub path: String,
    /// 1-based line of the text that was asked for.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// What is wrong, in one line.
    pub message: String,
}

/// A file that a call changed by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// Path relative to the workspace.
    pub path: String,
    /// Its version in history; none if it is not recorded there and cannot be reverted.
    pub version: Option<u64>,
    /// Lines added.
    pub added: u32,
    /// Lines removed.
    pub removed: u32,
}

/// The steps of a plan, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSteps(pub Vec<PlanStep>);

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    /// What is to be done, in one line.
    pub step: String,
    /// How far it is.
    pub status: StepStatus,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}

impl ToolOutput {
    /// Returns the answer to a call that did what was asked and staged nothing.
    pub fn done(content: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ok: true,
            summary: summary.into(),
            staged: Box::default(),
            written: false,
            deeds: Box::default(),
            plan: None,
            setback: None,
            printed: None,
            said: None,
        }
    }

    /// Returns the answer to a call that did not do what was asked and changed nothing.
    pub fn failed(content: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            ok: false,
            ..Self::done(content, summary)
        }
    }

    /// Tells whether files, or what tools read of them, are others than before the call.
    pub(crate) fn changes_files(&self) -> bool {
        self.written || !self.staged.is_empty() || !self.deeds.changed.is_empty()
    }
}
