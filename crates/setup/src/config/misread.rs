//! Syntax and type errors of a configuration file, as lines for the user.
//!
//! In: a file's text and the error of the TOML parser. Out: the file, the place, what is wrong and
//! the key. No value is shown: it may be a key or a password.

use std::path::Path;

/// What comes before a value that a message names.
const NAMED_VALUE: &str = ": string \"";

/// Returns what is wrong with a file: its name, then the place and the reason, then the line.
pub(super) fn in_lines(path: &Path, text: &str, error: &toml::de::Error) -> String {
    let head = format!("{} is not understood", path.display());
    let why = without_value(error.message());
    let Some(span) = error.span() else {
        return format!("{head}\n{why}");
    };
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default();
    let column = column.chars().count() + 1;
    let number = line + 1;
    let told = format!("{head}\nline {number}, column {column}: {why}");
    match shown(text.lines().nth(line).unwrap_or_default()) {
        Some(shown) => format!("{told}\n{number} | {shown}"),
        None => told,
    }
}

/// Returns what of a line may be shown: the header of a table, or a key without its value.
fn shown(line: &str) -> Option<String> {
    let plain = |text: &str| {
        let of_key = |c: char| c.is_ascii_alphanumeric() || "_-. []".contains(c);
        !text.trim().is_empty() && text.chars().all(of_key)
    };
    match line.split_once('=') {
        Some((key, _)) if plain(key) => Some(format!("{key}= ...")),
        None if plain(line) && line.trim_start().starts_with('[') => Some(line.to_owned()),
        _ => None,
    }
}

/// Takes a value out of a message about its type.
fn without_value(message: &str) -> String {
    let message = message.trim_end().replace('\n', "; ");
    match message.split_once(NAMED_VALUE) {
        Some((head, rest)) => {
            let expected = rest.rsplit_once(", expected ").map_or("", |(_, what)| what);
            format!("{head}: string, expected {expected}")
        }
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{UserFile, WorkspaceFile};

    fn lines<T: serde::de::DeserializeOwned>(text: &str) -> String {
        let Err(error) = toml::from_str::<T>(text) else {
            panic!("{text} is understood")
        };
        in_lines(Path::new("c.toml"), text, &error)
    }

    #[test]
    fn a_file_that_is_not_understood_is_told_by_line_and_key() {
        let check = |told: String, expected: &str| {
            assert!(told.starts_with(expected), "{told}\n{expected}");
        };
        check(
            lines::<WorkspaceFile>("offline = true\n[turn\n"),
            "c.toml is not understood\nline 2, column 6: unclosed table, expected `]`\n2 | [turn",
        );
        check(
            lines::<UserFile>("[turn]\n max_requests = \"x\"\n"),
            "c.toml is not understood\nline 2, column 17: invalid type: string, expected u32\n\
             2 |  max_requests = ...",
        );
        check(
            lines::<UserFile>("# ä\nmodell = 'x'"),
            "c.toml is not understood\nline 2, column 1: unknown field `modell`, expected one of",
        );
        check(
            lines::<UserFile>("[turn]\nstop = 'never'"),
            "c.toml is not understood\nline 2, column 8: ",
        );
    }

    #[test]
    fn no_value_is_shown() {
        for text in [
            "headers = \"Bearer sk-secret, expected x\"",
            "headers = { Authorization = Bearer sk-secret }",
            "proxy = \"http://me:sk-secret@host",
            "proxy = 'http://me:sk-secret@host",
            "sk-secret+/",
            "api_key_env = sk-secret",
            "headers = { A = \"sk-secret\" \n x",
            "body = \"sk-secret\"",
            "offline = \"sk-secret\"",
            "history_limit = \"sk-secret\"",
            "api_key_command = \"sk-secret\"",
            "proxy = \"\"\"\nsk-secret",
            "[headers]\nA = [\"sk-secret\"]",
        ] {
            let told = lines::<UserFile>(text);
            assert!(!told.contains("secret"), "{text}: {told}");
        }
    }
}
