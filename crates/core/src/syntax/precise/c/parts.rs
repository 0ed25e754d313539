//! Words, signs and brackets within a sequence.
//!
//! In: a token and how far the sequence is read. Out: how far it is then, or why it cannot be there.

use super::names;
use super::read::{Place, Reader, Stop};
use super::sequence::{Mode, State, Step, Taken, is_upper};
use super::token::{Kind, Token};
use super::words::Word;

/// Words of a type that are looked back at.
const MAX_WORDS: usize = 8;

impl<'a> Reader<'_, 'a> {
    pub(super) fn word(&mut self, state: &mut State, word: Word, token: &Token<'a>) -> Taken {
        let (at, end) = (state.at, state.end);
        let after = !state.want && !state.permit && state.mode != Mode::Loose;
        let scoped = self.cpp
            && state.mode != Mode::Loose
            && at
                .checked_sub(1)
                .is_some_and(|last| self.text(last, at) == "::");
        if scoped
            && matches!(
                word,
                Word::Type | Word::Qualifier | Word::Tag | Word::Operand
            )
        {
            return self.fault(at, &format!("`{}` cannot stand here", token.text));
        }
        match word {
            Word::Qualifier => self.qualifier(state, token, after),
            Word::Type => {
                if after {
                    self.type_after(state)?;
                }
                self.type_here(state)?;
                state.typed = true;
                state.declares |= !self.cpp && state.mode != Mode::Loose;
                state.operand(at);
                Ok(Step::To(at + 1))
            }
            Word::TypeOf if token.text == "_Atomic" && self.opens(at + 1, end, b'(').is_none() => {
                Ok(Step::To(at + 1))
            }
            Word::TypeOf => {
                let close = self.opens(at + 1, end, b'(');
                if close == Some(at + 2) {
                    return self.fault(at + 1, "something is missing in these brackets");
                }
                let next = close.map_or(at + 1, |close| close + 1);
                state.typed = true;
                state.operand(at);
                Ok(Step::To(next))
            }
            Word::Attribute | Word::Asm => {
                let mut next = at + 1;
                while matches!(self.kind(next, end), Some(Kind::Word(Word::Qualifier))) {
                    next += 1;
                }
                let next = self.opens(next, end, b'(').map_or(next, |close| close + 1);
                if token.text == "noexcept" && state.want {
                    state.operand(at);
                }
                Ok(Step::To(next))
            }
            Word::Tag => self.tag(state, after),
            Word::Operator => self.operator(state, token, after),
            Word::Operand => {
                if after {
                    self.operand_after(state)?;
                }
                state.operand(at);
                Ok(Step::To(at + 1))
            }
            Word::OperatorName => Ok(self.operator_name(state)),
            Word::Template => self.template_word(state, after),
            Word::Namespace if self.text(state.begin, at) == "using" && self.cpp => {
                self.used_namespace(state)
            }
            Word::Namespace
                if state.mode == Mode::Run
                    && state.last.is_some()
                    && self.kind(at + 1, end) == Some(Kind::Name)
                    && !matches!(self.text(at + 2, end), "{" | "::" | "=") =>
            {
                self.fault(at, "`namespace` cannot stand here")
            }
            Word::Namespace => Ok(Step::To(at + 1)),
            Word::Using => {
                state.typedef = true;
                Ok(Step::To(at + 1))
            }
            Word::Access if state.colon || state.mode == Mode::Loose => Ok(Step::To(at + 1)),
            Word::Unruly => Ok(Step::End(self.past_unruly(state))),
            Word::Statement if state.mode == Mode::Loose => Ok(Step::To(at + 1)),
            Word::Statement if token.text == "default" && state.expr => {
                state.operand(at);
                Ok(Step::To(at + 1))
            }
            Word::Statement if token.text == "try" && state.called => Ok(Step::To(at + 1)),
            _ => self.statement_word(state, token, after),
        }
    }

    /// Takes a word that begins a statement, where one may begin.
    fn statement_word(&mut self, state: &mut State, token: &Token<'a>, after: bool) -> Taken {
        let at = state.at;
        if let Some(last) = state.last.filter(|_| after) {
            let may = self.get(last).is_some_and(|token| {
                token.kind == Kind::Name && self.uses(token) & (names::DEFINED | names::BARE) != 0
            });
            if !state.expr
                && (may || self.kind(last, at) == Some(Kind::Close(b')')) && self.bare_call(last))
            {
                return Ok(Step::End(at));
            }
            return self.missing(state, at);
        }
        self.fault(at, &format!("`{}` cannot stand here", token.text))
    }

    /// Takes what is said of a declaration.
    fn qualifier(&mut self, state: &mut State, token: &Token<'a>, after: bool) -> Taken {
        let (at, end) = (state.at, state.end);
        let operand = state.last.and_then(|last| self.get(last)).copied();
        let ends = operand.is_some_and(|last| match last.kind {
            Kind::Name => !self.may_say(&last),
            Kind::Number | Kind::Text | Kind::Char => true,
            _ => false,
        });
        let plain = matches!(state.mode, Mode::Run | Mode::Value) && state.angles == 0;
        if after && state.expr && token.first && ends && plain {
            return self.missing(state, at);
        }
        if token.text == "typedef" && self.opens(at + 1, end, b'(').is_some() {
            return self.fault(at, "nothing stands between this and `(`");
        }
        state.typedef |= token.text == "typedef";
        let stores = matches!(token.text, "static" | "typedef" | "register")
            || self.kind(at.saturating_sub(1), at) == Some(Kind::Close(b')'))
                && matches!(
                    token.text,
                    "inline" | "extern" | "virtual" | "explicit" | "friend"
                );
        if after
            && stores
            && (state.expr
                || state
                    .last
                    .is_some_and(|last| self.kind(last, at) != Some(Kind::Name)))
        {
            self.type_after(state)?;
        }
        if token.text == "typename"
            && after
            && state
                .last
                .is_some_and(|last| matches!(self.kind(last, at), Some(Kind::Name | Kind::Number)))
            && !matches!(state.last.and_then(|last| self.get(last)), Some(name) if name.kind == Kind::Name && self.may_say(name) && state.mode != Mode::Template)
        {
            return self.missing(state, at);
        }
        let value = state.mode == Mode::Value
            && at == state.begin
            && state.at > 0
            && self.text(at - 1, at) == "return"
            && !token.text.starts_with("__")
            && token.text != "typename";
        if value {
            return self.fault(at - 1, "`;` is missing after this");
        }
        let pointed = state.want
            && state
                .last
                .is_some_and(|last| matches!(self.text(last, at), "*" | "&" | "="))
            && matches!(
                token.text,
                "static" | "extern" | "typedef" | "register" | "virtual" | "inline"
            );
        if pointed && state.mode != Mode::Loose && state.angles == 0 {
            return self.fault(at, &format!("`{}` cannot stand here", token.text));
        }
        state.declares |= state.angles == 0
            && matches!(
                token.text,
                "const" | "static" | "extern" | "typedef" | "register" | "inline"
            );
        Ok(Step::To(at + 1))
    }

    /// Takes `template` within a sequence.
    fn template_word(&mut self, state: &mut State, after: bool) -> Taken {
        let at = state.at;
        let member = at.checked_sub(1).is_some_and(|last| {
            matches!(
                self.text(last, at),
                "." | "->" | "::" | "extern" | "<" | ","
            )
        });
        if state.mode == Mode::Run && !state.want && !member && after {
            let last = state.last.and_then(|last| self.get(last)).copied();
            if !last.is_some_and(|last| {
                last.kind == Kind::Name && self.may_say(&last) || last.kind == Kind::Close(b')')
            }) {
                return self.missing(state, at);
            }
        }
        state.declares |= at == state.begin;
        Ok(Step::To(at + 1))
    }

    /// Takes `namespace` after `using`.
    fn used_namespace(&mut self, state: &mut State) -> Taken {
        let (at, end) = (state.at, state.end);
        let mut next = at + 1;
        while matches!(
            self.kind(next, end),
            Some(Kind::Name | Kind::Word(Word::Attribute))
        ) && self.text(next + 1, end) == "::"
        {
            next += 2;
        }
        let named = self.kind(next, end) == Some(Kind::Name);
        let follows = self.get(next + 1).filter(|_| next + 1 < end);
        let runs_on = follows
            .is_some_and(|name| name.kind == Kind::Name && (name.first || !is_upper(name.text)));
        match named && runs_on {
            true => self.fault(next, "`;` is missing after this"),
            false => Ok(Step::To(at + 1)),
        }
    }

    /// Returns whether the call that ends at `close` may be a statement without `;`.
    fn bare_call(&self, close: usize) -> bool {
        self.callee(close).is_some_and(|name| {
            let uses = self.uses(name);
            uses & (names::DEFINED | names::BARE) != 0
                || uses & (names::CALLED | names::FUNCTION | names::OPERAND) == 0
        })
    }

    /// Returns where a sequence ends that has words without rules here.
    fn past_unruly(&self, state: &State) -> usize {
        if !matches!(state.mode, Mode::Run | Mode::Value) {
            return state.end;
        }
        let mut at = state.at;
        while at < state.end {
            match self.kind(at, state.end) {
                Some(Kind::Open(byte)) => {
                    at = self.pairs.close_of(at).unwrap_or(state.end);
                    if byte == b'{' {
                        return at + 1;
                    }
                }
                Some(Kind::Sign) if self.text(at, state.end) == ";" => return at + 1,
                _ => {}
            }
            at += 1;
        }
        state.end
    }

    /// Checks a type that follows an operand.
    pub(super) fn type_after(&mut self, state: &mut State) -> Result<(), Stop> {
        let Some(last) = state.last else {
            return Ok(());
        };
        if self.kind(last, state.at) == Some(Kind::Close(b')')) && self.is_old_parameter(state) {
            self.old = true;
            state.names.clear();
            return Ok(());
        }
        let Some(before) = self.get(last) else {
            return Ok(());
        };
        let starts = state.colon && state.mode == Mode::Run && state.place != Place::Block;
        let fine = match before.kind {
            // A function begins with its members, and a body must follow.
            Kind::Close(b')') if starts => false,
            Kind::Name => self.may_say(before) || state.angles > 0,
            Kind::Word(Word::Type) => self.goes_with_types(state),
            Kind::Word(Word::Tag) => false,
            Kind::Word(_) => true,
            Kind::Close(b')') => self.cast_or_macro(state, last),
            Kind::Close(b'}') => state.body && state.typedef,
            _ => false,
        };
        if fine {
            Ok(())
        } else {
            self.missing(state, state.at)
        }
    }

    /// Returns whether a word may be of one type with all those right before it.
    fn goes_with_types(&self, state: &State) -> bool {
        let word = self.text(state.at, state.end);
        let words = (state.begin..state.at).rev().map_while(|at| self.get(at));
        let mut types = words
            .take(MAX_WORDS)
            .take_while(|token| matches!(token.kind, Kind::Word(Word::Type | Word::Qualifier)))
            .filter(|token| token.kind == Kind::Word(Word::Type));
        types.all(|token| go_together(token.text, word))
    }

    /// Checks a type that nothing stands before, or a sign.
    pub(super) fn type_here(&self, state: &State) -> Result<(), Stop> {
        let runs = matches!(state.mode, Mode::Run | Mode::Value) && state.angles == 0;
        let Some(last) = state.last.filter(|_| state.want && runs) else {
            return Ok(());
        };
        let sign = self.get(last).filter(|last| last.kind == Kind::Sign);
        let Some(sign) = sign.filter(|_| last + 1 == state.at) else {
            return Ok(());
        };
        let wrong = match sign.text {
            "," => !state.colon,
            "=" | "+" | "-" | "==" | "!=" | "||" | "?" | "+=" | "/" => !self.cpp,
            _ => false,
        };
        match wrong {
            true => {
                let word = self.text(state.at, state.end);
                self.fault(state.at, &format!("`{word}` cannot stand here"))
            }
            false => Ok(()),
        }
    }

    fn operator(&mut self, state: &mut State, token: &Token<'a>, after: bool) -> Taken {
        let (at, end) = (state.at, state.end);
        if token.text == "throw" && !state.want {
            let next = self
                .opens(at + 1, end, b'(')
                .map_or(at + 1, |close| close + 1);
            return Ok(Step::To(next));
        }
        if after {
            self.operand_after(state)?;
        }
        let ended = matches!(self.text(at + 1, end), ";" | "," | "");
        if token.text == "delete"
            && state.last.is_some_and(|last| self.text(last, at) == "=")
            && ended
        {
            state.operand(at);
            return Ok(Step::To(at + 1));
        }
        state.decides(at);
        let mut next = at + 1;
        if self.text(next, end) == "..." {
            next += 1;
        }
        if token.text == "delete" && self.opens(next, end, b'[') == Some(next + 1) {
            next += 2;
        }
        let measures = matches!(
            token.text,
            "sizeof" | "alignof" | "_Alignof" | "__alignof__" | "__alignof" | "typeid"
        );
        if let Some(close) = self.opens(next, end, b'(').filter(|_| measures) {
            self.group(next + 1, close, Mode::Group)?;
            state.operand(close);
            return Ok(Step::To(close + 1));
        }
        Ok(Step::To(next))
    }

    /// Takes the name of an operator: `operator +`, `operator int`.
    fn operator_name(&mut self, state: &mut State) -> Step {
        let (at, end) = (state.at, state.end);
        let next = at + 1;
        let past = match self.kind(next, end) {
            Some(Kind::Open(b'(' | b'[')) => {
                self.pairs.close_of(next).map_or(next, |close| close + 1)
            }
            Some(Kind::Text) => {
                next + if self.kind(next + 1, end) == Some(Kind::Name) {
                    2
                } else {
                    1
                }
            }
            Some(Kind::Sign) => next + 1,
            Some(Kind::Word(Word::Operator)) => match self.opens(next + 1, end, b'[') {
                Some(close) => close + 1,
                None => next + 1,
            },
            _ => {
                let part = |at: usize| {
                    matches!(
                        self.kind(at, end),
                        Some(Kind::Name | Kind::Word(Word::Type))
                    ) || matches!(self.text(at, end), "*" | "&" | "::" | "const")
                };
                let past = (next..end).find(|at| !part(*at)).unwrap_or(end);
                if state.expr && self.opens(past, end, b'(') == Some(past + 1) {
                    state.operand(at);
                    return Step::To(past + 2);
                }
                state.wants(at);
                state.names.clear();
                return Step::To(next);
            }
        };
        state.operand(at);
        Step::To(past)
    }

    /// Checks the end of a sequence.
    pub(super) fn finish(&self, state: &State, end: usize) -> Result<(), Stop> {
        let at = end.saturating_sub(1).max(state.begin);
        if state.questions > 0 && state.mode != Mode::Loose {
            return self.fault(at, "`:` is missing after a `?`");
        }
        if !state.want || matches!(state.mode, Mode::Loose | Mode::Template) {
            return Ok(());
        }
        let Some(last) = state.last else {
            let qualifies = |at| self.kind(at, end) == Some(Kind::Word(Word::Qualifier));
            return match state.mode {
                Mode::Group | Mode::Case if state.begin == end => {
                    self.fault(at, "something is missing in these brackets")
                }
                Mode::Arguments | Mode::Group
                    if state.begin < end && (state.begin..end).all(qualifies) =>
                {
                    self.fault(at, "a type or a value is missing after this")
                }
                _ => Ok(()),
            };
        };
        let before = self.text(last, usize::MAX);
        let fine = match state.mode {
            Mode::List => before == ",",
            Mode::Value => matches!(before, "return" | "throw"),
            Mode::Arguments | Mode::Index | Mode::Group | Mode::Template => state.stars,
            Mode::Run => {
                state.stars && state.typedef || matches!(before, "throw" | "co_return" | "co_yield")
            }
            _ => false,
        };
        // A word is no sign that asks for something.
        let close = end.checked_sub(1).and_then(|at| self.get(at));
        let assigns = before == "=" && !self.cpp;
        let word = !assigns
            && close.is_some_and(
                |token| matches!(token.kind, Kind::Word(word) if word != Word::Operator),
            )
            || self.get(last).is_some_and(
                |token| matches!(token.kind, Kind::Word(word) if word != Word::Operator),
            );
        if fine || word {
            return Ok(());
        }
        self.fault(last, &format!("nothing follows `{before}`"))
    }
}

/// Returns whether two words may both be of one type.
fn go_together(first: &str, second: &str) -> bool {
    let sizes = |text| matches!(text, "unsigned" | "signed" | "short" | "long");
    let signs = |text| matches!(text, "unsigned" | "signed");
    let odd = |text: &str| text.starts_with('_') || text == "auto";
    match (first, second) {
        _ if odd(first) || odd(second) => true,
        _ if first == second => first == "long",
        ("char", other) | (other, "char") => signs(other),
        ("int", other) | (other, "int") => sizes(other),
        ("double", other) | (other, "double") => other == "long",
        _ => sizes(first) && sizes(second),
    }
}
