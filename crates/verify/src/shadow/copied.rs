//! The stage that runs a program in a copy, where there are no namespaces: it waits for the program, copies its
//! streams, and kills whatever it has left.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

use rustix::process::{Signal, set_parent_process_death_signal};

use super::crew::Crew;
use super::lifeline::Parent;
use super::setup::Setup;
use super::streams::{Streams, Terminal};
use super::{FAILURE, UNMADE, attend, descriptors, first};

/// Runs the program, and returns its exit code.
pub(super) fn run(words: &[OsString]) -> i32 {
    let [file, program @ ..] = words else {
        return UNMADE;
    };
    let setup = descriptors::close_inherited().and_then(|()| Setup::take(Path::new(file)));
    let Ok(setup) = setup else {
        return UNMADE;
    };
    // Where nobody waits, the layers may be another program's by now: nothing is said.
    let Ok(parent) = Parent::bind(setup.parent) else {
        return UNMADE;
    };
    match in_copy(&setup, program, &parent) {
        Ok(status) => attend::code(status),
        Err(error) => {
            if !parent.is_gone() {
                let _unread = fs::write(setup.layers.join(FAILURE), error.to_string());
            }
            UNMADE
        }
    }
}

fn in_copy(setup: &Setup, program: &[OsString], parent: &Parent) -> io::Result<ExitStatus> {
    let attention = attend::Attention::begin()?;
    // It has to end what the program started before it ends itself.
    set_parent_process_death_signal(Some(Signal::TERM))?;
    let setup = &Setup {
        parent: Some(rustix::process::getpid().as_raw_nonzero().get()),
        ..setup.clone()
    };
    let mut streams = Streams::of_own(|| Terminal::open(Path::new("/dev/ptmx")))?;
    let folder = setup.shown_folder(&setup.folder);
    let last = first::Last::new(setup, program, &folder)?;
    let crew = Crew::start();
    let status = last.run(Some((&mut streams, &crew)), |command, begun| {
        attend::spawn_and_end_all(attention, command, &|| parent.is_gone(), begun)
    })?;
    streams.finish();
    Ok(status)
}
