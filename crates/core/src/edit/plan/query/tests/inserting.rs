//! What is put beside a node or into it.

use super::*;

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
        "def b():\n  'One ' 'doc.'\n  return 1\n",
        "(function_definition) @f",
        Do::Insert(At::Start),
        "a()",
        "def b():\n  'One ' 'doc.'\n  a()\n  return 1\n",
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
