//! `[[checks]]` and `[test]`: checks and tests of the user's own.
//!
//! In: the file's tables. Out: the check or the command, where it is for files that were touched.

use std::time::Duration;

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;
use signoff_checks::check::{Check, Kind, Parser};

use super::bounds::seconds;

/// A check as the user configures it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckFile {
    /// What it is called.
    name: String,
    /// The program and its arguments; it runs in the workspace.
    command: Vec<String>,
    /// Patterns of paths, one of which has to be touched; for any without it.
    #[serde(default)]
    when: Vec<String>,
    /// Seconds, 1 to 86,400; 120 without it.
    #[serde(default, deserialize_with = "seconds")]
    timeout: Option<u64>,
    /// How its output is read: `lines` (`path:line:column: error: message`, without it), `cargo`, `tsc`, `eslint`,
    /// `ruff`, `pyright`, `shellcheck`, `github`, `shell`.
    #[serde(default = "lines")]
    parser: Parser,
    /// What a payload's `verify` asks for it by: `types` (without it), `style`, or `build`, which is run only then.
    #[serde(default = "types")]
    kind: Kind,
}

fn types() -> Kind {
    Kind::Types
}

fn lines() -> Parser {
    Parser::Lines
}

/// The table `[test]`: what runs the tests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestFile {
    /// The program that runs all tests, and its arguments, in place of what is found; its exit code is 0 if they pass.
    command: Vec<String>,
    /// Patterns of paths, one of which has to be touched; any without it.
    #[serde(default)]
    when: Vec<String>,
}

impl TestFile {
    /// Returns the program and its arguments, if they are for one of these files.
    pub(crate) fn of(&self, touched: &[String]) -> Option<(String, Vec<String>)> {
        let (program, arguments) = self.command.split_first()?;
        fits(&self.when, touched).then(|| (program.clone(), arguments.to_vec()))
    }
}

/// Returns whether one of the paths fits a pattern, or there is no pattern; one that cannot be read fits none.
fn fits(patterns: &[String], touched: &[String]) -> bool {
    let mut all = GlobSetBuilder::new();
    for pattern in patterns {
        match Glob::new(pattern) {
            Ok(glob) => drop(all.add(glob)),
            Err(_) => return false,
        }
    }
    let is_match = |all: GlobSet| touched.iter().any(|path| all.is_match(path));
    patterns.is_empty() || all.build().is_ok_and(is_match)
}

impl CheckFile {
    /// Returns the check, if it is for one of these files. An empty command takes a found check of
    /// this name away.
    pub(crate) fn check(&self, touched: &[String]) -> Option<Check> {
        let (program, arguments) = self.command.split_first()?;
        fits(&self.when, touched).then(|| Check {
            name: self.name.clone(),
            kind: self.kind,
            program: program.clone(),
            arguments: arguments.to_vec(),
            folder: String::new(),
            parser: self.parser,
            timeout: self.timeout.map(Duration::from_secs),
        })
    }

    /// Returns the name by which users know it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
