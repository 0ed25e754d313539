//! The grammar of C and C++ without what macros could be, for texts that keep to it.
//!
//! In: tokens whose brackets match, with what is known of names, and the part of them that was edited. Out: the
//! first fault in the declarations there. Published text has many, wherever a macro stands for more than a
//! value, so one counts only where the text before had none. Types and values are not told apart where
//! both would do. A recursive descent with a memory for what is in brackets, so that no part is read
//! more than a few times.

mod classes;
mod declare;
mod declarator;
mod express;
mod initial;
mod macros;
mod operand;
mod require;
mod stated;
mod templates;
mod types;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::names::{self, Uses};
use super::pairs::Pairs;
use super::read::{Place, Top};
use super::token::{Kind, Token};
use super::words::Word;

/// Brackets and statements within each other, beyond which there is no opinion.
const MAX_DEPTH: usize = 150;

/// Steps for each token, beyond which there is no opinion.
const MAX_STEPS: usize = 200;

/// Tokens and brackets before an item that a macro is looked for in.
const MAX_LOOK: usize = 300;

/// A place that does not fit, and the declaration that it is in, as tokens.
pub(super) struct Odd {
    pub(super) at: usize,
    pub(super) item: Range<usize>,
}

/// What brackets were read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Group {
    Values,
    LooseValues,
    Parameters,
    Value,
    Type,
    Block,
    List,
    Class,
    Asked,
}

/// What is read, and how far.
struct Strict<'s, 'a> {
    tokens: &'s [Token<'a>],
    pairs: &'s Pairs,
    cpp: bool,
    depth: usize,
    steps: usize,
    from: usize,
    /// The last place where nothing fitted.
    furthest: usize,
    known: HashMap<(usize, Group), bool>,
    /// What follows the arguments of a template, by where they begin.
    angles: HashMap<usize, Option<usize>>,
    /// Whether names after a type are what is declared, and no macros.
    plain: bool,
    /// Whether a name after a type was passed as a macro.
    passed: bool,
}

/// A text, its tokens as the grammar has them.
pub(super) struct Text<'s, 'a> {
    tokens: Cow<'s, [Token<'a>]>,
    pairs: Cow<'s, Pairs>,
    cpp: bool,
    /// What was one token in the text, by its place there.
    split: Vec<usize>,
}

/// The declarations to be read.
pub(super) struct Part<'p> {
    pub(super) tops: &'p [Top],
    /// The tokens that they meet.
    pub(super) range: Range<usize>,
    /// Whether those count as well that are wholly within it, with names that nothing is known of.
    pub(super) all: bool,
}

