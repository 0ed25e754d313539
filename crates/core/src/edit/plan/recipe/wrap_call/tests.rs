//! Calls and what they become.

use crate::edit::plan::recipe::testing::{answers, check};

fn wrap(call: &str, with: &str, more: &str) -> String {
    format!(r#"{{"name":"wrap_call","call":"{call}","with":"{with}"{more}}}"#)
}

#[test]
fn a_call_is_wrapped_where_it_stands() {
    let one = wrap("f", "w", "");
    check("a.rs", &one, "fn g() { f(1) }\n", "fn g() { w(f(1)) }\n");
    check("a.ts", &one, "x = f<T>(1);\n", "x = w(f<T>(1));\n");
    check(
        "a.py",
        &one,
        "x = f(\n    1,\n)\n",
        "x = w(f(\n    1,\n))\n",
    );
    check("a.js", &one, "unw(f());\n", "unw(w(f()));\n");
    check(
        "a.rs",
        &one,
        "fn g() { println!(\"{}\", f(1)); }\n",
        "fn g() { println!(\"{}\", w(f(1))); }\n",
    );
    check(
        "a.rs",
        &wrap("m!", "w", ""),
        "fn g() { m!(1) }\n",
        "fn g() { w(m!(1)) }\n",
    );
    check(
        "a.js",
        &wrap("a.f", "w", ""),
        "f(); a.f();\n",
        "f(); w(a.f());\n",
    );
    check("a.js", &one, "this.f();\n", "w(this.f());\n");
    check(
        "a.js",
        &wrap("new X", "w", ""),
        "x = new X(1);\n",
        "x = w(new X(1));\n",
    );
}

#[test]
fn calls_among_the_tokens_of_macros_are_calls() {
    let c = |call: &str, before: &str, after: &str| {
        let request = wrap(call, "w", r#","all":true"#);
        check("a.rs", &request, before, after);
    };
    c(
        "f",
        "fn g() { assert!(f(1), f::<Vec<T>>(4), x!(f(5))); }\n",
        "fn g() { assert!(w(f(1)), w(f::<Vec<T>>(4)), x!(w(f(5)))); }\n",
    );
    c(
        "f",
        "fn g() { m!(a.f(1), &self.b[0].c()?.f(2)?.d, (e).f(3), A::f(4)); }\n",
        "fn g() { m!(w(a.f(1)), &w(self.b[0].c()?.f(2))?.d, w((e).f(3)), w(A::f(4))); }\n",
    );
    c(
        "A::f",
        "fn g() { A::f(1); m!(A::f(2), B::f(3), f(4)); }\n",
        "fn g() { w(A::f(1)); m!(w(A::f(2)), B::f(3), f(4)); }\n",
    );
    c(
        "x!",
        "fn g() { x!(1); m!(x!(2), x![3], x, a::x!(4)); }\n",
        "fn g() { w(x!(1)); m!(w(x!(2)), w(x![3]), x, a::x!(4)); }\n",
    );
    c(
        "not",
        "#[cfg(not(test))]\nfn g() { not(1); m!(fn not(x)); }\n",
        "#[cfg(not(test))]\nfn g() { w(not(1)); m!(fn not(x)); }\n",
    );
    c(
        "f",
        "macro_rules! q { ($x:expr) => { $x.f(1) } }\n",
        "macro_rules! q { ($x:expr) => { w($x.f(1)) } }\n",
    );
}

#[test]
fn calls_that_tokens_do_not_tell_are_counted() {
    let request = wrap("f", "w", r#","all":true"#);
    let before = "fn g() {\n    f(1);\n    m!(<A as B>::f(2));\n}\n";
    let words = "1 of 1 call by syntax; among the tokens of macros 1 more may be meant, the first in line 3";
    let evidence = crate::edit::plan::recipe::testing::evidence("a.rs", &request, before);
    assert_eq!(evidence.as_deref(), Some(words));
}

#[test]
fn templates_hold_the_call() {
    check(
        "a.py",
        &wrap("f", "w(@call, 3)", ""),
        "x = f()\n",
        "x = w(f(), 3)\n",
    );
    check(
        "a.rs",
        &wrap("f", "@call.await?", ""),
        "fn g() { f() }\n",
        "fn g() { f().await? }\n",
    );
    check(
        "a.ts",
        &wrap("f", "await @call", ""),
        "x = f();\n",
        "x = await f();\n",
    );
    check(
        "a.ts",
        &wrap("f", "await @call", ""),
        "x = f().y;\n",
        "x = (await f()).y;\n",
    );
    check(
        "a.ts",
        &wrap("f", "w(@@a, @call)", ""),
        "f();\n",
        "w(@a, f());\n",
    );
}

#[test]
fn several_calls_need_to_be_told_apart() {
    let text = "f(1);\nf(f(2));\nw(f(3));\n";
    answers("a.js", &wrap("f", "w", ""), text, "ambiguous", "4 times");
    let all = "w(f(1));\nw(f(w(f(2))));\nw(f(3));\n";
    check("a.js", &wrap("f", "w", r#","all":true"#), text, all);
    let first = "w(f(1));\nf(f(2));\nw(f(3));\n";
    check("a.js", &wrap("f", "w", r#","line":1"#), text, first);
    answers(
        "a.js",
        &wrap("f", "w", r#","line":9"#),
        text,
        "not_found",
        "but on 1, 2",
    );
    check(
        "a.js",
        &wrap("f", "w", r#","all":true"#),
        "a.f().f();\n",
        "w(w(a.f()).f());\n",
    );
}

#[test]
fn what_cannot_be_wrapped_is_told() {
    answers(
        "a.js",
        &wrap("g", "w", ""),
        "f();\n",
        "not_found",
        "no call of `g`",
    );
    answers(
        "a.js",
        &wrap("f", "w", ""),
        "// f()\nx = 'f()';\n",
        "not_found",
        "no call",
    );
    answers(
        "a.js",
        &wrap("f", "@call + @call", ""),
        "f();\n",
        "invalid",
        "twice",
    );
    answers(
        "a.txt",
        &wrap("f", "w", ""),
        "f()\n",
        "refused",
        "no grammar",
    );
}

#[test]
fn a_macro_that_makes_items_is_no_value() {
    let recipe = r#"{"name":"wrap_call","call":"m!","with":"w","all":true}"#;
    answers(
        "x.rs",
        recipe,
        "m!(a);\nmod n {\n    m! { b }\n}\n",
        "refused",
        "line 1",
    );
    check(
        "x.rs",
        recipe,
        "m!(a);\nfn f() {\n    g(m!(1));\n}\nmacro_rules! r {\n    () => { m!(b); };\n}\n",
        "m!(a);\nfn f() {\n    g(w(m!(1)));\n}\nmacro_rules! r {\n    () => { m!(b); };\n}\n",
    );
}
