//! Clauses of a sentence, as words with what the lexicon knows of them.
//!
//! ```text
//! "**tests**: added two, so <0> is covered, which it was not"
//!    label [tests], words [added two]; words [<0> is covered]; the relative clause is left out
//! ```
//!
//! In: the plain text of a sentence. Out: its main clauses. A reason, purpose, condition or relative clause tells of something else.

use signoff_core::text::Slice as _;

use super::lexicon::{Form, Lexeme, Mark, Thing, joined, lexeme};

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) lexeme: Lexeme,
    pub(super) text: String,
}

impl Word {
    fn of(text: &str) -> Self {
        let number = text
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .and_then(|(number, _)| number.parse().ok());
        let lexeme = number.map_or_else(|| lexeme(text), Lexeme::Name);
        let text = text.to_owned();
        Self { lexeme, text }
    }

    /// Returns the number that it is or begins with: `60` of `60-second`, `4` of `v4`.
    pub(super) fn number(&self) -> Option<String> {
        let digits = self.text.trim_start_matches(['v', '$', '~']);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let end = digits.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'));
        let number = digits.slice(..end.unwrap_or(digits.len()));
        Some(number.trim_end_matches('.').to_owned())
    }

    fn is_negative(&self) -> bool {
        matches!(self.lexeme, Lexeme::Mark(Mark::No | Mark::Denied))
    }

    fn is_finite(&self) -> bool {
        matches!(
            self.lexeme,
            Lexeme::Be | Lexeme::Deed(_, Form::Past | Form::Present) | Lexeme::Hedge
        )
    }
}

/// A main clause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clause {
    /// The words before the colon: `tests` of "tests: added two".
    pub(super) label: Vec<Word>,
    pub(super) words: Vec<Word>,
    /// Whether it is a reason, purpose, condition or relative clause, which is not judged.
    pub(super) is_sub: bool,
}

impl Clause {
    /// Tells whether it says that nothing uses something.
    pub(super) fn says_unused(&self) -> bool {
        self.words.iter().any(|word| {
            let is_mark = Lexeme::Mark(Mark::Unused) == word.lexeme;
            is_mark || word.is_negative() || word.text == "nobody"
        })
    }

    /// Tells whether it is a hope, a plan or advice.
    pub(super) fn is_hedged(&self) -> bool {
        let mut words = self.label.iter().chain(&self.words);
        words.any(|word| word.lexeme == Lexeme::Hedge)
    }
}

/// Returns the words of a text, in which punctuation marks are words too.
fn words(plain: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for raw in joined(plain).split_whitespace() {
        if matches!(raw, "-" | "–" | "—" | "--") {
            found.push(mark(Lexeme::Colon));
            continue;
        }
        if raw.starts_with('(') {
            found.push(mark(Lexeme::Stop));
        }
        let is_inner = |c: char| c.is_alphanumeric() || "<>✅✓&→➜⟶".contains(c);
        let start = raw.find(is_inner).unwrap_or(raw.len());
        let end = raw.rfind(is_inner).map_or(start, |at| {
            at + raw.slice(at..).chars().next().map_or(1, char::len_utf8)
        });
        let (core, tail) = (
            raw.slice(start..end.max(start)),
            raw.slice(end.max(start)..),
        );
        put(core, &mut found);
        if tail.contains([';', '.', '!', ')', '…']) {
            found.push(mark(Lexeme::Stop));
        } else if tail.contains(':') {
            found.push(mark(Lexeme::Colon));
        } else if tail.contains(',') {
            found.push(mark(Lexeme::Comma));
        }
    }
    found
}

fn mark(lexeme: Lexeme) -> Word {
    Word {
        lexeme,
        text: String::new(),
    }
}

/// Adds a word, one of two parts as two: `comment-only`, `docs/comments`.
fn put(core: &str, found: &mut Vec<Word>) {
    if core.is_empty() {
        return;
    }
    // That a name is an owner is told by its text.
    let core = match core.strip_suffix("'s") {
        Some(owner) if !owner.starts_with('<') => owner,
        _ => core,
    };
    if let Some(rest) = core.strip_suffix("-only") {
        found.push(Word::of("only"));
        return put(rest, found);
    }
    let word = Word::of(core);
    let parts = core.split_once(['/', '-']).filter(|(first, second)| {
        word.lexeme == Lexeme::Other
            && lexeme(first) != Lexeme::Other
            && lexeme(second) != Lexeme::Other
    });
    match parts {
        Some((first, second)) => found.extend([Word::of(first), Word::of(second)]),
        None => found.push(word),
    }
}

