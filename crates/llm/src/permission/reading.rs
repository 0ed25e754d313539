//! Command lines parsed as bash.
//!
//! In: a command line. Out: every simple command in it, also those in control flow,
//! substitutions, wrappers such as `timeout` and shells such as `bash -c`. What the parser cannot
//! read becomes a command that can be anything.

mod inner;
mod programs;
mod scripts;

use std::collections::HashMap;

use signoff_core::syntax::{Language, Node, Parsed};

use super::word::{SimpleCommand, Token, Word};
use inner::Inner;

/// How deep shells in shells are read.
const MAX_DEPTH: usize = 4;
/// Longer lines are not read: nobody types them, and each wrapper looks at all their words.
const MAX_LINE: usize = 16 * 1024;
/// Maximum number of commands that one line is read as: wrappers in wrappers have many readings.
const MAX_COMMANDS: usize = 4096;

/// A command line as it stands, without what its commands run in turn.
struct ParsedLine {
    commands: Vec<SimpleCommand>,
    /// Values of variables that name a program, as `PAGER`.
    assigned: Vec<Word>,
}

/// Returns the commands as they stand in the line, without those that they run in turn; `None`
/// if the parser cannot read it.
pub(super) fn simple_commands(line: &str) -> Option<Vec<SimpleCommand>> {
    read(line).map(|line| line.commands)
}

fn read(line: &str) -> Option<ParsedLine> {
    if line.len() > MAX_LINE {
        return None;
    }
    let parsed = Language::Bash.parse(line)?;
    if parsed.root().has_error() {
        return None;
    }
    let mut commands = Vec::new();
    let mut assigned = Vec::new();
    let mut behind: HashMap<usize, Vec<Word>> = HashMap::new();
    parsed.walk(|node| match node.kind() {
        "redirected_statement" => {
            if let Some(last) = last_command(node) {
                behind.insert(last.id(), behind_redirections(&parsed, node));
            }
        }
        "command" => {
            let mut words = command(&parsed, node);
            words.extend(behind.remove(&node.id()).unwrap_or_default());
            commands.push(words);
        }
        // Builtins of which the parser has nodes of their own.
        "declaration_command" | "unset_command" | "test_command" => {
            let text = parsed.text(node);
            let name = text.split_whitespace().next().unwrap_or_default();
            commands.push(vec![Word::of(name), Word::any()]);
        }
        "variable_assignment" => {
            let name = node.child_by_field_name("name");
            let value = node.child_by_field_name("value");
            if let (Some(name), Some(value)) = (name, value)
                && programs::names_a_program(parsed.text(name))
            {
                assigned.push(word(&parsed, value));
            }
        }
        _ => {}
    });
    Some(ParsedLine { commands, assigned })
}

/// Returns the simple command that redirections belong to: the last one in front of them.
fn last_command(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        at = match at.kind() {
            "command" => return Some(at),
            "redirected_statement" => at.child_by_field_name("body")?,
            "pipeline" | "list" | "negated_command" => {
                let last = at.named_child_count().checked_sub(1)?;
                at.named_child(u32::try_from(last).ok()?)?
            }
            _ => return None,
        };
    }
}

/// Returns the words that stand behind redirections and belong to the command in front of them: the
/// parser takes `push` in `git >x push` for one more target.
fn behind_redirections(parsed: &Parsed<'_>, node: Node<'_>) -> Vec<Word> {
    let mut words = Vec::new();
    let mut cursor = node.walk();
    for redirect in node.children_by_field_name("redirect", &mut cursor) {
        let mut inside = redirect.walk();
        match redirect.kind() {
            "file_redirect" => {
                let targets = redirect.children_by_field_name("destination", &mut inside);
                words.extend(targets.skip(1).map(|child| word(parsed, child)));
            }
            "heredoc_redirect" => {
                let arguments = redirect.children_by_field_name("argument", &mut inside);
                words.extend(arguments.map(|child| word(parsed, child)));
            }
            _ => {}
        }
    }
    words
}

/// Returns the commands of a line and all that they run as far as it shows. A command that cannot
/// be read is one word that can be anything.
pub(super) fn all_commands(line: &str) -> Vec<SimpleCommand> {
    let mut all = Vec::new();
    collect(line, MAX_DEPTH, &mut all);
    all
}

fn collect(line: &str, depth: usize, all: &mut Vec<SimpleCommand>) {
    let read = read(line).filter(|_| depth > 0 && all.len() < MAX_COMMANDS);
    let Some(ParsedLine { commands, assigned }) = read else {
        return all.push(vec![Word::any()]);
    };
    for value in assigned {
        match value.known() {
            Some(line) => collect(&line, depth - 1, all),
            None => all.push(vec![Word::any()]),
        }
    }
    for command in commands {
        run_by(&command, depth, all);
        all.push(command);
    }
}

/// Adds what a command runs in turn.
fn run_by(command: &[Word], depth: usize, all: &mut Vec<SimpleCommand>) {
    for inner in inner::run_by(command) {
        match inner {
            _ if depth == 0 || all.len() >= MAX_COMMANDS => all.push(vec![Word::any()]),
            Inner::Command(command) => {
                if !programs::is_only_wrapper(&command) {
                    run_by(&command, depth - 1, all);
                }
                all.push(command);
            }
            Inner::Line(line) => collect(&line, depth - 1, all),
            Inner::Unread => all.push(vec![Word::any()]),
            Inner::Program => all.push(vec![Word::any_program()]),
        }
    }
}

