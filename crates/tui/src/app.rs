//! App: the state of the interface and its updates.
//!
//! In: [`Msg`]s and the time. Out: [`Command`]s for the session. Nothing here draws, waits or
//! reads a clock; what is on the screen can be rebuilt from the events.

mod attention;
pub(crate) mod background;
mod browse;
mod changes;
mod completion;
pub(crate) mod conversation;
pub(crate) mod dialog;
mod events;
pub(crate) mod focus;
pub(crate) mod help;
mod keys;
pub(crate) mod layout;
mod leaving;
mod msg;
pub(crate) mod notes;
pub(crate) mod palette;
mod permission_keys;
pub(crate) mod permission_prompt;
mod picker;
mod prompt_keys;
mod sign_off;
pub(crate) mod slash;
mod slash_commands;
mod review_text;
pub(crate) mod status;
mod status_report;
mod type_ahead;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::Event as TerminalEvent;
use signoff_core::id::Timestamp;
use signoff_llm::session::Command;

use self::attention::Attention;
use self::background::Background;
pub use self::browse::Export;
use self::browse::Outgoing;
use self::completion::Completion;
use self::conversation::{Conversation, Queued};
use self::focus::Focus;
pub use self::layout::Areas;
pub use self::msg::Msg;
use self::slash::Typed;
use self::status::Status;
use crate::composer::Composer;
use crate::file_finder::Wanted;
pub use crate::keymap::KeyMap;
use crate::keymap::{Action, Context};
use crate::review::history::{History, LocalTime};
use crate::review::kept::KeptMarks;
use crate::review::places_page::OpenPlaces;
use crate::review::{FileLine, Manuscript, Review};
use crate::snippet::Snippet;
use crate::theme::{ColourDepth, Theme, ThemeName};
use crate::transcript::{Scroll, Transcript};

/// How the interface begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The header's text; none shows no header.
    pub header: Option<String>,
    /// The workspace, as the status line names it.
    pub workspace: String,
    /// A prompt to send as soon as the session takes one.
    pub initial_prompt: Option<String>,
    /// What an earlier run left unsent; with an initial prompt it is only recalled.
    pub draft: Option<String>,
    /// Whether colours may be used.
    pub colours: Colours,
    /// How many the terminal shows.
    pub depth: ColourDepth,
    /// The time zone of times on the screen; UTC if there is none.
    pub zone: Option<TimeZone>,
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

/// What the terminal is given away for, for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Handover {
    /// The user edits the prompt in an editor.
    Prompt(String),
    /// The user edits the new text of a hunk there.
    Hunk(Manuscript),
    /// The user opens a file there.
    Place(FileLine),
    /// The process stops, and the shell has the terminal until it goes on.
    Stop,
}

/// Why the interface ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The user left.
    Left,
    /// The system asked, with this signal.
    Signal(i32),
}

/// Everything that the screen shows: each part has its own state, and this is what happens between them.
#[derive(Debug)]
pub struct App {
    pub(crate) transcript: Transcript,
    pub(crate) composer: Composer,
    pub(crate) conversation: Conversation,
    pub(crate) review: Review,
    pub(crate) history: History,
    places: OpenPlaces,
    pub(crate) status: Status,
    pub(crate) focus: Focus,
    pub(crate) keys: KeyMap,
    pub(crate) workspace: String,
    pub(crate) theme: Theme,
    depth: ColourDepth,
    pub(crate) now: Timestamp,
    zone: TimeZone,
    /// What the loop is to do.
    exit: Option<Exit>,
    leaving: bool,
    /// True after an Esc that had nothing to close.
    escaped: bool,
    redraw: bool,
    handover: Option<Handover>,
    completion: Completion,
    /// The unsent text as it was handed over last to be kept.
    kept_draft: String,
    outgoing: Outgoing,
    attention: Attention,
    background: Background,
}

