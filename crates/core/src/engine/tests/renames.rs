//! Files that were moved outside of signoff.

use super::*;
use crate::stage::review::{EntryStatus, HistoryView};

const BEFORE: &str =
    "fn one() {\n    run();\n}\n\nfn two() {\n    walk();\n}\n\nfn three() {\n    stand();\n}\n";

fn written() -> String {
    BEFORE.replace("walk", "dance")
}

/// A workspace where a change of `a.rs` is written, and what plays its processes.
fn changed() -> World {
    let world = World::new(&[("a.rs", BEFORE), ("other.rs", "fn other() {}\n")]);
    let mut engine = world.process();
    assert!(propose(&mut engine, &section("a.rs", "walk", "dance")).staged);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    world
}

impl World {
    /// A process that looks for files which were moved.
    fn following(&self) -> Engine {
        let mut engine = self.process();
        let files = self.files.clone();
        engine.set_file_walk(Box::new(move || {
            let root = WorkspacePath::root();
            let mut found = Vec::new();
            let mut folders = vec![root];
            while let Some(folder) = folders.pop() {
                for entry in files.list(&folder).unwrap() {
                    let path = match folder.as_str() {
                        "" | "." => entry.name.clone(),
                        above => format!("{above}/{}", entry.name),
                    };
                    match entry.kind {
                        DirEntryKind::Dir => {
                            folders.push(WorkspacePath::parse(&path, Path::new("/")).unwrap());
                        }
                        _ => found.push(WalkedFile {
                            path,
                            size: entry.size,
                        }),
                    }
                }
            }
            found
        }));
        engine
    }

    fn move_to(&self, from: &str, to: &str, edit: impl Fn(String) -> String) {
        let text = self.text(from).unwrap();
        self.files.remove(from);
        self.files.save(to, edit(text));
    }
}

fn statuses(history: &[HistoryView]) -> Vec<(String, EntryStatus)> {
    let entries = history.iter();
    entries
        .map(|entry| (entry.path.clone(), entry.status))
        .collect()
}

fn conflict(engine: &mut Engine, target: &RevertTarget) -> String {
    let outcome = engine.take_back(target).unwrap();
    assert!(!outcome.written);
    outcome.conflict().unwrap_or(&outcome.nothing).to_owned()
}

#[test]
fn a_change_is_taken_back_where_its_file_was_moved() {
    let edited = |text: String| text.replace("stand", "sit");
    for path in ["a.rs", "lib/b.rs"] {
        for edit in [|text: String| text, edited] {
            let world = changed();
            world.move_to("a.rs", "lib/b.rs", edit);
            let mut engine = world.following();
            let changeset = engine.history(None).unwrap()[1].changeset.unwrap();
            let back = taken_back(&mut engine, path, RevertTo::Last);
            assert_eq!(back.path, "lib/b.rs");
            assert!(back.summary.contains("the file was a.rs then"), "{back:?}");
            let text = world.text("lib/b.rs");
            assert_eq!(text, Some(edit(BEFORE.to_owned())));
            assert_eq!(world.text("a.rs"), None);
            let redo = engine.take_back(&RevertTarget::Redo { redo: changeset });
            assert!(redo.unwrap().written);
            assert_eq!(world.text("lib/b.rs"), Some(edit(written())));
            let all = engine.take_back(&RevertTarget::Changeset { changeset });
            assert!(all.unwrap().written);
            assert_eq!(world.text("lib/b.rs"), Some(edit(BEFORE.to_owned())));
        }
    }
}

#[test]
fn going_back_to_a_version_leaves_the_file_where_it_was_moved() {
    let world = changed();
    world.move_to("a.rs", "b.rs", |text| text);
    let mut engine = world.following();
    let back = taken_back(&mut engine, "b.rs", RevertTo::Version(0));
    assert_eq!((back.to, back.taken_back), (None, vec![1]));
    assert_eq!(world.text("b.rs").as_deref(), Some(BEFORE));
}

#[test]
fn moves_one_after_the_other_are_one_entry_and_a_way_back_is_none() {
    let world = changed();
    let mut engine = world.following();
    world.move_to("a.rs", "b.rs", |text| text);
    let moved = |path: &str| (path.to_owned(), EntryStatus::Moved);
    let applied = |path: &str| (path.to_owned(), EntryStatus::Applied);
    let all = engine.history(None).unwrap();
    assert_eq!(statuses(&all), [moved("b.rs"), applied("b.rs")]);
    assert_eq!(all[0].moved, Some(("a.rs".to_owned(), "b.rs".to_owned())));
    world.move_to("b.rs", "c.rs", |text| text);
    let all = engine.history(Some("a.rs")).unwrap();
    assert_eq!(statuses(&all), [moved("c.rs"), applied("c.rs")]);
    assert_eq!(all[0].moved, Some(("a.rs".to_owned(), "c.rs".to_owned())));
    world.move_to("c.rs", "a.rs", |text| text);
    assert_eq!(statuses(&engine.history(None).unwrap()), [applied("a.rs")]);
}

