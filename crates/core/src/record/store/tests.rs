//! Two openings of one file.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn the_store_is_created_once_and_one_of_another_version_is_refused() {
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
    drop(Store::open(&path).unwrap());
    assert!(!one.changed().unwrap(), "opening writes nothing");
    two.transact(|writer| writer.end("t")).unwrap();
    one.db.pragma_update(None, "user_version", 99).unwrap();
    drop((one, two));
    assert!(matches!(
        Store::open(&path),
        Err(StoreError::OtherVersion { found: 99, .. })
    ));
}

#[test]
fn a_store_of_the_version_before_keeps_all_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let store = Store::open(&path).unwrap();
    // What versions 14 to 18 added.
    let columns = ["description", "added", "removed", "shown"];
    for column in columns {
        let drop = format!("ALTER TABLE denied DROP COLUMN {column}");
        store.db.execute_batch(&drop).unwrap();
    }
    let added =
        "ALTER TABLE history DROP COLUMN sign_off; DROP TABLE checked; DROP INDEX history_time;
                 DROP TABLE former_stack; DROP TABLE former_layer;
                 DROP TABLE dropped_change; DROP INDEX history_changeset;";
    store.db.execute_batch(added).unwrap();
    store
        .db
        .execute_batch(
            "INSERT INTO denied (path, lines, reason, time) VALUES ('a.rs', x'0000000000000000', 'why', 1);
             INSERT INTO stack (path) VALUES ('a.rs');
             PRAGMA user_version = 13;",
        )
        .unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    let name = crate::disk::workspace::WorkspacePath::parse("a.rs", Path::new("/")).unwrap();
    assert_eq!(store.denied(&name).unwrap().len(), 1);
    assert_eq!(store.stage().unwrap().stacks.len(), 1);
    // Its lines were not kept then.
    assert_eq!(store.denied_hunks(None).unwrap(), []);
    assert_eq!(store.denied_hunk(1).unwrap(), None);
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
        let path = crate::disk::workspace::WorkspacePath::parse(name, Path::new("/")).unwrap();
        let denied = crate::stage::review::DeniedBefore {
            reason: None,
            time: crate::id::Timestamp(1),
        };
        let denial = crate::stage::proposal::denial::Denial::default();
        let shown = crate::stage::review::DiffHunk {
            header: "@@".to_owned(),
            lines: Vec::new(),
            added: 0,
            removed: 0,
        };
        store
            .transact(|writer| writer.deny((&path, &denial), &denied, ("", &shown)))
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
fn texts_are_kept_in_the_encoding_of_their_file() {
    let mut store = Store::in_memory().unwrap();
    let path = crate::disk::workspace::WorkspacePath::parse("a", Path::new("/")).unwrap();
    for bytes in [
        Vec::new(),
        b"a\r\nb".to_vec(),
        b"\xff\xfea\x00\n\x00".to_vec(),
        b"caf\xe9\n".to_vec(),
        "line\n".repeat(100_000).into_bytes(),
    ] {
        let text = crate::text::Source::decode(bytes.clone());
        store
            .transact(|writer| writer.set_committed(&path, Some(&text)))
            .unwrap();
        let kept = store.committed(&path).unwrap().flatten().unwrap();
        assert_eq!(kept.fingerprint(), text.fingerprint());
        assert_eq!(
            kept.encoded().unwrap_or_else(|| kept.bytes().to_vec()),
            bytes
        );
    }
    let gone = store.transact(|writer| writer.set_committed(&path, None));
    assert!(gone.is_ok() && store.committed(&path).unwrap() == Some(None));
}

