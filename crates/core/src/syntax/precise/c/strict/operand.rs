//! Operands: names, values, casts, calls, and closures.
//!
//! In: where one begins. Out: what follows it.

use super::super::names;
use super::super::sequence::is_upper;
use super::super::signs::is_after_value;
use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads an operand with the signs before and after it.
    pub(super) fn unary(&mut self, from: usize, end: usize) -> Option<usize> {
        self.step();
        let mut at = from;
        loop {
            match self.kind(at, end) {
                Some(Kind::Sign) => match self.text(at, end) {
                    "+" | "-" | "!" | "~" | "*" | "&" | "++" | "--" | "&&" | "not" | "compl" => {
                        at += 1;
                    }
                    "::" if matches!(self.text(at + 1, end), "new" | "delete") => at += 1,
                    _ => break,
                },
                Some(Kind::Word(Word::Qualifier)) if self.text(at, end) == "__extension__" => {
                    at += 1;
                }
                Some(Kind::Word(Word::Operator)) => {
                    return self.deeper(|strict| strict.operator(at, end));
                }
                _ => break,
            }
        }
        match self.opens(at, end, b'(') {
            Some(_) => self.deeper(|strict| strict.bracketed(at, end)),
            None => self.primary(at, end),
        }
    }

    /// Reads brackets around a value, or a cast and what is cast.
    fn bracketed(&mut self, open: usize, end: usize) -> Option<usize> {
        let is_type = self.round_type(open);
        let close = self.pairs.close_of(open)?;
        let alone = open + 2 == close;
        // Nothing is cast to an array.
        let array = self.text(close - 1, close) == "]" && self.text(close + 1, end) != "{";
        let value = alone && (self.is_value(open + 1, close) || self.is_variable(open + 1));
        let casts = is_type.is_some() && !value && !array;
        if casts {
            let next = close + 1;
            if self.opens(next, end, b'{').is_some() {
                let next = self.list(next)?;
                return self.postfix(next, end);
            }
            let closure = self.opens(next, end, b'[').is_some() && self.cpp;
            let begins = self.begins_operand(next, end) || closure;
            if let Some(next) = begins.then(|| self.unary(next, end)).flatten() {
                return Some(next);
            }
        }
        match self.round_value(open) {
            Some(next) => self.postfix(next, end),
            // `(type) -a`, `(type) &a`
            None if casts => self.unary(close + 1, end),
            None => None,
        }
    }

    /// Reads a word that an operand follows.
    fn operator(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut next = at + 1;
        match self.text(at, end) {
            "new" => self.new_value(next, end),
            "delete" => {
                if self.opens(next, end, b'[') == Some(next + 1) {
                    next += 2;
                }
                self.unary(next, end)
            }
            "throw" => match self.text(next, end) {
                "" | ";" | ")" | "," | ":" => Some(next),
                _ => self.assignment(next, end, false),
            },
            "co_await" | "co_yield" | "co_return" => self.initial(next, end),
            "__real__" | "__imag__" => self.unary(next, end),
            _ => {
                if self.text(next, end) == "..." {
                    next += 1;
                }
                if self.opens(next, end, b'(').is_none() {
                    return self.unary(next, end);
                }
                let past = self.round_type(next);
                let begins = past.is_some_and(|past| self.opens(past, end, b'{').is_some());
                match past.filter(|_| !begins) {
                    Some(past) => self.postfix(past, end),
                    None => self.unary(next, end),
                }
            }
        }
    }

    /// Reads what follows `new`.
    fn new_value(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        if self.opens(at, end, b'(').is_some() {
            match self.values(at, Group::Values) {
                Some(past) if self.begins_type(past, end) => at = past,
                _ => {
                    let next = self.round_type(at)?;
                    return self.postfix(next, end);
                }
            }
        }
        at = match self.opens(at, end, b'(') {
            Some(_) => self.round_type(at)?,
            None => {
                let next = self.specifiers(at, end)?;
                self.past_pointers(next, end)
            }
        };
        self.postfix(at, end)
    }

    fn begins_type(&self, at: usize, end: usize) -> bool {
        match self.kind(at, end) {
            Some(Kind::Name | Kind::Open(b'(')) => true,
            Some(Kind::Word(word)) => matches!(
                word,
                Word::Type | Word::TypeOf | Word::Tag | Word::Qualifier
            ),
            _ => self.text(at, end) == "::",
        }
    }

    fn primary(&mut self, at: usize, end: usize) -> Option<usize> {
        let next = match self.kind(at, end) {
            Some(Kind::Number) => at + 1,
            Some(Kind::Char) => at + 1,
            Some(Kind::Text) => self.texts(at, end),
            Some(Kind::Name) => self.named_value(at, end)?,
            Some(Kind::Sign) if self.text(at, end) == "::" => self.qualified(at, end, false)?,
            Some(Kind::Word(Word::Operand)) => at + 1,
            Some(Kind::Word(Word::OperatorName)) => self.qualified(at, end, false)?,
            Some(Kind::Word(Word::Type | Word::TypeOf)) => return self.made(at, end),
            Some(Kind::Word(Word::Qualifier)) if self.text(at, end) == "typename" => {
                return self.made(at, end);
            }
            Some(Kind::Word(Word::Attribute)) if self.text(at, end) == "noexcept" => {
                self.opens(at + 1, end, b'(')?;
                self.round_value(at + 1)?
            }
            Some(Kind::Word(Word::Unruly)) => self.deeper(|strict| strict.required(at, end))?,
            Some(Kind::Open(b'[')) if self.cpp => self.deeper(|strict| strict.closure(at, end))?,
            _ => return self.miss(at),
        };
        self.postfix(next, end)
    }

    fn named_value(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.text(at, end) == "_Generic" {
            return Some(self.past_macro(at, end));
        }
        let next = self.qualified(at, end, false)?;
        let alone = next == at + 1 || next == at + 3 && self.text(at, end) == "std";
        if alone && self.is_only_type(next - 1, end) && self.takes_value(next, end) {
            return self.miss(next);
        }
        if next == at + 1 && self.text(next, end) == "->" && self.is_no_value(at, end) {
            return self.miss(next);
        }
        let textual = self.get(at, end).is_some_and(|name| {
            name.uses & names::TEXTUAL != 0
                || is_upper(name.text) && name.uses & names::OPERAND == 0
                || name.text.contains('_')
                    && name.text.starts_with(|c: char| c.is_ascii_uppercase())
        });
        match self.kind(next, end) {
            Some(Kind::Text) if textual || self.is_wild(at, end) => Some(self.texts(next, end)),
            _ => Some(next),
        }
    }

    /// Returns whether what stands before a token must be a value.
    fn takes_value(&self, at: usize, end: usize) -> bool {
        match self.kind(at, end) {
            None => true,
            Some(Kind::Close(_)) => true,
            Some(Kind::Sign) if !self.cpp && matches!(self.text(at, end), "<" | ">" | "&&") => true,
            Some(Kind::Sign) => {
                let sign = self.text(at, end);
                is_after_value(sign) || matches!(sign, "->" | ":" | ";" | "," | "=")
            }
            _ => false,
        }
    }

    /// Passes strings, and names that stand for some.
    fn texts(&self, from: usize, end: usize) -> usize {
        let mut at = from;
        loop {
            match self.get(at, end) {
                Some(token) if token.kind == Kind::Text => at += 1,
                Some(name)
                    if name.kind == Kind::Name
                        && (name.uses & names::TEXTUAL != 0
                            || self.is_wild(at, end)
                            || is_upper(name.text))
                        && !self.is_stated(at, end) =>
                {
                    at = self.past_macro(at, end);
                }
                _ => return at,
            }
        }
    }

    /// Reads `type(a)` or `type{a}`.
    fn made(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut next = at;
        match self.word(at, end) {
            Some(Word::Type) => {
                next += 1;
                while self.word(next, end) == Some(Word::Type) && self.text(next, end) != "auto" {
                    next += 1;
                }
            }
            Some(Word::Qualifier) => next = self.qualified(at + 1, end, false)?,
            _ => next = self.qualified(at, end, false)?,
        }
        match self.kind(next, end) {
            Some(Kind::Open(b'(' | b'{')) => self.postfix(next, end),
            _ if self.word(at, end) == Some(Word::TypeOf) && next > at + 4 => {
                self.postfix(next, end)
            }
            _ if self.word(at, end) == Some(Word::Qualifier) => self.postfix(next, end),
            _ => self.miss(next),
        }
    }

    /// Reads what follows an operand: calls, members, `++`.
    pub(super) fn postfix(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = match self.kind(at, end) {
                Some(Kind::Open(b'(')) => self.call(at, end)?,
                Some(Kind::Open(b'[')) => {
                    let close = self.pairs.close_of(at)?;
                    self.deeper(|strict| {
                        let next = strict.initial(at + 1, close)?;
                        match strict.text(next, close) {
                            "," => strict.expression(next + 1, close),
                            _ => Some(next),
                        }
                        .and_then(|next| strict.ends(next, close))
                    })?;
                    close + 1
                }
                Some(Kind::Open(b'{')) if self.cpp && self.makes(at) => self.list(at)?,
                Some(Kind::Sign) => match self.text(at, end) {
                    "." | "->" => self.member(at + 1, end)?,
                    "++" | "--" => at + 1,
                    _ => return Some(at),
                },
                _ => return Some(at),
            };
        }
    }

    /// Returns whether braces after a token are values of what it names.
    fn makes(&self, open: usize) -> bool {
        let last = open.checked_sub(1);
        last.is_some_and(|last| match self.kind(last, open) {
            Some(Kind::Name) => !self.is_value(last, open),
            Some(Kind::Word(Word::Type)) => true,
            Some(Kind::Close(b')')) => {
                let before = self.pairs.close_of(last).and_then(|at| at.checked_sub(1));
                before.is_some_and(|at| self.word(at, open) == Some(Word::TypeOf))
            }
            _ => matches!(self.text(last, open), ">" | "]"),
        })
    }

    fn member(&mut self, at: usize, end: usize) -> Option<usize> {
        let at = match self.text(at, end) {
            "template" => at + 1,
            _ => at,
        };
        match self.kind(at, end) {
            Some(Kind::Name | Kind::Word(Word::OperatorName)) => self.qualified(at, end, false),
            Some(Kind::Sign) if self.cpp && matches!(self.text(at, end), "~" | "::" | "*") => {
                match self.text(at, end) {
                    "*" => self.unary(at + 1, end),
                    _ => self.qualified(at, end, false),
                }
            }
            _ => self.miss(at),
        }
    }

    /// Reads the arguments of a call.
    fn call(&mut self, open: usize, end: usize) -> Option<usize> {
        let name = open.checked_sub(1).filter(|at| self.is_name(*at, end));
        let Some(at) = name else {
            return self.values(open, Group::Values);
        };
        let uses = self.get(at, end).map_or(0, |name| name.uses);
        let text = self.text(at, end);
        if text.starts_with("__builtin") {
            return Some(self.pairs.close_of(open)? + 1);
        }
        let function = names::FUNCTION | names::MEMBER | names::STANDARD;
        let loose = uses & names::ODD != 0
            || self.is_wild(at, end)
            || !self.cpp && uses & function == 0 && !self.is_value(at, end)
            || is_upper(text)
            || matches!(text, "va_arg" | "offsetof");
        match loose {
            true => self.values(open, Group::LooseValues),
            false => self.values(open, Group::Values),
        }
    }

    /// Reads `[captures](parameters) { body }`.
    fn closure(&mut self, open: usize, end: usize) -> Option<usize> {
        let close = self.opens(open, end, b'[')?;
        self.captures(open + 1, close)?;
        let mut at = close + 1;
        if self.text(at, end) == "<" {
            at = self.template_parameters(at, end)?;
            at = self.past_clause(at, end)?;
        }
        at = self.past_attributes(at, end);
        if self.opens(at, end, b'(').is_some() {
            at = self.parameters(at)?;
        }
        loop {
            at = self.past_attributes(at, end);
            match self.text(at, end) {
                "mutable" | "constexpr" | "consteval" | "static" => at += 1,
                "noexcept" => {
                    at = match self.opens(at + 1, end, b'(') {
                        Some(_) => self.round_value(at + 1)?,
                        None => at + 1,
                    };
                }
                "->" => at = self.type_id(at + 1, end)?,
                "requires" => at = self.past_clause(at, end)?,
                _ if self.is_wild(at, end) => at = self.past_macro(at, end),
                _ => break,
            }
        }
        match self.opens(at, end, b'{') {
            Some(_) => self.block(at),
            None => self.miss(at),
        }
    }

    fn captures(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while at < end {
            if matches!(self.text(at, end), "&" | "=" | "*") {
                at += 1;
            }
            if self.text(at, end) == "..." {
                at += 1;
            }
            if self.is_name(at, end) || self.text(at, end) == "this" {
                at += 1;
                if self.text(at, end) == "..." {
                    at += 1;
                }
                if self.text(at, end) == "=" {
                    at = self.initial(at + 1, end)?;
                } else if self.kind(at, end) == Some(Kind::Open(b'{')) {
                    at = self.list(at)?;
                } else if self.kind(at, end) == Some(Kind::Open(b'(')) {
                    at = self.values(at, Group::Values)?;
                }
            }
            match self.text(at, end) {
                "," if at > from && at + 1 < end => at += 1,
                _ => return self.ends(at, end),
            }
        }
        Some(at)
    }
}
