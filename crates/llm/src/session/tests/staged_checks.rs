//! Checks of what is staged: begun again where a part was decided on, ended by what is staged meanwhile, and those of a plan.

use signoff_checks::check::{CheckOutcome, CheckReport, Checked, Diagnostic, Severity};

use super::*;

fn informing() -> Stage {
    Stage::with(Config {
        checks: CheckPolicy::Inform,
        ..Config::new(specs())
    })
}

fn report(error: Option<&str>) -> CheckReport {
    let new = error.map(|message| Diagnostic {
        check: "make".to_owned(),
        path: String::new(),
        line: 0,
        column: 0,
        severity: Severity::Error,
        code: String::new(),
        message: message.to_owned(),
    });
    CheckReport {
        checks: vec![Checked {
            name: "make".to_owned(),
            outcome: CheckOutcome::Tested {
                passed: usize::from(new.is_none()),
                failed: usize::from(new.is_some()),
                known: 0,
                files: Vec::new(),
            },
            took_ms: 1,
        }],
        new: new.into_iter().collect(),
    }
}

fn checked(stage: &mut Stage, check: u64, error: Option<&str>) {
    let outcome = Ok(report(error));
    stage.feed(Input::Checked { check, outcome });
}

/// Has the model stage two hunks of a file and end its turn.
fn stages(stage: &mut Stage, call: &str, proposal: u128) {
    stage.calls(&[(call, "edit_section", EDIT)]);
    stage.done(call, staged(proposal, 2));
    stage.says("Staged.");
}

#[test]
fn what_is_left_after_verdicts_is_checked_again() {
    let mut stage = informing();
    stage.submit("fix it");
    stages(&mut stage, "a", 1);
    checked(&mut stage, 1, Some("no"));
    stage.take_log();
    stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 1));
    // The second looked for what breaks the tests.
    assert!(stage.take_log().contains("> check 3"));
    // What the model knows it is not told again.
    checked(&mut stage, 3, Some("no"));
    stage.submit("and now?");
    let told = payload(stage.last_prompt()).to_string();
    assert_eq!(told.matches("own checks find").count(), 1, "{told}");
    stage.says("Nothing.");
    stage.take_log();
    stage.feed(verdicts(vec![judged(2, HunkStatus::Committed)], 0));
    assert!(!stage.take_log().contains("> check"), "nothing is left");
}

#[test]
fn what_makes_tests_fail_is_looked_for_once_the_failure_is_told() {
    let mut stage = informing();
    stage.submit("fix it");
    stages(&mut stage, "a", 1);
    checked(&mut stage, 1, Some("no"));
    let log = stage.take_log();
    assert!(
        log.contains("< checked") && log.contains("> check 2 for what breaks tests"),
        "{log}"
    );
    assert_eq!(log.matches("< checking").count(), 1, "{log}");
    stage.feed(Input::Checked {
        check: 2,
        outcome: Ok(report(Some("this hunk"))),
    });
    let log = stage.take_log();
    assert!(
        log.contains("< breaking") && !log.contains("> check"),
        "{log}"
    );
    stage.submit("and now?");
    let told = payload(stage.last_prompt()).to_string();
    assert!(told.contains("this hunk"), "{told}");
}

#[test]
fn what_is_staged_meanwhile_ends_a_check() {
    let mut stage = informing();
    stage.submit("fix it");
    stages(&mut stage, "a", 1);
    stage.take_log();
    stage.submit("more");
    stage.calls(&[("b", "edit_section", EDIT)]);
    stage.done("b", staged(2, 1));
    assert!(stage.take_log().contains("> cancel check"));
    checked(&mut stage, 1, Some("no"));
    assert!(
        !stage.take_log().contains("< checked"),
        "it is an older state"
    );
    stage.says("Staged.");
    assert!(stage.take_log().contains("> check 3"));
}

#[test]
fn all_tests_run_on_what_waits_when_the_user_asks() {
    let mut stage = informing();
    stage.feed(Input::Command(Command::TestAll));
    assert!(stage.take_log().contains("nothing waits"));
    stage.submit("fix it");
    stages(&mut stage, "a", 1);
    stage.take_log();
    stage.feed(Input::Command(Command::TestAll));
    assert!(stage.take_log().contains("> check 2 with all tests"));
    let mut off = Stage::new();
    off.feed(Input::Command(Command::TestAll));
    assert!(off.take_log().contains("checks are switched off"));
}

/// Carries out a plan whose first step is staged and written.
fn after_a_step(check: &str) -> Stage {
    let mut stage = informing();
    let plan = format!("1. Change it\n   Check: {check}\n2. Document it\n");
    stage.feed(Input::Command(Command::CarryOut(plan)));
    stages(&mut stage, "a", 1);
    checked(&mut stage, 1, None);
    stage.take_log();
    let both = [1, 2].map(|number| judged(number, HunkStatus::Committed));
    stage.feed(verdicts(both.into(), 0));
    stage
}

#[test]
fn the_next_step_begins_once_the_check_has_passed() {
    let mut stage = after_a_step("make");
    let log = stage.take_log();
    assert!(
        log.contains("> check 2: make") && !log.contains("> ask"),
        "{log}"
    );
    checked(&mut stage, 2, None);
    let log = stage.take_log();
    assert!(
        log.contains("> ask") && log.contains("Step 2 of 2"),
        "{log}"
    );
}

#[test]
fn a_sentence_is_no_check() {
    let log = after_a_step("look at it").take_log();
    assert!(
        log.contains("Step 2 of 2") && !log.contains("> check"),
        "{log}"
    );
}

#[test]
fn a_step_whose_check_fails_is_carried_out_again_or_left() {
    for (skips, expected) in [(false, "Step 1 of 2"), (true, "Step 2 of 2")] {
        let mut stage = after_a_step("make");
        checked(&mut stage, 2, Some("exit code 2: no rule"));
        let log = stage.take_log();
        let held = "held at step 1 of 2, whose check did not pass: exit code 2: no rule";
        assert!(log.contains(held) && !log.contains("> ask"), "{log}");
        stage.feed(Input::Command(Command::GoOnWithPlan { skips }));
        let asked = payload(stage.last_prompt()).to_string();
        assert!(stage.take_log().contains(expected));
        assert_eq!(asked.contains("its check did not pass"), !skips, "{asked}");
    }
}

#[test]
fn a_turn_that_the_gate_cut_goes_on_after_the_approval() {
    for (last, goes_on) in [("Staged.\nLeft: b.rs", true), ("Staged.", false)] {
        let mut stage = Stage::new();
        stage.submit("fix both");
        stage.calls(&[("a", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.says(last);
        assert_eq!(stage.take_log().contains("after_approval"), goes_on);
        stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 0));
        assert_eq!(stage.take_log().contains("> ask"), goes_on, "{last}");
    }
}
