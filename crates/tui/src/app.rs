//! App: the state of the interface and its updates.
//!
//! In: [`Msg`]s and the time. Out: [`AppEffect`]s, in order. Nothing here draws, waits or
//! reads a clock; what is on the screen can be rebuilt from the events.
//!
//! The interface's state. `App::update` takes one message and the time and returns effects (`app/effect`), in
//! order. `App::lay_out` takes the size of the screen and decides which rows the next frame shows.
//! `app/keymap/table` is the one table of built-in keys, `app/keymap/user_keys` changes it by the user's
//! configuration, and the help screen and the status line print the effective `KeyMap`. Messages ask it for the
//! name of a key (`KeyMap::name`); the review, which knows no key map, is handed `KeyNames`. `app/slash/table` is
//! the one table of slash commands (`docs/decisions/0049`).
//!
//! Each part owns its state; what it needs of another is handed to it with the call:
//!
//! | part | owns |
//! |---|---|
//! | `transcript` | what was said and done, and where the user is in it |
//! | `transcript/scrollback` (`HandedOver`) | inline, how much of the transcript the terminal's scrollback has |
//! | `composer` | what is typed, earlier prompts, folded pastes and images, and the list above the input |
//! | `file_finder` | files and definitions for `@`: listed and matched on threads of their own |
//! | `app/focus` (`Focus`) | which part has the keys, and what lies over the others: dialogs (`app/dialog`), pages (`app/overlay`), the question for permission, the command palette |
//! | `app/background_page` (`BackgroundPage`) | the agents beside the conversation as last told, or what one of them has said |
//! | `app/palette` (`Palette`) | what is possible where the command palette was opened, and what is typed to find it |
//! | `app/rewind_question` (`RewindQuestion`) | the prompt to go back to, and what the question offers |
//! | `app/review_text` (`ReviewText`) | which text about the review is typed in a dialog, and what becomes of it; its drafts are the review's |
//! | `app/conversation` (`Conversation`) | the composer, its completion, the pickers of models and conversations, prompts that wait, the plan that is proposed, which paths outside of the workspace the user typed |
//! | `app/status` (`Status`) | the state of the conversation as its events tell it, the line that is said until the next key |
//! | `app/status_line` (`StatusLine`) | the status line as it was laid out, and which columns of it do what when they are clicked |
//! | `app/background` (`Background`) | what runs beside the conversation, and since when |
//! | `app/commits` (`CommitLots`) | verdicts on commits of programs that were handed over, in their order among those on files |
//! | `app/attention` (`Attention`) | whether a user who looks elsewhere is called |
//!
//! **Invariant:** only `App` holds these parts. One changes another only where that is handed to it with the call.
//! What a key comes to beyond that goes back to `App` as a `Response`, the one type of what a pane answers, and
//! what leaves the interface leaves it as an `AppEffect`, which `run/effects` carries out (`docs/decisions/0048`).
//!
//! **Invariant:** the review hides the transcript only while it has the keys. A fault or a remark that is made then
//! (`Transcript::remark`) stands above the input until a row of the transcript was on the screen.
//!
//! **Invariant:** `Focus` alone says which part the next key is for. What lies above has it: a dialog, an overlay,
//! a permission prompt, the review, the composer. The review has the keys only while it is on the screen.
//!
//! **Invariant:** nothing here waits, draws or reads a clock. It holds no truth: what is shown can be rebuilt from
//! the events.
//!
//! **Invariant:** text that begins with `/` and a name goes to no model (`app/slash`): it is done, or answered.
//!
//! **Invariant:** a key answers only what the user could have read (`app/type_ahead`). A review or permission
//! prompt takes the keyboard by itself only if nothing was typed for one second. After it opened, after a new
//! proposal in it, after a card came to show anything else (`review/news`), and after a question, keys that answer
//! are dead until a frame showed it and the keyboard was idle for 600 ms since; after rows that no frame had shown
//! before, for 300 ms. A letter that comes too early after something opened goes to the composer, and so do the
//! letters of keys that come at once (`Msg::Burst`), and `/`. A letter that means nothing makes the next ones dead:
//! the user may be in the middle of a word. Keys have the time at which they were read, not at which they are
//! handled.
//!
//! **Invariant:** whichever key an answer has, and taken from the command palette too, it waits for the same
//! pauses; only Esc is never held back. The palette offers no answer to a question that it hides, and carries out
//! an action that decides only on what was there when it opened.
//!
//! **Invariant:** a call runs only after all of what it does was in a frame. Until then `y` and `a` show the rest.

