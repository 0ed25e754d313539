//! The maker: the stage that makes a program's namespaces and mounts, and waits for its process 1.
//!
//! Two user namespaces: the outer one owns the mounts, and in it this user is root; the program is in the inner one, as
//! itself, which owns nothing. The maker stays outside the process namespace, copies what goes through the program's
//! terminal and files, and ends it when it takes too much. Everything ends with the maker: process 1 is killed with it,
//! and mounts go with their namespace.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{DumpableBehavior, getgid, getuid, set_dumpable_behavior};

use super::beneath::Tree;
use super::crew::Crew;
use super::failed::failed;
use super::setup::{ProgramNetwork, Setup};
use super::streams::{Streams, Terminal};
use super::{
    FAILURE, OWN, Stage, UNMADE, attend, bounds, descriptors, lifeline, loopback, new_root,
    program_terminal, way_out,
};

/// Makes everything, starts process 1, and returns the program's exit code.
pub(super) fn make(words: &[OsString]) -> i32 {
    let prepared = descriptors::close_inherited().and_then(|()| prepare(words));
    let (setup, parent) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            // This process may not stand in the layers' folder, and the layers may be another program's by now.
            let _unread = writeln!(io::stderr(), "signoff: {error}");
            return UNMADE;
        }
    };
    match run(&setup, words, &parent) {
        Ok(status) => attend::code(status),
        Err(error) => {
            // The mounts may hide the path; the folder that this process is in, they cannot.
            let told = Tree::here()
                .and_then(|layers| layers.write(Path::new(FAILURE), error.to_string().as_bytes()));
            let _unread = told;
            UNMADE
        }
    }
}

/// Reads the setup, and has this process end with its parent; it stands in the layers' folder afterwards.
fn prepare(words: &[OsString]) -> io::Result<(Setup, lifeline::Parent)> {
    let layers = words.first().ok_or(io::ErrorKind::InvalidInput)?;
    let layers = Tree::real(Path::new(layers))?;
    let setup = Setup::read(&layers)?;
    let parent = lifeline::Parent::bind(setup.parent)?;
    layers.enter()?;
    Ok((setup, parent))
}

fn run(setup: &Setup, words: &[OsString], parent: &lifeline::Parent) -> io::Result<ExitStatus> {
    let attention = attend::Attention::begin()?;
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| failed("make a user namespace", error))?;
    map_ids((0, user), (0, group))?;
    let crew = Crew::start().map_err(|error| failed("start a thread", error))?;
    let mut spaces = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWCGROUP;
    if setup.network != ProgramNetwork::Whole {
        spaces |= CloneFlags::CLONE_NEWNET;
    }
    unshare(spaces).map_err(|error| failed("make namespaces", error))?;
    // A change of credentials has cleared it.
    parent.bind_again()?;
    if setup.network != ProgramNetwork::Whole {
        loopback::bring_up().map_err(|error| failed("bring up loopback", error))?;
    }
    let layers = Tree::here()?;
    let mut questions = None;
    if setup.network == ProgramNetwork::Brokered {
        questions = program_terminal::connect(&layers);
        way_out::hand_over(&layers).map_err(|error| failed("open a way to the network", error))?;
    }
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private).map_err(|error| failed("separate the mounts", error))?;
    let root = new_root::make(setup, &layers)?;
    let terminals = root.handle().join("dev/pts/ptmx");
    let mut streams = Streams::of_own(questions, || Terminal::open(&terminals))?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let lifeline = lifeline::Lifeline::new()?;
    let mut first = Command::new(OWN);
    first.arg(Stage::First.word()).arg(lifeline.number());
    first.arg(user.to_string()).arg(group.to_string());
    first.args(words);
    streams.give(&mut first)?;
    let status = attend::spawn(attention, first, Child::try_wait, |child| {
        bounds::watch(child, layers, &crew)?;
        streams.copy(child, &crew)
    })?;
    streams.finish();
    drop(lifeline);
    Ok(status)
}

/// Maps one user and one group: each the id inside and the id outside.
pub(super) fn map_ids(user: (u32, u32), group: (u32, u32)) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny").map_err(|error| failed("map groups", error))?;
    map_id("/proc/self/uid_map", user)?;
    map_id("/proc/self/gid_map", group)
}

fn map_id(file: &str, (inside, outside): (u32, u32)) -> io::Result<()> {
    let written = fs::write(file, format!("{inside} {outside} 1"));
    written.map_err(|error| failed("map ids", error))
}
