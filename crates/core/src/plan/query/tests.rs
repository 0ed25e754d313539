//! Queries with their templates, before and after.

use super::*;
use crate::plan::testing::{run, word};
use crate::request::{AstAction as Do, InsertPosition as At, Request};

fn ast(query: &str, action: Do, template: &str) -> AstRequest {
    AstRequest {
        engine: "tree-sitter".into(),
        language: None,
        query: query.into(),
        capture: None,
        action,
        template: template.into(),
    }
}

fn edit(
    path: &str,
    before: &str,
    query: &str,
    action: Do,
    template: &str,
) -> Result<String, Outcome> {
    run(path, before, Request::Ast(ast(query, action, template)))
}

/// Applies, compares, and applies again.
fn check(path: &str, before: &str, query: &str, action: Do, template: &str, after: &str) {
    let once = edit(path, before, query, action, template);
    assert_eq!(once.as_deref(), Ok(after), "{query} {template:?}");
    if !matches!(action, Do::Delete) {
        let twice = edit(path, after, query, action, template);
        assert_eq!(
            word(&twice),
            "already_applied",
            "{query} {template:?}: {twice:?}"
        );
    }
}

#[test]
fn what_goes_into_a_tag_goes_before_its_end() {
    let into = |path: &str, before: &str, query: &str, at: At, after: &str| {
        check(path, before, query, Do::Insert(at), "id=\"y\"", after);
    };
    let open = "(jsx_opening_element) @e";
    let closed = "(jsx_self_closing_element) @e";
    into(
        "a.tsx",
        "x = <B c>t</B>;\n",
        open,
        At::End,
        "x = <B c id=\"y\">t</B>;\n",
    );
    into(
        "a.tsx",
        "x = <B>t</B>;\n",
        open,
        At::End,
        "x = <B id=\"y\">t</B>;\n",
    );
    into(
        "a.tsx",
        "x = <B<T> c />;\n",
        closed,
        At::Start,
        "x = <B<T> id=\"y\" c />;\n",
    );
    into(
        "a.tsx",
        "x = <B />;\n",
        closed,
        At::End,
        "x = <B id=\"y\" />;\n",
    );
    into(
        "a.tsx",
        "x = <B\n  c\n/>;\n",
        closed,
        At::End,
        "x = <B\n  c\n  id=\"y\"\n/>;\n",
    );
    into(
        "a.html",
        "<p class=\"a\">t</p>\n",
        "(start_tag) @t",
        At::End,
        "<p class=\"a\" id=\"y\">t</p>\n",
    );
    check(
        "a.ts",
        "let a: M<A>;\n",
        "(type_arguments) @t",
        Do::Insert(At::End),
        "B",
        "let a: M<A, B>;\n",
    );
}

#[test]
fn decorators_are_not_put_twice() {
    let query = "(function_definition) @f";
    let after = "@b()\n@a\ndef f(): pass\n";
    check(
        "a.py",
        "@a\ndef f(): pass\n",
        query,
        Do::Insert(At::Before),
        "@@b()",
        after,
    );
}

#[test]
fn what_is_put_or_taken_within_a_line_leaves_single_blanks() {
    let gone = |path: &str, before: &str, query: &str, after: &str| {
        check(path, before, query, Do::Delete, "", after);
    };
    let attribute = "(jsx_attribute) @a";
    gone("a.tsx", "x = <B c={1} />;\n", attribute, "x = <B />;\n");
    gone("a.tsx", "x = <B c>t</B>;\n", attribute, "x = <B>t</B>;\n");
    check(
        "a.css",
        ".a { top: 0; }\n",
        "(declaration) @d",
        Do::Insert(At::After),
        "left: 0;",
        ".a { top: 0; left: 0; }\n",
    );
}

const IMPORT: &str = "import { Button } from \"@/components/ui/button\";\n";

#[test]
fn a_template_for_the_root_goes_to_the_start_once() {
    let root = |before: &str, after: &str| {
        check(
            "a.tsx",
            before,
            "(program) @root",
            Do::Implied,
            IMPORT,
            after,
        );
    };
    root(
        "x();\n",
        "import { Button } from \"@/components/ui/button\";\nx();\n",
    );
    root(
        "'use client';\r\nx();\r\n",
        "'use client';\r\nimport { Button } from \"@/components/ui/button\";\r\nx();\r\n",
    );
    root("", "import { Button } from \"@/components/ui/button\";\n");
    let there = "import React from 'react';\nimport { Button } from \"@/components/ui/button\";\n";
    let result = edit("a.tsx", there, "(program) @root", Do::Implied, IMPORT);
    assert_eq!(word(&result), "already_applied");
}

