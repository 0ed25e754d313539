//! Renaming, as tables of before and after; the name is always `a`, the new one `b`.

use super::super::testing::{answers, check as check_recipe};

fn rename(more: &str) -> String {
    format!(r#"{{"name":"rename_identifier","from":"a","to":"b"{more}}}"#)
}

fn check(path: &str, more: &str, before: &str, after: &str) {
    check_recipe(path, &rename(more), before, after);
}

#[test]
fn identifiers_change_and_strings_and_comments_do_not() {
    check(
        "x.rs",
        "",
        "fn a() { println!(\"a {}\", a()); x.a; } // a\n",
        "fn b() { println!(\"a {}\", b()); x.a; } // a\n",
    );
    check(
        "x.tsx",
        "",
        "const a = <a.B c={a} a>a</a.B>; 'a'; `a ${a}`;\n",
        "const b = <b.B c={b} a>a</b.B>; 'a'; `a ${b}`;\n",
    );
    check(
        "x.py",
        "",
        "def a(): return a  # a\n",
        "def b(): return b  # a\n",
    );
    check("x.txt", "", "a aa a.\n", "b aa b.\n");
    check(
        "x.py",
        r#","in_strings":true,"in_comments":true"#,
        "a = 'a aa' # a\nf'{a} a'\n",
        "b = 'b aa' # b\nf'{b} b'\n",
    );
}

#[test]
fn rust_scopes_hold() {
    check(
        "x.rs",
        "",
        "fn a() {}\nfn f(a: u8) { g(a); }\nfn h() { a(); let a = a; a; }\n",
        "fn b() {}\nfn f(a: u8) { g(a); }\nfn h() { b(); let a = b; a; }\n",
    );
    check(
        "x.rs",
        r#","line":1"#,
        "fn f(a: u8) -> u8 { let c = a;\n let a = a + c;\n a }\nfn a() {}\n",
        "fn f(b: u8) -> u8 { let c = b;\n let a = b + c;\n a }\nfn a() {}\n",
    );
    check(
        "x.rs",
        r#","line":3"#,
        "fn f() {\n let a = 1;\n let a = a;let d = |c| 1;\n a;\n}\n"
            .replace(
                "let a = a;let d = |c| 1;",
                "if let Some(a) = q { a; } else { x; }",
            )
            .as_str(),
        "fn f() {\n let a = 1;\n if let Some(b) = q { b; } else { x; }\n a;\n}\n",
    );
    check(
        "x.rs",
        r#","line":2"#,
        "fn f() { match x {\n Ok(a) | Err(a) if a > 1 => a,\n a => a,\n } }\n",
        "fn f() { match x {\n Ok(b) | Err(b) if b > 1 => b,\n a => a,\n } }\n",
    );
    check(
        "x.rs",
        r#","line":1"#,
        "fn f() { let c = |a| a + 1;\n a(); }\n",
        "fn f() { let c = |b| b + 1;\n a(); }\n",
    );
    check(
        "x.rs",
        r#","line":1"#,
        "fn f() { for a in x { a; } }\nfn g(a: u8) {}\n",
        "fn f() { for b in x { b; } }\nfn g(a: u8) {}\n",
    );
}

#[test]
fn rust_shorthands_captures_and_lifetimes_are_told_apart() {
    check(
        "x.rs",
        "",
        "fn f<'a>(a: &'a S) { S { a, c: a }; let S { d, .. } = a; 'a: loop {} }\n",
        "fn f<'a>(b: &'a S) { S { a: b, c: b }; let S { d, .. } = b; 'a: loop {} }\n",
    );
    check(
        "x.rs",
        "",
        "fn f() { let S { a, .. } = s; a; }\n",
        "fn f() { let S { a: b, .. } = s; b; }\n",
    );
    check(
        "x.rs",
        "",
        "fn f(a: u8) { println!(\"{a} {a:?} {{a}} a {:a$}\", 1); write!(w, \"{a}\"); g(\"{a}\"); }\n",
        "fn f(b: u8) { println!(\"{b} {b:?} {{a}} a {:b$}\", 1); write!(w, \"{b}\"); g(\"{a}\"); }\n",
    );
    check(
        "x.rs",
        "",
        "fn f(a: u8) { println!(\"{a} {}\", a = a.a); vec![S { a }, x::a, a]; }\n",
        "fn f(b: u8) { println!(\"{a} {}\", a = b.a); vec![S { a: b }, x::a, b]; }\n",
    );
    check(
        "x.rs",
        r#","kind":"field""#,
        "struct S { a: u8 }\nfn f(s: S, a: u8) { s.a; S { a }; let S { a: c } = s; }\n",
        "struct S { b: u8 }\nfn f(s: S, a: u8) { s.b; S { b: a }; let S { b: c } = s; }\n",
    );
    check(
        "x.rs",
        "",
        "struct S;\nimpl S { fn a(&self) { self.a(); Self::a(); } }\n",
        "struct S;\nimpl S { fn b(&self) { self.b(); Self::b(); } }\n",
    );
    check(
        "x.rs",
        "",
        "fn a() {}\nmod m { fn a() {} fn f() { a() } }\nmod t { use super::*; fn f() { a() } }\n",
        "fn b() {}\nmod m { fn a() {} fn f() { a() } }\nmod t { use super::*; fn f() { b() } }\n",
    );
    check(
        "x.rs",
        "",
        "use std::a;\nfn f() { a(); y::a(); self::a(); }\n",
        "use std::a as b;\nfn f() { b(); y::a(); self::b(); }\n",
    );
    check(
        "x.rs",
        "",
        "use crate::m::{a, c};\nfn f() { a() }\n",
        "use crate::m::{b, c};\nfn f() { b() }\n",
    );
}

#[test]
fn modules_and_globs_of_others_stay() {
    check(
        "x.rs",
        "",
        "use c::a::*;\nuse d::a::{e};\nfn a() { a(); f::a(); }\n",
        "use c::a::*;\nuse d::a::{e};\nfn b() { b(); f::a(); }\n",
    );
    check(
        "x.py",
        "",
        "from .a import a\na()\n",
        "from .a import b\nb()\n",
    );
}

#[test]
fn script_scopes_hold() {
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
        "import { a } from './m';\nconst x = <a href={a} />;\nexport { a };\n",
        "import { b } from './m';\nconst x = <a href={b} />;\nexport { b };\n",
    );
    check(
        "x.ts",
        "",
        "import { a } from 'm';\na();\n",
        "import { a as b } from 'm';\nb();\n",
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
fn scopes_are_not_guessed_from_what_the_grammar_cannot_read() {
    let unread = "type F<a> = [[a;;\ntype G<a> = a extends {{ ? a : never;\n";
    answers(
        "x.ts",
        &rename(r#","line":2,"column":8"#),
        unread,
        "refused",
        "which `a` means which is not known",
    );
    let all = unread.replace("<a>", "<b>").replace("[a", "[b");
    let all = all.replace("= a", "= b").replace("? a", "? b");
    check("x.ts", r#","kind":"any""#, unread, &all);
}

#[test]
fn python_methods_do_not_see_their_class() {
    check(
        "x.py",
        "",
        "def a(n): return n\nclass C:\n    def a(self): return a(1)\n",
        "def b(n): return n\nclass C:\n    def a(self): return b(1)\n",
    );
}

#[test]
fn python_globals_pass_by_the_functions_between() {
    let before = "a = 1\ndef f():\n    a = 2\n    def g():\n        global a\n        a = 3\n    def h():\n        nonlocal a\n        a = 4\n";
    check(
        "x.py",
        r#","line":1"#,
        before,
        "b = 1\ndef f():\n    a = 2\n    def g():\n        global b\n        b = 3\n    def h():\n        nonlocal a\n        a = 4\n",
    );
    check(
        "x.py",
        r#","line":3"#,
        before,
        "a = 1\ndef f():\n    b = 2\n    def g():\n        global a\n        a = 3\n    def h():\n        nonlocal b\n        b = 4\n",
    );
}

#[test]
fn python_scopes_hold() {
    check(
        "x.py",
        "",
        "a = 1\ndef f(a): return a\ndef g():\n    a = 2\n    return a\ndef h():\n    global a\n    a = 3\n",
        "b = 1\ndef f(a): return a\ndef g():\n    a = 2\n    return a\ndef h():\n    global b\n    b = 3\n",
    );
    check(
        "x.py",
        r#","line":2"#,
        "a = 1\ndef f(a, c=a):\n    return [a for x in a], a.a\nf(a=a)\n"
            .replace(", c=a", "")
            .as_str(),
        "a = 1\ndef f(b):\n    return [b for x in b], b.a\nf(b=a)\n",
    );
    check(
        "x.py",
        r#","line":2,"column":7"#,
        "a = 1\ndef f(a=a):\n    return a\n",
        "a = 1\ndef f(b=a):\n    return b\n",
    );
    check(
        "x.py",
        "",
        "a = 1\nclass C:\n    a = 2\n    c = a\n    def f(self):\n        return a, self.a\n",
        "b = 1\nclass C:\n    a = 2\n    c = a\n    def f(self):\n        return b, self.a\n",
    );
    check(
        "x.py",
        r#","kind":"field""#,
        "a = 1\nclass C:\n    a = 2\n    c = a\n    def f(self):\n        return a, self.a\n",
        "a = 1\nclass C:\n    b = 2\n    c = b\n    def f(self):\n        return a, self.b\n",
    );
    check(
        "x.py",
        "",
        "a = [a for a in a]\nwith o as a: pass\nlambda a: a\n",
        "b = [a for a in b]\nwith o as b: pass\nlambda a: a\n",
    );
    check("x.py", "", "import a\na.c()\n", "import a as b\nb.c()\n");
    check(
        "x.py",
        "",
        "from .m import a\na()\n",
        "from .m import b\nb()\n",
    );
    check(
        "x.py",
        "",
        "from m import c as a\na()\n",
        "from m import c as b\nb()\n",
    );
    check(
        "x.py",
        "",
        "def f():\n    match x:\n        case P(a, k=1) if a: return a\n",
        "def f():\n    match x:\n        case P(b, k=1) if b: return b\n",
    );
}

#[test]
fn collisions_are_refused_with_their_line() {
    let check = |path: &str, more: &str, before: &str, why: &str| {
        answers(path, &rename(more), before, "refused", why);
    };
    check(
        "x.rs",
        "",
        "fn a() {}\nfn b() {}\n",
        "same scope, on line 2",
    );
    check(
        "x.rs",
        "",
        "fn a() {}\nfn f(b: u8) { a(); }\n",
        "bound on line 2",
    );
    check(
        "x.rs",
        "",
        "fn f() {\n let a = 1;\n let b = 2;\n a + b;\n}\n",
        "same scope, on line 3",
    );
    check(
        "x.rs",
        "",
        "fn f() {\n let a = b;\n b;\n a;\n}\n",
        "`b` on line 3 would mean",
    );
    check("x.ts", "", "const a = 1;\nfunction b() {}\n", "on line 2");
    check(
        "x.ts",
        "",
        "const a = 1;\nb();\n",
        "`b` on line 2 would mean",
    );
    check(
        "x.py",
        "",
        "a = 1\ndef f(b):\n    return a\n",
        "bound on line 2",
    );
    check(
        "x.py",
        "",
        "import a.c\n",
        "first part of an imported module",
    );
    check(
        "x.ts",
        "",
        "class C { constructor(private a: T) { this.a; } }\n",
        "a field at once",
    );
}

#[test]
fn what_could_be_several_is_ambiguous() {
    let check = |path: &str, more: &str, before: &str, why: &str| {
        answers(path, &rename(more), before, "ambiguous", why);
    };
    let two = "fn f(a: u8) { a; }\nfn g(a: u8) { a; }\n";
    check("x.rs", "", two, "bound 2 times");
    check_recipe(
        "x.rs",
        &rename(r#","all":true"#),
        two,
        "fn f(b: u8) { b; }\nfn g(b: u8) { b; }\n",
    );
    check(
        "x.rs",
        r#","line":1"#,
        "fn f(a: u8) { let a = a; a; }\n",
        "columns 6, 19, 23, 26",
    );
    check("x.rs", "", "mod a;\nfn a() {}\n", "give `kind`");
    check_recipe(
        "x.rs",
        &rename(r#","kind":"type""#),
        "mod a;\nfn a() {}\n",
        "mod b;\nfn a() {}\n",
    );
}

#[test]
fn it_is_idempotent_and_says_what_is_odd() {
    let check = |before: &str, more: &str, expected: &str, why: &str| {
        answers("x.rs", &rename(more), before, expected, why);
    };
    check("fn b() {}", "", "already_applied", "no `a`");
    check("fn c() {}", "", "not_found", "no identifier `a`");
    check(
        "fn a() {}",
        r#","line":2"#,
        "not_found",
        "lines that have: 1",
    );
    check(
        "fn a() {}",
        r#","kind":"type""#,
        "not_found",
        "of this kind",
    );
    for name in ["b c", "1", ""] {
        let request = format!(r#"{{"name":"rename_identifier","from":"a","to":"{name} "}}"#);
        let change = serde_json::json!({
            "file": "x.rs",
            "recipe": serde_json::from_str::<serde_json::Value>(&request).unwrap(),
        });
        match crate::request::Change::parse(change) {
            Ok(_) => answers("x.rs", &request, "fn a() {}", "invalid", "no identifier"),
            Err(error) => assert!(error.0.contains("is empty")),
        }
    }
}

#[test]
fn classes_and_comprehensions_of_python_see_what_they_should() {
    // The first source of a comprehension belongs to the class, a class within does not see it.
    check(
        "x.py",
        r#","line":2"#,
        "class A:\n    a = [1]\n    c = [x for x in a]\n    class B:\n        d = a\n",
        "class A:\n    b = [1]\n    c = [x for x in b]\n    class B:\n        d = a\n",
    );
    check(
        "x.py",
        r#","line":2"#,
        "class A:\n    def f(self, a): return a\ndef f(a): return a\nf(a=1)\n",
        "class A:\n    def f(self, b): return b\ndef f(a): return a\nf(a=1)\n",
    );
    check(
        "x.py",
        r#","line":1"#,
        "a = 0\ndef f():\n    global a\n    c = [a := x for x in y]\n",
        "b = 0\ndef f():\n    global b\n    c = [b := x for x in y]\n",
    );
    check(
        "x.py",
        r#","line":1,"column":6"#,
        "c = {a: 1 for a in b}\n",
        "c = {b: 1 for b in b}\n",
    );
    let dotted = "import a\nimport a.c\na.c()\n";
    answers(
        "x.py",
        &rename(""),
        dotted,
        "refused",
        "first part of an imported module",
    );
    check(
        "x.py",
        r#","kind":"any""#,
        dotted,
        "import b\nimport b.c\nb.c()\n",
    );
    answers(
        "x.py",
        &rename(""),
        "from __future__ import a\n",
        "not_found",
        "no identifier `a`",
    );
}

#[test]
fn names_are_followed_into_modules_of_the_file() {
    check(
        "src/lib.rs",
        "",
        "mod m {\n    pub trait a {}\n    fn f(x: impl self::a) {}\n}\nimpl m::a for T {}\nimpl n::a for T {}\n",
        "mod m {\n    pub trait b {}\n    fn f(x: impl self::b) {}\n}\nimpl m::b for T {}\nimpl n::a for T {}\n",
    );
    check(
        "src/lib.rs",
        r#","line":5"#,
        "mod m {\n    pub fn a() {}\n}\nuse m::{a, c};\nfn f() { a(); assert!(m::a()); }\n",
        "mod m {\n    pub fn b() {}\n}\nuse m::{b, c};\nfn f() { b(); assert!(m::b()); }\n",
    );
    check(
        "src/lib.rs",
        r#","line":1"#,
        "pub fn a() {}\nmod t {\n    use crate::{a, c};\n    fn f() { a(); super::a(); }\n}\nmod u {\n    fn g() { super::a(); a(); }\n}\n",
        "pub fn b() {}\nmod t {\n    use crate::{b, c};\n    fn f() { b(); super::b(); }\n}\nmod u {\n    fn g() { super::b(); a(); }\n}\n",
    );
    // Which of two modules of a name is compiled is not known.
    check(
        "src/lib.rs",
        r#","line":1"#,
        "mod m { pub fn a() {} }\nmod m { pub fn a() {} }\nfn f() { m::a(); }\n",
        "mod m { pub fn b() {} }\nmod m { pub fn a() {} }\nfn f() { m::a(); }\n",
    );
    check(
        "x.ts",
        r#","line":2"#,
        "namespace N {\n  export interface a {}\n}\nlet c: N.a, d: M.a;\n",
        "namespace N {\n  export interface b {}\n}\nlet c: N.b, d: M.a;\n",
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
