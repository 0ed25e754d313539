//! Edits that the user chose a place for.

use signoff_core::engine::{Answer, Placed};

use super::*;
use crate::notice::Notice;
use crate::transcript::Entry;

fn answered(staged: bool) -> Input {
    let answer = Answer {
        results: Vec::new(),
        staged,
        changeset: None,
        verify: None,
        written: false,
        rewritten: Vec::new(),
        proposals: staged
            .then(|| view(1, 1))
            .into_iter()
            .collect::<Vec<_>>()
            .into(),
    };
    Input::Placed(Ok(Placed::Answered {
        path: "a.rs".to_owned(),
        line: 6,
        answer: Box::new(answer),
    }))
}

fn is_told(stage: &Stage) -> bool {
    let mut entries = stage.session.transcript().entries().iter();
    entries.any(
        |entry| matches!(entry, Entry::Noticed { notice: Notice::Placed { path, line: 6 } } if path == "a.rs"),
    )
}

#[test]
fn an_edit_at_its_place_waits_for_a_verdict_and_the_model_is_told() {
    let mut stage = Stage::new();
    let (question, choice) = (1, 0);
    stage.feed(Input::Command(Command::Place { question, choice }));
    stage.feed(answered(true));
    assert!(is_told(&stage));
    assert!(!stage.session.is_deciding(), "the list came with it");
    assert_eq!(stage.session.phase(), Phase::AwaitingReview);
}

#[test]
fn an_edit_that_is_not_staged_is_not_told_as_such() {
    for input in [answered(false), Input::Placed(Ok(Placed::Gone))] {
        let mut stage = Stage::new();
        let (question, choice) = (1, 0);
        stage.feed(Input::Command(Command::Place { question, choice }));
        stage.feed(input);
        assert!(!is_told(&stage));
        assert!(!stage.session.is_deciding());
    }
}
