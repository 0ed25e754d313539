//! Payloads as they are written, and what they are read as or refused for.

use serde_json::json;

use super::*;
use crate::edit::request::{AstAction, InsertPosition, MatchScope, WholeRequest};

fn why(text: &str) -> String {
    Payload::parse(text).unwrap_err().0
}

#[test]
fn all_places_are_meant_by_a_pair_or_by_all_pairs() {
    let scopes = |section: &str| -> Vec<MatchScope> {
        let text = format!(r#"{{"changes":[{{"file":"a","section":{section}}}]}}"#);
        let payload = Payload::parse(&text).unwrap();
        let Request::Section(section) = &payload.changes[0].request else {
            panic!("{section}")
        };
        section.edits.iter().map(|pair| pair.scope).collect()
    };
    let one = r#"{"old_text":"a","new_text":"b"}"#;
    let all = r#"{"old_string":"c","new_string":"d","replaceAll":true}"#;
    assert_eq!(
        scopes(&format!(r#"{{"edits":[{one},{all}]}}"#)),
        [MatchScope::Single, MatchScope::All]
    );
    assert_eq!(
        scopes(&format!(r#"{{"edits":[{one},{all}],"replace_all":true}}"#)),
        [MatchScope::All, MatchScope::All]
    );
}

#[test]
fn a_list_may_be_one_element_or_a_text_with_json() {
    let pair = json!({ "old_text": "a", "new_text": "b" });
    for section in [
        json!({ "edits": [pair] }),
        json!({ "edits": pair }),
        json!({ "edits": json!([pair]).to_string() }),
        json!({ "oldText": "a", "newText": "b" }),
    ] {
        let change = Change::parse(json!({ "file": "a", "section": section })).unwrap();
        let Request::Section(request) = change.request else {
            panic!("{section}")
        };
        let [only] = request.edits.as_slice() else {
            panic!("{section}")
        };
        assert_eq!((&*only.old, &*only.new), ("a", "b"), "{section}");
    }
    let lines = json!({ "operations": { "op": "delete", "startLine": 1 } });
    assert!(Change::parse(json!({ "file": "a", "lines": lines })).is_ok());
}

#[test]
fn a_strategy_without_its_block_gives_way_to_those_that_have_one() {
    let change = json!({ "file": "a", "strategy": "ast", "diff": { "patch": "@@\n-a\n+b\n" } });
    let change = Change::parse(change).unwrap();
    assert!(matches!(change.request, Request::Unified(_)), "{change:?}");
}

#[test]
fn what_is_wrong_is_named() {
    assert!(why("{").starts_with("not JSON: EOF"));
    assert_eq!(why(r#"{"changes":[]}"#), "`changes` is empty");
    assert_eq!(
        why(r#"{"changes":[{"strategy":"section"}]}"#),
        "changes[0]: missing field `file`"
    );
    let check = |change: &str, expected: &str| {
        assert_eq!(
            why(&format!(r#"{{"changes":[{{"file":"a",{change}}}]}}"#)),
            expected
        );
    };
    check(
        r#""strategy":"section""#,
        "changes[0]: strategy `section` needs the field `section`",
    );
    check(
        r#""section":{"edits":[]}"#,
        "changes[0]: `section.edits` is empty",
    );
    check(
        r#""section":{"edits":[{"old_text":"a","new_text":"b"}]},"whole":{"content":""}"#,
        "changes[0]: several strategies given; name one in `strategy`",
    );
    check(
        r#""lines":{"operations":[{"op":"delete","startLine":0}]}"#,
        "changes[0]: lines.operations[0]: lines 0 to 0 are no range; lines count from 1",
    );
    check(
        r#""lines":{"operations":[{"op":"insert","afterLine":1}]}"#,
        "changes[0]: lines.operations[0]: `content` is missing",
    );
}

#[test]
fn a_move_may_name_both_of_its_paths() {
    let read = |change: &str| {
        let payload = Payload::parse(&format!(r#"{{"changes":[{{{change}}}]}}"#));
        payload.map(|payload| {
            (
                payload.changes[0].file.clone(),
                payload.changes[0].request.clone(),
            )
        })
    };
    let moved = Request::Move { to: "b".to_owned() };
    for change in [
        r#""move":{"source":"a","destination":"b"}"#,
        r#""file":"a","strategy":"move","move":{"source":"a","to":"b"}"#,
    ] {
        assert_eq!(
            read(change),
            Ok(("a".to_owned(), moved.clone())),
            "{change}"
        );
    }
    let other = read(r#""file":"c","move":{"source":"a","to":"b"}"#);
    let why = "changes[0]: `move.source` is another path than `file`";
    assert_eq!(other, Err(Invalid(why.to_owned())));
}

#[test]
fn a_whole_text_may_be_an_object() {
    let read = |content: &str| {
        let text = format!(r#"{{"changes":[{{"file":"a","whole":{{"content":{content}}}}}]}}"#);
        Payload::parse(&text).map(|payload| payload.changes[0].request.clone())
    };
    let object = read(r#"{"name":"x","bin":{"a":null}}"#);
    let text = "{\n  \"name\": \"x\",\n  \"bin\": {\n    \"a\": null\n  }\n}\n";
    assert_eq!(object, Ok(WholeRequest::new(text).into()));
    let why = "changes[0]: whole.content: a text or an object";
    assert_eq!(read("3").unwrap_err().0, why);
}

#[test]
fn an_ast_edit_without_a_query_is_told_what_its_target_names() {
    for fields in [
        r#""edit":{"type":"replace","target":"@x","content":"t"}"#,
        r#""edit":{"type":"insert","position":"end","anchor":"x","content":"t"}"#,
        r#""capture":"x","template":"t""#,
    ] {
        let text = format!(r#"{{"changes":[{{"file":"a","ast":{{{fields}}}}}]}}"#);
        let why = Payload::parse(&text).unwrap_err().to_string();
        assert!(
            why.contains("`query` is missing; `capture`, `anchor`"),
            "{why}"
        );
    }
}

#[test]
fn an_ast_edit_is_read_in_both_forms() {
    let read = |fields: &str| {
        let text = format!(r#"{{"changes":[{{"file":"a","ast":{{"query":"(x) @x",{fields}}}}}]}}"#);
        match Payload::parse(&text).map(|payload| payload.changes[0].request.clone()) {
            Ok(Request::Ast(ast)) => Ok((ast.action, ast.capture, ast.template)),
            Ok(other) => panic!("{other:?}"),
            Err(Invalid(why)) => Err(why),
        }
    };
    for replace in [
        r#""position":"replace","template":"t""#,
        r#""action":"replace","position":"replace","template":"t""#,
        r#""edit":{"type":"replace","position":"replace","target":"@x","content":"t"}"#,
    ] {
        assert_eq!(read(replace).unwrap().0, AstAction::Replace);
    }
    for other in ["insert", "delete"] {
        let fields = format!(r#""action":"{other}","position":"replace","template":"t""#);
        let why = read(&fields).unwrap_err();
        assert!(why.contains("asks for another change"), "{why}");
    }
    let flat = r#""action":"insert","position":"end","capture":"@x","template":"t""#;
    let nested = r#""edit":{"type":"insert","position":"end","anchor":"x","content":"t"}"#;
    let end = AstAction::Insert(InsertPosition::End);
    assert_eq!(read(flat), Ok((end, Some("x".into()), "t".into())));
    assert_eq!(read(flat), read(nested));
    let delete = r#""edit":{"type":"delete","target":"x"}"#;
    assert_eq!(
        read(delete),
        Ok((AstAction::Delete, Some("x".into()), String::new()))
    );
    assert!(read(r#""action":"insert","template":"t""#).is_err());
    assert!(read(r#""action":"replace""#).is_err());
    let range =
        |start: usize| format!(r#""edit":{{"type":"delete","range":{{"start":{start},"end":2}}}}"#);
    assert!(read(&range(1)).is_ok());
    for start in [0, 3] {
        let why = read(&range(start)).unwrap_err();
        assert!(why.contains("are no range"), "{why}");
    }
}

#[test]
fn blocks_are_tried_in_the_order_of_the_ladder() {
    let ways = |fields: &str| {
        let text = format!(
            r#"{{"changes":[{{"file":"a",{fields}"diff":{{"patch":"@@"}},"struct":{{"pattern":"p","replacement":"r"}}}}]}}"#
        );
        match Payload::parse(&text).unwrap().changes[0].request.clone() {
            Request::FirstOf(requests) => requests
                .iter()
                .map(|request| request.strategy().name())
                .collect(),
            _ => Vec::new(),
        }
    };
    assert_eq!(ways(""), ["struct", "diff"]);
    assert_eq!(ways(r#""strategy":"diff","#), ["diff", "struct"]);
}

#[test]
fn one_block_tells_the_strategy() {
    let text = r#"{"changes":[{"path":"a","diff":{"kind":"unified","patch":"@@"}}],"verify":{"tsc":true}}"#;
    let payload = Payload::parse(text).unwrap();
    assert_eq!(payload.changes[0].request, Request::Unified("@@".into()));
    assert_eq!(payload.verify.checks, [CheckKind::Tsc, CheckKind::Eslint]);
    assert_eq!(payload.verify.named, [CheckKind::Tsc]);
}

#[test]
fn checks_are_asked_for_by_a_block() {
    let checks = |verify: &str| {
        let text =
            format!(r#"{{"changes":[{{"file":"a","strategy":"delete"}}],"verify":{verify}}}"#);
        Payload::parse(&text).map(|payload| payload.verify)
    };
    let asked = |checks: &[CheckKind], named: &[CheckKind], millis: Option<u64>| {
        Ok(Verify {
            checks: checks.to_vec(),
            named: named.to_vec(),
            timeout: millis.map(Duration::from_millis),
        })
    };
    assert_eq!(checks("null"), asked(&[], &[], None));
    assert_eq!(
        checks("{}"),
        asked(&[CheckKind::Tsc, CheckKind::Eslint], &[], None)
    );
    assert_eq!(
        checks(r#"{"tsc":false,"eslint":false,"build":true,"timeoutMs":5000}"#),
        asked(&[CheckKind::Build], &[CheckKind::Build], Some(5000))
    );
    assert!(checks(r#"{"tests":true}"#).is_err());
    assert!(checks(r#"{"timeoutMs":-1}"#).is_err());
}
