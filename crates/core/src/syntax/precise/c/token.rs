//! Tokens of C and C++, and the lines of the preprocessor between them.
//!
//! In: a text. Out: its [`Token`]s and [`Directive`]s in order, or the first fault that no branch
//! excuses: a string, a character or a comment without its end.

use super::names::Uses;
use super::words::{self, Word};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name that the language does not keep for itself.
    Name,
    /// A word of the language.
    Word(Word),
    Number,
    Text,
    Char,
    /// `(`, `[` or `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close(u8),
    Sign,
    /// A character that begins no token.
    Stray,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Whether it is the first of its line.
    pub(super) first: bool,
    /// What is known of it, if it is a name; filled in once that is known.
    pub(super) uses: Uses,
    /// Whether the text before has it.
    pub(super) told: bool,
}

/// A line of the preprocessor, with those that continue it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Directive<'a> {
    /// `if`, `define` and so on; empty for a lone `#`.
    pub(super) name: &'a str,
    /// What follows, comments included.
    pub(super) rest: &'a str,
    pub(super) at: usize,
    /// How many tokens stand before it.
    pub(super) before: usize,
}

/// A string, a character or a comment that does not end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unclosed {
    pub(super) at: usize,
    pub(super) what: &'static str,
}

/// What a text consists of.
#[derive(Debug, Default)]
pub(super) struct Tokens<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) directives: Vec<Directive<'a>>,
    pub(super) unclosed: Vec<Unclosed>,
}

const SIGNS: &[&str] = &[
    "<<=", ">>=", "...", "->*", "<=>", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", ".*", "##",
];

/// Reads a text.
pub(super) fn read(text: &str, cpp: bool) -> Tokens<'_> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        cpp,
        first: true,
        out: Tokens::default(),
    };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    while lexer.step() {}
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    cpp: bool,
    first: bool,
    out: Tokens<'a>,
}

