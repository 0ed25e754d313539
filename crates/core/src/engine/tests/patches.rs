//! Patches for several files.

use super::*;

fn patch(file: Option<&str>, patch: &str) -> String {
    let mut change = serde_json::json!({"strategy": "diff", "diff": {"patch": patch}});
    if let Some(file) = file {
        change["file"] = file.into();
    }
    change.to_string()
}

const ENVELOPE: &str = "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Add File: d/new\n+x\n*** Delete File: c\n*** End Patch\n";

#[test]
fn a_patch_for_several_files_is_staged_as_a_whole() {
    let world = World::new(&[("a", "one\n"), ("c", "gone\n")]);
    let mut engine = world.process();
    for named in [Some("a"), None] {
        let answer = propose(&mut engine, &patch(named, ENVELOPE));
        let files: Vec<&str> = answer.results.iter().map(|r| r.file.as_str()).collect();
        assert_eq!(files, ["a", "d/new", "c"]);
    }
    assert_eq!(
        engine.review().unwrap().len(),
        3,
        "the second time nothing is left to do"
    );
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("a").as_deref(), Some("1\n"));
    assert_eq!(world.text("d/new").as_deref(), Some("x\n"));
    assert_eq!(world.text("c"), None);
}

#[test]
fn one_bad_part_of_a_patch_stages_none() {
    let world = World::new(&[("a", "two\n"), ("c", "gone\n")]);
    let mut engine = world.process();
    let answer = propose(&mut engine, &patch(Some("a"), ENVELOPE));
    let statuses: Vec<Status> = answer.results.iter().map(|r| r.status).collect();
    assert_eq!(
        statuses,
        [Status::NotFound, Status::NotStaged, Status::NotStaged]
    );
    assert!(!answer.staged && engine.review().unwrap().is_empty());
    let escapes = ENVELOPE.replace("d/new", "../new");
    let answer = propose(&mut engine, &patch(Some("c"), &escapes));
    assert_eq!(answer.results[1].status, Status::Refused);
}

#[test]
fn the_same_patch_given_for_each_of_its_files_is_made_once() {
    let world = World::new(&[("a", "x\n"), ("b", "y\n")]);
    let mut engine = world.process();
    let text = "--- a/a\n+++ b/a\n@@ -1,0 +2 @@\n+new\n--- a/b\n+++ b/b\n@@ -1,0 +2 @@\n+new\n";
    let both = [patch(Some("a"), text), patch(Some("b"), text)].join(",");
    let answer = propose(&mut engine, &both);
    assert!(answer.staged);
    assert_eq!(text_of(&mut engine, "a").as_deref(), Some("x\nnew\n"));
    assert_eq!(text_of(&mut engine, "b").as_deref(), Some("y\nnew\n"));
    assert_eq!(engine.review().unwrap().len(), 2);
}

#[test]
fn a_patch_may_change_and_rename_a_file() {
    let world = World::new(&[("a", "one\ntwo\n"), ("b", "x\n")]);
    let mut engine = world.process();
    let text = "diff --git a/a b/d/c\nrename from a\nrename to d/c\n--- a/a\n+++ b/d/c\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- a/b\n+++ b/b\n@@\n-x\n+y\n";
    let answer = propose(&mut engine, &patch(Some("a"), text));
    assert!(answer.staged, "{:?}", answer.results);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(world.text("a"), None);
    assert_eq!(world.text("d/c").as_deref(), Some("1\ntwo\n"));
    assert_eq!(world.text("b").as_deref(), Some("y\n"));
}
