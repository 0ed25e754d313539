//! Threads of a process that has made a process namespace for its children: who made it can start none any more.
//!
//! A thread from before, which is in none of the new namespaces, starts them instead.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

type Work = Box<dyn FnOnce() + Send>;
/// Where it is said whether a thread could be started.
type Answer = Sender<io::Result<()>>;

/// What starts the threads.
#[derive(Debug)]
pub(super) struct Crew {
    work: Sender<(Work, Answer)>,
}

/// Work that somebody may wait for.
#[derive(Debug)]
pub(super) struct Begun(Receiver<()>);

impl Crew {
    /// Starts the thread that starts the others.
    pub(super) fn start() -> io::Result<Self> {
        let (work, waiting) = channel::<(Work, Answer)>();
        thread::Builder::new().spawn(move || {
            for (work, answer) in waiting {
                let started = thread::Builder::new().spawn(work);
                // Whoever asked waits for it.
                let _heard = answer.send(started.map(drop));
            }
        })?;
        Ok(Self { work })
    }

    /// Has a thread do something.
    ///
    /// # Errors
    ///
    /// Fails if no thread can be started.
    pub(super) fn begin(&self, work: impl FnOnce() + Send + 'static) -> io::Result<Begun> {
        let (done, begun) = channel();
        let work = Box::new(move || {
            work();
            drop(done);
        });
        let (answer, started) = channel();
        // It lives as long as this sender, and answers.
        let _taken = self.work.send((work, answer));
        started.recv().map_err(io::Error::other)??;
        Ok(Begun(begun))
    }
}

impl Begun {
    /// Waits until it is done.
    pub(super) fn wait(self) {
        // Nothing is ever sent: the sender is dropped.
        let _done = self.0.recv();
    }
}