impl<'s, 'a> Text<'s, 'a> {
    pub(super) fn new(tokens: &'s [Token<'a>], pairs: &'s Pairs, cpp: bool) -> Self {
        // `>>` may close two lists.
        let halves = |token: &Token<'_>| cpp && token.text == ">>";
        let places = tokens.iter().enumerate().filter(|(_, token)| halves(token));
        let split: Vec<usize> = places.map(|(at, _)| at).collect();
        if split.is_empty() {
            return Self {
                tokens: Cow::Borrowed(tokens),
                pairs: Cow::Borrowed(pairs),
                cpp,
                split,
            };
        }
        let mut all = Vec::with_capacity(tokens.len() + split.len());
        for token in tokens {
            if halves(token) {
                let half = |from: usize| Token {
                    text: token.text.get(from..=from).unwrap_or_default(),
                    at: token.at + from,
                    ..*token
                };
                all.extend([half(0), half(1)]);
            } else {
                all.push(*token);
            }
        }
        Self {
            pairs: Cow::Owned(Pairs::of(&all)),
            tokens: Cow::Owned(all),
            cpp,
            split,
        }
    }

    pub(super) fn cpp(&self) -> bool {
        self.cpp
    }

    /// Returns the text with what its own declarations show of names.
    pub(super) fn told(&self, own: &dyn Fn(&str) -> Option<Uses>) -> Text<'_, 'a> {
        let mut tokens = self.tokens.to_vec();
        let shows = names::TYPE | names::DECLARED | names::VARIABLE;
        for token in tokens
            .iter_mut()
            .filter(|token| token.kind == Kind::Name && token.told)
        {
            let uses = own(token.text).unwrap_or_default();
            if uses & shows & !token.uses != 0 {
                token.uses |= uses & (shows | names::NAMED | names::OPERAND);
            }
        }
        Text {
            tokens: Cow::Owned(tokens),
            pairs: Cow::Borrowed(&self.pairs),
            cpp: self.cpp,
            split: self.split.clone(),
        }
    }

    /// Returns the tokens that meet a part of the text.
    pub(super) fn meeting(&self, range: &Range<usize>) -> (usize, usize) {
        let first = self.tokens.partition_point(|token| token.at < range.start);
        let past = self.tokens.partition_point(|token| token.at <= range.end);
        (self.back(first), self.back(past))
    }

    /// Returns where a token of the text stands; of none behind the last, where that does.
    pub(super) fn start_of(&self, at: usize) -> Option<usize> {
        match at {
            usize::MAX => self.tokens.last().map(|token| token.at),
            _ => self.tokens.get(self.place(at)).map(|token| token.at),
        }
    }

    pub(super) fn word(&self, at: usize) -> Option<&'a str> {
        self.tokens.get(self.place(at)).map(|token| token.text)
    }

    /// Returns where a token of the text is among those of the grammar.
    fn place(&self, at: usize) -> usize {
        at + self.split.partition_point(|other| *other < at)
    }

    /// Returns where a token of the grammar is in the text.
    fn back(&self, at: usize) -> usize {
        let mut token = at.saturating_sub(self.split.len());
        while token < at && self.place(token) < at {
            token += 1;
        }
        token
    }

    fn strict(&self, from: usize) -> Strict<'_, 'a> {
        Strict {
            tokens: &self.tokens,
            pairs: &self.pairs,
            cpp: self.cpp,
            depth: 0,
            steps: 0,
            from,
            furthest: from,
            known: HashMap::new(),
            angles: HashMap::new(),
            plain: false,
            passed: false,
        }
    }

    /// Returns the first fault of the declarations that meet a part.
    pub(super) fn fault(&self, part: &Part<'_>) -> Option<Odd> {
        let (tops, range) = (part.tops, &part.range);
        let first = tops.partition_point(|top| top.at <= range.start);
        let mut first = first.saturating_sub(1);
        while first > 0 && tops.get(first).is_some_and(|top| !self.begins(top)) {
            first -= 1;
        }
        let mut done = 0;
        for (index, top) in tops.iter().enumerate().skip(first) {
            if top.at > range.end {
                break;
            }
            let next = tops.get(index + 1).map_or(top.end, |next| next.at);
            let (at, end) = (self.place(top.at), self.place(top.end));
            let begun = index > first && at != done && !self.begins(top);
            if at < done || begun || !part.all && self.is_strange(top.at, next, range) {
                continue;
            }
            match self.items_from(at, end, top.place, self.place(range.end), &|at| {
                tops.binary_search_by_key(&self.back(at), |top| top.at)
                    .is_ok()
            }) {
                Ok(next) => done = next,
                Err(None) => return None,
                Err(_) if top.place == Place::File && self.is_in_macro(at) => return None,
                Err(Some(furthest)) => {
                    let past = self.place(next).max(furthest + 1);
                    return Some(Odd {
                        at: self.back(furthest),
                        item: self.back(at)..self.back(past),
                    });
                }
            }
        }
        None
    }

    /// Reads an item, and those after it that do not seem to be some; returns where they end, or where
    /// nothing fits, if there is an opinion.
    fn items_from(
        &self,
        from: usize,
        end: usize,
        place: Place,
        last: usize,
        is_top: &dyn Fn(usize) -> bool,
    ) -> Result<usize, Option<usize>> {
        let mut at = from;
        while at == from || at < end && at <= last && !is_top(at) {
            let mut strict = self.strict(at);
            match strict.item(at, end, place) {
                Some(next) => at = next.max(at + 1),
                None if strict.depth == usize::MAX => return Err(None),
                None => return Err(Some(strict.furthest)),
            }
        }
        Ok(at)
    }

    /// Returns whether a macro on a line of its own may have begun a function that an item is in.
    fn is_in_macro(&self, item: usize) -> bool {
        let strict = self.strict(0);
        let text = |at: usize| strict.text(at, usize::MAX);
        let states = match strict.kind(item, usize::MAX) {
            Some(Kind::Name) => !strict.is_name(item + 1, usize::MAX),
            Some(Kind::Word(word)) => word == Word::Statement,
            _ => false,
        };
        if !states {
            return false;
        }
        let starts_line = |at: usize| self.tokens.get(at).is_some_and(|token| token.first);
        let mut at = item;
        for _ in 0..MAX_LOOK {
            let alone = starts_line(at) && starts_line(at + 1) && strict.is_wild(at, item);
            let Some(last) = at.checked_sub(1) else {
                return alone;
            };
            let ended = matches!(text(last), ";" | "{" | "}");
            if ended && alone {
                return true;
            }
            at = match strict.kind(last, item) {
                // The end of a function.
                Some(Kind::Close(b'}')) if !matches!(text(at), ";" | ",") && !alone => {
                    return false;
                }
                Some(Kind::Close(_)) => self.pairs.close_of(last).unwrap_or(last),
                _ => last,
            };
        }
        false
    }

    /// Returns whether an item is what it seems: what is taken for a macro alone may be a type.
    fn begins(&self, top: &Top) -> bool {
        let at = self.place(top.at);
        let last = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let last = last.map_or("", |last| last.text);
        let opens = self.tokens.get(at).is_some_and(|token| token.text == "{");
        // A block of its own is none; what looks like one may follow the parameters of old, or a macro.
        match opens {
            true => self.cpp && matches!(last, ";" | "}"),
            false => matches!(last, "" | ";" | "{" | "}" | ":"),
        }
    }

    /// Returns whether an item is new, and has names that the text before has not.
    fn is_strange(&self, at: usize, next: usize, range: &Range<usize>) -> bool {
        let (first, past) = (self.place(at), self.place(next));
        let ended = next < range.end || past >= self.tokens.len();
        let tokens = self.tokens.get(first..past).unwrap_or_default();
        range.start < at
            && ended
            && tokens
                .iter()
                .any(|token| token.kind == Kind::Name && !token.told)
    }

    /// Returns the names of what may be macros, with a place among their arguments.
    pub(super) fn macros_around(&self, odd: &Odd) -> Vec<&'a str> {
        let (from, mut at) = (self.place(odd.item.start), self.place(odd.at));
        let strict = self.strict(0);
        let mut names = Vec::new();
        while at > from {
            at -= 1;
            match self.tokens.get(at).map(|token| token.kind) {
                Some(Kind::Close(_)) => at = self.pairs.close_of(at).unwrap_or(at),
                Some(Kind::Open(b'(')) => {
                    let name = at.checked_sub(1).and_then(|at| self.tokens.get(at));
                    let wild = at
                        .checked_sub(1)
                        .is_some_and(|at| strict.may_take_anything(at));
                    names.extend(name.filter(|_| wild).map(|name| name.text));
                }
                _ => {}
            }
        }
        names
    }

    /// Returns whether all calls of a name are such as the grammar has.
    pub(super) fn calls_fit(&self, name: &str) -> bool {
        let mut strict = self.strict(0);
        let mut tokens = self.tokens.iter().enumerate();
        tokens.all(|(at, token)| {
            let called =
                token.text == name && strict.opens(at + 1, self.tokens.len(), b'(').is_some();
            !called || strict.values(at + 1, Group::LooseValues).is_some()
        })
    }
}

