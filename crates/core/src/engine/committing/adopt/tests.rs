//! Commands that change files, and users who want that undone.

use uuid::Uuid;

use super::*;
use crate::disk::workspace::memory::MemoryWorkspace;
use crate::engine::Engine;
use crate::id::{Ambient, Timestamp};
use crate::record::store::Store;
use crate::stage::review::{RevertTarget, RevertTo};

fn engine(files: &MemoryWorkspace) -> Engine {
    let mut number = 0;
    let ambient = Ambient {
        now: Box::new(|| Timestamp(5)),
        uuid: Box::new(move || {
            number += 1;
            Uuid::from_u128(number)
        }),
    };
    Engine::new(
        Box::new(files.clone()),
        Store::in_memory().unwrap(),
        ambient,
    )
    .unwrap()
}

fn outside(path: &str, before: Option<&str>, after: Option<&str>) -> Outside {
    let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
    Outside {
        path: path.to_owned(),
        before: bytes(before),
        after: bytes(after),
    }
}

/// A command turned `before` into `after`, then the user put `since` there; returns the file
/// once the command's change is taken back.
fn check(before: Option<&str>, after: Option<&str>, since: Option<&str>, expected: Option<&str>) {
    let files = MemoryWorkspace::default();
    if let Some(text) = after {
        files.save("a", text);
    }
    let mut engine = engine(&files);
    let changes = vec![outside("a", before, after)];
    let turn = ChangesetId(Uuid::from_u128(9));
    let adopted = engine
        .adopt(changes, &Origin::default(), turn, "make format")
        .unwrap();
    assert_eq!(adopted.len(), 1);
    let entry = engine.history(Some("a")).unwrap().remove(0);
    assert_eq!(
        (entry.status.as_str(), entry.description.as_str()),
        ("ran", "make format")
    );
    if let Some(text) = since {
        files.save("a", text);
    }
    let undone = engine
        .take_back(&RevertTarget::file("a", RevertTo::Last))
        .unwrap();
    assert!(undone.written, "{undone:?}");
    let text = files
        .load("a")
        .map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(text.as_deref(), expected);
}

#[test]
fn a_commands_change_is_taken_back_like_any_other() {
    check(Some("a\nb\n"), Some("a\nB\n"), None, Some("a\nb\n"));
    check(None, Some("new\n"), None, None);
    check(Some("old\n"), None, None, Some("old\n"));
}

#[test]
fn what_the_user_changed_since_stays() {
    check(
        Some("a\nb\nc\nd\n"),
        Some("A\nb\nc\nd\n"),
        Some("A\nb\nc\nD\n"),
        Some("a\nb\nc\nD\n"),
    );
}

#[test]
fn a_path_that_leads_out_is_an_error() {
    let files = MemoryWorkspace::default();
    let changes = vec![outside("../a", None, Some("x"))];
    let turn = ChangesetId(Uuid::from_u128(9));
    let adopted = engine(&files).adopt(changes, &Origin::default(), turn, "");
    assert!(adopted.is_err());
}

#[test]
fn its_lines_are_the_commands() {
    let files = MemoryWorkspace::default();
    files.save("a", "a\nB\n");
    let mut engine = engine(&files);
    let changes = vec![outside("a", Some("a\nb\n"), Some("a\nB\n"))];
    engine
        .adopt(
            changes,
            &Origin::default(),
            ChangesetId(Uuid::from_u128(9)),
            "fmt",
        )
        .unwrap();
    let authors: Vec<_> = engine
        .blame("a")
        .unwrap()
        .into_iter()
        .map(|line| line.author.as_str())
        .collect();
    assert_eq!(authors, ["before", "command"]);
}
