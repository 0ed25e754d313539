//! First requests by example.

use super::*;
use crate::message::AnswerForm;
use crate::surroundings::{AttachedFile, Grounds, Surroundings};
use crate::tool::{Setback, ToolOutput};

fn by_example() -> Stage {
    answering(AnswerForm::Lines)
}

fn answering(form: AnswerForm) -> Stage {
    Stage::with(Config {
        by_example: Some(form),
        ..Config::new(specs())
    })
}

fn given(lines: usize) -> PreparedPrompt {
    given_about(lines, None)
}

fn given_about(lines: usize, about: Option<(usize, usize)>) -> PreparedPrompt {
    let text: String = (1..=lines).map(|line| format!("x{line}\n")).collect();
    surrounded(Surroundings {
        files: vec![AttachedFile {
            path: "file1.rs".to_owned(),
            grounds: Grounds::Named,
            reason: "named by the user".to_owned(),
            text,
            lines: None,
            about,
        }],
        ..Surroundings::default()
    })
}

fn target(stage: &Stage) -> Option<&str> {
    let target = stage.last_prompt().target.as_ref();
    target.map(|target| target.path.as_str())
}

#[test]
fn a_request_about_one_file_is_made_by_example_once() {
    let mut stage = by_example();
    stage.learn(given(150));
    stage.submit("fix file1.rs");
    assert_eq!(target(&stage), Some("file1.rs"));
    assert_eq!(
        stage.last_prompt().target.as_ref().unwrap().request,
        "fix file1.rs"
    );
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.take_log();
    // No closing words are waited for.
    stage.done("a", staged(1, 1));
    assert_eq!(stage.session.phase(), Phase::AwaitingReview);
    stage.learn(given(151));
    stage.submit("fix file1.rs");
    assert_eq!(target(&stage), Some("file1.rs"));
    stage.says("No.");
    stage.submit("hello");
    assert_eq!(target(&stage), None);
}

#[test]
fn a_request_about_a_part_of_a_longer_file_is_made_by_example() {
    for (lines, about, expected) in [
        (200, Some((2, 3)), Some(("x2\nx3".to_owned(), Some((2, 3))))),
        (200, Some((1, 151)), None),
        (200, None, None),
        (2, Some((1, 1)), Some(("x1\nx2\n".to_owned(), None))),
    ] {
        let mut stage = answering(AnswerForm::Whole);
        stage.learn(given_about(lines, about));
        stage.submit("fix file1.rs");
        let target = stage.last_prompt().target.clone();
        assert_eq!(
            target.map(|target| (target.text, target.lines)),
            expected,
            "{lines} {about:?}"
        );
    }
}

#[test]
fn lines_without_a_place_are_asked_for_as_a_whole_and_then_given_up() {
    let mut stage = by_example();
    stage.learn(given(3));
    stage.submit("fix file1.rs");
    assert_eq!(form(&stage), Some(AnswerForm::Lines));
    stage.says("file1.rs\n```rust\ny\n```");
    assert_eq!(form(&stage), Some(AnswerForm::Whole));
    stage.take_log();
    stage.says("file1.rs\n```rust\ny\n```");
    let log = stage.take_log();
    assert!(log.contains("no edit of file1.rs that fits"), "{log}");
    assert_eq!(stage.session.phase(), Phase::Idle);
    // Of a longer one the whole would be too much.
    let mut stage = by_example();
    stage.learn(given(151));
    stage.submit("fix file1.rs");
    stage.says("file1.rs\n```rust\ny\n```");
    assert_eq!(stage.session.phase(), Phase::Asking);
    let prompt = stage.last_prompt();
    assert_eq!(prompt.target, None);
    let told = format!("{:?}", prompt.messages.last());
    assert!(told.contains("no clear place in file1.rs"), "{told}");
    // An answer in words is one.
    let mut stage = by_example();
    stage.learn(given(3));
    stage.submit("what does file1.rs do?");
    stage.says("Nothing.");
    assert_eq!(stage.session.phase(), Phase::Idle);
}

fn form(stage: &Stage) -> Option<AnswerForm> {
    let target = stage.last_prompt().target.as_ref();
    target.map(|target| target.form)
}

#[test]
fn an_edit_that_is_refused_is_asked_for_as_a_whole() {
    let mut stage = by_example();
    stage.learn(given(3));
    stage.submit("fix file1.rs");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", ToolOutput::failed("refused: syntax", "refused"));
    let target = stage.last_prompt().target.as_ref();
    assert_eq!(target.map(|target| target.form), Some(AnswerForm::Whole));
}

#[test]
fn an_answer_that_does_not_end_is_cut_off() {
    let mut stage = by_example();
    stage.learn(given(3));
    stage.submit("fix file1.rs");
    stage.piece(text("file1.rs\n```rust\n"));
    stage.piece(text(&"x\n".repeat(500)));
    assert_eq!(stage.session.phase(), Phase::Asking);
    stage.take_log();
    stage.piece(text(&"x\n".repeat(1000)));
    let log = stage.take_log();
    assert!(log.contains("asking for the whole of it"), "{log}");
}

#[test]
fn names_that_an_edit_leaves_undefined_go_back_once() {
    let mut stage = by_example();
    stage.learn(given(9));
    stage.submit("greet with a greeting");
    let edit = r#"{"path":"file1.rs","description":"x","content":"print(greeting)\n"}"#;
    stage.calls(&[("a", "edit_section", edit)]);
    stage.done("a", undefined(1));
    let again = stage.last_prompt().target.clone().unwrap();
    assert_eq!(again.text, "print(greeting)\n");
    assert_eq!(
        again.request,
        "greet with a greeting\n\nSomething is missing: line 1: `greeting` is not defined."
    );
    stage.calls(&[("b", "edit_section", edit)]);
    stage.done("b", undefined(2));
    assert_eq!(stage.session.phase(), Phase::AwaitingReview);
}

fn undefined(proposal: u128) -> ToolOutput {
    ToolOutput {
        setback: Some(Box::new(Setback::Undefined(vec![
            "line 1: `greeting` is not defined".to_owned(),
        ]))),
        ..staged(proposal, 1)
    }
}
