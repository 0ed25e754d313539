//! Commands on their way to the session.

use std::sync::mpsc::Receiver;

use signoff_llm::session::Command;

use super::CommandSender;

/// Commands on their way; those given before there is a connection wait for it.
pub(super) struct Wires {
    connected: Receiver<CommandSender>,
    sender: Option<CommandSender>,
    waiting: Vec<Command>,
}

impl Wires {
    /// Returns a way to what is connected later.
    pub(super) fn new(connected: Receiver<CommandSender>) -> Self {
        Self {
            connected,
            sender: None,
            waiting: Vec::new(),
        }
    }

    /// Sends a command, or keeps it.
    pub(super) fn send(&mut self, command: Command) {
        self.waiting.push(command);
        self.flush();
    }

    /// Sends what was kept, once there is a connection.
    pub(super) fn flush(&mut self) {
        if self.sender.is_none() {
            self.sender = self.connected.try_recv().ok();
        }
        if let Some(sender) = &mut self.sender {
            for command in self.waiting.drain(..) {
                sender.send(command);
            }
        }
    }
}
