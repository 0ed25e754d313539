//! Statements and declarations of C and C++, without what macros stand for.
//!
//! In: tokens whose brackets match, and what is known of names. Out: the faults that no macro explains.

use super::super::Fault;
use super::Found;
use super::names::{self, Names, Uses};
use super::pairs::Pairs;
use super::sequence::Mode;
use super::token::{Kind, Token};
use super::words::Word;

/// Brackets and statements within each other, beyond which there is no opinion.
pub(super) const MAX_DEPTH: usize = 200;

/// At most so many faults of a text are listed.
pub(super) const MAX_FAULTS: usize = 20;

/// Why a statement is not read to its end.
pub(super) enum Stop {
    At(usize, String),
    NoOpinion,
}

/// Where items stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File,
    Class,
    Block,
}

/// What is known of names: from the text before, where they occur there. A text that is read to
/// see whether it can be followed is its own text before.
pub(super) struct Known<'n, 'a> {
    pub(super) before: &'n Names<'n>,
    pub(super) own: &'n Names<'a>,
    /// Whether the text may be a part of what includes it.
    pub(super) part: bool,
    /// Where the preprocessor chooses.
    pub(super) branches: &'n [usize],
}

pub(super) struct Reader<'s, 'a> {
    pub(super) tokens: &'s [Token<'a>],
    pub(super) pairs: &'s Pairs,
    pub(super) known: Known<'s, 'a>,
    pub(super) cpp: bool,
    pub(super) depth: usize,
    /// Whether the last declaration at the top may have been one of a parameter, as of old.
    pub(super) old: bool,
    /// Where the item before the last one read began.
    pub(super) last: usize,
    /// Where items begin that stand in no block.
    tops: Vec<usize>,
    /// Where something is wrong, and what.
    faults: Vec<(usize, String)>,
}

