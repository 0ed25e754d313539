//! C and C++ before the preprocessor, as far as it leaves them certain.
//!
//! In: a text, and perhaps the one before it. Out: faults that no macro explains, and no branch that
//! the preprocessor does not take. A macro may stand for anything, so a place where one may stand is let
//! pass; what a name is shows in its uses, and those of the text before count.

mod arguments;
mod bounds;
mod brackets;
mod branch;
mod change;
mod condition;
mod define;
mod directives;
mod follow;
mod items;
mod names;
mod odd;
mod pairs;
mod parts;
mod read;
mod reading;
mod roles;
mod sequence;
mod signs;
mod standard;
mod statements;
mod strict;
mod tag;
mod token;
mod words;

use std::ops::Range;

use super::Fault;
use branch::World;
use change::Change;
use reading::{Earlier, Reading};
use token::{Kind, Token, Tokens};
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
    let Some(texts) = Texts::read(text, cpp, Some((before, &change))) else {
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

/// The item of a bracket without another.
const WHOLE: Range<usize> = 0..usize::MAX;

/// Returns the faults of a text; none if it cannot be followed, or the one before it.
fn find(text: &str, cpp: bool, before: Option<&str>) -> Option<Vec<Found>> {
    let change = before.map(|before| Change::between(before, text));
    Some(
        Texts::read(text, cpp, before.zip(change.as_ref()))?
            .found()
            .0,
    )
}

/// A text and the one before it, as tokens.
struct Texts<'a, 'c> {
    read: Tokens<'a>,
    earlier: Option<(Tokens<'a>, &'c Change)>,
    cpp: bool,
}

impl<'a, 'c> Texts<'a, 'c> {
    /// Reads texts; none if the earlier cannot be followed.
    fn read(text: &'a str, cpp: bool, before: Option<(&'a str, &'c Change)>) -> Option<Self> {
        let mut read = token::read(text, cpp);
        let is_cpp = cpp || is_cpp(&read);
        if is_cpp != cpp {
            read = token::read(text, is_cpp);
        }
        let earlier = before.map(|(text, change)| (token::read(text, is_cpp), change));
        let known = earlier.as_ref().map_or(&read, |(earlier, _)| earlier);
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
        let entangled = branch::is_entangled(earlier.map_or(read, |(earlier, _)| earlier));
        let in_world = |world| {
            let earlier = earlier.map(|(read, change)| Earlier {
                read,
                world,
                change,
            });
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
                .and_then(|(earlier, _)| bounds::fault(read, earlier))
                .map(Found::alone),
        );
        if faults.is_empty() {
            let odd =
                earlier.and_then(|(earlier, change)| directives::fault(read, earlier, change));
            faults.extend(odd.map(Found::alone));
        }
        faults.sort_by_key(|found| found.fault.start());
        (faults, unread)
    }

    /// Returns the faults where a text was edited, with the branches that it was edited in.
    fn found_near(&self, change: &Change) -> Vec<Found> {
        let Some((earlier, _)) = &self.earlier else {
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
            change,
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

impl Found {
    /// A fault that no item has.
    fn alone(fault: Fault) -> Self {
        let item = fault.start()..fault.start() + 1;
        Self { fault, item }
    }
}

#[cfg(test)]
mod tests;
