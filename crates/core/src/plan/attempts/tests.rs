//! Several ways to ask for the same, tried one after the other.

use crate::engine::one_shot;
use crate::guard::Guards;

/// Runs a change on `before` and returns the answer's JSON without the text.
fn answer(path: &str, before: &str, change: &str) -> (Option<String>, String) {
    let before = serde_json::to_string(before).unwrap();
    let line = format!(r#"{{"id":1,"path":"{path}","before":{before},"change":{change}}}"#);
    let mut answer = one_shot(&line, Guards::On);
    let after = answer.after.take();
    (after, serde_json::to_string(&answer).unwrap())
}

const STRUCT: &str = r#""struct":{"pattern":"f(:[x])","replacement":"g(:[x])"}"#;
const DIFF: &str = r#""diff":{"kind":"unified","patch":"@@\n-a\n+b\n"}"#;

#[test]
fn the_first_way_that_can_be_done_is_taken() {
    let (after, json) = answer("a.txt", "a\n", &format!("{{{STRUCT},{DIFF}}}"));
    assert_eq!(after.as_deref(), Some("b\n"));
    assert!(json.contains(r#""strategy_used":"diff""#), "{json}");
    assert!(
        json.contains(r#""attempts":[{"strategy":"struct","status":"not_found","error":"nothing matches: `f(` is not in the file"}]"#),
        "{json}"
    );
    let (after, json) = answer("a.txt", "f(1)\na\n", &format!("{{{STRUCT},{DIFF}}}"));
    assert_eq!(after.as_deref(), Some("g(1)\na\n"));
    assert!(!json.contains("attempts"), "{json}");
}

#[test]
fn the_named_way_comes_first() {
    let (after, _) = answer(
        "a.txt",
        "f(1)\na\n",
        &format!(r#"{{"strategy":"diff",{STRUCT},{DIFF}}}"#),
    );
    assert_eq!(after.as_deref(), Some("f(1)\nb\n"));
    let (after, json) = answer(
        "a.txt",
        "f(1)\n",
        &format!(r#"{{"strategy":"diff",{STRUCT},{DIFF}}}"#),
    );
    assert_eq!(after.as_deref(), Some("g(1)\n"));
    assert!(
        json.contains(r#""attempts":[{"strategy":"diff","status":"not_found""#),
        "{json}"
    );
}

#[test]
fn nothing_goes_past_what_is_ambiguous_or_done() {
    let section = r#""section":{"edits":[{"old_text":"x","new_text":"y"}]}"#;
    let (after, json) = answer("a.txt", "x\nx\na\n", &format!("{{{section},{DIFF}}}"));
    assert_eq!(after, None);
    assert!(json.contains(r#""status":"ambiguous""#), "{json}");
    let (after, json) = answer(
        "a.txt",
        "g(long)\na\n",
        &format!(r#"{{"struct":{{"pattern":"call(:[x])","replacement":"gone(:[x])"}},{DIFF}}}"#),
    );
    assert_eq!(after.as_deref(), Some("g(long)\nb\n"), "{json}");
    let (_, json) = answer(
        "a.txt",
        "f(1) f(2)\na\n",
        &format!(r#"{{"expected":1,{STRUCT},{DIFF}}}"#),
    );
    assert!(
        json.contains("2 changes instead of the expected 1"),
        "{json}"
    );
}

#[test]
fn when_nothing_can_be_done_every_way_says_why() {
    let (after, json) = answer("a.txt", "q\n", &format!("{{{STRUCT},{DIFF}}}"));
    assert_eq!(after, None);
    assert!(
        json.contains(r#""status":"not_found""#) && json.contains(r#""attempts":[{"#),
        "{json}"
    );
}
