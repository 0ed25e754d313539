//! Switching the mode.

use super::*;
use crate::mode::Mode;

fn set(stage: &mut Stage, mode: Mode) {
    stage.feed(Input::Command(Command::SetMode(mode)));
}

#[test]
fn a_plan_is_made_without_edits_and_carried_out_in_another_mode() {
    let mut stage = Stage::new();
    set(&mut stage, Mode::Plan);
    stage.submit("fix it");
    let told = format!("{:?}", stage.last_prompt().messages);
    assert!(told.contains("plan mode: change nothing"), "{told}");
    stage.calls(&[("a", "edit_section", EDIT), ("b", "read", READ)]);
    let log = stage.take_log();
    assert!(
        log.contains("refused: plan mode") && log.contains("> run read b"),
        "{log}"
    );
    assert!(!log.contains("> run edit_section"), "{log}");
    stage.done("b", ToolOutput::done("x", "x"));
    stage.says("1. Fix file1.rs");
    assert_eq!(stage.session.phase(), Phase::Idle);
    set(&mut stage, Mode::Step);
    stage.submit("Carry out this plan");
    stage.calls(&[("c", "edit_section", EDIT)]);
    assert!(stage.take_log().contains("> run edit_section c"));
}

#[test]
fn the_mode_tells_when_edits_go_before_the_user_and_whether_they_are_written() {
    let mut stage = Stage::new();
    set(&mut stage, Mode::Turn);
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 2));
    assert_eq!(stage.session.phase(), Phase::Asking);
    stage.take_log();
    // In the middle of a turn too.
    set(&mut stage, Mode::WriteThrough);
    set(&mut stage, Mode::WriteThrough);
    set(&mut stage, Mode::Step);
    let log = stage.take_log();
    assert_eq!(log.matches("> write through true").count(), 1, "{log}");
    assert!(log.contains("> write through false"), "{log}");
    stage.calls(&[("b", "edit_section", EDIT)]);
    stage.done("b", staged(2, 1));
    assert_eq!(stage.session.phase(), Phase::Closing);
}

#[test]
fn a_workspace_that_forbids_it_is_not_written_through() {
    let mut stage = Stage::with(Config {
        write_through: crate::mode::WriteThrough::Forbidden,
        ..Config::new(specs())
    });
    set(&mut stage, Mode::WriteThrough);
    let log = stage.take_log();
    assert!(
        log.contains("does not let") && !log.contains("> write"),
        "{log}"
    );
}
