//! Patterns with their replacements, before and after.

mod bodies;
mod macros;
mod metavariables;

use super::*;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::{Constraint, ConstraintTest, Request};

fn edit(path: &str, before: &str, pattern: &str, replacement: &str) -> Result<String, Outcome> {
    let request = StructRequest {
        pattern: pattern.into(),
        replacement: replacement.into(),
        language: None,
        constraints: Vec::new(),
    };
    run(path, before, Request::Struct(request))
}

/// Applies, compares, and applies again.
fn check(path: &str, before: &str, pattern: &str, replacement: &str, after: &str) {
    let once = edit(path, before, pattern, replacement);
    assert_eq!(once.as_deref(), Ok(after), "{pattern:?} in {before:?}");
    let twice = edit(path, after, pattern, replacement);
    assert_ne!(
        word(&twice),
        "applied",
        "{pattern:?} in {after:?}: {twice:?}"
    );
}

/// Applies and compares, where what is made cannot be told from what is to be made.
fn once(path: &str, before: &str, pattern: &str, replacement: &str, after: &str) {
    let result = edit(path, before, pattern, replacement);
    assert_eq!(result.as_deref(), Ok(after), "{pattern:?} in {before:?}");
}

fn not(path: &str, before: &str, pattern: &str, replacement: &str, expected: &str, part: &str) {
    let result = edit(path, before, pattern, replacement);
    assert_eq!(
        word(&result),
        expected,
        "{pattern:?} in {before:?}: {result:?}"
    );
    let words = format!("{result:?}");
    assert!(words.contains(part), "{words}");
}

#[test]
fn holes_take_as_little_as_possible_and_keep_what_is_balanced() {
    let c = |before: &str, pattern: &str, replacement: &str, after: &str| {
        check("a.go", before, pattern, replacement, after);
    };
    c(
        "foo(a, b)\n",
        "foo(:[x], :[y])",
        "bar(:[y], :[x])",
        "bar(b, a)\n",
    );
    c(
        "foo(g(1, 2), \"a, b\")\n",
        "foo(:[x], :[y])",
        "bar(:[y], :[x])",
        "bar(\"a, b\", g(1, 2))\n",
    );
    c(
        "foo(\n  a,\n)\n",
        "foo(:[x])",
        "bar(:[x])",
        "bar(\n  a,\n)\n",
    );
    c("foo(foo(1))\n", "foo(:[x])", "bar(:[x])", "bar(bar(1))\n");
    c(
        "myfoo(1) foo(2)\n",
        "foo(:[x])",
        "bar(:[x])",
        "myfoo(1) bar(2)\n",
    );
    c(
        "\"foo(1)\" /* foo(2) */ foo(3) // foo(4)\n",
        "foo(:[x])",
        "bar(:[x])",
        "\"foo(1)\" /* foo(2) */ bar(3) // foo(4)\n",
    );
    c("foo(\")\")\n", "foo(:[x])", "bar(:[x])", "bar(\")\")\n");
    c(
        "if a == b { c() }\n",
        "if :[x] == :[y] { ... }",
        "if :[y] != :[x] { ... }",
        "if b != a { c() }\n",
    );
    c(
        "a :=  1\n",
        ":[[x]] := :[y]",
        "var :[x] = :[y]",
        "var a = 1\n",
    );
    c(
        "x = old(1)\n",
        "old(:[n~[0-9]+])",
        "made(:[n])",
        "x = made(1)\n",
    );
    c(
        "f(a, b, c)\n",
        "f(:[a], ...)",
        "g(:[a], ...)",
        "g(a, b, c)\n",
    );
    c(
        "return a + 1 // c\n",
        "return :[x]",
        "defer :[x]",
        "defer a + 1 // c\n",
    );
    c(
        "x.Foo().Bar()\n",
        ":[x].Foo()",
        ":[x].Baz()",
        "x.Baz().Bar()\n",
    );
    c(
        "getFoo() getBar()\n",
        "get:[[n]]()",
        "fetch:[n]()",
        "fetchFoo() fetchBar()\n",
    );
    c(
        "log(\"hello world\")\n",
        "log(\"hello :[w]\")",
        "log(\"bye :[w]\")",
        "log(\"bye world\")\n",
    );
}

#[test]
fn names_that_occur_twice_stand_for_equal_text() {
    check(
        "a.go",
        "a == a; a == b\n",
        ":[[x]] == :[[x]]",
        "same(:[x])",
        "same(a); a == b\n",
    );
    check(
        "a.js",
        "f(x, x); f(x, y);\n",
        "f($A, $A)",
        "g($A)",
        "g(x); f(x, y);\n",
    );
}

