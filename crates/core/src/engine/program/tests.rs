//! Programs and what they leave: data-driven cases on real folders.

use super::super::tests::{approve_all, on_disk, propose, whole};
use super::super::{Decision, Engine};
use super::*;
use crate::review::HunkStatus;

fn engine(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    std::fs::create_dir(&root).unwrap();
    for (path, bytes) in files {
        std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        std::fs::write(root.join(path), bytes).unwrap();
    }
    let engine = on_disk(&root);
    (folder, engine)
}

fn ran(engine: &mut Engine, files: &[(&str, Option<&[u8]>, u32)]) -> ProgramStaged {
    let files = files.iter().map(|(path, bytes, mode)| ProgramFile {
        path: (*path).to_owned(),
        bytes: bytes.map(<[u8]>::to_vec),
        mode: bytes.map(|_| *mode),
        folders_gone: 0,
    });
    engine
        .stage_program(ProgramRun {
            command: "fmt".into(),
            files: files.collect(),
            origin: Origin::default(),
            changeset: None,
        })
        .unwrap()
}

fn words(staged: &ProgramStaged) -> Vec<String> {
    let word = |view: &ProposalView| {
        let to = view.to.as_ref().map(|to| format!(" -> {to}"));
        format!("{} {}{}", view.operation, view.path, to.unwrap_or_default())
    };
    staged.proposals.iter().map(word).collect()
}

