//! What stands between the type of a declaration and its value: pointers, a name, brackets.
//!
//! In: where it begins. Out: what follows it.

use super::super::names;
use super::super::sequence::is_upper;
use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads pointers, a name and what is in brackets after it; `bare` if the name may be missing.
    pub(super) fn declarator(&mut self, from: usize, end: usize, bare: bool) -> Option<usize> {
        let mut at = self.past_pointers(from, end);
        if self.text(at, end) == "..." {
            at += 1;
        }
        while self.is_wild(at, end) && self.is_said(at, end) {
            at = self.past_macro(at, end);
            at = self.past_pointers(at, end);
        }
        let inner = self.opens(at, end, b'(');
        if let Some(close) = inner.filter(|_| self.nests(at, end)) {
            let past = self.deeper(|strict| strict.declarator(at + 1, close, bare));
            if past == Some(close) {
                return self.suffixes(close + 1, end);
            }
        }
        let named = match self.kind(at, end) {
            Some(Kind::Name | Kind::Word(Word::OperatorName)) => true,
            Some(Kind::Sign) => matches!(self.text(at, end), "::" | "~"),
            _ => false,
        };
        if named {
            // A macro that never takes arguments is no function.
            let says = self.get(at, end).is_some_and(|name| {
                name.told && is_upper(name.text) && name.uses & names::ARGUMENTS == 0
            });
            if says && self.is_wild(at, end) && self.text(at + 1, end) == "(" {
                return self.miss(at + 1);
            }
            let next = self.qualified(at, end, true)?;
            return self.suffixes(next, end);
        }
        match bare {
            true => self.suffixes(at, end),
            false => self.miss(at),
        }
    }

    /// Reads pointers and brackets around no name.
    pub(super) fn abstract_declarator(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = self.past_pointers(from, end);
        while self.is_wild(at, end) && self.text(at + 1, end) == "*" {
            at = self.past_pointers(at + 1, end);
        }
        if let Some(close) = self.opens(at, end, b'(') {
            if self.text(at + 1, end) == "requires" {
                let next = self.past_clause(at + 1, close)?;
                self.ends(next, close)?;
                return Some(close + 1);
            }
            if self.nests(at, end) {
                let past = self.deeper(|strict| strict.declarator(at + 1, close, true));
                if past == Some(close) {
                    return self.suffixes(close + 1, end);
                }
            }
            let Some(next) = self.parameters(at) else {
                return Some(at);
            };
            return self.after_parameters(next, end);
        }
        while let Some(close) = self.opens(at, end, b'[') {
            at = self.square(at, close)?;
        }
        Some(at)
    }

    /// Returns whether a macro stands before the rest of a declarator.
    fn is_said(&self, at: usize, end: usize) -> bool {
        let past = self.past_macro(at, end);
        match self.kind(past, end) {
            Some(Kind::Name | Kind::Word(Word::OperatorName)) => true,
            Some(Kind::Sign) => matches!(self.text(past, end), "*" | "&" | "~"),
            _ => false,
        }
    }

    /// Returns whether brackets may hold a declarator, by how they begin.
    fn nests(&self, open: usize, end: usize) -> bool {
        match self.kind(open + 1, end) {
            Some(Kind::Sign) => {
                matches!(self.text(open + 1, end), "*" | "&" | "&&" | "^" | "::")
            }
            Some(Kind::Name) => {
                // `type (name);` is a call.
                let close = self.pairs.close_of(open).unwrap_or(end);
                let follows = matches!(self.text(close + 1, end), "(" | "[") || !self.cpp;
                let then = self.text(open + 2, end);
                matches!(then, "::" | "*" | "<")
                    || matches!(then, ")" | "(" | "[") && (follows || self.is_wild(open + 1, end))
            }
            Some(Kind::Open(b'(') | Kind::Word(Word::Attribute | Word::OperatorName)) => true,
            _ => false,
        }
    }

    /// Reads brackets after a name, and what is said of a function.
    fn suffixes(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.past_attributes(at, end);
            if let Some(close) = self.opens(at, end, b'[') {
                at = self.square(at, close)?;
            } else if self.opens(at, end, b'(').is_some() {
                let Some(next) = self.parameters(at) else {
                    return Some(at);
                };
                at = self.after_parameters(next, end)?;
            } else if self.word(at, end) == Some(Word::Asm) {
                at = self.opens(at + 1, end, b'(')? + 1;
            } else if self.is_stated(at, end) {
                return Some(at);
            } else if self.is_wild(at, end) && (at > from || self.ends_declarator(at, end)) {
                at = self.past_macro(at, end);
            } else {
                return Some(at);
            }
        }
    }

    /// Returns whether a macro after a name is followed by what ends a declarator.
    fn ends_declarator(&self, at: usize, end: usize) -> bool {
        let past = self.past_macro(at, end);
        matches!(
            self.text(past, end),
            "" | ";" | "," | "=" | "{" | ")" | "[" | ":"
        ) || self.is_wild(past, end)
    }

    /// Reads the square brackets of an array.
    fn square(&mut self, open: usize, close: usize) -> Option<usize> {
        let mut at = open + 1;
        while self.word(at, close) == Some(Word::Qualifier) {
            at += 1;
        }
        if at == close || self.text(at, close) == "*" && at + 1 == close {
            return Some(close + 1);
        }
        let next = self.deeper(|strict| strict.expression(at, close))?;
        self.ends(next, close)?;
        Some(close + 1)
    }

    /// Reads the parameters of a function in brackets.
    pub(super) fn parameters(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::Parameters, |strict, from, end| {
            let mut at = from;
            if at == end {
                return Some(at);
            }
            loop {
                at = strict.parameter(at, end)?;
                match strict.text(at, end) {
                    "," => at += 1,
                    "..." => at += 1,
                    _ => return strict.ends(at, end),
                }
                if at == end {
                    return match strict.text(at - 1, end) {
                        "..." => Some(at),
                        _ => strict.miss(at),
                    };
                }
                if strict.text(at, end) == "," && strict.text(at - 1, end) == "..." {
                    at += 1;
                }
            }
        })
    }

    pub(super) fn parameter(&mut self, from: usize, end: usize) -> Option<usize> {
        let at = self.past_attributes(from, end);
        if self.text(at, end) == "..." {
            return Some(at + 1);
        }
        let alone = matches!(self.text(self.past_macro(at, end), end), "" | ",");
        if self.is_wild(at, end) && alone {
            return Some(self.past_macro(at, end));
        }
        let next = self.specifiers(at, end)?;
        let mut next = self.declarator(next, end, true)?;
        while self.is_wild(next, end) {
            next = self.past_macro(next, end);
        }
        match self.text(next, end) {
            "=" => self.initial(next + 1, end),
            _ => Some(next),
        }
    }

    /// Passes what is said of a function after its parameters.
    pub(super) fn after_parameters(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.past_attributes(at, end);
            let text = self.text(at, end);
            match self.kind(at, end) {
                Some(Kind::Word(Word::Qualifier))
                    if matches!(
                        text,
                        "const" | "volatile" | "mutable" | "constexpr" | "static"
                    ) =>
                {
                    at += 1;
                }
                Some(Kind::Sign) if matches!(text, "&" | "&&") && self.cpp => at += 1,
                Some(Kind::Word(_)) if text == "noexcept" => {
                    at = match self.opens(at + 1, end, b'(') {
                        Some(_) => self.round_value(at + 1)?,
                        None => at + 1,
                    };
                }
                Some(Kind::Word(_)) if text == "throw" => at = self.opens(at + 1, end, b'(')? + 1,
                Some(Kind::Name) if self.cpp && matches!(text, "override" | "final") => at += 1,
                Some(Kind::Name)
                    if self.is_wild(at, end)
                        && !self.is_stated(at, end)
                        && !self.declares_next(at, end) =>
                {
                    at = self.past_macro(at, end);
                }
                Some(Kind::Sign) if text == "->" && self.cpp => {
                    at = self.type_id(at + 1, end)?;
                }
                Some(Kind::Word(Word::Unruly)) => {
                    let past = self.past_clause(at, end)?;
                    if past == at {
                        return Some(at);
                    }
                    at = past;
                }
                _ => return Some(at),
            }
        }
    }

    /// Returns whether a name after the parameters of a function begins what they are, as of old.
    fn declares_next(&self, at: usize, end: usize) -> bool {
        !self.cpp && (self.is_name(at + 1, end) || self.text(at + 1, end) == "*")
    }
}
