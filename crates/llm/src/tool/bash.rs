//! `bash`: a command in the workspace's folder, on the files as they are on disk.
//!
//! In: a command line that the user has permitted. Out: its exit code and what it printed,
//! and the files that it changed, which history knows of from then on.

use signoff_core::quote;
use std::time::Duration;

use serde::Serialize;
use signoff_sandbox::process::{Ended, Limits, Report};

#[cfg(target_os = "linux")]
pub(super) mod shadowed;
mod unproxied;

use super::arguments::{
    HasSchema, Told, arguments, boolean, count, integer, names_of, parse, text,
};
use super::{
    CallDeeds, CallFacts, ChangedFile, Printed, PrintedStreams, Reach, Subjects, Tool, ToolContext,
    ToolOutput, ToolSpec,
};
use crate::permission::outward;

/// The tool.
pub(super) struct Bash;

const DESCRIPTION: &str = "Run a command with bash in the workspace, once the user allows it. It \
                           sees files on disk, without staged edits. Nothing it starts outlives \
                           it. timeout: seconds, default 30.";
/// Seconds that a command may run unless asked otherwise, and at most.
const USUAL_TIMEOUT: usize = 30;
const MOST_TIMEOUT: usize = 600;
/// Bytes of each stream that are returned unless asked otherwise, and at most.
const USUAL_BYTES: usize = 100_000;
const MOST_BYTES: usize = 1_000_000;
/// Bytes of output that are shown while it runs: the last rows, which its cell has room for.
const TAIL: usize = 2_000;
/// Files that are named in the answer.
const MOST_FILES: usize = 100;

arguments! {
    pub(super) struct Arguments {
        command: String = Told::Required(text()),
        /// For a command in the shadow.
        #[serde(default)]
        network: bool = Told::Optional(boolean()),
        #[serde(default, deserialize_with = "count")]
        timeout: Option<usize> = Told::Optional(integer()),
        #[serde(default, deserialize_with = "count")]
        max_bytes: Option<usize> = Told::Optional(integer()),
    }
}

/// What the model reads.
#[derive(Serialize)]
struct BashAnswer {
    #[serde(rename = "exitCode", skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    stdout: String,
    stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The last lines of what a command prints, out and error together as they come.
#[derive(Default)]
struct Tail {
    bytes: Vec<u8>,
    lines: u64,
}

impl Tool for Bash {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "bash",
            description: DESCRIPTION,
            reach: Reach::Execute,
            parameters: Arguments::schema_without(&["network"]),
        }
    }

    /// A command has a limit of its own, and what it changed is recorded when it has ended.
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        read(arguments)
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Arguments>())
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        let line = &arguments.command;
        CallFacts::command(Subjects::Command(line.clone()), line)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        let (seconds, limits) = limits(arguments);
        let mut tail = Tail::default();
        let title = title(&arguments.command);
        let sends = outward(&arguments.command).is_some();
        let unsent = sends.then(|| context.unsent_commits()).flatten();
        let (report, changed) = context.watching(&format!("bash: {title}"), || {
            context.run(
                "/bin/bash",
                &["-c", &arguments.command],
                limits,
                &mut |_, bytes| {
                    context.print(tail.push(bytes));
                },
            )
        });
        match report {
            Ok(report) => {
                let note = note(&report, &staged(context));
                let notes: Vec<String> = unsent.iter().cloned().chain(note).collect();
                let note = (!notes.is_empty()).then(|| notes.join("; "));
                let lines = changed.iter().map(changed_line).collect();
                let mut output = answered(&report, seconds, lines, note);
                if let Some(unsent) = unsent {
                    output.summary += &format!("; {unsent}");
                }
                output.deeds = Box::new(CallDeeds {
                    commit: None,
                    changed,
                    rewritten: Vec::new(),
                    images: Vec::new(),
                });
                output
            }
            Err(error) => {
                let error = format!("bash cannot be run: {error}");
                ToolOutput::failed(format!("error: {error}"), error)
            }
        }
    }
}

