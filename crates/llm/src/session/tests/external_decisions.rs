//! What was decided elsewhere is told with the next prompt, and once.

use signoff_core::engine::Outcomes;
use signoff_core::id::{ProposalId, Timestamp};
use signoff_core::stage::review::{EntryStatus, HistoryView};

use super::*;
use crate::memory::Recall;
use crate::notice::Notice;
use crate::transcript::Entry;

/// Returns the conversation that these entries are, taken up in another process.
fn resumed(entries: Vec<Entry>) -> Stage {
    let mut stage = Stage::new();
    stage.feed(Input::Switched(Ok(Recall {
        id: "s".to_owned(),
        ancestors: vec![("parent".to_owned(), 50)],
        entries,
        ..Recall::default()
    })));
    stage
}

fn entries(stage: &Stage) -> Vec<Entry> {
    stage.session.transcript().entries().to_vec()
}

fn outcomes(hunks: Vec<HunkOutcome>, written: Vec<HistoryView>) -> PreparedPrompt {
    caught_up(Outcomes {
        hunks,
        pending: 0,
        written,
    })
}

fn change(version: u64, status: EntryStatus, session: &str, time: i64) -> HistoryView {
    HistoryView {
        version,
        time: Timestamp(time),
        path: "file1.rs".to_owned(),
        description: "fix it".to_owned(),
        proposal: Some(hunk(1, 1).proposal),
        session: Some(session.to_owned()),
        status,
        added: 1,
        removed: 1,
        ..HistoryView::default()
    }
}

/// Returns the notices that were added.
fn news(stage: &mut Stage, input: Input) -> Vec<Notice> {
    let before = entries(stage).len();
    stage.feed(input);
    notices_since(stage, before)
}

/// Returns the notices that are added by what is known before a prompt.
fn learned(stage: &mut Stage, found: PreparedPrompt) -> Vec<Notice> {
    let before = entries(stage).len();
    stage.learn(found);
    notices_since(stage, before)
}

fn notices_since(stage: &Stage, before: usize) -> Vec<Notice> {
    let new = entries(stage).split_off(before);
    new.into_iter()
        .filter_map(|entry| match entry {
            Entry::Noticed { notice } => Some(notice),
            _ => None,
        })
        .collect()
}

fn both() -> Vec<HunkOutcome> {
    vec![
        judged(1, denied(Some("keep it"))),
        judged(2, HunkStatus::Committed),
    ]
}

#[test]
fn verdicts_given_elsewhere_are_told_once() {
    let mut stage = resumed(entries(&in_review()));
    let asked = stage.session.inquiry().unwrap();
    assert_eq!(asked.proposals, [hunk(1, 1).proposal]);
    assert_eq!(asked.sessions, ["s", "parent"]);
    let told = learned(&mut stage, outcomes(both(), Vec::new()));
    assert!(matches!(&told[..], [Notice::Verdicts { hunks, .. }] if hunks.len() == 2));
    assert!(told[0].to_string().contains("1 kept, 1 denied"));
    assert_eq!(learned(&mut stage, outcomes(both(), Vec::new())), []);
    // Not by the next process, and not by a report that was on its way.
    let mut next = resumed(entries(&stage));
    assert_eq!(next.session.inquiry().unwrap().proposals, []);
    assert_eq!(learned(&mut next, outcomes(both(), Vec::new())), []);
    assert_eq!(news(&mut next, verdicts(both(), 0)), []);
    assert_eq!(next.session.phase(), Phase::Idle);
}

#[test]
fn a_proposal_that_was_decided_in_parts_is_told_in_parts() {
    let mut stage = resumed(entries(&in_review()));
    let first = || {
        vec![
            judged(1, HunkStatus::Committed),
            judged(2, HunkStatus::Pending),
        ]
    };
    let told = learned(&mut stage, outcomes(first(), Vec::new()));
    assert!(matches!(&told[..], [Notice::Verdicts { hunks, .. }] if hunks.len() == 1));
    assert_eq!(asked(&stage), 1);
    let rest = vec![judged(1, HunkStatus::Committed), judged(2, denied(None))];
    let told = learned(&mut stage, outcomes(rest, Vec::new()));
    assert!(matches!(&told[..], [Notice::Verdicts { hunks, .. }] if hunks[0].hunk.number == 2));
    assert_eq!(asked(&stage), 0);
}

fn asked(stage: &Stage) -> usize {
    stage.session.inquiry().unwrap().proposals.len()
}

#[test]
fn a_conflict_alone_is_no_verdict() {
    let mut stage = resumed(entries(&in_review()));
    let reason = "your own edit".to_owned();
    let hunks = vec![judged(1, HunkStatus::Conflict { reason })];
    assert_eq!(learned(&mut stage, outcomes(hunks, Vec::new())), []);
}

