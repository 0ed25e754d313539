//! Whole conversations: inputs in, the log of effects and events out.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use super::test_kit::{
    Stage, blocked, breaking, caught_up, check_prompt, hunk, nothing_taken_back, specs, staged,
    surrounded, taken_back, text, view,
};
use super::*;
use crate::message::{CallId, Message, Prompt, ToolChoice};
use crate::provider::{About, Delta, ProviderError, StopReason};
use crate::tool::ToolOutput;
use signoff_core::edit::diff::line::{DiffLine, LineKind};
use signoff_core::engine::{Decided, Decision, HunkOutcome};
use signoff_core::stage::review::{
    GoneChange, HunkStatus, ProposalView, RevertOutcome, RevertTarget, RevertTo, Ruling, Verdict,
};

mod broken;
mod attachments;
mod by_example;
mod modes;
mod questions;
mod permission_prompt;
mod others;
mod placed;
mod policies;
mod prompt_queue;
mod random;
mod regenerating;
mod recovery;
mod rewind;
mod staged_checks;
mod streaming;
mod user_command;
mod external_decisions;
mod images;
mod deciding;
pub(super) mod wire;

const EDIT: &str = r#"{"path":"file1.rs","description":"Fix it","edits":[]}"#;
const READ: &str = r#"{"path":"file1.rs"}"#;

fn payload(prompt: &Prompt) -> Value {
    json!({ "messages": prompt.messages, "tool_choice": prompt.tool_choice })
}

fn cut() -> ProviderError {
    ProviderError::Cut {
        detail: "the connection closed".to_owned(),
    }
}

fn judged(number: u32, status: HunkStatus) -> HunkOutcome {
    HunkOutcome {
        hunk: hunk(1, number),
        path: "file1.rs".to_owned(),
        status,
    }
}

fn denied(reason: Option<&str>) -> HunkStatus {
    HunkStatus::Denied {
        reason: reason.map(str::to_owned),
    }
}

fn verdicts(hunks: Vec<HunkOutcome>, pending: usize) -> Input {
    decided(Ok(Decision::Done(Decided {
        committed: vec![("file1.rs".to_owned(), 1)],
        deleted: Vec::new(),
        hunks,
        pending,
        unkept: Vec::new(),
    })))
}

/// Returns what came of verdicts after which the list could not be read.
fn decided(outcome: Result<Decision, Fault>) -> Input {
    Input::Decided {
        outcome,
        listing: None,
    }
}

/// Returns a view whose one hunk adds this line.
fn adding(line: &str) -> ProposalView {
    let mut view = view(1, 1);
    view.hunks[0].lines = vec![DiffLine {
        kind: LineKind::Added,
        old: None,
        new: Some(1),
        text: line.to_owned(),
        emphasis: Vec::new(),
        newline: true,
    }];
    view
}

fn approve() -> Input {
    let ruling = Ruling::new(&view(1, 1).hunks[0], Verdict::Approve);
    Input::Command(Command::Decide(vec![ruling]))
}

/// Returns a conversation whose first turn staged two hunks and waits for verdicts.
fn in_review() -> Stage {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 2));
    stage.says("Staged.");
    assert_eq!(stage.session.phase(), Phase::AwaitingReview);
    stage.take_log();
    stage
}

