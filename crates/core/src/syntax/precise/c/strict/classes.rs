//! Classes, structures and enumerations.
//!
//! In: where the word that they begin with stands. Out: what follows them.

use super::super::read::Place;
use super::super::token::Kind;
use super::super::words::Word;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads `struct a`, `class a : b { ... }`, `enum a { ... }`.
    pub(super) fn class(&mut self, from: usize, end: usize) -> Option<usize> {
        let enumerates = self.text(from, end) == "enum";
        let mut at = from + 1;
        if enumerates && matches!(self.text(at, end), "class" | "struct") {
            at += 1;
        }
        at = self.past_attributes(at, end);
        while self.is_name(at, end) && self.names_class(at, end) {
            at = self.past_macro(at, end);
        }
        at = self.past_attributes(at, end);
        let named = self.is_name(at, end) || self.text(at, end) == "::";
        if named {
            at = self.qualified(at, end, true)?;
        }
        while self.is_name(at, end)
            && (self.text(at, end) == "final" || self.is_wild(at, end))
            && matches!(self.text(at + 1, end), "{" | ":")
        {
            at += 1;
        }
        if self.text(at, end) == ":" && self.cpp {
            let past = match enumerates {
                true => self.specifiers(at + 1, end),
                false => self.bases(at + 1, end),
            };
            match past {
                Some(past) if enumerates || self.text(past, end) == "{" => at = past,
                _ if named => return Some(at),
                _ => return None,
            }
        }
        match self.kind(at, end) {
            Some(Kind::Open(b'{')) if enumerates => self.enumerators(at),
            Some(Kind::Open(b'{')) => self.members(at),
            _ if named => Some(at),
            _ => self.miss(at),
        }
    }

    /// Returns whether a name before that of a class is a macro.
    fn names_class(&self, at: usize, end: usize) -> bool {
        let past = self.past_macro(at, end);
        let follows = self.is_name(past, end) && self.text(past, end) != "final";
        let then = self.text(past + 1, end);
        follows
            && (matches!(then, "{" | ":" | ";" | "::" | "<" | "final")
                || self.is_wild(at, end) && self.is_name(past + 1, end))
            && (self.is_wild(at, end) || matches!(then, "{" | ":"))
    }

    fn bases(&mut self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.past_attributes(at, end);
            while matches!(self.word(at, end), Some(Word::Access))
                || matches!(self.text(at, end), "virtual" | "typename")
            {
                at += 1;
            }
            while self.is_wild(at, end) && self.is_name(at + 1, end) {
                at += 1;
            }
            at = self.qualified(at, end, true)?;
            let wild = self.is_wild(at.saturating_sub(1), end);
            if let Some(close) = self.opens(at, end, b'(').filter(|_| wild) {
                at = close + 1;
            }
            if self.text(at, end) == "..." {
                at += 1;
            }
            match self.text(at, end) {
                "," => at += 1,
                _ => return Some(at),
            }
        }
    }

    fn members(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::Class, |strict, from, end| {
            strict.items(from, end, Place::Class)
        })
    }

    fn enumerators(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::Class, |strict, from, end| {
            let mut at = from;
            while at < end {
                if !strict.is_name(at, end) {
                    return strict.miss(at);
                }
                let wild = strict.is_wild(at, end);
                at = match wild {
                    true => strict.past_macro(at, end),
                    false => at + 1,
                };
                at = strict.past_attributes(at, end);
                let mut wild = wild;
                while strict.is_wild(at, end) {
                    at = strict.past_macro(at, end);
                    wild = true;
                }
                if strict.text(at, end) == "=" {
                    at = strict.assignment(at + 1, end, false)?;
                }
                match strict.text(at, end) {
                    "," => at += 1,
                    _ if wild => {}
                    _ => return strict.ends(at, end),
                }
            }
            Some(at)
        })
    }

    /// Reads items up to `end`.
    pub(super) fn items(&mut self, from: usize, end: usize, place: Place) -> Option<usize> {
        let mut at = from;
        while at < end {
            at = self.item(at, end, place)?.max(at + 1);
        }
        Some(at)
    }
}
