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