impl<'a> Strict<'_, 'a> {
    fn get(&self, at: usize, end: usize) -> Option<&Token<'a>> {
        self.tokens.get(at).filter(|_| at < end)
    }

    /// Returns the text of a token before `end`; of none, an empty one.
    fn text(&self, at: usize, end: usize) -> &'a str {
        self.get(at, end).map_or("", |token| token.text)
    }

    fn kind(&self, at: usize, end: usize) -> Option<Kind> {
        self.get(at, end).map(|token| token.kind)
    }

    fn word(&self, at: usize, end: usize) -> Option<Word> {
        match self.kind(at, end) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn is_name(&self, at: usize, end: usize) -> bool {
        self.kind(at, end) == Some(Kind::Name)
    }

    /// Returns where a bracket at `at` closes.
    fn opens(&self, at: usize, end: usize, byte: u8) -> Option<usize> {
        (self.kind(at, end) == Some(Kind::Open(byte))).then(|| self.pairs.close_of(at))?
    }

    /// Returns what follows `text`, if it is there.
    fn expect(&mut self, at: usize, end: usize, text: &str) -> Option<usize> {
        match self.text(at, end) == text {
            true => Some(at + 1),
            false => self.miss(at),
        }
    }

    /// Says that nothing fits at a place.
    fn miss<T>(&mut self, at: usize) -> Option<T> {
        self.furthest = self.furthest.max(at);
        None
    }

    /// Returns whether `at` is the end; else nothing fits there.
    fn ends(&mut self, at: usize, end: usize) -> Option<usize> {
        match at >= end {
            true => Some(at),
            false => self.miss(at),
        }
    }

    /// Reads what is in brackets once, and remembers whether it fits.
    fn once(
        &mut self,
        open: usize,
        group: Group,
        read: impl FnOnce(&mut Self, usize, usize) -> Option<usize>,
    ) -> Option<usize> {
        let close = self.pairs.close_of(open)?;
        if let Some(fits) = self.known.get(&(open, group)) {
            return fits.then_some(close + 1);
        }
        let fits = self
            .deeper(|strict| read(strict, open + 1, close))
            .is_some();
        self.known.insert((open, group), fits);
        fits.then_some(close + 1)
    }

    /// Reads one level down; beyond the deepest there is no opinion.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.depth = usize::MAX;
            return None;
        }
        self.depth += 1;
        let result = read(self);
        if self.depth != usize::MAX {
            self.depth -= 1;
        }
        result
    }

    /// Counts a step; after too many there is no opinion.
    fn step(&mut self) {
        self.steps += 1;
        let most = MAX_STEPS.saturating_mul(self.furthest.saturating_sub(self.from) + 64);
        if self.steps > most {
            self.depth = usize::MAX;
        }
    }

    /// Passes attributes: `[[a]]`, `__attribute__((a))`.
    fn past_attributes(&self, mut at: usize, end: usize) -> usize {
        loop {
            let square = self.opens(at, end, b'[');
            if let Some(close) = square.filter(|_| self.opens(at + 1, end, b'[').is_some()) {
                at = close + 1;
            } else if self.word(at, end) == Some(Word::Attribute)
                && self.text(at, end) != "noexcept"
            {
                at = self.past_macro(at, end);
            } else {
                return at;
            }
        }
    }

    /// Reads one item of a file or a class, or a statement.
    fn item(&mut self, at: usize, end: usize, place: Place) -> Option<usize> {
        match place {
            Place::Block => self.statement(at, end),
            _ => self.declared(at, end, place),
        }
    }
}

#[cfg(test)]
mod tests;
