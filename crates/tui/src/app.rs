//! App: the state of the interface and its updates.
//!
//! In: [`Msg`]s and the time. Out: [`Command`]s for the session. Nothing here draws, waits or
//! reads a clock; what is on the screen can be rebuilt from the events.

mod events;
pub(crate) mod focus;
pub(crate) mod help;
mod keys;
pub(crate) mod layout;
mod msg;
pub(crate) mod notes;
pub(crate) mod permission_prompt;
pub(crate) mod slash;
mod slash_commands;
pub(crate) mod status;
mod status_report;
mod type_ahead;
mod typing;

use std::collections::VecDeque;

use ratatui::crossterm::event::Event as TerminalEvent;
use signoff_core::id::Timestamp;
use signoff_llm::mode::Mode;
use signoff_llm::session::Command;

use self::focus::{Dialog, Focus, Overlay, Pane};
pub use self::layout::Areas;
pub use self::msg::Msg;
use self::permission_prompt::PermissionPrompt;
use self::slash::Typed;
use self::status::Status;
use self::type_ahead::TypeAhead;
use crate::composer::Composer;
use crate::keymap::Context;
use crate::review::history::History;
use crate::review::kept::KeptMarks;
use crate::review::{Manuscript, Review};
use crate::theme::Theme;
use crate::transcript::Transcript;

/// How the interface begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The header's text; none shows no header.
    pub header: Option<String>,
    /// The workspace, as the status line names it.
    pub workspace: String,
    /// A prompt to send as soon as the session takes one.
    pub initial_prompt: Option<String>,
    /// Whether colours may be used.
    pub colours: Colours,
}

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// The terminal's sixteen.
    #[default]
    Ansi,
    /// None, as `NO_COLOR` asks; bold, dim and reverse remain.
    None,
}

/// Why the interface ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The user left.
    Left,
    /// The system asked, with this signal.
    Signal(i32),
}

/// How a prompt begins that carries out a plan: it ends plan mode.
const CARRY_OUT: &str = "Carry out this plan:";

/// Everything that the screen shows.
#[derive(Debug)]
pub struct App {
    pub(crate) transcript: Transcript,
    pub(crate) composer: Composer,
    pub(crate) review: Review,
    pub(crate) history: History,
    pub(crate) status: Status,
    pub(crate) focus: Focus,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) dialog: Option<Dialog>,
    pub(crate) permission: Option<PermissionPrompt>,
    pub(crate) pane: Pane,
    pub(crate) queue: VecDeque<String>,
    pub(crate) workspace: String,
    pub(crate) theme: Theme,
    pub(crate) now: Timestamp,
    exit: Option<Exit>,
    leaving: bool,
    redraw: bool,
    /// True once it is known which conversation this is.
    in_session: bool,
    pub(crate) mode: Mode,
    /// What the model has said in this turn.
    said: String,
    manuscript: Option<Manuscript>,
    type_ahead: TypeAhead,
}

impl App {
    /// Returns the interface as it is first drawn.
    pub fn new(options: Options) -> Self {
        let mut composer = Composer::default();
        let mut queue = VecDeque::new();
        match options.initial_prompt.as_deref().map(slash::read) {
            None | Some(Typed::Nothing) => {}
            Some(Typed::Prompt(prompt)) => {
                composer.note(&prompt);
                queue.push_back(prompt);
            }
            // What is asked of the interface is no prompt for a model: Enter has it done.
            Some(Typed::Slash(_) | Typed::Answer(_)) => {
                composer.set(options.initial_prompt.as_deref().unwrap_or_default());
            }
        }
        Self {
            transcript: Transcript::new(options.header.as_deref()),
            composer,
            review: Review::default(),
            history: History::default(),
            status: Status::default(),
            focus: Focus::Composer,
            overlay: None,
            dialog: None,
            permission: None,
            pane: Pane::Closed,
            queue,
            workspace: options.workspace,
            theme: match options.colours {
                Colours::Ansi => Theme::coloured(),
                Colours::None => Theme::plain(),
            },
            now: Timestamp::default(),
            exit: None,
            leaving: false,
            redraw: false,
            in_session: false,
            mode: Mode::default(),
            said: String::new(),
            manuscript: None,
            type_ahead: TypeAhead::default(),
        }
    }

    /// Takes over what happened and returns what the session is to do about it.
    pub fn update(&mut self, msg: Msg, now: Timestamp) -> Vec<Command> {
        self.now = now;
        self.type_ahead.tick(now);
        let mut commands = match msg {
            Msg::Terminal(event) => self.on_terminal(event),
            Msg::Burst(keys) => self.on_burst(&keys),
            Msg::Marks(kept) => {
                self.review.restore(kept);
                Vec::new()
            }
            Msg::Prompts(earlier) => {
                self.composer.remember(earlier);
                Vec::new()
            }
            Msg::Session(event) => self.on_event(event),
            Msg::Header(text) => {
                self.transcript.set_header(text.as_deref());
                Vec::new()
            }
            Msg::Broken(line) => {
                self.transcript.lines(notes::broken(&line));
                Vec::new()
            }
            Msg::Terminate(signal) => {
                self.exit = Some(Exit::Signal(signal));
                Vec::new()
            }
            Msg::Resumed => {
                self.redraw = true;
                Vec::new()
            }
            Msg::Changed => vec![Command::Review, Command::History],
            Msg::Tick => Vec::new(),
        };
        if self.status.is_idle()
            && let Some(prompt) = self.queue.pop_front()
        {
            commands.extend(self.begin(prompt));
        }
        self.take_keyboard();
        commands
    }