#[test]
fn what_has_to_stay_first_stays_first() {
    let start = |path: &str, root: &str, before: &str, template: &str, after: &str| {
        check(
            path,
            before,
            &format!("({root}) @r"),
            Do::Insert(At::Start),
            template,
            after,
        );
    };
    start(
        "a.rs",
        "source_file",
        "//! Doc.\n#![allow(x)]\n\nfn a() {}\n",
        "use b;",
        "//! Doc.\n#![allow(x)]\nuse b;\n\nfn a() {}\n",
    );
    start(
        "a.py",
        "module",
        "#!/usr/bin/python\n\"\"\"Doc.\"\"\"\nx = 1\n",
        "import os\n",
        "#!/usr/bin/python\n\"\"\"Doc.\"\"\"\nimport os\nx = 1\n",
    );
    start(
        "a.py",
        "module",
        "\"\"\"Doc.\"\"\"\n",
        "# Licence\n",
        "# Licence\n\"\"\"Doc.\"\"\"\n",
    );
    start(
        "a.js",
        "program",
        "\u{feff}x();\n",
        "y();",
        "\u{feff}y();\nx();\n",
    );
    start(
        "a.js",
        "program",
        "'use strict'",
        "y();",
        "'use strict'\ny();",
    );
}

#[test]
fn matches_are_replaced_deleted_and_counted() {
    let call = "((call_expression function: (identifier) @f arguments: (arguments) @a) @c (#eq? @f \"foo\"))";
    check(
        "a.js",
        "foo(1); bar(2); foo(3);\n",
        call,
        Do::Replace,
        "baz@a",
        "baz(1); bar(2); baz(3);\n",
    );
    check(
        "a.js",
        "foo(foo(1));\n",
        call,
        Do::Replace,
        "await baz@a",
        "await baz(await baz(1));\n",
    );
    check(
        "a.js",
        "foo(1);\n",
        call,
        Do::Replace,
        "here@@there",
        "here@there;\n",
    );
    let body = "(expression_statement (call_expression function: (identifier) @_f (#any-of? @_f \"foo\" \"bar\"))) @s";
    check(
        "a.js",
        "a();\nfoo(1);\nb();\n",
        body,
        Do::Delete,
        "",
        "a();\nb();\n",
    );
    check(
        "a.js",
        "f(x, y, z);\n",
        "((identifier) @i (#eq? @i \"y\"))",
        Do::Delete,
        "",
        "f(x, z);\n",
    );
    check(
        "a.js",
        "f(x, y);\n",
        "((identifier) @i (#eq? @i \"y\"))",
        Do::Delete,
        "",
        "f(x);\n",
    );
    let matched = "((identifier) @i (#match? @i \"^on[A-Z]\"))";
    check(
        "a.js",
        "onX(only, onY)\n",
        matched,
        Do::Replace,
        "props.@i",
        "props.onX(only, props.onY)\n",
    );
}