mod attention;
pub(crate) mod background;
pub(crate) mod background_page;
mod background_command;
mod changes;
mod commits;
pub(crate) mod conversation;
pub(crate) mod dialog;
mod effect;
mod events;
pub(crate) mod focus;
pub(crate) mod help;
pub mod keymap;
mod keys;
pub(crate) mod layout;
mod msg;
pub(crate) mod notes;
pub(crate) mod palette;
mod query;
pub(crate) mod overlay;
pub(crate) mod permission_prompt;
mod responses;
pub mod slash;
pub(crate) mod review_text;
mod rewind_question;
pub(crate) mod status;
mod status_line;
mod status_report;
mod type_ahead;

use jiff::tz::TimeZone;
use ratatui::crossterm::event::Event as TerminalEvent;
use signoff_core::id::Timestamp;
use signoff_core::plural::counted;
use signoff_llm::session::Command;

use self::attention::Attention;
use self::background::Background;
pub use self::background_page::{BackgroundAgent, BackgroundNews};
use self::commits::CommitLots;
pub use self::commits::{CommitsAnswer, CommitsNews, CommitsRequest};
use self::conversation::{Conversation, Queued};
pub use self::effect::{AppEffect, Exit, Export};
use self::focus::Focus;
use self::keys::SecondPress;
pub use self::layout::{Areas, FinishedRows, InlineFrame};
pub use self::msg::Msg;
use self::overlay::Overlay;
pub use self::query::{Query, QueryAnswer};
use self::status::Status;
use self::status_line::StatusLine;
use crate::app::keymap::Context;
pub use crate::app::keymap::KeyMap;
pub use crate::composer::pasted_image::PastedImage;
use crate::event_lines;
use crate::file_finder::Wanted;
use crate::response::Manuscript;
use crate::review::Review;
use crate::review::comments::CommentClaim;
use crate::review::history::{History, LocalTime};
pub use crate::review::kept::KeptMarks;
use crate::review::places_page::OpenPlaces;
use crate::theme::{Ground, Role, TerminalColours, Theme, ThemeName};
use crate::transcript::Transcript;
pub use background_command::BackgroundRequest;
pub use signoff_draw::settings::InterfaceSettings;

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
    /// What is known of the terminal's.
    pub terminal_colours: TerminalColours,
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
    /// Those of the theme.
    #[default]
    Themed,
    /// None, as `NO_COLOR` asks; bold, dim and reverse remain.
    None,
}

/// Everything that the screen shows: each part has its own state, and this is what happens between them.
#[derive(Debug)]
pub struct App {
    pub(crate) transcript: Transcript,
    pub(crate) conversation: Conversation,
    pub(crate) review: Review,
    pub(crate) history: History,
    places: OpenPlaces,
    commits: CommitLots,
    pub(crate) status: Status,
    pub(crate) focus: Focus,
    pub(crate) keys: KeyMap,
    pub(crate) workspace: String,
    pub(crate) theme: Theme,
    theme_name: ThemeName,
    terminal_colours: TerminalColours,
    is_inline: bool,
    pub(crate) now: Timestamp,
    zone: TimeZone,
    second_press: SecondPress,
    /// The rule that the newest denial with a reason comes to; empty where there was none.
    rule_draft: String,
    /// The parts of the screen as they were laid out last.
    areas: Option<Areas>,
    pub(crate) status_line: StatusLine,
    /// What the loop is to do once the message that is being taken over is dealt with.
    effects: Vec<AppEffect>,
    /// What is configured, once that was read.
    settings: Option<InterfaceSettings>,
    attention: Attention,
    background: Background,
}

