//! Questions to the user at the terminal that a program has, put between what the program writes.
//!
//! In: a question of the process that started the program. Out: what the user says. The question goes to the maker through a
//! socket in the layers' folder, where no program finds it: the maker copies the terminal, so that it can hold the program's
//! output back and keep the keys to itself meanwhile.
//!
//! ```text
//! signoff     question  ->  maker: is the terminal read line by line, with echo?   no: the user is not asked
//!                                  output waits, keys go to the answer
//!             answer    <-         a whole word and Enter; output and keys go on
//! ```
//!
//! **Invariant:** the user is asked only where a line can be read and is not the program's: not while it reads keys one by one
//! or without echo, as passwords, and not where it draws on all of the screen. What was typed before the question was there
//! answers nothing.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::stdio::{stdin, stdout};
use rustix::termios::{LocalModes, QueueSelector, isatty, tcflush, tcgetattr};

use super::beneath::Tree;
use crate::polling::{self, GLANCE};

/// The socket, in the layers' folder.
pub(super) const QUESTIONS: &str = "questions";
/// What a question ends with on its way.
const END: u8 = 0;
/// Maximum size of a question, in bytes: a command line may be long, and a screen holds no more.
const MAX_QUESTION: u64 = 4096;
/// Characters of an answer that are kept: the longest word has six.
const MAX_ANSWER: usize = 16;
/// How long a program that goes on writing is waited for before a question is put between two pieces of it.
const SETTLING: Duration = Duration::from_millis(250);
/// Begins a line that the program has no part in: colours as usual, nothing below.
const APART: &[u8] = b"\x1b[0m\x1b[J";
/// What an answer may be; asked again after any other.
const WORDS: &str = "yes (for this run), always (written to your configuration), or no? ";

/// What the user says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalAnswer {
    /// Yes, as long as the program runs.
    Once,
    /// Yes, from now on.
    Always,
    /// No.
    No,
    /// Nothing: the program ended before.
    Late,
    /// The user cannot be asked: there is no terminal, or the program has all of it.
    Unavailable,
}

impl TerminalAnswer {
    const WORDS: [(Self, &'static str); 3] = [
        (Self::Once, "yes"),
        (Self::Always, "always"),
        (Self::No, "no"),
    ];

    fn read(line: &str) -> Option<Self> {
        let mut words = Self::WORDS.iter();
        words
            .find(|(_, word)| *word == line.trim())
            .map(|(answer, _)| *answer)
    }

    /// Returns what stands for it on its way.
    fn byte(self) -> u8 {
        match self {
            Self::Once => b'y',
            Self::Always => b'a',
            Self::No => b'n',
            Self::Late => b'l',
            Self::Unavailable => b'-',
        }
    }

    fn of_byte(byte: u8) -> Self {
        let all = [Self::Once, Self::Always, Self::No, Self::Late];
        let found = all.into_iter().find(|answer| answer.byte() == byte);
        found.unwrap_or(Self::Unavailable)
    }
}

/// The terminal of a program, as the process sees it that started the program.
#[derive(Debug, Default)]
pub struct ProgramTerminal {
    listener: OnceLock<UnixListener>,
    maker: Mutex<Option<UnixStream>>,
}

impl ProgramTerminal {
    /// Opens the socket through which the maker will be asked.
    pub(super) fn open(&self, layers: &Tree) -> io::Result<()> {
        // Of an earlier program.
        let _absent = layers.remove_file(Path::new(QUESTIONS));
        let listener = UnixListener::bind(place(layers))?;
        listener.set_nonblocking(true)?;
        // It is opened once.
        let _second = self.listener.set(listener);
        Ok(())
    }

    /// Asks the user, and waits for the answer. `question` may have several lines, and nothing in it that moves the cursor.
    pub fn ask(&self, question: &str) -> TerminalAnswer {
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.try_ask(&mut maker, question);
        answer.unwrap_or(TerminalAnswer::Unavailable)
    }