#[test]
fn insertions_take_the_indentation_of_their_place() {
    let named = "((function_item name: (identifier) @_n) @f (#eq? @_n \"b\"))";
    let text = "mod m {\n    fn a() {}\n\n    /// Doc.\n    #[x]\n    pub fn b() {}\n}\n";
    check(
        "a.rs",
        text,
        named,
        Do::Insert(At::Before),
        "fn new() {\n    x();\n}",
        "mod m {\n    fn a() {}\n\n    fn new() {\n        x();\n    }\n    /// Doc.\n    #[x]\n    pub fn b() {}\n}\n",
    );
    check(
        "a.rs",
        text,
        named,
        Do::Insert(At::Before),
        "#[inline]",
        "mod m {\n    fn a() {}\n\n    /// Doc.\n    #[x]\n    #[inline]\n    pub fn b() {}\n}\n",
    );
    check(
        "a.rs",
        text,
        named,
        Do::Insert(At::After),
        "\nfn c() {}\n",
        "mod m {\n    fn a() {}\n\n    /// Doc.\n    #[x]\n    pub fn b() {}\n\n    fn c() {}\n}\n",
    );
    check(
        "a.rs",
        text,
        named,
        Do::Insert(At::Start),
        "x();",
        "mod m {\n    fn a() {}\n\n    /// Doc.\n    #[x]\n    pub fn b() {\n        x();\n    }\n}\n",
    );
    check(
        "a.ts",
        "export function b() {\n\treturn 1;\n}\n",
        "(function_declaration) @f",
        Do::Insert(At::Before),
        "if (x) {\n  y();\n}",
        "if (x) {\n\ty();\n}\nexport function b() {\n\treturn 1;\n}\n",
    );
    check(
        "a.py",
        "def b():\n  \"\"\"Doc.\"\"\"\n  return 1\n",
        "(function_definition) @f",
        Do::Insert(At::Start),
        "if x:\n  y()",
        "def b():\n  \"\"\"Doc.\"\"\"\n  if x:\n    y()\n  return 1\n",
    );
    check(
        "a.py",
        "class A:\n  def b(self):\n    pass\nx\n",
        "(class_definition) @f",
        Do::Insert(At::End),
        "def c(self):\n  pass",
        "class A:\n  def b(self):\n    pass\n  def c(self):\n    pass\nx\n",
    );
}

#[test]
fn lists_keep_their_commas() {
    let args = "(arguments) @a";
    check(
        "a.js",
        "f(x)\n",
        args,
        Do::Insert(At::End),
        "y",
        "f(x, y)\n",
    );
    check(
        "a.js",
        "f(x)\n",
        args,
        Do::Insert(At::Start),
        "y",
        "f(y, x)\n",
    );
    check("a.js", "f()\n", args, Do::Insert(At::End), "y", "f(y)\n");
    check(
        "a.js",
        "f(\n  x,\n)\n",
        args,
        Do::Insert(At::End),
        "y",
        "f(\n  x,\n  y,\n)\n",
    );
    check(
        "a.js",
        "x = {\n  a: 1\n}\n",
        "(object) @o",
        Do::Insert(At::End),
        "b: 2",
        "x = {\n  a: 1,\n  b: 2\n}\n",
    );
    check(
        "a.js",
        "x = {\n  a: 1,\n}\n",
        "(object) @o",
        Do::Insert(At::Start),
        "b: 2",
        "x = {\n  b: 2,\n  a: 1,\n}\n",
    );
    check(
        "a.tsx",
        "x = <p>\n  <b/>\n</p>\n",
        "(jsx_element) @e",
        Do::Insert(At::End),
        "<i/>",
        "x = <p>\n  <b/>\n  <i/>\n</p>\n",
    );
    check(
        "a.rs",
        "struct S {\n    a: u8,\n}\n",
        "(struct_item) @s",
        Do::Insert(At::End),
        "b: u8,",
        "struct S {\n    a: u8,\n    b: u8,\n}\n",
    );
}

#[test]
fn inline_insertions_touch_their_node() {
    let ident = "((identifier) @i (#eq? @i \"x\"))";
    check(
        "a.js",
        "f(x);\n",
        ident,
        Do::Insert(At::After),
        ", y",
        "f(x, y);\n",
    );
    check(
        "a.js",
        "f(x);\n",
        ident,
        Do::Insert(At::Before),
        "...",
        "f(...x);\n",
    );
    check(
        "a.js",
        "function x() {}\n",
        "(function_declaration) @f",
        Do::Insert(At::Before),
        "async ",
        "async function x() {}\n",
    );
}

#[test]
fn captured_lines_move_and_strings_stay() {
    let text = "function f() {\n    if (a) {\n        b(`\n  c`);\n        d();\n    }\n}\n";
    check(
        "a.js",
        text,
        "(if_statement consequence: (statement_block) @b) @i",
        Do::Replace,
        "{\n    while (a)\n        @b\n}",
        "function f() {\n    {\n        while (a)\n            {\n                b(`\n  c`);\n                d();\n            }\n    }\n}\n",
    );
}