impl App {
    /// Returns the interface as it is first drawn.
    pub fn new(options: Options) -> Self {
        let mut composer = Composer::default();
        let mut conversation = Conversation::default();
        if let (Some(draft), Some(_)) = (&options.draft, &options.initial_prompt) {
            composer.note(draft);
        }
        match options.initial_prompt.as_deref().map(slash::read) {
            None | Some(Typed::Nothing) => {
                composer.set(options.draft.as_deref().unwrap_or_default());
            }
            Some(Typed::Prompt(prompt)) => {
                composer.note(&prompt);
                conversation.push(Queued::Prompt(prompt));
            }
            // What is asked of the interface is no prompt for a model: Enter has it done.
            Some(Typed::Slash(_) | Typed::Run(_) | Typed::Answer(_)) => {
                composer.set(options.initial_prompt.as_deref().unwrap_or_default());
            }
        }
        Self {
            transcript: Transcript::new(options.header.as_deref()),
            composer,
            conversation,
            review: Review::default(),
            history: History::default(),
            places: OpenPlaces::default(),
            status: Status::default(),
            focus: Focus::default(),
            keys: KeyMap::default(),
            workspace: options.workspace,
            depth: options.depth,
            theme: match options.colours {
                Colours::Ansi => Theme::coloured(),
                Colours::None => Theme::plain(),
            },
            now: Timestamp::default(),
            zone: options.zone.unwrap_or(TimeZone::UTC),
            exit: None,
            leaving: false,
            escaped: false,
            redraw: false,
            handover: None,
            kept_draft: options.draft.unwrap_or_default(),
            completion: Completion::default(),
            outgoing: Outgoing::default(),
            attention: Attention::default(),
            background: Background::default(),
        }
    }

    /// Takes over what happened and returns what the session is to do about it.
    pub fn update(&mut self, msg: Msg, now: Timestamp) -> Vec<Command> {
        self.now = now;
        self.focus.tick(now);
        self.background.starts(now);
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
            Msg::Found(found) => {
                self.found(found);
                Vec::new()
            }
            Msg::Session(event) => self.on_event(event),
            Msg::Snippet(colours) => {
                self.transcript.coloured(colours);
                Vec::new()
            }
            Msg::Header(text) => {
                self.transcript.set_header(text.as_deref());
                Vec::new()
            }
            Msg::Broken(line) => {
                self.transcript.remark(notes::broken(&line));
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
            Msg::Exported(line) => {
                self.answer(&line);
                Vec::new()
            }
            Msg::Keys(keys) => {
                self.review.name_keys(keys.review_names());
                self.history.name_keys(keys.review_names());
                let opens = keys.name(Context::Anywhere, Action::OpenOutputs);
                self.transcript.name_key(opens);
                self.keys = keys;
                Vec::new()
            }
            Msg::Theme(name) => {
                self.set_theme(name);
                Vec::new()
            }
            Msg::Notify(is_on) => {
                self.attention.turn_on(is_on);
                Vec::new()
            }
            Msg::OfferModels => self.offer_models(),
            Msg::Changed => vec![Command::Review, Command::History],
            Msg::Tick => Vec::new(),
        };
        let comments = self.send_comments_with(&commands);
        commands.extend(comments);
        self.note_writing(&commands);
        commands.extend(self.conversation.go_on(&mut self.status, now));
        if self.focus.shows_review() {
            let wanted = self.review.wants_colours().cloned();
            commands.extend(wanted.map(|file| Command::Colour(Box::new(file))));
        }
        commands.extend(self.ask_for_diff());
        commands.extend(self.ask_for_places());
        self.focus
            .take_keyboard(&self.composer, self.review.list(), now);
        commands
    }

    /// Takes over that the frame that was laid out last is on the screen.
    pub fn shown(&mut self, now: Timestamp) {
        self.focus.shown(now);
    }

    /// Returns when the interface changes by itself, if it does: it wants a [`Msg::Tick`] then.
    pub fn wakes_at(&self) -> Option<Timestamp> {
        self.focus.wakes_at(&self.composer, self.review.list())
    }

