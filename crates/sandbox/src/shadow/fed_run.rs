//! A program in the shadow that is given input and runs to its end.
//!
//! In: a shadow, staged, a program, the bytes of its input, limits. Out: how it ended, the beginning of what it printed,
//! and the shadow, for what it left. When this returns, nothing that it started is left, whether it read its input, closed
//! its streams or printed without end.

use std::io::{self, Read, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::service::Service;
use super::{Launch, Shadow};
use crate::polling;
use crate::process::{Captured, Ended, GRACE, LAST_WORDS, Limits, PIECE, Pipes, Report};

/// Runs a program to its end with `input` as its standard input; `stop` ends it.
///
/// # Errors
///
/// Fails if the program or the shadow cannot be started, and says why.
pub fn run_fed(
    shadow: Shadow,
    launch: &Launch<'_>,
    input: Vec<u8>,
    limits: Limits,
    stop: &AtomicBool,
) -> io::Result<(Report, Shadow)> {
    let started = Instant::now();
    let (mut service, pipes) = Service::start(shadow, launch)?;
    let Pipes {
        input: mut writer,
        output,
        errors,
    } = pipes;
    // A program that ends without reading its input closes the pipe, and the thread ends with an error that says so.
    thread::spawn(move || drop(writer.write_all(&input)));
    let (out, err) = (
        capture(output, limits.most_bytes),
        capture(errors, limits.most_bytes),
    );
    let ended = polling::until(started + limits.timeout, || {
        if service.is_over() {
            Some(None)
        } else {
            let is_stopped = stop.load(Ordering::Relaxed);
            is_stopped.then_some(Some(Ended::Stopped))
        }
    });
    let early = ended.unwrap_or(Some(Ended::TimedOut));
    let grace = early.map_or(Duration::ZERO, |_| GRACE);
    let (ended, shadow) = service.end(grace)?;
    if let Some(why) = shadow.failure() {
        return Err(io::Error::other(why));
    }
    let report = Report {
        ended: early.unwrap_or(ended),
        out: captured(&out),
        err: captured(&err),
        took: started.elapsed(),
        strays: 0,
    };
    Ok((report, shadow))
}

/// Reads a stream to its end on a thread of its own; what is not kept is counted.
fn capture(mut stream: impl Read + Send + 'static, most_bytes: usize) -> Receiver<Captured> {
    let (sender, captured) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Captured::new(most_bytes);
        let mut buffer = vec![0; PIECE];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => kept.push(buffer.get(..read).unwrap_or(&[])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Nobody waits any more for a stream that stayed open.
        let _gone = sender.send(kept);
    });
    captured
}

fn captured(stream: &Receiver<Captured>) -> Captured {
    let kept = stream.recv_timeout(LAST_WORDS);
    kept.unwrap_or(Captured::new(0))
}
