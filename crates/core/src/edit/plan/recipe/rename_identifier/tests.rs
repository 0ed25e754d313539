//! Renaming, as tables of before and after; the name is always `a`, the new one `b`.

mod python;
mod rust;
mod script;
mod together;

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

/// A name with an underscore may be escaped in prose; the new one needs no backslash.
#[test]
fn an_escape_of_markdown_goes_with_the_name() {
    for (path, to, before, after) in [
        (
            "x.md",
            "args",
            "see cmd.\\_a, `_a`\n",
            "see cmd.args, `args`\n",
        ),
        ("x.md", "_args", "see cmd.\\_a\n", "see cmd.\\_args\n"),
        ("x.md", "args", "C:\\\\_a\n", "C:\\\\args\n"),
        ("x.txt", "args", "C:\\_a\n", "C:\\args\n"),
    ] {
        let request = format!(r#"{{"name":"rename_identifier","from":"_a","to":"{to}"}}"#);
        check_recipe(path, &request, before, after);
    }
}

#[test]
fn the_worked_example_holds() {
    let before = "fn a() -> u8 { 4 }\nfn show(row: Row) { // a\n    print(\"a\", a(), row.a);\n}\n\
                  fn grow(a: u8) -> u8 { a + 1 }\n";
    let after = before.replace("fn a()", "fn b()").replace(" a(),", " b(),");
    check("x.rs", r#","line":1"#, before, &after);
}

#[test]
fn modules_and_globs_of_others_stay() {
    check(
        "x.rs",
        "",
        "use c::a::*;\nuse d::a::{e};\nfn a() { a(); f::a(); }\n",
        "use c::a::*;\nuse d::a::{e};\nfn b() { b(); f::a(); }\n",
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
    check("x.py", "", "import a.c\n", "imported from `a.c`");
    check(
        "x.ts",
        "",
        "class C { constructor(private a: T) { this.a; } }\n",
        "a field at once",
    );
    check(
        "x.rs",
        "",
        "mod a;\nfn f() { a::g(); }\n",
        "a module in a file of its own",
    );
}

#[test]
fn unrelated_definitions_are_asked_about_where_scopes_are_not_known() {
    let two = "class A { void a() {} }\nclass C { void a() {} }\n";
    answers(
        "x.java",
        &rename(""),
        two,
        "ambiguous",
        "`a` is defined 2 times",
    );
    answers(
        "x.java",
        &rename(r#","line":1"#),
        two,
        "ambiguous",
        "`a` is defined 2 times",
    );
    check(
        "x.java",
        r#","all":true"#,
        two,
        &two.replace("void a", "void b"),
    );
    let overloads = "class A { void a() {} void a(int x) { a(); } }\n";
    let renamed = "class A { void b() {} void b(int x) { b(); } }\n";
    check("x.java", "", overloads, renamed);
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
    check("x.rs", "", "mod a {}\nfn a() {}\n", "give `kind`");
    check_recipe(
        "x.rs",
        &rename(r#","kind":"type""#),
        "mod a {}\nfn a() {}\n",
        "mod b {}\nfn a() {}\n",
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
        match crate::edit::request::Change::parse(change) {
            Ok(_) => answers("x.rs", &request, "fn a() {}", "invalid", "no identifier"),
            Err(error) => assert!(error.0.contains("is empty")),
        }
    }
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
