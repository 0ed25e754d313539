//! Brackets within a sequence.
//!
//! In: an opening bracket and how far the sequence is read. Out: how far it is then, or why it cannot
//! be there.

use super::names;
use super::read::{Place, Reader, Stop};
use super::sequence::{Mode, State, Step, Taken, is_upper};
use super::token::Kind;
use super::words::Word;

impl<'a> Reader<'_, 'a> {
    pub(super) fn round(&mut self, state: &mut State) -> Taken {
        let (at, end) = (state.at, state.end);
        let Some(close) = self.opens(at, end, b'(') else {
            return Err(Stop::NoOpinion);
        };
        if self.opens(at + 1, close, b'{') == close.checked_sub(1)
            && close > at + 1
            && (!self.cpp || self.has_statements(at + 2, close - 1))
        {
            self.items(at + 2, close - 1, Place::Block)?;
            state.operand(close);
            return Ok(Step::To(close + 1));
        }
        if state.want || state.permit {
            return self.grouped(state, close);
        }
        let before = state.last.and_then(|last| self.get(last)).copied();
        let last = state.last.unwrap_or_default();
        let typed = matches!(
            before.map(|before| before.kind),
            Some(Kind::Word(Word::Type))
        );
        if self.is_calculation(state, close) {
            return self.missing(state, at);
        }
        if typed && self.lacks_name(state, close) {
            return self.fault(at, "a name is missing before this");
        }
        let plain = typed && !state.expr && state.angles == 0 && state.mode != Mode::Loose;
        let points = self.text(at + 1, close) == "*"
            && matches!(
                self.kind(at + 2, close),
                Some(Kind::Number | Kind::Text | Kind::Char)
            );
        if plain && points {
            return self.fault(at + 2, "a name is missing here");
        }
        if plain && self.is_lost_call(state, close) {
            return self.fault(last, "this is a type and no function");
        }
        if self.is_lost_cast(state, close) {
            return self.missing(state, at);
        }
        if state.mode != Mode::Loose
            && state.expr
            && before.is_some_and(|before| self.is_variable_call(&before, last))
        {
            return self.missing(state, at);
        }
        let cast = state.cast && self.may_cast(at + 1, close);
        let mode = match before {
            _ if state.mode == Mode::Loose => Mode::Loose,
            Some(before) if before.kind == Kind::Name => self.arguments_of(&before),
            Some(before)
                if matches!(before.kind, Kind::Number | Kind::Char)
                    && state.mode != Mode::Loose =>
            {
                return self.missing(state, at);
            }
            _ => Mode::Arguments,
        };
        if mode == Mode::Arguments && self.mixes(at + 1, close) {
            return self.fault(at + 1, "a type is missing before this");
        }
        let known = before.filter(|_| mode == Mode::Arguments).filter(|name| {
            let uses = self.uses(name);
            name.kind == Kind::Name
                && self.is_told(name)
                && uses & names::ARGUMENTS != 0
                && uses & (names::ODD | names::DEFINED) == 0
                && !is_upper(name.text)
        });
        if let Some(at) = known.and_then(|_| self.type_among_values(at + 1, close)) {
            return self.fault(at, "this is a type and no value");
        }
        self.group(at + 1, close, mode)?;
        state.called |= !state.expr;
        state.operand(close);
        state.cast = cast;
        Ok(Step::To(close + 1))
    }

    /// Takes round brackets where an operand is wanted.
    fn grouped(&mut self, state: &mut State, close: usize) -> Taken {
        let at = state.at;
        let empty = close == at + 1;
        let pointed = state.stars && (state.typed || state.declares);
        if pointed && self.lacks_name(state, close) {
            return self.fault(at, "a name is missing before this");
        }
        if state
            .last
            .is_some_and(|last| last + 1 == at && self.text(last, at) == "::")
            && state.mode != Mode::Loose
        {
            return self.fault(at, "a name is missing after `::`");
        }
        if empty && state.stars && self.cpp {
            state.called = true;
            state.operand(close);
            return Ok(Step::To(close + 1));
        }
        if empty && state.mode != Mode::Loose && !state.permit {
            return self.fault(at, "something is missing in these brackets");
        }
        let mode = if state.mode == Mode::Loose {
            Mode::Loose
        } else {
            Mode::Arguments
        };
        self.group(at + 1, close, mode)?;
        let cast = self.may_cast(at + 1, close);
        // `name<T>(...)`
        state.called |= state.permit && !state.expr && self.text(at - 1, at) == ">";
        state.operand(close);
        state.cast = cast;
        Ok(Step::To(close + 1))
    }

    pub(super) fn square(&mut self, state: &mut State) -> Taken {
        let (at, end) = (state.at, state.end);
        let Some(close) = self.opens(at, end, b'[') else {
            return Err(Stop::NoOpinion);
        };
        if self.opens(at + 1, close, b'[') == close.checked_sub(1) && close > at + 1 {
            return Ok(Step::To(close + 1));
        }
        if state.want {
            let before = state.last.map_or("", |last| self.text(last, at));
            if self.cpp && !matches!(before, "delete") {
                return self.lambda(state, close);
            }
            if state.mode == Mode::List
                || state.stars
                || matches!(before, "delete")
                || state.mode == Mode::Loose
            {
                state.operand(close);
                return Ok(Step::To(close + 1));
            }
            return self.fault(at, "`[` cannot stand here");
        }
        let named = state
            .last
            .is_some_and(|last| self.kind(last, at) == Some(Kind::Name));
        let variable = state
            .last
            .and_then(|last| self.get(last))
            .is_some_and(|name| self.is_variable(name));
        let dimension = self.text(close + 1, end) == "[" && variable && !self.cpp;
        let follows = matches!(self.text(close + 1, end), "{" | "(" | "[") && !dimension;
        let empty = close == at + 1 && named && !follows;
        let statement = state.mode == Mode::Run
            && state.place == Place::Block
            && !state.declares
            && !state.typed
            && state.names.len() < 2;
        let declared = state.typed || state.declares;
        let argument = dimension && !declared && state.names.len() < 2;
        if empty
            && (state.expr && !declared || statement || argument)
            && state.mode != Mode::Loose
            && (state.angles == 0
                || matches!(
                    self.text(close + 1, end),
                    "==" | "!=" | "<=" | ">=" | "&&" | "||" | "." | "->"
                ))
            && !state.typedef
        {
            return self.fault(at, "an index is missing in these brackets");
        }
        self.group(
            at + 1,
            close,
            if close == at + 1 {
                Mode::Loose
            } else {
                Mode::Index
            },
        )?;
        state.operand(close);
        Ok(Step::To(close + 1))
    }

    /// Takes a function without a name, or the place of a value in a list.
    fn lambda(&mut self, state: &mut State, close: usize) -> Taken {
        let end = state.end;
        let mut next = close + 1;
        if self.text(next, end) == "<" {
            next = self.past_angles(next, end).unwrap_or(next + 1);
        }
        if let Some(past) = self.opens(next, end, b'(') {
            self.group(next + 1, past, Mode::Arguments)?;
            next = past + 1;
        }
        let mut body = next;
        while body < end.min(next + 40) {
            match self.kind(body, end) {
                Some(Kind::Open(b'{')) => {
                    let past = self.pairs.close_of(body).unwrap_or(end);
                    self.items(body + 1, past, Place::Block)?;
                    state.operand(past);
                    return Ok(Step::To(past + 1));
                }
                Some(Kind::Open(_)) => body = self.pairs.close_of(body).unwrap_or(end),
                Some(Kind::Name | Kind::Word(_)) => {}
                Some(Kind::Sign)
                    if matches!(
                        self.text(body, end),
                        "->" | "::" | "<" | ">" | "*" | "&" | "&&" | "," | "..."
                    ) => {}
                _ => break,
            }
            body += 1;
        }
        let after = self.text(close + 1, end);
        if next == close + 1 && matches!((state.mode, state.last, after), (Mode::Run, None, "=")) {
            return self.fault(close, "nothing stands before these brackets");
        }
        if next == close + 1
            && !state.stars
            && matches!(state.mode, Mode::Arguments | Mode::Value | Mode::Group)
            && matches!(after, "" | "," | ")" | ";" | "." | "->" | "==" | "+" | "-")
        {
            return self.fault(close, "nothing stands before these brackets");
        }
        state.operand(close);
        Ok(Step::To(close + 1))
    }

    pub(super) fn brace(&mut self, state: &mut State) -> Taken {
        let (at, end) = (state.at, state.end);
        let Some(close) = self.opens(at, end, b'{') else {
            return Err(Stop::NoOpinion);
        };
        let statements = state.mode != Mode::List && self.has_statements(at + 1, close);
        let before = state.last.and_then(|last| self.get(last)).copied();
        let list = |state: &mut State, reader: &mut Self| {
            if statements {
                reader.items(at + 1, close, Place::Block)?;
            } else {
                reader.group(at + 1, close, Mode::List)?;
            }
            state.operand(close);
            Ok(Step::To(close + 1))
        };
        if state.want {
            return list(state, self);
        }
        if !matches!(state.mode, Mode::Run | Mode::Value)
            || state.expr && !state.colon
            || state.angles > 0
        {
            let odd = matches!(
                before.map(|before| before.kind),
                Some(Kind::Number | Kind::Char | Kind::Close(b'}'))
            );
            if odd && state.mode != Mode::Loose {
                return self.missing(state, at);
            }
            let block = state.mode == Mode::Run && state.place == Place::Block && statements;
            if block && !self.cpp {
                return self.missing(state, at);
            }
            return list(state, self);
        }
        let then = self.text(close + 1, end);
        let goes_on =
            matches!(then, ";" | "," | "." | "->" | "?" | ")") || state.colon && then == "{";
        let value = matches!(
            before.map(|before| before.kind),
            Some(Kind::Name | Kind::Close(b']' | b')') | Kind::Word(Word::Type))
        ) || before.is_some_and(|before| before.text == ">");
        let called = matches!(before.map(|before| before.kind), Some(Kind::Close(b')')));
        if self.cpp
            && goes_on
            && !statements
            && !(called && then != ";" && !state.colon)
            && (value || state.colon)
            && !state.body
        {
            return list(state, self);
        }
        let variable =
            before.is_some_and(|before| before.kind == Kind::Name && self.is_variable(&before));
        if state.place == Place::Block && variable && state.names.len() == 1 && statements {
            return self.missing(state, at);
        }
        if state.place == Place::Block && state.called {
            let name = state.last.and_then(|last| self.callee(last));
            let plain = name.is_some_and(|name| {
                let uses = self.uses(name);
                uses & (names::DEFINED | names::BARE) == 0
                    && (!self.is_told(name)
                        || uses & (names::FUNCTION | names::CALLED | names::OPERAND | names::ALONE)
                            != 0
                        || !self.cpp && uses & names::TYPE != 0 && self.is_told(name))
            });
            if plain {
                return self.missing(state, at);
            }
        }
        let unnamed = state.place == Place::Block && !state.called && state.cast;
        let bare = state.place == Place::Block
            && !state.called
            && !state.typed
            && state.names.is_empty()
            && matches!(before.map(|before| before.kind), Some(Kind::Close(b')')));
        if bare && !state.cast || unnamed && statements {
            return self.missing(state, at);
        }
        if state.listed && state.called && !state.colon && state.place == Place::File {
            return self.missing(state, at);
        }
        if !self.cpp && called && state.called && state.place == Place::File {
            self.parameters(state.last.unwrap_or_default())?;
        }
        // The head of a class may be made of macros.
        let place = match self.kind(at + 1, close) {
            Some(Kind::Word(Word::Access)) => Place::Class,
            _ => Place::Block,
        };
        self.items(at + 1, close, place)?;
        Ok(Step::End(close + 1))
    }

    /// Returns whether there is a `;` in a part of the text, outside of brackets.
    pub(super) fn has_statements(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Open(_)) => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Sign) if self.text(at, end) == ";" => return true,
                Some(Kind::Word(Word::Statement)) => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }
}
