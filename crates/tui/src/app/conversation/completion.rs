//! Completion: the list above the input, from what stands at the cursor.
//!
//! In: the text, files that were found, what the session listed. Out: choices, and what they put into the input.

use signoff_llm::foreign::ServersReport;
use signoff_llm::mention;
use signoff_llm::session::{Command, NamedSkill, PromptRef};

use super::{Conversation, Picker};
use crate::app::slash::{self, ArgumentChoices, SlashCommand};
use crate::composer::menu::{Choice, Menu, MenuKind};
use crate::file_finder::Found;
use crate::review::history::History;

/// What is known of what can be completed.
#[derive(Debug, Default)]
pub(super) struct Completion {
    /// What files are to be looked for by; taken once.
    wanted: Option<String>,
    /// What was looked for last behind the `@` that the cursor is in.
    query: Option<String>,
    /// True if the choice was asked for before it was known what it is.
    takes_next: bool,
    /// Where the part of the text begins for which the list was closed.
    dismissed: Option<usize>,
    /// The conversations as they were listed last.
    sessions: Vec<Choice>,
    /// True if the next list of models is offered to a user who named none.
    pub(super) offers_models: bool,
    /// The models as they were listed last, and the one in use then.
    models: (Vec<Choice>, String),
    /// The files that the model was given.
    attached: Vec<String>,
    /// What can be called for beside the commands.
    skills: Vec<NamedSkill>,
    /// The prompts and resources of servers that run.
    prompts: Vec<NamedSkill>,
    resources: Vec<Choice>,
}

/// What can be completed at the cursor.
#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    /// The name of a command, so far.
    Command(&'t str),
    /// What comes after the name of a command, and where it begins.
    Argument(&'t str, &'t str, usize),
}

/// Returns what of a command the text up to the cursor ends in.
fn part(head: &str) -> Option<Part<'_>> {
    let line = head.strip_prefix('/').filter(|line| !line.contains('\n'))?;
    Some(match line.split_once(' ') {
        None => Part::Command(line),
        Some((name, rest)) => Part::Argument(name, rest, name.len() + 2),
    })
}

impl Completion {
    /// Returns what can be called for beside the commands.
    pub(super) fn skills(&self) -> &[NamedSkill] {
        &self.skills
    }

    /// Takes over which conversations there are.
    pub(super) fn know_sessions(&mut self, sessions: Vec<Choice>) {
        self.sessions = sessions;
    }

    /// Takes over which models there are, and which is in use.
    pub(super) fn know_models(&mut self, models: Vec<Choice>, in_use: &str) {
        self.models = (models, in_use.to_owned());
    }

    /// Returns the model that was in use when they were listed last.
    fn model_in_use(&self) -> &str {
        &self.models.1
    }
}

impl Conversation {
    /// Returns once by what files are to be looked for.
    pub(in crate::app) fn take_wanted(&mut self) -> Option<String> {
        self.completion.wanted.take()
    }

    /// Takes over what can be called for beside the commands.
    pub(in crate::app) fn know_skills(&mut self, skills: Vec<NamedSkill>, history: &History) {
        self.completion.skills = skills;
        // A name may have been begun before.
        if self.composer.text().starts_with('/') {
            self.complete(history);
        }
    }

    /// Takes over what can be named of servers.
    pub(in crate::app) fn know_servers(&mut self, report: ServersReport) {
        let prompt = |(name, description)| NamedSkill { name, description };
        self.completion.prompts = report.prompts.into_iter().map(prompt).collect();
        let resource = |(address, help): (String, String)| Choice {
            text: mention::of(&address),
            name: address,
            help,
        };
        self.completion.resources = report.resources.into_iter().map(resource).collect();
    }

    /// Takes over which files the model was given.
    pub(in crate::app) fn know_attached(&mut self, files: &[(String, usize)]) {
        for (path, _) in files {
            if !self.completion.attached.contains(path) {
                self.completion.attached.push(path.clone());
            }
        }
    }

