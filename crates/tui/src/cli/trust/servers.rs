//! Servers of `.mcp.json` in `signoff trust`: each is shown, all of it, and then asked about.
//!
//! In: the servers that the workspace names and nothing was decided on. Out: those that the user allows at a terminal are kept
//! as allowed. Without a terminal nobody saw them, and they stay as they are.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use rustix::termios::{QueueSelector, tcflush};
use signoff_mcp::definition::Standing;

use crate::args::ModelArgs;
use crate::cli::out;
use crate::config::{Config, Environment};
use crate::mcp_servers;
use crate::paths::Paths;
use crate::sanitize;

/// Shows the servers that wait for a decision, and asks about each unless they are only listed.
pub(super) fn ask(paths: &Paths, is_list: bool) -> anyhow::Result<()> {
    let model = ModelArgs::default();
    let config = Config::load(&paths.config, &paths.root, &model, Environment::read())?;
    let found = mcp_servers::find(&config, paths, true);
    for remark in &found.passed_over {
        out::remark(remark);
    }
    let open = (found.definitions.iter()).filter(|it| it.standing == Standing::Undecided);
    for definition in open {
        let Some(question) = &definition.question else {
            continue;
        };
        out::line(&sanitize::clean(&question.label))?;
        for line in question.text.lines() {
            out::line(&format!("  {}", sanitize::clean(line)))?;
        }
        if is_list {
            continue;
        }
        out::line(if !can_ask() {
            "not allowed: run this at a terminal, which asks"
        } else if agrees()? {
            mcp_servers::allow(paths, definition)?;
            "allowed, until its definition changes; its calls still ask"
        } else {
            "not allowed"
        })?;
    }
    Ok(())
}

fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks once all was printed. What was typed before, the end of the input and any other word are no.
fn agrees() -> io::Result<bool> {
    tcflush(io::stdin(), QueueSelector::IFlush)?;
    let mut out = io::stdout();
    write!(out, "Allow it? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