impl App {
    /// Returns the interface as it is first drawn.
    pub fn new(options: Options) -> Self {
        let keys = KeyMap::default();
        let mut app = Self {
            transcript: Transcript::new(options.header.as_deref()),
            conversation: Conversation::new(options.initial_prompt.as_deref(), options.draft),
            review: Review::default(),
            history: History::default(),
            places: OpenPlaces::default(),
            commits: CommitLots::default(),
            status: Status::default(),
            focus: Focus::default(),
            keys: keys.clone(),
            workspace: options.workspace,
            is_inline: options.is_inline,
            theme_name: options.theme,
            terminal_colours: options.terminal_colours,
            theme: match options.colours {
                Colours::Themed => Theme::coloured().named(options.theme, options.terminal_colours),
                Colours::None => Theme::plain(),
            },
            now: Timestamp::default(),
            zone: options.zone.unwrap_or(TimeZone::UTC),
            second_press: SecondPress::default(),
            rule_draft: String::new(),
            areas: None,
            status_line: StatusLine::default(),
            effects: Vec::new(),
            settings: None,
            attention: Attention::default(),
            background: Background::default(),
        };
        app.use_keys(keys);
        app
    }

    fn use_keys(&mut self, keys: KeyMap) {
        self.review.name_keys(keys.review_names());
        self.history.name_keys(keys.review_names());
        let opens = keys.name(Context::Anywhere, "open-outputs");
        self.transcript.name_key(opens);
        self.keys = keys;
    }

    /// Takes over what happened, and returns what the loop is to do about it, in order.
    pub fn update(&mut self, msg: Msg, now: Timestamp) -> Vec<AppEffect> {
        self.now = now;
        self.focus.tick(now);
        self.background.starts(now);
        self.take(msg);
        let next = self.conversation.go_on(&mut self.status, now);
        self.ask_all(next);
        self.ask_for_what_is_shown();
        self.focus
            .take_keyboard(self.conversation.composer(), self.review.list(), now);
        std::mem::take(&mut self.effects)
    }

    fn take(&mut self, msg: Msg) {
        match msg {
            Msg::Terminal(event) => self.on_terminal(event),
            Msg::Burst(keys) => self.on_burst(&keys),
            Msg::PastedImage(image) => self.on_pasted_image(&image),
            Msg::Marks(kept) => {
                let dropped = self.review.restore(kept);
                self.tell(notes::unmarked(&dropped));
            }
            Msg::CommentsClaimed(claim, elsewhere) => self.comments_claimed(claim, elsewhere),
            Msg::Prompts(earlier) => self.conversation.remember(earlier),
            Msg::Found(found) => self.conversation.found(found, &self.history),
            Msg::Session(event) => self.on_event(event),
            Msg::Answered(answer) => answer.show(self),
            Msg::Snippet(colours) => self.transcript.coloured(colours),
            Msg::Ground(ground) => self.set_ground(ground),
            Msg::Header(text) => self.transcript.set_header(text.as_deref()),
            Msg::Configured => self.transcript.keep_header(),
            Msg::Broken(line) => {
                self.transcript
                    .remark(event_lines::marked(Role::Bad, "✗ ", &line))
            }
            Msg::Unstarted(why) => self.effects.push(AppEffect::End(Exit::Unstarted(why))),
            Msg::Terminate(signal) => self.effects.push(AppEffect::End(Exit::Signal(signal))),
            Msg::Stop => self.effects.push(AppEffect::Suspend),
            Msg::Resumed => self.effects.push(AppEffect::Redraw),
            Msg::Background(news) => self.told_of_background(news),
            Msg::Exported(line) => self.answer(&line),
            Msg::PromptEdited(text) => self.prompt_edited(text),
            Msg::HunkEdited(manuscript, text) => self.editor_closed(&manuscript, text),
            Msg::FileOpened(result) => self.file_opened(result),
            Msg::Keys(keys) => self.use_keys(keys),
            Msg::Interface(settings) => {
                self.attention.turn_on(settings.notify);
                self.settings = Some(settings);
            }
            Msg::OfferModels => {
                let query = self.conversation.offer_models();
                self.query(query);
            }
            Msg::Changed => {
                self.query(Query::History);
                self.ask(Command::Review);
            }
            Msg::Tick => {
                self.refresh_background();
                self.review.search_on();
            }
        }
    }

