//! `signoff trust`: what the user trusts of what came with the workspace.
//!
//! In: the files of the workspace as they are on disk, and earlier decisions. Out: the hooks are shown, asked about and
//! trusted, or what was decided is listed or forgotten. Without a terminal nobody can be asked, and only `--yes` trusts.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::termios::{QueueSelector, tcflush};
use signoff_core::plural::counted;

use super::{Ending, out};
use crate::args::TrustArgs;
use crate::hook_files;
use crate::paths::Paths;
use crate::sanitize;
use crate::workspace_trust::TrustFile;

pub(super) fn run(paths: &Paths, args: &TrustArgs) -> anyhow::Result<Ending> {
    if args.forget {
        let known = TrustFile::new(paths).forget()?;
        out::line(&format!("{} forgotten", counted(known, "decision")))?;
        return Ok(Ending::Done);
    }
    let found = hook_files::find(paths);
    found.remarks.iter().for_each(|remark| out::remark(remark));
    let Some(workspace) = found.workspace else {
        out::line("the workspace has no hooks")?;
        return listed(paths, args.list);
    };
    out::line(&workspace.in_words())?;
    for line in workspace.question.text.lines() {
        out::line(&format!("  {}", sanitize::clean(line)))?;
    }
    if !args.list && !workspace.is_trusted() {
        let can_ask = io::stdin().is_terminal() && io::stdout().is_terminal();
        if !args.yes && !can_ask {
            out::remark(
                "not trusted: nobody can be asked without a terminal; `signoff trust --yes` trusts what is shown",
            );
            return Ok(Ending::NeedsUser);
        }
        if !args.yes && !agrees()? {
            out::line("not trusted: they do not run")?;
            return Ok(Ending::NeedsUser);
        }
        workspace.trust(paths)?;
        out::line("trusted: they run in conversations from now on, until the file changes")?;
    }
    listed(paths, args.list)
}

/// Asks whether what was shown is trusted; anything but a yes is no.
fn agrees() -> anyhow::Result<bool> {
    // What was typed before the question was there is no answer to it.
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    out::line("trust them, so that they run as commands in conversations? yes or no:")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Lists what was decided, where that is asked for.
fn listed(paths: &Paths, is_asked: bool) -> anyhow::Result<Ending> {
    if is_asked {
        for (what, allowed) in TrustFile::new(paths).all() {
            let word = if allowed { "trusted" } else { "refused" };
            out::line(&format!("{word:8} {}", sanitize::clean(&what)))?;
        }
    }
    Ok(Ending::Done)
}
