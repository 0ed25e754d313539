//! JSON lines in, JSON lines out.
//!
//! In: lines, of any bytes. Out: a line for each that is not empty, in order. Several are
//! answered at once.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde::Serialize;
use signoff_core::syntax::with_room;

use super::out;

/// The longest line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// No more lines than these are answered at once.
const MAX_WORKERS: usize = 8;

/// A line, and where its answer goes.
struct Job {
    line: Vec<u8>,
    reply: SyncSender<io::Result<Vec<u8>>>,
}

/// An answer that is on its way.
type Pending = Receiver<io::Result<Vec<u8>>>;

/// Answers every line; the output is flushed whenever no further answer is ready.
pub(super) fn answer_all<T: Serialize>(
    input: impl Read,
    output: impl Write + Send,
    answer: impl Fn(&str) -> T + Sync,
) -> io::Result<()> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = workers.min(MAX_WORKERS);
    let (jobs, todo) = sync_channel::<Job>(workers);
    let (ask, pending) = sync_channel::<Pending>(workers * 2);
    let todo = Mutex::new(todo);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| work(&todo, &answer));
        }
        let writer = scope.spawn(move || write_all(&pending, output));
        let read = read_all(input, &jobs, &ask);
        drop((jobs, ask));
        let written = writer.join().unwrap_or_else(|_panic| Err(broken()));
        written.and(read)
    })
}

/// Hands every line on, until there is no other or nobody takes it.
fn read_all(input: impl Read, jobs: &SyncSender<Job>, ask: &SyncSender<Pending>) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    loop {
        let mut line = Vec::new();
        let mut limited = Read::take(&mut input, MAX_LINE);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (reply, pending) = sync_channel(1);
        // The writer stops at the first answer that it cannot write, and says why.
        if ask.send(pending).is_err() || jobs.send(Job { line, reply }).is_err() {
            return Ok(());
        }
    }
}

/// Answers lines as they come; deep texts cost no thread each.
fn work<T: Serialize>(todo: &Mutex<Receiver<Job>>, answer: &(impl Fn(&str) -> T + Sync)) {
    // Without room for a stack of its own, each text that needs one asks for it again.
    if with_room(|| answer_jobs(todo, answer)).is_none() {
        answer_jobs(todo, answer);
    }
}

fn answer_jobs<T: Serialize>(todo: &Mutex<Receiver<Job>>, answer: &(impl Fn(&str) -> T + Sync)) {
    loop {
        let next = todo.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { line, reply }) = next else {
            return;
        };
        let mut json = Vec::new();
        let written = out::write_json(&mut json, &answer(&String::from_utf8_lossy(&line)));
        // Nobody waits for the answer once the output is closed.
        let _sent = reply.send(written.map(|()| json));
    }
}

/// Writes answers in the order of the lines.
fn write_all(pending: &Receiver<Pending>, output: impl Write) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    loop {
        let next = match pending.try_recv() {
            Ok(next) => next,
            Err(TryRecvError::Disconnected) => return output.flush(),
            Err(TryRecvError::Empty) => {
                output.flush()?;
                let Ok(next) = pending.recv() else {
                    return Ok(());
                };
                next
            }
        };
        let ready = match next.try_recv() {
            Ok(ready) => ready,
            Err(_not_yet) => {
                // Whoever asked may wait for the answers so far before it goes on.
                output.flush()?;
                next.recv().unwrap_or_else(|_gone| Err(broken()))
            }
        };
        output.write_all(&ready?)?;
    }
}

fn broken() -> io::Error {
    io::Error::other("a line could not be answered")
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_lines() {
        let input: String = (0..1000).map(|n| format!("{n}\n\n")).collect();
        let mut output = Vec::new();
        answer_all(input.as_bytes(), &mut output, |line| {
            line.trim().parse::<u32>().unwrap() + 1
        })
        .unwrap();
        let expected: String = (1..=1000).map(|n| format!("{n}\n")).collect();
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn what_is_answered_is_written_before_more_is_asked() {
        // Gives the second line only when the first is answered and written.
        struct Client<'a>(&'a Barrier, u32);
        impl Read for Client<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.1 += 1;
                if self.1 == 2 {
                    self.0.wait();
                }
                let text: &[u8] = if self.1 <= 2 { b"1\n" } else { b"" };
                buffer[..text.len()].copy_from_slice(text);
                Ok(text.len())
            }
        }
        struct Screen<'a>(&'a Barrier, u32);
        impl Write for Screen<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.1 += 1;
                if self.1 == 1 {
                    self.0.wait();
                }
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let barrier = Barrier::new(2);
        answer_all(Client(&barrier, 0), Screen(&barrier, 0), str::len).unwrap();
    }

    #[test]
    fn a_closed_output_ends_it() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let input = "1\n".repeat(100_000);
        let error = answer_all(input.as_bytes(), Closed, str::len).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
