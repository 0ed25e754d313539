//! What a name can be, by what is known of it.
//!
//! In: where a name stands. Out: whether it may be a macro, or can be nothing but a value or a type.

use super::super::names;
use super::super::sequence::is_upper;
use super::super::token::{Kind, Token};
use super::{Group, Strict};

impl Strict<'_, '_> {
    /// Returns whether a name may be a macro that stands for anything.
    pub(super) fn is_wild(&self, at: usize, end: usize) -> bool {
        let Some(token) = self.get(at, end).filter(|token| token.kind == Kind::Name) else {
            return false;
        };
        let odd = names::DEFINED | names::BARE | names::ODD | names::BRANCHES;
        let known = names::OPERAND
            | names::TYPE
            | names::FUNCTION
            | names::CALLED
            | names::ALONE
            | names::VALUE;
        let uses = token.uses;
        uses & odd != 0
            || !token.told
            || token.text.starts_with("__") && uses & names::TYPE == 0
            || is_upper(token.text) && uses & known == 0
    }

    /// Returns whether a name was never used but as a value.
    pub(super) fn is_value(&self, at: usize, end: usize) -> bool {
        let Some(token) = self.get(at, end) else {
            return false;
        };
        let others = names::TYPE
            | names::DECLARED
            | names::DEFINED
            | names::BARE
            | names::ODD
            | names::BRANCHES;
        let values = match self.cpp {
            true => names::OPERAND,
            false => names::OPERAND | names::VARIABLE,
        };
        // A function may be called as a type is.
        let others = others | names::FUNCTION | names::ARGUMENTS;
        token.told && token.uses & values != 0 && token.uses & others == 0
    }

    /// Returns whether a name was declared as a variable, and never used as a type or with arguments.
    pub(super) fn is_variable(&self, at: usize) -> bool {
        let others = names::TYPE
            | names::DECLARED
            | names::NAMED
            | names::DEFINED
            | names::BARE
            | names::ODD
            | names::BRANCHES
            | names::FUNCTION
            | names::STANDARD
            | names::ARGUMENTS;
        self.tokens.get(at).is_some_and(|token| {
            token.told && token.uses & names::VARIABLE != 0 && token.uses & others == 0
        })
    }

    /// Returns whether a name was never used but as a type or a scope.
    pub(super) fn is_only_type(&self, at: usize, end: usize) -> bool {
        let named = |token: &Token<'_>| token.uses & names::NAMED != 0;
        self.is_no_value(at, end) && self.get(at, end).is_some_and(named)
    }

    /// Returns whether a name was used as a type, or with a `*` after it, and not as a value.
    pub(super) fn is_no_value(&self, at: usize, end: usize) -> bool {
        let Some(token) = self.get(at, end) else {
            return false;
        };
        let others = names::OPERAND
            | names::ALONE
            | names::FUNCTION
            | names::CALLED
            | names::VALUE
            | names::MEMBER
            | names::VARIABLE
            | names::DEFINED
            | names::BARE
            | names::ODD
            | names::BRANCHES
            | names::TEXTUAL;
        token.kind == Kind::Name
            && token.told
            && token.uses & (names::TYPE | names::NAMED) != 0
            && token.uses & others == 0
    }

    /// Returns whether a name was called as a statement: a macro that is no part of an expression.
    pub(super) fn is_stated(&self, at: usize, end: usize) -> bool {
        self.get(at, end).is_some_and(|token| {
            token.kind == Kind::Name && token.told && token.uses & names::CALLED != 0
        })
    }

    /// Returns what follows a macro with its arguments, if it has some.
    pub(super) fn past_macro(&self, at: usize, end: usize) -> usize {
        match self.opens(at + 1, end, b'(') {
            Some(close) => close + 1,
            None => at + 1,
        }
    }

    /// Returns whether what a name takes may be no values.
    pub(super) fn may_take_anything(&self, at: usize) -> bool {
        let end = self.tokens.len();
        let upper = self
            .get(at, end)
            .is_some_and(|name| name.kind == Kind::Name && is_upper(name.text));
        upper || self.is_wild(at, end)
    }

    /// Passes a macro, whose arguments must be such as the grammar has if the text before has it.
    pub(super) fn macro_fits(&mut self, at: usize, end: usize) -> Option<usize> {
        let told = self.get(at, end).is_some_and(|name| name.told);
        match self.opens(at + 1, end, b'(') {
            Some(_) if told => self.values(at + 1, Group::LooseValues),
            _ => Some(self.past_macro(at, end)),
        }
    }
}