    fn on_terminal(&mut self, event: TerminalEvent) -> Vec<Command> {
        match event {
            TerminalEvent::Key(key) => return self.on_key(key),
            TerminalEvent::Paste(text) => self.on_paste(&text),
            // Every frame asks for the size of its screen.
            TerminalEvent::Resize(..) => {}
            TerminalEvent::FocusGained | TerminalEvent::FocusLost | TerminalEvent::Mouse(_) => {}
        }
        Vec::new()
    }

    /// Returns why the interface ends, once it does.
    pub fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Returns the marks of the review if they changed since the last call.
    pub fn take_marks(&mut self) -> Option<KeptMarks> {
        self.review.take_kept()
    }

    /// Returns the prompts that were sent since the last call, to be kept for later runs.
    pub fn take_prompts(&mut self) -> Vec<String> {
        self.composer.take_new()
    }

    /// Returns true while the passing of time shows.
    pub fn shows_time(&self) -> bool {
        self.status.is_busy()
    }

    /// Returns the files of the open review: what other processes do to them is to be shown.
    pub fn watched(&self) -> Option<impl Iterator<Item = &str>> {
        let shown = self.pane == Pane::Open && !self.review.list().is_empty();
        shown.then(|| self.review.list().paths())
    }

    /// Returns how many hunks wait for a verdict.
    pub fn pending(&self) -> usize {
        self.review.list().pending()
    }

    /// Returns once the text that the user wants to edit.
    pub(crate) fn take_manuscript(&mut self) -> Option<Manuscript> {
        self.manuscript.take()
    }

    /// Returns true once after the whole screen is to be drawn again.
    pub fn take_redraw(&mut self) -> bool {
        std::mem::take(&mut self.redraw)
    }

    /// Returns what keys are pressed in.
    pub(crate) fn context(&self) -> Context {
        match (&self.dialog, self.overlay, self.focus) {
            (Some(Dialog::Reason { .. } | Dialog::Instead { .. }), ..) => Context::Reason,
            (Some(Dialog::Confirm { .. }), ..) => Context::Confirm,
            (None, Some(Overlay::Help { .. }), _) => Context::Help,
            (None, Some(Overlay::History), _) => Context::History,
            (None, None, _) if self.permission.as_ref().is_some_and(|it| it.focused) => {
                Context::Permission
            }
            (None, None, Focus::Review) => Context::Review,
            (None, None, Focus::Composer) if self.composer.is_empty() => Context::EmptyComposer,
            (None, None, Focus::Composer) => Context::Composer,
        }
    }

    /// Returns true if keys go into text, so that a cursor is to be shown.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(
            self.context(),
            Context::Composer | Context::EmptyComposer | Context::Reason
        )
    }

    /// Hands a prompt to the session, or keeps it until the session takes one; behind those that wait already.
    fn submit(&mut self, prompt: String) -> Vec<Command> {
        if !self.status.is_ready() || self.status.is_busy() || !self.queue.is_empty() {
            self.queue.push_back(prompt);
            return Vec::new();
        }
        self.begin(prompt)
    }

    /// Hands a prompt to the session.
    fn begin(&mut self, prompt: String) -> Vec<Command> {
        self.status.submitted(self.now);
        self.said.clear();
        if self.mode == Mode::Plan && prompt.starts_with(CARRY_OUT) {
            return vec![Command::SetMode(Mode::Step), Command::Submit(prompt)];
        }
        vec![Command::Submit(prompt)]
    }

    /// Returns what queued prompts wait for.
    pub(crate) fn queue_waits_for(&self) -> &'static str {
        if !self.status.is_ready() {
            "the start"
        } else if self.permission.is_some() {
            "your permission"
        } else if self.status.is_busy() {
            "the answer"
        } else {
            "your verdicts"
        }
    }

    /// Puts prompts that were not sent back where they can be seen and changed.
    fn give_queue_back(&mut self) {
        if self.queue.is_empty() || !self.status.is_ready() {
            return;
        }
        let mut texts: Vec<String> = self.queue.drain(..).collect();
        if !self.composer.is_empty() {
            texts.push(self.composer.text().to_owned());
        }
        self.composer.set(&texts.join("\n"));
    }

    /// Puts the plan that the model has made into the composer, where the user edits and sends it.
    fn offer_plan(&mut self) {
        let plan = self.said.trim();
        if self.mode == Mode::Plan && self.composer.is_empty() && !plan.is_empty() {
            self.composer.set(&format!("{CARRY_OUT}\n\n{plan}"));
            self.status
                .say("Edit the plan; Enter carries it out, step by step");
        }
    }

    fn open_review(&mut self) {
        self.pane = Pane::Open;
        self.focus = Focus::Review;
    }

    fn close_review(&mut self) {
        self.pane = if self.review.list().is_empty() {
            Pane::Closed
        } else {
            Pane::Dismissed
        };
        self.focus = Focus::Composer;
    }
}
