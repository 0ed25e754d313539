//! Slash commands.
//!
//! In: the composer's text. Out: [`Typed`]. Only a first word like a name is a command, so
//! that a path can be sent; `//` and a leading blank send anything. A word alone that is a command is answered.
//!
//! ```text
//! /deny too long      denies all that wait, for this reason
//! /reject             is answered: /deny does that here
//! undo                is answered: /undo is the command
//! /etc/hosts: why?    is a prompt
//! ```

mod deeds;
mod foreign;
mod table;

use std::fmt;

use signoff_core::spelling;
use signoff_llm::session::{Command, NamedSkill};
use signoff_llm::skill::split_call;

use self::table::TABLE;
use super::App;
use super::conversation::Picker;

/// A slash command.
pub struct SlashCommand {
    /// The names that help lists, without the slash; the first is the one.
    pub(super) names: &'static [&'static str],
    /// Names that help does not list.
    aliases: &'static [&'static str],
    /// What is to be typed after it, in capitals, as help writes it.
    argument: &'static str,
    /// What it does, as help says it.
    help: &'static str,
    /// Words after it that have a line of their own in help.
    variants: &'static [(&'static str, &'static str)],
    run: CommandRun,
    /// What is said of words after a command that takes none.
    instead: &'static str,
    /// Whether it decides on what waits, or leads to taking something back.
    pub(super) decides: bool,
    /// Whether the session's answer to it stands in the transcript.
    is_answered_in_transcript: bool,
    /// What completion offers after it.
    pub(super) choices: ArgumentChoices,
    /// What line mode does; nothing if it only says where the command is carried out.
    pub line: Option<LineCommand>,
    /// What `/help` says of it in line mode; of a command that line mode does not have, where it is carried out.
    pub in_lines: &'static str,
    /// What an editor is told that it does; empty if an editor is not offered it.
    pub in_editor: &'static str,
    /// What an editor is told that may be typed after it.
    pub editor_hint: Option<&'static str>,
    /// Words of other tools for it, and what is said of them: none of them does anything by itself, since it may be the
    /// opposite there.
    other_words: &'static [&'static str],
    other_answer: &'static str,
}

/// What a command does.
enum CommandRun {
    /// It takes nothing after it, and asks the session.
    Asks(fn() -> Command),
    /// It takes nothing after it, and is done by the interface.
    Shows(fn(&mut App)),
    /// It takes words after it; these may mean nothing.
    Takes(fn(&str) -> Result<Deed, String>),
}

/// What completion offers after a command.
#[derive(Clone, Copy)]
pub(super) enum ArgumentChoices {
    None,
    /// These words, with what they are.
    Words(fn() -> Vec<(&'static str, &'static str)>),
    /// What the session lists; it is asked to where nothing is named.
    Pick(Picker),
    /// The files that the model was given.
    Attached,
    /// The files that were written.
    Written,
}

/// What line mode does by itself, in the order in which `/help` lists it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineCommand {
    /// Lists what can be typed.
    Help,
    /// Asks about each hunk that waits.
    Review,
    /// Has the review agent look at what waits.
    Critique,
    /// Shows what waits as a patch.
    Diff,
    /// Says how the conversation stands.
    Status,
    /// Lists what was written.
    History,
    /// Takes back the last changeset.
    Undo,
    /// Puts it back.
    Redo,
    /// Takes back the last change of a file.
    Revert,
    /// Changes the mode.
    Mode,
    /// Asks another model.
    Model,
    /// Goes to another conversation.
    Switch,
    /// Lists earlier conversations.
    Sessions,
    /// Ends.
    Quit,
}

/// What is to be done for a command and the words after it.
pub enum Deed {
    /// The session is asked this.
    Ask(Command),
    /// All that waits is denied, for this reason.
    DenyAll(Option<String>),
    /// The interface does this.
    Show(Box<dyn FnOnce(&mut App)>),
}

/// A command that was typed.
pub struct SlashCall {
    /// Which command.
    pub command: &'static SlashCommand,
    /// What stands after it.
    pub words: String,
    /// What is to be done.
    pub deed: Deed,
}

impl fmt::Debug for SlashCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{} {:?}", self.command.name(), self.words)
    }
}

/// What the user typed.
#[derive(Debug)]
pub enum Typed {
    /// Nothing.
    Nothing,
    /// Text for the model.
    Prompt(String),
    /// A command line of the user's.
    Run(String),
    /// Something that the interface does.
    Slash(SlashCall),
    /// A command that does not exist, or not so: what is said of it.
    Answer(String),
}