/// Returns the main clauses of a text.
pub(super) fn clauses(plain: &str) -> Vec<Clause> {
    let words = collapsed(words(plain));
    if let Some(first) = words.first()
        && matches!(
            first.text.as_str(),
            "if" | "when" | "unless" | "once" | "until" | "before"
        )
    {
        return Vec::new();
    }
    let mut cutter = Cutter::default();
    for (at, word) in words.iter().enumerate() {
        cutter.take(word, words.get(at + 1..).unwrap_or(&[]));
    }
    cutter.close();
    cutter.found
}

#[derive(Default)]
struct Cutter {
    found: Vec<Clause>,
    label: Vec<Word>,
    current: Vec<Word>,
    is_sub: bool,
}

impl Cutter {
    fn close(&mut self) {
        let words = std::mem::take(&mut self.current);
        if words.iter().any(|word| word.lexeme != Lexeme::Comma) {
            let (label, is_sub) = (self.label.clone(), self.is_sub);
            self.found.push(Clause {
                label,
                words,
                is_sub,
            });
        }
        self.is_sub = false;
    }

    /// Tells whether a comma ends the clause: two of "docs only, no functional impact" have no verb.
    fn ends_at(&self, rest: &[Word], is_begun: bool) -> bool {
        let is_mark = |word: &Word| {
            word.is_negative() || matches!(word.lexeme, Lexeme::Mark(Mark::Only | Mark::Same))
        };
        let next = rest.first();
        self.is_sub
            || is_begun && begins_clause(rest)
            || self.current.iter().any(is_mark) && next.is_some_and(is_mark)
            || next.is_some_and(|word| word.lexeme == Lexeme::Author)
    }

    fn take(&mut self, word: &Word, rest: &[Word]) {
        let is_begun = self
            .current
            .iter()
            .any(|word| word.is_finite() && word.lexeme != Lexeme::Hedge);
        match word.lexeme {
            Lexeme::Stop => self.close(),
            Lexeme::Colon => {
                let is_first = self.found.is_empty() && self.label.is_empty() && !self.is_sub;
                let longest = if is_begun { 3 } else { 7 };
                if is_first && self.current.len() <= longest {
                    self.label = std::mem::take(&mut self.current);
                } else {
                    self.close();
                }
            }
            Lexeme::Comma if self.ends_at(rest, is_begun) => self.close(),
            Lexeme::And if !self.is_sub && is_begun && begins_clause(rest) => self.close(),
            Lexeme::Then => self.close(),
            Lexeme::Sub => {
                self.close();
                self.is_sub = true;
            }
            Lexeme::Change if word.text == "that" && !self.current.is_empty() => {
                let is_told = self
                    .current
                    .last()
                    .is_some_and(|last| matches!(last.lexeme, Lexeme::Deed(..) | Lexeme::Filler));
                self.close();
                self.is_sub = !is_told;
            }
            Lexeme::Mark(Mark::Denied) if word.text == "without" => {
                self.close();
                self.current.push(word.clone());
            }
            _ => self.current.push(word.clone()),
        }
    }
}

/// Tells whether words have a subject and a verb of their own.
fn begins_clause(rest: &[Word]) -> bool {
    let mut has_subject = false;
    for word in rest {
        match word.lexeme {
            Lexeme::Comma | Lexeme::And if !has_subject => {}
            Lexeme::Comma | Lexeme::And | Lexeme::Stop | Lexeme::Colon | Lexeme::Sub => {
                return false;
            }
            _ if word.is_finite() => return has_subject,
            _ => has_subject = true,
        }
    }
    false
}

/// Joins "no errors", "zero failures" and the like to one word that says that a check found nothing.
fn collapsed(words: Vec<Word>) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    for word in words {
        if word.lexeme == Lexeme::Thing(Thing::Trouble) {
            let is_negation = |it: &Word| it.is_negative() && it.text != "not";
            let start = found.iter().rposition(is_negation);
            // "no change to error messages" is of the change.
            let is_near = |start: &usize| {
                let mut between = found.iter().skip(start + 1);
                found.len() - start <= 4
                    && between.all(|it| !it.is_finite() && !matches!(it.lexeme, Lexeme::Deed(..)))
            };
            if let Some(start) = start.filter(is_near) {
                found.truncate(start);
                found.push(Word::of("clean"));
                continue;
            }
        }
        found.push(word);
    }
    found
}
