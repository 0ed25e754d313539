//! Before and after, and what is answered where a body cannot be replaced.

use super::super::testing::{answers, check as check_all};

fn request(symbol: &str, part: &str, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"name":"replace_symbol_body","symbol":"{symbol}","{part}":{text}}}"#)
}

fn body(path: &str, symbol: &str, new: &str, before: &str, after: &str) {
    check_all(path, &request(symbol, "body", new), before, after);
}

fn code(path: &str, symbol: &str, new: &str, before: &str, after: &str) {
    check_all(path, &request(symbol, "code", new), before, after);
}

#[test]
fn a_block_is_replaced_at_its_depth() {
    body(
        "a.rs",
        "f",
        "b();\nc()",
        "fn f() {\n    a()\n}\n",
        "fn f() {\n    b();\n    c()\n}\n",
    );
    body(
        "a.rs",
        "A::f",
        "{\n  if b {\n    c()\n  }\n}",
        "impl A {\n\tfn f(\n\t\t&self,\n\t) {\n\t\ta()\n\t}\n}\n",
        "impl A {\n\tfn f(\n\t\t&self,\n\t) {\n\t\tif b {\n\t\t\tc()\n\t\t}\n\t}\n}\n",
    );
    body("a.rs", "f", "b()", "fn f() { a() }\n", "fn f() { b() }\n");
    body("a.rs", "f", "", "fn f() { a() }\n", "fn f() {}\n");
    body(
        "a.rs",
        "f",
        "{ a } + { b }",
        "fn f() { c }\n",
        "fn f() { { a } + { b } }\n",
    );
    body(
        "a.ts",
        "A.f",
        "return 2;",
        "class A {\n  f(): number {\n    return 1;\n  }\n}\n",
        "class A {\n  f(): number {\n    return 2;\n  }\n}\n",
    );
    body(
        "a.ts",
        "A",
        "x = 1;",
        "export class A {}\n",
        "export class A {\n  x = 1;\n}\n",
    );
    body(
        "a.js",
        "f",
        "return `\n a`;",
        "const f = () => {\n  x();\n};\n",
        "const f = () => {\n  return `\n a`;\n};\n",
    );
}

#[test]
fn an_arrow_keeps_an_expression_or_gets_a_block() {
    body(
        "a.ts",
        "f",
        "a + 2",
        "const f = (a) => a + 1;\n",
        "const f = (a) => a + 2;\n",
    );
    body(
        "a.ts",
        "f",
        "const b = a;\nreturn b;",
        "const f = (a) => a + 1;\n",
        "const f = (a) => {\n  const b = a;\n  return b;\n};\n",
    );
}

#[test]
fn a_suite_keeps_its_docstring_and_remarks_of_the_header() {
    let before = "def f():  # x\n    \"\"\"Doc.\"\"\"\n\n    a()\n    # end\n\n\nb()\n";
    let after = "def f():  # x\n    \"\"\"Doc.\"\"\"\n\n    if c:\n        d()\n\n\nb()\n";
    body("a.py", "f", "if c:\n  d()", before, after);
    let after = "def f():  # x\n    \"\"\"New.\"\"\"\n    d()\n\n\nb()\n";
    body("a.py", "f", "\"\"\"New.\"\"\"\nd()", before, after);
    body(
        "a.py",
        "f",
        "a()\nb()",
        "def f(): pass\nc()\n",
        "def f():\n    a()\n    b()\nc()\n",
    );
    body(
        "a.py",
        "A.f",
        "if a:\n    b()\nc()",
        "class A:\n  def f(self):\n    if a:\n      b()\n      c()\n",
        "class A:\n  def f(self):\n    if a:\n      b()\n    c()\n",
    );
    body(
        "a.py",
        "f",
        "return 1",
        "def f():\n    'Doc.'\n",
        "def f():\n    'Doc.'\n    return 1\n",
    );
}

#[test]
fn a_whole_item_keeps_what_wraps_it() {
    code(
        "a.rs",
        "A::f",
        "fn f(&self) {\n    b()\n}",
        "impl A {\n    /// Doc.\n    fn f() {\n        a()\n    }\n}\n",
        "impl A {\n    /// Doc.\n    fn f(&self) {\n        b()\n    }\n}\n",
    );
    code(
        "a.rs",
        "f",
        "/// New.\n#[inline]\nfn f() {}",
        "/// Old.\nfn f() { a() }\n",
        "/// New.\n#[inline]\nfn f() {}\n",
    );
    code(
        "a.ts",
        "f",
        "function f() {}",
        "export function f(a) {}\n",
        "export function f() {}\n",
    );
    code(
        "a.ts",
        "f",
        "const f = 2;",
        "export const f = 1;\n",
        "export const f = 2;\n",
    );
    code(
        "a.ts",
        "A.f",
        "async f() {\n  b();\n}",
        "class A {\n    f() {\n        a();\n    }\n}\n",
        "class A {\n    async f() {\n        b();\n    }\n}\n",
    );
    code(
        "a.py",
        "A.f",
        "def f(self):\n    return 2",
        "class A:\n    @d\n    def f(self):\n        return 1\n",
        "class A:\n    @d\n    def f(self):\n        return 2\n",
    );
    code(
        "a.py",
        "f",
        "@e\ndef f(): pass",
        "@d\ndef f(): pass\n",
        "@e\ndef f(): pass\n",
    );
    // A body that is the whole item is one.
    body(
        "a.rs",
        "f",
        "fn f() { b() }",
        "fn f() { a() }\n",
        "fn f() { b() }\n",
    );
}

#[test]
fn what_does_not_fit_is_told() {
    let check = |path: &str, request: &str, before: &str, expected: &str, why: &str| {
        answers(path, request, before, expected, why);
    };
    check(
        "a.rs",
        &request("f", "body", "x"),
        "fn g() {}\n",
        "not_found",
        "no item `f`",
    );
    check(
        "a.rs",
        &request("f", "code", "fn g() {}"),
        "fn f() {}\n",
        "invalid",
        "is `g`",
    );
    check(
        "a.rs",
        &request("f", "code", "fn f( {"),
        "fn f() {}\n",
        "invalid",
        "not one whole",
    );
    check(
        "a.rs",
        &request("S", "body", "x"),
        "struct S;\n",
        "refused",
        "has no body",
    );
    check(
        "a.py",
        &request("f", "body", ""),
        "def f(): pass\n",
        "invalid",
        "is empty",
    );
    let two = "impl A { fn f() {} }\nimpl B { fn f() {} }\n";
    check(
        "a.rs",
        &request("f", "body", "x"),
        two,
        "ambiguous",
        "2 items",
    );
    let of_class = request("A.f", "code", "function f() {}");
    check(
        "a.js",
        &of_class,
        "class A { f() {} }\n",
        "invalid",
        "cannot stand",
    );
}

#[test]
fn a_suite_behind_a_header_of_several_lines_is_indented() {
    check_all(
        "x.py",
        r#"{"name":"replace_symbol_body","symbol":"f","body":"return 1"}"#,
        "class A:\n    def f(\n        self,\n    ) -> int: ...\n",
        "class A:\n    def f(\n        self,\n    ) -> int:\n        return 1\n",
    );
}
