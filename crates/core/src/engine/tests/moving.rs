//! Files that get another path.

use super::*;
use crate::disk::workspace::disk::DiskWorkspace;

fn moving(file: &str, to: &str) -> String {
    serde_json::json!({"file": file, "strategy": "move", "move": {"to": to}}).to_string()
}

fn deny() -> Option<Verdict> {
    Some(Verdict::Deny { reason: None })
}

/// Takes a change to a file back, and returns where the file is then.
fn back(engine: &mut Engine, path: &str, to: RevertTo) -> String {
    taken_back(engine, path, to).name().to_owned()
}

#[test]
fn made_edited_and_moved_and_taken_back_step_by_step() {
    let world = World::new(&[]);
    let mut engine = world.process();
    let changes = [
        whole("a", "one\n"),
        section("a", "one", "two"),
        moving("a", "sub/b"),
        section("sub/b", "two", "three"),
    ];
    for change in &changes {
        assert!(propose(&mut engine, change).staged);
    }
    assert_eq!(text_of(&mut engine, "sub/b").as_deref(), Some("three\n"));
    assert_eq!(text_of(&mut engine, "a"), None);
    let names: Vec<String> = engine
        .list(".")
        .unwrap()
        .into_iter()
        .map(|e| e.name)
        .collect();
    assert_eq!(names, ["sub"]);
    let mut engine = world.process();
    assert_eq!(engine.review().unwrap()[2].to.as_deref(), Some("sub/b"));
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("sub/b").as_deref(), Some("three\n"));
    assert_eq!(world.text("a"), None);
    assert_eq!(back(&mut engine, "sub/b", RevertTo::Last), "sub/b");
    assert_eq!(back(&mut engine, "sub/b", RevertTo::Last), "a");
    assert_eq!(world.text("a").as_deref(), Some("two\n"));
    assert_eq!(world.text("sub/b"), None);
    assert_eq!(back(&mut engine, "a", RevertTo::Redo), "sub/b");
    // By its old name as well.
    assert_eq!(back(&mut engine, "a", RevertTo::Version(1)), "a");
    assert_eq!(world.text("a").as_deref(), Some("one\n"));
    assert_eq!(back(&mut engine, "a", RevertTo::Version(0)), "a");
    assert_eq!((world.text("a"), world.text("sub/b")), (None, None));
}

#[test]
fn verdicts_on_a_move_and_on_what_is_around_it_are_independent() {
    let staged = || {
        let world = World::new(&[("a", "1\n2\n3\n")]);
        let mut engine = world.process();
        let changes = [
            section("a", "1", "one"),
            moving("a", "b"),
            section("b", "3", "three"),
        ];
        assert!(propose(&mut engine, &changes.join(",")).staged);
        (world, engine)
    };
    let check = |verdict: fn(usize) -> Option<Verdict>, there: &str, text: &str, left: usize| {
        let (world, mut engine) = staged();
        let decision = rule(&mut engine, verdict);
        assert!(matches!(decision, Decision::Done(_)), "{decision:?}");
        assert_eq!(world.text(there).as_deref(), Some(text));
        assert_eq!(world.files.list(&WorkspacePath::root()).unwrap().len(), 1);
        let mut engine = world.process();
        assert_eq!(engine.review().unwrap().len(), left);
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
        world
    };
    // Only the move: the edits wait on under the new name.
    let world = check(
        |at| (at == 1).then_some(Verdict::Approve),
        "b",
        "1\n2\n3\n",
        2,
    );
    assert_eq!(world.text("b").as_deref(), Some("one\n2\nthree\n"));
    // Only the last edit: it needs neither the first nor the move.
    let world = check(
        |at| (at == 2).then_some(Verdict::Approve),
        "a",
        "1\n2\nthree\n",
        2,
    );
    assert_eq!(world.text("b").as_deref(), Some("one\n2\nthree\n"));
    // The move denied: the edits stay with the file.
    let world = check(
        |at| if at == 1 { deny() } else { None },
        "a",
        "1\n2\n3\n",
        2,
    );
    assert_eq!(world.text("a").as_deref(), Some("one\n2\nthree\n"));
}

