//! Check consent: whether checks and tests of the project may run.
//!
//! What they run is the project's and, where it is staged, the model's: a script, a plug-in, a test. Confined, they may
//! run unasked, unless a rule forbids the command. Where no shadow can be made they do not run. What nobody has looked at, and decides
//! what a check runs, holds up the checks that run by themselves.

use std::sync::Mutex;

use signoff_core::engine::Engine;
use signoff_llm::checks::Bench;
use signoff_llm::tool::lock;

use crate::config::Programs;
use crate::paths::Paths;
use crate::shadow_setup;

/// The tool whose rules hold for checks as well.
const TOOL: &str = "bash";

/// Who has checks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// The user, by a command.
    User,
    /// The conversation, by itself or because the model asked.
    Session,
}

/// Returns how the commands of checks or tests are run, or why they may not.
pub fn bench(
    paths: &Paths,
    programs: &Programs,
    engine: &Mutex<Engine>,
    starter: Starter,
    commands: &[String],
) -> anyhow::Result<Result<Bench, String>> {
    for command in commands {
        if let Some(why) = programs.rules.forbids(TOOL, command) {
            return Ok(Err(format!("`{command}`: {why}")));
        }
    }
    if starter == Starter::Session {
        let unseen = unseen(engine)?;
        if !unseen.is_empty() {
            return Ok(Err(format!(
                "{} decides what it runs and is not approved; `signoff check --project` runs it now",
                unseen.join(", ")
            )));
        }
    }
    let unmade = |error| {
        format!(
            "programs cannot be confined here, and would not see what is staged: {error}; `signoff doctor` says what is missing"
        )
    };
    Ok(shadow_setup::bench(paths, programs).map_err(unmade))
}

/// Returns the staged files that make a program run.
fn unseen(engine: &Mutex<Engine>) -> anyhow::Result<Vec<String>> {
    let waiting = lock(engine).waiting()?.into_iter();
    let runs = waiting.filter(|proposal| proposal.runs.is_some());
    Ok(runs.map(|own| own.to.unwrap_or(own.path)).collect())
}
