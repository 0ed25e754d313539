//! `[[checks]]`: checks of the user's own.
//!
//! In: the file's table. Out: the check, where it is for files that were touched.

use std::time::Duration;

use globset::{Glob, GlobSetBuilder};
use serde::Deserialize;
use signoff_checks::check::{Check, Kind, Parser};

/// A check as the user configures it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckFile {
    name: String,
    /// The program and its arguments; it runs in the workspace.
    command: Vec<String>,
    /// Patterns of paths for which it runs; for any without.
    #[serde(default)]
    when: Vec<String>,
    /// In seconds.
    timeout: Option<u64>,
    #[serde(default = "lines")]
    parser: Parser,
    #[serde(default = "types")]
    kind: Kind,
}

fn types() -> Kind {
    Kind::Types
}

fn lines() -> Parser {
    Parser::Lines
}

impl CheckFile {
    /// Returns the check, if it is for one of these files. An empty command takes a found check of
    /// this name away.
    pub(crate) fn check(&self, touched: &[String]) -> Option<Check> {
        let (program, arguments) = self.command.split_first()?;
        let mut patterns = GlobSetBuilder::new();
        for pattern in &self.when {
            patterns.add(Glob::new(pattern).ok()?);
        }
        let patterns = patterns.build().ok()?;
        let fits = self.when.is_empty() || touched.iter().any(|path| patterns.is_match(path));
        fits.then(|| Check {
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
