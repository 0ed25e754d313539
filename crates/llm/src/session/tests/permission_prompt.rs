//! Calls that need the user's permission, and what the user says of them.

use super::*;
use crate::permission::{Permission, Policy, Rule};
use crate::session::Grant;
use crate::tool::{CallDeeds, ChangedFile};

const TEST: &str = r#"{"command":"cargo test"}"#;

fn permit(stage: &mut Stage, call: &str, grant: Grant) {
    let call = CallId(call.to_owned());
    stage.feed(Input::Command(Command::Permit { call, grant }));
}

fn instead(reason: &str) -> Grant {
    let reason = Some(reason.to_owned());
    Grant::Refuse { reason }
}

#[test]
fn what_sends_work_to_others_is_asked_about_each_time() {
    let mut stage = Stage::new();
    stage.submit("push it");
    for id in ["a", "b"] {
        stage.calls(&[(id, "bash", r#"{"command":"git push"}"#)]);
        let log = stage.take_log();
        let asked = format!("permission_asked {id} bash git push");
        assert!(log.contains(&asked), "{log}");
        let why = "(it sends work to others: you are asked each time)";
        assert!(log.contains(why), "{log}");
        permit(&mut stage, id, Grant::Always);
        let log = stage.take_log();
        assert!(log.contains(&format!("> run bash {id}")), "{log}");
        stage.done(id, ToolOutput::done("{}", "exit 0"));
        stage.take_log();
    }
}

#[test]
fn a_command_waits_for_permission_and_runs_with_it() {
    let mut stage = Stage::new();
    stage.submit("test it");
    stage.calls(&[("a", "read", READ), ("b", "bash", TEST)]);
    assert!(
        !stage.take_log().contains("permission_asked"),
        "reads come first"
    );
    stage.done("a", ToolOutput::done("text", "read"));
    assert_snapshot!(stage.take_log(), @r"
    < call_done a read true read
    < permission_asked b bash cargo test
    (not confined: it can read and write everything that you can)
    ");
    permit(&mut stage, "b", Grant::Once);
    assert_snapshot!(stage.take_log(), @r"
    < call_input b bash cargo test
    > run bash b (turn 1)
    ");
    let (call, tail) = (CallId("b".to_owned()), "ok".to_owned());
    stage.feed(Input::ToolOutput {
        call,
        tail,
        lines: 1,
    });
    let changed = ChangedFile {
        path: "x".to_owned(),
        version: Some(1),
        added: 1,
        removed: 0,
    };
    stage.done(
        "b",
        ToolOutput {
            deeds: Box::new(CallDeeds {
                commit: None,
                changed: vec![changed],
                rewritten: Vec::new(),
                images: Vec::new(),
            }),
            ..ToolOutput::done("{}", "exit 0")
        },
    );
    assert_snapshot!(stage.take_log(), @r#"
    < call_output b ok 1
    < changed b [{"path":"x","version":1,"added":1,"removed":0}]
    < call_done b bash true exit 0
    < phase asking
    > ask 2 (tools: auto) ... tool b: {}
    "#);
}

#[test]
fn a_refusal_without_a_reason_ends_the_turn() {
    let mut stage = Stage::new();
    stage.submit("test it");
    stage.calls(&[("a", "bash", TEST), ("b", "bash", TEST)]);
    stage.take_log();
    permit(&mut stage, "a", Grant::Refuse { reason: None });
    assert_snapshot!(stage.take_log(), @r"
    < call_done a bash false refused by you
    < call_done b bash false cancelled
    < turn_ended cancelled
    < phase idle
    > cancel tools of turn 1
    ");
    stage.submit("and now?");
    check_prompt(stage.last_prompt());
}

#[test]
fn a_refusal_with_a_reason_reaches_the_model() {
    let mut stage = Stage::new();
    stage.submit("test it");
    stage.calls(&[("a", "bash", TEST)]);
    permit(&mut stage, "a", instead("use nextest"));
    let last = stage.last_prompt().messages.last().cloned();
    let Some(Message::Tool { content, .. }) = last else {
        panic!("{last:?}");
    };
    assert_snapshot!(content, @"refused: the user refused it: use nextest. It was not run, and nothing was changed.");
}

#[test]
fn a_refusal_with_a_reason_leaves_the_other_calls_to_the_user() {
    let mut stage = Stage::new();
    stage.submit("test it");
    let other = r#"{"command":"cargo build"}"#;
    stage.calls(&[("a", "bash", TEST), ("b", "bash", other)]);
    stage.take_log();
    permit(&mut stage, "a", instead("not yet"));
    let log = stage.take_log();
    assert!(
        log.contains("< permission_asked b bash cargo build\n(not confined: "),
        "{log}"
    );
    permit(&mut stage, "b", Grant::Once);
    assert_eq!(stage.running.len(), 1);
}

#[test]
fn the_same_command_refused_twice_ends_the_turn() {
    let mut stage = Stage::new();
    stage.submit("test it");
    stage.calls(&[("a", "bash", TEST)]);
    permit(&mut stage, "a", instead("no"));
    stage.calls(&[("b", "bash", TEST)]);
    permit(&mut stage, "b", instead("no"));
    assert!(stage.take_log().contains("turn_ended limit"));
}

#[test]
fn always_lets_twins_run_that_wait_and_that_come() {
    let mut stage = Stage::new();
    stage.submit("test it");
    let other = r#"{"command":"cargo build"}"#;
    stage.calls(&[
        ("a", "bash", TEST),
        ("b", "bash", TEST),
        ("c", "bash", other),
    ]);
    stage.take_log();
    permit(&mut stage, "a", Grant::Always);
    assert_snapshot!(stage.take_log(), @r"
    < call_input a bash cargo test
    > run bash a (turn 1)
    ");
    stage.done("a", ToolOutput::done("{}", "exit 0"));
    stage.done("b", ToolOutput::done("{}", "exit 0"));
    assert!(
        stage
            .take_log()
            .contains("< permission_asked c bash cargo build\n(not confined: ")
    );
    permit(&mut stage, "c", Grant::Once);
    stage.done("c", ToolOutput::done("{}", "exit 0"));
    stage.calls(&[("d", "bash", TEST)]);
    assert_eq!(stage.running.len(), 1);
}

#[test]
fn nobody_to_ask_is_a_refusal() {
    let config = Config {
        attended: false,
        ..Config::new(specs())
    };
    let mut stage = Stage::with(config);
    stage.submit("test it");
    stage.calls(&[("a", "bash", TEST)]);
    let log = stage.take_log();
    assert!(
        log.contains("call_done a bash false needs permission"),
        "{log}"
    );
    assert_eq!(stage.running, []);
}

#[test]
fn rules_decide_without_asking() {
    let rules = vec![
        bash_rule("cargo *", Permission::Allow),
        bash_rule("cargo publish*", Permission::Deny),
    ];
    let policy = Policy::new(rules, Vec::new());
    let mut stage = Stage::with(Config {
        policy,
        ..Config::new(specs())
    });
    stage.submit("test it");
    stage.calls(&[
        ("a", "bash", TEST),
        ("b", "bash", r#"{"command":"cargo publish"}"#),
    ]);
    assert_eq!(stage.running.len(), 1);
    assert!(
        stage
            .take_log()
            .contains("call_done b bash false a rule forbids it")
    );
}

fn bash_rule(pattern: &str, action: Permission) -> Rule {
    Rule {
        tool: "bash".to_owned(),
        pattern: pattern.to_owned(),
        action,
    }
}

#[test]
fn consent_for_a_call_that_does_not_wait_is_misuse() {
    let mut stage = Stage::new();
    permit(&mut stage, "a", Grant::Once);
    assert!(stage.take_log().contains("does not wait for permission"));
    stage.submit("test it");
    stage.calls(&[("a", "bash", TEST)]);
    permit(&mut stage, "b", Grant::Once);
    assert_eq!(stage.running, []);
}

#[test]
fn a_command_that_runs_while_the_user_stops_is_not_said_to_have_changed_nothing() {
    let mut stage = Stage::new();
    stage.submit("test it");
    stage.calls(&[("a", "bash", TEST)]);
    permit(&mut stage, "a", Grant::Once);
    stage.cancel();
    stage.submit("go on");
    let said = stage.last_prompt().messages.iter().any(|message| {
        matches!(message, Message::Tool { content, .. } if content.contains("until then stays"))
    });
    assert!(said);
    let changed = ChangedFile {
        path: "x".to_owned(),
        version: Some(1),
        added: 1,
        removed: 0,
    };
    stage.take_log();
    stage.done(
        "a",
        ToolOutput {
            deeds: Box::new(CallDeeds {
                commit: None,
                changed: vec![changed],
                rewritten: Vec::new(),
                images: Vec::new(),
            }),
            ..ToolOutput::failed("{}", "cancelled")
        },
    );
    assert!(
        stage.take_log().contains("changed a"),
        "what it changed is shown"
    );
}
