//! What connects the loop and the session.
//!
//! In: commands, before and after there is a connection. Out: commands in their order, and events for the loop.

use std::sync::mpsc::{Receiver, Sender};

use signoff_llm::session::{Command, Event};

use crate::app::Msg;
use crate::keymap::KeyMap;
use crate::review::kept::KeptMarks;

/// Where the session's events go; clones lead to the same interface.
#[derive(Clone, Debug)]
pub struct EventSender(Sender<Msg>);

/// Where the user's commands go.
pub struct CommandSender(Box<dyn FnMut(Command) + Send>);

impl EventSender {
    /// Returns a sender of messages for the loop.
    pub(super) fn new(to: Sender<Msg>) -> Self {
        Self(to)
    }

    /// Hands an event over; false once the interface is gone.
    pub fn send(&self, event: Event) -> bool {
        self.0.send(Msg::Session(event)).is_ok()
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

impl CommandSender {
    /// Returns a sender that calls `send`, which must not wait.
    pub fn new(send: impl FnMut(Command) + Send + 'static) -> Self {
        Self(Box::new(send))
    }

    fn send(&mut self, command: Command) {
        (self.0)(command);
    }
}

/// Commands on their way; those given before there is a connection wait for it.
pub(super) struct Wires {
    connected: Receiver<CommandSender>,
    sender: Option<CommandSender>,
    waiting: Vec<Command>,
}

impl Wires {
    pub(super) fn new(connected: Receiver<CommandSender>) -> Self {
        Self {
            connected,
            sender: None,
            waiting: Vec::new(),
        }
    }

    pub(super) fn send(&mut self, command: Command) {
        self.waiting.push(command);
        self.flush();
    }

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
