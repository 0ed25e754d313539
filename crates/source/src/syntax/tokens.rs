//! Tokens: what the pieces of a text are, for their colours.
//!
//! In: a tree and ranges of its text. Out: the pieces in them that are more than plain text, in order and apart:
//!
//! ```text
//! let n = f("a");   ->   0..3 keyword   8..9 function   10..13 string
//! ```
//!
//! The queries are those of the grammars. Of two that capture a node the later one counts, and what is within a node
//! counts more than the node. Languages within others, as a script in a page, stay plain: their text may be any.

use std::cmp::Reverse;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use serde::Serialize;
use streaming_iterator::StreamingIterator;
use tree_sitter::{Query, QueryCursor, QueryCursorOptions, QueryCursorState};

use super::grammar::included;
use super::{Language, MATCH_LIMIT, Parsed};

/// Progress reports of a cursor, each of some hundred steps, after which a text stays as it is from there on. A screen
/// full of code makes fewer than ten.
const MAX_REPORTS: usize = 2_000;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Token {
    /// Where, in bytes.
    pub at: Range<usize>,
    /// What it is.
    pub kind: TokenKind,
}

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A comment.
    Comment,
    /// A string, or a character.
    String,
    /// A number, a truth value, or the name of a constant.
    Constant,
    /// A word of the language.
    Keyword,
    /// The name of a type.
    Type,
    /// The name of a function, a method or a macro where it is called or defined.
    Function,
    /// The name of a field, a key or a property.
    Property,
    /// The name of an element, an attribute or a lifetime; a heading.
    Tag,
}

/// A language's queries, compiled.
struct Colours {
    query: Query,
    /// For each capture of the query, what it means; none for what is plain, also within what is not.
    kinds: Vec<Option<TokenKind>>,
}

