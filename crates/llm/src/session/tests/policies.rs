//! When the user is asked, and what ends a turn that would not.

use std::sync::Arc;

use super::*;
use crate::gate::StopRule;
use crate::notice::Notice;
use crate::permission::{Permission, Policy, Rule};
use crate::provider::Usage;
use crate::provider::catalogue::{Model, Price};
use crate::tool::Setback;
use crate::transcript::Entry;

fn with_rule(rule: &str) -> Stage {
    Stage::with(Config {
        stop: rule.parse::<StopRule>().unwrap(),
        ..Config::new(specs())
    })
}

fn edit(stage: &mut Stage, id: &str, proposal: u128) {
    stage.calls(&[(id, "edit_section", EDIT)]);
    stage.done(id, staged(proposal, 1));
}

#[test]
fn a_chain_of_edits_goes_before_the_user_at_its_end() {
    let mut stage = with_rule("turn-end");
    stage.submit("fix them");
    edit(&mut stage, "a", 1);
    let prompt = stage.last_prompt();
    assert_eq!(prompt.tool_choice, ToolChoice::Auto);
    let notice = prompt.messages.last();
    assert!(
        matches!(notice, Some(Message::System { text }) if text.contains("proposal 00000000") && text.contains("Go on with what is left")),
        "{notice:?}"
    );
    edit(&mut stage, "b", 2);
    stage.says("Both are staged.");
    assert!(
        stage
            .take_log()
            .ends_with("< turn_ended review\n< phase awaiting_review")
    );
}

#[test]
fn so_many_edits_go_before_the_user() {
    let mut stage = with_rule("after:2");
    stage.submit("fix them");
    edit(&mut stage, "a", 1);
    assert_eq!(stage.session.phase(), Phase::Asking);
    edit(&mut stage, "b", 2);
    assert_eq!(stage.session.phase(), Phase::Closing);
    assert_eq!(stage.last_prompt().tool_choice, ToolChoice::None);
}