/// What sends a text as it is.
pub(super) const SENDS_TEXT: (&str, &str) = ("//TEXT", "send text that begins with a /");

/// What is typed that is not the name of a command.
const PREFIXES: [(&str, &str); 2] = [
    SENDS_TEXT,
    ("!COMMAND", "run a command; what it changes is staged"),
];

/// Returns every command, in the order in which help shows them.
pub fn commands() -> impl Iterator<Item = &'static SlashCommand> {
    TABLE.iter()
}

/// Returns the lines of help about commands: what is typed, as `/deny REASON`, and what it does.
pub(super) fn help() -> impl Iterator<Item = (String, &'static str)> {
    let usages = commands().flat_map(SlashCommand::usages);
    usages
        .map(|usage| (usage.shown(), usage.help))
        .chain(PREFIXES.map(|(usage, help)| (usage.to_owned(), help)))
}

/// One way to use a command.
#[derive(Clone, Copy)]
pub(super) struct CommandUsage {
    pub(super) command: &'static SlashCommand,
    /// What is typed after the name: in capitals, or a word that it takes.
    argument: &'static str,
    pub(super) help: &'static str,
}

impl CommandUsage {
    /// Returns it by this name of it, as help writes it.
    pub(super) fn line(self, name: &str) -> String {
        format!("/{name} {}", self.argument).trim_end().to_owned()
    }

    /// Returns it by all names: `/history, /log`, `/deny REASON`, `/approve all`.
    pub(super) fn shown(self) -> String {
        let lines = self.command.names.iter().map(|name| self.line(name));
        lines.collect::<Vec<_>>().join(", ")
    }

    /// Returns what is put into the prompt for this name of it: all, up to what the user is to name.
    pub(super) fn begun(self, name: &str) -> String {
        if self.wants_name() {
            format!("/{name} ")
        } else {
            self.line(name)
        }
    }

    /// Tells whether the user is to name something after it.
    pub(super) fn wants_name(self) -> bool {
        self.argument.starts_with(char::is_uppercase)
    }

    /// Tells whether it decides on more than the command alone does: that is for a prompt that the user sends.
    pub(super) fn decides_on_more(self) -> bool {
        self.command.decides && !self.argument.is_empty()
    }
}

impl SlashCommand {
    /// Returns the command of this name, without the slash.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        commands().find(|command| command.all_names().any(|own| own == name))
    }

    /// Returns its name, without the slash.
    pub fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    fn all_names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().chain(self.aliases).copied()
    }

    /// Returns the ways to use it that help lists.
    pub(super) fn usages(&'static self) -> impl Iterator<Item = CommandUsage> {
        let usage = (self.argument, self.help);
        let usages = [usage].into_iter().chain(self.variants.iter().copied());
        usages.map(move |(argument, help)| CommandUsage {
            command: self,
            argument,
            help,
        })
    }

    /// Tells whether it takes nothing after it.
    pub(super) fn is_alone(&self) -> bool {
        matches!(self.run, CommandRun::Asks(_) | CommandRun::Shows(_))
    }

    /// Returns what to do for the words after this name of it, or what is said of them.
    fn read(&self, name: &str, words: &str) -> Result<Deed, String> {
        match self.run {
            CommandRun::Takes(read) => read(words),
            _ if !words.is_empty() => {
                let instead = self.instead;
                Err(format!("/{name} takes nothing after it{instead}"))
            }
            CommandRun::Asks(command) => Ok(Deed::Ask(command())),
            CommandRun::Shows(show) => Ok(Deed::Show(Box::new(show))),
        }
    }
}

/// Carrying out.
impl App {
    /// Does what a command of the interface asks.
    pub(super) fn carry_out(&mut self, call: SlashCall) {
        if call.command.is_answered_in_transcript {
            self.make_room();
        }
        match call.deed {
            Deed::Ask(command) => self.ask(command),
            Deed::DenyAll(reason) => {
                self.decide_on_all(|app| app.deny_all(reason));
            }
            Deed::Show(show) => show(self),
        }
    }
}

/// Returns what a text means; the names of skills are commands too, which go to the model.
pub fn read_with(text: &str, skills: &[NamedSkill]) -> Typed {
    let called = split_call(text).map(|(name, _)| name);
    // A skill takes no command's name.
    let called = called.filter(|name| SlashCommand::named(name).is_none());
    let is_skill = skills.iter().any(|skill| called == Some(&skill.name));
    match read(text) {
        Typed::Answer(_) if is_skill => Typed::Prompt(text.trim().to_owned()),
        typed => typed,
    }
}

