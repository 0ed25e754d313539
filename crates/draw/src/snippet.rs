//! Colours of code in what a model says.
//!
//! In: a finished block of code and its language. Out: the tokens of its lines. The work is done on a thread of its own;
//! until then, and where a language is not known, code is plain.

use signoff_source::syntax::Language;
use signoff_source::syntax::tokens::{Token, tokens};

/// Longer code stays plain: 64 KiB are 1,500 lines, which take 20 ms.
const LONGEST: usize = 64 * 1024;

/// A block of code in a cell of the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub(crate) cell: usize,
    /// Where the block is in the cell's text.
    pub(crate) start: usize,
    language: Language,
    code: String,
}

/// The tokens of each line of a snippet, in bytes of the line.
#[derive(Debug)]
pub struct SnippetColours {
    /// The cell.
    pub cell: usize,
    /// Where the block is in the cell's text, in bytes.
    pub start: usize,
    /// The tokens, line by line.
    pub lines: Vec<Vec<Token>>,
}

impl Snippet {
    /// Returns a block of code whose colours can be found.
    pub fn new(cell: usize, start: usize, info: &str, code: String) -> Option<Self> {
        let is_short = code.len() <= LONGEST;
        let language = language(info).filter(|_| is_short)?;
        Some(Self {
            cell,
            start,
            language,
            code,
        })
    }

    /// Returns true if colours of so many bytes of code can be found, given what stands behind its fence.
    pub fn is_colourable(info: &str, bytes: usize) -> bool {
        bytes <= LONGEST && language(info).is_some()
    }

    /// Finds the colours.
    pub fn colours(&self) -> SnippetColours {
        let parsed = self.language.parse(&self.code);
        let all = parsed.map(|parsed| {
            let whole = 0..self.code.len();
            tokens(self.language, &parsed, std::slice::from_ref(&whole))
        });
        SnippetColours {
            cell: self.cell,
            start: self.start,
            lines: by_line(&self.code, &all.unwrap_or_default()),
        }
    }
}

/// Returns the language that is named behind a fence.
fn language(info: &str) -> Option<Language> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    let name = info.split(|c| !is_name(c)).next()?;
    Language::named(name)
}

/// Returns the parts of tokens that are on each line.
fn by_line(code: &str, tokens: &[Token]) -> Vec<Vec<Token>> {
    let mut start = 0;
    let mut first = 0;
    let mut lines = Vec::new();
    for line in code.split_inclusive('\n') {
        let end = start + line.len();
        let ended = |token: &&Token| token.at.end <= start;
        first += tokens.iter().skip(first).take_while(ended).count();
        let here = tokens
            .iter()
            .skip(first)
            .take_while(|token| token.at.start < end);
        let cut = here.map(|token| Token {
            at: token.at.start.max(start) - start..token.at.end.min(end) - start,
            kind: token.kind,
        });
        lines.push(cut.collect());
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use signoff_source::syntax::tokens::TokenKind;

    #[test]
    fn lines_have_their_parts_of_tokens() {
        let code = "let a = 1;\n/* one\ntwo */\n";
        let snippet = Snippet::new(0, 0, "rust,ignore", code.to_owned()).unwrap();
        let lines = snippet.colours().lines;
        let comments: Vec<_> = lines
            .iter()
            .map(|line| {
                line.iter()
                    .filter(|token| token.kind == TokenKind::Comment)
                    .count()
            })
            .collect();
        assert_eq!(comments, [0, 1, 1]);
        assert_eq!(lines[0].first().map(|token| token.at.clone()), Some(0..3));
        assert_eq!(Snippet::new(0, 0, "brainfog", String::new()), None);
        assert_eq!(Snippet::new(0, 0, "rust", "x".repeat(LONGEST + 1)), None);
    }
}
