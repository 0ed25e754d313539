//! What was written, and taking it back.

use super::*;

#[test]
fn history_keeps_the_last_ten_and_goes_back_to_any_of_them() {
    let world = World::new(&[("a", "0\n")]);
    let mut engine = world.process();
    for n in 1..=12 {
        propose(&mut engine, &whole("a", &format!("{n}\n")));
        approve_all(&mut engine);
    }
    let versions: Vec<_> = engine
        .history(Some("a"))
        .unwrap()
        .iter()
        .map(|view| view.version)
        .collect();
    assert_eq!(versions, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    let mut later = world.process();
    assert_eq!(
        taken_back(&mut later, "a", RevertTo::Version(5)).version,
        13
    );
    assert_eq!(world.text("a").as_deref(), Some("5\n"));
    assert!(
        later
            .take_back(&RevertTarget::file("a", RevertTo::Version(1)))
            .unwrap()
            .is_nothing()
    );
    assert!(
        later
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap()
            .written
    );
    assert_eq!(world.text("a").as_deref(), Some("4\n"));
}

#[test]
fn the_last_changeset_is_the_last_one_whatever_the_clock_said() {
    let world = World::new(&[("a", "1\n"), ("b", "1\n")]);
    let mut hour = 9;
    let at = |hour: i64| {
        let store = Store::open(&world.store).unwrap();
        let now = move || Timestamp(hour * 3_600_000);
        let ambient = Ambient {
            now: Box::new(now),
            ..ambient()
        };
        Engine::new(Box::new(world.files.clone()), store, ambient).unwrap()
    };
    for path in ["a", "b"] {
        let mut engine = at(hour);
        propose(&mut engine, &whole(path, "2\n"));
        approve_all(&mut engine);
        hour -= 2;
    }
    let mut engine = at(hour);
    let NamedChangeset::One(last) = engine.changeset("last").unwrap() else {
        panic!("one is the last");
    };
    let newest = &engine.history(None).unwrap()[0];
    assert_eq!((newest.path.as_str(), newest.changeset), ("b", Some(last)));
}

#[test]
fn a_revert_keeps_what_the_user_changed_and_guesses_nothing() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "one"));
    approve_all(&mut engine);
    world.files.save("a", "one\n2\n3\nmine\n");
    assert!(
        engine
            .take_back(&RevertTarget::file("a", RevertTo::Last))
            .unwrap()
            .written
    );
    assert_eq!(world.text("a").as_deref(), Some("1\n2\n3\nmine\n"));
    propose(&mut engine, &section("a", "1", "one"));
    approve_all(&mut engine);
    world.files.save("a", "eins\n2\n3\nmine\n");
    let undone = engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert!(
        !undone.written && undone.blocked[0].why.ends_with("same lines: line 1"),
        "{undone:?}"
    );
    let mut conflicts = |to| {
        let forecast = engine.foresee(&RevertTarget::file("a", to)).unwrap();
        forecast.blocked[0].hunks.clone()
    };
    let last = conflicts(RevertTo::Last);
    assert_eq!((last.len(), last[0].line), (1, Some(1)));
    assert_eq!(last[0].yours, ["eins"]);
    assert_eq!(conflicts(RevertTo::Only(3)), last);
    assert!(conflicts(RevertTo::Version(0)).is_empty());
    assert_eq!(world.text("a").as_deref(), Some("eins\n2\n3\nmine\n"));
}

