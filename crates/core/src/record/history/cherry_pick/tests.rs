//! Entries of history applied to texts that have some of them.

use std::path::Path;

use uuid::Uuid;

use super::*;
use crate::disk::workspace::attributes::Attributes;
use crate::edit::plan::Strategy;
use crate::id::{ProposalId, Timestamp};
use crate::stage::proposal::Origin;

fn path(name: &str) -> WorkspacePath {
    WorkspacePath::parse(name, Path::new("/w")).unwrap()
}

fn changeset(number: u128) -> ChangesetId {
    ChangesetId(Uuid::from_u128(number))
}

/// A file that entries and the user change by turns.
struct Made {
    record: FileRecord,
    text: Option<String>,
}

impl Made {
    fn from(text: &str) -> Self {
        let source = Some(Source::new(text));
        Self {
            record: FileRecord {
                path: path("f"),
                history: FileHistory::default(),
                written: source.clone(),
                now: source,
                executable: false,
            },
            text: Some(text.to_owned()),
        }
    }

    /// Adds the next version, whose changeset has its number; the user's text before it is kept as drift.
    fn wrote(mut self, text: Option<&str>) -> Self {
        let version = self.record.history.next_version();
        let kind = EntryKind::Applied {
            proposal: ProposalId(Uuid::nil()),
            changeset: changeset(version.into()),
            strategy: Strategy::Whole,
            origin: Origin::default(),
            edited: false,
        };
        self.add(kind, text);
        self
    }

    fn reverted(mut self, versions: &[u64], text: &str) -> Self {
        self.add(EntryKind::Revert(versions.to_vec()), Some(text));
        self
    }

    fn add(&mut self, kind: EntryKind, text: Option<&str>) {
        let source = |text: Option<&str>| Source::new(text.unwrap_or_default());
        let before = source(self.text.as_deref());
        let written = self.record.written.take();
        let is_first = self.record.history.entries.is_empty();
        let drift = match written {
            Some(written) if !is_first => difference(&written, &before),
            _ => EditSet::default(),
        };
        let presence = match (&self.text, text) {
            (None, Some(_)) => Presence::Created,
            (Some(_), None) => Presence::Deleted,
            _ => Presence::Kept,
        };
        self.record.history.entries.push(Entry {
            path: self.record.path.clone(),
            version: self.record.history.next_version(),
            time: Timestamp(0),
            description: String::new(),
            kind,
            presence,
            drift,
            edits: difference(&before, &source(text)),
            lines: (0, 0),
            attributes: None,
            encoding: Encoding::Utf8,
            moved: None,
            folders: Vec::new(),
            sign_off: None,
        });
        self.record.written = text.map(Source::new);
        self.record.now = text.map(Source::new);
        self.text = text.map(str::to_owned);
    }

    fn typed(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self.record.now = Some(Source::new(text));
        self
    }

    fn pick(&self, base: Option<&str>, choice: &PickChoice) -> PickOutcome {
        let file = base.map(|text| PickedFile {
            text: Source::new(text),
            executable: false,
        });
        let name = path("f");
        let base = file.as_ref().map(|file| (&name, file));
        self.record.cherry_pick(base, choice).unwrap()
    }

    /// Returns the text that a commit's becomes and the versions that were missing; `-` if nothing was.
    fn picked(&self, base: Option<&str>, choice: &PickChoice) -> (String, Vec<u64>) {
        match self.pick(base, choice) {
            PickOutcome::Nothing => ("-".to_owned(), Vec::new()),
            PickOutcome::Untracked => ("untracked".to_owned(), Vec::new()),
            PickOutcome::Conflict { version, .. } => ("conflict".to_owned(), vec![version]),
            PickOutcome::Picked(picked) => {
                let text = picked.after.map(|file| file.text);
                let text = text.map(|text| text.text().unwrap().to_owned());
                (text.unwrap_or_else(|| "gone".to_owned()), picked.versions)
            }
        }
    }
}