    /// Asks for what is on the screen and not known yet: files behind an `@`, colours, what pages show.
    fn ask_for_what_is_shown(&mut self) {
        if let Some(query) = self.conversation.take_wanted() {
            let staged = self.review.list().paths().map(str::to_owned).collect();
            let wanted = Wanted { query, staged };
            self.effects.push(AppEffect::FindFiles(wanted));
        }
        if self.focus.shows_review() {
            let uncoloured = self.review.wants_colours().cloned();
            self.query_all(uncoloured.map(|file| Query::Colours(Box::new(file))));
        }
        let page = self.focus.overlay_mut().and_then(Overlay::wanted);
        let unplaced = self.places.take_wanted().then_some(Query::Unplaced);
        self.query_all(page.into_iter().chain(unplaced));
    }

    /// Returns what is to be written down for later runs, as far as it changed since the last call. Apart from
    /// [`Self::update`], so that messages which come together write it once: of a large review it is long.
    pub fn kept(&mut self) -> Vec<AppEffect> {
        let marks = self
            .review
            .take_kept()
            .map(Box::new)
            .map(AppEffect::KeepMarks);
        let prompts = Some(self.conversation.take_prompts());
        let prompts = prompts.filter(|prompts| !prompts.is_empty());
        // What was sent is unsent no more, also for whoever ends this process once they see the answer.
        let draft = prompts.as_ref().and_then(|_| self.unsent());
        let kept = marks.into_iter();
        kept.chain(prompts.map(AppEffect::KeepPrompts))
            .chain(draft)
            .collect()
    }

    /// Returns what is typed and not sent, to be written down for a later run, if it changed since the last call. Apart from
    /// [`Self::kept`]: it changes with every key, and a key is on the screen before it is on the disk.
    pub fn unsent(&mut self) -> Option<AppEffect> {
        self.conversation.take_draft().map(AppEffect::KeepDraft)
    }

    /// Has the session told this.
    fn ask(&mut self, command: Command) {
        if let Command::Permit { .. } = command {
            self.transcript.close_questions();
        }
        self.effects.push(AppEffect::Session(command));
    }

    fn ask_all(&mut self, commands: impl IntoIterator<Item = Command>) {
        commands.into_iter().for_each(|command| self.ask(command));
    }

    /// Has this looked up beside the session.
    fn query(&mut self, query: Query) {
        self.effects.push(AppEffect::Query(query));
    }

    fn query_all(&mut self, queries: impl IntoIterator<Item = Query>) {
        let queries = queries.into_iter().map(AppEffect::Query);
        self.effects.extend(queries);
    }

    /// Takes over that the frame that was laid out last is on the screen, and returns what is to be done about what it shows.
    pub fn shown(&mut self, now: Timestamp) -> Vec<AppEffect> {
        self.focus.shown(now);
        let uncoloured = self.transcript.take_uncoloured().into_iter();
        uncoloured.map(AppEffect::FindColours).collect()
    }

    /// Returns when the interface changes by itself, if it does: it wants a [`Msg::Tick`] then.
    pub fn wakes_at(&self) -> Option<Timestamp> {
        if self.review.is_searching() {
            return Some(Timestamp(0));
        }
        (self.focus).wakes_at(self.conversation.composer(), self.review.list())
    }

