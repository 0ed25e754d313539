//! Syntax and type errors of a configuration file, as lines for the user.
//!
//! In: a file's text and the error of the TOML parser. Out: the file, the place, what is wrong and
//! the key. No value is shown: it may be a key or a password.

use std::path::Path;

use signoff_core::spelling;

/// What comes before a value that a message names.
const NAMED_VALUE: &str = ": string \"";

/// Returns what is wrong with a file: its name, then the place and the reason, then the line.
pub(super) fn in_lines(path: &Path, text: &str, error: &toml::de::Error) -> String {
    let head = format!("{} is not understood", path.display());
    let why = nearest_alone(&without_value(error.message()));
    let Some(span) = error.span() else {
        return format!("{head}\n{why}");
    };
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default();
    let column = column.chars().count() + 1;
    let number = line + 1;
    let message = format!("{head}\nline {number}, column {column}: {why}");
    match shown(text.lines().nth(line).unwrap_or_default()) {
        Some(shown) => format!("{message}\n{number} | {shown}"),
        None => message,
    }
}

/// Returns what of a line may be shown: the header of a table, or a key without its value.
fn shown(line: &str) -> Option<String> {
    match line.split_once('=') {
        Some((key, _)) if is_key(key) => Some(format!("{key}= ...")),
        None if is_key(line) && line.trim_start().starts_with('[') => Some(line.to_owned()),
        _ => None,
    }
}

/// Returns whether a text has only characters that a key or the header of a table may have without quotes.
fn is_key(text: &str) -> bool {
    let mut chars = text.chars();
    !text.trim().is_empty() && chars.all(|c| c.is_ascii_alphanumeric() || "_-. []".contains(c))
}

/// Names the nearest of the names that are known in the place of all: ``unknown field `modell`, expected one of `model`,
/// `url` `` becomes ``unknown field `modell` (did you mean `model`?)``. A name that is near none keeps the list.
fn nearest_alone(message: &str) -> String {
    let parts = message.split_once("`, expected ");
    let named = parts.and_then(|(head, known)| Some((head, head.split_once('`')?.1, known)));
    let Some((head, word, known)) = named.filter(|_| message.starts_with("unknown ")) else {
        return message.to_owned();
    };
    match spelling::did_you_mean(word, known.split('`').skip(1).step_by(2)) {
        near if near.is_empty() => message.to_owned(),
        near => format!("{head}`{near}"),
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
        for (lines, expected) in [
            (
                lines::<WorkspaceFile>("offline = true\n[turn\n"),
                "c.toml is not understood\nline 2, column 6: unclosed table, expected `]`\n2 | [turn",
            ),
            (
                lines::<UserFile>("[turn]\n max_requests = \"x\"\n"),
                "c.toml is not understood\nline 2, column 17: invalid type: string, expected u32\n\
                 2 |  max_requests = ...",
            ),
            (
                lines::<UserFile>("# ä\nmodell = 'x'"),
                "c.toml is not understood\nline 2, column 1: unknown field `modell` (did you mean `model`?)",
            ),
            (
                lines::<UserFile>("colour = 'x'"),
                "c.toml is not understood\nline 1, column 1: unknown field `colour`, expected one of `model`, ",
            ),
            (
                lines::<UserFile>("[turn]\nchecks = 'informed'"),
                "c.toml is not understood\nline 2, column 10: unknown variant `informed` (did you mean `inform`?)",
            ),
            (
                lines::<UserFile>("history_limit = 0"),
                "c.toml is not understood\nline 1, column 17: 0 is too few: give 1 or more",
            ),
            (
                lines::<UserFile>("[turn]\nmax_requests = 0"),
                "c.toml is not understood\nline 2, column 16: 0 is too few: give 1 or more\n2 | max_requests = ...",
            ),
            (
                lines::<WorkspaceFile>("[turn]\nmax_requests = 0"),
                "c.toml is not understood\nline 2, column 16: 0 is too few: give 1 or more\n2 | max_requests = ...",
            ),
            (
                lines::<WorkspaceFile>("[turn]\nmax_tokens = 0"),
                "c.toml is not understood\nline 2, column 14: 0 is too few: give 1 or more\n2 | max_tokens = ...",
            ),
            (
                lines::<UserFile>("[[checks]]\nname = 'a'\ncommand = ['a']\ntimeout = 0"),
                "c.toml is not understood\nline 4, column 11: 0 is too few: give 1 to 86400\n4 | timeout = ...",
            ),
            (
                lines::<UserFile>("[[checks]]\nname = 'a'\ncommand = ['a']\ntimeout = 86401"),
                "c.toml is not understood\nline 4, column 11: 86401 is too many: give 1 to 86400\n4 | timeout = ...",
            ),
            (
                lines::<UserFile>("[mcp.a]\ntimeout_s = 0"),
                "c.toml is not understood\nline 2, column 13: 0 is too few: give 1 to 3600\n2 | timeout_s = ...",
            ),
            (
                lines::<UserFile>("[[models]]\nname = 'a'\ncontext = 0"),
                "c.toml is not understood\nline 3, column 11: 0 is too few: give 1 or more\n3 | context = ...",
            ),
            (
                lines::<UserFile>("[[models]]\nname = 'a'\nprice = { input = -1, output = 2 }"),
                "c.toml is not understood\nline 3, column 19: -1 is no price: give 0 or more\n3 | price = ...",
            ),
            (
                lines::<WorkspaceFile>("[turn]\nmax_cost = -1"),
                "c.toml is not understood\nline 2, column 12: -1 is no amount of dollars: give 0 or more",
            ),
            (
                lines::<UserFile>("[turn]\nstop = 'never'"),
                "c.toml is not understood\nline 2, column 8: ",
            ),
        ] {
            assert!(lines.starts_with(expected), "{lines}\n{expected}");
        }
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
