//! Changesets of which history does not keep all any more.

use super::*;
use crate::id::ChangesetId;

/// Files that one changeset wrote, of which `a` is then written as often as history keeps.
fn written(world: &World) -> (Engine, ChangesetId) {
    let mut engine = world.process();
    engine.set_history_limit(2);
    let changes = ["a", "b", "c"].map(|path| section(path, "1", "one"));
    let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
    approve_all(&mut engine);
    (engine, changeset)
}

fn write_twice(engine: &mut Engine, path: &str) {
    for (old, new) in [("2", "two"), ("3", "three")] {
        propose(engine, &section(path, old, new));
        approve_all(engine);
    }
}

fn world() -> World {
    World::new(&["a", "b", "c"].map(|path| (path, "1\n2\n3\n")))
}

#[test]
fn a_changeset_that_is_not_kept_in_all_files_is_reverted_in_none() {
    let world = world();
    let (mut engine, changeset) = written(&world);
    write_twice(&mut engine, "a");
    let target = RevertTarget::Changeset { changeset };
    for outcome in [engine.foresee(&target), engine.take_back(&target)] {
        let outcome = outcome.unwrap();
        assert!(!outcome.written);
        let why = "a: what the changeset wrote there is not kept any more (`history_limit`)";
        assert_eq!(outcome.conflict(), Some(why));
        assert_eq!(outcome.file_count(), 3);
    }
    assert_eq!(world.text("b").as_deref(), Some("one\n2\n3\n"));
    // A file that moves takes it along.
    propose(
        &mut engine,
        r#"{"file":"a","strategy":"move","move":{"to":"d"}}"#,
    );
    approve_all(&mut engine);
    let foreseen = engine.foresee(&target).unwrap();
    assert_eq!(foreseen.blocked[0].path, "d");
    // In part, where that is asked for.
    let done = engine.take_back(&foreseen.offered.unwrap()).unwrap();
    assert!(done.written, "{done:?}");
    for path in ["b", "c"] {
        assert_eq!(world.text(path).as_deref(), Some("1\n2\n3\n"));
    }
    assert_eq!(world.text("d").as_deref(), Some("one\ntwo\nthree\n"));
    // Nothing is known of it once none of it is kept.
    for path in ["b", "c"] {
        propose(&mut engine, &section(path, "1", "eins"));
        approve_all(&mut engine);
        write_twice(&mut engine, path);
    }
    assert_eq!(engine.state.store.dropped_files(changeset).unwrap(), []);
}

#[test]
fn what_was_reverted_before_it_was_dropped_is_not_missed() {
    let world = world();
    let (mut engine, changeset) = written(&world);
    taken_back(&mut engine, "a", RevertTo::Last);
    propose(&mut engine, &section("a", "1", "eins"));
    approve_all(&mut engine);
    write_twice(&mut engine, "a");
    let target = RevertTarget::Changeset { changeset };
    let done = engine.take_back(&target).unwrap();
    assert!(done.written, "{done:?}");
    assert_eq!(world.text("b").as_deref(), Some("1\n2\n3\n"));
}

/// Of a history that was dropped whole.
#[test]
fn a_file_that_lost_its_history_keeps_its_changesets_from_being_reverted() {
    let world = world();
    let (mut engine, changeset) = written(&world);
    engine.set_size_limit(1);
    propose(&mut engine, &section("b", "2", "two"));
    approve_all(&mut engine);
    let outcome = engine.take_back(&RevertTarget::Changeset { changeset });
    let outcome = outcome.unwrap();
    let blocked: Vec<&str> = outcome
        .blocked
        .iter()
        .map(|own| own.path.as_str())
        .collect();
    assert!(!outcome.written && blocked == ["a", "c"], "{outcome:?}");
}