    fn try_ask(
        &self,
        maker: &mut Option<UnixStream>,
        question: &str,
    ) -> io::Result<TerminalAnswer> {
        let mut stream = match (maker.take(), self.listener.get()) {
            (Some(stream), _) => stream,
            // The maker connects before the program is there.
            (None, Some(listener)) => listener.accept()?.0,
            (None, None) => return Ok(TerminalAnswer::Unavailable),
        };
        stream.set_nonblocking(false)?;
        let mut answer = [0];
        let asked = stream
            .write_all(question.as_bytes())
            .and_then(|()| stream.write_all(&[END]))
            .and_then(|()| stream.read_exact(&mut answer));
        if asked.is_err() {
            // The maker ends with the program, whose end may come before the answer to a question. Without a terminal, it asks
            // nothing.
            return Ok(if isatty(stdin()) && isatty(stdout()) {
                TerminalAnswer::Late
            } else {
                TerminalAnswer::Unavailable
            });
        }
        *maker = Some(stream);
        Ok(TerminalAnswer::of_byte(answer.into_iter().sum()))
    }
}

/// Connects to whoever may ask; none where nobody does.
pub(super) fn connect(layers: &Tree) -> Option<UnixStream> {
    UnixStream::connect(place(layers)).ok()
}

/// The path of a socket has room for 108 bytes: that of the folder by its descriptor is short.
fn place(layers: &Tree) -> PathBuf {
    layers.handle().join(QUESTIONS)
}

/// The user's terminal, of which a program has all but what a question takes.
#[derive(Debug)]
pub(super) struct SharedTerminal {
    /// Locked while something is written.
    shown: Mutex<Shown>,
    /// Where keys go while a question is open.
    keys: Mutex<Option<Sender<Vec<u8>>>>,
    /// True once no keys come any more, or the program is over.
    is_over: AtomicBool,
}

/// What a terminal shows.
#[derive(Debug)]
pub(super) struct Shown {
    to: File,
    /// Whether the cursor is in a line that something is written in.
    is_in_line: bool,
    /// Whether the program writes line by line.
    is_plain: bool,
}

impl SharedTerminal {
    /// Returns the terminal that is written to by this file.
    pub(super) fn new(to: File) -> Arc<Self> {
        Arc::new(Self {
            shown: Mutex::new(Shown {
                to,
                is_in_line: false,
                is_plain: true,
            }),
            keys: Mutex::default(),
            is_over: AtomicBool::new(false),
        })
    }

    /// Has the terminal to itself, after a question that is open.
    pub(super) fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same once all is shown that the program wrote by now, if it stops writing.
    fn settled(&self, program: &OwnedFd) -> MutexGuard<'_, Shown> {
        let deadline = Instant::now() + SETTLING;
        let settled = polling::until(deadline, || {
            let shown = self.shown();
            (!has_more(program, Some(&Timespec::default()))).then_some(shown)
        });
        settled.unwrap_or_else(|| self.shown())
    }

    /// Takes keys, if a question is open.
    pub(super) fn take_keys(&self, keys: &[u8]) -> bool {
        let answer = self.keys().clone();
        answer.is_some_and(|answer| answer.send(keys.to_vec()).is_ok())
    }

    /// Ends a question that is open, and asks none any more.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    fn keys(&self) -> MutexGuard<'_, Option<Sender<Vec<u8>>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks what comes through the socket until its other end is closed; `program` is the controller of the program's terminal.
    pub(super) fn serve(&self, socket: &UnixStream, program: &OwnedFd) {
        let mut questions = BufReader::new(socket);
        loop {
            let mut question = Vec::new();
            let mut next = questions.by_ref().take(MAX_QUESTION);
            match next.read_until(END, &mut question) {
                Ok(1..) => {}
                Ok(0) | Err(_) => return,
            }
            question.retain(|byte| *byte != END);
            let answer = self
                .ask(&question, program)
                .unwrap_or(TerminalAnswer::Unavailable);
            if (&mut &*socket).write_all(&[answer.byte()]).is_err() {
                return;
            }
        }
    }

