//! Keyboard, signals and the end of the terminal, each on a thread of its own.
//!
//! In: what the terminal and the system send. Out: messages that go before those of the session. No key is read while
//! the editor or the shell has the terminal. What the terminal answers is no key.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use ratatui::crossterm::event;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use signoff_core::id::Timestamp;
use signoff_sandbox::process::job::is_orphaned_job;

use super::{BATCH, now};
use crate::app::Msg;
use crate::app::keymap::{self, Context, KeyMap};
use crate::terminal;
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
#[derive(Clone)]
pub(super) struct SharedKeyMap {
    keys: Arc<RwLock<KeyMap>>,
    /// Where the next key goes; none where characters are text.
    context: Arc<RwLock<Option<Context>>>,
}

impl SharedKeyMap {
    /// Returns keys that type until the loop says where they go.
    pub(super) fn new(keys: KeyMap) -> Self {
        Self {
            keys: Arc::new(RwLock::new(keys)),
            context: Arc::default(),
        }
    }

    pub(super) fn set(&self, keys: KeyMap) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
    }

    /// Takes over where the next key goes; none where characters are text.
    pub(super) fn go_to(&self, context: Option<Context>) {
        *self.context.write().unwrap_or_else(PoisonError::into_inner) = context;
    }

    /// Tells whether no key may be read before this one was dealt with.
    fn holds_keys(&self, event: &event::Event) -> bool {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        matches!(event, event::Event::Key(key) if keys.holds_keys(*key))
    }

    /// Tells whether a key may decide something. Where text is typed only Enter does; a proposal that comes meanwhile is
    /// not answered by a key that was on its way.
    fn may_decide(&self, key: event::KeyEvent) -> bool {
        let context = *self.context.read().unwrap_or_else(PoisonError::into_inner);
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        key.code == event::KeyCode::Enter
            || context.is_some_and(|context| keys.decides(context, key))
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

/// Waits for what the terminal was asked just now, as long as `left` says: once the terminal is given back, its answer would
/// be typed into the shell. Keys that come before it are dropped.
pub(super) fn await_answer(pressed: &Receiver<Pressed>, left: impl Fn() -> Option<Duration>) {
    while let Some(left) = left()
        && let Ok(pressed) = pressed.recv_timeout(left)
    {
        if matches!(pressed.msg, Msg::Ground(_)) {
            return;
        }
    }
}

/// Waits until there is no terminal any more. Only the leader of its session is sent a signal then, and one that ignores it
/// keeps it for itself; who reads such a terminal is told at once, and for ever, that there is nothing.
pub(super) fn await_hangup(line: impl AsFd, sink: &Hands) {
    loop {
        let mut line = [PollFd::new(&line, PollFlags::empty())];
        match poll(&mut line, None) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => {
                // Without the interface there is nothing to end.
                let _gone = sink.send(Msg::Terminate(SIGHUP), false);
                return;
            }
            Err(error) => {
                tracing::error!(%error, "cannot watch the terminal");
                return;
            }
        }
    }
}

pub(super) fn read_signals(mut signals: Signals, sink: &Hands) {
    loop {
        let mut came: Vec<i32> = signals.wait().collect();
        // Who stops the job without a terminal of ours: the shell has it already, or an editor stopped its job.
        let stops = came.contains(&SIGTSTP) && !terminal::is_ours() && !is_orphaned_job();
        if stops {
            // The look at the job took a while, in which a shell may have continued it: it would not do so again.
            came.extend(signals.pending());
        }
        // Which of them came last is not known; who was continued is not continued again.
        let continues = came.contains(&SIGCONT);
        for signal in came {
            let msg = match signal {
                SIGCONT => Msg::Resumed,
                SIGTSTP if continues => continue,
                SIGTSTP if terminal::is_ours() => Msg::Stop,
                SIGTSTP => {
                    if stops {
                        let _cannot_fail = emulate_default_handler(SIGTSTP);
                    }
                    continue;
                }
                signal => Msg::Terminate(signal),
            };
            if !sink.send(msg, false) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc;

    use super::*;
    use crate::theme::Ground;

    #[test]
    fn who_leaves_at_once_waits_for_the_answer_of_the_terminal_and_no_longer() {
        let (front, pressed) = mpsc::channel();
        for msg in [Msg::Tick, Msg::Ground(Ground::Dark), Msg::Resumed] {
            let at = Timestamp(0);
            let holds_keys = false;
            let sent = front.send(Pressed {
                msg,
                at,
                holds_keys,
            });
            assert!(sent.is_ok());
        }
        let next = || pressed.try_recv().map(|pressed| pressed.msg);
        await_answer(&pressed, || Some(Duration::MAX));
        assert!(matches!(next(), Ok(Msg::Resumed)));
        assert!(next().is_err());
        // None comes any more, or none is due.
        await_answer(&pressed, || Some(Duration::ZERO));
        await_answer(&pressed, || None);
    }

    #[test]
    fn a_terminal_that_goes_away_without_a_signal_ends_the_interface() {
        let (front, pressed) = mpsc::channel();
        let (bell, _woken) = mpsc::channel();
        let keys = SharedKeyMap::new(KeyMap::default());
        let hands = Hands { front, bell, keys };
        let (line, mut terminal) = UnixStream::pair().expect("a pair of sockets");
        let watching = std::thread::spawn(move || await_hangup(line, &hands));
        terminal.write_all(b"typed").expect("the line takes keys");
        drop(terminal);
        watching.join().expect("it ends");
        let told: Vec<Pressed> = pressed.try_iter().collect();
        assert_eq!(told.len(), 1);
        assert!(matches!(told[0].msg, Msg::Terminate(SIGHUP)));
    }
}
