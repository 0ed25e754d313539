//! Event loop of the interface: messages in, one frame out.
//!
//! In: keys, events of the session, signals. Out: frames and effects. Nothing slow comes
//! before the first frame, and nothing is written while nothing happens.
//!
//! **Invariant:** the first frame comes before config, store, network and runtime; only what `[interface]` says of
//! the frame itself, `inline` and `theme`, is read before it (`config::first_frame`). Nothing is drawn while
//! nothing happens. Text that streams in is drawn every 16 ms at most (`run/pace`); everything else, and each key,
//! at once.

mod effects;
mod frames;
mod keyboard;
mod pace;
mod wires;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use ratatui::crossterm::event::Event as TerminalEvent;
use signal_hook::consts::signal::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signoff_core::id::Timestamp;

use self::frames::{show, show_rest};
use self::keyboard::{
    Hands, Pressed, SharedKeyMap, await_answer, await_hangup, read_keys, read_signals,
};
use self::pace::FramePace;
use self::wires::Wires;
pub use self::wires::{Connection, EventSender};
use crate::app::{
    App, AppEffect, BackgroundNews, BackgroundRequest, CommitsAnswer, CommitsRequest, Exit, Msg,
    Options, QueryAnswer,
};
use crate::composer::pasted_image;
use crate::file_finder::{FileFinder, Wanted};
use crate::snippet::Snippet;
use crate::state_files::draft::DraftFile;
use crate::state_files::exports::ExportFolder;
use crate::state_files::marks::MarksFile;
use crate::state_files::prompt_history::PromptHistory;
use signoff_core::disk::workspace::reserved::ReservedFolders;

use crate::terminal::{self, Screen};
use crate::user_shell::UserShell;
use crate::watch::Watch;

/// Messages that are taken before a frame is due even if more wait.
const BATCH: usize = 1024;

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
    /// Where the unsent prompt is kept.
    pub draft: DraftFile,
    /// What starts the user's editor.
    pub shell: UserShell,
    /// The folder whose files prompts mention.
    pub root: PathBuf,
    /// The folders that are no part of it.
    pub reserved: ReservedFolders,
    /// Where conversations are written.
    pub exports: ExportFolder,
    /// Carries out what is asked of background agents.
    pub background: CarryOutBackground,
    /// Carries out what is asked of the commits of programs.
    pub commits: CarryOutOnCommits,
    /// Starts everything slow and returns where commands go. Called on a thread of its own
    /// once the first frame is on the screen; keys typed meanwhile are kept.
    pub connect: Connect,
}

/// Starts what the interface talks to.
pub type Connect = Box<dyn FnOnce(EventSender) -> Connection + Send>;

/// Carries out a request about background agents, on a thread of its own, and says what comes of it.
pub type CarryOutBackground = Arc<dyn Fn(BackgroundRequest, &dyn Fn(BackgroundNews)) + Send + Sync>;

/// Carries out what is asked of the commits of programs, on a thread of its own.
pub type CarryOutOnCommits = Arc<dyn Fn(&CommitsRequest) -> CommitsAnswer + Send + Sync>;

/// How the interface ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why.
    pub exit: Exit,
    /// How many hunks still wait for a verdict.
    pub pending: usize,
}

