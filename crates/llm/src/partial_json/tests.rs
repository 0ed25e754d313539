//! Pieces of JSON in, what is known of it so far out: whatever the pieces, the same in the end.

use proptest::prelude::*;

use super::*;

fn read(pieces: &[&str]) -> ArgumentStream {
    let mut stream = ArgumentStream::new();
    for piece in pieces {
        stream.push(piece);
    }
    stream
}

fn told(stream: &ArgumentStream) -> String {
    let first = stream.first();
    format!(
        "{} {} {:?} lines={}{}",
        first.path.as_deref().unwrap_or("-"),
        first
            .operation
            .map_or("-".to_owned(), |operation| operation.to_string()),
        first.description.as_deref().unwrap_or("-"),
        stream.lines(),
        if stream.is_malformed() {
            " malformed"
        } else if stream.is_complete() {
            " complete"
        } else {
            ""
        },
    )
}

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(told(&read(&[input])), expected, "whole: {input}");
    let letters: Vec<String> = input.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(told(&read(&letters)), expected, "by letters: {input}");
}

#[test]
fn intent_is_known_before_content() {
    check("", r#"- - "-" lines=0"#);
    check(r#"{"path":"src/a"#, r#"- - "-" lines=0"#);
    check(r#"{"path":"src/a.rs""#, r#"src/a.rs - "-" lines=0"#);
    check(
        r#"{"path":"a.rs","operation":"modify","description":"Add it","edits":[{"old_text":"x\ny"#,
        r#"a.rs modify "Add it" lines=2"#,
    );
    check(
        r#"{"path": "n.md", "operation": "rewrite", "description": "d", "content": "one\ntwo\n"}"#,
        r#"n.md rewrite "d" lines=2 complete"#,
    );
}

#[test]
fn the_first_change_tells_the_intent_of_a_patch() {
    check(
        r#"{"changes":[{"file":"a.ts","operation":"create","description":"First","content":"1\n2"},
            {"file":"b.ts","operation":"delete","description":"Second"}]}"#,
        r#"a.ts create "First" lines=2 complete"#,
    );
    check(
        r#"{"description":"All","changes":[{"file":"a.ts","description":"First"#,
        r#"a.ts - "All" lines=0"#,
    );
    check(
        r#"{"changes":[{"strategy":"recipe"},{"operation":"delete","description":"Second"}]}"#,
        r#"- - "-" lines=0 complete"#,
    );
    check(
        r#"{"edits":[{"at":{"file":"deep.rs"}}]}"#,
        r#"deep.rs - "-" lines=0 complete"#,
    );
    check(
        r#"{"recipe":{"name":"x","description":"inner"}}"#,
        r#"- - "-" lines=0 complete"#,
    );
}

#[test]
fn lines_are_counted_where_content_is() {
    check(r#"{"content":""}"#, r#"- - "-" lines=0 complete"#);
    check(r#"{"content":"a"#, r#"- - "-" lines=1"#);
    check(r#"{"content":"a\n"#, r#"- - "-" lines=1"#);
    check(r#"{"content":"a\n\nb"#, r#"- - "-" lines=3"#);
    check(r#"{"content":"a\u000ab"#, r#"- - "-" lines=2"#);
    check(r#"{"content":"a\\nb"#, r#"- - "-" lines=1"#);
    check(
        r#"{"lines":["a","b\nc"],"strategy":"x","path":"p\nq"}"#,
        "p\nq - \"-\" lines=3 complete",
    );
}

#[test]
fn escapes_may_be_split_anywhere() {
    check(
        r#"{"path":"\u00fc\ud83e\udd80\"\\\/\t"}"#,
        "ü🦀\"\\/\t - \"-\" lines=0 complete",
    );
    check(
        r#"{"path":"\ud83ex"}"#,
        "\u{fffd}x - \"-\" lines=0 complete",
    );
    check(
        r#"{"path":"\ud83e\ud83e\udd80"}"#,
        "\u{fffd}🦀 - \"-\" lines=0 complete",
    );
    check(
        r#"{"path":"\udd80\ud83e"}"#,
        "\u{fffd}\u{fffd} - \"-\" lines=0 complete",
    );
    check(r#"{"p\u0061th":"a"}"#, "a - \"-\" lines=0 complete");
}

#[test]
fn an_unknown_operation_is_none() {
    check(
        r#"{"operation":"explode","path":"a"}"#,
        r#"a - "-" lines=0 complete"#,
    );
    check(
        r#"{"operation":3,"path":null,"description":["x"]}"#,
        r#"- - "-" lines=1 complete"#,
    );
}

#[test]
fn malformed_text_goes_quiet_and_keeps_what_it_knew() {
    check(r#"{"path":"a"]"#, r#"a - "-" lines=0 malformed"#);
    check(
        r#"{"path":"a" "description":"b"}"#,
        r#"a - "-" lines=0 malformed"#,
    );
    for text in [
        "x",
        "[1]",
        "\"a\"",
        "é",
        "{1",
        "{,",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{}{",
        "{\"a\":tru3",
        "{\"a\":\"\\x",
        "{\"a\":\"\\u12g",
        "{\"a\":\"\n",
        "{\"a\":[}",
        "{\"a\":é",
        "{}é",
    ] {
        let stream = read(&[text, r#""path":"late"}"#]);
        assert!(stream.is_malformed(), "{text}");
        assert_eq!(stream.first().path, None, "{text}");
    }
}

#[test]
fn nesting_without_end_is_malformed() {
    let text = format!("{{\"a\":{}", "[".repeat(10_000));
    assert!(read(&[&text]).is_malformed());
}

#[test]
fn what_is_kept_is_bounded() {
    let long = "é".repeat(100_000);
    let stream = read(&[&format!(
        r#"{{"description":"{long}","{long}":1,"path":"{long}"}}"#
    )]);
    assert!(stream.is_complete());
    let (path, description) = (
        stream.first().path.as_deref(),
        stream.first().description.as_deref(),
    );
    assert!(description.unwrap().len() <= MAX_DESCRIPTION + '…'.len_utf8());
    assert!(path.unwrap().len() <= MAX_PATH + '…'.len_utf8());
    assert!(path.unwrap().ends_with('…'));
}

/// JSON values, written with and without escapes.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        (-1e9..1e9f64).prop_map(serde_json::Value::from),
        "[a-z\\n\"\\\\é🦀\\t]{0,12}".prop_map(serde_json::Value::from),
    ];
    let key = prop::sample::select(vec![
        "path",
        "file",
        "operation",
        "description",
        "changes",
        "edits",
        "content",
        "strategy",
    ]);
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|pairs| {
                let pairs = pairs
                    .into_iter()
                    .map(|(key, value)| (key.to_owned(), value));
                serde_json::Value::Object(pairs.collect())
            }),
        ]
    })
}

fn pieces(text: &str, cuts: &[usize]) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (letters.len() + 1)).collect();
    cuts.sort_unstable();
    cuts.push(letters.len());
    let mut from = 0;
    cuts.into_iter()
        .map(|cut| {
            letters[std::mem::replace(&mut from, cut)..cut]
                .iter()
                .collect()
        })
        .collect()
}

proptest! {
    #[test]
    fn any_chunking_tells_the_same(
        value in value(),
        noise in "[{}\\[\\]:,\"\\\\unpath0-9 é\\n]{0,20}",
        at in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(0usize..400, 0..30),
    ) {
        let mut text = value.to_string();
        let letters = text.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
        text.insert_str(letters[at.index(letters.len())], &noise);
        let parts = pieces(&text, &cuts);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        prop_assert_eq!(told(&read(&parts)), told(&read(&[&text])));
    }

    #[test]
    fn every_object_is_read_to_its_end(value in value()) {
        let text = value.to_string();
        prop_assert_eq!(read(&[&text]).is_complete(), value.is_object());
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        prop_assert_eq!(told(&read(&[&pretty])), told(&read(&[&text])));
    }

    #[test]
    fn every_string_is_decoded_as_written(path in any::<String>(), content in any::<String>()) {
        let text = serde_json::json!({ "path": path, "content": content }).to_string();
        let stream = read(&[&text]);
        prop_assert_eq!(stream.first().path.as_deref(), Some(path.as_str()));
        prop_assert_eq!(stream.lines(), content.split_inclusive('\n').count() as u64);
    }
}