fn edit_of(path: &str) -> String {
    format!(r#"{{"path":"{path}","description":"Fix it"}}"#)
}

/// Makes an answer with an edit of each of these files; one whose name begins with `!` does not fit, one with `$` is made by
/// a program.
fn edits(stage: &mut Stage, answer: &str, files: &[&str]) {
    let calls: Vec<(String, String)> = files
        .iter()
        .enumerate()
        .map(|(number, file)| {
            let id = format!("{answer}_{number}");
            (id, edit_of(file.trim_start_matches('!')))
        })
        .collect();
    let made: Vec<_> = calls
        .iter()
        .zip(files)
        .map(|((id, arguments), file)| match file.strip_prefix('$') {
            Some(_) => (id.as_str(), "bash", r#"{"command":"make"}"#),
            None => (id.as_str(), "edit_section", arguments.as_str()),
        })
        .collect();
    stage.calls(&made);
    for (number, (file, (id, _))) in files.iter().zip(&calls).enumerate() {
        let file = match file.strip_prefix('$') {
            Some(file) => {
                let (call, grant) = (CallId(id.clone()), Grant::Once);
                stage.feed(Input::Command(Command::Permit { call, grant }));
                file
            }
            None => file,
        };
        let output = match file.strip_prefix('!') {
            Some(path) => ToolOutput {
                setback: Some(Box::new(Setback::Misfit(path.to_owned()))),
                ..ToolOutput::failed(format!("not found {id}"), "not found")
            },
            None => {
                let mut output = staged(answer.len() as u128 * 10 + number as u128, 1);
                let proposals = Arc::make_mut(&mut output.staged.listing.proposals);
                Arc::make_mut(&mut proposals[0]).path = file.to_owned();
                output
            }
        };
        stage.done(id, output);
    }
}

#[test]
fn a_call_that_failed_keeps_the_turn_open() {
    let mut stage = Stage::new();
    stage.submit("fix them");
    edits(&mut stage, "1", &["a.rs", "b.rs", "!c.rs"]);
    let prompt = stage.last_prompt();
    assert_eq!(prompt.tool_choice, ToolChoice::Auto);
    let Some(Message::System { text }) = prompt.messages.last() else {
        panic!("{:?}", prompt.messages.last());
    };
    assert!(
        text.contains("- failed: edit_section of c.rs: not found"),
        "{text}"
    );
    assert!(
        text.contains("tools are open") && !text.contains("Do not call tools"),
        "{text}"
    );
    // Made up for, nothing is left and the turn closes.
    edits(&mut stage, "22", &["c.rs"]);
    assert_eq!(stage.last_prompt().tool_choice, ToolChoice::None);
    stage.says("All three are staged.");
    let log = stage.take_log();
    assert!(
        log.ends_with("< turn_ended review\n< phase awaiting_review"),
        "{log}"
    );
    assert!(!log.contains("left_undone"), "{log}");
}

#[test]
fn an_edit_that_failed_is_left_undone_until_a_later_answer_makes_it() {
    type Answers = &'static [&'static [&'static str]];
    let cases: &[(Answers, usize)] = &[
        (&[&["a", "!b"]], 1),
        (&[&["!a", "!b"]], 2),
        (&[&["!a"]], 1),
        // Another edit of the same file in the same answer is not the one that failed.
        (&[&["a", "!a", "a"]], 1),
        (&[&["a", "!b"], &["c"]], 1),
        (&[&["a", "!b"], &["!b"]], 1),
        (&[&["a", "!b"], &["b"]], 0),
        (&[&["!a"], &["!a"], &["a"]], 0),
        (&[&["a", "!b"], &["$b"]], 0),
        (&[&["a", "!b"], &["$c"]], 1),
    ];
    for (answers, left) in cases {
        let mut stage = Stage::new();
        stage.submit("fix them");
        for (answer, files) in answers.iter().enumerate() {
            edits(&mut stage, &"1".repeat(answer + 1), files);
        }
        stage.says("Done.");
        let log = stage.take_log();
        let told = log.lines().find(|line| line.contains("left_undone"));
        let count = told.map_or(0, |line| line.matches("not found").count());
        assert_eq!(count, *left, "{answers:?}: {log}");
    }
}

/// The model was told that there is no such tool, said that it was done, and nobody knew.
#[test]
fn an_edit_by_a_tool_that_there_is_not_is_left_undone_until_another_is_made() {
    let edit = r#"{"path":"a.rs","content":"x"}"#;
    for (arguments, makes_up, is_left) in [
        (edit, false, true),
        (edit, true, false),
        (r#"{"thought":"hm"}"#, false, false),
    ] {
        let mut stage = Stage::new();
        stage.submit("fix them");
        stage.calls(&[("a", "insert_text", arguments)]);
        if makes_up {
            edits(&mut stage, "1", &["b.rs"]);
        }
        stage.says("Done.");
        let log = stage.take_log();
        assert!(log.contains("insert_text false no such tool"), "{log}");
        assert_eq!(log.contains("left_undone"), is_left, "{arguments}: {log}");
    }
}

#[test]
fn the_same_result_three_times_ends_the_turn() {
    let mut stage = Stage::new();
    stage.submit("look");
    for id in ["a", "b", "c"] {
        stage.calls(&[(id, "read", READ)]);
        stage.done(id, ToolOutput::done("text", "read"));
    }
    let log = stage.take_log();
    assert!(
        log.ends_with(
            "< info stopped: read gave the model the same result three times\n\
             < turn_ended limit\n\
             < phase idle"
        ),
        "{log}"
    );
    let last = stage.last_prompt().messages.last();
    assert!(
        matches!(last, Some(Message::Tool { content, .. }) if content.ends_with("same result before)"))
    );
}

#[test]
fn another_result_is_no_loop() {
    let mut stage = Stage::new();
    stage.submit("look");
    for id in ["a", "b", "c", "d"] {
        stage.calls(&[(id, "read", READ)]);
        stage.done(id, ToolOutput::done(id, "read"));
    }
    assert_eq!(stage.session.phase(), Phase::Asking);
}

/// Runs a test that prints this, then an edit that is written at once, and so on.
fn test_and_fix(printed: &[&str], fixed: bool) -> String {
    let allowed = Rule {
        tool: "bash".to_owned(),
        pattern: "*".to_owned(),
        action: Permission::Allow,
    };
    let mut stage = Stage::with(Config {
        policy: Policy::new(vec![allowed], Vec::new()),
        ..Config::new(specs())
    });
    stage.submit("fix it");
    for (number, printed) in printed.iter().enumerate() {
        let (test, fix) = (format!("t{number}"), format!("f{number}"));
        stage.calls(&[(&test, "bash", r#"{"command":"cargo test"}"#)]);
        stage.done(&test, ToolOutput::failed(*printed, "exit 1"));
        if fixed && stage.session.phase() == Phase::Asking {
            stage.calls(&[(&fix, "edit_section", EDIT)]);
            let wrote = ToolOutput {
                written: true,
                ..ToolOutput::done(&fix, "wrote")
            };
            stage.done(&fix, wrote);
        }
    }
    stage.take_log()
}

#[test]
fn a_test_that_fails_again_after_a_fix_is_no_loop() {
    for printed in [
        ["1 failed"; 4],
        ["3 failed", "2 failed", "1 failed", "1 failed"],
    ] {
        let log = test_and_fix(&printed, true);
        assert!(!log.contains("turn_ended"), "{log}");
    }
}

#[test]
fn a_test_that_fails_alike_three_times_with_nothing_changed_is_a_loop() {
    let log = test_and_fix(&["failed in 0.1 s", "failed in 0.2 s"], false);
    assert!(!log.contains("turn_ended"), "{log}");
    let log = test_and_fix(
        &["failed in 0.1 s", "failed in 0.2 s", "failed in 2 s"],
        false,
    );
    let end = "stopped: bash gave the model the same result three times\n< turn_ended limit";
    assert!(log.contains(end), "{log}");
    let log = test_and_fix(&["a failed", "b failed", "c failed", "d failed"], false);
    assert!(!log.contains("turn_ended"), "{log}");
}

#[test]
fn an_edit_that_does_not_fit_is_answered_with_another_way() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    for id in ["a", "b"] {
        let arguments = format!(r#"{{"path":"file1.rs","description":"try {id}"}}"#);
        stage.calls(&[(id, "edit_section", &arguments)]);
        stage.done(id, misfit("file1.rs"));
    }
    let entries = stage.session.transcript().entries();
    assert!(matches!(
        entries.last(),
        Some(Entry::Noticed {
            notice: Notice::Misfits { path, .. }
        }) if path == "file1.rs"
    ));
}

#[test]
fn an_edit_that_cannot_be_read_is_answered_with_another_way() {
    let mut stage = Stage::with(Config::new(crate::tool::Registry::standard()));
    stage.submit("fix it");
    for id in ["a", "b"] {
        let arguments = format!(r#"{{"path":"a.rs","description":"try {id}","edits":[]}}"#);
        stage.calls(&[(id, "edit_section", &arguments)]);
        assert_eq!(stage.running, [], "its tool does not run");
    }
    let entries = stage.session.transcript().entries();
    assert!(matches!(
        entries.last(),
        Some(Entry::Noticed {
            notice: Notice::Misfits { path, .. }
        }) if path == "a.rs"
    ));
}

#[test]
fn no_other_way_is_named_where_none_would_do() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    for id in ["a", "b"] {
        let arguments = format!(r#"{{"path":"folder","description":"try {id}"}}"#);
        stage.calls(&[(id, "edit_section", &arguments)]);
        stage.done(
            id,
            ToolOutput::failed("folder is a folder", "folder is a folder"),
        );
    }
    assert!(!stage.session.transcript().entries().iter().any(|entry| {
        matches!(
            entry,
            Entry::Noticed {
                notice: Notice::Misfits { .. }
            }
        )
    }));
}

/// Returns what comes of an edit whose place is not found.
fn misfit(path: &str) -> ToolOutput {
    ToolOutput {
        setback: Some(Box::new(Setback::Misfit(path.to_owned()))),
        ..ToolOutput::failed("not found", "not found")
    }
}

#[test]
fn an_edit_that_breaks_the_syntax_is_told_of_by_a_notice_of_its_own() {
    let mut stage = Stage::new();
    stage.submit("fix it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", breaking());
    let prompt = stage.last_prompt();
    assert_eq!(prompt.tool_choice, ToolChoice::Auto);
    let last = prompt.messages.last();
    assert!(
        matches!(last, Some(Message::System { text })
            if text.contains("- file1.rs:3:1: a brace is not closed")),
        "{last:?}"
    );
}

fn used(stage: &mut Stage, tokens: u64) {
    stage.piece(Delta::Usage(Usage {
        input: tokens,
        ..Usage::default()
    }));
}

fn limited(config: Config) -> String {
    let model = Model {
        name: "m".to_owned(),
        price: Some(Price {
            input: 2.0,
            cached: None,
            stored: None,
            output: 0.0,
            long: None,
        }),
        ..Model::default()
    };
    let mut stage = Stage::knowing(config, model);
    stage.submit("look");
    for (id, tokens) in [("a", 600), ("b", 600)] {
        used(&mut stage, tokens);
        stage.calls(&[(id, "read", READ)]);
        stage.done(id, ToolOutput::done(id, "read"));
    }
    stage.take_log()
}

#[test]
fn a_turn_takes_limited_tokens_and_money() {
    let tokens = limited(Config {
        most_tokens: Some(1000),
        ..Config::new(specs())
    });
    assert!(tokens.contains("< info stopped at your limit of 1000 tokens in one turn"));
    let cost = limited(Config {
        most_cost: Some(2_000),
        ..Config::new(specs())
    });
    assert!(
        cost.contains("< info stopped at your limit of $0.0020 in one turn"),
        "{cost}"
    );
}

#[test]
fn what_is_spent_is_told_by_turn_and_in_all() {
    let model = Model {
        name: "m".to_owned(),
        context: Some(4_000),
        ..Model::default()
    };
    let mut stage = Stage::knowing(Config::new(specs()), model);
    for _ in 0..2 {
        stage.submit("hi");
        used(&mut stage, 600);
        stage.says("Hello.");
    }
    let log = stage.take_log();
    let spent: Vec<_> = log
        .lines()
        .filter(|line| line.starts_with("< spent"))
        .collect();
    assert_eq!(
        spent[1],
        r#"< spent {"requests":1,"input":600,"output":0,"cost":null} {"requests":2,"input":1200,"output":0,"cost":null} {"tokens":600,"of":4000}"#
    );
}

/// Plays a turn under a rule: each letter is an edit that waits (`s`), one that was written at
/// once (`w`) or one that did not fit (`x`). Returns the phase after each, and how the turn ends
/// once the model has said its last word.
fn play(rule: &str, edits: &str, config: Config) -> String {
    let mut stage = Stage::with(Config {
        stop: rule.parse::<StopRule>().unwrap(),
        ..config
    });
    stage.submit("fix them");
    let mut phases = Vec::new();
    for (number, edit) in (1..).zip(edits.chars()) {
        let id = format!("c{number}");
        let arguments = format!(r#"{{"path":"file{number}.rs","description":"{id}"}}"#);
        stage.calls(&[(&id, "edit_section", &arguments)]);
        let output = match edit {
            's' => staged(number, 1),
            'w' => ToolOutput::done(format!("wrote {number}"), "wrote"),
            _ => ToolOutput::failed(format!("no {number}"), "no"),
        };
        stage.done(&id, output);
        phases.push(serde_json::to_value(stage.session.phase()).unwrap());
        let open = stage.session.phase() == Phase::Asking;
        let choice = if open {
            ToolChoice::Auto
        } else {
            ToolChoice::None
        };
        let asks = matches!(stage.session.phase(), Phase::Asking | Phase::Closing);
        assert!(!asks || stage.last_prompt().tool_choice == choice);
        if !open {
            break;
        }
    }
    if matches!(stage.session.phase(), Phase::Asking | Phase::Closing) {
        stage.says("That is all.");
    }
    let words = phases.iter().filter_map(serde_json::Value::as_str);
    let log = stage.take_log();
    let ends = log
        .lines()
        .filter_map(|line| line.strip_prefix("< turn_ended "));
    let all: Vec<&str> = words.chain(ends).collect();
    all.join(" ")
}

#[test]
fn rules_and_ways_of_writing_together() {
    for (rule, edits, expected) in [
        ("first-edit", "s", "closing review"),
        ("first-edit", "xs", "asking closing review"),
        ("first-edit", "www", "asking asking asking done"),
        ("first-edit", "ws", "asking closing review"),
        ("after:2", "ss", "asking closing review"),
        ("after:2", "s", "asking review"),
        ("after:2", "sws", "asking asking closing review"),
        ("after:2", "ww", "asking asking done"),
        ("turn-end", "sss", "asking asking asking review"),
        ("turn-end", "sxw", "asking asking asking review"),
        ("turn-end", "ww", "asking asking done"),
        ("turn-end", "", "done"),
    ] {
        assert_eq!(
            play(rule, edits, Config::new(specs())),
            expected,
            "{rule} {edits}"
        );
    }
}

#[test]
fn a_limit_ends_a_turn_under_every_rule() {
    for (rule, edits, expected) in [
        ("first-edit", "xx", "asking idle limit"),
        // What was staged goes before the user, not lost in a limit.
        ("first-edit", "xs", "asking closing review"),
        ("after:3", "ss", "asking awaiting_review limit"),
        ("turn-end", "ss", "asking awaiting_review limit"),
        ("turn-end", "ww", "asking idle limit"),
    ] {
        assert_eq!(
            play(
                rule,
                edits,
                Config {
                    most_requests: 2,
                    ..Config::new(specs())
                }
            ),
            expected,
            "{rule} {edits}"
        );
    }
}