    fn ask(&self, question: &[u8], program: &OwnedFd) -> io::Result<TerminalAnswer> {
        let reads_lines = LocalModes::ICANON | LocalModes::ECHO;
        let mut shown = self.settled(program);
        if !shown.is_plain || !tcgetattr(program)?.local_modes.contains(reads_lines) {
            return Ok(TerminalAnswer::Unavailable);
        }
        let (sender, keys) = channel();
        // What is typed by now is the program's, or nobody's.
        tcflush(stdin(), QueueSelector::IFlush)?;
        *self.keys() = Some(sender);
        let answer = self.put(&mut shown, question, &keys, program);
        *self.keys() = None;
        answer
    }

    /// Writes a question, and reads its answer.
    fn put(
        &self,
        shown: &mut Shown,
        question: &[u8],
        keys: &Receiver<Vec<u8>>,
        program: &OwnedFd,
    ) -> io::Result<TerminalAnswer> {
        if shown.is_in_line {
            shown.to.write_all(b"\r\n")?;
        }
        shown.to.write_all(APART)?;
        for line in question.split(|byte| *byte == b'\n') {
            shown.to.write_all(line)?;
            shown.to.write_all(b"\r\n")?;
        }
        shown.is_in_line = false;
        loop {
            shown.to.write_all(WORDS.as_bytes())?;
            let line = self.read_line(&mut shown.to, keys)?;
            shown.to.write_all(b"\r\n")?;
            match line {
                Line::Typed(line) => {
                    if let Some(answer) = TerminalAnswer::read(&line) {
                        return Ok(answer);
                    }
                }
                Line::Interrupted => {
                    // The program is to see it as well.
                    rustix::io::write(program, &[INTERRUPT])?;
                    return Ok(TerminalAnswer::No);
                }
                Line::Over => return Ok(TerminalAnswer::Late),
            }
        }
    }

    /// Reads a line and shows it as it is typed.
    fn read_line(&self, to: &mut File, keys: &Receiver<Vec<u8>>) -> io::Result<Line> {
        let mut line = String::new();
        loop {
            let typed = match keys.recv_timeout(GLANCE) {
                Ok(typed) => typed,
                Err(RecvTimeoutError::Timeout) if !self.is_over.load(Ordering::Relaxed) => continue,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    return Ok(Line::Over);
                }
            };
            for byte in typed {
                match byte {
                    b'\r' | b'\n' => return Ok(Line::Typed(line)),
                    INTERRUPT => return Ok(Line::Interrupted),
                    0x08 | 0x7f if line.pop().is_some() => to.write_all(b"\x08 \x08")?,
                    // A key that is no character, or an answer of the terminal.
                    0x1b => break,
                    b' '..=b'~' if line.len() < MAX_ANSWER => {
                        line.push(char::from(byte));
                        to.write_all(&[byte])?;
                    }
                    _ => {}
                }
            }
        }
    }
}

impl Shown {
    /// Writes what a program does; `is_plain` is whether it writes line by line.
    pub(super) fn write(&mut self, bytes: &[u8], is_plain: bool) -> io::Result<()> {
        self.is_plain = is_plain;
        if let Some(last) = bytes.last() {
            self.is_in_line = *last != b'\n';
        }
        self.to.write_all(bytes)
    }
}

/// Waits until a program wrote to its terminal, or nobody can any more, but no longer than this. Returns whether it is so.
pub(super) fn has_more(controller: &impl AsFd, patience: Option<&Timespec>) -> bool {
    let mut source = [PollFd::new(controller, PollFlags::IN)];
    loop {
        match poll(&mut source, patience) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(ready) => return ready > 0,
        }
    }
}

/// Ctrl-C, as a terminal that passes keys on says it.
const INTERRUPT: u8 = 0x03;

/// What a user typed.
enum Line {
    Typed(String),
    /// Ctrl-C.
    Interrupted,
    /// Nobody types any more, or the program is over.
    Over,
}