    fn on_terminal(&mut self, event: TerminalEvent) {
        match event {
            TerminalEvent::Key(key) => self.on_key(key),
            TerminalEvent::Paste(text) => self.on_paste(&text),
            // Every frame asks for the size of its screen.
            TerminalEvent::Resize(..) => {}
            TerminalEvent::FocusGained => self.attention.look_elsewhere(false),
            TerminalEvent::FocusLost => self.attention.look_elsewhere(true),
            TerminalEvent::Mouse(event) => self.on_mouse(event),
        }
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

    /// Returns true if the terminal is to report what the mouse does: not where the wheel scrolls its scrollback.
    pub fn uses_mouse(&self) -> bool {
        self.settings.is_some_and(|settings| settings.mouse) && self.fills_screen()
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
        self.theme_name = name;
        self.theme = self.theme.named(name, self.terminal_colours);
        self.effects.push(AppEffect::Redraw);
    }

    /// Returns false where the user wants none.
    pub(crate) fn has_colours(&self) -> bool {
        self.theme.has_colours()
    }

    /// Takes over what is behind the terminal's text.
    fn set_ground(&mut self, ground: Ground) {
        self.terminal_colours.ground = Some(ground);
        self.theme = self.theme.named(self.theme_name, self.terminal_colours);
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
                | Context::Remark
                | Context::Search
                | Context::Comment
                | Context::NewText
                | Context::Palette
        )
    }

    /// Returns where a character is a key; none where it is text and nothing else.
    pub(crate) fn key_context(&self) -> Option<Context> {
        let context = self.context();
        (!self.takes_text() || context == Context::Written).then_some(context)
    }

    /// Returns whether the session is there, and whether checks run.
    fn waits_for(&self) -> (bool, bool) {
        (self.status.is_ready(), self.review.checks().is_running())
    }

    /// Returns what runs beside the conversation and takes over a second.
    pub(crate) fn background_line(&self) -> Option<String> {
        self.background.line(self.waits_for(), self.now)
    }

    /// Sends the comments as a prompt, if there are any that no other process sent.
    fn send_comments(&mut self) {
        let claim = self.review.take_comments();
        self.effects.extend(claim.map(AppEffect::ClaimComments));
    }

    /// Takes over which comments are this process's to send, and how many another sent.
    fn comments_claimed(&mut self, claim: CommentClaim, elsewhere: usize) {
        if elsewhere > 0 {
            let comments = counted(elsewhere, "comment");
            self.tell(event_lines::info(&format!(
                "Not sent: {comments} that another session of this workspace sent or removed."
            )));
        }
        if let Some(message) = claim.message() {
            // It quotes lines of files.
            self.conversation.note_written_by_model(&message);
            let prompt = Queued::Prompt(message);
            let commands = (self.conversation).submit(prompt, &mut self.status, self.now);
            self.ask_all(commands);
        }
    }

    /// Takes over what the user's editor left of the prompt, or why there is nothing.
    fn prompt_edited(&mut self, text: Result<String, String>) {
        match text {
            Ok(text) => self.conversation.edited(&text),
            Err(why) => self.transcript.remark(event_lines::info(&why)),
        }
    }

    /// Takes over what the user's editor left of the new text of a hunk. One that was left without a change is no verdict.
    fn editor_closed(&mut self, manuscript: &Manuscript, text: Result<String, String>) {
        if text.as_ref().is_ok_and(|text| *text == manuscript.text) {
            self.status
                .say("Nothing was changed in the editor: the hunk stays as it was marked");
        } else {
            self.hunk_edited(manuscript, text);
        }
    }

    /// Takes over what the user made of the new text of a hunk, or why there is nothing.
    fn hunk_edited(&mut self, manuscript: &Manuscript, text: Result<String, String>) {
        let remark = match text {
            Ok(text) => match self.review.edited(manuscript, text.clone()) {
                Some(response) => return self.respond(response),
                None => notes::not_edited(&manuscript.path, &text),
            },
            Err(why) => return self.editor_failed(why),
        };
        self.transcript.remark(remark);
    }

    /// Says what came of opening a file in the user's editor.
    fn file_opened(&mut self, result: Result<(), String>) {
        if let Err(why) = result {
            self.editor_failed(why);
        }
    }

    /// Says why the editor did nothing, until the next key; the transcript keeps it.
    fn editor_failed(&mut self, why: String) {
        self.transcript.lines(event_lines::info(&why));
        self.status.say(why);
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
