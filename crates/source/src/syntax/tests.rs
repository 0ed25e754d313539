//! Every language: good texts pass, broken ones do not, broken ones stay editable.

use std::collections::HashSet;
use std::path::Path;

use super::health::{SyntaxError, errors, new_errors};
use super::*;
use crate::text::EditSet;

fn path(name: &str) -> WorkspacePath {
    WorkspacePath::parse(name, Path::new("/w")).unwrap()
}

/// Returns whether the build includes the grammar of a file's language.
fn is_included(name: &str) -> bool {
    Language::of(&path(name)).is_some()
}

/// Returns the samples in languages of which the build includes the grammar.
fn samples()
-> impl Iterator<Item = &'static (&'static str, &'static str, &'static str, &'static str)> {
    SAMPLES.iter().filter(|(name, ..)| is_included(name))
}

/// The errors that a file's language vouches for; all of them, where it vouches for any.
fn certain(found: Vec<SyntaxError>) -> Vec<SyntaxError> {
    found.into_iter().filter(|error| error.certain).collect()
}

fn delta(name: &str, before: &str, after: &str) -> Vec<SyntaxError> {
    let edits = EditSet::between(before.as_bytes(), after.as_bytes());
    new_errors(
        &SyntaxCache::default(),
        &path(name),
        Some(before),
        after,
        &edits,
    )
}

/// A modern text of each language, a part of it and what breaks it in that part's place.
const SAMPLES: &[(&str, &str, &str, &str)] = &[
    (
        "a.rs",
        "use std::fmt;\n\nasync fn f<'a>(x: &'a [u8; 4]) -> impl Iterator<Item = u8> + use<'a> {\n    let Some(y) = x.first() else { panic!(\"no {x:?}\") };\n    if let Some(a) = x.get(1) && *a > 1 { return x.iter().copied(); }\n    x.iter().map(|b| b + *y)\n}\n",
        "else { panic!(\"no {x:?}\") };",
        "else { panic!(\"no {x:?}\") ;",
    ),
    (
        "a.ts",
        "export const a = { x: 1 } satisfies Record<string, number>;\nusing r = open();\nenum E { A = 1 }\nabstract class C<const T> { accessor x = 1; abstract m(): asserts this is T; }\ntype M = { readonly [K in keyof C<1> as `get${K}`]?: C<1>[K] };\n",
        "enum E { A = 1 }",
        "enum E { A = 1",
    ),
    (
        "a.tsx",
        "export function A<T,>({ x }: { x: T }) {\n  return <><B a={x} {...x} />{x && <i>y</i>}</>;\n}\n",
        "<i>y</i>",
        "<i>y</b>",
    ),
    (
        "a.jsx",
        "import x from './x.json' with { type: 'json' };\nexport default async function* f() { for await (const a of b?.c ?? []) yield <p>{a}</p>; }\nclass A { #p = 1; static { this.q ||= 2; } }\n",
        "b?.c ?? []",
        "b?.c ?? [",
    ),
    (
        "a.py",
        "type A[T] = list[T]\n\ndef f[T](x: T, /, *, y: int = 1) -> T:\n    match x:\n        case {\"a\": [1, *_]} if (z := y):\n            return f\"{x!r:>{z}} {'a'}\"\n    with (open('a') as a, open('b') as b):\n        pass\n    return x\n",
        "        pass\n",
        "      pass\n   x\n",
    ),
    (
        "a.go",
        "package a\n\nimport \"fmt\"\n\ntype N interface{ ~int | ~float64 }\n\nfunc F[T N](xs ...T) (s T) {\n\tfor i := range 3 {\n\t\tfmt.Println(i)\n\t}\n\treturn\n}\n",
        "fmt.Println(i)",
        "fmt.Println(i",
    ),
    (
        "a.json",
        "{\"a\": [1, 2.5e3, null], \"b\": {\"c\": \"d\"}}\n",
        "2.5e3,",
        "2.5e3",
    ),
    (
        "tsconfig.json",
        "{\n  // c\n  \"a\": [1, 2,],\n}\n",
        "[1, 2,]",
        "[1, 2",
    ),
    (
        "a.css",
        ".a { &:hover { color: rgb(from red r g b / 50%); } }\n@media (width >= 10px) { b > i { margin: calc(1px + 2em); } }\n@import url(data:x;'y);\n",
        "2em);",
        "2em;",
    ),
    (
        "a.html",
        "<!doctype html>\n<html><body><p>it's <b>x</b><br><script>let a = 1 < 2;</script></body></html>\n",
        "<b>x</b>",
        "<b <x</b>",
    ),
    (
        "a.toml",
        "a = 1\n[b.'c']\nd = [1, { e = 2 }]\nf = '''\nx'''\n[[g]]\nh = 2020-01-01\n",
        "{ e = 2 }",
        "{ e = }",
    ),
    (
        "a.yaml",
        "a: &x\n  - b: c\n    d: |\n      it's\n  - *x\ne: {f: [1, 2]}\n---\ng: 'h'\n",
        "{f: [1, 2]}",
        "{f: [1, 2}",
    ),
    (
        "a.sh",
        "#!/bin/bash\nset -euo pipefail\nf() {\n  local a=(\"$@\")\n  if [[ ${a[0]} =~ ^x ]]; then cat <<EOF\n$1\nEOF\n  fi\n}\nfor i in {1..3}; do f \"$i\" | wc -l; done\n",
        "; done\n",
        ";\n",
    ),
    (
        "a.c",
        "#include <a.h>\nstatic inline int f(int n, ...) { int a[] = { [0] = n }; return a[0] ? 1 : 2; }\n",
        "return a[0]",
        "return a[0",
    ),
    (
        "a.cpp",
        "template <typename T> concept N = requires(T a) { a + a; };\nauto f(N auto x) -> int { auto [a, b] = p; return [&](auto&& y) { return y <=> x; }(1); }\n",
        "return y <=> x; }",
        "return y <=> x; ",
    ),
    (
        "A.java",
        "sealed interface S permits A {}\nrecord A(int x) implements S {}\nclass B { String f(Object o) { return switch (o) { case A(int x) when x > 1 -> \"\"\"\n  a\"\"\"; default -> \"b\"; }; } }\n",
        "default -> \"b\"; };",
        "default -> \"b\" };",
    ),
];

