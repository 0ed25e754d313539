//! Requests as people type them, and how the planner reads them.

use proptest::prelude::*;

use super::*;

fn rename(from: &str, to: &str, place: Option<&str>) -> Request {
    let place = place.map(str::to_owned);
    Request::Rename {
        from: from.to_owned(),
        to: to.to_owned(),
        place,
    }
}

fn replace(old: &str, new: &str, file: &str) -> Request {
    Request::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
        file: file.to_owned(),
    }
}

fn import(import: &str, file: &str) -> Request {
    Request::AddImport {
        import: import.to_owned(),
        file: file.to_owned(),
    }
}

fn headings(file: &str) -> Request {
    Request::RemoveHeadings {
        file: file.to_owned(),
    }
}

fn delete(name: &str, file: Option<&str>) -> Request {
    Request::DeleteFunction {
        name: name.to_owned(),
        file: file.map(str::to_owned),
    }
}

#[track_caller]
fn check(cases: &[(&str, Request)]) {
    for (text, expected) in cases {
        assert_eq!(parse(text), *expected, "{text}");
    }
}

#[test]
fn renames() {
    check(&[
        ("rename foo to bar", rename("foo", "bar", None)),
        ("Rename `foo` to \"bar\".", rename("foo", "bar", None)),
        (
            "please RENAME the function foo() to bar() in src/a.rs.",
            rename("foo", "bar", Some("src/a.rs")),
        ),
        (
            "rename foo to bar in src/",
            rename("foo", "bar", Some("src/")),
        ),
        ("rename foo -> bar in .", rename("foo", "bar", Some("."))),
        (
            "rename foo to bar in @a.rs",
            rename("foo", "bar", Some("a.rs")),
        ),
        (
            "rename foo to bar in 'my file.py'",
            rename("foo", "bar", Some("my file.py")),
        ),
        ("rename foo to bar everywhere", rename("foo", "bar", None)),
        (
            "rename foo to bar in all files please",
            rename("foo", "bar", None),
        ),
        (
            "rename function to method",
            rename("function", "method", None),
        ),
        ("rename größe to $size_2", rename("größe", "$size_2", None)),
        (
            "could you rename foo\n  to bar?",
            rename("foo", "bar", None),
        ),
    ]);
}

#[test]
fn replacements() {
    check(&[
        (
            r#"replace "a b" with 'c d' in notes.md"#,
            replace("a b", "c d", "notes.md"),
        ),
        (
            "replace colour with color in README.md",
            replace("colour", "color", "README.md"),
        ),
        (
            "replace old words with new words in a.txt",
            replace("old words", "new words", "a.txt"),
        ),
        (
            r#"Replace all "x" by "" in a.txt"#,
            replace("x", "", "a.txt"),
        ),
        (
            "replace `a with b` with `c in d` in a.txt",
            replace("a with b", "c in d", "a.txt"),
        ),
        (
            r#"replace "a\n" with "\"b\"" in a.txt"#,
            replace("a\n", "\"b\"", "a.txt"),
        ),
        (
            r#"replace "a" with "b" in "my file.txt"."#,
            replace("a", "b", "my file.txt"),
        ),
    ]);
}

#[test]
fn imports() {
    let button = r#"import { Button } from "./ui""#;
    check(&[
        (
            r#"add import { Button } from "./ui" to src/App.tsx"#,
            import(button, "src/App.tsx"),
        ),
        (
            r#"add import import { Button } from "./ui" to src/App.tsx"#,
            import(button, "src/App.tsx"),
        ),
        (
            "add import use std::fs; to src/main.rs",
            import("use std::fs;", "src/main.rs"),
        ),
        (
            "add the import `std::fs` to src/main.rs",
            import("std::fs", "src/main.rs"),
        ),
        ("add import os to a.py", import("os", "a.py")),
        (
            "Add an import from pathlib import Path to a.py",
            import("from pathlib import Path", "a.py"),
        ),
        (
            "add import import * as fs from 'fs' in a.ts",
            import("import * as fs from 'fs'", "a.ts"),
        ),
        (
            r#"add import "./styles.css" to a.ts"#,
            import("./styles.css", "a.ts"),
        ),
    ]);
}

#[test]
fn headings_and_functions() {
    check(&[
        ("remove all headings from notes.md", headings("notes.md")),
        ("Delete headings in 'my notes.md'", headings("my notes.md")),
        (
            "remove all the markdown headings from notes.md!",
            headings("notes.md"),
        ),
        ("delete function old", delete("old", None)),
        (
            "remove the function old() from src/a.rs",
            delete("old", Some("src/a.rs")),
        ),
        (
            "delete fn `old` in src/a.rs",
            delete("old", Some("src/a.rs")),
        ),
    ]);
}

#[test]
fn help() {
    check(&[
        ("help", Request::Help),
        ("HELP!", Request::Unclear(None)),
        ("?", Request::Help),
        ("help me", Request::Help),
    ]);
}

#[test]
fn what_begins_like_a_request_is_told_what_it_lacks() {
    for text in [
        "rename",
        "rename foo",
        "rename foo to",
        "rename foo bar to baz",
        "rename foo to bar now or never",
        "rename foo to bar in x y",
        "rename a.b to c",
        "rename a to 1b",
        "rename a to a",
        "replace",
        "replace a with b",
        "replace a in b.txt",
        r#"replace "" with "b" in a.txt"#,
        "replace a with a in b.txt",
        "add a button",
        "add import os",
        "add import to a.py",
        "remove",
        "remove headings",
        "remove the bug",
        "delete function",
        "delete function a b",
        "delete function a::b",
    ] {
        assert!(
            matches!(parse(text), Request::Unclear(Some(_))),
            "{text}: {:?}",
            parse(text)
        );
    }
}

#[test]
fn everything_else_is_unclear() {
    for text in [
        "",
        "  \n",
        "hello",
        "fix the bug",
        "\"rename\" a to b",
        "please",
        "...",
    ] {
        assert_eq!(parse(text), Request::Unclear(None), "{text}");
    }
}

proptest! {
    #[test]
    fn quoted_texts_arrive_as_they_are(old in "[^`\\\\]{1,20}", new in "[^`\\\\]{0,20}") {
        prop_assume!(old != new);
        let text = format!("replace `{old}` with `{new}` in `{old}.txt`");
        prop_assert_eq!(parse(&text), replace(&old, &new, &format!("{old}.txt")));
    }

    #[test]
    fn no_text_is_too_odd(text in "(rename|replace|add import|delete|[a-z\"'` .]|to|with|in){0,30}|.*") {
        let _ = parse(&text);
    }
}
