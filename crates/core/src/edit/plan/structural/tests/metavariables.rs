//! Metavariables: what they match and what they leave.

use super::{check, edit, not, once};

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
fn the_worked_example_holds() {
    let text = |call: &str| format!("x({call});\n");
    for (before, after) in [
        ("f(a)", "g(a)"),
        ("f(a, g(b), c)", "g(a, g(b), c)"),
        ("f( a,\n  g(b), c )", "g(a, g(b), c)"),
    ] {
        check(
            "a.js",
            &text(before),
            "f($A, $$$REST)",
            "g($A, $$$REST)",
            &text(after),
        );
    }
    for none in ["f()", "\"f(a, b)\""] {
        not(
            "a.js",
            &text(none),
            "f($A, $$$REST)",
            "g($A)",
            "not_found",
            "",
        );
    }
}

#[test]
fn a_metavariable_matches_one_node() {
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
fn a_semicolon_that_the_pattern_has_not_stays() {
    let check = |before: &str, pattern: &str, after: &str| {
        check("a.ts", before, pattern, "g($A)", after);
    };
    check(
        "export const a = f(b);\n",
        "export const $A = $B",
        "g(a);\n",
    );
    check(
        "export const a = f(b);\n",
        "export const $A = $B;",
        "g(a)\n",
    );
    check("const a = b, c = d;\n", "const $A = b, c = d", "g(a);\n");
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
    // What closes the first line of a capture is as far in as that.
    check(
        "a.ts",
        "f(\n  {\n    a: 1,\n  },\n  b,\n);\n",
        "f($A, $B)",
        "g($A)",
        "g({\n  a: 1,\n});\n",
    );
    check(
        "a.ts",
        "f(\n  a +\n  c,\n  b,\n);\n",
        "f($A, $B)",
        "g($A)",
        "g(a +\n  c);\n",
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
