//! Statements, declarations and what else stands between two ends.
//!
//! In: where one begins, and where it stands. Out: where it ends, or why it cannot be there.

use super::names;
use super::read::{Next, Place, Reader};
use super::sequence::{Mode, is_upper};
use super::token::{Kind, Token};
use super::words::Word;

impl<'a> Reader<'_, 'a> {
    /// Reads one item; `loose` says whether a macro that may stand for anything came before.
    pub(super) fn item(&mut self, at: usize, end: usize, place: Place, loose: &mut bool) -> Next {
        let Some(token) = self.get(at).copied() else {
            return Ok(end);
        };
        match token.kind {
            Kind::Sign if token.text == ";" => Ok(at + 1),
            Kind::Sign
                if place == Place::File
                    && !*loose
                    && !self.known.part
                    && !matches!(token.text, "~" | "::") =>
            {
                self.fault(at, &format!("`{}` cannot stand here", token.text))
            }
            Kind::Open(b'{') => self.block(at, end, place, loose),
            Kind::Word(Word::Statement)
                if place == Place::Block
                    || *loose && token.text != "default"
                    || matches!(token.text, "try" | "catch") =>
            {
                self.statement(at, end, loose)
            }
            Kind::Word(Word::Statement) if !*loose && token.text != "default" => self.fault(
                at,
                &format!("`{}` stands outside of a function", token.text),
            ),
            Kind::Word(Word::Statement) => Ok(at + 1),
            Kind::Word(Word::Access) if place == Place::Class => {
                let colon = (at + 1..at + 3).find(|at| self.text(*at, end) == ":");
                match colon {
                    Some(colon) => Ok(colon + 1),
                    None => self.fault(at, "`:` is missing after this"),
                }
            }
            Kind::Word(Word::Namespace) => self.namespace(at, end),
            _ if token.text == "inline"
                && self.kind(at + 1, end) == Some(Kind::Word(Word::Namespace)) =>
            {
                self.namespace(at + 1, end)
            }
            Kind::Text if place == Place::File => match *loose || self.known.part {
                true => Ok(at + 1),
                false => self.fault(at, "this string is part of nothing"),
            },
            Kind::Word(Word::Template) if self.text(at + 1, end) == "<" => self.template(at, end),
            // A macro of this name, with the parameters and what is asked of them.
            Kind::Word(Word::Template) if self.opens(at + 1, end, b'(').is_some() => {
                let mut next = at + 1;
                while let Some(close) = self.opens(next, end, b'(') {
                    next = close + 1;
                }
                Ok(next)
            }
            Kind::Word(Word::Asm) => self.assembly(at, end),
            Kind::Word(Word::Unruly) => {
                *loose = true;
                Ok(self.resume(at, end))
            }
            Kind::Name => self.named(at, end, place, loose),
            _ if token.text == "extern" && self.kind(at + 1, end) == Some(Kind::Text) => {
                match self.opens(at + 2, end, b'{') {
                    Some(close) => {
                        self.items(at + 3, close, Place::File)?;
                        Ok(close + 1)
                    }
                    None => Ok(at + 2),
                }
            }
            _ => self.plain_run(at, end, place, loose),
        }
    }

    /// Reads an item that begins with a name.
    fn named(&mut self, at: usize, end: usize, place: Place, loose: &mut bool) -> Next {
        let Some(token) = self.get(at).copied() else {
            return Ok(end);
        };
        let then = self.text(at + 1, end);
        if then == ":" && place != Place::File {
            return Ok(at + 2);
        }
        let opens = matches!(token.text, "public" | "private" | "protected");
        if opens && place == Place::Class && self.text(at + 2, end) == ":" {
            return Ok(at + 3);
        }
        if token.first && self.is_directive(at, &token) {
            return self.fault(at, "`#` is missing before this");
        }
        if place == Place::File && self.is_statement(at, end, &token) {
            return self.fault(at, "a statement stands outside of a function");
        }
        match self.bare(at, end, &token, place) {
            Some(next) => {
                *loose = true;
                Ok(next)
            }
            None => self.plain_run(at, end, place, loose),
        }
    }

    /// Returns whether a line is one of the preprocessor that has lost its `#`.
    fn is_directive(&self, at: usize, token: &Token<'a>) -> bool {
        matches!(
            token.text,
            "include" | "define" | "ifdef" | "ifndef" | "endif" | "undef"
        ) && self.get(at + 1).is_some_and(|next| {
            !next.first && (next.kind == Kind::Name || next.text == "<") || next.kind == Kind::Text
        })
    }

    /// Reads a block.
    fn block(&mut self, at: usize, end: usize, place: Place, loose: &mut bool) -> Next {
        let close = self.pairs.close_of(at).unwrap_or(end);
        let last = at.checked_sub(1).map_or("}", |at| self.text(at, end));
        if place != Place::Block
            && !*loose
            && (matches!(last, "}" | "{") || last == ";" && !self.old)
        {
            return self.fault(at, "nothing stands before this block");
        }
        let listed = *loose && !self.has_statements(at + 1, close);
        // What a macro begins may go on so.
        *loose &= self.text(close + 1, end) == "else";
        self.old = false;
        if listed {
            return Ok(close + 1);
        }
        self.items(at + 1, close, Place::Block)?;
        Ok(close + 1)
    }

    /// Reads the parameters of a template.
    fn template(&mut self, at: usize, end: usize) -> Next {
        match self.past_angles(at + 1, end) {
            Some(next) => {
                self.group(at + 2, next - 1, Mode::Template)?;
                if matches!(self.text(next, end), "{" | "}" | ";" | ")" | "") {
                    return self.fault(at, "nothing follows this template");
                }
                Ok(next)
            }
            // A `<` may be a comparison.
            None if self.angles_until(at + 2, end) => Ok(self.resume(at, end)),
            None => self.fault(at + 1, "`>` is missing for this"),
        }
    }

    fn plain_run(&mut self, at: usize, end: usize, place: Place, loose: &mut bool) -> Next {
        let next = self.run(at, end, place)?;
        if next
            .checked_sub(1)
            .is_some_and(|last| self.text(last, end) == "}")
        {
            *loose = false;
        }
        Ok(next)
    }

    /// Returns where a macro ends that stands for an item or begins one.
    fn bare(&self, at: usize, end: usize, token: &Token<'a>, place: Place) -> Option<usize> {
        let uses = self.uses(token);
        let group = self.opens(at + 1, end, b'(');
        let next = group.map_or(at + 1, |close| close + 1);
        let follows = self.get(next).filter(|_| next < end);
        let may = match group {
            Some(_) => {
                uses & (names::DEFINED | names::BARE) != 0
                    || place != Place::Block && is_upper(token.text)
                    || uses & (names::CALLED | names::FUNCTION | names::OPERAND | names::ALONE) == 0
                        && (self.cpp || uses & names::TYPE == 0 || !self.is_told(token))
            }
            None => self.may_say(token),
        };
        if !may {
            return None;
        }
        let governs = follows.is_some_and(|follows| {
            matches!(
                follows.kind,
                Kind::Open(b'{') | Kind::Name | Kind::Word(Word::Statement)
            )
        });
        if let Some(close) = group.filter(|_| governs && place == Place::Block)
            && self.is_strange_call(close)
            && self.compares(at + 2, close)
        {
            return None;
        }
        let Some(follows) = follows else {
            let cut = place == Place::File
                && group.is_none()
                && end == self.tokens.len()
                && !is_upper(token.text)
                && !self.known.part;
            let known = self.is_told(token) && uses & (names::DEFINED | names::BARE) != 0;
            return (!cut || known).then_some(next);
        };
        match follows.kind {
            Kind::Name => {
                // `type name`, unless it is on a line of its own.
                (group.is_some()
                    || follows.first
                    || !matches!(self.text(next + 1, end), ";" | "=" | "," | "["))
                .then_some(next)
            }
            Kind::Word(Word::Sign | Word::Attribute | Word::Asm | Word::OperatorName) => None,
            Kind::Word(Word::Qualifier)
                if group.is_some() && matches!(follows.text, "const" | "volatile") =>
            {
                None
            }
            Kind::Word(Word::Operator) if follows.text == "throw" => None,
            Kind::Word(_) => Some(next),
            // A loop of its own, or what a macro names.
            Kind::Open(b'[') if self.kind(next + 1, end) == Some(Kind::Open(b'[')) => Some(next),
            Kind::Open(b'{') if group.is_some() => Some(next),
            Kind::Open(b'{') if follows.first => (place == Place::Block
                || uses & (names::DEFINED | names::BARE) != 0)
                .then_some(next),
            Kind::Sign if follows.text == "~" => Some(next),
            Kind::Sign
                if (group.is_some() || is_upper(token.text))
                    && follows.first
                    && matches!(follows.text, "*" | "++" | "--" | "::" | "<") =>
            {
                Some(next)
            }
            Kind::Text | Kind::Number | Kind::Char if uses & names::ARGUMENTS == 0 => None,
            _ => None,
        }
    }

    /// Returns whether a name that was called in functions alone is called here.
    fn is_statement(&self, at: usize, end: usize, token: &Token<'a>) -> bool {
        let uses = self.uses(token);
        let others = names::TOP | names::DEFINED | names::BARE | names::TYPE | names::FUNCTION;
        let close = self.opens(at + 1, end, b'(');
        uses & names::CALLED != 0
            && uses & others == 0
            && self.is_told(token)
            && close.is_some_and(|close| self.text(close + 1, end) == ";")
    }

    /// Returns whether there is what only conditions have, outside of brackets.
    fn compares(&self, from: usize, end: usize) -> bool {
        let mut at = from;
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Open(_)) => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Sign) => match self.text(at, end) {
                    "==" | "!=" | "<=" | ">=" | "||" => return true,
                    "&&" if !self.cpp => return true,
                    "!" if at == from => return true,
                    _ => {}
                },
                _ => {}
            }
            at += 1;
        }
        false
    }

    fn namespace(&mut self, at: usize, end: usize) -> Next {
        let mut next = at + 1;
        while next < end && next < at + 40 {
            match self.kind(next, end) {
                Some(Kind::Open(b'{')) => {
                    let close = self.pairs.close_of(next).unwrap_or(end);
                    self.items(next + 1, close, Place::File)?;
                    return Ok(close + 1);
                }
                Some(Kind::Open(_)) => next = self.pairs.close_of(next).unwrap_or(end) + 1,
                Some(Kind::Sign) if matches!(self.text(next, end), ";" | "=") => {
                    return Ok(self.resume(next, end));
                }
                Some(Kind::Sign) if self.text(next, end) == "::" => next += 1,
                Some(Kind::Name | Kind::Word(Word::Attribute | Word::Qualifier)) => next += 1,
                _ => break,
            }
        }
        self.fault(next, "`{` is missing after `namespace`")
    }

    fn assembly(&self, at: usize, end: usize) -> Next {
        let mut next = at + 1;
        while matches!(
            self.kind(next, end),
            Some(Kind::Word(Word::Qualifier | Word::Statement))
        ) || matches!(self.text(next, end), "volatile" | "__volatile__" | "goto")
        {
            next += 1;
        }
        if let Some(close) = self
            .opens(next, end, b'(')
            .or_else(|| self.opens(next, end, b'{'))
        {
            if matches!(self.kind(next + 1, close), Some(Kind::Open(b'('))) {
                return self.fault(next + 1, "a string is missing before this");
            }
            return Ok(if self.text(close + 1, end) == ";" {
                close + 2
            } else {
                close + 1
            });
        }
        // `__asm mov eax, ebx`
        let rest = (next..end).skip(1);
        let line = rest
            .into_iter()
            .find(|at| self.get(*at).is_some_and(|token| token.first));
        Ok(line.unwrap_or(end))
    }
}
