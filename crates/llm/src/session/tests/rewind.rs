//! Going back to an earlier prompt.

use signoff_core::engine::Outcomes;
use signoff_core::id::{ProposalId, Timestamp};
use signoff_core::stage::review::{
    ConversationSpan, EntryStatus, GoneChange, HistoryView, RevertOutcome, RevertTarget,
    WrittenSince,
};
use uuid::Uuid;

use super::*;
use crate::memory::{Recall, Record};
use crate::notice::Notice;
use crate::transcript::Entry;

fn prompt(place: usize, text: &str) -> PromptRef {
    let text = text.to_owned();
    PromptRef { place, text }
}

/// Returns what a command comes to.
fn asked(stage: &mut Stage, command: Command) -> String {
    stage.take_log();
    stage.feed(Input::Command(command));
    stage.take_log()
}

fn rewind(stage: &mut Stage, place: usize, text: &str) -> String {
    let prompt = prompt(place, text);
    let files = None;
    asked(stage, Command::Rewind { prompt, files })
}

/// Goes back to a prompt with the files that were written since a time.
fn rewind_both(stage: &mut Stage, (place, text): (usize, &str), since: i64) -> String {
    let prompt = prompt(place, text);
    let files = Some(RevertTarget::Since(shown(since)));
    asked(stage, Command::Rewind { prompt, files })
}

/// What was written since a time, as it was shown.
fn shown(since: i64) -> WrittenSince {
    let by = ["s", "parent"].map(|session| ConversationSpan {
        session: session.to_owned(),
        until: None,
    });
    WrittenSince {
        since: Timestamp(since),
        until: Some(Timestamp(since + 7)),
        by: by.to_vec(),
    }
}

fn preview(stage: &mut Stage, place: usize, text: &str) -> String {
    asked(stage, Command::RewindScope(prompt(place, text)))
}

fn taken_up(entries: Vec<Entry>) -> Stage {
    let mut stage = Stage::with(Config {
        remember: true,
        ..Config::new(specs())
    });
    stage.feed(Input::Switched(Ok(Recall {
        id: "s".to_owned(),
        ancestors: vec![("parent".to_owned(), 50)],
        entries,
        ..Recall::default()
    })));
    stage
}

/// A conversation with prompts that were sent at these times.
fn conversation(prompts: &[(&str, i64)]) -> Stage {
    let mut stage = taken_up(Vec::new());
    for (prompt, at) in prompts {
        stage.session.set_time(Timestamp(*at));
        stage.submit(prompt);
        stage.says("Done.");
    }
    stage
}

fn entries(stage: &Stage) -> Vec<Entry> {
    stage.session.transcript().entries().to_vec()
}

/// What taking back two changes comes to: one of a proposal, and one that a command made.
fn both_taken_back(proposal: u128) -> Result<RevertOutcome, Fault> {
    let gone = |version, proposal| GoneChange { version, proposal };
    let gone = vec![
        gone(3, Some(ProposalId(Uuid::from_u128(proposal)))),
        gone(4, None),
    ];
    let target = RevertTarget::Since(shown(200));
    Ok(taken_back(target, gone, Vec::new()))
}

fn reverted(place: Option<(usize, &str)>, outcome: Result<RevertOutcome, Fault>) -> Input {
    let prompt = place.map(|(place, text)| prompt(place, text));
    Input::TakenBack { prompt, outcome }
}

/// What history says of what the conversation wrote.
fn written(status: EntryStatus, proposal: u128) -> PreparedPrompt {
    let change = |version, proposal| HistoryView {
        version,
        time: Timestamp(1_000),
        path: "file1.rs".to_owned(),
        description: "fix it".to_owned(),
        proposal,
        session: Some("s".to_owned()),
        status,
        added: 1,
        removed: 1,
        ..HistoryView::default()
    };
    caught_up(Outcomes {
        hunks: Vec::new(),
        pending: 0,
        written: vec![
            change(3, Some(ProposalId(Uuid::from_u128(proposal)))),
            change(4, None),
        ],
    })
}

