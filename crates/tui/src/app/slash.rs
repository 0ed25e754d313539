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

mod foreign;
mod table;

pub(crate) use table::COMMANDS;

use crate::response::BackgroundRequest;
use crate::spelling;
use crate::theme::ThemeName;
use signoff_core::stage::review::DiffScope;
use signoff_llm::foreign::ServerRequest;
use signoff_llm::mode::Mode;
use signoff_llm::session::{NamedSkill, Switch};
use signoff_llm::skill::split_call;

/// What the user typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// Nothing.
    Nothing,
    /// Text for the model.
    Prompt(String),
    /// A command line of the user's.
    Run(String),
    /// Something that the interface does.
    Slash(Slash),
    /// A command that does not exist, or not so: what is said of it.
    Answer(String),
}

/// A command of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slash {
    /// Show the keys.
    Help,
    /// Open the review.
    Review,
    /// Show what changes come to.
    Diff(DiffScope),
    /// Show the places of an edit that fits several.
    Places,
    /// Start, list, look at, talk to or end background agents.
    Background(BackgroundRequest),
    /// Show the history.
    History,
    /// Say what is staged and decided, and how the conversation stands.
    Status,
    /// Copy the last answer.
    Copy,
    /// Write the conversation to a file.
    Export(Option<String>),
    /// Leave.
    Quit,
    /// Approve all that waits.
    Approve(Extent),
    /// Deny all that waits.
    Deny(Option<String>),
    /// Take back the last change of a file, or of any.
    Revert(Option<String>),
    /// Take back all of the last changeset.
    Undo,
    /// Put back what was last taken back, in all of its files.
    Redo,
    /// Go to a mode, or name the one it is.
    Mode(Option<Mode>),
    /// Show other colours.
    Theme(ThemeName),
    /// Ask again.
    Retry,
    /// Make the conversation shorter.
    Compact,
    /// Say how many comments wait, or send them.
    Comments(bool),
    /// List the files that requests hold.
    Attached,
    /// Say how servers stand, after doing something with one.
    Servers(ServerRequest),
    /// Leave a file out of requests.
    Detach(String),
    /// Go on with a plan that is held.
    Plan,
    /// Have the review agent look at all that waits, or stop it.
    Critique(bool),
    /// List the agents.
    Agents,
    /// Give an agent a task.
    Task {
        /// The agent's name.
        agent: String,
        /// The task.
        task: String,
    },
    /// Pick a conversation.
    Sessions,
    /// Go to another conversation.
    Switch(Switch),
    /// Pick a model, or ask another one.
    Model(Option<String>),
}

impl Slash {
    /// Tells whether this decides on what waits, or leads to taking something back.
    pub(crate) fn decides(&self) -> bool {
        match self {
            Self::Approve(_) | Self::Deny(_) | Self::Revert(_) | Self::Undo | Self::Redo => true,
            Self::Help
            | Self::Review
            | Self::Diff(_)
            | Self::Places
            | Self::Background(_)
            | Self::History
            | Self::Status
            | Self::Copy
            | Self::Export(_)
            | Self::Quit
            | Self::Mode(_)
            | Self::Theme(_)
            | Self::Retry
            | Self::Compact
            | Self::Comments(_)
            | Self::Attached
            | Self::Servers(_)
            | Self::Detach(_)
            | Self::Critique(_)
            | Self::Agents
            | Self::Plan
            | Self::Task { .. }
            | Self::Sessions
            | Self::Switch(_)
            | Self::Model(_) => false,
        }
    }