#[test]
fn later_edits_of_the_user_go_back_with_the_file() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    propose(
        &mut engine,
        &[section("a", "1", "one"), moving("a", "b")].join(","),
    );
    approve_all(&mut engine);
    world.files.save("b", "one\n2\nmine\n");
    propose(&mut engine, &section("b", "2", "two"));
    let target = RevertTarget::file("b", RevertTo::Last);
    let preview = engine.foresee(&target).unwrap();
    assert_eq!(
        preview.offered.as_ref(),
        Some(&target),
        "nothing is in the way"
    );
    assert_eq!(
        (
            preview.files[0].path.as_str(),
            preview.files[0].to.as_deref()
        ),
        ("b", Some("a"))
    );
    assert_eq!(back(&mut engine, "b", RevertTo::Last), "a");
    assert_eq!(world.text("a").as_deref(), Some("one\n2\nmine\n"));
    assert_eq!(
        text_of(&mut engine, "a").as_deref(),
        Some("one\ntwo\nmine\n")
    );
    let history = engine.history(Some("a")).unwrap();
    assert_eq!(history[0].moved, Some(("b".into(), "a".into())));
    // What is there again is in the way, and said to be.
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Redo))
        .unwrap();
    world.files.save("a", "new\n");
    let undone = engine
        .take_back(&RevertTarget::file("b", RevertTo::Last))
        .unwrap();
    assert!(!undone.blocked.is_empty(), "{undone:?}");
}

#[test]
fn a_target_that_is_taken_is_refused_or_becomes_a_conflict() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    let status = |engine: &mut Engine, changes: &[String]| {
        let answer = propose(engine, &changes.join(","));
        answer.results.last().unwrap().status
    };
    assert_eq!(status(&mut engine, &[moving("a", "b")]), Status::Refused);
    assert_eq!(status(&mut engine, &[moving("a", "../x")]), Status::Refused);
    assert_eq!(
        status(&mut engine, &[moving("a", ".git/x")]),
        Status::Refused
    );
    assert_eq!(status(&mut engine, &[moving("x", "y")]), Status::NotFound);
    assert_eq!(status(&mut engine, &[moving("x", "b")]), Status::NotFound);
    assert_eq!(
        status(&mut engine, &[moving("a", "a")]),
        Status::AlreadyApplied
    );
    let again = [moving("a", "c"), whole("a", "new\n")];
    assert_eq!(status(&mut engine, &again), Status::Refused);
    assert_eq!(status(&mut engine, &[moving("a", "c")]), Status::Staged);
    assert_eq!(status(&mut engine, &[whole("a", "new\n")]), Status::Refused);
    assert_eq!(status(&mut engine, &[moving("b", "c")]), Status::Refused);
    engine.review().unwrap();
    world.files.save("c", "mine\n");
    let decision = approve_all(&mut engine);
    assert!(!matches!(decision, Decision::Done(_)), "{decision:?}");
    let views = engine.review().unwrap();
    assert!(
        matches!(&views[0].hunks[0].status, HunkStatus::Conflict { reason } if reason == "c is there now")
    );
    assert_eq!(world.text("c").as_deref(), Some("mine\n"));
    assert_eq!(world.text("a").as_deref(), Some("1\n"));
}

#[test]
fn a_move_that_was_made_is_known_while_it_waits_and_afterwards() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    let again = |engine: &mut Engine, file: &str| {
        let answer = propose(engine, &moving(file, "c"));
        answer.results.last().unwrap().status
    };
    assert_eq!(again(&mut engine, "a"), Status::Staged);
    assert_eq!(again(&mut engine, "a"), Status::AlreadyApplied);
    approve_all(&mut engine);
    assert_eq!(again(&mut engine, "a"), Status::AlreadyApplied);
    assert_eq!(again(&mut engine, "x"), Status::NotFound);
    assert_eq!(again(&mut engine, "b"), Status::Refused);
}

