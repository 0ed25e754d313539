//! Trailers, messages and notes of commits, without a repository.

use signoff_core::id::{ChangesetId, Timestamp};
use signoff_core::stage::review::EntryStatus;
use signoff_sandbox::git_write::{Identity, ObjectId};
use uuid::Uuid;

use super::*;

fn model(name: &str) -> Option<Proposer> {
    let name = name.to_owned();
    Some(Proposer::Model { name })
}

pub(super) fn entry(version: u64, proposer: Option<Proposer>, description: &str) -> HistoryView {
    HistoryView {
        version,
        time: Timestamp(version as i64),
        path: "a b".to_owned(),
        description: description.to_owned(),
        changeset: Some(ChangesetId(Uuid::from_u128(version.into()))),
        session: Some("s1".to_owned()),
        proposer,
        status: EntryStatus::Applied,
        ..HistoryView::default()
    }
}

pub(super) fn plan(
    entries: Vec<HistoryView>,
    before: &str,
    after: &str,
    authors: &[u64],
) -> CommitPlan {
    let file = |text: &str| PickedFile {
        text: Source::new(text),
        executable: false,
    };
    let authors = authors
        .iter()
        .map(|version| Some((*version, 0)).filter(|(own, _)| *own > 0));
    CommitPlan {
        head: Head {
            reference: None,
            commit: None,
        },
        files: vec![CommitFile {
            path: "a b".to_owned(),
            from: None,
            before: Some(file(before)),
            after: Some(file(after)),
            entries,
            authors: authors.collect(),
        }],
        blocked: Vec::new(),
        left_out: Vec::new(),
    }
}

#[test]
fn a_message_is_made_of_what_the_changes_were_for() {
    for (descriptions, message) in [
        (&["fix it"][..], "fix it\n"),
        (&["fix it", "test it", "fix it"], "fix it\n\n- test it\n"),
        (&["", " "], ""),
    ] {
        let entries = descriptions.iter().zip(1..);
        let entries = entries.map(|(text, version)| entry(version, None, text));
        assert_eq!(plan(entries.collect(), "", "", &[]).message(), message);
    }
}

#[test]
fn assistants_are_named_once_and_on_one_line() {
    let foreign = Proposer::ForeignAgent {
        name: "claude".to_owned(),
    };
    let client = Proposer::Mcp {
        client: "x\nSigned-off-by: y".to_owned(),
    };
    let entries = [
        model("m"),
        model("m"),
        Some(foreign),
        Some(client),
        None,
        Some(Proposer::User),
    ];
    let entries = entries.into_iter().zip(1..);
    let entries = entries.map(|(proposer, version)| entry(version, proposer, ""));
    let found: Vec<_> = plan(entries.collect(), "", "", &[])
        .assistants()
        .into_iter()
        .collect();
    assert_eq!(found, ["claude", "signoff:m", "x Signed-off-by: y"]);
}

#[test]
fn a_note_says_who_wrote_which_lines() {
    let edited = HistoryView {
        edited: true,
        ..entry(2, model("m"), "")
    };
    let entries = vec![
        entry(1, model("m"), ""),
        edited,
        entry(3, Some(Proposer::Program), ""),
    ];
    let plan = plan(
        entries,
        "old\n",
        "1\n1\nold\n2\n3\n1\n?\n",
        &[1, 1, 1, 2, 3, 1, 0],
    );
    let authored: Vec<_> = plan.files.iter().filter_map(authored).collect();
    let author = Identity {
        name: "Ann".to_owned(),
        email: "ann@example.org".to_owned(),
        date: None,
    };
    let commit = ObjectId::parse(&"a".repeat(40)).unwrap();
    let log = authorship_log(&authored, &commit, &author).unwrap();
    insta::assert_snapshot!(log);
    assert_eq!(authorship_log(&[], &commit, &author), None);
}
