//! `signoff trust`: what the user trusts of what came with the workspace.
//!
//! In: the files of the workspace as they are on disk, and earlier decisions. Out: the hooks are shown and trusted, servers
//! of `.mcp.json` are shown and asked about (`servers`), or what was decided is listed or forgotten.

use super::{Ending, out};
use crate::args::TrustArgs;
use crate::hook_files;
use crate::paths::Paths;
use crate::sanitize;
use crate::workspace_trust::TrustFile;
use signoff_core::plural::counted;

#[cfg(feature = "mcp")]
mod servers;

pub(super) fn run(paths: &Paths, args: &TrustArgs) -> anyhow::Result<Ending> {
    if args.forget {
        let known = TrustFile::new(paths).forget()? + TrustFile::of_machine(paths).forget()?;
        out::line(&format!("{} forgotten", counted(known, "decision")))?;
        return Ok(Ending::Done);
    }
    #[cfg(feature = "mcp")]
    servers::ask(paths, args.list)?;
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
        workspace.trust(paths)?;
        out::line("trusted: they run in conversations from now on, until the file changes")?;
    }
    listed(paths, args.list)
}

/// Lists what was decided, where that is asked for.
fn listed(paths: &Paths, is_asked: bool) -> anyhow::Result<Ending> {
    if is_asked {
        let of_machine = TrustFile::of_machine(paths).all();
        for (what, allowed) in TrustFile::new(paths).all().into_iter().chain(of_machine) {
            let word = if allowed { "trusted" } else { "refused" };
            out::line(&format!("{word:8} {}", sanitize::clean(&what)))?;
        }
    }
    Ok(Ending::Done)
}
