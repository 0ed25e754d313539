//! What connects the loop and the session.
//!
//! In: commands and queries, before and after there is a connection. Out: both in their order, and events for the loop.

use std::sync::mpsc::{Receiver, Sender};

use signoff_llm::session::{Command, Event};
use tokio::sync::mpsc::UnboundedSender;

use crate::app::keymap::KeyMap;
use crate::app::{Msg, Query, QueryAnswer};
use crate::review::kept::KeptMarks;

/// Where the session's events go; clones lead to the same interface.
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

    /// Hands an event over; false once the interface is gone.
    pub fn send(&self, event: Event) -> bool {
        self.0.send(Msg::Session(event)).is_ok()
    }

    /// Hands the answer to a query over; false once the interface is gone.
    pub(crate) fn answer(&self, answer: QueryAnswer) -> bool {
        self.0.send(Msg::Answered(answer)).is_ok()
    }

    /// Hands the marks of an earlier run over.
    pub(crate) fn restore(&self, marks: KeptMarks) -> bool {
        self.0.send(Msg::Marks(marks)).is_ok()
    }

    /// Hands the prompts of earlier runs over.
    pub(crate) fn remember(&self, prompts: Vec<String>) -> bool {
        self.0.send(Msg::Prompts(prompts)).is_ok()
    }

    /// Says whether a user who looks elsewhere is to be called.
    pub(crate) fn notify(&self, is_on: bool) -> bool {
        self.0.send(Msg::Notify(is_on)).is_ok()
    }

    /// Has keys mean what the user configured.
    pub(crate) fn set_keys(&self, keys: KeyMap) -> bool {
        self.0.send(Msg::Keys(keys)).is_ok()
    }

    /// Says whether the mouse is the interface's.
    pub(crate) fn use_mouse(&self, is_on: bool) -> bool {
        self.0.send(Msg::Mouse(is_on)).is_ok()
    }

    /// Says that the configuration was read.
    pub(crate) fn configured(&self) -> bool {
        self.0.send(Msg::Configured).is_ok()
    }

    /// Has a model picked, as none is named.
    pub(crate) fn offer_models(&self) -> bool {
        self.0.send(Msg::OfferModels).is_ok()
    }

    /// Shows another header, as one from a configured file.
    pub fn set_header(&self, text: Option<String>) -> bool {
        self.0.send(Msg::Header(text)).is_ok()
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
