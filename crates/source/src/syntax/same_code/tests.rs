//! Pairs of texts in both directions, told by whether they are the same code.

use super::*;

#[test]
fn layout_is_told_from_what_code_says() {
    use Language::*;
    let check = |language, before: &str, after: &str, expected: bool| {
        let both = [(before, after), (after, before)];
        for (before, after) in both {
            let same = is_same_code(language, before, after);
            assert_eq!(same, expected, "{language:?} {before:?} {after:?}");
        }
    };
    let same = |language, before, after| check(language, before, after, true);
    let differ = |language, before, after| check(language, before, after, false);
    same(Rust, "fn a(){f(a,b)}\n", "fn a() {\n    f(a, b)\n}\n");
    same(
        Rust,
        "fn a(b: u8, c: u8) {}",
        "fn a(\n    b: u8,\n    c: u8,\n) {}",
    );
    differ(Rust, "fn a() { (b,) }", "fn a() { (b) }");
    differ(Rust, "fn a() { m!(b, c,) }", "fn a() { m!(b, c) }");
    differ(Rust, "fn a() { f(a, b) }", "fn a() { f(a, b); }");
    differ(Rust, "fn a() { f(\"a,b\") }", "fn a() { f(\"a, b\") }");
    differ(Rust, "fn a() { f(' ') }", "fn a() { f('\t') }");
    differ(Rust, "// a b\nfn a() {}", "// a  b\nfn a() {}");
    differ(Rust, "fn a() { x & &y }", "fn a() { x && y }");
    differ(Rust, "/// a\nfn a() {}", "///  a\nfn a() {}");
    differ(Rust, "fn a() { 1. max(2) }", "fn a() { 1.max(2) }");
    differ(Rust, "fn a() { x // b\n; c }", "fn a() { x; // b\n c }");
    differ(Rust, "fn a() {", "fn a()  {");
    same(Python, "if a:\n  b()\n  c()\n", "if a:\n    b()\n    c()\n");
    same(Python, "f(a, b)\n", "f(\n    a,\n    b,\n)\n");
    differ(Python, "f((a,))\n", "f((a))\n");
    differ(Python, "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n");
    differ(Python, "x = \"a\"\n", "x = \"a \"\n");
    differ(Python, "x = '''\n a'''\n", "x = '''\n  a'''\n");
    differ(Python, "x = f'{a=}'\n", "x = f'{a = }'\n");
    differ(Python, "x = f'{a} b'\n", "x = f'{a}  b'\n");
    differ(
        Python,
        "x = f(a, b)  # noqa\n",
        "x = f(\n    a, b)  # noqa\n",
    );
    differ(Python, "#!/bin/python\nx\n", "\n#!/bin/python\nx\n");
    differ(Python, "x = 1\ny = 2\n", "x = 1\r\ny = 2\n");
    differ(Python, "x = 1 + 2\n", "x = 1 +\u{a0}2\n");
    differ(Python, "x = 1\n", "x = 1\u{c}\n");
    same(JavaScript, "f( a )", "f(a)");
    same(JavaScript, "let a = [1, 2]", "let a = [\n  1,\n  2,\n]");
    differ(JavaScript, "let a = [1,,]", "let a = [1,]");
    differ(
        JavaScript,
        "function f() { return x }",
        "function f() { return\nx }",
    );
    differ(
        JavaScript,
        "function f() { return (user\n) }",
        "function f() { return\n(user) }",
    );
    differ(
        JavaScript,
        "function f() { return -a }",
        "function f() { return\n-a }",
    );
    differ(
        JavaScript,
        "class A { async *f(){} }",
        "class A { async\n*f(){} }",
    );
    differ(JavaScript, "a < !--b", "a <!--b");
    differ(
        JavaScript,
        "export const x = a < !--b",
        "export const x = a <!--b",
    );
    differ(JavaScript, "x = `a ${b}`", "x = `a  ${b}`");
    differ(JavaScript, "x = /a b/", "x = /a  b/");
    differ(JavaScript, "'use strict'; f()", "'use  strict'; f()");
    differ(
        TypeScript,
        "function f() { return `x` }",
        "function f() { return\n`x` }",
    );
    differ(
        TypeScript,
        "// @ts-ignore\nf(a, b)",
        "// @ts-ignore\nf(\n  a, b)",
    );
    same(Tsx, "x = <b>\n<i/> a\n</b>", "x = <b>\n    <i/> a\n  </b>");
    differ(Tsx, "x = <b> a</b>", "x = <b>  a</b>");
    differ(Tsx, "x = <b>a {c}</b>", "x = <b>a{c}</b>");
    same(Json, "{\"a\":1}", "{ \"a\": 1 }");
    same(Json, "{// b\n\"a\":1}", "{ // b\n \"a\": 1 }");
    differ(Json, "{\"a \":1}", "{\"a\":1}");
    differ(Json, "{\"a\":1}\n{}", "{\"a\":1}{}");
    same(Toml, "a = [1,2]\n", "a = [\n  1,\n  2,\n]\n");
    differ(Toml, "a = ' '\n", "a = '  '\n");
}

#[test]
fn where_no_parser_tells_what_blanks_say_nothing_is_layout() {
    use Language::*;
    for (language, before, after) in [
        (
            Go,
            "package a\n\nimport \"C\"\n",
            "package a\nimport \"C\"\n",
        ),
        (Yaml, "a:\n  b: 1\n", "a:\n    b: 1\n"),
        (Bash, "a b", "a  b"),
        (C, "int a;", "int  a;"),
    ] {
        assert!(!is_same_code(language, before, after), "{language:?}");
    }
}
