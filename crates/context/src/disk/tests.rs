//! Tests of the index on disk: it follows the workspace, and survives damage and other processes.

use std::collections::BTreeSet;

use super::*;
use crate::words::{Field, Key};

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(world.root()).unwrap();
        files.iter().for_each(|(path, text)| world.put(path, text));
        world
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("ws")
    }

    fn index_file(&self, name: &str) -> PathBuf {
        self.folder.path().join("index").join(name)
    }

    /// Writes a file with times in the past, like a file that nobody is editing.
    fn put(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let past = SystemTime::now() - std::time::Duration::from_secs(60);
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(past)
            .unwrap();
    }

    fn refresh(&self, log: Log<'_>) -> Index {
        let store = Store::new(&self.root(), &self.folder.path().join("index"));
        store.refresh(&WalkBuilder::new(self.root()), log).unwrap()
    }

    fn having(&self, term: &str) -> BTreeSet<String> {
        having(&self.refresh(&|_| None), term)
    }
}

fn having(index: &Index, term: &str) -> BTreeSet<String> {
    let files = index.files_with(Key::new(Field::Text, term));
    files
        .into_iter()
        .map(|file| index.path(file).to_owned())
        .collect()
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn the_index_follows_the_workspace() {
    let world = World::new(&[("a.rs", "apple"), ("b.rs", "apple"), ("sub/c.rs", "cherry")]);
    assert_eq!(world.having("appl"), set(&["a.rs", "b.rs"]));
    world.put("b.rs", "banana");
    world.put("d.rs", "apple");
    fs::remove_file(world.root().join("a.rs")).unwrap();
    assert_eq!(world.having("appl"), set(&["d.rs"]));
    assert!(world.index_file(TAIL).exists(), "few changes make a tail");
    world.put("d.rs", "damson");
    assert_eq!(world.having("appl"), set(&[]));
    assert_eq!(world.having("damson"), set(&["d.rs"]));
    fs::remove_file(world.root().join("d.rs")).unwrap();
    assert_eq!(world.having("damson"), set(&[]));
    assert_eq!(world.having("cherry"), set(&["sub/c.rs"]));
}

#[test]
fn many_changes_are_merged_with_the_base() {
    let world = World::new(&[("a.rs", "apple"), ("z.rs", "apple")]);
    assert_eq!(world.having("appl").len(), 2);
    world.put("a.rs", "banana");
    assert_eq!(world.having("banana").len(), 1);
    for n in 0..=MAX_TAIL {
        world.put(&format!("m{n}.rs"), "apple");
    }
    assert_eq!(world.having("appl").len(), MAX_TAIL + 2);
    assert!(!world.index_file(TAIL).exists());
    assert_eq!(world.having("banana"), set(&["a.rs"]));
}

#[test]
fn what_is_unchanged_is_not_written() {
    let world = World::new(&[("a.rs", "apple")]);
    world.having("appl");
    let before = fs::metadata(world.index_file(BASE))
        .unwrap()
        .modified()
        .unwrap();
    world.having("appl");
    assert_eq!(
        fs::metadata(world.index_file(BASE))
            .unwrap()
            .modified()
            .unwrap(),
        before
    );
    assert!(!world.index_file(TAIL).exists());
}

#[test]
fn a_damaged_index_is_made_anew() {
    let world = World::new(&[("a.rs", "apple"), ("b.rs", "banana")]);
    world.having("appl");
    world.put("b.rs", "apple");
    world.having("appl");
    let whole = [BASE, TAIL].map(|name| fs::read(world.index_file(name)).unwrap());
    for (name, bytes) in [BASE, TAIL].into_iter().zip(&whole) {
        for len in [0, 8, bytes.len() / 2, bytes.len() - 1] {
            fs::write(world.index_file(name), &bytes[..len]).unwrap();
            assert_eq!(
                world.having("appl"),
                set(&["a.rs", "b.rs"]),
                "{name}, {len} bytes"
            );
        }
    }
}

#[test]
fn a_tail_of_another_base_is_passed_over() {
    let world = World::new(&[("a.rs", "apple"), ("b.rs", "banana")]);
    world.having("appl");
    world.put("b.rs", "apple");
    world.having("appl");
    let tail = fs::read(world.index_file(TAIL)).unwrap();
    fs::remove_file(world.index_file(BASE)).unwrap();
    world.put("b.rs", "cherry");
    world.having("appl");
    fs::write(world.index_file(TAIL), tail).unwrap();
    assert_eq!(world.having("appl"), set(&["a.rs"]));
}

#[test]
fn only_newer_commits_are_asked_for() {
    let world = World::new(&[("a.rs", "apple")]);
    let all = "\u{1}c1 c0\none\n\u{2}\na.rs\n";
    let index = world.refresh(&|since| since.is_none().then(|| all.to_owned()));
    assert_eq!(index.history().commits.len(), 1);
    let newer = "\u{1}c2 c1\ntwo\n\u{2}\na.rs\n";
    let index = world.refresh(&|since| (since == Some("c1")).then(|| newer.to_owned()));
    assert_eq!(index.history().commits.len(), 2);
    let index = world.refresh(&|since| (since == Some("c2")).then(String::new));
    assert_eq!(index.history().head, "c2");
    let rewritten = "\u{1}c9 c8\nother\n\u{2}\na.rs\n";
    let index = world.refresh(&|since| since.is_none().then(|| rewritten.to_owned()));
    assert_eq!(index.history().commits.len(), 1);
}

#[test]
fn processes_may_work_at_once() {
    let world = World::new(&[("a.rs", "apple")]);
    for n in 0..40 {
        world.put(&format!("b{n}.rs"), "apple");
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(world.having("appl").len(), 41);
                }
            });
        }
    });
    let left = fs::read_dir(world.folder.path().join("index")).unwrap();
    for file in left {
        let name = file.unwrap().file_name();
        assert!(
            [BASE, TAIL, FOLDERS].iter().any(|known| name == *known),
            "{name:?} is left"
        );
    }
}

