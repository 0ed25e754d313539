//! Test suites: how test files are run, and what came of their tests.
//!
//! In: test files of a workspace. Out: the commands that run only these ([`find_suites`]), what the
//! output of one means ([`Framework::read`]), and how long each took last ([`SuiteTimes`]). Nothing here runs a program.

mod commands;
mod output;
mod python;
mod times;

use std::fmt;

use serde::Serialize;
use signoff_sandbox::process::command_line;

pub use commands::{Extent, FoundSuites, LackingSuite, TestPlace, find_suites, is_package_marker};
pub use times::SuiteTimes;

/// What runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Framework {
    /// `cargo test`.
    Cargo,
    /// `pytest`.
    Pytest,
    /// `python -m unittest`.
    Unittest,
    /// `go test`.
    Go,
    /// Jest.
    Jest,
    /// Vitest.
    Vitest,
    /// Mocha.
    Mocha,
    /// `node --test`.
    Node,
    /// The script `test` of a `package.json`.
    Script,
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// The user's own command.
    Configured,
}

impl Framework {
    /// Returns whether tests are compiled first: what the first run builds is there for the next ones.
    pub fn compiles(self) -> bool {
        match self {
            Self::Cargo | Self::Go | Self::Maven | Self::Gradle | Self::Configured => true,
            Self::Pytest
            | Self::Unittest
            | Self::Jest
            | Self::Vitest
            | Self::Mocha
            | Self::Node
            | Self::Script => false,
        }
    }

    /// Returns whether the output names each test; of the others, the exit code says whether all of them passed.
    pub fn names_tests(self) -> bool {
        match self {
            Self::Script | Self::Maven | Self::Gradle | Self::Configured => false,
            Self::Cargo
            | Self::Pytest
            | Self::Unittest
            | Self::Go
            | Self::Jest
            | Self::Vitest
            | Self::Mocha
            | Self::Node => true,
        }
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cargo => "cargo test",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Go => "go test",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Mocha => "mocha",
            Self::Node => "node --test",
            Self::Script => "npm test",
            Self::Maven => "mvn test",
            Self::Gradle => "gradle test",
            Self::Configured => "[test] command",
        })
    }
}

/// A command that runs some test files, or all of them.
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
    /// The test files that it runs, relative to the workspace; all of its project where there are none.
    pub files: Vec<String>,
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
    /// The number of tests that it stands for: a runner may name a class, and say how many of its tests passed.
    #[serde(skip_serializing_if = "is_one")]
    pub count: usize,
    /// What a failing one said, cut short; empty otherwise.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

fn is_one(count: &usize) -> bool {
    *count == 1
}