#[test]
fn good_texts_raise_no_alarm() {
    for (name, text, _, _) in samples() {
        assert_eq!(
            certain(errors(&SyntaxCache::default(), &path(name), text)),
            [],
            "{name}"
        );
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(
            certain(errors(&SyntaxCache::default(), &path(name), &crlf)),
            [],
            "{name} with CRLF"
        );
    }
}

#[test]
fn what_breaks_a_text_is_found_at_its_line() {
    // The grammars take another tag's name in a closing tag, and a line that is indented less than its block.
    let told = |name: &str| cfg!(feature = "precise-parsers") || !["a.tsx", "a.py"].contains(&name);
    for (name, text, part, broken) in samples().filter(|(name, ..)| told(name)) {
        let at = text.find(part).unwrap_or_else(|| panic!("{name}: {part}"));
        let line = text[..at].lines().count().max(1);
        let after = text.replacen(part, broken, 1);
        let found = delta(name, text, &after);
        let first = found
            .first()
            .unwrap_or_else(|| panic!("{name}: nothing found"));
        assert!(
            first.line.abs_diff(line) <= 2,
            "{name}: {first:?}, not line {line}"
        );
        assert!(
            !errors(&SyntaxCache::default(), &path(name), &after).is_empty(),
            "{name}"
        );
        assert_eq!(delta(name, &after, text), [], "{name}: mending is no error");
    }
}

#[test]
fn a_broken_text_stays_editable() {
    for (name, text, part, broken) in samples() {
        let before = text.replacen(part, broken, 1);
        // The first line again, as far as a text may hold it twice.
        let after = format!("\n{before}");
        let found = delta(name, &before, &after);
        assert_eq!(found, [], "{name}: an empty line in front");
    }
}

