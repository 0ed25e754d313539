//! Keyboard and signals, each on a thread of its own.
//!
//! In: what the terminal and the system send. Out: messages that go before those of the session. No key is read while
//! the editor or the shell has the terminal.

use std::io;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use ratatui::crossterm::event;
use signal_hook::consts::signal::{SIGCONT, SIGHUP};
use signal_hook::iterator::Signals;
use signoff_core::id::Timestamp;

use super::{BATCH, now};
use crate::app::Msg;
use crate::keymap;

/// Keys that follow each other faster are no person's typing: a paste, or a program.
const BURST_GAP: Duration = Duration::from_millis(8);

/// Where keys and signals go: in front of all that waits, with a word behind it that wakes the
/// loop.
#[derive(Clone)]
pub(super) struct Hands {
    pub(super) front: Sender<Pressed>,
    pub(super) bell: Sender<Msg>,
}

/// A key or a signal, and when it came: the loop may have been busy since.
pub(super) struct Pressed {
    pub(super) msg: Msg,
    pub(super) at: Timestamp,
}

impl Hands {
    /// Hands a message over; false once the interface is gone.
    fn send(&self, msg: Msg) -> bool {
        let pressed = Pressed { msg, at: now() };
        self.front.send(pressed).is_ok() && self.bell.send(Msg::Tick).is_ok()
    }
}

/// Returns whether no key may be read before this one was dealt with: it may open the editor or stop the process,
/// and then keys are the editor's or the shell's.
pub(super) fn holds_keys(event: &event::Event) -> bool {
    let event::Event::Key(key) = event else {
        return false;
    };
    match key.code {
        event::KeyCode::Char('e' | 'o') => true,
        event::KeyCode::Char('g' | 'z') => key.modifiers.contains(event::KeyModifiers::CONTROL),
        _ => false,
    }
}

pub(super) fn read_keys(sink: &Hands, go_on: &Receiver<()>) {
    loop {
        match read_burst() {
            Ok(burst) => {
                for msg in burst {
                    let holds = matches!(&msg, Msg::Terminal(event) if holds_keys(event));
                    if !sink.send(msg) || (holds && go_on.recv().is_err()) {
                        return;
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, "cannot read keys");
                sink.send(Msg::Terminate(SIGHUP));
                return;
            }
        }
    }
}

/// Reads the next key, or all keys that come at once if a letter is among them.
fn read_burst() -> io::Result<Vec<Msg>> {
    let mut keys = Vec::new();
    let mut last = None;
    loop {
        match event::read()? {
            event::Event::Key(key) => keys.push(key),
            other => last = Some(other),
        }
        if last.is_some() || keys.len() >= BATCH || !event::poll(BURST_GAP)? {
            break;
        }
    }
    let types = keys.iter().any(|key| keymap::typed(*key).is_some());
    let mut burst = if types && keys.len() > 1 {
        vec![Msg::Burst(keys)]
    } else {
        let keys = keys.into_iter().map(event::Event::Key);
        keys.map(Msg::Terminal).collect()
    };
    burst.extend(last.map(Msg::Terminal));
    Ok(burst)
}

pub(super) fn read_signals(mut signals: Signals, sink: &Hands) {
    for signal in signals.forever() {
        let msg = match signal {
            SIGCONT => Msg::Resumed,
            signal => Msg::Terminate(signal),
        };
        if !sink.send(msg) {
            return;
        }
    }
}
