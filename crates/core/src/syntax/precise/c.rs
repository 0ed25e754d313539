//! C and C++ before the preprocessor, as far as it leaves them certain.
//!
//! In: a text, and perhaps the one before it. Out: faults that no macro explains, and no branch that
//! the preprocessor does not take. A macro may stand for anything, so a place where one may stand is let
//! pass; what a name is shows in its uses, and those of the text before count.

mod brackets;
mod branch;
mod condition;
mod define;
mod follow;
mod names;
mod odd;
mod pairs;
mod parts;
mod read;
mod sequence;
mod signs;
mod statements;
mod tag;
mod token;
mod words;

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
pub(super) fn faults(text: &str, cpp: bool, before: &str, followed: &Followed) -> Vec<Fault> {
    let mut found = find(text, cpp, Some(before)).unwrap_or_default();
    if !followed.spoiled.is_empty() {
        let change = Change::between(before, text);
        found.retain(|one| change.shows(&one.item, &followed.spoiled));
    }
    found.into_iter().map(|one| one.fault).collect()
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
    let mut read = token::read(text, cpp);
    let cpp = cpp || is_cpp(&read);
    if cpp {
        read = token::read(text, cpp);
    }
    let earlier = before.map(|text| token::read(text, cpp));
    let known = earlier.as_ref().unwrap_or(&read);
    // What is a template of a text, or of another language.
    let marked = known.tokens.iter().any(|token| token.text == "@");
    if marked || is_part(known) {
        return None;
    }
    let entangled = branch::is_entangled(known);
    let first = Reading::new(&read, cpp, World::Bare, earlier.as_ref());
    let second = first
        .skipped
        .then(|| Reading::new(&read, cpp, World::Full, earlier.as_ref()));
    let mut faults = first.agreed(second.as_ref(), entangled);
    if let Some(second) = second {
        for found in second.agreed(Some(&first), entangled) {
            let at = found.fault.start();
            if faults.iter().all(|known| known.fault.start() != at) {
                faults.push(found);
            }
        }
    }
    faults.sort_by_key(|found| found.fault.start());
    Some(faults)
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

/// What is wrong with a text as one world has it.
struct Reading {
    /// Where its tokens are.
    starts: Vec<usize>,
    skipped: bool,
    /// Of directives, strings and comments.
    plain: Vec<Found>,
    bracket: Option<Found>,
    faults: Vec<Found>,
}

impl Reading {
    fn new(read: &Tokens<'_>, cpp: bool, world: World, earlier: Option<&Tokens<'_>>) -> Self {
        let chosen = branch::choose(read, cpp, world);
        let tokens: &[Token<'_>] = &chosen.tokens;
        let pairs = Pairs::of(tokens);
        let starts = tokens.iter().map(|token| token.at).collect();
        let ends: Vec<usize> = tokens
            .iter()
            .filter(|token| matches!(token.text, ";" | "{" | "}"))
            .map(|token| token.at)
            .collect();
        // What is included in the middle of a statement is part of it.
        let outside = earlier.map(included_between).unwrap_or_default();
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
        let before = earlier.map(|read| {
            let chosen = branch::choose(read, cpp, world);
            let pairs = Pairs::of(&chosen.tokens);
            Names::of(&chosen.tokens, &pairs, &read.directives, cpp)
        });
        let faults = match bracket {
            Some(_) => Vec::new(),
            None => {
                let own = Names::of(tokens, &pairs, &read.directives, cpp);
                let chooses = |one: &&Directive<'_>| one.name.contains("if") || one.name == "else";
                let branches = read.directives.iter().filter(chooses);
                let branches: Vec<usize> = branches.map(|one| one.at).collect();
                let known = Known {
                    before: before.as_ref().unwrap_or(&own),
                    own: &own,
                    branches: &branches,
                    part: !is_ended(&earlier.unwrap_or(read).tokens),
                };
                let mut faults = read::faults(tokens, &pairs, known, cpp);
                faults.retain(|found| !includes_near(found));
                faults
            }
        };
        // A macro whose brackets matched before is not one that is meant to be used with another.
        let mut plain = chosen.faults;
        if let Some(earlier) = earlier.filter(|_| !chosen.defines.is_empty()) {
            let sound = branch::sound_macros(earlier);
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
            faults,
        }
    }

    /// Returns the faults that another reading does not contradict.
    fn agreed(&self, other: Option<&Self>, entangled: bool) -> Vec<Found> {
        let mut agreed = self.plain.clone();
        let contradicted = other.is_some_and(|other| other.bracket.is_none()) && entangled;
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
