//! Process 1 of a program's process namespace, whose end ends all that the program started.
//!
//! It makes `/proc`, takes the new root, enters the inner user namespace, gives up every right, starts the program, and
//! reaps whatever is left to it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use nix::sched::{CloneFlags, unshare};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{DumpableBehavior, WaitOptions, set_dumpable_behavior, wait};

use super::beneath::Tree;
use super::failed::failed;
use super::lifeline::Maker;
use super::setup::Setup;
use super::{FAILURE, OWN, Stage, UNMADE, attend, new_root, rights};

/// Maximum size of what the last stage says of its failure, in bytes.
const MAX_FAILURE: u64 = 4096;

/// Does all of it, and returns the program's exit code.
pub(super) fn first(words: &[OsString]) -> i32 {
    let [lifeline, words @ ..] = words else {
        return UNMADE;
    };
    let opened = Maker::inherited(lifeline)
        .and_then(|maker| Ok((maker, Tree::here()?.create(Path::new(FAILURE))?)));
    let Ok((maker, mut failure)) = opened else {
        return UNMADE;
    };
    match run(words, &maker) {
        Ok(status) => attend::code(status),
        Err(error) => {
            let _unread = failure.write_all(error.to_string().as_bytes());
            UNMADE
        }
    }
}

fn run(words: &[OsString], maker: &Maker) -> io::Result<ExitStatus> {
    let [user, group, _layers, program @ ..] = words else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let (user, group) = (number(user)?, number(group)?);
    let attention = attend::Attention::begin()?;
    let layers = Tree::here()?;
    let setup = Setup::take(&layers)?;
    maker.bind()?;
    new_root::enter(&setup, &layers, user == 0)?;
    unshare(CloneFlags::CLONE_NEWUSER)
        .map_err(|error| failed("make the program's user namespace", error))?;
    super::maker::map_ids((user, 0), (group, 0))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rights::give_up().map_err(|error| failed("give up rights", error))?;
    // Namespaces and credentials have cleared it.
    maker.bind()?;
    Last::new(&setup, program, &setup.folder)?
        .run(|command, begun| attend::spawn(attention, command, reap, begun))
}

/// The last stage, ready to be started.
pub(super) struct Last {
    command: Command,
    /// What the stage reads; open until it is started.
    told: File,
    /// What the stage says of its failure, from one end to the other.
    reader: io::PipeReader,
    writer: OwnedFd,
}

impl Last {
    /// Prepares the stage for a program, its name first.
    pub(super) fn new(setup: &Setup, program: &[OsString], folder: &Path) -> io::Result<Self> {
        let mut told = File::from(memfd_create(c"setup", MemfdFlags::empty())?);
        told.write_all(&serde_json::to_vec(setup)?)?;
        let (reader, writer) = io::pipe()?;
        let writer = OwnedFd::from(writer);
        // The last stage opens both anew by their numbers, and closes these.
        fcntl_setfd(&writer, FdFlags::empty())?;
        let mut command = Command::new(OWN);
        command.arg(Stage::Confine.word());
        command.arg(told.as_raw_fd().to_string());
        command.arg(writer.as_raw_fd().to_string());
        command.args(program).current_dir(folder).env_clear();
        Ok(Self {
            command,
            told,
            reader,
            writer,
        })
    }

    /// Starts it, by `spawn`, and returns how the program ended.
    pub(super) fn run(
        self,
        spawn: impl FnOnce(
            Command,
            &mut dyn FnMut(&mut Child) -> io::Result<()>,
        ) -> io::Result<ExitStatus>,
    ) -> io::Result<ExitStatus> {
        let Self {
            command,
            told,
            reader,
            writer,
        } = self;
        let mut why = String::new();
        let mut reader = reader.take(MAX_FAILURE);
        let mut ends = Some((told, writer));
        let status = spawn(command, &mut |_| {
            drop(ends.take());
            // At its end once the stage has become the program.
            let _unreadable = reader.read_to_string(&mut why);
            Ok(())
        })?;
        if why.is_empty() {
            Ok(status)
        } else {
            Err(io::Error::other(why))
        }
    }
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

/// Reads a number among a stage's arguments.
pub(super) fn number<N: std::str::FromStr>(word: &OsStr) -> io::Result<N> {
    let number = word.to_str().and_then(|word| word.parse().ok());
    number.ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
