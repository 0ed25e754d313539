//! What is said where something is in the way of taking a file back.

use super::*;

/// A file of which one changeset was approved in two parts.
fn in_parts() -> (World, Engine, RevertTarget) {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
    let mut engine = world.process();
    let text = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n";
    let changeset = propose(&mut engine, &whole("a", text)).changeset.unwrap();
    for _ in 0..2 {
        let views = engine.review().unwrap();
        let mut hunks = views.iter().flat_map(|view| &view.hunks);
        let next = hunks.find(|hunk| hunk.status == HunkStatus::Pending);
        let ruling = Ruling::new(next.unwrap(), Verdict::Approve);
        assert!(matches!(engine.decide(&[ruling]), Ok(Decision::Done(_))));
    }
    assert_eq!(world.text("a").as_deref(), Some(text));
    assert_eq!(engine.history(None).unwrap().len(), 2);
    (world, engine, RevertTarget::Changeset { changeset })
}

#[test]
fn of_several_versions_the_lines_are_named_and_the_one_that_can_go_back() {
    for (user, at, place, other) in [
        ("mine\n2\n3\n4\n5\n6\n7\n8\nnine\n", 1, "line 1", 2),
        ("one\n2\n3\n4\n5\n6\n7\n8\nmine\n", 2, "line 9", 1),
    ] {
        let (world, mut engine, target) = in_parts();
        world.files.save("a", user);
        let outcome = engine.take_back(&target).unwrap();
        let expected = format!(
            "a: version {at} cannot be reverted: later changes touch the same lines: {place}; \
             version {other} can be reverted alone: `signoff revert a --only {other}`"
        );
        assert_eq!(outcome.conflict(), Some(expected.as_str()));
        taken_back(&mut engine, "a", RevertTo::Only(other));
    }
}

/// What the second part did to the lines of the first is not in the way of both.
#[test]
fn what_a_later_version_did_is_not_in_the_way() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    for (old, new) in [("1", "one"), ("one", "eins"), ("3", "three")] {
        propose(&mut engine, &section("a", old, new));
        approve_all(&mut engine);
    }
    world.files.save("a", "eins\n2\nmine\n");
    let target = RevertTarget::file("a", RevertTo::Version(0));
    let outcome = engine.take_back(&target).unwrap();
    let expected = "a: version 3 cannot be reverted: later changes touch the same lines: line 3; \
                    version 2 can be reverted alone: `signoff revert a --only 2`";
    assert_eq!(outcome.conflict(), Some(expected));
}

#[test]
fn a_redo_that_is_refused_says_so() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "one"));
    approve_all(&mut engine);
    taken_back(&mut engine, "a", RevertTo::Last);
    world.files.save("a", "mine\n2\n");
    let (_, redo) = engine.last_taken_back().unwrap().unwrap();
    let outcome = engine.take_back(&RevertTarget::Redo { redo }).unwrap();
    let expected = "a: what version 2 reverted cannot be put back: later changes touch the same \
                    lines: line 1";
    assert_eq!(outcome.conflict(), Some(expected));
}

#[test]
fn a_folder_in_the_place_of_a_file_is_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("w");
    std::fs::create_dir(&root).unwrap();
    for path in ["a", "b"] {
        std::fs::write(root.join(path), "1\n").unwrap();
    }
    let store = folder.path().join("state.db");
    let mut engine = Engine::open(&root, &store, ambient()).unwrap();
    let changes = ["a", "b"].map(|path| section(path, "1", "one"));
    let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
    approve_all(&mut engine);
    std::fs::remove_file(root.join("a")).unwrap();
    std::fs::create_dir(root.join("a")).unwrap();
    let target = RevertTarget::Changeset { changeset };
    let refused = engine.take_back(&target).unwrap();
    let why = "a became a folder since it was written here";
    assert_eq!(refused.conflict(), Some(why));
    let done = engine.take_back(&refused.offered.unwrap()).unwrap();
    assert!(done.written, "{done:?}");
    assert_eq!(std::fs::read(root.join("b")).unwrap(), b"1\n");
    let target = RevertTarget::file("a", RevertTo::Last);
    assert_eq!(engine.take_back(&target).unwrap().conflict(), Some(why));
}
