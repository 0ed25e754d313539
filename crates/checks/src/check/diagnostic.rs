//! Diagnostics: what checks say of lines.
//!
//! In: diagnostics of the workspace as staged, and of the workspace without what is staged. Out: those that
//! are new. Lines move under an edit, so that a diagnostic is known by its file, code and message.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The check fails.
    Error,
    /// The check passes.
    Warning,
}

/// What a check says of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The check.
    pub check: String,
    /// Path relative to the workspace; empty if it is about no file.
    pub path: String,
    /// 1-based; 0 if it is about no line.
    pub line: u32,
    /// 1-based; 0 if it is not known.
    pub column: u32,
    /// How bad it is.
    pub severity: Severity,
    /// What the check calls it, as `E0277`; may be empty.
    pub code: String,
    /// In one line.
    pub message: String,
}

impl Diagnostic {
    /// What it is known by after its line has moved.
    fn identity(&self) -> [String; 4] {
        [&self.check, &self.path, &self.code, &self.message].map(Clone::clone)
    }

    /// What diagnostics are sorted by.
    fn order(&self) -> (Severity, &str, u32, u32) {
        (self.severity, &self.path, self.line, self.column)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        match (self.path.is_empty(), self.line) {
            (true, _) => {}
            (false, 0) => write!(f, "{}: ", self.path)?,
            (false, line) => write!(f, "{}:{line}:{}: ", self.path, self.column)?,
        }
        write!(f, "{severity}")?;
        if !self.code.is_empty() {
            write!(f, "[{}]", self.code)?;
        }
        write!(f, ": {} ({})", self.message, self.check)
    }
}

/// Returns those of `now` that `before` has not, errors first, by file and line.
pub fn new(now: Vec<Diagnostic>, before: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut known: HashMap<_, usize> = HashMap::new();
    for diagnostic in before {
        *known.entry(diagnostic.identity()).or_default() += 1;
    }
    let mut new = Vec::new();
    for diagnostic in now {
        match known.get_mut(&diagnostic.identity()) {
            Some(left) if *left > 0 => *left -= 1,
            _ => new.push(diagnostic),
        }
    }
    new.sort_by(|a, b| a.order().cmp(&b.order()));
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, message: &str, severity: Severity) -> Diagnostic {
        Diagnostic {
            check: "c".into(),
            path: "a.rs".into(),
            line,
            column: 1,
            severity,
            code: String::new(),
            message: message.into(),
        }
    }

    #[test]
    fn what_only_moved_is_not_new_and_one_more_of_a_kind_is() {
        use Severity::{Error, Warning};
        let before = [at(1, "unused", Warning), at(5, "wrong", Error)];
        let now = vec![
            at(3, "unused", Warning),
            at(9, "unused", Warning),
            at(7, "wrong", Error),
            at(8, "other", Error),
        ];
        let lines: Vec<u32> = new(now, &before).iter().map(|d| d.line).collect();
        assert_eq!(lines, [8, 9]);
    }
}
