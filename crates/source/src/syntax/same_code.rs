//! Same code: whether two texts of a language differ in their layout alone.
//!
//! ```text
//! f(a,b)             and   f(a, b)               are the same
//! f(a, b)            and   f(⏎    a,⏎    b,⏎)     are the same: a formatter's trailing comma says nothing there
//! "a,b"              and   "a, b"                are not
//! return x           and   return⏎x              are not, in JavaScript
//! f(a, b) // noqa    and   f(a,⏎  b) // noqa     are not: the comment is about a line
//! ```
//!
//! In: two texts of a language. Out: true if the language's own parser makes the same of both, and their comments are
//! the same and stand at the same tokens. Languages without such a parser have no layout here: what their line ends,
//! blank lines and comments mean (`//go:build`, cgo, here-documents, indentation) is nowhere known exactly.

mod comments;
mod data;
#[cfg(feature = "precise-parsers")]
mod python;
mod rust;
#[cfg(feature = "precise-parsers")]
mod script;

use std::ops::Range;

use super::{Language, MAX_PARSE_BYTES, with_room};
use crate::text::Slice;

/// Where the comments of two texts stand that are the same code otherwise.
struct Comments {
    before: Vec<Range<usize>>,
    after: Vec<Range<usize>>,
}

/// Tells whether two texts are the same code; false where that cannot be told.
pub fn is_same_code(language: Language, before: &str, after: &str) -> bool {
    if before.len().max(after.len()) > MAX_PARSE_BYTES {
        return false;
    }
    let (Some(before), Some(after)) = (plain_line_ends(before), plain_line_ends(after)) else {
        return false;
    };
    if !has_same_signs(&before, &after) || has_odd_blanks(&before, &after) {
        return false;
    }
    let read = || match language {
        Language::Rust => rust::same_tokens(&before, &after),
        #[cfg(feature = "precise-parsers")]
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            script::same_program(language, &before, &after)
        }
        #[cfg(feature = "precise-parsers")]
        Language::Python => python::same_module(&before, &after),
        Language::Json => data::same_json(&before, &after),
        Language::Toml => data::same_toml(&before, &after),
        _ => None,
    };
    let comments = with_room(read).flatten();
    comments.is_some_and(|comment| {
        comments::are_same((&before, &comment.before), (&after, &comment.after))
    })
}

/// Tells whether two texts may be the same code in any language: they differ in blanks, line ends and trailing commas
/// alone. Much cheaper than [`is_same_code`].
pub fn may_be_same_code(before: &str, after: &str) -> bool {
    has_same_signs(before, after)
}

/// Returns a text with its line ends as `\n`; none where a `\r` stands by itself, which is an end of a line to some
/// parsers and a blank to others.
fn plain_line_ends(text: &str) -> Option<String> {
    let crlf = text.matches("\r\n").count();
    if crlf == 0 {
        return (!text.contains('\r')).then(|| text.to_owned());
    }
    let is_regular = text.matches('\n').count() == crlf && text.matches('\r').count() == crlf;
    is_regular.then(|| text.replace("\r\n", "\n"))
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

/// Tells whether two texts have the same characters, one by one, but for blanks and for commas before a closing
/// bracket.
fn has_same_signs(before: &str, after: &str) -> bool {
    let mut left = before.chars().filter(|c| !is_blank(*c)).peekable();
    let mut right = after.chars().filter(|c| !is_blank(*c)).peekable();
    loop {
        let (a, b) = (left.next(), right.next());
        if a == b {
            if a.is_none() {
                return true;
            }
            continue;
        }
        // One side has a comma that the other has not.
        let follows = match (a, b) {
            (Some(','), closing) if closes(closing) => left.next() == closing,
            (closing, Some(',')) if closes(closing) => right.next() == closing,
            _ => false,
        };
        if !follows {
            return false;
        }
    }
}

fn closes(c: Option<char>) -> bool {
    matches!(c, Some(')' | ']' | '}' | '>'))
}

/// Tells whether a control character or a blank that is not ASCII stands where the texts differ. Languages do not agree
/// on what these are: a form feed sets back Python's indentation, and U+2028 ends lines of JavaScript.
fn has_odd_blanks(before: &str, after: &str) -> bool {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room);
    let tail = tail.take_while(|(a, b)| a == b).count();
    differs(head, tail, &old) || differs(head, tail, &new)
}

fn differs(head: usize, tail: usize, lines: &[&str]) -> bool {
    let mut own = lines.iter().skip(head).take(lines.len() - tail - head);
    own.any(|line| line.chars().any(|c| {
        !is_blank(c)
            && (c.is_control()
                || c.is_whitespace()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'))
    }))
}

/// Returns the code before a byte in signs: all but blanks, comments and commas.
fn signs(text: &str) -> usize {
    text.chars().filter(|c| !is_blank(*c) && *c != ',').count()
}

/// Returns the text of ranges, in order.
fn texts<'a>(text: &'a str, ranges: &[Range<usize>]) -> Vec<&'a str> {
    ranges
        .iter()
        .map(|range| text.slice(range.clone()))
        .collect()
}

#[cfg(test)]
mod tests;
