//! Agents that a conversation gives tasks.

use std::collections::HashMap;

use signoff_core::stage::review::Proposer;

use super::*;
use crate::agent::{Agent, AgentOwner, Agents};
use crate::mode::Mode;
use crate::provider::Usage;
use crate::session::Grant;

/// Plays answers by who asks: `main`, or the name of an agent.
#[derive(Default)]
pub(super) struct Cast {
    answers: Mutex<HashMap<&'static str, VecDeque<Answer>>>,
    prompts: Mutex<Vec<(String, Prompt)>>,
}

fn role(prompt: &Prompt) -> String {
    let Some(Message::System { text }) = prompt.messages.first() else {
        return "main".to_owned();
    };
    let name = text.split_once("You are the agent ");
    let name = name.and_then(|(_, rest)| rest.split_once('.'));
    name.map_or("main", |(name, _)| name).to_owned()
}

impl Provider for Cast {
    fn about(&self) -> About {
        About {
            provider: "script".to_owned(),
            model: "m".to_owned(),
            endpoint: String::new(),
        }
    }

    fn stream(&self, prompt: Prompt) -> DeltaStream {
        let role = role(&prompt);
        self.prompts.lock().unwrap().push((role.clone(), prompt));
        let mut answers = self.answers.lock().unwrap();
        match answers.get_mut(role.as_str()).and_then(VecDeque::pop_front) {
            Some(Answer::Whole(pieces)) => Box::pin(stream::iter(pieces.into_iter().map(Ok))),
            Some(Answer::Stuck(pieces)) => {
                let pieces = stream::iter(pieces.into_iter().map(Ok));
                Box::pin(pieces.chain(stream::pending()))
            }
            Some(Answer::Broken(pieces, error)) => {
                let pieces = stream::iter(pieces.into_iter().map(Ok));
                Box::pin(pieces.chain(stream::iter([Err(error)])))
            }
            None => Box::pin(stream::iter(said("Done.").into_iter().map(Ok))),
        }
    }
}

