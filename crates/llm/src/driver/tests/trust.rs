//! The question whether hooks of a workspace may run.

use super::*;
use crate::hook::{
    Hook, HookEvent, HookStanding, Hooks, ToolMatcher, TrustQuestion, WorkspaceHooks,
};
use crate::session::Grant;

fn hooks(kept: &Arc<Mutex<Vec<bool>>>) -> Arc<Hooks> {
    let kept = Arc::clone(kept);
    let workspace = WorkspaceHooks {
        hooks: vec![Hook {
            event: HookEvent::PreToolUse,
            matcher: ToolMatcher::read("*").0,
            command: "true".to_owned(),
            timeout: Duration::from_secs(1),
        }],
        standing: HookStanding::Undecided,
        question: TrustQuestion {
            label: "hooks of s.json".to_owned(),
            text: "true".to_owned(),
        },
        keep: Box::new(move |trusted| {
            kept.lock().unwrap().push(trusted);
            Ok(())
        }),
    };
    Arc::new(Hooks::new(Vec::new(), Some(workspace)).unwrap())
}

/// What the user does about the question.
enum Reaction {
    Grant(Grant),
    Cancel,
}

#[tokio::test]
async fn a_question_about_hooks_is_answered_by_its_own_id_alone() {
    for (reaction, decided, requests) in [
        (Reaction::Grant(Grant::Once), &[true][..], 1),
        (Reaction::Grant(Grant::Refuse { reason: None }), &[false], 1),
        (Reaction::Cancel, &[], 0),
    ] {
        let kept = Arc::default();
        let folder = Folder::new(&[]);
        let script = script(Vec::new());
        let driver = driver(&script, &folder)
            .with_hooks(hooks(&kept))
            .asking_for_trust();
        let mut questions = 0;
        let events = converse(driver, "look", |event| match event {
            Event::PermissionAsked { call, tool, .. } => {
                questions += 1;
                assert_eq!(tool, "hooks of s.json");
                assert!(
                    script.prompts.lock().unwrap().is_empty(),
                    "the prompt waits"
                );
                let forged = Command::Permit {
                    call: CallId("hooks of s.json".to_owned()),
                    grant: Grant::Once,
                };
                let answer = match &reaction {
                    Reaction::Grant(grant) => Command::Permit {
                        call: call.clone(),
                        grant: grant.clone(),
                    },
                    Reaction::Cancel => Command::Cancel,
                };
                Some(vec![forged, answer])
            }
            Event::TurnEnded { .. } => None,
            _ => Some(Vec::new()),
        })
        .await;
        assert_eq!(questions, 1);
        assert_eq!(kept.lock().unwrap().as_slice(), decided);
        assert_eq!(script.prompts.lock().unwrap().len(), requests);
        let unsent = Event::Unsent {
            text: "look".to_owned(),
        };
        assert_eq!(events.contains(&unsent), requests == 0);
    }
}

#[tokio::test]
async fn nobody_is_asked_about_hooks_where_nobody_is_to_be() {
    let kept = Arc::default();
    let folder = Folder::new(&[]);
    let script = script(Vec::new());
    let driver = driver(&script, &folder).with_hooks(hooks(&kept));
    let asked = |event: &Event| matches!(event, Event::PermissionAsked { .. });
    let mut questions = 0;
    let end = exec(driver, "look".to_owned(), |event| {
        questions += usize::from(asked(&event));
    })
    .await;
    assert_eq!((end, questions), (TurnEnd::Done, 0));
    assert!(kept.lock().unwrap().is_empty());
}