#[test]
fn an_edit_goes_before_the_user_before_the_model_goes_on() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.piece(text("On it."));
    stage.piece(Delta::CallStarted {
        index: 0,
        id: CallId("a".to_owned()),
        name: "edit_section".to_owned(),
    });
    for fragment in [
        r#"{"path":"file1.rs","operation":"modify","descri"#,
        r#"ption":"Fix it","edits":[{"old_text":"a\nb\nc"#,
        r#"","new_text":"d"}]}"#,
    ] {
        let fragment = fragment.to_owned();
        stage.piece(Delta::CallArguments { index: 0, fragment });
    }
    stage.calls(&[]);
    stage.done("a", staged(1, 2));
    stage.says("Staged the fix.");
    assert_snapshot!(stage.take_log(), @r#"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < text On it.
    < call_started a edit_section
    < named a file1.rs
    < intent a file1.rs modify Fix it
    < progress a 3
    < progress a 4
    < phase working
    > run edit_section a (turn 1)
    < call_done a edit_section true staged
    < staged ["file1.rs (2 pending)"]
    < phase closing
    > ask 2 (tools: none) ... system: Your edits are staged, not applied: files on disk are unchanged and the user reviews them now.
    < text Staged the fix.
    < turn_ended review
    < phase awaiting_review
    "#);
    let payloads: Vec<_> = stage.prompts.iter().map(payload).collect();
    assert_json_snapshot!("asking_then_closing", payloads);
}

#[test]
fn a_server_that_ignores_the_gate_gets_answers_and_no_edit() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 1));
    stage.take_log();
    stage.calls(&[("b", "edit_section", EDIT), ("c", "read", READ)]);
    assert_snapshot!(stage.take_log(), @"
    < call_started b edit_section
    < intent b file1.rs null Fix it
    < call_started c read
    < call_done b edit_section false refused: edits wait for review
    < call_done c read false refused: edits wait for review
    < after_approval true
    < turn_ended review
    < phase awaiting_review
    ");
    stage.submit("go on");
    assert_eq!(stage.last_prompt().tool_choice, ToolChoice::Auto);
}

#[test]
fn calls_that_look_run_together_and_edits_one_after_another() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[
        ("a", "read", READ),
        ("b", "read", READ),
        ("c", "edit_section", EDIT),
        ("d", "edit_section", EDIT),
        ("e", "read", READ),
    ]);
    stage.done("b", ToolOutput::done("text b", "read b"));
    stage.done("a", ToolOutput::done("text a", "read a"));
    stage.done("c", staged(1, 1));
    stage.done("d", ToolOutput::failed("not found", "not found"));
    stage.done("e", ToolOutput::done("text e", "read e"));
    assert_snapshot!(stage.take_log(), @r#"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < call_started a read
    < call_started b read
    < call_started c edit_section
    < intent c file1.rs null Fix it
    < call_started d edit_section
    < intent d file1.rs null Fix it
    < call_started e read
    < phase working
    > run read a (turn 1)
    > run read b (turn 1)
    < call_done b read true read b
    < call_done a read true read a
    > run edit_section c (turn 1)
    < call_done c edit_section true staged
    < staged ["file1.rs (1 pending)"]
    > run edit_section d (turn 1)
    < call_done d edit_section false not found
    > run read e (turn 1)
    < call_done e read true read e
    < phase asking
    > ask 2 (tools: auto) ... system: Some of your calls failed, and your other edits are staged, not applied: files on disk are unchanged, and your tools read them with the edits in.
    "#);
}

#[test]
fn a_call_that_fails_twice_alike_ends_the_turn() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    for id in ["a", "b"] {
        stage.calls(&[(id, "edit_section", EDIT)]);
        stage.done(id, ToolOutput::failed("not found", "not found"));
    }
    assert_snapshot!(stage.take_log(), @r#"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < call_started a edit_section
    < intent a file1.rs null Fix it
    < phase working
    > run edit_section a (turn 1)
    < call_done a edit_section false not found
    < phase asking
    > ask 2 (tools: auto) ... tool a: not found
    < call_started b edit_section
    < intent b file1.rs null Fix it
    < phase working
    > run edit_section b (turn 1)
    < call_done b edit_section false not found
    < info stopped: the model made the same failing call twice (edit_section)
    < left_undone false [{"tool":"edit_section","path":"file1.rs","why":"not found"}]
    < turn_ended limit
    < phase idle
    "#);
    stage.submit("again");
    assert_json_snapshot!("after_a_limit", payload(stage.last_prompt()));
}

#[test]
fn twins_in_one_answer_are_no_second_try() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "shell", "{}"), ("b", "shell", "{}")]);
    assert_eq!(stage.session.phase(), Phase::Asking);
}