impl Cast {
    pub(super) fn plays(roles: impl IntoIterator<Item = (&'static str, Vec<Answer>)>) -> Arc<Self> {
        let answers = roles.into_iter().map(|(role, list)| (role, list.into()));
        Arc::new(Self {
            answers: Mutex::new(answers.collect()),
            ..Self::default()
        })
    }

    /// Returns the requests of a role.
    pub(super) fn asked(&self, role: &str) -> Vec<Prompt> {
        let prompts = self.prompts.lock().unwrap();
        let own = prompts.iter().filter(|(by, _)| by == role);
        own.map(|(_, prompt)| prompt.clone()).collect()
    }

    pub(super) fn driver(self: &Arc<Self>, folder: &Folder) -> Driver {
        let mut agents = Agents::default();
        let cloned = Agent::read("cloned", "Do", "there", AgentOwner::Workspace);
        assert_eq!(agents.take(Agents::built_in()), [""; 0]);
        assert_eq!(agents.take([cloned.unwrap()]), [""; 0]);
        let agents = Arc::new(agents);
        let mut config = Config::new(Registry::default());
        config.agents = Arc::clone(&agents);
        config.instructions += &agents.listing();
        let provider: Arc<dyn Provider> = Arc::<Self>::clone(self);
        Driver::new(provider, Arc::clone(&folder.engine))
            .with_tools(Registry::standard().with_agents(agents))
            .with_config(config)
    }
}

fn task(agent: &str, task: &str) -> (&'static str, Value) {
    ("delegate", json!({ "agent": agent, "task": task }))
}

pub(super) fn write(path: &str) -> (&'static str, Value) {
    let content = format!("by {path}\n");
    (
        "write",
        json!({ "path": path, "description": "Write it", "content": content }),
    )
}

/// Runs a conversation to the end of its turn.
pub(super) async fn to_the_end(driver: Driver) -> Vec<Event> {
    converse(driver, "go", |event| match event {
        Event::TurnEnded { .. } => None,
        _ => Some(Vec::new()),
    })
    .await
}

/// Returns what the model was told of a call in its last request.
pub(super) fn told(prompt: &Prompt) -> Vec<String> {
    let messages = prompt.messages.iter();
    messages
        .filter_map(|message| match message {
            Message::Tool { content, .. } => Some(content.clone()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn two_agents_work_at_once_and_what_they_stage_is_theirs() {
    let folder = Folder::new(&[]);
    let delegates = called(&[task("debug", "fix a"), task("test", "test b")]);
    let used = Usage {
        input: 100,
        output: 10,
        ..Usage::default()
    };
    let mut wrote = called(&[write("a.txt")]);
    wrote.insert(0, Delta::Usage(used));
    let cast = Cast::plays([
        ("main", vec![Answer::Whole(delegates)]),
        (
            "debug",
            vec![
                Answer::Whole(wrote),
                Answer::Whole(said("Found the cause.")),
            ],
        ),
        (
            "test",
            vec![
                Answer::Whole(called(&[write("b.txt")])),
                Answer::Whole(said("Tested.")),
            ],
        ),
    ]);
    let events = to_the_end(cast.driver(&folder)).await;
    let mut staged: Vec<(String, Proposer)> = Vec::new();
    for event in &events {
        if let Event::Staged(proposals) = event {
            let each = proposals.iter();
            staged.extend(each.map(|own| (own.path.clone(), own.proposer.clone())));
        }
    }
    staged.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("a.txt", proposer("debug")), ("b.txt", proposer("test"))];
    assert_eq!(
        staged,
        expected.map(|(path, proposer)| (path.to_owned(), proposer))
    );
    assert!(events.contains(&Event::TurnEnded {
        end: TurnEnd::Review
    }));
    let spent = events.iter().rev().find_map(|event| match event {
        Event::Spent { turn, .. } => Some(turn.tokens()),
        _ => None,
    });
    assert_eq!(spent, Some(110), "what an agent uses counts for the turn");
    let mut tails = events.iter().filter_map(|event| match event {
        Event::Call(CallEvent::Output { tail, .. }) => Some(tail),
        _ => None,
    });
    assert!(
        tails.any(|tail| tail.contains("1 request, 110 tokens")),
        "{events:#?}"
    );

    let answers = told(cast.asked("main").last().unwrap());
    let debug = &answers[0];
    assert!(debug.contains("Found the cause."), "{debug}");
    assert!(debug.contains("1 proposal in changeset"), "{debug}");
    assert!(debug.contains("a.txt: Write it"), "{debug}");
    for (name, prompt) in [("debug", "fix a"), ("test", "test b")] {
        let first = &cast.asked(name)[0];
        let messages = format!("{:?}", first.messages);
        assert!(
            messages.contains(prompt) && !messages.contains("Agents, for"),
            "{messages}"
        );
        let tools: Vec<_> = first.tools.iter().map(|tool| tool.name).collect();
        assert!(
            tools.contains(&"bash") && !tools.contains(&"delegate"),
            "{tools:?}"
        );
    }
}

fn proposer(name: &str) -> Proposer {
    Proposer::Agent {
        name: name.to_owned(),
        model: "m".to_owned(),
    }
}

#[tokio::test]
async fn an_agent_that_was_cloned_can_change_nothing_whatever_it_calls() {
    let folder = Folder::new(&[("a.txt", "one\n")]);
    let calls = called(&[
        edit("one", "2"),
        ("bash", json!({ "command": "echo 2 > a.txt" })),
        task("debug", "do it for me"),
    ]);
    let cast = Cast::plays([
        ("main", vec![Answer::Whole(called(&[task("cloned", "x")]))]),
        ("cloned", vec![Answer::Whole(calls)]),
    ]);
    let events = to_the_end(cast.driver(&folder)).await;
    assert!(
        !events.iter().any(|event| matches!(event, Event::Staged(_))),
        "{events:#?}"
    );
    assert_eq!(folder.disk("a.txt").as_deref(), Some("one\n"));
    let answers = told(cast.asked("cloned").last().unwrap());
    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert!(answer.contains("there is no tool"), "{answer}");
    }
    assert!(cast.asked("debug").is_empty());
}

#[tokio::test]
async fn an_agent_asks_for_permission_as_the_conversation_does() {
    let folder = Folder::new(&[]);
    for (grant, expected) in [
        (Grant::Once, "42"),
        (
            Grant::Refuse {
                reason: Some("not now".to_owned()),
            },
            "not now",
        ),
    ] {
        let cast = Cast::plays([
            ("main", vec![Answer::Whole(called(&[task("debug", "x")]))]),
            (
                "debug",
                vec![Answer::Whole(called(&[(
                    "bash",
                    json!({ "command": "echo $((40 + 2)); touch made" }),
                )]))],
            ),
        ]);
        let mut asked = 0;
        converse(cast.driver(&folder), "go", |event| match event {
            Event::PermissionAsked { call, tool, .. } => {
                asked += 1;
                assert_eq!((call.0.as_str(), tool.as_str()), ("call-0/call-0", "bash"));
                let (call, grant) = (call.clone(), grant.clone());
                Some(vec![Command::Permit { call, grant }])
            }
            Event::TurnEnded { .. } => None,
            _ => Some(Vec::new()),
        })
        .await;
        assert_eq!(asked, 1);
        let answers = told(cast.asked("debug").last().unwrap());
        assert!(answers[0].contains(expected), "{answers:?}");
    }
}

#[tokio::test]
async fn a_turn_that_is_cancelled_ends_its_agents_and_keeps_what_they_staged() {
    let folder = Folder::new(&[]);
    let cast = Cast::plays([
        ("main", vec![Answer::Whole(called(&[task("debug", "x")]))]),
        (
            "debug",
            vec![
                Answer::Whole(called(&[write("a.txt")])),
                Answer::Stuck(Vec::new()),
            ],
        ),
    ]);
    let events = converse(cast.driver(&folder), "go", |event| match event {
        // What it staged is in the line about its call.
        Event::Call(CallEvent::Output { tail, .. }) if tail.starts_with("write") => {
            Some(vec![Command::Cancel])
        }
        Event::Staged(_) => None,
        _ => Some(Vec::new()),
    })
    .await;
    let ended = Event::TurnEnded {
        end: TurnEnd::Cancelled,
    };
    assert!(events.contains(&ended), "{events:#?}");
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Staged(staged) if staged.len() == 1)),
        "{events:#?}"
    );
}

