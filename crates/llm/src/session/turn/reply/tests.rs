//! Answers in pieces: what they are put together to, and what is announced of them.

use super::*;
use crate::session::test_kit;

fn push(reply: &mut Reply, delta: Delta) -> Vec<Event> {
    reply.push(delta, &Transcript::default(), &test_kit::specs())
}

fn started(index: usize, id: &str, name: &str) -> Delta {
    Delta::CallStarted {
        index,
        id: CallId(id.to_owned()),
        name: name.to_owned(),
    }
}

fn more(index: usize, fragment: &str) -> Delta {
    Delta::CallArguments {
        index,
        fragment: fragment.to_owned(),
    }
}

#[test]
fn progress_is_told_at_few_counts() {
    let mut told = 0;
    let mut marks = Vec::new();
    for lines in 0..=35 {
        if lines >= next_mark(told) {
            told = lines;
            marks.push(lines);
        }
    }
    assert_eq!(marks, Vec::from_iter(1..=35));
    assert_eq!(
        [50, 100, 399, 10_000].map(next_mark),
        [52, 103, 407, 10_201]
    );
}

#[test]
fn the_intent_is_told_once_and_before_the_content() {
    let mut reply = Reply::new(RequestId(1));
    push(&mut reply, started(0, "a", "edit_section"));
    assert_eq!(push(&mut reply, more(0, r#"{"path":"a.r"#)), []);
    let named = push(&mut reply, more(0, r#"s","descr"#));
    assert!(
        matches!(&named[..], [Event::Call(CallEvent::Named { path, .. })] if path == "a.rs"),
        "{named:?}"
    );
    let events = push(&mut reply, more(0, r#"iption":"Fix it","edits":[{"#));
    assert!(
        matches!(&events[..], [Event::Call(CallEvent::Intent { path, description, .. })]
            if path == "a.rs" && description == "Fix it"),
        "{events:?}"
    );
    let rest = push(&mut reply, more(0, r#""old_text":"a","new_text":"b"}]}"#));
    assert!(
        !rest
            .iter()
            .any(|event| matches!(event, Event::Call(CallEvent::Intent { .. })))
    );
}

/// Streams arguments letter by letter and returns what was announced, `path: description`.
fn announced(arguments: &str) -> Vec<String> {
    let mut reply = Reply::new(RequestId(1));
    push(&mut reply, started(0, "a", "edit_section"));
    let letters = arguments.chars().map(String::from);
    let mut events: Vec<Event> = letters
        .flat_map(|letter| push(&mut reply, more(0, &letter)))
        .collect();
    events.extend(reply.finish().1.into_iter().map(Event::from));
    let told = events.into_iter().filter_map(|event| match event {
        Event::Call(CallEvent::Intent {
            path, description, ..
        }) => Some(format!("{path}: {description}")),
        Event::Call(CallEvent::Described { description, .. }) => Some(format!(": {description}")),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_description_is_told_before_its_path_and_every_file_as_it_comes() {
    let check = |arguments: &str, expected: &[&str]| {
        assert_eq!(announced(arguments), expected, "{arguments}");
    };
    check(
        r#"{"description":"Fix it","path":"a.rs"}"#,
        &[": Fix it", "a.rs: Fix it"],
    );
    check(
        r#"{"changes":[{"file":"a","description":"One","x":[{"file":"no"}]},
            {"file":"b","description":"Two","x":{"path":"no","description":"no"}},
            {"file":"c"},{"description":"Four","file":"d"},{"file":"e"}]}"#,
        &["a: One", "b: Two", "c: ", "d: Four", "e: "],
    );
    check(
        r#"{"changes":[{"description":"Both","strategy":"diff","diff":{"patch":"*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+z\n"}},{"file":"c","description":"Three"}]}"#,
        &[": Both", "a.rs: Both", "b.rs: Both", "c: Three"],
    );
    let unified = "--- a/x.c\\n+++ b/x.c\\n@@\\n-a\\n+++ no\\n--- a/y.c\\t2026\\n+++ /dev/null\\n";
    check(
        &format!(
            r#"{{"changes":[{{"file":"x.c","description":"D","diff":{{"patch":"{unified}"}}}}]}}"#
        ),
        &["x.c: D", "y.c: D"],
    );
    // What no screen shows is not kept.
    let many = r#"{"file":"f","description":"d"},"#.repeat(200);
    assert_eq!(
        announced(&format!(r#"{{"changes":[{many}{{}}]}}"#)).len(),
        65
    );
}

#[test]
fn tools_that_look_announce_nothing() {
    let mut reply = Reply::new(RequestId(1));
    push(&mut reply, started(0, "a", "read"));
    let events = push(&mut reply, more(0, r#"{"path":"a","description":"b"}"#));
    assert_eq!(events, []);
    assert_eq!(reply.finish().1, []);
}

#[test]
fn a_call_without_a_description_is_announced_when_it_is_whole() {
    let mut reply = Reply::new(RequestId(1));
    push(&mut reply, started(0, "a", "edit_section"));
    push(&mut reply, more(0, r#"{"path":"a.rs","edits":[]}"#));
    let (_, events) = reply.finish();
    assert!(
        matches!(&events[..], [CallEvent::Intent { description, .. }] if description.is_empty())
    );
}

#[test]
fn calls_under_one_index_are_told_apart_by_their_ids() {
    let mut reply = Reply::new(RequestId(1));
    for (id, arguments) in [("a", "{}"), ("b", "[]")] {
        push(&mut reply, started(0, id, "read"));
        push(&mut reply, started(0, id, "read"));
        push(&mut reply, more(0, arguments));
    }
    let calls = reply.finish().0.calls;
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (call.id.0.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(seen, [("a", "{}"), ("b", "[]")]);
}

#[test]
fn arguments_of_no_call_are_ignored() {
    let mut reply = Reply::new(RequestId(1));
    assert_eq!(push(&mut reply, more(3, "{}")), []);
    assert!(reply.finish().0.calls.is_empty());
}

#[test]
fn an_answer_without_end_is_noticed() {
    let mut reply = Reply::new(RequestId(1));
    let piece = "x".repeat(1 << 20);
    for _ in 0..32 {
        push(
            &mut reply,
            Delta::Text {
                text: piece.clone(),
            },
        );
    }
    assert!(!reply.is_too_long());
    push(&mut reply, Delta::Text { text: piece });
    assert!(reply.is_too_long());
}

#[test]
fn what_is_kept_and_shown_of_thoughts_has_a_bound() {
    let mut reply = Reply::new(RequestId(1));
    let piece = "x".repeat(MOST_REASONING / 4);
    let think = |reply: &mut Reply| {
        let text = piece.clone();
        push(reply, Delta::Reasoning { text }).len()
    };
    let shown: usize = (0..20).map(|_| think(&mut reply)).sum();
    assert_eq!((shown, reply.is_too_long()), (4, false));
    for _ in 0..6 {
        let value = "x".repeat(ProviderState::MOST_BYTES / 3).into();
        let origin = "o".to_owned();
        push(&mut reply, Delta::Keep { origin, value });
    }
    // Thoughts without end are an answer without end.
    (0..20).for_each(|_| assert_eq!(think(&mut reply), 0));
    assert!(reply.is_too_long());
    assert_eq!(reply.finish().0.kept.len(), 2);
}

#[test]
fn a_lone_surrogate_in_arguments_spoils_one_string() {
    let mut reply = Reply::new(RequestId(1));
    push(&mut reply, started(0, "a", "read"));
    for fragment in [r#"{"path":"a\ud8"#, r#"3d.rs","b":"\ud83d"#, r#"\ude00"}"#] {
        push(&mut reply, more(0, fragment));
    }
    let calls = reply.finish().0.calls;
    let arguments: Value = serde_json::from_str(&calls[0].arguments).unwrap();
    assert_eq!(
        arguments,
        serde_json::json!({"path": "a\u{fffd}.rs", "b": "\u{1f600}"})
    );
}
