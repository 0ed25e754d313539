//! Test suites: how test files are run, and what came of their tests.
//!
//! In: test files of a workspace. Out: the commands that run only these ([`commands`]), and what the
//! output of one means ([`Framework::read`]). Nothing here runs a program.

mod commands;
mod output;

use std::fmt;

use serde::Serialize;
use signoff_sandbox::process::command_line;

pub use commands::commands;

/// What runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Framework {
    /// `cargo test`.
    Cargo,
    /// `pytest`.
    Pytest,
    /// `go test`.
    Go,
    /// Jest.
    Jest,
    /// Vitest.
    Vitest,
    /// Mocha.
    Mocha,
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cargo => "cargo test",
            Self::Pytest => "pytest",
            Self::Go => "go test",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Mocha => "mocha",
        })
    }
}

/// A command that runs some test files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteCommand {
    /// What runs them.
    pub framework: Framework,
    /// The program: a name on the path, or a path.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it runs in, relative to the workspace.
    pub folder: String,
}

impl SuiteCommand {
    /// Returns the command as a shell would read it.
    pub fn line(&self) -> String {
        command_line(std::iter::once(&self.program).chain(&self.arguments))
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TestStatus {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It was not run.
    Skipped,
}

/// A test that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestCase {
    /// Its name as the framework has it.
    pub test: String,
    /// How it ended.
    pub status: TestStatus,
    /// What a failing one said, cut short; empty otherwise.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}
