//! Which of its branches the preprocessor takes.
//!
//! In: tokens, directives and a [`World`]: what is assumed of names that nothing is known of. Out:
//! the tokens that are left, the names that were defined, and what is wrong with the directives.
//! Conditions on names are taken alike wherever they stand, so that what one branch opens another
//! closes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::Fault;
use super::condition;
use super::token::{Directive, Kind, Token, Tokens};

/// What is assumed of names that nothing is known of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum World {
    /// They are defined and true.
    Full,
    /// They are not.
    Bare,
    /// They are not, but what stands at this byte is read.
    At(usize),
}

impl World {
    /// Returns whether names that nothing is known of are defined.
    fn defines(self) -> bool {
        self == Self::Full
    }
}

/// A text as the compiler gets it, less what macros stand for.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// Parts of the text that are left out.
    pub(super) skipped: Vec<Range<usize>>,
    pub(super) faults: Vec<Fault>,
    /// Macros in which something does not match; they may be good where they are used.
    pub(super) defines: Vec<(&'a str, Fault)>,
    values: HashMap<&'a str, i64>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what was read"
)]
struct Frame {
    at: usize,
    outer: bool,
    taken: bool,
    active: bool,
    last: bool,
}

/// Returns what is left of a text.
pub(super) fn choose<'a>(read: &Tokens<'a>, cpp: bool, world: World) -> Chosen<'a> {
    let mut chooser = Chooser {
        world,
        forced: match world {
            World::At(at) => around(read, at),
            World::Full | World::Bare => HashMap::new(),
        },
        stack: Vec::new(),
        out: Chosen {
            tokens: Vec::with_capacity(read.tokens.len()),
            skipped: Vec::new(),
            faults: Vec::new(),
            defines: Vec::new(),
            values: condition::known(cpp),
        },
    };
    let mut from = 0;
    let mut unclosed = read.unclosed.iter().peekable();
    for (index, directive) in read.directives.iter().enumerate() {
        let part = from..directive.before;
        while let Some(one) = unclosed.next_if(|one| one.at < directive.at) {
            chooser.unclosed(one);
        }
        chooser.take(read.tokens.get(part).unwrap_or_default(), directive.at);
        from = directive.before;
        chooser.obey(directive, read.directives.get(index + 1));
    }
    chooser.take(read.tokens.get(from..).unwrap_or_default(), usize::MAX);
    unclosed.for_each(|one| chooser.unclosed(one));
    if let Some(open) = chooser.stack.first() {
        let message = "`#endif` is missing for this".to_owned();
        chooser
            .out
            .faults
            .push(Fault::new(open.at..open.at + 1, message));
    }
    chooser.out
}

/// Returns the branches around a byte: of each `#if`, the directive after which it stands.
fn around(read: &Tokens<'_>, at: usize) -> HashMap<usize, usize> {
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for directive in read.directives.iter().take_while(|one| one.at < at) {
        match directive.name {
            "if" | "ifdef" | "ifndef" => stack.push((directive.at, directive.at)),
            "elif" | "elifdef" | "elifndef" | "else" => {
                if let Some(last) = stack.last_mut() {
                    last.1 = directive.at;
                }
            }
            "endif" => {
                stack.pop();
            }
            _ => {}
        }
    }
    stack.into_iter().collect()
}

/// Returns the macros that are defined, and never with brackets that do not match.
pub(super) fn sound_macros<'a>(read: &Tokens<'a>) -> HashSet<&'a str> {
    let (mut sound, mut other) = (HashSet::new(), Vec::new());
    for directive in read.directives.iter().filter(|one| one.name == "define") {
        let name = condition::first_word(directive.rest);
        match condition::fault_of_define(directive.rest) {
            Some(_) => other.push(name),
            None => {
                sound.insert(name);
            }
        }
    }
    for name in other {
        sound.remove(name);
    }
    sound
}

/// Returns whether a branch opens or closes a bracket that another part of the text goes with.
pub(super) fn is_entangled(read: &Tokens<'_>) -> bool {
    let mut stack: Vec<isize> = Vec::new();
    let (mut from, mut entangled) = (0, false);
    for directive in &read.directives {
        let tokens = read.tokens.get(from..directive.before).unwrap_or_default();
        from = directive.before;
        if let Some(depth) = stack.last_mut() {
            *depth += depth_of(tokens);
        }
        match directive.name {
            "if" | "ifdef" | "ifndef" => stack.push(0),
            "else" | "elif" | "elifdef" | "elifndef" => {
                entangled |= stack
                    .last_mut()
                    .is_some_and(|depth| std::mem::take(depth) != 0);
            }
            "endif" => {
                entangled |= stack.pop().is_some_and(|depth| depth != 0);
            }
            _ => {}
        }
    }
    entangled
}

fn depth_of(tokens: &[Token<'_>]) -> isize {
    let step = |token: &Token<'_>| match token.kind {
        Kind::Open(_) => 1,
        Kind::Close(_) => -1,
        _ => 0,
    };
    tokens.iter().map(step).sum()
}

struct Chooser<'a> {
    world: World,
    /// Of an `#if`, the branch that is taken whatever its condition says.
    forced: HashMap<usize, usize>,
    stack: Vec<Frame>,
    out: Chosen<'a>,
}

