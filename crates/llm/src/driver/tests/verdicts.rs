//! What is staged, and what verdicts make of it on the disk.

use super::*;
use crate::session::FaultKind;

#[tokio::test]
async fn exec_stages_and_leaves_the_disk_alone() {
    let folder = Folder::new(&[("a.txt", "one\ntwo\n")]);
    let script = script(vec![
        Answer::Whole(called(&[
            ("read", json!({ "path": "a.txt" })),
            edit("one", "1"),
            edit("1\ntwo", "1\n2"),
        ])),
        Answer::Whole(said("Staged both.")),
    ]);
    let mut events = Vec::new();
    let end = exec(driver(&script, &folder), "count".to_owned(), |event| {
        events.push(event)
    })
    .await;
    assert_eq!(end, TurnEnd::Review);
    assert_eq!(folder.disk("a.txt").as_deref(), Some("one\ntwo\n"));
    let staged = events
        .iter()
        .filter(|event| matches!(event, Event::Staged(_)));
    assert_eq!(staged.count(), 2);

    let prompts = script.prompts.lock().unwrap();
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[1].tool_choice, ToolChoice::None);
    let Some(Message::System { text }) = prompts[1].messages.last() else {
        panic!("no notice");
    };
    assert!(text.starts_with("Your edits are staged, not applied"));
    for event in &events {
        if let Event::Staged(proposals) = event {
            assert!(
                proposals
                    .iter()
                    .all(|view| text.contains(&view.id.to_string()))
            );
        }
    }
}

#[tokio::test]
async fn what_is_approved_is_written_and_what_is_reverted_is_back() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let script = script(vec![Answer::Whole(called(&[edit("one", "1")]))]);
    let mut written = None;
    let events = converse(driver(&script, &folder), "count", |event| match event {
        Event::TurnEnded { .. } => Some(vec![Command::Review]),
        Event::Review(list) if !list.proposals.is_empty() => {
            Some(vec![Command::Decide(rulings(event, &Verdict::Approve))])
        }
        Event::Decided { .. } => {
            written = written.take().or(folder.disk("a.txt"));
            let to = RevertTo::Last;
            let path = "a.txt".to_owned();
            Some(vec![Command::Revert(RevertTarget::OneFile { path, to })])
        }
        Event::Reverted { .. } => None,
        _ => Some(Vec::new()),
    })
    .await;
    assert_eq!(written.as_deref(), Some("1\n"));
    assert_eq!(folder.disk("a.txt").as_deref(), Some("one\n"));
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Decided { approved: 1, .. }))
    );
}

#[tokio::test]
async fn a_file_that_the_user_saved_meanwhile_is_not_written() {
    let folder = Folder::new(&[("a.txt", "one\ntwo\n")]);
    let script = script(vec![Answer::Whole(called(&[edit("one", "1")]))]);
    let mut lists = 0;
    let events = converse(driver(&script, &folder), "count", |event| {
        lists += usize::from(matches!(event, Event::Review(_)));
        match (event, lists) {
            (Event::TurnEnded { .. }, _) => Some(vec![Command::Review]),
            (Event::Review(_), 1) => {
                save(&folder.path("a.txt"), "zero\none\ntwo\n");
                Some(vec![Command::Decide(rulings(event, &Verdict::Approve))])
            }
            // The list comes again, as it is on the saved text.
            (Event::Review(list), 2) => {
                assert_eq!(list.proposals.len(), 1);
                None
            }
            _ => Some(Vec::new()),
        }
    })
    .await;
    let mut changed = 0;
    for event in &events {
        changed +=
            usize::from(matches!(event, Event::Fault(own) if own.kind == FaultKind::FileChanged));
    }
    assert_eq!(changed, 1);
    assert_eq!(folder.disk("a.txt").as_deref(), Some("zero\none\ntwo\n"));
}

