//! C and C++ before the preprocessor, as far as it leaves them certain.
//!
//! In: a text, and perhaps the one before it. Out: faults that no macro explains, and no branch that
//! the preprocessor does not take. A macro may stand for anything, so a place where one may stand is let
//! pass; what a name is shows in its uses, and those of the text before count.

mod arguments;
mod bounds;
mod brackets;
mod branch;
mod condition;
mod define;
mod follow;
mod items;
mod names;
mod odd;
mod pairs;
mod parts;
mod read;
mod roles;
mod sequence;
mod signs;
mod standard;
mod statements;
mod tag;
mod token;
mod words;

use std::cell::OnceCell;
use std::ops::Range;

use super::Fault;
use branch::World;
use names::Names;
use pairs::Pairs;
use read::Known;
use token::{Directive, Kind, Token, Tokens};
use words::Word;

/// What of a text is known to be read wrongly, or to be wrong.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    /// Declarations and the like with faults in them.
    spoiled: Vec<Range<usize>>,
}

/// What is told of a text after an edit.
pub(super) struct Told {
    /// What the text before did not have.
    pub(super) faults: Vec<Fault>,
    /// Whether what was edited is in a part that is not judged, for faults that may be none.
    pub(super) unsure: bool,
}

/// A fault, and the declaration or the like that it is in.
#[derive(Clone)]
struct Found {
    fault: Fault,
    item: Range<usize>,
}

/// Returns how far a text can be followed; none if not at all.
pub(super) fn follow(text: &str, cpp: bool) -> Option<Followed> {
    let spoiled = find(text, cpp, None)?;
    let enough = spoiled.len() < read::MAX_FAULTS && spoiled.iter().all(|one| one.item != WHOLE);
    enough.then(|| Followed {
        spoiled: spoiled.into_iter().map(|one| one.item).collect(),
    })
}

/// Returns the faults of a text that the one before did not have. What names are shows in that, if
/// they occur there; what could not be followed in it is not judged after it.
pub(super) fn faults(text: &str, cpp: bool, before: &str, followed: &Followed) -> Told {
    let change = Change::between(before, text);
    let Some(texts) = Texts::read(text, cpp, Some(before)) else {
        return Told {
            faults: Vec::new(),
            unsure: true,
        };
    };
    let (mut found, unread) = texts.found();
    let mut unsure = false;
    if !followed.spoiled.is_empty() {
        found.retain(|one| {
            let shows = change.shows(&one.item, &followed.spoiled);
            unsure |= !shows && change.meets(&one.item);
            shows
        });
    }
    // What neither choice of branches has read is read where it was edited.
    let hidden = unread.iter().any(|part| part.contains(&change.new.start));
    if hidden && found.is_empty() {
        found = texts.found_near(&change);
    }
    Told {
        faults: found.into_iter().map(|one| one.fault).collect(),
        unsure,
    }
}

/// What is edited, as far as texts show it.
struct Change {
    /// The part of the text before.
    old: Range<usize>,
    /// The part of the text after.
    new: Range<usize>,
}

impl Change {
    fn between(before: &str, after: &str) -> Self {
        let same = |(a, b): &(u8, u8)| a == b;
        let start = before.bytes().zip(after.bytes()).take_while(same).count();
        let most = before.len().min(after.len()) - start;
        let ends = before.bytes().rev().zip(after.bytes().rev());
        let end = ends.take(most).take_while(same).count();
        Self {
            old: start..before.len() - end,
            new: start..after.len() - end,
        }
    }

    /// Returns whether a fault in `item` is one that the change has brought: the item is not new,
    /// and could be followed before.
    fn shows(&self, item: &Range<usize>, spoiled: &[Range<usize>]) -> bool {
        let is_new = self.new.start <= item.start && item.end <= self.new.end;
        let meets = |old: &Range<usize>| {
            let (start, end) = (self.after(old.start), self.after(old.end));
            start < item.end && item.start < end
        };
        *item == WHOLE || !is_new && !spoiled.iter().any(meets)
    }

    /// Returns whether an item of the text after has something of the change in it.
    fn meets(&self, item: &Range<usize>) -> bool {
        self.new.start <= item.end && item.start <= self.new.end
    }

    /// Returns where a place of the text before is in the text after.
    fn after(&self, at: usize) -> usize {
        if at <= self.old.start {
            at
        } else if at >= self.old.end {
            at - self.old.end + self.new.end
        } else {
            self.new.start
        }
    }
}

/// The item of a bracket without another.
const WHOLE: Range<usize> = 0..usize::MAX;

/// Returns the faults of a text; none if it cannot be followed, or the one before it.
fn find(text: &str, cpp: bool, before: Option<&str>) -> Option<Vec<Found>> {
    Some(Texts::read(text, cpp, before)?.found().0)
}

/// A text and the one before it, as tokens.
struct Texts<'a> {
    read: Tokens<'a>,
    earlier: Option<Tokens<'a>>,
    cpp: bool,
}

impl<'a> Texts<'a> {
    /// Reads texts; none if the earlier cannot be followed.
    fn read(text: &'a str, cpp: bool, before: Option<&'a str>) -> Option<Self> {
        let mut read = token::read(text, cpp);
        let is_cpp = cpp || is_cpp(&read);
        if is_cpp != cpp {
            read = token::read(text, is_cpp);
        }
        let earlier = before.map(|text| token::read(text, is_cpp));
        let known = earlier.as_ref().unwrap_or(&read);
        // What is a template of a text, or of another language.
        let marked = known.tokens.iter().any(|token| token.text == "@");
        (!marked && !is_part(known)).then_some(Self {
            read,
            earlier,
            cpp: is_cpp,
        })
    }

