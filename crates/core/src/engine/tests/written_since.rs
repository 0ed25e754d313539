//! What a conversation wrote since a time, taken back at once.

use super::*;
use crate::stage::review::{ConversationSpan, WrittenSince};

/// Proposes changes in a conversation, with a changeset of their own, and approves all that waits.
fn write(engine: &mut Engine, session: &str, changes: &[String]) {
    stage(engine, session, changes);
    assert!(matches!(approve_all(engine), Decision::Done(_)));
}

fn stage(engine: &mut Engine, session: &str, changes: &[String]) {
    let changes = changes.join(",");
    let payload = Payload::parse(&format!(r#"{{"changes":[{changes}]}}"#)).unwrap();
    let origin = Origin {
        session: session.to_owned(),
        ..Origin::default()
    };
    let changeset = None;
    let asked = SubmittedPayload {
        payload,
        origin,
        changeset,
        only: None,
    };
    assert!(engine.propose(asked).unwrap().staged);
}

fn now() -> Timestamp {
    Timestamp(tick() as i64)
}

/// What the conversation `s` wrote after a time.
fn since(since: Timestamp) -> WrittenSince {
    let by = vec![ConversationSpan {
        session: "s".to_owned(),
        until: None,
    }];
    let until = None;
    WrittenSince { since, until, by }
}

fn texts<const N: usize>(world: &World, paths: [&str; N]) -> [Option<String>; N] {
    paths.map(|path| world.text(path))
}

fn some<const N: usize>(texts: [&str; N]) -> [Option<String>; N] {
    texts.map(|text| Some(text.to_owned()))
}

fn preview(engine: &mut Engine, written: &WrittenSince) -> RevertOutcome {
    let written = written.clone();
    engine.foresee(&RevertTarget::Since(written)).unwrap()
}

/// What is to be taken back so that what a preview shows goes back and no more.
fn shown(preview: &RevertOutcome) -> WrittenSince {
    match &preview.offered {
        Some(RevertTarget::Since(shown)) => shown.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn several_changesets_are_one_reversal_of_each_file_and_are_put_back_at_once() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("b", "x\n")]);
    let mut engine = world.process();
    write(&mut engine, "s", &[section("a", "1", "one")]);
    let prompt = now();
    let both = [section("a", "2", "two"), section("b", "x", "y")];
    write(&mut engine, "s", &both);
    let more = [section("a", "two", "zwei"), whole("c", "new\n")];
    write(&mut engine, "s", &more);
    world.files.save("a", "one\nzwei\n3\nmine\n");
    let written = since(prompt);
    let seen = preview(&mut engine, &written);
    assert_eq!((seen.changesets, seen.file_count()), (2, 3));
    assert_eq!(seen.blocked, []);
    let shown = shown(&seen);
    assert_eq!((shown.since, &shown.by), (written.since, &written.by));
    assert!(shown.until.is_some_and(|until| until > prompt));
    let mut paths: Vec<&str> = seen.files.iter().map(|file| file.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["a", "b", "c"]);
    assert_eq!(texts(&world, ["a"]), some(["one\nzwei\n3\nmine\n"]));
    let undone = engine
        .take_back(&RevertTarget::Since(written.clone()))
        .unwrap();
    assert!(undone.written, "{undone:?}");
    let mut files = undone.files;
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let gone: Vec<(&str, Vec<u64>)> = files
        .iter()
        .map(|file| {
            let versions = file.gone.iter().map(|gone| gone.version);
            (file.path.as_str(), versions.collect())
        })
        .collect();
    assert_eq!(
        gone,
        [("a", vec![2, 3]), ("b", vec![1]), ("c", vec![1])],
        "one entry for each file"
    );
    assert!(files[0].gone.iter().all(|gone| gone.proposal.is_some()));
    let back = some(["one\n2\n3\nmine\n", "x\n"]);
    assert_eq!(texts(&world, ["a", "b"]), back);
    assert_eq!(world.text("c"), None);
    assert!(preview(&mut engine, &written).is_nothing());
    assert!(
        engine
            .take_back(&RevertTarget::Since(written.clone()))
            .unwrap()
            .is_nothing()
    );
    // All of it is put back by one redo, the part of the older changeset as well.
    let (_, newest) = engine.last_taken_back().unwrap().unwrap();
    let redone = engine
        .take_back(&RevertTarget::Redo { redo: newest })
        .unwrap();
    assert!(redone.written && redone.files.len() == 3, "{redone:?}");
    let again = some(["one\nzwei\n3\nmine\n", "y\n", "new\n"]);
    assert_eq!(texts(&world, ["a", "b", "c"]), again);
    assert_eq!(preview(&mut engine, &written).changesets, 2);
}

#[test]
fn what_is_in_the_way_of_one_file_is_named_and_nothing_is_written() {
    let world = World::new(&[("a", "1\n"), ("b", "x\n")]);
    let mut engine = world.process();
    let prompt = now();
    write(&mut engine, "s", &[section("a", "1", "one")]);
    write(&mut engine, "s", &[section("b", "x", "y")]);
    world.files.save("b", "mine\n");
    let written = since(prompt);
    let seen = preview(&mut engine, &written);
    let why = &seen.blocked[0].why;
    assert!(why.starts_with("b: version 1 cannot be reverted"), "{why}");
    let undone = engine
        .take_back(&RevertTarget::Since(written.clone()))
        .unwrap();
    assert!(
        !undone.written && undone.blocked[0].why == *why,
        "{undone:?}"
    );
    assert_eq!(texts(&world, ["a", "b"]), some(["one\n", "mine\n"]));
}

/// Another conversation, an earlier time, a verdict that came late, what the user took back, and the time of a fork.
#[test]
fn the_conversation_and_the_time_of_writing_decide() {
    let world = World::new(&[("a", "1\n"), ("b", "x\n"), ("c", "c\n"), ("d", "d\n")]);
    let mut engine = world.process();
    write(&mut engine, "s", &[section("a", "1", "before")]);
    stage(&mut engine, "s", &[section("b", "x", "late")]);
    let prompt = now();
    approve_all(&mut engine);
    write(&mut engine, "other", &[section("c", "c", "other")]);
    write(&mut engine, "s", &[section("d", "d", "mistake")]);
    assert!(
        engine
            .take_back(&RevertTarget::file("d", RevertTo::Last))
            .unwrap()
            .written
    );
    let fork = now();
    write(&mut engine, "s", &[whole("e", "after the fork\n")]);
    let forked = WrittenSince {
        since: prompt,
        until: None,
        by: vec![
            ConversationSpan {
                session: "fork".to_owned(),
                until: None,
            },
            ConversationSpan {
                session: "s".to_owned(),
                until: Some(fork),
            },
        ],
    };
    assert_eq!(preview(&mut engine, &forked).file_count(), 1);
    assert_eq!(preview(&mut engine, &since(prompt)).file_count(), 2);
    engine
        .take_back(&RevertTarget::Since(forked.clone()))
        .unwrap();
    let expected = some(["before\n", "x\n", "other\n", "d\n", "after the fork\n"]);
    assert_eq!(texts(&world, ["a", "b", "c", "d", "e"]), expected);
    assert!(preview(&mut engine, &since(now())).is_nothing());
}

#[test]
fn a_file_is_not_taken_back_halfway_where_history_was_dropped() {
    let world = World::new(&[("a", "0\n"), ("b", "x\n")]);
    let mut engine = world.process();
    let prompt = now();
    write(&mut engine, "s", &[section("b", "x", "y")]);
    for n in 1..=12 {
        write(&mut engine, "s", &[whole("a", &format!("{n}\n"))]);
    }
    let written = since(prompt);
    let why = &preview(&mut engine, &written).blocked[0].why;
    assert!(
        why.starts_with("a: history does not reach back that far"),
        "{why}"
    );
    let undone = engine
        .take_back(&RevertTarget::Since(written.clone()))
        .unwrap();
    assert!(!undone.blocked.is_empty());
    assert_eq!(texts(&world, ["a", "b"]), some(["12\n", "y\n"]));
}

#[test]
fn a_move_and_what_comes_to_nothing() {
    let world = World::new(&[("a", "1\n")]);
    let mut engine = world.process();
    let prompt = now();
    write(&mut engine, "s", &[section("a", "1", "2")]);
    write(&mut engine, "s", &[section("a", "2", "1")]);
    let written = since(prompt);
    assert!(preview(&mut engine, &written).is_nothing());
    let change = serde_json::json!({
        "file": "a", "strategy": "move", "move": {"to": "z"}
    });
    write(&mut engine, "s", &[change.to_string()]);
    let seen = preview(&mut engine, &written).files;
    assert_eq!(
        (seen[0].path.as_str(), seen[0].to.as_deref()),
        ("z", Some("a"))
    );
    engine
        .take_back(&RevertTarget::Since(written.clone()))
        .unwrap();
    assert_eq!(texts(&world, ["a"]), some(["1\n"]));
    assert_eq!(world.text("z"), None);
}

/// What another process writes after the preview was not shown.
#[test]
fn what_is_written_after_the_preview_is_not_taken_back() {
    let world = World::new(&[("a", "1\n"), ("b", "x\n")]);
    let mut engine = world.process();
    let prompt = now();
    write(&mut engine, "s", &[section("a", "1", "one")]);
    let shown = shown(&preview(&mut engine, &since(prompt)));
    write(&mut world.process(), "s", &[section("b", "x", "y")]);
    let undone = engine
        .take_back(&RevertTarget::Since(shown.clone()))
        .unwrap();
    assert!(undone.written && undone.files.len() == 1);
    assert_eq!(texts(&world, ["a", "b"]), some(["1\n", "y\n"]));
}
