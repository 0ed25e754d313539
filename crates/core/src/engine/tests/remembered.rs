//! What was denied, and what the user changed since.

use super::*;

fn deny(reason: Option<&str>) -> Option<Verdict> {
    let reason = reason.map(str::to_owned);
    Some(Verdict::Deny { reason })
}

#[test]
fn a_denied_hunk_is_recognised_when_it_comes_again() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("b", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    rule(&mut engine, |_| deny(Some("not in words")));
    let mut engine = world.process();
    world.files.save("a", "0\n1\n2\n3\n");
    // By another strategy, at another line.
    let again = propose(&mut engine, &whole("a", "0\n1\ntwo\n3\n"));
    let denied = &again.results[0].denied_before;
    assert_eq!(denied[0].reason.as_deref(), Some("not in words"));
    let view = &engine.review().unwrap()[0];
    assert!(view.hunks[0].denied_before.is_some());
    assert_eq!(view.note, None, "it is said of the hunk");
    let Decision::Refused { why } = engine.approve_unseen(std::slice::from_ref(view)).unwrap()
    else {
        panic!("written unseen")
    };
    assert_eq!(why.matches("denied").count(), 1, "{why}");
    for other in [section("b", "2", "two"), section("a", "3", "three")] {
        let answer = propose(&mut engine, &other);
        assert!(answer.results[0].denied_before.is_empty(), "{other}");
    }
}

#[test]
fn what_the_user_changed_since_it_was_read_is_told_once() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("b", "b\n"), ("c", "c\n")]);
    let mut engine = world.process();
    for path in ["a", "b"] {
        engine.read(path).unwrap();
    }
    assert!(engine.user_edits().is_empty());
    // What is written here is no change of the user's.
    propose(&mut engine, &section("a", "1", "one"));
    approve_all(&mut engine);
    assert!(engine.user_edits().is_empty());
    world.files.save("a", "one\n2\nthree\nfour\n");
    world.files.save("c", "never read\n");
    let edits = engine.user_edits();
    assert_eq!(edits.len(), 1);
    assert_eq!(
        (edits[0].path.as_str(), edits[0].added, edits[0].removed),
        ("a", 2, 1)
    );
    assert_eq!(edits[0].lines, ["-3 3", "+3 three", "+4 four"]);
    assert!(engine.user_edits().is_empty());
}

#[test]
fn a_denied_hunk_is_recognised_in_other_clothes() {
    for (again, marked) in [
        ("1\ntwo \n3\n4\n5\n", true),
        ("1\n  two\n3\n4\n5\n", true),
        ("one\ntwo\n3\n4\n5\n", true),
        ("1\n\ntwo\n\n3\n4\n5\n", true),
        ("1\ndeux\n3\n4\n5\n", false),
    ] {
        let world = World::new(&[("a", "1\n2\n3\n4\n5\n")]);
        let mut engine = world.process();
        propose(&mut engine, &section("a", "2", "two"));
        rule(&mut engine, |_| deny(Some("not in words")));
        let answer = propose(&mut engine, &whole("a", again));
        let denied = &answer.results[0].denied_before;
        assert_eq!(!denied.is_empty(), marked, "{again:?}");
    }
}

#[test]
fn lines_that_were_only_added_or_only_removed_are_recognised() {
    for denied in ["1\n2\nnew\n3\n", "1\n3\n"] {
        let world = World::new(&[("a", "1\n2\n3\n")]);
        let mut engine = world.process();
        propose(&mut engine, &whole("a", denied));
        rule(&mut engine, |_| deny(None));
        let answer = propose(&mut engine, &whole("a", denied));
        assert_eq!(answer.results[0].denied_before.len(), 1, "{denied:?}");
    }
}
