//! Commands that need no terminal interface: one file each.
//!
//! In: arguments and standard input. Out: text or JSON on standard output, errors on standard
//! error, and an exit code that says whether anything needs the user.
//!
//! `signoff acp` and `signoff mcp` are in `signoff-protocols`; `run_program/agent_link` ties an agent of others to the latter,
//! `shadow_setup/announcement` says how each is told.
//!
//! **Invariant:** the user's files are reached through the engine only; `watch` asks for their times. The program itself
//! opens config, header, replay file and log, and images outside of the workspace whose paths the user typed or pasted
//! (`session_setup/prompt_images`, `composer/pasted_image`).

mod apply;
mod background;
mod blame;
mod check;
mod check_project;
mod commit;
mod commits;
mod conflicts;
mod context;
mod critique;
mod doctor;
mod engine;
mod exec;
mod git_patch;
mod history;
mod hunk_lines;
mod init;
mod jsonl;
mod keep;
mod keys;
mod offer;
mod out;
mod pager;
mod patch;
pub mod plain;
mod programs;
mod repository;
mod review;
mod revert;
mod rule;
mod run_program;
mod sessions;
mod setup;
mod shell_files;
#[cfg(feature = "mcp")]
mod sign_in;
mod take;
mod test;
mod trust;
mod verdict;
mod verify;

use std::process::ExitCode;

use signoff_core::disk::transaction::CommitError;
use signoff_core::engine::EngineError;

#[cfg(feature = "acp")]
use signoff_protocols::acp::{self, AcpOptions};
#[cfg(feature = "mcp")]
use signoff_protocols::mcp;

use crate::args::Command;
#[cfg(feature = "acp")]
use crate::args::{AcpArgs, AcpCommand};
#[cfg(feature = "acp")]
use crate::configuration;

pub(crate) use background::carry_out as carry_out_background;
pub(crate) use commits::carry_out as carry_out_on_commits;
pub(crate) use out::remark;
use signoff_setup::paths::Paths;

/// How a command ended, as other programs see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Done.
    Done,
    /// The request could not be met; nothing changed.
    Unmet,
    /// The call lacks what it needs.
    Usage,
    /// A conflict or a refusal that needs the user.
    NeedsUser,
    /// As a program that was run ended.
    Program(u8),
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Done => 0,
            Ending::Unmet => 1,
            // As clap has it.
            Ending::Usage => 2,
            Ending::NeedsUser => 3,
            Ending::Program(code) => code,
        })
    }
}

/// Runs a command.
pub fn run(paths: &Paths, command: Command) -> anyhow::Result<Ending> {
    let ending = match command {
        Command::Exec(args) if args.background => background::start(paths, args),
        Command::Exec(args) => exec::run_typed(paths, args),
        Command::Background(args) => background::run(paths, args),
        Command::Apply(args) => apply::run(paths, &args),
        Command::Engine(args) => engine::run(&args),
        Command::Run(args) => run_program::run(paths, &args),
        Command::Keep(args) => keep::run(paths, &args),
        Command::Test(args) => test::run(paths, &args),
        Command::Check(args) => check::run(paths, &args),
        Command::Review(args) => review::run(paths, &args),
        Command::Diff => patch::run(paths),
        Command::Approve(args) => verdict::approve(paths, &args),
        Command::Deny(args) => verdict::deny(paths, &args),
        Command::Sessions(args) => sessions::run(paths, &args),
        Command::Offer(args) => offer::run(paths, &args),
        Command::Take(args) => take::run(paths, &args),
        Command::History(args) => history::list(paths, &args),
        Command::Revert(args) => revert::run(paths, &args),
        Command::Undo(args) => revert::undo(paths, &args),
        Command::Redo(args) => revert::redo(paths, &args),
        Command::Commit(args) => commit::run(paths, &args),
        Command::Blame(args) => blame::run(paths, &args),
        Command::Verify(args) => verify::run(paths, &args),
        Command::Context(args) => context::run(paths, &args),
        Command::Symbols(args) => context::symbols(paths, &args),
        Command::References(args) => context::references(paths, &args),
        Command::Init(args) => init::run(paths, args),
        Command::Rule(args) => rule::run(paths, &args),
        Command::Setup(args) => setup::run(paths, &args),
        Command::Doctor(args) => doctor::run(paths, args),
        Command::Trust(args) => trust::run(paths, &args),
        #[cfg(feature = "mcp")]
        Command::SignIn(args) => sign_in::run(paths, &args),
        Command::Keys(args) => keys::run(paths, &args),
        #[cfg(feature = "acp")]
        Command::Acp(AcpArgs {
            command: Some(AcpCommand::Setup(args)),
            ..
        }) => setup::run(paths, &args),
        #[cfg(feature = "acp")]
        Command::Acp(args) => acp::run(AcpOptions {
            model: args.model,
            broad_folder: args.broad_folder,
            configure: configuration::load,
        })
        .map(|()| Ending::Done),
        #[cfg(feature = "mcp")]
        Command::Mcp => mcp::run(paths).map(|()| Ending::Done),
        Command::Demo => Err(anyhow::anyhow!("the demo needs the interface")),
        Command::Completions { shell } => shell_files::completions(shell),
        Command::Man => shell_files::manual(),
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

/// Returns whether a command in the shadow only hands on what a server outside of it says, about whose folder was asked.
pub fn is_relay(command: &Command) -> bool {
    match command {
        #[cfg(feature = "mcp")]
        Command::Mcp => mcp::is_inside(),
        _ => false,
    }
}

fn needs_user(error: &anyhow::Error) -> bool {
    let commit = error.downcast_ref::<EngineError>();
    matches!(
        commit,
        Some(EngineError::Commit(CommitError::Changed { .. }))
    )
}