#[test]
fn what_waits_is_what_the_list_has_right_before_the_prompt() {
    let mut stage = in_review();
    stage.feed(Input::Reviewed(Ok(vec![view(1, 2), view(2, 1)].into())));
    // The other conversation's hunk was written by a command, and one of this conversation's is in conflict by now.
    let mut listed = view(1, 2);
    listed.hunks[0].status = HunkStatus::Conflict {
        reason: "your own edit".to_owned(),
    };
    let found = PreparedPrompt {
        listing: Some(vec![listed].into()),
        ..outcomes(Vec::new(), Vec::new())
    };
    let waiting = Notice::Waiting {
        hunks: 1,
        paths: vec!["file1.rs".to_owned()],
        conflicts: vec!["file1.rs".to_owned()],
    };
    stage.found = found;
    let before = entries(&stage).len();
    stage.submit("and now?");
    assert_eq!(notices_since(&stage, before), [waiting]);
}

#[test]
fn reversals_made_elsewhere_are_told_once_and_so_is_what_comes_back() {
    let mut stage = resumed(entries(&in_review()));
    let mut play = |status: EntryStatus| {
        let written = vec![change(1, status, "s", 9)];
        let told = learned(&mut stage, outcomes(Vec::new(), written));
        told.iter().map(ToString::to_string).collect::<String>()
    };
    assert_eq!(play(EntryStatus::Applied), "");
    assert!(
        play(EntryStatus::Reverted)
            .starts_with("The user reverted a change to file1.rs: version 1: fix")
    );
    assert_eq!(play(EntryStatus::Reverted), "");
    assert!(play(EntryStatus::Applied).contains("It is on disk again"));
    assert_eq!(play(EntryStatus::Applied), "");
}

#[test]
fn reversals_made_here_are_not_told_again() {
    let mut stage = resumed(entries(&in_review()));
    let gone = GoneChange {
        version: 1,
        proposal: None,
    };
    assert_eq!(
        news(&mut stage, taken_back_input(vec![gone], Vec::new())).len(),
        1
    );
    assert_eq!(
        learned(&mut stage, prepared_after(EntryStatus::Reverted)),
        []
    );
    assert_eq!(
        news(&mut stage, taken_back_input(Vec::new(), vec![1])).len(),
        1
    );
    assert_eq!(
        learned(&mut stage, prepared_after(EntryStatus::Applied)),
        []
    );
}

fn prepared_after(status: EntryStatus) -> PreparedPrompt {
    outcomes(Vec::new(), vec![change(1, status, "s", 9)])
}

fn taken_back_input(gone: Vec<GoneChange>, restored: Vec<u64>) -> Input {
    let target = RevertTarget::file("file1.rs", RevertTo::Last);
    Input::TakenBack {
        prompt: None,
        outcome: Ok(taken_back(target, gone, restored)),
    }
}

#[test]
fn of_a_conversation_before_it_only_what_it_saw_counts() {
    let mut stage = resumed(entries(&in_review()));
    let written = vec![
        change(1, EntryStatus::Reverted, "parent", 49),
        change(2, EntryStatus::Reverted, "parent", 51),
        change(3, EntryStatus::Reverted, "another", 9),
    ];
    let told = learned(&mut stage, outcomes(Vec::new(), written));
    assert!(matches!(&told[..], [Notice::Reverted { taken_back, .. }] if *taken_back == [1]));
}

#[test]
fn what_was_told_outlives_compaction() {
    let mut stage = resumed(compacted(&entries(&in_review())));
    assert_eq!(waiting(&stage), [hunk(1, 1).proposal]);
    let half = vec![judged(1, HunkStatus::Committed)];
    assert_eq!(
        learned(
            &mut stage,
            outcomes(half.clone(), vec![change(1, EntryStatus::Reverted, "s", 9)])
        )
        .len(),
        2
    );
    let mut stage = resumed(compacted(&entries(&stage)));
    assert_eq!(waiting(&stage), [hunk(1, 1).proposal]);
    assert_eq!(
        learned(
            &mut stage,
            outcomes(half, vec![change(1, EntryStatus::Reverted, "s", 9)])
        ),
        []
    );
    assert_eq!(learned(&mut stage, outcomes(both(), Vec::new())).len(), 1);
    assert_eq!(waiting(&resumed(compacted(&entries(&stage)))), []);
}

fn compacted(entries: &[Entry]) -> Vec<Entry> {
    let long = Entry::Prompt {
        text: "x".repeat(9000),
        images: Vec::new(),
        sent: None,
    };
    let entries = [entries, &[long]].concat();
    let told = crate::compaction::compact(&entries, &[], 100).unwrap();
    assert!(!told.iter().any(|entry| matches!(
        entry,
        Entry::Noticed {
            notice: Notice::Staged { .. }
        }
    )));
    // As it is written down and read again.
    serde_json::from_str(&serde_json::to_string(&told).unwrap()).unwrap()
}

fn waiting(stage: &Stage) -> Vec<ProposalId> {
    stage
        .session
        .inquiry()
        .map(|asked| asked.proposals)
        .unwrap_or_default()
}

#[test]
fn a_new_conversation_has_nothing_to_catch_up_with() {
    assert_eq!(Stage::new().session.inquiry(), None);
}