/// Returns a store with one layer as older ones hold it, and the card of its proposal.
fn with_layer(
    base: Option<&crate::text::Source>,
    (presence, edits, moved_to): (&str, Vec<u8>, Option<&str>),
    beside: &str,
) -> (Store, String) {
    let store = Store::in_memory().unwrap();
    let id = uuid::Uuid::nil().to_string();
    let card = format!(
        r#"{{"operation":"modify","description":"","strategy":"program","evidence":"","note":null,"created":0,"origin":{{"session":"","call":"","proposer":{{"kind":"user"}}}}{beside}}}"#
    );
    let hunks = r#"[{"number":1,"status":{"status":"pending"},"header":"","added":0,"removed":0}]"#;
    let insert = "INSERT INTO proposal (id, changeset, path, card, hunks, open) VALUES (?1, ?1, 'f', ?2, ?3, 1)";
    store.db.execute(insert, (&id, &card, hunks)).unwrap();
    let base = base.map(compressed::compress);
    let insert = "INSERT INTO stack VALUES ('f', ?)";
    store.db.execute(insert, [base]).unwrap();
    let insert = "INSERT INTO layer VALUES ('f', 0, ?, ?, ?, '[1]', ?)";
    let row = (&id, format!("{presence:?}"), edits, moved_to);
    store.db.execute(insert, row).unwrap();
    (store, card)
}

/// The rows are as stores wrote them in which a layer had a presence and its proposal's card the rest.
#[test]
fn kinds_of_layers_are_read_from_stores_without_them_and_written_as_there() {
    use crate::stage::proposal::layer_kind::{LayerKind, NewMode};
    use crate::text::{EditSet, Source, codec};

    let mode = NewMode {
        from: Some(0o644),
        to: 0o755,
    };
    let new = NewMode { from: None, ..mode };
    let at =
        |path: &str| crate::disk::workspace::WorkspacePath::parse(path, Path::new("/")).unwrap();
    let (file, link) = (Source::new("a\n"), Source::link("a"));
    let edit = EditSet::between(b"a", b"b");
    let gone = EditSet::between(b"a\n", b"");
    let made = EditSet::between(b"", b"a");
    let none = EditSet::default();
    let both = r#","mode":493,"mode_before":420"#;
    let moved = LayerKind::Move {
        to: at("t"),
        mode: None,
        folders: 1,
    };
    let cases = [
        (
            Some(&file),
            "kept",
            &edit,
            None,
            "",
            LayerKind::Edit { mode: None },
        ),
        (
            Some(&file),
            "kept",
            &edit,
            None,
            both,
            LayerKind::Edit { mode: Some(mode) },
        ),
        (
            Some(&file),
            "kept",
            &none,
            None,
            both,
            LayerKind::Permissions(mode),
        ),
        (
            Some(&file),
            "kept",
            &none,
            Some("t"),
            r#","folders_gone":1"#,
            moved,
        ),
        (Some(&link), "kept", &edit, None, "", LayerKind::Retarget),
        (
            Some(&file),
            "deleted",
            &gone,
            None,
            r#","folders_gone":2"#,
            LayerKind::Delete { folders: 2 },
        ),
        (None, "linked", &made, None, "", LayerKind::Link),
        (
            None,
            "created",
            &made,
            None,
            r#","mode":493"#,
            LayerKind::Create { mode: Some(new) },
        ),
    ];
    for (base, presence, edits, moved_to, beside, kind) in cases {
        let edits = codec::encode(edits);
        let (mut store, card) = with_layer(base, (presence, edits, moved_to), beside);
        let stage = store.stage().unwrap();
        let stack = stage.stacks.get(&at("f")).unwrap();
        assert_eq!(stack.layers[0].kind(), &kind);
        assert!(stack.text().is_ok(), "{kind:?}");
        let paths = [at("f")];
        store
            .transact(|writer| writer.save_stage(&stage, &paths, &[]))
            .unwrap();
        let query = "SELECT card FROM proposal";
        let written: String = store.db.query_row(query, [], |row| row.get(0)).unwrap();
        let [written, card] =
            [written, card].map(|card| serde_json::from_str::<serde_json::Value>(&card).unwrap());
        for field in ["mode", "mode_before", "folders_gone"] {
            assert_eq!(written.get(field), card.get(field), "{kind:?}: {field}");
        }
        let again = store.stage().unwrap();
        assert_eq!(again.stacks, stage.stacks);
    }
}
