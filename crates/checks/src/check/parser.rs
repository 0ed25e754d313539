//! Reading the output of checks.
//!
//! In: what a check printed, untrusted. Out: diagnostics with paths relative to the workspace. Output
//! that does not fit has none: that the check failed is known from its exit code.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Diagnostic, Severity};
use trace::{Piece, Trace};

mod trace;

/// Diagnostics that are kept of one run: a renamed module brings about one for each of its uses.
const MAX: usize = 2_000;
/// Characters of a message that are kept.
const MESSAGE_CHARS: usize = 500;

/// Folders of code that is not the project's own: a frame there tells nothing of what the user changed.
const FOREIGN: &[&str] = &[
    "node_modules",
    "site-packages",
    ".venv",
    "venv",
    "node:internal",
];

/// How the output of a check is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parser {
    /// JSON lines of Cargo.
    Cargo,
    /// JSON of ESLint.
    Eslint,
    /// JSON of Ruff.
    Ruff,
    /// JSON of Pyright.
    Pyright,
    /// JSON of ShellCheck.
    Shellcheck,
    /// `path(line,column): error TS1234: message`.
    Tsc,
    /// `::error file=path,line=1,col=2,title=code::message`, as GitHub's runners read it.
    Github,
    /// `path:line:column: severity: message [code]`, of which path, line and message are enough; and stack traces.
    Lines,
    /// `path: line 1: message`, of shells.
    Shell,
}

/// Where paths in an output are relative to.
struct Place<'a> {
    root: &'a Path,
    folder: PathBuf,
    check: &'a str,
}

impl Parser {
    /// Returns whether an output is that of a check that did its work: one that prints JSON has printed all of it.
    pub fn is_whole(self, out: &str) -> bool {
        match self {
            Self::Cargo => out.lines().any(|line| {
                let value = serde_json::from_str::<Value>(line);
                value.is_ok_and(|value| value["reason"] == "build-finished")
            }),
            Self::Eslint | Self::Ruff => serde_json::from_str::<Vec<Value>>(out).is_ok(),
            Self::Shellcheck => serde_json::from_str::<Value>(out).is_ok(),
            Self::Pyright => serde_json::from_str::<Map<String, Value>>(out).is_ok(),
            // With an error in its options, it does not come to the types.
            Self::Tsc => !out.lines().any(is_about_options),
            Self::Github | Self::Lines | Self::Shell => true,
        }
    }

    /// Reads what a check printed that ran in `folder`, relative to the workspace at `root`.
    pub fn read(
        self,
        check: &str,
        root: &Path,
        folder: &str,
        out: &str,
        err: &str,
    ) -> Vec<Diagnostic> {
        let place = Place {
            root,
            folder: root.join(folder),
            check,
        };
        let lines = || out.lines().chain(err.lines());
        let found: Vec<Option<Diagnostic>> = match self {
            Self::Cargo => out.lines().map(|line| place.cargo(line)).collect(),
            Self::Eslint => place.eslint(out),
            Self::Ruff => place.ruff(out),
            Self::Pyright => place.pyright(out),
            Self::Shellcheck => place.shellcheck(out),
            Self::Tsc => lines().map(|line| place.tsc(line)).collect(),
            Self::Github => lines().map(|line| place.github(line)).collect(),
            Self::Lines => trace::pieces(lines())
                .into_iter()
                .map(|piece| match piece {
                    Piece::Line(line) => place.line(line),
                    Piece::Trace(trace) => place.trace(&trace),
                })
                .collect(),
            Self::Shell => lines().map(|line| place.shell(line)).collect(),
        };
        let mut found: Vec<Diagnostic> = found.into_iter().flatten().take(MAX).collect();
        // Cargo says the same once for each target that a file is in.
        let mut seen = std::collections::HashSet::new();
        found.retain(|d| seen.insert((d.path.clone(), d.line, d.column, d.message.clone())));
        found
    }
}

/// Returns true for an error of `tsc` that is about its configuration: at no place, as `error TS5094: ...`, or at
/// one in a file of it, as `tsconfig.app.json(1,23): error TS5069: ...`. An imported JSON file has no errors of its
/// own but for those of its syntax, which begin with `TS1`.
fn is_about_options(line: &str) -> bool {
    let Some((place, code)) = line.split_once("error TS") else {
        return false;
    };
    place.is_empty() || place.ends_with("): ") && place.contains(".json(") && !is_syntax(code)
}

