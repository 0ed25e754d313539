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
use signoff_tui::app::slash::{self, Deed, Typed};

/// What a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PromptRequest {
    /// The model is to answer this text.
    Ask(String),
    /// A turn that begins by this command.
    Turn(Command),
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
    /// Its prompts: they come once everything that was asked before is done.
    Prompts,
    /// How servers stand.
    Servers,
    /// Another model is asked, or why none is.
    Model,
}

/// Returns what an editor offers.
pub(super) fn offered(skills: &[NamedSkill]) -> Vec<AvailableCommand> {
    let commands = slash::commands()
        .filter(|command| !command.in_editor.is_empty())
        .map(|command| offer(command.name(), command.in_editor, command.editor_hint));
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
    let call = match slash::read_with(text, skills) {
        // Without a slash it is a prompt here, whatever it is in the interface.
        _ if !text.starts_with('/') => return PromptRequest::Ask(text.to_owned()),
        Typed::Nothing | Typed::Run(_) => return PromptRequest::Ask(text.to_owned()),
        Typed::Prompt(text) => return PromptRequest::Ask(text),
        Typed::Answer(answer) => return PromptRequest::Answer(answer),
        Typed::Slash(call) => call,
    };
    if call.command.in_editor.is_empty() {
        return PromptRequest::Answer(
            "this command is for a terminal: run `signoff` in the folder".to_owned(),
        );
    }
    match call.deed {
        Deed::DenyAll(reason) => PromptRequest::DenyAll(reason),
        Deed::Ask(command @ Command::UseModel(_)) => {
            PromptRequest::Await(command, AwaitedEvent::Model)
        }
        Deed::Ask(command @ Command::Servers(_)) => {
            PromptRequest::Await(command, AwaitedEvent::Servers)
        }
        Deed::Ask(command @ Command::Delegate { .. }) => PromptRequest::Turn(command),
        // The comments of a review agent come when they come.
        Deed::Ask(command) => PromptRequest::Await(command, AwaitedEvent::Prompts),
        Deed::Show(_) => PromptRequest::Answer("name what is to be chosen".to_owned()),
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
                PromptRequest::Await(Command::SetMode(Mode::Plan), AwaitedEvent::Prompts),
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
