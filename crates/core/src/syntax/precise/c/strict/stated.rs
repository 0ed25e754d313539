//! Statements.
//!
//! In: where one begins. Out: what follows it.

use super::super::read::Place;
use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads statements in braces.
    pub(super) fn block(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::Block, |strict, from, end| {
            strict.items(from, end, Place::Block)
        })
    }

    /// Reads one statement.
    pub(super) fn statement(&mut self, from: usize, end: usize) -> Option<usize> {
        self.step();
        let at = self.past_attributes(from, end);
        let text = self.text(at, end);
        match self.kind(at, end) {
            Some(Kind::Open(b'{')) => self.block(at),
            Some(Kind::Sign) if text == ";" => Some(at + 1),
            Some(Kind::Word(Word::Statement)) => {
                self.deeper(|strict| strict.keyword_statement(at, end))
            }
            Some(Kind::Word(Word::Using)) => self.using(at + 1, end),
            Some(Kind::Word(Word::Namespace)) => self.declared(at, end, Place::File),
            Some(Kind::Word(Word::Asm)) => {
                let mut next = at + 1;
                while matches!(
                    self.word(next, end),
                    Some(Word::Qualifier | Word::Statement)
                ) {
                    next += 1;
                }
                match self.pairs.close_of(next).filter(|_| next < end) {
                    Some(close) if self.text(close + 1, end) == ";" => Some(close + 2),
                    Some(close) => Some(close + 1),
                    None => Some(end),
                }
            }
            Some(Kind::Name) if self.text(at + 1, end) == ":" => match at + 2 < end {
                true => self.deeper(|strict| strict.statement(at + 2, end)),
                false => Some(at + 2),
            },
            Some(Kind::Name) if matches!(text, "static_assert" | "_Static_assert") => {
                self.declared(at, end, Place::Block)
            }
            Some(_) => self.plain_statement(at, end),
            None => self.miss(at),
        }
    }

    /// Reads a declaration, an expression with `;`, or a macro that stands for a statement.
    fn plain_statement(&mut self, at: usize, end: usize) -> Option<usize> {
        if let Some(next) = self.declaration(at, end, Place::Block) {
            return Some(next);
        }
        if let Some(next) = self.expression(at, end) {
            if self.text(next, end) == ";" {
                return Some(next + 1);
            }
            self.miss::<usize>(next);
        }
        if self.is_wild(at, end) {
            let past = self.macro_fits(at, end)?;
            return match self.kind(past, end) {
                Some(Kind::Open(b'{')) => self.block(past),
                Some(Kind::Sign) if self.text(past, end) == ";" => Some(past + 1),
                Some(Kind::Sign) if self.text(past, end) != "::" => None,
                _ => Some(past),
            };
        }
        None
    }

    fn keyword_statement(&mut self, at: usize, end: usize) -> Option<usize> {
        let next = at + 1;
        match self.text(at, end) {
            "if" => self.conditional(next, end),
            "else" => self.miss(at),
            "for" => self.repeated(next, end),
            "while" => {
                let next = self.condition(next, end)?;
                self.governed(next, end)
            }
            "switch" => {
                let next = self.condition(next, end)?;
                self.governed(next, end)
            }
            "do" => {
                let next = self.governed(next, end)?;
                if self.is_wild(next, end) {
                    return Some(self.past_macro(next, end));
                }
                let next = self.expect(next, end, "while")?;
                let Some(_) = self.opens(next, end, b'(') else {
                    return self.miss(next);
                };
                let next = self.round_value(next)?;
                self.expect(next, end, ";")
            }
            "case" => self.case(next, end),
            "default" => self.expect(next, end, ":"),
            "return" => match self.text(next, end) {
                ";" => Some(next + 1),
                _ => {
                    let mut at = self.initial(next, end)?;
                    while self.text(at, end) == "," {
                        at = self.initial(at + 1, end)?;
                    }
                    self.expect(at, end, ";")
                }
            },
            "break" | "continue" => self.expect(next, end, ";"),
            "goto" => {
                let next = match self.is_name(next, end) {
                    true => next + 1,
                    false => self.expression(next, end)?,
                };
                self.expect(next, end, ";")
            }
            "try" => self.tried(at, end),
            _ => self.miss(at),
        }
    }

    fn case(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = self.assignment(from, end, false)?;
        if self.text(at, end) == "..." {
            at = self.assignment(at + 1, end, false)?;
        }
        self.expect(at, end, ":")
    }

    /// Reads the statement that a condition governs.
    fn governed(&mut self, at: usize, end: usize) -> Option<usize> {
        match at < end {
            true => self.deeper(|strict| strict.statement(at, end)),
            false => self.miss(at),
        }
    }

    fn conditional(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        if self.text(at, end) == "constexpr" {
            at += 1;
        } else if self.is_wild(at, end) {
            at = match self.opens(at + 1, end, b'(') {
                Some(close) if self.begins_statement(close + 1, end) => at,
                _ => at + 1,
            };
        }
        let mut at = match self.is_wild(at, end) {
            true => self.past_macro(at, end),
            false => self.condition(at, end)?,
        };
        at = self.past_attributes(at, end);
        loop {
            at = self.governed(at, end)?;
            if self.text(at, end) != "else" {
                return Some(at);
            }
            at = self.past_attributes(at + 1, end);
            // A chain of these is no deeper.
            if self.text(at, end) != "if" {
                return self.governed(at, end);
            }
            at += 1;
            if self.text(at, end) == "constexpr" {
                at += 1;
            }
            at = match self.is_wild(at, end) {
                true => self.past_macro(at, end),
                false => self.condition(at, end)?,
            };
            at = self.past_attributes(at, end);
        }
    }

    fn begins_statement(&self, at: usize, end: usize) -> bool {
        !matches!(self.kind(at, end), Some(Kind::Open(b'(')))
    }

    /// Reads a condition in brackets: an expression, or declarations.
    fn condition(&mut self, open: usize, end: usize) -> Option<usize> {
        if self.opens(open, end, b'(').is_none() {
            return self.miss(open);
        }
        let close = self.pairs.close_of(open)?;
        if self.is_wild(open + 1, close) && self.past_macro(open + 1, close) == close {
            return Some(close + 1);
        }
        self.deeper(|strict| {
            let mut at = open + 1;
            while strict.has_semicolon(at, close) {
                at = match strict.text(at, close) {
                    ";" => at + 1,
                    _ => strict.plain_statement(at, close)?,
                };
            }
            let value = strict.expression(at, close).filter(|next| *next == close);
            if value.is_some() {
                return value;
            }
            let next = strict.specifiers(at, close)?;
            let next = strict.declarator(next, close, false)?;
            let next = match strict.text(next, close) {
                "=" => strict.initial(next + 1, close)?,
                "{" => strict.list(next)?,
                "(" => strict.values(next, Group::Values)?,
                _ => return strict.miss(next),
            };
            strict.ends(next, close)
        })?;
        Some(close + 1)
    }

    /// Returns whether there is a `;` outside of brackets.
    fn has_semicolon(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        while at < end {
            at = match self.kind(at, end) {
                Some(Kind::Open(_)) => self.pairs.close_of(at).unwrap_or(end) + 1,
                Some(Kind::Sign) if self.text(at, end) == ";" => return true,
                _ => at + 1,
            };
        }
        false
    }

    /// Reads what `for` governs, with its brackets.
    fn repeated(&mut self, open: usize, end: usize) -> Option<usize> {
        let Some(close) = self.opens(open, end, b'(') else {
            return self.miss(open);
        };
        self.deeper(|strict| strict.steps_of(open + 1, close))?;
        let at = self.past_attributes(close + 1, end);
        self.governed(at, end)
    }

    fn steps_of(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        if self.cpp && !self.has_two(at, end) {
            if self.has_semicolon(at, end) {
                at = self.plain_statement(at, end)?;
            }
            let next = self.specifiers(at, end)?;
            let next = self.ranged_name(next, end)?;
            let next = self.expect(next, end, ":")?;
            let next = self.initial(next, end)?;
            return self.ends(next, end);
        }
        at = match self.text(at, end) {
            ";" => at + 1,
            _ => self.plain_statement(at, end)?,
        };
        if self.text(at, end) == ";" {
            at += 1;
        } else {
            let mut value = self
                .expression(at, end)
                .filter(|next| self.text(*next, end) == ";");
            if value.is_none() {
                let next = self.specifiers(at, end)?;
                let next = self.declarator(next, end, false)?;
                let next = self.expect(next, end, "=")?;
                value = self.initial(next, end);
            }
            at = self.expect(value?, end, ";")?;
        }
        if at == end {
            return Some(at);
        }
        let next = self.expression(at, end)?;
        self.ends(next, end)
    }

    /// Reads the name in the brackets of a `for` over values.
    fn ranged_name(&mut self, from: usize, end: usize) -> Option<usize> {
        let at = self.past_pointers(from, end);
        match self.opens(at, end, b'[') {
            Some(close) => Some(close + 1),
            None => {
                let next = self.declarator(from, end, false)?;
                Some(next)
            }
        }
    }

    /// Returns whether there are two `;` outside of brackets.
    fn has_two(&self, from: usize, end: usize) -> bool {
        let (mut at, mut count) = (from, 0);
        while at < end {
            at = match self.kind(at, end) {
                Some(Kind::Open(_)) => self.pairs.close_of(at).unwrap_or(end) + 1,
                Some(Kind::Sign) if self.text(at, end) == ";" => {
                    count += 1;
                    at + 1
                }
                _ => at + 1,
            };
        }
        count > 1
    }
}
