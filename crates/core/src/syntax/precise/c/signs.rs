//! Signs within a sequence.
//!
//! In: a sign and how far the sequence is read. Out: how far it is then, or why it cannot be there.

use super::names;
use super::read::{Place, Reader};
use super::sequence::{Mode, State, Step, Taken};
use super::token::Kind;
use super::words::Word;

/// Returns whether a sign stands after a value, and after nothing else, in both languages.
pub(super) fn is_after_value(sign: &str) -> bool {
    matches!(
        sign,
        "." | "=="
            | "!="
            | "<="
            | ">="
            | "+"
            | "-"
            | "/"
            | "%"
            | "|"
            | "||"
            | "^"
            | "?"
            | "+="
            | "-="
    )
}

impl Reader<'_, '_> {
    pub(super) fn sign(&mut self, state: &mut State, sign: &str) -> Taken {
        let (at, end) = (state.at, state.end);
        let loose = state.mode == Mode::Loose;
        if loose && !matches!(sign, "." | "->") {
            state.wants(at);
            state.permit = true;
            state.names.clear();
            return Ok(Step::To(at + 1));
        }
        let calculates = is_after_value(sign)
            || matches!(sign, "|=" | "&=" | "++" | "--")
            || !self.cpp && matches!(sign, "<" | "<<" | "->" | "!" | "~");
        if calculates && self.ends_in_type(state) {
            return self.missing(state, at);
        }
        match sign {
            ";" => self.semicolon(state),
            "," => self.comma(state),
            ":" => self.colon(state),
            "?" => {
                self.wanted(state, sign)?;
                state.questions += 1;
                state.decides(at);
                Ok(Step::To(at + 1))
            }
            "..." => {
                state.operand(at);
                state.permit = true;
                Ok(Step::To(at + 1))
            }
            "::" if self.cpp && self.text(at + 1, end) == "::" => {
                self.fault(at + 1, "a name is missing before this")
            }
            "::" => {
                if !state.want {
                    state.names.pop();
                }
                state.want = true;
                state.last = Some(at);
                Ok(Step::To(at + 1))
            }
            "." | "->" | ".*" | "->*" => self.member(state, sign),
            "++" | "--" => self.step(state),
            "!" | "~" | "not" | "compl" => self.negation(state, sign),
            "^" if state.want => {
                state.wants(at);
                state.stars = true;
                Ok(Step::To(at + 1))
            }
            "*" | "&" | "&&" => self.star(state, sign),
            "+" | "-" => {
                if !state.want {
                    self.not_declared(state, sign)?;
                }
                state.decides(at);
                Ok(Step::To(at + 1))
            }
            "<" if self.cpp => self.angle(state),
            ">" | ">>" if self.cpp && state.angles > 0 => Ok(closed_angle(state, sign)),
            "=" if state.typedef && self.cpp && !state.want => {
                state.wants(at);
                state.names.clear();
                Ok(Step::To(at + 1))
            }
            "=" if state.stars && self.cpp => {
                state.decides(at);
                Ok(Step::To(at + 1))
            }
            "##" | "#" => self.fault(at, "this belongs into a `#define`"),
            _ => {
                self.wanted(state, sign)?;
                self.not_declared(state, sign)?;
                state.decides(at);
                Ok(Step::To(at + 1))
            }
        }
    }

    /// Takes `<` in C++.
    fn angle(&mut self, state: &mut State) -> Taken {
        let at = state.at;
        self.wanted(state, "<")?;
        if state.angles == 0 {
            state.outside = state.expr;
        }
        state.angles += 1;
        state.names.clear();
        state.wants(at);
        Ok(Step::To(at + 1))
    }

    /// Takes `++` or `--`.
    fn step(&mut self, state: &mut State) -> Taken {
        let (at, end) = (state.at, state.end);
        let next = self.kind(at + 1, end);
        let prefix = state.cast
            && (matches!(next, Some(Kind::Name | Kind::Open(_))) || self.text(at + 1, end) == "*");
        if state.want || prefix {
            state.decides(at);
        } else {
            state.expr = true;
            state.operand(at);
        }
        Ok(Step::To(at + 1))
    }

