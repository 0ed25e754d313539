//! Tellings of made-up conversations.

use proptest::prelude::*;
use signoff_core::id::{HunkId, ProposalId};
use uuid::Uuid;

use super::*;
use crate::message::{CallId, Message};
use crate::test_images::prompt_png;
use crate::transcript::Transcript;
use signoff_core::engine::HunkOutcome;

fn prompt(text: &str) -> Entry {
    Entry::Prompt {
        text: text.to_owned(),
        images: Vec::new(),
        sent: None,
    }
}

fn said(transcript: &mut Transcript, text: &str, calls: &[(&str, String)], result: &str) {
    let calls = calls
        .iter()
        .map(|(name, arguments)| ToolCall {
            id: CallId("c".to_owned()),
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        })
        .collect();
    for id in transcript.said(text.to_owned(), calls).unwrap() {
        transcript.answer(&id, result.to_owned()).unwrap();
    }
}

fn verdict(number: u32, path: &str, status: HunkStatus) -> HunkOutcome {
    HunkOutcome {
        hunk: HunkId {
            proposal: ProposalId(Uuid::from_u128(1)),
            number,
        },
        path: path.to_owned(),
        status,
    }
}

/// Returns a conversation of several turns with a denial in its first.
fn long(turns: usize) -> Vec<Entry> {
    let mut transcript = Transcript::default();
    for turn in 0..turns {
        transcript.prompt(format!("request {turn}")).unwrap();
        let read = format!(r#"{{"path":"src/file{turn}.rs"}}"#);
        said(
            &mut transcript,
            "",
            &[("read", read)],
            &"line\n".repeat(900),
        );
        if turn == 0 {
            let plan = r#"{"steps":["first","second"]}"#.to_owned();
            said(&mut transcript, "", &[("update_plan", plan)], "ok");
            transcript.note(Notice::Verdicts {
                hunks: vec![
                    verdict(1, "src/file0.rs", HunkStatus::Committed),
                    verdict(
                        2,
                        "src/file0.rs",
                        HunkStatus::Denied {
                            reason: Some("keep the old name".to_owned()),
                        },
                    ),
                ],
                pending: 0,
            });
        }
        said(&mut transcript, &format!("done {turn}"), &[], "");
    }
    transcript.entries().to_vec()
}

fn text_of(entries: &[Entry]) -> String {
    let messages = Transcript::restored(entries.to_vec()).messages("");
    let texts = messages.into_iter().map(|message| match message {
        Message::System { text } | Message::User { text, .. } | Message::Assistant { text, .. } => {
            text
        }
        Message::Tool { content, .. } => content,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn old_results_go_first() {
    let entries = long(3);
    let told = compact(&entries, &[], 8_000).unwrap();
    assert_eq!(told.len(), entries.len(), "every entry is still there");
    assert!(size(&told) <= 8_000 && text_of(&told).contains("left out: 4380 bytes"));
}

#[test]
fn what_the_user_decided_survives() {
    let told = compact(&long(60), &["b.rs (2 hunks)".to_owned()], 9_000).unwrap();
    assert!(size(&told) <= 9_000, "{}", size(&told));
    let text = text_of(&told);
    for kept in [
        "src/file0.rs: keep the old name",
        "b.rs (2 hunks)",
        r#"{"steps":["first","second"]}"#,
        "- request 0",
        "request 59",
        "done 59",
    ] {
        assert!(text.contains(kept), "{kept}\n{text}");
    }
    insta::assert_snapshot!(told[0_usize..1].iter().map(|entry| match entry {
        Entry::Noticed { notice } => notice.to_string(),
        _ => String::new(),
    }).collect::<String>().lines().take(8).collect::<Vec<_>>().join("\n"), @"
    To save room, what was said before is left out. What there is to know of it:
    Denied by the user; do not propose it again:
    - src/file0.rs: keep the old name
    Staged and waiting for the user's verdict:
    - b.rs (2 hunks)
    The plan:
    - {\"steps\":[\"first\",\"second\"]}
    What the user asked:
    ");
}

#[test]
fn a_digest_of_a_digest_forgets_no_denial() {
    let mut entries = long(40);
    for _ in 0..4 {
        entries.extend(long(40).split_off(6));
        entries = compact(&entries, &[], 8_000).unwrap();
    }
    let text = text_of(&entries);
    assert!(text.contains("keep the old name") && text.contains("- request 0\n"));
    assert!(size(&entries) <= 8_000);
}

#[test]
fn a_turn_that_is_too_long_alone_keeps_its_prompt() {
    let mut transcript = Transcript::default();
    transcript.prompt("the request".to_owned()).unwrap();
    for step in 0..40 {
        let text = format!("step {step} {}", "x".repeat(400));
        said(
            &mut transcript,
            &text,
            &[("read", "{}".to_owned())],
            "short",
        );
    }
    let told = compact(transcript.entries(), &[], 7_000).unwrap();
    assert!(size(&told) <= 7_000);
    let text = text_of(&told);
    assert!(text.contains("\nthe request\n") && text.contains("step 39"));
}

#[test]
fn the_newest_call_stays_with_the_ends_of_its_results() {
    let arguments = r#"{"command":"seq 1 2000000; echo END-OF-IT"}"#;
    let output = format!("1\n{}END-OF-IT\n", "line\n".repeat(40_000));
    for (calls, arguments) in [
        (1, arguments.to_owned()),
        (3, arguments.to_owned()),
        (
            1,
            format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(90_000)),
        ),
    ] {
        let mut transcript = Transcript::default();
        transcript.prompt("count".to_owned()).unwrap();
        let calls = vec![("bash", arguments); calls];
        said(&mut transcript, "", &calls, &output);
        let told = compact(transcript.entries(), &[], 40_000).unwrap();
        assert!(size(&told) <= 40_000, "{}", size(&told));
        let made = told.iter().map(|entry| match entry {
            Entry::Said { calls, .. } => calls.len(),
            _ => 0,
        });
        assert_eq!(made.sum::<usize>(), calls.len());
        let text = text_of(&told);
        assert_eq!(text.matches("END-OF-IT").count(), calls.len());
        assert_eq!(text.matches("\n(left out: ").count(), calls.len());
    }
}

#[test]
fn what_cannot_be_shorter_is_left_as_it_is() {
    assert_eq!(compact(&[prompt("hi")], &[], 10), None);
    assert_eq!(compact(&[], &[], 0), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn every_telling_is_a_valid_conversation(
        steps in prop::collection::vec((0u8..4, 0usize..3000), 1..40),
        most in 0usize..20_000,
    ) {
        let mut transcript = Transcript::default();
        for (kind, length) in steps {
            let text = "ü ".repeat(length);
            match kind {
                0 => transcript.prompt(text).unwrap(),
                1 => said(&mut transcript, &text, &[], ""),
                2 => said(&mut transcript, "", &[("read", format!("{{\"path\":\"{length}\"}}"))], &text),
                _ => said(&mut transcript, "a", &[("write", format!("{{\"content\":\"{text}\"}}")), ("read", "{}".into())], "r"),
            }
        }
        let before = size(transcript.entries());
        if let Some(told) = compact(transcript.entries(), &[], most) {
            prop_assert!(size(&told) < before);
            let calls: Vec<_> = told.iter().filter_map(|entry| match entry {
                Entry::Said { calls, .. } => Some(calls.len()),
                _ => None,
            }).collect();
            let answers = told.iter().filter(|entry| matches!(entry, Entry::Answered { .. })).count();
            prop_assert_eq!(calls.into_iter().sum::<usize>(), answers);
            let last_prompt = |entries: &[Entry]| entries.iter().rev().find(|e| matches!(e, Entry::Prompt { .. })).cloned();
            prop_assert_eq!(last_prompt(&told), last_prompt(transcript.entries()));
        }
    }
}

#[test]
fn a_digest_names_the_images_that_were_there() {
    let entries = [
        prompt_with("one", "a.png"),
        long_answer(),
        prompt_with("two", "b.png"),
        long_answer(),
    ];
    let told = compact(&entries, &[], 6_000).unwrap();
    let Some(Entry::Noticed { notice }) = told.first() else {
        panic!("{told:?}");
    };
    assert!(
        notice.to_string().contains("one (image a.png was here)"),
        "{notice}"
    );
    let newest = told
        .iter()
        .rfind(|entry| matches!(entry, Entry::Prompt { .. }));
    let Some(Entry::Prompt { images, .. }) = newest else {
        panic!("{told:?}");
    };
    assert!(images[0].held().is_some(), "the newest is kept");
}

fn long_answer() -> Entry {
    Entry::Said {
        text: "x".repeat(9_000),
        calls: Vec::new(),
        kept: Vec::new(),
    }
}

fn prompt_with(text: &str, image: &str) -> Entry {
    Entry::Prompt {
        text: text.to_owned(),
        images: vec![prompt_png(image, 100, 1)],
        sent: None,
    }
}
