//! C and C++ before the preprocessor, as far as it leaves them certain.
//!
//! In: a text, and perhaps the one before it. Out: faults that no macro explains, and no branch that
//! the preprocessor does not take. A macro may stand for anything, so a place where one may stand is let
//! pass; what a name is shows in its uses, and those of the text before count.

mod brackets;
mod branch;
mod condition;
mod names;
mod pairs;
mod parts;
mod read;
mod sequence;
mod signs;
mod statements;
mod token;
mod words;

use super::Fault;
use branch::World;
use names::Names;
use pairs::Pairs;
use read::Known;
use token::{Kind, Token, Tokens};

/// Returns the faults of a text; what names are shows in `before`, if they occur there.
pub(super) fn faults(text: &str, cpp: bool, before: Option<&str>) -> Vec<Fault> {
    let mut read = token::read(text, cpp);
    let cpp = cpp || is_cpp(&read);
    if cpp {
        read = token::read(text, cpp);
    }
    let earlier = before.map(|text| token::read(text, cpp));
    // What is a template of a text, or of another language.
    let marked = |read: &Tokens<'_>| read.tokens.iter().any(|token| token.text == "@");
    if marked(earlier.as_ref().unwrap_or(&read)) {
        return Vec::new();
    }
    // A part of a list that another file includes.
    let first = read.tokens.first().map(|token| token.kind);
    if matches!(
        first,
        Some(Kind::Open(_) | Kind::Number | Kind::Text | Kind::Char)
    ) && earlier.is_none()
    {
        return Vec::new();
    }
    let entangled = branch::is_entangled(earlier.as_ref().unwrap_or(&read));
    let first = Reading::new(&read, cpp, World::Bare, earlier.as_ref());
    let second = first
        .skipped
        .then(|| Reading::new(&read, cpp, World::Full, earlier.as_ref()));
    let mut faults = first.agreed(second.as_ref(), entangled);
    if let Some(second) = second {
        for fault in second.agreed(Some(&first), entangled) {
            if faults.iter().all(|known| known.start() != fault.start()) {
                faults.push(fault);
            }
        }
    }
    faults.sort_by_key(Fault::start);
    faults
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
    plain: Vec<Fault>,
    bracket: Option<Fault>,
    faults: Vec<Fault>,
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
        let includes = read.directives.iter().filter(|one| one.name == "include");
        let includes: Vec<usize> = includes
            .map(|one| ends.partition_point(|end| *end < one.at))
            .collect();
        let includes_near = |fault: &Fault| {
            let at = ends.partition_point(|end| *end < fault.start());
            at > 0 && includes.binary_search(&at).is_ok()
        };
        let bracket = pairs.fault.as_ref().map(|(at, what)| {
            let start = tokens.get(*at).map_or(0, |token| token.at);
            Fault::new(start..start + 1, what.clone())
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
                let known = Known {
                    before: before.as_ref(),
                    own: &own,
                };
                let mut faults = read::faults(tokens, &pairs, known, cpp);
                faults.retain(|fault| !includes_near(fault));
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
            plain,
            bracket,
            faults,
        }
    }

    /// Returns the faults that another reading does not contradict.
    fn agreed(&self, other: Option<&Self>, entangled: bool) -> Vec<Fault> {
        let mut agreed = self.plain.clone();
        let contradicted = other.is_some_and(|other| other.bracket.is_none()) && entangled;
        if let Some(bracket) = self.bracket.as_ref().filter(|_| !contradicted) {
            agreed.push(bracket.clone());
        }
        let stands = |fault: &&Fault| {
            other.is_none_or(|other| {
                let seen = other.starts.binary_search(&fault.start()).is_ok();
                !seen
                    || other
                        .faults
                        .iter()
                        .any(|known| known.start() == fault.start())
            })
        };
        if other.is_none_or(|other| other.bracket.is_none()) {
            agreed.extend(self.faults.iter().filter(stands).cloned());
        }
        agreed
    }
}

#[cfg(test)]
mod tests;
