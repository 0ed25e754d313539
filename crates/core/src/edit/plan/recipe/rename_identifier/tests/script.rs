//! Scopes of JavaScript and TypeScript.

use super::check;

#[test]
fn a_rename_follows_the_scopes_of_typescript() {
    check(
        "x.ts",
        "",
        "const a = 1;\nfunction f(a) { return a; }\nconst g = a => a;\nh(a);\n",
        "const b = 1;\nfunction f(a) { return a; }\nconst g = a => a;\nh(b);\n",
    );
    check(
        "x.ts",
        r#","line":3"#,
        "const a = 1;\nfunction f() {\n  if (x) { let a = 2; a; }\n  var c = a;\n}\n",
        "const a = 1;\nfunction f() {\n  if (x) { let b = 2; b; }\n  var c = a;\n}\n",
    );
    check(
        "x.js",
        r#","line":2"#,
        "function f(c) {\n  if (c) { var a = 1; }\n  return a;\n}\na();\n",
        "function f(c) {\n  if (c) { var b = 1; }\n  return b;\n}\na();\n",
    );
    check(
        "x.js",
        "",
        "const a = 1; const o = { a, a: 2, c: a }; o.a; const { a: d } = o; class K { a() {} }\n",
        "const b = 1; const o = { a: b, a: 2, c: b }; o.a; const { a: d } = o; class K { a() {} }\n",
    );
    check(
        "x.js",
        "",
        "function f({ a, c = a }, [d]) { return a; }\n",
        "function f({ a: b, c = b }, [d]) { return b; }\n",
    );
    check(
        "x.js",
        "",
        "const { a = 1 } = o; try {} catch (e) { a; } for (const a of x) { a; }\n",
        "const { a: b = 1 } = o; try {} catch (e) { b; } for (const a of x) { a; }\n",
    );
    check(
        "x.tsx",
        "",
        "const a = 1;\nconst x = <a href={a} />;\nexport { a };\n",
        "const b = 1;\nconst x = <a href={b} />;\nexport { b };\n",
    );
    check(
        "x.ts",
        "",
        "import { c as a } from 'm';\na();\n",
        "import { c as b } from 'm';\nb();\n",
    );
    check(
        "x.ts",
        "",
        "import a from 'm';\na();\n",
        "import b from 'm';\nb();\n",
    );
    check(
        "x.ts",
        r#","kind":"field""#,
        "const a = { a: 1 }; a.a; interface I { a: string }\n",
        "const a = { b: 1 }; a.b; interface I { b: string }\n",
    );
}

#[test]
fn types_and_values_of_script_are_companions() {
    check(
        "x.ts",
        "",
        "const a = z();\ntype a = T<typeof a>;\nfunction f<a>(x: a): a {}\nlet y: a;\n",
        "const b = z();\ntype b = T<typeof b>;\nfunction f<a>(x: a): a {}\nlet y: b;\n",
    );
    check(
        "x.ts",
        r#","kind":"type""#,
        "class K<a> { x: a; a: a }\n",
        "class K<b> { x: b; a: b }\n",
    );
}

#[test]
fn types_of_typescript_are_told_apart() {
    check(
        "x.ts",
        r#","line":1,"column":30"#,
        "type F<T> = T extends (infer a)[] ? (a extends P<infer a> ? a : a) : a;\n",
        "type F<T> = T extends (infer b)[] ? (b extends P<infer a> ? a : b) : a;\n",
    );
    // A type and a value of one name go together, unless one of them is asked for.
    let both = "export const a = f();\nexport type a = typeof a;\n";
    check(
        "x.ts",
        r#","line":1"#,
        both,
        "export const b = f();\nexport type b = typeof b;\n",
    );
    check(
        "x.ts",
        r#","line":1,"kind":"value""#,
        both,
        "export const b = f();\nexport type a = typeof b;\n",
    );
    check(
        "x.ts",
        r#","line":1"#,
        "export { a };\ndeclare namespace N {\n  var a: string;\n}\n",
        "export { b };\ndeclare namespace N {\n  var a: string;\n}\n",
    );
    check(
        "x.ts",
        r#","line":1"#,
        "import a from 'm';\nnamespace N {\n  type a = a.c;\n  let d: a;\n}\nfunction f(a: a.c) {}\n",
        "import b from 'm';\nnamespace N {\n  type a = b.c;\n  let d: a;\n}\nfunction f(a: b.c) {}\n",
    );
}
