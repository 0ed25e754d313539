//! What becomes of a turn whose server, call or room gives out; and of a conversation that goes
//! on later.

use super::*;
use crate::memory::{Recall, Record};
use crate::provider::catalogue::Model;
use crate::transcript::Entry;

fn started(id: &str, name: &str) -> Delta {
    Delta::CallStarted {
        index: usize::from(id != "a"),
        id: CallId(id.to_owned()),
        name: name.to_owned(),
    }
}

fn more(id: &str, fragment: &str) -> Delta {
    Delta::CallArguments {
        index: usize::from(id != "a"),
        fragment: fragment.to_owned(),
    }
}

fn cancel_call(stage: &mut Stage, id: Option<&str>) {
    let id = id.map(|id| CallId(id.to_owned()));
    stage.feed(Input::Command(Command::CancelCall(id)));
}

fn refused(message: &str) -> ProviderError {
    ProviderError::Status {
        code: 400,
        message: message.to_owned(),
        retry_after: None,
    }
}

#[test]
fn a_call_that_streams_in_is_stopped_and_the_turn_goes_on() {
    let mut stage = Stage::new();
    stage.submit("look and rewrite");
    stage.piece(started("a", "read"));
    stage.piece(more("a", READ));
    stage.piece(started("b", "edit_section"));
    stage.piece(more(
        "b",
        r#"{"path":"file1.rs","operation":"rewrite","description":"Rewrite it","content":"x\n"#,
    ));
    stage.take_log();
    cancel_call(&mut stage, None);
    assert_snapshot!(stage.take_log(), @"
    < call_done b edit_section false stopped by you; the turn goes on
    < phase working
    > cancel request 1
    > run read a (turn 1)
    ");
    stage.done("a", ToolOutput::done("text", "read"));
    let payload = payload(stage.last_prompt()).to_string();
    assert!(payload.contains("cancelled: the user stopped this one call."));
    assert!(
        payload.contains(r#"\"description\":\"Rewrite it\""#),
        "{payload}"
    );
    assert_eq!(stage.session.phase(), Phase::Asking);
}

#[test]
fn a_whole_call_is_stopped_before_it_runs() {
    let mut stage = Stage::new();
    stage.submit("look twice");
    stage.piece(started("a", "edit_section"));
    stage.piece(more("a", EDIT));
    stage.piece(started("b", "read"));
    cancel_call(&mut stage, Some("a"));
    stage.piece(more("b", READ));
    stage.calls(&[]);
    let ran: Vec<_> = stage
        .running
        .iter()
        .map(|call| call.call().id.0.clone())
        .collect();
    assert_eq!(ran, ["b"]);
}

#[test]
fn calls_that_wait_or_run_are_stopped_one_by_one() {
    let mut stage = Stage::new();
    stage.submit("do it");
    stage.calls(&[("a", "edit_section", EDIT), ("b", "read", READ)]);
    stage.take_log();
    cancel_call(&mut stage, None);
    cancel_call(&mut stage, None);
    assert_snapshot!(stage.take_log(), @"
    < call_done b read false stopped by you; the turn goes on
    > cancel call a
    ");
    // It had staged by then: that is what the model is told.
    stage.done("a", staged(1, 1));
    assert_eq!(stage.session.phase(), Phase::Closing);
}

#[test]
fn a_look_that_is_stopped_is_not_waited_for() {
    let mut stage = Stage::new();
    stage.submit("do it");
    stage.calls(&[("a", "read", READ)]);
    cancel_call(&mut stage, Some("a"));
    assert_eq!(stage.session.phase(), Phase::Asking);
    stage.feed(Input::ToolDone {
        call: CallId("a".to_owned()),
        output: ToolOutput::done("late", "late"),
        took_ms: None,
        aside: None,
    });
    assert!(!payload(stage.last_prompt()).to_string().contains("late"));
    cancel_call(&mut stage, Some("nobody"));
    assert!(
        stage
            .take_log()
            .ends_with("< info no call runs that could be stopped")
    );
}

#[test]
fn asking_again_keeps_what_came() {
    let mut stage = Stage::new();
    stage.submit("hi");
    stage.piece(text("Hel"));
    stage.feed(Input::Silent {
        request: RequestId(1),
        seconds: 10,
    });
    stage.feed(Input::Silent {
        request: RequestId(7),
        seconds: 10,
    });
    stage.take_log();
    stage.feed(Input::Command(Command::Retry));
    assert_snapshot!(stage.take_log(), @"
    < retrying you asked again 2 0
    > cancel request 1
    > ask 2 (tools: auto) ... system: Your answer broke off here. None of its calls were run. Do not repeat what you already said.
    ");
    stage.says("lo");
    stage.feed(Input::Command(Command::Retry));
    assert!(
        stage
            .take_log()
            .ends_with("< info there is no request to send again")
    );
}

#[test]
fn a_turn_that_failed_is_taken_up_again() {
    let mut stage = Stage::new();
    stage.submit("hi");
    stage.ended(Err(refused("bad")));
    stage.feed(Input::Command(Command::Retry));
    assert_eq!(stage.session.phase(), Phase::Asking);
    let users = stage.last_prompt().messages.iter();
    let users = users.filter(|message| matches!(message, Message::User { .. }));
    assert_eq!(users.count(), 1, "the prompt is not said twice");
}

#[test]
fn a_conversation_that_would_not_fit_is_compacted_before_it_is_sent() {
    let model = Model {
        name: "m".to_owned(),
        context: Some(4_000),
        ..Model::default()
    };
    let mut stage = Stage::knowing(Config::new(specs()), model);
    for turn in 0..4 {
        stage.submit(&format!("request {turn}"));
        stage.calls(&[(&format!("c{turn}"), "read", READ)]);
        let long = format!("{turn} {}", "x".repeat(5_000));
        stage.done(&format!("c{turn}"), ToolOutput::done(long, "read"));
        stage.says("Done.");
    }
    let log = stage.take_log();
    assert!(
        log.contains("< compacted ") && log.contains("> forget"),
        "{log}"
    );
    for prompt in &stage.prompts {
        let size = payload(prompt).to_string().len();
        assert!(size < 12_000, "{size}");
        check_prompt(prompt);
    }
}

#[test]
fn the_user_may_ask_for_a_shorter_conversation() {
    let mut stage = Stage::new();
    assert_eq!(
        compact(&mut stage),
        "< info the conversation is as short as it can be"
    );
    stage.submit("hi");
    assert!(compact(&mut stage).contains("a turn runs"));
    stage.calls(&[("a", "read", READ)]);
    stage.done("a", ToolOutput::done("x".repeat(50_000), "read"));
    stage.says("Done.");
    stage.submit("more");
    stage.says("Yes.");
    stage.take_log();
    let log = compact(&mut stage);
    let counts = log
        .strip_prefix("< compacted ")
        .and_then(|log| log.strip_suffix("\n> forget"));
    let (before, after) = counts.and_then(|counts| counts.split_once(' ')).unwrap();
    let (before, after): (u64, u64) = (before.parse().unwrap(), after.parse().unwrap());
    assert!(before > 16_000 && after < 1_000, "{log}");
}

fn compact(stage: &mut Stage) -> String {
    stage.feed(Input::Command(Command::Compact));
    stage.take_log()
}

#[test]
fn a_server_that_refuses_tools_is_asked_once_more() {
    let mut stage = Stage::new();
    stage.submit("hi");
    for _ in 0..2 {
        stage.ended(Err(refused("m does not support tools")));
    }
    assert_eq!(
        (stage.session.phase(), stage.prompts.len()),
        (Phase::Idle, 2)
    );
}

#[test]
fn everything_said_is_written_down_once() {
    let mut stage = Stage::with(Config {
        remember: true,
        ..Config::new(specs())
    });
    stage.submit("hi");
    stage.calls(&[("a", "read", READ)]);
    stage.done("a", ToolOutput::done("text", "read"));
    stage.says("Done.");
    let written: Vec<Entry> = stage
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Entry(entry) => Some(entry.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(written, stage.session.transcript().entries());
}

#[test]
fn as_much_of_an_earlier_conversation_is_told_as_is_wanted() {
    let mut first = Stage::new();
    for text in ["one", "two", "three"] {
        first.submit(text);
        first.says("Yes.");
    }
    for (most_told, expected) in [(usize::MAX, 6), (40, 6), (2, 2), (0, 0)] {
        let mut stage = Stage::with(Config {
            most_told,
            ..Config::new(specs())
        });
        stage.feed(Input::Switched(Ok(Recall {
            id: "s".to_owned(),
            entries: first.session.transcript().entries().to_vec(),
            ..Recall::default()
        })));
        let told = stage.take_log().matches("< earlier").count();
        assert_eq!(told, expected);
    }
}

/// A process that was killed while an answer came left a prompt, or answers to calls, as the last thing on record.
#[test]
fn a_request_that_was_not_answered_is_sent_again() {
    let mut first = Stage::new();
    first.submit("go");
    let asked = first.session.transcript().entries().to_vec();
    first.calls(&[("a", "read", READ)]);
    first.done("a", ToolOutput::done("text", "read"));
    let read = first.session.transcript().entries().to_vec();
    first.says("Done.");
    let done = first.session.transcript().entries().to_vec();
    let mut cancelled = Stage::new();
    cancelled.submit("go");
    cancelled.cancel();
    let cancelled = cancelled.session.transcript().entries().to_vec();
    for (entries, is_sent) in [
        (asked, true),
        (read, true),
        (done, false),
        (cancelled, false),
    ] {
        let mut stage = Stage::new();
        stage.feed(Input::Switched(Ok(Recall {
            id: "s".to_owned(),
            entries,
            ..Recall::default()
        })));
        assert_eq!(stage.take_log().contains("has no answer; /retry"), is_sent);
        stage.feed(Input::Command(Command::Retry));
        assert_eq!(stage.prompts.len(), usize::from(is_sent));
    }
}

#[test]
fn an_empty_answer_says_how_to_ask_again() {
    let mut stage = Stage::new();
    stage.submit("go");
    stage.take_log();
    stage.says("");
    let log = stage.take_log();
    assert!(
        log.contains("the model gave an empty answer; /retry asks again"),
        "{log}"
    );
    stage.feed(Input::Command(Command::Retry));
    assert_eq!(stage.prompts.len(), 2);
}

#[test]
fn a_denial_after_a_resume_is_for_the_model_to_answer() {
    let first = in_review();
    let entries = first.session.transcript().entries().to_vec();
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    stage.feed(Input::Switched(Ok(Recall {
        id: "s".to_owned(),
        entries,
        ..Recall::default()
    })));
    assert_snapshot!(stage.take_log(), @r#"
    < review ["file1.rs (2 pending)"]
    < phase awaiting_review
    < session s null 1 ["00000000-0000-0000-0000-000000000001"]
    < earlier user fix it
    < earlier model Staged.
    "#);
    stage.feed(verdicts(vec![judged(1, denied(Some("no")))], 1));
    assert_eq!(stage.session.phase(), Phase::Asking);
    assert!(payload(stage.last_prompt()).to_string().contains("fix it"));
}

#[test]
fn prompts_wait_while_another_conversation_is_opened() {
    let mut stage = Stage::new();
    stage.feed(Input::Command(Command::Switch(Switch::New)));
    stage.submit("hi");
    assert!(stage.prompts.is_empty());
    stage.feed(Input::Switched(Ok(Recall::default())));
    assert_eq!(stage.prompts.len(), 1);
    stage.feed(Input::Command(Command::Switch(Switch::Fork)));
    assert!(
        stage
            .take_log()
            .ends_with("stop it before you go to another conversation null")
    );
}
