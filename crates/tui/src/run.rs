//! Event loop of the interface: messages in, one frame out.
//!
//! In: keys, events of the session, signals. Out: frames and commands. Nothing slow comes
//! before the first frame, and nothing is written while nothing happens.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use ratatui::crossterm::event;
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signoff_core::id::Timestamp;
use signoff_llm::session::{Command, Event};

use crate::app::{App, Exit, Msg, Options};
use crate::editor;
use crate::keymap;
use crate::marks_file::MarksFile;
use crate::prompt_history::PromptHistory;
use crate::review::kept::KeptMarks;
use crate::review::{FileLine, Manuscript};
use crate::terminal::{self, Screen};
use crate::view;
use crate::watch::Watch;

/// Messages that are taken before a frame is due even if more wait.
const BATCH: usize = 1024;

/// Keys that follow each other faster are no person's typing: a paste, or a program.
const BURST_GAP: Duration = Duration::from_millis(8);

/// How often elapsed time is shown anew while something runs, and how often it is asked whether
/// other processes wrote while a review is open.
const TICK: Duration = Duration::from_secs(1);

/// What the interface is given.
pub struct Setup {
    /// How it begins.
    pub options: Options,
    /// Notices what other processes write.
    pub watch: Watch,
    /// Where the marks of the review are kept.
    pub marks: MarksFile,
    /// Where prompts are kept.
    pub prompts: PromptHistory,
    /// Starts everything slow and returns where commands go. Called on a thread of its own
    /// once the first frame is on the screen; keys typed meanwhile are kept.
    pub connect: Connect,
}

/// Starts what the interface talks to.
pub type Connect = Box<dyn FnOnce(EventSender) -> CommandSender + Send>;

/// How the interface ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why.
    pub exit: Exit,
    /// How many hunks still wait for a verdict.
    pub pending: usize,
}

/// Where the session's events go; clones lead to the same interface.
#[derive(Clone, Debug)]
pub struct EventSender(Sender<Msg>);

/// Where the user's commands go.
pub struct CommandSender(Box<dyn FnMut(Command) + Send>);

impl EventSender {
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

/// Shows the interface until the user quits.
pub fn run(setup: Setup) -> anyhow::Result<Outcome> {
    let (sender, messages) = mpsc::channel();
    let (front, pressed) = mpsc::channel();
    let reporter = sender.clone();
    terminal::hook_panics(move |line| drop(reporter.send(Msg::Broken(line))));
    let mut app = App::new(setup.options);
    let mut screen = Screen::enter().context("cannot use this terminal")?;
    show(&mut app, &mut screen)?;
    let (proceed, go_on) = mpsc::channel();
    let hands = Hands {
        front,
        bell: sender.clone(),
    };
    let commands = start(sender, hands, go_on, setup.connect)?;
    let looped = Loop {
        app: &mut app,
        screen,
        pressed,
        messages,
        proceed,
        wires: Wires::new(commands),
        watch: setup.watch,
        marks: setup.marks,
        prompts: setup.prompts,
        keeps: true,
        looked: Instant::now(),
    }
    .run();
    let exit = looped?;
    Ok(Outcome {
        exit,
        pending: app.pending(),
    })
}

/// Draws a frame. It is laid out for the size that it is drawn in, not for an earlier one: what was
/// laid out counts as displayed.
fn show(app: &mut App, screen: &mut Screen) -> io::Result<()> {
    screen.draw(|frame| {
        let areas = app.lay_out(frame.area());
        view::draw(app, &areas, frame);
    })?;
    app.shown(now());
    Ok(())
}

struct Loop<'a> {
    app: &'a mut App,
    screen: Screen,
    /// Keys and signals: they go before whatever the session has to say, however much that is.
    pressed: Receiver<Pressed>,
    messages: Receiver<Msg>,
    /// Tells the thread for keys that a key which may open the editor was dealt with.
    proceed: Sender<()>,
    wires: Wires,
    watch: Watch,
    marks: MarksFile,
    prompts: PromptHistory,
    /// False once marks could not be written: that is said once.
    keeps: bool,
    /// When it was asked last whether other processes wrote.
    looked: Instant,
}