    /// Shows the files that were found, if they are still looked for.
    pub(in crate::app) fn found(&mut self, found: Found, history: &History) {
        if self.completion.query.as_ref() != Some(&found.query) {
            return;
        }
        let (head, tail) = self.composer.around_cursor();
        let Some(span) = mention::at(&[head, tail].concat(), head.len()) else {
            return;
        };
        let choices = found.choices.into_iter().map(|it| Choice {
            text: it.mention,
            name: it.name,
            help: it.about,
        });
        let typed = found.query.to_lowercase();
        let resources = self.completion.resources.iter();
        let resources = resources.filter(|it| it.name.to_lowercase().starts_with(&typed));
        let all = resources.cloned().chain(choices).collect();
        let mut menu = Menu::new(MenuKind::Mentions, span, all);
        if let Some(shown) = self.composer.menu() {
            menu.select_as(shown);
        }
        self.composer.offer((!menu.is_empty()).then_some(menu));
        if std::mem::take(&mut self.completion.takes_next) {
            let choice = self.composer.menu().and_then(Menu::selected).cloned();
            self.put_in(choice, history);
        }
    }

    /// Opens, changes or closes the list above the input after the text changed.
    pub(super) fn complete(&mut self, history: &History) {
        self.completion.takes_next = false;
        if self.composer.is_searching() {
            self.composer.search_again();
            return;
        }
        let (head, tail) = self.composer.around_cursor();
        let end = tail.find(char::is_whitespace).unwrap_or(tail.len());
        let end = head.len() + end;
        let (start, menu) = match part(head) {
            Some(Part::Command(typed)) => {
                let mut choices = commands(typed);
                choices.extend(skills(typed, &self.completion.skills));
                choices.extend(skills(typed, &self.completion.prompts));
                (0, Some(Menu::new(MenuKind::Commands, 0..end, choices)))
            }
            // What stands behind the name of a skill or of a server's prompt is text.
            Some(Part::Argument(name, ..)) if SlashCommand::named(name).is_none() => (0, None),
            Some(Part::Argument(name, typed, start)) => {
                let choices = self.arguments(name, typed, history);
                let mut menu = Menu::new(MenuKind::Arguments, start..end, choices);
                if matches!(choices_of(name), ArgumentChoices::Pick(_)) {
                    let in_use = self.completion.model_in_use();
                    menu.preselect(if typed.is_empty() { in_use } else { "" });
                }
                (start, Some(menu))
            }
            None => (0, None),
        };
        if menu.is_some() {
            self.completion.query = None;
            let is_open = self.is_wanted(start);
            let menu = menu.filter(|menu| is_open && !menu.is_empty());
            self.composer.offer(menu);
            return;
        }
        self.look_for_files();
    }

    /// Has files looked for that are like the word behind the `@` at the cursor.
    fn look_for_files(&mut self) {
        let (head, tail) = self.composer.around_cursor();
        let text = [head, tail].concat();
        let Some(span) = mention::at(&text, head.len()) else {
            self.completion.query = None;
            self.completion.dismissed = None;
            self.composer.offer(None);
            return;
        };
        let query = text.get(span.start + 1..head.len()).unwrap_or_default();
        if !self.is_wanted(span.start) {
            self.completion.query = None;
            return;
        }
        self.completion.query = Some(query.to_owned());
        self.completion.wanted = Some(query.to_owned());
    }

    /// Returns whether the list for what begins there was not closed by the user.
    fn is_wanted(&mut self, start: usize) -> bool {
        if self.completion.dismissed != Some(start) {
            self.completion.dismissed = None;
        }
        self.completion.dismissed.is_none()
    }

    /// Returns what a command takes, as far as it is known.
    fn arguments(&self, name: &str, typed: &str, history: &History) -> Vec<Choice> {
        let plain = |text: &str, help: &str| Choice {
            text: text.to_owned(),
            name: text.to_owned(),
            help: help.to_owned(),
        };
        let typed = typed.to_lowercase();
        let all = match choices_of(name) {
            ArgumentChoices::None => Vec::new(),
            ArgumentChoices::Words(words) => {
                let words = words().into_iter();
                words.map(|(word, help)| plain(word, help)).collect()
            }
            ArgumentChoices::Pick(Picker::Sessions) => self.completion.sessions.clone(),
            ArgumentChoices::Pick(Picker::Models) => self.completion.models.0.clone(),
            ArgumentChoices::Attached => (self.completion.attached.iter())
                .map(|path| plain(path, ""))
                .collect(),
            ArgumentChoices::Written => (history.paths().into_iter())
                .map(|path| plain(path, ""))
                .collect(),
        };
        let has = |choice: &Choice| {
            let text = [choice.name.as_str(), &choice.help].join(" ");
            text.to_lowercase().contains(&typed)
        };
        let mut found: Vec<Choice> = all.into_iter().filter(|choice| has(choice)).collect();
        // A number or a name that is typed whole is meant before one that merely has it in it.
        found.sort_by_key(|choice| !choice.is_called(&typed));
        found
    }

