//! Hunks that another process decided on while they were shown.

use super::*;

fn outcome(number: u32, status: HunkStatus) -> HunkOutcome {
    HunkOutcome {
        hunk: hunk(1, number),
        path: "file1.rs".to_owned(),
        status,
    }
}

#[test]
fn hunks_that_wait_no_more_are_asked_about_and_told_of_once() {
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    stage.feed(Input::Reviewed(Ok(vec![view(1, 1)].into())));
    stage.feed(Input::OutcomesRead(vec![outcome(2, HunkStatus::Committed)]));
    stage.feed(Input::Reviewed(Ok(vec![view(1, 1)].into())));
    assert_snapshot!(stage.take_log(), @r#"
    < review ["file1.rs (2 pending)"]
    < phase awaiting_review
    < review ["file1.rs (1 pending)"]
    > read outcomes 1
    < info hunk 2 of file1.rs was approved by another signoff process; it is in history
    < review ["file1.rs (1 pending)"]
    "#);
}

#[test]
fn what_is_decided_here_is_no_news_of_others() {
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    stage.feed(approve());
    stage.feed(verdicts(vec![judged(1, HunkStatus::Committed)], 1));
    stage.take_log();
    let mut left = view(1, 2);
    left.hunks.remove(0);
    stage.feed(Input::Reviewed(Ok(vec![left].into())));
    assert_snapshot!(stage.take_log(), @r#"< review ["file1.rs (1 pending)"]"#);
}

#[test]
fn a_verdict_that_comes_too_late_says_what_the_other_process_did() {
    let mut stage = Stage::new();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2)].into())));
    stage.feed(approve());
    stage.take_log();
    let hunks = vec![outcome(1, HunkStatus::Denied { reason: None })];
    stage.feed(decided(Ok(Decision::Elsewhere { hunks, others: 1 })));
    let mut left = view(1, 2);
    left.hunks.remove(0);
    stage.feed(Input::Reviewed(Ok(vec![left].into())));
    assert_snapshot!(stage.take_log(), @r#"
    < info hunk 1 of file1.rs was denied by another signoff process
    < info 1 other verdict was not carried out and stays marked
    < undecided
    > read review
    < review ["file1.rs (1 pending)"]
    "#);
}
