//! App: the state of the interface and its updates.
//!
//! In: [`Msg`]s and the time. Out: [`Command`]s for the session. Nothing here draws, waits or
//! reads a clock; what is on the screen can be rebuilt from the events.

mod attention;
pub(crate) mod background;
pub(crate) mod changes;
pub(crate) mod conversation;
pub(crate) mod critique_notes;
pub(crate) mod dialog;
mod events;
pub(crate) mod focus;
pub(crate) mod help;
mod keys;
pub(crate) mod layout;
mod msg;
pub(crate) mod notes;
pub(crate) mod palette;
mod query;
mod outcomes;
mod outgoing;
pub(crate) mod overlay;
pub(crate) mod permission_prompt;
pub(crate) mod slash;
pub(crate) mod review_text;
mod rewind_question;
pub(crate) mod status;
mod status_line;
mod status_report;
mod type_ahead;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::Event as TerminalEvent;
use signoff_core::id::Timestamp;
use signoff_llm::session::Command;

use self::attention::Attention;
use self::background::Background;
use self::changes::Changes;
use self::conversation::{Conversation, Queued};
use self::focus::Focus;
use self::keys::SecondPress;
pub use self::layout::{Areas, FinishedRows, InlineFrame};
pub use self::msg::Msg;
pub(crate) use self::outgoing::Handover;
use self::outgoing::Outgoing;
pub use self::outgoing::{Exit, Export};
use self::overlay::Overlay;
pub use self::query::{Query, QueryAnswer};
use self::status::Status;
use self::status_line::StatusLine;
pub use crate::background_page::{BackgroundAgent, BackgroundNews, BackgroundRequest};
use crate::file_finder::Wanted;
use crate::keymap::Context;
pub use crate::keymap::KeyMap;
use crate::review::history::LocalTime;
use crate::review::kept::KeptMarks;
use crate::review::{Manuscript, Review};
use crate::snippet::Snippet;
use crate::theme::{ColourDepth, Theme, ThemeName};
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
    /// What an earlier run left unsent; with an initial prompt it is only recalled.
    pub draft: Option<String>,
    /// Whether colours may be used.
    pub colours: Colours,
    /// How many the terminal shows.
    pub depth: ColourDepth,
    /// Which colours, where they may be used.
    pub theme: ThemeName,
    /// The time zone of times on the screen; UTC if there is none.
    pub zone: Option<TimeZone>,
    /// Whether the conversation goes to the terminal's scrollback.
    pub is_inline: bool,
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

/// Everything that the screen shows: each part has its own state, and this is what happens between them.
#[derive(Debug)]
pub struct App {
    pub(crate) transcript: Transcript,
    pub(crate) conversation: Conversation,
    pub(crate) review: Review,
    pub(crate) changes: Changes,
    pub(crate) status: Status,
    pub(crate) focus: Focus,
    pub(crate) keys: KeyMap,
    pub(crate) workspace: String,
    pub(crate) theme: Theme,
    is_inline: bool,
    depth: ColourDepth,
    pub(crate) now: Timestamp,
    zone: TimeZone,
    second_press: SecondPress,
    /// The parts of the screen as they were laid out last.
    areas: Option<Areas>,
    pub(crate) status_line: StatusLine,
    outgoing: Outgoing,
    attention: Attention,
    background: Background,
}

impl App {
    /// Returns the interface as it is first drawn.
    pub fn new(options: Options) -> Self {
        let mut app = Self {
            transcript: Transcript::new(options.header.as_deref()),
            conversation: Conversation::new(options.initial_prompt.as_deref(), options.draft),
            review: Review::default(),
            changes: Changes::default(),
            status: Status::default(),
            focus: Focus::default(),
            keys: KeyMap::default(),
            workspace: options.workspace,
            is_inline: options.is_inline,
            depth: options.depth,
            theme: match options.colours {
                Colours::Ansi => Theme::coloured().named(options.theme, options.depth),
                Colours::None => Theme::plain(),
            },
            now: Timestamp::default(),
            zone: options.zone.unwrap_or(TimeZone::UTC),
            second_press: SecondPress::default(),
            areas: None,
            status_line: StatusLine::default(),
            outgoing: Outgoing::default(),
            attention: Attention::default(),
            background: Background::default(),
        };
        app.use_keys(KeyMap::default());
        app
    }

    fn use_keys(&mut self, keys: KeyMap) {
        self.review.name_keys(keys.review_names());
        self.changes.history.name_keys(keys.review_names());
        let opens = keys.name(Context::Anywhere, "open-outputs");
        self.transcript.name_key(opens);
        self.keys = keys;
    }

