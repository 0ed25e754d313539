//! The disk as a workspace: links, saves in the very instant, and what a draft keeps.

use std::os::unix::fs::symlink;

use super::*;

fn at(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text, Path::new("/nowhere")).unwrap()
}

#[test]
fn links_that_lead_out_are_refused_and_others_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "s").unwrap();
    let inside = tempfile::tempdir().unwrap();
    fs::write(inside.path().join("real"), "r").unwrap();
    symlink("real", inside.path().join("alias")).unwrap();
    symlink(outside.path(), inside.path().join("out")).unwrap();
    symlink(outside.path().join("new"), inside.path().join("dangling")).unwrap();
    let workspace = DiskWorkspace::open(inside.path()).unwrap();
    assert_eq!(
        workspace
            .read(&at("alias"))
            .unwrap()
            .unwrap()
            .source
            .bytes(),
        b"r"
    );
    for path in ["out/secret", "out/new/file", "dangling"] {
        let refused = workspace.read(&at(path));
        assert!(
            matches!(refused, Err(AccessError::Path(PathError::Link { .. }))),
            "{path}"
        );
    }
    assert!(workspace.read(&at("absent/x")).unwrap().is_none());
    assert!(matches!(
        workspace.read(&at("real/x")),
        Err(AccessError::BelowFile { .. })
    ));
    assert!(matches!(
        workspace.read(&at(".")),
        Err(AccessError::IsFolder { .. })
    ));
}

#[test]
fn a_draft_takes_the_place_of_its_target_and_keeps_the_link() {
    let inside = tempfile::tempdir().unwrap();
    fs::write(inside.path().join("real"), "old").unwrap();
    symlink("real", inside.path().join("alias")).unwrap();
    let mut workspace = DiskWorkspace::open(inside.path()).unwrap();
    let draft = Draft {
        path: at("alias"),
        tag: "t".into(),
    };
    workspace
        .draft(&draft, b"new", Some(&Attributes::of_mode(0o755)))
        .unwrap();
    assert_eq!(fs::read(inside.path().join("real")).unwrap(), b"old");
    let old = Source::new("old").fingerprint();
    assert_eq!(workspace.publish(&draft, Some(old)).unwrap(), Swap::Done);
    workspace.sync_folder(&draft.path).unwrap();
    assert_eq!(fs::read(inside.path().join("real")).unwrap(), b"new");
    assert!(
        inside
            .path()
            .join("alias")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    assert_eq!(workspace.read(&at("real")).unwrap().unwrap().mode, 0o755);
    assert_eq!(workspace.list(&at(".")).unwrap().len(), 2);
    workspace.discard(&draft).unwrap();
}

#[test]
fn a_save_in_the_very_instant_is_given_back() {
    let inside = tempfile::tempdir().unwrap();
    let file = inside.path().join("a");
    fs::write(&file, "mine").unwrap();
    let mut workspace = DiskWorkspace::open(inside.path()).unwrap();
    let draft = Draft {
        path: at("a"),
        tag: "t".into(),
    };
    let seen = Source::new("seen").fingerprint();
    workspace.draft(&draft, b"new", None).unwrap();
    assert_eq!(
        workspace.publish(&draft, Some(seen)).unwrap(),
        Swap::Changed
    );
    assert_eq!(workspace.publish(&draft, None).unwrap(), Swap::Changed);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    workspace.discard(&draft).unwrap();
    assert_eq!(workspace.withdraw(&draft, seen).unwrap(), Swap::Changed);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    fs::remove_file(&file).unwrap();
    assert_eq!(workspace.withdraw(&draft, seen).unwrap(), Swap::Changed);
    workspace.draft(&draft, b"new", None).unwrap();
    assert_eq!(
        workspace.publish(&draft, Some(seen)).unwrap(),
        Swap::Changed
    );
    assert_eq!(workspace.publish(&draft, None).unwrap(), Swap::Done);
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(fs::read_dir(inside.path()).unwrap().count(), 1);
}

#[test]
fn a_file_is_made_by_a_link_where_a_rename_would_replace() {
    let inside = tempfile::tempdir().unwrap();
    let (beside, target) = (inside.path().join("beside"), inside.path().join("a"));
    fs::write(&beside, "new").unwrap();
    fs::write(&target, "mine").unwrap();
    assert_eq!(make(&beside, &target).unwrap(), Swap::Changed);
    assert_eq!(fs::read(&target).unwrap(), b"mine");
    fs::remove_file(&target).unwrap();
    assert_eq!(make(&beside, &target).unwrap(), Swap::Done);
    assert_eq!(fs::read(&target).unwrap(), b"new");
    assert!(!beside.exists());
}