impl<'a> Chooser<'a> {
    fn active(&self) -> bool {
        self.stack.last().is_none_or(|frame| frame.active)
    }

    /// Takes the tokens up to `end`, if they are read.
    fn take(&mut self, tokens: &[Token<'a>], end: usize) {
        if self.active() {
            self.out.tokens.extend_from_slice(tokens);
        } else if let Some(first) = tokens.first() {
            self.out.skipped.push(first.at..end);
        }
    }

    fn unclosed(&mut self, one: &super::token::Unclosed) {
        // A comment hides what follows wherever it stands.
        if self.active() || one.what.contains("comment") {
            self.fault(one.at, one.what);
        }
    }

    fn fault(&mut self, at: usize, what: &str) {
        self.out
            .faults
            .push(Fault::new(at..at + 1, what.to_owned()));
    }

    fn obey(&mut self, directive: &Directive<'a>, next: Option<&Directive<'a>>) {
        match directive.name {
            "if" | "ifdef" | "ifndef" => self.open(directive, next),
            "elif" | "elifdef" | "elifndef" | "else" => self.other(directive),
            "endif" => {
                if self.stack.pop().is_none() {
                    self.fault(directive.at, "`#endif` without `#if`");
                }
            }
            _ if !self.active() => {}
            "define" => self.define(directive),
            "undef" => {
                let name = condition::first_word(directive.rest);
                self.out.values.insert(name, 0);
            }
            "include" => {
                let rest = condition::trimmed(directive.rest);
                let whole = match rest.bytes().next() {
                    Some(b'<') => rest.contains('>'),
                    Some(b'"') => {
                        let mut parts = rest.split('"').skip(1);
                        let named = parts.next().is_some_and(|name| !name.is_empty());
                        named
                            && parts
                                .next()
                                .is_some_and(|rest| !rest.starts_with(condition::is_word))
                    }
                    Some(_) => condition::is_macro(rest),
                    None => false,
                };
                if !whole {
                    self.fault(directive.at, "`#include` needs \"FILE\" or <FILE>");
                }
            }
            "" if !matches!(
                condition::trimmed(directive.rest).bytes().next(),
                None | Some(b'0'..=b'9')
            ) =>
            {
                self.fault(directive.at, "the preprocessor knows no such directive");
            }
            "" | "include_next" | "import" | "error" | "warning" | "warn" | "pragma" | "line"
            | "ident" | "sccs" | "assert" | "unassert" | "using" | "embed" => {}
            _ => self.fault(directive.at, "the preprocessor knows no such directive"),
        }
    }

    fn define(&mut self, directive: &Directive<'a>) {
        let (name, value) = condition::defined(directive.rest);
        if let Some(what) = condition::fault_of_define(directive.rest) {
            let at = directive.at;
            self.out
                .defines
                .push((name, Fault::new(at..at + 1, what.to_owned())));
        }
        if !name.is_empty() {
            self.out.values.insert(name, value);
        }
    }

    fn open(&mut self, directive: &Directive<'a>, next: Option<&Directive<'a>>) {
        let outer = self.active();
        let forced = self.forced.get(&directive.at).map(|at| *at == directive.at);
        let holds = outer && forced.unwrap_or_else(|| self.holds(directive, next));
        self.stack.push(Frame {
            at: directive.at,
            outer,
            taken: holds,
            active: outer && holds,
            last: false,
        });
    }

    fn other(&mut self, directive: &Directive<'a>) {
        let is_else = directive.name == "else";
        let Some(frame) = self.stack.last() else {
            self.fault(directive.at, "this directive has no `#if`");
            return;
        };
        if frame.last {
            self.fault(directive.at, "this directive comes after `#else`");
            return;
        }
        let may = frame.outer && !frame.taken;
        let forced = self.forced.get(&frame.at).map(|at| *at == directive.at);
        let holds = match forced {
            Some(forced) => may && forced,
            None => may && (is_else || self.holds(directive, None)),
        };
        if let Some(frame) = self.stack.last_mut() {
            frame.active = holds;
            frame.taken |= holds;
            frame.last = is_else;
        }
    }

    fn holds(&mut self, directive: &Directive<'a>, next: Option<&Directive<'a>>) -> bool {
        let name = condition::first_word(directive.rest);
        let is_defined = |chooser: &Self| match condition::value_of(&chooser.out.values, name) {
            Some(value) => value != 0,
            None => chooser.world.defines(),
        };
        match directive.name {
            "ifdef" | "elifdef" => is_defined(self),
            "ifndef" | "elifndef" => {
                // What is defined at once was not.
                let guards = next.is_some_and(|next| {
                    next.name == "define" && condition::first_word(next.rest) == name
                });
                guards || !is_defined(self)
            }
            _ => {
                let unknown = i64::from(self.world.defines()) * condition::MANY;
                // `#if !defined(X)` before `#define X`.
                let guarded = next
                    .filter(|next| next.name == "define" && next.before == directive.before)
                    .map(|next| condition::first_word(next.rest));
                let (value, broken) =
                    condition::value(directive.rest, &self.out.values, unknown, guarded);
                if broken {
                    self.fault(directive.at, "this condition is not complete");
                }
                value != 0
            }
        }
    }
}