#[test]
fn holes_stay_on_their_line_outside_brackets() {
    not(
        "a.go",
        "let a = b\n+ c;\n",
        "let :[x] = :[y];",
        "z",
        "not_found",
        "line 1",
    );
    check(
        "a.go",
        "begin\n  a\n  b\nend\n",
        "begin\n:[x]\nend",
        "start\n:[x]\nstop",
        "start\n  a\n  b\nstop\n",
    );
    check(
        "a.tsx",
        "x = <p>\n  a\n</p>;\n",
        "<p>:[x]</p>",
        "<b>:[x]</b>",
        "x = <b>\n  a\n</b>;\n",
    );
}

#[test]
fn operators_and_angle_brackets_are_whole() {
    not(
        "a.go",
        "a == b\n",
        ":[x]=:[y]",
        ":[x]!=:[y]",
        "not_found",
        "",
    );
    check(
        "a.rs",
        "type A = Vec<Vec<u8>>;\n",
        "Vec<:[t]>",
        "List<:[t]>",
        "type A = List<List<u8>>;\n",
    );
    check(
        "a.rs",
        "type A = Box<Vec<u8>>;\n",
        "Vec<:[t]>",
        "List<:[t]>",
        "type A = Box<List<u8>>;\n",
    );
}

#[test]
fn growing_replacements_are_made_once() {
    check(
        "a.go",
        "foo(a)\n",
        "foo(:[x])",
        "foo(:[x], ctx)",
        "foo(a, ctx)\n",
    );
    check(
        "a.js",
        "foo(a);\n",
        "foo($$$A)",
        "foo($$$A, ctx)",
        "foo(a, ctx);\n",
    );
    check(
        "a.js",
        "foo();\n",
        "foo($$$A)",
        "foo($$$A, ctx)",
        "foo(ctx);\n",
    );
    check(
        "a.go",
        "foo(a, nil)\n",
        "foo(:[x], nil)",
        "foo(:[x])",
        "foo(a)\n",
    );
    let twice = edit(
        "a.go",
        "call(b, a)\n",
        "call(:[x], :[y])",
        "call(:[y], :[x])",
    );
    assert_eq!(
        twice.as_deref(),
        Ok("call(a, b)\n"),
        "an exchange cannot be told from one that was made"
    );
    not(
        "a.go",
        "renamed(1)\n",
        "orig(:[x])",
        "renamed(:[x])",
        "not_found",
        "`orig(` is not in the file; text as the replacement makes it is on line 1",
    );
}

#[test]
fn a_hint_says_why_nothing_matches() {
    not(
        "a.rs",
        "pub fn a() {}\n",
        "fn $N() { $$$B }",
        "fn $N() {}",
        "not_found",
        "begins with `pub`",
    );
    not(
        "a.ts",
        "function f() {\n  a();\n  a();\n  b();\n}\n",
        "function f() { $$$A; b(); }",
        "function f() { $$$A; c(); }",
        "not_found",
        "`$$$A;` is one statement: without its `;`",
    );
    not(
        "a.rs",
        "fn b() { a(); }\n",
        "missing($A)",
        "x($A)",
        "not_found",
        "reads as call_expression or function_type, of which the file has 1",
    );
    not(
        "a.go",
        "foo(a)\n",
        "foo(:[x], :[y])",
        "z",
        "not_found",
        "line 1",
    );
    not(
        "a.go",
        "bar(a)\n",
        "foo(:[x])",
        "z",
        "not_found",
        "`foo(` is not in the file",
    );
    not(
        "a.go",
        "// foo(a)\n",
        "foo(:[x])",
        "z",
        "not_found",
        "only within strings",
    );
    not(
        "a.js",
        "if (a) b(); else c();\n",
        "if ($A) $B",
        "when($A, $B)",
        "not_found",
        "hold more",
    );
}

#[test]
fn what_cannot_be_read_is_invalid() {
    let invalid = |pattern: &str, replacement: &str, part: &str| {
        not("a.js", "f(x)\n", pattern, replacement, "invalid", part);
    };
    invalid("f(:[x], $A)", "", "one of the two notations");
    invalid("  ", "", "empty");
    invalid(":[x]", "", "text of its own");
    invalid("f(:[x)", "", "is no hole");
    invalid("f(:[x~[])", "", "is no hole");
    invalid("f(:[x~(])", "", "regular expression");
    invalid("f(:[x])", "g(:[y])", "has not");
    invalid("f($A)", "g($B)", "has not");
    invalid("f($A", "g($A)", "does not parse");
    invalid("f(..., ...)", "g(...)", "different numbers");
}

