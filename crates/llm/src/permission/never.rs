//! Calls that no rule can allow.
//!
//! In: a command line, or a path that is to be written. Out: why it is refused. This guards
//! against a slip that costs a machine or a repository; it is not a sandbox.

use signoff_core::disk::workspace::git_folder::is_in_git_folder;

use super::command_line::{CommandLine, UNKNOWN};
use super::runners::{RunCommands, without_options};

/// Programs that end or erase a machine.
const ENDS: [&str; 5] = ["shutdown", "reboot", "poweroff", "halt", "fdisk"];
/// Folders that must not be removed or changed with everything below them, in the form that
/// [`normal`] gives them.
const ROOTS: [&str; 17] = [
    "/", "~", "/home", "/root", "/etc", "/usr", "/var", "/bin", "/sbin", "/lib", "/lib64", "/boot",
    "/dev", "/opt", "/sys", "/proc", "..",
];

/// Returns why a command line is refused, if it is.
pub(super) fn never(line: &str) -> Option<&'static str> {
    let dense: String = line.chars().filter(|char| !char.is_whitespace()).collect();
    if dense.contains(":(){:|:&};:") {
        return Some("it would start processes without end");
    }
    let run = RunCommands::of(&CommandLine::read(line));
    run.shown.iter().find_map(|command| {
        let spellings = without_options(command);
        spellings
            .iter()
            .find_map(|spelling| never_command(spelling))
    })
}

/// Returns why a path is refused, if it is.
pub(super) fn never_path(path: &str) -> Option<&'static str> {
    is_in_git_folder(path).then_some("git's own files are not edited")
}

fn never_command(command: &[String]) -> Option<&'static str> {
    let (program, words) = command.split_first()?;
    // What is expanded can be everything in a folder.
    let words: Vec<String> = words
        .iter()
        .map(|word| word.replace(UNKNOWN, "*"))
        .collect();
    let deep = words.iter().any(|word| {
        let short = word.starts_with('-') && !word.starts_with("--");
        (short && word.contains(['r', 'R'])) || *word == "--recursive"
    });
    match program.as_str() {
        "rm" | "chmod" | "chown" if deep && words.iter().any(|word| is_root(word)) => {
            Some("it would reach far beyond the workspace")
        }
        "dd" if words.iter().any(|word| word.starts_with("of=/dev/")) => {
            Some("it would overwrite a device")
        }
        program if program.starts_with("mkfs") => Some("it would erase a file system"),
        program if ENDS.contains(&program) => Some("it would end or erase the machine"),
        _ => None,
    }
}

/// Tells whether a word is one of [`ROOTS`], or everything in it.
fn is_root(word: &str) -> bool {
    let folder = word
        .strip_suffix('*')
        .filter(|folder| folder.ends_with('/'));
    let path = normal(folder.unwrap_or(word));
    let name = path
        .rsplit_once('/')
        .map_or(path.as_str(), |(_, name)| name);
    ROOTS.contains(&path.as_str()) || path.starts_with("../") || is_in_git_folder(name)
}

/// Returns a path without empty parts, `.` and the `..` that its own parts take back.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let is_absolute = path.starts_with('/');
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match parts.last() {
            Some(last) if part == ".." && *last != ".." => drop(parts.pop()),
            None if part == ".." && is_absolute => {}
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    if is_absolute {
        format!("/{path}")
    } else {
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_commands_never_run() {
        for line in [
            "rm -rf /",
            "rm -rf //",
            "rm -rf /.",
            "rm -rf /usr/..",
            "cd x && sudo rm -fr ~/",
            "bash -c 'rm -rf \"$HOME\"'",
            "rm -rf ${HOME}",
            "rm -rf \"${HOME}/\"",
            "\\rm -rf ~",
            "r'm' -rf ~",
            "timeout 5 rm -rf ~",
            "if true; then rm -rf ~; fi",
            "rm -r -f .git",
            "rm -rf .git/",
            "rm -rf ./.git",
            "rm -rf sub/.git",
            "rm -rf .GIT",
            "rm -rf 'git~1'",
            "rm -rf ../x",
            "rm --recursive /*",
            "rm -rf /etc/",
            "rm -rf /etc/*",
            "chmod -R 777 /",
            "dd if=/dev/zero of=/dev/sda",
            "mkfs.ext4 /dev/sda1",
            "/sbin/reboot",
            "echo x; 'reboot'",
            "rm -rf ~ )",
            ":(){ :|:& };:",
        ] {
            assert!(never(line).is_some(), "{line}");
        }
    }

    #[test]
    fn others_are_the_users_to_allow() {
        for line in [
            "rm -rf target",
            "rm -rf target/*",
            "rm -rf *",
            "rm out/x",
            "rm -rf /srv/x",
            "echo reboot",
            "git push --force",
            "ls -R /",
        ] {
            assert_eq!(never(line), None, "{line}");
        }
    }

    #[test]
    fn gits_own_files_are_not_edited() {
        for path in [
            ".git/config",
            "./.git/hooks/x",
            "sub\\.GIT\\x",
            ".g\u{200c}it/x",
        ] {
            assert!(never_path(path).is_some(), "{path}");
        }
        for path in [".gitignore", ".github/x", "./a.git"] {
            assert_eq!(never_path(path), None, "{path}");
        }
    }
}