impl Loop<'_> {
    fn run(mut self) -> anyhow::Result<Exit> {
        loop {
            let Some(msg) = self.next() else {
                return Ok(Exit::Left);
            };
            self.take(msg, now())?;
            if self.looked.elapsed() >= TICK
                && let Some(changed) = self.look()
            {
                self.take(changed, now())?;
            }
            for msg in self.messages.try_iter().take(BATCH).collect::<Vec<_>>() {
                self.take(msg, now())?;
            }
            for Pressed { msg, at } in self.pressed.try_iter().collect::<Vec<_>>() {
                self.take(msg, at)?;
            }
            self.keep_marks();
            self.keep_prompts();
            if let Some(exit) = self.app.exit() {
                return Ok(exit);
            }
            if self.app.take_redraw() {
                self.screen.refresh()?;
            }
            show(self.app, &mut self.screen)?;
        }
    }

    /// Writes marks down that the user made or took away.
    fn keep_marks(&mut self) {
        let Some(marks) = self.app.take_marks() else {
            return;
        };
        if let Err(error) = self.marks.save(&marks)
            && std::mem::take(&mut self.keeps)
        {
            let why = crate::cli::in_words(&error);
            let line = format!("marks are lost when signoff ends: {why}");
            self.app.update(Msg::Broken(line), now());
        }
    }

    /// Writes down what was sent.
    fn keep_prompts(&mut self) {
        let prompts = self.app.take_prompts();
        if prompts.is_empty() {
            return;
        }
        if let Err(error) = self.prompts.add(&prompts) {
            tracing::warn!(%error, "prompts are not kept for later runs");
        }
    }

    /// Waits for the next message; while something runs, not longer than a tick. While a review is
    /// open, what other processes write is a message too.
    fn next(&mut self) -> Option<Msg> {
        loop {
            let shows_time = self.app.shows_time();
            let wakes = self.app.wakes_at().map(until);
            if !shows_time && wakes.is_none() && self.app.watched().is_none() {
                return self.messages.recv().ok();
            }
            let pause = wakes.unwrap_or(TICK).min(TICK);
            match self.messages.recv_timeout(pause) {
                Ok(msg) => return Some(msg),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if pause < TICK => return Some(Msg::Tick),
                Err(RecvTimeoutError::Timeout) => match self.look() {
                    Some(changed) => return Some(changed),
                    None if shows_time => return Some(Msg::Tick),
                    None => {}
                },
            }
        }
    }

    /// Looks whether other processes wrote to what an open review shows.
    fn look(&mut self) -> Option<Msg> {
        self.looked = Instant::now();
        let files = self.app.watched()?;
        self.watch.changed(files).then_some(Msg::Changed)
    }

    fn take(&mut self, msg: Msg, at: Timestamp) -> anyhow::Result<()> {
        if self.app.exit().is_some() {
            return Ok(());
        }
        let holds = matches!(&msg, Msg::Terminal(event) if holds_keys(event));
        let mut commands = self.app.update(msg, at);
        if let Some(manuscript) = self.app.take_manuscript() {
            commands.extend(self.edit(manuscript)?);
        }
        if let Some(text) = self.app.take_copied() {
            terminal::copy(&text)?;
        }
        if let Some(place) = self.app.take_opened() {
            commands.extend(self.open(&place)?);
        }
        if holds {
            // The thread is gone only when the terminal is.
            let _gone = self.proceed.send(());
        }
        for command in commands {
            self.wires.send(command);
        }
        self.wires.flush();
        Ok(())
    }

    /// Opens a file in the user's editor, which has the terminal until it ends.
    fn open(&mut self, place: &FileLine) -> anyhow::Result<Vec<Command>> {
        let file = self.watch.root().join(&place.path);
        terminal::restore();
        let opened = editor::open(&file, place.line);
        self.screen.refresh()?;
        self.app
            .opened(opened.map_err(|error| crate::cli::in_words(&error)));
        // A Ctrl-C meanwhile was for the editor.
        let mut commands = Vec::new();
        for Pressed { msg, .. } in self.pressed.try_iter().collect::<Vec<_>>() {
            if !matches!(msg, Msg::Terminate(SIGINT)) {
                commands.extend(self.app.update(msg, now()));
            }
        }
        Ok(commands)
    }

    /// Gives the terminal to the user's editor until it ends.
    fn edit(&mut self, manuscript: Manuscript) -> anyhow::Result<Vec<Command>> {
        terminal::restore();
        let text = editor::edit(&manuscript.text, &manuscript.path);
        self.screen.refresh()?;
        let text = text.map_err(|error| crate::cli::in_words(&error));
        // A hunk that changed meanwhile is not what was edited.
        let mut commands = Vec::new();
        for msg in self.messages.try_iter().collect::<Vec<_>>() {
            commands.extend(self.app.update(msg, now()));
        }
        commands.extend(self.app.edited(&manuscript, text));
        // A Ctrl-C meanwhile was for the editor.
        for Pressed { msg, .. } in self.pressed.try_iter().collect::<Vec<_>>() {
            if !matches!(msg, Msg::Terminate(SIGINT)) {
                commands.extend(self.app.update(msg, now()));
            }
        }
        Ok(commands)
    }
}