/// Returns what a text means where there are no skills.
pub fn read(text: &str) -> Typed {
    let body = text.trim();
    if body.is_empty() {
        return Typed::Nothing;
    }
    if let Some(line) = text.strip_prefix('!') {
        return match line.trim() {
            "" => {
                Typed::Answer("!COMMAND runs a command, as !ls; its changes are staged".to_owned())
            }
            line => Typed::Run(line.to_owned()),
        };
    }
    if !text.starts_with('/') {
        return match bare(text, body) {
            Some(answer) => Typed::Answer(answer),
            None => Typed::Prompt(body.to_owned()),
        };
    }
    if body.starts_with("//") {
        return Typed::Prompt(body.get(1..).unwrap_or_default().to_owned());
    }
    let (word, rest) = body
        .split_once(char::is_whitespace)
        .map_or((body, ""), |(word, rest)| (word, rest.trim()));
    let Some(name) = name_of(word) else {
        return Typed::Prompt(body.to_owned());
    };
    let Some(command) = SlashCommand::named(&name) else {
        return Typed::Answer(unknown(word, &name));
    };
    match command.read(&name, rest) {
        Ok(deed) => Typed::Slash(SlashCall {
            command,
            words: rest.to_owned(),
            deed,
        }),
        Err(answer) => Typed::Answer(answer),
    }
}

/// Commands that somebody types without the slash, where a model that is asked for them could do the opposite.
const BARE: &[&str] = &[
    "accept", "approve", "commit", "deny", "diff", "discard", "exit", "log", "login", "logout",
    "mcp", "quit", "redo", "reject", "resume", "revert", "rollback", "status", "undo",
];

/// Returns what is said of a text that is nothing but the name of a command.
fn bare(text: &str, body: &str) -> Option<String> {
    let word = body.to_ascii_lowercase();
    if text.starts_with(char::is_whitespace) || !BARE.contains(&word.as_str()) {
        return None;
    }
    let command = match elsewhere(&word) {
        Some(answer) => answer.to_owned(),
        None => format!("/{word} is the command"),
    };
    Some(format!(
        "{command}; a blank before the word sends it to the model"
    ))
}

/// Returns the name of the command that a first word is; nothing for a path, such as `/etc/hosts` or `/Makefile`. A
/// command in capitals, or with a mark behind it, is one nevertheless.
fn name_of(word: &str) -> Option<String> {
    let name = word.strip_prefix('/')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain) {
        return Some(name.to_owned());
    }
    let bare = name.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '/');
    let bare = bare.to_ascii_lowercase();
    names().any(|known| known == bare).then_some(bare)
}

/// Returns what is said of a word that is a command elsewhere.
fn elsewhere(word: &str) -> Option<&'static str> {
    let own = commands().find(|command| command.other_words.contains(&word));
    own.map(|command| command.other_answer)
        .or_else(|| foreign::answer(word))
}

/// Returns the names of all commands, those of other tools included.
fn names() -> impl Iterator<Item = &'static str> {
    let listed = commands().map(SlashCommand::name);
    let others = commands().flat_map(|command| command.all_names().skip(1));
    let elsewhere = commands().flat_map(|command| command.other_words.iter().copied());
    listed
        .chain(others)
        .chain(elsewhere)
        .chain(foreign::words())
}

/// Tells whether a word is the name of a command, here or in another tool.
pub(super) fn is_known(word: &str) -> bool {
    names().any(|name| name == word)
}

