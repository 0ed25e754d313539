//! The question whether hooks of a workspace may run.

use signoff_core::budget::Stop;

use super::*;
use crate::foreign::{
    ForeignAnswer, ForeignCall, ForeignServers, KnownTool, ServerRequest, ServersReport,
};
use crate::hook::{Hook, HookEvent, Hooks, ToolMatcher, WorkspaceHooks};
use crate::session::Grant;
use crate::trust::{TrustQuestion, TrustRecord, TrustStanding};

/// Returns a record on which nothing was decided, and which notes what is.
fn open(label: &str, kept: &Arc<Mutex<Vec<bool>>>) -> TrustRecord {
    let kept = Arc::clone(kept);
    let question = TrustQuestion {
        label: label.to_owned(),
        text: "true".to_owned(),
    };
    TrustRecord::new(
        question,
        TrustStanding::Unknown,
        Box::new(move |is_trusted| {
            kept.lock().unwrap().push(is_trusted);
            Ok(())
        }),
    )
}

fn hooks(kept: &Arc<Mutex<Vec<bool>>>) -> Arc<Hooks> {
    let workspace = WorkspaceHooks {
        hooks: vec![Hook {
            event: HookEvent::PreToolUse,
            matcher: ToolMatcher::read("*").0,
            command: "true".to_owned(),
            timeout: Duration::from_secs(1),
        }],
        trust: open("hooks of s.json", kept),
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
    let mut questions = 0;
    let end = exec(driver, "look".to_owned(), |event| {
        questions += usize::from(matches!(&event, Event::PermissionAsked { .. }));
    })
    .await;
    assert_eq!((end, questions), (TurnEnd::Done, 0));
    assert!(kept.lock().unwrap().is_empty());
}

/// A server that waits for the user.
#[derive(Default)]
struct OpenServer {
    answers: Mutex<Vec<bool>>,
}

impl ForeignServers for OpenServer {
    fn listing(&self) -> String {
        String::new()
    }

    fn has(&self, _server: &str) -> bool {
        true
    }

    fn known(&self, _tool: &str) -> Option<KnownTool> {
        None
    }

    fn find(&self, _words: &str, _stop: &Stop) -> ForeignAnswer {
        unreachable!()
    }

    fn call(&self, _call: &ForeignCall, _stop: &Stop) -> ForeignAnswer {
        unreachable!()
    }

    fn resource(&self, _server: &str, _address: &str, _stop: &Stop) -> ForeignAnswer {
        unreachable!()
    }

    fn prompt(&self, _server: &str, _prompt: &str, _words: &str, _stop: &Stop) -> ForeignAnswer {
        unreachable!()
    }

    fn trust_question(&self, server: &str) -> Option<TrustQuestion> {
        (server == "s").then(|| TrustQuestion {
            label: "MCP server s".to_owned(),
            text: "all of it".to_owned(),
        })
    }

    fn answer_trust(&self, _server: &str, is_allowed: bool) -> ServersReport {
        self.answers.lock().unwrap().push(is_allowed);
        ServersReport::default()
    }

    fn report(&self, _request: &ServerRequest, _stop: &Stop) -> ServersReport {
        ServersReport {
            lines: vec!["not asked".to_owned()],
            ..ServersReport::default()
        }
    }
}

#[tokio::test]
async fn a_server_of_the_workspace_is_allowed_by_the_answer_to_its_question_alone() {
    for (asks, name, answer, decided) in [
        (true, "s", Some(Grant::Once), &[true][..]),
        (true, "s", Some(Grant::Refuse { reason: None }), &[false]),
        (true, "s", None, &[false]),
        (true, "other", Some(Grant::Once), &[]),
        (false, "s", Some(Grant::Once), &[]),
    ] {
        let folder = Folder::new(&[]);
        let servers = Arc::new(OpenServer::default());
        let shared: Arc<dyn ForeignServers> = Arc::clone(&servers) as _;
        let driver = driver(&script(Vec::new()), &folder);
        let driver = driver.on_ground(|ground| ground.with_servers(Some(shared)));
        let driver = if asks {
            driver.asking_for_trust()
        } else {
            driver
        };
        let (mut is_begun, mut lines) = (false, Vec::new());
        converse(driver, "look", |event| match event {
            Event::TurnEnded { .. } if !is_begun => {
                is_begun = true;
                let allow = || Command::Servers(ServerRequest::Allow(name.to_owned()));
                // The second comes while the question is open.
                Some(vec![allow(), allow()])
            }
            Event::PermissionAsked { call, subject, .. } => {
                assert_eq!(subject, "all of it");
                Some(vec![match &answer {
                    Some(grant) => Command::Permit {
                        call: call.clone(),
                        grant: grant.clone(),
                    },
                    None => Command::Cancel,
                }])
            }
            Event::Servers(report) => {
                lines.extend(report.lines.clone());
                let is_over = servers.answers.lock().unwrap().len() == decided.len()
                    && lines.len() >= 2 - decided.len();
                (!is_over).then(Vec::new)
            }
            _ => Some(Vec::new()),
        })
        .await;
        assert_eq!(servers.answers.lock().unwrap().as_slice(), decided);
        assert!(lines.iter().all(|line| line == "not asked"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_model_that_was_found_is_sent_nothing_before_the_user_agrees() {
    for (answer, kept, own, found_ones) in [
        (Some(Grant::Once), &[true][..], 0, 1),
        (Some(Grant::Refuse { reason: None }), &[false], 1, 0),
        // Left: the prompt comes back, and the next one asks again.
        (None, &[], 0, 0),
    ] {
        let folder = Folder::new(&[]);
        let (planner, local) = (script(Vec::new()), script(Vec::new()));
        let decided: Arc<Mutex<Vec<bool>>> = Arc::default();
        let hooks_kept = Arc::default();
        let driver = driver(&planner, &folder)
            .with_found_model(FoundModel {
                trust: open("Ollama", &decided),
                provider: Arc::clone(&local) as _,
            })
            .with_hooks(hooks(&hooks_kept))
            .asking_for_trust();
        let mut asked = Vec::new();
        converse(driver, "look", |event| match event {
            Event::PermissionAsked { call, tool, .. } => {
                assert!(local.prompts.lock().unwrap().is_empty());
                asked.push(tool.clone());
                let grant = match tool.as_str() {
                    "Ollama" => answer.clone(),
                    _ => Some(Grant::Refuse { reason: None }),
                };
                Some(vec![match grant {
                    Some(grant) => Command::Permit {
                        call: call.clone(),
                        grant,
                    },
                    None => Command::Cancel,
                }])
            }
            Event::TurnEnded { .. } => None,
            _ => Some(Vec::new()),
        })
        .await;
        assert_eq!(decided.lock().unwrap().as_slice(), kept);
        // The workspace's hooks are asked about behind it, before the prompt.
        assert_eq!(asked.len(), if answer.is_some() { 2 } else { 1 });
        let sent = [&planner, &local].map(|one| one.prompts.lock().unwrap().len());
        assert_eq!(sent, [own, found_ones]);
    }
}