    /// Lists the prompts of the conversation, newest first, to go back to one; returns what there is to say.
    pub(in crate::app) fn offer_prompts(&mut self, prompts: Vec<String>) -> Option<&'static str> {
        if !self.composer.is_empty() || self.composer.is_searching() {
            return None;
        }
        if prompts.is_empty() {
            return Some("Nothing was asked in this conversation");
        }
        let choices = prompts.into_iter().rev().map(Choice::of_prompt).collect();
        self.composer
            .offer(Some(Menu::new(MenuKind::Rewind, 0..0, choices)));
        None
    }

    /// Closes the list above the input.
    pub(in crate::app) fn close_menu(&mut self) {
        self.composer.offer(None);
    }

    /// Ends the search of earlier prompts, and gives back what was typed before; false if there is none.
    pub(in crate::app) fn end_search(&mut self) -> bool {
        self.composer.end_search()
    }

    /// Begins to search earlier prompts, or goes on to the next one.
    pub(in crate::app) fn search_prompts(&mut self) {
        match self.composer.menu_mut() {
            Some(menu) if menu.kind == MenuKind::Prompts => menu.next(),
            _ => self.composer.begin_search(),
        }
    }

    /// Moves in the list above the input.
    pub(in crate::app) fn move_in_menu(&mut self, go: impl FnOnce(&mut Menu)) {
        if let Some(menu) = self.composer.menu_mut() {
            go(menu);
        }
    }

    /// Closes the list above the input, and keeps it closed for what stands there.
    pub(in crate::app) fn dismiss_menu(&mut self) {
        let Some(menu) = self.composer.menu() else {
            return;
        };
        self.completion.dismissed = Some(menu.span.start);
        if !self.composer.end_search() {
            self.composer.offer(None);
        }
        self.close_picker();
    }

    /// Waits for the list of what is typed by now, if what is shown is of something else.
    fn awaits_list(&mut self) -> bool {
        let is_stale = self.composer.menu().is_some_and(Menu::is_stale);
        self.completion.takes_next |= is_stale;
        is_stale
    }

    /// Puts the choice into the input.
    pub(in crate::app) fn complete_choice(&mut self, history: &History) {
        if !self.awaits_list() {
            let choice = self.composer.menu().and_then(Menu::first_or_selected);
            self.put_in(choice.cloned(), history);
        }
    }

    /// Takes the choice among models or earlier prompts, if these are listed. Returns what the session is told.
    pub(in crate::app) fn take_listed(&mut self) -> Option<Command> {
        if self.awaits_list() {
            return None;
        }
        let menu = self.composer.menu()?;
        let choice = menu.selected().cloned();
        match menu.kind {
            MenuKind::Rewind => {
                let place = menu.behind_selected().unwrap_or_default();
                self.composer.offer(None);
                let text = choice?.text;
                Some(Command::RewindScope(PromptRef { place, text }))
            }
            MenuKind::Models => {
                self.composer.offer(None);
                Some(Command::UseModel(choice?.text))
            }
            MenuKind::Commands
            | MenuKind::Arguments
            | MenuKind::Mentions
            | MenuKind::Prompts
            | MenuKind::Palette => None,
        }
    }

    /// Takes the choice. Returns true if what is typed is a whole command then, to be sent.
    pub(in crate::app) fn take_choice(&mut self, history: &History) -> bool {
        if self.awaits_list() {
            return false;
        }
        let Some(menu) = self.composer.menu() else {
            return false;
        };
        let (kind, choice) = (menu.kind, menu.selected().cloned());
        let text = self.composer.text();
        let typed = text.get(menu.span.clone()).unwrap_or_default();
        let is_there = choice
            .as_ref()
            .is_some_and(|it| it.text.trim_end() == typed);
        let is_whole = match kind {
            MenuKind::Commands => is_there || command_of(typed).is_some(),
            MenuKind::Arguments => choice.is_none(),
            MenuKind::Mentions => is_there,
            MenuKind::Prompts | MenuKind::Rewind | MenuKind::Models | MenuKind::Palette => false,
        };
        if is_whole {
            return true;
        }
        let carries_out = match (kind, &choice) {
            (MenuKind::Commands, Some(choice)) => {
                command_of(&choice.text).is_some_and(SlashCommand::is_alone)
            }
            (MenuKind::Arguments, Some(_)) => true,
            _ => false,
        };
        self.put_in(choice, history);
        carries_out
    }

    fn put_in(&mut self, choice: Option<Choice>, history: &History) {
        let (Some(menu), Some(choice)) = (self.composer.menu(), choice) else {
            return;
        };
        match menu.kind {
            MenuKind::Prompts | MenuKind::Rewind => {
                self.composer.set(&choice.text);
                return;
            }
            MenuKind::Models => {
                self.composer
                    .set(&[Picker::Models.stem(), &choice.text].concat());
                return;
            }
            MenuKind::Mentions => {
                let (head, tail) = self.composer.around_cursor();
                let behind = [head, tail].concat();
                let behind = behind.get(menu.span.end..).unwrap_or_default();
                let gap = if behind.starts_with(char::is_whitespace) {
                    ""
                } else {
                    " "
                };
                let text = choice.text + gap;
                self.composer.complete(&text);
            }
            MenuKind::Commands | MenuKind::Arguments => self.composer.complete(&choice.text),
            MenuKind::Palette => debug_assert!(false, "the palette has a list of its own"),
        }
        self.completion.query = None;
        if self.composer.around_cursor().0.ends_with(' ') {
            self.complete(history);
        }
    }
}