/// Returns what is said of a command that does not exist.
fn unknown(word: &str, name: &str) -> String {
    if let Some(answer) = elsewhere(name) {
        return format!("/{name} is no command here: {answer}");
    }
    let near = spelling::nearest(name, names().map(|name| (name, ())));
    let mut meant: Vec<String> = near.iter().map(|(name, ())| format!("/{name}")).collect();
    meant.dedup();
    match meant.as_slice() {
        [] => format!("There is no command {word}; // sends text that begins with /"),
        _ => format!(
            "There is no command {word}: did you mean {}?",
            meant.join(" or ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use signoff_llm::session::Switch;

    use super::*;

    /// Returns what a text asks the session.
    fn asked(text: &str) -> Option<Command> {
        match read(text) {
            Typed::Slash(SlashCall {
                deed: Deed::Ask(command),
                ..
            }) => Some(command),
            _ => None,
        }
    }

    #[test]
    fn tells_commands_from_prompts() {
        for (text, expected) in [
            ("rename a to b\n", r#"Prompt("rename a to b")"#),
            (" /help", r#"Prompt("/help")"#),
            ("//help me", r#"Prompt("/help me")"#),
            (
                "/etc/hosts: what is it?",
                r#"Prompt("/etc/hosts: what is it?")"#,
            ),
            ("/Makefile", r#"Prompt("/Makefile")"#),
            ("/Makefile: why?", r#"Prompt("/Makefile: why?")"#),
            (" !important", r#"Prompt("!important")"#),
            ("/", r#"Prompt("/")"#),
            (" \n", "Nothing"),
            ("!ls -l\n", r#"Run("ls -l")"#),
            ("/quit", r#"Slash(/quit "")"#),
            ("/exit", r#"Slash(/quit "")"#),
            ("/Undo", r#"Slash(/undo "")"#),
            ("/STATUS?", r#"Slash(/status "")"#),
            ("/approve", r#"Slash(/approve "")"#),
            ("/approve  all", r#"Slash(/approve "all")"#),
        ] {
            assert_eq!(format!("{:?}", read(text)), expected, "{text:?}");
        }
        let resume = Switch::Resume("2".to_owned());
        let task = Command::Delegate {
            agent: "debug".to_owned(),
            task: "why red?".to_owned(),
        };
        for (text, expected) in [
            ("/resume 2", Some(Command::Switch(resume))),
            ("/resume", None),
            ("/agent debug  why red?", Some(task)),
            ("/agent", Some(Command::Agents)),
            ("/agent debug", None),
            (
                "/model qwen3:8b ",
                Some(Command::UseModel("qwen3:8b".to_owned())),
            ),
        ] {
            assert_eq!(asked(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("/deny too long", Some("too long")),
            ("/deny", None),
            ("/deny all", None),
        ] {
            let Typed::Slash(SlashCall {
                deed: Deed::DenyAll(reason),
                ..
            }) = read(text)
            else {
                panic!("{text}");
            };
            assert_eq!(reason.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn no_name_is_two_commands() {
        let mut names: Vec<&str> = commands().flat_map(SlashCommand::all_names).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(commands().all(|command| !command.name().is_empty() && !command.help.is_empty()));
    }

    #[test]
    fn the_page_of_commands_has_the_table() {
        let page = include_str!("../../../../docs/commands.md");
        let rows = help().map(|(usage, does)| format!("| `{usage}` | {does} |\n"));
        let table: String = rows.collect();
        assert!(page.contains(&table), "docs/commands.md lacks:\n{table}");
    }

    #[test]
    fn skills_are_called_for_by_their_names() {
        let skill = |name: &str| NamedSkill {
            name: name.to_owned(),
            description: String::new(),
        };
        let skills = [skill("release"), skill("undo"), skill("accept")];
        for (text, expected) in [
            ("/release 1.2\n", r#"Prompt("/release 1.2")"#),
            ("/accept", r#"Prompt("/accept")"#),
            ("/undo", r#"Slash(/undo "")"#),
            ("/undo it", "Answer("),
            ("accept", "Answer("),
            ("/commit fix\n\nit", r#"Slash(/commit "fix\n\nit")"#),
            ("/relase", "Answer("),
        ] {
            let typed = format!("{:?}", read_with(text, &skills));
            assert!(typed.starts_with(expected), "{text}: {typed}");
        }
    }

    #[test]
    fn commands_that_do_not_exist_so_are_answered() {
        for (text, expected) in [
            ("/nope x", "There is no command /nope; // sends"),
            ("/aprove", "did you mean /approve?"),
            ("/write-through", "There is no command /write-through"),
            ("/reject", "/deny REASON denies all that wait"),
            ("/Reject it", "/deny REASON denies all that wait"),
            ("/accept", "/approve writes all that wait"),
            ("/login", "no accounts"),
            ("/approve it", "/approve takes nothing after it, or all"),
            ("/approve --all", "/approve takes nothing after it, or all"),
            ("/deny --all", "/deny REASON denies all that wait"),
            ("/undo a.rs", "/revert PATH reverts one file"),
            ("/new and go on", "send the prompt afterwards"),
            ("/mode fast", "There is no mode fast"),
            ("! ", "!COMMAND runs a command"),
            ("undo", "/undo is the command; a blank before"),
            ("Reject\n", "/deny REASON denies all that wait"),
            ("log", "/log is the command"),
            (" undo", ""),
            ("undo the rename", ""),
            ("/revert a.rs", ""),
            ("/revert --to 3 a.rs", "r in /history goes further back"),
        ] {
            match read(text) {
                Typed::Answer(said) => assert!(said.contains(expected), "{text}: {said}"),
                typed => assert!(expected.is_empty(), "{text}: {typed:?}"),
            }
        }
    }
}
