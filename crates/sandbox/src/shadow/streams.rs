//! Streams: what a program has for standard input, output and error.
//!
//! A pipe, and what is opened from `/dev/null`, is handed on. A terminal is replaced by a pseudo-terminal of the
//! program's own, and everything else by a pipe; what goes through them is copied. So no program holds the user's
//! terminal, into which it could type, or a file of the user's, whose mode and length it could change.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, OFlags, fstat, open};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, unlockpt};
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::{
    OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcgetpgrp, tcgetwinsize,
    tcsetattr, tcsetwinsize,
};
use signal_hook::consts::SIGWINCH;
use signal_hook::iterator::Signals;

use super::crew::{Begun, Crew};
use super::program_terminal::{SharedTerminal, has_more};
use super::terminal_filter::{Replies, TerminalFilter};
use crate::polling;
use crate::process::PIECE;

/// How long is waited for what a terminal says of its cursor, once the program is over.
const LAST_REPLY: Duration = Duration::from_millis(250);

/// A pseudo-terminal.
#[derive(Debug)]
pub(super) struct Terminal {
    controller: OwnedFd,
    program: OwnedFd,
}

impl Terminal {
    /// Makes one by a multiplexer, `/dev/ptmx` or that of another instance.
    pub(super) fn open(multiplexer: &Path) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let controller = open(multiplexer, flags, rustix::fs::Mode::empty())?;
        unlockpt(&controller)?;
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let program = ioctl_tiocgptpeer(&controller, flags)?;
        Ok(Self {
            controller,
            program,
        })
    }
}

/// How one stream reaches the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    HandedOn,
    Terminal,
    Copied,
}

impl Way {
    fn of(stream: BorrowedFd<'_>) -> Self {
        if isatty(stream) {
            return Self::Terminal;
        }
        // A stream that is closed gives nothing to hold.
        let Ok(found) = fstat(stream) else {
            return Self::HandedOn;
        };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::CharacterDevice => Self::HandedOn,
            FileType::Fifo if is_nameless(stream) => Self::HandedOn,
            _ => Self::Copied,
        }
    }
}

/// Returns whether a pipe has no name in the file system, under which its mode could be changed.
fn is_nameless(pipe: BorrowedFd<'_>) -> bool {
    let link = std::fs::read_link(format!("/proc/self/fd/{}", pipe.as_raw_fd()));
    link.is_ok_and(|link| link.as_os_str().as_encoded_bytes().starts_with(b"pipe:"))
}

/// The three streams, and what copies them.
#[derive(Debug)]
pub(super) struct Streams {
    ways: [Way; 3],
    terminal: Option<Terminal>,
    /// Who asks the user at that terminal.
    questions: Option<UnixStream>,
    shared: Option<Arc<SharedTerminal>>,
    copies: Vec<Begun>,
}

impl Streams {
    /// Looks at this process's own streams; `open` makes a terminal where one of them is one. Through `questions` the user is
    /// asked there.
    pub(super) fn of_own(
        questions: Option<UnixStream>,
        open: impl FnOnce() -> io::Result<Terminal>,
    ) -> io::Result<Self> {
        let ways = [Way::of(stdin()), Way::of(stdout()), Way::of(stderr())];
        let terminal = ways.contains(&Way::Terminal).then(open).transpose()?;
        if let Some(terminal) = &terminal {
            resize(&terminal.controller);
        }
        Ok(Self {
            ways,
            // Who asks where there is none reads that nobody answers.
            questions: questions.filter(|_| terminal.is_some()),
            terminal,
            shared: None,
            copies: Vec::new(),
        })
    }

    /// Gives a command its streams.
    pub(super) fn give(&mut self, command: &mut Command) -> io::Result<()> {
        let [input, output, errors] = self.ways;
        command.stdin(self.one(input)?);
        command.stdout(self.one(output)?);
        command.stderr(self.one(errors)?);
        Ok(())
    }

    fn one(&self, way: Way) -> io::Result<Stdio> {
        Ok(match (way, &self.terminal) {
            (Way::Terminal, Some(terminal)) => terminal.program.try_clone()?.into(),
            (Way::Copied, _) => Stdio::piped(),
            (Way::HandedOn | Way::Terminal, _) => Stdio::inherit(),
        })
    }

    /// Begins to copy what the child reads and writes.
    pub(super) fn copy(&mut self, child: &mut Child, crew: &Crew) -> io::Result<()> {
        if let Some(into) = child.stdin.take() {
            // Ends with this process, if its input does not end before.
            let _unwaited = copying(crew, own(stdin())?, File::from(OwnedFd::from(into)))?;
        }
        if let Some(from) = child.stdout.take() {
            let from = File::from(OwnedFd::from(from));
            self.copies.push(copying(crew, from, own(stdout())?)?);
        }
        if let Some(from) = child.stderr.take() {
            let from = File::from(OwnedFd::from(from));
            self.copies.push(copying(crew, from, own(stderr())?)?);
        }
        match self.terminal.take() {
            Some(terminal) => self.copy_terminal(terminal, crew),
            None => Ok(()),
        }
    }