#[test]
fn the_first_index_is_made_under_a_lock_and_others_are_not() {
    let world = World::new(&[("a.rs", "apple")]);
    let is_locked = std::sync::Mutex::new(Vec::new());
    let log = |_: Option<&str>| {
        let folder = File::open(world.index_file("")).unwrap();
        is_locked.lock().unwrap().push(folder.try_lock().is_err());
        None
    };
    world.refresh(&log);
    world.refresh(&log);
    assert_eq!(is_locked.into_inner().unwrap(), [true, false]);
}

#[test]
fn ignore_rules_that_change_are_followed() {
    let world = World::new(&[
        ("a.rs", "apple"),
        ("b.rs", "apple"),
        (".gitignore", "c.rs\n"),
    ]);
    fs::create_dir(world.root().join(".git")).unwrap();
    world.having("appl");
    world.put(".gitignore", "b.rs\n");
    assert_eq!(world.having("appl"), set(&["a.rs"]));
    assert_eq!(world.having("appl"), set(&["a.rs"]));
}

#[test]
fn files_that_are_known_to_have_changed_need_no_walk() {
    let world = World::new(&[("a.rs", "apple"), ("b.rs", "apple")]);
    world.having("appl");
    world.put("a.rs", "banana");
    fs::remove_file(world.root().join("b.rs")).unwrap();
    let store = Store::new(&world.root(), &world.folder.path().join("index"));
    let index = store
        .refresh_files(&["a.rs", "b.rs", "a.rs", "absent.rs"])
        .unwrap();
    assert_eq!(having(&index, "appl"), set(&[]));
    assert_eq!(having(&index, "banana"), set(&["a.rs"]));
    assert_eq!(world.having("banana"), set(&["a.rs"]));
}
