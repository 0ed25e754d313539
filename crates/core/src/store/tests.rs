//! Two openings of one file.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn the_store_is_made_once_and_a_newer_one_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/state.db");
    let mut one = Store::open(&path).unwrap();
    let mut two = Store::open(&path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o077;
    assert_eq!(
        (mode(&path), mode(path.parent().unwrap())),
        (0, 0),
        "nobody else reads it"
    );
    assert!(one.changed().unwrap() && two.changed().unwrap());
    assert!(!one.changed().unwrap());
    let record = crate::transaction::Record {
        tag: "t".into(),
        steps: Vec::new(),
    };
    two.transact(|writer| writer.end(&record)).unwrap();
    one.db.pragma_update(None, "user_version", 99).unwrap();
    drop((one, two));
    assert!(matches!(
        Store::open(&path),
        Err(StoreError::Newer { found: 99, .. })
    ));
}

#[test]
fn a_file_that_is_no_store_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    fs::write(
        &path,
        "not a database, but long enough to be looked at as one".repeat(100),
    )
    .unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Sqlite(_))));
}

#[test]
fn a_damaged_store_is_made_anew_with_what_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let deny = |store: &mut Store, name: &str| {
        let path = crate::workspace::WorkspacePath::parse(name, Path::new("/")).unwrap();
        let denied = crate::review::DeniedBefore {
            reason: None,
            time: crate::id::Timestamp(1),
        };
        let lines = crate::text::Source::new(name).fingerprint();
        store
            .transact(|writer| writer.deny(&path, lines, &denied))
            .unwrap();
        path
    };
    let mut store = Store::open(&path).unwrap();
    let kept = deny(&mut store, "a");
    drop(store);
    assert_eq!(Store::repair(&path).unwrap(), Repaired::Sound);
    // A row that no version of this program wrote.
    let store = Store::open(&path).unwrap();
    let insert = "INSERT INTO layer VALUES ('x', 0, 'no id', 'kept', x'00', '[]', NULL)";
    store.db.execute(insert, []).unwrap();
    assert!(store.stage().is_err());
    drop(store);
    let Repaired::Rebuilt { old, lost, .. } = Store::repair(&path).unwrap() else {
        panic!("it was damaged")
    };
    assert!(old.exists() && lost.len() == 1, "{lost:?}");
    let store = Store::open(&path).unwrap();
    assert!(store.stage().is_ok() && store.denied(&kept).unwrap().len() == 1);
    drop(store);
    fs::write(&path, "no database at all, but long enough".repeat(100)).unwrap();
    let Repaired::Rebuilt { kept, lost, .. } = Store::repair(&path).unwrap() else {
        panic!("it was damaged")
    };
    assert!(kept == 0 && !lost.is_empty());
    assert!(Store::open(&path).unwrap().stage().is_ok());
    assert_eq!(Store::repair(&path).unwrap(), Repaired::Sound);
}

#[test]
fn a_store_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(schema::MIGRATIONS[0]).unwrap();
    old.execute_batch(
        r#"INSERT INTO history VALUES ('a', 3, 7, 'why', '{"revert":[1]}', '"kept"', x'00', x'00', 1, 2, NULL);
           INSERT INTO committed VALUES ('a', x'6f6c64');
           INSERT INTO stack VALUES ('a', x'6e6577');
           PRAGMA user_version = 1;"#,
    )
    .unwrap();
    drop(old);
    let store = Store::open(&path).unwrap();
    let a = crate::workspace::WorkspacePath::parse("a", Path::new("/")).unwrap();
    let entry = &store.history(&a).unwrap().entries[0];
    assert_eq!((entry.version, entry.description.as_str()), (3, "why"));
    assert!(entry.moved.is_none() && entry.folders.is_empty());
    let text = |source: Option<crate::text::Source>| source.unwrap().bytes().to_vec();
    assert_eq!(text(store.committed(&a, None).unwrap().unwrap()), b"old");
    let stack = store.stage().unwrap().stacks.remove(&a).unwrap();
    assert_eq!(text(stack.base), b"new");
}
