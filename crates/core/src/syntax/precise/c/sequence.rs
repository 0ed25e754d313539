//! What may follow what between two ends of a statement.
//!
//! In: where it begins, and what it is part of. Out: where it ends, or what cannot stand where it does.
//! Expressions and declarations are not told apart where both would do: operands and the signs between
//! them take turns, and words follow words only where one of them can be a type or a macro.

use super::names;
use super::read::{Place, Reader, Stop};
use super::token::{Kind, Token};
use super::words::Word;

/// What a sequence is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A declaration or an expression as a statement.
    Run,
    /// What `return` gives back.
    Value,
    /// What stands after `case`.
    Case,
    /// Round brackets around an expression or a declaration.
    Group,
    /// A third of what `for` takes.
    Step,
    /// Arguments or parameters.
    Arguments,
    /// Parameters of a template.
    Template,
    /// Arguments of what may be a macro.
    Loose,
    /// Square brackets.
    Index,
    /// Braces with values in them.
    List,
}

/// How far a sequence is read.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what was read"
)]
pub(super) struct State {
    pub(super) mode: Mode,
    pub(super) place: Place,
    pub(super) begin: usize,
    pub(super) at: usize,
    pub(super) end: usize,
    /// An operand is wanted.
    pub(super) want: bool,
    /// An operand may follow an operand.
    pub(super) permit: bool,
    /// Signs show that this is an expression.
    pub(super) expr: bool,
    /// There is a type.
    pub(super) typed: bool,
    /// Words that can be type, name or macro.
    pub(super) names: Vec<usize>,
    pub(super) questions: usize,
    /// Only signs of a pointer or a reference stand after the last operand.
    pub(super) stars: bool,
    pub(super) angles: usize,
    /// What `expr` was before the first of these.
    pub(super) outside: bool,
    /// The last token that counts.
    pub(super) last: Option<usize>,
    /// The last bracket may be a cast.
    pub(super) cast: bool,
    /// The last brace was the body of a type.
    pub(super) body: bool,
    /// There was a comma between names.
    pub(super) listed: bool,
    /// There were brackets as of parameters.
    pub(super) called: bool,
    /// There was a `:` after brackets, as before what a constructor begins with.
    pub(super) colon: bool,
    pub(super) typedef: bool,
    /// There are words that only declarations have.
    pub(super) declares: bool,
}

/// What to do next.
pub(super) enum Step {
    To(usize),
    End(usize),
}

pub(super) type Taken = Result<Step, Stop>;

impl State {
    fn new(at: usize, end: usize, mode: Mode, place: Place) -> Self {
        Self {
            mode,
            place,
            begin: at,
            at,
            end,
            want: true,
            permit: false,
            expr: matches!(mode, Mode::Value | Mode::Case | Mode::List),
            typed: false,
            names: Vec::new(),
            questions: 0,
            stars: false,
            angles: 0,
            outside: false,
            last: None,
            cast: false,
            body: false,
            listed: false,
            called: false,
            colon: false,
            typedef: false,
            declares: false,
        }
    }

    /// Notes an operand.
    pub(super) fn operand(&mut self, at: usize) {
        self.wants(at);
        self.want = false;
    }

    /// Notes a sign after which an operand must come.
    pub(super) fn wants(&mut self, at: usize) {
        self.want = true;
        self.permit = false;
        self.stars = false;
        self.cast = false;
        self.body = false;
        self.last = Some(at);
    }

    pub(super) fn decides(&mut self, at: usize) {
        self.wants(at);
        self.expr = true;
    }

    fn empties(&self) -> bool {
        self.mode == Mode::Loose
    }
}

