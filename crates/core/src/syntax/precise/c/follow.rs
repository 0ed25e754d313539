//! What may follow an operand.
//!
//! In: what was read of a sequence, and a word or value that stands where a sign could. Out: why it
//! cannot stand there, if no macro explains it.

use super::names;
use super::read::{Place, Reader, Stop};
use super::sequence::{Mode, State, is_upper};
use super::token::{Kind, Token};
use super::words::Word;

impl<'a> Reader<'_, 'a> {
    /// Checks a name that follows an operand.
    pub(super) fn name_after(&mut self, state: &mut State, token: &Token<'a>) -> Result<(), Stop> {
        let at = state.at;
        let Some(last) = state.last else {
            return Ok(());
        };
        let Some(before) = self.get(last).copied() else {
            return Ok(());
        };
        if self.text(at + 1, state.end) == "::" {
            let argument = state.angles > 0 && before.kind == Kind::Name;
            if argument && !self.may_say(&before) || self.is_qualified_after(state, last) {
                return self.missing(state, at);
            }
            state.names.clear();
            return Ok(());
        }
        let says = self.may_say(token);
        let types = matches!(before.kind, Kind::Word(Word::Type)) && state.angles == 0;
        if types && !is_upper(token.text) && self.text(state.begin, at) == "using" {
            return self.missing(state, at);
        }
        if !state.expr
            && matches!(
                before.kind,
                Kind::Name | Kind::Word(Word::Type | Word::TypeOf | Word::Tag)
            )
        {
            state.names.push(at);
            state.declares |= state.angles == 0;
            return self.words_fit(state, at);
        }
        if before.kind == Kind::Close(b')') && self.is_old_parameter(state) {
            self.old = true;
            state.names = vec![at];
            state.typed = false;
            return Ok(());
        }
        if self.is_variable_call(&before, last) && state.mode != Mode::Loose {
            return self.missing(state, at);
        }
        let counts = matches!(before.kind, Kind::Number | Kind::Char)
            && !is_upper(token.text)
            && self.uses(token) & names::DEFINED == 0;
        let text = before.kind == Kind::Text
            && !is_upper(token.text)
            && self.text(at + 1, state.end) == "("
            && self.is_never_text(token);
        // A string or a value in brackets, and then a declaration or a statement.
        let declares = before.kind == Kind::Text
            && !is_upper(token.text)
            && self.kind(at + 1, state.end) == Some(Kind::Name);
        let alone = before.kind == Kind::Close(b')')
            && self.pairs.close_of(last) == Some(state.begin)
            && !state.cast;
        let runs = state.mode == Mode::Run && state.place == Place::Block;
        if runs && token.first && (declares || alone) {
            return self.missing(state, at);
        }
        if says && !counts && !text || state.mode == Mode::Loose {
            return Ok(());
        }
        let fine = match before.kind {
            // Strings, as it may be.
            Kind::Name => {
                self.may_say(&before)
                    || is_upper(before.text)
                        && is_upper(token.text)
                        && token.text.len() > 1
                        && !(state.mode == Mode::List
                            && self.is_never_text(token)
                            && self.is_never_text(&before))
            }
            Kind::Word(Word::Type | Word::TypeOf) => state.angles > 0,
            Kind::Close(b')') => {
                self.cast_or_macro(state, last)
                    || is_upper(token.text)
                        && self.callee(last).is_some_and(|name| {
                            is_upper(name.text)
                                && !(runs
                                    && self.is_plain_statement(name)
                                    && self.is_plain_statement(token))
                        })
            }
            Kind::Close(b'}') => state.body || is_upper(token.text),
            Kind::Close(b']') => !state.expr && state.declares && is_upper(token.text),
            Kind::Text if self.kind(at + 1, state.end) == Some(Kind::Text) => true,
            Kind::Text => {
                is_upper(token.text)
                    || self.uses(token) & (names::OPERAND | names::ALONE) == 0
                        && !self.is_never_text(token)
            }
            // `64 KB`, where the name multiplies.
            Kind::Number => {
                is_upper(token.text) && self.uses(token) & (names::OPERAND | names::ALONE) == 0
            }
            Kind::Word(word) => word != Word::Operand,
            _ => false,
        };
        if fine {
            Ok(())
        } else {
            self.missing(state, at)
        }
    }

    /// Returns whether a name of a scope, with `::` after it, follows an operand that it cannot follow.
    fn is_qualified_after(&self, state: &State, last: usize) -> bool {
        let judged = state.place == Place::Block && state.angles == 0;
        let Some(before) = self
            .get(last)
            .filter(|_| judged && state.mode != Mode::Loose)
        else {
            return false;
        };
        let mut at = state.at;
        while self.kind(at, state.end) == Some(Kind::Name) && self.text(at + 1, state.end) == "::" {
            at += 2;
        }
        // `type scope::*name`
        if self.text(at, state.end) == "*" {
            return false;
        }
        match before.kind {
            Kind::Name => !self.may_say(before) && !is_upper(before.text),
            Kind::Close(b')') => !self.cast_or_macro(state, last),
            Kind::Close(b']') | Kind::Number | Kind::Char => true,
            _ => false,
        }
    }

    /// Returns whether what ends at `close` is the call of a name that the text before has not, and
    /// whose letters are none of a macro.
    pub(super) fn is_strange_call(&self, close: usize) -> bool {
        self.callee(close).is_some_and(|name| {
            let defined = names::DEFINED | names::BRANCHES;
            !self.is_told(name) && !is_upper(name.text) && self.uses(name) & defined == 0
        })
    }

    /// Returns whether a name was called as a statement, always with a `;`.
    fn is_plain_statement(&self, name: &Token<'a>) -> bool {
        let uses = self.uses(name);
        uses & names::CALLED != 0
            && uses & (names::BARE | names::DEFINED) == 0
            && self.is_told(name)
    }

    /// Returns whether a name was used, and never next to a string.
    pub(super) fn is_never_text(&self, token: &Token<'a>) -> bool {
        let mixed =
            !is_upper(token.text) && token.text.bytes().any(|byte| byte.is_ascii_uppercase());
        !mixed && self.is_told(token) && self.uses(token) & (names::TEXTUAL | names::DEFINED) == 0
    }

    /// Returns whether brackets follow a name that was never called and is an operand.
    pub(super) fn is_variable_call(&self, before: &Token<'a>, last: usize) -> bool {
        let name = match before.kind {
            Kind::Close(b')') => self.callee(last),
            _ => None,
        };
        name.is_some_and(|name| !self.cpp && self.is_variable(name))
    }

    /// Returns whether a name was never anything but an operand.
    pub(super) fn is_variable(&self, name: &Token<'a>) -> bool {
        let uses = self.uses(name);
        uses & names::OPERAND != 0
            && uses & !(names::OPERAND | names::ALONE | names::TEXTUAL) == 0
            && self.is_told(name)
    }

    /// Says that something is missing between a token and the one before.
    pub(super) fn missing<T>(&self, state: &State, at: usize) -> Result<T, Stop> {
        let word = self.text(at, usize::MAX);
        let first = self.get(at).is_some_and(|token| token.first);
        match (first, state.last) {
            (true, Some(last)) if matches!(state.mode, Mode::Run | Mode::Value) => {
                self.fault(last, "`;` is missing after this")
            }
            _ => self.fault(at, &format!("`{word}` cannot follow what stands before it")),
        }
    }

    /// Returns whether an operand may follow a bracket.
    pub(super) fn cast_or_macro(&self, state: &State, close: usize) -> bool {
        if state.cast {
            return true;
        }
        let Some(open) = self.pairs.close_of(close) else {
            return true;
        };
        let Some(before) = open.checked_sub(1).and_then(|at| self.get(at)) else {
            return true;
        };
        match before.kind {
            Kind::Name => {
                let uses = self.uses(before);
                let is_type = !self.cpp && uses & names::TYPE != 0 && self.is_told(before);
                let others =
                    names::OPERAND | names::FUNCTION | names::CALLED | names::ALONE | names::VALUE;
                uses & (names::DEFINED | names::BARE) != 0 || uses & others == 0 && !is_type
            }
            Kind::Word(Word::Operator) => !matches!(before.text, "sizeof" | "alignof" | "_Alignof"),
            Kind::Word(_) => true,
            _ => false,
        }
    }

    /// Returns whether what follows brackets may be the type of a parameter, as of old.
    pub(super) fn is_old_parameter(&self, state: &State) -> bool {
        let list = state
            .last
            .and_then(|close| Some((self.pairs.close_of(close)?, close)));
        !self.cpp
            && state.place == Place::File
            && !state.expr
            && state.called
            && list.is_none_or(|(open, close)| self.is_list(open, close))
    }

    /// Returns whether brackets hold names and commas alone, or follow what may be a macro.
    pub(super) fn is_list(&self, open: usize, close: usize) -> bool {
        let mut inner = open + 1..close;
        let plain = open + 1 < close
            && inner.all(|at| match (at - open) % 2 {
                1 => self.kind(at, close) == Some(Kind::Name),
                _ => self.text(at, close) == ",",
            });
        plain
            || self
                .callee(close)
                .is_none_or(|name| is_upper(name.text) || self.uses(name) & names::DEFINED != 0)
    }

    /// Checks the words at the beginning of a declaration: a type, a name, and macros.
    pub(super) fn words_fit(&self, state: &State, at: usize) -> Result<(), Stop> {
        let allowed = if state.typed { 1 } else { 2 };
        let surplus = state.names.len().saturating_sub(allowed);
        let names = || state.names.iter().filter_map(|at| self.get(*at));
        // What is called and calculated with is none.
        let called = self.text(at + 1, state.end) == "(";
        let is_value = |token: &&Token<'a>| {
            called
                && self.get(at).is_some_and(|last| last.at == token.at)
                && self.uses(token) & names::VALUE != 0
        };
        let says = |token: &&Token<'a>| self.may_say(token) && !is_value(token);
        let macros = || names().filter(says).count();
        let prose = names().filter(|token| !is_upper(token.text)).count() > 4;
        if surplus > 0 && prose && state.mode != Mode::Loose {
            return self.missing(state, at);
        }
        if surplus > 0 && macros() < surplus && state.mode != Mode::Loose {
            return self.missing(state, at);
        }
        if state.mode == Mode::Arguments && self.lacks_comma(state, at) {
            return self.missing(state, at);
        }
        let makes = self.cpp && self.text(at + 1, state.end) == "(";
        if state.names.len() == 2
            && !state.typed
            && !state.typedef
            && !makes
            && state.mode != Mode::Loose
        {
            let first = names()
                .next()
                .map(|token| self.uses(token))
                .unwrap_or_default();
            let operand = if self.cpp {
                names::OPERAND
            } else {
                names::OPERAND | names::FUNCTION | names::CALLED
            };
            let lower = names().all(|token| !is_upper(token.text) && self.uses(token) != 0);
            let operand = match lower {
                true => operand | names::ALONE,
                false => operand,
            };
            let declared = || {
                let own = names()
                    .next()
                    .and_then(|token| (self.known.own)(token.text));
                own.unwrap_or_default() & names::DECLARED != 0
            };
            let filled = match self.text(at + 1, state.end) {
                "{" => self.cpp,
                "<" => self.cpp && state.place != Place::Block,
                _ => false,
            };
            let is_type = state.mode == Mode::Template
                || filled
                || self.kind(state.begin, at) == Some(Kind::Word(Word::Qualifier))
                || first & names::TYPE != 0
                || first & operand == 0
                || first & names::DEFINED != 0
                || declared();
            let said = at.checked_sub(1).is_some_and(|at| {
                matches!(self.kind(at, usize::MAX), Some(Kind::Word(Word::Qualifier)))
            });
            // Of two words alone, the first is no macro's.
            let ends = self.text(at + 1, state.end) == ";"
                && state.mode == Mode::Run
                && state.place == Place::Block
                && !self.cpp;
            let first = names().next().is_none_or(|first| self.may_say(first));
            if !is_type && !said && (macros() == 0 || ends && !first) {
                return self.missing(state, at);
            }
        }
        if makes && state.names.len() == 2 && !state.typed && state.place == Place::Block {
            // `name call(...)`, where an `=` is missing.
            let mut both = names();
            let name = both.next().is_some_and(|name| self.is_variable(name));
            let called = both
                .next()
                .is_some_and(|call| self.is_told(call) && self.uses(call) & names::ARGUMENTS != 0);
            if name && called && state.mode == Mode::Run {
                return self.missing(state, at);
            }
        }
        Ok(())
    }

    /// Returns whether the words up to `at` are those of two arguments or parameters.
    fn lacks_comma(&self, state: &State, at: usize) -> bool {
        let names = || state.names.iter().filter_map(|at| self.get(*at));
        let types = matches!(self.text(at + 1, state.end), "const" | "&" | "*" | "&&");
        // `type strange *name`
        let pointed = matches!(self.text(at + 1, state.end), "&" | "*")
            && self.kind(at + 2, state.end) == Some(Kind::Name)
            && state.names.as_slice() == [at.saturating_sub(1), at];
        let strange = self.get(at).is_some_and(|token| {
            !is_upper(token.text) && !token.text.starts_with('_') && !self.is_told(token)
        });
        let is_type = names().next().is_some_and(|first| {
            !is_upper(first.text) && self.uses(first) & (names::DEFINED | names::BARE) == 0
        });
        if pointed && strange && is_type {
            return true;
        }
        let declared = at.checked_sub(2).map_or("", |at| self.text(at, state.end));
        let name = at.checked_sub(1).and_then(|at| self.get(at));
        if types
            && matches!(declared, "&" | "*" | "&&")
            && name.is_some_and(|name| name.kind == Kind::Name && !self.may_say(name))
            && !self.get(at).is_some_and(|token| is_upper(token.text))
        {
            return true;
        }
        let adjacent = matches!(state.names.as_slice(), [first, second] if first + 1 == *second);
        if adjacent && !state.typed {
            let values = |token: &Token<'a>| {
                let uses = self.uses(token);
                let others = names::TYPE | names::BARE | names::DEFINED | names::ODD;
                uses & (names::ALONE | names::OPERAND | names::FUNCTION) != 0
                    && uses & others == 0
                    && self.is_never_text(token)
            };
            if names().all(values) {
                return true;
            }
        }
        false
    }

    /// Returns the operand that something follows, where that is judged.
    fn operand_before(&self, state: &State) -> Option<(usize, &Token<'a>)> {
        let last = state.last.filter(|_| state.mode != Mode::Loose)?;
        Some((last, self.get(last)?))
    }

    /// Checks a number or another value that follows an operand.
    pub(super) fn operand_after(&self, state: &State) -> Result<(), Stop> {
        let Some((last, before)) = self.operand_before(state) else {
            return Ok(());
        };
        let fine = match before.kind {
            Kind::Name => self.may_say(before),
            Kind::Close(b')') => self.cast_or_macro(state, last) && !self.is_strange_call(last),
            Kind::Word(word) => !matches!(word, Word::Type | Word::Operand),
            _ => false,
        };
        if fine {
            Ok(())
        } else {
            self.missing(state, state.at)
        }
    }

    /// Checks a string that follows an operand.
    pub(super) fn text_after(&self, state: &State) -> Result<(), Stop> {
        let Some((last, before)) = self.operand_before(state) else {
            return Ok(());
        };
        let fine = match before.kind {
            Kind::Text => true,
            // `"a" macro "b"`
            Kind::Name
                if last
                    .checked_sub(1)
                    .is_some_and(|at| self.kind(at, last) == Some(Kind::Text)) =>
            {
                true
            }
            Kind::Name => {
                let member = last
                    .checked_sub(1)
                    .is_some_and(|at| matches!(self.text(at, last), "." | "->"));
                let known = self.uses(before) & (names::ALONE | names::OPERAND) != 0;
                !member
                    && self.uses(before) & names::STANDARD == 0
                    && (is_upper(before.text)
                        || self.uses(before) & names::OPERAND == 0
                            && !(known && self.is_never_text(before)))
            }
            Kind::Close(b')') => {
                self.cast_or_macro(state, last)
                    || self.callee(last).is_some_and(|name| is_upper(name.text))
            }
            Kind::Word(word) => !matches!(word, Word::Type | Word::Operand),
            _ => false,
        };
        if fine {
            Ok(())
        } else {
            self.missing(state, state.at)
        }
    }
}
