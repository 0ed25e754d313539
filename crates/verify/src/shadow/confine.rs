//! Confinement of one program: Landlock rules on what it may write, and a filter on system calls.
//!
//! In: the folders that are writable. Out: this process can write nowhere else, cannot signal
//! processes outside, and cannot put input into the user's terminal. All of it is inherited.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::setup::Setup;

/// The newest Landlock rules that are asked for; older kernels apply what they know.
const RULES: ABI = ABI::V6;
/// Devices that programs write to, and the folders of pseudo-terminals and shared memory.
const DEVICES: [&str; 10] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
    "/proc",
];
/// Temporary folders; each is a layer of the shadow.
pub(super) const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
/// Exit codes of shells: the program is not there, or cannot be run.
const MISSING: i32 = 127;
const NOT_RUNNABLE: i32 = 126;

/// How much of the confinement is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confined {
    /// Writes outside the shadow fail.
    Full,
    /// The kernel lacks part of it: older than 6.12, or Landlock is off.
    Partial,
    /// Writes outside are not prevented.
    No,
}

/// Confines this process and becomes the program. Returns an exit code if it cannot.
pub(super) fn become_program(words: &[OsString]) -> i32 {
    let complain = |text: &str| {
        let _unread = writeln!(io::stderr(), "signoff: {text}");
    };
    let [setup, name, arguments @ ..] = words else {
        return MISSING;
    };
    let setup = setup.to_str().ok_or(io::ErrorKind::InvalidInput.into());
    let confined = setup
        .and_then(Setup::read)
        .and_then(|setup| confine(&setup));
    if let Err(error) = confined {
        complain(&format!("the program cannot be confined: {error}"));
        return super::UNMADE;
    }
    let error = Command::new(name).args(arguments).exec();
    complain(&format!("{}: {error}", name.to_string_lossy()));
    if error.kind() == io::ErrorKind::NotFound {
        MISSING
    } else {
        NOT_RUNNABLE
    }
}

/// Confines this process.
fn confine(setup: &Setup) -> io::Result<Confined> {
    let mut writable: Vec<PathBuf> = vec![setup.root.clone()];
    writable.extend(setup.caches.iter().cloned());
    writable.extend(DEVICES.iter().chain(&TEMPORARY).map(PathBuf::from));
    let confined = restrict(&writable).map_err(io::Error::other)?;
    forbid_terminal_input().map_err(io::Error::other)?;
    Ok(confined)
}

/// Tells how much of the confinement this kernel has; the calling thread is not confined.
pub fn probe() -> Confined {
    let asked = std::thread::spawn(|| restrict(&[PathBuf::from("/dev/null")]));
    match asked.join() {
        Ok(Ok(confined)) => confined,
        Ok(Err(_)) | Err(_) => Confined::No,
    }
}

fn restrict(writable: &[impl AsRef<Path>]) -> Result<Confined, landlock::RulesetError> {
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(RULES))?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(writable, AccessFs::from_write(RULES)))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Confined::Full,
        RulesetStatus::PartiallyEnforced => Confined::Partial,
        RulesetStatus::NotEnforced => Confined::No,
    })
}

/// Forbids the two calls that put characters into a terminal as if the user had typed them: the
/// program has the user's terminal, and a shell waits there.
fn forbid_terminal_input() -> Result<(), seccompiler::Error> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        return Ok(());
    };
    let rule = |request: u64| {
        let is = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?;
        SeccompRule::new(vec![is])
    };
    let rules = vec![rule(libc::TIOCSTI)?, rule(libc::TIOCLINUX)?];
    let denied = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_ioctl, rules)]),
        SeccompAction::Allow,
        denied,
        arch,
    )?;
    let program = BpfProgram::try_from(filter)?;
    seccompiler::apply_filter(&program)
}
