//! The last stage: confines itself and becomes the program.
//!
//! In an overlay there is nothing left in the file tree that must not be seen or written; Landlock rules say the same
//! once more, by other code of the kernel. In a copy, where there are no namespaces, rules and the filter of system
//! calls are all there is: it is not promised that they confine.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::isatty;
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};

use super::lifeline::Parent;
use super::setup::{Backend, Setup};
use super::{UNMADE, bounds, calls, descriptors, first, rights};

/// The oldest Landlock rules that will do: the first version forbids to move a file to another folder. Linux 5.19.
const OLDEST_RULES: ABI = ABI::V2;
/// The newest Landlock rules that are asked for; older kernels apply what they know.
const NEWEST_RULES: ABI = ABI::V6;
/// What a program may write beside the workspace and caches; all of it is its own where there are namespaces.
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
/// The variables by which programs find their temporary folder.
const TEMPORARY_VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// Exit codes of shells: the program is not there, or cannot be run.
const MISSING: i32 = 127;
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
    if setup.backend == Backend::Copy {
        for variable in TEMPORARY_VARIABLES {
            program.env(variable, setup.temporary());
        }
    }
    let error = program.exec();
    // What the program finds as standard error, this does too.
    let name = name.to_string_lossy();
    let _unread = writeln!(io::stderr(), "signoff: {name}: {error}");
    if error.kind() == io::ErrorKind::NotFound {
        MISSING
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
    match setup.backend {
        Backend::Overlay => {
            writable.extend(WRITABLE.iter().map(PathBuf::from));
            writable.extend([setup.root.clone(), setup.home.clone()]);
            writable.extend(setup.caches.iter().cloned());
            restrict(&writable, None).map_err(without_rules)?;
        }
        Backend::Copy => {
            // It ends with the process that waits for it.
            Parent::bind(setup.parent)?;
            drop_privileges();
            writable.extend([setup.shown(), setup.temporary()]);
            // Not `/proc`: the program could have the system choose the process that ends what it leaves.
            writable.extend(["/dev/shm", "/dev/pts"].map(PathBuf::from));
            let readable = Readable::but(&setup.hidden);
            restrict(&writable, Some(&readable)).map_err(without_rules)?;
        }
    }
    calls::filter(setup).map_err(io::Error::other)
}

fn without_rules(error: landlock::RulesetError) -> io::Error {
    io::Error::other(format!(
        "this kernel has no Landlock of version {} or newer (Linux 5.19): {error}",
        OLDEST_RULES as u8
    ))
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

/// Applies rules to this process: it writes only what is `writable`, and reads only that and what is `readable`, if
/// that is given.
fn restrict(
    writable: &[impl AsRef<Path>],
    readable: Option<&Readable>,
) -> Result<(), landlock::RulesetError> {
    let own = |rules: ABI| match readable {
        Some(_) => AccessFs::from_all(rules),
        None => AccessFs::from_write(rules),
    };
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(own(OLDEST_RULES))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(own(NEWEST_RULES))?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(writable, own(NEWEST_RULES)))?;
    if let Some(readable) = readable {
        // Folders can be listed everywhere: names are no secret, and programs look for their way.
        let read = AccessFs::from_read(NEWEST_RULES);
        rules = rules
            .add_rules(path_beneath_rules(&readable.whole, read))?
            .add_rules(path_beneath_rules(["/"], AccessFs::ReadDir))?;
    }
    let status = rules.restrict_self()?;
    debug_assert_ne!(status.ruleset, RulesetStatus::NotEnforced);
    Ok(())
}