#[tokio::test]
async fn a_denial_with_a_reason_is_in_the_next_request() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let script = script(vec![Answer::Whole(called(&[edit("one", "1")]))]);
    let mut asked = false;
    converse(driver(&script, &folder), "count", |event| match event {
        Event::TurnEnded {
            end: TurnEnd::Review,
        } => Some(vec![Command::Review]),
        Event::Review(list) if !list.proposals.is_empty() && !asked => {
            asked = true;
            let reason = Some("keep words".to_owned());
            Some(vec![Command::Decide(rulings(
                event,
                &Verdict::Deny { reason },
            ))])
        }
        Event::TurnEnded { end: TurnEnd::Done } => None,
        _ => Some(Vec::new()),
    })
    .await;
    let prompts = script.prompts.lock().unwrap();
    let last = prompts.last().unwrap();
    assert_eq!(last.tool_choice, ToolChoice::Auto);
    assert!(
        last.messages
            .iter()
            .any(|message| matches!(message, Message::System { text }
        if text.contains("denied: keep words")))
    );
    assert_eq!(folder.disk("a.txt").as_deref(), Some("one\n"));
}

/// Returns verdicts on what waits in the list of an event: approvals, and a denial of `d.txt`.
fn all_but_d(event: &Event, reason: Option<&str>) -> Vec<Ruling> {
    let Event::Review(listing) = event else {
        return Vec::new();
    };
    let waiting = listing
        .proposals
        .iter()
        .flat_map(|view| view.pending().map(|hunk| (view.path.as_str(), hunk)));
    waiting
        .map(|(path, hunk)| {
            let verdict = match path {
                "d.txt" => Verdict::Deny {
                    reason: reason.map(str::to_owned),
                },
                _ => Verdict::Approve,
            };
            Ruling::new(hunk, verdict)
        })
        .collect()
}

/// Returns the notices of the last request of a conversation whose user saves `c.txt` under what waits, rules on
/// everything twice, and denies `d.txt` for this reason.
async fn notices_after_a_save(saved: &str, reason: Option<&str>) -> Vec<String> {
    let paths = ["a.txt", "b.txt", "c.txt", "d.txt"];
    let folder = Folder::new(&paths.map(|path| (path, "one\n")));
    let edits = paths.map(|path| {
        let (tool, mut arguments) = edit("one", "1");
        arguments["path"] = json!(path);
        (tool, arguments)
    });
    let script = script(vec![Answer::Whole(called(&edits))]);
    let mut lists = 0;
    converse(driver(&script, &folder), "count", |event| {
        lists += usize::from(matches!(event, Event::Review(_)));
        match (event, lists) {
            (Event::TurnEnded { .. }, 0) => Some(vec![Command::Review]),
            (Event::Review(_), 1 | 2) => {
                if lists == 1 {
                    save(&folder.path("c.txt"), saved);
                }
                Some(vec![Command::Decide(all_but_d(event, reason))])
            }
            (Event::Review(_), 3) if reason.is_none() => {
                Some(vec![Command::Submit("and now?".to_owned())])
            }
            (Event::TurnEnded { .. }, _) => None,
            _ => Some(Vec::new()),
        }
    })
    .await;
    let prompts = script.prompts.lock().unwrap();
    let staged = |text: &str| text.starts_with("Your edits are staged");
    let messages = prompts.last().unwrap().messages.iter().skip(1);
    let notices = messages.filter_map(|message| match message {
        Message::System { text } if !staged(text) => Some(text.clone()),
        _ => None,
    });
    notices.collect()
}

#[tokio::test]
async fn after_a_sign_off_in_part_the_model_is_told_of_nothing_written_as_waiting() {
    let conflict = "No staged edit waits that can be written.\n- c.txt: in conflict, not written\nTools are open.";
    for reason in [None, Some("keep it")] {
        for (saved, head, state) in [
            (
                "zero\none\n",
                "The user decided on 4 hunks: 3 kept, 1 denied.",
                None,
            ),
            (
                "mine\n",
                "The user decided on 3 hunks: 2 kept, 1 denied.",
                Some(conflict),
            ),
        ] {
            let notices = notices_after_a_save(saved, reason).await;
            let [moved, verdicts, rest @ ..] = notices.as_slice() else {
                panic!("{notices:?}");
            };
            assert!(
                moved.ends_with("then:\n- c.txt\nRead these files again before you edit them.")
            );
            assert_eq!(verdicts.lines().next(), Some(head));
            assert_eq!(rest.first().map(String::as_str), state, "{reason:?}");
        }
    }
}
