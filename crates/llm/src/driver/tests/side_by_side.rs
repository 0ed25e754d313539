//! Several sessions in one process.

use futures_util::future::join_all;
use tokio::sync::Barrier;

use super::*;

/// Edits a file in its first answer, and ends the second once all sessions have come so far.
struct Meeting {
    file: String,
    asked: AtomicUsize,
    all: Arc<Barrier>,
}

impl Provider for Meeting {
    fn about(&self) -> About {
        About {
            provider: "script".to_owned(),
            model: format!("model of {}", self.file),
            endpoint: String::new(),
        }
    }

    fn stream(&self, _: Prompt) -> DeltaStream {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 {
            let arguments = json!({
                "path": self.file,
                "description": format!("Change {}", self.file),
                "edits": [{ "old_text": "old", "new_text": format!("new {}", self.file) }],
            });
            let pieces = called(&[("edit_section", arguments)]);
            return Box::pin(stream::iter(pieces.into_iter().map(Ok)));
        }
        let all = Arc::clone(&self.all);
        let met = stream::once(async move {
            all.wait().await;
            stream::iter(said("Staged.").into_iter().map(Ok))
        });
        Box::pin(met.flatten())
    }
}

/// Runs one session in each folder at once; each edits the file of its place, and all of them have staged something
/// before any is decided on. Returns what each staged.
async fn meet(folders: &[&Folder]) -> Vec<Vec<String>> {
    let all = Arc::new(Barrier::new(folders.len()));
    let sessions = folders.iter().enumerate().map(|(place, folder)| {
        let provider = Meeting {
            file: format!("{place}.txt"),
            asked: AtomicUsize::new(0),
            all: Arc::clone(&all),
        };
        let driver = Driver::new(Arc::new(provider), Arc::clone(&folder.engine));
        async move {
            let mut staged = Vec::new();
            let events = converse(driver, "change it", |event| match event {
                Event::Staged(proposals) => {
                    staged.extend(proposals.iter().cloned());
                    Some(Vec::new())
                }
                Event::TurnEnded { .. } => {
                    let hunks = staged.iter().flat_map(|view| &view.hunks);
                    let approved = hunks.map(|hunk| Ruling::new(hunk, Verdict::Approve));
                    Some(vec![Command::Decide(approved.collect())])
                }
                Event::Decided { .. } | Event::Undecided => None,
                _ => Some(Vec::new()),
            });
            let events = events.await;
            assert!(
                events
                    .iter()
                    .any(|event| matches!(event, Event::Decided { approved: 1, .. })),
                "{events:#?}"
            );
            let paths = staged.iter().map(|view| view.path.clone());
            paths.collect::<Vec<_>>()
        }
    });
    join_all(sessions).await
}

const FILES: [(&str, &str); 3] = [("0.txt", "old\n"), ("1.txt", "old\n"), ("2.txt", "old\n")];

#[tokio::test]
async fn each_session_has_its_own_workspace_and_staged_work() {
    let folders = [(); 3].map(|()| Folder::new(&FILES));
    let staged = meet(&folders.each_ref()).await;
    assert_eq!(staged, [["0.txt"], ["1.txt"], ["2.txt"]]);
    for (place, folder) in folders.iter().enumerate() {
        for (other, (file, old)) in FILES.iter().enumerate() {
            let expected = if other == place {
                format!("new {file}\n")
            } else {
                (*old).to_owned()
            };
            assert_eq!(folder.disk(file), Some(expected), "{file} of {place}");
        }
    }
}

#[tokio::test]
async fn sessions_over_one_engine_keep_apart_whose_edit_is_whose() {
    let folder = Folder::new(&FILES);
    meet(&[&folder, &folder, &folder]).await;
    let history = crate::tool::lock(&folder.engine).history(None).unwrap();
    let mut sessions: Vec<_> = history.iter().map(|entry| &entry.session).collect();
    sessions.sort();
    sessions.dedup();
    assert_eq!((history.len(), sessions.len()), (3, 3), "{history:#?}");
    for entry in &history {
        let name = format!("model of {}", entry.path);
        assert_eq!(entry.proposer, Some(Proposer::Model { name }));
    }
}
