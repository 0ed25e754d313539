//! Tests of the ranking: each signal finds what it is there for.

use super::*;
use crate::history::History;

fn index(files: &[(&str, &str)], log: &str) -> Index {
    let files = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    Index::of_texts(files, History::parse(log))
}

fn ranked(index: &Index, request: &str) -> Vec<Ranked> {
    rank(index, request, &Weights::default(), 10)
}

fn paths(index: &Index, request: &str) -> Vec<String> {
    ranked(index, request)
        .into_iter()
        .map(|ranked| ranked.path)
        .collect()
}

fn workspace() -> Index {
    index(
        &[
            ("src/lexer.rs", "pub fn next_token() {}\n"),
            (
                "src/parser.rs",
                "use crate::lexer;\nfn parse_header() { next_token(); }\n",
            ),
            ("src/http/server.rs", "fn listen() { let socket = 1; }\n"),
            ("tests/parser.rs", "fn works() {}\n"),
            ("README.md", "# About the socket\n\nsocket socket\n"),
        ],
        "\u{1}c2\nreticulate splines\n\u{2}\nsrc/http/server.rs\n\u{1}c1\nx\n\u{2}\nsrc/lexer.rs\nsrc/parser.rs\n",
    )
}

#[test]
fn each_signal_finds_its_file() {
    let index = workspace();
    for (request, first, reason) in [
        (
            "where is parse_header",
            "src/parser.rs",
            "defines `parse_header`",
        ),
        (
            "parseHeader is slow",
            "src/parser.rs",
            "defines `parseHeader`",
        ),
        (
            "look at src/http/server.rs",
            "src/http/server.rs",
            "`src/http/server.rs` is named in the request",
        ),
        (
            "server.rs:1 is broken",
            "src/http/server.rs",
            "`server.rs` is named in the request",
        ),
        (
            "the lexing of tokens",
            "src/lexer.rs",
            "path has \"lexing\"",
        ),
        (
            "sockets that listen",
            "src/http/server.rs",
            "defines `listen`",
        ),
    ] {
        let ranked = ranked(&index, request);
        assert_eq!(ranked[0].path, first, "{request}: {ranked:?}");
        assert!(
            ranked[0].reasons.iter().any(|known| known == reason),
            "{request}: {ranked:?}"
        );
    }
}

#[test]
fn the_first_finds_bring_others() {
    let found = ranked(&workspace(), "parse_header fails");
    let reasons = |path: &str| {
        found
            .iter()
            .find(|ranked| ranked.path == path)
            .map(|ranked| ranked.reasons.join("; "))
    };
    assert_eq!(found[0].path, "src/parser.rs");
    assert!(
        reasons("tests/parser.rs")
            .unwrap()
            .contains("tests `src/parser.rs`"),
        "{found:?}"
    );
    let lexer = reasons("src/lexer.rs").unwrap();
    assert!(
        lexer.contains("changed with `src/parser.rs` in 1 commit"),
        "{found:?}"
    );
}

#[test]
fn requests_that_name_nothing_have_no_files() {
    let index = workspace();
    for request in [
        "hi",
        "hello there",
        "thanks!",
        "",
        "?",
        "tell me a joke",
        "fix the bug",
        "it works now, please use it",
        "what is the capital of France?",
        "\u{0}",
    ] {
        assert_eq!(paths(&index, request), [""; 0], "{request}");
    }
}

#[test]
fn prose_comes_after_source() {
    let found = paths(&workspace(), "the socket of the server");
    assert_eq!(found, ["src/http/server.rs", "README.md"]);
}

#[test]
fn an_empty_workspace_has_nothing() {
    assert_eq!(paths(&index(&[], ""), "parse_header in src/a.rs"), [""; 0]);
}
