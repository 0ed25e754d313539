//! What history has of a sign-off: what was displayed, and what had run.

use super::*;
use crate::stage::review::{CheckRun, Sight};

const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

fn run(name: &str, passed: bool) -> CheckRun {
    CheckRun {
        name: name.to_owned(),
        passed,
        outcome: "said".to_owned(),
    }
}

fn note(engine: &mut Engine, runs: Vec<CheckRun>) {
    let files = engine.staged_files().unwrap();
    engine.note_checks(files, runs).unwrap();
}

/// Approves hunks of the list by their numbers in it, with what was displayed of each.
fn approve(engine: &mut Engine, wanted: &[(usize, Sight)]) {
    let views = engine.review().unwrap();
    let hunks: Vec<_> = views.iter().flat_map(|view| &view.hunks).collect();
    let rulings = wanted
        .iter()
        .map(|(at, sight)| Ruling::new(hunks[*at], Verdict::Approve).with_sight(sight.clone()));
    let decision = engine.decide(&rulings.collect::<Vec<_>>()).unwrap();
    assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
}

fn in_words(engine: &mut Engine, path: &str) -> Vec<String> {
    let views = engine.history(Some(path)).unwrap().into_iter();
    views
        .map(|view| view.sign_off.map_or_else(String::new, |own| own.in_words()))
        .collect()
}

#[test]
fn each_written_line_knows_what_was_displayed_of_its_hunk() {
    let world = World::new(&[("a", TEXT)]);
    let mut engine = world.process();
    let edits = r#"{"old_text": "1", "new_text": "one"}, {"old_text": "9", "new_text": "nine"}"#;
    let change = format!(
        r#"{{"file": "a", "description": "x", "strategy": "section", "section": {{"edits": [{edits}]}}}}"#
    );
    propose(&mut engine, &change);
    propose(&mut engine, &section("a", "5", "five"));
    let fold = Sight::Folded {
        proof: "layout".to_owned(),
    };
    approve(
        &mut engine,
        &[(0, Sight::Seen), (1, Sight::Unseen), (2, fold.clone())],
    );
    let mut engine = world.process();
    let lines = engine.blame("a").unwrap().into_iter();
    let sights: Vec<_> = lines.map(|line| line.sight).collect();
    let [first, fifth, ninth] = [0, 4, 8].map(|line: usize| sights[line].clone());
    assert_eq!(
        [first, fifth, ninth],
        [Some(Sight::Seen), Some(fold), Some(Sight::Unseen)]
    );
    assert_eq!(sights[1], None);
    let told = in_words(&mut engine, "a");
    assert_eq!(
        told,
        [
            "folded (layout); no check had run",
            "1 hunk seen, 1 unseen; no check had run"
        ]
    );
}

#[test]
fn checks_count_only_where_the_files_are_as_they_ran_on_them() {
    let world = World::new(&[("a", TEXT), ("b", TEXT)]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "one"));
    propose(&mut engine, &section("b", "1", "one"));
    note(&mut engine, vec![run("pytest", true)]);
    note(&mut engine, vec![run("ruff", false)]);
    // The rest waits still: nothing ran on these files.
    approve(&mut engine, &[(0, Sight::Seen)]);
    let mut engine = world.process();
    approve(&mut engine, &[(0, Sight::Seen)]);
    assert_eq!(in_words(&mut engine, "a"), ["seen; no check had run"]);
    assert_eq!(
        in_words(&mut engine, "b"),
        ["seen; pytest passed, ruff: said"]
    );

    // A file that is another when it is written, and a state that is another when the checks are over.
    propose(&mut engine, &section("a", "2", "two"));
    let files = engine.staged_files().unwrap();
    propose(&mut engine, &section("a", "3", "three"));
    engine
        .note_checks(files, vec![run("pytest", true)])
        .unwrap();
    approve(&mut engine, &[(0, Sight::Seen), (1, Sight::Seen)]);
    assert!(
        in_words(&mut engine, "a")[..2]
            .iter()
            .all(|own| own == "seen; no check had run")
    );
    propose(&mut engine, &section("a", "4", "four"));
    note(&mut engine, vec![run("pytest", true)]);
    let hunk = engine.review().unwrap()[0].hunks[0].clone();
    let own = Ruling::new(&hunk, Verdict::edited("vier\n".to_owned())).with_sight(Sight::Seen);
    assert!(matches!(engine.decide(&[own]).unwrap(), Decision::Done(_)));
    assert_eq!(in_words(&mut engine, "a")[0], "seen; no check had run");
}
