//! What is written without a look at it, and what is not.

use std::fs;

use crate::engine::Decision;
use crate::engine::tests::{on_disk, propose, section};
use crate::stage::review::{Ruling, Verdict};

/// Stages a change of `a.rs` with one of `b` that nothing is to be said of, and approves both unseen.
fn check(change: &str, expected: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    fs::create_dir(&root).unwrap();
    fs::write(
        root.join("a.rs"),
        "fn total(rate: f64) {\n    rate * count\n}\n",
    )
    .unwrap();
    fs::write(root.join("b"), "one\n").unwrap();
    let mut engine = on_disk(&root);
    let denied = propose(&mut engine, &section("a.rs", "fn total", "fn sum"));
    let hunk = &denied.proposals.to_vec()[0].hunks[0];
    let reason = Some("too short".to_owned());
    let verdict = Verdict::Deny { reason };
    engine.decide(&[Ruling::new(hunk, verdict)]).unwrap();
    let mut proposals = propose(&mut engine, &section("b", "one", "two"))
        .proposals
        .to_vec();
    proposals.extend(propose(&mut engine, change).proposals.to_vec());
    assert_eq!(proposals.len(), 2, "{change}");
    let decision = engine.approve_unseen(&proposals).unwrap();
    let text = fs::read_to_string(root.join("b")).unwrap();
    match (decision, expected) {
        (Decision::Done(_), None) => assert_eq!(text, "two\n"),
        (Decision::Refused { why }, Some(expected)) => {
            assert!(why.contains(expected), "{why}");
            assert_eq!(text, "one\n", "all or nothing");
            assert_eq!(engine.review().unwrap().len(), 2);
        }
        (decision, _) => panic!("{change}: {decision:?}"),
    }
}

#[test]
fn doubts_keep_all_from_being_written_unseen() {
    check(&section("a.rs", "rate * count", "rate"), None);
    check(
        &section("a.rs", "rate  *  count", "rate"),
        Some("a.rs: placed by similarity: with other "),
    );
    check(
        &section("a.rs", "fn total", "fn sum"),
        Some("a.rs: you denied the same before (too short)"),
    );
    check(
        &section("a.rs", "rate * count", "// ...\n    rate * count"),
        Some("a.rs: line 2"),
    );
}