#[test]
fn nonsense_is_answered() {
    let check =
        |path: &str, before: &str, query: &str, template: &str, expected: &str, part: &str| {
            let result = edit(path, before, query, Do::Replace, template);
            assert_eq!(word(&result), expected, "{query}: {result:?}");
            let words = format!("{result:?}");
            assert!(words.contains(part), "{words}");
        };
    check(
        "a.js",
        "x",
        "(identifer) @i",
        "y",
        "invalid",
        "no node kind `identifer`; it has identifier",
    );
    check(
        "a.js",
        "x",
        "(call_expression func: (_)) @i",
        "y",
        "invalid",
        "no field `func`; it has function",
    );
    check(
        "a.js",
        "x",
        "(identifier @i",
        "y",
        "invalid",
        "query line 1, column",
    );
    check(
        "a.js",
        "x",
        "(identifier)",
        "y",
        "invalid",
        "captures nothing",
    );
    check(
        "a.js",
        "x",
        "((identifier) @i (#has-parent? @i x))",
        "y",
        "invalid",
        "`#has-parent?` is not known",
    );
    check(
        "a.js",
        "x",
        "((identifier) @i (#eq? @j \"x\"))",
        "y",
        "invalid",
        "",
    );
    check(
        "a.js",
        "f(x)",
        "(class_declaration) @c",
        "y",
        "not_found",
        "no node `class_declaration`; most frequent are identifier (2)",
    );
    check(
        "a.js",
        "f(x)",
        "((identifier) @c (#eq? @c \"long\"))",
        "y",
        "not_found",
        "2 matches, such as @c = \\\"f\\\"",
    );
    check(
        "a.js",
        "f(x)",
        "(call_expression function: (number)) @c (number) @d",
        "y",
        "not_found",
        "",
    );
    check("a.txt", "f(x)", "(x) @c", "y", "refused", "no grammar");
    check(
        "a.js",
        "f(x, y)",
        "(call_expression arguments: (arguments (_) @a)) @c",
        "g(@a)",
        "refused",
        "several ways",
    );
    let mut request = ast("(x) @x", Do::Replace, "y");
    request.engine = "babel".into();
    assert_eq!(word(&run("a.js", "x", Request::Ast(request))), "invalid");
    let mut request = ast("(identifier) @x", Do::Replace, "y");
    request.language = Some("cobol".into());
    assert_eq!(word(&run("a.js", "x", Request::Ast(request))), "invalid");
    let mut request = ast("(identifier) @x", Do::Replace, "y");
    request.capture = Some("z".into());
    assert_eq!(word(&run("a.js", "x", Request::Ast(request))), "invalid");
}

#[test]
fn large_and_deep_texts_are_bounded() {
    let long = "f(x);\n".repeat(300_000);
    assert_eq!(
        word(&edit("a.js", &long, "(identifier) @i", Do::Replace, "y")),
        "refused"
    );
    let deep = format!("{}1{};\n", "f(".repeat(90), ")".repeat(90));
    let result = edit(
        "a.js",
        &deep,
        "(call_expression arguments: (arguments (_) @a)) @c",
        Do::Replace,
        "g(@a)",
    );
    assert_eq!(word(&result), "applied", "{result:?}");
    let deeper = format!("{}1{};\n", "f(".repeat(3_000), ")".repeat(3_000));
    let query = "(call_expression arguments: (arguments (_) @a)) @c";
    assert_eq!(
        word(&edit("a.js", &deeper, query, Do::Replace, "g(@a)")),
        "refused"
    );
    let wide = format!("f({});\n", "a, ".repeat(5_000));
    let result = edit(
        "a.js",
        &wide,
        "(arguments (identifier)* @a (identifier)* @b) @c",
        Do::Replace,
        "(@a)",
    );
    assert_ne!(word(&result), "applied");
}

#[test]
fn what_belongs_to_a_node_goes_with_it() {
    let named = "((function_item name: (identifier) @_n) @f (#eq? @_n \"f\"))";
    let delete = |path: &str, before: &str, query: &str, after: &str| {
        assert_eq!(
            edit(path, before, query, Do::Delete, "").as_deref(),
            Ok(after)
        );
    };
    delete(
        "a.rs",
        "/// Doc.\n#[x]\nfn f() {}\n\nfn g() {}\n",
        named,
        "fn g() {}\n",
    );
    delete(
        "a.rs",
        "// Section.\nfn f() {}\n\nfn g() {}\n",
        named,
        "// Section.\n\nfn g() {}\n",
    );
    delete(
        "a.py",
        "@d\ndef f():\n    pass\nx = 1\n",
        "(function_definition) @f",
        "x = 1\n",
    );
    delete(
        "a.ts",
        "export function f() {}\nx();\n",
        "(function_declaration) @f",
        "x();\n",
    );
}

