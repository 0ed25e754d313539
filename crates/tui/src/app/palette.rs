//! Command palette: every action that is possible where it was opened, and every slash command.
//!
//! In: the key map, the context in which it was opened, and what is typed. Out: the action or command that is taken, to be
//! carried out in that context.
//!
//! Example: in the review, Ctrl-P and `same` leave "approve all that make the same rewrite" with its key `s`; Enter does
//! what `s` does.
//!
//! An entry that decides is guarded as its key is: the list has to be on the screen for as long as any question, and what
//! it is about must be what it was when the list opened.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::crossterm::event::KeyEvent;
use signoff_core::id::HunkId;
use signoff_llm::session::Command;

use super::App;
use super::picker::Picker;
use super::slash::{self, Extent, Slash, Typed};
use super::type_ahead::Cause;
use crate::composer::menu::{Choice, Menu, MenuKey, MenuKind};
use crate::composer::{Composer, Edit};
use crate::keymap::{self, Action, Context, KeyMap, PermissionKey};

/// What an entry does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PaletteDeed {
    /// What a key of the context does.
    Act(Action),
    /// A whole slash command.
    Slash(Slash),
    /// The list that a command without a name opens.
    Pick(Picker),
    /// A command that needs a name, or is only carried out when it is sent: it is put into the prompt.
    Begin(String),
}

impl PaletteDeed {
    /// Tells whether this decides on something, or leads to what does.
    fn decides(&self) -> bool {
        match self {
            Self::Act(action) => action.answers(),
            Self::Slash(command) => command.decides(),
            Self::Pick(_) | Self::Begin(_) => false,
        }
    }
}

/// A line of the palette.
#[derive(Clone, Debug)]
struct PaletteEntry {
    deed: PaletteDeed,
    /// What it does, in words.
    does: String,
    /// Its key, or the command.
    how: String,
    /// Its name in the configuration, or the command.
    name: &'static str,
    /// What is searched: name and words.
    text: String,
}

/// The entries, and what is typed to find one.
#[derive(Debug)]
pub(crate) struct Palette {
    /// Where it was opened.
    context: Context,
    /// The hunk that was selected then.
    hunk: Option<HunkId>,
    /// True once what lies below shows something else than when the list opened.
    is_outdated: bool,
    entries: Vec<PaletteEntry>,
    /// The entries that match, best first.
    found: Vec<usize>,
    line: Composer,
    menu: Menu,
}

impl Palette {
    /// Returns the palette of a context; `hides_question` says that it lies over a question that keys answer.
    fn new(
        keys: &KeyMap,
        (context, hides_question): (Context, bool),
        hunk: Option<HunkId>,
    ) -> Self {
        let mut palette = Self {
            context,
            hunk,
            is_outdated: false,
            entries: entries(keys, context, hides_question),
            found: Vec::new(),
            line: Composer::default(),
            menu: Menu::new(MenuKind::Palette, 0..0, Vec::new()),
        };
        palette.search();
        palette
    }

    /// Returns what is typed.
    pub(crate) fn line(&self) -> &Composer {
        &self.line
    }

    /// Returns the same, to be laid out.
    pub(super) fn line_mut(&mut self) -> &mut Composer {
        &mut self.line
    }

    /// Returns the list of what matches.
    pub(crate) fn menu(&self) -> &Menu {
        &self.menu
    }

    /// Returns the same, to be laid out.
    pub(super) fn menu_mut(&mut self) -> &mut Menu {
        &mut self.menu
    }

    /// Takes over that what lies below shows something else.
    pub(super) fn outdate(&mut self) {
        self.is_outdated = true;
    }

    /// Returns what is selected.
    fn selected(&self) -> Option<&PaletteEntry> {
        self.entries.get(*self.found.get(self.menu.selected_at()?)?)
    }