fn is_syntax(code: &str) -> bool {
    let digits = code.chars().take_while(char::is_ascii_digit).count();
    digits == 4 && code.starts_with('1')
}

fn number(value: &Value) -> u32 {
    value
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .unwrap_or(0)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the elements of a JSON array, none if it is something else.
fn elements(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(Value::Array(elements)) => elements,
        _ => Vec::new(),
    }
}

/// Returns a field of a workflow command of GitHub's, as `line` of `file=a.py,line=3`.
fn workflow_field<'a>(fields: &'a str, name: &str) -> Option<&'a str> {
    fields
        .split(',')
        .find_map(|field| field.strip_prefix(name)?.strip_prefix('='))
}

impl Place<'_> {
    /// Returns a diagnostic, unless it is about a file outside the workspace.
    fn diagnostic(
        &self,
        path: &str,
        place: (u32, u32),
        severity: Severity,
        code: String,
        message: &str,
    ) -> Option<Diagnostic> {
        let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Diagnostic {
            check: self.check.to_owned(),
            path: self.relative(path)?,
            line: place.0,
            column: place.1,
            severity,
            code,
            message: message.chars().take(MESSAGE_CHARS).collect(),
        })
    }

    /// Returns a path relative to the workspace.
    fn relative(&self, path: &str) -> Option<String> {
        let mut whole = PathBuf::new();
        for part in self.folder.join(path).components() {
            match part {
                Component::ParentDir => drop(whole.pop()),
                Component::CurDir => {}
                part => whole.push(part),
            }
        }
        let below = whole.strip_prefix(self.root).ok()?;
        Some(below.to_str()?.to_owned())
    }

    fn cargo(&self, line: &str) -> Option<Diagnostic> {
        let value: Value = serde_json::from_str(line).ok()?;
        let message = value
            .get("message")
            .filter(|_| value["reason"] == "compiler-message")?;
        let severity = match message["level"].as_str()? {
            "warning" => Severity::Warning,
            level if level.starts_with("error") => Severity::Error,
            _ => return None,
        };
        let spans = message["spans"].as_array()?;
        let span = spans.iter().find(|span| span["is_primary"] == true)?;
        let place = (number(&span["line_start"]), number(&span["column_start"]));
        // Cargo names files relative to the workspace's own manifest, or absolute.
        let path = span["file_name"].as_str()?;
        let code = text(&message["code"]["code"]);
        self.diagnostic(path, place, severity, code, message["message"].as_str()?)
    }

    fn eslint(&self, out: &str) -> Vec<Option<Diagnostic>> {
        let mut found = Vec::new();
        for file in elements(out) {
            let messages = file["messages"].as_array().cloned().unwrap_or_default();
            for message in messages {
                let severity = if message["severity"] == 2 {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                let place = (number(&message["line"]), number(&message["column"]));
                let (code, path) = (text(&message["ruleId"]), text(&file["filePath"]));
                let message = text(&message["message"]);
                found.push(self.diagnostic(&path, place, severity, code, &message));
            }
        }
        found
    }

    fn ruff(&self, out: &str) -> Vec<Option<Diagnostic>> {
        elements(out)
            .iter()
            .map(|value| self.ruff_diagnostic(value))
            .collect()
    }

    fn ruff_diagnostic(&self, value: &Value) -> Option<Diagnostic> {
        let at = &value["location"];
        let place = (number(&at["row"]), number(&at["column"]));
        let (path, code) = (text(&value["filename"]), text(&value["code"]));
        self.diagnostic(
            &path,
            place,
            Severity::Error,
            code,
            &text(&value["message"]),
        )
    }

    fn pyright(&self, out: &str) -> Vec<Option<Diagnostic>> {
        let value: Value = serde_json::from_str(out).unwrap_or_default();
        let all = value["generalDiagnostics"].as_array().cloned();
        all.unwrap_or_default()
            .iter()
            .map(|value| self.pyright_diagnostic(value))
            .collect()
    }

    fn pyright_diagnostic(&self, value: &Value) -> Option<Diagnostic> {
        let severity = match value["severity"].as_str()? {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => return None,
        };
        let at = &value["range"]["start"];
        let place = (number(&at["line"]) + 1, number(&at["character"]) + 1);
        let (path, code) = (text(&value["file"]), text(&value["rule"]));
        self.diagnostic(&path, place, severity, code, &text(&value["message"]))
    }

    fn shellcheck(&self, out: &str) -> Vec<Option<Diagnostic>> {
        elements(out)
            .iter()
            .map(|value| self.shellcheck_diagnostic(value))
            .collect()
    }

    fn shellcheck_diagnostic(&self, value: &Value) -> Option<Diagnostic> {
        let severity = if value["level"] == "error" {
            Severity::Error
        } else {
            Severity::Warning
        };
        let place = (number(&value["line"]), number(&value["column"]));
        let code = format!("SC{}", number(&value["code"]));
        self.diagnostic(
            &text(&value["file"]),
            place,
            severity,
            code,
            &text(&value["message"]),
        )
    }

    fn tsc(&self, line: &str) -> Option<Diagnostic> {
        let (path, rest) = line.split_once('(')?;
        let (place, rest) = rest.split_once("): ")?;
        let (row, column) = place.split_once(',')?;
        let (kind, message) = rest.split_once(": ")?;
        let (level, code) = kind.split_once(' ')?;
        let severity = match level {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => return None,
        };
        let place = (row.parse().ok()?, column.parse().ok()?);
        self.diagnostic(path, place, severity, code.to_owned(), message)
    }

    fn github(&self, line: &str) -> Option<Diagnostic> {
        let (head, message) = line.strip_prefix("::")?.split_once("::")?;
        let (level, fields) = head.split_once(' ')?;
        let severity = match level {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => return None,
        };
        let [row, column] = ["line", "col"].map(|name| {
            let number = workflow_field(fields, name);
            number.and_then(|number| number.parse().ok()).unwrap_or(0)
        });
        self.diagnostic(
            workflow_field(fields, "file")?,
            (row, column),
            severity,
            workflow_field(fields, "title").unwrap_or("").to_owned(),
            message,
        )
    }

    fn line(&self, line: &str) -> Option<Diagnostic> {
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        let (path, rest) = line.split_once(':')?;
        let (row, rest) = rest.split_once(':')?;
        let row = row.parse().ok()?;
        let (column, rest) = match rest.split_once(':') {
            Some((column, behind)) => match column.parse() {
                Ok(column) => (column, behind),
                Err(_) => (0, rest),
            },
            None => (0, rest),
        };
        let rest = rest.trim();
        let levels = [
            ("fatal error:", Some(Severity::Error)),
            ("error:", Some(Severity::Error)),
            ("warning:", Some(Severity::Warning)),
            ("note:", None),
        ];
        let named = levels
            .iter()
            .find_map(|(word, severity)| Some((rest.strip_prefix(word)?, severity)));
        let (message, severity) = match named {
            Some((_, None)) => return None,
            Some((message, Some(severity))) => (message.trim(), *severity),
            None => (rest, Severity::Error),
        };
        let (message, code) = match message.strip_suffix(']').and_then(|m| m.rsplit_once(" [")) {
            Some((message, code)) => (message, code.to_owned()),
            None => (message, String::new()),
        };
        // A time of day looks the same.
        if Path::new(path).extension().is_none() || message.is_empty() {
            return None;
        }
        self.diagnostic(path, (row, column), severity, code, message)
    }

    /// Reads a stack trace. One without a frame in a file of the project's own is not about the project.
    fn trace(&self, trace: &Trace) -> Option<Diagnostic> {
        let message = trace.message.trim();
        if message.is_empty() {
            return None;
        }
        let told = |path: &str, place| {
            self.diagnostic(path, place, Severity::Error, String::new(), message)
        };
        match trace
            .frames
            .iter()
            .find(|(path, _)| self.is_project_file(path))
        {
            Some((path, place)) => told(path, *place),
            None if trace.is_of_classes => told(".", (0, 0)).map(|found| Diagnostic {
                path: String::new(),
                ..found
            }),
            None => None,
        }
    }

    fn is_project_file(&self, path: &str) -> bool {
        let relative = self.relative(path);
        let has_file = Path::new(path).extension().is_some();
        has_file
            && relative.is_some_and(|path| !path.split('/').any(|part| FOREIGN.contains(&part)))
    }

    fn shell(&self, line: &str) -> Option<Diagnostic> {
        let (path, rest) = line.split_once(": line ")?;
        let (row, message) = rest.split_once(": ")?;
        let place = (row.parse().ok()?, 0);
        self.diagnostic(path, place, Severity::Error, String::new(), message)
    }
}

#[cfg(test)]
mod tests;
