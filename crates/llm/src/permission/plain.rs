//! Command lines simple enough for a rule to allow.
//!
//! In: a command line. Out: its commands, if it keeps to a grammar so small that bash cannot read
//! it otherwise: printable ASCII words, simple quotes, `&&`, `||`, `;` and `|`, `$?`, and
//! redirections that touch no file.

use super::word::{SimpleCommand, Token, Word};

/// Redirections between words that touch no file.
const HARMLESS: [&str; 9] = [
    "2>&1",
    "1>&2",
    ">&2",
    ">/dev/null",
    "1>/dev/null",
    "2>/dev/null",
    "&>/dev/null",
    "2>>/dev/null",
    "</dev/null",
];

/// Words that mean something else than a program where a command begins.
const RESERVED: [&str; 18] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "in", "function", "select", "time", "coproc", "!",
];

/// What some builtins (`test -v`, `let`, `printf -v`) expand inside of a quoted word.
const EXPANDED_LATE: [&str; 4] = ["$(", "${", "$[", "`"];

/// Returns the commands of a plain line, in order; `None` if it is not plain.
pub(super) fn commands(line: &str) -> Option<Vec<SimpleCommand>> {
    let mut commands = vec![SimpleCommand::new()];
    let mut rest = line.trim_matches([' ', '\t']);
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest = rest.get(blanks..)?;
        let last = commands.last_mut()?;
        if let Some(after) = operator(rest) {
            if last.is_empty() {
                return None;
            }
            commands.push(SimpleCommand::new());
            rest = after;
        } else if let Some(after) = harmless(rest) {
            if last.is_empty() {
                return None;
            }
            rest = after;
        } else {
            let (word, after) = word(rest)?;
            if last.is_empty() && !names_a_program(&word) {
                return None;
            }
            last.push(word);
            rest = after;
        }
    }
    // A `;` at the end begins no command.
    let ends = line.trim_end_matches([' ', '\t']).ends_with(';');
    commands.pop_if(|last| last.is_empty() && ends);
    commands
        .iter()
        .all(|command| !command.is_empty())
        .then_some(commands)
}

fn operator(rest: &str) -> Option<&str> {
    let operators = ["&&", "||", ";", "|"];
    let after = operators.iter().find_map(|sign| rest.strip_prefix(sign))?;
    // `|&`, `;;` and the like are others.
    (!after.starts_with(['&', '|', ';'])).then_some(after)
}

fn harmless(rest: &str) -> Option<&str> {
    HARMLESS.iter().find_map(|form| {
        let after = rest.strip_prefix(form)?;
        let ends = after.is_empty() || after.starts_with([' ', '\t', ';', '|']);
        ends.then_some(after)
    })
}

fn names_a_program(word: &Word) -> bool {
    word.known().is_some_and(|name| {
        !name.is_empty() && !name.contains('=') && !RESERVED.contains(&name.as_str())
    })
}

/// Reads one word, of quoted and unquoted pieces.
fn word(begin: &str) -> Option<(Word, &str)> {
    let mut word = Word::default();
    let mut rest = begin;
    while let Some(char) = rest.chars().next() {
        match char {
            ' ' | '\t' | ';' | '|' | '&' => break,
            '\'' => {
                let (inner, after) = rest.get(1..)?.split_once('\'')?;
                push(&mut word, inner, |char| char != '\'')?;
                rest = after;
            }
            '"' => {
                let (inner, after) = rest.get(1..)?.split_once('"')?;
                double_quoted(&mut word, inner)?;
                rest = after;
            }
            '$' => {
                rest = rest.strip_prefix("$?")?;
                word.0.push(Token::Any);
            }
            '~' if word.0.is_empty() => return None,
            char if char.is_ascii_alphanumeric() || "_-./:=@%+,~^".contains(char) => {
                word.0.push(Token::Char(char));
                rest = rest.get(1..)?;
            }
            _ => return None,
        }
    }
    // An operator that is not plain, as `&`, begins no word.
    (rest.len() < begin.len()).then_some((word, rest))
}

