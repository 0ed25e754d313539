//! Folders on a real disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::{MOST, left};
use crate::disk::workspace::WorkspacePath;
use crate::engine::tests::{approve_all, on_disk, propose, section, whole};
use crate::engine::{Decision, Status};
use crate::stage::review::RevertTarget;

fn world(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("ws");
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{file}\n")).unwrap();
    }
    (folder, root)
}

fn moving(from: &str, to: &str) -> String {
    serde_json::json!({"file": from, "move": {"to": to}}).to_string()
}

#[test]
fn a_folder_goes_with_all_in_it_as_one_group_and_comes_back() {
    let (_folder, root) = world(&["src/old/a", "src/old/in/b", "src/c"]);
    let mut engine = on_disk(&root);
    propose(&mut engine, &whole("src/old/new", "new\n"));
    let answer = propose(&mut engine, &moving("src/old", "src/now"));
    assert!(answer.staged && answer.results.len() == 3, "{answer:?}");
    let changeset = answer.changeset.unwrap();
    assert!(propose(&mut engine, &section("src/now/in/b", "src", "SRC")).staged);
    let views = engine.review().unwrap();
    let groups = views.iter().flat_map(|view| &view.hunks);
    let groups: Vec<_> = groups.filter_map(|hunk| hunk.group.clone()).collect();
    assert_eq!(groups.len(), 3);
    assert!(
        groups
            .iter()
            .all(|group| group.key == groups[0].key && !group.outlier)
    );
    assert_eq!(groups[0].rewrite, "`src/old` → `src/now`");
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    assert!(!root.join("src/old").exists());
    assert_eq!(
        fs::read_to_string(root.join("src/now/a")).unwrap(),
        "src/old/a\n"
    );
    assert_eq!(
        fs::read_to_string(root.join("src/now/in/b")).unwrap(),
        "SRC/old/in/b\n"
    );
    assert_eq!(
        fs::read_to_string(root.join("src/now/new")).unwrap(),
        "new\n"
    );
    let undone = engine
        .take_back(&RevertTarget::Changeset { changeset })
        .unwrap();
    assert!(undone.written && undone.files.len() == 3);
    assert!(!root.join("src/now").exists());
    assert_eq!(
        fs::read_to_string(root.join("src/old/in/b")).unwrap(),
        "SRC/old/in/b\n"
    );
}

#[test]
fn folders_that_cannot_go_stay_and_say_why() {
    let (_folder, root) = world(&["old/a", "there/b", "links/c"]);
    std::os::unix::fs::symlink("c", root.join("links/d")).unwrap();
    for number in 0..=MOST {
        fs::create_dir_all(root.join("many")).unwrap();
        fs::write(root.join(format!("many/{number}")), "x\n").unwrap();
    }
    fs::create_dir(root.join("empty")).unwrap();
    let mut engine = on_disk(&root);
    let mut check = |from: &str, to: &str, why: &str| {
        let answer = propose(&mut engine, &moving(from, to));
        let result = &answer.results[0];
        assert_eq!(result.status, Status::Refused, "{result:?}");
        assert!(result.error.as_deref().unwrap().contains(why), "{result:?}");
        assert!(!answer.staged);
    };
    check("old", "there", "there is there already");
    check("old", "old/in", "into itself");
    check(".", "in", "into itself");
    check("old", "../out", "leads out");
    check("links", "new", "links/d is no file");
    check("many", "new", "more than 500 files");
    check("empty", "new", "is a folder");
}

#[test]
fn what_a_file_leaves_empty() {
    let at = |path: &str| WorkspacePath::parse(path, Path::new("/w")).unwrap();
    let check = |from: &str, to: &str, expected: &[&str]| {
        let folders = left(&at(from), &at(to));
        let folders: Vec<&str> = folders.iter().map(WorkspacePath::as_str).collect();
        assert_eq!(folders, expected, "{from} {to}");
    };
    check("a/x", "b/x", &["a"]);
    check("s/a/b/x", "s/c/b/x", &["s/a/b", "s/a"]);
    check("a/x", "a/y", &[]);
    check("a/x", "b/y", &[]);
    check("a/x", "a/b/x", &[]);
    check("a/b/x", "a/x", &["a/b"]);
    check("x", "a/x", &[]);
}
