//! A query less the texts that it compares with.
//!
//! In: a query as written. Out: the same with a number in the place of each text of a predicate
//! such as `(#eq? @name "text")`, and the texts. Compiling a query costs as much as parsing a file,
//! and one that differs from an earlier one only in such texts need not be compiled anew. What
//! these predicates say is looked at here, for each match.

use std::ops::Range;

use tree_sitter::{QueryMatch, QueryPredicate, QueryPredicateArg};

/// What the names of predicates begin with that are looked at here.
const OWN: &str = "own-";

/// A query with numbers for texts.
pub(super) struct Shape {
    pub(super) wording: String,
    pub(super) texts: Vec<String>,
}

/// What a predicate wants the nodes of a capture to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) capture: u32,
    /// Numbers of the texts.
    texts: Vec<usize>,
    /// Whether they are to be one of these texts, or none of them.
    pub(super) positive: bool,
    /// Whether one node that is so is enough.
    any: bool,
}

impl Shape {
    /// Returns the shape of a query; none if there is no text that could be taken out.
    pub(super) fn of(wording: &str) -> Option<Self> {
        if wording.contains(OWN) {
            return None;
        }
        let tokens = tokens(wording);
        let mut shape = Self {
            wording: String::with_capacity(wording.len()),
            texts: Vec::new(),
        };
        let mut done = 0;
        for at in 0..tokens.len() {
            let Some((name, texts)) = tokens.get(at..).and_then(|rest| predicate(wording, rest))
            else {
                continue;
            };
            shape.wording.push_str(wording.get(done..name)?);
            shape.wording.push_str(OWN);
            done = name;
            for text in texts {
                shape.wording.push_str(wording.get(done..text.start)?);
                shape.wording.push_str(&shape.texts.len().to_string());
                shape.texts.push(wording.get(text.clone())?.to_owned());
                done = text.end;
            }
        }
        shape.wording.push_str(wording.get(done..)?);
        (done > 0).then_some(shape)
    }
}

impl Compared {
    /// Reads a predicate of a shape; none if it is none of those that are looked at here.
    pub(super) fn of(predicate: &QueryPredicate) -> Option<Self> {
        let name = predicate.operator.strip_prefix(OWN)?;
        let (any, name) = match name.strip_prefix("any-") {
            // `any-of?` is about the texts, `any-eq?` about the nodes.
            Some(rest) if rest != "of?" => (true, rest),
            _ => (false, name),
        };
        let [QueryPredicateArg::Capture(capture), texts @ ..] = predicate.args.as_ref() else {
            return None;
        };
        let number = |text: &QueryPredicateArg| match text {
            QueryPredicateArg::String(text) => text.parse().ok(),
            QueryPredicateArg::Capture(_) => None,
        };
        Some(Self {
            capture: *capture,
            texts: texts.iter().map(number).collect::<Option<_>>()?,
            positive: !name.starts_with("not-"),
            any,
        })
    }

    /// Returns the texts that nodes are compared with.
    pub(super) fn texts<'q>(&self, all: &'q [String]) -> impl Iterator<Item = &'q str> {
        let own = self.texts.clone().into_iter();
        own.filter_map(|number| all.get(number).map(String::as_str))
    }

    /// Returns whether the nodes of a match are as they are to be.
    pub(super) fn holds(&self, one: &QueryMatch<'_, '_>, all: &[String], text: &str) -> bool {
        let mut nodes = one.nodes_for_capture_index(self.capture).peekable();
        let fits = |node: tree_sitter::Node<'_>| {
            let own = text.get(node.byte_range()).unwrap_or_default();
            self.texts(all).any(|wanted| wanted == own) == self.positive
        };
        match self.any && nodes.peek().is_some() {
            true => nodes.any(fits),
            false => nodes.all(fits),
        }
    }
}

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

