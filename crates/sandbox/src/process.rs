//! Runs one program to its end, with all processes that it starts.
//!
//! In: a program with its arguments, limits, and somebody who watches. Out: how it ended and
//! the beginning of what it printed. When this returns, nothing that it started is left, the
//! memory taken is bounded whatever it printed, and the terminal was out of its reach: it runs
//! in a session of its own, without a terminal and without input.
//!
//! **Invariant:** when it returns, nothing that the program started is left. A child that has left the session is
//! found by a variable that all of them inherit, on systems that have `/proc`; on Linux one without it as well,
//! since orphans come to this process.
//!
//! `fed` starts a program that runs beside this process, with pipes to its three streams, and ends it when dropped.
//! It always has a supervisor, which gets the program's input through its socket.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::polling;

mod captured;
#[cfg(target_os = "linux")]
pub(crate) mod descendants;
pub(crate) mod ending;
#[cfg(target_os = "linux")]
mod fed;
#[cfg(target_os = "linux")]
mod find;
pub mod job;
pub(crate) mod link;
pub(crate) mod listing;
mod orphans;
mod strays;
mod words;

pub use captured::Captured;
#[cfg(target_os = "linux")]
pub use fed::{Fed, Pipes};
#[cfg(target_os = "linux")]
pub use find::{installed, on_path};
use link::Link;
use orphans::Leader;
use strays::{Mark, end_all};
pub use words::command_line;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program: a name on the path, or where it is.
    pub name: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder that it runs in.
    pub folder: PathBuf,
    /// Whether it inherits the environment of this process.
    pub inherits: bool,
    /// Variables that it does not inherit.
    pub hidden: Vec<String>,
    /// Variables that it gets beside what it inherits.
    pub variables: Vec<(String, String)>,
    /// Who ends it if this process does not.
    pub supervision: Supervision,
}

/// Who ends a program if the process that started it is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Supervision {
    /// Nobody.
    #[default]
    None,
    /// A supervisor: the running executable, which enters [`crate::supervisor`] first.
    OwnExecutable,
}

/// How far a program may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may run; after that it is ended.
    pub timeout: Duration,
    /// How many bytes of each stream are kept; the rest is counted.
    pub most_bytes: usize,
}

/// One of a program's two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal that nobody here sent.
    Signal(i32),
    /// It ran out of time and was ended.
    TimedOut,
    /// Nobody waited any more, and it was ended.
    Stopped,
}

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote to standard output.
    pub out: Captured,
    /// What it wrote to standard error.
    pub err: Captured,
    /// How long it ran.
    pub took: Duration,
    /// How many processes it left behind, which were ended.
    pub strays: usize,
}

/// What the threads around a program tell.
enum News {
    Piece(Stream, Vec<u8>),
    /// A stream is at its end, or cannot be read any more.
    Closed,
    /// The program itself is over; it can still be asked how.
    Over,
}

/// How long a program has to clean up once it is told to end, as `git` has to remove its locks: the user waits for it.
pub(crate) const GRACE: Duration = Duration::from_millis(250);
/// How long a stream may stay open after everything that could write to it was ended. A process that escaped may hold it
/// open for good.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(500);
/// Bytes read at once: as much as a pipe holds on Linux.
pub(crate) const PIECE: usize = 64 * 1024;
/// What a signal adds to an exit code, as shells have it.
pub const SIGNALLED: i32 = 128;
/// Exit code of a program that is not there or cannot be started, as shells have it.
#[cfg(target_os = "linux")]
pub(crate) const NOT_STARTED: i32 = 127;
/// Pieces that may wait to be looked at. A program that prints faster than that waits, as `yes` does, and no memory fills.
const WAITING: usize = 16;

