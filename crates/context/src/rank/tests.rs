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
        "\u{1}c2 c1\nreticulate splines\n\u{2}\nsrc/http/server.rs\n\u{1}c1 c0\nx\n\u{2}\nsrc/lexer.rs\nsrc/parser.rs\n",
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
fn a_request_that_names_nothing_is_about_what_the_user_modified() {
    let index = workspace();
    let modified = ["src/lexer.rs".to_owned(), "src/http/server.rs".to_owned()];
    let asks = std::cell::Cell::new(0);
    let ranked = |request: &str, diff: &str| -> Vec<String> {
        let diff = || {
            asks.set(asks.get() + 1);
            Some(diff.to_owned())
        };
        let work = Work {
            modified: &modified,
            diff: &diff,
        };
        let ranking = rank_at_work(&index, request, &work, &Weights::default(), 3);
        let files = ranking.files.into_iter();
        files.map(|ranked| ranked.path).collect()
    };
    let at_work = |request: &str| ranked(request, "");
    let begun = at_work("finish what I began");
    assert_eq!(begun[..2], modified);
    let of_folder = Work {
        modified: &["src/http/".to_owned()],
        diff: &|| None,
    };
    let ranking = rank_at_work(
        &index,
        "finish what I began",
        &of_folder,
        &Weights::default(),
        1,
    );
    assert_eq!(ranking.files[0].path, "src/http/server.rs");
    assert!(
        begun.contains(&"src/parser.rs".to_owned()),
        "changed with the first: {begun:?}"
    );
    let with_words = ranked("finish what I began", "+    let header = parse_header();\n");
    assert_eq!(with_words[..2], modified);
    assert_eq!(with_words[2], "src/parser.rs", "{with_words:?}");
    assert_eq!(asks.get(), 2);
    assert_eq!(at_work("thanks, that is great"), [""; 0]);
    // What is named comes first all the same.
    assert_eq!(
        at_work("parse_header in src/parser.rs fails")[0],
        "src/parser.rs"
    );
    assert_eq!(asks.get(), 2, "what names something is about that alone");
}

#[test]
fn commits_of_most_of_the_tree_bring_nothing() {
    let files: Vec<(String, String)> = (0..12)
        .map(|at| (format!("src/f{at}.rs"), format!("fn word{at}() {{}}\n")))
        .collect();
    let texts: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let all: String = files.iter().map(|(path, _)| format!("{path}\n")).collect();
    let log = format!(
        "\u{1}c2 c1\nformat word3\n\u{2}\n{all}\u{1}c1\nword3\n\u{2}\nsrc/f3.rs\nsrc/f4.rs\n"
    );
    assert_eq!(paths(&index(&texts, &log), "word3 is slow"), ["src/f3.rs"]);
}

#[test]
fn a_word_that_is_defined_is_enough() {
    let index = index(
        &[
            ("Cargo.toml", "[package]\nname = \"w\"\n"),
            ("notes.md", "# Title\n\nText.\n"),
            ("src/main.rs", "fn twice(x: i32) -> i32 {\n    x * 2\n}\n"),
        ],
        "",
    );
    assert_eq!(paths(&index, "where is twice computed"), ["src/main.rs"]);
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
