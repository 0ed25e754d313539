//! What a file has beside its bytes stays through commits, moves and reverts.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::process::geteuid;

use super::*;

const NOTE: &str = "user.note";
/// A user and group id that no account has.
const STRANGER: u32 = 12_345;

/// What is looked at: permission bits, owner and group, a note.
type Seen = (u32, (u32, u32), Option<Vec<u8>>);

fn seen(path: &Path) -> Seen {
    let metadata = fs::metadata(path).unwrap();
    let mut note = [0; 16];
    let length = getxattr(path, NOTE, &mut note[..]);
    let note = length.ok().map(|length| note[..length].to_vec());
    let owner = (metadata.uid(), metadata.gid());
    (metadata.mode() & 0o7777, owner, note)
}

#[test]
fn attributes_stay_through_commits_moves_and_reverts() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a"), "one\n").unwrap();
    if geteuid().is_root() {
        chown(at("a"), Some(STRANGER), Some(STRANGER)).unwrap();
    } else {
        // Only root may give files away.
    }
    fs::set_permissions(at("a"), fs::Permissions::from_mode(0o4640)).unwrap();
    if setxattr(at("a"), NOTE, b"mine", XattrFlags::empty()).is_err() {
        // The file system has none.
    }
    let expected = seen(&at("a"));
    let store = folder.path().join(".store/db");
    let mut engine = Engine::open(folder.path(), &store, ambient()).unwrap();
    let approve = |engine: &mut Engine, change: &str| {
        assert!(propose(engine, change).staged);
        let decision = approve_all(engine);
        assert!(
            matches!(&decision, Decision::Done(decided) if decided.unkept.is_empty()),
            "{decision:?}"
        );
    };
    let revert = |engine: &mut Engine, path: &str, to: RevertTo| {
        let undone = engine.take_back(&RevertTarget::file(path, to)).unwrap();
        assert!(undone.written && undone.unkept.is_empty(), "{undone:?}");
    };
    approve(&mut engine, &section("a", "one", "two"));
    assert_eq!(seen(&at("a")), expected, "changed");
    revert(&mut engine, "a", RevertTo::Last);
    assert_eq!(seen(&at("a")), expected, "taken back");
    approve(
        &mut engine,
        r#"{"file":"a","strategy":"move","move":{"to":"d/b"}}"#,
    );
    assert_eq!(seen(&at("d/b")), expected, "moved");
    revert(&mut engine, "d/b", RevertTo::Last);
    assert_eq!(seen(&at("a")), expected, "moved back");
    approve(&mut engine, r#"{"file":"a","strategy":"delete"}"#);
    assert!(!at("a").exists());
    let undone = engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert!(undone.written, "{undone:?}");
    let told = "a does not get its set-user-ID bit back; use chmod if you want that";
    assert_eq!(undone.unkept, [told]);
    let (mode, owner, note) = expected;
    let expected = (mode & !0o4000, owner, note);
    assert_eq!(seen(&at("a")), expected, "deleted and back");
}

/// What happens to a file's permission bits.
enum Step {
    /// A program gives it these, and that is approved.
    Program(u32),
    /// The user gives it these.
    User(u32),
    /// The text is changed, and that is approved.
    Edit,
    Revert(RevertTo),
}

