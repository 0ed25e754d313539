//! Hard links on a real disk.

use std::fs;

use super::OTHER_NAMES;
use crate::engine::Decision;
use crate::engine::tests::{approve_all, on_disk, propose, section};

#[test]
fn other_names_are_told_of_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    fs::create_dir(&root).unwrap();
    let (a, b) = (folder.path().join("a"), root.join("b"));
    fs::write(&a, "1\n").unwrap();
    fs::hard_link(&a, &b).unwrap();
    fs::write(root.join("c"), "1\n").unwrap();
    let mut engine = on_disk(&root);
    engine.set_write_through(true);
    let answer = propose(&mut engine, &section("b", "1", "2"));
    assert!(!answer.written, "it has to be seen first");
    assert_eq!(
        answer.proposals.to_vec()[0].note.as_deref(),
        Some(OTHER_NAMES)
    );
    assert!(propose(&mut engine, &section("c", "1", "2")).written);
    let mut engine = on_disk(&root);
    assert_eq!(
        engine.review().unwrap()[0].note.as_deref(),
        Some(OTHER_NAMES),
        "in every process"
    );
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(fs::read_to_string(&a).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(&b).unwrap(), "2\n");
}

#[test]
fn a_link_made_while_the_card_is_open_is_shown_first() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    fs::create_dir(&root).unwrap();
    let a = root.join("a");
    fs::write(&a, "1\n").unwrap();
    let mut engine = on_disk(&root);
    propose(&mut engine, &section("a", "1", "2"));
    let views = engine.review().unwrap();
    fs::hard_link(&a, root.join("b")).unwrap();
    let verdict = crate::stage::review::Verdict::Approve;
    let ruling = [crate::stage::review::Ruling::new(
        &views[0].hunks[0],
        verdict,
    )];
    let decision = engine.decide(&ruling).unwrap();
    assert!(matches!(decision, Decision::Changed { .. }), "{decision:?}");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
}