/// Returns the faults of a text; none as well where there is no opinion.
pub(super) fn faults(
    tokens: &[Token<'_>],
    pairs: &Pairs,
    known: Known<'_, '_>,
    cpp: bool,
) -> Vec<Found> {
    let mut reader = Reader {
        tokens,
        pairs,
        known,
        cpp,
        depth: 0,
        old: false,
        last: 0,
        tops: Vec::new(),
        faults: Vec::new(),
    };
    match reader.items(0, tokens.len(), Place::File) {
        Ok(()) | Err(Stop::At(..)) => reader.found(),
        Err(Stop::NoOpinion) => Vec::new(),
    }
}

pub(super) type Next = Result<usize, Stop>;

impl<'a> Reader<'_, 'a> {
    /// Returns the faults with what they are in.
    fn found(self) -> Vec<Found> {
        let start_of = |at: usize| self.tokens.get(at).map(|token| token.at);
        let last = self.tokens.last().map_or(0, |token| token.at);
        let found = self.faults.into_iter().map(|(at, what)| {
            let start = start_of(at).unwrap_or(last);
            let past = self.tops.partition_point(|top| *top <= at);
            let top = past.checked_sub(1).and_then(|top| self.tops.get(top));
            let next = self.tops.get(past).and_then(|top| start_of(*top));
            Found {
                fault: Fault::new(start..start + 1, what),
                item: top.and_then(|top| start_of(*top)).unwrap_or(0)..next.unwrap_or(last + 1),
            }
        });
        found.collect()
    }

    pub(super) fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }

    /// Returns the text of a token before `end`; of none, an empty one.
    pub(super) fn text(&self, at: usize, end: usize) -> &'a str {
        match self.get(at) {
            Some(token) if at < end => token.text,
            _ => "",
        }
    }

    pub(super) fn kind(&self, at: usize, end: usize) -> Option<Kind> {
        self.get(at).filter(|_| at < end).map(|token| token.kind)
    }

    pub(super) fn opens(&self, at: usize, end: usize, byte: u8) -> Option<usize> {
        (self.kind(at, end) == Some(Kind::Open(byte))).then(|| self.pairs.close_of(at))?
    }

    pub(super) fn fault<T>(&self, at: usize, what: &str) -> Result<T, Stop> {
        Err(Stop::At(at, what.to_owned()))
    }

    /// Returns what is known of a name.
    pub(super) fn uses(&self, token: &Token<'a>) -> Uses {
        let before = self.known.before.get(token.text);
        before
            .or_else(|| self.known.own.get(token.text))
            .unwrap_or_default()
    }

    /// Returns whether the text before has a name, or every text.
    pub(super) fn is_told(&self, token: &Token<'a>) -> bool {
        self.known.before.get(token.text).is_some() || self.uses(token) & names::STANDARD != 0
    }

    /// Returns whether a name may be a macro that says something of a declaration, or anything.
    pub(super) fn may_say(&self, token: &Token<'a>) -> bool {
        if self.cpp && matches!(token.text, "override" | "final") {
            return true;
        }
        let uses = self.uses(token);
        if uses & (names::DEFINED | names::BARE | names::ODD) != 0 {
            return true;
        }
        let open = token.text.ends_with('_') && super::sequence::is_upper(token.text);
        if (token.text.starts_with("__") || open) && uses & names::TYPE == 0 {
            return true;
        }
        let others = names::OPERAND | names::TYPE | names::FUNCTION | names::CALLED | names::ALONE;
        uses & others == 0
    }

    /// Reads items up to `end`.
    pub(super) fn items(&mut self, from: usize, end: usize, place: Place) -> Result<(), Stop> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::NoOpinion);
        }
        self.depth += 1;
        let (mut at, mut loose) = (from, false);
        while at < end {
            if place != Place::Block {
                self.tops.push(at);
            }
            let start = at;
            match self.item(at, end, place, &mut loose) {
                Ok(next) => {
                    at = next.max(at + 1);
                    self.last = start;
                }
                Err(Stop::At(place, what)) => {
                    self.faults.push((place, what));
                    if self.faults.len() >= MAX_FAULTS {
                        return self.fault(place, "");
                    }
                    at = self.resume(at, end);
                }
                Err(stop) => return Err(stop),
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Returns where the next item begins after a faulty one.
    fn resume(&self, from: usize, end: usize) -> usize {
        let mut at = from;
        while at < end {
            match self.kind(at, end) {
                Some(Kind::Open(byte)) => {
                    at = self.pairs.close_of(at).unwrap_or(end);
                    if byte == b'{' {
                        return at + 1;
                    }
                }
                Some(Kind::Sign) if self.text(at, end) == ";" => return at + 1,
                _ => {}
            }
            at += 1;
        }
        end
    }

    /// Reads one item; `loose` says whether a macro that may stand for anything came before.
    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each kind of word or sign"
    )]
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
            Kind::Open(b'{') => {
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
            Kind::Word(Word::Template) if self.text(at + 1, end) == "<" => {
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
            Kind::Word(Word::Asm) => self.assembly(at, end),
            Kind::Word(Word::Unruly) => {
                *loose = true;
                Ok(self.resume(at, end))
            }
            Kind::Name if self.text(at + 1, end) == ":" && place != Place::File => Ok(at + 2),
            Kind::Name
                if place == Place::Class
                    && self.text(at + 2, end) == ":"
                    && matches!(token.text, "public" | "private" | "protected") =>
            {
                Ok(at + 3)
            }
            Kind::Name
                if token.first
                    && matches!(
                        token.text,
                        "include" | "define" | "ifdef" | "ifndef" | "endif" | "undef"
                    )
                    && self.get(at + 1).is_some_and(|next| {
                        !next.first && (next.kind == Kind::Name || matches!(next.text, "<"))
                            || next.kind == Kind::Text
                    }) =>
            {
                self.fault(at, "`#` is missing before this")
            }
            Kind::Name if place == Place::File && self.is_statement(at, end, &token) => {
                self.fault(at, "a statement stands outside of a function")
            }
            Kind::Name => match self.bare(at, end, &token, place) {
                Some(next) => {
                    *loose = true;
                    Ok(next)
                }
                None => self.plain_run(at, end, place, loose),
            },
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
                    || place != Place::Block && super::sequence::is_upper(token.text)
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
                && !super::sequence::is_upper(token.text)
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
                if (group.is_some() || super::sequence::is_upper(token.text))
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

    /// Returns what follows the `>` that closes a `<`; none if that is not clear.
    pub(super) fn past_angles(&self, at: usize, end: usize) -> Option<usize> {
        let (mut depth, mut next) = (0_usize, at);
        while next < end {
            match self.kind(next, end)? {
                Kind::Open(_) => next = self.pairs.close_of(next)?,
                Kind::Sign => match self.text(next, end) {
                    "<" => depth += 1,
                    ">" => depth = depth.checked_sub(1)?,
                    ">>" => depth = depth.checked_sub(2)?,
                    ";" => return None,
                    _ => {}
                },
                _ => {}
            }
            next += 1;
            if depth == 0 {
                return Some(next);
            }
        }
        None
    }

    /// Returns whether a `<` stands before the next `;` or brace.
    fn angles_until(&self, from: usize, end: usize) -> bool {
        let texts = (from..end).map(|at| self.text(at, end));
        let mut near = texts.take_while(|text| !matches!(*text, ";" | "{" | "}"));
        near.any(|text| matches!(text, "<" | "<<" | "<="))
    }

    fn run(&mut self, at: usize, end: usize, place: Place) -> Next {
        self.sequence(at, end, Mode::Run, place)
    }

    /// Reads what stands in brackets.
    pub(super) fn group(&mut self, from: usize, end: usize, mode: Mode) -> Result<(), Stop> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::NoOpinion);
        }
        self.depth += 1;
        self.sequence(from, end, mode, Place::Block)?;
        self.depth -= 1;
        Ok(())
    }
}
