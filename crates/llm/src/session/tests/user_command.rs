//! Commands that the user runs.

use signoff_core::stage::review::Proposer;

use super::*;
use crate::permission::{Permission, Policy, Rule};
use crate::session::Grant;
use crate::session::test_kit::tools;
use crate::tool::Subjects;

fn run(stage: &mut Stage, line: &str) {
    stage.feed(Input::Command(Command::Run(line.to_owned())));
}

fn rule(permission: Permission) -> Rule {
    Rule {
        tool: "bash".to_owned(),
        pattern: "ls".to_owned(),
        action: permission,
    }
}

/// Returns tools whose commands are confined.
fn confined() -> Config {
    Config::new(tools(|line| Subjects::Confined(line.to_owned())))
}

#[test]
fn a_confined_command_runs_at_once_and_the_next_request_tells_of_it() {
    for mode in ["step", "plan"] {
        let mut stage = Stage::with(confined());
        stage.feed(Input::Command(Command::SetMode(mode.parse().unwrap())));
        stage.take_log();
        run(&mut stage, "ls -l");
        let log = stage.take_log();
        let runs = "< call_input user_command bash ls -l\n> run bash user_command (turn 1)";
        assert!(log.contains("user") && log.ends_with(runs), "{log}");
        stage.done("user_command", ToolOutput::done("a.rs b.rs", "exit 0"));
        assert!(stage.prompts.is_empty(), "nothing is asked of the model");
        stage.submit("why two?");
        let messages = format!("{:?}", stage.last_prompt().messages);
        for told in ["!ls -l", "a.rs b.rs", "why two?"] {
            assert!(messages.contains(told), "{told}: {messages}");
        }
    }
}

#[test]
fn what_a_command_changed_waits_for_the_user() {
    let mut stage = Stage::with(confined());
    run(&mut stage, "sed -i s/a/b/ file1.rs");
    stage.take_log();
    stage.done("user_command", staged(1, 2));
    let log = stage.take_log();
    assert!(log.contains("turn_ended review"), "{log}");
    assert!(stage.prompts.is_empty());
    // The same again has an id of its own.
    run(&mut stage, "ls");
    assert_eq!(stage.running.len(), 1);
    assert_ne!(stage.running[0].call().id.0, "user_command");
}

/// The user's own change is denied without a request, whatever reason is given.
#[test]
fn nobody_answers_for_what_a_command_of_the_user_changed() {
    let by_model = view(1, 1).proposer;
    for (proposer, requests) in [(Proposer::User, 0), (by_model, 1)] {
        let mut stage = Stage::with(confined());
        run(&mut stage, "sed -i s/a/b/ file1.rs");
        let proposed = ProposalView {
            proposer,
            ..view(1, 1)
        };
        let output = ToolOutput {
            staged: Box::new(vec![proposed].into()),
            ..ToolOutput::done("{}", "staged")
        };
        stage.done("user_command", output);
        stage.feed(verdicts(vec![judged(1, denied(Some("not this")))], 0));
        assert_eq!(stage.prompts.len(), requests);
    }
}

#[test]
fn a_command_that_is_not_confined_is_asked_about_and_a_rule_may_forbid_one() {
    let mut stage = Stage::new();
    run(&mut stage, "ls");
    assert!(stage.take_log().contains("permission_asked user_command"));
    stage.feed(Input::Command(Command::Permit {
        call: CallId("user_command".to_owned()),
        grant: Grant::Refuse { reason: None },
    }));
    assert!(stage.running.is_empty() && stage.prompts.is_empty());
    for (permission, runs) in [(Permission::Ask, true), (Permission::Deny, false)] {
        let mut config = confined();
        config.policy = Policy::new(vec![rule(permission)], Vec::new());
        let mut stage = Stage::with(config);
        run(&mut stage, "ls");
        assert_eq!(stage.running.len(), usize::from(runs), "{permission:?}");
        assert!(stage.prompts.is_empty());
    }
}

#[test]
fn a_command_waits_for_no_turn() {
    let mut stage = Stage::new();
    stage.submit("go");
    stage.take_log();
    run(&mut stage, "ls");
    assert!(stage.take_log().contains("something else runs"));
    stage.says("Done.");
    run(&mut stage, " ");
    assert!(stage.take_log().contains("the command is empty"));
}
