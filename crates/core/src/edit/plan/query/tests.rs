//! Queries with their templates, before and after.

use super::*;
use crate::edit::plan::testing::{run, word};
use crate::edit::request::{AstAction as Do, InsertPosition as At, Request};

mod answers;
mod inserting;
mod lists;

fn ast(query: &str, action: Do, template: &str) -> AstRequest {
    AstRequest {
        engine: "tree-sitter".into(),
        language: None,
        query: query.into(),
        capture: None,
        action,
        template: template.into(),
        lines: None,
    }
}

fn edit(
    path: &str,
    before: &str,
    query: &str,
    action: Do,
    template: &str,
) -> Result<String, Outcome> {
    run(path, before, Request::Ast(ast(query, action, template)))
}

/// Applies, compares, and applies again.
fn check(path: &str, before: &str, query: &str, action: Do, template: &str, after: &str) {
    let once = edit(path, before, query, action, template);
    assert_eq!(once.as_deref(), Ok(after), "{query} {template:?}");
    if !matches!(action, Do::Delete) {
        let twice = edit(path, after, query, action, template);
        assert_eq!(
            word(&twice),
            "already_applied",
            "{query} {template:?}: {twice:?}"
        );
    }
}

#[test]
fn a_range_takes_the_matches_in_its_lines() {
    let call = "((call_expression) @c)";
    let text = "foo(1);\nfoo(2);\nfoo(\n  3,\n);\n";
    let edited = |lines| {
        let request = AstRequest {
            lines: Some(lines),
            ..ast(call, Do::Replace, "bar()")
        };
        run("a.js", text, Request::Ast(request))
    };
    assert_eq!(
        edited(2..=4).as_deref(),
        Ok("foo(1);\nbar();\nfoo(\n  3,\n);\n")
    );
    let Err(Outcome::NotFound { why, .. }) = edited(4..=9) else {
        panic!("found");
    };
    assert!(why.contains("at line 1, 2, 3"), "{why}");
}

#[test]
fn matches_are_replaced_deleted_and_counted() {
    let call = "((call_expression function: (identifier) @f arguments: (arguments) @a) @c (#eq? @f \"foo\"))";
    check(
        "a.js",
        "foo(1); bar(2); foo(3);\n",
        call,
        Do::Replace,
        "baz@a",
        "baz(1); bar(2); baz(3);\n",
    );
    check(
        "a.js",
        "foo(foo(1));\n",
        call,
        Do::Replace,
        "await baz@a",
        "await baz(await baz(1));\n",
    );
    check(
        "a.js",
        "foo(1);\n",
        call,
        Do::Replace,
        "here@@there",
        "here@there;\n",
    );
    let body = "(expression_statement (call_expression function: (identifier) @_f (#any-of? @_f \"foo\" \"bar\"))) @s";
    check(
        "a.js",
        "a();\nfoo(1);\nb();\n",
        body,
        Do::Delete,
        "",
        "a();\nb();\n",
    );
    check(
        "a.js",
        "f(x, y, z);\n",
        "((identifier) @i (#eq? @i \"y\"))",
        Do::Delete,
        "",
        "f(x, z);\n",
    );
    check(
        "a.js",
        "f(x, y);\n",
        "((identifier) @i (#eq? @i \"y\"))",
        Do::Delete,
        "",
        "f(x);\n",
    );
    let matched = "((identifier) @i (#match? @i \"^on[A-Z]\"))";
    check(
        "a.js",
        "onX(only, onY)\n",
        matched,
        Do::Replace,
        "props.@i",
        "props.onX(only, props.onY)\n",
    );
}

#[test]
fn captured_lines_move_and_strings_stay() {
    let text = "function f() {\n    if (a) {\n        b(`\n  c`);\n        d();\n    }\n}\n";
    check(
        "a.js",
        text,
        "(if_statement consequence: (statement_block) @b) @i",
        Do::Replace,
        "{\n    while (a)\n        @b\n}",
        "function f() {\n    {\n        while (a)\n            {\n                b(`\n  c`);\n                d();\n            }\n    }\n}\n",
    );
}

#[test]
fn what_belongs_to_a_node_goes_with_it() {
    let named = "((function_item name: (identifier) @_n) @f (#eq? @_n \"f\"))";
    let delete = |path: &str, before: &str, query: &str, after: &str| {
        assert_eq!(
            edit(path, before, query, Do::Delete, "").as_deref(),
            Ok(after)
        );
    };
    delete(
        "a.rs",
        "/// Doc.\n#[x]\nfn f() {}\n\nfn g() {}\n",
        named,
        "fn g() {}\n",
    );
    delete(
        "a.rs",
        "// Section.\nfn f() {}\n\nfn g() {}\n",
        named,
        "// Section.\n\nfn g() {}\n",
    );
    delete(
        "a.py",
        "@d\ndef f():\n    pass\nx = 1\n",
        "(function_definition) @f",
        "x = 1\n",
    );
    delete(
        "a.ts",
        "export function f() {}\nx();\n",
        "(function_declaration) @f",
        "x();\n",
    );
}

#[test]
fn what_may_be_there_several_times_is_found_by_its_text() {
    // The text is long, so that only a part of it would be looked at.
    let before = format!(
        "docker run -t \\\n{}  -c d\ncd x\n",
        "  -v \"$(pwd)\" \\\n".repeat(9)
    );
    let after = before.replace("docker", "podman");
    check(
        "a.sh",
        &before,
        "((command_name (word)+ @_w) @t (#eq? @_w \"docker\"))",
        Do::Replace,
        "podman",
        &after,
    );
}

#[test]
fn captures_that_the_template_does_not_name_make_no_difference() {
    let query = "(call_expression arguments: (arguments (identifier) @_a)) @x";
    let source = "fn f() {\n    c(d, e);\n}\n";
    let made = edit("a.rs", source, query, Do::Replace, "g(@x)");
    assert_eq!(made.as_deref(), Ok("fn f() {\n    g(c(d, e));\n}\n"));
    let both = edit("a.rs", source, query, Do::Replace, "g(@_a)");
    assert_eq!(word(&both), "refused", "{both:?}");
}