#[test]
fn the_history_of_an_earlier_file_of_that_name_waits() {
    let world = World::new(&[("a", "a\n"), ("b", "b\n")]);
    let mut engine = world.process();
    propose(&mut engine, &section("b", "b", "B"));
    approve_all(&mut engine);
    propose(&mut engine, r#"{"file":"b","strategy":"delete"}"#);
    approve_all(&mut engine);
    propose(&mut engine, &moving("a", "b"));
    approve_all(&mut engine);
    assert_eq!(engine.history(Some("b")).unwrap().len(), 1);
    assert_eq!(back(&mut engine, "b", RevertTo::Last), "a");
    assert_eq!(back(&mut engine, "b", RevertTo::Last), "b");
    assert_eq!(world.text("b").as_deref(), Some("B\n"));
    assert_eq!(world.text("a").as_deref(), Some("a\n"));
}

#[test]
fn folders_made_for_a_file_go_with_it_unless_something_else_is_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let (root, store) = (folder.path().join("ws"), folder.path().join("state.db"));
    std::fs::create_dir_all(root.join("old")).unwrap();
    std::fs::write(root.join("old/a"), "a\n").unwrap();
    let workspace = Box::new(DiskWorkspace::open(&root).unwrap());
    let mut engine = Engine::new(workspace, Store::open(&store).unwrap(), ambient()).unwrap();
    let changes = [
        whole("x/y/one", "1\n"),
        whole("x/two", "2\n"),
        moving("old/a", "z/a"),
    ];
    let changeset = propose(&mut engine, &changes.join(",")).changeset.unwrap();
    assert!(!root.join("x").exists(), "nothing is touched before");
    approve_all(&mut engine);
    back(&mut engine, "x/y/one", RevertTo::Last);
    assert!(!root.join("x/y").exists() && root.join("x/two").exists());
    std::fs::write(root.join("z/mine"), "m").unwrap();
    engine
        .take_back(&RevertTarget::Changeset { changeset })
        .unwrap();
    assert!(!root.join("x").exists() && root.join("z/mine").exists());
    assert!(
        root.join("old/a").exists(),
        "folders of the user's own stay"
    );
    back(&mut engine, "x/two", RevertTo::Redo);
    assert!(root.join("x/two").exists());
    back(&mut engine, "x/two", RevertTo::Last);
    assert!(!root.join("x").exists());
}

fn conflicts(engine: &mut Engine) -> Vec<String> {
    let views = engine.review().unwrap();
    let hunks = views.iter().flat_map(|view| &view.hunks);
    let reasons = hunks.filter_map(|hunk| match &hunk.status {
        HunkStatus::Conflict { reason } => Some(reason.clone()),
        _ => None,
    });
    reasons.collect()
}

#[test]
fn what_was_staged_under_a_new_name_stays_a_conflict_when_the_file_goes() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &moving("a", "b"));
    propose(&mut engine, &section("b", "1", "2"));
    world.files.remove("a");
    assert_eq!(conflicts(&mut engine), ["the file is gone"; 2]);
    assert_eq!(conflicts(&mut world.process()), ["the file is gone"; 2]);
    // Nothing is moved onto a file that is not there.
    let views = engine.review().unwrap();
    assert!(views.iter().all(|view| view.note.is_none()), "{views:?}");
}

#[test]
fn a_file_that_stands_in_the_way_of_the_first_of_two_moves_is_named() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &moving("a", "b"));
    propose(&mut engine, &moving("b", "c"));
    world.files.save("b", "mine\n");
    let reasons = conflicts(&mut engine);
    assert_eq!(reasons, ["b is there now", "b is there now"]);
}

#[test]
fn a_file_that_comes_back_by_a_revert_stops_one_that_was_to_be_made_there() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &moving("a", "b"));
    approve_all(&mut engine);
    propose(&mut engine, &whole("a", "new\n"));
    propose(&mut engine, &section("b", "1", "2"));
    assert_eq!(back(&mut engine, "b", RevertTo::Last), "a");
    // The file has other staged work over it, which would go with it.
    for engine in [&mut engine, &mut world.process()] {
        let reasons = conflicts(engine);
        let [reason] = &reasons[..] else {
            panic!("{reasons:?}");
        };
        assert!(reason.starts_with("the file is there now; "), "{reason}");
        assert!(reason.ends_with("it can only be denied"), "{reason}");
    }
    rule(&mut engine, |at| (at == 1).then_some(Verdict::Approve));
    assert_eq!(world.text("a").as_deref(), Some("2\n"));
}

#[test]
fn taking_back_the_move_of_a_file_that_is_gone_makes_no_file() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    propose(&mut engine, &moving("a", "b"));
    approve_all(&mut engine);
    propose(&mut engine, r#"{"file":"b","strategy":"delete"}"#);
    approve_all(&mut engine);
    let undone = engine
        .take_back(&RevertTarget::file("b", RevertTo::Only(1)))
        .unwrap();
    assert!(!undone.blocked.is_empty(), "{undone:?}");
    assert_eq!((world.text("a"), world.text("b")), (None, None));
    assert_eq!(back(&mut engine, "b", RevertTo::Version(0)), "a");
    assert_eq!(world.text("a").as_deref(), Some("1\n"));
}