#[test]
fn history_tells_what_each_entry_changed_and_where_it_came_from() {
    let text: String = (1..=400)
        .map(|n| format!("line number {n} of some\n"))
        .collect();
    let world = World::new(&[("a", &text), ("gone", "1\n2\n")]);
    let mut engine = world.process();
    for (old, new) in [("number 100 of", "100th of"), ("number 300 of", "300th of")] {
        propose(&mut engine, &section("a", old, new));
        approve_all(&mut engine);
    }
    let mine = world.text("a").unwrap().replace("number 101 of", "mine");
    world.files.save("a", mine);
    let patches = engine.patches("a").unwrap();
    let lines: Vec<String> = patches
        .iter()
        .flat_map(|patch| patch.hunks.iter().flat_map(|(_, lines)| lines))
        .filter(|line| line.kind != LineKind::Context)
        .map(|line| line.text.clone())
        .collect();
    let expected = ["number 300", "300th", "number 100", "100th"];
    assert_eq!(lines, expected.map(|line| format!("line {line} of some")));
    let views = engine.history(Some("a")).unwrap();
    assert_eq!(views[0].strategy.as_deref(), Some("section"));
    assert!(views[0].changeset.is_some() && !views[0].edited);
    engine
        .take_back(&RevertTarget::Changeset {
            changeset: views[0].changeset.unwrap(),
        })
        .unwrap();
    assert!(world.text("a").unwrap().contains("number 300"));
}

#[test]
fn a_revert_is_taken_back_and_one_version_out_of_the_middle() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    for (old, new) in [("1", "one"), ("2", "two"), ("3", "three")] {
        propose(&mut engine, &section("a", old, new));
        approve_all(&mut engine);
    }
    assert_eq!(taken_back(&mut engine, "a", RevertTo::Only(2)).version, 4);
    assert_eq!(world.text("a").as_deref(), Some("one\n2\nthree\n"));
    world.files.save("a", "one\n2\nthree\nmine\n");
    let forecast = world
        .process()
        .foresee(&RevertTarget::file("a", RevertTo::Redo))
        .unwrap();
    let preview = &forecast.files[0];
    assert_eq!(
        (preview.hunks.len(), preview.summary.as_str()),
        (1, "redo what version 4 reverted")
    );
    assert_eq!(taken_back(&mut engine, "a", RevertTo::Redo).version, 5);
    assert_eq!(world.text("a").as_deref(), Some("one\ntwo\nthree\nmine\n"));
    assert!(
        engine
            .take_back(&RevertTarget::file("a", RevertTo::Redo))
            .unwrap()
            .is_nothing()
    );
    assert_eq!(taken_back(&mut engine, "a", RevertTo::Only(2)).version, 6);
    assert_eq!(world.text("a").as_deref(), Some("one\n2\nthree\nmine\n"));
}

#[test]
fn a_changeset_is_taken_back_in_all_files_or_in_none() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    let changes = [
        section("a", "1", "x"),
        section("b", "2", "y"),
        whole("c", "new\n"),
    ];
    let answer = propose(&mut engine, &changes.join(","));
    approve_all(&mut engine);
    let id = answer.changeset.unwrap();
    world.files.save("b", "mine\n");
    assert!(
        !engine
            .take_back(&RevertTarget::Changeset { changeset: id })
            .unwrap()
            .blocked
            .is_empty()
    );
    assert_eq!(
        (world.text("a").as_deref(), world.text("c").as_deref()),
        (Some("x\n"), Some("new\n"))
    );
    let blocked = engine
        .foresee(&RevertTarget::Changeset { changeset: id })
        .unwrap();
    assert!(!blocked.blocked.is_empty());
    world.files.save("b", "y\n");
    let preview = engine
        .foresee(&RevertTarget::Changeset { changeset: id })
        .unwrap();
    assert!(preview.blocked.is_empty(), "nothing is in the way any more");
    let paths: Vec<&str> = preview
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths.len(), 3, "{paths:?}");
    assert_eq!(world.text("a").as_deref(), Some("x\n"));
    let undone = engine
        .take_back(&RevertTarget::Changeset { changeset: id })
        .unwrap();
    assert!(undone.written && undone.files.len() == 3);
    assert_eq!(
        (world.text("a").as_deref(), world.text("b").as_deref()),
        (Some("1\n"), Some("2\n"))
    );
    assert_eq!(world.text("c"), None);
    assert!(
        engine
            .take_back(&RevertTarget::Changeset { changeset: id })
            .unwrap()
            .is_nothing()
    );
}

