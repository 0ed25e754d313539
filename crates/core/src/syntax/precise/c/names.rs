//! What the names of a text are, as far as their uses show.
//!
//! In: tokens and what brackets go together. Out: for each name whether it was seen as an operand, a
//! type or a function, or as a macro. A name of the one sort cannot stand where only one of the other
//! could; of a name without such uses nothing is known, and it may be a macro that stands for anything.

use std::collections::HashMap;

use super::define;
use super::pairs::Pairs;
use super::standard;
use super::token::{Directive, Kind, Token};
use super::words::Word;

/// Uses of a name.
pub(super) type Uses = u32;

pub(super) const OPERAND: Uses = 1;
pub(super) const TYPE: Uses = 2;
pub(super) const FUNCTION: Uses = 4;
/// Defined by a `#define`, other than as an operand or what a function could be.
pub(super) const DEFINED: Uses = 8;
/// Called as a statement, with `;` after it.
pub(super) const CALLED: Uses = 16;
/// Called where no `;` follows, or standing alone.
pub(super) const BARE: Uses = 32;
/// With arguments that no function takes.
pub(super) const ODD: Uses = 64;
/// Alone between the commas of arguments.
pub(super) const ALONE: Uses = 256;
/// With arguments.
pub(super) const ARGUMENTS: Uses = 128;
/// Next to a string.
pub(super) const TEXTUAL: Uses = 512;
/// Declared as a type.
pub(super) const DECLARED: Uses = 1024;

/// Defined with an `if` in it.
pub(super) const BRANCHES: Uses = 2048;

/// After a `.` or `->`.
pub(super) const MEMBER: Uses = 4096;

/// Called where its value is calculated with.
pub(super) const VALUE: Uses = 16384;

/// Called as a statement outside of what is known to be a function.
pub(super) const TOP: Uses = 32768;

/// Declared with a type before it, as a variable or a function is.
pub(super) const VARIABLE: Uses = 65536;

/// Shown to be a type or a scope, and not by a `*` alone.
pub(super) const NAMED: Uses = 131_072;

/// Known from the standard libraries.
pub(super) const STANDARD: Uses = 8192;

/// Scopes before a name that are looked past.
const MAX_SCOPES: usize = 8;

/// The uses of all names of a text.
#[derive(Debug, Default)]
pub(super) struct Names<'a>(HashMap<&'a str, Uses>);

impl<'a> Names<'a> {
    /// Returns the uses of a name; none if it does not occur.
    pub(super) fn get(&self, name: &str) -> Option<Uses> {
        self.0.get(name).copied()
    }

    /// Looks through a text.
    pub(super) fn of(
        tokens: &[Token<'a>],
        pairs: &Pairs,
        directives: &[Directive<'a>],
        cpp: bool,
    ) -> Self {
        let mut names = Self(HashMap::with_capacity(tokens.len() / 6));
        let seen = Seen { tokens, pairs, cpp };
        let mut around: Vec<Around> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Open(byte) => around.push(Around {
                    plain: seen.is_plain(at),
                    body: around.last().is_some_and(|outer| outer.body)
                        || byte == b'{' && seen.is_body(at),
                }),
                Kind::Close(_) => {
                    around.pop();
                }
                _ => {}
            }
            if token.kind == Kind::Name {
                let mut uses = seen.uses(at, token);
                if around.last().is_some_and(|around| around.plain) && seen.is_alone(at) {
                    uses |= ALONE;
                }
                if uses & CALLED != 0 && !around.last().is_some_and(|around| around.body) {
                    uses |= TOP;
                }
                let standard = || standard::uses(token.text);
                *names.0.entry(token.text).or_insert_with(standard) |= uses;
            } else if token.text == "enum" {
                seen.enumerators(at, &mut names);
            }
        }
        for directive in directives.iter().filter(|one| one.name == "define") {
            let (name, uses) = define::uses(directive.rest);
            let known = names.0.entry(name).or_default();
            *known |= uses;
        }
        names
    }
}

