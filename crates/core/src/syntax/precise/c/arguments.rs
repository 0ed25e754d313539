//! What round brackets hold.
//!
//! In: what stands before them, and where they close. Out: whether they are arguments, parameters, a cast
//! or what none of them can be.

use super::names;
use super::read::{Place, Reader, Stop};
use super::sequence::{Mode, State, is_upper};
use super::token::{Kind, Token};
use super::words::Word;

/// What a parameter of a function is.
enum Parameter {
    /// One with a type.
    Typed,
    /// A name alone, which is no type.
    Bare,
    /// What cannot be one.
    Odd,
    Unknown,
}

impl<'a> Reader<'_, 'a> {
    /// Returns how the arguments of a name are read.
    pub(super) fn arguments_of(&self, name: &Token<'a>) -> Mode {
        let uses = self.uses(name);
        let told = self.is_told(name);
        if uses & names::ODD != 0 || name.text.starts_with("__") && uses & names::FUNCTION == 0 {
            Mode::Loose
        } else if uses & names::FUNCTION != 0 || told && uses & names::ARGUMENTS != 0 {
            Mode::Arguments
        } else if uses & names::DEFINED != 0 || is_upper(name.text) {
            Mode::Loose
        } else {
            Mode::Arguments
        }
    }

    /// Returns where a type stands alone among arguments of which another is a value alone.
    pub(super) fn type_among_values(&self, from: usize, end: usize) -> Option<usize> {
        let (mut at, mut begins, mut found, mut value) = (from, true, None, false);
        while at < end {
            let alone = begins && matches!(self.text(at + 1, end), "" | ",");
            match self.kind(at, end) {
                Some(Kind::Word(Word::Type)) if alone => found = found.or(Some(at)),
                Some(Kind::Number | Kind::Text | Kind::Char) if alone => value = true,
                _ => {}
            }
            begins = self.text(at, end) == ",";
            at = match self.kind(at, end) {
                Some(Kind::Open(_)) => self.pairs.close_of(at).unwrap_or(end) + 1,
                _ => at + 1,
            };
        }
        found.filter(|_| value)
    }

    /// Returns whether there is a comma, outside of brackets.
    pub(super) fn has_comma(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Open(_)) => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Sign) if self.text(at, end) == "," => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Returns whether a statement of C is a type with arguments.
    pub(super) fn is_lost_call(&self, state: &State, close: usize) -> bool {
        !self.cpp
            && state.mode == Mode::Run
            && state.place == Place::Block
            && state.last == Some(state.begin)
            && self.text(close + 1, state.end) == ";"
            && self.has_comma(state.at + 1, close)
    }

    /// Returns whether a statement of C begins with a name that was never called, and a type in brackets.
    pub(super) fn is_lost_cast(&self, state: &State, close: usize) -> bool {
        let statement = !self.cpp && state.mode == Mode::Run && state.place == Place::Block;
        let first = self
            .get(state.begin)
            .filter(|_| state.last == Some(state.begin));
        let Some(name) = first.filter(|_| statement) else {
            return false;
        };
        let uses = self.uses(name);
        let values = names::OPERAND | names::ALONE | names::TEXTUAL | names::MEMBER;
        let inner = self.get(state.at + 1).filter(|_| state.at + 1 < close);
        let is_type = inner.is_some_and(|inner| match inner.kind {
            Kind::Word(Word::Type | Word::Tag) => true,
            Kind::Name => self.uses(inner) & names::TYPE != 0 && !self.is_variable(inner),
            _ => false,
        });
        let only = (state.at + 2..close).all(|at| {
            matches!(
                self.kind(at, close),
                Some(Kind::Word(Word::Type | Word::Qualifier))
            ) || self.text(at, close) == "*"
        });
        name.kind == Kind::Name
            && uses & names::OPERAND != 0
            && uses & !values == 0
            && self.is_told(name)
            && is_type
            && only
    }

    /// Returns whether a declaration in a block of C is followed by brackets that hold no parameters.
    pub(super) fn is_calculation(&self, state: &State, close: usize) -> bool {
        if self.cpp || state.expr || state.mode != Mode::Run || state.place != Place::Block {
            return false;
        }
        let Some(last) = state.last else { return false };
        let declares = match self.kind(last, state.at) {
            Some(Kind::Word(Word::Type)) => state.names.is_empty(),
            Some(Kind::Name) if Some(last) == state.names.last().copied() => {
                let mut names = state.names.iter().filter_map(|at| self.get(*at));
                state.names.len() + usize::from(state.typed) == 2
                    && !names.any(|name| is_upper(name.text) || self.may_say(name))
            }
            _ => false,
        };
        declares && self.calculates(state.at + 1, close)
    }

    /// Returns whether there is what no declaration has, outside of brackets.
    pub(super) fn calculates(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Open(_)) => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Number | Kind::Text | Kind::Char) => return true,
                Some(Kind::Sign)
                    if matches!(
                        self.text(at, end),
                        "->" | "."
                            | "<"
                            | ">"
                            | "<="
                            | ">="
                            | "=="
                            | "!="
                            | "+"
                            | "-"
                            | "/"
                            | "?"
                            | "||"
                    ) =>
                {
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Returns whether brackets after a type hold parameters and no name that is declared.
    pub(super) fn lacks_name(&self, state: &State, close: usize) -> bool {
        let (at, end) = (state.at, state.end);
        let declares =
            state.mode == Mode::Run && state.angles == 0 && !state.expr && !state.typedef;
        let follows = matches!(self.text(close + 1, end), ";" | "{" | "const");
        if !declares || !follows || state.place == Place::Block || state.called {
            return false;
        }
        let names = |at: usize| self.kind(at, close) == Some(Kind::Name);
        match self.kind(at + 1, close) {
            Some(Kind::Word(Word::Type | Word::Tag)) => true,
            Some(Kind::Word(Word::Qualifier)) => self.text(at + 1, close) == "const",
            Some(Kind::Name) => {
                let upper = is_upper(self.text(at + 1, close));
                let scoped = self.text(at + 2, close) == "::";
                let from = if scoped { at + 3 } else { at + 1 };
                !upper && (names(from + 1) || self.text(from + 1, close) == "*" && names(from + 2))
            }
            _ => false,
        }
    }

    /// Returns whether brackets hold nothing but what a type may consist of.
    pub(super) fn may_cast(&self, from: usize, end: usize) -> bool {
        let only = self
            .get(from)
            .filter(|token| from + 1 == end && token.kind == Kind::Name && self.is_told(token));
        if only.is_some_and(|name| self.is_variable(name)) {
            return false;
        }
        let mut at = from;
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Name | Kind::Word(_)) => {}
                Some(Kind::Open(b'(' | b'[')) => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Number) if self.cpp => {}
                Some(Kind::Sign)
                    if matches!(
                        self.text(at, end),
                        "*" | "&" | "&&" | "::" | "<" | ">" | ">>" | "," | "..."
                    ) => {}
                _ => return false,
            }
            at += 1;
        }
        true
    }

    /// Returns whether one of some parameters has a type, and one a `*` and no type before it.
    pub(super) fn mixes(&self, from: usize, end: usize) -> bool {
        let (mut at, mut begins, mut typed, mut bare) = (from, true, false, false);
        while at < end {
            let (kind, text) = (self.kind(at, end), self.text(at, end));
            if begins {
                let last = self.kind(at + 1, end) == Some(Kind::Name)
                    && matches!(self.text(at + 2, end), "" | ",");
                bare |= text == "*" && last;
                typed |= match kind {
                    Some(Kind::Word(Word::Qualifier)) => text == "const",
                    // `int(a)` calculates.
                    Some(Kind::Word(Word::Type | Word::Tag)) => {
                        !self.cpp
                            || self.kind(at + 1, end) == Some(Kind::Name)
                            || matches!(self.text(at + 1, end), "*" | "&" | "const")
                    }
                    _ => false,
                };
            }
            if let Some(Kind::Open(_)) = kind {
                at = self.pairs.close_of(at).unwrap_or(end);
            }
            begins = text == ",";
            at += 1;
        }
        typed && bare
    }

    /// Checks the parameters of a function of C that has a body.
    pub(super) fn parameters(&self, close: usize) -> Result<(), Stop> {
        let plain = |name: &&Token<'a>| {
            !is_upper(name.text) && self.uses(name) & (names::DEFINED | names::ODD) == 0
        };
        let named = self.callee(close).filter(plain);
        let Some(open) = self.pairs.close_of(close).filter(|_| named.is_some()) else {
            return Ok(());
        };
        let (mut at, mut typed, mut bare) = (open + 1, false, None);
        while at < close {
            let start = at;
            while at < close && self.text(at, close) != "," {
                at = match self.kind(at, close) {
                    Some(Kind::Open(_)) => self.pairs.close_of(at).unwrap_or(close) + 1,
                    _ => at + 1,
                };
            }
            match self.parameter(start, at) {
                Parameter::Typed => typed = true,
                Parameter::Bare => bare = bare.or(Some(start)),
                Parameter::Odd => return self.fault(start, "a type is missing before this"),
                Parameter::Unknown => {}
            }
            at += 1;
        }
        match bare.filter(|_| typed) {
            Some(at) => self.fault(at, "a type is missing before this"),
            None => Ok(()),
        }
    }

    fn parameter(&self, from: usize, end: usize) -> Parameter {
        let Some(first) = self.get(from).filter(|_| from < end) else {
            return Parameter::Unknown;
        };
        let others = names::TYPE | names::DEFINED | names::BARE | names::ODD;
        let uses = self.uses(first);
        let value = first.kind == Kind::Name
            && uses & names::OPERAND != 0
            && uses & others == 0
            && self.is_told(first)
            && !is_upper(first.text);
        match first.kind {
            Kind::Sign if first.text == "*" => Parameter::Odd,
            Kind::Word(Word::Type | Word::Tag) => Parameter::Typed,
            Kind::Word(Word::Qualifier) if first.text == "const" => Parameter::Typed,
            Kind::Name if from + 1 == end && value => Parameter::Bare,
            Kind::Name if from + 1 < end && value => {
                let stars = (from + 1..end - 1).all(|at| self.text(at, end) == "*");
                let named = self.kind(end - 1, end) == Some(Kind::Name);
                match stars && named {
                    true => Parameter::Odd,
                    false => Parameter::Unknown,
                }
            }
            Kind::Name if uses & names::TYPE != 0 && from + 1 < end => Parameter::Typed,
            _ => Parameter::Unknown,
        }
    }
}