/// Returns the command that a text names, with its slash.
fn command_of(text: &str) -> Option<&'static SlashCommand> {
    SlashCommand::named(text.strip_prefix('/')?)
}

/// Returns what is offered after the name of a command.
fn choices_of(name: &str) -> ArgumentChoices {
    SlashCommand::named(name).map_or(ArgumentChoices::None, |command| command.choices)
}

/// Returns the commands whose names begin with what is typed, or else have it in them.
fn commands(typed: &str) -> Vec<Choice> {
    let typed = typed.to_lowercase();
    let first = commands_that(|name| name.starts_with(&typed));
    if first.is_empty() && typed.len() > 1 {
        return commands_that(|name| name.contains(&typed));
    }
    first
}

fn commands_that(is_meant: impl Fn(&str) -> bool) -> Vec<Choice> {
    let usages = slash::commands().flat_map(SlashCommand::usages);
    let named = usages.filter_map(|usage| {
        let name = usage.command.names.iter().find(|name| is_meant(name))?;
        Some(Choice {
            text: usage.begun(name),
            name: usage.shown(),
            help: usage.help.to_owned(),
        })
    });
    let (name, help) = slash::SENDS_TEXT;
    let sends_text = is_meant("/").then(|| Choice {
        text: "//".to_owned(),
        name: name.to_owned(),
        help: help.to_owned(),
    });
    named.chain(sends_text).collect()
}

/// Returns the skills whose names begin with what is typed.
fn skills(typed: &str, known: &[NamedSkill]) -> Vec<Choice> {
    let typed = typed.to_lowercase();
    let fitting = known.iter().filter(|skill| skill.name.starts_with(&typed));
    let choice = |skill: &NamedSkill| Choice {
        text: format!("/{} ", skill.name),
        name: format!("/{}", skill.name),
        help: skill.description.clone(),
    };
    fitting.map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_by_their_start_or_else_by_a_part() {
        let check = |typed: &str, expected: &[&str]| {
            let found = commands(typed);
            let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(found, expected, "{typed}");
        };
        check("st", &["/status"]);
        check(
            "re",
            &["/review", "/revert ", "/redo", "/retry", "/resume "],
        );
        check("dif", &["/diff"]);
        check("ttach", &["/attached"]);
        check("approve", &["/approve", "/approve all"]);
        check("/", &["//"]);
        check("aprove", &[]);
        let listed = slash::help().filter(|(usage, _)| usage.starts_with('/'));
        assert_eq!(commands("").len(), listed.count());
    }

    #[test]
    fn a_command_is_at_the_start_of_the_text() {
        assert_eq!(part("/st"), Some(Part::Command("st")));
        assert_eq!(part("/mode t"), Some(Part::Argument("mode", "t", 6)));
        assert_eq!(part("a /st"), None);
        assert_eq!(part("/deny a\nb"), None);
    }
}
