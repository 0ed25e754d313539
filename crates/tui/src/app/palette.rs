//! Command palette: every action that is possible where it was opened, and every slash command.
//!
//! In: the key map, the context in which it was opened, and what is typed. Out: the action or command that is taken, to be
//! carried out in that context.
//!
//! Example: in the review, Ctrl-P and `same` leave "approve all hunks that make the same rewrite" with its key `s`; Enter does
//! what `s` does.
//!
//! An entry that decides is guarded as its key is: the list has to be on the screen for as long as any question, and what
//! it is about must be what it was when the list opened.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use signoff_core::id::HunkId;

use super::conversation::Picker;
use super::slash::{self, ArgumentChoices, CommandUsage, SlashCommand};
use crate::app::keymap::{Binding, Context, KeyMap, KeyMark};
use crate::composer::menu::{Choice, Menu, MenuKind};
use crate::composer::{Composer, Edit};

/// What an entry does.
#[derive(Clone, Debug)]
pub(super) enum PaletteDeed {
    /// What a key of the context does.
    Press(&'static Binding),
    /// A whole slash command.
    Slash { line: String, decides: bool },
    /// The list that a command without a name opens.
    Pick(Picker),
    /// A command that needs a name, or is only carried out when it is sent: it is put into the prompt.
    Begin(String),
}

impl PaletteDeed {
    /// Tells whether this decides on something, or leads to what does.
    pub(super) fn decides(&self) -> bool {
        match self {
            Self::Press(binding) => binding.answers(),
            Self::Slash { decides, .. } => *decides,
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
    name: String,
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
    pub(super) fn new(
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

    /// Returns where it was opened.
    pub(super) fn context(&self) -> Context {
        self.context
    }

    /// Returns true if what lies below, with this hunk selected, is what it was when the palette was opened.
    pub(super) fn is_about(&self, hunk: Option<HunkId>) -> bool {
        !self.is_outdated && self.hunk == hunk
    }

    /// Returns what the selected entry does.
    pub(super) fn selected(&self) -> Option<&PaletteDeed> {
        let at = *self.found.get(self.menu.selected_at()?)?;
        self.entries.get(at).map(|entry| &entry.deed)
    }

    /// Edits what is typed.
    pub(super) fn edit(&mut self, edit: Edit) {
        self.line.edit(edit);
        self.search();
    }

    /// Puts pasted text in, on one line.
    pub(super) fn paste(&mut self, text: &str) {
        self.line.paste(&text.replace(['\n', '\r'], " "));
        self.search();
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
        let binding = line.binding;
        // The same action may be one of several contexts.
        let is_known = out.iter().any(|entry| entry.name == binding.id);
        if is_known || !is_offered(context, binding, hides_question) {
            continue;
        }
        let does = binding.does.to_owned();
        out.push(PaletteEntry {
            name: binding.id.to_owned(),
            text: format!("{} {does}", binding.id),
            how: keys.first_key_in(context, line).unwrap_or_default(),
            does,
            deed: PaletteDeed::Press(binding),
        });
    }
    if context.takes_commands() {
        let usages = slash::commands().flat_map(SlashCommand::usages);
        out.extend(usages.map(of_command));
    }
    out
}

fn of_command(usage: CommandUsage) -> PaletteEntry {
    let command = usage.command;
    let begun = usage.begun(command.name());
    let deed = match command.choices {
        ArgumentChoices::Pick(picker) if usage.wants_name() => PaletteDeed::Pick(picker),
        _ if usage.wants_name() || usage.decides_on_more() => PaletteDeed::Begin(begun),
        _ => PaletteDeed::Slash {
            line: begun,
            decides: command.decides,
        },
    };
    let line = usage.line(command.name());
    PaletteEntry {
        deed,
        does: usage.help.to_owned(),
        text: format!("{line} {}", usage.help),
        name: line.clone(),
        how: line,
    }
}

/// Tells whether a key is a line of the palette: it changes no text and moves in no list, what it decides on stays in sight
/// while the palette is open, and it is not left to a key of its own, as writing is.
fn is_offered(context: Context, binding: &Binding, hides_question: bool) -> bool {
    let is_text = binding.is(KeyMark::Edits) || binding.is(KeyMark::Unlisted);
    let composes = matches!(context, Context::Composer | Context::EmptyComposer);
    // What is sent elsewhere is another text.
    let sends_other = binding.id == "send" && !composes;
    let is_answer = binding.answers() || binding.is(KeyMark::Refuses);
    !(is_text || sends_other || hides_question && is_answer)
}