/// Runs a program to its end; `watch` sees what it prints while it runs, `stop` ends it.
///
/// # Errors
///
/// Fails if the program cannot be started.
pub fn run(
    program: &Program,
    limits: Limits,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Report> {
    run_waiting(program, limits, (stop, &AtomicU64::new(0)), watch)
}

/// Runs a program to its end, which has as many milliseconds more as it `waited` for the user by then.
///
/// # Errors
///
/// As [`run`].
pub fn run_waiting(
    program: &Program,
    limits: Limits,
    (stop, waited): (&AtomicBool, &AtomicU64),
    watch: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Report> {
    let started = Instant::now();
    let mark = Mark::new();
    let mut link = Link::new(program)?;
    let spawn = || {
        CommandWrap::from(command(program, &mark, &mut link)?)
            .wrap(ProcessSession)
            .spawn()
    };
    let (mut child, leader) = Leader::start(spawn, |child| child.id())?;
    let (sender, news) = mpsc::sync_channel(WAITING);
    let streams = [
        child
            .stdout()
            .take()
            .map(|pipe| pump(Stream::Out, pipe, sender.clone())),
        child
            .stderr()
            .take()
            .map(|pipe| pump(Stream::Err, pipe, sender.clone())),
    ];
    notify(leader.pid, sender);
    let mut run = Run {
        news,
        open: streams.iter().flatten().count(),
        out: Captured::new(limits.most_bytes),
        err: Captured::new(limits.most_bytes),
        watch,
    };
    let early = run.until_over(started + limits.timeout, stop, waited);
    if early.is_some() {
        link.terminate(leader.pid);
        let (never, nothing) = (AtomicBool::new(false), AtomicU64::new(0));
        run.until_over(Instant::now() + GRACE, &never, &nothing);
    }
    let ending = link.close();
    // A supervisor that has reported has left nothing.
    let strays = match ending {
        Some(ending) => ending.strays,
        None => end_all(&leader, &mark),
    };
    let status = child.inner_mut().wait()?;
    drop(leader);
    run.drain(Instant::now() + LAST_WORDS);
    Ok(Report {
        ended: early.unwrap_or_else(|| match ending {
            Some(ending) => ending.into(),
            None => ended(status),
        }),
        out: run.out,
        err: run.err,
        took: started.elapsed(),
        strays: if early.is_some() { 0 } else { strays },
    })
}

/// A program that runs, as seen from here.
struct Run<'a> {
    news: Receiver<News>,
    /// Streams that are not at their end.
    open: usize,
    out: Captured,
    err: Captured,
    watch: &'a mut dyn FnMut(Stream, &[u8]),
}

impl Run<'_> {
    /// Waits until the program is over, and returns why it has to be ended if it is not.
    fn until_over(
        &mut self,
        deadline: Instant,
        stop: &AtomicBool,
        waited: &AtomicU64,
    ) -> Option<Ended> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Some(Ended::Stopped);
            }
            let waited = Duration::from_millis(waited.load(Ordering::Relaxed));
            let left = (deadline + waited).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(Ended::TimedOut);
            }
            match self.news.recv_timeout(left.min(polling::GLANCE)) {
                Ok(News::Over) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(news) => self.take(news),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Reads what is still on its way.
    fn drain(&mut self, deadline: Instant) {
        while self.open > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok(news) => self.take(news),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, news: News) {
        match news {
            News::Piece(stream, bytes) => {
                (self.watch)(stream, &bytes);
                match stream {
                    Stream::Out => self.out.push(&bytes),
                    Stream::Err => self.err.push(&bytes),
                }
            }
            News::Closed => self.open = self.open.saturating_sub(1),
            News::Over => {}
        }
    }
}

fn command(program: &Program, mark: &Mark, link: &mut Link) -> io::Result<Command> {
    let mut command = link.command(program)?;
    prepare(&mut command, program, mark);
    Ok(command)
}

/// Gives a command the folder and the environment of a program.
fn prepare(command: &mut Command, program: &Program, mark: &Mark) {
    if !program.inherits {
        command.env_clear();
    }
    command
        .current_dir(&program.folder)
        .envs(program.variables.iter().map(|(name, value)| (name, value)))
        .env(Mark::VARIABLE, mark.value());
    for name in &program.hidden {
        command.env_remove(name);
    }
}

/// Reads a stream to its end on a thread of its own. The thread waits where nobody looks at
/// what it read, so that a program that prints without end is held up, not stored.
fn pump(stream: Stream, mut pipe: impl Read + Send + 'static, sender: SyncSender<News>) {
    thread::spawn(move || {
        let mut buffer = vec![0; PIECE];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => {
                    let piece = buffer.get(..read).unwrap_or_default().to_vec();
                    if sender.send(News::Piece(stream, piece)).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Nobody listens once the run was given up.
        let _gone = sender.send(News::Closed);
    });
}

/// Tells when a program is over, and leaves it to be asked how: until then its number, and that
/// of its group, stands for nothing else.
fn notify(leader: Option<Pid>, sender: SyncSender<News>) {
    thread::spawn(move || {
        if let Some(leader) = leader {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(leader), options) {}
        }
        let _gone = sender.send(News::Over);
    });
}

fn ended(status: std::process::ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exit(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