fn double_quoted(word: &mut Word, inner: &str) -> Option<()> {
    let mut pieces = inner.split("$?");
    push(word, pieces.next()?, |char| !"$`\\".contains(char))?;
    for piece in pieces {
        word.0.push(Token::Any);
        push(word, piece, |char| !"$`\\".contains(char))?;
    }
    Some(())
}

/// Adds quoted text, if it is printable and nothing expands it.
fn push(word: &mut Word, text: &str, allowed: impl Fn(char) -> bool) -> Option<()> {
    let printable = |char: char| char == ' ' || char.is_ascii_graphic();
    let late = EXPANDED_LATE.iter().any(|form| text.contains(form));
    if late || !text.chars().all(|char| printable(char) && allowed(char)) {
        return None;
    }
    word.0.extend(text.chars().map(Token::Char));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Option<Vec<String>> {
        let word = |word: &Word| word.known().unwrap_or_else(|| "*".to_owned());
        let words =
            |command: &SimpleCommand| command.iter().map(word).collect::<Vec<_>>().join("·");
        Some(commands(line)?.iter().map(words).collect())
    }

    #[test]
    fn plain_lines_are_read() {
        let check = |line: &str, expected: &[&str]| {
            assert_eq!(
                shown(line).as_deref(),
                Some(expected.map_strings().as_slice()),
                "{line}"
            );
        };
        check("cargo test", &["cargo·test"]);
        check("  cargo\t test ;", &["cargo·test"]);
        check("a && b || c; d | e", &["a", "b", "c", "d", "e"]);
        check("a&&b|c", &["a", "b", "c"]);
        check("cargo test 2>&1 | tail -5", &["cargo·test", "tail·-5"]);
        check("a >/dev/null 2>&1", &["a"]);
        check(
            "git commit -m 'a; b' \"c | d\"",
            &["git·commit·-m·a; b·c | d"],
        );
        check("awk '{print $1}' x", &["awk·{print $1}·x"]);
        check("g\"i\"'t' push", &["git·push"]);
        check("exit $?", &["exit·*"]);
        check("echo \"code $?\"", &["echo·*"]);
    }

    #[test]
    fn anything_else_is_not() {
        for line in [
            "",
            " ",
            ";",
            "&& a",
            "a &&",
            "a | ",
            "a || || b",
            "a ;; b",
            "a |& b",
            "a & b",
            "a &",
            "a\nb",
            "a\rb",
            "a\u{c}b",
            "a\u{a0}b",
            "a # b",
            "a#b",
            "# a",
            "a \\; b",
            "\\ls",
            "echo $'a'",
            "echo $\"a\"",
            "echo \"`b`\"",
            "echo `b`",
            "echo $(b)",
            "echo \"$(b)\"",
            "echo ${x='$(b)'}",
            "echo $x",
            "echo \"$x\"",
            "echo $[b]",
            "echo $((1))",
            "echo a[0]",
            "echo \"${x#'\"'}\"",
            "test -v 'a[$(b)]'",
            "echo '`b`'",
            "ls *",
            "ls ?",
            "ls [a]",
            "ls {a,b}",
            "ls ~",
            "ls ~/x",
            "a > b",
            "a >b",
            "a >> b",
            "a < b",
            "a << b",
            "a <<< b",
            "a <(b)",
            "a >(b)",
            "a 2> b",
            "a >/dev/nullx",
            "a >/dev/null/../x",
            "a2>&1x",
            "> /dev/null",
            ">/dev/null",
            "(a)",
            "{ a; }",
            "! a",
            "if a; then b; fi",
            "time a",
            "A=1 b",
            "A=1",
            "''",
            "'' a",
            "a 'b",
            "a \"b",
            "a \\",
            "a\\\nb",
            "é",
            "echo 'é'",
            "echo \"a\\\"b\"",
            "coproc a",
            "a=(b)",
            "function a",
            "[[ a ]]",
            "((a))",
        ] {
            assert_eq!(shown(line), None, "{line:?}");
        }
    }

    trait Strings {
        fn map_strings(&self) -> Vec<String>;
    }

    impl Strings for [&str] {
        fn map_strings(&self) -> Vec<String> {
            self.iter().map(|text| (*text).to_owned()).collect()
        }
    }
}
