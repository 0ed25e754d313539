//! Arguments and parameters of templates, and names with scopes.
//!
//! In: where they begin. Out: what follows them.

use super::super::token::Kind;
use super::super::words::Word;
use super::Strict;

impl Strict<'_, '_> {
    /// Reads a name with its scopes: `a::b<c>::~d`, `operator +`.
    pub(super) fn qualified(&mut self, from: usize, end: usize, typed: bool) -> Option<usize> {
        let mut at = from;
        if self.text(at, end) == "::" {
            at += 1;
        }
        loop {
            if self.text(at, end) == "template" {
                at += 1;
            }
            match self.kind(at, end) {
                Some(Kind::Name) => at += 1,
                Some(Kind::Word(Word::OperatorName)) => return self.operator_name(at, end),
                Some(Kind::Word(Word::TypeOf)) if at == from => {
                    at = self.opens(at + 1, end, b'(')? + 1;
                }
                Some(Kind::Sign) if matches!(self.text(at, end), "~" | "compl") => {
                    return match self.kind(at + 1, end) {
                        Some(Kind::Name) => Some(self.past_arguments(at + 2, end, typed)),
                        Some(Kind::Word(Word::TypeOf)) => Some(self.opens(at + 2, end, b'(')? + 1),
                        _ => self.miss(at + 1),
                    };
                }
                _ => return self.miss(at),
            }
            at = self.past_arguments(at, end, typed);
            // `type scope::*name`
            let member = self.text(at + 1, end) == "*";
            if self.text(at, end) != "::" || !self.cpp || member {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Passes the arguments of a template, if a `<` begins some.
    pub(super) fn past_arguments(&mut self, at: usize, end: usize, typed: bool) -> usize {
        if !self.cpp || self.text(at, end) != "<" {
            return at;
        }
        let furthest = self.furthest;
        let past = match self.angles.get(&at) {
            Some(past) => *past,
            None => {
                let past = self.deeper(|strict| strict.template_arguments(at + 1, end));
                self.angles.insert(at, past);
                past
            }
        };
        let follows = past.map(|past| self.kind(past, end));
        let fits = match follows {
            None => false,
            Some(_) if typed => true,
            Some(Some(Kind::Name | Kind::Number | Kind::Text | Kind::Char)) => false,
            Some(Some(Kind::Word(word))) => !matches!(word, Word::Operand | Word::Operator),
            Some(_) => true,
        };
        match past.filter(|_| fits) {
            Some(past) => past,
            None => {
                if !typed {
                    self.furthest = furthest;
                }
                at
            }
        }
    }

    /// Reads arguments and the `>` after them.
    fn template_arguments(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        if self.text(at, end) == ">" {
            return Some(at + 1);
        }
        loop {
            at = self.template_argument(at, end)?;
            if self.text(at, end) == "..." {
                at += 1;
            }
            match self.text(at, end) {
                "," => at += 1,
                ">" => return Some(at + 1),
                _ => return self.miss(at),
            }
        }
    }

    fn template_argument(&mut self, at: usize, end: usize) -> Option<usize> {
        let closes = |strict: &Self, at: usize| matches!(strict.text(at, end), "," | ">" | "...");
        if let Some(next) = self.type_id(at, end).filter(|next| closes(self, *next)) {
            return Some(next);
        }
        if self.kind(at, end) == Some(Kind::Open(b'{')) {
            return self.list(at);
        }
        self.assignment(at, end, true)
    }

    /// Reads `<` parameters `>`.
    pub(super) fn template_parameters(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = self.expect(from, end, "<")?;
        if self.text(at, end) == ">" {
            return Some(at + 1);
        }
        loop {
            at = self.deeper(|strict| strict.template_parameter(at, end))?;
            match self.text(at, end) {
                "," => at += 1,
                ">" => return Some(at + 1),
                _ => return self.miss(at),
            }
        }
    }

    fn template_parameter(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        if self.text(at, end) == "template" {
            at = self.template_parameters(at + 1, end)?;
        }
        if matches!(self.text(at, end), "typename" | "class") {
            let mut next = at + 1;
            if self.text(next, end) == "..." {
                next += 1;
            }
            if self.is_name(next, end) {
                next += 1;
            }
            match self.text(next, end) {
                "=" => {
                    if let Some(past) = self.type_id(next + 1, end) {
                        return Some(past);
                    }
                }
                "," | ">" => return Some(next),
                _ => {}
            }
        }
        if self.is_wild(at, end) {
            let past = self.past_macro(at, end);
            if matches!(self.text(past, end), "," | ">") {
                return Some(past);
            }
        }
        let next = self.specifiers(at, end)?;
        let next = self.declarator(next, end, true)?;
        match self.text(next, end) {
            "=" => self.template_argument(next + 1, end),
            _ => Some(next),
        }
    }

    /// Reads the name of an operator: `operator +`, `operator int *`.
    fn operator_name(&mut self, at: usize, end: usize) -> Option<usize> {
        let next = at + 1;
        match self.kind(next, end) {
            Some(Kind::Open(_)) => Some(self.pairs.close_of(next)? + 1),
            Some(Kind::Sign) if self.text(next, end) == "::" => self.conversion(next, end),
            Some(Kind::Sign) => {
                let twice = self.text(next, end) == ">" && self.is_joined(next, end);
                Some(next + 1 + usize::from(twice))
            }
            Some(Kind::Word(Word::Operator)) => {
                let past = next + 1;
                match self.opens(past, end, b'[') {
                    Some(close) => Some(close + 1),
                    None => Some(past),
                }
            }
            Some(Kind::Text) => match self.is_name(next + 1, end) {
                true => Some(next + 2),
                false => Some(next + 1),
            },
            _ => self.conversion(next, end),
        }
    }

    fn conversion(&mut self, at: usize, end: usize) -> Option<usize> {
        let next = self.specifiers(at, end)?;
        Some(self.past_pointers(next, end))
    }

    /// Returns whether a `>` and the next are one sign in the text.
    pub(super) fn is_joined(&self, at: usize, end: usize) -> bool {
        match (self.get(at, end), self.get(at + 1, end)) {
            (Some(one), Some(two)) => one.text == ">" && two.text == ">" && one.at + 1 == two.at,
            _ => false,
        }
    }
}
