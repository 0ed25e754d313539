//! Statements that words begin.
//!
//! In: the word, and tokens after it. Out: where the statement ends, or what is missing in it.

use std::collections::HashMap;

use super::names;
use super::read::{MAX_DEPTH, Next, Place, Reader, Stop};
use super::sequence::Mode;
use super::token::Kind;
use super::words::Word;

/// A label is compared with others if it has fewer tokens.
const MAX_LABEL: usize = 12;

impl Reader<'_, '_> {
    /// Reads what follows a condition: one statement.
    fn body(&mut self, from: usize, end: usize) -> Next {
        let repeats = from
            .checked_sub(1)
            .is_some_and(|last| self.text(last, end) == "do");
        if self.depth >= MAX_DEPTH {
            return Err(Stop::NoOpinion);
        }
        self.depth += 1;
        let (mut at, mut loose) = (from, false);
        let declares = match self.kind(from, end) {
            Some(Kind::Word(Word::Type | Word::Tag)) => true,
            Some(Kind::Word(Word::Qualifier)) => !self.text(from, end).starts_with("__"),
            _ => false,
        };
        if (declares || self.declares_name(from, end)) && !self.cpp {
            return self.fault(from, "a declaration cannot be all that a condition governs");
        }
        loop {
            if at >= end {
                if loose {
                    break;
                }
                return self.fault(from.saturating_sub(1), "a statement is missing after this");
            }
            let (was, start) = (std::mem::take(&mut loose), at);
            // It may be one that a macro has begun.
            if was && self.text(at, end) == "else" {
                at = self.body(at + 1, end)?;
                break;
            }
            if was && repeats && self.text(at, end) == "while" {
                break;
            }
            at = self.item(at, end, Place::Block, &mut loose)?.max(at + 1);
            // What a macro begins goes on.
            let label = self.text(start + 1, end) == ":"
                || matches!(self.text(start, end), "case" | "default");
            if !loose && !label {
                break;
            }
            loose |= label;
        }
        self.depth -= 1;
        Ok(at)
    }

    /// Returns whether a declaration begins here with a name that was never anything but a type.
    fn declares_name(&self, at: usize, end: usize) -> bool {
        let is_type = self.get(at).is_some_and(|token| {
            let others =
                names::OPERAND | names::ALONE | names::CALLED | names::FUNCTION | names::ODD;
            let uses = self.uses(token);
            token.kind == Kind::Name
                && uses & names::TYPE != 0
                && uses & (others | names::DEFINED | names::BARE) == 0
        });
        let mut name = at + 1;
        while self.text(name, end) == "*" {
            name += 1;
        }
        is_type
            && self.kind(name, end) == Some(Kind::Name)
            && matches!(self.text(name + 1, end), ";" | "=" | "," | "[")
    }

    pub(super) fn statement(&mut self, at: usize, end: usize, loose: &mut bool) -> Next {
        let word = self.text(at, end);
        match word {
            "if" => self.branches(at, end, loose),
            "else" if *loose || self.may_have_if() => self.body(at + 1, end),
            "else" => self.fault(at, "`else` without `if`"),
            "while" => {
                let next = self.condition(at, end)?;
                self.body(next, end)
            }
            "switch" => {
                let next = self.condition(at, end)?;
                self.labels(next, end)?;
                self.body(next, end)
            }
            "for" => {
                let next = self.steps(at, end)?;
                self.body(next, end)
            }
            "do" => {
                let next = self.body(at + 1, end)?;
                if self.text(next, end) != "while" {
                    return self.fault(
                        next.min(end.saturating_sub(1)),
                        "`while` is missing after the body of `do`",
                    );
                }
                let next = self.condition(next, end)?;
                self.ended(next, end)
            }
            "case" => self.sequence(at + 1, end, Mode::Case, Place::Block),
            "default" if self.text(at + 1, end) == ":" => Ok(at + 2),
            "default" => self.fault(at, "`:` is missing after `default`"),
            "break" | "continue" => self.ended(at + 1, end),
            "goto" => match self.kind(at + 1, end) {
                Some(Kind::Name) => self.ended(at + 2, end),
                Some(Kind::Sign) if self.text(at + 1, end) == "*" => {
                    self.sequence(at + 2, end, Mode::Value, Place::Block)
                }
                _ => self.fault(at, "`goto` needs a name"),
            },
            "return" => self.sequence(at + 1, end, Mode::Value, Place::Block),
            "try" => match self.opens(at + 1, end, b'{') {
                Some(close) => {
                    let caught = self.text(close + 1, end) == "catch"
                        || self.kind(close + 1, end) == Some(Kind::Name);
                    if !caught {
                        return self.fault(close, "`catch` is missing after this");
                    }
                    self.items(at + 2, close, Place::Block)?;
                    Ok(close + 1)
                }
                None => self.fault(at, "`{` is missing after `try`"),
            },
            "catch" => match self.opens(at + 1, end, b'(').map(|close| close + 1) {
                Some(next) if self.opens(next, end, b'{').is_some() => Ok(next),
                _ => self.fault(at, "`catch` needs `(...) {`"),
            },
            _ => Ok(at + 1),
        }
    }

