//! What was said, and the messages that it makes.

use super::messages::MOST_KEPT;
use super::*;
use crate::message::Message;
use crate::notice::Interruption;

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: CallId(id.to_owned()),
        name: "read".to_owned(),
        arguments: arguments.to_owned(),
    }
}

fn id(text: &str) -> CallId {
    CallId(text.to_owned())
}

fn stopped() -> Notice {
    Notice::Interrupted {
        by: Interruption::User,
    }
}

fn shape(transcript: &Transcript) -> Vec<String> {
    transcript
        .messages("be brief")
        .into_iter()
        .map(|message| match message {
            Message::System { text } if text == "be brief" => "instructions".to_owned(),
            Message::System { .. } => "notice".to_owned(),
            Message::User { text, .. } => format!("user {text}"),
            Message::Assistant { text, calls, .. } => {
                let ids: Vec<_> = calls.iter().map(|call| call.id.0.as_str()).collect();
                format!("assistant {text:?} {ids:?}")
            }
            Message::Tool { call, content, .. } => format!("tool {call} {content}"),
        })
        .collect()
}

#[test]
fn answers_follow_in_the_order_of_the_calls() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    transcript.prompt("look".to_owned())?;
    transcript.said("reading".to_owned(), vec![call("a", "{}"), call("b", "{}")])?;
    transcript.answer(&id("b"), "2".to_owned())?;
    transcript.answer(&id("a"), "1".to_owned())?;
    assert_eq!(
        shape(&transcript),
        [
            "instructions",
            "user look",
            r#"assistant "reading" ["a", "b"]"#,
            "tool a 1",
            "tool b 2",
        ]
    );
    Ok(())
}

#[test]
fn a_call_without_its_answer_is_not_in_the_messages() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    transcript.said(String::new(), vec![call("a", "{}"), call("b", "{}")])?;
    assert_eq!(shape(&transcript), ["instructions"]);
    transcript.answer(&id("b"), "2".to_owned())?;
    assert_eq!(
        shape(&transcript),
        ["instructions", r#"assistant "" ["b"]"#, "tool b 2"]
    );
    assert_eq!(transcript.open_calls(), [id("a")]);
    Ok(())
}

#[test]
fn a_call_is_answered_once() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    transcript.said(String::new(), vec![call("a", "{}")])?;
    transcript.answer(&id("a"), "1".to_owned())?;
    let again = transcript.answer(&id("a"), "2".to_owned());
    assert_eq!(again, Err(Misplaced::Twice(id("a"))));
    let unknown = transcript.answer(&id("z"), "2".to_owned());
    assert_eq!(unknown, Err(Misplaced::Unknown(id("z"))));
    Ok(())
}

#[test]
fn nothing_is_said_over_open_calls() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    transcript.said(String::new(), vec![call("a", "{}")])?;
    assert_eq!(transcript.prompt("x".to_owned()), Err(Misplaced::Open(1)));
    let more = transcript.said("y".to_owned(), vec![]);
    assert_eq!(more, Err(Misplaced::Open(1)));
    Ok(())
}

#[test]
fn a_notice_waits_for_the_answers() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    transcript.said(String::new(), vec![call("a", "{}"), call("b", "{}")])?;
    transcript.answer(&id("a"), "1".to_owned())?;
    transcript.note(stopped());
    transcript.answer(&id("b"), "2".to_owned())?;
    assert_eq!(
        shape(&transcript),
        [
            "instructions",
            r#"assistant "" ["a", "b"]"#,
            "tool a 1",
            "tool b 2",
            "notice",
        ]
    );
    Ok(())
}

#[test]
fn ids_become_unique() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    let twins = vec![
        call("a", "{}"),
        call("a", "{}"),
        call("", "{}"),
        call(" ", "{}"),
    ];
    let ids = transcript.said(String::new(), twins)?;
    let distinct: HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), 4, "{ids:?}");
    for id in &ids {
        transcript.answer(id, String::new())?;
    }
    assert_ne!(
        transcript.said(String::new(), vec![call("a", "{}")])?,
        [id("a")]
    );
    Ok(())
}

#[test]
fn arguments_are_kept_if_every_server_takes_them() {
    for (arguments, expected) in [
        (r#" {"path": "a"} "#, r#" {"path": "a"} "#),
        ("", "{}"),
        (" \n", "{}"),
        (r#"{"path": "#, r#"{"malformed":"{\"path\": "}"#),
        (r#"["a"]"#, r#"{"malformed":"[\"a\"]"}"#),
        (r#"{} {}"#, r#"{"malformed":"{} {}"}"#),
    ] {
        assert_eq!(wire_arguments(arguments), expected);
    }
}

#[test]
fn keepsakes_of_a_request_have_a_bound_and_the_newest_stay() -> Result<(), Misplaced> {
    let mut transcript = Transcript::default();
    for number in 0..10 {
        let kept = vec![ProviderState {
            origin: "o".to_owned(),
            after_text: 0,
            after_calls: 0,
            value: "x".repeat(MOST_KEPT / 4).into(),
        }];
        transcript.said_with(number.to_string(), vec![], kept)?;
    }
    let messages = transcript.messages("instructions");
    let with_kept = messages.iter().filter_map(|message| match message {
        Message::Assistant { text, kept, .. } if !kept.is_empty() => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(with_kept.collect::<String>(), "789");
    Ok(())
}
