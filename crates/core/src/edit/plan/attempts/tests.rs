//! Several ways to ask for the same, tried one after the other.

use crate::budget::{Budget, REQUEST_STEPS, Stop, Stopped};
use crate::disk::workspace::WorkspacePath;
use crate::edit::guard::Guards;
use crate::edit::locate::Rung;
use crate::edit::plan::{Outcome, PlanContext, attempt, plan};
use crate::edit::request::Change;
use crate::engine::one_shot;
use crate::syntax::SyntaxCache;
use crate::text::Source;

/// Runs a change on `before` and returns the answer's JSON without the text.
fn answer(path: &str, before: &str, change: &str) -> (Option<String>, String) {
    let before = serde_json::to_string(before).unwrap();
    let line = format!(r#"{{"id":1,"path":"{path}","before":{before},"change":{change}}}"#);
    let mut answer = one_shot(&SyntaxCache::default(), &line, Guards::On);
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

#[test]
fn each_strategy_says_by_what_it_found_its_places() {
    let rung = |path: &str, before: &str, fields: &str| {
        let change = serde_json::from_str(&format!(r#"{{"file":"{path}",{fields}}}"#)).unwrap();
        let path = WorkspacePath::parse(path, std::path::Path::new("/w")).unwrap();
        let source = Source::new(before);
        let change = Change::parse(change).unwrap();
        match plan(&path, Some(&source), &change) {
            Outcome::Planned(plan) => plan.evidence.rung,
            other => panic!("{other:?}"),
        }
    };
    let rename = r#""recipe":{"name":"rename_identifier","from":"a","to":"b"}"#;
    assert_eq!(rung("x.rs", "fn a() {}\n", rename), Rung::Syntax);
    assert_eq!(rung("x.txt", "a\n", rename), Rung::Pattern);
    let holes = r#""struct":{"pattern":"f(:[x])","replacement":"g(:[x])"}"#;
    assert_eq!(rung("x.rs", "fn a() { f(1) }\n", holes), Rung::Pattern);
    let metavariables = r#""struct":{"pattern":"f($X)","replacement":"g($X)"}"#;
    assert_eq!(
        rung("x.rs", "fn a() { f(1) }\n", metavariables),
        Rung::Syntax
    );
    let query = r#""ast":{"query":"(integer_literal) @n","template":"2"}"#;
    assert_eq!(rung("x.rs", "const A: u8 = 1;\n", query), Rung::Syntax);
    let lines = r#""lines":{"operations":[{"op":"delete","startLine":1}]}"#;
    assert_eq!(rung("x.rs", "a\n", lines), Rung::Numbers);
    let section = r#""section":{"edits":[{"old_text":"a","new_text":"b"}]}"#;
    assert_eq!(rung("x.rs", "a\n", section), Rung::Exact);
}

#[test]
fn work_that_is_cut_short_is_told_from_text_that_is_not_found() {
    let text = "fn a() {\n    one(\"\u{e4}\");\n}\n".repeat(200);
    let (source, path) = (
        Source::new(text),
        WorkspacePath::parse("x.rs", std::path::Path::new("/w")).unwrap(),
    );
    let stopped = Stop::default();
    stopped.stop(Stopped::Cancelled);
    for fields in [
        r#""section":{"edits":[{"old_text":"no such  line\nat all","new_text":"x"}]}"#,
        r#""diff":{"kind":"unified","patch":"@@\n-no such  line\n-at all\n+b\n"}"#,
        r#""ast":{"query":"(struct_item) @x","template":"y"}"#,
        r#""recipe":{"name":"rename_identifier","from":"none","to":"b"}"#,
    ] {
        let change = serde_json::from_str(&format!(r#"{{"file":"x.rs",{fields}}}"#)).unwrap();
        let change = Change::parse(change).unwrap();
        let cache = SyntaxCache::default();
        let outcome = |steps: u64, stop: &Stop| {
            let context = PlanContext::new(&cache, &Budget::new(steps, stop.clone()));
            attempt(&context, &path, Some(&source), &change).outcome
        };
        for (steps, stop) in [(10, &Stop::default()), (REQUEST_STEPS, &stopped)] {
            let made = outcome(steps, stop);
            assert_eq!(made, Outcome::OutOfBudget, "{fields}");
        }
        // Nothing of it was kept for those who have the steps.
        let made = outcome(REQUEST_STEPS, &Stop::default());
        assert!(
            matches!(made, Outcome::NotFound { .. }),
            "{fields}: {made:?}"
        );
    }
}

/// What is said of a place is what differs there, and no more than that.
#[test]
fn a_place_found_loosely_says_what_it_looked_through() {
    let change = r#"{"file":"a.py","section":{"edits":[{"old_text":"say(\"it\")\ngo()","new_text":"say(\"it\")\nstop()"}]}}"#;
    let change = Change::parse(serde_json::from_str(change).unwrap()).unwrap();
    let path = WorkspacePath::parse("a.py", std::path::Path::new("/w")).unwrap();
    for (before, expected) in [
        (
            "say(\"it\")  \ngo()\n",
            "with other white space at the ends of lines",
        ),
        ("say(“it”)\ngo()\n", "with other quotes, dashes or accents"),
        (
            "    say(\"it\")\n    go()\n",
            "with other indentation or spaces",
        ),
    ] {
        match plan(&path, Some(&Source::new(before)), &change) {
            Outcome::Planned(plan) => {
                let said = format!("{:?}", plan.evidence);
                assert!(said.contains(expected), "{before:?}: {said}");
            }
            other => panic!("{before:?}: {other:?}"),
        }
    }
}
