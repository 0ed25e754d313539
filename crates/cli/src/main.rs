//! The binary: arguments, wiring and exit code.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::signal::SIGXFSZ;
#[cfg(feature = "acp")]
use signoff_cli::args::AcpArgs;
use signoff_cli::args::{Args, Command};
use signoff_cli::folder_consent::{self, Consent};
use signoff_cli::{commands, demo, interactive, log, own_shadow, process_memory};
use signoff_core::text::placed;
use signoff_sandbox::scratch;
use signoff_setup::out::aside;
use signoff_setup::paths::Paths;
use signoff_tui::app::Exit;
use signoff_tui::error_text;

/// The exit code of a call that makes no sense, as clap has it.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    // Before this process is protected: the stages of a shadow write to their own files in `/proc`, which are
    // root's where a process cannot be dumped.
    #[cfg(target_os = "linux")]
    if let Some(code) = signoff_sandbox::supervisor::enter(std::env::args_os()) {
        return ExitCode::from(code);
    }
    process_memory::protect();
    heed_size_limit();
    let args = Args::read();
    match placed(|| run(args)).map_err(anyhow::Error::from).flatten() {
        Ok(code) => code,
        Err(error) => {
            aside(&format!("signoff: {}", error_text::in_lines(&error)));
            ExitCode::from(1)
        }
    }
}

/// Has a write above the limit of the size of files (`ulimit -f`) fail, as one on a full disk does. Unheard, the signal that comes
/// with it would end this process without a word.
fn heed_size_limit() {
    let _unheard = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Does everything but the interface, which does both behind its first frame. Other processes' folders are looked for meanwhile:
/// among 10,000 temporary files that takes 4 ms.
fn with_beginning<T>(paths: &Paths, work: impl FnOnce() -> T) -> T {
    log::start(paths);
    thread::scope(|scope| {
        scope.spawn(scratch::remove_left);
        work()
    })
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let own = args.interface;
    let paths = Paths::find(&own.paths)?;
    own_shadow::refuse(&paths, args.command.as_ref())?;
    let is_asked = args.command.as_ref().is_none_or(|command| {
        folder_consent::is_asked_for(command) && !commands::is_relay(command)
    });
    if is_asked && folder_consent::ask(&paths, own.paths.broad_folder)? == Consent::Refused {
        return Ok(ExitCode::from(1));
    }
    match args.command {
        #[cfg(feature = "acp")]
        Some(Command::Acp(acp)) => {
            let command = Command::Acp(AcpArgs {
                broad_folder: own.paths.broad_folder,
                ..acp
            });
            let ended = with_beginning(&paths, || commands::run(&paths, command));
            return Ok(ended?.into());
        }
        Some(Command::Demo) => return Ok(demo::run()?.into()),
        Some(command) => {
            let ended = with_beginning(&paths, || commands::run(&paths, command));
            return Ok(ended?.into());
        }
        None => {}
    }
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let has_terminal = [io::stdin().is_terminal(), io::stdout().is_terminal()];
    let instead = match has_terminal {
        _ if own.plain => None,
        [true, true] => None,
        [false, _] => {
            Some("input; without one, use: signoff exec - (one prompt from standard input)")
        }
        // Line mode asks on standard output: `signoff >out.txt` waited with its question in the file.
        [true, false] => Some("output; without one, use: signoff exec PROMPT (one prompt)"),
    };
    if let Some(instead) = instead {
        aside(&format!(
            "signoff: the interface needs a terminal as its {instead} or signoff --plain (prompts and answers as lines)"
        ));
        return Ok(ExitCode::from(USAGE));
    }
    if own.plain || is_dumb {
        let ended = with_beginning(&paths, || {
            commands::plain::run(&paths, &own.model, own.setup, own.prompt)
        });
        return Ok(ended?.into());
    }
    let outcome = interactive::start(paths, own.model, own.setup, own.prompt, own.inline)?;
    let code = match outcome.exit {
        Exit::Left => ExitCode::SUCCESS,
        Exit::Signal(signal) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(1)),
        Exit::Unstarted(why) => anyhow::bail!(why),
    };
    match outcome.pending {
        0 => {}
        1 => aside("1 hunk waits: `signoff review` shows it"),
        pending => aside(&format!(
            "{pending} hunks wait: `signoff review` shows them"
        )),
    }
    Ok(code)
}
