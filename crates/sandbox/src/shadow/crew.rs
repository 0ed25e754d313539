//! Threads that wait for work: once a process has made a process namespace for its children, it can start none.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

type Work = Box<dyn FnOnce() + Send>;

/// Work that runs at once at most: three streams, a terminal's two ways, its size and its questions, and the bounds.
const MOST: usize = 8;

/// The threads.
#[derive(Debug)]
pub(super) struct Crew {
    work: Sender<Work>,
}

/// Work that somebody may wait for.
#[derive(Debug)]
pub(super) struct Begun(Receiver<()>);

impl Crew {
    /// Starts the threads.
    pub(super) fn start() -> Self {
        let (work, waiting) = channel::<Work>();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..MOST {
            let waiting = Arc::clone(&waiting);
            thread::spawn(move || {
                loop {
                    // One thread waits for work and holds the lock meanwhile; the others wait for the lock.
                    let next = waiting
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv();
                    match next {
                        Ok(work) => work(),
                        Err(_over) => return,
                    }
                }
            });
        }
        Self { work }
    }

    /// Has a thread do something.
    pub(super) fn begin(&self, work: impl FnOnce() + Send + 'static) -> Begun {
        let (done, begun) = channel();
        let work = Box::new(move || {
            work();
            drop(done);
        });
        // The threads live as long as this sender.
        let _taken = self.work.send(work);
        Begun(begun)
    }
}

impl Begun {
    /// Waits until it is done.
    pub(super) fn wait(self) {
        // Nothing is ever sent: the sender is dropped.
        let _done = self.0.recv();
    }
}
