//! Programs and what they leave: data-driven cases on real folders.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::super::tests::{approve_all, on_disk, propose, whole};
use super::super::{Decision, Engine};
use super::*;
use crate::edit::diff::line::LineKind;
use crate::stage::review::{HunkStatus, ProposalView, RevertTarget, RevertTo};

mod effects;
mod hand_over;
mod kinds;
mod meanwhile;
mod parts;

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
        content: bytes.map(|bytes| ProgramContent::File {
            bytes: bytes.to_vec(),
            mode: Some(*mode),
        }),
        base: ProgramBase::Current,
        folders_gone: 0,
    });
    engine
        .stage_program(ProgramRun {
            finishes: Vec::new(),
            command: "fmt".into(),
            files: files.collect(),
            not_collected: Vec::new(),
            held: None,
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
    let image = staged.proposals.iter().last().unwrap();
    let lines = image.hunks[0].lines.iter();
    let lines: Vec<&str> = lines.map(|line| line.text.as_str()).collect();
    // As `sha256sum` says of either.
    assert_eq!(
        lines,
        [
            "binary, 6 bytes, sha256 09824c6bec844d272dd1a01cd876409dfaf7b650d0ec2fc2e88a1e6a8596f762",
            "binary, 7 bytes, sha256 c6b3b1a6ab590bf2c1445de3baa646091986b2137fb2a9a3b398d94bf00289cd"
        ]
    );
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert_eq!(std::fs::read(at("edited.txt")).unwrap(), b"a\nB\n");
    assert_eq!(
        std::fs::read(at("image.png")).unwrap(),
        b"\x89PNG\0\x02\xff"
    );
    assert!(!at("gone.txt").exists() && !at("old").exists());
    assert_eq!(std::fs::read(at("new/name.txt")).unwrap(), b"moved\n");
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
    let before = engine.review().unwrap();
    assert_eq!(before.len(), 2);
    assert_eq!(staged.rewritten, []);
    let ids = |views: &[ProposalView]| -> BTreeSet<HunkId> {
        let hunks = views.iter().flat_map(|own| &own.hunks);
        hunks.map(|hunk| hunk.id).collect()
    };
    // The same line: one proposal, with all that differs from the disk.
    let staged = ran(
        &mut engine,
        &[("a.txt", Some(b"1\nTWO\n3\n4\n5\n6\n7\neight\n"), 0o644)],
    );
    assert_eq!(words(&staged), ["modify a.txt"]);
    assert_eq!(BTreeSet::from_iter(staged.rewritten), ids(&before));
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
    assert_eq!(BTreeSet::from_iter(staged.rewritten), ids(&views));
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
    let has = |file: &ProgramFile| matches!(&file.content, Some(ProgramContent::File { bytes, .. }) if bytes == latin);
    assert!(seen.iter().any(has));
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
    let (folder, mut engine) = engine(&[("real/a.txt", b"a\n")]);
    symlink("real", folder.path().join("ws/linked")).unwrap();
    let staged = ran(
        &mut engine,
        &[
            (".git/config", Some(b"x\n"), 0o644),
            ("../out", Some(b"x\n"), 0o644),
            ("linked/a.txt", Some(b"x\n"), 0o644),
        ],
    );
    assert!(staged.proposals.is_empty() && staged.changeset.is_none());
    let refused: Vec<&str> = staged
        .refused
        .iter()
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(refused, [".git/config", "../out", "linked/a.txt"]);
}

/// Files and symbolic links below the workspace, as a transaction's test writes them: `-> a` is a link, `+x` stands
/// before the text of an executable file.
fn tree(folder: &tempfile::TempDir) -> Vec<(String, String)> {
    let root = folder.path().join("ws");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            found.push((name, format!("-> {}", target.display())));
        } else if metadata.is_file() {
            let run = metadata.permissions().mode() & 0o111 != 0;
            let text = std::fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&text).into_owned();
            found.push((name, if run { format!("+x{text}") } else { text }));
        }
    }
    found.sort();
    found
}

/// Returns a file or a link, written as in [`tree`].
fn content(file: &[u8]) -> ProgramContent {
    match (file.strip_prefix(b"-> "), file.strip_prefix(b"+x")) {
        (Some(target), _) => ProgramContent::Link(target.to_vec()),
        (_, Some(text)) => ProgramContent::File {
            bytes: text.to_vec(),
            mode: Some(0o755),
        },
        _ => ProgramContent::File {
            bytes: file.to_vec(),
            mode: Some(0o644),
        },
    }
}

