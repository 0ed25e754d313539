//! Types: the words that a declaration begins with, and types alone.
//!
//! In: where one begins. Out: what follows it.

use super::super::token::Kind;
use super::super::words::Word;
use super::Strict;

/// How far the words of a declaration are read.
struct Specified {
    at: usize,
    /// There is a type.
    typed: bool,
    /// It is one of the language's own.
    own: bool,
}

impl Strict<'_, '_> {
    /// Reads a type that stands alone, as in a cast.
    pub(super) fn type_id(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while self.is_wild(at, end) && self.is_name(self.past_macro(at, end), end) {
            at = self.past_macro(at, end);
        }
        let next = self.specifiers(at, end)?;
        self.abstract_declarator(next, end)
    }

    /// Reads the words that a declaration begins with, one of which is a type.
    pub(super) fn specifiers(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut state = Specified {
            at: from,
            typed: false,
            own: false,
        };
        while self.specifier(&mut state, end)? {}
        match state.typed {
            true => Some(state.at),
            false => self.miss(state.at),
        }
    }

    /// Passes words that say something of a declaration and are no types.
    pub(super) fn past_qualifiers(&self, mut at: usize, end: usize) -> usize {
        loop {
            at = self.past_attributes(at, end);
            match self.word(at, end) {
                Some(Word::Qualifier) if self.text(at, end) == "explicit" => {
                    at = self.past_macro(at, end);
                }
                Some(Word::Qualifier) if self.text(at, end) != "typename" => at += 1,
                _ => return at,
            }
        }
    }

    /// Reads a word; false where the words end.
    fn specifier(&mut self, state: &mut Specified, end: usize) -> Option<bool> {
        let at = self.past_attributes(state.at, end);
        state.at = at;
        match self.kind(at, end) {
            Some(Kind::Word(Word::Qualifier)) => {
                state.at = match self.text(at, end) {
                    "explicit" => self.past_macro(at, end),
                    "extern" if self.kind(at + 1, end) == Some(Kind::Text) => at + 2,
                    _ => at + 1,
                };
                Some(true)
            }
            Some(Kind::Word(Word::Type)) => self.own_type(state, end),
            Some(Kind::Word(Word::TypeOf))
                if self.text(at, end) == "_Atomic" && self.opens(at + 1, end, b'(').is_none() =>
            {
                state.at = at + 1;
                Some(true)
            }
            Some(Kind::Word(Word::TypeOf)) if !state.typed => {
                self.opens(at + 1, end, b'(')?;
                state.at = self.qualified(at, end, true)?;
                state.typed = true;
                Some(true)
            }
            Some(Kind::Word(Word::Tag)) if !state.typed => {
                state.at = self.class(at, end)?;
                state.typed = true;
                Some(true)
            }
            Some(Kind::Name) => self.named_type(state, end),
            Some(Kind::Sign) if self.text(at, end) == "::" && !state.typed => {
                state.at = self.qualified(at, end, true)?;
                state.typed = true;
                Some(true)
            }
            _ => Some(false),
        }
    }

    fn own_type(&mut self, state: &mut Specified, end: usize) -> Option<bool> {
        let placed = !state.typed || state.own != (self.text(state.at, end) == "auto");
        if !placed {
            return Some(false);
        }
        state.typed = true;
        state.own = true;
        state.at += 1;
        Some(true)
    }

    fn named_type(&mut self, state: &mut Specified, end: usize) -> Option<bool> {
        let at = state.at;
        if matches!(self.text(at, end), "override" | "final") && state.typed {
            return Some(false);
        }
        let stores = matches!(
            self.text(at + 1, end),
            "extern" | "static" | "inline" | "typedef" | "virtual" | "explicit" | "friend"
        );
        if stores && !state.typed {
            state.at += 1;
            return Some(true);
        }
        if !(self.plain && state.typed)
            && self.is_wild(at, end)
            && self.goes_on(at, end, state.typed)
        {
            self.passed |= state.typed;
            state.at = self.past_macro(at, end);
            return Some(true);
        }
        if state.typed {
            return Some(false);
        }
        let scoped = self.text(at + 1, end) == "::";
        if self.is_value(at, end) && !scoped && !self.is_wild(at, end) {
            return self.miss(at + 1);
        }
        state.at = self.qualified(at, end, true)?;
        state.typed = true;
        Some(true)
    }

    /// Returns whether after a macro comes the type that it says something of.
    fn goes_on(&mut self, at: usize, end: usize, typed: bool) -> bool {
        let past = self.past_macro(at, end);
        let next = self.past_qualifiers(past, end);
        match self.kind(next, end) {
            Some(Kind::Name) if matches!(self.text(next, end), "override" | "final") => false,
            Some(Kind::Name) if typed => next == past || past == at + 1,
            Some(Kind::Name) => self.is_named(next, end),
            Some(Kind::Word(word)) => matches!(
                word,
                Word::Type | Word::Tag | Word::TypeOf | Word::Qualifier | Word::OperatorName
            ),
            Some(Kind::Sign) => match self.text(next, end) {
                "*" | "&" | "&&" => typed,
                "::" => typed || self.is_named(next, end),
                "~" => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether a name is a type for what follows it.
    fn is_named(&mut self, at: usize, end: usize) -> bool {
        if self.is_wild(at, end) && self.opens(at + 1, end, b'(').is_some() {
            return self.goes_on(at, end, false);
        }
        let furthest = self.furthest;
        let past = self.deeper(|strict| strict.qualified(at, end, true));
        self.furthest = furthest;
        let Some(past) = past else { return false };
        match self.kind(past, end) {
            Some(Kind::Name) => true,
            Some(Kind::Word(word)) => {
                matches!(
                    word,
                    Word::Type | Word::Qualifier | Word::OperatorName | Word::Tag
                )
            }
            _ => matches!(self.text(past, end), "*" | "&" | "&&" | "::"),
        }
    }

    /// Passes the signs of pointers and references, and what is said of them.
    pub(super) fn past_pointers(&mut self, from: usize, end: usize) -> usize {
        let mut at = from;
        loop {
            at = self.past_attributes(at, end);
            let pointer = match self.kind(at, end) {
                Some(Kind::Sign) => match self.text(at, end) {
                    "*" | "^" => true,
                    "&" | "&&" => self.cpp,
                    _ => false,
                },
                _ => false,
            };
            if pointer {
                at += 1;
                continue;
            }
            let said = self.word(at, end) == Some(Word::Qualifier);
            if said && at > from {
                at += 1;
                continue;
            }
            if said && matches!(self.text(at, end), "const" | "volatile" | "restrict") {
                at += 1;
                continue;
            }
            match self.past_member_pointer(at, end) {
                Some(next) => at = next,
                None => return at,
            }
        }
    }

    /// Passes `scope::*`.
    fn past_member_pointer(&mut self, at: usize, end: usize) -> Option<usize> {
        if !self.cpp || !(self.is_name(at, end) || self.text(at, end) == "::") {
            return None;
        }
        let furthest = self.furthest;
        let past = self.qualified(at, end, true);
        self.furthest = furthest;
        let past = past.filter(|past| self.text(*past, end) == "::")?;
        (self.text(past + 1, end) == "*").then_some(past + 2)
    }
}
