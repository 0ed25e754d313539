//! What predicates mean, what is wrong with a query, and that windows leave nothing out.

use super::*;
use crate::syntax::Language;

#[test]
fn predicates_mean_what_they_say() {
    let text = "fn a() {}\nfn b() { let a = c; }\nfn cc(x: u8, y: a) {}\nfn d(a: b, b: b) {}\n";
    let tree = Language::Rust.parse(text).unwrap();
    let check = |wording: &str| {
        let query = Query::new(&tree, wording).unwrap();
        let found: Vec<Range<usize>> = query
            .run(&Budget::default(), &tree, Some("x"))
            .unwrap_or_else(|_| panic!("{wording}"))
            .iter()
            .map(|one| one.found.range.clone())
            .collect();
        found.len()
    };
    assert_eq!(check("((identifier) @x (#eq? @x \"a\"))"), 3);
    assert_eq!(check("((identifier) @x (#not-eq? @x \"a\"))"), 7);
    assert_eq!(check("((identifier) @x (#eq? @x \"\"))"), 0);
    assert_eq!(
        check("((identifier) @x (#any-of? @x \"a\" \"cc\" \"none\"))"),
        4
    );
    assert_eq!(check("((identifier) @x (#not-any-of? @x \"a\" \"cc\"))"), 6);
    assert_eq!(
        check("((identifier) @x (#not-eq? @x \"a\") (#match? @x \"^.$\") (#not-any-of? @x \"d\"))"),
        5
    );
    // Every node of a capture, or none, counts.
    let parameters = |predicate: &str| {
        format!("(parameters (parameter pattern: (_) @p type: (_) @t)* {predicate}) @x")
    };
    assert!(check(&parameters("(#eq? @t \"b\")")) > 0);
    assert!(check(&parameters("(#not-eq? @p \"a\")")) > 0);
    assert!(check(&parameters("(#any-of? @p \"a\" \"b\")")) > 0);
    let both = "((identifier) @x (#eq? @x \"a\")) ((block) @x (#not-eq? @x \"{}\"))";
    assert_eq!(check(both), 4);
}

#[test]
fn predicates_that_would_not_be_tested_are_refused() {
    let tree = Language::Rust.parse("fn a(x: u8, y: a) {}\n").unwrap();
    for name in ["any-eq", "any-not-eq", "any-match", "any-not-match"] {
        let wording = format!("(parameters (parameter type: (_) @t)+ (#{name}? @t \"a\")) @x");
        let why = Query::new(&tree, &wording).err().unwrap_or_default();
        assert!(why.contains(name), "{wording}: {why}");
    }
    let written = "((identifier) @x (#eq? @x \"#any-eq?\"))";
    assert!(Query::new(&tree, written).is_ok(), "in a text");
}

#[test]
fn what_is_wrong_is_told_of_the_query_as_written() {
    let tree = Language::Rust.parse("fn a() {}\n").unwrap();
    let check = |wording: &str, expected: &str| {
        let why = Query::new(&tree, wording).err().unwrap_or_default();
        assert!(why.contains(expected), "{wording}: {why}");
    };
    check(
        "((identifier) @x (#eq? @x \"a long text\") (#eq? @y \"b\"))",
        "query line 1, column 49: the query has no capture `@y`",
    );
    check(
        "((identifier) @x (#eq? @x \"a long text\") (#is? @x \"b\"))",
        "`#is?`",
    );
    check(
        "((identifier) @x (#eq? @x \"a\") (#own-eq? @x \"0\"))",
        "the predicate `#own-eq?` is not known",
    );
    check("((identifier) @x (#own-eq? @x \"0\"))", "is not known");
    check(
        "((identifier) @x (#eq? @x \"a\") (#is-a? @x \"b\"))",
        "`#is-a?`",
    );
    check("((identifier) @x (#eq? @x \"a\" \"b\"))", "Wrong number");
    check(
        "((identifer) @x (#eq? @x \"a\"))",
        "no node kind `identifer`",
    );
}

#[test]
fn directives_test_nothing_and_are_named() {
    let text = "fn a() {}\nfn b() {}\n";
    let tree = Language::Rust.parse(text).unwrap();
    for directive in [
        "(#set! injection.language \"rust\")",
        "(#set! key)",
        "(#set! @x key value)",
        "(#strip! @x \"^a\")",
        "(#select-adjacent! @x @x)",
        "(#offset! @x 0 1 0 -1)",
        "(#gsub! @x \"a\" \"b\")",
        "(#unheard-of! @x)",
    ] {
        for compared in ["", "(#eq? @x \"b\")", "(#match? @x \"^b$\")"] {
            for predicates in [
                format!("{directive} {compared}"),
                format!("{compared} {directive}"),
            ] {
                let wording = format!("((identifier) @x {predicates})");
                let query = Query::new(&tree, &wording).unwrap_or_else(|why| panic!("{why}"));
                let found = query.run(&Budget::default(), &tree, None);
                let found = found.unwrap_or_else(|_| panic!("{wording}"));
                let count = if compared.is_empty() { 2 } else { 1 };
                assert_eq!(found.len(), count, "{wording}");
                let name = directive.trim_start_matches('(');
                let name = name.split([' ', ')']).next().unwrap_or_default();
                assert_eq!(query.directives(), [name], "{wording}");
            }
        }
    }
}

