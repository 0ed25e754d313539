//! Hunks that are written again: one turn, one hunk, and nothing else.

use signoff_core::stage::review::HunkQuestion;

use super::*;

fn again(stage: &mut Stage, hunk: u32, remark: &str) {
    let mut view = view(1, hunk);
    let mut hunk = view.hunks.remove(hunk as usize - 1);
    hunk.lines = vec![DiffLine {
        kind: LineKind::Added,
        old: None,
        new: Some(12),
        text: "    new().unwrap();".to_owned(),
        emphasis: Vec::new(),
        newline: true,
    }];
    let remark = HunkQuestion {
        path: view.path,
        description: view.description,
        hunk,
        text: remark.to_owned(),
    };
    stage.feed(Input::Command(Command::Regenerate(Box::new(remark))));
    if stage.take_log().contains("prepare") {
        stage.learn(PreparedPrompt::default());
    }
}

/// Returns what takes the place of a hunk.
fn replacing(number: u32) -> ToolOutput {
    let mut output = staged(2, 1);
    output.deeds.rewritten = vec![hunk(1, number)];
    output
}

#[test]
fn a_turn_writes_one_hunk_again_and_runs_nothing() {
    let mut stage = in_review();
    again(&mut stage, 2, " no unwrap ");
    let asked = match stage.last_prompt().messages.last() {
        Some(Message::User { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert_snapshot!(asked);
    assert_eq!(stage.session.only(), Some(vec![hunk(1, 2)]));
    stage.take_log();
    stage.calls(&[
        ("b", "bash", r#"{"command":"ls"}"#),
        ("c", "edit_section", EDIT),
    ]);
    let log = stage.take_log();
    assert!(
        log.contains("refused: in this turn one hunk is written again")
            || log.contains("nothing runs"),
        "{log}"
    );
    assert!(!log.contains("run bash"), "{log}");
    stage.done("c", replacing(2));
    assert_eq!(
        stage.session.only(),
        Some(vec![hunk(2, 1)]),
        "what took its place may be mended"
    );
    stage.says("Written again.");
    assert_eq!(stage.session.only(), None);
    assert_eq!(stage.session.phase(), Phase::AwaitingReview);
}

#[test]
fn a_second_remark_waits_for_the_turn_and_one_on_a_hunk_that_is_gone_comes_back() {
    let mut stage = in_review();
    again(&mut stage, 1, "shorter");
    again(&mut stage, 2, "longer");
    again(&mut stage, 1, "shorter still");
    assert_eq!(stage.session.only(), Some(vec![hunk(1, 1)]));
    stage.calls(&[("b", "edit_section", EDIT)]);
    stage.done("b", replacing(1));
    stage.says("Shorter.");
    assert_eq!(stage.session.only(), Some(vec![hunk(1, 2)]));
    stage.take_log();
    stage.says("I cannot.");
    let log = stage.take_log();
    assert!(
        log.contains("does not wait any more") && log.contains("unsent shorter still"),
        "{log}"
    );
    assert_eq!(
        stage.session.phase(),
        Phase::AwaitingReview,
        "the other hunk waits on"
    );
}

#[test]
fn a_turn_that_is_taken_up_after_a_fault_is_limited_as_before() {
    let mut stage = in_review();
    again(&mut stage, 1, "shorter");
    let error = ProviderError::Status {
        code: 400,
        message: "no".to_owned(),
        retry_after: None,
    };
    stage.ended(Err(error));
    assert_eq!(stage.session.only(), None);
    stage.feed(Input::Command(Command::Retry));
    assert_eq!(stage.session.only(), Some(vec![hunk(1, 1)]));
}

#[test]
fn where_nothing_can_be_written_the_remark_comes_back() {
    let mut stage = in_review();
    stage.feed(Input::Command(Command::SetMode(Mode::Plan)));
    again(&mut stage, 1, "shorter");
    assert_eq!(stage.session.only(), None);
    let about = About {
        provider: "offline".to_owned(),
        model: String::new(),
        endpoint: String::new(),
    };
    let mut stage = in_review();
    stage.feed(Input::Ready { about, hint: None });
    again(&mut stage, 1, "shorter");
    assert_eq!(
        (stage.session.only(), stage.session.phase()),
        (None, Phase::AwaitingReview)
    );
}
