//! Slash commands in an editor.
//!
//! In: what the user typed as a prompt, and the skills of the conversation. Out: what it asks for. The commands are those of
//! the interface, as far as an editor has what they need; the others are answered.
//!
//! ```text
//! /compact         makes the conversation shorter
//! /review          is answered: that is for a terminal
//! /release 1.2     goes to the model, where there is a skill of this name
//! ```

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, UnstructuredCommandInput,
};
use signoff_llm::session::{Command, NamedSkill};

use crate::app::slash::{self, Slash, Typed};

/// What a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PromptRequest {
    /// The model is to answer this text.
    Ask(String),
    /// A turn that begins by this command.
    Turn(Command),
    /// Something that is done at once.
    Do(Command),
    /// Something that an event tells the end of.
    Await(Command, AwaitedEvent),
    /// Deny all that waits.
    DenyAll(Option<String>),
    /// Nothing: what is said of it.
    Answer(String),
}

/// The event that ends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AwaitedEvent {
    /// How servers stand.
    Servers,
    /// Another model is asked, or why none is.
    Model,
}

/// The commands that are offered beside skills: the name, what it does, and what may stand behind it.
const COMMANDS: [(&str, &str, Option<&str>); 10] = [
    ("deny", "deny all that waits", Some("reason")),
    (
        "mode",
        "change when you are asked",
        Some("plan, step, turn or write-through"),
    ),
    ("model", "ask another model", Some("name")),
    ("compact", "make the conversation shorter", None),
    ("attached", "list the files that the model is given", None),
    ("detach", "give it this file no more", Some("path")),
    ("agents", "list the agents", None),
    ("agent", "give an agent a task", Some("name and task")),
    (
        "critique",
        "have the review agent look at what waits",
        Some("stop, to end that"),
    ),
    ("mcp", "list MCP servers, or start one", Some("name")),
];

/// Returns what an editor offers.
pub(super) fn offered(skills: &[NamedSkill]) -> Vec<AvailableCommand> {
    let commands = COMMANDS
        .iter()
        .map(|(name, description, hint)| offer(name, description, *hint));
    let hint = Some("what it is to be used on");
    let skills = skills
        .iter()
        .map(|skill| offer(&skill.name, &skill.description, hint));
    commands.chain(skills).collect()
}

fn offer(name: &str, description: &str, hint: Option<&str>) -> AvailableCommand {
    let input = hint.map(UnstructuredCommandInput::new);
    AvailableCommand::new(name, description).input(input.map(AvailableCommandInput::Unstructured))
}

/// Reads what the user typed.
pub(super) fn read(text: &str, skills: &[NamedSkill]) -> PromptRequest {
    let slash = match slash::read_with(text, skills) {
        // Without a slash it is a prompt here, whatever it is in the interface.
        _ if !text.starts_with('/') => return PromptRequest::Ask(text.to_owned()),
        Typed::Nothing | Typed::Run(_) => return PromptRequest::Ask(text.to_owned()),
        Typed::Prompt(text) => return PromptRequest::Ask(text),
        Typed::Answer(answer) => return PromptRequest::Answer(answer),
        Typed::Slash(slash) => slash,
    };
    match slash {
        Slash::Deny(reason) => PromptRequest::DenyAll(reason),
        Slash::Mode(Some(mode)) => PromptRequest::Do(Command::SetMode(mode)),
        Slash::Model(Some(name)) => {
            PromptRequest::Await(Command::UseModel(name), AwaitedEvent::Model)
        }
        Slash::Compact => PromptRequest::Do(Command::Compact),
        Slash::Attached => PromptRequest::Do(Command::ListAttached),
        Slash::Detach(path) => PromptRequest::Do(Command::Detach(path)),
        Slash::Agents => PromptRequest::Do(Command::Agents),
        // Its comments come when they come.
        Slash::Critique(true) => PromptRequest::Do(Command::Critique),
        Slash::Critique(false) => PromptRequest::Do(Command::CancelCritique),
        Slash::Task { agent, task } => PromptRequest::Turn(Command::Delegate { agent, task }),
        Slash::Servers(request) => {
            PromptRequest::Await(Command::Servers(request), AwaitedEvent::Servers)
        }
        Slash::Mode(None) | Slash::Model(None) => {
            PromptRequest::Answer("name what is to be chosen".to_owned())
        }
        Slash::Help
        | Slash::Review
        | Slash::Diff(_)
        | Slash::Places
        | Slash::Background(_)
        | Slash::History
        | Slash::Status
        | Slash::Copy
        | Slash::Export(_)
        | Slash::Quit
        | Slash::Approve(_)
        | Slash::Revert(_)
        | Slash::Undo
        | Slash::Redo
        | Slash::Theme(_)
        | Slash::Retry
        | Slash::Comments(_)
        | Slash::Plan
        | Slash::Sessions
        | Slash::Switch(_) => PromptRequest::Answer(
            "this command is for a terminal: run `signoff` in the folder".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use signoff_llm::mode::Mode;

    use super::*;

    #[test]
    fn commands_are_done_answered_or_sent() {
        let skills = [NamedSkill {
            name: "release".to_owned(),
            description: "makes one".to_owned(),
        }];
        let ask = |text: &str| PromptRequest::Ask(text.to_owned());
        for (text, expected) in [
            ("fix it", ask("fix it")),
            ("undo", ask("undo")),
            ("!ls", ask("!ls")),
            ("/etc/hosts: why?", ask("/etc/hosts: why?")),
            ("/release 1.2", ask("/release 1.2")),
            ("//x", ask("/x")),
            ("/deny", PromptRequest::DenyAll(None)),
            (
                "/deny too long",
                PromptRequest::DenyAll(Some("too long".to_owned())),
            ),
            (
                "/mode plan",
                PromptRequest::Do(Command::SetMode(Mode::Plan)),
            ),
        ] {
            assert_eq!(read(text, &skills), expected, "{text}");
        }
        for text in [
            "/review",
            "/undo",
            "/approve all",
            "/nothing",
            "/mode",
            "/quit",
        ] {
            let read = read(text, &skills);
            assert!(matches!(read, PromptRequest::Answer(_)), "{text}: {read:?}");
        }
        for command in offered(&skills) {
            let is_known = ["", " x", " x y", " step"].iter().any(|rest| {
                let text = format!("/{}{rest}", command.name);
                !matches!(read(&text, &skills), PromptRequest::Answer(_))
            });
            assert!(is_known, "{}", command.name);
        }
    }
}