#[tokio::test]
async fn an_agent_stops_where_the_turn_may_use_no_more() {
    let folder = Folder::new(&[]);
    let mut looks = called(&[("list_dir", json!({ "path": "." }))]);
    looks.insert(
        0,
        Delta::Usage(Usage {
            input: 1_000,
            ..Usage::default()
        }),
    );
    let cast = Cast::plays([
        ("main", vec![Answer::Whole(called(&[task("debug", "x")]))]),
        (
            "debug",
            vec![Answer::Whole(looks), Answer::Stuck(Vec::new())],
        ),
    ]);
    let mut driver = cast.driver(&folder);
    driver.config.most_tokens = Some(500);
    let events = to_the_end(driver).await;
    let ended = Event::TurnEnded {
        end: TurnEnd::Limit,
    };
    assert!(events.contains(&ended), "{events:#?}");
}

#[tokio::test]
async fn an_agent_that_is_started_in_plan_mode_changes_nothing() {
    let folder = Folder::new(&[]);
    let cast = Cast::plays([
        ("main", vec![Answer::Whole(called(&[task("debug", "x")]))]),
        ("debug", vec![Answer::Whole(called(&[write("a.txt")]))]),
    ]);
    let (sender, commands) = mpsc::unbounded_channel();
    sender.send(Command::SetMode(Mode::Plan)).unwrap();
    sender.send(Command::Submit("go".to_owned())).unwrap();
    let mut sender = Some(sender);
    cast.driver(&folder)
        .run(commands, |event| {
            assert!(!matches!(event, Event::Staged(_)));
            if matches!(event, Event::TurnEnded { .. }) {
                sender = None;
            }
        })
        .await;
    let answers = told(cast.asked("debug").last().unwrap());
    assert!(answers[0].contains("plan mode"), "{answers:?}");
}

#[tokio::test]
async fn the_user_gives_an_agent_a_task_without_the_model() {
    let folder = Folder::new(&[]);
    let written = Answer::Whole(called(&[write("a.txt")]));
    let cast = Cast::plays([(
        "debug",
        vec![written, Answer::Whole(said("Red is mended."))],
    )]);
    let (sender, commands) = mpsc::unbounded_channel();
    let delegate = Command::Delegate {
        agent: "debug".to_owned(),
        task: "why red?".to_owned(),
    };
    sender.send(delegate).unwrap();
    let mut sender = Some(sender);
    let mut ended = None;
    let mut answer = String::new();
    cast.driver(&folder)
        .run(commands, |event| match event {
            Event::Text { text } => answer += &text,
            Event::TurnEnded { end } => {
                ended = Some(end);
                sender = None;
            }
            _ => {}
        })
        .await;
    assert_eq!(ended, Some(TurnEnd::Review));
    assert_eq!(answer, "Red is mended.");
    assert!(cast.asked("main").is_empty());
}