    /// Refuses a label that the braces at `open` have twice, in no branch of the preprocessor.
    fn labels(&self, open: usize, end: usize) -> Result<(), Stop> {
        let Some(close) = self.opens(open, end, b'{') else {
            return Ok(());
        };
        let mut seen: HashMap<Vec<&str>, usize> = HashMap::new();
        let mut at = open + 1;
        while at < close {
            match self.kind(at, close) {
                Some(Kind::Open(_)) => at = self.pairs.close_of(at).unwrap_or(close),
                Some(Kind::Word(Word::Statement)) if self.text(at, close) == "case" => {
                    let label = (at + 1..close.min(at + MAX_LABEL)).map(|at| self.text(at, close));
                    let label: Vec<&str> = label.take_while(|text| *text != ":").collect();
                    let earlier = seen.insert(label, at);
                    let counts = self.text(at + 1, close).starts_with("__");
                    if !counts && earlier.is_some_and(|earlier| !self.is_divided(earlier, at)) {
                        return self.fault(at, "this label is there already");
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(())
    }

    /// Returns whether the preprocessor chooses between two tokens.
    fn is_divided(&self, from: usize, to: usize) -> bool {
        let (Some(from), Some(to)) = (self.get(from), self.get(to)) else {
            return true;
        };
        let next = self.known.branches.partition_point(|at| *at < from.at);
        self.known.branches.get(next).is_some_and(|at| *at < to.at)
    }

    /// Returns whether the item before began with a macro of this text.
    fn may_have_if(&self) -> bool {
        self.get(self.last).is_some_and(|token| {
            token.kind == Kind::Name && self.uses(token) & names::BRANCHES != 0
        })
    }

    /// Wants a `;`.
    fn ended(&self, at: usize, end: usize) -> Next {
        match self.text(at, end) {
            ";" => Ok(at + 1),
            _ => self.fault(at.saturating_sub(1), "`;` is missing after this"),
        }
    }

    fn branches(&mut self, from: usize, end: usize, loose: &mut bool) -> Next {
        let mut at = from;
        loop {
            let next = self.condition(at, end)?;
            let next = self.body(next, end)?;
            if self.text(next, end) != "else" {
                return Ok(next);
            }
            if self.text(next + 1, end) != "if" {
                return self.body(next + 1, end);
            }
            at = next + 1;
            *loose = false;
        }
    }

    /// Reads the brackets after `if`, `while` or `switch`.
    fn condition(&mut self, at: usize, end: usize) -> Next {
        let mut open = at + 1;
        while matches!(self.text(open, end), "constexpr" | "consteval" | "!")
            || self.kind(open, end) == Some(Kind::Name)
        {
            open += 1;
        }
        let Some(close) = self.opens(open, end, b'(') else {
            if self.text(at + 1, end) == "consteval" || self.text(at + 2, end) == "consteval" {
                return Ok(open);
            }
            return self.fault(
                at,
                &format!("`(` is missing after `{}`", self.text(at, end)),
            );
        };
        if open == at + 1 {
            if close == open + 1 {
                return self.fault(open, "a condition is missing");
            }
            let parts = self.semicolons(open + 1, close);
            let mut from = open + 1;
            if parts.len() == 1 && self.cpp {
                from = parts.first().map_or(from, |at| at + 1);
            }
            self.group(from, close, Mode::Group)?;
        }
        Ok(close + 1)
    }

    /// Returns the semicolons between two tokens that are in no brackets.
    fn semicolons(&self, from: usize, end: usize) -> Vec<usize> {
        let (mut at, mut found) = (from, Vec::new());
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Open(_)) => at = self.pairs.close_of(at).unwrap_or(end),
                Some(Kind::Sign) if self.text(at, end) == ";" => found.push(at),
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// Reads the brackets after `for`.
    fn steps(&mut self, at: usize, end: usize) -> Next {
        let open = if self.kind(at + 1, end) == Some(Kind::Name) {
            at + 2
        } else {
            at + 1
        };
        let Some(close) = self.opens(open, end, b'(') else {
            return self.fault(at, "`(` is missing after `for`");
        };
        let parts = self.semicolons(open + 1, close);
        match parts.as_slice() {
            [first, second] => {
                self.group(open + 1, *first, Mode::Step)?;
                self.group(*first + 1, *second, Mode::Step)?;
                self.group(*second + 1, close, Mode::Step)?;
            }
            [] | [_] => {
                let mut inner = open + 1..close;
                let ranges = self.cpp && inner.any(|at| self.text(at, close) == ":");
                let alone = self
                    .get(open + 1)
                    .is_some_and(|name| name.kind == Kind::Name && self.may_say(name))
                    && (open + 2 == close || self.opens(open + 2, close, b'(').is_some());
                let any = (open + 1..close).any(|at| {
                    self.get(at).is_some_and(|token| {
                        token.kind == Kind::Name && self.uses(token) & names::DEFINED != 0
                    })
                });
                if !ranges && !alone && !any && open == at + 1 {
                    return self.fault(open, "`for` needs two `;` in its brackets");
                }
            }
            [_, _, third, ..] => return self.fault(*third, "`for` has one `;` too many"),
        }
        Ok(close + 1)
    }
}
