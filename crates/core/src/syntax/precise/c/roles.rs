//! Names that declarations and statements show to be of a sort.
//!
//! In: a name with what stands beside it. Out: whether it was declared there, or used as a type or as a
//! statement.

use super::names::{BARE, CALLED, DECLARED, FUNCTION, NAMED, OPERAND, Seen, TYPE, Uses, VARIABLE};
use super::token::{Kind, Token};
use super::words::Word;

impl<'a> Seen<'_, 'a> {
    /// Returns the uses of a name that a declaration shows to be one of its own.
    pub(super) fn as_declared(
        &self,
        at: usize,
        token: &Token<'a>,
        before: &Token<'a>,
        next: &Token<'a>,
        group: Option<usize>,
    ) -> Uses {
        let upper = super::sequence::is_upper(token.text);
        // `type name`, where nothing else can stand.
        let typed = || {
            let head = at.checked_sub(2).and_then(|at| self.get(at));
            before.kind == Kind::Name
                && !super::sequence::is_upper(token.text)
                && head
                    .is_some_and(|head| matches!(head.text, "(" | "," | ";" | "{" | "}" | "const"))
        };
        let declared =
            matches!(before.kind, Kind::Word(Word::Type)) || before.text == "*" || typed();
        let ended = matches!(next.text, ";" | "=" | "," | "[" | ")");
        match group {
            None if declared && ended && !(before.text == "*" && next.text == ")") => OPERAND,
            Some(_) if declared && matches!(next.text, ";" | "{") => FUNCTION,
            Some(_)
                if before.kind == Kind::Name
                    && !upper
                    && (next.text == "{" || next.text == ";" && self.is_said(at)) =>
            {
                FUNCTION
            }
            _ => 0,
        }
    }

    /// Returns whether words of a declaration stand before the two at `at`.
    pub(super) fn is_said(&self, at: usize) -> bool {
        let head = at.checked_sub(2).and_then(|at| self.get(at));
        head.is_some_and(|head| {
            matches!(
                head.text,
                "static" | "inline" | "extern" | "virtual" | "explicit"
            )
        })
    }

    /// Returns whether a type stands before a name, and after it what ends a declaration.
    pub(super) fn as_variable(
        &self,
        at: usize,
        before: Option<&Token<'a>>,
        after: Option<&Token<'a>>,
    ) -> Uses {
        let ends = after.is_some_and(|after| {
            matches!(
                after.text,
                ";" | "=" | "," | ")" | "(" | "{" | "[" | ":" | ">"
            )
        });
        let types = |token: &Token<'a>| matches!(token.kind, Kind::Name | Kind::Word(Word::Type));
        let typed = before.is_some_and(|before| match before.text {
            // `<size_t... name>`
            "..." => {
                let back = at.checked_sub(2).and_then(|at| self.get(at));
                back.is_some_and(types)
            }
            "*" | "&" | "&&" => {
                let back = |back: usize| at.checked_sub(back).and_then(|at| self.get(at));
                back(2).is_some_and(types)
                    && back(3).is_some_and(|head| {
                        matches!(head.text, "(" | "," | ";" | "{" | "}" | "const" | "::")
                    })
            }
            "auto" => true,
            _ => types(before),
        });
        if typed && ends { VARIABLE } else { 0 }
    }

    pub(super) fn as_type(
        &self,
        at: usize,
        token: &Token<'a>,
        before: Option<&Token<'a>>,
        after: Option<&Token<'a>>,
    ) -> Uses {
        let Some(after) = after else { return 0 };
        let tag = before.is_some_and(|before| {
            before.kind == Kind::Word(Word::Tag) || before.text == "typename"
        });
        let named = before.is_some_and(|before| before.text == "using") && after.text == "=";
        let parameter = before.is_some_and(|before| matches!(before.text, "typename" | "class"))
            && matches!(after.text, "=" | "," | ">" | "{" | ":");
        if named || parameter {
            return TYPE | DECLARED | NAMED;
        }
        if self.cpp && self.is_returned(at) {
            return TYPE | NAMED;
        }
        let tagged = tag && after.kind != Kind::Name;
        let spaces = before.is_some_and(|before| before.text == "namespace");
        let head = |back: usize| at.checked_sub(back).and_then(|at| self.get(at));
        let casts = before.is_some_and(|before| before.text == "(")
            && after.text == ")"
            && head(2).is_some_and(|head| {
                matches!(head.kind, Kind::Sign | Kind::Open(_)) || head.text == "return"
            })
            && self
                .get(at + 2)
                .is_some_and(|then| matches!(then.kind, Kind::Name | Kind::Number | Kind::Text));
        if spaces || casts || self.cpp && tagged || after.text == "::" {
            return TYPE | NAMED;
        }
        if tagged {
            return TYPE;
        }
        // `scope::type name`
        let scoped = before.is_some_and(|before| before.text == "::")
            && after.kind == Kind::Name
            && self.ends_declaration(at + 2)
            && self.begins_declaration(self.before_scopes(at));
        if scoped {
            return TYPE | NAMED;
        }
        if token.text.ends_with("_t") {
            return TYPE;
        }
        let begins = before.is_none_or(|before| {
            matches!(
                before.text,
                ";" | "{" | "}" | "(" | "," | "const" | "static" | "extern"
            )
        });
        let then = self.get(at + 2);
        let ends = |token: Option<&Token<'a>>| {
            token.is_some_and(|token| matches!(token.text, ";" | "=" | "," | ")" | "["))
        };
        let pointer = after.text == "*"
            && then.is_some_and(|then| {
                then.text == ")" || then.kind == Kind::Name && ends(self.get(at + 3)) && begins
            });
        let names = after.kind == Kind::Name && ends(then) && begins;
        // `(CALL *name)(...)`
        let convention = before.is_some_and(|before| before.text == "(")
            && pointer
            && self.get(at + 3).is_some_and(|token| token.text == ")")
            && self.get(at + 4).is_some_and(|token| token.text == "(");
        let cast = before.is_some_and(|before| before.text == "(") && pointer;
        let head = at
            .checked_sub(2)
            .map_or("", |at| self.get(at).map_or("", |token| token.text));
        let says = before.is_some_and(|before| before.text == "const")
            && super::sequence::is_upper(token.text)
            && !(pointer && matches!(head, "" | "(" | "," | ";" | "{" | "}" | "static"));
        if (names || (pointer && begins || cast) && !convention) && !says {
            return if names { TYPE | NAMED } else { TYPE };
        }
        // `typedef ... NAME;`, `typedef ... (*NAME)(`
        let inner = after.text == ")" && before.is_some_and(|before| before.text == "*");
        let typedef = (after.text == ";" || inner) && {
            let head = self
                .tokens
                .get(at.saturating_sub(12)..at)
                .unwrap_or_default();
            let since = head
                .iter()
                .rev()
                .take_while(|token| !matches!(token.text, ";"));
            since.into_iter().any(|token| token.text == "typedef")
        };
        if typedef { TYPE | DECLARED | NAMED } else { 0 }
    }

    fn begins_declaration(&self, before: Option<&Token<'a>>) -> bool {
        before.is_none_or(|before| {
            matches!(
                before.text,
                ";" | "{" | "}" | "(" | "," | "const" | "static" | "extern"
            )
        })
    }

    fn ends_declaration(&self, at: usize) -> bool {
        self.get(at)
            .is_some_and(|token| matches!(token.text, ";" | "=" | "," | ")" | "["))
    }

    pub(super) fn as_statement(
        &self,
        at: usize,
        token: &Token<'a>,
        before: Option<&Token<'a>>,
        after: Option<&Token<'a>>,
        group: Option<usize>,
    ) -> Uses {
        let begins = before
            .is_none_or(|before| matches!(before.text, ";" | "{" | "}" | ":" | "else" | "do"));
        // `name(...) : member(...) {`
        let member = before.is_some_and(|before| before.text == ":")
            && at
                .checked_sub(2)
                .and_then(|at| self.get(at))
                .is_some_and(|head| head.text == ")");
        let begins = begins && !(member && self.cpp);
        // `type *SAYS name`
        if before.is_some_and(|before| before.text == "*")
            && after.is_some_and(|after| after.kind == Kind::Name)
        {
            return BARE;
        }
        // `SAYS int name`, `name() SAYS {`
        let heads = after.is_some_and(|after| match after.kind {
            Kind::Word(Word::Type | Word::Tag) => true,
            Kind::Word(Word::Qualifier) => !matches!(after.text, "const" | "volatile" | "__const"),
            _ => false,
        });
        let tails = before.is_some_and(|before| before.text == ")")
            && after.is_some_and(|after| {
                after.text == "{" || after.text == "=" && super::sequence::is_upper(token.text)
            });
        // `int SAYS name`
        let between = before.is_some_and(|before| before.kind == Kind::Word(Word::Type))
            && after.is_some_and(|after| after.kind == Kind::Name);
        if group.is_none()
            && (heads || tails || between)
            && !before.is_some_and(|before| {
                matches!(before.kind, Kind::Word(Word::Tag)) || before.text == "::"
            })
        {
            return BARE;
        }
        let governed = before.is_some_and(|before| before.text == ")")
            && at
                .checked_sub(1)
                .and_then(|close| self.pairs.close_of(close))
                .and_then(|open| open.checked_sub(1))
                .and_then(|at| self.get(at))
                .is_some_and(|word| matches!(word.text, "if" | "while" | "for"));
        if !begins && !governed {
            return 0;
        }
        let next = match group {
            Some(close) => self.get(close + 1),
            None => after,
        };
        let Some(next) = next else { return BARE };
        match next.kind {
            Kind::Sign if next.text == ";" && group.is_some() => CALLED,
            Kind::Close(b'}') => BARE,
            Kind::Name | Kind::Word(_) if group.is_some() => BARE,
            Kind::Name | Kind::Word(_) if next.first => BARE,
            Kind::Word(Word::Statement) => BARE,
            Kind::Open(b'{') if group.is_some() => BARE,
            _ => 0,
        }
    }
}
