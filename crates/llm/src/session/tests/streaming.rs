//! A long rewrite that streams in: what is seen of it, and when.

use super::*;

/// Tokens a second of the model that is played.
const RATE: usize = 50;

/// Returns the arguments of a rewrite of 400 lines, a token each: four bytes or so.
fn tokens() -> Vec<String> {
    let content: String = (0..400)
        .map(|n| format!("let value_{n} = {n};\n"))
        .collect();
    let arguments = json!({
        "path": "src/long.rs",
        "operation": "rewrite",
        "description": "Rewrite it",
        "content": content,
    });
    let text: Vec<char> = arguments.to_string().chars().collect();
    text.chunks(4).map(|chunk| chunk.iter().collect()).collect()
}

fn begun() -> Stage {
    let mut stage = Stage::new();
    stage.submit("rewrite it");
    stage.piece(Delta::CallStarted {
        index: 0,
        id: CallId("a".to_owned()),
        name: "edit_section".to_owned(),
    });
    stage
}

fn push(stage: &mut Stage, fragment: String) -> String {
    stage.take_log();
    stage.piece(Delta::CallArguments { index: 0, fragment });
    stage.take_log()
}

#[test]
fn the_file_is_named_with_its_description_and_lines_are_counted_from_then_on() {
    let mut stage = begun();
    let tokens = tokens();
    let whole_at = |word: &str| {
        let mut text = String::new();
        tokens.iter().position(|token| {
            text.push_str(token);
            text.contains(word)
        })
    };
    let (mut seen, mut named, mut counted, mut last) = (None, None, Vec::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        let log = push(&mut stage, token.clone());
        if log == "< named a src/long.rs" {
            seen = Some(at);
        }
        if log.contains("< intent a src/long.rs rewrite Rewrite it") {
            named = Some(at);
        }
        if let Some(lines) = log.strip_prefix("< progress a ") {
            last = lines.parse::<u64>().unwrap();
            counted.push(at);
        }
    }
    assert_eq!(
        seen,
        whole_at(r#""src/long.rs""#),
        "with the token that completes it"
    );
    assert_eq!(named, whole_at(r#""Rewrite it""#), "likewise");
    assert!(last >= 390, "{last}");
    // No pause of the count is longer than the tokens of nine lines take.
    let longest = counted.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest.is_some_and(|tokens| tokens < 9 * 7), "{longest:?}");
    assert!(tokens.len() / RATE > 30, "a rewrite that takes its time");
}

#[test]
fn to_cancel_frees_the_turn_at_once() {
    let mut stage = begun();
    for token in tokens().into_iter().take(300) {
        push(&mut stage, token);
    }
    stage.cancel();
    assert_snapshot!(stage.take_log(), @"
    < call_done a edit_section false cancelled
    < turn_ended cancelled
    < phase idle
    > cancel request 1
    ");
    stage.submit("something else");
    assert_eq!(stage.session.phase(), Phase::Asking);
}
