//! A command line as rules see it: the commands that it is made of.
//!
//! In: a command line. Out: its simple commands, in which quoted text stays whole; or
//! fragments, in which it does not. This is no shell: where it is in doubt it makes one part
//! more, which no rule is likely to allow.

use std::iter::Peekable;
use std::str::Chars;

/// Words that run the words after them.
const WRAPPERS: [&str; 10] = [
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "time", "xargs",
];
/// Redirections that touch no file.
const HARMLESS: [&str; 8] = [
    "2>&1",
    "1>&2",
    ">&2",
    ">/dev/null",
    "1>/dev/null",
    "2>/dev/null",
    "&>/dev/null",
    "</dev/null",
];

/// Returns the simple commands of a line, blanks made single and harmless redirections left
/// out. What is redirected elsewhere, substituted or grouped is a part of its own.
pub(super) fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let line = without_harmless(line);
    let mut rest = line.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\\' => {
                push(&mut parts, char);
                rest.next()
                    .into_iter()
                    .for_each(|char| push(&mut parts, char));
            }
            '\'' => quoted(&mut rest, &mut parts),
            '"' => double_quoted(&mut rest, &mut parts),
            ';' | '&' | '|' | '\n' | '\r' | '(' | ')' | '<' | '>' | '`' => {
                parts.push(String::new())
            }
            char => push(&mut parts, char),
        }
    }
    tidy(parts)
}

/// Returns the fragments between anything that a shell gives a meaning to.
pub(super) fn fragments(line: &str) -> Vec<String> {
    let meaning = |char: char| ";&|()<>{}`$\"'\n\r".contains(char);
    tidy(line.split(meaning).map(str::to_owned).collect())
}

/// Returns a command without what only leads up to it: assignments, wrappers, the folder that
/// its program is in.
pub(super) fn bare(command: &str) -> String {
    let mut words = command.split(' ').peekable();
    while let Some(word) = words.peek() {
        let assigns = word.split_once('=').is_some_and(|(name, _)| is_name(name));
        let leads = assigns || WRAPPERS.contains(&program(word)) || word.starts_with('-');
        if !leads {
            break;
        }
        words.next();
    }
    let first = words.next().map(program).unwrap_or_default();
    let words: Vec<&str> = std::iter::once(first).chain(words).collect();
    words.join(" ")
}

fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|char| char == '_' || char.is_ascii_alphanumeric())
}

fn quoted(rest: &mut Peekable<Chars<'_>>, parts: &mut [String]) {
    push(parts, '\'');
    for char in rest.by_ref() {
        push(parts, char);
        if char == '\'' {
            break;
        }
    }
}

/// In double quotes only a substitution is run.
fn double_quoted(rest: &mut Peekable<Chars<'_>>, parts: &mut Vec<String>) {
    push(parts, '"');
    while let Some(char) = rest.next() {
        match char {
            '\\' => {
                push(parts, char);
                rest.next().into_iter().for_each(|char| push(parts, char));
            }
            '`' => parts.push(String::new()),
            '$' if rest.peek() == Some(&'(') => parts.push(String::new()),
            '"' => return push(parts, char),
            char => push(parts, char),
        }
    }
}

fn push(parts: &mut [String], char: char) {
    if let Some(last) = parts.last_mut() {
        last.push(char);
    }
}

/// Leaves out redirections that touch no file; a quote before one keeps it.
fn without_harmless(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let kept = words.into_iter().filter(|word| !HARMLESS.contains(word));
    kept.collect::<Vec<_>>().join(" ")
}

fn tidy(parts: Vec<String>) -> Vec<String> {
    let parts = parts.into_iter();
    let single = |part: String| part.split_whitespace().collect::<Vec<_>>().join(" ");
    parts.map(single).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_at_operators() {
        let check = |line: &str, expected: &[&str]| assert_eq!(parts(line), expected, "{line}");
        check("cargo test", &["cargo test"]);
        check("  cargo   test  ", &["cargo test"]);
        check("cargo test 2>&1 | tail -5", &["cargo test", "tail -5"]);
        check("a && b || c; d & e\nf", &["a", "b", "c", "d", "e", "f"]);
        check("cargo test > ~/.bashrc", &["cargo test", "~/.bashrc"]);
        check("echo $(rm x) `rm y`", &["echo $", "rm x", "rm y"]);
        check("git commit -m 'a; b'", &["git commit -m 'a; b'"]);
        check("git commit -m \"a; b\"", &["git commit -m \"a; b\""]);
        check("echo \"$(rm x)\"", &["echo \"", "(rm x)\""]);
        check("echo a\\;b", &["echo a\\;b"]);
        check("", &[]);
    }

    #[test]
    fn fragments_look_into_quotes() {
        assert_eq!(fragments("bash -c 'git push'"), ["bash -c", "git push"]);
        assert_eq!(fragments("x \"$(git push)\""), ["x", "git push"]);
    }

    #[test]
    fn what_leads_up_to_a_command_is_left_out() {
        let check = |command, expected: &str| assert_eq!(bare(command), expected);
        check("git push", "git push");
        check("sudo -E git push", "git push");
        check("A=1 env B=2 /usr/bin/git push", "git push");
        check("", "");
    }
}