fn chosen(numbers: &[u128]) -> PickChoice {
    PickChoice::Changesets(numbers.iter().copied().map(changeset).collect())
}

const ALL: PickChoice = PickChoice::All;

#[test]
fn what_is_missing_is_applied_without_the_users_lines() {
    let made = Made::from("a\nb\nc\nd\n")
        .typed("mine\na\nb\nc\nd\n")
        .wrote(Some("mine\na\nB\nc\nd\n"))
        .typed("mine\na\nB\nc\nd\nalso mine\n")
        .wrote(Some("mine\na\nB\nc\nD\nalso mine\n"));
    let cases: [(&str, PickChoice, &str, &[u64]); 7] = [
        ("a\nb\nc\nd\n", ALL, "a\nB\nc\nD\n", &[1, 2]),
        ("a\nb\nc\nd\n", chosen(&[2]), "a\nb\nc\nD\n", &[2]),
        ("a\nb\nc\nD\n", ALL, "a\nB\nc\nD\n", &[1]),
        ("mine\na\nB\nc\nd\n", ALL, "mine\na\nB\nc\nD\n", &[2]),
        ("mine\na\nB\nc\nD\nalso mine\n", ALL, "-", &[]),
        ("a\nB\nc\nD\n", ALL, "-", &[]),
        // Somebody else changed the line.
        ("a\nx\nc\nd\n", ALL, "conflict", &[1]),
    ];
    for (base, choice, text, versions) in cases {
        let found = made.picked(Some(base), &choice);
        assert_eq!(found, (text.to_owned(), versions.to_vec()), "{base:?}");
    }
}

#[test]
fn what_the_user_committed_of_it_is_not_missing() {
    // Rewritten by the user, and committed so.
    let rewritten = Made::from("a\nb\n")
        .wrote(Some("A\nb\n"))
        .typed("mine of A\nb\n")
        .wrote(Some("mine of A\nB\n"))
        .typed("mine of A\nmine of B\n");
    let base = "mine of A\nmine of B\n";
    assert_eq!(rewritten.picked(Some(base), &ALL).0, "-");
    assert_eq!(
        rewritten.picked(Some("mine of A\nb\n"), &ALL),
        ("mine of A\nB\n".to_owned(), vec![2])
    );
    // One hunk of two.
    let made = Made::from("a\nb\nc\n").wrote(Some("A\nb\nC\n"));
    let found = made.picked(Some("a\nb\nC\n"), &ALL);
    assert_eq!(found, ("A\nb\nC\n".to_owned(), vec![1]));
}

#[test]
fn what_builds_on_lines_that_are_left_out_is_a_conflict() {
    let made = Made::from("a\n")
        .typed("a\nmine\n")
        .wrote(Some("a\nmine, better\n"));
    assert_eq!(
        made.picked(Some("a\n"), &ALL),
        ("conflict".to_owned(), vec![1])
    );
    let stacked = Made::from("a\n").wrote(Some("b\n")).wrote(Some("c\n"));
    let found = stacked.picked(Some("a\n"), &chosen(&[2]));
    assert_eq!(found, ("conflict".to_owned(), vec![2]));
    assert_eq!(stacked.picked(Some("a\n"), &chosen(&[1])).0, "b\n");
}

#[test]
fn what_was_taken_back_is_committed_only_if_it_was_committed() {
    let made = Made::from("a\nb\n")
        .wrote(Some("A\nb\n"))
        .reverted(&[1], "a\nb\n");
    assert_eq!(made.picked(Some("a\nb\n"), &ALL).0, "-");
    let back = ("a\nb\n".to_owned(), vec![2]);
    assert_eq!(made.picked(Some("A\nb\n"), &ALL), back);
    assert_eq!(made.picked(Some("A\nb\n"), &chosen(&[1])), back);
    assert_eq!(made.picked(Some("A\nb\n"), &chosen(&[9])).0, "-");
    let again = made.reverted(&[2], "A\nb\n");
    for choice in [ALL, chosen(&[1])] {
        let found = again.picked(Some("a\nb\n"), &choice);
        assert_eq!(found, ("A\nb\n".to_owned(), vec![3]));
        assert_eq!(again.picked(Some("A\nb\n"), &choice).0, "-");
    }
}

