//! A text as one choice of branches has it.
//!
//! In: a text, the one before it, and what is assumed of names. Out: what is wrong with it.

use std::cell::OnceCell;
use std::ops::Range;

use super::super::Fault;
use super::branch::{self, World};
use super::change::Change;
use super::condition;
use super::names::{self, Names, Uses};
use super::pairs::Pairs;
use super::read::{self, Known, Top};
use super::strict;
use super::token::{Directive, Kind, Token, Tokens};
use super::{Found, WHOLE};

/// A text before, and what is assumed of names in it.
#[derive(Clone, Copy)]
pub(super) struct Earlier<'e, 'a> {
    pub(super) read: &'e Tokens<'a>,
    pub(super) world: World,
    /// What the text after differs in.
    pub(super) change: &'e Change,
}

/// What is wrong with a text as one world has it.
pub(super) struct Reading {
    /// Where its tokens are.
    starts: Vec<usize>,
    pub(super) skipped: Vec<Range<usize>>,
    /// Of directives, strings and comments.
    plain: Vec<Found>,
    pub(super) bracket: Option<Found>,
    /// Whether the brackets of the text before match.
    matched: bool,
    pub(super) faults: Vec<Found>,
    /// What does not keep to the grammar, though the text before did.
    odd: Option<Found>,
}