    /// Takes over what happened and returns what the session is to do about it.
    pub fn update(&mut self, msg: Msg, now: Timestamp) -> Vec<Command> {
        self.now = now;
        self.focus.tick(now);
        self.background.starts(now);
        let mut commands = match msg {
            Msg::Terminal(event) => self.on_terminal(event),
            Msg::Burst(keys) => self.on_burst(&keys),
            Msg::PastedImage(image) => {
                self.on_pasted_image(&image);
                Vec::new()
            }
            Msg::Marks(kept) => {
                self.review.restore(kept);
                Vec::new()
            }
            Msg::Prompts(earlier) => {
                self.conversation.remember(earlier);
                Vec::new()
            }
            Msg::Found(found) => {
                self.conversation.found(found, &self.changes.history);
                Vec::new()
            }
            Msg::Session(event) => self.on_event(event),
            Msg::Answered(answer) => {
                answer.show(self);
                Vec::new()
            }
            Msg::Snippet(colours) => {
                self.transcript.coloured(colours);
                Vec::new()
            }
            Msg::Header(text) => {
                self.transcript.set_header(text.as_deref());
                Vec::new()
            }
            Msg::Configured => {
                self.transcript.keep_header();
                Vec::new()
            }
            Msg::Broken(line) => {
                self.transcript.remark(notes::broken(&line));
                Vec::new()
            }
            Msg::Terminate(signal) => {
                self.outgoing.end(Exit::Signal(signal));
                Vec::new()
            }
            Msg::Resumed => {
                self.outgoing.redraw();
                Vec::new()
            }
            Msg::Background(news) => {
                self.told_of_background(news);
                Vec::new()
            }
            Msg::Exported(line) => {
                self.answer(&line);
                Vec::new()
            }
            Msg::Keys(keys) => {
                self.use_keys(keys);
                Vec::new()
            }
            Msg::Mouse(is_on) => {
                self.outgoing.use_mouse(is_on);
                Vec::new()
            }
            Msg::Notify(is_on) => {
                self.attention.turn_on(is_on);
                Vec::new()
            }
            Msg::OfferModels => {
                self.outgoing.ask([self.conversation.offer_models()]);
                Vec::new()
            }
            Msg::Changed => {
                self.outgoing.ask([Query::History]);
                vec![Command::Review]
            }
            Msg::Tick => {
                self.refresh_background();
                self.review.search_on();
                Vec::new()
            }
        };
        if self.background.hands_over(&commands, now) {
            commands.extend(self.send_comments());
        }
        commands.extend(self.conversation.go_on(&mut self.status, now));
        if self.focus.shows_review() {
            let wanted = self.review.wants_colours().cloned();
            self.outgoing
                .ask(wanted.map(|file| Query::Colours(Box::new(file))));
        }
        let wanted = self.focus.overlay_mut().and_then(Overlay::wanted);
        self.outgoing.ask(wanted);
        self.outgoing.ask(self.changes.query());
        self.focus
            .take_keyboard(self.conversation.composer(), self.review.list(), now);
        commands
    }

    /// Takes over that the frame that was laid out last is on the screen.
    pub fn shown(&mut self, now: Timestamp) {
        self.focus.shown(now);
    }

    /// Returns when the interface changes by itself, if it does: it wants a [`Msg::Tick`] then.
    pub fn wakes_at(&self) -> Option<Timestamp> {
        if self.review.is_searching() {
            return Some(Timestamp(0));
        }
        (self.focus).wakes_at(self.conversation.composer(), self.review.list())
    }

    fn on_terminal(&mut self, event: TerminalEvent) -> Vec<Command> {
        match event {
            TerminalEvent::Key(key) => return self.on_key(key),
            TerminalEvent::Paste(text) => self.on_paste(&text),
            // Every frame asks for the size of its screen.
            TerminalEvent::Resize(..) => {}
            TerminalEvent::FocusGained => self.attention.look_elsewhere(false),
            TerminalEvent::FocusLost => self.attention.look_elsewhere(true),
            TerminalEvent::Mouse(event) => return self.on_mouse(event),
        }
        Vec::new()
    }

    /// Returns why the interface ends, once it does.
    pub fn exit(&self) -> Option<Exit> {
        self.outgoing.exit()
    }

    /// Returns the marks of the review if they changed since the last call.
    pub fn take_marks(&mut self) -> Option<KeptMarks> {
        self.review.take_kept()
    }

    /// Returns the prompts that were sent since the last call, to be kept for later runs.
    pub fn take_prompts(&mut self) -> Vec<String> {
        self.conversation.take_prompts()
    }

