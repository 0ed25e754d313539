//! What the tools on git's own records share: how git is run.
//!
//! In: arguments of git that only look. Out: what it printed, of bounded size. Git neither
//! refreshes its index nor runs hooks, pagers, or programs that the repository names.

use std::time::Duration;

use signoff_core::workspace::WorkspacePath;
use signoff_verify::process::{Ended, Limits};

use super::{Desk, ToolOutput};

mod diff;
mod log;
mod status;

pub(super) use diff::GitDiff;
pub(super) use log::GitLog;
pub(super) use status::GitStatus;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    most_bytes: 60 * 1024,
};
/// Given before every command.
const QUIET: [&str; 6] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
];

/// Runs git on the whole workspace or on one path of it; `empty` is said where it prints
/// nothing.
fn git(desk: &Desk<'_>, command: &[&str], path: Option<&str>, empty: &str) -> ToolOutput {
    let path = path
        .map(str::trim)
        .filter(|path| !path.is_empty() && *path != ".");
    let path = match path
        .map(|path| WorkspacePath::parse(path, desk.root()))
        .transpose()
    {
        Ok(path) => path.map_or_else(|| ".".to_owned(), |path| path.as_str().to_owned()),
        Err(error) => return ToolOutput::failed(format!("error: {error}"), error.to_string()),
    };
    let mut arguments = QUIET.to_vec();
    arguments.extend(command);
    arguments.extend(["--", &path]);
    let report = match desk.run("git", &arguments, LIMITS, &mut |_, _| {}) {
        Ok(report) => report,
        Err(error) => {
            let error = format!("git cannot be run: {error}");
            return ToolOutput::failed(format!("error: {error}"), error);
        }
    };
    let (out, err) = (report.out.text(), report.err.text());
    match report.ended {
        Ended::Exit(0) if out.is_empty() => ToolOutput::done(empty, empty),
        Ended::Exit(0) => {
            let lines = out.lines().count();
            let noun = if lines == 1 { "line" } else { "lines" };
            ToolOutput::done(out, format!("{lines} {noun}"))
        }
        Ended::TimedOut => ToolOutput::failed("error: git took too long", "git took too long"),
        Ended::Stopped => ToolOutput::failed("cancelled by the user", "cancelled"),
        Ended::Exit(_) | Ended::Signal(_) => {
            let why = err.lines().next().unwrap_or("git failed").to_owned();
            ToolOutput::failed(format!("error: {why}"), why)
        }
    }
}

#[cfg(test)]
mod tests;
