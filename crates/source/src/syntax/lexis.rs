//! Delimiters of comments and strings.
//!
//! In: a language's delimiters and a text. Out: the [`Region`]s that are comments or strings,
//! found in one pass without a grammar, so that a matcher can step over them in any text.

use std::ops::Range;

use crate::text::Slice;

/// The delimiters of a language.
#[derive(Clone, Copy, Debug)]
pub struct Lexis {
    /// What begins a comment to the end of the line.
    pub line_comments: &'static [&'static str],
    /// What begins and ends other comments.
    pub block_comments: &'static [(&'static str, &'static str)],
    /// True if block comments nest.
    pub nested: bool,
    /// How strings are written; longer delimiters stand before their beginnings.
    pub strings: &'static [Quoting],
    /// True if line comments and strings begin only where a word could.
    pub at_words: bool,
}

/// A way to write a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// The same delimiter on both sides; `\` escapes.
    Escaped(&'static str),
    /// The same over several lines.
    Multiline(&'static str),
    /// The same delimiter on both sides, nothing escapes, any number of lines.
    Literal(&'static str),
    /// `r"..."`, `r#"..."#` and so on.
    RustRaw,
    /// `'c'`, told from a lifetime and from `1'000`.
    Char,
    /// `R"x(...)x"`.
    CppRaw,
}

/// A stretch of text that is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Its bytes, delimiters included.
    pub range: Range<usize>,
    /// False if the text or the line ends before it does.
    pub closed: bool,
}

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// A comment.
    Comment,
    /// A string or character.
    String,
}

impl Lexis {
    /// Returns the comments and strings of `text` in order.
    pub fn regions(&self, text: &str) -> Vec<Region> {
        let mut regions = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match self.region_at(text, at) {
                Some(region) => {
                    at = region.range.end.max(at + 1);
                    regions.push(region);
                }
                None => at += 1,
            }
        }
        regions
    }

    /// Returns the comment or string that begins at byte `at`.
    pub fn region_at(&self, text: &str, at: usize) -> Option<Region> {
        let rest = text.get(at..)?;
        // Most bytes begin nothing.
        if rest
            .bytes()
            .next()
            .is_some_and(|byte| byte == b' ' || byte == b'_')
        {
            return None;
        }
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let word = before.is_none_or(|c| c.is_whitespace() || "[{(,:=;|&".contains(c));
        if self.at_words && !word {
            return None;
        }
        self.comment(rest)
            .map(|(length, closed)| (RegionKind::Comment, length, closed))
            .or_else(|| {
                let (length, closed) = self
                    .strings
                    .iter()
                    .find_map(|quoting| quoting.length(rest, before))?;
                Some((RegionKind::String, length, closed))
            })
            .map(|(kind, length, closed)| Region {
                kind,
                range: at..at + length,
                closed,
            })
    }

    fn comment(&self, rest: &str) -> Option<(usize, bool)> {
        if let Some((open, close)) = self
            .block_comments
            .iter()
            .find(|pair| rest.starts_with(pair.0))
        {
            return Some(block(rest, open, close, self.nested));
        }
        self.line_comments
            .iter()
            .find(|open| rest.starts_with(**open))?;
        Some((line_length(rest), true))
    }
}

fn block(rest: &str, open: &str, close: &str, nested: bool) -> (usize, bool) {
    let (mut at, mut depth) = (open.len(), 1_usize);
    let bytes = rest.as_bytes();
    while at < bytes.len() {
        let here = bytes.slice(at..);
        if here.starts_with(close.as_bytes()) {
            at += close.len();
            depth -= 1;
            if depth == 0 {
                return (at, true);
            }
        } else if nested && here.starts_with(open.as_bytes()) {
            at += open.len();
            depth += 1;
        } else {
            at += 1;
        }
    }
    (rest.len(), false)
}

