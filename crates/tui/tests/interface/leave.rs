//! Calls that need the user's leave: what is shown, and which keys answer.

use insta::assert_snapshot;
use signoff_llm::message::CallId;
use signoff_llm::session::{Command, Event, Grant};
use signoff_llm::tool::{ChangedFile, PlanStep, StepStatus};

use crate::stage::{self, Stage};

const COMMAND: &str = "cargo test --workspace\nrm -rf target/\u{1b}[31mx";

fn asked(width: u16) -> Stage {
    let mut stage = Stage::ready(width, 16);
    stage.tell(stage::asking("test it"));
    stage.tell([question()]);
    stage
}

fn question() -> Event {
    Event::LeaveAsked {
        call: call(),
        tool: "bash".to_owned(),
        subject: COMMAND.to_owned(),
    }
}

fn call() -> CallId {
    CallId("a".to_owned())
}

fn permit(grant: Grant) -> Vec<Command> {
    vec![Command::Permit {
        call: call(),
        grant,
    }]
}

#[test]
fn the_whole_command_is_shown_before_it_may_run() {
    assert_snapshot!(asked(60).screen());
}

#[test]
fn keys_answer() {
    assert_eq!(asked(60).press("y"), permit(Grant::Once));
    assert_eq!(asked(60).press("a"), permit(Grant::Always));
    assert_eq!(asked(60).press("n"), permit(Grant::Refuse { reason: None }));
    assert_eq!(
        asked(60).press("<esc>"),
        permit(Grant::Refuse { reason: None })
    );
    let reason = Some("use nextest".to_owned());
    assert_eq!(
        asked(60).press("iuse nextest<enter>"),
        permit(Grant::Refuse { reason })
    );
}

#[test]
fn a_way_back_from_saying_what_to_do_instead() {
    let mut stage = asked(60);
    assert_eq!(stage.press("i<esc>"), []);
    assert_eq!(stage.press("i<enter>"), []);
    assert_eq!(stage.press("y"), permit(Grant::Once));
}

#[test]
fn what_was_typed_before_the_question_was_seen_does_not_answer_it() {
    let mut stage = Stage::ready(60, 16);
    stage.tell(stage::asking("test it"));
    stage.press("yes, and");
    stage.tell([question()]);
    assert_eq!(stage.press(" yay"), []);
    assert!(
        stage.screen().contains("› yes, and yay"),
        "{}",
        stage.screen()
    );
    assert!(stage.screen().contains("a call needs leave: Tab"));
    assert_eq!(stage.press("<tab>y"), permit(Grant::Once));
}

#[test]
fn a_key_that_comes_with_the_question_goes_into_the_text() {
    let mut stage = Stage::ready(60, 16);
    stage.tell(stage::asking("test it"));
    let key = stage::keys("y").remove(0);
    stage.feed(signoff_tui::app::Msg::Session(question()));
    let commands = stage.feed(signoff_tui::app::Msg::Terminal(
        ratatui::crossterm::event::Event::Key(key),
    ));
    stage.draw();
    assert_eq!(commands, []);
    assert!(stage.screen().contains("› y"), "{}", stage.screen());
}

#[test]
fn a_question_goes_away_with_its_call() {
    let mut stage = asked(60);
    stage.tell([Event::CallDone {
        call: call(),
        tool: "bash".to_owned(),
        ok: false,
        summary: "cancelled".to_owned(),
        took_ms: None,
    }]);
    assert!(!stage.screen().contains("wants to run"));
}

#[test]
fn what_a_command_prints_and_changes_is_shown() {
    let mut stage = Stage::ready(60, 24);
    stage.tell(stage::asking("test it"));
    let step = |step: &str, status| PlanStep {
        step: step.to_owned(),
        status,
    };
    let file = |path: &str, version| ChangedFile {
        path: path.to_owned(),
        version,
        added: 2,
        removed: 1,
    };
    stage.tell([
        Event::Plan {
            steps: vec![
                step("read it", StepStatus::Completed),
                step("test it", StepStatus::InProgress),
                step("mend it", StepStatus::Pending),
            ],
        },
        Event::CallStarted {
            call: call(),
            tool: "bash".to_owned(),
        },
        Event::CallOutput {
            call: call(),
            tail: "one\ntwo\nthree\nfour\nfive\nsix \u{1b}[2J\n".to_owned(),
            lines: 6,
        },
        Event::CallDone {
            call: call(),
            tool: "bash".to_owned(),
            ok: true,
            summary: "exit 0 in 1.2 s, changed 2 files".to_owned(),
            took_ms: None,
        },
        Event::Changed {
            call: call(),
            files: vec![file("a.rs", Some(3)), file("big.bin", None)],
        },
    ]);
    assert_snapshot!(stage.screen());
}
