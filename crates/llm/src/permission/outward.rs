//! Commands that send work to others with the user's credentials, as `git push`: theirs to allow, each time.
//!
//! In: a command line. Out: whether it is such a command and nothing else, which runs outside of the shadow once the user says
//! so, or has one among others, which does not run.
//!
//! ```text
//! git push origin main            alone
//! cargo test && git push          among others
//! git push --exec=./x             among others: an option runs what a file of the repository may be
//! git fetch; echo git push        neither
//! ```

use super::command_line::{CommandLine, UNKNOWN};
use super::runners::{RunCommands, without_options};
use crate::subjects::Subjects;

/// How such commands begin, without their options.
const OUTWARD: [&str; 9] = [
    "git push",
    "git send-email",
    "gh pr create",
    "gh pr merge",
    "gh pr comment",
    "gh issue create",
    "gh issue comment",
    "gh release create",
    "glab mr create",
];

/// Their options that name a program. Git takes the beginning of a name for it.
const NAMING_PROGRAMS: [&str; 7] = [
    "--receive-pack",
    "--exec",
    "--sendmail-cmd",
    "--smtp-server",
    "--to-cmd",
    "--cc-cmd",
    "--header-cmd",
];

/// What a command line has of such commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outward {
    /// It is one.
    Alone,
    /// It has one among others, or in a form that does not show all of it.
    Among,
}

/// Returns what a line has of commands that send work to others, if it has any.
pub fn outward(line: &str) -> Option<Outward> {
    let line = CommandLine::read(line);
    let run = RunCommands::of(&line);
    if !run.shown.iter().any(|command| sends(command)) {
        return None;
    }
    let is_known = |command: &[String]| !command.iter().any(|word| word.contains(UNKNOWN));
    let is_alone = matches!(line.commands.as_slice(), [one] if is_bare(one) && is_known(one));
    Some(if is_alone && line.is_plain {
        Outward::Alone
    } else {
        Outward::Among
    })
}

/// Returns whether a command is one of these to the letter: with a path before it, or an option between, a file of the
/// repository could say what runs. `git -C docs push` obeys the settings of a bare repository in `docs`.
fn is_bare(command: &[String]) -> bool {
    let line = command.join(" ");
    let mut options = command.iter().filter(|word| word.starts_with("--"));
    begins_outward(&line) && !options.any(|option| names_program(option))
}

fn names_program(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or(option);
    let is_whole = ["--", "--to", "--cc"].contains(&name);
    !is_whole && NAMING_PROGRAMS.iter().any(|own| own.starts_with(name))
}

fn begins_outward(line: &str) -> bool {
    OUTWARD.iter().any(|with| {
        let rest = line.strip_prefix(*with);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Returns whether a call sends work to others, so that it is asked about each time, whatever is allowed.
pub fn sends_work(subjects: &Subjects) -> bool {
    matches!(subjects, Subjects::Command(line) if outward(line).is_some())
}

fn sends(command: &[String]) -> bool {
    let spellings = without_options(command);
    spellings
        .iter()
        .any(|words| begins_outward(&words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sends_work_to_others_is_known() {
        for (line, expected) in [
            ("git push", Some(Outward::Alone)),
            ("git push --force origin main", Some(Outward::Alone)),
            ("gh pr create --fill", Some(Outward::Alone)),
            ("cargo test && git push", Some(Outward::Among)),
            ("bash -c 'git push'", Some(Outward::Among)),
            ("git push origin $(cat branch)", Some(Outward::Among)),
            ("timeout 9 git push", Some(Outward::Among)),
            ("git -C docs/site push", Some(Outward::Among)),
            ("git --git-dir=sub push", Some(Outward::Among)),
            ("git --exec-path=./bin push", Some(Outward::Among)),
            ("tools/git push origin main", Some(Outward::Among)),
            ("./bin/gh pr create", Some(Outward::Among)),
            ("git push --receive-pack=./x", Some(Outward::Among)),
            ("git push --exe ./x origin", Some(Outward::Among)),
            ("git send-email --smtp-server ./x a", Some(Outward::Among)),
            ("git send-email --to=a@b 0001.patch", Some(Outward::Alone)),
            ("git push --recurse-submodules=no", Some(Outward::Alone)),
            ("git fetch", None),
            ("echo git push", None),
            ("gh pr view", None),
        ] {
            assert_eq!(outward(line), expected, "{line}");
        }
    }
}
