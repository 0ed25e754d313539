//! A folder, changed between looks.

use tempfile::TempDir;

use std::fs;

use super::*;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a folder");
    for (path, text) in files {
        save(dir.path(), path, text);
    }
    dir
}

fn save(root: &Path, path: &str, text: &str) {
    let file = root.join(path);
    fs::create_dir_all(file.parent().expect("in a folder")).expect("a folder");
    fs::write(file, text).expect("a file");
}

fn watch(dir: &TempDir, bounds: Bounds) -> Watch {
    let mut watch = Watch::new(dir.path().to_owned(), ReservedFolders::default(), bounds);
    assert_eq!(watch.look(), []);
    watch
}

/// Looks, and returns each change as `path: before -> after`.
fn look(watch: &mut Watch) -> Vec<String> {
    let changed = watch.look();
    changed
        .iter()
        .map(|change| {
            format!(
                "{}: {} -> {}",
                change.path,
                word(&change.before),
                word(&change.after)
            )
        })
        .collect()
}

fn word(content: &Content) -> String {
    match content {
        Content::Absent => "-".to_owned(),
        Content::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Content::NotHeld => "?".to_owned(),
    }
}

#[test]
fn what_came_went_and_changed_is_told_with_its_bytes() {
    let dir = folder(&[("a", "1"), ("b/c", "2"), ("d", "3")]);
    let mut watch = watch(&dir, Bounds::default());
    assert_eq!(look(&mut watch), Vec::<String>::new());
    save(dir.path(), "a", "9");
    save(dir.path(), "b/new", "4");
    fs::remove_file(dir.path().join("d")).expect("it was there");
    assert_eq!(
        look(&mut watch),
        ["a: 1 -> 9", "b/new: - -> 4", "d: 3 -> -"]
    );
    assert_eq!(look(&mut watch), Vec::<String>::new());
}

#[test]
fn a_write_that_leaves_the_size_is_seen() {
    let dir = folder(&[("a", "1")]);
    let mut watch = watch(&dir, Bounds::default());
    for text in ["2", "3", "4"] {
        save(dir.path(), "a", text);
        assert_eq!(look(&mut watch).len(), 1, "{text}");
    }
}

#[test]
fn a_touch_is_no_change() {
    let dir = folder(&[("a", "1")]);
    let mut watch = watch(&dir, Bounds::default());
    save(dir.path(), "a", "1");
    assert_eq!(look(&mut watch), Vec::<String>::new());
}

#[test]
fn ignored_files_and_git_are_not_watched() {
    let dir = folder(&[(".gitignore", "out/\n"), ("a", "1")]);
    let mut watch = watch(&dir, Bounds::default());
    save(dir.path(), "out/x", "1");
    save(dir.path(), ".git/index", "1");
    save(dir.path(), ".hidden", "1");
    assert_eq!(look(&mut watch), [".hidden: - -> 1"]);
}

#[test]
fn beyond_the_bounds_only_the_change_is_told() {
    let bounds = Bounds {
        file: 4,
        all: 6,
        ..Bounds::default()
    };
    let dir = folder(&[("a", "12345"), ("b", "1234"), ("c", "123")]);
    let mut watch = watch(&dir, bounds);
    save(dir.path(), "a", "1");
    save(dir.path(), "c", "12");
    assert_eq!(look(&mut watch), ["a: ? -> 1", "c: ? -> ?"]);
}
