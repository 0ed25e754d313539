//! Python: two texts of which ruff's parser makes the same statements, with the same strings.
//!
//! In: two texts that differ in blanks and commas alone. Out: their comments, if both are accepted and are the same
//! statements. Implicit concatenation, f-strings with `=` and docstrings count letter by letter.

use std::ops::Range;

use rustpython_ruff_python_ast::Mod;
use rustpython_ruff_python_ast::comparable::ComparableStmt;
use rustpython_ruff_python_ast::token::{Token, TokenKind};
use rustpython_ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use super::{Comments, texts};
use crate::syntax::precise::is_flat;

/// Reads both texts.
pub(super) fn same_module(before: &str, after: &str) -> Option<Comments> {
    if !is_flat(before) || !is_flat(after) {
        return None;
    }
    let parse = |text| parse_unchecked(text, ParseOptions::from(Mode::Module));
    let (one, other) = (parse(before), parse(after));
    if one.has_syntax_errors() || other.has_syntax_errors() {
        return None;
    }
    let (Mod::Module(left), Mod::Module(right)) = (one.syntax(), other.syntax()) else {
        return None;
    };
    let same = left.body.len() == right.body.len()
        && (left.body.iter().map(ComparableStmt::from))
            .eq(right.body.iter().map(ComparableStmt::from));
    let old = regions(one.tokens());
    let new = regions(other.tokens());
    (same && texts(before, &old.strings) == texts(after, &new.strings)).then_some(Comments {
        before: old.comments,
        after: new.comments,
    })
}

/// What is no code.
#[derive(Default)]
struct Regions {
    strings: Vec<Range<usize>>,
    comments: Vec<Range<usize>>,
}

/// Returns strings and comments; what an f-string has in braces belongs to the string.
fn regions(tokens: &[Token]) -> Regions {
    let mut regions = Regions::default();
    let mut open: Vec<usize> = Vec::new();
    for token in tokens {
        let (kind, range) = token.as_tuple();
        let range = range.start().to_usize()..range.end().to_usize();
        match kind {
            TokenKind::FStringStart | TokenKind::TStringStart => open.push(range.start),
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                if let Some(start) = open.pop()
                    && open.is_empty()
                {
                    regions.strings.push(start..range.end);
                }
            }
            _ if !open.is_empty() => {}
            TokenKind::String | TokenKind::IpyEscapeCommand => regions.strings.push(range),
            TokenKind::Comment => regions.comments.push(range),
            _ => {}
        }
    }
    regions
}
