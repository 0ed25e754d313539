//! Scopes of Rust.

use super::check;

#[test]
fn a_rename_follows_the_scopes_of_rust() {
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
}

#[test]
fn rust_attributes_capture_fields_and_constants() {
    let errors = |before: &str| {
        format!(
            "const {before}: u8 = 1;\n#[derive(Error)]\nenum E {{\n #[error(\"{{{before}}} {{x}}\", {before})]\n \
             /// Doc.\n X {{ x: u8 }},\n #[error(\"{{a}}\")]\n Y {{ a: u8 }},\n}}\n"
        )
    };
    check("x.rs", r#","line":1"#, &errors("a"), &errors("b"));
    check(
        "x.rs",
        r#","kind":"field""#,
        "enum E {\n #[error(\"{a} {}\", .a)]\n Y { a: u8 },\n #[doc(\"{a}\")]\n Z { c: u8 },\n}\n",
        "enum E {\n #[error(\"{b} {}\", .b)]\n Y { b: u8 },\n #[doc(\"{a}\")]\n Z { c: u8 },\n}\n",
    );
}
