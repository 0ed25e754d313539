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
        let undone = engine.revert(path, to).unwrap();
        assert!(
            matches!(&undone, Undone::Done { unkept, .. } if unkept.is_empty()),
            "{undone:?}"
        );
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
    revert(&mut engine, "a", RevertTo::Last);
    assert_eq!(seen(&at("a")), expected, "deleted and back");
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
        on_disk(&root).revert("a", RevertTo::Last)
    };
    let refused = back("system.no_such_acl").unwrap_err().to_string();
    assert!(
        refused.starts_with("cannot keep system.no_such_acl of a: "),
        "{refused}"
    );
    assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "nothing is left");
    let Undone::Done { unkept, .. } = back("nowhere.note").unwrap() else {
        panic!("taken back")
    };
    assert_eq!(unkept, ["a lost its nowhere.note"]);
    assert_eq!(seen(&root.join("a")).0, 0o600);
}