    /// Tells whether the session's answer to it stands in the transcript.
    pub(crate) fn is_answered_in_transcript(&self) -> bool {
        match self {
            Self::Compact
            | Self::Attached
            | Self::Servers(_)
            | Self::Detach(_)
            | Self::Agents
            | Self::Plan
            | Self::Task { .. }
            | Self::Sessions
            | Self::Switch(_)
            | Self::Model(_) => true,
            Self::Help
            | Self::Review
            | Self::Diff(_)
            | Self::Places
            | Self::Background(_)
            | Self::History
            | Self::Status
            | Self::Copy
            | Self::Export(_)
            | Self::Quit
            | Self::Approve(_)
            | Self::Deny(_)
            | Self::Revert(_)
            | Self::Undo
            | Self::Redo
            | Self::Mode(_)
            | Self::Theme(_)
            | Self::Comments(_)
            | Self::Critique(_)
            | Self::Retry => false,
        }
    }
}

/// How much of what waits `/approve` approves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What was displayed; the rest is displayed first, page by page.
    Displayed,
    /// All of it, but for files that make a program run.
    All,
}

/// Returns what a text means; the names of skills are commands too, which go to the model.
pub(crate) fn read_with(text: &str, skills: &[NamedSkill]) -> Typed {
    let called = split_call(text).map(|(name, _)| name);
    // A skill takes no command's name.
    let called = called.filter(|name| !is_name(&format!("/{name}")));
    let is_skill = skills.iter().any(|skill| called == Some(&skill.name));
    match read(text) {
        Typed::Answer(_) if is_skill => Typed::Prompt(text.trim().to_owned()),
        typed => typed,
    }
}

