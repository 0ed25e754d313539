//! The last stage: confines itself and becomes the program.
//!
//! There is nothing left in the file tree that must not be seen or written; Landlock rules say the same once more, by
//! other code of the kernel.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::isatty;

use super::setup::Setup;
use super::{UNMADE, bounds, calls, descriptors, first, rights};
use crate::process::NOT_STARTED;

/// The oldest Landlock rules that will do: the first version forbids to move a file to another folder. Linux 5.19.
const OLDEST_RULES: ABI = ABI::V2;
/// The newest Landlock rules that are asked for; older kernels apply what they know.
const NEWEST_RULES: ABI = ABI::V6;
/// What a program may write beside the workspace and caches; all of it is its own.
const WRITABLE: [&str; 6] = ["/tmp", "/var/tmp", "/run", "/dev/shm", "/dev/pts", "/proc"];
/// Devices that programs write to.
const DEVICES: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
];
/// Exit code of shells where the program is there and cannot be run.
const NOT_RUNNABLE: i32 = 126;

/// Confines this process and becomes the program. Returns an exit code if it cannot.
pub(super) fn become_program(words: &[OsString]) -> i32 {
    let [setup, told, name, arguments @ ..] = words else {
        return UNMADE;
    };
    let (setup, mut told) = match inherited(setup, told) {
        Ok(inherited) => inherited,
        Err(_unsaid) => return UNMADE,
    };
    if let Err(error) = confine(&setup) {
        let _unread = write!(told, "the program cannot be confined: {error}");
        return UNMADE;
    }
    let mut program = Command::new(name);
    program.args(arguments).env_clear();
    program.envs(setup.environment.iter().map(|(name, value)| (name, value)));
    let error = program.exec();
    // What the program finds as standard error, this does too.
    let name = name.to_string_lossy();
    let _unread = writeln!(io::stderr(), "signoff: {name}: {error}");
    if error.kind() == io::ErrorKind::NotFound {
        NOT_STARTED
    } else {
        NOT_RUNNABLE
    }
}

/// Reads the setup, and opens what failures are told to, by the numbers of two descriptors.
fn inherited(setup: &OsString, told: &OsString) -> io::Result<(Setup, File)> {
    let numbers: [RawFd; 2] = [first::number(setup)?, first::number(told)?];
    let [read, written] = numbers.map(|number| format!("/proc/self/fd/{number}"));
    let mut text = Vec::new();
    File::open(read)?.read_to_end(&mut text)?;
    // Opened anew, they are closed when the program begins.
    let told = File::options().write(true).open(written)?;
    numbers.into_iter().for_each(descriptors::close);
    Ok((serde_json::from_slice(&text)?, told))
}

fn confine(setup: &Setup) -> io::Result<()> {
    let _leads_already = setsid();
    for stream in [stdin(), stdout(), stderr()] {
        if isatty(stream) {
            ioctl_tiocsctty(stream)?;
            break;
        }
    }
    rights::limit()?;
    bounds::offer_to_the_system();
    let mut writable: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    writable.extend(WRITABLE.iter().map(PathBuf::from));
    writable.extend([setup.root.clone(), setup.home.clone()]);
    writable.extend(setup.caches.iter().cloned());
    // What of it belongs to others is mounted read-only.
    writable.extend(setup.git.iter().map(|git| git.folders.common.clone()));
    restrict(&writable).map_err(without_rules)?;
    calls::filter().map_err(io::Error::other)
}

fn without_rules(error: landlock::RulesetError) -> io::Error {
    io::Error::other(format!(
        "this kernel has no Landlock of version {} or newer (Linux 5.19): {error}",
        OLDEST_RULES as u8
    ))
}

/// Applies rules to this process: it writes only what is `writable`.
fn restrict(writable: &[PathBuf]) -> Result<(), landlock::RulesetError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(OLDEST_RULES))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(NEWEST_RULES))?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(
            writable,
            AccessFs::from_write(NEWEST_RULES),
        ))?
        .restrict_self()?;
    debug_assert_ne!(status.ruleset, RulesetStatus::NotEnforced);
    Ok(())
}
