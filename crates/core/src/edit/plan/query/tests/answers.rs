//! What is said of queries that make no sense, match nothing or take too long.

use super::*;

#[test]
fn a_query_that_makes_no_sense_is_answered_with_its_mistake() {
    let check =
        |path: &str, before: &str, query: &str, template: &str, expected: &str, part: &str| {
            let result = edit(path, before, query, Do::Replace, template);
            assert_eq!(word(&result), expected, "{query}: {result:?}");
            let words = format!("{result:?}");
            assert!(words.contains(part), "{words}");
        };
    check(
        "a.js",
        "x",
        "(identifer) @i",
        "y",
        "invalid",
        "no node kind `identifer`; it has identifier",
    );
    check(
        "a.js",
        "x",
        "(call_expression func: (_)) @i",
        "y",
        "invalid",
        "no field `func`; it has function",
    );
    check(
        "a.js",
        "x",
        "(identifier @i",
        "y",
        "invalid",
        "query line 1, column",
    );
    check(
        "a.js",
        "x",
        "(identifier)",
        "y",
        "invalid",
        "captures nothing",
    );
    check(
        "a.js",
        "x",
        "((identifier) @i (#has-parent? @i x))",
        "y",
        "invalid",
        "`#has-parent?` is not known",
    );
    check(
        "a.js",
        "x",
        "((identifier) @i (#eq? @j \"x\"))",
        "y",
        "invalid",
        "",
    );
    check(
        "a.js",
        "f(x)",
        "(class_declaration) @c",
        "y",
        "not_found",
        "no node `class_declaration`; most frequent are identifier (2)",
    );
    check(
        "a.js",
        "f(x)",
        "((identifier) @c (#eq? @c \"long\"))",
        "y",
        "not_found",
        "2 matches, such as @c = \\\"f\\\"",
    );
    check(
        "a.js",
        "f(x)",
        "(call_expression function: (number)) @c (number) @d",
        "y",
        "not_found",
        "",
    );
    check("a.txt", "f(x)", "(x) @c", "y", "refused", "no grammar");
    check(
        "a.js",
        "f(x, y)",
        "(call_expression arguments: (arguments (_) @a)) @c",
        "g(@a)",
        "refused",
        "several ways",
    );
    let mut request = ast("(x) @x", Do::Replace, "y");
    request.engine = "babel".into();
    assert_eq!(word(&run("a.js", "x", Request::Ast(request))), "invalid");
    let mut request = ast("(identifier) @x", Do::Replace, "y");
    request.language = Some("cobol".into());
    assert_eq!(word(&run("a.js", "x", Request::Ast(request))), "invalid");
    let mut request = ast("(identifier) @x", Do::Replace, "y");
    request.capture = Some("z".into());
    assert_eq!(word(&run("a.js", "x", Request::Ast(request))), "invalid");
}

#[test]
fn large_and_deep_texts_are_bounded() {
    let long = "f(x);\n".repeat(300_000);
    assert_eq!(
        word(&edit("a.js", &long, "(identifier) @i", Do::Replace, "y")),
        "refused"
    );
    let deep = format!("{}1{};\n", "f(".repeat(90), ")".repeat(90));
    let result = edit(
        "a.js",
        &deep,
        "(call_expression arguments: (arguments (_) @a)) @c",
        Do::Replace,
        "g(@a)",
    );
    assert_eq!(word(&result), "applied", "{result:?}");
    let deeper = format!("{}1{};\n", "f(".repeat(3_000), ")".repeat(3_000));
    let query = "(call_expression arguments: (arguments (_) @a)) @c";
    assert_eq!(
        word(&edit("a.js", &deeper, query, Do::Replace, "g(@a)")),
        "refused"
    );
    let wide = format!("f({});\n", "a, ".repeat(5_000));
    let result = edit(
        "a.js",
        &wide,
        "(arguments (identifier)* @a (identifier)* @b) @c",
        Do::Replace,
        "(@a)",
    );
    assert_ne!(word(&result), "applied");
}

#[test]
fn every_text_has_an_answer() {
    use proptest::prelude::*;
    let text = "[a-c(){};,.@\n \"'é=]{0,60}";
    let query = proptest::sample::select(vec![
        "(identifier) @i",
        "(_) @a",
        "(call_expression) @c",
        "(arguments (_) @a) @b",
        "(program) @r",
        "(statement_block) @s",
        "(object (_)* @p) @o",
        "((_) @a . (_) @b)",
        "(ERROR) @e",
        "(string) @i",
    ]);
    let action = proptest::sample::select(vec![
        Do::Implied,
        Do::Replace,
        Do::Delete,
        Do::Insert(At::Before),
        Do::Insert(At::After),
        Do::Insert(At::Start),
        Do::Insert(At::End),
    ]);
    proptest!(ProptestConfig::with_cases(150), |((before, query, action, template, raw) in (text, query, action, text, text))| {
        let once = edit("a.js", &before, query, action, &template);
        if let Ok(after) = once {
            prop_assert_ne!(after, before.clone());
        }
        let _ = edit("a.py", &before, &format!("({raw}"), action, &template);
    });
}
