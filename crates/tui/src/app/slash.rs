//! Slash commands.
//!
//! In: the composer's text. Out: [`Typed`]. Only a first word of letters is a command, so
//! that a path can be sent; `//` and a leading blank send anything.

use signoff_llm::mode::Mode;
use signoff_llm::session::Switch;

/// What the user typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// Nothing.
    Nothing,
    /// Text for the model.
    Prompt(String),
    /// Something that the interface does.
    Slash(Slash),
    /// A command that does not exist.
    Unknown(String),
}

/// A command of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slash {
    /// Show the keys.
    Help,
    /// Open the review.
    Review,
    /// Show the history.
    History,
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
    /// Ask again.
    Retry,
    /// Make the conversation shorter.
    Compact,
    /// List the files that requests hold.
    Attached,
    /// Leave a file out of requests.
    Detach(String),
    /// List the conversations.
    Sessions,
    /// Go to another conversation.
    Switch(Switch),
    /// List the models, or ask another one.
    Model(Option<String>),
}

/// How much of what waits `/approve` approves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What was displayed; the rest is displayed first, page by page.
    Displayed,
    /// All of it, but for files that make a program run.
    All,
}

/// Every command, for the help screen.
pub(crate) const COMMANDS: &[(&str, &str)] = &[
    ("/help", "show the keys"),
    ("/review", "open the review"),
    ("/history", "show what was written"),
    (
        "/approve",
        "approve all that wait; what is unseen is shown first",
    ),
    ("/approve all", "approve all that wait, also unseen"),
    ("/deny REASON", "deny all that wait"),
    ("/revert PATH", "take back the last change of a file"),
    (
        "/redo",
        "put back what was last taken back, in all of its files",
    ),
    ("/undo", "take back all of the last changeset"),
    ("/mode NAME", "plan, step, turn or write-through"),
    ("/retry", "ask again after a fault or a silence"),
    ("/compact", "make the conversation shorter"),
    ("/attached", "list the files that the model is given"),
    ("/detach PATH", "give it this file no more"),
    ("/new", "begin another conversation"),
    ("/fork", "go on with a copy of this one"),
    ("/sessions", "list the conversations"),
    ("/resume ID", "go on with an earlier one"),
    ("/model NAME", "list the models, or ask this one"),
    ("/quit", "quit signoff"),
    ("//TEXT", "send text that begins with a /"),
];

/// Returns what a text means.
pub(crate) fn read(text: &str) -> Typed {
    let body = text.trim();
    if body.is_empty() {
        return Typed::Nothing;
    }
    if !text.starts_with('/') {
        return Typed::Prompt(body.to_owned());
    }
    if body.starts_with("//") {
        return Typed::Prompt(body.get(1..).unwrap_or_default().to_owned());
    }
    let (word, rest) = body
        .split_once(char::is_whitespace)
        .map_or((body, ""), |(word, rest)| (word, rest.trim()));
    let name = word.trim_start_matches('/');
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase()) {
        return Typed::Prompt(body.to_owned());
    }
    let argument = || (!rest.is_empty()).then(|| rest.to_owned());
    match name {
        "help" => Typed::Slash(Slash::Help),
        "review" => Typed::Slash(Slash::Review),
        "history" => Typed::Slash(Slash::History),
        "quit" | "exit" => Typed::Slash(Slash::Quit),
        "approve" => match argument().as_deref() {
            None => Typed::Slash(Slash::Approve(Extent::Displayed)),
            Some("all") => Typed::Slash(Slash::Approve(Extent::All)),
            Some(_) => Typed::Unknown(body.to_owned()),
        },
        "deny" => Typed::Slash(Slash::Deny(argument())),
        "revert" => Typed::Slash(Slash::Revert(argument())),
        "redo" => Typed::Slash(Slash::Redo),
        "undo" => Typed::Slash(Slash::Undo),
        "mode" => match argument().map(|word| word.parse()) {
            None => Typed::Slash(Slash::Mode(None)),
            Some(Ok(mode)) => Typed::Slash(Slash::Mode(Some(mode))),
            Some(Err(_)) => Typed::Unknown(body.to_owned()),
        },
        "retry" => Typed::Slash(Slash::Retry),
        "compact" => Typed::Slash(Slash::Compact),
        "attached" => Typed::Slash(Slash::Attached),
        "detach" => Typed::Slash(argument().map_or(Slash::Attached, Slash::Detach)),
        "new" | "clear" => Typed::Slash(Slash::Switch(Switch::New)),
        "fork" => Typed::Slash(Slash::Switch(Switch::Fork)),
        "sessions" => Typed::Slash(Slash::Sessions),
        "resume" => Typed::Slash(match argument() {
            Some(wanted) => Slash::Switch(Switch::Resume(wanted)),
            None => Slash::Sessions,
        }),
        "model" | "models" => Typed::Slash(Slash::Model(argument())),
        _ => Typed::Unknown(word.to_owned()),
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
        assert_eq!(
            read("/approve it"),
            Typed::Unknown("/approve it".to_owned())
        );
        let resume = Switch::Resume("2".to_owned());
        assert_eq!(read("/resume 2"), Typed::Slash(Slash::Switch(resume)));
        assert_eq!(read("/resume"), Typed::Slash(Slash::Sessions));
        assert_eq!(
            read("/model qwen3:8b "),
            Typed::Slash(Slash::Model(Some("qwen3:8b".to_owned())))
        );
        assert_eq!(read("/nope x"), Typed::Unknown("/nope".to_owned()));
    }
}
