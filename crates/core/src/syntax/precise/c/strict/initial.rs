//! Lists of values: arguments in round brackets, and braces.
//!
//! In: where the brackets open. Out: what follows them.

use super::super::token::Kind;
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Reads arguments in round brackets.
    pub(super) fn values(&mut self, open: usize, group: Group) -> Option<usize> {
        self.once(open, group, |strict, from, end| {
            let mut at = from;
            let loose = group == Group::LooseValues;
            if at == end {
                return Some(at);
            }
            loop {
                at = strict.argument(at, end, loose)?;
                if strict.text(at, end) == "..." {
                    at += 1;
                }
                match strict.text(at, end) {
                    "," => at += 1,
                    _ => return strict.ends(at, end),
                }
            }
        })
    }

    fn argument(&mut self, at: usize, end: usize, loose: bool) -> Option<usize> {
        let ended = |strict: &Self, at: usize| matches!(strict.text(at, end), "" | "," | "...");
        if self.kind(at, end) == Some(Kind::Open(b'{')) {
            return self.list(at).or_else(|| match loose {
                true => self.block(at),
                false => None,
            });
        }
        let value = self.assignment(at, end, false);
        if value.is_some_and(|next| ended(self, next)) || !loose {
            return value;
        }
        let typed = self.type_id(at, end);
        if typed.is_some_and(|next| ended(self, next)) {
            return typed;
        }
        self.parameter(at, end)
    }

    /// Reads values in braces.
    pub(super) fn list(&mut self, open: usize) -> Option<usize> {
        self.once(open, Group::List, |strict, from, end| {
            let mut at = from;
            while at < end {
                at = strict.element(at, end)?;
                if strict.text(at, end) == "..." {
                    at += 1;
                }
                let macros = at
                    .checked_sub(1)
                    .is_some_and(|last| strict.ends_macro(last, from));
                match strict.text(at, end) {
                    "," => at += 1,
                    _ if macros => {}
                    _ => return strict.ends(at, end),
                }
            }
            Some(at)
        })
    }

    /// Returns whether what ends at `last` is a macro with or without arguments.
    fn ends_macro(&self, last: usize, from: usize) -> bool {
        let name = match self.kind(last, usize::MAX) {
            Some(Kind::Close(b')')) => self.pairs.close_of(last).and_then(|at| at.checked_sub(1)),
            _ => Some(last),
        };
        name.is_some_and(|at| at >= from && self.is_wild(at, usize::MAX))
    }

    fn element(&mut self, from: usize, end: usize) -> Option<usize> {
        let at = self.past_designators(from, end)?;
        self.initial(at, end)
    }

    /// Passes `.a[1] =` and `a:`.
    fn past_designators(&mut self, from: usize, end: usize) -> Option<usize> {
        if self.is_name(from, end) && self.text(from + 1, end) == ":" {
            return Some(from + 2);
        }
        let mut at = from;
        loop {
            if self.text(at, end) == "." && self.is_name(at + 1, end) {
                at += 2;
            } else if let Some(close) = self.opens(at, end, b'[') {
                let indexes = at > from
                    || matches!(self.text(close + 1, end), "=" | "." | "[")
                    || self.kind(close + 1, end) == Some(Kind::Open(b'{')) && !self.cpp;
                if !indexes || self.text(close + 1, end) == "[" && at == from && self.cpp {
                    return Some(from);
                }
                let next = self.expression(at + 1, close)?;
                if self.text(next, close) == "..." {
                    let next = self.expression(next + 1, close)?;
                    self.ends(next, close)?;
                } else {
                    self.ends(next, close)?;
                }
                at = close + 1;
            } else {
                break;
            }
        }
        match self.text(at, end) {
            "=" if at > from => Some(at + 1),
            "{" => Some(at),
            _ if at == from => Some(from),
            _ => self.miss(at),
        }
    }
}