#[test]
fn files_become_proposals_and_the_disk_follows_approval() {
    let (folder, mut engine) = engine(&[
        ("same.txt", b"a\n"),
        ("edited.txt", b"a\nb\n"),
        ("gone.txt", b"gone\n"),
        ("old/name.txt", b"moved\n"),
        ("image.png", b"\x89PNG\0\x01"),
    ]);
    let staged = ran(
        &mut engine,
        &[
            ("same.txt", Some(b"a\n"), 0o644),
            ("edited.txt", Some(b"a\nB\n"), 0o644),
            ("gone.txt", None, 0),
            ("old/name.txt", None, 0),
            ("new/name.txt", Some(b"moved\n"), 0o644),
            ("script", Some(b"#!/bin/sh\n"), 0o755),
            ("image.png", Some(b"\x89PNG\0\x02\xff"), 0o644),
        ],
    );
    assert_eq!(
        words(&staged),
        [
            "delete gone.txt",
            "move old/name.txt -> new/name.txt",
            "modify edited.txt",
            "create script",
            "modify image.png",
        ]
    );
    assert_eq!(staged.refused, []);
    let at = |name: &str| folder.path().join("ws").join(name);
    assert_eq!(std::fs::read(at("edited.txt")).unwrap(), b"a\nb\n");
    let image = staged.proposals.last().unwrap();
    let lines: Vec<&str> = image.hunks[0]
        .lines
        .iter()
        .map(|l| l.text.as_str())
        .collect();
    assert_eq!(lines, ["binary, 6 bytes", "binary, 7 bytes"]);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(std::fs::read(at("edited.txt")).unwrap(), b"a\nB\n");
    assert_eq!(
        std::fs::read(at("image.png")).unwrap(),
        b"\x89PNG\0\x02\xff"
    );
    assert!(!at("gone.txt").exists() && !at("old").exists());
    assert_eq!(std::fs::read(at("new/name.txt")).unwrap(), b"moved\n");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(at("script"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn what_a_program_made_of_staged_lines_is_one_proposal() {
    let (_folder, mut engine) = engine(&[("a.txt", b"1\n2\n3\n4\n5\n6\n7\n8\n")]);
    propose(&mut engine, &whole("a.txt", "1\ntwo\n3\n4\n5\n6\n7\n8\n"));
    // Other lines: both stay.
    let staged = ran(
        &mut engine,
        &[("a.txt", Some(b"1\ntwo\n3\n4\n5\n6\n7\neight\n"), 0o644)],
    );
    assert_eq!(words(&staged), ["modify a.txt"]);
    assert_eq!(engine.review().unwrap().len(), 2);
    // The same line: one proposal, with all that differs from the disk.
    let staged = ran(
        &mut engine,
        &[("a.txt", Some(b"1\nTWO\n3\n4\n5\n6\n7\neight\n"), 0o644)],
    );
    assert_eq!(words(&staged), ["modify a.txt"]);
    let views = engine.review().unwrap();
    assert_eq!(views.len(), 1);
    let pending = views[0].hunks.iter();
    assert_eq!(
        pending.filter(|h| h.status == HunkStatus::Pending).count(),
        2
    );
    // As on disk again: nothing is left.
    let staged = ran(
        &mut engine,
        &[("a.txt", Some(b"1\n2\n3\n4\n5\n6\n7\n8\n"), 0o644)],
    );
    assert_eq!(words(&staged), [""; 0]);
    assert_eq!(engine.review().unwrap(), []);
}

#[test]
fn a_staged_file_that_a_program_removes_or_moves_is_no_proposal_of_its_own() {
    let (_folder, mut engine) = engine(&[("kept.txt", b"kept\n")]);
    propose(&mut engine, &whole("new.txt", "new\n"));
    let staged = ran(
        &mut engine,
        &[("new.txt", None, 0), ("sub/new.txt", Some(b"new\n"), 0o644)],
    );
    assert_eq!(words(&staged), ["create sub/new.txt"]);
    assert_eq!(engine.review().unwrap().len(), 1);
}

#[test]
fn a_new_file_has_the_encoding_that_the_program_gave_it() {
    let (folder, mut engine) = engine(&[]);
    let latin: &[u8] = b"caf\xe9\n";
    let utf16: &[u8] = b"\xff\xfea\0";
    let files = [
        ("latin", Some(latin), 0o644),
        ("utf16", Some(utf16), 0o644),
        ("none", Some(&b""[..]), 0o600),
    ];
    assert_eq!(ran(&mut engine, &files).proposals.len(), 3);
    let seen = engine.for_program().unwrap();
    assert!(seen.iter().any(|file| file.bytes.as_deref() == Some(latin)));
    // Seen again as it is staged.
    assert_eq!(words(&ran(&mut engine, &files)), [""; 0]);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    let at = |name: &str| std::fs::read(folder.path().join("ws").join(name)).unwrap();
    assert_eq!(
        (at("latin"), at("utf16"), at("none")),
        (latin.to_vec(), utf16.to_vec(), Vec::new())
    );
}

#[test]
fn what_cannot_be_staged_is_named() {
    let (_folder, mut engine) = engine(&[("a.txt", b"a\n")]);
    let staged = ran(
        &mut engine,
        &[
            (".git/config", Some(b"x\n"), 0o644),
            ("../out", Some(b"x\n"), 0o644),
            ("a.txt", Some(b"\xff\xfea\0"), 0o644),
        ],
    );
    assert!(staged.proposals.is_empty() && staged.changeset.is_none());
    let refused: Vec<&str> = staged
        .refused
        .iter()
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(refused, [".git/config", "../out", "a.txt"]);
}

#[test]
fn a_staged_new_file_gets_the_permissions_that_a_program_gave_it() {
    let (folder, mut engine) = engine(&[("old.sh", b"x\n")]);
    propose(&mut engine, &whole("new.sh", "#!/bin/sh\n"));
    let staged = ran(
        &mut engine,
        &[
            ("new.sh", Some(b"#!/bin/sh\n"), 0o755),
            ("old.sh", Some(b"x\n"), 0o755),
        ],
    );
    assert_eq!(staged.proposals, []);
    let refused = (
        "old.sh".to_owned(),
        "only its permissions changed".to_owned(),
    );
    assert_eq!(staged.refused, [refused]);
    let told = engine.for_program().unwrap();
    assert_eq!(told[0].mode, Some(0o755));
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    let new = std::fs::metadata(folder.path().join("ws/new.sh")).unwrap();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&new.permissions()) & 0o777,
        0o755
    );
}