/// Lets a program leave a file, written as in [`tree`]; none if it is gone.
fn leaves(engine: &mut Engine, path: &str, file: Option<&[u8]>) -> ProgramStaged {
    let content = file.map(content);
    let file = ProgramFile {
        path: path.to_owned(),
        content,
        base: ProgramBase::Current,
        folders_gone: 0,
    };
    let run = ProgramRun {
        finishes: Vec::new(),
        command: "ln".into(),
        files: vec![file],
        not_collected: Vec::new(),
        held: None,
        origin: Origin::default(),
        changeset: None,
    };
    engine.stage_program(run).unwrap()
}

/// Each change is staged, seen again by a program, approved, and taken back.
#[test]
fn links_permissions_and_encodings_are_staged_written_and_taken_back() {
    let check = |path: &str, after: Option<&[u8]>, expected: &[&str]| {
        let (folder, mut engine) = engine(&[("file", b"a\n"), ("latin", b"caf\xe9\n")]);
        let at = |name: &str| folder.path().join("ws").join(name);
        symlink("file", at("link")).unwrap();
        std::fs::write(at("tool"), "x\n").unwrap();
        std::fs::set_permissions(at("tool"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let before = tree(&folder);
        let staged = leaves(&mut engine, path, after);
        assert_eq!(words(&staged), expected, "{path} {:?}", staged.refused);
        assert_eq!(tree(&folder), before, "{path}");
        let again = leaves(&mut engine, path, after);
        assert_eq!((words(&again), again.refused), (vec![], vec![]), "{path}");
        let mut engine = on_disk(&folder.path().join("ws"));
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
        let mut wanted: Vec<(String, String)> = before.clone();
        wanted.retain(|(name, _)| name != path);
        let after = after.map(|after| String::from_utf8_lossy(after).into_owned());
        wanted.extend(after.map(|after| (path.to_owned(), after)));
        wanted.sort();
        assert_eq!(tree(&folder), wanted, "{path}");
        let id = staged.changeset.unwrap();
        let undone = engine
            .take_back(&RevertTarget::Changeset { changeset: id })
            .unwrap();
        assert!(undone.written, "{undone:?}");
        assert_eq!(tree(&folder), before, "{path}");
        // What was taken back is put back.
        let redone = engine
            .take_back(&RevertTarget::file(path, RevertTo::Redo))
            .unwrap();
        assert!(redone.written, "{redone:?}");
        assert_eq!(tree(&folder), wanted, "{path}");
    };
    check("new", Some(b"-> ../out"), &["link new"]);
    check("link", Some(b"-> gone"), &["link link"]);
    check("link", None, &["delete link"]);
    check("link", Some(b"a\n"), &["delete link", "create link"]);
    check("file", Some(b"-> tool"), &["delete file", "link file"]);
    check("file", Some(b"+xa\n"), &["permissions file"]);
    check("tool", Some(b"x\n"), &["permissions tool"]);
    check("tool", Some(b"y\n"), &["modify tool", "permissions tool"]);
    check(
        "latin",
        Some("caf\u{e9}\n".as_bytes()),
        &["delete latin", "create latin"],
    );
    check(
        "file",
        Some(b"\xff\xfea\0"),
        &["delete file", "create file"],
    );
}

#[test]
fn a_link_that_leads_out_or_may_come_to_is_not_written_unseen() {
    for (target, out) in [
        (&b"-> ../../etc"[..], true),
        (b"-> /etc/passwd", true),
        (b"-> ../x", true),
        (b"-> a/../b", true),
        (b"-> a/b", false),
    ] {
        let (_folder, mut engine) = engine(&[]);
        let staged = leaves(&mut engine, "link", Some(target));
        let unseen = engine.approve_unseen(staged.proposals.iter()).unwrap();
        assert_eq!(
            matches!(unseen, Decision::Refused { .. }),
            out,
            "{unseen:?}"
        );
    }
}

#[test]
fn what_is_staged_as_a_link_is_no_text() {
    let (folder, mut engine) = engine(&[("real", b"a\n")]);
    symlink("real", folder.path().join("ws/link")).unwrap();
    leaves(&mut engine, "link", Some(b"-> other"));
    assert!(engine.read("link").is_err());
    let gone = r#"{"file":"link","description":"d","strategy":"delete"}"#;
    for change in [&whole("link", "text\n"), gone] {
        let answer = propose(&mut engine, change);
        let why = answer.results[0].error.clone().unwrap_or_default();
        assert_eq!(why, "link: a symbolic link; it is not edited");
    }
    assert_eq!(tree(&folder)[0].1, "-> real");
}

#[test]
fn a_link_that_the_user_changed_meanwhile_is_in_conflict() {
    let (folder, mut engine) = engine(&[("file", b"a\n")]);
    let at = folder.path().join("ws/file");
    leaves(&mut engine, "file", Some(b"a\nb\n"));
    std::fs::remove_file(&at).unwrap();
    symlink("elsewhere", &at).unwrap();
    let view = engine.review().unwrap().remove(0);
    assert!(matches!(view.hunks[0].status, HunkStatus::Conflict { .. }));
    assert_eq!(tree(&folder)[0].1, "-> elsewhere");
}

#[test]
fn permissions_that_are_as_before_again_are_no_proposal() {
    let (_folder, mut engine) = engine(&[("file", b"a\n")]);
    leaves(&mut engine, "file", Some(b"+xa\n"));
    let shown: Vec<String> = engine.review().unwrap()[0].hunks[0]
        .lines
        .iter()
        .map(|line| line.text.clone())
        .collect();
    assert_eq!(shown, ["permissions 644", "permissions 755"]);
    leaves(&mut engine, "file", Some(b"a\n"));
    assert_eq!(engine.review().unwrap(), []);
}

/// The texts that one program after another leaves of a file, each approved, then each taken back.
#[test]
fn changes_of_encoding_are_taken_back_one_after_another() {
    let utf16 = b"\xff\xfea\0\n\0".as_slice();
    for texts in [
        &[b"a\n", utf16, b"a\n"][..],
        &[b"a\n", utf16, b"b\n", utf16],
        &["é\n".as_bytes(), b"\xe9\n", "é\n".as_bytes(), b"\xe9\nb\n"],
        &[utf16, b"a\n", b"a\nb\n", utf16],
    ] {
        let (folder, mut engine) = engine(&[("a", texts[0])]);
        let at = folder.path().join("ws/a");
        let mut changesets = Vec::new();
        for text in &texts[1..] {
            let staged = leaves(&mut engine, "a", Some(text));
            changesets.push(staged.changeset.unwrap());
            assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
            assert_eq!(std::fs::read(&at).unwrap(), *text);
        }
        for (changeset, text) in changesets.iter().zip(texts).rev() {
            let undone = engine
                .take_back(&RevertTarget::Changeset {
                    changeset: *changeset,
                })
                .unwrap();
            assert!(undone.written, "{undone:?}");
            assert_eq!(std::fs::read(&at).unwrap(), *text, "{texts:?}");
        }
    }
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
    assert_eq!(words(&staged), ["permissions old.sh"]);
    let told = engine.for_program().unwrap();
    let runs = |file: &ProgramFile| {
        matches!(
            file.content,
            Some(ProgramContent::File {
                mode: Some(0o755),
                ..
            })
        )
    };
    assert!(told.iter().all(runs), "{told:?}");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    for name in ["new.sh", "old.sh"] {
        let file = std::fs::metadata(folder.path().join("ws").join(name)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o755);
    }
}

#[test]
fn what_rules_forbid_is_staged_and_needs_a_look() {
    let rules = b"- Never edit `gen/`.\n- No new dependencies.\n";
    let (_folder, mut engine) = engine(&[
        ("AGENTS.md", rules),
        ("gen/a", b"a\n"),
        ("b", b"b\n"),
        ("package.json", b"{}"),
    ]);
    let staged = ran(
        &mut engine,
        &[
            ("gen/a", None, 0o644),
            ("gen/c", Some(b"c\n"), 0o644),
            ("gen/d", Some(b"a\n"), 0o644),
            ("b", Some(b"c\n"), 0o644),
            (
                "package.json",
                Some(br#"{"dependencies":{"left-pad":"1"}}"#),
                0o644,
            ),
        ],
    );
    let held: Vec<_> = staged
        .proposals
        .iter()
        .map(|view| (view.path.as_str(), view.held.as_deref()))
        .collect();
    let of_gen = Some("a rule forbids it: AGENTS.md:1: Never edit `gen/`.");
    let of_packages = Some("a rule forbids it: AGENTS.md:2: No new dependencies. (left-pad)");
    assert_eq!(
        held,
        [
            ("gen/a", of_gen),
            ("gen/c", of_gen),
            ("b", None),
            ("package.json", of_packages)
        ]
    );
}
