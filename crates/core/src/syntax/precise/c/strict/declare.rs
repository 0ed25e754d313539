//! Declarations, in files, classes and blocks.
//!
//! In: where one begins, and what it stands in. Out: what follows it.

use super::super::names;
use super::super::read::Place;
use super::super::sequence::is_upper;
use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads an item of a file or a class.
    pub(super) fn declared(&mut self, at: usize, end: usize, place: Place) -> Option<usize> {
        let text = self.text(at, end);
        match self.kind(at, end)? {
            Kind::Sign if text == ";" => return Some(at + 1),
            Kind::Word(Word::Namespace) => return self.namespace(at, end),
            Kind::Word(Word::Template) => return self.template(at, end, place),
            Kind::Word(Word::Using) => return self.using(at + 1, end),
            Kind::Word(Word::Unruly) if text == "concept" => return self.concept(at, end),
            Kind::Word(Word::Unruly) => return self.miss(at),
            Kind::Word(Word::Asm) => return self.statement(at, end),
            Kind::Word(Word::Access) if place == Place::Class => {
                let next = at + 1 + usize::from(self.is_name(at + 1, end));
                return self.expect(next, end, ":");
            }
            Kind::Word(Word::Qualifier) => match (text, self.text(at + 1, end)) {
                ("inline", "namespace") => return self.namespace(at + 1, end),
                ("extern", "template") => return self.template(at + 1, end, place),
                ("extern", _) if self.kind(at + 1, end) == Some(Kind::Text) => {
                    if let Some(close) = self.opens(at + 2, end, b'{') {
                        self.deeper(|strict| strict.items(at + 3, close, Place::File))?;
                        return Some(close + 1);
                    }
                }
                _ => {}
            },
            Kind::Name if matches!(text, "static_assert" | "_Static_assert") => {
                let next = self.values(
                    self.opens(at + 1, end, b'(').map(|_| at + 1)?,
                    Group::Values,
                )?;
                return self.expect(next, end, ";");
            }
            Kind::Name if self.text(at + 1, end) == ":" && place == Place::Class => {
                return Some(at + 2);
            }
            _ => {}
        }
        self.declaration(at, end, place)
            .or_else(|| self.untyped(at, end, place))
            .or_else(|| self.macro_item(at, end))
    }

    fn namespace(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = self.past_attributes(from + 1, end);
        while self.is_name(at, end) || matches!(self.text(at, end), "::" | "inline") {
            at = self.past_attributes(at + 1, end);
        }
        if self.text(at, end) == "=" {
            let next = self.qualified(at + 1, end, true)?;
            return self.expect(next, end, ";");
        }
        let Some(close) = self.opens(at, end, b'{') else {
            return self.miss(at);
        };
        self.deeper(|strict| strict.items(at + 1, close, Place::File))?;
        Some(close + 1)
    }

    fn template(&mut self, at: usize, end: usize, place: Place) -> Option<usize> {
        let mut next = at + 1;
        if self.text(next, end) == "<" {
            next = self.template_parameters(next, end)?;
            next = self.past_clause(next, end)?;
        } else if self.opens(next, end, b'(').is_some() {
            // A macro of this name.
            while let Some(close) = self.opens(next, end, b'(') {
                next = close + 1;
            }
        } else if self.text(next, end) == "template" {
            return self.miss(next);
        }
        if next >= end {
            return self.miss(next);
        }
        self.deeper(|strict| strict.declared(next, end, place))
    }

    pub(super) fn using(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        if self.text(at, end) == "namespace" {
            at = self.past_attributes(at + 1, end);
            let next = self.qualified(at, end, true)?;
            return self.expect(next, end, ";");
        }
        let name = self.is_name(at, end);
        let mut past = self.past_attributes(at + 1, end);
        while self.may_take_anything(past) && past < end {
            past = self.past_attributes(self.past_macro(past, end), end);
        }
        if name && self.text(past, end) == "=" {
            let next = self.type_id(past + 1, end)?;
            return self.expect(next, end, ";");
        }
        loop {
            if matches!(self.text(at, end), "typename" | "enum") {
                at += 1;
            }
            at = self.qualified(at, end, true)?;
            if self.text(at, end) == "..." {
                at += 1;
            }
            match self.text(at, end) {
                "," => at += 1,
                _ => return self.expect(at, end, ";"),
            }
        }
    }

    /// Reads a type and what is declared of it, with the `;` or the body at the end.
    pub(super) fn declaration(&mut self, from: usize, end: usize, place: Place) -> Option<usize> {
        let read = self.declaration_of(from, end, place);
        if read.is_some() || !self.passed {
            return read;
        }
        // What was passed as a macro may be what is declared.
        let plain = std::mem::replace(&mut self.plain, true);
        let read = self.declaration_of(from, end, place);
        self.plain = plain;
        read
    }

    fn declaration_of(&mut self, from: usize, end: usize, place: Place) -> Option<usize> {
        self.step();
        self.passed = false;
        let mut at = self.specifiers(from, end)?;
        if self.text(at, end) == ";" {
            return Some(at + 1);
        }
        loop {
            let start = at;
            at = self.declared_name(at, end, place)?;
            let called = (start..at).any(|at| self.kind(at, end) == Some(Kind::Close(b')')));
            at = match self.text(at, end) {
                "=" => self.given(at + 1, end)?,
                "{" => {
                    let past = self.list(at);
                    let ended = past.is_some_and(|past| matches!(self.text(past, end), ";" | ","));
                    match past {
                        Some(past) if ended => past,
                        _ if called && place != Place::Block => return self.block(at),
                        _ => return self.miss(past.unwrap_or(at)),
                    }
                }
                "(" if place != Place::Class => self.values(at, Group::Values)?,
                "try" if called => return self.tried(at, end),
                _ => at,
            };
            at = self.past_attributes(at, end);
            while self.is_wild(at, end)
                && !self.is_stated(at, end)
                && !self.starts_old(at, end, place)
            {
                at = self.past_macro(at, end);
            }
            match self.text(at, end) {
                "," => at += 1,
                ";" => return Some(at + 1),
                "{" if called && place != Place::Block => return self.block(at),
                _ if called && !self.cpp && place == Place::File => return self.old_body(at, end),
                _ => return self.miss(at),
            }
        }
    }

    fn starts_old(&self, at: usize, end: usize, place: Place) -> bool {
        !self.cpp
            && place == Place::File
            && (self.is_name(at + 1, end) || self.text(at + 1, end) == "*")
    }

    /// Reads the types of parameters as of old, and the body after them.
    fn old_body(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while self.kind(at, end) != Some(Kind::Open(b'{')) {
            at = self.declaration(at, end, Place::Block)?;
        }
        self.block(at)
    }

    /// Reads what is declared: a name with what is around it, names in square brackets, or a width.
    fn declared_name(&mut self, from: usize, end: usize, place: Place) -> Option<usize> {
        let at = self.past_pointers(from, end);
        let binds = self.cpp && place != Place::Class;
        if let Some(close) = self.opens(at, end, b'[').filter(|_| binds) {
            let names = (at + 1..close).all(|name| match (name - at) % 2 {
                1 => self.is_name(name, close),
                _ => self.text(name, close) == ",",
            });
            return match names {
                true => Some(close + 1),
                false => self.miss(at + 1),
            };
        }
        let width = place == Place::Class && self.text(at, end) == ":";
        let mut at = match width {
            true => at,
            false => self.declarator(from, end, false)?,
        };
        if place == Place::Class && self.text(at, end) == ":" {
            at = self.assignment(at + 1, end, false)?;
        }
        Some(at)
    }

    /// Reads what stands after the `=` of a declaration.
    fn given(&mut self, at: usize, end: usize) -> Option<usize> {
        match self.text(at, end) {
            "default" | "delete" if matches!(self.text(at + 1, end), ";" | ",") => Some(at + 1),
            _ => self.initial(at, end),
        }
    }

    /// Reads a constructor, destructor, conversion or guide: what has no type.
    fn untyped(&mut self, from: usize, end: usize, place: Place) -> Option<usize> {
        let mut start = self.past_qualifiers(from, end);
        while self.is_wild(start, end) && self.is_name(self.past_macro(start, end), end) {
            start = self.past_macro(start, end);
            start = self.past_qualifiers(start, end);
        }
        let named = self.qualified(start, end, true)?;
        let mut at = named;
        if self.opens(at, end, b'(').is_none() {
            return self.miss(at);
        }
        let last = self.text(named.saturating_sub(1), end);
        let own = (start..named.saturating_sub(1)).any(|at| {
            self.text(at, end) == last
                || self.text(at, end) == "~"
                || self.word(at, end) == Some(Word::OperatorName)
        });
        let first = self.text(self.past_attributes(from, end), end);
        let guides = self
            .pairs
            .close_of(at)
            .is_some_and(|close| self.text(close + 1, end) == "->");
        let fits = own
            || guides
            || place == Place::Class
            || first == "main"
            || first == "explicit"
            || last == ">" && self.text(named.saturating_sub(1), end) == ">"
            || !self.cpp && !self.is_only_type(start, end)
            || self.is_wild(start, end);
        if !fits {
            return self.miss(at);
        }
        let group = self.parameters(at);
        at = match group {
            Some(next) => self.said_after(next, end)?,
            None if self.is_wild(start, end) => self.values(at, Group::LooseValues)?,
            None => return None,
        };
        match self.text(at, end) {
            ";" => Some(at + 1),
            "=" => match self.text(at + 1, end) {
                "default" | "delete" | "0" => self.expect(at + 2, end, ";"),
                _ if self.is_wild(at + 1, end) => self.expect(at + 2, end, ";"),
                _ => self.miss(at + 1),
            },
            "{" => self.block(at),
            ":" => self.begun(at + 1, end),
            "try" => self.tried(at, end),
            _ => self.miss(at),
        }
    }

    /// Passes what is said of a function after its parameters.
    fn said_after(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut at = self.after_parameters(at, end)?;
        at = self.past_attributes(at, end);
        while self.is_wild(at, end) && !self.is_stated(at, end) {
            at = self.past_macro(at, end);
        }
        Some(at)
    }

    /// Reads what a constructor begins its members with, and its body.
    pub(super) fn begun(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if self.is_wild(at, end)
                && self.opens(at + 1, end, b'(').is_none()
                && self.text(at + 1, end) != "::"
            {
                if self.opens(at + 1, end, b'{').is_none() {
                    at += 1;
                    continue;
                }
                let past = self.list(at + 1);
                if !past.is_some_and(|past| matches!(self.text(past, end), "," | "{")) {
                    return self.block(at + 1);
                }
            }
            at = self.qualified(at, end, true)?;
            at = match self.kind(at, end) {
                Some(Kind::Open(b'(')) => self.values(at, Group::Values)?,
                Some(Kind::Open(b'{')) => self.list(at)?,
                _ => return self.miss(at),
            };
            if self.text(at, end) == "..." {
                at += 1;
            }
            match self.text(at, end) {
                "," => at += 1,
                "{" => return self.block(at),
                _ if self.is_wild(at, end) => {}
                _ => return self.miss(at),
            }
        }
    }

    /// Reads `try`, perhaps with members to begin with, and what catches.
    pub(super) fn tried(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from + 1;
        at = match self.text(at, end) {
            ":" => self.begun(at + 1, end)?,
            "{" => self.block(at)?,
            _ => return self.miss(at),
        };
        let mut catches = self.text(at, end) == "catch";
        if !catches && !self.is_wild(at, end) {
            return self.miss(at);
        }
        while catches {
            if self.opens(at + 1, end, b'(').is_none() {
                return self.miss(at + 1);
            }
            let next = self.parameters(at + 1)?;
            at = match self.opens(next, end, b'{') {
                Some(_) => self.block(next)?,
                None => return self.miss(next),
            };
            catches = self.text(at, end) == "catch";
        }
        Some(at)
    }

    /// Reads a macro that stands for items.
    fn macro_item(&mut self, at: usize, end: usize) -> Option<usize> {
        if self.is_wild(at, end) {
            let past = self.macro_fits(at, end)?;
            return match self.kind(past, end) {
                Some(Kind::Open(b'{')) => self.block(past),
                Some(Kind::Sign) if self.text(past, end) == ";" => Some(past + 1),
                Some(Kind::Sign) if matches!(self.text(past, end), "->" | "." | "=") => {
                    let next = self.expression(at, end)?;
                    self.expect(next, end, ";")
                }
                _ => Some(past),
            };
        }
        let called = self.is_name(at, end) && self.opens(at + 1, end, b'(').is_some();
        let stated = self.get(at, end).is_some_and(|name| {
            name.told && name.uses & names::CALLED != 0 && name.uses & names::TOP == 0
        });
        if called && is_upper(self.text(at, end)) {
            let past = self.past_macro(at, end);
            if self.opens(past, end, b'{').is_some() {
                return self.block(past);
            }
            let next = self.expression(at, end)?;
            return match self.opens(next, end, b'{') {
                Some(_) => self.block(next),
                None if stated => self.miss(next),
                None => self.expect(next, end, ";"),
            };
        }
        self.miss(at)
    }
}
