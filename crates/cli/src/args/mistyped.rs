//! Mistyped and foreign commands: a first word that is nearly the name of a command, or a command of another tool.
//!
//! In: a command line and what came of parsing it. Out: what is meant, in one line: `reject` is answered with
//! `deny`. Prompts of several words in one argument, words that are like no command, and anything after `--` are prompts.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{Error, ErrorKind};
use signoff_core::spelling::nearest;

use super::Args;

/// Tells whether there is a command of this name.
pub(crate) fn has_command(name: &str) -> bool {
    Args::command().find_subcommand(name).is_some()
}

/// Says which command is meant, if a command line has a mistyped one.
pub(super) fn command(words: &[OsString], parsed: &Result<Args, Error>) -> Option<String> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let word = match parsed {
        Ok(args) if args.command.is_none() => args.interface.prompt.clone()?,
        // Options and ids of the command that is meant are not known without it.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand
            ) =>
        {
            let loose = Args::command().ignore_errors(true);
            let found = loose.try_get_matches_from(words).ok()?;
            let prompt = found.subcommand_name().is_none();
            found
                .get_one::<String>("prompt")
                .filter(|_| prompt)?
                .clone()
        }
        Ok(_) | Err(_) => return None,
    };
    let known = Args::command();
    let names = known.get_subcommands().map(clap::Command::get_name);
    // Added by clap, and only while it parses.
    let names = names.chain(["help"]).map(|name| (name, None));
    let foreign = FOREIGN.iter().map(|(word, answer)| (*word, Some(*answer)));
    let meant = nearest(&word, names.chain(foreign));
    let mut answers: Vec<String> = Vec::new();
    for (name, answer) in meant {
        let answer = answer.map_or_else(|| format!("did you mean `{name}`?"), str::to_owned);
        if !answers.contains(&answer) {
            answers.push(answer);
        }
    }
    let is_split = matches!(parsed, Err(error) if error.kind() == ErrorKind::InvalidSubcommand);
    if answers.is_empty() && is_split && !is_command_of(&known, &word) {
        return Some("a prompt of several words is one argument: put it in quotes".to_owned());
    }
    (!answers.is_empty()).then(|| {
        format!(
            "`{word}` is not a command; {} To prompt a model with it: signoff -- {word}",
            answers.join(" Or: ")
        )
    })
}

/// Tells whether a word is the name of a command.
fn is_command_of(known: &clap::Command, word: &str) -> bool {
    known.find_subcommand(word).is_some()
}

/// Command names of git and of other agents, each with what does the same here.
const FOREIGN: &[(&str, &str)] = &[
    ("accept", "`signoff approve` writes what waits."),
    ("commit", "`signoff approve` writes what waits."),
    ("reject", "`signoff deny` drops what waits."),
    ("discard", "`signoff deny` drops what waits."),
    ("status", "`signoff review` shows what waits."),
    ("log", "`signoff history` shows what was written."),
    ("rollback", "`signoff undo` reverts the last changeset."),
    (
        "restore",
        "`signoff revert PATH` reverts what was written to a file.",
    ),
    (
        "resume",
        "`signoff --resume ID` goes on with a conversation; `signoff sessions` lists them.",
    ),
    (
        "continue",
        "`signoff -c` goes on with the last conversation.",
    ),
    ("chat", "`signoff` without a command opens the interface."),
    (
        "login",
        "signoff has no accounts: keys come from the environment or the config file; `signoff doctor` says which.",
    ),
    (
        "logout",
        "signoff has no accounts: keys come from the environment or the config file; `signoff doctor` says which.",
    ),
    (
        "auth",
        "signoff has no accounts: keys come from the environment or the config file; `signoff doctor` says which.",
    ),
    ("config", "`signoff doctor` names the config file."),
    (
        "models",
        "`signoff doctor` names the model; `/model` in the interface lists them.",
    ),
    ("version", "`signoff --version` prints it."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use signoff_tui::app::slash::{self, Typed};

    fn said(line: &str) -> Option<String> {
        let words = std::iter::once("signoff").chain(line.split_whitespace());
        let error = Args::understand(words).err()?;
        Some(error.to_string())
    }

    #[test]
    fn a_mistyped_command_is_an_error_that_names_the_nearest() {
        for (line, meant) in [
            ("aprove", "`approve`"),
            ("aprove --all", "`approve`"),
            ("approve1 --all --json", "`approve`"),
            ("aprove 01a2", "`approve`"),
            ("-C /tmp aprove --all", "`approve`"),
            ("Approve --all", "`approve`"),
            ("reveiw", "`review`"),
            ("reviews --json", "`review`"),
            ("hist", "`history`"),
            ("dney", "`deny`"),
            ("exce go", "`exec`"),
            ("exec1 go", "`exec`"),
            ("doctr", "`doctor`"),
            ("--offline docter", "`doctor`"),
            ("sesions", "`sessions`"),
            ("rev", "`revert` or `review`"),
            ("halp", "`help`"),
            ("reject", "`signoff deny`"),
            ("rejet --all", "`signoff deny`"),
            ("reject all of it", "`signoff deny`"),
            ("accept --all", "`signoff approve`"),
            ("status", "`signoff review`"),
            ("log", "`signoff history`"),
            ("login", "no accounts"),
            ("resume 2", "`signoff --resume ID`"),
            ("undoo", "`undo`"),
        ] {
            let said = said(line).unwrap_or_else(|| panic!("{line} is taken"));
            let mut names: Vec<&str> = meant.split(" or ").collect();
            assert!(said.contains("is not a command"), "{line}: {said}");
            names.retain(|name| !said.contains(name));
            assert!(names.is_empty(), "{line}: {said}");
        }
    }

    /// Whoever knows the command line, or another tool, is understood in the interface too.
    #[test]
    fn every_command_is_answered_in_the_interface_as_well() {
        let known = Args::command();
        let commands = known.get_subcommands().map(clap::Command::get_name);
        let foreign = FOREIGN.iter().map(|(word, _)| *word);
        for word in commands.chain(["help"]).chain(foreign) {
            match slash::read(&format!("/{word}")) {
                Typed::Slash(_) => {}
                Typed::Answer(said) => assert!(!said.contains("There is no"), "{word}: {said}"),
                typed => panic!("{word}: {typed:?}"),
            }
        }
    }

    #[test]
    fn prompts_stay_prompts() {
        for line in [
            "hello",
            "fix",
            "refactor",
            "src",
            ".",
            "-- aprove",
            "--offline why",
        ] {
            let words = std::iter::once("signoff").chain(line.split_whitespace());
            let args = Args::understand(words).unwrap();
            assert_eq!(
                args.interface.prompt.as_deref(),
                line.split_whitespace().last()
            );
        }
        let args = Args::understand(["signoff", "aprove all of it"]).unwrap();
        assert_eq!(args.interface.prompt.as_deref(), Some("aprove all of it"));
        let exec = Args::understand(["signoff", "exec", "aprove"]).unwrap();
        assert!(exec.command.is_some());
    }

    #[test]
    fn other_errors_of_usage_stay_what_they_are() {
        for line in [
            "fix the tests",
            "approve",
            "review --no-such-option",
            "--no-such-option",
        ] {
            let said = said(line).unwrap_or_else(|| panic!("{line} is taken"));
            assert!(!said.contains("is not a command"), "{line}: {said}");
        }
        Args::command().debug_assert();
    }
}