/// Commands on their way; those given before there is a connection wait for it.
struct Wires {
    connected: Receiver<CommandSender>,
    sender: Option<CommandSender>,
    waiting: Vec<Command>,
}

impl Wires {
    fn new(connected: Receiver<CommandSender>) -> Self {
        Self {
            connected,
            sender: None,
            waiting: Vec::new(),
        }
    }

    fn send(&mut self, command: Command) {
        self.waiting.push(command);
        self.flush();
    }

    fn flush(&mut self) {
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

/// Where keys and signals go: in front of all that waits, with a word behind it that wakes the
/// loop.
#[derive(Clone)]
struct Hands {
    front: Sender<Pressed>,
    bell: Sender<Msg>,
}

/// A key or a signal, and when it came: the loop may have been busy since.
struct Pressed {
    msg: Msg,
    at: Timestamp,
}

impl Hands {
    /// Hands a message over; false once the interface is gone.
    fn send(&self, msg: Msg) -> bool {
        let pressed = Pressed { msg, at: now() };
        self.front.send(pressed).is_ok() && self.bell.send(Msg::Tick).is_ok()
    }
}

/// Starts the threads that feed the loop.
fn start(
    sender: Sender<Msg>,
    hands: Hands,
    go_on: Receiver<()>,
    connect: Connect,
) -> anyhow::Result<Receiver<CommandSender>> {
    let keys = hands.clone();
    spawn("keys", move || read_keys(&keys, &go_on))?;
    let signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGCONT])?;
    spawn("signals", move || read_signals(signals, &hands))?;
    let (connection, connected) = mpsc::channel();
    spawn("connect", move || {
        let commands = connect(EventSender(sender.clone()));
        drop(connection.send(commands));
        // What was asked before there was a connection goes out now.
        drop(sender.send(Msg::Tick));
    })?;
    Ok(connected)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .with_context(|| format!("cannot start the thread for {name}"))
        .map(drop)
}

/// Returns whether no key may be read before this one was dealt with: it may open the editor,
/// and then keys are the editor's.
fn holds_keys(event: &event::Event) -> bool {
    matches!(event, event::Event::Key(key) if matches!(key.code, event::KeyCode::Char('e' | 'o')))
}

fn read_keys(sink: &Hands, go_on: &Receiver<()>) {
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

fn read_signals(mut signals: Signals, sink: &Hands) {
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

/// Returns how long it is until then.
fn until(at: Timestamp) -> Duration {
    let left = at.0.saturating_sub(now().0);
    Duration::from_millis(u64::try_from(left).unwrap_or_default())
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map(|since| since.as_millis()).unwrap_or_default();
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}
