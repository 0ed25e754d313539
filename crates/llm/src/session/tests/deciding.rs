//! What the session does with the user's verdicts.

use super::*;

#[test]
fn a_denial_with_a_reason_is_answered_with_tools_open() {
    let mut stage = in_review();
    stage.feed(verdicts(
        vec![
            judged(1, HunkStatus::Committed),
            judged(2, denied(Some("keep the old name"))),
        ],
        0,
    ));
    stage.feed(Input::Reviewed(Ok(vec![].into())));
    assert_snapshot!(stage.take_log(), @r#"
    < decided [{"path":"file1.rs","version":1}] 1 1 0
    < phase idle
    < phase asking
    > ask 3 (tools: auto) ... system: The user decided on 2 hunks: 1 kept, 1 denied.
    > read review
    < review []
    "#);
    assert_json_snapshot!("resumed", payload(stage.last_prompt()));
    assert_eq!(stage.session.phase(), Phase::Asking);
}

#[test]
fn other_verdicts_wait_for_the_next_prompt() {
    let mut stage = in_review();
    stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 1));
    stage.feed(verdicts(vec![judged(2, denied(None))], 0));
    assert_eq!(stage.session.phase(), Phase::Idle);
    stage.submit("and now?");
    assert_snapshot!(stage.take_log(), @r#"
    < decided [{"path":"file1.rs","version":1}] 1 0 1
    > read review
    < decided [{"path":"file1.rs","version":1}] 0 1 0
    < phase idle
    > read review
    < user and now?
    < phase asking
    > ask 3 (tools: auto) ... user: and now?
    "#);
    assert_json_snapshot!("after_verdicts", payload(stage.last_prompt()));
}

#[test]
fn a_denial_of_what_an_earlier_conversation_proposed_starts_nothing() {
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 1)].into())));
    assert_eq!(stage.session.phase(), Phase::AwaitingReview);
    stage.feed(verdicts(vec![judged(1, denied(Some("no")))], 0));
    assert_eq!(stage.session.phase(), Phase::Idle);
    assert!(stage.prompts.is_empty());
}

#[test]
fn verdicts_during_the_closing_words_are_answered_after_them() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 1));
    stage.take_log();
    stage.piece(text("Sta"));
    stage.feed(verdicts(vec![judged(1, denied(Some("no")))], 0));
    assert_eq!(stage.prompts.len(), 2);
    stage.says("ged.");
    assert_snapshot!(stage.take_log(), @r#"
    < text Sta
    < decided [{"path":"file1.rs","version":1}] 0 1 0
    > read review
    < text ged.
    < turn_ended done
    < phase idle
    < phase asking
    > ask 3 (tools: auto) ... system: The user decided on 1 hunk: 0 kept, 1 denied.
    "#);
    assert_json_snapshot!("held_verdicts", payload(stage.last_prompt()));
}

#[test]
fn a_prompt_while_hunks_wait_begins_a_turn_that_knows_it() {
    let mut stage = in_review();
    stage.submit("what else?");
    assert_snapshot!(stage.take_log(), @"
    < user what else?
    < phase asking
    > ask 3 (tools: auto) ... user: what else?
    ");
    assert_json_snapshot!("while_hunks_wait", payload(stage.last_prompt()));
    stage.says("Nothing.");
    assert_snapshot!(stage.take_log(), @"
    < text Nothing.
    < turn_ended done
    < phase awaiting_review
    ");
}

#[test]
fn what_the_engine_finds_changed_since_it_was_displayed_is_shown_again() {
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![adding("one")].into())));
    stage.feed(Input::Command(Command::Review));
    stage.feed(approve());
    stage.feed(Input::Reviewed(Ok(vec![adding("another")].into())));
    stage.feed(Input::Decided {
        outcome: Ok(Decision::Changed {
            hunks: vec![judged(1, HunkStatus::Pending)],
        }),
        listing: Some(vec![adding("another")].into()),
    });
    assert_snapshot!(stage.take_log(), @r#"
    < review ["file1.rs (1 pending)"]
    < phase awaiting_review
    > read review
    < review ["file1.rs (1 pending)"]
    > decide 1
    < fault file_changed changed on disk since it was shown: file1.rs nothing was written; look at the changes again, then decide
    < undecided
    < review ["file1.rs (1 pending)"]
    "#);
    assert!(!stage.session.is_deciding());
}

#[test]
fn verdicts_go_to_the_engine_one_lot_after_another() {
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    stage.feed(approve());
    stage.feed(approve());
    stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 1));
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    assert_snapshot!(stage.take_log(), @r#"
    < review ["file1.rs (2 pending)"]
    < phase awaiting_review
    > decide 1
    < decided [{"path":"file1.rs","version":1}] 1 0 1
    > read review
    < review ["file1.rs (2 pending)"]
    > decide 1
    "#);
}

#[test]
fn after_the_user_has_left_only_verdicts_are_carried_out() {
    let mut stage = in_review();
    stage.submit("more");
    stage.submit("and more");
    stage.feed(approve());
    stage.feed(Input::Quit);
    assert!(stage.session.is_deciding());
    stage.feed(verdicts(vec![judged(1, denied(Some("no")))], 1));
    stage.feed(Input::Reviewed(Ok(vec![].into())));
    assert!(!stage.session.is_deciding());
    assert_snapshot!(stage.take_log(), @r#"
    < user more
    < phase asking
    > ask 3 (tools: auto) ... user: more
    < info queued: it is sent when this turn ends
    > decide 1
    < turn_ended cancelled
    < phase awaiting_review
    > cancel request 3
    < decided [{"path":"file1.rs","version":1}] 0 1 1
    > read review
    < review []
    < phase idle
    "#);
}

#[test]
fn an_approval_is_answered_while_the_plan_has_steps() {
    for (status, goes_on) in [("pending", true), ("completed", false)] {
        let mut stage = Stage::new();
        stage.submit("fix it");
        stage.calls(&[("p", "read", READ)]);
        stage.done("p", plan_output(status));
        stage.calls(&[("a", "edit_section", EDIT)]);
        stage.done("a", staged(1, 1));
        stage.says("Staged.");
        stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 0));
        assert_eq!(stage.session.phase() == Phase::Asking, goes_on, "{status}");
    }
}

fn plan_output(status: &str) -> ToolOutput {
    let step = json!([{"step": "x", "status": status}]);
    ToolOutput {
        plan: Some(serde_json::from_value(step).unwrap()),
        ..ToolOutput::done("", "")
    }
}
