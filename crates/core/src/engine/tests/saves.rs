//! Files that the user saves while edits of them wait.

use super::*;

#[test]
fn a_file_saved_while_its_card_is_open_is_shown_again_before_it_is_written() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "3", "three"));
    let seen = engine.review().unwrap();
    world.files.save("a", "mine\n1\n2\n3\n");
    let rulings = [Ruling {
        hunk: seen[0].hunks[0].id,
        verdict: Verdict::Approve,
    }];
    assert_eq!(
        engine.decide(&rulings).unwrap(),
        Decision::Moved {
            paths: vec!["a".into()]
        }
    );
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\n3\n"));
    let again = engine.review().unwrap();
    assert!(again[0].note.is_some());
    assert!(matches!(
        engine.decide(&rulings).unwrap(),
        Decision::Done(_)
    ));
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\nthree\n"));
}

#[test]
fn a_save_noticed_by_another_process_still_has_to_be_shown_here() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let (mut here, mut there) = (world.process(), world.process());
    propose(&mut here, &section("a", "3", "three"));
    let seen = here.review().unwrap();
    world.files.save("a", "mine\n1\n2\n3\n");
    there.review().unwrap();
    let rulings = [Ruling {
        hunk: seen[0].hunks[0].id,
        verdict: Verdict::Approve,
    }];
    assert!(matches!(
        here.decide(&rulings).unwrap(),
        Decision::Moved { .. }
    ));
    assert_eq!(world.text("a").as_deref(), Some("mine\n1\n2\n3\n"));
}

#[test]
fn no_line_goes_into_a_file_that_was_saved_as_no_text() {
    for saved in ["1\n2\n\0", "\0\n1\n2\n"] {
        let world = World::new(&[("a", "1\n2\n"), ("b", "1\n2\n")]);
        let mut engine = world.process();
        propose(&mut engine, &section("b", "2", "two"));
        approve_all(&mut engine);
        propose(&mut engine, &section("a", "1", "one"));
        world.files.save("a", saved);
        world.files.save("b", saved);
        let views = engine.review().unwrap();
        let hunk = &views[0].hunks[0];
        let reason = "you made something else of the file".to_owned();
        assert_eq!(hunk.status, HunkStatus::Conflict { reason });
        assert_eq!(
            (shown(hunk), hunk.yours.len()),
            (vec!["-1".to_owned(), "+one".into(), " 2".into()], 0)
        );
        assert!(matches!(approve_all(&mut engine), Decision::Refused { .. }));
        let undone = engine.revert("b", RevertTo::Last).unwrap();
        assert!(matches!(undone, Undone::Conflict { .. }), "{undone:?}");
        for file in ["a", "b"] {
            assert_eq!(world.text(file).as_deref(), Some(saved));
        }
    }
}

#[test]
fn a_save_of_the_same_lines_is_a_conflict_that_can_only_be_denied() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    world.files.save("a", "1\nzwei\n");
    let views = engine.review().unwrap();
    assert!(matches!(
        views[0].hunks[0].status,
        HunkStatus::Conflict { .. }
    ));
    // What it was to do is still to be seen, beside what is there now.
    assert_eq!(shown(&views[0].hunks[0]), [" 1", "-2", "+two"]);
    assert_eq!(views[0].hunks[0].yours, ["zwei"]);
    assert_eq!(world.process().review().unwrap(), views);
    assert!(matches!(approve_all(&mut engine), Decision::Refused { .. }));
    let denied = rule(&mut engine, |_| Some(Verdict::Deny { reason: None }));
    assert!(matches!(denied, Decision::Done(_)));
    assert!(engine.review().unwrap().is_empty());
    assert_eq!(world.text("a").as_deref(), Some("1\nzwei\n"));
}
