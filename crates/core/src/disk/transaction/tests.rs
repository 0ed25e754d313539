//! A failure or a crash at every step.

use std::path::Path;

use super::*;
use crate::disk::workspace::FileImage;
use crate::disk::workspace::memory::{Failure, MemoryWorkspace};

/// Files; `-> a` is a symbolic link, and `+x` stands before the text of an executable file.
type Files = [(&'static str, Option<&'static str>); 9];

const OLD: Files = [
    ("a", Some("1\n")),
    ("b", Some("2\n")),
    ("new", None),
    ("gone", Some("4\n")),
    ("linked", Some("5\n")),
    ("unlinked", Some("-> a")),
    ("link", None),
    ("script", Some("6\n")),
    ("edited", Some("+x7\n")),
];
const NEW: Files = [
    ("a", Some("1\n1\n")),
    ("b", Some("two\n")),
    ("new", Some("3\n")),
    ("gone", None),
    ("linked", Some("-> 5\n")),
    ("unlinked", Some("a")),
    ("link", Some("-> a")),
    ("script", Some("+x6\n")),
    ("edited", Some("seven\n")),
];

fn image(file: &str) -> FileImage {
    let text = |text: &str| Source::new(text);
    let (source, mode) = match (file.strip_prefix("-> "), file.strip_prefix("+x")) {
        (Some(target), _) => (Source::link(target), 0o777),
        (_, Some(program)) => (text(program), 0o755),
        _ => (text(file), 0o644),
    };
    FileImage { source, mode }
}

fn at(path: &str) -> WorkspacePath {
    WorkspacePath::parse(path, Path::new("/memory")).unwrap()
}

fn workspace() -> MemoryWorkspace {
    let workspace = MemoryWorkspace::default();
    for (path, text) in OLD {
        text.into_iter()
            .for_each(|text| workspace.put(path, image(text)));
    }
    workspace
}

fn writes() -> Vec<FileWrite> {
    let files = OLD.iter().zip(&NEW);
    let writes = files.map(|((path, old), (_, new))| {
        let (old, new) = (old.map(image), new.map(image));
        let file = |image: &FileImage| (!image.source.is_link()).then_some(image.mode);
        let mode = new.as_ref().and_then(file).filter(|_| old.is_some());
        let attributes = old.as_ref().and_then(file).map(Attributes::of_mode);
        let (old, text) = (old.map(|old| old.source), new.map(|new| new.source));
        let bytes = |text: &Option<Source>| text.as_ref().map_or(vec![], |t| t.bytes().to_vec());
        let step = FileStep {
            path: at(path),
            before: old.as_ref().map(Source::fingerprint),
            after: text.as_ref().map(Source::fingerprint),
            edits: EditSet::between(&bytes(&old), &bytes(&text)),
            folders: Vec::new(),
            encoding: old.map(|old| old.encoding()).unwrap_or_default(),
            attributes,
        };
        FileWrite {
            step,
            text,
            mode,
            may_be_read_only: false,
        }
    });
    writes.collect()
}

/// What the journal has of the transaction.
fn record() -> Record {
    Record {
        tag: "t".into(),
        steps: writes().into_iter().map(|write| write.step).collect(),
    }
}

fn commit(workspace: &MemoryWorkspace) -> Result<Committed, CommitError> {
    prepare(workspace, "t".into(), writes())?.commit(&mut workspace.clone())
}

fn is(workspace: &MemoryWorkspace, files: &[(&str, Option<&str>)]) -> bool {
    files
        .iter()
        .all(|(path, file)| workspace.read(&at(path)).unwrap() == file.map(image))
}

fn steps_in_all() -> usize {
    let workspace = workspace();
    workspace.fail_at(None);
    let _committed = commit(&workspace).unwrap();
    assert!(is(&workspace, &NEW) && workspace.drafts() == 0);
    workspace.steps()
}

#[test]
fn an_error_at_any_step_leaves_everything_as_it_was() {
    for step in 0..steps_in_all() {
        let workspace = workspace();
        workspace.fail_at(Some((step, Failure::Error)));
        let failed = commit(&workspace);
        assert!(
            matches!(failed, Err(CommitError::Access(_))),
            "step {step}: {failed:?}"
        );
        assert!(is(&workspace, &OLD), "step {step}");
        assert_eq!(workspace.drafts(), 0, "step {step}");
    }
}

#[test]
fn a_crash_at_any_step_and_at_any_step_of_the_recovery_is_undone() {
    for step in 0..steps_in_all() {
        let workspace = workspace();
        workspace.fail_at(Some((step, Failure::Crash)));
        assert!(commit(&workspace).is_err());
        for again in 0.. {
            workspace.fail_at(Some((again, Failure::Crash)));
            if record().roll_back(&mut workspace.clone()).is_ok() {
                break;
            }
        }
        assert!(is(&workspace, &OLD), "step {step}");
        assert_eq!(workspace.drafts(), 0, "step {step}");
    }
}

#[test]
fn a_file_that_changed_stops_everything_before_anything_is_written() {
    let workspace = workspace();
    workspace.save("b", "mine\n");
    workspace.fail_at(None);
    let refused = prepare(&workspace, "t".into(), writes());
    assert!(matches!(refused, Err(CommitError::Changed { path }) if path == at("b")));
    assert_eq!(workspace.steps(), 0);
}