#[test]
fn a_repeated_supertype_with_nothing_certain_in_it_is_not_compiled() {
    for (language, text, supertype) in [
        (Language::Rust, "fn a() {}\n", "_expression"),
        (Language::Python, "a = 1\n", "expression"),
        (Language::TypeScript, "a = 1\n", "expression"),
        (Language::C, "int a;\n", "expression"),
    ] {
        let tree = language.parse(text).unwrap();
        let wording = format!("({supertype} (identifier)?)+ @x");
        let why = Query::new(&tree, &wording).err().unwrap_or_default();
        assert!(why.contains("may be nothing"), "{wording}: {why}");
    }
}

#[test]
fn a_predicate_that_stands_alone_is_told() {
    let tree = Language::Rust.parse("fn a() {}\n").unwrap();
    let alone = [
        "((#set! a b)) @x",
        "((.set! a b)) @x",
        "( ( .eq? @x \"a\")) @x",
        "((. set! a b)) @x",
        "((#strip! @x \"a\")) @x",
        "( ; c\n (#eq? a \"b\")) @x",
        "[(#eq? a \"b\")] @x",
        "(((#eq? a \"b\")) @x)",
        "(((#eq? a \"b\"))? @x)",
        "(function_item name: (#set! a b) @x)",
        "(function_item name:(( #set! a b)) @x)",
        "((function_item) @x [(#set! a b)] @y)",
        "(function_item [(#set! a b)]* @x)",
        "((function_item) @x)\n((#set! a)) @y",
    ];
    for wording in alone {
        let why = Query::new(&tree, wording).err().unwrap_or_default();
        assert!(why.contains("has no node before it"), "{wording}: {why}");
    }
    for wording in [
        "((function_item) @x (#eq? @x \"fn a() {}\"))",
        "(function_item (identifier) @x (#eq? @x \"a\"))",
        "[(function_item) (identifier)] @x (#eq? @x \"[(#b)]\")",
    ] {
        let why = Query::new(&tree, wording).err().unwrap_or_default();
        assert!(!why.contains("before it"), "{wording}: {why}");
    }
}

#[test]
fn windows_leave_no_match_out() {
    let unit =
        "fn fN(a: u8) -> u8 {\n    let b = a; // of fN\n    fM(b, b)\n}\n\nmod mN { fn fN() {} }\n";
    let text: String = (0..200)
        .map(|n| {
            unit.replace('N', &n.to_string())
                .replace('M', &(n * 3 % 200).to_string())
        })
        .collect();
    let tree = Language::Rust.parse(&text).unwrap();
    let check = |wording: &str, count: usize| {
        let query = Query::new(&tree, wording).unwrap();
        assert!(windows(&query, &text).is_some(), "{wording}");
        let ranges = |found: Result<Vec<Captured<'_>>, QueryFailure>| -> Vec<Range<usize>> {
            let found = found.unwrap_or_else(|_| panic!("{wording}"));
            found.iter().map(|one| one.node.byte_range()).collect()
        };
        let whole = std::iter::once(0..usize::MAX).collect::<Vec<_>>();
        let all = ranges(query.run_in(&Budget::default(), &tree, Some("x"), &whole));
        assert_eq!(
            ranges(query.run(&Budget::default(), &tree, Some("x"))),
            all,
            "{wording}"
        );
        assert_eq!(all.len(), count, "{wording}");
    };
    check("((identifier) @x (#eq? @x \"f7\"))", 3);
    check(
        "(function_item name: (identifier) @n (#eq? @n \"f7\")) @x",
        2,
    );
    check(
        "(call_expression function: (_) @n (#any-of? @n \"f3\" \"f9\" \"none\")) @x",
        2,
    );
    check(
        "(mod_item body: (_ (function_item name: (_) @n)) (#eq? @n \"f150\")) @x",
        1,
    );
    check(
        "(source_file (function_item name: (_) @n) @x (#eq? @n \"f2\"))",
        1,
    );
    check("((identifier) @x (#eq? @x \"absent\"))", 0);
}