impl<'a> Reader<'_, 'a> {
    /// Reads a sequence; returns where it ends.
    pub(super) fn sequence(
        &mut self,
        from: usize,
        end: usize,
        mode: Mode,
        place: Place,
    ) -> Result<usize, Stop> {
        let mut state = State::new(from, end, mode, place);
        while state.at < end {
            let Some(token) = self.get(state.at).copied() else {
                break;
            };
            match self.token(&mut state, &token)? {
                Step::To(next) => state.at = next.max(state.at + 1),
                Step::End(next) => return Ok(next),
            }
        }
        match mode {
            Mode::Run | Mode::Value => {
                let macros = state.last.is_some_and(|last| {
                    let open = self
                        .pairs
                        .close_of(last)
                        .and_then(|open| open.checked_sub(1));
                    state.begin == open.unwrap_or(last) && self.may_end(last)
                });
                // A part of a list that another file includes.
                let part = self.known.part && from == 0 && end == self.tokens.len();
                if macros && !state.want || part {
                    return Ok(end);
                }
                self.fault(end.saturating_sub(1), "`;` is missing after this")
            }
            Mode::Case => self.fault(from, "`:` is missing after this"),
            _ => {
                self.finish(&state, end)?;
                Ok(end)
            }
        }
    }

    /// Returns whether what ends with a token may be a macro that brings its own `;`.
    fn may_end(&self, last: usize) -> bool {
        let Some(token) = self.get(last) else {
            return false;
        };
        match token.kind {
            Kind::Name => {
                self.uses(token) & (names::DEFINED | names::BARE) != 0
                    && (self.is_told(token) || is_upper(token.text))
            }
            Kind::Close(b')') => self
                .callee(last)
                .is_some_and(|name| self.uses(name) & (names::DEFINED | names::BARE) != 0),
            _ => false,
        }
    }

    /// Returns the name before the bracket that is closed at `close`.
    pub(super) fn callee(&self, close: usize) -> Option<&Token<'a>> {
        let open = self.pairs.close_of(close)?;
        self.get(open.checked_sub(1)?)
            .filter(|token| token.kind == Kind::Name)
    }

    fn token(&mut self, state: &mut State, token: &Token<'a>) -> Taken {
        let at = state.at;
        match token.kind {
            Kind::Name => {
                if let Some(next) = self.past_end_macro(state, token) {
                    return Ok(Step::End(next));
                }
                self.type_as_value(state, token)?;
                if !state.want && !state.permit {
                    self.name_after(state, token)?;
                } else if !state.expr {
                    match state.last.is_some_and(|last| self.text(last, at) == "::") {
                        true => state.typed = true,
                        false => state.names.push(at),
                    }
                }
                state.operand(at);
                Ok(Step::To(at + 1))
            }
            Kind::Number
                if state.mode != Mode::Loose && !super::token::is_number(token.text, self.cpp) =>
            {
                self.fault(at, &format!("`{}` is no number", token.text))
            }
            Kind::Number | Kind::Char => {
                let pointer = state.want && state.stars && !state.expr && state.angles == 0;
                let typed = at.checked_sub(2).is_some_and(|first| {
                    self.text(first + 1, at) == "*"
                        && self.kind(first, at) == Some(Kind::Word(Word::Type))
                });
                if pointer && typed && matches!(state.mode, Mode::Run | Mode::Arguments) {
                    return self.fault(at, "a name is missing before this");
                }
                if !state.want && !state.permit {
                    self.operand_after(state)?;
                }
                state.operand(at);
                Ok(Step::To(at + 1))
            }
            Kind::Text => {
                if !state.want && !state.permit {
                    self.text_after(state)?;
                }
                state.operand(at);
                Ok(Step::To(at + 1))
            }
            Kind::Word(word) => self.word(state, word, token),
            Kind::Open(b'(') => self.round(state),
            Kind::Open(b'[') => self.square(state),
            Kind::Open(_) => self.brace(state),
            Kind::Close(_) => self.fault(at, "this closes nothing"),
            Kind::Sign => self.sign(state, token.text),
            Kind::Stray if state.empties() => Ok(Step::To(at + 1)),
            Kind::Stray => self.fault(at, "this character begins nothing"),
        }
    }

    /// Refuses a type where only a value can be, and what is no type where one must be.
    fn type_as_value(&self, state: &State, token: &Token<'a>) -> Result<(), Stop> {
        let (at, end) = (state.at, state.end);
        let casts = matches!(
            token.text,
            "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast"
        );
        let follows = !state.want && !state.permit && state.mode != Mode::Loose;
        if casts && self.cpp && follows && state.last == at.checked_sub(1) {
            self.operand_after(state)?;
        }
        if casts && self.cpp && self.text(at + 1, end) != "<" && state.mode != Mode::Loose {
            return self.fault(at, "`<` is missing after this");
        }
        if casts && self.cpp {
            let past = self.past_angles(at + 1, end);
            return match past.map(|past| self.text(past, end)) {
                Some("(") if past == Some(at + 3) => {
                    self.fault(at + 1, "a type is missing in these brackets")
                }
                Some("(") => Ok(()),
                _ => self.fault(at + 1, "`>` is missing for this"),
            };
        }
        let asks = at.checked_sub(1).filter(|last| *last >= state.begin);
        let asks = asks.map_or("", |last| self.text(last, at));
        let then = self.text(at + 1, end);
        let value = match asks {
            "=" | "==" | "!=" | "+" | "-" | "||" | "<=" | ">=" | "/" | "%" => {
                !matches!(then, "" | "," | ")")
            }
            "" => {
                state.mode == Mode::Value && matches!(then, ";" | "(")
                    || matches!(then, "==" | "!=" | "->" | "." | "<=" | ">=" | "+=")
            }
            _ => false,
        };
        let uses = self.uses(token);
        let is_type = uses & names::TYPE != 0
            && uses & !(names::TYPE | names::DECLARED) == 0
            && self.is_told(token);
        let assigned = asks.is_empty()
            && state.mode == Mode::Run
            && matches!(then, "+=" | "-=" | "|=" | "->" | ".");
        if value && is_type && (!self.cpp || assigned) && state.mode != Mode::Loose {
            return self.fault(at, &format!("`{}` is a type and no value", token.text));
        }
        Ok(())
    }

    /// Returns what follows a macro that ends a list of values: `} END(name)`.
    fn past_end_macro(&self, state: &State, token: &Token<'a>) -> Option<usize> {
        let last = state
            .last
            .filter(|_| state.mode == Mode::Run && !state.want && !state.body)?;
        let closes = self.kind(last, state.at) == Some(Kind::Close(b'}'));
        let next = self
            .opens(state.at + 1, state.end, b'(')
            .map_or(state.at, |close| close)
            + 1;
        let ends = self.get(next).is_none_or(|next| next.first) || next == state.end;
        (closes && ends && self.may_say(token) && is_upper(token.text)).then_some(next)
    }
}

pub(super) fn is_upper(name: &str) -> bool {
    // `PRId64` and its like stand for strings.
    !name.bytes().any(|byte| byte.is_ascii_lowercase())
        || name.starts_with("PRI")
        || name.starts_with("SCN")
}
