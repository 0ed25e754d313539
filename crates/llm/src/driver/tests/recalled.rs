//! Conversations that go on in another process.

use super::*;
use crate::query_lane::QueryScene;

/// Returns a conversation that is written below a folder, and goes on with the newest.
fn remembering(script: &Arc<Script>, folder: &Folder, archive: &std::path::Path) -> Driver {
    let archive = crate::memory::Archive::new(archive.to_owned());
    let memory = match archive.newest().unwrap() {
        Some(id) => Memory::resume(archive, &id).unwrap(),
        None => Memory::begin(archive),
    };
    driver(script, folder).with_memory(memory)
}

#[tokio::test]
async fn a_conversation_goes_on_in_another_process() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let archive = tempfile::tempdir().unwrap();
    let first = script(vec![
        Answer::Whole(called(&[edit("one", "1")])),
        Answer::Whole(said("Staged.")),
    ]);
    let one = remembering(&first, &folder, archive.path());
    assert_eq!(exec(one, "count".to_owned(), |_| {}).await, TurnEnd::Review);
    let second = script(vec![Answer::Whole(said("Yes."))]);
    let other = remembering(&second, &folder, archive.path());
    let mut earlier = Vec::new();
    assert_eq!(
        exec(other, "and?".to_owned(), |event| {
            if let Event::Earlier { text, .. } = event {
                earlier.push(text);
            }
        })
        .await,
        TurnEnd::Done
    );
    assert_eq!(earlier, ["count", "Staged."]);
    let prompts = second.prompts.lock().unwrap();
    let texts: Vec<_> = prompts[0]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::User { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["count", "and?"]);
}

#[tokio::test]
async fn conversations_are_listed_forked_and_taken_up_again() {
    let folder = Folder::new(&[]);
    let archive = tempfile::tempdir().unwrap();
    let script = script(Vec::new());
    let driver = remembering(&script, &folder, archive.path());
    let queries = driver.queries();
    let mut ids = Vec::new();
    let events = converse(driver, "one", |event| match event {
        Event::Session { id, .. } => {
            ids.push(id.clone());
            Some(match ids.len() {
                1 => vec![],
                2 => vec![Command::Submit("two".to_owned())],
                _ => return None,
            })
        }
        Event::TurnEnded { .. } if ids.len() == 1 => {
            Some(vec![Command::Switch(crate::session::Switch::Fork)])
        }
        Event::TurnEnded { .. } => {
            let first = ids[0].clone();
            Some(vec![Command::Switch(crate::session::Switch::Resume(first))])
        }
        _ => Some(vec![]),
    })
    .await;
    let faults = events
        .iter()
        .filter(|event| matches!(event, Event::Fault(_)));
    assert_eq!(faults.count(), 0);
    assert_eq!((ids.len(), &ids[0]), (3, &ids[2]));
    let listed = queries.ask(QueryScene::sessions).await.unwrap();
    let prompts: Vec<_> = listed
        .iter()
        .map(|one| (one.id == ids[0], one.title.as_str(), one.prompts))
        .collect();
    assert_eq!(prompts.len(), 2);
    assert!(prompts.contains(&(true, "one", 1)) && prompts.contains(&(false, "one", 2)));
    let fork = listed.iter().find(|one| one.id == ids[1]).unwrap();
    assert_eq!(fork.parent.as_deref(), Some(ids[0].as_str()));
}

#[tokio::test]
async fn images_that_were_given_go_with_the_next_prompt_alone() {
    let folder = Folder::new(&[]);
    let script = script(vec![
        Answer::Whole(said("Hello.")),
        Answer::Whole(said("A dot.")),
        Answer::Whole(said("Yes.")),
    ]);
    let given = crate::test_images::png("dot.png", 20, 1);
    let mut turns = 0;
    converse(driver(&script, &folder), "hello", |event| match event {
        Event::TurnEnded { .. } => {
            turns += 1;
            match turns {
                1 => Some(vec![
                    Command::GiveImages(vec![given.clone()]),
                    Command::Submit("what is it?".to_owned()),
                ]),
                2 => Some(vec![Command::Submit("sure?".to_owned())]),
                _ => None,
            }
        }
        _ => Some(Vec::new()),
    })
    .await;
    let prompts = script.prompts.lock().unwrap();
    let images: Vec<usize> = prompts[2]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::User { images, .. } => Some(images.len()),
            _ => None,
        })
        .collect();
    assert_eq!(images, [0, 1, 0]);
}