#[test]
fn what_somebody_changed_after_a_crash_is_left_alone() {
    let workspace = workspace();
    let _committed = commit(&workspace).unwrap();
    workspace.save("a", "mine\n");
    let outcome = record().roll_back(&mut workspace.clone()).unwrap();
    assert_eq!(outcome.left, [at("a")]);
    assert_eq!(workspace.load("a").unwrap(), b"mine\n");
    assert_eq!(workspace.load("b").unwrap(), b"2\n");
}

#[test]
fn what_the_user_did_to_a_file_before_its_turn_is_not_taken_for_the_commit() {
    for (path, text) in NEW {
        for step in 0..steps_in_all() {
            let workspace = workspace();
            workspace.fail_at(None);
            let bytes = text.map(|text| image(text).source.bytes().to_vec());
            workspace.save_at(Some((step, path.to_owned(), bytes.clone())));
            let written = commit(&workspace);
            assert_eq!(workspace.load(path), bytes, "{path} at {step}: {written:?}");
            assert_eq!(workspace.drafts(), 0, "{path} at {step}");
            let others = if written.is_ok() { NEW } else { OLD };
            for other in others.iter().filter(|(other, _)| *other != path) {
                assert!(is(&workspace, &[*other]), "{other:?}: {path} at {step}");
            }
        }
    }
}

#[test]
fn attributes_that_were_lost_are_named_with_their_file() {
    let unkept = Unkept {
        path: at("a"),
        names: vec!["owner".to_owned(), "user.note".to_owned()],
    };
    assert_eq!(unkept.to_string(), "a lost its owner, user.note");
}

/// What a process leaves that was killed while it exchanged a file and its draft: the file holds
/// `now`, `aside` lies under the name of the step's draft, `undo` under that of its undoing.
fn killed(now: &str, aside: Option<&str>, undo: Option<&str>) -> (MemoryWorkspace, Record) {
    let workspace = workspace();
    workspace.fail_at(None);
    let mut record = record();
    record.steps.truncate(1);
    workspace.save("a", now);
    let step = &record.steps[0];
    let drafts = [
        (aside, draft(&record.tag, step)),
        (undo, undo_draft(&record, step)),
    ];
    for (text, draft) in drafts {
        if let Some(text) = text {
            let written = workspace.clone().draft(&draft, &Source::new(text), None);
            assert_eq!(written.unwrap(), Vec::<String>::new());
        }
    }
    (workspace, record)
}

/// The first step goes from `1\n` to `1\n1\n`.
#[test]
fn what_lies_aside_after_a_crash_is_told_from_what_may_be_dropped() {
    let (old, new, mine) = ("1\n", "1\n1\n", "mine\n");
    for (now, aside, undo, expected, left) in [
        // In the middle of the exchange: what was there comes back, whatever it was.
        (new, Some(old), None, old, false),
        (new, Some(mine), None, mine, false),
        // After it, or before it.
        (new, None, None, old, false),
        (new, Some(new), None, old, false),
        (old, Some(new), None, old, false),
        (old, None, None, old, false),
        // The draft was not written to its end.
        (old, Some(""), None, old, false),
        (old, Some("1"), None, old, false),
        (new, Some(""), None, old, false),
        // The user has saved since.
        (mine, Some(old), None, mine, true),
        (mine, None, None, mine, true),
        // An undoing that was killed: before its exchange, after it, or with a save in between.
        (new, None, Some(old), old, false),
        (old, None, Some(new), old, false),
        (old, None, Some(mine), mine, true),
        (old, Some(new), Some(mine), mine, true),
        (new, None, Some(""), old, false),
        (mine, None, Some(new), mine, true),
    ] {
        let case = format!("{now:?} {aside:?} {undo:?}");
        let (workspace, record) = killed(now, aside, undo);
        let outcome = record.roll_back(&mut workspace.clone()).unwrap();
        assert!(is(&workspace, &[("a", Some(expected))]), "{case}");
        assert_eq!(!outcome.left.is_empty(), left, "{case}: {outcome:?}");
        let restored = !left && now != expected;
        assert_eq!(
            !outcome.restored.is_empty(),
            restored,
            "{case}: {outcome:?}"
        );
        assert_eq!(outcome.commits, 1);
        // Once more changes nothing.
        record.roll_back(&mut workspace.clone()).unwrap();
        if !left {
            assert!(is(&workspace, &[("a", Some(expected))]), "{case}");
        }
    }
}

#[test]
fn a_folder_is_made_durable_once_however_many_of_its_files_are_written() {
    for (files, folders) in [
        (&["a"][..], 1),
        (&["a", "b", "c"], 1),
        (&["a", "sub/b", "sub/c", "other/d"], 3),
    ] {
        let workspace = MemoryWorkspace::default();
        workspace.fail_at(None);
        let text = Source::new("new\n");
        let write = |path: &&str| FileWrite {
            step: FileStep {
                path: at(path),
                before: None,
                after: Some(text.fingerprint()),
                edits: EditSet::between(b"", text.bytes()),
                folders: Vec::new(),
                encoding: text.encoding(),
                attributes: None,
            },
            text: Some(text.clone()),
            mode: None,
            may_be_read_only: false,
        };
        let writes = files.iter().map(write).collect();
        let prepared = prepare(&workspace, "t".into(), writes).unwrap();
        let _committed = prepared.commit(&mut workspace.clone()).unwrap();
        // A draft, which is made and written, and a rename each.
        assert_eq!(workspace.steps(), 3 * files.len() + folders, "{files:?}");
    }
}
