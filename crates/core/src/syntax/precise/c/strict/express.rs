//! Expressions: operands and the signs between them.
//!
//! In: where one begins. Out: what follows it. Which sign binds more does not matter here.

use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads expressions with commas between them.
    pub(super) fn expression(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = self.assignment(from, end, false)?;
        while self.text(at, end) == "," {
            at = self.assignment(at + 1, end, false)?;
        }
        Some(at)
    }

    /// Reads an expression without commas; `angle` if a `>` ends it.
    pub(super) fn assignment(&mut self, from: usize, end: usize, angle: bool) -> Option<usize> {
        let mut at = self.unary(from, end)?;
        loop {
            at = match self.kind(at, end) {
                Some(Kind::Sign) => match self.sign(at, end, angle)? {
                    Some(next) => next,
                    None => return Some(at),
                },
                Some(Kind::Name) if self.is_wild(at, end) && !self.is_stated(at, end) => {
                    let past = self.past_macro(at, end);
                    match self.begins_operand(past, end) {
                        true => self.unary(past, end)?,
                        false => past,
                    }
                }
                _ => return Some(at),
            };
        }
    }

    /// Reads a sign and the operand after it; none if the sign is not one between operands.
    fn sign(&mut self, at: usize, end: usize, angle: bool) -> Option<Option<usize>> {
        let text = self.text(at, end);
        let next = match text {
            "<" | ">" if angle => return Some(None),
            ">" if self.is_joined(at, end) => at + 2,
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>="
            | "and_eq" | "or_eq" | "xor_eq" => {
                return Some(Some(self.initial_in(at + 1, end, angle)?));
            }
            "?" => return Some(Some(self.choice(at + 1, end, angle)?)),
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "&&" | "||" | "==" | "!=" | "<"
            | ">" | "<=" | ">=" | "<=>" | "<<" | ">>" | "->*" | ".*" | "and" | "or" | "xor"
            | "bitand" | "bitor" | "not_eq" => at + 1,
            _ => return Some(None),
        };
        // `(... + a)`, `(a + ...)`
        if self.text(next, end) == "..." {
            return Some(Some(next + 1));
        }
        Some(Some(self.unary(next, end)?))
    }

    /// Reads what follows `?`.
    fn choice(&mut self, from: usize, end: usize, angle: bool) -> Option<usize> {
        let at = match self.text(from, end) {
            ":" if !self.cpp => from,
            ":" => from,
            _ => self.deeper(|strict| strict.expression(from, end))?,
        };
        let at = self.expect(at, end, ":")?;
        self.deeper(|strict| strict.assignment(at, end, angle))
    }

    /// Reads a value to begin with: a list in braces, or an expression.
    pub(super) fn initial(&mut self, at: usize, end: usize) -> Option<usize> {
        self.initial_in(at, end, false)
    }

    fn initial_in(&mut self, at: usize, end: usize, angle: bool) -> Option<usize> {
        match self.kind(at, end) {
            Some(Kind::Open(b'{')) => self.list(at),
            _ => self.deeper(|strict| strict.assignment(at, end, angle)),
        }
    }

    /// Returns whether an operand can begin with a token, and nothing else.
    pub(super) fn begins_operand(&self, at: usize, end: usize) -> bool {
        match self.kind(at, end) {
            Some(Kind::Name | Kind::Number | Kind::Text | Kind::Char | Kind::Open(b'(')) => true,
            Some(Kind::Word(word)) => matches!(
                word,
                Word::Operand | Word::Operator | Word::Type | Word::TypeOf
            ),
            Some(Kind::Sign) => matches!(self.text(at, end), "!" | "~" | "++" | "--" | "::"),
            _ => false,
        }
    }

    /// Reads what is in round brackets as a value: `(a, b)`.
    pub(super) fn round_value(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::Value, |strict, from, end| {
            let from = match strict.text(from, end) {
                "..." => match strict.sign(from + 1, end, false)? {
                    Some(next) => return strict.ends(next, end),
                    None => return strict.miss(from + 1),
                },
                _ => from,
            };
            if strict.opens(from, end, b'{').is_some() {
                let next = strict.block(from)?;
                return strict.ends(next, end);
            }
            let mut at = strict.initial(from, end)?;
            while strict.text(at, end) == "," {
                at = strict.initial(at + 1, end)?;
            }
            strict.ends(at, end)
        })
    }

    /// Reads what is in round brackets as a type.
    pub(super) fn round_type(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::Type, |strict, from, end| {
            let next = strict.type_id(from, end)?;
            let next = match strict.text(next, end) {
                "..." => next + 1,
                _ => next,
            };
            strict.ends(next, end)
        })
    }
}
