//! Tokens of a line of code, whatever its language.
//!
//! ```text
//! return foo(3) != "a b";  # why     Word return, Word foo, Sign (, Number 3, Sign ), Sign !=, Text "a b", Sign ;
//! ```
//!
//! In: a line, and how comments begin in its file. Out: its tokens. A hunk has no beginning, so that nothing is known of what a
//! line stands in: a line within a text of several lines is read as code.

use signoff_core::role::Role;
use signoff_core::text::Slice as _;

/// Signs of more than one character, longest first.
const LONG_SIGNS: [&str; 26] = [
    "===", "!==", "**=", "...", "..=", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "=>",
    "->", "::", "+=", "-=", "*=", "/=", "%=", "??", "?.", ":=", "<<", ">>",
];

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    /// A number.
    Number(&'a str),
    /// A text in quotes, with them.
    Text(&'a str),
    /// Anything else.
    Sign(&'a str),
}

/// How comments begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comments {
    /// `#`
    Hash,
    /// `//`, and lines that begin with `/*` or `*`.
    Slash,
    /// `--`
    Dash,
    /// There are none: it is text for people.
    Prose,
}

impl Comments {
    /// Returns how comments begin in a file.
    pub(super) fn of(path: &str) -> Self {
        if Role::of(path) == Role::Prose {
            return Self::Prose;
        }
        match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "py" | "pyi" | "pyx" | "rb" | "sh" | "bash" | "pl" | "ex" | "exs" | "toml" | "yml"
            | "yaml" | "cfg" | "ini" => Self::Hash,
            "sql" | "lua" | "hs" => Self::Dash,
            "" => Self::Hash,
            _ => Self::Slash,
        }
    }

    /// Returns the bytes that begin a comment in the middle of a line.
    fn mark(self) -> Option<&'static str> {
        match self {
            Self::Hash => Some("#"),
            Self::Slash => Some("//"),
            Self::Dash => Some("--"),
            Self::Prose => None,
        }
    }

    /// Tells whether a line is a comment as a whole.
    pub(super) fn is_comment(self, line: &str) -> bool {
        let line = line.trim_start();
        self.mark().is_some_and(|mark| line.starts_with(mark))
            || self == Self::Slash && (line.starts_with("/*") || line.starts_with('*'))
    }
}

/// Returns the tokens of a line; a comment is none.
pub(super) fn tokens(line: &str, comments: Comments) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    if comments.is_comment(line) {
        return found;
    }
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if comments.mark().is_some_and(|mark| rest.starts_with(mark)) {
            break;
        }
        let (token, length) = next(rest, first);
        found.push(token);
        rest = rest.slice(length..).trim_start();
    }
    found
}

/// Returns the token that a text begins with, and its length.
fn next(rest: &str, first: char) -> (Token<'_>, usize) {
    let upto = |length: usize| rest.get(..length).unwrap_or(rest);
    if let '"' | '\'' | '`' = first
        && let Some(length) = quoted(rest, first)
    {
        return (Token::Text(upto(length)), length);
    }
    if first.is_ascii_digit() {
        let length = number(rest);
        return (Token::Number(upto(length)), length);
    }
    if is_of_word(first) {
        let end = rest.find(|c: char| !is_of_word(c) && !c.is_ascii_digit());
        let length = end.unwrap_or(rest.len());
        return (Token::Word(upto(length)), length);
    }
    let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
    let length = long.map_or(first.len_utf8(), |sign| sign.len());
    (Token::Sign(upto(length)), length)
}

fn is_of_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

/// Returns the length of a number: `0x1F`, `1_000`, `2.5`, `10u8`; not of the range in `0..9`.
fn number(rest: &str) -> usize {
    let mut length = 0;
    for (at, c) in rest.char_indices() {
        let is_point = c == '.'
            && rest
                .get(at + 1..)
                .is_some_and(|after| after.starts_with(|c: char| c.is_ascii_digit()));
        if !(c.is_ascii_alphanumeric() || c == '_' || is_point) {
            break;
        }
        length = at + c.len_utf8();
    }
    length
}

/// Returns the length of a text that begins with a quote, up to the next one that nothing escapes; none where there is none, as
/// behind the apostrophe of a lifetime.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_without_its_comment() {
        use Token::{Number, Sign, Text, Word};
        let table: [(&str, Comments, Vec<Token<'_>>); 6] = [
            (
                "return foo(3) != \"a # b\"  # why",
                Comments::Hash,
                vec![
                    Word("return"),
                    Word("foo"),
                    Sign("("),
                    Number("3"),
                    Sign(")"),
                    Sign("!="),
                    Text("\"a # b\""),
                ],
            ),
            ("// only words", Comments::Slash, vec![]),
            ("  * only words", Comments::Slash, vec![]),
            (
                "0..2.5 'a",
                Comments::Slash,
                vec![
                    Number("0"),
                    Sign("."),
                    Sign("."),
                    Number("2.5"),
                    Sign("'"),
                    Word("a"),
                ],
            ),
            ("# Title", Comments::Prose, vec![Sign("#"), Word("Title")]),
            ("", Comments::Slash, vec![]),
        ];
        for (line, comments, expected) in table {
            assert_eq!(tokens(line, comments), expected, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_tokens(line in ".*") {
            for comments in [Comments::Hash, Comments::Slash, Comments::Dash, Comments::Prose] {
                let _tokens = tokens(&line, comments);
            }
        }
    }
}
