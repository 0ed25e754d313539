//! A `$$$` in bodies: members, fields, variants, arms.

use super::once;

#[test]
fn many_members_stand_in_a_body() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    c(
        "a.rs",
        "impl Foo for Bar {\n    const A: u8 = 1;\n\n    fn a() {}\n}\n",
        "impl Foo for $T { $$$B }",
        "impl Foo for Box<$T> {\n    $$$B\n}",
        "impl Foo for Box<Bar> {\n    const A: u8 = 1;\n\n    fn a() {}\n}\n",
    );
    c(
        "a.rs",
        "impl Foo for Bar {}\n",
        "impl Foo for $T { $$$B }",
        "impl Baz for $T { $$$B }",
        "impl Baz for Bar { }\n",
    );
    c(
        "a.rs",
        "trait A {\n    fn a();\n}\n",
        "trait $T { $$$B }",
        "pub trait $T { $$$B }",
        "pub trait A {\n    fn a();\n}\n",
    );
    c(
        "a.rs",
        "mod a {\n    use b;\n}\n",
        "mod $T { $$$B }",
        "mod x { $$$B }",
        "mod x {\n    use b;\n}\n",
    );
    c(
        "a.rs",
        "extern \"C\" { fn a(); }\n",
        "extern \"C\" { $$$B }",
        "unsafe extern \"C\" { $$$B }",
        "unsafe extern \"C\" { fn a(); }\n",
    );
    c(
        "a.rs",
        "enum E { A, B(u8) }\n",
        "enum $T { $$$B }",
        "enum $T { $$$B, C }",
        "enum E { A, B(u8), C }\n",
    );
    c(
        "a.rs",
        "struct E { a: u8 }\n",
        "struct $T { $$$B }",
        "struct $T { $$$B, c: u8 }",
        "struct E { a: u8, c: u8 }\n",
    );
    c(
        "a.rs",
        "fn f() { match x { A => 1, B => 2, } }\n",
        "match $X { $$$B }",
        "match *$X { $$$B }",
        "fn f() { match *x { A => 1, B => 2, } }\n",
    );
    c(
        "a.rs",
        "fn f() { S { a: 1, b } }\n",
        "S { $$$B }",
        "T { $$$B, c }",
        "fn f() { T { a: 1, b, c } }\n",
    );
}

#[test]
fn many_members_stand_in_a_body_of_a_script() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    c(
        "a.ts",
        "class A { b = 1; c() {} }\n",
        "class $T { $$$B }",
        "class $T extends X { $$$B }",
        "class A extends X { b = 1; c() {} }\n",
    );
    c(
        "a.ts",
        "interface A { b: number; c(): void }\n",
        "interface $T { $$$B }",
        "interface $T extends X { $$$B }",
        "interface A extends X { b: number; c(): void }\n",
    );
    c(
        "a.ts",
        "enum A { B, C = 2 }\n",
        "enum $T { $$$B }",
        "const enum $T { $$$B }",
        "const enum A { B, C = 2 }\n",
    );
    c(
        "a.ts",
        "switch (a) { case 1: b(); default: c(); }\n",
        "switch ($A) { $$$B }",
        "switch (d($A)) { $$$B }",
        "switch (d(a)) { case 1: b(); default: c(); }\n",
    );
}

#[test]
fn many_members_stand_in_a_body_elsewhere() {
    let c = |path: &str, before: &str, pattern: &str, replacement: &str, after: &str| {
        once(path, before, pattern, replacement, after);
    };
    c(
        "A.java",
        "class A { int b; void c() {} }\n",
        "class $T { $$$B }",
        "final class $T { $$$B }",
        "final class A { int b; void c() {} }\n",
    );
    c(
        "a.go",
        "package a\n\ntype T struct {\n\tA int\n\tB, C string\n}\n",
        "type $T struct { $$$B }",
        "type $T struct {\n\t$$$B\n\tD int\n}",
        "package a\n\ntype T struct {\n\tA int\n\tB, C string\n\tD int\n}\n",
    );
    c(
        "a.go",
        "package a\n\ntype T interface {\n\tA() int\n}\n",
        "type $T interface { $$$B }",
        "type $T interface {\n\t$$$B\n\tD()\n}",
        "package a\n\ntype T interface {\n\tA() int\n\tD()\n}\n",
    );
    c(
        "a.c",
        "struct A { int b; char *c; };\n",
        "struct $T { $$$B }",
        "struct x$T { $$$B }",
        "struct xA { int b; char *c; };\n",
    );
    c(
        "a.cpp",
        "class A { int b; void c(); };\n",
        "class $T { $$$B }",
        "class $T : X { $$$B }",
        "class A : X { int b; void c(); };\n",
    );
    c(
        "a.css",
        "a { b: c; d: e }\n",
        "a { $$$B }",
        "x { $$$B }",
        "x { b: c; d: e }\n",
    );
    c(
        "a.json",
        "{\"a\": {\"b\": 1, \"c\": 2}}\n",
        "{\"b\": $A, $$$B}",
        "{$$$B}",
        "{\"a\": {\"c\": 2}}\n",
    );
    c(
        "a.py",
        "class A:\n    b = 1\n\n    def c(self): pass\n",
        "class $T:\n    $$$B",
        "class $T(X):\n    $$$B",
        "class A(X):\n    b = 1\n\n    def c(self): pass\n",
    );
}