fn command(parsed: &Parsed<'_>, node: Node<'_>) -> SimpleCommand {
    let mut cursor = node.walk();
    let mut words = SimpleCommand::new();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "variable_assignment"
            | "file_redirect"
            | "heredoc_redirect"
            | "herestring_redirect" => {}
            "command_name" => words.extend(child.named_child(0).map(|name| word(parsed, name))),
            _ => words.push(word(parsed, child)),
        }
    }
    words
}

fn word(parsed: &Parsed<'_>, node: Node<'_>) -> Word {
    let mut word = Word::default();
    piece(parsed, node, &mut word);
    word
}

fn piece(parsed: &Parsed<'_>, node: Node<'_>, word: &mut Word) {
    let text = parsed.text(node);
    match node.kind() {
        "word" | "number" | "file_descriptor" => unquoted(text, word),
        "raw_string" => {
            let inner = text
                .strip_prefix('\'')
                .and_then(|text| text.strip_suffix('\''));
            word.0
                .extend(inner.unwrap_or(text).chars().map(Token::Char));
        }
        "string" => double_quoted(parsed, node, word),
        "concatenation" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                piece(parsed, child, word);
            }
        }
        "simple_expansion" | "expansion" if matches!(text, "$HOME" | "${HOME}") => {
            word.0.push(Token::Char('~'));
        }
        _ => word.0.push(Token::Any),
    }
}

/// Adds unquoted text: backslashes go, and what the shell expands can be anything.
fn unquoted(text: &str, word: &mut Word) {
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => word
                .0
                .extend(chars.next().filter(|char| *char != '\n').map(Token::Char)),
            '*' | '?' | '[' | '{' => word.0.push(Token::Any),
            char => word.0.push(Token::Char(char)),
        }
    }
}

/// Adds the text between double quotes; what is expanded in it can be anything.
fn double_quoted(parsed: &Parsed<'_>, node: Node<'_>, word: &mut Word) {
    let mut at = node.start_byte() + 1;
    let end = node.end_byte().saturating_sub(1);
    let literal = |range: std::ops::Range<usize>, word: &mut Word| {
        let mut chars = parsed
            .source()
            .get(range)
            .unwrap_or_default()
            .chars()
            .peekable();
        while let Some(char) = chars.next() {
            let escapes =
                char == '\\' && chars.peek().is_some_and(|next| "\"\\$`\n".contains(*next));
            let char = if escapes {
                chars.next().unwrap_or(char)
            } else {
                char
            };
            word.0
                .extend((!(escapes && char == '\n')).then_some(Token::Char(char)));
        }
    };
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() == "string_content" {
            continue;
        }
        literal(at..child.start_byte(), word);
        piece(parsed, child, word);
        at = child.end_byte();
    }
    literal(at..end, word);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let char = |token: &Token| match token {
            Token::Char(char) => *char,
            Token::Any => '*',
        };
        let word = |word: &Word| word.0.iter().map(char).collect::<String>();
        let words =
            |command: &SimpleCommand| command.iter().map(word).collect::<Vec<_>>().join("·");
        all_commands(line).iter().map(words).collect()
    }

    #[test]
    fn commands_are_found_wherever_they_stand() {
        let check = |line: &str, wanted: &str| {
            let found = shown(line);
            assert!(found.contains(&wanted.to_owned()), "{line}: {found:?}");
        };
        for line in [
            "git push",
            "git \"push\"",
            "g'i't push",
            "\\git push",
            "A=1 git push",
            "git push > x",
            "if true; then git push; fi",
            "while a; do git push; done",
            "f() { git push; }; f",
            "(git push)",
            "{ git push; }",
            "! git push",
            "a | git push",
            "a & git push",
            "echo $(git push)",
            "echo `git push`",
            "cat <(git push)",
            "case a in a) git push;; esac",
            "timeout 5 git push",
            "env A=1 nice -n 3 git push",
            "sudo -u x git push",
            "xargs git push",
            "bash -c 'git push'",
            "sh -c \"git push\"",
            "eval git push",
            "eval 'git push'",
            "timeout 5 bash -c 'git push'",
            "find . -exec git push",
            "time git push",
            "for i in 1; do git push; done",
            "git \\\n push",
            "trap 'git push' EXIT",
        ] {
            check(line, "git·push");
        }
        check("git -C . push", "git·-C·.·push");
        check("rm -rf ${HOME} \"$HOME\"/x", "rm·-rf·~·~/x");
        check("git $x", "git·*");
        check("$(echo git) push", "*·push");
        check("git $'push'", "git·*");
        check("bash -c \"$x\"", "*");
    }

    #[test]
    fn what_cannot_be_read_can_be_anything() {
        for line in [
            "if",
            "git push )",
            "a 'b",
            &"a ".repeat(MAX_LINE),
            "echo \"${x#'\"'}\" ' \" x",
        ] {
            let found = shown(line);
            assert!(found.contains(&"*".to_owned()), "{found:?}");
        }
        let nested = (0..6).fold("git push".to_owned(), |line, _| format!("eval {line:?}"));
        assert!(shown(&nested).contains(&"*".to_owned()));
    }
}
