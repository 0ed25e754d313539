//! Fields that are not known, that say nothing, or that stand at two levels.

use serde_json::Value;

use crate::edit::request::{Change, CheckKind, Payload, Request};

fn read(change: &str) -> Result<Request, String> {
    let text = format!(r#"{{"file":"a",{change}}}"#);
    let value: Value = serde_json::from_str(&text).unwrap();
    Change::parse(value)
        .map(|change| change.request)
        .map_err(|invalid| invalid.0)
}

#[test]
fn a_field_that_is_not_known_is_named_with_those_that_there_are() {
    let check = |change: &str, expected: &str| {
        assert_eq!(read(change).unwrap_err(), expected, "{change}");
    };
    check(
        r#""recipe":{"name":"rename_identifier","from":"a","to":"b","in_string":true}"#,
        "recipe `rename_identifier`: there is no field `in_string`, perhaps `in_strings` is meant; \
         there are from, to, line, column, kind, all, in_strings, in_comments",
    );
    check(
        r#""recipe":{"name":"remove_headings","level":2}"#,
        "recipe `remove_headings`: there is no field `level`; it has none",
    );
    check(
        r#""section":{"edits":[{"old_text":"a","new_text":"b","replaceall":true}]}"#,
        "section.edits: there is no field `replaceall`, perhaps `replace_all` is meant; \
         there are old_text, new_text, replace_all",
    );
    check(
        r#""ast":{"query":"(a) @a","template":"x","captures":"a"}"#,
        "ast: there is no field `captures`, perhaps `capture` is meant; there are engine, language, \
         query, capture, action, position, template, edit",
    );
    check(
        r#""struct":{"pattern":"a","replacement":"b","rewrite":"c"}"#,
        "struct: there is no field `rewrite`; there are pattern, replacement, language, where",
    );
    check(
        r#""struct":{"pattern":"a","replacement":"b","expected":2}"#,
        "struct: there is no field `expected`; it belongs beside the block",
    );
    check(
        r#""section":{"edits":[{"old_text":"a","new_text":"b"}]},"replace_all":true"#,
        "the field `replace_all` belongs in `section`",
    );
    let known = "there are file, operation, description, strategy, section, lines, diff, ast, struct, \
                 whole, move, recipe, expected, verify";
    check(
        r#""section":{"edits":[{"old_text":"a","new_text":"b"}]},"expect":2"#,
        &format!("the change: there is no field `expect`, perhaps `expected` is meant; {known}"),
    );
    check(
        r#""path":"b","strategy":"delete""#,
        "the change: `file` and `path` are one field and differ",
    );
}

#[test]
fn every_name_of_a_field_is_read() {
    let same = |change: &str, plain: &str| {
        let (other, plain) = (read(change), read(plain));
        assert!(plain.is_ok(), "{plain:?}");
        assert_eq!(other, plain, "{change}");
    };
    let section = r#""section":{"edits":[{"old_text":"a","new_text":"b","replace_all":true}]}"#;
    for pair in [
        r#"{"oldText":"a","newText":"b","replaceAll":true}"#,
        r#"{"old_string":"a","new_string":"b","replace_all":true}"#,
    ] {
        same(&format!(r#""section":{{"edits":[{pair}]}}"#), section);
        same(&format!(r#""section":{{"edits":{pair}}}"#), section);
        same(&format!(r#""section":{pair}"#), section);
    }
    same(
        r#""lines":{"operations":[{"op":"delete","start_line":1,"end_line":2},{"op":"insert","after_line":3,"content":"x"}]}"#,
        r#""lines":{"operations":[{"op":"delete","startLine":1,"endLine":2},{"op":"insert","afterLine":3,"content":["x"]}]}"#,
    );
    let to = r#""strategy":"move","move":{"to":"b"}"#;
    same(r#""strategy":"move","move":{"destination":"b"}"#, to);
    same(r#""strategy":"move","move":{"path":"b"}"#, to);
    same(
        r#""ast":{"query":"(a) @a","edit":{"type":"delete","target":"a"}}"#,
        r#""ast":{"query":"(a) @a","edit":{"type":"delete","anchor":"a"}}"#,
    );
    let named = Change::parse(serde_json::json!({ "path": "b", "strategy": "delete" })).unwrap();
    assert_eq!(named.file, "b");
}

#[test]
fn the_schema_has_the_fields_that_are_told_in_their_order() {
    let schema = Payload::schema();
    let keys = |path: &str| {
        let object = schema.pointer(path).and_then(Value::as_object).unwrap();
        object
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(keys("/properties"), "changes verify");
    assert_eq!(
        keys("/properties/changes/items/properties"),
        "file operation description strategy section lines diff ast struct whole move recipe expected"
    );
    assert_eq!(
        keys("/properties/changes/items/properties/ast/properties"),
        "language query capture action position template"
    );
    assert_eq!(
        schema.pointer("/properties/changes/items/required"),
        Some(&serde_json::json!(["file", "description", "strategy"]))
    );
}

#[test]
fn labels_are_short_texts_and_no_content() {
    let labels = "strategy name from to symbol kind type language engine";
    for label in labels.split(' ') {
        assert!(Payload::is_label(label), "{label}");
    }
    for content in ["content", "new_text", "patch", "template", "code", "with"] {
        assert!(!Payload::is_label(content), "{content}");
    }
}

#[test]
fn what_says_nothing_is_passed_over() {
    let same = |change: &str, plain: &str| {
        let (read, plain) = (read(change), read(plain));
        assert!(plain.is_ok(), "{plain:?}");
        assert_eq!(read, plain, "{change}");
    };
    let rename = r#""recipe":{"name":"rename_identifier","from":"a","to":"b"}"#;
    same(
        r#""path":"a","strategy":"recipe","ast":null,"struct":{},"section":{"edits":[]},"diff":{"kind":"unified","patch":""},"whole":{"content":""},"recipe":{"name":"rename_identifier","from":"a","to":"b","line":null,"kind":"","symbol":"","all":false,"in_strings":null}"#,
        rename,
    );
    same(
        r#""strategy":"","operation":"","confidence":0.9,"recipe":{"name":"rename_identifier","from":"a","to":"b","description":"c","language":"rust"}"#,
        rename,
    );
    same(
        r#""strategy":"recipe","description":"c","recipe":{"name":"rename_identifier","from":"a","to":"b","strategy":"recipe","file":"a"}"#,
        rename,
    );
    same(
        r#""section":{"edits":[{"old_text":"a","old_string":"a","new_text":"b","replace_all":null,"reason":"c"}],"replaceAll":null}"#,
        r#""section":{"edits":[{"old_text":"a","new_text":"b"}]}"#,
    );
    same(
        r#""recipe":{"name":"replace_symbol_body","symbol":"a","body":"","code":"fn a() {}"}"#,
        r#""recipe":{"name":"replace_symbol_body","symbol":"a","code":"fn a() {}"}"#,
    );
    same(
        r#""ast":{"query":"(a) @a","capture":"","position":"","action":"delete","template":"","edit":null}"#,
        r#""ast":{"query":"(a) @a","action":"delete"}"#,
    );
    // An empty text alone is meant.
    let whole = r#""whole":{"content":""}"#;
    same(&format!(r#""strategy":"whole",{whole}"#), whole);
}

#[test]
fn checks_may_be_asked_for_in_a_change() {
    let text = r#"{"changes":[{"file":"a","strategy":"delete","verify":{"eslint":false,"build":true}}],"verify":{"eslint":false}}"#;
    let payload = Payload::parse(text).unwrap();
    assert_eq!(payload.verify.checks, [CheckKind::Tsc, CheckKind::Build]);
    let text = r#"{"changes":[{"file":"a","strategy":"delete"}],"verfy":{}}"#;
    assert!(Payload::parse(text).is_ok(), "an empty object says nothing");
    let text = r#"{"changes":[{"file":"a","strategy":"delete"}],"verfy":{"tsc":true}}"#;
    let why = Payload::parse(text).unwrap_err().0;
    assert_eq!(
        why,
        "the payload: there is no field `verfy`, perhaps `verify` is meant; there are changes, verify"
    );
}