/// Returns what a text means where there are no skills.
pub(crate) fn read(text: &str) -> Typed {
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
    if let Some(slash) = alone(&name) {
        return match rest {
            "" => Typed::Slash(slash),
            _ => Typed::Answer(format!("/{name} takes nothing after it{}", instead(&name))),
        };
    }
    with_words(&name, rest).unwrap_or_else(|| Typed::Answer(unknown(word, &name)))
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
    let command = match foreign::answer(&word) {
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

/// Returns whether a text is the whole name of a command.
pub(crate) fn is_name(text: &str) -> bool {
    let name = text.strip_prefix('/').unwrap_or_default();
    COMMANDS.iter().any(|(usage, _)| {
        let mut names = usage.split(", ").filter_map(|name| name.split(' ').next());
        names.any(|known| known == text)
    }) || ALIASES.contains(&name)
}

/// Returns whether a text is a command that takes nothing after it.
pub(crate) fn is_alone(text: &str) -> bool {
    text.strip_prefix('/')
        .is_some_and(|name| alone(name).is_some())
}

/// Returns a command that takes nothing after it.
fn alone(name: &str) -> Option<Slash> {
    Some(match name {
        "help" | "keys" => Slash::Help,
        "review" => Slash::Review,
        "places" => Slash::Places,
        "status" => Slash::Status,
        "copy" => Slash::Copy,
        "history" | "log" => Slash::History,
        "quit" | "exit" => Slash::Quit,
        "redo" => Slash::Redo,
        "undo" => Slash::Undo,
        "retry" => Slash::Retry,
        "compact" => Slash::Compact,
        "attached" => Slash::Attached,
        "new" | "clear" => Slash::Switch(Switch::New),
        "fork" => Slash::Switch(Switch::Fork),
        "agents" => Slash::Agents,
        "plan" => Slash::Plan,
        "sessions" => Slash::Sessions,
        _ => return None,
    })
}

/// Returns what to use for a command with words after it that takes none.
fn instead(name: &str) -> &'static str {
    match name {
        "undo" => "; /revert PATH takes back one file",
        "new" | "clear" | "fork" => "; send the prompt afterwards",
        "history" | "log" => "; `signoff history PATH` on the command line shows one file",
        _ => "",
    }
}

/// Returns a command that may have words after it.
fn with_words(name: &str, rest: &str) -> Option<Typed> {
    let argument = || (!rest.is_empty()).then(|| rest.to_owned());
    let is_option = rest.starts_with("--");
    Some(match name {
        "approve" => match rest {
            "" => Typed::Slash(Slash::Approve(Extent::Displayed)),
            "all" => Typed::Slash(Slash::Approve(Extent::All)),
            _ => Typed::Answer(
                "/approve takes nothing after it, or all; the review approves one hunk".to_owned(),
            ),
        },
        "deny" if is_option => Typed::Answer(DENY_ALL.to_owned()),
        "deny" => Typed::Slash(Slash::Deny(argument().filter(|reason| reason != "all"))),
        "revert" if is_option => Typed::Answer(
            "/revert PATH takes back the last change of a file; r in /history goes further back"
                .to_owned(),
        ),
        "revert" => Typed::Slash(Slash::Revert(argument())),
        "mode" => match argument().map(|word| word.parse()) {
            None => Typed::Slash(Slash::Mode(None)),
            Some(Ok(mode)) => Typed::Slash(Slash::Mode(Some(mode))),
            Some(Err(_)) => Typed::Answer(format!(
                "There is no mode {rest}: plan, step, turn or write-through"
            )),
        },
        "diff" => match rest {
            "" => Typed::Slash(Slash::Diff(DiffScope::Waiting)),
            "turn" => Typed::Slash(Slash::Diff(DiffScope::LastTurn)),
            "session" => Typed::Slash(Slash::Diff(DiffScope::Conversation)),
            _ => Typed::Answer("/diff takes nothing after it, or turn, or session".to_owned()),
        },
        "theme" => match argument().map(|word| word.parse()) {
            Some(Ok(theme)) => Typed::Slash(Slash::Theme(theme)),
            _ => {
                let names = ThemeName::ALL.map(ThemeName::word).join(", ");
                Typed::Answer(format!(
                    "/theme takes one of: {names}. `theme` in [interface] of config.toml keeps it"
                ))
            }
        },
        "export" => Typed::Slash(Slash::Export(argument())),
        "comments" => match rest {
            "" => Typed::Slash(Slash::Comments(false)),
            "send" => Typed::Slash(Slash::Comments(true)),
            _ => Typed::Answer("/comments takes nothing after it, or send".to_owned()),
        },
        "critique" => match rest {
            "" => Typed::Slash(Slash::Critique(true)),
            "stop" => Typed::Slash(Slash::Critique(false)),
            _ => Typed::Answer("/critique takes nothing after it, or stop".to_owned()),
        },
        "mcp" => servers(rest),
        "agent" => match rest.split_once(char::is_whitespace) {
            _ if rest.is_empty() => Typed::Slash(Slash::Agents),
            None => Typed::Answer("/agent takes a name and a task; /agents lists them".to_owned()),
            Some((agent, task)) => Typed::Slash(Slash::Task {
                agent: agent.to_owned(),
                task: task.trim().to_owned(),
            }),
        },
        "bg" | "background" => Typed::Slash(Slash::Background(BackgroundRequest::read(rest))),
        "detach" => Typed::Slash(argument().map_or(Slash::Attached, Slash::Detach)),
        "resume" => Typed::Slash(match argument() {
            Some(wanted) => Slash::Switch(Switch::Resume(wanted)),
            None => Slash::Sessions,
        }),
        "model" | "models" => Typed::Slash(Slash::Model(argument())),
        _ => return None,
    })
}

/// Returns what is asked of servers.
fn servers(rest: &str) -> Typed {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let name = |name: &str| name.to_owned();
    Typed::Slash(Slash::Servers(match words.as_slice() {
        [] | ["list"] => ServerRequest::List,
        ["allow", server] => ServerRequest::Allow(name(server)),
        ["refuse", server] => ServerRequest::Refuse(name(server)),
        [server] => ServerRequest::Connect(name(server)),
        _ => {
            return Typed::Answer(
                "/mcp lists servers, /mcp NAME starts one, /mcp allow NAME and /mcp refuse NAME decide".to_owned(),
            );
        }
    }))
}

/// What is said of a denial that names something: `/deny` is about all that wait.
pub(crate) const DENY_ALL: &str = "/deny REASON denies all that wait; the review denies one hunk";

/// Names that the list of commands does not have.
const ALIASES: &[&str] = &["background", "keys", "log", "exit", "clear", "models"];

/// Returns the names of all commands, those of other tools included.
fn names() -> impl Iterator<Item = &'static str> {
    let listed = COMMANDS.iter().filter_map(|(usage, _)| {
        let name = usage.split([' ', ',']).next()?.strip_prefix('/')?;
        name.starts_with(char::is_alphabetic).then_some(name)
    });
    let aliases = ALIASES.iter().copied();
    listed.chain(aliases).chain(foreign::words())
}