    /// Returns the faults, and the parts that were not read.
    fn found(&self) -> (Vec<Found>, Vec<Range<usize>>) {
        let (read, earlier) = (&self.read, self.earlier.as_ref());
        let entangled = branch::is_entangled(earlier.unwrap_or(read));
        let in_world = |world| {
            let earlier = earlier.map(|read| Earlier { read, world });
            Reading::new(read, self.cpp, world, earlier)
        };
        let first = in_world(World::Bare);
        let is_whole = first.skipped.is_empty();
        let second = (!is_whole).then(|| in_world(World::Full));
        let mut faults = first.agreed(second.as_ref(), entangled);
        let mut unread = Vec::new();
        if let Some(second) = second {
            for found in second.agreed(Some(&first), entangled) {
                let at = found.fault.start();
                if faults.iter().all(|known| known.fault.start() != at) {
                    faults.push(found);
                }
            }
            // Both are in order, and end where directives are.
            let too = |part: &Range<usize>| {
                second
                    .skipped
                    .binary_search_by_key(&part.start, |one| one.start)
                    .is_ok()
            };
            unread.extend(first.skipped.into_iter().filter(too));
        }
        faults.extend(
            earlier
                .and_then(|earlier| bounds::fault(read, earlier))
                .map(Found::alone),
        );
        faults.sort_by_key(|found| found.fault.start());
        (faults, unread)
    }

    /// Returns the faults where a text was edited, with the branches that it was edited in.
    fn found_near(&self, change: &Change) -> Vec<Found> {
        let Some(earlier) = &self.earlier else {
            return Vec::new();
        };
        let was = Reading::new(earlier, self.cpp, World::At(change.old.start), None);
        let spoiled: Vec<Range<usize>> = was.faults.into_iter().map(|one| one.item).collect();
        if was.bracket.is_some() || spoiled.len() >= read::MAX_FAULTS {
            return Vec::new();
        }
        let earlier = Earlier {
            read: earlier,
            world: World::At(change.old.start),
        };
        let world = World::At(change.new.start);
        let now = Reading::new(&self.read, self.cpp, world, Some(earlier));
        let mut found = now.agreed(None, false);
        found.retain(|one| change.shows(&one.item, &spoiled));
        found
    }
}

/// Returns whether a text begins as what another file includes in the middle of something.
fn is_part(read: &Tokens<'_>) -> bool {
    let first = read.tokens.first().map(|token| token.kind);
    matches!(
        first,
        Some(
            Kind::Open(_)
                | Kind::Number
                | Kind::Text
                | Kind::Char
                | Kind::Word(Word::Statement | Word::Access)
        )
    )
}

/// Returns whether a text that may be of either language has what only C++ has.
fn is_cpp(read: &Tokens<'_>) -> bool {
    let mut groups = read.tokens.windows(4);
    // Headers of the standard library have no ending.
    let plain = read.directives.iter().any(|one| {
        let rest = one.rest.trim();
        one.name == "include" && rest.starts_with('<') && !rest.contains('.')
    });
    plain
        || groups.any(|group| match group {
            [a, b, c, d] => {
                let names = |token: &Token<'_>| token.kind == Kind::Name;
                names(a) && b.text == "::" && names(c)
                    || a.text == "template" && b.text == "<"
                    || a.text == "namespace" && names(b) && c.text == "{"
                    || a.text == "class" && names(b) && matches!(c.text, "{" | ":")
                    || matches!(a.text, "{" | ";" | "}")
                        && b.text == "using"
                        && names(c)
                        && names(d)
                    || matches!(a.text, "{" | ";" | "}")
                        && matches!(b.text, "public" | "private")
                        && c.text == ":"
            }
            _ => false,
        })
}

/// A text before, and what is assumed of names in it.
#[derive(Clone, Copy)]
struct Earlier<'e, 'a> {
    read: &'e Tokens<'a>,
    world: World,
}

/// What is wrong with a text as one world has it.
struct Reading {
    /// Where its tokens are.
    starts: Vec<usize>,
    skipped: Vec<Range<usize>>,
    /// Of directives, strings and comments.
    plain: Vec<Found>,
    bracket: Option<Found>,
    /// Whether the brackets of the text before match.
    matched: bool,
    faults: Vec<Found>,
}

impl Reading {
    fn new<'a>(
        read: &Tokens<'a>,
        cpp: bool,
        world: World,
        earlier: Option<Earlier<'_, '_>>,
    ) -> Self {
        let mut chosen = branch::choose(read, cpp, world);
        let pairs = Pairs::of(&chosen.tokens);
        let mut matched = false;
        let before = earlier.map(|Earlier { read, world }| {
            let chosen = branch::choose(read, cpp, world);
            let pairs = Pairs::of(&chosen.tokens);
            matched = pairs.fault.is_none();
            Names::of(&chosen.tokens, &pairs, &read.directives, cpp)
        });
        let own = OnceCell::new();
        let names_of = |tokens: &[Token<'a>]| Names::of(tokens, &pairs, &read.directives, cpp);
        if pairs.fault.is_none() {
            let known = before.as_ref();
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
                let mut faults = read::faults(tokens, &pairs, known, cpp);
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
        }
    }

    /// Returns the faults that another reading does not contradict.
    fn agreed(&self, other: Option<&Self>, entangled: bool) -> Vec<Found> {
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
                let mut faults = other.faults.iter();
                !seen || faults.any(|known| known.fault.start() == at)
            })
        };
        if other.is_none_or(|other| other.bracket.is_none()) {
            agreed.extend(self.faults.iter().filter(stands).cloned());
        }
        agreed
    }
}

impl Found {
    /// A fault that no item has.
    fn alone(fault: Fault) -> Self {
        let item = fault.start()..fault.start() + 1;
        Self { fault, item }
    }
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

#[cfg(test)]
mod tests;