#[test]
fn a_revert_takes_back_only_the_permissions_that_its_entry_gave() {
    use RevertTo::{Last, Only, Redo, Version};
    use Step::{Edit, Program, Revert, User};
    let cases: &[(&[Step], u32)] = &[
        (&[Program(0o755), Revert(Last)], 0o644),
        (&[Program(0o755), Revert(Last), Revert(Redo)], 0o755),
        (&[Program(0o755), Edit, Revert(Version(0))], 0o644),
        (&[Program(0o755), Program(0o700), Revert(Version(0))], 0o644),
        (&[Program(0o755), Program(0o700), Revert(Last)], 0o755),
        // The user tightened it since.
        (&[Program(0o755), User(0o600), Revert(Last)], 0o600),
        (&[Program(0o600), User(0o400), Revert(Version(0))], 0o400),
        (
            &[Program(0o755), User(0o600), Edit, Revert(Version(0))],
            0o600,
        ),
        (
            &[
                Program(0o755),
                User(0o700),
                Edit,
                Program(0o750),
                Revert(Version(0)),
            ],
            0o700,
        ),
        (
            &[Program(0o755), Revert(Last), User(0o600), Revert(Redo)],
            0o600,
        ),
        // Another entry gave it the same later.
        (
            &[Program(0o755), User(0o644), Program(0o755), Revert(Only(1))],
            0o755,
        ),
        // Rights are not lent again.
        (&[Program(0o4755), Program(0o755), Revert(Last)], 0o755),
        (&[Program(0o4755), Revert(Last)], 0o644),
        (&[Program(0o4755), Revert(Last), Revert(Redo)], 0o755),
        (&[User(0o6755), Edit, Revert(Last)], 0o6755),
    ];
    for (at, (steps, expected)) in cases.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("ws");
        fs::create_dir(&root).unwrap();
        let path = root.join("a");
        fs::write(&path, "0\n").unwrap();
        let give = |mode: u32| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
        give(0o644).unwrap();
        let mut engine = on_disk(&root);
        for (number, step) in steps.iter().enumerate() {
            match step {
                Step::Program(mode) => {
                    let content = ProgramContent::File {
                        bytes: fs::read(&path).unwrap(),
                        mode: Some(*mode),
                    };
                    let file = ProgramFile {
                        path: "a".to_owned(),
                        content: Some(content),
                        folders_gone: 0,
                        base: ProgramBase::Current,
                    };
                    let run = ProgramRun {
                        finishes: Vec::new(),
                        command: "chmod".to_owned(),
                        files: vec![file],
                        origin: Origin::default(),
                        not_collected: Vec::new(),
                        held: None,
                        changeset: None,
                    };
                    engine.stage_program(run).unwrap();
                    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
                }
                Step::User(mode) => give(*mode).unwrap(),
                Step::Edit => {
                    propose(&mut engine, &whole("a", &format!("{number}\n")));
                    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
                }
                Step::Revert(to) => {
                    let undone = engine.take_back(&RevertTarget::file("a", *to)).unwrap();
                    let conflict = !undone.blocked.is_empty();
                    assert!(!conflict, "case {at}: {undone:?}");
                }
            }
        }
        let mode = seen(&path).0;
        assert_eq!(mode, *expected, "case {at}: {mode:o}");
    }
}

#[test]
fn a_file_that_a_revert_removed_comes_back_with_the_permissions_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    fs::create_dir(&root).unwrap();
    let mut engine = on_disk(&root);
    propose(&mut engine, &whole("a", "one\n"));
    approve_all(&mut engine);
    fs::set_permissions(root.join("a"), fs::Permissions::from_mode(0o600)).unwrap();
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert!(!root.join("a").exists());
    engine
        .take_back(&RevertTarget::file("a", RevertTo::Redo))
        .unwrap();
    assert_eq!(seen(&root.join("a")).0, 0o600);
}

#[test]
fn what_cannot_be_kept_is_told_or_keeps_the_file_from_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("a"), "one\n").unwrap();
    let mut engine = on_disk(&root);
    propose(&mut engine, r#"{"file":"a","strategy":"delete"}"#);
    approve_all(&mut engine);
    let back = |name: &str| {
        let json = format!(r#"{{"mode":384,"extended":[{{"name":"{name}","value":[1]}}]}}"#);
        let db = rusqlite::Connection::open(folder.path().join("state/state.db")).unwrap();
        let changed = db.execute("UPDATE history SET attributes = ?", [json]);
        assert_eq!(changed.unwrap(), 1);
        on_disk(&root).take_back(&RevertTarget::file("a", RevertTo::Last))
    };
    let refused = back("system.no_such_acl").unwrap_err().to_string();
    assert!(
        refused.starts_with("cannot keep system.no_such_acl of a: "),
        "{refused}"
    );
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "nothing is left");
    let undone = back("nowhere.note").unwrap();
    assert!(undone.written, "{undone:?}");
    assert_eq!(undone.unkept, ["a lost its nowhere.note"]);
    assert_eq!(seen(&root.join("a")).0, 0o600);
}