/// Returns the tokens of a text that begin or go on in one of `ranges`, which are in order and apart.
pub fn tokens(language: Language, parsed: &Parsed<'_>, ranges: &[Range<usize>]) -> Vec<Token> {
    let Some(colours) = colours(language) else {
        return Vec::new();
    };
    let mut captures: Vec<(Range<usize>, Option<TokenKind>)> = Vec::new();
    let mut reports = 0;
    let mut progress = |_: &QueryCursorState| {
        reports += 1;
        if reports > MAX_REPORTS {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    for range in ranges {
        cursor.set_byte_range(range.clone());
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let text = parsed.whole().as_bytes();
        let mut found = cursor.captures_with_options(&colours.query, parsed.root(), text, options);
        while let Some((one, index)) = found.next() {
            let Some(capture) = one.captures().get(*index) else {
                continue;
            };
            let own = capture.node.byte_range();
            let kind = colours.kinds.get(capture.index as usize);
            captures.push((own, kind.copied().flatten()));
        }
    }
    // Those of one node stay in the order of their patterns.
    captures.sort_by_key(|(at, _)| (at.start, Reverse(at.end)));
    flat(captures)
}

/// Compiles a language's queries, once: some take half a second in a build without optimisation.
fn colours(language: Language) -> Option<&'static Colours> {
    static ALL: [OnceLock<Option<Colours>>; Language::ALL.len()] =
        [const { OnceLock::new() }; Language::ALL.len()];
    let at = Language::ALL.iter().position(|own| *own == language)?;
    ALL.get(at)?.get_or_init(|| compile(language)).as_ref()
}

fn compile(language: Language) -> Option<Colours> {
    let included = included::of(language)?;
    let query = Query::new(&(included.grammar)(), &included.colours.concat());
    debug_assert!(query.is_ok(), "{}: {query:?}", language.name());
    let query = query.ok()?;
    let kinds = query.capture_names().iter().map(|name| kind(name));
    let kinds = kinds.collect();
    Some(Colours { query, kinds })
}

/// Returns what a capture means, by its name as grammars give it.
fn kind(name: &str) -> Option<TokenKind> {
    Some(match name {
        "string.special.key" => TokenKind::Property,
        "constructor" | "namespace" | "module" => TokenKind::Type,
        "function.builtin" | "function.macro" => TokenKind::Function,
        "variable.builtin" | "boolean" | "escape" => TokenKind::Constant,
        "text.title" | "label" => TokenKind::Tag,
        "text.literal" => TokenKind::String,
        "text.uri" | "text.reference" => TokenKind::Constant,
        "import" | "charset" | "media" | "keyframes" | "supports" => TokenKind::Keyword,
        _ => match name.split_once('.').map_or(name, |(first, _)| first) {
            "comment" => TokenKind::Comment,
            "string" => TokenKind::String,
            "number" | "constant" => TokenKind::Constant,
            "keyword" => TokenKind::Keyword,
            "type" => TokenKind::Type,
            "function" => TokenKind::Function,
            "property" => TokenKind::Property,
            "tag" | "attribute" => TokenKind::Tag,
            _ => return None,
        },
    })
}

/// Returns whether a later capture of a node says less of it: JSON's query tells keys, and then that they are strings,
/// Python's the methods that are called, and then that they are attributes.
fn says_less(later: Option<TokenKind>, earlier: Option<TokenKind>) -> bool {
    matches!(
        (earlier, later),
        (Some(TokenKind::Property), Some(TokenKind::String))
            | (Some(TokenKind::Function), Some(TokenKind::Property))
    )
}

/// Makes of captures within each other tokens one after the other. A node comes before what is in it.
fn flat(captures: Vec<(Range<usize>, Option<TokenKind>)>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut open: Vec<(Range<usize>, Option<TokenKind>)> = Vec::new();
    let mut at = 0;
    let mut go = |to: usize, kind: Option<TokenKind>| {
        if let Some(kind) = kind.filter(|_| at < to) {
            tokens.push(Token { at: at..to, kind });
        }
        at = at.max(to);
    };
    for (own, kind) in captures {
        while let Some((outer, kind)) = open.pop_if(|(outer, _)| outer.end <= own.start) {
            go(outer.end, kind);
        }
        match open.last_mut() {
            Some((outer, earlier)) if *outer == own => {
                if !says_less(kind, *earlier) {
                    *earlier = kind;
                }
            }
            last => {
                go(own.start, last.and_then(|(_, kind)| *kind));
                open.push((own, kind));
            }
        }
    }
    while let Some((outer, kind)) = open.pop() {
        go(outer.end, kind);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each token of a text with the first letters of what it is.
    fn told(language: Language, text: &str, ranges: &[Range<usize>]) -> Vec<String> {
        let parsed = language.parse(text).unwrap();
        let tokens = tokens(language, &parsed, ranges).into_iter();
        let each = tokens.map(|token| format!("{} {:?}", &text[token.at], token.kind));
        each.collect()
    }

    fn all(language: Language, text: &str) -> Vec<String> {
        told(language, text, std::slice::from_ref(&(0..text.len())))
    }

    #[test]
    fn pieces_are_told_apart() {
        assert_eq!(
            all(Language::Rust, "let n = f(\"a\\n\", 1); // b\n"),
            [
                "let Keyword",
                "f Function",
                "\"a String",
                "\\n Constant",
                "\" String",
                "1 Constant",
                "// b Comment"
            ]
        );
        assert_eq!(
            all(Language::Json, "{\"a\": [1, true, \"b\"]}"),
            [
                "\"a\" Property",
                "1 Constant",
                "true Constant",
                "\"b\" String"
            ]
        );
        #[cfg(feature = "extra-grammars")]
        assert_eq!(
            all(Language::Html, "<p class=\"a\">text</p>"),
            ["p Tag", "class Tag", "a String", "p Tag"]
        );
    }

    #[test]
    fn what_is_within_a_string_is_not_the_string() {
        assert_eq!(
            all(Language::Python, "x = f'a {n} b'\n"),
            ["f'a  String", " b' String"]
        );
        assert_eq!(
            all(Language::Python, "a.b(c.d)\n"),
            ["b Function", "d Property"]
        );
    }

    #[test]
    fn only_what_is_asked_for_is_looked_at() {
        let text = "// a\nlet b = 1;\n/* c\nd */\n";
        let second = text.find("let").unwrap();
        let second = second..second + 11;
        assert_eq!(
            told(Language::Rust, text, std::slice::from_ref(&second)),
            ["let Keyword", "1 Constant"]
        );
        // What goes on in a range is told whole.
        let inside = text.find("d */").unwrap();
        let inside = inside..inside + 1;
        assert_eq!(
            told(Language::Rust, text, std::slice::from_ref(&inside)),
            ["/* c\nd */ Comment"]
        );
        assert_eq!(told(Language::Rust, text, &[]), [""; 0]);
    }

    #[test]
    fn every_language_has_queries_that_fit_its_grammar() {
        for (language, text) in [
            (Language::Rust, "fn a() -> B { c.d }"),
            (Language::TypeScript, "const a: B = c();"),
            (Language::Tsx, "const a: B = <p>c</p>;"),
            (Language::JavaScript, "const a = <p b=\"c\"/>;"),
            (Language::Python, "def a(b: int): return None"),
            (Language::Go, "package a\nfunc b() string { return \"c\" }"),
            (Language::Json, "[1]"),
            (Language::Css, "p { color: red; }"),
            (Language::Html, "<p></p>"),
            (Language::Markdown, "# a\n\ntext\n"),
            (Language::Toml, "a = \"b\""),
            (Language::Yaml, "a: \"b\""),
            (Language::Bash, "if true; then echo \"$a\"; fi"),
            (Language::C, "int a(void) { return 1; }"),
            (Language::Cpp, "class A { int b = 1; };"),
            (Language::Java, "class A { int b = 1; }"),
        ] {
            let included = Language::ALL.contains(&language);
            assert!(!included || !all(language, text).is_empty(), "{language:?}");
        }
        let expected = if cfg!(feature = "extra-grammars") {
            16
        } else {
            11
        };
        assert_eq!(Language::ALL.len(), expected);
    }
}
