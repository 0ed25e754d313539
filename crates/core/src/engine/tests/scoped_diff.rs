//! Diffs of a scope.

use super::*;
use crate::stage::review::{DiffScope, FileDiff, ScopedDiff};

fn diff(engine: &mut Engine, scope: DiffScope, session: &str) -> ScopedDiff {
    engine.scoped_texts(scope, session).unwrap().diff()
}

/// Returns the changed lines of each file.
fn told(diff: &ScopedDiff) -> Vec<String> {
    let line = |line: &DiffLine| match line.kind {
        LineKind::Context => None,
        LineKind::Removed => Some(format!("-{}", line.text)),
        LineKind::Added => Some(format!("+{}", line.text)),
    };
    let file = |file: &FileDiff| {
        let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
        let lines: Vec<String> = lines.filter_map(line).collect();
        let from = file.from.as_ref();
        let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
        format!("{} {}{from} {}", file.operation, file.path, lines.join(" "))
    };
    diff.files.iter().map(file).collect()
}

/// Proposes changes in a conversation, with a changeset of its own.
fn turn(engine: &mut Engine, session: &str, changes: &str) {
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

#[test]
fn rounds_of_repair_are_one_diff() {
    let world = World::new(&[("a", "one\ntwo\nthree\n"), ("b", "x\n")]);
    let mut engine = world.process();
    turn(&mut engine, "s", &section("a", "two", "TWO"));
    turn(&mut engine, "s", &section("a", "TWO", "2"));
    turn(&mut engine, "s", &section("b", "x", "y"));
    turn(&mut engine, "s", &section("b", "y", "x"));
    let waiting = diff(&mut engine, DiffScope::Waiting, "s");
    assert_eq!(told(&waiting), ["modify a -two +2"]);
    assert_eq!(waiting.files[0].hunks[0].header, "@@ -1,3 +1,3 @@");
    assert_eq!(world.text("a").as_deref(), Some("one\ntwo\nthree\n"));
}

#[test]
fn a_conversation_is_what_it_wrote_and_what_it_staged() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n"), ("c", "c\n")]);
    let mut engine = world.process();
    turn(&mut engine, "s", &section("a", "1", "one"));
    approve_all(&mut engine);
    world.files.save("a", "one\n2\n3\n4\nfive\n");
    turn(&mut engine, "other", &section("a", "3", "three"));
    approve_all(&mut engine);
    turn(&mut engine, "s", &whole("b", "new\n"));
    turn(&mut engine, "s", &section("a", "one", "uno"));
    let all = |engine: &mut Engine, scope, session| told(&diff(engine, scope, session));
    let own = all(&mut engine, DiffScope::Conversation, "s");
    assert_eq!(own, ["modify a -1 +uno", "create b +new"]);
    let other = all(&mut engine, DiffScope::Conversation, "other");
    assert_eq!(other, ["modify a -3 +three"]);
    let turn = all(&mut engine, DiffScope::LastTurn, "s");
    assert_eq!(turn, ["modify a -one +uno"]);
    assert!(all(&mut engine, DiffScope::LastTurn, "nobody").is_empty());
    approve_all(&mut engine);
    let own = all(&mut engine, DiffScope::Conversation, "s");
    assert_eq!(own, ["modify a -1 +uno", "create b +new"]);
    assert!(all(&mut engine, DiffScope::Waiting, "s").is_empty());
    engine
        .take_back(&RevertTarget::file("b", RevertTo::Last))
        .unwrap();
    let own = all(&mut engine, DiffScope::Conversation, "s");
    assert_eq!(own, ["modify a -1 +uno"]);
}

#[test]
fn what_others_did_to_the_same_lines_is_said() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    turn(&mut engine, "s", &section("a", "1", "one"));
    approve_all(&mut engine);
    world.files.save("a", "one mine\n2\n");
    turn(&mut engine, "s", &section("a", "one mine", "one yours"));
    approve_all(&mut engine);
    let own = diff(&mut engine, DiffScope::Conversation, "s");
    assert_eq!(told(&own), ["modify a -1 +one yours"]);
    assert!(own.files[0].note.as_deref().unwrap().contains("same lines"));
}

#[test]
fn entries_of_history_are_shown_as_they_were_written() {
    let world = World::new(&[("a", "1\n2\n")]);
    let mut engine = world.process();
    for (old, new) in [("1", "one"), ("2", "two"), ("one", "uno")] {
        turn(&mut engine, "s", &section("a", old, new));
        approve_all(&mut engine);
    }
    let entries = |versions: &[u64]| DiffScope::Entries {
        entries: versions
            .iter()
            .map(|version| ("a".to_owned(), *version))
            .collect(),
    };
    let first = diff(&mut engine, entries(&[1]), "s");
    assert_eq!(told(&first), ["modify a -1 +one"]);
    let both = diff(&mut engine, entries(&[1, 3]), "s");
    assert_eq!(told(&both), ["modify a -1 +uno"]);
    assert!(both.files[0].note.is_none());
    assert!(diff(&mut engine, entries(&[9]), "s").files.is_empty());
}

#[test]
fn moves_and_deletions_are_told() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let mut engine = world.process();
    turn(
        &mut engine,
        "s",
        r#"{"file":"a","strategy":"move","move":{"to":"c"}}"#,
    );
    turn(&mut engine, "s", &section("c", "1", "one"));
    turn(&mut engine, "s", r#"{"file":"b","strategy":"delete"}"#);
    let expected = ["move c from a -1 +one", "delete b -2"];
    let waiting = diff(&mut engine, DiffScope::Waiting, "s");
    assert_eq!(told(&waiting), expected);
    approve_all(&mut engine);
    let own = diff(&mut engine, DiffScope::Conversation, "s");
    let mut own = told(&own);
    own.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(own, expected);
}
