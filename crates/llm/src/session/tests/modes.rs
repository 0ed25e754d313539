//! Switching the mode.

use super::*;
use crate::mode::Mode;
use crate::tool::Registry;

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

/// Returns a conversation of a profile, with the other one at hand.
fn of_profile(own: Profile, change: impl FnOnce(&mut Config)) -> Stage {
    let (other, tools) = match own {
        Profile::Full => (Profile::Small, Registry::of_profile(Profile::Small)),
        Profile::Small => (Profile::Full, specs()),
    };
    let mut config = Config {
        instructions: "OWN".to_owned(),
        profile: own,
        other: Some(Box::new(ProfileOutfit {
            profile: other,
            tools,
            instructions: "OTHER".to_owned(),
        })),
        ..Config::new(specs())
    };
    change(&mut config);
    Stage::with(config)
}

/// Returns the first message of the newest request.
fn instructions(stage: &Stage) -> String {
    match stage.last_prompt().messages.first() {
        Some(Message::System { text }) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn plans_are_made_with_the_profile_that_is_configured_or_fits_their_model() {
    use Profile::{Full, Small};
    for (own, planner, wanted, expected) in [
        (Full, None, None, "OWN"),
        (Small, None, None, "OWN"),
        (Full, None, Some(Small), "OTHER"),
        (Full, Some("qwen:0.5b"), None, "OTHER"),
        (Full, Some("large"), None, "OWN"),
        (Small, Some("large"), None, "OTHER"),
        (Full, Some("qwen:0.5b"), Some(Full), "OWN"),
    ] {
        let mut stage = of_profile(own, |config| {
            config.planner = planner.map(str::to_owned);
            config.planner_profile = wanted;
        });
        set(&mut stage, Mode::Plan);
        stage.submit("plan it");
        let case = (own, planner, wanted);
        assert_eq!(instructions(&stage), expected, "{case:?}");
        stage.says("1. Fix file1.rs");
        set(&mut stage, Mode::Step);
        stage.submit("do it");
        assert_eq!(instructions(&stage), "OWN", "{case:?}");
    }
}

/// The calls of an answer are of the tools that its request had.
#[test]
fn a_turn_that_runs_keeps_its_profile() {
    let mut stage = of_profile(Profile::Full, |config| {
        config.planner_profile = Some(Profile::Small);
    });
    stage.submit("fix it");
    set(&mut stage, Mode::Plan);
    stage.calls(&[("a", "declare_edit_intent", EDIT)]);
    stage.done("a", ToolOutput::done("x", "x"));
    assert_eq!(instructions(&stage), "OWN");
    stage.says("Done.");
    stage.submit("plan it");
    assert_eq!(instructions(&stage), "OTHER");
}
