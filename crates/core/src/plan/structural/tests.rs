//! Patterns with their replacements, before and after.

use super::*;
use crate::plan::testing::{run, word};
use crate::request::{Constraint, ConstraintTest, Request};

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
fn blanks_in_a_list_are_no_text_of_it() {
    check(
        "a.go",
        "package a\n\nvar a = &Row{Name: x, At: 1}\n",
        "&$T{$$$F}",
        "keep($T{$$$F})",
        "package a\n\nvar a = keep(Row{Name: x, At: 1})\n",
    );
    check(
        "a.go",
        "package a\n\nvar a = Row{x, 1}\n",
        "Row{$$$F}",
        "Line{$$$F}",
        "package a\n\nvar a = Line{x, 1}\n",
    );
    check(
        "a.c",
        "struct row a = (struct row){1, 2};\n",
        "(struct row){$$$F}",
        "(struct line){$$$F}",
        "struct row a = (struct line){1, 2};\n",
    );
    check(
        "a.c",
        "char *a = f(\"b  c\");\n",
        "f(\"b  c\")",
        "g",
        "char *a = g;\n",
    );
}

#[test]
fn metavariables_match_nodes() {
    check(
        "a.ts",
        "const a: X = foo(1, b(2));\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "const a: X = bar(b(2), 1);\n",
    );
    check(
        "a.ts",
        "foo(a, b,);\n",
        "foo($$$ARGS)",
        "bar(x, $$$ARGS)",
        "bar(x, a, b,);\n",
    );
    check(
        "a.ts",
        "foo(a, b,);\n",
        "foo($$$ARGS)",
        "bar($$$ARGS, x)",
        "bar(a, b, x);\n",
    );
    check(
        "a.rs",
        "fn main() { let a = b.unwrap(); }\n",
        "$A.unwrap()",
        "$A?",
        "fn main() { let a = b?; }\n",
    );
    check(
        "a.rs",
        "fn a(x: u8) -> u8 { x }\n",
        "fn $N($$$P) -> $R { $$$B }",
        "fn $N($$$P) -> Option<$R> { $$$B }",
        "fn a(x: u8) -> Option<u8> { x }\n",
    );
    check(
        "a.py",
        "print(a, end='')\n",
        "print($A, end=$B)",
        "log($A, sep=$B)",
        "log(a, sep='')\n",
    );
    check(
        "a.js",
        "foo('foo(1)'); // foo(2)\n",
        "foo($A)",
        "bar($A)",
        "bar('foo(1)'); // foo(2)\n",
    );
    check(
        "a.js",
        "foo(foo(1));\n",
        "foo($A)",
        "bar($A)",
        "bar(bar(1));\n",
    );
    check(
        "a.tsx",
        "x = <A b={1} />;\n",
        "<A b={$V} />",
        "<C d={$V} />",
        "x = <C d={1} />;\n",
    );
    check(
        "a.rs",
        "fn f() { old(1); println!(\"{}\", old(2)); }\n",
        "old($A)",
        "new($A)",
        "fn f() { new(1); println!(\"{}\", new(2)); }\n",
    );
    check(
        "a.txt",
        "foo(a, b)\n",
        "foo($A, $B)",
        "bar($B, $A)",
        "bar(b, a)\n",
    );
    check(
        "a.js",
        "let a = 1;\n",
        "let $A = $B",
        "const $A = $B",
        "const a = 1;\n",
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
fn several_lines_keep_their_indentation() {
    check(
        "a.js",
        "function f() {\n    call(() => {\n        a();\n    });\n}\n",
        "call($F)",
        "wrap({\n  run: $F,\n})",
        "function f() {\n    wrap({\n      run: () => {\n          a();\n      },\n    });\n}\n",
    );
    check(
        "a.go",
        "\tfoo(a)\r\n",
        "foo(:[x])",
        "if ok {\n    foo2(:[x])\n}",
        "\tif ok {\r\n\t\tfoo2(a)\r\n\t}\r\n",
    );
    check(
        "a.js",
        "a();\nf(1);\nb();\n",
        "f(:[x]);",
        "",
        "a();\nb();\n",
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
fn what_the_matcher_passes_over_is_not_lost() {
    let function = "function $N($$$P) { $$$B }";
    let text = "async function f() { await g(); }\n";
    not(
        "a.js",
        text,
        function,
        "const $N = ($$$P) => { $$$B }",
        "not_found",
        "hold more",
    );
    check(
        "a.rs",
        "fn f() { assert_eq!(a.len(), 0); }\n",
        "assert_eq!($A, 0)",
        "zero!($A)",
        "fn f() { zero!(a.len()); }\n",
    );
    check(
        "a.rs",
        "struct S(Option<u8>);\n",
        "Option<$T>",
        "Maybe<$T>",
        "struct S(Maybe<u8>);\n",
    );
    let result = edit(
        "a.rs",
        "fn f() { a.go(); x!(b.go()); }\n",
        "$A.go()",
        "$A.run()",
    );
    assert_eq!(result.as_deref(), Ok("fn f() { a.run(); x!(b.go()); }\n"));
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

#[test]
fn many_nodes_may_be_none_and_then_need_no_comma() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    let f = ("foo($A, $$$R)", "bar($A, $$$R)");
    c("a.js", "foo(1);\n", f.0, f.1, "bar(1);\n");
    c("a.js", "foo(1,);\n", f.0, f.1, "bar(1);\n");
    c("a.js", "foo(1, 2, 3);\n", f.0, f.1, "bar(1, 2, 3);\n");
    c(
        "a.rs",
        "fn f() { foo(1); }\n",
        f.0,
        f.1,
        "fn f() { bar(1); }\n",
    );
    c("a.py", "foo(1)\n", f.0, f.1, "bar(1)\n");
    c(
        "a.go",
        "package a\n\nvar x = foo(1)\n",
        f.0,
        f.1,
        "package a\n\nvar x = bar(1)\n",
    );
    c(
        "a.c",
        "int x() { foo(1); }\n",
        f.0,
        f.1,
        "int x() { bar(1); }\n",
    );
    c(
        "a.js",
        "x = [1, 2, 3];\n",
        "[$$$A, $B]",
        "[$B, $$$A]",
        "x = [3, 1, 2];\n",
    );
    c(
        "a.js",
        "x = [1];\n",
        "[$$$A, $B]",
        "[0, $$$A, y($B)]",
        "x = [0, y(1)];\n",
    );
    c(
        "a.js",
        "x = { a: 1, b, c };\n",
        "x = { $$$A, b, $$$B }",
        "x = { $$$A, $$$B, d }",
        "x = { a: 1, c, d };\n",
    );
    c(
        "a.js",
        "x = { b };\n",
        "x = { $$$A, b, $$$B }",
        "x = { $$$A, $$$B, d }",
        "x = { d };\n",
    );
    c(
        "a.ts",
        "function f(a: A, b: B) { return g(); }\n",
        "function f($$$A, b: $T) { $$$B return $X; }",
        "function f(b: $T, $$$A) { $$$B return h($X); }",
        "function f(b: B, a: A) { return h(g()); }\n",
    );
    c(
        "a.rs",
        "fn f(a: A) -> u8 { x(); y(); z }\n",
        "fn f(a: A, $$$P) -> u8 { $$$B y(); $$$C }",
        "fn f(a: A, $$$P) -> u8 { y(); $$$B $$$C }",
        "fn f(a: A) -> u8 { y(); x(); z }\n",
    );
    c(
        "a.js",
        "f(1, 2, 2, 3); f(1, 2, 3);\n",
        "f($$$A, $X, $X, $$$B)",
        "f($$$A, $X, $$$B)",
        "f(1, 2, 3); f(1, 2, 3);\n",
    );
    c(
        "a.js",
        "f(a, b, b, c, a);\n",
        "f($$$A, $X, $$$B, $X, $$$C)",
        "g($X, [$$$A], [$$$B], [$$$C])",
        "g(a, [], [b, b, c], []);\n",
    );
}

#[test]
fn places_that_may_be_empty_are_told_apart() {
    let same = |path: &str, text: &str, pattern: &str| {
        not(path, text, pattern, "x", "not_found", "");
    };
    same("a.js", "for (a; ; c) {}\n", "for ($A; $B; ) {}");
    same("a.js", "x = [a, , b];\n", "x = [$A, $B]");
    same("a.rs", "fn f() { g([x, 3]); }\n", "g([$X; 3])");
    same("a.rs", "fn f() { g([x; 3]); }\n", "g([$X, 3])");
    same("a.rs", "fn f() { g((x,)); }\n", "g(($X))");
    same("a.js", "f('a b');\n", "f('ab')");
    same("a.go", "package a\n\nvar x = f(` a`)\n", "f(`a`)");
}

#[test]
fn many_members_stand_in_a_body() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    c(
        "a.rs",
        "impl Foo for Bar {\n    const A: u8 = 1;\n\n    fn a() {}\n}\n",
        "impl Foo for $T { $$$B }",
        "impl Foo for Box<$T> {\n    $$$B\n}",
        "impl Foo for Box<Bar> {\n    const A: u8 = 1;\n\n    fn a() {}\n}\n",
    );
    c(
        "a.rs",
        "impl Foo for Bar {}\n",
        "impl Foo for $T { $$$B }",
        "impl Baz for $T { $$$B }",
        "impl Baz for Bar { }\n",
    );
    c(
        "a.rs",
        "trait A {\n    fn a();\n}\n",
        "trait $T { $$$B }",
        "pub trait $T { $$$B }",
        "pub trait A {\n    fn a();\n}\n",
    );
    c(
        "a.rs",
        "mod a {\n    use b;\n}\n",
        "mod $T { $$$B }",
        "mod x { $$$B }",
        "mod x {\n    use b;\n}\n",
    );
    c(
        "a.rs",
        "extern \"C\" { fn a(); }\n",
        "extern \"C\" { $$$B }",
        "unsafe extern \"C\" { $$$B }",
        "unsafe extern \"C\" { fn a(); }\n",
    );
    c(
        "a.rs",
        "enum E { A, B(u8) }\n",
        "enum $T { $$$B }",
        "enum $T { $$$B, C }",
        "enum E { A, B(u8), C }\n",
    );
    c(
        "a.rs",
        "struct E { a: u8 }\n",
        "struct $T { $$$B }",
        "struct $T { $$$B, c: u8 }",
        "struct E { a: u8, c: u8 }\n",
    );
    c(
        "a.rs",
        "fn f() { match x { A => 1, B => 2, } }\n",
        "match $X { $$$B }",
        "match *$X { $$$B }",
        "fn f() { match *x { A => 1, B => 2, } }\n",
    );
    c(
        "a.rs",
        "fn f() { S { a: 1, b } }\n",
        "S { $$$B }",
        "T { $$$B, c }",
        "fn f() { T { a: 1, b, c } }\n",
    );
}

#[test]
fn many_members_stand_in_a_body_of_a_script() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    c(
        "a.ts",
        "class A { b = 1; c() {} }\n",
        "class $T { $$$B }",
        "class $T extends X { $$$B }",
        "class A extends X { b = 1; c() {} }\n",
    );
    c(
        "a.ts",
        "interface A { b: number; c(): void }\n",
        "interface $T { $$$B }",
        "interface $T extends X { $$$B }",
        "interface A extends X { b: number; c(): void }\n",
    );
    c(
        "a.ts",
        "enum A { B, C = 2 }\n",
        "enum $T { $$$B }",
        "const enum $T { $$$B }",
        "const enum A { B, C = 2 }\n",
    );
    c(
        "a.ts",
        "switch (a) { case 1: b(); default: c(); }\n",
        "switch ($A) { $$$B }",
        "switch (d($A)) { $$$B }",
        "switch (d(a)) { case 1: b(); default: c(); }\n",
    );
}

#[test]
fn many_members_stand_in_a_body_elsewhere() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    c(
        "A.java",
        "class A { int b; void c() {} }\n",
        "class $T { $$$B }",
        "final class $T { $$$B }",
        "final class A { int b; void c() {} }\n",
    );
    c(
        "a.go",
        "package a\n\ntype T struct {\n\tA int\n\tB, C string\n}\n",
        "type $T struct { $$$B }",
        "type $T struct {\n\t$$$B\n\tD int\n}",
        "package a\n\ntype T struct {\n\tA int\n\tB, C string\n\tD int\n}\n",
    );
    c(
        "a.go",
        "package a\n\ntype T interface {\n\tA() int\n}\n",
        "type $T interface { $$$B }",
        "type $T interface {\n\t$$$B\n\tD()\n}",
        "package a\n\ntype T interface {\n\tA() int\n\tD()\n}\n",
    );
    c(
        "a.c",
        "struct A { int b; char *c; };\n",
        "struct $T { $$$B }",
        "struct x$T { $$$B }",
        "struct xA { int b; char *c; };\n",
    );
    c(
        "a.cpp",
        "class A { int b; void c(); };\n",
        "class $T { $$$B }",
        "class $T : X { $$$B }",
        "class A : X { int b; void c(); };\n",
    );
    c(
        "a.css",
        "a { b: c; d: e }\n",
        "a { $$$B }",
        "x { $$$B }",
        "x { b: c; d: e }\n",
    );
    c(
        "a.json",
        "{\"a\": {\"b\": 1, \"c\": 2}}\n",
        "{\"b\": $A, $$$B}",
        "{$$$B}",
        "{\"a\": {\"c\": 2}}\n",
    );
    c(
        "a.py",
        "class A:\n    b = 1\n\n    def c(self): pass\n",
        "class $T:\n    $$$B",
        "class $T(X):\n    $$$B",
        "class A(X):\n    b = 1\n\n    def c(self): pass\n",
    );
}

#[test]
fn captures_keep_their_lines() {
    let block = "if $C { $$$B }";
    once(
        "a.go",
        "package a\n\nfunc f() {\n\tif a {\n\t\tb()\n\t\tc()\n\t}\n}\n",
        block,
        "for {\n    if $C {\n        $$$B\n    }\n}",
        "package a\n\nfunc f() {\n\tfor {\n\t\tif a {\n\t\t\tb()\n\t\t\tc()\n\t\t}\n\t}\n}\n",
    );
    once(
        "a.rs",
        "fn f() {\n    if a {\n        b();\n        c();\n    }\n}\n",
        block,
        "loop { if $C { $$$B } }",
        "fn f() {\n    loop { if a {\n        b();\n        c();\n    } }\n}\n",
    );
    check(
        "a.py",
        "x = foo(\n    1,\n    [2,\n     3],\n)\n",
        "foo($$$A)",
        "bar($$$A)",
        "x = bar(\n    1,\n    [2,\n     3],\n)\n",
    );
    check(
        "a.js",
        "  if (a) {\n    b();\n  }\n",
        "if ($C) { $$$B }",
        "while (1) {\n  while ($C) { $$$B }\n}",
        "  while (1) {\n    while (a) {\n      b();\n    }\n  }\n",
    );
    check(
        "a.tsx",
        "x = (\n  <A>\n    <B />\n    c\n  </A>\n);\n",
        "<A>$$$B</A>",
        "<C>$$$B</C>",
        "x = (\n  <C>\n    <B />\n    c\n  </C>\n);\n",
    );
    once(
        "a.html",
        "<div>\n  <p>\n    a\n  </p>\n</div>\n",
        "<p>:[x]</p>",
        "<q>\n  <p>:[x]</p>\n</q>",
        "<div>\n  <q>\n    <p>\n      a\n    </p>\n  </q>\n</div>\n",
    );
    once(
        "a.py",
        "def f():\n    with a:\n        b()\n\n        c(1,\n          2)\n    d()\n",
        "with a:\n    :[B]",
        "try:\n    :[B]\nfinally:\n    e()",
        "def f():\n    try:\n        b()\n\n        c(1,\n          2)\n    finally:\n        e()\n    d()\n",
    );
    once(
        "a.yaml",
        "a:\n  b:\n    c: 1\n    d: 2\n  e: 3\n",
        "b:\n  :[x]",
        "f:\n  b:\n    :[x]",
        "a:\n  f:\n    b:\n      c: 1\n      d: 2\n  e: 3\n",
    );
}

#[test]
fn macros_are_looked_into_by_tokens() {
    let f = ("foo($A, $$$R)", "bar($A, $$$R)");
    once(
        "a.rs",
        "fn f() { assert!(foo(1)); vec![foo(1, 2), foo(3,4), foo(), afoo(1)]; }\n",
        f.0,
        f.1,
        "fn f() { assert!(bar(1)); vec![bar(1, 2), bar(3, 4), foo(), afoo(1)]; }\n",
    );
    once(
        "a.rs",
        "macro_rules! m { ($x:expr) => { foo($x) }; (foo(a)) => {} }\n",
        f.0,
        f.1,
        "macro_rules! m { ($x:expr) => { bar($x) }; (foo(a)) => {} }\n",
    );
    once(
        "a.rs",
        "fn f() { m!(foo(1, 2)); }\n",
        "foo($$$A, $B)",
        "bar($B, $$$A)",
        "fn f() { m!(bar(2, 1)); }\n",
    );
    once(
        "a.rs",
        "fn f() { m!(foo(1)); }\n",
        "foo($$$A, $B)",
        "bar($B, $$$A)",
        "fn f() { m!(bar(1)); }\n",
    );
    once(
        "a.rs",
        "fn f() { m!(a); m!(a, b); }\n",
        "m!($A, $$$B)",
        "n!($A, $$$B)",
        "fn f() { n!(a); n!(a, b); }\n",
    );
    once(
        "a.c",
        "#define A(x) (foo((x), \"foo(1)\") + foo(x))\nint b = foo(1);\n",
        f.0,
        f.1,
        "#define A(x) (bar((x), \"foo(1)\") + bar(x))\nint b = bar(1);\n",
    );
    let broken = "#define A(x) foo(x)\nvoid b(void) { foo(1); }\n";
    once(
        "a.c",
        broken,
        "foo($A)",
        "bar(\n  $A)",
        "#define A(x) foo(x)\nvoid b(void) { bar(\n  1); }\n",
    );
    not(
        "a.c",
        "#define A(x) foo(x)\n",
        "foo($A)",
        "bar(\n  $A)",
        "not_found",
        "1 macros with `foo(`",
    );
}

#[test]
fn code_without_holes_may_be_laid_out_otherwise() {
    check(
        "a.ts",
        "x = f(\n  1,\n  \"a  b\",\n);\n",
        "f(1, \"a  b\")",
        "g()",
        "x = g();\n",
    );
    not(
        "a.ts",
        "x = f(\n  1, \"a b\",\n);\n",
        "f(1, \"a  b\")",
        "g()",
        "not_found",
        "",
    );
    not(
        "a.ts",
        "x = f(\n  1, /* b */\n);\n",
        "f(1)",
        "g()",
        "not_found",
        "",
    );
}

#[test]
fn patterns_are_read_where_no_name_may_stand() {
    once(
        "a.ts",
        "import {c, d} from 'e';\n",
        "import { $$$A } from $B",
        "import { x, $$$A } from $B",
        "import { x, c, d } from 'e';\n",
    );
    once(
        "a.json",
        "{\"a\": {\"b\": 1}}\n",
        "\"b\": $V",
        "\"d\": $V",
        "{\"a\": {\"d\": 1}}\n",
    );
    once(
        "a.toml",
        "a = { b = 1, c = 2 }\n",
        "{ $$$A }",
        "{ z = 0, $$$A }",
        "a = { z = 0, b = 1, c = 2 }\n",
    );
    once(
        "a.css",
        "a { b: url(x.png) }\n",
        "url($X)",
        "url(y/$X)",
        "a { b: url(y/x.png) }\n",
    );
    once("a.md", "# A b\n\nc\n", "# $T", "## $T", "## A b\n\nc\n");
    once(
        "a.html",
        "<p><b>c</b></p>\n",
        "<b>$$$A</b>",
        "<i>$$$A</i>",
        "<p><i>c</i></p>\n",
    );
    once(
        "a.html",
        "<p>c</p>\n",
        "<$T>$$$A</$T>",
        "<$T>d$$$A</$T>",
        "<p>dc</p>\n",
    );
    once(
        "a.c",
        "static int f(int a, char *b) {\n  g();\n  return 1;\n}\n",
        "static $T $F($$$A) { $$$B }",
        "$T $F($$$A) { $$$B }",
        "int f(int a, char *b) {\n  g();\n  return 1;\n}\n",
    );
    once(
        "A.java",
        "class A {\n  @B\n  public int f(int a) {\n    g();\n  }\n}\n",
        "@B\npublic $R $F($$$A) { $$$B }",
        "@C\npublic $R $F($$$A) { $$$B }",
        "class A {\n  @C\n  public int f(int a) {\n    g();\n  }\n}\n",
    );
}