/// Returns what is said of a command that does not exist.
fn unknown(word: &str, name: &str) -> String {
    if let Some(answer) = foreign::answer(name) {
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
    use super::*;

    #[test]
    fn tells_commands_from_prompts() {
        let prompt = |text: &str, expected: &str| {
            assert_eq!(read(text), Typed::Prompt(expected.to_owned()), "{text:?}");
        };
        prompt("rename a to b\n", "rename a to b");
        prompt(" /help", "/help");
        prompt("//help me", "/help me");
        prompt("/etc/hosts: what is it?", "/etc/hosts: what is it?");
        prompt("/Makefile", "/Makefile");
        prompt("/", "/");
        assert_eq!(read(" \n"), Typed::Nothing);
        assert_eq!(read("/quit"), Typed::Slash(Slash::Quit));
        assert_eq!(
            read("/deny too long"),
            Typed::Slash(Slash::Deny(Some("too long".to_owned())))
        );
        assert_eq!(read("/deny"), Typed::Slash(Slash::Deny(None)));
        for (text, extent) in [
            ("/approve", Extent::Displayed),
            ("/approve  all", Extent::All),
        ] {
            assert_eq!(read(text), Typed::Slash(Slash::Approve(extent)));
        }
        let resume = Switch::Resume("2".to_owned());
        assert_eq!(read("/resume 2"), Typed::Slash(Slash::Switch(resume)));
        assert_eq!(read("/resume"), Typed::Slash(Slash::Sessions));
        let task = Slash::Task {
            agent: "debug".to_owned(),
            task: "why red?".to_owned(),
        };
        assert_eq!(read("/agent debug  why red?"), Typed::Slash(task));
        assert_eq!(read("/agent"), Typed::Slash(Slash::Agents));
        assert!(matches!(read("/agent debug"), Typed::Answer(_)));
        assert_eq!(
            read("/model qwen3:8b "),
            Typed::Slash(Slash::Model(Some("qwen3:8b".to_owned())))
        );
        prompt("/Makefile: why?", "/Makefile: why?");
        prompt(" !important", "!important");
        assert_eq!(read("!ls -l\n"), Typed::Run("ls -l".to_owned()));
        assert_eq!(read("/Undo"), Typed::Slash(Slash::Undo));
        assert_eq!(read("/STATUS?"), Typed::Slash(Slash::Status));
        assert_eq!(read("/deny all"), Typed::Slash(Slash::Deny(None)));
    }

    #[test]
    fn skills_are_called_for_by_their_names() {
        let skill = |name: &str| NamedSkill {
            name: name.to_owned(),
            description: String::new(),
        };
        let skills = [skill("release"), skill("undo"), skill("commit")];
        let read = |text: &str| read_with(text, &skills);
        assert_eq!(
            read("/release 1.2\n"),
            Typed::Prompt("/release 1.2".to_owned())
        );
        assert_eq!(read("/commit"), Typed::Prompt("/commit".to_owned()));
        assert_eq!(read("/undo"), Typed::Slash(Slash::Undo));
        assert!(matches!(read("/undo it"), Typed::Answer(_)));
        assert!(matches!(read("commit"), Typed::Answer(_)));
        assert!(matches!(read("/relase"), Typed::Answer(_)));
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
            ("/undo a.rs", "/revert PATH takes back one file"),
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
