//! Conversations that are written down and read again.

use std::io::Write as _;

use super::*;
use crate::transcript::ASKS_NOTHING;

fn prompt(text: &str) -> Record {
    Record::Entry(Entry::Prompt {
        text: text.to_owned(),
        images: Vec::new(),
        sent: None,
    })
}

fn archive() -> (tempfile::TempDir, Archive) {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::new(folder.path().join("sessions"));
    (folder, archive)
}

#[test]
fn what_was_said_is_there_again() {
    let (_folder, archive) = archive();
    assert!(archive.list().unwrap().is_empty() && archive.newest().unwrap().is_none());
    let mut chronicle = archive.begin("a1", None);
    chronicle.write(5, prompt("fix it\nplease")).unwrap();
    let spent = UsageTotal {
        input: 7,
        ..UsageTotal::default()
    };
    chronicle.write(6, Record::Spent(spent)).unwrap();
    drop(chronicle);
    let (recall, mut chronicle) = archive.resume("a1").unwrap();
    assert_eq!((recall.entries.len(), recall.spent), (1, spent));
    chronicle.write(9, prompt("and that")).unwrap();
    let summary = archive.list().unwrap().remove(0);
    assert_eq!(summary.title, "fix it please");
    assert_eq!((summary.began, summary.last, summary.prompts), (5, 9, 2));
    assert_eq!(archive.newest().unwrap().as_deref(), Some("a1"));
}

#[test]
fn a_command_of_the_user_is_a_title_until_something_is_asked() {
    let (_folder, archive) = archive();
    let mut chronicle = archive.begin("a1", None);
    let ran = format!("!sh odd.sh{ASKS_NOTHING}");
    chronicle.write(5, prompt(&ran)).unwrap();
    assert_eq!(archive.list().unwrap()[0].title, "!sh odd.sh");
    chronicle.write(6, prompt("why?")).unwrap();
    chronicle.write(7, prompt("and that")).unwrap();
    let summary = archive.list().unwrap().remove(0);
    assert_eq!((summary.title.as_str(), summary.prompts), ("why?", 3));
}

#[test]
fn a_conversation_without_a_prompt_is_neither_kept_nor_gone_on_with() {
    let (_folder, archive) = archive();
    let spent = Record::Spent(UsageTotal::default());
    let mut empty = archive.begin("b2", None);
    empty.write(5, spent.clone()).unwrap();
    assert!(!archive.path("b2").exists());
    archive.begin("a1", None).write(6, prompt("one")).unwrap();
    // As an earlier version left them.
    let line = r#"{"at":9,"record":{"began":{"parent":null}}}"#;
    std::fs::write(archive.path("c3"), line).unwrap();
    assert_eq!(archive.newest().unwrap().as_deref(), Some("a1"));
    assert_eq!(archive.find("1").unwrap(), "a1");
    assert_eq!(archive.list().unwrap().len(), 1);
    empty.write(10, prompt("two")).unwrap();
    drop(empty);
    assert_eq!(
        archive.lines("b2").unwrap().len(),
        3,
        "with what came before it"
    );
}

