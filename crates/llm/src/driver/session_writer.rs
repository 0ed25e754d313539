//! Session writer: saves the conversation and opens others, on a thread of its own.
//!
//! In: jobs, in the order in which they were given. Out: files, and an input for each job that
//! asks for something. A conversation that cannot be written goes on all the same; the user is
//! told once.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use crate::memory::{Archive, Chronicle, Memory, MemoryError, Recall, Record, now_ms};
use crate::session::{Fault, FaultKind, Input, Switch};

/// Something for the session writer to do.
pub(super) enum Job {
    /// Write a record down, with the time.
    Write(i64, Box<Record>),
    /// Open another conversation.
    Switch(Switch),
}

/// Whoever writes the conversation down.
pub(super) struct SessionWriter {
    /// None where nothing is to be written.
    context: Option<Writing>,
}

struct Writing {
    archive: Archive,
    chronicle: Chronicle,
    id: String,
    broken: bool,
}

/// Lets a session writer work on a thread of its own; what is returned ends when its work does.
pub(super) fn start(
    writer: SessionWriter,
    jobs: UnboundedReceiver<Job>,
    inbox: UnboundedSender<Input>,
) -> oneshot::Receiver<()> {
    let (done, end) = oneshot::channel();
    std::thread::spawn(move || {
        writer.work(jobs, &inbox);
        // Nobody may wait for it any more.
        let _ended = done.send(());
    });
    end
}

impl SessionWriter {
    /// Returns a session writer of this conversation, or one that writes nothing.
    pub(super) fn new(memory: Option<Memory>) -> Self {
        let context = memory.map(|memory| Writing {
            id: memory.recall.id,
            archive: memory.archive,
            chronicle: memory.chronicle,
            broken: false,
        });
        Self { context }
    }

    /// Works until no more jobs can come.
    fn work(mut self, mut jobs: UnboundedReceiver<Job>, inbox: &UnboundedSender<Input>) {
        while let Some(job) = jobs.blocking_recv() {
            let input = match (&mut self.context, job) {
                (None, Job::Write(..)) => None,
                (None, Job::Switch(to)) => Some(Input::Switched(unwritten(&to))),
                (Some(context), Job::Write(at, record)) => context.write(at, *record),
                (Some(context), Job::Switch(to)) => {
                    let opened = context.switch(&to);
                    Some(Input::Switched(opened.map_err(Fault::from)))
                }
            };
            if let Some(input) = input
                && inbox.send(input).is_err()
            {
                tracing::debug!("the result of the session writer is not needed any more");
            }
        }
    }
}

impl Writing {
    fn write(&mut self, at: i64, record: Record) -> Option<Input> {
        if self.broken {
            return None;
        }
        let error = self.chronicle.write(at, record).err()?;
        self.broken = true;
        let mut fault = Fault::from(error);
        fault.hint = Some("the conversation goes on, but is not written down".to_owned());
        Some(Input::Failed(fault))
    }

    fn switch(&mut self, to: &Switch) -> Result<Recall, MemoryError> {
        let (recall, chronicle) = match to {
            Switch::New => {
                let id = Archive::fresh();
                let chronicle = self.archive.begin(&id, None);
                let recall = Recall {
                    id,
                    ..Recall::default()
                };
                (recall, chronicle)
            }
            Switch::Fork => self.archive.fork(&self.id, now_ms())?,
            Switch::Resume(wanted) => {
                let id = self.archive.find(wanted)?;
                if id == self.id {
                    // It is open, and locked, here.
                    return self.archive.read(&id);
                }
                self.archive.resume(&id)?
            }
        };
        self.id.clone_from(&recall.id);
        self.chronicle = chronicle;
        self.broken = false;
        Ok(recall)
    }
}

fn unwritten(to: &Switch) -> Result<Recall, Fault> {
    match to {
        Switch::New => Ok(Recall::default()),
        Switch::Fork | Switch::Resume(_) => Err(Fault {
            kind: FaultKind::Memory,
            message: "conversations are not kept here".to_owned(),
            hint: None,
        }),
    }
}
