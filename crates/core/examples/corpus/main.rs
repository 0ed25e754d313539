//! What the edit engine makes of real edits.
//!
//! In: packages in consecutive published versions. Out: how many of their edits, phrased in
//! every format, drifted, mutated and set as traps, were done rightly, wrongly or not at all.
//!
//! `cargo run --release -p signoff-core --example corpus -- [DIR]`; `fetch.sh` beside this file
//! fills DIR.

#![expect(
    clippy::disallowed_methods,
    reason = "a report has a clock, and looks for cargo's sources where cargo keeps them"
)]

mod ask;
mod case;
mod clean;
mod drift;
mod edit;
mod format;
mod judge;
mod noise;
mod options;
mod packages;
mod random;
mod report;
mod run;
mod show;
mod text;
mod traps;

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use options::{Options, USAGE};
use packages::History;

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let result = match Options::parse(env::args().skip(1)) {
        Ok(options) => histories(&options, &mut out)
            .and_then(|histories| run::run(&histories, &options, &mut out)),
        Err(why) => Err(io::Error::other(format!("{why}\n\n{USAGE}"))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn histories(options: &Options, out: &mut impl Write) -> io::Result<Vec<History>> {
    if let Some(directory) = &options.directory {
        return packages::from_directory(directory);
    }
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let home = home.ok_or_else(|| io::Error::other("neither CARGO_HOME nor HOME is set"))?;
    writeln!(
        out,
        "no DIR given: the packages that cargo keeps in two or more versions\n"
    )?;
    packages::from_cargo(&home.join("registry/src"))
}