/// Shows the interface until the user quits.
pub fn run(setup: Setup) -> anyhow::Result<Outcome> {
    let (sender, messages) = mpsc::channel();
    let (front, pressed) = mpsc::channel();
    let reporter = sender.clone();
    terminal::hook_panics(move |line| drop(reporter.send(Msg::Broken(line))));
    let is_inline = setup.options.is_inline;
    let mut app = App::new(setup.options);
    let mut screen = Screen::enter(is_inline).context("cannot use this terminal")?;
    let shown = show(&mut app, &mut screen)?;
    // Behind the first frame, so that it is not kept up.
    if app.has_colours() {
        screen.ask_ground()?;
    }
    let (proceed, go_on) = mpsc::channel();
    let keys = SharedKeyMap::new(app.keys.clone());
    let hands = Hands {
        front,
        bell: sender.clone(),
        keys: keys.clone(),
    };
    let connected = start(sender.clone(), hands, go_on, setup.connect)?;
    let snippets = colour_snippets(sender.clone())?;
    let commits = carry_out_on_commits(setup.commits, sender.clone())?;
    let looped = Loop {
        app: &mut app,
        screen,
        pressed,
        messages,
        keys,
        proceed,
        wires: Wires::new(connected),
        snippets,
        watch: setup.watch,
        marks: setup.marks,
        prompts: setup.prompts,
        draft: setup.draft,
        shell: setup.shell,
        files: Files {
            root: setup.root,
            reserved: setup.reserved,
            bell: sender,
            finder: None,
        },
        exports: setup.exports,
        background: setup.background,
        commits,
        keeps: true,
        looked: Instant::now(),
        pace: FramePace::begin(Instant::now()),
        exit: None,
        effects: shown.into(),
    }
    .run();
    let exit = looped?;
    Ok(Outcome {
        exit,
        pending: app.pending(),
    })
}

struct Loop<'a> {
    app: &'a mut App,
    screen: Screen,
    /// Keys and signals: they go before whatever the session has to say, however much that is.
    pressed: Receiver<Pressed>,
    messages: Receiver<Msg>,
    keys: SharedKeyMap,
    /// Tells the thread for keys that a key which may open the editor was dealt with.
    proceed: Sender<()>,
    wires: Wires,
    snippets: Sender<Snippet>,
    watch: Watch,
    marks: MarksFile,
    prompts: PromptHistory,
    draft: DraftFile,
    shell: UserShell,
    files: Files,
    exports: ExportFolder,
    background: CarryOutBackground,
    commits: Sender<CommitsRequest>,
    /// False once marks could not be written: that is said once.
    keeps: bool,
    /// When it was asked last whether other processes wrote.
    looked: Instant,
    pace: FramePace,
    /// Why the interface ends, once it does.
    exit: Option<Exit>,
    /// What is to be done, the next first.
    effects: VecDeque<AppEffect>,
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
            for pressed in self.pressed.try_iter().collect::<Vec<_>>() {
                self.take(pressed.msg, pressed.at)?;
                self.proceed_after(pressed.holds_keys);
            }
            self.effects.extend(self.app.kept());
            self.carry_out()?;
            if let Some(title) = self.app.title() {
                self.screen.set_title(title)?;
            }
            if let Some(exit) = self.exit.clone() {
                self.effects.extend(self.app.unsent());
                self.carry_out()?;
                show_rest(self.app, &mut self.screen)?;
                await_answer(&self.pressed, || self.screen.awaits_answer());
                return Ok(exit);
            }
            self.screen.use_mouse(self.app.uses_mouse())?;
            let is_due = self.pace.wait(Instant::now()) == Some(Duration::ZERO);
            let shown = is_due.then(|| show(self.app, &mut self.screen)).transpose();
            // Behind the frame, which may have failed: the terminal is gone, the prompt is not.
            self.effects.extend(self.app.unsent());
            self.carry_out()?;
            if let Some(effects) = shown? {
                self.effects.extend(effects);
                self.pace.drawn(Instant::now());
                self.carry_out()?;
            }
        }
    }

    /// Waits for the next message; while something runs, not longer than a tick. While a review is
    /// open, what other processes write is a message too.
    fn next(&mut self) -> Option<Msg> {
        loop {
            let shows_time = self.app.shows_time();
            let wakes = self.app.wakes_at().map(until);
            let frame = self.pace.wait(Instant::now());
            if !shows_time && wakes.or(frame).is_none() && self.app.watched().is_none() {
                return self.messages.recv().ok();
            }
            let pause = wakes.unwrap_or(TICK).min(frame.unwrap_or(TICK)).min(TICK);
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

    /// Takes a message over and carries out what it leads to.
    fn take(&mut self, msg: Msg, at: Timestamp) -> anyhow::Result<()> {
        self.update(msg, at);
        self.carry_out()?;
        self.wires.flush();
        Ok(())
    }

    /// Takes a message over; what it leads to waits behind what is to be done already.
    fn update(&mut self, msg: Msg, at: Timestamp) {
        if self.exit.is_some() {
            return;
        }
        match &msg {
            Msg::Resumed => self.screen.goes_on(),
            Msg::Ground(_) => self.screen.answered(),
            _ => {}
        }
        let msg = with_image(msg, self.watch.root());
        self.pace.owe(&msg);
        if let Msg::Keys(keys) = &msg {
            self.keys.set(keys.clone());
        }
        self.effects.extend(self.app.update(msg, at));
        self.keys.go_to(self.app.key_context());
    }

    /// Lets the thread for keys read on, if it waits for the key that was dealt with.
    fn proceed_after(&self, holds_keys: bool) {
        if holds_keys {
            // The thread is gone only when the terminal is.
            let _gone = self.proceed.send(());
        }
    }
}

/// Returns a paste that is the path of an image as that.
fn with_image(msg: Msg, root: &Path) -> Msg {
    let image = match &msg {
        Msg::Terminal(TerminalEvent::Paste(text)) => pasted_image::of(text, root),
        _ => None,
    };
    image.map_or(msg, Msg::PastedImage)
}

/// The search of files; it begins with the first question.
struct Files {
    root: PathBuf,
    reserved: ReservedFolders,
    bell: Sender<Msg>,
    finder: Option<FileFinder>,
}

impl Files {
    fn find(&mut self, wanted: Wanted) -> anyhow::Result<()> {
        let finder = match self.finder.take() {
            Some(finder) => finder,
            None => {
                let bell = self.bell.clone();
                let report = move |found| bell.send(Msg::Found(found)).is_ok();
                FileFinder::start(self.root.clone(), self.reserved.clone(), report)
                    .context("cannot start the thread that looks for files")?
            }
        };
        finder.find(wanted);
        self.finder = Some(finder);
        Ok(())
    }
}

/// Starts the threads that feed the loop.
fn start(
    sender: Sender<Msg>,
    hands: Hands,
    go_on: Receiver<()>,
    connect: Connect,
) -> anyhow::Result<Receiver<Connection>> {
    let keys = hands.clone();
    spawn("keys", move || read_keys(&keys, &go_on))?;
    let line = hands.clone();
    spawn("line", move || await_hangup(std::io::stdin(), &line))?;
    let signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGCONT, SIGTSTP])?;
    spawn("signals", move || read_signals(signals, &hands))?;
    let (connection, connected) = mpsc::channel();
    spawn("connect", move || {
        let made = connect(EventSender::new(sender.clone()));
        drop(connection.send(made));
        // What was asked before there was a connection goes out now.
        drop(sender.send(Msg::Tick));
    })?;
    Ok(connected)
}

