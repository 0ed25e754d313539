//! Questions about hunks: beside the turn, and never lost.

use signoff_core::stage::review::HunkQuestion;

use super::*;
use crate::provider::Usage;

fn question(stage: &mut Stage, text: &str) {
    let mut view = view(1, 1);
    let mut hunk = view.hunks.remove(0);
    hunk.lines = vec![
        line(LineKind::Context, 11, "fn main() {"),
        line(LineKind::Removed, 12, "    old();"),
        line(LineKind::Added, 12, "    new();"),
    ];
    let text = text.to_owned();
    let path = view.path;
    let question = HunkQuestion {
        path,
        description: view.description,
        hunk,
        text,
    };
    stage.feed(Input::Command(Command::Ask(Box::new(question))));
}

fn line(kind: LineKind, number: u32, text: &str) -> DiffLine {
    DiffLine {
        kind,
        old: Some(number).filter(|_| kind != LineKind::Added),
        new: Some(number).filter(|_| kind != LineKind::Removed),
        text: text.to_owned(),
        emphasis: Vec::new(),
        newline: true,
    }
}

fn piece(stage: &mut Stage, delta: Delta) {
    let request = stage.aside.unwrap_or_default();
    stage.feed(Input::Delta { request, delta });
}

fn ended(stage: &mut Stage, result: Result<(), ProviderError>) {
    let request = stage.aside.take().unwrap_or_default();
    stage.feed(Input::RequestEnded { request, result });
}

fn last_user_text(stage: &Stage) -> &str {
    match stage.last_prompt().messages.last() {
        Some(Message::User { text, .. }) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_is_answered_beside_the_turn_that_runs() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 1));
    stage.piece(text("Sta"));
    stage.take_log();
    question(&mut stage, "Why new?");
    assert_snapshot!(last_user_text(&stage));
    assert_eq!(stage.last_prompt().tool_choice, ToolChoice::None);
    piece(&mut stage, text("Because "));
    stage.piece(text("ged."));
    piece(&mut stage, text("old is gone."));
    let usage = Usage {
        input: 100,
        output: 10,
        ..Usage::default()
    };
    piece(&mut stage, Delta::Usage(usage));
    ended(&mut stage, Ok(()));
    stage.says("");
    stage.submit("and now?");
    assert_snapshot!(stage.take_log());
    assert_json_snapshot!("after_a_question", payload(stage.last_prompt()));
}

#[test]
fn a_question_without_an_answer_goes_with_the_next_request() {
    for (end, expected) in [
        (None, "cancelled"),
        (Some(Ok(())), "empty answer"),
        (Some(Err(cut())), "the connection closed"),
    ] {
        let mut stage = in_review();
        question(&mut stage, "Why new?");
        stage.take_log();
        match end {
            Some(result) => ended(&mut stage, result),
            None => stage.feed(Input::Command(Command::CancelAsk(hunk(1, 1)))),
        }
        let log = stage.take_log();
        assert!(log.contains(expected), "{log}");
        stage.submit("go on");
        let payload = payload(stage.last_prompt()).to_string();
        assert!(payload.contains("got no answer: Why new?"), "{payload}");
    }
}

#[test]
fn the_built_in_planner_is_not_asked() {
    let mut stage = in_review();
    let about = About {
        provider: "offline".to_owned(),
        model: String::new(),
        endpoint: String::new(),
    };
    stage.feed(Input::Ready { about, hint: None });
    stage.take_log();
    question(&mut stage, "Why new?");
    let log = stage.take_log();
    assert!(log.ends_with("no_model"), "{log}");
    assert!(!log.contains("> ask"), "{log}");
    stage.submit("go on");
    let payload = payload(stage.last_prompt()).to_string();
    assert!(payload.contains("got no answer: Why new?"), "{payload}");
}

#[test]
fn the_next_question_follows_the_first_and_long_answers_are_cut() {
    let mut stage = in_review();
    question(&mut stage, "Why new?");
    piece(&mut stage, text("Because"));
    question(&mut stage, "Why not old?");
    let messages = format!("{:?}", stage.last_prompt().messages);
    assert!(messages.contains("You answered: Because"), "{messages}");
    stage.take_log();
    piece(&mut stage, text(&"é".repeat(10_000)));
    let log = stage.take_log();
    assert!(log.contains("too_long"), "{log}");
    assert!(log.contains("cancel aside"), "{log}");
}

#[test]
fn quitting_keeps_an_open_question_in_the_record() {
    let mut stage = Stage::with(Config {
        remember: true,
        ..Config::new(specs())
    });
    stage.submit("fix it");
    question(&mut stage, "Why new?");
    stage.feed(Input::Quit);
    let recorded = format!("{:?}", stage.records);
    assert!(recorded.contains("Why new?"), "{recorded}");
}