#[test]
fn files_come_and_go() {
    let mut new = Made::from("");
    new.text = None;
    new.record.written = None;
    let new = new.wrote(Some("a\n")).typed("a\nmine\n");
    assert_eq!(new.picked(None, &ALL), ("a\n".to_owned(), vec![1]));
    assert_eq!(new.picked(Some("a\n"), &ALL).0, "-");
    assert_eq!(new.picked(Some("otherwise\n"), &ALL).0, "-");
    let more = new.wrote(Some("a\nmine\nb\n"));
    assert_eq!(more.picked(None, &chosen(&[2])).0, "untracked");
    let gone = Made::from("a\n").wrote(None);
    assert_eq!(gone.picked(Some("a\n"), &ALL), ("gone".to_owned(), vec![1]));
    assert_eq!(gone.picked(None, &ALL).0, "-");
    let untracked = Made::from("a\n").wrote(Some("b\n"));
    assert_eq!(untracked.picked(None, &ALL).0, "untracked");
    let anew = Made::from("a\n").wrote(None).wrote(Some("b\n"));
    assert_eq!(
        anew.picked(Some("a\n"), &ALL),
        ("b\n".to_owned(), vec![1, 2])
    );
}

#[test]
fn lines_are_those_of_the_entry_that_wrote_them() {
    let made = Made::from("a\nb\nc\n")
        .wrote(Some("A\nb\nc\nd\n"))
        .typed("A\nmine\nb\nc\nd\n")
        .wrote(Some("A\nmine\nb\nC\nd\n"));
    let authors = made.record.authors(&Source::new("A\nb\nC\nd\n")).unwrap();
    let versions: Vec<_> = authors
        .iter()
        .map(|entry| entry.map(|(own, _)| own.version))
        .collect();
    assert_eq!(versions, [Some(1), None, Some(2), Some(1)]);
}

#[test]
fn moves_and_permissions_count() {
    let mut made = Made::from("a\nb\n")
        .wrote(Some("A\nb\n"))
        .wrote(Some("A\nB\n"));
    made.record.path = path("to");
    let entry = &mut made.record.history.entries[1];
    entry.moved = Some((path("f"), path("to")));
    let picked = |choice| match made.pick(Some("a\nb\n"), &choice) {
        PickOutcome::Picked(picked) => (picked.from, picked.path, picked.versions),
        other => panic!("{other:?}"),
    };
    assert_eq!(picked(ALL), (Some(path("f")), path("to"), vec![1, 2]));
    assert_eq!(picked(chosen(&[1])), (None, path("f"), vec![1]));
    let names: Vec<_> = made.record.names().cloned().collect();
    assert_eq!(names, [path("to"), path("f")]);

    // The user commits a move of their own.
    let mut made = Made::from("a\n").wrote(Some("A\n"));
    made.add(EntryKind::MovedOutside, Some("A\n"));
    made.record.path = path("to");
    made.record.history.entries[1].moved = Some((path("f"), path("to")));
    let PickOutcome::Picked(picked) = made.pick(Some("a\n"), &ALL) else {
        panic!("the change is picked");
    };
    assert_eq!(
        (picked.from, picked.path, picked.versions),
        (None, path("f"), vec![1])
    );

    let mut made = Made::from("a\n").wrote(Some("a\n"));
    made.record.history.entries[0].attributes = Some(Attributes {
        mode: 0o644,
        replaced_by: Some(0o755),
        ..Attributes::default()
    });
    let PickOutcome::Picked(picked) = made.pick(Some("a\n"), &ALL) else {
        panic!("it is executable");
    };
    assert!(picked.after.unwrap().executable);
}
