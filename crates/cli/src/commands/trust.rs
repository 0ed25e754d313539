//! `signoff trust`: what the user trusts of what came with the workspace.
//!
//! In: the files of the workspace as they are on disk, and earlier decisions. Out: hooks and servers of `.mcp.json`
//! (`servers`) are shown, asked about and allowed, or what was decided is listed or forgotten. Without a terminal nobody
//! can be asked, and only `--yes` allows.

use std::io::{self, BufRead as _, IsTerminal as _};

use rustix::termios::{QueueSelector, tcflush};
use signoff_core::plural::counted;
use signoff_draw::sanitize;
use signoff_llm::hook::Hooks;
use signoff_llm::trust::TrustRecord;
use signoff_setup::definitions::hooks;
use signoff_setup::definitions::trust::TrustFile;
use signoff_setup::paths::Paths;

use super::{Ending, out};
use crate::args::TrustArgs;

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
    let is_all_allowed = hooks(paths, args)?;
    #[cfg(feature = "mcp")]
    let is_all_allowed = servers::ask(paths, args)? && is_all_allowed;
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
    let (hooks, remarks) = hooks::find(paths);
    remarks.iter().for_each(|remark| out::remark(remark));
    let Some(workspace) = hooks.as_ref().and_then(Hooks::of_workspace) else {
        out::line("the workspace has no hooks")?;
        return Ok(true);
    };
    out::line(&workspace.in_words(hooks::WORKSPACE_FILE))?;
    let trust = &workspace.trust;
    show(trust)?;
    if args.list || trust.is_trusted() {
        return Ok(true);
    }
    let question = TrustPrompt {
        text: "trust them, so that they run as commands in conversations? yes or no:",
        given: "trusted: they run in conversations from now on, until the file changes",
        refused: "not trusted: they do not run",
        unasked: "hooks are not trusted",
    };
    question.ask(args, trust)
}

/// Prints all of what is asked about.
fn show(trust: &TrustRecord) -> anyhow::Result<()> {
    for line in trust.question().text.lines() {
        out::line(&format!("  {}", sanitize::clean(line)))?;
    }
    Ok(())
}

/// A question about what was shown, and what is said of the answer.
struct TrustPrompt {
    text: &'static str,
    given: &'static str,
    refused: &'static str,
    /// Where nobody can be asked.
    unasked: &'static str,
}

impl TrustPrompt {
    /// Asks whether what was shown is trusted, unless `--yes` says so; anything but a yes is no. Returns whether it is.
    fn ask(&self, args: &TrustArgs, trust: &TrustRecord) -> anyhow::Result<bool> {
        if !args.yes {
            if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
                out::remark(&format!("{}: {NOBODY_TO_ASK}", self.unasked));
                return Ok(false);
            }
            // What was typed before the question was there is no answer to it.
            tcflush(io::stdin(), QueueSelector::IFlush)?;
            out::line(self.text)?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            if !matches!(answer.trim(), "y" | "Y" | "yes") {
                out::line(self.refused)?;
                return Ok(false);
            }
        }
        trust.decide(true).map_err(anyhow::Error::msg)?;
        out::line(self.given)?;
        Ok(true)
    }
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
