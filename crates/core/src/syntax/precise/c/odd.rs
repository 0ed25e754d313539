//! Arguments that only a macro takes.
//!
//! In: the brackets after a name. Out: whether a function could not be called so.

use super::names::Seen;
use super::token::Kind;
use super::words::Word;

impl Seen<'_, '_> {
    /// Returns whether a group has arguments that no function takes.
    pub(super) fn is_odd(&self, open: usize, close: usize) -> bool {
        let mut at = open + 1;
        let mut start = true;
        while at < close {
            let Some(token) = self.get(at) else { break };
            let next = self.get(at + 1);
            let ends = next.is_none_or(|next| next.text == "," || at + 1 == close);
            let odd = match token.kind {
                Kind::Sign => match token.text {
                    "," => start || ends,
                    ";" => true,
                    "*" | "&" | "&&" | "..." | "++" | "--" => false,
                    ">" | ">>" => start,
                    "+" | "-" | "!" | "~" | "::" | "." => ends,
                    _ => start || ends,
                },
                Kind::Stray | Kind::Word(Word::Statement) | Kind::Open(b'{') => true,
                Kind::Name => {
                    let then = self.get(at + 2);
                    next.is_some_and(|next| {
                        matches!(next.kind, Kind::Name | Kind::Number | Kind::Char)
                    }) && then.is_some_and(|then| {
                        matches!(then.kind, Kind::Name | Kind::Number | Kind::Char)
                    }) && at + 2 < close
                }
                Kind::Number | Kind::Char => {
                    next.is_some_and(|next| {
                        matches!(next.kind, Kind::Name | Kind::Number | Kind::Char)
                    }) && at + 1 < close
                }
                Kind::Word(Word::Operand) => false,
                // `requires(type a) (a.call())`
                Kind::Word(Word::Unruly) => {
                    let past = self.pairs.close_of(at + 1).map(|end| end + 1);
                    let then = past.and_then(|past| self.get(past));
                    ends || then.is_some_and(|then| then.text == "(")
                }
                Kind::Word(_) => ends,
                Kind::Open(b'(') => start && self.pairs.close_of(at) == Some(at + 1),
                _ => false,
            };
            if odd {
                return true;
            }
            start = token.text == ",";
            at = match token.kind {
                Kind::Open(_) => self.pairs.close_of(at).map_or(at + 1, |end| end + 1),
                _ => at + 1,
            };
        }
        false
    }
}
