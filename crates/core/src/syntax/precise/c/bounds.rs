//! Macros that open and close something, told by their names.
//!
//! In: tokens before and after an edit. Out: what one of them stands alone for: `API_BEGIN` and `API_END`
//! are brackets, wherever they are defined.

use std::collections::BTreeMap;

use super::super::Fault;
use super::sequence::is_upper;
use super::token::{Kind, Tokens};

/// Returns what is opened or closed too often in a text, if it was not before.
pub(super) fn fault(text: &Tokens<'_>, before: &Tokens<'_>) -> Option<Fault> {
    let known = open(before);
    let uneven = open(text).into_iter().find(|(pair, now)| {
        let was = known.get(pair);
        was.is_some_and(|was| was.count == 0 && was.closes) && now.count != 0
    })?;
    let ((head, tail), now) = uneven;
    let missing = if now.count > 0 { "END" } else { "BEGIN" };
    let message = format!("`{head}{missing}{tail}` is missing for this");
    Some(Fault::new(now.at..now.at + 1, message))
}

#[derive(Default)]
struct Bounds {
    /// How many are open at the end.
    count: isize,
    closes: bool,
    at: usize,
}

/// Returns the pairs that a text uses, by what stands around `BEGIN` or `END`.
fn open<'a>(read: &Tokens<'a>) -> BTreeMap<(&'a str, &'a str), Bounds> {
    let mut found: BTreeMap<(&str, &str), Bounds> = BTreeMap::new();
    for (at, token) in read.tokens.iter().enumerate() {
        let opens = |at: usize| read.tokens.get(at).is_some_and(|token| token.text == "(");
        let closes = |at: usize| read.tokens.get(at).is_some_and(|token| token.text == ")");
        // `API_BEGIN(name)`
        let past = if opens(at + 1) && closes(at + 3) {
            at + 4
        } else {
            at + 1
        };
        let next = read.tokens.get(past);
        let alone = token.first && next.is_none_or(|next| next.first);
        if token.kind != Kind::Name || !alone || !is_upper(token.text) {
            continue;
        }
        let part = |word: &str, step| {
            let (head, tail) = token.text.split_once(word)?;
            let apart = head.ends_with('_') || tail.starts_with('_');
            apart.then_some(((head, tail), step))
        };
        let Some((pair, step)) = part("BEGIN", 1).or_else(|| part("END", -1)) else {
            continue;
        };
        let bounds = found.entry(pair).or_default();
        bounds.count += step;
        bounds.closes |= step < 0;
        bounds.at = token.at;
    }
    found
}
