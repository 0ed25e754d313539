//! Words of a prompt line.
//!
//! In: text. Out: [`PromptWord`]s, quoted or bare, each with its place, so that what lies between
//! two of them can be taken as it was written.

use std::ops::Range;

/// One word, or one quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptWord {
    /// Without quotes, and with escapes decoded where the quotes are not backticks.
    pub(super) text: String,
    pub(super) quoted: bool,
    /// Where it is, quotes included.
    place: Range<usize>,
}

/// A text and its words.
#[derive(Clone, Debug)]
pub(super) struct PromptLine<'a> {
    text: &'a str,
    words: Vec<PromptWord>,
}

impl<'a> PromptLine<'a> {
    /// Reads `text`.
    pub(super) fn new(text: &'a str) -> Self {
        let mut unclosed = Vec::new();
        let mut words = Vec::new();
        let mut at = 0;
        while let Some(rest) = text.get(at..) {
            let blank = rest.len() - rest.trim_start().len();
            let Some(word) = next_word(rest.trim_start(), &mut unclosed) else {
                break;
            };
            let from = at + blank;
            at = from + word.place.end;
            words.push(PromptWord {
                place: from..at,
                ..word
            });
        }
        Self { text, words }
    }

    /// Returns the words.
    pub(super) fn words(&self) -> &[PromptWord] {
        &self.words
    }

    /// Returns what `words` say: the quoted text if it is one, else all as it was written.
    pub(super) fn said(&self, words: &[PromptWord]) -> Option<String> {
        match words {
            [] => None,
            [one] => Some(one.text.clone()),
            [first, .., last] => Some(self.text.get(first.place.start..last.place.end)?.to_owned()),
        }
    }
}

impl PromptWord {
    /// Tells whether this is one of the given words, bare and in any case.
    pub(super) fn is(&self, any: &[&str]) -> bool {
        !self.quoted && any.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// Returns the word that `text` begins with, its place counted from there.
fn next_word(text: &str, unclosed: &mut Vec<char>) -> Option<PromptWord> {
    let first = text.chars().next()?;
    if let Some(close) = closing(first)
        && !unclosed.contains(&close)
    {
        match quoted(text, first, close) {
            Some(word) => return Some(word),
            // Not looked for again, so that the time stays linear.
            None => unclosed.push(close),
        }
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let word = text.get(..end)?.to_owned();
    Some(PromptWord {
        text: word,
        quoted: false,
        place: 0..end,
    })
}

fn closing(open: char) -> Option<char> {
    match open {
        '"' | '\'' | '`' => Some(open),
        '“' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    }
}

fn quoted(text: &str, open: char, close: char) -> Option<PromptWord> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == close => {
                let place = 0..at + c.len_utf8();
                return Some(PromptWord {
                    text: inner,
                    quoted: true,
                    place,
                });
            }
            '\\' if open != '`' => match chars.next()?.1 {
                'n' => inner.push('\n'),
                't' => inner.push('\t'),
                next if next == close || next == '\\' => inner.push(next),
                next => inner.extend(['\\', next]),
            },
            _ => inner.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let words: Vec<String> = PromptLine::new(text)
            .words
            .into_iter()
            .map(|word| {
                if word.quoted {
                    format!("<{}>", word.text)
                } else {
                    word.text
                }
            })
            .collect();
        assert_eq!(words, expected, "{text}");
    }

    #[test]
    fn words_are_bare_or_quoted() {
        check("  a\tb\n c ", &["a", "b", "c"]);
        check(
            r#""a b" 'c d' `e f` “g h” ‘i j’"#,
            &["<a b>", "<c d>", "<e f>", "<g h>", "<i j>"],
        );
        check(r#""a\"b\\c\nd\te\w""#, &["<a\"b\\c\nd\te\\w>"]);
        check(r"`a\n`", &[r"<a\n>"]);
        check("don't won't", &["don't", "won't"]);
        check(r#""open end"#, &["\"open", "end"]);
        check(r#""" ''"#, &["<>", "<>"]);
        check(r#""a"."#, &["<a>", "."]);
        check("é🦀 ü", &["é🦀", "ü"]);
        check("", &[]);
    }

    #[test]
    fn what_lies_between_is_as_it_was_written() {
        let line = PromptLine::new(r#"add { A,  b } from "./ui" to x"#);
        assert_eq!(
            line.said(&line.words()[1..7]).unwrap(),
            r#"{ A,  b } from "./ui""#
        );
        assert_eq!(line.said(&line.words()[6..7]).unwrap(), "./ui");
        assert_eq!(line.said(&[]), None);
    }

    #[test]
    fn many_open_quotes_take_no_time() {
        assert_eq!(PromptLine::new(&"“a ".repeat(100_000)).words.len(), 100_000);
    }
}
