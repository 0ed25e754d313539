//! What no rule can allow.
//!
//! In: a command line, or a path that is to be written. Out: why it is refused. This guards
//! against a slip that costs a machine or a repository; it is no jail.

use super::shell;

/// Programs that end or erase a machine.
const ENDS: [&str; 5] = ["shutdown", "reboot", "poweroff", "halt", "fdisk"];
/// Programs that run what their words say.
const SHELLS: [&str; 7] = ["bash", "sh", "zsh", "dash", "eval", "su", "ssh"];
/// How many words of such a command are looked at.
const MOST_WORDS: usize = 200;
/// What must not be removed or changed with everything below it.
const ROOTS: [&str; 12] = [
    "/", "/*", "~", "~/", "~/*", "$HOME", "$HOME/", "$HOME/*", "/home", "/etc", "/usr", ".git",
];

/// Returns why a command line is refused, if it is.
pub(super) fn never(line: &str) -> Option<&'static str> {
    let dense: String = line.chars().filter(|char| !char.is_whitespace()).collect();
    if dense.contains(":(){:|:&};:") {
        return Some("it would start processes without end");
    }
    let plain = line.replace(['"', '\''], "");
    let mut parts = shell::parts(line);
    parts.extend(shell::fragments(line));
    parts.extend(shell::parts(&plain));
    parts.iter().find_map(|part| never_part(&shell::bare(part)))
}

/// Returns why a path is refused, if it is.
pub(super) fn never_path(path: &str) -> Option<&'static str> {
    let mut parts = path
        .split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "."));
    parts
        .any(|part| part.eq_ignore_ascii_case(".git"))
        .then_some("git's own files are not edited")
}

/// Looks at a command, and at each that a shell could make of its words.
fn never_part(command: &str) -> Option<&'static str> {
    let program = command.split(' ').next().unwrap_or_default();
    if !SHELLS.contains(&program) {
        return never_command(command);
    }
    let starts = command
        .match_indices(' ')
        .map(|(at, _)| at + 1)
        .take(MOST_WORDS);
    starts
        .filter_map(|at| command.get(at..))
        .find_map(|rest| never_command(&shell::bare(rest)))
}

fn never_command(command: &str) -> Option<&'static str> {
    let mut words = command.split(' ');
    let program = words.next().unwrap_or_default();
    let words: Vec<&str> = words.map(|word| word.trim_matches(['"', '\''])).collect();
    let deep = words.iter().any(|word| {
        let short = word.starts_with('-') && !word.starts_with("--");
        (short && word.contains(['r', 'R'])) || *word == "--recursive"
    });
    let root = words.iter().any(|word| ROOTS.contains(word));
    match program {
        "rm" | "chmod" | "chown" if deep && root => Some("it would reach far beyond the workspace"),
        "dd" if words.iter().any(|word| word.starts_with("of=/dev/")) => {
            Some("it would overwrite a device")
        }
        program if program.starts_with("mkfs") => Some("it would erase a file system"),
        program if ENDS.contains(&program) => Some("it would end or erase the machine"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_commands_never_run() {
        for line in [
            "rm -rf /",
            "cd x && sudo rm -fr ~/",
            "bash -c 'rm -rf \"$HOME\"'",
            "rm -r -f .git",
            "rm --recursive /*",
            "chmod -R 777 /",
            "dd if=/dev/zero of=/dev/sda",
            "mkfs.ext4 /dev/sda1",
            "/sbin/reboot",
            ":(){ :|:& };:",
        ] {
            assert!(never(line).is_some(), "{line}");
        }
    }

    #[test]
    fn others_are_the_users_to_allow() {
        for line in [
            "rm -rf target",
            "rm out/x",
            "echo reboot",
            "git push --force",
            "ls -R /",
        ] {
            assert_eq!(never(line), None, "{line}");
        }
    }

    #[test]
    fn gits_own_files_are_not_edited() {
        for path in [".git/config", "./.git/hooks/x", "sub/.GIT/x"] {
            assert!(never_path(path).is_some(), "{path}");
        }
        for path in [".gitignore", ".github/x", "a.git"] {
            assert_eq!(never_path(path), None, "{path}");
        }
    }
}
