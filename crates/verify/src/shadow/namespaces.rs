//! Entering the shadow: namespaces, overlay mounts, and the first process of the program's own world.
//!
//! In: a [`Setup`]. Out: the program's exit code. Two stages of this binary, each a single thread:
//! the first makes namespaces and mounts; the second is process 1 of the program's process
//! namespace, whose end ends all that the program started. Nothing of it outlives them: mounts go
//! with their namespace.

use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_change, mount_move,
};
use rustix::process::{
    Signal, WaitOptions, geteuid, getgid, getuid, set_parent_process_death_signal, wait,
};

use super::confine::TEMPORARY;
use super::setup::Setup;
use super::{FAILURE, OWN, RUNNING, Stage, UNMADE, attend, loopback};

/// Options of every overlay; paths are relative, so that none has to be escaped.
const OVERLAY: &CStr = c"lowerdir=lower,upperdir=upper,workdir=work,userxattr";
/// All ids that there are, each as itself.
const ALL_IDS: &str = "0 0 4294967295";
/// What a signal adds to the exit code, as shells have it.
const SIGNALLED: i32 = 128;

/// First stage: makes the namespaces and mounts, and waits for the second.
pub(super) fn make(words: &[OsString]) -> i32 {
    report(words, |setup, words| {
        std::env::set_current_dir(&setup.layers)?;
        become_root_of_own()?;
        let mut spaces =
            CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC;
        if !setup.network {
            spaces |= CloneFlags::CLONE_NEWNET;
        }
        unshare(spaces).map_err(|error| failed("make namespaces", error.into()))?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if !setup.network {
            loopback::bring_up().map_err(|error| failed("bring up loopback", error.into()))?;
        }
        mounts(setup)?;
        let mut first = stage(Stage::First, words);
        attend::spawn(&mut first, Child::try_wait)
    })
}

/// Second stage: process 1. Starts the program and reaps whatever is left to it.
pub(super) fn first(words: &[OsString]) -> i32 {
    report(words, |setup, words| {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        let running = File::create(RUNNING)?;
        flock(&running, FlockOperation::LockExclusive)?;
        // All that the program starts holds the lock, until it is gone.
        fcntl_setfd(&running, FdFlags::empty())?;
        // In some containers the old one has to do; its numbers are other ones.
        let _kept = mount(c"proc", "/proc", c"proc", MountFlags::empty(), None);
        let mut program = stage(Stage::Confine, words);
        program.current_dir(&setup.folder);
        attend::spawn(&mut program, reap)
    })
}

fn stage(stage: Stage, words: &[OsString]) -> Command {
    let mut command = Command::new(OWN);
    command.arg(stage.word()).args(words);
    command
}

/// Does a stage's work; writes down why it could not be done.
fn report(
    words: &[OsString],
    work: impl FnOnce(&Setup, &[OsString]) -> io::Result<ExitStatus>,
) -> i32 {
    let setup = words.first().and_then(|word| word.to_str());
    let setup = setup.map_or_else(|| Err(io::ErrorKind::InvalidInput.into()), Setup::read);
    let done = setup.and_then(|setup| {
        let done = work(&setup, words);
        if let Err(error) = &done {
            // The mounts may hide the path; the folder that this process is in, they cannot.
            let at = Path::new(FAILURE);
            let _unread = fs::write(at, error.to_string());
        }
        done
    });
    match done {
        Ok(status) => code(status),
        Err(_written) => UNMADE,
    }
}

/// Returns the exit code of shells.
pub(super) fn code(status: ExitStatus) -> i32 {
    let signalled = status.signal().map(|signal| SIGNALLED + signal);
    status.code().or(signalled).unwrap_or(UNMADE)
}

/// Reaps every child that has ended; returns how the given one did, if it has.
fn reap(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let own = i32::try_from(child.id()).ok();
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if Some(pid.as_raw_nonzero().get()) == own => {
                return Ok(Some(ExitStatus::from_raw(status.as_raw())));
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return Ok(None),
        }
    }
}

/// Enters a user namespace in which this user is itself, with all rights over what is made there.
/// For the super-user all ids are mapped: files of others stay theirs.
fn become_root_of_own() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let mut mapper = geteuid().is_root().then(start_mapper).transpose()?;
    unshare(CloneFlags::CLONE_NEWUSER)
        .map_err(|error| failed("make a user namespace", error.into()))?;
    if let Some(mapper) = &mut mapper
        && map_all(mapper).is_ok()
    {
        return Ok(());
    }
    let own = |file: &str, id: u32| {
        fs::write(file, format!("{id} {id} 1")).map_err(|error| failed("map ids", error))
    };
    fs::write("/proc/self/setgroups", "deny").map_err(|error| failed("map groups", error))?;
    own("/proc/self/uid_map", user)?;
    Ok(own("/proc/self/gid_map", group)?)
}

/// Starts the process that maps ids from outside the namespace.
fn start_mapper() -> io::Result<Child> {
    let own = std::process::id().to_string();
    let mut mapper = Command::new(OWN);
    mapper.arg(Stage::Map.word()).arg(own);
    mapper.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()
}