impl<'a> Lexer<'a> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Takes one token, comment, blank or directive; false at the end.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.at) else {
            return false;
        };
        match byte {
            b'\n' => {
                self.first = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
            b'\\' if splice(self.bytes, self.at) > 0 => self.at += splice(self.bytes, self.at),
            b'/' if self.byte(1) == b'/' => self.at = line_end(self.bytes, self.at),
            b'/' if self.byte(1) == b'*' => self.comment(),
            b'#' if self.first => self.directive(),
            b'%' if self.first && self.byte(1) == b':' => {
                self.at += 1;
                self.directive();
            }
            b'"' => self.quoted(self.at, b'"', Kind::Text),
            b'\'' => self.quoted(self.at, b'\'', Kind::Char),
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_ascii_digit() => self.number(),
            b'(' | b'[' | b'{' => self.push(Kind::Open(byte), 1),
            b')' | b']' | b'}' => self.push(Kind::Close(byte), 1),
            b'<' if self.byte(1) == b'%' => self.push(Kind::Open(b'{'), 2),
            b'%' if self.byte(1) == b'>' => self.push(Kind::Close(b'}'), 2),
            b'@' | b'`' | b'\\' | b'#' | 0x00..=0x1f | 0x7f => self.push(Kind::Stray, 1),
            _ if is_word(byte) => self.word(),
            _ => self.sign(),
        }
        true
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let end = self.at + length;
        let token = Token {
            kind,
            text: self.text.get(self.at..end).unwrap_or_default(),
            at: self.at,
            first: self.first,
            uses: 0,
            told: false,
        };
        self.out.tokens.push(token);
        self.first = false;
        self.at = end;
    }

    fn sign(&mut self) {
        if !b"=<>&|+-*:.#!^%/".contains(&self.byte(1)) {
            let length = self.rest().chars().next().map_or(1, char::len_utf8);
            return self.push(Kind::Sign, length);
        }
        let rest = self.rest();
        let length = SIGNS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .map_or(1, |sign| sign.len());
        self.push(Kind::Sign, length);
    }

    fn comment(&mut self) {
        match comment_end(self.bytes, self.at + 2) {
            Some(end) => self.at = end,
            None => {
                self.unclosed(self.at, "this comment is not closed");
                self.at = self.bytes.len();
            }
        }
    }

    fn unclosed(&mut self, at: usize, what: &'static str) {
        self.out.unclosed.push(Unclosed { at, what });
    }

    /// Takes a string or character whose first quote is at the cursor or, after a prefix, later.
    fn quoted(&mut self, open: usize, quote: u8, kind: Kind) {
        let (end, closed) = quoted_end(self.bytes, open, quote);
        if !closed {
            let what = match kind {
                Kind::Char => "this character is not closed",
                _ => "this string is not closed",
            };
            self.unclosed(open, what);
        }
        self.push(kind, end - self.at + self.suffix(end));
    }

    /// Returns the length of what C++ lets follow a quote: `"a"_s`, `'b'sv`.
    fn suffix(&self, at: usize) -> usize {
        let word = self
            .text
            .get(at..word_end(self.bytes, at))
            .unwrap_or_default();
        let known = matches!(
            word,
            "s" | "sv" | "h" | "min" | "ms" | "us" | "ns" | "i" | "il" | "if" | "y" | "d"
        );
        match self.cpp && (known || word.starts_with('_')) {
            true => word.len(),
            false => 0,
        }
    }

    fn number(&mut self) {
        let mut end = self.at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            let last = self.bytes.get(end - 1).copied().unwrap_or(0);
            let signed = matches!(byte, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P');
            let next = self.bytes.get(end + 1).copied().unwrap_or(0);
            let split = byte == b'\'' && (self.cpp || next.is_ascii_digit()) && is_word(next);
            if !(is_word(byte) || byte == b'.' || signed || split) {
                break;
            }
            end += 1;
        }
        self.push(Kind::Number, end - self.at);
    }

    fn word(&mut self) {
        let end = word_end(self.bytes, self.at);
        let word = self.text.get(self.at..end).unwrap_or_default();
        match self.bytes.get(end) {
            Some(b'"') if self.cpp && matches!(word, "R" | "LR" | "uR" | "UR" | "u8R") => {
                self.raw(end);
            }
            Some(b'"') if matches!(word, "L" | "u" | "U" | "u8") => {
                self.quoted(end, b'"', Kind::Text);
            }
            Some(b'\'') if matches!(word, "L" | "u" | "U" | "u8") => {
                self.quoted(end, b'\'', Kind::Char);
            }
            _ => {
                let kind = words::word(word, self.cpp).map_or(Kind::Name, Kind::Word);
                let kind = if kind == Kind::Word(Word::Sign) {
                    Kind::Sign
                } else {
                    kind
                };
                self.push(kind, end - self.at);
            }
        }
    }

    /// Takes `R"x(...)x"`, whose first quote is at `open`.
    fn raw(&mut self, open: usize) {
        let body = self.text.get(open + 1..).unwrap_or_default();
        let mark = body.bytes().take(17).position(|byte| byte == b'(');
        let end = mark.and_then(|length| {
            let close = format!("){}\"", body.get(..length)?);
            let found = memchr::memmem::find(body.as_bytes(), close.as_bytes())?;
            Some(open + 1 + found + close.len())
        });
        if end.is_none() {
            self.unclosed(open, "this string is not closed");
        }
        let end = end.unwrap_or(self.bytes.len());
        self.push(Kind::Text, end - self.at);
    }

    fn directive(&mut self) {
        let at = self.at;
        let mut from = at + 1;
        loop {
            match self.bytes.get(from) {
                Some(b' ' | b'\t') => from += 1,
                Some(b'\\') if splice(self.bytes, from) > 0 => from += splice(self.bytes, from),
                _ => break,
            }
        }
        let name_end = word_end(self.bytes, from);
        let name = self.text.get(from..name_end).unwrap_or_default();
        let end = self.directive_end(name_end, name);
        self.out.directives.push(Directive {
            name,
            rest: self.text.get(name_end..end).unwrap_or_default(),
            at,
            before: self.out.tokens.len(),
        });
        self.at = end;
    }

    /// Returns where a directive ends whose name ends at `at`.
    fn directive_end(&mut self, mut at: usize, name: &str) -> usize {
        // The words of these are no tokens, and a `'` in them is none.
        let prose = matches!(name, "error" | "warning" | "warn");
        let mut header = matches!(name, "include" | "include_next" | "import");
        while let Some(&byte) = self.bytes.get(at) {
            let next = self.bytes.get(at + 1).copied();
            match byte {
                b'\n' => break,
                b'\\' => at += splice(self.bytes, at).max(1),
                b'/' if next == Some(b'/') => at = line_end(self.bytes, at),
                b'/' if next == Some(b'*') => match comment_end(self.bytes, at + 2) {
                    Some(end) => at = end,
                    None => {
                        self.unclosed(at, "this comment is not closed");
                        at = self.bytes.len();
                    }
                },
                b'<' if header => {
                    header = false;
                    let line = self
                        .bytes
                        .get(at..line_end(self.bytes, at))
                        .unwrap_or_default();
                    at += line.iter().position(|byte| *byte == b'>').unwrap_or(1);
                }
                b'"' | b'\'' if !prose => {
                    let (end, closed) = quoted_end(self.bytes, at, byte);
                    at = if closed { end } else { at + 1 };
                }
                _ => at += 1,
            }
        }
        at.min(self.bytes.len())
    }
}