impl Reading {
    pub(super) fn new<'a>(
        read: &Tokens<'a>,
        cpp: bool,
        world: World,
        earlier: Option<Earlier<'_, '_>>,
    ) -> Self {
        let mut chosen = branch::choose(read, cpp, world);
        let pairs = Pairs::of(&chosen.tokens);
        let mut before = earlier.map(|earlier| Before::of(earlier, cpp));
        let matched = before
            .as_ref()
            .is_some_and(|before| before.pairs.fault.is_none());
        let own = OnceCell::new();
        let names_of = |tokens: &[Token<'a>]| Names::of(tokens, &pairs, &read.directives, cpp);
        if pairs.fault.is_none() {
            let known = before.as_ref().map(|before| &before.names);
            names::tell(&mut chosen.tokens, known, |tokens| {
                own.get_or_init(|| names_of(tokens))
            });
        }
        let tokens: &[Token<'_>] = &chosen.tokens;
        let starts = tokens.iter().map(|token| token.at).collect();
        let ends: Vec<usize> = tokens
            .iter()
            .filter(|token| matches!(token.text, ";" | "{" | "}"))
            .map(|token| token.at)
            .collect();
        // What is included in the middle of a statement is part of it.
        let outside = earlier
            .map(|earlier| included_between(earlier.read))
            .unwrap_or_default();
        let includes = read.directives.iter().filter(|one| {
            one.name == "include"
                && outside
                    .binary_search(&condition::trimmed(one.rest))
                    .is_err()
        });
        let includes: Vec<usize> = includes
            .map(|one| ends.partition_point(|end| *end < one.at))
            .collect();
        let includes_near = |found: &Found| {
            let at = ends.partition_point(|end| *end < found.fault.start());
            at > 0 && includes.binary_search(&at).is_ok()
        };
        let bracket = pairs.fault.as_ref().map(|(at, what)| {
            let start = tokens.get(*at).map_or(0, |token| token.at);
            Found {
                fault: Fault::new(start..start + 1, what.clone()),
                item: WHOLE,
            }
        });
        let mut odd = None;
        let faults = match bracket {
            Some(_) => Vec::new(),
            None => {
                let own = |name: &str| own.get_or_init(|| names_of(tokens)).get(name);
                let chooses = |one: &&Directive<'_>| one.name.contains("if") || one.name == "else";
                let branches = read.directives.iter().filter(chooses);
                let branches: Vec<usize> = branches.map(|one| one.at).collect();
                let known = Known {
                    own: &own,
                    branches: &branches,
                    part: !is_ended(&earlier.map_or(read, |earlier| earlier.read).tokens),
                };
                let (mut faults, tops) = read::faults(tokens, &pairs, known, cpp);
                let changed = earlier.map(|earlier| earlier.change);
                if let Some((change, before)) = changed.zip(before.as_mut())
                    && matched
                {
                    let strictly = Strictly {
                        text: strict::Text::new(tokens, &pairs, cpp),
                        tops: &tops,
                    };
                    odd = strictly.against(change, before, &own);
                }
                odd = odd.filter(|found| !includes_near(found) && !stops_near(read, found));
                if let Some(earlier) = earlier.filter(|_| odd.is_none()) {
                    odd = stray(tokens, &earlier);
                }
                faults.retain(|found| !includes_near(found));
                faults
            }
        };
        // A macro whose brackets matched before is not one that is meant to be used with another.
        let mut plain = chosen.faults;
        if let Some(earlier) = earlier.filter(|_| !chosen.defines.is_empty()) {
            let sound = branch::sound_macros(earlier.read);
            let broken = chosen
                .defines
                .into_iter()
                .filter(|(name, _)| sound.contains(name));
            plain.extend(broken.map(|(_, fault)| fault));
        }
        Self {
            starts,
            skipped: chosen.skipped,
            plain: plain.into_iter().map(Found::alone).collect(),
            bracket,
            matched,
            faults,
            odd,
        }
    }

    /// Returns the faults that another reading does not contradict.
    pub(super) fn agreed(&self, other: Option<&Self>, entangled: bool) -> Vec<Found> {
        let mut agreed = self.plain.clone();
        let contradicted =
            other.is_some_and(|other| other.bracket.is_none()) && entangled && !self.matched;
        if let Some(bracket) = self.bracket.as_ref().filter(|_| !contradicted) {
            agreed.push(bracket.clone());
        }
        let stands = |found: &&Found| {
            let at = found.fault.start();
            other.is_none_or(|other| {
                let seen = other.starts.binary_search(&at).is_ok();
                let mut faults = other.faults.iter().chain(&other.odd);
                !seen || faults.any(|known| known.fault.start() == at)
            })
        };
        if other.is_none_or(|other| other.bracket.is_none()) {
            agreed.extend(self.faults.iter().filter(stands).cloned());
        }
        // What the grammar says of a declaration with a fault is said of the same.
        let alone = other.is_some_and(|other| other.bracket.is_some());
        let odd = self.odd.iter().filter(|found| alone || stands(found));
        let meets = |known: &Found, found: &Found| {
            known.item.start < found.item.end && found.item.start < known.item.end
        };
        let odd = odd.filter(|found| !agreed.iter().any(|known| meets(known, found)));
        let odd: Vec<Found> = odd.cloned().collect();
        agreed.extend(odd);
        agreed
    }
}

/// Returns whether something stands in a branch in which the compiler is told to stop.
fn stops_near(read: &Tokens<'_>, found: &Found) -> bool {
    let at = found.fault.start();
    let past = read.directives.partition_point(|one| one.at <= at);
    let last = past.checked_sub(1).and_then(|at| read.directives.get(at));
    last.is_some_and(|last| last.name == "error")
}

/// Returns what is edited in that begins no token, where the text before has none such.
fn stray(tokens: &[Token<'_>], earlier: &Earlier<'_, '_>) -> Option<Found> {
    let (change, is_stray) = (earlier.change, |one: &&Token<'_>| one.kind == Kind::Stray);
    let from = tokens.partition_point(|one| one.at < change.new.start);
    let edited = tokens.iter().skip(from);
    let mut edited = edited.take_while(|one| one.at < change.new.end);
    let found = edited.find(is_stray)?;
    let none = !earlier.read.tokens.iter().any(|one| is_stray(&one));
    none.then(|| {
        let what = "this character begins nothing".to_owned();
        Found {
            fault: Fault::new(found.at..found.at + 1, what),
            item: WHOLE,
        }
    })
}

/// Returns whether a text ends as a whole one does.
fn is_ended(tokens: &[Token<'_>]) -> bool {
    let last = tokens.last();
    last.is_none_or(|last| matches!(last.text, ";" | "}"))
}

/// Returns what is included between statements and not within one, in order.
fn included_between<'a>(read: &Tokens<'a>) -> Vec<&'a str> {
    let includes = read.directives.iter().filter(|one| {
        let last = one.before.checked_sub(1).and_then(|at| read.tokens.get(at));
        one.name == "include" && last.is_none_or(|last| matches!(last.text, ";" | "}"))
    });
    let mut between: Vec<&str> = includes.map(|one| condition::trimmed(one.rest)).collect();
    between.sort_unstable();
    between
}

/// The text before, as far as it is read.
struct Before<'a> {
    tokens: Vec<Token<'a>>,
    pairs: Pairs,
    names: Names<'a>,
}

impl<'a> Before<'a> {
    fn of(earlier: Earlier<'_, 'a>, cpp: bool) -> Self {
        let tokens = branch::choose(earlier.read, cpp, earlier.world).tokens;
        let pairs = Pairs::of(&tokens);
        let names = Names::of(&tokens, &pairs, &earlier.read.directives, cpp);
        Self {
            tokens,
            pairs,
            names,
        }
    }

    /// Returns whether what is edited kept to the grammar, and all calls of some macros.
    fn is_strict(&mut self, change: &Change, cpp: bool, macros: &[&str]) -> bool {
        let names = &self.names;
        names::tell(&mut self.tokens, None, |_| names);
        let known = Known {
            own: &|name| names.get(name),
            branches: &[],
            part: !is_ended(&self.tokens),
        };
        let tops = read::faults(&self.tokens, &self.pairs, known, cpp).1;
        let strictly = Strictly {
            text: strict::Text::new(&self.tokens, &self.pairs, cpp),
            tops: &tops,
        };
        let mut macros = macros.iter();
        macros.all(|name| strictly.text.calls_fit(name))
            && strictly
                .text
                .fault(&strictly.part(&change.old, true))
                .is_none()
    }
}

/// A text to be held against the grammar.
struct Strictly<'s, 'a> {
    text: strict::Text<'s, 'a>,
    tops: &'s [Top],
}

impl Strictly<'_, '_> {
    /// Returns what does not keep to the grammar where a text was edited, if what was there did.
    fn against(
        &self,
        change: &Change,
        before: &mut Before<'_>,
        own: &dyn Fn(&str) -> Option<Uses>,
    ) -> Option<Found> {
        let part = self.part(&change.new, false);
        self.text.fault(&part)?;
        // What the text after declares counts as well.
        let told = self.text.told(own);
        let odd = told.fault(&part)?;
        let cpp = self.text.cpp();
        before
            .is_strict(change, cpp, &told.macros_around(&odd))
            .then(|| self.found(&odd))
    }

    fn part(&self, range: &Range<usize>, all: bool) -> strict::Part<'_> {
        let (first, past) = self.text.meeting(range);
        strict::Part {
            tops: self.tops,
            range: first.saturating_sub(1)..past,
            all,
        }
    }

    fn found(&self, odd: &strict::Odd) -> Found {
        let last = self.text.start_of(usize::MAX);
        let start = self.text.start_of(odd.at);
        let what = match self.text.word(odd.at) {
            Some(word) => format!("`{word}` cannot follow what stands before it"),
            None => "something is missing after this".to_owned(),
        };
        let (from, end) = (odd.item.start, odd.item.end);
        let start = start.or(last).unwrap_or_default();
        let item = self.text.start_of(from).unwrap_or_default()
            ..self.text.start_of(end).or(last).unwrap_or_default() + 1;
        Found {
            fault: Fault::new(start..start + 1, what),
            item,
        }
    }
}
