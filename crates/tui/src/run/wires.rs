//! What connects the loop and the session.
//!
//! In: commands and queries, before and after there is a connection. Out: both in their order, and events for the loop.

use std::sync::mpsc::{Receiver, Sender};

use signoff_llm::session::Command;
use tokio::sync::mpsc::UnboundedSender;

use crate::app::{Msg, Query};

/// Where messages for the interface go; clones lead to the same one.
#[derive(Clone, Debug)]
pub struct EventSender(Sender<Msg>);

/// Where commands and queries go. Once the other side is gone, it has said why.
pub struct Connection {
    /// Where the user's commands go.
    pub commands: UnboundedSender<Command>,
    /// Where the screen's queries go.
    pub queries: UnboundedSender<Query>,
}

impl EventSender {
    /// Returns a sender of messages for the loop.
    pub(super) fn new(to: Sender<Msg>) -> Self {
        Self(to)
    }

    /// Tells the interface something, unless it is gone.
    pub fn tell(&self, msg: Msg) {
        let _gone = self.0.send(msg);
    }
}

/// What is on its way; what was given before there is a connection waits for it.
pub(super) struct Wires {
    connected: Receiver<Connection>,
    connection: Option<Connection>,
    commands: Vec<Command>,
    queries: Vec<Query>,
}

impl Wires {
    pub(super) fn new(connected: Receiver<Connection>) -> Self {
        Self {
            connected,
            connection: None,
            commands: Vec::new(),
            queries: Vec::new(),
        }
    }

    /// Sends a command once there is a connection.
    pub(super) fn send(&mut self, command: Command) {
        self.commands.push(command);
        self.flush();
    }

    /// Sends a query once there is a connection.
    pub(super) fn ask(&mut self, query: Query) {
        self.queries.push(query);
        self.flush();
    }

    /// Sends what waited for a connection.
    pub(super) fn flush(&mut self) {
        if self.connection.is_none() {
            self.connection = self.connected.try_recv().ok();
        }
        if let Some(connection) = &self.connection {
            for command in self.commands.drain(..) {
                let _gone = connection.commands.send(command);
            }
            for query in self.queries.drain(..) {
                let _gone = connection.queries.send(query);
            }
        }
    }
}