    fn copy_terminal(&mut self, terminal: Terminal, crew: &Crew) -> io::Result<()> {
        let Terminal {
            controller,
            program,
        } = terminal;
        // The controller is at its end once no process of the program has the other side.
        drop(program);
        let [input, output, _] = self.ways;
        let replied = Arc::new(AtomicUsize::new(0));
        let is_read = input == Way::Terminal && is_foreground();
        let asker = is_read.then(|| controller.try_clone()).transpose()?;
        let shown = if output == Way::Terminal {
            own(stdout())?
        } else {
            own(stderr())?
        };
        let shown = SharedTerminal::new(shown);
        if is_read {
            let into = controller.try_clone()?.into();
            let replied = Arc::clone(&replied);
            let _unwaited = typing(crew, (own(stdin())?, into), Arc::clone(&shown), replied)?;
        }
        // Where nobody types, there is no answer.
        if let Some(questions) = self.questions.take().filter(|_| is_read) {
            let (terminal, program) = (Arc::clone(&shown), controller.try_clone()?);
            let _unwaited = crew.begin(move || terminal.serve(&questions, &program))?;
        }
        self.shared = Some(Arc::clone(&shown));
        let resized = controller.try_clone()?;
        let mut signals = Signals::new([SIGWINCH])?;
        let _unwaited = crew.begin(move || signals.forever().for_each(|_| resize(&resized)))?;
        self.copies.push(filtering(
            crew,
            controller.into(),
            shown,
            (asker.map(File::from), replied),
        )?);
        Ok(())
    }

    /// Waits until everything that the program wrote is copied.
    pub(super) fn finish(self) {
        // A question that is open holds the program's last words back.
        if let Some(shared) = &self.shared {
            shared.end();
        }
        for copy in self.copies {
            copy.wait();
        }
    }
}

/// Returns a stream of this process as a file.
fn own(stream: BorrowedFd<'_>) -> io::Result<File> {
    Ok(stream.try_clone_to_owned()?.into())
}

/// Copies until one side is at its end.
fn copying(crew: &Crew, mut from: File, mut to: File) -> io::Result<Begun> {
    crew.begin(move || {
        let mut piece = vec![0; PIECE];
        loop {
            let read = match from.read(&mut piece) {
                // A terminal that nobody has any more is an error to its controller.
                Ok(0) => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_closed) => return,
                Ok(read) => piece.get(..read).unwrap_or_default(),
            };
            if to.write_all(read).is_err() {
                return;
            }
        }
    })
}

/// Copies what the user types to the program's terminal, but for what answers a question. `replied` counts the terminal's own
/// answers.
fn typing(
    crew: &Crew,
    (mut from, mut to): (File, File),
    terminal: Arc<SharedTerminal>,
    replied: Arc<AtomicUsize>,
) -> io::Result<Begun> {
    let mut replies = Replies::default();
    crew.begin(move || {
        let mut piece = vec![0; PIECE];
        loop {
            let read = match from.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => break,
                Ok(read) => piece.split_at(read).0,
            };
            replied.store(replies.take(read), Ordering::Relaxed);
            if !terminal.take_keys(read) && to.write_all(read).is_err() {
                break;
            }
        }
        terminal.end();
    })
}

/// Copies what a program writes to its terminal to the user's, as far as the filter passes it, and gives that back as it was.
/// `asker` is where a program that asks the terminal something gets an answer, if it reads any, and `replied` counts those of
/// the terminal's own.
fn filtering(
    crew: &Crew,
    mut from: File,
    to: Arc<SharedTerminal>,
    (mut asker, replied): (Option<File>, Arc<AtomicUsize>),
) -> io::Result<Begun> {
    crew.begin(move || {
        let mut filter = TerminalFilter::new(asker.is_some());
        let mut piece = vec![0; PIECE];
        while has_more(&from, None) {
            // No question comes between what is read and what is shown of it.
            let mut shown = to.shown();
            let read = match from.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // A terminal that nobody has any more is an error to its controller.
                Ok(0) | Err(_) => break,
                Ok(read) => piece.split_at(read).0,
            };
            let passed = filter.pass(read).to_vec();
            if shown.write(&passed, filter.is_plain()).is_err() {
                return;
            }
            drop(shown);
            let answers = filter.answers();
            if let Some(asker) = asker.as_mut().filter(|_| !answers.is_empty()) {
                // A program that is over needs none.
                let _unread = asker.write_all(&answers);
            }
        }
        // Where the user's terminal is gone, nothing is left to be given back.
        let _gone = to.shown().write(filter.undo(), true);
        // An answer that comes once nobody reads it would be typed into the shell.
        let _all_came = polling::until(Instant::now() + LAST_REPLY, || {
            (filter.asked() <= replied.load(Ordering::Relaxed)).then_some(())
        });
    })
}

/// Gives the program's terminal the size of the user's.
fn resize(controller: &OwnedFd) {
    let sizes = [stdin(), stdout(), stderr()].map(tcgetwinsize);
    if let Some(size) = sizes.into_iter().find_map(Result::ok) {
        // Without a size, programs take 80 columns.
        let _unsized = tcsetwinsize(controller, size);
    }
}

/// Returns whether this process may read from the user's terminal.
fn is_foreground() -> bool {
    tcgetpgrp(stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// The user's terminal while it passes every key on, until this is dropped.
#[derive(Debug)]
pub(super) struct PassingKeys(Option<Termios>);

impl PassingKeys {
    /// Has the terminal pass keys on, if standard input is one and is this process's to read.
    pub(super) fn begin() -> Self {
        if !isatty(stdin()) || !is_foreground() {
            return Self(None);
        }
        let Ok(before) = tcgetattr(stdin()) else {
            return Self(None);
        };
        let mut raw = before.clone();
        raw.make_raw();
        let set = tcsetattr(stdin(), OptionalActions::Drain, &raw);
        Self(set.is_ok().then_some(before))
    }
}

impl Drop for PassingKeys {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _gone = tcsetattr(stdin(), OptionalActions::Drain, before);
            // What a terminal answered to a program that is over is no input for the shell.
            let _gone = tcflush(stdin(), QueueSelector::IFlush);
        }
    }
}