#[test]
fn a_changeset_is_taken_back_with_all_that_came_later_to_its_files() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n"), ("c", "3\n")]);
    let mut engine = world.process();
    let both = [section("a", "1", "x"), section("b", "2", "y")].join(",");
    let answer = propose(&mut engine, &both);
    approve_all(&mut engine);
    propose(&mut engine, &section("a", "x", "xx"));
    propose(&mut engine, &section("c", "3", "z"));
    approve_all(&mut engine);
    let id = answer.changeset.unwrap();
    let alone = engine
        .foresee(&RevertTarget::Changeset { changeset: id })
        .unwrap();
    assert!(!alone.blocked.is_empty());
    let preview = engine
        .foresee(&RevertTarget::Before { before: id })
        .unwrap();
    assert!(
        preview.blocked.is_empty(),
        "all that is in the way goes as well"
    );
    assert_eq!(preview.files.len(), 2);
    let undone = engine
        .take_back(&RevertTarget::Before { before: id })
        .unwrap();
    assert!(undone.written && undone.files.len() == 2);
    let texts = ["a", "b", "c"].map(|path| world.text(path).unwrap());
    assert_eq!(texts, ["1\n", "2\n", "z\n"]);
    // What is taken back at once has one time.
    let reverts = engine.history(None).unwrap().into_iter();
    let mut reverts: Vec<_> = reverts.filter(|own| own.changeset.is_none()).collect();
    assert_eq!(reverts.len(), 2);
    reverts.dedup_by_key(|own| own.time);
    assert_eq!(reverts.len(), 1);
}

#[test]
fn a_line_has_an_author() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    approve_all(&mut engine);
    world.files.save("a", "1\ntwo\nmine\n");
    let authors: Vec<_> = engine
        .blame("a")
        .unwrap()
        .into_iter()
        .map(|view| view.author.as_str())
        .collect();
    assert_eq!(authors, ["before", "applied", "user"]);
    assert!(engine.blame("absent").unwrap().is_empty());
}

#[test]
fn a_line_keeps_its_author_through_revert_redo_and_moves() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "2", "two"));
    approve_all(&mut engine);
    let authors = |engine: &mut Engine, path: &str| -> Vec<(&'static str, Option<u64>)> {
        let lines = engine.blame(path).unwrap().into_iter();
        lines
            .map(|line| (line.author.as_str(), line.version))
            .collect()
    };
    let before = ("before", None);
    let applied = ("applied", Some(1));
    let changed = [before, applied, before];
    for to in [
        RevertTo::Last,
        RevertTo::Redo,
        RevertTo::Last,
        RevertTo::Redo,
    ] {
        assert!(
            engine
                .take_back(&RevertTarget::file("a", to))
                .unwrap()
                .written
        );
        let expected = match to {
            RevertTo::Redo => changed,
            _ => [before, before, before],
        };
        assert_eq!(authors(&mut engine, "a"), expected, "{to:?}");
    }
    propose(
        &mut engine,
        r#"{"file":"a","strategy":"move","move":{"to":"b"}}"#,
    );
    approve_all(&mut engine);
    assert_eq!(authors(&mut engine, "b"), changed);
    engine
        .take_back(&RevertTarget::file("b", RevertTo::Only(1)))
        .unwrap();
    engine
        .take_back(&RevertTarget::file("b", RevertTo::Redo))
        .unwrap();
    assert_eq!(authors(&mut engine, "b"), changed);
    propose(&mut engine, r#"{"file":"b","strategy":"delete"}"#);
    approve_all(&mut engine);
    engine
        .take_back(&RevertTarget::file("b", RevertTo::Last))
        .unwrap();
    assert_eq!(authors(&mut engine, "b"), changed);
}

#[test]
fn going_back_to_where_the_file_is_makes_no_entry() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("a", "1", "2"));
    approve_all(&mut engine);
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert!(
        engine
            .take_back(&RevertTarget::file("a", RevertTo::Version(0)))
            .unwrap()
            .is_nothing()
    );
}
