//! Asking git about the repository of the workspace.
//!
//! In: a question that only looks, and a path. Out: what git printed, of bounded size, and only of files
//! below the workspace. [`Asker`] shows git a repository without its settings and with literal paths, so
//! that it runs no program that a repository names and reads nothing that a path smuggles in.

use std::time::Duration;

use signoff_core::disk::workspace::WorkspacePath;
use signoff_core::plural::counted;
use signoff_core::quote;
use signoff_sandbox::git_view::Question;
use signoff_sandbox::process::{Ended, Limits};

use super::{ToolContext, ToolOutput};
use crate::permission::Unreadable;

mod diff;
mod log;
mod revision;
mod status;

pub(super) use diff::GitDiff;
pub(super) use log::GitLog;
pub(super) use status::GitStatus;

const LIMITS: Limits = Limits {
    timeout: Duration::from_secs(30),
    most_bytes: 60 * 1024,
};
/// Asks git about the whole workspace or about one path of it; `empty` is said where it prints
/// nothing.
fn git(
    context: &ToolContext<'_>,
    question: Question<'_>,
    path: Option<&str>,
    empty: &str,
) -> ToolOutput {
    let path = path
        .map(str::trim)
        .filter(|path| !path.is_empty() && *path != ".");
    let path = match path
        .map(|path| WorkspacePath::parse(path, context.root()))
        .transpose()
    {
        Ok(path) => path.map_or_else(|| ".".to_owned(), |path| path.as_str().to_owned()),
        Err(error) => return ToolOutput::failed(format!("error: {error}"), error.to_string()),
    };
    let report = match context.ask_git(question, &path, LIMITS) {
        Ok(report) => report,
        Err(error) => return ToolOutput::failed(format!("error: {error}"), error),
    };
    let (out, err) = (report.out.text(), report.err.text());
    match report.ended {
        Ended::Exit(0) if out.is_empty() => ToolOutput::done(empty, empty),
        Ended::Exit(0) => {
            // Authors and subjects of commits, the name of the branch; names of files are in quotes already.
            let out = match question {
                Question::Log { .. } | Question::Status { .. } => {
                    quote::line_breaks(&out).into_owned()
                }
                Question::Diff { .. } => match context.unreadable() {
                    Some(unreadable) => readable_sections(&out, &unreadable),
                    None => out,
                },
            };
            let lines = out.lines().count();
            ToolOutput::done(out, counted(lines, "line"))
        }
        Ended::TimedOut => ToolOutput::failed("error: git took too long", "git took too long"),
        Ended::Stopped => ToolOutput::failed("cancelled by the user", "cancelled"),
        Ended::Exit(_) | Ended::Signal(_) => {
            let why = quote::line_breaks(err.lines().next().unwrap_or("git failed"));
            let why = why.into_owned();
            ToolOutput::failed(format!("error: {why}"), why)
        }
    }
}

/// Returns a diff without the files that rules keep from the model. Names in quotes and of files in a merge (`diff --cc`) are
/// not read, so their files are kept too.
fn readable_sections(diff: &str, unreadable: &Unreadable<'_>) -> String {
    let starts = diff.match_indices("diff --").map(|(at, _)| at);
    let is_start = |at: &usize| *at == 0 || diff.as_bytes().get(at - 1) == Some(&b'\n');
    let starts: Vec<usize> = starts.filter(is_start).collect();
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    let sections = starts.iter().zip(ends);
    let sections = sections.filter_map(|(start, end)| diff.get(*start..end));
    let shown = sections.map(|section| {
        let names = names_in(section);
        let is_shown = names.is_some_and(|names| !names.iter().any(|name| unreadable.holds(name)));
        let kept = "(a file that the user's rules keep from you)\n";
        if is_shown { section } else { kept }
    });
    shown.collect()
}

/// Returns the files that a section of a diff is about: `diff --git a/x b/x`, and where it was renamed.
fn names_in(section: &str) -> Option<Vec<&str>> {
    let head = section.lines().take_while(|line| !line.starts_with("@@"));
    let renamed: Vec<&str> = head
        .filter_map(|line| {
            let names = ["rename from ", "rename to ", "copy from ", "copy to "];
            names.iter().find_map(|name| line.strip_prefix(name))
        })
        .collect();
    if !renamed.is_empty() {
        let is_plain = renamed.iter().all(|name| !name.starts_with('"'));
        return is_plain.then_some(renamed);
    }
    let both = section.lines().next()?.strip_prefix("diff --git a/")?;
    let (from, to) = both.split_at_checked(both.len().checked_sub(" b/".len())? / 2)?;
    (to.strip_prefix(" b/")? == from).then(|| vec![from])
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