#[test]
fn what_was_decided_while_calls_run_does_not_close_the_turn() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT), ("b", "read", READ)]);
    stage.done("a", staged(1, 1));
    stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 0));
    stage.done("b", ToolOutput::done("text", "read"));
    let last = stage.last_prompt();
    assert_eq!(last.tool_choice, ToolChoice::Auto);
    let notice = last.messages.last();
    assert!(
        matches!(notice, Some(Message::System { text }) if text.starts_with("The user decided"))
    );
}

#[test]
fn calls_that_cannot_run_are_answered_and_limited_too() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[
        ("a", "shell", "{}"),
        ("b", "read", "{\"path\""),
        ("c", "read", ""),
    ]);
    stage.done(
        "c",
        ToolOutput::failed("error: missing field `path`", "bad arguments"),
    );
    stage.calls(&[("d", "shell", "{}")]);
    assert_snapshot!(stage.take_log(), @"
    < user fix it
    < phase asking
    > ask 1 (tools: auto) ... user: fix it
    < call_started a shell
    < call_started b read
    < call_started c read
    < call_done a shell false no such tool
    < call_done b read false malformed arguments
    < phase working
    > run read c (turn 1)
    < call_done c read false bad arguments
    < phase asking
    > ask 2 (tools: auto) ... tool c: error: missing field `path`
    < call_started d shell
    < call_done d shell false no such tool
    < phase working
    < info stopped: the model made the same failing call twice (shell)
    < turn_ended limit
    < phase idle
    ");
}

#[test]
fn a_turn_takes_a_limited_number_of_requests() {
    let mut stage = Stage::with(Config {
        most_requests: 3,
        ..Config::new(specs())
    });
    stage.submit("look");
    for id in ["a", "b", "c"] {
        stage.calls(&[(id, "read", READ)]);
        stage.done(id, ToolOutput::done("text", "read"));
    }
    assert_eq!(stage.prompts.len(), 3);
    assert!(stage.take_log().ends_with(
        "< info stopped after 3 requests in one turn\n\
         < turn_ended limit\n\
         < phase idle"
    ));
}

#[test]
fn edits_at_the_limit_are_still_closed() {
    let mut stage = Stage::with(Config {
        most_requests: 1,
        ..Config::new(specs())
    });
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 1));
    assert_eq!(stage.session.phase(), Phase::Closing);
    assert_eq!(stage.last_prompt().tool_choice, ToolChoice::None);
}