/// The time of a prompt is in its record, goes through a resume and a compaction, and says what is meant.
#[test]
fn what_was_written_since_a_prompt_is_known_by_its_time() {
    let mut stage = conversation(&[("one", 100), ("two", 200)]);
    let log = preview(&mut stage, 1, "two");
    assert!(is_found(&log), "{log}");
    let lines: Vec<String> = (stage.records.iter())
        .map(|record| serde_json::to_string(record).unwrap())
        .collect();
    assert!(
        lines
            .iter()
            .any(|line| line.contains(r#""text":"two","sent":200"#)),
        "{lines:?}"
    );
    // Another process.
    let mut next = taken_up(entries(&stage));
    assert!(is_found(&preview(&mut next, 1, "two")));
    // A conversation that was made shorter: only the newest prompt is left of it.
    for _ in 0..40 {
        next.session.set_time(Timestamp(300));
        next.submit(&"long ".repeat(200));
        next.says(&"words ".repeat(200));
    }
    next.session.set_time(Timestamp(400));
    next.submit("last");
    next.says("Done.");
    let log = asked(&mut next, Command::Compact);
    assert!(log.contains("compacted"), "{log}");
    let listed = asked(&mut next, Command::Prompts);
    assert!(
        !listed.contains("two") && listed.contains("last"),
        "{listed}"
    );
    let left = entries(&next)
        .iter()
        .filter(|entry| matches!(entry, Entry::Prompt { .. }))
        .count();
    let log = preview(&mut next, left - 1, "last");
    assert!(log.contains(r#""since":400"#), "{log}");
}

fn is_found(log: &str) -> bool {
    let by = r#"[{"session":"s","until":null},{"session":"parent","until":50}]"#;
    log.contains(by) && log.contains(r#""since":200"#)
}

#[test]
fn a_prompt_without_a_time_offers_the_conversation_alone() {
    let mut stage = taken_up(vec![Entry::Prompt {
        text: "old".to_owned(),
        images: Vec::new(),
        sent: None,
    }]);
    let log = preview(&mut stage, 0, "old");
    assert!(
        log.contains("does not say when this prompt was sent") && !log.contains(r#""since":"#),
        "{log}"
    );
    assert!(rewind(&mut stage, 0, "old").contains("rewound"));
    // Nor is anything known of a conversation without an id.
    let mut stage = Stage::new();
    stage.session.set_time(Timestamp(1));
    stage.submit("one");
    stage.says("Done.");
    assert!(preview(&mut stage, 0, "one").contains("this conversation is not recorded"));
}

#[test]
fn files_go_back_alone_and_the_model_is_told_once() {
    let mut stage = conversation(&[("one", 100), ("two", 200)]);
    let files = RevertTarget::Since(shown(200));
    let log = asked(&mut stage, Command::Revert(files));
    assert!(log.contains("revert since 200 until 207 by s"), "{log}");
    let before = entries(&stage).len();
    stage.feed(reverted(None, both_taken_back(1)));
    let log = stage.take_log();
    assert!(log.contains("all changes since an earlier prompt"), "{log}");
    assert!(!log.contains("rewound"), "{log}");
    stage.learn(written(EntryStatus::Reverted, 1));
    let told = entries(&stage).split_off(before);
    assert!(
        matches!(&told[..], [Entry::Noticed { notice: Notice::Reverted { taken_back, .. } }] if *taken_back == [3, 4]),
        "{told:?}"
    );
}

/// Prompts that come before the files are back belong behind the cut.
#[test]
fn both_go_back_and_what_the_model_forgot_is_no_news_to_it() {
    let mut stage = conversation(&[("one", 100), ("two", 200)]);
    let log = rewind_both(&mut stage, (1, "two"), 200);
    assert!(
        log.contains("revert since 200 until 207 by s, parent, then rewind to two"),
        "{log}"
    );
    assert!(!log.contains("rewound"), "{log}");
    let log = asked(&mut stage, Command::Submit("three".to_owned()));
    assert!(log.contains("queued") && !log.contains("ask "), "{log}");
    for command in [
        Command::Switch(Switch::New),
        Command::Run("ls".to_owned()),
        Command::RewindScope(prompt(0, "one")),
    ] {
        let log = asked(&mut stage, command);
        assert!(log.contains("usage"), "{log}");
    }
    stage.feed(reverted(Some((1, "two")), both_taken_back(1)));
    let messages = format!("{:?}", stage.last_prompt().messages);
    assert!(
        messages.contains("one") && messages.contains("three") && !messages.contains("two"),
        "{messages}"
    );
    assert!(
        messages.contains("The user went back to this point")
            && !messages.contains("reverted a change"),
        "{messages}"
    );
    stage.says("Done.");
    assert!(
        stage
            .records
            .iter()
            .any(|record| matches!(record, Record::Retold(told) if told.len() == 3)),
        "{:?}",
        stage.records
    );
    let before = entries(&stage).len();
    stage.learn(written(EntryStatus::Reverted, 1));
    assert_eq!(entries(&stage).len(), before, "told once");
    // What is put back is news.
    stage.learn(written(EntryStatus::Applied, 1));
    let told = format!("{:?}", entries(&stage).split_off(before));
    assert!(
        told.contains("restored: [3]") && told.contains("restored: [4]"),
        "{told}"
    );
}

/// A change that was staged before the prompt and approved after it is taken back, and the model knows of it.
#[test]
fn the_model_is_told_of_what_it_proposed_before_the_cut() {
    let mut stage = taken_up(Vec::new());
    stage.session.set_time(Timestamp(100));
    stage.submit("edit it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 2));
    stage.says("It is staged.");
    stage.session.set_time(Timestamp(200));
    stage.submit("two");
    stage.says("Done.");
    rewind_both(&mut stage, (1, "two"), 200);
    stage.feed(reverted(Some((1, "two")), both_taken_back(1)));
    let before = entries(&stage).len();
    stage.learn(written(EntryStatus::Reverted, 1));
    let told = format!("{:?}", entries(&stage).split_off(before));
    assert!(
        told.contains("taken_back: [3]") && !told.contains("[4]"),
        "{told}"
    );
}

#[test]
fn where_something_is_in_the_way_neither_goes_back() {
    let mut stage = conversation(&[("one", 100), ("two", 200)]);
    let before = entries(&stage);
    let why = "file1.rs: version 3 cannot be reverted";
    let target = || RevertTarget::Since(shown(200));
    let fault = Fault {
        kind: FaultKind::Store,
        message: "the store is gone".to_owned(),
        hint: None,
    };
    for outcome in [Ok(blocked(target(), why)), Err(fault)] {
        rewind_both(&mut stage, (1, "two"), 200);
        stage.take_log();
        stage.feed(reverted(Some((1, "two")), outcome));
        let log = stage.take_log();
        assert!(
            log.contains("the conversation stays") && !log.contains("rewound"),
            "{log}"
        );
        assert_eq!(entries(&stage), before);
    }
    // Nothing of it is in effect any more: that is no reason to stay.
    rewind_both(&mut stage, (1, "two"), 200);
    stage.feed(reverted(Some((1, "two")), Ok(nothing_taken_back(target()))));
    assert!(stage.take_log().contains("rewound"));
    assert!(stage.session.phase() == Phase::Idle && !stage.session.is_deciding());
}

/// Files that stay come as proposals, and the conversation goes back with the others.
#[test]
fn files_that_stay_are_told_and_proposed() {
    let mut stage = conversation(&[("one", 100), ("two", 200)]);
    rewind_both(&mut stage, (1, "two"), 200);
    let proposals = vec![view(1, 1)];
    let stays = blocked(RevertTarget::Since(shown(200)), "file1.rs: line 1").blocked;
    let outcome = both_taken_back(1).map(|outcome| RevertOutcome {
        blocked: stays,
        proposals: proposals.into(),
        ..outcome
    });
    stage.feed(reverted(Some((1, "two")), outcome));
    let log = stage.take_log();
    assert!(
        log.contains("file1.rs stays: something is in the way"),
        "{log}"
    );
    assert!(log.contains("staged") && log.contains("rewound"), "{log}");
}

/// What was taken back with a changeset is told with its versions, so it is no news later.
#[test]
fn a_changeset_that_was_taken_back_here_is_not_told_again() {
    let mut stage = conversation(&[("one", 100)]);
    stage.feed(reverted(None, both_taken_back(1)));
    let before = entries(&stage).len();
    stage.learn(written(EntryStatus::Reverted, 1));
    assert_eq!(entries(&stage).len(), before);
}

#[test]
fn a_prompt_and_all_behind_it_leave_the_conversation() {
    let mut stage = Stage::with(Config {
        remember: true,
        ..Config::new(specs())
    });
    for prompt in ["one", "two", "three"] {
        stage.submit(prompt);
        stage.says("Done.");
    }
    let listed = {
        stage.take_log();
        stage.feed(Input::Command(Command::Prompts));
        stage.take_log()
    };
    assert!(
        listed.contains("one") && listed.contains("three"),
        "{listed}"
    );
    assert!(rewind(&mut stage, 1, "one").contains("not in the conversation any more"));
    let log = rewind(&mut stage, 1, "two");
    assert!(log.contains("rewound"), "{log}");
    assert!(matches!(stage.records.last(), Some(Record::Retold(told)) if told.len() == 2));
    stage.submit("other");
    let messages = format!("{:?}", stage.last_prompt().messages);
    assert!(
        messages.contains("one") && messages.contains("other"),
        "{messages}"
    );
    assert!(
        !messages.contains("two") && !messages.contains("three"),
        "{messages}"
    );
    assert!(rewind(&mut stage, 0, "one").contains("a turn runs"));
}

/// What was staged behind the prompt waits as before, and the model is told of it.
#[test]
fn what_is_staged_stays() {
    let mut stage = Stage::new();
    stage.submit("edit it");
    stage.calls(&[("a", "edit_section", EDIT)]);
    stage.done("a", staged(1, 2));
    stage.says("It is staged.");
    assert!(rewind(&mut stage, 0, "edit it").contains("rewound"));
    stage.submit("what waits?");
    let messages = format!("{:?}", stage.last_prompt().messages);
    assert!(messages.contains("file1.rs"), "{messages}");
    assert!(!messages.contains("edit it"), "{messages}");
}