#[test]
fn results_that_would_not_parse_or_lose_comments_are_refused() {
    not(
        "a.js",
        "f(x);\n",
        "f(:[a])",
        "g(:[a]",
        "refused",
        "would not parse",
    );
    not(
        "a.js",
        "f(/* why */ x);\n",
        "f($A)",
        "g($A)",
        "not_found",
        "hold more",
    );
    check(
        "a.js",
        "f(/* why */ x);\n",
        "f($$$A)",
        "g($$$A)",
        "g(/* why */ x);\n",
    );
}

#[test]
fn tests_of_holes_choose_among_matches() {
    let run_with = |test: ConstraintTest, wanted: bool| {
        let request = StructRequest {
            pattern: "f(:[x])".into(),
            replacement: "g(:[x])".into(),
            language: None,
            constraints: vec![Constraint {
                hole: "x".into(),
                test,
                wanted,
            }],
        };
        run("a.go", "f(1) f(a)\n", Request::Struct(request))
    };
    assert_eq!(
        run_with(ConstraintTest::Regex("^[0-9]+$".into()), true).as_deref(),
        Ok("g(1) f(a)\n")
    );
    assert_eq!(
        run_with(ConstraintTest::Regex("^[0-9]+$".into()), false).as_deref(),
        Ok("f(1) g(a)\n")
    );
    assert_eq!(
        run_with(ConstraintTest::Equals("a".into()), true).as_deref(),
        Ok("f(1) g(a)\n")
    );
    assert_eq!(
        word(&run_with(ConstraintTest::Equals("z".into()), true)),
        "not_found"
    );
    assert_eq!(
        word(&run_with(ConstraintTest::Regex("(".into()), true)),
        "invalid"
    );
}

#[test]
fn repetitive_texts_are_bounded() {
    let many = "f(a, ".repeat(100_000);
    for pattern in [
        "f(:[a], :[b], :[c])",
        ":[x] f(:[y])",
        "f(:[a]:[b]:[c]z",
        ":[[a]] :[b] :[[a]]",
    ] {
        let _ = edit("a.go", &many, pattern, "g");
    }
    let line = "a.b.c ".repeat(50_000);
    for pattern in ["a:[x]b:[y]c:[z]q", "a:[x]b:[x]c", ":[x].b", "a:[x~.*]q"] {
        let _ = edit("a.go", &line, pattern, "g");
    }
    let nested = format!("{}x{}", "f(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(
        word(&edit("a.go", &nested, "f(:[x])", "g(:[x])")),
        "applied"
    );
    let large = "f(1)\n".repeat(400_000);
    assert_eq!(word(&edit("a.go", &large, "f(:[x])", "g(:[x])")), "refused");
    let quotes = "\"'`".repeat(100_000);
    let _ = edit("a.go", &quotes, "f(:[x])", "g(:[x])");
}

#[test]
fn a_hole_at_the_start_takes_the_operand() {
    check(
        "a.go",
        "x := a + b.c(1).unwrap()\n",
        ":[x].unwrap()",
        "try(:[x])",
        "x := a + try(b.c(1))\n",
    );
    not(
        "a.go",
        "if a + b == nil {\n",
        ":[x] == nil",
        "isNil(:[x])",
        "invalid",
        "cannot be told",
    );
    check(
        "a.go",
        "if a + b == nil {\n",
        ":[x] == nil",
        ":[x] != nil",
        "if a + b != nil {\n",
    );
    check(
        "a.c",
        "return a + b;\n",
        "return :[x]",
        "return (:[x])",
        "return (a + b);\n",
    );
}

#[test]
fn every_text_has_an_answer() {
    use proptest::prelude::*;
    // Few different characters, so that they come together.
    let text = "[a-c$:\\[\\]{}()<>.,;~_ \n\"'`/*A-B=é-]{0,60}";
    let strategy = (
        text,
        text,
        text,
        proptest::sample::select(vec!["a.rs", "a.tsx", "a.py", "a.go", "a.txt"]),
    );
    proptest!(ProptestConfig::with_cases(150), |((before, pattern, replacement, path) in strategy)| {
        let once = edit(path, &before, &pattern, &replacement);
        if let Ok(after) = once {
            prop_assert_ne!(after, before.clone());
        }
        let _ = edit(path, &before, &format!("a(:[x]){pattern}"), &replacement);
        let _ = edit(path, &before, &format!("$A({pattern})"), &format!("$A{replacement}"));
    });
}
