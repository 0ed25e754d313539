//! `struct`, `union`, `enum` and `class`.
//!
//! In: such a word within a sequence. Out: how far it is read with its name, what it derives from
//! and its body.

use super::names;
use super::read::{Place, Reader, Stop};
use super::sequence::{Mode, State, Step, Taken, is_upper};
use super::token::Kind;
use super::words::Word;

impl Reader<'_, '_> {
    pub(super) fn tag(&mut self, state: &mut State, after: bool) -> Taken {
        let (at, end) = (state.at, state.end);
        if after {
            self.type_after(state)?;
        }
        self.type_here(state)?;
        let is_enum = self.text(at, end) == "enum";
        let mut next = at + 1;
        if is_enum && matches!(self.text(next, end), "class" | "struct") {
            next += 1;
        }
        let mut named = false;
        loop {
            match self.kind(next, end) {
                Some(Kind::Word(Word::Attribute)) => {
                    next = self
                        .opens(next + 1, end, b'(')
                        .map_or(next + 1, |close| close + 1);
                }
                Some(Kind::Open(b'['))
                    if !named || self.kind(next + 1, end) == Some(Kind::Open(b'[')) =>
                {
                    next = self.pairs.close_of(next).map_or(end, |close| close + 1)
                }
                Some(Kind::Open(b'(')) if named => {
                    // A macro that takes something; a name then follows.
                    let close = self.pairs.close_of(next).unwrap_or(end);
                    if !matches!(
                        self.kind(close + 1, end),
                        Some(Kind::Name | Kind::Open(b'{'))
                    ) {
                        break;
                    }
                    next = close + 1;
                }
                Some(Kind::Name) if !named => {
                    if state.mode != Mode::Loose && self.is_value(next) {
                        return self.fault(next, "this is a value and no type");
                    }
                    named = true;
                    next += 1;
                }
                // `class EXPORT Name : Base {`.
                Some(Kind::Name)
                    if self.heads_body(next + 1, end)
                        && !self.holds_values(next + 1, end, is_enum) =>
                {
                    next += 1;
                }
                Some(Kind::Word(Word::Qualifier)) => next += 1,
                Some(Kind::Sign) if self.text(next, end) == "::" => {
                    named = false;
                    next += 1;
                }
                Some(Kind::Sign) if named && self.cpp && self.text(next, end) == "<" => {
                    match self.past_angles(next, end) {
                        Some(past) => next = past,
                        None => break,
                    }
                }
                _ => break,
            }
        }
        state.typed = true;
        state.operand(at);
        if self.text(next, end) == ":"
            && (self.cpp || is_enum)
            && matches!(state.mode, Mode::Run)
            && self.heads_body(next, end)
        {
            while next < end && self.opens(next, end, b'{').is_none() {
                next = match self.kind(next, end) {
                    Some(Kind::Open(_)) => self.pairs.close_of(next).unwrap_or(end) + 1,
                    _ => next + 1,
                };
            }
        }
        if let Some(close) = self.opens(next, end, b'{') {
            if is_enum {
                self.enumerators(next, close)?;
                self.group(next + 1, close, Mode::List)?;
            } else {
                self.items(next + 1, close, Place::Class)?;
            }
            state.operand(close);
            state.body = true;
            return Ok(Step::To(close + 1));
        }
        let unnamed = (state.mode == Mode::Template || state.angles > 0)
            && matches!(self.text(next, end), "=" | ">" | "," | "..." | "");
        if !named && !unnamed && state.mode != Mode::Loose && (!self.cpp || state.mode == Mode::Run)
        {
            return self.fault(at, "a name or `{` is missing after this");
        }
        Ok(Step::To(next))
    }

    /// Refuses what is no name where an enumeration declares one.
    fn enumerators(&self, open: usize, close: usize) -> Result<(), Stop> {
        let (mut at, mut begins) = (open + 1, true);
        while at < close {
            let odd = match self.kind(at, close) {
                Some(Kind::Number | Kind::Text | Kind::Char) => true,
                Some(Kind::Word(word)) => word != Word::Attribute,
                _ => false,
            };
            if begins && odd {
                return self.fault(at, "a name is missing here");
            }
            // What is between angles is not told from what is not.
            begins = !self.cpp && self.text(at, close) == ",";
            at = match self.kind(at, close) {
                Some(Kind::Open(_)) => self.pairs.close_of(at).map_or(close, |close| close + 1),
                _ => at + 1,
            };
        }
        Ok(())
    }

    /// Returns whether a name of capitals was never anything but a value.
    fn is_value(&self, at: usize) -> bool {
        self.get(at).is_some_and(|name| {
            let uses = self.uses(name);
            let others = names::TYPE | names::DEFINED | names::BARE | names::ARGUMENTS;
            is_upper(name.text)
                && self.is_told(name)
                && uses & (names::OPERAND | names::ALONE) != 0
                && uses & others == 0
        })
    }

    /// Returns whether braces are here with values in them and no members.
    pub(super) fn holds_values(&self, at: usize, end: usize, is_enum: bool) -> bool {
        self.opens(at, end, b'{')
            .is_some_and(|close| !is_enum && close > at + 1 && !self.has_statements(at + 1, close))
    }

    /// Returns whether a `{` follows before anything ends.
    pub(super) fn heads_body(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        let bases = self.text(from, end) == ":";
        while at < end.min(from + 400) {
            match self.kind(at, end) {
                Some(Kind::Open(b'{')) => return true,
                Some(Kind::Open(_)) if bases => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Open(_)) => return false,
                Some(Kind::Sign) if bases && !matches!(self.text(at, end), ";") => {}
                Some(Kind::Sign)
                    if !matches!(
                        self.text(at, end),
                        ":" | "," | "<" | ">" | "::" | ">>" | "..." | "*" | "&"
                    ) =>
                {
                    return false;
                }
                Some(Kind::Close(_) | Kind::Text | Kind::Stray) | None => return false,
                _ => {}
            }
            at += 1;
        }
        false
    }
}