    /// Lists what matches what is typed, best first; all in their order where nothing is typed.
    fn search(&mut self) {
        let typed = self.line.text();
        let pattern = Pattern::new(
            typed.trim(),
            CaseMatching::Ignore,
            Normalization::Smart,
            AtomKind::Fuzzy,
        );
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let scored = self.entries.iter().enumerate().filter_map(|(at, entry)| {
            let text = Utf32Str::new(&entry.text, &mut buffer);
            let score = pattern.score(text, &mut matcher)?;
            // A name that is typed whole is meant.
            let is_named = entry.name.eq_ignore_ascii_case(typed.trim());
            Some((Reverse((is_named, score)), at))
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_unstable();
        self.found = scored.into_iter().map(|(_, at)| at).collect();
        let found = self.found.iter().filter_map(|at| self.entries.get(*at));
        let choices = found.map(|entry| Choice {
            text: String::new(),
            name: entry.does.clone(),
            help: entry.how.clone(),
        });
        self.menu = Menu::new(MenuKind::Palette, 0..0, choices.collect());
    }
}

/// Returns everything that can be done in a context: its own actions first, then those of everywhere, then commands.
fn entries(keys: &KeyMap, context: Context, hides_question: bool) -> Vec<PaletteEntry> {
    let mut out: Vec<PaletteEntry> = Vec::new();
    for line in keys.reached_in(context) {
        let deed = PaletteDeed::Act(line.binding.action);
        let is_known = out.iter().any(|entry| entry.deed == deed);
        if is_known || !is_offered(context, line.binding.action, hides_question) {
            continue;
        }
        let does = line.binding.does.to_owned();
        out.push(PaletteEntry {
            name: line.binding.id,
            text: format!("{} {does}", line.binding.id),
            how: keys.first_key_in(context, line).unwrap_or_default(),
            does,
            deed,
        });
    }
    if takes_commands(context) {
        out.extend(slash::COMMANDS.iter().filter_map(of_command));
    }
    out
}

fn of_command((usage, does): &(&'static str, &str)) -> Option<PaletteEntry> {
    let first = usage.split(", ").next().unwrap_or(usage);
    let name = first
        .strip_prefix('/')
        .filter(|name| !name.starts_with('/'))?;
    let deed = match name.split_once(' ') {
        Some((word, argument)) if argument.chars().all(char::is_uppercase) => {
            match Picker::of(word) {
                Some(picker) => PaletteDeed::Pick(picker),
                None => PaletteDeed::Begin(format!("/{word} ")),
            }
        }
        _ => match slash::read(first) {
            // It approves what was never displayed: that is for a prompt that the user sends.
            Typed::Slash(Slash::Approve(Extent::All)) => PaletteDeed::Begin(first.to_owned()),
            Typed::Slash(command) => PaletteDeed::Slash(command),
            Typed::Nothing | Typed::Prompt(_) | Typed::Run(_) | Typed::Answer(_) => {
                debug_assert!(false, "{first} is no command");
                return None;
            }
        },
    };
    Some(PaletteEntry {
        deed,
        does: (*does).to_owned(),
        how: first.to_owned(),
        name: first,
        text: format!("{first} {does}"),
    })
}

/// Tells whether an action is a line of the palette: it changes no text and moves in no list, what it decides on stays in
/// sight while the palette is open, and it is not left to a key of its own, as writing is.
fn is_offered(context: Context, action: Action, hides_question: bool) -> bool {
    match action {
        Action::Edit(_)
        | Action::Menu(_)
        | Action::OpenPalette
        | Action::Interrupt
        | Action::Write(_) => false,
        Action::Send => matches!(context, Context::Composer | Context::EmptyComposer),
        Action::Permission(PermissionKey::Next | PermissionKey::Previous) | Action::Whole => true,
        action => !(hides_question && (action.answers() || action == Action::No)),
    }
}

/// Tells whether slash commands can be given: not while another text is typed, or a question is to be answered.
fn takes_commands(context: Context) -> bool {
    match context {
        Context::Anywhere
        | Context::EmptyComposer
        | Context::Composer
        | Context::Menu
        | Context::Review
        | Context::Lines
        | Context::History
        | Context::Diff
        | Context::Places
        | Context::SignOff
        | Context::Written
        | Context::Permission
        | Context::Help
        | Context::Transcript => true,
        Context::Palette
        | Context::Reason
        | Context::Question
        | Context::Comment
        | Context::NewText
        | Context::Search
        | Context::Confirm => false,
    }
}

impl App {
    /// Opens the list of what can be done here.
    pub(super) fn open_palette(&mut self) {
        let context = self.context();
        let hides_question = self.asks_permission() || self.question().is_some();
        let place = (context, hides_question);
        let palette = Palette::new(&self.keys, place, self.selected_hunk());
        self.focus.open_palette(palette);
    }

    /// Takes a key while the palette is open; nothing if it is not, or the key is one of everywhere.
    pub(super) fn palette_key(&mut self, key: KeyEvent) -> Option<Vec<Command>> {
        self.focus.palette()?;
        let action = self.keys.action(Context::Palette, key);
        if let Some(Action::Redraw | Action::Suspend) = action {
            return None;
        }
        // The pause before an answer is about this key as well.
        self.focus.key(&self.composer, self.now);
        let edit = match (action, self.keys.own(Context::Composer, key)) {
            (Some(Action::Menu(key)), _) => return Some(self.palette_menu_key(key)),
            (Some(Action::Interrupt), _) => {
                self.focus.close_palette();
                return Some(Vec::new());
            }
            (_, Some(Action::Edit(edit))) if !matches!(edit, Edit::Newline | Edit::Insert(_)) => {
                Some(edit)
            }
            _ => keymap::typed(key).map(Edit::Insert),
        };
        if let (Some(edit), Some(palette)) = (edit, self.focus.palette_mut()) {
            palette.line.edit(edit);
            self.search_palette();
        }
        Some(Vec::new())
    }

    /// Takes over a paste; false if the palette is not open.
    pub(super) fn palette_paste(&mut self, text: &str) -> bool {
        let Some(palette) = self.focus.palette_mut() else {
            return false;
        };
        palette.line.paste(&text.replace(['\n', '\r'], " "));
        self.search_palette();
        true
    }

    fn search_palette(&mut self) {
        if let Some(palette) = self.focus.palette_mut() {
            palette.search();
        }
        // What is selected now was not on the screen before.
        self.focus.guard(Cause::Rows);
    }

    fn palette_menu_key(&mut self, key: MenuKey) -> Vec<Command> {
        let Some(palette) = self.focus.palette_mut() else {
            return Vec::new();
        };
        match key {
            MenuKey::Next => palette.menu.next(),
            MenuKey::Previous => palette.menu.previous(),
            MenuKey::Close => self.focus.close_palette(),
            MenuKey::Take | MenuKey::Complete => return self.take_from_palette(),
        }
        Vec::new()
    }

    /// Carries out what is selected, in the context in which the palette was opened.
    fn take_from_palette(&mut self) -> Vec<Command> {
        let Some(palette) = self.focus.palette() else {
            return Vec::new();
        };
        let Some(deed) = palette.selected().map(|entry| entry.deed.clone()) else {
            self.status.say("No action matches");
            return Vec::new();
        };
        let context = palette.context;
        let is_same = !palette.is_outdated && palette.hunk == self.selected_hunk();
        if deed.decides() {
            if let Some(cause) = self.focus.waits_for() {
                self.say_too_early(cause);
                return Vec::new();
            }
            if !is_same || !self.focus.is_drawn(context, &self.review) {
                self.focus.close_palette();
                self.status
                    .say("What it is about changed meanwhile: look, then choose again");
                return Vec::new();
            }
        }
        self.focus.close_palette();
        if self.context() != context {
            self.status
                .say("Another part of the screen was opened meanwhile: nothing was done");
            return Vec::new();
        }
        match deed {
            PaletteDeed::Act(action) => {
                self.review.key_pressed();
                let commands = self.act(action);
                if self.context() == Context::SignOff && context != Context::SignOff {
                    // The next Enter may have been meant for the palette.
                    self.focus.guard(Cause::Opened);
                }
                commands
            }
            PaletteDeed::Slash(command) => self.slash(command),
            PaletteDeed::Pick(picker) => {
                self.go_to_composer();
                self.open_picker(picker)
            }
            PaletteDeed::Begin(text) => {
                self.go_to_composer();
                let draft = self.composer.text().into_owned();
                if !draft.trim().is_empty() {
                    self.composer.note(&draft);
                    self.status.say("What was typed is an earlier prompt now");
                }
                self.composer.set(&text);
                self.complete();
                Vec::new()
            }
        }
    }

    /// Gives the keys to the composer, whatever lies over it.
    fn go_to_composer(&mut self) {
        self.focus.close_overlay();
        self.focus.type_instead();
    }

    fn selected_hunk(&self) -> Option<HunkId> {
        self.review.list().selected_hunk().map(|hunk| hunk.id)
    }
}