#[test]
fn a_body_on_one_line_stays_on_it() {
    check(
        "a.py",
        "def f(): a()\n",
        "(function_definition) @f",
        Do::Insert(At::End),
        "b()",
        "def f(): a(); b()\n",
    );
    check(
        "a.py",
        "def f(): a()\n",
        "(function_definition) @f",
        Do::Insert(At::Start),
        "b()",
        "def f(): b(); a()\n",
    );
}

#[test]
fn every_text_has_an_answer() {
    use proptest::prelude::*;
    let text = "[a-c(){};,.@\n \"'é=]{0,60}";
    let query = proptest::sample::select(vec![
        "(identifier) @i",
        "(_) @a",
        "(call_expression) @c",
        "(arguments (_) @a) @b",
        "(program) @r",
        "(statement_block) @s",
        "(object (_)* @p) @o",
        "((_) @a . (_) @b)",
        "(ERROR) @e",
        "(string) @i",
    ]);
    let action = proptest::sample::select(vec![
        Do::Implied,
        Do::Replace,
        Do::Delete,
        Do::Insert(At::Before),
        Do::Insert(At::After),
        Do::Insert(At::Start),
        Do::Insert(At::End),
    ]);
    proptest!(ProptestConfig::with_cases(150), |((before, query, action, template, raw) in (text, query, action, text, text))| {
        let once = edit("a.js", &before, query, action, &template);
        if let Ok(after) = once {
            prop_assert_ne!(after, before.clone());
        }
        let _ = edit("a.py", &before, &format!("({raw}"), action, &template);
    });
}

#[test]
fn what_may_be_there_several_times_is_found_by_its_text() {
    // The text is long, so that only a part of it would be looked at.
    let before = format!(
        "docker run -t \\\n{}  -c d\ncd x\n",
        "  -v \"$(pwd)\" \\\n".repeat(9)
    );
    let after = before.replace("docker", "podman");
    check(
        "a.sh",
        &before,
        "((command_name (word)+ @_w) @t (#eq? @_w \"docker\"))",
        Do::Replace,
        "podman",
        &after,
    );
}

#[test]
fn neighbours_in_a_list_go_together() {
    let gone = |path: &str, before: &str, query: &str, after: &str| {
        check(path, before, query, Do::Delete, "", after);
    };
    gone(
        "a.rs",
        "use a::{b, c};\n",
        "(use_list (identifier) @x)",
        "use a::{};\n",
    );
    gone(
        "a.rs",
        "fn f() {\n    let (a, b) = c(d, e, f);\n}\n",
        "(tuple_pattern (identifier) @x)",
        "fn f() {\n    let () = c(d, e, f);\n}\n",
    );
    gone(
        "a.rs",
        "fn f() {\n    c(d, e, 1);\n}\n",
        "(arguments (identifier) @x)",
        "fn f() {\n    c(1);\n}\n",
    );
    gone(
        "a.rs",
        "fn f() {\n    c(1, d, e);\n}\n",
        "(arguments (identifier) @x)",
        "fn f() {\n    c(1);\n}\n",
    );
    gone(
        "a.json",
        "[\n  1,\n  \"b\",\n  \"c\"\n]\n",
        "(string) @x",
        "[\n  1\n]\n",
    );
}

#[test]
fn captures_that_the_template_does_not_name_make_no_difference() {
    let query = "(call_expression arguments: (arguments (identifier) @_a)) @x";
    let source = "fn f() {\n    c(d, e);\n}\n";
    let made = edit("a.rs", source, query, Do::Replace, "g(@x)");
    assert_eq!(made.as_deref(), Ok("fn f() {\n    g(c(d, e));\n}\n"));
    let both = edit("a.rs", source, query, Do::Replace, "g(@_a)");
    assert_eq!(word(&both), "refused", "{both:?}");
}
