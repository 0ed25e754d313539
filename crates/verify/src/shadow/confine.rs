//! Confinement of one program: Landlock rules on what it may write, and a filter on system calls.
//!
//! In: the folders that are writable. Out: this process can write nowhere else, cannot signal
//! processes outside, and cannot put input into the user's terminal. All of it is inherited. A program in a
//! copy has no namespaces of its own: rules and filter keep it from hidden files and from the network as well.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::setup::{Backend, Setup};
use super::{FAILURE, RUNNING};

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
/// The variables by which programs find their temporary folder.
const TEMPORARY_VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
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
    let setup = setup
        .to_str()
        .map_or_else(|| Err(io::ErrorKind::InvalidInput.into()), Setup::read);
    let setup = match setup.and_then(|setup| confine(&setup).map(|()| setup)) {
        Ok(setup) => setup,
        Err(error) => {
            complain(&format!("the program cannot be confined: {error}"));
            return super::UNMADE;
        }
    };
    let mut program = Command::new(name);
    if setup.backend == Backend::Copy {
        for variable in TEMPORARY_VARIABLES {
            program.env(variable, setup.temporary());
        }
    }
    let error = program.args(arguments).exec();
    complain(&format!("{}: {error}", name.to_string_lossy()));
    if error.kind() == io::ErrorKind::NotFound {
        MISSING
    } else {
        NOT_RUNNABLE
    }
}

/// Confines this process.
fn confine(setup: &Setup) -> io::Result<()> {
    let devices = DEVICES.iter().map(PathBuf::from);
    match setup.backend {
        Backend::Overlay => {
            let mut writable: Vec<PathBuf> = vec![setup.root.clone()];
            writable.extend(setup.caches.iter().cloned());
            writable.extend(TEMPORARY.iter().map(PathBuf::from).chain(devices));
            restrict(&writable, None).map_err(io::Error::other)?;
        }
        Backend::Copy => {
            let (shown, temporary) = (setup.shown(), setup.temporary());
            std::env::set_current_dir(setup.shown_folder(&setup.folder))?;
            // It ends with the process that waits for it.
            set_parent_process_death_signal(Some(Signal::KILL))?;
            hold_until_the_end(&setup.layers.join(RUNNING))?;
            drop_privileges();
            let mut writable = vec![shown, temporary];
            writable.extend(devices);
            let readable = Readable::but(&setup.hidden);
            let confined = restrict(&writable, Some(&readable)).map_err(io::Error::other)?;
            if confined == Confined::No {
                let why = "this system has no Landlock, so that writes outside succeed";
                let _unread = fs::write(setup.layers.join(FAILURE), why);
                return Err(io::Error::other(why));
            }
        }
    }
    let sockets = setup.backend == Backend::Overlay || setup.network;
    filter_calls(sockets).map_err(io::Error::other)
}

/// Gives up what the super-user may do beside using files: it could read the memory of other processes, and the
/// keys in it. Others have nothing to give up.
fn drop_privileges() {
    let kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::DAC_READ_SEARCH
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID
        | CapabilitySet::KILL
        | CapabilitySet::SETGID
        | CapabilitySet::SETUID;
    for one in (CapabilitySet::all() - kept).iter() {
        // Refused to those who have none, and for those that this kernel does not know.
        let _none = remove_capability_from_bounding_set(one);
    }
}

/// Locks a file for as long as this process or one that it starts lives.
fn hold_until_the_end(lock: &Path) -> io::Result<()> {
    let running = File::create(lock)?;
    flock(&running, FlockOperation::LockExclusive)?;
    fcntl_setfd(&running, FdFlags::empty())?;
    // Closed by the end of the process.
    std::mem::forget(running);
    Ok(())
}

/// What a program may read that must not read everything.
struct Readable {
    /// Files, and folders with all that is in them.
    whole: Vec<PathBuf>,
}

impl Readable {
    /// Returns all that there is but these files and folders. Links are left out: what they lead to is in it
    /// under its own name, or hidden.
    fn but(hidden: &[PathBuf]) -> Self {
        let hidden = hidden.iter().filter_map(|path| path.canonicalize().ok());
        let mut all = Self { whole: Vec::new() };
        all.beside(Path::new("/"), &hidden.collect::<Vec<_>>());
        all
    }

    fn beside(&mut self, folder: &Path, hidden: &[PathBuf]) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_link || hidden.contains(&path) {
                continue;
            }
            if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                self.beside(&path, hidden);
            } else {
                self.whole.push(path);
            }
        }
    }
}

/// Tells how much of the confinement this kernel has; the calling thread is not confined.
pub fn probe() -> Confined {
    let asked = std::thread::spawn(|| restrict(&[PathBuf::from("/dev/null")], None));
    match asked.join() {
        Ok(Ok(confined)) => confined,
        Ok(Err(_)) | Err(_) => Confined::No,
    }
}

/// Applies rules to this process: it writes only what is `writable`, and reads only that and what is `readable`, if
/// that is given.
fn restrict(
    writable: &[impl AsRef<Path>],
    readable: Option<&Readable>,
) -> Result<Confined, landlock::RulesetError> {
    let (write, read) = (AccessFs::from_write(RULES), AccessFs::from_read(RULES));
    let own = if readable.is_some() {
        write | read
    } else {
        write
    };
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(own)?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(writable, own))?;
    if let Some(readable) = readable {
        // Folders can be listed everywhere: names are no secret, and programs look for their way.
        rules = rules
            .add_rules(path_beneath_rules(&readable.whole, read))?
            .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?;
    }
    let status = rules.restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Confined::Full,
        RulesetStatus::PartiallyEnforced => Confined::Partial,
        RulesetStatus::NotEnforced => Confined::No,
    })
}

/// Forbids the two calls that put characters into a terminal as if the user had typed them: the
/// program has the user's terminal, and a shell waits there. Without `sockets` it makes none, and none by way of
/// the ring of calls either.
fn filter_calls(sockets: bool) -> Result<(), seccompiler::Error> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        return Ok(());
    };
    let rule = |request: u64| {
        let is = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?;
        SeccompRule::new(vec![is])
    };
    let rules = vec![rule(libc::TIOCSTI)?, rule(libc::TIOCLINUX)?];
    let denied = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let mut calls = BTreeMap::from([(libc::SYS_ioctl, rules)]);
    if !sockets {
        calls.extend([libc::SYS_socket, libc::SYS_io_uring_setup].map(|call| (call, Vec::new())));
    }
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, denied, arch)?;
    let program = BpfProgram::try_from(filter)?;
    seccompiler::apply_filter(&program)
}