    /// Takes `!` or `~`.
    fn negation(&mut self, state: &mut State, sign: &str) -> Taken {
        let at = state.at;
        let cast = state.last.is_some_and(|last| {
            self.kind(last, at) == Some(Kind::Close(b')')) && self.cast_or_macro(state, last)
        });
        let called = state
            .last
            .is_some_and(|last| self.kind(last, at) == Some(Kind::Close(b')')));
        let destroys =
            sign == "~" && self.cpp && !state.expr && !called && state.place != Place::Block;
        if !state.want && !state.permit && !cast && !destroys {
            return self.missing(state, at);
        }
        if sign != "~" {
            state.expr = true;
        }
        state.wants(at);
        Ok(Step::To(at + 1))
    }

    /// Takes `*`, `&` or `&&`, which may be of a type.
    fn star(&mut self, state: &mut State, sign: &str) -> Taken {
        let (at, end) = (state.at, state.end);
        let after = self.text(at + 1, end);
        let qualifies = matches!(
            after,
            "{" | ";" | "->" | "=" | "noexcept" | "override" | "final" | "const" | "&"
        );
        if self.cpp && !state.want && state.called && !state.expr && qualifies {
            return Ok(Step::To(at + 1));
        }
        let named = state.names.as_slice() == [state.last.unwrap_or(usize::MAX)];
        let declared = state.typed && named && !state.expr && !state.want && !self.cpp;
        if declared
            && sign == "*"
            && matches!(state.mode, Mode::Run | Mode::Arguments)
            && state
                .last
                .and_then(|last| self.get(last))
                .is_some_and(|name| !self.may_say(name) && !super::sequence::is_upper(name.text))
        {
            return self.missing(state, at);
        }
        if self.is_type_and_name(state) {
            return self.missing(state, at);
        }
        let first = state.last.is_none();
        let stars = !state.expr && (!state.want || state.stars || first);
        if sign == "&&" && self.cpp_less(state) {
            self.wanted(state, sign)?;
            state.decides(at);
            return Ok(Step::To(at + 1));
        }
        let member = state.last.is_some_and(|last| self.text(last, at) == "::");
        if member && sign != "*" {
            return self.fault(at, "a name is missing before this");
        }
        let typed = state.angles > 0 || stars || member;
        state.wants(at);
        state.stars = typed;
        Ok(Step::To(at + 1))
    }

    /// Refuses a sign of an expression after the words of a declaration.
    fn not_declared(&self, state: &State, sign: &str) -> Result<(), super::read::Stop> {
        let declares = state.declares;
        if sign == "=" {
            let plain = state.mode == Mode::Run
                && state.typed
                && state.names.is_empty()
                && !state.called
                && !state.typedef;
            let last = state.last.and_then(|last| self.kind(last, state.at));
            let only = state.names.as_slice();
            let kind = match only {
                [name]
                    if Some(*name) == state.last
                        && self.kind(state.begin, state.at) != Some(Kind::Sign)
                        && state.mode == Mode::Run
                        && !state.typed
                        && !state.typedef =>
                {
                    self.get(*name)
                        .map(|token| self.uses(token))
                        .unwrap_or_default()
                }
                _ => 0,
            };
            let is_type = kind & names::TYPE != 0
                && kind & (names::OPERAND | names::ALONE) == 0
                && (kind & names::DEFINED == 0 || !self.cpp)
                && state.place == Place::Block;
            if is_type || plain && matches!(last, Some(Kind::Word(Word::Type))) {
                return self.fault(state.at, "a name is missing before this");
            }
            return Ok(());
        }
        if declares
            && !state.expr
            && state.angles == 0
            && state.mode != Mode::Loose
            && !state.called
            && !(self.cpp && state.typedef && sign != ">")
        {
            return self.missing(state, state.at);
        }
        Ok(())
    }

    /// Returns whether a type of C and a name have come that both are known and no macros.
    fn is_type_and_name(&self, state: &State) -> bool {
        let [first, second] = state.names.as_slice() else {
            return false;
        };
        let (Some(first), Some(name)) = (self.get(*first), self.get(*second)) else {
            return false;
        };
        !self.cpp
            && !state.want
            && !state.expr
            && state.last == Some(*second)
            && matches!(state.mode, Mode::Run | Mode::Arguments)
            && self.uses(first) & names::TYPE != 0
            && !self.may_say(first)
            && !self.may_say(name)
            && !super::sequence::is_upper(name.text)
    }