#[test]
fn a_line_that_is_not_whole_is_left_out() {
    let (_folder, archive) = archive();
    archive.begin("a1", None).write(5, prompt("one")).unwrap();
    let path = archive.path("a1");
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(br#"{"at":6,"record":{"entry":{"ent"#)
        .unwrap();
    assert_eq!(archive.read("a1").unwrap().entries.len(), 1);
}

#[test]
fn a_conversation_is_written_by_one_process() {
    let (_folder, archive) = archive();
    let mut chronicle = archive.begin("a1", None);
    chronicle.write(5, prompt("one")).unwrap();
    assert!(matches!(archive.resume("a1"), Err(MemoryError::Busy(_))));
    drop(chronicle);
    assert!(archive.resume("a1").is_ok());
}

#[test]
fn ids_are_found_by_their_start_and_place_and_never_lead_out() {
    let (_folder, archive) = archive();
    for id in ["abc1", "abd2"] {
        archive.begin(id, None).write(5, prompt(id)).unwrap();
    }
    assert_eq!(archive.find("abc").unwrap(), "abc1");
    assert!(archive.find("ab").is_err() && archive.find("").is_err());
    let newest = archive.newest().unwrap().unwrap();
    assert_eq!(archive.find("1").unwrap(), newest);
    assert!(archive.path("../../etc/x").ends_with("sessions/etcx.jsonl"));
}

#[test]
fn the_model_that_was_chosen_last_stays_also_in_a_fork() {
    let (_folder, archive) = archive();
    let mut chronicle = archive.begin("a1", None);
    chronicle.write(5, prompt("one")).unwrap();
    assert_eq!(archive.read("a1").unwrap().model, None);
    for name in ["b", "c"] {
        chronicle.write(6, Record::Model(model(name))).unwrap();
    }
    let retold = vec![Entry::Prompt {
        text: "one".to_owned(),
        images: Vec::new(),
        sent: None,
    }];
    chronicle.write(7, Record::Retold(retold)).unwrap();
    drop(chronicle);
    assert_eq!(archive.read("a1").unwrap().model, Some(model("c")));
    let (fork, chronicle) = archive.fork("a1", 9).unwrap();
    drop(chronicle);
    assert_eq!(archive.read(&fork.id).unwrap().model, Some(model("c")));
    assert_eq!(archive.list().unwrap().len(), 2);
}

fn model(name: &str) -> ChosenModel {
    ChosenModel {
        endpoint: "https://a".to_owned(),
        name: name.to_owned(),
    }
}

#[test]
fn a_chosen_model_is_one_of_its_own_server() {
    let chosen = ChosenModel {
        endpoint: "https://a".to_owned(),
        name: "b".to_owned(),
    };
    for (endpoint, model, expected) in [
        ("https://a", "a", Some("b")),
        ("https://a", "b", None),
        ("https://other", "a", None),
        ("", "a", None),
    ] {
        let about = About {
            provider: "openai".to_owned(),
            model: model.to_owned(),
            endpoint: endpoint.to_owned(),
        };
        assert_eq!(chosen.instead_of(&about), expected, "{endpoint} {model}");
    }
}

#[test]
fn what_was_retold_goes_in_the_place_of_what_was_said() {
    let (_folder, archive) = archive();
    let mut chronicle = archive.begin("a1", Some("a0".to_owned()));
    let told = vec![Entry::Prompt {
        text: "told".to_owned(),
        images: Vec::new(),
        sent: None,
    }];
    chronicle.write(5, prompt("one")).unwrap();
    chronicle.write(5, Record::Retold(told.clone())).unwrap();
    drop(chronicle);
    let recall = archive.read("a1").unwrap();
    assert_eq!(
        (recall.entries, recall.parent.as_deref()),
        (told, Some("a0"))
    );
}

/// Older versions wrote prompts without a time: the line has one, but what was retold has not.
#[test]
fn a_prompt_is_dated_by_itself_or_else_by_its_line() {
    let (_folder, archive) = archive();
    let mut chronicle = archive.begin("a1", None);
    let retold = vec![prompt_entry("retold", None), prompt_entry("dated", Some(3))];
    chronicle.write(5, Record::Retold(retold)).unwrap();
    chronicle.write(6, prompt("of an older version")).unwrap();
    chronicle
        .write(8, Record::Entry(prompt_entry("new", Some(7))))
        .unwrap();
    drop(chronicle);
    let expected = [
        prompt_entry("retold", None),
        prompt_entry("dated", Some(3)),
        prompt_entry("of an older version", Some(6)),
        prompt_entry("new", Some(7)),
    ];
    assert_eq!(archive.read("a1").unwrap().entries, expected);
    // A fork keeps the times.
    let (fork, chronicle) = archive.fork("a1", 9).unwrap();
    drop(chronicle);
    assert_eq!(archive.read(&fork.id).unwrap().entries, expected);
}

fn prompt_entry(text: &str, sent: Option<i64>) -> Entry {
    Entry::Prompt {
        text: text.to_owned(),
        images: Vec::new(),
        sent: sent.map(Timestamp),
    }
}
