//! Connection: messages to and from a server, each side on a thread of its own, so that neither holds up the other.
//!
//! What waits on either side is bounded: a server that does not read, or sends without end, is given up on or held up.

use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};
use signoff_sandbox::polling;

use super::{ServerFault, framing};

/// Messages that may wait to be read: a server that floods the client waits itself.
const WAITING: usize = 64;
/// Messages that may wait for the server to read them; one that reads no more of them is given up on.
const UNSENT: usize = 1024;

/// A connection to one server.
#[derive(Debug)]
pub(super) struct Connection {
    outgoing: SyncSender<Vec<u8>>,
    incoming: Receiver<Result<Value, ServerFault>>,
    last_id: u64,
}

impl Connection {
    /// Begins to read and write. Both threads end with the streams.
    pub(super) fn new(
        mut input: impl Write + Send + 'static,
        output: impl Read + Send + 'static,
    ) -> Self {
        let (outgoing, unsent) = mpsc::sync_channel::<Vec<u8>>(UNSENT);
        thread::spawn(move || {
            for message in unsent {
                if input
                    .write_all(&message)
                    .and_then(|()| input.flush())
                    .is_err()
                {
                    return;
                }
            }
        });
        let (sender, incoming) = mpsc::sync_channel(WAITING);
        thread::spawn(move || {
            let mut stream = BufReader::new(output);
            loop {
                let message = framing::read(&mut stream);
                let message = message.transpose();
                let ends = !matches!(message, Some(Ok(_)));
                if sender
                    .send(message.unwrap_or_else(|| Err(ServerFault::Ended(String::new()))))
                    .is_err()
                    || ends
                {
                    return;
                }
            }
        });
        Self {
            outgoing,
            incoming,
            last_id: 0,
        }
    }

    /// Sends a notification.
    pub(super) fn notify(&self, method: &str, params: &Value) -> Result<(), ServerFault> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Sends a request, and returns its number.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Result<u64, ServerFault> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Answers a request of the server's.
    pub(super) fn answer(&self, id: &Value, result: &Value) -> Result<(), ServerFault> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    /// Says that a request of the server's is not carried out.
    pub(super) fn refuse(&self, id: &Value) -> Result<(), ServerFault> {
        let error = json!({"code": -32601, "message": "not supported"});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    fn send(&self, message: &Value) -> Result<(), ServerFault> {
        match self.outgoing.try_send(framing::framed(message)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(ServerFault::Unreadable("it does not read")),
            Err(TrySendError::Disconnected(_)) => Err(ServerFault::Ended(String::new())),
        }
    }

    /// Waits for the next message; none if there is none until the deadline.
    pub(super) fn next(
        &self,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Result<Option<Value>, ServerFault> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(ServerFault::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // Also where messages come without end.
                return Ok(None);
            }
            match self.incoming.recv_timeout(left.min(polling::GLANCE)) {
                Ok(message) => return message.map(Some),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ServerFault::Ended(String::new()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}
