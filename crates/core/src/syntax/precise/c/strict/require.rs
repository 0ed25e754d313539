//! What templates ask of their arguments.
//!
//! In: where `requires` or `concept` stands. Out: what follows it.

use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads `concept name = value;`.
    pub(super) fn concept(&mut self, at: usize, end: usize) -> Option<usize> {
        if !self.is_name(at + 1, end) {
            return self.miss(at + 1);
        }
        let next = self.past_attributes(at + 2, end);
        let next = self.expect(next, end, "=")?;
        let next = self.expression(next, end)?;
        self.expect(next, end, ";")
    }

    /// Passes `requires` with what it asks, if it stands there.
    pub(super) fn past_clause(&mut self, from: usize, end: usize) -> Option<usize> {
        if self.text(from, end) != "requires" {
            return Some(from);
        }
        let mut at = from + 1;
        loop {
            at = self.asked(at, end)?;
            let joins = matches!(self.text(at, end), "&&" | "||" | "and" | "or");
            // `requires one MACRO other`
            let joins = joins || self.may_take_anything(at) && self.is_name(at + 1, end);
            if !joins {
                return Some(at);
            }
            at += 1;
        }
    }

    fn asked(&mut self, from: usize, end: usize) -> Option<usize> {
        let at = match self.text(from, end) {
            "!" | "not" => from + 1,
            _ => from,
        };
        match self.kind(at, end) {
            Some(Kind::Open(b'(')) => self.round_value(at),
            Some(Kind::Word(Word::Operand)) => Some(at + 1),
            Some(Kind::Word(Word::Unruly)) => self.deeper(|strict| strict.required(at, end)),
            _ => {
                let next = self.qualified(at, end, true)?;
                match self.opens(next, end, b'(') {
                    Some(_) => self.values(next, Group::LooseValues),
                    None => Some(next),
                }
            }
        }
    }

    /// Reads `requires (parameters) { ... }`, a value.
    pub(super) fn required(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = self.expect(from, end, "requires")?;
        if self.opens(at, end, b'(').is_some() {
            at = self.parameters(at)?;
        }
        match self.kind(at, end) {
            Some(Kind::Open(b'{')) => self.once(at, Group::Asked, |strict, from, end| {
                let mut at = from;
                while at < end {
                    at = strict.requirement(at, end)?.max(at + 1);
                }
                Some(at)
            }),
            // A macro brings the braces.
            Some(Kind::Open(b'(')) => self.values(at, Group::LooseValues),
            _ => self.miss(at),
        }
    }

    fn requirement(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.text(at, end) == "requires" {
            let value = self.expression(at, end);
            if let Some(next) = value.filter(|next| self.text(*next, end) == ";") {
                return Some(next + 1);
            }
            let next = self.expression(at + 1, end)?;
            return self.expect(next, end, ";");
        }
        if self.text(at, end) == "typename" {
            let next = self.qualified(at + 1, end, true)?;
            if self.text(next, end) == ";" {
                return Some(next + 1);
            }
        }
        if self.opens(at, end, b'{').is_none() {
            let next = self.expression(at, end)?;
            return self.expect(next, end, ";");
        }
        let next = self.list(at)?;
        let next = next + usize::from(self.text(next, end) == "noexcept");
        let next = match self.text(next, end) {
            "->" => self.type_id(next + 1, end)?,
            _ => next,
        };
        self.expect(next, end, ";")
    }
}
