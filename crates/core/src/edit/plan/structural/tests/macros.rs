//! Patterns in macros, which have no nodes.

use super::{not, once};

#[test]
fn macros_are_looked_into_by_tokens() {
    let f = ("foo($A, $$$R)", "bar($A, $$$R)");
    once(
        "a.rs",
        "fn f() { assert!(foo(1)); vec![foo(1, 2), foo(3,4), foo(), afoo(1)]; }\n",
        f.0,
        f.1,
        "fn f() { assert!(bar(1)); vec![bar(1, 2), bar(3, 4), foo(), afoo(1)]; }\n",
    );
    once(
        "a.rs",
        "macro_rules! m { ($x:expr) => { foo($x) }; (foo(a)) => {} }\n",
        f.0,
        f.1,
        "macro_rules! m { ($x:expr) => { bar($x) }; (foo(a)) => {} }\n",
    );
    once(
        "a.rs",
        "fn f() { m!(foo(1, 2)); }\n",
        "foo($$$A, $B)",
        "bar($B, $$$A)",
        "fn f() { m!(bar(2, 1)); }\n",
    );
    once(
        "a.rs",
        "fn f() { m!(foo(1)); }\n",
        "foo($$$A, $B)",
        "bar($B, $$$A)",
        "fn f() { m!(bar(1)); }\n",
    );
    once(
        "a.rs",
        "fn f() { m!(a); m!(a, b); }\n",
        "m!($A, $$$B)",
        "n!($A, $$$B)",
        "fn f() { n!(a); n!(a, b); }\n",
    );
    once(
        "a.c",
        "#define A(x) (foo((x), \"foo(1)\") + foo(x))\nint b = foo(1);\n",
        f.0,
        f.1,
        "#define A(x) (bar((x), \"foo(1)\") + bar(x))\nint b = bar(1);\n",
    );
    let broken = "#define A(x) foo(x)\nvoid b(void) { foo(1); }\n";
    once(
        "a.c",
        broken,
        "foo($A)",
        "bar(\n  $A)",
        "#define A(x) foo(x)\nvoid b(void) { bar(\n  1); }\n",
    );
    not(
        "a.c",
        "#define A(x) foo(x)\n",
        "foo($A)",
        "bar(\n  $A)",
        "not_found",
        "1 macro with `foo(` is not",
    );
}