    fn on_terminal(&mut self, event: TerminalEvent) -> Vec<Command> {
        match event {
            TerminalEvent::Key(key) => return self.on_key(key),
            TerminalEvent::Paste(text) => self.on_paste(&text),
            // Every frame asks for the size of its screen.
            TerminalEvent::Resize(..) => {}
            TerminalEvent::FocusGained => self.attention.look_elsewhere(false),
            TerminalEvent::FocusLost => self.attention.look_elsewhere(true),
            TerminalEvent::Mouse(_) => {}
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

    /// Returns what is typed and not sent, if it changed since the last call.
    pub fn take_draft(&mut self) -> Option<&str> {
        let queued = self.conversation.queue().iter().map(Queued::text);
        let typed = self.composer.draft();
        let typed = Some(typed).filter(|text| !text.is_empty());
        let draft = queued.chain(typed).collect::<Vec<_>>().join("\n");
        if draft == self.kept_draft {
            return None;
        }
        self.kept_draft = draft;
        Some(&self.kept_draft)
    }

    /// Returns the blocks of code on the screen whose colours are to be found; each once.
    pub fn take_snippets(&mut self) -> Vec<Snippet> {
        self.transcript.take_uncoloured()
    }

    /// Returns once what a user who looks elsewhere is to be told.
    pub fn take_call(&mut self) -> Option<String> {
        self.attention.take_call()
    }

    /// Returns the title of the terminal; none if it stays as it is.
    pub fn title(&self) -> Option<String> {
        let is_asked = self.focus.permission().is_some();
        let waits = is_asked || self.pending() > 0 && !self.status.is_busy();
        self.attention.title(&self.workspace, waits)
    }

    /// Returns true while the passing of time shows.
    pub fn shows_time(&self) -> bool {
        self.status.is_busy() || self.background.is_running(self.waits_for())
    }

    /// Returns the files of the open review: what other processes do to them is to be shown.
    pub fn watched(&self) -> Option<impl Iterator<Item = &str>> {
        let shown = self.focus.shows_review() && !self.review.list().is_empty();
        shown.then(|| self.review.list().paths())
    }

    /// Returns how many hunks wait for a verdict.
    pub fn pending(&self) -> usize {
        self.review.list().pending()
    }

    /// Returns once what the terminal is to be given away for.
    pub(crate) fn take_handover(&mut self) -> Option<Handover> {
        self.handover.take()
    }

    /// Returns once what files are to be looked for, for the list behind an `@`.
    pub(crate) fn take_wanted(&mut self) -> Option<Wanted> {
        self.completion.take_wanted()
    }

    /// Returns true once after the whole screen is to be drawn again.
    pub fn take_redraw(&mut self) -> bool {
        std::mem::take(&mut self.redraw)
    }

    /// Returns the time as it is told on the screen.
    pub(crate) fn local_time(&self) -> LocalTime {
        LocalTime {
            now: self.now,
            zone: self.zone.clone(),
        }
    }

    /// Shows everything in the colours of a theme.
    pub(crate) fn set_theme(&mut self, name: ThemeName) {
        self.theme = self.theme.named(name, self.depth);
        self.redraw = true;
    }

    /// Returns what keys are pressed in.
    pub(crate) fn context(&self) -> Context {
        match self.focus.context(&self.composer) {
            Context::Review if self.review.selects_lines() => Context::Lines,
            context => context,
        }
    }

    /// Returns true while keys that answer do not count yet.
    pub(crate) fn is_deaf(&self) -> bool {
        self.focus.is_deaf(&self.composer)
    }

    /// Returns true if keys go into text, so that a cursor is to be shown.
    pub(crate) fn takes_text(&self) -> bool {
        matches!(
            self.context(),
            Context::Composer
                | Context::EmptyComposer
                | Context::Menu
                | Context::Reason
                | Context::Written
                | Context::Question
                | Context::Search
                | Context::Comment
                | Context::NewText
                | Context::Palette
        )
    }

    /// Returns whether the session is there, and whether checks run.
    fn waits_for(&self) -> (bool, bool) {
        (self.status.is_ready(), self.review.checks().is_running())
    }

    /// Returns what runs beside the conversation and takes over a second.
    pub(crate) fn background_line(&self) -> Option<String> {
        self.background.line(self.waits_for(), self.now)
    }

    fn note_writing(&mut self, commands: &[Command]) {
        for command in commands {
            if let Command::Decide(rulings) = command {
                self.background.writes(rulings, self.now);
            }
        }
    }

    /// Returns what queued prompts wait for.
    pub(crate) fn queue_waits_for(&self) -> &'static str {
        if !self.status.is_ready() {
            "the start"
        } else if self.focus.permission().is_some() {
            "your permission"
        } else if self.status.is_busy() {
            "the answer"
        } else {
            "your verdicts"
        }
    }

    /// Says what a command of the user's comes to, where it can be read: a review that leaves no room for it is put
    /// away, and Tab brings it back.
    fn answer(&mut self, text: &str) {
        let rows = notes::info(text);
        self.transcript.scroll(Scroll::Bottom);
        if self.focus.shows_review() && !self.transcript.has_room(&rows) {
            self.focus.close_review(self.review.list());
        }
        self.transcript.lines(rows);
    }

    /// Makes room for an answer that the session is asked for.
    fn make_room(&mut self) {
        self.transcript.scroll(Scroll::Bottom);
        if self.focus.shows_review() && self.transcript.height() == 0 {
            self.focus.close_review(self.review.list());
        }
    }
}
