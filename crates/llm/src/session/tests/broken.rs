//! Answers that are cancelled or break off.

use super::*;

#[test]
fn a_cancelled_answer_keeps_its_text_and_nothing_that_comes_late() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.piece(text("I will"));
    stage.piece(Delta::CallStarted {
        index: 0,
        id: CallId("a".to_owned()),
        name: "edit_section".to_owned(),
    });
    let request = stage.request.unwrap_or_default();
    stage.cancel();
    stage.cancel();
    let delta = text(" not be seen");
    stage.feed(Input::Delta { request, delta });
    let result = Err(cut());
    stage.feed(Input::RequestEnded { request, result });
    assert_snapshot!(stage.take_log(), @"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < text I will
    < call_started a edit_section
    < call_done a edit_section false cancelled
    < turn_ended cancelled
    < phase idle
    > cancel request 1
    ");
    stage.submit("again");
    assert_json_snapshot!("after_cancel", payload(stage.last_prompt()));
}

#[test]
fn cancelling_answers_every_call() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[
        ("a", "read", READ),
        ("b", "edit_section", EDIT),
        ("c", "edit_section", EDIT),
    ]);
    stage.done("a", ToolOutput::done("text", "read"));
    stage.cancel();
    // What was running may still have staged something: it is shown, and counts as waiting.
    stage.done("b", staged(1, 1));
    stage.done("c", staged(2, 1));
    assert_snapshot!(stage.take_log(), @r#"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < call_started a read
    < call_started b edit_section
    < intent b file1.rs null Fix it
    < call_started c edit_section
    < intent c file1.rs null Fix it
    < phase working
    > run read a (turn 1)
    < call_done a read true read
    > run edit_section b (turn 1)
    < call_done b edit_section false cancelled
    < call_done c edit_section false cancelled
    < turn_ended cancelled
    < phase idle
    > cancel tools of turn 1
    < staged ["file1.rs (1 pending)"]
    < phase awaiting_review
    "#);
    stage.submit("again");
    assert_json_snapshot!("after_cancelled_calls", payload(stage.last_prompt()));
}

#[test]
fn a_broken_answer_runs_no_call() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.piece(text("Here it"));
    stage.piece(Delta::CallStarted {
        index: 0,
        id: CallId("a".to_owned()),
        name: "edit_section".to_owned(),
    });
    let fragment = EDIT.to_owned();
    stage.piece(Delta::CallArguments { index: 0, fragment });
    stage.ended(Err(cut()));
    assert_snapshot!(stage.take_log(), @"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < text Here it
    < call_started a edit_section
    < intent a file1.rs null Fix it
    < call_done a edit_section false not run: the answer broke off
    < retrying the answer broke off: the connection closed 2 500
    > ask 2 in 500 ms (tools: auto) ... system: Your answer broke off here. None of its calls were run. Do not repeat what you already said.
    ");
    assert_json_snapshot!("after_a_cut", payload(stage.last_prompt()));
    stage.ended(Err(cut()));
    stage.ended(Err(cut()));
    assert_snapshot!(stage.take_log(), @"
    < retrying the answer broke off: the connection closed 3 1000
    > ask 3 in 1000 ms (tools: auto) ... system: Your answer broke off here. None of its calls were run. Do not repeat what you already said.
    < fault provider the answer broke off: the connection closed its text is kept and none of its calls were run; ask again
    < turn_ended failed
    < phase idle
    ");
}

#[test]
fn an_answer_without_its_end_is_a_broken_one() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    for _ in 0..3 {
        stage.piece(text("Here it"));
        stage.ended(Ok(()));
    }
    let log = stage.take_log();
    assert!(log.ends_with("< turn_ended failed\n< phase idle"), "{log}");
}

#[test]
fn a_server_that_is_down_leaves_no_trace_in_the_conversation() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.ended(Err(ProviderError::Status {
        code: 401,
        message: "no such key".to_owned(),
        retry_after: None,
    }));
    assert_snapshot!(stage.take_log(), @"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < fault provider the server answered 401: no such key check the key and what it may be used for: `signoff doctor` says whether one is set, `signoff setup` names another
    < turn_ended failed
    < phase idle
    ");
    stage.submit("again");
    assert_eq!(stage.last_prompt().messages.len(), 3);
}

#[test]
fn broken_closing_words_leave_the_edits_in_review() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 1));
    stage.take_log();
    stage.ended(Err(cut()));
    assert_snapshot!(stage.take_log(), @"
    < fault provider the answer broke off: the connection closed the edits are staged; only the closing words are missing
    < turn_ended review
    < phase awaiting_review
    ");
}