    /// Returns whether the last word is a type, and no name has followed.
    fn ends_in_type(&self, state: &State) -> bool {
        let last = state.last.and_then(|last| self.kind(last, state.at));
        !state.want
            && !state.colon
            && state.angles == 0
            && last == Some(Kind::Word(Word::Type))
            && !matches!(state.mode, Mode::Loose | Mode::Template)
    }

    /// In C no type ends with `&&`.
    fn cpp_less(&self, state: &State) -> bool {
        !self.cpp && !state.want
    }

    /// Wants an operand before a sign.
    fn wanted(&self, state: &State, sign: &str) -> Result<(), super::read::Stop> {
        if !state.want {
            return Ok(());
        }
        // `template <`, `operator`: the word before takes the sign.
        let before = state.at.checked_sub(1).filter(|at| *at >= state.begin);
        let word = before.is_some_and(|at| match self.kind(at, state.at) {
            Some(Kind::Word(Word::Qualifier)) => sign != "=" || state.mode != Mode::Run,
            Some(Kind::Word(_)) => true,
            _ => false,
        });
        if word && matches!(sign, "<" | "=")
            || state.mode == Mode::Template && (word || state.stars)
        {
            return Ok(());
        }
        self.fault(state.at, &format!("nothing stands before `{sign}`"))
    }

    fn semicolon(&mut self, state: &mut State) -> Taken {
        let (at, end) = (state.at, state.end);
        match state.mode {
            Mode::Run | Mode::Value => {
                let names = matches!(self.text(state.begin, at), "using" | "typedef");
                let closed =
                    || (state.begin..at).any(|at| matches!(self.text(at, end), ">" | ">>"));
                if names && state.angles > 0 && self.cpp && !closed() {
                    return self.fault(at, "`>` is missing before this");
                }
                self.finish(state, at)?;
                Ok(Step::End(at + 1))
            }
            Mode::Case => self.fault(at, "`:` is missing before this"),
            _ => self.fault(at, "`;` cannot stand in these brackets"),
        }
    }

    fn comma(&mut self, state: &mut State) -> Taken {
        let at = state.at;
        let ended = match state.mode {
            Mode::Arguments | Mode::Template => state.stars || state.angles > 0,
            _ => state.stars && state.angles > 0,
        };
        let word = at > state.begin
            && matches!(self.kind(at - 1, at), Some(Kind::Word(word)) if word != Word::Operator);
        let alone = at.checked_sub(2).is_some_and(|last| {
            (last + 1 == state.begin || self.text(last, at) == ",")
                && matches!(self.text(at - 1, at), "*" | "&")
        });
        // Macros take empty arguments.
        let callee = state.begin.checked_sub(2).and_then(|at| self.get(at));
        let empty = state.mode == Mode::Arguments
            && at > state.begin
            && self.text(at.saturating_sub(1), at) == ","
            && callee.is_some_and(|name| {
                name.kind == Kind::Name && super::sequence::is_upper(name.text)
            });
        if empty {
            state.wants(at);
            return Ok(Step::To(at + 1));
        }
        if state.want && (!ended || alone) && !word && state.mode != Mode::Template {
            return self.fault(at, "nothing stands before this comma");
        }
        let declares = matches!(state.mode, Mode::Run | Mode::Step) && !state.expr;
        if declares && self.ends_in_type(state) {
            return self.fault(at, "a name is missing before this comma");
        }
        if state.questions > 0 {
            // `a ? b, c : d` is rare, and good.
            state.wants(at);
            return Ok(Step::To(at + 1));
        }
        state.wants(at);
        state.names.clear();
        if state.angles > 0 {
            state.typed = false;
            return Ok(Step::To(at + 1));
        }
        match state.mode {
            Mode::Arguments | Mode::Template => {
                state.declares = false;
                state.expr = false;
                state.typed = false;
            }
            Mode::Run | Mode::Step => {
                state.typed |= !state.expr;
                state.listed |= !state.expr && !state.colon;
            }
            _ => {}
        }
        Ok(Step::To(at + 1))
    }