fn line_length(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

impl Quoting {
    /// Returns the length of the string that `rest` begins with, and whether it is closed.
    fn length(self, rest: &str, before: Option<char>) -> Option<(usize, bool)> {
        match self {
            Self::Escaped(quote) => quoted(rest, quote, true, false),
            Self::Multiline(quote) => quoted(rest, quote, true, true),
            Self::Literal(quote) => quoted(rest, quote, false, true),
            Self::RustRaw => {
                let inner = before.is_some_and(|c| c.is_alphanumeric() && c != 'b' && c != 'c');
                let body = rest.strip_prefix('r').filter(|_| !inner)?;
                let hashes = body.bytes().take_while(|byte| *byte == b'#').count();
                body.get(hashes..)?.strip_prefix('"')?;
                let close = format!("\"{}", "#".repeat(hashes));
                Some(until(rest, 2 + hashes, &close))
            }
            Self::Char => {
                let body = rest.strip_prefix('\'')?;
                if body.starts_with('\\') {
                    return quoted(rest, "'", true, false);
                }
                let mut chars = body.char_indices().skip(1);
                let (end, close) = chars.next()?;
                (close == '\'').then_some((end + 2, true))
            }
            Self::CppRaw => {
                let body = rest.strip_prefix("R\"")?;
                let (delimiter, _) = body.split_once('(').filter(|(name, _)| name.len() <= 16)?;
                Some(until(rest, 3 + delimiter.len(), &format!("){delimiter}\"")))
            }
        }
    }
}

fn until(rest: &str, from: usize, close: &str) -> (usize, bool) {
    match rest.get(from..).and_then(|body| body.find(close)) {
        Some(found) => (from + found + close.len(), true),
        None => (rest.len(), false),
    }
}

fn quoted(rest: &str, quote: &str, escapes: bool, multiline: bool) -> Option<(usize, bool)> {
    rest.strip_prefix(quote)?;
    let bytes = rest.as_bytes();
    let mut at = quote.len();
    while let Some(byte) = bytes.get(at) {
        if escapes && *byte == b'\\' {
            at += 2;
        } else if bytes
            .get(at..)
            .unwrap_or_default()
            .starts_with(quote.as_bytes())
        {
            return Some((at + quote.len(), true));
        } else if !multiline && *byte == b'\n' {
            return Some((at, false));
        } else {
            at += 1;
        }
    }
    Some((rest.len(), false))
}

#[cfg(test)]
mod tests {
    use crate::syntax::Language;

    fn check(language: Language, text: &str, expected: &[&str]) {
        let regions = language.lexis().regions(text);
        let found: Vec<&str> = regions
            .iter()
            .map(|region| &text[region.range.clone()])
            .collect();
        assert_eq!(found, expected, "{language:?} {text}");
    }

    #[test]
    fn comments_and_strings_are_found() {
        check(
            Language::Rust,
            "let s = \"a // \\\" b\"; /* x /* y */ z */ r#\"\"q\"\"# // end\nlet c: &'a u8 = b'\\'';",
            &[
                "\"a // \\\" b\"",
                "/* x /* y */ z */",
                "r#\"\"q\"\"#",
                "// end",
                "'\\''",
            ],
        );
        check(
            Language::Python,
            "a = '''x\n'y''' # c\nb = 'é'",
            &["'''x\n'y'''", "# c", "'é'"],
        );
        check(
            Language::Bash,
            "echo ${x#y} $# # c\n'a\\' \"b\"",
            &["# c", "'a\\'", "\"b\""],
        );
        check(Language::Yaml, "a: don't # c\nb: 'it''s'", &["# c", "'it'"]);
        check(
            Language::Cpp,
            "auto s = R\"x(a)\" )x\"; // c",
            &["R\"x(a)\" )x\"", "// c"],
        );
        check(
            Language::Css,
            "a { b: \"}\" } /* } */",
            &["\"}\"", "/* } */"],
        );
    }

    #[test]
    fn what_is_not_closed_says_so() {
        let open = |language: Language, text: &str| {
            language
                .lexis()
                .regions(text)
                .last()
                .is_some_and(|region| !region.closed)
        };
        assert!(open(Language::Rust, "/* a"));
        assert!(open(Language::Css, "a: 'b\n"));
        assert!(open(Language::Go, "`a\n"));
        assert!(!open(Language::Go, "`a\n`"));
    }
}
