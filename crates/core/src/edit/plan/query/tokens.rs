//! Tokens of a query.
//!
//! In: a query as written. Out: its parentheses, texts and words, and what they show before it is
//! compiled: predicates without a node, and repetitions.

use std::ops::Range;

use crate::text::Slice;

/// Returns where a query has a predicate that no node stands before, in its list or field. Tree-sitter
/// takes some of these for patterns without a step, and ends the process where one has a capture.
pub(super) fn lone_predicate(wording: &str) -> Option<usize> {
    let tokens = tokens(wording);
    let word = |token: &Token| match token {
        Token::Word(range) => wording.get(range.clone()),
        Token::Open(_) | Token::Text(_) => None,
    };
    let opens = |token: &Token| {
        let word = word(token).unwrap_or_default();
        matches!(token, Token::Open(_)) || word == "[" || word.ends_with(':')
    };
    let mut lone = tokens.windows(3).filter(|three| match three {
        [before, Token::Open(_), name] => {
            // A name may begin with a dot, too, as in queries of old.
            opens(before) && word(name).is_some_and(|word| word.starts_with(['#', '.']))
        }
        _ => false,
    });
    match lone.next()? {
        [_, _, Token::Word(name)] => Some(name.start),
        _ => None,
    }
}

/// Predicates that tree-sitter's Rust binding takes for true where no node is as they say.
const UNTESTED: &[&str] = &["#any-eq?", "#any-not-eq?", "#any-match?", "#any-not-match?"];

/// Returns the first predicate of a query that would not be tested.
pub(super) fn untested(wording: &str) -> Option<&'static str> {
    let tokens = tokens(wording);
    let mut words = tokens.iter().map(|token| token.word(wording));
    words.find_map(|word| UNTESTED.iter().find(|name| **name == word).copied())
}

/// Returns whether something in a query may be there several times or not at all.
pub(super) fn repeats(wording: &str) -> bool {
    let tokens = tokens(wording);
    let mut words = tokens.iter().map(|token| token.word(wording));
    words.any(|word| word.starts_with(['+', '*', '?']))
}

/// Returns what `#eq?` and `#any-of?` among the tokens want: the name of a capture and the texts of
/// which its node is one. Predicates that name other things than texts are left out.
pub(super) fn comparisons<'w>(wording: &'w str, tokens: &[&Token]) -> Vec<(&'w str, Vec<&'w str>)> {
    let names = (0..tokens.len()).filter(|at| {
        let word = tokens.get(*at).map(|token| token.word(wording));
        matches!(word, Some("#eq?" | "#any-of?"))
    });
    names
        .filter_map(|at| text_test(tokens, wording, at))
        .collect()
}

fn text_test<'w>(
    tokens: &[&Token],
    wording: &'w str,
    at: usize,
) -> Option<(&'w str, Vec<&'w str>)> {
    let capture = tokens.get(at + 1)?.word(wording).strip_prefix('@')?;
    let rest = tokens.get(at + 2..)?;
    let texts: Vec<&str> = rest
        .iter()
        .map_while(|token| match token {
            Token::Text(range) => wording.get(range.clone()),
            Token::Open(_) | Token::Word(_) => None,
        })
        .collect();
    // An escape, a capture or a bare word among them ends the row of texts.
    let closed = rest.get(texts.len())?.word(wording) == ")";
    (closed && !texts.is_empty()).then_some((capture, texts))
}

/// Returns how many things in a query may be there any number of times.
pub(super) fn repetitions(wording: &str) -> usize {
    tokens(wording)
        .iter()
        .filter(|token| match token {
            Token::Word(range) => {
                let word = wording.slice(range.clone());
                word.starts_with(['+', '*'])
            }
            Token::Open(_) | Token::Text(_) => false,
        })
        .count()
}

/// A piece of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An opening parenthesis, at this byte.
    Open(usize),
    /// What is between quotes, as it stands.
    Text(Range<usize>),
    Word(Range<usize>),
}

impl Token {
    /// Returns the byte where it begins.
    pub(super) fn at(&self) -> usize {
        match self {
            Self::Open(at) => *at,
            Self::Text(range) | Self::Word(range) => range.start,
        }
    }

    /// Returns the text of a word; of others nothing.
    pub(super) fn word<'w>(&self, wording: &'w str) -> &'w str {
        match self {
            Self::Word(range) => wording.slice(range.clone()),
            Self::Open(_) | Self::Text(_) => "",
        }
    }
}

/// Takes a query apart; a text with escapes in it is a word, which no predicate here takes.
pub(super) fn tokens(wording: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = wording.get(at..).unwrap_or_default();
        at += rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return tokens;
        };
        let length = match first {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '"' => quoted(rest),
            '(' | ')' | '[' | ']' | '{' | '}' => 1,
            _ => rest
                .find(|char: char| char.is_whitespace() || "()[]{}\";".contains(char))
                .unwrap_or(rest.len())
                .max(first.len_utf8()),
        };
        let token = rest.get(..length).unwrap_or(rest);
        match first {
            ';' => {}
            '(' => tokens.push(Token::Open(at)),
            '"' if is_plain(token) => tokens.push(Token::Text(at + 1..at + length - 1)),
            _ => tokens.push(Token::Word(at..at + length)),
        }
        at += token.len();
    }
}

/// Returns the length of a text in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            '"' if !escaped => return at + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Returns whether a text in quotes stands for what is between them.
fn is_plain(token: &str) -> bool {
    let inner = token
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.is_some_and(|inner| !inner.contains(|char: char| char == '\\' || char.is_control()))
}
