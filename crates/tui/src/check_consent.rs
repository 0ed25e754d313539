//! Check consent: whether checks and tests of the project may run.
//!
//! What they run is the project's and, where it is staged, the model's: a script, a plug-in, a test. Confined, they may
//! run unasked, unless a rule forbids the command. Unconfined, the user is asked. What nobody has looked at, and decides
//! what a check runs, holds up the checks that run by themselves.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::Mutex;

use signoff_core::engine::Engine;
use signoff_llm::permission::Consent;
use signoff_llm::tool::lock;
use signoff_llm::tool_spec::{Reach, Subjects};
use signoff_verify::shadow::Backend;

use crate::config::Programs;
use crate::sanitize;

/// The tool whose rules hold for checks as well.
const TOOL: &str = "bash";

/// Who has checks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starter {
    /// The user, by a command.
    User,
    /// The conversation, by itself or because the model asked.
    Session,
}

/// Returns why commands may not run, if so. Asks the user where they are not confined.
pub(crate) fn refusal(
    programs: &Programs,
    engine: &Mutex<Engine>,
    backend: Backend,
    starter: Starter,
    commands: &[String],
) -> anyhow::Result<Option<String>> {
    for command in commands {
        let subjects = Subjects::Confined(command.clone());
        if let Consent::Denied(why) = programs.rules.judge(TOOL, Reach::Execute, &subjects) {
            return Ok(Some(format!("`{command}`: {why}")));
        }
    }
    if starter == Starter::Session {
        let unseen = unseen(engine)?;
        if !unseen.is_empty() {
            return Ok(Some(format!(
                "{} decides what it runs and is not approved; `signoff check --project` runs it now",
                unseen.join(", ")
            )));
        }
    }
    if backend == Backend::Overlay || programs.unconfined {
        return Ok(None);
    }
    let open = "programs cannot be confined here: they could read your files and keys, and change files elsewhere";
    Ok(match starter {
        Starter::User if agrees(open, commands)? => None,
        Starter::User => Some(format!(
            "{open}; run it at a terminal to be asked, or set `unconfined = true` below `[run]`"
        )),
        Starter::Session => Some(format!("{open}; `signoff check --project` asks")),
    })
}

/// Returns the staged files that make a program run.
fn unseen(engine: &Mutex<Engine>) -> anyhow::Result<Vec<String>> {
    let waiting = lock(engine).waiting()?.into_iter();
    let runs = waiting.filter(|proposal| proposal.runs.is_some());
    Ok(runs.map(|own| own.to.unwrap_or(own.path)).collect())
}

/// Asks the user; nobody at a terminal is no.
fn agrees(open: &str, commands: &[String]) -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let mut err = io::stderr();
    writeln!(err, "signoff: {open}. This runs:")?;
    for command in commands {
        writeln!(err, "  {}", sanitize::clean(command))?;
    }
    write!(err, "Run it? [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
