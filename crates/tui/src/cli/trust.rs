//! `signoff trust`: what the user trusts of what came with the workspace.
//!
//! In: the files of the workspace as they are on disk, and earlier decisions. Out: hooks and servers of `.mcp.json`
//! (`servers`) are shown, asked about and allowed, or what was decided is listed or forgotten. Without a terminal nobody
//! can be asked, and only `--yes` allows.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::termios::{QueueSelector, tcflush};
use signoff_core::plural::counted;

use super::{Ending, out};
use crate::args::TrustArgs;
use crate::hook_files;
use crate::paths::Paths;
use crate::sanitize;
use crate::workspace_trust::TrustFile;

#[cfg(feature = "mcp")]
mod servers;

/// Printed where `signoff trust` would have to ask.
const NOBODY_TO_ASK: &str =
    "nobody can be asked without a terminal; `signoff trust --yes` trusts what is shown";

pub(super) fn run(paths: &Paths, args: &TrustArgs) -> anyhow::Result<Ending> {
    if args.forget {
        let known = TrustFile::new(paths).forget()? + TrustFile::of_machine(paths).forget()?;
        out::line(&format!("{} forgotten", counted(known, "decision")))?;
        return Ok(Ending::Done);
    }
    let mut is_all_allowed = hooks(paths, args)?;
    #[cfg(feature = "mcp")]
    {
        is_all_allowed &= servers::ask(paths, args)?;
    }
    if args.list {
        list(paths)?;
        return Ok(Ending::Done);
    }
    Ok(if is_all_allowed {
        Ending::Done
    } else {
        Ending::NeedsUser
    })
}

/// Shows the hooks and asks about them, unless they are only listed. Returns whether none is left that may not run.
fn hooks(paths: &Paths, args: &TrustArgs) -> anyhow::Result<bool> {
    let found = hook_files::find(paths);
    found.remarks.iter().for_each(|remark| out::remark(remark));
    let Some(workspace) = found.workspace else {
        out::line("the workspace has no hooks")?;
        return Ok(true);
    };
    out::line(&hook_files::in_words(&workspace))?;
    let trust = &workspace.trust;
    show(&trust.question().text)?;
    if args.list || trust.is_trusted() {
        return Ok(true);
    }
    let question = "trust them, so that they run as commands in conversations? yes or no:";
    match consent(args, question)? {
        TrustAnswer::Given => {
            trust.decide(true).map_err(anyhow::Error::msg)?;
            out::line("trusted: they run in conversations from now on, until the file changes")?;
            return Ok(true);
        }
        TrustAnswer::Refused => out::line("not trusted: they do not run")?,
        TrustAnswer::NobodyToAsk => out::remark(&format!("hooks are not trusted: {NOBODY_TO_ASK}")),
    }
    Ok(false)
}

/// Prints all of what is asked about.
fn show(text: &str) -> anyhow::Result<()> {
    for line in text.lines() {
        out::line(&format!("  {}", sanitize::clean(line)))?;
    }
    Ok(())
}

/// What the user said of what was shown.
enum TrustAnswer {
    Given,
    Refused,
    NobodyToAsk,
}

/// Asks whether what was shown is allowed, unless `--yes` says so; anything but a yes is no.
fn consent(args: &TrustArgs, question: &str) -> anyhow::Result<TrustAnswer> {
    if args.yes {
        return Ok(TrustAnswer::Given);
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(TrustAnswer::NobodyToAsk);
    }
    // What was typed before the question was there is no answer to it.
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    out::line(question)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(match answer.trim() {
        "y" | "Y" | "yes" => TrustAnswer::Given,
        _ => TrustAnswer::Refused,
    })
}

/// Lists what was decided.
fn list(paths: &Paths) -> anyhow::Result<()> {
    let of_machine = TrustFile::of_machine(paths).all();
    for (what, allowed) in TrustFile::new(paths).all().into_iter().chain(of_machine) {
        let word = if allowed { "trusted" } else { "refused" };
        out::line(&format!("{word:8} {}", sanitize::clean(&what)))?;
    }
    Ok(())
}