fn map_all(mapper: &mut Child) -> io::Result<()> {
    // The end of its input tells it that the namespace is there.
    drop(mapper.stdin.take());
    let status = mapper.wait()?;
    let failed = || io::Error::other("ids are not mapped");
    status.success().then_some(()).ok_or_else(failed)
}

/// Maps all ids of the namespace that a process has entered.
pub(super) fn map(words: &[OsString]) -> i32 {
    let Some(process) = words.first().and_then(|word| word.to_str()) else {
        return 1;
    };
    let _until_told = io::copy(&mut io::stdin(), &mut io::sink());
    let write = |file: &str| fs::write(format!("/proc/{process}/{file}"), ALL_IDS);
    i32::from(write("uid_map").and_then(|()| write("gid_map")).is_err())
}

/// Makes every mount of the shadow. All overlays are made before one of them hides a path.
fn mounts(setup: &Setup) -> io::Result<()> {
    mount_change(
        "/",
        MountPropagationFlags::REC | MountPropagationFlags::PRIVATE,
    )
    .map_err(|error| failed("separate the mounts", error.into()))?;
    let mut made = vec![(
        setup.root.clone(),
        overlay(Path::new("workspace"), &setup.root)?,
    )];
    for (number, cache) in setup.caches.iter().enumerate() {
        let layer = PathBuf::from("caches").join(number.to_string());
        made.push((cache.clone(), overlay(&layer, cache)?));
    }
    for folder in TEMPORARY
        .iter()
        .map(Path::new)
        .filter(|folder| folder.is_dir())
    {
        let layer = Path::new("temporary").join(folder.strip_prefix("/").unwrap_or(folder));
        let merged = overlay(&layer, folder)
            .or_else(|_inside| in_memory(&layer, folder))
            .or_else(|_locked| empty(&layer, folder, setup))?;
        made.push((folder.to_owned(), merged));
    }
    // Outer folders first: a mount hides what was mounted below it.
    made.sort_by_key(|(target, _)| target.components().count());
    for (target, merged) in &made {
        mount_move(merged, target)
            .map_err(|error| failed("mount the layer of", error.into()).of(target))?;
    }
    hide(setup)
}

/// Mounts a layer over a folder, not yet in its place. Returns where.
fn overlay(layer: &Path, lower: &Path) -> io::Result<PathBuf> {
    let back = std::env::current_dir()?;
    fs::create_dir_all(layer)?;
    std::env::set_current_dir(layer)?;
    let made = overlay_here(lower);
    std::env::set_current_dir(back)?;
    made.map_err(|error| failed("mount an overlay on", error).of(lower))?;
    Ok(layer.join("merged"))
}

fn overlay_here(lower: &Path) -> io::Result<()> {
    for folder in ["upper", "work", "merged"] {
        fs::create_dir_all(folder)?;
    }
    if fs::read_link("lower").ok().as_deref() != Some(lower) {
        let _absent = fs::remove_file("lower");
        symlink(lower, "lower")?;
    }
    Ok(mount(
        c"overlay",
        "merged",
        c"overlay",
        MountFlags::empty(),
        OVERLAY,
    )?)
}

/// The same in memory, for a folder that the layers are kept in themselves.
fn in_memory(layer: &Path, lower: &Path) -> io::Result<PathBuf> {
    let layer = layer.join("memory");
    fs::create_dir_all(&layer)?;
    mount(c"tmpfs", &layer, c"tmpfs", MountFlags::empty(), None)?;
    overlay(&layer, lower)
}

/// An empty folder in memory, with those that other layers go over. A folder below which the user has mounts has
/// no overlay: it would show what they hide.
fn empty(layer: &Path, folder: &Path, setup: &Setup) -> io::Result<PathBuf> {
    let made = layer.join("empty");
    fs::create_dir_all(&made)?;
    mount(c"tmpfs", &made, c"tmpfs", MountFlags::empty(), c"mode=1777")?;
    for within in std::iter::once(&setup.root).chain(&setup.caches) {
        if let Ok(below) = within.strip_prefix(folder) {
            fs::create_dir_all(made.join(below))?;
        }
    }
    Ok(made)
}

/// Puts something empty in the place of what must not be read.
fn hide(setup: &Setup) -> io::Result<()> {
    let own = std::iter::once(&setup.layers);
    for path in own.chain(&setup.hidden) {
        let Ok(metadata) = fs::metadata(path) else {
            continue;
        };
        let hidden = if metadata.is_dir() {
            mount(
                c"tmpfs",
                path,
                c"tmpfs",
                MountFlags::RDONLY,
                c"size=0,mode=555",
            )
        } else {
            mount_bind("/dev/null", path)
        };
        hidden.map_err(|error| failed("hide", error.into()).of(path))?;
    }
    Ok(())
}

/// A step that failed.
fn failed(step: &str, error: io::Error) -> Failed {
    Failed {
        step: step.to_owned(),
        error,
    }
}

/// What was tried, and what the system said.
struct Failed {
    step: String,
    error: io::Error,
}

impl Failed {
    fn of(mut self, path: &Path) -> Self {
        self.step = format!("{} {}", self.step, path.display());
        self
    }
}

impl From<Failed> for io::Error {
    fn from(failed: Failed) -> Self {
        Self::new(
            failed.error.kind(),
            format!("cannot {}: {}", failed.step, failed.error),
        )
    }
}
