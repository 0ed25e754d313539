//! Keyboard and signals, each on a thread of its own.
//!
//! In: what the terminal and the system send. Out: messages that go before those of the session. No key is read while
//! the editor or the shell has the terminal. What the terminal answers is no key.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ratatui::crossterm::event;
use signal_hook::consts::signal::{SIGCONT, SIGHUP};
use signal_hook::iterator::Signals;
use signoff_core::id::Timestamp;

use super::{BATCH, now};
use crate::app::Msg;
use crate::app::keymap::{self, KeyMap};
use crate::terminal::answer::{AnswerFilter, Sorted};

/// Keys that follow each other faster are no person's typing: a paste, or a program. A key that may decide something waits
/// so long for what follows it; any other is handed on at once, with what is there already.
const BURST_GAP: Duration = Duration::from_millis(8);

/// How long a key that may begin an answer of the terminal waits for what follows it: an answer is sent at once, but a network
/// may cut it.
const ANSWER_GAP: Duration = Duration::from_millis(50);

/// Where keys and signals go: in front of all that waits, with a word behind it that wakes the
/// loop.
#[derive(Clone)]
pub(super) struct Hands {
    pub(super) front: Sender<Pressed>,
    pub(super) bell: Sender<Msg>,
    pub(super) keys: SharedKeyMap,
}

/// What keys mean, for the thread that reads them.
#[derive(Clone, Default)]
pub(super) struct SharedKeyMap {
    keys: Arc<RwLock<KeyMap>>,
    /// Whether characters are text where the next key goes.
    takes_text: Arc<AtomicBool>,
}

impl SharedKeyMap {
    pub(super) fn set(&self, keys: KeyMap) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }

    /// Takes over whether characters are text where the next key goes.
    pub(super) fn take_text(&self, takes_text: bool) {
        self.takes_text.store(takes_text, Ordering::SeqCst);
    }

    /// Tells whether no key may be read before this one was dealt with.
    fn holds_keys(&self, event: &event::Event) -> bool {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        matches!(event, event::Event::Key(key) if keys.holds_keys(*key))
    }

    /// Tells whether a key may decide something. Where text is typed no character does; a proposal that comes meanwhile is
    /// not answered by a key that was on its way.
    fn may_decide(&self, key: event::KeyEvent) -> bool {
        let is_text = keymap::typed(key).is_some() && self.takes_text.load(Ordering::SeqCst);
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        !is_text && keys.decides(key)
    }
}

/// A key or a signal, and when it came: the loop may have been busy since.
pub(super) struct Pressed {
    pub(super) msg: Msg,
    pub(super) at: Timestamp,
    /// True if the reader waits until it was dealt with.
    pub(super) holds_keys: bool,
}

impl Hands {
    /// Hands a message over; false once the interface is gone.
    fn send(&self, msg: Msg, holds_keys: bool) -> bool {
        let at = now();
        let pressed = Pressed {
            msg,
            at,
            holds_keys,
        };
        self.front.send(pressed).is_ok() && self.bell.send(Msg::Tick).is_ok()
    }
}

/// Events of the terminal, without its answers.
struct Terminal<'a> {
    sink: &'a Hands,
    answers: AnswerFilter,
    ready: VecDeque<event::Event>,
}

impl Terminal<'_> {
    /// Waits for the next event.
    fn read(&mut self) -> io::Result<event::Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(event);
            }
            if self.answers.holds() && !event::poll(ANSWER_GAP)? {
                self.ready.extend(self.answers.release());
            } else {
                self.take(event::read()?);
            }
        }
    }

    /// Tells whether an event comes before so much time went by.
    fn poll(&mut self, gap: Duration) -> io::Result<bool> {
        let begun = Instant::now();
        while self.ready.is_empty() {
            if !event::poll(gap.saturating_sub(begun.elapsed()))? {
                return Ok(false);
            }
            self.take(event::read()?);
        }
        Ok(true)
    }

    fn take(&mut self, event: event::Event) {
        match self.answers.sort(event) {
            Sorted::Events(events) => self.ready.extend(events),
            Sorted::Ground(ground) => {
                // Without the interface nobody reads on.
                let _gone = self.sink.send(Msg::Ground(ground), false);
            }
        }
    }
}

pub(super) fn read_keys(sink: &Hands, go_on: &Receiver<()>) {
    let mut terminal = Terminal {
        sink,
        answers: AnswerFilter::default(),
        ready: VecDeque::new(),
    };
    loop {
        match read_burst(&mut terminal, &sink.keys) {
            Ok(burst) => {
                for msg in burst {
                    let holds = matches!(&msg, Msg::Terminal(event) if sink.keys.holds_keys(event));
                    if !sink.send(msg, holds) || (holds && go_on.recv().is_err()) {
                        return;
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, "cannot read keys");
                sink.send(Msg::Terminate(SIGHUP), false);
                return;
            }
        }
    }
}

/// Reads the next key, or all keys that come at once if a letter is among them.
fn read_burst(terminal: &mut Terminal<'_>, map: &SharedKeyMap) -> io::Result<Vec<Msg>> {
    let mut keys = Vec::new();
    let mut last = None;
    loop {
        match terminal.read()? {
            event::Event::Key(key) => keys.push(key),
            other => last = Some(other),
        }
        let gap = match keys.as_slice() {
            [only] if !map.may_decide(*only) => Duration::ZERO,
            _ => BURST_GAP,
        };
        if last.is_some() || keys.len() >= BATCH || !terminal.poll(gap)? {
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
        if !sink.send(msg, false) {
            return;
        }
    }
}
