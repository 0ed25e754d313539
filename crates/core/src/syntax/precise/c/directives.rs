//! Directives, held against the one way in which each can be written.
//!
//! In: the directives of a text and of the one before, and what was edited. Out: the first that is wrong, where
//! none was before. The branch that it stands in does not matter, nor what a macro might be.

use super::super::Fault;
use super::change::Change;
use super::condition;
use super::sequence::is_upper;
use super::token::{self, Directive, Kind, Token, Tokens};

/// Returns what is wrong with a directive that was edited, if none was there before.
pub(super) fn fault(text: &Tokens<'_>, before: &Tokens<'_>, change: &Change) -> Option<Fault> {
    let meets = |one: &&Directive<'_>, start: usize, end: usize| {
        let past = one.at + one.name.len() + one.rest.len() + 1;
        one.at <= end && start <= past
    };
    let mut edited = text
        .directives
        .iter()
        .filter(|one| meets(one, change.new.start, change.new.end));
    let (odd, what) = edited.find_map(|one| Some((one, odd(one)?)))?;
    let was_odd = before
        .directives
        .iter()
        .filter(|one| meets(one, change.old.start, change.old.end))
        .any(|one| self::odd(one).is_some());
    (!was_odd).then(|| Fault::new(odd.at..odd.at + 1, what.to_owned()))
}

/// Returns what is wrong with a directive.
fn odd(one: &Directive<'_>) -> Option<&'static str> {
    match one.name {
        "if" | "elif" => {
            let read = token::read(one.rest, true);
            let past = expression(&read.tokens, 0);
            (past != Some(read.tokens.len())).then_some("this condition is not complete")
        }
        "define" => odd_define(one.rest),
        "include" | "include_next" | "import" => {
            let rest = condition::trimmed(one.rest);
            let whole = match rest.bytes().next() {
                Some(b'<') => rest.contains('>'),
                Some(b'"') => rest.get(1..).is_some_and(|rest| rest.contains('"')),
                _ => true,
            };
            (!whole).then_some("`#include` needs \"FILE\" or <FILE>")
        }
        "" | "ifdef" | "ifndef" | "elifdef" | "elifndef" | "else" | "endif" | "undef" | "error"
        | "warning" | "warn" | "pragma" | "line" | "ident" | "sccs" | "assert" | "unassert"
        | "using" | "embed" => None,
        _ => Some("the preprocessor knows no such directive"),
    }
}

fn odd_define(rest: &str) -> Option<&'static str> {
    let name = condition::first_word(rest);
    let body = condition::trimmed(rest).get(name.len()..)?;
    if name.is_empty() {
        return Some("a name is missing after `#define`");
    }
    if body.starts_with([',', ')', ';', ']', '}']) {
        return Some("a blank is missing after the name of this macro");
    }
    let list = body.strip_prefix('(')?.split_once(')')?.0;
    if list.contains("/*") || list.trim().is_empty() {
        return None;
    }
    let odd = |name: &str| {
        let name = name.trim_matches(|c: char| c.is_whitespace() || c == '\\');
        let bare = name.strip_suffix("...").unwrap_or(name).trim();
        name.is_empty() || bare.chars().any(|c| !condition::is_word(c))
    };
    let wrong = list.split(',').any(odd);
    wrong.then_some("the parameters of this macro are no names")
}

/// Returns what follows an expression of operands and the signs between them.
fn expression(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = operand(tokens, at)?;
        let Some(sign) = tokens.get(at).filter(|sign| sign.kind == Kind::Sign) else {
            return Some(at);
        };
        match sign.text {
            "&&" | "||" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "+" | "-" | "*" | "/" | "%"
            | "&" | "|" | "^" | "<<" | ">>" | "?" | ":" | "," | "and" | "or" | "xor" | "bitand"
            | "bitor" | "not_eq" => at += 1,
            _ => return Some(at),
        }
    }
}

fn operand(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut at = from;
    while matches!(text(at), "!" | "-" | "+" | "~" | "not" | "compl") {
        at += 1;
    }
    let token = tokens.get(at)?;
    match token.kind {
        Kind::Number | Kind::Char => Some(at + 1),
        Kind::Open(b'(') => {
            // What is deep is let pass.
            let past = past_brackets(tokens, at)?;
            let inner = tokens.get(at + 1..past - 1)?;
            let fits = inner.len() > MAX_INNER || expression(inner, 0) == Some(inner.len());
            fits.then_some(past)
        }
        Kind::Name if token.text == "defined" => {
            let bracket = text(at + 1) == "(";
            let name = tokens.get(at + 1 + usize::from(bracket))?;
            let named = matches!(name.kind, Kind::Name | Kind::Word(_));
            let closed = !bracket || text(at + 3) == ")";
            (named && closed).then_some(if bracket { at + 4 } else { at + 2 })
        }
        Kind::Name | Kind::Word(_) => {
            let known = token.text.contains('_') || is_upper(token.text);
            match text(at + 1) {
                "(" if known => past_brackets(tokens, at + 1),
                "(" => None,
                _ => Some(at + 1),
            }
        }
        _ => None,
    }
}

/// Tokens in brackets of a condition, beyond which they are not looked at.
const MAX_INNER: usize = 200;

fn past_brackets(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}