#[cfg(feature = "precise-parsers")]
#[test]
fn errors_that_were_there_are_told_from_new_ones() {
    let check = |name: &str, before: &str, after: &str, lines: &[usize]| {
        let found: Vec<usize> = delta(name, before, after)
            .iter()
            .map(|error| error.line)
            .collect();
        assert_eq!(found, lines, "{after}");
    };
    let before = "function a() { return 1 +; }\nfunction b() { return 2; }\n";
    check(
        "a.js",
        before,
        "\nfunction a() { return 1 +; }\nfunction b() { return 3; }\n",
        &[],
    );
    check(
        "a.js",
        before,
        "\n\nfunction a() { return 1 +; }\nfunction b() { return 3 +; }\n",
        &[4],
    );
    check("a.json", "{\"a\": 1 // x\n}", "{\"a\": 2 // x\n}", &[]);
    check("a.json", "{\"a\": 1}", "{\"a\": 2 // x\n}", &[1]);
    check(
        "a.py",
        "def f():\n    a()\n",
        "def f():\n    a()\n      b()\n",
        &[3, 4],
    );
    check(
        "a.ts",
        "type A<in out T, const out U> = T;\n",
        "type A<in out T, out U> = U;\n",
        &[],
    );
    check(
        "a.ts",
        "type A<\n  in out T,\n  out U,\n> = T;\n",
        "type A<\n  in out T,\n  out U,\n> = ;\n",
        &[4],
    );
    check(
        "a.ts",
        "let a = 1;\n",
        "let a: A<import('./b.js').C<any>>;\n",
        &[],
    );
    check(
        "a.js",
        "<a b={1} {...c} />;\n",
        "<a b{1} {...c} />;\n",
        &[1],
    );
    check("a.js", "let a = { b, c };\n", "let a = { b,, c };\n", &[1]);
    check("a.js", "f(a, b);\n", "f(a, , b);\n", &[1]);
    check(
        "a.yaml",
        "a: [\n  b\n]\nc: d\n",
        "a: [\n  b\n]\nc: [d\n",
        &[5],
    );
    check("a.yaml", "a:\n  - b: c\n", "a:\n  - : c\n", &[2]);
    check("a.py", "print 1\n", "print 1\nx = 2\n", &[]);
}

#[test]
fn what_a_grammar_lets_pass_is_found() {
    let check = |name: &str, before: &str, after: &str, line: Option<usize>| {
        let found = delta(name, before, after);
        assert!(found.iter().all(|error| error.certain), "{after}");
        assert_eq!(found.first().map(|error| error.line), line, "{after}");
    };
    let go = "package a\n\nimport \"b\"\n\nfunc f(x int) {\n\tfor i := 0; i < x; i++ {\n\t}\n\treturn\n}\n";
    for (old, new, line) in [
        ("\treturn\n}\n", "}\n\treturn\n", Some(9)),
        ("package a\n", "", Some(2)),
        ("package a", "// package a", Some(3)),
        ("\"b\"", "\"\"", Some(3)),
        ("f(x int)", "f(map int)", Some(5)),
        ("f(x int)", "f(x int, []int)", Some(5)),
        ("f(x int)", "f(x, y int, z ...int)", None),
        ("f(x int)", "f(int, []int)", None),
        ("f(x int)", "f(a, b, c, d, e, g, h, i, j, x int)", None),
        ("f(x int)", "f(\n\tx int, // y\n)", None),
        ("f(x int)", "f(\n\tx int\n)", Some(6)),
        ("return\n", "g(1,\n2)\n", None),
        ("return\n", "_ = []string{\n`1\n`, 2,\n// 3\n}\n", None),
        ("return\n", "_ = []string{\n`1\n`, 2 // 3\n}\n", Some(10)),
        ("return\n", "const a\n", Some(8)),
        ("return\n", "const (\na = iota\nb\n)\n", None),
        ("i := 0", "2 := 0", Some(6)),
        ("i := 0", "i, j := 0, 1", None),
        ("return\n}\n", "return\n}\n\nimport \"c\"\n", Some(11)),
        ("return\n}\n", "return\n}\n\nvar _, g = 1, 2 // h\n", None),
    ] {
        check("a.go", go, &go.replacen(old, new, 1), line);
    }
    if !is_included("A.java") {
        return;
    }
    let java = "package a;\nimport b;\nclass C extends D {\n    C(int x) {\n        super(x);\n        if (x > 1)\n            f();\n        for (;;x++) g(switch (x) { case 1 -> 2; default -> 3; });\n    }\n}\n";
    for (old, new, line) in [
        ("package a;", " a;", Some(1)),
        ("import b;", "import b;\nimport static c.*;", None),
        ("package a;\nimport b;", "import b;\npackage a;", Some(2)),
        ("int x", "int class", Some(4)),
        ("f();", "f;", Some(7)),
        ("f();", "(f());", Some(7)),
        ("f();", "int y = f();", Some(7)),
        ("f();", "new F(); // x", None),
        ("f();", "switch (x) { case 1 -> f(); default -> {} }", None),
        ("x++", "x - 2", Some(8)),
        ("super(x);", "int y = 2; /* y */ super(y);", None),
        ("super(x);", "y = 2; this (y);", None),
        ("super(x);", "y = 2; super(y;", Some(5)),
    ] {
        check("A.java", java, &java.replacen(old, new, 1), line);
    }
}

