//! `bash` in the shadow: a command on the files as staged, whose changes are staged.
//!
//! In: a command line; a host that no rule is about is asked about while it runs. Out: its exit
//! code and what it printed, and proposals for the files that it changed.

use signoff_core::quote;
use signoff_core::stage::review::ProposalView;
use signoff_sandbox::shadow::closed_in_git;
use signoff_sandbox::waiting_commits::WaitingChange;

use super::unproxied::unproxied;
use super::{
    Arguments, Bash, Tail, Tool, ToolContext, ToolOutput, ToolSpec, answered, limits, read,
};
use crate::permission::{Outward, outward};
use crate::tool::arguments::{HasSchema, names_of};
use crate::tool::context::Shadowed;
use crate::tool::{CallFacts, Reach, Subjects};

/// The tool.
pub(in crate::tool) struct ShadowedBash;

/// Hosts that are named with what came of them, those that were refused first.
const MOST_HOSTS: usize = 10;
/// Files that are named where they could not be staged: an answer has room for some lines of output beside them.
const MOST_REFUSED: usize = 20;

const DESCRIPTION: &str = "Run a command with bash in the workspace, with all staged edits in place. \
                           Files that it changes are staged, but ignored ones. \
                           network: true for downloads; each host may have to be allowed. \
                           timeout: seconds, default 30.";

/// Said of a line in which a command that sends work to others is one of several.
const NOT_SENT: &str = "nothing was run: a command as `git push` or `gh pr create` sends work to others, which no program in \
                        the shadow can do; put it in a call of its own, in plain words, and it runs outside once the user allows it";

impl Tool for ShadowedBash {
    type Arguments = Arguments;

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "bash",
            description: DESCRIPTION,
            reach: Reach::Execute,
            parameters: Arguments::schema(),
        }
    }

    /// A command has a limit of its own.
    fn time_limit(&self) -> Option<std::time::Duration> {
        None
    }

    fn read(&self, arguments: &str) -> Result<Arguments, ToolOutput> {
        read(arguments)
    }

    fn known(&self) -> Option<Vec<&'static str>> {
        Some(names_of::<Arguments>())
    }

    fn facts(&self, arguments: &Arguments) -> CallFacts {
        let line = arguments.command.clone();
        let subjects = if outward(&line) == Some(Outward::Alone) {
            Subjects::Command(line)
        } else if arguments.network {
            Subjects::Networked(line)
        } else {
            Subjects::Confined(line)
        };
        CallFacts::command(subjects, &arguments.command)
    }

    fn run(&self, arguments: &Arguments, context: &ToolContext<'_>) -> ToolOutput {
        match outward(&arguments.command) {
            // The user was asked about it as about a command on the disk.
            Some(Outward::Alone) => return Bash.run(arguments, context),
            Some(Outward::Among) => {
                return ToolOutput::failed(format!("error: {NOT_SENT}"), NOT_SENT);
            }
            None => {}
        }
        let (seconds, limits) = limits(arguments);
        let mut tail = Tail::default();
        let ran = context.run_in_shadow(
            &arguments.command,
            arguments.network,
            limits,
            &mut |_, bytes| context.print(tail.push(bytes)),
        );
        match ran {
            Ok(Shadowed {
                report,
                staged,
                git,
                unseen,
                ignored,
                traffic,
            }) => {
                let lines = staged.proposals.iter().map(line).collect();
                let refused = staged.refused.iter();
                let refused =
                    refused.map(|(path, why)| format!("not staged: {}: {why}", quote::name(path)));
                let mut notes: Vec<String> = refused.take(MOST_REFUSED).collect();
                let count = staged.refused.len() + staged.refused_more;
                // The line of a call has room for one.
                let refused = notes.first().map(|first| match count {
                    1 => first.clone(),
                    _ => format!("{first}, and {} more", count - 1),
                });
                let more = count.saturating_sub(MOST_REFUSED);
                notes.extend((more > 0).then(|| format!("not staged: {more} more")));
                let repository = git.remarks();
                notes.extend(repository.iter().cloned());
                let said = report.err.text() + &report.out.text();
                notes.extend(closed_in_git(&arguments.command, &said));
                notes.extend(super::note(&report, &[]));
                let unseen = unseen
                    .iter()
                    .map(|path| quote::name(&path.to_string_lossy()).into_owned());
                notes.extend(unseen.map(|path| {
                    format!(
                        "programs do not see {path}; the user can show it with `show` below `[run]`"
                    )
                }));
                let hosts = traffic.iter().take(MOST_HOSTS);
                notes.extend(hosts.map(|host| format!("network: {host}")));
                let unproxied = arguments
                    .network
                    .then(|| unproxied([&report.out.text(), &report.err.text()], &traffic));
                let unproxied = unproxied.flatten();
                notes.extend(unproxied.clone());
                let ignored = (ignored.files > 0).then(|| ignored.line(ignored.stays()));
                let ignored = ignored.map(|line| format!("{line}; `/keep` brings them"));
                notes.extend(ignored.clone());
                let note = (!notes.is_empty()).then(|| notes.join("; "));
                let mut output = answered(&report, seconds, lines, note);
                let said = refused.into_iter().chain(repository);
                for line in said.chain(unproxied).chain(ignored) {
                    output.summary += &format!("; {line}");
                }
                output.deeds.rewritten = staged.rewritten;
                output.deeds.commit = git.waits.as_ref().map(WaitingChange::standing);
                ToolOutput {
                    written: staged.written,
                    staged: Box::new(staged.proposals),
                    ..output
                }
            }
            Err(error) => {
                let error = format!("the command was not run: {error}");
                ToolOutput::failed(format!("error: {error}"), error)
            }
        }
    }
}

/// Returns a proposal as the model is told of it.
fn line(view: &ProposalView) -> String {
    let sum = |count: fn(&signoff_core::stage::review::HunkView) -> u32| -> u32 {
        view.hunks.iter().map(count).sum()
    };
    let (added, removed) = (sum(|hunk| hunk.added), sum(|hunk| hunk.removed));
    let to = view.to.as_ref();
    let to = to.map(|to| format!(" to {}", quote::name(to)));
    let to = to.unwrap_or_default();
    format!(
        "{} {}{to} +{added} -{removed} (staged)",
        view.operation,
        quote::name(&view.path)
    )
}
