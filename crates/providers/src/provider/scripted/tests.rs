//! Scripts in, answers out: expectations, faults and hanging ones.

use futures_util::FutureExt;

use super::*;
use crate::message::{CallId, Message, ToolChoice};
use crate::provider::{StopReason, Usage};

fn prompt(text: &str) -> Prompt {
    Prompt {
        messages: vec![Message::User {
            text: text.to_owned(),
            images: Vec::new(),
        }],
        tools: vec![],
        tool_choice: ToolChoice::Auto,
        target: None,
    }
}

async fn ask(script: &Scripted, text: &str) -> Vec<Result<Delta, ProviderError>> {
    script.stream(prompt(text)).collect().await
}

fn text(text: &str) -> Delta {
    Delta::Text {
        text: text.to_owned(),
    }
}

fn replay(detail: &str) -> ProviderError {
    ProviderError::Replay {
        detail: detail.to_owned(),
    }
}

#[tokio::test]
async fn each_request_gets_its_answer() {
    let script = Scripted::parse(
        r#"
        # first
        {"deltas":[{"delta":"text","text":"Hel"},{"delta":"text","text":"lo"},{"delta":"usage","input":3,"output":2}]}

        {"deltas":[{"delta":"text","text":"Bye"},{"delta":"stop","reason":"length"}]}
        "#,
    )
    .unwrap();
    assert_eq!(script.left(), 2);
    let usage = Delta::Usage(Usage {
        input: 3,
        cached: 0,
        stored: 0,
        output: 2,
    });
    let stop = Delta::Stop {
        reason: StopReason::Stop,
    };
    assert_eq!(
        ask(&script, "a").await,
        [Ok(text("Hel")), Ok(text("lo")), Ok(usage), Ok(stop)]
    );
    let stop = Delta::Stop {
        reason: StopReason::Length,
    };
    assert_eq!(ask(&script.clone(), "b").await, [Ok(text("Bye")), Ok(stop)]);
    assert_eq!(
        ask(&script, "c").await,
        [Err(replay("it has no answer to request 3"))]
    );
    assert_eq!(script.prompts(), [prompt("a"), prompt("b"), prompt("c")]);
    assert_eq!(script.left(), 0);
}

#[tokio::test]
async fn whole_calls_are_played_in_pieces() {
    let script = Scripted::parse(
        r#"{"deltas":[{"delta":"call","name":"read","arguments":{"path":"a/long/path.rs"}},{"delta":"call","id":"x","name":"grep","arguments":"{bad"}]}"#,
    )
    .unwrap();
    assert_eq!(
        ask(&script, "a").await,
        [
            started(0, "call_1_0", "read"),
            piece(0, r#"{"path":"a/long/"#),
            piece(0, r#"path.rs"}"#),
            started(1, "x", "grep"),
            piece(1, "{bad"),
            Ok(Delta::Stop {
                reason: StopReason::ToolCalls
            }),
        ]
    );
}

fn piece(index: usize, fragment: &str) -> Result<Delta, ProviderError> {
    Ok(Delta::CallArguments {
        index,
        fragment: fragment.to_owned(),
    })
}

fn started(index: usize, id: &str, name: &str) -> Result<Delta, ProviderError> {
    Ok(Delta::CallStarted {
        index,
        id: CallId(id.to_owned()),
        name: name.to_owned(),
    })
}

#[tokio::test]
async fn an_answer_may_fail_after_it_began() {
    let script = Scripted::parse(
        r#"{"deltas":[{"delta":"text","text":"a"}],"error":{"kind":"cut","detail":"gone"}}
           {"error":{"kind":"status","code":429,"message":"slow","retry_after_s":3}}"#,
    )
    .unwrap();
    let cut = ProviderError::Cut {
        detail: "gone".to_owned(),
    };
    assert_eq!(ask(&script, "a").await, [Ok(text("a")), Err(cut)]);
    assert!(matches!(
        ask(&script, "b").await.as_slice(),
        [Err(ProviderError::Status {
            code: 429,
            retry_after: Some(_),
            ..
        })]
    ));
}

#[tokio::test]
async fn an_answer_may_never_end() {
    let script =
        Scripted::parse(r#"{"deltas":[{"delta":"text","text":"a"}],"hang":true}"#).unwrap();
    let mut stream = script.stream(prompt("a"));
    assert_eq!(stream.next().await, Some(Ok(text("a"))));
    assert_eq!(stream.next().now_or_never(), None);
}

#[tokio::test]
async fn what_a_request_lacks_is_said() {
    let check = async |expect: &str, expected: Option<&str>| {
        let script = Scripted::parse(&format!(r#"{{"expect":{expect}}}"#)).unwrap();
        let error = ask(&script, "rename a to b")
            .await
            .into_iter()
            .find_map(Result::err);
        assert_eq!(error, expected.map(replay), "{expect}");
    };
    check(
        r#"{"tool_choice":"auto","contains":["rename","a to b"],"lacks":["c"]}"#,
        None,
    )
    .await;
    check(
        r#"{"tool_choice":"none"}"#,
        Some("line 1: the request's tool_choice is auto, not none"),
    )
    .await;
    check(
        r#"{"contains":["rename","x"]}"#,
        Some(r#"line 1: the request does not contain "x""#),
    )
    .await;
    check(
        r#"{"lacks":["rename"]}"#,
        Some(r#"line 1: the request contains "rename""#),
    )
    .await;
}

#[test]
fn mistakes_have_a_line() {
    assert_eq!(
        parse_error("\n{}\n{\n"),
        "line 3: EOF while parsing an object at line 1 column 1"
    );
    assert!(
        parse_error(r#"{"deltas":[{"delta":"song"}]}"#)
            .starts_with("line 1: unknown variant `song`")
    );
    assert!(parse_error(r#"{"detlas":[]}"#).starts_with("line 1: unknown field `detlas`"));
    assert!(
        parse_error(r#"{"error":{"kind":"odd"}}"#).starts_with("line 1: unknown variant `odd`")
    );
    let both = r#"{"hang":true,"error":{"kind":"cut","detail":""}}"#;
    assert_eq!(
        parse_error(both),
        "line 1: an answer cannot both fail and hang"
    );
    assert_eq!(Scripted::parse("").unwrap().left(), 0);
}

fn parse_error(text: &str) -> String {
    Scripted::parse(text).unwrap_err().to_string()
}