#[test]
fn the_table_is_consistent() {
    let mut seen = HashSet::new();
    for language in Language::ALL {
        let facts = language.facts();
        for name in facts.names {
            assert_eq!(
                Language::named(&name.to_uppercase()),
                Some(*language),
                "{name}"
            );
        }
        let extensions = facts
            .extensions
            .iter()
            .map(|extension| format!("x.{extension}"));
        let files = facts.files.iter().map(|file| (*file).to_owned());
        for file in extensions.chain(files) {
            assert_eq!(
                Language::of(&path(&format!("d/{file}"))),
                Some(*language),
                "{file}"
            );
            assert!(seen.insert(file.clone()), "{file} twice");
        }
        let grammar = language.grammar().unwrap();
        let kinds = facts
            .definitions
            .iter()
            .map(|definition| &definition.kind)
            .chain(facts.identifiers);
        let shared = [Language::JavaScript, Language::TypeScript, Language::Tsx];
        for kind in kinds.filter(|_| !shared.contains(language)) {
            assert_ne!(
                grammar.id_for_node_kind(kind, true),
                0,
                "{language:?} has no {kind}"
            );
        }
        assert!(!facts.names.is_empty() && !facts.extensions.is_empty());
    }
    assert_eq!(Language::of(&path("Makefile")), None);
    assert_eq!(Language::named("cobol"), None);
}

#[test]
fn hostile_texts_are_bounded() {
    for open in [
        "(",
        "[",
        "{",
        "<a>",
        "- ",
        "> ",
        "!",
        "f(a, ",
        "\"",
        "a: ",
        "if a {} else ",
        "/*",
    ] {
        let text = open.repeat(5_000);
        for language in Language::ALL {
            let extension = language.facts().extensions[0];
            let _any = errors(
                &SyntaxCache::default(),
                &path(&format!("x.{extension}")),
                &text,
            );
        }
    }
}

#[test]
fn scripts_that_nest_without_brackets_are_bounded() {
    for open in [
        "if (a) {} else ",
        "a ? ",
        "a => ",
        "`${",
        "A<",
        "A<a,\n",
        "typeof ",
        "await ",
        "x = ",
        "a\n",
        "**a",
        "a: ",
        "@a ",
    ] {
        for name in ["x.tsx", "x.ts", "x.js", "x.d.ts"] {
            let _any = errors(&SyntaxCache::default(), &path(name), &open.repeat(5_000));
            let _any = errors(
                &SyntaxCache::default(),
                &path(name),
                &format!("let a: {}", open.repeat(5_000)),
            );
        }
    }
}

