//! Any inputs in any order: the kit's checks hold, and the session never hangs.

use proptest::prelude::*;

use super::*;
use crate::memory::Recall;

#[derive(Clone, Debug)]
enum Step {
    Submit,
    Cancel,
    Text,
    CallStarted(usize, u8, u8),
    Arguments(usize, u8),
    Ended(bool),
    Late,
    Done(usize, u8),
    Decided(u32, u8),
    Moved,
    Reviewed(u32),
    Approve,
    CancelCall,
    Retry,
    Compact,
    Switched,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Submit),
        1 => Just(Step::Cancel),
        1 => Just(Step::Text),
        6 => (0..3_usize, 0..4_u8, 0..4_u8).prop_map(|(a, b, c)| Step::CallStarted(a, b, c)),
        6 => (0..3_usize, 0..5_u8).prop_map(|(a, b)| Step::Arguments(a, b)),
        4 => prop::bool::weighted(0.8).prop_map(Step::Ended),
        1 => Just(Step::Late),
        8 => (0..3_usize, 0..3_u8).prop_map(|(a, b)| Step::Done(a, b)),
        2 => (0..4_u32, 0..3_u8).prop_map(|(a, b)| Step::Decided(a, b)),
        1 => Just(Step::Moved),
        1 => (0..3_u32).prop_map(Step::Reviewed),
        1 => Just(Step::Approve),
        1 => Just(Step::CancelCall),
        1 => Just(Step::Retry),
        1 => Just(Step::Compact),
        1 => Just(Step::Switched),
    ]
}

fn take(stage: &mut Stage, step: Step) {
    match step {
        Step::Submit => stage.submit("go"),
        Step::Cancel => stage.cancel(),
        Step::Text => stage.piece(text("words ")),
        Step::CallStarted(index, id, name) => stage.piece(Delta::CallStarted {
            index,
            id: CallId(["", "a", "b", "a"][usize::from(id)].to_owned()),
            name: ["edit_section", "read", "declare_edit_intent", "what?"][usize::from(name)]
                .to_owned(),
        }),
        Step::Arguments(index, which) => stage.piece(Delta::CallArguments {
            index,
            fragment: [EDIT, READ, "{", "}", "\n"][usize::from(which)].to_owned(),
        }),
        Step::Ended(true) => stage.calls(&[]),
        Step::Ended(false) => stage.ended(Err(cut())),
        Step::Late => stage.feed(Input::RequestEnded {
            request: RequestId(0),
            result: Err(cut()),
        }),
        Step::Done(which, how) => {
            let mut calls = stage.running.iter().chain(&stage.cancelled);
            let Some(call) = calls.nth(which).cloned() else {
                return stage.done("nobody", staged(7, 1));
            };
            let output = match how {
                0 if call.call().name == "edit_section" => staged(1, 2),
                1 => ToolOutput::failed("no", "no"),
                _ => ToolOutput::done("yes", "yes"),
            };
            stage.done(&call.call().id.0, output);
        }
        Step::Decided(number, how) => {
            let status = [
                HunkStatus::Committed,
                denied(Some("no")),
                HunkStatus::Pending,
            ][usize::from(how)]
            .clone();
            stage.feed(verdicts(vec![judged(number, status)], 0));
        }
        Step::Moved => stage.feed(decided(Ok(Decision::Changed {
            hunks: vec![judged(1, HunkStatus::Pending)],
        }))),
        Step::Approve => stage.feed(approve()),
        Step::CancelCall => stage.feed(Input::Command(Command::CancelCall(None))),
        Step::Retry => stage.feed(Input::Command(Command::Retry)),
        Step::Compact => stage.feed(Input::Command(Command::Compact)),
        Step::Switched => {
            stage.feed(Input::Command(Command::Switch(Switch::New)));
            stage.feed(Input::Switched(Ok(Recall::default())));
        }
        Step::Reviewed(hunks) => stage.feed(Input::Reviewed(Ok(vec![view(1, hunks)].into()))),
    }
}

/// Brings whatever runs to its end: a session that waits for nothing must be at rest.
fn drain(stage: &mut Stage) {
    for _ in 0..2000 {
        let mut calls = stage.running.iter().chain(&stage.cancelled);
        if let Some(call) = calls.next().cloned() {
            stage.done(&call.call().id.0, ToolOutput::done("yes", "yes"));
        } else if stage.request.is_some() {
            stage.calls(&[]);
        } else if stage.session.is_deciding() || stage.session.review.is_ruling() {
            // Verdicts that were handed over are carried out, and the list is read.
            stage.feed(verdicts(Vec::new(), 0));
            stage.feed(Input::Reviewed(Ok(vec![].into())));
        } else {
            break;
        }
    }
    let phase = stage.session.phase();
    assert!(
        matches!(phase, Phase::Idle | Phase::AwaitingReview),
        "hangs in {phase:?}"
    );
}

#[test]
fn a_prompt_behind_verdicts_begins_once_the_cancelled_call_has_ended() {
    let mut stage = Stage::new();
    stage.submit("go");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.cancel();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 1)].into())));
    stage.feed(approve());
    stage.submit("last");
    assert_eq!(stage.request, None, "the verdict waits for the call");
    drain(&mut stage);
    assert!(
        matches!(stage.last_prompt().messages.last(), Some(Message::User { text, .. }) if text == "last")
    );
}

proptest! {
    #[test]
    fn every_request_is_valid_and_every_turn_ends(steps in prop::collection::vec(step(), 0..80)) {
        let mut stage = Stage::new();
        for step in steps {
            take(&mut stage, step);
        }
        drain(&mut stage);
        stage.submit("last");
        prop_assert!(stage.session.transcript().open_calls().is_empty());
        prop_assert_eq!(stage.last_prompt().tool_choice, ToolChoice::Auto);
    }
}