    fn colon(&mut self, state: &mut State) -> Taken {
        let at = state.at;
        if state.questions > 0 {
            let elvis = state.last.is_some_and(|last| self.text(last, at) == "?");
            if state.want && !elvis {
                return self.fault(at, "nothing stands before this `:`");
            }
            state.questions -= 1;
            state.decides(at);
            return Ok(Step::To(at + 1));
        }
        match state.mode {
            Mode::Case if state.want => self.fault(at, "a value is missing before this"),
            Mode::Case => Ok(Step::End(at + 1)),
            Mode::Value | Mode::Index => self.fault(at, "`:` without `?`"),
            Mode::Run if state.typedef && !state.body && self.cpp && !state.called => {
                self.fault(at, "`:` cannot stand here")
            }
            Mode::Run
                if state.place == Place::Block
                    || state.last.is_none() && state.at == state.begin =>
            {
                self.fault(at, "`:` without `?`")
            }
            Mode::List if state.want => self.fault(at, "nothing stands before this `:`"),
            Mode::Run | Mode::List | Mode::Step => {
                state.colon |= state.called;
                state.wants(at);
                state.expr |= !state.called;
                state.names.clear();
                Ok(Step::To(at + 1))
            }
            Mode::Group if self.cpp => {
                state.wants(at);
                state.expr = true;
                Ok(Step::To(at + 1))
            }
            _ => self.fault(at, "`:` without `?`"),
        }
    }

    fn member(&mut self, state: &mut State, sign: &str) -> Taken {
        let (at, end) = (state.at, state.end);
        let next = self.kind(at + 1, end);
        let named = matches!(next, Some(Kind::Name | Kind::Word(_)));
        if state.mode == Mode::Loose {
            let called = self.opens(at + 2, end, b'(').is_some()
                && !super::sequence::is_upper(self.text(at + 1, end));
            if sign == "." && at == state.begin && next == Some(Kind::Name) && called {
                return self.fault(at, &format!("nothing stands before `{sign}`"));
            }
            state.wants(at);
            state.permit = true;
            return Ok(Step::To(at + 1));
        }
        if state.want {
            let before = at
                .checked_sub(1)
                .filter(|last| *last >= state.begin)
                .map_or("", |last| self.text(last, at));
            let designates = matches!(before, "" | "," | "(" | "{")
                && (self.opens(at + 2, end, b'(').is_none()
                    || super::sequence::is_upper(self.text(at + 1, end)))
                && !matches!(state.mode, Mode::Run | Mode::Value | Mode::Case);
            let callee = state.begin.checked_sub(2).and_then(|at| self.get(at));
            let plain = state.mode == Mode::Arguments
                && callee.is_some_and(|name| {
                    name.kind == Kind::Name
                        && !super::sequence::is_upper(name.text)
                        && self.is_told(name)
                        && self.uses(name) & (names::ODD | names::DEFINED) == 0
                });
            if sign == "." && named && designates && !plain {
                state.wants(at);
                return Ok(Step::To(at + 1));
            }
            return self.fault(at, &format!("nothing stands before `{sign}`"));
        }
        if sign.ends_with('*') {
            state.decides(at);
            return Ok(Step::To(at + 1));
        }
        let returns = sign == "->" && self.cpp && !state.expr && state.called;
        if returns {
            state.wants(at);
            state.names.clear();
            return Ok(Step::To(at + 1));
        }
        let destroys = self.text(at + 1, end) == "~" || self.text(at + 1, end) == "::";
        let named = named && (self.cpp || next == Some(Kind::Name));
        if !(named || destroys && self.cpp) {
            return self.fault(at, &format!("a name is missing after `{sign}`"));
        }
        if matches!(next, Some(Kind::Word(Word::Statement))) && self.cpp {
            return self.fault(at, &format!("a name is missing after `{sign}`"));
        }
        state.decides(at);
        Ok(Step::To(at + 1))
    }
}

/// Takes what closes one `<` or two.
fn closed_angle(state: &mut State, sign: &str) -> Step {
    let at = state.at;
    state.angles = state.angles.saturating_sub(sign.len());
    state.operand(at);
    state.permit = true;
    state.typed = true;
    state.names.clear();
    if state.angles == 0 {
        state.expr = state.outside;
    }
    Step::To(at + 1)
}
