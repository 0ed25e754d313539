//! Ends a stage with the one that started it, however that ends and whenever.
//!
//! The system sends a signal to the child of a process that ends, if the child asked for it before. What had ended by
//! then is found by a second look: at the parent's number, or at a pipe of which the parent holds the other end.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

/// The process that started this one, in the same process namespace.
#[derive(Debug)]
pub(super) struct Parent {
    pid: Option<Pid>,
}

impl Parent {
    /// Has this process end with its parent, which must be `expected` where that is known.
    pub(super) fn bind(expected: Option<i32>) -> io::Result<Self> {
        let pid = getppid();
        let number = pid.map(|pid| pid.as_raw_nonzero().get());
        if expected.is_some() && expected != number {
            return Err(gone());
        }
        let parent = Self { pid };
        parent.bind_again()?;
        Ok(parent)
    }

    /// Does so once more, where something has ended the first bond.
    pub(super) fn bind_again(&self) -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if self.is_gone() {
            return Err(gone());
        }
        Ok(())
    }

    /// Returns whether it has ended.
    pub(super) fn is_gone(&self) -> bool {
        getppid() != self.pid
    }
}

/// A pipe that is at its end once this process is gone; the reader is inherited by the next stage.
#[derive(Debug)]
pub(super) struct Lifeline {
    reader: OwnedFd,
    _writer: OwnedFd,
}

impl Lifeline {
    pub(super) fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let (reader, writer) = (OwnedFd::from(reader), OwnedFd::from(writer));
        fcntl_setfd(&reader, FdFlags::empty())?;
        Ok(Self {
            reader,
            _writer: writer,
        })
    }

    /// Returns the reader's number, as an argument.
    pub(super) fn number(&self) -> OsString {
        self.reader.as_raw_fd().to_string().into()
    }
}

/// The other end of a lifeline.
#[derive(Debug)]
pub(super) struct Maker {
    reader: std::fs::File,
}

impl Maker {
    /// Opens it by its number, and closes every other inherited descriptor.
    pub(super) fn inherited(number: &OsStr) -> io::Result<Self> {
        let number: RawFd = super::first::number(number)?;
        // All others first: one of the numbers is that of the listing, and free for the reader by now.
        let inherited = super::descriptors::numbers()?.into_iter();
        inherited
            .filter(|other| *other != number)
            .for_each(super::descriptors::close);
        let reader = std::fs::File::open(format!("/proc/self/fd/{number}"))?;
        super::descriptors::close(number);
        Ok(Self { reader })
    }

    /// Has this process end with the maker.
    pub(super) fn bind(&self) -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        let mut source = [PollFd::new(&self.reader, PollFlags::IN)];
        poll(&mut source, Some(&Timespec::default()))?;
        let [source] = &source;
        if source.revents().is_empty() {
            Ok(())
        } else {
            Err(gone())
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("whoever started the program is gone")
}