#[test]
fn brackets_that_nothing_closes_are_an_error_however_many_they_are() {
    for (name, open) in [
        ("x.ts", "f(a;\n"),
        ("x.go", "f(a\n"),
        ("x.c", "{("),
        ("x.css", "a {\n"),
    ]
    .into_iter()
    .filter(|(name, _)| is_included(name))
    {
        let found = errors(&SyntaxCache::default(), &path(name), &open.repeat(5_000));
        assert!(
            !certain(found.clone()).is_empty() || name != "x.go",
            "{name}"
        );
        assert!(!found.is_empty(), "{name}");
        // What was so before is no new error.
        let before = open.repeat(5_000);
        let after = format!("{before}a");
        assert_eq!(certain(delta(name, &before, &after)), [], "{name}");
    }
}

#[test]
fn new_errors_in_c_cpp_bash_and_css_warn_and_never_refuse() {
    for (name, before, after) in [
        (
            "a.c",
            "int f(void) { return 1; }\n",
            "int f(void) { return 1 }\n",
        ),
        ("a.h", "int f(int a);\n", "int f(int a;\n"),
        (
            "a.cpp",
            "auto f = [](int a) { return a; };\n",
            "auto f = [](int a { return a; };\n",
        ),
        (
            "a.sh",
            "for i in 1 2; do f; done\n",
            "for i in 1 2; do f;\n",
        ),
        ("a.css", "a { b: c; }\n", "a { b: c; }}\n"),
    ]
    .into_iter()
    .filter(|(name, ..)| is_included(name))
    {
        let found = delta(name, before, after);
        assert!(!found.is_empty(), "{name}");
        assert_eq!(certain(found), [], "{name}");
        assert_eq!(
            certain(errors(&SyntaxCache::default(), &path(name), after)),
            [],
            "{name}"
        );
    }
}

#[test]
fn files_without_a_grammar_in_the_build_are_of_no_known_language() {
    let included = cfg!(feature = "extra-grammars");
    for (name, language) in [
        ("a.c", Language::C),
        ("a.hpp", Language::Cpp),
        ("a.css", Language::Css),
        ("a.html", Language::Html),
        ("A.java", Language::Java),
    ] {
        let expected = included.then_some(language);
        assert_eq!(Language::of(&path(name)), expected, "{name}");
        assert_eq!(Language::named(language.name()), expected, "{name}");
        assert_eq!(Language::ALL.contains(&language), included, "{name}");
        assert_eq!(language.parse("").is_some(), included, "{name}");
        assert_eq!(errors(&SyntaxCache::default(), &path(name), ""), []);
    }
    // Permission rules read command lines by it.
    assert_eq!(Language::of(&path("a.sh")), Some(Language::Bash));
}

/// Grammars of languages with a precise parser alarm on some good files, so that only what is new is refused.
#[cfg(not(feature = "precise-parsers"))]
#[test]
fn without_a_precise_parser_the_tree_tells_errors() {
    for (name, good, broken) in [
        ("a.py", "def f():\n    a()\n", "def f(:\n    a()\n"),
        ("a.ts", "let a = b(1);\n", "let a = b(1;\n"),
        ("a.tsx", "let a = <p>b</p>;\n", "let a = <p>b</p;\n"),
        ("a.js", "let a = b(1);\n", "let a = b(1;\n"),
    ] {
        let found = delta(name, good, broken);
        assert!(found.iter().any(|error| error.certain), "{name}: {found:?}");
        let whole = errors(&SyntaxCache::default(), &path(name), broken);
        assert!(!whole.is_empty(), "{name}");
        assert_eq!(certain(whole), [], "{name}: a new file");
        assert_eq!(delta(name, broken, good), [], "{name}: mending");
    }
    // Only the languages' own parsers know what is out of place.
    assert_eq!(delta("a.py", "x = 1\n", "return 1\n"), []);
    assert_eq!(delta("a.tsx", "a = <p>b</p>;\n", "a = <p>b</q>;\n"), []);
}
