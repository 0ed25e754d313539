//! What is attached, and taken out again.

use super::*;
use crate::memory::Recall;
use crate::surroundings::{
    AttachedFile, Grounds, LikelyFile, MAX_UNNAMED, OutlinedFile, Surroundings,
};

fn given() -> PreparedPrompt {
    surrounded(Surroundings {
        skill: None,
        foreign: Vec::new(),
        environment: None,
        files: vec![attached("a.rs"), attached("b.rs")],
        outlines: vec![OutlinedFile {
            path: "large.rs".to_owned(),
            lines: 900,
            outline: "1-9 function f\n".to_owned(),
        }],
        likely: vec![LikelyFile {
            path: "c.rs".to_owned(),
            reason: "defines `g`".to_owned(),
        }],
    })
}

fn attached(path: &str) -> AttachedFile {
    AttachedFile {
        path: path.to_owned(),
        grounds: Grounds::Named,
        reason: "named by the user".to_owned(),
        text: format!("body of {path}\n"),
        lines: None,
        about: None,
    }
}

fn told(stage: &Stage) -> String {
    format!("{:?}", stage.last_prompt().messages)
}

fn command(stage: &mut Stage, command: Command) -> String {
    stage.take_log();
    stage.feed(Input::Command(command));
    stage.take_log()
}

#[test]
fn the_tools_are_listed_with_what_they_may_do() {
    let mut stage = Stage::new();
    let listed = command(&mut stage, Command::ListTools);
    for line in [
        "read looks: ",
        "edit_section stages: ",
        "bash runs something, by rules or your permission: ",
    ] {
        assert!(listed.contains(line), "{line}: {listed}");
    }
}

#[test]
fn a_file_is_taken_out_of_requests_until_it_is_given_again() {
    let mut stage = Stage::new();
    let nothing = command(&mut stage, Command::ListAttached);
    assert!(nothing.contains("no file is attached"), "{nothing}");
    stage.learn(given());
    stage.submit("fix a.rs");
    stage.says("Done.");
    let listed = command(&mut stage, Command::ListAttached);
    for line in [
        "a.rs: named by the user; 13 bytes",
        "large.rs: what it defines; 15 bytes",
        "c.rs: defines `g`; 11 bytes",
    ] {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    for path in ["a.rs", "large.rs", "c.rs"] {
        let log = command(&mut stage, Command::Detach(path.to_owned()));
        assert!(log.contains("is not given to the model any more"), "{log}");
    }
    let log = command(&mut stage, Command::Detach("a.rs".to_owned()));
    assert!(log.contains("a.rs is not attached"), "{log}");
    stage.submit("go on");
    let request = told(&stage);
    assert!(request.contains("body of b.rs"), "{request}");
    for gone in ["body of a.rs", "function f", "defines `g`"] {
        assert!(!request.contains(gone), "{gone}: {request}");
    }
    stage.says("Done.");
    stage.learn(given());
    stage.submit("fix a.rs");
    assert_eq!(told(&stage).matches("body of a.rs").count(), 1);
}

fn unnamed(path: &str, grounds: Grounds, bytes: usize) -> PreparedPrompt {
    surrounded(Surroundings {
        files: vec![AttachedFile {
            path: path.to_owned(),
            grounds,
            reason: "defines `g`".to_owned(),
            text: format!("body of {path}{}\n", "x".repeat(bytes)),
            lines: None,
            about: None,
        }],
        ..Surroundings::default()
    })
}

#[test]
fn a_detached_file_comes_back_only_by_its_name_also_after_a_restart() {
    let mut stage = Stage::new();
    stage.learn(unnamed("a.rs", Grounds::Meant, 0));
    stage.submit("fix g");
    stage.says("Done.");
    command(&mut stage, Command::Detach("a.rs".to_owned()));
    let entries = stage.session.transcript().entries().to_vec();
    let mut resumed = Stage::new();
    resumed.feed(Input::Switched(Ok(Recall {
        entries,
        ..Recall::default()
    })));
    for stage in [&mut stage, &mut resumed] {
        for grounds in [Grounds::Meant, Grounds::Ranked] {
            stage.learn(unnamed("a.rs", grounds, 0));
            stage.submit("fix g again");
            assert!(!told(stage).contains("body of a.rs"), "{}", told(stage));
            stage.says("Done.");
        }
        stage.learn(unnamed("a.rs", Grounds::Named, 0));
        stage.submit("fix a.rs");
        assert!(told(stage).contains("body of a.rs"), "{}", told(stage));
        stage.says("Done.");
    }
}

#[test]
fn a_file_that_is_likely_is_given_once_and_all_of_them_within_bounds() {
    let mut stage = Stage::new();
    for _ in 0..2 {
        stage.learn(unnamed("a.rs", Grounds::Ranked, 0));
        stage.submit("fix g");
        assert_eq!(told(&stage).matches("body of a.rs").count(), 1);
        stage.says("Done.");
    }
    for (path, is_given) in [("b.rs", true), ("c.rs", true), ("d.rs", false)] {
        stage.learn(unnamed(path, Grounds::Ranked, MAX_UNNAMED / 2 - 100));
        stage.submit("fix g");
        let request = told(&stage);
        assert_eq!(request.contains(&format!("body of {path}")), is_given);
        assert!(request.contains(path));
        stage.says("Done.");
    }
}