/// Reads the arguments of a call that names a command.
fn read(arguments: &str) -> Result<Arguments, ToolOutput> {
    let arguments: Arguments = parse(arguments)?;
    if arguments.command.trim().is_empty() {
        return no_command("the command is empty");
    }
    if arguments.command.contains('\0') {
        return no_command("the command holds a zero byte");
    }
    Ok(arguments)
}

fn no_command<T>(why: &str) -> Result<T, ToolOutput> {
    let content = format!("error: {why}; write the whole command line in `command`");
    Err(ToolOutput::failed(content, why))
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) -> Printed {
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let new = bytes
            .get(bytes.len().saturating_sub(TAIL)..)
            .unwrap_or_default();
        self.bytes.extend_from_slice(new);
        let over = self.bytes.len().saturating_sub(TAIL);
        self.bytes.drain(..over);
        Printed {
            tail: String::from_utf8_lossy(&self.bytes).into_owned(),
            lines: self.lines,
        }
    }
}

/// Returns how long a command may run, in seconds, with its limits.
fn limits(arguments: &Arguments) -> (usize, Limits) {
    let seconds = arguments.timeout.unwrap_or(USUAL_TIMEOUT);
    let seconds = seconds.clamp(1, MOST_TIMEOUT);
    let limits = Limits {
        timeout: Duration::from_secs(seconds as u64),
        most_bytes: arguments.max_bytes.unwrap_or(USUAL_BYTES).min(MOST_BYTES),
    };
    (seconds, limits)
}

/// Returns the answer to a command that ended; `changed` has a line for each file.
fn answered(
    report: &Report,
    seconds: usize,
    changed: Vec<String>,
    note: Option<String>,
) -> ToolOutput {
    let error = match report.ended {
        Ended::Exit(_) => None,
        Ended::Signal(signal) => Some(format!("ended by signal {signal}")),
        Ended::TimedOut => Some(format!(
            "ended after {seconds} s, with all that it had started"
        )),
        Ended::Stopped => Some("cancelled by the user".to_owned()),
    };
    let exit_code = match report.ended {
        Ended::Exit(code) => Some(code),
        _ => None,
    };
    let answer = BashAnswer {
        exit_code,
        stdout: report.out.text(),
        stderr: report.err.text(),
        note,
        changed: changed.iter().take(MOST_FILES).cloned().collect(),
        error: error.clone(),
    };
    let content = crate::json::line(&answer)
        .unwrap_or_else(|error| format!("error: the answer cannot be shown: {error}"));
    let ended = match (error, exit_code) {
        (Some(error), _) => error,
        (None, code) => format!("exit {}", code.unwrap_or_default()),
    };
    let took = report.took.as_secs_f64();
    let mut summary = format!("{ended} in {took:.1} s");
    if !changed.is_empty() {
        let noun = if changed.len() == 1 { "file" } else { "files" };
        summary += &format!(", changed {} {noun}", changed.len());
    }
    ToolOutput {
        ok: exit_code == Some(0),
        printed: Some(Box::new(PrintedStreams {
            out: answer.stdout,
            err: answer.stderr,
        })),
        ..ToolOutput::done(content, summary)
    }
}

fn changed_line(file: &ChangedFile) -> String {
    let path = quote::name(&file.path);
    format!("{path} +{} -{}", file.added, file.removed)
}

/// Says what the output does not.
fn note(report: &Report, staged: &[String]) -> Option<String> {
    let mut notes = Vec::new();
    if !staged.is_empty() {
        let files = staged.join(", ");
        notes.push(format!("it ran without the edits staged in {files}"));
    }
    if report.strays > 0 {
        notes.push(match report.strays {
            1 => "1 process in the background was ended with it".to_owned(),
            strays => format!("{strays} processes in the background were ended with it"),
        });
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Returns the files with staged edits, as many as are worth naming.
fn staged(context: &ToolContext<'_>) -> Vec<String> {
    const NAMED: usize = 5;
    let paths = context.staged_paths().unwrap_or_default();
    paths
        .into_iter()
        .map(|(path, _)| quote::name(&path).into_owned())
        .take(NAMED)
        .collect()
}

/// Returns the first line of a command, cut short.
fn title(command: &str) -> String {
    const LONGEST: usize = 80;
    let line = command.trim().lines().next().unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests;