/// Starts the thread that carries out what is asked of the commits of programs, in order: what is listed later is what came of
/// what was decided before. Of lists that wait the last counts.
fn carry_out_on_commits(
    carry_out: CarryOutOnCommits,
    sender: Sender<Msg>,
) -> anyhow::Result<Sender<CommitsRequest>> {
    let (requests, asked) = mpsc::channel::<CommitsRequest>();
    spawn("commits", move || {
        while let Ok(first) = asked.recv() {
            let mut waiting: Vec<CommitsRequest> = asked.try_iter().collect();
            waiting.insert(0, first);
            waiting.dedup_by(|later, own| *later == CommitsRequest::List && later == own);
            for request in waiting {
                let answer = carry_out(&request);
                let shown = QueryAnswer::new(move |app| app.told_of_commits(&request, answer));
                drop(sender.send(Msg::Answered(shown)));
            }
        }
    })?;
    Ok(requests)
}

/// Starts the thread that finds colours of code, and returns where it takes code from.
fn colour_snippets(sender: Sender<Msg>) -> anyhow::Result<Sender<Snippet>> {
    let (snippets, uncoloured) = mpsc::channel::<Snippet>();
    spawn("colours", move || {
        for snippet in uncoloured {
            drop(sender.send(Msg::Snippet(snippet.colours())));
        }
    })?;
    Ok(snippets)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .with_context(|| format!("cannot start the thread for {name}"))
        .map(drop)
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
