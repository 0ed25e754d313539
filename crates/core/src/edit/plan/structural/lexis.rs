//! Strings and comments of languages without a grammar.
//!
//! In: a text and the name of its file or language. Out: its strings and comments. One table;
//! a name that is not in it has neither.

use super::units::Span;
use crate::disk::workspace::WorkspacePath;
use crate::text::Slice;

/// How strings and comments of some languages are written.
struct Lexis {
    names: &'static [&'static str],
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
    /// Delimiter, whether a backslash escapes, whether it spans lines.
    quotes: &'static [(&'static str, bool, bool)],
}

const TABLE: &[Lexis] = &[
    Lexis {
        names: &[
            "go", "java", "c", "h", "cc", "cpp", "hpp", "cxx", "cs", "kt", "kts", "swift", "scala",
            "php", "dart", "proto", "zig", "groovy", "gradle", "sol", "jsonc", "json5", "scss",
            "less",
        ],
        line: &["//"],
        block: &[("/*", "*/")],
        quotes: &[
            ("\"\"\"", false, true),
            ("\"", true, false),
            ("'", true, false),
            ("`", false, true),
        ],
    },
    Lexis {
        names: &["css"],
        line: &[],
        block: &[("/*", "*/")],
        quotes: &[("\"", true, false), ("'", true, false)],
    },
    Lexis {
        names: &[
            "sh",
            "bash",
            "zsh",
            "fish",
            "rb",
            "ruby",
            "pl",
            "r",
            "yaml",
            "yml",
            "toml",
            "mk",
            "ex",
            "exs",
            "jl",
            "nim",
            "tf",
            "hcl",
            "conf",
            "cmake",
            "ps1",
            "graphql",
            "dockerfile",
            "makefile",
        ],
        line: &["#"],
        block: &[],
        quotes: &[("\"", true, true), ("'", false, true)],
    },
    Lexis {
        names: &["sql", "lua", "hs", "elm"],
        line: &["--"],
        block: &[("--[[", "]]"), ("{-", "-}"), ("/*", "*/")],
        quotes: &[("\"", true, false), ("'", true, false)],
    },
    Lexis {
        names: &["json"],
        line: &[],
        block: &[],
        quotes: &[("\"", true, false)],
    },
    Lexis {
        names: &["html", "xml", "svg", "vue", "svelte"],
        line: &[],
        block: &[("<!--", "-->")],
        quotes: &[],
    },
    Lexis {
        names: &["lisp", "clj", "el", "scm", "ini"],
        line: &[";"],
        block: &[],
        quotes: &[("\"", true, true)],
    },
];

/// Returns the strings and comments of `text`, in order.
pub(super) fn quoted(text: &str, path: &WorkspacePath, language: Option<&str>) -> Vec<Span> {
    let name = match language {
        Some(name) => name.to_ascii_lowercase(),
        None => path.extension().unwrap_or_default(),
    };
    let Some(lexis) = TABLE
        .iter()
        .find(|lexis| lexis.names.contains(&name.as_str()))
    else {
        return Vec::new();
    };
    let mut spans = Vec::new();
    let mut at = 0;
    // Delimiters that are known not to come again.
    let mut gone: Vec<&str> = Vec::new();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, comment) = lexis.unit(rest, &mut gone);
        if length == 0 {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        spans.push(Span {
            range: at..at + length,
            comment,
        });
        at += length;
    }
    spans
}

impl Lexis {
    /// Returns the length of the string or comment that `rest` begins with, or 0.
    fn unit(&self, rest: &str, gone: &mut Vec<&'static str>) -> (usize, bool) {
        for (open, close) in self.block {
            if let Some(body) = rest.strip_prefix(open).filter(|_| !gone.contains(close)) {
                match body.find(close) {
                    Some(end) => return (open.len() + end + close.len(), true),
                    None => gone.push(close),
                }
            }
        }
        if self.line.iter().any(|line| rest.starts_with(line)) {
            let end = rest.find('\n').unwrap_or(rest.len());
            return (rest.slice(..end).trim_end().len(), true);
        }
        for (quote, escapes, tall) in self.quotes {
            if let Some(body) = rest.strip_prefix(quote).filter(|_| !gone.contains(quote)) {
                match closing(body, quote, *escapes, *tall) {
                    Some(end) => return (quote.len() + end + quote.len(), false),
                    None if *tall => gone.push(quote),
                    None => {}
                }
            }
        }
        (0, false)
    }
}

fn closing(body: &str, quote: &str, escapes: bool, tall: bool) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'\\' if escapes => at += 2,
            b'\n' if !tall => return None,
            _ if bytes.get(at..)?.starts_with(quote.as_bytes()) => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_table_knows_strings_and_comments() {
        let check = |name: &str, text: &str, expected: &[&str]| {
            let path = WorkspacePath::parse(name, Path::new("/w")).unwrap();
            let spans = quoted(text, &path, None);
            let got: Vec<&str> = spans.into_iter().map(|span| &text[span.range]).collect();
            assert_eq!(got, expected, "{text:?}");
        };
        check(
            "a.go",
            "a // b \"c\"\n\"d\\\"e\" /* 'f' */",
            &["// b \"c\"", "\"d\\\"e\"", "/* 'f' */"],
        );
        check("a.txt", "don't \"x\"", &[]);
        check("a.rb", "a # b\n'c'", &["# b", "'c'"]);
        check("a.sql", "-- it's\nx 'y'", &["-- it's", "'y'"]);
        check("a.go", "/* open \"x\"", &["\"x\""]);
    }
}