/// Returns whether something in a query may be there several times or not at all.
pub(super) fn repeats(wording: &str) -> bool {
    tokens(wording).iter().any(|token| match token {
        Token::Word(range) => {
            let word = wording.get(range.clone()).unwrap_or_default();
            word.starts_with(['+', '*', '?'])
        }
        Token::Open(_) | Token::Text(_) => false,
    })
}

/// Returns how many things in a query may be there any number of times.
pub(super) fn repetitions(wording: &str) -> usize {
    let repeated = |token: &&Token| match token {
        Token::Word(range) => {
            let word = wording.get(range.clone()).unwrap_or_default();
            word.starts_with(['+', '*'])
        }
        Token::Open(_) | Token::Text(_) => false,
    };
    tokens(wording).iter().filter(repeated).count()
}

/// Returns where the name of a predicate begins and where its texts are, if `tokens` begin with
/// one that names nothing but texts.
fn predicate(wording: &str, tokens: &[Token]) -> Option<(usize, Vec<Range<usize>>)> {
    let [
        Token::Open(_),
        Token::Word(name),
        Token::Word(capture),
        rest @ ..,
    ] = tokens
    else {
        return None;
    };
    let word = |range: &Range<usize>| wording.get(range.clone());
    let many = match word(name)? {
        "#eq?" | "#not-eq?" | "#any-eq?" | "#any-not-eq?" => false,
        "#any-of?" | "#not-any-of?" => true,
        _ => return None,
    };
    let texts: Vec<Range<usize>> = rest
        .iter()
        .map_while(|token| match token {
            Token::Text(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    // An escape, a capture or a bare word among them ends the row of texts.
    let closed = matches!(rest.get(texts.len()), Some(Token::Word(end)) if word(end) == Some(")"));
    let enough = texts.len() == 1 || many && !texts.is_empty();
    let named = word(capture)?.starts_with('@');
    (closed && enough && named).then_some((name.start + 1, texts))
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
            Self::Word(range) => wording.get(range.clone()).unwrap_or_default(),
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
            _ => {
                let end = |char: char| char.is_whitespace() || "()[]{}\";".contains(char);
                rest.find(end).unwrap_or(rest.len()).max(first.len_utf8())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_compared_with_are_taken_out() {
        let check = |wording: &str, expected: Option<(&str, &[&str])>| {
            let shape = Shape::of(wording);
            let found = shape.as_ref().map(|shape| {
                let texts: Vec<&str> = shape.texts.iter().map(String::as_str).collect();
                (shape.wording.as_str(), texts)
            });
            let expected = expected.map(|(wording, texts)| (wording, texts.to_vec()));
            assert_eq!(found, expected, "{wording}");
        };
        check(
            r#"((a) @x (#eq? @x "b c"))"#,
            Some((r#"((a) @x (#own-eq? @x "0"))"#, &["b c"])),
        );
        check(
            "((a \"(\") @x ; (#eq? @x \"c\")\n (#not-any-of? @x \"\" \"é\") (#any-not-eq?\n@x \"0\"))",
            Some((
                "((a \"(\") @x ; (#eq? @x \"c\")\n (#own-not-any-of? @x \"0\" \"1\") (#own-any-not-eq?\n@x \"2\"))",
                &["", "é", "0"],
            )),
        );
        for other in [
            r#"((a) @x (#eq? @x @y))"#,
            r#"((a) @x (#eq? @x b))"#,
            r#"((a) @x (#eq? @x "\n"))"#,
            r#"((a) @x (#eq? @x "b" "c"))"#,
            r#"((a) @x (#eq? "b" @x))"#,
            r#"((a) @x (#eq? @x "b)"#,
            r#"((a) @x (#eq? @x "b""#,
            r#"((a) @x (#any-of? @x))"#,
            r#"((a) @x (#any-of? @x "b" @y))"#,
            r#"((a) @x (#match? @x "b"))"#,
            r#"((a) @x (#own-eq? @x "0") (#eq? @x "b"))"#,
            "((a) @x (#eq? @x \"b\nc\"))",
            "(a) @x",
            "",
        ] {
            check(other, None);
        }
    }
}
