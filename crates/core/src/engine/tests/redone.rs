//! Redo after undo: every file is again as it was.

use proptest::prelude::*;

use super::*;
use crate::id::ChangesetId;

const FILES: [&str; 3] = ["a", "b", "c"];

/// What is done before an undo.
#[derive(Clone, Debug)]
enum Step {
    /// A changeset replaces this line of these files, and is approved: all of it, or only every other hunk.
    Write(Vec<usize>, usize, bool),
    /// The user replaces a line of a file.
    Save(usize, usize),
    /// The newest change of one file is reverted.
    Revert(usize),
    /// The newest changeset is reverted.
    Undo,
    /// What was reverted last is put back.
    Redo,
}

fn step() -> impl Strategy<Value = Step> {
    let files = prop::collection::vec(0..FILES.len(), 1..4);
    prop_oneof![
        4 => (files, 0_usize..6, any::<bool>()).prop_map(|(files, line, all)| Step::Write(files, line, all)),
        1 => (0..FILES.len(), 0_usize..6).prop_map(|(file, line)| Step::Save(file, line)),
        2 => (0..FILES.len()).prop_map(Step::Revert),
        2 => Just(Step::Undo),
        1 => Just(Step::Redo),
    ]
}

fn texts(world: &World) -> Vec<Option<String>> {
    FILES.iter().map(|path| world.text(path)).collect()
}

fn with_line(world: &World, file: usize, line: usize, new: &str) -> String {
    let text = world.text(FILES[file]).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[line] = new;
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Takes the newest changeset back. Returns whether that was written.
fn undo(engine: &mut Engine) -> bool {
    let NamedChangeset::One(changeset) = engine.changeset("last").unwrap() else {
        return false;
    };
    let target = RevertTarget::Changeset { changeset };
    engine.take_back(&target).unwrap().written
}

fn redo(engine: &mut Engine) -> bool {
    let Some((_, redo)) = engine.last_taken_back().unwrap() else {
        return false;
    };
    engine
        .take_back(&RevertTarget::Redo { redo })
        .unwrap()
        .written
}

fn act(world: &World, engine: &mut Engine, (at, step): (usize, &Step)) {
    match step {
        Step::Write(files, line, all) => {
            let mut files = files.clone();
            files.sort_unstable();
            files.dedup();
            let changes = files.iter().map(|file| {
                let mut text = with_line(world, *file, *line, &format!("model {at}"));
                text += &format!("end {at}\n");
                whole(FILES[*file], &text)
            });
            let changes: Vec<String> = changes.collect();
            propose(engine, &changes.join(","));
            rule(engine, |number| {
                let is_meant = *all || number % 2 == 0;
                Some(if is_meant {
                    Verdict::Approve
                } else {
                    Verdict::Deny { reason: None }
                })
            });
        }
        Step::Save(file, line) => {
            let text = with_line(world, *file, *line, &format!("user {at}"));
            world.files.save(FILES[*file], text.as_str());
        }
        Step::Revert(file) => {
            let target = RevertTarget::file(FILES[*file], RevertTo::Last);
            engine.take_back(&target).unwrap();
        }
        Step::Undo => drop(undo(engine)),
        Step::Redo => drop(redo(engine)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever was reverted of single files before.
    #[test]
    fn redo_after_undo_changes_nothing(steps in prop::collection::vec(step(), 1..12)) {
        let text: String = (0..6).map(|n| format!("line {n}\n")).collect();
        let world = World::new(&FILES.map(|path| (path, text.as_str())));
        let mut engine = world.process();
        for step in steps.iter().enumerate() {
            act(&world, &mut engine, step);
            let before = texts(&world);
            if undo(&mut engine) {
                prop_assert!(redo(&mut engine), "{steps:?}");
                prop_assert_eq!(texts(&world), before, "{:?}", steps);
            }
        }
    }
}

#[test]
fn a_file_that_was_reverted_alone_stays_out_of_the_redo_of_the_others() {
    let world = World::new(&[("a", "1\n"), ("b", "1\n")]);
    let mut engine = world.process();
    let changes = [section("a", "1", "two"), section("b", "1", "two")];
    let changeset: ChangesetId = propose(&mut engine, &changes.join(",")).changeset.unwrap();
    approve_all(&mut engine);
    taken_back(&mut engine, "b", RevertTo::Last);
    let texts = |world: &World| ["a", "b"].map(|path| world.text(path).unwrap());
    assert_eq!(texts(&world), ["two\n", "1\n"]);
    for _ in 0..2 {
        assert!(undo(&mut engine));
        assert_eq!(texts(&world), ["1\n", "1\n"]);
        assert!(redo(&mut engine));
        assert_eq!(texts(&world), ["two\n", "1\n"]);
    }
    // What was reverted before that is put back by a redo of its own.
    let target = RevertTarget::Redo { redo: changeset };
    assert!(engine.take_back(&target).unwrap().written);
    assert_eq!(texts(&world), ["two\n", "two\n"]);
    assert!(!redo(&mut engine));
}
