//! Prompts before they are sent: what they wait for, and in which order.

use super::*;
use crate::trust::TrustQuestion;

fn wanted(subject: TrustSubject, id: &str) -> Input {
    Input::TrustWanted(TrustRequest {
        call: CallId(id.to_owned()),
        subject,
        question: TrustQuestion {
            label: format!("about {id}"),
            text: "all of it".to_owned(),
        },
    })
}

fn holding() -> Stage {
    let mut stage = Stage::new();
    stage.holds_prompts = true;
    stage
}

/// Returns the log of what comes of an input.
fn fed(stage: &mut Stage, input: Input) -> String {
    stage.take_log();
    stage.feed(input);
    stage.take_log().replace("< ", "")
}

fn asked(stage: &mut Stage, command: Command) -> String {
    fed(stage, Input::Command(command))
}

fn permit(stage: &mut Stage, id: &str, grant: Grant) -> String {
    let call = CallId(id.to_owned());
    asked(stage, Command::Permit { call, grant })
}

fn prompt(text: &str) -> Command {
    Command::Submit(text.to_owned())
}

fn prepared() -> Input {
    Input::Prepared(Ok(PreparedPrompt::default()))
}

#[test]
fn nothing_overtakes_a_prompt_that_waits_for_trust_and_for_hooks() {
    let mut stage = holding();
    stage.feed(wanted(TrustSubject::Model, "m"));
    stage.feed(wanted(TrustSubject::Hooks, "h"));
    let log = asked(&mut stage, prompt("one"));
    assert_eq!(log, "permission_asked m about m all of it");
    assert_eq!(asked(&mut stage, Command::Run("ls".to_owned())), "");
    assert_eq!(asked(&mut stage, prompt("two")), "");
    permit(&mut stage, "about m", Grant::Once);
    let log = permit(&mut stage, "m", Grant::Once);
    assert_eq!(log, "> trust Model true");
    let log = permit(&mut stage, "m", Grant::Once);
    assert!(!log.contains("trust"), "it is answered: {log}");
    let log = fed(&mut stage, Input::TrustDecided);
    assert_eq!(log, "permission_asked h about h all of it");
    let log = permit(&mut stage, "h", Grant::Refuse { reason: None });
    assert_eq!(log, "> trust Hooks false");
    assert_eq!(fed(&mut stage, Input::TrustDecided), "> prepare one");
    let log = fed(&mut stage, prepared());
    let order = ["user one", "something else runs", "> prepare two"];
    let found: Vec<_> = order.iter().map(|word| log.find(word)).collect();
    assert!(found[0].is_some() && found.is_sorted(), "{log}");
    assert_eq!(
        fed(&mut stage, prepared()),
        "info queued: it is sent when this turn ends"
    );
    stage.says("Done.");
    assert!(stage.take_log().contains("user two"));
    // Nothing is asked twice.
    assert_eq!(asked(&mut stage, prompt("three")), "> prepare three");
}

#[test]
fn what_is_stopped_before_it_is_sent_is_given_back_in_its_order() {
    let mut stage = holding();
    stage.feed(wanted(TrustSubject::Hooks, "h"));
    for text in ["one", "two"] {
        asked(&mut stage, prompt(text));
    }
    let log = asked(&mut stage, Command::Cancel);
    assert_eq!(log, "unsent one\nunsent two\nturn_ended cancelled");
    let log = asked(&mut stage, prompt("three"));
    assert!(
        log.contains("permission_asked h"),
        "it is asked again: {log}"
    );
    permit(&mut stage, "h", Grant::Always);
    assert_eq!(fed(&mut stage, Input::TrustDecided), "> prepare three");
    asked(&mut stage, Command::Retry);
    asked(&mut stage, prompt("four"));
    assert_eq!(asked(&mut stage, Command::Cancel), "> stop preparing");
    let log = fed(&mut stage, Input::Prepared(Err(None)));
    assert_eq!(log, "unsent three\nunsent four\nturn_ended cancelled");
    assert_eq!(fed(&mut stage, prepared()), "", "nothing is prepared");
}

#[test]
fn a_prompt_that_a_hook_refuses_comes_back_and_the_next_one_is_looked_at() {
    let mut stage = holding();
    for text in ["one", "two"] {
        asked(&mut stage, prompt(text));
    }
    let refused = Input::Prepared(Err(Some("no keys in prompts".to_owned())));
    let log = fed(&mut stage, refused);
    assert!(log.contains("no keys in prompts"), "{log}");
    assert!(log.contains("unsent one"), "{log}");
    assert!(log.ends_with("> prepare two"), "{log}");
}

#[test]
fn a_server_is_asked_about_at_once_and_stays_as_it_is_where_the_user_leaves() {
    let mut stage = holding();
    assert!(stage.session.may_ask_for_trust());
    let log = fed(
        &mut stage,
        wanted(TrustSubject::Server("s".to_owned()), "s"),
    );
    assert_eq!(log, "permission_asked s about s all of it");
    assert!(!stage.session.may_ask_for_trust());
    let log = asked(&mut stage, Command::Cancel);
    assert_eq!(log, "turn_ended cancelled\n> trust Server(\"s\") false");
    stage.feed(Input::TrustDecided);
    asked(&mut stage, prompt("one"));
    assert!(!stage.session.may_ask_for_trust(), "hooks look at a prompt");
    stage.feed(prepared());
    assert!(!stage.session.may_ask_for_trust(), "a turn runs");
}

#[test]
fn nothing_begins_once_the_user_quits() {
    let mut stage = holding();
    asked(&mut stage, prompt("one"));
    assert_eq!(fed(&mut stage, Input::Quit), "> stop preparing");
    assert_eq!(fed(&mut stage, prepared()), "");
}

#[test]
fn a_prompt_behind_verdicts_is_prepared_once_they_are_carried_out_and_answers_them() {
    let mut stage = in_review();
    stage.holds_prompts = true;
    stage.feed(approve());
    assert_eq!(asked(&mut stage, prompt("one")), "");
    let denial = vec![judged(1, denied(Some("keep it")))];
    let log = fed(&mut stage, verdicts(denial, 1));
    let order = ["decided", "> prepare one"].map(|word| log.find(word));
    assert!(order[0].is_some() && order.is_sorted(), "{log}");
    assert!(!log.contains("> ask"), "the prompt begins the turn: {log}");
    let log = fed(&mut stage, prepared());
    assert!(log.contains("user one"), "{log}");
    stage.says("Done.");
    let ends = stage.take_log().matches("turn_ended").count();
    assert_eq!(ends, 1, "one turn answers both");
    assert_ne!(stage.session.phase(), Phase::Asking);
}

#[test]
fn a_prompt_behind_verdicts_is_given_back_when_it_is_stopped_or_refused() {
    let mut stage = in_review();
    stage.holds_prompts = true;
    stage.feed(approve());
    asked(&mut stage, prompt("one"));
    let log = asked(&mut stage, Command::Cancel);
    assert_eq!(log, "unsent one\nturn_ended cancelled");
    asked(&mut stage, prompt("two"));
    let denial = vec![judged(1, denied(Some("keep it")))];
    assert!(fed(&mut stage, verdicts(denial, 1)).contains("> prepare two"));
    let refused = Input::Prepared(Err(Some("no keys in prompts".to_owned())));
    let log = fed(&mut stage, refused);
    assert!(log.contains("unsent two"), "{log}");
    assert_eq!(stage.session.phase(), Phase::Asking, "{log}");
}