    /// Returns what is typed and not sent, if it changed since the last call.
    pub fn take_draft(&mut self) -> Option<&str> {
        self.conversation.take_draft()
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
        let overlay = self.focus.overlay();
        let is_live = matches!(overlay, Some(Overlay::Background(page)) if page.is_live());
        is_live || self.status.is_busy() || self.background.is_running(self.waits_for())
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

    /// Returns once what the screen asks, in order.
    pub fn take_queries(&mut self) -> Vec<Query> {
        self.outgoing.take_queries()
    }

    /// Returns once what the terminal is to be given away for.
    pub(crate) fn take_handover(&mut self) -> Option<Handover> {
        self.outgoing.take_handover()
    }

    /// Returns once the text that the terminal is to copy.
    pub fn take_copied(&mut self) -> Option<String> {
        self.outgoing.take_copied()
    }

    /// Returns once what is asked of background agents, in order.
    pub fn take_background(&mut self) -> Vec<BackgroundRequest> {
        self.outgoing.take_background()
    }

    /// Returns once the conversation that is to be written to a file.
    pub fn take_export(&mut self) -> Option<Export> {
        self.outgoing.take_export()
    }

    /// Returns once what files are to be looked for, for the list behind an `@`.
    pub(crate) fn take_wanted(&mut self) -> Option<Wanted> {
        let query = self.conversation.take_wanted()?;
        let staged = self.review.list().paths().map(str::to_owned).collect();
        Some(Wanted { query, staged })
    }

    /// Returns true if the terminal is to report what the mouse does: not where the wheel scrolls its scrollback.
    pub fn uses_mouse(&self) -> bool {
        self.outgoing.uses_mouse() && self.fills_screen()
    }

    /// Returns true once after the whole screen is to be drawn again.
    pub fn take_redraw(&mut self) -> bool {
        self.outgoing.take_redraw()
    }

    /// Returns the time as it is told on the screen.
    pub(crate) fn local_time(&self) -> LocalTime {
        LocalTime {
            now: self.now,
            zone: self.zone.clone(),
        }
    }

    /// Says something in the status line, if there is something to say.
    fn say(&mut self, said: Option<impl Into<String>>) {
        if let Some(said) = said {
            self.status.say(said);
        }
    }

    /// Shows everything in the colours of a theme.
    pub(crate) fn set_theme(&mut self, name: ThemeName) {
        self.theme = self.theme.named(name, self.depth);
        self.outgoing.redraw();
    }

    /// Returns what keys are pressed in.
    pub(crate) fn context(&self) -> Context {
        match self.focus.context(self.conversation.composer()) {
            Context::Review if self.review.selects_lines() => Context::Lines,
            context => context,
        }
    }

    /// Returns true while keys that answer do not count yet.
    pub(crate) fn is_deaf(&self) -> bool {
        self.focus.is_deaf(self.conversation.composer())
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

    /// Returns true if a character is text and nothing else.
    pub(crate) fn takes_plain_text(&self) -> bool {
        self.takes_text() && self.context() != Context::Written
    }

    /// Returns whether the session is there, and whether checks run.
    fn waits_for(&self) -> (bool, bool) {
        (self.status.is_ready(), self.review.checks().is_running())
    }

    /// Returns what runs beside the conversation and takes over a second.
    pub(crate) fn background_line(&self) -> Option<String> {
        self.background.line(self.waits_for(), self.now)
    }

    /// Sends the comments as a prompt; none if there are none.
    fn send_comments(&mut self) -> Vec<Command> {
        match self.review.take_comments() {
            Some(message) => {
                // It quotes lines of files.
                self.conversation.note_written_by_model(&message);
                (self.conversation).submit(Queued::Prompt(message), &mut self.status, self.now)
            }
            None => Vec::new(),
        }
    }

    /// Takes over what the user's editor left of the prompt, or why there is nothing.
    pub(crate) fn prompt_edited(&mut self, text: Result<String, String>) {
        self.outgoing.redraw();
        match text {
            Ok(text) => self.conversation.edited(&text),
            Err(why) => self.transcript.remark(notes::info(&why)),
        }
    }

    /// Takes over what the user's editor left of the new text of a hunk, or why there is nothing.
    pub(crate) fn edited(
        &mut self,
        manuscript: &Manuscript,
        text: Result<String, String>,
    ) -> Vec<Command> {
        self.outgoing.redraw();
        let told = match text {
            Ok(text) => match self.review.edited(manuscript, text.clone()) {
                Some(outcome) => return self.follow_up(outcome),
                None => notes::not_edited(&manuscript.path, &text),
            },
            Err(why) => notes::info(&why),
        };
        self.transcript.remark(told);
        Vec::new()
    }

    /// Says what came of opening a file in the user's editor.
    pub(crate) fn opened(&mut self, result: Result<(), String>) {
        self.outgoing.redraw();
        if let Err(why) = result {
            self.transcript.remark(notes::info(&why));
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
}
