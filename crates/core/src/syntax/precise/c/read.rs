//! Statements and declarations of C and C++, without what macros stand for.
//!
//! In: tokens whose brackets match, and what is known of names. Out: the faults that no macro explains.

use super::super::Fault;
use super::Found;
use super::names::{self, Uses};
use super::pairs::Pairs;
use super::sequence::Mode;
use super::token::{Kind, Token};

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

/// Where an item begins that stands in no block, and what it is in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    pub(super) at: usize,
    /// Where what it is in ends.
    pub(super) end: usize,
    pub(super) place: Place,
}

/// What is known of a text beside its tokens.
pub(super) struct Known<'n> {
    /// The uses of a name in the text itself.
    pub(super) own: &'n dyn Fn(&str) -> Option<Uses>,
    /// Whether the text may be a part of what includes it.
    pub(super) part: bool,
    /// Where the preprocessor chooses.
    pub(super) branches: &'n [usize],
}

pub(super) struct Reader<'s, 'a> {
    pub(super) tokens: &'s [Token<'a>],
    pub(super) pairs: &'s Pairs,
    pub(super) known: Known<'s>,
    pub(super) cpp: bool,
    pub(super) depth: usize,
    /// Whether the last declaration at the top may have been one of a parameter, as of old.
    pub(super) old: bool,
    /// Where the item before the last one read began.
    pub(super) last: usize,
    tops: Vec<Top>,
    /// Where something is wrong, and what.
    faults: Vec<(usize, String)>,
}

/// Returns the faults of a text, none as well where there is no opinion, and where its items begin.
pub(super) fn faults(
    tokens: &[Token<'_>],
    pairs: &Pairs,
    known: Known<'_>,
    cpp: bool,
) -> (Vec<Found>, Vec<Top>) {
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
        Err(Stop::NoOpinion) => (Vec::new(), Vec::new()),
    }
}

pub(super) type Next = Result<usize, Stop>;

impl<'a> Reader<'_, 'a> {
    /// Returns the faults with what they are in.
    fn found(self) -> (Vec<Found>, Vec<Top>) {
        let start_of = |at: usize| self.tokens.get(at).map(|token| token.at);
        let last = self.tokens.last().map_or(0, |token| token.at);
        let found = self.faults.iter().map(|(at, what)| {
            let at = *at;
            let start = start_of(at).unwrap_or(last);
            let past = self.tops.partition_point(|top| top.at <= at);
            let top = past.checked_sub(1).and_then(|top| self.tops.get(top));
            let next = self.tops.get(past).and_then(|top| start_of(top.at));
            Found {
                fault: Fault::new(start..start + 1, what.clone()),
                item: top.and_then(|top| start_of(top.at)).unwrap_or(0)..next.unwrap_or(last + 1),
            }
        });
        (found.collect(), self.tops)
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
        token.uses
    }

    /// Returns whether the text before has a name, or every text.
    pub(super) fn is_told(&self, token: &Token<'a>) -> bool {
        token.told
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
                self.tops.push(Top { at, end, place });
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
    pub(super) fn resume(&self, from: usize, end: usize) -> usize {
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
    pub(super) fn angles_until(&self, from: usize, end: usize) -> bool {
        let texts = (from..end).map(|at| self.text(at, end));
        let mut near = texts.take_while(|text| !matches!(*text, ";" | "{" | "}"));
        near.any(|text| matches!(text, "<" | "<<" | "<="))
    }

    pub(super) fn run(&mut self, at: usize, end: usize, place: Place) -> Next {
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