/// Returns whether a word that begins as a number is one, as far as its letters tell.
pub(super) fn is_number(word: &str, cpp: bool) -> bool {
    let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    if let Some(digits) = hex {
        return digits.starts_with(|c: char| c.is_ascii_hexdigit() || c == '.');
    }
    let ends = |c: char| !(c.is_ascii_digit() || matches!(c, '.' | '\'' | '+' | '-'));
    let mut tail = word.trim_start_matches(|c: char| !ends(c));
    if let Some(power) = tail.strip_prefix(['e', 'E']) {
        tail = power.trim_start_matches(|c: char| !ends(c));
    }
    let known = |c: char| "uUlLzZiIjJqQwWkKrRhH".contains(c);
    // Hexadecimal digits may be a part of what a macro puts together.
    tail.chars().all(|c| known(c) || c.is_ascii_hexdigit())
        || cpp && (tail.starts_with('_') || tail.len() < 4)
}

/// Returns the length of a `\` with the line ending after it; none if there is no such ending.
fn splice(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at + 1..).unwrap_or_default();
    let blanks = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    match rest.get(blanks) {
        Some(b'\n') => blanks + 2,
        None => blanks + 1,
        _ => 0,
    }
}

/// Returns the end of a line with those that continue it.
fn line_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(length) = memchr::memchr(b'\n', rest) else {
            return bytes.len();
        };
        let line = rest.get(..length).unwrap_or_default();
        let continued = line.trim_ascii_end().last() == Some(&b'\\');
        if !continued {
            return at + length;
        }
        at += length + 1;
    }
}

/// Returns what follows a comment whose words begin at `from`.
fn comment_end(bytes: &[u8], from: usize) -> Option<usize> {
    let body = bytes.get(from..)?;
    // Signs of it are few, and to look for one costs least.
    let closes = |at: &usize| at.checked_sub(1).and_then(|at| body.get(at)) == Some(&b'*');
    let slash = memchr::memchr_iter(b'/', body).find(closes)?;
    Some(from + slash + 1)
}

fn quoted_end(bytes: &[u8], open: usize, quote: u8) -> (usize, bool) {
    let mut at = open + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += splice(bytes, at).max(2),
            b'\n' => return (at, false),
            _ if byte == quote => return (at + 1, true),
            _ => at += 1,
        }
    }
    (bytes.len(), false)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| is_word(**byte)).count()
}