/// Notes of each name what the text before shows, or else the text itself.
pub(super) fn tell<'n, 'a: 'n>(
    tokens: &mut [Token<'a>],
    before: Option<&Names<'_>>,
    own: impl FnOnce(&[Token<'a>]) -> &'n Names<'a>,
) {
    let mut is_known = before.is_some();
    if let Some(before) = before {
        for token in tokens.iter_mut().filter(|token| token.kind == Kind::Name) {
            let uses = before.get(token.text);
            token.told = uses.is_some();
            token.uses = uses.unwrap_or_default();
            is_known &= token.told;
        }
    }
    if is_known {
        return;
    }
    let own = own(tokens);
    for token in tokens
        .iter_mut()
        .filter(|token| token.kind == Kind::Name && !token.told)
    {
        let standard = standard::uses(token.text);
        token.told = before.is_none() || standard != 0;
        token.uses = match before {
            Some(_) if standard != 0 => standard,
            _ => own.get(token.text).unwrap_or_default(),
        };
    }
}

/// What a bracket holds.
struct Around {
    /// Plain values.
    plain: bool,
    /// Statements.
    body: bool,
}

pub(super) struct Seen<'s, 'a> {
    pub(super) tokens: &'s [Token<'a>],
    pub(super) pairs: &'s Pairs,
    pub(super) cpp: bool,
}

impl<'a> Seen<'_, 'a> {
    pub(super) fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }

    /// Returns whether what is in a bracket are plain values: the arguments of what is no macro by
    /// its name.
    fn is_plain(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.get(at));
        self.get(at).is_some_and(|token| token.text == "{")
            || before.is_some_and(|before| {
                before.kind == Kind::Name
                    && before.text.bytes().any(|byte| byte.is_ascii_lowercase())
            })
    }

    /// Returns whether a brace opens the body of a function, as far as the token before tells.
    fn is_body(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.get(at));
        before.is_some_and(|before| {
            before.kind == Kind::Close(b')')
                || matches!(before.text, "const" | "noexcept" | "override" | "try")
        })
    }

    /// Returns whether a name stands alone between commas.
    fn is_alone(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|at| self.get(at));
        let after = match self.get(at + 1) {
            Some(open) if open.text == "(" => {
                let close = self.pairs.close_of(at + 1);
                close.and_then(|close| self.get(close + 1))
            }
            after => after,
        };
        before.is_some_and(|before| matches!(before.text, "(" | "," | "{"))
            && after.is_some_and(|after| matches!(after.text, ")" | "," | "}"))
    }

    fn uses(&self, at: usize, token: &Token<'a>) -> Uses {
        let before = at.checked_sub(1).and_then(|at| self.get(at));
        let after = self.get(at + 1);
        let group = after
            .filter(|after| after.kind == Kind::Open(b'('))
            .and_then(|_| self.pairs.close_of(at + 1));
        let mut uses = 0;
        if let Some(close) = group {
            uses |= ARGUMENTS;
            if self.is_odd(at + 1, close) {
                uses |= ODD;
            }
        }
        let next = group.map_or(at + 1, |close| close + 1);
        let text = |token: Option<&Token<'a>>| token.is_some_and(|token| token.kind == Kind::Text);
        if text(before) || text(self.get(next)) {
            uses |= TEXTUAL;
        }
        uses | self.as_operand(at, token, before, after, group)
            | self.as_type(at, token, before, after)
            | self.as_variable(at, before, after)
            | self.as_statement(at, token, before, after, group)
    }

    fn as_operand(
        &self,
        at: usize,
        token: &Token<'a>,
        before: Option<&Token<'a>>,
        after: Option<&Token<'a>>,
        group: Option<usize>,
    ) -> Uses {
        let Some(before) = before else { return 0 };
        let names = after.is_some_and(|after| after.kind == Kind::Name);
        if before.text == "->" && self.is_returned(at) {
            return 0;
        }
        if matches!(before.text, "." | "->") && before.kind == Kind::Sign && !names {
            return OPERAND | MEMBER;
        }
        if before.text == "::"
            && group.is_none()
            && after.is_some_and(|after| {
                matches!(after.text, ";" | ")" | "," | "==" | "!=" | "&&" | "||")
            })
        {
            return ALONE;
        }
        // `64 KB`
        if before.kind == Kind::Number {
            return 0;
        }
        // `using name = type;`
        let head = |back: usize| at.checked_sub(back).and_then(|at| self.get(at));
        if before.text == "=" && head(3).is_some_and(|head| head.text == "using") {
            return 0;
        }
        let upper = super::sequence::is_upper(token.text);
        let word = matches!(before.kind, Kind::Name | Kind::Word(Word::Qualifier));
        if matches!(before.kind, Kind::Close(_)) && before.text != "}" || upper && word {
            return 0;
        }
        let next = match group {
            Some(close) => self.get(close + 1),
            None => after,
        };
        let Some(next) = next else { return 0 };
        let called = self.cpp && group.is_some();
        if next.kind == Kind::Sign
            && !called
            && matches!(next.text, "." | "->" | "+=" | "-=" | "|=" | "&=")
            || group.is_none()
                && next.text == "="
                && !matches!(
                    before.text,
                    "," | "(" | "<" | "class" | "typename" | "using" | "namespace"
                )
            || group.is_none()
                && next.text == "["
                && (before.kind != Kind::Sign
                    || matches!(
                        before.text,
                        "=" | "==" | "!=" | "+" | "-" | "!" | "&&" | "||"
                    ))
        {
            return OPERAND;
        }
        // `(SIZE * (a + 1)`
        let begins = matches!(before.text, "(" | "," | "=");
        let multiplied = next.text == "*"
            && self.get(at + 2).is_some_and(|open| open.text == "(")
            && self.get(at + 3).is_some_and(|inner| inner.text != "*");
        let added = matches!(next.text, "+" | "-") && next.kind == Kind::Sign;
        if upper && begins && group.is_none() && (multiplied || added) {
            return OPERAND;
        }
        let listed = before.text == "," && next.text == ";" && group.is_none();
        let pointed = before.text == "&" && matches!(next.text, ")" | "," | ";") && !self.cpp;
        let compared = next.kind == Kind::Sign
            && (matches!(
                next.text,
                "==" | "!=" | "<=" | ">=" | "|" | "||" | "?" | "/" | "%" | "^" | "*=" | "/="
            ) || !self.cpp
                && matches!(next.text, "<" | ">" | "&&" | "++" | "--" | "<<" | ">>"));
        if listed || pointed || compared && !(self.cpp && group.is_some()) {
            return OPERAND;
        }
        let asks = match group {
            Some(_) => self.asks(self.before_scopes(at).unwrap_or(before)),
            None => self.asks(before),
        };
        let ends = match next.kind {
            Kind::Close(_) => true,
            Kind::Sign if group.is_some() && !self.cpp && !upper => next.text != "::",
            Kind::Sign => !matches!(
                next.text,
                "::" | "..." | "<" | ">" | "~" | "!" | "*" | "&" | "##"
            ),
            _ => false,
        };
        let calculated = next.kind == Kind::Sign
            && matches!(
                next.text,
                "==" | "!=" | "<=" | ">=" | "||" | "/" | "%" | "^" | "?" | "." | "->"
            );
        let value = match group.is_some() && (asks && ends || calculated) {
            true => VALUE,
            false => 0,
        };
        // In C++ what is called may be a type.
        let default = self.cpp && before.text == "=" && matches!(next.text, "," | ">");
        if asks && ends && !default && !(self.cpp && group.is_some()) {
            return OPERAND | value;
        }
        value | self.as_declared(at, token, before, next, group)
    }

    /// Returns whether a name after `) ->` is the type that a function returns: its body follows.
    pub(super) fn is_returned(&self, at: usize) -> bool {
        let text = |at: usize| self.get(at).map_or("", |token| token.text);
        let arrow = at.checked_sub(1).filter(|at| text(*at) == "->");
        let called = arrow.and_then(|at| at.checked_sub(1));
        let past = at + 1 + usize::from(matches!(text(at + 1), "&" | "*" | "&&"));
        called.is_some_and(|at| text(at) == ")") && text(past) == "{"
    }

    /// Returns what stands before the scopes of a name: in `= scope::name(`, the `=`.
    pub(super) fn before_scopes(&self, at: usize) -> Option<&Token<'a>> {
        let before = |at: usize| at.checked_sub(1).and_then(|at| self.get(at));
        let mut at = at;
        for _ in 0..MAX_SCOPES {
            match before(at)?.text {
                "::" => at = at.checked_sub(2)?,
                _ => break,
            }
        }
        before(at)
    }

    /// Returns whether an operand must follow a token.
    fn asks(&self, before: &Token<'a>) -> bool {
        before.kind == Kind::Sign
            && matches!(
                before.text,
                "=" | "+="
                    | "-="
                    | "|="
                    | "&="
                    | "=="
                    | "!="
                    | "<="
                    | ">="
                    | "||"
                    | "/"
                    | "%"
                    | "|"
                    | "?"
                    | "+"
                    | "-"
                    | "!"
                    | "^"
            )
            || matches!(before.text, "return" | "case")
    }

    /// Notes the names that an enumeration declares.
    fn enumerators(&self, at: usize, names: &mut Names<'a>) {
        let head = self.tokens.get(at..at + 6).unwrap_or_default();
        let Some(open) = head.iter().position(|token| token.kind == Kind::Open(b'{')) else {
            return;
        };
        let open = at + open;
        let Some(close) = self.pairs.close_of(open) else {
            return;
        };
        for at in open + 1..close {
            if self
                .get(at)
                .is_some_and(|token| token.kind == Kind::Open(b'{'))
            {
                break;
            }
            let (Some(before), Some(token), Some(after)) =
                (self.get(at - 1), self.get(at), self.get(at + 1))
            else {
                break;
            };
            let lists = matches!(before.text, "{" | ",") && matches!(after.text, "," | "=" | "}");
            if token.kind == Kind::Name && lists {
                *names.0.entry(token.text).or_default() |= OPERAND;
            }
        }
    }
}
