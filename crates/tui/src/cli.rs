//! Everything that works without the terminal interface: one file a command.
//!
//! In: arguments and standard input. Out: text or JSON on standard output, errors on standard
//! error, and an exit code that says whether anything needs the user.

mod apply;
mod blame;
mod check;
mod conflicts;
mod doctor;
mod engine;
mod exec;
mod history;
mod jsonl;
mod opened;
mod out;
mod programs;
mod review;
mod revert;
mod sessions;
mod verdict;

use std::process::ExitCode;

use signoff_core::engine::EngineError;
use signoff_core::transaction::CommitError;

use crate::args::Command;
use crate::place::Place;

pub use out::{in_lines, in_words};

/// How a command ended, as other programs see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Done.
    Done,
    /// The request could not be met; nothing changed.
    Unmet,
    /// A conflict or a refusal that needs the user.
    NeedsUser,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Done => 0,
            Ending::Unmet => 1,
            // 2 is clap's, for usage.
            Ending::NeedsUser => 3,
        })
    }
}

/// Runs a command.
pub fn run(place: &Place, command: Command) -> anyhow::Result<Ending> {
    let ending = match command {
        Command::Exec(args) => exec::run(place, args),
        Command::Apply(args) => apply::run(place, &args),
        Command::Engine(args) => engine::run(&args),
        Command::Check(args) => check::run(place, &args),
        Command::Review(args) => review::run(place, &args),
        Command::Approve(args) => verdict::approve(place, &args),
        Command::Deny(args) => verdict::deny(place, &args),
        Command::Sessions(args) => sessions::run(place, &args),
        Command::History(args) => history::list(place, &args),
        Command::Revert(args) => revert::run(place, &args),
        Command::Redo(args) => revert::redo(place, &args),
        Command::Blame(args) => blame::run(place, &args),
        Command::Doctor(args) => doctor::run(place, args),
    };
    // Whoever reads the output may stop reading, as `head` does.
    match ending {
        Err(error) if out::is_closed(&error) => Ok(Ending::Done),
        Err(error) if needs_user(&error) => {
            out::error(&error);
            Ok(Ending::NeedsUser)
        }
        ending => ending,
    }
}

fn needs_user(error: &anyhow::Error) -> bool {
    let commit = error.downcast_ref::<EngineError>();
    matches!(
        commit,
        Some(EngineError::Commit(CommitError::Changed { .. }))
    )
}