#[test]
fn a_file_that_several_could_be_stays_and_they_are_named() {
    let world = changed();
    world.move_to("a.rs", "b.rs", |text| text);
    world.files.save("c.rs", written());
    let mut engine = world.following();
    let why = conflict(&mut engine, &RevertTarget::file("a.rs", RevertTo::Last));
    assert_eq!(
        why,
        "a.rs is not there any more, and it is not certain which file it became: b.rs, c.rs. \
         Move the right one back to a.rs first"
    );
    assert_eq!(world.text("b.rs"), Some(written()));
    world.files.remove("c.rs");
    let back = taken_back(&mut engine, "a.rs", RevertTo::Last);
    assert_eq!(back.path, "b.rs");
}

#[test]
fn what_is_gone_or_known_is_not_what_a_file_became() {
    let world = changed();
    // History knows this file, so that it is itself.
    let mut engine = world.process();
    assert!(propose(&mut engine, &whole("known.rs", &written())).staged);
    assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
    world.files.remove("a.rs");
    let mut engine = world.following();
    let why = conflict(&mut engine, &RevertTarget::file("a.rs", RevertTo::Last));
    assert!(why.contains("was deleted since"), "{why}");
    assert_eq!(world.text("known.rs"), Some(written()));
}

#[test]
fn lines_that_were_changed_after_the_move_are_a_conflict() {
    let world = changed();
    world.move_to("a.rs", "b.rs", |text| text.replace("dance();", "dance(2);"));
    let mut engine = world.following();
    let why = conflict(&mut engine, &RevertTarget::file("a.rs", RevertTo::Last));
    assert!(why.contains("b.rs: version 1 cannot be reverted"), "{why}");
}

/// What waits over a file goes with it where its text is in one other file, and is not written without a look.
#[test]
fn what_waits_goes_with_a_file_that_was_moved() {
    let same = |text: String| text;
    let edited = |text: String| text.replace("stand", "sit");
    for edit in [same as fn(String) -> String, edited] {
        let world = World::new(&[("a.rs", BEFORE), ("other.rs", "fn other() {}\n")]);
        let mut engine = world.following();
        propose(&mut engine, &section("a.rs", "walk", "dance"));
        world.move_to("a.rs", "lib/b.rs", edit);
        let views = engine.review().unwrap();
        assert_eq!((views.len(), views[0].path.as_str()), (1, "lib/b.rs"));
        assert_eq!(views[0].pending().count(), 1, "{views:?}");
        let held = "it was made for a.rs, which is gone: lib/b.rs has its text";
        assert_eq!(views[0].held.as_deref(), Some(held));
        assert_eq!(world.process().review().unwrap()[0].path, "lib/b.rs");
        let unseen = engine.approve_unseen(&views).unwrap();
        assert!(matches!(unseen, Decision::Refused { .. }), "{unseen:?}");
        assert!(matches!(approve_all(&mut engine), Decision::Done(_)));
        assert_eq!(world.text("lib/b.rs"), Some(edit(written())));
        assert_eq!(world.text("a.rs"), None);
    }
}

#[test]
fn what_waits_stays_with_a_file_that_is_gone_or_was_moved_to_several() {
    let delete = r#"{"file":"a.rs","description":"d","strategy":"delete"}"#.to_owned();
    let change = section("a.rs", "walk", "dance");
    for (change, copies) in [(&change, 0), (&change, 2), (&delete, 1)] {
        let world = World::new(&[("a.rs", BEFORE)]);
        let mut engine = world.following();
        propose(&mut engine, change);
        world.files.remove("a.rs");
        for copy in 0..copies {
            world.files.save(format!("copy{copy}.rs").as_str(), BEFORE);
        }
        let views = engine.review().unwrap();
        assert_eq!(views[0].path, "a.rs");
        let [hunk] = &views[0].hunks[..] else {
            panic!("{views:?}");
        };
        let conflict = HunkStatus::Conflict {
            reason: "the file is gone".to_owned(),
        };
        assert_eq!((&hunk.status, &views[0].note), (&conflict, &None));
    }
}
