//! Checks: compilers and linters of the project, and what they say.
//!
//! In: a workspace and the files that were touched. Out: the checks that fit ([`found`]), and those that build it ([`builds`]), what the
//! output of one means ([`Parser::read`]), and which diagnostics are new ([`new`]). Nothing here runs a
//! program.

use std::time::Duration;

use serde::Deserialize;
use signoff_sandbox::process::command_line;

mod baseline;
mod diagnostic;
mod found;
mod parser;
mod report;

pub use baseline::Baseline;
pub use diagnostic::{Diagnostic, Severity, new};
pub use found::{MissingCheck, Touched, builds, found, missing};
pub use parser::Parser;
pub use report::{CheckOutcome, CheckReport, CheckStep, Checked};

/// A program that checks files of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What users and models know it by.
    pub name: String,
    /// What it is about.
    pub kind: Kind,
    /// The program: a name on the path, or a path relative to the workspace.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it runs in, relative to the workspace.
    pub folder: String,
    /// How its output is read.
    pub parser: Parser,
    /// How long it may run, if that is configured.
    pub timeout: Option<Duration>,
}

impl Check {
    /// Returns the command as a shell would read it.
    pub fn line(&self) -> String {
        command_line(std::iter::once(&self.program).chain(&self.arguments))
    }
}

/// What a check is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Whether it compiles.
    Types,
    /// What a linter says.
    Style,
    /// Whether it can be built.
    Build,
}