#[test]
fn prompts_queue_while_a_turn_runs() {
    let mut stage = Stage::new();
    stage.submit("one");
    stage.submit("two");
    stage.submit(" ");
    stage.says("First.");
    stage.says("Second.");
    assert_snapshot!(stage.take_log(), @"
    < user one
    < phase asking
    > ask 1 (tools: auto) ... user: one
    < info queued: it is sent when this turn ends
    < fault usage the prompt is empty null
    < text First.
    < turn_ended done
    < phase idle
    < user two
    < phase asking
    > ask 2 (tools: auto) ... user: two
    < text Second.
    < turn_ended done
    < phase idle
    ");
}

#[test]
fn files_that_changed_are_told_to_both() {
    let mut stage = in_review();
    stage.feed(decided(Ok(Decision::Changed {
        hunks: vec![judged(1, HunkStatus::Pending)],
    })));
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    stage.feed(decided(Ok(Decision::Refused {
        why: "file1.rs is not writable".to_owned(),
    })));
    assert_snapshot!(stage.take_log(), @r#"
    < fault file_changed changed on disk since it was shown: file1.rs nothing was written; look at the changes again, then decide
    < undecided
    > read review
    < review ["file1.rs (2 pending)"]
    < fault conflict file1.rs is not writable nothing was written
    < undecided
    > read review
    "#);
    stage.submit("go on");
    let messages = payload(stage.last_prompt()).to_string();
    assert!(messages.contains("The user changed files on disk"));
}

#[test]
fn reversals_are_told_to_both() {
    let mut stage = Stage::new();
    let target = || RevertTarget::file("file1.rs", RevertTo::Last);
    let gone = GoneChange {
        version: 1,
        proposal: None,
    };
    for outcome in [
        RevertOutcome {
            unkept: vec!["file1.rs lost its user.note".to_owned()],
            ..taken_back(target(), vec![gone], Vec::new())
        },
        blocked(target(), "line 3 was changed since"),
        RevertOutcome {
            nothing: "file1.rs has no changes to revert".to_owned(),
            ..nothing_taken_back(target())
        },
    ] {
        stage.feed(Input::TakenBack {
            prompt: None,
            outcome: Ok(outcome),
        });
    }
    assert_snapshot!(stage.take_log(), @r#"
    < info file1.rs lost its user.note
    < reverted file1.rs reverted "fix it"
    < review []
    < fault conflict line 3 was changed since nothing was written
    < info file1.rs has no changes to revert
    "#);
    stage.submit("go on");
    let messages = payload(stage.last_prompt()).to_string();
    assert!(messages.contains("The user reverted a change to file1.rs"));
}

#[test]
fn a_reversal_after_which_nothing_waits_ends_the_review() {
    let mut stage = in_review();
    let target = RevertTarget::file("file1.rs", RevertTo::Last);
    stage.feed(Input::TakenBack {
        prompt: None,
        outcome: Ok(taken_back(target, Vec::new(), Vec::new())),
    });
    assert_eq!(stage.session.phase(), Phase::Idle);
}

#[test]
fn commands_reach_the_engine() {
    let mut stage = Stage::new();
    stage.feed(Input::Ready {
        about: About {
            provider: "scripted".to_owned(),
            model: "m".to_owned(),
            endpoint: String::new(),
        },
        hint: None,
    });
    for command in [
        Command::Review,
        Command::Decide(vec![]),
        Command::Revert(RevertTarget::file("a.rs", RevertTo::Last)),
    ] {
        stage.feed(Input::Command(command));
    }
    assert_snapshot!(stage.take_log(), @r#"
    < ready {"provider":"scripted","model":"m","endpoint":""} null
    > read review
    < fault usage no hunk was named null
    > revert a.rs Last
    "#);
}

#[test]
fn an_answer_at_the_length_limit_is_gone_on_with() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.take_log();
    stage.piece(text("and so"));
    stage.piece(Delta::Stop {
        reason: StopReason::Length,
    });
    stage.ended(Ok(()));
    assert_snapshot!(stage.take_log(), @"
    < text and so
    < retrying the answer broke off: it reached the model's length limit 2 500
    > ask 2 in 500 ms (tools: auto) ... system: Your answer broke off here through no fault of yours. None of its calls were run. Do not repeat what you already said.
    ");
}

#[test]
fn an_answer_that_a_filter_ended_is_not_the_end_of_the_work() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.take_log();
    stage.piece(text("and so"));
    stage.piece(Delta::Stop {
        reason: StopReason::Other("content_filter".to_owned()),
    });
    stage.ended(Ok(()));
    assert_snapshot!(stage.take_log(), @"
    < text and so
    < fault provider the answer broke off: the server withheld the rest (content_filter) what came so far is kept and no file was changed; ask again
    < turn_ended failed
    < phase idle
    ");
}

#[test]
fn equal_ids_of_a_bad_server_are_told_apart() {
    let mut stage = Stage::new();
    stage.submit("look");
    stage.calls(&[("", "read", READ), ("", "read", READ)]);
    let ids: Vec<_> = stage
        .running
        .iter()
        .map(|call| call.call().id.clone())
        .collect();
    for id in ids {
        stage.done(&id.0, ToolOutput::done("text", "read"));
    }
    check_prompt(stage.last_prompt());
    assert_eq!(stage.last_prompt().messages.len(), 5);
}
